//! A world in which some folders are redirected: staged files appear at their final place.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Read, ReadError, Sample, World};

/// Answers reads below some folders from other folders.
pub struct Redirected {
    inner: Arc<dyn World>,
    /// (The requested folder, the actual one.)
    folders: Vec<(PathBuf, PathBuf)>,
}

impl Redirected {
    /// Redirects folders. Each pair has the path that programs use, then the folder that has its files.
    pub fn new(inner: Arc<dyn World>, folders: &[(PathBuf, PathBuf)]) -> Self {
        let mut folders = folders.to_vec();
        // The innermost folder decides.
        folders.sort_by_key(|(asked, _)| std::cmp::Reverse(asked.components().count()));
        Self { inner, folders }
    }

    fn path(&self, path: &Path) -> PathBuf {
        let found = self.folders.iter().find_map(|(asked, is)| {
            let rest = path.strip_prefix(asked).ok()?;
            // A trailing slash would make a file invalid.
            Some(if rest.as_os_str().is_empty() { is.clone() } else { is.join(rest) })
        });
        found.unwrap_or_else(|| path.to_path_buf())
    }
}

impl World for Redirected {
    fn read(&self, what: &Read) -> Result<Sample, ReadError> {
        match what {
            Read::File(path) => self.inner.read(&Read::File(self.path(path))),
            Read::Kind(path) => self.inner.read(&Read::Kind(self.path(path))),
            Read::Folder(path) => self.inner.read(&Read::Folder(self.path(path))),
            Read::Link(path) => self.inner.read(&Read::Link(self.path(path))),
            Read::Plugin(call) => self.inner.read(&Read::Plugin(call.at(|path| self.path(path)))),
            other => self.inner.read(other),
        }
    }
}
