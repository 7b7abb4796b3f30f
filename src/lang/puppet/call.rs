//! One call of a function: its name, its arguments and its lambda.

use std::sync::Arc;

use super::ast::{Lambda, Parameter, Text};
use super::ids::ScopeId;
use super::stop::{Run, fail};
use super::types;
use super::value::Value;
use crate::lang::puppet::issue::IssueName;
use crate::source::Span;

/// A lambda with the scope around it.
#[derive(Clone, Debug)]
pub struct Block {
    pub lambda: Arc<Lambda>,
    pub scope: ScopeId,
    /// A block of Ruby: the request of the call that passes it on. The lambda has no more than its parameters.
    pub of_ruby: Option<Arc<serde_json::Value>>,
}

impl Block {
    /// How many parameters it takes at least and at most.
    pub fn arity(&self) -> (usize, usize) {
        arity(&self.lambda.params)
    }
}

/// Returns the smallest and the largest number of arguments for these parameters; `usize::MAX` is unbounded.
pub fn arity(params: &[Parameter]) -> (usize, usize) {
    let required = params.iter().filter(|p| p.value.is_none() && !p.captures_rest).count();
    let most = if params.iter().any(|p| p.captures_rest) { usize::MAX } else { params.len() };
    (required, most)
}

/// One call of a function.
pub struct Call {
    pub name: Text,
    pub args: Vec<Value>,
    pub block: Option<Block>,
    pub scope: ScopeId,
    pub span: Span,
}

impl Call {
    /// Fails at the call with a message.
    pub fn fail<V>(&self, message: impl Into<String>) -> Run<V> {
        fail(self.span, IssueName::RuntimeError, message)
    }

    /// Fails at the call because an argument has another type than the expected one.
    pub fn wrong_type<V>(&self, message: impl Into<String>) -> Run<V> {
        fail(self.span, IssueName::WrongType, message)
    }

    /// Fails at the call because an argument has a type that the function does not take.
    pub fn wrong_argument<V>(&self, value: &Value, message: impl Into<String>) -> Run<V> {
        fail(self.span, IssueName::of_argument(value), message)
    }

    /// Fails at the call because of the number of its arguments.
    pub fn wrong_count<V>(&self, message: impl Into<String>) -> Run<V> {
        fail(self.span, IssueName::WrongCount, message)
    }

    /// A call of another function at the same place, without a lambda.
    pub fn other(&self, name: impl Into<Text>, args: Vec<Value>) -> Self {
        Self { name: name.into(), args, block: None, scope: self.scope, span: self.span }
    }

    /// Returns the argument at an index from 0; undef if it is missing.
    pub fn arg(&self, index: usize) -> &Value {
        self.args.get(index).unwrap_or(&Value::Undef)
    }

    /// The lambda, which has to be there.
    pub fn needs_block(&self) -> Run<Block> {
        match &self.block {
            Some(block) => Ok(block.clone()),
            None => self.wrong_type(format!("'{}' expects a block", self.name)),
        }
    }

    /// An argument that has to be a string.
    pub fn text(&self, index: usize) -> Run<Text> {
        match self.args.get(index) {
            Some(Value::Str(text)) => Ok(text.clone()),
            Some(other) => {
                let got = types::infer_generic(other);
                let message = format!("'{}' parameter {} expects a String value, got {got}", self.name, index + 1);
                self.wrong_argument(other, message)
            }
            None => self.wrong_count(format!(
                "'{}' expects at least {} arguments, got {}",
                self.name,
                index + 1,
                self.args.len()
            )),
        }
    }

    /// Fails unless the number of arguments is in the range, both ends included.
    pub fn between(&self, least: usize, most: usize) -> Run<()> {
        if (least..=most).contains(&self.args.len()) {
            return Ok(());
        }
        let count = types::count_mismatch(least, most, self.args.len());
        self.wrong_count(format!("'{}' {count}", self.name))
    }
}
