//! Graph: the resources as rails or as a tree, with filters and folds, and the details of the selected one.

pub mod draw;
pub mod export;
mod narrow;
mod node;
mod rows;
mod verbs;
pub mod data;

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::Pane;
use crate::graph::NodeIndex;
use crate::graph::view::{Drawn, Fold, FoldKey, Folds, What, innermost, rows};
use crate::tui::cx::Request;
use crate::tui::effect::Effect;
use crate::tui::keymap::Action;
use crate::tui::list::Rows as _;
use crate::tui::look::Role;
use crate::tui::message::Job;
use crate::tui::program::Program;
pub use crate::tui::screen::graph::data::State;
use crate::tui::state::State as Tui;
use crate::tui::widget::list::{List, Move};
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

    pub fn selected(&self, _: &Tui) -> Option<NodeIndex> {
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
pub fn replaced(tui: &mut Tui, old: Option<&Program>) -> Vec<Effect> {
    let Some(program) = tui.cx.graphed().cloned() else { return vec![] };
    if old.is_some_and(|old| old.graph.has_shape_of(&program.graph)) {
        return vec![];
    }
    // Until the user folds, the innermost containers are folded.
    let before = old.map(|old| innermost(&old.graph)).unwrap_or_default();
    if tui.screens.graph.folds[0] == before {
        tui.screens.graph.folds[0] = innermost(&program.graph);
    }
    let kept = old.and_then(|old| Some(old.id(tui.screens.graph.selected(tui)?).clone()));
    let kept = kept.and_then(|id| program.graph.find(&id));
    redraw(tui, kept);
    vec![]
}

/// The view has changed: shows a plain list until it is drawn.
fn redraw(tui: &mut Tui, kept: Option<NodeIndex>) {
    let words = tui.screens.graph.list.words().to_owned();
    tui.screens.graph.list.rows = plain(tui, &words);
    tui.screens.graph.is_due = true;
    put_cursor(&mut tui.screens.graph, kept);
}

/// The visible nodes as a plain list.
fn plain(tui: &mut Tui, words: &str) -> Arc<Drawn> {
    let Some(program) = tui.cx.graphed().cloned() else { return tui.screens.graph.list.rows.clone() };
    tui.screens.graph.shown = narrow::shown(tui, &program, words).map(Arc::new);
    let rows = (tui.screens.graph.view == View::Rails)
        .then(|| rows(&program.graph, tui.screens.graph.shown.as_deref().map(|all| &all[..])));
    let shown = rows.as_deref().or(tui.screens.graph.shown.as_deref().map(|all| &all[..]));
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

/// Requests another drawing of the same graph; the old one stays visible until then.
fn again(tui: &mut Tui) -> Vec<Effect> {
    tui.screens.graph.is_due = true;
    vec![]
}

/// The requested drawing, if any.
pub fn due(tui: &mut Tui) -> Vec<Effect> {
    if !std::mem::take(&mut tui.screens.graph.is_due) {
        return vec![];
    }
    let Some(program) = tui.cx.graphed().filter(|program| !program.graph.is_empty()).cloned() else { return vec![] };
    let is_ascii = tui.cx.look.is_ascii();
    let state = &mut tui.screens.graph;
    state.asked += 1;
    let ask = Ask { view: state.view, shown: state.shown.clone(), folds: state.folds().clone(), is_ascii };
    let number = state.asked;
    tui.cx.start(Job::Rails);
    vec![Effect::Draw { program, ask: Box::new(ask), number }]
}

/// A drawing is ready.
pub fn drawn(tui: &mut Tui, number: u64, picture: Drawn) {
    if number != tui.screens.graph.asked {
        return;
    }
    let (kept, at) = (tui.screens.graph.selected(tui), tui.screens.graph.list.cursor());
    let was_again = matches!(tui.screens.graph.what(), Some(What::Again { .. }));
    let same_rows = tui.screens.graph.list.len() == picture.stops.len();
    tui.screens.graph.list.rows = Arc::new(picture);
    put_cursor(&mut tui.screens.graph, kept);
    if was_again && same_rows {
        tui.screens.graph.list.at.cursor = at;
    }
    if let Some(key) = tui.screens.graph.folding.take() {
        let is_folded = tui.screens.graph.picture().folds.iter().any(|fold| fold.key == key);
        if !is_folded && matches!(key, FoldKey::Container(_)) {
            let words = format!("{} cannot be folded: other resources are between its members", node::fold_name(&key));
            tui.cx.show_notice(Role::Note, words);
        }
    }
}

/// Selects a node, and clears a filter that hides it.
pub fn select(tui: &mut Tui, node: NodeIndex) {
    if tui.screens.graph.list.rows.find(&node).is_some() {
        put_cursor(&mut tui.screens.graph, Some(node));
        return;
    }
    if tui.screens.graph.view == View::Tree {
        tui.screens.graph.folds[1] = Folds::default();
    }
    let is_hidden =
        tui.screens.graph.shown.as_ref().is_some_and(|shown| !shown.get(node.0 as usize).is_some_and(|is| *is));
    if is_hidden {
        tui.screens.graph.list.forget_words();
        tui.screens.graph.lens = Lens::All;
    }
    redraw(tui, Some(node));
}

pub fn go(tui: &mut Tui, pane: Pane, step: Move, count: usize) -> Vec<Effect> {
    let (width, height) = tui.cx.room(pane);
    if pane == Pane::Node {
        let len = node::detail(tui, width).len();
        tui.screens.graph.detail.scroll(step, count, len, height);
        return vec![];
    }
    tui.screens.graph.list.go(step, count, height);
    tui.screens.graph.detail = List::default();
    vec![]
}

pub fn click(tui: &mut Tui, row: usize) -> Vec<Effect> {
    if tui.screens.graph.list.click(row).is_some() {
        tui.screens.graph.detail = List::default();
    }
    vec![]
}

pub fn act(tui: &mut Tui, action: Action) -> Vec<Effect> {
    match action {
        Action::Open if tui.cx.focus() == Pane::Rails => return open(tui, true),
        Action::Open => tui.cx.request(Request::Source),
        Action::Right if tui.cx.focus() == Pane::Rails => return open(tui, false),
        Action::Close if tui.cx.focus() == Pane::Node => tui.cx.set_focus(Pane::Rails),
        Action::Close => return close(tui),
        Action::View => {
            tui.screens.graph.view = if tui.screens.graph.view == View::Rails { View::Tree } else { View::Rails };
            return again(tui);
        }
        Action::OnlyThis => {
            let id = tui.screens.graph.selected(tui).and_then(|node| Some(tui.cx.graphed()?.id(node).clone()));
            id.into_iter().for_each(|id| look_through(tui, Lens::Related(id)));
        }
        Action::Save => return export::ask(tui),
        Action::Fold(how) => return fold(tui, how),
        _ => {}
    }
    vec![]
}

pub fn filter(tui: &mut Tui, words: &str) {
    let drawn = plain(tui, words);
    tui.screens.graph.list.filter(words, |rows, _| *rows = drawn);
    tui.screens.graph.is_due = true;
    let here = tui.screens.graph.list.selected();
    put_cursor(&mut tui.screens.graph, here);
}

/// Clears all filters; true if there were any.
pub fn widen(tui: &mut Tui) -> bool {
    let is_narrow = tui.screens.graph.lens != Lens::All;
    if is_narrow {
        let lens = tui.screens.graph.lens.clone();
        look_through(tui, lens);
    }
    is_narrow
}

pub fn clamp(tui: &mut Tui) {
    if tui.cx.graphed().is_none() {
        return;
    }
    let (_, height) = tui.cx.room(Pane::Rails);
    tui.screens.graph.list.clamp(height);
    tui.screens.graph.chosen = tui.screens.graph.selected(tui);
    let (width, height) = tui.cx.room(Pane::Node);
    let len = node::detail(tui, width).len();
    tui.screens.graph.detail.clamp_text(len, height);
}

pub fn view(tui: &Tui, buf: &mut Buffer, pane: Pane, area: Rect) {
    match pane {
        Pane::Node => node::view_node(tui, buf, area),
        _ => rows::view(tui, buf, area),
    }
}
