//! A run on a thread of its own, driven by requests and telling events: plain messages both ways.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use crate::deploy::Recording;
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
    requests: Sender<Request>,
    stop: Cancel,
    abort: Cancel,
    result: Arc<Mutex<Option<Graph>>>,
    /// Of a run that is written down: its end is waited for, or it would count as cut off.
    thread: Option<JoinHandle<()>>,
    deploy: Option<u64>,
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
        let mut stepper = Stepper { requests, stop, abort, result: Arc::clone(&result), thread: None, deploy };
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
        stepper.thread = deploy.map(|_| thread);
        (stepper, told)
    }

    /// The number in the history of a run that is written down.
    pub fn deploy(&self) -> Option<u64> {
        self.deploy
    }

    /// Asks for something. `Stop` and `Quit` also reach a run in the middle of a `Continue`.
    pub fn send(&self, request: Request) {
        if matches!(request, Request::Stop | Request::Quit) {
            self.stop.cancel();
        }
        // A run that has ended hears nothing, and its events have said so.
        let _ = self.requests.send(request);
    }

    /// Ends the command at work too.
    pub fn abort(&self) {
        self.abort.cancel();
        self.send(Request::Stop);
    }

    /// The graph with the values that resources ended with, once nothing is left to do.
    pub fn result(&self) -> Option<Graph> {
        self.result.lock().unwrap_or_else(PoisonError::into_inner).clone()
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

impl Drop for Stepper {
    fn drop(&mut self) {
        self.send(Request::Quit);
        if let Some(thread) = self.thread.take() {
            // A panic there was told already.
            let _ = thread.join();
        }
    }
}
