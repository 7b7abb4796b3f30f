//! Runs one command until it ends, times out or is cancelled, and captures its output within limits.

use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;

use super::keeper::{Ending, Keeper};
use crate::host::commands::OUTPUT_CAP;
use crate::host::{Command, HostError, Output};

/// How long to read output after the command ended. A daemon that it left may keep the pipe open.
const DRAIN: Duration = Duration::from_millis(200);

/// How often to check for cancellation.
const LOOK: Duration = Duration::from_millis(20);

/// Runs a command, with a minder if there is a minder program.
pub(super) fn run(command: &Command, minder: Option<&Path>) -> Result<Output, HostError> {
    let spawn = |errno| HostError::Spawn { program: command.name(), errno };
    let program = find_program(&command.program).ok_or_else(|| spawn(Errno::NOENT))?;
    let (mut keeper, pipes) = Keeper::start(command, program, minder).map_err(spawn)?;
    let cap = command.keep.unwrap_or(OUTPUT_CAP);
    let mut reading = Reading { pipes: pipes.map(Some), output: Output::default(), cap };
    let begun = Instant::now();
    let mut ended: Option<(Ending, Instant)> = None;
    loop {
        reading.wait(if ended.is_none() { keeper.handle() } else { None }, LOOK);
        if ended.is_none() {
            ended = keeper.ending().map_err(spawn)?.map(|ending| (ending, Instant::now()));
        }
        if let Some((ending, at)) = ended {
            if reading.is_over() || at.elapsed() > DRAIN {
                return Ok(Output { code: ending.code, signal: ending.signal, ..reading.finish() });
            }
            continue;
        }
        let late = command.timeout.filter(|after| begun.elapsed() >= *after);
        if late.is_some() || command.cancel.is_cancelled() {
            return Err(match (keeper.end(), late) {
                (0, Some(after)) => HostError::Deadline { program: command.name(), after },
                (0, None) => HostError::Cancelled { program: command.name() },
                (left, _) => HostError::Unended { program: command.name(), left },
            });
        }
    }
}

/// Looks up a bare name in this process's search path, because the command's environment is empty by default.
pub(super) fn find_program(program: &OsStr) -> Option<PathBuf> {
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

/// The open outputs, and the bytes read from them.
struct Reading {
    pipes: [Option<OwnedFd>; 2],
    output: Output,
    /// The number of bytes kept of each output.
    cap: usize,
}

impl Reading {
    fn is_over(&self) -> bool {
        self.pipes.iter().all(Option::is_none)
    }

    /// Waits briefly for output or the end, and reads the available bytes.
    fn wait(&mut self, end: Option<BorrowedFd>, at_most: Duration) {
        let handles = self.pipes.iter().flatten().map(AsFd::as_fd).chain(end);
        let mut fds: Vec<PollFd> = handles.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)).collect();
        let timeout = Timespec { tv_sec: 0, tv_nsec: i64::from(at_most.subsec_nanos()) };
        if fds.is_empty() {
            std::thread::sleep(at_most);
        } else {
            // After an interrupt, read what is available.
            let _ = rustix::event::poll(&mut fds, Some(&timeout));
        }
        for (pipe, is_err) in [(0, false), (1, true)] {
            self.read(pipe, is_err);
        }
    }

    fn read(&mut self, pipe: usize, is_err: bool) {
        let mut buffer = [0; 16 << 10];
        // A command that writes without end must not delay the check of its deadline.
        for _ in 0..64 {
            let Some(fd) = &self.pipes[pipe] else { return };
            match rustix::io::read(fd, &mut buffer) {
                Ok(0) => self.pipes[pipe] = None,
                Ok(count) => keep(&mut self.output, is_err, &buffer[..count], self.cap),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                Err(_) => self.pipes[pipe] = None,
            }
        }
    }

    fn finish(mut self) -> Output {
        for kept in [&mut self.output.stdout, &mut self.output.stderr, &mut self.output.combined] {
            self.output.truncated |= kept.len() > self.cap;
            kept.drain(..kept.len().saturating_sub(self.cap));
        }
        self.output
    }
}

/// Keeps the newest bytes of each output, because errors are at the end.
fn keep(output: &mut Output, is_err: bool, bytes: &[u8], cap: usize) {
    let one = if is_err { &mut output.stderr } else { &mut output.stdout };
    for kept in [one, &mut output.combined] {
        kept.extend_from_slice(bytes);
        // Cutting only at twice the cap keeps the total cost linear.
        if kept.len() > 2 * cap {
            kept.drain(..kept.len() - cap);
            output.truncated = true;
        }
    }
}
