//! Applies with a history: takes the lock, checks for an interrupted deploy, and records everything.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::Duration;

use super::attach::{self, Asked, Order, Work};
use super::history::Ready;
use super::{Mode, NotForHere, RunOptions, Session, Stepper, Stranger};
use crate::deploy::{
    History, Holder, Lock, LockError, OnConflict, StateError, StateFolder, graph_hash, has_lost, now, recover,
};
use crate::engine::message::Event;
use crate::graph::Graph;
use crate::host::journal::{Begin, Module, Purpose};
use crate::host::own_program;
use crate::module::ModuleState;
use crate::plan::SetValues;
use crate::resource::reversal;
use crate::world::{Cancel, Live, ProcessNumber, Read, Sample, World};

/// The history folder of an apply, and how to start the applier.
#[derive(Clone, Debug, Default)]
pub struct Keeping {
    /// `--state-dir`; by default the platform's folder for state.
    pub state: Option<PathBuf>,
    /// How long to wait for another applier.
    pub patience: Duration,
    /// Cancels that wait.
    pub cancel: Cancel,
    /// In a separate process that outlives this one and can be attached to.
    pub apart: bool,
    /// As root through `sudo`, if this process is not root.
    pub sudo: bool,
    /// `sudo` must not ask for a password, because the terminal is in use.
    pub is_silent: bool,
}

impl Keeping {
    /// Whether root must do it, through `sudo`.
    pub(super) fn is_for_root(&self) -> bool {
        self.sudo && !rustix::process::geteuid().is_root()
    }
}

/// Why an apply did not begin. Nothing was done.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ApplyError {
    #[error("another apply is running: {0}")]
    Held(Holder),
    #[error("deploy {0} was interrupted: resume or undo it first")]
    Unfinished(u64),
    /// The deploy to resume has been resolved meanwhile.
    #[error("deploy {0} is already resolved")]
    Settled(u64),
    #[error("not approved: {}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))]
    Strangers(Vec<Stranger>),
    #[error("changed or no longer approved since it was compiled: {}", .0.join(", "))]
    Altered(Vec<String>),
    #[error(transparent)]
    NotForHere(#[from] NotForHere),
    #[error(transparent)]
    State(#[from] StateError),
    /// The apply process failed to start.
    #[error("cannot start the apply process: {0}")]
    Applier(String),
    #[error("nothing was applied as root: {0}")]
    Sudo(String),
    /// Perhaps only a password is missing.
    #[error("nothing was applied as root: `sudo` asks for a password first")]
    SudoAsks,
}

impl From<LockError> for ApplyError {
    fn from(error: LockError) -> Self {
        match error {
            LockError::Held(holder) => ApplyError::Held(holder),
            LockError::Failed(error) => ApplyError::State(error.into()),
        }
    }
}

/// Returns the state folder of the flag, the environment or the platform.
pub fn state_path(flag: Option<&PathBuf>) -> Result<PathBuf, StateError> {
    let path = match flag {
        Some(path) => path.clone(),
        None => match Live::new().read(&Read::StateFolder) {
            Ok(Sample::Path(path)) => path,
            Ok(_) | Err(_) => {
                let why = "no state folder: this user has no home folder; use `--state-dir`";
                return Err(crate::host::HostError::Refused(why.into()).into());
            }
        },
    };
    // Journals contain the path, and the current folder may differ when they are read.
    std::path::absolute(&path).map_err(|error| crate::host::HostError::std("find", &path, &error).into())
}

/// Opens the state folder and takes its lock.
///
/// `doing` is shown to other appliers. It is never code, which may hold secrets.
pub(super) fn enter(
    keeping: &Keeping,
    doing: &str,
    on_wait: &mut dyn FnMut(&Holder),
) -> Result<(StateFolder, Lock), ApplyError> {
    let state = StateFolder::open(&state_path(keeping.state.as_ref())?)?;
    let me = Holder { pid: std::process::id(), since: now(), command: format!("workbench {doing}") };
    let lock = Lock::take(&state.lock(), &me, keeping.patience, &keeping.cancel, on_wait)?;
    History::new(&state).forget_idle();
    Ok((state, lock))
}

impl Session {
    /// Starts a recorded run on this machine. `on_wait` receives the holder of the lock during a wait.
    ///
    /// Fails if another applier is running, or if the newest deploy was interrupted, because it may have a
    /// half-finished change.
    pub fn apply(
        &self,
        graph: Arc<Graph>,
        options: RunOptions,
        keeping: &Keeping,
        on_wait: &mut dyn FnMut(&Holder),
    ) -> Result<(Stepper, Receiver<Event>), ApplyError> {
        self.check_hosts(&graph, Mode::Live)?;
        match self.begin(graph, Work::Apply, options, keeping, on_wait)? {
            Ready::Yes(started) => Ok(started),
            Ready::Conflict(_) => unreachable!("only what was cut off can be in conflict"),
        }
    }

    /// Starts a recorded run, in this process or a separate one.
    pub(super) fn begin(
        &self,
        graph: Arc<Graph>,
        work: Work,
        options: RunOptions,
        keeping: &Keeping,
        on_wait: &mut dyn FnMut(&Holder),
    ) -> Result<Ready<(Stepper, Receiver<Event>)>, ApplyError> {
        let state = state_path(keeping.state.as_ref())?;
        let ours = if keeping.is_for_root() { state_path(None)? } else { state.clone() };
        let trusted = self.check_trust(&graph, &StateFolder::at(&ours))?;
        // The other options are for `apply_kept`.
        let jobs = self.jobs(&options);
        let RunOptions { only, approved, plan, .. } = options;
        let engine = self.engine_options();
        let order = Order {
            begin: Begin { plan, ..self.beginning(&graph, Purpose::Apply) },
            graph,
            work,
            state,
            trusted,
            is_state_named: keeping.state.is_some(),
            patience: keeping.patience,
            only,
            jobs,
            approved: approved.map(|frozen| frozen.expected()),
            hostname: engine.hostname,
            deploys_kept: self.options().config.deploys_kept(),
            kept: engine.state,
            reversals: engine.reversals,
            seal: engine.seal,
        };
        let run = |started: attach::Started| (started.stepper, started.events);
        if keeping.is_for_root() {
            if let Some(id) = reversal::first_in(&order.graph) {
                let why =
                    "the data to reverse it would be in root's history, which later runs of this user cannot read";
                return Err(ApplyError::Sudo(format!("{id} sets `reverse`: {why}")));
            }
            return match order.crosses_whole() {
                true => {
                    let asked = Asked::Run(Box::new(order));
                    Ok(attach::start_as_root(&asked, keeping, on_wait)?.map(run))
                }
                false => {
                    Err(ApplyError::Sudo("the graph contains values that cannot be passed to the apply process".into()))
                }
            };
        }
        match own_program().filter(|_| keeping.apart && order.crosses_whole()) {
            Some(program) => {
                let asked = Asked::Run(Box::new(order));
                Ok(attach::start(&program, &asked, &keeping.cancel, on_wait)?.map(run))
            }
            None => Ok(order.begin(&keeping.cancel, on_wait)?.map(|begun| (begun.stepper, begun.events))),
        }
    }

    /// Returns the start entry of a deploy.
    pub(super) fn beginning(&self, graph: &Graph, purpose: Purpose) -> Begin {
        let as_host = graph.hosts().other().map(|other| other.to_string());
        let (modules, graph) = std::thread::scope(|scope| {
            let graph = scope.spawn(|| graph_hash(graph));
            (self.modules().modules, graph.join().expect("hashing a graph cannot fail"))
        });
        let modules = modules.into_iter().filter(|module| module.state != ModuleState::Unused);
        let compiled_for = self.compiled_for();
        Begin {
            entry: self.place(),
            language: self.entry().language.as_str().into(),
            modules: modules
                .map(|module| Module {
                    path: if module.path.as_os_str().is_empty() {
                        ".".into()
                    } else {
                        module.path.display().to_string()
                    },
                    commit: module.revision,
                    edited: module.state == ModuleState::Edited,
                })
                .collect(),
            graph,
            as_host,
            set_values: SetValues::of(&compiled_for),
            compiled_for: Some(Box::new(compiled_for)),
            purpose,
            ..who()
        }
    }
}

/// A deploy that was interrupted before it did anything needs no decision.
pub(super) fn pass_over(state: &StateFolder, deploy: u64) -> Result<(), ApplyError> {
    match History::new(state).read(deploy) {
        Ok(cut) if !cut.steps.is_empty() || has_lost(state, deploy)? => Err(ApplyError::Unfinished(deploy)),
        Ok(_) | Err(StateError::Damaged { .. } | StateError::Headless { .. }) => {
            match recover(state, deploy, OnConflict::Stop) {
                Ok(_) | Err(StateError::NoDeploy(_)) => Ok(()),
                Err(error) => Err(error.into()),
            }
        }
        Err(error) => Err(error.into()),
    }
}

/// Returns the user, the folder and the time of a deploy.
pub(super) fn who() -> Begin {
    let live = Live::new();
    let number = |which| match live.read(&Read::Process(which)) {
        Ok(Sample::Integer(number)) => u32::try_from(number).unwrap_or_default(),
        _ => 0,
    };
    let uid = number(ProcessNumber::EffectiveUser);
    let user = uzers::get_user_by_uid(uid).map(|user| user.name().to_string_lossy().into_owned());
    let behind = match live.read(&Read::Environment) {
        Ok(Sample::Pairs(environment)) => environment.get("SUDO_USER").cloned(),
        _ => None,
    };
    let folder = match live.read(&Read::WorkingFolder) {
        Ok(Sample::Path(folder)) => folder,
        _ => PathBuf::new(),
    };
    Begin {
        time: now(),
        user: user.unwrap_or_else(|| uid.to_string()),
        behind,
        program: concat!("workbench ", env!("CARGO_PKG_VERSION")).into(),
        folder,
        ..Begin::default()
    }
}
