//! The views of the graph, conditional breakpoints, edit and retry: drawn, and by key.

use std::sync::Arc;

use proptest::prelude::*;
use ratatui::prelude::{Buffer, Rect};

use super::deploys::history;
use super::stage::{Play, compiled, id, program};
use crate::graph::{Edge, Graph, Node, NodeIndex, Params, Reason, Resource};
use crate::source::Sources;
use crate::tui::look::{ASCII, UNICODE};
use crate::tui::screen::{Pane, ScreenId};
use crate::tui::{keys, message::Message, program::Program};

pub const SIZES: [(u16, u16); 3] = [(120, 40), (80, 24), (60, 16)];

#[test]
fn every_view() {
    for (name, keys) in [
        ("tree", "p  space g  g t  j  j"),
        ("folded", "p  s  space g  z M"),
        ("breaks-ask", "p  B  a  i  f"),
        ("breaks-list", "p  b  B  a  i f space d e s t r o y s  enter"),
        ("export", "3  .  S"),
    ] {
        for (width, height) in SIZES {
            let mut play = Play::new(width, height);
            play.deploys = history();
            play.press(keys);
            insta::assert_snapshot!(format!("{name}-{width}x{height}"), play.draw());
        }
    }
}

#[test]
fn views_in_ascii() {
    let mut play = Play::with(120, 40, &ASCII, program());
    for keys in ["p  space g  g t", "g t  z M", "S", "esc  1  b  B"] {
        play.press(keys);
        let frame = play.draw();
        assert!(frame.is_ascii(), "{keys}: {frame}");
    }
}

#[test]
fn the_selection_is_the_same_in_all_views() {
    let mut play = Play::after("3  j  j");
    let selected = play.state.screens.graph.selected();
    for keys in ["g t", "g t", "z M", "z R"] {
        play.press(keys);
        assert_eq!(play.state.screens.graph.selected(), selected, "{keys}");
    }
}

#[test]
fn folds_open_and_shut() {
    let mut play = Play::after("3  h");
    play.shows("class web  +5 folded");
    play.press("l").hides("folded");
    play.press("g t  g g  j  h").shows("svc[nginx]  +2 folded");
    play.press("enter").hides("folded");
    // A shared node appears once; its other row is a reference.
    play.press("G").shows("①↑ pkg[nginx]");
    play.press("enter").shows("4 of 6");
}

#[test]
fn only_a_part_is_shown_until_esc() {
    let mut play = Play::after("3  j  .");
    play.shows("of 4");
    play.press("esc").shows("of 5");
}

#[test]
fn conditions_stop_where_the_plan_shows_it() {
    let mut play = Play::after("p  B  a  i f space r e f r e s h  enter");
    assert_eq!(play.asked.last().map(String::as_str), Some("Break { resource: ResourceId(\"svc[nginx]\"), on: true }"));
    play.shows("stops at 1 resource");
    assert!(play.step().stops_at(&id("svc[nginx]")));
    play.press("j  space");
    assert!(!play.step().stops_at(&id("svc[nginx]")));
    play.press("space  esc  B  j  enter  ctrl-u  i f space x  enter").shows("`x` at column 4 is not a condition");
    play.press("ctrl-u  i f space r u n s space k i n d : f i e l  enter");
    play.shows("`kind:fiel` at column 9: no kind is called `fiel`, did you mean");
    play.press("esc  x  esc");
    assert!(play.step().breaks.whens.is_empty());
}

#[test]
fn an_edit_returns_to_the_place_of_the_run() {
    let mut play = Play::after("p  s  s");
    play.asked.clear();
    play.send(Message::Edited(Ok(())));
    assert_eq!(play.step().next_id().cloned(), Some(id("file[/srv/web/index.html]")), "{:?}", play.asked);
    play.shows(": at file[/srv/web/index.html]");
    assert!(!play.step().is_running());
}

/// A graph of any shape without cycles, in classes.
fn any_program() -> impl Strategy<Value = Arc<Program>> {
    let edges = prop::collection::vec((0usize..24, 1usize..24), 0..50);
    let classes = prop::collection::vec(0usize..4, 1..24);
    (edges, classes).prop_map(|(edges, classes)| {
        let mut graph = Graph::default();
        for (at, class) in classes.iter().enumerate() {
            let name = format!("{at}\u{1b}[31m\u{202e}{}", "名".repeat(at % 7));
            let container = (0..*class).map(|depth| Arc::from(format!("class c{depth}"))).collect();
            let mut node = Resource::new("file", &name, Params::default());
            node.container = container;
            graph.add(Node::Resource(node)).expect("each id once");
        }
        let count = classes.len();
        for (from, by) in edges.into_iter().filter(|(from, by)| from + by < count) {
            let (from, to) = (NodeIndex(from as u32), NodeIndex((from + by) as u32));
            graph.connect(Edge { from, to, notify: false, reason: Reason::Declared, send: None, source: None });
        }
        compiled(graph, Sources::default())
    })
}

fn any_keys() -> impl Strategy<Value = &'static str> {
    let keys = "3|1|5|j|k|h|l|G|g g|[|]|m|P|.|z a|z M|z R|enter|esc|tab|(|)|/|f|+|g t\
        |S|P|i|] c|B|b|ctrl-o|ctrl-d|p|s|Z|x|o|O|c|t|r|=|space|y|backspace";
    prop::sample::select(keys.split('|').collect::<Vec<_>>())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    /// No pane draws outside of its area, and no raw name reaches the terminal.
    #[test]
    fn any_graph_and_keys(
        program in any_program(),
        other in any_program(),
        events in prop::collection::vec((any_keys(), 1u16..130, 1u16..45, 0u8..12), 1..50),
    ) {
        let mut play = Play::with(80, 24, &UNICODE, program);
        play.deploys = history();
        play.press("3");
        for (keys, width, height, what) in events {
            match what {
                0 => play.send(Message::Resize(width, height)),
                1 => play.change(Arc::clone(&other)),
                _ => keys::parse(keys).expect("keys").into_iter().for_each(|key| play.send(Message::Key(key))),
            }
            let state = &play.state;
            let layout = state.cx.layout();
            prop_assert!(layout.pane(state.cx.focus()).is_some(), "the focus is on a pane that is shown");
            for (pane, area) in layout.panes {
                let mut buf = Buffer::filled(Rect::new(0, 0, state.cx.window.width, state.cx.window.height), ratatui::buffer::Cell::new("#"));
                if !matches!(pane.screen(), ScreenId::Graph | ScreenId::Step | ScreenId::Deploys) {
                    continue;
                }
                state.front().screen.view(state.front(), &mut buf, pane, area);
                let is_outside = |x, y| !area.contains((x, y).into());
                for (x, y) in (0..state.cx.window.width).flat_map(|x| (0..state.cx.window.height).map(move |y| (x, y))) {
                    let symbol = buf.cell((x, y)).map_or("#", |cell| cell.symbol());
                    prop_assert!(!is_outside(x, y) || symbol == "#", "{pane:?} draws at {x},{y}");
                    prop_assert!(!symbol.contains(['\u{1b}', '\u{202e}']), "{pane:?} draws a name raw");
                }
            }
            play.draw();
        }
        prop_assert!(play.state.cx.panes().iter().all(|pane| *pane != Pane::Log || play.screen() == ScreenId::Log));
    }
}

/// A place on the graph is stored by name: the graph may have changed since.
#[test]
fn the_way_back_outlives_the_graph() {
    let mut play = Play::after("3  G  space  r  enter  g  3");
    let node = play.state.cx.trail.jumps.last().and_then(|jump| jump.node.clone());
    let mut graph = Graph::default();
    let first = NodeIndex(0);
    assert!(node.is_some_and(|node| program().graph.find(&node) != Some(first)), "the jump is from another one");
    graph.add(program().graph.node(first).clone()).expect("it is the only one");
    play.change(compiled(graph, Sources::default()));
    play.press("ctrl-o");
    assert_eq!(play.screen(), ScreenId::Graph);
    play.draw();
}

/// A key is shown only if it does something.
#[test]
fn a_fan_too_wide_to_draw_promises_no_folds() {
    let fan = |container: &[Arc<str>]| {
        let mut graph = Graph::default();
        for at in 0..200 {
            let mut node = Resource::new("file", &format!("/{at}"), Params::default());
            node.container = container.to_vec();
            graph.add(Node::Resource(node)).expect("each id once");
        }
        for to in 1..200 {
            let (from, to) = (NodeIndex(0), NodeIndex(to));
            graph.connect(Edge { from, to, notify: false, reason: Reason::Declared, send: None, source: None });
            if to.0 > 1 {
                let from = NodeIndex(to.0 / 2);
                graph.connect(Edge { from, to, notify: false, reason: Reason::Declared, send: None, source: None });
            }
        }
        Play::with(120, 40, &UNICODE, compiled(graph, Sources::default()))
    };
    let mut play = fan(&[]);
    play.press("3").shows("(too many edges to draw: / or . narrows)");
    play.press("z M").shows("nothing to fold; / filters");
    let mut play = fan(&["web".into()]);
    play.press("3").shows("(too many edges to draw: zM folds)");
    play.press("z M").shows("web  +200 folded");
}
