//! Running one command: its own process group, a deadline, and output that is read all the time but kept within bounds.

use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};

use crate::host::commands::OUTPUT_CAP;
use crate::host::error::errno_of;
use crate::host::{Command, HostError, Output};

/// How long a group that was asked to end may take before it is made to.
const GRACE: Duration = Duration::from_millis(500);

/// How long output may still come after the command itself ended; a daemon that it left behind may hold the pipe.
const DRAIN: Duration = Duration::from_millis(200);

/// Runs a command to its end.
pub(super) fn run(command: &Command) -> Result<Output, HostError> {
    let mut child = start(command)?;
    let (told, chunks) = channel();
    read_aside(child.stdout.take(), false, told.clone());
    read_aside(child.stderr.take(), true, told);
    let mut output = Output::default();
    let status = wait(command, &mut child, &chunks, &mut output)?;
    output.code = status.code();
    output.signal = status.signal();
    Ok(output)
}

fn start(command: &Command) -> Result<Child, HostError> {
    let name = || command.program.to_string_lossy().into_owned();
    let program = find_program(&command.program)
        .ok_or_else(|| HostError::Spawn { program: name(), errno: rustix::io::Errno::NOENT })?;
    let mut start = std::process::Command::new(program);
    start.args(&command.args).env_clear().envs(command.env.iter().map(|(name, value)| (name, value)));
    start.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    if let Some(cwd) = &command.cwd {
        start.current_dir(cwd);
    }
    if let Some(gid) = command.gid {
        start.gid(gid);
    }
    if let Some(uid) = command.uid {
        start.uid(uid);
    }
    start.spawn().map_err(|error| HostError::Spawn { program: name(), errno: errno_of(&error) })
}

/// Looks a bare name up in our own search path: the command's own environment is empty unless it is given.
fn find_program(program: &OsStr) -> Option<PathBuf> {
    if program.as_bytes().contains(&b'/') {
        return Some(program.into());
    }
    const USUAL: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
    let path = std::env::var_os("PATH").unwrap_or_else(|| OsString::from(USUAL));
    std::env::split_paths(&path)
        .filter(|dir| dir.is_absolute())
        .map(|dir| dir.join(program))
        .find(|candidate| rustix::fs::access(candidate, rustix::fs::Access::EXEC_OK).is_ok() && candidate.is_file())
}

/// Bytes from one of the outputs; `None` is its end.
type Chunk = (bool, Option<Vec<u8>>);

fn read_aside(pipe: Option<impl Read + Send + 'static>, is_err: bool, told: Sender<Chunk>) {
    let Some(mut pipe) = pipe else { return };
    std::thread::spawn(move || {
        let mut buffer = vec![0; 16 << 10];
        while let Ok(count @ 1..) = pipe.read(&mut buffer) {
            if told.send((is_err, Some(buffer[..count].to_vec()))).is_err() {
                return;
            }
        }
        let _ = told.send((is_err, None));
    });
}

/// Waits for the end, the deadline or the wish to stop, reading all the while.
fn wait(
    command: &Command,
    child: &mut Child,
    chunks: &Receiver<Chunk>,
    output: &mut Output,
) -> Result<ExitStatus, HostError> {
    let begun = Instant::now();
    let program = || command.program.to_string_lossy().into_owned();
    let failed = |error: std::io::Error| HostError::std("wait for", Path::new(&command.program), &error);
    let mut open = 2;
    let mut pause = Duration::from_millis(1);
    let mut ended: Option<(ExitStatus, Instant)> = None;
    loop {
        match chunks.recv_timeout(pause) {
            Ok((is_err, Some(bytes))) => {
                keep(output, is_err, &bytes);
                pause = Duration::from_millis(1);
            }
            Ok((_, None)) => open -= 1,
            Err(RecvTimeoutError::Timeout) => pause = (pause * 2).min(Duration::from_millis(20)),
            Err(RecvTimeoutError::Disconnected) => std::thread::sleep(pause),
        }
        if ended.is_none() {
            ended = child.try_wait().map_err(failed)?.map(|status| (status, Instant::now()));
        }
        if let Some((status, at)) = ended {
            if open == 0 || at.elapsed() > DRAIN {
                return Ok(status);
            }
            continue;
        }
        if command.cancel.is_cancelled() {
            end_group(child);
            return Err(HostError::Cancelled { program: program() });
        }
        if let Some(after) = command.timeout.filter(|after| begun.elapsed() >= *after) {
            end_group(child);
            return Err(HostError::Deadline { program: program(), after });
        }
    }
}

/// Keeps the newest bytes of each output, since errors stand at the end.
fn keep(output: &mut Output, is_err: bool, bytes: &[u8]) {
    let one = if is_err { &mut output.stderr } else { &mut output.stdout };
    for kept in [one, &mut output.combined] {
        kept.extend_from_slice(bytes);
        // Cutting only when twice as much is there makes the cost of cutting linear.
        if kept.len() > 2 * OUTPUT_CAP {
            kept.drain(..kept.len() - OUTPUT_CAP);
            output.truncated = true;
        }
    }
}

/// Asks the whole process group to end, then makes it.
fn end_group(child: &mut Child) {
    let group = Pid::from_child(child);
    // A group that is gone already is what we want.
    let _ = rustix::process::kill_process_group(group, Signal::TERM);
    let asked = Instant::now();
    while asked.elapsed() < GRACE && matches!(child.try_wait(), Ok(None)) {
        std::thread::sleep(Duration::from_millis(5));
    }
    let _ = rustix::process::kill_process_group(group, Signal::KILL);
    let _ = child.wait();
}
