//! The actions of Graph: views, filters, folds, and moves from node to node.

use super::narrow::Lens;
use super::{State, View, redraw};
use crate::graph::NodeIndex;
use crate::graph::view::{FoldKey, Folds, What};
use crate::tui::cx::{Cx, Request};
use crate::tui::screen::graph::data::State as Graph;
use crate::tui::screen::step::data::State as Step;
use crate::tui::widget::list::{List, Move};
use crate::tui::{look::Role, program::Program, screen::Pane, screen::code::Folding};

/// Folds or unfolds the cursor's part, or all.
pub(super) fn fold(graph: &mut Graph, cx: &mut Cx, how: Folding) {
    let is_shut = graph.fold().is_some() || matches!(graph.what(), Some(What::Shut(..)));
    let is_in_vain = graph.view == View::Rails && !graph.folds().all && !graph.picture().may_fold;
    match how {
        Folding::Toggle if is_shut => open(graph, cx, false),
        Folding::Toggle => close(graph, cx),
        Folding::CloseAll if is_in_vain => cx.show_notice(Role::Note, "nothing to fold; / filters"),
        Folding::CloseAll | Folding::OpenAll => {
            *graph.folds() = Folds { all: how == Folding::CloseAll, ..Folds::default() };
            graph.is_outdated = true;
        }
    }
}

/// Applies a filter; the same key again clears it.
pub(super) fn look_through(graph: &mut Graph, step: &Step, cx: &Cx, lens: Lens) {
    let kept = graph.selected();
    graph.lens = if graph.lens == lens { Lens::All } else { lens };
    redraw(graph, step, cx, kept);
}

/// Unfolds, or goes to the node of a reference; else opens the source, or moves right if `enters` is not set.
pub(super) fn open(graph: &mut Graph, cx: &mut Cx, enters: bool) {
    let Some(program) = cx.graphed().cloned() else { return };
    if let Some(key) = graph.fold().map(|fold| fold.key.clone()) {
        graph.folds().toggle(key);
        graph.is_outdated = true;
        return;
    }
    match graph.what() {
        Some(What::Shut(node, _)) => {
            let key = FoldKey::Needs(program.id(NodeIndex(node)).clone());
            graph.folds().toggle(key);
            graph.is_outdated = true;
        }
        Some(What::Again { node, .. }) => cx.request(Request::Node(NodeIndex(node))),
        Some(What::Open(_)) if !enters => {
            graph.list.go(Move::Down, 1, cx.room(Pane::Rails).1);
            graph.detail = List::default();
        }
        _ => cx.request(Request::Source),
    }
}

/// Folds around the cursor; in the tree, goes to the parent if nothing is open.
pub(super) fn close(graph: &mut Graph, cx: &mut Cx) {
    let Some(program) = cx.graphed().cloned() else { return };
    let Some(node) = graph.selected() else { return };
    match (graph.view, graph.what()) {
        (View::Tree, Some(What::Open(node))) => {
            let key = FoldKey::Needs(program.id(NodeIndex(node)).clone());
            graph.folds().toggle(key);
            graph.is_outdated = true;
        }
        (View::Tree, _) => parent(graph),
        _ => match foldable(graph, &program, node) {
            Some(key) => {
                graph.folds().toggle(key.clone());
                graph.folding = Some(key);
                graph.is_outdated = true;
            }
            None => cx.show_notice(Role::Note, "nothing to fold here"),
        },
    }
}

/// What can be folded at a node: the innermost open container, or its chain.
fn foldable(graph: &State, program: &Program, node: NodeIndex) -> Option<FoldKey> {
    let folds = &graph.folds[0];
    // The row of a fold may be that of a container's begin, which is in no container.
    let container = match graph.fold().map(|fold| &fold.key) {
        Some(FoldKey::Container(names)) => &names[..names.len().saturating_sub(1)],
        _ => program.graph.resource(node).map_or(&[][..], |resource| &resource.container),
    };
    let inner = (1..=container.len()).rev().map(|depth| FoldKey::Container(container[..depth].to_vec()));
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
        let is_chain = match wiring.followers(head) {
            [next] => before(*next) == Some(head),
            _ => false,
        };
        let key = FoldKey::Chain(program.id(NodeIndex(head)).clone());
        (is_chain && !folds.has(&key)).then_some(key)
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
