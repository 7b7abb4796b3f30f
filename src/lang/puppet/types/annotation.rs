//! Annotations: objects that say something about a type or about another object.

use std::sync::{Arc, LazyLock};

use super::{Ty, Type, object, object_name};
use crate::lang::puppet::stop::{Computed, Problem};
use crate::lang::puppet::value::{Map, Value};

/// The object types that every program knows.
pub fn known_object(name: &str) -> Option<Ty> {
    static ANNOTATION: LazyLock<Option<Ty>> = LazyLock::new(|| made("Annotation", []));
    static RUBY_METHOD: LazyLock<Option<Ty>> = LazyLock::new(|| {
        let text = |from| Ty::from(Type::String(super::Size { from, to: i64::MAX }));
        let optional = Value::Type(Type::Optional(text(1)).into());
        let attributes =
            [("body", Value::Type(text(0))), ("parameters", map([("type", optional), ("value", Value::Undef)]))];
        let parent = known_object("annotation").map_or(Value::Undef, Value::Type);
        made("RubyMethod", [("parent", parent), ("attributes", map(attributes))])
    });
    match &*name.to_lowercase() {
        "annotation" => ANNOTATION.clone(),
        "rubymethod" => RUBY_METHOD.clone(),
        _ => None,
    }
}

fn map<const N: usize>(entries: [(&str, Value); N]) -> Value {
    Value::hash(entries.into_iter().map(|(key, value)| (Value::str(key), value)).collect::<Map>())
}

fn made<const N: usize>(name: &str, init: [(&str, Value); N]) -> Option<Ty> {
    object(Some(name.into()), &map(init)).ok()
}

/// Whether instances of an object type are annotations.
pub fn is_annotation(ty: &Ty) -> bool {
    match &**ty {
        Type::Object(Some(object)) => {
            object.name.as_deref() == Some("Annotation") || object.parent.as_ref().is_some_and(is_annotation)
        }
        _ => false,
    }
}

/// The values of a type's annotation of this type.
pub fn declared_annotation(of: &Ty, annotation: &Ty) -> Option<Value> {
    let Type::Object(Some(object)) = &**of else { return None };
    let (_, Value::Hash(all)) = object.init.iter().find(|(key, _)| &**key == "annotations")? else { return None };
    let name = object_name(annotation);
    let is_it = |key: &Value| matches!(key, Value::Type(ty) if object_name(ty) == name);
    all.iter().find(|(key, _)| is_it(key)).map(|(_, value)| value.clone())
}

/// Refuses annotations that are none.
pub(super) fn check_annotations(annotations: Option<&Value>) -> Computed<()> {
    let fits = match annotations {
        None | Some(Value::Undef) => true,
        Some(Value::Hash(all)) => all
            .iter()
            .all(|(key, value)| matches!(key, Value::Type(ty) if is_annotation(ty)) && matches!(value, Value::Hash(_))),
        Some(_) => false,
    };
    if fits {
        return Ok(());
    }
    let expected = r"Hash[Type[Annotation], Hash[Pattern[/\A[a-z_]\w*\z/], Any]]";
    let got = annotations.map_or_else(String::new, |value| super::infer_generic(value).to_string());
    Err(Problem::wrong_type(format!(
        "object initializer has wrong type, entry 'annotations' expects a value of type Undef or {expected}, got {got}"
    )))
}

/// An annotation, and what it is attached to.
pub struct Annotation {
    pub of: Value,
    pub value: Value,
}

impl Annotation {
    /// Whether it is the one of this type that is attached to a value.
    pub fn is(&self, ty: &Ty, of: &Value) -> bool {
        let Value::Object(own) = &self.value else { return false };
        let is_same = match (&self.of, of) {
            (Value::Object(a), Value::Object(b)) => Arc::ptr_eq(a, b),
            (a, b) => a == b,
        };
        is_same && object_name(&own.ty) == object_name(ty)
    }
}
