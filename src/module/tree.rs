//! The module tree of an entry: its modules, their folders, importers and states.
//!
//! Walks imports breadth-first from the entry's file. A file belongs to the nearest module around it; a cycle is walked
//! once and appears as two modules that use each other.

use std::collections::{HashSet, VecDeque};
use std::path::{Path, PathBuf};

use super::path::SearchFolder;
use super::{
    EntryPoint, Import, Layout, Leads, Manifest, Module, ModuleState, ModuleTree, Need, clean, git, load_text, shown,
};
use crate::diag::{Diagnostics, Stage};
use crate::source::{FileId, Sources};
use crate::world::{PathKind, Read, Sample, World};

/// Finds the imports of a source file: each name with its line.
pub type Scan<'a> = &'a dyn Fn(FileId, &Sources) -> Vec<(String, u32)>;

/// More modules than this are not walked, so that a hostile tree ends.
const LIMIT: usize = 2_000;

/// Reads the tree. Missing and faulty modules are marked in it; diagnostics are for compiling.
pub fn module_tree(
    world: &dyn World,
    entry: &EntryPoint,
    search: &[SearchFolder],
    layout: &dyn Layout,
    scan: Scan<'_>,
) -> ModuleTree {
    let mut walk = Walk {
        world,
        entry,
        home: layout.home(world, entry),
        search,
        layout,
        scan,
        tree: ModuleTree { language: entry.language, modules: Vec::new() },
        metadata: Vec::new(),
        files: VecDeque::new(),
        needs: VecDeque::new(),
        seen: HashSet::new(),
    };
    walk.begin(entry);
    loop {
        if let Some(module) = walk.needs.pop_front() {
            walk.follow_needs(module);
        } else if let Some((module, file, source)) = walk.files.pop_front() {
            walk.read_file(module, &file, source.as_deref());
        } else {
            break;
        }
    }
    walk.mark_unfit();
    walk.tree
}

struct Walk<'a> {
    world: &'a dyn World,
    entry: &'a EntryPoint,
    /// The folder for fetched modules, if that is not the first folder of `search`.
    home: Option<PathBuf>,
    search: &'a [SearchFolder],
    layout: &'a dyn Layout,
    scan: Scan<'a>,
    tree: ModuleTree,
    /// Parallel to `tree.modules`: the metadata, and the first importer.
    metadata: Vec<(Manifest, Option<usize>)>,
    /// Module, path, and the text if it is not in a file.
    files: VecDeque<(usize, PathBuf, Option<String>)>,
    /// Modules whose metadata may have requirements.
    needs: VecDeque<usize>,
    /// Files that were read or are queued.
    seen: HashSet<PathBuf>,
}

impl Walk<'_> {
    fn begin(&mut self, entry: &EntryPoint) {
        let name = match (&entry.code, entry.base.file_name()) {
            (Some((name, _)), _) => name.clone(),
            (None, Some(folder)) => folder.to_string_lossy().into_owned(),
            (None, None) => self.folder_name(&entry.base),
        };
        let module = self.add(name, entry.base.clone(), None);
        // It existed when it was opened, and may have been deleted since.
        if entry.file.as_ref().is_some_and(|file| self.world.kind(file) == PathKind::Missing) {
            self.tree.modules[module].state = ModuleState::Missing;
        }
        if entry.code.is_none() {
            self.needs.push_back(module);
        }
        match (&entry.code, &entry.file) {
            (Some((name, code)), _) => self.files.push_back((module, name.into(), Some(code.to_string()))),
            (None, _) if !entry.roots.is_empty() => {
                entry.roots.iter().for_each(|root| self.queue(module, root.clone()));
            }
            (None, Some(file)) => self.queue(module, file.clone()),
            (None, None) => self.queue_begin(module),
        }
    }

    /// The name of the working folder, or of one reached from it by `..`.
    fn folder_name(&self, base: &Path) -> String {
        match self.world.read(&Read::WorkingFolder) {
            Ok(Sample::Path(path)) => {
                let folder = clean(&path.join(base));
                folder.file_name().map_or("/".into(), |name| name.to_string_lossy().into_owned())
            }
            _ => ".".into(),
        }
    }

    /// Adds a module, or finds the one in that folder.
    fn add(&mut self, name: String, path: PathBuf, importer: Option<usize>) -> usize {
        if let Some(there) = self.tree.modules.iter().position(|module| module.path == path) {
            return there;
        }
        let metadata = self.layout.manifest(self.world, &path);
        let present = importer.is_none() || self.world.kind(&path) == PathKind::Folder;
        let checkout = present.then(|| git::checkout(&path)).flatten();
        let state = match &checkout {
            _ if !present => ModuleState::Missing,
            Some(checkout) if checkout.edited => ModuleState::Edited,
            _ => ModuleState::Present,
        };
        let files = if present { source_files(self.world, self.layout, &path) } else { Vec::new() };
        self.tree.modules.push(Module {
            name,
            state,
            revision: checkout.map(|checkout| checkout.revision),
            license: Some(metadata.license.clone()).filter(|license| !license.is_empty()),
            version: Some(metadata.version.clone()).filter(|version| !version.is_empty()),
            main: self.layout.begins(&metadata).into_iter().find(|main| files.contains(main)),
            files,
            path,
            imports: Vec::new(),
            used_by: Vec::new(),
        });
        self.metadata.push((metadata, importer));
        self.tree.modules.len() - 1
    }

    fn read_file(&mut self, module: usize, file: &Path, code: Option<&str>) {
        let (mut sources, mut ignored) = (Sources::default(), Diagnostics::new(Stage::Module));
        let id = match code {
            Some(code) => Some(sources.add("", None, code)),
            None => load_text(self.world, file, None, &mut sources, &mut ignored),
        };
        let Some(id) = id else { return };
        for (name, line) in (self.scan)(id, &sources) {
            self.follow(module, file, name, line);
        }
    }

    fn follow(&mut self, module: usize, file: &Path, name: String, line: u32) {
        let folder = file.parent().unwrap_or(Path::new(""));
        let target = match self.layout.leads(&name) {
            Err(_) => None,
            Ok(Leads::BuiltIn) => {
                let found = self.layout.replaces(&name).and_then(|below| self.find(module, &below));
                found.map(|path| self.enter(name.clone(), clean(&path), module))
            }
            Ok(Leads::File(relative)) => {
                let path = clean(&folder.join(relative));
                self.queue(module, path);
                None
            }
            Ok(Leads::Folder(relative)) => {
                let path = clean(&folder.join(relative));
                Some(self.enter(shown(&path), path, module))
            }
            Ok(Leads::Module { url, path: below }) => {
                let path = clean(&self.locate(module, &below));
                Some(self.enter(url.unwrap_or_else(|| shown(&below)), path, module))
            }
        };
        self.imported(module, target, Import { name, file: file.into(), line, ..Import::default() });
    }

    /// Records an import, and its importer.
    fn imported(&mut self, module: usize, target: Option<usize>, import: Import) {
        let importer = &self.tree.modules[module];
        let (own, name) = (importer.path.clone(), importer.name.clone());
        let file = import.file.strip_prefix(&own).unwrap_or(&import.file).to_path_buf();
        let target = target.map(|at| {
            let imported = &mut self.tree.modules[at];
            if at != module && !imported.used_by.contains(&name) {
                imported.used_by.push(name);
            }
            (imported.name.clone(), imported.path.clone())
        });
        let (target, module_folder) = target.unzip();
        self.tree.modules[module].imports.push(Import { file, module: target, module_folder, ..import });
    }

    /// Follows the requirements of a module's metadata.
    fn follow_needs(&mut self, module: usize) {
        let (mut sources, mut ignored) = (Sources::default(), Diagnostics::new(Stage::Module));
        let folder = self.tree.modules[module].path.clone();
        let entry = (module == 0).then_some(self.entry);
        for need in self.layout.needs(self.world, &folder, entry, &mut sources, &mut ignored) {
            let path = self.find(module, &need.path).or_else(|| {
                let is_there = self.layout.replaces(&need.name).is_some();
                let is_known =
                    || !need.sources.is_empty() || !self.layout.sources(self.world, self.entry, &need.name).is_empty();
                (!is_there || is_known()).then(|| self.place_for(module, &need))
            });
            let name = need.path.to_string_lossy().into_owned();
            let target = path.map(|path| self.enter(name, clean(&path), module));
            let (name, file, line) = (need.name.clone(), folder.join(&need.file), need.line);
            self.imported(module, target, Import { name, file, line, need: Some(Box::new(need)), ..Import::default() });
        }
    }

    /// The folder for a missing module.
    fn place_for(&self, importer: usize, need: &Need) -> PathBuf {
        match &need.folder {
            Some(folder) => self.entry.base.join(folder).join(&need.path),
            None => self.locate(importer, &need.path),
        }
    }

    /// Marks modules with a version that a requirement does not allow.
    fn mark_unfit(&mut self) {
        let versions: Vec<_> = self.tree.modules.iter().map(|m| (m.path.clone(), m.version.clone())).collect();
        for import in self.tree.modules.iter_mut().flat_map(|module| &mut module.imports) {
            let (Some(need), Some(at)) = (&import.need, &import.module_folder) else { continue };
            let version = versions.iter().find(|(path, _)| path == at).and_then(|(_, version)| version.as_ref());
            import.is_unfit = version.is_some_and(|version| !self.layout.versions().fits(version, &need.range, true));
        }
    }

    fn enter(&mut self, name: String, path: PathBuf, importer: usize) -> usize {
        let before = self.tree.modules.len();
        if before >= LIMIT {
            return importer;
        }
        let at = self.add(name, path, Some(importer));
        if at == before {
            self.needs.push_back(at);
            self.queue_begin(at);
        }
        at
    }

    /// Queues the first files of a module.
    fn queue_begin(&mut self, module: usize) {
        for file in self.layout.begins(&self.metadata[module].0) {
            let file = self.tree.modules[module].path.join(file);
            self.queue(module, clean(&file));
        }
    }

    fn queue(&mut self, module: usize, file: PathBuf) {
        if self.seen.insert(file.clone()) {
            self.files.push_back((module, file, None));
        }
    }

    /// The folder of a remote module, or the one for it.
    fn locate(&self, importer: usize, below: &Path) -> PathBuf {
        let first =
            || self.home.as_ref().map(|home| home.join(below)).or(self.candidates(importer, below).into_iter().next());
        self.find(importer, below).or_else(first).unwrap_or_else(|| below.into())
    }

    /// The folder of a remote module, if it exists.
    fn find(&self, importer: usize, below: &Path) -> Option<PathBuf> {
        let candidates = self.candidates(importer, below).into_iter();
        candidates
            .chain(self.home.iter().map(|home| home.join(below)))
            .find(|path| self.layout.is_module(self.world, path))
    }

    /// The possible folders of a remote module: the importer's own path, then its importers', then the list.
    fn candidates(&self, importer: usize, below: &Path) -> Vec<PathBuf> {
        let places = self.layout.places(below);
        let mut candidates = Vec::new();
        let mut at = Some(importer);
        while let Some(module) = at {
            let (metadata, by) = &self.metadata[module];
            // The entry's own path is in the list.
            if by.is_some() {
                let own = &self.tree.modules[module].path;
                candidates.extend(metadata.module_path.iter().map(|path| own.join(path).join(below)));
            }
            at = if metadata.parent_path_block && by.is_some() { None } else { *by };
        }
        candidates.extend(self.search.iter().flat_map(|folder| places.iter().map(|place| folder.path.join(place))));
        candidates
    }
}

/// Source files, READMEs and metadata below a folder, relative to it, sorted; hidden folders and modules inside left
/// out.
fn source_files(world: &dyn World, layout: &dyn Layout, folder: &Path) -> Vec<PathBuf> {
    const DEPTH: usize = 8;
    let mut found = Vec::new();
    let mut folders = vec![(PathBuf::new(), 0)];
    while let Some((below, depth)) = folders.pop() {
        let here = folder.join(&below);
        let here = if here.as_os_str().is_empty() { PathBuf::from(".") } else { here };
        let Ok(Sample::Names(names)) = world.read(&Read::Folder(here.clone())) else { continue };
        for name in names.into_iter().filter(|name| !name.starts_with('.')) {
            if found.len() >= LIMIT {
                break;
            }
            let path = below.join(&name);
            match world.kind(&here.join(&name)) {
                PathKind::File if is_text(layout, &name) => found.push(path),
                PathKind::Folder if depth < DEPTH && !layout.is_module(world, &here.join(&name)) => {
                    folders.push((path, depth + 1));
                }
                _ => {}
            }
        }
    }
    found.sort();
    found
}

fn is_text(layout: &dyn Layout, name: &str) -> bool {
    let upper = name.to_uppercase();
    layout.is_source(name)
        || ["README", "LICENSE", "LICENCE", "COPYING"].iter().any(|start| upper.starts_with(start))
        || layout.metadata().contains(&name)
}
