//! Settling a deploy that was cut off: each open deed is found before, after or neither, and what lies about is removed.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Deploy, StateError, StateFolder, now};
use crate::graph::ResourceId;
use crate::host::journal::{self, End, Ending, Inverse, Journal, Journalled, Record, Settled};
use crate::host::{About, HostError};

/// What to do where somebody else changed what we were about to change, or changed it after us.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum OnConflict {
    /// Change nothing, and say what differs.
    #[default]
    Stop,
    /// Leave theirs.
    Keep,
    /// Put back what was there before us.
    Restore,
}

/// What was found of a deed that was cut off.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    pub resource: ResourceId,
    pub words: String,
    pub settled: Settled,
}

/// What settling a deploy gave.
#[derive(Clone, Debug)]
pub struct Recovered {
    /// As it stands now.
    pub deploy: Deploy,
    pub found: Vec<Found>,
    /// Whether it is settled; a conflict leaves it as it was.
    pub settled: bool,
}

/// Settles a deploy. Only under the lock.
pub fn recover(state: &StateFolder, deploy: u64, on_conflict: OnConflict) -> Result<Recovered, StateError> {
    let path = state.journal(deploy);
    let (journal, records, fault) = Journal::reopen(&path).map_err(|errno| HostError::io("open", &path, errno))?;
    let journal = Arc::new(journal);
    let blobs = Arc::new(state.blobs()?);
    blobs.tidy().map_err(|errno| HostError::io("tidy", blobs.path(), errno))?;
    let why = fault.as_ref().map_or_else(|| "it is empty".to_owned(), ToString::to_string);
    // A torn end is what a crash leaves. It was taken away, and nothing that was acknowledged went with it.
    let Some(cut) = Deploy::from_records(records, None) else {
        return discard(&path, deploy, why);
    };
    let host = Journalled::new(cut.begin.tag.clone(), Arc::clone(&journal), blobs);
    let (mut found, mut tidy) = (Vec::new(), BTreeSet::new());
    for step in cut.open_steps() {
        let settled = host.settle(&cut.begin.tag, &step.intent, &mut tidy)?;
        found.push((step, settled));
    }
    let told = found.iter().map(|(step, settled)| Found {
        resource: step.intent.resource.clone(),
        words: step.intent.deed.words(),
        settled: *settled,
    });
    let told: Vec<Found> = told.collect();
    let is_conflict = told.iter().any(|found| found.settled == Settled::Neither);
    if is_conflict && on_conflict == OnConflict::Stop {
        return Ok(Recovered { deploy: cut, found: told, settled: false });
    }
    for (step, settled) in &found {
        let mut settled = *settled;
        if settled == Settled::Neither && on_conflict == OnConflict::Restore {
            let Inverse::Reversible(back) = Inverse::of(&step.intent) else { continue };
            let about = About { resource: &step.intent.resource, secret: step.is_secret() };
            host.take_back_theirs(about, &back, (deploy, step.number))?;
            settled = Settled::Before;
        }
        let record = Record::Settled { intent: step.number, found: settled };
        journal.append(&[record]).map_err(|errno| HostError::journal("settle", errno))?;
    }
    let end = End { time: now(), how: Ending::CutOff, ..counts(&cut) };
    journal.write(Record::End(end)).map_err(|errno| HostError::journal("end", errno))?;
    let bytes = journal::read(&path).map_err(|errno| HostError::io("read", &path, errno))?;
    let (records, _) = journal::records(&bytes);
    let deploy = Deploy::from_records(records, None).unwrap_or(cut);
    Ok(Recovered { deploy, found: told, settled: true })
}

/// A journal that was cut off before its first entry has done nothing, so it is no deploy.
fn discard(path: &std::path::Path, deploy: u64, why: String) -> Result<Recovered, StateError> {
    let length = std::fs::metadata(path).map(|meta| meta.len()).unwrap_or(u64::MAX);
    if length > journal::EMPTY {
        return Err(StateError::Damaged { deploy, why });
    }
    std::fs::remove_file(path).map_err(|error| HostError::std("remove", path, &error))?;
    Err(StateError::NoDeploy(deploy))
}

fn counts(deploy: &Deploy) -> End {
    let count = |state: &str| deploy.outcomes.iter().filter(|outcome| outcome.state == state).count() as u64;
    let is_change = |action: &str| !matches!(action, "" | "none");
    let changed = deploy.outcomes.iter().filter(|outcome| outcome.state == "done" && is_change(&outcome.action));
    End {
        done: count("done"),
        changed: changed.count() as u64,
        failed: count("failed"),
        skipped: count("skipped"),
        blocked: count("blocked"),
        ..End::default()
    }
}
