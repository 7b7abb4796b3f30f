//! Services with commands of their own: whether one runs, and how it starts and stops, is what these commands say.

use std::path::{Path, PathBuf};

use regex::bytes::Regex;

use super::unit_name;
use crate::host::{
    Act, Active, Command, HostError, Look, Operation, Presence, ServiceChange, SystemChange, Unit, Verb,
};
use crate::plan::{Action, Change, Reversible};
use crate::resource::kind::change;
use crate::resource::{Checked, Sent, Turn};

const SHELL: &str = "/bin/sh";

const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// The parameters that make a service one with commands of its own.
const COMMANDS: [&str; 5] = ["startcmd", "stopcmd", "statuscmd", "restartcmd", "pattern"];

pub(super) fn has(turn: &Turn) -> Result<bool, HostError> {
    for param in COMMANDS {
        if turn.text(param)?.is_some() {
            return Ok(true);
        }
    }
    turn.flag("no_manager")
}

/// One thing to do.
enum Step {
    /// The command of this parameter.
    Run(&'static str),
    Progress(Verb),
}

/// What there is to do, and what it changes. `None` where it may not be asked whether the service runs.
struct Work {
    steps: Vec<Step>,
    changes: Vec<Change>,
}

pub(super) fn check(turn: &Turn, look: &dyn Look) -> Result<Checked, HostError> {
    let Some(Work { steps, changes }) = work(turn, look)? else {
        let note = "changes depending on `statuscmd`, which is only run with --run-guards or during apply";
        return Ok(Checked { action: Action::Unknown, reversible: Reversible::No, ..Checked::right().with_note(note) });
    };
    if steps.is_empty() {
        return Ok(Checked::right());
    }
    let mut shown = changes;
    for step in &steps {
        if let Step::Run(param) = step {
            let change = change("cmd", None, turn.text(param)?.map(str::to_owned));
            shown.push(Change { sensitive: turn.is_sensitive(param), ..change });
        }
    }
    let is_refresh = shown.iter().any(|change| &*change.property == "refresh");
    let action = if is_refresh { Action::Run } else { Action::Change };
    let note = "cannot be undone: the commands of the service are its own";
    Ok(Checked { action, changes: shown, reversible: Reversible::No, ..Checked::right().with_note(note) })
}

pub(super) fn apply(turn: &Turn, act: &dyn Act) -> Result<Sent, HostError> {
    let mut sent = Sent::default();
    let Some(Work { steps, .. }) = work(turn, act)? else { return Ok(sent) };
    for step in steps {
        match step {
            Step::Run(param) => {
                let Some(output) = act.run(&command(turn, param)?)? else { continue };
                let output_text = String::from_utf8_lossy(&output.combined);
                if !output.succeeded() {
                    let code = output.code.map_or_else(|| "a signal".into(), |code| format!("code {code}"));
                    return Err(HostError::Refused(format!("`{param}` ended with {code}\n{}", output_text.trim_end())));
                }
                sent.lines.extend(output_text.lines().map(str::to_owned));
            }
            Step::Progress(verb) => {
                let change = SystemChange::Service(ServiceChange { unit: unit(turn)?, verb });
                sent.lines.extend(act.perform_within(&Operation::System(change), &turn.within())?);
            }
        }
    }
    Ok(sent)
}

fn unit(turn: &Turn) -> Result<Unit, HostError> {
    Ok(Unit { name: unit_name(turn.name), session: turn.flag("session")? })
}

fn work(turn: &Turn, look: &dyn Look) -> Result<Option<Work>, HostError> {
    let mut work = Work { steps: Vec::new(), changes: Vec::new() };
    if let Some(wanted) = turn.text("startup")? {
        let service = look.service(&unit(turn)?)?;
        let mut steps = super::Steps::default();
        if let Some(verb) = super::at_start(&mut steps, &unit(turn)?, &service, wanted)? {
            work.changes.push(change("startup", None, Some(wanted.to_owned())));
            work.steps.push(Step::Progress(verb));
        }
    }
    let wanted = turn.text("state")?;
    if wanted.is_none() && !turn.refresh {
        return Ok(Some(work));
    }
    let Some(runs) = is_running(turn, look)? else { return Ok(None) };
    let word = |runs: bool| Some(if runs { "running" } else { "stopped" }.to_owned());
    let moves = match wanted {
        Some("running") => !runs,
        Some("stopped") => runs,
        None => false,
        Some(other) => return Err(HostError::Refused(format!("`state` cannot be `{other}`"))),
    };
    if moves {
        work.changes.push(change("state", word(runs), word(!runs)));
        let (param, verb) = if runs { ("stopcmd", Verb::Stop) } else { ("startcmd", Verb::Start) };
        work.steps.push(step(turn, param, verb)?);
    } else if turn.refresh && runs {
        work.changes.push(change("refresh", None, Some("restarted".into())));
        match step(turn, "restartcmd", Verb::Restart) {
            Ok(step) => work.steps.push(step),
            // Without a manager, a restart is a stop and a start.
            Err(_) => {
                work.steps.push(step(turn, "stopcmd", Verb::Stop)?);
                work.steps.push(step(turn, "startcmd", Verb::Start)?);
            }
        }
    }
    Ok(Some(work))
}

/// The service's own command, or else what its manager does.
fn step(turn: &Turn, param: &'static str, verb: Verb) -> Result<Step, HostError> {
    if turn.text(param)?.is_some() {
        return Ok(Step::Run(param));
    }
    // Its own commands for starting and stopping also restart it.
    let restarts_itself = verb == Verb::Restart && turn.text("startcmd")?.is_some();
    if turn.flag("no_manager")? || restarts_itself {
        return Err(HostError::Refused(format!("`{param}` is not set, and the service has no manager")));
    }
    Ok(Step::Progress(verb))
}

/// Whether the service runs. `None` where it may not be asked.
fn is_running(turn: &Turn, look: &dyn Look) -> Result<Option<bool>, HostError> {
    if turn.text("statuscmd")?.is_some() {
        return Ok(look.probe(&command(turn, "statuscmd")?)?.map(|output| output.succeeded()));
    }
    if let Some(pattern) = turn.text("pattern")? {
        return processes(pattern, look).map(Some);
    }
    if turn.flag("no_manager")? {
        return processes(&regex::escape(turn.name), look).map(Some);
    }
    let service = look.service(&unit(turn)?)?;
    if service.presence == Presence::Missing {
        return Err(HostError::NoUnit { name: unit(turn)?.name });
    }
    Ok(Some(service.active == Active::Running))
}

/// Whether a process has a command line that matches.
fn processes(pattern: &str, look: &dyn Look) -> Result<bool, HostError> {
    let pattern = Regex::new(pattern).map_err(|_| HostError::Refused(format!("`{pattern}` is no pattern")))?;
    let own = std::process::id().to_string();
    for name in look.list(Path::new("/proc"))? {
        let Some(name) = name.to_str().filter(|name| name.bytes().all(|byte| byte.is_ascii_digit())) else { continue };
        let path: PathBuf = ["/proc", name, "cmdline"].iter().collect();
        // A process may end while we look.
        let Ok(Some(line)) = look.read(&path) else { continue };
        let line: Vec<u8> = line.iter().map(|byte| if *byte == 0 { b' ' } else { *byte }).collect();
        if name != own && pattern.is_match(&line) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn command(turn: &Turn, param: &str) -> Result<Command, HostError> {
    let line = turn.text(param)?.unwrap_or_default();
    if line.contains('\0') {
        return Err(HostError::Refused(format!("`{param}` contains a zero byte")));
    }
    let is_hidden = turn.is_sensitive(param);
    let env = [("PATH", PATH), ("LANG", "C"), ("LC_ALL", "C")];
    Ok(Command {
        program: SHELL.into(),
        args: if is_hidden { Vec::new() } else { ["-c".into(), line.into()].into() },
        script: is_hidden.then(|| line.into()),
        env: env.into_iter().map(|(name, value)| (name.into(), value.into())).collect(),
        timeout: turn.timeout(),
        cancel: turn.cancel.clone(),
        is_hidden,
        ..Command::default()
    })
}
