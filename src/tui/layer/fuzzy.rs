//! Scores how well typed words match a line, and finds the matching characters.

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

/// Scores lines against words; higher is better.
pub struct Fuzzy {
    pattern: Pattern,
    matcher: Matcher,
    chars: Vec<char>,
}

impl Fuzzy {
    pub fn new(words: &str) -> Self {
        Self::of(words, CaseMatching::Ignore, Config::DEFAULT)
    }

    /// For paths and names, whose last part weighs most. A capital in the words matches only a capital.
    pub fn of_paths(words: &str) -> Self {
        Self::of(words, CaseMatching::Smart, Config::DEFAULT.match_paths())
    }

    fn of(words: &str, case: CaseMatching, config: Config) -> Self {
        let pattern = Pattern::parse(words, case, Normalization::Smart);
        Self { pattern, matcher: Matcher::new(config), chars: Vec::new() }
    }

    /// `None` if the line does not match.
    pub fn score(&mut self, line: &str) -> Option<u32> {
        self.pattern.score(Utf32Str::new(line, &mut self.chars), &mut self.matcher)
    }

    /// The positions of the matching characters, in order.
    pub fn fitting(&mut self, line: &str) -> Vec<u32> {
        let mut found = Vec::new();
        self.pattern.indices(Utf32Str::new(line, &mut self.chars), &mut self.matcher, &mut found);
        found.sort_unstable();
        found.dedup();
        found
    }
}
