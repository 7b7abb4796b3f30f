//! The facet of packages: installed and offered versions, and the effects of an installation.

use std::cmp::Ordering;
use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{FileKind, HostError};

/// An installed package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installed {
    pub version: String,
    /// The administrator excluded it from changes.
    pub held: bool,
}

/// The effect of a change on one package. `None` means "not installed".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackageEffect {
    pub name: String,
    pub from: Option<String>,
    pub to: Option<String>,
}

/// A version of a package, as in its archive.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Archive {
    pub name: String,
    pub version: String,
}

/// The contents of a package that is not unpacked yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contents {
    /// Folders before their contents.
    pub entries: Vec<Packed>,
    /// Whether the installation runs maintainer scripts, or creates accounts and files that the package declares.
    pub has_scripts: bool,
}

/// A file, folder or link in a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed {
    pub path: PathBuf,
    pub kind: FileKind,
    pub mode: u32,
    pub user: String,
    pub group: String,
    pub size: u64,
    /// The target of a link.
    pub target: Option<PathBuf>,
    /// The content of a configuration file (below [`SETTINGS`]); `None` if it was not read.
    pub text: Option<Arc<[u8]>>,
}

/// The folder of packages' configuration files, which users change.
pub const SETTINGS: &str = "/etc";

/// Querying a package manager.
pub trait LookPackages {
    fn installed(&self, name: &str) -> Result<Option<Installed>, HostError>;

    /// Returns the available versions, the preferred one first. Empty if the package is unknown.
    fn offered(&self, name: &str) -> Result<Vec<String>, HostError>;

    /// Returns all effects of a change, including dependencies. `None` if the manager cannot predict them.
    fn effects(&self, change: &PackageChange) -> Result<Option<Vec<PackageEffect>>, HostError>;

    /// Returns all effects of several changes in sequence. `None` if the manager cannot predict them.
    fn effects_together(&self, _changes: &[PackageChange]) -> Result<Option<Vec<PackageEffect>>, HostError> {
        Ok(None)
    }

    /// Announces the installations that will be asked about, so that one simulation can answer for all of them.
    fn expect(&self, _changes: Vec<PackageChange>) {}

    /// Returns the contents of a version that is not unpacked yet. `None` if its archive is not available, or if the
    /// manager might use another one.
    fn contents(&self, _name: &str, _version: &str) -> Result<Option<Contents>, HostError> {
        Ok(None)
    }

    /// Whether a removed package left its configuration.
    fn left_settings(&self, _name: &str) -> Result<bool, HostError> {
        Ok(false)
    }

    /// Whether the manager can exclude a package from changes.
    fn can_hold(&self) -> Result<bool, HostError> {
        Ok(true)
    }

    /// Returns the paths of a package. `None` if they are unknown, as for one that was never fetched.
    fn files(&self, _name: &str) -> Result<Option<Vec<PathBuf>>, HostError> {
        Ok(None)
    }
}

/// A package to install.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WantedPackage {
    pub name: String,
    /// The expected version; required if `exact`.
    pub version: Option<String>,
    pub exact: bool,
}

/// A change of packages. Several packages form one transaction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum PackageChange {
    Install {
        packages: Vec<WantedPackage>,
        allow_downgrade: bool,
        allow_untrusted: bool,
    },
    /// The configuration stays, if the manager distinguishes it.
    Remove {
        packages: Vec<String>,
        /// The configuration is removed too.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        purge: bool,
    },
}

/// Excludes an installed package from changes, or releases it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackageHold {
    pub name: String,
    pub held: bool,
}

impl PackageChange {
    /// Returns the names of the changed packages.
    pub fn names(&self) -> Vec<&str> {
        match self {
            PackageChange::Install { packages, .. } => packages.iter().map(|package| package.name.as_str()).collect(),
            PackageChange::Remove { packages, .. } => packages.iter().map(String::as_str).collect(),
        }
    }
}

/// Whether a text is a valid package name, which no manager can take for an option, pattern or path.
pub fn is_package_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "+-._:@".contains(c);
    name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.len() <= 200 && name.chars().all(plain)
}

/// Whether a text is a valid version.
pub fn is_version(version: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "+-.:~^_".contains(c);
    version.starts_with(|c: char| c.is_ascii_alphanumeric()) && version.len() <= 200 && version.chars().all(plain)
}

/// Compares two versions in Debian's order: an epoch, then the rest, in which `~` sorts before the end. The other
/// managers order the common cases alike.
pub fn compare_versions(a: &str, b: &str) -> Ordering {
    let epoch = |version: &str| match version.split_once(':') {
        Some((epoch, rest)) => (epoch.parse().unwrap_or(0_u64), rest.to_owned()),
        None => (0, version.to_owned()),
    };
    let ((a_epoch, a), (b_epoch, b)) = (epoch(a), epoch(b));
    let parts = |version: &str| match version.rsplit_once('-') {
        Some((upstream, revision)) => (upstream.to_owned(), revision.to_owned()),
        None => (version.to_owned(), String::new()),
    };
    let ((a, a_revision), (b, b_revision)) = (parts(&a), parts(&b));
    let upstream = || compare_part(a.as_bytes(), b.as_bytes());
    let revision = || compare_part(a_revision.as_bytes(), b_revision.as_bytes());
    a_epoch.cmp(&b_epoch).then_with(upstream).then_with(revision)
}

/// Compares texts and numbers in alternation.
fn compare_part(mut a: &[u8], mut b: &[u8]) -> Ordering {
    while !a.is_empty() || !b.is_empty() {
        let (a_text, a_rest) = a.split_at(a.iter().position(u8::is_ascii_digit).unwrap_or(a.len()));
        let (b_text, b_rest) = b.split_at(b.iter().position(u8::is_ascii_digit).unwrap_or(b.len()));
        for at in 0..a_text.len().max(b_text.len()) {
            match weight(a_text.get(at)).cmp(&weight(b_text.get(at))) {
                Ordering::Equal => {}
                other => return other,
            }
        }
        let digits = |rest: &[u8]| rest.iter().position(|c| !c.is_ascii_digit()).unwrap_or(rest.len());
        let (a_number, a_rest) = a_rest.split_at(digits(a_rest));
        let (b_number, b_rest) = b_rest.split_at(digits(b_rest));
        match compare_numbers(a_number, b_number) {
            Ordering::Equal => {}
            other => return other,
        }
        (a, b) = (a_rest, b_rest);
    }
    Ordering::Equal
}

/// `~` before the end, the end before letters, letters before the rest.
fn weight(c: Option<&u8>) -> i32 {
    match c {
        Some(b'~') => -1,
        None => 0,
        Some(c) if c.is_ascii_alphabetic() => i32::from(*c),
        Some(c) => i32::from(*c) + 256,
    }
}

/// For numbers of any length.
fn compare_numbers(a: &[u8], b: &[u8]) -> Ordering {
    let trim = |number: &[u8]| number.iter().position(|c| *c != b'0').map_or(number.len(), |at| at);
    let (a, b) = (&a[trim(a)..], &b[trim(b)..]);
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_ordered_as_debian_orders_them() {
        let rising = ["1.0~rc1-1", "1.0-1", "1.0-1+b1", "1.0-2", "1.0-10", "1.0a", "1.0.1", "1.2", "1.10", "1:0.1"];
        for pair in rising.windows(2) {
            assert_eq!(compare_versions(pair[0], pair[1]), Ordering::Less, "{pair:?}");
            assert_eq!(compare_versions(pair[1], pair[0]), Ordering::Greater, "{pair:?}");
        }
        assert_eq!(compare_versions("1.007", "1.7"), Ordering::Equal);
        assert_eq!(compare_versions("99999999999999999999999", "100000000000000000000000"), Ordering::Less);
    }

    #[test]
    fn names_hold_nothing_that_a_manager_could_misread() {
        for name in ["hello", "g++", "libc6:amd64", "python3.11", "kernel-core"] {
            assert!(is_package_name(name), "{name}");
        }
        for name in ["", "-y", "--force", "a b", "a*", "../x.deb", "./x", "/x", "a=1", "a\0", "a;b"] {
            assert!(!is_package_name(name), "{name}");
        }
        assert!(is_version("1:2.3~rc1-4+b1") && !is_version("-1") && !is_version("1 2"));
    }
}
