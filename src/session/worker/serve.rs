//! The worker's end: take one job, read through the parent, answer, end.

use std::io::{self, Read, Write};
use std::mem::ManuallyDrop;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::pread;
use rustix::process::Signal;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Confinement;
use super::confine::{confine, limit_memory, limit_time};
use super::notes::Spot;
use super::wire::{
    Answered, CAP, ForNode, From, FromWorker, Job, SentGraph, SentOptions, State, Task, Text, Texts, ToFollower,
    decode, encode,
};
use super::workplace::{NOTHING, no_options};
use crate::diag::{Diagnostics, Stage};
use crate::graph::{Draft, Graph};
use crate::lang::{CompileOptions, Following, Outcome, RunLimits, language, languages};
use crate::module::EntryPoint;
use crate::session::job;
use crate::source::Sources;
use crate::world::{Cancel, Frozen, Read as Asked, ReadError, Sample, World};

/// The argument that starts this program as a worker.
pub const COMMAND: &str = "worker";

/// The variable with the MiB of memory to make ready before a job.
pub(super) const HEAP: &str = "WORKBENCH_WORKER_HEAP";

/// The signal that cancels a job.
pub(super) const CANCEL: Signal = Signal::USR1;

/// Serves one job on standard input. Returns whether the parent was there to the end.
pub fn serve() -> bool {
    try_serve().is_ok()
}

fn try_serve() -> io::Result<()> {
    let stream = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    let cancel = Cancel::default();
    signal_hook::flag::register(CANCEL.as_raw(), cancel.flag())?;
    let watched = stream.try_clone()?;
    std::thread::Builder::new().spawn(move || end_with(&watched))?;
    // The first expression reads the number of processors from a file, for all others.
    let _ = regex::Regex::new("");
    let confinement = confine();
    warm_up(&stream);
    let parent = Arc::new(Parent { stream: Mutex::new(stream), spot: Arc::default(), texts: Mutex::default() });
    let job: Job = parent.receive()?;
    limit_memory(job.options.limits());
    // A followed program may run for days, and there may be thousands of nodes; the parent limits the time of each.
    if !matches!(job.task, Task::Follow { .. } | Task::Nodes) {
        limit_time(job.options.limits());
    }
    let spot = Arc::clone(&parent.spot);
    std::thread::Builder::new().spawn(move || spot.keep_flushing())?;
    parent.spot.works(true);
    let worked = job::run(|| {
        if let Some(answer) = work(job, &cancel, &parent, confinement) {
            let sent = parent.answer(answer);
            // Nobody waits for the memory to be freed, and for this thread to end.
            signal_hook::low_level::exit(sent.is_err().into())
        }
    });
    match worked {
        Ok(()) => Ok(()),
        Err(bug) => parent.answer(FromWorker::Panicked { message: bug.message, place: bug.place }).map(drop),
    }
}

/// A worker that has no job after this time is a spare one.
const SPARE: Duration = Duration::from_millis(10);

/// Compiles a small program of each language while there is no job, so that the job finds code and tables in memory. Then
/// makes memory ready.
fn warm_up(stream: &UnixStream) {
    let mut wait = SPARE;
    for language in languages() {
        if has_job(stream, wait) {
            return;
        }
        let code = Some(("<sample>".to_owned(), language.sample().into()));
        let entry = EntryPoint { language: language.name(), code, base: "/".into(), ..EntryPoint::default() };
        let options = CompileOptions { run: RunLimits::until(Stage::Compile), ..no_options() };
        let _ = job::run(|| drop(language.compile(&NOTHING, &entry, &options)));
        wait = Duration::ZERO;
    }
    make_memory_ready(stream);
}

/// Whether a job comes within this time.
fn has_job(stream: &UnixStream, wait: Duration) -> bool {
    let pause = Timespec { tv_sec: 0, tv_nsec: wait.subsec_nanos().into() };
    !matches!(poll(&mut [PollFd::new(stream, PollFlags::IN)], Some(&pause)), Ok(0))
}

/// Writes to as much memory as the last job needed, and frees it. The system supplies memory at the first write, which takes
/// a third of the time of a large compilation; the allocator holds the freed memory for the job (see
/// [`Process::start`](super::process::Process::start)).
#[allow(clippy::disallowed_methods, reason = "the parent sets it for this process")]
fn make_memory_ready(stream: &UnixStream) {
    let count: usize = std::env::var(HEAP).ok().and_then(|count| count.parse().ok()).unwrap_or_default();
    let mut blocks = Vec::new();
    while blocks.len() < count && !has_job(stream, Duration::ZERO) {
        blocks.push(std::hint::black_box(vec![1_u8; 1 << 20]));
    }
}

/// Ends this process when the parent is gone.
fn end_with(stream: &UnixStream) {
    let mut fds = [PollFd::from_borrowed_fd(stream.as_fd(), PollFlags::empty())];
    while !fds[0].revents().intersects(PollFlags::HUP | PollFlags::ERR) {
        let _ = poll(&mut fds, None);
    }
    signal_hook::low_level::exit(0)
}

/// Does a job. `None` if it was answered already.
fn work(job: Job, cancel: &Cancel, parent: &Arc<Parent>, confinement: Confinement) -> Option<FromWorker> {
    let Job { entry, options, task } = job;
    if matches!(task, Task::Nodes) {
        compile_nodes(&entry, &options, cancel, parent);
        return None;
    }
    // Only these have one graph, at their end.
    let draft = if matches!(task, Task::Compile) { parent.draft() } else { Draft::default() };
    let options = options.received(cancel.clone(), draft.clone());
    let language = language(entry.language);
    // Each read is asked once. The samples are not freed before the answer is sent.
    let world = ManuallyDrop::new(Frozen::new(Remote { parent, from: From::World }));
    Some(match task {
        Task::Compile => {
            let mut compiled = language.compile(&*world, &entry, &options);
            match draft.rest(&compiled.graph) {
                Some(rest) => {
                    let _ = ManuallyDrop::new(std::mem::take(&mut compiled.graph));
                    FromWorker::Drafted { rest, compiled }
                }
                None => FromWorker::Compiled(compiled),
            }
        }
        Task::Check(own) => FromWorker::Checked(Box::new(language.check(&*world, &entry, &options, &own))),
        Task::Artifact(what) => FromWorker::Output(language.artifact(&*world, &entry, &options, &what)),
        Task::Here { file, place } => {
            FromWorker::Here(language.here(&*world, &entry, &options, file.as_deref(), place))
        }
        Task::Explain(id) => {
            FromWorker::Explained(language.explain(&*world, &entry, &options, &id).unwrap_or_default())
        }
        Task::Follow { now } => {
            // A program keeps its own inputs, and its caller decides which reads stay the same.
            let (files, world) = (Remote { parent, from: From::Files }, Remote { parent, from: From::World });
            let mut work = |program: &mut dyn Following, first: Outcome| follow(program, first, parent);
            match language.follow(&files, &world, &entry, &options, now, &mut work) {
                Ok(()) => return None,
                Err(compiled) => FromWorker::Compiled(*compiled),
            }
        }
        Task::PlanImport(wanted) => {
            FromWorker::Planned(language.plan_import(&*world, &entry, &wanted).map_err(|report| *report))
        }
        Task::Scan => {
            while let Ok(Text { name, path, text }) = parent.receive() {
                let mut sources = Sources::default();
                let file = sources.add(name, path, text);
                let imports = language.layout().imports(file, &sources, &mut Diagnostics::new(Stage::Parse));
                if parent.answer(FromWorker::Imports(imports)).is_err() {
                    break;
                }
            }
            return None;
        }
        Task::Confinement => FromWorker::Confined(confinement),
        Task::Nodes => return None,
    })
}

/// Compiles for one node after another, until the parent ends. What is no input of a single node is read once.
fn compile_nodes(entry: &EntryPoint, options: &SentOptions, cancel: &Cancel, parent: &Parent) {
    let remote = || Remote { parent, from: From::World };
    let shared = Frozen::new(remote());
    let language = language(entry.language);
    let mut parsed = None;
    while let Ok(node) = parent.receive::<ForNode>() {
        let options = options.for_node(node, cancel.clone());
        let own = options.choices.facts().map(Path::to_path_buf);
        let world = OfNode { shared: &shared, own: Frozen::new(remote()), facts: own };
        parent.spot.works(true);
        let answer = match job::run(|| language.compile_node(&world, entry, &options, &mut parsed)) {
            Ok(mut compiled) => {
                // Thousands of nodes have the same texts and messages.
                if !compiled.diagnostics.has_errors() {
                    compiled.sources = Sources::default();
                    compiled.diagnostics = Diagnostics::new(Stage::Eval);
                }
                compiled.log = Vec::new();
                FromWorker::Compiled(compiled)
            }
            Err(bug) => FromWorker::Panicked { message: bug.message, place: bug.place },
        };
        parent.spot.works(false);
        if parent.answer(answer).is_err() {
            return;
        }
    }
}

/// The machine as a node sees it: the files of the program are the same for all nodes.
struct OfNode<'w> {
    shared: &'w Frozen<Remote<'w>>,
    own: Frozen<Remote<'w>>,
    facts: Option<PathBuf>,
}

impl World for OfNode<'_> {
    fn read(&self, what: &Asked) -> Result<Sample, ReadError> {
        match what {
            Asked::File(path) if Some(path) == self.facts.as_ref() => self.own.read(what),
            Asked::File(_) | Asked::Kind(_) | Asked::Folder(_) | Asked::Link(_) => self.shared.read(what),
            other => self.own.read(other),
        }
    }

    fn note(&self, file: &str, line: u32) {
        self.own.note(file, line);
    }
}

/// Processes events until the parent ends.
fn follow(program: &mut dyn Following, first: Outcome, parent: &Parent) {
    let (mut outcome, mut is_first) = (first, true);
    let (mut graph, mut sources, mut inputs) = (Graph::default(), Sources::default(), Vec::new());
    loop {
        let sent = (is_first || outcome.is_new()).then(|| match program.graph().changed_since(&graph) {
            Some(changed) if !is_first => SentGraph::Changed(changed),
            _ => SentGraph::Whole(program.graph().clone()),
        });
        let now = program.inputs();
        let state = State {
            outcome,
            graph: sent,
            sources: (is_first || !program.sources().shares(&sources)).then(|| program.sources().clone()),
            inputs: (is_first || now != inputs).then(|| now.clone()),
            wake: program.next_wake(),
        };
        graph = program.graph().clone();
        (sources, inputs, is_first) = (program.sources().clone(), now, false);
        if parent.answer(FromWorker::State(Box::new(state))).is_err() {
            return;
        }
        parent.spot.works(false);
        let Ok(event) = parent.receive::<ToFollower>() else { return };
        parent.spot.works(true);
        outcome = program.event(&event);
    }
}

/// The connection to the parent.
struct Parent {
    stream: Mutex<UnixStream>,
    spot: Arc<Spot>,
    texts: Mutex<Texts>,
}

impl Parent {
    /// Sends a graph while it is made.
    fn draft(self: &Arc<Self>) -> Draft {
        let parent = Arc::clone(self);
        Draft::new(move |part| parent.send(&FromWorker::Part(part)).is_ok())
    }

    /// Sends a message that may be too large or too deep, and returns it.
    fn answer(&self, answer: FromWorker) -> io::Result<FromWorker> {
        let answer = self.texts().shorten(answer);
        self.send(&answer).or_else(|error| self.send(&FromWorker::Unsendable { why: error.to_string() }))?;
        Ok(answer)
    }

    fn send(&self, message: &FromWorker) -> io::Result<()> {
        let frame = encode(message)?;
        self.stream.lock().unwrap_or_else(PoisonError::into_inner).write_all(&frame)
    }

    fn texts(&self) -> MutexGuard<'_, Texts> {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn receive<T: DeserializeOwned>(&self) -> io::Result<T> {
        receive(&mut self.stream.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Sends a message, and waits for the answer to it.
    fn ask<T: DeserializeOwned>(&self, message: &impl Serialize) -> io::Result<T> {
        let mut stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
        stream.write_all(&encode(message)?)?;
        receive(&mut stream)
    }

    /// The same for a single read. The next one replaces bytes that are aside.
    fn read(&self, message: &FromWorker) -> io::Result<Result<Sample, ReadError>> {
        let mut stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
        stream.write_all(&encode(message)?)?;
        match receive(&mut stream)? {
            Answered::Here(answer) => Ok(answer),
            Answered::Aside(len) => Ok(Ok(Sample::Bytes(read_aside(len)?))),
        }
    }
}

fn receive<T: DeserializeOwned>(stream: &mut UnixStream) -> io::Result<T> {
    let mut head = [0; 4];
    stream.read_exact(&mut head)?;
    let len = u32::from_le_bytes(head);
    if len > CAP {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut body = vec![0; len as usize];
    stream.read_exact(&mut body)?;
    decode(&body)
}

/// Reads the bytes of a large file, which the parent wrote aside.
fn read_aside(len: usize) -> io::Result<Arc<[u8]>> {
    let mut bytes: Arc<[u8]> = std::iter::repeat_n(0, len).collect();
    let mut done = 0;
    while done < len {
        let Some(rest) = Arc::get_mut(&mut bytes).and_then(|bytes| bytes.get_mut(done..)) else { break };
        match pread(io::stdout().as_fd(), rest, done as u64)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            count => done += count,
        }
    }
    Ok(bytes)
}

/// The machine, as the parent lets it be seen.
struct Remote<'p> {
    parent: &'p Parent,
    from: From,
}

impl World for Remote<'_> {
    fn read(&self, what: &Asked) -> Result<Sample, ReadError> {
        // A refusal names the place of the read.
        self.parent.spot.flush();
        let asked = FromWorker::Read { from: self.from, read: what.clone() };
        match self.parent.read(&asked) {
            Ok(answer) => {
                self.parent.texts().note(what, &answer);
                answer
            }
            // Without a parent, the job has no use.
            Err(_) => signal_hook::low_level::exit(1),
        }
    }

    fn read_all(&self, what: &[Asked]) -> Vec<Result<Sample, ReadError>> {
        self.parent.spot.flush();
        let asked = FromWorker::ReadAll { from: self.from, reads: what.to_vec() };
        match self.parent.ask::<Vec<_>>(&asked) {
            Ok(answers) => {
                let mut texts = self.parent.texts();
                what.iter().zip(&answers).for_each(|(read, answer)| texts.note(read, answer));
                answers
            }
            Err(_) => signal_hook::low_level::exit(1),
        }
    }

    fn note(&self, file: &str, line: u32) {
        self.parent.spot.set(file, line);
    }
}
