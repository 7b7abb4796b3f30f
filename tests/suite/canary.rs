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
use workbench::lang::puppet::catalog::ral;
use workbench::plan::{MadeFrom, SavedPlan};
use workbench::resource::{FieldType, SCHEMAS};
use workbench::session::{Options as SessionOptions, Session};
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
    sketch.add("exec", "printed", &[("cmd", cmd), shell.clone()]);
    // One of several words, all of them, and the program itself.
    let args = Value::List(vec!["printed".into(), secret()]);
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
fn a_new_secret_stays_in_its_file() {
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
    let mut printed = Vec::new();
    holding(&state_path, "Amended", &[], &mut printed);
    holding(&state_path, "amended", &[], &mut printed);
    assert!(!printed.is_empty(), "the record of it is there");
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
        let mut printed = Vec::new();
        let mut run = |args: &[&str]| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_workbench"));
            command.args(args).env("WORKBENCH_STATE", at("state")).current_dir(folder.path());
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
            let child = command.spawn().expect("the binary is there");
            let process = PathBuf::from(format!("/proc/{}", child.id()));
            std::thread::sleep(Duration::from_millis(100));
            for name in ["cmdline", "environ"] {
                printed.extend(std::fs::read(process.join(name)).unwrap_or_default());
            }
            let output = child.wait_with_output().expect("is ours");
            printed.extend(output.stdout);
            printed.extend(output.stderr);
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
        assert!(!has(&printed, &canary), "{}", String::from_utf8_lossy(&printed));
        let mut found = Vec::new();
        holding(folder.path(), &canary, &[&at("state/kinds"), &at("target")], &mut found);
        assert_eq!(found, Vec::<PathBuf>::new());
    }
    promises::figure("G19", format_args!("{count} passwords, 0 found"));
}

/// A text that no program contains otherwise.
const CANARY: &str = "canary5f0cb1";

/// A type, a title, and other parameters with their values.
type Needs = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

/// What a resource of a type needs beside the parameter under test: its title and other parameters.
const NEEDS: &[Needs] = &[
    ("anchor", "a", &[]),
    ("augeas", "a", &[]),
    ("cron", "a", &[("command", "'/bin/true'")]),
    ("exec", "/bin/true", &[]),
    ("file", "/nowhere/a", &[]),
    ("filebucket", "a", &[]),
    ("group", "a", &[]),
    ("host", "a", &[("ip", "'192.0.2.1'")]),
    ("mailalias", "a", &[]),
    ("mount", "/nowhere", &[("ensure", "mounted"), ("device", "'tmpfs'"), ("fstype", "'tmpfs'")]),
    ("notify", "a", &[]),
    ("package", "a", &[]),
    ("resources", "user", &[]),
    ("schedule", "a", &[]),
    ("service", "a", &[]),
    ("ssh_authorized_key", "a", &[("user", "'root'"), ("type", "'ssh-rsa'"), ("key", "'AAAA'")]),
    ("sshkey", "a", &[]),
    ("tidy", "/nowhere", &[]),
    ("user", "a", &[]),
];

const META: &[&str] =
    &["alias", "audit", "before", "loglevel", "noop", "notify", "require", "schedule", "subscribe", "tag"];

/// Each as a value, a command line, a list, and a part of what is often asked for.
const SHAPES: &[&str] = &["'@'", "'/nowhere/@ --now'", "['/bin/@', '@']", "'A=@'"];

/// One parameter of one type, as a program.
fn programs() -> Vec<(String, String)> {
    let mut programs = Vec::new();
    for (ty, title, needs) in NEEDS {
        let own = ral::parameters(ty);
        for param in own.iter().chain(META) {
            for (at, shape) in SHAPES.iter().enumerate() {
                let others = needs.iter().filter(|(name, _)| name != param);
                let others: Vec<String> = others.map(|(name, value)| format!("{name} => {value}, ")).collect();
                let title = if title.starts_with('/') {
                    format!("{title}/{at}/{param}")
                } else {
                    format!("{title}{at}{param}")
                };
                let title = match *ty {
                    "resources" => "user".into(),
                    "exec" => "/bin/true".into(),
                    _ => title,
                };
                let value = shape.replace('@', CANARY);
                let program = format!("{ty} {{ '{title}': {}{param} => Sensitive({value}) }}\n", others.concat());
                programs.push((format!("{ty}.{param} {shape}"), program));
            }
        }
    }
    // Types that the program defines: a wrong value, a failed check, a computed name, and one that is carried out.
    let ty = "type Level = Enum['low', 'high']\n";
    let define = |body: &str, given: &str| {
        format!("{ty}define d({body}) {{ notify {{ 'x': message => $p }} }}\nd {{ 'a': {given} }}\n")
    };
    for (name, program) in [
        ("define's type", define("Level $p", &format!("p => Sensitive('{CANARY}')"))),
        ("define's sensitive type", define("Sensitive[Level] $p", &format!("p => Sensitive('{CANARY}')"))),
        ("title", format!("$s = Sensitive('{CANARY}')\nnotify {{ \"x ${{s}}\": }}\n")),
        (
            "function",
            format!("notice(Sensitive('{CANARY}'))\nnotify {{ 'a': message => Sensitive('{CANARY}') + 1 }}\n"),
        ),
        ("name of a file", format!("file {{ 'a': path => Sensitive('/tmp/{CANARY}'), content => 'x' }}\n")),
        (
            "target of a link",
            format!("file {{ '/nowhere/a': ensure => link, target => Sensitive('/tmp/{CANARY}') }}\n"),
        ),
    ] {
        programs.push((name.to_owned(), program));
    }
    programs
}

/// Each parameter of each of our kinds as the feature of a type that the program defines, and each place of a type where a
/// value is computed or refused.
fn programs_with_types() -> Vec<(String, String)> {
    let mut programs = Vec::new();
    for schema in SCHEMAS {
        // An implementation names a kind by one word.
        let names = [schema.kind].into_iter().filter(|kind| kind.bytes().all(|byte| byte.is_ascii_alphanumeric()));
        for (kind, param) in names.flat_map(|kind| schema.params.iter().chain(schema.more).map(move |p| (kind, p.name)))
        {
            let others = if param != "state" && schema.any_param("state").is_some() { ", state => state" } else { "" };
            // Each question about a package starts a program.
            let shapes = if kind == "pkg" { &SHAPES[..1] } else { SHAPES };
            for (at, shape) in shapes.iter().enumerate() {
                let settings = if shape.starts_with('[') { " { max => unbound }" } else { "" };
                let title = if schema.any_param("content").is_some() { "/nowhere/a" } else { "a" };
                let program = format!(
                    "type Canary inherits Resource {{\n  attr title, String {{ min => 1 }}\n  attr p{settings}\n  \
                     attr state, String {{ default => 'exists' }}\n  implemented_by {kind} {{ {param} => p{others} }}\n}}\n\
                     canary {{ '{title}{at}': p => Sensitive({}) }}\n",
                    shape.replace('@', CANARY)
                );
                programs.push((format!("{kind}.{param} of a type {shape}"), program));
            }
        }
    }
    let secret = format!("Sensitive('{CANARY}')");
    let bodies = [
        ("an integer", "attr p, Integer"),
        ("an enum", "attr p, enum[low, high]"),
        ("a list of few", "attr p, String { max => 1 }"),
        ("a check", "attr p { check => { $it == 'low' } }"),
        ("a check with a text", "attr p { check => { \"not ${it}\" } }"),
        ("a validation", "attr p { validate => { \"not ${it}\" } }"),
        ("a set", "attr p { set => |$v| { [$v, 1] } }"),
        ("a set of another", "attr other\n  attr p { set => |$v| { $other = \"x ${v}\" } }"),
        ("a get", "attr p, String { get => |$v| { 7 } }"),
        ("a derived integer", "attr p\n  attr d, Integer { derived => || { \"x ${p}\" } }"),
        ("an invariant", "attr p\n  invariant \"not ${p}\" { $p == 'low' }"),
        ("an invariant's text", "attr p\n  invariant { \"not ${p}\" }"),
        ("a failed operation", "attr p\n  invariant { $p + 1 == 2 }"),
        ("a contained object", "has p, Part"),
        ("nothing", "attr p"),
    ];
    for (name, body) in bodies {
        for kind in ["", "implemented_by print { msg => p }", "implemented_by file { content => p, name => p }"] {
            for value in [secret.clone(), format!("[{secret}]"), "\"x ${s.unwrap}\"".to_owned(), "$s".to_owned()] {
                let program = format!(
                    "$s = {secret}\ntype Part {{ attr name, String {{ min => 1 }} }}\n\
                     type Canary inherits Resource {{\n  attr title, String {{ min => 1 }}\n  {body}\n  {kind}\n}}\n\
                     canary {{ 'a': p => {value} }}\n"
                );
                // A text that the program itself unwraps is not secret any more.
                if !value.contains("unwrap") {
                    programs.push((format!("{name} of a type, {kind} {value}"), program));
                }
            }
        }
    }
    for meta in META {
        for shape in SHAPES {
            let value = shape.replace('@', CANARY);
            let uses = [
                format!(
                    "type T inherits Resource {{ attr name, String {{ min => 1 }} }}\nt {{ 'a': {meta} => Sensitive({value}) }}"
                ),
                format!("define d() {{ notify {{ 'x': }} }}\nd {{ 'a': {meta} => Sensitive({value}) }}"),
                format!("class c() {{ notify {{ 'x': }} }}\nclass {{ 'c': {meta} => Sensitive({value}) }}"),
                format!("Notify {{ {meta} => Sensitive({value}) }}\nnotify {{ 'a': }}"),
                format!("notify {{ 'a': }}\nNotify <| |> {{ {meta} => Sensitive({value}) }}"),
            ];
            programs.extend(uses.into_iter().map(|program| (format!("{meta} {shape}"), program)));
        }
    }
    programs
}

/// Compiles and previews one program. Returns all that a face can show of it, and whether it was accepted.
fn printed_by(path: &Path, program: &str) -> (String, bool) {
    std::fs::write(path, program).expect("can be written");
    let session = match Session::open(path.to_str(), SessionOptions::default()) {
        Ok(session) => session,
        Err(report) => return (format!("{:?}", report.diagnostics), false),
    };
    let checked = session.check(&Cancel::default());
    let compiled = &checked.compiled;
    let mut printed = format!("{:?}\n{:?}\n", compiled.diagnostics, compiled.log);
    // A diagnostic shows the line that it is about, and there the secret is written.
    let is_accepted = !compiled.diagnostics.has_errors();
    let graph = Arc::new(compiled.graph.clone());
    for (_, resource) in graph.resources() {
        let wanted = resource.wanted().map(|wanted| (wanted.name.clone(), wanted.params.to_json()));
        printed += &format!("{} {:?} {:?} {wanted:?}\n", resource.id, resource.meta, resource.tags);
        printed += &resource.shown().params.to_json().to_string();
    }
    let look = Arc::new(LocalLook::new(false));
    let plan = engine::preview(Arc::clone(&graph), look, "test", Options::default(), &mut |event| {
        printed += &format!("{event:?}\n");
    });
    let mut json = Vec::new();
    plan.write_json(&plan.steps.iter().collect::<Vec<_>>(), &mut json).expect("a vector takes all");
    printed += &format!("{plan:?}\n{}\n", String::from_utf8_lossy(&json));
    printed += &SavedPlan::new(&plan, &graph, MadeFrom::default()).to_text();
    (printed, is_accepted)
}

/// Each parameter of each type of Puppet, and of each kind by a type of the program, as a secret, refused or accepted: no
/// preview shows it.
#[test]
fn no_preview_shows_a_sensitive_parameter() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let programs: Vec<(String, String)> = programs().into_iter().chain(programs_with_types()).collect();
    let path = folder.path().join("main.pp");
    assert!(programs.len() > 2500, "{} programs", programs.len());
    let mut found = Vec::new();
    let mut accepted = 0;
    for (name, program) in &programs {
        let (printed, is_accepted) = printed_by(&path, program);
        accepted += usize::from(is_accepted);
        if let Some(at) = printed.to_lowercase().find(CANARY) {
            let around: String = printed.chars().skip(at.saturating_sub(80)).take(200).collect();
            found.push(format!("{name}: {around}"));
        }
    }
    assert!(accepted > programs.len() / 4, "only {accepted} programs were accepted");
    promises::figure("G19", format_args!("{} previews, {} show the secret", programs.len(), found.len()));
    assert!(found.is_empty(), "{} of {}:\n{}", found.len(), programs.len(), found.join("\n"));
}

/// Each parameter of each kind as a secret, as another resource or another language may give it.
#[test]
fn no_kind_shows_a_sensitive_parameter() {
    let mut found = Vec::new();
    let mut tried = 0;
    for schema in SCHEMAS {
        for param in schema.params.iter().chain(schema.more) {
            for text in [CANARY.to_owned(), format!("/nowhere/{CANARY}"), format!("{CANARY} --now")] {
                let text = Value::from(text.as_str());
                let value = match &param.ty {
                    FieldType::List(_) => Value::List(vec![text]),
                    FieldType::Map(..) => Value::Map(vec![("A".into(), text)]),
                    _ => text,
                };
                tried += 1;
                let name = if ["file", "tar", "gzip"].contains(&schema.kind) { "/nowhere/a" } else { "a" };
                let mut sketch = Sketch::new("");
                let mut params = vec![(param.name, Value::Sensitive(Box::new(value)))];
                if param.name != "state" && schema.params.iter().any(|param| param.name == "state") {
                    params.push(("state", "exists".into()));
                }
                sketch.add(schema.kind, name, &params);
                let mut printed = String::new();
                let look = Arc::new(LocalLook::new(false));
                let graph = sketch.done();
                let plan = engine::preview(Arc::clone(&graph), look, "test", Options::default(), &mut |event| {
                    printed += &format!("{event:?}\n");
                });
                printed += &format!("{plan:?}\n{}", SavedPlan::new(&plan, &graph, MadeFrom::default()).to_text());
                if has(printed.as_bytes(), CANARY) {
                    found.push(format!("{}.{}", schema.kind, param.name));
                }
            }
        }
    }
    found.dedup();
    assert!(tried > 500, "{tried} parameters were tried");
    assert_eq!(found, Vec::<String>::new(), "of {tried}");
}

/// The arguments of all processes at this moment that say a text.
fn arguments(text: &str) -> Vec<String> {
    let processes = std::fs::read_dir("/proc").expect("is there").flatten();
    let lines = processes.filter_map(|process| std::fs::read(process.path().join("cmdline")).ok());
    lines.filter(|line| has(line, text)).map(|line| String::from_utf8_lossy(&line).into_owned()).collect()
}

/// An apply leaves a secret only where it was put: no argument of a process, no record, no output.
#[test]
fn an_apply_shows_no_sensitive_parameter() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let at = |name: &str| folder.path().join(name);
    let root = at("root");
    std::fs::create_dir(&root).expect("can be made");
    let secret = "canary-9d2c41ee";
    let written = root.display();
    let code = format!(
        "$s = Sensitive('{secret}')\n\
         file {{ '{written}/a': content => $s, mode => Sensitive('0640') }}\n\
         file {{ 'named': path => Sensitive('{written}/{secret}'), content => 'x' }}\n\
         notify {{ 'n': message => $s }}\n\
         exec {{ 'says': command => Sensitive('s={secret}; /bin/sleep 0.3; echo $s; echo $s >&2; test -z \"$1\"'),\n\
           onlyif => Sensitive(['s={secret}; /bin/sleep 0.3', 's={secret}; test $s = {secret}']), provider => shell }}\n\
         exec {{ 'reads': command => Sensitive('s={secret}; cat; exit 7'), provider => shell, returns => [7] }}\n\
         exec {{ 'fails': command => Sensitive('s={secret}; /bin/sleep 0.1; $s; exit 3'), provider => shell }}\n\
         exec {{ 'surroundings': command => '/bin/sleep 0.1; test $S = {}; echo $S', environment => Sensitive(\"S={secret}\"), provider => shell }}\n",
        "canary-9d2c41ee".replace('9', "?").replace('?', "$(echo 9)"),
    );
    std::fs::write(at("main.pp"), code).expect("can be written");
    // Every user can read the target of a link, so the whole program is refused.
    let code = format!("$s = Sensitive('{secret}')\nfile {{ '{written}/linked': ensure => link, target => $s }}\n");
    std::fs::write(at("link.pp"), code).expect("can be written");
    let mut printed = Vec::new();
    let mut seen = Vec::new();
    let mut run = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_workbench"));
        command.args(args).env("WORKBENCH_STATE", at("state")).current_dir(folder.path());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the binary is there");
        while child.try_wait().expect("is ours").is_none() {
            seen.extend(arguments(secret));
            std::thread::sleep(Duration::from_millis(10));
        }
        let output = child.wait_with_output().expect("is ours");
        printed.extend(output.stdout);
        printed.extend(output.stderr);
    };
    run(&["preview", "--out", "plan", "main.pp"]);
    run(&["preview", "--format", "json", "main.pp"]);
    run(&["graph", "--format", "json", "main.pp"]);
    run(&["apply", "--yes", "link.pp"]);
    run(&["apply", "--yes", "main.pp"]);
    run(&["deploy", "list"]);
    run(&["deploy", "show", "--format", "json"]);
    run(&["deploy", "show"]);
    let text = String::from_utf8_lossy(&printed);
    assert!(!has(&printed, secret), "{text}");
    assert_eq!(seen, Vec::<String>::new(), "the arguments of a process");
    assert_eq!(std::fs::read_to_string(root.join("a")).expect("was written").trim(), secret);
    // The command that fails is the only one that does.
    assert!(text.contains("Exec[fails]") && text.contains("exited with code 3"), "{text}");
    for succeeded in ["Exec[says]", "Exec[reads]", "Exec[surroundings]"] {
        let failed = |line: &&str| line.starts_with("x ") && line.contains(succeeded);
        assert_eq!(text.lines().find(failed), None, "{text}");
    }
    let mut found = Vec::new();
    holding(folder.path(), secret, &[&at("main.pp"), &at("link.pp"), &root.join("a")], &mut found);
    assert_eq!(found, Vec::<PathBuf>::new());
}

/// Prints the arguments and environments of the process `$1`, of those above it up to the test `$2`, and of the children
/// of each, apart from the process `$3`.
const SHOW_PROCESSES: &str = "\
process=$1
while [ \"$process\" != \"$2\" ] && [ \"$process\" -gt 1 ]; do
  for shown in $process $(cat /proc/$process/task/*/children); do
    [ \"$shown\" = \"$3\" ] || cat /proc/$shown/cmdline /proc/$shown/environ
  done
  process=$(cut -d ' ' -f 4 < /proc/$process/stat)
done
";

/// While a sensitive command runs, its secret is in the arguments and environment of no process: not its own, not of its
/// minder, not of the applier. A sensitive environment is only that of the command.
#[test]
fn a_running_command_shows_no_secret_in_a_process() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("show"), SHOW_PROCESSES).expect("can be written");
    let (secret, place, test) = ("canary-61d0f2b7", folder.path().display(), std::process::id());
    let code = format!(
        "Exec {{ provider => shell, path => '/usr/bin:/bin' }}\n\
         exec {{ 'command': command => Sensitive('s={secret}; sh {place}/show $$ {test} > {place}/command; test $s'),\n\
           onlyif => Sensitive('s={secret}; sh {place}/show $$ {test} > {place}/guard; test $s') }}\n\
         exec {{ 'surroundings': command => 'sh {place}/show $PPID {test} $$ > {place}/surroundings; test $S',\n\
           environment => Sensitive('S={secret}') }}\n"
    );
    std::fs::write(at("main.pp"), code).expect("can be written");
    for (apart, program) in [("never", "\napply\n"), ("always", "\napplier\n")] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_workbench"));
        command.args(["apply", "--yes", "--apart", apart, "main.pp"]).current_dir(folder.path());
        command.env("WORKBENCH_STATE", at("state")).env("SHOWN", "by-this-test").stdin(Stdio::null());
        let output = command.output().expect("the binary is there");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
        for name in ["command", "guard", "surroundings"] {
            let shown = std::fs::read(at(name)).expect("the command wrote it");
            std::fs::remove_file(at(name)).expect("can be removed");
            let text = String::from_utf8_lossy(&shown).replace('\0', "\n");
            // The applier, with the environment of the test, and the process that minds the command were among them.
            for seen in [program, "SHOWN=by-this-test", "workbench-minder"] {
                assert!(text.contains(seen), "{apart}, {name}: {seen} is not in\n{text}");
            }
            assert!(!has(&shown, secret), "{apart}, {name}:\n{text}");
        }
    }
}
