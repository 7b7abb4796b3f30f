//! This machine's facets other than files, each through its own provider.

use std::path::PathBuf;

use super::act::LocalTurn;
use super::{LocalLook, accounts, kernel, messages, mounts, network, packages, services};
use crate::host::{
    Contents, HostError, Installed, Interface, LookKernel, LookMounts, LookNetwork, LookPackages, LookServices,
    Mounted, PackageChange, PackageEffect, Service, SystemChange, Unit, Within,
};

impl LookPackages for LocalLook {
    fn installed(&self, name: &str) -> Result<Option<Installed>, HostError> {
        packages::installed(self, name)
    }

    fn offered(&self, name: &str) -> Result<Vec<String>, HostError> {
        packages::offered(self, name)
    }

    fn effects(&self, change: &PackageChange) -> Result<Option<Vec<PackageEffect>>, HostError> {
        packages::effects(self, std::slice::from_ref(change))
    }

    fn effects_together(&self, changes: &[PackageChange]) -> Result<Option<Vec<PackageEffect>>, HostError> {
        packages::effects(self, changes)
    }

    fn expect(&self, changes: Vec<PackageChange>) {
        packages::expect(self, changes);
    }

    fn contents(&self, name: &str, version: &str) -> Result<Option<Contents>, HostError> {
        packages::contents(self, name, version)
    }

    fn left_settings(&self, name: &str) -> Result<bool, HostError> {
        packages::left_settings(self, name)
    }

    fn can_hold(&self) -> Result<bool, HostError> {
        packages::can_hold(self)
    }

    fn files(&self, name: &str) -> Result<Option<Vec<PathBuf>>, HostError> {
        packages::files(self, name)
    }
}

impl LookServices for LocalLook {
    fn service(&self, unit: &Unit) -> Result<Service, HostError> {
        services::look(self, unit)
    }
}

impl LookMounts for LocalLook {
    fn mounts(&self) -> Result<Vec<Mounted>, HostError> {
        mounts::read(self)
    }
}

impl LookKernel for LocalLook {
    fn parameter(&self, key: &str) -> Result<Option<String>, HostError> {
        kernel::read(self, key)
    }
}

impl LookNetwork for LocalLook {
    fn interface(&self, name: &str) -> Result<Option<Interface>, HostError> {
        network::read(name)
    }
}

impl LocalTurn<'_> {
    /// Changes anything except files, and returns report lines.
    pub(in crate::host) fn change(&self, change: &SystemChange, within: &Within) -> Result<Vec<String>, HostError> {
        match change {
            SystemChange::Package(change) => return packages::change(self.look, change, within),
            SystemChange::Hold(hold) => return packages::hold(self.look, hold, within),
            SystemChange::Service(change) => services::change(self.look, change, within)?,
            SystemChange::Account(change) => accounts::change(self.look, change, within)?,
            SystemChange::Mount(change) => mounts::change(change, within)?,
            SystemChange::Kernel(change) => kernel::change(change)?,
            SystemChange::Interface(change) => network::change(change, within)?,
            SystemChange::Message(message) => messages::write(message)?,
        }
        Ok(Vec::new())
    }
}
