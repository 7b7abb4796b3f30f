//! Plans and runs an undo: newest operation first, each journalled.
//!
//! An operation is undone if the machine is still as the operation left it. *Already*: the state is as before, so
//! nothing is done. *Conflict*: the state is neither, because a later deploy or another program changed it; nothing is
//! done until the user chooses. *Stays*: a folder that the deploy made and that now holds files of a command or of
//! another program. This needs no answer: the folder stays with these files, and the rest is deleted.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use super::since::Later;
use super::{Deploy, Since, StateError, Step};
use crate::graph::ResourceId;
use crate::host::journal::{
    Blobs, Completion, Depth, Digest, Image, Inverse, LoggedOperation, Tree, UndoAction, Undone, look,
};
use crate::host::{HostError, SystemChange};
use crate::plan::Action;
use crate::world::Cancel;

/// One operation to undo.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UndoStep {
    pub deploy: u64,
    pub number: u64,
    pub resource: ResourceId,
    /// Describes the operation.
    pub words: String,
    /// The current content is secret and must not be stored.
    pub is_secret: bool,
    /// The image expected when this step runs. If it differs, the step is skipped.
    pub planned: Option<Image>,
    pub verdict: Verdict,
    /// Its path is a file of workbench itself.
    #[serde(default)]
    pub is_own: bool,
}

/// Whether and how an operation can be undone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Ready(UndoAction),
    /// Ready, but something stays behind.
    Partly(UndoAction, String),
    /// The state is as before the operation.
    Already,
    /// It was changed since, by another program or by a later deploy. `back` restores it, if that is known.
    Conflict {
        why: String,
        back: Option<UndoAction>,
        /// The later deploy that changed it, if known.
        #[serde(default)]
        by: Option<u64>,
    },
    /// A folder that stays because it is not empty.
    Stays(String),
    /// A folder that is deleted with its content, at the user's request.
    Empties {
        why: String,
        back: UndoAction,
        /// The files in it that the deploy did not make.
        #[serde(default)]
        others: Others,
    },
    /// It cannot be undone, and why.
    Lost(String),
}

/// The files below a folder that the deploy did not make, by their paths below it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Others {
    names: Vec<String>,
    /// The number of files beyond those in `names`.
    more: usize,
}

impl Others {
    /// The largest number of names of one folder.
    const MOST: usize = 10_000;

    fn add(&mut self, name: String) {
        if self.names.len() < Self::MOST { self.names.push(name) } else { self.more += 1 }
    }

    /// `2 other files: a, mine/data`
    fn words(&self) -> String {
        let count = self.names.len() + self.more;
        let noun = if count == 1 { "file" } else { "files" };
        let more = if self.more > 0 { format!(" and {} more", self.more) } else { String::new() };
        format!("{count} other {noun}: {}{more}", self.names.join(", "))
    }
}

impl UndoStep {
    /// The action that undoes it, if there is one.
    fn back(&self) -> Option<&UndoAction> {
        match &self.verdict {
            Verdict::Ready(back) | Verdict::Partly(back, _) | Verdict::Empties { back, .. } => Some(back),
            Verdict::Conflict { back, .. } => back.as_ref(),
            Verdict::Already | Verdict::Stays(_) | Verdict::Lost(_) => None,
        }
    }

    /// Describes what an undo will do.
    pub fn will_words(&self) -> String {
        match (&self.verdict, self.back()) {
            (Verdict::Already, _) => format!("{}: already undone", self.resource),
            (Verdict::Conflict { why, .. }, _) => format!("{}: {why}", self.resource),
            (Verdict::Stays(why), _) => format!("{}: {why}", self.resource),
            (Verdict::Lost(why), _) => format!("{}: {why}", self.resource),
            (_, Some(_)) if self.is_own => format!("{}: delete what workbench saved for it", self.resource),
            (
                Verdict::Empties { others, .. },
                Some(UndoAction::RemoveFolder { path } | UndoAction::Restore { path, image: Image::Absent }),
            ) if !others.names.is_empty() => {
                format!("delete {} with {}", path.display(), others.words())
            }
            (_, Some(UndoAction::RemoveFolder { path } | UndoAction::Restore { path, image: Image::Absent })) => {
                format!("delete {}", path.display())
            }
            (_, Some(UndoAction::Restore { path, .. })) => format!("restore {}", path.display()),
            (_, Some(UndoAction::Attributes { path, .. })) => format!("restore mode and owner of {}", path.display()),
            (_, Some(UndoAction::System(changes))) if !changes.is_empty() => {
                let words: Vec<_> = changes.iter().map(SystemChange::words).collect();
                format!("{}: {}", self.resource, words.join(", "))
            }
            (_, Some(UndoAction::System(_)) | None) => format!("{}: undo \"{}\"", self.resource, self.words),
        }
    }

    /// The effect of the undo on the machine.
    pub fn back_action(&self) -> Action {
        match self.back() {
            Some(UndoAction::RemoveFolder { .. } | UndoAction::Restore { image: Image::Absent, .. }) => Action::Remove,
            Some(UndoAction::Restore { .. }) if self.planned == Some(Image::Absent) => Action::Create,
            Some(_) => Action::Change,
            None => Action::None,
        }
    }

    /// Whether it removes a folder of workbench's own state.
    pub fn removes_own_folder(&self) -> bool {
        self.is_own && matches!(self.back(), Some(UndoAction::RemoveFolder { .. }))
    }

    /// Describes the effect of the undo, for lists. [`Self::words`] describes the operation.
    pub fn back_words(&self) -> String {
        match self.back() {
            Some(_) if self.is_own => "deleted what workbench saved for it".into(),
            Some(UndoAction::RemoveFolder { path }) => format!("removed the folder {}", path.display()),
            Some(UndoAction::Restore { path, image: Image::Absent }) => format!("removed {}", path.display()),
            Some(UndoAction::Restore { path, image }) => {
                format!("restored {} at {}", image.words(), path.display())
            }
            Some(UndoAction::Attributes { path, .. }) => {
                format!("restored mode, owner and attributes of {}", path.display())
            }
            Some(UndoAction::System(_)) => format!("undid: {}", self.words),
            None => self.words.clone(),
        }
    }
}

/// What an undo will do, by outcome. Each resource is listed once, as the report and the history count it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UndoSummary {
    pub back: Vec<String>,
    pub already: Vec<String>,
    pub theirs: Vec<String>,
    pub stays: Vec<String>,
    pub lost: Vec<String>,
    /// Whether some operation can be undone only in part.
    pub is_partly: bool,
}

impl UndoSummary {
    /// Summarises a resource by its worst outcome, then by its oldest operation.
    pub fn of(steps: &[UndoStep]) -> Self {
        let fate = |step: &UndoStep| match &step.verdict {
            Verdict::Already => 0,
            Verdict::Ready(_) | Verdict::Empties { .. } | Verdict::Partly(..) => 1,
            Verdict::Conflict { .. } => 2,
            Verdict::Stays(_) => 3,
            Verdict::Lost(_) => 4,
        };
        // An operation on workbench's own files is listed only if the resource has no other operation.
        let acts: BTreeSet<_> = steps.iter().filter(|step| !step.is_own).map(|step| &step.resource).collect();
        let mut worst: BTreeMap<&ResourceId, (u8, usize)> = BTreeMap::new();
        let is_listed = |step: &UndoStep| !step.is_own || !acts.contains(&step.resource);
        for (at, step) in steps.iter().enumerate().filter(|(_, step)| is_listed(step)) {
            let worst = worst.entry(&step.resource).or_default();
            *worst = (fate(step), at).max(*worst);
        }
        let mut all: Vec<_> = worst.into_values().collect();
        all.sort_unstable_by_key(|(_, at)| *at);
        let in_part = |step: &&UndoStep| matches!(step.verdict, Verdict::Partly(..));
        let partly: BTreeSet<_> = steps.iter().filter(in_part).map(|step| &step.resource).collect();
        let mut summary = Self { is_partly: !partly.is_empty(), ..Self::default() };
        for (fate, at) in all {
            let Some(step) = steps.get(at) else { continue };
            let group = match fate {
                0 => &mut summary.already,
                1 => &mut summary.back,
                2 => &mut summary.theirs,
                3 => &mut summary.stays,
                _ => &mut summary.lost,
            };
            group.push(step.will_words() + if partly.contains(&step.resource) { " (partly)" } else { "" });
        }
        summary
    }

    /// Counts the resources by outcome, if nothing fails.
    pub fn counts(&self) -> Undone {
        let count = |names: &Vec<String>| names.len() as u64;
        Undone {
            back: count(&self.back),
            already: count(&self.already),
            kept: count(&self.theirs),
            stayed: count(&self.stays),
            lost: count(&self.lost),
            failed: 0,
        }
    }

    /// The headings with their resources, in the order of the report.
    pub fn groups(&self) -> Vec<(String, &[String])> {
        let groups = [
            (format!("Will undo {}:", self.back.len()), &self.back),
            (format!("{} cannot be undone:", self.lost.len()), &self.lost),
            (format!("{} kept because not empty:", self.stays.len()), &self.stays),
            (format!("{} changed since by someone else:", self.theirs.len()), &self.theirs),
            (format!("{} already undone:", self.already.len()), &self.already),
        ];
        groups
            .into_iter()
            .filter(|(_, names)| !names.is_empty())
            .map(|(heading, names)| (heading, &names[..]))
            .collect()
    }

    /// Whether an undo does nothing and has nothing to report.
    pub fn is_idle(&self) -> bool {
        [&self.back, &self.already, &self.theirs, &self.stays].into_iter().all(Vec::is_empty)
    }
}

/// The treatment of a folder that the deploy made and that holds other files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Holding {
    #[default]
    Stays,
    /// It is deleted with these files, and the journal stores them.
    Goes,
}

/// Reads the machine and plans the undo of some deploys, newest first.
pub fn plan_undo(deploys: &[Deploy], blobs: &Blobs, holding: Holding) -> Result<Vec<UndoStep>, StateError> {
    plan_undo_since(deploys, &Since::default(), blobs, holding, &Cancel::default())
}

/// Plans the undo of some deploys. A conflict names the later deploy in `since` that caused it. Ends early on cancel.
pub fn plan_undo_since(
    deploys: &[Deploy],
    since: &Since,
    blobs: &Blobs,
    holding: Holding,
    cancel: &Cancel,
) -> Result<Vec<UndoStep>, StateError> {
    let commands = commands(deploys);
    let made = made(deploys);
    let mut planner = Planner { holding, now: BTreeMap::new(), stays: BTreeSet::new(), commands, made, since, blobs };
    let mut steps = Vec::new();
    for (at, deploy) in deploys.iter().enumerate() {
        let mut tries = Tries::default();
        for step in deploy.steps.iter().rev().filter(|step| may_be_done(at, step) && tries.is_first(step)) {
            if cancel.is_cancelled() {
                return Err(StateError::GivenUp);
            }
            let (planned, verdict) = planner.verdict(step)?;
            steps.push(UndoStep {
                deploy: deploy.begin.deploy,
                number: step.number,
                resource: step.intent.resource.clone(),
                words: step.intent.operation.words(),
                is_secret: step.is_secret(),
                planned,
                verdict,
                is_own: step.is_own,
            });
        }
    }
    Ok(steps)
}

/// Whether some deploys, newest first, contain an operation that may need an undo. A damaged journal counts.
pub fn has_operations(deploys: &[Deploy]) -> bool {
    let holds = |(at, deploy): (usize, &Deploy)| {
        deploy.damage().is_some() || deploy.steps.iter().any(|step| may_be_done(at, step))
    };
    deploys.iter().enumerate().any(holds)
}

/// Lists each command once, even if it was retried.
#[derive(Default)]
struct Tries<'a>(BTreeMap<&'a ResourceId, Vec<&'a LoggedOperation>>);

impl<'a> Tries<'a> {
    fn is_first(&mut self, Step { intent, .. }: &'a Step) -> bool {
        if !matches!(intent.operation, LoggedOperation::Command { .. }) {
            return true;
        }
        let tried = self.0.entry(&intent.resource).or_default();
        let is_first = !tried.contains(&&intent.operation);
        if is_first {
            tried.push(&intent.operation);
        }
        is_first
    }
}

/// Whether a step may have changed the machine. `at` is the position of its deploy in the chain.
fn may_be_done(at: usize, step: &Step) -> bool {
    // A conflict in an earlier deploy did not prevent the resume.
    let is_theirs = at == 0 && step.completion == Some(Completion::Neither);
    step.was_done() || step.is_open() || step.is_in_doubt() || is_theirs
}

/// The commands of some deploys with their resources. `None` for a secret command and for another change of the system.
fn commands(deploys: &[Deploy]) -> Vec<(&ResourceId, Option<&[String]>)> {
    let left_nothing = |step: &&Step| step.error.is_some() && step.after.is_none();
    let done = deploys.iter().flat_map(|deploy| &deploy.steps).filter(|step| !left_nothing(step));
    done.filter_map(|Step { intent, .. }| match &intent.operation {
        LoggedOperation::Command { args, .. } => Some((&intent.resource, args.as_deref())),
        LoggedOperation::System { .. } => Some((&intent.resource, None)),
        _ => None,
    })
    .collect()
}

/// The paths that some deploys created, each with its resource.
fn made(deploys: &[Deploy]) -> BTreeMap<&Path, &ResourceId> {
    let steps = deploys.iter().flat_map(|deploy| &deploy.steps);
    let made = steps.filter(|step| step.was_done() && step.intent.before == Image::Absent);
    made.filter_map(|step| Some((step.intent.operation.path()?, &step.intent.resource))).collect()
}

struct Planner<'a> {
    holding: Holding,
    /// The image expected at each path after the steps planned so far.
    now: BTreeMap<PathBuf, Image>,
    /// The folders that stay.
    stays: BTreeSet<PathBuf>,
    commands: Vec<(&'a ResourceId, Option<&'a [String]>)>,
    /// The resource that made each path.
    made: BTreeMap<&'a Path, &'a ResourceId>,
    since: &'a Since,
    blobs: &'a Blobs,
}

impl Planner<'_> {
    /// The image expected at the path of a step, and the verdict.
    fn verdict(&mut self, step: &Step) -> Result<(Option<Image>, Verdict), HostError> {
        let Some(path) = step.intent.operation.path() else {
            let verdict = match Inverse::of(&step.intent) {
                Inverse::Reversible(back) => Verdict::Ready(back),
                Inverse::Compensable(back, why) => Verdict::Partly(back, why),
                Inverse::None(why) => Verdict::Lost(why),
            };
            return Ok((None, verdict));
        };
        let now = match self.now.get(path) {
            Some(now) => now.clone(),
            None => look(path, Depth::Hash, self.blobs)?,
        };
        let verdict = self.of_path(step, path, &now)?;
        Ok((Some(now), verdict))
    }

    fn of_path(&mut self, step: &Step, path: &Path, now: &Image) -> Result<Verdict, HostError> {
        let inverse = Inverse::of(&step.intent);
        let before = &step.intent.before;
        if let (Some(Image::Dir { tree: Some(Tree::Kept { list, .. }), .. }), Inverse::Reversible(back)) =
            (&step.after, &inverse)
        {
            return self.half_gone(path, list, back);
        }
        if before.agrees(now) && !is_unread(before) {
            return Ok(Verdict::Already);
        }
        let back = match inverse {
            Inverse::Reversible(back) => back,
            Inverse::Compensable(back, _) => back,
            Inverse::None(why) => return Ok(Verdict::Lost(why)),
        };
        let conflict = match &step.after {
            Some(after) if !after.agrees(now) => {
                let words = format!("{} outside workbench since the deploy", after.change_words(now));
                Some((words, self.since.left(path, now)))
            }
            None if step.completion == Some(Completion::Neither)
                || step.intent.operation.was_done(before, now) == Completion::Neither =>
            {
                let why = format!("changed by someone else (now {})", now.words());
                Some((why, self.since.left(path, now)))
            }
            _ => self.foreign_below(step, path, now)?,
        };
        if let Some((why, by)) = conflict {
            let why = by.map_or(why, Later::words);
            return Ok(Verdict::Conflict { why, back: Some(back), by: by.and_then(Later::to_take_back) });
        }
        let is_made = matches!(step.intent.operation, LoggedOperation::MakeDir { .. }) && *before == Image::Absent;
        if is_made && matches!(now, Image::Dir { .. }) {
            let held = match self.held(path) {
                Err(HostError::Io { errno: Errno::ACCESS, .. }) => {
                    self.stays.insert(path.into());
                    return Ok(Verdict::Stays("no permission to read it".into()));
                }
                held => held?,
            };
            if !held.is_empty() {
                let why = self.held_words(&held);
                if self.holding == Holding::Stays {
                    self.stays.insert(path.into());
                    return Ok(Verdict::Stays(why));
                }
                let others = self.others(path);
                self.now.insert(path.into(), Image::Absent);
                return Ok(Verdict::Empties { why, back, others });
            }
            self.now.insert(path.into(), Image::Absent);
            return Ok(Verdict::Ready(UndoAction::RemoveFolder { path: path.into() }));
        }
        self.now.insert(path.into(), before.clone());
        Ok(Verdict::Ready(back))
    }

    /// A folder that a failed operation removed in part. `list` names what is left.
    fn half_gone(&mut self, path: &Path, list: &Digest, back: &UndoAction) -> Result<Verdict, HostError> {
        let is_as_left = match look(path, Depth::Tree, self.blobs)? {
            Image::Dir { tree: Some(Tree::Kept { list: there, .. }), .. } => there == *list,
            _ => false,
        };
        if !is_as_left {
            let why = "its contents changed since the deploy".into();
            let by = self.since.wrote(path).and_then(Later::to_take_back);
            return Ok(Verdict::Conflict { why, back: Some(back.clone()), by });
        }
        if let UndoAction::Restore { image, .. } = back {
            self.now.insert(path.into(), image.clone());
        }
        Ok(Verdict::Ready(back.clone()))
    }

    /// What will be in a folder when the steps planned so far are done, in order.
    fn held(&self, folder: &Path) -> Result<Vec<PathBuf>, HostError> {
        let entries = std::fs::read_dir(folder).map_err(|error| HostError::std("list", folder, &error))?;
        let below = entries.filter_map(Result::ok).map(|entry| entry.path());
        let mut held: Vec<_> = below.filter(|below| self.now.get(below) != Some(&Image::Absent)).collect();
        held.sort_unstable();
        Ok(held)
    }

    /// Returns the files below a folder that will still be there when the steps planned so far are done.
    fn others(&self, folder: &Path) -> Others {
        let mut others = Others::default();
        let mut open = vec![folder.to_path_buf()];
        while let Some(at) = open.pop() {
            // A folder that cannot be read is named itself.
            let held = self.held(&at).unwrap_or_default();
            if held.is_empty() && at != folder {
                others.add(format!("{}/", below(folder, &at)));
            }
            let (folders, files): (Vec<_>, Vec<_>) =
                held.into_iter().partition(|path| path.symlink_metadata().is_ok_and(|found| found.is_dir()));
            // A file of this deploy that was changed since is named as a conflict.
            let foreign = files.iter().filter(|file| !self.made.contains_key(file.as_path()));
            foreign.for_each(|file| others.add(below(folder, file)));
            open.extend(folders.into_iter().rev());
        }
        others
    }

    /// Describes the content of a folder and, if known, who made each part.
    fn held_words(&self, held: &[PathBuf]) -> String {
        /// The largest number of names of one maker.
        const NAMES: usize = 3;
        /// The largest number of names with a maker.
        const MOST: usize = 100;
        let mut makers: Vec<(String, Vec<String>)> = Vec::new();
        for path in held.iter().take(MOST) {
            let (maker, name) = (self.maker_of(path), below(path.parent().unwrap_or(path), path));
            match makers.iter_mut().find(|(other, _)| *other == maker) {
                Some((_, names)) => names.push(name),
                None => makers.push((maker, vec![name])),
            }
        }
        let part = |(maker, names): &(String, Vec<String>)| {
            let more = names.len().saturating_sub(NAMES);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            format!("{}{more}, {maker}", names[..names.len().min(NAMES)].join(", "))
        };
        let more = held.len().saturating_sub(MOST);
        let more = if more > 0 { format!("; and {more} more") } else { String::new() };
        format!("holds {}{more}", makers.iter().map(part).collect::<Vec<_>>().join("; "))
    }

    /// Describes who made a path that a folder still holds.
    fn maker_of(&self, path: &Path) -> String {
        let names = |args: &[String]| args.iter().any(|arg| mentions(arg, &path.to_string_lossy()));
        let named = self.commands.iter().find(|(_, args)| args.is_some_and(names));
        match (self.since.wrote(path), self.made.get(path), named) {
            _ if self.stays.contains(path) => "which is kept".into(),
            (Some(Later { deploy, undoes: None }), ..) => format!("created by deploy {deploy}: undo that first"),
            (Some(Later { deploy, undoes: Some(of) }), ..) => {
                format!("restored by deploy {deploy}, the undo of deploy {of}")
            }
            (_, Some(resource), _) => format!("created by this deploy's {resource}"),
            (.., Some((resource, _))) => format!("created by {resource}"),
            _ if self.commands.is_empty() => "not created by this deploy".into(),
            _ => "created by a command of this deploy or by someone else".into(),
        }
    }

    /// A folder that is deleted must hold no files of others.
    fn foreign_below(
        &self,
        step: &Step,
        path: &Path,
        now: &Image,
    ) -> Result<Option<(String, Option<Later>)>, HostError> {
        let goes = !matches!(step.intent.before, Image::Dir { .. });
        let is_made =
            matches!(step.intent.operation, LoggedOperation::MakeDir { .. }) && step.intent.before == Image::Absent;
        if !goes || is_made || !matches!(now, Image::Dir { .. }) {
            return Ok(None);
        }
        if let LoggedOperation::Restore { image: Image::Dir { tree: Some(Tree::Kept { list, .. }), .. }, .. } =
            &step.intent.operation
        {
            let same = match look(path, Depth::Tree, self.blobs)? {
                Image::Dir { tree: Some(Tree::Kept { list: there, .. }), .. } => there == *list,
                _ => false,
            };
            return Ok((!same).then(|| ("its contents changed since the deploy".into(), self.since.wrote(path))));
        }
        let held = self.held(path)?;
        let words = |first: &PathBuf| (format!("it holds {}", self.others(path).words()), self.since.wrote(first));
        Ok(held.first().map(words))
    }
}

/// Returns the name of a path below a folder.
fn below(folder: &Path, path: &Path) -> String {
    path.strip_prefix(folder).unwrap_or(path).display().to_string()
}

/// Whether a command's word names a path, and not only one that begins so.
fn mentions(word: &str, path: &str) -> bool {
    let is_path = |c: char| c.is_alphanumeric() || "._-/".contains(c);
    word.match_indices(path).any(|(at, _)| !word[at + path.len()..].starts_with(is_path))
}

/// Whether a content that counts is unknown, so that "as before" would be a guess.
fn is_unread(image: &Image) -> bool {
    use crate::host::journal::Content;
    matches!(image, Image::File { content: Content::Secret | Content::Lost(_), .. })
}
