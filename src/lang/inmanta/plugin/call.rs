//! One call of a Python plugin: its arguments are checked, the worker is asked, its result is checked.

use std::path::PathBuf;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value as Json, json};

use super::super::ast::NodeId;
use super::super::check::{Model, validate};
use super::super::define::Program;
use super::super::error::{Class, Raise, Result};
use super::super::pystr;
use super::super::run::{Flow, Machine, Run, ScopeId, VarId};
use super::super::types::Ty;
use super::super::value::{InstanceId, Value};
use super::sent::{from_json, graph_value, plain, plain_value, to_json};
use super::signature::Signature;
use crate::diag::Code;
use crate::graph;
use crate::source::Span;

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
    let is_reference = |value: &Value| machine.reference_key(value).is_some();
    let is_unknown = bind(signature, values, named, (program, machine))?
        && values
            .iter()
            .chain(named.iter().map(|(_, value)| value))
            .any(|value| value.is_unknown() && !is_reference(value));
    if !program.described.runs() {
        return Ok(machine.plugin_not_run(plugin, place));
    }
    if is_unknown && !signature.allow_unknown {
        return Ok(machine.unknown());
    }
    let wrong = |class: Class, reason: &str| {
        Flow::from(Raise::at(class, place, format!("Exception in plugin {}: {reason}", signature.full)))
    };
    let arguments: Vec<Json> = values.iter().map(|value| to_json(value, machine)).collect();
    let by_name: Vec<Json> = named.iter().map(|(name, value)| json!([&**name, to_json(value, machine)])).collect();
    let request = json!({
        "function": signature.function, "arguments": arguments, "named": by_name, "site": node.0,
        "namespace": program.ns(program.ast.node(node).ns).name,
    });
    let answer = match ask(machine, request, Some(scope))? {
        Reply::Answer(answer) => answer,
        Reply::NotRun => return Ok(machine.plugin_not_run(plugin, place)),
        Reply::Failed(reason) => return Err(wrong(Class::External, &reason)),
    };
    if let Some(value) = answer.get("value") {
        let value = from_json(value, machine, scope, node)?;
        let value = value.ok_or_else(|| wrong(Class::External, "its result is no value of the language"))?;
        return Ok(checked(signature, value, (program, machine))?);
    }
    let raised = answer.get("raised").and_then(|raised| Raised::deserialize(raised).ok());
    let Some(raised) = raised else { return Err(wrong(Class::External, "its answer cannot be read")) };
    let class = if raised.explicit { Class::ExplicitPlugin } else { Class::External };
    let mut raise = Raise::at(class, place, format!("Exception in plugin {}: {}", signature.full, raised.words()));
    raise.related.extend(raised.place(machine).map(|place| (place, "raised here".to_owned())));
    raise.help = raised.help();
    if let (Some(place), Some(help)) = (raised.place(machine), raised.slip(machine)) {
        raise.edit = Some(place);
        raise.help = Some(help);
    }
    Err(raise.into())
}

/// Calls a plugin in the condition of a type: it sees values only. `None` if it did not run.
pub fn call_direct(
    program: &Program,
    (plugin, signature): (u32, Option<&Signature>),
    values: &[Value],
    named: Named,
    place: Span,
    model: &dyn Model,
) -> Result<Option<Value>> {
    let Some(signature) = signature else {
        model.not_run(plugin, place);
        return Ok(None);
    };
    let is_unknown = bind(signature, values, named, (program, model))?;
    if !program.described.runs() {
        model.not_run(plugin, place);
        return Ok(None);
    }
    if is_unknown {
        return Err(Raise::at(Class::Runtime, place, "Received unknown value during direct execution"));
    }
    let arguments: Vec<Json> = values.iter().map(plain).collect();
    let by_name: Vec<Json> = named.iter().map(|(name, value)| json!([&**name, plain(value)])).collect();
    let request = json!({ "function": signature.function, "arguments": arguments, "named": by_name, "known": {} });
    let wrong = |class: Class, reason: &str| {
        Raise::at(class, place, format!("Exception in plugin {}: {reason}", signature.full))
    };
    let answer = match model.ask(program, &request.to_string().into()) {
        None => {
            model.not_run(plugin, place);
            return Ok(None);
        }
        Some(Err(reason)) => return Err(wrong(Class::External, &reason)),
        Some(Ok(answer)) => serde_json::from_str::<Json>(&answer),
    };
    let answer = answer.map_err(|error| wrong(Class::External, &error.to_string()))?;
    if let Some(value) = answer.get("value") {
        let value = plain_value(value).ok_or_else(|| wrong(Class::External, "its result is no plain value"))?;
        return checked(signature, value, (program, model)).map(Some);
    }
    Err(match answer.get("raised").and_then(|raised| Raised::deserialize(raised).ok()) {
        Some(raised) => {
            let class = if raised.explicit { Class::ExplicitPlugin } else { Class::External };
            wrong(class, &raised.words())
        }
        None => wrong(Class::External, "it reads the model, which the condition of a type cannot do"),
    })
}

/// The outcome of a request to the worker.
enum Reply {
    /// Plugins may not run.
    NotRun,
    Answer(Json),
    Failed(String),
}

/// An exception of Python.
#[derive(Deserialize)]
struct Raised {
    explicit: bool,
    class: String,
    text: String,
    file: Option<PathBuf>,
    line: Option<u32>,
    /// The package that it misses.
    missing: Option<String>,
    install: String,
}

impl Raised {
    fn words(&self) -> String {
        format!("{}: {}", self.class, self.text)
    }

    fn place(&self, machine: &Machine) -> Option<Span> {
        machine.program.described.place(self.file.as_deref()?, self.line?, machine.sources)
    }

    /// What to write where the Python code itself has a wrong name, so that no argument can repair the call. Only
    /// Python's own words count: a module may raise such an exception with others.
    fn slip(&self, machine: &Machine) -> Option<String> {
        if let Some(help) = self.missing_value(machine) {
            return Some(help);
        }
        let quoted: Vec<&str> = self.text.split('\'').collect();
        let name = match (&*self.class, &quoted[..]) {
            ("AttributeError", [owner @ ("module " | "type object "), of, " has no attribute ", name, ""]) => {
                let help = format!("write another attribute in place of `{name}`: {owner}'{of}' has none of that name");
                return Some(help);
            }
            ("NameError", ["name ", name, " is not defined"])
            | (
                "NameError" | "UnboundLocalError",
                ["cannot access local variable " | "cannot access free variable ", name, _],
            )
            | ("UnboundLocalError", ["local variable ", name, _]) => *name,
            _ => return None,
        };
        let file = machine.sources.file(self.place(machine)?.file);
        let words = file.text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| *word != name);
        Some(match crate::diag::nearest(name, words) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("define or import `{name}` in this file"),
        })
    }

    /// What to write where the Python code reads what is not there: a key, an element, a quotient by zero. An exception
    /// that the code itself raises is meant for the caller.
    fn missing_value(&self, machine: &Machine) -> Option<String> {
        let place = self.place(machine)?;
        let text = &machine.sources.file(place.file).text;
        let line = text.get(place.range())?;
        if line.trim_start().starts_with("raise") {
            return None;
        }
        match &*self.class {
            "KeyError" if line.contains('[') => {
                let key = self.text.trim_matches(['\'', '"']);
                Some(format!("the key `{key}` is missing: add it, or pass another argument to the plugin"))
            }
            "IndexError" if line.contains('[') => {
                Some("the index is outside: ask the length first, or pass another argument to the plugin".into())
            }
            "ZeroDivisionError" => Some("ask whether the divisor is 0 first, or pass another argument".into()),
            _ => None,
        }
    }

    fn help(&self) -> Option<String> {
        let package = self.missing.as_ref()?;
        Some(format!("`{} {package}` installs the package", self.install))
    }
}

/// Asks the worker, and sends along what it needs of the model.
fn ask(machine: &Machine, mut request: Json, scope: Option<ScopeId>) -> Run<Reply> {
    let mut known = Map::new();
    for _ in 0..MOST_NEEDS {
        request["known"] = Json::Object(known.clone());
        let text: Arc<str> = request.to_string().into();
        let answer = match machine.context.plugin(&machine.program.described.modules, &text) {
            Ok(Some(answer)) => answer,
            Ok(None) => return Ok(Reply::NotRun),
            Err(reason) => return Ok(Reply::Failed(reason)),
        };
        let answer: Json = match serde_json::from_str(&answer) {
            Ok(answer) => answer,
            Err(error) => return Ok(Reply::Failed(error.to_string())),
        };
        match answer.get("needs").and_then(Json::as_array).map(Vec::as_slice) {
            Some([Json::Number(id), Json::String(name)]) => {
                let id = id.as_u64().and_then(|id| u32::try_from(id).ok());
                let id = id.filter(|id| (*id as usize) < machine.instances.len());
                let Some(id) = id else { return Ok(Reply::Failed("it reads an instance that is not there".into())) };
                add_known(&mut known, InstanceId(id), name, machine)?;
            }
            Some([Json::String(what), Json::String(name)]) if what == "types" => {
                let Some(about) = entity(name, machine) else {
                    return Ok(Reply::Failed(format!("there is no entity {name}")));
                };
                insert(&mut known, "types", name, about);
            }
            Some([Json::String(_), Json::String(name)]) => {
                let value = variable(name, scope, machine)?;
                insert(&mut known, "scope", name, value);
            }
            _ => {
                return Ok(match answer.get("refused").and_then(Json::as_str) {
                    Some(reason) => Reply::Failed(reason.to_owned()),
                    None => Reply::Answer(answer),
                });
            }
        }
    }
    Ok(Reply::Failed("it reads too many attributes one by one".into()))
}

/// A value as the worker reads it; an optional relation without a value is an error of its own.
fn known_value(var: VarId, machine: &Machine) -> Option<Json> {
    Some(match machine.peek(var)? {
        Value::Null if machine.is_optional_relation(var) => json!({ "$none": "optional" }),
        value => to_json(value, machine),
    })
}

/// Adds what is known of an instance to a call; the call waits if the attribute has no value yet.
fn add_known(known: &mut Map<String, Json>, id: InstanceId, name: &str, machine: &Machine) -> Run<()> {
    let program = machine.program;
    // The others that are there too: the next one that it reads need not be asked for.
    let attributes = machine
        .attributes_of(id)
        .filter_map(|(name, _, var)| Some((program.text(name).to_string(), known_value(var, machine)?)));
    let mut attributes: Map<String, Json> = attributes.collect();
    if !attributes.contains_key(name) {
        match program.names.find(name).and_then(|sym| machine.attribute_var(id, sym).ok()) {
            Some(var) if machine.peek(var).is_none() => return Err(Flow::Unset(vec![var])),
            _ => attributes.insert(name.into(), json!({ "$none": "missing" })),
        };
    }
    match known.get_mut(&id.0.to_string()) {
        Some(Json::Object(before)) => before.extend(attributes),
        _ => drop(known.insert(id.0.to_string(), Json::Object(attributes))),
    }
    Ok(())
}

fn insert(known: &mut Map<String, Json>, what: &str, name: &str, value: Json) {
    if let Json::Object(all) = known.entry(what).or_insert_with(|| json!({})) {
        all.insert(name.to_owned(), value);
    }
}

/// A variable at the place of the call.
fn variable(name: &str, scope: Option<ScopeId>, machine: &Machine) -> Run<Json> {
    let sym = machine.program.names.find(name);
    let var = scope.zip(sym).and_then(|(scope, sym)| machine.lookup(scope, sym).ok());
    match var {
        Some(var) => known_value(var, machine).ok_or_else(|| Flow::Unset(vec![var])),
        None => Ok(json!({ "$none": "missing" })),
    }
}

/// The parents, own attributes and indexes of an entity.
fn entity(name: &str, machine: &Machine) -> Option<Json> {
    let program = machine.program;
    let entity = program.entity(program.find_entity(name)?);
    let own = entity.own.iter().filter(|(name, _)| *name != program.self_name).map(|(name, id)| {
        let attribute = program.attribute(*id);
        let about = match &attribute.relation {
            Some(relation) => {
                let end = relation.end.map(|end| program.attribute(end));
                let end = end.map(|end| json!([program.entity_name(end.entity), program.text(end.name)]));
                json!({
                    "relation": true, "low": relation.bounds.low, "high": relation.bounds.high, "end": end,
                    "target": program.entity_name(relation.target),
                })
            }
            None => json!({ "relation": false, "low": 1, "high": 1, "end": null, "target": "std::Entity" }),
        };
        json!([program.text(*name), about])
    });
    let own: Vec<Json> = own.collect();
    let parents: Vec<String> = entity.parents.iter().map(|parent| program.entity_name(*parent)).collect();
    let indexes: Vec<Vec<&str>> =
        entity.indexes.iter().map(|index| index.iter().map(|name| program.text(*name)).collect()).collect();
    Some(json!({ "parents": parents, "attributes": own, "indexes": indexes }))
}

/// How a resource class exports an instance.
#[derive(Debug)]
pub enum Exported {
    /// The computed fields, and what could not be computed, each with its place.
    Fields(Vec<(String, graph::Value)>, Vec<(String, Option<Span>)>),
    Ignored,
    Failed(String),
}

/// Asks the resource class of an entity for computed fields of an instance.
pub fn export(machine: &Machine, entity: &str, fields: &[&str], id: InstanceId) -> Exported {
    let instance = to_json(&Value::Instance(id), machine);
    let request = json!({ "resource": entity, "fields": fields, "instance": instance });
    let answer = match ask(machine, request, None) {
        Ok(Reply::Answer(answer)) => answer,
        Ok(Reply::NotRun) => return Exported::Failed("plugins do not run".into()),
        Ok(Reply::Failed(reason)) => return Exported::Failed(reason),
        Err(_) => return Exported::Failed("it reads an attribute without a value".into()),
    };
    if answer.get("ignored").is_some() {
        return Exported::Ignored;
    }
    let Some(values) = answer.get("fields").and_then(Json::as_array) else {
        let raised = answer.get("raised").and_then(|raised| Raised::deserialize(raised).ok());
        return Exported::Failed(raised.map_or("its answer cannot be read".into(), |raised| raised.words()));
    };
    let values = values.iter().filter_map(|pair| Some((pair.get(0)?.as_str()?.to_owned(), graph_value(pair.get(1)?))));
    let faults = answer.get("faults").and_then(Json::as_array).into_iter().flatten().filter_map(|fault| {
        let field = fault.get("field")?.as_str()?;
        let raised = Raised::deserialize(fault).ok()?;
        let help = raised.help().map(|help| format!("; {help}")).unwrap_or_default();
        Some((format!("`{field}` of {entity} is unknown: {}{help}", raised.words()), raised.place(machine)))
    });
    Exported::Fields(values.collect(), faults.collect())
}

/// Checks arguments, with Python's messages. Gives whether one is not known.
fn bind(signature: &Signature, values: &[Value], named: Named, place: (&Program, &dyn Model)) -> Result<bool> {
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
    if let Some(message) = missing_arguments(full, &missing) {
        return wrong(message);
    }
    let mut is_unknown = false;
    let mut check = |name: &str, ty: &Ty, value: &Value| {
        is_unknown |= value.is_unknown();
        if value.is_unknown() { Ok(()) } else { check_argument(full, name, ty, value, place) }
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

/// Python's message about arguments that a call does not have; nothing where none is missing.
pub fn missing_arguments(full: &str, missing: &[String]) -> Option<String> {
    let (last, rest) = missing.split_last()?;
    if rest.is_empty() {
        return Some(format!("{full}() missing 1 required positional argument: {last}"));
    }
    let names = format!("{} and {last}", rest.join(", "));
    Some(format!("{full}() missing {} required positional arguments: {names}", missing.len()))
}

/// Checks the type of one argument of a plugin.
pub fn check_argument(
    full: &str,
    name: &str,
    ty: &Ty,
    value: &Value,
    (program, model): (&Program, &dyn Model),
) -> Result<()> {
    validate(program, ty, value, model).map_err(|cause| {
        let message = format!(
            "Value {} for argument {name} of plugin {full} has incompatible type. Expected type: {}",
            pystr::repr(value, model),
            program.type_text(ty)
        );
        Raise::new(Class::PluginType, message).with_cause(cause)
    })
}

/// Checks what a plugin gives.
fn checked(signature: &Signature, value: Value, (program, model): (&Program, &dyn Model)) -> Result<Value> {
    if value.is_unknown() {
        return Ok(value);
    }
    validate(program, &signature.returns, &value, model).map(|()| value.clone()).map_err(|cause| {
        let message = format!(
            "Return value {} of plugin {} has incompatible type. Expected type: {}",
            pystr::str(&value, model),
            signature.full,
            program.type_text(&signature.returns)
        );
        let is = match &value {
            Value::Str(_) => "a string",
            Value::Null => "nothing, as of a function without `return`",
            Value::List(_) => "a list",
            Value::Dict(_) => "a dictionary",
            Value::Bool(_) => "a bool",
            Value::Int(_) | Value::Big(_) => "an int",
            Value::Float(_) => "a float",
            _ => "another value",
        };
        let ty = program.type_text(&signature.returns);
        let help = format!("the plugin gives {is}: return a value of the type `{ty}`, or declare another result");
        Raise::new(Class::PluginType, message).with_help(help).with_cause(cause)
    })
}
