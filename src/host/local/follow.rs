//! Follows a long-running command: reports each line that it writes, until it ends or is cancelled.

use std::os::fd::{AsFd, OwnedFd};
use std::thread::JoinHandle;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;

use super::keeper::{Ending, Keeper};
use super::{minder, run::find_program};
use crate::host::{Command, HostError};
use crate::world::Cancel;

/// How often to check for cancellation.
const LOOK: Duration = Duration::from_millis(50);

/// An event of a followed command or unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Followed {
    /// It wrote a line that is not empty, or changed in another way.
    Line,
    /// It ended, with the reason. No event follows.
    Ended(String),
}

/// A followed command or unit. Dropping this ends a command with all its descendants.
#[derive(Debug)]
pub struct Following {
    cancel: Cancel,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Following {
    fn drop(&mut self) {
        self.cancel.cancel();
        if let Some(thread) = self.thread.take() {
            // The thread has reported a panic already.
            let _ = thread.join();
        }
    }
}

impl Following {
    /// Runs `work` on its own thread until it is cancelled.
    pub(super) fn on_thread(work: impl FnOnce(&Cancel) + Send + 'static) -> Self {
        let cancel = Cancel::default();
        let wish = cancel.clone();
        Self { cancel, thread: Some(std::thread::spawn(move || work(&wish))) }
    }
}

/// Starts a command and follows it. `tell` runs on its own thread.
pub fn follow(command: Command, tell: impl Fn(Followed) + Send + 'static) -> Following {
    Following::on_thread(move |wish| {
        if let Some(end) = lines(&command, wish, &tell) {
            tell(Followed::Ended(end));
        }
    })
}

/// Reports lines until the end. Returns the reason of the end; `None` if it was cancelled.
fn lines(command: &Command, cancel: &Cancel, tell: &dyn Fn(Followed)) -> Option<String> {
    let spawn = |errno| HostError::Spawn { program: command.name(), errno };
    let started = match find_program(&command.program) {
        Some(program) => Keeper::start(command, program, minder::own_program().as_deref()),
        None => Err(Errno::NOENT),
    };
    let (mut keeper, pipes) = match started {
        Ok(started) => started,
        Err(errno) => return Some(spawn(errno).to_string()),
    };
    let mut outputs = pipes.map(|pipe| Output { pipe: Some(pipe), has_text: false });
    loop {
        wait(&outputs, &keeper);
        outputs.iter_mut().for_each(|output| output.read(tell));
        match keeper.ending() {
            Err(errno) => return Some(spawn(errno).to_string()),
            Ok(Some(ending)) => {
                // The last output.
                outputs.iter_mut().for_each(|output| output.read(tell));
                return Some(ended(ending));
            }
            Ok(None) if cancel.is_cancelled() => {
                keeper.end();
                return None;
            }
            Ok(None) => {}
        }
    }
}

fn ended(Ending { code, signal }: Ending) -> String {
    match (code, signal) {
        (Some(code), _) => format!("exited with code {code}"),
        (None, Some(signal)) => format!("killed by signal {signal}"),
        (None, None) => "exited".to_owned(),
    }
}

fn wait(outputs: &[Output], keeper: &Keeper) {
    let handles = outputs.iter().filter_map(|output| output.pipe.as_ref()).map(AsFd::as_fd).chain(keeper.handle());
    let mut fds: Vec<PollFd> = handles.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)).collect();
    if fds.is_empty() {
        return std::thread::sleep(LOOK);
    }
    let timeout = Timespec { tv_sec: 0, tv_nsec: i64::from(LOOK.subsec_nanos()) };
    // After an interrupt, read what is available.
    let _ = rustix::event::poll(&mut fds, Some(&timeout));
}

/// One output of the command.
struct Output {
    pipe: Option<OwnedFd>,
    /// The current line is not empty.
    has_text: bool,
}

impl Output {
    fn read(&mut self, tell: &dyn Fn(Followed)) {
        let mut buffer = [0; 4 << 10];
        // A command that writes without end must not delay the check for cancellation.
        for _ in 0..64 {
            let Some(pipe) = &self.pipe else { return };
            match rustix::io::read(pipe, &mut buffer) {
                Ok(0) => self.pipe = None,
                Ok(count) => self.take(&buffer[..count], tell),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                Err(_) => self.pipe = None,
            }
        }
    }

    fn take(&mut self, bytes: &[u8], tell: &dyn Fn(Followed)) {
        for byte in bytes {
            match byte {
                b'\n' if std::mem::take(&mut self.has_text) => tell(Followed::Line),
                b'\n' | b'\r' => {}
                _ => self.has_text = true,
            }
        }
    }
}
