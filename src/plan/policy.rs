//! Policies: conditions in the words of breakpoints that forbid a plan or warn about it.
//!
//! A policy can only forbid: policies of several files are all checked, and an exception counts only for the policy that
//! it is written in. An exception ends at its date.

use std::collections::BTreeSet;
use std::fmt;

use jiff::civil::Date;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::Step;
use super::stop::{Names, OwnName, Stop, is_like};
use crate::graph::{Graph, ResourceId};

/// What a policy does with a plan that matches it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rule {
    Deny,
    Warn,
}

impl Rule {
    /// Its name in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Rule::Deny => "deny",
            Rule::Warn => "warn",
        }
    }
}

/// A condition, as in `destroys kind:user` or `changes > 50`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    pub when: String,
    pub message: String,
    pub exceptions: Vec<Exception>,
    /// Its file and line.
    pub by: String,
    stop: Stop,
    /// How many resources may match.
    most: Option<u32>,
}

/// Resources that a policy does not match before a date has passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exception {
    /// An id, with `*` for any text and `?` for one character.
    pub resource: String,
    /// The last day.
    pub until: Date,
}

/// A policy that a plan breaks, with the resources that it matches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Violation {
    pub rule: Rule,
    pub when: String,
    pub message: String,
    /// The policy's file and line.
    pub by: String,
    pub resources: Vec<ResourceId>,
    /// Exceptions that would apply if they had not ended, each with its last day.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ended: Vec<(String, String)>,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Violation { rule, when, message, by, .. } = self;
        let verb = match rule {
            Rule::Deny => "denied",
            Rule::Warn => "warning",
        };
        write!(f, "{verb}: {message} (`{when}`, {by})")?;
        self.ended.iter().try_for_each(|(resource, day)| write!(f, "; the exception for {resource} ended on {day}"))
    }
}

impl Policy {
    /// Parses a condition. `Err` names the invalid word.
    pub fn parse(when: &str, message: &str, exceptions: Vec<Exception>) -> Result<Policy, String> {
        let (words, most) = match when.rsplit_once('>') {
            Some((words, number)) if number.trim().bytes().all(|byte| byte.is_ascii_digit()) && !words.is_empty() => {
                let number = number.trim();
                let most = number.parse().map_err(|_| format!("`> {number}`: not a number of resources"))?;
                (words.trim_end(), Some(most))
            }
            _ => (when, None),
        };
        let stop = Stop::parse_conditions(words)?;
        let (when, message) = (when.trim().to_owned(), message.trim().to_owned());
        Ok(Policy { when, message, exceptions, by: String::new(), stop, most })
    }

    /// Returns the first property in its condition that is misspelt, and the known name.
    pub fn misspelt(&self, known: &Names<'_>) -> Option<(&str, String)> {
        self.stop.misspelt(known)
    }

    /// The same with its file and line.
    pub fn written_at(self, by: String) -> Self {
        Self { by, ..self }
    }

    /// Checks some steps of a graph's plan; `None` if they fulfil the policy.
    fn check(
        &self,
        rule: Rule,
        graph: &Graph,
        steps: &FxHashMap<&ResourceId, &Step>,
        today: Date,
        own: OwnName,
    ) -> Option<Violation> {
        // A policy about a resource that the program does not declare is fulfilled.
        let mut places = self.stop.places(graph, |id| steps.get(id).copied(), own).unwrap_or_default();
        places.retain(|id| steps.contains_key(id));
        let mut ended = BTreeSet::new();
        for exception in &self.exceptions {
            let fits = |id: &ResourceId| is_like(&id.0, &exception.resource);
            match exception.until >= today {
                true => places.retain(|id| !fits(id)),
                false if places.iter().any(fits) => {
                    ended.insert((exception.resource.clone(), exception.until.to_string()));
                }
                false => {}
            }
        }
        let is_broken = match self.most {
            Some(most) => places.len() > most as usize,
            None => !places.is_empty(),
        };
        is_broken.then(|| Violation {
            rule,
            when: self.when.clone(),
            message: self.message.clone(),
            by: self.by.clone(),
            resources: places.into_iter().collect(),
            ended: ended.into_iter().collect(),
        })
    }
}

/// Checks policies, those that forbid first.
pub fn violations<'s>(
    policies: &[(Rule, Policy)],
    graph: &Graph,
    steps: impl IntoIterator<Item = &'s Step>,
    today: Date,
    own: OwnName,
) -> Vec<Violation> {
    if policies.is_empty() {
        return Vec::new();
    }
    let steps: FxHashMap<&ResourceId, &Step> = steps.into_iter().map(|step| (&step.resource, step)).collect();
    let mut found: Vec<Violation> =
        policies.iter().filter_map(|(rule, policy)| policy.check(*rule, graph, &steps, today, own)).collect();
    found.sort_by_key(|violation| violation.rule);
    found
}

/// The violations of each resource.
pub fn by_resource(violations: &[Violation]) -> FxHashMap<&ResourceId, Vec<&Violation>> {
    let mut all: FxHashMap<&ResourceId, Vec<&Violation>> = FxHashMap::default();
    for violation in violations {
        for id in &violation.resources {
            all.entry(id).or_default().push(violation);
        }
    }
    all
}

/// Whether a plan with these violations must not be applied.
pub fn is_denied(violations: &[Violation]) -> bool {
    violations.iter().any(|violation| violation.rule == Rule::Deny)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_have_the_words_of_breakpoints() {
        for (when, most) in [
            ("destroys kind:user", None),
            ("kind:file mode=0777", None),
            ("changes > 50", Some(50)),
            ("if changes>0", Some(0)),
            ("file[/etc/*] if destroys", None),
            ("file[/etc/shadow]", None),
            ("kind:exec command==\"a > b\"", None),
        ] {
            assert_eq!(Policy::parse(when, "no", Vec::new()).map(|policy| policy.most), Ok(most), "{when}");
        }
        for wrong in ["", "explodes", "changes > ", "> 5", "changes > 99999999999"] {
            assert!(Policy::parse(wrong, "no", Vec::new()).is_err(), "{wrong}");
        }
    }
}
