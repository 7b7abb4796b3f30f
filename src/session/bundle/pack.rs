//! Makes a bundle: compiles the program at its place in the bundle, and packs the files that the compiler read.
//!
//! The folders of the program and of its module path appear below one folder that does not exist. This distinguishes
//! files of the program from files of the machine, even if both are the same file, and proves that the packed files
//! compile.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use crate::deploy::bundle::{BundleError, Content, FolderLock, read_file, write_bundle};
use crate::diag::{Code, Diagnostic, Diagnostics, Stage};
use crate::fetch::{LOCK_FILE, Lock, Verified, real, verify};
use crate::graph::Graph;
use crate::module::{self, EntryPoint, Module, ModuleTree, clean};
use crate::session::bundle::{Manifest, OpenBundle, Signer, leads_to_bundle};
use crate::session::modules::local_imports;
use crate::session::open::compiled_for::different_limits;
use crate::session::{Options, Report, Session, job, panicked};
use crate::source::{Sources, printable};
use crate::world::{Answers, Cancel, Frozen, PathKind, Read, ReadError, Redirected, Sample, World};

/// The apparent folder of a bundle's files while it is made.
const INSIDE: &str = "/.workbench-bundle";
/// The program, below that.
const PROGRAM: &str = "program";
/// Folders of the module path elsewhere.
const MODULES: &str = "modules";

/// The properties of a bundle other than its contents.
#[derive(Clone, Debug, Default)]
pub struct PackOptions {
    pub name: Option<String>,
    pub counter: Option<u64>,
    /// RFC 3339.
    pub expires: Option<String>,
}

/// A finished bundle.
#[derive(Clone, Debug)]
pub struct Packed {
    pub manifest: Manifest,
    pub hash: String,
    /// Of the archive.
    pub bytes: u64,
}

/// The contents of a future bundle.
pub(in crate::session) struct Gathered {
    pub manifest: Manifest,
    pub files: Vec<Content>,
    /// As compiled at the original place of the sources.
    pub graph: Graph,
}

impl Session {
    /// Writes a bundle with everything that the entry needs, atomically.
    pub fn pack(&self, out: &Path, options: &PackOptions, cancel: &Cancel) -> Result<Packed, Box<Report>> {
        job::run(|| self.pack_here(out, options, cancel)).unwrap_or_else(|bug| {
            Err(Box::new(Report { sources: Sources::default(), diagnostics: panicked(&bug, Stage::Module) }))
        })
    }

    fn pack_here(&self, out: &Path, options: &PackOptions, cancel: &Cancel) -> Result<Packed, Box<Report>> {
        if self.options.bundle.is_some() {
            return Err(refuse("the entry is already a bundle", "copy it"));
        }
        let Gathered { mut manifest, files, .. } = self.gather(options, cancel)?;
        let failed = |error: BundleError| refuse(&error.to_string(), error.help());
        let bytes = write_bundle(&mut manifest, &files).map_err(failed)?;
        write(out, &bytes).map_err(failed)?;
        Ok(Packed { hash: manifest.hash(), manifest, bytes: bytes.len() as u64 })
    }

    /// Returns the contents of a bundle of the entry, under their names in the bundle.
    pub(in crate::session) fn gather(&self, options: &PackOptions, cancel: &Cancel) -> Result<Gathered, Box<Report>> {
        if self.entry.code.is_some() {
            return Err(refuse("the entry is code, not a file", "save it to a file, and use that"));
        }
        let world: Arc<dyn World> = Arc::new(Frozen::new(Arc::clone(&self.world)));
        // Compile at the original place first, where the lock applies and errors have real paths.
        let (compiled, _) = self.compile_noting(Arc::clone(&world), Stage::Eval, cancel);
        if compiled.diagnostics.has_errors() {
            return Err(Box::new(Report { sources: compiled.sources, diagnostics: compiled.diagnostics }));
        }
        let graph = compiled.graph;
        let layout = Layout::of(self, &*world);
        let inner = layout.session(self, &world);
        let (compiled, seen) = inner.compile_again(Arc::clone(&inner.world), cancel);
        if compiled.diagnostics.has_errors() {
            return Err(Box::new(Report { sources: compiled.sources, diagnostics: compiled.diagnostics }));
        }
        let mut packing =
            Packing { layout: &layout, files: BTreeMap::new(), answers: Answers::default(), missing: BTreeSet::new() };
        let failed = |error: BundleError| refuse(&error.to_string(), error.help());
        packing.fetched(&self.locked(&layout)).map_err(failed)?;
        for (read, answer) in seen {
            packing.read(&read, answer).map_err(failed)?;
        }
        for module in &layout.tree.modules {
            packing.own_files(&*world, self.language().layout(), module).map_err(failed)?;
        }
        // An environment is not one of the modules, and its settings were read before compiling.
        for settings in self.entry.metadata.iter().filter(|path| world.kind(path) == PathKind::File) {
            packing.file(&absolute(settings)).map_err(failed)?;
        }
        packing.named_by(&compiled.graph).map_err(failed)?;
        let (mut manifest, files) = packing.finish(self, options);
        manifest.list(&files).map_err(failed)?;
        Ok(Gathered { manifest, files, graph })
    }

    /// Returns the fetched modules that the program imports.
    fn locked(&self, layout: &Layout) -> Vec<Verified> {
        let search: Vec<PathBuf> = layout.search.iter().map(|(real, _)| real.clone()).collect();
        let base = absolute(&self.entry.base);
        let verified = Lock::read(&base).ok().and_then(|lock| verify(&base, &lock, &search).ok()).unwrap_or_default();
        let used: Vec<_> = layout.tree.modules.iter().map(|used| (real(&used.path), absolute(&used.path))).collect();
        let as_used = |module: Verified| {
            let real_path = real(&module.path);
            let (_, path) = used.iter().find(|(real, _)| *real == real_path)?;
            Some(Verified { path: path.clone(), ..module })
        };
        verified.into_iter().filter_map(as_used).collect()
    }
}

fn refuse(label: &str, help: &str) -> Box<Report> {
    let mut diagnostics = Diagnostics::new(Stage::Module);
    diagnostics.push(Diagnostic::placeless(Code::NotBundled).label(label).help(help));
    Box::new(Report { sources: Sources::default(), diagnostics })
}

/// Makes a path absolute and removes `..`.
fn absolute(path: &Path) -> PathBuf {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    clean(&std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf()))
}

/// The mapping from folders of this machine to folders of a bundle.
struct Layout {
    tree: ModuleTree,
    /// The folder that contains the program and all that it imports by `../`.
    root: PathBuf,
    /// The module path: a folder, and its place in the bundle.
    search: Vec<(PathBuf, String)>,
}

impl Layout {
    fn of(session: &Session, world: &dyn World) -> Self {
        let folders = session.options.search(world, &session.entry, &mut Diagnostics::new(Stage::Module));
        let tree = session.tree_in(world, &folders);
        let search: Vec<PathBuf> = folders.iter().map(|folder| absolute(&folder.path)).collect();
        let base = absolute(&session.entry.base);
        let mut root = base.clone();
        // A single module and an environment are named by their folders.
        if session.entry.include.is_some() || session.entry.environment.is_some() {
            root.pop();
        }
        for local in local_imports(&tree, session.language().layout())
            .map(|path| absolute(&path))
            .filter(|path| !search.iter().any(|folder| path.starts_with(folder)))
        {
            while !local.starts_with(&root) && root.pop() {}
        }
        let holds = |folder: &PathBuf| tree.modules.iter().skip(1).any(|m| absolute(&m.path).starts_with(folder));
        let mut placed: Vec<(PathBuf, String)> = Vec::new();
        let mut elsewhere = 0;
        for folder in search.into_iter().filter(holds) {
            if placed.iter().any(|(real, _)| *real == folder) {
                continue;
            }
            let name = match folder.strip_prefix(&root) {
                Ok(below) => Path::new(PROGRAM).join(below).components().collect::<PathBuf>().display().to_string(),
                Err(_) => {
                    elsewhere += 1;
                    if elsewhere == 1 { MODULES.into() } else { format!("{MODULES}-{elsewhere}") }
                }
            };
            placed.push((folder, name));
        }
        Self { tree, root, search: placed }
    }

    /// Maps a path of this machine to the bundle.
    fn inside(&self, real: &Path) -> Option<PathBuf> {
        let within = |folder: &Path, name: &str| Some(Path::new(name).join(real.strip_prefix(folder).ok()?));
        let program = within(&self.root, PROGRAM);
        program.or_else(|| self.search.iter().find_map(|(folder, name)| within(folder, name)))
    }

    /// Maps a path of the bundle to this machine.
    fn outside(&self, inside: &Path) -> Option<PathBuf> {
        let within = |folder: &Path, name: &str| Some(folder.join(inside.strip_prefix(name).ok()?));
        let program = within(&self.root, PROGRAM);
        program.or_else(|| self.search.iter().find_map(|(folder, name)| within(folder, name)))
    }

    /// Returns a session of the program at its place in the bundle.
    fn session(&self, outer: &Session, world: &Arc<dyn World>) -> Session {
        let seem = |path: &Path| Path::new(INSIDE).join(self.inside(&absolute(path)).unwrap_or_default());
        let mut folders = vec![(Path::new(INSIDE).join(PROGRAM), self.root.clone())];
        folders.extend(self.search.iter().map(|(real, name)| (Path::new(INSIDE).join(name), real.clone())));
        let manifest =
            Manifest { search: self.search.iter().map(|(_, name)| name.clone()).collect(), ..Manifest::default() };
        let bundle = OpenBundle {
            path: PathBuf::new(),
            hash: String::new(),
            manifest,
            signer: Signer::Unsigned,
            root: INSIDE.into(),
            held: FolderLock::default(),
        };
        let entry = EntryPoint {
            file: outer.entry.file.as_deref().map(seem),
            roots: outer.entry.roots.iter().map(|root| seem(root)).collect(),
            environment: outer.entry.environment.as_deref().map(seem),
            base: seem(&outer.entry.base),
            metadata: outer.entry.metadata.as_deref().map(seem),
            ..outer.entry.clone()
        };
        Session {
            given: None,
            entry,
            options: Options {
                bundle: Some(Arc::new(bundle)),
                choices: outer.options.choices.clone().at(seem),
                ..outer.options.clone()
            },
            world: Arc::new(Redirected::new(Arc::clone(world), &folders)),
            node: Mutex::default(),
            facts: Mutex::default(),
            guards_held_by: Vec::new(),
            brought: Mutex::default(),
            seal: OnceLock::new(),
        }
    }
}

/// The included and excluded files.
struct Packing<'a> {
    layout: &'a Layout,
    files: BTreeMap<String, Content>,
    /// The answers of foreign code.
    answers: Answers,
    missing: BTreeSet<String>,
}

impl Packing<'_> {
    /// Includes fetched modules completely, so that their hash can be checked there too.
    fn fetched(&mut self, locked: &[Verified]) -> Result<(), BundleError> {
        let all: Vec<PathBuf> = locked.iter().map(|module| module.path.clone()).collect();
        for module in locked {
            let is_nested = |path: &Path| path != module.path && all.iter().any(|other| other == path);
            self.folder(&module.path, &is_nested)?;
        }
        Ok(())
    }

    /// Handles an input of the compiler: a file of the program is included, an input of the machine is reported.
    fn read(&mut self, read: &Read, answer: Result<Sample, ReadError>) -> Result<(), BundleError> {
        match read {
            Read::File(path) => match (path.strip_prefix(INSIDE), answer) {
                (Ok(inside), Ok(Sample::Bytes(bytes))) => self.add(&clean(inside), bytes.to_vec()),
                (Ok(_), _) => Ok(()),
                (Err(_), _) => self.host("file read by the program:", path),
            },
            Read::Folder(path) if !path.starts_with(INSIDE) => self.host("folder listed by the program:", path),
            Read::Link(path) if !path.starts_with(INSIDE) => self.host("link followed by the program:", path),
            // If the program asks only for a folder's path, its resources will read from the folder.
            Read::Kind(path) => match path.strip_prefix(INSIDE).map(clean) {
                Ok(inside) if answer == Ok(Sample::Kind(PathKind::Folder)) => self.asked_for(&inside),
                Ok(_) => Ok(()),
                Err(_) => self.host("path checked by the program:", path),
            },
            Read::Command(command) => {
                self.missing.insert(format!("command run by the program: `{}`", printable(command)));
                Ok(())
            }
            Read::Plugin(call) => {
                match answer {
                    Ok(Sample::Text(answer)) => self.answers.add(call, answer),
                    _ => drop(
                        self.missing.insert("answers of the Ruby or Python code that the program calls".to_string()),
                    ),
                }
                Ok(())
            }
            Read::Stored(key) | Read::StoredByHost(key) => {
                self.missing.insert(format!("key of the shared store: `{}`", printable(key)));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn host(&mut self, what: &str, path: &Path) -> Result<(), BundleError> {
        self.missing.insert(format!("{what} `{}`", printable(&path.to_string_lossy())));
        Ok(())
    }

    /// Reports a file of the program that cannot be packed, under its name in the bundle.
    fn left_out(&mut self, what: &str, real: &Path) -> Result<(), BundleError> {
        let inside = self.layout.inside(real);
        self.host(what, inside.as_deref().unwrap_or(real))
    }

    /// Finding metadata inspects folders of modules. That does not count as reading their contents.
    fn asked_for(&mut self, inside: &Path) -> Result<(), BundleError> {
        let Some(real) = self.layout.outside(inside) else { return Ok(()) };
        let around = |module: &Module| absolute(&module.path).starts_with(&real);
        let searched = self.layout.search.iter().any(|(folder, _)| folder.starts_with(&real));
        if searched || self.layout.tree.modules.iter().any(around) {
            return Ok(());
        }
        self.folder(&real, &|_| false)
    }

    /// Includes the metadata of a module, and the files that an apply reads according to its language.
    fn own_files(
        &mut self,
        world: &dyn World,
        language: &dyn module::Layout,
        module: &Module,
    ) -> Result<(), BundleError> {
        let described = language.metadata().iter().map(|name| module.path.join(name));
        let mut described = described.filter(|path| world.kind(path) == PathKind::File).peekable();
        if described.peek().is_none() {
            return Ok(());
        }
        for path in described {
            // The entry's own metadata was read before compiling.
            self.file(&absolute(&path))?;
        }
        for path in language.carried(&language.manifest(world, &module.path)) {
            let folder = absolute(&module.path.join(path));
            if world.kind(&folder) == PathKind::Folder {
                self.folder(&folder, &|_| false)?;
            }
        }
        Ok(())
    }

    /// Includes the source paths of resources.
    fn named_by(&mut self, graph: &Graph) -> Result<(), BundleError> {
        for (_, resource) in graph.resources() {
            for (name, value) in resource.meant().params.iter() {
                let Some(text) = value.as_str() else { continue };
                let path = Path::new(text);
                match path.strip_prefix(INSIDE).map(clean) {
                    Ok(inside) => {
                        let Some(real) = self.layout.outside(&inside) else { continue };
                        self.any(&real)?;
                    }
                    Err(_) if name.as_ref() == "source" && path.is_absolute() => {
                        let what = format!("source of {}[{}]:", resource.shown().kind, resource.shown().name);
                        self.host(&printable(&what).to_string(), path)?;
                    }
                    Err(_) => {}
                }
            }
        }
        Ok(())
    }

    /// Includes a file, or everything below a folder.
    #[expect(clippy::disallowed_methods, reason = "files are packed without following links")]
    fn any(&mut self, real: &Path) -> Result<(), BundleError> {
        match std::fs::symlink_metadata(real) {
            Ok(stat) if stat.is_dir() => self.folder(real, &|_| false),
            Ok(stat) if stat.is_file() => self.file(real),
            _ => self.left_out("not a file or folder:", real),
        }
    }

    #[expect(clippy::disallowed_methods, reason = "files are packed without following links")]
    fn folder(&mut self, real: &Path, leave_out: &dyn Fn(&Path) -> bool) -> Result<(), BundleError> {
        let mut folders = vec![real.to_path_buf()];
        while let Some(folder) = folders.pop() {
            let unreadable = |error: std::io::Error| BundleError::Unreadable(format!("{}: {error}", folder.display()));
            for item in std::fs::read_dir(&folder).map_err(unreadable)? {
                let item = item.map_err(unreadable)?;
                let kind = item.file_type().map_err(unreadable)?;
                let path = item.path();
                if kind.is_dir() {
                    if !leave_out(&path) {
                        folders.push(path);
                    }
                } else if kind.is_file() {
                    self.file(&path)?;
                } else {
                    self.left_out("not a regular file:", &path)?;
                }
            }
        }
        Ok(())
    }

    fn file(&mut self, real: &Path) -> Result<(), BundleError> {
        let Some(inside) = self.layout.inside(real) else { return self.left_out("outside the module:", real) };
        let at_its_place = |error: BundleError| BundleError::Unreadable(format!("{}: {error}", real.display()));
        self.add(&inside, read_file(real).map_err(at_its_place)?)
    }

    #[expect(clippy::disallowed_methods, reason = "the executable bit is metadata")]
    fn add(&mut self, inside: &Path, bytes: Vec<u8>) -> Result<(), BundleError> {
        let plain = inside.components().all(|part| matches!(part, Component::Normal(_)));
        let path = inside
            .to_str()
            .filter(|_| plain)
            .ok_or_else(|| BundleError::Name(printable(&inside.to_string_lossy()).to_string()))?;
        if self.files.contains_key(path) {
            return Ok(());
        }
        let real = self.layout.outside(inside).unwrap_or_default();
        let executable = std::fs::metadata(real).is_ok_and(|stat| stat.permissions().mode() & 0o100 != 0);
        self.files.insert(path.to_owned(), Content { path: path.to_owned(), executable, bytes });
        Ok(())
    }

    fn finish(mut self, session: &Session, options: &PackOptions) -> (Manifest, Vec<Content>) {
        if let Some(bytes) = self.answers.content() {
            let path = Answers::FILE.to_string();
            self.files.insert(path.clone(), Content { path, executable: false, bytes });
        }
        let inside = |path: &Path| {
            let inside = self.layout.inside(&absolute(path)).unwrap_or_default();
            inside.to_string_lossy().into_owned()
        };
        let own = &session.entry;
        // A folder without metadata is more than the file that identified it.
        let folder = Some(&*own.base).filter(|_| own.environment.is_some() || own.include.is_some());
        let entry = own.metadata.as_deref().or(folder).or(own.file.as_deref()).unwrap_or(Path::new(""));
        let enters_folder = folder.is_some_and(|folder| entry == folder);
        let lock = inside(&session.entry.base.join(LOCK_FILE));
        let is_there = |folder: &String| {
            let below = format!("{folder}/");
            self.files.keys().any(|path| path.starts_with(&below))
        };
        let search = self.layout.search.iter().map(|(_, name)| name.clone()).filter(is_there);
        let (limits, run_guards) = (different_limits(&session.options.limits), session.options.run_guards);
        let oldest = if session.choices().is_default() && !enters_folder { 1 } else { 2 };
        let version = if limits.is_empty() && !run_guards { oldest } else { 3 };
        let mut choices = session.choices().at(|path| inside(path).into());
        let set = choices.take_set_keys();
        let version = if set.is_empty() { version } else { 4 };
        let manifest = Manifest {
            name: options.name.clone(),
            counter: options.counter,
            expires: options.expires.clone(),
            entry: inside(entry),
            search: search.collect(),
            lock: self.files.contains_key(&lock).then_some(lock),
            missing: self.missing.into_iter().collect(),
            version,
            limits,
            run_guards,
            choices,
            set,
            ..Manifest::default()
        };
        (manifest, self.files.into_values().collect())
    }
}

/// Writes the archive by one rename. Replaces only another bundle.
#[expect(clippy::disallowed_methods, reason = "the user asked for this very file to be written; no host is managed")]
fn write(out: &Path, bytes: &[u8]) -> Result<(), BundleError> {
    let unwritten = |path: &Path, error: std::io::Error| BundleError::Unwritten(format!("{}: {error}", path.display()));
    let failed = |error: std::io::Error| unwritten(out, error);
    if std::fs::symlink_metadata(out).is_ok() && !leads_to_bundle(out) {
        return Err(failed(std::io::Error::other("a file that is not a bundle already exists")));
    }
    let folder = out.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new()
        .prefix(".workbench-bundle-")
        .permissions(PermissionsExt::from_mode(0o644))
        .tempfile_in(folder)
        .map_err(|error| unwritten(folder, error))?;
    file.write_all(bytes).and_then(|()| file.as_file().sync_all()).map_err(failed)?;
    file.persist(out).map_err(|error| failed(error.error))?;
    Ok(())
}
