//! Performs a group of disk-bound turns: all are checked, then each wave of operations becomes durable at once.
//!
//! A kind with such turns performs operations in order and nothing else. Of turns with several operations, all perform
//! the first one, then the remaining ones perform the second. Each operation sees the effects of its own turn's earlier
//! ones.

mod in_order;

use std::panic::AssertUnwindSafe;

use crate::graph::Params;
use crate::host::{Batch, Host, HostError, Operation, each};
use crate::resource::Checked;

use super::{Looked, Outcome, Prepared, TurnInput, attempt, bug, caught, in_full, look, prepare, still_differs};

pub(in crate::engine) use in_order::attempt_in_order;

/// The number of checks before it is asked again whether there is room for more.
const CHUNK: usize = 128;

/// The size limit of pending contents. When it is reached, the checked turns are performed first.
const CONTENT: usize = 64 << 20;

/// A turn of the group.
struct One<'a> {
    given: &'a TurnInput<'a>,
    prepared: Option<Prepared<'a>>,
    /// The work to do, after the check.
    seen: Option<Box<Checked>>,
    /// The outcome, or the expected outcome if all goes well.
    outcome: Option<Outcome>,
}

/// Performs one attempt for each of several turns on unrelated paths.
pub(in crate::engine) fn attempt_all(host: &dyn Host, givens: &[TurnInput]) -> Vec<Outcome> {
    let mut outcomes = Vec::with_capacity(givens.len());
    while outcomes.len() < givens.len() {
        let rest = &givens[outcomes.len()..];
        match host.batch() {
            Some(batch) if rest.len() > 1 => outcomes.extend(some(host, &*batch, rest)),
            _ => outcomes.extend(rest.iter().map(|given| attempt(host, given))),
        }
    }
    outcomes
}

/// Performs as many of the turns as there is room for, at least one.
fn some(host: &dyn Host, batch: &dyn Batch, givens: &[TurnInput]) -> Vec<Outcome> {
    let mut ones: Vec<One> = Vec::new();
    let mut content = 0;
    for chunk in givens.chunks(CHUNK) {
        let begin = ones.len();
        ones.extend(chunk.iter().map(|given| One { given, prepared: None, seen: None, outcome: None }));
        each(&mut ones[begin..], |one| one.look(host, batch));
        content += ones[begin..].iter().map(One::content).sum::<usize>();
        if content > CONTENT || !batch.has_room() {
            break;
        }
    }
    let waves = ones.iter().map(|one| one.operations().len()).max().unwrap_or(0);
    (0..waves).for_each(|wave| perform(batch, &mut ones, wave));
    each(&mut ones, |one| one.look_again(host, batch));
    ones.into_iter().map(|one| one.outcome.unwrap_or_else(|| Outcome::unreached(String::new()))).collect()
}

/// Performs the n-th operation of all turns that have one and have not failed.
fn perform(batch: &dyn Batch, ones: &mut [One], wave: usize) {
    let due: Vec<usize> = (0..ones.len()).filter(|at| ones[*at].operations().get(wave).is_some()).collect();
    let operations: Vec<_> = due
        .iter()
        .filter_map(|at| Some((ones[*at].prepared.as_ref()?.about(), ones[*at].operations().get(wave)?)))
        .collect();
    let done = std::panic::catch_unwind(AssertUnwindSafe(|| batch.perform(&operations)))
        .unwrap_or_else(|panic| vec![Err(HostError::Refused(bug(&*panic))); due.len()]);
    for (at, done) in due.into_iter().zip(done) {
        if let Err(error) = done {
            ones[at].fail(error);
        }
    }
}

impl One<'_> {
    fn operations(&self) -> &[Operation] {
        self.seen.as_ref().map_or(&[], |seen| &seen.operations)
    }

    fn content(&self) -> usize {
        let size = |operation: &Operation| match operation {
            Operation::WriteFile { image, .. } => image.content.as_ref().map_or(0, |content| content.len()),
            _ => 0,
        };
        self.operations().iter().map(size).sum()
    }

    fn look(&mut self, host: &dyn Host, batch: &dyn Batch) {
        let mut seen = None;
        let outcome = caught(|| {
            let prepared = match prepare(host, self.given) {
                Ok(prepared) => self.prepared.insert(prepared),
                Err(outcome) => return *outcome,
            };
            match look(host, prepared, &*batch.turn_of(prepared.about())) {
                Looked::Over(outcome) => prepared.ended(host, *outcome),
                Looked::Differs(differs, outcome) => {
                    seen = Some(differs);
                    *outcome
                }
            }
        });
        (self.seen, self.outcome) = (seen, Some(outcome));
    }

    fn fail(&mut self, error: HostError) {
        self.seen = None;
        self.outcome = self.outcome.take().map(|outcome| self.failed(outcome, error));
    }

    /// Returns the outcome of a turn whose operation failed.
    fn failed(&self, outcome: Outcome, error: HostError) -> Outcome {
        // Another program changed it too.
        let changed = matches!(error, HostError::Moved { .. });
        let error = in_full(self.given, error).to_string();
        let error = self.prepared.as_ref().map_or(error.clone(), |prepared| prepared.secrets.hide(&error));
        Outcome { changed, error: Some(error), may_be_tried_again: true, ..outcome }
    }

    /// Ends a turn that has performed operations.
    fn look_again(&mut self, host: &dyn Host, batch: &dyn Batch) {
        let (Some(seen), Some(prepared)) = (self.seen.take(), &self.prepared) else { return };
        self.outcome = self.outcome.take().map(|outcome| prepared.looked_again(host, batch, seen.sends, outcome));
    }
}

impl Prepared<'_> {
    fn looked_again(&self, host: &dyn Host, batch: &dyn Batch, sends: Params, outcome: Outcome) -> Outcome {
        caught(|| {
            let mut outcome = Outcome { sends, changed: true, ..outcome };
            if self.kind.converges() {
                outcome.error = still_differs(&*batch.turn_of(self.about()), &self.turn(), self.kind);
            }
            self.ended(host, outcome)
        })
    }
}
