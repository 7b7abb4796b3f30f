//! The inside of an object: what its features hold, and what holds it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::lang::puppet::ast::Text;
use crate::lang::puppet::types::model::{Member, Model};
use crate::lang::puppet::value::{Map, Object, Value};

/// The values of an object's features, and the object that contains it.
pub struct Instance {
    pub model: Arc<Model>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// By the place of the feature in the model.
    values: Vec<Option<Value>>,
    container: Option<Container>,
    /// How many objects are inside of one another, this one included.
    depth: usize,
    /// The value that names it, as soon as it was asked for.
    identity: Option<Text>,
}

/// What holds an object.
#[derive(Clone)]
struct Container {
    object: Weak<Object>,
    feature: usize,
}

impl std::fmt::Debug for Instance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.model.name)
    }
}

impl Instance {
    /// Makes an instance without values and without a container.
    pub fn new(model: Arc<Model>) -> Self {
        let state = State { values: vec![None; model.members.len()], depth: 1, ..State::default() };
        Self { model, state: Mutex::new(state) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The stored value of a feature.
    pub fn get(&self, index: usize) -> Option<Value> {
        self.state().values.get(index).cloned().flatten()
    }

    /// Sets or removes the stored value of a feature.
    pub fn put(&self, index: usize, value: Option<Value>) {
        if let Some(place) = self.state().values.get_mut(index) {
            *place = value;
        }
    }

    /// Returns how many objects are nested in this one at most, itself included.
    pub fn depth(&self) -> usize {
        self.state().depth
    }

    /// Raises the depth to at least this number.
    pub fn deepen(&self, depth: usize) {
        let mut state = self.state();
        state.depth = state.depth.max(depth);
    }

    /// What other objects that refer to it write.
    pub fn set_identity(&self, identity: Text) {
        self.state().identity = Some(identity);
    }

    /// What a reference to it is written as.
    fn reference(&self) -> String {
        let identity = self.state().identity.clone().unwrap_or_else(|| "".into());
        format!("{}[{identity}]", self.model.name)
    }

    /// What is stored, in the order of the features. Without transient features where `is_serial`.
    pub fn entries(&self, is_serial: bool) -> Vec<(Text, Value)> {
        let values = self.state().values.clone();
        let members = self.model.members.iter().zip(values);
        let entries = members.filter_map(|(member, value)| {
            let value = value?;
            let is_empty = matches!(&value, Value::Array(list) if list.is_empty());
            let is_left_out = is_serial && member.is_transient() || is_empty && !member.is_unsettable();
            (!is_left_out).then(|| (member.name().clone(), written(member, value)))
        });
        entries.collect()
    }
}

/// A value as it is written: references by their identities.
fn written(member: &Member, value: Value) -> Value {
    if !member.is_reference() {
        return value;
    }
    match value {
        Value::Array(list) => Value::array(list.iter().map(|item| written(member, item.clone())).collect()),
        Value::Object(object) => match &object.arm {
            Some(instance) => {
                let mut map = Map::default();
                map.insert(Value::str("$ref"), Value::str(instance.reference()));
                Value::hash(map)
            }
            None => Value::Object(object),
        },
        other => other,
    }
}

/// Whether an object may go into a feature of another one: it has no other container and is not around it.
pub fn may_contain(outer: &Arc<Object>, feature: usize, inner: &Arc<Object>) -> bool {
    let mut at = Some(outer.clone());
    while let Some(object) = at {
        if Arc::ptr_eq(&object, inner) {
            return false;
        }
        let container = object.arm.as_ref().and_then(|instance| instance.state().container.clone());
        at = container.and_then(|container| container.object.upgrade());
    }
    let container = inner.arm.as_ref().and_then(|instance| instance.state().container.clone());
    container.is_none_or(|held| held.feature == feature && std::ptr::eq(held.object.as_ptr(), Arc::as_ptr(outer)))
}

/// Records that an object is in a feature of another one.
pub fn contain(outer: &Arc<Object>, feature: usize, inner: &Object) {
    if let Some(instance) = &inner.arm {
        instance.state().container = Some(Container { object: Arc::downgrade(outer), feature });
    }
}

/// Records that an object is free again.
pub fn release(inner: &Object) {
    if let Some(instance) = &inner.arm {
        instance.state().container = None;
    }
}

/// The objects of a value.
pub fn objects(value: &Value) -> Vec<Arc<Object>> {
    match value {
        Value::Object(object) => vec![object.clone()],
        Value::Array(list) => list.iter().flat_map(objects).collect(),
        _ => Vec::new(),
    }
}
