//! The facts of a node: from a file, or a small set that is read from this machine.

use std::path::Path;

use super::eval::convert;
use super::lookup;
use super::value::Value;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::module::load_text;
use crate::source::{Sources, Span};
use crate::world::World;

/// Facts from a JSON or YAML file.
pub fn from_file(
    world: &dyn World,
    path: &Path,
    sources: &mut Sources,
    diagnostics: &mut Diagnostics,
) -> Option<Value> {
    let file = load_text(world, path, None, sources, diagnostics)?;
    let text = sources.file(file).text.clone();
    match serde_json::from_str(&text).map_err(|e| e.to_string()).or_else(|json| lookup::yaml(&text).map_err(|_| json)) {
        Ok(facts @ serde_json::Value::Object(_)) => Some(convert::from_json(&facts)),
        Ok(_) => {
            let problem = Diagnostic::error(Code::InvalidSetting, Span::new(file, 0, 0));
            diagnostics.push(problem.label("facts are an object with names and values"));
            None
        }
        Err(problem) => {
            diagnostics.push(Diagnostic::error(Code::InvalidSetting, Span::new(file, 0, 0)).label(problem));
            None
        }
    }
}

/// What this machine is: its name and its system.
pub fn of_machine(world: &dyn World) -> Value {
    let fqdn = world.hostname();
    let host = fqdn.split('.').next().unwrap_or_default();
    let release =
        world.file(Path::new("/etc/os-release")).map(|b| String::from_utf8_lossy(&b).into_owned()).unwrap_or_default();
    let field = |name: &str| {
        release
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix('='))
            .map_or("", |v| v.trim_matches('"'))
            .to_string()
    };
    let (id, like) = (field("ID"), field("ID_LIKE"));
    let family = match (&*id, &*like) {
        ("debian" | "ubuntu", _) => "Debian",
        (_, like) if like.contains("debian") => "Debian",
        ("fedora" | "rhel" | "centos" | "rocky" | "almalinux", _) => "RedHat",
        (_, like) if like.contains("rhel") || like.contains("fedora") => "RedHat",
        ("arch", _) => "Archlinux",
        ("alpine", _) => "Alpine",
        (_, like) if like.contains("suse") => "Suse",
        _ => "Linux",
    };
    let name = match &*id {
        "debian" => "Debian".to_string(),
        "ubuntu" => "Ubuntu".into(),
        "fedora" => "Fedora".into(),
        _ => field("NAME"),
    };
    let version = field("VERSION_ID");
    let major = version.split('.').next().unwrap_or_default();
    convert::from_json(&serde_json::json!({
        "kernel": "Linux",
        "networking": {"fqdn": fqdn, "hostname": host, "domain": fqdn.split_once('.').map_or("", |(_, d)| d)},
        "os": {"name": name, "family": family, "release": {"full": version, "major": major}},
        "puppetversion": "8.11.0",
    }))
}
