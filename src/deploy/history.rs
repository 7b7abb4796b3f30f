//! Deploys read back from their journals, newest first.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::io::Errno;

use super::{StateError, StateFolder};
use crate::host::HostError;
use crate::host::journal::{
    self, Amended, Begin, Content, Deed, End, Ending, Fault, Image, Intent, Outcome, Purpose, Record, Settled, hex,
};

/// All deploys of a state folder.
#[derive(Clone, Debug)]
pub struct History {
    state: StateFolder,
}

/// What a list shows of a deploy.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    pub deploy: u64,
    /// `None` where the journal is damaged at its very beginning.
    pub begin: Option<Begin>,
    /// `None`: cut off, or still at work.
    pub end: Option<End>,
}

impl Summary {
    /// How long it took, to the second; nothing where it did not come to an end of its own, or was tried again.
    pub fn took(&self) -> Option<Duration> {
        let end = self.end.as_ref().filter(|end| end.how != Ending::CutOff && end.again == 0)?;
        let time = |label: &str| label.parse::<jiff::Timestamp>().ok();
        let took = time(&end.time)?.duration_since(time(&self.begin.as_ref()?.time)?);
        Duration::try_from(took).ok()
    }

    /// How much an undo took back of what it came to.
    fn share(&self) -> Share {
        match &self.end {
            Some(end) if end.standing > 0 && end.done == 0 => Share::Nothing,
            Some(end) if end.standing > 0 => Share::Part,
            _ => Share::All,
        }
    }

    /// The deploy that this one took back, where it came to its end and failed nowhere.
    pub fn took_back(&self) -> Option<u64> {
        let is_whole = self.end.as_ref().is_some_and(|end| end.how == Ending::Finished && end.failed == 0);
        match self.begin.as_ref()?.purpose {
            Purpose::Undo { deploy } if is_whole => Some(deploy),
            _ => None,
        }
    }
}

/// One deploy with all that its journal says.
#[derive(Clone, Debug, PartialEq)]
pub struct Deploy {
    pub begin: Begin,
    pub steps: Vec<Step>,
    pub outcomes: Vec<Outcome>,
    /// The resources whose wanted state was changed meanwhile.
    pub amended: Vec<Amended>,
    pub end: Option<End>,
    /// Where the journal stops being whole; what stands before is here.
    pub fault: Option<Fault>,
    /// What recovery found damaged in the journal of an interrupted deploy.
    pub recovered: Option<String>,
}

/// One intent, and what became of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    pub number: u64,
    pub intent: Intent,
    /// What lay there then; of one that failed only where it is not what lay there before.
    pub after: Option<Image>,
    pub error: Option<String>,
    /// What recovery found.
    pub settled: Option<Settled>,
    /// It is about a file that the tool keeps for itself, and no change of the machine that anybody asked for.
    pub is_own: bool,
}

impl Step {
    /// Neither done, nor given up, nor settled: it was cut off.
    pub fn is_open(&self) -> bool {
        self.after.is_none() && self.error.is_none() && self.settled.is_none()
    }

    /// Whether recovery could not tell if it was done. What lies at its path can still be held against what did before.
    pub fn is_in_doubt(&self) -> bool {
        self.settled == Some(Settled::Unknown) && self.intent.deed.path().is_some()
    }

    /// Whether what it left must leave no trace. Of one that was cut off nobody knows, so it counts as secret.
    pub fn is_secret(&self) -> bool {
        let hides = |image: &Image| matches!(image, Image::File { content: Content::Secret, .. });
        hides(&self.intent.before)
            || match &self.after {
                Some(after) => hides(after),
                None => matches!(self.intent.deed, Deed::WriteFile { content: None, .. }),
            }
    }

    /// Whether the machine was changed by it.
    pub fn was_done(&self) -> bool {
        self.after.is_some() || self.settled == Some(Settled::After)
    }
}

impl Summary {
    fn is_undo(&self) -> bool {
        self.begin.as_ref().is_some_and(|begin| matches!(begin.purpose, Purpose::Undo { .. }))
    }

    /// Whether it was not taken back. `gone` is what those after it took back, each with the one that did; what this one took back
    /// is added.
    ///
    /// What an undo took back that was itself taken back stands again, and what a deploy that was taken back went on with is gone
    /// with it. An undo that did not come to its end, or failed somewhere, is gone on with by taking back what it left.
    fn stands(&self, gone: &mut BTreeMap<u64, u64>) -> bool {
        match (gone.get(&self.deploy).copied(), self.begin.as_ref().map(|begin| &begin.purpose)) {
            (Some(by), Some(Purpose::Resume { deploy })) => _ = gone.entry(*deploy).or_insert(by),
            (Some(_), _) => {}
            // The newest says how it stands with it.
            (None, _) => {
                if let Some(deploy) = self.took_back() {
                    gone.entry(deploy).or_insert(self.deploy);
                }
            }
        }
        self.begin.is_some() && !gone.contains_key(&self.deploy)
    }
}

impl Deploy {
    /// Gathers a journal's entries.
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
                    let step = Step { number, intent, after: None, error: None, settled: None, is_own: false };
                    deploy.steps.push(step);
                }
                Record::Done { intent, after } => deploy.step(intent, |step| step.after = Some(after)),
                Record::Failed { intent, error, left, is_unseen } => deploy.step(intent, |step| {
                    (step.error, step.after) = (Some(error), left);
                    step.settled = is_unseen.then_some(Settled::Unknown);
                }),
                Record::Settled { intent, found } => deploy.step(intent, |step| step.settled = Some(found)),
                Record::NotBegun { intent } => deploy.steps.retain(|step| step.number != intent),
                Record::Outcome(outcome) => deploy.outcomes.push(outcome),
                Record::Amended(amended) => {
                    let at = deploy.outcomes.len();
                    deploy.amended.push(Amended { at, ..amended });
                }
                Record::End(end) => deploy.end = Some(end),
            }
        }
        deploy.count_anew();
        Some(deploy)
    }

    fn step(&mut self, number: u64, change: impl FnOnce(&mut Step)) {
        if let Ok(at) = self.steps.binary_search_by_key(&number, |step| step.number) {
            change(&mut self.steps[at]);
        }
    }

    /// Where the journal is not whole, or was not when it was settled: what was done after that is not here.
    pub fn damage(&self) -> Option<String> {
        let settled = || self.end.as_ref().and_then(|end| end.damage.clone());
        self.fault.as_ref().map(ToString::to_string).or_else(|| self.recovered.clone()).or_else(settled)
    }

    /// The hash of the graph that was applied, as it was wanted last.
    pub fn graph(&self) -> &str {
        self.amended.last().map_or(&self.begin.graph, |amended| &amended.graph)
    }

    /// The deeds that were cut off.
    pub fn open_steps(&self) -> impl Iterator<Item = &Step> {
        self.steps.iter().filter(|step| step.is_open())
    }
}

impl History {
    pub fn new(state: &StateFolder) -> Self {
        Self { state: state.clone() }
    }

    /// The numbers of all deploys, oldest first.
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

    /// The deploys that were not taken back since, newest first; undos are among them. Each is read when it is asked for, and one
    /// that cannot be read is not among them.
    pub fn standing(&self) -> Result<impl Iterator<Item = Result<Summary, StateError>> + use<>, StateError> {
        let (history, mut gone) = (self.clone(), BTreeMap::new());
        let summaries = self.numbers()?.into_iter().rev().map(move |deploy| history.summary(deploy));
        Ok(summaries.filter(move |summary| summary.as_ref().map_or(true, |summary| summary.stands(&mut gone))))
    }

    /// Those of them that applied something.
    pub fn applied(&self) -> Result<impl Iterator<Item = Result<Summary, StateError>> + use<>, StateError> {
        Ok(self.standing()?.filter(|summary| !summary.as_ref().is_ok_and(Summary::is_undo)))
    }

    pub fn last(&self) -> Result<Option<u64>, StateError> {
        Ok(self.numbers()?.pop())
    }

    fn bytes(&self, deploy: u64) -> Result<Vec<u8>, StateError> {
        let path = self.state.journal(deploy);
        journal::read(&path).map_err(|errno| unread(deploy, &path, errno))
    }

    /// The hash of a journal's last entry, which the next one names.
    pub fn head(&self, deploy: u64) -> Result<String, StateError> {
        Ok(hex(&journal::scan(&self.bytes(deploy)?).head()))
    }

    /// What a list shows: the first and the last entry, not verified; where the last says nothing of what was done, all of it.
    pub fn summary(&self, deploy: u64) -> Result<Summary, StateError> {
        let path = self.state.journal(deploy);
        let (first, last) = journal::ends(&path).map_err(|errno| unread(deploy, &path, errno))?;
        let entry = |payload: Option<Vec<u8>>| serde_json::from_slice(&payload?).ok();
        let begin = entry(first).and_then(|first| if let Record::Begin(begin) = first { Some(begin) } else { None });
        let end = entry(last).and_then(|last| if let Record::End(end) = last { Some(end) } else { None });
        let end = match end {
            Some(mute) if mute.is_mute() => Some(self.read(deploy).ok().and_then(|read| read.end).unwrap_or(mute)),
            Some(end) if end.how == Ending::CutOff => {
                let is_undecided = self.read_as_written(deploy).is_ok_and(|read| self.is_undecided(&read));
                (!is_undecided).then_some(end)
            }
            end => end,
        };
        Ok(Summary { deploy, begin, end })
    }

    /// One deploy whole, verified up to its first bad entry.
    pub fn read(&self, deploy: u64) -> Result<Deploy, StateError> {
        let mut read = self.read_as_written(deploy)?;
        if self.is_undecided(&read) {
            read.recovered = read.end.take().and_then(|end| end.damage);
        }
        Ok(read)
    }

    /// Whether a deploy was interrupted, and nothing was run or undone since: the end that was written when somebody was about to
    /// is none.
    fn is_undecided(&self, read: &Deploy) -> bool {
        let is_cut_off = read.end.as_ref().is_some_and(|end| end.how == Ending::CutOff);
        is_cut_off && !read.steps.is_empty() && self.newest().is_ok_and(|newest| newest == Some(read.begin.deploy))
    }

    /// The newest deploy that ran anything, or was to; a resume that was killed before that leaves the one that it is of.
    fn newest(&self) -> Result<Option<u64>, StateError> {
        let Some(last) = self.last()? else { return Ok(None) };
        Ok(Some(self.resumed_idly(last).unwrap_or(last)))
    }

    /// What a deploy resumes, where it was killed before it ran a step.
    fn resumed_idly(&self, deploy: u64) -> Option<u64> {
        let read = self.read_as_written(deploy).ok()?;
        let has_run =
            !read.steps.is_empty() || read.outcomes.iter().any(|one| matches!(&*one.state, "done" | "failed"));
        match read.begin.purpose {
            Purpose::Resume { deploy: of } if of < deploy && read.end.is_none() && !has_run => Some(of),
            _ => None,
        }
    }

    /// Forgets a resume that was killed before it ran a step. Only under the lock.
    pub fn forget_idle(&self) {
        if let Ok(Some(last)) = self.last()
            && self.resumed_idly(last).is_some()
        {
            // One that stays asks for nothing.
            let _ = std::fs::remove_file(self.state.journal(last));
        }
    }

    fn read_as_written(&self, deploy: u64) -> Result<Deploy, StateError> {
        let (records, scan) = journal::records(&self.bytes(deploy)?);
        let why = scan.fault.as_ref().map(ToString::to_string).unwrap_or_else(|| "it is empty".into());
        let headless = || StateError::Headless { deploy, path: self.state.journal(deploy), why };
        let mut read = Deploy::from_records(records, scan.fault).ok_or_else(headless)?;
        for step in &mut read.steps {
            step.is_own = step.intent.deed.path().is_some_and(|path| path.starts_with(self.state.path()));
        }
        Ok(read)
    }

    /// A deploy and those that it went on with, newest first: one piece of work.
    ///
    /// One that says it goes on with itself, or with one that came after it, was made up, and ends the chain.
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

    /// The first bad place of the whole history: within a journal, or between one and the next.
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

    /// The newest deploy, where it was cut off.
    pub fn unfinished(&self) -> Result<Option<u64>, StateError> {
        let Some(newest) = self.newest()? else { return Ok(None) };
        Ok(self.summary(newest)?.end.is_none().then_some(newest))
    }
}

/// How much of a deploy was taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    All,
    Part,
    /// An undo came to its end, and left everything as it was.
    Nothing,
}

/// The undo that took a deploy back, and how much of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GoneBack {
    pub by: u64,
    pub share: Share,
}

/// The deploys that were taken back. `deploys` are newest first.
pub fn taken_back<'s>(deploys: impl IntoIterator<Item = &'s Summary>) -> BTreeMap<u64, GoneBack> {
    let (mut gone, mut shares) = (BTreeMap::new(), BTreeMap::new());
    for summary in deploys {
        summary.stands(&mut gone);
        shares.insert(summary.deploy, summary.share());
    }
    let share = |by: u64| shares.get(&by).copied().unwrap_or(Share::All);
    gone.into_iter().map(|(deploy, by)| (deploy, GoneBack { by, share: share(by) })).collect()
}

fn unread(deploy: u64, path: &Path, errno: Errno) -> StateError {
    match errno {
        Errno::NOENT => StateError::NoDeploy(deploy),
        errno => HostError::io("read", path, errno).into(),
    }
}
