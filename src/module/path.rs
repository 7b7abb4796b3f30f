//! The module path of an entry: the search folders of its imports, best first, each with the reason.
//!
//! The flag comes first, then `WORKBENCH_MODULE_PATH`, the language's own variables, the project's settings, the
//! language's candidates (such as `path` of the entry's metadata), the user's settings, and the project's `modules/`.
//! mgmt's documentation has this order; in its code the metadata takes precedence.

use std::path::{Path, PathBuf};

use super::{EntryPoint, Layout};
use crate::diag::{Code, Diagnostic, Diagnostics, Stage};
use crate::world::{PathKind, Read, Sample, World};

/// One folder of the module path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchFolder {
    pub path: PathBuf,
    /// Its source, in the words of a user: `--module-path`, a variable's name, a file's.
    pub why: String,
    /// Whether the user named it: by a flag, a variable, or their own settings. Only such a folder may be outside of the
    /// project when modules are placed in it.
    pub by_user: bool,
}

impl SearchFolder {
    /// A folder that files of the project name.
    pub fn of_project(path: PathBuf, why: impl Into<String>) -> Self {
        Self { path, why: why.into(), by_user: false }
    }

    /// A folder that the user named.
    pub fn of_user(path: PathBuf, why: impl Into<String>) -> Self {
        Self { path, why: why.into(), by_user: true }
    }
}

/// The module path of the user and of the project's settings.
#[derive(Clone, Debug, Default)]
pub struct PathSettings {
    pub flags: Vec<PathBuf>,
    /// Of environment variables, each with its name.
    pub variables: Vec<(PathBuf, String)>,
    /// From the project's settings: before its metadata, which other programs read too.
    pub project: Vec<SearchFolder>,
    /// From the user's own settings: after those of the project.
    pub user: Vec<SearchFolder>,
}

/// The folders to search, best first. A folder from a flag or variable must exist.
pub fn module_path(
    world: &dyn World,
    entry: &EntryPoint,
    wanted: PathSettings,
    layout: &dyn Layout,
    diags: &mut Diagnostics,
) -> Vec<SearchFolder> {
    let mut folders = Vec::new();
    for path in &wanted.flags {
        asked_for(world, path, "--module-path", &mut folders, diags);
    }
    for (path, name) in &wanted.variables {
        asked_for(world, path, name, &mut folders, diags);
    }
    folders.extend(wanted.project);
    folders.extend(layout.candidates(world, entry));
    folders.extend(wanted.user);
    folders.push(SearchFolder::of_project(entry.base.join("modules/"), "the project's modules/"));
    folders
}

/// The folders that environment variables name, each with the variable.
pub fn folders_of_variables(world: &dyn World, layout: &dyn Layout) -> Vec<(PathBuf, String)> {
    let mut folders = Vec::new();
    for name in ["WORKBENCH_MODULE_PATH"].iter().chain(layout.variables()) {
        let value = variable(world, name);
        folders.extend(value.split(':').filter(|path| !path.is_empty()).map(|path| (path.into(), (*name).into())));
    }
    folders
}

fn asked_for(world: &dyn World, path: &Path, why: &str, folders: &mut Vec<SearchFolder>, diags: &mut Diagnostics) {
    if world.kind(path) == PathKind::Folder {
        folders.push(SearchFolder::of_user(path.into(), why));
        return;
    }
    diags.push(
        Diagnostic::placeless(Code::NoSuchPath)
            .stage(Stage::Module)
            .label(format!("{why}: `{}` is not a folder", path.display()))
            .help("create the folder, or remove the setting"),
    );
}

fn variable(world: &dyn World, name: &str) -> String {
    match world.read(&Read::Environment) {
        Ok(Sample::Pairs(pairs)) => pairs.get(name).cloned().unwrap_or_default(),
        _ => String::new(),
    }
}
