//! Parameters and kinds that only languages other than mcl set. mcl programs cannot use them.

use super::FieldType::{Bool, Str};
use super::{FieldType, Parameter, Schema, optional, param};

pub(super) const EXEC: &[Parameter] = &[
    param("refresh_only", Bool, "Runs only when notified."),
    param("again", Bool, "Runs once more when notified, if the guards still allow it."),
    param("finds_programs", Bool, "A guard whose program does not exist is an error, and not false."),
    param("refreshcmd", Str, "Runs instead of `cmd` when notified."),
    param("refreshcwd", Str, "The folder of `refreshcmd`."),
    param("refreshshell", Str, "The shell of `refreshcmd`."),
    param("returns", FieldType::List(&FieldType::INT), "The exit codes that are a success (default: 0)."),
];

pub(super) const FILE: &[Parameter] = &[
    param("swap", Bool, "Replaces a file or a link by what is wanted. A folder still needs `force`."),
    param("keep_kind", Bool, "What is there keeps its kind: a folder stays a folder, a link is not changed."),
    param("keep_content", Bool, "The content is only set when the file is created."),
    param("keep_folders", Bool, "A purge removes a folder only with `force`; without it, it removes what is inside."),
    param("deep", Bool, "Mode, owner and group also hold for everything below the folder."),
    param("folder_x", Bool, "A folder can be entered by everyone who can read it."),
    param("mode_change", Str, "A change of the mode such as `u+x,go-w`, instead of `mode`."),
];

pub(super) const LINE: &[Parameter] = &[
    param("by_pattern", Bool, "The file has to exist, and the line is found by the parameters below."),
    param("match", Str, "A pattern for the line that `content` replaces."),
    param("after", Str, "A pattern for the line that a new line follows."),
    param("multiple", Bool, "Several lines may match."),
    param("no_append", Bool, "Where no line matches, none is added."),
    param("no_replace", Bool, "A line that matches stays as it is."),
    param("absent_by_match", Bool, "With `state => absent`, the line that matches is removed."),
    param("replace_all", Bool, "Matching lines are replaced even if the line exists already."),
];

pub(super) const MOUNT: &[Parameter] = &[
    param("mounted", Str, "`yes`, `no`, or `keep` for an entry in the table only."),
    param("option_list", FieldType::STRS, "The options in their order, instead of `options`."),
];

pub(super) const MSG: &[Parameter] =
    &[param("always", Bool, "The message is a change at each apply, so that it notifies others.")];

pub(super) const PKG: &[Parameter] = &[
    param("purge", Bool, "With `uninstalled`: its configuration is removed too."),
    param("hold", Str, "`yes` sets it aside from changes, `no` gives it free; empty leaves it as it is."),
];

pub(super) const SSH_AUTHORIZED_KEY: &[Parameter] =
    &[param("by_comment", Bool, "The comment names the entry: an entry with the same comment is replaced.")];

pub(super) const SVC: &[Parameter] = &[
    param("restart", Bool, "A refresh restarts it if it runs, instead of a reload."),
    param("startcmd", Str, "Starts it, instead of its manager."),
    param("stopcmd", Str, "Stops it, instead of its manager."),
    param("restartcmd", Str, "Restarts it at a refresh."),
    param("statuscmd", Str, "Succeeds while it runs."),
    param("pattern", Str, "A pattern of a command line: it runs while a process has such a line."),
    param("no_manager", Bool, "Only its own commands start and stop it."),
];

pub(super) const USER: &[Parameter] = &[
    optional("comment", Str, "The full name, or another comment."),
    param("more_groups", Bool, "`groups` are added; the user stays in others."),
    param("makes_home", Bool, "Creates the home folder of a new account."),
    param("system", Bool, "A new account gets a number for system accounts."),
];

pub(in crate::resource) const CRONTAB: Schema = Schema::new(
    "crontab",
    "Manages an entry in the crontab of a user. A comment line marks the entry.",
    &[
        param("state", Str, "`exists` or `absent`."),
        param("user", Str, "Whose crontab it is (default: `root`)."),
        param("file", Str, "The file (default: the user's file in the spool folder of cron)."),
        param("marker", Str, "The comment line before the entry."),
        param("environment", FieldType::STRS, "Variables of the entry, such as `MAILTO=root`."),
        param("time", Str, "Five fields, or a word such as `@daily`."),
        param("command", Str, "The command."),
    ],
);

pub(in crate::resource) const ENTRY: Schema = Schema::new(
    "entry",
    "Manages a line of a table such as `/etc/hosts`. A word of the line names it.",
    &[
        param("state", Str, "`exists` or `absent`."),
        param("file", Str, "The file with the table."),
        param("key", Str, "The word that names the line (default: the name)."),
        param("word", FieldType::U32, "The place of that word in the line, from 0."),
        param("line", Str, "The whole line."),
    ],
);
