//! The exit codes, which are stable for scripts.

use std::process::ExitCode;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Done; with `--detailed-exitcode`: nothing to change.
    Done,
    /// Refused before anything was done; the reasons are on stderr. Also for differences of `fmt --check` and a failed
    /// `assert`.
    Refused,
    /// `--detailed-exitcode`: changes made or pending.
    Changes,
    /// A resource failed.
    Failed,
    /// `--detailed-exitcode`: changes made, and a resource failed.
    ChangesAndFailed,
    /// The command line is invalid.
    Usage,
    /// The output could not be written, for example because the disk is full.
    Unwritten,
    /// Another applier holds the lock.
    Locked,
    /// Stopped by the user.
    Stopped,
    /// An `exit` resource asked for this code.
    Asked(u8),
    /// The screens were ended by a signal of this number; shells use the same code.
    Signal(u8),
}

impl Exit {
    /// Returns the number of the exit code.
    pub fn code(self) -> u8 {
        match self {
            Exit::Done => 0,
            Exit::Refused => 1,
            Exit::Changes => 2,
            Exit::Failed => 4,
            Exit::ChangesAndFailed => 6,
            Exit::Usage => 64,
            Exit::Unwritten => 74,
            Exit::Locked => 75,
            Exit::Stopped => 130,
            Exit::Asked(code) => code,
            Exit::Signal(number) => 128_u8.saturating_add(number),
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit.code())
    }
}
