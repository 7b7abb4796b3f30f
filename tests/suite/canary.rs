//! No secret is anywhere but where it was asked for: not in output, plans, history, before-images or arguments (G19).

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use workbench::deploy::{Holder, Lock, Recording, StateFolder};
use workbench::engine::message::{Event, Request, TurnState};
use workbench::engine::{self, Options, Run};
use workbench::graph::{Secrets, Value};
use workbench::host::LocalLook;
use workbench::host::journal::Begin;
use workbench::plan::{MadeFrom, SavedPlan};
use workbench::world::Cancel;

use crate::engine::Sketch;
use crate::promises;

/// A command that another test starts may hold our locks until it is another program.
const PATIENCE: Duration = Duration::from_secs(20);

/// The files below a folder that hold a text, apart from those below `except`.
fn holding(folder: &Path, text: &str, except: &[&Path], found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("is a folder").flatten() {
        let path = entry.path();
        if except.iter().any(|except| path.starts_with(except)) {
            continue;
        }
        if path.is_dir() {
            holding(&path, text, except, found);
        } else if has(&std::fs::read(&path).unwrap_or_default(), text) {
            found.push(path);
        }
    }
}

fn has(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

fn applied(root: &Path, state_path: &Path, canary: &str) {
    let secret = || Value::Sensitive(Box::new(canary.into()));
    let mut sketch = Sketch::new(root.to_str().expect("its name is plain"));
    let exists = ("state", Value::from("exists"));
    sketch.add("file", "@/written", &[exists.clone(), ("content", secret())]);
    sketch.add("file", "@/replaced", &[exists.clone(), ("content", secret())]);
    sketch.add("line", "l", &[exists.clone(), ("file", "@/lines".into()), ("content", secret())]);
    sketch.add("kv", "k", &[("value", secret())]);
    sketch.add("gzip", "@/packed", &[("content", secret())]);
    sketch.add("print", "p", &[("msg", secret())]);
    let shell = ("shell", Value::from("/bin/sh"));
    let env = Value::Sensitive(Box::new(Value::Map(vec![("CANARY".into(), canary.into())])));
    let cmd = ("cmd", Value::from("echo $CANARY; echo $CANARY >&2; exit 3"));
    sketch.add("exec", "loud", &[cmd, shell.clone(), ("env", env)]);
    let cmd = Value::Sensitive(Box::new(format!("echo {canary}").as_str().into()));
    sketch.add("exec", "told", &[("cmd", cmd), shell.clone()]);
    // One of several words, all of them, and the program itself.
    let args = Value::List(vec!["told".into(), secret()]);
    sketch.add("exec", "one word", &[("cmd", "echo".into()), ("args", args)]);
    let args = Value::Sensitive(Box::new(Value::List(vec![canary.into()])));
    sketch.add("exec", "all words", &[("cmd", "/bin/false".into()), ("args", args)]);
    for (name, program) in [("bare", canary.to_owned()), ("path", format!("/nowhere/{canary}"))] {
        let cmd = Value::Sensitive(Box::new(format!("{program} --now").as_str().into()));
        sketch.add("exec", name, &[("cmd", cmd)]);
    }
    // What a secret came to may be sent on, and is one there too.
    let env = Value::Sensitive(Box::new(Value::Map(vec![("CANARY".into(), canary.into())])));
    let says = sketch.add("exec", "says", &[("cmd", "echo $CANARY".into()), shell, ("env", env)]);
    let hears = sketch.add("file", "@/heard", &[exists]);
    sketch.connect(says, hears, false, Some(("stdout", "content")));
    let graph = sketch.done();
    let look = Arc::new(LocalLook::new(false));
    let options = || Options { state: Some(state_path.into()), ..Options::default() };
    let plan = engine::preview(Arc::clone(&graph), look, "test", options(), &mut |_| ());
    let text = SavedPlan::new(&plan, &graph, MadeFrom::default()).to_text();
    assert!(!has(text.as_bytes(), canary), "{text}");
    let mut json = Vec::new();
    plan.write_json(&plan.steps.iter().collect::<Vec<_>>(), &mut json).expect("a vector takes all");
    assert!(!has(&json, canary) && !has(format!("{plan:?}").as_bytes(), canary), "{plan:#?}");
    for step in &plan.steps {
        let text: Vec<String> = step.changes.iter().map(|change| change.to_json().to_string()).collect();
        assert!(!has(text.join("\n").as_bytes(), canary) && !step.note.contains(canary), "{step:#?}");
    }
    let state = StateFolder::open(state_path).expect("can be made");
    let lock = Lock::take(&state.lock(), &Holder::default(), PATIENCE, &Cancel::default(), &mut |_| ());
    let secrets = Secrets::of(&graph);
    let (recording, host) =
        Recording::begin(&state, lock.expect("is free"), Begin::default(), secrets).expect("can be written");
    let mut run = Run::new(graph, Box::new(host), options());
    let mut hear = |event: Event| {
        recording.record(&event);
        assert!(!has(format!("{event:?}").as_bytes(), canary), "{event:#?}");
    };
    run.run_to_end(&mut hear);
    drop((run, recording));
    // Who writes over it need not know that it was secret.
    let mut sketch = Sketch::new("");
    sketch.add("kv", "k", &[("value", "plain".into())]);
    let lock = Lock::take(&state.lock(), &Holder::default(), PATIENCE, &Cancel::default(), &mut |_| ());
    let (recording, host) =
        Recording::begin(&state, lock.expect("is free"), Begin::default(), Secrets::default()).expect("can be written");
    let mut run = Run::new(sketch.done(), Box::new(host), options());
    run.run_to_end(&mut |event| {
        recording.record(&event);
        assert!(!has(format!("{event:?}").as_bytes(), canary), "{event:#?}");
    });
    assert!(run.states().all(|(_, state)| *state == TurnState::Done));
}

#[test]
fn a_sensitive_value_stays_where_it_was_put() {
    let count = promises::count(10, 1000);
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    for number in 0..count {
        let canary = format!("canary-{:016x}", (number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let (root, state) = (folder.path().join(format!("r{number}")), folder.path().join(format!("s{number}")));
        std::fs::create_dir(&root).expect("can be made");
        std::fs::write(root.join("replaced"), format!("old {canary}")).expect("can be written");
        std::fs::write(root.join("lines"), format!("old {canary}\n")).expect("can be written");
        applied(&root, &state, &canary);
        let mut found = Vec::new();
        // What is stored under a key is the very thing that was asked for.
        holding(&state, &canary, &[&state.join("store")], &mut found);
        assert_eq!(found, Vec::<PathBuf>::new());
    }
    promises::figure("G19", format_args!("{count} sensitive values in 10 resources each, 0 found"));
}

/// A secret that only an edit amid the deploy brings is in no record either: not in what differs, nor in what the command then said.
#[test]
fn a_secret_that_comes_amid_a_deploy_stays_where_it_was_put() {
    const CANARY: &str = "canary-amid-a-deploy";
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let args = |last: Value| ("args", Value::List(vec!["-c".into(), "echo $0 >&2; exit 3".into(), last]));
    let mut sketch = Sketch::new("");
    let at = sketch.add("exec", "x", &[("cmd", "/bin/sh".into()), args("plain".into())]);
    let graph = sketch.done();
    let mut now = graph.resource(at).expect("a resource").clone();
    let (name, value) = args(Value::Sensitive(Box::new(CANARY.into())));
    now.set(name, value);
    let state_path = folder.path().join("state");
    let state = StateFolder::open(&state_path).expect("can be made");
    let lock = Lock::take(&state.lock(), &Holder::default(), PATIENCE, &Cancel::default(), &mut |_| ());
    let secrets = Secrets::of(&graph);
    let (recording, host) =
        Recording::begin(&state, lock.expect("is free"), Begin::default(), secrets).expect("can be written");
    let mut run = Run::new(graph, Box::new(host), Options::default());
    run.run_to_end(&mut |event| recording.record(&event));
    let (mut is_amended, mut failed) = (false, 0);
    let mut hear = |event: Event| {
        recording.record(&event);
        is_amended |= matches!(event, Event::Amended { .. });
        failed += usize::from(matches!(event, Event::Turn { state: TurnState::Failed { .. }, .. }));
    };
    run.handle(Request::Amend { resource: Box::new(now), graph: "77ac".into() }, &mut hear);
    run.run_to_end(&mut hear);
    drop((run, recording));
    assert!(is_amended && failed == 1, "it was wanted so, ran, and said the secret");
    let mut found = Vec::new();
    holding(&state_path, CANARY, &[], &mut found);
    assert_eq!(found, Vec::<PathBuf>::new());
    let mut told = Vec::new();
    holding(&state_path, "Amended", &[], &mut told);
    holding(&state_path, "amended", &[], &mut told);
    assert!(!told.is_empty(), "the record of it is there");
}

/// The one password that was made and saved.
fn kept_password(folder: &Path) -> String {
    let mut files = std::fs::read_dir(folder).expect("one was made").flatten();
    let text = std::fs::read_to_string(files.next().expect("one was made").path()).expect("is ours");
    let kept: serde_json::Value = serde_json::from_str(&text).expect("is JSON");
    kept["password"].as_str().expect("it was saved").to_owned()
}

#[test]
fn a_password_is_nowhere_but_where_it_goes() {
    let count = promises::count(2, 50);
    for _ in 0..count {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let at = |name: &str| folder.path().join(name);
        let code = format!(
            "password \"p\" {{ length => 40, saved => true, }}\n\
             file \"{0}\" {{ state => \"exists\", mode => \"0600\", }}\n\
             exec \"x\" {{ cmd => \"sleep 0.2; test -s {0}\", shell => \"/bin/sh\", Depend => File[\"{0}\"], }}\n\
             Password[\"p\"].password -> File[\"{0}\"].content\n",
            at("target").display()
        );
        std::fs::write(at("main.mcl"), code).expect("can be written");
        let mut told = Vec::new();
        let mut run = |args: &[&str]| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_workbench"));
            command.args(args).env("WORKBENCH_STATE", at("state")).current_dir(folder.path());
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
            let child = command.spawn().expect("the binary is there");
            let process = PathBuf::from(format!("/proc/{}", child.id()));
            std::thread::sleep(Duration::from_millis(100));
            for name in ["cmdline", "environ"] {
                told.extend(std::fs::read(process.join(name)).unwrap_or_default());
            }
            let output = child.wait_with_output().expect("is ours");
            told.extend(output.stdout);
            told.extend(output.stderr);
        };
        run(&["preview", "--out", "plan", "main.mcl"]);
        run(&["apply", "--yes", "main.mcl"]);
        // An undo takes it away with all else.
        let canary = kept_password(&at("state/kinds/password"));
        run(&["deploy", "list"]);
        run(&["deploy", "show", "--format", "json"]);
        run(&["preview", "main.mcl"]);
        run(&["deploy", "undo", "--yes"]);
        run(&["deploy", "show"]);
        assert_eq!(canary.len(), 40);
        assert!(!has(&told, &canary), "{}", String::from_utf8_lossy(&told));
        let mut found = Vec::new();
        holding(folder.path(), &canary, &[&at("state/kinds"), &at("target")], &mut found);
        assert_eq!(found, Vec::<PathBuf>::new());
    }
    promises::figure("G19", format_args!("{count} passwords, 0 found"));
}
