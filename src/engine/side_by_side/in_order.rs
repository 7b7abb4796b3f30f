//! Where only one turn may begin: the thread that decides takes it, and with it those that follow in a chain.
//!
//! A chain is what comes next for sure if all goes well: each of its turns is the only one that the one before lets go,
//! mostly waits for the disk, and looks at nothing that one before it changes. So all of them may look at once, and what
//! they write down before they change anything becomes durable by one wait. They are done in their order all the same,
//! each when the one before is durable; one that fails, or a wish to stop, leaves those behind it undone.

use std::sync::mpsc::{Receiver, Sender};

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Event, Floor, Given, Job, NodeIndex, Run, Said, Shared, Tell, aloud, attempt_in_order};
use crate::engine::message::TurnState;
use crate::engine::meta;

/// So many turns look ahead at most. What a crash leaves of those that were not done is looked at once each.
const AHEAD: usize = 128;

impl Run {
    /// Takes a turn that has begun, the only one, and those that follow it.
    pub(super) fn in_order(
        &mut self,
        floor: &mut Floor,
        shared: &Shared,
        first: Job,
        (tell, told): (&Sender<Said>, &Receiver<Said>),
        emit: &mut dyn FnMut(Event),
    ) {
        let behind = self.behind(floor, first.at);
        let mut jobs = vec![first];
        for at in behind {
            let job = self.job_of(at, true);
            // Nothing that may follow here reaches further than the one before.
            let shadow = job.shadow.or_else(|| jobs.last().and_then(|before: &Job| before.shadow.clone()));
            jobs.push(Job { shadow, ..job });
        }
        let alouds: Vec<Tell> = jobs.iter().map(|job| aloud(job.at, tell.clone())).collect();
        let givens: Vec<Given> = jobs.iter().zip(&alouds).map(|(job, tell)| shared.given(job, tell)).collect();
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
            for said in told.try_iter() {
                if let Said::Line(at, line) = said {
                    self.tell_line(at, line, emit);
                }
            }
            self.through(floor, at, outcome, false, emit);
            true
        });
    }

    /// Whether a turn may begin, and nothing else.
    fn is_alone(&self, at: NodeIndex) -> bool {
        let is_stopped = self.options.stop.is_cancelled() || self.options.abort.is_cancelled();
        let mut ready = self.states.ready();
        !is_stopped && ready.next() == Some(at) && ready.next().is_none()
    }

    /// The turns of the chain behind one.
    fn behind(&self, floor: &Floor, first: NodeIndex) -> Vec<NodeIndex> {
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

    /// Whether nothing but the turn before decides when this one may begin, and nothing at all what it finds.
    fn may_look_ahead(&self, floor: &Floor, at: NodeIndex) -> bool {
        let is_free = |resource| meta::semaphores(resource).is_empty() && resource.meta.timeout().is_none();
        self.mostly_waits(at)
            && !self.is_left_out(at)
            && self.states.graph().resource(at).is_some_and(is_free)
            && floor.footprints.before(at).iter().all(|before| !self.states.is_open(*before))
    }
}

/// What the turns of a chain will have let go by then.
#[derive(Default)]
struct Walk {
    /// How many edges that enter a node wait no longer.
    through: FxHashMap<NodeIndex, u32>,
    /// These learn something by it, and look at their turn only.
    learn: FxHashSet<NodeIndex>,
}

impl Walk {
    /// The only turn that the end of another lets go.
    fn only_next(&mut self, run: &Run, last: NodeIndex) -> Option<NodeIndex> {
        let (states, graph) = (&run.states, run.states.graph());
        let (mut next, mut open) = (Vec::new(), vec![last]);
        while let Some(from) = open.pop() {
            let tells = from != last && self.learn.contains(&from);
            for edge in states.links().leaving(graph, from) {
                if edge.notify || edge.send.is_some() || tells {
                    self.learn.insert(edge.to);
                }
                let through = self.through.entry(edge.to).or_default();
                *through += 1;
                if states.waits(edge.to) != *through || states.get(edge.to).state != TurnState::Waiting {
                    continue;
                }
                match states.resource(edge.to) {
                    Some(_) => next.push(edge.to),
                    // An anchor is through when all before it are.
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
