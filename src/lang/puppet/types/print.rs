//! Types as text; the text is also how types are compared and shown.

use std::fmt;

use super::{AttributeKind, Callable, Member, ObjectType, Size, Ty, Type, is_instance, timespan_text, timestamp_text};
use crate::lang::puppet::convert::{inspect, quoted};
use crate::lang::puppet::names::capitalised;
use crate::lang::puppet::value::Value;
use crate::lang::ruby::number;

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&text(self))
    }
}

fn list(name: &str, parts: Vec<String>) -> String {
    if parts.is_empty() { name.into() } else { format!("{name}[{}]", parts.join(", ")) }
}

/// A range with its open ends left out or written as `default`.
fn bounds<V: PartialEq>(low: V, high: V, least: &V, most: &V, print: impl Fn(&V) -> String) -> Vec<String> {
    match (low == *least, high == *most) {
        (true, true) => Vec::new(),
        (false, true) => vec![print(&low)],
        (is_open, false) => vec![if is_open { "default".into() } else { print(&low) }, print(&high)],
    }
}

fn size(size: Size) -> Vec<String> {
    match size {
        Size::ANY => Vec::new(),
        Size { from, to: i64::MAX } => vec![from.to_string()],
        Size { from, to } => vec![from.to_string(), to.to_string()],
    }
}

fn texts(types: &[Ty]) -> Vec<String> {
    types.iter().map(text).collect()
}

fn regex(source: &str) -> String {
    format!("/{}/", source.replace('/', "\\/"))
}

fn one(name: &str, inner: &Ty) -> String {
    match &**inner {
        Type::Any => name.into(),
        Type::Literal(text) if matches!(name, "Optional" | "NotUndef") => format!("{name}[{}]", quoted(text)),
        _ => format!("{name}[{}]", text(inner)),
    }
}

/// A type whose parameter is a hash of these entries.
fn of_hash(name: &str, entries: impl Iterator<Item = String>) -> String {
    format!("{name}[{{{}}}]", entries.collect::<Vec<_>>().join(", "))
}

fn member(member: &Member) -> String {
    let takes_undef = is_instance(&member.ty, &Value::Undef);
    let name = quoted(&member.name);
    let key = match (member.is_optional, takes_undef) {
        (true, false) => format!("Optional[{name}]"),
        (false, true) => format!("NotUndef[{name}]"),
        _ => name,
    };
    format!("{key} => {}", text(&member.ty))
}

fn callable(callable: &Callable) -> String {
    let mut parts = Vec::new();
    let is_empty = callable.params.is_empty();
    if is_empty && callable.size.is_none_or(|s| s.to == 0) {
        parts.extend(["0".to_string(), "0".to_string()]);
    } else {
        if !is_empty {
            parts.extend(texts(&callable.params));
        }
        if let Some(s) = callable.size
            && s != Size::exactly(callable.params.len())
        {
            parts.push(s.from.to_string());
            parts.push(if s.to == i64::MAX { "default".into() } else { s.to.to_string() });
        }
    }
    if let Some(block) = &callable.block {
        parts.push(text(block));
    }
    match &callable.returns {
        Some(returns) => format!("Callable[[{}], {}]", parts.join(", "), text(returns)),
        None => format!("Callable[{}]", parts.join(", ")),
    }
}

fn text(ty: &Ty) -> String {
    let plain = |name: &str| name.to_string();
    match &**ty {
        Type::Any => plain("Any"),
        Type::Unit => plain("Unit"),
        Type::Undef => plain("Undef"),
        Type::Default => plain("Default"),
        Type::Scalar => plain("Scalar"),
        Type::ScalarData => plain("ScalarData"),
        Type::Numeric => plain("Numeric"),
        Type::Data => plain("Data"),
        Type::RichData => plain("RichData"),
        Type::RichDataKey => plain("RichDataKey"),
        Type::Integer(low, high) => list("Integer", bounds(*low, *high, &i64::MIN, &i64::MAX, i64::to_string)),
        Type::Float(low, high) => {
            list("Float", bounds(low.0, high.0, &f64::NEG_INFINITY, &f64::INFINITY, |v| number::float(*v)))
        }
        Type::String(s) => list("String", size(*s)),
        Type::Literal(_) => plain("String"),
        Type::Boolean(value) => list("Boolean", value.iter().map(bool::to_string).collect()),
        Type::Enum { values, ignores_case } => {
            let mut parts: Vec<String> = values.iter().map(|v| quoted(v)).collect();
            parts.extend(ignores_case.then(|| "true".to_string()));
            list("Enum", parts)
        }
        Type::Pattern(sources) => list("Pattern", sources.iter().map(|s| regex(s)).collect()),
        Type::Regexp(source) => list("Regexp", source.iter().map(|s| regex(s)).collect()),
        Type::Timespan(low, high) if low == high => list("Timespan", vec![quoted(&super::timespan_text(*low))]),
        Type::Timespan(low, high) => {
            list("Timespan", bounds(*low, *high, &i128::MIN, &i128::MAX, |v| format!("'{}'", timespan_text(*v))))
        }
        Type::Timestamp(low, high) if low == high => list("Timestamp", vec![quoted(&super::timestamp_text(*low))]),
        Type::Timestamp(low, high) => {
            list("Timestamp", bounds(*low, *high, &i128::MIN, &i128::MAX, |v| format!("'{}'", timestamp_text(*v))))
        }
        Type::SemVer(ranges) => list("SemVer", ranges.iter().map(|r| quoted(r)).collect()),
        Type::SemVerRange => plain("SemVerRange"),
        Type::Binary => plain("Binary"),
        Type::Uri(parts) if parts.is_empty() => plain("URI"),
        Type::Uri(parts) => of_hash("URI", parts.iter().map(|(k, v)| format!("'{k}' => {}", inspect(v)))),
        Type::Collection(s) => list("Collection", size(*s)),
        Type::Array(_, Size { from: 0, to: 0 }) => plain("Array[0, 0]"),
        Type::Array(inner, Size::ANY) => one("Array", inner),
        Type::Array(inner, s) => list("Array", [vec![text(inner)], size(*s)].concat()),
        Type::Tuple(types, s) => list("Tuple", [texts(types), s.map(size).unwrap_or_default()].concat()),
        Type::Hash(_, _, Size { from: 0, to: 0 }) => plain("Hash[0, 0]"),
        Type::Hash(key, item, Size::ANY) if matches!((&**key, &**item), (Type::Any, Type::Any)) => plain("Hash"),
        Type::Hash(key, item, s) => list("Hash", [vec![text(key), text(item)], size(*s)].concat()),
        Type::Struct(members) if members.is_empty() => plain("Struct"),
        Type::Struct(members) => of_hash("Struct", members.iter().map(member)),
        Type::Iterable(inner) => one("Iterable", inner),
        Type::Iterator(inner) => one("Iterator", inner),
        Type::Variant(types) => list("Variant", texts(types)),
        Type::Optional(inner) => one("Optional", inner),
        Type::NotUndef(inner) => one("NotUndef", inner),
        Type::Meta(inner) => one("Type", inner),
        Type::Callable(None) => plain("Callable"),
        Type::Callable(Some(inner)) => callable(inner),
        Type::Sensitive(inner) => one("Sensitive", inner),
        Type::Init(None, _) => plain("Init"),
        Type::Init(Some(inner), args) => {
            list("Init", std::iter::once(text(inner)).chain(args.iter().map(inspect)).collect())
        }
        Type::Object(None) => plain("Object"),
        Type::Object(Some(object)) => match &object.name {
            Some(name) if object.params.is_empty() => name.to_string(),
            Some(name) if object.type_parameters.len() > 2 => {
                of_hash(name, object.params.iter().map(|(k, v)| format!("'{k}' => {}", inspect(v))))
            }
            Some(name) => {
                let value = |n: &crate::lang::puppet::ast::Text| {
                    object.params.iter().find(|(k, _)| k == n).map(|(_, v)| inspect(v))
                };
                let last = object.type_parameters.iter().rposition(|(n, _)| value(n).is_some()).unwrap_or(0);
                let shown =
                    object.type_parameters[..=last].iter().map(|(n, _)| value(n).unwrap_or_else(|| "default".into()));
                list(name, shown.collect())
            }
            None => of_hash("Object", object.init.iter().map(|(k, v)| format!("{k} => {}", inspect(v)))),
        },
        Type::TypeSet(None) => plain("TypeSet"),
        Type::TypeSet(Some(set)) => match &set.name {
            Some(name) => name.to_string(),
            None => of_hash("TypeSet", set.init.iter().map(|(k, v)| format!("{k} => {}", inspect(v)))),
        },
        Type::Reference(name) => format!("TypeReference[{}]", quoted(name)),
        Type::Alias(alias) => alias.name.to_string(),
        Type::Runtime(language, name) => {
            list("Runtime", language.iter().map(|l| l.to_string()).chain(name.iter().map(|n| quoted(n))).collect())
        }
        Type::CatalogEntry => plain("CatalogEntry"),
        Type::Resource(None, _) => plain("Resource"),
        Type::Resource(Some(name), title) => list(&capitalised(name), title.iter().map(|t| quoted(t)).collect()),
        Type::Class(name) => list("Class", name.iter().map(|n| n.to_string()).collect()),
        Type::Deferred => plain("Deferred"),
        Type::Error => plain("Error"),
    }
}

/// A type as its definition: of an object type with a name, all that it is made of.
pub fn expanded(ty: &Ty) -> String {
    match &**ty {
        Type::Object(Some(object)) if object.name.is_some() && object.params.is_empty() && object.arm.is_none() => {
            definition(object)
        }
        Type::Deferred => {
            let name = r"Pattern[/\A[$]?[a-z][a-z0-9_]*(?:::[a-z][a-z0-9_]*)*\z/]";
            let arguments = "{type => Optional[Array], value => undef}";
            format!("Object[{{name => 'Deferred', attributes => {{'name' => {name}, 'arguments' => {arguments}}}}}]")
        }
        _ => super::written_out(ty),
    }
}

fn definition(object: &ObjectType) -> String {
    let hash = |pairs: Vec<(&str, String)>| {
        let pairs: Vec<String> =
            pairs.into_iter().map(|(name, value)| format!("{} => {value}", quoted(name))).collect();
        format!("{{{}}}", pairs.join(", "))
    };
    let mut parts = vec![format!("name => {}", quoted(object.name.as_deref().unwrap_or_default()))];
    parts.extend(object.parent.iter().map(|parent| format!("parent => {}", text(parent))));
    let mut add = |key: &str, pairs: Vec<(&str, String)>| {
        if !pairs.is_empty() {
            parts.push(format!("{key} => {}", hash(pairs)));
        }
    };
    add("type_parameters", object.type_parameters.iter().map(|(name, value)| (&**name, inspect(value))).collect());
    let (constants, others): (Vec<_>, Vec<_>) =
        object.attributes.iter().partition(|attribute| attribute.kind == AttributeKind::Constant);
    add("attributes", others.iter().map(|attribute| (&*attribute.name, attribute_text(attribute))).collect());
    let value = |attribute: &&super::Attribute| attribute.value.as_ref().map(inspect).unwrap_or_default();
    add("constants", constants.iter().map(|attribute| (&*attribute.name, value(attribute))).collect());
    add("functions", object.functions.iter().map(|(name, ty)| (&**name, text(ty))).collect());
    if let Some(equality) = &object.equality {
        let names: Vec<String> = equality.iter().map(|name| quoted(name)).collect();
        parts.push(format!("equality => [{}]", names.join(", ")));
    }
    if !object.equality_includes_type {
        parts.push("equality_include_type => false".into());
    }
    format!("Object[{{{}}}]", parts.join(", "))
}

fn attribute_text(attribute: &super::Attribute) -> String {
    let mut parts = vec![format!("type => {}", text(&attribute.ty))];
    parts.extend(attribute.is_final.then(|| "final => true".to_string()));
    parts.extend(attribute.overrides.then(|| "override => true".to_string()));
    let kind = match attribute.kind {
        AttributeKind::Derived => Some("derived"),
        AttributeKind::GivenOrDerived => Some("given_or_derived"),
        AttributeKind::Reference => Some("reference"),
        _ => None,
    };
    parts.extend(kind.map(|kind| format!("kind => {kind}")));
    parts.extend(attribute.value.iter().map(|value| format!("value => {}", inspect(value))));
    if parts.len() == 1 { text(&attribute.ty) } else { format!("{{{}}}", parts.join(", ")) }
}
