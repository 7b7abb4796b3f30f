//! The differences of two graphs of one language: resources, their parameters, order and refreshes.

use std::sync::Arc;

use super::edges;
use super::values::{has_no_effect, is_same};
use crate::graph::{Graph, Node, Params, Resource, ResourceId, Value};
use crate::lang::{in_own_words, own_param};
use crate::plan::Change;
use crate::source::Place;

/// Parameters that declare edges, which are compared as such.
const RELATIONS: [&str; 4] = ["require", "before", "notify", "subscribe"];

/// One difference of a resource, with its place on each side.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    pub resource: ResourceId,
    /// In the words of the language.
    pub kind: Arc<str>,
    pub what: What,
    pub places: [Option<Place>; 2],
}

/// What differs.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    Added,
    Removed,
    /// A parameter, a meta parameter or a property of the end state.
    Parameter(Change),
    /// It is in a container, or no longer.
    Contained {
        by: ResourceId,
        is_new: bool,
    },
    /// It comes after another resource, or no longer.
    Order {
        after: ResourceId,
        is_new: bool,
    },
    /// A change of another resource refreshes it, or no longer.
    Refresh {
        by: ResourceId,
        is_new: bool,
    },
    /// It receives a value from another resource, or no longer.
    Sent {
        from: ResourceId,
        is_new: bool,
    },
}

impl What {
    /// The word of this row in JSON.
    pub fn word(&self) -> &'static str {
        match self {
            What::Added => "added",
            What::Removed => "removed",
            What::Parameter(_) => "parameter",
            What::Contained { .. } => "container",
            What::Order { .. } => "order",
            What::Refresh { .. } => "refresh",
            What::Sent { .. } => "sent",
        }
    }

    /// The other resource, and whether the relation to it is new.
    pub fn relation(&self) -> Option<(&ResourceId, bool)> {
        match self {
            What::Contained { by: other, is_new }
            | What::Order { after: other, is_new }
            | What::Refresh { by: other, is_new }
            | What::Sent { from: other, is_new } => Some((other, *is_new)),
            _ => None,
        }
    }

    /// A relation as the end of a sentence about the resource.
    pub fn words(&self) -> String {
        let (verb, is_new) = match self {
            What::Added => return "added".into(),
            What::Removed => return "removed".into(),
            What::Parameter(change) => return change.property.clone(),
            What::Contained { is_new, .. } => ("is in", is_new),
            What::Order { is_new, .. } => ("comes after", is_new),
            What::Refresh { is_new, .. } => ("is refreshed by", is_new),
            What::Sent { is_new, .. } => ("receives a value from", is_new),
        };
        // The end of a container is where what comes after it begins.
        let other = self.relation().map_or(String::new(), |(other, _)| other.to_string());
        let other = other.strip_suffix("/end").unwrap_or(&other);
        match (is_new, verb.strip_prefix("is ")) {
            (true, Some(rest)) => format!("is now {rest} {other}"),
            (true, None) => format!("now {verb} {other}"),
            (false, Some(rest)) => format!("is no longer {rest} {other}"),
            (false, None) => format!("no longer {verb} {other}"),
        }
    }
}

impl Difference {
    /// A difference that a run found, in the words of the resource's language; `None` if it has none for it.
    pub fn in_own_words(&self) -> Option<Difference> {
        let What::Parameter(change) = &self.what else { return Some(self.clone()) };
        let change = in_own_words(&self.resource, std::slice::from_ref(change)).pop()?;
        Some(Difference { what: What::Parameter(change), ..self.clone() })
    }
}

/// Compares two graphs. The rows are in the order of the new graph, removed resources last, then order and refreshes.
pub fn differences(old: &Graph, new: &Graph) -> Vec<Difference> {
    let mut rows = Vec::new();
    for (_, resource) in new.resources() {
        let before = old.find(&resource.id).map(|at| old.node(at));
        match before {
            Some(Node::Resource(before)) => compare(before, resource, &mut rows),
            _ => rows.push(row(resource, What::Added, [None, resource.source.clone()])),
        }
    }
    for (_, resource) in old.resources().filter(|(_, resource)| new.find(&resource.id).is_none()) {
        rows.push(row(resource, What::Removed, [resource.source.clone(), None]));
    }
    edges::compare(old, new, &mut rows);
    rows
}

/// Counts the resources with values that neither side knows: they may differ.
pub fn unknown_on_both(old: &Graph, new: &Graph) -> usize {
    let is_unknown = |resource: &Resource| resource.shown().params.iter().any(|(_, value)| value.holds_unknown());
    let before = |id: &ResourceId| old.find(id).and_then(|at| old.resource(at)).is_some_and(is_unknown);
    new.resources().filter(|(_, resource)| is_unknown(resource) && before(&resource.id)).count()
}

fn row(resource: &Resource, what: What, places: [Option<Place>; 2]) -> Difference {
    Difference { resource: resource.id.clone(), kind: resource.shown().kind.clone(), what, places }
}

/// Adds a row for each parameter that leads to another end state.
fn compare(old: &Resource, new: &Resource, rows: &mut Vec<Difference>) {
    let mut changed = |name: &str, from: Option<&Value>, to: Option<&Value>| {
        let sensitive = [from, to].into_iter().flatten().any(Value::holds_secret);
        let change = Change { property: name.into(), from: from.cloned(), to: to.cloned(), sensitive };
        rows.push(row(new, What::Parameter(change), [old.source.clone(), new.source.clone()]));
    };
    let (before, after) = (old.shown(), new.shown());
    let mapped = old.mapping().zip(new.mapping());
    let has_same_effect = |name: &str| {
        // Our kinds name most properties as the languages do, in one form.
        let pair = mapped.map(|(old, new)| (old.params.get(name), new.params.get(name)));
        matches!(pair, Some((Some(old), Some(new))) if old == new)
    };
    let mut is_explained = false;
    for name in names(&before.params, &after.params) {
        let (from, to) = (before.params.get(name), after.params.get(name));
        if RELATIONS.contains(&name)
            || (name == "mode" && is_same_mode(from, to))
            || is_equal(from, to)
            || has_no_effect(name, old, new)
            || has_same_effect(name)
        {
            continue;
        }
        is_explained = true;
        changed(name, from, to);
    }
    if let Some((old_mapped, new_mapped)) = mapped {
        // A content that the program only names, or a property of a kind that follows from several parameters.
        for name in names(&old_mapped.params, &new_mapped.params) {
            let (from, to) = (old_mapped.params.get(name), new_mapped.params.get(name));
            let is_shown = [name, own_param(&new.id, name)]
                .iter()
                .any(|name| before.params.get(name).is_some() || after.params.get(name).is_some());
            if is_equal(from, to)
                || has_no_effect(name, old, new)
                || is_shown
                || (is_explained && !["content", "source", "fragments"].contains(&name))
            {
                continue;
            }
            changed(own_param(&new.id, name), from, to);
        }
    }
    let (old_meta, new_meta): (Params, Params) = (meta(old), meta(new));
    for name in names(&old_meta, &new_meta) {
        let (from, to) = (old_meta.get(name), new_meta.get(name));
        if !is_equal(from, to) {
            changed(&format!("Meta:{name}"), from, to);
        }
    }
    for (name, from, to) in [
        ("target", old.target.as_deref(), new.target.as_deref()),
        ("virtual", old.is_virtual.then_some("true"), new.is_virtual.then_some("true")),
        ("exported", old.exported.then_some("true"), new.exported.then_some("true")),
    ] {
        if from != to {
            changed(name, from.map(Value::from).as_ref(), to.map(Value::from).as_ref());
        }
    }
}

fn meta(resource: &Resource) -> Params {
    resource.meta.iter().map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// A parameter set to nothing is as if it were not set.
fn is_equal(from: Option<&Value>, to: Option<&Value>) -> bool {
    let set = |value: Option<&Value>| value.filter(|value| **value != Value::Null).cloned();
    match (set(from), set(to)) {
        (None, None) => true,
        (Some(from), Some(to)) => is_same(&from, &to),
        _ => false,
    }
}

/// Whether two modes in octal digits are one, such as `644` and `0644`.
pub fn is_same_mode(from: Option<&Value>, to: Option<&Value>) -> bool {
    let bits = |value: Option<&Value>| {
        let text = value.and_then(Value::as_str).filter(|text| text.len() <= 5);
        text.and_then(|text| u32::from_str_radix(text, 8).ok())
    };
    bits(from).is_some() && bits(from) == bits(to)
}

/// The names of both, each once.
fn names<'p>(one: &'p Params, other: &'p Params) -> Vec<&'p str> {
    let ones = one.iter().map(|(name, _)| &**name);
    let others = other.iter().map(|(name, _)| &**name).filter(|name| one.get(name).is_none());
    ones.chain(others).collect()
}
