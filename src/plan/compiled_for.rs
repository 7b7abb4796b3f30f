//! The inputs of a compilation besides its files: the node, the facts, the machine and the options.
//!
//! A plan, a deploy record and a bundle hold it, so that no option is repeated, and so that a difference is named
//! for what it is.

use std::collections::BTreeMap;

use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The mark of a value that is not shown, in all JSON.
const SENSITIVE: &str = "$sensitive";

/// The word for the facts of the machine that compiles.
const MACHINE: &str = "machine";

/// The inputs of a compilation besides its entry and its files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompiledFor {
    /// The chosen node; `None` for the machine that compiled.
    pub node: Option<String>,
    pub facts: Facts,
    /// The host name of the machine to change; `None` in a bundle, which any machine may apply.
    pub target: Option<String>,
    #[serde(default)]
    pub options: CompiledWith,
}

/// The source of the facts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// `machine`, or the absolute path of a file. A path in a bundle is relative.
    pub from: String,
    /// The hash of the file, or of this machine's facts without its free space; `None` if the language has no facts.
    pub sha256: Option<String>,
}

impl Default for Facts {
    fn default() -> Self {
        Self { from: MACHINE.into(), sha256: None }
    }
}

impl Facts {
    /// The path of the facts file, if there is one.
    pub fn file(&self) -> Option<&str> {
        Some(&*self.from).filter(|from| *from != MACHINE)
    }
}

/// The options of a compilation. Paths are absolute, or relative in a bundle.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CompiledWith {
    /// The language, if it was not detected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lang: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub module_path: Vec<String>,
    /// The module folders of environment variables.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub module_path_of_variables: Vec<String>,
    /// The module folders of the user's settings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub module_path_of_settings: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strict: Option<String>,
    /// Keys with values in the language's syntax, in the user's order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub set: Vec<(String, Hidden)>,
    #[serde(skip_serializing_if = "is_false")]
    pub allow_unknown: bool,
    #[serde(skip_serializing_if = "is_false")]
    pub no_std: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edition: Option<String>,
    #[serde(skip_serializing_if = "is_false")]
    pub run_plugins: bool,
    #[serde(skip_serializing_if = "is_false")]
    pub run_guards: bool,
    /// Exported resources were shared with other entries, according to the settings.
    #[serde(skip_serializing_if = "is_false")]
    pub exported: bool,
    /// The limits that differ from the defaults, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub limits: BTreeMap<String, u64>,
}

/// A value that may be a secret. It has no text in any output: records that are read again store it apart, in private
/// files.
#[derive(Clone, Default)]
pub struct Hidden(Option<String>);

impl Hidden {
    /// The shown text.
    pub const WORDS: &str = "(hidden)";

    /// The value; `None` if it is not stored, as in a bundle.
    pub fn value(&self) -> Option<&str> {
        self.0.as_deref()
    }
}

impl From<&str> for Hidden {
    fn from(value: &str) -> Self {
        Hidden(Some(value.into()))
    }
}

impl std::fmt::Debug for Hidden {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(Self::WORDS)
    }
}

/// A value that is not stored differs from nothing.
impl PartialEq for Hidden {
    fn eq(&self, other: &Self) -> bool {
        self.0.is_none() || other.0.is_none() || self.0 == other.0
    }
}

impl Eq for Hidden {}

impl Serialize for Hidden {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        BTreeMap::from([(SENSITIVE, true)]).serialize(serializer)
    }
}

/// Earlier versions stored the value.
impl<'de> Deserialize<'de> for Hidden {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Stored {
            Value(String),
            Mark(IgnoredAny),
        }
        Ok(Hidden(match Stored::deserialize(deserializer)? {
            Stored::Value(value) => Some(value),
            Stored::Mark(IgnoredAny) => None,
        }))
    }
}

/// The values of `--set`, in its order, for a private file that is read again.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SetValues(Vec<Option<String>>);

impl SetValues {
    /// Copies the values of `--set`, including secret ones.
    pub fn of(compiled_for: &CompiledFor) -> Self {
        SetValues(compiled_for.options.set.iter().map(|(_, value)| value.0.clone()).collect())
    }

    /// Whether no value was set.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Completes what was read from the same file.
    #[must_use]
    pub fn put_into(&self, mut compiled_for: CompiledFor) -> CompiledFor {
        for ((_, value), stored) in compiled_for.options.set.iter_mut().zip(&self.0) {
            value.0 = value.0.take().or_else(|| stored.clone());
        }
        compiled_for
    }
}

impl std::fmt::Debug for SetValues {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(Hidden::WORDS)
    }
}

/// An option of a command line: its flag, and its values. A switch has none.
type Flag = (&'static str, Vec<String>);

impl CompiledFor {
    /// The flags that give this on a command line, in the order of the manual, with hidden values.
    pub fn flags(&self) -> Vec<Flag> {
        let with = &self.options;
        let one = |value: &Option<String>| value.iter().cloned().collect::<Vec<_>>();
        let valued = [
            ("--node", one(&self.node)),
            ("--facts", one(&self.facts.file().map(str::to_owned))),
            ("--environment", one(&with.environment)),
            ("--strict", one(&with.strict)),
            ("--set", with.set.iter().map(|(key, _)| format!("{key}={}", Hidden::WORDS)).collect()),
            ("--edition", one(&with.edition)),
            ("--lang", one(&with.lang)),
            ("--module-path", with.module_path.clone()),
            ("--limit", with.limits.iter().map(|(name, number)| format!("{name}={number}")).collect()),
        ];
        let switches = [
            ("--allow-unknown", with.allow_unknown),
            ("--no-std", with.no_std),
            ("--run-plugins", with.run_plugins),
            ("--run-guards", with.run_guards),
        ];
        let valued = valued.into_iter().filter(|(_, values)| !values.is_empty());
        valued.chain(switches.into_iter().filter(|(_, is_on)| *is_on).map(|(flag, _)| (flag, Vec::new()))).collect()
    }

    /// The node, if one was chosen: ` for node web1`; empty without one.
    pub fn node_words(&self) -> String {
        self.node.as_ref().map_or_else(String::new, |node| format!(" for node {node}"))
    }

    /// The options that permit more than the defaults, in words: `--run-guards`, `--limit time=50`; `None` without one.
    pub fn permissions(&self) -> Option<String> {
        let is_permission = |(flag, _): &Flag| matches!(*flag, "--limit" | "--run-plugins" | "--run-guards");
        let flags = self.flags().into_iter().filter(is_permission);
        let words: Vec<String> = flags.map(|(flag, values)| flag_words(flag, &values)).collect();
        (!words.is_empty()).then(|| words.join(" "))
    }

    /// The node and the options in words: `for node web1, with --set port=(hidden)`; `None` if all is the default.
    pub fn words(&self) -> Option<String> {
        let flags = self.flags().into_iter().filter(|(flag, _)| *flag != "--node");
        let flags: Vec<String> = flags.map(|(flag, values)| flag_words(flag, &values)).collect();
        let node = self.node.as_ref().map(|node| format!("for node {node}"));
        let with = (!flags.is_empty()).then(|| format!("with {}", flags.join(" ")));
        let exported = self.options.exported.then(|| "exported resources shared".to_owned());
        let options = &self.options;
        let folders = [
            (&options.module_path_of_variables, "module folders of the environment"),
            (&options.module_path_of_settings, "module folders of the settings"),
        ];
        let folders = folders.into_iter().filter(|(folders, _)| !folders.is_empty());
        let folders = folders.map(|(folders, what)| format!("{what}: {}", folders.join(":")));
        let words: Vec<String> = [node, with, exported].into_iter().flatten().chain(folders).collect();
        (!words.is_empty()).then(|| words.join(", "))
    }

    /// The node, the options and the facts, line by line. Empty if all is the default and the language has no facts.
    pub fn lines(&self) -> Vec<String> {
        let facts = self.facts.sha256.as_ref().map(|sha256| {
            let from = self.facts.file().unwrap_or("this machine");
            format!("facts of {from} (sha256 {})", sha256.get(..12).unwrap_or(sha256))
        });
        self.words().into_iter().chain(facts).collect()
    }

    /// The typed options that are not those of `then`, each as a sentence about what `made` was made for, such as `the
    /// plan`. An option that was not typed agrees.
    pub fn disagreements(&self, made: &str, then: &Self) -> Vec<String> {
        let before = then.flags();
        let differs = |(flag, values): &Flag| match before.iter().find(|(other, _)| other == flag) {
            // Each limit is an option of its own.
            Some((_, others)) if *flag == "--limit" => values.iter().any(|value| !others.contains(value)),
            None if *flag == "--limit" => true,
            Some((_, others)) => others != values,
            None => true,
        };
        let typed = self.flags().into_iter().filter(differs);
        let typed =
            typed.map(|(flag, values)| apart(made, flag, before.iter().find(|(f, _)| *f == flag), Some(&values)));
        let values = then.other_values(made, self).filter(|_| !self.options.set.is_empty());
        typed.chain(values).collect()
    }

    /// The same for what a bundle carries: the machine that uses it decides the rest, such as its limits.
    pub fn disagreements_with_bundle(&self, bundle: &Self) -> Vec<String> {
        const CARRIED: [&str; 6] = ["--node", "--facts", "--environment", "--strict", "--set", "--edition"];
        let carried: Vec<&str> = bundle.flags().iter().map(|(flag, _)| *flag).collect();
        let is_carried = |flag: &&str| CARRIED.contains(flag) && carried.contains(flag);
        let typed: Vec<Flag> = self.flags().into_iter().filter(|(flag, _)| is_carried(flag)).collect();
        let before = bundle.flags();
        let differs = |(flag, values): &&Flag| before.iter().any(|(other, others)| other == flag && others != values);
        let words = |(flag, values): &Flag| {
            apart("the bundle", flag, before.iter().find(|(other, _)| other == flag), Some(values))
        };
        let values = bundle.other_values("the bundle", self);
        typed.iter().filter(differs).map(words).chain(values).collect()
    }

    /// Names the keys of `--set` whose values differ, if the keys are the same.
    fn other_values(&self, made: &str, now: &Self) -> Option<String> {
        let (then, now) = (&self.options.set, &now.options.set);
        let is_same = then.len() == now.len() && then.iter().zip(now).all(|((one, _), (other, _))| one == other);
        let differ = then.iter().zip(now).filter(|((_, one), (_, other))| one != other);
        let keys: Vec<String> = differ.map(|((key, _), _)| format!("`--set {key}`")).collect();
        (is_same && !keys.is_empty()).then(|| format!("{made} was made with another value of {}", keys.join(" and ")))
    }

    /// Whether compiling for `now` compiles for this too.
    pub fn has_options_of(&self, now: &Self) -> bool {
        let facts = |one: &Self| Facts { from: one.facts.from.clone(), sha256: None };
        self.node == now.node && facts(self) == facts(now) && self.options == now.options
    }

    /// What differs from `now`, each as a sentence about what `made` was made for, such as `the plan`. Free of false
    /// alarms: an unknown hash differs from nothing.
    pub fn differences(&self, made: &str, now: &Self) -> Vec<String> {
        let mut all = Vec::new();
        if let (Some(then), Some(here)) = (&self.target, &now.target)
            && then != here
        {
            all.push(format!("{made} was made on machine {then}, and this is {here}"));
        }
        let (before, after) = (self.flags(), now.flags());
        let find = |flags: &[Flag], flag: &str| flags.iter().find(|(other, _)| *other == flag).cloned();
        let mut flags: Vec<&'static str> = Vec::new();
        for (flag, _) in before.iter().chain(&after) {
            if !flags.contains(flag) {
                flags.push(flag);
            }
        }
        for flag in flags {
            let (then, here) = (find(&before, flag), find(&after, flag));
            if then != here {
                all.push(apart(made, flag, then.as_ref(), here.as_ref().map(|(_, values)| values)));
            }
        }
        all.extend(self.other_values(made, now));
        let (then, here) = (&self.options, &now.options);
        for (then, here, what) in [
            (&then.module_path_of_variables, &here.module_path_of_variables, "the environment"),
            (&then.module_path_of_settings, &here.module_path_of_settings, "the settings"),
        ] {
            let words = |folders: &[String]| if folders.is_empty() { "none".into() } else { folders.join(":") };
            if then != here {
                let (then, here) = (words(then), words(here));
                all.push(format!(
                    "{made} was made with these module folders of {what}: {then}, and now they are: {here}"
                ));
            }
        }
        if self.options.exported != now.options.exported {
            let words = |is_on| if is_on { "shared" } else { "not shared" };
            let (then, here) = (words(self.options.exported), words(now.options.exported));
            all.push(format!("{made} was made with exported resources {then}, and now they are {here}"));
        }
        if let (true, Some(then), Some(here)) =
            (self.facts.from == now.facts.from, &self.facts.sha256, &now.facts.sha256)
            && then != here
        {
            all.push(match self.facts.file() {
                Some(file) => format!("the facts file {file} has changed"),
                None => "the facts of this machine have changed".into(),
            });
        }
        all
    }
}

/// `--set a=1 --set b=2`
fn flag_words(flag: &str, values: &[String]) -> String {
    if values.is_empty() {
        return flag.to_owned();
    }
    values.iter().map(|value| format!("{flag} {value}")).collect::<Vec<_>>().join(" ")
}

/// Names an option that differs, then and now.
fn apart(made: &str, flag: &str, then: Option<&Flag>, now: Option<&Vec<String>>) -> String {
    let now = now.map(|values| flag_words(flag, values));
    match (flag, then) {
        ("--node", Some((_, node))) => {
            let now = now.map_or_else(|| "no node is chosen now".into(), |now| format!("this is `{now}`"));
            format!("{made} was made for node {}, and {now}", node.join(" "))
        }
        ("--node", None) => format!("{made} was made for no chosen node, and this is `{}`", now.unwrap_or_default()),
        (_, then) => {
            let side =
                |words: Option<String>| words.map_or_else(|| format!("without `{flag}`"), |w| format!("with `{w}`"));
            let then = side(then.map(|(_, values)| flag_words(flag, values)));
            format!("{made} was made {then}, and this is {}", side(now))
        }
    }
}

fn is_false(flag: &bool) -> bool {
    !flag
}
