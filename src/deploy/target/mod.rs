//! Targets: existing engines that receive a deploy and run it on many machines.
//!
//! A [`Target`] is inspected first ([`Target::probe`], [`Target::preview`]) and then receives an [`Offer`]. Publishing
//! is atomic and fails if another deploy was published meanwhile. The published files are read back. A rollback
//! publishes an older deploy as a new one ([`Target::rollback`]): a published deploy never changes.
//!
//! The only target so far is a mgmt cluster ([`mgmt`]), which stores its deploys in [`etcd`]: a [`record`] that names a
//! [`tree`], both in [`gob`], and every content by its hash. [`layout`] maps a program's files to their names there.
//! Deliberately absent: agents, a scheduler and consensus. The existing engine has them.

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

/// An engine that receives deploys.
pub trait Target: Send + Sync {
    /// Returns the server and its version.
    fn probe(&self, cancel: &Cancel) -> Result<Facts, TargetError>;

    /// Returns all deploys, oldest first.
    fn deploys(&self, cancel: &Cancel) -> Result<Vec<Published>, TargetError>;

    /// Returns one deploy with its files; by default the newest.
    fn show(&self, id: Option<u64>, cancel: &Cancel) -> Result<(Published, Tree), TargetError>;

    /// Returns what publishing would change now. Writes nothing.
    fn preview(&self, offer: &Offer, cancel: &Cancel) -> Result<Comparison, TargetError>;

    /// Publishes if the newest deploy is still the inspected one; 0 means none. If another publisher takes the
    /// number, tries the next one, at most `retries` times.
    fn publish(
        &self,
        offer: &Offer,
        over: u64,
        retries: u32,
        report: &mut dyn FnMut(PublishEvent),
        cancel: &Cancel,
    ) -> Result<Published, TargetError>;

    /// Publishes an older deploy as a new one, if the newest is still the inspected one.
    fn rollback(
        &self,
        to: u64,
        over: u64,
        writer: Writer,
        report: &mut dyn FnMut(PublishEvent),
        cancel: &Cancel,
    ) -> Result<Published, TargetError>;

    /// Reports each deploy after a given one, until `report` returns false.
    fn watch(&self, after: u64, report: &mut dyn FnMut(Published) -> bool, cancel: &Cancel) -> Result<(), TargetError>;
}

/// The server of a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    pub endpoint: String,
    pub version: String,
}

/// A deploy to publish.
#[derive(Clone, Debug)]
pub struct Offer {
    pub frontend: Frontend,
    pub choices: Choices,
    /// Under their names in the cluster.
    pub files: Vec<Content>,
    pub origin: Origin,
    /// Ignores the commit of the running deploy and mgmt's version.
    pub is_forced: bool,
    pub writer: Writer,
}

/// The publisher, by its own account.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Writer {
    pub user: String,
    pub host: String,
    pub program: String,
    /// RFC 3339, by the publisher's clock.
    pub time: String,
    pub entry: String,
    /// The older deploy that a rollback published again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub back_to: Option<u64>,
}

impl std::fmt::Display for Writer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}@{}", self.user, self.host)
    }
}

/// A published deploy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Published {
    pub id: u64,
    /// The store's revision of the deploy.
    pub revision: u64,
    /// The record, or why it is unreadable.
    pub record: Result<Record, String>,
    pub commit: Option<String>,
    /// `None` if another program published it.
    pub writer: Option<Writer>,
}

/// What publishing would change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// The newest deploy now.
    pub live: Option<Published>,
    /// The number of the new deploy.
    pub next: u64,
    pub added: Vec<String>,
    pub changed: Vec<String>,
    pub removed: Vec<String>,
    pub same: usize,
    /// The total size of its files.
    pub bytes: u64,
    /// Why the present files could not be compared.
    pub unread: Option<String>,
}

/// The progress of publishing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PublishEvent {
    /// How many of how many contents are stored.
    Sent(usize, usize),
    /// How many of how many contents were read back.
    ReadBack(usize, usize),
    /// Another publisher took the number.
    Raced(u64),
    /// The number of removed trees that no deploy names.
    Swept(usize),
}
