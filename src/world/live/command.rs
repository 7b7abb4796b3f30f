//! Runs a user's command for the first line of its output.

use std::io::Read as _;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::world::ReadError;

/// A longer command is killed. Its output so far counts.
const PATIENCE: Duration = Duration::from_secs(10);

/// The size limit of the output: 1 MiB.
const OUTPUT_LIMIT: u64 = 1 << 20;

/// Runs a command with the shell and waits for it. Returns its first line without the line break.
pub fn run(text: &str) -> Result<String, ReadError> {
    let failed = |reason: String| ReadError::Failed { path: "/bin/sh".into(), reason: format!("{text}: {reason}") };
    let mut child = Command::new("/bin/sh")
        .arg("-c")
        .arg(text)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .map_err(|error| failed(error.to_string()))?;
    let output = read_output(&mut child);
    end(&mut child);
    match output.split_once('\n') {
        Some((line, _)) => Ok(line.to_owned()),
        None if output.is_empty() => Err(failed("printed nothing".into())),
        None => Ok(output),
    }
}

/// Returns all output within the time limit.
fn read_output(child: &mut Child) -> String {
    let Some(mut pipe) = child.stdout.take() else { return String::new() };
    let (send, receive) = mpsc::channel();
    // The thread ends with the pipe, which closes when the group is killed.
    thread::spawn(move || {
        let mut buffer = [0; 4096];
        let mut left = OUTPUT_LIMIT;
        while let Ok(count @ 1..) = pipe.read(&mut buffer) {
            left = left.saturating_sub(count as u64);
            if send.send(buffer[..count].to_vec()).is_err() || left == 0 {
                break;
            }
        }
    });
    let until = std::time::Instant::now() + PATIENCE;
    let mut bytes = Vec::new();
    while let Ok(part) = receive.recv_timeout(until.saturating_duration_since(std::time::Instant::now())) {
        bytes.extend(part);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Kills the command and its descendants, and reaps it.
fn end(child: &mut Child) {
    if matches!(child.try_wait(), Ok(Some(_))) {
        return;
    }
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        // It may have ended by itself.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.wait();
}
