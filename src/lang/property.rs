//! Properties of resources in the words of the language that declares them, for faces that draw changes.

use serde_json::Value as Json;

use super::languages;
use crate::graph::{ResourceId, Value};
use crate::plan::Change;
use crate::resource::file;

/// A property of our kinds that a language names differently.
#[derive(Debug)]
pub struct Property {
    /// The language's types that have it.
    pub types: &'static [&'static str],
    /// Our name.
    pub mapped: &'static str,
    /// The language's name; `None` if the language has no such property, so that it is not shown.
    pub name: Option<&'static str>,
    /// Our values with other words, each with those of the language. `true` and `false` are booleans.
    pub values: &'static [(&'static str, &'static str)],
    /// Entries of a table that our kinds add, with their values. They are not shown. One without a value is added as the
    /// first entry; the user's entry with this name comes later and is shown.
    pub added: &'static [(&'static str, Option<&'static str>)],
    /// The values that it may have. A folder lists its files as properties, whose names may be the same.
    pub range: Allowed,
}

/// The values that a property may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allowed {
    Any,
    /// Only the words of `values`.
    Words,
    /// The same, and both before and after a change.
    TwoWords,
    /// Targets of links.
    Targets,
}

impl Property {
    /// Makes a property whose values have the same words in the language.
    pub const fn named(types: &'static [&'static str], mapped: &'static str, name: &'static str) -> Self {
        Self { types, mapped, name: Some(name), values: &[], added: &[], range: Allowed::Any }
    }

    fn word(&self, ours: &str) -> Option<&'static str> {
        self.values.iter().find(|(mapped, _)| *mapped == ours).map(|(_, word)| *word)
    }

    /// Whether a change is one of this property, by its values.
    fn fits(&self, from: Option<&str>, to: Option<&str>) -> bool {
        match self.range {
            Allowed::Any => true,
            Allowed::Words => [from, to].into_iter().flatten().any(|side| self.word(side).is_some()),
            Allowed::TwoWords => [from, to].iter().all(|side| side.is_some_and(|side| self.word(side).is_some())),
            Allowed::Targets => to.is_some_and(|to| to != file::AS_IN_SOURCE && !to.starts_with(file::LINK_TO)),
        }
    }

    fn is_added(&self, is_first: bool, name: Option<&str>, value: Option<&str>) -> bool {
        let fits = |word: &Option<&str>| if word.is_none() { is_first } else { *word == value };
        self.added.iter().any(|(added, word)| name == Some(added) && fits(word))
    }

    /// Returns a value in the words of the language; `None` if nothing of it is shown.
    fn value(&self, ours: &Value) -> Option<Value> {
        let word = ours.as_str().and_then(|text| self.word(text));
        match (word, ours) {
            (Some(word), _) => Some(word.parse().map_or_else(|_| word.into(), Value::Bool)),
            (None, Value::Map(table)) if !self.added.is_empty() => {
                let mut table = table.clone();
                let mut is_first = true;
                table.retain(|(name, value)| {
                    !self.is_added(std::mem::take(&mut is_first), name.as_str(), value.as_str())
                });
                (!table.is_empty()).then_some(Value::Map(table))
            }
            // The same table as a journal has it.
            (None, Value::Struct(fields)) if !self.added.is_empty() => {
                let mut fields = fields.clone();
                let mut is_first = true;
                fields
                    .retain(|(name, value)| !self.is_added(std::mem::take(&mut is_first), Some(name), value.as_str()));
                (!fields.is_empty()).then_some(Value::Struct(fields))
            }
            (None, _) => Some(ours.clone()),
        }
    }

    fn json(&self, ours: &Json) -> Option<Json> {
        let word = ours.as_str().and_then(|text| self.word(text));
        match (word, ours) {
            (Some(word), _) => Some(word.parse::<bool>().map_or_else(|_| word.into(), Json::from)),
            (None, Json::Object(table)) if !self.added.is_empty() => {
                let mut table = table.clone();
                let mut is_first = true;
                table.retain(|name, value| !self.is_added(std::mem::take(&mut is_first), Some(name), value.as_str()));
                (!table.is_empty()).then_some(Json::Object(table))
            }
            (None, _) => Some(ours.clone()),
        }
    }
}

fn find(id: &ResourceId, mapped: &str) -> Option<&'static Property> {
    let (name, _) = id.0.split_once('[')?;
    let all = languages().flat_map(|language| language.names().properties());
    all.into_iter().find(|property| property.mapped == mapped && property.types.contains(&name))
}

/// The property of a change that a language names differently.
fn property_of(id: &ResourceId, change: &Change) -> Option<&'static Property> {
    let text = |side: &'_ Option<Value>| side.as_ref().and_then(Value::as_str).map(str::to_owned);
    find(id, &change.property).filter(|one| one.fits(text(&change.from).as_deref(), text(&change.to).as_deref()))
}

/// Returns the changes of a resource in the words of its language.
pub fn in_own_words(id: &ResourceId, changes: &[Change]) -> Vec<Change> {
    let own = |change: &Change| {
        let name = own_name(id, change)?;
        let Some(property) = property_of(id, change) else { return Some(change.clone()) };
        let side = |ours: &Option<Value>| ours.as_ref().and_then(|ours| property.value(ours));
        let (from, to) = (side(&change.from), side(&change.to));
        Some(Change { property: name.into(), from, to, sensitive: change.sensitive })
    };
    changes.iter().filter_map(own).collect()
}

/// Returns the recorded changes of a resource in the words of its language.
pub fn recorded_in_own_words(id: &ResourceId, changes: &[Json]) -> Vec<Json> {
    let own = |change: &Json| {
        let mut change = change.clone();
        let property = change["property"].as_str().and_then(|mapped| find(id, mapped));
        if let Some(property) = property.filter(|one| one.fits(change["from"].as_str(), change["to"].as_str())) {
            change["property"] = property.name?.into();
            let before = [change["from"].clone(), change["to"].clone()];
            let after = before.each_ref().map(|side| property.json(side));
            if after.iter().all(|side| side.as_ref().is_none_or(Json::is_null)) && after != before.map(Some) {
                return None;
            }
            let [from, to] = after.map(Option::unwrap_or_default);
            (change["from"], change["to"]) = (from, to);
        }
        Some(change)
    };
    changes.iter().filter_map(own).collect()
}

/// Returns a note about a resource in the words of its language. The properties in it are between backticks.
pub fn note_in_own_words(id: &ResourceId, note: &str) -> String {
    let own = |part| find(id, part).map_or(Some(part), |property| property.name).unwrap_or(part);
    let parts = note.split('`').enumerate().map(|(at, part)| if at % 2 == 1 { own(part) } else { part });
    parts.collect::<Vec<_>>().join("`")
}

/// Returns the name of a change's property in the words of a resource's language; `None` if nothing of the change is
/// shown: the language has no such property, or our kinds added all of its values.
pub fn own_name<'a>(id: &ResourceId, change: &'a Change) -> Option<&'a str> {
    let Some(property) = property_of(id, change) else { return Some(&change.property) };
    let mut sides = [&change.from, &change.to].into_iter().flatten().peekable();
    let is_shown = sides.peek().is_none() || sides.any(|side| property.value(side).is_some());
    property.name.filter(|_| is_shown)
}

/// Returns the name of one of our parameters in the words of a resource's language.
pub fn own_param<'a>(id: &ResourceId, mapped: &'a str) -> &'a str {
    find(id, mapped).and_then(|property| property.name).unwrap_or(mapped)
}

/// Returns the names of all properties that a language names differently from our kinds.
pub fn own_names() -> impl Iterator<Item = &'static str> {
    languages().flat_map(|language| language.names().properties()).filter_map(|property| property.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_has_the_words_of_its_language() {
        let change = |property: &str, to: &str| Change {
            property: property.into(),
            from: None,
            to: Some(to.into()),
            sensitive: false,
        };
        for (id, mapped, shown) in [
            ("File[/srv]", ("state", "exists"), Some(("ensure", Value::from("present")))),
            ("fs::File[h,path=/srv]", ("state", "exists"), Some(("purged", Value::Bool(false)))),
            ("file[/srv]", ("state", "exists"), Some(("state", Value::from("exists")))),
            ("File[/srv]", ("state", "as in the source"), Some(("state", Value::from("as in the source")))),
            ("File[/srv]", ("source", "as in the source"), Some(("source", Value::from("as in the source")))),
            ("File[/srv]", ("source", "/etc/hosts"), Some(("target", Value::from("/etc/hosts")))),
            ("Exec[true]", ("cmd", "true"), Some(("command", Value::from("true")))),
            ("Exec[true]", ("shell", "/bin/sh"), None),
        ] {
            let own = in_own_words(&ResourceId(id.into()), &[change(mapped.0, mapped.1)]);
            let own = own.first().map(|change| (&*change.property, change.to.clone()));
            assert_eq!(own, shown.map(|(name, value)| (name, Some(value))), "{id} {mapped:?}");
        }
        // A journal has a table as a struct.
        let table = |fields: &[(&str, &str)]| {
            Value::Struct(fields.iter().map(|(name, value)| ((*name).into(), Value::from(*value))).collect())
        };
        let recorded = table(&[("PATH", "/bin"), ("A", "b")]);
        let own = in_own_words(&ResourceId("Exec[e]".into()), &[Change { to: Some(recorded), ..change("env", "") }]);
        assert_eq!(own.first().map(|change| change.to.clone()), Some(Some(table(&[("A", "b")]))));
        // A file that has the name of a property is one of the folder's files; a replacement has both values.
        for (to, shown) in [(None, "type"), (Some("a folder".into()), "ensure")] {
            let change = Change { from: Some("a file".into()), to, ..change("type", "") };
            assert_eq!(own_name(&ResourceId("File[/srv]".into()), &change), Some(shown));
        }
    }
}
