//! One call of a Python plugin: its arguments are checked, the worker is asked, its result is checked.

use std::sync::Arc;

use serde_json::{Map, Value as Json, json};

use super::super::ast::NodeId;
use super::super::check::validate;
use super::super::error::{Class, Raise, Result};
use super::super::pystr;
use super::super::run::{Flow, Machine, Run, ScopeId};
use super::super::types::Ty;
use super::super::value::{InstanceId, Value};
use super::sent::{from_json, to_json};
use super::signature::Signature;
use crate::diag::Code;

/// How often one call may ask for more attributes.
const MOST_NEEDS: u32 = 10_000;

type Named<'v> = &'v [(Arc<str>, Value)];

/// Calls a plugin of the model.
pub fn call(
    machine: &mut Machine,
    plugin: u32,
    signature: u32,
    values: &[Value],
    named: Named,
    (node, scope): (NodeId, ScopeId),
) -> Run<Value> {
    let program = machine.program;
    let signature = &program.signatures[signature as usize];
    let place = program.ast.span(node);
    let is_unknown = bind(signature, values, named, machine)?;
    if is_unknown && !signature.allow_unknown {
        return Ok(machine.unknown());
    }
    let wrong = |class: Class, reason: &str| {
        Flow::from(Raise::at(class, place, format!("Exception in plugin {}: {reason}", signature.full)))
    };
    let arguments: Vec<Json> = values.iter().map(|value| to_json(value, machine)).collect();
    let by_name: Vec<Json> = named.iter().map(|(name, value)| json!([&**name, to_json(value, machine)])).collect();
    let mut known = Map::new();
    for _ in 0..MOST_NEEDS {
        let request = json!({
            "function": signature.function, "arguments": arguments, "named": by_name, "known": known, "site": node.0,
        });
        let request: Arc<str> = request.to_string().into();
        let answer = machine.context.plugin(&program.described.modules, &request);
        let Some(answer) = answer.map_err(|reason| wrong(Class::External, &reason))? else {
            return Ok(machine.plugin_not_run(plugin, place));
        };
        let answer: Json = serde_json::from_str(&answer).map_err(|error| wrong(Class::External, &error.to_string()))?;
        if let Some(value) = answer.get("value") {
            let value = from_json(value, machine, scope, node)?;
            let value = value.ok_or_else(|| wrong(Class::External, "its result is no value of the language"))?;
            return Ok(checked(signature, value, machine)?);
        }
        if let Some(raised) = answer.get("raised") {
            let text = |name: &str| raised.get(name).and_then(Json::as_str).unwrap_or_default().to_string();
            let is_explicit = raised.get("explicit").and_then(Json::as_bool) == Some(true);
            let class = if is_explicit { Class::ExplicitPlugin } else { Class::External };
            return Err(wrong(class, &format!("{}: {}", text("class"), text("text"))));
        }
        match answer.get("needs").and_then(Json::as_array).map(Vec::as_slice) {
            Some([Json::Number(id), Json::String(name)]) => {
                let id = id.as_u64().and_then(|id| u32::try_from(id).ok());
                let id = id.filter(|id| (*id as usize) < machine.instances.len());
                let Some(id) = id else { return Err(wrong(Class::External, "it reads an instance that is not there")) };
                if !add_known(&mut known, InstanceId(id), name, machine)? {
                    return Ok(machine.unknown());
                }
            }
            _ => {
                let reason = answer.get("refused").and_then(Json::as_str).unwrap_or("its answer cannot be read");
                return Err(wrong(Class::External, reason));
            }
        }
    }
    Err(wrong(Class::External, "it reads too many attributes one by one"))
}

/// Adds what is known of an instance to a call; the call waits if the attribute has no value yet. False where it is unknown.
fn add_known(known: &mut Map<String, Json>, id: InstanceId, name: &str, machine: &Machine) -> Run<bool> {
    let missing = || {
        let ty = machine.program.entity_name(machine.instances[id.0 as usize].entity);
        Raise::new(Class::NotFound, format!("could not find attribute with name: {name} in type {ty}"))
    };
    let sym = machine.program.names.find(name).ok_or_else(missing)?;
    let var = machine.attribute_var(id, sym)?;
    match machine.peek(var) {
        None => return Err(Flow::Unset(vec![var])),
        Some(Value::Unknown(_)) => return Ok(false),
        Some(Value::Null) if machine.is_optional_relation(var) => {
            let message = format!("Optional variable accessed that has no value (attribute `{name}`)");
            return Err(Raise::new(Class::OptionalValue, message).into());
        }
        Some(_) => {}
    }
    // The others that are there too: the next one that it reads need not be asked for.
    let attributes = machine.attributes_of(id).filter_map(|(name, _, var)| {
        let value = machine.peek(var).filter(|value| !value.is_unknown())?;
        let is_empty = matches!(value, Value::Null) && machine.is_optional_relation(var);
        (!is_empty).then(|| (machine.program.text(name).to_string(), to_json(value, machine)))
    });
    known.insert(id.0.to_string(), Json::Object(attributes.collect()));
    Ok(true)
}

/// Checks arguments, with Python's messages. Gives whether one is not known.
fn bind(signature: &Signature, values: &[Value], named: Named, machine: &Machine) -> Result<bool> {
    let full = &signature.full;
    let arguments: Vec<&str> = signature.parameters.iter().map(|parameter| &*parameter.name).collect();
    let help = format!("call it as `{full}({})`", arguments.join(", "));
    let wrong = |message: String| {
        Err(Raise::new(Class::Runtime, message).with_code(Code::ArgumentCount).with_help(help.clone()))
    };
    let by_place: Vec<_> = signature.parameters.iter().filter(|parameter| !parameter.only_named).collect();
    if signature.more.is_none() && values.len() > by_place.len() {
        let count = by_place.len();
        return wrong(format!("{full}() takes {count} positional arguments but {} were given", values.len()));
    }
    // A misspelled name is the cause of a missing argument.
    let known = || signature.parameters.iter().map(|parameter| &*parameter.name);
    if signature.named.is_none()
        && let Some((name, _)) = named.iter().find(|(name, _)| !known().any(|known| *known == **name))
    {
        let message = format!("{full}() got an unexpected keyword argument: '{name}'");
        let mut raise = Raise::new(Class::Runtime, message).with_code(Code::UnknownParameter);
        raise.help = Some(match crate::diag::nearest(name, known()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("its arguments are {}", known().collect::<Vec<_>>().join(", ")),
        });
        return Err(raise);
    }
    let is_given = |name: &str| named.iter().any(|(other, _)| **other == *name);
    let missing: Vec<String> = signature
        .parameters
        .iter()
        .enumerate()
        .filter(|(at, parameter)| {
            let by_place = !parameter.only_named && *at < values.len();
            !parameter.is_optional && !by_place && !is_given(&parameter.name)
        })
        .map(|(_, parameter)| format!("'{}'", parameter.name))
        .collect();
    match missing.split_last() {
        None => {}
        Some((last, [])) => return wrong(format!("{full}() missing 1 required positional argument: {last}")),
        Some((last, rest)) => {
            let names = format!("{} and {last}", rest.join(", "));
            return wrong(format!("{full}() missing {} required positional arguments: {names}", missing.len()));
        }
    }
    let mut is_unknown = false;
    let mut check = |name: &str, ty: &Ty, value: &Value| {
        is_unknown |= value.is_unknown();
        if value.is_unknown() { Ok(()) } else { argument(full, name, ty, value, machine) }
    };
    for (at, value) in values.iter().enumerate() {
        match (by_place.get(at), &signature.more) {
            (Some(parameter), _) if is_given(&parameter.name) => {
                return wrong(format!("{full}() got multiple values for argument '{}'", parameter.name));
            }
            (Some(parameter), _) => check(&parameter.name, &parameter.ty, value)?,
            (None, Some(ty)) => check("args", ty, value)?,
            (None, None) => {}
        }
    }
    for (name, value) in named {
        match (signature.parameters.iter().find(|parameter| *parameter.name == **name), &signature.named) {
            (Some(parameter), _) => check(name, &parameter.ty, value)?,
            (None, Some(ty)) => check(name, ty, value)?,
            (None, None) => return wrong(format!("{full}() got an unexpected keyword argument: '{name}'")),
        }
    }
    Ok(is_unknown)
}

fn argument(full: &str, name: &str, ty: &Ty, value: &Value, machine: &Machine) -> Result<()> {
    validate(machine.program, ty, value, machine).map_err(|cause| {
        let message = format!(
            "Value {} for argument {name} of plugin {full} has incompatible type. Expected type: {}",
            pystr::repr(value, machine),
            machine.program.type_text(ty)
        );
        Raise::new(Class::PluginType, message).with_cause(cause)
    })
}

/// Checks what a plugin gives.
fn checked(signature: &Signature, value: Value, machine: &Machine) -> Result<Value> {
    if value.is_unknown() {
        return Ok(value);
    }
    validate(machine.program, &signature.returns, &value, machine).map(|()| value.clone()).map_err(|cause| {
        let message = format!(
            "Return value {} of plugin {} has incompatible type. Expected type: {}",
            pystr::str(&value, machine),
            signature.full,
            machine.program.type_text(&signature.returns)
        );
        Raise::new(Class::PluginType, message).with_cause(cause)
    })
}
