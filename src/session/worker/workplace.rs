//! Where programs are compiled: in this process, or in workers.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Confinement;
use super::client::{Workers, Worlds};
use super::follow::Followed;
use super::wire::{FromWorker, Task};
use crate::diag::{Code, Diagnostic, Stage};
use crate::graph::{Graph, ResourceId};
use crate::lang::{Artifact, Choices, CompileOptions, Compiled, Here, Made, Report, RunLimits, Work, language};
use crate::module::EntryPoint;
use crate::source::Place;
use crate::world::{Memory, World};

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

    pub fn compile(&self, world: &dyn World, entry: &EntryPoint, options: &CompileOptions) -> Compiled {
        let Self::Workers(workers) = self else { return language(entry.language).compile(world, entry, options) };
        match ask(workers, world, entry, options, Task::Compile) {
            Ok(FromWorker::Compiled(compiled)) if compiled.graph.is_whole() => compiled,
            other => Compiled::of(report(other)),
        }
    }

    pub fn artifact(&self, world: &dyn World, entry: &EntryPoint, options: &CompileOptions, what: &Artifact) -> Made {
        let Self::Workers(workers) = self else {
            return language(entry.language).artifact(world, entry, options, what);
        };
        match ask(workers, world, entry, options, Task::Artifact(what.clone())) {
            Ok(FromWorker::Made(made)) => made,
            other => {
                let Report { sources, diagnostics } = report(other);
                Made { text: None, sources, diagnostics, log: Vec::new() }
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

    pub(super) fn confinement(&self) -> Option<Confinement> {
        let Self::Workers(workers) = self else { return None };
        let run = RunLimits::until(Stage::Module);
        let options = CompileOptions { module_path: Vec::new(), choices: Choices::default(), run };
        match ask(workers, &Memory::default(), &EntryPoint::default(), &options, Task::Confinement) {
            Ok(FromWorker::Confined(confinement)) => Some(confinement),
            _ => None,
        }
    }
}

fn ask(
    workers: &Workers,
    world: &dyn World,
    entry: &EntryPoint,
    options: &CompileOptions,
    task: Task,
) -> Result<FromWorker, Box<Report>> {
    workers.begin(Worlds::one(world), entry, options, task)?.answer()
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
