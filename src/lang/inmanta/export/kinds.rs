//! The resource types that are known by name: which attributes name them, and what they are in our words.

use std::sync::Arc;

use super::fields::Fields;
use crate::graph::{Declaration, Mapping, Meta, Value};

/// A resource type: its entity, the path to the agent, the attribute that identifies it, and its kind.
pub struct Known {
    pub entity: &'static str,
    pub agent: &'static str,
    pub id: &'static str,
    pub map: fn(&Fields) -> Mapped,
}

const fn known(entity: &'static str, agent: &'static str, id: &'static str, map: fn(&Fields) -> Mapped) -> Known {
    Known { entity, agent, id, map }
}

/// On a host, named by its path or by its name.
const fn at(entity: &'static str, map: fn(&Fields) -> Mapped) -> Known {
    known(entity, "host.name", "path", map)
}

const fn named(entity: &'static str, map: fn(&Fields) -> Mapped) -> Known {
    known(entity, "host.name", "name", map)
}

/// The resource types that are known by name.
pub const KNOWN: &[Known] = &[
    at("std::File", file),
    at("std::Directory", folder),
    known("std::Symlink", "host.name", "target", |fields| link(fields, "source")),
    named("std::Package", package),
    named("std::Service", service),
    known("std::testing::NullResource", "agentname", "name", nothing),
    at("fs::File", file),
    at("fs::Directory", folder),
    known("fs::Symlink", "host.name", "dst", |fields| link(fields, "src")),
    at("files::TextFile", file),
    at("files::Directory", folder),
    at("files::Symlink", |fields| link(fields, "target")),
    named("apt::Package", package),
    named("apt::Repository", repository),
    known("exec::Run", "host.name", "command", command),
    named("user::User", user),
    named("user::Group", group),
    named("cron::Cronjob", cronjob),
    named("ssh::AuthorizedKey", authorized_key),
];

/// Kinds that act on an event of what they require.
const TAKES_EVENTS: &[&str] = &["exec", "svc"];

/// Whether an event means anything to a resource; unknown where nothing here implements it.
pub fn takes_events(mapping: &Mapping) -> bool {
    match mapping {
        Mapping::To(draft) => TAKES_EVENTS.contains(&&*draft.kind),
        _ => true,
    }
}

/// What a resource is in our words, and which of its attributes have no effect here.
pub struct Mapped {
    pub declaration: Declaration,
    pub meta: Meta,
    pub ignored: Vec<&'static str>,
}

impl Mapped {
    fn new(kind: &str, name: impl Into<Arc<str>>) -> Self {
        let declaration = Declaration { kind: kind.into(), name: name.into(), params: Default::default() };
        Mapped { declaration, meta: Meta::default(), ignored: Vec::new() }
    }

    fn set(mut self, param: &'static str, value: Value) -> Self {
        self.declaration.params.set(param, value);
        self
    }

    /// The value of an attribute under our name; nothing where it is null or an empty text.
    fn take(self, fields: &Fields, attribute: &str, param: &'static str) -> Self {
        match fields.set(attribute) {
            Some(value) => self.set(param, value),
            None => self,
        }
    }

    /// An attribute that cannot be kept, where it differs from the value that changes nothing.
    fn ignored(mut self, fields: &Fields, attribute: &'static str, usual: &Value) -> Self {
        if fields.set(attribute).is_some_and(|value| value != *usual) {
            self.ignored.push(attribute);
        }
        self
    }

    /// Present or purged; what a purged one is like does not matter.
    fn present(self, fields: &Fields, rest: impl FnOnce(Self) -> Self) -> Mapped {
        match fields.get("purged") {
            Some(Value::Bool(true)) => self.set("state", "absent".into()),
            Some(Value::Unknown) => rest(self.set("state", Value::Unknown)),
            _ => rest(self.set("state", "exists".into())),
        }
    }
}

fn nothing(fields: &Fields) -> Mapped {
    Mapped::new("noop", fields.name())
}

/// Text that std's functions make for a file of a module: it is copied on apply.
const OF_MODULE: &str = "imp-module-source:file://";

fn file(fields: &Fields) -> Mapped {
    Mapped::new("file", fields.name()).present(fields, |draft| {
        let draft = match fields.get("content") {
            Some(Value::Str(text)) if text.starts_with(OF_MODULE) => {
                draft.set("source", text.strip_prefix(OF_MODULE).unwrap_or_default().into())
            }
            // An empty file is a content too.
            Some(Value::Null) | None => draft,
            Some(content) => draft.set("content", content),
        };
        owned(draft, fields)
    })
}

fn folder(fields: &Fields) -> Mapped {
    let path = fields.name();
    let draft = Mapped::new("file", format!("{}/", path.trim_end_matches('/')));
    if fields.get("purged") == Some(Value::Bool(true)) {
        // A folder goes with all that is in it.
        return draft.set("state", "absent".into()).set("recurse", Value::Bool(true)).set("force", Value::Bool(true));
    }
    draft.present(fields, |draft| owned(draft, fields))
}

/// Mode, owner and group. A mode is a number whose decimal digits are the octal ones.
fn owned(draft: Mapped, fields: &Fields) -> Mapped {
    let mode = match fields.set("mode").or_else(|| fields.set("permissions")) {
        Some(Value::Int(digits)) => Some(format!("{digits:04}").as_str().into()),
        Some(Value::Float(digits)) => Some(format!("{digits:04}").as_str().into()),
        Some(Value::Str(digits)) => Some(format!("{digits:0>4}").as_str().into()),
        other => other,
    };
    let draft = match mode {
        Some(mode) => draft.set("mode", mode),
        None => draft,
    };
    draft.take(fields, "owner", "owner").take(fields, "group", "group")
}

fn link(fields: &Fields, leads_to: &str) -> Mapped {
    Mapped::new("file", fields.name())
        .present(fields, |draft| draft.take(fields, leads_to, "source").set("symlink", Value::Bool(true)))
}

fn package(fields: &Fields) -> Mapped {
    let state = match fields.get("purged").filter(|purged| *purged != Value::Bool(false)) {
        Some(Value::Bool(true)) => Some("removed".into()),
        Some(Value::Unknown) => Some(Value::Unknown),
        _ => fields.get("state"),
    };
    let state = match state {
        Some(Value::Str(state)) => match &*state {
            "removed" => "uninstalled".into(),
            "latest" => "newest".into(),
            other => other.into(),
        },
        Some(other) => other,
        None => "installed".into(),
    };
    Mapped::new("pkg", fields.name()).set("state", state)
}

fn service(fields: &Fields) -> Mapped {
    let startup = match fields.get("onboot") {
        Some(Value::Bool(true)) => "enabled".into(),
        Some(Value::Bool(false)) => "disabled".into(),
        _ => Value::Unknown,
    };
    Mapped::new("svc", fields.name()).take(fields, "state", "state").set("startup", startup)
}

/// One line for apt.
fn repository(fields: &Fields) -> Mapped {
    let path = format!("/etc/apt/sources.list.d/{}.list", fields.name());
    Mapped::new("file", path).present(fields, |draft| {
        let parts = ["base_url", "release", "repo"].map(|part| fields.set(part).unwrap_or(Value::Null));
        let options = if fields.get("trusted") == Some(Value::Bool(true)) { "[trusted=yes] " } else { "" };
        let content = match &parts {
            [Value::Str(url), Value::Str(release), Value::Str(repo)] => {
                format!("deb {options}{url} {release} {repo}\n").as_str().into()
            }
            _ => Value::Unknown,
        };
        draft.set("content", content).set("mode", "0644".into())
    })
}

/// Where commands are looked for if the model does not say it.
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

fn command(fields: &Fields) -> Mapped {
    let path = fields.set("path").unwrap_or_else(|| PATH.into());
    let mut environment = vec![("PATH".into(), path)];
    if let Some(Value::Map(pairs)) = fields.set("environment") {
        environment.retain(|(have, _)| pairs.iter().all(|(name, _)| name != have));
        environment.extend(pairs.into_iter().map(|(name, value)| match value {
            Value::Unknown | Value::Str(_) => (name, value),
            other => (name, other.to_json().to_string().as_str().into()),
        }));
    }
    let mut draft = Mapped::new("exec", fields.name())
        .set("cmd", fields.name().as_str().into())
        .set("shell", "/bin/sh".into())
        .set("env", Value::Map(environment))
        .take(fields, "cwd", "cwd")
        .take(fields, "creates", "creates");
    let others =
        [("onlyif", "ifcmd", "ifshell"), ("unless", "nifcmd", "nifshell"), ("reload", "refreshcmd", "refreshshell")];
    for (attribute, guard, shell) in others {
        if let Some(value) = fields.set(attribute) {
            draft = draft.set(guard, value).set(shell, "/bin/sh".into());
        }
    }
    if let Some(Value::Int(seconds)) = fields.set("timeout") {
        draft.meta.set("timeout", Value::Int(seconds.saturating_mul(1000)));
    }
    if fields.get("reload_only") == Some(Value::Bool(true)) {
        draft = draft.set("refresh_only", Value::Bool(true));
    } else if fields.set("reload").is_none() {
        draft = draft.set("again", Value::Bool(true));
    }
    draft.take(fields, "returns", "returns").ignored(fields, "skip_on_fail", &Value::Bool(false))
}

fn user(fields: &Fields) -> Mapped {
    Mapped::new("user", fields.name()).present(fields, |draft| {
        let draft = match fields.set("homedir") {
            Some(Value::Str(home)) => draft.set("homedir", format!("{}/", home.trim_end_matches('/')).as_str().into()),
            Some(other) => draft.set("homedir", other),
            None => draft,
        };
        draft
            .take(fields, "uid", "uid")
            .take(fields, "group", "group")
            .take(fields, "groups", "groups")
            .take(fields, "shell", "shell")
    })
}

fn group(fields: &Fields) -> Mapped {
    Mapped::new("group", fields.name()).present(fields, |draft| draft.take(fields, "gid", "gid"))
}

/// One file for cron.
fn cronjob(fields: &Fields) -> Mapped {
    Mapped::new("file", format!("/etc/cron.d/{}", fields.name())).present(fields, |draft| {
        let parts = ["schedule", "user", "command"].map(|part| fields.set(part).unwrap_or(Value::Null));
        let content = match (&parts, fields.set("env_vars")) {
            (_, Some(Value::Unknown)) => Value::Unknown,
            ([Value::Str(schedule), Value::Str(user), Value::Str(command)], environment) => {
                let pairs = match environment {
                    Some(Value::Map(pairs)) => pairs,
                    _ => Vec::new(),
                };
                let lines = pairs.iter().map(|(name, value)| match (name.as_str(), value.as_str()) {
                    (Some(name), Some(value)) => format!("{name}={value}\n"),
                    _ => String::new(),
                });
                let lines: String = lines.collect();
                format!("{lines}{schedule} {user} {command}\n").as_str().into()
            }
            _ => Value::Unknown,
        };
        draft.set("content", content).set("mode", "0644".into())
    })
}

fn authorized_key(fields: &Fields) -> Mapped {
    let mapped = Mapped::new("ssh:authorized_key", fields.name()).present(fields, |draft| draft);
    // The parts of a key also name the one that is to go.
    let mapped = mapped.set("comment", fields.name().as_str().into());
    ["user", "type", "key", "options"].into_iter().fold(mapped, |mapped, name| mapped.take(fields, name, name))
}

#[cfg(test)]
mod tests {
    use super::super::fields::Fields;
    use super::KNOWN;
    use crate::graph::Value;
    use crate::resource::{Schema, schema};

    /// Every attribute set to something, so that each parameter that a kind can get is there.
    #[test]
    fn every_mapped_parameter_is_in_our_schema() {
        let text = |name: &str| (name.to_owned(), Value::from("x"));
        let mut all: Vec<(String, Value)> =
            "content owner group source target src state base_url release repo cwd creates onlyif unless reload homedir uid groups \
             shell gid schedule user command type key options path"
                .split_whitespace()
                .map(text)
                .collect();
        all.push(("mode".to_owned(), Value::Int(644)));
        all.push(("timeout".to_owned(), Value::Int(5)));
        for known in KNOWN {
            let mapped = (known.map)(&Fields::of("x", all.clone()));
            let wanted = mapped.declaration;
            let schema = schema(&wanted.kind).unwrap_or_else(|| panic!("there is no kind {}", wanted.kind));
            for (name, _) in wanted.params.iter() {
                assert!(schema.any_param(name).is_some(), "{}: {} has no parameter {name}", known.entity, wanted.kind);
            }
        }
    }

    #[test]
    fn the_kinds_that_hear_can_refresh() {
        for kind in super::TAKES_EVENTS {
            let acts = |schema: &Schema| schema.refresh || schema.any_param("refresh_only").is_some();
            assert!(schema(kind).is_some_and(acts), "{kind} cannot act on an event");
        }
    }

    #[test]
    fn a_mode_is_written_in_octal_digits() {
        let of = |mode: Value| {
            let fields = Fields::of("/x", vec![("mode".to_owned(), mode)]);
            let wanted = (KNOWN[0].map)(&fields).declaration;
            wanted.params.get("mode").cloned()
        };
        assert_eq!(of(Value::Int(644)), Some("0644".into()));
        assert_eq!(of(Value::Int(1777)), Some("1777".into()));
        assert_eq!(of(Value::from("755")), Some("0755".into()));
        assert_eq!(of(Value::Unknown), Some(Value::Unknown));
        assert_eq!(of(Value::Null), None);
    }
}
