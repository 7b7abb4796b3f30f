//! What is to come in a run on a machine, looked at once more where the plan could not tell it for sure.
//!
//! A plan says "known at apply" of what hangs on an earlier step. Once that had its turn what it sends is there, and so is what it
//! left on the machine: whoever waits before the next step is shown what that comes to. Nothing is agreed to by it, and the turn
//! itself looks again.

use std::time::Instant;

use crate::graph::{NodeIndex, Value};
use crate::plan::{Certainty, Step};
use crate::resource::kind;

use super::Run;
use super::message::{Event, Pause};
use super::turn::{Given, Outcome, take};

impl Run {
    /// Tells what the one that is next would do, where somebody waits before it.
    pub(super) fn foresee(&self, why: &Pause, emit: &mut dyn FnMut(Event)) {
        // Who asks for a stop waits for nothing else.
        let is_waited_at = !self.host.is_dry() && *why != Pause::Stopped;
        let Some(at) = self.next_node().filter(|at| is_waited_at && self.is_open_to_look(*at)) else { return };
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
