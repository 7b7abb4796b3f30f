//! The kind `sysctl`: manages a kernel parameter, now and for the next boot.

use std::path::{Path, PathBuf};

use super::reader::{Reader, absolute};
use super::steps::Steps;
use super::whole_file::WholeFile;
use super::{Checked, Kind, Schema, Turn, schema};
use crate::graph::Value;
use crate::host::{HostError, KernelChange, Look, SystemChange, is_kernel_key};
use crate::plan::Action;
use crate::source::printable;

/// The kind `sysctl`, which manages a kernel parameter.
pub struct Sysctl;

impl Kind for Sysctl {
    fn schema(&self) -> &'static Schema {
        schema("sysctl").expect("the schemas name every built-in kind")
    }

    fn validate(&self, given: &Reader) -> Result<(), String> {
        let name = given.name;
        if name.contains(['/', '=']) || name.starts_with('.') || name.ends_with('.') || name.trim() != name {
            return Err(format!("the name is `{name}`; expected for example `vm.swappiness`"));
        }
        given.needs("value")?;
        if given.text("value").is_some_and(|value| value.trim() != value) {
            return Err("`value` starts or ends with a space".into());
        }
        let is_off = |param: &str| given.get(param) == Some(&Value::Bool(false));
        if is_off("runtime") && is_off("persist") {
            return Err("`runtime` and `persist` are both false, so nothing would be set".into());
        }
        match given.filled("path").filter(|_| !is_off("persist")) {
            Some(path) if !path.ends_with(".conf") => Err(format!("`path` is `{path}`; it must end in `.conf`")),
            Some(path) => absolute("path", path),
            None => Ok(()),
        }
    }

    fn check(&self, turn: &Turn, look: &dyn Look) -> Result<Checked, HostError> {
        let key = turn.name;
        if !is_kernel_key(key) {
            return Err(HostError::Refused(format!("`{}` is not a valid kernel parameter", printable(key))));
        }
        let value = turn.text("value")?.ok_or_else(|| HostError::Refused("`value` must be set".into()))?;
        if value.trim() != value || value.contains(['\n', '\r', '\0']) {
            return Err(HostError::Refused("`value` must be one line without spaces around it".into()));
        }
        let (runtime, persist) = (is_on(turn, "runtime")?, is_on(turn, "persist")?);
        if !runtime && !persist {
            return Err(HostError::Refused("`runtime` and `persist` cannot both be false".into()));
        }
        let mut steps = Steps::default();
        if persist {
            let file = WholeFile { path: path(turn)?, mode: 0o644, content: format!("{key} = {value}\n") };
            file.differs(look, "stored", &mut steps)?;
        }
        if runtime {
            let have = look.parameter(key)?;
            let have = have.ok_or_else(|| HostError::Refused(format!("this kernel has no parameter `{key}`")))?;
            if words(&have) != words(value) {
                steps.differs("value", Some(have), Some(value.to_owned()));
                let change = KernelChange { key: key.to_owned(), value: value.to_owned() };
                steps.change(SystemChange::Kernel(change), look)?;
            }
        }
        Ok(steps.seen(Action::Change))
    }
}

/// True by default.
fn is_on(turn: &Turn, param: &str) -> Result<bool, HostError> {
    match turn.params.get(param) {
        None | Some(Value::Null) => Ok(true),
        Some(_) => turn.flag(param),
    }
}

fn path(turn: &Turn) -> Result<PathBuf, HostError> {
    let path = match turn.text("path")? {
        Some(path) => PathBuf::from(path),
        None => Path::new("/etc/sysctl.d").join(format!("99-{}.conf", turn.name)),
    };
    if !path.is_absolute() {
        return Err(HostError::BadPath { path, why: "it is not absolute" });
    }
    if path.extension().is_none_or(|extension| extension != "conf") {
        return Err(HostError::BadPath { path, why: "files read at boot end in `.conf`" });
    }
    Ok(path)
}

/// The kernel writes tabs where users write blanks.
fn words(value: &str) -> Vec<&str> {
    value.split_whitespace().collect()
}
