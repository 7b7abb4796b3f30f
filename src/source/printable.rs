//! Hostile text made visible: nothing from a module, a server or a file name reaches a terminal raw.

use std::borrow::Cow;
use std::fmt;

use unicode_segmentation::UnicodeSegmentation;

/// Text that is safe to write to a terminal or a log on one line.
///
/// Control characters, line breaks, bidirectional overrides, invisible format characters and tag characters
/// are shown as visible escapes such as `\x1b` and `\u{202e}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Printable<'a>(Cow<'a, str>);

impl Printable<'_> {
    /// Returns the safe text.
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

/// Joins emoji to one picture, such as a family.
const JOINER: char = '\u{200d}';

/// The text of a file without the joiners that combine several emoji into one picture: the emoji then appear side by
/// side.
///
/// Such a joiner deceives no one, so it need not be named as elsewhere. But terminals differ in whether they draw one
/// picture or all of them, and so in the width; side by side they always have the same. If two compared texts differ in
/// nothing else, and in names, the joiners must be visible: use [`printable`] there.
pub fn unjoined(text: &str) -> Cow<'_, str> {
    let joiners = joiners(text);
    if joiners.is_empty() {
        return Cow::Borrowed(text);
    }
    let (mut out, mut from) = (String::with_capacity(text.len()), 0);
    for at in joiners {
        out.push_str(&text[from..at]);
        from = at + JOINER.len_utf8();
    }
    out.push_str(&text[from..]);
    Cow::Owned(out)
}

/// The positions of joiners between emoji, in bytes.
pub fn joiners(text: &str) -> Vec<usize> {
    if !text.contains(JOINER) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (start, cluster) in text.grapheme_indices(true) {
        let joiners = cluster.match_indices(JOINER).filter(|(at, _)| {
            let after = cluster[at + JOINER.len_utf8()..].chars().next();
            // In one cluster with an emoji after it, the character before it is an emoji too (GB11 of UAX #29).
            *at > 0 && after.is_some_and(is_pictograph)
        });
        found.extend(joiners.map(|(at, _)| start + at));
    }
    found
}

/// Whether a joiner can combine a character (Extended_Pictographic in UTS #51).
fn is_pictograph(c: char) -> bool {
    let is_one = |text: String| text.graphemes(true).nth(1).is_none();
    is_one(format!("\u{1f469}{JOINER}{c}")) && !is_one(format!("a{c}"))
}

/// The first line: of an error, the part that fits into a row. Further lines have the last output of a command.
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
    use super::{printable, unjoined};

    #[test]
    fn escapes_are_visible() {
        assert_eq!(printable("a\x1b]0;x\x07b").as_str(), "a\\x1b]0;x\\x07b");
        assert_eq!(printable("x\u{202e}y\u{9b}").as_str(), "x\\u{202e}y\\x9b");
        assert_eq!(printable("plain é 漢字").as_str(), "plain é 漢字");
    }

    /// A joiner is harmless between emoji, and is named anywhere else.
    #[test]
    fn only_emoji_joiners_are_removed() {
        for (text, shown) in [
            ("a 👩\u{200d}👩\u{200d}👧 b", "a 👩👩👧 b"),
            ("🏳\u{fe0f}\u{200d}🌈", "🏳\u{fe0f}🌈"),
            ("👩🏽\u{200d}🚀", "👩🏽🚀"),
            ("❤\u{fe0f}\u{200d}🔥", "❤\u{fe0f}🔥"),
            ("ro\u{200d}ot", "ro\\u{200d}ot"),
            ("👩\u{200d}", "👩\\u{200d}"),
            ("\u{200d}👩", "\\u{200d}👩"),
            ("👩\u{200d}\u{200d}👩", "👩\\u{200d}\\u{200d}👩"),
            ("👩\u{200d}a", "👩\\u{200d}a"),
            ("a\u{200d}👩", "a\\u{200d}👩"),
            ("👩\u{200d}\u{301}", "👩\\u{200d}\u{301}"),
            ("\u{915}\u{94d}\u{200d}\u{937}", "\u{915}\u{94d}\\u{200d}\u{937}"),
            ("👩\u{200b}👩", "👩\\u{200b}👩"),
        ] {
            assert_eq!(printable(&unjoined(text)).as_str(), shown, "{text:?}");
        }
    }
}
