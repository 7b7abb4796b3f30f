//! A worker: one contained process that runs the foreign code of a program, with limits. It reads a line of JSON for
//! each request and prints a line of JSON for each answer.

use std::fs::File;
use std::io::{BufRead, BufReader, Read as _, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use super::interpreter::{Guest, InstalledInterpreter};
use super::place::{self, Loads};
use crate::world::{Bounds, Cancel, ReadError, contained};

/// The limits of one request. A busy machine runs a worker slowly, so that time counts only while it could run and does
/// not want to.
#[derive(Clone, Copy)]
pub struct Patience {
    processor: Duration,
    /// Asleep without using the processor.
    asleep: Duration,
    /// In all, for one that waits for a disk that never answers.
    in_all: Duration,
}

/// The limits of one call.
pub const FOR_CALL: Patience =
    Patience { processor: Duration::from_secs(10), asleep: Duration::from_secs(10), in_all: Duration::from_secs(300) };

/// The time of a look-up without an answer.
pub const LATE: Duration = Duration::from_secs(8);

/// The limits of one look-up of a name.
pub const FOR_NAME: Patience = Patience { processor: LATE, asleep: LATE, in_all: Duration::from_secs(30) };

/// The limits of starting the worker, and of loading all modules and the packages that they import.
const FOR_START: Patience =
    Patience { processor: Duration::from_secs(20), asleep: Duration::from_secs(10), in_all: Duration::from_secs(900) };

/// How often that is checked.
const PAUSE: Duration = Duration::from_millis(100);

/// A worker that must end has this much time to write its place; a busy machine is slow to let it.
const LAST_WORDS: Duration = Duration::from_secs(3);

/// The memory limit of the worker: 1 GiB.
const MEMORY: u64 = 1 << 30;

/// The limit on the worker's total processor time, in seconds.
const PROCESSOR_TOTAL: u64 = 600;

/// The size limit of an answer: 16 MiB.
pub const LONGEST: u64 = 16 << 20;

/// The size limit of the worker's temporary folder: 256 MiB.
const FOLDER: u64 = 256 << 20;

/// Variables of the environment that the system's look-up of names reads. The first one is a file.
const VARIABLES: [&str; 3] = ["HOSTALIASES", "LOCALDOMAIN", "RES_OPTIONS"];

/// The files that it reads.
const NAMES: [&str; 8] = [
    "/etc/gai.conf",
    "/etc/host.conf",
    "/etc/hosts",
    "/etc/networks",
    "/etc/nsswitch.conf",
    "/etc/protocols",
    "/etc/resolv.conf",
    "/etc/services",
];

/// How the names of the folders of plugins begin; the number of the process follows.
const PREFIX: &str = "workbench-plugins-";

/// The age of a folder that nobody uses.
const LEFT_FOR: Duration = Duration::from_secs(PROCESSOR_TOTAL);

/// Removes the folders that killed processes of this user left.
fn remove_left_folders() {
    let Ok(entries) = std::fs::read_dir(std::env::temp_dir()) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let number = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.split('-').next()?.parse::<u32>().ok());
        if number.is_none_or(|number| Path::new("/proc").join(number.to_string()).exists()) {
            continue;
        }
        let Ok(meta) = entry.metadata() else { continue };
        // A process of another container is not visible here; a new folder may be its.
        let is_old = meta.modified().is_ok_and(|at| at.elapsed().is_ok_and(|age| age > LEFT_FOR));
        if is_old && meta.is_dir() && meta.uid() == rustix::process::geteuid().as_raw() {
            // Another process may remove it at the same time.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// A running worker.
#[derive(Debug)]
pub struct Worker {
    guest: &'static Guest,
    pub modules: Arc<str>,
    pub loads: Loads,
    /// Its first answer, such as the declarations of the modules.
    pub described: String,
    child: Child,
    requests: mpsc::Sender<Arc<str>>,
    answers: mpsc::Receiver<Result<String, &'static str>>,
    /// Its standard error: see [`place`].
    notes: File,
    /// Where the notes of calls begin.
    begin: u64,
    /// Where it was when it was ended.
    pub at: Option<(String, u32)>,
    /// The files for the look-up of names, when it started. It can read these and no replaced ones.
    names: Vec<Option<(u64, u64)>>,
    /// The only folder that it can write.
    folder: tempfile::TempDir,
}

impl Worker {
    /// Starts a worker, which has loaded nothing yet.
    pub fn start(guest: &'static Guest, found: &InstalledInterpreter, modules: &Arc<str>) -> Result<Self, ReadError> {
        let failed = |reason: &str| guest.failed(reason);
        let cannot = |error: std::io::Error| failed(&error.to_string());
        let loads = Loads::of(modules);
        let names = if guest.has_network { files_for_names() } else { Vec::new() };
        remove_left_folders();
        let prefix = format!("{PREFIX}{}-", std::process::id());
        let folder = tempfile::Builder::new().prefix(&prefix).tempdir().map_err(cannot)?;
        let notes = File::from(
            rustix::fs::memfd_create("workbench-plugins", rustix::fs::MemfdFlags::CLOEXEC)
                .map_err(|errno| cannot(errno.into()))?,
        );
        let variables = VARIABLES.iter().filter_map(|name| Some((*name, std::env::var_os(name)?)));
        let variables: Vec<_> = variables.filter(|_| guest.has_network).collect();
        let mut read: Vec<PathBuf> = found.folders.iter().cloned().chain(found.files()).collect();
        if guest.has_network {
            let aliases = variables.iter().filter(|(name, _)| *name == VARIABLES[0]).map(|(_, file)| file.into());
            read.extend(NAMES.iter().map(PathBuf::from).chain(aliases));
        } else {
            read.extend(loads.folders());
        }
        let bounds = Bounds {
            read,
            write: folder.path().into(),
            memory: MEMORY,
            processor: PROCESSOR_TOTAL,
            has_network: guest.has_network,
        };
        let mut command = contained(&found.program, &bounds).ok_or_else(|| failed("cannot be contained"))?;
        command.envs(variables);
        command.args(guest.arguments).arg(guest.program).arg(LONGEST.to_string());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(notes.try_clone().map_err(cannot)?);
        let (started, starts) = mpsc::channel();
        let (answered, answers) = mpsc::channel();
        // The worker ends with the thread that started it, which reads its answers to the end.
        thread::spawn(move || match command.spawn() {
            Ok(mut child) => {
                let (input, output) = (child.stdin.take(), child.stdout.take());
                if started.send(Ok((child, input))).is_ok()
                    && let Some(output) = output
                {
                    read_answers(output, &answered);
                }
            }
            Err(error) => drop(started.send(Err(error))),
        });
        let started = starts.recv().map_err(|_| failed("did not start"))?;
        let (child, input) = started.map_err(cannot)?;
        let (requests, asked) = mpsc::channel();
        if let Some(input) = input {
            // The thread ends with the worker, or when the receiver is dropped.
            thread::spawn(move || write_requests(input, &asked));
        }
        let (modules, described) = (Arc::clone(modules), String::new());
        Ok(Self {
            guest,
            modules,
            loads,
            described,
            child,
            requests,
            answers,
            notes,
            begin: 0,
            at: None,
            names,
            folder,
        })
    }

    /// Lets the worker load its modules, which gives its first answer.
    pub fn load(&mut self) -> Result<(), String> {
        self.described = self.ask(&self.modules.clone(), FOR_START)?;
        self.begin = place::len(&self.notes);
        Ok(())
    }

    /// Waits for an answer. The worker is of no use after an error.
    pub fn ask(&mut self, request: &Arc<str>, patience: Patience) -> Result<String, String> {
        if self.requests.send(request.clone()).is_err() {
            return Err(self.gone());
        }
        let begin = Instant::now();
        let mut last = Moment::of(self.child.id());
        let (used, mut asleep, mut before) = (last.processor, Duration::ZERO, begin);
        loop {
            let answer = self.answers.recv_timeout(PAUSE);
            let (now, at) = (Moment::of(self.child.id()), Instant::now());
            if now.is_asleep {
                // A longer time is one in which this process itself could not run.
                let passed = at.duration_since(before).min(PAUSE * 2);
                asleep += passed.saturating_sub(now.processor.saturating_sub(last.processor));
            }
            (last, before) = (now, at);
            let why = match answer {
                Ok(answer) => return answer.map_err(str::to_owned),
                Err(mpsc::RecvTimeoutError::Disconnected) => return Err(self.gone()),
                Err(_) if Cancel::ends_reads() => {
                    let _ = self.child.kill();
                    return Err("ended because the compilation was stopped".into());
                }
                Err(_) if asleep >= patience.asleep => {
                    format!("ended after {} s of waiting without an answer", patience.asleep.as_secs())
                }
                Err(_) if last.processor.saturating_sub(used) >= patience.processor => {
                    format!("ended after {} s of processor time without an answer", patience.processor.as_secs())
                }
                Err(_) if begin.elapsed() >= patience.in_all => {
                    format!("ended after {} s without an answer", patience.in_all.as_secs())
                }
                Err(_) if size_of(self.folder.path()) > FOLDER => {
                    format!("ended because it wrote more than {} MiB to its temporary folder", FOLDER >> 20)
                }
                Err(_) => continue,
            };
            self.stop();
            return Err(why);
        }
    }

    /// Whether it can no longer read the files for the look-up of names.
    pub fn is_outdated(&self) -> bool {
        self.guest.has_network && self.names != files_for_names()
    }

    /// Asks the worker for its place, and ends it.
    fn stop(&mut self) {
        if self.guest.has_network {
            // It runs no code of modules.
            let _ = self.child.kill();
            return;
        }
        let pid = i32::try_from(self.child.id()).ok().and_then(rustix::process::Pid::from_raw);
        let before = place::len(&self.notes);
        let _ = pid.map(|pid| rustix::process::kill_process(pid, rustix::process::Signal::USR1));
        let until = Instant::now() + LAST_WORDS;
        while place::len(&self.notes) == before && Instant::now() < until {
            thread::sleep(Duration::from_millis(5));
        }
        // The rest of the note.
        thread::sleep(Duration::from_millis(5));
        self.at = place::read(&self.notes, self.begin, &self.loads);
        let _ = self.child.kill();
    }

    /// The reason, if it ended without a request.
    fn gone(&mut self) -> String {
        self.at = place::read(&self.notes, self.begin, &self.loads);
        self.guest.ended.into()
    }
}

/// The files for the look-up of names, each by its number. A file that is replaced has another one.
fn files_for_names() -> Vec<Option<(u64, u64)>> {
    NAMES.iter().map(|file| std::fs::metadata(file).ok().map(|about| (about.dev(), about.ino()))).collect()
}

/// What a process does at one moment.
struct Moment {
    /// The processor time that it has used.
    processor: Duration,
    /// Whether it waits for something, and not only for its turn.
    is_asleep: bool,
}

impl Moment {
    fn of(id: u32) -> Self {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        let fields = stat.rsplit(") ").next().unwrap_or_default();
        // The kernel counts in hundredths of a second.
        let used = fields.split(' ').skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum::<u64>();
        Moment { processor: Duration::from_millis(used * 10), is_asleep: !fields.starts_with(['R', 'D']) }
    }
}

/// The size of the files in a folder.
fn size_of(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| Some((entry.metadata().ok()?, entry.path())))
        .map(|(about, path)| if about.is_dir() { size_of(&path) } else { about.len() })
        .sum()
}

/// Passes on each request as a line.
fn write_requests(mut input: ChildStdin, asked: &mpsc::Receiver<Arc<str>>) {
    while let Ok(request) = asked.recv() {
        let written = input.write_all(request.as_bytes()).and_then(|()| input.write_all(b"\n"));
        if written.and_then(|()| input.flush()).is_err() {
            break;
        }
    }
}

/// Passes on each line that the worker prints.
fn read_answers(output: ChildStdout, answered: &mpsc::Sender<Result<String, &'static str>>) {
    let mut output = BufReader::new(output);
    loop {
        let mut line = Vec::new();
        // One byte more than an answer and its line break.
        match output.by_ref().take(LONGEST + 2).read_until(b'\n', &mut line) {
            Ok(1..) if line.ends_with(b"\n") => {
                line.pop();
                let answer = String::from_utf8(line).map_err(|_| "the worker answered with bytes that are no text");
                if answered.send(answer).is_err() {
                    return;
                }
            }
            Ok(1..) if line.len() as u64 > LONGEST => {
                let _ = answered.send(Err("the worker's answer is too long"));
                return;
            }
            _ => return,
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It may have ended already. It has no descendants.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
