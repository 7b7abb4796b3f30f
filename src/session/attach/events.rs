//! Stores all events of a run for faces that attach later.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use super::wire::{self, Tell};
use crate::engine::message::{Event, TurnState};
use crate::graph::ResourceId;

/// The size limit of stored command output. The oldest is dropped.
const OUTPUT_KEPT: usize = 4 << 20;

/// An event, as its line in the protocol.
#[derive(Clone)]
struct Told {
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
#[derive(Default)]
pub(super) struct Events {
    told: Vec<Option<Told>>,
    /// The numbers of output events, oldest first.
    outputs: VecDeque<usize>,
    output_bytes: usize,
    turns: BTreeMap<ResourceId, TurnState>,
    taken_back: u64,
    pub next: Option<ResourceId>,
    /// Nothing is left to do.
    pub is_finished: bool,
}

impl Events {
    pub fn push(&mut self, event: Event) {
        let what = match &event {
            Event::Turn { resource, state, .. } => {
                self.turns.insert(resource.clone(), state.clone());
                self.is_finished = false;
                // Its turn has begun. The next pause names the next resource.
                if *state != TurnState::Waiting && self.next.as_ref() == Some(resource) {
                    self.next = None;
                }
                What::Turn(resource.clone())
            }
            Event::Paused { next, .. } => {
                self.next.clone_from(next);
                What::Paused
            }
            Event::Output { .. } => What::Output,
            Event::Amended { .. } => What::Amended,
            Event::TakenBack { .. } => {
                self.taken_back += 1;
                What::TakenBack
            }
            Event::Finished { .. } => {
                self.is_finished = true;
                What::Finished
            }
        };
        // Events are plain data and always serialize.
        let line = wire::line(&Tell::Event { event }).unwrap_or_default();
        if what == What::Output {
            self.outputs.push_back(self.told.len());
            self.output_bytes += line.len();
        }
        self.told.push(Some(Told { line: line.into(), what }));
        while self.output_bytes > OUTPUT_KEPT
            && let Some(oldest) = self.outputs.pop_front()
        {
            let gone = self.told[oldest].take();
            self.output_bytes -= gone.map_or(0, |gone| gone.line.len());
        }
    }

    /// Returns how many resources have finished their turns, or how many operations were undone.
    pub fn turned(&self) -> u64 {
        let over = |state: &&TurnState| !matches!(state, TurnState::Waiting | TurnState::Running);
        self.turns.values().filter(over).count() as u64 + self.taken_back
    }

    /// Returns the first running resource, by name.
    pub fn at_work(&self) -> Option<&ResourceId> {
        self.turns.iter().find(|(_, state)| **state == TurnState::Running).map(|(id, _)| id)
    }

    /// Returns the number of the next event.
    pub fn len(&self) -> usize {
        self.told.len()
    }

    /// Returns a few lines from an event on, and the number after them.
    pub fn from(&self, at: usize) -> (Vec<Arc<[u8]>>, usize) {
        const AT_ONCE: usize = 256;
        let end = self.told.len().min(at + AT_ONCE);
        (self.told[at..end].iter().flatten().map(|told| told.line.clone()).collect(), end)
    }

    /// Returns the lines for a new face: the state of each resource's turn, and only the last pause.
    pub fn so_far(&self) -> Vec<Arc<[u8]>> {
        let mut last = BTreeMap::new();
        let (mut paused, mut finished) = (None, None);
        for (at, told) in self.told.iter().enumerate() {
            match told.as_ref().map(|told| &told.what) {
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
        let is_news = |at: usize, told: &Told| match &told.what {
            What::Turn(resource) => last.get(resource) == Some(&at),
            What::Paused => paused == Some(at),
            What::Finished => finished == Some(at) && self.is_finished,
            What::Output | What::Amended | What::TakenBack => true,
        };
        let told = self.told.iter().enumerate().filter_map(|(at, told)| Some((at, told.as_ref()?)));
        told.filter(|(at, told)| is_news(*at, told)).map(|(_, told)| told.line.clone()).collect()
    }
}
