//! The module path of an entry: where its imports may lie, best first, each with the reason why it is looked at.
//!
//! The flag comes first, then `WORKBENCH_MODULE_PATH`, `MGMT_MODULE_PATH`, the project's settings, `path` of the entry's
//! metadata, the user's settings, and the project's `modules/`. mgmt's documentation has this order; its code lets the metadata win.

use std::path::{Path, PathBuf};

use super::{EntryPoint, load_text, parse_metadata};
use crate::diag::{Code, Diagnostic, Diagnostics, Stage};
use crate::source::Sources;
use crate::world::{PathKind, Read, Sample, World};

/// One folder of the module path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchFolder {
    pub path: PathBuf,
    /// Who said so, in the words of a user: `--module-path`, a variable's name, a file's.
    pub why: String,
}

/// What the user, and the project's settings, say about the module path.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    pub flags: Vec<PathBuf>,
    /// From the project's settings: before its metadata, which other programs read too.
    pub project: Vec<SearchFolder>,
    /// From the user's own settings: behind what the project says.
    pub user: Vec<SearchFolder>,
}

/// The folders to search, best first. What was asked for by flag or variable must exist.
pub fn module_path(
    world: &dyn World,
    entry: &EntryPoint,
    wanted: Wanted,
    diags: &mut Diagnostics,
) -> Vec<SearchFolder> {
    let mut folders = Vec::new();
    for path in &wanted.flags {
        asked_for(world, path, "--module-path", &mut folders, diags);
    }
    for name in ["WORKBENCH_MODULE_PATH", "MGMT_MODULE_PATH"] {
        let value = variable(world, name);
        for path in value.split(':').filter(|path| !path.is_empty()) {
            asked_for(world, Path::new(path), name, &mut folders, diags);
        }
    }
    folders.extend(wanted.project);
    folders.extend(by_metadata(world, entry));
    folders.extend(wanted.user);
    folders.push(SearchFolder { path: entry.base.join("modules/"), why: "the project's modules/".into() });
    folders
}

fn asked_for(world: &dyn World, path: &Path, why: &str, folders: &mut Vec<SearchFolder>, diags: &mut Diagnostics) {
    if world.kind(path) == PathKind::Folder {
        folders.push(SearchFolder { path: path.into(), why: why.into() });
        return;
    }
    diags.push(
        Diagnostic::placeless(Code::NoSuchPath)
            .stage(Stage::Module)
            .label(format!("{why}: `{}` is not a folder", path.display()))
            .help("create the folder, or remove the setting"),
    );
}

/// The metadata's own faults have been told when the entry was found, so they are not told again.
fn by_metadata(world: &dyn World, entry: &EntryPoint) -> Option<SearchFolder> {
    let file = entry.metadata.as_deref()?;
    let (mut sources, mut unheard) = (Sources::default(), Diagnostics::new(Stage::Module));
    let id = load_text(world, file, None, &mut sources, &mut unheard)?;
    let metadata = parse_metadata(&sources, id, &mut unheard)?;
    let path = (!metadata.path.is_empty()).then(|| entry.base.join(&metadata.path))?;
    Some(SearchFolder { path, why: format!("`path` in {}", file.display()) })
}

fn variable(world: &dyn World, name: &str) -> String {
    match world.read(&Read::Environment) {
        Ok(Sample::Pairs(pairs)) => pairs.get(name).cloned().unwrap_or_default(),
        _ => String::new(),
    }
}
