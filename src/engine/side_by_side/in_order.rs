//! Runs a chain of turns on the caller's thread when only one turn may begin.
//!
//! In a chain, each turn is the only one that the previous one releases. It mostly waits for the disk and depends on
//! nothing that an earlier one changes. Therefore all of them may be checked at once, and one wait makes their intents
//! and contents durable. They are still performed in order, each when the previous one is durable. After a failure or a
//! stop the remaining ones are not performed.

use std::sync::mpsc::{Receiver, Sender};

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Event, Floor, Job, NodeIndex, Progress, Run, Shared, TurnInput, WorkerMessage, aloud, attempt_in_order};
use crate::engine::message::TurnState;
use crate::engine::meta;

/// The longest chain. After a crash, recovery inspects each turn that was not performed.
const AHEAD: usize = 128;

impl Run {
    /// Performs the only turn that has begun, and the turns of its chain.
    pub(super) fn in_order(
        &mut self,
        floor: &mut Floor,
        shared: &Shared,
        first: Job,
        (sender, messages): (&Sender<WorkerMessage>, &Receiver<WorkerMessage>),
        emit: &mut dyn FnMut(Event),
    ) {
        let followers = self.followers(floor, first.at);
        let mut jobs = vec![first];
        for at in followers {
            let job = self.job_of(at, true);
            // No turn of the chain has wider effects than the previous one.
            let shadow = job.shadow.or_else(|| jobs.last().and_then(|before: &Job| before.shadow.clone()));
            jobs.push(Job { shadow, ..job });
        }
        let alouds: Vec<Progress> = jobs.iter().map(|job| aloud(job.at, sender.clone())).collect();
        let givens: Vec<TurnInput> =
            jobs.iter().zip(&alouds).map(|(job, progress)| shared.given(job, progress)).collect();
        attempt_in_order(&*shared.host, &givens, &mut |number, take| {
            let at = jobs[number].at;
            if number > 0 {
                if !self.is_alone(at) {
                    return false;
                }
                self.states.set_aside(at);
                self.enter(floor, at, emit);
            }
            let outcome = take();
            for message in messages.try_iter() {
                if let WorkerMessage::Line(at, line) = message {
                    self.report_line(at, line, emit);
                }
            }
            self.through(floor, at, outcome, false, emit);
            true
        });
    }

    /// Whether a turn may begin and no other may.
    fn is_alone(&self, at: NodeIndex) -> bool {
        let is_stopped = self.options.stop.is_cancelled() || self.options.abort.is_cancelled();
        let mut ready = self.states.ready();
        !is_stopped && ready.next() == Some(at) && ready.next().is_none()
    }

    /// Returns the turns of the chain after the first one.
    fn followers(&self, floor: &Floor, first: NodeIndex) -> Vec<NodeIndex> {
        let mut chain = Vec::new();
        if self.options.noop || self.is_left_out(first) || self.states.ready().next().is_some() {
            return chain;
        }
        let mut walk = Walk::default();
        let mut last = first;
        while chain.len() + 1 < AHEAD
            && let Some(next) = walk.only_next(self, last)
            && self.may_look_ahead(floor, next)
        {
            chain.push(next);
            last = next;
        }
        chain
    }

    /// Whether a turn depends on the previous turn only to begin, and its check depends on no other turn.
    fn may_look_ahead(&self, floor: &Floor, at: NodeIndex) -> bool {
        let is_free = |resource| meta::semaphores(resource).is_empty() && resource.meta.timeout().is_none();
        self.mostly_waits(at)
            && !self.is_left_out(at)
            && self.states.graph().resource(at).is_some_and(is_free)
            && floor.footprints.before(at).iter().all(|before| !self.states.is_open(*before))
    }
}

/// The simulated progress along a chain.
#[derive(Default)]
struct Walk {
    /// The number of finished edges that enter a node.
    through: FxHashMap<NodeIndex, u32>,
    /// Nodes that receive a change or value. Their turns cannot be prepared.
    learn: FxHashSet<NodeIndex>,
}

impl Walk {
    /// Returns the only turn that the end of another releases.
    fn only_next(&mut self, run: &Run, last: NodeIndex) -> Option<NodeIndex> {
        let (states, graph) = (&run.states, run.states.graph());
        let (mut next, mut open) = (Vec::new(), vec![last]);
        while let Some(from) = open.pop() {
            let passes_news = from != last && self.learn.contains(&from);
            for edge in states.links().leaving(graph, from) {
                if edge.notify || edge.send.is_some() || passes_news {
                    self.learn.insert(edge.to);
                }
                let through = self.through.entry(edge.to).or_default();
                *through += 1;
                if states.waits(edge.to) != *through || states.get(edge.to).state != TurnState::Waiting {
                    continue;
                }
                match states.resource(edge.to) {
                    Some(_) => next.push(edge.to),
                    // An anchor is finished when all its predecessors are.
                    None => open.push(edge.to),
                }
            }
        }
        match next.as_slice() {
            [next] if !self.learn.contains(next) => Some(*next),
            _ => None,
        }
    }
}
