//! Finds and ends all descendants of a process, by their parents.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use rustc_hash::FxHashSet;
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, getpgid, getpid};

/// How long processes may take to end after the polite signal.
pub(super) const GRACE: Duration = Duration::from_millis(500);

/// How long to retry with processes that do not end even then: they hang in the kernel or belong to another user.
const PATIENCE: Duration = Duration::from_secs(5);

/// How often to search for more descendants before killing them. Each search finds those started since.
const LOOKS: u32 = 100;

/// Returns the signal that asks a command to end.
pub(super) fn polite(number: Option<i32>) -> Signal {
    number.and_then(Signal::from_named_raw).unwrap_or(Signal::TERM)
}

/// Ends all children of this process, the subreaper of a command, and all their descendants. Returns the number that
/// remains.
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
            return u32::try_from(below(getpid()).len()).unwrap_or(u32::MAX);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Asks the group and all others to end. A stopped process must be continued to receive the signal.
fn ask(command: Pid, polite: Signal) {
    // The process may be gone already.
    let _ = rustix::process::kill_process_group(command, polite);
    let _ = rustix::process::kill_process_group(command, Signal::CONT);
    for pid in below(getpid()) {
        if getpgid(Some(pid)) != Ok(command) {
            let _ = rustix::process::kill_process(pid, polite);
            let _ = rustix::process::kill_process(pid, Signal::CONT);
        }
    }
}

/// Stops all first, so that none can start another, and then kills all.
fn kill() {
    let mut stopped = FxHashSet::default();
    for _ in 0..LOOKS {
        let new: Vec<Pid> = below(getpid()).into_iter().filter(|pid| !stopped.contains(pid)).collect();
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

/// Reaps ended children. Whether no child is left, which means that no descendant is left either.
fn is_childless() -> bool {
    loop {
        match rustix::process::wait(WaitOptions::NOHANG) {
            Ok(Some(_)) | Err(Errno::INTR) => {}
            Ok(None) => return false,
            Err(_) => return true,
        }
    }
}

/// Returns the descendants of a process.
pub(super) fn below(root: Pid) -> Vec<Pid> {
    let mut children: BTreeMap<i32, Vec<i32>> = BTreeMap::new();
    for pid in processes() {
        if let Some((parent, _)) = parent_and_group(pid) {
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

/// Returns the other processes of this process's group, without its children.
pub fn group_without_children() -> Vec<Pid> {
    let own = getpid().as_raw_nonzero().get();
    // Read from `/proc`, because `rustix` has no group 0, which kernel threads have.
    let Some((_, group)) = parent_and_group(own) else { return Vec::new() };
    let is_other =
        |pid: &i32| *pid != own && parent_and_group(*pid).is_some_and(|(parent, its)| its == group && parent != own);
    processes().filter(is_other).filter_map(Pid::from_raw).collect()
}

/// Returns the numbers of all processes.
fn processes() -> impl Iterator<Item = i32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// Returns the parent and the process group of a process.
fn parent_and_group(pid: i32) -> Option<(i32, i32)> {
    let stat = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
    // The name is in parentheses and may contain any character, including parentheses.
    let behind = stat.iter().rposition(|byte| *byte == b')')?;
    // The fields after the state.
    let mut words = std::str::from_utf8(&stat[behind + 1..]).ok()?.split_ascii_whitespace().skip(1);
    Some((words.next()?.parse().ok()?, words.next()?.parse().ok()?))
}
