//! A watched program: events as they come, collected, taken one by one, gone back to, and how all that looks.

use std::sync::Arc;

use super::stage::{Play, graph, id, program};
use crate::diag::{Code, Diagnostic, Diagnostics, Stage};
use crate::graph::{Graph, Node, Value};
use crate::session::follow::{Because, Change, Event, Fate, Read, Reemitted, Sample};
use crate::session::live::{EventSource, News, Order};
use crate::session::moment::{Moment, Pending, What};
use crate::source::Place;
use crate::tui::effect::Effect;
use crate::tui::look::{ASCII, UNICODE};
use crate::tui::message::Message;
use crate::tui::program::Program;
use crate::tui::screen::{Pane, ScreenId};

/// What a followed program tells, without one.
#[derive(Default)]
pub struct FakeWatch {
    run: u64,
    taken: usize,
    waiting: usize,
    is_record: bool,
    /// The newest graph without errors: it holds until there is another.
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
        resource.shown().params.set("content", Value::from("listen 8080;\nworkers 4;\n"));
    }
    if number >= 3 {
        let node = graph.node(graph.find(&id("svc[nginx]")).expect("it is there")).clone();
        let Node::Resource(mut resource) = node else { unreachable!("a service is a resource") };
        resource.id = id("svc[varnish]");
        resource.shown().name = "varnish".into();
        graph.add(Node::Resource(resource)).expect("it is new");
    }
    Arc::new(graph)
}

/// Event 1 changes a file, 2 makes no difference, 3 brings a service and takes one resource away, 4 is wrong.
fn moment(number: usize) -> Moment {
    let emitted =
        |resource: &str, fate| Reemitted { resource: id(resource), fate, because: vec![Because::Input(port())] };
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
        ran: 2,
    }
}

const EVENTS: usize = 4;

/// The event that goes back to what was wanted at the start.
const BACK: usize = 5;

impl FakeWatch {
    fn news(&self, number: usize, news: News) -> Message {
        Message::Watched { run: self.run, time: format!("12:00:{number:02}"), news }
    }

    fn take(&mut self) -> Message {
        let number = self.taken;
        self.taken += 1;
        let mut moment = moment(number);
        match &self.graph {
            Some(graph) if moment.diagnostics.has_errors() => moment.graph = graph.clone(),
            _ => self.graph = Some(moment.graph.clone()),
        }
        let fresh = if self.reads_nothing { vec![] } else { moment.fresh.clone() };
        self.news(number, News::Moment(Arc::new(Moment { fresh, ..moment })))
    }

    fn wait(&mut self) -> Message {
        let number = self.taken + self.waiting;
        self.waiting += 1;
        let changes = moment(number).changes.into_iter().map(|change| (change.input, change.to));
        let event = Event { at: number as u64 * 1000, changes: changes.collect() };
        self.news(number, News::Waits(Pending { event, what: What::Inputs }))
    }

    /// Does an effect that is for the watch.
    pub fn hear(&mut self, effect: &Effect) -> Option<Vec<Message>> {
        match effect {
            Effect::Watch { source, run } => {
                let (is_record, reads_nothing) = (matches!(source, EventSource::Record(_)), self.reads_nothing);
                *self = Self { run: *run, is_record, reads_nothing, ..Self::default() };
                let mut messages = vec![self.take()];
                if self.is_record {
                    messages.extend((0..EVENTS).map(|_| self.wait()).collect::<Vec<_>>());
                }
                Some(messages)
            }
            Effect::Order(Order::Take) if self.waiting > 0 => {
                self.waiting -= 1;
                Some(vec![self.take()])
            }
            Effect::Order(Order::GoOn) => Some((0..std::mem::take(&mut self.waiting)).map(|_| self.take()).collect()),
            Effect::Order(_) | Effect::EndWatch => Some(vec![]),
            Effect::Index { moment, run } => {
                Some(vec![Message::Indexed { run: *run, program: Arc::new(Program::of_moment(moment)) }])
            }
            _ => None,
        }
    }
}

impl Play {
    /// Something happens to the inputs: it is taken in at once, or waits.
    pub fn happens(&mut self) -> &mut Self {
        let message = if self.state.events.is_paused { self.watch.wait() } else { self.watch.take() };
        self.tell(message);
        self
    }

    /// What happened to the inputs is gone again.
    pub fn goes_back(&mut self) -> &mut Self {
        self.watch.taken = BACK;
        self.happens()
    }

    /// A face that replays a record.
    fn replays(width: u16, height: u16) -> Self {
        let events: Vec<Event> = (0..=EVENTS).map(|at| Event { at: at as u64, changes: vec![] }).collect();
        Self::prepared(width, height, &UNICODE, program(), |state| {
            state.events.record = Some(("day.jsonl".into(), events.into()));
        })
    }

    fn content(&self) -> String {
        let graph = &self.state.graphed().expect("there is a graph").graph;
        let at = graph.find(&id("file[/srv/web/nginx.conf]")).expect("it is there");
        let resource = graph.resource(at).expect("it is no anchor");
        resource.shown().params.get("content").and_then(Value::as_str).expect("it has a content").into()
    }

    fn has(&self, resource: &str) -> bool {
        self.state.graphed().expect("there is a graph").graph.find(&id(resource)).is_some()
    }
}

#[test]
fn events_are_taken_in_as_they_come() {
    let mut play = Play::new(120, 40);
    play.press("3  w");
    assert_eq!((play.state.screen, play.state.focus()), (ScreenId::Graph, Pane::Events));
    assert_eq!(play.content(), "listen 80;\nworkers 4;\n");
    play.happens();
    assert_eq!(play.content(), "listen 8080;\nworkers 4;\n");
    let mark = play.state.events.mark(&id("file[/srv/web/nginx.conf]")).expect("it was emitted again");
    assert_eq!((mark.fate, mark.count, mark.is_now), (Fate::Changed, 1, true));
    play.happens().happens();
    assert!(play.has("svc[varnish]"));
    assert_eq!(play.state.events.removed(), [&id("cron[nightly]")]);
    assert_eq!(play.state.events.position(), (3, 3));
}

#[test]
fn what_waits_is_taken_one_by_one() {
    let mut play = Play::new(120, 40);
    play.press("3  w  w").happens().happens().happens();
    assert_eq!((play.state.events.position(), play.state.events.waiting()), ((0, 0), 3));
    assert_eq!(play.content(), "listen 80;\nworkers 4;\n");
    play.press(">");
    assert_eq!((play.state.events.position(), play.state.events.waiting()), ((1, 1), 2));
    assert_eq!(play.content(), "listen 8080;\nworkers 4;\n");
    play.press("w");
    assert_eq!((play.state.events.position(), play.state.events.waiting()), ((3, 3), 0));
    assert!(!play.state.events.is_paused);
}

/// The log tells what was taken in when that was, and when it came where that is another time.
#[test]
fn what_waited_is_logged_when_it_is_taken() {
    let mut play = Play::new(120, 40);
    play.press("3  w  w").happens();
    play.state.now = "12:30:00".into();
    play.press(">  6");
    play.tell(Message::PendingDue);
    let drawn = play.draw();
    let line = drawn.lines().find(|line| line.contains("/etc/port")).unwrap_or_default();
    assert!(line.contains("12:30:00 ") && line.contains("~1  came at 12:00:01"), "{drawn}");
    play.state.now = "12:30:01".into();
    play.press("3").tell(Message::PendingDue);
    play.press("w").happens().happens().press("6").tell(Message::PendingDue);
    let drawn = play.draw();
    let line = drawn.lines().rfind(|line| line.contains("/etc/port")).unwrap_or_default();
    assert!(line.contains("12:30:01 ") && !line.contains("came at"), "{drawn}");
}

/// What is wrong after an event is found where problems are looked for, and told once while it stays so.
#[test]
fn an_error_of_an_event_is_logged() {
    let mut play = Play::new(120, 40);
    play.press("3  w").happens().happens().happens().happens();
    play.watch.taken = 4;
    play.happens().press("6  L  L");
    let drawn = play.draw();
    let lines: Vec<_> = drawn.lines().filter(|line| line.contains("problem ")).collect();
    assert!(drawn.contains("problems only"), "{drawn}");
    assert_eq!(lines.len(), 1, "{drawn}");
    assert!(lines[0].contains("event 4: evaluation failed: `") && lines[0].contains("is not a number"), "{drawn}");
}

/// What changed while the program had errors is told with the event that ends them.
#[test]
fn what_changed_in_events_with_errors_is_told_with_the_next_graph() {
    let mut play = Play::new(120, 40);
    play.press("3  w").happens().happens().happens().happens().goes_back();
    let drawn = play.draw();
    for told in ["and 1 before", "(from an earlier event with errors)", "+ svc[varnish]  file /etc/port"] {
        assert!(drawn.contains(told), "no {told}\n{drawn}");
    }
    play.press("6");
    let drawn = play.draw();
    assert!(drawn.contains("clock: 1700000002 ") && drawn.contains("; before, with errors: file /etc/port"), "{drawn}");
}

#[test]
fn going_back_shows_the_graph_as_it_was() {
    let mut play = Play::replays(120, 40);
    assert_eq!((play.state.screen, play.state.events.waiting()), (ScreenId::Graph, EVENTS));
    play.press(">  >  >");
    assert!(play.has("svc[varnish]"));
    for (keys, at, content, has) in [
        ("<", 2, "listen 8080;\nworkers 4;\n", false),
        ("<  <", 0, "listen 80;\nworkers 4;\n", false),
        ("<", 0, "listen 80;\nworkers 4;\n", false),
        (">", 1, "listen 8080;\nworkers 4;\n", false),
        ("tab  tab  tab  G  k", 3, "listen 8080;\nworkers 4;\n", true),
        ("g  g", 0, "listen 80;\nworkers 4;\n", false),
    ] {
        play.press(keys);
        assert_eq!((play.state.events.position().0, play.content().as_str()), (at, content), "{keys}");
        assert_eq!(play.has("svc[varnish]"), has, "{keys}");
    }
    // What was emitted later does not show yet.
    assert_eq!(play.state.events.mark(&id("svc[varnish]")), None);
}

#[test]
fn a_plan_follows_the_event_that_is_shown() {
    let mut play = Play::replays(120, 40);
    play.press("p  >  >  >");
    let planned = play.state.step.program().expect("there is a plan").graph.clone();
    assert!(Arc::ptr_eq(&planned, &play.state.graphed().expect("a graph").graph));
}

/// In the middle of a dry run, and at its end, what an event changed comes again as a step, with what hangs on it; the rest stays
/// as it was taken, and breakpoints hold.
#[test]
fn an_event_opens_what_it_changed_again() {
    const CONF: &str = "file[/srv/web/nginx.conf]";
    let mut play = Play::new(120, 40);
    play.press("4  w  w  j  j  j  b  c");
    assert!(play.state.step.next.is_none(), "{}", play.draw());
    let turned = play.state.step.turned();
    play.happens().press(">");
    let drawn = play.draw();
    assert_eq!(play.state.step.next, Some(id(CONF)), "{drawn}");
    assert!(drawn.contains("an event changed the graph, ~1: file[/srv/web/nginx.conf] is next"), "{drawn}");
    assert!(play.state.step.turned() < turned && play.state.step.turned() > 0, "{drawn}");
    let planned = |play: &Play| play.state.step.program().expect("there is a plan").graph.clone();
    assert!(Arc::ptr_eq(&planned(&play), &play.state.graphed().expect("a graph").graph));
    let breaks = play.asked.iter().filter(|asked| asked.starts_with("Break")).count();
    assert_eq!(breaks, 2, "the run that follows is told of the breakpoint too: {:?}", play.asked);
    play.press("s");
    assert!(play.state.step.next.is_some() && play.state.step.next != Some(id(CONF)), "{}", play.draw());
    // One that makes no difference leaves all as it is; one that brings a resource and takes one away brings it to be stepped.
    let next = play.state.step.next.clone();
    play.happens().press(">");
    assert_eq!(play.state.step.next, next);
    play.happens().press(">");
    assert!(Arc::ptr_eq(&planned(&play), &play.state.graphed().expect("a graph").graph));
    assert!(planned(&play).find(&id("svc[varnish]")).is_some());
    assert_eq!(play.state.step.next, next, "{}", play.draw());
}

/// The cursor goes to what came again and is next, unless somebody looks at another row.
#[test]
fn the_cursor_goes_to_what_an_event_opened() {
    const CONF: &str = "file[/srv/web/nginx.conf]";
    const PAGE: &str = "file[/srv/web/index.html]";
    for (keys, cursor) in [("c", CONF), ("c  g  g", "pkg[nginx]"), ("c  k  k", PAGE), ("5  s", CONF), ("s  s", PAGE)] {
        let mut play = Play::new(120, 40);
        play.press("4  w  w").press(keys);
        play.happens().press(">");
        assert!(play.draw().contains("an event changed the graph"), "{keys}: {}", play.draw());
        assert_eq!(play.state.step.cursor_id(), Some(&id(cursor)), "{keys}: {}", play.draw());
    }
}

#[test]
fn the_end_of_a_watch_shows_the_program_again() {
    let mut play = Play::new(80, 24);
    play.press("3  w").happens().press("W");
    assert_eq!(play.content(), "listen 80;\nworkers 4;\n");
    assert!(!play.state.events.is_on());
    // What a left watch still tells is not heard.
    play.happens();
    assert!(!play.state.events.is_on());
}

#[test]
fn files_that_the_watch_hears_of_are_not_compiled_again() {
    let mut play = Play::new(80, 24);
    play.press("3  w");
    let turn = play.state.turn;
    play.tell(Message::FilesChanged(vec![port()]));
    assert_eq!(play.state.turn, turn);
    play.tell(Message::FilesChanged(vec![Read::File("/m/web/main.mcl".into())]));
    assert_eq!(play.state.turn, turn + 1);
}

#[test]
fn events_without_a_difference_share_a_row() {
    let mut play = Play::new(120, 40);
    play.press("3  w").happens();
    let tick = |number: usize| {
        let mut tick = moment(2);
        (tick.number, tick.at) = (number, number as u64 * 1000);
        tick.changes = vec![clock(1_700_000_000 + number as i64, 1_700_000_001 + number as i64)];
        tick
    };
    for number in 2..50 {
        let news = News::Moment(Arc::new(tick(number)));
        play.tell(Message::Watched { run: play.state.events.run, time: "12:00:30".into(), news });
    }
    let frame = play.draw();
    assert!(frame.contains("×48"), "{frame}");
    assert!(frame.contains("3 of 3"), "{frame}");
}

const SIZES: [(u16, u16); 3] = [(120, 40), (80, 24), (60, 16)];

#[test]
fn how_it_looks() {
    for (width, height) in SIZES {
        let mut play = Play::replays(width, height);
        insta::assert_snapshot!(format!("start-{width}x{height}"), play.draw());
        play.press(">  >  >");
        insta::assert_snapshot!(format!("event-{width}x{height}"), play.draw());
        play.press("shift-tab  shift-tab");
        insta::assert_snapshot!(format!("marks-{width}x{height}"), play.draw());
        play.press("tab  >  <  <");
        insta::assert_snapshot!(format!("back-{width}x{height}"), play.draw());
        play.press("shift-tab  >  >");
        insta::assert_snapshot!(format!("wrong-{width}x{height}"), play.draw());
        play.press("shift-tab  G");
        let mut play = Play::new(width, height);
        play.press("3  w").happens().press("w").happens().happens();
        play.press("j  j");
        insta::assert_snapshot!(format!("paused-{width}x{height}"), play.draw());
    }
}

#[test]
fn ascii_only() {
    let mut play = Play::prepared(120, 40, &ASCII, program(), |_| {});
    play.press("3  w").happens().happens().happens().press("w").happens();
    let frame = play.draw();
    assert!(frame.is_ascii(), "{frame}");
}
