//! The interpreters of foreign code: how each is found and started.

use std::io::ErrorKind;
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
    /// Prints an [`InstalledInterpreter`] as JSON.
    find: &'static str,
    /// The program of the worker. Its argument is the size limit of an answer.
    pub program: &'static str,
    /// Why a worker may have ended by itself.
    pub ended: &'static str,
    /// Whether it uses the network, because it runs no code of modules.
    pub has_network: bool,
    /// The oldest version that it needs.
    least: (u32, u32),
    /// How to install it.
    install: &'static str,
}

/// Python 3, for the plugins of Inmanta modules.
pub const PYTHON: Guest = Guest {
    name: "python3",
    arguments: &["-I", "-B", "-c"],
    find: "import json, sys; print(json.dumps({'program': sys.executable, 'version': sys.version.split()[0], \
        'folders': [sys.prefix + '/pyvenv.cfg', sys.base_prefix + '/lib'] + sys.path}))",
    program: include_str!("python.py"),
    ended: "the worker ended; a plugin may have crashed it or used too much memory",
    has_network: false,
    least: (3, 9),
    install: "install Python 3, for example with `apt-get install python3`",
};

/// Ruby, for the functions, facts and types of Puppet modules.
pub const RUBY: Guest = Guest {
    name: "ruby",
    arguments: &["-W0", "--disable-did_you_mean", "--disable-error_highlight", "-e"],
    find: "require 'json'; require 'rbconfig'; print JSON.generate({ 'program' => RbConfig.ruby, \
        'folders' => [*$LOAD_PATH, *Gem.path], 'version' => RUBY_VERSION })",
    program: concat!(
        include_str!("ruby/core.rb"),
        include_str!("ruby/puppet.rb"),
        include_str!("ruby/facter.rb"),
        include_str!("ruby/type.rb"),
        include_str!("ruby/names.rb"),
        include_str!("ruby/work.rb")
    ),
    ended: "the worker ended; Ruby code may have ended it or used too much memory",
    has_network: false,
    least: (2, 6),
    install: "install Ruby, for example with `apt-get install ruby`",
};

/// Ruby with a program of our own, for the names of machines that Ruby code of modules looks up.
pub const RESOLVER: Guest =
    Guest { program: include_str!("ruby/resolver.rb"), ended: "the look-up ended", has_network: true, ..RUBY };

/// An interpreter of the user.
#[derive(Debug, Deserialize)]
pub struct InstalledInterpreter {
    pub program: PathBuf,
    /// Its own folders and files.
    pub folders: Vec<PathBuf>,
    #[serde(default)]
    version: String,
}

impl Guest {
    /// Asks an interpreter where it is: the one of a version, or else the one that the user's shell finds. The way out
    /// of an error is behind a semicolon.
    pub fn find(&self, version: Option<&str>) -> Result<InstalledInterpreter, ReadError> {
        let name = match version {
            Some(version) => format!("{}{version}", self.name.trim_end_matches('3')),
            None => self.name.to_owned(),
        };
        let mut command = Command::new(&name);
        command.args(self.arguments).arg(self.find).stdin(Stdio::null()).stderr(Stdio::null());
        let output = command.output().map_err(|error| match (error.kind(), version) {
            (ErrorKind::NotFound, None) => self.failed(&format!("`{name}` is not on the PATH; {}", self.install)),
            (ErrorKind::NotFound, Some(version)) => self.failed(&format!(
                "the project's virtual environment is for `{name}`, which is not on the PATH; install version {version}, \
                 or make the environment again for the version on the PATH"
            )),
            _ => self.failed(&format!("`{name}` does not start: {error}; {}", self.install)),
        })?;
        let found: Result<InstalledInterpreter, _> = serde_json::from_slice(&output.stdout);
        let unclear = format!("`{name}` does not report where it is installed; {}", self.install);
        let found = found.map_err(|_| self.failed(&unclear))?;
        let (least, minor) = self.least;
        let mut parts = found.version.split('.').map_while(|part| part.parse::<u32>().ok());
        let version = (parts.next().unwrap_or(least), parts.next().unwrap_or(minor));
        if version < self.least {
            let reason = format!(
                "version {} of `{name}` is too old: {least}.{minor} or newer is needed; install it, and put it on the PATH",
                found.version
            );
            return Err(self.failed(&reason));
        }
        Ok(found)
    }

    /// Makes an error that concerns the interpreter.
    pub fn failed(&self, reason: &str) -> ReadError {
        ReadError::Failed { path: self.name.into(), reason: reason.into() }
    }
}

impl InstalledInterpreter {
    /// The program, and the file that it links to.
    pub fn files(&self) -> impl Iterator<Item = PathBuf> {
        std::iter::once(self.program.clone()).chain(self.program.canonicalize().ok())
    }
}
