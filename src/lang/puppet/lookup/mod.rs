//! Hiera 5: data for keys, from the environment and from modules.

pub mod context;
mod interpolate;
mod merge;

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Map as JsonMap, Value as Json};

use super::eval::stop::{Problem, Run, Stop, fail};
use super::eval::{Call, Evaluator, convert};
use super::scope::{ScopeId, TOP};
use super::types;
use super::value::{Map, Value};
use crate::source::Span;

pub use merge::Strategy;

/// One level of a hierarchy.
#[derive(Clone, Debug)]
struct Level {
    datadir: PathBuf,
    /// Paths or globs, not interpolated yet.
    paths: Vec<String>,
    is_glob: bool,
    mapped: Option<(String, String, String)>,
    function: Function,
    options: Map,
}

#[derive(Clone, Debug)]
enum Function {
    /// `yaml_data`, `json_data` and the like, or a function of the language.
    DataHash(String),
    LookupKey(String),
    DataDig(String),
}

/// One `hiera.yaml`.
#[derive(Clone, Debug, Default)]
struct Layer {
    levels: Vec<Level>,
    default_levels: Vec<Level>,
}

/// The configuration of the environment and of the modules.
#[derive(Debug, Default)]
pub struct Hiera {
    environment: Option<Layer>,
}

/// Lookups inside of lookups.
const MAX_DEPTH: usize = 40;

impl Evaluator<'_> {
    /// The value of a class parameter from data.
    pub fn parameter_data(&mut self, key: &str, scope: ScopeId, span: Span) -> Run<Option<Value>> {
        let found = self.find_data(key, None, scope, span)?;
        Ok(found)
    }

    fn configuration(&mut self, span: Span) -> Run<Arc<Hiera>> {
        if let Some(hiera) = &self.hiera {
            return Ok(hiera.clone());
        }
        let root = self.settings.environment.clone();
        let environment = self.layer(&root, false, span)?;
        let hiera = Arc::new(Hiera { environment });
        self.hiera = Some(hiera.clone());
        Ok(hiera)
    }

    /// Reads a `hiera.yaml`.
    fn layer(&mut self, root: &std::path::Path, is_module: bool, span: Span) -> Run<Option<Layer>> {
        let Some(bytes) = self.files.read(&root.join("hiera.yaml")) else {
            return self.old_layer(root, is_module);
        };
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let mut config = match yaml(&text) {
            Ok(Json::Object(config)) => config,
            Ok(Json::Null) => return Ok(None),
            Ok(_) => return self.runtime(span, "hiera.yaml has wrong type, expects a Hash"),
            Err(problem) => return self.runtime(span, format!("Unable to parse hiera.yaml: {problem}")),
        };
        if config.get("version").and_then(Json::as_i64) != Some(5) {
            if !is_module && config.contains_key(":backends") {
                return fail(
                    span,
                    "HIERA_VERSION_3_NOT_GLOBAL",
                    "hiera.yaml version 3 cannot be used in an environment",
                );
            }
            if config.get("version").and_then(Json::as_i64) != Some(4) {
                return self.runtime(span, "This runtime does not support hiera.yaml version other than 5");
            }
            config = self.as_version_5(config, span)?;
        }
        let defaults = config.get("defaults").cloned().unwrap_or(Json::Null);
        if let Some(options) = defaults.get("options").and_then(Json::as_object)
            && options.keys().any(|k| k == "path" || k == "uri")
        {
            return fail(
                span,
                "HIERA_DEFAULT_OPTION_RESERVED_BY_PUPPET",
                "Option key used in defaults is reserved by Puppet",
            );
        }
        let mut layer = Layer::default();
        let mut names = std::collections::HashSet::new();
        for (key, is_default) in [("hierarchy", false), ("default_hierarchy", true)] {
            if is_default && !is_module && config.contains_key(key) {
                return fail(
                    span,
                    "HIERA_DEFAULT_HIERARCHY_NOT_IN_MODULE",
                    "'default_hierarchy' is only allowed in the module layer",
                );
            }
            let entries = match config.get(key) {
                Some(Json::Array(entries)) => entries.clone(),
                None if !is_default => vec![serde_json::json!({"name": "Common", "path": "common.yaml"})],
                _ => Vec::new(),
            };
            for entry in entries {
                let name = entry.get("name").and_then(Json::as_str).unwrap_or_default().to_string();
                if !names.insert((is_default, name.clone())) {
                    return fail(
                        span,
                        "HIERA_HIERARCHY_NAME_MULTIPLY_DEFINED",
                        format!("Hierarchy name '{name}' defined more than once"),
                    );
                }
                let level = self.level(root, &entry, &defaults, span)?;
                if is_default { layer.default_levels.push(level) } else { layer.levels.push(level) }
            }
        }
        Ok(Some(layer))
    }

    /// A configuration of version 4 in the words of version 5.
    fn as_version_5(&mut self, config: JsonMap<String, Json>, span: Span) -> Run<JsonMap<String, Json>> {
        if self.warned.insert("hiera.yaml 4".into()) {
            self.log("warning", "hiera.yaml: Use of 'hiera.yaml' version 4 is deprecated. It should be converted to version 5\n   (file: hiera.yaml)");
        }
        let folder = config.get("datadir").cloned().unwrap_or_else(|| "data".into());
        let entries = match config.get("hierarchy") {
            Some(Json::Array(entries)) => entries.clone(),
            _ => vec![serde_json::json!({"name": "common", "backend": "yaml"})],
        };
        let mut levels = Vec::new();
        for entry in entries {
            let text = |key: &str| entry.get(key).and_then(Json::as_str);
            let name = text("name").unwrap_or_default();
            let (function, extension) = match text("backend").unwrap_or_default() {
                "yaml" => ("yaml_data", "yaml"),
                "json" => ("json_data", "json"),
                other => {
                    let message = format!("No data provider is registered for backend '{other}'");
                    return fail(span, "HIERA_NO_PROVIDER_FOR_BACKEND", message);
                }
            };
            let paths = match (entry.get("paths"), text("path")) {
                (Some(Json::Array(paths)), _) => paths.iter().filter_map(Json::as_str).collect(),
                (_, path) => vec![path.unwrap_or(name)],
            };
            let ending = format!(".{extension}");
            let whole = |path: &str| if path.ends_with(&ending) { path.to_string() } else { format!("{path}{ending}") };
            levels.push(serde_json::json!({
                "name": name,
                "data_hash": function,
                "datadir": entry.get("datadir").unwrap_or(&folder),
                "paths": paths.into_iter().map(whole).collect::<Vec<String>>(),
            }));
        }
        Ok(JsonMap::from_iter([("hierarchy".to_string(), Json::Array(levels))]))
    }

    /// A module without `hiera.yaml` whose metadata asks for data as version 4 did.
    fn old_layer(&mut self, root: &std::path::Path, is_module: bool) -> Run<Option<Layer>> {
        let metadata = root.join("metadata.json");
        let Some(bytes) = self.files.read(&metadata).filter(|_| is_module) else { return Ok(None) };
        let Ok(json) = serde_json::from_slice::<Json>(&bytes) else { return Ok(None) };
        if json.get("data_provider").and_then(Json::as_str) != Some("hiera") {
            return Ok(None);
        }
        let shown = self.shown(&metadata);
        if self.warned.insert(shown.clone()) {
            self.log("warning", format!("Defining \"data_provider\": \"hiera\" in metadata.json is deprecated. A 'hiera.yaml' file should be used instead\n   (file: {shown})"));
        }
        let level = Level {
            datadir: root.join("data"),
            paths: vec!["common.yaml".into()],
            is_glob: false,
            mapped: None,
            function: Function::DataHash("yaml_data".into()),
            options: Map::default(),
        };
        Ok(Some(Layer { levels: vec![level], default_levels: Vec::new() }))
    }

    fn level(&mut self, root: &std::path::Path, entry: &Json, defaults: &Json, span: Span) -> Run<Level> {
        const KINDS: [&str; 4] = ["data_hash", "lookup_key", "data_dig", "hiera3_backend"];
        let text = |key: &str| entry.get(key).and_then(Json::as_str).map(str::to_string);
        let name = text("name").unwrap_or_default();
        let used: Vec<&str> = KINDS.into_iter().filter(|k| entry.get(*k).is_some()).collect();
        if used.len() > 1 {
            return fail(
                span,
                "HIERA_MULTIPLE_DATA_PROVIDER_FUNCTIONS",
                format!("Only one of data_hash, lookup_key, data_dig can be defined in hierarchy '{name}'"),
            );
        }
        if used.first() == Some(&"hiera3_backend") {
            return fail(span, "HIERA_V3_BACKEND_NOT_GLOBAL", "'hiera3_backend' is only allowed in the global layer");
        }
        let from = if used.is_empty() { defaults } else { entry };
        let get = |key: &str| from.get(key).and_then(Json::as_str).map(str::to_string);
        let function = match (get("data_hash"), get("lookup_key"), get("data_dig")) {
            (Some(name), ..) => Function::DataHash(name),
            (_, Some(name), _) => Function::LookupKey(name),
            (.., Some(name)) => Function::DataDig(name),
            _ => Function::DataHash("yaml_data".into()),
        };
        let options = match entry.get("options").or_else(|| defaults.get("options")) {
            Some(options @ Json::Object(map)) => {
                if entry.get("options").is_some() && map.keys().any(|k| k == "path" || k == "uri") {
                    return fail(
                        span,
                        "HIERA_OPTION_RESERVED_BY_PUPPET",
                        format!("Option key used in hierarchy '{name}' is reserved by Puppet"),
                    );
                }
                match convert::from_json(options) {
                    Value::Hash(map) => (*map).clone(),
                    _ => Map::default(),
                }
            }
            _ => Map::default(),
        };
        const PLACES: [&str; 7] = ["path", "paths", "glob", "globs", "uri", "uris", "mapped_paths"];
        if PLACES.iter().filter(|k| entry.get(**k).is_some()).count() > 1 {
            return fail(
                span,
                "HIERA_MULTIPLE_LOCATION_SPECS",
                format!(
                    "Only one of path, paths, glob, globs, uri, uris, mapped_paths can be defined in hierarchy '{name}'"
                ),
            );
        }
        let list = |key: &str| -> Vec<String> {
            match entry.get(key) {
                Some(Json::String(text)) => vec![text.clone()],
                Some(Json::Array(list)) => list.iter().filter_map(|v| v.as_str().map(str::to_string)).collect(),
                _ => Vec::new(),
            }
        };
        let mut paths = [list("path"), list("paths")].concat();
        let globs = [list("glob"), list("globs")].concat();
        let is_glob = !globs.is_empty();
        paths.extend(globs);
        let mapped = match &list("mapped_paths")[..] {
            [variable, name, template] => Some((variable.clone(), name.clone(), template.clone())),
            _ => None,
        };
        let datadir = text("datadir")
            .or_else(|| defaults.get("datadir").and_then(Json::as_str).map(str::to_string))
            .unwrap_or_else(|| "data".into());
        Ok(Level { datadir: root.join(datadir), paths, is_glob, mapped, function, options })
    }

    /// All values of a key, the first level first.
    fn values(&mut self, key: &str, layer: &Layer, defaults: bool, scope: ScopeId, span: Span) -> Run<Vec<Value>> {
        let mut out = Vec::new();
        let (root, rest) = merge::key_parts(key).map_err(|m| Problem::runtime(m).at(span))?;
        let levels = if defaults { &layer.default_levels } else { &layer.levels };
        for level in levels {
            let datadir = self.interpolate_text(&level.datadir.to_string_lossy(), scope, span)?;
            let datadir = PathBuf::from(datadir);
            let mut files: Vec<Option<PathBuf>> = Vec::new();
            if let Some((variable, name, template)) = &level.mapped {
                let mapped = self.interpolation_value(variable, scope, span)?.unwrap_or(Value::Undef);
                let items = match mapped {
                    Value::Array(list) => list.to_vec(),
                    Value::Undef => Vec::new(),
                    Value::Hash(map) => map.iter().map(|(k, v)| Value::array(vec![k.clone(), v.clone()])).collect(),
                    other => vec![other],
                };
                for item in items {
                    let local = self.local_scope(scope);
                    self.scopes.get_mut(local).variables.insert(name.as_str().into(), item);
                    let path = self.interpolate_text(template, local, span)?;
                    files.push(Some(datadir.join(path)));
                }
            }
            for path in &level.paths {
                let path = self.interpolate_text(path, scope, span)?;
                if level.is_glob {
                    files.extend(self.glob(&datadir, &path).into_iter().map(Some));
                } else {
                    files.push(Some(datadir.join(path)));
                }
            }
            if level.paths.is_empty() && level.mapped.is_none() {
                files.push(None);
            }
            for file in files {
                if let Some(file) = &file
                    && self.files.read(file).is_none()
                {
                    continue;
                }
                if let Some(value) = self.level_value(level, file.as_deref(), &root, &rest, scope, span)? {
                    out.push(value);
                }
            }
        }
        Ok(out)
    }

    /// What one file (or function) of a level has for a key.
    fn level_value(
        &mut self,
        level: &Level,
        file: Option<&std::path::Path>,
        root: &str,
        rest: &[Value],
        scope: ScopeId,
        span: Span,
    ) -> Run<Option<Value>> {
        let mut options = level.options.clone();
        for value in options.values_mut() {
            *value = self.interpolated(value, scope, span)?;
        }
        if let Some(file) = file {
            options.insert(Value::str("path"), Value::str(file.to_string_lossy().as_ref()));
        }
        let found = match &level.function {
            Function::DataHash(name) => {
                let data = match name.as_str() {
                    "yaml_data" | "json_data" | "hocon_data" => {
                        let Some(file) = file else {
                            return fail(
                                span,
                                "RUNTIME_ERROR",
                                format!(
                                    "one of 'path', 'paths', 'glob', 'globs' or 'mapped_paths' must be declared in hiera.yaml when using this data_hash function ({name})"
                                ),
                            );
                        };
                        self.data_file(file, name == "json_data", span)?
                    }
                    name => self.data_function(name, vec![Value::hash(options), Value::Undef], 1, scope, span)?,
                };
                if !matches!(data, Value::Hash(_)) {
                    return self
                        .runtime(span, "Value returned from data_hash function has wrong type, expects a Hash value");
                }
                data.get(root).cloned()
            }
            Function::LookupKey(name) => {
                let value = self.data_function(
                    name,
                    vec![Value::str(root), Value::hash(options), Value::Undef],
                    3,
                    scope,
                    span,
                )?;
                (value != Value::Undef).then_some(value)
            }
            Function::DataDig(name) => {
                let mut keys = vec![Value::str(root)];
                keys.extend(rest.iter().cloned());
                let value = self.data_function(
                    name,
                    vec![Value::array(keys), Value::hash(options), Value::Undef],
                    3,
                    scope,
                    span,
                )?;
                return Ok((value != Value::Undef).then_some(value));
            }
        };
        let Some(mut found) = found else { return Ok(None) };
        // What a function gives is as it gives it.
        if matches!(level.function, Function::DataHash(_)) {
            found = self.interpolated(&found, scope, span)?;
        }
        if rest.is_empty() {
            return Ok(Some(found));
        }
        Ok(merge::dig(&found, rest))
    }

    /// Calls a function that provides data; it takes a context as its last argument.
    fn data_function(&mut self, name: &str, mut args: Vec<Value>, _arity: usize, _scope: ScopeId, span: Span) -> Run {
        let key = name.to_string();
        let context = match self.contexts.get(&key) {
            Some(context) => context.clone(),
            None => {
                let module = name
                    .split_once("::")
                    .map_or(Value::Undef, |(m, _)| if m == "environment" { Value::Undef } else { Value::str(m) });
                let context = self.lookup_context(module);
                self.contexts.insert(key, context.clone());
                context
            }
        };
        if let Some(last) = args.last_mut() {
            *last = context;
        }
        if !self.functions.contains_key(name) {
            self.load_function(name, span)?;
        }
        let takes = self.functions.get(name).map(|f| f.params.len());
        match takes {
            Some(count) => args.truncate(count.max(1)),
            None => {
                return fail(
                    span,
                    "HIERA_DATA_PROVIDER_FUNCTION_NOT_FOUND",
                    format!("Unable to find 'data_hash' function named '{name}'"),
                );
            }
        }
        match self.call(Call { name: name.into(), args, block: None, scope: TOP, span }) {
            Err(Stop::Return(value, _)) => Ok(value),
            Err(Stop::Fail(issue)) if issue.message == context::NOT_FOUND => Ok(Value::Undef),
            done => done,
        }
    }

    fn data_file(&mut self, file: &std::path::Path, is_json: bool, span: Span) -> Run {
        let Some(bytes) = self.files.read(file) else { return Ok(Value::hash(Map::default())) };
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let shown = self.shown(file);
        let data = if is_json { serde_json::from_str(&text).map_err(|e| e.to_string()) } else { yaml(&text) };
        match data {
            Ok(data @ Json::Object(_)) => Ok(convert::from_json(&data)),
            Ok(Json::Null) if is_json => Ok(Value::hash(Map::default())),
            Ok(_) => {
                if !is_json {
                    self.log("warning", format!("{shown}: file does not contain a valid yaml hash"));
                }
                Ok(Value::hash(Map::default()))
            }
            Err(problem) => self.runtime(span, format!("Unable to parse ({shown}): {problem}")),
        }
    }

    fn glob(&self, root: &std::path::Path, pattern: &str) -> Vec<PathBuf> {
        let mut found = vec![root.to_path_buf()];
        let parts: Vec<&str> = pattern.split('/').collect();
        for (i, part) in parts.iter().enumerate() {
            let mut next = Vec::new();
            for folder in &found {
                if !part.contains(['*', '?', '[', '{']) {
                    next.push(folder.join(part));
                    continue;
                }
                for name in self.files.list(folder) {
                    let matches = merge::wildcard(part, &name) && !name.starts_with('.');
                    let is_last = i + 1 == parts.len();
                    if matches && (is_last || self.files.is_dir(&folder.join(&name))) {
                        next.push(folder.join(&name));
                    }
                }
            }
            found = next;
        }
        found.sort();
        found
    }

    /// The merged value of a key from all layers.
    pub fn find_data(
        &mut self,
        key: &str,
        strategy: Option<Strategy>,
        scope: ScopeId,
        span: Span,
    ) -> Run<Option<Value>> {
        if self.lookup_stack.iter().any(|k| k == key) || self.lookup_stack.len() > MAX_DEPTH {
            let chain = self.lookup_stack.join(", ");
            return self.runtime(span, format!("Recursive lookup detected in [{chain}]"));
        }
        if let Some((_, value)) = self.settings.overrides.iter().find(|(k, _)| k == key) {
            return Ok(Some(value.clone()));
        }
        self.lookup_stack.push(key.to_string());
        let found = self.find_in_layers(key, strategy, scope, span);
        self.lookup_stack.pop();
        found
    }

    fn find_in_layers(
        &mut self,
        key: &str,
        strategy: Option<Strategy>,
        scope: ScopeId,
        span: Span,
    ) -> Run<Option<Value>> {
        let hiera = self.configuration(span)?;
        let mut layers: Vec<Layer> = hiera.environment.iter().cloned().collect();
        let mut module_layer = None;
        if let Some((module, _)) = key.trim_start_matches(['"', '\'']).split_once("::")
            && let Some(folder) = self.module_dir(module)
            && let Some(layer) = self.layer(&folder, true, span)?
        {
            module_layer = Some(layer.clone());
            layers.push(layer);
        }
        let options = if key == "lookup_options" { Value::Undef } else { self.options(key, &layers, scope, span)? };
        let strategy = match strategy {
            Some(strategy) => strategy,
            None => match options.get("merge") {
                Some(merge) => Strategy::of(merge).map_err(|m| Problem::runtime(m).at(span))?,
                None => Strategy::First,
            },
        };
        let mut values = Vec::new();
        for layer in &layers {
            values.extend(self.values(key, layer, false, scope, span)?);
            if matches!(strategy, Strategy::First) && !values.is_empty() {
                break;
            }
        }
        if values.is_empty()
            && let Some(layer) = &module_layer
        {
            values = self.values(key, layer, true, scope, span)?;
        }
        let Some(value) = strategy.merge(values).map_err(|m| Problem::runtime(m).at(span))? else { return Ok(None) };
        match options.get("convert_to") {
            Some(convert) => self.converted(value, convert, span).map(Some),
            None => Ok(Some(value)),
        }
    }

    fn converted(&mut self, value: Value, convert: &Value, span: Span) -> Run {
        let (name, more) = match convert {
            Value::Array(list) => {
                (convert::string(list.first().unwrap_or(&Value::Undef)), list[1.min(list.len())..].to_vec())
            }
            other => (convert::string(other), Vec::new()),
        };
        let ty = self.type_from_text(&name, span)?;
        let mut args = vec![value];
        args.extend(more);
        types::new::new(&ty, &args).map_err(|p| p.at(span))
    }

    /// The `lookup_options` of a key.
    fn options(&mut self, key: &str, layers: &[Layer], scope: ScopeId, span: Span) -> Run {
        let root = merge::key_parts(key).map(|(r, _)| r).unwrap_or_else(|_| key.to_string());
        for layer in layers {
            let mut all = self.values("lookup_options", layer, false, scope, span)?;
            all.retain(|v| *v != Value::Undef);
            let Some(Value::Hash(map)) = Strategy::Hash.merge(all).map_err(|m| Problem::runtime(m).at(span))? else {
                continue;
            };
            if let Some(found) = map.get(&Value::str(root.as_str())) {
                return Ok(found.clone());
            }
            for (pattern, found) in map.iter() {
                if let Value::Str(source) = pattern
                    && source.starts_with('^')
                    && super::regexp::Regexp::new(source.clone()).is_match(&root).unwrap_or(false)
                {
                    return Ok(found.clone());
                }
            }
        }
        Ok(Value::Undef)
    }
}

/// YAML as JSON; numbers and symbols as Ruby reads them are close enough to what `serde` does.
pub fn yaml(text: &str) -> Result<Json, String> {
    let value: serde_yaml::Value = serde_yaml::from_str(text).map_err(|e| e.to_string())?;
    Ok(plain(value))
}

fn plain(value: serde_yaml::Value) -> Json {
    use serde_yaml::Value as Yaml;
    match value {
        Yaml::Null => Json::Null,
        Yaml::Bool(value) => Json::Bool(value),
        Yaml::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(value), _) => Json::from(value),
            (None, Some(value)) => Json::from(value),
            _ => Json::Null,
        },
        Yaml::String(text) => match &*text {
            "yes" | "Yes" | "YES" | "on" | "On" | "ON" => Json::Bool(true),
            "no" | "No" | "NO" | "off" | "Off" | "OFF" => Json::Bool(false),
            _ => Json::String(text),
        },
        Yaml::Sequence(list) => Json::Array(list.into_iter().map(plain).collect()),
        Yaml::Mapping(map) => Json::Object(
            map.into_iter()
                .map(|(k, v)| {
                    let key = match plain(k) {
                        Json::String(text) => text,
                        other => other.to_string(),
                    };
                    (key, plain(v))
                })
                .collect(),
        ),
        Yaml::Tagged(tagged) => plain(tagged.value),
    }
}
