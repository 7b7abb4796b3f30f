//! What an apply costs beside the plainest tools for the same work: each pair in turn, on one file system, as ratios.
//!
//! `cargo bench --bench apply` takes some minutes; `-- new`, `-- chain`, `-- undo`, `-- source` or `-- preview` takes one
//! part of it.

#![allow(clippy::disallowed_methods, reason = "benches lay out folders and run programs")]

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const FILES: usize = 10_000;
const ROUNDS: usize = 5;

fn main() {
    let parts: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let wanted = |part: &str| parts.is_empty() || parts.iter().any(|wanted| wanted == part);
    let folder = Folder::new();
    if wanted("new") {
        folder.new_files();
    }
    if wanted("chain") {
        folder.in_order();
    }
    if wanted("undo") {
        folder.taken_back();
    }
    if wanted("source") {
        folder.checked_by_source();
    }
    if wanted("preview") {
        folder.previewed();
    }
}

/// Where all of it happens. Nothing is removed before the end: a file system may be slow to give out what was freed.
struct Folder {
    root: PathBuf,
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.root);
    }
}

impl Folder {
    fn new() -> Self {
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("apply-{}", std::process::id()));
        std::fs::create_dir_all(root.join("site")).expect("can be made");
        Self { root }
    }

    fn fresh(&self, name: &str) -> PathBuf {
        let path = self.root.join(name);
        std::fs::create_dir(&path).expect("can be made");
        path
    }

    fn workbench(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_workbench"));
        command.args(args).arg(self.root.join("site/main.mcl")).env("WORKBENCH_STATE", self.root.join("state"));
        command
    }

    fn program(&self, to: &Path, params: impl Fn(usize) -> String) {
        let mut code = String::new();
        for number in 0..FILES {
            let params = params(number);
            writeln!(code, "file \"{}/f{number:05}\" {{ state => \"exists\", {params} }}", to.display())
                .expect("a string takes everything");
        }
        std::fs::write(self.root.join("site/main.mcl"), code).expect("can be written");
    }

    fn sources(&self, name: &str, content: impl Fn(usize) -> Vec<u8>) -> PathBuf {
        let from = self.fresh(name);
        for number in 0..FILES {
            std::fs::write(from.join(format!("f{number:05}")), content(number)).expect("can be written");
        }
        from
    }

    /// New files with a journal, beside a copy of the same files and a sync.
    fn new_files(&self) {
        let from = self.sources("new", |number| format!("line {number}\n").into_bytes());
        let times = pairs(
            |round| {
                let to = self.fresh(&format!("new-{round}"));
                self.program(&to, |number| format!("content => \"line {number}\\n\", "));
                timed(self.workbench(&["apply", "--yes", "-q"]))
            },
            |round| {
                let copy = self.root.join(format!("copy-{round}"));
                timed(shell(&format!("cp -r {} {} && sync", from.display(), copy.display())))
            },
        );
        tell("applying 10,000 new files", "cp -r + sync", &times);
    }

    /// New files, each after the one before it, beside one thread that makes each durable before it begins the next.
    fn in_order(&self) {
        let times = pairs(
            |round| {
                let to = self.fresh(&format!("chain-{round}"));
                self.program(&to, |number| {
                    let before = number.checked_sub(1).map(|before| format!("{}/f{before:05}", to.display()));
                    let edge = before.map(|before| format!("Depend => File[\"{before}\"], ")).unwrap_or_default();
                    format!("content => \"line {number}\\n\", {edge}")
                });
                timed(self.workbench(&["apply", "--yes", "-q"]))
            },
            |round| {
                let to = self.fresh(&format!("one-{round}"));
                let begun = Instant::now();
                (0..FILES).for_each(|number| durable(&to, number));
                begun.elapsed()
            },
        );
        tell("applying 10,000 new files in a chain", "one thread: write, fsync, rename", &times);
    }

    /// An undo of that, beside the apply.
    fn taken_back(&self) {
        let to = self.fresh("back");
        self.program(&to, |number| format!("content => \"line {number}\\n\", "));
        let apply = || timed(self.workbench(&["apply", "--yes", "-q"]));
        let undo = || {
            let mut undo = Command::new(env!("CARGO_BIN_EXE_workbench"));
            undo.args(["deploy", "undo", "--yes", "-q"]).env("WORKBENCH_STATE", self.root.join("state"));
            timed(undo)
        };
        // One pair is an apply and its undo, so each is timed on its own turn.
        let times: Vec<_> =
            (0..=ROUNDS).map(|_| (apply(), undo())).map(|(apply, undo)| (undo, apply)).skip(1).collect();
        tell("taking 10,000 new files back", "applying them", &times);
    }

    /// Files that are right already, beside the sums of both sides.
    fn checked_by_source(&self) {
        let from = self.sources("from", |number| format!("{number:04095}\n").into_bytes());
        let to = self.fresh("to");
        self.program(&to, |number| format!("source => \"{}/f{number:05}\", ", from.display()));
        assert!(self.workbench(&["apply", "--yes", "-q"]).status().expect("is there").success());
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let each = (2 * FILES).div_ceil(threads);
        let sums = format!("find {} {} -type f | xargs -P {threads} -n {each} sha256sum", from.display(), to.display());
        let times = pairs(|_| timed(self.workbench(&["apply", "--yes", "-q"])), |_| timed(shell(&sums)));
        tell("checking 10,000 files of 4 kB by source", "sha256sum", &times);
    }

    fn previewed(&self) {
        let to = self.fresh("previewed");
        self.program(&to, |number| format!("content => \"line {number}\\n\", "));
        let times = pairs(|_| timed(self.workbench(&["preview", "-q"])), |_| timed(self.workbench(&["check", "-q"])));
        tell("previewing 10,000 resources", "checking the code alone", &times);
    }
}

/// Writes a file beside its place, syncs it, and renames it into its place.
fn durable(to: &Path, number: usize) {
    let beside = to.join(format!(".f{number:05}"));
    let mut file = std::fs::File::create_new(&beside).expect("can be made");
    file.write_all(format!("line {number}\n").as_bytes()).expect("can be written");
    file.sync_all().expect("can be synced");
    std::fs::rename(&beside, to.join(format!("f{number:05}"))).expect("can be renamed");
}

fn shell(line: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", line]);
    command
}

fn timed(mut command: Command) -> Duration {
    command.stdin(Stdio::null()).stdout(Stdio::null());
    let begun = Instant::now();
    let status = command.status().expect("is there");
    let took = begun.elapsed();
    assert!(status.success(), "{command:?}: {status}");
    took
}

/// Both in turn, so that a machine that is busy for a while is so for both. Each hears which round it is.
fn pairs(one: impl Fn(usize) -> Duration, other: impl Fn(usize) -> Duration) -> Vec<(Duration, Duration)> {
    // The first round only warms up.
    (0..=ROUNDS).map(|round| (one(round), other(round))).skip(1).collect()
}

fn tell(what: &str, beside: &str, times: &[(Duration, Duration)]) {
    let median = |mut all: Vec<f64>| {
        all.sort_by(f64::total_cmp);
        all[all.len() / 2]
    };
    let one = median(times.iter().map(|(one, _)| one.as_secs_f64()).collect());
    let other = median(times.iter().map(|(_, other)| other.as_secs_f64()).collect());
    let ratio = median(times.iter().map(|(one, other)| one.as_secs_f64() / other.as_secs_f64()).collect());
    println!("{what}: {one:.2} s; {beside}: {other:.2} s; {ratio:.2} times (median of {ROUNDS} pairs)");
}
