//! Running one command to its end, its deadline or the wish to stop, while its output is read and kept within bounds.

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

/// How long output may still come after the command itself ended; a daemon that it left behind may hold the pipe.
const DRAIN: Duration = Duration::from_millis(200);

/// How often the wish to stop is looked at.
const LOOK: Duration = Duration::from_millis(20);

/// Runs a command, with a minder where there is a program for it.
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

/// Looks a bare name up in our own search path: the command's own environment is empty unless it is given.
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

/// The ends of both outputs that are still open, and what came out of them.
struct Reading {
    pipes: [Option<OwnedFd>; 2],
    output: Output,
    /// How much of each output is kept.
    cap: usize,
}

impl Reading {
    fn is_over(&self) -> bool {
        self.pipes.iter().all(Option::is_none)
    }

    /// Waits for output or the sign of an end, but not for long, and reads what came.
    fn wait(&mut self, end: Option<BorrowedFd>, at_most: Duration) {
        let handles = self.pipes.iter().flatten().map(AsFd::as_fd).chain(end);
        let mut fds: Vec<PollFd> = handles.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)).collect();
        let timeout = Timespec { tv_sec: 0, tv_nsec: i64::from(at_most.subsec_nanos()) };
        if fds.is_empty() {
            std::thread::sleep(at_most);
        } else {
            // When it is interrupted, what is there is read all the same.
            let _ = rustix::event::poll(&mut fds, Some(&timeout));
        }
        for (pipe, is_err) in [(0, false), (1, true)] {
            self.read(pipe, is_err);
        }
    }

    fn read(&mut self, pipe: usize, is_err: bool) {
        let mut buffer = [0; 16 << 10];
        // A command that writes without end does not keep us from looking at its deadline.
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

/// Keeps the newest bytes of each output, since errors stand at the end.
fn keep(output: &mut Output, is_err: bool, bytes: &[u8], cap: usize) {
    let one = if is_err { &mut output.stderr } else { &mut output.stdout };
    for kept in [one, &mut output.combined] {
        kept.extend_from_slice(bytes);
        // Cutting only when twice as much is there makes the cost of cutting linear.
        if kept.len() > 2 * cap {
            kept.drain(..kept.len() - cap);
            output.truncated = true;
        }
    }
}
