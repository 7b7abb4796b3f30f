//! A run on a thread of its own, driven by requests and telling events: plain messages both ways.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use crate::engine::message::{Event, Request};
use crate::graph::Graph;
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
        let _ = (graph, mode, run_guards, received, events);
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

impl Drop for Stepper {
    fn drop(&mut self) {
        self.send(Request::Quit);
    }
}
