//! How well typed words fit a line, and which of its characters they took.

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
        Self::of(words, CaseMatching::Ignore, Config::DEFAULT)
    }

    /// For paths and names, of which the last part tells most; a capital in the words wants a capital.
    pub fn of_paths(words: &str) -> Self {
        Self::of(words, CaseMatching::Smart, Config::DEFAULT.match_paths())
    }

    fn of(words: &str, case: CaseMatching, config: Config) -> Self {
        let pattern = Pattern::parse(words, case, Normalization::Smart);
        Self { pattern, matcher: Matcher::new(config), chars: Vec::new() }
    }

    /// Nothing where the words are not in the line.
    pub fn score(&mut self, line: &str) -> Option<u32> {
        self.pattern.score(Utf32Str::new(line, &mut self.chars), &mut self.matcher)
    }

    /// The positions of the characters that fit, in order.
    pub fn fitting(&mut self, line: &str) -> Vec<u32> {
        let mut found = Vec::new();
        self.pattern.indices(Utf32Str::new(line, &mut self.chars), &mut self.matcher, &mut found);
        found.sort_unstable();
        found.dedup();
        found
    }
}
