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
}
