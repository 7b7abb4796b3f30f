//! The face's end of a connection to an applier: start or attach, drive, leave.

use std::io::{self, BufReader, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use super::order::ApplierRequest;
use super::peer::Peer;
use super::serve::{COMMAND, near};
use super::wire::{
    ApplierMessage, ApplierStatus, FaceMessage, Guest, ORDER_CAP, Refused, VERSION, read_message, write_message,
};
use crate::deploy::{Holder, OnConflict, StateError, StateFolder};
use crate::engine::message::{Event, Request};
use crate::graph::Graph;
use crate::session::attach::undo::Planned;
use crate::session::history::Ready;
use crate::session::{ApplyError, Cancel, Disconnected, Stepper, state_path};

/// The time limit of an answer. An applier answers at once unless it is stopped.
const PATIENCE: Duration = Duration::from_secs(5);

/// How often to check for cancellation.
const PAUSE: Duration = Duration::from_millis(50);

/// The sending end of a connection to an applier. Dropping it ends the run after the current turns, and waits for that.
pub(in crate::session) struct Link {
    out: Mutex<Option<Box<dyn Write + Send>>>,
    received: Arc<Received>,
    reader: Option<JoinHandle<()>>,
    /// The process, if this face started it.
    child: Option<Child>,
    /// The connection to an existing applier, to close it.
    stream: Option<UnixStream>,
    /// It runs as root for another user.
    is_root: bool,
}

impl std::fmt::Debug for Link {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Link").finish_non_exhaustive()
    }
}

/// The messages of the applier other than events.
#[derive(Default)]
struct Received {
    state: Mutex<ReceivedState>,
    moved: Condvar,
}

#[derive(Default)]
struct ReceivedState {
    result: Option<Option<Graph>>,
    disconnected: Option<Disconnected>,
    /// This face has left.
    is_left: bool,
}

impl Received {
    fn state(&self) -> MutexGuard<'_, ReceivedState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, note: impl FnOnce(&mut ReceivedState)) {
        note(&mut self.state());
        self.moved.notify_all();
    }
}

impl Link {
    /// Starts a reader thread: it sends events to one receiver and earlier messages to the other.
    pub(super) fn new(
        out: impl Write + Send + 'static,
        input: impl Read + Send + 'static,
    ) -> (Link, Receiver<ApplierMessage>, Receiver<Event>) {
        let ((first, firsts), (events, receiver)) = (channel(), channel());
        let received = Arc::<Received>::default();
        let noted = Arc::clone(&received);
        let reader = std::thread::spawn(move || read(input, &first, &events, &noted));
        let out = Mutex::new(Some(Box::new(out) as Box<dyn Write + Send>));
        (Link { out, received, reader: Some(reader), child: None, stream: None, is_root: false }, firsts, receiver)
    }

    /// Marks the connection as handed over to root.
    pub(super) fn is_handed_over(&mut self, stream: UnixStream) {
        (self.stream, self.is_root) = (Some(stream), true);
    }

    /// Whether root runs the applier.
    pub fn is_root(&self) -> bool {
        self.is_root
    }

    fn send_message(&self, message: &FaceMessage) {
        if let Some(out) = &mut *self.out.lock().unwrap_or_else(PoisonError::into_inner) {
            // The reading end notices an applier that has ended.
            let _ = write_message(out, message);
        }
    }

    /// Sends a request to the applier. `Quit` ends the run.
    pub fn send(&self, request: Request) {
        self.send_message(&match request {
            Request::Quit => FaceMessage::End,
            request => FaceMessage::Ask { request },
        });
    }

    /// Makes the applier stop at once.
    pub fn abort(&self) {
        self.send_message(&FaceMessage::Abort);
    }

    /// Answers the applier's question about a conflict.
    pub fn decide(&self, on_conflict: OnConflict) {
        self.send_message(&FaceMessage::Decide { on_conflict });
    }

    /// Asks for the graph with the final values of the resources.
    pub fn result(&self) -> Option<Graph> {
        self.send_message(&FaceMessage::Result);
        let waits =
            |state: &mut ReceivedState| state.result.is_none() && state.disconnected.is_none() && !state.is_left;
        let state =
            self.received.moved.wait_while(self.received.state(), waits).unwrap_or_else(PoisonError::into_inner);
        state.result.clone().flatten()
    }

    /// Returns why the connection has ended; `None` while it is open.
    pub fn disconnected(&self) -> Option<Disconnected> {
        let state = self.received.state();
        // A hanging applier does not notice that this face left.
        state.disconnected.or(state.is_left.then_some(Disconnected::Left))
    }

    /// Leaves while this value still exists: its events end.
    pub fn let_go(&self) {
        self.received.note(|state| state.is_left = true);
        self.hang_up();
    }

    /// Leaves the applier: it finishes the current turns and detaches.
    pub fn leave(mut self) {
        self.hang_up();
        // The next face waits for the applier.
        (self.reader, self.child) = (None, None);
    }

    fn hang_up(&self) {
        self.out.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(stream) = &self.stream {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        if let Some(reader) = self.reader.take().filter(|_| self.disconnected() != Some(Disconnected::Left)) {
            self.send_message(&FaceMessage::End);
            // The thread has reported a panic already.
            let _ = reader.join();
        }
        self.hang_up();
        // An applier with another driver keeps running.
        if let (Some(mut child), Some(Disconnected::Ended | Disconnected::Lost)) =
            (self.child.take(), self.disconnected())
        {
            let _ = child.wait();
        }
    }
}

fn read(input: impl Read, first: &Sender<ApplierMessage>, events: &Sender<Event>, received: &Received) {
    let mut input = BufReader::new(input);
    let mut disconnected = Disconnected::Lost;
    while let Ok(Some(message)) = read_message(&mut input, ORDER_CAP) {
        match message {
            // The receiver may be gone. The end is still waited for.
            ApplierMessage::Event { event } => drop(events.send(event)),
            ApplierMessage::Result { graph } => received.note(|state| state.result = Some(graph)),
            ApplierMessage::Taken { by } => {
                disconnected = Disconnected::Taken(by);
                break;
            }
            ApplierMessage::Ended => {
                disconnected = Disconnected::Ended;
                break;
            }
            message => drop(first.send(message)),
        }
    }
    received.note(|state| {
        let was_cut = disconnected == Disconnected::Lost && state.is_left;
        state.disconnected = Some(if was_cut { Disconnected::Left } else { disconnected });
    });
}

/// What an applier began: a run, or an undo with its plan.
pub(in crate::session) struct Started {
    pub stepper: Stepper,
    pub events: Receiver<Event>,
    pub undo: Option<Planned>,
}

/// Starts an order in a separate process. `on_wait` receives the holder of the lock during a wait.
pub(in crate::session) fn start(
    program: &Path,
    asked: &ApplierRequest,
    cancel: &Cancel,
    on_wait: &mut dyn FnMut(&Holder),
) -> Result<Ready<Started>, ApplyError> {
    let failed = |error: io::Error| ApplyError::Applier(format!("it did not start: {error}"));
    let mut child = spawn(program).map_err(failed)?;
    let (Some(mut out), Some(input)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(failed(io::ErrorKind::BrokenPipe.into()));
    };
    write_message(&mut out, asked).map_err(failed)?;
    let (mut link, firsts, events) = Link::new(out, input);
    link.child = Some(child);
    greeted(link, &firsts, events, cancel, on_wait)
}

/// Waits until an order has begun or was refused.
pub(super) fn greeted(
    link: Link,
    firsts: &Receiver<ApplierMessage>,
    events: Receiver<Event>,
    cancel: &Cancel,
    on_wait: &mut dyn FnMut(&Holder),
) -> Result<Ready<Started>, ApplyError> {
    let mut waited = None;
    loop {
        match firsts.recv_timeout(PAUSE) {
            Ok(ApplierMessage::Waiting { holder }) => {
                on_wait(&holder);
                waited = Some(holder);
            }
            Ok(ApplierMessage::Begun { deploy, undo }) => {
                return Ok(Ready::Yes(Started { stepper: Stepper::of_link(link, deploy), events, undo }));
            }
            Ok(ApplierMessage::Refused { why }) => {
                return match why {
                    Refused::Conflict { found } => Ok(Ready::Conflict(found)),
                    Refused::Altered { modules } => Err(ApplyError::Altered(modules)),
                    Refused::Held { holder } => Err(ApplyError::Held(holder)),
                    Refused::Unfinished { deploy } => Err(ApplyError::Unfinished(deploy)),
                    Refused::AlreadyEnded { deploy } => Err(ApplyError::AlreadyEnded(deploy)),
                    Refused::Other { words } => Err(ApplyError::Applier(words)),
                };
            }
            Err(RecvTimeoutError::Timeout) if cancel.is_cancelled() => {
                link.leave();
                return Err(waited.map_or_else(|| ApplyError::Applier("cancelled".into()), ApplyError::Held));
            }
            Err(RecvTimeoutError::Timeout) => {}
            Ok(_) | Err(RecvTimeoutError::Disconnected) => {
                return Err(ApplyError::Applier("it exited before the start".into()));
            }
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "it is this program again, which manages the machine for us")]
fn spawn(program: &Path) -> io::Result<Child> {
    let mut applier = std::process::Command::new(program);
    applier.arg(COMMAND).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    applier.spawn()
}

/// Why attaching to an applier failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AttachError {
    #[error("no apply is running")]
    NotRunning,
    #[error("process {0} is already attached")]
    Busy(u32),
    #[error("cannot connect to the apply process: {0}")]
    Failed(String),
    #[error(transparent)]
    State(#[from] StateError),
}

/// An applier that this face attached to.
#[derive(Debug)]
pub struct Attached {
    pub status: ApplierStatus,
    pub graph: Arc<Graph>,
    /// The plan of an undo.
    pub undo: Option<Planned>,
    pub stepper: Stepper,
    /// Begins with all events so far.
    pub events: Receiver<Event>,
}

/// Returns the status of the applier that uses this state folder.
pub fn look_in(state: Option<&PathBuf>) -> Result<ApplierStatus, AttachError> {
    match come(state, Guest::Looker)? {
        (_, ApplierMessage::Status { status }, _) => Ok(status),
        (_, answer, _) => Err(turned_away(answer)),
    }
}

/// Drives an applier from now on, as [`Guest::Driver`] or [`Guest::Taker`].
pub fn attach(state: Option<&PathBuf>, guest: Guest) -> Result<Attached, AttachError> {
    match come(state, guest)? {
        (link, ApplierMessage::Welcome { status, graph, undo }, events) => {
            let stepper = Stepper::of_link(link, status.deploy);
            Ok(Attached { graph: Arc::new(graph), undo, stepper, events, status })
        }
        (link, answer, _) => {
            link.leave();
            Err(turned_away(answer))
        }
    }
}

fn turned_away(answer: ApplierMessage) -> AttachError {
    match answer {
        ApplierMessage::Busy { driver } => AttachError::Busy(driver),
        ApplierMessage::Refused { why: Refused::Other { words } } => AttachError::Failed(words),
        _ => AttachError::Failed("unexpected reply".into()),
    }
}

/// Connects, and reads the first answer.
fn come(state: Option<&PathBuf>, guest: Guest) -> Result<(Link, ApplierMessage, Receiver<Event>), AttachError> {
    let socket = StateFolder::at(&state_path(state)?).socket();
    let failed = |error: io::Error| match error.kind() {
        // A killed applier left the socket.
        io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused => AttachError::NotRunning,
        _ => AttachError::Failed(error.to_string()),
    };
    let (_folder, near) = near(&socket).map_err(failed)?;
    let mut stream = UnixStream::connect(near).map_err(failed)?;
    if !Peer::of(&stream).map_err(failed)?.is_one_of_us() {
        return Err(AttachError::Failed("the socket belongs to another user".into()));
    }
    write_message(&mut stream, &FaceMessage::Hello { version: VERSION, guest }).map_err(failed)?;
    let copies = stream.try_clone().and_then(|out| Ok((out, stream.try_clone()?)));
    let (out, input) = copies.map_err(failed)?;
    let (mut link, firsts, events) = Link::new(out, input);
    link.stream = Some(stream);
    match firsts.recv_timeout(PATIENCE) {
        Ok(answer) => Ok((link, answer, events)),
        Err(why) => {
            link.leave();
            Err(AttachError::Failed(match why {
                RecvTimeoutError::Timeout => "no answer".into(),
                RecvTimeoutError::Disconnected => "connection closed".into(),
            }))
        }
    }
}
