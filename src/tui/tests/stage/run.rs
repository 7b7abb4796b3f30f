//! A run that answers at once, and does nothing.

use super::sample::plan;
use crate::engine::message::{Event, Pause, Request, TurnState};
use crate::graph::ResourceId;
use crate::tui::message::Message;

/// Steps through the plan in its order.
#[derive(Default)]
pub struct FakeRun {
    at: usize,
    /// The picked resource, as long as it is next.
    picked: Option<ResourceId>,
    done: Vec<(ResourceId, TurnState)>,
    is_live: bool,
    /// The resource that fails.
    pub fails: Option<ResourceId>,
    /// A request to continue is accepted; the test sends its events.
    pub is_slow: bool,
}

impl FakeRun {
    /// A live one that waits before a step of the plan, from 0.
    pub fn live(at: usize) -> Self {
        Self { is_live: true, at, ..Self::default() }
    }

    pub fn pause(&self, run: u64, why: Pause) -> Message {
        Message::Run { run, event: self.paused(why) }
    }

    pub fn paused(&self, why: Pause) -> Event {
        let next = self.picked.clone().or_else(|| plan().steps.get(self.at).map(|step| step.resource.clone()));
        let ready = next.iter().cloned().collect();
        Event::Paused { next, ready, why }
    }

    fn turn(&mut self, run: u64, state: TurnState) -> Message {
        self.picked = None;
        let step = plan().steps[self.at].clone();
        let fails = self.fails.take_if(|id| *id == step.resource).is_some();
        let state =
            if fails { TurnState::Failed { error: "no space left on device".into(), is_undone: false } } else { state };
        self.at += 1;
        self.done.push((step.resource.clone(), state.clone()));
        let resource = step.resource.clone();
        Message::Run { run, event: Event::Turn { resource, state, step: Some(step), elapsed_ms: 4 } }
    }

    /// A failed step is pending again, and next.
    pub fn again(&mut self, run: u64, resource: &ResourceId) -> Vec<Message> {
        self.done.retain(|(id, _)| id != resource);
        self.at = plan().steps.iter().position(|step| step.resource == *resource).unwrap_or(self.at);
        let step = plan().steps.get(self.at).cloned();
        let event = Event::Turn { resource: resource.clone(), state: TurnState::Waiting, step, elapsed_ms: 1 };
        vec![Message::Run { run, event }, self.pause(run, Pause::Stepped)]
    }

    /// The end of a live run; a dry one stays open, so that steps can be undone.
    fn finished(&self, run: u64) -> Option<Message> {
        let count = |is: fn(&TurnState) -> bool| self.done.iter().filter(|(_, state)| is(state)).count() as u32;
        let (done, skipped) = (count(|state| *state == TurnState::Done), count(|state| *state == TurnState::Skipped));
        let failed = count(|state| matches!(state, TurnState::Failed { .. }));
        let event = Event::Finished { done, changed: 3, failed, skipped, blocked: 0 };
        (self.is_live && self.at == plan().steps.len()).then_some(Message::Run { run, event })
    }

    pub fn on_key(&mut self, run: u64, request: &Request) -> Vec<Message> {
        let end = plan().steps.len();
        match request {
            Request::Continue { .. } | Request::Retry { .. } | Request::Skip if self.is_slow => vec![],
            Request::Step if self.at < end => {
                let turn = self.turn(run, TurnState::Done);
                let mut messages =
                    vec![turn, self.pause(run, if self.at == end { Pause::End } else { Pause::Stepped })];
                messages.extend(self.finished(run));
                messages
            }
            Request::Continue { until } => {
                let mut messages = vec![];
                while self.at < end && plan().steps.get(self.at).map(|step| &step.resource) != until.as_ref() {
                    let turn = self.turn(run, TurnState::Done);
                    let fails = matches!(
                        &turn,
                        Message::Run { event: Event::Turn { state: TurnState::Failed { .. }, .. }, .. }
                    );
                    messages.push(turn);
                    if fails {
                        messages.push(self.pause(run, Pause::Failure));
                        return messages;
                    }
                }
                messages.push(self.pause(run, if self.at == end { Pause::End } else { Pause::Cursor }));
                messages.extend(self.finished(run));
                messages
            }
            Request::Pick { resource } => {
                self.picked = Some(resource.clone());
                vec![self.pause(run, Pause::Stepped)]
            }
            Request::Over { .. } => {
                let mut messages = vec![];
                while self.at < end {
                    messages.push(self.turn(run, TurnState::Done));
                }
                messages.push(self.pause(run, Pause::End));
                messages
            }
            Request::Skip if self.at < end => {
                let turn = self.turn(run, TurnState::Skipped);
                let mut messages =
                    vec![turn, self.pause(run, if self.at == end { Pause::End } else { Pause::Stepped })];
                messages.extend(self.finished(run));
                messages
            }
            Request::Retry { resource } => self.again(run, resource),
            Request::Back => {
                let Some((resource, _)) = self.done.pop() else { return vec![] };
                self.at -= 1;
                let event = Event::Turn { resource, state: TurnState::Waiting, step: None, elapsed_ms: 0 };
                vec![Message::Run { run, event }, self.pause(run, Pause::SteppedBack)]
            }
            _ => vec![],
        }
    }
}
