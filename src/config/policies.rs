//! `[[deny]]` and `[[warn]]`: the policies that previews, applies and comparisons check.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Config, Value};
use crate::diag::nearest;
use crate::lang::{DeclaredKind, Language, languages, own_names};
use crate::plan::policy::{Exception, Policy, Rule};
use crate::plan::stop::{Names, OTHER_PROPERTIES};
use crate::resource::SCHEMAS;
use crate::source::Span;

/// A policy with its place in the file.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicySetting {
    pub policy: Policy,
    pub span: Span,
}

/// An error of a policy: its range, the problem, and the help.
type Fault = (std::ops::Range<usize>, String, String);

const EXAMPLE: &str =
    "for example `[[deny]]`, `when = \"destroys kind:user\"`, `message = \"users are removed by hand\"`";

impl Config {
    /// The policies of all files. A project adds its own to the user's, and takes none away.
    pub fn policies(&self) -> Vec<(Rule, Policy)> {
        let mut all = Vec::new();
        for rule in [Rule::Deny, Rule::Warn] {
            for given in self.all(rule.as_str()).into_iter().filter(|given| given.refused.is_none()) {
                let Value::Policies(policies) = &given.value else { continue };
                all.extend(policies.iter().map(|PolicySetting { policy, span }| {
                    let place = self.sources.place(*span);
                    (rule, policy.clone().written_at(format!("{}:{}", place.file, place.line)))
                }));
            }
        }
        all
    }
}

/// Reads one policy, and what is probably wrong in it.
pub(super) fn read(value: &Spanned<DeValue<'_>>, span: Span) -> Result<(PolicySetting, Option<Fault>), Fault> {
    let DeValue::Table(table) = value.get_ref() else {
        return Err((value.span(), "expected a table".into(), EXAMPLE.into()));
    };
    known(table, &["when", "message", "except"])?;
    let when = text(value, table, "when")?;
    let message = text(value, table, "message")?;
    let mut exceptions = Vec::new();
    if let Some(except) = table.get("except") {
        let DeValue::Array(all) = except.get_ref() else { return Err(no_exception(except)) };
        for one in all.iter() {
            exceptions.push(exception(one)?);
        }
    }
    let policy = Policy::parse(&when, &message, exceptions).map_err(|why| {
        let at = table.get("when").map_or(value.span(), Spanned::span);
        (at, why, EXAMPLE.into())
    })?;
    let doubt = misspelt(&policy).map(|(name, near)| {
        let at = table.get("when").map_or(value.span(), Spanned::span);
        (at, format!("`{name}` is not a known property"), format!("did you mean `{near}`?"))
    });
    Ok((PolicySetting { policy, span }, doubt))
}

/// A property in a condition that none of our kinds and of the types of a language has, and the name that was meant.
fn misspelt(policy: &Policy) -> Option<(String, String)> {
    let names = |language: &'static dyn Language| language.names();
    let types: Vec<DeclaredKind> = languages()
        .map(names)
        .flat_map(|names| names.declared_names().into_iter().filter_map(move |name| names.declared(name)))
        .collect();
    let declared = types.iter().flat_map(|ty| &ty.params).map(|param| &*param.name);
    let ours = SCHEMAS.iter().flat_map(|schema| schema.params).map(|param| param.name);
    let known = Names {
        kinds: Vec::new(),
        fields: ours.chain(declared).collect(),
        properties: OTHER_PROPERTIES.iter().copied().chain(own_names()).collect(),
    };
    policy.misspelt(&known).map(|(name, near)| (name.to_owned(), near))
}

fn exception(value: &Spanned<DeValue<'_>>) -> Result<Exception, Fault> {
    let DeValue::Table(table) = value.get_ref() else { return Err(no_exception(value)) };
    known(table, &["resource", "until"])?;
    let resource = text(value, table, "resource")?;
    let Some(until) = table.get("until") else { return Err(no_exception(value)) };
    let day = match until.get_ref() {
        DeValue::String(text) => text.parse().ok(),
        DeValue::Datetime(day) => day.to_string().parse().ok(),
        _ => None,
    };
    match day {
        Some(until) => Ok(Exception { resource, until }),
        None => Err((until.span(), "not a day".into(), "write it as `2027-01-31`; the exception ends after it".into())),
    }
}

fn no_exception(value: &Spanned<DeValue<'_>>) -> Fault {
    let help = "for example `except = [{ resource = \"user[guest]\", until = 2027-01-31 }]`";
    (value.span(), "an exception needs `resource` and `until`".into(), help.into())
}

fn text(whole: &Spanned<DeValue<'_>>, table: &DeTable<'_>, key: &str) -> Result<String, Fault> {
    match table.get(key).map(|value| (value, value.get_ref())) {
        Some((_, DeValue::String(text))) if !text.trim().is_empty() => Ok(text.to_string()),
        Some((value, _)) => Err((value.span(), format!("`{key}` must be a string"), EXAMPLE.into())),
        None => Err((whole.span(), format!("`{key}` is missing"), EXAMPLE.into())),
    }
}

fn known(table: &DeTable<'_>, keys: &[&str]) -> Result<(), Fault> {
    let Some((key, _)) = table.iter().find(|(key, _)| !keys.contains(&key.get_ref().as_ref())) else { return Ok(()) };
    let help = match nearest(key.get_ref(), keys.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the fields are {}", keys.join(", ")),
    };
    Err((key.span(), format!("unknown field `{}`", key.get_ref()), help))
}
