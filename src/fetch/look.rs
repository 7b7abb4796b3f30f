//! How far the remotes are ahead of the lock: asked over the network, and nothing but the cache is written.

use super::download::{Download, Heard};
use super::hosts::Hosts;
use super::lock::{Lock, Locked};
use super::many::{self, Teller};
use super::process::{AskUser, Fetcher, Looked, Order, Task, Watch};
use super::refusal::{Refusal, Refused};
use super::url::Transport;

/// What a module's remote has now.
#[derive(Debug)]
pub struct Remote {
    /// The URL as imported, without its ref.
    pub import: String,
    /// As the lock writes it.
    pub path: String,
    /// The commit in the lock.
    pub locked: String,
    pub reference: Option<String>,
    pub ended: Result<Looked, Refusal>,
}

impl Remote {
    /// Whether the remote has another commit than the lock.
    pub fn is_behind(&self) -> bool {
        self.ended.as_ref().is_ok_and(|looked| looked.now != self.locked)
    }

    /// Whether the commit in the lock is none of the remote's any more: somebody forced it back.
    pub fn is_rewritten(&self) -> bool {
        self.is_behind() && self.ended.as_ref().is_ok_and(|looked| looked.apart.is_some_and(|(_, lost)| lost > 0))
    }
}

/// Looks at the remotes of all locked modules that `is_meant`.
pub fn remotes(
    order: &Download<'_>,
    is_meant: &dyn Fn(&Locked) -> bool,
    hear: &mut dyn FnMut(Heard),
) -> Result<Vec<Remote>, Vec<Refused>> {
    let lock = Lock::read(order.base).map_err(|error| vec![Refused::placeless(error.into())])?;
    // An archive never changes.
    let meant = lock.modules.iter().filter(|locked| locked.commit().is_some() && is_meant(locked));
    let meant: Vec<&Locked> = meant.collect();
    hear(Heard::Round { wanted: meant.len(), fetching: meant.len() });
    let hosts = Hosts::default();
    let mut remotes = Vec::new();
    let work = |locked: &Locked, fetcher: &mut Fetcher<'_>, teller: &Teller<'_, Remote>| Remote {
        import: locked.import.clone(),
        path: locked.path.clone(),
        locked: locked.commit.clone(),
        reference: locked.reference.clone(),
        ended: one(order, &lock, &hosts, locked, fetcher, teller),
    };
    many::work(
        order.jobs,
        meant,
        || Fetcher::new(order.program),
        work,
        hear,
        |remote: Remote, hear| {
            let name = remote.import.clone();
            hear(if remote.ended.is_ok() { Heard::Looked { name } } else { Heard::Failed { name } });
            remotes.push(remote);
        },
    );
    if order.cancel.is_cancelled() {
        return Err(vec![Refused::placeless(super::FetchError::Cancelled.into())]);
    }
    remotes.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(remotes)
}

fn one(
    download: &Download<'_>,
    lock: &Lock,
    hosts: &Hosts,
    locked: &Locked,
    fetcher: &mut Fetcher<'_>,
    teller: &Teller<'_, Remote>,
) -> Result<Looked, Refusal> {
    let url = locked.url()?;
    url.check_allowed(download.allowed)?;
    let name = &locked.import;
    teller.tell(Heard::Begun { name: name.clone() });
    let (cancel, allowed) = (download.cancel, download.allowed);
    let order = Order {
        way: hosts.way(&url, allowed, lock, Some(locked), false, cancel),
        task: Task::Look { locked: locked.commit.clone() },
        allowed,
        patience: download.patience,
        cap: download.cap,
        cache: download.cache.to_path_buf(),
        url,
    };
    let mut progress = |progress| teller.tell(Heard::Progress { name: name.clone(), progress });
    let mut https = |answers| hosts.tell(&order.url.host, answers);
    let mut ask = download.ask.map(|ask| |url: &str| ask(url));
    let ask = ask.as_mut().map(|ask| ask as &mut AskUser<'_>);
    let watch = Watch { progress: &mut progress, https: &mut https, ask, cancel };
    let looked = fetcher.look(&order, watch);
    if order.url.transport == Transport::Git {
        hosts.ended(&order.url.host);
    }
    Ok(looked?)
}
