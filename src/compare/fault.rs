//! Why a side does not compile: the first error, as plain data.

use crate::diag::{Diagnostics, Severity};
use crate::source::{Place, Sources};

/// The error that stopped a compilation.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    pub code: &'static str,
    pub message: String,
    pub label: String,
    pub place: Option<Place>,
    pub help: String,
    /// Other places of the same problem, such as the edges of a cycle.
    pub related: Vec<(Option<Place>, String)>,
}

impl Fault {
    /// The first error; `None` if there is none.
    pub fn of(diagnostics: &Diagnostics, sources: &Sources) -> Option<Self> {
        let first = diagnostics.iter().find(|one| one.severity == Severity::Error)?;
        let place = |span| Some(sources.place(span));
        Some(Self {
            code: first.code.as_str(),
            message: first.code.summary().into(),
            label: first.label.clone(),
            place: first.span.and_then(place),
            help: first.help.clone().unwrap_or_default(),
            related: first.related.iter().map(|(span, message)| (place(*span), message.clone())).collect(),
        })
    }

    /// The problem in one sentence.
    pub fn words(&self) -> String {
        if self.label.is_empty() { self.message.clone() } else { format!("{}: {}", self.message, self.label) }
    }
}
