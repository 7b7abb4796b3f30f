//! Object types and type sets, from their init hashes.

use std::sync::Arc;

use super::object_name;
use super::{Attribute, AttributeKind, ObjectType, Ty, Type, TypeSet};
use crate::lang::puppet::ast::Text;
use crate::lang::puppet::convert::string;
use crate::lang::puppet::issue::IssueName;
use crate::lang::puppet::stop::{About, Computed, Problem};
use crate::lang::puppet::value::{Map, Value};

fn names(value: &Value) -> Option<Vec<Text>> {
    match value {
        Value::Str(text) => Some(vec![text.clone()]),
        Value::Array(list) => list.iter().map(|v| if let Value::Str(t) = v { Some(t.clone()) } else { None }).collect(),
        _ => None,
    }
}

/// The entries of a hash whose keys are texts.
fn by_text(map: &Map) -> Vec<(Text, Value)> {
    map.iter().filter_map(|(k, v)| if let Value::Str(k) = k { Some((k.clone(), v.clone())) } else { None }).collect()
}

/// An object type from its init hash.
pub fn object(name: Option<Text>, init: &Value) -> Computed<Ty> {
    let Value::Hash(map) = init else { return Err(Problem::runtime("an Object type takes a hash")) };
    const KEYS: [&str; 10] = [
        "name",
        "parent",
        "type_parameters",
        "attributes",
        "constants",
        "functions",
        "equality",
        "equality_include_type",
        "checks",
        "annotations",
    ];
    for key in map.keys() {
        if !matches!(key, Value::Str(key) if KEYS.contains(&&**key) || &**key == "serialization") {
            return Err(Problem::wrong_type(format!(
                "object initializer has wrong type, unrecognized key '{}'",
                crate::lang::puppet::convert::string(key)
            )));
        }
    }
    let get = |key: &str| map.get(&Value::str(key));
    if let Some(Value::Type(parent)) = get("parent")
        && matches!(&**parent, Type::TypeSet(None))
    {
        return type_set(name, init);
    }
    let name = match (name, get("name")) {
        (None, Some(Value::Str(name))) => Some(name.clone()),
        (name, _) => name,
    };
    let parent = parent_of(get("parent"), name.as_deref())?;
    super::annotation::check_annotations(get("annotations"))?;
    let label = name.as_deref().unwrap_or("Object").to_string();
    let own = own_attributes(&label, get("attributes"), get("constants"))?;
    let inherited = parent.as_ref().map(attributes).unwrap_or_default();
    let inherited_equality = parent.as_ref().map(equality).unwrap_or_default();
    for name in get("equality").and_then(names).unwrap_or_default() {
        if inherited_equality.contains(&name) {
            let parent = parent.as_ref().map(object_name).unwrap_or_default();
            return Err(Problem::runtime(format!(
                "{label} equality is referencing attribute {parent}[{name}] which is included in equality of {parent}"
            )));
        }
    }
    check_overrides(&label, &own, &inherited)?;
    let functions = match get("functions") {
        Some(Value::Hash(map)) => map
            .iter()
            .filter_map(|(k, v)| match (k, v) {
                (Value::Str(name), Value::Type(ty)) => Some((name.clone(), ty.clone())),
                (Value::Str(name), Value::Hash(spec)) => match spec.get(&Value::str("type")) {
                    Some(Value::Type(ty)) => Some((name.clone(), ty.clone())),
                    _ => None,
                },
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    };
    let type_parameters = match get("type_parameters") {
        Some(Value::Hash(map)) => by_text(map),
        _ => Vec::new(),
    };
    let object = ObjectType {
        name,
        parent,
        type_parameters,
        params: Vec::new(),
        attributes: own,
        functions,
        equality: get("equality").and_then(names),
        equality_includes_type: !matches!(get("equality_include_type"), Some(Value::Bool(false))),
        init: by_text(map),
        arm: None,
    };
    Ok(Type::Object(Some(Arc::new(object))).into())
}

/// The resolved parent of an object type.
fn parent_of(declared: Option<&Value>, name: Option<&str>) -> Computed<Option<Ty>> {
    let ty = match declared {
        Some(Value::Type(ty)) => ty,
        Some(Value::Undef) | None => return Ok(None),
        Some(_) => {
            return Err(Problem::wrong_type("object initializer has wrong type, entry 'parent' expects a Type value"));
        }
    };
    match &**ty {
        Type::Alias(alias) => match alias.resolved.get() {
            Some(resolved) => Ok(Some(resolved.clone())),
            None => {
                let own = name.unwrap_or("Object");
                Err(Problem::runtime(format!("The Object type '{own}' inherits from itself")))
            }
        },
        Type::Resource(Some(_), None) => Err(Problem::runtime(format!("reference to unresolved type '{ty}'"))),
        _ => Ok(Some(ty.clone())),
    }
}

/// The attributes and constants that an object type declares.
fn own_attributes(label: &str, attributes: Option<&Value>, constants: Option<&Value>) -> Computed<Vec<Attribute>> {
    let mut own = Vec::new();
    if let Some(Value::Hash(attributes)) = attributes {
        for (key, spec) in attributes.iter() {
            let Value::Str(key) = key else { return Err(Problem::runtime("an attribute's name is a string")) };
            own.push(attribute(label, key, spec)?);
        }
    }
    if let Some(Value::Hash(constants)) = constants {
        for (key, value) in constants.iter() {
            let Value::Str(key) = key else { return Err(Problem::runtime("a constant's name is a string")) };
            if own.iter().any(|a: &Attribute| a.name == *key) {
                return Err(Problem::runtime(format!(
                    "attribute {label}[{key}] is defined as both a constant and an attribute"
                )));
            }
            let ty = super::generalise(&super::infer(value));
            let plain = Attribute::plain(key.clone(), ty);
            own.push(Attribute { kind: AttributeKind::Constant, value: Some(value.clone()), is_final: true, ..plain });
        }
    }
    Ok(own)
}

/// Fails for an attribute that overrides an inherited one as it may not.
fn check_overrides(label: &str, own: &[Attribute], inherited: &[Attribute]) -> Computed<()> {
    for attribute in own {
        let before = inherited.iter().find(|a| a.name == attribute.name);
        let what = format!("attribute {label}[{}]", attribute.name);
        let message = match before {
            Some(before)
                if before.is_final && before.kind != AttributeKind::Constant
                    || !attribute.overrides && attribute.kind != AttributeKind::Constant =>
            {
                format!("{what} attempts to override an inherited attribute without having override => true")
            }
            None if attribute.overrides => {
                format!("expected {what} to override an inherited attribute, but no such attribute was found")
            }
            Some(before) if !super::assignable(&before.ty, &attribute.ty) => {
                format!("{what} attempts to override an inherited attribute with a type that does not match")
            }
            _ => continue,
        };
        return Err(Problem::runtime(message));
    }
    Ok(())
}

fn attribute(of: &str, name: &Text, spec: &Value) -> Computed<Attribute> {
    let plain = |ty: &Ty| Attribute::plain(name.clone(), ty.clone());
    match spec {
        Value::Type(ty) => Ok(plain(ty)),
        Value::Hash(map) => {
            let get = |key: &str| map.get(&Value::str(key));
            let Some(Value::Type(ty)) = get("type") else {
                return Err(Problem::wrong_type(format!("attribute {of}[{name}] expects a value for key 'type'")));
            };
            let kind = match get("kind") {
                None => AttributeKind::Normal,
                Some(Value::Str(kind)) => match &**kind {
                    "constant" => AttributeKind::Constant,
                    "derived" => AttributeKind::Derived,
                    "given_or_derived" => AttributeKind::GivenOrDerived,
                    "reference" => AttributeKind::Reference,
                    other => {
                        return Err(Problem::wrong_type(format!(
                            "attribute {of}[{name}] entry 'kind' expects a match for Enum['constant', 'derived', 'given_or_derived', 'reference'], got '{other}'"
                        )));
                    }
                },
                Some(_) => {
                    return Err(Problem::wrong_type(format!("attribute {of}[{name}] entry 'kind' expects a string")));
                }
            };
            let value = get("value").cloned();
            if let Some(value) = &value {
                if matches!(kind, AttributeKind::Derived | AttributeKind::GivenOrDerived) {
                    return Err(Problem::runtime(format!(
                        "attribute {of}[{name}] of kind derived cannot be combined with an attribute value"
                    )));
                }
                if !matches!(value, Value::Default) && !super::is_instance(ty, value) {
                    let why = super::describe_mismatch(ty, value);
                    return Err(Problem::wrong_type(format!("attribute {of}[{name}] value {why}")));
                }
            }
            if kind == AttributeKind::Constant && value.is_none() {
                return Err(Problem::runtime(format!("attribute {of}[{name}] of kind 'constant' requires a value")));
            }
            let flag = |key: &str| matches!(get(key), Some(Value::Bool(true)));
            Ok(Attribute { kind, value, is_final: flag("final"), overrides: flag("override"), ..plain(ty) })
        }
        _ => Err(Problem::wrong_type(format!("attribute {of}[{name}] has wrong type"))),
    }
}

/// All attributes, those of the parent first.
pub fn attributes(ty: &Ty) -> Vec<Attribute> {
    match &**ty {
        Type::Object(Some(object)) => {
            let mut all = object.parent.as_ref().map(attributes).unwrap_or_default();
            for attribute in &object.attributes {
                match all.iter_mut().find(|a| a.name == attribute.name) {
                    Some(before) => *before = attribute.clone(),
                    None => all.push(attribute.clone()),
                }
            }
            all
        }
        Type::Alias(alias) => alias.resolved.get().map(attributes).unwrap_or_default(),
        _ => Vec::new(),
    }
}

/// The attributes that count when instances of a type are compared.
fn equality(ty: &Ty) -> Vec<Text> {
    match &**ty {
        Type::Object(Some(object)) => {
            let own = || object.attributes.iter().filter(|a| a.kind != AttributeKind::Constant);
            let own = object.equality.clone().unwrap_or_else(|| own().map(|a| a.name.clone()).collect());
            own.into_iter().chain(object.parent.iter().flat_map(equality)).collect()
        }
        Type::Alias(alias) => alias.resolved.get().map(equality).unwrap_or_default(),
        _ => Vec::new(),
    }
}

/// The type that an alias gives a name: an object type or a type set takes it.
pub fn with_name(ty: &Ty, name: &Text) -> Ty {
    match &**ty {
        Type::Object(Some(object)) if object.name.is_none() => {
            let named = ObjectType { name: Some(name.clone()), ..(**object).clone() };
            Type::Object(Some(Arc::new(named))).into()
        }
        Type::TypeSet(Some(set)) if set.name.is_none() => {
            let types = set.types.iter().map(|(n, t)| {
                let full: Text = format!("{name}::{n}").into();
                (n.clone(), with_name(t, &full))
            });
            let named = TypeSet { name: Some(name.clone()), types: types.collect(), ..(**set).clone() };
            Type::TypeSet(Some(Arc::new(named))).into()
        }
        _ => ty.clone(),
    }
}

pub(super) fn type_set(name: Option<Text>, init: &Value) -> Computed<Ty> {
    let Value::Hash(map) = init else { return Err(Problem::runtime("a TypeSet takes a hash")) };
    let get = |key: &str| map.get(&Value::str(key));
    let version = match get("version") {
        None if get("pcore_version").is_some() => "".into(),
        Some(Value::Str(version)) => version.clone(),
        Some(Value::SemVer(version)) => version.to_string().into(),
        _ => {
            return Err(Problem::wrong_type("TypeSet initializer has wrong type, expects a value for key 'version'"));
        }
    };
    let types = match get("types") {
        Some(Value::Hash(map)) => map
            .iter()
            .filter_map(|(k, v)| match (k, v) {
                (Value::Str(name), Value::Type(ty)) => Some((name.clone(), ty.clone())),
                (Value::Str(name), init @ Value::Hash(_)) => object(None, init).ok().map(|ty| (name.clone(), ty)),
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    };
    let set = TypeSet { name, version, types, init: by_text(map) };
    Ok(Type::TypeSet(Some(Arc::new(set))).into())
}

/// `T['x']` or `T[{p => 'x'}]`: the same type with type parameters set.
pub(super) fn parameterise(base: &Ty, object: &ObjectType, keys: &[Value]) -> Computed<Ty> {
    let known = &object.type_parameters;
    if known.is_empty() {
        return Err(Problem::new(
            IssueName::BadTypeSpecialization,
            format!("The {base}-Type cannot be parameterized using []"),
        )
        .about(About::Key(0)));
    }
    if keys.len() > known.len() {
        return Err(Problem::new(
            IssueName::BadTypeSliceArity,
            format!("{base}[] takes at most {} arguments", known.len()),
        ));
    }
    let mut params = Vec::new();
    if let [Value::Hash(map)] = keys {
        for (key, value) in map.iter() {
            match key {
                Value::Str(name) if known.iter().any(|(n, _)| n == name) => params.push((name.clone(), value.clone())),
                _ => {
                    return Err(Problem::runtime(format!(
                        "'{}' is not a known type parameter for {base}-Type",
                        string(key)
                    )));
                }
            }
        }
    } else {
        for ((name, _), key) in known.iter().zip(keys) {
            if !matches!(key, Value::Default) {
                params.push((name.clone(), key.clone()));
            }
        }
    }
    if params.is_empty() {
        return Err(Problem::runtime(format!("The {base}-Type cannot be parameterized using an empty parameter list")));
    }
    for (name, value) in &params {
        let wanted = match known.iter().find(|(n, _)| n == name) {
            Some((_, Value::Type(ty))) => ty.clone(),
            Some((_, spec)) => match spec.get("type") {
                Some(Value::Type(ty)) => ty.clone(),
                _ => continue,
            },
            None => continue,
        };
        if !super::is_instance(&wanted, value) {
            let why = super::describe_mismatch(&wanted, value);
            return Err(Problem::wrong_type(format!("type parameter '{name}' of {base} {why}")));
        }
    }
    Ok(Type::Object(Some(Arc::new(ObjectType { params, ..object.clone() }))).into())
}

/// Whether the attributes of an instance are as the type parameters want them.
pub(super) fn params_hold(params: &[(Text, Value)], attributes: &[(Text, Value)]) -> bool {
    params.iter().all(|(name, wanted)| {
        let found = attributes.iter().find(|(n, _)| n == name).map_or(&Value::Undef, |(_, v)| v);
        param_fits(wanted, found)
    })
}

/// Whether a value, or another parameter, is within what a parameter allows.
pub(super) fn param_fits(wanted: &Value, found: &Value) -> bool {
    match (wanted, found) {
        (Value::Type(a), Value::Type(b)) => super::assignable(a, b),
        (Value::Type(ty), found) => super::is_instance(ty, found),
        (Value::Regexp(regexp), Value::Str(text)) => regexp.is_match(text).unwrap_or(false),
        (wanted, found) => wanted == found,
    }
}

/// Errors: what happened, with kind and code as type parameters.
pub(super) fn error() -> Ty {
    static ERROR: std::sync::OnceLock<Ty> = std::sync::OnceLock::new();
    ERROR
        .get_or_init(|| {
            let text: Ty = Type::String(super::Size { from: 1, to: i64::MAX }).into();
            let optional: Ty = Type::Optional(text.clone()).into();
            let parameter = Value::Type(Type::Any.into());
            let attribute = |name: &str, ty: &Ty| Attribute::plain(name.into(), ty.clone());
            let details: Ty =
                Type::Optional(Type::Hash(text.clone(), Type::Data.into(), super::Size::ANY).into()).into();
            let object = ObjectType {
                type_parameters: vec![("kind".into(), parameter.clone()), ("issue_code".into(), parameter)],
                attributes: vec![
                    attribute("msg", &text),
                    attribute("kind", &optional),
                    attribute("details", &details),
                    attribute("issue_code", &optional),
                ],
                ..ObjectType::opaque("Error".into(), None, None)
            };
            Type::Object(Some(Arc::new(object))).into()
        })
        .clone()
}

/// The type of an instance; of one with type parameters, these as the instance has them.
pub(super) fn exact(instance: &crate::lang::puppet::value::Object) -> Ty {
    let Type::Object(Some(object)) = &*instance.ty else { return instance.ty.clone() };
    if object.type_parameters.is_empty() {
        return instance.ty.clone();
    }
    let found = object.type_parameters.iter().filter_map(|(name, _)| {
        let (_, value) = instance.attributes.iter().find(|(n, _)| n == name)?;
        (*value != Value::Undef).then(|| (name.clone(), value.clone()))
    });
    Type::Object(Some(Arc::new(ObjectType { params: found.collect(), ..(**object).clone() }))).into()
}
