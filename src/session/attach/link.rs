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

use super::order::Asked;
use super::peer::Peer;
use super::serve::{COMMAND, near};
use super::wire::{Guest, ORDER_CAP, Refused, Say, Standing, Tell, VERSION, hear, say};
use crate::deploy::{Holder, OnConflict, StateError, StateFolder};
use crate::engine::message::{Event, Request};
use crate::graph::Graph;
use crate::session::history::Ready;
use crate::session::undo::Planned;
use crate::session::{ApplyError, Cancel, Parted, Stepper, state_path};

/// The time limit of an answer. An applier answers at once unless it is stopped.
const PATIENCE: Duration = Duration::from_secs(5);

/// How often to check for cancellation.
const PAUSE: Duration = Duration::from_millis(50);

/// The sending end of a connection to an applier. Dropping it ends the run after the current turns, and waits for that.
pub(in crate::session) struct Link {
    out: Mutex<Option<Box<dyn Write + Send>>>,
    heard: Arc<Heard>,
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
struct Heard {
    state: Mutex<HeardState>,
    moved: Condvar,
}

#[derive(Default)]
struct HeardState {
    result: Option<Option<Graph>>,
    parted: Option<Parted>,
    /// This face has left.
    is_left: bool,
}

impl Heard {
    fn state(&self) -> MutexGuard<'_, HeardState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, note: impl FnOnce(&mut HeardState)) {
        note(&mut self.state());
        self.moved.notify_all();
    }
}

impl Link {
    /// Starts a reader thread: it sends events to one receiver and earlier messages to the other.
    pub(super) fn new(
        out: impl Write + Send + 'static,
        input: impl Read + Send + 'static,
    ) -> (Link, Receiver<Tell>, Receiver<Event>) {
        let ((first, firsts), (events, told)) = (channel(), channel());
        let heard = Arc::<Heard>::default();
        let noted = Arc::clone(&heard);
        let reader = std::thread::spawn(move || read(input, &first, &events, &noted));
        let out = Mutex::new(Some(Box::new(out) as Box<dyn Write + Send>));
        (Link { out, heard, reader: Some(reader), child: None, stream: None, is_root: false }, firsts, told)
    }

    /// Marks the connection as handed over to root.
    pub(super) fn is_handed_over(&mut self, stream: UnixStream) {
        (self.stream, self.is_root) = (Some(stream), true);
    }

    pub fn is_root(&self) -> bool {
        self.is_root
    }

    fn say(&self, said: &Say) {
        if let Some(out) = &mut *self.out.lock().unwrap_or_else(PoisonError::into_inner) {
            // The reading end notices an applier that has ended.
            let _ = say(out, said);
        }
    }

    pub fn send(&self, request: Request) {
        self.say(&match request {
            Request::Quit => Say::End,
            request => Say::Ask { request },
        });
    }

    pub fn abort(&self) {
        self.say(&Say::Abort);
    }

    pub fn decide(&self, on_conflict: OnConflict) {
        self.say(&Say::Decide { on_conflict });
    }

    /// Asks for the graph with the final values of the resources.
    pub fn result(&self) -> Option<Graph> {
        self.say(&Say::Result);
        let waits = |state: &mut HeardState| state.result.is_none() && state.parted.is_none() && !state.is_left;
        let state = self.heard.moved.wait_while(self.heard.state(), waits).unwrap_or_else(PoisonError::into_inner);
        state.result.clone().flatten()
    }

    pub fn parted(&self) -> Option<Parted> {
        let state = self.heard.state();
        // A hanging applier does not notice that this face left.
        state.parted.or(state.is_left.then_some(Parted::Left))
    }

    /// Leaves while this value still exists: its events end.
    pub fn let_go(&self) {
        self.heard.note(|state| state.is_left = true);
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
        if let Some(reader) = self.reader.take().filter(|_| self.parted() != Some(Parted::Left)) {
            self.say(&Say::End);
            // The thread has reported a panic already.
            let _ = reader.join();
        }
        self.hang_up();
        // An applier with another driver keeps running.
        if let (Some(mut child), Some(Parted::Ended | Parted::Lost)) = (self.child.take(), self.parted()) {
            let _ = child.wait();
        }
    }
}

fn read(input: impl Read, first: &Sender<Tell>, events: &Sender<Event>, heard: &Heard) {
    let mut input = BufReader::new(input);
    let mut parted = Parted::Lost;
    while let Ok(Some(told)) = hear(&mut input, ORDER_CAP) {
        match told {
            // The receiver may be gone. The end is still waited for.
            Tell::Event { event } => drop(events.send(event)),
            Tell::Result { graph } => heard.note(|state| state.result = Some(graph)),
            Tell::Taken { by } => {
                parted = Parted::Taken(by);
                break;
            }
            Tell::Ended => {
                parted = Parted::Ended;
                break;
            }
            told => drop(first.send(told)),
        }
    }
    heard.note(|state| {
        let was_cut = parted == Parted::Lost && state.is_left;
        state.parted = Some(if was_cut { Parted::Left } else { parted });
    });
}

/// What an applier began: a run, or an undo with its plan.
pub(in crate::session) struct Started {
    pub stepper: Stepper,
    pub events: Receiver<Event>,
    pub undo: Option<Planned>,
}

/// Starts an order in a separate process. `told` receives the holder of the lock during a wait.
pub(in crate::session) fn start(
    program: &Path,
    asked: &Asked,
    cancel: &Cancel,
    told: &mut dyn FnMut(&Holder),
) -> Result<Ready<Started>, ApplyError> {
    let failed = |error: io::Error| ApplyError::Applier(format!("it did not start: {error}"));
    let mut child = spawn(program).map_err(failed)?;
    let (Some(mut out), Some(input)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(failed(io::ErrorKind::BrokenPipe.into()));
    };
    say(&mut out, asked).map_err(failed)?;
    let (mut link, firsts, events) = Link::new(out, input);
    link.child = Some(child);
    greeted(link, &firsts, events, cancel, told)
}

/// Waits until an order has begun or was refused.
pub(super) fn greeted(
    link: Link,
    firsts: &Receiver<Tell>,
    events: Receiver<Event>,
    cancel: &Cancel,
    told: &mut dyn FnMut(&Holder),
) -> Result<Ready<Started>, ApplyError> {
    let mut waited = None;
    loop {
        match firsts.recv_timeout(PAUSE) {
            Ok(Tell::Waiting { holder }) => {
                told(&holder);
                waited = Some(holder);
            }
            Ok(Tell::Begun { deploy, undo }) => {
                return Ok(Ready::Yes(Started { stepper: Stepper::of_link(link, deploy), events, undo }));
            }
            Ok(Tell::Refused { why }) => {
                return match why {
                    Refused::Conflict { found } => Ok(Ready::Conflict(found)),
                    Refused::Altered { modules } => Err(ApplyError::Altered(modules)),
                    Refused::Held { holder } => Err(ApplyError::Held(holder)),
                    Refused::Unfinished { deploy } => Err(ApplyError::Unfinished(deploy)),
                    Refused::Settled { deploy } => Err(ApplyError::Settled(deploy)),
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
    Nobody,
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
    pub standing: Standing,
    pub graph: Arc<Graph>,
    /// The plan of an undo.
    pub undo: Option<Planned>,
    pub stepper: Stepper,
    /// Begins with all events so far.
    pub events: Receiver<Event>,
}

/// Returns the status of the applier that uses this state folder.
pub fn look_in(state: Option<&PathBuf>) -> Result<Standing, AttachError> {
    match come(state, Guest::Looker)? {
        (_, Tell::Stands { standing }, _) => Ok(standing),
        (_, told, _) => Err(turned_away(told)),
    }
}

/// Drives an applier from now on, as [`Guest::Driver`] or [`Guest::Taker`].
pub fn attach(state: Option<&PathBuf>, guest: Guest) -> Result<Attached, AttachError> {
    match come(state, guest)? {
        (link, Tell::Welcome { standing, graph, undo }, events) => {
            let stepper = Stepper::of_link(link, standing.deploy);
            Ok(Attached { graph: Arc::new(graph), undo, stepper, events, standing })
        }
        (link, told, _) => {
            link.leave();
            Err(turned_away(told))
        }
    }
}

fn turned_away(told: Tell) -> AttachError {
    match told {
        Tell::Busy { driver } => AttachError::Busy(driver),
        Tell::Refused { why: Refused::Other { words } } => AttachError::Failed(words),
        _ => AttachError::Failed("unexpected reply".into()),
    }
}

/// Connects, and reads the first answer.
fn come(state: Option<&PathBuf>, guest: Guest) -> Result<(Link, Tell, Receiver<Event>), AttachError> {
    let socket = StateFolder::at(&state_path(state)?).socket();
    let failed = |error: io::Error| match error.kind() {
        // A killed applier left the socket.
        io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused => AttachError::Nobody,
        _ => AttachError::Failed(error.to_string()),
    };
    let (_folder, near) = near(&socket).map_err(failed)?;
    let mut stream = UnixStream::connect(near).map_err(failed)?;
    if !Peer::of(&stream).map_err(failed)?.is_one_of_us() {
        return Err(AttachError::Failed("the socket belongs to another user".into()));
    }
    say(&mut stream, &Say::Hello { version: VERSION, guest }).map_err(failed)?;
    let copies = stream.try_clone().and_then(|out| Ok((out, stream.try_clone()?)));
    let (out, input) = copies.map_err(failed)?;
    let (mut link, firsts, events) = Link::new(out, input);
    link.stream = Some(stream);
    match firsts.recv_timeout(PATIENCE) {
        Ok(told) => Ok((link, told, events)),
        Err(why) => {
            link.leave();
            Err(AttachError::Failed(match why {
                RecvTimeoutError::Timeout => "no answer".into(),
                RecvTimeoutError::Disconnected => "connection closed".into(),
            }))
        }
    }
}
