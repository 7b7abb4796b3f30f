//! Lends the terminal to another program: the user's editor, or `sudo`.

use std::io;
use std::process::{Command, ExitStatus};
use std::thread::sleep;
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, getpid, kill_process, waitid};

use crate::host::group_without_children;

/// How often to check the program.
const LOOK: Duration = Duration::from_millis(20);

/// Runs a program in the terminal and waits for it while `is_wanted` holds. The caller has restored the terminal.
/// Returns `None` when it no longer holds. The program then keeps running, with the user's unsaved data.
///
/// If the program stops, as editors do on Ctrl-Z, this process stops too. The shell sees one job and continues both.
pub fn lend(command: &mut Command, is_wanted: impl Fn() -> bool) -> io::Result<Option<ExitStatus>> {
    let mut program = command.spawn()?;
    let pid = Pid::from_child(&program);
    while is_wanted() {
        if let Some(status) = program.try_wait()? {
            return Ok(Some(status));
        }
        let stopped = waitid(WaitId::Pid(pid), WaitIdOptions::STOPPED | WaitIdOptions::NOHANG)?;
        if stopped.is_some() {
            stop_job()?;
        }
        sleep(LOOK);
    }
    Ok(None)
}

/// Stops this process and the others of its process group, such as `cargo run`, as a shell expects of a job. Returns
/// when the shell continues the job. The signal is SIGSTOP, because SIGTSTP may have a handler here.
///
/// Children are left out: until a new child starts its program, the thread that waits for it cannot stop (`vfork`). If
/// the child stopped too, both would wait for each other, and the shell for both.
///
/// # Errors
/// The kernel refuses the signal.
pub fn stop_job() -> io::Result<()> {
    for pid in group_without_children() {
        // It may have ended, or belong to another user, as `sudo` does.
        let _ = kill_process(pid, Signal::STOP);
    }
    Ok(kill_process(getpid(), Signal::STOP)?)
}
