//! Inspection through another machine: a turn whose answers are those of what it changes.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{
    Accounts, Command, HostError, Identity, Installed, Interface, Look, LookAccounts, LookCommands, LookFiles,
    LookKernel, LookMounts, LookNetwork, LookPackages, LookServices, LookWeb, Mounted, Output, PackageChange,
    PackageEffect, Service, Stat, Unit, Web,
};

/// Passes all queries on, except those that it answers itself.
pub(super) trait Through {
    fn look(&self) -> &dyn Look;

    fn own_stat(&self, path: &Path) -> Result<Option<Stat>, HostError> {
        self.look().stat(path)
    }

    fn own_web(&self) -> Option<&dyn Web> {
        self.look().web()
    }
}

impl<T: Through> LookFiles for T {
    fn stat(&self, path: &Path) -> Result<Option<Stat>, HostError> {
        self.own_stat(path)
    }

    fn stat_target(&self, path: &Path) -> Result<Option<Stat>, HostError> {
        self.look().stat_target(path)
    }

    fn read(&self, path: &Path) -> Result<Option<Arc<[u8]>>, HostError> {
        self.look().read(path)
    }

    fn read_link(&self, path: &Path) -> Result<PathBuf, HostError> {
        self.look().read_link(path)
    }

    fn list(&self, path: &Path) -> Result<Vec<OsString>, HostError> {
        self.look().list(path)
    }

    fn same(&self, one: &Path, other: &Path) -> Result<Option<bool>, HostError> {
        self.look().same(one, other)
    }

    fn modified(&self, path: &Path) -> Result<Option<i64>, HostError> {
        self.look().modified(path)
    }

    fn xattr(&self, path: &Path, name: &str) -> Result<Option<Vec<u8>>, HostError> {
        self.look().xattr(path, name)
    }
}

impl<T: Through> LookAccounts for T {
    fn identity(&self) -> Identity {
        self.look().identity()
    }

    fn uid(&self, name: &str) -> Result<Option<u32>, HostError> {
        self.look().uid(name)
    }

    fn gid(&self, name: &str) -> Result<Option<u32>, HostError> {
        self.look().gid(name)
    }

    fn user_name(&self, uid: u32) -> Option<String> {
        self.look().user_name(uid)
    }

    fn group_name(&self, gid: u32) -> Option<String> {
        self.look().group_name(gid)
    }

    fn accounts(&self) -> Result<Accounts, HostError> {
        self.look().accounts()
    }
}

impl<T: Through> LookWeb for T {
    fn web(&self) -> Option<&dyn Web> {
        self.own_web()
    }
}

impl<T: Through> LookCommands for T {
    fn probe(&self, command: &Command) -> Result<Option<Output>, HostError> {
        self.look().probe(command)
    }
}

impl<T: Through> LookPackages for T {
    fn installed(&self, name: &str) -> Result<Option<Installed>, HostError> {
        self.look().installed(name)
    }

    fn offered(&self, name: &str) -> Result<Vec<String>, HostError> {
        self.look().offered(name)
    }

    fn effects(&self, change: &PackageChange) -> Result<Option<Vec<PackageEffect>>, HostError> {
        self.look().effects(change)
    }

    fn left_settings(&self, name: &str) -> Result<bool, HostError> {
        self.look().left_settings(name)
    }

    fn can_hold(&self) -> Result<bool, HostError> {
        self.look().can_hold()
    }
}

impl<T: Through> LookServices for T {
    fn service(&self, unit: &Unit) -> Result<Service, HostError> {
        self.look().service(unit)
    }
}

impl<T: Through> LookMounts for T {
    fn mounts(&self) -> Result<Vec<Mounted>, HostError> {
        self.look().mounts()
    }
}

impl<T: Through> LookKernel for T {
    fn parameter(&self, key: &str) -> Result<Option<String>, HostError> {
        self.look().parameter(key)
    }
}

impl<T: Through> LookNetwork for T {
    fn interface(&self, name: &str) -> Result<Option<Interface>, HostError> {
        self.look().interface(name)
    }
}
