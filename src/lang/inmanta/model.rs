//! A finished model as JSON and as text: the variables of the entry, and the instances.

use std::fmt::Write;
use std::sync::Arc;

use super::ast::NsId;
use super::pystr;
use super::run::Machine;
use super::types::EntityId;
use super::value::{InstanceId, Value};

/// What is shown of a model.
pub struct ModelView {
    pub variables: Vec<(Arc<str>, Value)>,
    pub instances: Vec<InstanceId>,
    /// The names of shown instances one after the other: the type, and the number among those of the type.
    ids: String,
    /// Where the name of each instance ends; an instance that is not shown has an empty one.
    ends: Vec<usize>,
    /// The names of the entities.
    types: Vec<String>,
}

impl ModelView {
    /// The variables that have a value, and the instances that std did not make for itself.
    pub fn of(machine: &Machine) -> ModelView {
        let mut variables = Vec::new();
        for (name, var) in machine.file_variables(NsId(0)) {
            if let Some(value) = machine.peek(var) {
                variables.push((machine.program.names.shared(name), value.clone()));
            }
        }
        variables.sort_by(|(a, _), (b, _)| a.cmp(b));
        let mut is_kept = vec![false; machine.instances.len()];
        let mut open: Vec<InstanceId> = Vec::new();
        let mut keep = |value: &Value, open: &mut Vec<InstanceId>| {
            references(value, &mut |id| {
                if !std::mem::replace(&mut is_kept[id.0 as usize], true) {
                    open.push(id);
                }
            });
        };
        for (instance, at) in machine.instances.iter().zip(0..) {
            let is_std = machine.sources.file(instance.place().file).name.starts_with("<std");
            if !is_std {
                keep(&Value::Instance(InstanceId(at)), &mut open);
            }
        }
        for (_, value) in &variables {
            keep(value, &mut open);
        }
        while let Some(id) = open.pop() {
            for (_, _, var) in machine.attributes_of(id) {
                if let Some(value) = machine.peek(var) {
                    keep(value, &mut open);
                }
            }
        }
        let all = (0..machine.instances.len() as u32).map(InstanceId);
        let instances: Vec<InstanceId> = all.filter(|id| is_kept[id.0 as usize]).collect();
        let count = machine.program.entities.len() as u32;
        let types: Vec<String> = (0..count).map(|id| machine.program.entity_name(EntityId(id))).collect();
        let mut counts = vec![0; types.len()];
        let (mut ids, mut ends) = (String::new(), Vec::with_capacity(machine.instances.len()));
        for (instance, is_kept) in machine.instances.iter().zip(&is_kept) {
            if *is_kept {
                let entity = instance.entity.0 as usize;
                counts[entity] += 1;
                put(&mut ids, format_args!("{}#{}", types[entity], counts[entity]));
            }
            ends.push(ids.len());
        }
        ModelView { variables, instances, ids, ends, types }
    }

    fn id(&self, id: InstanceId) -> &str {
        let at = id.0 as usize;
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.ids[start..self.ends[at]]
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
        // Reserved bytes that are never written cost no memory, and a text that grows is copied.
        let mut out = String::with_capacity(self.instances.len() * RESERVED);
        out.push_str("{\"variables\":{");
        for (at, (name, value)) in self.variables.iter().enumerate() {
            out.push_str(if at > 0 { "," } else { "" });
            quoted(name, &mut out);
            out.push(':');
            self.value(value, &mut out);
        }
        out.push_str("},\"instances\":[");
        let mut names = Vec::new();
        for (at, id) in self.instances.iter().enumerate() {
            out.push_str(if at > 0 { "," } else { "" });
            out.push_str("{\"id\":");
            quoted(self.id(*id), &mut out);
            out.push_str(",\"type\":");
            quoted(&self.types[machine.instances[id.0 as usize].entity.0 as usize], &mut out);
            for (title, of_relations) in [(",\"attributes\":{", false), ("},\"relations\":{", true)] {
                out.push_str(title);
                let mut is_first = true;
                for (name, value, is_relation) in parts(*id, machine) {
                    if is_relation != of_relations {
                        continue;
                    }
                    out.push_str(if is_first { "" } else { "," });
                    is_first = false;
                    quoted(name, &mut out);
                    out.push(':');
                    if is_relation {
                        self.targets(value, &mut names, &mut out);
                    } else {
                        self.value(value, &mut out);
                    }
                }
            }
            out.push_str("}}");
        }
        out.push_str("],\"output\":");
        quoted(&machine.output, &mut out);
        out.push('}');
        out
    }

    /// The other ends of a relation, by name. `names` is space to work in.
    fn targets<'s>(&'s self, value: &Value, names: &mut Vec<&'s str>, out: &mut String) {
        let items = match value {
            Value::List(items) => &items[..],
            Value::Null => &[],
            one => std::slice::from_ref(one),
        };
        names.clear();
        names.extend(items.iter().map(|item| match item {
            Value::Instance(id) => self.id(*id),
            _ => "$unknown",
        }));
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
        let (mut out, mut names) = (String::new(), Vec::new());
        for (name, value) in &self.variables {
            put(&mut out, format_args!("{name} = "));
            self.value(value, &mut out);
            out.push('\n');
        }
        for id in &self.instances {
            let place = machine.place(machine.instances[id.0 as usize].place());
            put(&mut out, format_args!("\n{} ({place})\n", self.id(*id)));
            for (name, value, is_relation) in parts(*id, machine) {
                put(&mut out, format_args!("    {name} = "));
                if is_relation {
                    self.targets(value, &mut names, &mut out);
                } else {
                    self.value(value, &mut out);
                }
                out.push('\n');
            }
        }
        out
    }
}

/// How many bytes of JSON are reserved for an instance.
const RESERVED: usize = 320;

/// The attributes of an instance with their values, and whether each is a relation. Empty relations `requires` and
/// `provides` are left out.
fn parts<'m>(id: InstanceId, machine: &'m Machine) -> impl Iterator<Item = (&'m str, &'m Value, bool)> {
    let program = machine.program;
    machine.attributes_of(id).filter_map(move |(name, attribute, var)| {
        let value = machine.peek(var)?;
        let text = program.text(name);
        let is_relation = program.attribute(attribute).relation.is_some();
        let is_empty = matches!(value, Value::List(items) if items.is_empty());
        let is_left_out = is_empty && is_relation && matches!(text, "requires" | "provides");
        (!is_left_out).then_some((text, value, is_relation))
    })
}

fn put(out: &mut String, text: std::fmt::Arguments) {
    // Writing to a string cannot fail.
    let _ = out.write_fmt(text);
}

/// A text as a JSON string.
fn quoted(text: &str, out: &mut String) {
    out.push('"');
    // No early exit: the compiler can compare many bytes at once.
    let is_plain = text.bytes().fold(true, |plain, byte| plain & (byte >= 0x20) & (byte != b'"') & (byte != b'\\'));
    if is_plain {
        out.push_str(text);
        out.push('"');
        return;
    }
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

fn references(value: &Value, found: &mut impl FnMut(InstanceId)) {
    match value {
        Value::Instance(id) => found(*id),
        Value::List(items) => items.iter().for_each(|item| references(item, found)),
        Value::Dict(dict) => dict.items.iter().for_each(|(_, item)| references(item, found)),
        _ => {}
    }
}
