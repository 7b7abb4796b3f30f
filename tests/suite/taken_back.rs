//! A deploy that is cut off after any step and gone on with ends in the same tree (G4), what was applied is taken back
//! exactly where that was promised (G5), and a pending refresh is not lost.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use workbench::deploy::{
    History, Holder, Holding, Lock, OnConflict, Recording, StateFolder, Verdict, pending_behind, perform_undo,
    plan_undo, recover,
};
use workbench::engine::message::{Request, TurnState};
use workbench::engine::{self, Options, Run};
use workbench::graph::{Graph, Node, ResourceId, Secrets, Value};
use workbench::host::LocalLook;
use workbench::host::journal::{Begin, Journalled, scan};
use workbench::plan::{Action, Plan, Reversible, Step};
use workbench::world::Cancel;

use crate::crash::{Tree, assert_same, collect};
use crate::engine::Sketch;
use crate::generated::Dice;
use crate::honest::{draw, prepare};
use crate::promises;

/// A command that another test starts may hold our locks until it is another program.
const PATIENCE: Duration = Duration::from_secs(20);

/// A tree to be managed, and a state folder beside it.
struct Site {
    folder: tempfile::TempDir,
    state: StateFolder,
}

impl Site {
    fn new() -> Self {
        let folder = crate::promises::folder();
        let state = StateFolder::open(&folder.path().join("state")).expect("can be made");
        std::fs::create_dir(folder.path().join("root")).expect("can be made");
        Self { folder, state }
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("root")
    }

    fn tree(&self) -> Tree {
        let mut tree = Tree::new();
        collect(&self.root(), &mut tree);
        tree
    }

    /// What `seed` draws, on the tree that it lays out, with no history.
    fn laid_out(&mut self, seed: u64) -> Arc<Graph> {
        std::fs::remove_dir_all(self.folder.path().join("state")).expect("is ours");
        std::fs::remove_dir_all(self.root()).expect("is ours");
        std::fs::create_dir(self.root()).expect("can be made");
        self.state = StateFolder::open(&self.folder.path().join("state")).expect("can be made");
        let mut dice = Dice::new(seed);
        prepare(&self.root(), &mut dice);
        adorn(&self.root(), &mut dice);
        draw(self.root().to_str().expect("its name is plain"), &mut dice)
    }

    fn begin(&self) -> (Recording, Journalled) {
        let (me, cancel) = (Holder::default(), Cancel::default());
        let lock = Lock::take(&self.state.lock(), &me, PATIENCE, &cancel, &mut |_| ()).expect("is free");
        Recording::begin(&self.state, lock, Begin::default(), Secrets::default()).expect("can be written")
    }

    /// Applies `turns` turns, and comes to no end where there are more.
    fn apply(&self, graph: &Arc<Graph>, turns: usize, options: Options) -> Vec<Step> {
        let (recording, host) = self.begin();
        let mut run = Run::new(Arc::clone(graph), Box::new(host), options);
        for _ in 0..turns {
            run.handle(Request::Step, &mut |event| recording.record(&event));
        }
        run.into_steps()
    }

    fn apply_all(&self, graph: &Arc<Graph>) -> Vec<Step> {
        self.apply(graph, graph.len(), Options::default())
    }
}

/// Modes, and attributes where the file system has them.
fn adorn(root: &Path, dice: &mut Dice) {
    for name in ["a", "b", "d/x", "f/g", "l", "d"] {
        let at = root.join(name);
        let Ok(meta) = std::fs::symlink_metadata(&at) else { continue };
        if meta.is_symlink() {
            continue;
        }
        if dice.below(3) == 0 {
            let mode = [0o700, 0o750, 0o711][dice.below(3) as usize];
            std::fs::set_permissions(&at, PermissionsExt::from_mode(mode)).expect("is ours");
        }
        if dice.below(3) == 0 {
            // Not every memory-backed disk takes them.
            let _ = rustix::fs::setxattr(&at, "user.note", b"kept", rustix::fs::XattrFlags::empty());
        }
    }
}

fn notes(tree: &Tree) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut notes = BTreeMap::new();
    for path in tree.keys() {
        let mut value = [0; 64];
        if let Ok(length) = rustix::fs::lgetxattr(path, "user.note", &mut value) {
            notes.insert(path.clone(), value[..length].to_vec());
        }
    }
    notes
}

fn is_right(steps: &[Step]) -> bool {
    steps.iter().all(|step| step.error.is_none() && (step.action == Action::None || step.is_noop))
}

/// Takes the last entry of the newest journal away, as if the crash had come before it.
fn forget_last(state: &StateFolder, deploy: u64) {
    let path = state.journal(deploy);
    let bytes = std::fs::read(&path).expect("is there");
    let frames = scan(&bytes).frames;
    if let [.., before, _] = frames.as_slice() {
        let end = before.payload.end + 36;
        std::fs::write(&path, &bytes[..end]).expect("is ours");
    }
}

#[test]
fn an_interruption_after_any_step_resumes_to_the_same_tree() {
    let (wanted, mut graphs, mut crashes) = (promises::count(12, 500), 0, 0);
    let mut site = Site::new();
    for seed in 0.. {
        if graphs == wanted {
            break;
        }
        let graph = site.laid_out(seed);
        let steps = site.apply_all(&graph);
        let whole = site.tree();
        // Only what comes to rest has one tree to come to.
        if steps.iter().any(|step| step.error.is_some()) || !is_right(&site.apply_all(&graph)) {
            continue;
        }
        graphs += 1;
        for turns in 0..steps.len() {
            for forgets in [false, true] {
                let graph = site.laid_out(seed);
                site.apply(&graph, turns, Options::default());
                if forgets {
                    forget_last(&site.state, 1);
                }
                let recovered = recover(&site.state, 1, OnConflict::Stop).expect("can be settled");
                assert!(recovered.is_closed, "seed {seed}: cut off after {turns}: {:?}", recovered.found);
                let again = site.apply_all(&graph);
                assert!(again.iter().all(|step| step.error.is_none()), "seed {seed}: cut off after {turns}");
                assert_same(&site.tree(), &whole, &format!("seed {seed}: cut off after {turns} turns"));
                crashes += 1;
            }
        }
    }
    promises::figure("G4", format_args!("{graphs} graphs, {crashes} crashes, the same tree each time"));
}

/// Hides some contents, so that what they replace is not kept.
fn hide_some(graph: &Arc<Graph>, dice: &mut Dice) -> Arc<Graph> {
    let mut graph = Graph::clone(graph);
    let all: Vec<_> = graph.resources().map(|(at, _)| at).collect();
    for at in all {
        if let Node::Resource(resource) = graph.node_mut(at)
            && dice.below(6) == 0
            && let Some(content) = resource.shown().params.get("content").cloned()
        {
            resource.set("content", Value::Sensitive(Box::new(content)));
        }
    }
    Arc::new(graph)
}

#[test]
fn undone_resources_are_as_before_if_promised() {
    let count = promises::count(150, 10_000) as u64;
    let (mut exact, mut declared) = (0, 0);
    let mut site = Site::new();
    for seed in 0..count {
        let graph = site.laid_out(seed);
        let graph = hide_some(&graph, &mut Dice::new(!seed));
        let (before, noted) = (site.tree(), notes(&site.tree()));
        let look = Arc::new(LocalLook::new(false));
        let plan: Plan = engine::preview(Arc::clone(&graph), look, "test", Options::default(), &mut |_| ());
        let said: BTreeMap<_, _> = plan.steps.iter().map(|step| (&step.resource, step.reversible)).collect();
        site.apply_all(&graph);
        let deploy = History::new(&site.state).read(1).expect("is whole");
        let blobs = site.state.blobs().expect("are there");
        let steps = plan_undo(&[deploy], &blobs, Holding::Stays).expect("can be planned");
        for step in &steps {
            if matches!(step.verdict, Verdict::Lost(_) | Verdict::Partly(..)) {
                assert_ne!(said[&step.resource], Reversible::Yes, "seed {seed}: {step:#?}");
            }
        }
        let (_recording, host) = site.begin();
        let is_promised = steps.iter().all(|step| matches!(step.verdict, Verdict::Ready(_) | Verdict::Already));
        if !is_promised {
            let is_declared = steps.iter().any(|step| said[&step.resource] != Reversible::Yes);
            assert!(is_declared, "seed {seed}: {steps:#?}");
            declared += 1;
            continue;
        }
        let undone = perform_undo(&steps, &host, OnConflict::Stop, &mut |_, _| ());
        assert_eq!((undone.failed, undone.lost, undone.kept), (0, 0, 0), "seed {seed}");
        assert_same(&site.tree(), &before, &format!("seed {seed}"));
        assert_eq!(notes(&site.tree()), noted, "seed {seed}");
        exact += 1;
    }
    promises::figure("G5", format_args!("{count} trees: {exact} back exactly, {declared} declared not to go back"));
}

/// Of a copy that was cut off the journal knows no content to recognise it by.
#[test]
fn an_interrupted_copy_is_undone() {
    let site = Site::new();
    let root = site.root();
    std::fs::create_dir(root.join("from")).expect("can be made");
    std::fs::write(root.join("from/x"), "x").expect("can be written");
    let before = site.tree();
    let mut sketch = Sketch::new(root.to_str().expect("its name is plain"));
    let recurse = ("recurse", Value::Bool(true));
    sketch.add("file", "@/copy/", &[("state", "exists".into()), ("source", "@/from/".into()), recurse]);
    site.apply(&sketch.done(), 1, Options::default());
    // The crash comes after the file was put in place, and before that was written down.
    for _entry in ["the end", "the outcome", "that it was done"] {
        forget_last(&site.state, 1);
    }
    let recovered = recover(&site.state, 1, OnConflict::Stop).expect("can be settled");
    assert!(recovered.is_closed && recovered.found.len() == 1, "{:?}", recovered.found);
    let steps = plan_undo(&[recovered.deploy], &site.state.blobs().expect("are there"), Holding::Stays)
        .expect("can be planned");
    let (_recording, host) = site.begin();
    let undone = perform_undo(&steps, &host, OnConflict::Stop, &mut |_, _| ());
    assert_eq!((undone.back, undone.failed, undone.lost, undone.kept), (2, 0, 0, 0), "{steps:#?}");
    assert_same(&site.tree(), &before, "taken back");
}

#[test]
fn a_pending_refresh_runs_after_a_crash() {
    let site = Site::new();
    let root = site.root();
    let kinds = site.folder.path().join("state");
    let options = || Options { state: Some(kinds.clone()), ..Options::default() };
    let key = |value: &str| {
        let mut sketch = Sketch::new(root.to_str().expect("its name is plain"));
        let config = sketch.add("file", "@/config", &[("state", "exists".into()), ("content", value.into())]);
        // It only ever grows: without the refresh it stays as it is.
        let params = [("key", "count".into()), ("value", value.into()), ("skiplessthan", Value::Bool(true))];
        let count = sketch.add("kv", "count", &params);
        sketch.connect(config, count, true, None);
        sketch.done()
    };
    site.apply(&key("5"), 2, options());
    let graph = key("1");
    // The crash comes between the write of the configuration and the refresh.
    site.apply(&graph, 1, options());
    assert_eq!(std::fs::read_to_string(root.join("config")).ok().as_deref(), Some("1"));
    let count = || {
        let mut found = Vec::new();
        files_below(&kinds.join("store"), &mut found);
        found.into_iter().map(|path| std::fs::read_to_string(path).expect("is ours")).collect::<Vec<_>>()
    };
    assert_eq!(count(), ["5"]);
    let cut = recover(&site.state, 2, OnConflict::Stop).expect("can be settled").deploy;
    let outcomes = || cut.outcomes.iter().map(|outcome| (outcome.resource.clone(), outcome.state.as_str()));
    let changed = outcomes().filter(|(_, state)| *state == "done").map(|(resource, _)| resource).collect();
    let pending = pending_behind(&graph, &changed, &changed);
    assert_eq!(pending.iter().collect::<Vec<_>>(), [&ResourceId("kv[count]".into())]);
    let (recording, host) = site.begin();
    let mut run = Run::new(Arc::clone(&graph), Box::new(host), Options { pending, ..options() });
    run.run_to_end(&mut |event| recording.record(&event));
    assert!(run.states().all(|(_, state)| *state == TurnState::Done), "{:#?}", run.steps());
    assert_eq!(count(), ["1"], "the refresh is paid");
}

fn files_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("is a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            files_below(&path, found);
        } else {
            found.push(path);
        }
    }
}

/// Planned and agreed to, and then somebody saved another text: that is left, whether it is taken back alone or with others.
#[test]
fn what_changes_after_the_plan_is_left() {
    for files in [1, 12] {
        let site = Site::new();
        let root = site.root();
        let mut sketch = Sketch::new(root.to_str().expect("its name is plain"));
        for file in 0..files {
            std::fs::write(root.join(file.to_string()), "old").expect("can be written");
            let params = [("state", "exists".into()), ("content", "new".into())];
            sketch.add("file", &format!("@/{file}"), &params);
        }
        site.apply_all(&sketch.done());
        let deploy = History::new(&site.state).read(1).expect("is whole");
        let steps =
            plan_undo(&[deploy], &site.state.blobs().expect("are there"), Holding::Stays).expect("can be planned");
        std::fs::write(root.join("0"), "theirs").expect("can be written");
        let (_recording, host) = site.begin();
        let mut told = Vec::new();
        let undone = perform_undo(&steps, &host, OnConflict::Stop, &mut |_, outcome| told.push(outcome.clone()));
        assert_eq!((undone.back, undone.failed), (files - 1, 1), "{told:?}");
        assert!(format!("{told:?}").contains("was changed after the plan"), "{told:?}");
        let text = |file: u64| std::fs::read_to_string(root.join(file.to_string())).expect("is there");
        assert_eq!(text(0), "theirs");
        assert!((1..files).all(|file| text(file) == "old"));
    }
}

/// Interrupted, resumed after an edit, and interrupted again: a refresh that ran the first time is pending again.
#[test]
fn a_refresh_is_pending_again_after_an_interrupted_resume() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let at = |name: &str| folder.path().join(name).display().to_string();
    let program = |version: u32, last: &str| {
        let code = format!(
            "file \"{0}\" {{ state => \"exists\", content => \"{version}\", Notify => Kv[\"count\"], }}\n\
             kv \"count\" {{ key => \"count\", value => \"{version}\", skiplessthan => true, Before => Exec[\"last\"], }}\n\
             exec \"between\" {{ cmd => \"{last}\", shell => \"/bin/sh\", Depend => File[\"{0}\"], Before => Kv[\"count\"], }}\n\
             exec \"last\" {{ cmd => \"{last}\", shell => \"/bin/sh\", }}\n",
            at("config")
        );
        std::fs::write(at("main.mcl"), code).expect("can be written");
    };
    let run = |words: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_workbench"));
        command.args(words).env("WORKBENCH_STATE", at("state")).current_dir(folder.path());
        let output = command.stdin(std::process::Stdio::null()).output().expect("the binary is there");
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
    };
    let count = || {
        let mut found = Vec::new();
        files_below(&folder.path().join("state/store"), &mut found);
        found.into_iter().map(|path| std::fs::read_to_string(path).expect("is ours")).collect::<Vec<_>>()
    };
    // Each time the one command that may kill the applier does so, by the file that says which.
    let kills = "test ! -e WHO || kill -9 $(sed -n 's/.*pid.:\\([0-9]*\\).*/\\1/p' STATE/lock)";
    let kills = |who: &str| {
        kills.replace("WHO", &at(who)).replace("STATE", &at("state")).replace('\\', "\\\\").replace('$', "\\$")
    };
    let lines = |version: u32| {
        program(version, "true");
        let code = std::fs::read_to_string(at("main.mcl")).expect("is ours");
        let mut code = code.replacen("cmd => \"true\"", &format!("cmd => \"{}\"", kills("between")), 1);
        code = code.replacen("cmd => \"true\"", &format!("cmd => \"{}\"", kills("last")), 1);
        std::fs::write(at("main.mcl"), code).expect("can be written");
    };
    lines(5);
    let told = run(&["apply", "--yes", "main.mcl"]);
    assert_eq!(count(), ["5"], "{told}");
    lines(3);
    std::fs::write(at("last"), "").expect("can be written");
    let told = run(&["apply", "--yes", "main.mcl"]);
    assert_eq!(count(), ["3"], "the refresh was paid before the crash: {told}");
    std::fs::rename(at("last"), at("between")).expect("is ours");
    lines(1);
    let told = run(&["deploy", "resume", "--yes", "--again", "--changed"]);
    assert_eq!(
        (count(), std::fs::read_to_string(at("config")).expect("is there").as_str()),
        (vec!["3".to_owned()], "1"),
        "{told}"
    );
    std::fs::remove_file(at("between")).expect("is ours");
    let told = run(&["deploy", "resume", "--yes", "--again", "--changed"]);
    assert_eq!(count(), ["1"], "{told}");
}

/// A change was made, and before those that listen to it had their turns the apply failed, or was told to leave them out:
/// the next preview shows the refreshes, the next apply runs them, and then none is pending.
#[test]
fn a_pending_refresh_runs_in_the_next_apply() {
    for first in [&["apply", "--yes", "main.mcl"][..], &["apply", "--yes", "--only", "kind:file", "main.mcl"]] {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let at = |name: &str| folder.path().join(name).display().to_string();
        let program = |version: u32| {
            let code = format!(
                "file \"{config}\" {{ state => \"exists\", content => \"{version}\", Notify => Kv[\"count\"], }}\n\
                 kv \"count\" {{ key => \"count\", value => \"{version}\", skiplessthan => true, }}\n\
                 exec \"gate\" {{ cmd => \"test ! -e {broken}\", shell => \"/bin/sh\", ifcmd => \"test -e {broken}\", \
                 ifshell => \"/bin/sh\", Before => Kv[\"count\"], }}\n",
                config = at("config"),
                broken = at("broken"),
            );
            std::fs::write(at("main.mcl"), code).expect("can be written");
        };
        let run = |words: &[&str]| {
            let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_workbench"));
            command.args(words).env("WORKBENCH_STATE", at("state")).current_dir(folder.path());
            let output = command.stdin(std::process::Stdio::null()).output().expect("the binary is there");
            format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
        };
        let count = || {
            let mut found = Vec::new();
            files_below(&folder.path().join("state/store"), &mut found);
            found.into_iter().map(|path| std::fs::read_to_string(path).expect("is ours")).collect::<Vec<_>>()
        };
        program(5);
        let told = run(&["apply", "--yes", "main.mcl"]);
        assert_eq!(count(), ["5"], "{told}");
        program(1);
        std::fs::write(at("broken"), "").expect("can be written");
        let told = run(first);
        assert_eq!(
            (count(), std::fs::read_to_string(at("config")).expect("is there").as_str()),
            (vec!["5".to_owned()], "1"),
            "{told}"
        );
        // What another program does between is none of its business.
        std::fs::write(at("other.mcl"), "print \"x\" { msg => \"x\", }\n").expect("can be written");
        run(&["apply", "--yes", "other.mcl"]);
        std::fs::remove_file(at("broken")).expect("is ours");
        let told = run(&["preview", "--run-guards", "main.mcl"]);
        assert!(told.contains("kv[count]"), "{told}");
        let told = run(&["apply", "--yes", "main.mcl"]);
        assert_eq!(count(), ["1"], "{told}");
        program(1);
        let told = run(&["preview", "--run-guards", "main.mcl"]);
        assert!(told.contains("No changes") || told.contains("unchanged") && !told.contains("kv[count]"), "{told}");
    }
}
