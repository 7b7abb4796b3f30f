//! Forgetting old deploys: their journals go, oldest first, then the contents that no journal speaks of any more.

use std::collections::BTreeSet;

use super::{Deploy, History, StateError, StateFolder};
use crate::host::HostError;
use crate::host::journal::{self, Blobs, Deed, Digest, Entry, Image, Purpose, Tree};

/// What was forgotten.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    pub deploys: u64,
    /// Kept contents, and how large they were.
    pub contents: u64,
    pub bytes: u64,
}

/// The deploys that would be forgotten, oldest first: all but the newest `keep`, and those that one of these goes on with.
pub fn prunable(history: &History, keep: usize) -> Result<Vec<u64>, StateError> {
    let mut numbers = history.numbers()?;
    if numbers.len() <= keep {
        return Ok(Vec::new());
    }
    // The newest may be cut off, and is needed to settle that.
    let mut kept = numbers.split_off(numbers.len().saturating_sub(keep.max(1)));
    while let Some(deploy) = kept.pop() {
        if let Some(Purpose::Resume { deploy }) = history.summary(deploy)?.begin.map(|begin| begin.purpose) {
            // All from there on stay: the chain has no gaps.
            let at = numbers.partition_point(|number| *number < deploy);
            kept.extend(numbers.split_off(at));
        }
    }
    Ok(numbers)
}

/// Forgets what the settings say is old, before one more begins. Only under the lock.
///
/// What cannot be forgotten now, because one that stays is damaged, is no reason to apply nothing.
pub fn make_room(state: &StateFolder, kept: Option<usize>) {
    let Some(keep) = kept.map(|kept| kept.saturating_sub(1)) else { return };
    if prunable(&History::new(state), keep).is_ok_and(|gone| !gone.is_empty()) {
        let _ = prune(state, keep);
    }
}

/// Forgets all but the newest deploys. Only under the lock.
///
/// Wherever it is cut off, what is left is whole: a shorter history, and perhaps contents that nobody needs, which the
/// next time removes.
pub fn prune(state: &StateFolder, keep: usize) -> Result<Pruned, StateError> {
    let history = History::new(state);
    let gone = prunable(&history, keep)?;
    let mut pruned = Pruned { deploys: gone.len() as u64, ..Pruned::default() };
    // What stays is read first: where one of them is damaged, nothing is forgotten.
    let blobs = state.blobs()?;
    let mut needed = BTreeSet::new();
    for deploy in history.numbers()?.into_iter().filter(|deploy| !gone.contains(deploy)) {
        let read = history.read(deploy)?;
        if let Some(fault) = &read.fault {
            return Err(StateError::Damaged { deploy, why: fault.to_string() });
        }
        need_all(&read, &blobs, &mut needed)?;
    }
    for deploy in gone {
        let path = state.journal(deploy);
        rustix::fs::unlink(&path).map_err(|errno| HostError::io("remove", &path, errno))?;
        // Kept where it was found damaged; most never were.
        let _ = rustix::fs::unlink(path.with_extension("journal.damaged"));
    }
    let folder = state.deploys();
    journal::sync_folder(&folder.join("x")).map_err(|errno| HostError::io("sync", &folder, errno))?;
    (pruned.contents, pruned.bytes) =
        blobs.keep_only(&needed).map_err(|errno| HostError::io("tidy", blobs.path(), errno))?;
    Ok(pruned)
}

/// Notes the contents that a deploy rests on.
fn need_all(deploy: &Deploy, blobs: &Blobs, needed: &mut BTreeSet<String>) -> Result<(), StateError> {
    for step in &deploy.steps {
        need(&step.intent.before, blobs, needed)?;
        if let Deed::PutBack { image, .. } = &step.intent.deed {
            need(image, blobs, needed)?;
        }
        step.after.iter().try_for_each(|after| need(after, blobs, needed))?;
    }
    Ok(())
}

fn need(image: &Image, blobs: &Blobs, needed: &mut BTreeSet<String>) -> Result<(), StateError> {
    for digest in image.digests() {
        if !needed.insert(digest.sha256.clone()) {
            continue;
        }
        if matches!(image, Image::Dir { tree: Some(Tree::Kept { .. }), .. }) {
            for entry in entries(digest, blobs)? {
                need(&entry.image, blobs, needed)?;
            }
        }
    }
    Ok(())
}

/// What was below a folder.
fn entries(list: &Digest, blobs: &Blobs) -> Result<Vec<Entry>, StateError> {
    let failed = |errno| HostError::io("read a list in", blobs.path(), errno);
    let text = blobs.read(list).map_err(failed)?;
    serde_json::from_slice(&text).map_err(|_| failed(rustix::io::Errno::BADMSG).into())
}
