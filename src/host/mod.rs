//! The machine as typed facets, and the hosts that represent it: local, overlay, memory.
//!
//! [`Look`] only reads. [`Act`] also writes, and is all that a kind gets for one turn. [`Overlay`] stores writes in
//! memory over any `Look`, so a preview is an apply on another host and cannot write: it never holds an `Act` of the
//! machine. An overlay also tracks what it cannot know: below a path that an unknown step may create, a missing file is
//! [`HostError::Unknown`] instead of missing. Everything except files (packages, services, accounts, mounts, kernel
//! parameters, interfaces) has its own facet to inspect it. [`Act::perform`] changes everything, by an [`Operation`] as
//! data; a [`SystemChange`] knows its [`Inverse`]. Deliberately absent: the desired state of each kind (`resource/`), and when it
//! is applied (`engine/`).

mod accounts;
mod batch;
mod commands;
mod error;
mod files;
mod kernel;
#[allow(clippy::disallowed_methods, reason = "this is where before-images are taken and operations are logged")]
pub mod journal;
#[allow(clippy::disallowed_methods, reason = "this is where the machine is looked at and changed")]
mod local;
mod memory;
mod messages;
mod mounts;
mod network;
mod operation;
mod overlay;
mod packages;
mod services;
mod system;
mod system_words;
mod through;
mod web;

pub use accounts::{AccountChange, Accounts, Group, Identity, LookAccounts, NewAccounts, NewUser, User};
pub use batch::{Ahead, Batch, each, each_waiting, is_batchable};
pub use commands::{ActCommands, Command, LookCommands, OUTPUT_CAP, Output};
pub use error::HostError;
pub use files::{FileImage, FileKind, LookFiles, Owner, READ_CAP, Stat, is_private, split_path};
pub use kernel::{KernelChange, LookKernel, is_kernel_key};
pub use local::{
    FetchedArchives, Followed, Following, LiveWeb, Local, LocalLook, fetch_archives, follow, follow_unit,
    group_without_children, mind, own_program,
};
pub use memory::Memory;
pub use messages::{Message, is_field_name};
pub use mounts::{LookMounts, MountChange, Mounted, change_mounts};
pub use network::{Interface, InterfaceChange, InterfaceVerb, LookNetwork, is_interface_name};
pub use operation::Operation;
pub use overlay::Overlay;
pub use packages::{
    Archive, Contents, Installed, LookPackages, PackageChange, PackageEffect, PackageHold, Packed, SETTINGS,
    WantedPackage, compare_versions, is_package_name, is_version,
};
pub use services::{Active, LookServices, Presence, Service, ServiceChange, Startup, Unit, Verb, is_unit_name};
pub use system::{Inverse, Progress, SystemChange, Within};

use std::path::Path;

use crate::graph::ResourceId;
pub use web::{Answer, Fetch, Fetched, LookWeb, Page, Site, Web};

/// All read-only queries of a machine.
pub trait Look: LookFiles + LookAccounts + LookCommands + LookSystem + LookWeb + Send + Sync {}

impl<T: LookFiles + LookAccounts + LookCommands + LookSystem + LookWeb + Send + Sync> Look for T {}

/// The facets other than files, accounts and commands.
pub trait LookSystem: LookPackages + LookServices + LookMounts + LookKernel + LookNetwork {}

impl<T: LookPackages + LookServices + LookMounts + LookKernel + LookNetwork> LookSystem for T {}

/// A machine during one turn: the inspection and the changes of a turn belong together.
pub trait Act: Look + ActCommands {
    /// Performs an operation, with limits for long changes. Returns report lines.
    fn perform_within(&self, operation: &Operation, within: &Within) -> Result<Vec<String>, HostError>;

    fn perform(&self, operation: &Operation) -> Result<(), HostError> {
        self.perform_within(operation, &Within::default()).map(drop)
    }

    /// Declares that something unknown may be created at or below a path. Only an overlay remembers it.
    fn may_create(&self, _path: &Path) {}

    /// Whether an answer of this turn depends on predicted effects of earlier turns.
    fn leaned(&self) -> bool {
        false
    }

    /// Returns the package whose maintainer scripts may change an answer of this turn.
    fn scripting_package(&self) -> Option<String> {
        None
    }

    /// Marks all later changes of this turn as predicted from uncertain answers.
    fn assume(&self) {}

    /// Whether changes are only predicted. Then a kind must not generate values that an apply would generate again.
    fn predicts(&self) -> bool {
        false
    }
}

/// The resource of a turn, for hosts that record it.
#[derive(Clone, Copy, Debug)]
pub struct About<'a> {
    pub resource: &'a ResourceId,
    /// Its values must never be stored, neither as text nor as a hash.
    pub secret: bool,
}

/// A machine that opens turns.
pub trait Host: Send + Sync {
    /// Opens a turn.
    fn turn(&self) -> Box<dyn Act + '_>;

    /// Opens the turn of a resource.
    fn turn_of(&self, _about: About) -> Box<dyn Act + '_> {
        self.turn()
    }

    /// Announces the package installations that turns will ask about; see [`LookPackages::expect`].
    fn expect(&self, _changes: Vec<PackageChange>) {}

    /// Opens turns whose operations are performed together; `None` if the host performs each separately.
    fn batch(&self) -> Option<Box<dyn Batch + '_>> {
        None
    }

    /// Returns the web as this machine uses it, with its servers and received values; `None` if all is predicted.
    fn web(&self) -> Option<&dyn Web> {
        None
    }

    /// Whether nothing is written, so that outcomes are predictions.
    fn is_dry(&self) -> bool;

    /// Returns the number of opened turns, for [`Host::back_to`].
    fn turns(&self) -> usize;

    /// Undoes all turns except the first `turns`, exactly. Returns `false` if this host cannot.
    fn back_to(&self, turns: usize) -> bool;
}

#[cfg(test)]
#[path = "../../tests/suite/skip.rs"]
mod skip;
