//! A plan brought up to date for one resource: what is looked at, what is found, and what stays as it was.

use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use workbench::diag::Stage;
use workbench::engine::message::{Event, TurnState};
use workbench::engine::{Options, look_again, preview, preview_of};
use workbench::graph::{Graph, NodeIndex, ResourceId};
use workbench::host::{LocalLook, Look};
use workbench::plan::{Action, Plan};
use workbench::session::{Cancel, Options as SessionOptions, Session};

use crate::engine::Sketch;

fn look() -> Arc<dyn Look> {
    Arc::new(LocalLook::new(false))
}

fn planned(graph: &Arc<Graph>) -> Plan {
    preview(Arc::clone(graph), look(), "test", Options::default(), &mut |_| ())
}

/// The plan after a look at one, what is said to have been looked at, and what was.
fn again(graph: &Arc<Graph>, plan: &Plan, at: NodeIndex) -> (Plan, BTreeSet<ResourceId>, BTreeSet<ResourceId>) {
    let wanted = BTreeSet::from([graph.node(at).id().clone()]);
    let mut seen = BTreeSet::new();
    let (plan, looked) = look_again(graph, &look(), plan, &wanted, &Options::default(), &mut |event| {
        if let Event::Turn { resource, state: TurnState::Running, .. } = event {
            seen.insert(resource);
        }
    });
    (plan, looked, seen)
}

fn actions(plan: &Plan) -> Vec<Action> {
    plan.steps.iter().map(|step| step.action).collect()
}

fn exists(text: &str) -> [(&'static str, workbench::graph::Value); 2] {
    [("state", "exists".into()), ("content", text.into())]
}

#[test]
fn a_probe_covers_one_resource_and_its_dependents() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().to_str().expect("a name");
    let mut sketch = Sketch::new(root);
    let first = sketch.add("file", "@/first", &exists("1"));
    let second = sketch.add("file", "@/second", &exists("2"));
    let behind = sketch.add("file", "@/behind", &exists("3"));
    let other = sketch.add("file", "@/other", &exists("4"));
    sketch.connect(first, second, false, None);
    sketch.connect(second, behind, false, None);
    let graph = sketch.done();
    let plan = planned(&graph);
    assert_eq!(actions(&plan), [Action::Create; 4]);
    // All is right by now, but only what is looked at tells so.
    for (name, text) in [("first", "1"), ("second", "2"), ("behind", "3"), ("other", "4")] {
        fs::write(folder.path().join(name), text).expect("a file");
    }
    let (now, looked, seen) = again(&graph, &plan, other);
    assert_eq!(actions(&now), [Action::Create, Action::Create, Action::Create, Action::None]);
    assert_eq!((looked.len(), &looked), (1, &seen));
    let (now, looked, seen) = again(&graph, &now, second);
    assert_eq!(actions(&now), [Action::None; 4], "what comes before it is looked at for it, and tells the same");
    assert_eq!((looked.len(), &looked), (3, &seen));
    assert!(!looked.contains(graph.node(other).id()));
    assert_ne!(now.plan, plan.plan);
    assert_eq!(now.steps, planned(&graph).steps, "as if all were planned anew");
    let (_, looked, _) = again(&graph, &now, first);
    assert!(looked.contains(graph.node(behind).id()), "{looked:?}");
}

/// Of some resources all is told that a plan of everything tells of them, and nothing is looked at that does not matter to them.
#[test]
fn a_partial_plan_reads_only_its_dependencies() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().to_str().expect("a name");
    let mut sketch = Sketch::new(root);
    let parent = sketch.add("file", "@/d/", &[("state", "exists".into())]);
    let needed = sketch.add("file", "@/needed", &exists("1"));
    let wanted = sketch.add("file", "@/d/wanted", &exists("2"));
    let behind = sketch.add("file", "@/behind", &exists("3"));
    let other = sketch.add("file", "@/other", &exists("4"));
    sketch.connect(needed, wanted, false, None);
    sketch.connect(wanted, behind, false, None);
    let graph = sketch.done();
    let ids = BTreeSet::from([graph.node(wanted).id().clone()]);
    let (all, some) = (planned(&graph), preview_of(Arc::clone(&graph), look(), "test", &ids, Options::default()));
    let step = |plan: &Plan, at| plan.steps.iter().find(|step| step.resource == *graph.node(at).id()).cloned();
    for at in [parent, needed, wanted] {
        assert_eq!(step(&some, at), step(&all, at));
    }
    for at in [behind, other] {
        assert_eq!(
            step(&some, at).map(|step| step.action),
            Some(Action::None),
            "it would be made, had it been looked at"
        );
    }
}

/// What was predicted from something that is otherwise now is predicted anew, also where only a path tells so.
#[test]
fn predictions_are_recomputed() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().to_str().expect("a name");
    let mut sketch = Sketch::new(root);
    let parent = sketch.add("file", "@/d/", &[("state", "exists".into())]);
    let child = sketch.add("file", "@/d/f", &exists("x"));
    let graph = sketch.done();
    let plan = planned(&graph);
    assert_eq!(actions(&plan), [Action::Create, Action::Create]);
    let (now, looked, _) = again(&graph, &plan, child);
    assert_eq!(now.steps, plan.steps, "the folder is predicted for it, though no edge says so");
    assert!(looked.contains(graph.node(parent).id()), "{looked:?}");
    fs::write(folder.path().join("d"), "in the way").expect("a file");
    let (now, _, _) = again(&graph, &plan, parent);
    assert_eq!(now.steps, planned(&graph).steps);
}

/// Whatever is looked at again in whatever order, all of it comes to what a new plan says.
#[test]
fn single_probes_add_up_to_a_new_plan() {
    for seed in 0..40 {
        let mut dice = crate::generated::Dice::new(seed);
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().to_str().expect("a name");
        let mut sketch = Sketch::new(root);
        let count = 3 + dice.below(6) as u32;
        for at in 0..count {
            let node = sketch.add("file", &format!("@/{at}"), &exists("x"));
            for from in 0..at {
                if dice.below(3) == 0 {
                    sketch.connect(NodeIndex(from), node, dice.below(2) == 0, None);
                }
            }
        }
        let graph = sketch.done();
        let mut plan = planned(&graph);
        for at in 0..count {
            let text = ["", "", "x", "y"][dice.below(4) as usize];
            if !text.is_empty() {
                fs::write(folder.path().join(at.to_string()), text).expect("a file");
            }
        }
        for at in 0..count {
            plan = again(&graph, &plan, NodeIndex(at)).0;
        }
        assert_eq!(plan.steps, planned(&graph).steps, "seed {seed}");
    }
}

/// A command whose guard looks at something else by now is not said to be another command.
#[test]
fn a_changed_guard_is_reported_by_its_command() {
    let folder = tempfile::tempdir().expect("a folder");
    let made = folder.path().join("made");
    let code = format!("exec \"one\" {{ cmd => \"true\", creates => \"{}\", }}", made.display());
    let session = Session::open(Some(&code), SessionOptions::default()).expect("code is an entry");
    let graph = Arc::new(session.compile(Stage::Eval, &Cancel::default()).graph);
    for (begins, words) in [(false, "would run before, now unchanged"), (true, "was unchanged, would run now")] {
        let turn = |is_there: bool| match is_there {
            true => fs::write(&made, "").expect("a file"),
            false => drop(fs::remove_file(&made)),
        };
        turn(begins);
        let plan = Arc::new(planned(&graph));
        let (tell, told) = channel();
        let since = workbench::session::now();
        let watch = session.watch_plan(Arc::clone(&graph), plan, since, move |found| drop(tell.send(found)));
        // The watch may not stand yet.
        let begun = Instant::now();
        let found = loop {
            assert!(begun.elapsed() < Duration::from_secs(30), "nothing is told of it");
            turn(!begins);
            if let Ok(found) = told.recv_timeout(Duration::from_millis(300)) {
                break found;
            }
            turn(begins);
        };
        assert_eq!(found.values().map(String::as_str).collect::<Vec<_>>(), [words]);
        drop(watch);
    }
}
