//! Functions on files of modules, and templates.

use std::path::PathBuf;

use md5::Digest;

use super::super::error::{Class, Raise};
use super::super::value::Value;
use super::{Call, CallResult, Default, Fail, Machine, Native, Place, fail, function};
use crate::diag::Code;
use crate::source::hex;

const PATH: &[super::Argument] = &[("path", "string", None)];

pub(super) const NATIVES: &[Native] = &[
    function("template", PATH, "string", super::super::template::render).named().model(),
    function("source", PATH, "string", source).model(),
    function("file", PATH, "string", |call| {
        let (path, _) = content(call)?;
        Ok(Value::str(format!("imp-module-source:file://{}", path.display())))
    })
    .model(),
    function("list_files", PATH, "list", |call| {
        let path = located(call, "files")?;
        let Place::Model { machine, .. } = &call.place else { return fail("no files here") };
        Ok(Value::list(machine.context.files(&path).into_iter().map(Value::str).collect()))
    })
    .model(),
    function(
        "unique_file",
        &[
            ("prefix", "string", None),
            ("seed", "string", None),
            ("suffix", "string", None),
            ("length", "int", Some(Default::Int(20))),
        ],
        "string",
        |call| {
            let digest = hex(&md5::Md5::digest(call.text(1).as_bytes()));
            Ok(Value::str(format!("{}{digest}{}", call.text(0), call.text(2))))
        },
    ),
    function(
        "generate_password",
        &[("pw_id", "string", None), ("length", "int", Some(Default::Int(20)))],
        "string",
        // Making one writes a file, and evaluation writes nothing.
        |call| password(call).or(Err(Fail::Unknown)),
    )
    .model(),
    function("password", &[("pw_id", "string", None)], "string", password).model(),
];

/// The path of a file of a module: `module/path`, `/path` of the project, or `./path` of the own module.
pub fn located(call: &Call, folder: &str) -> Result<PathBuf, Fail> {
    let Place::Model { machine, node, .. } = &call.place else { return fail("no files here") };
    let written = call.text(0);
    let own = machine.program.ns(machine.program.ast.node(*node).ns).name.split("::").next().unwrap_or_default();
    let path = match written.strip_prefix("./") {
        Some(rest) => format!("{own}/{rest}"),
        None => written.to_string(),
    };
    let (module, rest) = path.split_once('/').unwrap_or((&path, ""));
    if rest.split('/').any(|part| part == "..") {
        return fail(format!("{written} leaves the module"));
    }
    match machine.module_folder(module) {
        Some(root) => Ok(root.join(folder).join(rest)),
        None => {
            let message = format!("Module {module} does not exist for path {path}");
            let raise = Raise::new(Class::External, message).with_code(Code::UnknownFile);
            let near = crate::diag::nearest(module, machine.program.modules.keys().map(String::as_str));
            Err(Fail::Raise(raise.with_help(match near {
                Some(near) => format!("did you mean `{near}/{rest}`?"),
                None => format!("the first part of the path is a module: import `{module}`, or correct it"),
            })))
        }
    }
}

/// The file that a path with a module names, if that module is loaded.
pub fn in_module(machine: &Machine, path: &str, folder: &str) -> Option<PathBuf> {
    let (module, rest) = path.split_once('/')?;
    let leaves = rest.split('/').any(|part| part == "..");
    let root = if leaves { None } else { machine.module_folder(module) };
    Some(root?.join(folder).join(rest))
}

fn content(call: &Call) -> Result<(PathBuf, std::sync::Arc<str>), Fail> {
    let path = located(call, "files")?;
    let Place::Model { machine, .. } = &call.place else { return fail("no files here") };
    match machine.context.file(&path) {
        Some(text) => Ok((path, text)),
        None => fail(format!("{} isn't a valid file ({})", call.text(0), path.display())),
    }
}

fn source(call: &mut Call) -> CallResult {
    content(call).map(|(_, text)| Value::Str(text))
}

/// A password that was made before; they are in a file of the project.
fn password(call: &mut Call) -> CallResult {
    let Place::Model { machine, .. } = &call.place else { return fail("no files here") };
    let id = call.text(0);
    if id.contains('=') {
        return fail("The password id cannot contain =");
    }
    let path = machine.context.project().join("data").join("passwordfile.txt");
    let text = machine.context.file(&path);
    let found = text.iter().flat_map(|text| text.lines()).find_map(|line| {
        let (name, password) = line.split_once('=')?;
        (name.trim() == &*id).then(|| password.trim().to_string())
    });
    match found {
        Some(password) => Ok(Value::str(password)),
        None => fail(format!("Password {id} does not exist in file {}", path.display())),
    }
}
