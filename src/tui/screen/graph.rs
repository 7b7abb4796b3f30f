//! Graph: the resources as rails or as a tree, with filters and folds, and the details of the selected one.

pub mod draw;
pub mod export;
mod front;
mod narrow;
mod node;
mod rows;
mod verbs;
pub mod data;

use std::sync::Arc;

use ratatui::prelude::{Buffer, Rect};

use super::{Beside, Pane, Screen};
use crate::graph::NodeIndex;
use crate::graph::view::{Drawn, Fold, FoldKey, Folds, What, innermost, rows};
use crate::tui::cx::{Cx, Request};
use crate::tui::list::Rows as _;
pub use crate::tui::screen::graph::data::State;
use crate::tui::screen::graph::data::State as Graph;
use crate::tui::screen::step::data::State as Step;
use crate::tui::widget::list::{List, Move};
use crate::tui::{effect::Effect, front::Front, keymap::Action, look::Role, message::Job, program::Program};
pub use draw::{Ask, View, draw};
use narrow::Lens;
use verbs::{close, fold, look_through, open};

impl State {
    pub fn view(&self) -> View {
        self.view
    }

    pub fn lens(&self) -> &Lens {
        &self.lens
    }

    pub(super) fn picture(&self) -> &Drawn {
        &self.list.rows
    }

    /// Whether some nodes are hidden.
    pub fn is_narrowed(&self) -> bool {
        !self.list.words().is_empty() || self.lens != Lens::All
    }

    pub fn selected(&self) -> Option<NodeIndex> {
        let at = self.list.cursor();
        self.chosen.filter(|node| self.list.rows.find(node) == Some(at)).or_else(|| self.list.selected())
    }

    /// The nodes of the row under the cursor: more than one on a fold.
    pub fn selected_all(&self) -> Vec<NodeIndex> {
        self.picture().nodes_at(self.list.cursor()).iter().copied().map(NodeIndex).collect()
    }

    /// The kind of the selected row.
    fn what(&self) -> Option<What> {
        self.picture().row_at(self.list.cursor()).map(|row| row.what)
    }

    /// The fold under the cursor.
    fn fold(&self) -> Option<&Fold> {
        match self.what()? {
            What::Fold(fold) => self.picture().folds.get(fold as usize),
            _ => None,
        }
    }

    /// The folds of the view.
    fn folds(&mut self) -> &mut Folds {
        &mut self.folds[usize::from(self.view == View::Tree)]
    }
}

/// The graph was replaced: the cursor stays on its resource, and the graph is drawn again.
pub fn replaced(graph: &mut Graph, step: &Step, cx: &mut Cx, old: Option<&Program>) {
    let Some(program) = cx.graphed().cloned() else { return };
    if old.is_some_and(|old| old.graph.has_shape_of(&program.graph)) {
        return;
    }
    // Until the user folds, the innermost containers are folded.
    let before = old.map(|old| innermost(&old.graph)).unwrap_or_default();
    if graph.folds[0] == before {
        graph.folds[0] = innermost(&program.graph);
    }
    let kept = old.and_then(|old| Some(old.id(graph.selected()?).clone()));
    let kept = kept.and_then(|id| program.graph.find(&id));
    redraw(graph, step, cx, kept);
}

/// The view has changed: shows a plain list until it is drawn.
fn redraw(graph: &mut Graph, step: &Step, cx: &Cx, kept: Option<NodeIndex>) {
    let words = graph.list.words().to_owned();
    graph.list.rows = plain(graph, step, cx, &words);
    graph.is_outdated = true;
    put_cursor(graph, kept);
}

/// The visible nodes as a plain list.
fn plain(graph: &mut Graph, step: &Step, cx: &Cx, words: &str) -> Arc<Drawn> {
    let Some(program) = cx.graphed().cloned() else { return graph.list.rows.clone() };
    graph.shown = narrow::shown(graph, step, &program, words).map(Arc::new);
    let rows = (graph.view == View::Rails).then(|| rows(&program.graph, graph.shown.as_deref().map(|all| &all[..])));
    let shown = rows.as_deref().or(graph.shown.as_deref().map(|all| &all[..]));
    let is_shown = |node: &u32| shown.is_none_or(|shown| shown[*node as usize]);
    let nodes = program.wiring.order.iter().copied().filter(is_shown);
    Arc::new(Drawn::plain(&program.graph, &program.wiring, nodes))
}

/// Puts the cursor on a node, or leaves it near its place.
fn put_cursor(state: &mut State, node: Option<NodeIndex>) {
    let is_there = node.is_some_and(|node| state.list.select(&node));
    if node.is_some() && !is_there {
        state.list.at.cursor = 0;
    }
    state.chosen = node.filter(|_| is_there);
    state.detail = List::default();
}

/// The requested drawing, if any.
pub fn pending_effects(graph: &mut Graph, cx: &mut Cx) {
    if !std::mem::take(&mut graph.is_outdated) {
        return;
    }
    let Some(program) = cx.graphed().filter(|program| !program.graph.is_empty()).cloned() else { return };
    let is_ascii = cx.look.is_ascii();
    let state = &mut *graph;
    state.asked += 1;
    let ask = Ask { view: state.view, shown: state.shown.clone(), folds: state.folds().clone(), is_ascii };
    let number = state.asked;
    cx.start(Job::Rails);
    cx.effect(Effect::Draw { program, ask: Box::new(ask), number })
}

pub fn drawn(graph: &mut Graph, cx: &mut Cx, number: u64, picture: Drawn) {
    if number != graph.asked {
        return;
    }
    let (kept, at) = (graph.selected(), graph.list.cursor());
    let was_again = matches!(graph.what(), Some(What::Again { .. }));
    let same_rows = graph.list.len() == picture.stops.len();
    graph.list.rows = Arc::new(picture);
    put_cursor(graph, kept);
    if was_again && same_rows {
        graph.list.at.cursor = at;
    }
    if let Some(key) = graph.folding.take() {
        let is_folded = graph.picture().folds.iter().any(|fold| fold.key == key);
        if !is_folded && matches!(key, FoldKey::Container(_)) {
            let words = format!("{} cannot be folded: other resources are between its members", node::fold_name(&key));
            cx.show_notice(Role::Note, words);
        }
    }
}

/// Selects a node, and clears a filter that hides it.
pub fn select(graph: &mut Graph, step: &Step, cx: &Cx, node: NodeIndex) {
    if graph.list.rows.find(&node).is_some() {
        put_cursor(graph, Some(node));
        return;
    }
    if graph.view == View::Tree {
        graph.folds[1] = Folds::default();
    }
    let is_hidden = graph.shown.as_ref().is_some_and(|shown| !shown.get(node.0 as usize).is_some_and(|is| *is));
    if is_hidden {
        graph.list.forget_words();
        graph.lens = Lens::All;
    }
    redraw(graph, step, cx, Some(node));
}

/// Clears all filters; true if there were any.
pub fn widen(graph: &mut Graph, step: &Step, cx: &Cx) -> bool {
    let is_narrow = graph.lens != Lens::All;
    if is_narrow {
        let lens = graph.lens.clone();
        look_through(graph, step, cx, lens);
    }
    is_narrow
}

/// Selects the neighbour on a line of the details.
fn click_neighbour(graph: &mut Graph, step: &Step, cx: &Cx, row: usize) {
    let (width, _) = cx.room(Pane::Node);
    let line = graph.detail.offset + row;
    let lines = node::neighbour_lines(graph, step, cx, width);
    if let Some((_, node)) = lines.into_iter().find(|(at, _)| *at == line) {
        select(graph, step, cx, node);
    }
}

impl Screen for State {
    fn view(&self, front: Front<'_>, buf: &mut Buffer, pane: Pane, area: Rect) {
        match pane {
            Pane::Node => node::view_node(self, front.step, front.cx, buf, area),
            _ => rows::view(self, front.step, front.cx, buf, area),
        }
    }

    fn go(&mut self, cx: &mut Cx, beside: Beside<'_>, pane: Pane, step: Move, count: usize) {
        let (width, height) = cx.room(pane);
        if pane == Pane::Node {
            let len = node::detail(self, beside.plan(), cx, width).len();
            self.detail.scroll(step, count, len, height);
        } else {
            self.list.go(step, count, height);
            self.detail = List::default();
        }
    }

    fn click(&mut self, cx: &mut Cx, beside: Beside<'_>, pane: Pane, (row, _): (usize, usize)) {
        if pane == Pane::Node {
            click_neighbour(self, beside.plan(), cx, row);
        } else if self.list.click(row).is_some() {
            self.detail = List::default();
        }
    }

    fn act(&mut self, cx: &mut Cx, beside: Beside<'_>, action: Action, _: usize) {
        match action {
            Action::Open if cx.focus() == Pane::Rails => open(self, cx, true),
            Action::Open => cx.request(Request::Source),
            Action::Right if cx.focus() == Pane::Rails => open(self, cx, false),
            Action::Close if cx.focus() == Pane::Node => cx.set_focus(Pane::Rails),
            Action::Close => close(self, cx),
            Action::View => {
                self.view = if self.view == View::Rails { View::Tree } else { View::Rails };
                self.is_outdated = true;
            }
            Action::OnlyThis => {
                let id = self.selected().and_then(|node| Some(cx.graphed()?.id(node).clone()));
                id.into_iter().for_each(|id| look_through(self, beside.plan(), cx, Lens::Related(id)));
            }
            Action::Save => export::ask(self, cx),
            Action::Fold(how) => fold(self, cx, how),
            _ => {}
        }
    }

    fn clamp(&mut self, cx: &mut Cx, beside: Beside<'_>) {
        if cx.graphed().is_none() {
            return;
        }
        let (_, height) = cx.room(Pane::Rails);
        self.list.clamp(height);
        self.chosen = self.selected();
        let (width, height) = cx.room(Pane::Node);
        let len = node::detail(self, beside.plan(), cx, width).len();
        self.detail.clamp_text(len, height);
    }

    fn filter(&mut self, cx: &mut Cx, beside: Beside<'_>, words: &str) {
        let drawn = plain(self, beside.plan(), cx, words);
        self.list.filter(words, |rows, _| *rows = drawn);
        self.is_outdated = true;
        let here = self.list.selected();
        put_cursor(self, here);
    }
}
