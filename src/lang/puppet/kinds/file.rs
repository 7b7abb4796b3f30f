//! `file`: a file, a folder (our path ends in a slash) or a link; `file_line`: a line of a file.

use super::{Given, Made, declaration};
use crate::graph::{Meta, Params, Value as Ours};
use crate::lang::puppet::value::Value;
use crate::lang::ruby::regexp;

/// What the path is to be.
#[derive(PartialEq)]
enum Wanted {
    Absent,
    File,
    /// Whatever is there; a file where there is nothing.
    Present,
    Folder,
    Link(String),
    /// Only what is there already.
    AsItIs,
}

pub fn file(g: &Given, _meta: &mut Meta) -> Made {
    let path = g.name();
    let path = if path.len() > 1 { path.trim_end_matches('/') } else { &path };
    let sources = g.list("source").iter().map(|source| g.source(source)).collect::<Result<Vec<_>, _>>()?;
    let source = match &sources[..] {
        [] => None,
        // The first one that is there counts.
        several => several.iter().find(|path| g.e.files.exists(path)).or(several.first()).cloned(),
    };
    let is_folder = source.as_ref().is_some_and(|path| g.e.files.is_dir(path));
    let wanted = wanted(g, source.is_some(), is_folder)?;
    let recurses = !matches!(g.text("recurse").as_deref(), None | Some("false"));
    let mut params = Params::default();
    match wanted {
        Wanted::Absent => params.set("state", "absent".into()),
        Wanted::AsItIs => {}
        _ => params.set("state", "exists".into()),
    }
    if matches!(wanted, Wanted::Present | Wanted::AsItIs) {
        params.set("keep_kind", Ours::Bool(true));
    }
    if g.text("links").as_deref() != Some("follow") && wanted != Wanted::Absent {
        params.set("swap", Ours::Bool(true));
    }
    g.pass_flag(&mut params, "force", "force");
    if wanted == Wanted::Absent {
        g.ignore(&["recurse", "mode", "owner", "group", "content", "source", "target", "purge", "backup"]);
        return Ok(declaration("file", path, params));
    }
    if let Wanted::Link(target) = wanted {
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
    if wanted != Wanted::Folder {
        match (g.value("content"), &source) {
            (Some(Value::Binary(bytes)), _) => params.set("content", g.guarded("content", Ours::Bytes(bytes.clone()))),
            (Some(_), _) => g.pass(&mut params, "content", "content"),
            (None, Some(source)) => params.set("source", Ours::Str(source.to_string_lossy().into())),
            (None, None) => {}
        }
        if !recurses {
            return Ok(declaration("file", path, params));
        }
    }
    folder(g, source.filter(|_| is_folder), recurses, &mut params)?;
    let name = if path.ends_with('/') || wanted != Wanted::Folder { path.to_owned() } else { format!("{path}/") };
    Ok(declaration("file", name, params))
}

/// `file_line` of stdlib.
pub fn file_line(g: &Given, _meta: &mut Meta) -> Made {
    let path = g.text("path").ok_or("`path` is not set")?;
    if let Some(encoding) = g.text("encoding").filter(|name| !name.eq_ignore_ascii_case("utf-8")) {
        return Err(format!("`encoding => {encoding}`: only UTF-8 text is edited"));
    }
    let mut params = Params::default();
    params.set("file", Ours::Str(path.into()));
    params.set("state", g.state());
    params.set("by_pattern", Ours::Bool(true));
    g.pass(&mut params, "line", "content");
    for name in ["match", "after"] {
        if let Some(pattern) = g.text(name) {
            params.set(name, Ours::Str(regexp::translate(&pattern).into()));
        }
    }
    for (theirs, ours) in [
        ("multiple", "multiple"),
        ("match_for_absence", "absent_by_match"),
        ("replace_all_matches_not_matching_line", "replace_all"),
    ] {
        g.pass_flag(&mut params, theirs, ours);
    }
    for (theirs, ours) in [("append_on_no_match", "no_append"), ("replace", "no_replace")] {
        if g.flag(theirs) == Some(false) {
            params.set(ours, Ours::Bool(true));
        }
    }
    let needs_line = g.is_present() || params.get("match").is_none() || params.get("absent_by_match").is_none();
    if params.get("content").is_none() && needs_line {
        return Err("`line` is not set".into());
    }
    g.ignore(&["name", "provider"]);
    Ok(declaration("line", &*g.resource.title, params))
}

fn wanted(g: &Given, has_source: bool, is_folder: bool) -> Result<Wanted, String> {
    let target = g.text("target");
    Ok(match g.text("ensure").as_deref() {
        Some("absent" | "false") => Wanted::Absent,
        Some("file") => Wanted::File,
        Some("present" | "true") if target.is_none() => Wanted::Present,
        Some("directory") => Wanted::Folder,
        Some("link" | "present" | "true") => Wanted::Link(target.ok_or("`ensure => link` needs a `target`")?),
        Some(path) => Wanted::Link(path.to_owned()),
        None => match target {
            Some(target) => Wanted::Link(target),
            None if g.value("content").is_some() => Wanted::File,
            None if has_source && is_folder => Wanted::Folder,
            None if has_source => Wanted::File,
            None => Wanted::AsItIs,
        },
    })
}

pub fn attributes(g: &Given, params: &mut Params) {
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
fn folder(g: &Given, source: Option<std::path::PathBuf>, recurses: bool, params: &mut Params) -> Result<(), String> {
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
