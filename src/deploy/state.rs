//! The state folder for journals, stored contents and the lock, readable by its owner alone.

use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Errno;

use super::describe::already_undone_words;
use super::history::UndoneBy;
use crate::host::HostError;
use crate::host::journal::{self, Blobs};
use crate::plan::{SEAL_KEY, SealKey};
use crate::world::export_folder;

/// A state folder.
#[derive(Clone, Debug)]
pub struct StateFolder {
    path: PathBuf,
}

/// Why the state folder or a file in it cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StateError {
    #[error(transparent)]
    Host(#[from] HostError),
    #[error("{} belongs to another user", .0.display())]
    Foreign(PathBuf),
    #[error("no deploy {0}")]
    NoDeploy(u64),
    #[error("no deploys yet")]
    Empty,
    #[error("nothing to undo: every deploy that changed something is already undone")]
    NothingToUndo,
    #[error("no deploy of the entry at hand is in effect; the newest on this machine is {newest}, of {place}")]
    NoneHere { newest: u64, place: String },
    #[error("the newest deploy on this machine is {newest}, of another entry: {place}")]
    NewestElsewhere { deploy: u64, newest: u64, place: String },
    #[error("a later apply of {entry} was refused and changed nothing, so it has nothing to undo")]
    RefusedSince { deploy: u64, entry: String },
    #[error("{}", already_undone_words(*.deploy, *.back))]
    TakenBack { deploy: u64, back: UndoneBy },
    #[error("cancelled")]
    GivenUp,
    #[error("the journal of deploy {deploy} is damaged: {why}")]
    Damaged { deploy: u64, why: String },
    #[error("the changes of deploy {deploy} are unknown: the start of its journal is unreadable ({}: {why})", .path.display())]
    Headless { deploy: u64, path: PathBuf, why: String },
}

impl StateError {
    /// Returns what the user can do about it.
    pub fn way_out(&self) -> String {
        match self {
            Self::NoDeploy(_) | Self::Empty => "`workbench deploy list` lists the deploys".into(),
            Self::NoneHere { newest, .. } => {
                format!(
                    "name the entry, `workbench deploy undo ENTRY`, or the number: `workbench deploy undo {newest}`"
                )
            }
            Self::NewestElsewhere { deploy, .. } => {
                format!("`workbench deploy undo {deploy}` undoes the newest deploy of the entry at hand")
            }
            Self::RefusedSince { deploy, .. } => {
                format!("`workbench deploy undo {deploy}` undoes the deploy before it")
            }
            Self::NothingToUndo => "to undo an undo, use its number from `workbench deploy list`".into(),
            Self::TakenBack { back: UndoneBy { by, .. }, .. } => format!(
                "`workbench deploy undo {by}` applies it again; `--on-conflict restore` also removes what that undo kept \
                because someone else created it"
            ),
            Self::Damaged { .. } => "entries before the damage can still be shown and undone".into(),
            Self::Headless { path, .. } => format!(
                "restore the file from a backup; or continue without it, with `mv {path} {path}.lost`: that deploy \
                can then not be undone",
                path = path.display()
            ),
            Self::GivenUp => "nothing was changed".into(),
            Self::Host(_) | Self::Foreign(_) => "use another folder with `--state-dir`".into(),
        }
    }
}

impl StateFolder {
    /// Opens a state folder and creates its missing parts.
    pub fn open(path: &Path) -> Result<Self, StateError> {
        make_private(path)?;
        let folder = Self { path: path.into() };
        make_private(&folder.deploys())?;
        make_private(&folder.blobs_path())?;
        // Many processes write into it at once, and only the owner can create it.
        make_private(&export_folder(path))?;
        Ok(folder)
    }

    /// Names a state folder for reading. It may be missing.
    pub fn at(path: &Path) -> Self {
        Self { path: path.into() }
    }

    /// Checks that the folder, if it exists, belongs to this user.
    pub fn check_owner(&self) -> Result<(), StateError> {
        match rustix::fs::stat(&self.path) {
            Ok(stat) if stat.st_uid != rustix::process::geteuid().as_raw() => {
                Err(StateError::Foreign(self.path.clone()))
            }
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// The folder itself.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder of the journals.
    pub fn deploys(&self) -> PathBuf {
        self.path.join("deploys")
    }

    /// The journal file of a deploy.
    pub fn journal(&self, deploy: u64) -> PathBuf {
        self.deploys().join(format!("{deploy:08}.journal"))
    }

    /// The folder of package archives fetched for previews.
    pub fn archives(&self) -> PathBuf {
        self.path.join("archives")
    }

    /// The same folder, created if missing.
    pub fn make_archives(&self) -> Result<PathBuf, StateError> {
        make_private(&self.path)?;
        make_private(&self.archives())?;
        Ok(self.archives())
    }

    /// The log of plans and fetches.
    pub fn operations(&self) -> PathBuf {
        self.path.join("operations")
    }

    /// The same file, with its folder created if missing.
    pub fn make_operations(&self) -> Result<PathBuf, StateError> {
        make_private(&self.path)?;
        Ok(self.operations())
    }

    /// Returns the key that seals saved plans. The first call creates it.
    pub fn seal_key(&self) -> Result<SealKey, StateError> {
        make_private(&self.path)?;
        let path = self.path.join("plan.key");
        if let Some(key) = read_key(&path)? {
            return Ok(key);
        }
        let mut bytes = [0; SEAL_KEY];
        fill_with_chance(&mut bytes).map_err(|errno| HostError::io("make a key for", &path, errno))?;
        let failed = |error: std::io::Error| StateError::from(HostError::std("write", &path, &error));
        // Private from the start. The first process stores the complete key.
        let mut file = tempfile::NamedTempFile::new_in(&self.path).map_err(failed)?;
        std::io::Write::write_all(&mut file, &bytes).map_err(failed)?;
        file.as_file().sync_all().map_err(failed)?;
        if let Err(error) = file.persist_noclobber(&path)
            && error.error.kind() != std::io::ErrorKind::AlreadyExists
        {
            return Err(failed(error.error));
        }
        let why =
            || HostError::Refused(format!("{} is not a key; delete it, and save the plans again", path.display()));
        read_key(&path)?.ok_or_else(|| why().into())
    }

    /// The lock file. The process that applies holds it.
    pub fn lock(&self) -> PathBuf {
        self.path.join("lock")
    }

    /// The socket of the applier that holds the lock.
    pub fn socket(&self) -> PathBuf {
        self.path.join("applier.sock")
    }

    /// Opens the store of file contents, which journals refer to by hash.
    pub fn blobs(&self) -> Result<Blobs, StateError> {
        let path = self.blobs_path();
        Ok(Blobs::open(&path).map_err(|errno| HostError::io("open", &path, errno))?)
    }

    fn blobs_path(&self) -> PathBuf {
        self.path.join("blobs")
    }
}

/// Returns `None` if the key is missing, or if others could read or write it.
fn read_key(path: &Path) -> Result<Option<SealKey>, StateError> {
    let failed = |errno| StateError::from(HostError::io("read", path, errno));
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = match rustix::fs::openat(CWD, path, flags, Mode::empty()) {
        Ok(file) => file,
        Err(Errno::NOENT) => return Ok(None),
        Err(errno) => return Err(failed(errno)),
    };
    let stat = rustix::fs::fstat(&file).map_err(failed)?;
    if stat.st_uid != rustix::process::geteuid().as_raw() || stat.st_mode & 0o077 != 0 {
        return Err(StateError::Foreign(path.into()));
    }
    let mut bytes = [0; SEAL_KEY];
    let read = rustix::io::read(&file, &mut bytes).map_err(failed)?;
    Ok((read == SEAL_KEY && stat.st_size == SEAL_KEY as i64).then(|| bytes.into()))
}

fn fill_with_chance(mut bytes: &mut [u8]) -> Result<(), Errno> {
    while !bytes.is_empty() {
        let filled = rustix::rand::getrandom(&mut *bytes, rustix::rand::GetRandomFlags::empty())?;
        bytes = &mut bytes[filled..];
    }
    Ok(())
}

/// Creates a private folder and the folders above it.
fn make_private(path: &Path) -> Result<(), StateError> {
    let failed = |errno| StateError::from(HostError::io("make", path, errno));
    match rustix::fs::mkdir(path, Mode::RWXU) {
        Ok(()) => journal::sync_folder(path).map_err(failed)?,
        Err(Errno::EXIST) => {}
        Err(Errno::NOENT) => {
            let above =
                path.parent().filter(|above| !above.as_os_str().is_empty()).ok_or_else(|| failed(Errno::NOENT))?;
            make_private_above(above)?;
            rustix::fs::mkdir(path, Mode::RWXU).map_err(failed)?;
            journal::sync_folder(path).map_err(failed)?;
        }
        Err(errno) => return Err(failed(errno)),
    }
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let dir = rustix::fs::openat(CWD, path, flags, Mode::empty()).map_err(failed)?;
    let stat = rustix::fs::fstat(&dir).map_err(failed)?;
    if stat.st_uid != rustix::process::geteuid().as_raw() {
        return Err(StateError::Foreign(path.into()));
    }
    if stat.st_mode & 0o077 != 0 {
        rustix::fs::fchmod(&dir, Mode::RWXU).map_err(failed)?;
    }
    Ok(())
}

/// New folders above are private too. Existing ones stay unchanged.
fn make_private_above(path: &Path) -> Result<(), StateError> {
    match rustix::fs::mkdir(path, Mode::RWXU) {
        Ok(()) | Err(Errno::EXIST) => Ok(()),
        Err(Errno::NOENT) => {
            let above = path.parent().filter(|above| !above.as_os_str().is_empty());
            let above = above.ok_or_else(|| HostError::io("make", path, Errno::NOENT))?;
            make_private_above(above)?;
            rustix::fs::mkdir(path, Mode::RWXU).map_err(|errno| HostError::io("make", path, errno).into())
        }
        Err(errno) => Err(HostError::io("make", path, errno).into()),
    }
}
