//! The properties that Puppet names differently from our kinds.

use crate::lang::{Allowed, Property};

const ENSURED: &[&str] =
    &["File", "User", "Group", "Host", "Cron", "Mount", "File_line", "Concat_file", "Ssh_authorized_key"];

pub const PROPERTIES: &[Property] = &[
    Property {
        values: &[("exists", "present"), ("absent", "absent")],
        range: Allowed::Words,
        ..Property::named(ENSURED, "state", "ensure")
    },
    Property {
        values: &[("a file", "file"), ("a folder", "directory"), ("a symbolic link", "link")],
        range: Allowed::TwoWords,
        ..Property::named(&["File"], "type", "ensure")
    },
    Property {
        values: &[("installed", "present"), ("newest", "latest"), ("uninstalled", "absent")],
        ..Property::named(&["Package"], "state", "ensure")
    },
    Property { values: &[("yes", "hold"), ("no", "none")], ..Property::named(&["Package"], "hold", "mark") },
    Property { range: Allowed::Targets, ..Property::named(&["File"], "source", "target") },
    Property::named(&["Service"], "state", "ensure"),
    Property::named(&["Service"], "cmd", "command"),
    Property {
        values: &[("enabled", "true"), ("disabled", "false")],
        ..Property::named(&["Service"], "startup", "enable")
    },
    Property::named(&["User"], "homedir", "home"),
    Property::named(&["User"], "group", "gid"),
    Property::named(&["Exec"], "cmd", "command"),
    Property {
        added: &[("PATH", None), ("LANG", Some("C")), ("LC_ALL", Some("C"))],
        ..Property::named(&["Exec"], "env", "environment")
    },
    Property::named(&["Exec"], "ifcmd", "onlyif"),
    Property::named(&["Exec"], "nifcmd", "unless"),
    Property::named(&["Exec"], "refreshcmd", "refresh"),
    // Puppet has no parameter for the shell.
    Property { name: None, ..Property::named(&["Exec"], "shell", "") },
    Property::named(&["Notify"], "body", "message"),
];
