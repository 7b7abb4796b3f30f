//! The minder: this program in a small process of its own that starts one command and answers for all it leaves behind.
//!
//! A command may fork twice, take a session of its own and ignore every polite signal; its process group then says
//! nothing about what it left running. The minder is the subreaper of all that comes from the command, so whatever it
//! starts stays below the minder, and "no child is left to wait for" is exactly "nothing of it runs any more".
//! The line to whoever wants the command run is a socket on standard input: when it closes, because the command is to
//! end or because that process was killed, the minder ends everything. A command that ends by itself may leave daemons;
//! they are let go once that end was heard.
//! Out of reach are only programs of other users, where we may not end them, and what another service was asked to start.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{ExitCode, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::event::{PollFd, PollFlags};
use rustix::process::{Pid, PidfdFlags, Signal, WaitOptions};
use serde::{Deserialize, Serialize};

use super::descendants;
use crate::host::error::errno_of;

/// The name under which this program minds a command.
const NAME: &str = "workbench-minder";

/// Whether this program answers to [`NAME`], so that it may be started again as a minder.
static ABLE: AtomicBool = AtomicBool::new(false);

/// What a minder is asked to run: everything is decided, it only starts.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Order {
    pub program: PathBuf,
    pub args: Vec<OsString>,
    pub cwd: Option<PathBuf>,
    pub env: Vec<(OsString, OsString)>,
    pub uid: Option<u32>,
    pub gid: Option<u32>,
    pub signal: Option<i32>,
}

/// What a minder tells: one line each.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Told {
    /// It did not start; the system's error number.
    NotStarted(i32),
    Ended {
        code: Option<i32>,
        signal: Option<i32>,
    },
    /// It was ended, and this many of its processes could not be.
    Stopped {
        left: u32,
    },
}

/// Minds a command, where this process was started for it; nothing otherwise. The first thing that `main` does.
pub fn mind() -> Option<ExitCode> {
    if std::env::args_os().next().is_none_or(|name| name != NAME) {
        ABLE.store(true, Ordering::Relaxed);
        return None;
    }
    // Nobody is left to be told why it failed, when the line itself failed.
    Some(if serve().is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// This program, to be started once more where it answers to its own names. It is found even when a newer one was installed in its place.
pub fn own_program() -> Option<PathBuf> {
    ABLE.load(Ordering::Relaxed).then(|| "/proc/self/exe".into())
}

/// Starts a minder for an order. Its outputs are the command's, its standard input is the line to it.
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
    // No terminal: a question for a password fails, and does not wait for somebody who sees nothing.
    rustix::process::setsid()?;
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    let child = match spawn(&order) {
        Ok(child) => child,
        Err(error) => return tell(&mut line, &Told::NotStarted(errno_of(&error).raw_os_error())),
    };
    let_go_of_outputs()?;
    if let Some(ended) = watch(child, &line)? {
        // It may have ended because its reader was killed. Only an answer says that what it left behind may stay.
        let answered = tell(&mut line, &ended).and_then(|()| line.read_exact(&mut [0]));
        if answered.is_ok() {
            return Ok(());
        }
    }
    let left = descendants::end_all(child, descendants::polite(order.signal));
    // Whoever asked may be gone.
    tell(&mut line, &Told::Stopped { left }).or(Ok(()))
}

fn tell(line: &mut UnixStream, told: &Told) -> std::io::Result<()> {
    let mut text = serde_json::to_vec(told)?;
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
    // SAFETY: one system call, in a process that has a single thread.
    unsafe {
        start.pre_exec(|| Ok(rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?));
    }
    start.spawn().map(|child| Pid::from_child(&child))
}

/// The outputs have to end when the command and its heirs are gone, and not when the minder is.
fn let_go_of_outputs() -> std::io::Result<()> {
    let nothing = std::fs::File::options().write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdout(&nothing)?;
    rustix::stdio::dup2_stderr(&nothing)?;
    Ok(())
}

/// Waits until the command ends, or until the line is closed: then there is nothing to tell yet.
fn watch(child: Pid, line: &UnixStream) -> std::io::Result<Option<Told>> {
    let handle = rustix::process::pidfd_open(child, PidfdFlags::empty())?;
    loop {
        let mut fds = [PollFd::new(&handle, PollFlags::IN), PollFd::new(line, PollFlags::IN)];
        match rustix::event::poll(&mut fds, None) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
        let (has_ended, is_closed) = (!fds[0].revents().is_empty(), !fds[1].revents().is_empty());
        if has_ended && let Some((_, status)) = rustix::process::waitpid(Some(child), WaitOptions::NOHANG)? {
            return Ok(Some(Told::Ended { code: status.exit_status(), signal: status.terminating_signal() }));
        }
        if is_closed {
            return Ok(None);
        }
    }
}
