//! The actions of Graph: views, filters, folds, and moves from node to node.

use super::State;
use super::narrow::Lens;
use super::{View, again, go, redraw, select};
use crate::graph::NodeIndex;
use crate::graph::view::{FoldKey, Folds, What};
use crate::tui::cx::Request;
use crate::tui::effect::Effect;
use crate::tui::jumps;
use crate::tui::look::Role;
use crate::tui::program::Program;
use crate::tui::screen::Pane;
use crate::tui::screen::code::Folding;
use crate::tui::state::State as Tui;
use crate::tui::widget::list::{List, Move};

/// Folds or unfolds the cursor's part, or all.
pub(super) fn fold(tui: &mut Tui, how: Folding) -> Vec<Effect> {
    let is_shut = tui.screens.graph.fold().is_some() || matches!(tui.screens.graph.what(), Some(What::Shut(..)));
    let is_in_vain = tui.screens.graph.view == View::Rails
        && !tui.screens.graph.folds().all
        && !tui.screens.graph.picture().may_fold;
    match how {
        Folding::Toggle if is_shut => open(tui, false),
        Folding::Toggle => close(tui),
        Folding::CloseAll if is_in_vain => {
            tui.cx.show_notice(Role::Note, "nothing to fold; / filters");
            vec![]
        }
        Folding::CloseAll | Folding::OpenAll => {
            *tui.screens.graph.folds() = Folds { all: how == Folding::CloseAll, ..Folds::default() };
            again(tui)
        }
    }
}

/// Applies a filter; the same key again clears it.
pub(super) fn look_through(tui: &mut Tui, lens: Lens) {
    let kept = tui.screens.graph.selected(tui);
    tui.screens.graph.lens = if tui.screens.graph.lens == lens { Lens::All } else { lens };
    redraw(tui, kept);
}

/// Unfolds, or goes to the node of a reference; else opens the source, or moves right if `enters` is not set.
pub(super) fn open(tui: &mut Tui, enters: bool) -> Vec<Effect> {
    let Some(program) = tui.cx.graphed().cloned() else { return vec![] };
    if let Some(key) = tui.screens.graph.fold().map(|fold| fold.key.clone()) {
        tui.screens.graph.folds().toggle(key);
        return again(tui);
    }
    match tui.screens.graph.what() {
        Some(What::Shut(node, _)) => {
            let key = FoldKey::Needs(program.id(NodeIndex(node)).clone());
            tui.screens.graph.folds().toggle(key);
            again(tui)
        }
        Some(What::Again { node, .. }) => {
            jumps::remember(tui);
            select(tui, NodeIndex(node));
            vec![]
        }
        Some(What::Open(_)) if !enters => go(tui, Pane::Rails, Move::Down, 1),
        _ => {
            tui.cx.request(Request::Source);
            vec![]
        }
    }
}

/// Folds around the cursor; in the tree, goes to the parent if nothing is open.
pub(super) fn close(tui: &mut Tui) -> Vec<Effect> {
    let Some(program) = tui.cx.graphed().cloned() else { return vec![] };
    let Some(node) = tui.screens.graph.selected(tui) else { return vec![] };
    match (tui.screens.graph.view, tui.screens.graph.what()) {
        (View::Tree, Some(What::Open(node))) => {
            let key = FoldKey::Needs(program.id(NodeIndex(node)).clone());
            tui.screens.graph.folds().toggle(key);
            return again(tui);
        }
        (View::Tree, _) => parent(&mut tui.screens.graph),
        _ => match foldable(&tui.screens.graph, &program, node) {
            Some(key) => {
                tui.screens.graph.folds().toggle(key.clone());
                tui.screens.graph.folding = Some(key);
                return again(tui);
            }
            None => tui.cx.show_notice(Role::Note, "nothing to fold here"),
        },
    }
    vec![]
}

/// What can be folded at a node: the innermost open container, or its chain.
fn foldable(graph: &State, program: &Program, node: NodeIndex) -> Option<FoldKey> {
    let folds = &graph.folds[0];
    let container = program.graph.resource(node).map_or(&[][..], |resource| &resource.container);
    let depth = match graph.fold().map(|fold| &fold.key) {
        Some(FoldKey::Container(names)) => names.len().saturating_sub(1),
        _ => container.len(),
    };
    let inner = (1..=depth).rev().map(|depth| FoldKey::Container(container[..depth].to_vec()));
    inner.into_iter().find(|key| !folds.has(key)).or_else(|| {
        if graph.fold().is_some() {
            return None;
        }
        let wiring = &program.wiring;
        let before = |node: u32| match wiring.needs(node) {
            [need] if wiring.followers(*need).len() == 1 => Some(*need),
            _ => None,
        };
        let head = std::iter::successors(Some(node.0), |node| before(*node)).last()?;
        let goes_on = match wiring.followers(head) {
            [next] => before(*next) == Some(head),
            _ => false,
        };
        let key = FoldKey::Chain(program.id(NodeIndex(head)).clone());
        (goes_on && !folds.has(&key)).then_some(key)
    })
}

/// Goes to the parent row in the tree.
fn parent(graph: &mut State) {
    let drawn = graph.picture();
    let depth = |stop: usize| drawn.row_at(stop).map_or(0, |row| row.before.chars().count());
    let here = depth(graph.list.cursor());
    if let Some(at) = (0..graph.list.cursor()).rev().find(|stop| depth(*stop) < here) {
        graph.list.at.cursor = at;
        graph.detail = List::default();
    }
}
