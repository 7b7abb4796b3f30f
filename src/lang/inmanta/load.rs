//! Finds and reads every file of a model: the entry, the modules that it imports, and theirs.

use std::path::{Path, PathBuf};

use rustc_hash::{FxHashMap, FxHashSet};

use super::ast::{Ast, NsId, Top};
use super::context::{Context, Files};
use super::error::{Class, Raise, Result};
use super::names::{Names, Sym};
use super::plugin::{self, Body, BuiltIn, Described, PluginDef, PythonFiles, Surroundings};
use super::project::Project;
use super::python::{PythonClass, ResourceClass};
use super::{Edition, library, parser};
use crate::diag::Diagnostics;
use crate::source::{FileId, Sources, Span};

/// One file of the model.
pub struct LoadedFile {
    pub ns: NsId,
    pub tops: Vec<Top>,
}

/// A model as read.
pub struct Loaded {
    pub names: Names,
    pub ast: Ast,
    /// The full names of the namespaces.
    pub namespaces: Vec<String>,
    pub files: Vec<LoadedFile>,
    pub plugins: Vec<PluginDef>,
    /// The Python files of modules, and what the worker says of them.
    pub python: Vec<PythonFiles>,
    pub described: Described,
    /// The resource types that modules declare.
    pub classes: Vec<ResourceClass>,
    /// The folders of the modules, by name.
    pub modules: FxHashMap<String, PathBuf>,
}

/// The options for reading a model.
pub struct Options {
    pub edition: Edition,
    /// Whether `std` is there without an import.
    pub with_std: bool,
    /// Modules and parts of modules that are read also without an import.
    pub also: Vec<String>,
    /// The functions of `std`.
    pub built_in: Vec<BuiltIn>,
}

/// What an import asks for.
struct ImportRequest {
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
    groups: Vec<(String, Vec<LoadedFile>)>,
    requests: Vec<ImportRequest>,
    /// The classes of the Python files.
    python_classes: Vec<PythonClass>,
}

/// How deep packages of Python may nest.
const DEEPEST: usize = 20;

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
        python: Vec::new(),
        described: Described::default(),
        classes: Vec::new(),
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
        requests: Vec::new(),
        python_classes: Vec::new(),
    };
    let main = loader.namespace("__config__");
    let main = loader.parse(entry, main)?;
    let imports = loader.imports(&main, options.with_std, entry);
    let start = Span::new(entry, 0, 0);
    loader.requests.extend(options.also.iter().map(|name| ImportRequest { name: name.clone(), place: start }));
    loader.requests.extend(imports);
    loader.loaded.files.push(main);
    loader.follow()?;
    let groups = std::mem::take(&mut loader.groups);
    loader.loaded.files.extend(groups.into_iter().flat_map(|(_, files)| files));
    loader.find_plugins();
    Ok(loader.loaded)
}

/// Names the part of a module that is meant where an import is missing.
pub fn with_part(mut raise: Box<Raise>, mut modules: Vec<(String, PathBuf)>, files: &dyn Files) -> Box<Raise> {
    let missing = raise.message.rsplit_once("`import ").and_then(|(_, path)| path.strip_suffix('`'));
    let missing = missing.filter(|_| raise.class == Class::MissingImport).map(str::to_owned);
    let Some(path) = missing.filter(|path| !path.contains("::")) else { return raise };
    modules.sort();
    let has = |root: &PathBuf| {
        let model = root.join("model");
        files.text(&model.join(&path).with_extension("cf")).is_some() || files.is_folder(&model.join(&path))
    };
    let is_general =
        raise.help.as_ref().is_none_or(|help| *help == format!("write `import {path}` at the top of the file"));
    if let Some((module, _)) = modules.iter().find(|(_, root)| is_general && has(root)) {
        raise.help = Some(format!("write `import {module}::{path} as {path}` at the top of the file"));
    }
    raise
}

impl Loader<'_> {
    fn namespace(&mut self, name: &str) -> NsId {
        if let Some(id) = self.ns_by_name.get(name) {
            return *id;
        }
        let id = NsId(self.loaded.namespaces.len() as u32);
        self.loaded.namespaces.push(name.to_string());
        self.ns_by_name.insert(name.to_string(), id);
        id
    }

    fn parse(&mut self, file: FileId, ns: NsId) -> Result<LoadedFile> {
        let text = self.sources.file(file).text.clone();
        let tops = parser::parse(&text, file, ns, self.options.edition, &mut self.loaded.names, &mut self.loaded.ast)?;
        Ok(LoadedFile { ns, tops })
    }

    fn imports(&self, file: &LoadedFile, with_std: bool, id: FileId) -> Vec<ImportRequest> {
        let start = Span::new(id, 0, 0);
        let own = with_std.then(|| ImportRequest { name: "std".to_string(), place: start });
        let written = file.tops.iter().filter_map(|top| match top {
            Top::Import(import) => {
                Some(ImportRequest { name: self.loaded.names.text(import.name.sym).to_string(), place: import.span })
            }
            _ => None,
        });
        own.into_iter().chain(written).collect()
    }

    /// Loads the requested modules, the newest request first.
    fn follow(&mut self) -> Result<()> {
        while let Some(request) = self.requests.pop() {
            if self.done.contains(&request.name) {
                continue;
            }
            let module = request.name.split("::").next().unwrap_or_default().to_string();
            let mut path = String::new();
            for part in request.name.split("::") {
                if !path.is_empty() {
                    path.push_str("::");
                }
                path.push_str(part);
                if !self.done.insert(path.clone()) {
                    continue;
                }
                let id = self.open(&module, &path, &request)?;
                let ns = self.namespace(&path);
                let file = self.parse(id, ns)?;
                let imports = self.imports(&file, self.options.with_std && module != "std", id);
                self.requests.extend(imports);
                match self.groups.iter_mut().find(|(name, _)| *name == module) {
                    Some((_, files)) => files.push(file),
                    None => self.groups.push((module.clone(), vec![file])),
                }
                if self.done.len() > MOST_FILES {
                    return Err(Raise::at(Class::Runtime, request.place, "the model has too many files"));
                }
            }
        }
        Ok(())
    }

    /// The file of a module or of a part of it.
    fn open(&mut self, module: &str, path: &str, request: &ImportRequest) -> Result<FileId> {
        let missing = |reason: String| {
            let cause = Raise::new(Class::Compiler, reason);
            let message = format!("Failed to load module {}", request.name);
            Raise::at(Class::ModuleLoading, request.place, message).with_cause(cause)
        };
        let root = match self.loaded.modules.get(module) {
            Some(root) => root.clone(),
            None => {
                let Some(root) = self.project.find_module(module, self.files) else {
                    if let Some(text) = library::text(path) {
                        return Ok(self.sources.add(format!("<{path}>"), None, text));
                    }
                    if library::text(module).is_some() {
                        return Err(missing(format!("could not locate module with name: {path}"))
                            .with_help("correct the name: the module is there, but not this part of it"));
                    }
                    let searched: Vec<_> =
                        self.project.module_path.iter().map(|folder| self.files.shown(folder)).collect();
                    let reason = format!("Could not find module {module}");
                    if let Some(folder) = self.project.find_unmarked(module, self.files) {
                        let help = format!(
                            "`{}` is no module without metadata: write its name, version and license into a `module.yml` there",
                            self.files.shown(&folder)
                        );
                        return Err(missing(reason).with_help(help));
                    }
                    let mut names: Vec<String> =
                        self.project.module_path.iter().flat_map(|folder| self.files.names(folder)).collect();
                    names.extend(library::names().map(str::to_string));
                    let near = crate::diag::nearest(module, names.iter().map(String::as_str));
                    if let Some((what, help, elsewhere)) = self.project.advice(self.files) {
                        let label = format!("{what}: the module `{module}` is not found");
                        return Err(missing(reason).with_label(label).with_help(help).with_elsewhere(elsewhere));
                    }
                    let help = match near {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => format!(
                            "`workbench download` fetches modules of `repo` in project.yml; searched in: {}",
                            searched.join(", ")
                        ),
                    };
                    return Err(missing(reason).with_help(help));
                };
                let path = root.join("module.yml");
                if let Some(text) = self.files.text(&path) {
                    self.project.check_module(module, &path, &text, self.files)?;
                }
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
            let folder = file.parent().unwrap_or(&model);
            let names: Vec<String> = self.files.names(folder);
            let names = names.iter().filter_map(|name| name.strip_suffix(".cf")).filter(|name| *name != "_init");
            let (before, last) = path.rsplit_once("::").unwrap_or(("", path));
            let parts: Vec<String> = names.clone().take(4).map(|name| format!("`{before}::{name}`")).collect();
            let help = match crate::diag::nearest(last, names) {
                Some(near) => format!("did you mean `{before}::{near}`?"),
                None if parts.is_empty() => format!("write {}, or correct the name", self.files.shown(&file)),
                None => {
                    let shown = self.files.shown(&file);
                    format!("correct the name, or write {shown}; the module has {}", parts.join(", "))
                }
            };
            return Err(missing(format!("could not locate module with name: {path}")).with_help(help));
        };
        let shown = self.files.shown(&file);
        Ok(self.sources.add(shown, Some(file), ended(&text)))
    }

    fn find_plugins(&mut self) {
        if self.done.contains("std") {
            let ns = self.namespace("std");
            for built_in in &self.options.built_in {
                let name = self.loaded.names.sym(built_in.name);
                self.loaded.plugins.push(PluginDef { ns, name, place: None, body: Body::Native(*built_in) });
            }
        }
        let mut modules: Vec<_> = self.loaded.modules.clone().into_iter().collect();
        modules.sort();
        for (module, root) in modules {
            // In a wheel the model is a part of the Python package.
            let is_package = root.parent().is_some_and(|parent| parent.ends_with("inmanta_plugins"));
            let own = if is_package { root.clone() } else { root.join("plugins") };
            let folders = [own, root.join("inmanta_plugins").join(&module)];
            for folder in folders {
                let mut python = PythonFiles {
                    module: module.clone(),
                    root: root.to_string_lossy().into_owned(),
                    folder: folder.to_string_lossy().into_owned(),
                    files: Vec::new(),
                };
                self.find_python(&module, &folder, "", &mut python);
                if !python.files.is_empty() {
                    self.loaded.python.push(python);
                }
            }
        }
        let classes = std::mem::take(&mut self.python_classes);
        self.loaded.classes.iter_mut().for_each(|class| class.resolve(&classes));
    }

    /// The Python files of a package, and of the packages in it.
    fn find_python(&mut self, module: &str, folder: &Path, package: &str, found: &mut PythonFiles) {
        let inner = |name: &str| if package.is_empty() { name.to_owned() } else { format!("{package}.{name}") };
        let mut names = self.files.names(folder);
        names.sort();
        for name in names {
            let path = folder.join(&name);
            let Some(part) = name.strip_suffix(".py") else {
                // In a wheel they are beside the code.
                let is_other = package.is_empty() && matches!(&*name, "model" | "files" | "templates");
                let is_python =
                    !is_other && !name.contains('.') && self.files.text(&path.join("__init__.py")).is_some();
                if is_python && package.split('.').count() < DEEPEST && found.files.len() < MOST_FILES {
                    self.find_python(module, &path, &inner(&name), found);
                }
                continue;
            };
            let Some(text) = self.files.text(&path) else { continue };
            let part = if part == "__init__" { package.to_owned() } else { inner(part) };
            let id = self.sources.add(self.files.shown(&path), Some(path), text.clone());
            self.find_declared(module, &part, id, &text);
            found.files.push((part, id));
        }
    }

    /// What a Python file declares, as far as its text shows.
    fn find_declared(&mut self, module: &str, part: &str, file: FileId, text: &str) {
        let (classes, marked) = super::python::classes(text);
        self.python_classes.extend(classes);
        self.loaded.classes.extend(marked);
        let ns = if part.is_empty() { module.to_string() } else { format!("{module}::{}", part.replace('.', "::")) };
        let Some(ns) = self.ns_by_name.get(&ns).copied() else { return };
        for (name, line) in super::python::plugin_names(text) {
            let place = plugin::line_of(file, line, self.sources);
            self.loaded.add_plugin(ns, &name, place, None);
        }
    }
}

impl Loaded {
    /// Adds a plugin of Python. What is built in needs no Python, whatever the version of `std`.
    fn add_plugin(&mut self, ns: NsId, name: &str, place: Span, signature: Option<u32>) {
        let name: Sym = self.names.sym(name);
        match self.plugins.iter_mut().find(|other| (other.ns, other.name) == (ns, name)) {
            Some(PluginDef { body: Body::Python(known), .. }) => {
                // The last definition of a name is the one that Python calls.
                *known = signature.or(*known)
            }
            Some(_) => {}
            None => self.plugins.push(PluginDef { ns, name, place: Some(place), body: Body::Python(signature) }),
        }
    }

    /// The types that the signatures of plugins name, as far as their text shows.
    pub fn written_types(&self, sources: &Sources) -> Vec<(NsId, Span, String)> {
        let mut found = Vec::new();
        for (_, ns, file) in self.python_files() {
            for (ty, line) in super::python::quoted_types(&sources.file(file).text) {
                found.push((ns, plugin::line_of(file, line, sources), ty));
            }
        }
        found
    }

    /// The namespace of a Python module of the model.
    fn ns_of(&self, dotted: &str) -> Option<NsId> {
        let name = dotted.replace('.', "::");
        self.namespaces.iter().position(|ns| *ns == name).map(|ns| NsId(ns as u32))
    }

    /// The Python files whose namespaces the model has: the Python module, the namespace and the file.
    fn python_files(&self) -> impl Iterator<Item = (String, NsId, FileId)> {
        let files = self.python.iter().flat_map(|one| one.files.iter().map(|file| (&one.module, file)));
        files.filter_map(|(module, (part, file))| {
            let dotted = if part.is_empty() { module.clone() } else { format!("{module}.{part}") };
            let ns = self.ns_of(&dotted)?;
            Some((dotted, ns, *file))
        })
    }

    /// Lets the worker say what the modules declare, where plugins may run.
    pub fn describe(
        &mut self,
        around: &Surroundings,
        context: &dyn Context,
        sources: &Sources,
        diagnostics: &mut Diagnostics,
    ) -> Result<()> {
        let Some(mut described) = plugin::describe(&self.python, around, context, sources, diagnostics)? else {
            self.read_signatures(sources);
            return Ok(());
        };
        // What a class computes is known now.
        for class in described.classes.iter().flatten() {
            self.classes.retain(|other| other.entity != class.entity);
            self.classes.push(class.clone());
        }
        for plugin in &mut described.plugins {
            let ns = self.ns_of(&plugin.module);
            let (module, part) = plugin.module.split_once('.').unwrap_or((&plugin.module, ""));
            let module = self.python.iter().find(|python| python.module == module);
            let file = module.and_then(|module| module.files.iter().find(|(other, _)| other == part));
            plugin.home = ns.zip(file).map(|(ns, (_, file))| (ns, plugin.place(*file, sources)));
        }
        // One in a part of a module that the model does not import cannot be called.
        described.plugins.retain(|plugin| plugin.home.is_some());
        self.add_described(&described);
        self.described = described;
        Ok(())
    }

    /// The signatures of plugins as far as their text shows, where no plugin may run.
    fn read_signatures(&mut self, sources: &Sources) {
        let mut described = Described::default();
        for (dotted, ns, file) in self.python_files() {
            for (mut plugin, line) in plugin::read_plugins(&dotted, &sources.file(file).text) {
                plugin.home = Some((ns, plugin::line_of(file, line, sources)));
                described.plugins.push(plugin);
            }
        }
        self.add_described(&described);
        self.described.plugins = described.plugins;
    }

    fn add_described(&mut self, described: &Described) {
        for (plugin, at) in described.plugins.iter().zip(0..) {
            if let Some((ns, place)) = plugin.home {
                self.add_plugin(ns, &plugin.name, place, Some(at));
            }
        }
    }
}

/// The text with the line break that the reference adds to every file that is not empty.
pub fn ended(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("{text}\n") }
}
