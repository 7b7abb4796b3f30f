//! A problem of reading or validating, named as Puppet names it.

use super::way_out;
use crate::diag::{Code, Diagnostic, Severity, Stage};
use crate::source::Span;

#[derive(Clone, Debug, PartialEq)]
pub struct Issue {
    /// Puppet's issue code; empty where Puppet has none.
    pub name: &'static str,
    pub stage: Stage,
    pub severity: Severity,
    /// `None`: the end of the file.
    pub span: Option<Span>,
    pub message: String,
    /// A better explanation than the reference's message, for our own diagnostics.
    pub advice: Option<Box<Advice>>,
}

/// An explanation of an issue with the place to edit.
#[derive(Clone, Debug, PartialEq)]
pub struct Advice {
    pub code: Code,
    /// `None`: the place of the issue.
    pub place: Option<Span>,
    pub label: String,
    pub related: Vec<(Span, String)>,
    pub help: Option<String>,
}

impl Issue {
    pub fn parse(span: Span, name: &'static str, message: impl Into<String>) -> Self {
        Self {
            name,
            stage: Stage::Parse,
            severity: Severity::Error,
            span: Some(span),
            message: message.into(),
            advice: None,
        }
    }

    pub fn validate(span: Span, name: &'static str, message: impl Into<String>) -> Self {
        Self {
            name,
            stage: Stage::Validate,
            severity: Severity::Error,
            span: Some(span),
            message: message.into(),
            advice: None,
        }
    }

    /// As our own diagnostics show it.
    pub fn diagnostic(&self) -> Diagnostic {
        let own = super::arm::known_issue(self.name);
        let code = match own {
            Some((code, _)) => code,
            None if self.message.ends_with("is not valid UTF-8") => Code::InvalidUtf8,
            None => code(self.name, self.stage),
        };
        let mut diagnostic = match self.span {
            Some(span) => Diagnostic::error(code, span),
            None => Diagnostic::placeless(code),
        };
        diagnostic.severity = self.severity;
        diagnostic.stage = Some(self.stage);
        diagnostic.label = self.message.clone();
        diagnostic.error = (!self.name.is_empty()).then(|| self.name.to_string());
        if let Some(advice) = &self.advice {
            let Advice { code, place, label, related, help } = &**advice;
            diagnostic.code = *code;
            diagnostic.span = place.or(diagnostic.span);
            diagnostic.label.clone_from(label);
            diagnostic.related.clone_from(related);
            diagnostic.help.clone_from(help);
            return diagnostic;
        }
        let help = own.map(|(_, help)| help.into()).or_else(|| way_out::help(self.name, &self.message));
        match help {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        }
    }
}

/// Our code for one of Puppet's issues: several of theirs share one of ours.
fn code(name: &str, stage: Stage) -> Code {
    match name {
        "UNCLOSED_QUOTE" | "UNCLOSED_MLCOMMENT" => Code::UnterminatedString,
        "NUMERIC_OVERFLOW" => Code::NumberOverflow,
        "UNKNOWN_VARIABLE" => Code::UnknownVariable,
        "UNKNOWN_RESOURCE_TYPE" => Code::UnknownKind,
        "UNKNOWN_RESOURCE" => Code::UnknownResource,
        "UNKNOWN_FUNCTION" => Code::UnknownFunction,
        "DUPLICATE_KEY" | "DUPLICATE_DEFAULT" | "DUPLICATE_ATTRIBUE" => Code::DuplicateKey,
        "DUPLICATE_PARAMETER" | "DUPLICATE_TITLE" => Code::DuplicateName,
        "BAD_EXPORT" => Code::BadExport,
        "EXPORTED_SECRET" => Code::MissingSecret,
        "TYPE_MISMATCH" => Code::TypeMismatch,
        _ if name.starts_with("ILLEGAL_") && name.ends_with("_NAME") => Code::InvalidName,
        _ if name.starts_with("RESERVED_") => Code::InvalidName,
        _ if stage == Stage::Eval => Code::EvaluationFailed,
        _ => Code::UnexpectedToken,
    }
}
