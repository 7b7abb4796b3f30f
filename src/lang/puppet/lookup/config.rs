//! Reading and checking `hiera.yaml`.

use std::path::{Path, PathBuf};

use crate::lang::puppet::ast::Text;
use crate::lang::puppet::convert;
use crate::lang::puppet::issue::IssueName;
use crate::lang::puppet::types;
use crate::lang::puppet::value::{Map, Value};

/// Where data comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum LayerName {
    Global,
    Environment,
    Module(Text),
}

impl LayerName {
    /// How explanations call it.
    pub fn title(&self) -> String {
        match self {
            LayerName::Global => "Global".into(),
            LayerName::Environment => "Environment".into(),
            LayerName::Module(name) => format!("Module \"{name}\""),
        }
    }

    pub(super) fn with_article(&self) -> &'static str {
        if *self == LayerName::Environment { "an environment" } else { "a module" }
    }
}

/// What a level asks for its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    DataHash,
    LookupKey,
    DataDig,
    /// A backend of version 3, which is Ruby.
    Hiera3,
}

impl Kind {
    const ALL: [Kind; 4] = [Kind::DataHash, Kind::LookupKey, Kind::DataDig, Kind::Hiera3];

    /// Returns the word of `hiera.yaml` that names the function.
    pub fn name(self) -> &'static str {
        match self {
            Kind::DataHash => "data_hash",
            Kind::LookupKey => "lookup_key",
            Kind::DataDig => "data_dig",
            Kind::Hiera3 => "hiera3_backend",
        }
    }
}

/// Where a level finds its data, not interpolated yet.
#[derive(Clone, Debug)]
pub enum Locations {
    /// The function needs none.
    None,
    Paths(Vec<String>),
    Globs(Vec<String>),
    Uris(Vec<String>),
    Mapped {
        variable: String,
        name: String,
        template: String,
    },
}

/// One level of a hierarchy.
#[derive(Clone, Debug)]
pub struct Level {
    pub name: String,
    pub kind: Kind,
    pub function: String,
    pub datadir: String,
    pub locations: Locations,
    pub options: Map,
}

impl Level {
    /// The only level where a configuration lists none.
    pub(super) fn common() -> Self {
        Self {
            name: "Common".into(),
            kind: Kind::DataHash,
            function: "yaml_data".into(),
            datadir: "data".into(),
            locations: Locations::Paths(vec!["common.yaml".into()]),
            options: Map::default(),
        }
    }
}

/// One `hiera.yaml`.
#[derive(Clone, Debug)]
pub struct Config {
    pub layer: LayerName,
    pub version: i64,
    /// `None`: there is no file, and this is the configuration that Puppet takes then.
    pub file: Option<PathBuf>,
    pub root: PathBuf,
    pub levels: Vec<Level>,
    pub default_levels: Option<Vec<Level>>,
}

/// What a configuration has.
pub(super) const CONFIG: &str = "a file has `version`, `defaults`, `hierarchy` and, in a module, `default_hierarchy`";

/// What a level has.
const LEVEL: &str = "a level has a `name`, one function, one kind of location, `datadir` and `options`";

/// A file that is read, for errors with a place in it.
pub(super) struct Reading<'t> {
    pub(super) layer: &'t LayerName,
    pub(super) path: &'t Path,
    pub(super) text: &'t str,
    pub(super) root: &'t Path,
}

/// What is wrong with a configuration, and the line.
pub(super) struct Refused {
    pub(super) name: IssueName,
    pub(super) message: String,
    pub(super) line: Option<usize>,
    /// What to do about it.
    pub(super) help: &'static str,
}

pub(super) type Checked<V> = Result<V, Refused>;

/// Every word that a file of version 5 may have as a key.
pub(super) const ALL_KEYS: &str = "version defaults hierarchy default_hierarchy name path paths glob globs uri uris \
    mapped_paths datadir options data_hash lookup_key data_dig hiera3_backend";

const LOCATIONS: [&str; 7] = ["path", "paths", "glob", "globs", "uri", "uris", "mapped_paths"];

impl Reading<'_> {
    /// The first line at or after `from` with these words; comments do not count.
    fn line_with(&self, words: &str, from: usize) -> Option<usize> {
        let lines = self.text.lines().enumerate().skip(from);
        let mut found = lines.filter(|(_, line)| line.split(" #").next().unwrap_or_default().contains(words));
        found.next().map(|(at, _)| at + 1)
    }

    pub(super) fn line(&self, key: &str) -> Option<usize> {
        self.line_with(&format!("{key}:"), 0)
    }

    /// The lines that give an entry its name.
    fn named(&self, name: &str) -> Vec<usize> {
        let is_it = |line: &str| {
            let rest = line.trim_start().trim_start_matches("- ").trim_start().strip_prefix("name:");
            rest.is_some_and(|rest| {
                rest.split(" #").next().unwrap_or_default().trim().trim_matches(['\'', '"']) == name
            })
        };
        self.text.lines().enumerate().filter(|(_, line)| is_it(line)).map(|(at, _)| at + 1).collect()
    }

    fn refused<V>(&self, name: IssueName, line: Option<usize>, message: impl Into<String>) -> Checked<V> {
        Err(Refused { name, message: message.into(), line, help: CONFIG })
    }

    /// Something is not of the type that it has to have.
    fn mistyped<V>(&self, line: Option<usize>, what: &str) -> Checked<V> {
        let message = format!("The Lookup Configuration at '{}' has wrong type, {what}", self.path.display());
        self.refused(IssueName::RuntimeError, line, message)
    }

    /// Something of a level is not of the type that it has to have.
    fn mistyped_level<V>(&self, line: Option<usize>, what: &str) -> Checked<V> {
        Self::helped(self.mistyped(line, what), LEVEL)
    }

    /// The same with other help.
    fn helped<V>(checked: Checked<V>, help: &'static str) -> Checked<V> {
        checked.map_err(|refused| Refused { help, ..refused })
    }

    pub(super) fn version_5(&self, config: &Map) -> Checked<Config> {
        const KEYS: [&str; 5] = ["version", "defaults", "hierarchy", "default_hierarchy", "plan_hierarchy"];
        for key in config.keys() {
            let key = convert::string(key);
            if !KEYS.contains(&&*key) {
                return self.mistyped(self.line(&key), &format!("unrecognized key '{key}'"));
            }
        }
        let get = |key: &str| config.get(&Value::str(key)).filter(|value| **value != Value::Undef);
        let defaults = match get("defaults") {
            None => Map::from_iter(
                [("datadir", "data"), ("data_hash", "yaml_data")].map(|(k, v)| (Value::str(k), Value::str(v))),
            ),
            Some(Value::Hash(map)) => (**map).clone(),
            Some(other) => return self.expected("defaults", "a Hash value", other),
        };
        self.check_defaults(&defaults)?;
        let levels = match get("hierarchy") {
            None => vec![Level::common()],
            Some(value) => self.levels("hierarchy", value, &defaults)?,
        };
        let default_levels = match get("default_hierarchy") {
            None => None,
            Some(_) if !matches!(self.layer, LayerName::Module(_)) => {
                let line = self.line("default_hierarchy");
                let message = "'default_hierarchy' is only allowed in the module layer";
                return self.refused(IssueName::HieraDefaultHierarchyNotInModule, line, message);
            }
            Some(value) => Some(self.levels("default_hierarchy", value, &defaults)?),
        };
        Ok(self.config(5, levels, default_levels))
    }

    fn config(&self, version: i64, levels: Vec<Level>, default_levels: Option<Vec<Level>>) -> Config {
        let (layer, root) = (self.layer.clone(), self.root.to_path_buf());
        Config { layer, version, file: Some(self.path.to_path_buf()), root, levels, default_levels }
    }

    fn expected<V>(&self, key: &str, what: &str, value: &Value) -> Checked<V> {
        let got = types::infer_generic(value);
        self.mistyped(self.line(key), &format!("entry '{key}' expects {what}, got {got}"))
    }

    fn check_defaults(&self, defaults: &Map) -> Checked<()> {
        const KEYS: [&str; 5] = ["data_hash", "lookup_key", "data_dig", "datadir", "options"];
        for key in defaults.keys() {
            let key = convert::string(key);
            if !KEYS.contains(&&*key) {
                let refused = self.mistyped(self.line(&key), &format!("entry 'defaults' unrecognized key '{key}'"));
                return Self::helped(refused, "`defaults` has one function, `datadir` and `options`");
            }
        }
        let used = Kind::ALL.iter().filter(|kind| defaults.contains_key(&Value::str(kind.name()))).count();
        if used > 1 {
            let message = "Only one of data_hash, lookup_key, data_dig, or hiera3_backend can be defined in defaults";
            return self.refused(
                IssueName::HieraMultipleDataProviderFunctionsInDefault,
                self.line("defaults"),
                message,
            );
        }
        let options = defaults.get(&Value::str("options"));
        for key in ["path", "uri"] {
            if options.is_some_and(|options| options.get(key).is_some()) {
                let message = format!("Option key '{key}' used in defaults is reserved by Puppet");
                return self.refused(IssueName::HieraDefaultOptionReservedByPuppet, self.line(key), message);
            }
        }
        Ok(())
    }

    fn levels(&self, key: &str, value: &Value, defaults: &Map) -> Checked<Vec<Level>> {
        let Value::Array(entries) = value else { return self.expected(key, "an Array value", value) };
        let mut levels: Vec<Level> = Vec::new();
        for (at, entry) in entries.iter().enumerate() {
            let Value::Hash(entry) = entry else {
                let got = types::infer_generic(entry);
                let what = format!("entry '{key}' index {at} expects a Struct value, got {got}");
                return self.mistyped_level(self.line(key), &what);
            };
            let level = self.level(key, at, entry, defaults)?;
            if levels.iter().any(|other| other.name == level.name) {
                return self.twice(&level.name);
            }
            levels.push(level);
        }
        Ok(levels)
    }

    fn twice<V>(&self, name: &str) -> Checked<V> {
        let lines = self.named(name);
        let first = match &lines[..] {
            [first, _, ..] => format!(" First defined at (line: {first})"),
            _ => String::new(),
        };
        let message = format!("Hierarchy name '{name}' defined more than once.{first}");
        let refused = self.refused(IssueName::HieraHierarchyNameMultiplyDefined, lines.last().copied(), message);
        Self::helped(refused, "give one of the two levels another name")
    }

    fn level(&self, list: &str, at: usize, entry: &Map, defaults: &Map) -> Checked<Level> {
        let get = |key: &str| entry.get(&Value::str(key)).filter(|value| **value != Value::Undef);
        let Some(name) = get("name").map(convert::string).filter(|name| !name.is_empty()) else {
            let what = format!("entry '{list}' index {at} expects a value for key 'name'");
            let line = self.line(list).map(|line| super::lines::nested_line(self.text, line, &[at.to_string()]));
            return Self::helped(self.mistyped(line, &what), "add a name: `- name: \"…\"`");
        };
        let line = self.named(&name).first().copied().or(self.line(list));
        let near =
            |key: &str| line.and_then(|from| self.line_with(&format!("{key}:"), from.saturating_sub(1))).or(line);
        for key in entry.keys() {
            let key = convert::string(key);
            let is_known = ["name", "options", "datadir"].contains(&&*key)
                || LOCATIONS.contains(&&*key)
                || Kind::ALL.iter().any(|kind| kind.name() == key);
            if !is_known {
                return self.mistyped_level(near(&key), &format!("entry '{list}' index {at} unrecognized key '{key}'"));
            }
        }
        let used: Vec<Kind> = Kind::ALL.into_iter().filter(|kind| get(kind.name()).is_some()).collect();
        let default = Kind::ALL.into_iter().find(|kind| defaults.contains_key(&Value::str(kind.name())));
        let (kind, function) = match (&used[..], default) {
            ([kind], _) => (*kind, get(kind.name())),
            ([], Some(kind)) => (kind, defaults.get(&Value::str(kind.name()))),
            ([], None) => {
                let message = format!(
                    "One of data_hash, lookup_key, data_dig, or hiera3_backend must be defined in hierarchy '{name}'"
                );
                return self.refused(IssueName::HieraMissingDataProviderFunction, line, message);
            }
            _ => {
                let message = format!(
                    "Only one of data_hash, lookup_key, data_dig, or hiera3_backend can be defined in hierarchy '{name}'"
                );
                return self.refused(IssueName::HieraMultipleDataProviderFunctions, line, message);
            }
        };
        let function = function.map(convert::string).unwrap_or_default();
        if kind == Kind::Hiera3 {
            self.check_backend(&function, near("hiera3_backend"))?;
        }
        let options = match get("options").or_else(|| defaults.get(&Value::str("options"))) {
            None => Map::default(),
            Some(Value::Hash(options)) => (**options).clone(),
            Some(other) => return self.expected("options", "a Hash value", other),
        };
        for key in ["path", "uri"] {
            if options.contains_key(&Value::str(key)) {
                let message = format!("Option key '{key}' used in hierarchy '{name}' is reserved by Puppet");
                return self.refused(IssueName::HieraOptionReservedByPuppet, near(key), message);
            }
        }
        let datadir = get("datadir").or_else(|| defaults.get(&Value::str("datadir")));
        let datadir = datadir.map_or_else(|| "data".into(), convert::string);
        let locations = self.locations(list, at, entry, line)?;
        Ok(Level { name, kind, function, datadir, locations, options })
    }

    fn check_backend(&self, function: &str, line: Option<usize>) -> Checked<()> {
        if *self.layer != LayerName::Global {
            let message = "'hiera3_backend' is only allowed in the global layer";
            return self.refused(IssueName::HieraV3BackendNotGlobal, line, message);
        }
        if ["json", "yaml", "hocon"].contains(&function) {
            let message = format!("Use \"data_hash: {function}_data\" instead of \"hiera3_backend: {function}\"");
            return self.refused(IssueName::HieraV3BackendReplacedByDataHash, line, message);
        }
        Ok(())
    }

    fn locations(&self, list: &str, at: usize, entry: &Map, line: Option<usize>) -> Checked<Locations> {
        let used: Vec<&str> = LOCATIONS.into_iter().filter(|key| entry.contains_key(&Value::str(*key))).collect();
        let key = match used[..] {
            [] => return Ok(Locations::None),
            [key] => key,
            _ => {
                let name = entry.get(&Value::str("name")).map(convert::string).unwrap_or_default();
                let keys = "path, paths, glob, globs, uri, uris, or mapped_paths";
                let message = format!("Only one of {keys} can be defined in hierarchy '{name}'");
                return self.refused(IssueName::HieraMultipleLocationSpecs, line, message);
            }
        };
        let value = entry.get(&Value::str(key)).cloned().unwrap_or(Value::Undef);
        let is_single = ["path", "glob", "uri"].contains(&key);
        let texts: Option<Vec<String>> = match &value {
            Value::Str(text) if is_single && !text.is_empty() => Some(vec![text.to_string()]),
            Value::Array(list) if !is_single && !list.is_empty() => {
                list.iter().map(|item| item.as_str().filter(|text| !text.is_empty()).map(str::to_string)).collect()
            }
            _ => None,
        };
        let Some(texts) = texts else {
            let what = if is_single { "a String value" } else { "an Array value of strings" };
            let got = types::infer_generic(&value);
            let what = format!("entry '{list}' index {at} entry '{key}' expects {what}, got {got}");
            let place = line.and_then(|from| self.line_with(&format!("{key}:"), from.saturating_sub(1))).or(line);
            return match is_single {
                true => self.mistyped_level(place, &what),
                false => Self::helped(
                    self.mistyped(place, &what),
                    "write a list: `[\"a.yaml\", \"b.yaml\"]`; `path` takes one text",
                ),
            };
        };
        Ok(match (key, &texts[..]) {
            ("mapped_paths", [variable, name, template]) => {
                Locations::Mapped { variable: variable.clone(), name: name.clone(), template: template.clone() }
            }
            ("mapped_paths", _) => {
                let what =
                    format!("entry '{list}' index {at} entry 'mapped_paths' expects size to be 3, got {}", texts.len());
                let help = "write three texts: a variable, the name of each of its values, and a path with that name";
                return Self::helped(self.mistyped(line, &what), help);
            }
            ("glob" | "globs", _) => Locations::Globs(texts),
            ("uri" | "uris", _) => Locations::Uris(texts),
            _ => Locations::Paths(texts),
        })
    }

    /// A configuration of version 4.
    pub(super) fn version_4(&self, config: &Map) -> Checked<Config> {
        let get = |map: &Map, key: &str| map.get(&Value::str(key)).filter(|value| **value != Value::Undef).cloned();
        let folder = get(config, "datadir").map_or_else(|| "data".into(), |folder| convert::string(&folder));
        let entries = match get(config, "hierarchy") {
            None => return Ok(self.config(4, vec![Level::common()], None)),
            Some(Value::Array(entries)) => entries,
            Some(other) => return self.expected("hierarchy", "an Array value", &other),
        };
        let mut levels: Vec<Level> = Vec::new();
        for entry in entries.iter() {
            let Value::Hash(entry) = entry else { return self.expected("hierarchy", "a Struct value", entry) };
            let text = |key: &str| get(entry, key).map(|value| convert::string(&value));
            let name = text("name").unwrap_or_default();
            if levels.iter().any(|other| other.name == name) {
                return self.twice(&name);
            }
            let backend = text("backend").unwrap_or_default();
            let extension = match &*backend {
                "yaml" => ".yaml",
                "json" => ".json",
                "hocon" => ".conf",
                other => {
                    let message = format!("No data provider is registered for backend '{other}'");
                    let line = match other {
                        "" => self.line("version"),
                        other => self.line_with(other, 0),
                    };
                    let refused = self.refused(IssueName::HieraNoProviderForBackend, line, message);
                    return Self::helped(refused, "write `version: 5`, the format with `path` and `data_hash`");
                }
            };
            let paths = match get(entry, "paths") {
                Some(Value::Array(paths)) => paths.iter().map(convert::string).collect(),
                _ => vec![text("path").unwrap_or_else(|| name.clone())],
            };
            let whole = |path: String| if path.ends_with(extension) { path } else { path + extension };
            levels.push(Level {
                name,
                kind: Kind::DataHash,
                function: format!("{backend}_data"),
                datadir: text("datadir").unwrap_or_else(|| folder.clone()),
                locations: Locations::Paths(paths.into_iter().map(whole).collect()),
                options: Map::default(),
            });
        }
        Ok(self.config(4, levels, None))
    }
}
