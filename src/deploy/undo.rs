//! Taking a deploy back: newest deed first, each as a journalled deed of its own, nothing guessed.
//!
//! A deed is taken back where the machine still is as the deed left it. *Already*: it is as before, so nothing is done.
//! *Conflict*: it is neither, so a later deploy or somebody else has been there; nothing at all is done unless the user
//! chose. *Stays*: a folder that the deploy made and that now holds what none of its resources wrote, a command or
//! somebody else did. That is nobody's mistake and asks for no answer: the folder is left with what it holds, and the
//! rest goes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use super::since::Later;
use super::{Deploy, Since, StateError, Step};
use crate::graph::ResourceId;
use crate::host::journal::{
    Blobs, Depth, Digest, Image, Inverse, LoggedOperation, Settled, Tree, UndoAction, Undone, look,
};
use crate::host::{HostError, SystemChange};
use crate::plan::Action;
use crate::world::Cancel;

/// One deed to take back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UndoStep {
    pub deploy: u64,
    pub number: u64,
    pub resource: ResourceId,
    /// What the deed did.
    pub words: String,
    /// What lies there now must leave no trace.
    pub is_secret: bool,
    /// What will lie at its path by then. Where somebody makes it something else in between, that is left.
    pub planned: Option<Image>,
    pub verdict: Verdict,
    /// It is about a file that the tool keeps for itself.
    #[serde(default)]
    pub is_own: bool,
}

/// What can be done about a deed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Ready(UndoAction),
    /// Ready, but something stays behind.
    Partly(UndoAction, String),
    /// It is as it was before.
    Already,
    /// It was changed since, by somebody else or by a later deploy; what would put it back, where that is known.
    Conflict {
        why: String,
        back: Option<UndoAction>,
        /// The later deploy that did it, where that is known.
        #[serde(default)]
        by: Option<u64>,
    },
    /// A folder that is left, for what it holds.
    Stays(String),
    /// A folder that goes with what it holds, as was asked for by name.
    Empties {
        why: String,
        back: UndoAction,
        /// What it holds that the deploy did not make.
        #[serde(default)]
        others: Others,
    },
    /// There is no way back, and why.
    Lost(String),
}

/// The files below a folder that the deploy did not make, by their paths below it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Others {
    names: Vec<String>,
    /// How many more there are than a message has room for.
    more: usize,
}

impl Others {
    /// The most names of one folder.
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
    /// What takes it back, where something does.
    fn back(&self) -> Option<&UndoAction> {
        match &self.verdict {
            Verdict::Ready(back) | Verdict::Partly(back, _) | Verdict::Empties { back, .. } => Some(back),
            Verdict::Conflict { back, .. } => back.as_ref(),
            Verdict::Already | Verdict::Stays(_) | Verdict::Lost(_) => None,
        }
    }

    /// What an undo will do about it.
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

    /// What taking it back does to the machine.
    pub fn back_action(&self) -> Action {
        match self.back() {
            Some(UndoAction::RemoveFolder { .. } | UndoAction::Restore { image: Image::Absent, .. }) => Action::Remove,
            Some(UndoAction::Restore { .. }) if self.planned == Some(Image::Absent) => Action::Create,
            Some(_) => Action::Change,
            None => Action::None,
        }
    }

    /// Whether it removes a folder in which the tool keeps its state.
    pub fn removes_own_folder(&self) -> bool {
        self.is_own && matches!(self.back(), Some(UndoAction::RemoveFolder { .. }))
    }

    /// The same in words, for lists: of the machine, where [`Self::words`] are of the deed.
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

/// What an undo will do, in words; each resource once, as its report and the history count it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Foreseen {
    pub back: Vec<String>,
    pub already: Vec<String>,
    pub theirs: Vec<String>,
    pub stays: Vec<String>,
    pub lost: Vec<String>,
    /// Some of it can be undone only in part.
    pub is_partly: bool,
}

impl Foreseen {
    /// Of several deeds of one resource the worst end tells of all, and of those the oldest deed: what lies there in the end.
    pub fn of(steps: &[UndoStep]) -> Self {
        let fate = |step: &UndoStep| match &step.verdict {
            Verdict::Already => 0,
            Verdict::Ready(_) | Verdict::Empties { .. } | Verdict::Partly(..) => 1,
            Verdict::Conflict { .. } => 2,
            Verdict::Stays(_) => 3,
            Verdict::Lost(_) => 4,
        };
        // What the tool keeps for itself is told only of a resource that did nothing else.
        let acts: BTreeSet<_> = steps.iter().filter(|step| !step.is_own).map(|step| &step.resource).collect();
        let mut worst: BTreeMap<&ResourceId, (u8, usize)> = BTreeMap::new();
        let told = |step: &UndoStep| !step.is_own || !acts.contains(&step.resource);
        for (at, step) in steps.iter().enumerate().filter(|(_, step)| told(step)) {
            let worst = worst.entry(&step.resource).or_default();
            *worst = (fate(step), at).max(*worst);
        }
        let mut all: Vec<_> = worst.into_values().collect();
        all.sort_unstable_by_key(|(_, at)| *at);
        let in_part = |step: &&UndoStep| matches!(step.verdict, Verdict::Partly(..));
        let partly: BTreeSet<_> = steps.iter().filter(in_part).map(|step| &step.resource).collect();
        let mut foreseen = Self { is_partly: !partly.is_empty(), ..Self::default() };
        for (fate, at) in all {
            let Some(step) = steps.get(at) else { continue };
            let group = match fate {
                0 => &mut foreseen.already,
                1 => &mut foreseen.back,
                2 => &mut foreseen.theirs,
                3 => &mut foreseen.stays,
                _ => &mut foreseen.lost,
            };
            group.push(step.will_words() + if partly.contains(&step.resource) { " (partly)" } else { "" });
        }
        foreseen
    }

    /// How many resources come to which end, where nothing fails.
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

    /// Each end with its resources, what is done first.
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

    /// Whether an undo does nothing, and leaves nothing to be told of.
    pub fn is_idle(&self) -> bool {
        [&self.back, &self.already, &self.theirs, &self.stays].into_iter().all(Vec::is_empty)
    }
}

/// What becomes of a folder that the deploy made and that holds what it did not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Holding {
    #[default]
    Stays,
    /// It goes with that, which the journal keeps.
    Goes,
}

/// Looks at the machine, and says for each deed of some deploys, newest first, how it can be taken back.
pub fn plan_undo(deploys: &[Deploy], blobs: &Blobs, holding: Holding) -> Result<Vec<UndoStep>, StateError> {
    plan_undo_since(deploys, &Since::default(), blobs, holding, &Cancel::default())
}

/// The same, with what later deploys did, which is named where it is in the way. Ends early where it is given up.
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

/// Whether some deploys, newest first, hold anything that an undo is about; a damaged journal may.
pub fn has_deeds(deploys: &[Deploy]) -> bool {
    let holds = |(at, deploy): (usize, &Deploy)| {
        deploy.damage().is_some() || deploy.steps.iter().any(|step| may_be_done(at, step))
    };
    deploys.iter().enumerate().any(holds)
}

/// The commands of resources that were come to: one that was tried again is told of once, for neither try can be taken back.
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

/// Whether the machine may have been changed by a step of the deploy at a position of its chain.
fn may_be_done(at: usize, step: &Step) -> bool {
    // What was gone on with did not stand in the way of that.
    let is_theirs = at == 0 && step.settled == Some(Settled::Neither);
    step.was_done() || step.is_open() || step.is_in_doubt() || is_theirs
}

/// What the commands of some deploys said, each with whose it was; nothing where that may be secret, and where the system
/// was changed in other ways.
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

/// The paths that some deploys made, each with its resource.
fn made(deploys: &[Deploy]) -> BTreeMap<&Path, &ResourceId> {
    let steps = deploys.iter().flat_map(|deploy| &deploy.steps);
    let made = steps.filter(|step| step.was_done() && step.intent.before == Image::Absent);
    made.filter_map(|step| Some((step.intent.operation.path()?, &step.intent.resource))).collect()
}

struct Planner<'a> {
    holding: Holding,
    /// What will lie at each path when the steps planned so far are done.
    now: BTreeMap<PathBuf, Image>,
    /// The folders that are left.
    stays: BTreeSet<PathBuf>,
    commands: Vec<(&'a ResourceId, Option<&'a [String]>)>,
    /// The resource that made each path.
    made: BTreeMap<&'a Path, &'a ResourceId>,
    since: &'a Since,
    blobs: &'a Blobs,
}

impl Planner<'_> {
    /// What lies there by then, and what can be done about it.
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
                Some((format!("changed since the deploy (now {})", now.words()), self.since.left(path, now)))
            }
            None if step.settled == Some(Settled::Neither)
                || step.intent.operation.was_done(before, now) == Settled::Neither =>
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

    /// A folder of which something that failed took a part, and left what `list` says.
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

    /// Describes what a folder holds, and who made each part as far as that is known.
    fn held_words(&self, held: &[PathBuf]) -> String {
        /// The most names of one maker.
        const NAMES: usize = 3;
        let mut makers: Vec<(String, Vec<String>)> = Vec::new();
        for path in held {
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
        format!("not empty: {}", makers.iter().map(part).collect::<Vec<_>>().join("; "))
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

    /// A folder that goes must hold nothing that others put there.
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
    let goes_on = |c: char| c.is_alphanumeric() || "._-/".contains(c);
    word.match_indices(path).any(|(at, _)| !word[at + path.len()..].starts_with(goes_on))
}

/// Whether nothing is known of a content that counts, so that "as before" would be a guess.
fn is_unread(image: &Image) -> bool {
    use crate::host::journal::Content;
    matches!(image, Image::File { content: Content::Secret | Content::Lost(_), .. })
}
