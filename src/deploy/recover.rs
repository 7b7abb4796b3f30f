//! Recovers an interrupted deploy: compares each open operation with the machine, and removes temporary files.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use rustix::fs::{CWD, Mode, OFlags};

use serde::{Deserialize, Serialize};

use super::counts::counts;
use super::{Deploy, StateError, StateFolder, now};
use crate::graph::ResourceId;
use crate::host::journal::{self, Completion, End, Ending, Inverse, Journal, Journalled, Record, UndoTarget};
use crate::host::{About, HostError};

/// What to do if another program changed the target of an operation before or after us.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum OnConflict {
    /// Change nothing and report the difference.
    #[default]
    Stop,
    /// Keep the other program's change.
    Keep,
    /// Restore the state before the operation.
    Restore,
}

/// The finding about an interrupted operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    pub resource: ResourceId,
    pub words: String,
    pub completion: Completion,
}

/// The result of a recovery.
#[derive(Clone, Debug)]
pub struct Recovered {
    /// The deploy after recovery.
    pub deploy: Deploy,
    pub found: Vec<Finding>,
    /// Whether all operations are resolved. A conflict leaves them open.
    pub is_closed: bool,
}

/// Recovers a deploy. Requires the lock.
pub fn recover(state: &StateFolder, deploy: u64, on_conflict: OnConflict) -> Result<Recovered, StateError> {
    let path = state.journal(deploy);
    let bytes = read(&path)?;
    let damage = match shape(&bytes, &path, deploy)? {
        Shape::Torn => None,
        Shape::Damaged(why) => {
            keep_beside(&path, &bytes)?;
            Some(why)
        }
        Shape::Empty => {
            std::fs::remove_file(&path).map_err(|error| HostError::std("remove", &path, &error))?;
            return Err(StateError::NoDeploy(deploy));
        }
    };
    // A crash leaves a partial last entry. Cutting it off loses no acknowledged entry.
    let (journal, records, _) = Journal::reopen(&path).map_err(|errno| HostError::io("open", &path, errno))?;
    let journal = Arc::new(journal);
    let blobs = Arc::new(state.blobs()?);
    blobs.tidy().map_err(|errno| HostError::io("tidy", blobs.path(), errno))?;
    let Some(cut) = Deploy::from_records(records, None) else {
        let why = "it does not start like a journal".into();
        return Err(StateError::Headless { deploy, path, why });
    };
    let host = Journalled::new(cut.begin.tag.clone(), Arc::clone(&journal), blobs);
    let (mut found, mut tidy) = (Vec::new(), BTreeSet::new());
    for step in cut.open_steps() {
        let completion = host.recover_operation(&cut.begin.tag, &step.intent, &mut tidy)?;
        found.push((step, completion));
    }
    let findings = found.iter().map(|(step, completion)| Finding {
        resource: step.intent.resource.clone(),
        words: step.intent.operation.words(),
        completion: *completion,
    });
    let findings: Vec<Finding> = findings.collect();
    let is_conflict = findings.iter().any(|found| found.completion == Completion::Neither);
    if is_conflict && on_conflict == OnConflict::Stop {
        return Ok(Recovered { deploy: cut, found: findings, is_closed: false });
    }
    for (step, completion) in &found {
        let mut completion = *completion;
        if completion == Completion::Neither && on_conflict == OnConflict::Restore {
            let Inverse::Reversible(back) = Inverse::of(&step.intent) else { continue };
            let about = About { resource: &step.intent.resource, secret: step.is_secret() };
            let undoes = (deploy, step.number);
            host.undo_overwriting(&UndoTarget { about, back: &back, undoes, planned: None })?;
            completion = Completion::Before;
        }
        let record = Record::Resolved { intent: step.number, found: completion };
        journal.append(&[record]).map_err(|errno| HostError::journal("record", errno))?;
    }
    let end = End { time: now(), how: Ending::CutOff, damage, ..counts(&cut) };
    journal.write(Record::End(end)).map_err(|errno| HostError::journal("end", errno))?;
    let (records, _) = journal::records(&read(&path)?);
    let deploy = Deploy::from_records(records, None).unwrap_or(cut);
    Ok(Recovered { deploy, found: findings, is_closed: true })
}

/// The state of a journal without an end.
enum Shape {
    /// Complete, or with a partial last entry as after a crash.
    Torn,
    /// A bad entry is followed by complete ones.
    Damaged(String),
    /// Interrupted before its first entry. Nothing was done, so there is no deploy.
    Empty,
}

/// Whether entries of an interrupted deploy are lost, so that its operations are not all known.
pub fn has_lost(state: &StateFolder, deploy: u64) -> Result<bool, StateError> {
    let path = state.journal(deploy);
    Ok(matches!(shape(&read(&path)?, &path, deploy)?, Shape::Damaged(_)))
}

fn read(path: &Path) -> Result<Vec<u8>, HostError> {
    journal::read(path).map_err(|errno| HostError::io("read", path, errno))
}

/// Inspects a journal before its end is cut off.
fn shape(bytes: &[u8], path: &Path, deploy: u64) -> Result<Shape, StateError> {
    let (records, scan) = journal::records(bytes);
    let Some(fault) = scan.fault else { return Ok(if records.is_empty() { Shape::Empty } else { Shape::Torn }) };
    let why = fault.to_string();
    let has_more = journal::has_entries(&bytes[scan.good..]);
    match records.is_empty() {
        // A journal of another version is for that version to recover. A journal without its beginning is unreadable.
        is_lost if fault.why == journal::UNREADABLE || is_lost && has_more => {
            Err(StateError::Headless { deploy, path: path.into(), why })
        }
        true => Ok(Shape::Empty),
        false => Ok(if has_more { Shape::Damaged(why) } else { Shape::Torn }),
    }
}

/// Saves a copy of a damaged journal: the entries after the bad one may still help.
fn keep_beside(path: &Path, bytes: &[u8]) -> Result<(), HostError> {
    let aside = path.with_extension("journal.damaged");
    let failed = |error: std::io::Error| HostError::std("write", &aside, &error);
    let mut file = private(&aside).map_err(failed)?;
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(failed)?;
    journal::sync_folder(&aside).map_err(|errno| HostError::io("sync", &aside, errno))
}

/// Creates an empty file that only this user can read, replacing one of an earlier attempt.
fn private(path: &Path) -> std::io::Result<File> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(rustix::fs::openat(CWD, path, flags, Mode::RUSR | Mode::WUSR)?.into())
}
