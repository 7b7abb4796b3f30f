//! Undo and redo of what was set up beforehand: breakpoints, what is left out, what `c` stops for, bookmarks.
//!
//! After every message it is seen whether a key changed any of it; what it was before is kept then. What changed by itself
//! (another plan knows a resource no more, the last session comes back) is no step of the user's, and is kept as it is.
//! Deploys are not undone here: those are taken back, and asked about.

use std::collections::BTreeSet;

use super::bookmark::Bookmark;
use super::effect::Effect;
use super::look::Role;
use super::screen::step::{breaks, leave};
use super::state::State;
use super::widget::text;
use crate::graph::ResourceId;
use crate::plan::stop::BreakMode;

/// So many changes are kept.
const MOST: usize = 100;

/// What can be undone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Setup {
    pub breakpoints: BTreeSet<ResourceId>,
    pub muted: BTreeSet<ResourceId>,
    /// Breakpoints with conditions: as typed, and whether they are on.
    pub whens: Vec<(String, bool)>,
    pub break_mode: BreakMode,
    pub left_out: BTreeSet<ResourceId>,
    pub bookmarks: Vec<Bookmark>,
}

/// The setup as it is, and the ones before and after it.
#[derive(Debug, Default)]
pub struct Changes {
    now: Setup,
    back: Vec<Setup>,
    forward: Vec<Setup>,
}

impl Changes {
    pub fn can_undo(&self) -> bool {
        !self.back.is_empty()
    }

    pub fn can_redo(&self) -> bool {
        !self.forward.is_empty()
    }
}

impl Setup {
    fn of(state: &State) -> Self {
        let step = &state.step;
        Self {
            breakpoints: step.breakpoints.clone(),
            muted: step.muted.clone(),
            whens: step.whens.iter().map(|when| (when.text.clone(), when.is_on)).collect(),
            break_mode: step.break_mode,
            left_out: step.left_out.clone(),
            bookmarks: state.bookmarks.clone(),
        }
    }

    /// Whether all is still so; it copies nothing, as every key asks it.
    fn holds(&self, state: &State) -> bool {
        let step = &state.step;
        let whens = || step.whens.iter().map(|when| (when.text.as_str(), when.is_on));
        self.breakpoints == step.breakpoints
            && self.muted == step.muted
            && self.whens.iter().map(|(text, is_on)| (text.as_str(), *is_on)).eq(whens())
            && self.break_mode == step.break_mode
            && self.left_out == step.left_out
            && self.bookmarks == state.bookmarks
    }
}

/// Sees what a message changed; `by_hand` where it was a key or the mouse.
pub fn look(state: &mut State, by_hand: bool) {
    if state.changes.now.holds(state) {
        return;
    }
    let now = Setup::of(state);
    let before = std::mem::replace(&mut state.changes.now, now);
    if by_hand {
        let Changes { back, forward, .. } = &mut state.changes;
        if back.len() == MOST {
            back.remove(0);
        }
        back.push(before);
        forward.clear();
    }
}

/// Goes one change back, or one on again.
pub fn go(state: &mut State, is_back: bool) -> Vec<Effect> {
    let Changes { back, forward, .. } = &mut state.changes;
    let Some(wanted) = (if is_back { back } else { forward }).pop() else { return vec![] };
    let before = Setup::of(state);
    let (word, words) = (if is_back { "undone" } else { "done again" }, told(&before, &wanted));
    state.bookmarks.clone_from(&wanted.bookmarks);
    let mut effects = leave::put_back(state, &wanted.left_out);
    effects.extend(breaks::put_back(state, &wanted));
    state.changes.now = Setup::of(state);
    let Changes { back, forward, .. } = &mut state.changes;
    (if is_back { forward } else { back }).push(before);
    state.say(Role::Note, format!("{word}: {words}"));
    effects
}

/// What is told of one, told of several.
fn of_many(what: &str) -> String {
    what.replacen("has ", "have ", 1).replacen("is ", "are ", 1).replace("its ", "their ")
}

/// What differs, in words.
fn told(before: &Setup, after: &Setup) -> String {
    let mut words = Vec::new();
    let mut ids = |before: &BTreeSet<ResourceId>, after: &BTreeSet<ResourceId>, gone: &str, new: &str| {
        for (found, what) in [(before.difference(after), gone), (after.difference(before), new)] {
            match &found.collect::<Vec<_>>()[..] {
                [] => {}
                [id] => words.push(format!("{id} {what}")),
                many => words.push(format!("{} resources {}", many.len(), of_many(what))),
            }
        }
    };
    ids(&before.breakpoints, &after.breakpoints, "has no breakpoint", "has a breakpoint");
    ids(&before.muted, &after.muted, "has its breakpoint on", "has its breakpoint off");
    ids(&before.left_out, &after.left_out, "has its turn again", "is left out");
    if before.whens != after.whens {
        let is_new = |when: &&(String, bool)| !before.whens.contains(when);
        let is_gone = |when: &&(String, bool)| !after.whens.contains(when);
        words.extend(before.whens.iter().filter(is_gone).map(|(when, _)| format!("no stop {}", text::safe(when))));
        words.extend(after.whens.iter().filter(is_new).map(|(when, is_on)| {
            format!("{} {}", if *is_on { "a stop" } else { "off is the stop" }, text::safe(when))
        }));
    }
    if before.break_mode != after.break_mode {
        words.push(format!("c stops {}", after.break_mode.words()));
    }
    let line = |bookmark: &Bookmark| match bookmark {
        Bookmark::Line { path, .. } => bookmark.name(path.parent().unwrap_or(path)),
        Bookmark::Row { .. } => bookmark.name("".as_ref()),
    };
    let gone = before.bookmarks.iter().filter(|one| !after.bookmarks.contains(one));
    words.extend(gone.map(|one| format!("no bookmark at {}", line(one))));
    let new = after.bookmarks.iter().filter(|one| !before.bookmarks.contains(one));
    words.extend(new.map(|one| format!("a bookmark at {}", line(one))));
    if words.is_empty() { "what is no longer there".into() } else { words.join("; ") }
}
