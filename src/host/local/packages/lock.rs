//! Waits for a package manager's lock and reports its holder. The lock is never broken or taken over.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::host::local::LocalLook;
use crate::host::{HostError, LookFiles, Within};
use crate::source::printable;

/// The time limit of the wait if there is no deadline.
const PATIENCE: Duration = Duration::from_secs(600);

/// How often to check the lock.
const PAUSE: Duration = Duration::from_millis(100);

/// Waits until none of the locks is held. Returns a report of the wait.
///
/// Another program may take the lock between this wait and the start of the manager. Then the manager fails with a
/// message.
pub(super) fn wait(look: &LocalLook, locks: &[&str], within: &Within) -> Result<Vec<String>, HostError> {
    let begun = Instant::now();
    let limit = within.timeout.unwrap_or(PATIENCE);
    let mut told = String::new();
    while let Some(holder) = locks.iter().find_map(|lock| holder(look, Path::new(lock))) {
        if within.cancel.is_cancelled() {
            return Err(HostError::Cancelled { program: "waiting for the lock of the package manager".into() });
        }
        if begun.elapsed() >= limit {
            return Err(HostError::Busy { what: "the lock of the package manager", holder, after: limit });
        }
        if told != holder {
            within.tell(&format!("waits for the lock of the package manager, held by {holder}"));
            told = holder;
        }
        std::thread::sleep(PAUSE);
    }
    if told.is_empty() {
        return Ok(Vec::new());
    }
    let waited = begun.elapsed().as_secs_f64();
    Ok(vec![format!("waited {waited:.1} s for the lock of the package manager, held by {told}")])
}

/// Returns the program that holds a lock on a file, from the kernel's table of locks.
fn holder(look: &LocalLook, lock: &Path) -> Option<String> {
    let stat = std::fs::metadata(lock).ok()?;
    let table = look.read(Path::new("/proc/locks")).ok()??;
    let pid = String::from_utf8_lossy(&table).lines().find_map(|line| owner(line, stat.ino()))?;
    let name = look.read(&PathBuf::from(format!("/proc/{pid}/comm"))).ok().flatten();
    let name = name.map(|name| String::from_utf8_lossy(&name).trim().to_owned());
    Some(format!("{} (process {pid})", printable(&name.unwrap_or_else(|| "a program".into()))))
}

/// Returns the process of a line in the table, if the line is about this file. Devices are not compared, because
/// layered file systems show a different one in the table.
fn owner(line: &str, inode: u64) -> Option<u32> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    // Lines with an arrow are waiting processes.
    let [_, _, _, access, pid, file, ..] = fields[..] else { return None };
    let held = access == "WRITE" && file.rsplit(':').next()?.parse() == Ok(inode);
    if held { pid.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_holder_is_read_from_the_table() {
        let line = "1: POSIX  ADVISORY  WRITE 4711 fe:01:1234 0 EOF";
        assert_eq!(owner(line, 1234), Some(4711));
        assert_eq!(owner(line, 1235), None);
        assert_eq!(owner("1: -> POSIX  ADVISORY  WRITE 4712 fe:01:1234 0 EOF", 1234), None);
        assert_eq!(owner("2: FLOCK  ADVISORY  READ 1 fe:01:1234 0 EOF", 1234), None);
        assert_eq!(owner("", 1), None);
    }
}
