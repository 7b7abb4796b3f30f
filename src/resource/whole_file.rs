//! A complete file that a kind writes in addition to its main work, such as a unit or the kernel's settings.

use std::path::{Path, PathBuf};

use super::steps::Steps;
use crate::host::{FileImage, FileKind, HostError, Look, Operation, Owner};
use crate::plan::unshown;

/// The desired file. It is replaced as a whole, and a link in its place is replaced instead of followed.
pub(super) struct WholeFile {
    pub path: PathBuf,
    /// The mode of a new file. An existing one keeps its own.
    pub mode: u32,
    pub content: String,
}

impl WholeFile {
    /// Adds the necessary work. Returns whether there is any.
    pub fn differs(&self, look: &dyn Look, property: &str, steps: &mut Steps) -> Result<bool, HostError> {
        let there = match look.stat(&self.path) {
            Ok(there) => there,
            // The new content is known anyway.
            Err(error) if error.is_unknown() => None,
            Err(error) => return Err(error),
        };
        let have = match there {
            Some(stat) if stat.kind == FileKind::File => look.read(&self.path)?,
            Some(stat) if stat.kind != FileKind::Link => {
                let (found, wanted) = (stat.kind.words(), FileKind::File.words());
                return Err(HostError::WrongKind { path: self.path.clone(), found, wanted, hint_text: "" });
            }
            _ => None,
        };
        if have.as_deref() == Some(self.content.as_bytes()) {
            return Ok(false);
        }
        // For a private file only the size is shown.
        let is_private = there.is_some_and(|stat| stat.kind == FileKind::File && stat.is_private());
        let shown = |bytes: &[u8]| unshown::shown(bytes, is_private);
        steps.content_differs(property, have.map(|bytes| shown(&bytes)), shown(self.content.as_bytes()));
        for folder in missing_folders(look, &self.path)? {
            let mode = 0o777 & !look.identity().umask;
            steps.file(Operation::MakeDir { path: folder, mode, owner: Owner::default() });
        }
        let kept = there.filter(|stat| stat.kind == FileKind::File);
        let image = FileImage {
            content: Some(self.content.as_bytes().into()),
            mode: kept.map_or(self.mode, |stat| stat.mode),
            owner: kept.map_or(Owner::default(), |stat| Owner { uid: Some(stat.uid), gid: Some(stat.gid) }),
        };
        steps.file(Operation::WriteFile { path: self.path.clone(), image });
        Ok(true)
    }
}

/// Returns the missing parent folders, the outermost first.
fn missing_folders(look: &dyn Look, path: &Path) -> Result<Vec<PathBuf>, HostError> {
    let mut missing = Vec::new();
    for folder in path.ancestors().skip(1) {
        match look.stat_target(folder) {
            Ok(Some(_)) => break,
            Ok(None) => missing.push(folder.to_path_buf()),
            Err(error) if error.is_unknown() => break,
            Err(error) => return Err(error),
        }
    }
    missing.reverse();
    Ok(missing)
}
