//! What a search of data asks of the program: functions that provide data, their context, and types that data names.

use std::path::PathBuf;

use super::{Evaluator, apply_each};
use crate::lang::puppet::call::{Block, Call};
use crate::lang::puppet::convert;
use crate::lang::puppet::foreign::Called;
use crate::lang::puppet::ids::TOP;
use crate::lang::puppet::issue::IssueName;
use crate::lang::puppet::lookup::{Data, Provided, Search, context};
use crate::lang::puppet::stop::{Help, Run, Stop, fail, runtime};
use crate::lang::puppet::types::Ty;
use crate::lang::puppet::value::{Object, Value};
use crate::source::Span;

impl<'w> Search<'w> for Evaluator<'w> {
    fn data(&mut self) -> Data<'_, 'w> {
        let Self { hiera, inputs, output, scopes, .. } = self;
        Data { hiera, inputs, output, scopes }
    }

    fn provide(&mut self, name: &str, mut args: Vec<Value>, span: Span) -> Run<Provided> {
        if !self.program.functions.contains_key(name) {
            self.loader().load_function(name, span)?;
        }
        if let Some(function) = self.program.functions.get(name) {
            // A function need not take the context.
            args.truncate(function.params.len().max(1));
            return match self.call(Call { name: name.into(), args, block: None, scope: TOP, span }) {
                Ok(value) | Err(Stop::Return(value, _)) => Ok(Provided::Value(value)),
                Err(Stop::Fail(issue)) if issue.message == context::NOT_FOUND => Ok(Provided::NotFound),
                Err(stop) => Err(stop),
            };
        }
        let Some(file) = self.loader().ruby_function(name) else {
            return Ok(Provided::Missing(self.loader().unknown_function(name)));
        };
        let what = format!("`{name}` of the module `{}`", file.module);
        if !self.inputs.has_worker() {
            return Ok(Provided::Ruby(what));
        }
        let call = Call { name: name.into(), args, block: None, scope: TOP, span };
        Ok(match self.deeper(span, |e| e.function_in_worker(name, &file, &call, &call.args))? {
            Called::Value(value) => Provided::Value(value),
            Called::Nothing => Provided::NotFound,
            Called::Outside(needs) => Provided::Ruby(format!("{what}, which needs {needs},")),
        })
    }

    fn read_type(&mut self, text: &str, span: Span) -> Run<Ty> {
        self.type_from_text(text, span)
    }
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
                let lists = entries.into_iter().map(|(key, value)| match two {
                    true => vec![key, value],
                    false => vec![Value::array(vec![key, value])],
                });
                apply_each(self, block, lists, span, |_| true)?;
                Ok(Value::Undef)
            }
            ("interpolate", _) => self.search().interpolate_data(&first, span),
            ("not_found", _) => fail(span, IssueName::RuntimeError, context::NOT_FOUND),
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
            _ => fail(span, IssueName::RuntimeError, format!("{} has no function named '{name}'", context::NAME))
                .help("correct the name, for example `not_found`, `cache` or `interpolate`"),
        }
    }
}
