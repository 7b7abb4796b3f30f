//! What Puppet's own resource types know: their parameters, what they refuse, what they require by themselves.

use super::refused::refused;
use super::{Catalog, Resource, Sort, secret};
use crate::diag::nearest;
use crate::lang::puppet::ast::Form;
use crate::lang::puppet::catalog::Finished;
use crate::lang::puppet::ids::ResourceId;
use crate::lang::puppet::issue;
use crate::lang::puppet::stop::help;
use crate::lang::puppet::value::Value;
use crate::lang::puppet::{convert, unknown};
use crate::source::Span;

/// A type: its name, the parameter that names it, all its parameters.
struct Known {
    name: &'static str,
    namevar: &'static str,
    parameters: &'static str,
}

const TYPES: &[Known] = &[
    Known { name: "notify", namevar: "name", parameters: "name message withpath" },
    Known {
        name: "file",
        namevar: "path",
        parameters: "path ensure content source target owner group mode recurse recurselimit max_files purge force replace backup checksum checksum_value links ignore show_diff validate_cmd validate_replacement source_permissions sourceselect seltype selrole seluser selrange selinux_ignore_defaults ctime mtime type provider staging_location name",
    },
    Known {
        name: "exec",
        namevar: "command",
        parameters: "command path cwd user group environment umask creates onlyif unless refreshonly refresh returns timeout tries try_sleep logoutput provider name",
    },
    Known {
        name: "service",
        namevar: "name",
        parameters: "name ensure enable hasstatus hasrestart start stop status restart pattern provider timeout binary control flags manifest path logonaccount logonpassword",
    },
    Known {
        name: "package",
        namevar: "name",
        parameters: "name ensure source provider install_options uninstall_options adminfile responsefile configfiles reinstall_on_refresh mark allow_virtual category description enable_only flavor install_only instance package_settings platform root status vendor command allowcdrom",
    },
    Known {
        name: "user",
        namevar: "name",
        parameters: "name ensure uid gid groups membership home managehome shell comment password salt iterations password_min_age password_max_age password_warn_days expiry system allowdupe purge_ssh_keys forcelocal loginclass provider attributes attribute_membership auth_membership auths ia_load_module key_membership keys profile_membership profiles project role_membership roles",
    },
    Known {
        name: "group",
        namevar: "name",
        parameters: "name ensure gid members auth_membership system allowdupe forcelocal provider attributes attribute_membership ia_load_module",
    },
    Known { name: "schedule", namevar: "name", parameters: "name range period periodmatch repeat weekday" },
    Known {
        name: "tidy",
        namevar: "path",
        parameters: "path age size recurse max_files matches rmdirs type backup name",
    },
    Known { name: "filebucket", namevar: "name", parameters: "name path server port" },
    Known { name: "resources", namevar: "name", parameters: "name purge unless_uid unless_system_user" },
    Known { name: "stage", namevar: "name", parameters: "name" },
    Known { name: "whit", namevar: "name", parameters: "name" },
    Known { name: "component", namevar: "name", parameters: "name" },
    Known {
        name: "cron",
        namevar: "name",
        parameters: "name ensure command user minute hour month monthday weekday special environment target provider",
    },
    Known { name: "host", namevar: "name", parameters: "name ensure ip host_aliases comment target provider" },
    Known {
        name: "mount",
        namevar: "name",
        parameters: "name ensure device blockdevice fstype options pass dump atboot remounts target provider path",
    },
    Known {
        name: "augeas",
        namevar: "name",
        parameters: "name context changes onlyif lens incl root force load_path provider returns show_diff type_check",
    },
    Known {
        name: "ssh_authorized_key",
        namevar: "name",
        parameters: "name ensure user key type options target drop_privileges provider",
    },
    Known { name: "sshkey", namevar: "name", parameters: "name ensure key type host_aliases target provider" },
    Known { name: "mailalias", namevar: "name", parameters: "name ensure recipient file target provider" },
    Known {
        name: "yumrepo",
        namevar: "name",
        parameters: "name ensure descr baseurl mirrorlist enabled gpgcheck gpgkey",
    },
    Known { name: "selboolean", namevar: "name", parameters: "name persistent value provider" },
    Known { name: "zfs", namevar: "name", parameters: "name ensure provider mountpoint" },
];

const META: [&str; 13] = [
    "alias",
    "audit",
    "before",
    "loglevel",
    "noop",
    "notify",
    "require",
    "schedule",
    "stage",
    "subscribe",
    "tag",
    "consume",
    "export",
];

fn known(ty: &str) -> Option<&'static Known> {
    TYPES.iter().find(|k| k.name == ty)
}

/// The names of the types.
pub fn names() -> impl Iterator<Item = &'static str> {
    TYPES.iter().map(|known| known.name)
}

pub fn is_builtin(ty: &str) -> bool {
    known(ty).is_some()
}

pub fn is_metaparameter(name: &str) -> bool {
    META[..11].contains(&name)
}

pub fn has_parameter(ty: &str, name: &str) -> bool {
    known(ty).is_none_or(|k| k.parameters.split(' ').any(|p| p == name))
}

/// The parameters of a type.
pub fn parameters(ty: &str) -> Vec<&'static str> {
    known(ty).map(|known| known.parameters.split(' ').collect()).unwrap_or_default()
}

/// What to do about the name of a type that there is not.
pub fn unknown_type(name: &str) -> issue::Text {
    match nearest(&name.to_lowercase(), names()) {
        Some(near) => format!("did you mean `{near}`?").into(),
        None => help::FIND.into(),
    }
}

/// What to do about a parameter that a type does not have.
pub fn unknown_parameter(ty: &str, name: &str) -> String {
    match nearest(name, parameters(ty)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("`workbench doc --lang puppet {ty}` lists its parameters"),
    }
}

/// Types whose parameters are not listed completely.
pub fn accepts_any(ty: &str) -> bool {
    matches!(ty, "yumrepo" | "zfs")
}

pub fn namevar(ty: &str) -> Option<&'static str> {
    known(ty).map(|k| k.namevar)
}

/// Whether two resources with one name are the same thing: not of commands and messages.
pub fn is_isomorphic(ty: &str) -> bool {
    ty != "exec" && ty != "notify"
}

/// The name of a resource: its name parameter or its title.
pub fn name_of(resource: &Resource) -> String {
    let name = namevar(&resource.ty).and_then(|n| resource.parameter(n));
    name.map_or_else(|| resource.title.to_string(), convert::string)
}

/// Why a type refuses a value, if one does.
pub fn refusal(e: &Finished<'_>) -> Option<(String, Span)> {
    if let Some(missing) = missing_dependency(e.catalog) {
        return Some(missing);
    }
    e.catalog.resources.iter().filter(|r| r.sort == Sort::Builtin && r.form == Form::Regular).find_map(|r| {
        let why = secret::redact(e.hiera, r, |r| refused(r).or_else(|| missing_bucket(e.catalog, r)))?;
        Some((why, r.span))
    })
}

/// A file whose old content goes into a bucket that is not there.
fn missing_bucket(catalog: &Catalog, resource: &Resource) -> Option<String> {
    let Some(Value::Str(bucket)) = resource.parameter("backup").filter(|_| &*resource.ty == "file") else {
        return None;
    };
    let is_known = bucket.starts_with('.')
        || ["puppet", "true", "false"].contains(&&**bucket)
        || catalog.lookup("filebucket", bucket).is_some();
    (!is_known).then(|| format!("Could not find filebucket {bucket} specified in backup"))
}

/// A relationship with a resource that stays virtual.
fn missing_dependency(catalog: &Catalog) -> Option<(String, Span)> {
    let mut arrows = catalog.arrows.iter();
    let missing = arrows.find(|arrow| catalog.get(arrow.target).form != Form::Regular)?;
    let (target, owner) = (catalog.get(missing.target), catalog.get(missing.owner));
    Some((format!("Could not find dependency {} for {}", target.reference(), owner.reference()), owner.span))
}

/// The nearest folder above a path that is in the catalog.
pub fn folder_of(catalog: &Catalog, path: &str, own: ResourceId) -> Option<ResourceId> {
    let mut at = path.trim_end_matches('/');
    while let Some(slash) = at.rfind('/') {
        at = if slash == 0 { "/" } else { &at[..slash] };
        let found = catalog.lookup("file", at).filter(|id| *id != own && catalog.get(*id).form == Form::Regular);
        if found.is_some() || at == "/" {
            return found;
        }
    }
    None
}

/// Edges that a type adds by itself, source first.
pub fn automatic(e: &Finished<'_>, id: ResourceId) -> Vec<(ResourceId, ResourceId)> {
    let resource = e.catalog.get(id);
    let known = |name: &str| resource.parameter(name).filter(|value| !unknown::is_in(value));
    let text = |name: &str| known(name).map(convert::string);
    let list = |name: &str| -> Vec<String> {
        match known(name) {
            Some(Value::Array(list)) => list.iter().map(convert::string).collect(),
            Some(other) => vec![convert::string(other)],
            None => Vec::new(),
        }
    };
    let there = |found: Option<ResourceId>| found.filter(|f| e.catalog.get(*f).form == Form::Regular);
    let file = |path: &str| there(e.catalog.lookup("file", path));
    let mut sources: Vec<Option<ResourceId>> = Vec::new();
    let by_name = |ty: &str, name: &str| there(e.catalog.lookup(ty, name));
    match &*resource.ty {
        "file" => {
            let path = name_of(resource);
            sources.push(folder_of(e.catalog, &path, id));
            let link = text("ensure").filter(|e| e.starts_with('/'));
            if let Some(target) = text("target").or(link) {
                let target = if target.starts_with('/') {
                    target
                } else {
                    format!("{}/{target}", path.rsplit_once('/').map_or("", |(d, _)| d))
                };
                sources.push(file(&target));
            }
            if let Some(owner) = text("owner") {
                sources.push(by_name("user", &owner));
            }
            if let Some(group) = text("group") {
                sources.push(by_name("group", &group));
            }
        }
        "exec" => {
            if let Some(cwd) = text("cwd") {
                sources.push(file(&cwd));
            }
            if let Some(user) = text("user") {
                sources.push(by_name("user", &user));
            }
            // A command that begins with a path needs the file there.
            let first = |value: &Value| match value {
                Value::Array(words) => words.first().map(convert::string).unwrap_or_default(),
                other => convert::string(other),
            };
            let command = match resource.parameter("command") {
                None => resource.title.to_string(),
                Some(_) => known("command").map(first).unwrap_or_default(),
            };
            let guards = ["onlyif", "unless"].into_iter().filter_map(known);
            let guards = guards.flat_map(|guard| match guard {
                Value::Array(list) => list.iter().map(first).collect(),
                other => vec![first(other)],
            });
            for line in std::iter::once(command.clone()).chain(guards) {
                for path in line.lines().filter(|line| line.starts_with('/')) {
                    sources.push(file(path.split_whitespace().next().unwrap_or_default()));
                }
            }
            if let Some((path, _)) = command.strip_prefix('"').and_then(|rest| rest.split_once('"')) {
                sources.push(file(path));
            }
        }
        "user" => {
            if let Some(gid) = text("gid") {
                let by_gid = e.catalog.ids().find(|g| {
                    let group = e.catalog.get(*g);
                    &*group.ty == "group" && group.parameter("gid").map(convert::string).as_deref() == Some(&gid)
                });
                sources.push(by_name("group", &gid).or(by_gid));
            }
            for group in list("groups") {
                sources.push(by_name("group", &group));
            }
        }
        "package" => {
            for name in ["source", "adminfile", "responsefile"] {
                if let Some(path) = text(name) {
                    sources.push(file(&path));
                }
            }
        }
        "cron" => sources.push(by_name("user", &text("user").unwrap_or_else(|| "root".into()))),
        "mount" => {
            let name = name_of(resource);
            let mut at = &*name;
            while let Some(slash) = at.rfind('/') {
                at = if slash == 0 { "/" } else { &at[..slash] };
                if let Some(parent) = by_name("mount", at).filter(|p| *p != id) {
                    sources.push(Some(parent));
                    break;
                }
                if at == "/" {
                    break;
                }
            }
        }
        "file_line" => sources.extend(text("path").map(|path| file(&path))),
        "concat_file" => sources.push(file(&e.name_of(resource))),
        "ssh_authorized_key" => {
            if let Some(user) = text("user") {
                sources.push(by_name("user", &user));
            }
        }
        _ => {}
    }
    sources.into_iter().flatten().map(|source| (source, id)).collect()
}
