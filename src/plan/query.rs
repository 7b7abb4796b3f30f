//! Queries that filter lists and select resources: `kind:file act:create nginx`, each word narrowing further.

use std::sync::Arc;

use super::{Action, Step};
use crate::diag::nearest;
use crate::graph::Resource;

/// A parsed query. All of its words must match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query(Vec<Word>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Word {
    negated: bool,
    wanted: Condition,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Condition {
    Kind(Name),
    /// The resource that a row is about, or names.
    Resource(Text),
    /// The lowest importance of a log line.
    Level(Vec<&'static str>),
    /// Any of these.
    Action(Vec<Action>),
    State(Vec<&'static str>),
    File(Text),
    /// A class that contains it, by its name or its last word.
    Tag(Name),
    /// A folder that contains its source.
    Module(Name),
    Text(Text),
}

/// A complete name.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Name {
    name: String,
    /// The name is still being typed, so it also matches as a prefix.
    is_open: bool,
}

impl Name {
    fn is(&self, there: &str) -> bool {
        if self.is_open { there.starts_with(&*self.name) } else { there == self.name }
    }
}

/// A text to find. Without capitals it ignores case.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Text {
    text: String,
    either_case: bool,
}

/// Every action with its words and its sign.
const ACTIONS: [(Action, &str, &str); 8] = [
    (Action::Create, "create", "+"),
    (Action::Change, "change", "~"),
    (Action::Replace, "replace", "±"),
    (Action::Remove, "remove", "-"),
    (Action::Run, "run", "!"),
    (Action::None, "none", "="),
    (Action::None, "unchanged", "="),
    (Action::Unknown, "unknown", "?"),
];

/// The states of a resource in a run, and the mark for a resource that changed on the machine since the plan. A new
/// plan has no such resources.
pub const STATES: [&str; 7] = [WAITING, "running", "done", "failed", "skipped", "blocked", STALE];
const WAITING: &str = "waiting";
const STALE: &str = "stale";

/// The importance of a log line, in descending order.
pub const LEVELS: [&str; 3] = ["all", "info", "problems"];

/// The keys of words, for resources and for log lines.
const KEYS: [&str; 8] = ["kind", "act", "state", "tag", "mod", "file", "resource", "level"];

/// The keys that apply to resources.
pub const RESOURCE_KEYS: [&str; 7] = ["kind", "act", "state", "tag", "mod", "file", "resource"];

/// The properties of a list row that a query can match. A row without a requested property does not match.
#[derive(Clone, Copy, Debug, Default)]
pub struct Offered<'a> {
    pub text: &'a str,
    pub kind: Option<&'a str>,
    /// This machine's name for the kind.
    pub mapped: Option<&'a str>,
    /// The id of the row's resource.
    pub resource: Option<&'a str>,
    /// The [`LEVELS`] that show it.
    pub levels: &'a [&'static str],
    pub file: Option<&'a str>,
    /// The classes that contain it, outermost first.
    pub tags: &'a [Arc<str>],
    /// The labels that its language gave it.
    pub labels: &'a [Arc<str>],
    pub action: Option<Action>,
    /// One of [`STATES`].
    pub state: Option<&'a str>,
    /// Changed on the machine since the plan.
    pub is_stale: bool,
}

impl<'a> Offered<'a> {
    /// A row that is only a text.
    pub fn text(text: &'a str) -> Self {
        Self { text, ..Self::default() }
    }

    /// A resource in the state waiting, unless the caller changes that.
    pub fn resource(resource: &'a Resource) -> Self {
        Self {
            text: &resource.id.0,
            kind: Some(&resource.shown().kind),
            mapped: resource.mapping().map(|wanted| &*wanted.kind),
            resource: Some(&resource.id.0),
            levels: &[],
            file: resource.source.as_ref().map(|place| &*place.file),
            tags: &resource.container,
            labels: &resource.tags,
            action: None,
            state: Some(WAITING),
            is_stale: false,
        }
    }
}

impl Query {
    /// Parses words separated by white space; `!` in front negates one. `Err` names the invalid word and the reason.
    pub fn parse(text: &str) -> Result<Query, String> {
        text.split_whitespace().map(|word| parse_word(word, false)).collect::<Result<_, _>>().map(Query)
    }

    /// Returns query words that find a name literally, whatever characters it contains.
    pub fn for_name(name: &str) -> String {
        fn plain(word: &str) -> &str {
            let word = word.trim_start_matches('!');
            match word.split_once([':', '=']) {
                Some((key, rest)) if KEYS.contains(&key) => plain(rest),
                _ => word,
            }
        }
        name.split_whitespace().map(plain).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
    }

    /// The same while the user types: the last word may be incomplete.
    pub fn typed(text: &str) -> Result<Query, String> {
        let count = text.split_whitespace().count();
        let is_open = |at: usize| at + 1 == count && !text.ends_with(char::is_whitespace);
        let words = text.split_whitespace().enumerate().map(|(at, word)| parse_word(word, is_open(at)));
        words.collect::<Result<_, _>>().map(Query)
    }

    /// Whether every word matches a resource. Without a step, no action matches.
    pub fn matches(&self, resource: &Resource, step: Option<&Step>) -> bool {
        self.fits(&Offered { action: step.map(|step| step.action), ..Offered::resource(resource) })
    }

    /// Keeps the words that select by name, and drops those about the state of the machine or the run.
    pub fn of_names(&self) -> Query {
        let names = |word: &&Word| !matches!(word.wanted, Condition::Action(_) | Condition::State(_));
        Query(self.0.iter().filter(names).cloned().collect())
    }

    /// Whether a row of any list matches.
    pub fn fits(&self, row: &Offered) -> bool {
        self.0.iter().all(|word| word.wanted.fits(row) != word.negated)
    }
}

/// Returns the key of a word, if it looks like one: letters before a colon or an equals sign, and not an address.
fn key_of(word: &str) -> Option<&str> {
    let (key, value) = word.trim_start_matches('!').split_once([':', '='])?;
    let is_key = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_lowercase());
    (is_key && !value.starts_with("//")).then_some(key)
}

/// Returns a message about a word whose key does not exist, with the nearest key.
///
/// A word with an unknown key is searched as text, which may be intended: `finds_some` says that the words found
/// something. A key of other lists does not filter these rows.
pub fn unknown_key(words: &str, keys: &[&str], finds_some: bool) -> Option<String> {
    let unknown = words.split_whitespace().filter_map(key_of).filter(|key| !keys.contains(key));
    let keyed = unknown.map(|key| (key, nearest(key, keys.iter().copied())));
    let (key, near) = keyed.into_iter().find(|(key, near)| KEYS.contains(key) || near.is_some() || !finds_some)?;
    let near = near.map(|near| format!(", did you mean `{near}:`?")).unwrap_or_default();
    let all: Vec<_> = keys.iter().map(|key| format!("{key}:")).collect();
    let all = if all.is_empty() { "there are none here".into() } else { format!("the keys are {}", all.join(", ")) };
    Some(format!("unknown key `{key}:`{near}{} {all}", if near.is_empty() { ";" } else { "" }))
}

fn parse_word(word: &str, is_open: bool) -> Result<Word, String> {
    let (negated, word) = word.strip_prefix('!').map_or((false, word), |rest| (true, rest));
    // An incomplete word matches everything, negated or not.
    let nothing = Word { negated: false, wanted: Condition::Text(Text::new("")) };
    if is_open && word.is_empty() {
        return Ok(nothing);
    }
    let keyed = word.split_once([':', '=']).filter(|(key, _)| KEYS.contains(key));
    if is_open && keyed.is_some_and(|(_, value)| value.is_empty()) {
        return Ok(nothing);
    }
    let wanted = match keyed {
        Some(("kind", kind)) => Condition::Kind(Name { name: kind.into(), is_open }),
        Some(("tag", tag)) => Condition::Tag(Name { name: tag.into(), is_open }),
        Some(("mod", name)) => Condition::Module(Name { name: name.trim_end_matches('/').into(), is_open }),
        Some(("file", file)) => Condition::File(Text::new(file)),
        Some(("resource", id)) => Condition::Resource(Text::new(id)),
        Some(("level", level)) => {
            let exact = LEVELS.into_iter().filter(|name| *name == level);
            let begun = LEVELS.into_iter().filter(|name| is_open && name.starts_with(level));
            Condition::Level(some_of(exact, begun).ok_or_else(|| no_such(level, "level", &LEVELS))?)
        }
        Some(("act", act)) => {
            let exact = ACTIONS.iter().filter(|(_, name, sign)| act == *name || act == *sign);
            let begun = ACTIONS.iter().filter(|(_, name, _)| is_open && name.starts_with(act));
            let found = some_of(exact.map(|(action, ..)| *action), begun.map(|(action, ..)| *action));
            Condition::Action(found.ok_or_else(|| no_such(act, "action", &ACTIONS.map(|(_, name, _)| name)))?)
        }
        Some(("state", state)) => {
            let exact = STATES.into_iter().filter(|name| *name == state);
            let begun = STATES.into_iter().filter(|name| is_open && name.starts_with(state));
            Condition::State(some_of(exact, begun).ok_or_else(|| no_such(state, "state", &STATES))?)
        }
        _ => Condition::Text(Text::new(word)),
    };
    Ok(Word { negated, wanted })
}

/// Returns the first list that is not empty.
fn some_of<T>(exact: impl Iterator<Item = T>, begun: impl Iterator<Item = T>) -> Option<Vec<T>> {
    let exact: Vec<T> = exact.collect();
    let found = if exact.is_empty() { begun.collect() } else { exact };
    (!found.is_empty()).then_some(found)
}

fn no_such(word: &str, what: &str, names: &[&str]) -> String {
    format!("`{word}` is not a valid {what}; use one of: {}", names.join(", "))
}

impl Condition {
    fn fits(&self, row: &Offered) -> bool {
        match self {
            Condition::Kind(name) => {
                row.kind.is_some_and(|kind| name.is(kind)) || row.mapped.is_some_and(|kind| name.is(kind))
            }
            Condition::Resource(id) => row.resource.is_some_and(|there| id.is_in(there)),
            Condition::Level(levels) => row.levels.iter().any(|level| levels.contains(level)),
            Condition::Tag(name) => {
                let mut all = row.tags.iter().chain(row.labels);
                all.any(|tag| name.is(tag) || tag.rsplit(' ').next().is_some_and(|last| name.is(last)))
            }
            Condition::Module(name) => row.file.is_some_and(|file| is_in_folder(file, name)),
            Condition::File(file) => row.file.is_some_and(|there| file.is_in(there)),
            Condition::Action(actions) => row.action.is_some_and(|action| actions.contains(&action)),
            Condition::State(states) => {
                row.state.is_some_and(|state| states.contains(&state)) || row.is_stale && states.contains(&STALE)
            }
            Condition::Text(text) => text.is_in(row.text),
        }
    }
}

/// Whether a file is below a folder with this name, or with these names separated by slashes.
fn is_in_folder(file: &str, name: &Name) -> bool {
    let Some((folder, _)) = file.rsplit_once('/') else { return false };
    let count = name.name.split('/').count();
    let parts: Vec<&str> = folder.split('/').collect();
    parts.windows(count).any(|some| name.is(&some.join("/")))
}

impl Text {
    fn new(text: &str) -> Self {
        Self { text: text.into(), either_case: !text.chars().any(char::is_uppercase) }
    }

    fn is_in(&self, there: &str) -> bool {
        if !self.either_case {
            return there.contains(&*self.text);
        }
        if self.text.is_ascii() && there.is_ascii() {
            // Lists are filtered at each key press, so nothing is copied.
            let text = self.text.as_bytes();
            return text.is_empty() || there.as_bytes().windows(text.len()).any(|part| part.eq_ignore_ascii_case(text));
        }
        there.to_lowercase().contains(&*self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_and_bad_ones_named() {
        assert!(Query::parse("kind:file act:+ state:done !nginx").is_ok());
        assert!(Query::parse("").is_ok());
        assert!(Query::parse("act:explode").is_err_and(|e| e.contains("explode")));
        assert!(Query::parse("state:lost").is_err_and(|e| e.contains("waiting")));
        assert!(Query::parse("act:cr").is_err());
        assert!(Query::typed("act:cr kind:file").is_err());
        assert_eq!(Query::parse("kind=file"), Query::parse("kind:file"));
    }

    #[test]
    fn typing_narrows_the_choices() {
        let tags = ["class site".into(), "class site:pages".into()];
        let file = Some("modules/web/lib/main.mcl");
        let row = Offered {
            kind: Some("http:server"),
            action: Some(Action::Create),
            file,
            tags: &tags,
            resource: Some("Web[ä]"),
            levels: &["all", "info"],
            ..Offered::text("Web[ä]")
        };
        for (typed, fits) in [
            ("", true),
            ("!", true),
            ("kind:", true),
            ("kind:ht", true),
            ("kind:ht ", false),
            ("kind:http:server ", true),
            ("act:c", true),
            ("act:ch", false),
            ("!act:ch", true),
            ("web", true),
            ("Web", true),
            ("WEB", false),
            ("Ä", false),
            ("ä", true),
            ("web !ä", false),
            ("state:done", false),
            ("tag:site ", true),
            ("tag:si", true),
            ("tag:si ", false),
            ("tag:site:pages ", true),
            ("!tag:other ", true),
            ("mod:web ", true),
            ("mod:web/lib/ ", true),
            ("mod:we", true),
            ("mod:we ", false),
            ("mod:main.mcl ", false),
            ("mod:modules/lib ", false),
            ("resource:ä ", true),
            ("resource:http ", false),
            ("level:info ", true),
            ("level:prob", false),
        ] {
            assert_eq!(Query::typed(typed).map(|query| query.fits(&row)), Ok(fits), "{typed}");
        }
    }

    #[test]
    fn an_unknown_key_is_reported_at_its_place() {
        let keys = ["kind", "resource"];
        for (words, finds_some, keyed) in [
            ("foo:bar", false, "unknown key `foo:`; the keys are kind:, resource:"),
            ("svc !foo=", false, "unknown key `foo:`; the keys are kind:, resource:"),
            ("knd:file", true, "unknown key `knd:`, did you mean `kind:`? the keys are kind:, resource:"),
            ("act:run", true, "unknown key `act:`; the keys are kind:, resource:"),
            // Text that contains a colon.
            ("http:server", true, ""),
            ("https://example.org", false, ""),
            ("12:01", false, ""),
            ("kind:file main.mcl:3", false, ""),
        ] {
            assert_eq!(unknown_key(words, &keys, finds_some).unwrap_or_default(), keyed, "{words}");
        }
    }
}
