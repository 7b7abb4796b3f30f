//! The password of a target's user: from a file, from the environment, or from a command that prints it.

use std::io::Read as _;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use super::{Place, TargetError};
use crate::source::printable;
use crate::world::{Cancel, Live, Read, Sample, World};

/// Holds the password of a target's user.
const VARIABLE: &str = "WORKBENCH_ETCD_PASSWORD";
/// The time limit of a password command. It may have to ask its user elsewhere.
const PATIENCE: Duration = Duration::from_secs(30);
/// How often to check whether the command ended or was cancelled.
const LOOK: Duration = Duration::from_millis(20);
/// How long to wait for the last output of a command that has ended.
const LAST_WORDS: Duration = Duration::from_millis(500);
/// The size limit of the output: 64 KiB.
const MOST: u64 = 1 << 16;

/// Returns the password, if one of the user's sources has it.
pub fn password(place: &Place, cancel: &Cancel) -> Result<Option<String>, TargetError> {
    let live: &dyn World = &Live::new();
    if let Some(path) = &place.password_file {
        let unread =
            |error: &dyn std::fmt::Display| TargetError::PasswordFile(printable(&error.to_string()).to_string());
        let bytes = live.file(path).map_err(|error| unread(&error))?;
        let text = std::str::from_utf8(&bytes).map_err(|error| unread(&error))?;
        return Ok(Some(text.lines().next().unwrap_or_default().to_owned()));
    }
    let by_environment = match live.read(&Read::Environment) {
        Ok(Sample::Pairs(environment)) => environment.get(VARIABLE).filter(|password| !password.is_empty()).cloned(),
        _ => None,
    };
    match (&place.password_command, by_environment) {
        (Some(command), None) => printed(command, PATIENCE, cancel).map(Some),
        (_, by_environment) => Ok(by_environment),
    }
}

/// Returns the first line that the user's command prints. It is a password and is never shown.
///
/// The command has its own process group, which is killed when the time is over or the caller cancels.
#[expect(clippy::disallowed_methods, reason = "the command is the user's own, for their own password")]
fn printed(command: &str, patience: Duration, cancel: &Cancel) -> Result<String, TargetError> {
    let failed = |why: String| TargetError::PasswordCommand(printable(&why).to_string());
    let mut child = Command::new("/bin/sh")
        .args(["-c", command])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .map_err(|error| failed(error.to_string()))?;
    let (out, err) = (child.stdout.take().map(read_pipe), child.stderr.take().map(read_pipe));
    let begun = Instant::now();
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) => {}
            Err(error) => return Err(failed(error.to_string())),
        }
        if cancel.is_cancelled() {
            end(&mut child);
            return Err(TargetError::Cancelled);
        }
        if begun.elapsed() >= patience {
            end(&mut child);
            return Err(TargetError::PasswordCommandSlow(patience.as_secs()));
        }
        std::thread::sleep(LOOK);
    };
    if !status.success() {
        let message = String::from_utf8_lossy(&err.map(first_line).unwrap_or_default()).into_owned();
        let colon = if message.is_empty() { "" } else { ": " };
        return Err(failed(format!("failed: {status}{colon}{message}")));
    }
    let line = String::from_utf8(out.map(first_line).unwrap_or_default());
    match line.map_err(|_| failed("its output is not text".into()))? {
        line if line.is_empty() => Err(failed("it printed nothing".into())),
        line => Ok(line),
    }
}

/// Reads a pipe in pieces. A process that outlives the command may keep the pipe open for ever.
fn read_pipe(mut pipe: impl std::io::Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (send, parts) = channel();
    std::thread::spawn(move || {
        let (mut buffer, mut left) = ([0; 4096], MOST);
        while let Ok(count @ 1..) = pipe.by_ref().take(left).read(&mut buffer) {
            left -= count as u64;
            if send.send(buffer[..count].to_vec()).is_err() {
                return;
            }
        }
    });
    parts
}

/// Returns the first line that a finished command printed.
fn first_line(parts: Receiver<Vec<u8>>) -> Vec<u8> {
    let (mut text, until) = (Vec::new(), Instant::now() + LAST_WORDS);
    while !text.contains(&b'\n') {
        match parts.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(part) => text.extend(part),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
        }
    }
    let end = text.iter().position(|byte| *byte == b'\n').unwrap_or(text.len());
    text.truncate(end);
    text.pop_if(|byte| *byte == b'\r');
    text
}

/// Ends the command and its process group.
fn end(child: &mut Child) {
    // It may have ended by itself.
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    let _ = child.wait();
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: Duration = Duration::from_millis(400);

    fn is_there(pid: &str) -> bool {
        // A process that ended and was not waited for counts as gone.
        let live: &dyn World = &Live::new();
        let stat = live.file(format!("/proc/{}/stat", pid.trim()).as_ref());
        stat.is_ok_and(|stat| !String::from_utf8_lossy(&stat).contains(") Z "))
    }

    #[test]
    fn a_command_that_does_not_end_is_ended_with_all_that_it_started() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let note = folder.path().join("pid");
        let command = format!("sleep 600 & echo $! > '{}'; echo early; wait", note.display());
        let begun = Instant::now();
        let ended = printed(&command, SHORT, &Cancel::default());
        assert_eq!(ended, Err(TargetError::PasswordCommandSlow(0)), "a line without an end is no password");
        assert!(begun.elapsed() < Duration::from_secs(10));
        let live: &dyn World = &Live::new();
        let pid = live.file(&note).expect("it began");
        std::thread::sleep(Duration::from_millis(100));
        assert!(!is_there(&String::from_utf8_lossy(&pid)), "what it started went with it");
    }

    #[test]
    fn who_no_longer_waits_ends_it() {
        let cancel = Cancel::default();
        cancel.cancel();
        assert_eq!(printed("sleep 600", Duration::from_secs(600), &cancel), Err(TargetError::Cancelled));
    }

    #[test]
    fn a_process_that_stays_behind_does_not_hold_it_up() {
        let begun = Instant::now();
        let printed = printed("sleep 5 & printf 'se cret\\r\\nmore\\n'", Duration::from_secs(600), &Cancel::default());
        assert_eq!(printed.as_deref(), Ok("se cret"));
        assert!(begun.elapsed() < Duration::from_secs(4));
    }
}
