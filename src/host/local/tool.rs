//! Runs the system's own tools with fixed arguments: a cleared environment, the plain locale, no input, a deadline.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::time::Duration;

use super::run;
use crate::host::{Command, HostError, Output, Within};
use crate::source::printable;

/// The time limit of a query.
const ASKING: Duration = Duration::from_secs(60);

/// The time limit of a change without a deadline.
const CHANGING: Duration = Duration::from_secs(3600);

/// The user nobody, which may write nowhere.
const NOBODY: u32 = 65534;

/// The search path for the tools.
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

fn command(program: &str, args: &[&str], env: &[(&str, &str)]) -> Command {
    let own = |(name, value): &(&str, &str)| (OsString::from(name), OsString::from(value));
    let plain = [("PATH", PATH), ("LC_ALL", "C"), ("HOME", "/root")];
    Command {
        program: program.into(),
        args: args.iter().map(OsString::from).collect(),
        cwd: Some("/".into()),
        env: plain.iter().chain(env).map(own).collect(),
        ..Command::default()
    }
}

/// Runs a read-only tool. A negative answer is valid, so the caller interprets the exit code.
pub(super) fn ask(program: &str, args: &[&str], env: &[(&str, &str)]) -> Result<Output, HostError> {
    run::run(&Command { timeout: Some(ASKING), ..command(program, args, env) }, None)
}

/// The same as the user nobody, if this process may switch users: the tool can read existing caches and write none.
pub(super) fn ask_as_nobody(program: &str, args: &[&str], env: &[(&str, &str)]) -> Result<Output, HostError> {
    run::run(&as_nobody(program, args, env), None)
}

/// The same for a long answer. Keeps this many bytes of it.
pub(super) fn ask_for_much(
    program: &str,
    args: &[&str],
    env: &[(&str, &str)],
    keep: usize,
) -> Result<Output, HostError> {
    run::run(&Command { keep: Some(keep), ..as_nobody(program, args, env) }, None)
}

fn as_nobody(program: &str, args: &[&str], env: &[(&str, &str)]) -> Command {
    let id = rustix::process::geteuid().is_root().then_some(NOBODY);
    Command { timeout: Some(ASKING), uid: id, gid: id, ..command(program, args, env) }
}

/// Queries an archive with a long answer: as nobody, except in a folder that only this user may enter.
pub(super) fn ask_of_archive(program: &str, args: &[&str], is_private: bool, keep: usize) -> Result<Output, HostError> {
    let id = (!is_private && rustix::process::geteuid().is_root()).then_some(NOBODY);
    run::run(
        &Command { timeout: Some(ASKING), uid: id, gid: id, keep: Some(keep), ..command(program, args, &[]) },
        None,
    )
}

/// Fetches into a folder as the current user, with the user's proxies. All other files of the tool go there too.
pub(super) fn fetch(
    program: &str,
    args: &[&str],
    folder: &Path,
    minder: Option<&Path>,
    within: &Within,
) -> Result<Output, HostError> {
    let folder_text = folder.to_string_lossy();
    let mut fetch = command(program, args, &[("TMPDIR", &folder_text)]);
    fetch.env.extend(PROXIES.iter().filter_map(|name| Some((OsString::from(name), own_environment(name)?))));
    let timeout = Some(within.timeout.unwrap_or(CHANGING));
    let fetch = Command { timeout, cwd: Some(folder.into()), cancel: within.cancel.clone(), ..fetch };
    let output = run::run(&fetch, minder)?;
    if output.succeeded() { Ok(output) } else { Err(failure(program, &output)) }
}

/// The variables that name the user's proxies.
const PROXIES: &[&str] =
    &["http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "no_proxy", "HTTPS_PROXY", "NO_PROXY"];

#[allow(clippy::disallowed_methods, reason = "it is about this process, and not about what a program may read")]
fn own_environment(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

/// Runs a changing tool. A failure is an error with the last line of the tool.
pub(super) fn change(program: &str, args: &[&str], env: &[(&str, &str)], within: &Within) -> Result<Output, HostError> {
    let timeout = Some(within.timeout.unwrap_or(CHANGING));
    let command = Command { timeout, cancel: within.cancel.clone(), ..command(program, args, env) };
    // Without a minder: if this process is killed, a package manager should still finish.
    let output = run::run(&command, None)?;
    if output.succeeded() { Ok(output) } else { Err(failure(program, &output)) }
}

/// Returns the last message of a failed tool.
pub(super) fn failure(program: &str, output: &Output) -> HostError {
    let text = String::from_utf8_lossy(if output.stderr.is_empty() { &output.stdout } else { &output.stderr });
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    let said = lines().rev().find(|line| line.starts_with("E:")).or_else(|| lines().next_back()).unwrap_or_default();
    let said: String = said.strip_prefix("E: ").unwrap_or(said).chars().take(300).collect();
    let ended = match (output.code, output.signal) {
        (Some(code), _) => format!("exited with code {code}"),
        (None, Some(signal)) => format!("was killed by signal {signal}"),
        (None, None) => "failed".to_owned(),
    };
    let told = if said.is_empty() { String::new() } else { format!(": {}", printable(&said)) };
    HostError::Refused(format!("{program} {ended}{told}"))
}

/// Whether a tool is installed.
pub(super) fn has(program: &str) -> bool {
    run::find_program(OsStr::new(program)).is_some()
}

/// Returns a tool's output as lines.
pub(super) fn lines(output: &Output) -> Vec<String> {
    String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
}
