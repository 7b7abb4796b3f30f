//! A program in a pseudo-terminal whose every output has its time.

use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

/// Far more than anything here takes.
const DEADLINE: Duration = Duration::from_secs(60);
/// After so long without output an answer is whole.
const QUIET: Duration = Duration::from_millis(40);

/// What a terminal with a dark ground answers to what programs ask it: the ground's colour (OSC 11), and what it is (DA1).
const ANSWERS: [(&[u8], &[u8]); 2] =
    [(b"\x1b]11;?", b"\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\"), (b"\x1b[c", b"\x1b[?62;22c")];

/// Whatever follows a key later has come by then.
const RESTED: Duration = Duration::from_millis(150);

/// Bytes, and when they came.
type Chunk = (Instant, Vec<u8>);

pub struct Terminal {
    master: Box<dyn MasterPty + Send>,
    input: Input,
    child: Box<dyn Child + Send + Sync>,
    output: Receiver<Chunk>,
    screen: vt100::Parser,
    /// A frame has begun that was told to end (mode 2026).
    is_amid_frame: bool,
    pub started: Instant,
}

type Input = Arc<Mutex<Box<dyn Write + Send>>>;

/// What came of a key or a new size.
#[derive(Clone, Copy, Debug)]
pub struct Answer {
    /// Until the first byte; `None` where nothing came.
    pub first: Option<Duration>,
    /// Until the last byte before all was quiet.
    pub last: Duration,
    pub bytes: usize,
}

/// What a process has used so far, of all its threads.
#[derive(Clone, Copy, Debug, Default)]
pub struct Used {
    /// Processor time in clock ticks of 10 ms.
    pub ticks: u64,
    /// How often a thread was woken.
    pub wakes: u64,
}

impl Terminal {
    /// Starts a program in a terminal that answers as most do.
    pub fn start(words: &[String], folder: &Path, env: &[(&str, &Path)], (width, height): (u16, u16)) -> Self {
        let pair = native_pty_system().openpty(size(width, height)).expect("a pseudo-terminal");
        let mut command = CommandBuilder::new(&words[0]);
        command.args(&words[1..]);
        command.cwd(folder);
        command.env("TERM", "xterm-256color");
        command.env("LC_ALL", "C.UTF-8");
        for (name, value) in env {
            command.env(name, value);
        }
        let started = Instant::now();
        let child = pair.slave.spawn_command(command).expect("the program starts");
        let (mut bytes, (feed, output)) = (pair.master.try_clone_reader().expect("a reader"), channel());
        let input: Input = Arc::new(Mutex::new(pair.master.take_writer().expect("a writer")));
        let say_to = Arc::clone(&input);
        thread::spawn(move || {
            let mut buffer = vec![0; 1 << 16];
            while let Ok(count @ 1..) = bytes.read(&mut buffer) {
                for (_, answer) in
                    ANSWERS.iter().filter(|(asked, _)| buffer[..count].windows(asked.len()).any(|it| it == *asked))
                {
                    // A program that has ended meanwhile reads nothing any more.
                    let _ = say(&say_to, answer);
                }
                if feed.send((Instant::now(), buffer[..count].to_vec())).is_err() {
                    break;
                }
            }
        });
        Self {
            master: pair.master,
            input,
            child,
            output,
            screen: vt100::Parser::new(cells(height), cells(width), 0),
            is_amid_frame: false,
            started,
        }
    }

    pub fn pid(&self) -> u32 {
        self.child.process_id().expect("it runs")
    }

    /// Waits until something holds of the screen; gives when the bytes came that made it so.
    pub fn until(&mut self, what: &str, holds: impl Fn(&str) -> bool) -> Instant {
        let begin = Instant::now();
        let mut seen = begin;
        while !holds(&self.screen.screen().contents()) {
            match self.output.recv_timeout(DEADLINE.saturating_sub(begin.elapsed())) {
                Ok((at, bytes)) => {
                    seen = at;
                    self.screen.process(&bytes);
                }
                Err(_) => panic!("waited in vain for {what}; the screen is\n{}", self.screen.screen().contents()),
            }
        }
        seen
    }

    pub fn until_shows(&mut self, words: &str) -> Instant {
        self.until(words, |screen| screen.contains(words))
    }

    /// Takes what still comes, until all is quiet.
    pub fn settle(&mut self) {
        while self.next(QUIET).is_some() {}
    }

    /// Lets the hand rest; gives the bytes that come meanwhile.
    pub fn rest(&mut self) -> usize {
        self.unasked(RESTED)
    }

    pub fn shows(&self, words: &str) -> bool {
        self.screen.screen().contents().contains(words)
    }

    fn next(&mut self, within: Duration) -> Option<(Instant, usize)> {
        match self.output.recv_timeout(within) {
            Ok((at, bytes)) => {
                self.screen.process(&bytes);
                let last = bytes.windows(8).rev().find(|window| window.starts_with(b"\x1b[?2026"));
                self.is_amid_frame = last.map_or(self.is_amid_frame, |mode| mode.ends_with(b"h"));
                Some((at, bytes.len()))
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => None,
        }
    }

    /// Types, without a look at what comes of it.
    pub fn write(&mut self, keys: &str) {
        say(&self.input, keys.as_bytes()).expect("the program reads");
    }

    /// Presses a key and reads all that comes of it.
    pub fn press(&mut self, key: &str) -> Answer {
        let begin = Instant::now();
        self.write(key);
        self.answer(begin)
    }

    /// Presses a key, as fast as keyboards repeat one, and waits for the first byte only; what a frame still owes is taken
    /// first, or it would pass for the answer.
    pub fn tap(&mut self, key: &str) -> Option<Duration> {
        const REPEAT: Duration = Duration::from_millis(33);
        let due = Instant::now() + REPEAT;
        while let Some(left) = due.checked_duration_since(Instant::now()) {
            self.next(left);
        }
        while self.next(if self.is_amid_frame { QUIET } else { Duration::ZERO }).is_some() {}
        let begin = Instant::now();
        self.write(key);
        self.next(Duration::from_secs(2)).map(|(at, _)| at - begin)
    }

    pub fn resize(&mut self, width: u16, height: u16) -> Answer {
        self.screen.screen_mut().set_size(cells(height), cells(width));
        let begin = Instant::now();
        self.master.resize(size(width, height)).expect("any size is allowed");
        self.answer(begin)
    }

    fn answer(&mut self, begin: Instant) -> Answer {
        let mut answer = Answer { first: None, last: Duration::ZERO, bytes: 0 };
        let mut patience = Duration::from_millis(500);
        while let Some((at, bytes)) = self.next(patience) {
            answer.first.get_or_insert(at - begin);
            answer.last = at - begin;
            answer.bytes += bytes;
            patience = QUIET;
        }
        answer
    }

    /// How many bytes come without a key.
    pub fn unasked(&mut self, within: Duration) -> usize {
        let begin = Instant::now();
        let mut bytes = 0;
        while let Some(left) = within.checked_sub(begin.elapsed()) {
            bytes += self.next(left).map_or(0, |(_, count)| count);
        }
        bytes
    }

    pub fn used(&self) -> Used {
        let mut used = Used::default();
        for task in std::fs::read_dir(format!("/proc/{}/task", self.pid())).expect("it runs").flatten() {
            let read = |name: &str| std::fs::read_to_string(task.path().join(name)).unwrap_or_default();
            used.wakes += field(&read("status"), "voluntary_ctxt_switches:");
            let stat = read("stat");
            // After the name, which may hold anything: state is field 3, utime 14, stime 15 (proc(5)).
            let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
            used.ticks += [11, 12].iter().filter_map(|at| fields.get(*at)?.parse::<u64>().ok()).sum::<u64>();
        }
        used
    }

    /// Resident memory in kB.
    pub fn resident(&self) -> u64 {
        field(&std::fs::read_to_string(format!("/proc/{}/status", self.pid())).expect("it runs"), "VmRSS:")
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn say(input: &Input, bytes: &[u8]) -> std::io::Result<()> {
    input.lock().expect("nobody panics with it").write_all(bytes)
}

fn field(text: &str, name: &str) -> u64 {
    let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
    line.split_whitespace().next().and_then(|number| number.parse().ok()).unwrap_or_default()
}

/// A screen of no cells is drawn by nobody.
fn cells(count: u16) -> NonZeroU16 {
    NonZeroU16::new(count).unwrap_or(NonZeroU16::MIN)
}

fn size(cols: u16, rows: u16) -> PtySize {
    PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }
}
