//! Whether a program may be applied to this machine, and the answer that is required first: one rule for the screens and
//! the command line.

use std::sync::Arc;

use crate::graph::Hosts;
use crate::source::printable;

/// The required answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Agreement {
    /// `y`: everything can be undone.
    Yes,
    /// This word in full: some of it cannot be undone, or the user has not seen all of it.
    Word(String),
}

impl Agreement {
    /// Returns the required answer for applying a plan. `other` is the host that the program was compiled for, if it is
    /// another one.
    pub fn for_plan(has_lost: bool, machine: &str, other: Option<&str>) -> Self {
        if has_lost || other.is_some() { Self::name(machine, other) } else { Self::Yes }
    }

    /// Returns the required answer for every attach and resume: the machine's name, or `apply` if it has none. For a
    /// program of another host both names: `web1 on vm`.
    pub fn name(machine: &str, other: Option<&str>) -> Self {
        let name = match machine.trim() {
            "" if other.is_some() => "this machine",
            "" => "apply",
            name => name,
        };
        Self::Word(match other {
            Some(other) => format!("{} on {name}", printable(other)),
            None => name.into(),
        })
    }
}

/// Why a program is not applied to this machine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotForHere {
    #[error("this graph was compiled for host `{}`", printable(.0))]
    Other(Arc<str>),
    /// With `--as-this-host`, which would let several hosts write the same paths here.
    #[error("this program is for several hosts: {}", listed(.others))]
    Several { others: Vec<Arc<str>>, has_here: bool, machine: String },
    #[error("no resource of this program is for {machine}, only for {}", listed(.others))]
    NoneHere { others: Vec<Arc<str>>, machine: String },
}

impl NotForHere {
    /// Returns what the user can do.
    pub fn help(&self) -> String {
        match self {
            NotForHere::Other(_) => "use `--as-this-host` to apply it here anyway".into(),
            NotForHere::Several { has_here: true, machine, .. } => {
                format!("omit `--as-this-host`: only the resources for {} are applied here", printable(machine))
            }
            NotForHere::Several { .. } | NotForHere::NoneHere { .. } => "apply it on these hosts".into(),
        }
    }
}

/// The first few names.
fn listed(names: &[Arc<str>]) -> String {
    const MOST: usize = 8;
    let mut words: Vec<String> = names.iter().take(MOST).map(|name| printable(name).to_string()).collect();
    if names.len() > MOST {
        words.push(format!("{} more", names.len() - MOST));
    }
    words.join(", ")
}

/// Checks that a graph for these hosts may be applied to this machine. Returns the other host that counts as this one.
pub fn check_hosts(hosts: &Hosts, as_this_host: bool, machine: &str) -> Result<Option<Arc<str>>, NotForHere> {
    let machine = || if machine.trim().is_empty() { "this machine".to_owned() } else { machine.trim().to_owned() };
    match hosts.clone() {
        Hosts::Here => Ok(None),
        Hosts::Other(other) if as_this_host => Ok(Some(other)),
        Hosts::Other(other) => Err(NotForHere::Other(other)),
        Hosts::Several { others, has_here } if as_this_host => {
            Err(NotForHere::Several { others, has_here, machine: machine() })
        }
        Hosts::Several { others, has_here: false } => Err(NotForHere::NoneHere { others, machine: machine() }),
        Hosts::Several { .. } => Ok(None),
    }
}

/// Returns the name of this machine, as programs see it.
pub fn machine() -> String {
    crate::world::own_hostname()
}
