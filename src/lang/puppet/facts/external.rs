//! External facts: files in `facts.d`, of the machine and of modules. Programs there are never run.

use std::path::{Path, PathBuf};

use super::{Facts, Known};
use crate::diag::{Code, Diagnostic, Diagnostics, Severity};
use crate::lang::puppet::convert;
use crate::lang::puppet::lookup::yaml;
use crate::lang::puppet::value::{Map, Value};
use crate::world::Read;

/// Where Facter has them.
const FOLDERS: [&str; 3] = ["/opt/puppetlabs/facter/facts.d", "/etc/facter/facts.d", "/etc/puppetlabs/facter/facts.d"];

/// What is read in any case.
pub(super) const READS: &[Known] = &[
    || Read::Folder("/opt/puppetlabs/facter/facts.d".into()),
    || Read::Folder("/etc/facter/facts.d".into()),
    || Read::Folder("/etc/puppetlabs/facter/facts.d".into()),
];

/// Adds the external facts; a file that cannot be parsed is reported.
pub fn add(facts: &mut Facts<'_>, module_path: &[PathBuf], diagnostics: &mut Diagnostics) {
    let mut folders: Vec<PathBuf> = Vec::new();
    for path in module_path {
        folders.extend(facts.names(path).into_iter().map(|module| path.join(module).join("facts.d")));
    }
    folders.extend(FOLDERS.map(PathBuf::from));
    let is_root =
        facts.map.get(&Value::str("identity")).and_then(|one| one.get("privileged")) == Some(&Value::Bool(true));
    if let Some(home) = facts.pairs(&Read::Environment).get("HOME").filter(|home| !is_root && !home.is_empty()) {
        folders.push(Path::new(home).join(".facter/facts.d"));
        folders.push(Path::new(home).join(".puppetlabs/opt/facter/facts.d"));
    }
    for folder in folders {
        for name in facts.names(&folder) {
            let path = folder.join(&name);
            let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
            let read = match extension {
                "txt" => Ok(lines(&facts.text(&path))),
                "json" => serde_json::from_str(&facts.text(&path))
                    .map(|json| convert::from_json(&json))
                    .map_err(|e| e.to_string()),
                "yaml" | "yml" => {
                    yaml::read(&facts.text(&path)).map(|read| read.value).map_err(|wrong| wrong.to_string())
                }
                _ => continue,
            };
            match read {
                Ok(Value::Hash(map)) => facts.map.extend(map.iter().map(|(k, v)| (lower(k), v.clone()))),
                Ok(Value::Undef) => {}
                Ok(_) => warn(diagnostics, &path, "facts are names with values"),
                Err(why) => warn(diagnostics, &path, &why),
            }
        }
    }
}

fn lower(name: &Value) -> Value {
    Value::str(convert::string(name).to_lowercase())
}

/// Lines of `name=value`.
fn lines(text: &str) -> Value {
    let pairs = text.lines().filter_map(|line| line.split_once('='));
    let map: Map = pairs.map(|(name, value)| (Value::str(name.trim()), Value::str(value.trim()))).collect();
    Value::hash(map)
}

fn warn(diagnostics: &mut Diagnostics, path: &Path, why: &str) {
    let mut diagnostic = Diagnostic::placeless(Code::InvalidSetting).label(format!("{}: {why}", path.display()));
    diagnostic.severity = Severity::Warning;
    diagnostics.push(diagnostic.help("the facts of this file are left out"));
}
