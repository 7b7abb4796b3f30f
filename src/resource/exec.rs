//! The kind `exec`: runs a command, unless a guard holds.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::given::{Given, absolute};
use super::signal::signal;
use super::{Kind, Schema, Seen, Sent, Turn, kept, schema};
use crate::graph::{Params, Value};
use crate::host::{Act, Command, HostError, Look, OUTPUT_CAP, Output};
use crate::plan::{Action, Change, Reversible};

use super::kind::change;

/// The kind `exec`, which runs a command unless a guard forbids it.
pub struct Exec;

/// The fields that it sends, with the parameters that replace them while nothing runs.
const SENDS: &[(&str, &str)] = &[("output", "send_output"), ("stdout", "send_stdout"), ("stderr", "send_stderr")];

impl Kind for Exec {
    fn schema(&self) -> &'static Schema {
        schema("exec").expect("the schemas name every built-in kind")
    }

    fn validate(&self, given: &Given) -> Result<(), String> {
        if given.is_filled("shell") && given.is_set("args") {
            return Err("`args` cannot be set with `shell`".into());
        }
        if given.is_set("args") && given.or_name("cmd").split_whitespace().nth(1).is_some() {
            return Err("`args` cannot be set if `cmd` contains arguments".into());
        }
        if let Some(name) = given.text("sig").filter(|name| !name.is_empty()) {
            signal(name)?;
        }
        if let Some(path) = given.text("creates").filter(|path| !path.is_empty()) {
            absolute("creates", path)?;
        }
        for param in ["watchfiles", "mtimes"] {
            given.list(param).try_for_each(|path| absolute(param, path))?;
        }
        if let Some(Value::Map(pairs)) = given.params.get("env") {
            for (key, _) in pairs {
                if key.as_str().is_some_and(|key| !is_variable(key)) {
                    return Err("`env`: names have letters, digits and `_`, and do not start with a digit".into());
                }
            }
        }
        Ok(())
    }

    fn check(&self, turn: &Turn, look: &dyn Look) -> Result<Seen, HostError> {
        if turn.flag("refresh_only")? && !turn.refresh {
            return Ok(Seen::right().with_note("runs only when notified"));
        }
        let shown = if turn.is_sensitive("cmd") { "a sensitive command" } else { shown_command(turn)? };
        // Read all inputs of a run first, so that an unknown value is found before any effect.
        let run = command(turn, look, first(turn)?)?;
        may_be(&run, look)?;
        let kept = if remembers(turn)? { kept::read(turn, "exec", look)? } else { None };
        let kept: Kept = kept.unwrap_or_default();
        if let Some(path) = newer(turn, look, &kept)? {
            can_start(&run, look)?;
            return Ok(will_run(Action::Run, shown, turn).with_note(format!("{path} is newer than the last run")));
        }
        match guard(turn, look)? {
            Guard::Holds(why) => Ok(Seen { sends: kept.sends(turn), ..Seen::right().with_note(why) }),
            Guard::Runs => {
                can_start(&run, look)?;
                Ok(will_run(Action::Run, shown, turn))
            }
            Guard::Unknown(guard) => {
                let note = format!("may run: `{guard}` was not tried; --run-guards tries it");
                Ok(will_run(Action::Unknown, shown, turn).with_note(note))
            }
        }
    }

    fn apply(&self, turn: &Turn, _seen: &Seen, act: &dyn Act) -> Result<Sent, HostError> {
        let Some(output) = act.run(&command(turn, act, first(turn)?)?)? else {
            if let Some(path) = turn.text("creates")? {
                act.may_create(Path::new(path));
            }
            let values = SENDS.iter().map(|(field, _)| ((*field).into(), Value::Unknown)).collect();
            return Ok(Sent { values, lines: Vec::new() });
        };
        let is_hidden = ["cmd", "args"].iter().any(|param| turn.params.get(param).is_some_and(Value::holds_secret));
        fits(turn, "the command", &output, is_hidden)?;
        let again = again(turn, act)?;
        if let Some(again) = &again {
            fits(turn, "the command that ran again", again, is_hidden)?;
        }
        if turn.text("donecmd")?.is_some()
            && let Some(done) = act.run(&command(turn, act, "donecmd")?)?
        {
            succeeded("`donecmd`", &done, turn.is_sensitive("donecmd"))?;
        }
        if remembers(turn)? {
            kept::write(turn, "exec", &Kept::after(turn, &output, act)?, act)?;
        }
        if is_hidden {
            // A secret may be in the output.
            let hide =
                |(field, value): (&Arc<str>, &Value)| (Arc::clone(field), Value::Sensitive(Box::new(value.clone())));
            let values = sent(&output).iter().map(hide).collect();
            return Ok(Sent { values, lines: vec!["(the output of a sensitive command is not shown)".into()] });
        }
        let shown = again.iter().fold(text(&output.combined), |shown, again| shown + &text(&again.combined));
        let missing = output
            .truncated
            .then(|| format!("(its output is longer: only the last {} MiB are kept)", OUTPUT_CAP >> 20));
        Ok(Sent { values: sent(&output), lines: missing.into_iter().chain(shown.lines().map(str::to_owned)).collect() })
    }

    fn converges(&self) -> bool {
        false
    }

    fn reaches_out(&self) -> bool {
        true
    }
}

/// The remembered data of the last run.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Kept {
    /// The change times of the paths in `mtimes` after the run.
    mtimes: BTreeMap<String, i64>,
    output: Option<String>,
    stdout: Option<String>,
    stderr: Option<String>,
}

impl Kept {
    fn after(turn: &Turn, output: &Output, look: &dyn Look) -> Result<Self, HostError> {
        let mut kept = Kept::default();
        for path in turn.texts("mtimes")? {
            if let Some(modified) = look.modified(Path::new(path))? {
                kept.mtimes.insert(path.to_owned(), modified);
            }
        }
        if turn.is_received && !is_secret(turn) {
            kept.output = Some(text(&output.combined));
            kept.stdout = Some(text(&output.stdout));
            kept.stderr = Some(text(&output.stderr));
        }
        Ok(kept)
    }

    /// Returns the sent values while a guard holds: those of the last run, or their replacements.
    fn sends(self, turn: &Turn) -> Params {
        let given = [self.output, self.stdout, self.stderr];
        let value = |(field, replacement), given: Option<String>| {
            let value = given.map(|text| Value::from(text.as_str())).or_else(|| turn.params.get(replacement).cloned());
            value.map(|value| (Arc::from(field), value))
        };
        SENDS.iter().zip(given).filter_map(|(names, given)| value(*names, given)).collect()
    }
}

/// Whether the run must be remembered. Sent values are needed again the next time a guard holds.
fn remembers(turn: &Turn) -> Result<bool, HostError> {
    Ok(!turn.texts("mtimes")?.is_empty() || (turn.is_received && turn.state.is_some() && !is_secret(turn)))
}

/// Outputs may repeat a secret input.
fn is_secret(turn: &Turn) -> bool {
    turn.params.iter().any(|(_, value)| value.holds_secret())
}

/// Returns the first path of `mtimes` that changed since the last run. That forces a run, whatever the guards say.
fn newer<'t>(turn: &'t Turn, look: &dyn Look, kept: &Kept) -> Result<Option<&'t str>, HostError> {
    for path in turn.texts("mtimes")? {
        // A path that an earlier turn of this run changes will be newer.
        let is_newer = match look.modified(Path::new(path))? {
            Some(modified) => kept.mtimes.get(path).is_none_or(|seen| modified > *seen),
            None => true,
        };
        if is_newer {
            return Ok(Some(path));
        }
    }
    Ok(None)
}

/// Only root may switch users.
fn may_be(command: &Command, look: &dyn Look) -> Result<(), HostError> {
    let we = look.identity();
    let other = command.uid.is_some_and(|uid| uid != we.uid) || command.gid.is_some_and(|gid| gid != we.gid);
    if other && we.uid != 0 {
        return Err(HostError::Refused("running as another user or group needs root".into()));
    }
    Ok(())
}

/// The parameters other than `cmd` that define the run. All are shown before it.
const SHOWN: &[&str] = &["args", "shell", "cwd", "user", "group", "env"];

fn will_run(action: Action, shown: &str, turn: &Turn) -> Seen {
    let is_set = |value: &Value| match value {
        Value::Null => false,
        Value::Str(text) => !text.is_empty(),
        Value::List(items) => !items.is_empty(),
        Value::Map(pairs) => !pairs.is_empty(),
        _ => true,
    };
    let beside = SHOWN.iter().filter_map(|param| {
        let value = turn.params.get(param).filter(|value| is_set(value))?;
        let sensitive = value.holds_secret();
        // A secret must not be copied, not even into a hidden value.
        let shown = if sensitive { Value::Sensitive(Box::new(Value::Null)) } else { value.clone() };
        Some(Change { property: (*param).into(), from: None, to: Some(shown), sensitive })
    });
    let changes = std::iter::once(change("cmd", None, Some(shown.to_owned()))).chain(beside).collect();
    let seen = Seen { action, changes, reversible: Reversible::No, ..Seen::right() };
    match turn.is_sensitive("cmd") {
        true => seen.with_note("every user can read the arguments of the programs that it starts"),
        false => seen,
    }
}

/// Predicts why starting the command would fail. A bare name is resolved only at the start.
fn can_start(command: &Command, look: &dyn Look) -> Result<(), HostError> {
    let program = Path::new(&command.program);
    for path in command.cwd.as_deref().into_iter().chain(program.is_absolute().then_some(program)) {
        match look.stat_target(path) {
            Ok(None) => return Err(HostError::Missing { path: path.into() }),
            // An earlier step is expected to create it.
            Err(error) if error.is_unknown() => {}
            there => drop(there?),
        }
    }
    Ok(())
}

fn shown_command<'t>(turn: &'t Turn) -> Result<&'t str, HostError> {
    Ok(turn.text(first(turn)?)?.unwrap_or(turn.name))
}

/// Returns the parameter with the command that runs first.
fn first(turn: &Turn) -> Result<&'static str, HostError> {
    let is_refresh = turn.flag("refresh_only")? && turn.text("refreshcmd")?.is_some();
    Ok(if is_refresh { "refreshcmd" } else { "cmd" })
}

/// Runs the command again if a notification requires it.
fn again(turn: &Turn, act: &dyn Act) -> Result<Option<Output>, HostError> {
    let is_asked = turn.refresh && turn.flag("again")? && !turn.flag("refresh_only")?;
    if !is_asked || !matches!(guard(turn, act)?, Guard::Runs) {
        return Ok(None);
    }
    let param = if turn.text("refreshcmd")?.is_some() { "refreshcmd" } else { "cmd" };
    act.run(&command(turn, act, param)?)
}

/// The result of the guards.
enum Guard {
    Runs,
    /// There is nothing to do, with the reason.
    Holds(String),
    /// This guard may not run here.
    Unknown(&'static str),
}

fn guard(turn: &Turn, look: &dyn Look) -> Result<Guard, HostError> {
    if let Some(path) = turn.text("creates")?
        && look.stat_target(Path::new(path))?.is_some()
    {
        return Ok(Guard::Holds(format!("{path} exists")));
    }
    if turn.text("ifcmd")?.is_some() {
        let Some(output) = look.probe(&command(turn, look, "ifcmd")?)? else { return Ok(Guard::Unknown("ifcmd")) };
        if !output.succeeded() {
            return Ok(Guard::Holds("`ifcmd` failed".into()));
        }
        for (param, have) in [("ifequals", &output.combined), ("ifequals_stdout", &output.stdout)] {
            if turn.any_text(param)?.is_some_and(|wanted| have == wanted.as_bytes()) {
                return Ok(Guard::Holds(format!("the output of `ifcmd` equals `{param}`")));
            }
        }
    }
    if turn.text("nifcmd")?.is_some() {
        let Some(output) = look.probe(&command(turn, look, "nifcmd")?)? else { return Ok(Guard::Unknown("nifcmd")) };
        if output.succeeded() {
            return Ok(Guard::Holds("`nifcmd` succeeded".into()));
        }
    }
    Ok(Guard::Runs)
}

/// Returns the command of a parameter: `cmd` with its arguments, a guard, `watchcmd` or `donecmd`.
pub(super) fn command(turn: &Turn, look: &dyn Look, param: &str) -> Result<Command, HostError> {
    let prefix = param.strip_suffix("cmd").unwrap_or_default();
    let line = match turn.text(param)? {
        Some(line) => line,
        None => turn.name,
    };
    let args = if param == "cmd" { turn.texts("args")? } else { Vec::new() };
    let is_hidden = turn.is_sensitive(param);
    let shell = turn.text(&format!("{prefix}shell"))?;
    if shell.is_none() {
        let shown = [param, "args"].into_iter().take(if param == "cmd" { 2 } else { 1 });
        if let Some(shown) = shown.into_iter().find(|shown| turn.params.get(shown).is_some_and(Value::holds_secret)) {
            return Err(HostError::Refused(format!(
                "`{shown}` is sensitive, and every user can read the arguments of a process: set `{prefix}shell` \
                 (in Puppet `provider => shell`), which gets the command from memory, or give the secret by `env`"
            )));
        }
    }
    let words: Vec<&str> = match shell {
        Some(shell) if is_hidden => vec![shell],
        Some(shell) => vec![shell, "-c", line],
        None if args.is_empty() => line.split_whitespace().collect(),
        None => std::iter::once(line).chain(args).collect(),
    };
    let Some((program, args)) = words.split_first() else {
        return Err(HostError::Refused(format!("`{param}` contains only white space")));
    };
    if line.contains('\0') || words.iter().any(|word| word.contains('\0')) {
        return Err(HostError::Refused(format!("`{param}` contains a zero byte")));
    }
    Ok(Command {
        program: program.into(),
        args: args.iter().map(OsString::from).collect(),
        script: shell.filter(|_| is_hidden).map(|_| line.into()),
        cwd: turn.text(&format!("{prefix}cwd"))?.map(Into::into),
        env: turn.pairs("env")?.into_iter().map(|(name, value)| (name.into(), value.into())).collect(),
        uid: account(turn.text("user")?, "user", |name| look.uid(name))?,
        gid: account(turn.text("group")?, "group", |name| look.gid(name))?,
        signal: turn.text("sig")?.map(signal).transpose().map_err(HostError::Refused)?,
        timeout: turn.timeout(),
        cancel: turn.cancel.clone(),
        is_hidden,
        keep: None,
    })
}

/// Returns the number of an account, given by name or number.
pub(super) fn account(
    name: Option<&str>,
    what: &'static str,
    find: impl Fn(&str) -> Result<Option<u32>, HostError>,
) -> Result<Option<u32>, HostError> {
    match name {
        None => Ok(None),
        Some(name) => match name.parse::<u32>() {
            // The highest number means "unchanged" in the system calls.
            Ok(number) if number != u32::MAX => Ok(Some(number)),
            _ => find(name)?.map(Some).ok_or_else(|| HostError::NoAccount { what, name: name.to_owned() }),
        },
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn sent(output: &Output) -> Params {
    let outputs = [&output.combined, &output.stdout, &output.stderr];
    SENDS.iter().zip(outputs).map(|((field, _), bytes)| ((*field).into(), text(bytes).as_str().into())).collect()
}

/// Whether a command ended with a code that counts as a success.
fn fits(turn: &Turn, what: &str, output: &Output, is_hidden: bool) -> Result<(), HostError> {
    match turn.params.get("returns").and_then(Value::as_list) {
        Some(codes) if codes.iter().filter_map(Value::as_int).any(|code| output.code.map(i64::from) == Some(code)) => {
            Ok(())
        }
        Some(_) => Err(failure(what, output, is_hidden)),
        None => succeeded(what, output, is_hidden),
    }
}

fn succeeded(what: &str, output: &Output, is_hidden: bool) -> Result<(), HostError> {
    if output.succeeded() { Ok(()) } else { Err(failure(what, output, is_hidden)) }
}

fn failure(what: &str, output: &Output, is_hidden: bool) -> HostError {
    let ended = match (output.code, output.signal) {
        (Some(code), _) => format!("exited with code {code}"),
        (None, Some(signal)) => format!("was killed by signal {signal}"),
        (None, None) => "failed".to_owned(),
    };
    let lines = if is_hidden { Vec::new() } else { output_lines(output) };
    // One line follows the code, several are below it.
    let detail = match &lines[..] {
        [] => String::new(),
        [only] => format!(": {}", crate::source::printable(only.trim())),
        several => several.iter().map(|line| format!("\n{line}")).collect(),
    };
    HostError::Refused(format!("{what} {ended}{detail}"))
}

/// Returns the lines of both outputs in order. Of very long output only the last ones.
fn output_lines(output: &Output) -> Vec<String> {
    const MOST: usize = 500;
    const BYTES: usize = 64 << 10;
    let all = [&output.combined, &output.stderr, &output.stdout].into_iter().find(|bytes| !bytes.is_empty());
    let text_of_both = all.map(|bytes| text(bytes)).unwrap_or_default();
    let lines: Vec<&str> = text_of_both.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
    let mut room = BYTES;
    let fits = |line: &&&str| {
        let is_room = line.len() < room;
        room = room.saturating_sub(line.len() + 1);
        is_room
    };
    let kept = lines.iter().rev().take(MOST).take_while(fits).count();
    // A very long line is cut.
    let cut = |line: &&str| vec![line.chars().take(200).collect()];
    if kept == 0 {
        return lines.last().map(cut).unwrap_or_default();
    }
    let left_out = lines.len() - kept;
    let before = (left_out > 0).then(|| format!("({left_out} more before)"));
    before.into_iter().chain(lines[left_out..].iter().map(|line| (*line).to_owned())).collect()
}

/// Whether a text is a valid name of an environment variable.
fn is_variable(name: &str) -> bool {
    let is_part = |sign: char| sign == '_' || sign.is_ascii_alphanumeric();
    name.starts_with(|first: char| is_part(first) && !first.is_ascii_digit()) && name.chars().all(is_part)
}
