//! From a value to its type, and from several types to one.

use super::{Bound, Member, Size, Ty, Type, assignable};
use crate::lang::puppet::value::Value;

/// The exact type of a value.
pub fn infer(value: &Value) -> Ty {
    match value {
        Value::Undef => Type::Undef,
        Value::Default => Type::Default,
        Value::Bool(value) => Type::Boolean(Some(*value)),
        Value::Int(value) => Type::Integer(*value, *value),
        Value::Float(value) => Type::Float(Bound(*value), Bound(*value)),
        Value::Str(text) => Type::Literal(text.clone()),
        Value::Regexp(regexp) => Type::Regexp(Some(regexp.source.clone())),
        Value::Array(list) if list.is_empty() => Type::Array(Type::Unit.into(), Size::exactly(0)),
        Value::Array(list) => Type::Tuple(list.iter().map(infer).collect(), None),
        Value::Iterator(items) => {
            return Type::Iterator(one_of(items.items.iter().map(infer))).into();
        }
        Value::Hash(map) if map.is_empty() => Type::Hash(Type::Unit.into(), Type::Unit.into(), Size::exactly(0)),
        Value::Hash(map) => {
            let name = |key: &Value| match key {
                Value::Str(name) if !name.is_empty() => Some(name.clone()),
                _ => None,
            };
            // The keys first: types of values that are nested deeply cost much.
            match map.keys().map(name).collect::<Option<Vec<_>>>() {
                Some(names) => {
                    let types = names.into_iter().zip(map.values().map(infer));
                    let member = |(name, ty)| Member { name, is_optional: false, is_not_undef: false, ty };
                    Type::Struct(types.map(member).collect())
                }
                None => {
                    let size = Size::exactly(map.len());
                    Type::Hash(one_of(map.keys().map(infer)), one_of(map.values().map(infer)), size)
                }
            }
        }
        Value::Type(ty) => Type::Meta(ty.clone()),
        Value::Object(object) => return super::object::exact(object),
        Value::Sensitive(inner) => Type::Sensitive(generalise(&infer(inner))),
        Value::Timespan(value) => Type::Timespan(*value, *value),
        Value::Timestamp(value) => Type::Timestamp(*value, *value),
        Value::SemVer(version) => Type::SemVer(vec![version.to_string().into()]),
        Value::SemVerRange(_) => Type::SemVerRange,
        Value::Binary(_) => Type::Binary,
        Value::Uri(text) => Type::Uri(super::uri_parts(text)),
        Value::Unknown(None) => Type::Any,
        Value::Unknown(Some(_)) => Type::String(Size::ANY),
    }
    .into()
}

/// The types of several values, each once.
fn one_of(types: impl Iterator<Item = Ty>) -> Ty {
    let found: Vec<Ty> = types.collect();
    if found.is_empty() { Type::Unit.into() } else { variant(found) }
}

/// The type without what is particular about the value.
pub fn infer_generic(value: &Value) -> Ty {
    match value {
        Value::Array(list) if list.is_empty() => Type::Array(Type::Unit.into(), Size::ANY).into(),
        Value::Hash(map) if map.is_empty() => infer(value),
        _ => generalise(&reduced(value)),
    }
}

/// Arrays as arrays and hashes as hashes.
pub fn reduced(value: &Value) -> Ty {
    match value {
        Value::Array(list) if !list.is_empty() => {
            Type::Array(common_of(list.iter().map(reduced)), Size::exactly(list.len())).into()
        }
        Value::Hash(map) if !map.is_empty() => {
            let size = Size::exactly(map.len());
            Type::Hash(common_of(map.keys().map(reduced)), common_of(map.values().map(reduced)), size).into()
        }
        other => infer(other),
    }
}

/// The same type without bounds.
pub fn generalise(ty: &Ty) -> Ty {
    match &**ty {
        Type::Integer(..) => Type::Integer(i64::MIN, i64::MAX).into(),
        Type::Float(..) => Type::Float(Bound(f64::NEG_INFINITY), Bound(f64::INFINITY)).into(),
        Type::String(_) | Type::Literal(_) => Type::String(Size::ANY).into(),
        Type::Enum { values, .. } if !values.is_empty() => {
            let lengths = || values.iter().map(|v| v.chars().count() as i64);
            Type::String(Size { from: lengths().min().unwrap_or(0), to: lengths().max().unwrap_or(i64::MAX) }).into()
        }
        Type::Enum { .. } => ty.clone(),
        Type::Boolean(_) => Type::Boolean(None).into(),
        Type::Pattern(_) => Type::Pattern(Vec::new()).into(),
        Type::Timespan(..) => Type::Timespan(i128::MIN, i128::MAX).into(),
        Type::Timestamp(..) => Type::Timestamp(i128::MIN, i128::MAX).into(),
        Type::SemVer(_) => Type::SemVer(Vec::new()).into(),
        Type::Collection(_) => Type::Collection(Size::ANY).into(),
        Type::Array(inner, _) if matches!(**inner, Type::Unit) => Type::Array(Type::Any.into(), Size::ANY).into(),
        Type::Array(inner, _) => Type::Array(generalise(inner), Size::ANY).into(),
        Type::Tuple(types, _) => Type::Tuple(types.iter().map(generalise).collect(), None).into(),
        Type::Hash(key, _, _) if matches!(**key, Type::Unit) => {
            Type::Hash(Type::Any.into(), Type::Any.into(), Size::ANY).into()
        }
        Type::Hash(key, value, _) => Type::Hash(generalise(key), generalise(value), Size::ANY).into(),
        Type::Struct(members) => {
            let members = members.iter().map(|m| Member { ty: generalise(&m.ty), ..m.clone() });
            Type::Struct(members.collect()).into()
        }
        Type::Iterable(inner) => Type::Iterable(generalise(inner)).into(),
        Type::Iterator(inner) => Type::Iterator(generalise(inner)).into(),
        Type::Variant(types) => variant(types.iter().map(generalise).collect()),
        Type::Optional(inner) => Type::Optional(generalise(inner)).into(),
        Type::NotUndef(inner) => Type::NotUndef(generalise(inner)).into(),
        Type::Meta(inner) => Type::Meta(generalise(inner)).into(),
        Type::Sensitive(inner) => Type::Sensitive(generalise(inner)).into(),
        Type::Runtime(..) => Type::Runtime(None, None).into(),
        Type::Resource(name, _) => Type::Resource(name.clone(), None).into(),
        Type::Class(_) => Type::Class(None).into(),
        _ => ty.clone(),
    }
}

/// A variant of different types; one type stays itself.
pub fn variant(types: Vec<Ty>) -> Ty {
    let mut out: Vec<Ty> = Vec::new();
    for ty in types {
        if !out.contains(&ty) {
            out.push(ty);
        }
    }
    if out.len() == 1 { out.remove(0) } else { Type::Variant(out).into() }
}

fn common_of(mut types: impl Iterator<Item = Ty>) -> Ty {
    match types.next() {
        None => Type::Unit.into(),
        Some(first) => types.fold(first, |a, b| common(&a, &b)),
    }
}

fn size_of(ty: &Type) -> Option<Size> {
    match ty {
        Type::Array(_, size) | Type::Hash(_, _, size) | Type::Collection(size) => Some(*size),
        Type::Tuple(types, size) => Some(size.unwrap_or(Size::exactly(types.len()))),
        Type::Struct(members) => {
            Some(Size { from: members.iter().filter(|m| !m.is_optional).count() as i64, to: members.len() as i64 })
        }
        _ => None,
    }
}

fn hull(a: Size, b: Size) -> Size {
    Size { from: a.from.min(b.from), to: a.to.max(b.to) }
}

/// The narrowest type that holds both.
pub fn common(a: &Ty, b: &Ty) -> Ty {
    if assignable(a, b) {
        return a.clone();
    }
    if assignable(b, a) {
        return b.clone();
    }
    match (&**a, &**b) {
        (Type::Integer(a, b), Type::Integer(c, d)) => Type::Integer(*a.min(c), *b.max(d)).into(),
        (Type::Float(a, b), Type::Float(c, d)) => Type::Float(Bound(a.0.min(c.0)), Bound(b.0.max(d.0))).into(),
        (Type::Timespan(a, b), Type::Timespan(c, d)) => Type::Timespan(*a.min(c), *b.max(d)).into(),
        (Type::Timestamp(a, b), Type::Timestamp(c, d)) => Type::Timestamp(*a.min(c), *b.max(d)).into(),
        (Type::Literal(a), Type::Literal(b)) => {
            Type::Enum { values: vec![a.clone(), b.clone()], ignores_case: false }.into()
        }
        (Type::Enum { values, .. }, Type::Literal(text)) | (Type::Literal(text), Type::Enum { values, .. }) => {
            let mut values = values.clone();
            if !values.contains(text) {
                values.push(text.clone());
            }
            Type::Enum { values, ignores_case: false }.into()
        }
        (Type::Enum { values: a, .. }, Type::Enum { values: b, .. }) => {
            let mut values = a.clone();
            values.extend(b.iter().filter(|v| !a.contains(v)).cloned());
            Type::Enum { values, ignores_case: false }.into()
        }
        (Type::String(a), Type::String(b)) => Type::String(hull(*a, *b)).into(),
        (Type::Array(a, m), Type::Array(b, n)) => Type::Array(common(a, b), hull(*m, *n)).into(),
        (Type::Tuple(a, None), Type::Tuple(b, None)) if a.len() == b.len() => {
            Type::Tuple(a.iter().zip(b).map(|(a, b)| common(a, b)).collect(), None).into()
        }
        (Type::Hash(a, b, m), Type::Hash(c, d, n)) => Type::Hash(common(a, c), common(b, d), hull(*m, *n)).into(),
        (Type::Meta(a), Type::Meta(b)) => Type::Meta(common(a, b)).into(),
        (Type::Sensitive(a), Type::Sensitive(b)) => Type::Sensitive(common(a, b)).into(),
        (Type::Pattern(a), Type::Pattern(b)) => {
            let mut all = a.clone();
            all.extend(b.iter().filter(|p| !a.contains(p)).cloned());
            Type::Pattern(all).into()
        }
        (Type::Regexp(_), Type::Regexp(_)) => Type::Regexp(None).into(),
        (Type::Boolean(_), Type::Boolean(_)) => Type::Boolean(None).into(),
        (Type::Resource(a, _), Type::Resource(b, _)) if a == b => Type::Resource(a.clone(), None).into(),
        (Type::Resource(..), Type::Resource(..)) => Type::Resource(None, None).into(),
        (Type::Class(_), Type::Class(_)) => Type::Class(None).into(),
        (Type::Resource(..) | Type::Class(_), Type::Resource(..) | Type::Class(_)) => Type::CatalogEntry.into(),
        _ => wide(a, b),
    }
}

fn wide(a: &Ty, b: &Ty) -> Ty {
    let both = |ty: Type| {
        let ty: Ty = ty.into();
        (assignable(&ty, a) && assignable(&ty, b)).then_some(ty)
    };
    if let (Some(m), Some(n)) = (size_of(a), size_of(b))
        && let Some(found) = both(Type::Collection(hull(m, n)))
    {
        return found;
    }
    both(Type::String(Size::ANY))
        .or_else(|| both(Type::Numeric))
        .or_else(|| both(Type::ScalarData))
        .or_else(|| both(Type::Scalar))
        .or_else(|| both(Type::Data))
        .or_else(|| both(Type::RichData))
        .unwrap_or_else(|| Type::Any.into())
}
