//! The files of a folder that are the user's own: without fetched modules and hidden files.

use std::path::{Path, PathBuf};

use super::clean;
use crate::world::{PathKind, Read, Sample, World};

/// Deeper folders are not walked.
const DEPTH: usize = 32;

/// More files are not walked.
const MOST: usize = 50_000;

/// Returns all files below a folder in the order of their paths, without those below a foreign folder.
pub fn own_files(world: &dyn World, folder: &Path, foreign: &[PathBuf]) -> Vec<PathBuf> {
    let (mut found, mut folders) = (Vec::new(), vec![(folder.to_path_buf(), 0)]);
    while let Some((folder, depth)) = folders.pop() {
        let here = if folder.as_os_str().is_empty() { Path::new(".") } else { &folder };
        let Ok(Sample::Names(names)) = world.read(&Read::Folder(here.into())) else { continue };
        for name in names.into_iter().filter(|name| !name.starts_with('.')) {
            let path = clean(&folder.join(name));
            match world.kind(&path) {
                PathKind::File if found.len() < MOST => found.push(path),
                PathKind::Folder if depth < DEPTH && !foreign.contains(&path) => folders.push((path, depth + 1)),
                _ => {}
            }
        }
    }
    found.sort();
    found
}
