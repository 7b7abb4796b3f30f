//! Functions that change or ask the catalog.

use super::collection::flatten;
use super::{Function, Unknown};
use crate::diag::Code;
use crate::lang::puppet::ast::{Form, Text};
use crate::lang::puppet::call::Call;
use crate::lang::puppet::catalog::{Attribute, OTHERS, Parameter};
use crate::lang::puppet::convert;
use crate::lang::puppet::eval::Evaluator;
use crate::lang::puppet::eval::unknown::forget_tags;
use crate::lang::puppet::issue::IssueName;
use crate::lang::puppet::lexer::is_name;
use crate::lang::puppet::lookup::{Search, Strategy};
use crate::lang::puppet::names::capitalised;
use crate::lang::puppet::stop::{Help, Run, Stop, fail};
use crate::lang::puppet::types::{self, Type};
use crate::lang::puppet::unknown;
use crate::lang::puppet::value::Value;

pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "include",
        signature: "include(Any *names)",
        doc: "Declares classes.",
        unknown: Unknown::Chooses,
        glances: true,
        call: |e, c| declare(e, c, How::Include),
        ..Function::PLAIN
    },
    Function {
        name: "contain",
        signature: "contain(Any *names)",
        doc: "Declares classes inside of this one.",
        unknown: Unknown::Chooses,
        glances: true,
        call: |e, c| declare(e, c, How::Contain),
        ..Function::PLAIN
    },
    Function {
        name: "require",
        signature: "require(Any *names)",
        doc: "Declares classes that come before this one.",
        unknown: Unknown::Chooses,
        glances: true,
        call: |e, c| declare(e, c, How::Require),
        ..Function::PLAIN
    },
    Function {
        name: "hiera_include",
        signature: "hiera_include(String key, Optional[Any] default)",
        doc: "Declares the classes that data lists.",
        call: hiera_include,
        ..Function::PLAIN
    },
    Function {
        name: "create_resources",
        signature: "create_resources(String type, Hash resources, Optional[Hash] defaults)",
        doc: "Declares resources from a hash.",
        unknown: Unknown::ActsOnParts,
        glances: true,
        call: create_resources,
        ..Function::PLAIN
    },
    Function {
        name: "realize",
        signature: "realize(Any *references)",
        doc: "Makes virtual resources real.",
        unknown: Unknown::Acts,
        call: realize,
        ..Function::PLAIN
    },
    Function {
        name: "defined",
        signature: "defined(Any *names)",
        doc: "Whether a class, type, function, resource or variable is known.",
        examples: &[("defined('file')", "true")],
        takes: &[("Callable[Variant[String, Type[CatalogEntry], Type[Type[CatalogEntry]]], 1]", "vals")],
        glances: true,
        call: defined,
        ..Function::PLAIN
    },
    Function {
        name: "tag",
        signature: "tag(String *tags)",
        doc: "Tags what this class or define declares.",
        unknown: Unknown::Shows,
        call: tag,
        ..Function::PLAIN
    },
    Function {
        name: "tagged",
        signature: "tagged(String *tags)",
        doc: "Whether this class or define has all the tags.",
        call: tagged,
        ..Function::PLAIN
    },
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    Include,
    Contain,
    Require,
}

/// Returns the class names in a value.
fn class_names(call: &Call, value: &Value, out: &mut Vec<Text>) -> Run<()> {
    let refused = |message: &str| fail(call.span, IssueName::IllegalHostclassName, message);
    match value {
        Value::Array(list) => list.iter().try_for_each(|v| class_names(call, v, out)),
        Value::Str(name) if !name.is_empty() => {
            let lower = name.trim_start_matches("::").to_lowercase();
            if !is_name(&lower) {
                return refused(&format!(
                    "Illegal Class name in class reference. A {name} cannot be used where a String is expected"
                ));
            }
            out.push(lower.into());
            Ok(())
        }
        Value::Type(ty) => match &**ty {
            Type::Class(Some(name)) => {
                out.push(name.clone());
                Ok(())
            }
            Type::Resource(Some(kind), Some(title)) if &**kind == "class" => {
                out.push(title.to_lowercase().into());
                Ok(())
            }
            Type::Class(None) => refused("Cannot use an unspecific Class[] Type"),
            _ => call.fail(format!("Cannot use {ty} where a class name is expected")),
        },
        Value::Unknown(_) => Ok(()),
        Value::Undef => refused("Cannot use undef as a class name"),
        Value::Str(_) => refused("Cannot use empty string as a class name"),
        other => call.fail(format!("Cannot use {} where a class name is expected", types::infer_generic(other))),
    }
}

fn declare(e: &mut Evaluator<'_>, call: &Call, how: How) -> Run {
    if call.args.is_empty() {
        return call.wrong_count(format!("'{}' expects at least 1 argument, got none", call.name));
    }
    let mut names = Vec::new();
    for arg in &call.args {
        class_names(call, arg, &mut names)?;
    }
    if call.args.iter().any(unknown::is_in) {
        e.output.leave_out(&e.inputs, "the name of a class", call.span);
        e.left_out_reader().leave_out_any_class(call.span)?;
    }
    let mut made = Vec::new();
    let own = e.scopes.get(e.scopes.declaring(call.scope)).resource;
    let ids = e.declare_classes(&names, call.scope, call.span)?;
    for (name, id) in names.into_iter().zip(ids) {
        made.push(Value::Type(Type::Class(Some(name.clone())).into()));
        let Some(own) = own else { continue };
        match how {
            How::Include => {}
            How::Contain => {
                if !e.catalog.edges.contains(&(own, id)) {
                    e.catalog.edges.push((own, id));
                }
            }
            How::Require => {
                let reference = Value::str(format!("Class[{}]", capitalised(&name)));
                let parameters = &mut e.catalog.get_mut(own).parameters;
                let mut list = match parameters.get("require") {
                    Some(Parameter { value: Value::Array(list), .. }) => list.to_vec(),
                    Some(Parameter { value, .. }) => vec![value.clone()],
                    None => Vec::new(),
                };
                list.push(reference);
                parameters.insert("require".into(), Parameter::explicit(Value::array(list), call.span));
            }
        }
    }
    Ok(if call.args.iter().any(unknown::is_in) { Value::Unknown(None) } else { Value::array(made) })
}

fn hiera_include(e: &mut Evaluator<'_>, call: &Call) -> Run {
    let name = call.text(0)?;
    let found = e.search().find_data(&name, Some(Strategy::Unique), call.scope, call.span)?;
    match found.or_else(|| call.args.get(1).cloned()) {
        Some(classes) => e.call(call.other("include", vec![classes])),
        None => e.data().no_data(call, &name, &format!("the name '{name}'")),
    }
}

fn attributes(value: &Value, call: &Call) -> Run<Vec<Attribute>> {
    match value {
        Value::Hash(map) => Ok(map
            .iter()
            .map(|(k, v)| Attribute {
                name: if unknown::is_in(k) { OTHERS.into() } else { convert::string(k).into() },
                value: if unknown::is_in(k) { Value::Unknown(None) } else { v.clone() },
                appends: false,
                span: call.span,
            })
            .collect()),
        Value::Undef => Ok(Vec::new()),
        Value::Unknown(_) => {
            Ok(vec![Attribute { name: OTHERS.into(), value: value.clone(), appends: false, span: call.span }])
        }
        _ => call.fail("create_resources(): attributes are a hash"),
    }
}

fn create_resources(e: &mut Evaluator<'_>, call: &Call) -> Run {
    call.between(2, 3)?;
    let name = match call.arg(0) {
        Value::Str(name) => name.to_lowercase(),
        Value::Type(ty) => match &**ty {
            Type::Resource(Some(name), None) => name.to_string(),
            _ => return call.fail("create_resources(): the first argument is a type's name"),
        },
        _ => return call.fail("create_resources(): the first argument is a type's name"),
    };
    let (form, ty) = Form::of_type(&name);
    let Value::Hash(resources) = call.arg(1) else {
        return call
            .fail("create_resources(): the second argument is a hash")
            .help("write a hash of titles with their parameters: `{ 'TITLE' => { NAME => VALUE } }`");
    };
    let defaults = attributes(call.arg(2), call)?;
    for (title, given) in resources.iter() {
        let mut all = attributes(given, call)?;
        for default in &defaults {
            if !all.iter().any(|a| a.name == default.name) {
                all.push(default.clone());
            }
        }
        if unknown::is_in(title) {
            e.leave_out_title(&ty, &Value::Unknown(None), call.span)?;
            if &*ty == "class" {
                e.left_out_reader().leave_out_class_title(&Value::Unknown(None), &all, call.span);
            }
            continue;
        }
        let is_text = matches!(title, Value::Str(_));
        let title: Text = convert::string(title).into();
        let done = e.declare(&ty, &title, &all, form, call.scope, call.span);
        if let Err(Stop::Fail(issue)) = &done
            && issue.name == IssueName::UnknownArgument
            && let Some((_, name)) = issue.message.rsplit_once("parameter named '")
        {
            let place = e.inputs.key_after(call.span, name.trim_end_matches('\''));
            return done.edit(place).map(|_| Value::Undef);
        }
        done?;
        if !is_text {
            e.catalog.untag(&ty, &title);
        }
    }
    Ok(Value::Undef)
}

fn realize(e: &mut Evaluator<'_>, call: &Call) -> Run {
    if call.args.is_empty() {
        return call.fail("realize(): Wrong number of arguments given (0 for minimum 1)");
    }
    for value in flatten(&call.args) {
        let ty = match &value {
            Value::Type(ty) => ty.clone(),
            Value::Str(text) => e.type_from_text(&text.clone(), call.span)?,
            _ => return call.fail("realize(): a reference to a resource is expected"),
        };
        let Type::Resource(Some(name), Some(title)) = &*ty else {
            return call.fail("realize(): a reference to a resource is expected");
        };
        e.catalog.realized.push((name.clone(), title.clone(), call.span));
        if let Some(id) = e.catalog.lookup(name, title) {
            e.catalog.get_mut(id).form = Form::Regular;
        }
    }
    Ok(Value::Undef)
}

fn defined(e: &mut Evaluator<'_>, call: &Call) -> Run {
    let mut is_open = false;
    for value in flatten(&call.args) {
        let found = match &value {
            Value::Str(text) if text.starts_with('$') => {
                let name = &text[1..];
                let found = e.scopes.lookup(call.scope, name);
                // It may be set in a part that is left out.
                let class = name.trim_start_matches("::").rsplit_once("::").map(|(class, _)| class);
                let may_be = class.is_some_and(|class| e.output.left_out.may_declare("class", class));
                if found == Some(Value::Unknown(None)) || found.is_none() && may_be {
                    is_open = true;
                    continue;
                }
                found.is_some()
            }
            Value::Str(text) if text.is_empty() => false,
            Value::Str(text) if &**text == "main" => true,
            Value::Str(text) => {
                let name: Text = text.trim_start_matches("::").to_lowercase().into();
                let is_type = types::named(text.trim_start_matches("::")).is_some();
                is_type
                    || e.loader().is_function(&name, call.span)?
                    || e.loader().find_class(&name, call.span)?.is_some()
                    || e.loader().sort_of(&name, call.span).is_ok()
                    || e.alias(text, call.span)?.is_some()
            }
            Value::Type(ty) => match &**ty {
                Type::Resource(Some(_), Some(_)) => e.catalog.find(ty).is_some(),
                Type::Resource(Some(name), None) => e.loader().sort_of(&name.clone(), call.span).is_ok(),
                Type::Class(Some(name)) => e.catalog.lookup("class", name).is_some(),
                Type::Class(None) | Type::Resource(None, _) => {
                    return call.fail("The given type is too general for defined()");
                }
                Type::Meta(inner) => match &**inner {
                    Type::Class(Some(name)) => e.loader().find_class(&name.clone(), call.span)?.is_some(),
                    Type::Resource(Some(name), None) => e.loader().sort_of(&name.clone(), call.span).is_ok(),
                    _ => true,
                },
                _ => return call.fail(format!("Invalid argument of type '{ty}' to 'defined'")),
            },
            other => return call.fail(format!("'defined' does not take {}", types::infer_generic(other))),
        };
        if found {
            return Ok(Value::Bool(true));
        }
        // What was left out may declare it.
        is_open |= match &value {
            Value::Type(ty) => match &**ty {
                Type::Resource(_, Some(_)) | Type::Class(_) => e.output.left_out.may_declare_type(ty),
                _ => false,
            },
            _ => false,
        };
    }
    Ok(if is_open { Value::Unknown(None) } else { Value::Bool(false) })
}

fn tag(e: &mut Evaluator<'_>, call: &Call) -> Run {
    let at = e.scopes.declaring(call.scope);
    let own = e.scopes.get(at).resource;
    for value in flatten(&call.args) {
        if unknown::is_in(&value) {
            forget_tags(&mut e.scopes, &mut e.catalog, at);
            continue;
        }
        let text = convert::string(&value);
        if !crate::lang::puppet::names::valid_tag(&text.to_lowercase()) {
            return call
                .fail(format!("Invalid tag {text:?}"))
                .code(Code::InvalidName)
                .help("use letters, digits, `_`, `-`, `.` and `:`");
        }
        if let Some(own) = own {
            e.catalog.get_mut(own).add_tag(text.as_str());
        }
        let tag: Text = text.to_lowercase().into();
        e.scopes.get_mut(at).tags.insert(tag);
    }
    Ok(Value::Undef)
}

fn tagged(e: &mut Evaluator<'_>, call: &Call) -> Run {
    let at = e.scopes.declaring(call.scope);
    let Some(own) = e.scopes.get(at).resource else { return Ok(Value::Bool(false)) };
    let tags = &e.catalog.get(own).tags;
    let flat = flatten(&call.args);
    let has: Vec<_> = flat.iter().map(|value| tags.has(&convert::string(value).to_lowercase())).collect();
    let is_missing = has.contains(&Some(false));
    if is_missing && e.output.left_out.may_tag() || !is_missing && has.contains(&None) {
        return Ok(Value::Unknown(None));
    }
    Ok(Value::Bool(!is_missing))
}
