//! The cursor: the selected and visible rows, and the scroll position of each pane.

use super::{State, changes, order, output, panes};
use crate::graph::{NodeIndex, ResourceId};
use crate::tui::effect::Effect;
use crate::tui::screen::{Pane, ScreenId};
use crate::tui::state::State as Tui;
use crate::tui::widget::list::Move;

/// Selects a resource.
pub fn select(tui: &mut Tui, id: &ResourceId) {
    if tui.screens.step.list.rows.position(id).is_none() {
        widen(tui);
        filter(tui, "");
    }
    if tui.screens.step.list.show(id) {
        (tui.screens.step.shows.summary, tui.screens.step.cursor.follows) = (false, false);
        moved(&mut tui.screens.step);
    }
}

/// Shows the plan's summary beside the order, or the whole plan as one diff.
pub fn show_summary(tui: &mut Tui, is_diff: bool) {
    tui.cx.window.zoom = is_diff;
    let step = &mut tui.screens.step;
    (step.shows.summary, step.shows.whole_diff, step.shows.against, step.shows.panes) =
        (true, is_diff, None, Default::default());
    step.shows.compared = None;
    tui.cx.set_focus(if is_diff { Pane::Stop } else { Pane::Order });
}

/// The user moved the cursor: it stays until the next step; on the next step it follows the run.
fn moved(state: &mut State) {
    state.cursor.is_moved = state.cursor_id() != state.next_id();
    state.cursor.reopened = state.cursor.reopened.map(|_| false);
}

/// Selects the running step while a run continues, until the user moves the cursor.
fn follow(state: &mut State) {
    let follows = state.cursor.follows && state.running;
    let latest = state.list.rows.run.latest().filter(|_| follows).and_then(|id| state.list.rows.position(id));
    if let Some(at) = latest.filter(|at| *at != state.list.cursor()) {
        state.list.at.cursor = at;
        state.shows.panes = Default::default();
    }
}

pub fn go(tui: &mut Tui, pane: Pane, step: Move, count: usize) -> Vec<Effect> {
    let (width, height) = tui.cx.room(pane);
    if pane == Pane::Output {
        output::go(tui, step, count, height);
    } else if pane == Pane::Order {
        let below = order::below(tui, height);
        tui.screens.step.list.go(step, count, height.saturating_sub(below));
        (tui.screens.step.shows.summary, tui.screens.step.cursor.follows) = (false, false);
        moved(&mut tui.screens.step);
        tui.screens.step.shows.panes = Default::default();
    } else {
        let len = panes::body(tui, pane, width).len();
        tui.screens.step.shows.panes[panes::slot(pane)].scroll(step, count, len, height);
    }
    vec![]
}

pub fn click(tui: &mut Tui, row: usize) -> Vec<Effect> {
    if tui.screens.step.list.click(row).is_some() {
        (tui.screens.step.shows.summary, tui.screens.step.cursor.follows) = (false, false);
        moved(&mut tui.screens.step);
        tui.screens.step.shows.panes = Default::default();
    }
    vec![]
}

pub fn filter(tui: &mut Tui, words: &str) {
    let state = &mut tui.screens.step;
    state.cursor.follows = false;
    let graph = state.program.as_ref().map(|program| program.graph.clone());
    let stale = &state.stale;
    state.list.filter(words, |rows, words| rows.filter(words, graph.as_deref(), stale));
    // A search should show the row that it finds.
    if !words.trim().is_empty() && !tui.screens.step.list.is_empty() {
        tui.screens.step.shows.summary = false;
    }
}

/// Applies the filter to new rows; the cursor stays on its resource.
pub(super) fn filter_again(state: &mut State) {
    let (words, graph) = (state.list.words().to_owned(), state.program.as_ref().map(|program| program.graph.clone()));
    let stale = &state.stale;
    state.list.renew(|rows| rows.filter(&words, graph.as_deref(), stale));
}

/// Shows only this resource, its requirements and its dependents; the same key again shows all.
pub(super) fn toggle_only(tui: &mut Tui) {
    let only = if tui.screens.step.shows.only.is_some() { None } else { tui.screens.step.cursor_id().cloned() };
    show_only(tui, only);
}

/// Shows all rows; false if they are already shown.
pub fn widen(tui: &mut Tui) -> bool {
    let was_narrow = tui.screens.step.shows.only.is_some();
    if was_narrow {
        show_only(tui, None);
    }
    was_narrow
}

fn show_only(tui: &mut Tui, only: Option<ResourceId>) {
    let words = tui.screens.step.list.words().to_owned();
    look_around(&mut tui.screens.step, only);
    filter(tui, &words);
}

/// Finds the rows around a resource; shows all if it no longer exists.
pub(super) fn look_around(state: &mut State, only: Option<ResourceId>) {
    let program = state.program.clone();
    let found =
        program.as_ref().zip(only.as_ref()).and_then(|(program, id)| Some((program, program.graph.find(id)?.0)));
    let near = found.map(|(program, node)| {
        let (needs, needed_by) = (program.wiring.reach(node, false), program.wiring.reach(node, true));
        let nodes = needs.into_iter().zip(needed_by).enumerate().filter(|(_, (needed, needs))| *needed || *needs);
        nodes.map(|(at, _)| program.id(NodeIndex(at as u32)))
    });
    state.shows.only = only.filter(|_| near.is_some());
    state.list.rows.look_around(near);
}

pub fn clamp(tui: &mut Tui) {
    follow(&mut tui.screens.step);
    tui.screens.step.shows.whole_diff &= tui.screens.step.shows.summary;
    changes::want(tui);
    let (_, height) = tui.cx.room(Pane::Order);
    let below = order::below(tui, height);
    tui.screens.step.list.clamp(height.saturating_sub(below));
    for (pane, _) in tui.cx.layout().panes {
        // At its top a pane needs no clamping; counting its lines may be slow.
        let is_scrolled = pane.screen() == ScreenId::Step && tui.screens.step.shows.panes[panes::slot(pane)].offset > 0;
        if tui.cx.panes().contains(&pane) && !matches!(pane, Pane::Order | Pane::Output) && is_scrolled {
            let (width, height) = tui.cx.room(pane);
            let len = panes::body(tui, pane, width).len();
            tui.screens.step.shows.panes[panes::slot(pane)].clamp_text(len, height);
        }
    }
}
