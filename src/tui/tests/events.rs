//! A watched program: its events, and the steps that they make pending again.

use std::sync::Arc;

use super::stage::{Play, graph, id, program};
use crate::diag::{Code, Diagnostic, Diagnostics, Stage};
use crate::graph::{Graph, Node, Value};
use crate::session::follow::{Change, Fate, Read, ResourceChange, Sample, Trigger};
use crate::session::live::News;
use crate::session::moment::{Moment, What};
use crate::source::Place;
use crate::tui::{effect::Effect, message::Message, program::Program, screen::ScreenId};

/// Plays a watched program.
#[derive(Default)]
pub struct FakeWatch {
    run: u64,
    taken: usize,
    /// The newest graph without errors.
    graph: Option<Arc<Graph>>,
    /// The program has no inputs.
    pub reads_nothing: bool,
}

fn port() -> Read {
    Read::File("/etc/port".into())
}

fn bytes(text: &str) -> Sample {
    Sample::Bytes(text.as_bytes().into())
}

fn place(line: u32) -> Option<Place> {
    Some(Place { file: "web/main.mcl".into(), line, column: 10, end_line: line, end_column: 30 })
}

fn clock(from: i64, to: i64) -> Change {
    let at = |time| Ok(Sample::Integer(time));
    Change { input: Read::Now, from: at(from), to: at(to), place: place(4) }
}

/// The graph after so many events: another content, one more, one less.
fn graph_at(number: usize) -> Arc<Graph> {
    let mut graph = graph();
    if number == BACK {
        return Arc::new(graph);
    }
    let at = graph.find(&id("file[/srv/web/nginx.conf]")).expect("it is there");
    if number >= 1
        && let Node::Resource(resource) = graph.node_mut(at)
    {
        resource.set("content", Value::from("listen 8080;\nworkers 4;\n"));
    }
    if number >= 3 {
        let node = graph.node(graph.find(&id("svc[nginx]")).expect("it is there")).clone();
        let Node::Resource(mut resource) = node else { unreachable!("a service is a resource") };
        resource.id = id("svc[varnish]");
        resource.wanted_mut().expect("it has a kind").name = "varnish".into();
        graph.add(Node::Resource(resource)).expect("it is new");
    }
    Arc::new(graph)
}

/// Event 1 changes a file, 2 makes no difference, 3 adds a service and removes a resource, 4 has an error.
fn moment(number: usize) -> Moment {
    let emitted =
        |resource: &str, fate| ResourceChange { resource: id(resource), fate, because: vec![Trigger::Input(port())] };
    let change =
        |from: &str, to: &str| Change { input: port(), from: Ok(bytes(from)), to: Ok(bytes(to)), place: place(11) };
    let (changes, resources) = match number {
        1 => (vec![change("80\n", "8080\n")], vec![emitted("file[/srv/web/nginx.conf]", Fate::Changed)]),
        2 => (vec![clock(1_700_000_000, 1_700_000_001)], vec![]),
        3 => (
            vec![change("8080\n", "8080\nvarnish\n"), clock(1_700_000_001, 1_700_000_002)],
            vec![
                emitted("file[/srv/web/nginx.conf]", Fate::Changed),
                emitted("svc[varnish]", Fate::Added),
                emitted("cron[nightly]", Fate::Removed),
            ],
        ),
        4 => (vec![change("8080\nvarnish\n", "\u{1b}[2J")], vec![]),
        BACK => (vec![clock(1_700_000_002, 1_700_000_003)], vec![emitted("svc[varnish]", Fate::Added)]),
        _ => (vec![], vec![]),
    };
    let mut diagnostics = Diagnostics::new(Stage::Eval);
    if number == 4 {
        diagnostics.push(Diagnostic::placeless(Code::EvaluationFailed).label("`\u{1b}[2J` is not a number"));
    }
    let fresh = vec![(port(), Ok(bytes("80\n"))), (Read::Now, Ok(Sample::Integer(1_700_000_000)))];
    Moment {
        number,
        at: number as u64 * 1000,
        what: if number == 0 { What::Start } else { What::Inputs },
        changes,
        earlier: if number == BACK { vec![change("80\n", "8080\n")] } else { vec![] },
        fresh: if number == 0 { fresh } else { vec![] },
        resources,
        edges: false,
        graph: graph_at(number),
        sources: Arc::new(program().sources.clone()),
        diagnostics,
        log: vec![],
        ran: 2,
    }
}

/// The event that restores the program of the start.
const BACK: usize = 5;

impl FakeWatch {
    fn take(&mut self) -> Message {
        let number = self.taken;
        self.taken += 1;
        let mut moment = moment(number);
        match &self.graph {
            Some(graph) if moment.diagnostics.has_errors() => moment.graph = graph.clone(),
            _ => self.graph = Some(moment.graph.clone()),
        }
        let fresh = if self.reads_nothing { vec![] } else { moment.fresh.clone() };
        Message::Watched { run: self.run, news: News::Moment(Arc::new(Moment { fresh, ..moment })) }
    }

    /// Runs an effect of the watch.
    pub fn on_key(&mut self, effect: &Effect) -> Option<Vec<Message>> {
        match effect {
            Effect::Watch { run } => {
                *self = Self { run: *run, reads_nothing: self.reads_nothing, ..Self::default() };
                Some(vec![self.take()])
            }
            Effect::EndWatch => Some(vec![]),
            Effect::Index { moment, run, kinds } => Some(vec![Message::Indexed {
                run: *run,
                program: Arc::new(Program::of_moment(moment, Arc::clone(kinds))),
            }]),
            _ => None,
        }
    }
}

impl Play {
    /// An input changes.
    pub fn happens(&mut self) -> &mut Self {
        let message = self.watch.take();
        self.send(message);
        self
    }

    /// The inputs are restored.
    pub fn goes_back(&mut self) -> &mut Self {
        self.watch.taken = BACK;
        self.happens()
    }

    fn content(&self) -> String {
        let graph = &self.state.cx.graphed().expect("there is a graph").graph;
        let at = graph.find(&id("file[/srv/web/nginx.conf]")).expect("it is there");
        let resource = graph.resource(at).expect("it is no anchor");
        resource.shown().params.get("content").and_then(Value::as_str).expect("it has a content").into()
    }

    fn has(&self, resource: &str) -> bool {
        self.state.cx.graphed().expect("there is a graph").graph.find(&id(resource)).is_some()
    }
}

#[test]
fn events_are_taken_in_as_they_come() {
    let mut play = Play::after("3  w");
    assert_eq!((play.screen(), play.content().as_str()), (ScreenId::Graph, "listen 80;\nworkers 4;\n"));
    play.happens();
    assert_eq!(play.content(), "listen 8080;\nworkers 4;\n");
    play.happens().happens();
    assert!(play.has("svc[varnish]"));
}

/// Each event is a line of the log, with its inputs and its effects.
#[test]
fn an_event_is_a_line_of_the_log() {
    let mut play = Play::new(120, 40);
    play.press("3  w").happens().happens().happens().press("6");
    let drawn = play.draw();
    let lines: Vec<_> = drawn.lines().filter(|line| line.contains("file /etc/port: ")).collect();
    assert_eq!(lines.len(), 2, "{drawn}");
    assert!(lines[0].contains("~1") && lines[1].contains("+1 ~1 -1"), "{drawn}");
}

/// The same key ends the watch; the shown graph is that of the compiled program.
#[test]
fn one_key_watches_and_ends_it() {
    let mut play = Play::new(120, 40);
    play.press("3  w").happens().shows(" watching ");
    let turn = play.state.cx.programs.turn;
    play.press("w");
    assert!(!play.state.cx.events.is_on() && play.state.cx.programs.turn == turn + 1, "{}", play.draw());
    assert_eq!(play.content(), "listen 80;\nworkers 4;\n");
    play.press("w");
    assert!(play.state.cx.events.is_on());
}

/// Errors of an event are listed as problems, and reported once.
#[test]
fn an_error_of_an_event_is_logged() {
    let mut play = Play::new(120, 40);
    play.press("3  w").happens().happens().happens().happens();
    play.watch.taken = 4;
    play.happens().press("6  /  l e v e l : p r o b l e m s enter");
    let drawn = play.draw();
    let lines: Vec<_> = drawn.lines().filter(|line| line.contains("problem ")).collect();
    assert_eq!(lines.len(), 1, "{drawn}");
    assert!(lines[0].contains("event 4: evaluation failed: `") && lines[0].contains("is not a number"), "{drawn}");
}

/// Changes from events with errors are reported with the first event without errors.
#[test]
fn what_changed_in_events_with_errors_is_reported_with_the_next_graph() {
    let mut play = Play::new(120, 40);
    play.press("3  w").happens().happens().happens().happens().goes_back().press("6");
    play.shows("clock: 1700000002 ").shows("; earlier, with errors: file /etc/port");
}

/// In a dry run, and at its end, the resources that an event changed become pending again, with their dependents; other
/// steps stay, and so do breakpoints.
#[test]
fn an_event_opens_its_changed_resources() {
    const CONF: &str = "file[/srv/web/nginx.conf]";
    let mut play = Play::after("1  w  j  j  j  b  c");
    assert!(play.step().next_id().is_none(), "{}", play.draw());
    let turned = play.step().turned();
    play.happens();
    let drawn = play.draw();
    assert_eq!(play.step().next_id().cloned(), Some(id(CONF)), "{drawn}");
    assert!(drawn.contains("an input changed the graph, ~1: file[/srv/web/nginx.conf] is next"), "{drawn}");
    assert!(play.step().turned() < turned && play.step().turned() > 0, "{drawn}");
    let planned = |play: &Play| play.step().program().expect("there is a plan").graph.clone();
    assert!(Arc::ptr_eq(&planned(&play), &play.state.cx.graphed().expect("a graph").graph));
    let breaks = play.asked.iter().filter(|asked| asked.starts_with("Break")).count();
    assert_eq!(breaks, 2, "the run that follows is told of the breakpoint too: {:?}", play.asked);
    play.press("s");
    assert!(play.step().next_id().is_some() && play.step().next_id().cloned() != Some(id(CONF)), "{}", play.draw());
    // An event without a difference changes nothing; one that adds a resource makes it pending.
    let next = play.step().next_id().cloned();
    play.happens();
    assert_eq!(play.step().next_id().cloned(), next);
    play.happens();
    assert!(Arc::ptr_eq(&planned(&play), &play.state.cx.graphed().expect("a graph").graph));
    assert!(planned(&play).find(&id("svc[varnish]")).is_some());
    assert_eq!(play.step().next_id().cloned(), next, "{}", play.draw());
}

/// The cursor goes to the next pending step, unless the user looks at another row.
#[test]
fn the_cursor_goes_to_the_opened_resource() {
    const CONF: &str = "file[/srv/web/nginx.conf]";
    const PAGE: &str = "file[/srv/web/index.html]";
    for (keys, cursor) in
        [("c", CONF), ("c  g  g", "pkg[nginx]"), ("c  k  k", PAGE), ("s  s  s  s  s", CONF), ("s  s", PAGE)]
    {
        let mut play = Play::after("1  w");
        play.press(keys);
        play.happens();
        play.shows("an input changed the graph");
        assert_eq!(play.step().cursor_id(), Some(&id(cursor)), "{keys}: {}", play.draw());
    }
}

#[test]
fn the_end_of_a_watch_shows_the_program_again() {
    let mut play = Play::new(80, 24);
    play.press("3  w").happens().press("w");
    assert_eq!(play.content(), "listen 80;\nworkers 4;\n");
    assert!(!play.state.cx.events.is_on());
    // Reports of an ended watch are ignored.
    play.happens();
    assert!(!play.state.cx.events.is_on());
}

#[test]
fn files_that_the_watch_watches_are_not_compiled_again() {
    let mut play = Play::sized(80, 24, "3  w");
    let turn = play.state.cx.programs.turn;
    play.send(Message::FilesChanged(vec![port()]));
    assert_eq!(play.state.cx.programs.turn, turn);
    play.send(Message::FilesChanged(vec![Read::File("/m/web/main.mcl".into())]));
    assert_eq!(play.state.cx.programs.turn, turn + 1);
}
