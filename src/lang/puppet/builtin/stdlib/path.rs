//! Functions over paths.

use super::Function;
use crate::lang::puppet::value::Value;

pub(super) const FUNCTIONS: &[Function] = &[Function {
    name: "get_module_path",
    signature: "get_module_path(String module)",
    doc: "The folder of a module.",
    call: |e, c| {
        c.between(1, 1)?;
        let module = c.text(0)?;
        match e.inputs.module_dir(&module) {
            Some(path) => Ok(Value::str(path.to_string_lossy().as_ref())),
            None => c.fail(format!("get_module_path(): there is no module {module}")),
        }
    },
    ..Function::PLAIN
}];
