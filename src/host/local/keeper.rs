//! The parent of a running command: a minder process, or this process if there is no minder program.

use std::io::{Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, Signal};

use super::descendants::{self, GRACE};
use super::minder::{self, MinderMessage, Order};
use crate::host::Command;
use crate::host::error::errno_of;

/// How a command ended by itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ending {
    pub code: Option<i32>,
    pub signal: Option<i32>,
}

/// A started command.
pub(super) enum Keeper {
    /// With the signal that asks it to end.
    Own(Child, Signal),
    Minder {
        process: Child,
        line: UnixStream,
        /// The output of the minder so far.
        received: Vec<u8>,
    },
}

impl Keeper {
    /// Starts a command. Also returns its outputs, which never block.
    pub fn start(command: &Command, program: PathBuf, minder: Option<&Path>) -> Result<(Keeper, [OwnedFd; 2]), Errno> {
        let started = match minder {
            Some(minder) => with_minder(command, program, minder),
            None => start(command, &program).map(|child| Keeper::Own(child, descendants::polite(command.signal))),
        };
        let mut keeper = started.map_err(|error| errno_of(&error))?;
        let (Keeper::Own(child, _) | Keeper::Minder { process: child, .. }) = &mut keeper;
        let pipes = [
            child.stdout.take().expect("the output was made a pipe").into(),
            child.stderr.take().expect("the output was made a pipe").into(),
        ];
        for pipe in &pipes {
            rustix::io::ioctl_fionbio(pipe, true)?;
        }
        Ok((keeper, pipes))
    }

    /// Returns the handle that becomes readable on news; `None` if the caller must poll.
    pub fn handle(&self) -> Option<BorrowedFd<'_>> {
        match self {
            Keeper::Own(..) => None,
            Keeper::Minder { line, .. } => Some(line.as_fd()),
        }
    }

    /// Returns how the command ended; `None` while it runs. An error if it did not start.
    pub fn ending(&mut self) -> Result<Option<Ending>, Errno> {
        match self {
            Keeper::Own(child, _) => {
                let status = child.try_wait().map_err(|error| errno_of(&error))?;
                Ok(status.map(|status| Ending { code: status.code(), signal: status.signal() }))
            }
            Keeper::Minder { process, line, received } => {
                let is_open = read_some(line, received);
                match last_message(received) {
                    Some(MinderMessage::Ended { code, signal }) => {
                        // The acknowledgement that the minder waits for.
                        let _ = line.write_all(b".");
                        let _ = process.wait();
                        Ok(Some(Ending { code, signal }))
                    }
                    Some(MinderMessage::NotStarted(errno)) => {
                        let _ = process.wait();
                        Err(Errno::from_raw_os_error(errno))
                    }
                    // The minder was killed, and the command with it.
                    _ if !is_open => {
                        let signal = process.wait().ok().and_then(|status| status.signal());
                        Ok(Some(Ending { code: None, signal }))
                    }
                    _ => Ok(None),
                }
            }
        }
    }

    /// Ends the command with all its descendants. Returns the number of processes that could not be ended.
    pub fn end(&mut self) -> u32 {
        match self {
            Keeper::Own(child, polite) => end_own(child, *polite),
            Keeper::Minder { process, line, received } => {
                // If the line is closed already, the minder ends the command anyway.
                let _ = line.shutdown(std::net::Shutdown::Write);
                let _ = rustix::io::ioctl_fionbio(&*line, false);
                // The minder's own time limit bounds this.
                let _ = line.read_to_end(received);
                let _ = process.wait();
                match last_message(received) {
                    Some(MinderMessage::Stopped { left }) => left,
                    _ => 0,
                }
            }
        }
    }
}

fn with_minder(command: &Command, program: PathBuf, minder: &Path) -> std::io::Result<Keeper> {
    let order = Order {
        program,
        args: command.args.clone(),
        script: command.script.clone(),
        cwd: command.cwd.clone(),
        env: command.env.clone(),
        uid: command.uid,
        gid: command.gid,
        signal: command.signal,
    };
    let (mut line, minders) = UnixStream::pair()?;
    let mut process = minder::start(minder, minders.into())?;
    let mut text = serde_json::to_vec(&order)?;
    text.push(b'\n');
    if let Err(error) = line.write_all(&text) {
        let _ = process.kill();
        let _ = process.wait();
        return Err(error);
    }
    line.set_nonblocking(true)?;
    Ok(Keeper::Minder { process, line, received: Vec::new() })
}

/// Reads the available bytes. Returns whether more may follow.
fn read_some(line: &mut UnixStream, received: &mut Vec<u8>) -> bool {
    let mut buffer = [0; 256];
    loop {
        match line.read(&mut buffer) {
            Ok(0) => return false,
            Ok(count) => received.extend_from_slice(&buffer[..count]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return error.kind() == std::io::ErrorKind::WouldBlock,
        }
    }
}

/// Returns the minder's last message.
fn last_message(received: &[u8]) -> Option<MinderMessage> {
    received.rsplit(|byte| *byte == b'\n').find_map(|line| serde_json::from_slice(line).ok())
}

fn start(command: &Command, program: &Path) -> std::io::Result<Child> {
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
    // Open until the command is started.
    let _script = minder::script_file(command.script.as_deref(), &mut start)?;
    start.spawn()
}

/// Asks the whole process group to end, then kills it and the processes that left the group, as far as they can be
/// found.
fn end_own(child: &mut Child, polite: Signal) -> u32 {
    let group = Pid::from_child(child);
    let mut others = descendants::below(group);
    // The group may be gone already.
    let _ = rustix::process::kill_process_group(group, polite);
    let asked = Instant::now();
    while asked.elapsed() < GRACE && matches!(child.try_wait(), Ok(None)) {
        others = descendants::below(group);
        std::thread::sleep(Duration::from_millis(5));
    }
    let _ = rustix::process::kill_process_group(group, Signal::KILL);
    for pid in others {
        let _ = rustix::process::kill_process(pid, Signal::KILL);
    }
    let _ = child.wait();
    0
}
