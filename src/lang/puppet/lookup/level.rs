//! One level of a hierarchy: its files for this node, and what it has for a key.

use std::path::{Path, PathBuf};

use super::config::{Config, Kind, LayerName, Level, Locations};
use super::explain::What;
use super::key::Key;
use super::merge;
use super::state::{Location, MayBe, Resolved};
use super::{At, Origin, Provided, Search, Strategy};
use crate::diag::Code;
use crate::lang::puppet::convert;
use crate::lang::puppet::environment::Inputs;
use crate::lang::puppet::issue::{Advice, IssueName};
use crate::lang::puppet::lookup::Data;
use crate::lang::puppet::stop::{Help, Run, Stop, fail, help, runtime};
use crate::lang::puppet::types;
use crate::lang::puppet::unknown::{self, SHOWN};
use crate::lang::puppet::value::{Map, Value};

/// Functions that read a file of data; all of them are built in.
const FILES: [&str; 3] = ["yaml_data", "json_data", "hocon_data"];

/// Files of one pattern, and folders on the way.
const MAX_FILES: usize = 10_000;

/// Steps of asking one file for a key.
const ASK_FILE: u64 = 4;

/// Steps of finding out whether a file exists.
const FIND_FILE: u64 = 20;

impl dyn Search<'_> + '_ {
    /// The levels of a hierarchy for the node.
    pub(super) fn resolve(&mut self, config: &Config, levels: &[Level], at: At) -> Run<Vec<Resolved>> {
        let mut resolved = Vec::new();
        for level in levels {
            let folder = config.root.join(&level.datadir).to_string_lossy().into_owned();
            let mut locations = match self.interpolated_path(&folder, at)? {
                Ok(folder) => self.locations(Path::new(&folder), &level.locations, at)?,
                Err(_) if matches!(level.locations, Locations::None) => None,
                Err(_) => Some(vec![Location::open(&level.datadir, MayBe::Any)]),
            };
            if config.file.is_none()
                && let Some(locations) = &mut locations
            {
                locations.retain(|location| location.exists || location.may_be.is_some());
                if locations.is_empty() {
                    continue;
                }
            }
            let options = match self.interpolated(&Value::hash(level.options.clone()), false, at)? {
                Value::Hash(options) => (*options).clone(),
                _ => Map::default(),
            };
            self.data().hiera.numbers += 1;
            resolved.push(Resolved {
                number: self.data().hiera.numbers,
                name: level.name.clone(),
                kind: level.kind,
                function: level.function.clone(),
                options,
                locations,
                layer: config.layer.clone(),
                config: config.file.clone(),
            });
        }
        Ok(resolved)
    }

    fn locations(&mut self, folder: &Path, declared: &Locations, at: At) -> Run<Option<Vec<Location>>> {
        let mut found = Vec::new();
        match declared {
            Locations::None => return Ok(None),
            Locations::Paths(paths) => {
                for original in paths {
                    found.push(self.file(folder, original, at)?);
                }
            }
            Locations::Globs(globs) => {
                for glob in globs {
                    let pattern = match self.interpolated_path(glob, at)? {
                        Ok(pattern) => pattern,
                        Err(_) => {
                            let files = self.data().inputs.files_of(folder, SHOWN);
                            found.push(Location::open(glob, files));
                            continue;
                        }
                    };
                    let original = folder.join(&pattern).to_string_lossy().into_owned();
                    let Some(paths) = self.data().inputs.glob(folder, &pattern) else {
                        let message = format!("the glob '{original}' fits more than {MAX_FILES} files");
                        return runtime(at.span, message);
                    };
                    for path in paths {
                        found.push(Location { path, exists: true, ..Location::of(&original) });
                    }
                }
            }
            Locations::Uris(uris) => {
                for original in uris {
                    found.push(match self.interpolated_path(original, at)? {
                        Ok(uri) => Location { path: uri.into(), exists: true, is_uri: true, ..Location::of(original) },
                        Err(_) => Location::open(original, MayBe::Any),
                    });
                }
            }
            Locations::Mapped { variable, name, template } => {
                let mapped = self.scope_value(variable, variable, at)?.unwrap_or(Value::Undef);
                let items = match mapped {
                    Value::Array(list) => list.to_vec(),
                    Value::Undef => Vec::new(),
                    Value::Hash(map) => map.iter().map(|(k, v)| Value::array(vec![k.clone(), v.clone()])).collect(),
                    Value::Str(text) if text.is_empty() => Vec::new(),
                    other => vec![other],
                };
                for item in items {
                    let scope = self.data().scopes.local_scope(at.scope);
                    self.data().scopes.get_mut(scope).variables.insert(name.as_str().into(), item);
                    found.push(self.file(folder, template, At { scope, ..at })?);
                }
            }
        }
        Ok(Some(found))
    }

    /// A file of a level.
    fn file(&mut self, folder: &Path, written: &str, at: At) -> Run<Location> {
        let path = self.interpolated_path(written, at)?;
        self.data().output.spend(FIND_FILE, at.span)?;
        let inputs = &self.data().inputs;
        Ok(match path {
            Ok(path) => {
                let path = folder.join(path);
                Location { exists: inputs.files.exists(&path), path, ..Location::of(written) }
            }
            Err(shown) => Location::open(written, inputs.files_of(folder, &shown)),
        })
    }

    /// What a level has for a key.
    pub(super) fn in_level(&mut self, level: &Resolved, key: &Key, strategy: &Strategy, at: At) -> Run<Option<Value>> {
        let files = level.locations.as_ref().map_or(0, |locations| locations.len());
        self.data().output.spend(ASK_FILE * (1 + files as u64), at.span)?;
        self.explained(What::Level(level.name.clone()), |e| match &level.locations {
            None => e.asked(level, None, key, at),
            Some(locations) => e.merged(strategy, locations.len(), at, |e, index| {
                let Some(location) = locations.get(index) else { return Ok(None) };
                if let Some(may_be) = &location.may_be {
                    return e.data().in_any_of(level, &location.original, may_be, key, at);
                }
                let shown = if location.is_uri {
                    location.path.to_string_lossy().into_owned()
                } else {
                    e.data().inputs.shown(&location.path)
                };
                let kind = if location.is_uri { "URI" } else { "Path" };
                let what = What::Location { kind, shown, original: location.original.clone() };
                e.explained(what, |e| {
                    if location.exists {
                        return e.asked(level, Some((index, location)), key, at);
                    }
                    if let Some(explainer) = &mut e.data().hiera.explainer {
                        explainer.location_not_found();
                    }
                    Ok(None)
                })
            }),
        })
    }

    /// What one file (or function) of a level has for a key.
    fn asked(
        &mut self,
        level: &Resolved,
        location: Option<(usize, &Location)>,
        key: &Key,
        at: At,
    ) -> Run<Option<Value>> {
        let found = match (level.kind, &*level.function) {
            (Kind::DataHash, name) if FILES.contains(&name) => {
                let location = self.data().inputs.path_of(level, location, at)?;
                self.in_file(level, location, key, at)?
            }
            (Kind::LookupKey, "eyaml_lookup_key") => {
                let location = self.data().inputs.path_of(level, location, at)?;
                self.in_eyaml(level, location, key, at)?
            }
            (Kind::Hiera3, name) => self.data().skipped(level, &format!("the Hiera 3 backend `{name}`"), at)?,
            _ => self.in_function(level, location, key, at)?,
        };
        match &found {
            Some(value) if level.kind == Kind::DataDig => {
                self.data().hiera.report_found(&key.text, value);
                return Ok(Some(key.around(value.clone())));
            }
            Some(value) => self.data().hiera.report_found(&key.root, value),
            None => self.data().hiera.report_not_found(if level.kind == Kind::DataDig { &key.text } else { &key.root }),
        }
        Ok(found)
    }

    fn in_file(&mut self, level: &Resolved, location: &Location, key: &Key, at: At) -> Run<Option<Value>> {
        let data = self.data().data_file(&location.path, &level.function, at)?;
        if let LayerName::Module(module) = &level.layer {
            self.data().check_prefixes(module, &data, level, location);
        }
        let Some(found) = data.get(&key.root) else { return Ok(None) };
        let line = data.line(&key.root);
        let value = if data.has_symbol(&key.root) {
            let message = format!(
                "Value for key '{}', in hash returned from data_hash function '{}', when using location '{}', has wrong \
                type, expects Puppet::LookupValue, got Runtime[ruby, 'Symbol']",
                key.root,
                level.function,
                self.data().inputs.shown(&location.path)
            );
            fail(at.span, IssueName::WrongType, message)
                .help("remove the `:` before the word, or put the word in quotes")
        } else if data.has_large_integer(&key.root) {
            let message = "Use of a Ruby Integer outside of Puppet Integer max range";
            fail(at.span, IssueName::RuntimeError, message)
                .code(Code::NumberOverflow)
                .help("integers have 64 bits: put the digits into quotes, so that they are a text")
        } else {
            self.interpolated(&found, true, at)
        };
        let value = self.data().inputs.at_line(value, &location.path, line, at)?;
        self.data().note_origin(level, &location.path, line, &value);
        Ok(Some(value))
    }

    /// What a function of the language gives.
    fn in_function(
        &mut self,
        level: &Resolved,
        location: Option<(usize, &Location)>,
        key: &Key,
        at: At,
    ) -> Run<Option<Value>> {
        let place = (level.number, location.map_or(usize::MAX, |(index, _)| index));
        let mut options = level.options.clone();
        if let Some((_, location)) = location {
            let name = if location.is_uri { "uri" } else { "path" };
            options.insert(Value::str(name), Value::str(location.path.to_string_lossy().as_ref()));
        }
        let options = Value::hash(options);
        let value = match level.kind {
            Kind::DataHash => {
                if let Some(data) = self.data().hiera.data.hashes.get(&place).cloned() {
                    return self.found_in_hash(&data, key, at);
                }
                let Some(value) = self.called(level, place, vec![options], at)? else { return Ok(None) };
                if let Value::Unknown(_) = value {
                    return Ok(self.data().unknown_data());
                }
                let Value::Hash(data) = &value else {
                    let using = location.map_or(String::new(), |(_, location)| {
                        format!(", when using location '{}',", location.path.display())
                    });
                    let got = types::infer_generic(&value);
                    let message = format!(
                        "Value returned from data_hash function '{}'{using} has wrong type, expects a Hash value, got {got}",
                        level.function
                    );
                    return fail(at.span, IssueName::WrongType, message).help("let the function return a Hash");
                };
                // An unknown key may be any, also one beside it.
                let has_unknown_key = data.keys().any(unknown::is_in);
                let value = if has_unknown_key {
                    let what = format!("`{}` of the level `{}` gives an unknown key", level.function, level.name);
                    self.data().output.warn_once(format!("{what}; all values of the level are unknown"));
                    Value::Unknown(None)
                } else {
                    value
                };
                self.data().hiera.data.hashes.insert(place, value.clone());
                return self.found_in_hash(&value, key, at);
            }
            Kind::LookupKey | Kind::Hiera3 => {
                let name = Value::str(key.root.as_str());
                self.remembered(level, place, name, vec![Value::str(key.root.as_str()), options], at)?
            }
            Kind::DataDig => self.remembered(level, place, key.parts(), vec![key.parts(), options], at)?,
        };
        Ok(value)
    }

    fn found_in_hash(&mut self, data: &Value, key: &Key, at: At) -> Run<Option<Value>> {
        if let Value::Unknown(_) = data {
            return Ok(self.data().unknown_data());
        }
        match data.get(&key.root).cloned() {
            Some(found) => self.interpolated(&found, true, at).map(Some),
            None => Ok(None),
        }
    }

    /// A call that is made once for each key.
    fn remembered(
        &mut self,
        level: &Resolved,
        place: (usize, usize),
        key: Value,
        args: Vec<Value>,
        at: At,
    ) -> Run<Option<Value>> {
        if let Some(found) = self.data().hiera.data.answers.get(&(place, key.clone())) {
            return Ok(found.clone());
        }
        let found = self.called(level, place, args, at)?;
        self.data().hiera.data.answers.insert((place, key), found.clone());
        Ok(found)
    }

    /// Calls a function that provides data; it takes a context as its last argument. `None` where it finds nothing.
    fn called(&mut self, level: &Resolved, place: (usize, usize), mut args: Vec<Value>, at: At) -> Run<Option<Value>> {
        args.push(self.data().context_of(level, place));
        let name = level.function.as_str();
        match self.provide(name, args, at.span)? {
            Provided::Value(value) => Ok(Some(value)),
            Provided::NotFound => Ok(None),
            Provided::Ruby(what) => self.data().skipped(level, &what, at),
            Provided::Missing(help) => {
                let message = format!("Unable to find '{}' function named '{name}'", level.kind.name());
                let known = [FILES[0], FILES[1], FILES[2], "eyaml_lookup_key"];
                let help = match crate::lang::puppet::suggestion::closest(name, known) {
                    Some(near) => crate::lang::puppet::suggestion::did_you_mean(near).into(),
                    None => help,
                };
                let name = IssueName::HieraDataProviderFunctionNotFound;
                let words = format!("{}: {}", level.kind.name(), level.function);
                self.data().inputs.in_config(level, &words, message, name, at).help(help)
            }
        }
    }
}

impl Data<'_, '_> {
    /// What a location with an unknown path has for a key.
    fn in_any_of(&mut self, level: &Resolved, original: &str, may_be: &MayBe, key: &Key, at: At) -> Run<Option<Value>> {
        let function = match (level.kind, &*level.function) {
            (Kind::DataHash, name) if FILES.contains(&name) => Some(name),
            (Kind::LookupKey, "eyaml_lookup_key") => Some(FILES[0]),
            _ => None,
        };
        if let (Some(function), MayBe::OneOf(files)) = (function, may_be) {
            let mut may_have = false;
            for file in files {
                self.output.spend(ASK_FILE, at.span)?;
                // A file that cannot be read may not be the one that is read.
                may_have |= self.data_file(file, function, at).map_or(true, |data| data.get(&key.root).is_some());
            }
            if !may_have {
                return Ok(None);
            }
        }
        self.output.warn_once(format!(
            "`{original}` in hiera.yaml depends on an unknown value, and so do values of its files"
        ));
        Ok(self.unknown_data())
    }

    /// Remembers where the value of the outermost key comes from.
    pub(super) fn note_origin(&mut self, level: &Resolved, path: &Path, line: u32, value: &Value) {
        if self.hiera.stack.len() == 1 && self.hiera.stack.first().is_some_and(|key| key != super::options::KEY) {
            let is_secret = self.hiera.holds_secret(value);
            let value = if is_secret { "(secret)".to_owned() } else { convert::inspect(value) };
            let (file, level) = (self.inputs.shown(path), level.name.clone());
            self.hiera.origins.push(Origin { file, path: path.to_path_buf(), line, level, value });
        }
    }

    fn check_prefixes(&mut self, module: &str, data: &super::data::File, level: &Resolved, location: &Location) {
        let prefix = format!("{module}::");
        for key in data.keys().filter(|key| key != super::options::KEY && !key.starts_with(&prefix)) {
            let message = format!(
                "Module '{module}': Value returned from data_hash function '{}', when using location '{}', must use keys \
                qualified with the name of the module; got {key}",
                level.function,
                self.inputs.shown(&location.path)
            );
            if self.output.warned.insert(message.clone()) {
                self.output.log("warning", message);
            }
        }
    }

    /// A level that only Ruby could read: what it has, and with it what is below it, is unknown. An error where unknown
    /// values are not allowed.
    fn skipped(&mut self, level: &Resolved, what: &str, at: At) -> Run<Option<Value>> {
        let message = format!("{what} is {}", crate::lang::puppet::unknown::RUBY);
        if !self.inputs.settings.allow_unknown {
            return self
                .inputs
                .in_config(level, &level.function.clone(), message, IssueName::RuntimeError, at)
                .help(help::UNKNOWN);
        }
        let switch = if self.inputs.has_worker() { "" } else { " without `--run-plugins`" };
        let unknown = format!("values of the level `{}` and of those below it are unknown", level.name);
        self.output.warn_once(format!("{message}; {unknown}{switch}"));
        Ok(self.unknown_data())
    }

    /// What a level has for a key if its data is unknown.
    fn unknown_data(&mut self) -> Option<Value> {
        // Options are searched for each key; they count as not set.
        if self.hiera.stack.iter().any(|key| key == super::options::KEY) {
            return None;
        }
        self.output.has_unknown = true;
        Some(Value::Unknown(None))
    }

    /// The context of the functions of a level, or of one of its files.
    fn context_of(&mut self, level: &Resolved, place: (usize, usize)) -> Value {
        if let Some(context) = self.hiera.data.contexts.get(&place) {
            return context.clone();
        }
        let module = match &level.layer {
            LayerName::Module(module) => Value::Str(module.clone()),
            _ => Value::Undef,
        };
        let context = self.lookup_context(module);
        self.hiera.data.contexts.insert(place, context.clone());
        context
    }
}

impl Location {
    fn of(original: &str) -> Self {
        Self { original: original.into(), path: PathBuf::new(), exists: false, is_uri: false, may_be: None }
    }

    /// One whose path is unknown.
    fn open(original: &str, may_be: MayBe) -> Self {
        Self { may_be: Some(may_be), ..Self::of(original) }
    }
}

impl Inputs<'_> {
    /// The files below a folder whose paths are this text with any text in the place of what is unknown.
    fn files_of(&self, folder: &Path, shown: &str) -> MayBe {
        let (first, rest) = shown.split_once(SHOWN).unwrap_or((shown, ""));
        let (middle, last) = rest.rsplit_once(SHOWN).unwrap_or(("", rest));
        let files = self.files_below(folder, MAX_FILES);
        if files.len() >= MAX_FILES || first.starts_with('/') || shown.contains("..") {
            return MayBe::Any;
        }
        let fits = |file: &&String| {
            let inner = file.strip_prefix(first).and_then(|rest| rest.strip_suffix(last));
            let behind = |rest: &'_ str, part: &str| rest.split_once(part).map(|(_, rest)| rest.to_owned());
            inner.is_some_and(|inner| {
                middle.split(SHOWN).try_fold(inner.to_owned(), |rest, part| behind(&rest, part)).is_some()
            })
        };
        MayBe::OneOf(files.iter().filter(fits).map(|file| folder.join(file)).collect())
    }

    /// The files that a pattern fits; nothing where there are too many.
    fn glob(&self, root: &Path, pattern: &str) -> Option<Vec<PathBuf>> {
        let mut found = vec![root.to_path_buf()];
        let parts: Vec<&str> = pattern.split('/').filter(|part| !part.is_empty()).collect();
        for (index, part) in parts.iter().enumerate() {
            let is_last = index + 1 == parts.len();
            let mut next = Vec::new();
            for folder in &found {
                if *part == "**" {
                    next.extend(self.folders_below(folder)?);
                } else if !part.contains(['*', '?', '[', '{']) {
                    next.push(folder.join(part));
                } else {
                    let names = self.files.list(folder).into_iter();
                    let fits = names.filter(|name| !name.starts_with('.') && merge::wildcard(part, name));
                    next.extend(fits.map(|name| folder.join(name)));
                }
            }
            next.retain(|path| if is_last { self.files.exists(path) } else { self.files.is_dir(path) });
            if next.len() > MAX_FILES {
                return None;
            }
            found = next;
        }
        found.retain(|path| !self.files.is_dir(path));
        found.sort();
        found.dedup();
        Some(found)
    }

    /// A folder and all folders in it; nothing where there are too many.
    fn folders_below(&self, folder: &Path) -> Option<Vec<PathBuf>> {
        let mut all = vec![folder.to_path_buf()];
        let mut at = 0;
        while let Some(folder) = all.get(at).cloned() {
            if all.len() > MAX_FILES {
                return None;
            }
            let inner = self.files.list(&folder).into_iter().filter(|name| !name.starts_with('.'));
            all.extend(inner.map(|name| folder.join(name)).filter(|path| self.files.is_dir(path)));
            at += 1;
        }
        Some(all)
    }

    /// The location of a function that reads a file, which has to be a path.
    fn path_of<'l>(&mut self, level: &Resolved, location: Option<(usize, &'l Location)>, at: At) -> Run<&'l Location> {
        if let Some((_, location)) = location.filter(|(_, location)| !location.is_uri) {
            return Ok(location);
        }
        let kind = level.kind.name();
        let message = format!(
            "one of 'path', 'paths' 'glob', 'globs' or 'mapped_paths' must be declared in hiera.yaml when using this \
            {kind} function ({}, hierarchy entry '{}')",
            level.function, level.name
        );
        self.in_config(level, &level.name.clone(), message, IssueName::RuntimeError, at)
            .code(crate::diag::Code::InvalidHierarchy)
            .help("add a location to the level, for example `path: common.yaml`")
    }

    /// An error at the line of `hiera.yaml` that has these words.
    fn in_config<V>(&mut self, level: &Resolved, words: &str, message: String, name: IssueName, at: At) -> Run<V> {
        let Some(path) = &level.config else { return fail(at.span, name, message) };
        let text = self.files.read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
        let words = words.replace(['"', '\''], "");
        // The whole value, or else its beginning: `yaml` is in `yaml_data` too.
        let place = |fits: &dyn Fn(&str) -> bool| {
            text.lines()
                .position(|line| fits(line.split(" #").next().unwrap_or_default().replace(['"', '\''], "").trim()))
        };
        let line = place(&|line| line.ends_with(&words)).or_else(|| place(&|line| line.contains(&words)));
        let line = line.unwrap_or(0) + 1;
        self.wrong_in_file(path, &text, (line, 1), name, message)
    }

    /// Moves an error of the search from the place that asked to the line of the data.
    pub(super) fn at_line<V>(&mut self, run: Run<V>, path: &Path, line: u32, at: At) -> Run<V> {
        match run {
            Err(Stop::Fail(issue)) if issue.span == Some(at.span) => {
                let issue = *issue;
                let bytes = self.files.read(path).unwrap_or_default();
                let text = String::from_utf8_lossy(&bytes).into_owned();
                let run = self.wrong_in_file(path, &text, (line as usize, 1), issue.name, issue.message);
                // What else is known of the problem stays.
                run.advise(|_| Advice { place: None, related: Vec::new(), ..issue.advice })
            }
            run => run,
        }
    }
}

/// A text of `hiera.yaml`'s options.
pub(super) fn option(level: &Resolved, name: &str) -> Option<String> {
    level.options.get(&Value::str(name)).filter(|value| **value != Value::Undef).map(convert::string)
}
