//! Turns side by side: they keep to the graph, stop where they are asked to, and count as they would one by one.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use workbench::deploy::{History, Holder, Lock, Recording, StateFolder};
use workbench::engine::message::{Event, Pause, Request, TurnState};
use workbench::engine::{Options, Run};
use workbench::graph::{Graph, NodeIndex, ResourceId, Secrets, Value};
use workbench::host::Local;
use workbench::host::journal::Begin;
use workbench::world::Cancel;

use crate::engine::Sketch;
use crate::generated::Dice;

fn run(graph: &Arc<Graph>, jobs: usize) -> Run {
    Run::new(Arc::clone(graph), Box::<Local>::default(), Options { jobs, ..Options::default() })
}

/// A try that takes as many milliseconds, and may fail.
fn wait(sketch: &mut Sketch, name: &str, millis: i64, meta: &[(&str, Value)]) -> NodeIndex {
    let at = sketch.add("exec", name, &[("cmd", format!("/bin/sleep {}", millis as f64 / 1000.0).as_str().into())]);
    set_meta(sketch, at, meta);
    at
}

fn set_meta(sketch: &mut Sketch, at: NodeIndex, meta: &[(&str, Value)]) {
    if let workbench::graph::Node::Resource(resource) = sketch.graph.node_mut(at) {
        for (name, value) in meta {
            resource.meta.set(*name, value.clone());
        }
    }
}

fn events(run: &mut Run, request: Request) -> Vec<Event> {
    let mut events = Vec::new();
    run.handle(request, &mut |event| events.push(event));
    events
}

fn why(events: &[Event]) -> Option<Pause> {
    events.iter().rev().find_map(|event| match event {
        Event::Paused { why, .. } => Some(why.clone()),
        _ => None,
    })
}

/// The moments at which each resource began and ended, as places in the list of events.
fn moments(events: &[Event]) -> BTreeMap<&ResourceId, (usize, usize)> {
    let mut moments = BTreeMap::new();
    for (at, event) in events.iter().enumerate() {
        if let Event::Turn { resource, state, .. } = event {
            match state {
                TurnState::Running => assert!(moments.insert(resource, (at, at)).is_none(), "{resource} begins once"),
                _ => moments.entry(resource).or_insert((at, at)).1 = at,
            }
        }
    }
    moments
}

#[test]
fn every_edge_is_kept_in_generated_graphs() {
    for seed in 0..60 {
        let mut dice = Dice::new(seed);
        let mut sketch = Sketch::new("");
        let count = 20 + dice.below(60) as u32;
        for at in 0..count {
            let node = sketch.add("noop", &format!("{at}"), &[]);
            let semas = ["a", "b:2", "c:3"].iter().filter(|_| dice.below(3) == 0).map(|name| (*name).into()).collect();
            set_meta(&mut sketch, node, &[("sema", Value::List(semas))]);
        }
        for to in 1..count {
            for _ in 0..dice.below(3) {
                let from = NodeIndex(dice.below(u64::from(to)) as u32);
                sketch.connect(from, NodeIndex(to), false, None);
            }
        }
        let graph = sketch.done();
        let mut run = run(&graph, 1 + dice.below(12) as usize);
        let events = events(&mut run, Request::Finish);
        let moments = moments(&events);
        assert_eq!(moments.len(), count as usize);
        for edge in graph.edges() {
            let (from, to) = (graph.node(edge.from).id(), graph.node(edge.to).id());
            assert!(moments[from].1 < moments[to].0, "seed {seed}: {from} ends before {to} begins");
        }
    }
}

#[test]
fn unordered_resources_run_in_parallel() {
    let mut sketch = Sketch::new("");
    for name in 0..8 {
        wait(&mut sketch, &format!("{name}"), 300, &[]);
    }
    let graph = sketch.done();
    let begun = Instant::now();
    let events = events(&mut run(&graph, 8), Request::Finish);
    assert_eq!(why(&events), Some(Pause::End));
    let first_end = events.iter().position(|event| matches!(event, Event::Turn { state: TurnState::Done, .. }));
    assert_eq!(first_end, Some(8), "all have begun before one ends, in {:?}", begun.elapsed());
}

#[test]
fn a_step_is_exactly_one_turn_whatever_the_jobs() {
    let mut sketch = Sketch::new("");
    for name in 0..5 {
        sketch.add("noop", &format!("{name}"), &[]);
    }
    let graph = sketch.done();
    let mut run = run(&graph, 8);
    for left in (0..5).rev() {
        events(&mut run, Request::Step);
        assert_eq!(run.states().filter(|(_, state)| **state == TurnState::Waiting).count(), left);
    }
}

#[test]
fn a_failure_lets_those_at_work_end_and_begins_nothing_more() {
    let mut sketch = Sketch::new("");
    let bad = sketch.add("exec", "bad", &[("cmd", "/bin/false".into())]);
    let behind = sketch.add("noop", "behind", &[]);
    sketch.connect(bad, behind, false, None);
    wait(&mut sketch, "long", 400, &[]);
    let chained = [wait(&mut sketch, "later", 1, &[]), wait(&mut sketch, "last", 1, &[])];
    sketch.connect(NodeIndex(2), chained[0], false, None);
    sketch.connect(chained[0], chained[1], false, None);
    let graph = sketch.done();
    let mut run = run(&graph, 4);
    let told = events(&mut run, Request::Continue { until: None });
    assert_eq!(why(&told), Some(Pause::Failure));
    let states: Vec<TurnState> = run.states().map(|(_, state)| state.clone()).collect();
    assert!(matches!(states[0], TurnState::Failed { .. }), "{states:?}");
    assert!(matches!(states[1], TurnState::Blocked { .. }), "{states:?}");
    assert_eq!(states[2..], [TurnState::Done, TurnState::Waiting, TurnState::Waiting]);
    let told = events(&mut run, Request::Finish);
    let finished = Event::Finished { done: 3, changed: 3, failed: 1, skipped: 0, blocked: 1 };
    assert_eq!(told.last(), Some(&finished));
}

#[test]
fn a_breakpoint_waits_until_all_is_quiet_and_comes_next() {
    let mut sketch = Sketch::new("");
    let slow = wait(&mut sketch, "slow", 200, &[]);
    let stop = sketch.add("noop", "stop here", &[]);
    let behind_slow = sketch.add("noop", "behind slow", &[]);
    sketch.connect(slow, behind_slow, false, None);
    let graph = sketch.done();
    let mut run = run(&graph, 4);
    let resource = graph.node(stop).id().clone();
    events(&mut run, Request::Break { resource: resource.clone(), on: true });
    let told = events(&mut run, Request::Continue { until: None });
    assert_eq!((why(&told), run.next()), (Some(Pause::Breakpoint), Some(&resource)));
    let told = events(&mut run, Request::Continue { until: None });
    assert_eq!(why(&told), Some(Pause::End));
}

#[test]
fn a_wish_to_stop_lets_those_at_work_end() {
    let mut sketch = Sketch::new("");
    for name in 0..6 {
        wait(&mut sketch, &format!("{name}"), 150, &[]);
    }
    let graph = sketch.done();
    let options = Options { jobs: 2, ..Options::default() };
    let stop = options.stop.clone();
    let mut run = Run::new(Arc::clone(&graph), Box::<Local>::default(), options);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(50));
            stop.cancel();
        });
        let told = events(&mut run, Request::Finish);
        assert_eq!(why(&told), Some(Pause::Stopped));
    });
    let done = run.states().filter(|(_, state)| **state == TurnState::Done).count();
    assert_eq!(done, 2, "those that had begun");
    events(&mut run, Request::Stop);
    let told = events(&mut run, Request::Finish);
    assert_eq!(why(&told), Some(Pause::End));
}

#[test]
fn a_pending_retry_delays_no_other_turn() {
    let mut sketch = Sketch::new("");
    let lock = || ("sema", Value::List(vec!["lock".into()]));
    let failing = sketch.add("exec", "failing", &[("cmd", "/bin/false".into())]);
    set_meta(&mut sketch, failing, &[("retry", Value::Int(1)), ("delay", Value::Int(300)), lock()]);
    for name in 0..3 {
        wait(&mut sketch, &format!("{name}"), 10, &[lock()]);
    }
    let graph = sketch.done();
    let told = events(&mut run(&graph, 2), Request::Finish);
    let ended: Vec<_> = told
        .iter()
        .filter_map(|event| match event {
            Event::Turn { resource, state, .. } if *state != TurnState::Running => Some(resource.to_string()),
            _ => None,
        })
        .collect();
    assert_eq!(ended.last().map(String::as_str), Some("exec[failing]"), "{ended:?}");
    assert_eq!(ended.iter().collect::<BTreeSet<_>>().len(), 4);
}

#[test]
fn a_retry_frees_only_its_own_dependents() {
    let mut sketch = Sketch::new("");
    let bad: Vec<NodeIndex> =
        (0..3).map(|at| sketch.add("exec", &format!("bad {at}"), &[("cmd", "/bin/false".into())])).collect();
    let own = sketch.add("noop", "behind the first", &[]);
    let both = sketch.add("noop", "behind two", &[]);
    let last = sketch.add("noop", "behind that", &[]);
    sketch.connect(bad[0], own, false, None);
    sketch.connect(bad[0], both, false, None);
    sketch.connect(bad[1], both, false, None);
    sketch.connect(both, last, false, None);
    sketch.connect(own, last, false, None);
    let graph = sketch.done();
    let mut run = run(&graph, 3);
    events(&mut run, Request::Finish);
    events(&mut run, Request::Retry { resource: graph.node(bad[0]).id().clone() });
    let states: Vec<TurnState> = run.states().map(|(_, state)| state.clone()).collect();
    let by = graph.node(bad[1]).id().clone();
    assert_eq!(states[0], TurnState::Waiting);
    assert_eq!(states[3], TurnState::Waiting);
    assert_eq!(states[4], TurnState::Blocked { by: by.clone() });
    assert_eq!(states[5], TurnState::Blocked { by });
}

#[test]
fn files_that_wait_for_the_disk_wait_together() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let kept = tempfile::tempdir().expect("a temporary folder can be made");
    let mut sketch = Sketch::new("");
    let path = |number: usize| folder.path().join(number.to_string());
    for number in 0..400 {
        let text = format!("text {number}");
        let mut params = vec![("state", "exists".into()), ("content", text.as_str().into())];
        match number {
            // It cannot be made, which is none of the others' business.
            7 => params.push(("path", folder.path().join("no/7").to_str().expect("is plain").into())),
            8 => std::fs::write(path(number), "old").expect("can be written"),
            9 => {
                std::fs::write(path(number), &text).expect("can be written");
                params.push(("mode", "0604".into()));
            }
            _ => {}
        }
        sketch.add("file", path(number).to_str().expect("is plain"), &params);
    }
    let state = StateFolder::open(&kept.path().join("state")).expect("can be made");
    let (me, never) = (Holder::default(), Cancel::default());
    let lock = Lock::take(&state.lock(), &me, Duration::ZERO, &never, &mut |_| ()).expect("is free");
    let (recording, host) =
        Recording::begin(&state, lock, Begin::default(), Secrets::default()).expect("can be written");
    let mut run = Run::new(Arc::new(sketch.graph), Box::new(host), Options::default());
    let events = events(&mut run, Request::Finish);
    events.iter().for_each(|event| recording.record(event));
    let (mut at_work, mut most) = (0usize, 0);
    for event in &events {
        match event {
            Event::Turn { state: TurnState::Running, .. } => at_work += 1,
            Event::Turn { .. } => at_work -= 1,
            _ => {}
        }
        most = most.max(at_work);
    }
    assert!(most > 16, "{most} at work at once");
    for number in (0..400).filter(|number| *number != 7) {
        assert_eq!(std::fs::read_to_string(path(number)).expect("was written"), format!("text {number}"));
    }
    assert_eq!(std::fs::read_dir(folder.path()).expect("is there").count(), 399, "nothing is left over");
    let failed: Vec<_> = run.states().filter(|(_, state)| matches!(state, TurnState::Failed { .. })).collect();
    assert_eq!(failed.len(), 1, "{failed:?}");
    let deploy = History::new(&state).read(1).expect("is whole");
    assert_eq!(deploy.steps.iter().filter(|step| step.was_done()).count(), 399);
    assert!(deploy.steps.iter().all(|step| !step.is_open()));
}

/// The first place to stop at in the order of a dry run is the first stop, whatever is ready before it, and nothing behind
/// it has begun; what lies before it goes side by side.
#[test]
fn stops_come_in_the_order_that_is_shown() {
    let mut sketch = Sketch::new("");
    let slow = wait(&mut sketch, "slow", 200, &[]);
    let second = wait(&mut sketch, "second", 150, &[]);
    let early = sketch.add("noop", "early", &[]);
    let late = sketch.add("noop", "late", &[]);
    let last = sketch.add("noop", "last", &[]);
    // It is ready only when the slow one is done, and stands before what is ready at once.
    sketch.connect(slow, early, false, None);
    let graph = sketch.done();
    let id = |at: NodeIndex| graph.node(at).id().clone();
    let state = |run: &Run, at: NodeIndex| {
        run.states().find(|(id, _)| *id == graph.node(at).id()).map(|(_, state)| state.clone()).expect("it is there")
    };
    let mut run = run(&graph, 4);
    for at in [early, late] {
        events(&mut run, Request::Break { resource: id(at), on: true });
    }
    let told = events(&mut run, Request::Continue { until: None });
    assert_eq!((why(&told), run.next().cloned()), (Some(Pause::Breakpoint), Some(id(early))));
    let begun = |wanted: NodeIndex| {
        let is_it = |event: &Event| matches!(event, Event::Turn { resource, state: TurnState::Running, .. } if *resource == id(wanted));
        told.iter().position(is_it)
    };
    let first_end = told.iter().position(|event| matches!(event, Event::Turn { state: TurnState::Done, .. }));
    assert!(begun(slow) < first_end && begun(second) < first_end, "these two go side by side: {told:?}");
    assert_eq!(
        [late, last].map(|at| (begun(at), state(&run, at))),
        [(None, TurnState::Waiting), (None, TurnState::Waiting)]
    );
    let told = events(&mut run, Request::Continue { until: None });
    assert_eq!((why(&told), run.next().cloned()), (Some(Pause::Breakpoint), Some(id(late))));
    let told = events(&mut run, Request::Continue { until: None });
    assert_eq!((why(&told), state(&run, last)), (Some(Pause::End), TurnState::Done));
    // The same to a cursor, which stands before a breakpoint.
    let mut run = self::run(&graph, 4);
    events(&mut run, Request::Break { resource: id(late), on: true });
    let told = events(&mut run, Request::Continue { until: Some(id(early)) });
    assert_eq!(
        (why(&told), run.next().cloned(), state(&run, late)),
        (Some(Pause::Cursor), Some(id(early)), TurnState::Waiting)
    );
}

/// A place to stop at that a failure blocks is none any more.
#[test]
fn a_blocked_path_stops_no_other_resource() {
    let mut sketch = Sketch::new("");
    let bad = sketch.add("exec", "bad", &[("cmd", "/bin/false".into())]);
    let stop = sketch.add("noop", "stop", &[]);
    let other = sketch.add("noop", "other", &[]);
    sketch.connect(bad, stop, false, None);
    let graph = sketch.done();
    let mut run = run(&graph, 4);
    events(&mut run, Request::Break { resource: graph.node(stop).id().clone(), on: true });
    let told = events(&mut run, Request::Continue { until: None });
    assert_eq!(why(&told), Some(Pause::Failure));
    let told = events(&mut run, Request::Continue { until: None });
    assert_eq!(why(&told), Some(Pause::End));
    let state = run.states().nth(other.0 as usize).map(|(_, state)| state.clone());
    assert_eq!(state, Some(TurnState::Done));
}
