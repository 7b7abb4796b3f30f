//! Assignments to variables.

use super::Evaluator;
use crate::lang::puppet::ast::*;
use crate::lang::puppet::environment::Inputs;
use crate::lang::puppet::ids::ScopeId;
use crate::lang::puppet::issue::IssueName;
use crate::lang::puppet::scope::Scopes;
use crate::lang::puppet::stop::{Help, Run, fail};
use crate::lang::puppet::types::Type;
use crate::lang::puppet::value::Value;
use crate::source::Span;

impl Evaluator<'_> {
    pub(super) fn assignment(&mut self, op: AssignOp, left: &Expr, right: &Expr, scope: ScopeId) -> Run {
        if let Some(value) = self.assign_feature(op, left, right, scope)? {
            return Ok(value);
        }
        let value = self.eval(right, scope)?;
        self.refuse_unknown_type(right, &value)?;
        // The place of an assignment is its sign.
        let between = Span::new(left.span.file, left.span.range().end, right.span.range().start);
        let text = self.inputs.sources.file(between.file).text.get(between.range()).unwrap_or_default();
        let sign = text.find('=').map(|at| between.range().start + at);
        let sign = sign.map_or(left.span, |at| Span::new(between.file, at, at + 1));
        self.scopes.assign(&self.inputs, left, value, scope, sign)
    }
}

impl Scopes {
    fn assign(&mut self, inputs: &Inputs<'_>, left: &Expr, value: Value, scope: ScopeId, sign: Span) -> Run {
        match &left.kind {
            Kind::Var(name) => {
                self.set_variable(inputs, name, value.clone(), scope, (left.span, sign))?;
                Ok(value)
            }
            Kind::Array(targets) => self.assign_many(inputs, targets, value, scope, sign),
            _ => {
                fail(left.span, IssueName::IllegalAssignment, "Illegal attempt to assign. Not an assignable reference")
            }
        }
    }

    fn assign_many(&mut self, inputs: &Inputs<'_>, targets: &[Expr], value: Value, scope: ScopeId, sign: Span) -> Run {
        if let Value::Type(ty) = &value
            && let Type::Class(Some(class)) = &**ty
        {
            let class = class.clone();
            for target in targets {
                if let Kind::Var(name) = &target.kind {
                    let found = self.lookup(scope, &format!("{class}::{name}"));
                    let Some(found) = found else {
                        return fail(
                            target.span,
                            IssueName::MissingMultiAssignmentVariable,
                            format!(
                                "No value for required variable '${name}' in assignment to variables from class reference"
                            ),
                        );
                    };
                    self.set_variable(inputs, name, found, scope, (target.span, sign))?;
                }
            }
            return Ok(value);
        }
        if let Value::Hash(map) = &value {
            for target in targets {
                match &target.kind {
                    Kind::Var(name) => {
                        let Some(found) = map.get(&Value::Str(name.clone())) else {
                            return fail(
                                target.span,
                                IssueName::MissingMultiAssignmentKey,
                                format!("No value for required key '{name}' in assignment to variables from hash"),
                            );
                        };
                        self.set_variable(inputs, name, found.clone(), scope, (target.span, sign))?;
                    }
                    Kind::Array(_) => return self.assign(inputs, target, value.clone(), scope, sign),
                    _ => return fail(target.span, IssueName::IllegalAssignment, "Not an assignable reference"),
                }
            }
            return Ok(value);
        }
        let list = match &value {
            Value::Array(list) => list.to_vec(),
            Value::Unknown(_) => vec![Value::Unknown(None); targets.len()],
            other => vec![other.clone()],
        };
        if list.len() != targets.len() {
            return fail(
                sign,
                IssueName::IllegalMultiAssignmentSize,
                format!(
                    "Mismatched number of assignable entries and values, expected {}, got {}",
                    targets.len(),
                    list.len()
                ),
            );
        }
        for (target, value) in targets.iter().zip(list) {
            self.assign(inputs, target, value, scope, sign)?;
        }
        Ok(value)
    }

    /// Sets a variable. Its name is at one place, the sign of the assignment at another.
    fn set_variable(
        &mut self,
        inputs: &Inputs<'_>,
        name: &Text,
        value: Value,
        scope: ScopeId,
        (span, sign): (Span, Span),
    ) -> Run<()> {
        if matches!(&**name, "trusted" | "facts" | "server_facts") {
            return fail(
                span,
                IssueName::IllegalReservedAssignment,
                format!("Attempt to assign to a reserved variable name: '${name}'"),
            );
        }
        let variables = &mut self.get_mut(scope).variables;
        if variables.contains_key(name) {
            let refused = fail(sign, IssueName::IllegalReassignment, format!("Cannot reassign variable '${name}'"));
            let first = inputs.first_assignment(name, span);
            return match first {
                Some(first) => refused.related(first, "it has its value from here"),
                None => refused,
            };
        }
        variables.insert(name.clone(), value);
        Ok(())
    }
}

impl Inputs<'_> {
    /// Where a variable got its value, in the text before its second assignment.
    fn first_assignment(&self, name: &str, second: Span) -> Option<Span> {
        let text = self.sources.file(second.file).text.get(..second.range().start)?;
        let wanted = format!("${name}");
        let mut places = text.match_indices(&wanted).filter(|(at, _)| {
            let behind = text[at + wanted.len()..].trim_start_matches([' ', '\t']);
            let is_whole = !text[at + wanted.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
            let is_set = behind.starts_with('=') && !behind.starts_with("==") && !behind.starts_with("=~");
            is_whole && (is_set || behind.starts_with([',', '\n', ')']) && !text[..*at].ends_with(['=', '(', '{', '[']))
        });
        let (at, _) = places.next()?;
        Some(Span::new(second.file, at, at + wanted.len()))
    }
}
