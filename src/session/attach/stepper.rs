//! A run on its own thread, driven by requests, with events as output.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use crate::deploy::{OnConflict, Recording};
use crate::engine::message::{Event, Request};
use crate::engine::{self as run, Run};
use crate::graph::Graph;
use crate::host::Host;
use crate::session::attach::Link;
use crate::session::attach::undo::Prepared;
use crate::world::Cancel;

/// The machine that a run acts on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// The overlay: nothing is written.
    #[default]
    Dry,
    /// This machine.
    Live,
}

/// The sending end of a run. Dropping it ends the run after the current turn.
#[derive(Debug)]
pub struct Stepper {
    end: End,
    deploy: Option<u64>,
}

/// The place of the run.
#[derive(Debug)]
enum End {
    Here(Here),
    /// In a separate process.
    There(Link),
}

/// A run on a thread of this process.
#[derive(Debug)]
struct Here {
    requests: Sender<Request>,
    stop: Cancel,
    abort: Cancel,
    result: Arc<Mutex<Option<Graph>>>,
    /// What an undo does about changes of other programs.
    decided: Arc<Mutex<OnConflict>>,
    /// Set for a recorded run: its end is waited for, or it would count as interrupted.
    thread: Option<JoinHandle<()>>,
}

/// How the connection to a run in a separate process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disconnected {
    /// The run ended and is recorded.
    Ended,
    /// This process drives it now.
    Taken(u32),
    /// This face left it running.
    Left,
    /// Its process was killed, so its deploy is interrupted.
    Lost,
}

impl Stepper {
    /// Starts a run. It reports its state, then waits for requests. The events end with the run.
    pub(in crate::session) fn start(
        graph: Arc<Graph>,
        host: Box<dyn Host>,
        options: run::Options,
        recording: Option<Recording>,
    ) -> (Stepper, Receiver<Event>) {
        let (requests, received) = channel::<Request>();
        let (events, receiver) = channel();
        let result = Arc::default();
        let (stop, abort) = (options.stop.clone(), options.abort.clone());
        let deploy = recording.as_ref().map(Recording::deploy);
        let decided = Arc::default();
        let mut here = Here { requests, stop, abort, result: Arc::clone(&result), decided, thread: None };
        let thread = std::thread::spawn(move || {
            let mut emit = |event: Event| {
                // Record each event before reporting it.
                recording.iter().for_each(|recording| recording.record(&event));
                // The receiver may be gone. The current turn still finishes.
                let _ = events.send(event);
            };
            follow(Run::new(graph, host, options), &received, &mut emit, &result);
            recording.iter().for_each(Recording::close);
        });
        here.thread = deploy.map(|_| thread);
        (Stepper { end: End::Here(here), deploy }, receiver)
    }

    /// Starts an undo, which waits for requests like a run.
    pub(in crate::session) fn take_back(undo: Prepared) -> (Stepper, Receiver<Event>) {
        let (requests, received) = channel::<Request>();
        let (events, receiver) = channel();
        let deploy = Some(undo.deploy());
        let mut here = Here {
            requests,
            stop: Cancel::default(),
            abort: Cancel::default(),
            result: Arc::default(),
            decided: Arc::default(),
            thread: None,
        };
        let (stop, decided) = (here.stop.clone(), Arc::clone(&here.decided));
        here.thread = Some(std::thread::spawn(move || {
            undo.follow(&received, &stop, &decided, &mut |event| {
                // The receiver may be gone. The current round still finishes.
                let _ = events.send(event);
            });
        }));
        (Stepper { end: End::Here(here), deploy }, receiver)
    }

    /// A run in a separate process.
    pub(in crate::session) fn of_link(link: Link, deploy: u64) -> Stepper {
        Stepper { end: End::There(link), deploy: Some(deploy) }
    }

    /// Returns the number of a recorded run in the history.
    pub fn deploy(&self) -> Option<u64> {
        self.deploy
    }

    /// Whether it is in a separate process.
    pub fn is_apart(&self) -> bool {
        matches!(self.end, End::There(_))
    }

    /// Whether it runs as root for another user.
    pub fn is_root(&self) -> bool {
        matches!(&self.end, End::There(link) if link.is_root())
    }

    /// Sends a request. `Stop` and `Quit` also affect a run in the middle of a `Continue`.
    pub fn send(&self, request: Request) {
        match &self.end {
            End::Here(here) => here.send(request),
            End::There(link) => link.send(request),
        }
    }

    /// Sets what an undo does about changes of other programs. Until then it leaves them.
    pub fn decide(&self, on_conflict: OnConflict) {
        match &self.end {
            End::Here(here) => *here.decided.lock().unwrap_or_else(PoisonError::into_inner) = on_conflict,
            End::There(link) => link.decide(on_conflict),
        }
    }

    /// Also ends the running commands.
    pub fn abort(&self) {
        match &self.end {
            End::Here(here) => {
                here.abort.cancel();
                here.send(Request::Stop);
            }
            End::There(link) => link.abort(),
        }
    }

    /// Returns the graph with the final values of the resources, once nothing is left to do.
    pub fn result(&self) -> Option<Graph> {
        match &self.end {
            End::Here(here) => here.result.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            End::There(link) => link.result(),
        }
    }

    /// Returns how the connection ended, for a run in a separate process whose events ended.
    pub fn disconnected(&self) -> Option<Disconnected> {
        match &self.end {
            End::Here(_) => None,
            End::There(link) => link.disconnected(),
        }
    }

    /// Leaves a run in a separate process, like [`Stepper::leave`], and returns true. Any other run stays.
    pub fn let_go(&self) -> bool {
        match &self.end {
            End::Here(_) => false,
            End::There(link) => {
                link.let_go();
                true
            }
        }
    }

    /// Leaves a run in a separate process: it finishes the current turns and detaches. Any other run ends.
    pub fn leave(self) {
        if let End::There(link) = self.end {
            link.leave();
        }
    }
}

impl Here {
    fn send(&self, request: Request) {
        if matches!(request, Request::Stop | Request::Quit) {
            self.stop.cancel();
        }
        // A finished run ignores requests. Its events have ended.
        let _ = self.requests.send(request);
    }
}

/// Performs requests until the sender is dropped.
fn follow(mut run: Run, requests: &Receiver<Request>, emit: &mut dyn FnMut(Event), result: &Mutex<Option<Graph>>) {
    let keep = |run: &Run| {
        if run.next().is_none() {
            *result.lock().unwrap_or_else(PoisonError::into_inner) = Some(run.result());
        }
    };
    keep(&run);
    run.start(emit);
    while let Ok(request) = requests.recv() {
        if request == Request::Quit {
            return;
        }
        // Store the result before reporting the end.
        let mut last = Vec::new();
        run.handle(request, &mut |event| match event {
            Event::Paused { .. } | Event::Finished { .. } => last.push(event),
            other => emit(other),
        });
        keep(&run);
        last.into_iter().for_each(&mut *emit);
    }
}

impl Drop for Here {
    fn drop(&mut self) {
        self.send(Request::Quit);
        if let Some(thread) = self.thread.take() {
            // The thread has reported a panic already.
            let _ = thread.join();
        }
    }
}
