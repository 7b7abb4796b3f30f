//! Types of names and parameters: `Integer`, `Integer[1, 10]`.

use std::sync::LazyLock;

use super::{Bound, Callable, Member, Size, Ty, Type, is_instance, parse_timespan, parse_timestamp};
use crate::lang::puppet::ast::Text;
use crate::lang::puppet::issue::IssueName;
use crate::lang::puppet::semver::Range;
use crate::lang::puppet::stop::{About, Computed, Problem};
use crate::lang::puppet::value::{Value, flattened};
use crate::lang::ruby::regexp::Regexp;

/// The core types by their names.
static KNOWN: LazyLock<Vec<(&str, Ty)>> = LazyLock::new(|| {
    let any = || -> Ty { Type::Any.into() };
    let types = [
        ("Any", Type::Any),
        ("Undef", Type::Undef),
        ("Default", Type::Default),
        ("Scalar", Type::Scalar),
        ("ScalarData", Type::ScalarData),
        ("Numeric", Type::Numeric),
        ("Data", Type::Data),
        ("RichData", Type::RichData),
        ("RichDataKey", Type::RichDataKey),
        ("Integer", Type::Integer(i64::MIN, i64::MAX)),
        ("Float", Type::Float(Bound(f64::NEG_INFINITY), Bound(f64::INFINITY))),
        ("String", Type::String(Size::ANY)),
        ("Boolean", Type::Boolean(None)),
        ("Enum", Type::Enum { values: Vec::new(), ignores_case: false }),
        ("Pattern", Type::Pattern(Vec::new())),
        ("Regexp", Type::Regexp(None)),
        ("Timespan", Type::Timespan(i128::MIN, i128::MAX)),
        ("Timestamp", Type::Timestamp(i128::MIN, i128::MAX)),
        ("SemVer", Type::SemVer(Vec::new())),
        ("SemVerRange", Type::SemVerRange),
        ("Binary", Type::Binary),
        ("URI", Type::Uri(Vec::new())),
        ("Collection", Type::Collection(Size::ANY)),
        ("Array", Type::Array(any(), Size::ANY)),
        ("Tuple", Type::Tuple(Vec::new(), Some(Size::ANY))),
        ("Hash", Type::Hash(any(), any(), Size::ANY)),
        ("Struct", Type::Struct(Vec::new())),
        ("Iterable", Type::Iterable(any())),
        ("Iterator", Type::Iterator(any())),
        ("Variant", Type::Variant(Vec::new())),
        ("Optional", Type::Optional(any())),
        ("NotUndef", Type::NotUndef(any())),
        ("Type", Type::Meta(any())),
        ("Callable", Type::Callable(None)),
        ("Sensitive", Type::Sensitive(any())),
        ("Init", Type::Init(None, Vec::new())),
        ("Object", Type::Object(None)),
        ("TypeSet", Type::TypeSet(None)),
        ("TypeReference", Type::Reference("UnresolvedReference".into())),
        ("Runtime", Type::Runtime(None, None)),
        ("CatalogEntry", Type::CatalogEntry),
        ("Resource", Type::Resource(None, None)),
        ("Class", Type::Class(None)),
        ("Deferred", Type::Deferred),
    ];
    types.map(|(name, ty)| (name, ty.into())).into_iter().chain([("Error", super::object::error())]).collect()
});

/// The names of the core types.
pub fn names() -> impl Iterator<Item = &'static str> {
    KNOWN.iter().map(|(name, _)| *name)
}

/// A core type by its name.
pub fn named(name: &str) -> Option<Ty> {
    let (_, ty) = KNOWN.iter().find(|(known, _)| known.eq_ignore_ascii_case(name))?;
    Some(ty.clone())
}

fn arity(name: &str, allowed: &str, got: usize) -> Problem {
    Problem::new(
        IssueName::BadTypeSliceArity,
        format!("{name}[] cannot be used with {got} arguments; it takes {allowed}"),
    )
}

fn bad(name: &str, key: &Value) -> Problem {
    Problem::new(
        IssueName::BadTypeSliceType,
        format!("{name}[] arguments must be types. Got {}", super::infer_generic(key)),
    )
    .about(About::Key(0))
}

/// A key of a kind that the type does not take.
fn special(key: &Value, expected: &str) -> Problem {
    let got = super::infer_generic(key);
    let problem =
        Problem::new(IssueName::BadTypeSpecialization, format!("Cannot use {got} where {expected} is expected"))
            .about(About::Key(0));
    match key {
        // A word that begins with a capital letter is the name of a type.
        Value::Type(ty) if expected == "String" => {
            problem.help(format!("a text has quotes: write `'{ty}'`, with the letters as they are meant"))
        }
        _ => problem,
    }
}

fn ty(name: &str, key: &Value) -> Computed<Ty> {
    match key {
        Value::Type(ty) => Ok(ty.clone()),
        other => Err(bad(name, other)),
    }
}

fn types(keys: &[Value]) -> Computed<Vec<Ty>> {
    let mut out = Vec::new();
    for key in keys {
        match key {
            Value::Array(list) => out.extend(types(list)?),
            Value::Type(ty) => out.push(ty.clone()),
            key => return Err(special(key, "Any-Type")),
        }
    }
    Ok(out)
}

fn text(key: &Value) -> Computed<Text> {
    match key {
        Value::Str(text) => Ok(text.clone()),
        other => Err(special(other, "String")),
    }
}

fn bound(name: &str, code: IssueName, key: Option<&Value>, open: i64) -> Computed<i64> {
    match key {
        None | Some(Value::Default) => Ok(open),
        Some(Value::Int(value)) => Ok(*value),
        Some(other) => {
            let got = super::infer_generic(other);
            let message = format!("{name}[] requires all arguments to be integers (or default). Got {got}");
            let problem = Problem::new(code, message);
            Err(match (name, other) {
                ("Array", Value::Type(_)) => problem
                    .help("the second argument is the smallest size; for several types write `Array[Variant[A, B]]`"),
                _ => problem,
            })
        }
    }
}

/// A size from one or two keys.
fn size(name: &str, keys: &[Value]) -> Computed<Size> {
    if keys.len() > 2 {
        return Err(arity(name, "a size of one or two integers", keys.len()));
    }
    if let [Value::Type(ty)] = keys
        && let Type::Integer(from, to) = **ty
    {
        return Ok(Size { from: from.max(0), to });
    }
    let code = IssueName::BadCollectionSliceType;
    let bound = |key, open| bound(name, code, key, open).map_err(|problem| problem.about(About::Key(1)));
    let from = bound(keys.first(), 0)?;
    let to = bound(keys.get(1), i64::MAX)?;
    if from > to {
        return Err(Problem::runtime(format!("A size of {name} may not go from {from} to {to}")));
    }
    let from = from.max(0);
    Ok(Size { from, to })
}

fn is_size(key: &Value) -> bool {
    matches!(key, Value::Int(_) | Value::Default)
}

/// The types at the front and the size at the end.
fn with_size(keys: &[Value]) -> (&[Value], &[Value]) {
    let count = keys.iter().rev().take_while(|k| is_size(k)).count().min(2);
    keys.split_at(keys.len() - count)
}

/// The parts of a URI by their names.
fn written_parts(map: &crate::lang::puppet::value::Map) -> Computed<Vec<(Text, Value)>> {
    map.iter().map(|(name, part)| Ok((text(name)?, part.clone()))).collect()
}

/// A type with parameters.
pub fn parameterise(base: &Ty, name: &str, keys: &[Value]) -> Computed<Ty> {
    let flat;
    let keys = match &**base {
        Type::Callable(_) | Type::Init(..) | Type::Struct(_) => keys,
        _ => {
            flat = flattened(keys);
            &flat[..]
        }
    };
    let made = match &**base {
        Type::Integer(..) => integer(name, keys)?,
        Type::Float(..) => float(keys)?,
        Type::String(_) => match keys {
            [_] | [_, _] => Type::String(size(name, keys)?),
            _ => return Err(Problem::new(IssueName::BadStringSliceArity, "String[] takes one or two arguments")),
        },
        Type::Boolean(_) => match keys {
            [Value::Bool(value)] => Type::Boolean(Some(*value)),
            [other] => return Err(special(other, "Boolean")),
            _ => return Err(arity(name, "one", keys.len())),
        },
        Type::Enum { .. } => enumeration(name, keys)?,
        Type::Pattern(_) => pattern(keys)?,
        Type::Regexp(_) => match keys {
            [Value::Regexp(regexp)] => Type::Regexp(Some(regexp.source.clone())),
            [Value::Str(text)] => Type::Regexp(Some(text.clone())),
            [Value::Default] => Type::Regexp(None),
            [other] => return Err(special(other, "String or Regexp")),
            _ => return Err(arity(name, "one", keys.len())),
        },
        Type::Timespan(..) => timespan(base, name, keys)?,
        Type::Timestamp(..) => timestamp(name, keys)?,
        Type::SemVer(_) => versions(keys)?,
        Type::Uri(_) => match keys {
            [Value::Hash(map)] => Type::Uri(written_parts(map)?),
            [Value::Str(uri)] | [Value::Uri(uri)] => Type::Uri(super::uri_parts(uri)),
            [other] => return Err(bad(name, other)),
            _ => return Err(arity(name, "one", keys.len())),
        },
        Type::Collection(_) => Type::Collection(size(name, keys)?),
        Type::Array(..) => match keys {
            [first, _] if !matches!(first, Value::Type(_)) => Type::Array(Type::Any.into(), size(name, keys)?),
            [first, rest @ ..] if rest.len() <= 2 => Type::Array(ty(name, first)?, size(name, rest)?),
            _ => return Err(arity(name, "one to three", keys.len())),
        },
        Type::Hash(..) => match keys {
            [Value::Int(_) | Value::Default, _] => Type::Hash(Type::Any.into(), Type::Any.into(), size(name, keys)?),
            [key, item, rest @ ..] if rest.len() <= 2 => Type::Hash(ty(name, key)?, ty(name, item)?, size(name, rest)?),
            [only, ..] if !matches!(only, Value::Type(_)) => return Err(bad(name, only)),
            [_, second, ..] if !matches!(second, Value::Type(_)) => return Err(bad(name, second)),
            _ => return Err(arity(name, "two to four", keys.len())),
        },
        Type::Tuple(..) => {
            let (front, rest) = with_size(keys);
            let list = types(front)?;
            if list.is_empty() {
                return Err(arity(name, "at least one", 0));
            }
            Type::Tuple(list, if rest.is_empty() { None } else { Some(size(name, rest)?) })
        }
        Type::Struct(_) => match keys {
            [Value::Hash(map)] => {
                let members = map.iter().map(|(key, item)| member(key, item));
                Type::Struct(members.collect::<Computed<_>>()?)
            }
            [other] => return Err(special(other, "Hash")),
            _ => return Err(arity(name, "one", keys.len())),
        },
        Type::Iterable(_)
        | Type::Iterator(_)
        | Type::Meta(_)
        | Type::Sensitive(_)
        | Type::Variant(_)
        | Type::Optional(_)
        | Type::NotUndef(_) => return around(base, name, keys),
        Type::Callable(_) => return callable(name, keys),
        Type::Init(..) => match keys {
            [first, rest @ ..] => {
                let inner = match first {
                    Value::Default => None,
                    other => Some(ty(name, other)?),
                };
                Type::Init(inner, rest.to_vec())
            }
            [] => return Err(arity(name, "at least one", 0)),
        },
        Type::Runtime(..) => match keys {
            [language, what] => Type::Runtime(Some(text(language)?), Some(text(what)?)),
            _ => return Err(arity(name, "two", keys.len())),
        },
        Type::Object(None) => match keys {
            [init @ Value::Hash(_)] => return super::object(None, init),
            _ => return Err(arity(name, "one hash", keys.len())),
        },
        Type::TypeSet(None) => match keys {
            [init @ Value::Hash(_)] => return super::object::type_set(None, init),
            _ => return Err(arity(name, "one hash", keys.len())),
        },
        Type::Reference(_) => match keys {
            [Value::Str(reference)] => Type::Reference(reference.clone()),
            _ => return Err(arity(name, "one string", keys.len())),
        },
        Type::Alias(alias) => match alias.resolved.get() {
            Some(inner) if matches!(**inner, Type::Object(_)) => return parameterise(inner, name, keys),
            _ => {
                let problem = Problem::new(IssueName::BadTypeSpecialization, format!("{name} cannot be parameterised"));
                return Err(problem.about(About::Key(0)));
            }
        },
        Type::Error => return Ok(base.clone()),
        Type::Object(Some(object)) => return super::object::parameterise(base, object, keys),
        _ => {
            return Err(Problem::new(
                IssueName::OperatorNotApplicable,
                format!("Operator '[]' is not applicable to the type {name}."),
            ));
        }
    };
    Ok(made.into())
}

/// `Integer[low, high]`.
fn integer(name: &str, keys: &[Value]) -> Computed<Type> {
    if keys.is_empty() || keys.len() > 2 {
        return Err(Problem::new(IssueName::BadIntegerSliceArity, "Integer[] takes one or two arguments"));
    }
    let code = IssueName::BadIntegerSliceType;
    let (low, high) = (bound(name, code, keys.first(), i64::MIN)?, bound(name, code, keys.get(1), i64::MAX)?);
    if low > high {
        return Err(Problem::runtime(format!(
            "The lower bound must be less than or equal to the upper bound, got {low} and {high}"
        )));
    }
    Ok(Type::Integer(low, high))
}

/// `Float[low, high]`.
fn float(keys: &[Value]) -> Computed<Type> {
    let float = |key: Option<&Value>, open: f64| match key {
        None | Some(Value::Default) => Ok(open),
        Some(Value::Int(value)) => Ok(*value as f64),
        Some(Value::Float(value)) => Ok(*value),
        Some(other) => Err(Problem::new(
            IssueName::BadIntegerSliceType,
            format!("Float[] takes numbers, got {}", super::infer_generic(other)),
        )),
    };
    if keys.is_empty() || keys.len() > 2 {
        return Err(Problem::new(IssueName::BadIntegerSliceArity, "Float[] takes one or two arguments"));
    }
    let (low, high) = (float(keys.first(), f64::NEG_INFINITY)?, float(keys.get(1), f64::INFINITY)?);
    if low > high {
        return Err(Problem::runtime("The lower bound must be less than or equal to the upper bound"));
    }
    Ok(Type::Float(Bound(low), Bound(high)))
}

/// `Enum[value, …]`, perhaps with `true` behind the values.
fn enumeration(name: &str, keys: &[Value]) -> Computed<Type> {
    let (ignores_case, keys) = match keys.split_last() {
        Some((Value::Bool(value), rest)) => (*value, rest),
        _ => (false, keys),
    };
    let mut values = keys.iter().map(text).collect::<Computed<Vec<Text>>>()?;
    if values.is_empty() {
        return Err(arity(name, "at least one", 0));
    }
    values.sort();
    values.dedup();
    Ok(Type::Enum { values, ignores_case })
}

/// `Pattern[expression, …]`.
fn pattern(keys: &[Value]) -> Computed<Type> {
    let mut sources: Vec<Text> = Vec::new();
    for key in keys {
        match key {
            Value::Regexp(regexp) => sources.push(regexp.source.clone()),
            Value::Str(text) => sources.push(text.clone()),
            Value::Type(ty) => match &**ty {
                Type::Regexp(source) => sources.extend(source.clone()),
                Type::Pattern(inner) => sources.extend(inner.iter().cloned()),
                _ => return Err(special(key, "String or Regexp or Pattern-Type or Regexp-Type")),
            },
            other => return Err(special(other, "String or Regexp or Pattern-Type or Regexp-Type")),
        }
    }
    for source in &sources {
        Regexp::new(source.clone()).compiled().map(|_| ()).map_err(Problem::regexp)?;
    }
    Ok(Type::Pattern(sources))
}

/// `Timespan[from, to]`.
fn timespan(base: &Ty, name: &str, keys: &[Value]) -> Computed<Type> {
    let at = |key: Option<&Value>, open: i128| match key {
        None | Some(Value::Default) => Ok(open),
        Some(Value::Timespan(value)) => Ok(*value),
        Some(Value::Int(value)) => Ok(i128::from(*value) * 1_000_000_000),
        Some(Value::Float(value)) => Ok((value * 1e9) as i128),
        Some(Value::Str(text)) => parse_timespan(text, &[]),
        Some(Value::Hash(_)) => super::new::new(base, &[key.cloned().unwrap_or(Value::Undef)]).and_then(|v| match v {
            Value::Timespan(value) => Ok(value),
            _ => Err(arity(name, "one or two", 1)),
        }),
        Some(other) => Err(bad(name, other)),
    };
    if keys.len() > 2 {
        return Err(arity(name, "at most two", keys.len()));
    }
    Ok(Type::Timespan(at(keys.first(), i128::MIN)?, at(keys.get(1), i128::MAX)?))
}

/// `Timestamp[from, to]`.
fn timestamp(name: &str, keys: &[Value]) -> Computed<Type> {
    let at = |key: Option<&Value>, open: i128| match key {
        None | Some(Value::Default) => Ok(open),
        Some(Value::Timestamp(value)) => Ok(*value),
        Some(Value::Int(value)) => Ok(i128::from(*value) * 1_000_000_000),
        Some(Value::Float(value)) => Ok((value * 1e9) as i128),
        Some(Value::Str(text)) => parse_timestamp(text, &[], None),
        Some(other) => Err(bad(name, other)),
    };
    if keys.len() > 2 {
        return Err(arity(name, "at most two", keys.len()));
    }
    Ok(Type::Timestamp(at(keys.first(), i128::MIN)?, at(keys.get(1), i128::MAX)?))
}

/// `SemVer[range, …]`.
fn versions(keys: &[Value]) -> Computed<Type> {
    let mut ranges = Vec::new();
    for key in keys {
        match key {
            Value::Str(text) if Range::parse(text).is_some() => ranges.push(text.clone()),
            Value::SemVerRange(range) => ranges.push(range.text.clone()),
            Value::Str(text) => {
                return Err(Problem::runtime(format!("Unparsable version range: \"{text}\"")));
            }
            other => return Err(special(other, "String or VersionRange")),
        }
    }
    Ok(Type::SemVer(crate::lang::puppet::semver::merged(ranges)))
}

/// Types around types.
fn around(base: &Ty, name: &str, keys: &[Value]) -> Computed<Ty> {
    let single = |keys: &[Value]| match keys {
        [key] => ty(name, key),
        _ => Err(arity(name, "one", keys.len())),
    };
    let made = match &**base {
        Type::Iterable(_) => Type::Iterable(single(keys)?),
        Type::Iterator(_) => Type::Iterator(single(keys)?),
        Type::Meta(_) => Type::Meta(single(keys)?),
        Type::Sensitive(_) => Type::Sensitive(single(keys)?),
        Type::Variant(_) => {
            let flat = |ty: Ty| match &*ty {
                Type::Variant(inner) if !inner.is_empty() => inner.clone(),
                _ => vec![ty],
            };
            let list: Vec<Ty> = types(keys)?.into_iter().flat_map(flat).collect();
            match &list[..] {
                [only] => return Ok(only.clone()),
                _ => return Ok(super::infer::variant(list)),
            }
        }
        Type::Optional(_) => match keys {
            [Value::Str(text)] => Type::Optional(Type::Literal(text.clone()).into()),
            _ => {
                let inner = single(keys)?;
                if let Type::Optional(_) = *inner {
                    return Ok(inner);
                }
                Type::Optional(inner)
            }
        },
        Type::NotUndef(_) => match keys {
            [Value::Str(text)] => Type::NotUndef(Type::Literal(text.clone()).into()),
            [other] if !matches!(other, Value::Type(_)) => {
                let got = super::infer_generic(other);
                return Err(Problem::new(
                    IssueName::BadNotUndefSliceType,
                    format!("{name}[] argument must be a Type or a String. Got {got}"),
                ));
            }
            _ => Type::NotUndef(single(keys)?),
        },
        _ => return Ok(base.clone()),
    };
    Ok(made.into())
}

fn member(key: &Value, item: &Value) -> Computed<Member> {
    let (name, written) = match key {
        Value::Str(text) => (text.clone(), None),
        Value::Type(ty) => match &**ty {
            Type::Optional(inner) | Type::NotUndef(inner) => match &**inner {
                Type::Literal(text) => (text.clone(), Some(matches!(**ty, Type::Optional(_)))),
                _ => return Err(bad("Struct", key)),
            },
            Type::Literal(text) => (text.clone(), None),
            Type::Enum { values, .. } if values.len() == 1 => (values[0].clone(), None),
            _ => return Err(bad("Struct", key)),
        },
        other => return Err(bad("Struct", other)),
    };
    let ty = match item {
        Value::Str(text) => Type::Literal(text.clone()).into(),
        other => ty("Struct", other)?,
    };
    if name.is_empty() {
        return Err(Problem::runtime("Struct element key cannot be an empty String"));
    }
    let takes_undef = is_instance(&ty, &Value::Undef);
    let is_optional = written.unwrap_or(takes_undef);
    Ok(Member { name, is_optional, is_not_undef: written == Some(false) && takes_undef, ty })
}

fn callable(name: &str, keys: &[Value]) -> Computed<Ty> {
    let (params, returns) = match keys {
        [Value::Array(_)] | [Value::Array(_), _, _, ..] => return Err(arity(name, "two", keys.len())),
        [Value::Array(params), returns] => {
            let returns = match returns {
                Value::Undef => None,
                other => Some(ty(name, other)?),
            };
            (params.to_vec(), returns)
        }
        _ => (keys.to_vec(), None),
    };
    let mut rest = &params[..];
    let mut block = None;
    if let Some((Value::Type(last), front)) = rest.split_last() {
        let is_block = match &**last {
            Type::Callable(_) => true,
            Type::Optional(inner) => matches!(**inner, Type::Callable(_)),
            _ => false,
        };
        if is_block {
            block = Some(last.clone());
            rest = front;
        }
    }
    let (front, sizes) = with_size(rest);
    let list = types(front)?;
    let size = match sizes {
        [] => None,
        sizes => Some(size(name, sizes)?),
    };
    if list.is_empty() && size.is_none() && block.is_none() && returns.is_none() && keys.is_empty() {
        return Ok(Type::Callable(None).into());
    }
    let params = list;
    Ok(Type::Callable(Some(Callable { params, size, block, returns })).into())
}
