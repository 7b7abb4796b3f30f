//! Requirements of the metadata: other modules, with their allowed versions and sources.

use std::cmp::Ordering;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::world::{Read, Sample, World};

/// A module that a metadata file requires.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Need {
    /// As written.
    pub name: String,
    /// Its folder, below a folder of the module path.
    pub path: PathBuf,
    /// The allowed versions, as written; empty for any.
    pub range: String,
    /// Its possible sources, best first; empty if only the project knows.
    pub sources: Vec<Source>,
    /// Relative to the folder of the requiring module.
    pub file: PathBuf,
    pub line: u32,
    /// The folder for it, relative to the entry, if the file names one.
    pub folder: Option<PathBuf>,
    /// Whether this file alone decides on source and version, and the ranges of other modules are ignored.
    pub decides: bool,
}

/// A source of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    Git {
        url: String,
        pick: Pick,
    },
    /// A module of this name in an index of archives.
    Archive {
        index: String,
        name: String,
        form: Form,
    },
}

/// The selected commit of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pick {
    /// The newest of the default branch.
    Default,
    /// That of a branch, a tag, or a commit's id.
    Reference(String),
    /// The tag of the newest allowed version.
    Newest { prereleases: bool },
}

/// The format of an archive and the protocol of its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// A compressed tar of one folder; the index is a Puppet Forge.
    Forge,
    /// A Python wheel of an Inmanta module; the index is a simple one (PEP 503, PEP 691) or a folder.
    Wheel,
}

/// The version rules of a language.
pub trait Versions: Sync {
    /// `None` if one of the two is not a version.
    fn compare(&self, one: &str, other: &str) -> Option<Ordering>;

    /// Whether a version is in a range; an empty range contains every version. Prereleases are in a range only if it
    /// names one, or if they are allowed.
    fn fits(&self, version: &str, range: &str, prereleases: bool) -> bool;
}

/// A language without versions.
pub struct NoVersions;

impl Versions for NoVersions {
    fn compare(&self, _one: &str, _other: &str) -> Option<Ordering> {
        None
    }

    fn fits(&self, _version: &str, _range: &str, _prereleases: bool) -> bool {
        true
    }
}

/// The index of the newest version that is in all ranges.
pub fn newest(versions: &dyn Versions, all: &[&str], ranges: &[&str], prereleases: bool) -> Option<usize> {
    let ranges = if ranges.is_empty() { &[""] } else { ranges };
    let fits = |version: &str| {
        versions.compare(version, version).is_some()
            && ranges.iter().all(|range| versions.fits(version, range, prereleases))
    };
    let mut best: Option<usize> = None;
    for (at, version) in all.iter().enumerate().filter(|(_, version)| fits(version)) {
        let is_newer = |best: usize| versions.compare(version, all[best]) == Some(Ordering::Greater);
        if best.is_none_or(is_newer) {
            best = Some(at);
        }
    }
    best
}

/// The URL of a repository or an index as people write it: a URL, `user@host:path`, or a path on this machine.
pub fn as_url(world: &dyn World, base: &Path, written: &str) -> String {
    if written.contains("://") {
        return written.to_owned();
    }
    let scp = written.split_once(':').filter(|(host, _)| !host.contains('/') && !host.is_empty());
    if let Some((host, path)) = scp {
        return format!("ssh://{host}/{}", path.trim_start_matches('/'));
    }
    let here = match world.read(&Read::WorkingFolder) {
        Ok(Sample::Path(path)) => path,
        _ => PathBuf::from("/"),
    };
    format!("file://{}", super::clean(&here.join(base).join(written)).display())
}

/// Whether a name is one folder and nothing else.
pub fn is_folder_name(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    let is_plain = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
    is_plain && matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None)) && !name.starts_with('-')
}

/// The line, from 1, of a byte of a text.
pub fn line_at(text: &str, at: usize) -> u32 {
    let before = text.as_bytes().get(..at).unwrap_or_default();
    u32::try_from(before.iter().filter(|byte| **byte == b'\n').count()).unwrap_or(u32::MAX - 1) + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::Memory;

    /// Whole numbers; a range is a list of them.
    struct Numbers;

    impl Versions for Numbers {
        fn compare(&self, one: &str, other: &str) -> Option<Ordering> {
            Some(one.parse::<u32>().ok()?.cmp(&other.parse().ok()?))
        }

        fn fits(&self, version: &str, range: &str, _prereleases: bool) -> bool {
            range.is_empty() || range.split(' ').any(|one| one == version)
        }
    }

    #[test]
    fn the_newest_that_is_in_all_ranges_is_picked() {
        let all = ["9", "10", "x", "7", "10"];
        assert_eq!(newest(&Numbers, &all, &[], false), Some(1), "the first of two equals");
        assert_eq!(newest(&Numbers, &all, &["9 7 10", "7 9"], false), Some(0));
        assert_eq!(newest(&Numbers, &all, &["7", "9"], false), None);
        assert_eq!(newest(&Numbers, &["x"], &[], false), None, "it is not a version");
    }

    #[test]
    fn written_places_become_urls() {
        let url = |text| as_url(&Memory::default(), Path::new("/p"), text);
        assert_eq!(url("https://h/x.git"), "https://h/x.git");
        assert_eq!(url("git@h.example:o/x.git"), "ssh://git@h.example/o/x.git");
        assert_eq!(url("../repos/x"), "file:///repos/x");
        assert_eq!(url("/srv/x"), "file:///srv/x");
    }

    #[test]
    fn folder_names_stay_where_they_are() {
        for name in ["", ".", "..", "a/b", "/", "-x", "a b", "a\n"] {
            assert!(!is_folder_name(name), "{name:?}");
        }
        assert!(is_folder_name("concat") && is_folder_name("x_y-z.1"));
    }
}
