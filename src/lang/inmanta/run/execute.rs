//! Evaluates expressions whose dependencies have values, and runs statements.

use super::super::ast::{Kind, NodeId, Operator};
use super::super::define::Info;
use super::super::error::{Class, Raise};
use super::super::operators;
use super::super::pattern::Pattern;
use super::super::plugin::Body;
use super::super::pystr::{self, FormatError};
use super::super::std;
use super::super::token::Compare;
use super::super::value::{NESTING, Value};
use super::open::Part;
use super::task::{Called, Key, Ready};
use super::{Machine, Run, ScopeId, VarId};
use crate::diag::Code;
use crate::source::Span;

/// How long a formatted text may get.
const LONGEST: usize = pystr::LONGEST;

impl Machine<'_> {
    /// Evaluates an expression and notifies its listener.
    pub(super) fn execute(&mut self, node: NodeId, ready: &Ready, scope: ScopeId) -> Run<Value> {
        let value = self.resolve(node, ready, scope)?;
        if matches!(
            self.program.ast.kind(node),
            Kind::Dict(_) | Kind::Format { .. } | Kind::FormatStr { .. } | Kind::Binary { .. }
        ) {
            self.pay(&value, self.program.ast.span(node))?;
        }
        if let Some(collector) = ready.collector(node) {
            let place = self.program.ast.span(node);
            self.receive_flat(collector, &value, place)?;
        }
        Ok(value)
    }

    fn needed(&self, key: Key, ready: &Ready) -> Run<Value> {
        let value = ready.var(key).and_then(|var| self.peek(var)).cloned();
        value.ok_or_else(|| Raise::new(Class::Internal, "a value is missing").into())
    }

    fn resolve(&mut self, node: NodeId, ready: &Ready, scope: ScopeId) -> Run<Value> {
        let program = self.program;
        let span = program.ast.span(node);
        match program.ast.kind(node) {
            Kind::Name(sym) => self.needed(Key::Name(*sym), ready),
            Kind::Attribute { .. }
            | Kind::IsDefined { .. }
            | Kind::And(..)
            | Kind::Or(..)
            | Kind::Conditional { .. }
            | Kind::Comprehension { .. }
            | Kind::Call { .. }
            | Kind::IndexLookup { .. }
            | Kind::ShortIndexLookup { .. } => self.needed(Key::Node(node), ready),
            Kind::Literal(value) => Ok(value.clone()),
            Kind::Skipped => Ok(Value::Skipped),
            Kind::Element(name) => {
                let var = self.lookup(scope, *name)?;
                self.value(var)
            }
            Kind::List(items) => self.list(node, items, ready, scope),
            Kind::Dict(items) => self.dict(items, ready, scope, span),
            Kind::Lookup { map, key } => self.dict_lookup(*map, *key, ready, scope, span),
            Kind::Format { text, parts } => self.format(text, parts, ready, scope),
            Kind::FormatStr { text, parts } => self.format_string(text, parts, ready, scope, span),
            Kind::Regex { pattern, of } => {
                let value = self.execute(*of, ready, scope)?;
                let unknown = self.unknown();
                self.patterns.entry(node).or_insert_with(|| Pattern::new(pattern));
                self.read_value(&value, span)?;
                Ok(operators::matches(&self.patterns[&node], &value, span, unknown, self)?)
            }
            Kind::Binary { operator, left, right } => {
                let left = self.execute(*left, ready, scope)?;
                let right = self.execute(*right, ready, scope)?;
                let unknown = self.unknown();
                self.read_operands(*operator, &left, &right, span)?;
                let is_equality = matches!(operator, Operator::Compare(Compare::Equal | Compare::NotEqual));
                if is_equality && (self.holds_open(&left) || self.holds_open(&right)) {
                    return Ok(unknown);
                }
                let compares = matches!(operator, Operator::Compare(Compare::Equal | Compare::NotEqual) | Operator::In);
                if compares && self.may_be_same(&left, &right) {
                    return Ok(unknown);
                }
                Ok(operators::binary(*operator, &left, &right, span, unknown, self)?)
            }
            Kind::Not(inner) => {
                let value = self.execute(*inner, ready, scope)?;
                let unknown = self.unknown();
                Ok(operators::not(&value, span, unknown, self)?)
            }
            Kind::Spread(inner) => {
                let value = self.execute(*inner, ready, scope)?;
                match value {
                    Value::Dict(_) => Ok(value),
                    _ => {
                        let message = "The ** operator can only be applied to dictionaries";
                        Err(Raise::at(Class::Typing, span, message).with_help("write a dictionary after `**`").into())
                    }
                }
            }
            Kind::New { .. } => self.construct(node, ready, scope),
            Kind::Implement(number) => self.implement(*number, ready, scope),
            Kind::For { list, body, .. } => {
                self.fulfil_promises(node, ready);
                let value = self.execute(*list, ready, scope)?;
                if value.is_unknown() {
                    self.leave_out(span, vec![Part::Block(*body)]);
                } else if !matches!(value, Value::List(_)) {
                    let text = pystr::str(&value, self);
                    let message =
                        format!("A for loop can only be applied to lists and relations. Hint: '{text}' is not a list.");
                    let help = match &value {
                        Value::Dict(_) => "loop over its keys: `for KEY in std::dict_keys(DICT):`",
                        Value::Int(_) => "loop over numbers: `for NAME in std::sequence(COUNT):`",
                        Value::Str(_) => "split the text: `for PART in std::split(TEXT, \",\"):`",
                        _ => "write a list after `in`: `[A, B]`, or a relation to several instances",
                    };
                    return Err(Raise::at(Class::Typing, span, message).with_help(help).into());
                }
                Ok(Value::Null)
            }
            Kind::If { condition, yes, no } => {
                self.fulfil_promises(node, ready);
                let flag = match self.execute(*condition, ready, scope)? {
                    Value::Unknown(_) => {
                        self.leave_out(span, vec![Part::Block(*yes), Part::Block(*no)]);
                        return Ok(Value::Null);
                    }
                    Value::Bool(flag) => flag,
                    other => {
                        let what = "the condition for an if statement can only be";
                        return Err(operators::no_bool(&other, what, span, self).into());
                    }
                };
                let branch = if flag { *yes } else { *no };
                let inner = self.enter_nested(branch, scope);
                self.emit_block(branch, inner)?;
                Ok(Value::Null)
            }
            Kind::Assign { .. } | Kind::SetAttribute { .. } => Ok(Value::Null),
        }
    }

    fn list(&mut self, node: NodeId, items: &[NodeId], ready: &Ready, scope: ScopeId) -> Run<Value> {
        if ready.var(Key::Node(node)).is_some() {
            return self.needed(Key::Node(node), ready);
        }
        let mut values = Vec::with_capacity(items.len());
        for item in items {
            match self.execute(*item, ready, scope)? {
                Value::List(inner) => {
                    self.pay(&Value::List(inner.clone()), self.program.ast.span(node))?;
                    values.extend(inner.iter().cloned());
                }
                value => values.push(value),
            }
        }
        Ok(Value::list(values))
    }

    fn dict(
        &mut self,
        items: &[(std_sync::Arc<str>, NodeId)],
        ready: &Ready,
        scope: ScopeId,
        span: Span,
    ) -> Run<Value> {
        let mut values = Vec::with_capacity(items.len());
        for (key, item) in items {
            values.push((key.clone(), self.execute(*item, ready, scope)?));
        }
        let dict = Value::dict(values);
        if dict.depth() > NESTING {
            let message = format!("dictionaries nest more than {NESTING} deep");
            return Err(Raise::at(Class::Runtime, span, message).with_code(Code::NestedTooDeep).into());
        }
        Ok(dict)
    }

    fn dict_lookup(&mut self, map: NodeId, key: NodeId, ready: &Ready, scope: ScopeId, span: Span) -> Run<Value> {
        let map = self.execute(map, ready, scope)?;
        if map.is_unknown() {
            return Ok(self.unknown());
        }
        let Value::Dict(dict) = &map else {
            let text = pystr::str(&map, self);
            let message = format!("dict lookup is only possible on dicts, {text} is not an object");
            let raise = Raise::at(Class::Typing, span, message);
            let is_list = matches!(map, Value::List(_));
            let what = if is_list { "a list" } else { "no dict" };
            let is_plain =
                matches!(&map, Value::List(items) if !items.iter().any(|item| matches!(item, Value::Instance(_))));
            let help = match is_list {
                true if is_plain => "one element is `std::at(LIST, NUMBER)`, from 0; `for` reads all elements",
                true => {
                    "a relation finds an instance by its index, `VALUE.RELATION[ATTRIBUTE=KEY]`; `for` reads all elements"
                }
                false => "read an attribute with `VALUE.ATTRIBUTE`",
            };
            return Err(raise
                .with_label(format!("`[…]` reads a key of a dict, and this is {what}"))
                .with_help(help)
                .into());
        };
        let key = self.execute(key, ready, scope)?;
        if key.is_unknown() {
            return Ok(self.unknown());
        }
        let Value::Str(key) = &key else {
            let text = pystr::str(&key, self);
            let message = format!("dict keys must be string, {text} is not a string");
            let help = format!("write the key in quotes: `\"{text}\"`");
            return Err(Raise::at(Class::Typing, span, message).with_help(help).into());
        };
        dict.get(key).cloned().ok_or_else(|| {
            let keys: Vec<_> = dict.items.iter().map(|(key, _)| &**key).collect();
            let message = format!("key {key} not found in dict, options are [{}]", keys.join(","));
            let near = crate::diag::nearest(key, keys.iter().copied());
            let help = near.map(|near| format!("did you mean `\"{near}\"`?"));
            let mut raise = Raise::at(Class::Key, span, message);
            raise.help = help;
            raise.into()
        })
    }

    /// A value as it goes into a text: a whole float is written as an integer.
    fn in_text(value: Value, span: Span) -> Run<Value> {
        match value {
            Value::Float(number) if !number.is_finite() => {
                Err(Raise::at(Class::Internal, span, "a number without end cannot be written here").into())
            }
            Value::Float(number) if number.fract() == 0.0 => {
                let whole = num_traits::FromPrimitive::from_f64(number);
                Ok(whole.map_or(Value::Float(number), Value::integer))
            }
            value => Ok(value),
        }
    }

    fn format(
        &mut self,
        text: &str,
        parts: &[(NodeId, std_sync::Arc<str>)],
        ready: &Ready,
        scope: ScopeId,
    ) -> Run<Value> {
        let mut values: Vec<(&str, String)> = Vec::with_capacity(parts.len());
        for (node, written) in parts {
            let value = self.execute(*node, ready, scope)?;
            if value.is_unknown() || self.holds_open(&value) {
                return Ok(self.unknown());
            }
            let value = Self::in_text(value, self.program.ast.span(*node))?;
            values.push((written, pystr::str(&value, self)));
        }
        let place = parts.last().map(|(node, _)| self.program.ast.span(*node));
        let made = replaced(text, &values);
        match (made, place) {
            (None, Some(place)) => Err(too_long(place)),
            (made, _) => Ok(Value::str(made.unwrap_or_default())),
        }
    }

    fn format_string(
        &mut self,
        text: &str,
        parts: &[(NodeId, std_sync::Arc<str>)],
        ready: &Ready,
        scope: ScopeId,
        span: Span,
    ) -> Run<Value> {
        let mut values: Vec<(std_sync::Arc<str>, Value)> = Vec::with_capacity(parts.len());
        for (node, written) in parts {
            let value = self.execute(*node, ready, scope)?;
            if value.is_unknown() || self.holds_open(&value) {
                return Ok(self.unknown());
            }
            values.push((written.clone(), Self::in_text(value, span)?));
        }
        Ok(Value::str(self.formatted(text, &values, span, 2)?))
    }

    fn formatted(&self, text: &str, values: &[(std_sync::Arc<str>, Value)], span: Span, depth: u32) -> Run<String> {
        let invalid = |reason: String| Raise::at(Class::Runtime, span, format!("Invalid f-string: {reason}"));
        let mut made = String::new();
        for piece in pystr::pieces(text).map_err(invalid)? {
            made.push_str(&piece.text);
            let Some(field) = piece.field else { continue };
            if depth == 0 {
                return Err(invalid("Max string recursion exceeded".to_string()).into());
            }
            if field.name.is_empty() {
                let message = "f-strings do not support positional substitutions via '{}', use variable or attribute \
                               keys instead";
                return Err(Raise::at(Class::Runtime, span, message).into());
            }
            let Some((_, value)) = values.iter().find(|(name, _)| **name == *field.name) else {
                let message = format!("Invalid key in f-string: '{}'", field.name);
                return Err(Raise::at(Class::Runtime, span, message).into());
            };
            let value = match field.conversion {
                None => value.clone(),
                Some('s') => Value::str(pystr::str(value, self)),
                Some('r' | 'a') => Value::str(pystr::repr(value, self)),
                Some(other) => {
                    return Err(invalid(format!("Unknown conversion specifier {other}")).into());
                }
            };
            let spec = self.formatted(&field.spec, values, span, depth - 1)?;
            match pystr::format(&value, &spec, self) {
                Ok(text) => made.push_str(&text),
                Err(FormatError::Value(reason)) => return Err(invalid(reason).into()),
                Err(FormatError::Type(reason)) => return Err(Raise::at(Class::Internal, span, reason).into()),
            }
            if made.len() > LONGEST {
                return Err(too_long(span));
            }
        }
        Ok(made)
    }

    // Calls

    pub(super) fn call_arguments(&mut self, node: NodeId, ready: &Ready, scope: ScopeId) -> Run<Called> {
        let program = self.program;
        let span = program.ast.span(node);
        let mut called = Called::default();
        let Kind::Call { positional, arguments, .. } = program.ast.kind(node) else { return Ok(called) };
        for argument in positional {
            called.positional.push(self.execute(*argument, ready, scope)?);
        }
        for (word, argument) in &arguments.named {
            called.named.push((program.names.shared(word.sym), self.execute(*argument, ready, scope)?));
        }
        for spread in &arguments.spread {
            let Value::Dict(dict) = self.execute(*spread, ready, scope)? else { continue };
            for (key, value) in &dict.items {
                if called.named.iter().any(|(name, _)| name == key) {
                    let message = format!("Keyword argument {key} repeated in function call");
                    return Err(Raise::at(Class::Runtime, span, message).into());
                }
                called.named.push((key.clone(), value.clone()));
            }
        }
        Ok(called)
    }

    pub(super) fn call(&mut self, node: NodeId, called: &Called, scope: ScopeId, result: VarId) -> Run<()> {
        let program = self.program;
        let span = program.ast.span(node);
        let name = match program.info(node) {
            Info::Plugin(id) => match program.plugins[id as usize].body {
                Body::Native(native) => native.name,
                _ => "",
            },
            _ => "",
        };
        let arguments = called.positional.iter().chain(called.named.iter().map(|(_, value)| value));
        self.read_arguments(name, arguments, span)?;
        let value = match program.info(node) {
            Info::Cast(to) => operators::cast(to, &called.positional, !called.named.is_empty(), span, self)?,
            Info::Plugin(id) => std::call(self, id, &called.positional, &called.named, scope, node)?,
            _ => return Err(Raise::at(Class::Internal, span, "this cannot be called").into()),
        };
        self.pay(&value, span)?;
        self.set(result, &value, span, true)
    }
}

/// A text with values in place of names. What a value adds is replaced in turn, as in the reference; nothing if the text gets
/// too long.
fn replaced(text: &str, values: &[(&str, String)]) -> Option<String> {
    if values.iter().any(|(_, value)| value.is_empty() || value.contains('{')) {
        let mut made = text.to_string();
        for (written, value) in values {
            made = made.replace(written, value);
            if made.len() > LONGEST {
                return None;
            }
        }
        return Some(made);
    }
    let mut made = String::with_capacity(text.len() + values.iter().map(|(_, value)| value.len()).sum::<usize>());
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|byte| byte == b'{') {
        made.push_str(&rest[..at]);
        rest = &rest[at..];
        let found = values.iter().find_map(|(written, value)| Some((rest.strip_prefix(written)?, value)));
        let (behind, new) = found.map_or((&rest[1..], "{"), |(behind, value)| (behind, value));
        made.push_str(new);
        rest = behind;
        if made.len() > LONGEST {
            return None;
        }
    }
    made.push_str(rest);
    Some(made)
}

fn too_long(span: Span) -> super::Flow {
    let raise = Raise::at(Class::Runtime, span, "a text gets too long").with_code(Code::EvaluationLimit);
    raise.with_help("build a shorter text, or write the parts to files").into()
}

use ::std::sync as std_sync;
