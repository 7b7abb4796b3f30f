//! What every use of the history needs: its folder, its lock, and why an apply does not begin.

use std::path::PathBuf;
use std::time::Duration;

use super::{NotForHere, Stranger};
use crate::deploy::{History, Holder, Lock, LockError, OnConflict, StateError, StateFolder, has_lost, now, recover};
use crate::host::journal::Begin;
use crate::plan::policy::Violation;
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
    AlreadyEnded(u64),
    #[error("denied by policy: {}", .0.iter().map(|one| format!("{} (`{}`, {})", one.message, one.when, one.by)).collect::<Vec<_>>().join("; "))]
    Denied(Vec<Violation>),
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
