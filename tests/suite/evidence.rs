//! Evidence: between a plan and its apply one thing changes on the machine. The report of the stale plan says exactly that,
//! with the values that were and are there; if nothing that counts changed, the plan still holds.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::sync::Arc;

use workbench::engine::{self, Options};
use workbench::graph::{Graph, ResourceId};
use workbench::host::LocalLook;
use workbench::host::journal::{Begin, Image, Intent, Journal, LoggedOperation, Record};
use workbench::plan::{MadeFrom, SEAL_KEY, SavedPlan, SealKey};
use workbench::session::moved_words;

use crate::download::Place;
use crate::engine::Sketch;
use crate::generated::Dice;

const WANTED: &str = "wanted\n";

/// What is at a path, read without the program.
#[derive(Clone, Debug, PartialEq)]
enum There {
    Absent,
    File { content: String, mode: u32 },
    Folder,
    Link,
}

fn there(path: &Path) -> There {
    match fs::symlink_metadata(path) {
        Err(_) => There::Absent,
        Ok(found) if found.is_dir() => There::Folder,
        Ok(found) if found.is_symlink() => There::Link,
        Ok(found) => There::File {
            content: fs::read_to_string(path).expect("the test wrote it"),
            mode: found.permissions().mode() & 0o7777,
        },
    }
}

fn write(path: &Path, content: &str, mode: u32) {
    fs::write(path, content).expect("the folder is ours");
    chmod(path, mode);
}

fn chmod(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("the file is ours");
}

fn remove(path: &Path) {
    match there(path) {
        There::Absent => {}
        There::Folder => fs::remove_dir_all(path).expect("the folder is ours"),
        There::File { .. } | There::Link => fs::remove_file(path).expect("the file is ours"),
    }
}

/// A managed file: its content always, its mode perhaps.
struct Managed {
    name: String,
    mode: Option<u32>,
}

/// A property's value as a report shows it. A file that only its owner may read has no content to show.
fn shown(there: &There, property: &str) -> String {
    match (there, property) {
        (There::File { .. }, "state") => "\"exists\"".into(),
        (_, "state") => "\"absent\"".into(),
        (There::File { mode, .. }, "mode") => format!("\"{mode:04o}\""),
        (There::File { content, mode }, "content") if mode & 0o077 == 0 => {
            format!("\"(not shown: only its owner may read it; {} bytes)\"", content.len())
        }
        (There::File { content, .. }, "content") => format!("{content:?}"),
        _ => "unset".into(),
    }
}

/// Whether a property needs no change.
fn is_right(file: &Managed, there: &There, property: &str) -> bool {
    match (there, property) {
        (There::File { content, .. }, "content") => content == WANTED,
        (There::File { mode, .. }, "mode") => file.mode.is_none_or(|wanted| wanted == *mode),
        (There::File { .. }, "state") => true,
        (_, "mode") => file.mode.is_none(),
        _ => false,
    }
}

/// The lines of the report about one file.
fn expected(file: &Managed, id: &str, path: &str, then: &There, now: &There) -> Vec<String> {
    let fails = |now: &There| match now {
        There::Folder => Some(format!("{path} is a folder, not a file; `force => true` replaces it")),
        There::Link => Some(format!("{path} is a symbolic link, not a file; `force => true` replaces it")),
        There::Absent | There::File { .. } => None,
    };
    match (fails(then), fails(now)) {
        (then, now) if then == now && then.is_some() => return vec![],
        (_, Some(why)) => return vec![format!("{id}: would fail now: {why}")],
        (Some(why), None) => return vec![format!("{id}: was to fail ({why}), would be applied now")],
        (None, None) => {}
    }
    let mut lines = Vec::new();
    for property in ["state", "content", "mode"] {
        let (was_right, right) = (is_right(file, then, property), is_right(file, now, property));
        let (was, is) = (shown(then, property), shown(now, property));
        let words = match (was_right, right) {
            (true, true) => continue,
            (false, false) if was == is => continue,
            (false, false) => format!("expected {was}, found {is}"),
            (true, false) => format!("expected no change, found {is}"),
            (false, true) if was == "unset" => "expected unset, is already set as planned".into(),
            (false, true) => format!("expected {was}, is already as planned"),
        };
        lines.push(format!("{id}: {property}: {words}"));
    }
    // Only the permission to show it changed.
    let sizes = |there: &There| {
        if let There::File { content, mode } = there { Some((content.len(), mode & 0o077 == 0)) } else { None }
    };
    if let (Some((size, was_private)), Some((now_size, is_private))) = (sizes(then), sizes(now))
        && size == now_size
        && was_private != is_private
        && lines.len() > 1
    {
        lines.retain(|line| !line.contains(": content: ") || line.contains("no change") || line.contains("already"));
    }
    if lines.is_empty()
        && let (There::File { content: was, mode }, There::File { content: is, .. }) = (then, now)
        && mode & 0o077 == 0
        && was != is
        && is != WANTED
    {
        lines.push(format!("{id}: its current content changed (private, not shown)"));
    }
    lines
}

fn saved(graph: &Arc<Graph>) -> SavedPlan {
    let options = Options { seal: Some(SealKey::from([7; SEAL_KEY])), ..Options::default() };
    let plan = engine::preview(Arc::clone(graph), Arc::new(LocalLook::new(false)), "test", options, &mut |_| ());
    SavedPlan::new(&plan, graph, MadeFrom::default())
}

/// Changes one byte, the mode, the absence or the kind of a file.
fn mutate(path: &Path, dice: &mut Dice) -> &'static str {
    match (there(path), dice.below(4)) {
        (There::File { content, mode }, 0) => {
            let mut bytes = content.into_bytes();
            let at = dice.below(bytes.len() as u64) as usize;
            bytes[at] = if bytes[at] == b'x' { b'y' } else { b'x' };
            write(path, &String::from_utf8(bytes).expect("it was plain"), mode);
            "one byte"
        }
        (There::File { mode, .. }, 1) => {
            chmod(path, if mode == 0o640 { 0o600 } else { 0o640 });
            "mode"
        }
        (There::Absent, 0 | 1) => {
            write(path, ["other\n", WANTED][dice.below(2) as usize], 0o644);
            "absence"
        }
        (_, 2) => {
            remove(path);
            "absence"
        }
        _ => {
            remove(path);
            match dice.below(2) {
                0 => fs::create_dir(path).expect("the folder is ours"),
                _ => symlink("/nowhere", path).expect("the folder is ours"),
            }
            "kind"
        }
    }
}

#[test]
fn a_stale_plan_names_the_change() {
    let mut seen = BTreeSet::new();
    for seed in 0..200 {
        let mut dice = Dice::new(seed);
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let root = folder.path().to_str().expect("its name is plain");
        let mut sketch = Sketch::new(root);
        let inner = folder.path().join("d");
        let has_inner = dice.below(3) > 0;
        if has_inner {
            fs::create_dir(&inner).expect("the folder is ours");
        }
        let dir = sketch.add("file", "@/d/", &[("state", "exists".into())]);
        let mut files = Vec::new();
        for at in 0..3 + dice.below(3) {
            let is_inside = dice.below(3) == 0;
            let name = format!("{}f{at}", if is_inside { "d/" } else { "" });
            let mode = [None, Some(0o644), Some(0o640)][dice.below(3) as usize];
            let mut params = vec![("state", "exists".into()), ("content", WANTED.into())];
            params.extend(mode.map(|mode| ("mode", format!("{mode:04o}").as_str().into())));
            let node = sketch.add("file", &format!("@/{name}"), &params);
            if is_inside {
                sketch.connect(dir, node, false, None);
            }
            let path = folder.path().join(&name);
            if (has_inner || !is_inside) && dice.below(3) > 0 {
                let content = ["one\n", WANTED][dice.below(2) as usize];
                write(&path, content, [0o644, 0o640, 0o600][dice.below(3) as usize]);
            }
            files.push((Managed { name, mode }, is_inside));
        }
        let graph = sketch.done();
        let paths: Vec<_> = files.iter().map(|(file, _)| folder.path().join(&file.name)).collect();
        let then: Vec<_> = paths.iter().map(|path| there(path)).collect();
        let plan = saved(&graph);
        let what = match dice.below(5) {
            0 if has_inner => {
                remove(&inner);
                if dice.below(2) == 0 {
                    write(&inner, "a file\n", 0o644);
                    "folder, kind"
                } else {
                    "folder, absence"
                }
            }
            0 => {
                write(&inner, "a file\n", 0o644);
                "folder, kind"
            }
            _ => {
                let reachable: Vec<_> = (0..files.len()).filter(|at| has_inner || !files[*at].1).collect();
                match reachable.get(dice.below(reachable.len().max(1) as u64) as usize) {
                    Some(at) => mutate(&paths[*at], &mut dice),
                    None => "nothing",
                }
            }
        };
        seen.insert(what);
        let dir = format!("file[{root}/d/]");
        let is_broken = matches!(there(&inner), There::File { .. });
        let mut wanted: BTreeSet<String> = BTreeSet::new();
        match (has_inner, there(&inner)) {
            (_, There::File { .. }) => {
                _ = wanted.insert(format!(
                    "{dir}: would fail now: {root}/d is a file, not a folder; `force => true` replaces it"
                ))
            }
            (true, There::Absent) => _ = wanted.insert(format!("{dir}: state: expected no change, found \"absent\"")),
            _ => {}
        }
        for (((file, is_inside), path), then) in files.iter().zip(&paths).zip(&then) {
            let path = path.display().to_string();
            let id = format!("file[{path}]");
            if *is_inside && is_broken {
                wanted.insert(format!("{id}: would be blocked now by {dir}"));
                continue;
            }
            wanted.extend(expected(file, &id, &path, then, &there(Path::new(&path))));
        }
        let found: BTreeSet<String> = plan.moved(&saved(&graph)).iter().map(moved_words).collect();
        assert_eq!(found, wanted, "seed {seed}: {what}");
    }
    // A test that never changes anything would pass too.
    let all = ["absence", "folder, absence", "folder, kind", "kind", "mode", "one byte"];
    assert!(all.iter().all(|what| seen.contains(what)), "{seen:?}");
}

/// A plan is compared with the last deploy by the cause of each difference: by hand, by another deploy, by the program, or
/// unknown because a guard was not tried.
#[test]
fn what_changed_since_the_last_deploy_names_its_cause() {
    let page = |words: &str| {
        format!(
            "file \"$ROOT/page\" {{\n\tstate => \"exists\",\n\tcontent => \"{words}\",\n}}\n\
             exec \"reload\" {{\n\tcmd => \"true\",\n\tshell => \"/bin/sh\",\n\tifcmd => \"false\",\n}}\n"
        )
    };
    let place = Place::new(&page("one"));
    let path = place.root.join("page");
    let has = |words: &[&str], not: &[&str]| {
        let (_, text) = place.run("preview --against-last");
        assert!(words.iter().all(|words| text.contains(words)), "{words:?} in {text}");
        assert!(!not.iter().any(|words| text.contains(words)), "{not:?} in {text}");
    };
    place.runs("apply --yes", 0, &[]);
    place.runs("apply --yes", 0, &[]);
    let untried = "exec[reload]: unchanged in that deploy; its guard was not tried";
    has(
        &["Since deploy 1 of ", "(2, the newest, changed nothing): 1 unchanged", untried],
        &["changed outside", "cmd:"],
    );
    fs::write(&path, "hand").expect("the folder is ours");
    let (by_hand, by_program) = ("content: changed outside workbench since", "content: changed in the program");
    has(&["page]: created by that deploy", by_hand, untried], &[by_program]);
    place.write("work/main.mcl", &page("two"));
    has(&[by_program, untried], &[by_hand]);
    place.write("work/main.mcl", &page("one"));
    place.write("other/main.mcl", &page("other"));
    place.runs(&format!("apply --yes {}/other/main.mcl", place.root.display()), 0, &[]);
    has(&["content: changed by deploy 3 since"], &[by_hand, by_program]);
}

/// Each line of the log has the time of its own change.
#[test]
fn the_log_has_the_time_of_each_change() {
    let run = |name: &str, then: &str| {
        format!("exec \"{name}\" {{\n\tcmd => \"sleep 1.1\",\n\tshell => \"/bin/sh\",\n{then}}}\n")
    };
    let place = Place::new(&(run("first", "") + &run("second", "\tDepend => Exec[\"first\"],\n")));
    place.runs("apply --yes", 0, &[]);
    let (_, text) = place.run("log");
    let times: Vec<&str> = text.lines().filter_map(|line| line.split(' ').next()).collect();
    let began = place.run("deploy list").1.split_whitespace().nth(1).map(str::to_owned).expect("a time");
    assert!(times.len() == 2 && *began < *times[0] && times[0] < times[1], "{began}: {text}");
}

/// The log names properties as the language of the program does, and none that our kinds add.
#[test]
fn the_log_has_the_words_of_the_language() {
    let place = Place::new("");
    let program = "exec { 'true': path => '/bin:/usr/bin' }\nfile { '$ROOT/link': ensure => link, target => '/etc' }\n";
    place.write("work/main.pp", program);
    place.runs("apply --yes main.pp", 0, &[]);
    let (_, text) = place.run("log");
    assert!(text.contains("run command\n") && text.contains("create ensure, target\n"), "{text}");
}

/// A deploy that was killed before its first change has nothing to undo: an undo resolves it, and leaves the deploy before it.
#[test]
fn a_deploy_without_a_change_is_resolved_by_its_undo() {
    let program = "file \"$ROOT/page\" {\n\tstate => \"exists\",\n\tcontent => \"one\",\n}\n";
    for (intends, words) in [
        (false, "deploy undo --yes"),
        (true, "deploy undo --yes"),
        (false, "deploy undo 2 --yes"),
        (true, "deploy undo 2 --yes"),
    ] {
        let place = Place::new(program);
        place.runs("apply --yes", 0, &[]);
        let (state, page) = (place.root.join(".local/state/workbench"), place.root.join("page"));
        let journal = Journal::create(&state.join("deploys/00000002.journal")).expect("the folder is ours");
        let entry = place.root.join("work/main.mcl").display().to_string();
        let begin = Begin { deploy: 2, tag: "2-x".into(), entry, language: "mcl".into(), ..Begin::default() };
        journal.write(Record::Begin(begin)).expect("it is written");
        if intends {
            let operation =
                LoggedOperation::MakeDir { path: place.root.join("never"), mode: 0o755, owner: Default::default() };
            let intent =
                Intent { resource: ResourceId("file[never]".into()), operation, before: Image::Absent, undoes: None };
            journal.write(Record::Intent(intent)).expect("it is written");
        }
        drop(journal);
        place.runs(words, 0, &["Deploy 3: 0 undone."]);
        assert!(page.exists());
        let (code, text) = place.run("apply --yes");
        assert_eq!(code, 0, "{words}, {intends}: {text}");
        place.runs("deploy undo --yes", 0, &["is 1", "delete "]);
        assert!(!page.exists());
    }
}
