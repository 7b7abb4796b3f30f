//! How far the remotes are ahead of the lock: asked over the network, and nothing but the cache is written.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use super::FetchError;
use super::bring::url_of;
use super::download::{Download, FetchEvent, NeededModule};
use super::hosts::Hosts;
use super::lock::{Lock, Locked};
use super::many::{self, Reporter};
use super::process::{AskUser, Fetcher, Looked, Order, Task, Watch};
use super::refusal::{Refusal, Refused};
use super::release::Release;
use super::url::{GitUrl, Transport};
use crate::module::{Source, newest};

/// What a module's remote has now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Latest {
    /// The newest commit of a repository.
    Commit(Looked),
    /// The versions of a module in an index of archives.
    Version {
        locked: String,
        newest: String,
        /// Whether the newest version is newer than the locked one.
        is_newer: bool,
        /// The newest version that all requirements allow, if it is newer than the locked one.
        fitting: Option<String>,
    },
}

/// The state of a locked module's remote.
#[derive(Debug)]
pub struct Remote {
    /// The URL as imported, without its ref.
    pub import: String,
    /// As the lock writes it.
    pub path: String,
    /// The commit in the lock, or the checksum of the archive.
    pub locked: String,
    pub reference: Option<String>,
    pub ended: Result<Latest, Refusal>,
}

impl Remote {
    /// Whether an update would fetch another commit or version than that of the lock.
    pub fn is_behind(&self) -> bool {
        self.ended.as_ref().is_ok_and(|latest| match latest {
            Latest::Commit(looked) => looked.now != self.locked,
            Latest::Version { fitting, .. } => fitting.is_some(),
        })
    }

    /// Whether the remote no longer has the commit in the lock: its history was rewritten.
    pub fn is_rewritten(&self) -> bool {
        let lost = |latest: &Latest| matches!(latest, Latest::Commit(looked) if looked.apart.is_some_and(|(_, lost)| lost > 0));
        self.is_behind() && self.ended.as_ref().is_ok_and(lost)
    }
}

/// Inspects the remotes of all locked modules that `is_meant`. `wanted` names the index of each archive.
pub fn remotes(
    order: &Download<'_>,
    wanted: &[NeededModule],
    is_meant: &dyn Fn(&Locked) -> bool,
    report: &mut dyn FnMut(FetchEvent),
) -> Result<Vec<Remote>, Vec<Refused>> {
    let lock = Lock::read(order.base).map_err(|error| vec![Refused::placeless(error.into())])?;
    let asked = |locked: &'_ Locked| wanted.iter().find(|wanted| wanted.name == locked.import);
    let meant = lock.modules.iter().filter(|locked| is_meant(locked)).map(|locked| match locked.commit() {
        Some(_) => (locked, None),
        None => (locked, asked(locked)),
    });
    let meant: Vec<(&Locked, Option<&NeededModule>)> =
        meant.filter(|(locked, wanted)| locked.commit().is_some() || wanted.is_some()).collect();
    report(FetchEvent::Round { wanted: meant.len(), fetching: meant.len() });
    let hosts = Hosts::default();
    let mut remotes = Vec::new();
    let work = |(locked, wanted): (&Locked, Option<&NeededModule>),
                fetcher: &mut Fetcher<'_>,
                reporter: &Reporter<'_, Remote>| {
        let mut remote = Inspection { download: order, lock: &lock, hosts: &hosts, locked, fetcher, reporter };
        Remote {
            import: locked.import.clone(),
            path: locked.path.clone(),
            locked: locked.revision().to_owned(),
            reference: locked.reference.clone(),
            ended: match wanted {
                None => remote.commit(),
                Some(wanted) => remote.version(wanted),
            },
        }
    };
    many::work(
        order.jobs,
        meant,
        || Fetcher::new(order.program),
        work,
        report,
        |remote: Remote, report| {
            let name = remote.import.clone();
            report(if remote.ended.is_ok() { FetchEvent::Checked { name } } else { FetchEvent::Failed { name } });
            remotes.push(remote);
        },
    );
    if order.cancel.is_cancelled() {
        return Err(vec![Refused::placeless(FetchError::Cancelled.into())]);
    }
    remotes.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(remotes)
}

/// The inspection of one module's remote.
struct Inspection<'a, 'f, 't> {
    download: &'a Download<'a>,
    lock: &'a Lock,
    hosts: &'a Hosts,
    locked: &'a Locked,
    fetcher: &'a mut Fetcher<'f>,
    reporter: &'a Reporter<'t, Remote>,
}

impl Inspection<'_, '_, '_> {
    fn commit(&mut self) -> Result<Latest, Refusal> {
        let (url, task) = (self.locked.url()?, Task::Look { locked: self.locked.commit.clone() });
        self.run(url, task, |fetcher, order, watch| fetcher.look(order, watch)).map(Latest::Commit)
    }

    /// The versions in the first index that has the module.
    fn version(&mut self, wanted: &NeededModule) -> Result<Latest, Refusal> {
        let mut absent = None;
        for source in &wanted.sources {
            let Source::Archive { name, form, .. } = source else { continue };
            let task = Task::List { index: Some(*form), name: name.clone() };
            match self.run(url_of(source)?, task, |fetcher, order, watch| fetcher.list(order, watch)) {
                Ok(releases) => return self.latest(wanted, &releases),
                Err(refusal) if refusal.is_absent() => absent = absent.or(Some(refusal)),
                Err(refusal) => return Err(refusal),
            }
        }
        Err(absent.unwrap_or(Refusal::NotLocked))
    }

    fn latest(&self, wanted: &NeededModule, releases: &[Release]) -> Result<Latest, Refusal> {
        let versions = self.download.versions;
        let locked = self.locked.version.clone().unwrap_or_default();
        let all: Vec<&str> = releases.iter().map(|release| release.version.as_str()).collect();
        let ranges: Vec<&str> = wanted.ranges.iter().map(|(range, _)| range.as_str()).collect();
        let pick = |ranges: &[&str]| newest(versions, &all, ranges, false).map(|at| all[at].to_owned());
        let is_newer = |version: &String| versions.compare(version, &locked) == Some(Ordering::Greater);
        let newest = pick(&[]).unwrap_or_else(|| locked.clone());
        Ok(Latest::Version { is_newer: is_newer(&newest), fitting: pick(&ranges).filter(is_newer), locked, newest })
    }

    /// Runs one task with the server of a URL.
    fn run<T>(
        &mut self,
        url: GitUrl,
        task: Task,
        work: impl FnOnce(&mut Fetcher<'_>, &Order, Watch<'_>) -> Result<T, FetchError>,
    ) -> Result<T, Refusal> {
        let Download { allowed, patience, cap, cancel, cache, ask, .. } = *self.download;
        url.check_allowed(allowed)?;
        let (name, reporter, hosts) = (&self.locked.import, self.reporter, self.hosts);
        reporter.report(FetchEvent::Begun { name: name.clone() });
        let way = hosts.way(&url, allowed, self.lock, Some(self.locked), false, cancel);
        let order = Order { way, task, allowed, patience, cap, cache: cache.to_path_buf(), url };
        let mut progress = |progress| reporter.report(FetchEvent::Progress { name: name.clone(), progress });
        let mut https = |answers| hosts.tell(&order.url.host, answers);
        let mut ask = ask.map(|ask| |url: &str| ask(url));
        let ask = ask.as_mut().map(|ask| ask as &mut AskUser<'_>);
        let ended = work(self.fetcher, &order, Watch { progress: &mut progress, https: &mut https, ask, cancel });
        if order.url.transport == Transport::Git {
            hosts.ended(&order.url.host);
        }
        Ok(ended?)
    }
}
