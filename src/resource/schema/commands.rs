//! Schemas of the kinds that run, say or wait.

use super::FieldType::{Bool, Str};
use super::{FieldType, Schema, optional, param};

pub(super) const EXEC: Schema = Schema::new(
    "exec",
    "Runs a command, unless a guard says that there is nothing to do.",
    &[
        param("cmd", Str, "The command; the name, if not set. Without a shell it is split at white space."),
        param("args", FieldType::STRS, "Arguments, taken as they are. Then `cmd` is the program alone."),
        param("cwd", Str, "The folder it runs in."),
        param("shell", Str, "A shell that gets the command by `-c`, such as `/bin/bash`."),
        param("env", FieldType::STR_MAP, "The whole environment; it is empty otherwise."),
        param(
            "sig",
            Str,
            "The signal that stops the command when its time is up, such as `SIGINT`; `SIGTERM`, if not set.",
        ),
        param(
            "watchcmd",
            Str,
            "Runs on while a run watches; each line that it prints makes it look again. `retry` and `delay` say how often \
             it is started again when it ends.",
        ),
        param("watchcwd", Str, "The folder of `watchcmd`."),
        param("watchshell", Str, "The shell of `watchcmd`."),
        param("watchfiles", FieldType::STRS, "Files whose changes make it look again while a run watches; with a slash at the end, all below a folder."),
        param("ifcmd", Str, "Guard: run only if this succeeds."),
        param("ifcwd", Str, "The folder of `ifcmd`."),
        param("ifshell", Str, "The shell of `ifcmd`."),
        optional(
            "ifequals",
            Str,
            "Guard: do not run if `ifcmd` prints exactly this, line ends included, on both outputs together.",
        ),
        optional("ifequals_stdout", Str, "The same, on standard output alone."),
        param("nifcmd", Str, "Guard: run only if this fails."),
        param("nifcwd", Str, "The folder of `nifcmd`."),
        param("nifshell", Str, "The shell of `nifcmd`."),
        param("creates", Str, "Guard: run only while this path is not there."),
        param(
            "mtimes",
            FieldType::STRS,
            "Files whose change since the last run makes it run again, whatever the guards say.",
        ),
        param("donecmd", Str, "Runs after the command succeeded."),
        param("donecwd", Str, "The folder of `donecmd`."),
        param("doneshell", Str, "The shell of `donecmd`."),
        param("user", Str, "The user it runs as."),
        param("group", Str, "The group it runs as."),
        optional(
            "send_output",
            Str,
            "Sent as `output` while the command has never run, and a guard keeps it from running.",
        ),
        optional("send_stdout", Str, "Sent as `stdout` when the command did not run."),
        optional("send_stderr", Str, "Sent as `stderr` when the command did not run."),
    ],
)
.autoedge()
.sends(&[("output", Str), ("stdout", Str), ("stderr", Str)]);

pub(super) const EXIT: Schema = Schema::new(
    "exit",
    "Ends the program with an exit code, once all else of the converge is done: an apply, and a run that watches.",
    &[param("code", FieldType::U8, "The exit code, 125 at most.")],
);

pub(super) const MSG: Schema = Schema::new(
    "msg",
    "Says something, and writes it to the journal or syslog: at each apply, and under a run also when it is notified.",
    &[
        param("body", Str, "The message."),
        param(
            "priority",
            Str,
            "One of `Emerg`, `Alert`, `Crit`, `Err`, `Warning`, `Notice`, `Info`, `Debug`; it must be set.",
        ),
        param("fields", FieldType::STR_MAP, "Fields of the journal entry."),
        param("journal", Bool, "Writes to the journal."),
        param("syslog", Bool, "Writes to syslog."),
    ],
)
.refresh();

pub(super) const NOOP: Schema =
    Schema::new("noop", "Does nothing.", &[param("comment", Str, "Says what it is there for.")]).autogroup().refresh();

pub(super) const PRINT: Schema = Schema::new(
    "print",
    "Prints a message.",
    &[
        param("msg", Str, "The message; the name, if not set."),
        param("refresh_only", Bool, "Prints only when it is notified."),
    ],
)
.autogroup()
.receives()
.refresh();

pub(super) const TIMER: Schema = Schema::new(
    "timer",
    "Gives an event at each interval while a run watches, and notifies what listens. To an apply it is right.",
    &[param("interval", FieldType::U32, "Seconds between two events.")],
)
.refresh();
