//! A worker as a process: start it, exchange messages within the limits, and find out how it died.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{MemfdFlags, Mode, OFlags, memfd_create, open};
use rustix::process::{Pid, WaitOptions, kill_process, waitpid};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::notes::Notes;
use super::serve::{CANCEL, COMMAND, HEAP};
use super::wire::{Answered, CAP, decode, encode};
use crate::world::{Cancel, ReadError, Sample};

/// The size of a large file in bytes.
const LARGE: usize = 1 << 16;

/// The MiB of memory that are ready for the first program of a face.
const FIRST: usize = 16;

/// How often to check for a cancellation.
const PAUSE: Duration = Duration::from_millis(10);

/// A cancelled worker reports where it stopped. One that does not within this time is killed.
const PATIENCE: Duration = Duration::from_millis(60);

/// A worker that keeps its own time limit has this much longer to report it.
const GRACE: Duration = Duration::from_secs(5);

/// Why an exchange ended without a message.
#[derive(Debug)]
pub enum Lost {
    /// The process ended, or broke the rules.
    Ended,
    Cancelled,
    OutOfTime,
}

/// When an exchange ends.
pub struct Until {
    cancel: Cancel,
    deadline: Option<Instant>,
}

impl Until {
    /// Makes the limits of an exchange. A worker gets some seconds more than `time`, so that it can report the limit
    /// itself.
    pub fn new(cancel: &Cancel, time: Option<Duration>) -> Self {
        Self {
            cancel: cancel.clone(),
            deadline: time.and_then(|time| Instant::now().checked_add(time.saturating_add(GRACE))),
        }
    }

    /// Does work that has limits of its own: its time does not count.
    pub fn apart<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let begin = Instant::now();
        let made = work();
        self.deadline = self.deadline.and_then(|deadline| deadline.checked_add(begin.elapsed()));
        made
    }
}

/// A running worker. Dropping it kills it.
#[derive(Debug)]
pub struct Process {
    child: Child,
    stream: UnixStream,
    notes: Notes,
    /// Its standard output: a file in memory, by which it gets large files.
    aside: File,
    /// Bytes of the next message.
    buffer: Vec<u8>,
    /// Whether any message came.
    pub has_answered: bool,
    /// The size of the last message in bytes.
    pub received: usize,
    /// Since when it should stop.
    cancelled: Option<Instant>,
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        if let Ok(None) = self.child.try_wait()
            && let Some(pid) = self.pid()
        {
            // The system needs a while to free gigabytes. Nobody waits for that.
            std::thread::spawn(move || waitpid(Some(pid), WaitOptions::empty()));
        }
    }
}

impl Process {
    /// Starts this program as a worker, without environment, in its own process group. `heap`: the MiB of memory that it
    /// makes ready while it waits, if the size of the last program is known.
    #[expect(clippy::disallowed_methods, reason = "it is this program again, which has no access of its own")]
    pub fn start(heap: Option<usize>) -> io::Result<Self> {
        let (stream, theirs) = UnixStream::pair()?;
        stream.set_nonblocking(true)?;
        let notes = Notes::new()?;
        let mut command = Command::new("/proc/self/exe");
        // Its own group: keys such as Ctrl-C are for the face.
        command.arg0("workbench").arg(COMMAND).env_clear().current_dir("/").process_group(0);
        // In KiB. The allocator's default would take most of the worker's address space.
        command.env("MIMALLOC_ARENA_RESERVE", "65536");
        if heap.is_some_and(|heap| heap > 0) {
            // The allocator gives no memory back to the system: it would give back what is ready. By default it does so
            // after a second, in which a face compiles its first program.
            command.env("MIMALLOC_PURGE_DELAY", "-1");
        }
        command.env(HEAP, heap.unwrap_or(FIRST).to_string());
        let aside = File::from(memfd_create("workbench-worker", MemfdFlags::CLOEXEC)?);
        // The worker cannot write to it.
        let read =
            open(format!("/proc/self/fd/{}", aside.as_raw_fd()), OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty());
        command.stdin(OwnedFd::from(theirs)).stdout(read?).stderr(notes.for_child()?);
        let child = command.spawn()?;
        Ok(Self { child, stream, notes, aside, buffer: Vec::new(), has_answered: false, received: 0, cancelled: None })
    }

    /// Whether it still runs, before its job.
    pub fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Sends a message. It fails if the worker ends, or if the limits are reached.
    pub fn send<T: Serialize>(&mut self, message: &T, until: &Until) -> Result<(), Lost> {
        let frame = encode(message).map_err(|_| Lost::Ended)?;
        let mut rest = &frame[..];
        while !rest.is_empty() {
            match self.stream.write(rest) {
                Ok(0) => return Err(Lost::Ended),
                Ok(count) => rest = &rest[count..],
                Err(error) if error.kind() == ErrorKind::WouldBlock => self.wait(PollFlags::OUT, until)?,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Err(Lost::Ended),
            }
        }
        Ok(())
    }

    /// Writes the bytes of a large file aside: a stream copies them in many small pieces.
    pub fn put_aside(&self, answer: Result<Sample, ReadError>) -> Answered {
        match &answer {
            Ok(Sample::Bytes(bytes)) if bytes.len() >= LARGE && self.aside.write_all_at(bytes, 0).is_ok() => {
                Answered::Aside(bytes.len())
            }
            _ => Answered::Here(answer),
        }
    }

    /// Waits for the next message. It fails if the worker ends or sends more than the cap, or if the limits are
    /// reached.
    pub fn receive<T: DeserializeOwned>(&mut self, until: &Until) -> Result<T, Lost> {
        let mut head = [0; 4];
        self.fill(&mut head, until)?;
        let len = u32::from_le_bytes(head);
        if len > CAP {
            return Err(Lost::Ended);
        }
        let mut body = std::mem::take(&mut self.buffer);
        body.resize(len as usize, 0);
        self.fill(&mut body, until)?;
        let message = decode(&body).map_err(|_| Lost::Ended)?;
        // A large answer is the last one.
        if body.len() <= 1 << 16 {
            self.buffer = body;
        }
        self.has_answered = true;
        self.received = len as usize;
        Ok(message)
    }

    fn fill(&mut self, mut rest: &mut [u8], until: &Until) -> Result<(), Lost> {
        while !rest.is_empty() {
            match self.stream.read(rest) {
                Ok(0) => return Err(Lost::Ended),
                Ok(count) => rest = &mut rest[count..],
                Err(error) if error.kind() == ErrorKind::WouldBlock => self.wait(PollFlags::IN, until)?,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Err(Lost::Ended),
            }
        }
        Ok(())
    }

    /// Waits until the stream is ready, for a short time.
    fn wait(&mut self, flags: PollFlags, until: &Until) -> Result<(), Lost> {
        let pause = Timespec { tv_sec: 0, tv_nsec: PAUSE.subsec_nanos().into() };
        let mut fds = [PollFd::from_borrowed_fd(self.stream.as_fd(), flags)];
        // An interrupted wait is a short one.
        let _ = poll(&mut fds, Some(&pause));
        if until.cancel.is_cancelled() {
            let pid = self.pid();
            let since = *self.cancelled.get_or_insert_with(|| {
                let _ = pid.map(|pid| kill_process(pid, CANCEL));
                Instant::now()
            });
            if since.elapsed() >= PATIENCE {
                return Err(Lost::Cancelled);
            }
        }
        match until.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(Lost::OutOfTime),
            _ => Ok(()),
        }
    }

    fn pid(&self) -> Option<Pid> {
        i32::try_from(self.child.id()).ok().and_then(Pid::from_raw)
    }

    /// The file and line that it was last at.
    pub fn place(&self) -> Option<(String, u32)> {
        self.notes.place()
    }

    /// Ends it, and returns how it died, as the end of a sentence.
    pub fn end(&mut self) -> String {
        // One that closed the connection but still runs broke the rules; its own end comes first.
        let until = Instant::now() + PATIENCE;
        let status = loop {
            match self.child.try_wait() {
                Ok(None) if Instant::now() < until => std::thread::sleep(Duration::from_millis(1)),
                Ok(None) => {
                    let _ = self.child.kill();
                    break self.child.wait().ok();
                }
                Ok(status) => break status,
                Err(_) => break None,
            }
        };
        let words = self.notes.words();
        if words.contains("overflowed its stack") {
            return "overflowed its stack".into();
        }
        if words.contains("memory allocation of") {
            return "ran out of memory".into();
        }
        match status.and_then(|status| status.signal()) {
            Some(signal) => {
                let name = signal_hook::low_level::signal_name(signal).map(str::to_owned);
                format!("was killed by {}", name.unwrap_or_else(|| format!("signal {signal}")))
            }
            None => "ended without an answer".into(),
        }
    }
}
