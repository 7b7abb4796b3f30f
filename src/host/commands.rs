//! The facet of commands: the user's commands and the read-only guards.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use super::HostError;
use crate::world::Cancel;

/// The number of bytes kept of each output: the end, which usually has the errors.
pub const OUTPUT_CAP: usize = 1 << 20;

/// A command to run. Standard input is empty, and the environment is exactly `env`.
#[derive(Clone, Debug, Default)]
pub struct Command {
    /// A name without a slash is looked up in this process's search path.
    pub program: OsString,
    pub args: Vec<OsString>,
    /// A secret text that the program, a shell, reads as its script. It is in no argument, because every user can see
    /// those, but in a nameless file in memory that only the command has open.
    pub script: Option<OsString>,
    pub cwd: Option<PathBuf>,
    pub env: Vec<(OsString, OsString)>,
    pub uid: Option<u32>,
    pub gid: Option<u32>,
    /// The signal that asks the command to end; by default `SIGTERM`.
    pub signal: Option<i32>,
    /// After this time the command and its descendants are killed.
    pub timeout: Option<Duration>,
    /// Cancels the command.
    pub cancel: Cancel,
    /// The program itself is secret and must not be shown.
    pub is_hidden: bool,
    /// The number of bytes kept of each output; by default [`OUTPUT_CAP`].
    pub keep: Option<usize>,
}

impl Command {
    /// Returns the name of the program for messages.
    pub fn name(&self) -> String {
        match self.is_hidden {
            true => "a sensitive command".into(),
            false => self.program.to_string_lossy().into_owned(),
        }
    }
}

/// The output and exit status of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// `None` if `signal` ended the command.
    pub code: Option<i32>,
    pub signal: Option<i32>,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    /// Both outputs, in the order of arrival.
    pub combined: Vec<u8>,
    /// The beginning of an output was dropped.
    pub truncated: bool,
}

impl Output {
    /// Whether the exit code is 0. A command that was killed has none.
    pub fn succeeded(&self) -> bool {
        self.code == Some(0)
    }
}

/// Commands that only read.
pub trait LookCommands {
    /// Runs a user's guard. `None` if guards may not run, so that the answer is unknown.
    fn probe(&self, command: &Command) -> Result<Option<Output>, HostError>;
}

/// Commands that may change the machine.
pub trait ActCommands {
    /// Runs a command. `None` if the run is only predicted, so that the output is unknown.
    fn run(&self, command: &Command) -> Result<Option<Output>, HostError>;
}
