//! Performs a sequence of disk-bound turns: all are checked first, and their preparations are written together.

use std::panic::AssertUnwindSafe;

use super::super::{Outcome, TurnInput, attempt, bug};
use super::{CONTENT, One};
use crate::host::{About, Ahead, Batch, Host, HostError, Operation, each, is_batchable};

/// Performs turns in order, as many as can be prepared together and at least one. No turn changes what another one
/// checks. `turn` is called for each with a function that performs it, and returns whether to continue.
pub(in crate::engine) fn attempt_in_order(
    host: &dyn Host,
    givens: &[TurnInput],
    turn: &mut dyn FnMut(usize, &mut dyn FnMut() -> Outcome) -> bool,
) {
    match host.batch().filter(|_| givens.len() > 1) {
        Some(batch) => looked_ahead(host, &*batch, givens, turn),
        None => {
            turn(0, &mut || attempt(host, &givens[0]));
        }
    }
}

fn looked_ahead(
    host: &dyn Host,
    batch: &dyn Batch,
    givens: &[TurnInput],
    turn: &mut dyn FnMut(usize, &mut dyn FnMut() -> Outcome) -> bool,
) {
    let new = |given| One { given, prepared: None, seen: None, outcome: None };
    let mut ones: Vec<One> = givens.iter().map(new).collect();
    each(&mut ones, |one| one.look(host, batch));
    let mut outcomes: Vec<Option<Outcome>> = ones.iter_mut().map(|one| one.outcome.take()).collect();
    let fit = fit(&ones, &outcomes);
    if fit == 0 {
        turn(0, &mut || attempt(host, &givens[0]));
        return;
    }
    let operations: Vec<_> = ones[..fit].iter().filter_map(One::operation).collect();
    let mut ahead = batch.ahead(&operations);
    for (at, (one, outcome)) in ones[..fit].iter().zip(&mut outcomes).enumerate() {
        let mut take = || {
            let outcome = outcome.take().unwrap_or_else(|| Outcome::unreached(String::new()));
            one.follow(host, batch, &mut *ahead, outcome)
        };
        if !turn(at, &mut take) {
            return;
        }
    }
}

/// Returns how many turns can be prepared together: each has at most one operation, and only the last may be known to
/// fail.
fn fit(ones: &[One], outcomes: &[Option<Outcome>]) -> usize {
    let (mut fit, mut content) = (0, 0);
    for (one, outcome) in ones.iter().zip(outcomes) {
        content += one.content();
        let is_simple = one.operations().len() <= 1 && one.operations().iter().all(is_batchable);
        if !is_simple || content > CONTENT {
            break;
        }
        fit += 1;
        if outcome.as_ref().is_none_or(|outcome| outcome.error.is_some() || outcome.is_left) {
            break;
        }
    }
    fit
}

impl One<'_> {
    fn operation(&self) -> Option<(About<'_>, &Operation)> {
        Some((self.prepared.as_ref()?.about(), self.operations().first()?))
    }

    /// Performs the operation, and checks again.
    fn follow(&self, host: &dyn Host, batch: &dyn Batch, ahead: &mut dyn Ahead, outcome: Outcome) -> Outcome {
        let (Some(seen), Some(prepared)) = (&self.seen, &self.prepared) else { return outcome };
        if seen.operations.is_empty() {
            return prepared.looked_again(host, batch, seen.sends.clone(), outcome);
        }
        let done = std::panic::catch_unwind(AssertUnwindSafe(|| ahead.perform()));
        match done.unwrap_or_else(|panic| Err(HostError::Refused(bug(&*panic)))) {
            Ok(()) => prepared.looked_again(host, batch, seen.sends.clone(), outcome),
            Err(error) => self.failed(outcome, error),
        }
    }
}
