//! The one API over all rooms: open an entry, compile it, preview it, step through it, apply it.
//!
//! Input: what the user typed, as [`Options`] and an entry. Output: plain data (`Compiled`, `Plan`, `Event`,
//! `ModuleTree`) that faces only read. Calls block. A face that must not block calls them from a worker. Deliberately
//! absent: anything about terminals.

mod attach;
pub mod bundle;
pub mod compare;
pub mod follow;
pub mod history;
mod job;
mod keeping;
mod modules;
pub mod next_step;
mod open;
mod policy;
mod privileged;
mod stops;
pub mod testing;
mod upkeep;
mod worker;
mod workspace;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use sha2::{Digest, Sha256};

use crate::config::Config;
use crate::deploy::bundle::OpenBundle;
use crate::deploy::{StateFolder, pending_refreshes};
use crate::diag::{Code, Diagnostic, Diagnostics, Stage};
use crate::engine::{self, message::Event};
use crate::graph::{Graph, ResourceId};
use crate::host::Overlay;
use crate::host::journal::Begin;
use crate::lang::{Answer, CompileOptions, Compiled, Language, RunLimits, language};
use crate::module::{EntryPoint, LanguageName, Typed, resolve_entry};
use crate::plan::{Plan, SavedPlan, SealKey};
use crate::resource::export::{self, Exporter};
use crate::resource::{packaged, reversal};
use crate::source::Sources;
use crate::source::hex;
use crate::world::{Fenced, Frozen, OwnExports, Read, ReadError, Sample, World};

pub use crate::deploy::{Holder, StateError};
pub use crate::fetch::Review;
pub use crate::fetch::{
    AskAnyTime, COMMAND as FETCH_COMMAND, FetchEvent, Login, Permit, Progress, Removal, Summary as Downloaded, Unused,
    Update, in_bytes, serve as serve_fetch,
};
pub use crate::host::{Archive, FetchedArchives, Within};
pub use crate::lang::{
    Artifact, AsWritten, Checked, Choices, DeclaredKind, DeclaredParam, Feature, Form, Here, ImportEdit, Limits,
    LinkHere, NewImport, Origin, Output, Report, Unchecked, choices, in_own_words, note_in_own_words, own_name,
    recorded_in_own_words,
};
pub use crate::resource::autogroup::{Grouped, Member, group};
pub use crate::resource::exit_code;
pub use crate::resource::export::declared;
pub use crate::world::Cancel;
pub use attach::amend::{Edit, Edited, differing_lines, edited, is_alone};
pub use attach::interrupt::Interrupts;
pub use attach::keeper::Keeper;
pub use attach::resume::to_resume;
pub use attach::stepper::{Disconnected, Mode, Stepper};
pub use attach::undo;
pub use attach::{
    ApplierStatus, AttachError, Attached, COMMAND as APPLIER_COMMAND, Guest, LEFT_ALONE, attach, look_in,
    serve as serve_applier, take_over,
};
pub use bundle::pack::{PackOptions, Packed};
pub use bundle::target;
pub use follow::drift::{Drift, DriftWatch, Outdated, now};
pub use follow::watch::{FileWatch, FilesRead};
pub use follow::{live, moment};
pub use history::at_hand::{AtHand, Refused};
pub use history::saved_plan::{applied_as, load_plan, save_plan};
pub use history::watch::{HistoryWatch, watch_history};
pub use history::words::moved_words;
pub use history::{against, ends, operations};
pub use keeping::{ApplyError, Keeping, state_path};
pub use modules::download::{Around, DownloadOptions, NotFetched};
pub use modules::imports::Pruning;
pub use modules::remote::{RemoteNews, RemoteState, behind_words, mark_behind};
pub use modules::trust::{Fetched, Stranger, review_lines};
pub use modules::{Beyond, about_file, beyond, is_missing, read_source};
pub use open::agreement::{Agreement, NotForHere, check_hosts, machine};
pub use open::artifact::as_program;
pub use open::configure::{
    check_config, check_themes, configure, configure_project, held_settings, keep_settings, own_themes, theme,
    theme_named,
};
pub use open::doc;
pub use open::evaluate::{Code as EvalCode, evaluate_code};
pub use privileged::needs_root;
pub use stops::check_stop;
pub use upkeep::{AfterFailure, Due, Ended, Part, Upkeep};
pub use worker::{COMMAND as WORKER_COMMAND, Confinement, Workplace, confinement, serve as serve_worker};
pub use workspace::editor::{edit, editor};
pub use workspace::find::{Hit, SearchPattern, find_lines};
pub use workspace::format::{Formatted, Forms, Text, format_text, replace_file, source_files, write_new_file};
pub use workspace::keepsakes;
pub use workspace::lending::{lend, stop_job};
pub use workspace::lesson::Lesson;
pub use workspace::nearby::{Nearby, begin_module, nearby};

/// The user's options for a session.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// `--lang`; by default detected from the entry.
    pub language: Option<LanguageName>,
    /// `--module-path`, in order.
    pub module_path: Vec<PathBuf>,
    /// The module folders of variables and settings that a plan was made with; `None` for those of now.
    pub other_modules: Option<OtherModules>,
    /// Whether the user's guards may run before an apply. A session clears this when it opens, if the program imports
    /// unapproved fetched modules.
    pub run_guards: bool,
    /// The limits of compiling, set from the settings when the session opens.
    pub limits: Limits,
    /// The user's choices for the program.
    pub choices: Choices,
    /// The command line's flags that only some languages have.
    pub flags: Vec<&'static str>,
    /// The process exits after the first compilation, so that a cancelled one need not free its memory.
    pub is_last: bool,
    /// The settings. The project's are added when the session opens.
    pub config: Config,
    /// `--state-dir`: the folder of kinds and of the shared store; by default the platform's folder for state.
    pub state: Option<PathBuf>,
    /// `--as-this-host`: a program for one other host may be applied to this machine.
    pub as_this_host: bool,
    /// The complete standard input, if the entry is `-`.
    pub stdin: Option<Vec<u8>>,
    /// Where programs are compiled.
    pub workplace: Workplace,
    /// The opened bundle, set when the session opens.
    pub bundle: Option<Arc<OpenBundle>>,
}

/// Module folders that no flag names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OtherModules {
    /// Whose they are, such as `the plan`; empty for those of now.
    pub of: String,
    /// Of environment variables.
    pub variables: Vec<PathBuf>,
    /// Of the user's settings.
    pub settings: Vec<PathBuf>,
}

/// The user's options for a run.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// Skips all other resources. A resource that depends on a skipped one continues only if that is unchanged.
    pub only: Option<BTreeSet<ResourceId>>,
    /// The number of concurrent resources; 0 for the settings' value.
    pub jobs: usize,
    /// Resources known to be unchanged: checked only if they are notified or receive a value.
    pub unchanged: Arc<BTreeSet<ResourceId>>,
    /// Resources with a pending refresh from the start.
    pub refreshed: BTreeSet<ResourceId>,
    /// A failure is not retried, regardless of `retry`.
    pub one_try: bool,
    /// The approved plan. A resource in another state fails and stays unchanged.
    pub approved: Option<SavedPlan>,
    /// The hash of the approved plan, for the history.
    pub plan: Option<String>,
}

/// An open entry.
pub struct Session {
    /// The entry and the options as they were given, to open it for another purpose; `None` if it has a world of its own.
    given: Option<Box<(Option<String>, Options)>>,
    entry: EntryPoint,
    options: Options,
    world: Arc<dyn World>,
    /// The node that the user picked in this session.
    node: Mutex<Option<String>>,
    /// The hash of the facts of the last compilation.
    facts: Mutex<Option<String>>,
    /// The modules that keep requested guards from running.
    guards_held_by: Vec<String>,
    /// The contents of packages, for all prepared graphs.
    brought: Mutex<packaged::Lists>,
    /// The key that seals plans, if plans are saved or compared.
    seal: OnceLock<SealKey>,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("entry", &self.entry.shown).finish_non_exhaustive()
    }
}

impl Session {
    /// Opens an entry on this machine.
    pub fn open(entry: Option<&str>, options: Options) -> Result<Session, Box<Report>> {
        let given = Box::new((entry.map(str::to_owned), options.clone()));
        let (inside, options) = options.enter_bundle(entry)?;
        // No command runs before it is known whose it is.
        let mut quiet = Options { run_guards: false, ..options.clone() };
        quiet.choices.let_plugins_run(false);
        let mut session = Self::open_in(Arc::new(quiet.live()), inside.as_deref().or(entry), quiet)?;
        session.check_no_unpacked()?;
        if let Some(typed) = entry.filter(|_| inside.is_some()) {
            session.entry.shown = typed.into();
        }
        let (guards, plugins) = (options.run_guards, options.choices.runs_plugins());
        if guards || plugins {
            session.let_run(guards, plugins);
        }
        session.given = Some(given);
        Ok(session)
    }

    /// Opens an entry in the caller's world.
    pub fn open_in(world: Arc<dyn World>, entry: Option<&str>, options: Options) -> Result<Session, Box<Report>> {
        let mut sources = Sources::default();
        let mut diagnostics = Diagnostics::new(Stage::Module);
        let typed = Typed { entry, stdin: options.stdin.as_deref(), language: options.language };
        match resolve_entry(&*world, typed, &mut sources, &mut diagnostics) {
            Some(entry) => {
                options.check_flags(entry.language, "this entry")?;
                Ok(Session::of(entry, world, options))
            }
            None => Err(Box::new(Report { sources, diagnostics })),
        }
    }

    /// Makes a session from a resolved entry, with the settings of its project.
    fn of(entry: EntryPoint, world: Arc<dyn World>, mut options: Options) -> Session {
        options.enter_project(&*world, &entry);
        let world = Arc::new(OwnExports::new(world, program_of(&entry)));
        let (node, facts) = Default::default();
        Session {
            given: None,
            entry,
            options,
            world,
            node,
            facts,
            guards_held_by: Vec::new(),
            brought: Mutex::default(),
            seal: OnceLock::new(),
        }
    }

    /// Keeps a worker ready for the next compilation, for a face that compiles often.
    pub fn keep_worker(&self) {
        self.options.workplace.keep_warm();
    }

    /// Returns the entry point that the session compiles.
    pub fn entry(&self) -> &EntryPoint {
        &self.entry
    }

    /// Returns the user's options.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Compiles for another node from now on.
    pub fn pick_node(&self, name: &str) {
        *self.node.lock().unwrap_or_else(PoisonError::into_inner) = Some(name.to_owned());
    }

    /// Returns the user's present choices for the program, completed by what its environment has.
    fn choices(&self) -> Choices {
        self.choices_in(&*self.world)
    }

    fn choices_in(&self, world: &dyn World) -> Choices {
        let mut choices = self.options.choices.clone();
        let picked = self.node.lock().unwrap_or_else(PoisonError::into_inner).clone();
        choices.pick_node(picked);
        if choices.facts().is_none() {
            choices.set_facts(self.language().facts_of_node(world, &self.entry, &choices));
        }
        choices
    }

    /// Returns the chosen node, if it is another machine and the facts of this machine are used for it.
    pub fn node_without_facts(&self) -> Option<String> {
        let choices = self.choices();
        let node = self.language().other_node(&*self.world, &choices);
        node.filter(|_| choices.facts().is_none())
    }

    fn language(&self) -> &'static dyn Language {
        language(self.entry.language)
    }

    /// Returns a file's text for display, with invalid UTF-8 replaced.
    pub fn text(&self, path: &Path) -> Result<String, ReadError> {
        Ok(String::from_utf8_lossy(&self.world.file(path)?).into_owned())
    }

    /// Compiles up to and including a stage, on one frozen sample of the machine.
    pub fn compile(&self, until: Stage, cancel: &Cancel) -> Compiled {
        self.compile_noting(Arc::clone(&self.world), until, cancel).0
    }

    /// The same in a world, with all reads.
    fn compile_noting(&self, world: Arc<dyn World>, until: Stage, cancel: &Cancel) -> (Compiled, Vec<(Read, Answer)>) {
        // One sample for finding modules and for compiling, so that nothing changes in between.
        let (frozen, world) = self.frozen(world);
        let mut compiled = job::run(|| self.compile_here(&world, until, cancel))
            .unwrap_or_else(|bug| Compiled::new(Graph::default(), Sources::default(), panicked(&bug, until)));
        compiled.fence(&world);
        (compiled, frozen.answers())
    }

    /// The same for a program that was compiled here before, at other places.
    fn compile_again(&self, world: Arc<dyn World>, cancel: &Cancel) -> (Compiled, Vec<(Read, Answer)>) {
        let world = Frozen::new(world);
        let compile = || match self.prepare(&world, Stage::Eval, cancel) {
            Ok(options) => self.options.workplace.compile(&world, &self.entry, &options),
            Err(Report { sources, diagnostics }) => Compiled::new(Graph::default(), sources, diagnostics),
        };
        let compiled = job::run(compile)
            .unwrap_or_else(|bug| Compiled::new(Graph::default(), Sources::default(), panicked(&bug, Stage::Eval)));
        (compiled, world.answers())
    }

    fn compile_here(&self, world: &Fenced, until: Stage, cancel: &Cancel) -> Compiled {
        match self.prepare(world, until, cancel) {
            Ok(options) => {
                world.enclose(self.own_places(&options), self.has_fetched(&options));
                let compiled = self.options.workplace.compile(world, &self.entry, &options);
                if compiled.facts.is_some() {
                    self.facts.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&compiled.facts);
                }
                compiled
            }
            Err(Report { sources, diagnostics }) => Compiled::new(Graph::default(), sources, diagnostics),
        }
    }

    fn prepare(&self, world: &dyn World, until: Stage, cancel: &Cancel) -> Result<CompileOptions, Report> {
        self.check_set_values()?;
        let mut options = self.options.prepare(world, &self.entry, until, cancel)?;
        options.choices = self.choices_in(world);
        options.choices.share_exports(self.options.config.shares_exports());
        Ok(options)
    }

    /// Returns the name of this machine; empty if it has none.
    pub fn hostname(&self) -> String {
        match self.world.read(&Read::Hostname) {
            Ok(Sample::Text(name)) => name,
            _ => String::new(),
        }
    }

    /// Returns the options about this machine that every run gets.
    fn engine_options(&self) -> engine::Options {
        let state = match self.world.read(&Read::StateFolder) {
            Ok(Sample::Path(state)) => Some(state),
            _ => None,
        };
        let reversals = state.as_ref().map(|state| state.join("reversals").join(self.program()));
        let seal = self.seal.get().cloned();
        let (hostname, compiled_for) = (self.hostname(), self.compiled_for());
        engine::Options { state, hostname, compiled_for, reversals, seal, ..engine::Options::default() }
    }

    /// Returns a name of the program that is unique on this machine.
    fn program(&self) -> String {
        program_of(&self.entry)
    }

    /// Prepares a graph for this machine. Adds the reversals of removed resources with `Meta:reverse`, the storage of
    /// exports, and the order of packages and the paths in them.
    pub fn ready(&self, mut graph: Graph) -> Graph {
        let look = self.look(false);
        packaged::add(&mut graph, &look, &mut self.brought.lock().unwrap_or_else(PoisonError::into_inner));
        let engine::Options { state, reversals, .. } = self.engine_options();
        if let Some(folder) = reversals {
            // An unreadable reversal waits for a later run.
            let _ = reversal::add(&mut graph, &folder, &look);
        }
        if let Some(state) = state {
            let (program, shown) = (self.program(), path_of(&self.entry).display().to_string());
            let host = self.language().host(&*self.world, &self.choices());
            let language = self.entry.language;
            let language = (language != LanguageName::default()).then(|| language.as_str());
            let by = Exporter { program: &program, shown: &shown, host: &host, language };
            export::add(&mut graph, &by, &state, &look);
        }
        graph
    }

    /// Returns the symbol at a line and column, both from 1, of one of the program's files; by default of the entry.
    ///
    /// Also works if the program has errors elsewhere.
    pub fn here(&self, file: Option<&Path>, place: (u32, u32), cancel: &Cancel) -> Option<Here> {
        let look = || {
            let (_, world) = self.frozen(Arc::clone(&self.world));
            let mut diagnostics = Diagnostics::new(Stage::Module);
            let search = self.options.search(&world, &self.entry, &mut diagnostics);
            let module_path = search.into_iter().map(|folder| folder.path).collect();
            let limits = self.options.limits.clone();
            let run = RunLimits { cancel: cancel.clone(), limits, ..RunLimits::until(Stage::Type) };
            let options = CompileOptions { module_path, choices: self.choices(), run };
            world.enclose(self.own_places(&options), self.has_fetched(&options));
            self.options.workplace.here(&world, &self.entry, &options, file, place)
        };
        // A panic there costs a hover, not the session.
        job::run(look).ok().flatten()
    }

    /// Checks that a run of a graph on this machine is allowed. Returns the other host that counts as this machine.
    ///
    /// A dry run may be for another host: it shows the changes that this machine would need.
    pub fn check_hosts(&self, graph: &Graph, mode: Mode) -> Result<Option<Arc<str>>, NotForHere> {
        match open::agreement::check_hosts(&graph.hosts(), self.options.as_this_host, &self.hostname()) {
            Err(NotForHere::Other(_) | NotForHere::NoneHere { .. }) if mode == Mode::Dry => Ok(None),
            checked => checked,
        }
    }

    /// Returns a complete dry run: what an apply would do, in order. `progress` receives every event.
    pub fn preview(&self, graph: &Arc<Graph>, cancel: &Cancel, progress: &mut dyn FnMut(&Event)) -> Plan {
        self.preview_and_missing(graph, cancel, progress).0
    }

    /// The same for some resources, without unrelated checks.
    pub fn preview_of(&self, graph: &Arc<Graph>, wanted: &BTreeSet<ResourceId>) -> Plan {
        let look = Arc::new(self.look(self.options.run_guards));
        engine::preview_of(Arc::clone(graph), look, &self.entry.shown, wanted, self.engine_options())
    }

    /// Returns a dry run for resources that a run maintains anyway. Their guards run.
    pub fn look_over(&self, graph: &Arc<Graph>) -> Plan {
        let look = Arc::new(self.look(true));
        engine::preview(Arc::clone(graph), look, &self.entry.shown, self.engine_options(), &mut |_| ())
    }

    /// The same, with the user's options for a run.
    fn with_choices(&self, options: RunOptions) -> engine::Options {
        let jobs = self.jobs(&options);
        let RunOptions { only, unchanged, refreshed: pending, one_try, approved, .. } = options;
        let approved = approved.map(|frozen| Arc::new(frozen.expected()));
        engine::Options { only, jobs, unchanged, pending, one_try, approved, ..self.engine_options() }
    }

    /// Returns the number of concurrent resources; 0 for one per core.
    fn jobs(&self, options: &RunOptions) -> usize {
        if options.jobs > 0 { options.jobs } else { self.options.config.jobs() }
    }

    /// Returns a dry run that advances by requests; see [`Request`](crate::engine::message::Request).
    pub fn stepper(&self, graph: Arc<Graph>) -> (Stepper, Receiver<Event>) {
        self.stepper_for(graph, RunOptions::default())
    }

    /// The same, with options.
    pub fn stepper_for(&self, graph: Arc<Graph>, options: RunOptions) -> (Stepper, Receiver<Event>) {
        let host = Overlay::new(Arc::new(self.look(self.options.run_guards)));
        let mut options = self.with_choices(options);
        options.pending.extend(self.pending_refreshes(&graph));
        Stepper::start(graph, Box::new(host), options, None)
    }

    /// The pending refreshes of earlier applies of this program. Assumes none if the history is unreadable.
    pub(super) fn pending_refreshes(&self, graph: &Graph) -> BTreeSet<ResourceId> {
        let Some(state) = self.engine_options().state else { return BTreeSet::new() };
        let begin = Begin { entry: self.place(), ..keeping::who() };
        pending_refreshes(&StateFolder::at(&state), graph, &begin).unwrap_or_default()
    }
}

/// Returns the path of a program. All code passed as text in one folder counts as one program.
fn path_of(entry: &EntryPoint) -> PathBuf {
    let path = match (&entry.file, &entry.code) {
        (Some(file), _) => file.clone(),
        (None, Some((_, name))) => entry.base.join(&**name),
        (None, None) => entry.base.clone(),
    };
    std::path::absolute(&path).unwrap_or(path)
}

/// Returns a name of a program that is unique on this machine.
fn program_of(entry: &EntryPoint) -> String {
    hex(&Sha256::digest(path_of(entry).as_os_str().as_encoded_bytes()))[..32].to_owned()
}

/// Whether programs of a language can be used so.
pub fn offers(name: LanguageName, feature: Feature) -> bool {
    language(name).offers().contains(&feature)
}

/// Reports a bug in workbench.
fn panicked(bug: &job::Panicked, stage: Stage) -> Diagnostics {
    let mut diagnostics = Diagnostics::new(stage);
    diagnostics.push(if bug.place == job::STARTING {
        Diagnostic::placeless(Code::WorkerEnded)
            .label(format!("cannot start a thread with a large stack: {}", bug.message))
            .help("raise the limits of address space and processes: `ulimit -v`, `ulimit -u`")
    } else {
        Diagnostic::placeless(Code::InternalError)
            .label(bug.to_string())
            .help("this is a bug in workbench; please report it with the module that shows it")
    });
    diagnostics
}

impl Options {
    /// Refuses flags that a language does not have; `what` is in that language.
    fn check_flags(&self, name: LanguageName, what: &str) -> Result<(), Box<Report>> {
        let known = language(name).flags();
        let Some(foreign) = self.flags.iter().find(|flag| !known.contains(flag)) else { return Ok(()) };
        let label = format!("`{foreign}` does not apply to {}, the language of {what}", name.title());
        let diagnostic = Diagnostic::placeless(Code::ForeignOption).label(label).help("remove the option");
        Err(Box::new(Report::of(diagnostic)))
    }
}
