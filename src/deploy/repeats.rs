//! Folds repeated identical failures of a run into one deploy with a count.
//!
//! Each attempt gets a journal, because a crash may happen at any time. If it ends like the previous one, its journal
//! is deleted and the previous deploy's count goes up. The count is written at powers of two and at the end of the run,
//! so that a service that is down for a month adds only a few lines. An attempt that was stopped before any result is
//! deleted too. A deploy that changed the machine is never deleted.

use std::sync::{Mutex, PoisonError};

use super::{Deploy, History, StateError, StateFolder, now};
use crate::host::HostError;
use crate::host::journal::{self, Begin, Ending, Journal, LoggedOperation, Outcome, Record};
use crate::source::headline;

/// The repeated failure, for the lifetime of a run.
#[derive(Debug, Default)]
pub struct Repeats(Mutex<Option<Repeated>>);

#[derive(Clone, Copy, Debug)]
struct Repeated {
    deploy: u64,
    again: u64,
    is_written: bool,
}

impl Repeats {
    /// Deletes the newest deploy if it failed like the one before it.
    pub fn fold(&self, state: &StateFolder, deploy: u64) -> Result<(), StateError> {
        let history = History::new(state);
        let Some(before) = history.numbers()?.into_iter().rev().find(|number| *number < deploy) else { return Ok(()) };
        // The first and last entry usually show the difference.
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

    /// Deletes the newest deploy if it retries a failure and was stopped before any result.
    ///
    /// A deploy that began another resource than the failed ones stays: its command may have had effects.
    pub fn drop_stopped(&self, state: &StateFolder, deploy: u64) -> Result<(), StateError> {
        let known = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(Repeated { deploy: before, .. }) = known else { return Ok(()) };
        let history = History::new(state);
        if history.last()? != Some(deploy) {
            return Ok(());
        }
        let (one, other) = (history.read(before)?, history.read(deploy)?);
        let intents: Vec<_> = one.steps.iter().map(|step| &step.intent).collect();
        let is_known = |step: &super::Step| left_nothing(step) && intents.contains(&&step.intent);
        if other.fault.is_none() && who(&one.begin) == who(&other.begin) && other.steps.iter().all(is_known) {
            remove(state, deploy)?;
        }
        Ok(())
    }

    /// Writes the count, if the failure is still the newest deploy. Requires the lock.
    pub fn write_count(&self, state: &StateFolder) -> Result<(), StateError> {
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
    // The next journal names the hash of this end.
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
    match step.intent.operation {
        LoggedOperation::Command { .. } => !step.is_open(),
        _ => step.error.is_some() && step.after.is_none() && step.completion.is_none(),
    }
}

/// Returns the start of a deploy without its time, for comparison.
fn who(begin: &Begin) -> Begin {
    let (deploy, tag, time, plan, previous) = Default::default();
    Begin { deploy, tag, time, plan, previous, ..begin.clone() }
}

/// Whether two deploys failed in the same way and neither changed anything.
fn is_again(one: &Deploy, other: &Deploy) -> bool {
    let is_idle = |deploy: &Deploy| {
        let finished = deploy.end.as_ref().is_some_and(|end| end.how == Ending::Finished && end.changed == 0);
        finished && deploy.fault.is_none() && deploy.steps.iter().all(left_nothing)
    };
    let outcome = |outcome: &Outcome| {
        let error = outcome.error.as_deref().map(|error| gist(headline(error)));
        Outcome { error, note: gist(&outcome.note), elapsed_ms: 0, time: String::new(), ..outcome.clone() }
    };
    let same = |ones: &[Outcome], others: &[Outcome]| ones.iter().map(outcome).eq(others.iter().map(outcome));
    let attempt = |step: &super::Step| (step.intent.clone(), step.error.as_deref().map(gist));
    is_idle(one)
        && is_idle(other)
        && who(&one.begin) == who(&other.begin)
        && same(&one.outcomes, &other.outcomes)
        && one.steps.iter().map(attempt).eq(other.steps.iter().map(attempt))
}

/// Returns a message without the words that contain a digit: a port, a time, a hash or a temporary file name does not
/// make a different failure.
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
