//! Data and types: `lookup`, `new`, `type`, `assert_type` and the like.

use super::{Function, through_block};
use crate::diag::Code;
use crate::lang::puppet::call::Call;
use crate::lang::puppet::convert;
use crate::lang::puppet::eval::Evaluator;
use crate::lang::puppet::lookup::{Data, Search, Strategy};
use crate::lang::puppet::stop::{At, Help, Run};
use crate::lang::puppet::types::{self, Type};
use crate::lang::puppet::value::Value;

pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "new",
        signature: "new(Type type, Any *args)",
        doc: "A new value of a type.",
        examples: &[("Integer.new('0x1F')", "31")],
        is_pure: true,
        call: new,
        ..Function::PLAIN
    },
    Function {
        name: "convert_to",
        signature: "convert_to(Any value, Type type, Any *args)",
        doc: "The value as one of another type.",
        examples: &[("'7'.convert_to(Integer)", "7")],
        is_pure: true,
        call: convert_to,
        ..Function::PLAIN
    },
    Function {
        name: "type",
        signature: "type(Any value, Optional[Enum[detailed, reduced, generalized]] fidelity)",
        doc: "The type of a value.",
        examples: &[("type('x')", "String")],
        takes: &[("Callable[Any, Enum['detailed', 'reduced', 'generalized'], 1, 2]", "value inference_method")],
        is_pure: true,
        call: type_of,
        ..Function::PLAIN
    },
    Function {
        name: "assert_type",
        signature: "assert_type(Variant[Type, String] type, Any value)",
        doc: "The value, if it is of the type.",
        examples: &[("assert_type(Integer, 4)", "4")],
        is_pure: true,
        call: assert_type,
        ..Function::PLAIN
    },
    Function {
        name: "unwrap",
        signature: "unwrap(Any value)",
        doc: "The value inside of a Sensitive.",
        examples: &[("unwrap(Sensitive('a'))", "'a'")],
        is_pure: true,
        passes_on: true,
        call: unwrap,
        ..Function::PLAIN
    },
    Function {
        name: "lookup",
        signature: "lookup(Variant[String, Array] name, Optional[Type] type, Optional[Variant[String, Hash]] merge, Optional[Any] default)",
        doc: "Data for a key.",
        glances: true,
        passes_on: true,
        call: lookup,
        ..Function::PLAIN
    },
    Function {
        name: "hiera",
        signature: "hiera(String key, Optional[Any] default)",
        doc: "Data for a key; use lookup.",
        call: |e, c| hiera(e, c, Strategy::First),
        ..Function::PLAIN
    },
    Function {
        name: "hiera_array",
        signature: "hiera_array(String key, Optional[Any] default)",
        doc: "Data of all levels as an array; use lookup.",
        call: |e, c| hiera(e, c, Strategy::Unique),
        ..Function::PLAIN
    },
    Function {
        name: "hiera_hash",
        signature: "hiera_hash(String key, Optional[Any] default)",
        doc: "Data of all levels as a hash; use lookup.",
        call: |e, c| hiera(e, c, Strategy::Hash),
        ..Function::PLAIN
    },
];

/// The first argument of a function of this name, which is a type or its text.
fn type_argument(e: &mut Evaluator<'_>, call: &Call, name: &str) -> Run<types::Ty> {
    match call.arg(0) {
        Value::Type(ty) => Ok(ty.clone()),
        Value::Str(text) => e.type_from_text(text, call.span),
        other => {
            let got = types::infer_generic(other);
            call.wrong_type(format!("'{name}' parameter 'type' expects a Type value, got {got}"))
        }
    }
}

/// A new value of a type, passed through the lambda.
fn made(e: &mut Evaluator<'_>, call: &Call, ty: &types::Ty, args: &[Value]) -> Run {
    e.output.pay_new(ty, args.first().unwrap_or(&Value::Undef), call.span)?;
    let value = types::new::new(ty, args).at(call.span)?;
    through_block(e, call, value)
}

fn new(e: &mut Evaluator<'_>, call: &Call) -> Run {
    let ty = type_argument(e, call, "new")?;
    let value = Value::Type(ty.clone());
    if e.program.is_arm_type(&value) {
        return e.construct_values(&value, &call.args[1..], call.block.as_ref(), call.span);
    }
    if let (Type::Init(Some(inner), _), Some(Value::Str(text))) = (&*ty, call.args.get(1))
        && let Type::Meta(_) = **inner
    {
        return e.type_from_text(&text.clone(), call.span).map(Value::Type);
    }
    if *types::object_name(&ty) == *crate::lang::puppet::lookup::context::NAME {
        let module = call.args.get(1).cloned().unwrap_or(Value::Undef);
        return Ok(e.data().lookup_context(module));
    }
    if let Type::Resource(Some(name), _) = &*ty {
        return call.fail(format!("Creation of new instance of type '{name}' is not supported"));
    }
    if let Type::Meta(_) = &*ty {
        return match call.args.get(1) {
            Some(Value::Str(text)) => e.type_from_text(&text.clone(), call.span).map(Value::Type),
            Some(Value::Type(ty)) => Ok(Value::Type(ty.clone())),
            _ => call.wrong_type("'new_Type' expects a String or Type value"),
        };
    }
    if let Type::Timestamp(..) = &*ty
        && call.args.len() == 1
    {
        return Ok(Value::Timestamp(e.inputs.settings.now));
    }
    made(e, call, &ty, &call.args[1..])
}

fn convert_to(e: &mut Evaluator<'_>, call: &Call) -> Run {
    let Value::Type(ty) = call.arg(1) else {
        return call.wrong_type("'convert_to' parameter 'type' expects a Type value");
    };
    let mut args = vec![call.arg(0).clone()];
    args.extend(call.args.iter().skip(2).cloned());
    if e.program.is_arm_type(call.arg(1)) {
        return e.construct_values(call.arg(1), &args, call.block.as_ref(), call.span);
    }
    made(e, call, ty, &args)
}

impl Data<'_, '_> {
    /// Refuses a search without a result.
    pub fn no_data(&self, call: &Call, name: &str, shown: &str) -> Run {
        let refused = call.fail(format!("Function lookup() did not find a value for {shown}")).code(Code::UnknownKey);
        match self.nearly_key(name) {
            Some((near, file, line)) => refused.help(format!("did you mean `{near}` of {file}:{line}?")),
            None => refused
                .help(format!("add `{name}: …` to a data file, or set `default_value` in the options of the call")),
        }
    }
}

fn type_of(_: &mut Evaluator<'_>, call: &Call) -> Run {
    let value = call.arg(0);
    let ty = match call.args.get(1) {
        None => types::infer(value),
        Some(Value::Str(fidelity)) => match &**fidelity {
            "detailed" => types::infer(value),
            "reduced" => types::reduced(value),
            "generalized" => types::infer_generic(value),
            other => return call.wrong_type(format!("'type' parameter 'inference_method' expects a match for Enum['detailed', 'generalized', 'reduced'], got '{other}'")),
        },
        _ => return call.wrong_type("'type' parameter 'inference_method' expects a String value"),
    };
    Ok(Value::Type(ty))
}

fn assert_type(e: &mut Evaluator<'_>, call: &Call) -> Run {
    call.between(2, 2)?;
    let ty = type_argument(e, call, "assert_type")?;
    let value = call.arg(1);
    e.output.pay_instance(&ty, value, call.span)?;
    if types::is_instance(&ty, value) {
        return Ok(value.clone());
    }
    match &call.block {
        Some(block) => e.apply(block, &[Value::Type(ty), Value::Type(types::infer(value))], call.span),
        None => call
            .wrong_type(format!("assert_type(): {}", types::describe_mismatch(&ty, value)))
            .help(crate::lang::puppet::wrong_value::value_help(&ty, value)),
    }
}

fn unwrap(e: &mut Evaluator<'_>, call: &Call) -> Run {
    call.between(1, 1)?;
    let value = match call.arg(0) {
        Value::Sensitive(inner) => (**inner).clone(),
        other => other.clone(),
    };
    through_block(e, call, value)
}

fn names(value: &Value) -> Vec<String> {
    match value {
        Value::Array(list) => list.iter().map(convert::string).collect(),
        other => vec![convert::string(other)],
    }
}

fn lookup(e: &mut Evaluator<'_>, call: &Call) -> Run {
    let (mut wanted, mut ty, mut merge, mut default, mut defaults, mut overrides) =
        (Vec::new(), Value::Undef, Value::Undef, None, Value::Undef, Value::Undef);
    let mut from_options = |options: &Value, wanted: &mut Vec<String>| {
        if let Some(name) = options.get("name") {
            *wanted = names(name);
        }
        if let Some(found) = options.get("value_type") {
            ty = found.clone();
        }
        if let Some(found) = options.get("merge") {
            merge = found.clone();
        }
        if let Some(found) = options.get("default_value") {
            default = Some(found.clone());
        }
        if let Some(found) = options.get("default_values_hash") {
            defaults = found.clone();
        }
        if let Some(found) = options.get("override") {
            overrides = found.clone();
        }
    };
    match &call.args[..] {
        [options @ Value::Hash(_)] => from_options(options, &mut wanted),
        [name, options @ Value::Hash(_)] => {
            from_options(options, &mut wanted);
            wanted = names(name);
        }
        [name, rest @ ..] if rest.len() <= 3 => {
            wanted = names(name);
            ty = rest.first().cloned().unwrap_or(Value::Undef);
            merge = rest.get(1).cloned().unwrap_or(Value::Undef);
            default = rest.get(2).cloned();
        }
        _ => return call.wrong_count("'lookup' expects between 1 and 4 arguments"),
    }
    let strategy = match &merge {
        Value::Undef => None,
        other => Some(Strategy::of(other).at(call.span)?),
    };
    let mut found = None;
    for name in &wanted {
        found = match overrides.get(name) {
            Some(value) => Some(value.clone()),
            None => {
                let strategy = strategy.clone();
                e.search().with_given(&overrides, &defaults, |e| e.find_data(name, strategy, call.scope, call.span))?
            }
        };
        if found.is_none() {
            found = defaults.get(name).cloned();
        }
        if found.is_some() {
            break;
        }
    }
    let value = match (found, &call.block, default) {
        (Some(value), ..) => value,
        (None, Some(block), _) => {
            let argument = match &wanted[..] {
                [one] => Value::str(one.as_str()),
                many => Value::array(many.iter().map(|n| Value::str(n.as_str())).collect()),
            };
            let args = if block.arity().1 == 0 { Vec::new() } else { vec![argument] };
            e.apply(block, &args, call.span)?
        }
        (None, None, Some(default)) => default,
        (None, None, None) => {
            let shown = match &wanted[..] {
                [one] => format!("the name '{one}'"),
                many => format!(
                    "any of the names [{}]",
                    many.iter().map(|n| format!("'{n}'")).collect::<Vec<_>>().join(", ")
                ),
            };
            return e.data().no_data(call, wanted.first().map_or("", String::as_str), &shown);
        }
    };
    if let Value::Type(ty) = &ty
        && !types::is_instance(ty, &value)
    {
        let message = format!("Found value has wrong type, {}", types::describe_mismatch(ty, &value));
        return call.wrong_type(message).help(crate::lang::puppet::wrong_value::value_help(ty, &value));
    }
    Ok(value)
}

fn hiera(e: &mut Evaluator<'_>, call: &Call, strategy: Strategy) -> Run {
    e.output.log("warning", format!("The function '{}' is deprecated in favor of using 'lookup'. See https://puppet.com/docs/puppet/8.11/deprecated_language.html\n   (file & line not available)", call.name));
    let name = call.text(0)?;
    let found = e.search().find_data(&name, Some(strategy), call.scope, call.span)?;
    match (found, call.args.get(1), &call.block) {
        (Some(value), ..) => Ok(value),
        (None, Some(default), _) => Ok(default.clone()),
        (None, None, Some(block)) => e.apply(block, &[Value::Str(name)], call.span),
        (None, None, None) => e.data().no_data(call, &name, &format!("the name '{name}'")),
    }
}
