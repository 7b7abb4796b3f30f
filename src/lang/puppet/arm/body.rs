//! The code of a type: what it sees, what it may assign, and what its answers mean.

use std::sync::Arc;

use super::set::{By, added};
use crate::lang::puppet::ast::arm::{Form, Logic};
use crate::lang::puppet::ast::{AssignOp, Expr, Kind, Lambda, Text};
use crate::lang::puppet::call::{Block, Call};
use crate::lang::puppet::eval::Evaluator;
use crate::lang::puppet::ids::ScopeId;
use crate::lang::puppet::issue::IssueName;
use crate::lang::puppet::program::Program;
use crate::lang::puppet::scope::{Owner, Scope, Scopes};
use crate::lang::puppet::stop::{Run, Stop, fail, misplaced};
use crate::lang::puppet::types::model::{Member, Model};
use crate::lang::puppet::types::{self, Type};
use crate::lang::puppet::unknown::is_in;
use crate::lang::puppet::value::{Map, Object, Value};
use crate::source::Span;

/// One run of a body.
#[derive(Clone, Default)]
pub struct Frame {
    /// The object whose features are variables.
    pub object: Option<Arc<Object>>,
    /// The feature whose name is its stored value.
    pub own: Option<usize>,
    /// Features can be assigned.
    pub is_set: bool,
    /// The own feature was assigned.
    pub has_assigned: bool,
}

/// What an answer means: `Ok(None)` is fine, `Ok` with a message is a failure, `Err` is no answer.
pub fn answer(value: &Value, refusal: impl FnOnce() -> String) -> Result<Option<String>, String> {
    match value {
        value if is_in(value) => Ok(None),
        Value::Undef | Value::Bool(true) => Ok(None),
        Value::Bool(false) => Ok(Some(refusal())),
        Value::Str(message) => Ok(Some(message.to_string())),
        other => Err(format!("gave {}, not true, false, undef or a String", types::infer_generic(other))),
    }
}

impl Evaluator<'_> {
    /// Runs code with some variables; lambdas get as many arguments as they take.
    pub(super) fn run_body(
        &mut self,
        logic: &Logic,
        frame: Frame,
        names: Vec<(Text, Value)>,
        args: &[Value],
        at: Span,
    ) -> Run<(Value, Frame)> {
        let mut scope = Scope::new(Owner::Body, None, None);
        scope.variables.extend(names);
        let scope = self.scopes.add(scope);
        self.program.arm.frames.insert(scope, frame);
        let done = self.deeper(at, |e| match &logic.form {
            Form::Lambda(lambda) => e.run_lambda(lambda, scope, args, at),
            Form::Value(body) | Form::Block(body) => e.eval(body, scope),
        });
        let frame = self.program.arm.frames.remove(&scope).unwrap_or_default();
        match done {
            Ok(value) | Err(Stop::Next(value) | Stop::Return(value, _)) => Ok((value, frame)),
            Err(Stop::Break(span)) => misplaced(span, "break"),
            Err(stop) => Err(stop),
        }
    }

    fn run_lambda(&mut self, lambda: &Arc<Lambda>, scope: ScopeId, args: &[Value], at: Span) -> Run {
        let block = Block { lambda: lambda.clone(), scope, of_ruby: None };
        let taken = args.len().min(block.arity().1);
        self.apply(&block, &args[..taken], at)
    }

    /// The title of an invariant, with the features of the object.
    pub(super) fn title(&mut self, title: &Expr, object: &Arc<Object>) -> Run {
        let scope = self.scopes.add(Scope::new(Owner::Body, None, None));
        let frame = Frame { object: Some(object.clone()), ..Frame::default() };
        self.program.arm.frames.insert(scope, frame);
        let done = self.eval(title, scope);
        self.program.arm.frames.remove(&scope);
        done
    }

    /// Functions that only code of types has; each is another name for one that all have.
    pub fn function_of_body(&mut self, name: &str, call: &Call) -> Option<Run> {
        let name = match name {
            "select" => "filter",
            "collect" => "map",
            "reject" => "partition",
            _ => return None,
        };
        let (args, block) = (call.args.clone(), call.block.clone());
        let done = self.call(Call { name: name.into(), args, block, scope: call.scope, span: call.span });
        if name != "partition" {
            return Some(done);
        }
        Some(done.map(|parts| match (&parts, call.args.first()) {
            (Value::Array(parts), Some(Value::Hash(_))) => pairs(parts.get(1)),
            (Value::Array(parts), _) => parts.get(1).cloned().unwrap_or(Value::Undef),
            _ => parts,
        }))
    }

    /// The type that a collector or defaults name: where a type with features has the name of a resource type, that one.
    pub fn catalog_type(&mut self, expr: &Expr, scope: ScopeId) -> Run {
        let value = self.eval(expr, scope)?;
        Ok(match &value {
            Value::Type(ty) => match super::of(ty) {
                Some(model) => Value::Type(Type::Resource(Some(model.name.to_lowercase().into()), None).into()),
                None => value,
            },
            _ => value,
        })
    }

    /// A variable inside of a body: its own, or a feature.
    pub fn body_variable(&mut self, body: ScopeId, name: &str, scope: ScopeId, span: Span) -> Run {
        if !name.contains("::") {
            if let Some(value) = self.scopes.lookup(scope, name) {
                return Ok(value);
            }
            if let Some((object, index, is_own)) = self.program.feature_of(body, name) {
                return match (is_own, &object.arm) {
                    (true, Some(instance)) => {
                        let member = instance.model.members[index].clone();
                        Ok(instance.get(index).unwrap_or_else(|| super::set::absent(&member)))
                    }
                    _ => self.read_feature(&object, index, span),
                };
            }
        }
        fail(span, IssueName::UnknownVariable, format!("Unknown variable: '{name}'."))
    }

    /// An assignment that sets a feature; `None` for any other one.
    pub fn assign_feature(&mut self, op: AssignOp, left: &Expr, right: &Expr, scope: ScopeId) -> Run<Option<Value>> {
        let appends = op == AssignOp::Append;
        match &left.kind {
            Kind::Access(target, keys) => {
                let (Kind::Var(_), [key]) = (&target.kind, &keys[..]) else { return illegal_index(left) };
                let Value::Object(object) = self.eval(target, scope)? else { return illegal_index(left) };
                if object.arm.is_none() {
                    return illegal_index(left);
                }
                let name = crate::lang::puppet::convert::string(&self.eval(key, scope)?);
                let value = self.eval(right, scope)?;
                self.set_named(&object, &name, value.clone(), appends, left.span)?;
                Ok(Some(value))
            }
            Kind::Var(name) => {
                let Some(body) = self.scopes.body_around(&self.program, scope) else { return Ok(None) };
                let is_set = self.program.arm.frames.get(&body).is_some_and(|frame| frame.is_set);
                if !is_set || self.scopes.lookup(scope, name).is_some() {
                    return Ok(None);
                }
                let Some((object, index, is_own)) = self.program.feature_of(body, name) else { return Ok(None) };
                let value = self.eval(right, scope)?;
                let old = if appends { self.body_variable(body, name, scope, left.span)? } else { Value::Undef };
                let new = if appends { added(old, value.clone()) } else { value.clone() };
                if is_own {
                    self.store_feature(&object, index, new, left.span)?;
                    if let Some(frame) = self.program.arm.frames.get_mut(&body) {
                        frame.has_assigned = true;
                    }
                } else {
                    self.set_feature(&object, index, new, By::Type, left.span)?;
                }
                Ok(Some(value))
            }
            _ => Ok(None),
        }
    }
}

impl Scopes {
    /// The body that a scope is in.
    pub fn body_around(&self, program: &Program, scope: ScopeId) -> Option<ScopeId> {
        if program.arm.frames.is_empty() {
            return None;
        }
        let mut at = Some(scope);
        while let Some(id) = at {
            match self.get(id).owner {
                Owner::Body => return Some(id),
                Owner::Local => at = self.get(id).parent,
                _ => return None,
            }
        }
        None
    }
}

impl Program {
    /// `$meta` of a feature.
    pub(super) fn meta(&mut self, member: &Member) -> Value {
        self.meta_of(member.name(), &member.owner)
    }

    pub(super) fn meta_of(&mut self, name: &Text, owner: &Text) -> Value {
        let container = self.arm.models.get(owner.to_lowercase().as_str()).map(|(_, ty)| ty.clone());
        let mut map = Map::default();
        map.insert(Value::str("name"), Value::Str(name.clone()));
        map.insert(Value::str("container"), container.map_or(Value::Undef, Value::Type));
        Value::hash(map)
    }

    fn feature_of(&self, body: ScopeId, name: &str) -> Option<(Arc<Object>, usize, bool)> {
        let frame = self.arm.frames.get(&body)?;
        let object = frame.object.as_ref()?;
        let index = object.arm.as_ref()?.model.find(name)?;
        Some((object.clone(), index, frame.own == Some(index)))
    }
}

/// A hash of pairs.
fn pairs(list: Option<&Value>) -> Value {
    let Some(Value::Array(list)) = list else { return Value::hash(Map::default()) };
    let pairs = list.iter().filter_map(|pair| match pair {
        Value::Array(pair) => Some((pair.first()?.clone(), pair.get(1)?.clone())),
        _ => None,
    });
    Value::hash(pairs.collect())
}

fn illegal_index<V>(left: &Expr) -> Run<V> {
    let message = "Illegal attempt to assign via [index/key]. Not an assignable reference";
    fail(left.span, IssueName::IllegalIndexedAssignment, message)
}

/// Refuses code that assigns inherited features where it may not; features of its own are known when it is validated.
pub(super) fn check_assignments(model: &Model) -> Run<()> {
    if model.parent.is_none() {
        return Ok(());
    }
    let own: Vec<&Text> = model.definition.features().map(|feature| &feature.name).collect();
    let is_inherited = |name: &Text| model.find(name).is_some() && !own.contains(&name);
    let find = |logic: &Logic, is_set: bool| -> Run<()> {
        let mut found = Vec::new();
        assignments(logic, &mut found);
        for (op, left, name) in found {
            let is_feature = model.find(&name).is_some();
            if !is_set && is_inherited(&name) {
                return fail(
                    left.span,
                    IssueName::ArmIllegalAssignment,
                    format!("The feature '{name}' cannot be assigned here"),
                );
            }
            if is_set && op != AssignOp::Set && !is_feature {
                let message = format!("The operator '{}' is for features, and '{name}' is none", op.as_str());
                return fail(left.span, IssueName::AppendsDeletesNoLongerSupported, message);
            }
        }
        Ok(())
    };
    for feature in model.definition.features() {
        for setting in &feature.settings {
            find(&setting.value, &*setting.name == "set")?;
        }
    }
    for statement in &model.definition.statements {
        if let crate::lang::puppet::ast::arm::Statement::Invariant(invariant) = statement {
            find(&invariant.check, false)?;
        }
    }
    Ok(())
}

/// The variables that code assigns and that are not its own parameters, in order.
pub fn assignments<'e>(logic: &'e Logic, out: &mut Vec<(AssignOp, &'e Expr, Text)>) {
    let mut hidden: Vec<Text> = logic.params().iter().map(|param| param.name.clone()).collect();
    find_assignments(logic.body(), &mut hidden, out);
}

fn find_assignments<'e>(expr: &'e Expr, hidden: &mut Vec<Text>, out: &mut Vec<(AssignOp, &'e Expr, Text)>) {
    if let Kind::Assign(op, left, _) = &expr.kind {
        let mut targets = vec![&**left];
        while let Some(target) = targets.pop() {
            match &target.kind {
                Kind::Var(name) if !hidden.contains(name) => out.push((*op, target, name.clone())),
                Kind::Array(list) => targets.extend(list.iter().rev()),
                _ => {}
            }
        }
    }
    for inner in expr.children() {
        find_assignments(inner, hidden, out);
    }
    let lambda = match &expr.kind {
        Kind::Call(call) => call.lambda.as_ref(),
        Kind::Lambda(lambda) => Some(lambda),
        _ => None,
    };
    if let Some(lambda) = lambda {
        let before = hidden.len();
        hidden.extend(lambda.params.iter().map(|param| param.name.clone()));
        find_assignments(&lambda.body, hidden, out);
        hidden.truncate(before);
    }
}

/// `T[name]` of a type with features, as `$meta[container]` holds it.
pub fn name_of_type(ty: &types::Ty, keys: &[Value]) -> Option<Value> {
    match (&**ty, keys) {
        (Type::Object(Some(object)), [Value::Str(key)]) if object.arm.is_some() && &**key == "name" => {
            object.name.clone().map(Value::Str)
        }
        _ => None,
    }
}
