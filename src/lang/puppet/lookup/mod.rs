//! Hiera 5: data for keys, from the machine, the environment and the modules.
//!
//! A search asks the layers in order, a layer its levels, a level its files. [`config`] reads `hiera.yaml`, [`level`] asks
//! one level, [`options`] finds how a key is to be merged, and [`explain`] takes down the search where that is asked for.

mod config;
pub mod context;
mod data;
pub mod explain;
mod eyaml;
pub mod hocon;
mod interpolate;
mod key;
mod level;
mod lines;
mod merge;
mod options;
mod read;
mod scalar;
mod state;
pub mod yaml;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::ast::Text;
use super::ids::{ScopeId, TOP};
use super::stop::{At as _, Run, runtime};
use super::value::Value;
use crate::diag::Code;
use crate::lang::puppet::environment::Inputs;
use crate::lang::puppet::stop::Help;
use crate::source::Span;
use config::{Config, LayerName};
use explain::{Explainer, What};
use key::Key;

pub use lines::nested_line;
pub use merge::Strategy;
pub use read::{NO_HASH, fault};
use state::{At, Resolution, Resolved};
pub use state::{Data, Hiera, Origin, Provided, Search};

/// Lookups inside of lookups.
const MAX_DEPTH: usize = 40;

/// Steps of a search, besides those of each level and text.
const LOOKUP: u64 = 16;

/// Where Puppet itself has the configuration of the global layer; the first one counts.
const GLOBAL: [&str; 2] = ["/etc/puppetlabs/puppet/hiera.yaml", "/etc/puppet/hiera.yaml"];

impl dyn Search<'_> + '_ {
    /// The merged value of a key from all layers. Without a strategy, `lookup_options` decide.
    pub fn find_data(
        &mut self,
        name: &str,
        strategy: Option<Strategy>,
        scope: ScopeId,
        span: Span,
    ) -> Run<Option<Value>> {
        let at = At { scope, span };
        self.data().output.spend(LOOKUP, span)?;
        if name == options::KEY || name.starts_with("lookup_options.") {
            self.explained(What::InvalidKey(options::KEY.into()), |_| Ok(()))?;
            return Ok(None);
        }
        let key = Key::of(name).at(span).help("put a part with a dot in quotes: `'a.b'.c`")?;
        if let Some(value) = self.data().inputs.override_of(&key) {
            self.explained(What::Key(name.into()), |e| {
                if let Some(explainer) = &mut e.data().hiera.explainer {
                    explainer.found_in_overrides(&key.root, &value);
                }
                Ok(())
            })?;
            return self.dig(name, &key.segments, value, at);
        }
        if self.data().hiera.stack.is_empty() {
            self.data().hiera.origins.clear();
        }
        let options = self.options_for(&key, at)?;
        let strategy = match (strategy, options.get("merge")) {
            (Some(strategy), _) => strategy,
            (None, Some(merge)) => {
                let strategy = match Strategy::of(merge).at(span) {
                    Ok(strategy) => strategy,
                    refused => {
                        let place = self.data().place_of_option(&key, "merge", at);
                        refused.edit(place).related(span, "the data is used here")?
                    }
                };
                self.explained(What::MergeSource(options::KEY), |_| Ok(()))?;
                strategy
            }
            (None, None) => Strategy::Default,
        };
        let found = self.explained(What::Key(name.into()), |e| {
            if let Some(value) = e.in_layers(&key, &strategy, at)?
                && let Some(value) = e.dig(name, &key.segments, value, at)?
            {
                return Ok(Some(value));
            }
            match e.in_default_hierarchy(&key, at)? {
                Some(value) => e.dig(name, &key.segments, value, at),
                None => Ok(None),
            }
        })?;
        match (found, options.get("convert_to")) {
            (Some(value), Some(convert)) => self.converted(name, value, convert, at).map(Some),
            (found, _) => Ok(found),
        }
    }

    /// Runs a search in which data sees these values before all other data, and those behind it.
    pub fn with_given<V>(
        &mut self,
        overrides: &Value,
        defaults: &Value,
        search: impl FnOnce(&mut Self) -> Run<V>,
    ) -> Run<V> {
        let outer = std::mem::replace(&mut self.data().hiera.given, (overrides.clone(), defaults.clone()));
        let done = search(self);
        self.data().hiera.given = outer;
        done
    }

    fn in_layers(&mut self, key: &Key, strategy: &Strategy, at: At) -> Run<Option<Value>> {
        self.merged(strategy, 3, at, |e, index| match (index, key.module()) {
            (0, _) => e.in_layer(&LayerName::Global, key, strategy, at),
            (1, _) => e.in_layer(&LayerName::Environment, key, strategy, at),
            (_, Some(module)) => e.in_module(module, key, strategy, at),
            (_, None) => Ok(None),
        })
    }

    fn in_module(&mut self, module: Text, key: &Key, strategy: &Strategy, at: At) -> Run<Option<Value>> {
        if self.data().inputs.module_dir(&module).is_none() {
            self.explained(What::ModuleNotFound(module.to_string()), |_| Ok(()))?;
            return Ok(None);
        }
        let layer = LayerName::Module(module.clone());
        if self.data().config(&layer)?.is_none() {
            self.explained(What::ModuleWithoutData(module.to_string()), |_| Ok(()))?;
            return Ok(None);
        }
        self.in_layer(&layer, key, strategy, at)
    }

    /// Searches one layer. A key that is being looked up there already is an error.
    fn in_layer(&mut self, layer: &LayerName, key: &Key, strategy: &Strategy, at: At) -> Run<Option<Value>> {
        let Some(config) = self.data().config(layer)? else { return Ok(None) };
        let step = self.data().inputs.step_of(&config);
        self.within(key.text.clone(), at, |e| {
            e.explained(step, |e| {
                let levels = e.resolution(&config, at)?.levels;
                e.in_levels(&levels, key, strategy, at)
            })
        })
    }

    fn in_levels(&mut self, levels: &[Resolved], key: &Key, strategy: &Strategy, at: At) -> Run<Option<Value>> {
        if levels.is_empty() {
            self.data().hiera.report_not_found(&key.text);
            return Ok(None);
        }
        self.merged(strategy, levels.len(), at, |e, index| match levels.get(index) {
            Some(level) => e.in_level(level, key, strategy, at),
            None => Ok(None),
        })
    }

    /// What a module has for a key that no layer has.
    fn in_default_hierarchy(&mut self, key: &Key, at: At) -> Run<Option<Value>> {
        let Some(module) = key.module() else { return Ok(None) };
        if self.data().inputs.module_dir(&module).is_none() {
            return Ok(None);
        }
        let layer = LayerName::Module(module.clone());
        let Some(config) = self.data().config(&layer)?.filter(|config| config.default_levels.is_some()) else {
            return Ok(None);
        };
        self.explained(What::Scope(format!("Searching default_hierarchy of module \"{module}\"")), |e| {
            let options = e.default_options(&module, &config, key, at)?;
            let strategy = match options.get("merge") {
                Some(merge) => Strategy::of(merge).at(at.span)?,
                None => Strategy::Default,
            };
            e.explained(What::Scope(format!("Searching for \"{}\"", key.text)), |e| {
                e.in_defaults(&config, key, &strategy, at)
            })
        })
    }

    fn in_defaults(&mut self, config: &Arc<Config>, key: &Key, strategy: &Strategy, at: At) -> Run<Option<Value>> {
        let levels = self.resolution(config, at)?.defaults;
        if levels.is_empty() {
            self.data().hiera.report_not_found(&key.text);
            return Ok(None);
        }
        let step = self.data().inputs.step_of(config);
        self.within(key.text.clone(), at, |e| e.explained(step, |e| e.in_levels(&levels, key, strategy, at)))
    }

    /// The levels of a layer with their files, made again if a variable changed on which they depend.
    fn resolution(&mut self, config: &Arc<Config>, at: At) -> Run<Resolution> {
        if let Some(resolution) = self.data().hiera.resolved.get(&config.layer).cloned() {
            let explainer = self.data().hiera.explainer.take();
            let is_stable = resolution
                .memory
                .iter()
                .all(|(name, value)| matches!(self.scope_value(name, name, at), Ok(Some(now)) if now == *value));
            self.data().hiera.explainer = explainer;
            if is_stable {
                return Ok(resolution);
            }
            self.data().hiera.report_text(
                "Hiera configuration recreated due to change of scope variables used in interpolation expressions"
                    .into(),
            );
        }
        let explainer = self.data().hiera.explainer.take();
        let outer = self.data().hiera.memory.replace(Vec::new());
        let levels = self.resolve(config, &config.levels, at);
        let defaults = levels.and_then(|levels| {
            let defaults = self.resolve(config, config.default_levels.as_deref().unwrap_or_default(), at)?;
            Ok((levels, defaults))
        });
        let memory = std::mem::replace(&mut self.data().hiera.memory, outer).unwrap_or_default();
        self.data().hiera.explainer = explainer;
        let (levels, defaults) = defaults?;
        let resolution = Resolution { levels: Arc::new(levels), defaults: Arc::new(defaults), memory };
        self.data().hiera.resolved.insert(config.layer.clone(), resolution.clone());
        Ok(resolution)
    }

    /// One value from several places, the strongest first.
    fn merged(
        &mut self,
        strategy: &Strategy,
        count: usize,
        at: At,
        mut ask: impl FnMut(&mut Self, usize) -> Run<Option<Value>>,
    ) -> Run<Option<Value>> {
        if strategy.is_first() {
            for index in 0..count {
                if let Some(found) = ask(self, index)? {
                    return Ok(Some(found));
                }
            }
            return Ok(None);
        }
        if count < 2 {
            return Ok(if count == 0 { None } else { ask(self, 0)?.map(|value| strategy.alone(value)) });
        }
        let what = What::Merge { strategy: strategy.name(), options: strategy.options() };
        self.explained(what, |e| {
            let mut merged = None;
            for index in 0..count {
                merged = match (merged, ask(e, index)?) {
                    (merged, None) => merged,
                    (Some(Value::Unknown(_)), _) | (_, Some(Value::Unknown(_))) => Some(Value::Unknown(None)),
                    (None, Some(value)) => Some(strategy.begin(value)),
                    (Some(high), Some(low)) => {
                        e.data().output.pay_merge(strategy.steps(), (&high, &low), at.span)?;
                        Some(strategy.merge(high, low).at(at.span)?)
                    }
                };
            }
            if let (Some(value), Some(explainer)) = (&merged, &mut e.data().hiera.explainer) {
                explainer.result(value);
            }
            Ok(merged)
        })
    }

    /// Runs with a name on the stack of what is being looked up.
    fn within<V>(&mut self, name: String, at: At, work: impl FnOnce(&mut Self) -> Run<V>) -> Run<V> {
        let Data { hiera: Hiera { stack, .. }, .. } = self.data();
        if stack.len() > MAX_DEPTH && !stack.contains(&name) {
            let message = format!("Lookup of key '{name}' failed: lookups are nested more than {MAX_DEPTH} deep");
            return runtime(at.span, message)
                .code(Code::RecursiveReference)
                .help("give inner parts names with variables or functions");
        }
        if stack.contains(&name) {
            let message = format!("Lookup of key '{name}' failed: Recursive lookup detected in [{}]", stack.join(", "));
            return runtime(at.span, message).code(Code::RecursiveReference).help("remove one of the interpolations");
        }
        self.data().hiera.stack.push(name);
        let done = work(self);
        self.data().hiera.stack.pop();
        done
    }

    /// Runs as one step of the explanation, if there is one.
    fn explained<V>(&mut self, what: What, work: impl FnOnce(&mut Self) -> Run<V>) -> Run<V> {
        let Some(explainer) = &mut self.data().hiera.explainer else { return work(self) };
        explainer.push(what);
        let done = work(self);
        if let Some(explainer) = &mut self.data().hiera.explainer {
            explainer.pop();
        }
        done
    }

    /// Looks a key up and takes down the search, as far as it went.
    pub fn explain_data(&mut self, key: &str, strategy: Option<Strategy>, span: Span) -> (String, Run<()>) {
        self.data().hiera.explainer = Some(Explainer::default());
        let found = self.find_data(key, strategy, TOP, span);
        let Some(mut explainer) = self.data().hiera.explainer.take() else { return (String::new(), found.map(drop)) };
        if matches!(found, Ok(None)) {
            explainer.text(format!("Function lookup() did not find a value for the name '{key}'"));
        }
        (self.data().hiera.without_secrets(&explainer.print()), found.map(drop))
    }

    /// Where the value of a key comes from, and then which other levels have the key.
    pub fn data_origins(&mut self, key: &str, span: Span) -> (Vec<Origin>, Option<String>) {
        let Ok(found) = self.find_data(key, None, TOP, span) else { return (Vec::new(), None) };
        let is_sensitive = matches!(found, Some(Value::Sensitive(_)));
        let used = self.data().hiera.origins.clone();
        // A search without a merge ends at the first level.
        let is_merged = used.len() > 1;
        let merged = found.as_ref().filter(|_| is_merged).map(|value| match is_sensitive {
            true => "(sensitive)".to_owned(),
            false if self.data().hiera.holds_secret(value) => "(secret)".to_owned(),
            false => crate::lang::puppet::convert::inspect(value),
        });
        let mut all: Vec<Origin> = used.into_iter().take(if is_merged { usize::MAX } else { 1 }).collect();
        // A merge visits every level, also if it cannot merge what they have.
        if !all.is_empty() {
            let _ = self.find_data(key, Some(Strategy::Unique), TOP, span);
            let others =
                self.data().hiera.origins.iter().filter(|origin| !all.contains(origin)).cloned().collect::<Vec<_>>();
            all.extend(others);
        }
        for origin in all.iter_mut().filter(|_| is_sensitive) {
            origin.value = "(sensitive)".into();
        }
        (all, merged)
    }
}

impl Data<'_, '_> {
    /// The configuration of a layer, read once.
    fn config(&mut self, layer: &LayerName) -> Run<Option<Arc<Config>>> {
        if let Some(config) = self.hiera.layers.get(layer) {
            return Ok(config.clone());
        }
        let path = match layer {
            LayerName::Global => {
                let files = self.inputs.files;
                PathBuf::from(GLOBAL.into_iter().find(|path| files.exists(Path::new(path))).unwrap_or(GLOBAL[0]))
            }
            LayerName::Environment => self.inputs.settings.environment.join("hiera.yaml"),
            LayerName::Module(name) => match self.inputs.module_dir(name) {
                Some(folder) => folder.join("hiera.yaml"),
                None => return Ok(None),
            },
        };
        let config = self.read_config(layer, &path)?;
        self.hiera.layers.insert(layer.clone(), config.clone());
        Ok(config)
    }
}

impl Inputs<'_> {
    /// A value that was set from outside.
    fn override_of(&self, key: &Key) -> Option<Value> {
        self.settings.overrides.iter().find(|(name, _)| *name == key.root).map(|(_, value)| value.clone())
    }

    fn step_of(&self, config: &Config) -> What {
        let version = config.version;
        let name = format!("{} Data Provider (hiera configuration version {version})", config.layer.title());
        What::Layer { name, config: config.file.as_ref().map(|path| self.shown(path)) }
    }
}

impl Hiera {
    fn report_found(&mut self, key: &str, value: &Value) {
        if let Some(explainer) = &mut self.explainer {
            explainer.found(key, value);
        }
    }

    fn report_not_found(&mut self, key: &str) {
        if let Some(explainer) = &mut self.explainer {
            explainer.not_found(key);
        }
    }

    /// Adds a line to the explanation, if the search is explained.
    pub fn report_text(&mut self, text: String) {
        if let Some(explainer) = &mut self.explainer {
            explainer.text(text);
        }
    }

    /// A text without the plain texts of encrypted data.
    pub fn without_secrets(&self, text: &str) -> String {
        self.secrets.iter().fold(text.to_owned(), |text, secret| text.replace(&**secret, "(secret)"))
    }
}
