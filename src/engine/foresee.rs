//! What is to come in a run on a machine, looked at once more where the plan could not tell it for sure.
//!
//! A plan says "known at apply" of what hangs on an earlier step. Once that had its turn what it sends is there, and so is what it
//! left on the machine: whoever waits before the next step is shown what that comes to. Nothing is agreed to by it, and the turn
//! itself looks again.

use std::collections::BTreeSet;
use std::time::Instant;

use crate::graph::{NodeIndex, Value};
use crate::plan::{Certainty, Step};
use crate::resource::kind;

use super::Run;
use super::message::{Event, READY_TOLD};
use super::turn::{Given, Outcome, take};

impl Run {
    /// Tells what those would do now that the turns since the last pause let go, and the one that is next. As many are looked at as
    /// are told to be ready, for each costs a look.
    pub(super) fn foresee(&mut self, emit: &mut dyn FnMut(Event)) {
        let from = std::mem::replace(&mut self.foreseen, self.past.len()).min(self.past.len());
        let Some(next) = self.next_node().filter(|_| !self.host.is_dry()) else { return };
        let (graph, links) = (self.states.graph(), self.states.links());
        let freed = self.past[from..].iter().flat_map(|past| links.leaving(graph, past.at)).map(|edge| edge.to);
        let all: BTreeSet<NodeIndex> = freed.filter(|at| self.states.ready().contains(at)).chain([next]).collect();
        let open = all.into_iter().filter(|at| self.is_open_to_look(*at)).take(READY_TOLD);
        for at in open.collect::<Vec<_>>() {
            let begun = Instant::now();
            // All that it rests on had its turn.
            let given = Given { approved: None, shadow: None, guessed: false, ..self.given(at, true) };
            let outcome = take(&*self.host, &Given { one_try: true, ..given });
            // What is wrong with it may be mended by its turn, which tells it then.
            if outcome.error.is_none() {
                let step = self.would_do(at, outcome);
                self.tell(at, Some(&step), begun, emit);
            }
        }
    }

    /// Whether no plan could tell for sure what a resource does, and a look that does nothing but look may.
    fn is_open_to_look(&self, at: NodeIndex) -> bool {
        let (node, id) = (self.states.get(at), self.states.graph().node(at).id());
        let is_open = match &self.options.approved {
            Some(steps) => steps.get(id).is_some_and(|step| step.certainty != Certainty::Known),
            None => !node.received.is_empty() || node.shadow.is_some(),
        };
        let wanted = self.states.resource(at).and_then(|resource| resource.wanted());
        let only_reads = wanted.and_then(|wanted| kind(&wanted.kind)).is_some_and(|kind| kind.only_reads());
        let has_all = node.received.iter().all(|(_, value): &(_, Value)| !value.holds_unknown());
        is_open && only_reads && has_all && !self.is_left_out(at)
    }

    /// The step of a look, with what it would print.
    pub(super) fn would_do(&self, at: NodeIndex, mut outcome: Outcome) -> Step {
        if let Some(line) = outcome.lines.first().filter(|_| outcome.note.is_empty()) {
            outcome.note = format!("prints: {line}");
        }
        self.describe(at, &outcome)
    }
}
