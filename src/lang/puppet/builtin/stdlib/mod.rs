//! Functions that modules have in Ruby, written here again: those of stdlib, apache and mysql.
//!
//! A row counts only where a module on the module path has a Ruby file of that name, so a program without the module does
//! not know the function. `lib/puppet/functions` holds functions whose parameters have types: their rows are checked by
//! their signature. Functions of `lib/puppet/parser/functions` take anything; Ruby sees undef as an empty string there.
//!
//! Any other function runs as its file says, as far as `lang/ruby` knows the Ruby. A row is here for one of three reasons: its
//! Ruby needs what is not known there (digests, YAML, blocks, the catalog), parts of its arguments may stay unknown
//! (`Arranges`, `Chooses`), or large catalogs call it thousands of times (`pick`, `fact`): a call in Ruby takes 30 to 90 µs.

/// The row of a function whose whole name has `stdlib::` before it.
macro_rules! old_name {
    ($name:literal) => {
        old_name!($name, "Any *args")
    };
    ($name:literal, $parameters:literal) => {
        Function {
            name: $name,
            signature: concat!($name, "(", $parameters, ")"),
            doc: concat!("The same as stdlib::", $name, "."),
            call: super::catalog::renamed,
            ..Function::PLAIN
        }
    };
}

mod apache;
mod catalog;
mod convert;
mod data;
mod digest;
mod fact;
mod hash;
mod list;
mod mysql;
mod parse;
mod path;
mod random;
mod ruby;
mod shell;
mod text;
mod yaml;

pub(super) use ruby::leading_integer;
pub use yaml::document as yaml;

use super::{Function, Unknown};
use crate::lang::puppet::call::Call;
use crate::lang::puppet::convert as shown;
use crate::lang::puppet::environment::Inputs;
use crate::lang::puppet::eval::Evaluator;
use crate::lang::puppet::eval::unknown::leave_out_call;
use crate::lang::puppet::foreign::Called;
use crate::lang::puppet::output::Output;
use crate::lang::puppet::program::RubyFile;
use crate::lang::puppet::ruby as modules;
use crate::lang::puppet::stop::Run;
use crate::lang::puppet::types;
use crate::lang::puppet::value::Value;
use crate::lang::ruby::Function as RubyFunction;

const TABLES: [&[Function]; 14] = [
    apache::FUNCTIONS,
    catalog::FUNCTIONS,
    convert::FUNCTIONS,
    data::FUNCTIONS,
    digest::FUNCTIONS,
    fact::FUNCTIONS,
    hash::FUNCTIONS,
    list::FUNCTIONS,
    mysql::FUNCTIONS,
    parse::FUNCTIONS,
    path::FUNCTIONS,
    random::FUNCTIONS,
    shell::FUNCTIONS,
    text::FUNCTIONS,
];

/// All functions.
pub fn all() -> impl Iterator<Item = &'static Function> {
    TABLES.iter().flat_map(|table| table.iter())
}

/// A function by its name.
pub fn find(name: &str) -> Option<&'static Function> {
    static BY_NAME: std::sync::OnceLock<rustc_hash::FxHashMap<&str, &Function>> = std::sync::OnceLock::new();
    BY_NAME.get_or_init(|| all().map(|f| (f.name, f)).collect()).get(name).copied()
}

impl Evaluator<'_> {
    /// Calls a function of a module: its row, or nothing but an unknown value.
    pub fn call_of_module(&mut self, name: &str, file: &RubyFile, mut call: Call) -> Run {
        let Some(function) = find(name) else { return self.call_of_ruby(name, file, &call) };
        if let Some(value) = self.call_of_unknown(name, &call)? {
            return Ok(value);
        }
        // The old form is silent unless a variable of the environment is set.
        if file.is_old && name == "deprecation" {
            return Ok(Value::Undef);
        }
        if file.is_old {
            call.args = call.args.iter().map(old).collect();
        } else {
            self.check_arguments(function.signature, &call)?;
        }
        self.deeper(call.span, |e| (function.call)(e, &call))
    }

    /// Calls a function by what its file says in Ruby, as far as that is known here.
    fn call_of_ruby(&mut self, name: &str, file: &RubyFile, call: &Call) -> Run {
        let value = self.value_of_ruby(name, file, call)?;
        if matches!(value, Value::Unknown(_)) {
            leave_out_call(self, name, call)?;
        }
        Ok(value)
    }

    fn value_of_ruby(&mut self, name: &str, file: &RubyFile, call: &Call) -> Run {
        if call.block.is_none()
            && let Some(value) = self.call_of_unknown(name, call)?
        {
            return Ok(value);
        }
        let arg = |arg: &Value| if file.is_old { old(arg) } else { arg.clone() };
        let args = || call.args.iter().map(arg).collect::<Vec<Value>>();
        if call.block.is_none()
            && let Some(function) = self.output.read_function(&self.inputs, file)
        {
            let done = self.deeper(call.span, |e| modules::call(e, name, function, call, &args()))?;
            if let Some(value) = done {
                return Ok(value);
            }
        }
        let shown = self.inputs.shown(&file.path);
        let what = format!("`{name}` of the module `{}` ({shown})", file.module);
        if !self.inputs.has_worker() {
            return self.output.ruby(&self.inputs, &what, call.span);
        }
        match self.deeper(call.span, |e| e.function_in_worker(name, file, call, &args()))? {
            Called::Value(value) => Ok(value),
            Called::Nothing => call.fail(format!("`{name}` gave no value")),
            Called::Outside(needs) => self.output.lacking(&self.inputs, &what, &needs, call.span),
        }
    }

    /// Checks arguments by a signature such as `f(String text, Optional[Integer] width, Any *rest)`.
    fn check_arguments(&mut self, signature: &str, call: &Call) -> Run<()> {
        let params = parameters(signature);
        let least = params.iter().filter(|(ty, name)| !ty.starts_with("Optional[") && !name.starts_with('*')).count();
        let rest = params.last().filter(|(_, name)| name.starts_with('*'));
        let most = if rest.is_some() { usize::MAX } else { params.len() };
        if !(least..=most).contains(&call.args.len()) {
            let expected = match (least, most) {
                (least, usize::MAX) => format!("at least {least}"),
                (least, most) if least == most => least.to_string(),
                (least, most) => format!("between {least} and {most}"),
            };
            return call.wrong_count(format!("'{}' expects {expected} arguments, got {}", call.name, call.args.len()));
        }
        for (i, value) in call.args.iter().enumerate() {
            let Some((ty, name)) = params.get(i).or(rest) else { break };
            if *ty == "Any" {
                continue;
            }
            let ty = self.type_from_text(ty, call.span)?;
            if !types::is_instance(&ty, value) {
                let got = types::describe_mismatch(&ty, value);
                let name = name.trim_start_matches('*');
                return call.wrong_argument(value, format!("'{}' parameter '{name}' {got}", call.name));
            }
        }
        Ok(())
    }
}

impl Output<'_> {
    /// Reads a file once for a compilation.
    fn read_function<'f>(&mut self, inputs: &Inputs<'_>, file: &'f RubyFile) -> Option<&'f RubyFunction> {
        let mut size = 0;
        let function = file.function.get_or_init(|| {
            let bytes = inputs.files.read(&file.path)?;
            size = bytes.len();
            RubyFunction::read(&String::from_utf8_lossy(&bytes))
        });
        // A tree is larger than its text.
        self.note(16 * size);
        function.as_ref()
    }
}

/// The types and names of a signature's parameters.
fn parameters(signature: &str) -> Vec<(&str, &str)> {
    let inner = signature.split_once('(').map_or("", |(_, rest)| rest.strip_suffix(')').unwrap_or(rest));
    let (mut out, mut depth, mut start) = (Vec::new(), 0, 0);
    for (i, c) in inner.char_indices().chain([(inner.len(), ',')]) {
        match c {
            '[' | '{' => depth += 1,
            ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                out.extend(inner[start..i].trim().rsplit_once(' '));
                start = i + 1;
            }
            _ => {}
        }
    }
    out
}

/// An argument as functions of the third version see it.
fn old(value: &Value) -> Value {
    match value {
        Value::Undef => Value::str(""),
        other => old_inside(other),
    }
}

fn old_inside(value: &Value) -> Value {
    match value {
        Value::Array(list) => Value::array(list.iter().map(old_inside).collect()),
        Value::Hash(map) => Value::hash(map.iter().map(|(k, v)| (old_inside(k), old_inside(v))).collect()),
        Value::Regexp(_)
        | Value::SemVer(_)
        | Value::SemVerRange(_)
        | Value::Binary(_)
        | Value::Timespan(_)
        | Value::Timestamp(_) => Value::str(shown::string(value)),
        other => other.clone(),
    }
}

/// The elements of an array.
fn array(call: &Call, index: usize) -> Run<&[Value]> {
    match call.arg(index) {
        Value::Array(list) => Ok(list),
        other => wrong(call, index, "an Array", other),
    }
}

fn wrong<V>(call: &Call, index: usize, wanted: &str, got: &Value) -> Run<V> {
    let got = types::infer_generic(got);
    call.fail(format!("{}(): argument {} has to be {wanted}, got {got}", call.name, index + 1))
}

#[cfg(test)]
mod tests {
    use super::{find, parameters};

    #[test]
    fn signatures_are_read() {
        assert_eq!(
            parameters("f(Variant[String, Array[String]] a, Optional[Struct[{b => Any}]] c, Any *rest)"),
            [("Variant[String, Array[String]]", "a"), ("Optional[Struct[{b => Any}]]", "c"), ("Any", "*rest")]
        );
        assert_eq!(parameters("f()"), []);
        assert!(find("stdlib::merge").is_some() && find("upcase").is_none());
    }
}
