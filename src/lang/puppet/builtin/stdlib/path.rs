//! Functions over paths.

use super::{Function, wrong};
use crate::lang::puppet::call::Call;
use crate::lang::puppet::eval::Evaluator;
use crate::lang::puppet::stop::Run;
use crate::lang::puppet::value::Value;

pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "basename",
        signature: "basename(String path, Optional[String] suffix)",
        doc: "The last part of a path, without a suffix.",
        call: basename,
    },
    Function {
        name: "dirname",
        signature: "dirname(String path)",
        doc: "The path without its last part.",
        call: dirname,
    },
    Function {
        name: "stdlib::extname",
        signature: "stdlib::extname(String path)",
        doc: "The extension of a path, with its point.",
        call: |_, c| Ok(Value::str(extension(last(&c.text(0)?)))),
    },
    Function {
        name: "get_module_path",
        signature: "get_module_path(String module)",
        doc: "The folder of a module.",
        call: |e, c| {
            c.between(1, 1)?;
            let module = c.text(0)?;
            match e.module_dir(&module) {
                Some(path) => Ok(Value::str(path.to_string_lossy().as_ref())),
                None => c.fail(format!("get_module_path(): there is no module {module}")),
            }
        },
    },
];

/// The last part of a path; `/` of the root.
fn last(path: &str) -> &str {
    let trimmed = path.trim_end_matches('/');
    match trimmed.rsplit_once('/') {
        Some((_, last)) => last,
        None if trimmed.is_empty() && !path.is_empty() => "/",
        None => trimmed,
    }
}

/// From the last point on, unless it begins the name.
fn extension(name: &str) -> &str {
    let begins = name.len() - name.trim_start_matches('.').len();
    match name.rfind('.') {
        Some(at) if at >= begins.max(1) => &name[at..],
        _ => "",
    }
}

fn basename(_: &mut Evaluator<'_>, call: &Call) -> Run {
    call.between(1, 2)?;
    let path = call.text(0)?;
    let name = last(&path);
    let suffix = if call.args.len() > 1 { call.text(1)? } else { "".into() };
    let without = match &*suffix {
        ".*" => name.strip_suffix(extension(name)),
        suffix => name.strip_suffix(suffix).filter(|rest| !rest.is_empty()),
    };
    Ok(Value::str(without.unwrap_or(name)))
}

fn dirname(_: &mut Evaluator<'_>, call: &Call) -> Run {
    call.between(1, 1)?;
    let path = match call.arg(0) {
        Value::Str(path) if !path.is_empty() => path,
        other => return wrong(call, 0, "a path", other),
    };
    let trimmed = path.trim_end_matches('/');
    let folder = match trimmed.rfind('/') {
        Some(at) => trimmed[..at].trim_end_matches('/'),
        None if trimmed.is_empty() => "",
        None => return Ok(Value::str(".")),
    };
    Ok(Value::str(if folder.is_empty() { "/" } else { folder }))
}
