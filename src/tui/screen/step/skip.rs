//! Skips in advance: a skipped resource is passed over in its turn.

use std::collections::BTreeSet;

use super::State;
use crate::engine::message::{Request, TurnState};
use crate::graph::ResourceId;
use crate::plan::Action as Plans;
use crate::tui::effect::Effect;
use crate::tui::keymap::Action;
use crate::tui::layer::Question;
use crate::tui::look::Role;
use crate::tui::parity;
use crate::tui::state::State as Tui;

impl State {
    /// Whether a pending row will be skipped.
    pub(super) fn is_left_out(&self, id: &ResourceId, turn: &TurnState) -> bool {
        *turn == TurnState::Waiting && self.skips.left_out.contains(id)
    }
}

/// A new run starts without any skip; forgets resources that are no longer in the program.
pub(super) fn renew(tui: &mut Tui) -> Vec<Effect> {
    let State { skips, list, .. } = &mut tui.screens.step;
    skips.left_out.retain(|id| list.rows.find(id).is_some());
    recount(&mut tui.screens.step);
    let all = tui.screens.step.skips.left_out.iter().cloned();
    all.map(|resource| Effect::Send(Request::LeaveOut { resource, on: true })).collect()
}

/// Skips or includes resources; asks if dependents would be blocked.
pub fn toggle(tui: &mut Tui, ids: Vec<ResourceId>) -> Vec<Effect> {
    let state = &tui.screens.step;
    let waits = |id: &ResourceId| state.list.rows.find(id).is_none_or(|row| row.state == TurnState::Waiting);
    let (ids, turned): (Vec<_>, Vec<_>) = ids.into_iter().partition(waits);
    if let (true, Some(id)) = (ids.is_empty(), turned.first()) {
        let words = format!("{id} is already done; Z steps back before it");
        tui.cx.show_notice(Role::Warning, words);
        return vec![];
    }
    if ids.iter().all(|id| state.skips.left_out.contains(id)) {
        if let (true, Some(id)) = (state.live.is_live(), ids.first()) {
            let words = format!("{id} will be skipped; r retries it after that");
            tui.cx.show_notice(Role::Warning, words);
            return vec![];
        }
        return set(tui, ids, false);
    }
    let blocked = blocked(tui, &ids);
    if blocked.is_empty() {
        return set(tui, ids, true);
    }
    const MOST: usize = 8;
    let name = if let [id] = &ids[..] { id.to_string() } else { format!("{} resources", ids.len()) };
    let dependents = if blocked.len() == 1 { "1 dependent".into() } else { format!("{} dependents", blocked.len()) };
    let mut lines = vec![format!("Skip {name}? This blocks {dependents}:")];
    lines.extend(blocked.iter().take(MOST).map(|id| format!("  {} {id}", tui.cx.look.glyphs.blocked)));
    if blocked.len() > MOST {
        lines.push(format!("  and {} more", blocked.len() - MOST));
    }
    tui.screens.step.skips.leaving = ids;
    tui.cx.layers.open.push(Question::yes(lines, Action::LeaveOut).into());
    vec![]
}

/// Skips the confirmed resources.
pub fn agreed(tui: &mut Tui) -> Vec<Effect> {
    let ids = std::mem::take(&mut tui.screens.step.skips.leaving);
    set(tui, ids, true)
}

fn set(tui: &mut Tui, ids: Vec<ResourceId>, on: bool) -> Vec<Effect> {
    let mut effects = Vec::new();
    let words = match (&ids[..], on) {
        ([id], true) => format!("{id} will be skipped"),
        ([id], false) => format!("{id} is included again"),
        (_, true) => format!("{} resources will be skipped", ids.len()),
        (_, false) => format!("{} resources are included again", ids.len()),
    };
    for id in ids {
        let quoted = id.0.replace('\'', "'\\''");
        if !tui.screens.step.live.is_live() {
            tui.cx.log_command(format!("workbench step {} --script 'x {quoted}'", parity::entry_words(&tui.cx)));
        }
        if on {
            tui.screens.step.skips.left_out.insert(id.clone());
        } else {
            tui.screens.step.skips.left_out.remove(&id);
        }
        if tui.screens.step.is_loaded() {
            effects.push(Effect::Send(Request::LeaveOut { resource: id, on }));
        }
    }
    recount(&mut tui.screens.step);
    tui.cx.show_notice(Role::Note, words);
    effects
}

/// Updates the sums to the resources that are not skipped.
fn recount(state: &mut State) {
    if let Some(plan) = &state.plan {
        state.list.rows.leave_out(plan, &state.skips.left_out);
    }
}

/// The pending dependents that would be blocked, beside those that are skipped already.
fn blocked(tui: &Tui, ids: &[ResourceId]) -> Vec<ResourceId> {
    let state = &tui.screens.step;
    let Some(program) = state.program().or(tui.cx.graphed()) else { return vec![] };
    let mut seen: BTreeSet<&ResourceId> = ids.iter().chain(&state.skips.left_out).collect();
    let mut blocked = Vec::new();
    // An unchanged resource can be skipped without harm.
    for id in ids.iter().filter(|id| state.action_of(id) != Some(Plans::None)) {
        let Some(node) = program.graph.find(id) else { continue };
        for dependent in program.dependents(node) {
            let id = program.id(dependent);
            let waits = state.list.rows.find(id).is_none_or(|row| row.state == TurnState::Waiting);
            if waits && program.graph.resource(dependent).is_some() && seen.insert(id) {
                blocked.push(id.clone());
            }
        }
    }
    blocked
}
