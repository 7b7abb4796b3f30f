//! Checks an entry and its own files: everything that can be found without reading the state of the machine.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::diag::Stage;
use crate::fetch::{Lock, place_of};
use crate::graph::Graph;
use crate::lang::{Checked, Compiled, Report};
use crate::module::{clean, own_files};
use crate::session::{Session, job, panicked};
use crate::source::Sources;
use crate::world::{Cancel, Fenced, PathKind, World};

impl Session {
    /// Compiles as a preview does, and checks all files of the entry and of its own modules.
    pub fn check(&self, cancel: &Cancel) -> Checked {
        let (_, world) = self.frozen(Arc::clone(&self.world));
        let mut checked = job::run(|| self.check_here(&world, cancel)).unwrap_or_else(|bug| {
            Checked::of(Compiled::new(Graph::default(), Sources::default(), panicked(&bug, Stage::Eval)))
        });
        checked.compiled.fence(&world);
        checked
    }

    fn check_here(&self, world: &Fenced, cancel: &Cancel) -> Checked {
        match self.prepare(world, Stage::Eval, cancel) {
            Ok(options) => {
                let own = self.own_files(world);
                world.enclose(self.own_places(&options), self.has_fetched(&options));
                self.options.workplace.check(world, &self.entry, &options, &own)
            }
            Err(Report { sources, diagnostics }) => Checked::of(Compiled::new(Graph::default(), sources, diagnostics)),
        }
    }

    /// Returns the files of the entry and of its own modules; fetched modules are not among them. Empty for code, and for
    /// a file without a project.
    fn own_files(&self, world: &dyn World) -> Vec<PathBuf> {
        let entry = &self.entry;
        let environment = self.choices().environment().map(Path::to_path_buf).or_else(|| entry.environment.clone());
        let is_folder = entry.metadata.is_some() || world.kind(Path::new(&entry.shown)) == PathKind::Folder;
        let folder = match environment {
            _ if entry.code.is_some() => return Vec::new(),
            Some(environment) => environment,
            None if is_folder => entry.base.clone(),
            None => return Vec::new(),
        };
        let search = self.search_path();
        let folders: Vec<PathBuf> = search.iter().map(|folder| folder.path.clone()).collect();
        let lock = Lock::read(&entry.base).unwrap_or_default();
        let mut foreign: Vec<PathBuf> =
            lock.modules.iter().filter_map(|locked| place_of(&entry.base, &folders, locked)).collect();
        // A Puppetfile lists modules that another tool may have fetched.
        let tree = self.tree_in(world, &search);
        let listed = tree.modules.iter().flat_map(|module| &module.imports);
        let listed = listed.filter(|import| import.need.is_some() && import.file.ends_with("Puppetfile"));
        foreign.extend(listed.filter_map(|import| import.module_folder.clone()));
        let foreign: Vec<PathBuf> = foreign.iter().map(|path| clean(path)).collect();
        own_files(world, &folder, &foreign)
    }
}
