//! mcl's values during evaluation: cheap to copy, with the language's equality and order.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::rc::Rc;

use smol_str::SmolStr;

use super::eval::Closure;

/// A value. Evaluation is single-threaded; its results are [`crate::graph::Value`]s.
#[derive(Clone, Debug)]
pub enum Value {
    Bool(bool),
    Int(i64),
    Float(f64),
    Str(Rc<str>),
    /// Text that is not UTF-8, and never text that is: see [`Value::text`].
    Bytes(Rc<[u8]>),
    List(Rc<Vec<Value>>),
    Map(Rc<BTreeMap<Value, Value>>),
    /// Fields in the order of the type.
    Struct(Rc<Vec<(SmolStr, Value)>>),
    Func(Rc<Closure>),
}

impl Value {
    /// Makes a `str`.
    pub fn str(text: impl Into<Rc<str>>) -> Self {
        Value::Str(text.into())
    }

    /// Text from bytes, which need not be UTF-8.
    pub fn text(bytes: Vec<u8>) -> Self {
        match String::from_utf8(bytes) {
            Ok(text) => Value::str(text),
            Err(error) => Value::Bytes(error.into_bytes().into()),
        }
    }

    /// The bytes of a text.
    pub fn as_bytes(&self) -> Option<&[u8]> {
        match self {
            Value::Str(text) => Some(text.as_bytes()),
            Value::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// Makes a list.
    pub fn list(items: Vec<Value>) -> Self {
        Value::List(Rc::new(items))
    }

    /// The kind of its type, in the words of error messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Bool(_) => "bool",
            Value::Int(_) => "int",
            Value::Float(_) => "float",
            Value::Str(_) | Value::Bytes(_) => "str",
            Value::List(_) => "list",
            Value::Map(_) => "map",
            Value::Struct(_) => "struct",
            Value::Func(_) => "func",
        }
    }

    /// For ordering values of different kinds, which well-typed programs never do.
    fn rank(&self) -> u8 {
        match self {
            Value::Bool(_) => 0,
            Value::Int(_) => 1,
            Value::Float(_) => 2,
            Value::Str(_) | Value::Bytes(_) => 3,
            Value::List(_) => 4,
            Value::Map(_) => 5,
            Value::Struct(_) => 6,
            Value::Func(_) => 7,
        }
    }
}

impl Ord for Value {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
            (Value::Int(a), Value::Int(b)) => a.cmp(b),
            (Value::Float(a), Value::Float(b)) => a.total_cmp(b),
            (Value::Str(a), Value::Str(b)) => a.cmp(b),
            (Value::Str(_) | Value::Bytes(_), Value::Str(_) | Value::Bytes(_)) => {
                self.as_bytes().cmp(&other.as_bytes())
            }
            (Value::List(a), Value::List(b)) => a.cmp(b),
            (Value::Map(a), Value::Map(b)) => a.cmp(b),
            (Value::Struct(a), Value::Struct(b)) => a.cmp(b),
            (Value::Func(a), Value::Func(b)) => Rc::as_ptr(a).cmp(&Rc::as_ptr(b)),
            (a, b) => a.rank().cmp(&b.rank()),
        }
    }
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            // As in the language: 0.0 equals -0.0, NaN equals nothing.
            (Value::Float(a), Value::Float(b)) => a == b,
            (Value::Str(a), Value::Str(b)) => a == b,
            (a, b) => a.cmp(b) == Ordering::Equal,
        }
    }
}

impl Eq for Value {}

/// How many parts of two values are compared before they count as different.
const SAME: u32 = 1_000_000;

/// Whether two values are indistinguishable: stricter than `==`, which considers 0.0 and -0.0 equal; functions are
/// compared by their code. Values that are too large count as different.
pub fn same(left: &Value, right: &Value) -> bool {
    let mut pairs = vec![(left, right)];
    let mut fuel = SAME;
    while let Some((left, right)) = pairs.pop() {
        fuel = fuel.saturating_sub(1);
        let alike = match (left, right) {
            _ if fuel == 0 => false,
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Int(a), Value::Int(b)) => a == b,
            (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits(),
            (Value::Str(a), Value::Str(b)) => a == b,
            (Value::Bytes(a), Value::Bytes(b)) => a == b,
            (Value::Func(a), Value::Func(b)) => a == b,
            (Value::List(a), Value::List(b)) if Rc::ptr_eq(a, b) => true,
            (Value::Map(a), Value::Map(b)) if Rc::ptr_eq(a, b) => true,
            (Value::Struct(a), Value::Struct(b)) if Rc::ptr_eq(a, b) => true,
            (Value::List(a), Value::List(b)) => {
                pairs.extend(a.iter().zip(b.iter()));
                a.len() == b.len()
            }
            (Value::Map(a), Value::Map(b)) => {
                pairs.extend(a.iter().zip(b.iter()).flat_map(|((k, v), (l, w))| [(k, l), (v, w)]));
                a.len() == b.len()
            }
            (Value::Struct(a), Value::Struct(b)) => {
                pairs.extend(a.iter().zip(b.iter()).map(|((_, a), (_, b))| (a, b)));
                a.len() == b.len()
            }
            _ => false,
        };
        if !alike {
            return false;
        }
    }
    true
}
