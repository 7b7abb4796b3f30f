//! What steps come to as people are told it: how many do what, and which go wrong for one and the same reason.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Action, Step, Summary};

/// What some steps come to, as all count them who tell it to people: one that would fail does nothing, nor does one that it
/// blocks, so neither stands among what the others do. A plan's own summary has all steps by their actions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    pub acts: Summary,
    /// Those that are right, and only refreshed.
    #[serde(default)]
    pub only_refreshed: u32,
    pub would_fail: u32,
    pub would_be_blocked: u32,
}

impl Tally {
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

    /// Those of which there is nothing to do at all: with the others they come to all steps.
    pub fn right(&self) -> u32 {
        self.acts.none.saturating_sub(self.only_refreshed)
    }
}

/// Reasons why things of a list go wrong that others of them have too: a folder that is missing may stop thousands of files. A few
/// of each reason are told, and how many more there are.
#[derive(Debug, Default)]
pub struct Alike<'a> {
    /// How many there are of each, and how many were asked about.
    reasons: BTreeMap<&'a str, (usize, usize)>,
}

/// What a list says of one that goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    Yes,
    /// And with it, that so many more are as it is.
    AndMore(usize),
    /// It is one of those.
    No,
}

impl<'a> Alike<'a> {
    /// So many of one reason are told; where only one more is left, that is told too.
    const FIRST: usize = 3;

    /// Takes in the reasons of the whole list.
    pub fn of(reasons: impl IntoIterator<Item = &'a str>) -> Self {
        let mut alike = Self::default();
        for reason in reasons {
            alike.reasons.entry(reason).or_default().0 += 1;
        }
        alike
    }

    /// What is said of the next one of the list; what does not go wrong is told.
    pub fn next(&mut self, reason: Option<&'a str>) -> Told {
        let Some((all, asked)) = reason.and_then(|reason| self.reasons.get_mut(reason)) else { return Told::Yes };
        *asked += 1;
        match *asked {
            _ if *all <= Self::FIRST + 1 => Told::Yes,
            Self::FIRST => Told::AndMore(*all - Self::FIRST),
            asked if asked < Self::FIRST => Told::Yes,
            _ => Told::No,
        }
    }
}

impl Step {
    /// Why it goes wrong: what it would fail of, or by what it is blocked.
    pub fn reason(&self) -> Option<&str> {
        self.error.as_deref().or_else(|| self.blocked_by.as_ref().map(|by| &*by.0))
    }
}
