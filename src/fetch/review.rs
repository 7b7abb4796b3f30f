//! What changed in a fetched module since it was approved last: the commits, and its files as they are against those of then.
//!
//! Only the cache and the module's folder are read. The files on the disk are what acts, so they are compared, and not those of
//! the newest commit.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use git2::{Oid, Patch, Repository, Sort, TreeWalkMode, TreeWalkResult};

use super::FetchError;
use super::hash::files_of;
use super::mirror::folder_of;
use super::url::GitUrl;

/// The most commits that are listed.
const COMMITS: usize = 200;
/// The most lines of differences that are listed.
const LINES: usize = 20_000;
/// What is larger is not compared line by line.
const LARGE: u64 = 1 << 20;

/// What there is to read before a module is approved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Review {
    /// The commit that was approved last, where it is known.
    pub from: Option<String>,
    /// Newest first, each with its subject.
    pub commits: Vec<String>,
    /// A unified diff; the whole tree where nothing was approved before.
    pub diff: Vec<String>,
    /// What could not be looked at.
    pub notes: Vec<String>,
}

/// A module to be approved.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// As imported.
    pub name: &'a str,
    /// The URL that it came from, where that is another one.
    pub from: Option<&'a str>,
    pub folder: &'a Path,
    /// Folders in it that are modules of their own.
    pub nested: &'a [PathBuf],
    /// The commit that it was fetched at.
    pub commit: Option<&'a str>,
    /// The commit that was approved last.
    pub approved: Option<&'a str>,
}

/// Compares a module with its last approved version.
pub fn review(cache: Option<&Path>, subject: Subject<'_>) -> Result<Review, FetchError> {
    let mut review = Review { from: subject.approved.map(str::to_owned), ..Review::default() };
    let url = GitUrl::parse(subject.name).or_else(|_| GitUrl::parse(subject.from.unwrap_or_default()));
    let mirror = cache.zip(url.ok());
    let mirror = mirror.and_then(|(cache, url)| Repository::open_bare(folder_of(cache, &url)).ok());
    let before = subject.approved.and_then(|approved| {
        let files = mirror.as_ref().and_then(|mirror| tree(mirror, approved).ok());
        if files.is_none() {
            review.notes.push(format!("The cache does not have commit {}: the whole tree is shown.", short(approved)));
        }
        files
    });
    if let (Some(approved), Some(commit), Some(_)) = (subject.approved, subject.commit, &before) {
        match mirror.as_ref().map(|mirror| commits(mirror, approved, commit)) {
            Some(Ok(commits)) => review.commits = commits,
            _ => review.notes.push(format!("The cache does not have the commits up to {}.", short(commit))),
        }
    }
    let before = before.unwrap_or_default();
    let now: BTreeSet<String> = files_of(subject.folder, subject.nested)?.into_iter().collect();
    for path in before.keys().chain(&now).collect::<BTreeSet<_>>() {
        let old = before.get(path);
        let new = now.contains(path).then(|| read(&subject.folder.join(path))).transpose()?;
        if let (Some(old), Some(mirror)) = (old, &mirror)
            && let (Ok(blob), Some(Some(new))) = (mirror.find_blob(*old), &new)
            && blob.content() == &new[..]
        {
            continue;
        }
        let old = old.and_then(|old| Some(mirror.as_ref()?.find_blob(*old).ok()?.content().to_vec()));
        compare(path, old.as_deref(), new.as_ref().map(Option::as_deref), &mut review.diff);
        if review.diff.len() > LINES {
            review.diff.truncate(LINES);
            review.notes.push(format!("Only the first {LINES} lines are shown."));
            break;
        }
    }
    Ok(review)
}

/// The first digits of a commit.
pub fn short(commit: &str) -> &str {
    commit.get(..12).unwrap_or(commit)
}

/// The files of a commit.
fn tree(mirror: &Repository, commit: &str) -> Result<BTreeMap<String, Oid>, git2::Error> {
    let tree = mirror.find_commit(Oid::from_str(commit)?)?.tree()?;
    let mut files = BTreeMap::new();
    tree.walk(TreeWalkMode::PreOrder, |folder, entry| {
        if entry.kind() == Some(git2::ObjectType::Blob) {
            files.insert(format!("{folder}{}", String::from_utf8_lossy(entry.name_bytes())), entry.id());
        }
        TreeWalkResult::Ok
    })?;
    Ok(files)
}

fn commits(mirror: &Repository, from: &str, to: &str) -> Result<Vec<String>, git2::Error> {
    let mut walk = mirror.revwalk()?;
    walk.set_sorting(Sort::TOPOLOGICAL)?;
    walk.push(Oid::from_str(to)?)?;
    walk.hide(Oid::from_str(from)?)?;
    let mut lines = Vec::new();
    for id in walk.take(COMMITS) {
        let commit = mirror.find_commit(id?)?;
        let message = String::from_utf8_lossy(commit.message_bytes()).into_owned();
        let author = String::from_utf8_lossy(commit.author().name_bytes()).into_owned();
        let subject = message.lines().next().unwrap_or_default();
        lines.push(format!("{} {subject} ({author})", short(&commit.id().to_string())));
    }
    Ok(lines)
}

/// The content of a file; `None` for another kind of file, and for one that is too large.
fn read(path: &Path) -> Result<Option<Vec<u8>>, FetchError> {
    let failed = |error: std::io::Error| FetchError::disk(path, error);
    let stat = fs::symlink_metadata(path).map_err(failed)?;
    if !stat.is_file() || stat.len() > LARGE {
        return Ok(None);
    }
    fs::read(path).map(Some).map_err(failed)
}

fn compare(path: &str, old: Option<&[u8]>, new: Option<Option<&[u8]>>, diff: &mut Vec<String>) {
    let name = |side: &str, is_there: bool| if is_there { format!("{side}/{path}") } else { "/dev/null".into() };
    diff.push(format!("--- {}", name("a", old.is_some())));
    diff.push(format!("+++ {}", name("b", new.is_some())));
    let new = match new {
        Some(None) => return diff.push("(no plain file, or too large to compare)".into()),
        Some(Some(new)) => new,
        None => &[],
    };
    let is_binary = |text: &[u8]| text.contains(&0);
    let old = old.unwrap_or_default();
    if is_binary(old) || is_binary(new) {
        return diff.push("(binary)".into());
    }
    let text = Patch::from_buffers(old, None, new, None, None).and_then(|mut patch| patch.to_buf());
    let Ok(text) = text else { return diff.push("(cannot be compared)".into()) };
    // Its head names no files.
    let text = String::from_utf8_lossy(&text).into_owned();
    diff.extend(text.lines().skip_while(|line| !line.starts_with("@@")).map(str::to_owned));
}
