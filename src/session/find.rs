//! The lines of files that hold words.

use std::io::Read;
use std::path::Path;

use regex::bytes::{Regex, RegexBuilder};

/// Longer files are not searched: they are no sources.
const MOST_BYTES: u64 = 4 << 20;
/// What tells a file of bytes from one of text stands near its start.
const HEAD: usize = 8 << 10;
/// Longer lines are cut.
const MOST_LINE: usize = 400;

/// A line that holds what was looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Line and column, both from 1.
    pub line: u32,
    pub column: u32,
    /// Without the white space around it.
    pub text: String,
}

/// Words that are looked for in lines.
#[derive(Clone, Debug)]
pub struct Wanted(Regex);

impl Wanted {
    /// Reads an expression; one that is none is taken as it stands. Words without capitals find either case.
    pub fn new(words: &str) -> Self {
        let either_case = !words.chars().any(char::is_uppercase);
        let built = |pattern: &str| {
            RegexBuilder::new(pattern).case_insensitive(either_case).size_limit(1 << 20).multi_line(true).build()
        };
        let expression = built(words).or_else(|_| built(&regex::escape(words)));
        Self(expression.unwrap_or_else(|_| Regex::new("$^").expect("an expression that finds nothing")))
    }

    /// The lines of a text that hold them, at most so many.
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

/// The lines of a file that hold words; nothing where it is no text, or too long to be a source.
pub fn find_lines(path: &Path, wanted: &Wanted, most: usize) -> Vec<Hit> {
    // A pipe that took the file's place would never answer.
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
            Wanted::new(words).hits(text, 9).iter().map(|hit| (hit.line, hit.column)).collect()
        };
        assert_eq!(places("two"), [(2, 2), (4, 1), (5, 8)]);
        assert_eq!(places("Two"), [(2, 6)]);
        assert_eq!(places("^t.o$"), [(4, 1)]);
        assert_eq!(places("two ("), []);
        assert_eq!(Wanted::new("(").hits(b"a(b", 9).len(), 1);
        assert_eq!(Wanted::new("").hits(b"a\nb", 9).len(), 2);
        assert_eq!(Wanted::new("two").hits(text, 2).len(), 2);
    }
}
