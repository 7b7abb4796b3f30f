//! `file`: a file, a folder (our path ends in a slash) or a link.

use super::refusal::{BOOLEAN, FLAG, invalid, is_digits, is_octal, items, munging};
use super::{Managed, ResourceType};
use crate::graph::{Meta, Params, Value as Ours};
use crate::lang::puppet::catalog::Resource;
use crate::lang::puppet::catalog::kinds::{MapResult, Mapper, declaration};
use crate::lang::puppet::catalog::ral::folder_of;
use crate::lang::puppet::convert;
use crate::lang::puppet::ids::ResourceId;
use crate::lang::puppet::value::Value;

pub(super) const TYPE: ResourceType = ResourceType {
    name: "file",
    namevar: "path",
    doc: "Manages a file, a folder or a link.",
    requires: "the nearest folder above it that is managed, the target of a link, its owner and group",
    params: &[
        ("path", "The absolute path (default: the title)."),
        ("ensure", "`file`, `directory`, `link`, `present`, `absent`, or the target of a link."),
        ("content", "The content as text."),
        (
            "source",
            "A file or folder to copy: a path, `file:///…` or `puppet:///modules/NAME/FILE`; of a list, the first one that exists.",
        ),
        ("target", "The target of a link."),
        ("owner", "The user that owns it, by name or number."),
        ("group", "The group that owns it, by name or number."),
        ("mode", "The mode, octal as text (`'0644'`) or a change (`u+x,go-w`)."),
        ("recurse", "`true`, `false` or `remote`: whether it holds for everything below a folder."),
        ("recurselimit", "Refused together with `recurse` and a source or `purge`."),
        ("ignore", "Refused together with `recurse` and a source or `purge`."),
        ("purge", "With `recurse`: removes what is not managed."),
        ("force", "Removes or replaces folders where needed."),
        ("replace", "`false`: the content is only set when the file is created."),
        ("links", "`follow` changes the target of a link instead of the link."),
    ],
    idle: "backup checksum checksum_value max_files show_diff source_permissions sourceselect validate_cmd \
        validate_replacement staging_location selinux_ignore_defaults selrange selrole seltype seluser ctime \
        mtime type provider",
    others: "name",
    values: &[
        ("links", &["follow", "manage"]),
        ("replace", FLAG),
        ("show_diff", FLAG),
        ("purge", FLAG),
        ("force", FLAG),
        ("selinux_ignore_defaults", BOOLEAN),
        ("sourceselect", &["first", "all"]),
        ("source_permissions", &["use", "use_when_creating", "ignore"]),
    ],
    providers: &["posix"],
    refuse,
    refuse_whole,
    order,
    map: Some(map),
    ..ResourceType::PLAIN
};

fn refuse(_resource: &Resource, name: &str, value: &Value) -> Option<String> {
    let text = convert::string(value);
    match name {
        "path" | "staging_location" if !text.starts_with('/') => {
            Some(format!("File paths must be fully qualified, not '{text}'"))
        }
        "mode" => match value {
            Value::Str(mode) if valid_mode(mode) => None,
            Value::Str(_) => Some(format!("The file mode specification is invalid: {}", convert::ruby(value))),
            Value::Int(_) | Value::Float(_) => Some(format!(
                "The file mode specification must be a string, not '{}'",
                if matches!(value, Value::Int(_)) { "Integer" } else { "Float" }
            )),
            _ => None,
        },
        "recurse" if !["true", "false", "remote"].contains(&&*text) => {
            Some(format!("Invalid recurse value {}", convert::ruby(value)))
        }
        "recurselimit" if !is_digits(&text) => Some(invalid(value, "Valid values match /^[0-9]+$/.")),
        "max_files" if !is_digits(&text) && text != "-1" => {
            Some(invalid(value, "Valid values match /^[0-9]+$/, /^-1$/."))
        }
        "content" => items(value).into_iter().find(|one| matches!(one, Value::Int(_) | Value::Float(_))).map(|one| {
            let class = if matches!(one, Value::Int(_)) { "Integer" } else { "Float" };
            munging(name, one, &format!("no implicit conversion of {class} into String"))
        }),
        "ignore" if !matches!(value, Value::Str(_) | Value::Array(_)) => {
            Some("Ignore must be a string or an Array".into())
        }
        "backup" if matches!(value, Value::Int(_)) => Some(format!("Invalid backup type {text}")),
        "ctime" | "mtime" | "type" => Some(format!("{name} is read-only")),
        "source" => items(value).into_iter().find_map(|one| {
            let source = convert::string(one);
            match source.split_once("://").or_else(|| source.split_once(':')) {
                _ if source.starts_with('/') => None,
                Some(("puppet" | "file" | "http" | "https", _)) => None,
                Some((scheme, _)) if scheme.bytes().all(|b| b.is_ascii_alphanumeric()) => {
                    Some(format!("Cannot use URLs of type '{scheme}' as source for fileserving"))
                }
                _ => Some(format!("Cannot use relative URLs '{source}'")),
            }
        }),
        _ => None,
    }
}

fn valid_mode(mode: &str) -> bool {
    is_octal(mode)
        || !mode.is_empty()
            && mode.split(',').all(|part| {
                let rest = part.trim_start_matches(['u', 'g', 'o', 'a']);
                rest.starts_with(['+', '-', '=']) && rest[1..].chars().all(|c| "rwxXstugo+-=".contains(c))
            })
}

/// What parameters exclude together.
fn refuse_whole(resource: &Resource) -> Option<String> {
    let has = |name: &str| resource.parameters.contains_key(name);
    let text = |name: &str| resource.parameter(name).map(convert::string);
    if ["content", "source", "target"].iter().filter(|name| has(name)).count() > 1 {
        return Some("You cannot specify more than one of content, source, target".into());
    }
    if text("recurse").as_deref() == Some("remote") && !has("source") {
        return Some("You cannot specify a remote recursion without a source".into());
    }
    let checksum = text("checksum").unwrap_or_else(|| "sha256".into());
    if checksum == "none" && has("source") {
        return Some("You cannot specify source when using checksum 'none'".into());
    }
    if ["none", "mtime", "ctime"].contains(&&*checksum) && has("content") {
        return Some(format!("You cannot specify content when using checksum '{checksum}'"));
    }
    let length = match checksum.trim_end_matches("lite") {
        "md5" => 32,
        "sha1" => 40,
        "sha224" => 56,
        "sha384" => 96,
        "sha512" => 128,
        "sha256" => 64,
        _ => return None,
    };
    let given = text("checksum_value")?;
    let is_sum = given.len() == length && given.bytes().all(|b| b.is_ascii_hexdigit());
    (!is_sum).then(|| format!("Checksum value '{given}' is not a valid checksum type {checksum}"))
}

fn order(m: &Managed) -> Vec<Option<ResourceId>> {
    let path = m.name();
    let link = m.text("ensure").filter(|ensure| ensure.starts_with('/'));
    let target = m.text("target").or(link).map(|target| {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        if target.starts_with('/') { target } else { format!("{folder}/{target}") }
    });
    let accounts = ["user", "group"].into_iter().zip(["owner", "group"]);
    let accounts = accounts.map(|(ty, name)| m.text(name).and_then(|name| m.find(ty, &name)));
    let files = [folder_of(m.e.catalog, &path, m.id), target.and_then(|target| m.find("file", &target))];
    files.into_iter().chain(accounts).collect()
}

/// What the path is to be.
#[derive(PartialEq)]
enum Desired {
    Absent,
    File,
    /// Whatever is there; a file where there is nothing.
    Present,
    Folder,
    Link(String),
    /// Only what is there already.
    AsItIs,
}

fn map(g: &Mapper, _meta: &mut Meta) -> MapResult {
    let path = g.name();
    let path = if path.len() > 1 { path.trim_end_matches('/') } else { &path };
    let sources = g.list("source").iter().map(|source| g.source(source)).collect::<Result<Vec<_>, _>>()?;
    let source = match &sources[..] {
        [] => None,
        // The first one that is there counts.
        several => several.iter().find(|path| g.e.inputs.files.exists(path)).or(several.first()).cloned(),
    };
    let is_folder = source.as_ref().is_some_and(|path| g.e.inputs.files.is_dir(path));
    let wanted = wanted(g, source.is_some(), is_folder)?;
    let recurses = !matches!(g.text("recurse").as_deref(), None | Some("false"));
    let mut params = Params::default();
    match wanted {
        Desired::Absent => params.set("state", "absent".into()),
        Desired::AsItIs => {}
        _ => params.set("state", "exists".into()),
    }
    if matches!(wanted, Desired::Present | Desired::AsItIs) {
        params.set("keep_kind", Ours::Bool(true));
    }
    if g.text("links").as_deref() != Some("follow") && wanted != Desired::Absent {
        params.set("swap", Ours::Bool(true));
    }
    g.pass_flag(&mut params, "force", "force");
    if wanted == Desired::Absent {
        g.ignore(&["recurse", "mode", "owner", "group", "content", "source", "target", "purge", "backup"]);
        return Ok(declaration("file", path, params));
    }
    if let Desired::Link(target) = wanted {
        params.set("symlink", Ours::Bool(true));
        params.set("source", Ours::Str(target.into()));
        // A link has no mode of its own.
        g.ignore(&["mode"]);
        return Ok(declaration("file", path, params));
    }
    attributes(g, &mut params);
    if g.flag("replace") == Some(false) {
        params.set("keep_content", Ours::Bool(true));
    }
    if wanted != Desired::Folder {
        match (g.value("content"), &source) {
            (Some(Value::Binary(bytes)), _) => params.set("content", g.guarded("content", Ours::Bytes(bytes.clone()))),
            // Only where one of them is unknown, and with it the content.
            (Some(_), Some(source)) => params.set("content", Ours::Str(source.to_string_lossy().into())),
            (Some(_), _) => g.pass(&mut params, "content", "content"),
            (None, Some(source)) => params.set("source", Ours::Str(source.to_string_lossy().into())),
            (None, None) => {}
        }
        if !recurses {
            return Ok(declaration("file", path, params));
        }
    }
    folder(g, source.filter(|_| is_folder), recurses, &mut params)?;
    let name = if path.ends_with('/') || wanted != Desired::Folder { path.to_owned() } else { format!("{path}/") };
    Ok(declaration("file", name, params))
}

fn wanted(g: &Mapper, has_source: bool, is_folder: bool) -> Result<Desired, String> {
    let target = g.text("target");
    Ok(match g.text("ensure").as_deref() {
        Some("absent" | "false") => Desired::Absent,
        Some("file") => Desired::File,
        Some("present" | "true") if target.is_none() => Desired::Present,
        Some("directory") => Desired::Folder,
        Some("link" | "present" | "true") => Desired::Link(target.ok_or("`ensure => link` needs a `target`")?),
        Some(path) => Desired::Link(path.to_owned()),
        None => match target {
            Some(target) => Desired::Link(target),
            None if g.value("content").is_some() => Desired::File,
            None if has_source && is_folder => Desired::Folder,
            None if has_source => Desired::File,
            None => Desired::AsItIs,
        },
    })
}

pub(super) fn attributes(g: &Mapper, params: &mut Params) {
    for name in ["owner", "group"] {
        g.pass(params, name, name);
    }
    if let Some(mode) = g.text("mode") {
        let is_octal = mode.bytes().all(|b| b.is_ascii_digit());
        params.set(if is_octal { "mode" } else { "mode_change" }, Ours::Str(mode.into()));
        if is_octal {
            params.set("folder_x", Ours::Bool(true));
        }
    }
}

/// What is below a folder.
fn folder(g: &Mapper, source: Option<std::path::PathBuf>, recurses: bool, params: &mut Params) -> Result<(), String> {
    let purges = g.flag("purge") == Some(true);
    if !recurses {
        return Ok(());
    }
    let depth = g.text("recurselimit").is_some();
    let ignored = g.list("ignore");
    if (purges || source.is_some()) && (depth || !ignored.is_empty()) {
        let what = if depth { "recurselimit" } else { "ignore" };
        return Err(format!("`{what}` with `recurse` would leave something out that we cannot leave out"));
    }
    if source.is_some() || purges {
        params.set("recurse", Ours::Bool(true));
    }
    if let Some(source) = source {
        params.set("source", Ours::Str(format!("{}/", source.to_string_lossy()).into()));
    }
    if purges {
        params.set("purge", Ours::Bool(true));
        params.set("keep_folders", Ours::Bool(true));
    }
    let has_attributes = ["mode", "owner", "group", "mode_change"].iter().any(|name| params.get(name).is_some());
    if has_attributes && g.text("recurse").as_deref() != Some("remote") {
        params.set("deep", Ours::Bool(true));
    }
    Ok(())
}
