//! A run on a thread of its own, driven by requests and telling events: plain messages both ways.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use crate::engine::message::{Event, Request};
use crate::engine::{self as run, Run};
use crate::graph::Graph;
use crate::host::{Host, Local, LocalLook, Overlay};
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

/// The sending end of a run. Dropping it ends the run.
#[derive(Debug)]
pub struct Stepper {
    requests: Sender<Request>,
    cancel: Cancel,
}

impl Stepper {
    /// Starts a run that waits for its first request; the events end when the run ends.
    pub(super) fn start(graph: Arc<Graph>, mode: Mode, run_guards: bool) -> (Stepper, Receiver<Event>) {
        let (requests, received) = channel::<Request>();
        let (events, told) = channel();
        let cancel = Cancel::default();
        let options = run::Options { stop: cancel.clone(), ..run::Options::default() };
        let host: Box<dyn Host> = match mode {
            Mode::Dry => Box::new(Overlay::new(Arc::new(LocalLook { run_guards }))),
            Mode::Live => Box::new(Local),
        };
        std::thread::spawn(move || follow(Run::new(graph, host, options), &received, &events));
        (Stepper { requests, cancel }, told)
    }

    /// Asks for something. `Stop` and `Quit` also reach a run in the middle of a `Continue`.
    pub fn send(&self, request: Request) {
        if matches!(request, Request::Stop | Request::Quit) {
            self.cancel.cancel();
        }
        // A run that has ended hears nothing, and its events have said so.
        let _ = self.requests.send(request);
    }
}

/// Does what is asked until nobody asks any more.
fn follow(mut run: Run, requests: &Receiver<Request>, events: &Sender<Event>) {
    // Whoever listened may be gone; a turn at work is still done to its end.
    let mut emit = |event| drop(events.send(event));
    run.start(&mut emit);
    while let Ok(request) = requests.recv() {
        if request == Request::Quit {
            return;
        }
        run.handle(request, &mut emit);
    }
}

impl Drop for Stepper {
    fn drop(&mut self) {
        self.send(Request::Quit);
    }
}
