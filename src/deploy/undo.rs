//! Taking a deploy back: newest deed first, each as a journalled deed of its own, nothing guessed.
//!
//! A deed is taken back where the machine still is as the deed left it. *Already*: it is as before, so nothing is done.
//! *Conflict*: it is neither, so somebody else has been there; nothing at all is done unless the user chose.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{Deploy, StateError, Step};
use crate::graph::ResourceId;
use crate::host::HostError;
use crate::host::journal::{Back, Blobs, Deed, Depth, Image, Inverse, Settled, Tree, look};

/// One deed to take back.
#[derive(Clone, Debug, PartialEq)]
pub struct UndoStep {
    pub deploy: u64,
    pub number: u64,
    pub resource: ResourceId,
    /// What the deed did.
    pub words: String,
    /// What lies there now must leave no trace.
    pub is_secret: bool,
    pub verdict: Verdict,
}

/// What can be done about a deed.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    Ready(Back),
    /// Ready, but something stays behind.
    Partly(Back, String),
    /// It is as it was before.
    Already,
    /// Somebody else changed it since; what would put it back, where that is known.
    Conflict {
        why: String,
        back: Option<Back>,
    },
    /// There is no way back, and why.
    Lost(String),
}

/// Looks at the machine, and says for each deed of some deploys, newest first, how it can be taken back.
pub fn plan_undo(deploys: &[Deploy], blobs: &Blobs) -> Result<Vec<UndoStep>, StateError> {
    let mut planner = Planner { now: BTreeMap::new(), blobs };
    let mut steps = Vec::new();
    for (at, deploy) in deploys.iter().enumerate() {
        // What was gone on with did not stand in the way of that.
        let is_theirs = |step: &Step| at == 0 && step.settled == Some(Settled::Neither);
        let may_be_done = |step: &&Step| step.was_done() || step.is_open() || step.is_in_doubt() || is_theirs(step);
        for step in deploy.steps.iter().rev().filter(may_be_done) {
            steps.push(UndoStep {
                deploy: deploy.begin.deploy,
                number: step.number,
                resource: step.intent.resource.clone(),
                words: step.intent.deed.words(),
                is_secret: step.is_secret(),
                verdict: planner.verdict(step)?,
            });
        }
    }
    Ok(steps)
}

struct Planner<'a> {
    /// What will lie at each path when the steps planned so far are done.
    now: BTreeMap<PathBuf, Image>,
    blobs: &'a Blobs,
}

impl Planner<'_> {
    fn verdict(&mut self, step: &Step) -> Result<Verdict, HostError> {
        let inverse = Inverse::of(&step.intent);
        let Some(path) = step.intent.deed.path() else {
            return Ok(match inverse {
                Inverse::Reversible(back) => Verdict::Ready(back),
                Inverse::Compensable(back, why) => Verdict::Partly(back, why),
                Inverse::None(why) => Verdict::Lost(why),
            });
        };
        let now = match self.now.get(path) {
            Some(now) => now.clone(),
            None => look(path, Depth::Hash, self.blobs)?,
        };
        let before = &step.intent.before;
        if before.agrees(&now) && !is_unread(before) {
            return Ok(Verdict::Already);
        }
        let back = match inverse {
            Inverse::Reversible(back) => back,
            Inverse::Compensable(back, _) => back,
            Inverse::None(why) => return Ok(Verdict::Lost(why)),
        };
        let conflict = match &step.after {
            Some(after) if !after.agrees(&now) => {
                Some(format!("{} is there now, not what was left there", now.words()))
            }
            None if step.settled == Some(Settled::Neither) => {
                Some(format!("{} is there now, neither what was there before nor what was to be", now.words()))
            }
            _ => self.foreign_below(step, path, &now)?,
        };
        if let Some(why) = conflict {
            return Ok(Verdict::Conflict { why, back: Some(back) });
        }
        self.now.insert(path.into(), before.clone());
        Ok(Verdict::Ready(back))
    }

    /// A folder that goes must hold nothing that others put there.
    fn foreign_below(&self, step: &Step, path: &Path, now: &Image) -> Result<Option<String>, HostError> {
        let goes = !matches!(step.intent.before, Image::Dir { .. });
        if !goes || !matches!(now, Image::Dir { .. }) {
            return Ok(None);
        }
        if let Deed::PutBack { image: Image::Dir { tree: Some(Tree::Kept { list, .. }), .. }, .. } = &step.intent.deed {
            let same = match look(path, Depth::Tree, self.blobs)? {
                Image::Dir { tree: Some(Tree::Kept { list: there, .. }), .. } => there == *list,
                _ => false,
            };
            return Ok((!same).then(|| "what is in it has changed since".into()));
        }
        let entries = std::fs::read_dir(path).map_err(|error| HostError::std("list", path, &error))?;
        for entry in entries.filter_map(Result::ok) {
            let below = entry.path();
            if self.now.get(&below) != Some(&Image::Absent) {
                return Ok(Some(format!("{} was put into it since", below.display())));
            }
        }
        Ok(None)
    }
}

/// Whether nothing is known of a content that counts, so that "as before" would be a guess.
fn is_unread(image: &Image) -> bool {
    use crate::host::journal::Content;
    matches!(image, Image::File { content: Content::Secret | Content::Lost(_), .. })
}
