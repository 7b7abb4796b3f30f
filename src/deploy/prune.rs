//! Deletes old deploys: first their journals, oldest first, then the stored contents that no journal refers to.

use std::collections::BTreeSet;

use super::{Deploy, History, StateError, StateFolder};
use crate::host::HostError;
use crate::host::journal::{self, Blobs, Deed, Digest, Entry, Image, Purpose, Tree};

/// The deleted data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    pub deploys: u64,
    /// The number and size of the deleted contents.
    pub contents: u64,
    pub bytes: u64,
}

/// Returns the deploys that would be deleted, oldest first: all but the newest `keep` and the deploys that these
/// resumed.
pub fn prunable(history: &History, keep: usize) -> Result<Vec<u64>, StateError> {
    let mut numbers = history.numbers()?;
    if numbers.len() <= keep {
        return Ok(Vec::new());
    }
    // The newest deploy may be interrupted. Recovery needs its journal.
    let mut kept = numbers.split_off(numbers.len().saturating_sub(keep.max(1)));
    while let Some(deploy) = kept.pop() {
        if let Some(Purpose::Resume { deploy }) = history.summary(deploy)?.begin.map(|begin| begin.purpose) {
            // Keep every later deploy too, so that the chain has no gaps.
            let at = numbers.partition_point(|number| *number < deploy);
            kept.extend(numbers.split_off(at));
        }
    }
    Ok(numbers)
}

/// Deletes what the settings call old, before a new deploy begins. Requires the lock.
///
/// A damaged deploy that stays prevents the deletion. That must not prevent the apply.
pub fn make_room(state: &StateFolder, kept: Option<usize>) {
    let Some(keep) = kept.map(|kept| kept.saturating_sub(1)) else { return };
    if prunable(&History::new(state), keep).is_ok_and(|gone| !gone.is_empty()) {
        let _ = prune(state, keep);
    }
}

/// Deletes all but the newest deploys. Requires the lock.
///
/// If this is interrupted, the rest is consistent: a shorter history, and perhaps unused contents, which the next call
/// deletes.
pub fn prune(state: &StateFolder, keep: usize) -> Result<Pruned, StateError> {
    let history = History::new(state);
    let gone = prunable(&history, keep)?;
    let mut pruned = Pruned { deploys: gone.len() as u64, ..Pruned::default() };
    // Reads the remaining deploys first. If one is damaged, nothing is deleted.
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
        // The copy of a damaged journal. Most deploys have none.
        let _ = rustix::fs::unlink(path.with_extension("journal.damaged"));
    }
    let folder = state.deploys();
    journal::sync_folder(&folder.join("x")).map_err(|errno| HostError::io("sync", &folder, errno))?;
    (pruned.contents, pruned.bytes) =
        blobs.keep_only(&needed).map_err(|errno| HostError::io("tidy", blobs.path(), errno))?;
    Ok(pruned)
}

/// Collects the contents that a deploy refers to.
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

/// Reads the entries below a folder.
fn entries(list: &Digest, blobs: &Blobs) -> Result<Vec<Entry>, StateError> {
    let failed = |errno| HostError::io("read a list in", blobs.path(), errno);
    let text = blobs.read(list).map_err(failed)?;
    serde_json::from_slice(&text).map_err(|_| failed(rustix::io::Errno::BADMSG).into())
}
