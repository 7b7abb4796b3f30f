//! How well typed words fit a line.

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

/// Scores lines against words; the higher, the better.
pub struct Fuzzy {
    pattern: Pattern,
    matcher: Matcher,
    chars: Vec<char>,
}

impl Fuzzy {
    pub fn new(words: &str) -> Self {
        let pattern = Pattern::parse(words, CaseMatching::Ignore, Normalization::Smart);
        Self { pattern, matcher: Matcher::new(Config::DEFAULT), chars: Vec::new() }
    }

    /// Nothing where the words are not in the line.
    pub fn score(&mut self, line: &str) -> Option<u32> {
        self.pattern.score(Utf32Str::new(line, &mut self.chars), &mut self.matcher)
    }
}
