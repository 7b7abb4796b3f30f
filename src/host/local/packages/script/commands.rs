//! What the commands of packages' scripts do: they look, deal with services, make accounts, or write where they are told to.

use std::path::{Component, Path, PathBuf};

use super::Value;
use crate::host::Scripts;

/// They look, say something, or order the script.
#[rustfmt::skip]
const LOOKING: &[&str] = &[
    ".", ":", "[", "aa-enabled", "basename", "break", "cat", "cmp", "command", "continue", "cut", "date", "db_beginblock",
    "db_capb", "db_endblock", "db_fget", "db_fset", "db_get", "db_go", "db_input", "db_metaget", "db_purge", "db_register",
    "db_reset", "db_set", "db_settitle", "db_stop", "db_subst", "db_text", "db_title", "db_unregister", "db_version",
    "diff", "dirname", "dpkg", "dpkg-query", "dpkg-trigger", "dpkg-vendor", "echo", "egrep", "exec", "exit", "export",
    "expr", "false", "fgrep", "find", "getent", "grep", "groups", "head", "hostname", "id", "ischroot", "local", "logger",
    "ls", "md5sum", "pgrep", "pidof", "printf", "ps", "pwd", "read", "readlink", "readonly", "realpath", "return", "seq",
    "set", "sha256sum", "shift", "sleep", "sort", "ss", "stat", "systemd-detect-virt", "systemd-notify", "tail", "test",
    "tr", "true", "type", "umask", "uname", "uniq", "unset", "wait", "wc", "which", "xargs",
];

/// They start, stop and enable services.
const SERVICES: &[&str] =
    &["deb-systemd-helper", "deb-systemd-invoke", "invoke-rc.d", "service", "systemctl", "update-rc.d"];

/// They change accounts.
const ACCOUNTS: &[&str] = &[
    "addgroup",
    "adduser",
    "chfn",
    "chsh",
    "delgroup",
    "deluser",
    "gpasswd",
    "groupadd",
    "groupdel",
    "groupmod",
    "systemd-sysusers",
    "useradd",
    "userdel",
    "usermod",
];

/// Where accounts are kept.
const ACCOUNT_FILES: &[&str] =
    &["/etc/group", "/etc/gshadow", "/etc/passwd", "/etc/shadow", "/etc/subgid", "/etc/subuid"];

/// They write at the paths that they name, but at nothing that is in those.
const AT_PATHS: &[&str] = &["chgrp", "chmod", "chown", "rmdir", "touch"];

/// They write at the paths that they name, and below.
#[rustfmt::skip]
const IN_PATHS: &[&str] = &[
    "cp", "dpkg-divert", "dpkg-statoverride", "install", "ln", "mkfifo", "mktemp", "mv", "rm",
    "setcap", "tee", "truncate", "ucf", "ucfr", "unlink",
];

/// They write where they always do, too.
const OF_THEIR_OWN: &[(&str, &str)] = &[
    ("ldconfig", "/etc/ld.so.cache"),
    ("update-alternatives", "/etc/alternatives"),
    ("update-ca-certificates", "/etc/ssl"),
    ("update-inetd", "/etc/inetd.conf"),
    ("update-mime-database", "/usr/share/mime"),
    ("update-shells", "/etc/shells"),
    ("add-shell", "/etc/shells"),
    ("apparmor_parser", "/var/cache/apparmor"),
    ("py3compile", "/usr"),
    ("py3clean", "/usr"),
    ("pypy3compile", "/usr"),
    ("pypy3clean", "/usr"),
];

/// Where commands lie that have a path.
const BIN: &[&str] = &["/bin", "/sbin", "/usr/bin", "/usr/sbin"];

/// What is written of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Writes {
    /// It, and nothing that lies in it.
    Path,
    Tree,
    /// A folder, where it is not there yet.
    Folder,
}

/// Adds how far a command reaches. `None` where it may do anything.
pub(super) fn reach(name: &str, args: &[Value], scripts: &mut Scripts) -> Option<()> {
    if name == "/usr/lib/systemd/systemd-update-helper" {
        scripts.services = true;
        return Some(());
    }
    let name = match name.rsplit_once('/') {
        Some((folder, name)) if BIN.contains(&folder) => name,
        Some(_) => return None,
        None => name,
    };
    if LOOKING.contains(&name) {
        return looks(name, args, scripts);
    }
    match name {
        "" => Some(()),
        // The folder that relative names are in is the root folder.
        "cd" => args.iter().all(|arg| arg.text == "/" && !arg.is_open).then_some(()),
        "sed" if !args.iter().any(|arg| arg.is_open || arg.text.starts_with("-i") || arg.text.starts_with("--in")) => {
            // A script of it can write and run too.
            args.iter().all(|arg| !arg.text.contains("w /") && !arg.text.ends_with("/e")).then_some(())
        }
        "sed" => write_all(args, Writes::Tree, scripts),
        "awk" | "gawk" | "mawk" => {
            let is_plain = |arg: &Value| !(arg.is_open || arg.text.contains(['>', '|']) || arg.text.contains("system"));
            args.iter().all(is_plain).then_some(())
        }
        name if SERVICES.contains(&name) => {
            scripts.services = true;
            Some(())
        }
        name if ACCOUNTS.contains(&name) => accounts(name, args, scripts),
        name if AT_PATHS.contains(&name) => {
            let is_deep = |arg: &Value| {
                arg.text.starts_with("--recursive") || arg.text.starts_with('-') && arg.text.contains('R')
            };
            let writes = if args.iter().any(is_deep) { Writes::Tree } else { Writes::Path };
            write_all(args, writes, scripts)
        }
        "mkdir" => write_all(args, Writes::Folder, scripts),
        // What its files declare is told by these.
        "systemd-tmpfiles" => Some(()),
        // Its other words are the script's own arguments.
        "dpkg-maintscript-helper" => {
            args.iter().filter(|arg| arg.text.starts_with('/')).try_for_each(|arg| writes(arg, Writes::Tree, scripts))
        }
        name if IN_PATHS.contains(&name) => write_all(args, Writes::Tree, scripts),
        name => {
            let (_, own) = OF_THEIR_OWN.iter().find(|(own, _)| *own == name)?;
            scripts.trees.insert(own.into());
            write_all(args, Writes::Tree, scripts)
        }
    }
}

/// Some of those that look can be told to do more.
fn looks(name: &str, args: &[Value], scripts: &mut Scripts) -> Option<()> {
    let text = |at: usize| args.get(at).map(|arg| arg.text.as_str()).unwrap_or_default();
    let is_known = |arg: &Value| !arg.is_open;
    match name {
        "." => (text(0) == "/usr/share/debconf/confmodule").then_some(()),
        "command" => ["-v", "-V"].contains(&text(0)).then_some(()),
        "exec" => args.is_empty().then_some(()),
        "xargs" => {
            let (name, rest) = args.split_first()?;
            (is_known(name) && LOOKING.contains(&name.text.as_str())).then_some(())?;
            looks(&name.text, rest, scripts)
        }
        "dpkg" => {
            const ASKING: &[&str] = &[
                "--compare-versions",
                "--get-selections",
                "--list",
                "--listfiles",
                "--print-architecture",
                "--print-foreign-architectures",
                "--search",
                "--status",
                "-L",
                "-S",
                "-l",
                "-s",
            ];
            (ASKING.contains(&text(0)) || text(0).starts_with("--assert-") || text(0).starts_with("--validate-"))
                .then_some(())
        }
        "find" => {
            let acts = |arg: &Value| {
                ["-exec", "-execdir", "-ok", "-okdir", "-fprint", "-fprintf", "-fls", "-fprint0"]
                    .contains(&arg.text.as_str())
            };
            if args.iter().any(acts) || !args.iter().all(|arg| is_known(arg) || arg.text.starts_with('/')) {
                return None;
            }
            if args.iter().any(|arg| arg.text == "-delete") { write_all(args, Writes::Tree, scripts) } else { Some(()) }
        }
        "sort" => {
            let is_told = args.iter().any(|arg| arg.text.starts_with("-o") || arg.text.starts_with("--output"));
            (!is_told).then_some(())
        }
        _ => Some(()),
    }
}

fn accounts(name: &str, args: &[Value], scripts: &mut Scripts) -> Option<()> {
    scripts.accounts = true;
    for file in ACCOUNT_FILES {
        scripts.paths.insert(file.into());
        scripts.paths.insert(format!("{file}-").into());
    }
    // A home that is made and not named lies among the others.
    let has = |words: &[&str]| {
        args.iter().any(|arg| words.iter().any(|word| arg.text == *word || arg.text.starts_with(&format!("{word}="))))
    };
    let is_without = has(&["--no-create-home", "-M", "--home", "-d", "--home-dir"]);
    let is_plain_system = name == "useradd" && has(&["-r", "--system"]) && !has(&["-m", "--create-home"]);
    if ["adduser", "useradd"].contains(&name) && !is_without && !is_plain_system {
        scripts.trees.insert("/home".into());
    }
    let paths = args.iter().filter(|arg| arg.text.contains('/'));
    for path in paths {
        writes(path, Writes::Tree, scripts)?;
    }
    // What is not known may be where a home is.
    let names_home =
        |pair: &[Value]| ["--home", "-d", "--home-dir"].contains(&pair[0].text.as_str()) && pair[1].is_open;
    (!args.windows(2).any(names_home)).then_some(())
}

fn write_all(args: &[Value], what: Writes, scripts: &mut Scripts) -> Option<()> {
    args.iter().try_for_each(|arg| match arg.text.starts_with('-') && !arg.text.contains('/') && !arg.is_open {
        true => Some(()),
        false => writes(arg, what, scripts),
    })
}

/// Adds a path that is written. `None` where it may be any.
pub(super) fn writes(value: &Value, what: Writes, scripts: &mut Scripts) -> Option<()> {
    // An option may have its path right behind it.
    let text = match value.text.find('/') {
        Some(at) if value.text.starts_with('-') => &value.text[at..],
        _ => &value.text,
    };
    let known = match (value.is_open, text.rfind('/')) {
        (false, _) => text,
        (true, Some(at)) if at > 0 && text.starts_with('/') => &text[..at],
        (true, _) => return None,
    };
    // An option may be followed by who is to own it.
    if known.is_empty() || known == "root" {
        return Some(());
    }
    // Scripts begin in the root folder.
    let path = Path::new("/").join(known);
    if path.components().any(|part| part == Component::ParentDir) {
        return None;
    }
    if ["/dev/null", "/dev/stderr", "/dev/stdout", "/dev/tty"].iter().any(|open| path == Path::new(open)) {
        return Some(());
    }
    let path: PathBuf = path.components().collect();
    match what {
        Writes::Path if !value.is_open => scripts.paths.insert(path),
        Writes::Folder if !value.is_open => scripts.folders.insert(path),
        _ => scripts.trees.insert(path),
    };
    Some(())
}
