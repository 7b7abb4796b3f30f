//! The facet of services: what a service manager knows of a unit, and the orders it takes.

use serde::{Deserialize, Serialize};

use super::HostError;

/// Whether a unit is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    There,
    Missing,
    /// Put out of use: nothing can start it.
    Masked,
    /// An earlier step is about to install what may bring it.
    MayAppear,
}

/// Whether it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Active {
    Running,
    Stopped,
    /// Stopped, because it failed.
    Failed,
    /// On its way up or down.
    Between,
}

/// Whether it is started with the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Startup {
    Enabled,
    Disabled,
    /// It says nothing of when to start, so it can be neither.
    Static,
}

/// What a service manager knows of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Service {
    pub presence: Presence,
    pub active: Active,
    pub startup: Startup,
    /// Its file changed since the manager read it.
    pub stale: bool,
}

impl Service {
    /// A unit of which only that much is known.
    pub fn not_there(presence: Presence) -> Self {
        Self { presence, active: Active::Stopped, startup: Startup::Disabled, stale: false }
    }

    /// A unit whose file has just been put in place.
    pub fn fresh(startup: Startup) -> Self {
        Self { presence: Presence::There, active: Active::Stopped, startup, stale: true }
    }
}

/// A unit by its whole name, such as `nginx.service`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Unit {
    pub name: String,
    /// Of the user's own manager.
    pub session: bool,
}

/// Asking a service manager.
pub trait LookServices {
    fn service(&self, unit: &Unit) -> Result<Service, HostError>;
}

/// An order to a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verb {
    Start,
    Stop,
    /// Stops and starts it, also where it does not run.
    Restart,
    /// Reads its configuration again, restarting it where it knows no other way. One that does not run is left alone.
    Reload,
    Enable,
    Disable,
    /// The manager itself reads the files of units again.
    ReadUnits,
}

/// One change of a service.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServiceChange {
    pub unit: Unit,
    pub verb: Verb,
}

/// Whether a text can be the name of a unit.
pub fn is_unit_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || ":-_.\\@".contains(c);
    !name.starts_with(['-', '.']) && !name.is_empty() && name.len() <= 255 && name.chars().all(plain)
}

impl Service {
    /// Predicts a change.
    pub fn change(&mut self, verb: Verb) {
        match verb {
            Verb::Start | Verb::Restart => self.active = Active::Running,
            Verb::Stop => self.active = Active::Stopped,
            Verb::Reload => {}
            Verb::Enable => self.startup = Startup::Enabled,
            Verb::Disable => self.startup = Startup::Disabled,
            Verb::ReadUnits => self.stale = false,
        }
        if verb != Verb::ReadUnits && self.presence == Presence::MayAppear {
            self.presence = Presence::There;
        }
    }
}
