//! Jumps from one screen to a place on another, and back.

use std::path::PathBuf;

use super::cx::{Jump, Pending, Request};
use super::screen::{Pane, ScreenId, Screens, code, deploys, graph, log, step};
use super::{cx::Cx, layer::picker::item::Target, look::Role, screen::code::Spot, state::State};
use crate::graph::NodeIndex;
use crate::source::Place;

pub fn go_to(cx: &mut Cx, screen: ScreenId) {
    cx.screen = screen;
    cx.typing.pending = Pending::default();
    match screen {
        ScreenId::Step => cx.request(Request::Entered),
        ScreenId::Deploys => deploys::entered(cx),
        _ => {}
    }
}

/// Adds the current place to the jump list.
pub fn remember(screens: &Screens, cx: &mut Cx) {
    const MOST: usize = 100;
    cx.trail.jumps_forward.clear();
    if cx.trail.jumps.len() == MOST {
        cx.trail.jumps.remove(0);
    }
    cx.trail.jumps.push(current_place(screens, cx));
}

fn current_place(screens: &Screens, cx: &Cx) -> Jump {
    let Screens { graph, code, .. } = screens;
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

pub fn back(screens: &mut Screens, cx: &mut Cx) {
    let Some(jump) = cx.trail.jumps.pop() else { return };
    let here = current_place(screens, cx);
    cx.trail.jumps_forward.push(here);
    jump_to(screens, cx, jump)
}

pub fn forward(screens: &mut Screens, cx: &mut Cx) {
    let Some(jump) = cx.trail.jumps_forward.pop() else { return };
    let here = current_place(screens, cx);
    cx.trail.jumps.push(here);
    jump_to(screens, cx, jump)
}

fn jump_to(screens: &mut Screens, cx: &mut Cx, jump: Jump) {
    if let Some(file) = jump.file {
        code::show(&mut screens.code, file, jump.spot);
    }
    if let Some(node) = jump.node.and_then(|id| cx.graphed()?.graph.find(&id)) {
        graph::select(&mut screens.graph, &screens.step, cx, node);
    }
    go_to(cx, jump.screen)
}

pub fn open_file(screens: &mut Screens, cx: &mut Cx, path: PathBuf, spot: Spot) {
    remember(screens, cx);
    cx.set_focus(Pane::Text);
    go_to(cx, ScreenId::Code);
    code::open(&mut screens.code, cx, path, spot);
}

pub fn show_place(screens: &mut Screens, cx: &mut Cx, place: &Place) {
    remember(screens, cx);
    cx.set_focus(Pane::Text);
    go_to(cx, ScreenId::Code);
    code::open_place(&mut screens.code, cx, place);
}

/// Shows the next or previous problem on Code.
pub fn show_problem(screens: &mut Screens, cx: &mut Cx, forward: bool) {
    remember(screens, cx);
    cx.set_focus(Pane::Text);
    go_to(cx, ScreenId::Code);
    code::next_problem(&mut screens.code, cx, forward);
}

/// Shows the source of the resource under the cursor on Code, or the file of a module.
pub fn show_source(state: &mut State) {
    let place = state.front().place();
    let State { cx, screens } = state;
    if cx.screen == ScreenId::Modules {
        let path = screens.modules.file();
        return path.into_iter().for_each(|path| open_file(screens, cx, path, (1, 1)));
    }
    match place {
        Some(place) => show_place(screens, cx, &place),
        None => cx.show_notice(Role::Warning, "this row has no source location"),
    }
}

/// Goes to a neighbour of the resource under the cursor.
pub fn go_to_neighbour(screens: &mut Screens, cx: &mut Cx, node: NodeIndex) {
    remember(screens, cx);
    if cx.screen == ScreenId::Graph {
        return graph::select(&mut screens.graph, &screens.step, cx, node);
    }
    let id = cx.program_on_show(&screens.step).map(|program| program.id(node).clone());
    id.iter().for_each(|id| step::select(&mut screens.step, id));
}

/// Goes to the next or previous row that the plan changes.
pub fn go_to_change(screens: &mut Screens, cx: &mut Cx, here: Option<NodeIndex>, forward: bool) {
    let Some(program) = cx.program_on_show(&screens.step).cloned() else { return };
    let order = &program.ways.order;
    let here = here.map_or(0, |node| program.ways.rank[node.0 as usize] as usize);
    let count = order.len();
    let ahead = (1..=count).map(|by| order[(if forward { here + by } else { here + count - by }) % count]);
    let found = ahead.into_iter().find(|node| screens.step.changes(program.id(*node)));
    match (found, cx.screen) {
        (None, _) => cx.show_notice(Role::Note, "the plan has no changes"),
        (Some(node), ScreenId::Graph) => graph::select(&mut screens.graph, &screens.step, cx, node),
        (Some(node), _) => step::select(&mut screens.step, program.id(node)),
    }
}

pub fn show_on_graph(screens: &mut Screens, cx: &mut Cx, node: NodeIndex) {
    remember(screens, cx);
    graph::select(&mut screens.graph, &screens.step, cx, node);
    cx.set_focus(Pane::Rails);
    go_to(cx, ScreenId::Graph)
}

pub fn show_line(screens: &mut Screens, cx: &mut Cx, number: usize) {
    remember(screens, cx);
    if !log::show(&mut screens.log, cx, number) {
        cx.show_notice(Role::Warning, format!("line {number} of the log was deleted"));
    }
    go_to(cx, ScreenId::Log)
}

/// Goes where an item of a picker leads, leaving a way back.
pub fn go_to_target(screens: &mut Screens, cx: &mut Cx, target: Target) {
    match target {
        Target::File(path, spot) => open_file(screens, cx, path, spot),
        Target::Place(place) => show_place(screens, cx, &place),
        Target::Resource(id) => match cx.graphed().and_then(|program| program.graph.find(&id)) {
            Some(node) => show_on_graph(screens, cx, node),
            None => cx.show_notice(Role::Warning, format!("{id} is no longer in the graph")),
        },
    }
}
