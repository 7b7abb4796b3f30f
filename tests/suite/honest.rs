//! What an apply changes is what the preview said (G6), a second apply changes nothing (G7), and a preview writes nothing.
//!
//! A sample each time; `WORKBENCH_PROMISES=whole` takes 5,000 graphs and prints the figures.

use std::collections::BTreeMap;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use workbench::engine::{self, Options, Run};
use workbench::graph::{Graph, Node, NodeIndex, Value};
use workbench::host::{Local, LocalLook};
use workbench::plan::{Action, Certainty, CompiledFor, Plan, Step};

use crate::engine::Sketch;
use crate::generated::Dice;
use crate::promises;
use crate::skip::skip;

/// Paths that lie in one another, so that resources meet.
const PATHS: &[&str] = &["a", "b", "d/", "d/x", "d/y", "d/e/", "d/e/z", "f/", "f/g/", "f/g/h", "l", "m"];

pub fn prepare(root: &Path, dice: &mut Dice) {
    for path in PATHS {
        let at = root.join(path.trim_end_matches('/'));
        let there = at.parent().is_some_and(Path::is_dir);
        // What cannot be laid out is left out.
        let _ = match dice.below(6) {
            0 | 1 if there && path.ends_with('/') => std::fs::create_dir(&at),
            0 if there => std::fs::write(&at, "one"),
            1 if there => std::fs::write(&at, "two"),
            2 if there => symlink("a", &at),
            3 if there => std::fs::create_dir(&at),
            _ => Ok(()),
        };
    }
}

pub fn draw(root: &str, dice: &mut Dice) -> Arc<Graph> {
    let mut sketch = Sketch::new(root);
    let mut touched: Vec<Vec<String>> = Vec::new();
    for path in PATHS {
        if dice.below(3) == 0 {
            continue;
        }
        let mut paths = vec![format!("@/{}", path.trim_end_matches('/'))];
        let mut params: Vec<(&str, Value)> = Vec::new();
        match dice.below(5) {
            0 => params.push(("state", "absent".into())),
            1 => {}
            _ => params.push(("state", "exists".into())),
        }
        let is_absent = params.first().is_some_and(|(_, state)| *state == "absent".into());
        if !path.ends_with('/') && !is_absent {
            match dice.below(4) {
                0 => params.push(("content", "one".into())),
                1 => params.push(("content", "two".into())),
                2 => {
                    params.push(("source", "@/a".into()));
                    paths.push("@/a".into());
                }
                _ => {}
            }
        }
        for flag in ["recurse", "force", "purge"] {
            if dice.below(3) == 0 && (flag != "purge" || path.ends_with('/')) {
                params.push((flag, Value::Bool(true)));
                if flag == "recurse" {
                    // It makes the folders above too.
                    paths.push(format!("@/{}", path.split('/').next().unwrap_or_default()));
                }
            }
        }
        if dice.below(3) == 0 && !is_absent {
            params.push(("mode", "u=rwx,go=rx".into()));
        }
        let at = sketch.add("file", &format!("@/{path}"), &params);
        if dice.below(10) == 0
            && let Node::Resource(resource) = sketch.graph.node_mut(at)
        {
            resource.meta.set("noop", Value::Bool(true));
        }
        touched.push(paths);
    }
    if dice.below(2) == 0 {
        let params = [("cmd", "echo one > @/a".into()), ("shell", "/bin/sh".into()), ("creates", "@/a".into())];
        sketch.add("exec", "make a", &params);
        touched.push(vec!["@/a".into(), "@".into()]);
    }
    // What touches the same is ordered, as a program's own orderings and the automatic ones do it.
    let meets = |a: &String, b: &String| Path::new(a).starts_with(b) || Path::new(b).starts_with(a);
    for to in 0..touched.len() {
        for from in 0..to {
            if touched[from].iter().any(|a| touched[to].iter().any(|b| meets(a, b))) {
                sketch.connect(NodeIndex(from as u32), NodeIndex(to as u32), dice.below(2) == 0, None);
            }
        }
    }
    sketch.done()
}

fn apply(graph: &Arc<Graph>) -> Plan {
    let options = Options { jobs: 4, ..Options::default() };
    let mut run = Run::new(Arc::clone(graph), Box::<Local>::default(), options);
    run.run_to_end(&mut |_| ());
    Plan::new("test", CompiledFor::default(), run.steps())
}

fn changes(step: &Step) -> bool {
    step.action != Action::None && step.error.is_none() && !step.is_noop
}

#[test]
fn an_apply_matches_its_preview() {
    let count = promises::count(150, 5000) as u64;
    let (mut known, mut all) = (0, 0);
    for seed in 0..count {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let mut dice = Dice::new(seed);
        prepare(folder.path(), &mut dice);
        let graph = draw(folder.path().to_str().expect("its name is plain"), &mut dice);
        let look = Arc::new(LocalLook::new(false));
        let plan = engine::preview(Arc::clone(&graph), look, "test", Options::default(), &mut |_| ());
        let applied = apply(&graph);
        let said: BTreeMap<_, _> = plan.steps.iter().map(|step| (&step.resource, step)).collect();
        for step in &applied.steps {
            let before = said[&step.resource];
            all += 1;
            // In an apply, unknown is what was never reached.
            if changes(step) && step.action != Action::Unknown {
                assert!(changes(before), "seed {seed}: {} changed: {step:#?}, said: {before:#?}", step.resource);
            }
            if before.certainty == Certainty::Known {
                known += 1;
                let (then, now) = ((before.action, &before.changes), (step.action, &step.changes));
                assert_eq!(then, now, "seed {seed}: {} was known: {before:#?} {step:#?}", step.resource);
                assert_eq!(before.error, step.error, "seed {seed}: {}", step.resource);
            }
        }
    }
    promises::figure("G6", format_args!("{count} graphs, {all} steps, {known} known, all as the preview said"));
}

#[test]
fn a_second_apply_of_every_bundled_module_changes_nothing() {
    let modules = Path::new(env!("CARGO_MANIFEST_DIR")).join("modules/mcl");
    let mut count = 0;
    for entry in std::fs::read_dir(&modules).expect("modules are there").flatten() {
        let home = tempfile::tempdir().expect("a temporary folder can be made");
        let run = |verb: &[&str]| {
            Command::new(env!("CARGO_BIN_EXE_workbench"))
                .args(verb)
                .arg(entry.path())
                .env("HOME", home.path())
                .env("TMPDIR", home.path())
                .output()
                .expect("the binary starts")
        };
        // Only what can be applied here as a whole counts; a preview tells.
        let preview = run(&["preview", "--detailed-exitcode"]);
        let first = String::from_utf8_lossy(&preview.stdout).into_owned();
        if !matches!(preview.status.code(), Some(0 | 2)) || first.contains("unknown") || !stays_in(&first) {
            skip("whole entry", format_args!("{} cannot be applied here", entry.file_name().display()));
            continue;
        }
        run(&["apply", "--yes"]);
        let again = run(&["apply", "--yes", "--detailed-exitcode"]);
        assert_eq!(again.status.code(), Some(0), "{}", String::from_utf8_lossy(&again.stdout));
        count += 1;
    }
    promises::figure("G7", format_args!("{count} bundled modules, 0 changes by a second apply"));
}

/// Whether all that a preview would make lies where tests may write.
fn stays_in(preview: &str) -> bool {
    let files = preview.lines().filter(|line| !line.starts_with(' ') && line.contains("file["));
    files.into_iter().all(|line| line.contains("file[/tmp/"))
}

/// The calls that a trace is to hold.
pub const CALLS: &str = "trace=open,openat,openat2,creat,mkdir,mkdirat,unlink,unlinkat,rmdir,rename,renameat,renameat2,link,\
    linkat,symlink,symlinkat,chmod,fchmod,fchmodat,chown,fchown,fchownat,lchown,truncate,ftruncate,mknod,mknodat,setxattr,\
    lsetxattr,fsetxattr,utimensat,execve";

/// Whether a line of a trace is a call that changes something on a disk.
pub fn writes(line: &&str) -> bool {
    let opens = line.contains("open");
    let is_write = ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC"].iter().any(|flag| line.contains(flag));
    let fails = line.contains(" = -1 ");
    !fails && !line.contains("/dev/") && !line.contains("execve") && (is_write || !opens) && line.contains('(')
}

#[test]
fn a_preview_makes_no_call_that_writes() {
    if Command::new("strace").arg("-V").output().is_err() {
        return skip("strace", "strace is not installed");
    }
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let (root, home) = (folder.path().join("root"), folder.path().join("home"));
    std::fs::create_dir(&root).expect("can be made");
    std::fs::create_dir(&home).expect("can be made");
    let code = format!(
        "file \"{0}/d/\" {{ state => \"exists\", }}\nfile \"{0}/d/f\" {{ state => \"exists\", content => \"x\", }}\n\
         exec \"x\" {{ cmd => \"touch {0}/x\", shell => \"/bin/sh\", }}\n",
        root.display()
    );
    let main = folder.path().join("main.mcl");
    std::fs::write(&main, code).expect("can be written");
    let trace = folder.path().join("trace");
    let status = Command::new("strace")
        .args(["-f", "-qq", "-e", CALLS, "-o"])
        .arg(&trace)
        .arg(env!("CARGO_BIN_EXE_workbench"))
        .arg("preview")
        .arg(&main)
        .env("HOME", &home)
        .status()
        .expect("strace is here");
    if !status.success() {
        return skip("strace", "strace may not trace here");
    }
    let text = std::fs::read_to_string(&trace).expect("was written");
    let found: Vec<&str> = text.lines().filter(writes).filter(|line| !line.contains("home/")).collect();
    assert!(found.is_empty(), "{found:#?}");
    promises::figure("G6", format_args!("preview: {} calls that could write looked at, 0 do", text.lines().count()));
}
