//! A run on a thread of its own, driven by requests and telling events: plain messages both ways.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use super::attach::Link;
use super::undo::Prepared;
use crate::deploy::{OnConflict, Recording};
use crate::engine::message::{Event, Request};
use crate::engine::{self as run, Run};
use crate::graph::Graph;
use crate::host::Host;
use crate::world::Cancel;

/// Which machine a run acts on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// The overlay: nothing is written.
    #[default]
    Dry,
    /// This machine.
    Live,
}

/// The sending end of a run. Dropping it ends the run after the turn at work.
#[derive(Debug)]
pub struct Stepper {
    end: End,
    deploy: Option<u64>,
}

/// Where the run is.
#[derive(Debug)]
enum End {
    Here(Here),
    /// In a process of its own.
    There(Link),
}

/// A run on a thread of ours.
#[derive(Debug)]
struct Here {
    requests: Sender<Request>,
    stop: Cancel,
    abort: Cancel,
    result: Arc<Mutex<Option<Graph>>>,
    /// What an undo does where somebody else was.
    decided: Arc<Mutex<OnConflict>>,
    /// Of a run that is written down: its end is waited for, or it would count as cut off.
    thread: Option<JoinHandle<()>>,
}

/// How a run in a process of its own was parted from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parted {
    /// It was ended, and all is written down.
    Ended,
    /// This process drives it now.
    Taken(u32),
    /// We left it to itself.
    Left,
    /// Its process was killed, so that its deploy is cut off.
    Lost,
}

impl Stepper {
    /// Starts a run. It tells where it stands, then waits for requests; the events end when the run ends.
    pub(super) fn start(
        graph: Arc<Graph>,
        host: Box<dyn Host>,
        options: run::Options,
        recording: Option<Recording>,
    ) -> (Stepper, Receiver<Event>) {
        let (requests, received) = channel::<Request>();
        let (events, told) = channel();
        let result = Arc::default();
        let (stop, abort) = (options.stop.clone(), options.abort.clone());
        let deploy = recording.as_ref().map(Recording::deploy);
        let decided = Arc::default();
        let mut here = Here { requests, stop, abort, result: Arc::clone(&result), decided, thread: None };
        let thread = std::thread::spawn(move || {
            let mut emit = |event: Event| {
                // What is told is written down first.
                recording.iter().for_each(|recording| recording.hear(&event));
                // Whoever listened may be gone; a turn at work is still done to its end.
                let _ = events.send(event);
            };
            follow(Run::new(graph, host, options), &received, &mut emit, &result);
            recording.iter().for_each(Recording::close);
        });
        here.thread = deploy.map(|_| thread);
        (Stepper { end: End::Here(here), deploy }, told)
    }

    /// Starts an undo, which waits for requests like a run.
    pub(super) fn take_back(undo: Prepared) -> (Stepper, Receiver<Event>) {
        let (requests, received) = channel::<Request>();
        let (events, told) = channel();
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
                // Whoever listened may be gone; what is at work is still done to its end.
                let _ = events.send(event);
            });
        }));
        (Stepper { end: End::Here(here), deploy }, told)
    }

    /// A run in a process of its own.
    pub(super) fn of_link(link: Link, deploy: u64) -> Stepper {
        Stepper { end: End::There(link), deploy: Some(deploy) }
    }

    /// The number in the history of a run that is written down.
    pub fn deploy(&self) -> Option<u64> {
        self.deploy
    }

    /// Whether it is in a process of its own.
    pub fn is_apart(&self) -> bool {
        matches!(self.end, End::There(_))
    }

    /// Whether it acts as root for one who is not.
    pub fn is_root(&self) -> bool {
        matches!(&self.end, End::There(link) if link.is_root())
    }

    /// Asks for something. `Stop` and `Quit` also reach a run in the middle of a `Continue`.
    pub fn send(&self, request: Request) {
        match &self.end {
            End::Here(here) => here.send(request),
            End::There(link) => link.send(request),
        }
    }

    /// Says what an undo does where somebody else was. Nothing is done there before.
    pub fn decide(&self, on_conflict: OnConflict) {
        match &self.end {
            End::Here(here) => *here.decided.lock().unwrap_or_else(PoisonError::into_inner) = on_conflict,
            End::There(link) => link.decide(on_conflict),
        }
    }

    /// Ends the command at work too.
    pub fn abort(&self) {
        match &self.end {
            End::Here(here) => {
                here.abort.cancel();
                here.send(Request::Stop);
            }
            End::There(link) => link.abort(),
        }
    }

    /// The graph with the values that resources ended with, once nothing is left to do.
    pub fn result(&self) -> Option<Graph> {
        match &self.end {
            End::Here(here) => here.result.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            End::There(link) => link.result(),
        }
    }

    /// How the run was parted from, where it is in a process of its own and its events ended.
    pub fn parted(&self) -> Option<Parted> {
        match &self.end {
            End::Here(_) => None,
            End::There(link) => link.parted(),
        }
    }

    /// Lets go of a run in a process of its own, as [`Stepper::leave`] does. Any other stays; whether this one went.
    pub fn let_go(&self) -> bool {
        match &self.end {
            End::Here(_) => false,
            End::There(link) => {
                link.let_go();
                true
            }
        }
    }

    /// Leaves a run in a process of its own: it does the turns at work to their end and waits for whoever comes. Any other
    /// run ends.
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
        // A run that has ended hears nothing, and its events have said so.
        let _ = self.requests.send(request);
    }
}

/// Does what is asked until nobody asks any more.
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
        // The result is there before anybody hears of the end.
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
            // A panic there was told already.
            let _ = thread.join();
        }
    }
}
