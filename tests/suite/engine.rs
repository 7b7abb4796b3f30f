//! What a preview says is what an apply does: both are run on the same small graphs, in a folder of their own.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::sync::Arc;

use workbench::engine::message::{Event, Pause, Request, TurnState};
use workbench::engine::{self, Run, preview};
use workbench::graph::order::order;
use workbench::graph::{Anchor, Edge, Graph, Node, NodeIndex, Params, Reason, Resource, ResourceId, Value};
use workbench::host::{Local, LocalLook, Memory, Overlay};
use workbench::plan::{Action, Certainty, CompiledFor, Plan, Summary, Tally};

/// A graph under construction; `@` in a text stands for the folder of the test.
pub struct Sketch<'a> {
    root: &'a str,
    pub graph: Graph,
}

impl<'a> Sketch<'a> {
    pub fn new(root: &'a str) -> Self {
        Self { root, graph: Graph::default() }
    }

    fn text(&self, text: &str) -> String {
        text.replace('@', self.root)
    }

    fn value(&self, value: &Value) -> Value {
        match value {
            Value::Str(text) => self.text(text).as_str().into(),
            Value::List(items) => Value::List(items.iter().map(|item| self.value(item)).collect()),
            other => other.clone(),
        }
    }

    pub fn add(&mut self, kind: &str, name: &str, params: &[(&str, Value)]) -> NodeIndex {
        let name = self.text(name);
        let params: Params = params.iter().map(|(param, value)| ((*param).into(), self.value(value))).collect();
        let resource = Resource::new(kind, &name, params);
        self.graph.add(Node::Resource(resource)).expect("the names differ")
    }

    pub fn connect(&mut self, from: NodeIndex, to: NodeIndex, notify: bool, send: Option<(&str, &str)>) {
        let send = send.map(|(field, param)| (field.into(), param.into()));
        self.graph.connect(Edge { from, to, notify, reason: Reason::Declared, send, source: None });
    }

    /// A chain of all resources, in order of declaration.
    fn chained(mut self) -> Arc<Graph> {
        for at in 1..self.graph.len() as u32 {
            self.connect(NodeIndex(at - 1), NodeIndex(at), false, None);
        }
        self.done()
    }

    pub fn done(self) -> Arc<Graph> {
        Arc::new(self.graph)
    }
}

fn yes() -> Value {
    Value::Bool(true)
}

fn dry(graph: &Arc<Graph>) -> Plan {
    let look = Arc::new(LocalLook::new(false));
    preview(Arc::clone(graph), look, "test", engine::Options::default(), &mut |_| ())
}

/// Applies, and gives what each step did.
fn apply(graph: &Arc<Graph>) -> Plan {
    let mut run = Run::new(Arc::clone(graph), Box::<Local>::default(), engine::Options::default());
    run.run_to_end(&mut |_| ());
    Plan::new("test", CompiledFor::default(), run.steps())
}

/// What a plan says it changes, without how sure it is.
fn said(plan: &Plan) -> Vec<(String, Action, String, Option<String>)> {
    let steps = plan.steps.iter();
    steps
        .map(|step| (step.resource.to_string(), step.action, format!("{:?}", step.changes), step.error.clone()))
        .collect()
}

/// Everything below a folder: path, kind and mode, content or target.
fn tree(root: &Path) -> Vec<String> {
    let mut lines = Vec::new();
    let mut open = vec![root.to_path_buf()];
    while let Some(path) = open.pop() {
        let meta = std::fs::symlink_metadata(&path).expect("was just listed");
        let what = if meta.is_symlink() {
            format!("{:?}", std::fs::read_link(&path).expect("is a link"))
        } else if meta.is_dir() {
            open.extend(std::fs::read_dir(&path).expect("is a folder").map(|entry| entry.expect("is there").path()));
            String::new()
        } else {
            String::from_utf8_lossy(&std::fs::read(&path).expect("is a file")).into_owned()
        };
        lines.push(format!("{} {:o} {what}", path.display(), meta.permissions().mode()));
    }
    lines.sort();
    lines
}

/// Prepares a folder, and holds preview, apply and second preview of one graph against each other.
fn holds(prepare: impl Fn(&Path), sketch: impl Fn(&mut Sketch)) -> (Plan, Vec<String>) {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let root = folder.path().to_str().expect("its name is plain");
    prepare(folder.path());
    let mut drawn = Sketch::new(root);
    sketch(&mut drawn);
    let graph = drawn.chained();
    let before = tree(folder.path());
    let plan = dry(&graph);
    assert_eq!(tree(folder.path()), before, "a preview changes nothing");
    let applied = apply(&graph);
    assert_eq!(said(&plan), said(&applied), "an apply does what the preview said");
    let again = dry(&graph);
    if applied.steps.iter().all(|step| step.error.is_none()) {
        for step in &again.steps {
            assert_eq!((step.action, &step.error), (Action::None, &None), "{} {:?}", step.resource, step.changes);
        }
    }
    let after = tree(folder.path());
    assert!(after.iter().all(|line| !line.contains(".workbench-")), "temporary files are gone: {after:#?}");
    (plan, after)
}

fn actions(plan: &Plan) -> Vec<Action> {
    plan.steps.iter().map(|step| step.action).collect()
}

#[test]
fn new_files_folders_and_links() {
    let (plan, after) = holds(
        |_| (),
        |sketch| {
            sketch.add("file", "@/a/", &[("state", "exists".into()), ("mode", "u=rwx,go=".into())]);
            sketch.add(
                "file",
                "@/a/f",
                &[("state", "exists".into()), ("content", "hi".into()), ("mode", "0600".into())],
            );
            sketch.add("file", "@/l", &[("state", "exists".into()), ("source", "a/f".into()), ("symlink", yes())]);
            sketch.add("file", "@/x/y/z/", &[("state", "exists".into()), ("recurse", yes())]);
            sketch.add("file", "@/copy", &[("state", "exists".into()), ("source", "@/a/f".into())]);
            let fragments = Value::List(vec!["@/a/".into(), "@/copy".into()]);
            sketch.add("file", "@/both", &[("state", "exists".into()), ("fragments", fragments)]);
            sketch.add("file", "@/none", &[("content", "not asked to exist".into())]);
        },
    );
    let made = Action::Create;
    assert_eq!(actions(&plan), [made, made, made, made, made, made, Action::None]);
    assert_eq!(plan.steps[0].certainty, Certainty::Known);
    assert_eq!(plan.steps[1].certainty, Certainty::Known);
    assert!(after.iter().any(|line| line.ends_with("both 100644 hihi")), "{after:#?}");
    assert!(after.iter().any(|line| line.ends_with("a/f 100600 hi")), "{after:#?}");
}

#[test]
fn existing_files_are_changed_replaced_and_removed() {
    let prepare = |root: &Path| {
        for folder in ["full/deep", "src/sub", "dst", "was-dir", "purged"] {
            std::fs::create_dir_all(root.join(folder)).expect("can be made");
        }
        for (file, content) in [
            ("old", "old"),
            ("mode", "same"),
            ("full/deep/f", ""),
            ("src/a", "a"),
            ("src/sub/b", "b"),
            ("dst/a", "x"),
            ("dst/extra", "x"),
            ("purged/keep", "k"),
            ("purged/go", "g"),
            ("gone", ""),
        ] {
            std::fs::write(root.join(file), content).expect("can be written");
        }
        symlink("nowhere", root.join("link")).expect("can be made");
    };
    let (plan, after) = holds(prepare, |sketch| {
        let exists = || ("state", Value::from("exists"));
        sketch.add("file", "@/old", &[("content", "new".into())]);
        sketch.add("file", "@/mode", &[("mode", "u=rwx,o=".into())]);
        sketch.add("file", "@/full/", &[("state", "absent".into()), ("recurse", yes())]);
        sketch.add("file", "@/gone", &[("state", "absent".into())]);
        sketch.add("file", "@/link", &[exists(), ("source", "old".into()), ("symlink", yes())]);
        sketch.add("file", "@/was-dir", &[exists(), ("content", "now a file".into()), ("force", yes())]);
        sketch.add("file", "@/dst/", &[exists(), ("source", "@/src/".into()), ("recurse", yes()), ("purge", yes())]);
        sketch.add("file", "@/purged/", &[exists(), ("recurse", yes()), ("purge", yes())]);
        sketch.add("file", "@/purged/keep", &[exists()]);
        sketch.add("file", "@/fresh/again", &[exists(), ("recurse", yes())]);
    });
    use Action::{Change, Create, None, Remove, Replace};
    assert_eq!(actions(&plan), [Change, Change, Remove, Remove, Change, Replace, Change, Change, None, Create]);
    assert!(after.iter().any(|line| line.ends_with("dst/sub/b 100644 b")), "{after:#?}");
    assert!(!after.iter().any(|line| line.contains("extra") || line.contains("purged/go")), "{after:#?}");
}

#[test]
fn a_purge_keeps_managed_files_under_any_name() {
    let prepare = |root: &Path| {
        std::fs::create_dir_all(root.join("real")).expect("can be made");
        symlink("real", root.join("other")).expect("can be made");
        for file in ["one", "two", "three", "go"] {
            std::fs::write(root.join("real").join(file), "").expect("can be written");
        }
    };
    let (plan, after) = holds(prepare, |sketch| {
        let exists = || ("state", Value::from("exists"));
        // Managed through a link that is there, one that comes, and by its own name; purged by each of them.
        sketch.add("file", "@/new", &[exists(), ("source", "real".into()), ("symlink", yes())]);
        sketch.add("file", "@/other/one", &[exists()]);
        sketch.add("file", "@/new/two", &[exists()]);
        sketch.add("file", "@/real/three", &[exists()]);
        sketch.add("file", "@/real/", &[exists(), ("recurse", yes()), ("purge", yes())]);
        sketch.add("file", "@/other/", &[("recurse", yes()), ("purge", yes())]);
    });
    use Action::{Change, Create, None};
    assert_eq!(actions(&plan), [Create, None, None, None, Change, None]);
    for name in ["one", "two", "three"] {
        assert!(after.iter().any(|line| line.contains(&format!("real/{name} "))), "{after:#?}");
    }
    assert!(!after.iter().any(|line| line.contains("real/go")), "{after:#?}");
}

#[test]
fn impossible_steps_are_reported_alike_before_and_after() {
    let prepare = |root: &Path| {
        std::fs::create_dir(root.join("dir")).expect("can be made");
        std::fs::write(root.join("dir/in"), "").expect("can be written");
        std::fs::write(root.join("file"), "").expect("can be written");
        symlink("dir", root.join("link")).expect("can be made");
    };
    for (name, params) in [
        ("@/no/parent", vec![("state", Value::from("exists"))]),
        ("@/dir", vec![("state", "exists".into())]),
        ("@/dir/", vec![("state", "absent".into())]),
        ("@/file/", vec![("state", "exists".into())]),
        ("@/file/below", vec![("state", "exists".into())]),
        ("@/link", vec![("state", "exists".into()), ("content", "x".into())]),
        ("@/copy", vec![("state", "exists".into()), ("source", "@/nothing".into())]),
        ("@/owned", vec![("state", "exists".into()), ("owner", "no such user".into())]),
        ("relative", vec![("state", "exists".into())]),
        ("@/zero\0byte", vec![("state", "exists".into())]),
        (
            "@/a-name-of-300-bytes",
            vec![("path", format!("@/{}", "n".repeat(300)).as_str().into()), ("state", "exists".into())],
        ),
    ] {
        let (plan, _) = holds(prepare, |sketch| {
            sketch.add("file", name, &params);
            sketch.add("noop", "after", &[]);
        });
        assert!(plan.steps[0].error.is_some(), "{name}: {:?}", plan.steps[0]);
    }
}

#[test]
fn a_command_runs_once_and_its_output_is_unknown_before() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let root = folder.path().to_str().expect("its name is plain");
    let mut sketch = Sketch::new(root);
    let params =
        [("shell", "/bin/sh".into()), ("cmd", "echo hello; echo to > @/made".into()), ("creates", "@/made".into())];
    let command = sketch.add("exec", "say", &params);
    let file = sketch.add("file", "@/out", &[("state", "exists".into())]);
    let copy = sketch.add("file", "@/copy", &[("state", "exists".into()), ("source", "@/made".into())]);
    sketch.connect(command, file, true, Some(("stdout", "content")));
    sketch.connect(command, copy, false, None);
    let graph = sketch.done();
    let plan = dry(&graph);
    assert_eq!(actions(&plan), [Action::Run, Action::Create, Action::Unknown]);
    assert_eq!(plan.steps[1].changes.last().and_then(|change| change.to.clone()), Some(Value::Unknown));
    assert!(plan.steps[1].refresh);
    let applied = apply(&graph);
    assert_eq!(actions(&applied), [Action::Run, Action::Create, Action::Create], "{applied:#?}");
    assert_eq!(std::fs::read_to_string(folder.path().join("out")).expect("is there"), "hello\n");
    assert_eq!(actions(&dry(&graph)), [Action::None; 3]);
}

#[test]
fn a_failure_blocks_only_dependents_and_a_retry_frees_them() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let root = folder.path().to_str().expect("its name is plain");
    let mut sketch = Sketch::new(root);
    let bad = sketch.add("file", "@/no/f", &[("state", "exists".into())]);
    let needs = sketch.add("noop", "needs it", &[]);
    let also = sketch.add("noop", "needs that", &[]);
    sketch.add("noop", "alone", &[]);
    sketch.connect(bad, needs, false, None);
    sketch.connect(needs, also, false, None);
    let graph = sketch.done();
    let mut run = Run::new(Arc::clone(&graph), Box::<Local>::default(), engine::Options::default());
    let mut events = Vec::new();
    run.run_to_end(&mut |event| events.push(event));
    let finished = Event::Finished { done: 1, changed: 0, failed: 1, skipped: 0, blocked: 2 };
    assert_eq!(events.last(), Some(&finished));
    std::fs::create_dir(folder.path().join("no")).expect("can be made");
    let resource = graph.node(bad).id().clone();
    run.handle(Request::Retry { resource }, &mut |_| ());
    run.run_to_end(&mut |event| events.push(event));
    let finished = Event::Finished { done: 4, changed: 1, failed: 0, skipped: 0, blocked: 0 };
    assert_eq!(events.last(), Some(&finished));
}

/// What was agreed to is not written over what somebody else wrote meanwhile; a retry shows what is there now, and the step after
/// it is agreed to with that in view.
#[test]
fn a_retry_looks_again_before_it_is_stepped() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let path = folder.path().join("f");
    let write = |text: &str| std::fs::write(&path, text).expect("it can be written");
    let mut sketch = Sketch::new(folder.path().to_str().expect("its name is plain"));
    let file = sketch.add("file", "@/f", &[("state", "exists".into()), ("content", "new".into())]);
    let graph = sketch.done();
    let resource = graph.node(file).id().clone();
    write("old");
    let steps = dry(&graph).steps.into_iter().map(|step| (step.resource.clone(), step));
    let approved = Some(Arc::new(steps.collect()));
    let mut run =
        Run::new(Arc::clone(&graph), Box::<Local>::default(), engine::Options { approved, ..Default::default() });
    write("theirs");
    let mut failed = false;
    run.handle(Request::Step, &mut |event| {
        failed |= matches!(event, Event::Turn { state: TurnState::Failed { .. }, .. });
    });
    assert!(failed && std::fs::read_to_string(&path).is_ok_and(|text| text == "theirs"));
    let mut seen = None;
    run.handle(Request::Retry { resource }, &mut |event| {
        if let Event::Turn { state: TurnState::Waiting, step: Some(step), .. } = event {
            seen = step.changes.first().and_then(|change| change.from.clone());
        }
    });
    assert_eq!(seen, Some(Value::from("theirs")));
    // Nor over what came after that.
    write("others");
    run.handle(Request::Step, &mut |_| ());
    assert!(std::fs::read_to_string(&path).is_ok_and(|text| text == "others"));
    let resource = graph.node(file).id().clone();
    run.handle(Request::Retry { resource }, &mut |_| ());
    run.handle(Request::Step, &mut |_| ());
    assert!(std::fs::read_to_string(&path).is_ok_and(|text| text == "new"));
}

/// What a plan could not know is looked at where the run waits before it: what it receives is there by then.
#[test]
fn values_known_at_apply_are_shown_before_their_turn() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let path = folder.path().join("count");
    let mut sketch = Sketch::new(folder.path().to_str().expect("its name is plain"));
    let sends = sketch.add("exec", "count", &[("cmd", "echo 3 pages".into()), ("shell", "/bin/sh".into())]);
    let file = sketch.add("file", "@/count", &[("state", "exists".into())]);
    let says = sketch.add("print", "says", &[]);
    let run_again = sketch.add("exec", "again", &[("cmd", "true".into()), ("ifcmd", "touch @/guard".into())]);
    sketch.connect(sends, file, false, Some(("stdout", "content")));
    sketch.connect(sends, says, false, Some(("stdout", "msg")));
    sketch.connect(sends, run_again, false, Some(("stdout", "cmd")));
    let graph = sketch.done();
    let steps: std::collections::BTreeMap<_, _> =
        dry(&graph).steps.into_iter().map(|step| (step.resource.clone(), step)).collect();
    let id = |at| graph.node(at).id().clone();
    assert_eq!(steps[&id(file)].certainty, Certainty::Unknown);
    for approved in [Some(Arc::new(steps)), None] {
        let options = engine::Options { approved, ..Default::default() };
        let mut run = Run::new(Arc::clone(&graph), Box::<Local>::default(), options);
        let mut told = Vec::new();
        run.start(&mut |event| told.push(event));
        assert!(matches!(&told[..], [Event::Paused { .. }]), "nothing is known yet: {told:?}");
        let content = Some(Value::from("3 pages\n"));
        let known = Certainty::Known;
        for wanted in [
            (id(file), Action::Create, known, content, String::new()),
            (id(says), Action::None, known, None, "prints: 3 pages".into()),
        ] {
            told.clear();
            run.handle(Request::Step, &mut |event| told.push(event));
            let foreseen = told.iter().filter_map(|event| match event {
                Event::Turn { resource, state: TurnState::Waiting, step: Some(step), .. } => {
                    let to = step.changes.iter().find(|change| change.property == "content").map(|one| one.to.clone());
                    Some((resource.clone(), step.action, step.certainty, to.flatten(), step.note.clone()))
                }
                _ => None,
            });
            assert!(foreseen.eq([wanted]), "the one that is next alone: {told:?}");
            assert!(matches!(told.last(), Some(Event::Paused { .. })), "before it waits: {told:?}");
            assert_eq!(path.exists(), told.iter().any(|event| matches!(event, Event::Turn { resource, state: TurnState::Done, .. } if *resource == id(file))));
        }
        run.handle(Request::Step, &mut |_| ());
        assert!(!folder.path().join("guard").exists(), "no guard is asked before its turn");
        assert!(std::fs::read_to_string(&path).is_ok_and(|text| text == "3 pages\n"));
        std::fs::remove_file(&path).expect("it is there");
    }
}

/// What failed is tried with another wanted state in the same run, after a look that everybody sees; what was not a failure, and
/// what would be another resource to those around it, is left as it is.
#[test]
fn what_failed_is_tried_with_another_wanted_state() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let path = folder.path().join("f");
    let mut sketch = Sketch::new(folder.path().to_str().expect("its name is plain"));
    let file = sketch.add("file", "@/f", &[("state", "exists".into()), ("source", "/no/such/source".into())]);
    let needs = sketch.add("noop", "needs it", &[]);
    sketch.connect(file, needs, false, None);
    let graph = sketch.done();
    let before = graph.resource(file).expect("a resource").clone();
    let steps = dry(&graph).steps.into_iter().map(|step| (step.resource.clone(), step));
    let approved = Some(Arc::new(steps.collect()));
    let mut run =
        Run::new(Arc::clone(&graph), Box::<Local>::default(), engine::Options { approved, ..Default::default() });
    let mut now = before.clone();
    now.wanted_mut().expect("it is mapped").params = [("state", Value::from("exists")), ("content", "mended".into())]
        .into_iter()
        .map(|(name, value)| (name.into(), value))
        .collect();
    let amend = |resource: &Resource| Request::Amend { resource: Box::new(resource.clone()), graph: "77ac".into() };
    let events = |run: &mut Run, request: Request| {
        let mut events = Vec::new();
        run.handle(request, &mut |event| events.push(event));
        events
    };
    // It has not failed yet.
    assert!(matches!(&events(&mut run, amend(&now))[..], [Event::Paused { .. }]));
    assert!(!path.exists());
    run.run_to_end(&mut |_| ());
    let mut other = now.clone();
    other.meta.set("noop", yes());
    assert!(matches!(&events(&mut run, amend(&other))[..], [Event::Paused { .. }]), "more than its state differs");
    let told = events(&mut run, amend(&now));
    let Event::Amended { changes, .. } = &told[0] else { panic!("it is told first: {told:?}") };
    let names: Vec<&str> = changes.iter().map(|change| &*change.property).collect();
    assert_eq!(names, ["content", "source"]);
    let looked = told.iter().any(|event| {
        matches!(event, Event::Turn { state: TurnState::Waiting, step: Some(step), .. } if step.action == Action::Create)
    });
    assert!(looked && !path.exists(), "it is looked at, and nothing is written: {told:?}");
    let mut last = None;
    run.run_to_end(&mut |event| last = Some(event));
    assert_eq!(last, Some(Event::Finished { done: 2, changed: 1, failed: 0, skipped: 0, blocked: 0 }));
    assert!(std::fs::read_to_string(&path).is_ok_and(|text| text == "mended"));
}

#[test]
fn a_dry_run_goes_back_any_number_of_turns() {
    let mut sketch = Sketch::new("");
    let exists = || ("state", Value::from("exists"));
    sketch.add("file", "/a/", &[exists()]);
    sketch.add("file", "/a/b", &[exists(), ("content", "1".into())]);
    sketch.add("file", "/old/", &[("state", "absent".into()), ("recurse", yes())]);
    sketch.add("file", "/link/c", &[exists()]);
    sketch.add("svc", "unknown", &[]);
    let graph = sketch.chained();
    let machine = Memory::default().dir("/old", 0o755).file("/old/f", "x", 0o644).link("/link", "a");
    let host = Overlay::new(Arc::new(machine));
    let mut run = Run::new(Arc::clone(&graph), Box::new(host), engine::Options::default());
    run.run_to_end(&mut |_| ());
    let first = run.steps();
    let begin: Vec<_> = first.iter().map(|step| step.action).collect();
    use Action::{Create, Remove, Unknown};
    assert_eq!(begin, [Create, Create, Remove, Create, Unknown]);
    for depth in 1..=first.len() {
        for _ in 0..depth {
            run.handle(Request::Back, &mut |_| ());
        }
        assert_eq!(run.next(), Some(&first[first.len() - depth].resource));
        run.run_to_end(&mut |_| ());
        assert_eq!(run.steps(), first, "after {depth} turns back");
    }
}

#[test]
fn a_breakpoint_a_cursor_and_a_skip() {
    let mut sketch = Sketch::new("");
    for name in ["a", "b", "c", "d"] {
        sketch.add("noop", name, &[]);
    }
    let file = sketch.add("file", "/f", &[("state", "exists".into())]);
    let after = sketch.add("noop", "after", &[]);
    sketch.connect(file, after, false, None);
    let graph = sketch.done();
    let id = |at: u32| graph.node(NodeIndex(at)).id().clone();
    let host = Overlay::new(Arc::new(Memory::default()));
    let mut run = Run::new(Arc::clone(&graph), Box::new(host), engine::Options::default());
    let pause = |run: &mut Run, request: Request| {
        let mut last = None;
        run.handle(request, &mut |event| {
            if let Event::Paused { next, why, .. } = event {
                last = Some((next, why));
            }
        });
        last.expect("every request but a breakpoint ends in a pause")
    };
    run.handle(Request::Break { resource: id(1), on: true }, &mut |_| ());
    assert_eq!(pause(&mut run, Request::Continue { until: None }), (Some(id(1)), Pause::Breakpoint));
    assert_eq!(pause(&mut run, Request::Continue { until: Some(id(3)) }), (Some(id(3)), Pause::Cursor));
    assert_eq!(pause(&mut run, Request::Pick { resource: id(4) }).0, Some(id(4)));
    assert_eq!(pause(&mut run, Request::Skip).0, Some(id(3)));
    let state = |run: &Run, at: u32| run.states().nth(at as usize).map(|(_, state)| state.clone());
    assert_eq!(state(&run, 5), Some(TurnState::Blocked { by: id(4) }));
    assert_eq!(pause(&mut run, Request::Back), (Some(id(4)), Pause::SteppedBack));
    assert_eq!(state(&run, 5), Some(TurnState::Waiting));
    assert_eq!(pause(&mut run, Request::Continue { until: None }), (None, Pause::End));
    assert_eq!(state(&run, 5), Some(TurnState::Done));
}

/// Anchors come by the rank of their container, and what is blocked keeps its place: the order that the graph is shown in is that
/// of the plan's steps.
#[test]
fn a_plan_has_the_order_of_its_graph() {
    ordered_by_rank(0, ["noop[first]", "noop[inner]", "file[/nowhere/at/all]", "noop[blocked]", "noop[last]"]);
    ordered_by_rank(3, ["noop[first]", "file[/nowhere/at/all]", "noop[blocked]", "noop[inner]", "noop[last]"]);
}

fn ordered_by_rank(rank: u32, wanted: [&str; 5]) {
    let mut sketch = Sketch::new("");
    let noop = |sketch: &mut Sketch, name: &str| sketch.add("noop", name, &[]);
    let anchor = |sketch: &mut Sketch, name: &str| {
        let id = ResourceId(name.into());
        let anchor = Anchor { kind: "class".into(), name: id.0.clone(), id, begin: true, rank, source: None };
        sketch.graph.add(Node::Anchor(anchor)).expect("the names differ")
    };
    let first = noop(&mut sketch, "first");
    let inner = noop(&mut sketch, "inner");
    let missing = sketch.add("file", "/nowhere/at/all", &[("state", "exists".into())]);
    let blocked = noop(&mut sketch, "blocked");
    noop(&mut sketch, "last");
    // Declared behind all that it lets go, as the anchors of a class are.
    let begin = anchor(&mut sketch, "begin of class a");
    for (from, to) in [(first, begin), (begin, inner), (missing, blocked)] {
        sketch.connect(from, to, false, None);
    }
    let graph = sketch.done();
    let takes_turn = |at: &NodeIndex| graph.node(*at).takes_turn();
    let ordered: Vec<_> = order(&graph).order.into_iter().filter(takes_turn).collect();
    let ids: Vec<&ResourceId> = ordered.iter().map(|at| graph.node(*at).id()).collect();
    assert_eq!(ids.iter().map(|id| &*id.0).collect::<Vec<_>>(), wanted);
    let plan = dry(&graph);
    assert_eq!(plan.steps.iter().map(|step| &step.resource).collect::<Vec<_>>(), ids);
    let step = plan.steps.iter().find(|step| step.resource == *graph.node(blocked).id()).expect("it is in the plan");
    assert_eq!(step.blocked_by.as_ref(), Some(graph.node(missing).id()));
    assert_eq!(Tally::of(&plan.steps), Tally { would_fail: 1, would_be_blocked: 1, ..Tally::of(&plan.steps) });
    assert_eq!(Tally::of(&plan.steps).acts, Summary { none: 3, ..Summary::default() });
}
