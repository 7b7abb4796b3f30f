//! Functions on instances and on what is around the model.

use super::super::types::Ty;
use super::super::value::Value;
use super::{Call, CallResult, Default, Fail, Native, Place, fail, function};

const NAME: &[super::Argument] = &[("name", "string", None), ("default_value", "string?", Some(Default::Null))];

pub(super) const NATIVES: &[Native] = &[
    function("attr", &[("obj", "any", None), ("attr", "string", None)], "any", |call| {
        call.attribute(call.arg(0), &call.text(1))
    })
    .model(),
    function(
        "getattr",
        &[
            ("entity", "std::Entity", None),
            ("attribute_name", "string", None),
            ("default_value", "any", Some(Default::Null)),
            ("no_unknown", "bool", Some(Default::Bool(true))),
        ],
        "any",
        attribute_or_default,
    )
    .unknown()
    .model(),
    function("is_instance", &[("obj", "any", None), ("cls", "string", None)], "bool", is_instance).model(),
    function("objid", &[("value", "any", None)], "string", |call| Ok(Value::str(call.shown(call.arg(0))))).model(),
    function("familyof", &[("member", "std::OS", None), ("family", "string", None)], "bool", family_of).model(),
    function("get_env", NAME, "string", |call| match (environment(call), call.arg(1)) {
        (Some(text), _) => Ok(Value::str(text)),
        (None, Value::Str(text)) => Ok(Value::Str(text.clone())),
        _ => Err(Fail::Unknown),
    })
    .model(),
    function(
        "get_env_int",
        &[("name", "string", None), ("default_value", "int?", Some(Default::Null))],
        "int",
        |call| match (environment(call), call.arg(1)) {
            (Some(text), _) => match text.trim().parse::<i64>() {
                Ok(number) => Ok(Value::Int(number)),
                Err(_) => fail(format!("invalid literal for int() with base 10: '{text}'")),
            },
            (None, Value::Null) => Err(Fail::Unknown),
            (None, default) => Ok(default.clone()),
        },
    )
    .model(),
    // Only an agent can read what these refer to.
    function("create_environment_reference", &[("name", "string", None)], "any", |_| Err(Fail::Reference)).reference(),
    function(
        "create_fact_reference",
        &[("resource", "std::Resource", None), ("fact_name", "string", None)],
        "any",
        |_| Err(Fail::Reference),
    )
    .reference(),
    function("create_int_reference", &[("value", "any", None)], "any", |_| Err(Fail::Reference)).reference(),
    function("environment", &[], "string", |_| {
        fail("The environment of this model should be configured in config>environment")
    })
    .model(),
    function("environment_name", &[], "string", |_| {
        fail("The environment of this model should be configured in config>environment")
    })
    .model(),
    function("environment_server", &[], "string", |_| Ok(Value::str("localhost"))).model(),
    function("server_ca", &[], "string", |_| Ok(Value::str(""))).model(),
    function("server_ssl", &[], "bool", |_| Ok(Value::Bool(false))).model(),
    function("server_token", &[("client_types", "string[]", Some(Default::Agent))], "string", |_| Ok(Value::str("")))
        .model(),
    function("server_port", &[], "int", |_| Ok(Value::Int(8888))).model(),
    function(
        "getfact",
        &[("resource", "any", None), ("fact_name", "string", None), ("default_value", "any", Some(Default::Null))],
        "any",
        |call| match call.arg(2) {
            // Facts come from a server, and there is none here.
            Value::Null => Err(Fail::Unknown),
            default => Ok(default.clone()),
        },
    )
    .model(),
    function("timestamp", &[("dummy", "any", Some(Default::Null))], "int", |call| match &call.place {
        Place::Model { machine, .. } => Ok(Value::Int(machine.context.now())),
        Place::Type(..) => fail("no clock here"),
    })
    .model(),
    function("type", &[("obj", "any", None)], "any", |_| fail("'value' is no attribute")).model(),
];

fn environment(call: &Call) -> Option<String> {
    match &call.place {
        Place::Model { machine, .. } => machine.context.environment(&call.text(0)),
        Place::Type(..) => None,
    }
}

fn attribute_or_default(call: &mut Call) -> CallResult {
    if call.arg(0).is_unknown() {
        return Err(Fail::Unknown);
    }
    match call.attribute(call.arg(0), &call.text(1)) {
        Err(Fail::External(_)) => Ok(call.arg(2).clone()),
        Err(Fail::Unknown) if call.bool(3) => Ok(call.arg(2).clone()),
        other => other,
    }
}

fn is_instance(call: &mut Call) -> CallResult {
    let name = call.text(1);
    let program = call.program();
    let Some(ty) = program.named_type(&name) else { return fail(format!("could not find type {name}")) };
    let fits = matches!(ty, Ty::Entity(_)) && super::validate(program, &ty, call.arg(0), call.model()).is_ok();
    Ok(Value::Bool(fits))
}

/// Whether an operating system is of a family. The last one of a chain is never compared, except the first.
fn family_of(call: &mut Call) -> CallResult {
    let family = call.text(1);
    let mut member = call.arg(0).clone();
    let is_family = |call: &Call, member: &Value| -> Result<bool, Fail> {
        Ok(matches!(call.attribute(member, "name")?, Value::Str(name) if name == family))
    };
    if is_family(call, &member)? {
        return Ok(Value::Bool(true));
    }
    for _ in 0..1000 {
        let next = match call.attribute(&member, "family") {
            Err(Fail::Raise(_)) => return Ok(Value::Bool(false)),
            other => other?,
        };
        if matches!(next, Value::Null) {
            return Ok(Value::Bool(false));
        }
        if is_family(call, &member)? {
            return Ok(Value::Bool(true));
        }
        member = next;
    }
    Ok(Value::Bool(false))
}
