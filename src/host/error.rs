//! The errors of a machine, as types. Only this file turns them into text.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::io::Errno;

use crate::source::printable;

/// Why an operation or inspection of the machine failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HostError {
    /// A required path does not exist.
    #[error("{} does not exist", shown(path))]
    Missing { path: PathBuf },
    /// An earlier step may create or change it, with an unknown result.
    #[error("the state of {} is known after apply", shown(path))]
    Unknown { path: PathBuf },
    /// A parameter has no value yet.
    #[error("`{param}` is known after apply")]
    UnknownValue { param: String },
    #[error("cannot {action} {}: {}", shown(path), reason(*errno))]
    Io { action: &'static str, path: PathBuf, errno: Errno },
    #[error("{} is {found}, not {wanted}{}", shown(path), hint(hint_text))]
    WrongKind { path: PathBuf, found: &'static str, wanted: &'static str, hint_text: &'static str },
    #[error("{} is larger than {cap} bytes", shown(path))]
    TooLarge { path: PathBuf, cap: u64 },
    #[error("{} is not a valid path: {why}", shown(path))]
    BadPath { path: PathBuf, why: &'static str },
    #[error("no {what} `{}`", printable(name))]
    NoAccount { what: &'static str, name: String },
    /// No package manager offers it, as far as the machine knows.
    #[error("no package `{}` is available{}", printable(name), hint(hint_text))]
    NoPackage { name: String, hint_text: &'static str },
    /// The machine lacks a tool for this inspection or change.
    #[error("no {what}: {why}")]
    NoManager { what: &'static str, why: String },
    #[error("no unit `{}`", printable(name))]
    NoUnit { name: String },
    /// An earlier step may create or change it, with an unknown result.
    #[error("the {what} `{}` is known after apply", printable(name))]
    UnknownName { what: &'static str, name: String },
    /// The maintainer scripts of a package that an earlier step installs may create it.
    #[error("the scripts of package `{}` may create {}", printable(package), printable(what))]
    MayAppear { what: String, package: String },
    #[error("waited {} for {what}, held by {holder}", seconds(*after))]
    Busy { what: &'static str, holder: String, after: Duration },
    #[error("cannot start `{}`: {}", printable(program), reason(*errno))]
    Spawn { program: String, errno: Errno },
    #[error("`{}` was killed after {} (timeout)", printable(program), seconds(*after))]
    Deadline { program: String, after: Duration },
    #[error("`{}` was stopped", printable(program))]
    Cancelled { program: String },
    #[error("`{}` was killed, but {left} of its processes are still running", printable(program))]
    Unended { program: String, left: u32 },
    /// Another program changed the path between the before-image and the replacement.
    #[error("{} was changed by another program at the same time and was not touched", shown(path))]
    Moved { path: PathBuf },
    /// The journal rejects an entry, so nothing may be done.
    #[error("the journal cannot {action}: {}; nothing was changed", reason(*errno))]
    Journal { action: &'static str, errno: Errno },
    /// The request is impossible on any machine.
    #[error("{0}")]
    Refused(String),
}

impl HostError {
    /// Makes an error of the journal. `action` completes "the journal cannot …".
    pub fn journal(action: &'static str, errno: Errno) -> Self {
        HostError::Journal { action, errno }
    }

    /// Makes an error from a failed system call at a path.
    pub fn io(action: &'static str, path: &Path, errno: Errno) -> Self {
        HostError::Io { action, path: path.into(), errno }
    }

    /// The same for an error of the standard library, which always comes from a system call here.
    pub fn std(action: &'static str, path: &Path, error: &std::io::Error) -> Self {
        HostError::io(action, path, errno_of(error))
    }

    /// Whether the answer is "not known yet" rather than "no".
    pub fn is_unknown(&self) -> bool {
        matches!(
            self,
            HostError::Unknown { .. }
                | HostError::UnknownValue { .. }
                | HostError::UnknownName { .. }
                | HostError::MayAppear { .. }
        )
    }

    /// Whether the thing is absent unless a package's scripts create it. For a prediction that counts as absent.
    pub fn is_absent_so_far(&self) -> bool {
        matches!(self, HostError::MayAppear { .. })
    }

    /// Whether the work was ended before it finished.
    pub fn is_cut_short(&self) -> bool {
        matches!(self, HostError::Deadline { .. } | HostError::Cancelled { .. } | HostError::Unended { .. })
    }

    /// Whether something is missing that an earlier step might have created.
    pub fn is_missing(&self) -> bool {
        matches!(
            self,
            HostError::Missing { .. }
                | HostError::NoAccount { .. }
                | HostError::NoPackage { .. }
                | HostError::NoUnit { .. }
        )
    }
}

/// Returns the system's error number, or "invalid argument" if the standard library itself rejected the call.
pub fn errno_of(error: &std::io::Error) -> Errno {
    Errno::from_io_error(error).unwrap_or(Errno::INVAL)
}

fn shown(path: &Path) -> String {
    printable(&path.to_string_lossy()).as_str().to_owned()
}

fn hint(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("; {text}") }
}

fn seconds(after: Duration) -> String {
    if after.as_millis() < 1000 { format!("{} ms", after.as_millis()) } else { format!("{:.1} s", after.as_secs_f64()) }
}

/// Describes common errors in our words, and others in the system's.
fn reason(errno: Errno) -> String {
    match errno {
        Errno::NOSPC => "no space left on the device".into(),
        Errno::DQUOT => "disk quota exceeded".into(),
        Errno::ACCESS => "permission denied".into(),
        Errno::PERM => "operation not permitted".into(),
        Errno::ROFS => "the file system is read-only".into(),
        Errno::NOENT => "no such file or folder".into(),
        Errno::LOOP => "a symbolic link is in the way".into(),
        Errno::NOTDIR => "part of the path is not a folder".into(),
        Errno::NAMETOOLONG => "the name is too long".into(),
        other => {
            let text = std::io::Error::from(other).to_string();
            text.split(" (os error").next().unwrap_or_default().to_lowercase()
        }
    }
}
