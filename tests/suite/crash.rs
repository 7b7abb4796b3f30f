//! Killed anywhere, refused anything: no file is torn, nothing is left over, and every deploy can be gone on with or taken
//! back. (I1) no write without a durable intent; (I2) a managed file is old or new; (I3) the good prefix is enough.

use std::collections::BTreeMap;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::promises;
use crate::skip::skip;

/// A folder on a memory-backed disk where there is one, with a tree to be managed and a state folder.
struct Site {
    folder: tempfile::TempDir,
    kind: Kind,
}

/// What is managed.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// Forty resources: new and changed files, folders, links, removals, modes.
    Mixed,
    /// A hundred files without edges, most of which are done together: new, changed, with another mode, removed.
    Flat,
    /// The same files, each after the one before it: what they need is written ahead.
    Chain,
}

/// What lies at a path: kind, mode, owner, content or target.
pub type Tree = BTreeMap<PathBuf, (u32, u32, u32, Vec<u8>)>;

impl Site {
    fn new(kind: Kind) -> Self {
        let memory = Path::new("/dev/shm");
        let made = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
        let site = Self { folder: made.expect("a temporary folder can be made"), kind };
        std::fs::create_dir(site.root()).expect("can be made");
        site
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("root")
    }

    fn state(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    fn entry(&self) -> PathBuf {
        self.folder.path().join("entry.mcl")
    }

    /// Some of what the program manages is there already.
    fn prepare(&self) {
        match self.kind {
            Kind::Mixed => self.prepare_mixed(),
            Kind::Flat | Kind::Chain => self.prepare_flat(),
        }
    }

    fn program(&self) {
        let code = match self.kind {
            Kind::Mixed => self.mixed(),
            Kind::Flat => self.flat(false),
            Kind::Chain => self.flat(true),
        };
        std::fs::write(self.entry(), code).expect("can be written");
    }

    fn prepare_flat(&self) {
        for folder in 0..5 {
            let folder = self.root().join(format!("d{folder}"));
            std::fs::create_dir(&folder).expect("can be made");
            for number in (0..20).filter(|number| number % 4 != 0) {
                let file = folder.join(format!("f{number}"));
                std::fs::write(&file, format!("old {number}\n").repeat(60)).expect("can be written");
                std::fs::set_permissions(file, PermissionsExt::from_mode(0o640)).expect("is ours");
            }
        }
    }

    /// The files of `flat` in order.
    fn files() -> impl Iterator<Item = (usize, usize)> {
        (0..20).flat_map(|number| (0..5).map(move |folder| (folder, number)))
    }

    fn flat(&self, in_order: bool) -> String {
        let root = self.root();
        let mut code = String::new();
        let mut before: Option<(usize, usize)> = None;
        for (folder, number) in Self::files() {
            let params = match number % 4 {
                0 | 1 => format!("state => \"exists\", content => \"{}\", ", format!("new {number} ").repeat(60)),
                2 => "mode => \"0604\", ".to_owned(),
                _ => "state => \"absent\", ".to_owned(),
            };
            let edge = before
                .replace((folder, number))
                .filter(|_| in_order)
                .map(|(folder, number)| format!("Depend => File[\"{}/d{folder}/f{number}\"], ", root.display()));
            let edge = edge.unwrap_or_default();
            code += &format!("file \"{}/d{folder}/f{number}\" {{ {params}{edge} }}\n", root.display());
        }
        code
    }

    /// Of a chain, what is as it is wanted are the first files.
    fn keeps_order(&self, new: &Tree) -> bool {
        let there = self.tree();
        let path = |(folder, number)| self.root().join(format!("d{folder}/f{number}"));
        let done = Self::files().map(path).map(|path| there.get(&path) == new.get(&path));
        self.kind != Kind::Chain || done.is_sorted_by(|one, next| one >= next)
    }

    fn prepare_mixed(&self) {
        let root = self.root();
        std::fs::create_dir_all(root.join("gone/deep")).expect("can be made");
        std::fs::create_dir(root.join("src")).expect("can be made");
        for number in 0..12 {
            std::fs::write(root.join(format!("f{number}")), format!("old {number}\n").repeat(300)).expect("can be");
        }
        for name in ["gone/a", "gone/deep/b", "away", "src/x"] {
            std::fs::write(root.join(name), name.repeat(100)).expect("can be written");
        }
        std::fs::set_permissions(root.join("f3"), PermissionsExt::from_mode(0o640)).expect("is ours");
        symlink("nowhere", root.join("link")).expect("can be made");
    }

    fn mixed(&self) -> String {
        let root = self.root();
        let mut code = String::new();
        let mut add = |path: &str, params: &str| {
            code += &format!("file \"{}/{path}\" {{ {params} }}\n", root.display());
        };
        for number in 0..24 {
            let text = format!("new {number} ").repeat(400);
            add(&format!("f{number}"), &format!("state => \"exists\", content => \"{text}\", "));
        }
        for number in 0..6 {
            add(&format!("d{number}/"), "state => \"exists\", mode => \"0750\", ");
            add(&format!("d{number}/in"), "state => \"exists\", content => \"inside\", mode => \"0600\", ");
        }
        add("gone/", "state => \"absent\", recurse => true, ");
        add("away", "state => \"absent\", ");
        add("link", "state => \"exists\", source => \"f1\", symlink => true, ");
        add("copy/", &format!("state => \"exists\", source => \"{}/src/\", recurse => true, ", root.display()));
        code
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_workbench"));
        // An undo without a number is of an entry of the current folder.
        command.args(args).env("WORKBENCH_STATE", self.state()).current_dir(self.folder.path());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        let mut command = self.command(args);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).output().expect("the binary is there")
    }

    fn apply(&self) -> Command {
        let entry = self.entry();
        self.command(&["apply", "--yes", "-q", entry.to_str().expect("is plain")])
    }

    fn tree(&self) -> Tree {
        let mut tree = Tree::new();
        collect(&self.root(), &mut tree);
        tree
    }

    /// A fresh copy of the tree as it was, and no history.
    fn reset(&self) {
        std::fs::remove_dir_all(self.root()).expect("is ours");
        let _ = std::fs::remove_dir_all(self.state());
        std::fs::create_dir(self.root()).expect("can be made");
        self.prepare();
    }

    /// After a crash: files are old or new, and going on or going back gives one of the two trees whole.
    fn recovers(&self, old: &Tree, new: &Tree, back: bool, what: &str) {
        for (path, found) in self.tree() {
            let is_ours = |tree: &Tree| tree.get(&path).is_some_and(|there| there.3 == found.3);
            let known = is_ours(old) || is_ours(new) || is_leftover(&path);
            assert!(known, "{what}: {} is torn: {} bytes", path.display(), found.3.len());
        }
        assert!(self.keeps_order(new), "{what}: the order of the chain");
        let unfinished = !self.is_settled();
        let args: &[&str] = if back { &["deploy", "undo", "--yes"] } else { &["deploy", "resume", "--yes"] };
        if unfinished {
            let output = self.run(args);
            assert!(output.status.success(), "{what}: {args:?}: {}", text(&output));
        } else if !back {
            let output = finished(self.apply());
            assert!(output.status.success(), "{what}: apply: {}", text(&output));
        }
        let want = match (back, unfinished) {
            (true, true) => old,
            // It never began, or it had come to its end.
            (true, false) => &self.tree(),
            (false, _) => new,
        };
        assert_same(&self.tree(), want, what);
        // Where nothing had to be recovered, the state folder is tidied by the next apply.
        let tidied = if back && !unfinished { self.root() } else { self.folder.path().into() };
        assert_eq!(leftovers(&tidied), Vec::<PathBuf>::new(), "{what}");
    }

    fn is_settled(&self) -> bool {
        let listed = self.run(&["deploy", "list", "--format", "json"]);
        let all: serde_json::Value = serde_json::from_slice(&listed.stdout).expect("is JSON");
        let newest = all.as_array().and_then(|all| all.first());
        newest.is_none_or(|newest| {
            // One that has done nothing is passed over by the next apply.
            !newest["end"].is_null() || !self.has_deeds()
        })
    }

    fn has_deeds(&self) -> bool {
        let shown = self.run(&["deploy", "show", "--format", "json"]);
        let deploy: serde_json::Value = serde_json::from_slice(&shown.stdout).unwrap_or_default();
        deploy["deeds"].as_array().is_some_and(|deeds| !deeds.is_empty())
    }
}

fn finished(mut command: Command) -> Output {
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).output().expect("the binary is there")
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

pub fn collect(path: &Path, tree: &mut Tree) {
    let meta = std::fs::symlink_metadata(path).expect("was just listed");
    let mut mode = meta.mode();
    let content = if meta.is_symlink() {
        mode &= !0o777;
        std::fs::read_link(path).expect("is a link").into_os_string().into_encoded_bytes()
    } else if meta.is_dir() {
        for entry in std::fs::read_dir(path).expect("is a folder") {
            collect(&entry.expect("is there").path(), tree);
        }
        Vec::new()
    } else {
        std::fs::read(path).expect("is a file")
    };
    tree.insert(path.into(), (mode, meta.uid(), meta.gid(), content));
}

fn is_leftover(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str().to_string_lossy().starts_with(".workbench-"))
}

fn leftovers(folder: &Path) -> Vec<PathBuf> {
    let mut tree = Tree::new();
    collect(folder, &mut tree);
    tree.into_keys()
        .filter(|path| {
            is_leftover(path) || path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("new-"))
        })
        .collect()
}

pub fn assert_same(have: &Tree, want: &Tree, what: &str) {
    let differ = |path: &&PathBuf| have.get(*path) != want.get(*path);
    let paths: Vec<_> = have.keys().chain(want.keys()).filter(differ).collect();
    assert!(paths.is_empty(), "{what}: differ: {paths:#?}");
}

/// The tree before, and the tree after an apply that nothing disturbs.
fn both_trees(site: &Site) -> (Tree, Tree) {
    site.prepare();
    site.program();
    let old = site.tree();
    let output = finished(site.apply());
    assert!(output.status.success(), "{}", text(&output));
    let new = site.tree();
    assert!(new.len() > 40 && new != old);
    site.reset();
    assert_same(&site.tree(), &old, "the start is the same each time");
    (old, new)
}

pub fn has_strace() -> bool {
    let output = Command::new("strace").arg("-V").output();
    let there = output.is_ok_and(|output| output.status.success());
    if !there {
        skip("strace", "strace is not installed");
    }
    there
}

/// The calls that can fail for want of space, rights or handles.
const CAN_FAIL: [&str; 15] = [
    "openat",
    "write",
    "pwrite64",
    "fchmod",
    "fchmodat",
    "fchown",
    "fchownat",
    "fsync",
    "fdatasync",
    "syncfs",
    "renameat",
    "renameat2",
    "unlinkat",
    "mkdirat",
    "symlinkat",
];

/// Strace in the folder of the command that it will trace.
fn strace(traced: &Command) -> Command {
    let mut command = Command::new("strace");
    if let Some(folder) = traced.get_current_dir() {
        command.current_dir(folder);
    }
    command
}

/// `what` is done to one call of the name. Strace lets calls alone that it does not trace.
fn traced(site: &Site, apply: &Command, call: &str, what: &str) -> Output {
    let mut command = strace(apply);
    let (trace, inject) = (format!("trace={call}"), format!("inject={call}:{what}"));
    command.args(["-f", "-qq", "-o", "/dev/null", "-e", &trace, "-e", &inject]);
    command.arg(apply.get_program()).args(apply.get_args()).env("WORKBENCH_STATE", site.state());
    command.stdin(Stdio::null()).output().expect("strace is there")
}

/// Which calls an apply makes, and how often the thread that makes most of them does.
fn calls(site: &Site, apply: &Command) -> BTreeMap<String, usize> {
    let log = site.folder.path().join("calls");
    let mut command = strace(apply);
    command.args(["-f", "-qq", "-o"]).arg(&log).arg(apply.get_program()).args(apply.get_args());
    command.env("WORKBENCH_STATE", site.state()).stdin(Stdio::null()).stdout(Stdio::null());
    assert!(command.status().expect("strace is there").success());
    let text = std::fs::read_to_string(&log).expect("was written");
    std::fs::remove_file(&log).expect("is ours");
    site.reset();
    let mut by_thread: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for line in text.lines() {
        let Some((thread, rest)) = line.split_once(' ') else { continue };
        // Others are signals, ends, and second halves of calls.
        if let Some((call, _)) = rest.trim().split_once('(')
            && call.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        {
            *by_thread.entry((thread, call)).or_default() += 1;
        }
    }
    let mut most = BTreeMap::new();
    for ((_, call), count) in by_thread {
        let there = most.entry(call.to_owned()).or_insert(0);
        *there = count.max(*there);
    }
    most
}

/// Points spread evenly over the calls that `wanted` names, and how many there are.
fn points(site: &Site, apply: &Command, count: usize, wanted: impl Fn(&str) -> bool) -> (Vec<(String, usize)>, usize) {
    let made = calls(site, apply).into_iter().filter(|(call, _)| wanted(call));
    let all: Vec<_> = made.flat_map(|(call, n)| (1..=n).map(move |at| (call.clone(), at))).collect();
    let total = all.len();
    let step = (total / count.max(1)).max(1);
    (all.into_iter().step_by(step).collect(), total)
}

#[test]
fn killed_at_any_system_call_it_recovers() {
    killed_at_system_calls(Kind::Mixed, 120);
}

#[test]
fn a_kill_during_a_group_recovers() {
    killed_at_system_calls(Kind::Flat, 60);
}

#[test]
fn a_kill_during_a_chain_recovers() {
    killed_at_system_calls(Kind::Chain, 60);
}

#[test]
fn a_chain_waits_for_the_disk_once_for_each_step() {
    if !has_strace() {
        return;
    }
    let site = Site::new(Kind::Chain);
    both_trees(&site);
    let made = calls(&site, &site.apply());
    let waits: usize = ["fsync", "fdatasync", "syncfs"].iter().filter_map(|call| made.get(*call)).sum();
    assert!((100..=120).contains(&waits), "100 steps waited {waits} times: {made:?}");
}

fn killed_at_system_calls(kind: Kind, sample: usize) {
    if !has_strace() {
        return;
    }
    let site = Site::new(kind);
    let (old, new) = both_trees(&site);
    let (points, total) = points(&site, &site.apply(), promises::count(sample, usize::MAX), is_boundary);
    let (begun, mut killed) = (Instant::now(), 0);
    for (number, (call, at)) in points.iter().enumerate() {
        let output = traced(&site, &site.apply(), call, &format!("signal=SIGKILL:when={at}"));
        killed += usize::from(output.status.code().is_none());
        site.recovers(&old, &new, number % 2 == 0, &format!("killed at {call} {at}"));
        site.reset();
    }
    let count = points.len();
    // Threads share calls out in another way each time, so not each call comes; but most do.
    assert!(killed * 2 > count, "{killed} of {count} were killed");
    let took = begun.elapsed();
    promises::figure(
        "G1",
        format_args!("{count} of {total} boundaries, killed at {killed}, 0 torn, 0 left over, {took:.1?}"),
    );
}

fn is_boundary(call: &str) -> bool {
    call != "execve" && call != "exit_group"
}

#[test]
fn an_undo_continues_after_a_kill() {
    killed_amid_an_undo(Kind::Mixed, 40);
    killed_amid_an_undo(Kind::Flat, 40);
}

fn killed_amid_an_undo(kind: Kind, sample: usize) {
    if !has_strace() {
        return;
    }
    let site = Site::new(kind);
    let (old, new) = both_trees(&site);
    let undo = || site.command(&["deploy", "undo", "--yes"]);
    let applied = || assert!(finished(site.apply()).status.success());
    applied();
    let (points, total) = points(&site, &undo(), promises::count(sample, usize::MAX), is_boundary);
    let (begun, mut killed) = (Instant::now(), 0);
    for (call, at) in &points {
        applied();
        let output = traced(&site, &undo(), call, &format!("signal=SIGKILL:when={at}"));
        killed += usize::from(output.status.code().is_none());
        let what = format!("an undo killed at {call} {at}");
        for (path, found) in site.tree() {
            let is_ours = |tree: &Tree| tree.get(&path).is_some_and(|there| there.3 == found.3);
            assert!(is_ours(&old) || is_ours(&new) || is_leftover(&path), "{what}: {} is torn", path.display());
        }
        // It may have come to its end before.
        let again = finished(undo());
        let is_over = text(&again).contains("nothing to undo");
        assert!(again.status.success() || is_over, "{what}: {}", text(&again));
        assert_same(&site.tree(), &old, &what);
        assert_eq!(leftovers(&site.root()), Vec::<PathBuf>::new(), "{what}");
        site.reset();
    }
    let count = points.len();
    assert!(killed * 2 > count, "{killed} of {count} were killed");
    let took = begun.elapsed();
    promises::figure(
        "G1",
        format_args!("{count} of {total} boundaries of an undo, killed at {killed}, 0 torn, {took:.1?}"),
    );
}

#[test]
fn killed_at_any_time_it_recovers() {
    let site = Site::new(Kind::Mixed);
    let (old, new) = both_trees(&site);
    let begun = Instant::now();
    let output = finished(site.apply());
    assert!(output.status.success());
    let whole = begun.elapsed();
    site.reset();
    let count = promises::count(100, 10_000);
    let mut seed = 0x9E37_79B9_7F4A_7C15_u64;
    let begun = Instant::now();
    for number in 0..count {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let after = whole.mul_f64((seed >> 40) as f64 / (1u64 << 24) as f64);
        let mut child = site.apply().process_group(0).spawn().expect("the binary is there");
        std::thread::sleep(after);
        let _ = child.kill();
        child.wait().expect("is ours");
        site.recovers(&old, &new, number % 2 == 0, &format!("killed after {after:?}"));
        site.reset();
    }
    promises::figure("G1", format_args!("{count} random kills, 0 torn, 0 left over, {:.1?}", begun.elapsed()));
}

#[test]
fn every_failing_call_is_reported_and_survived() {
    survives_failures(Kind::Mixed, 16);
}

#[test]
fn failing_calls_in_a_group_are_reported_and_survived() {
    survives_failures(Kind::Flat, 8);
}

#[test]
fn failing_calls_in_a_chain_are_reported_and_survived() {
    survives_failures(Kind::Chain, 8);
}

fn survives_failures(kind: Kind, sample: usize) {
    if !has_strace() {
        return;
    }
    let site = Site::new(kind);
    let (old, new) = both_trees(&site);
    let count = promises::count(sample, usize::MAX);
    let begun = Instant::now();
    let (points, total) = points(&site, &site.apply(), count, |call| CAN_FAIL.contains(&call));
    let (mut tried, mut failed) = (0, 0);
    for errno in ["ENOSPC", "EDQUOT", "EIO", "EACCES", "EROFS", "EMFILE"] {
        for (call, at) in &points {
            let what = format!("{call} {at} fails with {errno}");
            let output = traced(&site, &site.apply(), call, &format!("error={errno}:when={at}"));
            // Where the program itself cannot be loaded, that is told by whoever loads it.
            let is_loaded = output.status.code() != Some(127);
            // The call may be of the thread that writes the output.
            let is_told = matches!(output.status.code(), Some(0 | 1 | 4 | 74)) || !is_loaded;
            assert!(is_told, "{what}: {:?} {}", output.status, text(&output));
            failed += usize::from(output.status.code() != Some(0));
            for (path, found) in site.tree() {
                let is_ours = |tree: &Tree| tree.get(&path).is_some_and(|there| there.3 == found.3);
                assert!(is_ours(&old) || is_ours(&new) || is_leftover(&path), "{what}: {} is torn", path.display());
            }
            if output.status.code() == Some(0) {
                assert_same(&site.tree(), &new, &what);
            }
            // Whatever it came to is taken back whole.
            let undone = site.run(&["deploy", "undo", "--yes"]);
            // What may not be read was not kept, which is told.
            if errno == "EACCES" && text(&undone).contains("permission denied") {
                site.reset();
                tried += 1;
                continue;
            }
            // An apply that was refused before its first change is in the history, too.
            let is_nothing = ["no deploys yet", "nothing to undo"].iter().any(|words| text(&undone).contains(words));
            assert!(undone.status.success() || is_nothing, "{what}: undo: {}", text(&undone));
            assert_same(&site.tree(), &old, &format!("{what}, and was taken back"));
            assert_eq!(leftovers(&site.root()), Vec::<PathBuf>::new(), "{what}");
            site.reset();
            tried += 1;
        }
    }
    assert!(failed > tried / 20, "{failed} of {tried} failures came to anything");
    let (whole, took) = (6 * total, begun.elapsed());
    promises::figure(
        "G2",
        format_args!("{tried} of {whole} failures survived and taken back, {failed} of them told, {took:.1?}"),
    );
}

#[test]
fn racing_appliers_take_turns() {
    let site = Site::new(Kind::Mixed);
    let (old, new) = both_trees(&site);
    let rounds = promises::count(20, 1000);
    let begun = Instant::now();
    for round in 0..rounds {
        let mut children: Vec<_> = (0..2 + round % 3)
            .map(|_| site.apply().args(["--lock-timeout", "20s"]).spawn().expect("the binary is there"))
            .collect();
        if round % 2 == 0 {
            std::thread::sleep(Duration::from_millis(3 * (round as u64 % 17)));
            let _ = children[0].kill();
        }
        let codes: Vec<_> = children.iter_mut().map(|child| child.wait().expect("is ours").code()).collect();
        assert!(codes.iter().all(|code| matches!(code, None | Some(0 | 1))), "{codes:?}");
        let checked = site.run(&["deploy", "list", "--verify"]);
        assert!(checked.status.success() || text(&checked).contains("is truncated"), "{}", text(&checked));
        site.recovers(&old, &new, false, &format!("round {round}"));
        let checked = site.run(&["deploy", "list", "--verify"]);
        assert!(checked.status.success(), "{}", text(&checked));
        site.reset();
    }
    promises::figure("G8", format_args!("{rounds} rounds, 0 interleavings, {:.1?}", begun.elapsed()));
}
