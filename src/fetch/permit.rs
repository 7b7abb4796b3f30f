//! What the user may allow beyond https, ssh and plain trees: for one download, in the settings, or for a module by the lock.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::tree::Shapes;
use super::url::Allowed;

/// One thing that is refused unless the user allows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Permit {
    /// `git://` without encryption, where https does not do.
    Git,
    /// `http://` without encryption.
    Http,
    /// Paths on this machine.
    File,
    /// Symbolic links and submodules are left out, and the rest is taken.
    Links,
    /// Symbolic links come as copies of what they lead to in the module.
    Copies,
    /// Submodules are fetched too.
    Submodules,
    /// Names that mean something else on another system.
    Names,
}

impl Permit {
    /// All permits, in the order of the settings.
    pub const ALL: [Permit; 7] =
        [Permit::Git, Permit::Http, Permit::File, Permit::Links, Permit::Copies, Permit::Submodules, Permit::Names];

    /// As flags, settings and the lock spell it.
    pub fn word(self) -> &'static str {
        match self {
            Permit::Git => "git",
            Permit::Http => "http",
            Permit::File => "file",
            Permit::Links => "links",
            Permit::Copies => "copies",
            Permit::Submodules => "submodules",
            Permit::Names => "names",
        }
    }

    /// Returns the permit with this word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|permit| permit.word() == word)
    }

    /// What it lets in, for a question.
    pub fn says(self) -> &'static str {
        match self {
            Permit::Git => "git:// is unencrypted; anyone on the network path can alter it",
            Permit::Http => "http:// is unencrypted; anyone on the network path can alter it",
            Permit::File => "repositories on this machine",
            Permit::Links => "modules with symbolic links or submodules, which are skipped",
            Permit::Copies => "symbolic links within a module, copied from their targets",
            Permit::Submodules => "submodules, fetched like their module",
            Permit::Names => "file names that are not portable",
        }
    }
}

/// The transports among some permits.
pub fn transports(permits: &BTreeSet<Permit>) -> Allowed {
    let has = |permit| permits.contains(&permit);
    Allowed { git: has(Permit::Git), http: has(Permit::Http), file: has(Permit::File) }
}

/// What a tree may hold by some permits.
pub fn shapes<'p>(permits: impl IntoIterator<Item = &'p Permit>) -> Shapes {
    let mut shapes = Shapes::default();
    for permit in permits {
        match permit {
            Permit::Links => shapes.without_links = true,
            Permit::Copies => shapes.copies = true,
            Permit::Submodules => shapes.submodules = true,
            Permit::Names => shapes.odd_names = true,
            Permit::Git | Permit::Http | Permit::File => {}
        }
    }
    shapes
}
