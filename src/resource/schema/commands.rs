//! Schemas of the kinds that run commands, print messages or wait.

use super::FieldType::{Bool, Str};
use super::{FieldType, Schema, more, optional, param};

pub(super) const EXEC: Schema = Schema::new(
    "exec",
    "Runs a command, unless its guards prevent it.",
    &[
        param("cmd", Str, "The command (default: the name). Without a shell it is split at white space."),
        param("args", FieldType::STRS, "Arguments, without splitting. `cmd` is then only the program."),
        param("cwd", Str, "The working folder."),
        param("shell", Str, "A shell that runs the command with `-c`, such as `/bin/bash`."),
        param("env", FieldType::STR_MAP, "The whole environment (default: empty)."),
        param(
            "sig",
            Str,
            "The signal that stops the command after its timeout, such as `SIGINT` (default: `SIGTERM`).",
        ),
        param(
            "watchcmd",
            Str,
            "Keeps running in watch mode; each line that it prints triggers a check. `retry` and `delay` control how often \
            it is restarted when it exits.",
        ),
        param("watchcwd", Str, "The folder of `watchcmd`."),
        param("watchshell", Str, "The shell of `watchcmd`."),
        param("watchfiles", FieldType::STRS, "Files whose changes trigger a check in watch mode; with a slash at the end, a whole folder."),
        param("ifcmd", Str, "Guard: run only if this succeeds."),
        param("ifcwd", Str, "The folder of `ifcmd`."),
        param("ifshell", Str, "The shell of `ifcmd`."),
        optional(
            "ifequals",
            Str,
            "Guard: do not run if `ifcmd` prints exactly this on stdout and stderr, including newlines.",
        ),
        optional("ifequals_stdout", Str, "The same, on stdout only."),
        param("nifcmd", Str, "Guard: run only if this fails."),
        param("nifcwd", Str, "The folder of `nifcmd`."),
        param("nifshell", Str, "The shell of `nifcmd`."),
        param("creates", Str, "Guard: run only if this path does not exist."),
        param(
            "mtimes",
            FieldType::STRS,
            "Files that make it run again if they changed since the last run, even if the guards prevent it.",
        ),
        param("donecmd", Str, "Runs after the command succeeded."),
        param("donecwd", Str, "The folder of `donecmd`."),
        param("doneshell", Str, "The shell of `donecmd`."),
        param("user", Str, "The user it runs as."),
        param("group", Str, "The group it runs as."),
        optional(
            "send_output",
            Str,
            "Sent as `output` if the command has never run and a guard prevents it.",
        ),
        optional("send_stdout", Str, "Sent as `stdout` when the command did not run."),
        optional("send_stderr", Str, "Sent as `stderr` when the command did not run."),
    ],
)
.more(more::EXEC)
.autoedge()
.sends(&[("output", Str), ("stdout", Str), ("stderr", Str)]);

pub(super) const EXIT: Schema = Schema::new(
    "exit",
    "Exits with a code when all other resources are done.",
    &[param("code", FieldType::U8, "The exit code, at most 125.")],
);

pub(super) const MSG: Schema = Schema::new(
    "msg",
    "Prints a message, and writes it to the journal or syslog: at each apply, and in watch mode also when notified.",
    &[
        param("body", Str, "The message."),
        param(
            "priority",
            Str,
            "One of `Emerg`, `Alert`, `Crit`, `Err`, `Warning`, `Notice`, `Info`, `Debug`; required.",
        ),
        param("fields", FieldType::STR_MAP, "Fields of the journal entry."),
        param("journal", Bool, "Writes to the journal."),
        param("syslog", Bool, "Writes to syslog."),
    ],
)
.more(more::MSG)
.refresh();

pub(super) const NOOP: Schema =
    Schema::new("noop", "Does nothing.", &[param("comment", Str, "A comment.")]).autogroup().refresh();

pub(super) const PRINT: Schema = Schema::new(
    "print",
    "Prints a message.",
    &[param("msg", Str, "The message (default: the name)."), param("refresh_only", Bool, "Prints only when notified.")],
)
.autogroup()
.receives()
.refresh();

pub(super) const TIMER: Schema = Schema::new(
    "timer",
    "Sends an event at each interval in watch mode, and notifies its listeners. Does nothing in an apply.",
    &[param("interval", FieldType::U32, "Seconds between two events.")],
)
.refresh();
