//! What a function that provides data gets as its context: a cache, interpolation, and the way to say that there is nothing.

use std::path::PathBuf;
use std::sync::Arc;

use super::{At, Search};
use crate::lang::puppet::call::Block;
use crate::lang::puppet::convert;
use crate::lang::puppet::eval::Evaluator;
use crate::lang::puppet::ids::TOP;
use crate::lang::puppet::issue::IssueName;
use crate::lang::puppet::lookup::Data;
use crate::lang::puppet::stop::{Help, Run, Stop, fail, runtime};
use crate::lang::puppet::types::{ObjectType, Ty, Type};
use crate::lang::puppet::value::{Map, Object, Value};
use crate::source::Span;

/// The name of the context's type.
pub const NAME: &str = "Puppet::LookupContext";

/// The text that a function ends with if it has nothing.
pub const NOT_FOUND: &str = "\u{0}not found";

/// The type of contexts.
pub fn ty() -> Ty {
    Type::Object(Some(Arc::new(ObjectType::opaque(NAME.into(), None, None)))).into()
}

impl Evaluator<'_> {
    /// A method of a context.
    pub fn context_method(
        &mut self,
        context: &Object,
        name: &str,
        args: &[Value],
        block: Option<&Block>,
        span: Span,
    ) -> Run {
        let index = match context.attributes.iter().find(|(n, _)| &**n == "cache_index") {
            Some((_, Value::Int(index))) => usize::try_from(*index).unwrap_or(0),
            _ => 0,
        };
        let first = args.first().cloned().unwrap_or(Value::Undef);
        match (name, self.hiera.caches.get_mut(index)) {
            ("cache", Some(cache)) => {
                let value = args.get(1).cloned().unwrap_or(Value::Undef);
                cache.insert(first, value.clone());
                Ok(value)
            }
            ("cache_all", Some(cache)) => {
                if let Value::Hash(map) = &first {
                    cache.extend(map.iter().map(|(k, v)| (k.clone(), v.clone())));
                }
                Ok(Value::Undef)
            }
            ("cache_has_key", Some(cache)) => Ok(Value::Bool(cache.contains_key(&first))),
            ("cached_value", Some(cache)) => Ok(cache.get(&first).cloned().unwrap_or(Value::Undef)),
            ("cached_entries", Some(cache)) => {
                let entries: Vec<(Value, Value)> = cache.iter().map(|(k, v)| (k.clone(), v.clone())).collect();
                let Some(block) = block else {
                    let pairs = entries.into_iter().map(|(k, v)| Value::array(vec![k, v]));
                    return Ok(Value::array(pairs.collect()));
                };
                let two = block.arity().1 >= 2;
                for (key, value) in entries {
                    let args = if two { vec![key, value] } else { vec![Value::array(vec![key, value])] };
                    match self.apply(block, &args, span) {
                        Err(Stop::Break(_)) => break,
                        done => {
                            done?;
                        }
                    }
                }
                Ok(Value::Undef)
            }
            ("interpolate", _) => self.search().interpolated(&first, true, At { scope: TOP, span }),
            ("not_found", _) => fail(span, IssueName::RuntimeError, NOT_FOUND),
            ("explain", _) => {
                if let (Some(block), true) = (block, self.hiera.explainer.is_some()) {
                    let text = self.apply(block, &[], span)?;
                    self.hiera.report_text(convert::string(&text));
                }
                Ok(Value::Undef)
            }
            ("cached_file_data", _) => {
                let path = PathBuf::from(convert::string(&first));
                let Some(bytes) = self.inputs.files.read(&path) else {
                    return runtime(span, format!("cannot read {}", self.inputs.shown(&path)));
                };
                let text = Value::str(String::from_utf8_lossy(&bytes).as_ref());
                match block {
                    Some(block) => self.apply(block, &[text], span),
                    None => Ok(text),
                }
            }
            ("environment_name" | "module_name", _) => {
                Ok(context.attributes.iter().find(|(n, _)| &**n == name).map_or(Value::Undef, |(_, v)| v.clone()))
            }
            _ => fail(span, IssueName::RuntimeError, format!("{NAME} has no function named '{name}'"))
                .help("correct the name, for example `not_found`, `cache` or `interpolate`"),
        }
    }
}

impl Data<'_, '_> {
    /// A new context for a module.
    pub fn lookup_context(&mut self, module: Value) -> Value {
        self.hiera.caches.push(Map::default());
        let index = Value::Int(self.hiera.caches.len() as i64 - 1);
        let environment = Value::str(self.inputs.settings.environment_name.as_str());
        let attributes = vec![
            ("environment_name".into(), environment),
            ("module_name".into(), module),
            ("cache_index".into(), index),
        ];
        Value::Object(Arc::new(Object::new(ty(), attributes)))
    }
}
