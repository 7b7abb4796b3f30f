//! What a template reads of the model, one name at a time: known answers, questions, and instances with their attributes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use minijinja::Value as Jinja;
use minijinja::value::{Enumerator, Object, ObjectRepr};

use super::super::jinja;
use super::super::pystr;
use super::super::run::{Machine, ScopeId};
use super::super::std::Fail;
use super::super::value::{InstanceId, Value};

/// A variable, or an attribute of an instance.
pub type Place = (Option<InstanceId>, String);

/// What a template has read so far, and what it asked for in vain.
#[derive(Debug, Default)]
pub struct TemplateReads {
    /// `None` if the name is not defined.
    pub known: Mutex<BTreeMap<Place, Option<Jinja>>>,
    pub asked: Mutex<Vec<Place>>,
    /// The instances that it got.
    pub instances: Mutex<BTreeSet<InstanceId>>,
    /// Whether it has used an answer of a plugin that is not there yet: what it asks for from there on may be wrong.
    pub is_astray: Arc<AtomicBool>,
    /// Whether it has asked for a variable in this round: what it gives to plugins from there on may be wrong.
    pub is_open: AtomicBool,
    /// The attributes that it wrote, although their instances do not have them.
    pub absent: Mutex<BTreeSet<(InstanceId, String)>>,
}

impl TemplateReads {
    fn get(&self, place: Place) -> Option<Jinja> {
        if let Ok(known) = self.known.lock()
            && let Some(found) = known.get(&place)
        {
            return found.clone();
        }
        if self.is_astray.load(Ordering::Relaxed) {
            return None;
        }
        self.is_open.store(true, Ordering::Relaxed);
        if let Ok(mut asked) = self.asked.lock() {
            asked.push(place);
        }
        None
    }
}

/// The variables that a template sees.
#[derive(Debug)]
pub struct Root(pub Arc<TemplateReads>);

impl Object for Root {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Map
    }

    fn get_value(self: &Arc<Self>, key: &Jinja) -> Option<Jinja> {
        self.0.get((None, key.as_str()?.to_string()))
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::NonEnumerable
    }
}

#[derive(Debug)]
pub struct TemplateInstance {
    pub id: InstanceId,
    text: String,
    seen: Arc<TemplateReads>,
}

impl Object for TemplateInstance {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn get_value(self: &Arc<Self>, key: &Jinja) -> Option<Jinja> {
        self.seen.get((Some(self.id), key.as_str()?.to_string()))
    }

    fn render(self: &Arc<Self>, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

pub fn converted(value: &Value, machine: &Machine, seen: &Arc<TemplateReads>) -> Result<Jinja, Fail> {
    Ok(match value {
        Value::Null | Value::Skipped => Jinja::from(()),
        Value::Bool(flag) => Jinja::from(*flag),
        Value::Int(number) => Jinja::from(*number),
        Value::Big(number) => Jinja::from(number.to_string()),
        Value::Float(number) => Jinja::from(*number),
        Value::Str(text) => Jinja::from(&**text),
        Value::List(items) => {
            let items: Result<Vec<Jinja>, Fail> = items.iter().map(|item| converted(item, machine, seen)).collect();
            Jinja::from_object(jinja::List { items: items?, is_model: true })
        }
        Value::Dict(dict) => {
            let mut items = Vec::with_capacity(dict.items.len());
            for (key, item) in &dict.items {
                items.push((Arc::clone(key), converted(item, machine, seen)?));
            }
            Jinja::from_object(jinja::Dict { items })
        }
        Value::Instance(id) => {
            if let Ok(mut instances) = seen.instances.lock() {
                instances.insert(*id);
            }
            let text = format!("@{}", pystr::Instances::short(machine, *id));
            Jinja::from_object(TemplateInstance { id: *id, text, seen: Arc::clone(seen) })
        }
        Value::Unknown(_) => return Err(Fail::Unknown),
    })
}

/// An attribute that an instance does not have, or an optional relation without a value: a template writes nothing for it.
#[derive(Debug)]
pub struct Absent {
    id: InstanceId,
    name: String,
    /// Whether the entity has no such attribute.
    is_unknown: bool,
    seen: Arc<TemplateReads>,
}

impl Absent {
    /// The template writes it.
    pub fn note(&self) {
        if let (true, Ok(mut absent)) = (self.is_unknown, self.seen.absent.lock()) {
            absent.insert((self.id, self.name.clone()));
        }
    }
}

impl Object for Absent {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Seq
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Empty
    }

    fn is_true(self: &Arc<Self>) -> bool {
        false
    }

    fn render(self: &Arc<Self>, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.note();
        Ok(())
    }
}

pub fn is_absent(value: &Jinja) -> bool {
    value.downcast_object_ref::<Absent>().is_some()
}

/// The value of a name that a template asks for.
pub fn answer(
    machine: &Machine,
    scope: ScopeId,
    place: &Place,
    seen: &Arc<TemplateReads>,
) -> Result<Option<Jinja>, Fail> {
    let found = named(machine, scope, place, seen)?;
    let (Some(id), None) = (place.0, &found) else { return Ok(found) };
    let name = place.1.clone();
    let is_unknown = !machine.attributes_of(id).any(|(other, ..)| machine.program.text(other) == name);
    Ok(Some(Jinja::from_object(Absent { id, name, is_unknown, seen: Arc::clone(seen) })))
}

fn named(machine: &Machine, scope: ScopeId, place: &Place, seen: &Arc<TemplateReads>) -> Result<Option<Jinja>, Fail> {
    let (instance, name) = place;
    let Some(sym) = machine.program.names.find(name) else { return Ok(None) };
    let var = match instance {
        Some(instance) => machine.attribute_var(*instance, sym),
        None => machine.lookup(scope, sym),
    };
    let Ok(var) = var else { return Ok(None) };
    match machine.peek(var) {
        None => Err(Fail::Unset(var)),
        Some(Value::Null) if machine.is_optional_relation(var) => Ok(None),
        Some(value) => converted(value, machine, seen).map(Some),
    }
}
