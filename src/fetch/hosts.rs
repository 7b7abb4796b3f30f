//! What one run learns of hosts: whether anything answers by https there, so that `git://` need not try that each time.
//!
//! The first fetch from a host finds out, and the others wait for it. The lock has priority: a module that came
//! by https comes by nothing else, and a host that gave any by https is always asked for it.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::lock::{Lock, Locked};
use super::process::Way;
use super::url::{Allowed, GitUrl, Transport};
use crate::world::Cancel;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Https {
    /// Somebody finds out.
    Asked,
    Answers,
    Dead,
}

/// The hosts of one run.
#[derive(Default)]
pub struct Hosts {
    known: Mutex<BTreeMap<String, Https>>,
    changed: Condvar,
}

impl Hosts {
    /// How a URL is reached. `pinned` is what the lock has of the module, where exactly that commit is wanted.
    pub fn way(
        &self,
        url: &GitUrl,
        allowed: Allowed,
        lock: &Lock,
        before: Option<&Locked>,
        is_pinned: bool,
        cancel: &Cancel,
    ) -> Way {
        if url.transport != Transport::Git {
            return Way::Safest;
        }
        if before.is_some_and(came_by_https) {
            return Way::OnlyHttps;
        }
        if !allowed.git || lock.modules.iter().any(|locked| came_by_https(locked) && is_at(locked, &url.host)) {
            return Way::Safest;
        }
        // It came plainly, and its commit and hash say what has to come.
        if is_pinned && before.is_some() {
            return Way::Plain;
        }
        self.found_out(&url.host, cancel)
    }

    /// The known way to a host. The first caller has to find it out and report it.
    fn found_out(&self, host: &str, cancel: &Cancel) -> Way {
        const LOOK: Duration = Duration::from_millis(20);
        let mut known = self.known();
        loop {
            match known.get(host) {
                None => {
                    known.insert(host.to_owned(), Https::Asked);
                    return Way::Safest;
                }
                Some(Https::Answers) => return Way::Safest,
                Some(Https::Dead) => return Way::Plain,
                Some(Https::Asked) if cancel.is_cancelled() => return Way::Safest,
                Some(Https::Asked) => {
                    known = self.changed.wait_timeout(known, LOOK).unwrap_or_else(PoisonError::into_inner).0;
                }
            }
        }
    }

    /// Records whether a host answers by https, and wakes the fetches that wait for it.
    pub fn tell(&self, host: &str, answers: bool) {
        self.known().insert(host.to_owned(), if answers { Https::Answers } else { Https::Dead });
        self.changed.notify_all();
    }

    /// A fetch has ended. Where it was to find out and did not, the next one is.
    pub fn ended(&self, host: &str) {
        let mut known = self.known();
        if known.get(host) == Some(&Https::Asked) {
            known.remove(host);
            self.changed.notify_all();
        }
    }

    fn known(&self) -> MutexGuard<'_, BTreeMap<String, Https>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn came_by_https(locked: &Locked) -> bool {
    locked.from.as_deref().unwrap_or(&locked.import).starts_with("https://")
}

fn is_at(locked: &Locked, host: &str) -> bool {
    locked.url().is_ok_and(|url| url.host == host)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fetch::hash::TreeHash;

    fn locked(import: &str, from: Option<&str>) -> Locked {
        Locked {
            import: import.into(),
            reference: None,
            from: from.map(Into::into),
            path: "modules/x".into(),
            version: None,
            commit: "0".repeat(40),
            archive: None,
            hash: TreeHash("sha256:0".into()),
            allow: Vec::new(),
            approved: false,
            approved_before: None,
        }
    }

    #[test]
    fn https_is_skipped_only_without_an_answer() {
        let url = GitUrl::parse("git://h.example/x/").expect("it is well formed");
        let (hosts, cancel, git) = (Hosts::default(), Cancel::default(), Allowed { git: true, ..Allowed::default() });
        let plain = locked("git://h.example/x", None);
        let safe = locked("git://h.example/y", Some("https://h.example/y"));
        let way = |lock: &[&Locked], before, is_pinned| {
            let mut all = Lock::default();
            all.modules = lock.iter().map(|locked| (*locked).clone()).collect();
            hosts.way(&url, git, &all, before, is_pinned, &cancel)
        };
        assert_eq!(way(&[], None, false), Way::Safest);
        hosts.tell("h.example", false);
        assert_eq!(way(&[], None, false), Way::Plain);
        // What came by https keeps all of the host at it.
        assert_eq!(way(&[&safe], None, false), Way::Safest);
        assert_eq!(way(&[&safe, &plain], Some(&plain), true), Way::Safest);
        assert_eq!(way(&[&safe], Some(&safe), true), Way::OnlyHttps);
        hosts.tell("h.example", true);
        assert_eq!(way(&[&plain], Some(&plain), true), Way::Plain);
        assert_eq!(way(&[&plain], Some(&plain), false), Way::Safest);
    }
}
