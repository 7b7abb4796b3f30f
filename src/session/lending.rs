//! A program that has our terminal: the user's editor, or `sudo`.

use std::io;
use std::process::{Command, ExitStatus};
use std::thread::sleep;
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_current_process_group, waitid};

/// How often it is looked after.
const LOOK: Duration = Duration::from_millis(20);

/// Runs a program in the terminal, which has to be as programs find it, and waits for it as long as somebody wants it; nothing
/// where nobody does any more: it is left alone then, and what is not saved there is the user's.
///
/// Where it stops, as editors do at Ctrl-Z, we stop with it: it is one job to the shell behind us, which continues both.
pub fn lend(command: &mut Command, is_wanted: impl Fn() -> bool) -> io::Result<Option<ExitStatus>> {
    let mut program = command.spawn()?;
    let pid = Pid::from_child(&program);
    while is_wanted() {
        if let Some(status) = program.try_wait()? {
            return Ok(Some(status));
        }
        let stopped = waitid(WaitId::Pid(pid), WaitIdOptions::STOPPED | WaitIdOptions::NOHANG)?;
        if stopped.is_some() {
            // Whoever waits for us too, such as `cargo run`, must stop with us; SIGTSTP may be ours to handle.
            kill_current_process_group(Signal::STOP)?;
        }
        sleep(LOOK);
    }
    Ok(None)
}
