//! Hostile text made visible: nothing from a module, a server or a file name reaches a terminal raw.

use std::borrow::Cow;
use std::fmt;

/// Text that is safe to write to a terminal or a log on one line.
///
/// Control characters, line breaks, bidirectional overrides, invisible format characters and tag characters
/// are shown as visible escapes such as `\x1b` and `\u{202e}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Printable<'a>(Cow<'a, str>);

impl Printable<'_> {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Printable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// Makes text safe to show on one line.
pub fn printable(text: &str) -> Printable<'_> {
    if !text.chars().any(is_hostile) {
        return Printable(Cow::Borrowed(text));
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if is_hostile(c) && (c as u32) < 0x100 => out.push_str(&format!("\\x{:02x}", c as u32)),
            c if is_hostile(c) => out.push_str(&format!("\\u{{{:x}}}", c as u32)),
            c => out.push(c),
        }
    }
    Printable(Cow::Owned(out))
}

/// The first line: of an error all that there is room for on a row. Further ones tell what a command said last.
pub fn headline(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// Whether a character can move the cursor, hide text or reorder it.
pub fn is_hostile(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::printable;

    #[test]
    fn escapes_are_visible() {
        assert_eq!(printable("a\x1b]0;x\x07b").as_str(), "a\\x1b]0;x\\x07b");
        assert_eq!(printable("x\u{202e}y\u{9b}").as_str(), "x\\u{202e}y\\x9b");
        assert_eq!(printable("plain é 漢字").as_str(), "plain é 漢字");
    }
}
