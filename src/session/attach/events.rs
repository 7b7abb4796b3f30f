//! Stores all events of a run for faces that attach later.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use super::wire::{self, ApplierMessage};
use crate::engine::message::{Event, TurnState};
use crate::engine::run_view::RunView;
use crate::graph::ResourceId;

/// The size limit of stored command output. The oldest is dropped.
const OUTPUT_KEPT: usize = 4 << 20;

/// An event, as its line in the protocol.
#[derive(Clone)]
struct StoredEvent {
    line: Arc<[u8]>,
    what: What,
}

#[derive(Clone, PartialEq)]
enum What {
    Turn(ResourceId),
    Paused,
    Output,
    Amended,
    TakenBack,
    Finished,
}

/// The numbered events of a run, and the state after them.
pub(super) struct Events {
    stored: Vec<Option<StoredEvent>>,
    /// The numbers of output events, oldest first.
    outputs: VecDeque<usize>,
    output_bytes: usize,
    view: RunView,
    undone: u64,
    /// Nothing is left to do.
    pub is_finished: bool,
}

impl Default for Events {
    fn default() -> Self {
        let (stored, outputs, view) = (Vec::new(), VecDeque::new(), RunView::without_steps());
        Self { stored, outputs, output_bytes: 0, view, undone: 0, is_finished: false }
    }
}

impl Events {
    /// Stores an event and updates the state. Command output beyond its size limit is dropped, oldest first.
    pub fn push(&mut self, event: Event) {
        self.view.on_event(&event);
        let what = match &event {
            Event::Turn { resource, .. } => {
                self.is_finished = false;
                What::Turn(resource.clone())
            }
            Event::Paused { .. } => What::Paused,
            Event::Output { .. } => What::Output,
            Event::Amended { .. } => What::Amended,
            Event::TakenBack { .. } => {
                self.undone += 1;
                What::TakenBack
            }
            Event::Finished { .. } => {
                self.is_finished = true;
                What::Finished
            }
        };
        // Events are plain data and always serialize.
        let line = wire::line(&ApplierMessage::Event { event }).unwrap_or_default();
        if what == What::Output {
            self.outputs.push_back(self.stored.len());
            self.output_bytes += line.len();
        }
        self.stored.push(Some(StoredEvent { line: line.into(), what }));
        while self.output_bytes > OUTPUT_KEPT
            && let Some(oldest) = self.outputs.pop_front()
        {
            let gone = self.stored[oldest].take();
            self.output_bytes -= gone.map_or(0, |gone| gone.line.len());
        }
    }

    /// Returns how many resources have finished their turns, or how many operations were undone.
    pub fn turned(&self) -> u64 {
        self.view.counts().ended() as u64 + self.undone
    }

    /// Returns the first running resource, by name.
    pub fn at_work(&self) -> Option<&ResourceId> {
        self.view.running().map(|row| &row.id).min()
    }

    /// Returns the next resource, until its turn begins. The next pause names the one after it.
    pub fn next(&self) -> Option<&ResourceId> {
        let waits = |id: &&ResourceId| self.view.find(id).is_none_or(|row| row.state == TurnState::Waiting);
        self.view.next.as_ref().filter(waits)
    }

    /// Returns the number of the next event.
    pub fn len(&self) -> usize {
        self.stored.len()
    }

    /// Returns a few lines from an event on, and the number after them.
    pub fn from(&self, at: usize) -> (Vec<Arc<[u8]>>, usize) {
        const AT_ONCE: usize = 256;
        let end = self.stored.len().min(at + AT_ONCE);
        (self.stored[at..end].iter().flatten().map(|stored| stored.line.clone()).collect(), end)
    }

    /// Returns the lines for a new face: the state of each resource's turn, and only the last pause.
    pub fn so_far(&self) -> Vec<Arc<[u8]>> {
        let mut last = BTreeMap::new();
        let (mut paused, mut finished) = (None, None);
        for (at, stored) in self.stored.iter().enumerate() {
            match stored.as_ref().map(|stored| &stored.what) {
                Some(What::Turn(resource)) => {
                    last.insert(resource, at);
                    // The run has continued.
                    paused = None;
                }
                Some(What::Paused) => paused = Some(at),
                Some(What::Finished) => finished = Some(at),
                // The run has continued.
                Some(What::TakenBack) => paused = None,
                Some(What::Output | What::Amended) | None => {}
            }
        }
        let is_news = |at: usize, stored: &StoredEvent| match &stored.what {
            What::Turn(resource) => last.get(resource) == Some(&at),
            What::Paused => paused == Some(at),
            What::Finished => finished == Some(at) && self.is_finished,
            What::Output | What::Amended | What::TakenBack => true,
        };
        let stored = self.stored.iter().enumerate().filter_map(|(at, stored)| Some((at, stored.as_ref()?)));
        stored.filter(|(at, stored)| is_news(*at, stored)).map(|(_, stored)| stored.line.clone()).collect()
    }
}
