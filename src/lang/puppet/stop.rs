//! Why an evaluation ends early: an error, or `next`, `break` and `return`, which are values and no errors.

use crate::diag::{Severity, Stage};
use crate::lang::puppet::issue::Issue;
use crate::lang::puppet::value::Value;
use crate::source::Span;

#[derive(Debug)]
pub enum Stop {
    Fail(Box<Issue>),
    Next(Value),
    Break(Span),
    Return(Value, Span),
}

pub type Run<V = Value> = Result<V, Stop>;

/// What is wrong, without a place.
#[derive(Debug)]
pub struct Problem {
    pub name: &'static str,
    pub message: String,
}

pub type Tried<V = Value> = Result<V, Problem>;

impl Problem {
    pub fn new(name: &'static str, message: impl Into<String>) -> Self {
        Self { name, message: message.into() }
    }

    /// A problem for which Puppet has no name of its own.
    pub fn runtime(message: impl Into<String>) -> Self {
        Self::new("RUNTIME_ERROR", message)
    }

    pub fn at(self, span: Span) -> Stop {
        Stop::Fail(Box::new(Issue {
            name: self.name,
            stage: Stage::Eval,
            severity: Severity::Error,
            span: Some(span),
            message: self.message,
        }))
    }
}

/// The same with another place, where the problem is one of these and at `from`, if that is given.
pub fn moved<V>(run: Run<V>, names: &[&str], from: Option<Span>, span: Span) -> Run<V> {
    run.map_err(|stop| match stop {
        Stop::Fail(mut issue) if names.contains(&issue.name) && (from.is_none() || issue.span == from) => {
            issue.span = Some(span);
            Stop::Fail(issue)
        }
        stop => stop,
    })
}

/// Gives a problem its place.
pub trait At<V> {
    fn at(self, span: Span) -> Run<V>;
}

impl<V> At<V> for Tried<V> {
    fn at(self, span: Span) -> Run<V> {
        self.map_err(|problem| problem.at(span))
    }
}

impl<V> At<V> for Result<V, String> {
    fn at(self, span: Span) -> Run<V> {
        self.map_err(|message| Problem::runtime(message).at(span))
    }
}

pub fn fail<V>(span: Span, name: &'static str, message: impl Into<String>) -> Run<V> {
    Err(Problem::new(name, message).at(span))
}
