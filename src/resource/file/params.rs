//! The parameters of a file as its turn needs them: read once, and refused if no machine could have such a file.

use std::borrow::Cow;

use super::State;
use crate::graph::{Params, Value};
use crate::host::HostError;
use crate::resource::mode::{Mode, parse_mode, parse_mode_change};
use crate::resource::reader::{Param, Reader, absolute};

/// The parameters of a file, without its content.
pub(super) struct FileParams {
    path: Param<String>,
    pub state: Param<State>,
    pub mode: Param<Mode>,
    pub owner: Param<String>,
    pub group: Param<String>,
    pub selinux: Param<String>,
    pub source: Param<String>,
    pub fragments: Param<Vec<String>>,
    pub symlink: Param<bool>,
    pub recurse: Param<bool>,
    pub force: Param<bool>,
    pub purge: Param<bool>,
    /// A file or link may be replaced without `force`.
    pub swap: Param<bool>,
    pub keep_kind: Param<bool>,
    pub keep_content: Param<bool>,
    pub keep_folders: Param<bool>,
    pub deep: Param<bool>,
    pub folder_x: Param<bool>,
}

impl FileParams {
    /// Validates and parses the parameters. The error is a message for the user.
    pub fn read(given: &Reader) -> Result<Self, String> {
        validate(given)?;
        let mode = given.filled_word("mode").parse("mode", parse_mode)?;
        let change = given.filled_word("mode_change").parse("mode_change", parse_mode_change)?;
        let state = given.filled_word("state");
        let state = state.parse("state", |state| Ok(if state == "absent" { State::Absent } else { State::Exists }))?;
        let unknown = ["path", "dirname", "basename"].into_iter().find_map(|part| given.filled_word(part).unknown());
        let path = || Param::Known(path_of(given.name, |param| given.get(param)).into_owned());
        Ok(Self {
            path: unknown.map_or_else(path, Param::Unknown),
            state,
            mode: change.or(mode),
            owner: given.filled_param("owner"),
            group: given.filled_param("group"),
            selinux: given.filled_param("selinux"),
            source: given.filled_param("source"),
            fragments: given.texts_param("fragments"),
            symlink: given.flag_param("symlink"),
            recurse: given.flag_param("recurse"),
            force: given.flag_param("force"),
            purge: given.flag_param("purge"),
            swap: given.flag_param("swap"),
            keep_kind: given.flag_param("keep_kind"),
            keep_content: given.flag_param("keep_content"),
            keep_folders: given.flag_param("keep_folders"),
            deep: given.flag_param("deep"),
            folder_x: given.flag_param("folder_x"),
        })
    }

    /// Returns the path. That of a folder ends in a slash.
    pub fn path(&self) -> Result<&str, HostError> {
        Ok(self.path.get()?.map_or("", String::as_str))
    }
}

/// Refuses parameters that contradict each other.
fn validate(given: &Reader) -> Result<(), String> {
    let path = path_of(given.name, |param| given.get(param));
    if given.filled("dirname").is_some_and(|dirname| !dirname.ends_with('/')) {
        return Err("`dirname` must end in a slash".into());
    }
    if given.filled("basename").is_some_and(|basename| basename.starts_with('/')) {
        return Err("`basename` cannot begin with a slash".into());
    }
    absolute("path", &path)?;
    given.may_be("state", &["exists", "absent"]).map_err(|why| match given.text("state") {
        Some("directory") => format!("{why}; a path that ends in `/` is a folder"),
        _ => why,
    })?;
    let givers: Vec<&str> = [
        given.is_set("content").then_some("content"),
        given.is_filled("source").then_some("source"),
        given.is_set("fragments").then_some("fragments"),
    ]
    .into_iter()
    .flatten()
    .collect();
    if givers.len() > 1 {
        return Err(format!("`{}` and `{}` cannot both be set", givers[0], givers[1]));
    }
    if let (Some(giver), Some("absent")) = (givers.first(), given.text("state")) {
        return Err(format!("`{giver}` cannot be set with `state` absent"));
    }
    if given.is_set("selinux") && given.text("state") == Some("absent") {
        return Err("`selinux` cannot be set with `state` absent".into());
    }
    let is_dir = path.ends_with('/');
    if is_dir && matches!(givers.first(), Some(&"content" | &"fragments")) {
        return Err(format!("`{}` cannot be set for a folder (the path ends in a slash)", givers[0]));
    }
    if given.is_true("symlink") {
        file_symlink(given, is_dir)?;
    } else if let Some(source) = given.text("source").filter(|source| !source.is_empty()) {
        if source.ends_with('/') != is_dir {
            return Err("`source` and the path must both end in a slash, or neither".into());
        }
        if is_dir != given.is_true("recurse") {
            return Err(if is_dir {
                "copying a folder from `source` needs `recurse => true`".into()
            } else {
                "`recurse` is only for folders, but `source` is a file".into()
            });
        }
    }
    if given.is_true("purge") {
        if !given.is_true("recurse") {
            return Err("`purge` needs `recurse => true`".into());
        }
        if let Some(giver) = givers.first().filter(|giver| **giver != "source") {
            return Err(format!("`{giver}` cannot be set with `purge`"));
        }
    }
    for fragment in given.list("fragments") {
        absolute("fragments", fragment)?;
        if fragment == path || (fragment.ends_with('/') && path.starts_with(fragment)) {
            return Err(format!("the file is inside its own fragment `{fragment}`"));
        }
    }
    if path == "/" && given.text("state") == Some("absent") {
        return Err("the root folder cannot be absent".into());
    }
    Ok(())
}

fn file_symlink(given: &Reader, is_dir: bool) -> Result<(), String> {
    if !given.is_filled("source") && given.text("state") == Some("exists") {
        return Err("a symbolic link needs `source`".into());
    }
    if is_dir {
        return Err("the path of a symbolic link cannot end in a slash".into());
    }
    for giver in ["content", "fragments", "recurse", "purge"] {
        if given.is_set(giver) && given.get(giver) != Some(&Value::Bool(false)) {
            return Err(format!("`{giver}` cannot be set for a symbolic link"));
        }
    }
    Ok(())
}

/// Returns the path of a file resource: `path` or the name, with `dirname` and `basename` replacing its parts.
pub fn file_path(name: &str, params: &Params) -> String {
    path_of(name, |param| params.get(param)).into_owned()
}

fn path_of<'v>(name: &'v str, get: impl Fn(&str) -> Option<&'v Value>) -> Cow<'v, str> {
    let text = |param: &str| get(param).and_then(Value::as_str).filter(|text| !text.is_empty());
    let path = text("path").unwrap_or(name);
    if text("dirname").is_none() && text("basename").is_none() {
        return path.into();
    }
    let trimmed = path.trim_end_matches('/');
    let cut = trimmed.rfind('/').map_or(0, |at| at + 1);
    let dirname = text("dirname").unwrap_or(&path[..cut]);
    let basename = text("basename").unwrap_or(&path[cut..]);
    format!("{}/{}", dirname.trim_end_matches('/'), basename.trim_start_matches('/')).into()
}
