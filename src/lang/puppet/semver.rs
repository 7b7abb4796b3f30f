//! Semantic versions and ranges of them, as Puppet reads and prints them.

use std::cmp::Ordering;
use std::fmt;

use super::ast::Text;

/// A semantic version.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Version {
    pub major: u64,
    pub minor: u64,
    pub patch: u64,
    pub prerelease: Option<Text>,
    pub build: Option<Text>,
}

impl Version {
    /// Parses `1.2.3-pre+build`; `None` if a part is missing or malformed.
    pub fn parse(text: &str) -> Option<Self> {
        let (text, build) = text.split_once('+').map_or((text, None), |(t, b)| (t, Some(b)));
        let (core, prerelease) = text.split_once('-').map_or((text, None), |(t, p)| (t, Some(p)));
        let mut numbers = core.split('.').map(number);
        let (major, minor, patch) = (numbers.next()??, numbers.next()??, numbers.next()??);
        let words = |text: &str| {
            text.split('.').all(|w| !w.is_empty() && w.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-'))
        };
        let fits = numbers.next().is_none() && prerelease.is_none_or(words) && build.is_none_or(words);
        fits.then(|| Self { major, minor, patch, prerelease: prerelease.map(Into::into), build: build.map(Into::into) })
    }

    fn new(major: u64, minor: u64, patch: u64) -> Self {
        Self { major, minor, patch, prerelease: None, build: None }
    }

    /// The bytes of its words.
    pub fn text_len(&self) -> usize {
        [&self.prerelease, &self.build].into_iter().flatten().map(|words| words.len()).sum()
    }

    /// Precedence; the build does not count.
    pub fn compare(&self, other: &Self) -> Ordering {
        let core = |v: &Self| (v.major, v.minor, v.patch);
        core(self).cmp(&core(other)).then_with(|| match (&self.prerelease, &other.prerelease) {
            (None, None) => Ordering::Equal,
            (None, Some(_)) => Ordering::Greater,
            (Some(_), None) => Ordering::Less,
            (Some(a), Some(b)) => prerelease(a, b),
        })
    }
}

fn number(text: &str) -> Option<u64> {
    let is_plain = text.bytes().all(|b| b.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    if is_plain { text.parse().ok() } else { None }
}

fn prerelease(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a.split('.'), b.split('.'));
    loop {
        let order = match (a.next(), b.next()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(a), Some(b)) => match (a.parse::<u64>(), b.parse::<u64>()) {
                (Ok(a), Ok(b)) => a.cmp(&b),
                (Ok(_), Err(_)) => Ordering::Less,
                (Err(_), Ok(_)) => Ordering::Greater,
                (Err(_), Err(_)) => a.cmp(b),
            },
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)?;
        if let Some(prerelease) = &self.prerelease {
            write!(f, "-{prerelease}")?;
        }
        if let Some(build) = &self.build {
            write!(f, "+{build}")?;
        }
        Ok(())
    }
}

/// A range as written: alternatives of comparisons that all hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    pub text: Text,
    sets: Vec<Vec<(Comparison, Version)>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Less,
    LessEqual,
    Equal,
    GreaterEqual,
    Greater,
}

/// A version with parts left open: `1`, `1.x`, `1.2.*`.
struct Partial {
    numbers: Vec<u64>,
    prerelease: Option<Text>,
}

impl Partial {
    fn parse(text: &str) -> Option<Self> {
        let text = text.strip_prefix('v').unwrap_or(text);
        let text = text.split_once('+').map_or(text, |(t, _)| t);
        let (core, prerelease) = text.split_once('-').map_or((text, None), |(t, p)| (t, Some(p)));
        let mut numbers = Vec::new();
        let mut is_open = false;
        for part in core.split('.') {
            if matches!(part, "x" | "X" | "*") {
                is_open = true;
            } else if is_open {
                return None;
            } else {
                numbers.push(number(part)?);
            }
        }
        (numbers.len() <= 3).then(|| Self { numbers, prerelease: prerelease.map(Into::into) })
    }

    fn low(&self) -> Version {
        let part = |i: usize| self.numbers.get(i).copied().unwrap_or(0);
        Version { prerelease: self.prerelease.clone(), ..Version::new(part(0), part(1), part(2)) }
    }

    /// The first version above all that it stands for, kept to `parts` numbers; `None` without one.
    fn above(&self, parts: usize) -> Option<Version> {
        let part = |i: usize| self.numbers.get(i).copied().unwrap_or(0);
        Some(match parts.min(self.numbers.len()) {
            0 => return None,
            1 => Version::new(part(0).checked_add(1)?, 0, 0),
            2 => Version::new(part(0), part(1).checked_add(1)?, 0),
            _ => Version::new(part(0), part(1), part(2).checked_add(1)?),
        })
    }
}

impl Range {
    /// Parses a range: comparisons that must all hold, with `||` between alternatives; `None` if one is malformed.
    pub fn parse(text: &str) -> Option<Self> {
        let sets = text.split("||").map(|set| comparisons(set.trim())).collect::<Option<Vec<_>>>()?;
        Some(Self { text: text.into(), sets })
    }

    /// Whether a version is in the range. A prerelease is only in a range that names a prerelease of the same version.
    pub fn includes(&self, version: &Version) -> bool {
        self.sets.iter().any(|set| {
            set.iter().all(|(comparison, bound)| {
                let order = version.compare(bound);
                match comparison {
                    Comparison::Less => order.is_lt(),
                    Comparison::LessEqual => order.is_le(),
                    Comparison::Equal => order.is_eq(),
                    Comparison::GreaterEqual => order.is_ge(),
                    Comparison::Greater => order.is_gt(),
                }
            }) && (version.prerelease.is_none()
                || set.iter().any(|(_, b)| {
                    b.prerelease.is_some()
                        && (b.major, b.minor, b.patch) == (version.major, version.minor, version.patch)
                }))
        })
    }
}

impl Range {
    /// The first version of one span, and the first one above it.
    fn span(&self) -> Option<(&Version, Option<&Version>)> {
        let [set] = &self.sets[..] else { return None };
        match &set[..] {
            [(Comparison::GreaterEqual, low)] => Some((low, None)),
            [(Comparison::GreaterEqual, low), (Comparison::Less, high)] => Some((low, Some(high))),
            _ => None,
        }
    }

    /// Whether one span holds another one whole.
    pub fn covers(&self, other: &Range) -> bool {
        let (Some((low, high)), Some((other_low, other_high))) = (self.span(), other.span()) else { return false };
        let ends_before = match (high, other_high) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(high), Some(other)) => other.compare(high).is_le(),
        };
        low.compare(other_low).is_le() && ends_before
    }
}

/// Ranges with those that overlap as one.
pub fn merged(ranges: Vec<Text>) -> Vec<Text> {
    let mut out: Vec<Text> = Vec::new();
    for range in ranges {
        let together = |have: &Text| -> Option<Text> {
            let (have, more) = (Range::parse(have)?, Range::parse(&range)?);
            let ((low, high), (more_low, more_high)) = (have.span()?, more.span()?);
            let reaches = |high: Option<&Version>, low: &Version| high.is_none_or(|high| low.compare(high).is_le());
            if !(reaches(high, more_low) && reaches(more_high, low)) {
                return None;
            }
            let low = if low.compare(more_low).is_le() { low } else { more_low };
            let high = high.zip(more_high).map(|(a, b)| if a.compare(b).is_ge() { a } else { b });
            Some(high.map_or_else(|| format!(">={low}"), |high| format!(">={low} <{high}")).into())
        };
        match out.iter().enumerate().find_map(|(at, have)| Some((at, together(have)?))) {
            Some((at, text)) => out[at] = text,
            None => out.push(range),
        }
    }
    out
}

fn comparisons(set: &str) -> Option<Vec<(Comparison, Version)>> {
    use Comparison::*;
    if let Some((low, high)) = set.split_once(" - ") {
        let high = Partial::parse(high.trim())?;
        let upper = match high.numbers.len() {
            3 => vec![(LessEqual, high.low())],
            _ => high.above(2).map(|v| (Less, v)).into_iter().collect(),
        };
        return Some([vec![(GreaterEqual, Partial::parse(low.trim())?.low())], upper].concat());
    }
    let mut out = Vec::new();
    let mut words = set.split_whitespace().peekable();
    while let Some(word) = words.next() {
        let end = word.find(|c: char| !"<>=~^".contains(c)).unwrap_or(word.len());
        let (sign, rest) = word.split_at(end);
        let rest = if rest.is_empty() { words.next()? } else { rest };
        let partial = Partial::parse(rest)?;
        let low = partial.low();
        match sign {
            ">=" => out.push((GreaterEqual, low)),
            ">" if partial.numbers.len() == 3 => out.push((Greater, low)),
            ">" => out.push((GreaterEqual, partial.above(3)?)),
            "<" => out.push((Less, low)),
            "<=" if partial.numbers.len() == 3 => out.push((LessEqual, low)),
            "<=" => out.push((Less, partial.above(3)?)),
            "~" | "~>" => {
                out.push((GreaterEqual, low));
                out.extend(partial.above(2).map(|v| (Less, v)));
            }
            "^" => {
                let parts = partial.numbers.iter().position(|n| *n > 0).map_or(partial.numbers.len(), |i| i + 1);
                out.push((GreaterEqual, low));
                out.extend(partial.above(parts).map(|v| (Less, v)));
            }
            "=" | "" if partial.numbers.len() == 3 => out.push((Equal, low)),
            "=" | "" => {
                out.push((GreaterEqual, low));
                out.extend(partial.above(3).map(|v| (Less, v)));
            }
            _ => return None,
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::{Range, Version};

    #[test]
    fn ranges_contain_the_expected_versions() {
        let holds = |range: &str, version: &str| {
            let (range, version) = (Range::parse(range).expect(range), Version::parse(version).expect(version));
            range.includes(&version)
        };
        assert!(holds(">= 4.13.1 < 10.0.0", "9.7.0") && !holds(">= 4.13.1 < 10.0.0", "10.0.0"));
        assert!(holds("1.x", "1.9.0") && !holds("1.x", "2.0.0"));
        assert!(holds("~1.2.3", "1.2.9") && !holds("~1.2.3", "1.3.0"));
        assert!(holds("^1.2.3", "1.9.0") && !holds("^0.2.3", "0.3.0"));
        assert!(holds("1.0.0 - 2.0.0", "2.0.0") && holds("1.0.0 || 3.0.0", "3.0.0"));
        assert!(!holds(">=1.0.0", "2.0.0-rc1"));
        let merged = |ranges: &[&str]| super::merged(ranges.iter().map(|r| (*r).into()).collect());
        assert_eq!(merged(&[">=1.0.0 <2.0.0", ">=1.5.0 <4.0.0"]), [">=1.0.0 <4.0.0".into()]);
        assert_eq!(merged(&["1.x", ">=5.0.0"]).len(), 2);
        assert!(Version::parse("1.0").is_none() && Version::parse("01.0.0").is_none());
    }
}
