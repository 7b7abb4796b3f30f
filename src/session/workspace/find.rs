//! Finds the lines of files that contain words.

use std::io::Read;
use std::path::Path;

use regex::bytes::{Regex, RegexBuilder};

/// Longer files are not sources and are skipped.
const MOST_BYTES: u64 = 4 << 20;
/// The number of bytes that decide between text and binary.
const HEAD: usize = 8 << 10;
/// Longer lines are cut.
const MOST_LINE: usize = 400;

/// A matching line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Line and column, both from 1.
    pub line: u32,
    pub column: u32,
    /// Without surrounding white space.
    pub text: String,
}

/// A search expression.
#[derive(Clone, Debug)]
pub struct SearchPattern(Regex);

impl SearchPattern {
    /// Compiles a regular expression. An invalid one is searched literally. Without capitals it ignores case.
    pub fn new(words: &str) -> Self {
        let either_case = !words.chars().any(char::is_uppercase);
        let built = |pattern: &str| {
            RegexBuilder::new(pattern).case_insensitive(either_case).size_limit(1 << 20).multi_line(true).build()
        };
        let expression = built(words).or_else(|_| built(&regex::escape(words)));
        Self(expression.unwrap_or_else(|_| Regex::new("$^").expect("an expression that finds nothing")))
    }

    /// Returns the matching lines of a text, up to a limit.
    pub fn hits(&self, text: &[u8], most: usize) -> Vec<Hit> {
        let mut hits = Vec::new();
        let (mut at, mut line) = (0, 1);
        while at < text.len() && hits.len() < most {
            let Some(found) = self.0.find_at(text, at) else { break };
            line += text[at..found.start()].iter().filter(|byte| **byte == b'\n').count() as u32;
            let begin = text[..found.start()].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            let end = text[found.start()..].iter().position(|byte| *byte == b'\n');
            let end = end.map_or(text.len(), |end| found.start() + end);
            let column = String::from_utf8_lossy(&text[begin..found.start()]).chars().count() as u32 + 1;
            let shown = String::from_utf8_lossy(&text[begin..end]);
            let shown: String = shown.trim().chars().take(MOST_LINE).collect();
            hits.push(Hit { line, column, text: shown });
            (at, line) = (end + 1, line + 1);
        }
        hits
    }
}

/// Returns the matching lines of a file. Empty for a binary or very long file.
pub fn find_lines(path: &Path, wanted: &SearchPattern, most: usize) -> Vec<Hit> {
    // If a pipe replaced the file, opening it must not wait.
    let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::CLOEXEC;
    let Ok(file) = rustix::fs::open(path, flags, rustix::fs::Mode::empty()) else { return Vec::new() };
    let file = std::fs::File::from(file);
    if !file.metadata().is_ok_and(|about| about.is_file() && about.len() <= MOST_BYTES) {
        return Vec::new();
    }
    let mut text = Vec::new();
    if file.take(MOST_BYTES).read_to_end(&mut text).is_err() || text[..text.len().min(HEAD)].contains(&0) {
        return Vec::new();
    }
    wanted.hits(&text, most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found_with_their_places() {
        let text = b"one\n\ttwo Two\n\ntwo\nlast \xff two";
        let places = |words: &str| -> Vec<(u32, u32)> {
            SearchPattern::new(words).hits(text, 9).iter().map(|hit| (hit.line, hit.column)).collect()
        };
        assert_eq!(places("two"), [(2, 2), (4, 1), (5, 8)]);
        assert_eq!(places("Two"), [(2, 6)]);
        assert_eq!(places("^t.o$"), [(4, 1)]);
        assert_eq!(places("two ("), []);
        assert_eq!(SearchPattern::new("(").hits(b"a(b", 9).len(), 1);
        assert_eq!(SearchPattern::new("").hits(b"a\nb", 9).len(), 2);
        assert_eq!(SearchPattern::new("two").hits(text, 2).len(), 2);
    }
}
