//! How much memory a child takes at most, as the kernel tells it while the child runs.

use std::fs;
use std::thread::JoinHandle;
use std::time::Duration;

/// Watches a process until it is gone; gives KiB. What it takes within its last millisecond may be missed.
pub fn watch(process: u32) -> JoinHandle<u64> {
    std::thread::spawn(move || {
        let mut peak = 0;
        while let Some(now) = resident(process) {
            peak = peak.max(now);
            std::thread::sleep(Duration::from_millis(1));
        }
        peak
    })
}

/// The peak so far; `None` when the process has ended.
fn resident(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
