//! `lookup_options`: how a key is merged and what it is converted to.

use std::sync::Arc;

use super::config::{Config, LayerName};
use super::explain::What;
use super::key::Key;
use super::state::Options;
use super::{At, Search, Strategy};
use crate::lang::puppet::ast::Text;
use crate::lang::puppet::convert;
use crate::lang::puppet::lookup::Data;
use crate::lang::puppet::stop::{At as _, Help, Run, Stop, runtime};
use crate::lang::puppet::types;
use crate::lang::puppet::value::{Map, Value};

/// The key of the options. Programs cannot look it up.
pub const KEY: &str = "lookup_options";

impl dyn Search<'_> + '_ {
    /// The options of a key.
    pub(super) fn options_for(&mut self, key: &Key, at: At) -> Run<Value> {
        let module = key.module();
        if let Some(options) = self.data().hiera.options.all.get(&module).cloned() {
            return self.option_of(&options, key, at);
        }
        let options = self.explained(What::Key(KEY.into()), |e| e.all_options(module.clone(), at))?;
        let options = Arc::new(Options::of(options.as_deref()));
        self.data().hiera.options.all.insert(module, options.clone());
        self.option_of(&options, key, at)
    }

    /// The options of a key among all.
    fn option_of(&mut self, options: &Options, key: &Key, at: At) -> Run<Value> {
        if let Some(found) = options.by_name(&key.root) {
            return Ok(found);
        }
        self.data().output.pay_patterns(options.patterns.len(), key.root.len(), at.span)?;
        Ok(options.by_pattern(&key.root))
    }

    fn all_options(&mut self, module: Option<Text>, at: At) -> Run<Option<Arc<Map>>> {
        let general = self.general_options(at)?;
        let Some(module) = module else { return Ok(general) };
        self.data().hiera.options.all.entry(None).or_insert_with(|| Arc::new(Options::of(general.as_deref())));
        let key = options_key();
        let found = self.in_module(module.clone(), &key, &Strategy::Hash, at)?;
        let own = checked(found, Some(&module), at)?;
        let (Some(general_map), Some(own_map)) = (&general, &own) else { return Ok(general.or(own)) };
        let parts = [("Global and Environment".to_string(), general_map), (format!("Module {module}"), own_map)];
        let merged = self.merged(&Strategy::Hash, 2, at, |e, index| {
            let Some((name, map)) = parts.get(index) else { return Ok(None) };
            let value = Value::Hash((*map).clone());
            e.explained(What::Scope(name.clone()), |e| {
                e.data().hiera.report_found(KEY, &value);
                Ok(Some(value.clone()))
            })
        })?;
        Ok(match merged {
            Some(Value::Hash(map)) => Some(map),
            _ => None,
        })
    }

    /// The options of the global layer and of the environment.
    fn general_options(&mut self, at: At) -> Run<Option<Arc<Map>>> {
        if let Some(found) = &self.data().hiera.options.general {
            return Ok(found.clone());
        }
        let key = options_key();
        let mut maps = Vec::new();
        for layer in [LayerName::Global, LayerName::Environment] {
            let found = self.in_layer(&layer, &key, &Strategy::Hash, at)?;
            maps.extend(checked(found, None, at)?);
        }
        let merged = match &maps[..] {
            [] => None,
            [one] => Some(one.clone()),
            [global, environment, ..] => {
                let mut out = (**environment).clone();
                out.extend(global.iter().map(|(k, v)| (k.clone(), v.clone())));
                Some(Arc::new(out))
            }
        };
        self.data().hiera.options.general = Some(merged.clone());
        Ok(merged)
    }

    /// The options of a key in the default hierarchy of its module.
    pub(super) fn default_options(&mut self, module: &Text, config: &Arc<Config>, key: &Key, at: At) -> Run<Value> {
        if let Some(options) = self.data().hiera.options.defaults.get(module).cloned() {
            return self.option_of(&options, key, at);
        }
        let map = self.explained(What::Scope(format!("Searching for \"{KEY}\"")), |e| {
            let found = e.in_defaults(config, &options_key(), &Strategy::Hash, at)?;
            checked(found, Some(module), at)
        })?;
        let options = Arc::new(Options::of(map.as_deref()));
        self.data().hiera.options.defaults.insert(module.clone(), options.clone());
        self.option_of(&options, key, at)
    }

    /// A value as `convert_to` asks for it: a type, or a list of a type and more arguments.
    pub(super) fn converted(&mut self, key: &str, value: Value, convert: &Value, at: At) -> Run {
        let mut parts = match convert {
            Value::Array(list) => list.to_vec(),
            other => vec![other.clone()],
        };
        if parts.is_empty() {
            return Ok(value);
        }
        let first = parts.remove(0);
        let ty = match &first {
            Value::Type(ty) => ty.clone(),
            other => {
                let source = convert::string(other);
                self.read_type(&source, at.span).map_err(|stop| {
                    let before = format!(
                        "Invalid data type in lookup_options for key '{key}' could not parse '{source}', error: '"
                    );
                    prefixed(stop, &before, "write a type in `convert_to`, such as `Sensitive` or `[Integer, 16]`")
                })?
            }
        };
        let mut shown = vec![Value::Type(ty.clone())];
        shown.extend(parts.iter().cloned());
        let mut args = vec![value];
        args.extend(parts);
        let made = types::new::new(&ty, &args).at(at.span);
        let before = format!("The convert_to lookup_option for key '{key}' raised error: ");
        let help = "change the value, or `convert_to` in the `lookup_options` of the key";
        let made = made.map_err(|stop| prefixed(stop, &before, help))?;
        let shown = convert::inspect(&Value::array(shown));
        self.data().hiera.report_text(format!("Applying convert_to lookup_option with arguments {shown}"));
        Ok(made)
    }
}

impl Data<'_, '_> {
    /// The line of the data that has an option of a key; the place of the lookup where it is not known.
    pub(super) fn place_of_option(&mut self, key: &Key, option: &str, at: At) -> crate::source::Span {
        match self.hiera.option_place(&key.root, option) {
            Some((path, line, keys)) => self.inputs.line_in_data(&path, line, &keys),
            None => at.span,
        }
    }
}

/// Options have to be a hash, and those of a module are about its own keys.
fn checked(found: Option<Value>, module: Option<&Text>, at: At) -> Run<Option<Arc<Map>>> {
    let map = match found {
        None | Some(Value::Undef) => return Ok(None),
        Some(Value::Hash(map)) => map,
        Some(_) => {
            return runtime(at.span, format!("value of {KEY} must be a hash"))
                .help("write a hash from keys or patterns to their options");
        }
    };
    let Some(module) = module else { return Ok(Some(map)) };
    let prefix = format!("{module}::");
    for key in map.keys().map(convert::string) {
        let message = match key.strip_prefix('^') {
            Some(pattern) if !pattern.starts_with(&prefix) => {
                format!("all {KEY} patterns must match a key starting with module name '{module}'")
            }
            None if !key.starts_with(&prefix) => {
                format!("all {KEY} keys must start with module name '{module}'")
            }
            _ => continue,
        };
        return runtime(at.span, message)
            .help("write keys as `MODULE::KEY`: a module sets options only for its own keys");
    }
    Ok(Some(map))
}

fn options_key() -> Key {
    Key { text: KEY.into(), root: KEY.into(), segments: Vec::new() }
}

/// The same error with words before it.
fn prefixed(stop: Stop, before: &str, help: &'static str) -> Stop {
    match stop {
        Stop::Fail(mut issue) => {
            issue.message = format!("{before}{}", issue.message);
            issue.advice.help = Some(help.into());
            Stop::Fail(issue)
        }
        stop => stop,
    }
}
