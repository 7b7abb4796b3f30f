//! Targets: engines that exist, to which a deploy is handed so that it runs on many machines.
//!
//! A [`Target`] is looked at first ([`Target::probe`], [`Target::preview`]), then given an [`Offer`]; it is all there or not
//! at all, and only where nobody else came in between. What was published is read back, and a newer deploy undoes an older one
//! ([`Target::rollback`]): what was published is never changed.
//!
//! The one target until now is a cluster of mgmt's ([`mgmt`]), which keeps its deploys in [`etcd`]: a [`record`] that names a
//! [`tree`], both in [`gob`], and every content by its hash. What a program's files are called there is [`layout`]'s job.
//! Deliberately absent: agents, a scheduler and consensus. The engine that exists has them.

mod commit;
mod error;
pub mod etcd;
pub mod gob;
mod layout;
pub mod mgmt;
pub mod record;
pub mod tree;

use serde::{Deserialize, Serialize};

use crate::deploy::bundle::Content;
use crate::world::Cancel;

pub use commit::{Origin, origin};
pub use error::TargetError;
pub use layout::{flat_tree, program_tree, yaml_tree};
pub use record::{Choices, Frontend, Record};
pub use tree::{Leaf, Tree};

/// An engine that takes deploys.
pub trait Target: Send + Sync {
    /// Who answers.
    fn probe(&self, cancel: &Cancel) -> Result<Facts, TargetError>;

    /// All deploys that are there, oldest first.
    fn deploys(&self, cancel: &Cancel) -> Result<Vec<Published>, TargetError>;

    /// One deploy with its files; the newest where none is named.
    fn show(&self, id: Option<u64>, cancel: &Cancel) -> Result<(Published, Tree), TargetError>;

    /// What publishing would change there now. Nothing is written.
    fn preview(&self, offer: &Offer, cancel: &Cancel) -> Result<Comparison, TargetError>;

    /// Publishes, where the newest deploy is still the one that was looked at; 0 stands for none. Takes the next number that
    /// often where somebody else was quicker.
    fn publish(
        &self,
        offer: &Offer,
        over: u64,
        retries: u32,
        hear: &mut dyn FnMut(Heard),
        cancel: &Cancel,
    ) -> Result<Published, TargetError>;

    /// Publishes what an older deploy was as a new one, where the newest is still the one that was looked at.
    fn rollback(
        &self,
        to: u64,
        over: u64,
        writer: Writer,
        hear: &mut dyn FnMut(Heard),
        cancel: &Cancel,
    ) -> Result<Published, TargetError>;

    /// Tells every deploy that comes after one, until `hear` says that it was enough.
    fn watch(&self, after: u64, hear: &mut dyn FnMut(Published) -> bool, cancel: &Cancel) -> Result<(), TargetError>;
}

/// Who answers for a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    pub endpoint: String,
    pub version: String,
}

/// What is to be published.
#[derive(Clone, Debug)]
pub struct Offer {
    pub frontend: Frontend,
    pub choices: Choices,
    /// As they are called there.
    pub files: Vec<Content>,
    pub origin: Origin,
    /// Whatever commit runs there, and whatever mgmt's version is.
    pub is_forced: bool,
    pub writer: Writer,
}

/// Who published, as they say themselves.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Writer {
    pub user: String,
    pub host: String,
    pub program: String,
    /// RFC 3339, by their clock.
    pub time: String,
    pub entry: String,
    /// The deploy whose files these are, where it went back to one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub back_to: Option<u64>,
}

impl std::fmt::Display for Writer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}@{}", self.user, self.host)
    }
}

/// A deploy that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Published {
    pub id: u64,
    /// When it came, as the store counts.
    pub revision: u64,
    /// Or why it does not read.
    pub record: Result<Record, String>,
    pub commit: Option<String>,
    /// Nobody, where it was not us.
    pub writer: Option<Writer>,
}

/// What publishing would change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// The newest deploy until now.
    pub live: Option<Published>,
    /// The number that it would get.
    pub next: u64,
    pub added: Vec<String>,
    pub changed: Vec<String>,
    pub removed: Vec<String>,
    pub same: usize,
    /// Of all files that it would have.
    pub bytes: u64,
    /// Why the files that are there could not be compared with.
    pub unread: Option<String>,
}

/// How far publishing has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    /// So many of so many contents are there.
    Sent(usize, usize),
    /// So many of so many were read back.
    ReadBack(usize, usize),
    /// Somebody else took the number.
    Raced(u64),
    /// So many trees that no deploy names were removed.
    Swept(usize),
}
