//! Values of the Puppet language. Everything large is shared; `Eq` and `Hash` are those of hash keys (`1` and `1.0` differ).

use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::Arc;

use indexmap::IndexMap;

use super::arm::Instance;
use super::ast::Text;
use super::semver::{Range, Version};
use super::types::Ty;
use crate::lang::ruby::regexp::Regexp;

/// A hash in order of insertion.
pub type Map = IndexMap<Value, Value, rustc_hash::FxBuildHasher>;

/// A value of the language.
#[derive(Clone, Debug, Default)]
pub enum Value {
    #[default]
    Undef,
    Default,
    Bool(bool),
    Int(i64),
    Float(f64),
    Str(Text),
    Regexp(Arc<Regexp>),
    Array(Arc<Vec<Value>>),
    Hash(Arc<Map>),
    /// A type, also a reference to a resource or a class.
    Type(Ty),
    /// An instance of an Object type.
    Object(Arc<Object>),
    Sensitive(Arc<Value>),
    Iterator(Arc<Items>),
    /// Nanoseconds.
    Timespan(i128),
    /// Nanoseconds since 1970.
    Timestamp(i128),
    SemVer(Arc<Version>),
    SemVerRange(Arc<Range>),
    Binary(Arc<[u8]>),
    Uri(Text),
    /// What is known only while applying, or what only Ruby could compute. A text of which a part is unknown is unknown as
    /// a whole; it is here as messages show it.
    Unknown(Option<Text>),
}

/// An instance: its type and its attributes in their order.
#[derive(Debug)]
pub struct Object {
    pub ty: Ty,
    pub attributes: Vec<(Text, Value)>,
    /// Of a type with features, what they hold; then there are no attributes.
    pub arm: Option<Instance>,
}

impl Object {
    /// Makes an object of a type without features.
    pub fn new(ty: Ty, attributes: Vec<(Text, Value)>) -> Self {
        Self { ty, attributes, arm: None }
    }

    /// What it holds, as it is written.
    pub fn entries(&self) -> Vec<(Text, Value)> {
        match &self.arm {
            Some(instance) => instance.entries(true),
            None => self.attributes.clone(),
        }
    }

    /// What its features hold, also what is not written.
    fn stored(&self) -> Vec<(Text, Value)> {
        self.arm.iter().flat_map(|instance| instance.entries(false)).collect()
    }
}

/// What `reverse_each`, `step` and `tree_each` give: iterated, not indexed.
#[derive(Debug)]
pub struct Items {
    pub items: Vec<Value>,
}

impl Value {
    /// Makes a String.
    pub fn str(text: impl Into<Text>) -> Self {
        Value::Str(text.into())
    }

    /// Makes an Array.
    pub fn array(list: Vec<Value>) -> Self {
        Value::Array(Arc::new(list))
    }

    /// Makes a Hash.
    pub fn hash(map: Map) -> Self {
        Value::Hash(Arc::new(map))
    }

    /// Only `undef` and `false` are false.
    pub fn is_true(&self) -> bool {
        !matches!(self, Value::Undef | Value::Bool(false))
    }

    /// Whether it depends on an unknown value whether this counts as true. A text always does.
    pub fn is_open(&self) -> bool {
        matches!(self, Value::Unknown(None))
    }

    /// Returns the text of a String.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::Str(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the value of a String key, if the value is a Hash.
    pub fn get(&self, key: &str) -> Option<&Value> {
        match self {
            Value::Hash(map) => map.get(&Value::str(key)),
            _ => None,
        }
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        use Value::*;
        match (self, other) {
            (Undef, Undef) | (Default, Default) => true,
            (Bool(a), Bool(b)) => a == b,
            (Int(a), Int(b)) => a == b,
            (Float(a), Float(b)) => a.to_bits() == b.to_bits(),
            (Str(a), Str(b)) | (Uri(a), Uri(b)) => a == b,
            (Regexp(a), Regexp(b)) => a.source == b.source,
            (Array(a), Array(b)) => a == b,
            (Hash(a), Hash(b)) => **a == **b,
            (Type(a), Type(b)) => a == b,
            (Object(a), Object(b)) => {
                Arc::ptr_eq(a, b)
                    || a.ty == b.ty && a.attributes == b.attributes && (a.arm.is_none() || a.stored() == b.stored())
            }
            (Sensitive(a), Sensitive(b)) => a == b,
            (Iterator(a), Iterator(b)) => Arc::ptr_eq(a, b),
            (Timespan(a), Timespan(b)) | (Timestamp(a), Timestamp(b)) => a == b,
            (SemVer(a), SemVer(b)) => a == b,
            (SemVerRange(a), SemVerRange(b)) => a == b,
            (Binary(a), Binary(b)) => a == b,
            (Unknown(a), Unknown(b)) => a == b,
            _ => false,
        }
    }
}

impl Eq for Value {}

impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::mem::discriminant(self).hash(state);
        match self {
            Value::Undef | Value::Default => {}
            Value::Bool(value) => value.hash(state),
            Value::Int(value) => value.hash(state),
            Value::Float(value) => value.to_bits().hash(state),
            Value::Str(text) | Value::Uri(text) => text.hash(state),
            Value::Regexp(regexp) => regexp.source.hash(state),
            Value::Array(list) => list.hash(state),
            Value::Hash(map) => {
                // In any order, as they are compared.
                let one = |entry: (&Value, &Value)| rustc_hash::FxBuildHasher.hash_one(entry);
                map.iter().map(one).fold(0u64, u64::wrapping_add).hash(state);
            }
            Value::Type(ty) => ty.hash(state),
            Value::Object(object) => object.attributes.hash(state),
            Value::Sensitive(value) => value.hash(state),
            Value::Iterator(items) => items.items.len().hash(state),
            Value::Timespan(value) | Value::Timestamp(value) => value.hash(state),
            Value::SemVer(version) => (version.major, version.minor, version.patch).hash(state),
            Value::SemVerRange(range) => range.text.hash(state),
            Value::Binary(bytes) => bytes.hash(state),
            Value::Unknown(text) => text.hash(state),
        }
    }
}

/// The values of a list; arrays are replaced by their items, at any depth.
pub fn flattened(list: &[Value]) -> Vec<Value> {
    let mut out = Vec::new();
    list.iter().for_each(|value| flatten(value, &mut out));
    out
}

/// Appends a value to a list; arrays are replaced by their items, at any depth.
pub fn flatten(value: &Value, out: &mut Vec<Value>) {
    match value {
        Value::Array(list) => list.iter().for_each(|v| flatten(v, out)),
        other => out.push(other.clone()),
    }
}
