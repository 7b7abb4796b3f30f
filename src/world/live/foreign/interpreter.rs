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
    /// The oldest version that the worker runs in.
    oldest: (u32, u32),
    /// What to do if there is no such interpreter.
    way_out: &'static str,
    /// The program of the worker. Its argument is the size limit of an answer.
    pub program: &'static str,
    /// Why a worker may have ended by itself.
    pub ended: &'static str,
}

pub const PYTHON: Guest = Guest {
    name: "python3",
    arguments: &["-I", "-B", "-c"],
    find: "import json, sys; print(json.dumps({'program': sys.executable, 'version': list(sys.version_info[:2]), \
        'folders': [sys.prefix + '/pyvenv.cfg', sys.base_prefix + '/lib'] + sys.path}))",
    oldest: (3, 9),
    way_out: "install Python 3.9 or later as `python3`, or leave `--run-plugins` out: results of plugins are then unknown",
    program: include_str!("worker.py"),
    ended: "the worker ended; a plugin may have crashed it or used too much memory",
};

/// An interpreter of the user.
#[derive(Debug, Deserialize)]
pub struct Found {
    pub program: PathBuf,
    #[serde(default)]
    version: Option<(u32, u32)>,
    /// Its own folders and files.
    pub folders: Vec<PathBuf>,
}

impl Guest {
    /// Asks the user's interpreter where it is: the one of a version, or else the one that the user's shell finds.
    /// The way out of an error is behind a line break.
    pub fn find(&self, version: Option<&str>) -> Result<Found, ReadError> {
        let problem = |reason: &str| self.failed(&format!("{reason}\n{}", self.way_out));
        let name = match version {
            Some(version) => format!("{}{version}", self.name.trim_end_matches('3')),
            None => self.name.to_owned(),
        };
        let mut command = Command::new(&name);
        command.args(self.arguments).arg(self.find).stdin(Stdio::null()).stderr(Stdio::null());
        let output = match (command.output(), version) {
            (Ok(output), _) => output,
            (Err(_), Some(version)) => {
                let reason = format!(
                    "the project's virtual environment is for {name}, which is not installed\ninstall Python {version}, \
                     or make the environment again with `python3 -m venv`"
                );
                return Err(self.failed(&reason));
            }
            (Err(error), None) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(problem(&format!("`{name}` is not installed")));
            }
            (Err(error), None) => return Err(problem(&format!("`{name}` does not start: {error}"))),
        };
        let found: Found = serde_json::from_slice(&output.stdout)
            .map_err(|_| problem(&format!("`{name}` does not report where it is installed")))?;
        match found.version {
            Some(version) if version < self.oldest => {
                let (major, minor) = version;
                Err(problem(&format!("`{name}` is Python {major}.{minor}, which is too old")))
            }
            _ => Ok(found),
        }
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
