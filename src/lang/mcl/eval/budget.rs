//! What the machine pays from the budget of the compilation, and its cancellation.

use super::Fault;
use super::machine::Machine;
use crate::diag::Code;
use crate::lang::mcl::builtin;
use crate::lang::{Spent, stopped};
use crate::source::{FileId, Span};
use crate::world::Stopped;

/// The longest text, in bytes.
const TEXT: usize = builtin::TEXT;

impl Machine<'_> {
    /// Starts another evaluation with a full budget; returns the bytes of the last one.
    pub(super) fn refill(&mut self) -> u64 {
        self.budget.refill()
    }

    /// Spends one step, and checks for cancellation at intervals.
    pub(super) fn tick(&mut self, span: Option<Span>) -> Result<(), Fault> {
        self.budget.note_steps(1);
        if !self.budget.is_time_to_look() {
            return Ok(());
        }
        if let Some(why) = self.stop.reached() {
            return Err(self.stopped(why, span));
        }
        self.paid(self.budget.check(), span)
    }

    /// The outcome of a payment.
    pub(super) fn paid(&self, payment: Result<(), Spent>, span: Option<Span>) -> Result<(), Fault> {
        payment.map_err(|spent| self.limit(Code::EvaluationLimit, span, spent.message()))
    }

    /// Spends the bytes of a value.
    pub(super) fn charge(&mut self, bytes: usize, span: Option<Span>) -> Result<(), Fault> {
        self.paid(self.budget.build(bytes), span)
    }

    /// Spends the bytes of a text, unless it is too long by itself.
    pub(super) fn charge_text(&mut self, bytes: usize, span: Span) -> Result<(), Fault> {
        if bytes > TEXT {
            let message = format!("the string would be longer than {} MiB", TEXT >> 20);
            return Err(self.limit(Code::EvaluationLimit, Some(span), message));
        }
        self.paid(self.budget.text(bytes), Some(span))?;
        self.charge(bytes, Some(span))
    }

    /// How many bytes are left of the budget.
    pub(super) fn memory_left(&self) -> u64 {
        self.budget.room()
    }

    pub(super) fn limit(&self, code: Code, span: Option<Span>, message: impl Into<String>) -> Fault {
        Fault::fatal(code, self.place(span), message)
    }

    fn stopped(&self, why: Stopped, span: Option<Span>) -> Fault {
        let message = stopped(why, self.place(span));
        let fault = Fault::fatal(message.code, self.place(span), message.label);
        match why {
            Stopped::Cancelled => fault,
            Stopped::OutOfTime(_) => fault.help("simplify the program, or raise the limit: `--limit time=SECONDS`"),
        }
    }

    fn place(&self, span: Option<Span>) -> Span {
        let here = span.or_else(|| self.here.map(|expr| self.span(expr)));
        here.unwrap_or_else(|| Span::new(FileId(0), 0, 0))
    }
}
