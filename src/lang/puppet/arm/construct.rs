//! `T.new({ … }) |$t| { … }`, in all its spellings.

use std::sync::Arc;

use super::body::{self, Frame};
use super::set::{By, unknown_feature};
use super::value::Instance;
use crate::diag::Stage;
use crate::lang::puppet::ast::arm::Form;
use crate::lang::puppet::ast::{self, Expr, Kind, Text};
use crate::lang::puppet::call::Block;
use crate::lang::puppet::convert;
use crate::lang::puppet::eval::Evaluator;
use crate::lang::puppet::ids::ScopeId;
use crate::lang::puppet::issue::{Issue, IssueName};
use crate::lang::puppet::program::Program;
use crate::lang::puppet::stop::{Help, Run, Stop, fail, help};
use crate::lang::puppet::types::model::Model;
use crate::lang::puppet::types::{self, Ty, Type};
use crate::lang::puppet::value::{Object, Value};
use crate::source::Span;

/// A feature with its value, as a construction names it.
pub struct Entry {
    pub key: Value,
    pub value: Value,
    pub at: Span,
}

impl Evaluator<'_> {
    /// A construction as written: the arguments behind the type.
    pub fn construct_call(
        &mut self,
        ty: &Value,
        args: &[Expr],
        lambda: Option<&Arc<ast::Lambda>>,
        scope: ScopeId,
        span: Span,
    ) -> Run {
        let entries = match args {
            [Expr { kind: Kind::Hash(written), .. }] => {
                let mut entries = Vec::with_capacity(written.len());
                for entry in written {
                    let key = self.eval(&entry.key, scope)?;
                    let value = self.eval(&entry.value, scope)?;
                    entries.push(Entry { key, value, at: entry.key.span });
                }
                entries
            }
            args => {
                let values = self.unfolded(args, scope)?;
                entries_of(&values, span)?
            }
        };
        let block = lambda.map(|lambda| Block { lambda: lambda.clone(), scope, of_ruby: None });
        self.construct_of(ty, entries, block.as_ref(), span)
    }

    /// A construction by a call without a place of its own for each key.
    pub fn construct_values(&mut self, ty: &Value, args: &[Value], block: Option<&Block>, span: Span) -> Run {
        let entries = entries_of(args, span)?;
        self.construct_of(ty, entries, block, span)
    }

    fn construct_of(&mut self, ty: &Value, entries: Vec<Entry>, block: Option<&Block>, span: Span) -> Run {
        let Value::Type(ty) = ty else { return Ok(Value::Undef) };
        let Some(model) = super::of(ty).cloned().filter(|model| !model.is_resource) else {
            return fail(
                span,
                IssueName::ArmManagedResource,
                format!("{ty} is a resource type: it is declared, not constructed"),
            );
        };
        self.construct(&model, entries, block, span).map(Value::Object)
    }

    /// Makes an object: defaults, entries, initializer, lower bounds, invariants.
    pub(super) fn construct(
        &mut self,
        model: &Arc<Model>,
        entries: Vec<Entry>,
        block: Option<&Block>,
        span: Span,
    ) -> Run<Arc<Object>> {
        if model.is_abstract {
            return fail(
                span,
                IssueName::ArmAbstract,
                format!("{} is abstract: only types below it have objects", model.name),
            );
        }
        let ty = self.program.type_of_model(model);
        let instance = Instance::new(model.clone());
        let object = Arc::new(Object { ty, attributes: Vec::new(), arm: Some(instance) });
        for (index, member) in model.members.iter().enumerate() {
            if let Some(default) = &member.default {
                self.set_feature(&object, index, default.clone(), By::Type, span)?;
            }
        }
        for entry in entries {
            let Value::Str(name) = &entry.key else {
                return unknown_feature(&model.name, &convert::string(&entry.key), entry.at);
            };
            self.set_named(&object, &name.clone(), entry.value, false, entry.at)?;
        }
        if let Some(block) = block {
            let taken = block.arity().1.min(1);
            self.apply(block, &[Value::Object(object.clone())][..taken], span)?;
        }
        let mut issues = missing(&object, span);
        if issues.is_empty() {
            issues = self.failed_invariants(&object, span);
        }
        if issues.is_empty() {
            return Ok(object);
        }
        let first = issues.remove(0);
        self.output.issues.extend(issues);
        Err(Stop::Fail(Box::new(first)))
    }

    /// What the invariants say against an object; a fault in one ends the list.
    fn failed_invariants(&mut self, object: &Arc<Object>, span: Span) -> Vec<Issue> {
        let Some(model) = object.arm.as_ref().map(|instance| instance.model.clone()) else { return Vec::new() };
        let mut issues = Vec::new();
        for (invariant, owner) in &model.invariants {
            match self.failed_invariant(invariant, &model.name, owner, object, span) {
                Ok(None) => {}
                Ok(Some(message)) => issues.push(issue(IssueName::ArmInvariantFailed, message, span)),
                Err(Stop::Fail(fault)) => {
                    issues.push(*fault);
                    return issues;
                }
                Err(_) => return issues,
            }
        }
        issues
    }

    fn failed_invariant(
        &mut self,
        invariant: &crate::lang::puppet::ast::arm::Invariant,
        name: &Text,
        owner: &Text,
        object: &Arc<Object>,
        span: Span,
    ) -> Run<Option<String>> {
        let value = Value::Object(object.clone());
        let mut names = vec![("meta".into(), self.program.meta_of(name, owner))];
        if !matches!(invariant.check.form, Form::Lambda(_)) {
            names.push(("it".into(), value.clone()));
        }
        let frame = Frame { object: Some(object.clone()), ..Frame::default() };
        let (answer, _) = self.run_body(&invariant.check, frame, names, &[value], span)?;
        if answer == Value::Bool(false)
            && let Some(title) = &invariant.title
        {
            return Ok(Some(convert::string(&self.title(title, object)?)));
        }
        match body::answer(&answer, || "Illegal invariant".into()) {
            Ok(message) => Ok(message),
            Err(why) => fail(span, IssueName::ArmIllegalCheckResult, format!("An invariant of {owner} {why}")),
        }
    }
}

impl Program {
    /// Whether a value is one of these types, also one that cannot be constructed.
    pub fn is_arm_type(&self, value: &Value) -> bool {
        let Value::Type(ty) = value else { return false };
        super::of(ty).is_some()
            || matches!(&**ty, Type::Resource(Some(name), None) if self.arm.models.contains_key(name))
    }

    fn type_of_model(&self, model: &Model) -> Ty {
        let known = self.arm.models.get(model.name.to_lowercase().as_str());
        known.map_or_else(|| Type::Object(None).into(), |(_, ty)| ty.clone())
    }
}

/// The arguments of a construction: one hash, or nothing.
fn entries_of(args: &[Value], span: Span) -> Run<Vec<Entry>> {
    match args {
        [] => Ok(Vec::new()),
        [Value::Hash(map)] => {
            Ok(map.iter().map(|(key, value)| Entry { key: key.clone(), value: value.clone(), at: span }).collect())
        }
        [other] => {
            let got = types::infer_generic(other);
            fail(span, IssueName::ArmIllegalConstruction, format!("A construction expects a Hash value, got {got}"))
                .help(help::EXPECTED)
        }
        several => {
            let message = format!("A construction expects a Hash value, got {} arguments", several.len());
            fail(span, IssueName::ArmIllegalConstruction, message)
        }
    }
}

fn issue(name: IssueName, message: String, span: Span) -> Issue {
    Issue { stage: Stage::Eval, ..Issue::validate(span, name, message) }
}

/// The features that hold less than they have to.
fn missing(object: &Object, span: Span) -> Vec<Issue> {
    let Some(instance) = &object.arm else { return Vec::new() };
    let mut issues = Vec::new();
    for (index, member) in instance.model.members.iter().enumerate().filter(|(_, member)| !member.is_derived()) {
        let count = match instance.get(index) {
            None => 0,
            Some(Value::Array(list)) if member.is_list() => list.len(),
            Some(_) => 1,
        };
        if count >= member.min {
            continue;
        }
        let message = match count {
            0 => format!("{} expects a value for parameter '{}'", instance.model.name, member.name()),
            _ => {
                let (of, name) = (&instance.model.name, member.name());
                format!("{of}[{name}] expects size to be at least {}, got {count}", member.min)
            }
        };
        issues.push(issue(IssueName::ArmMissingValue, message, span));
    }
    issues
}
