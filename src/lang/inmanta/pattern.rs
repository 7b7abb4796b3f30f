//! Python's regular expressions.

use fancy_regex::{Regex, RegexBuilder};

/// How much work a match may take before it counts as a failure.
const BACKTRACKS: usize = 1_000_000;

/// A compiled pattern that matches from the start of a text, as `re.match` does.
#[derive(Clone, Debug)]
pub struct Pattern {
    regex: Regex,
}

impl Pattern {
    /// Compiles a pattern in Python's syntax. Fails with the reason if it is invalid.
    pub fn new(pattern: &str) -> Result<Self, String> {
        // Checked alone first, so that an unbalanced parenthesis is not closed by ours.
        let translated = translated(pattern);
        let built = |text: &str| RegexBuilder::new(text).backtrack_limit(BACKTRACKS).build();
        built(&translated).map_err(|error| error.to_string())?;
        let anchored = format!(r"\A(?:{translated})");
        Ok(Self { regex: built(&anchored).map_err(|error| error.to_string())? })
    }

    /// Whether the text matches from its start.
    pub fn matches(&self, text: &str) -> Result<bool, String> {
        self.regex.is_match(text).map_err(|error| error.to_string())
    }
}

/// `\Z` is the very end in Python, and `$` also matches before a last line break.
fn translated(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut characters = pattern.chars().peekable();
    let mut in_set = false;
    while let Some(character) = characters.next() {
        match character {
            '\\' => {
                let Some(next) = characters.next() else {
                    out.push('\\');
                    break;
                };
                match next {
                    'Z' if !in_set => out.push_str(r"\z"),
                    '/' => out.push('/'),
                    _ => {
                        out.push('\\');
                        out.push(next);
                    }
                }
            }
            '[' if in_set => out.push_str(r"\["),
            '[' => {
                in_set = true;
                out.push('[');
                if characters.peek() == Some(&'^') {
                    characters.next();
                    out.push('^');
                }
                // A bracket that comes first is a member of the set.
                if characters.peek() == Some(&']') {
                    characters.next();
                    out.push_str(r"\]");
                }
            }
            ']' => {
                in_set = false;
                out.push(']');
            }
            '&' | '~' if in_set => {
                out.push('\\');
                out.push(character);
            }
            '$' if !in_set => out.push_str(r"(?=\n?\z)"),
            _ => out.push(character),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::Pattern;

    #[test]
    fn patterns_match_from_the_start_only() {
        let matches = |pattern: &str, text: &str| Pattern::new(pattern).and_then(|p| p.matches(text));
        assert_eq!(matches("a", "ab"), Ok(true));
        assert_eq!(matches("b", "ab"), Ok(false));
        assert_eq!(matches("a|b$", "b\n"), Ok(true));
        assert_eq!(matches(r"a\Z", "a\n"), Ok(false));
        assert_eq!(matches(r"[]a]+\/", "a]/"), Ok(true));
        assert!(Pattern::new(")").is_err());
        assert!(Pattern::new("(").is_err());
    }
}
