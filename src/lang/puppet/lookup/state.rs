//! What one compilation knows of its data: the configurations, the levels, and the files that were read.

use std::path::PathBuf;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::config::{Config, Kind, LayerName};
use super::data::Cache;
use super::explain::Explainer;
use crate::lang::puppet::ast::Text;
use crate::lang::puppet::convert;
use crate::lang::puppet::environment::Inputs;
use crate::lang::puppet::ids::ScopeId;
use crate::lang::puppet::issue;
use crate::lang::puppet::output::Output;
use crate::lang::puppet::scope::Scopes;
use crate::lang::puppet::stop::Run;
use crate::lang::puppet::types::Ty;
use crate::lang::puppet::value::{Map, Value};
use crate::lang::ruby::regexp::Regexp;
use crate::source::Span;

/// Values inside of one another.
const MAX_DEPTH: usize = 250;

/// Who asks, and where.
#[derive(Clone, Copy, Debug)]
pub(super) struct At {
    pub(super) scope: ScopeId,
    pub(super) span: Span,
}

/// The place that a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// As messages show it.
    pub file: String,
    pub path: PathBuf,
    pub line: u32,
    /// The name of the level.
    pub level: String,
    pub value: String,
}

/// All that one compilation knows of its data.
#[derive(Debug, Default)]
pub struct Hiera {
    pub(super) layers: FxHashMap<LayerName, Option<Arc<Config>>>,
    pub(super) resolved: FxHashMap<LayerName, Resolution>,
    /// Each level that was resolved has a number of its own.
    pub(super) numbers: usize,
    pub(super) data: Cache,
    pub(super) options: OptionsCache,
    /// Variables by their absolute name that the paths being resolved depend on.
    pub(super) memory: Option<Vec<(String, Value)>>,
    /// Keys and variables that are being looked up.
    pub(super) stack: Vec<String>,
    /// Values that a call of `lookup` gives before all data, and those behind it.
    pub(super) given: (Value, Value),
    /// The caches of contexts of functions that provide data.
    pub caches: Vec<Map>,
    pub explainer: Option<Explainer>,
    /// Where the values of the last key come from, the strongest first.
    pub origins: Vec<Origin>,
    /// Plain texts that were encrypted.
    pub secrets: Vec<Text>,
}

/// Reads the files of data and their configurations. It has no access to the program.
pub struct Data<'e, 'w> {
    pub hiera: &'e mut Hiera,
    pub inputs: &'e mut Inputs<'w>,
    pub output: &'e mut Output<'w>,
    pub scopes: &'e mut Scopes,
}

/// A search of data. Beside the data it needs two functions of the program.
pub trait Search<'w> {
    /// Returns the owners of the data.
    fn data(&mut self) -> Data<'_, 'w>;
    /// Calls a function that provides data; the last argument is its context.
    fn provide(&mut self, function: &str, args: Vec<Value>, span: Span) -> Run<Provided>;
    /// Reads a type that data names.
    fn read_type(&mut self, text: &str, span: Span) -> Run<Ty>;
    /// Returns this search for functions that take any kind of search.
    fn search(&mut self) -> &mut (dyn Search<'w> + '_)
    where
        Self: Sized,
    {
        self
    }
}

/// The answer of a function that provides data.
pub enum Provided {
    Value(Value),
    NotFound,
    /// It needs Ruby.
    Ruby(String),
    /// There is no such function; the help names a similar one.
    Missing(issue::Text),
}

impl Hiera {
    /// Whether a file that was read has a key.
    pub fn has_key(&self, key: &str) -> bool {
        let root = key.split('.').next().unwrap_or(key);
        self.data.files.values().any(|file| file.get(root).is_some())
    }

    /// The files of levels that do not exist and whose names have no variables: their configuration, the name as it
    /// is written there, and the path.
    pub fn missing_files(&self) -> Vec<(PathBuf, String, PathBuf)> {
        let levels = self.resolved.values().flat_map(|resolution| resolution.levels.iter());
        let mut found: Vec<_> = levels
            .filter_map(|level| Some((level.config.clone()?, level.locations.as_deref()?)))
            .flat_map(|(config, locations)| locations.iter().map(move |location| (config.clone(), location)))
            .filter(|(_, location)| {
                !location.exists && location.may_be.is_none() && !location.is_uri && !location.original.contains("%{")
            })
            .map(|(config, location)| (config, location.original.clone(), location.path.clone()))
            .collect();
        found.sort();
        found
    }

    /// A key of the data that was read that is nearly this one, its file and its line.
    /// Keys for which `is_used` is true have a use of their own.
    pub fn nearly_key(&self, key: &str, is_used: &dyn Fn(&str) -> bool) -> Option<(String, PathBuf, u32)> {
        let mut files: Vec<_> = self.data.files.iter().collect();
        files.sort_by_key(|(path, _)| (*path).clone());
        let keys: Vec<(String, &PathBuf, u32)> = files
            .iter()
            .flat_map(|(path, file)| file.keys().map(move |key| (key.clone(), *path, file.line(&key))))
            .collect();
        // One part is wrong: the last, or what is before it.
        let parts =
            |key: &str| key.rsplit_once("::").map_or((String::new(), key.to_string()), |(a, b)| (a.into(), b.into()));
        let (own, last) = parts(key);
        let others: Vec<(String, String)> =
            keys.iter().filter(|(key, ..)| !is_used(key)).map(|(key, ..)| parts(key)).collect();
        let same_own = others.iter().filter(|(other, _)| *other == own).map(|(_, last)| last.as_str());
        let same_last = others.iter().filter(|(_, other)| *other == last).map(|(own, _)| own.as_str());
        let near = match crate::diag::nearest(&last, same_own) {
            Some(near) if own.is_empty() => near.to_string(),
            Some(near) => format!("{own}::{near}"),
            None => match crate::diag::nearest(&own, same_last) {
                Some(near) => format!("{near}::{last}"),
                None => written_alike(key, keys.iter().map(|(key, ..)| key.as_str()).filter(|key| !is_used(key)))?,
            },
        };
        keys.iter().find(|(key, ..)| *key == near).map(|(key, path, line)| (key.clone(), (*path).clone(), *line))
    }

    /// Where `lookup_options` has an option of a key, or of a pattern: the file, the line of its top key, and the keys below.
    pub fn option_place(&self, key: &str, option: &str) -> Option<(PathBuf, u32, Vec<String>)> {
        let mut files: Vec<_> = self.data.files.iter().collect();
        files.sort_by_key(|(path, _)| (*path).clone());
        let find = |is_it: &dyn Fn(&str) -> bool| {
            files.iter().find_map(|(path, file)| {
                let Value::Hash(options) = file.get(super::options::KEY)? else { return None };
                let (name, _) = options.iter().find(|(name, value)| {
                    matches!(name, Value::Str(name) if is_it(name)) && value.get(option).is_some()
                })?;
                let mut keys = vec![convert::string(name), option.to_string()];
                if option == "merge" {
                    keys.push("strategy".into());
                }
                Some(((*path).clone(), file.line(super::options::KEY), keys))
            })
        };
        find(&|name| name == key).or_else(|| find(&|name| name.starts_with('^')))
    }

    /// Where data has a hash `title` with this value of a parameter: the file, the line of its top key, and the keys below.
    pub fn holds(&self, title: &str, name: &str, value: &Value) -> Option<(PathBuf, u32, Vec<String>)> {
        let mut files: Vec<_> = self.data.files.iter().collect();
        files.sort_by_key(|(path, _)| (*path).clone());
        files.into_iter().find_map(|(path, file)| {
            file.keys().find_map(|key| {
                let hash = file.get(&key)?;
                let found = hash.get(title).and_then(|entry| entry.get(name)) == Some(value);
                found.then(|| (path.clone(), file.line(&key), vec![title.to_string(), name.to_string()]))
            })
        })
    }

    /// The file whose value of a key has this part at the end of a path, and the line of the key.
    pub fn holds_part(&self, key: &str, path: &[String], part: &Value) -> Option<(PathBuf, u32)> {
        let mut files: Vec<_> = self.data.files.iter().collect();
        files.sort_by_key(|(path, _)| (*path).clone());
        let has = |value: &Value| {
            let mut value = Some(value);
            for name in path {
                value = match value? {
                    Value::Array(list) => list.get(name.parse::<usize>().ok()?),
                    value => value.get(name),
                };
            }
            (value? == part).then_some(())
        };
        let found = files.into_iter().find(|(_, file)| file.get(key).and_then(|value| has(&value)).is_some());
        found.map(|(path, file)| (path.clone(), file.line(key)))
    }

    /// Whether a value holds a plain text of encrypted data.
    pub fn holds_secret(&self, value: &Value) -> bool {
        !self.secrets.is_empty() && holds(value, &self.secrets, 0)
    }
}

/// The levels of a layer for the variables as they are.
#[derive(Clone, Debug)]
pub(super) struct Resolution {
    pub(super) levels: Arc<Vec<Resolved>>,
    pub(super) defaults: Arc<Vec<Resolved>>,
    pub(super) memory: Vec<(String, Value)>,
}

/// A level with its files.
#[derive(Debug)]
pub(super) struct Resolved {
    pub(super) number: usize,
    pub(super) name: String,
    pub(super) kind: Kind,
    pub(super) function: String,
    pub(super) options: Map,
    pub(super) locations: Option<Vec<Location>>,
    pub(super) layer: LayerName,
    /// Its `hiera.yaml`.
    pub(super) config: Option<PathBuf>,
}

/// A file or a URI.
#[derive(Debug)]
pub(super) struct Location {
    /// As `hiera.yaml` writes it.
    pub(super) original: String,
    pub(super) path: PathBuf,
    pub(super) exists: bool,
    pub(super) is_uri: bool,
    /// What it may be, where its path is unknown.
    pub(super) may_be: Option<MayBe>,
}

/// What a location with an unknown path may be.
#[derive(Debug)]
pub(super) enum MayBe {
    Any,
    /// One of these files, or one that does not exist.
    OneOf(Vec<PathBuf>),
}

/// What was found so far.
#[derive(Debug, Default)]
pub(super) struct OptionsCache {
    /// By module; `None` for keys without one.
    pub(super) all: FxHashMap<Option<Text>, Arc<Options>>,
    /// Those of the global layer and of the environment.
    pub(super) general: Option<Option<Arc<Map>>>,
    /// Those of the default hierarchies.
    pub(super) defaults: FxHashMap<Text, Arc<Options>>,
}

/// Options by key and by pattern.
#[derive(Debug, Default)]
pub(super) struct Options {
    pub(super) keys: FxHashMap<Text, Value>,
    pub(super) patterns: Vec<(Regexp, Value)>,
}

impl Options {
    pub(super) fn of(map: Option<&Map>) -> Self {
        let mut options = Self::default();
        for (key, value) in map.into_iter().flatten() {
            let Value::Str(name) = key else { continue };
            if name.starts_with('^') {
                options.patterns.push((Regexp::new(name.clone()), value.clone()));
            } else {
                options.keys.insert(name.clone(), value.clone());
            }
        }
        options
    }

    pub(super) fn by_name(&self, root: &str) -> Option<Value> {
        self.keys.get(root).filter(|found| **found != Value::Undef).cloned()
    }

    pub(super) fn by_pattern(&self, root: &str) -> Value {
        let found = self.patterns.iter().find(|(pattern, _)| pattern.is_match(root).unwrap_or(false));
        found.map_or(Value::Undef, |(_, value)| value.clone())
    }
}

/// Whether a value holds one of these texts.
fn holds(value: &Value, secrets: &[Text], depth: usize) -> bool {
    match value {
        Value::Str(text) => secrets.iter().any(|secret| text.contains(&**secret)),
        Value::Array(list) => depth < MAX_DEPTH && list.iter().any(|item| holds(item, secrets, depth + 1)),
        Value::Hash(map) => {
            let in_pair = |(k, v): (&Value, &Value)| holds(k, secrets, depth + 1) || holds(v, secrets, depth + 1);
            depth < MAX_DEPTH && map.iter().any(in_pair)
        }
        Value::Sensitive(_) => false,
        other => secrets.iter().any(|secret| convert::string(other).contains(&**secret)),
    }
}

/// The key that differs only in its signs, or the only one that has a key of one part as its last part.
fn written_alike<'a>(key: &str, keys: impl Iterator<Item = &'a str>) -> Option<String> {
    let plain = |key: &str| key.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
    let (wanted, ending) = (plain(key), format!("::{key}"));
    let mut elsewhere = Vec::new();
    for other in keys {
        if plain(other) == wanted {
            return Some(other.into());
        }
        elsewhere.extend((!key.contains("::") && other.ends_with(&ending)).then_some(other));
    }
    elsewhere.dedup();
    if let [only] = elsewhere[..] { Some(only.into()) } else { None }
}
