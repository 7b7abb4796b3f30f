//! One module: where it may come from, which version is picked there, and how its files come.

use std::path::{Path, PathBuf};

use super::FetchError;
use super::download::{Download, FetchEvent, ImportPlace, NeededModule};
use super::hash::TreeHash;
use super::hosts::Hosts;
use super::lock::{Lock, Locked};
use super::many::Reporter;
use super::permit::{Permit, shapes};
use super::process::{AskUser, Fetched, Fetcher, Order, Task, Watch, Way};
use super::refusal::Refusal;
use super::release::{Digest, Release};
use super::tree::TreeLimits;
use super::url::{GitUrl, Transport, UrlError};
use crate::module::{Form, Pick, Source, Versions, newest};

/// Where a module may come from.
pub enum Asking {
    /// Its imports say it.
    Url(GitUrl),
    /// Metadata names sources: the first one that has it.
    Sources(Vec<Source>),
}

/// What is to be fetched.
#[derive(Clone, Debug)]
pub enum Item {
    /// The commit, or without one the newest of the URL's ref.
    Commit { url: GitUrl, commit: Option<String>, version: Option<String> },
    /// An archive. `index` is where it was listed.
    File {
        index: GitUrl,
        file: String,
        digest: Option<Digest>,
        size: Option<u64>,
        version: String,
        form: Form,
        name: String,
    },
}

/// How an item is found.
pub enum Aim {
    Item(Box<Item>),
    Pick(Vec<Source>),
}

/// What came.
pub struct Brought {
    pub fetched: Fetched,
    pub item: Item,
}

/// One module that is to be fetched.
pub struct Todo {
    pub wanted: NeededModule,
    pub aim: Aim,
    /// What the lock has of it.
    pub locked: Option<Locked>,
    /// Whether exactly that is to come.
    pub is_pinned: bool,
    /// What the user allows of its tree, now or in the lock.
    pub allow: Vec<Permit>,
    pub path: String,
    pub staged: PathBuf,
}

impl Todo {
    /// The entry of the lock that its content must match.
    fn pinned(&self) -> Option<&Locked> {
        self.locked.as_ref().filter(|_| self.is_pinned)
    }
}

/// Compares a fetched module with the lock: its revision and its files.
fn is_as_locked(fetched: &Fetched, locked: &Locked) -> Result<(), Refusal> {
    if fetched.commit != locked.commit || fetched.archive != locked.archive {
        let came = fetched.archive.clone().unwrap_or_else(|| fetched.commit.clone());
        return Err(Refusal::OtherRevision { came, locked: locked.revision().to_owned() });
    }
    if fetched.hash == locked.hash {
        Ok(())
    } else {
        Err(Refusal::OtherTree { is: fetched.hash.clone(), locked: locked.hash.clone() })
    }
}

impl Asking {
    /// Takes the sources that an import names, else its URL. An invalid URL is refused.
    pub fn of(wanted: &NeededModule) -> Result<Self, Refusal> {
        match wanted.sources.is_empty() {
            true => the_url(wanted).map(Self::Url),
            false => Ok(Self::Sources(wanted.sources.clone())),
        }
    }

    /// Whether a locked module matches the request.
    pub fn is_met_by(&self, locked: &Locked, wanted: &NeededModule, versions: &dyn Versions) -> bool {
        let sources = match self {
            Self::Url(url) => return locked.reference == url.reference,
            Self::Sources(sources) => sources,
        };
        let from = locked.from.as_deref().unwrap_or_default();
        let is_from = |url: &str| {
            let is_same = |asked: GitUrl, from: GitUrl| {
                let asked = GitUrl { reference: None, ..asked };
                asked == from || (asked.transport == Transport::Git && asked.by(Transport::Https) == from)
            };
            GitUrl::parse(url).ok().zip(GitUrl::parse(from).ok()).is_some_and(|(asked, from)| is_same(asked, from))
        };
        sources.iter().any(|source| match source {
            Source::Git { url, pick: Pick::Default } => is_from(url) && locked.reference.is_none(),
            Source::Git { url, pick: Pick::Reference(name) } => is_from(url) && locked.reference.as_ref() == Some(name),
            Source::Git { url, pick: Pick::Newest { .. } } => is_from(url) && fits(locked, wanted, versions),
            Source::Archive { index, name, form: Form::Forge } => {
                locked.archive.is_some()
                    && from.starts_with(&format!("{index}/"))
                    && from.contains(&format!("/{name}-"))
                    && fits(locked, wanted, versions)
            }
            Source::Archive { form: Form::Wheel, .. } => locked.archive.is_some() && fits(locked, wanted, versions),
        })
    }

    /// Whether the user lets all of its sources be asked.
    pub fn check_allowed(&self, download: &Download<'_>) -> Result<(), UrlError> {
        match self {
            Self::Url(url) => url.check_allowed(download.allowed),
            Self::Sources(sources) => {
                sources.iter().try_for_each(|source| url_of(source)?.check_allowed(download.allowed))
            }
        }
    }

    /// The version to fetch: the locked one if there is one, else the newest.
    pub fn aim(&self, pinned: Option<&Locked>) -> Result<Aim, UrlError> {
        match (self, pinned) {
            (Self::Url(url), pinned) => {
                let commit = pinned.map(|locked| locked.commit.clone());
                Ok(Aim::Item(Box::new(Item::Commit { url: url.clone(), commit, version: None })))
            }
            (Self::Sources(sources), None) => Ok(Aim::Pick(sources.clone())),
            (Self::Sources(sources), Some(locked)) => match (&locked.archive, &locked.version) {
                (Some(sum), Some(version)) => {
                    let file = locked.from.clone().unwrap_or_default();
                    let archive = sources.iter().find_map(|source| match source {
                        Source::Archive { name, form, .. } => Some((name.clone(), *form)),
                        Source::Git { .. } => None,
                    });
                    let (name, form) = archive.unwrap_or((locked.import.clone(), Form::Forge));
                    let digest = Digest::of(sum.strip_prefix(super::lock::SHA256), None);
                    let (index, version) = (GitUrl::parse(&file)?, version.clone());
                    Ok(Aim::Item(Box::new(Item::File { index, file, digest, size: None, version, form, name })))
                }
                _ => {
                    let (commit, version) = (Some(locked.commit.clone()), locked.version.clone());
                    Ok(Aim::Item(Box::new(Item::Commit { url: locked.url()?, commit, version })))
                }
            },
        }
    }

    /// What is asked for, in words; nothing for the default branch.
    pub fn words(&self, wanted: &NeededModule) -> Option<String> {
        match self {
            Self::Url(url) => url.reference.clone(),
            Self::Sources(sources) => {
                let ranges: Vec<&str> = wanted.ranges.iter().map(|(range, _)| range.as_str()).collect();
                let named = sources.iter().find_map(|source| match source {
                    Source::Git { pick: Pick::Reference(name), .. } => Some(name.clone()),
                    _ => None,
                });
                let place = || sources.first().and_then(|source| url_of(source).ok()).map(|url| url.to_string());
                named.or_else(|| Some(ranges.join(", ")).filter(|ranges| !ranges.is_empty())).or_else(place)
            }
        }
    }
}

/// Whether the version of a fetched module is one that everybody can use. One without a version is not judged.
pub fn fits(locked: &Locked, wanted: &NeededModule, versions: &dyn Versions) -> bool {
    locked
        .version
        .as_ref()
        .is_none_or(|version| wanted.ranges.iter().all(|(range, _)| versions.fits(version, range, true)))
}

/// The folder of a module, below the module path.
pub fn below(wanted: &NeededModule) -> Result<String, Refusal> {
    match Asking::of(wanted)? {
        Asking::Url(url) => Ok(url.module_folder()),
        Asking::Sources(_) => Ok(wanted.below.clone()),
    }
}

/// The folder of the module path above a module.
pub fn root_of(target: &Path, below: &str) -> PathBuf {
    let depth = Path::new(below).components().count();
    target.ancestors().nth(depth).unwrap_or(Path::new("")).to_path_buf()
}

/// What is connected to for a source.
pub(super) fn url_of(source: &Source) -> Result<GitUrl, UrlError> {
    match source {
        Source::Git { url, pick: Pick::Reference(name) } => GitUrl::parse(url)?.at(name),
        Source::Git { url, .. } => GitUrl::parse(url),
        Source::Archive { index, form: Form::Forge, .. } => GitUrl::parse(&format!("{index}/v3")),
        Source::Archive { index, form: Form::Wheel, .. } => GitUrl::parse(index),
    }
}

/// The one URL that all importers agree on.
fn the_url(wanted: &NeededModule) -> Result<GitUrl, Refusal> {
    let mut first: Option<(GitUrl, &ImportPlace)> = None;
    for asked in &wanted.asked {
        let url = GitUrl::parse(&asked.name)?;
        match &first {
            Some((there, by)) if there.reference != url.reference => {
                return Err(Refusal::RefsDisagree {
                    one: Box::new((there.reference.clone(), (*by).clone())),
                    other: Box::new((url.reference, asked.clone())),
                });
            }
            Some(_) => {}
            None => first = Some((url, asked)),
        }
    }
    match first {
        Some((url, _)) => Ok(url),
        None => Ok(GitUrl::parse(&wanted.name)?),
    }
}

/// The one that fetches modules, one after another.
pub struct Bringer<'a, 'f, R> {
    pub download: &'a Download<'a>,
    pub lock: &'a Lock,
    pub hosts: &'a Hosts,
    pub fetcher: &'a mut Fetcher<'f>,
    pub reporter: &'a Reporter<'a, R>,
}

impl<R> Bringer<'_, '_, R> {
    /// Fetches a module from the first source that has it.
    pub fn bring(&mut self, todo: &Todo) -> Result<Brought, Refusal> {
        self.reporter.report(FetchEvent::Begun { name: todo.wanted.name.clone() });
        let sources = match &todo.aim {
            Aim::Item(item) => return self.item(todo, (**item).clone()),
            Aim::Pick(sources) => sources,
        };
        let mut absent = None;
        for source in sources {
            match self.pick(todo, source).and_then(|item| self.item(todo, item)) {
                Err(refusal) if refusal.is_absent() => absent = absent.or(Some(refusal)),
                ended => return ended,
            }
        }
        Err(absent.unwrap_or(Refusal::NotLocked))
    }

    /// What a source has that fits.
    fn pick(&mut self, todo: &Todo, source: &Source) -> Result<Item, Refusal> {
        let url = url_of(source)?;
        match source {
            Source::Git { pick: Pick::Newest { prereleases }, .. } => {
                let listed = self.list(todo, &url, None, &todo.wanted.name)?;
                let Release { place, commit, version, .. } = self.newest(todo, listed, *prereleases)?;
                Ok(Item::Commit { url: url.at(&place)?, commit, version: Some(version) })
            }
            Source::Git { .. } => Ok(Item::Commit { url, commit: None, version: None }),
            Source::Archive { name, form, .. } => {
                let listed = self.list(todo, &url, Some(*form), name)?;
                let Release { version, place: file, digest, size, .. } = self.newest(todo, listed, false)?;
                Ok(Item::File { index: url, file, digest, size, version, form: *form, name: name.clone() })
            }
        }
    }

    fn newest(&self, todo: &Todo, mut listed: Vec<Release>, prereleases: bool) -> Result<Release, Refusal> {
        let versions = self.download.versions;
        let all: Vec<&str> = listed.iter().map(|release| release.version.as_str()).collect();
        let ranges: Vec<&str> = todo.wanted.ranges.iter().map(|(range, _)| range.as_str()).collect();
        match newest(versions, &all, &ranges, prereleases) {
            Some(at) => Ok(listed.swap_remove(at)),
            None => {
                let there = newest(versions, &all, &[], prereleases).or_else(|| newest(versions, &all, &[], true));
                let there = there.map(|at| all[at].to_owned());
                Err(Refusal::NoVersion { ranges: todo.wanted.ranges.clone(), there })
            }
        }
    }

    fn list(&mut self, todo: &Todo, url: &GitUrl, index: Option<Form>, name: &str) -> Result<Vec<Release>, Refusal> {
        let task = Task::List { index, name: name.to_owned() };
        let way = self.way(todo, url, false);
        let order = self.order(url.clone(), way, task);
        Ok(self.watched(todo, &order, |fetcher, watch| fetcher.list(&order, watch))?)
    }

    fn item(&mut self, todo: &Todo, item: Item) -> Result<Brought, Refusal> {
        let limits = self.download.limits;
        // What was allowed when it was locked makes the locked files; the user may allow more now.
        let shapes = match todo.pinned() {
            Some(locked) if !locked.allow.is_empty() => shapes(&locked.allow),
            _ => limits.shapes.with(shapes(&todo.allow)),
        };
        let limits = TreeLimits { shapes, ..limits };
        let folder = todo.staged.clone();
        let (url, task, is_pinned) = match &item {
            Item::Commit { url, commit, .. } => {
                (url, Task::Write { commit: commit.clone(), limits, folder }, commit.is_some())
            }
            Item::File { size: Some(size), .. } if *size > self.download.cap => {
                return Err(FetchError::TooLarge { limit: self.download.cap }.into());
            }
            Item::File { index, file, digest, form, name, .. } => {
                let (file, digest, name) = (file.clone(), digest.clone(), name.clone());
                (index, Task::Unpack { file, digest, form: *form, name, limits, folder }, false)
            }
        };
        let order = self.order(url.clone(), self.way(todo, url, is_pinned), task);
        let fetched = self.watched(todo, &order, |fetcher, watch| fetcher.fetch(&order, watch))?;
        // The fetching process is not trusted: its files are read again.
        let hash = TreeHash::of_folder(&todo.staged, &[])?;
        if hash != fetched.hash {
            return Err(FetchError::Ended("the written files differ from the reported ones".into()).into());
        }
        match todo.pinned() {
            Some(locked) => is_as_locked(&fetched, locked).map(|()| Brought { fetched, item }),
            None => Ok(Brought { fetched, item }),
        }
    }

    fn way(&self, todo: &Todo, url: &GitUrl, is_pinned: bool) -> Way {
        let Download { allowed, cancel, .. } = *self.download;
        self.hosts.way(url, allowed, self.lock, todo.locked.as_ref(), is_pinned, cancel)
    }

    fn order(&self, url: GitUrl, way: Way, task: Task) -> Order {
        let Download { allowed, patience, cap, cache, .. } = *self.download;
        Order { url, task, allowed, patience, way, cap, cache: cache.to_path_buf() }
    }

    /// Runs an order; what it reports goes to whoever watches the download.
    fn watched<T>(
        &mut self,
        todo: &Todo,
        order: &Order,
        work: impl FnOnce(&mut Fetcher<'_>, Watch<'_>) -> Result<T, FetchError>,
    ) -> Result<T, FetchError> {
        let (name, reporter, hosts) = (&todo.wanted.name, self.reporter, self.hosts);
        let mut progress = |progress| reporter.report(FetchEvent::Progress { name: name.clone(), progress });
        let mut https = |answers| hosts.tell(&order.url.host, answers);
        let mut ask = self.download.ask.map(|ask| |url: &str| ask(url));
        let ask = ask.as_mut().map(|ask| ask as &mut AskUser<'_>);
        let watch = Watch { progress: &mut progress, https: &mut https, ask, cancel: self.download.cancel };
        let ended = work(self.fetcher, watch);
        if order.url.transport == Transport::Git {
            self.hosts.ended(&order.url.host);
        }
        ended
    }
}
