//! How modules are described, named and found: an import is a path of names, and its first one is a folder of the module path.

use ::std::path::{Path, PathBuf};
use ::std::sync::Arc;

use super::context::Files;
use super::environment::Environment;
use super::{library, needs};
use crate::diag::Diagnostics;
use crate::module::{EntryPoint, Layout, Leads, Manifest, Need, SearchFolder, Source, Versions, parse_yaml};
use crate::source::{FileId, Sources};
use crate::world::{PathKind, Read, Sample, World};

/// The layout of Inmanta's projects and modules.
pub struct Modules;

pub(super) const PROJECT: &str = "project.yml";

pub(super) fn text(world: &dyn World, path: &Path) -> Option<Arc<str>> {
    let bytes = world.file(path).ok()?;
    String::from_utf8(bytes.to_vec()).ok().map(Into::into)
}

impl Layout for Modules {
    fn imports(&self, file: FileId, sources: &Sources, diagnostics: &mut Diagnostics) -> Vec<(String, u32)> {
        super::imports(file, sources, diagnostics)
    }

    fn leads(&self, import: &str) -> Result<Leads, &'static str> {
        let module = import.split("::").next().unwrap_or(import);
        if is_built_in(module) {
            return Ok(Leads::BuiltIn);
        }
        Ok(Leads::Module { url: None, path: module.into() })
    }

    fn metadata(&self) -> &'static [&'static str] {
        &[PROJECT, "module.yml", "setup.cfg", "pyproject.toml"]
    }

    fn manifest(&self, world: &dyn World, folder: &Path) -> Manifest {
        let read = |name: &str| text(world, &folder.join(name));
        if let Some(project) = read(PROJECT).and_then(|text| Manifest::of_model_yaml(&text)) {
            return project;
        }
        let of_module = read("module.yml").and_then(|text| Manifest::of_model_yaml(&text));
        let of_module = of_module.or_else(|| read("setup.cfg").map(|text| Manifest::of_setup_cfg(&text)));
        let of_module = of_module.or_else(|| read("pyproject.toml").and_then(|text| Manifest::of_pyproject(&text)));
        Manifest { main: "model/_init.cf".into(), ..of_module.unwrap_or_default() }
    }

    fn needs(
        &self,
        world: &dyn World,
        folder: &Path,
        _entry: Option<&EntryPoint>,
        sources: &mut Sources,
        diagnostics: &mut Diagnostics,
    ) -> Vec<Need> {
        needs::needs(world, folder, sources, diagnostics)
    }

    /// `std` is always ours.
    fn sources(&self, world: &dyn World, entry: &EntryPoint, name: &str) -> Vec<Source> {
        if needs::module_of(name) == "std" { Vec::new() } else { needs::sources(world, entry, name) }
    }

    fn home(&self, world: &dyn World, entry: &EntryPoint) -> Option<PathBuf> {
        Some(needs::home(world, entry))
    }

    /// By its name, in a wheel, and in a checkout of a Python package.
    fn places(&self, below: &Path) -> Vec<PathBuf> {
        let package = needs::package_of(&below.to_string_lossy());
        vec![below.to_path_buf(), Path::new("inmanta_plugins").join(below), package.into()]
    }

    fn replaces(&self, import: &str) -> Option<PathBuf> {
        let module = needs::module_of(import);
        is_built_in(&module).then(|| module.into())
    }

    fn versions(&self) -> &dyn Versions {
        &needs::Pep440
    }

    fn is_source(&self, name: &str) -> bool {
        name.ends_with(".cf")
    }

    fn is_module(&self, world: &dyn World, folder: &Path) -> bool {
        let mut marks = self.metadata().iter().chain(&["model/_init.cf"]);
        marks.any(|name| world.kind(&folder.join(name)) == PathKind::File)
    }

    /// The `modulepath` of the project, `libs` where it has none, and where it would download to.
    fn candidates(&self, world: &dyn World, entry: &EntryPoint) -> Vec<SearchFolder> {
        let project = text(world, &entry.base.join(PROJECT));
        let yaml = project.and_then(|text| parse_yaml::<serde_yaml::Value>(&text).ok());
        let environments = environments(world, &entry.base);
        let Some(yaml) = yaml else {
            let libs = SearchFolder::of_project(entry.base.join("libs"), "libs beside the entry");
            return ::std::iter::once(libs).chain(environments).collect();
        };
        let mut folders: Vec<SearchFolder> = Vec::new();
        for setting in ["modulepath", "downloadpath"] {
            // Compiling refuses a project with more.
            for path in super::project::texts(yaml.get(setting)).into_iter().take(super::project::MOST) {
                for path in path.split(':').filter(|path| !path.is_empty()) {
                    let path = entry.base.join(path);
                    if !folders.iter().any(|folder| folder.path == path) {
                        folders.push(SearchFolder::of_project(path, format!("{setting} of {PROJECT}")));
                    }
                }
            }
        }
        folders.extend(environments);
        folders
    }

    /// What templates and files of a module are read from.
    fn carried(&self, _manifest: &Manifest) -> Vec<PathBuf> {
        vec!["files".into(), "templates".into()]
    }
}

/// The packages of the project's own virtual environment, and of the active one: installed modules are among them.
fn environments(world: &dyn World, project: &Path) -> Vec<SearchFolder> {
    let files = Reader(world);
    let own = Environment::find(project, &files).map(|found| found.packages);
    let variables = match world.read(&Read::Environment) {
        Ok(Sample::Pairs(pairs)) => pairs,
        _ => Default::default(),
    };
    let variable = |name: &str| variables.get(name).map(String::as_str);
    let active = Environment::active(variable("VIRTUAL_ENV"), variable("PATH"), &files);
    let has_modules = |folder: &PathBuf| files.is_folder(&folder.join("inmanta_plugins"));
    let own = own.filter(has_modules).map(|path| SearchFolder::of_project(path, "the project's virtual environment"));
    let active =
        active.filter(has_modules).map(|path| SearchFolder::of_project(path, "the active virtual environment"));
    own.into_iter().chain(active).collect()
}

/// The files of a world.
struct Reader<'w>(&'w dyn World);

impl Files for Reader<'_> {
    fn text(&self, path: &Path) -> Option<Arc<str>> {
        text(self.0, path)
    }

    fn is_folder(&self, path: &Path) -> bool {
        self.0.kind(path) == PathKind::Folder
    }

    fn names(&self, folder: &Path) -> Vec<String> {
        match self.0.read(&Read::Folder(folder.into())) {
            Ok(Sample::Names(names)) => names,
            _ => Vec::new(),
        }
    }

    fn shown(&self, path: &Path) -> String {
        crate::module::shown(path)
    }
}

fn is_built_in(module: &str) -> bool {
    library::text(module).is_some()
}
