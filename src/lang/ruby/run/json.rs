//! Values as JSON has them.

use super::value::{DEPTH, Ruby, Table};
use super::{Halt, Machine, Ran};

impl Machine<'_> {
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

    /// The value of a text in JSON.
    pub fn of_json(&mut self, line: u32, json: &serde_json::Value, depth: usize) -> Ran {
        use serde_json::Value as Json;
        self.heap.visit_many(16);
        if depth > DEPTH || !self.heap.visit() {
            return Err(Halt::Limit("a value that is nested too deep"));
        }
        match json {
            Json::Null => Ok(Ruby::Nil),
            Json::Bool(value) => Ok(Ruby::Bool(*value)),
            Json::Number(number) => match (number.as_i64(), number.as_f64()) {
                (Some(whole), _) => Ok(Ruby::Int(whole)),
                (None, Some(value)) if number.is_f64() => Ok(Ruby::Float(value)),
                _ => self.outside(line, "a number outside of 64 bits"),
            },
            Json::String(text) => self.string(text.as_str()),
            Json::Array(list) => {
                let list = list.iter().map(|item| self.of_json(line, item, depth + 1)).collect::<Ran<_>>()?;
                self.heap.array(list)
            }
            Json::Object(map) => {
                let mut table = Table::default();
                for (key, value) in map {
                    let key = self.string(key.as_str())?;
                    let value = self.of_json(line, value, depth + 1)?;
                    table.insert(self.heap.key(&key), (key, value));
                }
                self.heap.hash(table)
            }
        }
    }
}
