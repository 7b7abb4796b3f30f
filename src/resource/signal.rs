//! Signals by name.

use rustix::process::Signal;

/// The signals for a command.
const SIGNALS: &[(&str, Signal)] = &[
    ("SIGABRT", Signal::ABORT),
    ("SIGALRM", Signal::ALARM),
    ("SIGCONT", Signal::CONT),
    ("SIGHUP", Signal::HUP),
    ("SIGINT", Signal::INT),
    ("SIGKILL", Signal::KILL),
    ("SIGPIPE", Signal::PIPE),
    ("SIGQUIT", Signal::QUIT),
    ("SIGSTOP", Signal::STOP),
    ("SIGTERM", Signal::TERM),
    ("SIGUSR1", Signal::USR1),
    ("SIGUSR2", Signal::USR2),
    ("SIGWINCH", Signal::WINCH),
];

/// Returns the number of a signal.
pub(super) fn signal(name: &str) -> Result<i32, String> {
    let find = |name: &str| SIGNALS.iter().find(|(known, _)| *known == name);
    if let Some((_, signal)) = find(name) {
        return Ok(signal.as_raw());
    }
    let upper = name.to_uppercase();
    let meant = find(&upper).or_else(|| find(&format!("SIG{upper}")));
    Err(match meant {
        Some((meant, _)) => format!("unknown signal `{name}`; did you mean `{meant}`?"),
        None => format!("unknown signal `{name}`; use for example `SIGINT`"),
    })
}
