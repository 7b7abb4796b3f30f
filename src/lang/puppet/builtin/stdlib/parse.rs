//! Functions that read data from texts and files.

use std::path::Path;

use super::Function;
use crate::lang::puppet::call::Call;
use crate::lang::puppet::convert;
use crate::lang::puppet::eval::Evaluator;
use crate::lang::puppet::lookup;
use crate::lang::puppet::stop::{At, Run};
use crate::lang::puppet::value::Value;

pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "parsejson",
        signature: "parsejson(String text, Optional[Any] default)",
        doc: "The data of a JSON text, or the default where it cannot be read.",
        examples: &[("parsejson('{\"a\": 1}')", "{'a' => 1}")],
        call: |_, c| parsed(c, json),
        ..Function::PLAIN
    },
    Function {
        name: "parseyaml",
        signature: "parseyaml(String text, Optional[Any] default)",
        doc: "The data of a YAML text, or the default where it cannot be read.",
        examples: &[("parseyaml('a: [1]')", "{'a' => [1]}")],
        call: |_, c| parsed(c, yaml),
        ..Function::PLAIN
    },
    old_name!("parsehocon"),
    Function {
        name: "stdlib::parsehocon",
        signature: "stdlib::parsehocon(String text, Optional[Any] default)",
        doc: "The data of a HOCON text, or the default where it cannot be read.",
        examples: &[("stdlib::parsehocon('a { b = 1 }')", "{'a' => {'b' => 1}}")],
        call: |_, c| match (hocon(&c.text(0)?), c.args.get(1)) {
            (Ok(value), _) => Ok(value),
            (Err(_), Some(default)) => Ok(default.clone()),
            (Err(problem), None) => c.fail(format!("{}(): {problem}", c.name)),
        },
        ..Function::PLAIN
    },
    Function {
        name: "loadjson",
        signature: "loadjson(String path, Optional[Any] default)",
        doc: "The data of a JSON file, or the default where there is none.",
        call: |e, c| loaded(e, c, json),
        ..Function::PLAIN
    },
    Function {
        name: "loadyaml",
        signature: "loadyaml(String path, Optional[Any] default)",
        doc: "The data of a YAML file, or the default where there is none.",
        call: |e, c| loaded(e, c, yaml),
        ..Function::PLAIN
    },
    Function {
        name: "load_module_metadata",
        signature: "load_module_metadata(String module, Optional[Boolean] may_be_missing)",
        doc: "What `metadata.json` of a module says.",
        call: load_module_metadata,
        ..Function::PLAIN
    },
];

type Reader = fn(&str) -> Result<Value, String>;

fn json(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map(|data| convert::from_json(&data)).map_err(|problem| problem.to_string())
}

fn yaml(text: &str) -> Result<Value, String> {
    lookup::yaml::read(text).map(|document| document.value).map_err(|wrong| wrong.to_string())
}

fn hocon(text: &str) -> Result<Value, String> {
    lookup::hocon::read(text).map(|document| document.value).map_err(|wrong| wrong.to_string())
}

fn data_of(call: &Call, text: &str, read: Reader) -> Run {
    let default = call.args.get(1);
    match (read(text), default) {
        (Ok(value), default) if !value.is_true() => Ok(default.cloned().unwrap_or(Value::Undef)),
        (Ok(value), _) => Ok(value),
        (Err(_), Some(default)) if default.is_true() => Ok(default.clone()),
        (Err(problem), _) => Err(format!("{}(): {problem}", call.name)).at(call.span),
    }
}

fn parsed(call: &Call, read: Reader) -> Run {
    call.between(1, usize::MAX)?;
    match (call.arg(0), call.args.get(1)) {
        (Value::Str(text), _) => data_of(call, text, read),
        (_, Some(default)) if default.is_true() => Ok(default.clone()),
        (other, _) => super::wrong(call, 0, "a String", other),
    }
}

fn loaded(e: &mut Evaluator<'_>, call: &Call, read: Reader) -> Run {
    call.between(1, usize::MAX)?;
    let path = call.text(0)?;
    if path.starts_with("http://") || path.starts_with("https://") {
        return e.output.ruby(&e.inputs, &format!("{}() of {path}", call.name), call.span);
    }
    match e.inputs.files.read(Path::new(&*path)) {
        Some(bytes) => data_of(call, &String::from_utf8_lossy(&bytes), read),
        None => {
            e.output.log("warning", format!("{}(): there is no file {path}", call.name));
            Ok(call.args.get(1).cloned().unwrap_or(Value::Undef))
        }
    }
}

fn load_module_metadata(e: &mut Evaluator<'_>, call: &Call) -> Run {
    call.between(1, 2)?;
    let module = call.text(0)?;
    let Some(folder) = e.inputs.module_dir(&module) else {
        return call.fail(format!("load_module_metadata(): there is no module {module}"));
    };
    match e.inputs.files.read(&folder.join("metadata.json")) {
        Some(bytes) => json(&String::from_utf8_lossy(&bytes)).at(call.span),
        None if call.arg(1).is_true() => Ok(Value::hash(Default::default())),
        None => call.fail(format!("load_module_metadata(): the module {module} has no metadata.json")),
    }
}
