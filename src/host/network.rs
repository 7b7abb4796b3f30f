//! The facet of network interfaces: state, addresses and gateway.

use serde::{Deserialize, Serialize};

use super::HostError;

/// An interface of the kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interface {
    pub up: bool,
    /// With the prefix length, such as `192.0.2.1/24`, without the kernel's automatic addresses.
    pub addresses: Vec<String>,
    /// The gateways of default routes through this interface.
    pub gateways: Vec<String>,
}

/// Reading interfaces.
pub trait LookNetwork {
    /// Returns `None` if there is no such interface.
    fn interface(&self, name: &str) -> Result<Option<Interface>, HostError>;
}

/// A change of an interface, until the next boot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InterfaceChange {
    pub name: String,
    pub verb: InterfaceVerb,
}

/// The possible changes of an interface.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InterfaceVerb {
    Up,
    Down,
    AddAddress(String),
    RemoveAddress(String),
    /// Replaces any other default route through the interface.
    SetGateway(String),
    RemoveGateway(String),
}

/// Whether a text is a valid interface name.
pub fn is_interface_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_graphic() && !"/:".contains(c);
    !name.starts_with('-') && !matches!(name, "" | "." | "..") && name.len() < 16 && name.chars().all(plain)
}

impl Interface {
    /// Predicts a change.
    pub fn change(&mut self, verb: &InterfaceVerb) {
        match verb {
            InterfaceVerb::Up => self.up = true,
            InterfaceVerb::Down => {
                self.up = false;
                self.gateways.clear();
            }
            InterfaceVerb::AddAddress(address) => self.addresses.push(address.clone()),
            InterfaceVerb::RemoveAddress(address) => self.addresses.retain(|there| there != address),
            InterfaceVerb::SetGateway(gateway) => self.gateways = vec![gateway.clone()],
            InterfaceVerb::RemoveGateway(gateway) => self.gateways.retain(|there| there != gateway),
        }
    }
}
