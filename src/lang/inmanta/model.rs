//! A finished model as JSON and as text: the variables of the entry, and the instances.

use std::fmt::Write;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::ast::NsId;
use super::pystr;
use super::run::{Machine, VarId};
use super::types::EntityId;
use super::value::{InstanceId, Value};

/// What is shown of a model.
pub struct Shown {
    pub variables: Vec<(Arc<str>, Value)>,
    pub instances: Vec<InstanceId>,
    /// The names of shown instances: the type, and the number among those of the type. Empty for the others.
    ids: Vec<Box<str>>,
    /// The names of the entities.
    types: Vec<String>,
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
        let count = machine.program.entities.len() as u32;
        let types: Vec<String> = (0..count).map(|id| machine.program.entity_name(EntityId(id))).collect();
        let mut counts = vec![0; types.len()];
        let mut ids = vec![Box::default(); machine.instances.len()];
        for id in &instances {
            let entity = machine.instances[id.0 as usize].entity.0 as usize;
            counts[entity] += 1;
            ids[id.0 as usize] = format!("{}#{}", types[entity], counts[entity]).into_boxed_str();
        }
        Shown { variables, instances, ids, types }
    }

    fn id(&self, id: InstanceId) -> &str {
        self.ids.get(id.0 as usize).map_or("", |id| id)
    }

    /// A value as JSON. Big integers are written whole.
    fn value(&self, value: &Value, out: &mut String) {
        match value {
            Value::Null | Value::Skipped => out.push_str("null"),
            Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
            Value::Int(number) => put(out, format_args!("{number}")),
            Value::Big(number) => put(out, format_args!("{number}")),
            Value::Float(number) if number.is_finite() => out.push_str(&pystr::float(*number)),
            Value::Float(number) => put(out, format_args!("{{\"$float\":\"{}\"}}", pystr::float(*number))),
            Value::Str(text) => quoted(text, out),
            Value::List(items) => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    out.push_str(if at > 0 { "," } else { "" });
                    self.value(item, out);
                }
                out.push(']');
            }
            Value::Dict(dict) => {
                out.push('{');
                for (at, (key, item)) in dict.items.iter().enumerate() {
                    out.push_str(if at > 0 { "," } else { "" });
                    quoted(key, out);
                    out.push(':');
                    self.value(item, out);
                }
                out.push('}');
            }
            Value::Instance(id) => {
                out.push_str("{\"$ref\":");
                quoted(self.id(*id), out);
                out.push('}');
            }
            Value::Unknown(_) => out.push_str("{\"$unknown\":true}"),
        }
    }

    /// The form of `model --format json`, written at once: a tree of it would be larger than the model.
    pub fn json(&self, machine: &Machine) -> String {
        let mut out = String::from("{\"variables\":{");
        for (at, (name, value)) in self.variables.iter().enumerate() {
            out.push_str(if at > 0 { "," } else { "" });
            quoted(name, &mut out);
            out.push(':');
            self.value(value, &mut out);
        }
        out.push_str("},\"instances\":[");
        for (at, id) in self.instances.iter().enumerate() {
            out.push_str(if at > 0 { "," } else { "" });
            out.push_str("{\"id\":");
            quoted(self.id(*id), &mut out);
            out.push_str(",\"type\":");
            quoted(&self.types[self.entity(*id, machine)], &mut out);
            out.push_str(",\"attributes\":{");
            let parts = self.parts(*id, machine);
            for (at, (name, value)) in
                parts.iter().filter(|(_, _, is_relation)| !is_relation).map(|p| (p.0, p.1)).enumerate()
            {
                out.push_str(if at > 0 { "," } else { "" });
                quoted(name, &mut out);
                out.push(':');
                self.value(value, &mut out);
            }
            out.push_str("},\"relations\":{");
            for (at, (name, value)) in
                parts.iter().filter(|(_, _, is_relation)| *is_relation).map(|p| (p.0, p.1)).enumerate()
            {
                out.push_str(if at > 0 { "," } else { "" });
                quoted(name, &mut out);
                out.push(':');
                self.targets(value, &mut out);
            }
            out.push_str("}}");
        }
        out.push_str("],\"output\":");
        quoted(&machine.output, &mut out);
        out.push('}');
        out
    }

    fn entity(&self, id: InstanceId, machine: &Machine) -> usize {
        machine.instances[id.0 as usize].entity.0 as usize
    }

    /// The attributes of an instance with their values, and whether each is a relation. Empty `requires` and `provides` are
    /// left out.
    fn parts<'m>(&self, id: InstanceId, machine: &'m Machine) -> Vec<(&'m str, &'m Value, bool)> {
        let program = machine.program;
        let entity = program.entity(machine.instances[id.0 as usize].entity);
        let mut parts = Vec::with_capacity(entity.all.len());
        for (name, attribute) in entity.all.iter().filter(|(name, _)| *name != program.self_name) {
            let Ok(var) = machine.attribute_var(id, *name) else { continue };
            let Some(value) = machine.peek(var) else { continue };
            let text = program.text(*name);
            let is_empty = matches!(value, Value::List(items) if items.is_empty());
            if !(is_empty && matches!(text, "requires" | "provides")) {
                parts.push((text, value, program.attribute(*attribute).relation.is_some()));
            }
        }
        parts
    }

    /// The other ends of a relation, by name.
    fn targets(&self, value: &Value, out: &mut String) {
        let items = match value {
            Value::List(items) => &items[..],
            Value::Null => &[],
            one => std::slice::from_ref(one),
        };
        let mut names: Vec<&str> = items
            .iter()
            .map(|item| match item {
                Value::Instance(id) => self.id(*id),
                _ => "$unknown",
            })
            .collect();
        names.sort_unstable();
        out.push('[');
        for (at, name) in names.iter().enumerate() {
            out.push_str(if at > 0 { "," } else { "" });
            quoted(name, out);
        }
        out.push(']');
    }

    /// The same for people.
    pub fn text(&self, machine: &Machine) -> String {
        let mut out = String::new();
        for (name, value) in &self.variables {
            put(&mut out, format_args!("{name} = "));
            self.value(value, &mut out);
            out.push('\n');
        }
        for id in &self.instances {
            let place = machine.instances[id.0 as usize].places.first().map(|place| machine.place(*place));
            put(&mut out, format_args!("\n{} ({})\n", self.id(*id), place.unwrap_or_default()));
            for (name, value, is_relation) in self.parts(*id, machine) {
                put(&mut out, format_args!("    {name} = "));
                if is_relation {
                    self.targets(value, &mut out);
                } else {
                    self.value(value, &mut out);
                }
                out.push('\n');
            }
        }
        out
    }
}

fn put(out: &mut String, text: std::fmt::Arguments) {
    // Writing to a string cannot fail.
    let _ = out.write_fmt(text);
}

/// A text as a JSON string.
fn quoted(text: &str, out: &mut String) {
    out.push('"');
    let mut start = 0;
    for (at, byte) in text.bytes().enumerate().filter(|(_, byte)| matches!(byte, b'"' | b'\\' | 0..=0x1f)) {
        out.push_str(&text[start..at]);
        start = at + 1;
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            _ => put(out, format_args!("\\u{byte:04x}")),
        }
    }
    out.push_str(&text[start..]);
    out.push('"');
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
