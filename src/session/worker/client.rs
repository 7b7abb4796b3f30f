//! Jobs for workers: a worker is started or waits already, its reads are answered, and its death is a diagnostic.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Serialize;

use super::process::{Lost, Process, Until};
use super::wire::{CAP, From, FromWorker, Job, SentOptions, Task, Texts};
use crate::diag::{Code, Diagnostic, Diagnostics, Stage};
use crate::graph::Drafted;
use crate::lang::{CompileOptions, Report};
use crate::module::{EntryPoint, load_text};
use crate::source::{Sources, Span};
use crate::world::{Cancel, Interpreter, MOST_NAMES, Read, ReadError, Sample, World};

/// Workers of one face.
#[derive(Debug, Default)]
pub struct Workers {
    /// A worker that waits for a job.
    spare: Mutex<Option<Process>>,
    /// Whether there is always a spare one.
    is_warm: AtomicBool,
    /// The MiB of memory that the next spare one makes ready: as much as the last compilation needed, if there was one.
    heap: Mutex<Option<usize>>,
}

/// The bytes of an answer for each MiB that its compilation took. It takes half of that; the allocator does not fill all
/// blocks.
const PER_MIB: usize = 16 << 10;

/// No waiting worker makes more MiB ready: as much as the allocator reserves at its start, apart from what is in use.
const MOST: usize = 56;

/// The machine as a job sees it.
pub struct Worlds<'w> {
    pub files: &'w dyn World,
    pub world: &'w dyn World,
}

impl<'w> Worlds<'w> {
    /// The same for the files of a program and all else.
    pub fn one(world: &'w dyn World) -> Self {
        Self { files: world, world }
    }

    /// Reads the program's first files, so that a watch of them notices a change, however early the worker died.
    fn note(&self, roots: &[PathBuf]) {
        for root in roots {
            let _ = self.files.read(&Read::File(root.clone()));
        }
    }
}

/// A worker with its job.
pub struct Working<'w> {
    process: Process,
    worlds: Worlds<'w>,
    cancel: Cancel,
    time: Option<Duration>,
    stage: Stage,
    /// The program's first files.
    roots: Vec<PathBuf>,
    /// The file that it read last.
    file: Option<PathBuf>,
    texts: Texts,
    drafted: Drafted,
    /// The look-ups of names of machines.
    names: BTreeSet<Arc<str>>,
}

impl Workers {
    /// Starts a worker before it is needed.
    pub fn start() -> Self {
        let workers = Self::default();
        workers.refill();
        workers
    }

    /// From now on, starts another worker whenever one has done a job, or has got a long one.
    pub fn keep_warm(&self) {
        self.is_warm.store(true, Ordering::Relaxed);
        self.refill();
    }

    fn refill(&self) {
        let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        if spare.is_none() {
            // The job that needs it reports a failure.
            let heap = *self.heap();
            *spare = Process::start(heap).ok();
        }
    }

    /// Notes how much memory a compilation took.
    pub fn note_size(&self, working: &Working) {
        let size = working.process.received + working.drafted.size;
        *self.heap() = Some((size / PER_MIB).min(MOST));
    }

    fn heap(&self) -> MutexGuard<'_, Option<usize>> {
        self.heap.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts another worker in the background, if one always waits.
    pub fn refill_later(self: &Arc<Self>) {
        if self.is_warm.load(Ordering::Relaxed) {
            let workers = Arc::clone(self);
            std::thread::spawn(move || workers.refill());
        }
    }

    /// Gives a job to a worker.
    pub fn begin<'w>(
        &self,
        worlds: Worlds<'w>,
        entry: &EntryPoint,
        options: &CompileOptions,
        task: Task,
    ) -> Result<Working<'w>, Box<Report>> {
        let is_long = matches!(task, Task::Follow { .. } | Task::Scan);
        let job = Job { entry: entry.clone(), options: SentOptions::of(options), task };
        let (cancel, time) = (options.run.cancel.clone(), options.run.limits.duration());
        let process = self.hand_over(&job, &Until::new(&cancel, time));
        // Starting a process takes as long as a small program, which is answered first.
        if is_long && self.is_warm.load(Ordering::Relaxed) {
            self.refill();
        }
        let roots: Vec<PathBuf> = entry.file.iter().chain(&entry.roots).cloned().collect();
        match process {
            Ok(process) => Ok(Working {
                process,
                worlds,
                cancel,
                time,
                stage: options.run.until,
                roots,
                file: None,
                texts: Texts::default(),
                drafted: Drafted::default(),
                names: BTreeSet::new(),
            }),
            Err(why) => {
                worlds.note(&roots);
                let help = if rustix::fs::readlink("/proc/self/exe", Vec::new()).is_ok() {
                    "free memory or processes on this machine, and try again"
                } else {
                    "mount `/proc`, through which workbench starts itself: `mount -t proc proc /proc`"
                };
                Err(Box::new(Report::of(
                    Diagnostic::placeless(Code::WorkerEnded)
                        .label(format!("cannot start the process that compiles: {why}"))
                        .help(help),
                )))
            }
        }
    }

    /// A spare worker may have died since it was started; a new one has not.
    fn hand_over(&self, job: &Job, until: &Until) -> Result<Process, String> {
        let spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(mut process) = spare
            && process.is_alive()
            && process.send(job, until).is_ok()
        {
            return Ok(process);
        }
        let mut process = Process::start(None).map_err(|error| error.to_string())?;
        match process.send(job, until) {
            Ok(()) | Err(Lost::Cancelled | Lost::OutOfTime) => Ok(process),
            Err(Lost::Ended) => Err(format!("it {}", process.end())),
        }
    }
}

impl Working<'_> {
    /// Answers reads until another message comes.
    pub fn answer(&mut self) -> Result<FromWorker, Box<Report>> {
        let mut until = Until::new(&self.cancel, self.time);
        loop {
            let message = self.process.receive(&until).map_err(|lost| self.report(&lost))?;
            match message {
                FromWorker::Read { from, read } => {
                    let reads = std::slice::from_ref(&read);
                    let answers = match &read {
                        // A worker of foreign code starts.
                        Read::Plugin(call) if call.request.is_empty() => until.apart(|| self.read(from, reads)),
                        _ => self.read(from, reads),
                    };
                    let answer = answers.into_iter().next().map(|answer| self.process.put_aside(answer));
                    self.process.send(&answer, &until).map_err(|lost| self.report(&lost))?;
                }
                FromWorker::ReadAll { from, reads } => {
                    let answers = self.read(from, &reads);
                    self.process.send(&answers, &until).map_err(|lost| self.report(&lost))?;
                }
                FromWorker::Panicked { message, place } => {
                    let bug = crate::session::job::Panicked { message, place };
                    let diagnostics = crate::session::panicked(&bug, self.stage);
                    return Err(Box::new(Report { sources: Sources::default(), diagnostics }));
                }
                FromWorker::Unsendable { why } => {
                    return Err(Box::new(
                        self.place_of(
                            Diagnostic::placeless(Code::WorkerEnded)
                                .label(format!("the result cannot be used: {why}"))
                                .help("declare fewer resources, or nest values less deeply"),
                        ),
                    ));
                }
                FromWorker::Part(part) => {
                    let is_part = self.drafted.add(&part).is_some() && self.drafted.size <= CAP as usize;
                    is_part.then_some(()).ok_or_else(|| self.report(&Lost::Ended))?;
                }
                message => {
                    let answer = self.texts.complete(message);
                    let FromWorker::Drafted { rest, mut compiled } = answer else { return Ok(answer) };
                    compiled.graph = self.drafted.complete(&rest).ok_or_else(|| self.report(&Lost::Ended))?;
                    return Ok(FromWorker::Compiled(compiled));
                }
            }
        }
    }

    /// Reads for the worker.
    fn read(&mut self, from: From, reads: &[Read]) -> Vec<Result<Sample, ReadError>> {
        let last = reads.iter().rev().find_map(|read| match read {
            Read::File(path) => Some(path),
            _ => None,
        });
        if let Some(path) = last {
            self.file = Some(path.clone());
        }
        if let Some((file, line)) = self.process.place() {
            self.worlds.world.note(&file, line);
        }
        self.names.extend(reads.iter().filter_map(|read| match read {
            Read::Plugin(call) if call.interpreter == Interpreter::Resolver => Some(Arc::clone(&call.request)),
            _ => None,
        }));
        if self.names.len() > MOST_NAMES {
            // A worker counts them too, and asks for no more: this one is compromised.
            return reads.iter().map(|_| Err(ReadError::NotAllowed("one more look-up".into()))).collect();
        }
        let answers = self.cancel.during(|| match from {
            From::Files => self.worlds.files.read_all(reads),
            From::World => self.worlds.world.read_all(reads),
        });
        reads.iter().zip(&answers).for_each(|(read, answer)| self.texts.note(read, answer));
        answers
    }

    /// Sends a message. `Err` if the worker has died since its last answer.
    pub fn send(&mut self, event: &impl Serialize) -> Result<(), ()> {
        self.process.send(event, &Until::new(&self.cancel, self.time)).map_err(|_| ())
    }

    /// Whether the worker has died since its last answer.
    pub fn is_dead(&mut self) -> bool {
        !self.process.is_alive()
    }

    /// Reports why there is no answer, at the last known place.
    fn report(&mut self, lost: &Lost) -> Box<Report> {
        self.worlds.note(&self.roots);
        let diagnostic = match lost {
            // A signal may come before the worker can note it.
            Lost::Ended if self.cancel.is_cancelled() => Diagnostic::placeless(Code::Cancelled).label("stopped here"),
            Lost::Cancelled => Diagnostic::placeless(Code::Cancelled).label("stopped here"),
            Lost::OutOfTime => {
                let seconds = self.time.unwrap_or_default().as_secs();
                Diagnostic::placeless(Code::OutOfTime)
                    .label(format!("compilation took more than {seconds} s"))
                    .help("simplify the program, or raise the limit: `--limit time=SECONDS`")
            }
            Lost::Ended => Diagnostic::placeless(Code::WorkerEnded)
                .label(format!("it {} here", self.process.end()))
                .help("simplify the program at this place; the next compilation starts a new process"),
        };
        Box::new(self.place_of(diagnostic))
    }

    /// Adds the worker's last place to a diagnostic.
    fn place_of(&self, mut diagnostic: Diagnostic) -> Report {
        let (mut sources, mut diagnostics) = (Sources::default(), Diagnostics::new(self.stage));
        let noted = self.process.place().map(|(file, line)| (PathBuf::from(file), line));
        // The noted place may be in a text of ours, which has no file.
        let files = self.file.iter().chain(&self.roots).map(|file| (file.clone(), 1));
        let found = noted.into_iter().chain(files).find_map(|(file, line)| {
            let mut ignored = Diagnostics::new(self.stage);
            Some((load_text(self.worlds.files, &file, None, &mut sources, &mut ignored)?, line))
        });
        if let Some((id, line)) = found {
            let range = sources.file(id).line_range(line.max(1));
            diagnostic.span = Some(Span::new(id, range.start, range.end));
        }
        diagnostics.push(diagnostic);
        Report { sources, diagnostics }
    }
}
