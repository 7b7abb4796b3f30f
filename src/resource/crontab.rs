//! The kind `crontab`: manages one entry of a user's crontab, identified by the comment line before it.

use std::path::{Path, PathBuf};

use super::edit::Edited;
use super::exec::account;
use super::schema::CRONTAB;
use super::{Checked, Kind, Schema, Turn};
use crate::host::{FileKind, HostError, Look, Owner};

/// The kind `crontab`, which manages one entry of a user's crontab.
pub struct Crontab;

/// cron's folders of user files, the more specific one first.
const SPOOLS: [&str; 2] = ["/var/spool/cron/crontabs", "/var/spool/cron"];

/// Readable only by cron and the user.
const MODE_OF_NEW: u32 = 0o600;

impl Kind for Crontab {
    fn schema(&self) -> &'static Schema {
        &CRONTAB
    }

    fn shares(&self) -> Option<&'static str> {
        Some("the crontabs")
    }

    fn check(&self, turn: &Turn, look: &dyn Look) -> Result<Checked, HostError> {
        let user = turn.text("user")?.unwrap_or("root");
        let path = path(turn, user, look)?;
        let file = Edited::look(turn, path, look)?;
        let marker = one_line(turn, "marker")?.unwrap_or(turn.name);
        let exists = turn.text("state")? != Some("absent");
        if !exists && !file.is_there() {
            return Ok(Checked::right());
        }
        let Some(have) = &file.content else { return Ok(file.unknown()) };
        let have = String::from_utf8_lossy(have);
        let entry = if exists { Some(entry(turn, marker)?) } else { None };
        let wanted = with(&have, marker, entry.as_deref());
        if wanted == have {
            return Ok(Checked::right());
        }
        let uid = account(Some(user), "user", |name| look.uid(name))?;
        let owner = Owner { uid: uid.filter(|uid| *uid != look.identity().uid), gid: None };
        Ok(file.turn_into(Some(wanted.into_bytes()), MODE_OF_NEW, owner))
    }
}

fn path(turn: &Turn, user: &str, look: &dyn Look) -> Result<PathBuf, HostError> {
    if let Some(file) = turn.text("file")? {
        return Ok(file.into());
    }
    if user.contains('/') || user.starts_with('.') {
        return Err(HostError::Refused("`user` is not a valid user name".into()));
    }
    for folder in SPOOLS {
        if look.stat_target(Path::new(folder))?.is_some_and(|stat| stat.kind == FileKind::Dir) {
            return Ok(Path::new(folder).join(user));
        }
    }
    Err(HostError::Missing { path: SPOOLS[0].into() })
}

/// Returns a text that cannot add lines to the table.
fn one_line<'t>(turn: &'t Turn, param: &str) -> Result<Option<&'t str>, HostError> {
    let text = turn.text(param)?;
    match text.filter(|text| text.contains(|c: char| c.is_control() && c != '\t')) {
        Some(_) => Err(HostError::Refused(format!("`{param}` must be one line"))),
        None => Ok(text),
    }
}

/// Returns the lines of an entry, the marker first.
fn entry(turn: &Turn, marker: &str) -> Result<Vec<String>, HostError> {
    let need = |param: &str, text: Option<&str>| match text {
        Some(text) => Ok(text.to_owned()),
        None => Err(HostError::Refused(format!("`{param}` must be set"))),
    };
    let mut lines = vec![marker.to_owned()];
    for variable in turn.texts("environment")? {
        if !variable.contains('=') || variable.contains(char::is_control) {
            return Err(HostError::Refused("`environment` holds names with values, such as `MAILTO=root`".into()));
        }
        lines.push(variable.to_owned());
    }
    let (time, command) = (need("time", one_line(turn, "time")?)?, need("command", one_line(turn, "command")?)?);
    lines.push(format!("{time} {command}"));
    Ok(lines)
}

/// Whether a line is a variable of the entry below.
fn is_variable(line: &str) -> bool {
    let name = line.split('=').next().unwrap_or_default().trim_end();
    line.contains('=') && !name.is_empty() && name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric())
}

/// Returns the table with the entry after its marker, replacing the old one; `None` removes it.
fn with(table: &str, marker: &str, entry: Option<&[String]>) -> String {
    let mut out: Vec<&str> = Vec::new();
    let mut lines = table.lines();
    let mut is_in = false;
    while let Some(line) = lines.next() {
        if line.trim_end() != marker {
            out.push(line);
            continue;
        }
        lines.by_ref().find(|line| !is_variable(line));
        if let Some(entry) = entry.filter(|_| !is_in) {
            out.extend(entry.iter().map(String::as_str));
            is_in = true;
        }
    }
    if let Some(entry) = entry.filter(|_| !is_in) {
        out.extend(entry.iter().map(String::as_str));
    }
    out.iter().fold(String::with_capacity(table.len()), |text, line| text + line + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_found_by_its_marker() {
        let entry = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
        let one = entry(&["# N: a", "M=1", "@daily run"]);
        assert_eq!(with("", "# N: a", Some(&one)), "# N: a\nM=1\n@daily run\n");
        let table = "X=0\n# N: a\nOLD=1\n0 1 * * * old\n5 5 * * * other\n";
        assert_eq!(with(table, "# N: a", Some(&one)), "X=0\n# N: a\nM=1\n@daily run\n5 5 * * * other\n");
        assert_eq!(with(table, "# N: a", None), "X=0\n5 5 * * * other\n");
        assert_eq!(with(table, "# N: b", None), table);
    }
}
