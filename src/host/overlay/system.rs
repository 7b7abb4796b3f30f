//! Predicted packages, services, accounts, mounts, parameters and interfaces, over those of the machine.
//!
//! The files and scripts of packages are in `packages`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::packages::Packaged;
use super::{Layer, OverlayTurn};
use crate::host::{
    Accounts, Act, HostError, Installed, Interface, LookAccounts, LookFiles, LookKernel, LookMounts, LookNetwork,
    LookServices, MountChange, Mounted, PackageChange, Presence, Service, ServiceChange, Startup, SystemChange, Unit,
    Verb, Within, change_mounts,
};

/// The predicted changes other than files. `None` and missing keys: as on the machine.
#[derive(Clone, Default)]
pub(super) struct System {
    accounts: Option<Accounts>,
    pub(super) packages: BTreeMap<String, Option<Installed>>,
    /// The package changes so far.
    pub(super) asked: Vec<PackageChange>,
    /// Their undeclared effects.
    pub(super) packaged: Packaged,
    services: BTreeMap<Unit, Service>,
    mounts: Option<Vec<Mounted>>,
    /// Folders that were mounted over or unmounted, with whether the visible contents are known (empty).
    covered: BTreeMap<PathBuf, bool>,
    parameters: BTreeMap<String, String>,
    interfaces: BTreeMap<String, Interface>,
    /// The uncertain facets.
    guesses: BTreeSet<Facet>,
}

/// The parts of a system that turns change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Facet {
    Accounts,
    Packages,
    Services,
    Mounts,
    Parameters,
    Interfaces,
}

/// The visible contents of a folder after a mount or unmount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Covered {
    Empty,
    Unknown,
}

impl System {
    /// Whether the predicted state of a facet is uncertain.
    pub fn guesses(&self, facet: Facet) -> bool {
        self.guesses.contains(&facet)
    }

    /// Returns the visible contents of a folder that a mount or unmount changed; `None` if unchanged.
    pub fn covered(&self, folder: &Path) -> Option<Covered> {
        self.covered.get(folder).map(|is_empty| if *is_empty { Covered::Empty } else { Covered::Unknown })
    }
}

/// The folders of unit files, the administrator's first.
const UNIT_FOLDERS: &[&str] = &["/etc/systemd/system", "/run/systemd/system", "/usr/lib/systemd/system"];

impl Layer {
    /// Returns the system for a change, and logs its old state for the current turn.
    fn system_mut(&mut self) -> &mut System {
        if let Some(turn) = self.turns.last_mut() {
            turn.system.get_or_insert_with(|| Arc::clone(&self.system));
        }
        Arc::make_mut(&mut self.system)
    }
}

impl OverlayTurn<'_> {
    pub(super) fn system(&self) -> Arc<System> {
        Arc::clone(&self.overlay.layer().system)
    }

    /// Changes a facet. If this turn leans, later answers about the facet lean too.
    pub(super) fn set(&self, facet: Facet, change: impl FnOnce(&mut System)) {
        let mut layer = self.overlay.layer();
        let system = layer.system_mut();
        change(system);
        if self.leaned() {
            system.guesses.insert(facet);
        }
    }

    pub(super) fn lean_on(&self, facet: Facet) {
        self.lean_if(self.system().guesses(facet));
    }

    fn predicted_accounts(&self) -> Option<Accounts> {
        self.system().accounts.clone()
    }

    /// Returns an account by name: predicted or the machine's; unknown if an installed package may create it.
    fn account<T>(
        &self,
        what: &'static str,
        name: &str,
        find: impl Fn(&Accounts) -> Option<T>,
        base: impl Fn() -> Result<Option<T>, HostError>,
    ) -> Result<Option<T>, HostError> {
        let system = self.system();
        let known = match &system.accounts {
            Some(accounts) => match find(accounts) {
                Some(found) => {
                    self.lean_on(Facet::Accounts);
                    return Ok(Some(found));
                }
                // Removed from the table, or known only to a directory service.
                None => base()?.filter(|_| self.base().accounts().is_ok_and(|before| find(&before).is_none())),
            },
            None => base()?,
        };
        if known.is_none() && system.packaged.makes_accounts() {
            self.lean();
            self.lean_on_scripts(system.packaged.scripted());
            return Err(match system.packaged.only_scripts() {
                Some(package) => HostError::MayAppear { what: format!("the {what} `{name}`"), package: package.into() },
                None => HostError::UnknownName { what, name: name.to_owned() },
            });
        }
        Ok(known)
    }

    /// A unit that the machine does not know: its file may be predicted, or come with a package.
    fn new_unit(&self, unit: &Unit) -> Result<Service, HostError> {
        let system = self.system();
        let paths = || UNIT_FOLDERS.iter().map(|folder| Path::new(folder).join(&unit.name));
        if paths().any(|path| system.packaged.brings(&path)) {
            self.lean();
            return Ok(Service::not_there(Presence::MayAppear));
        }
        for path in paths().filter(|_| !unit.session) {
            match self.read(&path) {
                Ok(Some(text)) => {
                    let installs = String::from_utf8_lossy(&text).lines().any(|line| line.trim() == "[Install]");
                    let startup = if installs { Startup::Disabled } else { Startup::Static };
                    return Ok(Service::fresh(startup));
                }
                Ok(None) => return Ok(Service::fresh(Startup::Disabled)),
                Err(_) => {}
            }
        }
        let presence = if system.packaged.may_bring_units() { Presence::MayAppear } else { Presence::Missing };
        if presence == Presence::MayAppear {
            self.lean();
        }
        Ok(Service::not_there(presence))
    }

    fn change_service(&self, change: &ServiceChange) -> Result<(), HostError> {
        if change.verb == Verb::ReadUnits {
            self.set(Facet::Services, |system| system.services.values_mut().for_each(|service| service.stale = false));
            return Ok(());
        }
        let mut service = self.service(&change.unit)?;
        service.change(change.verb);
        self.set(Facet::Services, |system| {
            system.services.insert(change.unit.clone(), service);
        });
        Ok(())
    }

    fn change_mount(&self, change: &MountChange) -> Result<(), HostError> {
        let mut mounts = self.mounts()?;
        change_mounts(&mut mounts, change);
        self.set(Facet::Mounts, |system| {
            system.mounts = Some(mounts);
            match change {
                MountChange::Mount(mounted) => {
                    system.covered.insert(PathBuf::from(&mounted.target), mounted.kind == "tmpfs");
                }
                // An unmount makes our covered contents visible again. What an existing mount covers is unknown.
                MountChange::Unmount { target } => {
                    if system.covered.remove(Path::new(target)).is_none() {
                        system.covered.insert(PathBuf::from(target), false);
                    }
                }
                MountChange::Remount(_) => {}
            }
        });
        self.overlay.layer().folders.clear();
        Ok(())
    }
}

impl LookAccounts for OverlayTurn<'_> {
    fn identity(&self) -> crate::host::Identity {
        self.base().identity()
    }

    fn uid(&self, name: &str) -> Result<Option<u32>, HostError> {
        self.account("user", name, |there| there.user(name).map(|user| user.uid), || self.base().uid(name))
    }

    fn gid(&self, name: &str) -> Result<Option<u32>, HostError> {
        self.account("group", name, |there| there.group(name).map(|group| group.gid), || self.base().gid(name))
    }

    fn user_name(&self, uid: u32) -> Option<String> {
        let predicted = self.predicted_accounts();
        let name = predicted.and_then(|accounts| accounts.user_by_id(uid).map(|user| user.name.clone()));
        name.or_else(|| self.base().user_name(uid))
    }

    fn group_name(&self, gid: u32) -> Option<String> {
        let predicted = self.predicted_accounts();
        let name = predicted.and_then(|accounts| accounts.group_by_id(gid).map(|group| group.name.clone()));
        name.or_else(|| self.base().group_name(gid))
    }

    fn accounts(&self) -> Result<Accounts, HostError> {
        // The scripts of a package may create some.
        let system = self.system();
        self.lean_if(system.packaged.makes_accounts());
        self.lean_on_scripts(system.packaged.scripted());
        match self.predicted_accounts() {
            Some(accounts) => {
                self.lean_on(Facet::Accounts);
                Ok(accounts)
            }
            None => self.base().accounts(),
        }
    }
}

impl LookServices for OverlayTurn<'_> {
    fn service(&self, unit: &Unit) -> Result<Service, HostError> {
        if let Some(service) = self.system().services.get(unit) {
            self.lean_on(Facet::Services);
            return Ok(*service);
        }
        // The scripts of a package may start, stop and enable it.
        self.lean_on_scripts(self.system().packaged.scripted());
        let mut service = self.base().service(unit)?;
        if service.presence == Presence::Missing {
            return self.new_unit(unit);
        }
        let (system, paths) = (self.system(), || UNIT_FOLDERS.iter().map(|folder| Path::new(folder).join(&unit.name)));
        self.lean_if(paths().any(|path| system.packaged.moves(&path)));
        let ours = |folder: &str| self.overlay.layer().entries.contains_key(&Path::new(folder).join(&unit.name));
        if !unit.session && UNIT_FOLDERS.iter().any(|folder| ours(folder)) {
            let guesses = |folder: &str| self.overlay.layer().guesses.contains(&Path::new(folder).join(&unit.name));
            self.lean_if(UNIT_FOLDERS.iter().any(|folder| guesses(folder)));
            service.stale = true;
        }
        Ok(service)
    }
}

impl LookMounts for OverlayTurn<'_> {
    fn mounts(&self) -> Result<Vec<Mounted>, HostError> {
        match &self.system().mounts {
            Some(mounts) => {
                self.lean_on(Facet::Mounts);
                Ok(mounts.clone())
            }
            None => self.base().mounts(),
        }
    }
}

impl LookKernel for OverlayTurn<'_> {
    fn parameter(&self, key: &str) -> Result<Option<String>, HostError> {
        match self.system().parameters.get(key) {
            Some(value) => {
                self.lean_on(Facet::Parameters);
                Ok(Some(value.clone()))
            }
            None => self.base().parameter(key),
        }
    }
}

impl LookNetwork for OverlayTurn<'_> {
    fn interface(&self, name: &str) -> Result<Option<Interface>, HostError> {
        match self.system().interfaces.get(name) {
            Some(interface) => {
                self.lean_on(Facet::Interfaces);
                Ok(Some(interface.clone()))
            }
            None => self.base().interface(name),
        }
    }
}

impl OverlayTurn<'_> {
    pub(super) fn change(&self, change: &SystemChange, _within: &Within) -> Result<Vec<String>, HostError> {
        match change {
            SystemChange::Package(change) => return self.change_package(change),
            SystemChange::Hold(hold) => return self.hold_package(hold),
            SystemChange::Service(change) => self.change_service(change)?,
            SystemChange::Account(change) => {
                let mut accounts = self.accounts()?;
                accounts.change(change)?;
                self.set(Facet::Accounts, |system| system.accounts = Some(accounts));
            }
            SystemChange::Mount(change) => self.change_mount(change)?,
            SystemChange::Kernel(change) => {
                self.set(Facet::Parameters, |system| {
                    drop(system.parameters.insert(change.key.clone(), change.value.clone()))
                });
            }
            // Not visible through any facet.
            SystemChange::Message(_) => {}
            SystemChange::Interface(change) => {
                let mut interface = self.interface(&change.name)?.unwrap_or_default();
                interface.change(&change.verb);
                self.set(Facet::Interfaces, |system| drop(system.interfaces.insert(change.name.clone(), interface)));
            }
        }
        Ok(Vec::new())
    }
}
