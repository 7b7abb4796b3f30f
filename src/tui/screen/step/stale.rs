//! Changes on the machine since the plan was made: the plan is stale and marks the rows, until they are re-checked.
//!
//! The rows stay as planned, so that nothing moves under the cursor.

use std::sync::Arc;

use crate::engine::message::TurnState;
use crate::graph::ResourceId;
use crate::session::Outdated;
use crate::source::printable;
pub use crate::tui::screen::step::data::Stale as State;
use crate::tui::{cx::Cx, effect::Effect, look::Role, screen::ScreenId, screen::log::Source, screen::step::PlanScreen};

/// Shown instead of the certainty if the machine has changed since; its first letter if there is no room.
pub const STALE: &str = "stale";

impl super::State {
    /// How the state of a pending resource differs from the plan, in words.
    pub fn stale_words(&self, id: &ResourceId) -> Option<&str> {
        self.stale.words(id).filter(|_| self.list.rows.find(id).is_some_and(|row| row.state == TurnState::Waiting))
    }
}

impl State {
    /// The stale resources, in the order of names.
    pub fn resources(&self) -> impl Iterator<Item = &ResourceId> {
        self.found.keys()
    }

    /// How the state of a resource differs from the plan, in words.
    pub fn words(&self, id: &ResourceId) -> Option<&str> {
        self.found.get(id).map(String::as_str)
    }

    pub fn is_stale(&self) -> bool {
        !self.found.is_empty()
    }
}

/// What to watch: a plan that the user may step through or apply, and no other.
pub fn pending_effects(screen: &mut PlanScreen, cx: &mut Cx) {
    // Applied resources have their own watch, and a live run checks each step. A screenshot waits for nothing.
    let is_wanted = cx.project.can_apply && screen.phase.is_dry() && !screen.watch.is_on();
    let wanted = screen.program.as_ref().zip(screen.plan.as_ref()).filter(|_| is_wanted);
    let watched = screen.stale.watched.as_ref();
    let is_same = match (watched, wanted) {
        (Some((graph, plan)), Some((program, wanted))) => {
            Arc::ptr_eq(graph, &program.graph) && Arc::ptr_eq(plan, wanted)
        }
        (None, None) => true,
        _ => false,
    };
    if is_same {
        return;
    }
    let watched = wanted.map(|(program, plan)| (Arc::clone(&program.graph), Arc::clone(plan)));
    let run = screen.stale.run + 1;
    screen.stale = State { run, watched: watched.clone(), found: Outdated::new() };
    cx.effect(match watched {
        Some((graph, plan)) => Effect::WatchPlan { graph, plan, run },
        None => Effect::EndPlanWatch,
    })
}

pub fn on_outdated(screen: &mut PlanScreen, cx: &mut Cx, run: u64, found: Outdated) {
    let stale = &mut screen.stale;
    if run != stale.run || stale.watched.is_none() {
        return;
    }
    let before = std::mem::replace(&mut stale.found, found);
    let found = stale.found.clone();
    let is_new = |id: &&ResourceId| before.get(*id) != found.get(*id);
    let news: Vec<_> = found.keys().filter(is_new).collect();
    for id in &news {
        cx.report(Source::Run, format!("{id}  {}; it changed since the plan", printable(&found[*id])));
    }
    let again = before.keys().filter(|id| !found.contains_key(*id));
    for id in again {
        cx.report(Source::Run, format!("{id}  matches the plan again"));
    }
    let way_out = if cx.screen == ScreenId::Step { "Ctrl-r re-checks" } else { "see Plan" };
    match (news.first(), found.len()) {
        (_, 0) => cx.show_notice(Role::Good, "everything matches the plan again"),
        (Some(id), 1) => cx.show_notice(Role::Warning, format!("{id} changed since the plan; {way_out}")),
        (Some(id), all) => {
            cx.show_notice(Role::Warning, format!("{id} and {} more changed since the plan; {way_out}", all - 1));
        }
        (None, _) => {}
    }
}
