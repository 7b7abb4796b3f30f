//! Everything that a process started, however far it went: found by parents, and ended.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use rustc_hash::FxHashSet;
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions};

/// How long processes that were asked to end may take before they are made to.
pub(super) const GRACE: Duration = Duration::from_millis(500);

/// How long to try on with processes that do not end even then: they hang in the system, or are not ours to end.
const PATIENCE: Duration = Duration::from_secs(5);

/// How often to look for more before those that are found are ended; each look finds what was started since.
const LOOKS: u32 = 100;

/// The signal that asks a command to end.
pub(super) fn polite(number: Option<i32>) -> Signal {
    number.and_then(Signal::from_named_raw).unwrap_or(Signal::TERM)
}

/// Ends all children of this process, which is the subreaper of a command, and all below them. Gives how many are left.
pub(super) fn end_all(command: Pid, polite: Signal) -> u32 {
    ask(command, polite);
    let asked = Instant::now();
    while asked.elapsed() < GRACE {
        if is_childless() {
            return 0;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let made = Instant::now();
    loop {
        kill();
        if is_childless() {
            return 0;
        }
        if made.elapsed() > PATIENCE {
            return u32::try_from(below(rustix::process::getpid()).len()).unwrap_or(u32::MAX);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Asks the group and all others to end; one that is stopped has to go on to hear it.
fn ask(command: Pid, polite: Signal) {
    // What is gone already is what we want.
    let _ = rustix::process::kill_process_group(command, polite);
    let _ = rustix::process::kill_process_group(command, Signal::CONT);
    for pid in below(rustix::process::getpid()) {
        if rustix::process::getpgid(Some(pid)) != Ok(command) {
            let _ = rustix::process::kill_process(pid, polite);
            let _ = rustix::process::kill_process(pid, Signal::CONT);
        }
    }
}

/// Stops all, so that none can start another while the rest is ended, and then ends all.
fn kill() {
    let mut stopped = FxHashSet::default();
    for _ in 0..LOOKS {
        let new: Vec<Pid> = below(rustix::process::getpid()).into_iter().filter(|pid| !stopped.contains(pid)).collect();
        if new.is_empty() {
            break;
        }
        for pid in new {
            let _ = rustix::process::kill_process(pid, Signal::STOP);
            stopped.insert(pid);
        }
    }
    for pid in stopped {
        let _ = rustix::process::kill_process(pid, Signal::KILL);
    }
}

/// Takes leave of the children that ended. No child at all means that nothing is left below us either.
fn is_childless() -> bool {
    loop {
        match rustix::process::wait(WaitOptions::NOHANG) {
            Ok(Some(_)) | Err(Errno::INTR) => {}
            Ok(None) => return false,
            Err(_) => return true,
        }
    }
}

/// The processes below one.
pub(super) fn below(root: Pid) -> Vec<Pid> {
    let mut children: BTreeMap<i32, Vec<i32>> = BTreeMap::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        if let Some(parent) = parent(pid) {
            children.entry(parent).or_default().push(pid);
        }
    }
    let mut found = Vec::new();
    let mut open = vec![root.as_raw_nonzero().get()];
    while let Some(pid) = open.pop() {
        for child in children.remove(&pid).unwrap_or_default() {
            found.extend(Pid::from_raw(child));
            open.push(child);
        }
    }
    found
}

/// The parent of a process.
fn parent(pid: i32) -> Option<i32> {
    let stat = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
    // The name stands in brackets and may hold anything, brackets too.
    let behind = stat.iter().rposition(|byte| *byte == b')')?;
    let mut words = stat[behind + 1..].split(|byte| *byte == b' ').filter(|word| !word.is_empty());
    // Behind its state.
    std::str::from_utf8(words.nth(1)?).ok()?.parse().ok()
}
