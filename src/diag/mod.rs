//! What we tell users about what they wrote: one [`Diagnostic`] type, several per run, drawn the same by both faces.
//!
//! Stages take `&mut Diagnostics` and carry on with what they understood. What happens to *us* (disk, git, host)
//! is a typed error of its room and becomes words only in a face.

mod code;
mod frame;
mod log;
mod near;
mod render;

use crate::source::Span;

pub use code::Code;
pub use log::{Level, LogEntry};
pub use near::nearest;
pub use render::{json, text};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    Error,
    Warning,
    Note,
}

impl Severity {
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

/// The part of the work that found the problem, in the words of `--error-format json`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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

/// One thing wrong in what the user wrote, with the place, the reason and a way out.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    pub code: Code,
    pub severity: Severity,
    /// `None` until [`Diagnostics::push`] stamps the stage at work.
    pub stage: Option<Stage>,
    /// `None` where no file can be pointed at, such as an entry that does not exist.
    pub span: Option<Span>,
    /// What is at the span. May hold user text: faces make it printable.
    pub label: String,
    pub related: Vec<(Span, String)>,
    pub help: Option<String>,
    /// The language's own name for the error, where it has one.
    pub error: Option<String>,
}

impl Diagnostic {
    pub fn error(code: Code, span: Span) -> Self {
        Self::new(code, Severity::Error, Some(span))
    }

    pub fn warning(code: Code, span: Span) -> Self {
        Self::new(code, Severity::Warning, Some(span))
    }

    /// An error that no place in a file belongs to.
    pub fn placeless(code: Code) -> Self {
        Self::new(code, Severity::Error, None)
    }

    fn new(code: Code, severity: Severity, span: Option<Span>) -> Self {
        Self { code, severity, stage: None, span, label: String::new(), related: Vec::new(), help: None, error: None }
    }

    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    pub fn related(mut self, span: Span, message: impl Into<String>) -> Self {
        self.related.push((span, message.into()));
        self
    }

    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Says a stage other than the one at work, such as a syntax error that an import brings.
    pub fn stage(mut self, stage: Stage) -> Self {
        self.stage = Some(stage);
        self
    }
}

/// How many diagnostics one run keeps; the rest is counted only.
const LIMIT: usize = 100;

/// The diagnostics of one run, in the order they were found.
#[derive(Clone, Debug)]
pub struct Diagnostics {
    stage: Stage,
    list: Vec<Diagnostic>,
    errors: usize,
    /// Those of the errors that say again what another one says.
    repeated: usize,
    dropped: usize,
}

impl Diagnostics {
    pub fn new(stage: Stage) -> Self {
        Self { stage, list: Vec::new(), errors: 0, repeated: 0, dropped: 0 }
    }

    /// Says which stage is at work; what is pushed from now on carries it.
    pub fn enter(&mut self, stage: Stage) {
        self.stage = stage;
    }

    /// Takes one more. What was said already, of the same place, is one problem and not two: a class that is included three
    /// times has each of its faults once.
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

    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// How often an error was found: where it goes up, a stage found one.
    pub fn error_count(&self) -> usize {
        self.errors
    }

    /// How many errors there are to mend: what was found again at the same place is one.
    pub fn distinct_errors(&self) -> usize {
        self.errors - self.repeated
    }

    /// How many more there were than are kept.
    pub fn dropped(&self) -> usize {
        self.dropped
    }

    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.list.iter()
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub fn extend(&mut self, other: Diagnostics) {
        for diagnostic in other.list {
            self.push(diagnostic);
        }
    }
}
