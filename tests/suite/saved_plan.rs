//! Saved plans that come from anywhere: what was changed is refused, and no secret is ever in one.

use std::sync::Arc;

use sha2::{Digest, Sha256};
use workbench::engine::{self, Options, Run};
use workbench::graph::Value;
use workbench::host::{Local, LocalLook};
use workbench::plan::{MadeFrom, Moved, Plan, SEAL_KEY, SavedPlan, SavedPlanError, SealKey, Side};

use crate::engine::Sketch;
use crate::generated::Dice;

const CANARY: &str = "canary-7d1f";

fn saved(sketch: Sketch) -> (Arc<workbench::graph::Graph>, SavedPlan) {
    let graph = sketch.done();
    let look = Arc::new(LocalLook::new(false));
    let plan: Plan = engine::preview(Arc::clone(&graph), look, "test", Options::default(), &mut |_| ());
    let saved = SavedPlan::new(&plan, &graph, MadeFrom::default());
    (graph, saved)
}

fn sketch(root: &str) -> Sketch<'_> {
    let mut sketch = Sketch::new(root);
    let secret = Value::Sensitive(Box::new(CANARY.into()));
    sketch.add("file", "@/f", &[("state", "exists".into()), ("content", "plain".into())]);
    sketch.add("file", "@/s", &[("state", "exists".into()), ("content", secret.clone())]);
    sketch.add("exec", "x", &[("cmd", secret), ("shell", "/bin/sh".into())]);
    sketch
}

#[test]
fn a_plan_reads_back_as_it_was_and_holds_no_secret() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let root = folder.path().to_str().expect("its name is plain");
    std::fs::write(folder.path().join("s"), format!("old {CANARY}")).expect("can be written");
    let (_, plan) = saved(sketch(root));
    let text = plan.to_text();
    assert!(!text.contains(CANARY), "{text}");
    assert_eq!(SavedPlan::parse(text.as_bytes()), Ok(plan.clone()));
    assert_eq!(plan.moved(&plan), []);
}

#[test]
fn whatever_is_changed_in_a_plan_is_found() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let (_, plan) = saved(sketch(folder.path().to_str().expect("its name is plain")));
    let text = plan.to_text();
    let mut dice = Dice::new(1);
    for _ in 0..3000 {
        let mut bytes = text.clone().into_bytes();
        let at = dice.below(bytes.len() as u64) as usize;
        bytes[at] ^= 1 << dice.below(8);
        if let Ok(read) = SavedPlan::parse(&bytes) {
            assert_eq!(read, plan, "a change of byte {at} changes nothing that counts");
        }
    }
    for end in 0..text.len() - 1 {
        assert!(SavedPlan::parse(&text.as_bytes()[..end]).is_err(), "cut at {end}");
    }
    let newer = text.replacen("\"version\":2", "\"version\":3", 1);
    assert_eq!(SavedPlan::parse(newer.as_bytes()), Err(SavedPlanError::Version(3)));
    for hostile in ["", "null", "{}", "[[[[", &"[".repeat(1 << 20), &"{\"format\":".repeat(1 << 16)] {
        assert!(SavedPlan::parse(hostile.as_bytes()).is_err());
    }
}

#[test]
fn a_resource_that_differs_from_the_plan_is_left_alone() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let root = folder.path().to_str().expect("its name is plain");
    let mut drawn = Sketch::new(root);
    drawn.add("file", "@/f", &[("state", "exists".into()), ("content", "mine".into())]);
    let (graph, plan) = saved(drawn);
    std::fs::write(folder.path().join("f"), "theirs").expect("can be written");
    let options = Options { approved: Some(Arc::new(plan.expected())), ..Options::default() };
    let mut run = Run::new(Arc::clone(&graph), Box::<Local>::default(), options);
    run.run_to_end(&mut |_| ());
    let error = run.steps()[0].error.clone().unwrap_or_default();
    assert!(error.contains("changed since the plan"), "{error}");
    assert_eq!(std::fs::read_to_string(folder.path().join("f")).expect("is there"), "theirs");
}

/// What a server has is known only while applying, and told so; what was there when that was agreed to binds all the same.
#[test]
fn the_content_of_a_download_is_unknown_and_the_old_file_known() {
    use std::io::{Read, Write};
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let root = folder.path().to_str().expect("its name is plain");
    let path = folder.path().join("f");
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let url = format!("http://{}/", listener.local_addr().expect("it listens"));
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nnew");
        }
    });
    let (absent, old, theirs): (Option<&str>, _, _) = (None, Some("old"), Some("theirs"));
    // What lies there when it is planned, what by the time of the apply, and what then.
    let table = [
        (absent, absent, Ok("new")),
        (absent, theirs, Err("content, state")),
        (old, old, Ok("new")),
        (old, Some("new"), Ok("new")),
        (old, theirs, Err("content")),
        (old, absent, Err("content, state")),
    ];
    let hold = |content: Option<&str>| match content {
        Some(content) => std::fs::write(&path, content).expect("can be written"),
        None => drop(std::fs::remove_file(&path)),
    };
    for (planned, found, expected) in table {
        hold(planned);
        let mut drawn = Sketch::new(root);
        drawn.add("http:client", "@/f", &[("url", url.as_str().into())]);
        let (graph, plan) = saved(drawn);
        let plan = SavedPlan::parse(plan.to_text().as_bytes()).expect("it reads back");
        assert_eq!(plan.steps[0].step.certainty, workbench::plan::Certainty::Unknown);
        hold(found);
        let options = Options { approved: Some(Arc::new(plan.expected())), ..Options::default() };
        let mut run = Run::new(Arc::clone(&graph), Box::<Local>::default(), options);
        run.run_to_end(&mut |_| ());
        let there = std::fs::read_to_string(&path).ok();
        let error = run.steps()[0].error.clone();
        match expected {
            Ok(content) => assert_eq!((there.as_deref(), error), (Some(content), None), "{planned:?} {found:?}"),
            Err(why) => {
                let error = error.unwrap_or_default();
                let mut said: Vec<_> = error.rsplit(": ").next().unwrap_or_default().split(", ").collect();
                said.sort_unstable();
                assert_eq!(said.join(", "), why, "{error}");
                assert_eq!(there.as_deref(), found, "it is left as it is");
            }
        }
    }
}

/// Nothing of what is kept from others is in the plan, in clear or so that it can be guessed; a change of it is found before
/// an apply and on the way, and with another key nothing is told of it.
#[test]
fn private_content_is_sealed() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let root = folder.path().to_str().expect("its name is plain");
    let path = folder.path().join("f");
    let hold = |content: &str| {
        std::fs::write(&path, content).expect("can be written");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).expect("is ours");
    };
    let draw = |key: u8| {
        let mut drawn = Sketch::new(root);
        drawn.add("file", "@/f", &[("content", "wanted".into())]);
        let graph = drawn.done();
        let options = Options { seal: Some(SealKey::from([key; SEAL_KEY])), ..Options::default() };
        let look = Arc::new(LocalLook::new(false));
        let plan = engine::preview(Arc::clone(&graph), look, "test", options, &mut |_| ());
        (SavedPlan::new(&plan, &graph, MadeFrom::default()), graph)
    };
    hold(CANARY);
    let (plan, graph) = draw(1);
    let text = plan.to_text();
    assert!(!text.contains(CANARY) && text.contains("\"seal\""), "{text}");
    let hash: String = Sha256::digest(CANARY).iter().map(|byte| format!("{byte:02x}")).collect();
    assert!(!text.contains(&hash[..12]), "no hash without a key");
    assert_eq!(plan.moved(&draw(1).0), []);
    hold(&CANARY.replace('7', "8"));
    assert!(matches!(plan.moved(&draw(1).0)[..], [Moved::Sealed { .. }]));
    assert_eq!(plan.moved(&draw(2).0), [], "another key tells nothing");
    let seal = Some(SealKey::from([1; SEAL_KEY]));
    let options = Options { approved: Some(Arc::new(plan.expected())), seal, ..Options::default() };
    let mut run = Run::new(graph, Box::<Local>::default(), options);
    run.run_to_end(&mut |_| ());
    let error = run.steps()[0].error.clone().unwrap_or_default();
    assert!(error.contains("changed since the plan"), "{error}");
    assert_eq!(std::fs::read_to_string(&path).expect("is there"), CANARY.replace('7', "8"));
}

#[test]
fn what_moved_is_named_with_both_values() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let root = folder.path().to_str().expect("its name is plain");
    let draw = |content: &str| {
        let mut drawn = Sketch::new(root);
        drawn.add("file", "@/f", &[("content", content.into())]);
        saved(drawn).1
    };
    std::fs::write(folder.path().join("f"), "one").expect("can be written");
    let plan = draw("wanted");
    std::fs::write(folder.path().join("f"), "two").expect("can be written");
    let moved = plan.moved(&draw("wanted"));
    let [Moved::Property { property, expected, found, .. }] = &moved[..] else { panic!("{moved:?}") };
    assert_eq!(
        (property.as_str(), expected, found),
        ("content", &Side::Read(Some("one".into())), &Side::Read(Some("two".into())))
    );
    std::fs::write(folder.path().join("f"), "one").expect("can be written");
    let moved = plan.moved(&draw("other"));
    let [Moved::Property { expected, found, .. }] = &moved[..] else { panic!("{moved:?}") };
    assert_eq!((expected, found), (&Side::Wanted(Some("wanted".into())), &Side::Wanted(Some("other".into()))));
    // What cannot be read is no value, and what is wanted neither.
    std::fs::remove_file(folder.path().join("f")).expect("can be written");
    std::fs::create_dir(folder.path().join("f")).expect("can be written");
    let moved = plan.moved(&draw("wanted"));
    let tells_wanted = |moved: &Moved| matches!(moved, Moved::Property { found: Side::Read(Some(value)), .. } if *value == "wanted".into());
    assert!(!moved.is_empty() && !moved.iter().any(tells_wanted), "{moved:?}");
    std::fs::remove_dir(folder.path().join("f")).expect("can be written");
    std::fs::write(folder.path().join("f"), "wanted").expect("can be written");
    let moved = plan.moved(&draw("wanted"));
    assert!(!moved.is_empty() && !moved.iter().any(tells_wanted), "{moved:?}");
}

/// What a failure blocked is told with what was agreed to, and not as if it had been right already.
#[test]
fn blocked_resources_are_recorded_with_their_plan() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let root = folder.path();
    let code = format!(
        "exec \"boom\" {{ cmd => \"exit 3\", shell => \"/bin/sh\", }}\n\
         file \"{}\" {{ state => \"exists\", content => \"x\", Depend => Exec[\"boom\"], }}\n",
        root.join("b").display()
    );
    std::fs::write(root.join("main.mcl"), code).expect("can be written");
    let run = |words: &str| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_workbench"));
        command.args(words.split(' ')).env("WORKBENCH_STATE", root.join("state")).current_dir(root);
        let output = command.stdin(std::process::Stdio::null()).output().expect("the binary is there");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    run("preview -q --out plan.json main.mcl");
    assert!(run("apply --yes --plan plan.json").contains("1 failed, 1 blocked"));
    let told = run("deploy show");
    assert!(told.contains("blocked exec[boom] is not done\n    planned: create (predicted)"), "{told}");
}
