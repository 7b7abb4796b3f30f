//! Jumps from one screen to a place on another, and back.

use std::path::PathBuf;

use super::cx::{Jump, Pending, Request};
use super::effect::Effect;
use super::front::Front;
use super::layer::picker::item::Target;
use super::look::Role;
use super::screen::code::Spot;
use super::screen::{Pane, ScreenId, code, deploys, graph, log, step};
use super::state::State;
use crate::graph::NodeIndex;
use crate::source::Place;
use crate::tui::cx::Cx;
use crate::tui::screen::code::data::State as Code;
use crate::tui::screen::graph::data::State as Graph;
use crate::tui::screen::step::data::State as Step;

/// Shows a screen.
pub fn go_to(cx: &mut Cx, screen: ScreenId) -> Vec<Effect> {
    cx.screen = screen;
    cx.typing.pending = Pending::default();
    match screen {
        ScreenId::Step => {
            cx.request(Request::Entered);
            vec![]
        }
        ScreenId::Deploys => deploys::entered(cx),
        _ => vec![],
    }
}

/// Adds the current place to the jump list.
pub fn remember(graph: &Graph, code: &Code, cx: &mut Cx) {
    const MOST: usize = 100;
    cx.trail.jumps_forward.clear();
    if cx.trail.jumps.len() == MOST {
        cx.trail.jumps.remove(0);
    }
    cx.trail.jumps.push(current_place(graph, code, cx));
}

/// The current place.
fn current_place(graph: &Graph, code: &Code, cx: &Cx) -> Jump {
    let doc = code.doc();
    let program = cx.graphed();
    let node = graph.selected().zip(program).filter(|(node, program)| (node.0 as usize) < program.graph.len());
    Jump {
        screen: cx.screen,
        file: doc.map(|doc| doc.name.clone()),
        spot: doc.map_or((1, 1), |doc| doc.spot()),
        node: node.map(|(node, program)| program.id(node).clone()),
    }
}

/// Goes back in the jump list.
pub fn back(graph: &mut Graph, code: &mut Code, step: &Step, cx: &mut Cx) -> Vec<Effect> {
    let Some(jump) = cx.trail.jumps.pop() else { return vec![] };
    let here = current_place(graph, code, cx);
    cx.trail.jumps_forward.push(here);
    jump_to(graph, code, step, cx, jump)
}

/// Goes forward in the jump list.
pub fn forward(graph: &mut Graph, code: &mut Code, step: &Step, cx: &mut Cx) -> Vec<Effect> {
    let Some(jump) = cx.trail.jumps_forward.pop() else { return vec![] };
    let here = current_place(graph, code, cx);
    cx.trail.jumps.push(here);
    jump_to(graph, code, step, cx, jump)
}

fn jump_to(graph: &mut Graph, code: &mut Code, step: &Step, cx: &mut Cx, jump: Jump) -> Vec<Effect> {
    if let Some(file) = jump.file {
        code::show(code, file, jump.spot);
    }
    if let Some(node) = jump.node.and_then(|id| cx.graphed()?.graph.find(&id)) {
        graph::select(graph, step, cx, node);
    }
    go_to(cx, jump.screen)
}

/// Shows a file on Code.
pub fn open_file(graph: &Graph, code: &mut Code, cx: &mut Cx, path: PathBuf, spot: Spot) -> Vec<Effect> {
    remember(graph, code, cx);
    cx.set_focus(Pane::Text);
    let mut effects = go_to(cx, ScreenId::Code);
    effects.extend(code::open(code, cx, path, spot));
    effects
}

/// Shows a place of the program on Code.
fn show_place(graph: &Graph, code: &mut Code, cx: &mut Cx, place: &Place) -> Vec<Effect> {
    remember(graph, code, cx);
    cx.set_focus(Pane::Text);
    let mut effects = go_to(cx, ScreenId::Code);
    effects.extend(code::open_place(code, cx, place));
    effects
}

/// Shows the next or previous problem on Code.
pub fn show_problem(graph: &Graph, code: &mut Code, cx: &mut Cx, forward: bool) -> Vec<Effect> {
    remember(graph, code, cx);
    cx.set_focus(Pane::Text);
    let mut effects = go_to(cx, ScreenId::Code);
    effects.extend(code::next_problem(code, cx, forward));
    effects
}

/// Shows the source of the resource under the cursor on Code, or the file of a module.
pub fn show_source(state: &mut State) -> Vec<Effect> {
    if state.cx.screen == ScreenId::Modules {
        return state.screens.modules.file().map_or_else(Vec::new, |path| {
            open_file(&state.screens.graph, &mut state.screens.code, &mut state.cx, path, (1, 1))
        });
    }
    let Some(place) = state.front().place() else {
        state.cx.show_notice(Role::Warning, "this row has no source location");
        return vec![];
    };
    show_place(&state.screens.graph, &mut state.screens.code, &mut state.cx, &place)
}

/// The first resource that the one under the cursor needs, or that needs it.
pub fn neighbour(front: Front<'_>, before: bool) -> Option<NodeIndex> {
    let program = front.program()?;
    let node = front.resource()?.0;
    let all = if before { program.wiring.needs(node) } else { program.wiring.followers(node) };
    all.first().copied().map(NodeIndex)
}

/// Goes there.
pub fn go_to_neighbour(graph: &mut Graph, code: &Code, step: &mut Step, cx: &mut Cx, node: NodeIndex) {
    remember(graph, code, cx);
    if cx.screen == ScreenId::Graph {
        return graph::select(graph, step, cx, node);
    }
    let id = cx.program_on_show(step).map(|program| program.id(node).clone());
    id.iter().for_each(|id| step::select(step, id));
}

/// Goes to the next or previous row that the plan changes.
pub fn go_to_change(graph: &mut Graph, step: &mut Step, cx: &mut Cx, here: Option<NodeIndex>, forward: bool) {
    let Some(program) = cx.program_on_show(step).cloned() else { return };
    let order = &program.ways.order;
    let here = here.map_or(0, |node| program.ways.rank[node.0 as usize] as usize);
    let count = order.len();
    let ahead = (1..=count).map(|by| order[(if forward { here + by } else { here + count - by }) % count]);
    let found = ahead.into_iter().find(|node| step.changes(program.id(*node)));
    match (found, cx.screen) {
        (None, _) => cx.show_notice(Role::Note, "the plan has no changes"),
        (Some(node), ScreenId::Graph) => graph::select(graph, step, cx, node),
        (Some(node), _) => step::select(step, program.id(node)),
    }
}

/// Shows a node on Graph.
pub fn show_on_graph(graph: &mut Graph, code: &Code, step: &Step, cx: &mut Cx, node: NodeIndex) -> Vec<Effect> {
    remember(graph, code, cx);
    graph::select(graph, step, cx, node);
    cx.set_focus(Pane::Rails);
    go_to(cx, ScreenId::Graph)
}

/// Goes to a line of the log by its number.
pub fn show_line(graph: &Graph, code: &Code, cx: &mut Cx, number: usize) -> Vec<Effect> {
    remember(graph, code, cx);
    if !log::show(cx, number) {
        cx.show_notice(Role::Warning, format!("line {number} of the log was deleted"));
    }
    go_to(cx, ScreenId::Log)
}

/// Goes where an item of a picker leads, leaving a way back.
pub fn go_to_target(graph: &mut Graph, code: &mut Code, step: &Step, cx: &mut Cx, target: Target) -> Vec<Effect> {
    match target {
        Target::File(path, spot) => open_file(graph, code, cx, path, spot),
        Target::Place(place) => show_place(graph, code, cx, &place),
        Target::Resource(id) => match cx.graphed().and_then(|program| program.graph.find(&id)) {
            Some(node) => show_on_graph(graph, code, step, cx, node),
            None => {
                cx.show_notice(Role::Warning, format!("{id} is no longer in the graph"));
                vec![]
            }
        },
    }
}
