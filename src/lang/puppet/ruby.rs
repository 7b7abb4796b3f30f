//! Templates and functions in Ruby: what they see of a compilation, and how values pass between the two.

use std::any::Any;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::builtin::template_text;
use super::call::Call;
use super::eval::Evaluator;
use super::ids::{ScopeId, TOP};
use super::stop::{Help, Problem, Run, Stop};
use super::types;
use super::validate::Strict;
use super::value::{Map, Value};
use super::{convert, format, unknown};
use crate::lang::Budget;
use crate::lang::ruby::host::{Foreign, Host};
use crate::lang::ruby::{self, Function, Halt, Heap, NESTED, Ran, Rendered, Ruby, Table, Used};
use crate::source::Span;

/// Renders the text of a template for a scope. `file` is its name in messages.
///
/// `Ok(Err(_))` is a refusal by Ruby itself.
pub fn render(e: &mut Evaluator<'_>, scope: ScopeId, span: Span, file: &str, text: &str) -> Run<Result<Value, String>> {
    let before = (e.catalog.keeps(), e.output.logs.len());
    let mut caller = Caller::new(e, scope, span, &[]);
    let done = ruby::render(&mut caller, file, text);
    let stop = caller.stop.take();
    match done {
        Rendered::Text(text) => Ok(Ok(Value::str(text))),
        Rendered::Unknown if !e.has_worker() => Ok(Ok(Value::Unknown(None))),
        // What the first part of the template declared is not declared twice.
        Rendered::Outside(_) | Rendered::Unknown if e.has_worker() && e.catalog.keeps() == before.0 => {
            e.output.logs.truncate(before.1);
            let from = super::worker::From { scope, span, block: None };
            match e.template_in_worker(from, file, text)? {
                Ok(value) => Ok(Ok(value)),
                Err(what) => e.lacking(&format!("`{file}`"), &what, span).map(Ok),
            }
        }
        Rendered::Outside(what) => e.outside(&what, span).map(Ok),
        Rendered::Unknown => Ok(Ok(Value::Unknown(None))),
        Rendered::Fail(why) => Ok(Err(why)),
        Rendered::Stop => Err(stop.unwrap_or_else(|| ended(span))),
    }
}

/// Calls a function that a module has in Ruby; nothing where it uses Ruby that is not known.
pub fn call(e: &mut Evaluator<'_>, name: &str, function: &Function, call: &Call, args: &[Value]) -> Run<Option<Value>> {
    let mut caller = Caller::new(e, call.scope, call.span, args);
    let done = ruby::call_function(&mut caller, name, function);
    match done {
        Ok(()) => Ok(caller.value.take()),
        // The worker may do with a part of it.
        Err(Halt::Unknown) if caller.e.has_worker() => Ok(None),
        Err(Halt::Unknown) => Ok(Some(Value::Unknown(None))),
        Err(Halt::Stop) => Err(caller.stop.take().unwrap_or_else(|| ended(call.span))),
        Err(Halt::Fail(_, why)) => call.fail(why).help("change the arguments of the call"),
        Err(_) => Ok(None),
    }
}

/// The end of a compilation by a function that gave no reason.
fn ended(span: Span) -> Stop {
    Problem::runtime("the compilation was ended").at(span)
}

/// The place of a program that uses Ruby.
struct Caller<'e, 'w> {
    e: &'e mut Evaluator<'w>,
    scope: ScopeId,
    span: Span,
    args: &'e [Value],
    /// Lists and hashes that Ruby has already, so that one value stays one.
    imported: FxHashMap<usize, (Value, Ruby)>,
    value: Option<Value>,
    /// Why a function of Puppet ended the compilation.
    stop: Option<Stop>,
}

impl<'e, 'w> Caller<'e, 'w> {
    fn new(e: &'e mut Evaluator<'w>, scope: ScopeId, span: Span, args: &'e [Value]) -> Self {
        Self { e, scope, span, args, imported: FxHashMap::default(), value: None, stop: None }
    }

    fn import(&mut self, heap: &mut Heap, value: &Value) -> Ran {
        if self.e.output.has_unknown && unknown::is_in(value) {
            return Err(Halt::Unknown);
        }
        self.imported(heap, value, 0)
    }

    fn imported(&mut self, heap: &mut Heap, value: &Value, depth: usize) -> Ran {
        if depth > NESTED {
            return Err(Halt::Limit("a value that is nested too deep"));
        }
        let address = match value {
            Value::Array(list) => Arc::as_ptr(list) as usize,
            Value::Hash(map) => Arc::as_ptr(map) as usize,
            _ => 0,
        };
        if let Some((_, known)) = self.imported.get(&address).filter(|_| address != 0) {
            return Ok(known.clone());
        }
        let made = match value {
            Value::Undef => Ruby::Nil,
            Value::Default => Ruby::Symbol("default".into()),
            Value::Bool(value) => Ruby::Bool(*value),
            Value::Int(value) => Ruby::Int(*value),
            Value::Float(value) => Ruby::Float(*value),
            Value::Str(text) => return heap.string(&**text),
            Value::Regexp(regexp) => Ruby::Regexp(regexp.clone()),
            Value::Array(list) => {
                let list = list.iter().map(|item| self.imported(heap, item, depth + 1)).collect::<Ran<Vec<_>>>()?;
                heap.array(list)?
            }
            Value::Hash(map) => {
                let mut table = Table::default();
                for (key, value) in map.iter() {
                    let (key, value) = (self.imported(heap, key, depth + 1)?, self.imported(heap, value, depth + 1)?);
                    table.insert(heap.key(&key), (key, value));
                }
                heap.hash(table)?
            }
            other => Ruby::Other(Arc::new(other.clone())),
        };
        if address != 0 {
            self.imported.insert(address, (value.clone(), made.clone()));
        }
        Ok(made)
    }
}

/// A value of Ruby in Puppet.
fn exported(heap: &Heap, line: u32, value: &Ruby, depth: usize) -> Ran<Value> {
    heap.visit_many(16);
    if depth > NESTED {
        return Err(Halt::Limit("a value that is nested too deep"));
    }
    if !heap.visit() {
        return Err(Halt::Limit("a value that is too large"));
    }
    Ok(match value {
        Ruby::Nil => Value::Undef,
        Ruby::Bool(value) => Value::Bool(*value),
        Ruby::Int(value) => Value::Int(*value),
        Ruby::Float(value) => Value::Float(*value),
        Ruby::Symbol(name) => match &**name {
            "undef" => Value::Undef,
            "default" => Value::Default,
            name => Value::str(name),
        },
        Ruby::Str(id) => {
            // One text may be in many places, and is copied for each.
            heap.visit_many(heap.text(*id).len());
            if heap.is_exhausted() {
                return Err(Halt::Limit("a value whose text is too long"));
            }
            Value::str(heap.text(*id))
        }
        Ruby::Array(id) => {
            let list = heap.list(*id).iter().map(|item| exported(heap, line, item, depth + 1));
            Value::array(list.collect::<Ran<Vec<_>>>()?)
        }
        Ruby::Hash(id) => {
            let mut map = Map::default();
            for (key, value) in heap.table(*id).into_iter().flat_map(Table::values) {
                map.insert(exported(heap, line, key, depth + 1)?, exported(heap, line, value, depth + 1)?);
            }
            Value::hash(map)
        }
        Ruby::Range(from, to) => {
            if to.saturating_sub(*from) > 100_000 {
                return Err(Halt::outside(line, "a range of more than 100,000 numbers"));
            }
            heap.visit_many(16 * usize::try_from(to.saturating_sub(*from)).unwrap_or(0));
            if heap.is_exhausted() {
                return Err(Halt::Limit("a value that is too large"));
            }
            Value::array((*from..=*to).map(Value::Int).collect())
        }
        Ruby::Regexp(regexp) => Value::Regexp(regexp.clone()),
        other => match other {
            Ruby::Other(foreign) if let Some(value) = foreign.as_any().downcast_ref::<Value>() => value.clone(),
            _ => return Err(Halt::outside(line, format!("a {} that is passed to a function", other.class()))),
        },
    })
}

fn all_exported(heap: &Heap, line: u32, values: &[Ruby]) -> Ran<Vec<Value>> {
    values.iter().map(|value| exported(heap, line, value, 0)).collect()
}

impl Foreign for Value {
    fn shown(&self) -> String {
        match self {
            Value::Sensitive(_) => "Sensitive [value redacted]".into(),
            other => convert::string(other),
        }
    }

    fn class(&self) -> &'static str {
        match self {
            Value::Sensitive(_) => "Puppet::Pops::Types::PSensitiveType::Sensitive",
            _ => "Object",
        }
    }

    fn is_equal(&self, other: &dyn Foreign) -> bool {
        other.as_any().downcast_ref::<Value>() == Some(self)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Host for Caller<'_, '_> {
    fn variable(&mut self, heap: &mut Heap, name: &str) -> Ran<Option<Ruby>> {
        match self.e.scopes.lookup(self.scope, name) {
            Some(value) => self.import(heap, &value).map(Some),
            None => Ok(None),
        }
    }

    fn variables(&self) -> BTreeMap<String, bool> {
        let mut seen = BTreeMap::new();
        let mut at = Some(self.scope);
        while let Some(id) = at {
            let scope = self.e.scopes.get(id);
            for (name, value) in &scope.variables {
                seen.entry(name.to_string()).or_insert(!matches!(value, Value::Undef));
            }
            at = scope.parent;
        }
        seen
    }

    fn is_strict(&self) -> bool {
        self.e.settings.strict == Strict::Error
    }

    fn classes(&self) -> Vec<String> {
        self.e.catalog.classes.iter().map(|class| class.to_string()).collect()
    }

    fn template(&self, name: &str) -> Option<(String, String)> {
        template_text(self.e, name)
    }

    fn call(&mut self, heap: &mut Heap, line: u32, name: &str, args: &[Ruby], used: &mut Used) -> Ran {
        let args = all_exported(heap, line, args)?;
        let call = Call { name: name.into(), args, block: None, scope: self.scope, span: self.span };
        let around = std::mem::replace(&mut self.e.ruby, *used);
        let done = self.e.call(call);
        *used = std::mem::replace(&mut self.e.ruby, around);
        match done {
            Ok(value) => self.import(heap, &value),
            Err(stop) => {
                self.stop = Some(stop);
                Err(Halt::Stop)
            }
        }
    }

    fn format(&self, heap: &Heap, line: u32, format: &str, args: &[Ruby]) -> Ran<String> {
        match format::sprintf(format, &all_exported(heap, line, args)?, heap.room()) {
            Ok(text) => Ok(text),
            Err(problem) if problem.name == format::TOO_WIDE => Err(Halt::outside(line, problem.message)),
            Err(problem) => Err(Halt::Fail(line, problem.message)),
        }
    }

    fn sensitive(&self, heap: &Heap, line: u32, value: &Ruby) -> Ran {
        let value = exported(heap, line, value, 0)?;
        Ok(Ruby::Other(Arc::new(Value::Sensitive(Arc::new(value)))))
    }

    fn unwrapped(&mut self, heap: &mut Heap, value: &dyn Foreign) -> Ran<Option<Ruby>> {
        match value.as_any().downcast_ref::<Value>() {
            Some(Value::Sensitive(inner)) => self.import(heap, inner).map(Some),
            _ => Ok(None),
        }
    }

    fn arguments(&mut self, heap: &mut Heap) -> Ran<Vec<Ruby>> {
        self.args.iter().map(|arg| self.import(heap, arg)).collect()
    }

    fn mismatch(&mut self, at: usize, ty: &str) -> Option<Result<(), String>> {
        let ty = self.e.type_from_text(ty, self.span).ok()?;
        let value = self.args.get(at)?;
        Some(if types::is_instance(&ty, value) { Ok(()) } else { Err(types::describe_mismatch(&ty, value)) })
    }

    fn leave_scope(&mut self) {
        self.scope = TOP;
    }

    fn accept(&mut self, heap: &Heap, value: &Ruby) -> Ran<()> {
        self.value = Some(exported(heap, 0, value, 0)?);
        Ok(())
    }

    fn is_stopped(&self) -> bool {
        self.e.files.is_stopped()
    }

    fn used(&self) -> Used {
        self.e.ruby
    }

    fn spend(&mut self, used: Used) {
        if self.e.ruby.steps > 0 {
            self.e.ruby.steps = used.steps;
        }
    }

    fn budget(&self) -> Rc<Budget> {
        Rc::clone(&self.e.output.budget)
    }
}
