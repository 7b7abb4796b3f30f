//! Problems in what the user wrote: one [`Diagnostic`] type, several per run, drawn the same by both faces.
//!
//! Stages take `&mut Diagnostics` and continue with the parts they understood. What happens to *us* (disk, git, host)
//! is a typed error of its room, which only a face turns into text.

mod code;
mod frame;
mod log;
mod near;
mod render;
mod review;

use serde::{Deserialize, Serialize};

use crate::source::Span;

pub use code::Code;
pub use log::{Level, LogEntry};
pub use near::nearest;
pub use render::{json, text};
pub use review::{github, github_refusal, sarif, sarif_refusal};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Severity {
    Error,
    Warning,
    Note,
}

impl Severity {
    /// Returns the severity as users see it.
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

/// The stage that found the problem, in the words of `--error-format json`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Stage {
    /// The entry, its metadata, and `download`.
    Module,
    Parse,
    /// Puppet's checks of a parsed tree.
    Validate,
    Scope,
    Type,
    /// mcl's function graph.
    Graph,
    Eval,
    /// Inmanta: everything after the parser.
    Compile,
}

impl Stage {
    /// Returns the stage as users see it.
    pub fn as_str(self) -> &'static str {
        match self {
            Stage::Module => "module",
            Stage::Parse => "parse",
            Stage::Validate => "validate",
            Stage::Scope => "scope",
            Stage::Type => "type",
            Stage::Graph => "graph",
            Stage::Eval => "eval",
            Stage::Compile => "compile",
        }
    }
}

/// One problem in what the user wrote, with its place, reason and help.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Diagnostic {
    pub code: Code,
    pub severity: Severity,
    /// `None` until [`Diagnostics::push`] sets the current stage.
    pub stage: Option<Stage>,
    /// `None` without a file to point at, such as for an entry that does not exist.
    pub span: Option<Span>,
    /// The problem at the span. May contain user text: faces make it printable.
    pub label: String,
    pub related: Vec<(Span, String)>,
    pub help: Option<String>,
    /// The language's own name for the error, if it has one.
    pub error: Option<String>,
}

impl Diagnostic {
    /// Makes an error at a span.
    pub fn error(code: Code, span: Span) -> Self {
        Self::new(code, Severity::Error, Some(span))
    }

    /// Makes a warning at a span.
    pub fn warning(code: Code, span: Span) -> Self {
        Self::new(code, Severity::Warning, Some(span))
    }

    /// An error without a place in a file.
    pub fn placeless(code: Code) -> Self {
        Self::new(code, Severity::Error, None)
    }

    fn new(code: Code, severity: Severity, span: Option<Span>) -> Self {
        Self { code, severity, stage: None, span, label: String::new(), related: Vec::new(), help: None, error: None }
    }

    /// Sets the label, which states the problem at the span.
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Adds a related place with its message.
    pub fn related(mut self, span: Span, message: impl Into<String>) -> Self {
        self.related.push((span, message.into()));
        self
    }

    /// Sets the help, which states how to fix the problem.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Sets another stage than the current one, such as for a syntax error in an import.
    pub fn stage(mut self, stage: Stage) -> Self {
        self.stage = Some(stage);
        self
    }
}

/// How many diagnostics one run keeps; further ones are only counted.
const LIMIT: usize = 100;

/// The diagnostics of one run, in the order they were found.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Diagnostics {
    stage: Stage,
    list: Vec<Diagnostic>,
    errors: usize,
    /// How many of the errors repeat another one.
    repeated: usize,
    dropped: usize,
}

impl Diagnostics {
    /// Makes an empty list for a stage.
    pub fn new(stage: Stage) -> Self {
        Self { stage, list: Vec::new(), errors: 0, repeated: 0, dropped: 0 }
    }

    /// Sets the current stage; later diagnostics carry it.
    pub fn enter(&mut self, stage: Stage) {
        self.stage = stage;
    }

    /// Adds a diagnostic. A repetition at the same place counts as one problem: a class that is included three times
    /// has each of its errors once.
    pub fn push(&mut self, mut diagnostic: Diagnostic) {
        diagnostic.stage.get_or_insert(self.stage);
        let is_error = diagnostic.severity == Severity::Error;
        self.errors += usize::from(is_error);
        if self.list.contains(&diagnostic) {
            self.repeated += usize::from(is_error);
        } else if self.list.len() < LIMIT {
            self.list.push(diagnostic);
        } else {
            self.dropped += 1;
        }
    }

    /// Whether an error was pushed, also a repeated or dropped one.
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// How often an error was found: if it grows, a stage found one.
    pub fn error_count(&self) -> usize {
        self.errors
    }

    /// How many different errors there are: repetitions at one place count once.
    pub fn distinct_errors(&self) -> usize {
        self.errors - self.repeated
    }

    /// How many were not kept.
    pub fn dropped(&self) -> usize {
        self.dropped
    }

    /// Returns the diagnostics in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.list.iter()
    }

    /// Whether there is no diagnostic.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Pushes the diagnostics of another list. Its dropped and repeated ones count here too.
    pub fn extend(&mut self, other: Diagnostics) {
        let listed = other.list.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).count();
        self.errors += other.errors - listed;
        self.repeated += other.repeated;
        self.dropped += other.dropped;
        for diagnostic in other.list {
            self.push(diagnostic);
        }
    }
}
