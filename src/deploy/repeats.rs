//! A run that fails in the same way again and again is one deploy of the history, with how often it was tried.
//!
//! Each try is written down like any other, for a crash may come at any time. Once it has ended, and ended as the one before
//! it did, it goes again, and the one before it counts. The count is written down at its powers of two and at the end of
//! the run, so that a service that is down for a month costs the history a few lines. A try that was stopped before it came to
//! anything goes too. What changed the machine never goes.

use std::sync::{Mutex, PoisonError};

use super::{Deploy, History, StateError, StateFolder, now};
use crate::host::HostError;
use crate::host::journal::{self, Begin, Deed, Ending, Journal, Outcome, Record};
use crate::source::headline;

/// The failure that is tried again, as long as a run lives.
#[derive(Debug, Default)]
pub struct Repeats(Mutex<Option<Repeated>>);

#[derive(Clone, Copy, Debug)]
struct Repeated {
    deploy: u64,
    again: u64,
    is_written: bool,
}

impl Repeats {
    /// Takes the newest deploy out of the history where it failed as the one before it did.
    pub fn fold(&self, state: &StateFolder, deploy: u64) -> Result<(), StateError> {
        let history = History::new(state);
        let Some(before) = history.numbers()?.into_iter().rev().find(|number| *number < deploy) else { return Ok(()) };
        // Most of what came before is told apart by its first and last entry.
        let (summary, newest) = (history.summary(before)?, history.summary(deploy)?);
        let failed = |end: &Option<journal::End>| end.as_ref().map(|end| (end.failed, end.changed, end.done));
        if failed(&summary.end) != failed(&newest.end) {
            return Ok(());
        }
        let (one, other) = (history.read(before)?, history.read(deploy)?);
        if !is_again(&one, &other) {
            return Ok(());
        }
        remove(state, deploy)?;
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let written = one.end.as_ref().map_or(0, |end| end.again);
        let again = known.filter(|known| known.deploy == before).map_or(written, |known| known.again) + 1;
        let is_written = again.is_power_of_two();
        *known = Some(Repeated { deploy: before, again, is_written });
        if is_written { write(state, before, again) } else { Ok(()) }
    }

    /// Takes the newest deploy out of the history where it is a try of a failure that was stopped before it came to anything.
    ///
    /// One that began what the failure does not tell of stays: a command may have done something before it was stopped.
    pub fn drop_stopped(&self, state: &StateFolder, deploy: u64) -> Result<(), StateError> {
        let known = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(Repeated { deploy: before, .. }) = known else { return Ok(()) };
        let history = History::new(state);
        if history.last()? != Some(deploy) {
            return Ok(());
        }
        let (one, other) = (history.read(before)?, history.read(deploy)?);
        let told: Vec<_> = one.steps.iter().map(|step| &step.intent).collect();
        let is_told = |step: &super::Step| left_nothing(step) && told.contains(&&step.intent);
        if other.fault.is_none() && who(&one.begin) == who(&other.begin) && other.steps.iter().all(is_told) {
            remove(state, deploy)?;
        }
        Ok(())
    }

    /// Writes the count down, where the failure is still the newest that there is. Only under the lock.
    pub fn settle(&self, state: &StateFolder) -> Result<(), StateError> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match known.take() {
            Some(Repeated { deploy, again, is_written: false }) if History::new(state).last()? == Some(deploy) => {
                write(state, deploy, again)
            }
            _ => Ok(()),
        }
    }
}

fn remove(state: &StateFolder, deploy: u64) -> Result<(), StateError> {
    let path = state.journal(deploy);
    rustix::fs::unlink(&path).map_err(|errno| HostError::io("remove", &path, errno))?;
    // The next one names how the one before it ended.
    Ok(journal::sync_folder(&path).map_err(|errno| HostError::io("sync", &path, errno))?)
}

fn write(state: &StateFolder, deploy: u64, again: u64) -> Result<(), StateError> {
    let path = state.journal(deploy);
    let failed = |errno| HostError::io("count in", &path, errno);
    let (journal, records, _) = Journal::reopen(&path).map_err(failed)?;
    let Some(Record::End(end)) = records.into_iter().next_back() else { return Ok(()) };
    journal.write(Record::End(journal::End { again, time: now(), ..end })).map_err(failed)?;
    Ok(())
}

fn left_nothing(step: &super::Step) -> bool {
    match step.intent.deed {
        Deed::Command { .. } => !step.is_open(),
        _ => step.error.is_some() && step.after.is_none() && step.settled.is_none(),
    }
}

/// Whose deploy it is, and of what, whenever it was.
fn who(begin: &Begin) -> Begin {
    let (deploy, tag, time, plan, previous) = Default::default();
    Begin { deploy, tag, time, plan, previous, ..begin.clone() }
}

/// Whether a deploy failed as another did, and neither changed anything.
fn is_again(one: &Deploy, other: &Deploy) -> bool {
    let is_idle = |deploy: &Deploy| {
        let finished = deploy.end.as_ref().is_some_and(|end| end.how == Ending::Finished && end.changed == 0);
        finished && deploy.fault.is_none() && deploy.steps.iter().all(left_nothing)
    };
    let outcome = |outcome: &Outcome| {
        let error = outcome.error.as_deref().map(|error| gist(headline(error)));
        Outcome { error, note: gist(&outcome.note), elapsed_ms: 0, ..outcome.clone() }
    };
    let same = |ones: &[Outcome], others: &[Outcome]| ones.iter().map(outcome).eq(others.iter().map(outcome));
    let deed = |step: &super::Step| (step.intent.clone(), step.error.as_deref().map(gist));
    is_idle(one)
        && is_idle(other)
        && who(&one.begin) == who(&other.begin)
        && same(&one.outcomes, &other.outcomes)
        && one.steps.iter().map(deed).eq(other.steps.iter().map(deed))
}

/// What is said, without words that hold a digit: a port, a time, a hash or the name of a temporary file that differs makes
/// no other failure.
fn gist(words: &str) -> String {
    let has_digit = |word: &&str| word.contains(|c: char| c.is_ascii_digit());
    words.split(|c: char| !c.is_alphanumeric()).filter(|word| !has_digit(word)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::gist;

    #[test]
    fn what_differs_from_try_to_try_is_left_out() {
        for (one, other) in [
            ("cannot connect to 127.0.0.1:4711", "cannot connect to 127.0.0.1:80"),
            ("no lease 5e0f77ab-90cd", "no lease 77aa01bc-1234"),
            ("cannot write /tmp/tmp.Xy7z/out: no space", "cannot write /tmp/tmp.ab0C/out: no space"),
        ] {
            assert_eq!(gist(one), gist(other));
        }
        assert_ne!(gist("cannot write /srv/a"), gist("cannot write /srv/b"));
        assert_ne!(gist("refused"), gist("timed out"));
    }
}
