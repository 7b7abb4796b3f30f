//! Functions that declare resources or ask about them, and those that report.

use super::super::collection::flatten;
use super::{Function, Unknown, find, ruby, wrong};
use crate::lang::puppet::ast::{Form, Text};
use crate::lang::puppet::call::Call;
use crate::lang::puppet::catalog::Attribute;
use crate::lang::puppet::conf::Strict;
use crate::lang::puppet::convert;
use crate::lang::puppet::eval::Evaluator;
use crate::lang::puppet::ids::ResourceId;
use crate::lang::puppet::names::capitalised;
use crate::lang::puppet::stop::Run;
use crate::lang::puppet::types::{self, Type};
use crate::lang::puppet::unknown;
use crate::lang::puppet::value::{Map, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "assert_private",
        signature: "assert_private(Optional[String] message)",
        doc: "Fails where a class or define is used from another module.",
        call: assert_private,
        ..Function::PLAIN
    },
    Function {
        name: "defined_with_params",
        signature: "defined_with_params(Variant[String, Type] reference, Optional[Hash] parameters)",
        doc: "Whether a resource is declared with all of these parameters.",
        examples: &[("defined_with_params('User[none]')", "false")],
        call: |e, c| {
            let defined = match c.arg(1) {
                Value::Hash(map) => has_resource(e, c, c.arg(0), map)?,
                _ => has_resource(e, c, c.arg(0), &Map::default())?,
            };
            if !defined && may_be_left_out(e, c)? {
                return Ok(Value::Unknown(None));
            }
            let (_, _, found) = named(e, c, c.arg(0))?;
            let of_resource = |name: &Value| e.catalog.get(found?).parameter(&ruby::text(name));
            let is_open = matches!(c.arg(1), Value::Hash(map) if map.iter().any(|(name, wanted)| {
                unknown::is_in(name) || unknown::is_in(wanted) || of_resource(name).is_some_and(unknown::is_in)
            }));
            Ok(if defined && is_open { Value::Unknown(None) } else { Value::Bool(defined) })
        },
        ..Function::PLAIN
    },
    Function {
        name: "deprecation",
        signature: "deprecation(String key, String message, Optional[Boolean] use_strict)",
        doc: "Warns once for a key; fails where deprecations are errors.",
        call: deprecation,
        ..Function::PLAIN
    },
    Function {
        name: "ensure_packages",
        signature: "ensure_packages(Any *args)",
        doc: "The same as stdlib::ensure_packages.",
        unknown: Unknown::ActsOnParts,
        call: renamed,
        ..Function::PLAIN
    },
    Function {
        name: "stdlib::ensure_packages",
        signature: "stdlib::ensure_packages(Variant[String[1], Array[String[1]], Hash[String[1], Any]] packages, Optional[Hash] parameters)",
        doc: "Declares packages that are not declared yet.",
        unknown: Unknown::ActsOnParts,
        call: ensure_packages,
        ..Function::PLAIN
    },
    Function {
        name: "ensure_resource",
        signature: "ensure_resource(String type, Variant[String, Array] titles, Optional[Hash] parameters)",
        doc: "Declares resources that are not declared with these parameters yet.",
        unknown: Unknown::ActsOnParts,
        call: |e, c| {
            let parameters = parameters(c, 2)?;
            ensure(e, c, c.arg(1), &parameters)
        },
        ..Function::PLAIN
    },
    Function {
        name: "ensure_resources",
        signature: "ensure_resources(String type, Hash resources, Optional[Hash] parameters)",
        doc: "Declares resources of a hash that are not declared with their parameters yet.",
        unknown: Unknown::ActsOnParts,
        call: ensure_resources,
        ..Function::PLAIN
    },
    Function {
        name: "getparam",
        signature: "getparam(Variant[String, Type] reference, String parameter)",
        doc: "A parameter of a declared resource, or an empty text.",
        examples: &[("getparam('User[none]', 'uid')", "''")],
        call: getparam,
        ..Function::PLAIN
    },
    Function {
        name: "stdlib::has_function",
        signature: "stdlib::has_function(String[1] name)",
        doc: "Whether there is a function of this name.",
        examples: &[("stdlib::has_function('pick')", "true")],
        call: |e, c| {
            let name = c.text(0)?;
            Ok(Value::Bool(e.loader().is_function(&name, c.span)?))
        },
        ..Function::PLAIN
    },
    Function {
        name: "stdlib::str2resource",
        signature: "stdlib::str2resource(String reference)",
        doc: "The reference to a declared resource.",
        call: |e, c| match named(e, c, c.arg(0))? {
            (.., Some(id)) => {
                let found = e.catalog.get(id);
                let ty = Type::Resource(Some(found.ty.clone()), Some(found.title.clone()));
                Ok(Value::Type(ty.into()))
            }
            (.., None) => c.fail(format!("{}(): there is no {} yet", c.name, ruby::text(c.arg(0)))),
        },
        ..Function::PLAIN
    },
    Function {
        name: "validate_legacy",
        signature: "validate_legacy(Variant[Type, String] type, String function, Any value, Any *args)",
        doc: "Fails unless the value is of the type.",
        call: validate_legacy,
        ..Function::PLAIN
    },
];

/// A function whose whole name has `stdlib::` before it.
pub(super) fn renamed(e: &mut Evaluator<'_>, call: &Call) -> Run {
    let name = format!("stdlib::{}", call.name);
    let inner = Call {
        name: name.as_str().into(),
        args: call.args.clone(),
        block: call.block.clone(),
        scope: call.scope,
        span: call.span,
    };
    if !e.loader().is_function(&name, call.span)? {
        // An older stdlib has it under this name only.
        return match find(&name) {
            Some(function) => {
                e.check_arguments(function.signature, &inner)?;
                (function.call)(e, &inner)
            }
            None => call.fail(format!("Unknown function: '{name}'.")),
        };
    }
    e.output.warn_once(format!("`{}` is deprecated; use `{name}`", call.name));
    e.call(inner)
}

/// Reports something deprecated once; an error where the program is checked strictly.
pub(super) fn deprecated(e: &mut Evaluator<'_>, call: &Call, key: &str, message: &str, is_strict: bool) -> Run {
    let place = e.inputs.sources.place(call.span);
    let message = format!("{message} at {}:{}", place.file, place.line);
    match e.inputs.settings.strict {
        Strict::Off if is_strict => {}
        Strict::Error if is_strict => return call.fail(format!("deprecation. {key}. {message}")),
        _ => e.output.warn_once(message),
    }
    Ok(Value::Undef)
}

fn deprecation(e: &mut Evaluator<'_>, call: &Call) -> Run {
    let (key, message) = (call.text(0)?, call.text(1)?);
    deprecated(e, call, &key, &message, !matches!(call.arg(2), Value::Bool(false)))
}

fn validate_legacy(e: &mut Evaluator<'_>, call: &Call) -> Run {
    let ty = match call.arg(0) {
        Value::Type(ty) => ty.clone(),
        other => e.type_from_text(&ruby::text(other), call.span)?,
    };
    // Stdlib 9 only warns of itself; the versions before it ask the function that the type replaces.
    let file = e.loader().ruby_function("validate_legacy").and_then(|file| e.inputs.files.read(&file.path));
    let is_new = file.is_none_or(|bytes| !bytes.windows(19).any(|part| part == b"previous_validation"));
    if is_new {
        deprecated(e, call, "validate_legacy", "`validate_legacy` is deprecated; use types of parameters", true)?;
    }
    if types::is_instance(&ty, call.arg(2)) {
        return Ok(Value::Undef);
    }
    let got = types::describe_mismatch(&ty, call.arg(2));
    if !is_new && let Ok(name) = call.text(1) {
        let args = call.args.get(2..).unwrap_or_default().to_vec();
        if e.call(call.other(name, args)).is_ok() {
            e.output.warn_once(format!("Accepting previously invalid value for target type '{ty}'"));
            return Ok(Value::Undef);
        }
    }
    call.wrong_type(format!("validate_legacy({ty}, ...) {got}"))
}

fn assert_private(e: &mut Evaluator<'_>, call: &Call) -> Run {
    call.between(0, 1)?;
    let scope = e.scopes.declaring(call.scope);
    let variable = |name: &str| e.scopes.get(scope).variables.get(name).cloned();
    if variable("module_name") == variable("caller_module_name") {
        return Ok(Value::Undef);
    }
    if let Value::Str(message) = call.arg(0) {
        return call.fail(message.to_string());
    }
    let own = e.scopes.get(scope).resource.map(|id| e.catalog.get(id));
    call.fail(match own {
        Some(own) if &*own.ty == "class" => format!("Class {} is private", own.title),
        Some(own) => format!("Definition {} is private", own.ty),
        None => "this is private".into(),
    })
}

/// Whether the resource of the first argument may be declared in a part that was left out.
fn may_be_left_out(e: &mut Evaluator<'_>, call: &Call) -> Run<bool> {
    let (ty, title, found) = named(e, call, call.arg(0))?;
    Ok(found.is_none() && e.output.left_out.may_declare(&ty, &title))
}

/// The type and the title that a reference names, and its resource.
fn named(e: &mut Evaluator<'_>, call: &Call, reference: &Value) -> Run<(Text, Text, Option<ResourceId>)> {
    let (ty, title): (Text, Text) = match reference {
        Value::Type(ty) => match &**ty {
            Type::Resource(Some(ty), title) => (ty.clone(), title.clone().unwrap_or_default()),
            Type::Class(Some(name)) => ("class".into(), name.clone()),
            _ => return wrong(call, 0, "a reference to a resource", reference),
        },
        other => {
            let text = ruby::text(other);
            let inner = text.split_once('[').and_then(|(ty, rest)| Some((ty, rest.strip_suffix(']')?)));
            match inner {
                Some((ty, title)) => (ty.trim_start_matches("::").to_lowercase().into(), title.into()),
                None => return call.fail(format!("{}(): '{text}' is not a reference to a resource", call.name)),
            }
        }
    };
    let found = e.catalog.lookup(&ty, &title);
    Ok((ty, title, found))
}

/// Whether there is a resource with these parameters.
fn has_resource(e: &mut Evaluator<'_>, call: &Call, reference: &Value, parameters: &Map) -> Run<bool> {
    let (ty, _, found) = named(e, call, reference)?;
    let is_general = matches!(reference, Value::Type(ty) if matches!(&**ty, Type::Resource(_, None)));
    let own = e.scopes.get(e.scopes.declaring(call.scope)).resource;
    let candidates: Vec<ResourceId> = match found {
        Some(id) => vec![id],
        None if is_general => e.catalog.ids().filter(|id| e.catalog.get(*id).ty == ty).collect(),
        None => Vec::new(),
    };
    let has = |id: ResourceId| {
        let resource = e.catalog.get(id);
        parameters.iter().all(|(name, wanted)| match (resource.parameter(&ruby::text(name)), wanted) {
            (None | Some(Value::Undef), Value::Undef) => true,
            // Two different values would be a duplicate, so an unknown one is the same.
            (Some(value), wanted) => unknown::is_in(value) || unknown::is_in(wanted) || ruby::equal(value, wanted),
            (None, _) => false,
        })
    };
    Ok(candidates.into_iter().any(|id| Some(id) != own && has(id)))
}

fn parameters(call: &Call, index: usize) -> Run<Map> {
    match call.args.get(index) {
        None | Some(Value::Undef | Value::Bool(false)) => Ok(Map::default()),
        Some(Value::Str(text)) if text.is_empty() => Ok(Map::default()),
        Some(Value::Hash(map)) => Ok((**map).clone()),
        Some(other) => wrong(call, index, "a Hash", other),
    }
}

/// Declares what is not declared with these parameters yet.
fn ensure(e: &mut Evaluator<'_>, call: &Call, titles: &Value, parameters: &Map) -> Run {
    call.between(2, 3)?;
    let ty: Text = match call.arg(0) {
        Value::Type(ty) => match &**ty {
            Type::Resource(Some(name), None) => name.clone(),
            _ => return wrong(call, 0, "a type", call.arg(0)),
        },
        Value::Str(ty) if !ty.is_empty() => ty.to_lowercase().into(),
        other => return wrong(call, 0, "a type", other),
    };
    for title in flatten(std::slice::from_ref(titles)) {
        if let Value::Unknown(_) = title {
            e.leave_out_title(&ty, &Value::Unknown(None), call.span)?;
            continue;
        }
        let name = ruby::text(&title);
        declare(e, call, &ty, &name, parameters)?;
        if !matches!(title, Value::Str(_)) {
            e.catalog.untag(&ty, &name);
            e.catalog.name_define(&ty, &name, call.span);
        }
    }
    Ok(Value::Undef)
}

fn declare(e: &mut Evaluator<'_>, call: &Call, ty: &Text, title: &str, parameters: &Map) -> Run<()> {
    let (form, bare) = Form::of_type(ty);
    let reference = Value::str(format!("{}[{title}]", capitalised(&bare)));
    if form == Form::Regular && has_resource(e, call, &reference, parameters)? {
        return Ok(());
    }
    let attributes: Vec<Attribute> = parameters
        .iter()
        .map(|(name, value)| Attribute {
            name: convert::string(name).into(),
            value: value.clone(),
            appends: false,
            span: call.span,
        })
        .collect();
    e.declare(&bare, &title.into(), &attributes, form, call.scope, call.span)?;
    Ok(())
}

fn ensure_resources(e: &mut Evaluator<'_>, call: &Call) -> Run {
    let Value::Hash(resources) = call.arg(1) else { return wrong(call, 1, "a Hash", call.arg(1)) };
    let defaults = parameters(call, 2)?;
    for (title, own) in resources.iter() {
        let mut all = defaults.clone();
        if let Value::Hash(own) = own {
            all.extend(own.iter().map(|(k, v)| (k.clone(), v.clone())));
        }
        ensure(e, call, title, &all)?;
    }
    Ok(Value::Undef)
}

fn ensure_packages(e: &mut Evaluator<'_>, call: &Call) -> Run {
    let defaults = parameters(call, 1)?;
    let packages: Vec<(Value, Map)> = match call.arg(0) {
        Value::Array(list) => list.iter().map(|name| (name.clone(), Map::default())).collect(),
        Value::Hash(map) => {
            let own = |value: &Value| if let Value::Hash(own) = value { (**own).clone() } else { Map::default() };
            map.iter().map(|(name, value)| (name.clone(), own(value))).collect()
        }
        other => vec![(other.clone(), Map::default())],
    };
    let (package, ensure): (Text, Value) = ("package".into(), Value::str("ensure"));
    for (name, own) in packages {
        let mut all: Map = [(ensure.clone(), Value::str("installed"))].into_iter().collect();
        all.extend(defaults.iter().map(|(k, v)| (k.clone(), v.clone())));
        all.extend(own);
        if let Value::Unknown(_) = name {
            e.leave_out_title(&package, &Value::Unknown(None), call.span)?;
            continue;
        }
        let title = ruby::text(&name);
        if matches!(all.get(&ensure).and_then(Value::as_str), Some("present" | "installed")) {
            let present: Map = [(ensure.clone(), Value::str("present"))].into_iter().collect();
            let reference = Value::str(format!("Package[{title}]"));
            let word = if has_resource(e, call, &reference, &present)? { "present" } else { "installed" };
            all.insert(ensure.clone(), Value::str(word));
        }
        declare(e, call, &package, &title, &all)?;
    }
    Ok(Value::Undef)
}

fn getparam(e: &mut Evaluator<'_>, call: &Call) -> Run {
    call.between(2, usize::MAX)?;
    let name = call.text(1)?;
    let (.., found) = named(e, call, call.arg(0))?;
    if found.is_none() && may_be_left_out(e, call)? {
        return Ok(Value::Unknown(None));
    }
    let value = found.and_then(|id| {
        let resource = e.catalog.get(id);
        match &*name {
            "title" => Some(Value::Str(resource.title.clone())),
            name => resource.parameter(name).cloned(),
        }
    });
    Ok(value.unwrap_or(Value::str("")))
}
