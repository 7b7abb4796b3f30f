//! Breakpoints: a resource, a pattern of ids, or conditions on the plan's steps.
//!
//! `file[/etc/motd]` names one resource; `svc[*]` is a pattern, with `*` for any text and `?` for one character. The
//! words after `if` must all hold: `svc[*] if refresh`, `if destroys`, `if kind:file changed:mode`, `if mode==0600
//! !in:base`. `svc[a if b]` is a name: `if` starts the conditions only outside of brackets.

mod known;

use std::collections::BTreeSet;

use super::{Action, Change as PlannedChange, Step};
use crate::diag::nearest;
use crate::graph::{Graph, Node, Resource, ResourceId, Value};

pub use known::{Names, OTHER_PROPERTIES};

/// A parsed breakpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    name: Name,
    words: Vec<Word>,
    /// The text and place of each word.
    written: Vec<Written>,
}

/// Whether a failure stops a run that continues. Breakpoints stop it in any case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BreakMode {
    /// The run stops.
    #[default]
    Failure,
    /// The run continues with resources that do not depend on the failed one.
    Never,
}

impl BreakMode {
    /// All modes, the default first.
    pub const ALL: [BreakMode; 2] = [BreakMode::Failure, BreakMode::Never];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            BreakMode::Failure => "failure",
            BreakMode::Never => "never",
        }
    }

    /// Returns the mode with this name.
    pub fn named(name: &str) -> Option<BreakMode> {
        BreakMode::ALL.into_iter().find(|mode| mode.name() == name)
    }

    /// Returns the opposite mode.
    pub fn other(self) -> BreakMode {
        if self == BreakMode::Failure { BreakMode::Never } else { BreakMode::Failure }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Name {
    Any,
    /// An id, or a text that only one id contains.
    One(String),
    Pattern(String),
}

/// A word as the user typed it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Written {
    word: String,
    /// Of its first letter, from 1.
    column: usize,
}

impl std::fmt::Display for Written {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}` at column {}", self.word, self.column)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Word {
    is_negated: bool,
    test: Test,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Test {
    /// The planned action is one of these.
    Does(&'static [Action]),
    Fails,
    Refresh,
    /// A property that the plan would change.
    Changed(String),
    Kind(String),
    /// A container's name, such as that of a class.
    In(String),
    Field {
        name: String,
        is_equal: bool,
        value: String,
    },
}

use Action::{Change, Create, None as Nothing, Remove, Replace, Run, Unknown};

/// The words without a value.
const ALONE: [(&str, Test); 9] = [
    ("changes", Test::Does(&[Create, Change, Replace, Remove, Run, Unknown])),
    ("creates", Test::Does(&[Create])),
    ("alters", Test::Does(&[Change])),
    ("replaces", Test::Does(&[Replace])),
    ("destroys", Test::Does(&[Remove, Replace])),
    ("runs", Test::Does(&[Run])),
    ("unknown", Test::Does(&[Unknown])),
    ("fails", Test::Fails),
    ("refresh", Test::Refresh),
];

/// The words, for help.
pub const WORDS: &str = "changes creates alters replaces destroys runs unknown fails refresh act:ACTION kind:K tag:CLASS changed:PROPERTY FIELD==VALUE FIELD!=VALUE (! negates)";

impl Stop {
    /// Parses a breakpoint. `Err` names the invalid word and its column.
    pub fn parse(text: &str) -> Result<Stop, String> {
        let (name, words) = apart(text);
        let name = match name {
            "" | "*" => Name::Any,
            name if name.contains(['*', '?']) => Name::Pattern(name.into()),
            name => Name::One(name.into()),
        };
        let tokens = match words {
            None if name == Name::Any => return Err(format!("name a resource, or a condition after `if`: {WORDS}")),
            None => vec![],
            Some(at) => tokens(&text[at..], text[..at].chars().count() + 1)?,
        };
        if tokens.is_empty() && name == Name::Any {
            return Err(format!("a condition must follow `if`: {WORDS}"));
        }
        let (mut words, mut written) = (Vec::new(), Vec::new());
        for token in tokens {
            words.push(parse_word(&token.word).map_err(|why| format!("{token} {why}"))?);
            written.push(token);
        }
        Ok(Stop { name, words, written })
    }

    /// Parses the conditions of a policy, in which `if` may be missing.
    pub fn parse_conditions(text: &str) -> Result<Stop, String> {
        // Text with brackets is the name of a resource.
        if apart(text).1.is_some() || text.contains('[') {
            return Stop::parse(text);
        }
        // The columns in errors are those of the text.
        let stop = Stop::parse(&format!("if {text}"));
        stop.map_err(|why| match tokens(text, 1).ok().and_then(|words| bad_word(&words)) {
            Some(why) => why,
            None => why,
        })
    }

    /// Whether it matches one fixed resource, independent of the plan.
    pub fn is_plain(&self) -> bool {
        matches!(self.name, Name::One(_)) && self.words.is_empty()
    }

    /// Whether it can be resolved only with a plan.
    pub fn asks_a_plan(&self) -> bool {
        let asks = |word: &Word| matches!(word.test, Test::Does(_) | Test::Fails | Test::Refresh | Test::Changed(_));
        self.words.iter().any(asks)
    }

    /// Returns the matching resources. `Err` if it names one that does not exist. `own` names a property in the words
    /// of a resource's language.
    pub fn places<'a>(
        &self,
        graph: &Graph,
        step_of: impl Fn(&ResourceId) -> Option<&'a Step>,
        own: OwnName,
    ) -> Result<BTreeSet<ResourceId>, String> {
        let (one, around) = match &self.name {
            Name::One(name) => match container(name, graph) {
                Some(around) => (None, Some(around)),
                None => (Some(named(name, graph)?), None),
            },
            Name::Any | Name::Pattern(_) => (None, None),
        };
        let fits = |resource: &Resource| match &self.name {
            Name::Any => true,
            Name::One(_) => match &around {
                Some(around) => resource.container.iter().any(|container| **container == **around),
                None => one.as_ref() == Some(&resource.id),
            },
            Name::Pattern(pattern) => {
                let is_in = || resource.container.iter().any(|container| is_like(container, pattern));
                is_like(&resource.id.0, pattern) || is_in()
            }
        };
        let holds = |resource: &Resource| {
            let step = if self.asks_a_plan() { step_of(&resource.id) } else { None };
            self.words.iter().all(|word| word.test.holds(resource, step, own) != word.is_negated)
        };
        let resources = graph.resources().map(|(_, resource)| resource).filter(|resource| !resource.is_hidden());
        Ok(resources.filter(|one| fits(one) && holds(one)).map(|one| one.id.clone()).collect())
    }
}

/// The error of the first invalid word.
fn bad_word(words: &[Written]) -> Option<String> {
    words.iter().find_map(|written| Some(format!("{written} {}", parse_word(&written.word).err()?)))
}

/// Returns the attributes of a container's resources, if the text is the container's id.
fn container(id: &str, graph: &Graph) -> Option<String> {
    let anchors = graph.nodes().filter_map(|node| match node {
        Node::Anchor(anchor) => Some(anchor),
        Node::Resource(_) => None,
    });
    let anchor = anchors.into_iter().find(|anchor| *anchor.id.0 == *id)?;
    Some(if &*anchor.kind == "class" { format!("class {}", anchor.name) } else { anchor.name.to_string() })
}

/// Returns the resource that the user means: its id, or the only id that contains the text.
pub fn named(text: &str, graph: &Graph) -> Result<ResourceId, String> {
    named_among(text, || {
        graph.resources().filter(|(_, resource)| !resource.is_hidden()).map(|(_, resource)| &resource.id)
    })
}

/// The same among some.
pub fn named_among<'a, Ids: Iterator<Item = &'a ResourceId>>(
    text: &str,
    ids: impl Fn() -> Ids,
) -> Result<ResourceId, String> {
    if let Some(exact) = ids().find(|id| *id.0 == *text) {
        return Ok(exact.clone());
    }
    let mut matching = ids().filter(|id| id.0.contains(text));
    match (matching.next(), matching.next()) {
        (Some(only), None) => Ok(only.clone()),
        (Some(one), Some(other)) => Err(format!("`{text}` could be {one} or {other}")),
        (None, _) => {
            let near = nearest(text, ids().map(|id| &*id.0));
            let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            Err(format!("no resource `{text}`{near}"))
        }
    }
}

/// Splits a text into the name and the position of the words after an `if` outside of brackets.
fn apart(text: &str) -> (&str, Option<usize>) {
    let mut open = 0usize;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        match c {
            '[' => open += 1,
            ']' => open = open.saturating_sub(1),
            'i' if open == 0 && before.is_whitespace() => {
                if let Some(rest) = text[at..].strip_prefix("if")
                    && rest.chars().next().is_none_or(char::is_whitespace)
                {
                    return (text[..at].trim(), Some(at + 2));
                }
            }
            _ => {}
        }
        before = c;
    }
    (text.trim(), None)
}

/// Splits words at white space outside of quotes. `column` is the column of the first character.
fn tokens(text: &str, column: usize) -> Result<Vec<Written>, String> {
    let (mut all, mut word, mut is_quoted) = (Vec::new(), None::<Written>, false);
    for (column, c) in (column..).zip(text.chars()) {
        if c.is_whitespace() && !is_quoted {
            all.extend(word.take());
            continue;
        }
        let word = word.get_or_insert_with(|| Written { word: String::new(), column });
        match c {
            '"' => is_quoted = !is_quoted,
            c => word.word.push(c),
        }
    }
    if is_quoted {
        return Err("unclosed quote".into());
    }
    all.extend(word);
    Ok(all)
}

/// The keys of words with a value.
const KEYS: [&str; 5] = ["kind", "in", "tag", "changed", "act"];
const ACTIONS: [(&str, &str, Action); 8] = [
    ("create", "+", Create),
    ("change", "~", Change),
    ("replace", "±", Replace),
    ("remove", "-", Remove),
    ("run", "!", Run),
    ("none", "=", Nothing),
    ("unchanged", "=", Nothing),
    ("unknown", "?", Unknown),
];

/// Explains why a word is not a condition, and suggests the nearest one.
fn no_condition(bare: &str) -> String {
    if let Some(act) = bare.strip_prefix("act:") {
        let names = ACTIONS.map(|(name, ..)| name);
        return match nearest(act, names) {
            Some(near) => format!("is not an action; did you mean `act:{near}`?"),
            None => format!("is not an action; the actions are: {}", names.join(" ")),
        };
    }
    let near = match bare.split_once(':') {
        Some((key, value)) => nearest(key, KEYS).map(|near| format!("{near}:{value}")),
        None => nearest(bare, ALONE.iter().map(|(name, _)| *name)).map(str::to_owned),
    };
    match near {
        Some(near) => format!("is not a condition; did you mean `{near}`?"),
        None => format!("is not a condition; the conditions are: {WORDS}"),
    }
}

fn parse_word(word: &str) -> Result<Word, String> {
    let (is_negated, bare) = word.strip_prefix('!').map_or((false, word), |bare| (true, bare));
    let field = |sign: &str, is_equal| {
        let (name, value) = bare.split_once(sign)?;
        Some(Test::Field { name: name.into(), is_equal, value: value.into() })
    };
    let keyed = |pair: (&str, &str)| match pair {
        ("kind", kind) => Some(Test::Kind(kind.into())),
        ("in" | "tag", name) => Some(Test::In(name.into())),
        ("changed", property) => Some(Test::Changed(property.into())),
        ("act", act) => {
            let found = ACTIONS.iter().find(|(name, sign, _)| act == *name || act == *sign);
            found.map(|(_, _, action)| Test::Does(std::slice::from_ref(action)))
        }
        _ => None,
    };
    // Accepts the notation of a function too.
    let called = || bare.strip_prefix("changed(")?.strip_suffix(')').map(|property| Test::Changed(property.into()));
    let alone = ALONE.into_iter().find(|(known, _)| *known == bare).map(|(_, test)| test);
    let test = alone
        .or_else(called)
        .or_else(|| field("==", true))
        .or_else(|| field("!=", false))
        .or_else(|| bare.split_once(':').and_then(keyed))
        .or_else(|| {
            field("=", true).filter(|_| !bare.split('=').next().is_some_and(|name| name.contains([':', '<', '>'])))
        })
        .ok_or_else(|| no_condition(bare))?;
    Ok(Word { is_negated, test })
}

/// Names the property of a change in the words of a resource's language; `None` if the language has no such property.
pub type OwnName = for<'a> fn(&ResourceId, &'a PlannedChange) -> Option<&'a str>;

impl Test {
    fn holds(&self, resource: &Resource, step: Option<&Step>, own: OwnName) -> bool {
        match self {
            Test::Does(actions) => step.is_some_and(|step| actions.contains(&step.action)),
            Test::Fails => step.is_some_and(|step| step.error.is_some()),
            Test::Refresh => step.is_some_and(|step| step.refresh),
            Test::Changed(property) => {
                let is_it = |change: &PlannedChange| {
                    change.property == *property || own(&resource.id, change) == Some(property)
                };
                step.is_some_and(|step| step.changes.iter().any(is_it))
            }
            Test::Kind(kind) => {
                is_like(&resource.shown().kind, kind)
                    || resource.mapping().is_some_and(|wanted| is_like(&wanted.kind, kind))
            }
            Test::In(name) => resource.container.iter().chain(&resource.tags).any(|container| {
                is_like(container, name) || container.rsplit(' ').next().is_some_and(|last| is_like(last, name))
            }),
            Test::Field { name, is_equal, value } => {
                let mapped = || resource.mapping().and_then(|wanted| wanted.params.get(name));
                let set = resource.shown().params.get(name).or_else(mapped);
                let is_same = |set: &Value| is_value(set, value) || name == "mode" && is_mode(set, value);
                set.is_some_and(is_same) == *is_equal
            }
        }
    }
}

/// Whether a value equals a typed text. A secret never does, so that it cannot be guessed.
fn is_value(value: &Value, typed: &str) -> bool {
    match value {
        value if value.holds_secret() => false,
        Value::Str(text) => **text == *typed,
        other => {
            let shown = other.to_json().to_string();
            shown == typed
        }
    }
}

/// Whether both are one mode in octal digits, such as `777` and `0777`.
fn is_mode(value: &Value, typed: &str) -> bool {
    let bits = |text: &str| u32::from_str_radix(text.strip_prefix("0o").unwrap_or(text), 8).ok();
    let text = value.as_str();
    text.is_some() && text.and_then(bits).is_some_and(|set| bits(typed) == Some(set))
}

/// Whether a text matches a pattern, in which `*` is any text and `?` is one character.
pub(super) fn is_like(text: &str, pattern: &str) -> bool {
    let (text, pattern): (Vec<char>, Vec<char>) = (text.chars().collect(), pattern.chars().collect());
    let (mut at, mut in_pattern) = (0, 0);
    // The place of the last star, and the end of its match.
    let mut star = None;
    while at < text.len() {
        match pattern.get(in_pattern) {
            Some('*') => {
                star = Some((in_pattern, at));
                in_pattern += 1;
            }
            Some(c) if *c == '?' || *c == text[at] => {
                at += 1;
                in_pattern += 1;
            }
            _ => match star {
                Some((stood, reached)) => {
                    star = Some((stood, reached + 1));
                    (at, in_pattern) = (reached + 1, stood + 1);
                }
                None => return false,
            },
        }
    }
    pattern[in_pattern..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_like_their_texts() {
        for (text, pattern, holds) in [
            ("file[/etc/motd]", "file[/etc/*]", true),
            ("file[/etc/motd]", "*motd*", true),
            ("file[/etc/motd]", "file[/etc/m?td]", true),
            ("file[/etc/motd]", "file[/etc/?]", false),
            ("aXbXc", "a*X?", true),
            ("", "*", true),
            ("", "?", false),
        ] {
            assert_eq!(is_like(text, pattern), holds, "{text} {pattern}");
        }
    }

    #[test]
    fn names_and_words_are_distinguished() {
        assert_eq!(apart("exec[a if b]"), ("exec[a if b]", None));
        assert_eq!(apart("exec[a if b] if changes"), ("exec[a if b]", Some(15)));
        assert_eq!(apart("if destroys"), ("", Some(2)));
        let parsed = |text: &str| Stop::parse(text).map(|stop| stop.words);
        assert_eq!(parsed("if changed(mode) tag:base"), parsed("if changed:mode in:base"));
        assert!(Stop::parse("if content==\"a b\" !kind:file").is_ok_and(|stop| stop.words.len() == 2));
        assert_eq!(parsed("if mode=0600"), parsed("if mode==0600"));
        for wrong in ["", "*", "if", "if explodes", "x if \"a", "if act:dance", "if hits>=3"] {
            assert!(Stop::parse(wrong).is_err(), "{wrong}");
        }
    }
}
