//! The parameters that only other languages set, in the words of mgmt where it has some.

use rustc_hash::FxHashSet;

use crate::graph::{Declaration, NodeIndex, Params, Value};
use crate::resource::mode::{parse_mode, parse_mode_change};

/// The resources that notify others, and those that are notified.
#[derive(Default)]
pub struct Ways {
    pub notifies: FxHashSet<NodeIndex>,
    pub notified: FxHashSet<NodeIndex>,
}

/// What becomes of a parameter.
pub enum Form {
    /// It is in the other parameters, or has no effect on this resource.
    None,
    /// The same, except in a case that the user should know.
    Note(&'static str),
    /// The reason and the way out.
    Refused(&'static str, &'static str),
}

/// One resource on its way into mgmt's words.
pub struct Fit<'g> {
    pub wanted: &'g Declaration,
    /// The parameters that mgmt has.
    pub params: Params,
    pub is_notified: bool,
    pub notifies: bool,
}

/// Why a kind does not exist in mgmt.
pub fn kind(name: &str) -> &'static str {
    match name {
        "crontab" => "mgmt has no kind for an entry of a user's crontab",
        "entry" => "mgmt has no kind for a line that one of its words names",
        "export" => "mgmt exports with `Meta:export`",
        _ => "mgmt has no such kind",
    }
}

/// The way out for it.
pub fn kind_help(name: &str) -> &'static str {
    match name {
        "crontab" => "use a file in `/etc/cron.d`, or a timer of systemd",
        "entry" => "manage the whole file, or run the program with `workbench apply`",
        _ => super::APPLY,
    }
}

impl Fit<'_> {
    /// Puts one parameter into mgmt's words.
    pub fn param(&mut self, name: &str, value: &Value) -> Form {
        let is_unset = match value {
            Value::Null | Value::Bool(false) => true,
            Value::Str(text) => text.is_empty(),
            Value::List(items) => items.is_empty(),
            _ => false,
        };
        // An empty comment of a user is a comment.
        if is_unset && (&*self.wanted.kind, name) != ("user", "comment") {
            return Form::None;
        }
        match &*self.wanted.kind {
            "exec" => self.exec(name, value),
            "file" => self.file(name, value),
            "line" => self.line(name),
            "mount" => self.mount(name, value),
            "msg" if !self.notifies => Form::None,
            "msg" => Form::Refused("a message of mgmt is not a change", "remove its notify"),
            "pkg" if name == "purge" => Form::Refused("mgmt keeps the configuration", "use `ensure => absent`"),
            "pkg" => Form::Refused("mgmt does not hold packages", "leave it out"),
            "ssh:authorized_key" => Form::Refused(
                "mgmt finds a key by its whole line, and keeps an older key with this comment",
                "manage the whole file",
            ),
            "svc" => self.svc(name),
            "user" => self.user(name),
            _ => Form::Refused("mgmt has no such parameter", super::APPLY),
        }
    }

    fn exec(&self, name: &str, value: &Value) -> Form {
        match name {
            "returns" if value.as_list().is_some_and(|codes| codes == [Value::Int(0)]) => Form::None,
            "returns" => Form::Refused("mgmt expects the exit code 0", "end the command with `|| test $? -eq CODE`"),
            "refresh_only" => Form::Refused(
                "mgmt has no command that only a notify runs",
                "give it a guard, such as `onlyif` or `creates`",
            ),
            "finds_programs" => Form::None,
            _ if !self.is_notified => Form::None,
            "again" => Form::Refused(
                "mgmt does not run a command once more when it is notified",
                "order it with `require` instead of a notify",
            ),
            _ => Form::Refused("mgmt has no other command for a notify", "order it with `require` instead of a notify"),
        }
    }

    fn file(&mut self, name: &str, value: &Value) -> Form {
        let set = |name: &str| self.wanted.params.get(name) == Some(&Value::Bool(true));
        let is_folder = self.wanted.name.ends_with('/');
        match name {
            "swap" => Form::Note("if a link or a file is there instead, mgmt reports an error and does not replace it"),
            "keep_kind" => {
                Form::Refused("mgmt has to know what it is", "set `ensure` to `file`, `directory` or `link`")
            }
            "keep_content" => Form::Refused("mgmt sets the content each time", "remove `replace => false`"),
            "keep_folders" if set("force") => Form::None,
            "keep_folders" => Form::Refused("a purge of mgmt also removes folders", "set `force => true`"),
            "deep" => Form::Refused("mgmt sets mode and owner of the folder only", "remove `recurse`"),
            "folder_x" if !is_folder => Form::None,
            "folder_x" if set("recurse") => {
                Form::Refused("mgmt sets one mode on files and folders", "remove `recurse`, or `mode`")
            }
            "folder_x" => self.folder_mode(),
            "mode_change" => match value.as_str() {
                // Whole modes are written alike in both.
                Some(text) if parse_mode(text).is_ok() && parse_mode(text) == parse_mode_change(text) => {
                    self.params.set("mode", value.clone());
                    Form::None
                }
                _ => Form::Refused("mgmt sets a whole mode", "use a mode such as `u=rwx,go=rx` or `0755`"),
            },
            _ => Form::Refused("mgmt has no such parameter", super::APPLY),
        }
    }

    /// Whoever may read a folder may enter it.
    fn folder_mode(&mut self) -> Form {
        let mode = self.params.get("mode").and_then(Value::as_str).map(|text| u32::from_str_radix(text, 8));
        match mode {
            Some(Ok(mode)) => {
                let mode = format!("{:04o}", mode | ((mode & 0o444) >> 2));
                self.params.set("mode", Value::from(&*mode));
                Form::None
            }
            Some(Err(_)) => Form::Refused("its mode is not octal", "use a mode such as `0755`"),
            None => Form::None,
        }
    }

    fn line(&self, name: &str) -> Form {
        match name {
            "by_pattern" => Form::Note("mgmt creates a missing file"),
            _ => Form::Refused("mgmt finds a line by its whole text", "remove it, or manage the whole file"),
        }
    }

    fn mount(&mut self, name: &str, value: &Value) -> Form {
        match (name, value) {
            ("mounted", value) if value.as_str() == Some("yes") => Form::None,
            ("option_list", Value::List(items)) => {
                let pair = |item: &Value| {
                    let (name, value) = item.as_str()?.split_once('=').unwrap_or((item.as_str()?, ""));
                    Some((Value::from(name), Value::from(value)))
                };
                let pairs: Option<Vec<_>> = items.iter().map(pair).collect();
                let is_once = |pairs: &Vec<(Value, Value)>| {
                    pairs.iter().enumerate().all(|(at, (name, _))| pairs[..at].iter().all(|(other, _)| other != name))
                };
                match pairs.filter(is_once) {
                    Some(pairs) => {
                        self.params.set("options", Value::Map(pairs));
                        Form::None
                    }
                    None => Form::Refused("mgmt takes each option once", "name each option once"),
                }
            }
            _ => Form::Refused("mgmt mounts each entry of its table", "use `ensure => mounted` or `absent`"),
        }
    }

    fn svc(&self, name: &str) -> Form {
        match name {
            "restart" if !self.is_notified => Form::None,
            "restart" => Form::Refused(
                "mgmt reloads a notified service, and does not restart it",
                "order it with `require` instead of a notify",
            ),
            "restartcmd" if !self.is_notified => Form::None,
            _ => Form::Refused("mgmt leaves a service to systemd", "write a unit for systemd"),
        }
    }

    fn user(&mut self, name: &str) -> Form {
        let has_groups = self.params.get("groups").and_then(Value::as_list).is_some_and(|groups| !groups.is_empty());
        match name {
            "more_groups" if has_groups => {
                Form::Refused("mgmt removes a user from other groups", "set `membership => inclusive`")
            }
            "more_groups" => {
                self.params.remove("groups");
                Form::None
            }
            "makes_home" => Form::Refused("mgmt does not create a home folder", "add a `file` for the folder"),
            "system" => Form::Refused("mgmt does not choose numbers for system accounts", "set `uid`"),
            _ => Form::Refused("mgmt does not manage it", "leave it out"),
        }
    }
}
