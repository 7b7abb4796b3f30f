//! Reads deploys from their journals, newest first.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::io::Errno;

use super::{StateError, StateFolder};
use crate::host::HostError;
use crate::host::journal::{
    self, Amended, Begin, Completion, Content, End, Ending, Fault, Image, Intent, LoggedOperation, Outcome, Purpose,
    Record,
};
use crate::source::hex;

/// All deploys of a state folder.
#[derive(Clone, Debug)]
pub struct History {
    state: StateFolder,
}

/// One deploy in a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    pub deploy: u64,
    /// `None` if the journal is damaged in its first entry.
    pub begin: Option<Begin>,
    /// `None` if the deploy was interrupted or is still running.
    pub end: Option<End>,
}

impl Summary {
    /// Returns the duration in whole seconds. `None` if the deploy was interrupted or its steps were retried later.
    pub fn took(&self) -> Option<Duration> {
        let end = self.end.as_ref().filter(|end| end.how != Ending::CutOff && end.again == 0)?;
        let time = |label: &str| label.parse::<jiff::Timestamp>().ok();
        let took = time(&end.time)?.duration_since(time(&self.begin.as_ref()?.time)?);
        Duration::try_from(took).ok()
    }

    /// How much of the other deploy this undo reverted.
    fn share(&self) -> Share {
        match &self.end {
            Some(end) if end.unchanged > 0 && end.done == 0 => Share::Nothing,
            Some(end) if end.unchanged > 0 => Share::Part,
            _ => Share::All,
        }
    }

    /// Returns the deploy that this one undid, if the undo finished without failures.
    pub fn undid(&self) -> Option<u64> {
        let is_whole = self.end.as_ref().is_some_and(|end| end.how == Ending::Finished && end.failed == 0);
        match self.begin.as_ref()?.purpose {
            Purpose::Undo { deploy } if is_whole => Some(deploy),
            _ => None,
        }
    }
}

/// One deploy with all entries of its journal.
#[derive(Clone, Debug, PartialEq)]
pub struct Deploy {
    pub begin: Begin,
    pub steps: Vec<Step>,
    pub outcomes: Vec<Outcome>,
    /// Resources whose parameters changed during the deploy.
    pub amended: Vec<Amended>,
    pub end: Option<End>,
    /// The first bad entry. The entries before it are in this value.
    pub fault: Option<Fault>,
    /// The damage that recovery found in the journal of an interrupted deploy.
    pub recovered: Option<String>,
}

/// One intended operation and its result.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    pub number: u64,
    pub intent: Intent,
    /// The state after the operation. For a failed operation only if it differs from the state before.
    pub after: Option<Image>,
    pub error: Option<String>,
    /// The finding of recovery.
    pub completion: Option<Completion>,
    /// The operation concerns a file of workbench itself, not a change that the program declares.
    pub is_own: bool,
}

impl Step {
    /// Whether the operation was interrupted: neither done, nor cancelled, nor resolved by recovery.
    pub fn is_open(&self) -> bool {
        self.after.is_none() && self.error.is_none() && self.completion.is_none()
    }

    /// Whether recovery could not decide if the operation was done. The path can still be compared with the state
    /// before.
    pub fn is_in_doubt(&self) -> bool {
        self.completion == Some(Completion::Unknown) && self.intent.operation.path().is_some()
    }

    /// Whether the content must not be shown. An interrupted operation counts as secret, because its content is
    /// unknown.
    pub fn is_secret(&self) -> bool {
        let hides = |image: &Image| matches!(image, Image::File { content: Content::Secret, .. });
        hides(&self.intent.before)
            || match &self.after {
                Some(after) => hides(after),
                None => matches!(self.intent.operation, LoggedOperation::WriteFile { content: None, .. }),
            }
    }

    /// Whether the operation changed the machine.
    pub fn was_done(&self) -> bool {
        self.after.is_some() || self.completion == Some(Completion::After)
    }
}

impl Summary {
    fn is_undo(&self) -> bool {
        self.begin.as_ref().is_some_and(|begin| matches!(begin.purpose, Purpose::Undo { .. }))
    }

    /// Whether the deploy is still in effect. `undone` maps each undone deploy to its undo; this adds the deploy that
    /// `self` undid.
    ///
    /// Undoing an undo puts the first deploy into effect again. Undoing a resumed deploy also undoes the deploy that it
    /// resumed. An undo that was interrupted or failed can be continued by undoing its remainder.
    fn is_in_effect(&self, undone: &mut BTreeMap<u64, u64>) -> bool {
        match (undone.get(&self.deploy).copied(), self.begin.as_ref().map(|begin| &begin.purpose)) {
            (Some(by), Some(Purpose::Resume { deploy })) => _ = undone.entry(*deploy).or_insert(by),
            (Some(_), _) => {}
            // The newest undo decides.
            (None, _) => {
                if let Some(deploy) = self.undid() {
                    undone.entry(deploy).or_insert(self.deploy);
                }
            }
        }
        self.begin.is_some() && !undone.contains_key(&self.deploy)
    }
}

impl Deploy {
    /// Collects the entries of a journal.
    pub fn from_records(records: Vec<Record>, fault: Option<Fault>) -> Option<Deploy> {
        let mut records = records.into_iter().enumerate();
        let Some((_, Record::Begin(begin))) = records.next() else { return None };
        let mut deploy = Deploy {
            begin,
            steps: Vec::new(),
            outcomes: Vec::new(),
            amended: Vec::new(),
            end: None,
            fault,
            recovered: None,
        };
        for (number, record) in records {
            deploy.end = None;
            match record {
                Record::Begin(_) => {}
                Record::Intent(intent) => {
                    let number = number as u64;
                    let step = Step { number, intent, after: None, error: None, completion: None, is_own: false };
                    deploy.steps.push(step);
                }
                Record::Done { intent, after } => deploy.step(intent, |step| step.after = Some(after)),
                Record::Failed { intent, error, left, is_unseen } => deploy.step(intent, |step| {
                    (step.error, step.after) = (Some(error), left);
                    step.completion = is_unseen.then_some(Completion::Unknown);
                }),
                Record::Resolved { intent, found } => deploy.step(intent, |step| step.completion = Some(found)),
                Record::NotBegun { intent } => deploy.steps.retain(|step| step.number != intent),
                Record::Outcome(outcome) => deploy.outcomes.push(outcome),
                Record::Amended(amended) => {
                    let at = deploy.outcomes.len();
                    deploy.amended.push(Amended { at, ..amended });
                }
                Record::End(end) => deploy.end = Some(end),
            }
        }
        deploy.recount();
        Some(deploy)
    }

    fn step(&mut self, number: u64, change: impl FnOnce(&mut Step)) {
        if let Ok(at) = self.steps.binary_search_by_key(&number, |step| step.number) {
            change(&mut self.steps[at]);
        }
    }

    /// Returns the damage of the journal, now or before recovery. Operations after that point are missing here.
    pub fn damage(&self) -> Option<String> {
        let damage = || self.end.as_ref().and_then(|end| end.damage.clone());
        self.fault.as_ref().map(ToString::to_string).or_else(|| self.recovered.clone()).or_else(damage)
    }

    /// Returns the hash of the applied graph, with the last parameters.
    pub fn graph(&self) -> &str {
        self.amended.last().map_or(&self.begin.graph, |amended| &amended.graph)
    }

    /// Returns the interrupted operations.
    pub fn open_steps(&self) -> impl Iterator<Item = &Step> {
        self.steps.iter().filter(|step| step.is_open())
    }
}

impl History {
    /// Makes the history of a state folder. Nothing is read yet.
    pub fn new(state: &StateFolder) -> Self {
        Self { state: state.clone() }
    }

    /// Returns the numbers of all deploys, oldest first.
    pub fn numbers(&self) -> Result<Vec<u64>, StateError> {
        let folder = self.state.deploys();
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(HostError::std("list", &folder, &error).into()),
        };
        let number = |name: PathBuf| name.to_str()?.strip_suffix(".journal")?.parse().ok();
        let mut numbers: Vec<u64> =
            entries.filter_map(Result::ok).filter_map(|entry| number(entry.file_name().into())).collect();
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// Returns the deploys that no later deploy undid, newest first, including undos. Each is read on demand.
    /// Unreadable ones are left out.
    pub fn in_effect(&self) -> Result<impl Iterator<Item = Result<Summary, StateError>> + use<>, StateError> {
        let (history, mut undone) = (self.clone(), BTreeMap::new());
        let summaries = self.numbers()?.into_iter().rev().map(move |deploy| history.summary(deploy));
        Ok(summaries.filter(move |summary| summary.as_ref().map_or(true, |summary| summary.is_in_effect(&mut undone))))
    }

    /// Returns those of them that are not undos.
    pub fn applied(&self) -> Result<impl Iterator<Item = Result<Summary, StateError>> + use<>, StateError> {
        Ok(self.in_effect()?.filter(|summary| !summary.as_ref().is_ok_and(Summary::is_undo)))
    }

    /// Returns the highest deploy number; `None` without any deploy.
    pub fn last(&self) -> Result<Option<u64>, StateError> {
        Ok(self.numbers()?.pop())
    }

    fn bytes(&self, deploy: u64) -> Result<Vec<u8>, StateError> {
        let path = self.state.journal(deploy);
        journal::read(&path).map_err(|errno| unread(deploy, &path, errno))
    }

    /// Returns the hash of a journal's last entry. The next journal names it.
    pub fn head(&self, deploy: u64) -> Result<String, StateError> {
        Ok(hex(&journal::scan(&self.bytes(deploy)?).head()))
    }

    /// Returns the list entry of a deploy: its first and last entry, unverified. If the last entry has no counts, reads
    /// the whole journal.
    pub fn summary(&self, deploy: u64) -> Result<Summary, StateError> {
        let path = self.state.journal(deploy);
        let (first, last) = journal::ends(&path).map_err(|errno| unread(deploy, &path, errno))?;
        let entry = |payload: Option<Vec<u8>>| serde_json::from_slice(&payload?).ok();
        let begin = entry(first).and_then(|first| if let Record::Begin(begin) = first { Some(begin) } else { None });
        let end = entry(last).and_then(|last| if let Record::End(end) = last { Some(end) } else { None });
        let end = match end {
            Some(mute) if mute.lacks_counts() => Some(self.read(deploy).ok().and_then(|read| read.end).unwrap_or(mute)),
            Some(end) if end.how == Ending::CutOff => {
                let is_undecided = self.read_as_written(deploy).is_ok_and(|read| self.is_undecided(&read));
                (!is_undecided).then_some(end)
            }
            end => end,
        };
        Ok(Summary { deploy, begin, end })
    }

    /// Reads one deploy, verified up to its first bad entry.
    pub fn read(&self, deploy: u64) -> Result<Deploy, StateError> {
        let mut read = self.read_as_written(deploy)?;
        if self.is_undecided(&read) {
            read.recovered = read.end.take().and_then(|end| end.damage);
        }
        Ok(read)
    }

    /// Whether a deploy was interrupted and nothing was run or undone since. An end entry that recovery wrote does not
    /// count.
    fn is_undecided(&self, read: &Deploy) -> bool {
        let is_cut_off = read.end.as_ref().is_some_and(|end| end.how == Ending::CutOff);
        is_cut_off && !read.steps.is_empty() && self.newest().is_ok_and(|newest| newest == Some(read.begin.deploy))
    }

    /// Returns the newest deploy that ran steps or was about to. A resume that was killed before its first step is
    /// skipped.
    fn newest(&self) -> Result<Option<u64>, StateError> {
        let Some(last) = self.last()? else { return Ok(None) };
        Ok(Some(self.resumed_idly(last).unwrap_or(last)))
    }

    /// Returns the deploy that this one resumes, if it was killed before it ran a step.
    fn resumed_idly(&self, deploy: u64) -> Option<u64> {
        let read = self.read_as_written(deploy).ok()?;
        let has_run =
            !read.steps.is_empty() || read.outcomes.iter().any(|one| matches!(&*one.state, "done" | "failed"));
        match read.begin.purpose {
            Purpose::Resume { deploy: of } if of < deploy && read.end.is_none() && !has_run => Some(of),
            _ => None,
        }
    }

    /// Deletes a resume that was killed before it ran a step. Requires the lock.
    pub fn forget_idle(&self) {
        if let Ok(Some(last)) = self.last()
            && self.resumed_idly(last).is_some()
        {
            // A remaining journal needs no decision from the user.
            let _ = std::fs::remove_file(self.state.journal(last));
        }
    }

    fn read_as_written(&self, deploy: u64) -> Result<Deploy, StateError> {
        let (records, scan) = journal::records(&self.bytes(deploy)?);
        let why = scan.fault.as_ref().map(ToString::to_string).unwrap_or_else(|| "it is empty".into());
        let headless = || StateError::Headless { deploy, path: self.state.journal(deploy), why };
        let mut read = Deploy::from_records(records, scan.fault).ok_or_else(headless)?;
        for step in &mut read.steps {
            step.is_own = step.intent.operation.path().is_some_and(|path| path.starts_with(self.state.path()));
        }
        Ok(read)
    }

    /// Reads a deploy and the deploys that it resumed, newest first.
    ///
    /// An entry that claims to resume itself or a later deploy is forged and ends the chain.
    pub fn read_chain(&self, deploy: u64) -> Result<Vec<Deploy>, StateError> {
        let mut chain = vec![self.read(deploy)?];
        let mut before = deploy;
        while let Some(Purpose::Resume { deploy }) = chain.last().map(|last| last.begin.purpose.clone())
            && deploy < before
        {
            before = deploy;
            chain.push(self.read(deploy)?);
        }
        Ok(chain)
    }

    /// Returns the first bad place of the whole history, within a journal or between two.
    pub fn verify(&self) -> Result<(), StateError> {
        let mut before: Option<String> = None;
        for deploy in self.numbers()? {
            let read = self.read(deploy)?;
            if let Some(fault) = &read.fault {
                return Err(StateError::Damaged { deploy, why: fault.to_string() });
            }
            if before.as_ref().is_some_and(|before| *before != read.begin.previous) {
                let why = "it does not match the deploy before it, which was modified or truncated".into();
                return Err(StateError::Damaged { deploy, why });
            }
            before = Some(self.head(deploy)?);
        }
        Ok(())
    }

    /// Returns the newest deploy, if it was interrupted.
    pub fn unfinished(&self) -> Result<Option<u64>, StateError> {
        let Some(newest) = self.newest()? else { return Ok(None) };
        Ok(self.summary(newest)?.end.is_none().then_some(newest))
    }
}

/// How much of a deploy was undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    All,
    Part,
    /// An undo finished and changed nothing.
    Nothing,
}

/// The undo of a deploy, and how much it reverted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UndoneBy {
    pub by: u64,
    pub share: Share,
}

/// Returns the undone deploys. `deploys` are newest first.
pub fn undone_deploys<'s>(deploys: impl IntoIterator<Item = &'s Summary>) -> BTreeMap<u64, UndoneBy> {
    let (mut undone, mut shares) = (BTreeMap::new(), BTreeMap::new());
    for summary in deploys {
        summary.is_in_effect(&mut undone);
        shares.insert(summary.deploy, summary.share());
    }
    let share = |by: u64| shares.get(&by).copied().unwrap_or(Share::All);
    undone.into_iter().map(|(deploy, by)| (deploy, UndoneBy { by, share: share(by) })).collect()
}

fn unread(deploy: u64, path: &Path, errno: Errno) -> StateError {
    match errno {
        Errno::NOENT => StateError::NoDeploy(deploy),
        errno => HostError::io("read", path, errno).into(),
    }
}
