//! Modules of Puppet: what describes them, what a file needs of others, and where they are.

use std::cmp::Ordering;
use std::path::{Path, PathBuf};

use super::ast::{Expr, Kind};
use super::semver::{Range, Version};
use super::suggestion::did_you_mean;
use super::{parser, puppetfile};
use crate::diag::{Code, Diagnostic, Diagnostics, Stage, nearest};
use crate::module::{
    EntryPoint, Layout, Leads, MOST_NEEDS, Manifest, Need, SearchFolder, Source, Versions, clean, line_at, load_text,
};
use crate::source::{FileId, Sources, Span};
use crate::world::{PathKind, Read, Sample, World};

/// How Puppet's modules are described, named and found.
pub struct Modules;

/// Where Puppet itself looks for modules of all environments.
const BASE: [&str; 2] = ["/etc/puppetlabs/code/modules", "/opt/puppetlabs/puppet/modules"];

impl Layout for Modules {
    fn is_vendored(&self) -> bool {
        true
    }

    /// The classes and defines that a file names in words of a module.
    fn imports(&self, file: FileId, sources: &Sources, diagnostics: &mut Diagnostics) -> Vec<(String, u32)> {
        let source = sources.file(file);
        match parser::parse(file, &source.text, source.name.ends_with(".epp"), &mut Vec::new()) {
            Ok(program) => {
                let mut names = Names { sources, found: Vec::new(), own: Vec::new() };
                names.visit(&program.body);
                let Names { mut found, own, .. } = names;
                found.retain(|(name, _)| !own.contains(name));
                found
            }
            Err(issue) => {
                diagnostics.push(issue.diagnostic());
                Vec::new()
            }
        }
    }

    /// The first part of a name is the module.
    fn leads(&self, import: &str) -> Result<Leads, &'static str> {
        let module = import.trim_start_matches("::").split("::").next().unwrap_or_default();
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if module.is_empty() || !module.chars().all(is_name) {
            return Err("it is not the name of a class");
        }
        Ok(Leads::Module { url: None, path: module.into() })
    }

    fn metadata(&self) -> &'static [&'static str] {
        &[METADATA]
    }

    fn manifest(&self, world: &dyn World, folder: &Path) -> Manifest {
        let manifest = read(world, &folder.join(METADATA)).and_then(|text| Manifest::of_metadata_json(&text));
        Manifest { main: "manifests/init.pp".into(), files: "files/".into(), ..manifest.unwrap_or_default() }
    }

    /// The Puppetfile of an environment, and the dependencies in a module's metadata.
    fn needs(
        &self,
        world: &dyn World,
        folder: &Path,
        entry: Option<&EntryPoint>,
        sources: &mut Sources,
        diagnostics: &mut Diagnostics,
    ) -> Vec<Need> {
        let mut needs = entry.map_or_else(Vec::new, |entry| control(world, entry, sources, diagnostics).needs);
        let metadata = read(world, &folder.join(METADATA)).unwrap_or_default();
        needs.extend(dependencies(&metadata));
        needs
    }

    /// A name with its author is in a Forge.
    fn sources(&self, world: &dyn World, entry: &EntryPoint, name: &str) -> Vec<Source> {
        let (mut sources, mut unheard) = (Sources::default(), Diagnostics::new(Stage::Module));
        if puppetfile::parts(name).is_none() {
            return Vec::new();
        }
        let forge = control(world, entry, &mut sources, &mut unheard).forge;
        puppetfile::forge_source(&forge, name).into_iter().collect()
    }

    /// The `moduledir` of the Puppetfile.
    fn home(&self, world: &dyn World, entry: &EntryPoint) -> Option<PathBuf> {
        let (mut sources, mut unheard) = (Sources::default(), Diagnostics::new(Stage::Module));
        Some(environment(entry).join(control(world, entry, &mut sources, &mut unheard).folder))
    }

    fn versions(&self) -> &dyn Versions {
        &SemVer
    }

    fn is_source(&self, name: &str) -> bool {
        name.ends_with(".pp") || name.ends_with(".epp")
    }

    fn is_module(&self, world: &dyn World, folder: &Path) -> bool {
        world.kind(&folder.join(METADATA)) == PathKind::File
            || world.kind(&folder.join("manifests")) == PathKind::Folder
    }

    /// The module path of an environment, or the folder that a module by itself is in.
    fn candidates(&self, world: &dyn World, entry: &EntryPoint) -> Vec<SearchFolder> {
        if entry.include.is_some() {
            let path = beside(&entry.base);
            return vec![SearchFolder::of_project(path, "beside the module")];
        }
        let Some(environment) = &entry.environment else { return Vec::new() };
        let Some(text) = read(world, &environment.join("environment.conf")) else { return Vec::new() };
        let mut folders = Vec::new();
        for path in Manifest::of_environment_conf(&text).module_path {
            if path == "$basemodulepath" {
                folders.extend(BASE.map(PathBuf::from));
            } else {
                folders.push(environment.join(path));
            }
        }
        let why = "`modulepath` in environment.conf";
        folders.into_iter().map(|path| SearchFolder::of_project(path, why)).collect()
    }
}

/// Warns of a folder in `modulepath` that does not exist, while there is one with nearly its name, or `modules`, that is
/// not in it.
pub fn warn_of_module_path(world: &dyn World, entry: &EntryPoint, sources: &mut Sources, found: &mut Diagnostics) {
    let Some(environment) = &entry.environment else { return };
    let path = environment.join("environment.conf");
    if world.kind(&path) != PathKind::File {
        return;
    }
    let Some(file) = load_text(world, &path, None, sources, &mut Diagnostics::new(Stage::Module)) else { return };
    let text = sources.file(file).text.clone();
    let written = Manifest::of_environment_conf(&text).module_path;
    let path: Vec<PathBuf> = written.iter().map(|one| environment.join(one)).collect();
    for (one, folder) in written.iter().zip(&path) {
        if one.is_empty() || one.contains('$') || world.kind(folder) != PathKind::Missing {
            continue;
        }
        let (Some(parent), Some(name)) = (folder.parent(), folder.file_name()) else { continue };
        let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
        let Ok(Sample::Names(names)) = world.read(&Read::Folder(parent.into())) else { continue };
        let is_other = |name: &&str| {
            let other = parent.join(name);
            world.kind(&other) == PathKind::Folder && !path.iter().any(|one| clean(one) == clean(&other))
        };
        let others: Vec<&str> = names.iter().map(String::as_str).filter(is_other).collect();
        let is_alone = || path.iter().all(|one| world.kind(one) != PathKind::Folder);
        let near = nearest(&name.to_string_lossy(), others.iter().copied())
            .or_else(|| others.iter().copied().find(|name| *name == "modules").filter(|_| is_alone()));
        let place = text.find("modulepath").and_then(|line| Some(line + text.get(line..)?.find(one)?));
        let (Some(near), Some(at)) = (near, place) else { continue };
        found.push(
            Diagnostic::warning(Code::NoSuchPath, Span::new(file, at, at + one.len()))
                .label("this folder of the module path does not exist, so its modules are missing")
                .help(did_you_mean(near)),
        );
    }
}

const METADATA: &str = "metadata.json";
const PUPPETFILE: &str = "Puppetfile";

/// The folder of the environment, or of whatever else the entry is.
fn environment(entry: &EntryPoint) -> &Path {
    entry.environment.as_ref().unwrap_or(&entry.base)
}

/// The content of an entry's Puppetfile; the defaults without one.
fn control(
    world: &dyn World,
    entry: &EntryPoint,
    sources: &mut Sources,
    diagnostics: &mut Diagnostics,
) -> puppetfile::Puppetfile {
    let folder = environment(entry);
    let path = folder.join(PUPPETFILE);
    let is_there = entry.code.is_none() && world.kind(&path) == PathKind::File;
    let file = is_there.then(|| load_text(world, &path, None, sources, diagnostics)).flatten();
    match file {
        Some(file) => puppetfile::read(file, sources, world, folder, diagnostics),
        None => puppetfile::Puppetfile {
            forge: puppetfile::FORGE.into(),
            folder: "modules".into(),
            ..puppetfile::Puppetfile::default()
        },
    }
}

/// The dependencies that a module's metadata lists.
fn dependencies(metadata: &str) -> Vec<Need> {
    let begin = metadata.find("\"dependencies\"").unwrap_or_default();
    let requires = Manifest::of_metadata_json(metadata).map(|manifest| manifest.requires).unwrap_or_default();
    let need = |(name, range): (String, String)| {
        let (_, folder) = puppetfile::parts(&name)?;
        let at = metadata[begin..].find(&format!("\"{name}\"")).map_or(begin, |at| begin + at);
        Some(Need {
            path: folder.into(),
            range,
            file: METADATA.into(),
            line: line_at(metadata, at),
            name,
            ..Need::default()
        })
    };
    requires.into_iter().take(MOST_NEEDS).filter_map(|one| need((one.name, one.version))).collect()
}

/// Versions and ranges as Puppet's modules have them.
struct SemVer;

impl Versions for SemVer {
    fn compare(&self, one: &str, other: &str) -> Option<Ordering> {
        Some(Version::parse(one)?.compare(&Version::parse(other)?))
    }

    fn fits(&self, version: &str, range: &str, prereleases: bool) -> bool {
        let Some(version) = Version::parse(version) else { return false };
        if range.trim().is_empty() {
            return prereleases || version.prerelease.is_none();
        }
        Range::parse(range).is_some_and(|range| range.includes(&version))
    }
}

/// The folder around another one, also where that is the current one.
fn beside(base: &Path) -> PathBuf {
    match base.parent() {
        Some(parent) => parent.to_path_buf(),
        None => PathBuf::from(".."),
    }
}

fn read(world: &dyn World, path: &Path) -> Option<String> {
    if world.kind(path) != PathKind::File {
        return None;
    }
    let (mut sources, mut unheard) = (Sources::default(), Diagnostics::new(Stage::Module));
    let file = load_text(world, path, None, &mut sources, &mut unheard)?;
    Some(sources.file(file).text.to_string())
}

/// Collects the names that a file uses and defines.
struct Names<'s> {
    sources: &'s Sources,
    found: Vec<(String, u32)>,
    own: Vec<String>,
}

impl Names<'_> {
    fn visit(&mut self, body: &Expr) {
        let is_include = |name: &str| ["include", "contain", "require"].contains(&name);
        for expr in body.all_inside() {
            match &expr.kind {
                Kind::Class(definition) | Kind::Define(definition) => {
                    self.own.push(definition.name.to_string());
                    if let Some(parent) = &definition.parent {
                        self.add(parent, expr);
                    }
                }
                Kind::Resource(resource) => match &resource.ty.kind {
                    Kind::Name(ty) if &**ty == "class" => {
                        resource.bodies.iter().for_each(|body| self.add_all(&body.title));
                    }
                    Kind::Name(ty) if ty.contains("::") => self.add(ty, expr),
                    _ => {}
                },
                Kind::Call(call) => match &call.functor.kind {
                    Kind::Name(name) if is_include(name) => call.args.iter().for_each(|arg| self.add_all(arg)),
                    Kind::Name(name) if name.contains("::") => self.add(name, expr),
                    _ => {}
                },
                _ => {}
            }
        }
    }

    /// The names in an argument: one, or a list of them.
    fn add_all(&mut self, arg: &Expr) {
        match &arg.kind {
            Kind::Name(name) | Kind::Str(name) => self.add(name, arg),
            Kind::Array(list) => list.iter().for_each(|item| match &item.kind {
                Kind::Name(name) | Kind::Str(name) => self.add(name, item),
                _ => {}
            }),
            _ => {}
        }
    }

    fn add(&mut self, name: &str, at: &Expr) {
        let name = name.trim_start_matches("::").to_owned();
        let line = self.sources.place(at.span).line;
        self.found.push((name, line));
    }
}
