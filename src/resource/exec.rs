//! The kind `exec`: runs a command, unless a guard holds.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::reader::{Param, Reader, Typed, absolute};
use super::signal::signal;
use super::{Checked, Kind, Schema, Sent, Turn, kept, schema};
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

    fn read(&self, given: &Reader) -> Result<Typed, String> {
        if given.is_filled("shell") && given.is_set("args") {
            return Err("`args` cannot be set with `shell`".into());
        }
        if given.is_set("args") && given.or_name("cmd").split_whitespace().nth(1).is_some() {
            return Err("`args` cannot be set if `cmd` contains arguments".into());
        }
        let sig = given.filled_word("sig").parse_whole(signal)?;
        let creates = given.filled_param("creates").parse_whole(|path| absolute("creates", &path).map(|()| path))?;
        for param in ["watchfiles", "mtimes"] {
            given.list(param).try_for_each(|path| absolute(param, path))?;
        }
        if let Some(Value::Map(pairs)) = given.get("env") {
            for (key, _) in pairs {
                if key.as_str().is_some_and(|key| !is_variable(key)) {
                    return Err("`env`: names have letters, digits and `_`, and do not start with a digit".into());
                }
            }
        }
        let line = |param, shell, cwd| Line {
            param,
            text: given.filled_param(param),
            shell: given.filled_param(shell),
            cwd: given.filled_param(cwd),
            shell_param: shell,
            is_hidden: given.is_sensitive(param),
            holds_secret: given.get(param).is_some_and(Value::holds_secret),
        };
        let returns = given.get("returns").and_then(Value::as_list);
        Ok(Typed::new(ExecParams {
            cmd: line("cmd", "shell", "cwd"),
            refresh: line("refreshcmd", "refreshshell", "refreshcwd"),
            watch: line("watchcmd", "watchshell", "watchcwd"),
            only_if: line("ifcmd", "ifshell", "ifcwd"),
            unless: line("nifcmd", "nifshell", "nifcwd"),
            done: line("donecmd", "doneshell", "donecwd"),
            args: given.texts_param("args"),
            has_secret_args: given.get("args").is_some_and(Value::holds_secret),
            equals: [
                ("ifequals", given.text_param("ifequals")),
                ("ifequals_stdout", given.text_param("ifequals_stdout")),
            ],
            creates,
            mtimes: given.texts_param("mtimes"),
            watchfiles: given.texts_param("watchfiles"),
            env: given.pairs_param("env"),
            user: given.filled_param("user"),
            group: given.filled_param("group"),
            sig,
            returns: returns.map(|codes| codes.iter().filter_map(Value::as_int).collect()),
            refresh_only: given.flag_param("refresh_only"),
            again: given.flag_param("again"),
            finds_programs: given.flag_param("finds_programs"),
            holds_secret: given.params.iter().any(|(_, value)| value.holds_secret()),
        }))
    }

    fn check(&self, turn: &Turn, look: &dyn Look) -> Result<Checked, HostError> {
        let params: &ExecParams = turn.typed.get()?;
        if params.refresh_only.flag()? && !turn.refresh {
            return Ok(Checked::right().with_note("runs only when notified"));
        }
        let line = params.first()?;
        let shown =
            if line.is_hidden { "a sensitive command" } else { line.text.get()?.map_or(turn.name, String::as_str) };
        // Read all inputs of a run first, so that an unknown value is found before any effect.
        let run = params.command(line, turn, look)?;
        may_be(&run, look)?;
        let kept = if params.is_remembered(turn)? { kept::read(turn, "exec", look)? } else { None };
        let kept: LastRun = kept.unwrap_or_default();
        if let Some(path) = params.newer(look, &kept)? {
            can_start(&run, look)?;
            return Ok(will_run(Action::Run, shown, turn).with_note(format!("{path} is newer than the last run")));
        }
        match params.guard(turn, look)? {
            Guard::Holds(why) => Ok(Checked { sends: kept.sends(turn), ..Checked::right().with_note(why) }),
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

    fn apply(&self, turn: &Turn, _seen: &Checked, act: &dyn Act) -> Result<Sent, HostError> {
        let params: &ExecParams = turn.typed.get()?;
        let Some(output) = act.run(&params.command(params.first()?, turn, act)?)? else {
            if let Some(path) = params.creates.get()? {
                act.may_create(Path::new(path));
            }
            let values = SENDS.iter().map(|(field, _)| ((*field).into(), Value::Unknown)).collect();
            return Ok(Sent { values, lines: Vec::new() });
        };
        let is_hidden = params.holds_secret;
        params.fits("the command", &output, is_hidden)?;
        let again = params.run_again(turn, act)?;
        if let Some(again) = &again {
            params.fits("the command that ran again", again, is_hidden)?;
        }
        if params.done.is_set()?
            && let Some(done) = act.run(&params.command(&params.done, turn, act)?)?
        {
            succeeded("`donecmd`", &done, is_hidden)?;
        }
        if params.is_remembered(turn)? {
            kept::write(turn, "exec", &LastRun::after(params, turn, &output, act)?, act)?;
        }
        if is_hidden {
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

/// A command line with its shell and its folder.
pub(super) struct Line {
    param: &'static str,
    text: Param<String>,
    shell: Param<String>,
    cwd: Param<String>,
    shell_param: &'static str,
    is_hidden: bool,
    holds_secret: bool,
}

impl Line {
    /// Whether the command is set.
    fn is_set(&self) -> Result<bool, HostError> {
        Ok(self.text.get()?.is_some())
    }
}

/// The parameters, as the reader made them.
pub(super) struct ExecParams {
    cmd: Line,
    refresh: Line,
    watch: Line,
    only_if: Line,
    unless: Line,
    done: Line,
    args: Param<Vec<String>>,
    has_secret_args: bool,
    /// The outputs of `ifcmd` that prevent a run: of both streams, and of stdout.
    equals: [(&'static str, Param<String>); 2],
    creates: Param<String>,
    mtimes: Param<Vec<String>>,
    watchfiles: Param<Vec<String>>,
    env: Param<Vec<(String, String)>>,
    user: Param<String>,
    group: Param<String>,
    sig: Param<i32>,
    returns: Option<Vec<i64>>,
    refresh_only: Param<bool>,
    again: Param<bool>,
    finds_programs: Param<bool>,
    /// A parameter holds a secret, so the outputs may repeat it.
    holds_secret: bool,
}

impl ExecParams {
    /// Returns the command that runs first.
    fn first(&self) -> Result<&Line, HostError> {
        Ok(if self.refresh_only.flag()? && self.refresh.is_set()? { &self.refresh } else { &self.cmd })
    }

    /// Whether the run must be remembered. Sent values are needed again the next time a guard holds.
    fn is_remembered(&self, turn: &Turn) -> Result<bool, HostError> {
        Ok(!self.mtimes.list()?.is_empty() || (turn.is_received && turn.state.is_some() && !self.holds_secret))
    }

    /// Returns the first path of `mtimes` that changed since the last run. That forces a run, whatever the guards say.
    fn newer(&self, look: &dyn Look, kept: &LastRun) -> Result<Option<&str>, HostError> {
        for path in self.mtimes.list()? {
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

    /// Runs the command again if a notification requires it.
    fn run_again(&self, turn: &Turn, act: &dyn Act) -> Result<Option<Output>, HostError> {
        let is_wanted = turn.refresh && self.again.flag()? && !self.refresh_only.flag()?;
        if !is_wanted || !matches!(self.guard(turn, act)?, Guard::Runs) {
            return Ok(None);
        }
        let line = if self.refresh.is_set()? { &self.refresh } else { &self.cmd };
        act.run(&self.command(line, turn, act)?)
    }

    fn guard(&self, turn: &Turn, look: &dyn Look) -> Result<Guard, HostError> {
        if let Some(path) = self.creates.get()?
            && look.stat_target(Path::new(path))?.is_some()
        {
            return Ok(Guard::Holds(format!("{path} exists")));
        }
        if self.only_if.is_set()? {
            let command = self.command(&self.only_if, turn, look)?;
            let Some(output) = look.probe(&command)? else { return Ok(Guard::Unknown("ifcmd")) };
            self.check_program(&output)?;
            if !output.succeeded() {
                return Ok(Guard::Holds("`ifcmd` failed".into()));
            }
            for ((param, text), have) in self.equals.iter().zip([&output.combined, &output.stdout]) {
                if text.get()?.is_some_and(|text| have == text.as_bytes()) {
                    return Ok(Guard::Holds(format!("the output of `ifcmd` equals `{param}`")));
                }
            }
        }
        if self.unless.is_set()? {
            let command = self.command(&self.unless, turn, look)?;
            let Some(output) = look.probe(&command)? else { return Ok(Guard::Unknown("nifcmd")) };
            self.check_program(&output)?;
            if output.succeeded() {
                return Ok(Guard::Holds("`nifcmd` succeeded".into()));
            }
        }
        Ok(Guard::Runs)
    }

    /// Whether the shell found the program of a guard, if that matters.
    fn check_program(&self, output: &Output) -> Result<(), HostError> {
        if output.code != Some(SHELL_NOT_FOUND) || !self.finds_programs.flag()? {
            return Ok(());
        }
        // The output may repeat a part of a secret, which the redaction does not find.
        let why = if self.holds_secret { String::new() } else { text(&output.stderr) };
        Err(HostError::Refused(match why.trim() {
            "" => format!("a guard ended with code {SHELL_NOT_FOUND}: its program was probably not found"),
            why => format!("a guard's program was not found: {why}"),
        }))
    }

    /// Returns the command of a line: `cmd` with its arguments, a guard, or another one.
    fn command(&self, line: &Line, turn: &Turn, look: &dyn Look) -> Result<Command, HostError> {
        let Line { param, shell_param, is_hidden, .. } = *line;
        let text = line.text.get()?.map_or(turn.name, String::as_str);
        let has_args = param == "cmd";
        let args = if has_args { self.args.list()? } else { &[] };
        let shell = line.shell.get()?;
        let secret = [(param, line.holds_secret), ("args", has_args && self.has_secret_args)];
        if shell.is_none()
            && let Some((shown, _)) = secret.into_iter().find(|(_, is_secret)| *is_secret)
        {
            return Err(HostError::Refused(format!(
                "`{shown}` is sensitive, and every user can read the arguments of a process: set `{shell_param}` \
                 (in Puppet `provider => shell`), which gets the command from memory, or give the secret by `env`"
            )));
        }
        let words: Vec<&str> = match shell {
            Some(shell) if is_hidden => vec![shell],
            Some(shell) => vec![shell, "-c", text],
            None if args.is_empty() => text.split_whitespace().collect(),
            None => std::iter::once(text).chain(args.iter().map(String::as_str)).collect(),
        };
        let Some((program, args)) = words.split_first() else {
            return Err(HostError::Refused(format!("`{param}` contains only white space")));
        };
        if text.contains('\0') || words.iter().any(|word| word.contains('\0')) {
            return Err(HostError::Refused(format!("`{param}` contains a zero byte")));
        }
        let env = self.env.get()?.into_iter().flatten();
        Ok(Command {
            program: program.into(),
            args: args.iter().map(OsString::from).collect(),
            script: shell.filter(|_| is_hidden).map(|_| text.into()),
            cwd: line.cwd.get()?.map(Into::into),
            env: env.map(|(name, value)| (name.into(), value.into())).collect(),
            uid: account(self.user.get()?.map(String::as_str), "user", |name| look.uid(name))?,
            gid: account(self.group.get()?.map(String::as_str), "group", |name| look.gid(name))?,
            signal: self.sig.get()?.copied(),
            timeout: turn.timeout(),
            cancel: turn.cancel.clone(),
            is_hidden,
            keep: None,
        })
    }

    /// Whether a command ended with a code that counts as a success.
    fn fits(&self, what: &str, output: &Output, is_hidden: bool) -> Result<(), HostError> {
        match &self.returns {
            Some(codes) if codes.iter().any(|code| output.code.map(i64::from) == Some(*code)) => Ok(()),
            Some(_) => Err(failure(what, output, is_hidden)),
            None => succeeded(what, output, is_hidden),
        }
    }

    /// Returns the paths that trigger a check, and the command whose lines do.
    pub(super) fn watched(&self, turn: &Turn, look: &dyn Look) -> Result<(Vec<&str>, Option<Command>), HostError> {
        let files = self.watchfiles.list()?.iter().chain(self.mtimes.list()?).chain(self.creates.get()?);
        let command = match self.watch.is_set()? {
            true => Some(self.command(&self.watch, turn, look)?),
            false => None,
        };
        Ok((files.map(String::as_str).collect(), command))
    }
}

/// The remembered data of the last run.
#[derive(Debug, Default, Serialize, Deserialize)]
struct LastRun {
    /// The change times of the paths in `mtimes` after the run.
    mtimes: BTreeMap<String, i64>,
    output: Option<String>,
    stdout: Option<String>,
    stderr: Option<String>,
}

impl LastRun {
    fn after(params: &ExecParams, turn: &Turn, output: &Output, look: &dyn Look) -> Result<Self, HostError> {
        let mut kept = LastRun::default();
        for path in params.mtimes.list()? {
            if let Some(modified) = look.modified(Path::new(path))? {
                kept.mtimes.insert(path.clone(), modified);
            }
        }
        if turn.is_received && !params.holds_secret {
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

/// Only root may switch users.
fn may_be(command: &Command, look: &dyn Look) -> Result<(), HostError> {
    let we = look.identity();
    let other = command.uid.is_some_and(|uid| uid != we.uid) || command.gid.is_some_and(|gid| gid != we.gid);
    if other && we.uid != 0 {
        return Err(HostError::Refused("running as another user or group needs root".into()));
    }
    Ok(())
}

/// The exit code of a shell that does not find a program.
const SHELL_NOT_FOUND: i32 = 127;

/// The parameters other than `cmd` that define the run. All are shown before it.
const SHOWN: &[&str] = &["args", "shell", "cwd", "user", "group", "env"];

fn will_run(action: Action, shown: &str, turn: &Turn) -> Checked {
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
    let seen = Checked { action, changes, reversible: Reversible::No, ..Checked::right() };
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

/// The result of the guards.
enum Guard {
    Runs,
    /// There is nothing to do, with the reason.
    Holds(String),
    /// This guard may not run here.
    Unknown(&'static str),
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
