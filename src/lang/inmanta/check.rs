//! Checks values against types. The condition of a type is evaluated at once, without the scheduler.

use std::cell::Cell;
use std::sync::Arc;

use super::ast::{Kind, NodeId};
use super::define::{Info, Program};
use super::error::{Class, Raise, Result};
use super::names::Sym;
use super::operators;
use super::pattern::Pattern;
use super::pystr::{self, Instances};
use super::types::{EntityId, Ty};
use super::value::{InstanceId, Value, is_true};
use crate::source::Span;

/// What a check needs to know of instances.
pub trait Model: Instances {
    fn entity_of(&self, instance: InstanceId) -> Option<EntityId>;

    /// Asks the worker for a plugin in the condition of a type. `None` where plugins do not run.
    fn ask(&self, _program: &Program, _request: &Arc<str>) -> Option<std::result::Result<String, String>> {
        None
    }

    /// Notes a plugin in the condition of a type that did not run.
    fn not_run(&self, _plugin: u32, _place: Span) {}
}

/// Calls a plugin, by its number in the program, in the condition of a type. `None` if it did not run.
pub type DirectCall = fn(&Program, u32, Vec<Value>, Vec<(Arc<str>, Value)>, Span, &dyn Model) -> Result<Option<Value>>;

/// Before the model runs there are no instances.
impl Model for pystr::NoInstances {
    fn entity_of(&self, _: InstanceId) -> Option<EntityId> {
        None
    }
}

/// Whether a value is of a type. What is unknown is of every type.
pub fn validate(program: &Program, ty: &Ty, value: &Value, model: &dyn Model) -> Result<()> {
    let wrong = |class: Class| {
        let text = pystr::str(value, model);
        let expected = program.type_text(ty);
        let remedy = remedy(&text, value, ty, &expected);
        Err(Raise::new(class, format!("Invalid value '{text}', expected {expected}")).with_remedy(remedy))
    };
    if value.is_unknown() {
        return Ok(());
    }
    let fits = match ty {
        Ty::Str => matches!(value, Value::Str(_)),
        Ty::Float => matches!(value, Value::Float(_)),
        Ty::Number => value.is_number(),
        Ty::Int => matches!(value, Value::Int(_) | Value::Big(_) | Value::Bool(_)),
        Ty::Bool => matches!(value, Value::Bool(_)),
        Ty::Any => true,
        Ty::AnyDict => matches!(value, Value::Dict(_)),
        Ty::AnyList => {
            return if matches!(value, Value::List(_)) { Ok(()) } else { wrong(Class::Typing) };
        }
        Ty::LiteralList | Ty::List(_) => {
            let Value::List(items) = value else { return wrong(Class::Typing) };
            for item in items.iter() {
                match ty {
                    Ty::List(inner) => validate(program, inner, item, model)?,
                    _ => literal(item, model)?,
                }
            }
            true
        }
        Ty::LiteralDict => {
            let Value::Dict(dict) = value else { return wrong(Class::WrongValue) };
            for (_, item) in &dict.items {
                literal(item, model)?;
            }
            true
        }
        Ty::Nullable(inner) => {
            return if matches!(value, Value::Null) { Ok(()) } else { validate(program, inner, value, model) };
        }
        Ty::Entity(wanted) => {
            let Value::Instance(instance) = value else {
                let (text, full) = (pystr::str(value, model), program.entity_name(*wanted));
                let message = format!("Invalid type for value '{text}', should be type {full}");
                let raise = Raise::new(Class::Runtime, message);
                let name = full.rsplit("::").next().unwrap_or_default();
                return Err(match value {
                    Value::List(_) => raise.with_help(format!("pass one `{name}`, without brackets")),
                    _ => raise.with_help(format!("pass an instance of `{full}`")),
                });
            };
            if model.entity_of(*instance).is_some_and(|entity| program.is_subclass(entity, *wanted)) {
                return Ok(());
            }
            let full = program.entity_name(*wanted);
            let message = format!("Invalid class type for {}, should be {full}", model.long(*instance));
            return Err(Raise::new(Class::Runtime, message));
        }
        Ty::Typedef(id) => {
            let typedef = &program.typedefs[id.0 as usize];
            validate(program, &typedef.base, value, model)?;
            let direct = Direct { program, model, is_open: Cell::new(false) };
            let result = direct.run(typedef.condition, &mut vec![(program.self_name, value.clone())]);
            if direct.is_open.get() || is_true(&result?) {
                return Ok(());
            }
            let (text, condition) = (pystr::repr(value, model), program.written(typedef.condition));
            let message = format!("Invalid value {text}, does not match constraint `{condition}`");
            let pattern = condition.strip_prefix('/').filter(|pattern| pattern.len() > 1 && pattern.ends_with('/'));
            let from_start = match pattern {
                Some(pattern) if !pattern.starts_with(['^', '.']) => {
                    "; the expression has to match from the beginning of the text"
                }
                _ => "",
            };
            let remedy = format!("write a value for which `{condition}` is true{from_start}");
            return Err(Raise::at(Class::WrongValue, typedef.span, message).with_remedy(remedy));
        }
    };
    match value {
        _ if fits => Ok(()),
        Value::Null => {
            let ty = program.type_text(ty);
            wrong(Class::WrongValue).map_err(|raise| raise.with_help(format!("only the type `{ty}?` takes null")))
        }
        _ => wrong(Class::WrongValue),
    }
}

/// What to write in place of a value of another type.
fn remedy(text: &str, value: &Value, ty: &Ty, expected: &str) -> String {
    match (value, ty) {
        (Value::Str(_), Ty::Int | Ty::Float | Ty::Number) if text.parse::<f64>().is_ok() => {
            format!("write the number without quotes: `{text}`")
        }
        (Value::Str(_), Ty::Bool) if matches!(text.to_lowercase().as_str(), "true" | "false") => {
            format!("write it without quotes: `{}`", text.to_lowercase())
        }
        (Value::Str(_), Ty::List(_)) if text.contains(['"', '\\', '\n', '\r']) => "write a list: `[VALUE]`".to_string(),
        (Value::Str(_), Ty::List(_)) => format!("write a list: `[\"{text}\"]`"),
        (Value::Int(_) | Value::Float(_), Ty::Str) => format!("put it into quotes: `\"{text}\"`"),
        (Value::Int(_) | Value::Float(_), Ty::List(_)) => format!("write a list: `[{text}]`"),
        _ => format!("write a value of type `{expected}`, or change the declared type"),
    }
}

/// Whether a value may stand in a list or a dictionary attribute: anything but instances.
fn literal(value: &Value, model: &dyn Model) -> Result<()> {
    let inner: Box<dyn Iterator<Item = &Value>> = match value {
        Value::Instance(_) => {
            let message = format!("Invalid value '{}', expected a literal value", pystr::str(value, model));
            return Err(Raise::new(Class::Typing, message));
        }
        Value::List(items) => Box::new(items.iter()),
        Value::Dict(dict) => Box::new(dict.items.iter().map(|(_, value)| value)),
        _ => return Ok(()),
    };
    for item in inner {
        literal(item, model)?;
    }
    Ok(())
}

/// Evaluates an expression at once.
struct Direct<'a> {
    program: &'a Program,
    model: &'a dyn Model,
    /// Whether the result depends on a plugin that did not run.
    is_open: Cell<bool>,
}

/// The number of the unknown that a direct evaluation makes.
const UNKNOWN: Value = Value::Unknown(u32::MAX);

impl Direct<'_> {
    fn run(&self, node: NodeId, names: &mut Vec<(Sym, Value)>) -> Result<Value> {
        let program = self.program;
        let span = program.ast.span(node);
        match program.ast.kind(node) {
            Kind::Literal(value) => Ok(value.clone()),
            Kind::Name(sym) => {
                let found = names.iter().rev().find(|(name, _)| name == sym).map(|(_, value)| value.clone());
                found.ok_or_else(|| {
                    let name = program.text(*sym);
                    let message = format!("Unable to resolve `{name}`: a type constraint can not reference variables.");
                    let help = format!("write `self` for the value that is checked, in place of `{name}`");
                    Raise::at(Class::NotFound, span, message).with_edit(span).with_help(help)
                })
            }
            Kind::List(items) => {
                let mut values = Vec::with_capacity(items.len());
                for item in items {
                    match self.run(*item, names)? {
                        Value::List(inner) => values.extend(inner.iter().cloned()),
                        value => values.push(value),
                    }
                }
                Ok(Value::list(values))
            }
            Kind::Dict(items) => {
                let mut values = Vec::with_capacity(items.len());
                for (key, item) in items {
                    values.push((key.clone(), self.run(*item, names)?));
                }
                Ok(Value::dict(values))
            }
            Kind::Binary { operator, left, right } => {
                let left = self.run(*left, names)?;
                let right = self.run(*right, names)?;
                operators::binary(*operator, &left, &right, span, UNKNOWN, self.model)
            }
            Kind::Regex { pattern, of } => {
                let value = self.run(*of, names)?;
                operators::matches(&Pattern::new(pattern), &value, span, UNKNOWN, self.model)
            }
            Kind::Not(inner) => operators::not(&self.run(*inner, names)?, span, UNKNOWN, self.model),
            Kind::And(left, right) | Kind::Or(left, right) => {
                let is_and = matches!(program.ast.kind(node), Kind::And(..));
                let first = operators::side(&self.run(*left, names)?, is_and, true, span, self.model)?;
                if first != is_and {
                    return Ok(Value::Bool(first));
                }
                let second = self.run(*right, names)?;
                Ok(Value::Bool(operators::side(&second, is_and, false, span, self.model)?))
            }
            Kind::Conditional { condition, yes, no } => match self.run(*condition, names)? {
                Value::Unknown(_) => Ok(UNKNOWN),
                Value::Bool(flag) => self.run(if flag { *yes } else { *no }, names),
                other => Err(operators::no_bool(
                    &other,
                    "the condition for a conditional expression must be",
                    span,
                    self.model,
                )),
            },
            Kind::Comprehension { element, variable, list, guard } => {
                let items = match self.run(*list, names)? {
                    Value::List(items) => items,
                    Value::Unknown(_) => return Ok(UNKNOWN),
                    _ => {
                        let message = "A list comprehension in a direct execute context can only be applied to lists";
                        return Err(Raise::at(Class::Typing, span, message));
                    }
                };
                let mut values = Vec::new();
                for item in items.iter() {
                    names.push((*variable, item.clone()));
                    let passes = match guard {
                        None => Value::Bool(true),
                        Some(guard) => self.run(*guard, names)?,
                    };
                    match passes {
                        Value::Bool(true) => values.push(self.run(*element, names)?),
                        Value::Bool(false) => {}
                        other => {
                            let what = "the guard condition for a list comprehension must be";
                            return Err(operators::no_bool(&other, what, span, self.model));
                        }
                    }
                    names.pop();
                }
                Ok(Value::list(values))
            }
            Kind::Call { positional, arguments, .. } => {
                let mut values = Vec::with_capacity(positional.len());
                for argument in positional {
                    values.push(self.run(*argument, names)?);
                }
                let mut named = Vec::new();
                for (word, argument) in &arguments.named {
                    named.push((program.names.shared(word.sym), self.run(*argument, names)?));
                }
                if !arguments.spread.is_empty() {
                    return Err(self.not_here(node));
                }
                match program.info(node) {
                    Info::Cast(to) => operators::cast(to, &values, !named.is_empty(), span, self.model),
                    Info::Plugin(id) => {
                        let value = (program.call_direct)(program, id, values, named, span, self.model)?;
                        self.is_open.set(self.is_open.get() || value.is_none());
                        Ok(value.unwrap_or(UNKNOWN))
                    }
                    _ => Err(self.not_here(node)),
                }
            }
            _ => Err(self.not_here(node)),
        }
    }

    fn not_here(&self, node: NodeId) -> Box<Raise> {
        let message = "The statement can not be executed in this context: a type is checked without waiting for others";
        Raise::at(Class::DirectExecute, self.program.ast.span(node), message)
    }
}
