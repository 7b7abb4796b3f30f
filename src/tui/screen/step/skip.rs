//! Skips in advance: a skipped resource is passed over in its turn.

use std::collections::BTreeSet;

use super::{State, phase::DryRequest};
use crate::engine::message::TurnState;
use crate::graph::ResourceId;
use crate::plan::Action as Plans;
use crate::tui::{
    cx::Cx, keymap::Action, layer::Question, look::Role, parity, program::Program, screen::step::PlanScreen,
};

impl State {
    /// Whether a pending row will be skipped.
    pub(super) fn is_left_out(&self, id: &ResourceId, turn: &TurnState) -> bool {
        *turn == TurnState::Waiting && self.skips.left_out.contains(id)
    }
}

/// A new run starts without any skip; forgets resources that are no longer in the program.
pub(super) fn renew(screen: &mut PlanScreen, cx: &mut Cx) {
    let State { skips, list, .. } = &mut *screen;
    skips.left_out.retain(|id| list.rows.find(id).is_some());
    recount(screen);
    let all = screen.skips.left_out.iter().cloned();
    all.for_each(|resource| cx.effect(screen.request(DryRequest::LeaveOut { resource, on: true })));
}

/// Skips or includes resources; asks if dependents would be blocked.
pub fn toggle(screen: &mut PlanScreen, cx: &mut Cx, ids: Vec<ResourceId>) {
    let waits = |id: &ResourceId| screen.list.rows.find(id).is_none_or(|row| row.state == TurnState::Waiting);
    let (ids, turned): (Vec<_>, Vec<_>) = ids.into_iter().partition(waits);
    if let (true, Some(id)) = (ids.is_empty(), turned.first()) {
        let words = format!("{id} is already done; Z steps back before it");
        return cx.show_notice(Role::Warning, words);
    }
    if ids.iter().all(|id| screen.skips.left_out.contains(id)) {
        if let (true, Some(id)) = (screen.phase.is_live(), ids.first()) {
            let words = format!("{id} will be skipped; r retries it after that");
            return cx.show_notice(Role::Warning, words);
        }
        return set(screen, cx, ids, false);
    }
    let blocked = blocked(screen, cx, &ids);
    if blocked.is_empty() {
        return set(screen, cx, ids, true);
    }
    const MOST: usize = 8;
    let name = if let [id] = &ids[..] { id.to_string() } else { format!("{} resources", ids.len()) };
    let dependents = if blocked.len() == 1 { "1 dependent".into() } else { format!("{} dependents", blocked.len()) };
    let mut lines = vec![format!("Skip {name}? This blocks {dependents}:")];
    lines.extend(blocked.iter().take(MOST).map(|id| format!("  {} {id}", cx.look.glyphs.blocked)));
    if blocked.len() > MOST {
        lines.push(format!("  and {} more", blocked.len() - MOST));
    }
    screen.skips.leaving = ids;
    cx.layers.open.push(Question::yes(lines, Action::LeaveOut).into());
}

pub fn agreed(screen: &mut PlanScreen, cx: &mut Cx) {
    let ids = std::mem::take(&mut screen.skips.leaving);
    set(screen, cx, ids, true)
}

fn set(screen: &mut PlanScreen, cx: &mut Cx, ids: Vec<ResourceId>, on: bool) {
    let words = match (&ids[..], on) {
        ([id], true) => format!("{id} will be skipped"),
        ([id], false) => format!("{id} is included again"),
        (_, true) => format!("{} resources will be skipped", ids.len()),
        (_, false) => format!("{} resources are included again", ids.len()),
    };
    for id in ids {
        let quoted = id.0.replace('\'', "'\\''");
        if !screen.phase.is_live() {
            cx.log_command(format!("workbench step {} --script 'x {quoted}'", parity::entry_words(cx)));
        }
        if on {
            screen.skips.left_out.insert(id.clone());
        } else {
            screen.skips.left_out.remove(&id);
        }
        if screen.is_loaded() {
            cx.effect(screen.request(DryRequest::LeaveOut { resource: id, on }));
        }
    }
    recount(screen);
    cx.show_notice(Role::Note, words);
}

/// Updates the sums to the resources that are not skipped, and not blocked by a skip.
fn recount(state: &mut State) {
    let Some(plan) = &state.plan else { return };
    let left: Vec<&ResourceId> = state.skips.left_out.iter().collect();
    let blocked: Vec<ResourceId> = match &state.program {
        Some(program) => behind(state, program, &left).into_iter().cloned().collect(),
        None => vec![],
    };
    state.list.rows.leave_out(plan, &state.skips.left_out, &blocked);
}

/// The pending dependents that would be blocked, beside those that are skipped already.
fn blocked(screen: &PlanScreen, cx: &Cx, ids: &[ResourceId]) -> Vec<ResourceId> {
    let Some(program) = screen.program().or(cx.graphed()) else { return vec![] };
    let all = behind(screen, program, &ids.iter().collect::<Vec<_>>()).into_iter();
    let waits = |id: &&ResourceId| screen.list.rows.find(id).is_none_or(|row| row.state == TurnState::Waiting);
    all.filter(waits).filter(|id| !screen.skips.left_out.contains(*id)).cloned().collect()
}

/// The resources that a skip of these blocks, beside themselves. An unchanged one can be skipped without harm.
pub fn behind<'p>(state: &State, program: &'p Program, ids: &[&ResourceId]) -> Vec<&'p ResourceId> {
    let mut seen: BTreeSet<&ResourceId> = ids.iter().copied().collect();
    let mut blocked = Vec::new();
    for id in ids.iter().filter(|id| state.action_of(id) != Some(Plans::None)) {
        let Some(node) = program.graph.find(id) else { continue };
        for dependent in program.dependents(node) {
            let id = program.id(dependent);
            if program.graph.resource(dependent).is_some() && seen.insert(id) {
                blocked.push(id);
            }
        }
    }
    blocked
}
