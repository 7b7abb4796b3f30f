//! The attributes that Inmanta's modules name differently from our kinds.

use crate::lang::{Allowed, Property};

const PURGEABLE: &[&str] = &[
    "std::File",
    "std::Directory",
    "std::Symlink",
    "fs::File",
    "fs::Directory",
    "fs::Symlink",
    "files::TextFile",
    "files::Directory",
    "files::Symlink",
    "apt::Repository",
    "user::User",
    "user::Group",
    "cron::Cronjob",
    "ssh::AuthorizedKey",
];
const PACKAGES: &[&str] = &["std::Package", "apt::Package"];
const RUN: &[&str] = &["exec::Run"];

pub const PROPERTIES: &[Property] = &[
    Property {
        values: &[("exists", "false"), ("absent", "true")],
        range: Allowed::Words,
        ..Property::named(PURGEABLE, "state", "purged")
    },
    Property {
        values: &[("newest", "latest"), ("uninstalled", "removed")],
        ..Property::named(PACKAGES, "state", "state")
    },
    Property {
        values: &[("enabled", "true"), ("disabled", "false")],
        ..Property::named(&["std::Service"], "startup", "onboot")
    },
    Property::named(&["fs::Symlink"], "source", "src"),
    Property::named(&["files::Symlink"], "source", "target"),
    Property::named(RUN, "cmd", "command"),
    Property { added: &[("PATH", None)], ..Property::named(RUN, "env", "environment") },
    Property::named(RUN, "ifcmd", "onlyif"),
    Property::named(RUN, "nifcmd", "unless"),
    Property::named(RUN, "refreshcmd", "reload"),
    // The entity has no attribute for the shell.
    Property { name: None, ..Property::named(RUN, "shell", "") },
];
