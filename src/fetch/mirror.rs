//! Bare copies of repositories in the cache: fetched into, never checked out.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use git2::{
    AutotagOption, Direction, FetchOptions, FetchPrune, Oid, Reference, Remote, RemoteCallbacks, Repository,
    RepositoryInitOptions,
};

use super::FetchError;
use super::hash::short_name;
use super::release::Release;
use super::transport::{Job, with_job};
use super::url::{GitUrl, Transport};

/// What is fetched: branches and tags. A forge keeps tens of thousands of other refs.
const REFSPECS: [&str; 2] = ["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"];

/// What a fetch is to bring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need<'a> {
    /// All branches and tags, with their histories.
    All,
    /// The files of a ref's newest commit, if that is the wanted one; more if that costs no less.
    Tip { reference: Option<&'a str>, commit: Option<Oid> },
}

/// What a fetch brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Brought {
    All,
    Tip,
}

/// A fetch this deep brings what one without a depth does, and what earlier ones left out.
const WHOLE: i32 = i32::MAX;

/// How far a fetch has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Progress {
    pub bytes: u64,
    pub objects: usize,
    /// 0 until it is known.
    pub of_objects: usize,
    /// For how many seconds nothing has come; 0 while something does.
    #[serde(default)]
    pub silent: u64,
}

/// A number of bytes as people read it.
pub fn in_bytes(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..1_048_576 => format!("{:.1} KiB", bytes as f64 / 1024.0),
        _ => format!("{:.1} MiB", bytes as f64 / 1_048_576.0),
    }
}

/// A bare repository in the cache.
pub struct Mirror {
    repository: Repository,
    folder: PathBuf,
    /// Whoever holds it fetches; the kernel lets go of it when the process ends.
    _lock: fs::File,
}

/// The folder of a repository's mirror.
pub fn folder_of(cache: &Path, url: &GitUrl) -> PathBuf {
    cache.join(format!("{}.git", short_name(url.to_string().as_bytes())))
}

impl Mirror {
    /// Opens the mirror of a repository, made empty where there is none yet. Waits for others that use it.
    pub fn open(cache: &Path, url: &GitUrl) -> Result<Self, FetchError> {
        let name = short_name(url.to_string().as_bytes());
        let folder = folder_of(cache, url);
        fs::create_dir_all(cache).map_err(|error| FetchError::disk(cache, error))?;
        let lock_path = cache.join(format!("{name}.lock"));
        let lock = fs::File::create(&lock_path).map_err(|error| FetchError::disk(&lock_path, error))?;
        lock.lock().map_err(|error| FetchError::disk(&lock_path, error))?;
        let repository = match Repository::open_bare(&folder) {
            Ok(repository) => repository,
            Err(_) => {
                // The folder is not a repository: it is the rest of an interrupted fetch.
                if folder.symlink_metadata().is_ok() {
                    fs::remove_dir_all(&folder).map_err(|error| FetchError::disk(&folder, error))?;
                }
                let mut options = RepositoryInitOptions::new();
                options.bare(true).external_template(false);
                Repository::init_opts(&folder, &options)?
            }
        };
        let mirror = Self { repository, folder, _lock: lock };
        mirror.sweep();
        Ok(mirror)
    }

    /// Lets others fetch into it: objects that are there stay.
    pub fn into_repository(self) -> Repository {
        self.repository
    }

    /// How many commits the first has more than the second, and the reverse. Nothing if one of them is not here.
    pub fn apart(&self, one: Oid, other: Oid) -> Option<(usize, usize)> {
        self.repository.find_commit(other).ok()?;
        self.repository.graph_ahead_behind(one, other).ok()
    }

    /// The subject line of a commit.
    pub fn subject(&self, commit: Oid) -> String {
        const MOST: usize = 120;
        let commit = self.repository.find_commit(commit).ok();
        let message = commit.as_ref().map(|commit| String::from_utf8_lossy(commit.message_bytes()).into_owned());
        message.unwrap_or_default().lines().next().unwrap_or_default().chars().take(MOST).collect()
    }

    /// Packs that a killed fetch left behind.
    fn sweep(&self) {
        let packs = self.folder.join("objects/pack");
        for entry in fs::read_dir(packs).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with("pack_git2_") {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// Whether a commit is here already.
    pub fn has(&self, commit: &str) -> bool {
        Oid::from_str(commit).is_ok_and(|id| self.repository.find_commit(id).is_ok())
    }

    /// Fetches as little as possible.
    pub fn fetch(
        &self,
        url: &GitUrl,
        need: Need<'_>,
        job: &Arc<Job>,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Brought, FetchError> {
        let failed = |error: git2::Error| job.take_error().unwrap_or_else(|| error_of(url, job, &error));
        if let Need::Tip { reference, commit } = need
            && self.may_be_shallow(url)
        {
            match with_job(job, || self.fetch_tip(url, reference, commit, job, progress)) {
                Ok(brought) => return Ok(brought),
                // A server that knows histories only whole.
                Err(error) if error.class() == git2::ErrorClass::Net && error.message().contains("shallow") => {}
                Err(error) => return Err(failed(error)),
            }
        }
        with_job(job, || {
            let mut remote = self.repository.remote_anonymous(&url.to_string())?;
            self.fetch_all(&mut remote, job, progress)
        })
        .map_err(failed)?;
        Ok(Brought::All)
    }

    /// Whether nothing was fetched yet.
    pub fn is_empty(&self) -> bool {
        self.repository.is_empty().unwrap_or(false)
    }

    /// Whether the newest commit alone costs less than everything. A repository on this machine is not asked so, and one
    /// that is here whole lacks only what is new.
    fn may_be_shallow(&self, url: &GitUrl) -> bool {
        url.transport != Transport::File && (self.repository.is_shallow() || self.is_empty())
    }

    /// Fetches the commit of one branch or tag without what is before it; everything where there is none of that name, no
    /// default branch, or another commit is looked for.
    fn fetch_tip(
        &self,
        url: &GitUrl,
        reference: Option<&str>,
        commit: Option<Oid>,
        job: &Arc<Job>,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Brought, git2::Error> {
        let mut remote = self.repository.remote_anonymous(&url.to_string())?;
        let mut connection = remote.connect_auth(Direction::Fetch, None, None)?;
        let default = match reference {
            Some(_) => None,
            None => connection.default_branch().ok().and_then(|name| name.as_str().map(str::to_owned).ok()),
        };
        let names = match reference {
            Some(name) => vec![format!("refs/tags/{name}"), format!("refs/heads/{name}")],
            None => default.iter().cloned().collect(),
        };
        let listed = connection.list()?;
        // An annotated tag is listed twice, once as the commit that it names.
        let is_there = listed.iter().any(|head| {
            let name = head.name().trim_end_matches("^{}");
            names.iter().any(|wanted| wanted == name) && commit.is_none_or(|commit| head.oid() == commit)
        });
        if !is_there || !names.iter().all(|name| Reference::is_valid_name(name)) {
            self.fetch_all(connection.remote(), job, progress)?;
            return Ok(Brought::All);
        }
        // With a depth libgit2 asks even for what is here.
        let is_same = names.iter().all(|name| {
            let there = listed.iter().find(|head| head.name() == name).map(|head| head.oid());
            there == self.repository.find_reference(name).ok().and_then(|here| here.target())
        });
        if !is_same {
            let specs: Vec<String> = names.iter().map(|name| format!("+{name}:{name}")).collect();
            let mut options = options(job, progress);
            options.depth(1);
            connection.remote().fetch(&specs, Some(&mut options), None)?;
        }
        if let Some(default) = default {
            self.repository.set_head(&default)?;
        }
        Ok(Brought::Tip)
    }

    fn fetch_all(
        &self,
        remote: &mut Remote<'_>,
        job: &Arc<Job>,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(), git2::Error> {
        let mut options = options(job, progress);
        if self.repository.is_shallow() {
            options.depth(WHOLE);
        }
        remote.fetch(&REFSPECS, Some(&mut options), None)?;
        // The remote's own default branch; a mirror is made with ours.
        if let Ok(branch) = remote.default_branch()
            && let Ok(branch) = branch.as_str().map(str::to_owned)
        {
            self.repository.set_head(&branch)?;
        }
        Ok(())
    }

    /// The commit of a ref: a branch, a tag, or a commit's id; the default branch without one.
    pub fn resolve(&self, reference: Option<&str>) -> Result<Oid, FetchError> {
        let Some(name) = reference else {
            let head = self.repository.head().map_err(|_| FetchError::Empty)?;
            return head.peel_to_commit().map(|commit| commit.id()).map_err(|_| FetchError::Empty);
        };
        let unknown = || FetchError::NoReference { reference: name.to_owned(), near: self.near(name) };
        for full in [format!("refs/tags/{name}"), format!("refs/heads/{name}")] {
            if let Ok(found) = self.repository.find_reference(&full) {
                return found.peel_to_commit().map(|commit| commit.id()).map_err(|_| unknown());
            }
        }
        let is_id = name.len() >= 7 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_id {
            return Err(unknown());
        }
        self.repository.find_commit_by_prefix(name).map(|commit| commit.id()).map_err(|_| unknown())
    }

    /// All tags, each as a version with its commit.
    pub fn tags(&self) -> Result<Vec<Release>, FetchError> {
        /// More tags are not read.
        const MOST: usize = 2_000;
        let mut tags = Vec::new();
        for reference in self.repository.references_glob("refs/tags/*")?.flatten().take(MOST) {
            let Ok(name) = reference.shorthand().map(str::to_owned) else { continue };
            let Ok(commit) = reference.peel_to_commit() else { continue };
            let commit = Some(commit.id().to_string());
            tags.push(Release { version: name.clone(), place: name, commit, digest: None, size: None });
        }
        Ok(tags)
    }

    fn near(&self, name: &str) -> Option<String> {
        let references = self.repository.references().ok()?;
        let names: Vec<String> =
            references.flatten().filter_map(|reference| reference.shorthand().ok().map(str::to_owned)).collect();
        crate::diag::nearest(name, names.iter().map(String::as_str)).map(str::to_owned)
    }
}

/// Fetch options: no automatic tags, prune, abort above the byte limit.
fn options<'a>(job: &'a Job, progress: &'a mut dyn FnMut(Progress)) -> FetchOptions<'a> {
    let mut callbacks = RemoteCallbacks::new();
    callbacks.transfer_progress(|stats| {
        let bytes = stats.received_bytes() as u64;
        let (objects, of_objects) = (stats.received_objects(), stats.total_objects());
        progress(Progress { bytes, objects, of_objects, silent: 0 });
        bytes <= job.cap
    });
    let mut options = FetchOptions::new();
    options
        .remote_callbacks(callbacks)
        .download_tags(AutotagOption::None)
        .update_fetchhead(false)
        .prune(FetchPrune::On);
    options
}

/// The error of libgit2, if our transports reported none.
fn error_of(url: &GitUrl, job: &Job, error: &git2::Error) -> FetchError {
    match (error.code(), url.transport) {
        (git2::ErrorCode::User, _) => FetchError::TooLarge { limit: job.cap },
        // Somebody is there, and does not give it.
        (_, Transport::Git) if error.message().starts_with("remote error: ") => {
            FetchError::Git(format!("`{}` reports: {}", url.host, &error.message()["remote error: ".len()..]))
        }
        (_, Transport::Git) if matches!(error.class(), git2::ErrorClass::Net | git2::ErrorClass::Os) => {
            FetchError::Unreachable { host: url.host.clone(), reason: error.message().to_owned() }
        }
        _ => FetchError::Git(error.message().to_owned()),
    }
}
