//! Whether a value is of a type.

use std::cell::RefCell;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::assign::{MAX_DEPTH, within};
use super::{Size, Ty, Type, TypeAlias, assignable, infer};
use crate::lang::puppet::semver::{Range, Version};
use crate::lang::puppet::value::Value;

/// Whether a value is of a type.
pub fn is_instance(ty: &Ty, value: &Value) -> bool {
    instance(ty, value, Walk { depth: 0, known: &RefCell::default() })
}

/// Whether a value with unknown parts certainly is of a type, or certainly is not; nothing where the parts decide.
pub fn known_instance(ty: &Ty, value: &Value) -> Option<bool> {
    let is_instance = is_instance(ty, value);
    // An unknown part is of every type, so the value is of no type that refuses it.
    let is_known = has_known_keys(value, 0) && (!is_instance || is_plain(ty));
    is_known.then_some(is_instance)
}

/// Whether a type takes values without regard to their parts.
fn is_plain(ty: &Ty) -> bool {
    let is_any = |ty: &Ty| matches!(**ty, Type::Any);
    match &**ty {
        Type::Any | Type::Collection(_) => true,
        Type::Array(item, _) => is_any(item),
        Type::Hash(key, item, _) => is_any(key) && is_any(item),
        Type::Optional(inner) | Type::NotUndef(inner) => is_plain(inner),
        Type::Variant(types) => types.iter().all(is_plain),
        _ => false,
    }
}

/// Whether a value is known as a whole, and the keys of all hashes in it are.
fn has_known_keys(value: &Value, depth: usize) -> bool {
    match value {
        _ if depth > MAX_DEPTH => false,
        Value::Array(list) => {
            list.iter().all(|item| matches!(item, Value::Unknown(_)) || has_known_keys(item, depth + 1))
        }
        Value::Hash(map) => map.iter().all(|(key, item)| {
            has_known_keys(key, depth + 1) && (matches!(item, Value::Unknown(_)) || has_known_keys(item, depth + 1))
        }),
        Value::Unknown(_) => false,
        Value::Sensitive(inner) => has_known_keys(inner, depth + 1),
        Value::Iterator(_) => false,
        _ => true,
    }
}

/// One check of a value: how deep it is, and which pairs of an alias and a value are known.
#[derive(Clone, Copy)]
struct Walk<'k> {
    depth: usize,
    known: &'k RefCell<FxHashMap<(usize, usize), bool>>,
}

impl Walk<'_> {
    fn deeper(self) -> Self {
        Self { depth: self.depth + 1, ..self }
    }

    /// Whether a value is of an alias. Each pair is looked at once: aliases can name each other twice at each level.
    fn alias(self, alias: &Arc<TypeAlias>, value: &Value) -> bool {
        let pair = (Arc::as_ptr(alias).addr(), std::ptr::from_ref(value).addr());
        if let Some(known) = self.known.borrow().get(&pair) {
            return *known;
        }
        // A type that is nothing but itself has no value of its own.
        self.known.borrow_mut().insert(pair, false);
        let holds = alias.resolved.get().is_some_and(|ty| instance(ty, value, self.deeper()));
        self.known.borrow_mut().insert(pair, holds);
        holds
    }
}

fn instance(ty: &Ty, value: &Value, walk: Walk<'_>) -> bool {
    if walk.depth > MAX_DEPTH {
        return false;
    }
    let all = |ty: &Ty, mut values: std::slice::Iter<'_, Value>| values.all(|v| instance(ty, v, walk.deeper()));
    match (&**ty, value) {
        (Type::Any | Type::Unit, _) | (_, Value::Unknown(None)) => true,
        (Type::Alias(alias), _) => walk.alias(alias, value),
        (Type::Variant(types), _) => types.iter().any(|t| instance(t, value, walk.deeper())),
        (Type::Optional(inner), _) => matches!(value, Value::Undef) || instance(inner, value, walk.deeper()),
        (Type::NotUndef(inner), _) => !matches!(value, Value::Undef) && instance(inner, value, walk.deeper()),
        (Type::Array(inner, size), Value::Array(list)) => within(*size, list.len()) && all(inner, list.iter()),
        (Type::Tuple(types, size), Value::Array(list)) => {
            let size = size.unwrap_or(Size::exactly(types.len()));
            within(size, list.len())
                && list
                    .iter()
                    .enumerate()
                    .all(|(i, v)| types.get(i).or(types.last()).is_none_or(|t| instance(t, v, walk.deeper())))
        }
        (Type::Hash(key, item, size), Value::Hash(map)) => {
            within(*size, map.len())
                && map.iter().all(|(k, v)| instance(key, k, walk.deeper()) && instance(item, v, walk.deeper()))
        }
        (Type::Struct(members), Value::Hash(map)) => {
            let mut found = 0;
            for member in members {
                match map.get(&Value::Str(member.name.clone())) {
                    Some(value) => {
                        found += 1;
                        if !instance(&member.ty, value, walk.deeper()) {
                            return false;
                        }
                    }
                    None if member.is_optional => {}
                    None if !member.is_not_undef && instance(&member.ty, &Value::Undef, walk.deeper()) => {}
                    None => return false,
                }
            }
            found == map.len()
        }
        (Type::Collection(size), Value::Array(list)) => within(*size, list.len()),
        (Type::Collection(size), Value::Hash(map)) => within(*size, map.len()),
        (
            Type::String(_)
            | Type::Literal(_)
            | Type::Enum { .. }
            | Type::Pattern(_)
            | Type::Scalar
            | Type::ScalarData
            | Type::Data
            | Type::RichData
            | Type::RichDataKey
            | Type::Init(..),
            Value::Unknown(Some(_)),
        ) => true,
        (_, Value::Unknown(Some(_))) => false,
        (Type::Iterable(inner), Value::Array(list)) => all(inner, list.iter()),
        (Type::Iterable(inner) | Type::Iterator(inner), Value::Iterator(items)) => all(inner, items.items.iter()),
        (Type::Data, _) => data(value, walk.depth, false),
        (Type::RichData, _) => data(value, walk.depth, true),
        (Type::Object(Some(wanted)), Value::Object(object)) if !wanted.params.is_empty() => {
            assignable(
                &Type::Object(Some(Arc::new(super::ObjectType { params: Vec::new(), ..(**wanted).clone() }))).into(),
                &object.ty,
            ) && super::object::params_hold(&wanted.params, &object.attributes)
        }
        (Type::SemVer(ranges), Value::SemVer(version)) => in_ranges(ranges, version),
        (Type::Sensitive(inner), Value::Sensitive(value)) => {
            instance(inner, value, walk.deeper()) || assignable(&super::generalise(inner), &super::infer_generic(value))
        }
        (Type::Init(Some(inner), _), Value::Str(text)) if matches!(**inner, Type::Integer(..)) => {
            !text.contains('.') && super::new::new(inner, std::slice::from_ref(value)).is_ok()
        }
        (Type::Init(inner, args), _) => match inner {
            None => true,
            Some(inner) => {
                instance(inner, value, walk.deeper()) || {
                    let mut all = vec![value.clone()];
                    all.extend(args.iter().cloned());
                    let by_list = match value {
                        Value::Array(list) if args.is_empty() => super::new::new(inner, list).is_ok(),
                        _ => false,
                    };
                    super::new::new(inner, &all).is_ok() || by_list
                }
            }
        },
        (Type::Uri(parts), Value::Uri(text)) => uri_matches(parts, text),
        (Type::Meta(inner), Value::Type(other)) => assignable(inner, other),
        (Type::CatalogEntry, Value::Type(other)) => {
            matches!(**other, Type::Resource(..) | Type::Class(_) | Type::CatalogEntry)
        }
        (Type::Resource(..) | Type::Class(_), Value::Type(other)) => assignable(ty, other),
        (Type::Resource(..) | Type::Class(_) | Type::CatalogEntry, _) => false,
        (_, Value::Array(_) | Value::Hash(_)) => matches!(**ty, Type::Iterable(_)) && assignable(ty, &infer(value)),
        _ => assignable(ty, &infer(value)),
    }
}

fn data(value: &Value, depth: usize, rich: bool) -> bool {
    if depth > MAX_DEPTH {
        return false;
    }
    match value {
        Value::Undef | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Str(_) | Value::Unknown(_) => true,
        Value::Array(list) => list.iter().all(|v| data(v, depth + 1, rich)),
        Value::Hash(map) => map.iter().all(|(k, v)| {
            let key = matches!(k, Value::Str(_) | Value::Unknown(_)) || rich && data(k, depth + 1, rich);
            key && data(v, depth + 1, rich)
        }),
        Value::Iterator(_) => false,
        _ => rich,
    }
}

fn uri_matches(parts: &[(Arc<str>, Value)], text: &str) -> bool {
    let own = super::uri_parts(text);
    parts.iter().all(|(name, wanted)| part_matches(wanted, own.iter().find(|(n, _)| n == name).map(|(_, v)| v)))
}

/// Whether a part of a URI is as a type wants it.
pub(super) fn part_matches(wanted: &Value, found: Option<&Value>) -> bool {
    match (wanted, found) {
        (Value::Type(ty), found) => is_instance(ty, found.unwrap_or(&Value::Undef)),
        (Value::Regexp(regexp), Some(Value::Str(text))) => regexp.is_match(text).unwrap_or(false),
        (Value::Undef, found) => found.is_none(),
        (wanted, Some(found)) => wanted == found,
        (_, None) => false,
    }
}

pub(super) fn in_ranges(ranges: &[Arc<str>], version: &Version) -> bool {
    ranges.is_empty()
        || ranges.iter().any(|range| {
            Version::parse(range).is_some_and(|v| v.compare(version).is_eq())
                || Range::parse(range).is_some_and(|r| r.includes(version))
        })
}
