//! Queries that narrow what is shown or done: `kind:file act:create nginx`, each word narrowing further.

use super::{Action, Step};
use crate::graph::Resource;

/// A parsed query; all of its words must match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query(Vec<Word>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Word {
    negated: bool,
    wanted: Wanted,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Wanted {
    Kind(String),
    Action(Action),
    File(String),
    Text(String),
}

/// Every action with its word and its sign.
const ACTIONS: [(Action, &str, &str); 7] = [
    (Action::Create, "create", "+"),
    (Action::Change, "change", "~"),
    (Action::Replace, "replace", "±"),
    (Action::Remove, "remove", "-"),
    (Action::Run, "run", "!"),
    (Action::None, "none", "="),
    (Action::Unknown, "unknown", "?"),
];

impl Query {
    /// Reads words separated by white space; `!` in front negates one. `Err` says which word makes no sense, and why.
    pub fn parse(text: &str) -> Result<Query, String> {
        text.split_whitespace().map(parse_word).collect::<Result<_, _>>().map(Query)
    }

    pub fn matches(&self, resource: &Resource, step: Option<&Step>) -> bool {
        self.0.iter().all(|word| word.wanted.matches(resource, step) != word.negated)
    }
}

fn parse_word(word: &str) -> Result<Word, String> {
    let (negated, word) = word.strip_prefix('!').map_or((false, word), |rest| (true, rest));
    let wanted = match word.split_once(':') {
        Some(("kind", kind)) => Wanted::Kind(kind.into()),
        Some(("file", file)) => Wanted::File(file.into()),
        Some(("act", act)) => {
            let found = ACTIONS.iter().find(|(_, name, sign)| act == *name || act == *sign);
            let (action, ..) = found.ok_or_else(|| {
                let names: Vec<_> = ACTIONS.iter().map(|(_, name, _)| *name).collect();
                format!("`{act}` is no action; these are: {}", names.join(", "))
            })?;
            Wanted::Action(*action)
        }
        _ => Wanted::Text(word.into()),
    };
    Ok(Word { negated, wanted })
}

impl Wanted {
    fn matches(&self, resource: &Resource, step: Option<&Step>) -> bool {
        match self {
            Wanted::Kind(kind) => {
                *resource.declared.kind == **kind || resource.wanted().is_some_and(|wanted| *wanted.kind == **kind)
            }
            Wanted::File(file) => resource.source.as_ref().is_some_and(|place| place.file.contains(&**file)),
            Wanted::Action(action) => step.is_some_and(|step| step.action == *action),
            Wanted::Text(text) => resource.id.0.contains(&**text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Query;

    #[test]
    fn words_are_read_and_bad_ones_named() {
        assert!(Query::parse("kind:file act:+ !nginx").is_ok());
        assert!(Query::parse("").is_ok());
        assert!(Query::parse("act:explode").is_err_and(|e| e.contains("explode")));
    }
}
