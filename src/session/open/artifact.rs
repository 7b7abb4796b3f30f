//! Language artifacts of an entry other than its graph, and graphs written as programs.

use std::sync::Arc;

use crate::diag::Stage;
use crate::graph::ResourceId;
use crate::lang::{Artifact, Choices, CompileOptions, Compiled, Feature, Output, Report, RunLimits, Written, language};
use crate::module::LanguageName;
use crate::session::{Session, job, offers, panicked};
use crate::source::{Place, Sources};
use crate::world::Cancel;

impl Session {
    /// Makes an artifact of the entry, from one frozen sample of the machine.
    pub fn artifact(&self, what: &Artifact, cancel: &Cancel) -> Output {
        if !offers(self.entry.language, what.feature()) {
            return Output::refused(self.entry.language, what);
        }
        // Printing needs the deep stack too, because a tree is as deep as its text.
        job::run(|| self.artifact_here(what, cancel)).unwrap_or_else(|bug| Output {
            text: None,
            sources: Sources::default(),
            diagnostics: panicked(&bug, Stage::Parse),
            log: Vec::new(),
        })
    }

    /// Explains a resource, or the list that the id names. Empty if the language has no explanation.
    pub fn explain(&self, id: &ResourceId, cancel: &Cancel) -> Vec<(Option<Place>, String)> {
        if !offers(self.entry.language, Feature::Explain) {
            return Vec::new();
        }
        let explain = || {
            let (_, world) = self.frozen(Arc::clone(&self.world));
            let options = self.prepare(&world, Stage::Compile, cancel).ok()?;
            world.enclose(self.own_places(&options), self.has_fetched(&options));
            Some(self.options.workplace.explain(&world, &self.entry, &options, id))
        };
        // A panic there costs an explanation, not the session.
        job::run(explain).ok().flatten().unwrap_or_default()
    }

    fn artifact_here(&self, what: &Artifact, cancel: &Cancel) -> Output {
        let (_, world) = self.frozen(Arc::clone(&self.world));
        let options = match what {
            // The syntax depends only on the file, even if its modules are missing or wrong.
            Artifact::Tree(_) => {
                let limits = self.options.limits.clone();
                let run = RunLimits {
                    cancel: cancel.clone(),
                    limits,
                    is_last: self.options.is_last,
                    ..RunLimits::until(Stage::Parse)
                };
                let choices: Choices = self.options.choices.clone();
                Ok(CompileOptions { module_path: Vec::new(), choices, run })
            }
            _ => self.prepare(&world, Stage::Compile, cancel),
        };
        match options {
            Ok(options) => {
                world.enclose(self.own_places(&options), self.has_fetched(&options));
                let mut made = self.options.workplace.artifact(&world, &self.entry, &options, what);
                made.fence(&world);
                made
            }
            Err(Report { sources, diagnostics }) => Output { text: None, sources, diagnostics, log: Vec::new() },
        }
    }
}

/// Writes the graph of a compilation as a program of a language, named as in `--lang`, whatever language it came from.
/// The program compiles to the same graph.
pub fn as_program(name: &str, compiled: &Compiled) -> Result<Written, Box<Report>> {
    let Compiled { graph, sources, .. } = compiled;
    let language = language(LanguageName::named(name).unwrap_or_default());
    let written = job::run(|| language.emit(graph, sources)).unwrap_or_else(|bug| Err(panicked(&bug, Stage::Eval)));
    written.map_err(|diagnostics| Box::new(Report { sources: sources.clone(), diagnostics }))
}
