//! The minder: this program as a small separate process that starts one command and ends all its descendants.
//!
//! A command may fork twice, start its own session and ignore every polite signal. Its process group then says nothing
//! about the processes that it left running. The minder is the subreaper of the command's descendants, so they stay
//! below the minder, and "there is no child to wait for" means "none of them runs any more". The connection to the
//! caller is a socket on standard input. When it closes, because the command must end or because the caller was killed,
//! the minder ends everything. A command that ends by itself may leave daemons. They keep running once the caller has
//! acknowledged the end. Out of reach: programs of other users that this user may not kill, and processes that another
//! service started on request.

use std::ffi::{OsStr, OsString};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{ExitCode, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::event::{PollFd, PollFlags};
use rustix::fs::MemfdFlags;
use rustix::process::{Pid, PidfdFlags, Signal, WaitOptions};
use serde::{Deserialize, Serialize};

use super::descendants;
use crate::host::error::errno_of;

/// The process name of a minder.
const NAME: &str = "workbench-minder";

/// Whether this program handles [`NAME`], so that it may be started again as a minder.
static ABLE: AtomicBool = AtomicBool::new(false);

/// The resolved command for a minder to start.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Order {
    pub program: PathBuf,
    pub args: Vec<OsString>,
    pub script: Option<OsString>,
    pub cwd: Option<PathBuf>,
    pub env: Vec<(OsString, OsString)>,
    pub uid: Option<u32>,
    pub gid: Option<u32>,
    pub signal: Option<i32>,
}

/// A message of the minder: one line each.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum MinderMessage {
    /// The command did not start; the system's error number.
    NotStarted(i32),
    Ended {
        code: Option<i32>,
        signal: Option<i32>,
    },
    /// The command was ended, and this many of its processes remain.
    Stopped {
        left: u32,
    },
}

/// Minds a command if this process was started as a minder. `main` calls this first.
pub fn mind() -> Option<ExitCode> {
    if std::env::args_os().next().is_none_or(|name| name != NAME) {
        ABLE.store(true, Ordering::Relaxed);
        return None;
    }
    // If the socket itself failed, the error cannot be reported.
    Some(if serve().is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Returns this program's file if it can be started as a minder, even after a newer version was installed over it.
pub fn own_program() -> Option<PathBuf> {
    ABLE.load(Ordering::Relaxed).then(|| "/proc/self/exe".into())
}

/// Starts a minder for an order. The outputs are the command's, and standard input is the socket.
pub(super) fn start(program: &std::path::Path, line: OwnedFd) -> std::io::Result<std::process::Child> {
    let mut minder = std::process::Command::new(program);
    minder.arg0(NAME).env_clear().stdin(Stdio::from(line)).stdout(Stdio::piped()).stderr(Stdio::piped());
    minder.spawn()
}

fn serve() -> std::io::Result<()> {
    let mut line = UnixStream::from(std::io::stdin().as_fd().try_clone_to_owned()?);
    let mut text = String::new();
    BufReader::new(line.try_clone()?).read_line(&mut text)?;
    let order: Order = serde_json::from_str(&text)?;
    // Without a terminal, a password question fails instead of waiting for an answer.
    rustix::process::setsid()?;
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    let child = match spawn(&order) {
        Ok(child) => child,
        Err(error) => return send(&mut line, &MinderMessage::NotStarted(errno_of(&error).raw_os_error())),
    };
    let_go_of_outputs()?;
    if let Some(ended) = watch(child, &line)? {
        // The end may have come because the reader was killed. Remaining processes may keep running only after an
        // acknowledgement.
        let answered = send(&mut line, &ended).and_then(|()| line.read_exact(&mut [0]));
        if answered.is_ok() {
            return Ok(());
        }
    }
    let left = descendants::end_all(child, descendants::polite(order.signal));
    // The caller may be gone.
    send(&mut line, &MinderMessage::Stopped { left }).or(Ok(()))
}

fn send(line: &mut UnixStream, message: &MinderMessage) -> std::io::Result<()> {
    let mut text = serde_json::to_vec(message)?;
    text.push(b'\n');
    line.write_all(&text)
}

#[allow(unsafe_code, reason = "asking to die with the parent is possible only between fork and exec")]
fn spawn(order: &Order) -> std::io::Result<Pid> {
    let mut start = std::process::Command::new(&order.program);
    start.args(&order.args).env_clear().envs(order.env.iter().map(|(name, value)| (name, value)));
    start.stdin(Stdio::null()).process_group(0);
    if let Some(cwd) = &order.cwd {
        start.current_dir(cwd);
    }
    if let Some(gid) = order.gid {
        start.gid(gid);
    }
    if let Some(uid) = order.uid {
        start.uid(uid);
    }
    // Open until the command is started.
    let _script = script_file(order.script.as_deref(), &mut start)?;
    // SAFETY: one system call, in a process that has a single thread.
    unsafe {
        start.pre_exec(|| Ok(rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?));
    }
    start.spawn().map(|child| Pid::from_child(&child))
}

/// Puts a script into a nameless file in memory, and its path at the end of the arguments. The command inherits it.
pub(super) fn script_file(
    script: Option<&OsStr>,
    start: &mut std::process::Command,
) -> std::io::Result<Option<std::fs::File>> {
    let Some(script) = script else { return Ok(None) };
    let mut file = std::fs::File::from(rustix::fs::memfd_create("script", MemfdFlags::empty())?);
    file.write_all(script.as_bytes())?;
    start.arg(format!("/proc/self/fd/{}", file.as_raw_fd()));
    Ok(Some(file))
}

/// Closes the minder's copies, so that the outputs end with the command and its descendants.
fn let_go_of_outputs() -> std::io::Result<()> {
    let nothing = std::fs::File::options().write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdout(&nothing)?;
    rustix::stdio::dup2_stderr(&nothing)?;
    Ok(())
}

/// Waits until the command ends or the socket closes. `None` for the latter.
fn watch(child: Pid, line: &UnixStream) -> std::io::Result<Option<MinderMessage>> {
    let handle = rustix::process::pidfd_open(child, PidfdFlags::empty())?;
    loop {
        let mut fds = [PollFd::new(&handle, PollFlags::IN), PollFd::new(line, PollFlags::IN)];
        match rustix::event::poll(&mut fds, None) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
        let (has_ended, is_closed) = (!fds[0].revents().is_empty(), !fds[1].revents().is_empty());
        if has_ended && let Some((_, status)) = rustix::process::waitpid(Some(child), WaitOptions::NOHANG)? {
            return Ok(Some(MinderMessage::Ended { code: status.exit_status(), signal: status.terminating_signal() }));
        }
        if is_closed {
            return Ok(None);
        }
    }
}
