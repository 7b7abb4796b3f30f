//! The kind `entry`: manages one line of a table of words, identified by one of its words.

use super::edit::{Edited, expand};
use super::schema::ENTRY;
use super::{Checked, Kind, Schema, Turn};
use crate::host::{HostError, Look, Owner};

/// The kind `entry`, which manages one line of a table of words.
pub struct Entry;

/// Such tables are readable by all.
const MODE_OF_NEW: u32 = 0o644;

impl Kind for Entry {
    fn schema(&self) -> &'static Schema {
        &ENTRY
    }

    fn check(&self, turn: &Turn, look: &dyn Look) -> Result<Checked, HostError> {
        let path = expand(turn.text("file")?.unwrap_or_default(), look)?;
        let key = turn.text("key")?.unwrap_or(turn.name);
        let word = usize::try_from(turn.int("word")?.unwrap_or_default()).unwrap_or_default();
        let line = match turn.text("state")? {
            Some("absent") => None,
            _ => Some(turn.text("line")?.ok_or_else(|| HostError::Refused("`line` must be set".into()))?),
        };
        if line.is_some_and(|line| line.contains('\n') || words(line).get(word) != Some(&key)) {
            return Err(HostError::Refused(format!("`line` must be one line whose word {word} is `{key}`")));
        }
        let file = Edited::look(turn, path, look)?;
        if line.is_none() && !file.is_there() {
            return Ok(Checked::right());
        }
        let Some(have) = &file.content else { return Ok(file.unknown()) };
        let have = String::from_utf8_lossy(have);
        match with(&have, key, word, line) {
            None => Ok(Checked::right()),
            Some(wanted) => Ok(file.turn_into(Some(wanted.into_bytes()), MODE_OF_NEW, Owner::default())),
        }
    }

    fn only_reads(&self) -> bool {
        true
    }
}

/// Returns the words of a line. A comment line has none.
fn words(line: &str) -> Vec<&str> {
    if line.trim_start().starts_with('#') { Vec::new() } else { line.split_whitespace().collect() }
}

/// Returns the table with the line replacing the one with its name, or without it; `None` if nothing changes.
fn with(table: &str, key: &str, word: usize, line: Option<&str>) -> Option<String> {
    let mut out = String::with_capacity(table.len() + line.map_or(0, str::len) + 1);
    let (mut is_in, mut changed) = (false, false);
    for have in table.lines() {
        let mut kept = Some(have);
        if words(have).get(word) == Some(&key) {
            kept = line.filter(|_| !is_in);
            is_in = true;
            let is_same = kept.is_some_and(|line| words(line) == words(have));
            changed |= !is_same;
            kept = if is_same { Some(have) } else { kept };
        }
        kept.into_iter().for_each(|kept| out.extend([kept, "\n"]));
    }
    if let Some(line) = line.filter(|_| !is_in) {
        out.extend([line, "\n"]);
        changed = true;
    }
    changed.then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_found_by_its_word() {
        let table = "# a\n127.0.0.1   localhost\n::1 localhost ip6\n10.0.0.1 web\n";
        assert_eq!(with(table, "web", 1, Some("10.0.0.1\tweb")), None);
        let moved = with(table, "web", 1, Some("10.0.0.2\tweb\tw"));
        assert_eq!(moved, Some(table.replace("10.0.0.1 web", "10.0.0.2\tweb\tw")));
        assert_eq!(with(table, "web", 1, None), Some(table.replace("10.0.0.1 web\n", "")));
        assert_eq!(with(table, "db", 1, None), None);
        assert_eq!(with("", "db", 1, Some("1.1.1.1 db")), Some("1.1.1.1 db\n".into()));
    }
}
