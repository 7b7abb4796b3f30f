//! What a compilation may build. Parts are shared, so a few lines can make a value whose text fits into no memory, or a type
//! that nothing can be compared with: all that is made of other values is measured here.

use super::Evaluator;
use super::stop::{Run, fail};
use crate::lang::puppet::types::{Ty, Type};
use crate::lang::puppet::value::Value;
use crate::source::Span;

/// How many parts a value may have, those of its parts included.
const PARTS: usize = 1_000_000;

/// How many types a type may be made of. An alias counts as one.
const TYPES: usize = 50_000;

/// How deep values may be nested.
const DEPTH: usize = 250;

/// Functions that give a part of what they are given, which was measured when it was made.
const PASS_ON: [&str; 10] =
    ["each", "reverse_each", "dig", "get", "getvar", "lookup", "then", "lest", "with", "unwrap"];

impl Evaluator<'_> {
    /// Counts bytes that were built, freed or not.
    pub fn build(&mut self, bytes: usize, span: Span) -> Run<()> {
        self.built = self.built.saturating_add(bytes as u64);
        if self.built <= self.settings.memory {
            return Ok(());
        }
        let limit = self.settings.memory >> 20;
        fail(span, "RUNTIME_ERROR", format!("more than {limit} MiB of values are built"))
    }

    /// Bytes that may still be built.
    pub fn room(&self) -> usize {
        usize::try_from(self.settings.memory.saturating_sub(self.built)).unwrap_or(usize::MAX)
    }

    /// A value that was just made of others.
    pub fn measured(&mut self, value: Value, span: Span) -> Run {
        self.build(own_size(&value), span)?;
        self.weighed(value, span)
    }

    fn weighed(&self, value: Value, span: Span) -> Run {
        let mut left = PARTS;
        match weigh(&value, DEPTH, &mut left) {
            Ok(()) => Ok(value),
            Err(Excess::Parts) => fail(span, "RUNTIME_ERROR", format!("a value of more than {PARTS} parts")),
            Err(Excess::Depth) => fail(span, "RUNTIME_ERROR", format!("a value nested more than {DEPTH} deep")),
        }
    }

    /// What an operator made of a value and another one, `more`. Only what the other one adds is counted.
    pub fn combined(&mut self, value: Value, more: &Value, span: Span) -> Run {
        self.build(own_size(more), span)?;
        self.weighed(value, span)
    }

    /// What a built-in function gave.
    pub fn given(&mut self, name: &str, value: Value, span: Span) -> Run {
        if PASS_ON.contains(&name) { Ok(value) } else { self.measured(value, span) }
    }

    /// A type that was just made of others.
    pub fn measured_type(&mut self, ty: Ty, span: Span) -> Run<Ty> {
        let mut left = TYPES;
        if weigh_type(&ty, DEPTH, &mut left) {
            return Ok(ty);
        }
        fail(span, "RUNTIME_ERROR", format!("a type of more than {TYPES} types"))
    }
}

enum Excess {
    Parts,
    Depth,
}

/// Roughly what a value takes by itself.
fn own_size(value: &Value) -> usize {
    match value {
        Value::Str(text) | Value::Uri(text) => text.len(),
        Value::Binary(bytes) => bytes.len(),
        Value::Array(list) => list.len() * 8,
        Value::Hash(map) => map.len() * 16,
        Value::Iterator(items) => items.items.len() * 8,
        _ => 0,
    }
}

fn weigh(value: &Value, depth: usize, left: &mut usize) -> Result<(), Excess> {
    let mut take = |count: usize| match left.checked_sub(count) {
        Some(rest) => {
            *left = rest;
            Ok(())
        }
        None => Err(Excess::Parts),
    };
    let depth_below = || depth.checked_sub(1).ok_or(Excess::Depth);
    match value {
        Value::Array(list) => {
            take(list.len())?;
            let below = depth_below()?;
            list.iter().try_for_each(|item| weigh(item, below, left))
        }
        Value::Hash(map) => {
            take(map.len())?;
            let below = depth_below()?;
            map.iter().try_for_each(|(key, item)| {
                weigh(key, below, left)?;
                weigh(item, below, left)
            })
        }
        Value::Iterator(items) => {
            take(items.items.len())?;
            let below = depth_below()?;
            items.items.iter().try_for_each(|item| weigh(item, below, left))
        }
        Value::Object(object) => {
            take(object.attributes.len())?;
            let below = depth_below()?;
            object.attributes.iter().try_for_each(|(_, item)| weigh(item, below, left))
        }
        Value::Sensitive(inner) => weigh(inner, depth_below()?, left),
        Value::Type(ty) => {
            let mut types = TYPES.min(*left);
            if weigh_type(ty, depth_below()?, &mut types) { Ok(()) } else { Err(Excess::Parts) }
        }
        _ => Ok(()),
    }
}

/// Whether a type is made of few enough others.
fn weigh_type(ty: &Ty, depth: usize, left: &mut usize) -> bool {
    let (Some(below), Some(rest)) = (depth.checked_sub(1), left.checked_sub(1)) else { return false };
    *left = rest;
    let mut all = |types: &[Ty]| types.iter().all(|ty| weigh_type(ty, below, left));
    match &**ty {
        Type::Tuple(types, _) | Type::Variant(types) => all(types),
        Type::Struct(members) => members.iter().all(|member| weigh_type(&member.ty, below, left)),
        Type::Hash(key, item, _) => weigh_type(key, below, left) && weigh_type(item, below, left),
        Type::Array(inner, _)
        | Type::Iterable(inner)
        | Type::Iterator(inner)
        | Type::Optional(inner)
        | Type::NotUndef(inner)
        | Type::Meta(inner)
        | Type::Sensitive(inner)
        | Type::Init(Some(inner), _) => weigh_type(inner, below, left),
        Type::Callable(Some(callable)) => {
            all(&callable.params)
                && callable.block.iter().chain(&callable.returns).all(|ty| weigh_type(ty, below, left))
        }
        _ => true,
    }
}
