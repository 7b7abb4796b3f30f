//! Templates and functions in Ruby: what they see of a compilation, and how values pass between the two.

use std::any::Any;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::builtin::stdlib::yaml;
use super::builtin::template_text;
use super::call::Call;
use super::conf::Strict;
use super::eval::Evaluator;
use super::ids::{ResourceId, ScopeId, TOP};
use super::stop::{Help, Problem, Run, Stop};
use super::types;
use super::value::{Map, Value};
use super::{convert, format, unknown};
use crate::lang::Budget;
use crate::lang::puppet::arm::{Described, Seen};
use crate::lang::puppet::catalog::Catalog;
use crate::lang::puppet::scope::Scopes;
use crate::lang::ruby::describe::Relation;
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
        Rendered::Unknown if !e.inputs.has_worker() => Ok(Ok(Value::Unknown(None))),
        // What the first part of the template declared is not declared twice.
        Rendered::Outside(_) | Rendered::Unknown if e.inputs.has_worker() && e.catalog.keeps() == before.0 => {
            e.output.logs.truncate(before.1);
            let from = super::foreign::From { scope, span, block: None };
            match e.template_in_worker(from, file, text)? {
                Ok(value) => Ok(Ok(value)),
                Err(what) => e.output.lacking(&e.inputs, &format!("`{file}`"), &what, span).map(Ok),
            }
        }
        Rendered::Outside(what) => e.output.outside(&e.inputs, &what, span).map(Ok),
        Rendered::Unknown => Ok(Ok(Value::Unknown(None))),
        Rendered::Fail(why) => Ok(Err(why)),
        Rendered::Stop => match stop {
            // A fault of the call itself is in the template.
            Some((line, Stop::Fail(issue)))
                if issue.span == Some(span)
                    && issue.advice.place.is_none()
                    && !file.starts_with("the template in ") =>
            {
                let place = e.inputs.span_in_file(std::path::Path::new(file), text, line as usize, 1);
                Err(Stop::Fail(issue).edit(place).related(span, "rendered here"))
            }
            Some((_, stop)) => Err(stop),
            None => Err(ended(span)),
        },
    }
}

/// Calls a function that a module has in Ruby; nothing where it uses Ruby that is not known.
pub fn call(e: &mut Evaluator<'_>, name: &str, function: &Function, call: &Call, args: &[Value]) -> Run<Option<Value>> {
    let mut caller = Caller::new(e, call.scope, call.span, args);
    caller.copies_arguments = function.is_old();
    let done = ruby::call_function(&mut caller, name, function);
    match done {
        Ok(()) => Ok(caller.value.take()),
        // The worker may do with a part of it.
        Err(Halt::Unknown) if caller.e.inputs.has_worker() => Ok(None),
        Err(Halt::Unknown) => Ok(Some(Value::Unknown(None))),
        Err(Halt::Stop) => Err(caller.stop.take().map_or_else(|| ended(call.span), |(_, stop)| stop)),
        Err(Halt::WrongCount(why)) => call.wrong_count(why).help("change the arguments of the call"),
        Err(Halt::WrongType(why)) => call.wrong_type(why).help("change the arguments of the call"),
        Err(Halt::Fail(_, why)) => call.fail(why).help("change the arguments of the call"),
        Err(_) => Ok(None),
    }
}

/// The titles that a relation of a resource type names for a resource; nothing where they cannot be known.
pub fn related(e: &mut Evaluator<'_>, id: ResourceId, known: &Described, relation: &Relation) -> Option<Vec<String>> {
    let (scope, span) = (TOP, e.catalog.get(id).span);
    let mut caller = Caller::new(e, scope, span, &[]);
    caller.resource = Some((id, known));
    ruby::titles_of(&mut caller, relation).ok()
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
    /// The resource whose type runs.
    resource: Option<(ResourceId, &'e Described)>,
    /// Lists and hashes that Ruby has already, so that one value stays one.
    imported: FxHashMap<usize, (Value, Ruby)>,
    /// Earlier values of what Ruby changed.
    held: Vec<Value>,
    value: Option<Value>,
    /// A function of the old form has copies of lists and hashes.
    copies_arguments: bool,
    /// Why the compilation ends, and the line of Ruby that it was at.
    stop: Option<(u32, Stop)>,
}

impl<'e, 'w> Caller<'e, 'w> {
    fn new(e: &'e mut Evaluator<'w>, scope: ScopeId, span: Span, args: &'e [Value]) -> Self {
        Self {
            e,
            scope,
            span,
            args,
            resource: None,
            imported: FxHashMap::default(),
            held: Vec::new(),
            value: None,
            copies_arguments: false,
            stop: None,
        }
    }

    /// Values that no template can change, besides the facts.
    fn frozen(&self) -> impl Iterator<Item = &Value> {
        let top = &self.e.scopes.get(TOP).variables;
        ["trusted", "server_facts"].into_iter().filter_map(|name| top.get(name))
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
        let address = address(value);
        if let Some((_, known)) = self.imported.get(&address).filter(|_| address != 0) {
            return Ok(known.clone());
        }
        heap.visit_many(4);
        let made = match value {
            Value::Undef => Ruby::Nil,
            Value::Default => Ruby::Symbol("default".into()),
            Value::Bool(value) => Ruby::Bool(*value),
            Value::Int(value) => Ruby::Int(*value),
            Value::Float(value) => Ruby::Float(*value),
            Value::Str(text) => {
                let text = heap.string(&**text)?;
                heap.mark(&text);
                return Ok(text);
            }
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
            if !self.copies_arguments {
                heap.mark(&made);
            }
        }
        Ok(made)
    }

    /// A list or hash as it is now. What is inside of it and belongs to the program is named by its earlier value.
    fn changed(&self, heap: &Heap, value: &Ruby, known: &FxHashMap<u32, Value>) -> Ran<Value> {
        let inner = |item: &Ruby| match Heap::identity(item).and_then(|id| known.get(&id)) {
            Some(earlier) => Ok(earlier.clone()),
            None => self.changed(heap, item, known),
        };
        if !heap.visit() {
            return Err(Halt::Limit("a value that is too large"));
        }
        match value {
            Ruby::Array(id) => Ok(Value::array(heap.list(*id).iter().map(inner).collect::<Ran<Vec<_>>>()?)),
            Ruby::Hash(id) => {
                let pairs = heap.table(*id).into_iter().flat_map(Table::values);
                let pairs = pairs.map(|(key, value)| Ok((exported(heap, 0, key, 1)?, inner(value)?)));
                Ok(Value::hash(pairs.collect::<Ran<Map>>()?))
            }
            other => exported(heap, 0, other, 1),
        }
    }
}

/// Where a list or hash is; 0 for any other value.
fn address(value: &Value) -> usize {
    match value {
        Value::Array(list) => Arc::as_ptr(list) as usize,
        Value::Hash(map) => Arc::as_ptr(map) as usize,
        _ => 0,
    }
}

/// Collects the lists and hashes in a value.
fn addresses(value: &Value, out: &mut FxHashSet<usize>, depth: usize) {
    let at = address(value);
    if at == 0 || depth > NESTED || !out.insert(at) {
        return;
    }
    match value {
        Value::Array(list) => list.iter().for_each(|item| addresses(item, out, depth + 1)),
        Value::Hash(map) => map.values().for_each(|item| addresses(item, out, depth + 1)),
        _ => {}
    }
}

/// Lists and hashes that become others wherever they are.
struct Replacement<'r> {
    replaced: &'r FxHashMap<usize, Value>,
    /// What was visited already: its new value where it has one.
    done: FxHashMap<usize, Option<Value>>,
}

impl Replacement<'_> {
    /// The new value; nothing where it stays.
    fn of(&mut self, value: &Value, depth: usize) -> Option<Value> {
        let at = address(value);
        if at == 0 || depth > NESTED {
            return None;
        }
        if let Some(done) = self.done.get(&at) {
            return done.clone();
        }
        // A value that contains itself stays as it is there.
        self.done.insert(at, None);
        let replaced = self.replaced;
        let now = replaced.get(&at);
        let made = match now.unwrap_or(value) {
            Value::Array(list) => {
                let parts: Vec<Option<Value>> = list.iter().map(|item| self.of(item, depth + 1)).collect();
                parts.iter().any(Option::is_some).then(|| {
                    let items = parts.into_iter().zip(list.iter());
                    Value::array(items.map(|(new, old)| new.unwrap_or_else(|| old.clone())).collect())
                })
            }
            Value::Hash(map) => {
                let parts: Vec<Option<Value>> = map.values().map(|item| self.of(item, depth + 1)).collect();
                parts.iter().any(Option::is_some).then(|| {
                    let items = parts.into_iter().zip(map.iter());
                    Value::hash(items.map(|(new, (k, v))| (k.clone(), new.unwrap_or_else(|| v.clone()))).collect())
                })
            }
            _ => None,
        };
        let made = made.or_else(|| now.cloned());
        self.done.insert(at, made.clone());
        made
    }
}

impl Catalog {
    /// Replaces lists and hashes in all variables and parameters. Returns how many values were visited.
    fn replace(&mut self, scopes: &mut Scopes, replaced: &FxHashMap<usize, Value>) -> usize {
        let mut replacement = Replacement { replaced, done: FxHashMap::default() };
        let mut count = 0;
        let variables = scopes.all_mut().flat_map(|scope| scope.variables.values_mut());
        let parameters = self.resources.iter_mut().flat_map(|resource| resource.parameters.values_mut());
        for value in variables.chain(parameters.map(|parameter| &mut parameter.value)) {
            count += 1;
            if let Some(new) = replacement.of(value, 0) {
                *value = new;
            }
        }
        count + replacement.done.len()
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

/// Whether a symbol is in a value. It is no text everywhere.
fn has_symbol(heap: &Heap, value: &Ruby, depth: usize) -> bool {
    match value {
        _ if depth > NESTED => true,
        Ruby::Symbol(_) => true,
        Ruby::Array(id) => heap.list(*id).iter().any(|item| has_symbol(heap, item, depth + 1)),
        Ruby::Hash(id) => {
            let mut entries = heap.table(*id).into_iter().flat_map(Table::values);
            entries.any(|(key, value)| has_symbol(heap, key, depth + 1) || has_symbol(heap, value, depth + 1))
        }
        _ => false,
    }
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

    fn set_variable(&mut self, heap: &mut Heap, line: u32, name: &str, value: &Ruby) -> Ran<()> {
        if name.contains("::") {
            return Err(Halt::outside(line, format!("the assignment to `{name}`")));
        }
        self.give_back(heap)?;
        let known = exported(heap, line, value, 0)?;
        let is_reserved = matches!(name, "facts" | "trusted" | "server_facts");
        if is_reserved || self.e.scopes.get(self.scope).variables.contains_key(name) {
            return Err(Halt::Fail(line, format!("Cannot reassign variable '${name}'")));
        }
        let address = address(&known);
        if address != 0 {
            self.imported.insert(address, (known.clone(), value.clone()));
            heap.mark(value);
        }
        self.e.scopes.get_mut(self.scope).variables.insert(name.into(), known);
        Ok(())
    }

    fn give_back(&mut self, heap: &mut Heap) -> Ran<()> {
        let changed: Vec<usize> = {
            let imported = self.imported.iter();
            imported.filter(|(_, (_, made))| heap.take_change(made)).map(|(address, _)| *address).collect()
        };
        if changed.is_empty() {
            return Ok(());
        }
        let frozen = [&self.e.inputs.settings.facts].into_iter().chain(self.frozen());
        let mut in_facts = FxHashSet::default();
        frozen.for_each(|value| addresses(value, &mut in_facts, 0));
        let all = self.imported.values();
        let known: FxHashMap<u32, Value> =
            all.filter_map(|(value, made)| Some((Heap::identity(made)?, value.clone()))).collect();
        let mut replaced = FxHashMap::default();
        for at in changed {
            let Some((earlier, made)) = self.imported.get(&at).cloned() else { continue };
            if in_facts.contains(&at) {
                let why = format!("can't modify frozen {}: {}", made.class(), heap.inspect(&made));
                return Err(Halt::Fail(0, why));
            }
            let now = self.changed(heap, &made, &known)?;
            replaced.insert(at, now.clone());
            // The earlier value is held, so that no other one gets its address.
            self.imported.insert(address(&now), (now, made));
            self.held.push(earlier);
        }
        let count = self.e.catalog.replace(&mut self.e.scopes, &replaced);
        heap.visit_many(count);
        if heap.is_exhausted() { Err(Halt::Limit("changes of too many values")) } else { Ok(()) }
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
        self.e.inputs.settings.strict == Strict::Error
    }

    fn classes(&self) -> Vec<String> {
        self.e.catalog.classes.iter().map(|class| class.to_string()).collect()
    }

    fn template(&self, name: &str) -> Option<(String, String)> {
        template_text(self.e, name)
    }

    fn call(&mut self, heap: &mut Heap, line: u32, name: &str, args: &[Ruby], used: &mut Used) -> Ran {
        let args = all_exported(heap, line, args)?;
        let bare = name.strip_prefix("function_").unwrap_or(name);
        let call = Call { name: bare.into(), args, block: None, scope: self.scope, span: self.span };
        let old = if name == bare { None } else { self.e.loader().old_ruby_function(bare) };
        let around = std::mem::replace(&mut self.e.ruby, *used);
        let done = match old {
            Some(file) => self.e.call_of_module(bare, &file, call),
            None => self.e.call(call),
        };
        *used = std::mem::replace(&mut self.e.ruby, around);
        match done {
            Ok(value) => self.import(heap, &value),
            Err(stop) => {
                self.stop = Some((line, stop));
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

    fn yaml(&self, heap: &Heap, line: u32, value: &Ruby) -> Ran<String> {
        if has_symbol(heap, value, 0) {
            return Err(Halt::outside(line, "a symbol as YAML"));
        }
        Ok(yaml(&exported(heap, line, value, 0)?, None, None))
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

    fn attribute(&mut self, heap: &mut Heap, line: u32, name: &str) -> Ran {
        let Some((id, known)) = self.resource else { return Err(Halt::outside(line, "a resource")) };
        match known.seen(self.e.catalog.get(id), name) {
            Some(Seen::Symbol(name)) => Ok(Ruby::Symbol(name)),
            Some(Seen::Value(value)) => self.import(heap, &value),
            None => Err(Halt::outside(line, format!("the attribute `{name}`"))),
        }
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

    fn warn(&mut self, text: String) {
        self.e.output.warn_once(text);
    }

    fn is_stopped(&self) -> bool {
        self.e.inputs.files.is_stopped()
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
