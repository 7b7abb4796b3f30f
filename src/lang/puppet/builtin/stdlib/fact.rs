//! Functions that read the facts of the node.

use super::Function;
use crate::lang::puppet::call::Call;
use crate::lang::puppet::eval::Evaluator;
use crate::lang::puppet::stop::Run;
use crate::lang::puppet::value::Value;

pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "fact",
        signature: "fact(String name)",
        doc: "A fact by its path, such as `os.family`; undef where there is none.",
        examples: &[("fact('os.family')", "'Debian'")],
        call: fact,
        ..Function::PLAIN
    },
    old_name!("has_interface_with"),
    Function {
        name: "stdlib::has_interface_with",
        signature: "stdlib::has_interface_with(String[1] kind, Optional[String[1]] value)",
        doc: "Whether there is an interface of a name, or one with a value such as `'ipaddress', '127.0.0.1'`.",
        call: has_interface_with,
        ..Function::PLAIN
    },
];

/// The parts of a path; a part in double quotes may have points.
fn path(name: &str) -> Vec<String> {
    let (mut out, mut part, mut is_quoted) = (Vec::new(), String::new(), false);
    for c in name.chars().chain(['.']) {
        match c {
            '"' => is_quoted = !is_quoted,
            '.' if !is_quoted => {
                if !part.is_empty() {
                    out.push(std::mem::take(&mut part));
                }
            }
            c => part.push(c),
        }
    }
    out
}

fn fact(e: &mut Evaluator<'_>, call: &Call) -> Run {
    let name = call.text(0)?;
    let mut at = e.inputs.settings.facts.clone();
    if let Some(unknown) = path(&name).first().and_then(|first| e.loader().ruby_fact(first)) {
        return Ok(unknown);
    }
    for part in path(&name) {
        at = match &at {
            Value::Undef => return Ok(Value::Undef),
            Value::Hash(map) => map.get(&Value::str(part.as_str())).cloned().unwrap_or(Value::Undef),
            Value::Array(list) => match part.parse::<i64>() {
                Ok(index) => super::super::collection::element(list, index),
                Err(_) => {
                    e.output.log("warning", format!("fact(): '{part}' of '{name}' is not an index of an array"));
                    Value::Undef
                }
            },
            _ => {
                e.output.log("warning", format!("fact(): nothing can be below '{part}' of '{name}'"));
                Value::Undef
            }
        };
    }
    Ok(at)
}

fn has_interface_with(e: &mut Evaluator<'_>, call: &Call) -> Run {
    let interfaces = e.inputs.settings.facts.get("networking").and_then(|n| n.get("interfaces"));
    let Some(Value::Hash(interfaces)) = interfaces else {
        return call.fail(format!("{}(): the facts have no interfaces", call.name));
    };
    let kind = call.text(0)?;
    let Some(value) = call.args.get(1) else {
        return Ok(Value::Bool(interfaces.contains_key(call.arg(0))));
    };
    let key = match &*kind {
        "ipaddress" | "ip" => "ip",
        "macaddress" | "mac" => "mac",
        "netmask" | "network" => &*kind,
        other => return call.fail(format!("{}(): '{other}' is not a property of an interface", call.name)),
    };
    Ok(Value::Bool(interfaces.values().any(|interface| interface.get(key) == Some(value))))
}
