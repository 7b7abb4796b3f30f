//! What a program of this session may read, and reports of its reads outside.
//!
//! [`Fenced`] decides. This file provides its input: the program's own places, and its unapproved modules.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::diag::{Code, Diagnostic, Diagnostics, Stage};
use crate::fetch::{Homes, real};
use crate::graph::Graph;
use crate::lang::{CompileOptions, Compiled, Output, Report};
use crate::session::{Session, StateError, state_path};
use crate::source::{Sources, Span};
use crate::world::{Fenced, Frozen, Judged, Outside, PathKind, Read, Sample, World};

impl Session {
    /// Returns one sample of a world, and the fence around it. The fence comes second, because what it lets pass changes.
    pub(in crate::session) fn frozen(&self, world: Arc<dyn World>) -> (Arc<Frozen<Arc<dyn World>>>, Fenced) {
        let frozen = Arc::new(Frozen::new(Arc::clone(&world)));
        let fence = self.fence(Arc::clone(&frozen) as Arc<dyn World>, world);
        (frozen, fence)
    }

    /// Returns a world that asks for the approval of the program's modules once it reads outside.
    pub(in crate::session) fn fence(&self, world: Arc<dyn World>, links: Arc<dyn World>) -> Fenced {
        let session = self.again();
        Fenced::new(
            world,
            links,
            Box::new(move || {
                let unknown = |error: StateError| Judged { strangers: vec![error.to_string()], own: Vec::new() };
                session.judge().unwrap_or_else(unknown)
            }),
        )
    }

    /// Whether fetched modules are near the program. Cheap, unlike finding the unapproved ones.
    pub(in crate::session) fn has_fetched(&self, options: &CompileOptions) -> bool {
        // Imports may name where modules come from, also without a lock file.
        let has_modules = |folder: &PathBuf| self.world.kind(folder) == PathKind::Folder;
        if !self.language().layout().is_vendored() && options.module_path.iter().any(has_modules) {
            return true;
        }
        let mut homes = Homes::default();
        std::iter::once(&self.entry.base).chain(&options.module_path).any(|folder| {
            let real = real(folder);
            homes.has_some(&real) || homes.around(&real).map_or(true, |homes| !homes.is_empty())
        })
    }

    /// Returns the folders and files that belong to the program.
    pub(in crate::session) fn own_places(&self, options: &CompileOptions) -> Vec<PathBuf> {
        let entry = &self.entry;
        let base = if entry.base.as_os_str().is_empty() { Path::new(".") } else { &entry.base };
        let named = [&entry.environment, &entry.file, &entry.metadata].into_iter().flatten().cloned();
        let chosen = options.choices.paths().cloned();
        let bundle = self.options.bundle.iter().map(|bundle| bundle.root.clone());
        // Numbers that programs took from pools.
        let pools = state_path(self.options.state.as_ref()).into_iter().map(|state| state.join("pools"));
        let others = entry.roots.iter().cloned().chain(options.module_path.iter().cloned());
        // Packages of a system put links to modules there. A bundle comes from somebody else.
        let linked = |folder: &PathBuf| {
            let names = match self.world.read(&Read::Folder(folder.clone())) {
                Ok(Sample::Names(names)) => names,
                _ => Vec::new(),
            };
            let paths = names.into_iter().map(|name| folder.join(name));
            paths.filter(|path| self.world.read(&Read::Link(path.clone())).is_ok()).collect::<Vec<_>>()
        };
        let linked = options.module_path.iter().filter(|_| self.options.bundle.is_none()).flat_map(linked);
        std::iter::once(base.to_path_buf())
            .chain(named)
            .chain(chosen)
            .chain(bundle)
            .chain(pools)
            .chain(others)
            .chain(linked)
            .collect()
    }
}

impl Compiled {
    /// Adds the reads outside. A refused one is an error, because the graph may depend on it.
    pub(in crate::session) fn fence(&mut self, fence: &Fenced) {
        self.outside = fence.outside();
        if refuse(&self.outside, &self.sources, &mut self.diagnostics) {
            self.graph = Graph::default();
        }
    }
}

impl Output {
    /// The same.
    pub(in crate::session) fn fence(&mut self, fence: &Fenced) {
        if refuse(&fence.outside(), &self.sources, &mut self.diagnostics) {
            self.text = None;
        }
    }
}

impl Report {
    /// The same.
    pub(in crate::session) fn fence(&mut self, fence: &Fenced) {
        refuse(&fence.outside(), &self.sources, &mut self.diagnostics);
    }
}

/// Reports the refused reads before all other problems, which may come from them. Returns whether there are any.
fn refuse(outside: &[Outside], sources: &Sources, diagnostics: &mut Diagnostics) -> bool {
    let mut refused = Diagnostics::new(Stage::Eval);
    for read in outside {
        let Some(module) = read.refused_for.first() else { continue };
        let diagnostic = match read.at.as_ref().and_then(|(file, line)| line_span(sources, file, *line)) {
            Some(span) => Diagnostic::error(Code::ReadRefused, span),
            None => Diagnostic::placeless(Code::ReadRefused),
        };
        refused.push(
            diagnostic
                .label(format!(
                    "`{}` is outside of this program, which uses the unapproved module {module}",
                    read.path.display()
                ))
                .help("review the modules, then approve them with `workbench modules ENTRY --approve`"),
        );
    }
    if !refused.has_errors() {
        return false;
    }
    refused.extend(std::mem::replace(diagnostics, Diagnostics::new(Stage::Eval)));
    *diagnostics = refused;
    true
}

/// The text of a line.
fn line_span(sources: &Sources, name: &str, line: u32) -> Option<Span> {
    let (id, file) = sources.iter().find(|(_, file)| *file.name == *name)?;
    let range = file.line_range(line);
    let blanks = file.text.get(range.clone()).map_or(0, |text| text.len() - text.trim_start().len());
    Some(Span::new(id, range.start + blanks, range.end))
}
