//! An applier outlives its face: whoever kills that one finds the step whole, the rest untouched, and the way back.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::skip::skip;
use crate::terminal::{PROGRAM as BINARY, Terminal};

/// Far more than anything here takes; only a failure waits for it.
const DEADLINE: Duration = Duration::from_secs(60);

/// A file, a command that waits for a word, and a file after it.
const PROGRAM: &str = "\
file \"DIR/first\" { state => \"exists\", content => \"one\", }
exec \"slow\" {
\tcmd => \"touch DIR/at-work; while [ ! -e DIR/go ]; do sleep 0.02; done; echo whole > DIR/ended\",
\tshell => \"/bin/sh\",
\tcreates => \"DIR/ended\",
}
file \"DIR/last\" { state => \"exists\", content => \"three\", }
File[\"DIR/first\"] -> Exec[\"slow\"] -> File[\"DIR/last\"]
";

/// A folder with a program and its history.
struct Site(tempfile::TempDir);

impl Site {
    fn new() -> Self {
        let site = Self(tempfile::tempdir().expect("a folder"));
        let shown = site.0.path().display().to_string();
        fs::write(site.path("main.mcl"), PROGRAM.replace("DIR", &shown)).expect("the folder is ours");
        site
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_workbench"));
        command.args(words).current_dir(self.0.path()).env("WORKBENCH_STATE", self.path("state"));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run(&self, words: &[&str]) -> Output {
        self.command(words).output().expect("the program starts")
    }

    /// An apply in a process of its own whose command is at work.
    fn begin(&self) -> Child {
        let child = self.command(&["apply", "--yes", "--apart", "always", "main.mcl"]).spawn();
        until("the command", || self.path("at-work").exists());
        child.expect("the program starts")
    }

    /// The same, whose face was killed and whose step is done.
    fn parked(&self) -> u32 {
        let mut face = self.begin();
        face.kill().expect("it is ours");
        face.wait().expect("it is ours");
        assert!(!self.path("ended").exists(), "the command still waits");
        self.go();
        until("the end of the step", || self.attach(&[]).1.contains("2 of 3 steps done"));
        assert_eq!(fs::read_to_string(self.path("ended")).expect("the step is whole"), "whole\n");
        assert!(!self.path("last").exists(), "nothing is begun while nobody watches");
        self.applier()
    }

    fn go(&self) {
        fs::write(self.path("go"), "").expect("the folder is ours");
    }

    fn attach(&self, words: &[&str]) -> (Option<i32>, String) {
        told(&self.run(&[&["attach"], words].concat()))
    }

    /// The process that holds the lock.
    fn applier(&self) -> u32 {
        let holder = fs::read_to_string(self.path("state/lock")).expect("there is a lock");
        let holder: serde_json::Value = serde_json::from_str(&holder).expect("it says who");
        holder["pid"].as_u64().and_then(|pid| u32::try_from(pid).ok()).expect("it says who")
    }

    /// A face ends well by itself, and all was made.
    fn ends_whole(&self, face: Child) {
        let (code, text) = told(&face.wait_with_output().expect("it ends by itself"));
        assert_eq!(code, Some(0), "{text}");
        assert!(self.is_whole());
    }

    fn is_whole(&self) -> bool {
        let text = |name| fs::read_to_string(self.path(name)).unwrap_or_default();
        (text("first"), text("ended"), text("last")) == ("one".into(), "whole\n".into(), "three".into())
    }

    fn knock(&self) -> UnixStream {
        UnixStream::connect(self.path("state/applier.sock")).expect("somebody listens")
    }
}

/// The exit code, and what was said on both streams.
fn told(output: &Output) -> (Option<i32>, String) {
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    (output.status.code(), String::from_utf8_lossy(&text).into_owned())
}

pub fn until(what: &str, holds: impl Fn() -> bool) {
    let begin = Instant::now();
    while !holds() {
        assert!(begin.elapsed() < DEADLINE, "waited in vain for {what}");
        thread::sleep(Duration::from_millis(5));
    }
}

pub fn send(pid: u32, signal: Signal) {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw).expect("a process");
    kill_process(pid, signal).expect("it is ours");
}

fn is_gone(pid: u32) -> bool {
    let stat = fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("stat")).unwrap_or_default();
    stat.is_empty() || stat.contains(") Z ")
}

#[test]
fn the_step_ends_and_attach_continues() {
    let site = Site::new();
    let applier = site.parked();
    let (code, text) = site.attach(&[]);
    assert!(code == Some(1) && text.contains("--yes"), "{text}");
    let (code, text) = told(&site.run(&["apply", "--yes", "main.mcl"]));
    assert!(code == Some(75) && text.contains("workbench attach"), "{text}");

    let (code, text) = site.attach(&["--yes", "--format", "json"]);
    assert_eq!(code, Some(0), "{text}");
    for resource in ["first", "slow", "last"] {
        let ended = |line: &str| line.contains("\"event\":\"done\"") && line.contains(resource);
        assert_eq!(text.lines().filter(|line| ended(line)).count(), 1, "{resource}: {text}");
    }
    assert!(text.lines().last().is_some_and(|line| line.contains("\"event\":\"summary\"")), "{text}");
    assert!(site.is_whole());
    until("the applier to end", || is_gone(applier));
    assert!(!site.path("state/applier.sock").exists());
    let (code, text) = site.attach(&["--yes"]);
    assert!(code == Some(1) && text.contains("no apply is running"), "{text}");
    // It was one deploy, and it is told as one that ended.
    let (_, text) = told(&site.run(&["deploy", "list", "--format", "json"]));
    assert!(text.contains("finished") && !text.contains("\"deploy\":2"), "{text}");
    let (code, text) = told(&site.run(&["apply", "--yes", "--detailed-exitcode", "main.mcl"]));
    assert_eq!(code, Some(0), "nothing is left to change: {text}");
}

#[test]
fn one_face_drives_and_another_may_take_over() {
    let site = Site::new();
    let face = site.begin();
    let (code, text) = site.attach(&["--yes"]);
    assert!(code == Some(75) && text.contains(&face.id().to_string()), "{text}");
    let other = site.command(&["attach", "--yes", "--take"]).spawn().expect("the program starts");
    let (code, text) = told(&face.wait_with_output().expect("it ends by itself"));
    assert!(code == Some(130) && text.contains(&other.id().to_string()), "{text}");
    site.go();
    site.ends_whole(other);
}

#[test]
fn nonsense_on_the_socket_is_shut_out() {
    let site = Site::new();
    let face = site.begin();
    let mode = |name: &str| fs::metadata(site.path(name)).expect("it is there").permissions().mode() & 0o777;
    assert_eq!((mode("state"), mode("state/applier.sock")), (0o700, 0o600));
    let long = vec![b'['; 1 << 20];
    let early = b"{\"Ask\":{\"request\":{\"request\":\"quit\"}}}\n".to_vec();
    let other = b"{\"Hello\":{\"version\":4711,\"guest\":\"Taker\"}}\n".to_vec();
    for garbage in [b"\n".to_vec(), b"GET / HTTP/1.1\r\n\r\n".to_vec(), vec![0xff; 64], long, early, other, vec![]] {
        let mut stream = site.knock();
        // What is more than it takes may come back as a broken pipe.
        let _ = stream.write_all(&garbage);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        assert!(answer.is_empty() || answer.starts_with("{\"Refused\""), "{answer}");
    }
    // More than are let in at once; each is let go again.
    let crowd: Vec<_> = (0..64).map(|_| site.knock()).collect();
    drop(crowd);
    until("the door to be free", || site.attach(&["--yes"]).0 == Some(75));
    site.go();
    site.ends_whole(face);
}

/// Even where somebody opened the folder and the socket to all.
#[test]
fn strangers_are_shut_out() {
    if !rustix::process::geteuid().is_root() {
        skip("root", "only root can be another user");
        return;
    }
    let site = Site::new();
    let face = site.begin();
    for (name, mode) in [(".", 0o755), ("state", 0o755), ("state/applier.sock", 0o666)] {
        fs::set_permissions(site.path(name), PermissionsExt::from_mode(mode)).expect("it is ours");
    }
    for words in [&["attach", "--yes", "--take"][..], &["attach", "--stop", "--take"]] {
        let stranger = site.command(words).env("HOME", site.0.path()).uid(65534).gid(65534).output();
        let Ok(output) = stranger else {
            skip("other user", "no other user may run the program");
            break;
        };
        let (code, text) = told(&output);
        assert!(code == Some(1) && text.contains("cannot connect to the apply process"), "{text}");
    }
    site.go();
    site.ends_whole(face);
}

#[test]
fn the_deploy_of_a_killed_applier_is_resumed() {
    let site = Site::new();
    let face = site.begin();
    send(site.applier(), Signal::KILL);
    let (code, text) = told(&face.wait_with_output().expect("it ends by itself"));
    assert!(code == Some(4) && text.contains("deploy resume"), "{text}");
    // What it left behind is known as that.
    assert!(site.path("state/applier.sock").exists());
    let (code, text) = site.attach(&["--yes"]);
    assert!(code == Some(1) && text.contains("deploy resume"), "{text}");
    site.go();
    let (code, text) = told(&site.run(&["deploy", "resume", "--yes", "--again", "--apart", "always"]));
    assert_eq!(code, Some(0), "{text}");
    assert!(site.is_whole());
}

#[test]
fn a_parked_applier_ends_on_request() {
    for tells in ["--stop", "SIGTERM"] {
        let site = Site::new();
        let applier = site.parked();
        match tells {
            "--stop" => {
                let (code, text) = site.attach(&["--stop"]);
                assert!(code == Some(0) && text.contains("2 of 3"), "{text}");
            }
            _ => send(applier, Signal::TERM),
        }
        until("the applier to end", || is_gone(applier));
        assert!(!site.path("last").exists());
        // It ended and was not cut off: the rest is a deploy of its own.
        let (code, text) = told(&site.run(&["apply", "--yes", "main.mcl"]));
        assert_eq!(code, Some(0), "{text}");
        assert!(site.is_whole());
    }
}

/// SIGTERM in the middle of a step: the step is done to its end, and the rest is left.
#[test]
fn a_driven_applier_ends_after_its_step() {
    let site = Site::new();
    let face = site.begin();
    let applier = site.applier();
    send(applier, Signal::TERM);
    thread::sleep(Duration::from_millis(50));
    assert!(!is_gone(applier), "the step is at work");
    site.go();
    let (_, text) = told(&face.wait_with_output().expect("it ends by itself"));
    until("the applier to end", || is_gone(applier));
    assert_eq!(fs::read_to_string(site.path("ended")).expect("the step is whole"), "whole\n");
    assert!(!site.path("last").exists() && text.contains("1 not run"), "{text}");
}

/// Lines answer at a stop what an apply of one's own would: who comes back knows least of what is left.
#[test]
fn attaching_without_screens_shows_the_next_step() {
    let site = Site::new();
    site.parked();
    let place = site.0.path().display();
    let command = format!("cd {place} && exec {BINARY} --plain --state-dir state attach --step");
    let mut terminal = Terminal::start(&["sh", "-c", &command], 100, 30);
    terminal.until_shows("Type ");
    terminal.press(&format!("{}\r", workbench::session::machine()));
    terminal.until_shows("LIVE  2 of 3 done");
    terminal.until_shows("why next: exec[slow] (explicit dependency, main.mcl:8) is done; the only ready resource");
    terminal.until_shows("\"three\"");
    terminal.until_shows("then: unblocks nothing; skipping it blocks nothing");
    terminal.press("1\r");
    assert_eq!(terminal.ended(), 0);
    assert!(site.is_whole());
}
