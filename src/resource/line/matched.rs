//! A line that a pattern matches: replaced, inserted after another one, or removed. The file must exist.

use fancy_regex::{Regex, RegexBuilder};

use crate::host::{HostError, Look, Owner};
use crate::resource::edit::{Edited, expand};
use crate::resource::{Checked, Turn};

/// The limit on backtracking steps of one match.
const BUDGET: usize = 1_000_000;

/// The desired state of the lines.
#[derive(Default)]
struct DesiredLines<'t> {
    line: &'t str,
    find: Option<Regex>,
    after: Option<Regex>,
    /// Several lines may match.
    multiple: bool,
    no_append: bool,
    no_replace: bool,
    /// All matching lines are removed.
    by_match: bool,
    /// Also if the line exists already.
    replace_all: bool,
}

/// Compares the file with the declared line and its patterns. It fails if the file is missing or is not UTF-8 text.
pub fn check(turn: &Turn, look: &dyn Look) -> Result<Checked, HostError> {
    let path = expand(turn.text("file")?.unwrap_or_default(), look)?;
    let file = Edited::look(turn, path, look)?;
    let exists = turn.text("state")? == Some("exists");
    if !file.is_there() {
        return Err(HostError::Missing { path: file.path });
    }
    let Some(have) = &file.content else { return Ok(file.unknown()) };
    let Ok(text) = std::str::from_utf8(have) else {
        return Err(HostError::Refused(format!("{} is not UTF-8 text", file.path.display())));
    };
    let wanted = DesiredLines {
        line: turn.any_text("content")?.unwrap_or_default(),
        find: pattern(turn, "match")?,
        after: pattern(turn, "after")?,
        multiple: turn.flag("multiple")?,
        no_append: turn.flag("no_append")?,
        no_replace: turn.flag("no_replace")?,
        by_match: turn.flag("absent_by_match")?,
        replace_all: turn.flag("replace_all")?,
    };
    let made = if exists { wanted.with(text) } else { wanted.without(text) };
    let made = made.map_err(|why| HostError::Refused(format!("{why} in {}", file.path.display())))?;
    Ok(made.map_or_else(Checked::right, |made| file.turn_into(Some(made.into_bytes()), 0o600, Owner::default())))
}

fn pattern(turn: &Turn, name: &str) -> Result<Option<Regex>, HostError> {
    let Some(source) = turn.text(name)?.filter(|source| !source.is_empty()) else { return Ok(None) };
    let built = RegexBuilder::new(source).oniguruma_mode(true).multi_line(true).backtrack_limit(BUDGET).build();
    built.map(Some).map_err(|why| HostError::Refused(format!("`{name}` is not a pattern: {why}")))
}

fn finds(pattern: &Regex, line: &str) -> Result<bool, String> {
    pattern.is_match(line).map_err(|why| why.to_string())
}

impl DesiredLines<'_> {
    fn is_line(&self, line: &str) -> bool {
        let line = line.strip_suffix('\n').unwrap_or(line);
        line.strip_suffix('\r').unwrap_or(line) == self.line
    }

    /// Returns how many lines match a pattern.
    fn count(&self, pattern: &Regex, text: &str) -> Result<usize, String> {
        let mut count = 0;
        for line in text.split_inclusive('\n') {
            let is_passed = self.replace_all && self.is_line(line);
            count += usize::from(!is_passed && finds(pattern, line)?);
        }
        Ok(count)
    }

    /// Returns the text with the line; `None` if nothing changes.
    fn with(&self, text: &str) -> Result<Option<String>, String> {
        let has_line = text.split_inclusive('\n').any(|line| self.is_line(line));
        let Some(find) = &self.find else {
            return if has_line { Ok(None) } else { self.after_match(text).map(Some) };
        };
        let count = self.count(find, text)?;
        let is_right = match count {
            0 => has_line || self.no_append,
            _ if self.replace_all => false,
            _ => has_line || self.no_replace,
        };
        if is_right || count > 0 && self.no_replace {
            return Ok(None);
        }
        if count > 1 && !self.multiple {
            return Err("several lines match".into());
        }
        let mut out = String::with_capacity(text.len());
        let mut is_placed = count > 0;
        for line in text.split_inclusive('\n') {
            put(if finds(find, line)? { self.line } else { line }, &mut out);
            if !is_placed
                && let Some(after) = &self.after
                && finds(after, line)?
            {
                put(self.line, &mut out);
                is_placed = true;
            }
        }
        if !is_placed {
            put(self.line, &mut out);
        }
        Ok(Some(out))
    }

    /// Returns the text with the line after those that `after` matches, or at the end.
    fn after_match(&self, text: &str) -> Result<String, String> {
        let count = self.after.as_ref().map_or(Ok(0), |after| self.count(after, text))?;
        if count > 1 && !self.multiple {
            return Err("several lines match `after`".into());
        }
        let mut out = String::with_capacity(text.len());
        for line in text.split_inclusive('\n') {
            put(line, &mut out);
            if let Some(after) = &self.after
                && finds(after, line)?
            {
                put(self.line, &mut out);
            }
        }
        if count == 0 {
            put(self.line, &mut out);
        }
        Ok(out)
    }

    /// Returns the text without the line, or without the matching lines.
    fn without(&self, text: &str) -> Result<Option<String>, String> {
        let mut out = String::with_capacity(text.len());
        let mut gone = 0;
        for line in text.split_inclusive('\n') {
            let is_meant = match &self.find {
                Some(find) if self.by_match => finds(find, line)?,
                _ => self.is_line(line),
            };
            if is_meant {
                gone += 1;
            } else {
                out.push_str(line);
            }
        }
        if gone > 1 && self.by_match && self.find.is_some() && !self.multiple {
            return Err("several lines match".into());
        }
        Ok((gone > 0).then_some(out))
    }
}

/// Appends a line with its end.
fn put(line: &str, out: &mut String) {
    out.push_str(line);
    if !line.ends_with('\n') {
        out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(line: &str, find: Option<&str>, after: Option<&str>) -> DesiredLines<'static> {
        let regex = |source: &str| RegexBuilder::new(source).multi_line(true).build().expect("the test has a pattern");
        DesiredLines {
            line: line.to_owned().leak(),
            find: find.map(regex),
            after: after.map(regex),
            ..DesiredLines::default()
        }
    }

    #[test]
    fn a_match_is_replaced_and_without_one_the_line_is_added() {
        let with = |w: DesiredLines<'_>, text| w.with(text).expect("one line matches");
        assert_eq!(with(wanted("a=2", Some("^a="), None), "a=1\nb"), Some("a=2\nb\n".into()));
        assert_eq!(with(wanted("a=2", Some("^a="), None), "a=2\nb"), None);
        assert_eq!(with(wanted("a=2", Some("^a="), None), "b"), Some("b\na=2\n".into()));
        assert_eq!(with(DesiredLines { no_append: true, ..wanted("a=2", Some("^a="), None) }, "b"), None);
        assert_eq!(with(DesiredLines { no_replace: true, ..wanted("a=2", Some("^a="), None) }, "a=1\n"), None);
        assert_eq!(with(wanted("c", None, Some("^a")), "a\nb\n"), Some("a\nc\nb\n".into()));
        assert_eq!(with(wanted("c", Some("^c"), Some("^a")), "a\nb\n"), Some("a\nc\nb\n".into()));
        assert_eq!(with(wanted("c", None, Some("^x")), "a\n"), Some("a\nc\n".into()));
    }

    #[test]
    fn several_matches_require_permission() {
        assert!(wanted("a=2", Some("^a"), None).with("a\na\n").is_err());
        let several = DesiredLines { multiple: true, ..wanted("a=2", Some("^a"), None) };
        assert_eq!(several.with("a\nb\na\n"), Ok(Some("a=2\nb\na=2\n".into())));
        assert!(wanted("c", None, Some("^a")).with("a\na\n").is_err());
        let all = DesiredLines { multiple: true, replace_all: true, ..wanted("a=2", Some("^a"), None) };
        assert_eq!(all.with("a=2\na=1\n"), Ok(Some("a=2\na=2\n".into())));
        assert_eq!(all.with("a=2\n"), Ok(None));
    }

    #[test]
    fn lines_are_removed_by_their_text_or_by_a_match() {
        assert_eq!(wanted("a", Some("^b"), None).without("a\nb\na"), Ok(Some("b\n".into())));
        let by_match = || DesiredLines { by_match: true, ..wanted("", Some("^b"), None) };
        assert_eq!(by_match().without("a\nb1\n"), Ok(Some("a\n".into())));
        assert!(by_match().without("b1\nb2\n").is_err());
        assert_eq!(DesiredLines { multiple: true, ..by_match() }.without("b1\na\nb2"), Ok(Some("a\n".into())));
        assert_eq!(by_match().without("a\n"), Ok(None));
    }
}
