//! The interpreters of foreign code: how each is found and started.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde::Deserialize;

use crate::world::ReadError;

/// An interpreter that a worker runs in.
#[derive(Debug)]
pub struct Guest {
    /// Its command.
    pub name: &'static str,
    /// The arguments before the text of a program.
    pub arguments: &'static [&'static str],
    /// Prints a [`Found`] as JSON.
    find: &'static str,
    /// The program of the worker. Its argument is the size limit of an answer.
    pub program: &'static str,
    /// Why a worker may have ended by itself.
    pub ended: &'static str,
}

pub const PYTHON: Guest = Guest {
    name: "python3",
    arguments: &["-I", "-B", "-c"],
    find: "import json, sys; print(json.dumps({'program': sys.executable, 'folders': \
        [sys.prefix + '/pyvenv.cfg', sys.base_prefix + '/lib', *sys.path]}))",
    program: include_str!("worker.py"),
    ended: "the worker ended; a plugin may have crashed it or used too much memory",
};

/// An interpreter of the user.
#[derive(Debug, Deserialize)]
pub struct Found {
    pub program: PathBuf,
    /// Its own folders and files.
    pub folders: Vec<PathBuf>,
}

impl Guest {
    /// Asks the user's interpreter where it is.
    pub fn find(&self) -> Result<Found, ReadError> {
        let mut command = Command::new(self.name);
        command.args(self.arguments).arg(self.find).stdin(Stdio::null()).stderr(Stdio::null());
        let output = command.output().map_err(|error| self.failed(&error.to_string()))?;
        serde_json::from_slice(&output.stdout).map_err(|_| self.failed("does not report where it is installed"))
    }

    pub fn failed(&self, reason: &str) -> ReadError {
        ReadError::Failed { path: self.name.into(), reason: reason.into() }
    }
}

impl Found {
    /// The program, and the file that it links to.
    pub fn files(&self) -> impl Iterator<Item = PathBuf> {
        std::iter::once(self.program.clone()).chain(self.program.canonicalize().ok())
    }
}
