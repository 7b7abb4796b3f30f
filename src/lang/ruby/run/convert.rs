//! Values of Puppet as Ruby sees them, and back.

use std::sync::Arc;

use super::value::{DEPTH, Ruby, Table};
use super::{Halt, Machine, Ran};
use crate::lang::puppet::unknown;
use crate::lang::puppet::value::{Map, Value};

impl Machine<'_, '_> {
    /// A value of Puppet. One list or hash stays one, however often it is read.
    pub fn import(&mut self, value: &Value) -> Ran {
        if self.e.output.has_unknown && unknown::is_in(value) {
            return Err(Halt::Unknown);
        }
        self.imported(value, 0)
    }

    fn imported(&mut self, value: &Value, depth: usize) -> Ran {
        if depth > DEPTH {
            return Err(Halt::Limit("a value that is nested too deep"));
        }
        let address = match value {
            Value::Array(list) => Arc::as_ptr(list) as usize,
            Value::Hash(map) => Arc::as_ptr(map) as usize,
            _ => 0,
        };
        if let Some((_, known)) = self.imported.get(&address).filter(|_| address != 0) {
            return Ok(known.clone());
        }
        let made = match value {
            Value::Undef => Ruby::Nil,
            Value::Default => Ruby::Symbol("default".into()),
            Value::Bool(value) => Ruby::Bool(*value),
            Value::Int(value) => Ruby::Int(*value),
            Value::Float(value) => Ruby::Float(*value),
            Value::Str(text) => return self.string(&**text),
            Value::Regexp(regexp) => Ruby::Regexp(regexp.clone()),
            Value::Array(list) => {
                let list = list.iter().map(|item| self.imported(item, depth + 1)).collect::<Ran<Vec<_>>>()?;
                self.heap.array(list)?
            }
            Value::Hash(map) => {
                let mut table = Table::default();
                for (key, value) in map.iter() {
                    let (key, value) = (self.imported(key, depth + 1)?, self.imported(value, depth + 1)?);
                    table.insert(self.heap.key(&key), (key, value));
                }
                self.heap.hash(table)?
            }
            other => Ruby::Other(Box::new(other.clone())),
        };
        if address != 0 {
            self.imported.insert(address, (value.clone(), made.clone()));
        }
        Ok(made)
    }

    /// A value for a function of Puppet.
    pub fn export(&self, line: u32, value: &Ruby) -> Ran<Value> {
        self.exported(line, value, 0)
    }

    fn exported(&self, line: u32, value: &Ruby, depth: usize) -> Ran<Value> {
        self.heap.visit_many(16);
        if depth > DEPTH || !self.heap.visit() {
            return Err(Halt::Limit("a value that is nested too deep"));
        }
        Ok(match value {
            Ruby::Nil => Value::Undef,
            Ruby::Bool(value) => Value::Bool(*value),
            Ruby::Int(value) => Value::Int(*value),
            Ruby::Float(value) => Value::Float(*value),
            Ruby::Symbol(name) => match &**name {
                "undef" => Value::Undef,
                "default" => Value::Default,
                name => Value::str(name),
            },
            Ruby::Str(id) => {
                // One text may be in many places, and is copied for each.
                self.heap.visit_many(self.heap.text(*id).len());
                if self.heap.is_exhausted() {
                    return Err(Halt::Limit("a value whose text is too long"));
                }
                Value::str(self.heap.text(*id))
            }
            Ruby::Array(id) => {
                let list = self.heap.list(*id).iter().map(|item| self.exported(line, item, depth + 1));
                Value::array(list.collect::<Ran<Vec<_>>>()?)
            }
            Ruby::Hash(id) => {
                let mut map = Map::default();
                for (key, value) in self.heap.table(*id).into_iter().flat_map(Table::values) {
                    map.insert(self.exported(line, key, depth + 1)?, self.exported(line, value, depth + 1)?);
                }
                Value::hash(map)
            }
            Ruby::Range(from, to) => {
                if to.saturating_sub(*from) > 100_000 {
                    return self.outside(line, "a range of more than 100,000 numbers");
                }
                Value::array((*from..=*to).map(Value::Int).collect())
            }
            Ruby::Regexp(regexp) => Value::Regexp(regexp.clone()),
            Ruby::Other(value) => (**value).clone(),
            other => return self.outside(line, format!("a {} that is passed to a function", other.class())),
        })
    }

    /// A value as JSON has it.
    pub fn json(&self, line: u32, value: &Ruby, depth: usize) -> Ran<serde_json::Value> {
        use serde_json::Value as Json;
        // Each value of JSON takes many bytes.
        self.heap.visit_many(16);
        if depth > DEPTH || !self.heap.visit() {
            return Err(Halt::Limit("a value that is nested too deep"));
        }
        Ok(match value {
            Ruby::Nil => Json::Null,
            Ruby::Bool(value) => Json::Bool(*value),
            Ruby::Int(value) => Json::from(*value),
            Ruby::Float(value) => Json::from(*value),
            Ruby::Array(id) => {
                let list = self.heap.list(*id).iter().map(|item| self.json(line, item, depth + 1));
                Json::Array(list.collect::<Ran<_>>()?)
            }
            Ruby::Hash(id) => {
                let mut map = serde_json::Map::new();
                for (key, value) in self.heap.table(*id).into_iter().flat_map(Table::values) {
                    map.insert(self.heap.shown(key), self.json(line, value, depth + 1)?);
                }
                Json::Object(map)
            }
            Ruby::Str(_) | Ruby::Symbol(_) => {
                let text = self.heap.shown(value);
                self.heap.visit_text(&text)?;
                Json::String(text)
            }
            other => return self.outside(line, format!("a {} as JSON", other.class())),
        })
    }
}
