//! Predicts the next step of a live run again, if the plan could not.
//!
//! A plan shows "known after apply" for a step that depends on an earlier one. After the earlier step, its sent values
//! and its effects on the machine exist, so a user who waits before the next step sees its prediction. The prediction
//! approves nothing. The turn checks again.

use std::time::Instant;

use crate::graph::{NodeIndex, Value};
use crate::plan::{Certainty, Step};
use crate::resource::kind;

use super::Run;
use super::message::{Event, Pause};
use super::turn::{Outcome, TurnInput, take};

impl Run {
    /// Reports what the next turn would do, if the run waits before it.
    pub(super) fn predict_next(&self, why: &Pause, emit: &mut dyn FnMut(Event)) {
        // A user who stops the run does not wait for a prediction.
        let is_waited_at = !self.host.is_dry() && *why != Pause::Stopped;
        let Some(at) = self.next_node().filter(|at| is_waited_at && self.is_open_to_look(*at)) else { return };
        let begun = Instant::now();
        // All turns that it depends on are finished.
        let given = TurnInput { approved: None, shadow: None, guessed: false, ..self.given(at, true) };
        let outcome = take(&*self.host, &TurnInput { one_try: true, ..given });
        // The turn may remove the cause of an error. If not, it reports the error.
        if outcome.error.is_none() {
            let step = self.would_do(at, outcome);
            self.report(at, Some(&step), begun, emit);
        }
    }

    /// Whether the plan could not predict a resource, and a read-only check can.
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

    /// Makes a step from a check, with its predicted output.
    pub(super) fn would_do(&self, at: NodeIndex, mut outcome: Outcome) -> Step {
        if let Some(line) = outcome.lines.first().filter(|_| outcome.note.is_empty()) {
            outcome.note = format!("prints: {line}");
        }
        self.describe(at, &outcome)
    }
}
