//! Why a value does not fit a type: which part of it, what is expected there, and what there is.

use std::collections::BTreeSet;
use std::fmt;

use super::assign::{holds, size_of, within};
use super::{Member, Size, Ty, Type, assignable, generalise, infer, is_instance};
use crate::lang::puppet::ast::Text;
use crate::lang::puppet::value::Value;
use crate::lang::puppet::words::article;

/// As many pairs of types are compared for one description: aliases can name each other twice at each level.
const MOST_PAIRS: u32 = 2_000;

/// As many mismatches are listed.
const MOST_LINES: usize = 20;

/// Longer names of aliases are not written out.
const LONGEST: usize = 2_000;

/// `expects an Integer value, got String`; of several mismatches the first.
pub fn describe_mismatch(ty: &Ty, value: &Value) -> String {
    Mismatch::first(ty, value).to_string()
}

/// `LABEL: parameter 'x' expects …`; several mismatches are on lines of their own.
pub fn parameter_mismatch(label: &str, name: &str, ty: &Ty, value: &Value) -> String {
    let lines = argument_mismatch(name, ty, value);
    match &lines[..] {
        [one] => format!("{label}: {one}"),
        several => format!("{label}:\n  {}", several.join("\n  ")),
    }
}

/// `parameter 'x' expects …`, a line for each mismatch.
pub fn argument_mismatch(name: &str, ty: &Ty, value: &Value) -> Vec<String> {
    Mismatch::all(ty, value).iter().map(|one| format!("parameter '{name}' {one}")).collect()
}

/// One step from a value to a part of it.
#[derive(Clone, Debug, PartialEq)]
enum Step {
    Entry(String),
    Key(String),
    Index(usize),
    Variant(usize),
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Entry(key) => write!(f, "entry '{key}'"),
            Step::Key(key) => write!(f, "key of entry '{key}'"),
            Step::Index(at) => write!(f, "index {at}"),
            Step::Variant(at) => write!(f, "variant {at}"),
        }
    }
}

/// The expected and the actual properties of a part.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    Type(Ty, Ty),
    Match(Ty, Ty),
    Size(Size, Size),
    MissingKey(Text),
    UnknownKey(Text),
}

/// Why a value does not fit a type.
#[derive(Clone, Debug, PartialEq)]
pub struct Mismatch {
    path: Vec<Step>,
    pub what: What,
}

impl Mismatch {
    /// Returns at least one mismatch.
    fn all(ty: &Ty, value: &Value) -> Vec<Self> {
        let actual = infer(value);
        let mut found = Describer { left: MOST_PAIRS }.describe(ty, ty, &actual, &[]);
        found.truncate(MOST_LINES);
        if found.is_empty() {
            found.push(Self { path: Vec::new(), what: What::Type(ty.clone(), actual) });
        }
        found
    }

    /// Returns the first mismatch of a value with a type that it does not fit.
    pub fn first(ty: &Ty, value: &Value) -> Self {
        Self::all(ty, value).swap_remove(0)
    }

    /// A key that a value has at the same place and its type does not, if there is only one.
    pub fn surplus_key(&self, ty: &Ty, value: &Value) -> Option<Text> {
        let all = Self::all(ty, value);
        let mut found = all.into_iter().filter(|other| other.path == self.path).filter_map(|other| match other.what {
            What::UnknownKey(key) => Some(key),
            _ => None,
        });
        found.next().filter(|_| found.next().is_none())
    }

    /// Returns the keys and indexes on the way to the part that does not fit.
    pub fn keys(&self) -> Vec<String> {
        let key = |step: &Step| match step {
            Step::Entry(key) | Step::Key(key) => Some(key.clone()),
            Step::Index(at) => Some(at.to_string()),
            Step::Variant(_) => None,
        };
        self.path.iter().filter_map(key).collect()
    }

    /// Returns what is expected, such as `an Integer value`, without what there is.
    pub fn expectation(&self) -> String {
        match &self.what {
            What::Type(expected, actual) => type_texts(expected, actual).0,
            What::Match(expected, _) => match_text(expected),
            What::Size(expected, _) => format!("size to be {}", range(*expected)),
            What::MissingKey(key) => format!("a value for key '{key}'"),
            What::UnknownKey(key) => format!("no key '{key}'"),
        }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for step in &self.path {
            write!(f, "{step} ")?;
        }
        match &self.what {
            What::Type(expected, actual) => {
                let (expected, got) = type_texts(expected, actual);
                write!(f, "expects {expected}, got {got}")
            }
            What::Match(_, actual) => {
                let got = match &**actual {
                    Type::Literal(text) => format!("'{text}'"),
                    _ => short(actual),
                };
                write!(f, "expects {}, got {got}", self.expectation())
            }
            What::Size(_, actual) => write!(f, "expects {}, got {}", self.expectation(), range(*actual)),
            What::MissingKey(_) => write!(f, "expects {}", self.expectation()),
            What::UnknownKey(key) => write!(f, "unrecognized key '{key}'"),
        }
    }
}

/// `expects between 1 and 2 arguments, got none`; `usize::MAX` is no upper bound.
pub fn count_mismatch(least: usize, most: usize, got: usize) -> String {
    let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    let expected = match range(Size { from: number(least), to: number(most) }) {
        zero if zero == "0" => "no".to_owned(),
        text => text,
    };
    let is_one = (least, most) == (1, 1) || (least, most) == (1, usize::MAX) || (least, most) == (0, 1);
    let got = if got == 0 { "none".to_owned() } else { got.to_string() };
    format!("expects {expected} argument{}, got {got}", if is_one { "" } else { "s" })
}

fn range(size: Size) -> String {
    match (size.from, size.to) {
        (from, to) if from == to => from.to_string(),
        (0, i64::MAX) => "unlimited".into(),
        (0, to) => format!("at most {to}"),
        (from, i64::MAX) => format!("at least {from}"),
        (from, to) => format!("between {from} and {to}"),
    }
}

/// `an undef value or a match for Enum['a', 'b']`.
fn match_text(expected: &Ty) -> String {
    match &**expected {
        Type::Optional(inner) => format!("an undef value or a match for {}", in_message(inner)),
        _ => format!("a match for {}", in_message(expected)),
    }
}

/// `a value of type Undef or Integer` and `String`: what is expected, and what there is.
fn type_texts(expected: &Ty, actual: &Ty) -> (String, String) {
    let (is_optional, expected) = match &**expected {
        Type::Optional(inner) => (true, inner),
        _ => (false, expected),
    };
    let several = match &**expected {
        Type::Variant(types) => types.clone(),
        _ => vec![expected.clone()],
    };
    let is_same_sort = several.iter().any(|ty| is_alike(ty, actual));
    let is_detailed = is_same_sort || several.iter().any(|ty| assignable(&without_bounds(ty), actual));
    let (mut names, got): (Vec<String>, String) = if is_detailed {
        let general = generalise(actual);
        let is_general = !is_same_sort && !several.iter().any(|ty| assignable(ty, &general));
        let got = if is_general { general.to_string() } else { actual.to_string() };
        (several.iter().map(in_message).collect(), got)
    } else {
        (several.iter().map(short).collect(), short(actual))
    };
    let mut seen = BTreeSet::new();
    names.retain(|name| seen.insert(name.clone()));
    if is_optional {
        names.insert(0, "Undef".into());
    }
    let expected = match &names[..] {
        [one] => format!("{} value", article(one)),
        [one, other] => format!("a value of type {one} or {other}"),
        [first @ .., last] => format!("a value of type {}, or {last}", first.join(", ")),
        [] => "no value".into(),
    };
    (expected, got)
}

fn resolved(ty: &Ty) -> &Ty {
    match &**ty {
        Type::Alias(alias) => alias.resolved.get().map_or(ty, resolved),
        _ => ty,
    }
}

/// Whether two types differ by their bounds or parts alone, so that both have to be shown whole.
fn is_alike(expected: &Ty, actual: &Ty) -> bool {
    if matches!(**expected, Type::Alias(_)) || matches!(**actual, Type::Alias(_)) {
        return true;
    }
    match (&**expected, &**actual) {
        (Type::String(_) | Type::Literal(_), Type::String(_) | Type::Literal(_))
        | (Type::Struct(_), Type::Hash(..))
        | (Type::Tuple(..), Type::Array(..)) => true,
        (expected, actual) => std::mem::discriminant(expected) == std::mem::discriminant(actual),
    }
}

/// The same type without any parameters.
fn without_bounds(ty: &Ty) -> Ty {
    let name = short(resolved(ty));
    super::named(name.split('[').next().unwrap_or_default()).unwrap_or_else(|| ty.clone())
}

/// The name of a type; what it holds is named where its own name says little.
fn short(ty: &Ty) -> String {
    let own = |ty: &Ty| -> String {
        let text = match &**ty {
            Type::Alias(alias) => return alias.name.to_string(),
            Type::Struct(_) => "Struct".into(),
            Type::Tuple(..) => "Tuple".into(),
            _ => ty.to_string(),
        };
        text.split('[').next().unwrap_or_default().to_owned()
    };
    match &**ty {
        Type::Optional(inner) | Type::NotUndef(inner) | Type::Sensitive(inner) | Type::Meta(inner)
            if !matches!(**inner, Type::Any) =>
        {
            format!("{}[{}]", own(ty), own(inner))
        }
        _ => own(ty),
    }
}

/// A type as text: of an alias with its type, `Port = Integer[1, 65535]`, unless that is a class of objects.
pub fn written_out(ty: &Ty) -> String {
    match &**ty {
        Type::Alias(_) if !matches!(**resolved(ty), Type::Object(_) | Type::TypeSet(_)) => {
            expand(ty, &mut BTreeSet::new())
        }
        _ => ty.to_string(),
    }
}

/// The type with the types of its aliases, where that is not too long.
fn in_message(ty: &Ty) -> String {
    let text = expand(ty, &mut BTreeSet::new());
    if text.len() > LONGEST { ty.to_string() } else { text }
}

fn expand(ty: &Ty, seen: &mut BTreeSet<Text>) -> String {
    match &**ty {
        Type::Alias(alias) if seen.insert(alias.name.clone()) => match alias.resolved.get() {
            Some(inner) if seen.len() < 10 => format!("{} = {}", alias.name, expand(inner, seen)),
            _ => alias.name.to_string(),
        },
        Type::Variant(types) if !types.is_empty() => {
            let parts: Vec<String> = types.iter().map(|ty| expand(ty, seen)).collect();
            format!("Variant[{}]", parts.join(", "))
        }
        Type::Optional(inner) if matches!(**inner, Type::Alias(_)) => format!("Optional[{}]", expand(inner, seen)),
        _ => ty.to_string(),
    }
}

struct Describer {
    left: u32,
}

impl Describer {
    /// What is wrong with `actual`; nothing where it fits. `original` is what the program names.
    fn describe(&mut self, expected: &Ty, original: &Ty, actual: &Ty, path: &[Step]) -> Vec<Mismatch> {
        if assignable(expected, actual) {
            return Vec::new();
        }
        let only = |what| vec![Mismatch { path: path.to_vec(), what }];
        let whole = || only(What::Type(original.clone(), actual.clone()));
        match self.left.checked_sub(1) {
            Some(left) => self.left = left,
            None => return whole(),
        }
        match &**expected {
            Type::Alias(alias) => match alias.resolved.get() {
                Some(inner) => self.describe(inner, original, actual, path),
                None => whole(),
            },
            Type::Optional(inner) => {
                let original = if matches!(**original, Type::Alias(_)) { original } else { expected };
                self.describe(inner, original, actual, path)
            }
            Type::Variant(types) => self.variants(types, original, actual, path),
            Type::Enum { .. } | Type::Pattern(_) => only(What::Match(original.clone(), actual.clone())),
            Type::Array(inner, size) => match &**actual {
                Type::Tuple(types, _) if within(*size, types.len()) => {
                    self.each(types.iter().map(|ty| (inner, ty)), path).unwrap_or_else(whole)
                }
                Type::Array(_, own) if holds(*size, *own) => whole(),
                Type::Array(..) | Type::Tuple(..) => self.size(*size, actual, path).unwrap_or_else(whole),
                _ => whole(),
            },
            Type::Tuple(types, size) => {
                let size = size.unwrap_or(Size::exactly(types.len()));
                match &**actual {
                    Type::Tuple(others, _) if within(size, others.len()) => {
                        let pairs = others.iter().enumerate();
                        let pairs = pairs.filter_map(|(at, ty)| Some((types.get(at).or(types.last())?, ty)));
                        self.each(pairs, path).unwrap_or_else(whole)
                    }
                    Type::Array(..) | Type::Tuple(..) => self.size(size, actual, path).unwrap_or_else(whole),
                    _ => whole(),
                }
            }
            Type::Hash(key, item, size) => match &**actual {
                Type::Struct(members) if within(*size, members.len()) => {
                    self.entries(key, item, members, path).unwrap_or_else(whole)
                }
                Type::Hash(_, _, own) if holds(*size, *own) => whole(),
                Type::Hash(..) | Type::Struct(_) => self.size(*size, actual, path).unwrap_or_else(whole),
                _ => whole(),
            },
            Type::Struct(members) => match &**actual {
                Type::Struct(others) => self.members(members, others, path).unwrap_or_else(whole),
                Type::Hash(_, _, Size { to: 0, .. }) => self.members(members, &[], path).unwrap_or_else(whole),
                _ => whole(),
            },
            _ => whole(),
        }
    }

    fn each<'t>(&mut self, pairs: impl Iterator<Item = (&'t Ty, &'t Ty)>, path: &[Step]) -> Option<Vec<Mismatch>> {
        let mut found = Vec::new();
        for (at, (expected, actual)) in pairs.enumerate() {
            if found.len() < MOST_LINES {
                found.extend(self.describe(expected, expected, actual, &longer(path, Step::Index(at))));
            }
        }
        (!found.is_empty()).then_some(found)
    }

    fn size(&self, expected: Size, actual: &Ty, path: &[Step]) -> Option<Vec<Mismatch>> {
        let own = size_of(actual).filter(|own| !holds(expected, *own))?;
        Some(vec![Mismatch { path: path.to_vec(), what: What::Size(expected, own) }])
    }

    fn entries(&mut self, key: &Ty, item: &Ty, members: &[Member], path: &[Step]) -> Option<Vec<Mismatch>> {
        let mut found = Vec::new();
        for member in members.iter() {
            if found.len() >= MOST_LINES {
                break;
            }
            let name = member.name.to_string();
            let own = Type::Literal(member.name.clone()).into();
            found.extend(self.describe(key, key, &own, &longer(path, Step::Key(name.clone()))));
            found.extend(self.describe(item, item, &member.ty, &longer(path, Step::Entry(name))));
        }
        (!found.is_empty()).then_some(found)
    }

    fn members(&mut self, members: &[Member], others: &[Member], path: &[Step]) -> Option<Vec<Mismatch>> {
        let mut found = Vec::new();
        for member in members {
            match others.iter().find(|other| other.name == member.name) {
                Some(other) => {
                    let path = longer(path, Step::Entry(member.name.to_string()));
                    found.extend(self.describe(&member.ty, &member.ty, &other.ty, &path));
                }
                None if member.is_optional || is_instance(&member.ty, &Value::Undef) && !member.is_not_undef => {}
                None => found.push(Mismatch { path: path.to_vec(), what: What::MissingKey(member.name.clone()) }),
            }
        }
        for other in others.iter().filter(|other| !members.iter().any(|member| member.name == other.name)) {
            found.push(Mismatch { path: path.to_vec(), what: What::UnknownKey(other.name.clone()) });
        }
        (!found.is_empty()).then_some(found)
    }

    /// What all variants have against a value becomes one mismatch.
    fn variants(&mut self, types: &[Ty], original: &Ty, actual: &Ty, path: &[Step]) -> Vec<Mismatch> {
        let mut by_variant = Vec::new();
        for (at, ty) in types.iter().enumerate() {
            let found = self.describe(ty, ty, actual, &longer(path, Step::Variant(at)));
            if found.is_empty() {
                return found;
            }
            by_variant.push(found);
        }
        let here = |what| vec![Mismatch { path: path.to_vec(), what }];
        let is_here = |mismatch: &Mismatch| mismatch.path.len() == path.len() + 1;
        let all: Vec<&Mismatch> = by_variant.iter().flatten().collect();
        let is_flat = all.len() == types.len() && all.iter().all(|mismatch| is_here(mismatch));
        if is_flat && all.iter().all(|mismatch| matches!(mismatch.what, What::Type(..))) {
            let is_named = matches!(**original, Type::Optional(_) | Type::Variant(_));
            let expected = if is_named { original.clone() } else { Type::Variant(types.to_vec()).into() };
            return here(What::Type(expected, actual.clone()));
        }
        let sizes: Vec<Size> = all
            .iter()
            .filter_map(|mismatch| match mismatch.what {
                What::Size(expected, _) => Some(expected),
                _ => None,
            })
            .collect();
        if is_flat
            && sizes.len() == all.len()
            && let Some(own) = size_of(actual)
        {
            let from = sizes.iter().map(|size| size.from).min().unwrap_or_default();
            let to = sizes.iter().map(|size| size.to).max().unwrap_or_default();
            return here(What::Size(Size { from, to }, own));
        }
        // Variants of another sort say nothing about a value that one variant nearly takes.
        let near: Vec<&Vec<Mismatch>> = by_variant
            .iter()
            .filter(|found| !found.iter().all(|m| is_here(m) && matches!(m.what, What::Type(..))))
            .collect();
        match &near[..] {
            [] => here(What::Type(original.clone(), actual.clone())),
            [one] => one
                .iter()
                .map(|mismatch| {
                    let mut chopped = mismatch.clone();
                    chopped.path.remove(path.len());
                    chopped
                })
                .collect(),
            _ => all.into_iter().cloned().collect(),
        }
    }
}

fn longer(path: &[Step], step: Step) -> Vec<Step> {
    path.iter().cloned().chain([step]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mismatches of a value with a type, both written in Puppet.
    fn of(ty: &str, value: &str) -> String {
        let (_, pair) = crate::lang::puppet::testing::compile(&format!("[{ty}, {value}]"));
        let Value::Array(pair) = pair else { panic!("{ty}, {value}") };
        let Value::Type(ty) = &pair[0] else { panic!("{ty}") };
        Mismatch::all(ty, &pair[1]).iter().map(Mismatch::to_string).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn counts_are_reported_in_words() {
        assert_eq!(count_mismatch(1, 1, 2), "expects 1 argument, got 2");
        assert_eq!(count_mismatch(0, 0, 1), "expects no arguments, got 1");
        assert_eq!(count_mismatch(1, 2, 0), "expects between 1 and 2 arguments, got none");
        assert_eq!(count_mismatch(2, usize::MAX, 1), "expects at least 2 arguments, got 1");
        assert_eq!(count_mismatch(0, 1, 3), "expects at most 1 argument, got 3");
    }

    #[test]
    fn the_part_that_does_not_fit_is_named() {
        let table = [
            ("Integer", "'a'", "expects an Integer value, got String"),
            ("Integer[1, 10]", "11", "expects an Integer[1, 10] value, got Integer[11, 11]"),
            ("Optional[Integer]", "'a'", "expects a value of type Undef or Integer, got String"),
            ("Variant[Integer, Boolean]", "'a'", "expects a value of type Integer or Boolean, got String"),
            (
                "Variant[Integer, Float, Boolean]",
                "'a'",
                "expects a value of type Integer, Float, or Boolean, got String",
            ),
            ("Enum['a', 'b']", "'c'", "expects a match for Enum['a', 'b'], got 'c'"),
            ("Optional[Enum['a', 'b']]", "1", "expects an undef value or a match for Enum['a', 'b'], got Integer"),
            ("Array[Integer]", "[1, 'a']", "index 1 expects an Integer value, got String"),
            ("Array[Integer, 3]", "[1]", "expects size to be at least 3, got 1"),
            ("Hash[String, Integer]", "{a => 'b'}", "entry 'a' expects an Integer value, got String"),
            (
                "Struct[{a => Integer, b => Integer}]",
                "{a => 'x', c => 1}",
                "entry 'a' expects an Integer value, got String; expects a value for key 'b'; unrecognized key 'c'",
            ),
            ("Tuple[Integer, String]", "[1, 2]", "index 1 expects a String value, got Integer"),
            ("Variant[Integer, Array[Integer]]", "['a']", "index 0 expects an Integer value, got String"),
        ];
        for (ty, value, expected) in table {
            assert_eq!(of(ty, value), expected, "{ty} of {value}");
        }
    }
}
