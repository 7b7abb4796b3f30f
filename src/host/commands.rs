//! The facet of commands: the user's own, and those that only ask.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use super::HostError;
use crate::world::Cancel;

/// How much of each output is kept; the end, since errors stand there.
pub const OUTPUT_CAP: usize = 1 << 20;

/// One command to run: standard input is empty, the environment is exactly `env`.
#[derive(Clone, Debug, Default)]
pub struct Command {
    /// Looked up in our own search path where it has no slash.
    pub program: OsString,
    pub args: Vec<OsString>,
    pub cwd: Option<PathBuf>,
    pub env: Vec<(OsString, OsString)>,
    pub uid: Option<u32>,
    pub gid: Option<u32>,
    /// What asks it to end, as the system's number; `SIGTERM` where it is not set.
    pub signal: Option<i32>,
    /// Then it is ended, with all that it started.
    pub timeout: Option<Duration>,
    /// Ends it early.
    pub cancel: Cancel,
    /// Its first word is secret too: nothing names the program.
    pub is_hidden: bool,
    /// How much of each output is kept, where that is not [`OUTPUT_CAP`].
    pub keep: Option<usize>,
}

impl Command {
    /// The program, as it may be told.
    pub fn name(&self) -> String {
        match self.is_hidden {
            true => "a sensitive command".into(),
            false => self.program.to_string_lossy().into_owned(),
        }
    }
}

/// What a command wrote, and how it ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// `None`: ended by `signal`.
    pub code: Option<i32>,
    pub signal: Option<i32>,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    /// Both, in the order they came.
    pub combined: Vec<u8>,
    /// Some of the beginning was let go.
    pub truncated: bool,
}

impl Output {
    pub fn succeeded(&self) -> bool {
        self.code == Some(0)
    }
}

/// Commands that only ask.
pub trait LookCommands {
    /// Runs a user's guard. `None` where guards may not run, so that the answer is unknown.
    fn probe(&self, command: &Command) -> Result<Option<Output>, HostError>;
}

/// Commands that may do anything.
pub trait ActCommands {
    /// Runs a command. `None` where it is only predicted, so that its output is unknown.
    fn run(&self, command: &Command) -> Result<Option<Output>, HostError>;
}
