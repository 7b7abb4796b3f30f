//! Patterns of file names: `*`, `?`, `[a-z]`, `[^a-z]` and `\` before a literal character.

use crate::lang::Spent;

/// A part of a pattern.
#[derive(Debug, PartialEq, Eq)]
pub enum Part {
    /// Any text without a slash.
    Star,
    /// Any character but a slash.
    One,
    Literal(char),
    Class {
        negated: bool,
        ranges: Vec<(char, char)>,
    },
}

/// The parts of a pattern; `None` if it is malformed.
pub fn parse(pattern: &str) -> Option<Vec<Part>> {
    let mut chars = pattern.chars().peekable();
    let mut parts = Vec::new();
    while let Some(c) = chars.next() {
        parts.push(match c {
            '*' => Part::Star,
            '?' => Part::One,
            '\\' => Part::Literal(chars.next()?),
            '[' => {
                let negated = chars.next_if_eq(&'^').is_some();
                let mut ranges = Vec::new();
                while ranges.is_empty() || chars.next_if_eq(&']').is_none() {
                    let low = class_char(&mut chars)?;
                    let high = if chars.next_if_eq(&'-').is_some() { class_char(&mut chars)? } else { low };
                    ranges.push((low, high));
                }
                Part::Class { negated, ranges }
            }
            c => Part::Literal(c),
        });
    }
    Some(parts)
}

fn class_char(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Option<char> {
    match chars.next()? {
        '-' | ']' => None,
        '\\' => chars.next(),
        c => Some(c),
    }
}

/// Whether a pattern matches a whole name. Only the last star is ever tried again. Each part that is tried is paid.
pub fn matches(parts: &[Part], name: &str, pay: &dyn Fn(u64) -> Result<(), Spent>) -> Result<bool, Spent> {
    let name: Vec<char> = name.chars().collect();
    let (mut part, mut at) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    loop {
        pay(match parts.get(part) {
            Some(Part::Class { ranges, .. }) => 1 + ranges.len() as u64,
            _ => 1,
        })?;
        match parts.get(part) {
            Some(Part::Star) => {
                star = Some((part, at));
                part += 1;
                continue;
            }
            None if at == name.len() => return Ok(true),
            Some(one) if name.get(at).is_some_and(|c| fits(one, *c)) => {
                (part, at) = (part + 1, at + 1);
                continue;
            }
            _ => {}
        }
        match star {
            // The star takes one more character.
            Some((starred, taken)) if name.get(taken).is_some_and(|c| *c != '/') => {
                star = Some((starred, taken + 1));
                (part, at) = (starred + 1, taken + 1);
            }
            _ => return Ok(false),
        }
    }
}

fn fits(part: &Part, c: char) -> bool {
    match part {
        Part::Star => false,
        Part::One => c != '/',
        Part::Literal(wanted) => *wanted == c,
        Part::Class { negated, ranges } => {
            c != '/' && ranges.iter().any(|(low, high)| (*low..=*high).contains(&c)) != *negated
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{matches, parse};

    #[test]
    fn patterns_match_whole_names() {
        for (pattern, name, want) in [
            ("a*b*c", "axxbyyc", true),
            ("a*b*c", "axxbyycd", false),
            ("*/b", "a/b", true),
            ("*", "a/b", false),
            ("a*/b", "a/c/b", false),
            ("[^a-c]?", "dx", true),
            ("[a-c]\\*", "b*", true),
            ("", "", true),
            ("*x*/y", "axb/y", true),
        ] {
            assert_eq!(matches(&parse(pattern).unwrap(), name, &|_| Ok(())), Ok(want), "{pattern} {name}");
        }
        for wrong in ["[", "[]", "[a", "a\\", "[a-]", "[-x]"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
