//! Selectors and `case`: which entry fits a value.

use std::sync::Arc;

use super::Evaluator;
use super::operator;
use crate::diag::{Code, nearest};
use crate::lang::puppet::ast::*;
use crate::lang::puppet::convert;
use crate::lang::puppet::ids::ScopeId;
use crate::lang::puppet::issue::IssueName;
use crate::lang::puppet::output::Output;
use crate::lang::puppet::scope::Scopes;
use crate::lang::puppet::semver::{Range, Version};
use crate::lang::puppet::stop::{At, Help, Problem, Run, Stop, fail};
use crate::lang::puppet::types;
use crate::lang::puppet::unknown;
use crate::lang::puppet::value::Value;
use crate::lang::ruby::regexp::Regexp;
use crate::source::Span;

impl Evaluator<'_> {
    /// Runs something after which the match variables are as before.
    pub fn guarded(&mut self, scope: ScopeId, work: impl FnOnce(&mut Self) -> Run) -> Run {
        let groups = self.scopes.get(scope).groups.clone();
        let done = work(self);
        self.scopes.get_mut(scope).groups = groups;
        done
    }

    pub(super) fn selector(&mut self, left: &Expr, entries: &[Entry], scope: ScopeId, span: Span) -> Run {
        self.guarded(scope, |e| {
            let value = e.eval(left, scope)?;
            if matches!(value, Value::Unknown(_)) {
                return e.undecided_selector(entries, scope);
            }
            e.output.read(&value, span)?;
            let mut default = None;
            for entry in entries {
                match option_fits(e, &value, &entry.key, scope)? {
                    Fit::Matches => return e.eval(&entry.value, scope),
                    Fit::Unknown => return e.undecided_selector(entries, scope),
                    Fit::Default => default = Some(&entry.value),
                    Fit::Differs => {}
                }
            }
            match default {
                Some(value) => e.eval(value, scope),
                None => {
                    let shown = convert::string(&value);
                    let message = format!("No matching entry for selector parameter with value '{shown}'");
                    let place = e.inputs.first_line(span);
                    let refused = fail(span, IssueName::UnmatchedSelector, message).edit(place);
                    let why = if value == Value::Undef { e.why_undef(left, scope) } else { None };
                    match why {
                        Some((place, why, help)) => refused
                            .related(place, why)
                            .help(help.unwrap_or_else(|| "add an entry `undef => VALUE` or `default => VALUE`".into())),
                        None => refused.help(format!("add an entry `'{shown}' => VALUE` or `default => VALUE`")),
                    }
                }
            }
        })
    }

    /// A selector of which it is unknown which entry fits.
    fn undecided_selector(&mut self, entries: &[Entry], scope: ScopeId) -> Run {
        for part in entries.iter().flat_map(|entry| [&entry.key, &entry.value]) {
            self.leave_out_parts(part.span, &[part], scope)?;
        }
        Ok(Value::Unknown(None))
    }

    pub(super) fn case(&mut self, test: &Expr, choices: &[Choice], scope: ScopeId) -> Run {
        let value = self.eval(test, scope)?;
        // What options declare that are not evaluated is left out too.
        if self.output.meets_unknown(&[&value]) {
            for option in choices.iter().flat_map(|choice| &choice.values) {
                self.left_out_reader().read_left_out(option.span, &[option])?;
            }
        }
        if matches!(value, Value::Unknown(_)) {
            let branches: Vec<&Expr> = choices.iter().map(|choice| &choice.then).collect();
            return self.undecided_branches("this case", test.span, &branches, scope);
        }
        let mut default = None;
        for choice in choices {
            for option in &choice.values {
                match option_fits(self, &value, option, scope)? {
                    Fit::Matches => return self.eval(&choice.then, scope),
                    Fit::Default => default = Some(&choice.then),
                    Fit::Differs => {}
                    Fit::Unknown => {
                        let branches: Vec<&Expr> = choices.iter().map(|choice| &choice.then).collect();
                        return self.undecided_branches("this case", option.span, &branches, scope);
                    }
                }
            }
        }
        let Some(then) = default else { return Ok(Value::Undef) };
        let done = self.eval(then, scope);
        match &done {
            Err(Stop::Fail(issue)) if issue.code() == Code::ProgramFailed && issue.advice.related.len() < 3 => {
                self.about_default(done, test, &value, choices, scope)
            }
            _ => done,
        }
    }

    /// Adds to a `fail` in the default of a `case` which value has no case, and why.
    fn about_default(&mut self, done: Run, test: &Expr, value: &Value, choices: &[Choice], scope: ScopeId) -> Run {
        if *value == Value::Undef {
            return match self.why_undef(test, scope) {
                Some((place, why, help)) => {
                    let done = done.related(place, format!("{why}, and `case` takes its default"));
                    match help {
                        Some(help) => done.help(help),
                        None => done,
                    }
                }
                None => done,
            };
        }
        let options = choices.iter().flat_map(|choice| &choice.values);
        let words: Vec<&str> = options
            .filter_map(|option| match &option.kind {
                Kind::Str(word) | Kind::Name(word) => Some(&**word),
                _ => None,
            })
            .collect();
        let (Value::Str(shown), false) = (value, words.is_empty()) else { return done };
        let near = nearest(shown, words.iter().copied());
        let done = done.related(test.span, format!("the value here is `{shown}`, which has no case"));
        match near {
            Some(near) => done.help(format!("did you mean `{near}`? The value of this `case` is `{shown}`")),
            None => done.help(format!(
                "add a case for `{shown}`, or change the value: the cases are {}",
                crate::lang::puppet::suggestion::listed(words, 8)
            )),
        }
    }
}

/// How a value fits an option of a selector or a `case`.
enum Fit {
    Matches,
    Differs,
    /// It does not match, and the option is the default or contains it.
    Default,
    /// An unknown value decides.
    Unknown,
}

/// Compares a value with an option, or with each element of an unfolded one.
fn option_fits(e: &mut Evaluator<'_>, value: &Value, option: &Expr, scope: ScopeId) -> Run<Fit> {
    if matches!(option.unparenthesised().kind, Kind::Default) {
        return Ok(Fit::Default);
    }
    let mut fit = Fit::Differs;
    for candidate in e.unfolded(std::slice::from_ref(option), scope)? {
        if let (true, Value::Type(ty)) = (e.output.has_unknown, &candidate) {
            e.output.pay_instance(ty, value, option.span)?;
        }
        if matches!(candidate, Value::Default) {
            fit = Fit::Default;
        } else if e.output.has_unknown && is_open_option(value, &candidate) {
            return Ok(Fit::Unknown);
        } else if e.scopes.option_matches(&mut e.output, value, &candidate, scope, option.span)? {
            return Ok(Fit::Matches);
        }
    }
    Ok(fit)
}

impl Scopes {
    /// Whether a value matches an option, match variables included.
    fn option_matches(
        &mut self,
        output: &mut Output<'_>,
        value: &Value,
        option: &Value,
        scope: ScopeId,
        span: Span,
    ) -> Run<bool> {
        output.read(option, span)?;
        if let Value::Type(ty) = option {
            output.pay_instance(ty, value, span)?;
        }
        if let (Value::Str(text), Value::Regexp(regexp)) = (value, option) {
            return self.match_text(regexp, text, scope, span);
        }
        operator::matches(value, option).at(span)
    }

    /// Matches and sets the match variables.
    pub fn match_text(&mut self, regexp: &Regexp, text: &str, scope: ScopeId, span: Span) -> Run<bool> {
        let found = regexp.captures(text).map_err(Problem::regexp).at(span)?;
        let matched = found.is_some();
        if let Some(groups) = found {
            self.get_mut(scope).groups = Some(Some(Arc::new(groups)));
        }
        Ok(matched)
    }

    pub(super) fn matches(&mut self, a: &Value, b: &Value, scope: ScopeId, left: Span, right: Span) -> Run<bool> {
        match b {
            Value::Type(ty) => Ok(types::is_instance(ty, a)),
            Value::SemVerRange(range) => in_range(a, range, left),
            Value::SemVer(version) => Ok(match a {
                Value::SemVer(a) => a.compare(version).is_eq(),
                Value::Str(text) => Version::parse(text).is_some_and(|v| v.compare(version).is_eq()),
                _ => false,
            }),
            Value::Regexp(_) | Value::Str(_) => {
                let Value::Str(text) = a else {
                    return fail(
                        left,
                        IssueName::MatchNotString,
                        format!(
                            "Left match operand must result in a String value. Got {}.",
                            crate::lang::puppet::words::article(&types::infer_generic(a).to_string())
                        ),
                    );
                };
                let regexp = match b {
                    Value::Regexp(regexp) => regexp.clone(),
                    Value::Str(source) => Arc::new(Regexp::new(source.clone())),
                    _ => return Ok(false),
                };
                if let Err(detail) = regexp.compiled() {
                    return fail(
                        right,
                        IssueName::MatchNotRegexp,
                        format!("Can not convert right match operand to a regular expression. Caused by '{detail}'."),
                    );
                }
                self.match_text(&regexp, text, scope, left)
            }
            _ => fail(
                right,
                IssueName::MatchNotRegexp,
                "Can not convert right match operand to a regular expression. Caused by 'no implicit conversion into String'.",
            ),
        }
    }
}

impl Output<'_> {
    /// The elements of `*value`. Each is paid before it is copied.
    pub(super) fn elements(&mut self, value: Value, span: Span) -> Run<Vec<Value>> {
        let count = match &value {
            Value::Array(list) => list.len(),
            Value::Hash(map) => map.len(),
            Value::Iterator(items) => items.items.len(),
            _ => 1,
        };
        self.spend(count as u64, span)?;
        Ok(unfold(value))
    }
}

fn in_range(a: &Value, range: &Range, left: Span) -> Run<bool> {
    match a {
        Value::SemVer(version) => Ok(range.includes(version)),
        Value::Str(text) => Ok(Version::parse(text).is_some_and(|v| range.includes(&v))),
        _ => fail(left, IssueName::MatchNotString, "Left match operand must result in a String value."),
    }
}

/// Returns the elements of `*value`.
pub fn unfold(value: Value) -> Vec<Value> {
    match value {
        Value::Array(list) => list.to_vec(),
        Value::Hash(map) => map.iter().map(|(k, v)| Value::array(vec![k.clone(), v.clone()])).collect(),
        Value::Undef => Vec::new(),
        Value::Iterator(items) => items.items.clone(),
        other => vec![other],
    }
}

/// Whether it is unknown if an option takes a value.
fn is_open_option(value: &Value, option: &Value) -> bool {
    match (value, option) {
        (_, option) if unknown::is_in(option) => true,
        (value, _) if !unknown::is_in(value) => false,
        (value, Value::Type(ty)) => types::known_instance(ty, value).is_none(),
        (Value::Array(_) | Value::Hash(_), option) => matches!(option, Value::Array(_) | Value::Hash(_)),
        _ => true,
    }
}
