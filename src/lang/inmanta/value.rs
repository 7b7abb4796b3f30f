//! Values of the language, equal and ordered as in Python.

use std::sync::Arc;

use num_bigint::BigInt;
use num_traits::{FromPrimitive, ToPrimitive};

/// An instance of an entity, by its number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InstanceId(pub u32);

/// How deep dictionaries may nest; a program could build one level a line.
pub const NESTING: u32 = 500;

/// A value of the language.
#[derive(Clone, Debug)]
pub enum Value {
    Null,
    Bool(bool),
    Int(i64),
    /// An integer that does not fit into 64 bits.
    Big(Arc<BigInt>),
    Float(f64),
    Str(Arc<str>),
    List(Arc<Vec<Value>>),
    Dict(Arc<Dict>),
    Instance(InstanceId),
    /// A value that is not known yet; each is equal only to itself.
    Unknown(u32),
    /// What a comprehension's guard leaves out. Never seen by a program.
    Skipped,
}

/// A dictionary in the order of insertion.
#[derive(Debug, Default)]
pub struct Dict {
    pub items: Vec<(Arc<str>, Value)>,
    /// How deep it nests.
    pub depth: u32,
}

impl Dict {
    /// Returns the value of a key.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.items.iter().find(|(name, _)| &**name == key).map(|(_, value)| value)
    }
}

impl Value {
    /// Makes a string.
    pub fn str(text: impl Into<Arc<str>>) -> Self {
        Value::Str(text.into())
    }

    /// Makes a list.
    pub fn list(items: Vec<Value>) -> Self {
        Value::List(Arc::new(items))
    }

    /// Makes a dictionary with its entries in this order; the keys must differ.
    pub fn dict(items: Vec<(Arc<str>, Value)>) -> Self {
        let depth = 1 + items.iter().map(|(_, value)| value.depth()).max().unwrap_or(0);
        Value::Dict(Arc::new(Dict { items, depth }))
    }

    /// An integer in the smaller form where it fits.
    pub fn integer(number: BigInt) -> Self {
        number.to_i64().map_or_else(|| Value::Big(Arc::new(number)), Value::Int)
    }

    /// How deep dictionaries nest in this value.
    pub fn depth(&self) -> u32 {
        match self {
            Value::Dict(dict) => dict.depth,
            // Lists are flat: what nests in them are dictionaries.
            Value::List(items) => 1 + items.iter().map(Value::depth).max().unwrap_or(0),
            _ => 0,
        }
    }

    /// Whether the value is not known yet.
    pub fn is_unknown(&self) -> bool {
        matches!(self, Value::Unknown(_))
    }

    /// The number of an integer or a bool.
    pub fn as_big(&self) -> Option<BigInt> {
        match self {
            Value::Bool(flag) => Some(BigInt::from(u8::from(*flag))),
            Value::Int(number) => Some(BigInt::from(*number)),
            Value::Big(number) => Some((**number).clone()),
            _ => None,
        }
    }

    /// Returns a number or boolean as a float, rounded if necessary; `None` for other values.
    pub fn as_float(&self) -> Option<f64> {
        match self {
            Value::Bool(flag) => Some(f64::from(u8::from(*flag))),
            Value::Int(number) => Some(*number as f64),
            Value::Big(number) => number.to_f64(),
            Value::Float(number) => Some(*number),
            _ => None,
        }
    }

    /// Whether Python treats the value as a number: a number or a boolean.
    pub fn is_number(&self) -> bool {
        matches!(self, Value::Bool(_) | Value::Int(_) | Value::Big(_) | Value::Float(_))
    }

    /// Python's name of the type.
    pub fn type_name(&self) -> &'static str {
        match self {
            Value::Null => "NoneValue",
            Value::Bool(_) => "bool",
            Value::Int(_) | Value::Big(_) => "int",
            Value::Float(_) => "float",
            Value::Str(_) => "str",
            Value::List(_) => "list",
            Value::Dict(_) => "dict",
            Value::Instance(_) => "Instance",
            Value::Unknown(_) => "Unknown",
            Value::Skipped => "object",
        }
    }
}

/// How two numbers compare; `None` with a NaN or with something that is not a number.
pub fn compare(left: &Value, right: &Value) -> Option<std::cmp::Ordering> {
    match (left, right) {
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
        (Value::Float(a), Value::Float(b)) => a.partial_cmp(b),
        (Value::Float(a), _) => compare_mixed(right, *a).map(std::cmp::Ordering::reverse),
        (_, Value::Float(b)) => compare_mixed(left, *b),
        _ => Some(left.as_big()?.cmp(&right.as_big()?)),
    }
}

/// An integer against a float, exactly.
fn compare_mixed(whole: &Value, float: f64) -> Option<std::cmp::Ordering> {
    let whole = whole.as_big()?;
    if float.is_nan() {
        return None;
    }
    if float.is_infinite() {
        return Some(if float > 0.0 { std::cmp::Ordering::Less } else { std::cmp::Ordering::Greater });
    }
    let floor = BigInt::from_f64(float.floor())?;
    Some(whole.cmp(&floor).then(if float.fract() == 0.0 {
        std::cmp::Ordering::Equal
    } else {
        std::cmp::Ordering::Less
    }))
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Value::Null, Value::Null) | (Value::Skipped, Value::Skipped) => true,
            (Value::Str(a), Value::Str(b)) => a == b,
            (Value::Instance(a), Value::Instance(b)) => a == b,
            (Value::Unknown(a), Value::Unknown(b)) => a == b,
            (Value::List(a), Value::List(b)) => Arc::ptr_eq(a, b) || a == b,
            (Value::Dict(a), Value::Dict(b)) => {
                Arc::ptr_eq(a, b)
                    || (a.items.len() == b.items.len()
                        && a.items.iter().all(|(key, value)| b.get(key).is_some_and(|other| other == value)))
            }
            (a, b) if a.is_number() && b.is_number() => compare(a, b) == Some(std::cmp::Ordering::Equal),
            _ => false,
        }
    }
}

/// Python's `bool`.
pub fn is_true(value: &Value) -> bool {
    match value {
        Value::Null | Value::Instance(_) | Value::Unknown(_) | Value::Skipped | Value::Big(_) => true,
        Value::Bool(flag) => *flag,
        Value::Int(number) => *number != 0,
        Value::Float(number) => *number != 0.0,
        Value::Str(text) => !text.is_empty(),
        Value::List(items) => !items.is_empty(),
        Value::Dict(dict) => !dict.items.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::Value;

    #[test]
    fn numbers_are_equal_as_in_python() {
        assert_eq!(Value::Int(1), Value::Float(1.0));
        assert_eq!(Value::Int(1), Value::Bool(true));
        assert_ne!(Value::Int(9_007_199_254_740_993), Value::Float(9_007_199_254_740_992.0));
        assert_ne!(Value::Float(f64::NAN), Value::Float(f64::NAN));
        assert_ne!(Value::Unknown(1), Value::Unknown(2));
    }
}
