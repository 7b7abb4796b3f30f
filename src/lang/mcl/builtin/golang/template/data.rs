//! Values in templates, with the types that Go distinguishes.

use std::cmp::Ordering;
use std::rc::Rc;

use crate::lang::mcl::builtin::call::Failure;
use crate::lang::mcl::builtin::golang::strings::title;
use crate::lang::mcl::value::Value;

/// How deep values may be nested.
const DEPTH: u32 = 500;

/// A value in a template.
#[derive(Clone, Debug)]
pub enum Data {
    Nil,
    Bool(bool),
    Int(i64, Width),
    Float(f64),
    Str(Rc<str>),
    List(Rc<Vec<Data>>),
    Map(Rc<Map>),
    /// A struct that is the key of a map. Any other struct is a map by its field names.
    Key(Rc<Vec<(Rc<str>, Data)>>),
}

/// The kind of a Go integer: mcl's are `int64`, those of templates `int`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    Int,
    Int64,
    Byte,
}

/// A map in the order of its keys.
#[derive(Debug)]
pub struct Map {
    /// Whether its keys are texts, and can be used after a dot.
    pub by_name: bool,
    pub pairs: Vec<(Data, Data)>,
}

impl Map {
    /// Returns the value of a key.
    pub fn get(&self, key: &Data) -> Option<&Data> {
        let at = self.pairs.binary_search_by(|(known, _)| known.order(key)).ok()?;
        Some(&self.pairs[at].1)
    }
}

impl Data {
    /// Makes a string.
    pub fn text(text: &str) -> Self {
        Data::Str(text.into())
    }

    /// Converts a value of the language; calls `pay` for each part.
    pub fn of(value: &Value, pay: &mut dyn FnMut(u64) -> Result<(), Failure>) -> Result<Self, Failure> {
        Self::nested(value, 0, pay)
    }

    fn nested(value: &Value, depth: u32, pay: &mut dyn FnMut(u64) -> Result<(), Failure>) -> Result<Self, Failure> {
        pay(1)?;
        if depth > DEPTH {
            return Err(Failure::fatal("the template data is nested too deep"));
        }
        let mut inner = |value: &Value| Self::nested(value, depth + 1, pay);
        Ok(match value {
            Value::Bool(value) => Data::Bool(*value),
            Value::Int(value) => Data::Int(*value, Width::Int64),
            Value::Float(value) => Data::Float(*value),
            Value::Str(text) => Data::Str(text.clone()),
            Value::List(items) => Data::List(Rc::new(items.iter().map(inner).collect::<Result<_, _>>()?)),
            Value::Map(pairs) => {
                let by_name = pairs.keys().next().is_none_or(|key| matches!(key, Value::Str(_)));
                let pairs = pairs.iter().map(|(key, value)| Ok((Self::key(key)?, inner(value)?)));
                Data::Map(Rc::new(Map { by_name, pairs: pairs.collect::<Result<_, Failure>>()? }))
            }
            Value::Struct(fields) => {
                let pairs = fields.iter().map(|(name, value)| Ok((Data::Str(title(name).into()), inner(value)?)));
                let mut pairs = pairs.collect::<Result<Vec<_>, Failure>>()?;
                pairs.sort_by(|(a, _), (b, _)| a.order(b));
                Data::Map(Rc::new(Map { by_name: true, pairs }))
            }
            Value::Func(_) => return Err(Failure::fatal("a function cannot be passed to a template")),
            Value::Bytes(_) => {
                return Err(Failure::fatal(format!("a template takes UTF-8 only, which {value} is not")));
            }
        })
    }

    /// A key of a map: a plain value, or a struct of such.
    fn key(value: &Value) -> Result<Self, Failure> {
        Ok(match value {
            Value::Struct(fields) => {
                let fields = fields.iter().map(|(name, value)| Ok((title(name).into(), Self::key(value)?)));
                Data::Key(Rc::new(fields.collect::<Result<_, Failure>>()?))
            }
            plain => Self::nested(plain, DEPTH, &mut |_| Ok(()))?,
        })
    }

    /// The name of its Go type.
    pub fn type_name(&self) -> String {
        match self {
            Data::Nil => "<nil>".into(),
            Data::Bool(_) => "bool".into(),
            Data::Int(_, Width::Int) => "int".into(),
            Data::Int(_, Width::Int64) => "int64".into(),
            Data::Int(_, Width::Byte) => "uint8".into(),
            Data::Float(_) => "float64".into(),
            Data::Str(_) => "string".into(),
            Data::List(items) => match items.first() {
                None | Some(Data::Map(_) | Data::Nil) => "[]interface {}".into(),
                Some(first) => format!("[]{}", first.type_name()),
            },
            Data::Map(map) => match map.pairs.first() {
                Some((key, _)) => format!("map[{}]interface {{}}", key.type_name()),
                None => "map[string]interface {}".into(),
            },
            Data::Key(fields) => {
                let fields: Vec<_> =
                    fields.iter().map(|(name, value)| format!("{name} {}", value.type_name())).collect();
                format!("struct {{ {} }}", fields.join("; "))
            }
        }
    }

    /// Whether it counts as true.
    pub fn truth(&self) -> bool {
        match self {
            Data::Nil => false,
            Data::Bool(value) => *value,
            Data::Int(value, _) => *value != 0,
            Data::Float(value) => *value != 0.0,
            Data::Str(text) => !text.is_empty(),
            Data::List(items) => !items.is_empty(),
            Data::Map(map) => !map.pairs.is_empty(),
            Data::Key(_) => true,
        }
    }

    /// The order of keys.
    pub fn order(&self, other: &Data) -> Ordering {
        match (self, other) {
            (Data::Bool(a), Data::Bool(b)) => a.cmp(b),
            (Data::Int(a, _), Data::Int(b, _)) => a.cmp(b),
            (Data::Float(a), Data::Float(b)) => a.total_cmp(b),
            (Data::Str(a), Data::Str(b)) => a.cmp(b),
            (Data::Key(a), Data::Key(b)) => {
                let fields = a.iter().zip(b.iter()).map(|((_, a), (_, b))| a.order(b));
                fields.fold(Ordering::Equal, Ordering::then)
            }
            _ => self.rank().cmp(&other.rank()),
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Data::Nil => 0,
            Data::Bool(_) => 1,
            Data::Int(..) => 2,
            Data::Float(_) => 3,
            Data::Str(_) => 4,
            Data::List(_) => 5,
            Data::Map(_) => 6,
            Data::Key(_) => 7,
        }
    }

    /// Converts to a simple type of the language; an error names the real type.
    pub fn to_value(&self, ty: &str) -> Result<Value, Failure> {
        match (ty, self) {
            ("bool", Data::Bool(value)) => Ok(Value::Bool(*value)),
            ("int", Data::Int(value, _)) => Ok(Value::Int(*value)),
            ("float", Data::Float(value)) => Ok(Value::Float(*value)),
            // A number in a template fits both.
            ("float", Data::Int(value, Width::Int)) => Ok(Value::Float(*value as f64)),
            ("str", Data::Str(text)) => Ok(Value::Str(text.clone())),
            (list, Data::List(items)) if list.starts_with("[]") => {
                Ok(Value::list(items.iter().map(|item| item.to_value(&list[2..])).collect::<Result<_, _>>()?))
            }
            (ty, data) => Err(Failure::fatal(format!("wants {ty}, not {}", data.type_name()))),
        }
    }
}
