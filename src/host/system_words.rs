//! Changes of the system in words, for lists and questions: `install ntp`, `stop ntp.service`.

use super::{AccountChange, InterfaceVerb, MountChange, PackageChange, SystemChange, Verb, WantedPackage};
use crate::source::printable;

impl SystemChange {
    /// One line in the imperative, fit for a terminal.
    pub fn words(&self) -> String {
        let words = match self {
            SystemChange::Package(PackageChange::Install { packages, .. }) => {
                let named = |package: &WantedPackage| match &package.version {
                    Some(version) => format!("{} {version}", package.name),
                    None => package.name.clone(),
                };
                format!("install {}", packages.iter().map(named).collect::<Vec<_>>().join(", "))
            }
            SystemChange::Package(PackageChange::Remove { packages, purge }) => {
                format!("{} {}", if *purge { "purge" } else { "remove" }, packages.join(", "))
            }
            SystemChange::Hold(hold) => format!("{} {}", if hold.held { "hold" } else { "release" }, hold.name),
            SystemChange::Service(change) => match change.verb {
                Verb::Start => format!("start {}", change.unit.name),
                Verb::Stop => format!("stop {}", change.unit.name),
                Verb::Restart => format!("restart {}", change.unit.name),
                Verb::Reload => format!("reload {}", change.unit.name),
                Verb::Enable => format!("enable {}", change.unit.name),
                Verb::Disable => format!("disable {}", change.unit.name),
                Verb::ReadUnits => "reload the unit files".into(),
            },
            SystemChange::Account(change) => match change {
                AccountChange::AddGroup { name, .. } => format!("add group {name}"),
                AccountChange::SetGroup { name, gid } => format!("set the number of group {name} to {gid}"),
                AccountChange::RemoveGroup { name } => format!("remove group {name}"),
                AccountChange::AddUser(user) => format!("add user {}", user.name),
                AccountChange::SetUser { name, .. } => format!("change user {name}"),
                AccountChange::RemoveUser { name } => format!("remove user {name}"),
            },
            SystemChange::Mount(MountChange::Mount(mounted)) => {
                format!("mount {} at {}", mounted.device, mounted.target)
            }
            SystemChange::Mount(MountChange::Remount(mounted)) => format!("remount {}", mounted.target),
            SystemChange::Mount(MountChange::Unmount { target }) => format!("unmount {target}"),
            SystemChange::Kernel(change) => format!("set {} to {}", change.key, change.value),
            SystemChange::Interface(change) => match &change.verb {
                InterfaceVerb::Up => format!("enable interface {}", change.name),
                InterfaceVerb::Down => format!("disable interface {}", change.name),
                InterfaceVerb::AddAddress(address) => format!("add address {address} to {}", change.name),
                InterfaceVerb::RemoveAddress(address) => format!("remove address {address} from {}", change.name),
                InterfaceVerb::SetGateway(gateway) => format!("set gateway {gateway} of {}", change.name),
                InterfaceVerb::RemoveGateway(gateway) => format!("remove gateway {gateway} of {}", change.name),
            },
            SystemChange::Message(_) => "write a message to the log".into(),
        };
        printable(&words).to_string()
    }
}

#[cfg(test)]
mod tests {
    use crate::host::{AccountChange, KernelChange, NewUser, PackageChange, SystemChange};

    #[test]
    fn a_change_is_an_imperative_on_one_line() {
        let purge = PackageChange::Remove { packages: vec!["ntp".into(), "less".into()], purge: true };
        assert_eq!(SystemChange::Package(purge).words(), "purge ntp, less");
        let user = NewUser { name: "ann".into(), shell: Some("/bin/sh".into()), ..NewUser::default() };
        assert_eq!(SystemChange::Account(AccountChange::AddUser(user)).words(), "add user ann");
        let kernel = KernelChange { key: "net.core.x".into(), value: "1\n\u{1b}[31m2".into() };
        assert_eq!(SystemChange::Kernel(kernel).words(), r"set net.core.x to 1\n\x1b[31m2");
    }
}
