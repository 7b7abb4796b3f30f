//! The options of a compilation: the user's choices for the program, and the limits of this run.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::Limits;
use crate::diag::Stage;
use crate::world::{Cancel, Stop};

/// The input of a language besides the world and the entry.
#[derive(Clone, Debug)]
pub struct CompileOptions {
    /// Where imported modules may be, best first.
    pub module_path: Vec<PathBuf>,
    pub choices: Choices,
    pub run: RunLimits,
}

impl CompileOptions {
    /// Stops this compilation from outside.
    pub fn stop(&self) -> Stop {
        Stop::new(self.run.cancel.clone(), self.run.limits.duration()).last(self.run.is_last)
    }
}

/// The stages and limits of one run. A bundle or another process does not get these.
#[derive(Clone, Debug)]
pub struct RunLimits {
    /// The last stage to run; see [`Stage`] for the order of each language's stages.
    pub until: Stage,
    /// Set from outside to end the work.
    pub cancel: Cancel,
    pub limits: Limits,
    /// The process ends after this: a cancelled compilation need not free its memory.
    pub is_last: bool,
}

impl RunLimits {
    pub fn until(until: Stage) -> Self {
        Self { until, cancel: Cancel::default(), limits: Limits::default(), is_last: false }
    }
}

/// The user's choices for a program, common and per language. Plain data: a bundle and the applier carry it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Choices {
    /// A value that only a foreign interpreter could compute is unknown instead of an error.
    #[serde(skip_serializing_if = "is_false")]
    pub allow_unknown: bool,
    #[serde(skip_serializing_if = "is_default")]
    pub puppet: PuppetChoices,
    #[serde(skip_serializing_if = "is_default")]
    pub inmanta: InmantaChoices,
}

impl Choices {
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// The same with its files and folders elsewhere.
    #[must_use]
    pub fn at(mut self, place: impl Fn(&Path) -> PathBuf) -> Self {
        for path in [&mut self.puppet.facts, &mut self.puppet.environment].into_iter().flatten() {
            *path = place(path);
        }
        self
    }

    /// These choices, completed by those of `below`.
    #[must_use]
    pub fn or(self, below: &Self) -> Self {
        let Self { allow_unknown, puppet, inmanta } = self;
        let set = if puppet.set.is_empty() { below.puppet.set.clone() } else { puppet.set };
        Self {
            allow_unknown: allow_unknown || below.allow_unknown,
            puppet: PuppetChoices {
                node: puppet.node.or_else(|| below.puppet.node.clone()),
                facts: puppet.facts.or_else(|| below.puppet.facts.clone()),
                environment: puppet.environment.or_else(|| below.puppet.environment.clone()),
                strict: puppet.strict.or(below.puppet.strict),
                set,
                exported: puppet.exported || below.puppet.exported,
            },
            inmanta: InmantaChoices {
                no_std: inmanta.no_std || below.inmanta.no_std,
                edition: inmanta.edition.or_else(|| below.inmanta.edition.clone()),
                run_plugins: inmanta.run_plugins || below.inmanta.run_plugins,
            },
        }
    }
}

/// The options of Puppet programs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct PuppetChoices {
    /// The node of the catalog; `None` for this machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// A JSON or YAML file of facts, read through the world; `None` for this machine's facts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub facts: Option<PathBuf>,
    /// The environment's folder; `None` for [`EntryPoint::environment`](crate::module::EntryPoint::environment).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<PathBuf>,
    /// `None` for [`Strict::Error`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strict: Option<Strict>,
    /// The top layer of data: keys with values in Puppet's syntax, in the order of the command line.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub set: Vec<(String, String)>,
    /// Exported resources go to the shared store and come from there. Each machine's settings decide, so a bundle does not
    /// carry it.
    #[serde(skip)]
    pub exported: bool,
}

/// How Puppet reports questionable code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Strict {
    #[default]
    Error,
    Warning,
    Off,
}

impl Strict {
    const ALL: [Strict; 3] = [Strict::Error, Strict::Warning, Strict::Off];

    pub fn as_str(self) -> &'static str {
        match self {
            Strict::Error => "error",
            Strict::Warning => "warning",
            Strict::Off => "off",
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|strict| strict.as_str() == name)
    }
}

/// The options of Inmanta models.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct InmantaChoices {
    /// Does not load `std`.
    #[serde(skip_serializing_if = "is_false")]
    pub no_std: bool,
    /// An older syntax, such as `4.0.0`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edition: Option<String>,
    /// Runs the Python plugins of approved modules.
    #[serde(skip_serializing_if = "is_false")]
    pub run_plugins: bool,
}

fn is_false(flag: &bool) -> bool {
    !flag
}

fn is_default<T: Default + PartialEq>(part: &T) -> bool {
    *part == T::default()
}
