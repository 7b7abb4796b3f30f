//! A finished model as JSON and as text: the variables of the entry, and the instances.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Map, Number, Value as Json, json};

use super::ast::NsId;
use super::run::{Machine, VarId};
use super::value::{InstanceId, Value};

/// Stands around the digits of a number that JSON of this crate cannot hold. No text of a model has this character.
const BIG: char = '\u{10ffff}';

/// What is shown of a model.
pub struct Shown {
    pub variables: Vec<(Arc<str>, Value)>,
    pub instances: Vec<InstanceId>,
    ids: FxHashMap<InstanceId, String>,
}

impl Shown {
    /// The variables that have a value, and the instances that std did not make for itself.
    pub fn of(machine: &Machine) -> Shown {
        let mut variables = Vec::new();
        for (name, var) in machine.file_variables(NsId(0)) {
            if let Some(value) = machine.peek(var) {
                variables.push((machine.program.names.shared(name), value.clone()));
            }
        }
        variables.sort_by(|(a, _), (b, _)| a.cmp(b));
        let mut kept: FxHashSet<InstanceId> = FxHashSet::default();
        let mut open: Vec<InstanceId> = Vec::new();
        for at in 0..machine.instances.len() as u32 {
            let place = machine.instances[at as usize].places.first();
            let is_std = place.is_some_and(|place| machine.sources.file(place.file).name.starts_with("<std"));
            if !is_std {
                open.push(InstanceId(at));
            }
        }
        for (_, value) in &variables {
            references(value, &mut open);
        }
        while let Some(id) = open.pop() {
            if kept.insert(id) {
                for (_, var) in machine.attribute_vars(id) {
                    if let Some(value) = machine.peek(var) {
                        references(value, &mut open);
                    }
                }
            }
        }
        let mut instances: Vec<InstanceId> = kept.into_iter().collect();
        instances.sort_unstable();
        let mut counts: FxHashMap<String, u32> = FxHashMap::default();
        let mut ids = FxHashMap::default();
        for id in &instances {
            let ty = machine.program.entity_name(machine.instances[id.0 as usize].entity);
            let count = counts.entry(ty.clone()).or_default();
            *count += 1;
            ids.insert(*id, format!("{ty}#{count}"));
        }
        Shown { variables, instances, ids }
    }

    fn id(&self, id: InstanceId) -> &str {
        self.ids.get(&id).map_or("", String::as_str)
    }

    fn value(&self, value: &Value) -> Json {
        match value {
            Value::Null | Value::Skipped => Json::Null,
            Value::Bool(flag) => json!(flag),
            Value::Int(number) => json!(number),
            // Written as it is where the whole is written: no JSON number of this crate can hold it.
            Value::Big(number) => json!(format!("{BIG}{number}{BIG}")),
            Value::Float(number) => Number::from_f64(*number)
                .map_or_else(|| json!({ "$float": super::pystr::float(*number) }), Json::Number),
            Value::Str(text) => json!(&**text),
            Value::List(items) => Json::Array(items.iter().map(|item| self.value(item)).collect()),
            Value::Dict(dict) => {
                Json::Object(dict.items.iter().map(|(key, item)| (key.to_string(), self.value(item))).collect())
            }
            Value::Instance(id) => json!({ "$ref": self.id(*id) }),
            Value::Unknown(_) => json!({ "$unknown": true }),
        }
    }

    /// The text of `model --format json`.
    pub fn json_text(&self, machine: &Machine) -> String {
        let text = self.json(machine).to_string();
        text.replace(&format!("\"{BIG}"), "").replace(&format!("{BIG}\""), "")
    }

    fn json(&self, machine: &Machine) -> Json {
        let variables: Map<String, Json> =
            self.variables.iter().map(|(name, value)| (name.to_string(), self.value(value))).collect();
        let instances: Vec<Json> = self.instances.iter().map(|id| self.instance(*id, machine)).collect();
        json!({ "variables": variables, "instances": instances, "output": machine.output })
    }

    fn instance(&self, id: InstanceId, machine: &Machine) -> Json {
        let mut attributes = Map::new();
        let mut relations = Map::new();
        for (name, var) in machine.attribute_vars(id) {
            let Some(value) = machine.peek(var) else { continue };
            let text = machine.program.text(name).to_string();
            let entity = machine.instances[id.0 as usize].entity;
            let attribute = machine.program.attribute_of(entity, name).map(|id| machine.program.attribute(id));
            if attribute.is_none_or(|attribute| attribute.relation.is_none()) {
                attributes.insert(text, self.value(value));
                continue;
            }
            let mut targets: Vec<&str> = Vec::new();
            let items = match value {
                Value::List(items) => &items[..],
                Value::Null => &[],
                one => std::slice::from_ref(one),
            };
            for item in items {
                targets.push(match item {
                    Value::Instance(id) => self.id(*id),
                    _ => "$unknown",
                });
            }
            targets.sort_unstable();
            if !targets.is_empty() || !matches!(&*text, "requires" | "provides") {
                relations.insert(text, json!(targets));
            }
        }
        let ty = machine.program.entity_name(machine.instances[id.0 as usize].entity);
        json!({ "id": self.id(id), "type": ty, "attributes": attributes, "relations": relations })
    }

    /// The same for people.
    pub fn text(&self, machine: &Machine) -> String {
        let mut out = String::new();
        for (name, value) in &self.variables {
            out.push_str(&format!("{name} = {}\n", self.value(value).to_string().replace(BIG, "")));
        }
        for id in &self.instances {
            let place = machine.instances[id.0 as usize].places.first().map(|place| machine.place(*place));
            out.push_str(&format!("\n{} ({})\n", self.id(*id), place.unwrap_or_default()));
            let shown = self.instance(*id, machine);
            for part in ["attributes", "relations"] {
                let Some(Json::Object(items)) = shown.get(part) else { continue };
                for (name, value) in items {
                    out.push_str(&format!("    {name} = {value}\n"));
                }
            }
        }
        out
    }
}

fn references(value: &Value, found: &mut Vec<InstanceId>) {
    match value {
        Value::Instance(id) => found.push(*id),
        Value::List(items) => items.iter().for_each(|item| references(item, found)),
        Value::Dict(dict) => dict.items.iter().for_each(|(_, item)| references(item, found)),
        _ => {}
    }
}

impl Machine<'_> {
    /// The attributes of an instance with their variables, in order.
    pub fn attribute_vars(&self, id: InstanceId) -> Vec<(super::names::Sym, VarId)> {
        let entity = self.instances[id.0 as usize].entity;
        let all = &self.program.entity(entity).all;
        let others = all.iter().filter(|(name, _)| *name != self.program.self_name);
        others.filter_map(|(name, _)| Some((*name, self.attribute_var(id, *name).ok()?))).collect()
    }
}
