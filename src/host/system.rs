//! Changes of everything except files, as data, with how to undo each.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{
    AccountChange, HostError, Interface, InterfaceChange, InterfaceVerb, KernelChange, Look, Message, MountChange,
    NewUser, PackageChange, PackageHold, Presence, ServiceChange, Startup, Verb, WantedPackage,
};
use crate::graph::Secrets;
use crate::plan::Reversible;
use crate::world::Cancel;

/// A change of packages, services, accounts, mounts, the kernel, the network or the logs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "facet", content = "change", rename_all = "snake_case")]
pub enum SystemChange {
    Package(PackageChange),
    Hold(PackageHold),
    Service(ServiceChange),
    Account(AccountChange),
    Mount(MountChange),
    Kernel(KernelChange),
    Interface(InterfaceChange),
    Message(Message),
}

/// Receives progress messages of a long change.
pub type Progress = Arc<dyn Fn(&str) + Send + Sync>;

/// The limits of a change, and the receiver of its progress.
#[derive(Clone, Default)]
pub struct Within {
    pub timeout: Option<Duration>,
    pub cancel: Cancel,
    pub progress: Option<Progress>,
}

impl fmt::Debug for Within {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Within").field("timeout", &self.timeout).finish_non_exhaustive()
    }
}

impl Within {
    /// Reports a progress message.
    pub fn report(&self, line: &str) {
        if let Some(progress) = &self.progress {
            progress(line);
        }
    }
}

/// How to undo a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inverse {
    pub changes: Vec<SystemChange>,
    pub reversible: Reversible,
    /// What an undo cannot restore; empty if nothing.
    pub why: String,
}

impl Inverse {
    fn whole(changes: Vec<SystemChange>) -> Self {
        Self { changes, reversible: Reversible::Yes, why: String::new() }
    }

    fn partly(changes: Vec<SystemChange>, why: &str) -> Self {
        Self { changes, reversible: Reversible::Partly, why: why.into() }
    }

    fn none(why: &str) -> Self {
        Self { changes: Vec::new(), reversible: Reversible::No, why: why.into() }
    }
}

/// Whether a secret is in any text of a change.
fn is_shown(change: &serde_json::Value, secrets: &Secrets) -> bool {
    match change {
        serde_json::Value::String(text) => secrets.are_shown_by(text),
        serde_json::Value::Array(items) => items.iter().any(|item| is_shown(item, secrets)),
        serde_json::Value::Object(fields) => fields.values().any(|value| is_shown(value, secrets)),
        _ => false,
    }
}

impl SystemChange {
    /// Whether the change shows a secret to every user, as an argument of a system tool.
    pub fn shows(&self, secrets: &Secrets) -> bool {
        let takes_arguments = !matches!(self, SystemChange::Kernel(_) | SystemChange::Message(_));
        takes_arguments && serde_json::to_value(self).is_ok_and(|change| is_shown(&change, secrets))
    }

    /// Returns how to undo the change, from the state before it.
    pub fn inverse(&self, look: &dyn Look) -> Result<Inverse, HostError> {
        match self {
            SystemChange::Package(change) => packages(change, look),
            SystemChange::Hold(hold) => {
                let was = look.installed(&hold.name)?.filter(|installed| installed.held != hold.held);
                let back = |_| SystemChange::Hold(PackageHold { name: hold.name.clone(), held: !hold.held });
                Ok(Inverse::whole(was.map(back).into_iter().collect()))
            }
            SystemChange::Service(change) => service(change, look),
            SystemChange::Account(change) => account(change, look),
            SystemChange::Mount(change) => mount(change, look),
            SystemChange::Kernel(change) => Ok(match look.parameter(&change.key)? {
                Some(value) => {
                    let key = change.key.clone();
                    Inverse::whole(vec![SystemChange::Kernel(KernelChange { key, value })])
                }
                None => Inverse::none("the parameter does not exist yet"),
            }),
            SystemChange::Interface(change) => interface(change, look),
            SystemChange::Message(_) => Ok(Inverse::none("a written message cannot be removed")),
        }
    }
}

fn packages(change: &PackageChange, look: &dyn Look) -> Result<Inverse, HostError> {
    let mut added = Vec::new();
    let mut had = Vec::new();
    for name in change.names() {
        match look.installed(name)? {
            None => added.push(name.to_owned()),
            Some(package) => {
                had.push(WantedPackage { name: name.to_owned(), version: Some(package.version), exact: true });
            }
        }
    }
    let mut changes = Vec::new();
    // An undo removes newly installed packages and restores the versions of the others.
    if matches!(change, PackageChange::Install { .. }) && !added.is_empty() {
        changes.push(SystemChange::Package(PackageChange::Remove { packages: added, purge: false }));
    }
    let old = !had.is_empty();
    if old {
        let (allow_downgrade, allow_untrusted) = (true, false);
        let install = PackageChange::Install { packages: had, allow_downgrade, allow_untrusted };
        changes.push(SystemChange::Package(install));
    }
    let why = match change {
        PackageChange::Remove { purge: true, .. } => "its configuration is not restored",
        PackageChange::Remove { .. } => "files deleted by its removal scripts are not restored",
        _ if old => "the old version may no longer be available",
        PackageChange::Install { .. } => "dependencies, configuration and data are kept",
    };
    Ok(Inverse::partly(changes, why))
}

fn service(change: &ServiceChange, look: &dyn Look) -> Result<Inverse, HostError> {
    let before = look.service(&change.unit)?;
    let service = |verb| vec![SystemChange::Service(ServiceChange { unit: change.unit.clone(), verb })];
    let was_running = before.active == super::Active::Running;
    Ok(match change.verb {
        _ if before.presence == Presence::MayAppear => Inverse::none("the old state is unknown"),
        Verb::Start | Verb::Restart if !was_running => Inverse::whole(service(Verb::Stop)),
        Verb::Stop if was_running => Inverse::whole(service(Verb::Start)),
        Verb::Enable if before.startup == Startup::Disabled => Inverse::whole(service(Verb::Disable)),
        Verb::Disable if before.startup == Startup::Enabled => Inverse::whole(service(Verb::Enable)),
        Verb::Reload | Verb::Restart => Inverse::none("the service cannot return to its old configuration"),
        _ => Inverse::whole(Vec::new()),
    })
}

fn account(change: &AccountChange, look: &dyn Look) -> Result<Inverse, HostError> {
    let accounts = look.accounts()?;
    let undo = |change| vec![SystemChange::Account(change)];
    Ok(match change {
        AccountChange::AddGroup { name, .. } => Inverse::whole(undo(AccountChange::RemoveGroup { name: name.clone() })),
        AccountChange::AddUser(user) => {
            let changes = undo(AccountChange::RemoveUser { name: user.name.clone() });
            Inverse::partly(changes, "files that it owns are kept")
        }
        AccountChange::SetGroup { name, .. } => match accounts.group(name) {
            Some(group) => {
                let (name, gid) = (name.clone(), group.gid);
                Inverse::whole(undo(AccountChange::SetGroup { name, gid }))
            }
            None => Inverse::whole(Vec::new()),
        },
        AccountChange::RemoveGroup { name } => match accounts.group(name) {
            Some(group) => {
                let mut changes = undo(AccountChange::AddGroup { name: name.clone(), gid: Some(group.gid) });
                changes.extend(group.members.iter().map(|member| {
                    let mut groups = accounts.groups_of(member);
                    groups.retain(|there| accounts.group(there).is_some());
                    SystemChange::Account(set_user(member, |set| set.groups = Some(groups)))
                }));
                Inverse::whole(changes)
            }
            None => Inverse::whole(Vec::new()),
        },
        AccountChange::SetUser { name, .. } => match accounts.user(name) {
            Some(user) => Inverse::whole(undo(set_user(name, |set| {
                *set = Set {
                    uid: Some(user.uid),
                    gid: Some(user.gid),
                    groups: Some(accounts.groups_of(name)),
                    home: Some(user.home.clone()),
                    shell: Some(user.shell.clone()),
                    comment: Some(user.comment.clone()),
                };
            }))),
            None => Inverse::whole(Vec::new()),
        },
        AccountChange::RemoveUser { name } => match accounts.user(name) {
            Some(user) => {
                let mut changes = Vec::new();
                let own = accounts.group(name).filter(|group| group.gid == user.gid);
                if let Some(group) = own {
                    changes.push(SystemChange::Account(AccountChange::AddGroup {
                        name: name.clone(),
                        gid: Some(group.gid),
                    }));
                }
                changes.push(SystemChange::Account(AccountChange::AddUser(NewUser {
                    name: name.clone(),
                    uid: Some(user.uid),
                    gid: Some(user.gid),
                    groups: accounts.groups_of(name),
                    comment: Some(user.comment.clone()),
                    home: Some(user.home.clone()),
                    shell: Some(user.shell.clone()),
                    shares_uid: true,
                    ..NewUser::default()
                })));
                Inverse::partly(changes, "its password is not saved")
            }
            None => Inverse::whole(Vec::new()),
        },
    })
}

/// The parts of a user that a change sets.
#[derive(Default)]
struct Set {
    uid: Option<u32>,
    gid: Option<u32>,
    groups: Option<Vec<String>>,
    home: Option<String>,
    shell: Option<String>,
    comment: Option<String>,
}

fn set_user(name: &str, fill: impl FnOnce(&mut Set)) -> AccountChange {
    let mut set = Set::default();
    fill(&mut set);
    let Set { uid, gid, groups, home, shell, comment } = set;
    AccountChange::SetUser { name: name.to_owned(), uid, gid, groups, home, shell, comment, shares_uid: true }
}

fn mount(change: &MountChange, look: &dyn Look) -> Result<Inverse, HostError> {
    let seen = |target: &str| look.mounts().map(|mounts| mounts.into_iter().rev().find(|there| there.target == target));
    Ok(match change {
        MountChange::Mount(mounted) => {
            let target = mounted.target.clone();
            Inverse::whole(vec![SystemChange::Mount(MountChange::Unmount { target })])
        }
        MountChange::Remount(mounted) => {
            let before = seen(&mounted.target)?.map(|there| SystemChange::Mount(MountChange::Remount(there)));
            Inverse::whole(before.into_iter().collect())
        }
        MountChange::Unmount { target } => match seen(target)? {
            Some(there) if there.kind == "tmpfs" => Inverse::none("its contents are lost"),
            Some(there) => Inverse::whole(vec![SystemChange::Mount(MountChange::Mount(there))]),
            None => Inverse::whole(Vec::new()),
        },
    })
}

fn interface(change: &InterfaceChange, look: &dyn Look) -> Result<Inverse, HostError> {
    let Interface { up, gateways, .. } = look.interface(&change.name)?.unwrap_or_default();
    let interface = |verb| SystemChange::Interface(InterfaceChange { name: change.name.clone(), verb });
    Ok(match &change.verb {
        InterfaceVerb::Up if up => Inverse::whole(Vec::new()),
        InterfaceVerb::Up => Inverse::whole(vec![interface(InterfaceVerb::Down)]),
        InterfaceVerb::Down => {
            let routes = gateways.into_iter().map(|gateway| interface(InterfaceVerb::SetGateway(gateway)));
            Inverse::partly(
                std::iter::once(interface(InterfaceVerb::Up)).chain(routes).collect(),
                "routes other than the default route are not restored",
            )
        }
        InterfaceVerb::AddAddress(address) => {
            Inverse::whole(vec![interface(InterfaceVerb::RemoveAddress(address.clone()))])
        }
        InterfaceVerb::RemoveAddress(address) => {
            Inverse::whole(vec![interface(InterfaceVerb::AddAddress(address.clone()))])
        }
        InterfaceVerb::SetGateway(gateway) => Inverse::whole(match gateways.first() {
            Some(before) => vec![interface(InterfaceVerb::SetGateway(before.clone()))],
            None => vec![interface(InterfaceVerb::RemoveGateway(gateway.clone()))],
        }),
        InterfaceVerb::RemoveGateway(gateway) => {
            Inverse::whole(vec![interface(InterfaceVerb::SetGateway(gateway.clone()))])
        }
    })
}
