//! The user's choices for a program, common and per language, and their form in records.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::plan::{CompiledFor, CompiledWith, Facts, Hidden};

/// The user's choices for a program, common and per language. Plain data: a bundle and the applier carry it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Choices {
    /// A value that only a foreign interpreter could compute is unknown instead of an error.
    #[serde(skip_serializing_if = "is_false")]
    pub allow_unknown: bool,
    /// Runs the foreign code of approved modules: Ruby of Puppet modules, and Python of Inmanta modules.
    #[serde(skip_serializing_if = "is_false")]
    pub run_plugins: bool,
    /// The user asked for that code, and an unapproved module keeps it from running.
    #[serde(skip_serializing_if = "is_false")]
    pub plugins_held: bool,
    #[serde(skip_serializing_if = "is_default")]
    pub puppet: PuppetChoices,
    #[serde(skip_serializing_if = "is_default")]
    pub inmanta: InmantaChoices,
}

impl Choices {
    /// Whether no choice was made.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// The files and folders that they name.
    pub fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        [&self.puppet.facts, &self.puppet.environment].into_iter().flatten()
    }

    /// The same with its files and folders elsewhere.
    #[must_use]
    pub fn at(mut self, place: impl Fn(&Path) -> PathBuf) -> Self {
        for path in [&mut self.puppet.facts, &mut self.puppet.environment].into_iter().flatten() {
            *path = place(path);
        }
        self
    }

    /// Compiles for a node, if one is picked.
    pub fn pick_node(&mut self, picked: Option<String>) {
        self.puppet.node = picked.or(self.puppet.node.take());
    }

    /// The file of facts.
    pub fn facts(&self) -> Option<&Path> {
        self.puppet.facts.as_deref()
    }

    /// Sets the file with the facts for Puppet; `None` uses the facts of the host.
    pub fn set_facts(&mut self, facts: Option<PathBuf>) {
        self.puppet.facts = facts;
    }

    /// The folder of the environment.
    pub fn environment(&self) -> Option<&Path> {
        self.puppet.environment.as_deref()
    }

    /// Uses another environment, and further values above all layers of data.
    pub fn compile_in(&mut self, environment: Option<PathBuf>, values: &[(String, String)]) {
        self.puppet.environment = environment.or(self.puppet.environment.take());
        self.puppet.set.extend(values.iter().cloned());
    }

    /// Whether resources are exported to the store that programs share, and collected from it.
    pub fn shares_exports(&self) -> bool {
        self.puppet.exported
    }

    /// Sets whether resources are exported to the store that programs share, and collected from it.
    pub fn share_exports(&mut self, shares: bool) {
        self.puppet.exported = shares;
    }

    /// Whether code that modules bring for the compiler may run.
    pub fn runs_plugins(&self) -> bool {
        self.run_plugins
    }

    /// Sets whether code that modules bring for the compiler may run.
    pub fn let_plugins_run(&mut self, may: bool) {
        self.run_plugins = may;
    }

    /// How to let such code run, as the end of a sentence.
    pub fn way_to_run_plugins(&self) -> &'static str {
        if self.plugins_held || self.run_plugins {
            "approve its module with `workbench modules ENTRY --approve`"
        } else {
            "`--run-plugins` runs it"
        }
    }

    /// These choices in a record of a compilation; `shown` gives the text of a path.
    pub fn recorded(&self, shown: &dyn Fn(&Path) -> String) -> CompiledFor {
        let Choices { allow_unknown, run_plugins, plugins_held: _, puppet, inmanta } = self;
        let from = puppet.facts.as_deref().map(shown);
        CompiledFor {
            node: puppet.node.clone(),
            facts: from.map_or_else(Facts::default, |from| Facts { from, sha256: None }),
            target: None,
            options: CompiledWith {
                environment: puppet.environment.as_deref().map(shown),
                strict: puppet.strict.map(|strict| strict.as_str().into()),
                set: puppet.set.iter().map(|(key, value)| (key.clone(), Hidden::from(&**value))).collect(),
                allow_unknown: *allow_unknown,
                no_std: inmanta.no_std,
                edition: inmanta.edition.clone(),
                run_plugins: *run_plugins,
                ..CompiledWith::default()
            },
        }
    }

    /// Makes the choices of a record, except whether unknown values are allowed. `path` decides which paths count.
    pub fn restore(&mut self, record: &CompiledFor, path: &dyn Fn(&str) -> Option<PathBuf>) {
        let CompiledFor { node, facts, options: with, target: _ } = record;
        let Choices { allow_unknown: _, run_plugins, plugins_held: _, puppet, inmanta } = self;
        puppet.node.clone_from(node);
        puppet.facts = facts.file().and_then(path);
        puppet.environment = with.environment.as_deref().and_then(path);
        puppet.strict = with.strict.as_deref().and_then(Strict::named);
        // A bundle has only the keys: the user adds the values.
        let stored = with.set.iter().filter_map(|(key, value)| {
            let typed = puppet.set.iter().find(|(name, _)| name == key).map(|(_, value)| &**value);
            Some((key.clone(), value.value().or(typed)?.to_owned()))
        });
        puppet.set = stored.collect();
        inmanta.no_std = with.no_std;
        inmanta.edition.clone_from(&with.edition);
        *run_plugins = with.run_plugins;
    }

    /// Whether the user gave a value for a key of data.
    pub fn sets(&self, key: &str) -> bool {
        self.puppet.set.iter().any(|(typed, _)| typed == key)
    }

    /// Removes the values of data, which may be secrets, and returns their keys.
    pub fn take_set_keys(&mut self) -> Vec<String> {
        std::mem::take(&mut self.puppet.set).into_iter().map(|(key, _)| key).collect()
    }

    /// These choices, completed by those of `below`.
    #[must_use]
    pub fn or(self, below: &Self) -> Self {
        let Self { allow_unknown, run_plugins, plugins_held, puppet, inmanta } = self;
        let set = if puppet.set.is_empty() { below.puppet.set.clone() } else { puppet.set };
        Self {
            allow_unknown: allow_unknown || below.allow_unknown,
            run_plugins: run_plugins || below.run_plugins,
            plugins_held,
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

    /// Returns the word for the level in options and records.
    pub fn as_str(self) -> &'static str {
        match self {
            Strict::Error => "error",
            Strict::Warning => "warning",
            Strict::Off => "off",
        }
    }

    /// Finds the level by its word.
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
}

fn is_false(flag: &bool) -> bool {
    !flag
}

fn is_default<T: Default + PartialEq>(part: &T) -> bool {
    *part == T::default()
}
