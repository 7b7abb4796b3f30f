//! The values of a template. Values that can change are in a heap, addressed by numbers, so that two names can mean one
//! list, and nothing nested is ever dropped recursively.

use std::rc::Rc;
use std::sync::Arc;

use indexmap::IndexMap;
use rustc_hash::FxHashMap;

use super::ip::Ip;
use super::{Halt, Ran};
use crate::lang::Budget;
use crate::lang::ruby::Text;
use crate::lang::ruby::ast::Lambda;
use crate::lang::ruby::host::Foreign;
use crate::lang::ruby::regexp::Regexp;

/// A value of Ruby.
#[derive(Clone, Debug)]
pub enum Ruby {
    Nil,
    Bool(bool),
    Int(i64),
    Float(f64),
    Symbol(Text),
    Str(Id),
    Array(Id),
    Hash(Id),
    /// The last number is part of it.
    Range(i64, i64),
    Regexp(Arc<Regexp>),
    Match(Id),
    Proc(Arc<Lambda>, usize),
    /// `IPAddr`
    Ip(Ip),
    /// A class or module by its name.
    Const(Text),
    /// The scope of the program around.
    Scope,
    /// The template itself.
    Myself,
    /// A value of the host that Ruby only passes on.
    Other(Arc<dyn Foreign>),
}

/// The id of an object in the heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Id(u32);

/// A hash by its keys, each with the key as it was given and its value.
pub type Table = IndexMap<Key, (Ruby, Ruby), rustc_hash::FxBuildHasher>;

/// A key as it is compared.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    Nil,
    Bool(bool),
    Int(i64),
    Float(u64),
    Symbol(Text),
    Str(String),
    /// Of anything else, how it is shown.
    Shown(String),
}

/// What a pattern found: the groups, and the place of the whole.
#[derive(Clone, Debug, Default)]
pub struct Match {
    pub groups: Vec<Option<String>>,
    pub names: Vec<Option<String>>,
    /// The text in which it was found, as soon as it is remembered.
    pub text: Arc<str>,
    pub start: usize,
    pub end: usize,
}

impl Match {
    /// Returns the text before the match.
    pub fn before(&self) -> &str {
        self.text.get(..self.start).unwrap_or_default()
    }

    /// Returns the text after the match.
    pub fn after(&self) -> &str {
        self.text.get(self.end..).unwrap_or_default()
    }
}

#[derive(Debug)]
enum Object {
    Str(String),
    Array(Vec<Ruby>),
    Hash(Table),
    Match(Arc<Match>),
}

/// Bytes and elements that one template may hold.
const MOST: usize = 64 << 20;

const TOO_LARGE: &str = "a template that needs more than 64 MiB";

const NO_ROOM: &str = "a template that needs more memory than the compilation may still use";

/// Values are not shown or compared deeper than this.
pub const DEPTH: usize = 64;

/// The texts, lists, hashes and matches of a template, with limits on memory and comparisons.
#[derive(Debug)]
pub struct Heap {
    objects: Vec<Object>,
    /// What belongs to the host, and whether it was changed.
    marks: FxHashMap<u32, bool>,
    used: usize,
    /// Values that were compared or shown.
    visits: std::cell::Cell<u64>,
    /// The compilation pays for all of it.
    budget: Rc<Budget>,
}

/// Values that are compared or shown in one step.
const VISITS_PER_STEP: u64 = 8;

/// Values that one template may compare and show: one list can be in many places.
const VISITS: u64 = 50_000_000;

impl Heap {
    /// Holds values beside those of other templates, which have the same limit.
    pub fn beside(used: usize, budget: Rc<Budget>) -> Self {
        Self { objects: Vec::new(), marks: FxHashMap::default(), used, visits: std::cell::Cell::default(), budget }
    }

    /// Marks a text, list or hash as one of the host, which sees its changes.
    pub fn mark(&mut self, value: &Ruby) {
        if let Ruby::Str(id) | Ruby::Array(id) | Ruby::Hash(id) = value {
            self.marks.insert(id.0, false);
        }
    }

    /// Notes a change.
    fn touch(&mut self, id: Id) {
        if let Some(is_changed) = self.marks.get_mut(&id.0) {
            *is_changed = true;
        }
    }

    /// Whether a list or hash of the host was changed since the last time.
    pub fn take_change(&mut self, value: &Ruby) -> bool {
        match value {
            Ruby::Array(id) | Ruby::Hash(id) => self.marks.get_mut(&id.0).is_some_and(std::mem::take),
            _ => false,
        }
    }

    /// Returns how many bytes were used so far.
    pub fn used(&self) -> usize {
        self.used
    }

    fn add(&mut self, object: Object, size: usize) -> Ran<Id> {
        self.use_up(size + 32)?;
        let id = Id(self.objects.len() as u32);
        self.objects.push(object);
        Ok(id)
    }

    /// Counts what a value takes.
    pub fn use_up(&mut self, size: usize) -> Ran<()> {
        self.used = self.used.saturating_add(size);
        self.budget.build(size).map_err(|_| Halt::Limit(NO_ROOM))?;
        self.has_room(0)
    }

    /// Whether a text of this size may be made.
    pub fn has_room(&self, size: usize) -> Ran<()> {
        self.budget.has_room(size).map_err(|_| Halt::Limit(NO_ROOM))?;
        if self.used.saturating_add(size) > MOST { Err(Halt::Limit(TOO_LARGE)) } else { Ok(()) }
    }

    /// Bytes that may still be held.
    pub fn room(&self) -> usize {
        MOST.saturating_sub(self.used).min(usize::try_from(self.budget.room()).unwrap_or(MOST))
    }

    /// Spends one step of the compilation.
    pub fn step(&self) -> Ran<()> {
        self.budget.spend(1).map_err(|_| Halt::Limit("a template that takes more steps than the compilation has left"))
    }

    /// Counts a value that is looked into; false where there were too many.
    pub fn visit(&self) -> bool {
        self.visit_many(1);
        !self.is_exhausted()
    }

    /// Counts as many values at once.
    pub fn visit_many(&self, count: usize) {
        let before = self.visits.get();
        let after = before.saturating_add(count as u64);
        self.visits.set(after);
        self.budget.note_steps(after / VISITS_PER_STEP - before / VISITS_PER_STEP);
    }

    /// Counts a text that is copied.
    pub fn visit_text(&self, text: &str) -> Ran<()> {
        self.visit_many(text.len() / 16);
        if self.is_exhausted() { Err(Halt::Limit(TOO_LARGE)) } else { Ok(()) }
    }

    /// Whether the limit of comparisons or the budget of the compilation is reached.
    pub fn is_exhausted(&self) -> bool {
        self.visits.get() >= VISITS || self.budget.check().is_err()
    }

    /// Makes a text. Fails if it exceeds the memory limit.
    pub fn string(&mut self, text: impl Into<String>) -> Ran {
        let text = text.into();
        let size = text.len();
        self.add(Object::Str(text), size).map(Ruby::Str)
    }

    /// Makes a list. Fails if it exceeds the memory limit.
    pub fn array(&mut self, list: Vec<Ruby>) -> Ran {
        let size = list.len() * std::mem::size_of::<Ruby>();
        self.add(Object::Array(list), size).map(Ruby::Array)
    }

    /// Makes a hash. Fails if it exceeds the memory limit.
    pub fn hash(&mut self, table: Table) -> Ran {
        let size = table.len() * 3 * std::mem::size_of::<Ruby>();
        self.add(Object::Hash(table), size).map(Ruby::Hash)
    }

    /// Makes a match. Fails if it exceeds the memory limit.
    pub fn found(&mut self, found: Match) -> Ran {
        let size = found.text.len() + 64;
        self.add(Object::Match(Arc::new(found)), size).map(Ruby::Match)
    }

    /// Returns the content of a text; empty for another object.
    pub fn text(&self, id: Id) -> &str {
        match self.objects.get(id.0 as usize) {
            Some(Object::Str(text)) => text,
            _ => "",
        }
    }

    /// Changes the content of a text. Fails if it exceeds the memory limit or belongs to the host.
    pub fn set_text(&mut self, id: Id, text: String) -> Ran<()> {
        self.use_up(text.len())?;
        if self.marks.contains_key(&id.0) {
            // Puppet refuses it for some texts, and changes others everywhere.
            return Err(Halt::Limit("a change in place of a text of Puppet"));
        }
        if let Some(Object::Str(have)) = self.objects.get_mut(id.0 as usize) {
            *have = text;
        }
        Ok(())
    }

    /// Returns the elements of a list; empty for another object.
    pub fn list(&self, id: Id) -> &[Ruby] {
        match self.objects.get(id.0 as usize) {
            Some(Object::Array(list)) => list,
            _ => &[],
        }
    }

    /// Returns the elements of a list, or another value as the only element.
    pub fn elements<'h>(&'h self, value: &'h Ruby) -> &'h [Ruby] {
        match value {
            Ruby::Array(id) => self.list(*id),
            other => std::slice::from_ref(other),
        }
    }

    /// Changes a list. What it grows by counts.
    pub fn change_list<V>(&mut self, id: Id, change: impl FnOnce(&mut Vec<Ruby>) -> V) -> Ran<Option<V>> {
        self.touch(id);
        let Some(Object::Array(list)) = self.objects.get_mut(id.0 as usize) else { return Ok(None) };
        let before = list.len();
        let value = change(list);
        let grown = list.len().saturating_sub(before);
        self.use_up(grown * std::mem::size_of::<Ruby>())?;
        Ok(Some(value))
    }

    /// Returns the entries of a hash; `None` for another object.
    pub fn table(&self, id: Id) -> Option<&Table> {
        match self.objects.get(id.0 as usize) {
            Some(Object::Hash(table)) => Some(table),
            _ => None,
        }
    }

    /// Changes a hash by at most one new entry; `None` for another object. Fails if it exceeds the memory limit.
    pub fn change_table<V>(&mut self, id: Id, change: impl FnOnce(&mut Table) -> V) -> Ran<Option<V>> {
        self.use_up(3 * std::mem::size_of::<Ruby>())?;
        self.touch(id);
        let Some(Object::Hash(table)) = self.objects.get_mut(id.0 as usize) else { return Ok(None) };
        Ok(Some(change(table)))
    }

    /// Returns a match; an empty one for another object.
    pub fn matched(&self, id: Id) -> Arc<Match> {
        match self.objects.get(id.0 as usize) {
            Some(Object::Match(found)) => found.clone(),
            _ => Arc::default(),
        }
    }

    /// What distinguishes a list or hash from others.
    pub fn identity(value: &Ruby) -> Option<u32> {
        match value {
            Ruby::Array(id) | Ruby::Hash(id) => Some(id.0),
            _ => None,
        }
    }

    /// Returns the content of a text or the name of a symbol.
    pub fn as_text<'h>(&'h self, value: &'h Ruby) -> Option<&'h str> {
        match value {
            Ruby::Str(id) => Some(self.text(*id)),
            Ruby::Symbol(name) => Some(name),
            _ => None,
        }
    }

    /// Returns the form in which a value is compared as a key of a hash.
    pub fn key(&self, value: &Ruby) -> Key {
        match value {
            Ruby::Nil => Key::Nil,
            Ruby::Bool(value) => Key::Bool(*value),
            Ruby::Int(value) => Key::Int(*value),
            Ruby::Float(value) => Key::Float(value.to_bits()),
            Ruby::Symbol(name) => Key::Symbol(name.clone()),
            Ruby::Str(id) => {
                let _ = self.visit_text(self.text(*id));
                Key::Str(self.text(*id).to_owned())
            }
            other => Key::Shown(self.inspect(other)),
        }
    }

    /// The value as text, as `to_s` gives it.
    pub fn shown(&self, value: &Ruby) -> String {
        match value {
            Ruby::Nil => String::new(),
            Ruby::Symbol(name) | Ruby::Const(name) => name.to_string(),
            Ruby::Str(id) => self.text(*id).to_owned(),
            Ruby::Ip(ip) => ip.to_string(),
            Ruby::Regexp(regexp) => format!("(?-mix:{})", regexp.source),
            Ruby::Match(id) => self.matched(*id).groups.first().cloned().flatten().unwrap_or_default(),
            Ruby::Other(value) => value.shown(),
            other => self.inspect(other),
        }
    }

    /// The value as `inspect` gives it.
    pub fn inspect(&self, value: &Ruby) -> String {
        let mut out = String::new();
        self.inspect_into(value, 0, &mut out);
        out
    }

    fn inspect_into(&self, value: &Ruby, depth: usize, out: &mut String) {
        if depth > DEPTH || out.len() > MOST || !self.visit() {
            // What is not shown as a whole ends the template.
            self.visits.set(VISITS);
            return out.push_str("...");
        }
        match value {
            Ruby::Nil => out.push_str("nil"),
            Ruby::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Ruby::Int(value) => out.push_str(&value.to_string()),
            Ruby::Float(value) => out.push_str(&crate::lang::ruby::number::float(*value)),
            Ruby::Symbol(name) => {
                out.push(':');
                let is_plain = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_?!=".contains(c));
                if is_plain { out.push_str(name) } else { quoted(name, out) }
            }
            Ruby::Str(id) => quoted(self.text(*id), out),
            Ruby::Array(id) => {
                out.push('[');
                for (at, item) in self.list(*id).iter().enumerate() {
                    if at > 0 {
                        out.push_str(", ");
                    }
                    self.inspect_into(item, depth + 1, out);
                }
                out.push(']');
            }
            Ruby::Hash(id) => {
                out.push('{');
                for (at, (key, value)) in self.table(*id).into_iter().flat_map(Table::values).enumerate() {
                    if at > 0 {
                        out.push_str(", ");
                    }
                    self.inspect_into(key, depth + 1, out);
                    out.push_str("=>");
                    self.inspect_into(value, depth + 1, out);
                }
                out.push('}');
            }
            Ruby::Range(from, to) => out.push_str(&format!("{from}..{to}")),
            Ruby::Regexp(regexp) => out.push_str(&format!("/{}/", regexp.source)),
            Ruby::Match(_) | Ruby::Other(_) | Ruby::Const(_) => out.push_str(&self.shown(value)),
            Ruby::Ip(ip) => out.push_str(&ip.inspect()),
            Ruby::Proc(..) => out.push_str("#<Proc>"),
            Ruby::Scope => out.push_str("Scope()"),
            Ruby::Myself => out.push_str("#<Puppet::Parser::TemplateWrapper>"),
        }
    }

    /// Whether two values are equal; false beyond the limits of depth and comparisons.
    pub fn is_equal(&self, a: &Ruby, b: &Ruby) -> bool {
        self.equal(a, b, 0)
    }

    fn equal(&self, a: &Ruby, b: &Ruby, depth: usize) -> bool {
        if depth > DEPTH || !self.visit() {
            self.visits.set(VISITS);
            return false;
        }
        match (a, b) {
            (Ruby::Nil, Ruby::Nil) | (Ruby::Scope, Ruby::Scope) | (Ruby::Myself, Ruby::Myself) => true,
            (Ruby::Bool(a), Ruby::Bool(b)) => a == b,
            (Ruby::Int(a), Ruby::Int(b)) => a == b,
            (Ruby::Float(a), Ruby::Float(b)) => a == b,
            (Ruby::Int(a), Ruby::Float(b)) | (Ruby::Float(b), Ruby::Int(a)) => *a as f64 == *b,
            (Ruby::Symbol(a), Ruby::Symbol(b)) | (Ruby::Const(a), Ruby::Const(b)) => a == b,
            (Ruby::Str(a), Ruby::Str(b)) => self.text(*a) == self.text(*b),
            (Ruby::Array(a), Ruby::Array(b)) => {
                let (a, b) = (self.list(*a), self.list(*b));
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.equal(a, b, depth + 1))
            }
            (Ruby::Hash(a), Ruby::Hash(b)) => match (self.table(*a), self.table(*b)) {
                (Some(a), Some(b)) => {
                    let same = |(key, value): (&Key, &(Ruby, Ruby))| {
                        b.get(key).is_some_and(|other| self.equal(&value.1, &other.1, depth + 1))
                    };
                    a.len() == b.len() && a.iter().all(same)
                }
                _ => false,
            },
            (Ruby::Range(a, b), Ruby::Range(c, d)) => a == c && b == d,
            (Ruby::Regexp(a), Ruby::Regexp(b)) => a.source == b.source,
            (Ruby::Ip(a), Ruby::Ip(b)) => a == b,
            (Ruby::Other(a), Ruby::Other(b)) => a.is_equal(&**b),
            _ => false,
        }
    }

    /// Which of two values comes first; nothing where they cannot be compared.
    pub fn compare(&self, a: &Ruby, b: &Ruby) -> Option<std::cmp::Ordering> {
        self.order(a, b, 0)
    }

    fn order(&self, a: &Ruby, b: &Ruby, depth: usize) -> Option<std::cmp::Ordering> {
        if depth > DEPTH || !self.visit() {
            self.visits.set(VISITS);
            return None;
        }
        match (a, b) {
            (Ruby::Int(a), Ruby::Int(b)) => Some(a.cmp(b)),
            (Ruby::Ip(a), Ruby::Ip(b)) => a.order(b),
            // Such a number has more than 64 bits.
            (Ruby::Int(_), Ruby::Ip(b)) if b.is_number => Some(std::cmp::Ordering::Less),
            (Ruby::Ip(a), Ruby::Int(_)) if a.is_number => Some(std::cmp::Ordering::Greater),
            (Ruby::Float(a), Ruby::Float(b)) => a.partial_cmp(b),
            (Ruby::Int(a), Ruby::Float(b)) => (*a as f64).partial_cmp(b),
            (Ruby::Float(a), Ruby::Int(b)) => a.partial_cmp(&(*b as f64)),
            (Ruby::Str(a), Ruby::Str(b)) => Some(self.text(*a).cmp(self.text(*b))),
            (Ruby::Symbol(a), Ruby::Symbol(b)) => Some(a.cmp(b)),
            (Ruby::Array(a), Ruby::Array(b)) => {
                let (a, b) = (self.list(*a), self.list(*b));
                for (a, b) in a.iter().zip(b) {
                    match self.order(a, b, depth + 1)? {
                        std::cmp::Ordering::Equal => {}
                        other => return Some(other),
                    }
                }
                Some(a.len().cmp(&b.len()))
            }
            (a, b) => self.is_equal(a, b).then_some(std::cmp::Ordering::Equal),
        }
    }
}

/// A text in double quotes with escapes.
fn quoted(text: &str, out: &mut String) {
    out.push('"');
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '\u{1b}' => out.push_str("\\e"),
            '#' if matches!(chars.peek(), Some('{' | '$' | '@')) => out.push_str("\\#"),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{b}' => out.push_str("\\v"),
            '\u{c}' => out.push_str("\\f"),
            c if c.is_control() && c != '\u{85}' => out.push_str(&format!("\\u{:04X}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
}

impl Ruby {
    /// Whether a condition accepts the value as true: all but nil and false.
    pub fn is_true(&self) -> bool {
        !matches!(self, Ruby::Nil | Ruby::Bool(false))
    }

    /// The name of its class.
    pub fn class(&self) -> &'static str {
        match self {
            Ruby::Nil => "NilClass",
            Ruby::Bool(true) => "TrueClass",
            Ruby::Bool(false) => "FalseClass",
            Ruby::Int(_) => "Integer",
            Ruby::Float(_) => "Float",
            Ruby::Symbol(_) => "Symbol",
            Ruby::Str(_) => "String",
            Ruby::Array(_) => "Array",
            Ruby::Hash(_) => "Hash",
            Ruby::Range(..) => "Range",
            Ruby::Regexp(_) => "Regexp",
            Ruby::Match(_) => "MatchData",
            Ruby::Ip(ip) if ip.is_number => "Integer",
            Ruby::Ip(_) => "IPAddr",
            Ruby::Proc(..) => "Proc",
            Ruby::Const(_) => "Class",
            Ruby::Scope => "Puppet::Parser::Scope",
            Ruby::Myself => "Puppet::Parser::TemplateWrapper",
            Ruby::Other(value) => value.class(),
        }
    }

    /// Whether it is an instance of a class of this name; nothing where that is not known.
    pub fn is_a(&self, class: &str) -> Option<bool> {
        let own = self.class();
        if class == own {
            return Some(true);
        }
        Some(match class.trim_start_matches("::") {
            "Object" | "BasicObject" | "Kernel" => true,
            "Fixnum" | "Bignum" => own == "Integer",
            "Numeric" => matches!(own, "Integer" | "Float"),
            "Enumerable" => matches!(own, "Array" | "Hash" | "Range"),
            "Comparable" => matches!(own, "String" | "Integer" | "Float" | "Symbol"),
            "String" | "Array" | "Hash" | "Integer" | "Float" | "Symbol" | "NilClass" | "TrueClass" | "FalseClass"
            | "Regexp" | "Range" | "Proc" | "MatchData" | "Class" | "Module" | "IPAddr" => false,
            "Puppet::Pops::Types::PSensitiveType::Sensitive" => false,
            _ => return None,
        })
    }
}
