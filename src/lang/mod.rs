//! Languages: from an entry point to the one graph, the diagnostics and the log. What leaves this room is never a tree.
//!
//! A language is a folder here and one value that implements [`Language`]. To add one:
//! 1. Give it a name in [`LanguageName`](crate::module::LanguageName), with its file extensions, the metadata files and
//!    the main files that an entry is recognised by (all in `module/language.rs`).
//! 2. Write `lang/NAME/mod.rs` with a unit struct that implements [`Language`], and a
//!    [`Layout`](crate::module::Layout) for its modules.
//! 3. Add `pub mod NAME;` and one line to [`LANGUAGES`] below, and its options to `choices.rs`, if it has some. The session
//!    and the readers of modules name no language: what it can do beyond compiling it states with its [`Feature`]s.
//!
//! What the session promises to a language, and expects from it:
//! - The entry has this language. [`EntryPoint`](crate::module::EntryPoint) says where it starts: `code` is text that came
//!   as an argument or from a pipe; else `roots` are the files to evaluate, in order; `include` names a module to include
//!   if the entry is a module by itself; `environment` is the folder around them all.
//! - Every read of the machine goes through the `world`: files with [`load_text`](crate::module::load_text), which also
//!   reports what cannot be read. The session freezes the world, so a read gives the same answer twice.
//! - `options.run.until` is the last stage to run; [`Stage::Graph`](crate::diag::Stage) is all that can be found without
//!   evaluating. `check`, `graph` and all that runs a graph ask for `Stage::Eval` or later.
//! - `options.stop()` is to be asked in every loop that a program can make long, at least each 10 ms; a stopped
//!   compilation reports [`stopped`]. `options.run.limits` are to be kept.
//! - The session calls a language on a thread with a deep stack (`session::job`). A panic there becomes a diagnostic.
//! - With an error among the diagnostics the graph is empty.
//! - The last stage is [`finish`], with the graph and the places of its parts: what it refuses is refused in every language.
//! - Resources are declared in the language's own words and mapped to our kinds; order, identity and merging are the
//!   language's decision.
//! - What the program prints goes to `Compiled::log`, never to the terminal.
//! - Places come from the `Sources` that `Compiled` carries.

mod budget;
mod check;
pub mod choices;
mod feature;
mod finish;
mod following;
mod here;
mod import;
pub mod inmanta;
mod kinds;
mod limits;
pub mod mcl;
mod names;
mod options;
mod property;
#[allow(clippy::mutable_key_type, reason = "the compiled form of a pattern is a cache and no part of its equality")]
pub mod puppet;
#[allow(clippy::mutable_key_type, reason = "the compiled form of a pattern is a cache and no part of its equality")]
mod ruby;
mod shared;
#[cfg(feature = "toy")]
mod toy;

use std::any::Any;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::diag::{Code, Diagnostic, Diagnostics, LogEntry, Stage};
use crate::graph::{Graph, ResourceId, compact};
use crate::module::{EntryPoint, LanguageName, Layout};
use crate::source::{FileId, Place, Sources};
use crate::world::{Outside, World};

pub use budget::{Budget, Spent};
pub use check::{Checked, Unchecked};
pub use choices::Choices;
pub use feature::Feature;
pub use finish::{Places, after_folders, finish};
pub use following::{Answer, Change, Event, Following, Outcome, ResourceChange, Trigger, Work, recompile};
pub use here::{AsWritten, Here, LinkHere, Origin};
pub use import::{ImportEdit, NewImport};
pub use kinds::{DeclaredKind, DeclaredParam};
pub use limits::{LIMITS, Limits, stopped};
pub use names::{Doc, Function, Names, NoNames, Variable};
pub use options::{CompileOptions, RunLimits};
pub use property::{
    Allowed, Property, in_own_words, note_in_own_words, own_name, own_names, own_param, recorded_in_own_words,
};

/// The languages of this version. One line adds a language.
const LANGUAGES: &[&dyn Language] = &[
    &mcl::Mcl,
    &puppet::Puppet,
    &inmanta::Inmanta,
    #[cfg(feature = "toy")]
    &toy::Toy,
];

/// The language of a name.
pub fn language(name: LanguageName) -> &'static dyn Language {
    languages().find(|language| language.name() == name).unwrap_or(LANGUAGES[0])
}

/// Every language.
pub fn languages() -> impl Iterator<Item = &'static dyn Language> {
    LANGUAGES.iter().copied()
}

/// The first language with a feature.
pub fn language_with(feature: Feature) -> Option<&'static dyn Language> {
    languages().find(|language| language.offers().contains(&feature))
}

/// One language. Every method with a world reads the machine only through it.
pub trait Language: Sync {
    fn name(&self) -> LanguageName;

    /// A small program, whose compilation loads what most programs need.
    fn sample(&self) -> &'static str;

    /// The flags that this language has and others do not, such as `--node`.
    fn flags(&self) -> &'static [&'static str] {
        &[]
    }

    /// What it can do. It implements the methods of these features; the others refuse.
    fn offers(&self) -> &'static [Feature];

    /// How it describes, names and finds modules.
    fn layout(&self) -> &dyn Layout;

    /// Compiles an entry up to and including a stage.
    fn compile(&self, world: &dyn World, entry: &EntryPoint, options: &CompileOptions) -> Compiled;

    /// Compiles an entry for one of several nodes. `parsed` holds what the language parsed for the nodes before, whose
    /// files are the same.
    fn compile_node(
        &self,
        world: &dyn World,
        entry: &EntryPoint,
        options: &CompileOptions,
        parsed: &mut Option<Box<dyn Any + Send>>,
    ) -> Compiled {
        let _ = parsed;
        self.compile(world, entry, options)
    }

    /// Compiles an entry to its graph, and checks its `own` files, also those that compiling does not read. Reports what
    /// was not checked.
    fn check(&self, world: &dyn World, entry: &EntryPoint, options: &CompileOptions, own: &[PathBuf]) -> Checked {
        let _ = own;
        Checked::of(self.compile(world, entry, options))
    }

    /// The host that a program is compiled for: this machine, unless the user chose another one.
    fn host(&self, world: &dyn World, choices: &Choices) -> String {
        let _ = choices;
        world.hostname()
    }

    /// The chosen node, if it is another machine than this one.
    fn other_node(&self, world: &dyn World, choices: &Choices) -> Option<String> {
        let _ = (world, choices);
        None
    }

    /// The facts file that the program's environment has for such a node.
    fn facts_of_node(&self, world: &dyn World, entry: &EntryPoint, choices: &Choices) -> Option<PathBuf> {
        let _ = (world, entry, choices);
        None
    }

    /// Another output of the language, as text that faces print unchanged. One that it does not offer is refused.
    fn artifact(&self, world: &dyn World, entry: &EntryPoint, options: &CompileOptions, what: &Artifact) -> Output {
        let _ = (world, entry, options);
        Output::refused(self.name(), what)
    }

    /// What is at a line and column, both from 1, of a file of the program; `file` is the entry's own where it is
    /// `None`. Also answers if the program has errors elsewhere.
    fn here(
        &self,
        world: &dyn World,
        entry: &EntryPoint,
        options: &CompileOptions,
        file: Option<&Path>,
        place: (u32, u32),
    ) -> Option<Here> {
        let _ = (world, entry, options, file, place);
        None
    }

    /// The built-in functions and variables.
    fn names(&self) -> &dyn Names {
        &NoNames
    }

    /// Compiles an entry, and calls `work` with a program that takes events. `files` answers reads of the program's own
    /// files, `world` the reads of the program; by default `world` answers all. `now` is the time of the first
    /// evaluation, in milliseconds since 1970. `Err` if a stage before evaluation fails; then `work` is not called.
    fn follow(
        &self,
        files: &dyn World,
        world: &dyn World,
        entry: &EntryPoint,
        options: &CompileOptions,
        now: u64,
        work: Work<'_>,
    ) -> Result<(), Box<Compiled>> {
        let _ = (files, now);
        let mut options = options.clone();
        options.run.until = Stage::Compile;
        options.run.is_last = false;
        recompile(&|world| self.compile(world, entry, &options), world, work);
        Ok(())
    }

    /// A graph as a program of this language, whatever language it came from. `sources` are the files of its places.
    /// The program compiles to the same graph. What has no form in this language is refused by name.
    fn emit(&self, graph: &Graph, sources: &Sources) -> Result<Written, Diagnostics> {
        let _ = (graph, sources);
        Err(Report::of(refused(self.name(), Feature::Emit)).diagnostics)
    }

    /// A file's text in the language's standard layout; `None` with diagnostics if it cannot be read.
    fn format(&self, file: FileId, text: &str, choices: &Choices, diagnostics: &mut Diagnostics) -> Option<String> {
        let _ = (file, text, choices);
        diagnostics.push(refused(self.name(), Feature::Format));
        None
    }

    /// A file's text with older syntax rewritten to the current one.
    fn migrate(&self, file: FileId, text: &str) -> Result<Migrated, Diagnostic> {
        let _ = (file, text);
        Err(refused(self.name(), Feature::Migrate))
    }

    /// The file of the program with an additional import.
    fn plan_import(
        &self,
        world: &dyn World,
        entry: &EntryPoint,
        wanted: &NewImport,
    ) -> Result<ImportEdit, Box<Report>> {
        let _ = (world, entry, wanted);
        Err(Box::new(Report::of(refused(self.name(), Feature::PlanImport))))
    }

    /// The name and text of the first file of a new module that imports another one.
    fn begin(&self, import: &str) -> Result<(&'static str, String), String> {
        let _ = import;
        Err(refused(self.name(), Feature::Begin).label)
    }

    /// The type definitions in a file of a foreign language, as text of this language. `Err` is the reason, with the line.
    fn foreign_types(&self, file: &str, text: &str) -> Result<String, (u32, String)> {
        let _ = (file, text);
        Err((1, refused(self.name(), Feature::ForeignTypes).label))
    }

    /// Why a resource or a list is as it is: sentences, each with its place.
    fn explain(
        &self,
        world: &dyn World,
        entry: &EntryPoint,
        options: &CompileOptions,
        id: &ResourceId,
    ) -> Result<Vec<(Option<Place>, String)>, Box<Report>> {
        let _ = (world, entry, options, id);
        Err(Box::new(Report::of(refused(self.name(), Feature::Explain))))
    }
}

/// The result of a compilation, complete or not: with errors the graph is empty.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Compiled {
    #[serde(with = "compact")]
    pub graph: Graph,
    pub sources: Sources,
    pub diagnostics: Diagnostics,
    /// The output of the program and the language's warnings, in order.
    pub log: Vec<LogEntry>,
    /// The kinds that the program declares.
    pub kinds: Vec<DeclaredKind>,
    /// The reads outside of the program's trees, which the session adds.
    #[serde(skip)]
    pub outside: Vec<Outside>,
    /// The hash of the facts that the program was evaluated with, if its language has facts.
    pub facts: Option<String>,
}

impl Compiled {
    /// A graph of a program that printed nothing and declared no kinds.
    pub fn new(graph: Graph, sources: Sources, diagnostics: Diagnostics) -> Self {
        Self { graph, sources, diagnostics, log: Vec::new(), kinds: Vec::new(), outside: Vec::new(), facts: None }
    }
}

/// An output of a language other than the graph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Artifact {
    /// The syntax of the entry's own file. Needs no module path and no lock.
    Tree(Form),
    /// The value of the entry's last expression.
    Value(Form),
    /// All instances and the variables of the top level, or the history of one attribute.
    Model { form: Form, explain: Option<String> },
    /// The catalog as JSON.
    Catalog,
    /// The types that the program declares, as Ecore.
    Types,
    /// The data of a key, or the steps of its lookup. `merge` is written in the language.
    Lookup { key: String, merge: Option<String>, explain: bool, form: Form },
}

impl Artifact {
    /// Returns the feature that a language needs to print the artifact.
    pub fn feature(&self) -> Feature {
        match self {
            Artifact::Tree(_) => Feature::Tree,
            Artifact::Value(_) => Feature::Value,
            Artifact::Model { .. } => Feature::Model,
            Artifact::Catalog => Feature::Catalog,
            Artifact::Types => Feature::Types,
            Artifact::Lookup { .. } => Feature::Lookup,
        }
    }
}

/// Whether text is for people or for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Form {
    Text,
    Json,
}

/// An artifact.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Output {
    /// Whole, with its last line break; `None` with errors.
    pub text: Option<String>,
    pub sources: Sources,
    pub diagnostics: Diagnostics,
    pub log: Vec<LogEntry>,
}

impl Output {
    /// Makes the output for an artifact that the language does not have: one error.
    pub fn refused(language: LanguageName, what: &Artifact) -> Self {
        let Report { sources, diagnostics } = Report::of(refused(language, what.feature()));
        Self { text: None, sources, diagnostics, log: Vec::new() }
    }
}

/// A graph written as a program of a language, which compiles to it again.
#[derive(Clone, Debug)]
pub struct Written {
    pub text: String,
    /// The graph of the program, in the language's words.
    pub graph: Graph,
    /// The cases in which the program acts differently, for the user.
    pub notes: Vec<String>,
}

/// A file's text in the language's current syntax, as far as it could be rewritten.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Migrated {
    pub text: String,
    /// The rewrites, by line.
    pub rewrites: Vec<(usize, String)>,
}

/// A refusal: diagnostics with the texts they point into.
#[derive(Debug, Serialize, Deserialize)]
pub struct Report {
    pub sources: Sources,
    pub diagnostics: Diagnostics,
}

impl Report {
    /// One problem without a place in the program.
    pub fn of(diagnostic: Diagnostic) -> Self {
        let mut diagnostics = Diagnostics::new(Stage::Module);
        diagnostics.push(diagnostic);
        Self { sources: Sources::default(), diagnostics }
    }
}

/// The language does not do what is requested.
pub fn refused(language: LanguageName, what: Feature) -> Diagnostic {
    Diagnostic::placeless(Code::NotInLanguage)
        .label(format!("{} does not support {} in this version", language.title(), what.title()))
        .help("`workbench graph ENTRY` and `workbench preview ENTRY` work for every language")
}
