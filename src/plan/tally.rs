//! Counts of steps for display, and the grouping of failures with the same reason.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Action, Step, Summary};

/// Counts of steps for display. A failing or blocked step does nothing, so it does not count as an action. A plan's own
/// summary counts all steps by action.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    pub acts: Summary,
    /// Unchanged steps that are only refreshed.
    #[serde(default)]
    pub only_refreshed: u32,
    pub would_fail: u32,
    pub would_be_blocked: u32,
}

impl Tally {
    /// Counts steps. A step that would fail or is blocked counts only as that.
    pub fn of<'a>(steps: impl IntoIterator<Item = &'a Step>) -> Self {
        let mut tally = Tally::default();
        for step in steps {
            match step {
                step if step.error.is_some() => tally.would_fail += 1,
                step if step.is_blocked() => tally.would_be_blocked += 1,
                step => {
                    tally.only_refreshed += u32::from(step.refresh && step.action == Action::None);
                    tally.acts.add(step.action, step.refresh);
                }
            }
        }
        tally
    }

    /// Returns the unchanged steps without a refresh. With the other counts they sum up to all steps.
    pub fn right(&self) -> u32 {
        self.acts.none.saturating_sub(self.only_refreshed)
    }
}

/// Groups failures with the same reason: a missing folder may fail thousands of files. Of each reason only a few are
/// listed, with the number of the others.
#[derive(Debug, Default)]
pub struct Alike<'a> {
    /// For each reason, the number of failures and of those passed so far.
    reasons: BTreeMap<&'a str, (usize, usize)>,
}

/// Whether to list a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listed {
    Yes,
    /// List it, followed by the number of further failures with the same reason.
    AndMore(usize),
    /// Omit it.
    No,
}

impl<'a> Alike<'a> {
    /// The number of listed failures per reason. One more is listed if it is the last.
    const FIRST: usize = 3;

    /// Counts the reasons of the whole list.
    pub fn of(reasons: impl IntoIterator<Item = &'a str>) -> Self {
        let mut alike = Self::default();
        for reason in reasons {
            alike.reasons.entry(reason).or_default().0 += 1;
        }
        alike
    }

    /// Decides about the next item of the list. An item without a reason is listed.
    pub fn next(&mut self, reason: Option<&'a str>) -> Listed {
        let Some((all, asked)) = reason.and_then(|reason| self.reasons.get_mut(reason)) else { return Listed::Yes };
        *asked += 1;
        match *asked {
            _ if *all <= Self::FIRST + 1 => Listed::Yes,
            Self::FIRST => Listed::AndMore(*all - Self::FIRST),
            asked if asked < Self::FIRST => Listed::Yes,
            _ => Listed::No,
        }
    }
}

impl Step {
    /// Returns why the step fails: its error, or the resource that blocks it.
    pub fn reason(&self) -> Option<&str> {
        self.error.as_deref().or_else(|| self.blocked_by.as_ref().map(|by| &*by.0))
    }
}
