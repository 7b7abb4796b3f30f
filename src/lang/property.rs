//! Properties of resources in the words of the language that declares them, for faces that draw changes.

use serde_json::Value as Json;

use super::languages;
use crate::graph::{ResourceId, Value};
use crate::plan::Change;

/// A property of our kinds that a language names differently.
#[derive(Debug)]
pub struct Property {
    /// The language's types that have it.
    pub types: &'static [&'static str],
    /// Our name.
    pub mapped: &'static str,
    /// The language's name; `None` if the language has no such property, so that it is not drawn.
    pub name: Option<&'static str>,
    /// Our values with other words, each with those of the language. `true` and `false` are booleans.
    pub values: &'static [(&'static str, &'static str)],
    /// It has only these values. A folder lists its files as properties, whose names may be the same.
    pub is_closed: bool,
}

impl Property {
    /// Makes a property whose values have the same words in the language.
    pub const fn named(types: &'static [&'static str], mapped: &'static str, name: &'static str) -> Self {
        Self { types, mapped, name: Some(name), values: &[], is_closed: false }
    }

    fn word(&self, ours: &str) -> Option<&'static str> {
        self.values.iter().find(|(mapped, _)| *mapped == ours).map(|(_, word)| *word)
    }

    /// Whether a change is one of this property, by its values.
    fn fits<'v>(&self, sides: impl IntoIterator<Item = Option<&'v str>>) -> bool {
        !self.is_closed || sides.into_iter().flatten().any(|side| self.word(side).is_some())
    }

    fn value(&self, ours: Option<&Value>) -> Option<Value> {
        let word = ours.and_then(Value::as_str).and_then(|text| self.word(text));
        let own = word.map(|word| word.parse().map_or_else(|_| word.into(), Value::Bool));
        own.or_else(|| ours.cloned())
    }

    fn json(&self, ours: &Json) -> Json {
        let word = ours.as_str().and_then(|text| self.word(text));
        word.map_or_else(|| ours.clone(), |word| word.parse::<bool>().map_or_else(|_| word.into(), Json::from))
    }
}

fn find(id: &ResourceId, mapped: &str) -> Option<&'static Property> {
    let (name, _) = id.0.split_once('[')?;
    let all = languages().flat_map(|language| language.names().properties());
    all.into_iter().find(|property| property.mapped == mapped && property.types.contains(&name))
}

/// Returns the changes of a resource in the words of its language.
pub fn in_own_words(id: &ResourceId, changes: &[Change]) -> Vec<Change> {
    let text = |side: &'_ Option<Value>| side.as_ref().and_then(Value::as_str).map(str::to_owned);
    let own = |change: &Change| match find(id, &change.property)
        .filter(|property| property.fits([text(&change.from).as_deref(), text(&change.to).as_deref()]))
    {
        None => Some(change.clone()),
        Some(property) => Some(Change {
            property: property.name?.into(),
            from: property.value(change.from.as_ref()),
            to: property.value(change.to.as_ref()),
            sensitive: change.sensitive,
        }),
    };
    changes.iter().filter_map(own).collect()
}

/// Returns the recorded changes of a resource in the words of its language.
pub fn recorded_in_own_words(id: &ResourceId, changes: &[Json]) -> Vec<Json> {
    let own = |change: &Json| {
        let mut change = change.clone();
        let property = change["property"].as_str().and_then(|mapped| find(id, mapped));
        if let Some(property) = property.filter(|one| one.fits([change["from"].as_str(), change["to"].as_str()])) {
            change["property"] = property.name?.into();
            for side in ["from", "to"] {
                change[side] = property.json(&change[side]);
            }
        }
        Some(change)
    };
    changes.iter().filter_map(own).collect()
}

/// Returns a note about a resource in the words of its language. The properties in it are between backticks.
pub fn note_in_own_words(id: &ResourceId, note: &str) -> String {
    let parts = note.split('`').enumerate();
    let own = |(at, part): (usize, _)| if at % 2 == 1 { own_name(id, part).unwrap_or(part) } else { part };
    parts.map(own).collect::<Vec<_>>().join("`")
}

/// Returns the name of a property in the words of a resource's language; `None` if the language has no such property.
pub fn own_name<'a>(id: &ResourceId, mapped: &'a str) -> Option<&'a str> {
    find(id, mapped).map_or(Some(mapped), |property| property.name)
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
            ("Exec[true]", ("cmd", "true"), Some(("command", Value::from("true")))),
            ("Exec[true]", ("shell", "/bin/sh"), None),
        ] {
            let own = in_own_words(&ResourceId(id.into()), &[change(mapped.0, mapped.1)]);
            let own = own.first().map(|change| (&*change.property, change.to.clone()));
            assert_eq!(own, shown.map(|(name, value)| (name, Some(value))), "{id} {mapped:?}");
        }
    }
}
