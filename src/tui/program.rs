//! A compilation as the screens read it, indexed once on a worker.

use std::path::{Path, PathBuf};
use std::{collections::BTreeMap, sync::Arc};

use rustc_hash::FxHashMap;

use super::around;
use crate::diag::{Diagnostic, Diagnostics, LogEntry, Severity, Stage};
use crate::graph::view::Wiring;
use crate::graph::ways::Ways;
use crate::graph::{Graph, Hosts, NodeIndex, ResourceId};
use crate::lang::Compiled;
use crate::session::DeclaredKind;
use crate::session::moment::Moment;
use crate::source::{Place, SourceFile, Sources};

/// A problem with its place as lines and columns.
#[derive(Clone, Debug)]
pub struct Problem {
    pub diagnostic: Diagnostic,
    pub place: Option<Place>,
    /// Related places, each with its text.
    pub related: Vec<(Place, String)>,
}

/// The resources declared on each line of each file.
type ByLine = FxHashMap<Arc<str>, BTreeMap<u32, Vec<NodeIndex>>>;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub errors: usize,
    pub warnings: usize,
}

impl Tally {
    /// `1 error`, `3 errors`.
    pub fn errors_in_words(self) -> String {
        format!("{} error{}", self.errors, if self.errors == 1 { "" } else { "s" })
    }
}

/// A compilation with indexes: from a line to its resources, and from a node to its neighbours.
#[derive(Clone, Debug)]
pub struct Program {
    pub graph: Arc<Graph>,
    pub sources: Sources,
    pub problems: Vec<Problem>,
    pub tally: Tally,
    /// The output of the program.
    pub log: Vec<LogEntry>,
    /// The kinds that the program declares.
    pub kinds: Arc<[DeclaredKind]>,
    /// The files and folders outside of the entry that it reads; unknown while it is followed.
    pub reads: Arc<[PathBuf]>,
    /// The number of resources; the graph's other nodes are the starts and ends of containers.
    pub resources: usize,
    /// The hosts that the graph is for.
    pub hosts: Hosts,
    /// The node for which the facts of this machine are used.
    pub node_without_facts: Option<String>,
    /// The dependencies of the nodes, and their apply order.
    pub ways: Arc<Ways>,
    pub wiring: Arc<Wiring>,
    names: Arc<FxHashMap<PathBuf, Arc<str>>>,
    by_line: Arc<ByLine>,
    problem_lines: FxHashMap<Arc<str>, BTreeMap<u32, Vec<usize>>>,
}

impl Program {
    pub fn new(compiled: Compiled) -> Self {
        let Compiled { graph, sources, diagnostics, log, kinds, outside, facts: _ } = compiled;
        let reads = outside.into_iter().map(|read| read.path).collect();
        Self { log, kinds: kinds.into(), reads, ..Self::index(Arc::new(graph), sources, &diagnostics) }
    }

    /// Indexes the graph of a moment; errors of the event do not belong to the graph.
    pub fn of_moment(moment: &Moment, kinds: Arc<[DeclaredKind]>) -> Self {
        let diagnostics = Diagnostics::new(Stage::Eval);
        Self { kinds, ..Self::index(Arc::clone(&moment.graph), Sources::clone(&moment.sources), &diagnostics) }
    }

    /// The same for a moment whose graph differs only in parameters; `None` if more may differ. Costs nothing.
    pub fn with_params_of(&self, moment: &Moment) -> Option<Self> {
        let graph = Arc::clone(&moment.graph);
        graph.has_shape_of(&self.graph).then(|| Self { graph, ..self.clone() })
    }

    /// The same with other parameters; the resources keep their positions.
    pub fn with_params(&self, graph: Graph) -> Self {
        Self { graph: Arc::new(graph), ..self.clone() }
    }

    fn index(graph: Arc<Graph>, sources: Sources, diagnostics: &Diagnostics) -> Self {
        let ways = Arc::new(Ways::of(&graph));
        let mut by_line = ByLine::default();
        let mut resources = 0;
        for (node, resource) in graph.resources() {
            resources += 1;
            if let Some(place) = &resource.source {
                by_line.entry(place.file.clone()).or_default().entry(place.line).or_default().push(node);
            }
        }
        let mut problem_lines: FxHashMap<Arc<str>, BTreeMap<u32, Vec<usize>>> = FxHashMap::default();
        let mut problems = Vec::new();
        let mut tally = Tally::default();
        for diagnostic in diagnostics.iter() {
            let place = diagnostic.span.map(|span| sources.place(span));
            if let Some(place) = &place {
                let lines = problem_lines.entry(place.file.clone()).or_default();
                lines.entry(place.line).or_default().push(problems.len());
            }
            match diagnostic.severity {
                Severity::Error => tally.errors += 1,
                Severity::Warning => tally.warnings += 1,
                Severity::Note => {}
            }
            let related = diagnostic.related.iter().map(|(span, label)| (sources.place(*span), label.clone()));
            // A list or a header has one line for it.
            let label = diagnostic.label.lines().map(str::trim).collect::<Vec<_>>().join(" ");
            let diagnostic = Diagnostic { label, ..diagnostic.clone() };
            problems.push(Problem { diagnostic, place, related: related.collect() });
        }
        tally.errors = tally.errors.max(diagnostics.distinct_errors());
        let names = Arc::new(names(&sources));
        let by_line = Arc::new(by_line);
        let wiring = Arc::new(Wiring::new(&graph, &ways.order));
        let (log, kinds, reads, hosts) = (Vec::new(), Arc::default(), Arc::default(), graph.hosts());
        Self {
            graph,
            sources,
            problems,
            tally,
            log,
            kinds,
            reads,
            resources,
            hosts,
            node_without_facts: None,
            ways,
            wiring,
            names,
            by_line,
            problem_lines,
        }
    }

    pub fn has_errors(&self) -> bool {
        self.tally.errors > 0
    }

    /// The first place of an error: in a file if there is one, not in text that no file has.
    pub fn first_error_place(&self) -> Option<&Place> {
        let places = || {
            let related = self.errors().map(|problem| (problem.place.iter(), problem.related.iter()));
            related.flat_map(|(place, related)| place.chain(related.map(|(place, _)| place)))
        };
        let is_in_file = |place: &&Place| self.file(&place.file).is_some_and(|file| file.path.is_some());
        places().find(is_in_file).or_else(|| places().next())
    }

    pub fn errors(&self) -> impl Iterator<Item = &Problem> {
        self.problems.iter().filter(|problem| problem.diagnostic.severity == Severity::Error)
    }

    /// How many errors there are, and the first one: `1 error: main.mcl:3: unknown variable: "$x" is not defined here`.
    pub fn errors_words(&self) -> String {
        let first = self.problems.iter().find(|problem| problem.diagnostic.severity == Severity::Error);
        let first = first.map(|problem| {
            let place = problem.place.as_ref().map(|place| format!("{}:{}: ", place.file, place.line));
            let Diagnostic { code, label, .. } = &problem.diagnostic;
            format!(": {}{}: {label}", place.unwrap_or_default(), code.summary())
        });
        self.tally.errors_in_words() + &first.unwrap_or_default()
    }

    /// The resources declared on each line of a file.
    pub fn declared_in(&self, file: &str) -> Option<&BTreeMap<u32, Vec<NodeIndex>>> {
        self.by_line.get(file)
    }

    /// The problems on each line of a file.
    pub fn problems_in(&self, file: &str) -> Option<&BTreeMap<u32, Vec<usize>>> {
        self.problem_lines.get(file)
    }

    /// The file that places call `name`.
    pub fn file(&self, name: &str) -> Option<&SourceFile> {
        self.sources.iter().map(|(_, file)| file).find(|file| *file.name == *name)
    }

    /// What places call the file at a path.
    pub fn name_of(&self, path: &Path) -> Option<Arc<str>> {
        self.names.get(path).cloned()
    }

    /// Returns the id of a node. Panics for a node of another graph.
    pub fn id(&self, node: NodeIndex) -> &ResourceId {
        self.graph.node(node).id()
    }

    /// All dependents of a node, in apply order.
    pub fn dependents(&self, node: NodeIndex) -> Vec<NodeIndex> {
        self.ways.dependents(&self.graph, node)
    }

    /// All requirements of a node, in apply order.
    pub fn requirements(&self, node: NodeIndex) -> Vec<NodeIndex> {
        self.ways.requirements(&self.graph, node)
    }
}

/// The names of files by their paths, both as read and canonical.
fn names(sources: &Sources) -> FxHashMap<PathBuf, Arc<str>> {
    let mut names = FxHashMap::default();
    for (_, file) in sources.iter() {
        let Some(path) = &file.path else { continue };
        let name = Arc::clone(&file.name);
        names.insert(around::canonical(path), name.clone());
        names.insert(path.clone(), name);
    }
    names
}

/// `1 error`, `2 errors`.
pub fn count_errors(errors: usize) -> String {
    format!("{errors} error{}", if errors == 1 { "" } else { "s" })
}
