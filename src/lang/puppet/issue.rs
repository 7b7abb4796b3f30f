//! A problem of reading, validating or evaluating, named as Puppet names it.

mod name;

use std::borrow::Cow;

use crate::diag::{Code, Diagnostic, Severity, Stage};
use crate::source::Span;

pub use name::IssueName;

/// What to do about a problem.
pub type Text = Cow<'static, str>;

/// A problem in a program, with the reference's code and message.
#[derive(Clone, Debug, PartialEq)]
pub struct Issue {
    pub name: IssueName,
    pub stage: Stage,
    pub severity: Severity,
    /// `None`: the end of the file.
    pub span: Option<Span>,
    pub message: String,
    pub advice: Advice,
}

/// What is known of an issue beyond its name and the reference's message.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Advice {
    /// Our code, if it is not that of the name.
    pub code: Option<Code>,
    /// The place to edit, if it is not that of the reference.
    pub place: Option<Span>,
    /// Our words, where those of the reference explain less.
    pub label: Option<String>,
    pub related: Vec<(Span, String)>,
    /// What to do about it, if it is more than the name's general help.
    pub help: Option<Text>,
}

impl Advice {
    /// Makes an advice with a cause and a place to edit.
    pub fn new(code: Code, place: Span, label: impl Into<String>) -> Self {
        Self { code: Some(code), place: Some(place), label: Some(label.into()), ..Self::default() }
    }

    /// Sets the help text.
    pub fn help(self, help: impl Into<Text>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    /// Adds a place that belongs to the cause.
    pub fn related(mut self, place: Span, message: impl Into<String>) -> Self {
        self.related.push((place, message.into()));
        self
    }
}

impl Issue {
    /// Makes an error without advice.
    pub fn new(name: IssueName, stage: Stage, span: Option<Span>, message: impl Into<String>) -> Self {
        Self { name, stage, severity: Severity::Error, span, message: message.into(), advice: Advice::default() }
    }

    /// Makes an error of the parser.
    pub fn parse(span: Span, name: IssueName, message: impl Into<String>) -> Self {
        Self::new(name, Stage::Parse, Some(span), message)
    }

    /// Makes an error of the validation.
    pub fn validate(span: Span, name: IssueName, message: impl Into<String>) -> Self {
        Self::new(name, Stage::Validate, Some(span), message)
    }

    /// Sets the help text.
    pub fn help(self, help: impl Into<Text>) -> Self {
        Self { advice: self.advice.help(help), ..self }
    }

    /// Returns our code.
    pub fn code(&self) -> Code {
        self.advice.code.unwrap_or_else(|| self.name.code())
    }

    /// As our own diagnostics show it.
    pub fn diagnostic(&self) -> Diagnostic {
        let code = self.code();
        let mut diagnostic = match self.advice.place.or(self.span) {
            Some(span) => Diagnostic::error(code, span),
            None => Diagnostic::placeless(code),
        };
        diagnostic.severity = self.severity;
        diagnostic.stage = Some(self.stage);
        diagnostic.label = self.advice.label.clone().unwrap_or_else(|| self.message.clone());
        diagnostic.related.clone_from(&self.advice.related);
        let name = self.name.as_str();
        diagnostic.error = (!name.is_empty()).then(|| name.to_string());
        diagnostic.help(self.advice.help.clone().unwrap_or_else(|| self.name.help().into()))
    }

    /// Rewrites every text, for example without secrets.
    pub fn map_texts(self, change: impl Fn(&str) -> String) -> Self {
        let label = self.advice.label.map(|label| change(&label));
        let help = self.advice.help.map(|help| change(&help).into());
        Self { message: change(&self.message), advice: Advice { label, help, ..self.advice }, ..self }
    }
}
