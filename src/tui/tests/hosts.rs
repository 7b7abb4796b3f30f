//! Programs for other hosts: refused, or confirmed with both names; the header; the list of Plan.

use std::sync::Arc;

use super::stage::{Play, compiled, graph, id, program};
use super::{detached::status, live::cut};
use crate::graph::{Graph, Node, NodeIndex};
use crate::plan::Elsewhere;
use crate::session::history::graph_hash;
use crate::source::Sources;
use crate::tui::screen::step::detached::Notice as Detached;
use crate::tui::screen::step::live::{Cut, Notice};
use crate::tui::{layer::question::Answer, look::UNICODE, message::Message, program::Program};

/// The sample's graph with these resources for a host, by their positions.
fn graph_for(targets: &[(usize, &str)]) -> Graph {
    let mut graph = graph();
    for (at, target) in targets {
        if let Node::Resource(resource) = graph.node_mut(NodeIndex(*at as u32)) {
            resource.target = Some((*target).into());
        }
    }
    graph.mark_elsewhere();
    graph
}

fn program_for(targets: &[(usize, &str)]) -> Arc<Program> {
    compiled(graph_for(targets), Sources::default())
}

fn of_db() -> Vec<(usize, &'static str)> {
    (0..5).map(|at| (at, "db1.example.com")).collect()
}

fn play(width: u16, height: u16, as_this_host: bool) -> Play {
    let program = program_for(&of_db());
    Play::prepared(width, height, &UNICODE, program, |state| state.cx.project.as_this_host = as_this_host)
}

fn header(play: &Play) -> String {
    play.draw().lines().next().unwrap_or_default().to_owned()
}

/// The word that the question on top asks for.
fn word(play: &Play) -> Option<&str> {
    match &play.state.cx.layers.open.last()?.question()?.answer {
        Answer::Word { word, .. } => Some(word),
        _ => None,
    }
}

#[test]
fn a_program_of_another_host_is_not_applied() {
    let mut play = play(120, 40, false);
    play.press("p  A");
    assert!(play.asks(|answer| matches!(answer, Answer::Read)), "nothing is asked");
    play.shows("this graph was compiled for host `db1.example.com`");
    play.shows("workbench --as-this-host");
    // Neither by its name nor by the answers that would confirm.
    play.press("esc  :  a  r  m  enter  y  w  e  b  1  enter");
    assert_eq!(play.step().phase.name(), "dry");
    assert!(!play.asked.iter().any(|asked| asked == "Arm"), "{:?}", play.asked);
    // `deploy undo` does not take the deploy before it for this one.
    assert!(play.noted.iter().any(|noted| noted == "refused"), "{:?}", play.noted);
}

#[test]
fn an_accepted_program_of_another_host_needs_both_names() {
    let mut play = play(120, 40, true);
    play.press("p  A");
    assert_eq!(word(&play), Some("db1.example.com on web1"));
    assert!(play.draw().contains("It was compiled for host db1.example.com, not for this machine."));
    // The name of the machine alone is not enough.
    play.press("w  e  b  1  enter");
    assert_eq!(play.step().phase.name(), "dry");
    play.press("esc  A");
    for key in "db1.example.com on web1".chars() {
        let name = if key == ' ' { "space".to_owned() } else { key.to_string() };
        play.press(&name);
    }
    play.press("enter");
    assert_eq!(play.step().phase.name(), "live", "{}", play.draw());
}

#[test]
fn the_header_shows_the_node_until_it_is_this_machine() {
    for (width, height, node) in [(120, 40, "node db1.example.com"), (80, 24, "node db1"), (60, 20, "node db1")] {
        let mut play = play(width, height, true);
        for keys in ["1", "p", "s", "2", "1", "A"] {
            play.press(keys);
            assert!(header(&play).contains(node), "{width} {keys}: {}", header(&play));
        }
        for key in "db1.example.com on web1".chars() {
            let name = if key == ' ' { "space".to_owned() } else { key.to_string() };
            play.press(&name);
        }
        play.press("enter");
        assert_eq!(play.step().phase.name(), "live");
        for keys in ["s", "2", "1"] {
            play.press(keys);
            assert!(header(&play).contains("LIVE web1") && header(&play).contains(node), "{}", header(&play));
        }
        let mut play = Play::sized(width, height, "p  s");
        assert!(!header(&play).contains("node"), "{}", header(&play));
        play.change(program_for(&of_db()));
        assert!(header(&play).contains(node), "{}", header(&play));
        play.change(program());
        play.press("p");
        assert!(!header(&play).contains("node"), "{}", header(&play));
    }
}

#[test]
fn resume_and_attach_ask_for_both_names() {
    let mut play = play(120, 40, false);
    play.press("p");
    let graph = graph_hash(&graph_for(&of_db()));
    play.send(Message::Live(Notice::CutOff(Cut { graph, ..cut() })));
    play.press("1  R");
    assert_eq!(word(&play), Some("db1.example.com on web1"), "{}", play.draw());
    let mut play = Play::after("p");
    let mut status = status();
    status.other = Some("db1.example.com".into());
    play.send(Message::Detached(Detached::Waits(status)));
    play.press("1  a");
    assert_eq!(word(&play), Some("db1.example.com on web1"), "{}", play.draw());
}

#[test]
fn a_program_for_several_hosts_shows_each_apart() {
    let targets = [(2, "db1"), (4, "db2")];
    for (width, height) in [(120, 40), (80, 24)] {
        let mut play = Play::prepared(width, height, &UNICODE, program_for(&targets), |_| {});
        play.press("p");
        let graph = graph_for(&targets);
        let plan = Arc::make_mut(play.state.screens.step.plan.as_mut().expect("it was made"));
        plan.elsewhere = Elsewhere::of(&graph);
        plan.steps.retain(|step| graph.find(&step.resource).is_some_and(|at| graph.node(at).takes_turn()));
        play.press("1");
        let page = play.draw();
        for words in ["host db1: 1 resource", "   exec[warm the cache]", "not applied here, for host db2 1"] {
            assert!(page.contains(words), "{width}: {page}");
        }
        assert!(!header(&play).contains("node"), "{page}");
    }
    // The accepted host would write the paths of two here.
    let mut play =
        Play::prepared(120, 40, &UNICODE, program_for(&targets), |state| state.cx.project.as_this_host = true);
    play.press("p  A").shows("this program is for several hosts: db1, db2");
    assert_eq!(word(&play), None);
    // No resource is for this machine.
    let all = [(0, "db1"), (1, "db1"), (2, "db1"), (3, "db2"), (4, "db2")];
    let mut play = Play::prepared(120, 40, &UNICODE, program_for(&all), |_| {});
    play.press("p  A");
    play.shows("no resource of this program is for web1, only for db1, db2");
    play.hides("--as-this-host");
    assert_eq!(play.step().plan.as_ref().map(|plan| plan.steps[0].resource.clone()), Some(id("pkg[nginx]")));
}
