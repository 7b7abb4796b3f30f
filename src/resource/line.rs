//! The kind `line`: manages the presence of one line, or of a block of lines, in a file.

mod matched;

use super::edit::{Edited, expand};
use super::reader::{Reader, absolute};
use super::{Checked, Kind, Schema, Turn, schema};
use crate::host::{HostError, Look, Owner};

/// A new file may hold secrets. A `file` resource can give it another mode.
const MODE_OF_NEW: u32 = 0o600;

/// The kind `line`, which manages one line, or a block of lines, in a file.
pub struct Line;

impl Kind for Line {
    fn schema(&self) -> &'static Schema {
        schema("line").expect("the schemas name every built-in kind")
    }

    fn validate(&self, given: &Reader) -> Result<(), String> {
        let file = given.text("file").unwrap_or_default();
        if !file.starts_with('~') {
            absolute("file", file)?;
        }
        if file.ends_with('/') {
            return Err("`file` ends in a slash, so it would be a folder".into());
        }
        given.must_be("state", &["exists", "absent"])
    }

    fn check(&self, turn: &Turn, look: &dyn Look) -> Result<Checked, HostError> {
        if turn.flag("by_pattern")? {
            return matched::check(turn, look);
        }
        let path = expand(turn.text("file")?.unwrap_or_default(), look)?;
        let content = turn.any_text("content")?.unwrap_or_default();
        let content = if turn.flag("trim")? { content.trim() } else { content };
        if content.is_empty() {
            return Ok(Checked::right().with_note("its `content` is empty: nothing to do"));
        }
        let file = Edited::look(turn, path, look)?;
        let exists = turn.text("state")? == Some("exists");
        Ok(keep(&file, content, exists, Owner::default()))
    }

    fn only_reads(&self) -> bool {
        true
    }
}

/// Returns the work that adds the lines to a file or removes them.
pub(super) fn keep(file: &Edited, lines: &str, exists: bool, owner_of_new: Owner) -> Checked {
    if !exists && !file.is_there() {
        return Checked::right();
    }
    let Some(have) = &file.content else { return file.unknown() };
    let wanted = if exists { with(have, lines.as_bytes()) } else { without(have, lines.as_bytes()) };
    wanted.map_or_else(Checked::right, |wanted| file.turn_into(Some(wanted), MODE_OF_NEW, owner_of_new))
}

/// Returns the lines of a text without line ends. A last line without an end counts.
fn lines(text: &[u8]) -> Vec<&[u8]> {
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    if text.is_empty() { Vec::new() } else { text.split(|byte| *byte == b'\n').collect() }
}

/// Returns the text with a block of lines at its end; `None` if it contains the block already.
fn with(text: &[u8], block: &[u8]) -> Option<Vec<u8>> {
    let (have, block_lines) = (lines(text), lines(block));
    if have.windows(block_lines.len().max(1)).any(|window| window == block_lines) {
        return None;
    }
    let mut wanted = text.to_vec();
    if !wanted.is_empty() && !wanted.ends_with(b"\n") {
        wanted.push(b'\n');
    }
    wanted.extend_from_slice(block);
    if !wanted.ends_with(b"\n") {
        wanted.push(b'\n');
    }
    Some(wanted)
}

/// Returns the text without a block of lines at any place; `None` if it does not contain the block.
fn without(text: &[u8], block: &[u8]) -> Option<Vec<u8>> {
    let (have, block) = (lines(text), lines(block));
    let mut kept: Vec<&[u8]> = Vec::with_capacity(have.len());
    let mut at = 0;
    while at < have.len() {
        if !block.is_empty() && have[at..].starts_with(&block) {
            at += block.len();
        } else {
            kept.push(have[at]);
            at += 1;
        }
    }
    if kept.len() == have.len() {
        return None;
    }
    let mut wanted = kept.join(&b'\n');
    if !kept.is_empty() && text.ends_with(b"\n") {
        wanted.push(b'\n');
    }
    Some(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: Option<Vec<u8>>) -> Option<String> {
        bytes.map(|bytes| String::from_utf8(bytes).expect("the test gives text"))
    }

    #[test]
    fn a_line_is_added_once_and_removed_everywhere() {
        assert_eq!(text(with(b"a\nb", b"c")), Some("a\nb\nc\n".into()));
        assert_eq!(text(with(b"", b"c")), Some("c\n".into()));
        assert_eq!(with(b"a\nc\n", b"c"), None);
        assert_eq!(text(with(b"ac\n", b"c")), Some("ac\nc\n".into()));
        assert_eq!(with(b"x\na\nb\ny", b"a\nb"), None);
        assert_eq!(text(without(b"a\nc\nb\nc\n", b"c")), Some("a\nb\n".into()));
        assert_eq!(text(without(b"c\n", b"c")), Some(String::new()));
        assert_eq!(text(without(b"a\nc", b"c")), Some("a".into()));
        assert_eq!(without(b"ac\n", b"c"), None);
    }
}
