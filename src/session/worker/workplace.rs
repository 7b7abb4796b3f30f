//! Where programs are compiled: in this process, or in workers.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Confinement;
use super::client::{Workers, Working, Worlds};
use super::follow::Followed;
use super::wire::{ForNode, FromWorker, Task, Text};
use crate::diag::{Code, Diagnostic, Diagnostics, Stage};
use crate::graph::{Graph, ResourceId};
use crate::lang::{
    Artifact, Checked, Choices, CompileOptions, Compiled, Here, ImportEdit, NewImport, Output, Report, RunLimits, Work,
    language,
};
use crate::module::{EntryPoint, LanguageName};
use crate::source::{FileId, Place, Sources};
use crate::world::{Read, ReadError, Sample, World};

/// Where programs are compiled. Clones share the workers.
#[derive(Clone, Debug, Default)]
pub enum Workplace {
    /// In this process: for tests and measurements of the languages.
    #[default]
    Own,
    Workers(Arc<Workers>),
}

impl Workplace {
    /// Compiles in workers. The first one starts now.
    pub fn workers() -> Self {
        Self::Workers(Arc::new(Workers::start()))
    }

    /// From now on, a worker always waits for the next program.
    pub fn keep_warm(&self) {
        if let Self::Workers(workers) = self {
            workers.keep_warm();
        }
    }

    /// Compiles an entry. A worker's death, a timeout and a cancellation become diagnostics.
    pub fn compile(&self, world: &dyn World, entry: &EntryPoint, options: &CompileOptions) -> Compiled {
        let Self::Workers(workers) = self else { return language(entry.language).compile(world, entry, options) };
        match ask(workers, world, entry, options, Task::Compile) {
            Ok(FromWorker::Compiled(compiled)) => compiled,
            other => Compiled::of(report(other)),
        }
    }

    /// Compiles an entry, and checks its `own` files, also those that the compilation does not read.
    pub fn check(&self, world: &dyn World, entry: &EntryPoint, options: &CompileOptions, own: &[PathBuf]) -> Checked {
        let Self::Workers(workers) = self else { return language(entry.language).check(world, entry, options, own) };
        match ask(workers, world, entry, options, Task::Check(own.to_vec())) {
            Ok(FromWorker::Checked(checked)) => *checked,
            other => Checked::of(Compiled::of(report(other))),
        }
    }

    /// Makes an artifact, such as a syntax tree or a catalog, as text. A failed worker gives only diagnostics.
    pub fn artifact(&self, world: &dyn World, entry: &EntryPoint, options: &CompileOptions, what: &Artifact) -> Output {
        let Self::Workers(workers) = self else {
            return language(entry.language).artifact(world, entry, options, what);
        };
        match ask(workers, world, entry, options, Task::Artifact(what.clone())) {
            Ok(FromWorker::Output(made)) => made,
            other => {
                let Report { sources, diagnostics } = report(other);
                Output { text: None, sources, diagnostics, log: Vec::new() }
            }
        }
    }

    /// A death there costs a hover.
    pub fn here(
        &self,
        world: &dyn World,
        entry: &EntryPoint,
        options: &CompileOptions,
        file: Option<&Path>,
        place: (u32, u32),
    ) -> Option<Here> {
        let Self::Workers(workers) = self else {
            return language(entry.language).here(world, entry, options, file, place);
        };
        match ask(workers, world, entry, options, Task::Here { file: file.map(PathBuf::from), place }) {
            Ok(FromWorker::Here(here)) => here,
            _ => None,
        }
    }

    /// A death there costs an explanation.
    pub fn explain(
        &self,
        world: &dyn World,
        entry: &EntryPoint,
        options: &CompileOptions,
        id: &ResourceId,
    ) -> Vec<(Option<Place>, String)> {
        let Self::Workers(workers) = self else {
            return language(entry.language).explain(world, entry, options, id).unwrap_or_default();
        };
        match ask(workers, world, entry, options, Task::Explain(id.clone())) {
            Ok(FromWorker::Explained(sentences)) => sentences,
            _ => Vec::new(),
        }
    }

    /// See [`Language::follow`](crate::lang::Language::follow).
    pub fn follow(
        &self,
        files: &dyn World,
        world: &dyn World,
        entry: &EntryPoint,
        options: &CompileOptions,
        now: u64,
        work: Work<'_>,
    ) -> Result<(), Box<Compiled>> {
        let Self::Workers(workers) = self else {
            return language(entry.language).follow(files, world, entry, options, now, work);
        };
        let working = workers.begin(Worlds { files, world }, entry, options, Task::Follow { now });
        let working = working.map_err(|report| Compiled::of(*report))?;
        let (mut followed, first) = Followed::begin(working)?;
        work(&mut followed, first);
        Ok(())
    }

    /// See [`Language::plan_import`](crate::lang::Language::plan_import).
    pub fn plan_import(
        &self,
        world: &dyn World,
        entry: &EntryPoint,
        wanted: &NewImport,
    ) -> Result<ImportEdit, Box<Report>> {
        let Self::Workers(workers) = self else {
            return language(entry.language).plan_import(world, entry, wanted);
        };
        match ask(workers, world, entry, &no_options(), Task::PlanImport(wanted.clone()))? {
            FromWorker::Planned(planned) => planned.map_err(Box::new),
            _ => Err(Box::new(Report::unexpected())),
        }
    }

    /// Compiles an entry for one node after another, in one worker. One that a node ends is started again for the next.
    pub fn node_compiler<'w>(
        &'w self,
        world: &'w dyn World,
        entry: &'w EntryPoint,
        options: CompileOptions,
    ) -> NodeCompiler<'w> {
        NodeCompiler { workplace: self, world, entry, options, working: None, sent: Ok(()) }
    }

    /// Finds the imports of files of a language. A file that ends the worker has none.
    pub fn scanner(&self, language: LanguageName) -> Scanner<'_> {
        Scanner { workplace: self, language, working: RefCell::default() }
    }

    pub(super) fn confinement(&self) -> Option<Confinement> {
        let Self::Workers(workers) = self else { return None };
        match ask(workers, &NOTHING, &EntryPoint::default(), &no_options(), Task::Confinement) {
            Ok(FromWorker::Confined(confinement)) => Some(confinement),
            _ => None,
        }
    }
}

/// See [`Workplace::scanner`].
pub struct Scanner<'p> {
    workplace: &'p Workplace,
    language: LanguageName,
    working: RefCell<Option<Working<'static>>>,
}

impl Scanner<'_> {
    /// Returns the imports of a file, each with its line. A failed worker gives none.
    pub fn imports(&self, file: FileId, sources: &Sources) -> Vec<(String, u32)> {
        let Workplace::Workers(workers) = self.workplace else {
            return language(self.language).layout().imports(file, sources, &mut Diagnostics::new(Stage::Parse));
        };
        let mut working = self.working.borrow_mut();
        if working.is_none() {
            let entry = EntryPoint { language: self.language, ..EntryPoint::default() };
            *working = workers.begin(Worlds::one(&NOTHING), &entry, &no_options(), Task::Scan).ok();
        }
        let file = sources.file(file);
        let text = Text { name: file.name.clone(), path: file.path.clone(), text: Arc::clone(&file.text) };
        let answer = working.as_mut().and_then(|working| working.send(&text).ok().and_then(|()| working.answer().ok()));
        match answer {
            Some(FromWorker::Imports(imports)) => imports,
            _ => {
                *working = None;
                Vec::new()
            }
        }
    }
}

/// See [`Workplace::node_compiler`].
pub struct NodeCompiler<'w> {
    workplace: &'w Workplace,
    world: &'w dyn World,
    entry: &'w EntryPoint,
    options: CompileOptions,
    working: Option<Working<'w>>,
    sent: Result<(), Box<Report>>,
}

impl NodeCompiler<'_> {
    /// Begins to compile for a node.
    pub fn begin(&mut self, choices: Choices) {
        self.options.choices = choices;
        self.sent = self.send();
    }

    fn send(&mut self) -> Result<(), Box<Report>> {
        let Workplace::Workers(workers) = self.workplace else { return Ok(()) };
        let choices = self.options.choices.clone();
        let node = ForNode { exported: choices.shares_exports(), choices };
        if self.working.as_mut().is_some_and(|working| !working.is_dead() && working.send(&node).is_ok()) {
            return Ok(());
        }
        let mut working = workers.begin(Worlds::one(self.world), self.entry, &self.options, Task::Nodes)?;
        let sent = working.send(&node);
        self.working = Some(working);
        sent.map_err(|()| Box::new(Report::unexpected()))
    }

    /// The result for the node.
    pub fn end(&mut self) -> Compiled {
        if matches!(self.workplace, Workplace::Own) {
            return language(self.entry.language).compile(self.world, self.entry, &self.options);
        }
        if let Err(report) = std::mem::replace(&mut self.sent, Ok(())) {
            self.working = None;
            return Compiled::of(*report);
        }
        let Some(working) = &mut self.working else { return Compiled::of(Report::unexpected()) };
        match working.answer() {
            Ok(FromWorker::Compiled(compiled)) => compiled,
            other => {
                // A bug on one node may have left anything behind.
                self.working = None;
                Compiled::of(report(other))
            }
        }
    }
}

/// A machine for work that reads nothing.
pub(super) static NOTHING: Nothing = Nothing;

pub(super) struct Nothing;

impl World for Nothing {
    fn read(&self, what: &Read) -> Result<Sample, ReadError> {
        Err(ReadError::Unknown(format!("{what:?}")))
    }
}

pub(super) fn no_options() -> CompileOptions {
    CompileOptions { module_path: Vec::new(), choices: Choices::default(), run: RunLimits::until(Stage::Parse) }
}

fn ask(
    workers: &Arc<Workers>,
    world: &dyn World,
    entry: &EntryPoint,
    options: &CompileOptions,
    task: Task,
) -> Result<FromWorker, Box<Report>> {
    let answer = workers.begin(Worlds::one(world), entry, options, task).and_then(|mut working| {
        let answer = working.answer();
        if matches!(answer, Ok(FromWorker::Compiled(_) | FromWorker::Checked(_))) {
            workers.note_size(&working);
        }
        answer
    });
    workers.refill_later();
    answer
}

fn report(answer: Result<FromWorker, Box<Report>>) -> Report {
    answer.map_or_else(|report| *report, |_| Report::unexpected())
}

impl Report {
    /// A worker answered another question.
    pub(super) fn unexpected() -> Self {
        Self::of(Diagnostic::placeless(Code::InternalError).label("the process that compiles gave another answer"))
    }
}

impl Compiled {
    /// The result of a program that could not be compiled.
    pub(super) fn of(Report { sources, diagnostics }: Report) -> Self {
        Self::new(Graph::default(), sources, diagnostics)
    }
}
