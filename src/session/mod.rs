//! The one API over all rooms: open an entry, compile it, preview it, step through it, apply it.
//!
//! Comes in: what the user typed, as [`Options`] and an entry. Goes out: plain data (`Compiled`, `Plan`, `Event`,
//! `ModuleTree`) that faces only read. Calls block; a face that must not block calls them from a worker.
//! Deliberately absent: anything about terminals.

#[allow(clippy::disallowed_methods, reason = "tells by their paths whether two deploys are of one entry")]
pub mod against;
mod agreement;
mod amend;
mod applier;
mod archives;
mod artifact;
mod attach;
pub mod bundle;
mod configure;
pub mod doc;
mod download;
mod drift;
mod editor;
pub mod ends;
pub mod follow;
mod evaluate;
mod files;
mod find;
mod format;
mod saved_plan;
pub mod history;
mod history_watch;
mod imports;
mod integrity;
mod interrupt;
mod job;
mod keeper;
#[allow(clippy::disallowed_methods, reason = "what the faces keep is written and read here")]
pub mod keepsakes;
mod lending;
#[allow(clippy::disallowed_methods, reason = "the tutor's folder is ours")]
mod lesson;
pub mod live;
mod modules;
pub mod moment;
mod nearby;
pub mod operations;
pub mod outlook;
mod pack;
mod privileged;
mod remote;
mod stepper;
mod stops;
pub mod target;
mod trust;
mod trusted;
mod undo;
mod upkeep;
mod watch;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use sha2::{Digest, Sha256};

use crate::config::Config;
use crate::deploy::bundle::OpenBundle;
use crate::deploy::{StateFolder, still_owed};
use crate::diag::{Code, Diagnostic, Diagnostics, Stage};
use crate::engine::{self, message::Event};
use crate::graph::{Graph, ResourceId};
use crate::host::Overlay;
use crate::host::journal::{Begin, hex};
use crate::lang::{CompileOptions, Compiled, Language, RunLimits, is_built, language, not_built};
use crate::module::{EntryPoint, LanguageName, Typed, resolve_entry};
use crate::plan::{Plan, SavedPlan, SealKey};
use crate::resource::{export, packaged, reversal};
use crate::source::Sources;
use crate::world::{Frozen, OwnExports, Read, ReadError, Sample, World, exporter};

pub use crate::deploy::{Holder, StateError};
pub use crate::fetch::Review;
pub use crate::fetch::{
    AskAnyTime, COMMAND as FETCH_COMMAND, Fate, Heard, Login, Permit, Progress, Summary as Downloaded, Unused, Update,
    in_bytes, serve as serve_fetch,
};
pub use crate::host::{Archive, FetchedArchives, Within};
pub use crate::lang::{
    Artifact, AsWritten, Choices, DeclaredKind, DeclaredParam, Form, Here, ImportEdit, InmantaChoices, Limits,
    LinkHere, Made, NewImport, Origin, PuppetChoices, Report, Strict,
};
pub use crate::resource::autogroup::{Grouped, Member, group};
pub use crate::resource::exit_code;
pub use crate::resource::export::declared;
pub use crate::world::Cancel;
pub use agreement::{Agreement, machine};
pub use amend::{Edit, Edited, differing_lines, edited, is_alone};
pub use applier::{ApplyError, Keeping, state_path};
pub use artifact::as_program;
pub use attach::{
    AttachError, Attached, COMMAND as APPLIER_COMMAND, Guest, LEFT_ALONE, Standing, attach, look_in,
    serve as serve_applier, take_over,
};
pub use configure::{
    check_config, check_themes, configure, configure_project, held_settings, keep_settings, own_themes, theme,
    theme_named,
};
pub use download::{Around, DownloadOptions, NotFetched};
pub use drift::{Drift, DriftWatch, Outdated, now};
pub use editor::{edit, editor};
pub use evaluate::{Code as EvalCode, evaluate_code};
pub use find::{Hit, Wanted, find_lines};
pub use format::{Formatted, Forms, Text, format_text, replace_file, source_files, write_new_file};
pub use history_watch::{HistoryWatch, watch_history};
pub use imports::Pruning;
pub use interrupt::Interrupts;
pub use keeper::Keeper;
pub use lending::lend;
pub use lesson::Lesson;
pub use modules::{Beyond, about_file, beyond, is_missing, read_source};
pub use nearby::{Nearby, begin_module, nearby};
pub use pack::{PackOptions, Packed};
pub use privileged::needs_root;
pub use remote::{Found, Seen, behind_words, mark_behind};
pub use saved_plan::{applied_as, load_plan, moved_words, save_plan};
pub use stepper::{Mode, Parted, Stepper};
pub use stops::check_stop;
pub use trust::{Fetched, Stranger, review_lines};
pub use upkeep::{Due, Ended, Fate as FailureFate, Part, Upkeep};
pub use watch::{FileWatch, FilesRead};

/// What the user chose for a session.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// `--lang`; told from the entry otherwise.
    pub language: Option<LanguageName>,
    /// `--module-path`, in order.
    pub module_path: Vec<PathBuf>,
    /// Whether the user's own commands that only ask (guards) may run before an apply. While the program imports what was
    /// fetched and never approved, a session takes it away as it opens.
    pub run_guards: bool,
    /// What compiling may cost; set as the session opens, from the settings.
    pub limits: Limits,
    /// What the user chose for the program.
    pub choices: Choices,
    /// The flags of the command line that only some languages have.
    pub flags: Vec<&'static str>,
    /// The process ends with the first thing that is compiled: if that is ended before its end, nothing is freed.
    pub is_last: bool,
    /// The settings; the project's join them as the session opens.
    pub config: Config,
    /// `--state-dir`: where kinds and the shared store keep what lasts; the platform's folder for state otherwise.
    pub state: Option<PathBuf>,
    /// Standard input, read whole, where the entry is `-`.
    pub stdin: Option<Vec<u8>>,
    /// The bundle that was entered; set as the session opens.
    pub bundle: Option<Arc<OpenBundle>>,
}

/// What the user chose for a run.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// Leaves out all others: what needs one of them goes on only if that is right already.
    pub only: Option<BTreeSet<ResourceId>>,
    /// How many resources may be at work at once; 0 for as many as the settings say.
    pub jobs: usize,
    /// Known to be right: looked at only where something comes to them.
    pub settled: Arc<BTreeSet<ResourceId>>,
    /// Told beforehand that something they listen to has changed.
    pub refreshed: BTreeSet<ResourceId>,
    /// A failure is not tried again, whatever `retry` says.
    pub one_try: bool,
    /// What was approved: a resource that turns out otherwise is a failure, and left as it is.
    pub approved: Option<SavedPlan>,
    /// The plan that was agreed to, by its hash, as the history tells it.
    pub plan: Option<String>,
}

/// One entry, ready to be looked at and worked on.
pub struct Session {
    entry: EntryPoint,
    options: Options,
    world: Arc<dyn World>,
    /// The node that was picked since it opened.
    node: Mutex<Option<String>>,
    /// Why guards do not run though that was asked for.
    guards_held_by: Vec<String>,
    /// What packages bring, for all graphs that are made ready.
    brought: Mutex<packaged::Lists>,
    /// What plans are sealed with that are saved, or held against a saved one.
    seal: OnceLock<SealKey>,
}

impl Session {
    /// Finds the entry point on this machine.
    pub fn open(entry: Option<&str>, options: Options) -> Result<Session, Box<Report>> {
        let (inside, options) = options.enter_bundle(entry)?;
        // No command runs while it is not known whose it is.
        let mut quiet = Options { run_guards: false, ..options.clone() };
        quiet.choices.inmanta.run_plugins = false;
        let mut session = Self::open_in(Arc::new(quiet.live()), inside.as_deref().or(entry), quiet)?;
        session.check_no_unpacked()?;
        if let Some(typed) = entry.filter(|_| inside.is_some()) {
            session.entry.shown = typed.into();
        }
        let (guards, plugins) = (options.run_guards, options.choices.inmanta.run_plugins);
        if guards || plugins {
            session.let_run(guards, plugins);
        }
        Ok(session)
    }

    /// Finds the entry point in a world of the caller's.
    pub fn open_in(world: Arc<dyn World>, entry: Option<&str>, options: Options) -> Result<Session, Box<Report>> {
        let mut sources = Sources::default();
        let mut diagnostics = Diagnostics::new(Stage::Module);
        let typed = Typed { entry, stdin: options.stdin.as_deref(), language: options.language };
        match resolve_entry(&*world, typed, &mut sources, &mut diagnostics) {
            Some(entry) => {
                options.check_entry(&entry)?;
                Ok(Session::of(entry, world, options))
            }
            None => Err(Box::new(Report { sources, diagnostics })),
        }
    }

    /// A session on an entry that was found, with the settings of its project.
    fn of(entry: EntryPoint, world: Arc<dyn World>, mut options: Options) -> Session {
        options.enter_project(&*world, &entry);
        let world = Arc::new(OwnExports::new(world, program_of(&entry)));
        let node = Mutex::default();
        Session {
            entry,
            options,
            world,
            node,
            guards_held_by: Vec::new(),
            brought: Mutex::default(),
            seal: OnceLock::new(),
        }
    }

    pub fn entry(&self) -> &EntryPoint {
        &self.entry
    }

    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Compiles for another node from now on.
    pub fn pick_node(&self, name: &str) {
        *self.node.lock().unwrap_or_else(PoisonError::into_inner) = Some(name.to_owned());
    }

    /// What the user chose for the program, up to now.
    fn choices(&self) -> Choices {
        let mut choices = self.options.choices.clone();
        let picked = self.node.lock().unwrap_or_else(PoisonError::into_inner).clone();
        choices.puppet.node = picked.or(choices.puppet.node);
        choices
    }

    fn language(&self) -> &'static dyn Language {
        language(self.entry.language)
    }

    /// A file's text, for showing it; bytes that are no characters are replaced.
    pub fn text(&self, path: &Path) -> Result<String, ReadError> {
        Ok(String::from_utf8_lossy(&self.world.file(path)?).into_owned())
    }

    /// Compiles up to and including a stage. Sees one frozen sample of the machine from begin to end.
    pub fn compile(&self, until: Stage, cancel: &Cancel) -> Compiled {
        // One sample for finding modules and for compiling: nothing changes between the two.
        self.compile_in(&Frozen::new(Arc::clone(&self.world)), until, cancel)
    }

    fn compile_in(&self, world: &Frozen<Arc<dyn World>>, until: Stage, cancel: &Cancel) -> Compiled {
        job::run(|| self.compile_here(world, until, cancel))
            .unwrap_or_else(|bug| Compiled::new(Graph::default(), Sources::default(), panicked(&bug, until)))
    }

    fn compile_here(&self, world: &dyn World, until: Stage, cancel: &Cancel) -> Compiled {
        match self.prepare(world, until, cancel) {
            Ok(options) => self.language().compile(world, &self.entry, &options),
            Err(Report { sources, diagnostics }) => Compiled::new(Graph::default(), sources, diagnostics),
        }
    }

    fn prepare(&self, world: &dyn World, until: Stage, cancel: &Cancel) -> Result<CompileOptions, Report> {
        let mut options = self.options.prepare(world, &self.entry, until, cancel)?;
        options.choices = self.choices();
        Ok(options)
    }

    /// The name of this machine; nothing where it has none.
    pub fn hostname(&self) -> String {
        match self.world.read(&Read::Hostname) {
            Ok(Sample::Text(name)) => name,
            _ => String::new(),
        }
    }

    /// What every run is told of this machine.
    fn engine_options(&self) -> engine::Options {
        let state = match self.world.read(&Read::StateFolder) {
            Ok(Sample::Path(state)) => Some(state),
            _ => None,
        };
        let reversals = state.as_ref().map(|state| state.join("reversals").join(self.program()));
        let seal = self.seal.get().cloned();
        engine::Options { state, hostname: self.hostname(), reversals, seal, ..engine::Options::default() }
    }

    /// Names the program among others on this machine.
    fn program(&self) -> String {
        program_of(&self.entry)
    }

    /// The graph as this machine is to have it: with what takes back those resources with `Meta:reverse` that have left the
    /// program, with what stores its exports, and with packages before what they bring.
    pub fn ready(&self, mut graph: Graph) -> Graph {
        let look = self.look(false);
        packaged::add(&mut graph, &look, &mut self.brought.lock().unwrap_or_else(PoisonError::into_inner));
        let engine::Options { state, hostname, reversals, .. } = self.engine_options();
        if let Some(folder) = reversals {
            // What cannot be read is not taken back, and stays for another time.
            let _ = reversal::add(&mut graph, &folder, &look);
        }
        if let Some(state) = state {
            let (exporter, program) = (exporter(&self.program(), &hostname), path_of(&self.entry));
            export::add(&mut graph, &exporter, &program.display().to_string(), &state, &look);
        }
        graph
    }

    /// What stands at a line and column, both from 1, of one of the program's files; of the entry where none is given.
    ///
    /// Also works where the program has errors elsewhere.
    pub fn here(&self, file: Option<&Path>, place: (u32, u32), cancel: &Cancel) -> Option<Here> {
        let look = || {
            let world = Frozen::new(Arc::clone(&self.world));
            let mut diagnostics = Diagnostics::new(Stage::Module);
            let search = self.options.search(&world, &self.entry, &mut diagnostics);
            let module_path = search.into_iter().map(|folder| folder.path).collect();
            let limits = self.options.limits.clone();
            let run = RunLimits { until: Stage::Type, cancel: cancel.clone(), limits, is_last: false };
            let options = CompileOptions { module_path, choices: self.choices(), run };
            self.language().here(&world, &self.entry, &options, file, place)
        };
        // A bug there costs a hover, not the session.
        job::run(look).ok().flatten()
    }

    /// The host that a graph was compiled for, where that is not this one.
    pub fn meant_for_another(&self, graph: &Graph) -> Option<Arc<str>> {
        let here = self.hostname();
        let mut targets = graph.resources().filter_map(|(_, resource)| resource.target.clone());
        targets.find(|target| **target != *here)
    }

    /// A dry run from begin to end: what an apply would do, in order. `progress` hears every event.
    pub fn preview(&self, graph: &Arc<Graph>, cancel: &Cancel, progress: &mut dyn FnMut(&Event)) -> Plan {
        self.preview_and_missing(graph, cancel, progress).0
    }

    /// The same of some resources, without a look at what does not matter to them.
    pub fn preview_of(&self, graph: &Arc<Graph>, wanted: &BTreeSet<ResourceId>) -> Plan {
        let look = Arc::new(self.look(self.options.run_guards));
        engine::preview_of(Arc::clone(graph), look, &self.entry.shown, wanted, self.engine_options())
    }

    /// A look at resources that are kept right anyway: their guards are asked.
    pub fn look_over(&self, graph: &Arc<Graph>) -> Plan {
        let look = Arc::new(self.look(true));
        engine::preview(Arc::clone(graph), look, &self.entry.shown, self.engine_options(), &mut |_| ())
    }

    /// The same, with what the user chose for a run.
    fn with_choices(&self, options: RunOptions) -> engine::Options {
        let jobs = self.jobs(&options);
        let RunOptions { only, settled, refreshed: owed, one_try, approved, .. } = options;
        let approved = approved.map(|frozen| Arc::new(frozen.expected()));
        engine::Options { only, jobs, settled, owed, one_try, approved, ..self.engine_options() }
    }

    /// How many resources may be at work at once; 0 for one on each core.
    fn jobs(&self, options: &RunOptions) -> usize {
        if options.jobs > 0 { options.jobs } else { self.options.config.jobs() }
    }

    /// A dry run that advances as it is told; see [`Request`](crate::engine::message::Request).
    pub fn stepper(&self, graph: Arc<Graph>) -> (Stepper, Receiver<Event>) {
        self.stepper_for(graph, RunOptions::default())
    }

    /// The same, with more to say about it.
    pub fn stepper_for(&self, graph: Arc<Graph>, options: RunOptions) -> (Stepper, Receiver<Event>) {
        let host = Overlay::new(Arc::new(self.look(self.options.run_guards)));
        let mut options = self.with_choices(options);
        options.owed.extend(self.still_owed(&graph));
        Stepper::start(graph, Box::new(host), options, None)
    }

    /// The refreshes that an earlier apply of this program did not come to. What cannot be read owes nothing that anybody
    /// knows of.
    pub(super) fn still_owed(&self, graph: &Graph) -> BTreeSet<ResourceId> {
        let Some(state) = self.engine_options().state else { return BTreeSet::new() };
        let begin = Begin { entry: self.place(), ..applier::who() };
        still_owed(&StateFolder::at(&state), graph, &begin).unwrap_or_default()
    }
}

/// Where a program is. Code that came as text is one program in each folder.
fn path_of(entry: &EntryPoint) -> PathBuf {
    let path = match (&entry.file, &entry.code) {
        (Some(file), _) => file.clone(),
        (None, Some((_, name))) => entry.base.join(&**name),
        (None, None) => entry.base.clone(),
    };
    std::path::absolute(&path).unwrap_or(path)
}

/// Names a program among others on this machine.
fn program_of(entry: &EntryPoint) -> String {
    hex(&Sha256::digest(path_of(entry).as_os_str().as_encoded_bytes()))[..32].to_owned()
}

/// A bug of ours, told as what it is.
fn panicked(bug: &job::Panicked, stage: Stage) -> Diagnostics {
    let mut diagnostics = Diagnostics::new(stage);
    diagnostics.push(
        Diagnostic::placeless(Code::InternalError)
            .label(bug.to_string())
            .help("this is a bug in workbench; please report it with the module that shows it"),
    );
    diagnostics
}

impl Options {
    /// Refuses an entry of a language that is not built, and flags that its language does not have.
    fn check_entry(&self, entry: &EntryPoint) -> Result<(), Box<Report>> {
        if !is_built(entry.language) {
            return Err(Box::new(Report::of(not_built(entry.language, &entry.shown))));
        }
        self.check_flags(entry.language, "this entry")
    }

    /// Refuses flags that a language does not have; `what` is in that language.
    fn check_flags(&self, name: LanguageName, what: &str) -> Result<(), Box<Report>> {
        let known = language(name).flags();
        let Some(foreign) = self.flags.iter().find(|flag| !known.contains(flag)) else { return Ok(()) };
        let label = format!("`{foreign}` does not apply to {}, the language of {what}", name.title());
        let diagnostic = Diagnostic::placeless(Code::ForeignOption).label(label).help("remove the option");
        Err(Box::new(Report::of(diagnostic)))
    }
}
