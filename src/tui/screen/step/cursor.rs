//! The cursor: the selected and visible rows, and the scroll position of each pane.

use super::{State, changes, order, output, panes};
use super::{phase::Busy, redo::Picked};
use crate::graph::{NodeIndex, ResourceId};
use crate::tui::screen::{Pane, ScreenId};
use crate::tui::{cx::Cx, screen::step::PlanScreen, widget::list::Move};

pub fn select(screen: &mut PlanScreen, id: &ResourceId) {
    if screen.list.rows.position(id).is_none() {
        widen(screen);
        filter(screen, "");
    }
    if screen.list.show(id) {
        screen.shows.summary = false;
        moved(screen);
    }
}

/// Shows the plan's summary beside the order, or the whole plan as one diff.
pub fn show_summary(screen: &mut PlanScreen, cx: &mut Cx, is_diff: bool) {
    cx.window.zoom = is_diff;
    (screen.shows.summary, screen.shows.whole_diff, screen.shows.against, screen.shows.panes) =
        (true, is_diff, None, Default::default());
    screen.shows.compared = None;
    cx.set_focus(if is_diff { Pane::Stop } else { Pane::Order });
}

/// The user moved the cursor: it stays until the next step; on the next step it follows the run.
fn moved(state: &mut State) {
    state.cursor.is_moved = state.cursor_id() != state.next_id();
    state.follow_no_more();
    let repeat = state.phase.run_mut().and_then(|run| run.repeat.as_mut()).and_then(|repeat| repeat.goes.as_mut());
    let later = state.later.redo.as_mut().and_then(|redo| redo.goes.as_mut());
    repeat.into_iter().chain(later).for_each(|goes| *goes = false);
}

impl State {
    /// Whether the run continues, and the cursor follows its rows.
    pub(super) fn follows(&self) -> bool {
        self.phase.run().is_some_and(|run| matches!(run.busy, Some(Busy::Going { follows: true, .. })))
    }

    /// The cursor no longer follows the running rows.
    pub(super) fn follow_no_more(&mut self) {
        if let Some(Busy::Going { follows, .. }) = self.phase.run_mut().and_then(|run| run.busy.as_mut()) {
            *follows = false;
        }
    }

    /// A resource becomes next out of order.
    pub(super) fn pick(&mut self, id: ResourceId, picked: Picked) {
        self.phase.run_mut().into_iter().for_each(|run| run.picked = Some((id.clone(), picked)));
    }
}

/// Selects the running step while a run continues, until the user moves the cursor.
fn follow(state: &mut State) {
    let latest = state.list.rows.run.latest().filter(|_| state.follows()).and_then(|id| state.list.rows.position(id));
    if let Some(at) = latest.filter(|at| *at != state.list.cursor()) {
        state.list.at.cursor = at;
        state.shows.panes = Default::default();
    }
}

pub(super) fn go(screen: &mut PlanScreen, cx: &mut Cx, pane: Pane, step: Move, count: usize) {
    let (width, height) = cx.room(pane);
    if pane == Pane::Output {
        output::go(screen, cx, step, count, height);
    } else if pane == Pane::Order {
        let below = order::below(screen, cx, height);
        screen.list.go(step, count, height.saturating_sub(below));
        screen.shows.summary = false;
        moved(screen);
        screen.shows.panes = Default::default();
    } else {
        let len = panes::body(screen, cx, pane, width).len();
        screen.shows.panes[panes::slot(pane)].scroll(step, count, len, height);
    }
}

pub(super) fn click(screen: &mut PlanScreen, row: usize) {
    if screen.list.click(row).is_some() {
        screen.shows.summary = false;
        moved(screen);
        screen.shows.panes = Default::default();
    }
}

pub(super) fn filter(screen: &mut PlanScreen, words: &str) {
    screen.follow_no_more();
    let graph = screen.program.as_ref().map(|program| program.graph.clone());
    let stale = &screen.stale;
    screen.list.filter(words, |rows, words| rows.filter(words, graph.as_deref(), stale));
    // A search should show the row that it finds.
    if !words.trim().is_empty() && !screen.list.is_empty() {
        screen.shows.summary = false;
    }
}

/// Applies the filter to new rows; the cursor stays on its resource.
pub(super) fn filter_again(state: &mut State) {
    let (words, graph) = (state.list.words().to_owned(), state.program.as_ref().map(|program| program.graph.clone()));
    let stale = &state.stale;
    state.list.renew(|rows| rows.filter(&words, graph.as_deref(), stale));
}

/// Shows only this resource, its requirements and its dependents; the same key again shows all.
pub(super) fn toggle_only(screen: &mut PlanScreen) {
    let only = if screen.shows.only.is_some() { None } else { screen.cursor_id().cloned() };
    show_only(screen, only);
}

/// Shows all rows; false if they are already shown.
pub fn widen(screen: &mut PlanScreen) -> bool {
    let was_narrow = screen.shows.only.is_some();
    if was_narrow {
        show_only(screen, None);
    }
    was_narrow
}

fn show_only(screen: &mut PlanScreen, only: Option<ResourceId>) {
    let words = screen.list.words().to_owned();
    look_around(screen, only);
    filter(screen, &words);
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

pub(super) fn clamp(screen: &mut PlanScreen, cx: &mut Cx) {
    follow(screen);
    screen.shows.whole_diff &= screen.shows.summary;
    changes::want(screen, cx);
    let (_, height) = cx.room(Pane::Order);
    let below = order::below(screen, cx, height);
    screen.list.clamp(height.saturating_sub(below));
    for (pane, _) in cx.layout().panes {
        // At its top a pane needs no clamping; counting its lines may be slow.
        let is_scrolled = pane.screen() == ScreenId::Step && screen.shows.panes[panes::slot(pane)].offset > 0;
        if cx.panes().contains(&pane) && !matches!(pane, Pane::Order | Pane::Output) && is_scrolled {
            let (width, height) = cx.room(pane);
            let len = panes::body(screen, cx, pane, width).len();
            screen.shows.panes[panes::slot(pane)].clamp_text(len, height);
        }
    }
}
