//! What a search of data asks of the program: functions that provide data, and types that data names.

use super::Evaluator;
use crate::lang::puppet::call::Call;
use crate::lang::puppet::foreign::Called;
use crate::lang::puppet::ids::TOP;
use crate::lang::puppet::lookup::{Data, Provided, Search, context};
use crate::lang::puppet::stop::{Run, Stop};
use crate::lang::puppet::types::Ty;
use crate::lang::puppet::value::Value;
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
