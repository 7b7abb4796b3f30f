//! No command leaves a process behind that had to end: not by forking twice, not in a session of its own, not by
//! ignoring signals, and not when whoever ran it is killed.
//!
//! Some forty commands are ended each time; `WORKBENCH_PROMISES=whole` makes it a thousand and prints the figures.

use std::io::Write;
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use workbench::host::{Command, Host, HostError, Local};

use crate::promises;

/// What commands do to stay. `@` stands for a number of seconds to sleep that no other command has.
const SHAPES: &[(&str, &str)] = &[
    ("does as it is told", "sleep @"),
    ("ignores the signal", "trap '' TERM INT HUP; sleep @; sleep @"),
    ("has children", "sleep @ & sleep @ & sleep @ & wait"),
    ("has a session of its own", "setsid sleep @ & sleep @"),
    ("forks twice", "(setsid sh -c 'sleep @ & sleep @' &) ; sleep @"),
    ("forks twice and ignores the signal", "(setsid sh -c 'trap \"\" TERM HUP; (sleep @ &); sleep @' &) ; sleep @"),
    (
        "holds no output open",
        "(setsid sh -c 'trap \"\" TERM; sleep @; sleep @' >/dev/null 2>&1 </dev/null &) ; sleep @",
    ),
    ("stops itself", "(sh -c 'kill -STOP $$; sleep @' &) ; sleep @"),
    ("starts ever more", "while :; do (setsid sh -c 'trap \"\" TERM; sleep @' &) ; sleep 0.01; done"),
    ("writes all the time", "setsid yes @ & setsid yes @ >/dev/null & cat /dev/zero"),
];

/// Tells the runs of this driver on one machine apart.
fn mark(number: usize) -> String {
    format!("{}.{}", 600 + number, std::process::id())
}

fn shell(line: &str, timeout: Duration) -> Command {
    Command {
        program: "/bin/sh".into(),
        args: vec!["-c".into(), line.into()],
        env: vec![("PATH".into(), "/usr/bin:/bin".into())],
        timeout: Some(timeout),
        ..Command::default()
    }
}

/// The processes that carry a mark, once those that were just ended had the time to go.
fn survivors(marks: &[String]) -> Vec<String> {
    let begun = Instant::now();
    loop {
        let found = carrying(marks);
        if found.is_empty() || begun.elapsed() > Duration::from_secs(2) {
            return found;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn carrying(marks: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").expect("is there").flatten() {
        let words = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let words = String::from_utf8_lossy(&words).replace('\0', " ");
        if marks.iter().any(|mark| words.contains(mark.as_str())) {
            found.push(format!("{} {words}", entry.file_name().display()));
        }
    }
    found
}

#[test]
fn nothing_survives_a_deadline() {
    let count = promises::count(40, 1000);
    let (next, left) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let begun = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let host = Local::minded_by(env!("CARGO_BIN_EXE_workbench"));
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= count {
                        return;
                    }
                    let (shape, line) = SHAPES[number % SHAPES.len()];
                    let mark = mark(number);
                    let command = shell(&line.replace('@', &mark), Duration::from_millis(150));
                    match host.turn().run(&command) {
                        Err(HostError::Deadline { .. }) => {}
                        other => panic!("a command that {shape} gave {other:?}"),
                    }
                    let survivors = survivors(&[mark]);
                    assert!(survivors.is_empty(), "of a command that {shape}: {survivors:#?}");
                    left.fetch_add(survivors.len(), Ordering::Relaxed);
                }
            });
        }
    });
    let left = left.into_inner();
    promises::figure("G20", format_args!("{count} commands ended, {left} survivors, {:.1?}", begun.elapsed()));
}

#[test]
fn nothing_survives_an_applier_that_is_killed() {
    let count = promises::count(SHAPES.len(), 100);
    for number in 0..count {
        // One that is killed leaves a journal that the next one would ask about.
        let state = tempfile::tempdir().expect("a temporary folder can be made");
        let (shape, line) = SHAPES[number % SHAPES.len()];
        let mark = mark(2000 + number);
        let line = line.replace('@', &mark).replace('\\', "\\\\").replace('"', "\\\"").replace('$', "\\$");
        let code = format!("exec \"x\" {{ cmd => \"PATH=/usr/bin:/bin; {line}\", shell => \"/bin/sh\", }}\n");
        let mut applier = std::process::Command::new(env!("CARGO_BIN_EXE_workbench"))
            .args(["apply", "--yes", "-"])
            .env("WORKBENCH_STATE", state.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary is there");
        applier.stdin.take().expect("is a pipe").write_all(code.as_bytes()).expect("is read");
        let begun = Instant::now();
        while carrying(std::slice::from_ref(&mark)).len() < 2 && begun.elapsed() < Duration::from_secs(10) {
            std::thread::sleep(Duration::from_millis(10));
        }
        assert!(!carrying(std::slice::from_ref(&mark)).is_empty(), "a command that {shape} was started");
        applier.kill().expect("can be killed");
        applier.wait().expect("is ours");
        let survivors = survivors(&[mark]);
        assert!(survivors.is_empty(), "of a command that {shape}: {survivors:#?}");
    }
    promises::figure("G20", format_args!("{count} appliers killed, 0 survivors"));
}
