//! Inspection through a journalled turn: reads the machine itself and records nothing.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::host::JournalledTurn;
use crate::host::{
    Accounts, Command, HostError, Identity, Installed, Interface, LookAccounts, LookCommands, LookFiles, LookKernel,
    LookMounts, LookNetwork, LookPackages, LookServices, LookWeb, Mounted, Output, PackageChange, PackageEffect,
    Service, Stat, Unit, Web,
};

impl LookFiles for JournalledTurn<'_> {
    fn stat(&self, path: &Path) -> Result<Option<Stat>, HostError> {
        self.local.stat(path)
    }

    fn stat_target(&self, path: &Path) -> Result<Option<Stat>, HostError> {
        self.local.stat_target(path)
    }

    fn read(&self, path: &Path) -> Result<Option<Arc<[u8]>>, HostError> {
        self.local.read(path)
    }

    fn read_link(&self, path: &Path) -> Result<PathBuf, HostError> {
        self.local.read_link(path)
    }

    fn list(&self, path: &Path) -> Result<Vec<OsString>, HostError> {
        self.local.list(path)
    }

    fn same(&self, one: &Path, other: &Path) -> Result<Option<bool>, HostError> {
        self.local.same(one, other)
    }

    fn modified(&self, path: &Path) -> Result<Option<i64>, HostError> {
        self.local.modified(path)
    }

    fn xattr(&self, path: &Path, name: &str) -> Result<Option<Vec<u8>>, HostError> {
        self.local.xattr(path, name)
    }
}

impl LookAccounts for JournalledTurn<'_> {
    fn identity(&self) -> Identity {
        self.local.identity()
    }

    fn uid(&self, name: &str) -> Result<Option<u32>, HostError> {
        self.local.uid(name)
    }

    fn gid(&self, name: &str) -> Result<Option<u32>, HostError> {
        self.local.gid(name)
    }

    fn user_name(&self, uid: u32) -> Option<String> {
        self.local.user_name(uid)
    }

    fn group_name(&self, gid: u32) -> Option<String> {
        self.local.group_name(gid)
    }

    fn accounts(&self) -> Result<Accounts, HostError> {
        self.local.accounts()
    }
}

impl LookWeb for JournalledTurn<'_> {
    fn web(&self) -> Option<&dyn Web> {
        self.local.web()
    }
}

impl LookCommands for JournalledTurn<'_> {
    fn probe(&self, command: &Command) -> Result<Option<Output>, HostError> {
        self.local.probe(command)
    }
}

impl LookPackages for JournalledTurn<'_> {
    fn installed(&self, name: &str) -> Result<Option<Installed>, HostError> {
        self.local.installed(name)
    }

    fn offered(&self, name: &str) -> Result<Vec<String>, HostError> {
        self.local.offered(name)
    }

    fn effects(&self, change: &PackageChange) -> Result<Option<Vec<PackageEffect>>, HostError> {
        self.local.effects(change)
    }

    fn left_settings(&self, name: &str) -> Result<bool, HostError> {
        self.local.left_settings(name)
    }

    fn can_hold(&self) -> Result<bool, HostError> {
        self.local.can_hold()
    }
}

impl LookServices for JournalledTurn<'_> {
    fn service(&self, unit: &Unit) -> Result<Service, HostError> {
        self.local.service(unit)
    }
}

impl LookMounts for JournalledTurn<'_> {
    fn mounts(&self) -> Result<Vec<Mounted>, HostError> {
        self.local.mounts()
    }
}

impl LookKernel for JournalledTurn<'_> {
    fn parameter(&self, key: &str) -> Result<Option<String>, HostError> {
        self.local.parameter(key)
    }
}

impl LookNetwork for JournalledTurn<'_> {
    fn interface(&self, name: &str) -> Result<Option<Interface>, HostError> {
        self.local.interface(name)
    }
}
