//! Jumps from one screen to a place on another, and back.

use std::path::PathBuf;

use super::cx::{Jump, Pending, Request};
use super::effect::Effect;
use super::layer::picker::item::Target;
use super::look::Role;
use super::screen::code::Spot;
use super::screen::{Pane, ScreenId, code, deploys, graph, log, step};
use super::state::State;
use crate::graph::NodeIndex;
use crate::source::Place;

/// Shows a screen.
pub fn go_to(state: &mut State, screen: ScreenId) -> Vec<Effect> {
    state.cx.screen = screen;
    state.cx.typing.pending = Pending::default();
    match screen {
        ScreenId::Step => {
            state.cx.request(Request::Entered);
            vec![]
        }
        ScreenId::Deploys => deploys::entered(state),
        _ => vec![],
    }
}

/// Adds the current place to the jump list.
pub fn remember(state: &mut State) {
    const MOST: usize = 100;
    state.cx.trail.jumps_forward.clear();
    if state.cx.trail.jumps.len() == MOST {
        state.cx.trail.jumps.remove(0);
    }
    state.cx.trail.jumps.push(current_place(state));
}

/// The current place.
fn current_place(state: &State) -> Jump {
    let doc = state.screens.code.doc();
    let program = state.cx.graphed();
    let node = state
        .screens
        .graph
        .selected(state)
        .zip(program)
        .filter(|(node, program)| (node.0 as usize) < program.graph.len());
    Jump {
        screen: state.cx.screen,
        file: doc.map(|doc| doc.name.clone()),
        spot: doc.map_or((1, 1), |doc| doc.spot()),
        node: node.map(|(node, program)| program.id(node).clone()),
    }
}

/// Goes back in the jump list.
pub fn back(state: &mut State) -> Vec<Effect> {
    let Some(jump) = state.cx.trail.jumps.pop() else { return vec![] };
    let here = current_place(state);
    state.cx.trail.jumps_forward.push(here);
    jump_to(state, jump)
}

/// Goes forward in the jump list.
pub fn forward(state: &mut State) -> Vec<Effect> {
    let Some(jump) = state.cx.trail.jumps_forward.pop() else { return vec![] };
    let here = current_place(state);
    state.cx.trail.jumps.push(here);
    jump_to(state, jump)
}

fn jump_to(state: &mut State, jump: Jump) -> Vec<Effect> {
    if let Some(file) = jump.file {
        code::show(state, file, jump.spot);
    }
    if let Some(node) = jump.node.and_then(|id| state.cx.graphed()?.graph.find(&id)) {
        graph::select(state, node);
    }
    go_to(state, jump.screen)
}

/// Shows a file on Code.
pub fn open_file(state: &mut State, path: PathBuf, spot: Spot) -> Vec<Effect> {
    remember(state);
    state.cx.set_focus(Pane::Text);
    let mut effects = go_to(state, ScreenId::Code);
    effects.extend(code::open(state, path, spot));
    effects
}

/// Shows a place of the program on Code.
fn show_place(state: &mut State, place: &Place) -> Vec<Effect> {
    remember(state);
    state.cx.set_focus(Pane::Text);
    let mut effects = go_to(state, ScreenId::Code);
    effects.extend(code::open_place(state, place));
    effects
}

/// Shows the next or previous problem on Code.
pub fn show_problem(state: &mut State, forward: bool) -> Vec<Effect> {
    remember(state);
    state.cx.set_focus(Pane::Text);
    let mut effects = go_to(state, ScreenId::Code);
    effects.extend(code::next_problem(state, forward));
    effects
}

/// Shows the source of the resource under the cursor on Code, or the file of a module.
pub fn show_source(state: &mut State) -> Vec<Effect> {
    if state.cx.screen == ScreenId::Modules {
        return state.screens.modules.file().map_or_else(Vec::new, |path| open_file(state, path, (1, 1)));
    }
    let Some(place) = state.selected_place() else {
        state.cx.show_notice(Role::Warning, "this row has no source location");
        return vec![];
    };
    show_place(state, &place)
}

/// The first resource that the one under the cursor needs, or that needs it.
pub fn neighbour(state: &State, before: bool) -> Option<NodeIndex> {
    let program = state.cx.program_on_show(&state.screens.step)?;
    let node = state.selected_resource()?.0;
    let all = if before { program.wiring.needs(node) } else { program.wiring.followers(node) };
    all.first().copied().map(NodeIndex)
}

/// Goes there.
pub fn go_to_neighbour(state: &mut State, before: bool) {
    let Some(node) = neighbour(state, before) else { return };
    remember(state);
    if state.cx.screen == ScreenId::Graph {
        return graph::select(state, node);
    }
    let id = state.cx.program_on_show(&state.screens.step).map(|program| program.id(node).clone());
    id.iter().for_each(|id| step::select(&mut state.screens.step, id));
}

/// Goes to the next or previous row that the plan changes.
pub fn go_to_change(state: &mut State, forward: bool) {
    let Some(program) = state.cx.program_on_show(&state.screens.step).cloned() else { return };
    let order = &program.ways.order;
    let here = state.selected_resource().map_or(0, |node| program.ways.rank[node.0 as usize] as usize);
    let count = order.len();
    let ahead = (1..=count).map(|by| order[(if forward { here + by } else { here + count - by }) % count]);
    let found = ahead.into_iter().find(|node| state.screens.step.changes(program.id(*node)));
    match (found, state.cx.screen) {
        (None, _) => state.cx.show_notice(Role::Note, "the plan has no changes"),
        (Some(node), ScreenId::Graph) => graph::select(state, node),
        (Some(node), _) => step::select(&mut state.screens.step, program.id(node)),
    }
}

/// Shows a node on Graph.
pub fn show_on_graph(state: &mut State, node: NodeIndex) -> Vec<Effect> {
    remember(state);
    graph::select(state, node);
    state.cx.set_focus(Pane::Rails);
    go_to(state, ScreenId::Graph)
}

/// Goes to a line of the log by its number.
pub fn show_line(state: &mut State, number: usize) -> Vec<Effect> {
    remember(state);
    if !log::show(state, number) {
        state.cx.show_notice(Role::Warning, format!("line {number} of the log was deleted"));
    }
    go_to(state, ScreenId::Log)
}

/// Goes where an item of a picker leads, leaving a way back.
pub fn go_to_target(state: &mut State, target: Target) -> Vec<Effect> {
    match target {
        Target::File(path, spot) => open_file(state, path, spot),
        Target::Place(place) => show_place(state, &place),
        Target::Resource(id) => match state.cx.graphed().and_then(|program| program.graph.find(&id)) {
            Some(node) => show_on_graph(state, node),
            None => {
                state.cx.show_notice(Role::Warning, format!("{id} is no longer in the graph"));
                vec![]
            }
        },
    }
}
