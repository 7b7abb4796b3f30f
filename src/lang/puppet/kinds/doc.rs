//! What the built-in resource types take, in a sentence each, and what of it has no effect here.

use std::sync::Arc;

use super::super::catalog::ral;
use super::ROWS;
use crate::lang::{DeclaredKind, DeclaredParam};

/// A type: its name, what it keeps, what it depends on by itself, its parameters.
struct Row {
    name: &'static str,
    doc: &'static str,
    requires: &'static str,
    /// With a name before `|` and a sentence after it.
    params: &'static [&'static str],
    /// Parameters that do nothing here.
    without_effect: &'static str,
}

const TYPES: &[Row] = &[
    Row {
        name: "anchor",
        doc: "Does nothing: other resources are ordered around it. A type of the module stdlib.",
        requires: "",
        params: &["name|Its name."],
        without_effect: "",
    },
    Row {
        name: "concat_file",
        doc: "Manages a file whose content is put together from fragments. A type of the module concat.",
        requires: "the folder around it",
        params: &[
            "path|The file.",
            "ensure|`present` (the default) or `absent`.",
            "tag|Fragments with this tag, or one of these tags, belong to it too.",
            "owner|The owner.",
            "group|The group.",
            "mode|The mode.",
            "order|`numeric` (the default) or `alpha`.",
            "ensure_newline|Adds a newline to each fragment without one.",
            "format|`plain` (the default), or how fragments are merged as JSON. YAML is not merged here.",
            "force|Of two values of a key, the first one counts.",
            "replace|`false` keeps the content of a file that exists.",
            "create_empty_file|`false` removes a file without content.",
        ],
        without_effect: "backup show_diff validate_cmd selinux_ignore_defaults selrange selrole seltype seluser",
    },
    Row {
        name: "concat_fragment",
        doc: "Adds a fragment to a `concat_file`. A type of the module concat.",
        requires: "",
        params: &[
            "name|Its name.",
            "target|The path or title of the file.",
            "tag|Adds it to the files with this tag.",
            "content|The content.",
            "source|A file with the content, or several of which the first one that exists counts.",
            "order|Its place (default: 10).",
        ],
        without_effect: "",
    },
    Row {
        name: "cron",
        doc: "Manages an entry in the crontab of a user.",
        requires: "its user",
        params: &[
            "ensure|`present` (the default) or `absent`.",
            "command|The command line.",
            "user|Whose crontab it is (default: `root`).",
            "target|The file or user of the crontab (default: the one of `user`).",
            "minute|0 to 59, a list, or `*`.",
            "hour|0 to 23, a list, or `*`.",
            "monthday|The day of the month, 1 to 31, a list, or `*`.",
            "month|1 to 12 or a name, a list, or `*`.",
            "weekday|0 to 7 or a name, a list, or `*`.",
            "special|A word such as `daily` or `reboot`, instead of the five fields.",
            "environment|Variables of the entry, such as `MAILTO=root`.",
        ],
        without_effect: "provider",
    },
    Row {
        name: "exec",
        doc: "Runs a command. It runs if `creates` is missing, all of `onlyif` succeed and all of `unless` fail.",
        requires: "the file of `cwd`, its user",
        params: &[
            "command|The command (default: the title). Without `path`, its program is an absolute path.",
            "path|The folders in which programs are searched.",
            "cwd|The folder in which it runs.",
            "user|The user that it runs as.",
            "group|The group that it runs as.",
            "environment|Variables such as `NAME=VALUE`.",
            "umask|The mask of the modes of new files, such as `022`.",
            "creates|Files that it makes: it does not run if all of them exist.",
            "onlyif|Commands that have to succeed.",
            "unless|Commands that have to fail.",
            "refreshonly|Runs only when another resource notifies it.",
            "refresh|The command that runs when it is notified, instead of `command`.",
            "returns|The exit codes that are a success (default: 0).",
            "timeout|Seconds after which it is stopped (default: 300; 0 for no limit).",
            "tries|How often it is tried (default: 1).",
            "try_sleep|Seconds between two tries.",
            "provider|`posix` or `shell`; both run in `/bin/sh` here.",
        ],
        without_effect: "logoutput",
    },
    Row {
        name: "file",
        doc: "Manages a file, a folder or a link.",
        requires: "the nearest folder above it that is managed, the target of a link, its owner and group",
        params: &[
            "path|The absolute path (default: the title).",
            "ensure|`file`, `directory`, `link`, `present`, `absent`, or the target of a link.",
            "content|The content as text.",
            "source|A file or folder to copy: a path, `file:///…` or `puppet:///modules/NAME/FILE`; of a list, the first one that exists.",
            "target|The target of a link.",
            "owner|The user that owns it, by name or number.",
            "group|The group that owns it, by name or number.",
            "mode|The mode, octal as text (`'0644'`) or a change (`u+x,go-w`).",
            "recurse|`true`, `false` or `remote`: whether it holds for everything below a folder.",
            "recurselimit|Refused together with `recurse` and a source or `purge`.",
            "ignore|Refused together with `recurse` and a source or `purge`.",
            "purge|With `recurse`: removes what is not managed.",
            "force|Removes or replaces folders where needed.",
            "replace|`false`: the content is only set when the file is created.",
            "links|`follow` changes the target of a link instead of the link.",
        ],
        without_effect: "backup checksum checksum_value max_files show_diff source_permissions sourceselect \
                         validate_cmd validate_replacement staging_location selinux_ignore_defaults selrange selrole \
                         seltype seluser ctime mtime type provider",
    },
    Row {
        name: "file_line",
        doc: "Manages a line of a file, which has to exist. A type of the module stdlib.",
        requires: "its file",
        params: &[
            "name|Its name.",
            "path|The file.",
            "ensure|`present` (the default) or `absent`.",
            "line|The line without newline.",
            "match|A pattern: the line that it finds is replaced.",
            "after|A pattern: a new line follows the line that it finds.",
            "multiple|Several lines may match.",
            "append_on_no_match|`false` adds no line where none matches.",
            "replace|`false` keeps a line that matches.",
            "match_for_absence|With `absent`, the line that `match` finds is removed.",
            "replace_all_matches_not_matching_line|Replaces matching lines even if the line exists.",
            "encoding|Only UTF-8.",
        ],
        without_effect: "",
    },
    Row {
        name: "filebucket",
        doc: "A place for replaced files. Accepted without effect: the journal keeps what is replaced.",
        requires: "",
        params: &["name|The name (default: the title)."],
        without_effect: "path server port",
    },
    Row {
        name: "group",
        doc: "Manages a user group.",
        requires: "",
        params: &["ensure|`present` (the default) or `absent`.", "gid|Its number."],
        without_effect: "members auth_membership system allowdupe forcelocal provider",
    },
    Row {
        name: "host",
        doc: "Manages a line in `/etc/hosts`.",
        requires: "",
        params: &[
            "ensure|`present` (the default) or `absent`.",
            "ip|The address; required unless it is absent.",
            "host_aliases|Other names of the host.",
            "comment|A comment at the end of the line.",
            "target|The file (default: `/etc/hosts`).",
        ],
        without_effect: "provider",
    },
    Row {
        name: "mount",
        doc: "Manages a mounted file system and its line in `/etc/fstab`.",
        requires: "the nearest mount above it",
        params: &[
            "ensure|`mounted`, `unmounted`, `present` or `defined` (the line alone), or `absent`.",
            "device|What is mounted.",
            "fstype|The type of the file system.",
            "options|The options, with commas between.",
            "dump|The fifth field of the line.",
            "pass|The order of checks at boot.",
        ],
        without_effect: "blockdevice remounts target provider",
    },
    Row {
        name: "notify",
        doc: "Writes a message to the log. It is a change at every apply, so it also notifies other resources.",
        requires: "",
        params: &["message|The message (default: the title)."],
        without_effect: "withpath",
    },
    Row {
        name: "package",
        doc: "Manages a package with the package manager of the machine.",
        requires: "the files of `source`, `adminfile` and `responsefile`",
        params: &[
            "name|The name of the package (default: the title).",
            "ensure|`installed` or `present` (the default), `absent`, `purged` (with its configuration), `latest`, `held`, or a version.",
            "mark|`hold` sets it aside from changes (apt only), `none` gives it free.",
            "provider|Only those of the machine's own package manager, such as `apt` or `dnf`.",
            "source|Refused: packages are only taken from the sources of the package manager.",
        ],
        without_effect: "install_options uninstall_options adminfile responsefile configfiles reinstall_on_refresh \
                         category description enable_only flavor install_only instance package_settings platform root \
                         status vendor command allowcdrom",
    },
    Row {
        name: "resources",
        doc: "Removes what is not managed of a type. Not implemented here.",
        requires: "",
        params: &["purge|Whether it removes."],
        without_effect: "",
    },
    Row {
        name: "schedule",
        doc: "Says when resources with `schedule => NAME` may be applied.",
        requires: "",
        params: &[
            "period|`hourly`, `daily`, `weekly`, `monthly` or `never`.",
            "periodmatch|`number` counts calendar periods, `distance` (the default) the time since the last apply.",
            "range|Hours such as `22:30 - 4`; also a list.",
            "repeat|How often in one period (default: 1).",
            "weekday|Days on which it may be applied.",
        ],
        without_effect: "",
    },
    Row {
        name: "service",
        doc: "Manages a service with systemd, or with commands of its own. A refresh restarts it if it runs.",
        requires: "",
        params: &[
            "name|The name of the unit (default: the title).",
            "ensure|`running` or `stopped`.",
            "enable|`true` or `false`: whether it starts at boot.",
            "start|Starts it, instead of systemd.",
            "stop|Stops it, instead of systemd.",
            "restart|Restarts it, instead of systemd.",
            "status|Succeeds while it runs. A preview runs it only with `--run-guards`.",
            "hasstatus|`false`: it runs while a process matches `pattern`.",
            "pattern|A pattern of command lines (default: the name).",
            "binary|With `provider => base`: the program to start and to search for.",
            "hasrestart|Accepted: systemd always can restart a service.",
            "provider|`systemd`, or `base` for commands alone.",
        ],
        without_effect: "timeout control flags manifest path logonaccount logonpassword",
    },
    Row {
        name: "ssh_authorized_key",
        doc: "Manages a key that may log in as a user. The title is the comment that names the entry.",
        requires: "its user",
        params: &[
            "ensure|`present` (the default) or `absent`.",
            "user|The user whose file it is in.",
            "target|The file, instead of the one of the user.",
            "type|The type of the key, such as `ssh-ed25519`.",
            "key|The key itself, without spaces.",
            "options|Options before the key.",
        ],
        without_effect: "drop_privileges provider",
    },
    Row {
        name: "stage",
        doc: "Orders classes: each class belongs to a stage (`main` by default), and relationships between stages order them.",
        requires: "",
        params: &["name|The name (default: the title)."],
        without_effect: "",
    },
    Row {
        name: "tidy",
        doc: "Removes old or large files. Not implemented here.",
        requires: "",
        params: &["path|The folder.", "age|The age.", "size|The size.", "recurse|Whether to look below the folder."],
        without_effect: "",
    },
    Row {
        name: "user",
        doc: "Manages a user account.",
        requires: "its group and groups",
        params: &[
            "ensure|`present` (the default) or `absent`.",
            "uid|Its number.",
            "gid|Its main group, by name or number.",
            "groups|Other groups.",
            "membership|`minimum` (the default): it stays in other groups; `inclusive`: it leaves them.",
            "home|The home folder.",
            "managehome|Creates the home folder with the account. Refused for an account that is removed.",
            "shell|The login shell.",
            "comment|The full name, or another comment.",
            "system|A new account gets a number for system accounts.",
            "allowdupe|Allows two users with the same number.",
            "password|Refused: hashes of passwords are not changed.",
        ],
        without_effect: "salt iterations password_min_age password_max_age password_warn_days expiry \
                         purge_ssh_keys forcelocal loginclass provider",
    },
];

/// The documentation of a type: its own sentences where there are some, and else its parameters.
pub fn doc(name: &str) -> Option<DeclaredKind> {
    let row = TYPES.iter().find(|row| row.name == name);
    if !ral::is_builtin(name) && row.is_none() {
        return None;
    }
    let namevar = ral::namevar(name).unwrap_or(if name == "concat_file" { "path" } else { "name" });
    let mut doc = row.map_or_else(|| "A type of Puppet.".to_owned(), |row| row.doc.to_owned());
    if !ROWS.iter().any(|(known, _)| *known == name) && !["stage", "resources", "tidy"].contains(&name) {
        doc.push_str(" Not implemented here: it is shown, and blocks what depends on it.");
    }
    doc.push_str(&format!("\nThe title is its `{namevar}` unless that is set."));
    if let Some(row) = row.filter(|row| !row.requires.is_empty()) {
        doc.push_str(&format!("\nDepends automatically on {}, where these are managed.", row.requires));
    }
    if let Some(row) = row.filter(|row| !row.without_effect.is_empty()) {
        doc.push_str(&format!(
            "\nWithout effect here: {}.",
            row.without_effect.split_whitespace().collect::<Vec<_>>().join(", ")
        ));
    }
    let params = match row {
        Some(row) => row
            .params
            .iter()
            .filter_map(|param| param.split_once('|'))
            .map(|(name, doc)| param_of(name, doc, namevar))
            .collect(),
        None => ral::parameters(name).into_iter().map(|name| param_of(name, "", namevar)).collect(),
    };
    Some(DeclaredKind { name: name.into(), params, doc, source: None })
}

fn param_of(name: &str, doc: &str, namevar: &str) -> DeclaredParam {
    let ty = if name == namevar { "name" } else { "" };
    DeclaredParam { name: Arc::from(name), ty: ty.into(), is_required: false, doc: doc.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_parameter_exists_and_is_described_once() {
        for row in TYPES {
            let mut names: Vec<&str> = row.params.iter().filter_map(|param| Some(param.split_once('|')?.0)).collect();
            names.extend(row.without_effect.split_whitespace());
            for name in &names {
                assert!(ral::has_parameter(row.name, name), "{}: {name}", row.name);
            }
            let count = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), count, "{}", row.name);
        }
    }

    #[test]
    fn every_type_that_acts_is_described() {
        for (name, _) in ROWS {
            assert!(TYPES.iter().any(|row| row.name == *name), "{name}");
        }
        assert!(TYPES.is_sorted_by_key(|row| row.name));
    }
}
