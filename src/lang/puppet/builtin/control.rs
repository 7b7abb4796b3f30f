//! Logging, failing, and leaving a lambda, a function or a class.

use super::{Function, Unknown};
use crate::diag::Code;
use crate::lang::puppet::call::Call;
use crate::lang::puppet::convert;
use crate::lang::puppet::eval::Evaluator;
use crate::lang::puppet::issue::IssueName;
use crate::lang::puppet::scope::Owner;
use crate::lang::puppet::stop::{Help, Run, Stop, fail, misplaced};
use crate::lang::puppet::types;
use crate::lang::puppet::value::Value;

macro_rules! level {
    ($name:literal, $level:literal) => {
        Function {
            name: $name,
            signature: concat!($name, "(Any *values)"),
            doc: "Logs the values with this level.",
            takes: &[("Callable[[Any, 0], Undef]", "values")],
            unknown: Unknown::Shows,
            call: |e, c| log(e, c, $level),
            ..Function::PLAIN
        }
    };
}

pub(super) const FUNCTIONS: &[Function] = &[
    level!("debug", "debug"),
    level!("info", "info"),
    level!("notice", "notice"),
    level!("warning", "warning"),
    level!("err", "err"),
    level!("alert", "alert"),
    level!("crit", "crit"),
    level!("emerg", "emerg"),
    Function {
        name: "fail",
        signature: "fail(Any *values)",
        doc: "Ends the compilation with a message.",
        unknown: Unknown::Shows,
        call: fail_,
        ..Function::PLAIN
    },
    Function {
        name: "next",
        signature: "next(Optional[Any] value)",
        doc: "Ends the lambda with a value.",
        is_pure: true,
        call: |_, c| {
            c.between(0, 1)?;
            Err(Stop::Next(c.arg(0).clone()))
        },
        ..Function::PLAIN
    },
    Function {
        name: "break",
        signature: "break()",
        doc: "Ends the iteration.",
        is_pure: true,
        call: |_, c| {
            c.between(0, 0)?;
            Err(Stop::Break(c.span))
        },
        ..Function::PLAIN
    },
    Function {
        name: "return",
        signature: "return(Optional[Any] value)",
        doc: "Ends the function, class or define.",
        is_pure: true,
        call: return_,
        ..Function::PLAIN
    },
    Function {
        name: "call",
        signature: "call(String name, Any *args)",
        doc: "Calls a function by its name.",
        examples: &[("call('upcase', 'a')", "'A'")],
        call: call_by_name,
        ..Function::PLAIN
    },
    Function {
        name: "import",
        signature: "import(String file)",
        doc: "Gone.",
        call: |_, c| {
            fail(
                c.span,
                IssueName::DiscontinuedImport,
                "Use of 'import' has been discontinued in favor of a manifest directory. See http://links.puppet.com/puppet-import-deprecation",
            )
        },
        ..Function::PLAIN
    },
];

fn joined(call: &Call) -> String {
    let text = |value: &Value| match value {
        Value::Type(ty) => types::expanded(ty),
        other => convert::string(other),
    };
    call.args.iter().map(text).collect::<Vec<_>>().join(" ")
}

fn fail_(e: &mut Evaluator<'_>, call: &Call) -> Run {
    let refused = call.fail(joined(call)).code(Code::ProgramFailed);
    let around = e.scopes.get(e.scopes.declaring(call.scope)).resource.map(|id| e.catalog.get(id));
    let help = "the program ends here by `fail`: change the values that its condition reads";
    match around.filter(|owner| owner.span != call.span && &*owner.title != "main") {
        Some(owner) => refused.related(owner.span, format!("{} is declared here", owner.reference())).help(help),
        None => refused.help(help),
    }
}

fn log(e: &mut Evaluator<'_>, call: &Call, level: &'static str) -> Run {
    e.output.log(level, joined(call));
    Ok(Value::Undef)
}

fn return_(e: &mut Evaluator<'_>, call: &Call) -> Run {
    call.between(0, 1)?;
    let mut at = Some(call.scope);
    while let Some(id) = at {
        let scope = e.scopes.get(id);
        match scope.owner {
            Owner::Function | Owner::Class(_) | Owner::Define | Owner::Node | Owner::Body => {
                return Err(Stop::Return(call.arg(0).clone(), call.span));
            }
            Owner::Top => break,
            Owner::Local => at = scope.parent,
        }
    }
    misplaced(call.span, "return")
}

fn call_by_name(e: &mut Evaluator<'_>, call: &Call) -> Run {
    if let Value::Object(object) = call.arg(0)
        && let Some((_, Value::Str(name))) = object.attributes.first()
    {
        let args = match object.attributes.get(1) {
            Some((_, Value::Array(list))) => list.to_vec(),
            _ => Vec::new(),
        };
        return deferred(e, call, &name.clone(), args);
    }
    let name = call.text(0)?;
    let args = call.args[1..].to_vec();
    e.call(Call { name, args, block: call.block.clone(), scope: call.scope, span: call.span })
}

/// A deferred call of a function, or a variable.
fn deferred(e: &mut Evaluator<'_>, call: &Call, name: &str, args: Vec<Value>) -> Run {
    let resolved = args.into_iter().map(|arg| match &arg {
        Value::Object(object) if *types::object_name(&object.ty) == *"Deferred" => {
            e.call(call.other("call", vec![arg]))
        }
        _ => Ok(arg),
    });
    let args = resolved.collect::<Run<Vec<Value>>>()?;
    if let Some(variable) = name.strip_prefix('$') {
        let value = e.variable(variable, call.scope, call.span)?;
        if args.is_empty() {
            return Ok(value);
        }
        let mut all = vec![value];
        all.extend(args);
        return e.call(call.other("dig", all));
    }
    e.call(call.other(name, args))
}
