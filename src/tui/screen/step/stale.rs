//! What was changed on the machine since the plan was made: the plan is stale, and says where, until that is looked at again.
//!
//! The rows stay as they were planned, so that nothing moves under the hand of whoever steps.

use std::sync::Arc;

use super::live::Phase;
use crate::engine::message::TurnState;
use crate::graph::{Graph, ResourceId};
use crate::plan::Plan;
use crate::session::Outdated;
use crate::source::printable;
use crate::tui::effect::Effect;
use crate::tui::look::Role;
use crate::tui::screen::ScreenId;
use crate::tui::screen::log::Source;
use crate::tui::state::State as Tui;
use crate::tui::update;

/// What is known of it.
#[derive(Debug, Default)]
pub struct State {
    /// Counts watches, so that one that was ended is not listened to.
    run: u64,
    /// The plan under watch, with its graph.
    watched: Option<(Arc<Graph>, Arc<Plan>)>,
    found: Outdated,
}

/// What stands in the place of how sure a step is where the machine is not as it was when that was said; where there is no
/// room, its first letter.
pub const STALE: &str = "stale";

impl super::State {
    /// In words how what waits for its turn is found otherwise than it was planned, if it is.
    pub fn stale_words(&self, id: &ResourceId) -> Option<&str> {
        self.stale.words(id).filter(|_| self.rows.find(id).is_some_and(|row| row.state == TurnState::Waiting))
    }
}

impl State {
    /// What does not hold any more, in the order of names.
    pub fn resources(&self) -> impl Iterator<Item = &ResourceId> {
        self.found.keys()
    }

    /// In words how a resource is found otherwise than it was planned, if it is.
    pub fn words(&self, id: &ResourceId) -> Option<&str> {
        self.found.get(id).map(String::as_str)
    }

    pub fn is_stale(&self) -> bool {
        !self.found.is_empty()
    }
}

/// What the watch is to do: a plan that somebody may step through or arm is under watch, and no other.
pub fn due(tui: &mut Tui) -> Option<Effect> {
    let step = &tui.step;
    // What was put in place is watched as such, and what is live is looked at in its turn. A picture waits for nothing.
    let is_wanted = tui.can_apply && step.live.phase == Phase::Dry && !step.watch.is_on() && !tui.events.is_on();
    let wanted = step.program.as_ref().zip(step.plan.as_ref()).filter(|_| is_wanted);
    let watched = step.stale.watched.as_ref();
    let is_same = match (watched, wanted) {
        (Some((graph, plan)), Some((program, wanted))) => {
            Arc::ptr_eq(graph, &program.graph) && Arc::ptr_eq(plan, wanted)
        }
        (None, None) => true,
        _ => false,
    };
    if is_same {
        return None;
    }
    let watched = wanted.map(|(program, plan)| (Arc::clone(&program.graph), Arc::clone(plan)));
    let run = step.stale.run + 1;
    tui.step.stale = State { run, watched: watched.clone(), found: Outdated::new() };
    Some(match watched {
        Some((graph, plan)) => Effect::WatchPlan { graph, plan, run },
        None => Effect::EndPlanWatch,
    })
}

/// Handles a report of the watch.
pub fn told(tui: &mut Tui, run: u64, found: Outdated) {
    let stale = &mut tui.step.stale;
    if run != stale.run || stale.watched.is_none() {
        return;
    }
    let before = std::mem::replace(&mut stale.found, found);
    let found = stale.found.clone();
    let is_news = |id: &&ResourceId| before.get(*id) != found.get(*id);
    let news: Vec<_> = found.keys().filter(is_news).collect();
    for id in &news {
        update::log(tui, Source::Run, format!("{id}  {}; it changed since the plan", printable(&found[*id])));
    }
    let again = before.keys().filter(|id| !found.contains_key(*id));
    for id in again {
        update::log(tui, Source::Run, format!("{id}  matches the plan again"));
    }
    let way_out = if tui.screen == ScreenId::Step { "Ctrl-r re-checks" } else { "see Plan" };
    match (news.first(), found.len()) {
        (_, 0) => tui.say(Role::Good, "everything matches the plan again"),
        (Some(id), 1) => tui.say(Role::Warning, format!("{id} changed since the plan; {way_out}")),
        (Some(id), all) => {
            tui.say(Role::Warning, format!("{id} and {} more changed since the plan; {way_out}", all - 1));
        }
        (None, _) => {}
    }
}
