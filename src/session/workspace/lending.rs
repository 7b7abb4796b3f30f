//! Lends the terminal to another program: the user's editor, or `sudo`.

use std::io;
use std::process::{Command, ExitStatus};
use std::thread::sleep;
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_current_process_group, waitid};

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
            // A parent process that waits, such as `cargo run`, must stop too. SIGTSTP may have a handler here.
            kill_current_process_group(Signal::STOP)?;
        }
        sleep(LOOK);
    }
    Ok(None)
}
