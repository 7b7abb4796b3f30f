//! The remaining budget of a run: steps, bytes, and its cancellation.

use super::Fault;
use super::machine::Machine;
use crate::diag::Code;
use crate::lang::mcl::builtin;
use crate::lang::stopped;
use crate::source::{FileId, Span};
use crate::world::Stopped;

/// The longest text, in bytes.
const TEXT: usize = builtin::TEXT;
/// How many bytes of text one step reads.
pub const TEXT_PER_STEP: u64 = 16;
/// Steps between two checks for cancellation.
const LOOK_EVERY: u64 = 1 << 10;

impl Machine<'_> {
    /// Starts another evaluation with a full budget; returns the bytes of the last one.
    pub(super) fn refill(&mut self) -> u64 {
        (self.steps, self.next_look) = (0, 0);
        std::mem::take(&mut self.memory)
    }

    /// Spends one step, and checks for cancellation at intervals.
    pub(super) fn tick(&mut self, span: Option<Span>) -> Result<(), Fault> {
        self.steps += 1;
        if self.steps >= self.next_look {
            self.next_look = self.steps + LOOK_EVERY;
            if let Some(why) = self.stop.reached() {
                return Err(self.stopped(why, span));
            }
        }
        if self.steps > self.limits.steps {
            let message = format!("not finished after {} steps", self.limits.steps);
            return Err(self.limit(Code::EvaluationLimit, span, message));
        }
        Ok(())
    }

    /// Spends many steps at once.
    pub(super) fn spend(&mut self, steps: u64, span: Span) -> Result<(), Fault> {
        self.steps = self.steps.saturating_add(steps);
        self.tick(Some(span))
    }

    /// Spends bytes.
    pub(super) fn charge(&mut self, bytes: usize, span: Option<Span>) -> Result<(), Fault> {
        self.memory = self.memory.saturating_add(bytes as u64);
        if self.memory > self.limits.memory {
            let message = format!("values need more than {} MiB", self.limits.memory >> 20);
            return Err(self.limit(Code::EvaluationLimit, span, message));
        }
        Ok(())
    }

    /// Spends the bytes of a text, unless it is too long by itself.
    pub(super) fn charge_text(&mut self, bytes: usize, span: Span) -> Result<(), Fault> {
        if bytes > TEXT {
            let message = format!("the string would be longer than {} MiB", TEXT >> 20);
            return Err(self.limit(Code::EvaluationLimit, Some(span), message));
        }
        self.charge(bytes, Some(span))
    }

    /// How many bytes are left of the budget.
    pub(super) fn memory_left(&self) -> u64 {
        self.limits.memory.saturating_sub(self.memory)
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
