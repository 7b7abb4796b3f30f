//! Why an evaluation has no value, with the place.

use std::borrow::Cow;

use crate::diag::{Code, Diagnostic};
use crate::source::Span;

/// A failure on its way to a handler, or to the user.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    pub code: Code,
    /// The failed call, or operator with its operands.
    pub span: Span,
    pub message: String,
    pub help: Option<Cow<'static, str>>,
    /// Whether `<|>` catches it.
    pub catchable: bool,
}

impl Fault {
    /// A failure that ends the evaluation.
    pub fn fatal(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self { code, span, message: message.into(), help: None, catchable: false }
    }

    /// A failure that `<|>` can replace with another value.
    pub fn catchable(code: Code, span: Span, message: impl Into<String>) -> Self {
        let help = Some(Cow::Borrowed("add a default with `<|>`"));
        Self { code, span, message: message.into(), help, catchable: true }
    }

    /// Sets the help text.
    pub fn help(mut self, help: impl Into<Cow<'static, str>>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Whether a limit or a cancellation ended the work: the value is unknown.
    pub fn is_cut_off(&self) -> bool {
        matches!(self.code, Code::EvaluationLimit | Code::Cancelled | Code::OutOfTime)
    }

    /// Converts the fault to an error; an exceeded limit without help gets the general advice.
    pub fn into_diagnostic(self) -> Diagnostic {
        let diagnostic = Diagnostic::error(self.code, self.span).label(self.message);
        let limit =
            "use shorter lists and strings, or fewer nested loops and calls; or raise the limit: `--limit NAME=NUMBER`";
        let help = self.help.or((self.code == Code::EvaluationLimit).then_some(Cow::Borrowed(limit)));
        match help {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        }
    }
}
