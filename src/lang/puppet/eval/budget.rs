//! What the evaluation pays from the budget of the compilation. Parts of values are shared, so a few lines can make a
//! value whose text fits into no memory, or a type that nothing can be compared with: all that is made of other values is
//! measured when it is made.

use crate::diag::Code;
use crate::lang::Spent;
use crate::lang::puppet::builtin::Function;
use crate::lang::puppet::convert;
use crate::lang::puppet::issue::IssueName;
use crate::lang::puppet::output::Output;
use crate::lang::puppet::stop::{Help, Run, fail};
use crate::lang::puppet::types::{self, Ty, Type, TypeAlias};
use crate::lang::puppet::value::Value;
use crate::lang::ruby::regexp;
use crate::source::Span;

/// How many parts a value may have, those of its parts included.
const PARTS: usize = 1_000_000;

/// How many types a type may be made of. An alias counts as one.
const TYPES: usize = 50_000;

/// How deep values may be nested.
const DEPTH: usize = 250;

/// How many bytes of text a value may have, those of its parts included.
const TEXT: usize = 32 << 20;

/// Bytes of one type.
const TYPE: usize = 64;

/// Trying a regular expression, or comparing ranges of versions, costs as much as comparing with so many plain types.
const PATTERN: usize = 32;

/// Steps of compiling a regular expression.
const COMPILE: u64 = 500;

/// Bytes of text that cost as much to compare as one value without a text.
const SHORT: usize = 64;

/// A range of versions takes so many times the bytes of its text.
const RANGE: usize = 16;

/// As many checks of large values are remembered.
const MOST_INSTANCES: usize = 64;

/// Elements of a collection whose checks are remembered.
const LARGE: usize = 16;

impl Output<'_> {
    /// Spends one step.
    pub fn step(&mut self, span: Span) -> Run<()> {
        self.spend(1, span)
    }

    /// Spends steps, and ends a compilation that has spent all, or that was stopped.
    pub fn spend(&mut self, steps: u64, span: Span) -> Run<()> {
        self.budget.note_steps(steps);
        if !self.budget.is_time_to_look() {
            return Ok(());
        }
        self.budget.note_steps(regexp::take_compiled().saturating_mul(COMPILE));
        if self.files.is_stopped() {
            return fail(span, IssueName::RuntimeError, "the compilation was stopped").code(Code::Cancelled);
        }
        paid(self.budget.check(), span)
    }

    /// Spends the steps of reading a text or of copying it.
    pub fn spend_text(&mut self, bytes: usize, span: Span) -> Run<()> {
        let payment = self.budget.text(bytes);
        paid(payment, span)
    }

    /// Spends the steps of visiting elements.
    pub fn spend_items(&mut self, count: usize, span: Span) -> Run<()> {
        let payment = self.budget.items(count);
        paid(payment, span)
    }

    /// Spends the steps of reading a value, without what is inside of its parts.
    pub fn read(&mut self, value: &Value, span: Span) -> Run<()> {
        match value {
            Value::Str(text) | Value::Uri(text) => self.spend_text(text.len(), span),
            Value::Binary(bytes) => self.spend_text(bytes.len(), span),
            Value::Array(list) => self.spend_items(list.len(), span),
            Value::Hash(map) => self.spend_items(map.len(), span),
            Value::Iterator(items) => self.spend_items(items.items.len(), span),
            Value::Sensitive(inner) => self.read(inner, span),
            // Their parts are parsed at each comparison.
            Value::SemVer(version) => self.spend_items(version.text_len(), span),
            Value::SemVerRange(range) => self.spend_items(range.text.len(), span),
            _ => Ok(()),
        }
    }

    /// Spends the steps of deciding whether a value, or a type, is of a type: in the worst case each part of it is compared
    /// with each type.
    pub fn pay_instance(&mut self, ty: &Ty, value: &Value, span: Span) -> Run<()> {
        let parts = match value {
            Value::Type(other) => comparisons(other),
            value => parts(value, DEPTH),
        };
        self.spend_items(comparisons(ty).saturating_mul(parts), span)
    }

    /// Whether a value is of a type. A large value that is shared, such as data that functions pass on, is checked and paid
    /// once for each type.
    pub fn check_instance(&mut self, ty: &Ty, value: &Value, span: Span) -> Run<bool> {
        let address = match value {
            Value::Hash(map) if map.len() >= LARGE => std::sync::Arc::as_ptr(map).addr(),
            Value::Array(list) if list.len() >= LARGE => std::sync::Arc::as_ptr(list).addr(),
            _ => 0,
        };
        if address != 0 && self.instances.contains_key(&(ty.clone(), address)) {
            return Ok(true);
        }
        self.pay_instance(ty, value, span)?;
        let is_instance = types::is_instance(ty, value);
        if is_instance && address != 0 {
            // A program that makes ever larger values must not hold all of them.
            if self.instances.len() >= MOST_INSTANCES {
                self.instances.clear();
            }
            self.instances.insert((ty.clone(), address), value.clone());
        }
        Ok(is_instance)
    }

    /// Spends the steps of ordering two texts: each byte is converted to lower case.
    pub fn pay_order(&mut self, a: &Value, b: &Value, span: Span) -> Run<()> {
        match (a, b) {
            (Value::Str(a), Value::Str(b)) => self.spend_items(a.len().min(b.len()), span),
            _ => Ok(()),
        }
    }

    /// Spends the steps of merging two values: each part costs so many, because it is copied, hashed and compared.
    pub fn pay_merge(&mut self, each: u64, (high, low): (&Value, &Value), span: Span) -> Run<()> {
        self.spend(each * (parts(high, DEPTH) + parts(low, DEPTH)) as u64, span)
    }

    /// Spends the steps of trying so many regular expressions on a text.
    pub fn pay_patterns(&mut self, count: usize, text: usize, span: Span) -> Run<()> {
        self.spend_items(count.saturating_mul(PATTERN).saturating_mul(1 + text / SHORT), span)
    }

    /// Spends what it takes to make a value of a type of another value.
    pub fn pay_new(&mut self, ty: &Ty, value: &Value, span: Span) -> Run<()> {
        self.pay_instance(ty, value, span)?;
        match (&**ty, value) {
            (Type::SemVerRange, Value::Str(text)) => self.build(text.len().saturating_mul(RANGE), span),
            _ => Ok(()),
        }
    }

    /// Spends the steps of making one type of so many parts, each of which may be compared with each other.
    pub fn pay_union(&mut self, ty: &Ty, parts: usize, span: Span) -> Run<()> {
        let each = match &**ty {
            Type::SemVer(_) => PATTERN,
            Type::Variant(_) => 1,
            _ => return Ok(()),
        };
        self.spend_items(parts.saturating_mul(parts).saturating_mul(each) / 2, span)
    }

    /// Counts bytes that are built, freed later or not.
    pub fn build(&mut self, bytes: usize, span: Span) -> Run<()> {
        let payment = self.budget.build(bytes);
        paid(payment, span)
    }

    /// Counts bytes where nothing can fail; the next step does.
    pub fn note(&mut self, bytes: usize) {
        self.budget.note(bytes);
    }

    /// Bytes that may still be built.
    pub fn room(&self) -> usize {
        usize::try_from(self.budget.room()).unwrap_or(usize::MAX)
    }

    /// A text of values in a row; each is paid before the next one is made.
    pub fn joined<'v>(&mut self, values: impl Iterator<Item = &'v Value>, between: &str, span: Span) -> Run<String> {
        let mut text = String::new();
        for (at, value) in values.enumerate() {
            let before = text.len();
            text.push_str(if at > 0 { between } else { "" });
            convert::append(&mut text, value);
            self.build(text.len() - before, span)?;
            self.spend_text(text.len() - before, span)?;
        }
        Ok(text)
    }

    /// A value that was just made of others.
    pub fn measured(&mut self, value: Value, span: Span) -> Run {
        self.build(own_size(&value), span)?;
        self.weighed(value, span)
    }

    /// A value whose parts and text are few enough.
    pub fn weighed(&mut self, value: Value, span: Span) -> Run {
        let mut left = Left { parts: PARTS, text: TEXT };
        let done = weigh(&value, DEPTH, &mut left);
        self.spend_items(PARTS - left.parts, span)?;
        let message = match done {
            Ok(()) => return Ok(value),
            Err(Excess::Text) => format!("a value of more than {} MiB of text", TEXT >> 20),
            Err(Excess::Parts) => format!("a value of more than {PARTS} parts"),
            Err(Excess::Depth) => format!("a value nested more than {DEPTH} deep"),
        };
        let help = match done {
            Err(Excess::Depth) => "use a flat list or hash",
            _ => "build smaller values; each use of a value inside another counts",
        };
        fail(span, IssueName::RuntimeError, message).code(Code::EvaluationLimit).help(help)
    }

    /// What an operator made of a value and another one, `more`. Only what the other one adds is counted.
    pub fn combined(&mut self, value: Value, more: &Value, span: Span) -> Run {
        self.build(own_size(more), span)?;
        // The other part was copied.
        self.read(&value, span)?;
        self.weighed(value, span)
    }

    /// What a built-in function gave.
    pub fn given(&mut self, function: &Function, value: Value, span: Span) -> Run {
        if function.passes_on { Ok(value) } else { self.measured(value, span) }
    }

    /// What a function that visits each element is given.
    pub fn visit(&mut self, function: &Function, value: &Value, span: Span) -> Run<()> {
        match value {
            Value::Array(_) | Value::Hash(_) | Value::Iterator(_) if function.glances => Ok(()),
            Value::Array(list) => self.spend(list.len() as u64, span),
            Value::Hash(map) => self.spend(map.len() as u64, span),
            Value::Iterator(items) => self.spend(items.items.len() as u64, span),
            other => self.read(other, span),
        }
    }

    /// Spends the steps of comparing something with a type.
    pub fn read_type(&mut self, ty: &Ty, span: Span) -> Run<()> {
        let mut left = TYPES;
        weigh_type(ty, DEPTH, &mut left);
        self.spend_items(TYPES - left, span)
    }

    /// A type that was just made of others.
    pub fn measured_type(&mut self, ty: Ty, span: Span) -> Run<Ty> {
        let mut left = TYPES;
        let fits = weigh_type(&ty, DEPTH, &mut left);
        self.build((TYPES - left) * TYPE, span)?;
        self.spend_items(TYPES - left, span)?;
        if fits {
            return Ok(ty);
        }
        fail(span, IssueName::RuntimeError, format!("a type of more than {TYPES} types"))
            .help("give the inner types names with `type NAME = …`")
    }
}

fn paid(payment: Result<(), Spent>, span: Span) -> Run<()> {
    let (message, help) = match payment {
        Ok(()) => return Ok(()),
        Err(Spent::Steps(_)) => (
            "the limit of evaluation steps is reached".into(),
            "use fewer iterations, or raise it with `--limit steps=NUMBER`",
        ),
        Err(Spent::Bytes(most)) => (
            format!("more than {} MiB of values are built", most >> 20),
            "build smaller values, or raise it with `--limit memory=NUMBER`",
        ),
    };
    fail(span, IssueName::RuntimeError, message).code(Code::EvaluationLimit).help(help)
}

/// What one value may still have.
struct Left {
    parts: usize,
    text: usize,
}

enum Excess {
    Parts,
    Text,
    Depth,
}

/// Bytes of an element of a list, and of an entry of a hash.
const ITEM: usize = size_of::<Value>();
const ENTRY: usize = 2 * ITEM + 24;

/// Roughly what a value takes by itself.
fn own_size(value: &Value) -> usize {
    match value {
        Value::Str(text) | Value::Uri(text) => text.len(),
        Value::Binary(bytes) => bytes.len(),
        Value::Array(list) => list.len() * ITEM,
        Value::Hash(map) => map.len() * ENTRY,
        Value::Iterator(items) => items.items.len() * ITEM,
        Value::Object(object) => object.attributes.len() * ENTRY,
        Value::SemVer(version) => version.text_len(),
        Value::SemVerRange(range) => range.text.len() * RANGE,
        _ => 0,
    }
}

/// How many comparisons a value costs that is compared with one type.
fn parts(value: &Value, depth: usize) -> usize {
    let Some(below) = depth.checked_sub(1) else { return 1 };
    let text = |bytes: usize| 1 + bytes / SHORT;
    1 + match value {
        Value::Str(text_of) | Value::Uri(text_of) => text(text_of.len()),
        Value::SemVer(version) => text(version.text_len()),
        Value::Array(list) => list.iter().map(|item| parts(item, below)).sum(),
        Value::Hash(map) => map.iter().map(|(key, item)| parts(key, below) + parts(item, below)).sum(),
        Value::Iterator(items) => items.items.iter().map(|item| parts(item, below)).sum(),
        Value::Object(object) => object.attributes.iter().map(|(_, item)| parts(item, below)).sum(),
        Value::Sensitive(inner) => parts(inner, below),
        // Its own type is made first.
        Value::Type(_) => 15,
        _ => 0,
    }
}

/// How many comparisons a type costs that one value is compared with. Each alias counts once.
fn comparisons(ty: &Ty) -> usize {
    let mut count = Comparisons { aliases: Vec::new(), left: TYPES * PATTERN };
    count.add(ty, DEPTH);
    TYPES * PATTERN - count.left
}

struct Comparisons<'t> {
    aliases: Vec<&'t TypeAlias>,
    left: usize,
}

impl<'t> Comparisons<'t> {
    fn take(&mut self, count: usize) {
        self.left = self.left.saturating_sub(count);
    }

    fn add(&mut self, ty: &'t Ty, depth: usize) {
        self.take(1);
        if self.left == 0 || depth == 0 {
            return;
        }
        let below = depth - 1;
        match &**ty {
            Type::Enum { values, ignores_case } => self.take(values.len() * if *ignores_case { 4 } else { 1 }),
            Type::Pattern(values) | Type::SemVer(values) => self.take(values.len().saturating_mul(PATTERN)),
            Type::Alias(alias) if !self.aliases.iter().any(|known| std::ptr::eq(*known, &raw const **alias)) => {
                self.aliases.push(alias);
                if let Some(ty) = alias.resolved.get() {
                    self.add(ty, below);
                }
            }
            Type::Object(Some(object)) => self.take(object.attributes.len()),
            ty => ty.inner().for_each(|ty| self.add(ty, below)),
        }
    }
}

fn weigh(value: &Value, depth: usize, left: &mut Left) -> Result<(), Excess> {
    match value {
        Value::Array(list) => weigh_all(list.len(), list.iter(), depth, left),
        Value::Hash(map) => weigh_all(map.len(), map.iter().flat_map(|(key, item)| [key, item]), depth, left),
        Value::Iterator(items) => weigh_all(items.items.len(), items.items.iter(), depth, left),
        Value::Object(object) => {
            weigh_all(object.attributes.len(), object.attributes.iter().map(|(_, item)| item), depth, left)
        }
        Value::Sensitive(inner) => weigh_all(0, std::iter::once(&**inner), depth, left),
        Value::Type(ty) => {
            let mut types = TYPES.min(left.parts);
            let below = depth.checked_sub(1).ok_or(Excess::Depth)?;
            if weigh_type(ty, below, &mut types) { Ok(()) } else { Err(Excess::Parts) }
        }
        Value::Str(text) | Value::Uri(text) => {
            left.text = left.text.checked_sub(text.len()).ok_or(Excess::Text)?;
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Weighs the values inside of one, which count as so many parts.
fn weigh_all<'v>(
    count: usize,
    mut items: impl Iterator<Item = &'v Value>,
    depth: usize,
    left: &mut Left,
) -> Result<(), Excess> {
    left.parts = left.parts.checked_sub(count).ok_or(Excess::Parts)?;
    let below = depth.checked_sub(1).ok_or(Excess::Depth)?;
    items.try_for_each(|item| weigh(item, below, left))
}

/// Whether a type is made of few enough others.
fn weigh_type(ty: &Ty, depth: usize, left: &mut usize) -> bool {
    let (Some(below), Some(rest)) = (depth.checked_sub(1), left.checked_sub(1)) else { return false };
    *left = rest;
    match &**ty {
        Type::Enum { values, .. } | Type::Pattern(values) | Type::SemVer(values) => {
            let rest = left.checked_sub(values.len());
            *left = rest.unwrap_or(0);
            // Each is small, so that there may be many more of them than of types.
            rest.is_some() || values.len() <= 20 * TYPES
        }
        Type::Object(Some(object)) => {
            let rest = left.checked_sub(object.attributes.len());
            *left = rest.unwrap_or(0);
            rest.is_some()
        }
        ty => ty.inner().all(|ty| weigh_type(ty, below, left)),
    }
}
