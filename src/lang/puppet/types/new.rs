//! `T.new(…)`: values of types.

pub mod string;
mod time;

use std::sync::Arc;

use base64::Engine;

use self::time::{timespan, timestamp};
use super::{AttributeKind, Ty, Type, attributes, infer_generic, is_instance};
use crate::lang::puppet::convert::string;
use crate::lang::puppet::issue::IssueName;
use crate::lang::puppet::number;
use crate::lang::puppet::semver::{Range, Version};
use crate::lang::puppet::stop::{Computed, Problem};
use crate::lang::puppet::value::{Map, Object, Value};
use crate::lang::ruby;
use crate::lang::ruby::regexp::Regexp;

const NANOS: i128 = 1_000_000_000;

/// A new value of a type; the result is checked against the type.
pub fn new(ty: &Ty, args: &[Value]) -> Computed {
    match args {
        // What is a value of the type already is not converted.
        [one] if !matches!(&**ty, Type::Init(..)) && is_instance(ty, one) => Ok(one.clone()),
        _ => converted(ty, args),
    }
}

fn converted(ty: &Ty, args: &[Value]) -> Computed {
    let value = make(ty, args)?;
    if is_instance(ty, &value) {
        return Ok(value);
    }
    Err(Problem::wrong_type(format!(
        "Converted value from {ty}.new() has wrong type, {}",
        super::describe_mismatch(ty, &value)
    )))
}

fn refused(ty: &Ty, value: &Value) -> Problem {
    Problem::runtime(format!(
        "The value '{}' of type {} cannot be converted to {ty}",
        string(value),
        infer_generic(value)
    ))
}

fn arg(args: &[Value], index: usize) -> Option<&Value> {
    args.get(index).filter(|v| !matches!(v, Value::Default))
}

fn make(ty: &Ty, args: &[Value]) -> Computed {
    let first = args.first().unwrap_or(&Value::Undef);
    let copies = matches!(&**ty, Type::Undef | Type::Default | Type::Object(Some(_)));
    if copies && args.len() == 1 && !matches!(first, Value::Hash(_)) && is_instance(ty, first) {
        return Ok(first.clone());
    }
    match &**ty {
        Type::Alias(alias) => match alias.resolved.get() {
            Some(inner) => make(inner, args),
            None => Err(Problem::runtime(format!("Type alias '{}' cannot be resolved to a real type", alias.name))
                .help("let one of the aliases name a real type")),
        },
        Type::Integer(..) => integer(ty, args),
        Type::Float(..) | Type::Numeric => numeric(ty, args),
        Type::Undef => Err(Problem::runtime("Creation of new instance of type 'Undef' is not supported")),
        Type::String(_) | Type::Literal(_) => crate::lang::puppet::types::new::string::string_new(args).map(Value::str),
        Type::Boolean(_) => boolean(ty, first),
        Type::Optional(_) if args.len() == 1 && *first == Value::Undef => Ok(Value::Undef),
        Type::NotUndef(inner) | Type::Optional(inner) if matches!(**inner, Type::Any) && args.len() == 1 => {
            Ok(first.clone())
        }
        Type::Optional(inner) | Type::NotUndef(inner) if !matches!(**inner, Type::Any) => converted(inner, args),
        Type::Variant(types) => {
            if args.len() == 1 && types.iter().any(|candidate| is_instance(candidate, first)) {
                return Ok(first.clone());
            }
            types.iter().find_map(|candidate| converted(candidate, args).ok()).ok_or_else(|| refused(ty, first))
        }
        Type::Array(..) | Type::Tuple(..) => array(ty, args),
        Type::Hash(..) | Type::Struct(_) => hash(ty, args),
        Type::Sensitive(_) => {
            if args.len() != 1 {
                return Err(Problem::wrong_count("'new_Sensitive' expects 1 argument"));
            }
            Ok(match first {
                Value::Sensitive(_) => first.clone(),
                other => Value::Sensitive(Arc::new(other.clone())),
            })
        }
        Type::Timespan(..) => timespan(ty, args),
        Type::Timestamp(..) => timestamp(ty, args),
        Type::SemVer(_) => semver(ty, args),
        Type::SemVerRange => range(ty, args),
        Type::Binary => binary(ty, args),
        Type::Uri(_) => match first {
            Value::Str(text) | Value::Uri(text) => {
                if text.is_empty() || text.contains(' ') {
                    return Err(Problem::runtime(format!("bad URI: {text}")));
                }
                Ok(Value::Uri(without_standard_port(text).into()))
            }
            Value::Hash(map) => Ok(Value::Uri(uri(map).into())),
            other => Err(refused(ty, other)),
        },
        Type::Regexp(_) => match first {
            Value::Str(source) => {
                let regexp = Regexp::new(source.clone());
                regexp.compiled().map(|_| ()).map_err(Problem::regexp)?;
                Ok(Value::Regexp(Arc::new(regexp)))
            }
            Value::Regexp(_) => Ok(first.clone()),
            other => Err(refused(ty, other)),
        },
        Type::Init(Some(inner), _) if matches!(&**inner, Type::NotUndef(any) if matches!(**any, Type::Any)) => {
            Err(Problem::runtime("Creation of new instance of type 'NotUndef' is not supported"))
        }
        Type::Init(Some(inner), more) => {
            // One list is the argument where a value can be made of it, and else the list of arguments.
            if more.is_empty()
                && matches!(args, [Value::Array(_)])
                && matches!(**inner, Type::Object(_))
                && let Ok(made) = converted(inner, args)
            {
                return Ok(made);
            }
            let mut all = match args {
                [Value::Array(list)]
                    if !matches!(**inner, Type::Array(..) | Type::Tuple(..) | Type::Hash(..) | Type::Struct(_)) =>
                {
                    list.to_vec()
                }
                args => args.to_vec(),
            };
            all.extend(more.iter().cloned());
            converted(inner, &all)
        }
        Type::Object(Some(_)) => object(ty, args),
        Type::Deferred => {
            let attributes = match args {
                [Value::Hash(map)] => map.iter().map(|(k, v)| (string(k).into(), v.clone())).collect(),
                [name @ Value::Str(_)] => {
                    vec![("name".into(), name.clone()), ("arguments".into(), Value::array(Vec::new()))]
                }
                [name @ Value::Str(_), list @ Value::Array(_)] => {
                    vec![("name".into(), name.clone()), ("arguments".into(), list.clone())]
                }
                _ => return Err(Problem::wrong_type("'new_Deferred' expects a name and arguments")),
            };
            Ok(Value::Object(Arc::new(Object::new(ty.clone(), attributes))))
        }
        _ => {
            let problem = Problem::runtime(format!("Creation of new instance of type '{ty}' is not supported"));
            let args: Vec<String> = args.iter().map(crate::lang::puppet::convert::inspect).collect();
            Err(problem.help(format!("the parameters of a type are in brackets: write `{ty}[{}]`", args.join(", "))))
        }
    }
}

/// The arguments, from one hash with names where that was given.
fn named(args: &[Value], names: &[&str]) -> Option<Vec<Value>> {
    let [Value::Hash(map)] = args else { return None };
    let fits = map.keys().all(|k| matches!(k, Value::Str(k) if names.contains(&&**k)));
    (fits && map.contains_key(&Value::str(names[0])))
        .then(|| names.iter().map(|n| map.get(&Value::str(*n)).cloned().unwrap_or(Value::Default)).collect())
}

/// As many numbers one new collection may have.
const MOST: i64 = 1_000_000;

fn integer(ty: &Ty, args: &[Value]) -> Computed {
    if let Some(args) = named(args, &["from", "radix", "abs"]) {
        return integer(ty, &args);
    }
    if args.is_empty() || args.len() > 3 {
        return Err(Problem::wrong_count(format!(
            "'new_Integer' expects between 1 and 3 arguments, got {}",
            args.len()
        )));
    }
    let radix = match arg(args, 1) {
        None => None,
        Some(Value::Int(radix @ (2 | 8 | 10 | 16))) => Some(*radix as u32),
        Some(_) => return Err(Problem::runtime("Illegal radix: expected 2, 8, 10, 16, or default")),
    };
    let abs = match arg(args, 2) {
        None => false,
        Some(Value::Bool(abs)) => *abs,
        Some(_) => {
            return Err(Problem::wrong_type("'new_Integer' parameter 'abs' expects a Boolean value"));
        }
    };
    let value = match &args[0] {
        Value::Int(value) => Some(*value),
        Value::Float(value) => ruby::number::whole(*value),
        Value::Bool(value) => Some(i64::from(*value)),
        Value::Timespan(value) | Value::Timestamp(value) => i64::try_from(value.div_euclid(NANOS)).ok(),
        Value::Str(text) => integer_text(text, radix),
        _ => None,
    };
    let value = value.ok_or_else(|| refused(ty, &args[0]))?;
    Ok(Value::Int(if abs { value.checked_abs().ok_or_else(|| refused(ty, &args[0]))? } else { value }))
}

fn integer_text(text: &str, radix: Option<u32>) -> Option<i64> {
    let Some(radix) = radix else {
        return match number::parse(text)? {
            Value::Int(value) => Some(value),
            Value::Float(value) => ruby::number::whole(value),
            _ => None,
        };
    };
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest.trim_start()),
        None => (1, text.strip_prefix('+').map_or(text, str::trim_start)),
    };
    let lower = digits.to_ascii_lowercase();
    let digits = match radix {
        16 => lower.strip_prefix("0x").unwrap_or(&lower),
        2 => lower.strip_prefix("0b").unwrap_or(&lower),
        8 => lower.strip_prefix('0').filter(|r| !r.is_empty()).unwrap_or(&lower),
        _ => &lower,
    };
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return None;
    }
    i128::from_str_radix(digits, radix).ok().and_then(|v| i64::try_from(v * sign).ok())
}

fn numeric(ty: &Ty, args: &[Value]) -> Computed {
    if let Some(args) = named(args, &["from", "abs"]) {
        return numeric(ty, &args);
    }
    if args.is_empty() || args.len() > 2 {
        return Err(Problem::wrong_count(format!("'new' expects between 1 and 2 arguments, got {}", args.len())));
    }
    let is_float = matches!(**ty, Type::Float(..));
    let seconds = |v: &i128| {
        let whole = i64::try_from(v / NANOS).ok().filter(|_| v % NANOS == 0 && !is_float);
        whole.map_or(Value::Float(*v as f64 / 1e9), Value::Int)
    };
    let value = match &args[0] {
        value @ (Value::Int(_) | Value::Float(_)) => value.clone(),
        Value::Bool(value) => Value::Int(i64::from(*value)),
        Value::Timespan(value) | Value::Timestamp(value) => seconds(value),
        Value::Str(text) => match text.trim().parse::<f64>() {
            Ok(value) if is_float && text.trim().starts_with(|c: char| c.is_ascii_digit() || "+-".contains(c)) => {
                Value::Float(value)
            }
            _ => number::parse(text).ok_or_else(|| refused(ty, &args[0]))?,
        },
        other => return Err(refused(ty, other)),
    };
    let value = match value {
        Value::Int(value) if is_float => Value::Float(value as f64),
        other => other,
    };
    Ok(match (value, arg(args, 1)) {
        (Value::Int(value), Some(Value::Bool(true))) => {
            Value::Int(value.checked_abs().ok_or_else(|| refused(ty, &args[0]))?)
        }
        (Value::Float(value), Some(Value::Bool(true))) => Value::Float(value.abs()),
        (value, _) => value,
    })
}

fn boolean(ty: &Ty, value: &Value) -> Computed {
    Ok(Value::Bool(match value {
        Value::Bool(value) => *value,
        Value::Int(value) => *value != 0,
        Value::Float(value) => *value != 0.0,
        Value::Str(text) => match &*text.to_lowercase() {
            "true" | "yes" | "y" => true,
            "false" | "no" | "n" => false,
            _ => return Err(refused(ty, value)),
        },
        other => return Err(refused(ty, other)),
    }))
}

fn array(ty: &Ty, args: &[Value]) -> Computed {
    let Some(first) = args.first() else {
        return Err(Problem::wrong_count("'new_Array' expects between 1 and 2 arguments, got none"));
    };
    if matches!(args.get(1), Some(Value::Bool(true))) {
        return Ok(match first {
            Value::Array(_) => first.clone(),
            other => Value::array(vec![other.clone()]),
        });
    }
    Ok(match first {
        Value::Array(_) => first.clone(),
        Value::Hash(map) => Value::array(map.iter().map(|(k, v)| Value::array(vec![k.clone(), v.clone()])).collect()),
        Value::Str(text) => Value::array(text.chars().map(|c| Value::str(c.to_string())).collect()),
        Value::Iterator(items) => Value::array(items.items.clone()),
        Value::Binary(bytes) => Value::array(bytes.iter().map(|b| Value::Int(i64::from(*b))).collect()),
        Value::Type(inner) => match &**inner {
            Type::Integer(from, to) if *from != i64::MIN && *to != i64::MAX && to.saturating_sub(*from) < MOST => {
                Value::array((*from..=*to).map(Value::Int).collect())
            }
            Type::Enum { values, .. } => Value::array(values.iter().map(|v| Value::Str(v.clone())).collect()),
            _ => return Err(refused(ty, first)),
        },
        Value::Int(count @ 0..=MOST) => Value::array((0..*count).map(Value::Int).collect()),
        other => return Err(refused(ty, other)),
    })
}

fn hash(ty: &Ty, args: &[Value]) -> Computed {
    let Some(first) = args.first() else {
        return Err(Problem::wrong_count("'new_Hash' expects between 1 and 2 arguments, got none"));
    };
    match (first, args.get(1)) {
        (_, Some(Value::Str(kind))) if matches!(&**kind, "tree" | "hash_tree") => {
            tree(ty, first, &**kind == "hash_tree")
        }
        (_, Some(Value::Str(_))) => Err(Problem::wrong_type(
            "'new_Hash' parameter 'build_option' expects a match for Enum['hash_tree', 'tree']",
        )),
        (Value::Hash(_), _) => Ok(first.clone()),
        (Value::Array(list), _) => Ok(Value::hash(pairs(list)?.into_iter().collect())),
        (Value::Iterator(items), _) => hash(ty, &[Value::array(items.items.clone())]),
        (Value::Object(object), _) => {
            Ok(Value::hash(object.entries().into_iter().map(|(k, v)| (Value::Str(k), v)).collect()))
        }
        (Value::Int(count @ 0..=MOST), _) if count % 2 == 0 => {
            let list = (0..*count).map(Value::Int).collect::<Vec<_>>();
            hash(ty, &[Value::array(list)])
        }
        (other, _) => Err(refused(ty, other)),
    }
}

/// The entries of a hash that a list is made into: its elements are pairs, or keys and values in turn.
pub fn pairs(list: &[Value]) -> Computed<Vec<(Value, Value)>> {
    let pair = |item: &Value| match item {
        Value::Array(pair) if pair.len() == 2 => Some((pair[0].clone(), pair[1].clone())),
        _ => None,
    };
    if let Some(pairs) = list.iter().map(pair).collect() {
        return Ok(pairs);
    }
    if !list.len().is_multiple_of(2) {
        return Err(Problem::runtime("odd number of arguments for Hash"));
    }
    Ok(list.chunks(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect())
}

/// A tree from `[path, value]` pairs.
fn tree(ty: &Ty, entries: &Value, all_hashes: bool) -> Computed {
    let list = match entries {
        Value::Array(list) => list.to_vec(),
        Value::Iterator(items) => items.items.clone(),
        other => return Err(refused(ty, other)),
    };
    let mut root = Value::hash(Map::default());
    let mut filled = 0;
    for entry in list {
        let Value::Array(pair) = &entry else { return Err(refused(ty, &entry)) };
        let [Value::Array(path), value] = &pair[..] else { return Err(refused(ty, &entry)) };
        match path.is_empty() {
            true => root = value.clone(),
            false => put(&mut root, path, value, all_hashes, &mut filled)?,
        }
    }
    Ok(root)
}

fn put(at: &mut Value, path: &[Value], value: &Value, all_hashes: bool, filled: &mut usize) -> Computed<()> {
    let Some((key, rest)) = path.split_first() else {
        let is_container =
            |v: &Value| matches!(v, Value::Hash(m) if m.is_empty()) || matches!(v, Value::Array(l) if l.is_empty());
        if !(is_container(value) && matches!(at, Value::Hash(_) | Value::Array(_))) {
            *at = value.clone();
        }
        return Ok(());
    };
    let empty = || if rest.is_empty() { Value::Undef } else { Value::hash(Map::default()) };
    if let (Value::Array(list), true) = (&*at, all_hashes) {
        let entries = list.iter().enumerate().map(|(i, v)| (Value::Int(i as i64), v.clone()));
        *at = Value::hash(entries.collect());
    }
    if let (Value::Array(list), Value::Int(index)) = (&mut *at, key) {
        let list = Arc::make_mut(list);
        let Some(index) = usize::try_from(*index).ok().filter(|index| *index < 100_000) else {
            return Err(Problem::runtime(format!("a tree cannot have the index {index}; it is from 0 to 99999")));
        };
        *filled += (index + 1).saturating_sub(list.len());
        if *filled > MOST as usize {
            return Err(Problem::runtime(format!("the lists of a tree have more than {MOST} elements")));
        }
        list.resize(list.len().max(index + 1), Value::Undef);
        if list[index] == Value::Undef {
            list[index] = empty();
        }
        return put(&mut list[index], rest, value, all_hashes, filled);
    }
    if !matches!(at, Value::Hash(_)) {
        *at = Value::hash(Map::default());
    }
    if let Value::Hash(map) = at {
        let slot = Arc::make_mut(map).entry(key.clone()).or_insert_with(empty);
        return put(slot, rest, value, all_hashes, filled);
    }
    Ok(())
}

fn semver(ty: &Ty, args: &[Value]) -> Computed {
    if let Some(args) = named(args, &["major", "minor", "patch", "prerelease", "build"]) {
        return semver(ty, &args);
    }
    let number = |value: &Value| match value {
        Value::Int(value) => u64::try_from(*value).map_err(|_| refused(ty, &Value::Undef)),
        other => Err(refused(ty, other)),
    };
    let text = |index: usize| match arg(args, index) {
        Some(Value::Str(text)) => Ok(Some(text.clone())),
        None => Ok(None),
        Some(other) => Err(refused(ty, other)),
    };
    match args {
        [Value::SemVer(_)] => Ok(args[0].clone()),
        [Value::Str(text)] => Version::parse(text)
            .map(|v| Value::SemVer(Arc::new(v)))
            .ok_or_else(|| Problem::runtime(format!("The string '{text}' cannot be converted to a SemVer"))),
        [major, minor, patch, ..] if args.len() <= 5 => Ok(Value::SemVer(Arc::new(Version {
            major: number(major)?,
            minor: number(minor)?,
            patch: number(patch)?,
            prerelease: text(3)?,
            build: text(4)?,
        }))),
        _ => Err(refused(ty, args.first().unwrap_or(&Value::Undef))),
    }
}

fn range(ty: &Ty, args: &[Value]) -> Computed {
    if let Some(args) = named(args, &["min", "max", "exclude_max"]) {
        return range(ty, &args);
    }
    let text = match args {
        [Value::SemVerRange(_)] => return Ok(args[0].clone()),
        [Value::Str(text)] => text.to_string(),
        [min, max, ..] => {
            let exclude = matches!(args.get(2), Some(Value::Bool(true)));
            match (min, max) {
                (Value::Default, Value::Default) => ">=0.0.0".into(),
                (min, Value::Default) => format!(">={}", string(min)),
                (Value::Default, max) => format!("{}{}", if exclude { "<" } else { "<=" }, string(max)),
                (min, max) if exclude => format!(">={} <{}", string(min), string(max)),
                (min, max) if string(min) == string(max) => string(min),
                (min, max) => format!("{} - {}", string(min), string(max)),
            }
        }
        _ => return Err(refused(ty, args.first().unwrap_or(&Value::Undef))),
    };
    Range::parse(&text)
        .map(|r| Value::SemVerRange(Arc::new(r)))
        .ok_or_else(|| Problem::runtime(format!("Unparsable version range: \"{text}\"")))
}

fn binary(ty: &Ty, args: &[Value]) -> Computed {
    if let Some(args) = named(args, &["value", "format"]) {
        return binary(ty, &args);
    }
    let engine = base64::engine::general_purpose::STANDARD;
    let lenient = base64::engine::GeneralPurpose::new(
        &base64::alphabet::STANDARD,
        base64::engine::GeneralPurposeConfig::new()
            .with_decode_padding_mode(base64::engine::DecodePaddingMode::Indifferent)
            .with_decode_allow_trailing_bits(true),
    );
    let url = base64::engine::GeneralPurpose::new(
        &base64::alphabet::URL_SAFE,
        base64::engine::GeneralPurposeConfig::new()
            .with_decode_padding_mode(base64::engine::DecodePaddingMode::Indifferent),
    );
    let bytes: Vec<u8> = match args.first() {
        Some(Value::Binary(_)) => return Ok(args[0].clone()),
        Some(Value::Array(list)) => list
            .iter()
            .map(|v| match v {
                Value::Int(byte) => u8::try_from(*byte).map_err(|_| refused(ty, v)),
                other => Err(refused(ty, other)),
            })
            .collect::<Computed<_>>()?,
        Some(Value::Str(text)) => {
            let format = match arg(args, 1) {
                None => "%B",
                Some(Value::Str(format)) => format,
                Some(other) => return Err(refused(ty, other)),
            };
            let plain: String = text.chars().filter(|c| !c.is_whitespace()).collect();
            let decoded = match format {
                "%B" => {
                    engine.decode(&plain).or_else(|e| if text.contains('\n') { lenient.decode(&plain) } else { Err(e) })
                }
                "%b" => {
                    let known: String =
                        plain.chars().filter(|c| c.is_ascii_alphanumeric() || "+/=".contains(*c)).collect();
                    lenient.decode(known)
                }
                "%u" => url.decode(&plain),
                "%s" | "%r" => return Ok(Value::Binary(text.as_bytes().into())),
                other => {
                    return Err(Problem::wrong_type(format!(
                        "'new_Binary' format expects a match for Enum['%B', '%b', '%r', '%s', '%u'], got '{other}'"
                    )));
                }
            };
            decoded.map_err(|_| {
                Problem::runtime(format!("The given string in encoding 'UTF-8' is not valid base64: {text}"))
            })?
        }
        Some(other) => return Err(refused(ty, other)),
        None => return Err(refused(ty, &Value::Undef)),
    };
    Ok(Value::Binary(bytes.into()))
}

fn uri(parts: &Map) -> String {
    let get = |name: &str| parts.get(&Value::str(name)).map(string);
    let mut out = String::new();
    if let Some(scheme) = get("scheme") {
        out.push_str(&scheme);
        out.push(':');
    }
    if let Some(host) = get("host") {
        out.push_str("//");
        if let Some(user) = get("userinfo") {
            out.push_str(&user);
            out.push('@');
        }
        out.push_str(&host);
        if let Some(port) = get("port") {
            out.push(':');
            out.push_str(&port);
        }
    }
    out.push_str(&get("opaque").or_else(|| get("path")).unwrap_or_default());
    for (name, sign) in [("query", '?'), ("fragment", '#')] {
        if let Some(text) = get(name) {
            out.push(sign);
            out.push_str(&text);
        }
    }
    out
}

/// Whether an attribute has to be given: it has no value and takes no undef.
fn needed(attribute: &super::Attribute) -> bool {
    attribute.value.is_none() && !is_instance(&attribute.ty, &Value::Undef)
}

/// An instance of an object type, by position or from one hash.
fn object(ty: &Ty, args: &[Value]) -> Computed {
    let settable: Vec<_> = attributes(ty)
        .into_iter()
        .filter(|a| !matches!(a.kind, AttributeKind::Constant | AttributeKind::Derived))
        .collect();
    // What must be given comes first.
    let mut ordered: Vec<_> =
        settable.iter().filter(|a| needed(a) && a.kind != AttributeKind::GivenOrDerived).collect();
    ordered.extend(settable.iter().filter(|a| !needed(a) || a.kind == AttributeKind::GivenOrDerived));
    let name = super::object_name(ty);
    let by_name = match args {
        [Value::Hash(map)] => {
            let fits = map.keys().all(|k| matches!(k, Value::Str(k) if ordered.iter().any(|a| a.name == *k)));
            (fits && (!map.is_empty() || !ordered.iter().any(|a| needed(a)))).then_some(map)
        }
        _ => None,
    };
    let mut out = Vec::new();
    if by_name.is_none() && args.len() > ordered.len() {
        return Err(Problem::wrong_count(format!(
            "'new_{name}' expects {} arguments, got {}",
            ordered.len(),
            args.len()
        )));
    }
    let mut given = Vec::new();
    for (i, attribute) in ordered.iter().enumerate() {
        let value = match by_name {
            Some(map) => map.get(&Value::Str(attribute.name.clone())),
            None => args.get(i).filter(|v| !matches!(v, Value::Default)),
        };
        let value = match (value, &attribute.value) {
            (Some(value), _) => value.clone(),
            (None, Some(default)) => default.clone(),
            (None, None) if attribute.kind == AttributeKind::GivenOrDerived => continue,
            (None, None) if is_instance(&attribute.ty, &Value::Undef) => Value::Undef,
            (None, None) => {
                return Err(Problem::new(
                    IssueName::MissingArgument,
                    format!("'new_{name}' expects a value for parameter '{}'", attribute.name),
                ));
            }
        };
        if !is_instance(&attribute.ty, &value) {
            return Err(Problem::wrong_type(format!(
                "'new_{name}' parameter '{}' {}",
                attribute.name,
                super::describe_mismatch(&attribute.ty, &value)
            )));
        }
        given.push((attribute.name.clone(), value));
    }
    for attribute in attributes(ty) {
        if attribute.kind == AttributeKind::Constant {
            if let Some(value) = attribute.value {
                out.push((attribute.name, value));
            }
        } else if let Some(found) = given.iter().find(|(n, _)| *n == attribute.name) {
            if &*name == "Error" && found.1 == Value::Undef {
                continue;
            }
            out.push(found.clone());
        }
    }
    Ok(Value::Object(Arc::new(Object::new(ty.clone(), out))))
}

/// A URI says its port only where it is not the one of its scheme.
fn without_standard_port(text: &str) -> String {
    let port = match text.split_once("://").map(|(scheme, _)| scheme.to_lowercase()).as_deref() {
        Some("http") => ":80",
        Some("https") => ":443",
        Some("ftp") => ":21",
        Some("ldap") => ":389",
        _ => return text.to_string(),
    };
    let start = text.find("://").map_or(0, |at| at + 3);
    let end = text[start..].find(['/', '?', '#']).map_or(text.len(), |at| start + at);
    match text[start..end].strip_suffix(port) {
        Some(authority) => format!("{}{authority}{}", &text[..start], &text[end..]),
        None => text.to_string(),
    }
}
