//! The process that compiles: whatever ends it, a face lives; and it has no access of its own.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::terminal::{PROGRAM, Terminal};

/// How often a worker dies below the screens, if `DEATHS` is not set.
const DEATHS: u32 = 20;

/// The workers of a process.
fn workers(parent: u32) -> Vec<Pid> {
    let processes = fs::read_dir("/proc").expect("is a folder").flatten();
    let worker = |entry: fs::DirEntry| {
        let id: i32 = entry.file_name().to_str()?.parse().ok()?;
        let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
        let above: u32 = stat.rsplit(") ").next()?.split(' ').nth(1)?.parse().ok()?;
        let words = fs::read_to_string(entry.path().join("cmdline")).ok()?;
        (above == parent && words == "workbench\0worker\0").then(|| Pid::from_raw(id)).flatten()
    };
    processes.filter_map(worker).collect()
}

/// Ends a worker, which may have ended by itself. The runtime passes over the first fault that has no place.
fn kill(worker: Pid, signal: Signal) {
    let _ = kill_process(worker, signal);
    thread::sleep(Duration::from_millis(2));
    let _ = kill_process(worker, signal);
}

/// A program that takes a while.
fn program(count: usize, round: u32) -> String {
    let resource =
        |at: usize| format!("file {{ '/tmp/none/{at}': ensure => file, content => \"{round} ${{$x * {at}}}\" }}\n");
    std::iter::once("$x = 3\n".to_owned()).chain((0..count).map(resource)).collect()
}

#[test]
fn the_screens_live_when_a_worker_dies() {
    let folder = tempfile::tempdir().expect("a folder");
    let (site, state) = (folder.path().join("site.pp"), folder.path().join("state"));
    fs::write(&site, program(300, 0)).expect("a file");
    let words = [PROGRAM, "--state-dir", state.to_str().expect("is text"), site.to_str().expect("is text")];
    let mut terminal = Terminal::start(&words, 100, 30);
    terminal.until_shows("300 resources");
    let id = terminal.child.process_id().expect("it runs");
    let deaths = std::env::var("DEATHS").ok().and_then(|count| count.parse().ok()).unwrap_or(DEATHS);
    for round in 1..=deaths {
        fs::write(&site, program(300, round)).expect("a file");
        thread::sleep(Duration::from_millis(u64::from(round * 37 % 150)));
        let signal = if round % 2 == 0 { Signal::KILL } else { Signal::SEGV };
        workers(id).into_iter().for_each(|worker| kill(worker, signal));
        // The next key works.
        terminal.press("?");
        terminal.until_shows("Actions on");
        terminal.press("\x1b");
        terminal.until("the screen", |terminal| !terminal.shows("Actions on"));
    }
    // The next compilation starts a new one.
    fs::write(&site, program(7, 99)).expect("a file");
    terminal.until_shows("7 resources");
    assert_eq!(terminal.quits(), 0);
    assert!(terminal.is_given_back());
    let begin = Instant::now();
    while !workers(id).is_empty() {
        assert!(begin.elapsed() < Duration::from_secs(5), "a worker outlives its face");
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_death_is_a_diagnostic_with_its_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let site = folder.path().join("site.pp");
    fs::write(&site, program(20_000, 0)).expect("a file");
    let mut command = Command::new(PROGRAM);
    command.args(["--error-format", "json", "graph"]).arg(&site).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().expect("the program starts");
    let begin = Instant::now();
    // Before its program it is only a spare one, whose death has no effect.
    while !workers(child.id()).into_iter().any(|worker| ticks(worker) >= 8) {
        assert!(begin.elapsed() < Duration::from_secs(20), "no worker works");
        thread::sleep(Duration::from_millis(1));
    }
    workers(child.id()).into_iter().for_each(|worker| kill(worker, Signal::KILL));
    let output = child.wait_with_output().expect("it ends");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    let first = errors.lines().next().unwrap_or_default();
    let first: serde_json::Value = serde_json::from_str(first).unwrap_or_else(|error| panic!("{error}: {errors}"));
    assert_eq!(first["code"], "worker-ended", "{errors}");
    assert_eq!(first["file"], site.to_str().expect("is text"), "{errors}");
    assert!(first["label"].as_str().is_some_and(|label| label.contains("SIGKILL")), "{errors}");
}

/// The processor time of a process, in ticks of 10 ms.
fn ticks(worker: Pid) -> i64 {
    let stat = fs::read_to_string(format!("/proc/{}/stat", worker.as_raw_nonzero())).unwrap_or_default();
    let fields = stat.rsplit(") ").next().unwrap_or_default().split(' ');
    let fields: Vec<i64> = fields.filter_map(|field| field.parse().ok()).collect();
    fields.get(10..12).map_or(0, |times| times.iter().sum())
}

#[test]
fn a_worker_opens_connects_and_starts_nothing() {
    if Command::new("strace").arg("-V").stdout(Stdio::null()).status().is_err() {
        return println!("skipped: no strace");
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().expect("a folder");
    let mut seen = 0;
    for entry in
        ["modules/mcl/demo", "modules/puppet/demo", "modules/inmanta/demo", "modules/puppet/site", "tests/cases"]
    {
        let entry = root.join(entry);
        if !entry.exists() {
            continue;
        }
        let trace = folder.path().join("trace");
        let calls = "trace=open,openat,openat2,creat,connect,socket,execve,execveat,fork,vfork,seccomp";
        let mut command = Command::new("strace");
        command.args(["-f", "-e", calls, "-o"]).arg(&trace).args([PROGRAM, "graph"]).arg(&entry);
        let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status().expect("strace runs");
        assert!(status.code().is_some(), "{}", entry.display());
        let trace = fs::read_to_string(&trace).expect("strace writes it");
        // A worker confines itself before it reads its job.
        let Some(worker) = trace.lines().find(|line| line.contains("seccomp(")) else { continue };
        seen += 1;
        let worker = worker.split(' ').next().expect("a process");
        let own = trace.lines().filter(|line| line.starts_with(worker));
        let after: Vec<&str> =
            own.skip_while(|line| !line.contains("seccomp(")).skip(1).filter(|line| line.contains('(')).collect();
        assert!(after.is_empty(), "{}: {after:#?}", entry.display());
    }
    assert!(seen > 0, "no worker was confined");
}
