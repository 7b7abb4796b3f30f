//! A deploy of the past on the screen: its turns come again as they went, forth and back. Nothing is done.

use std::sync::Arc;

use super::{State, breaks, reset, rows, watch};
use crate::diag::{Diagnostics, Stage};
use crate::lang::Compiled;
use crate::plan::{Action, NotReached, Plan, Step, Summary};
use crate::session::history::{Deploy, Purpose, graph_hash};
use crate::session::replay;
use crate::source::Sources;
use crate::tui::effect::Effect;
use crate::tui::look::Role;
use crate::tui::message::Job;
use crate::tui::program::Program;
use crate::tui::screen::ScreenId;
use crate::tui::state::State as Tui;
use crate::tui::update;

/// A deploy that was read, ready to be gone through.
#[derive(Debug)]
pub struct Past {
    deploy: Arc<Deploy>,
    plan: Arc<Plan>,
    program: Arc<Program>,
    /// The program says today what it said then.
    is_same: bool,
}

impl Past {
    /// `program` is that of today.
    pub fn new(deploy: Deploy, program: Option<Arc<Program>>) -> Self {
        // What was recorded is not all that was planned: by its own hash nobody knows it.
        let plan = deploy.begin.plan.clone().unwrap_or_default();
        let plan = Arc::new(Plan { plan, ..replay::as_begun(&deploy) });
        let today = program.filter(|program| graph_hash(&program.graph) == deploy.graph());
        let is_same = today.is_some();
        let program = today.unwrap_or_else(|| {
            let (graph, sources) = (replay::as_graph(&deploy), Sources::default());
            Arc::new(Program::new(Compiled::new(graph, sources, Diagnostics::new(Stage::Eval))))
        });
        Self { deploy: Arc::new(deploy), plan, program, is_same }
    }
}

impl State {
    /// Whether a deploy of the past is on show.
    pub fn is_past(&self) -> bool {
        self.replays.is_some()
    }

    /// What an undo that is gone through left as it was, and why: it may be as far from in sync as a command that ran.
    pub(super) fn left_words<'a>(&self, step: &'a Step) -> Option<&'a str> {
        let is_left = self.is_past() && self.replays_undo && step.action == Action::None && !step.note.is_empty();
        is_left.then_some(step.note.as_str())
    }

    /// Whether nobody knows what was planned of a step of a deploy that is gone through, which did not come to act.
    pub(super) fn is_untold(&self, step: &Step) -> bool {
        self.is_past() && step.not_reached == Some(NotReached::NotKnown)
    }

    /// Whether all that is known of a step of such a deploy is what was planned.
    pub(super) fn is_only_planned(&self, step: &Step) -> bool {
        self.is_past() && step.not_reached == Some(NotReached::OnlyPlanned)
    }

    /// What a deploy that is gone through was to do, by action, whatever came of it; and of how many steps nobody knows.
    pub(super) fn was_to_do(&self, plan: &Plan) -> (Summary, u32) {
        let (mut sums, mut untold) = (Summary::default(), 0);
        for step in plan.steps.iter().filter(|step| self.left_words(step).is_none()) {
            match self.is_untold(step) {
                true => untold += 1,
                false => rows::count(&mut sums, (step.action, step.refresh), true),
            }
        }
        (sums, untold)
    }
}

/// Asks for the deploy under the cursor of Deploys.
pub fn ask(tui: &mut Tui) -> Vec<Effect> {
    let Some(deploy) = tui.deploys.selected() else { return vec![] };
    update::log_command(tui, format!("workbench deploy show {deploy} --replay"));
    tui.start(Job::History);
    vec![Effect::ReadPast { deploy, program: tui.good.clone() }]
}

/// Shows it, before its first turn.
pub fn begin(tui: &mut Tui, past: Result<Box<Past>, String>) -> Vec<Effect> {
    let past = match past {
        Ok(past) => past,
        Err(words) => {
            tui.say(Role::Error, words);
            return vec![];
        }
    };
    if tui.step.live.is_live() {
        tui.say(Role::Warning, "this machine is being changed; go back in time when that is over");
        return vec![];
    }
    let Past { deploy, plan, program, is_same } = *past;
    tui.screen = ScreenId::Step;
    let mut effects = watch::end(tui);
    let state = &mut tui.step;
    (state.plan, state.program, state.replays) = (Some(plan), Some(program), Some(deploy.begin.deploy));
    (state.turn, state.redo) = (tui.turn, None);
    state.replays_undo = matches!(deploy.begin.purpose, Purpose::Undo { .. });
    state.live.disarm();
    reset(state);
    leave_out_of_sums(state);
    state.list.cursor = 0;
    let state = &tui.step;
    effects.push(Effect::Replay { past: deploy, run: state.run });
    effects.extend(breaks::renew(tui));
    let source = if is_same { "" } else { "; the program says something else today, so places are not known" };
    tui.say(Role::Note, format!("s or l: one turn on, h or Z: back, c: to a failure or the end; p plans anew{source}"));
    effects
}

/// What an undo left is no step that is in sync, also before its turn came; nor is that of which nobody knows what was planned.
fn leave_out_of_sums(state: &mut State) {
    let Some(plan) = state.plan.clone() else { return };
    let left = plan.steps.iter().filter(|step| state.left_words(step).is_some() || state.is_untold(step));
    let left = left.map(|step| step.resource.clone()).collect();
    state.rows.leave_out(&plan, &left);
}
