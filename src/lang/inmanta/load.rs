//! Finds and reads every file of a model: the entry, the modules that it imports, and theirs.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::ast::{Ast, NsId, Top};
use super::error::{Class, Raise, Result};
use super::names::{Names, Sym};
use super::plugin::{Body, PluginDef};
use super::project::Project;
use super::std as library;
use super::{Edition, parser};
use crate::source::{FileId, Sources, Span};

/// Files as the loader sees them.
pub trait Files {
    /// The text of a file; `None` where there is none.
    fn text(&self, path: &Path) -> Option<Arc<str>>;
    fn is_folder(&self, path: &Path) -> bool;
    /// The names in a folder.
    fn names(&self, folder: &Path) -> Vec<String>;
    /// How a path is shown.
    fn shown(&self, path: &Path) -> String;
}

pub struct NsDef {
    pub name: String,
}

/// One file of the model.
pub struct Loaded1 {
    pub ns: NsId,
    pub tops: Vec<Top>,
}

/// A model as read.
pub struct Loaded {
    pub names: Names,
    pub ast: Ast,
    pub namespaces: Vec<NsDef>,
    pub files: Vec<Loaded1>,
    pub plugins: Vec<PluginDef>,
    /// The folders of the modules, by name.
    pub modules: FxHashMap<String, PathBuf>,
}

pub struct Options {
    pub edition: Edition,
    /// Whether `std` is there without an import.
    pub with_std: bool,
}

/// What an import asks for.
struct Wanted {
    name: String,
    place: Span,
}

struct Loader<'a> {
    files: &'a dyn Files,
    project: &'a Project,
    options: &'a Options,
    sources: &'a mut Sources,
    loaded: Loaded,
    ns_by_name: FxHashMap<String, NsId>,
    done: FxHashSet<String>,
    /// Files by top-level module, in the order in which the modules were first met.
    groups: Vec<(String, Vec<Loaded1>)>,
    wanted: Vec<Wanted>,
}

/// How many files a model may have.
const MOST_FILES: usize = 20_000;

/// Reads the entry and everything that it imports.
pub fn load(
    entry: FileId,
    files: &dyn Files,
    project: &Project,
    options: &Options,
    sources: &mut Sources,
) -> Result<Loaded> {
    let loaded = Loaded {
        names: Names::default(),
        ast: Ast::default(),
        namespaces: Vec::new(),
        files: Vec::new(),
        plugins: Vec::new(),
        modules: FxHashMap::default(),
    };
    let mut loader = Loader {
        files,
        project,
        options,
        sources,
        loaded,
        ns_by_name: FxHashMap::default(),
        done: FxHashSet::default(),
        groups: Vec::new(),
        wanted: Vec::new(),
    };
    let main = loader.namespace("__config__");
    let main = loader.parse(entry, main)?;
    let imports = loader.imports(&main, options.with_std, entry);
    loader.wanted.extend(imports);
    loader.loaded.files.push(main);
    loader.follow()?;
    let groups = std::mem::take(&mut loader.groups);
    loader.loaded.files.extend(groups.into_iter().flat_map(|(_, files)| files));
    loader.find_plugins();
    Ok(loader.loaded)
}

impl Loader<'_> {
    fn namespace(&mut self, name: &str) -> NsId {
        if let Some(id) = self.ns_by_name.get(name) {
            return *id;
        }
        let id = NsId(self.loaded.namespaces.len() as u32);
        self.loaded.namespaces.push(NsDef { name: name.to_string() });
        self.ns_by_name.insert(name.to_string(), id);
        id
    }

    fn parse(&mut self, file: FileId, ns: NsId) -> Result<Loaded1> {
        let text = self.sources.file(file).text.clone();
        let tops = parser::parse(&text, file, ns, self.options.edition, &mut self.loaded.names, &mut self.loaded.ast)?;
        Ok(Loaded1 { ns, tops })
    }

    fn imports(&self, file: &Loaded1, with_std: bool, id: FileId) -> Vec<Wanted> {
        let start = Span::new(id, 0, 0);
        let own = with_std.then(|| Wanted { name: "std".to_string(), place: start });
        let written = file.tops.iter().filter_map(|top| match top {
            Top::Import(import) => {
                Some(Wanted { name: self.loaded.names.text(import.name.sym).to_string(), place: import.span })
            }
            _ => None,
        });
        own.into_iter().chain(written).collect()
    }

    /// Loads what is wanted, the newest wish first.
    fn follow(&mut self) -> Result<()> {
        while let Some(wanted) = self.wanted.pop() {
            if self.done.contains(&wanted.name) {
                continue;
            }
            let module = wanted.name.split("::").next().unwrap_or_default().to_string();
            let mut path = String::new();
            for part in wanted.name.split("::") {
                if !path.is_empty() {
                    path.push_str("::");
                }
                path.push_str(part);
                if !self.done.insert(path.clone()) {
                    continue;
                }
                let id = self.open(&module, &path, &wanted)?;
                let ns = self.namespace(&path);
                let file = self.parse(id, ns)?;
                let imports = self.imports(&file, self.options.with_std && module != "std", id);
                self.wanted.extend(imports);
                match self.groups.iter_mut().find(|(name, _)| *name == module) {
                    Some((_, files)) => files.push(file),
                    None => self.groups.push((module.clone(), vec![file])),
                }
                if self.done.len() > MOST_FILES {
                    return Err(Raise::at(Class::Runtime, wanted.place, "the model has too many files"));
                }
            }
        }
        Ok(())
    }

    /// The file of a module or of a part of it.
    fn open(&mut self, module: &str, path: &str, wanted: &Wanted) -> Result<FileId> {
        let missing = |reason: String| {
            let cause = Raise::new(Class::Compiler, reason);
            let message = format!("Failed to load module {}", wanted.name);
            Raise::at(Class::ModuleLoading, wanted.place, message).with_cause(cause)
        };
        if module == "std" {
            let text = match path {
                "std" => library::MODEL,
                "std::testing" => library::TESTING,
                _ => return Err(missing(format!("could not locate module with name: {path}"))),
            };
            return Ok(self.sources.add(format!("<{path}>"), None, text));
        }
        let root = match self.loaded.modules.get(module) {
            Some(root) => root.clone(),
            None => {
                let Some(root) = self.project.find_module(module, self.files) else {
                    let searched: Vec<_> =
                        self.project.module_path.iter().map(|folder| self.files.shown(folder)).collect();
                    let reason = format!("Could not find module {module}");
                    return Err(missing(reason).with_help(format!("searched in: {}", searched.join(", "))));
                };
                self.loaded.modules.insert(module.to_string(), root.clone());
                root
            }
        };
        let model = root.join("model");
        let mut parts = path.split("::").skip(1).peekable();
        let mut file = model.clone();
        if parts.peek().is_none() {
            file.push("_init.cf");
        } else {
            for part in parts {
                file.push(part);
            }
            if self.files.is_folder(&file) {
                file.push("_init.cf");
            } else {
                file.set_extension("cf");
            }
        }
        let Some(text) = self.files.text(&file) else {
            return Err(missing(format!("could not locate module with name: {path}")));
        };
        let shown = self.files.shown(&file);
        Ok(self.sources.add(shown, Some(file), ended(&text)))
    }

    fn find_plugins(&mut self) {
        if self.done.contains("std") {
            let ns = self.namespace("std");
            for native in library::natives() {
                let name = self.loaded.names.sym(native.name);
                self.loaded.plugins.push(PluginDef { ns, name, body: Body::Native(native) });
            }
        }
        let mut modules: Vec<_> = self.loaded.modules.clone().into_iter().collect();
        modules.sort();
        for (module, root) in modules {
            let folders = [root.join("plugins"), root.join("inmanta_plugins").join(&module)];
            for folder in folders {
                for file in self.files.names(&folder) {
                    let Some(part) = file.strip_suffix(".py") else { continue };
                    let ns = if part == "__init__" { module.clone() } else { format!("{module}::{part}") };
                    let Some(ns) = self.ns_by_name.get(&ns).copied() else { continue };
                    let Some(text) = self.files.text(&folder.join(&file)) else { continue };
                    for name in super::python::plugin_names(&text) {
                        let name: Sym = self.loaded.names.sym(&name);
                        self.loaded.plugins.push(PluginDef { ns, name, body: Body::Python });
                    }
                }
            }
        }
    }
}

/// The text with the line break that the reference adds to every file that is not empty.
pub fn ended(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("{text}\n") }
}
