//! The machine as typed facets, and the hosts that stand in for it: local, overlay, memory.
//!
//! [`Look`] only reads; [`Act`] also writes, and is all that a kind gets for one turn. [`Overlay`] keeps writes in memory
//! over any `Look`, so a preview is an apply on another host and cannot write: it never holds an `Act` of the machine.
//! What an overlay cannot know has a footprint: below a path that an unknown step may create, a missing file is
//! [`HostError::Unknown`] and not missing.
//! What is not a file (packages, services, accounts, mounts, parameters of the kernel, interfaces) is looked at through a
//! facet of its own and changed by [`ActSystem::change`], with a [`SystemChange`] as data, which knows its [`Inverse`].
//! Deliberately absent: what any kind wants of the machine (`resource/`), and when (`engine/`).

mod accounts;
mod batch;
mod commands;
mod error;
mod files;
mod kernel;
#[allow(clippy::disallowed_methods, reason = "this is where before-images are taken and deeds written down")]
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
mod web;

pub use accounts::{
    AccountChange, Accounts, Group, Identity, LookAccounts, NewAccounts, NewUser, User, is_account_name,
};
pub use batch::{Ahead, Batch, each, each_waiting, goes_with_others};
pub use commands::{ActCommands, Command, LookCommands, OUTPUT_CAP, Output};
pub use error::HostError;
pub use files::{ActFiles, FileImage, FileKind, LookFiles, Owner, READ_CAP, Stat, is_private, split_path};
pub use kernel::{KernelChange, LookKernel, is_kernel_key};
pub use local::{
    FetchedArchives, Followed, Following, LiveWeb, Local, LocalLook, fetch_archives, follow, follow_unit, mind,
    own_program,
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
pub use system::{ActSystem, Inverse, SystemChange, Tell, Within};

use crate::graph::ResourceId;
pub use web::{Answer, Fetch, Fetched, LookWeb, Page, Site, Web};

/// Everything that can be asked of a machine without changing it.
pub trait Look: LookFiles + LookAccounts + LookCommands + LookSystem + LookWeb + Send + Sync {}

impl<T: LookFiles + LookAccounts + LookCommands + LookSystem + LookWeb + Send + Sync> Look for T {}

/// The facets beside files, accounts and commands.
pub trait LookSystem: LookPackages + LookServices + LookMounts + LookKernel + LookNetwork {}

impl<T: LookPackages + LookServices + LookMounts + LookKernel + LookNetwork> LookSystem for T {}

/// A machine for the time of one turn: what is looked at and what is done through it belong together.
pub trait Act: Look + ActFiles + ActCommands + ActSystem {
    /// Whether an answer of this turn rested on what earlier turns would have done.
    fn leaned(&self) -> bool {
        false
    }

    /// The package whose maintainer scripts may change an answer of this turn.
    fn scripts_behind(&self) -> Option<String> {
        None
    }

    /// What is done from now on rests on something that may turn out otherwise.
    fn suppose(&self) {}

    /// Whether what is done is only predicted, so that a kind must not make up what an apply would make up anew.
    fn predicts(&self) -> bool {
        false
    }
}

/// Whose turn it is, for hosts that write it down.
#[derive(Clone, Copy, Debug)]
pub struct About<'a> {
    pub resource: &'a ResourceId,
    /// Its values must never be stored, in clear or as a hash.
    pub secret: bool,
}

/// A machine that takes turns.
pub trait Host: Send + Sync {
    /// Opens a turn.
    fn turn(&self) -> Box<dyn Act + '_>;

    /// Opens the turn of a resource.
    fn turn_of(&self, _about: About) -> Box<dyn Act + '_> {
        self.turn()
    }

    /// Announces the installations of packages that turns will ask about; see [`LookPackages::expect`].
    fn expect(&self, _changes: Vec<PackageChange>) {}

    /// Opens turns whose deeds are done together; `None` where each is done for itself.
    fn batch(&self) -> Option<Box<dyn Batch + '_>> {
        None
    }

    /// The web as this machine uses it, with what is served and what came in; `None` where all is predicted.
    fn web(&self) -> Option<&dyn Web> {
        None
    }

    /// Whether nothing is written, so that outcomes are predictions.
    fn is_dry(&self) -> bool;

    /// How many turns were opened, for [`Host::back_to`].
    fn turns(&self) -> usize;

    /// Takes all turns back but the first `turns`, exactly. `false` where this host cannot.
    fn back_to(&self, turns: usize) -> bool;
}
