//! A machine that is a table: files and answers of guards, for tests.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Command, FileKind, HostError, Identity, LookAccounts, LookCommands, LookFiles, Output, Stat};

/// What lies at a path of the table.
#[derive(Clone, Debug)]
enum Entry {
    File(Arc<[u8]>, u32),
    Dir(u32),
    Link(PathBuf),
}

/// A machine in memory, read-only like any other `Look`; an overlay over it takes writes.
#[derive(Clone, Debug)]
pub struct Memory {
    entries: BTreeMap<PathBuf, Entry>,
    probes: Vec<(OsString, Output)>,
}

impl Default for Memory {
    fn default() -> Self {
        Self { entries: BTreeMap::from([(PathBuf::from("/"), Entry::Dir(0o755))]), probes: Vec::new() }
    }
}

impl Memory {
    pub fn file(mut self, path: &str, content: &str, mode: u32) -> Self {
        self.entries.insert(path.into(), Entry::File(content.as_bytes().into(), mode));
        self
    }

    pub fn dir(mut self, path: &str, mode: u32) -> Self {
        self.entries.insert(path.into(), Entry::Dir(mode));
        self
    }

    pub fn link(mut self, path: &str, target: &str) -> Self {
        self.entries.insert(path.into(), Entry::Link(target.into()));
        self
    }

    /// What a guard answers, by its program; other guards are not known.
    pub fn probe(mut self, program: &str, code: i32, stdout: &str) -> Self {
        let (stdout, combined) = (stdout.as_bytes().to_vec(), stdout.as_bytes().to_vec());
        self.probes.push((program.into(), Output { code: Some(code), stdout, combined, ..Output::default() }));
        self
    }

    /// Follows links all along the path.
    fn follow(&self, path: &Path) -> Option<&Entry> {
        let mut path = path.to_path_buf();
        for _ in 0..40 {
            match self.entries.get(&path)? {
                Entry::Link(target) => path = path.parent().unwrap_or(Path::new("/")).join(target),
                entry => return Some(entry),
            }
        }
        None
    }
}

fn to_stat(entry: &Entry) -> Stat {
    let (kind, mode, size) = match entry {
        Entry::File(content, mode) => (FileKind::File, *mode, content.len() as u64),
        Entry::Dir(mode) => (FileKind::Dir, *mode, 0),
        Entry::Link(target) => (FileKind::Link, 0o777, target.as_os_str().len() as u64),
    };
    Stat { kind, mode, uid: 0, gid: 0, size }
}

impl LookFiles for Memory {
    fn stat(&self, path: &Path) -> Result<Option<Stat>, HostError> {
        Ok(self.entries.get(path).map(to_stat))
    }

    fn stat_target(&self, path: &Path) -> Result<Option<Stat>, HostError> {
        Ok(self.follow(path).map(to_stat))
    }

    fn read(&self, path: &Path) -> Result<Option<Arc<[u8]>>, HostError> {
        match self.follow(path) {
            Some(Entry::File(content, _)) => Ok(Some(Arc::clone(content))),
            _ => Err(HostError::Missing { path: path.into() }),
        }
    }

    fn read_link(&self, path: &Path) -> Result<PathBuf, HostError> {
        match self.entries.get(path) {
            Some(Entry::Link(target)) => Ok(target.clone()),
            _ => Err(HostError::Missing { path: path.into() }),
        }
    }

    fn list(&self, path: &Path) -> Result<Vec<OsString>, HostError> {
        let below = self.entries.keys().filter(|there| there.parent() == Some(path));
        Ok(below.filter_map(|there| there.file_name()).map(OsString::from).collect())
    }

    fn modified(&self, path: &Path) -> Result<Option<i64>, HostError> {
        let there = self.follow(path).map(|_| Some(0));
        there.ok_or_else(|| HostError::Missing { path: path.into() })
    }

    fn xattr(&self, _path: &Path, _name: &str) -> Result<Option<Vec<u8>>, HostError> {
        Ok(None)
    }
}

impl LookAccounts for Memory {
    fn identity(&self) -> Identity {
        Identity { uid: 0, gid: 0, umask: 0o022 }
    }

    fn uid(&self, name: &str) -> Result<Option<u32>, HostError> {
        Ok((name == "root").then_some(0))
    }

    fn gid(&self, name: &str) -> Result<Option<u32>, HostError> {
        self.uid(name)
    }

    fn user_name(&self, uid: u32) -> Option<String> {
        (uid == 0).then(|| "root".to_string())
    }

    fn group_name(&self, gid: u32) -> Option<String> {
        self.user_name(gid)
    }
}

impl LookCommands for Memory {
    fn probe(&self, command: &Command) -> Result<Option<Output>, HostError> {
        Ok(self.probes.iter().find(|(program, _)| *program == command.program).map(|(_, output)| output.clone()))
    }
}
