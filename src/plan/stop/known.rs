//! Checks the names in a breakpoint: an unknown name is an error with the nearest known name.

use std::collections::BTreeSet;

use super::{Stop, Test, is_like};
use crate::diag::nearest;
use crate::graph::{Graph, Resource};
use crate::plan::Step;

/// The properties in changes that are not parameters.
pub const OTHER_PROPERTIES: [&str; 15] = [
    "along",
    "code",
    "folder",
    "hold",
    "message",
    "mounted",
    "refresh",
    "selinux",
    "settings",
    "stored",
    "table",
    "transient_hostname",
    "type",
    "version",
    "written to",
];

/// The names that are known for any program.
#[derive(Clone, Debug, Default)]
pub struct Names<'a> {
    pub kinds: Vec<&'a str>,
    pub fields: Vec<&'a str>,
    /// Properties in changes that are not parameters.
    pub properties: Vec<&'a str>,
}

impl Stop {
    /// Returns the first word with an unknown kind, class, property or parameter as `Err`: it is neither in the graph,
    /// nor in its plan, nor among the known names.
    pub fn check<'a>(
        &self,
        known: &Names<'_>,
        graph: &Graph,
        steps: impl IntoIterator<Item = &'a Step>,
    ) -> Result<(), String> {
        let own_fields = || known.fields.iter().copied();
        let mut steps = Some(steps);
        for (word, written) in self.words.iter().zip(&self.written) {
            let resources = || graph.resources().map(|(_, resource)| resource);
            let unknown = match &word.test {
                Test::Kind(kind) => {
                    Unknown::of("no kind", kind, resources().flat_map(kinds).chain(known.kinds.iter().copied()))
                }
                Test::In(name) => Unknown::of("no class here", name, resources().flat_map(classes)),
                Test::Changed(property) => {
                    let changes = steps.take().into_iter().flatten().flat_map(|step| &step.changes);
                    let changed: BTreeSet<&str> = changes.map(|change| &*change.property).collect();
                    let others = known.properties.iter().copied().chain(changed);
                    Unknown::of("no property", property, resources().flat_map(fields).chain(own_fields()).chain(others))
                }
                Test::Field { name, .. } => {
                    Unknown::of("no field", name, resources().flat_map(fields).chain(own_fields()))
                }
                Test::Does(_) | Test::Fails | Test::Refresh => None,
            };
            if let Some(unknown) = unknown {
                return Err(format!("{}: {}", written, unknown.words()));
            }
        }
        Ok(())
    }
}

impl Stop {
    /// Returns the first property or parameter that is no known name but differs from one by a typing error, and that
    /// name. No program is known here, and one may declare more names: a pattern is not checked, nor are short names and
    /// a known name with more letters behind it.
    pub fn misspelt(&self, known: &Names<'_>) -> Option<(&str, String)> {
        self.words.iter().find_map(|word| {
            let (name, others) = match &word.test {
                Test::Changed(name) => (name, &known.properties[..]),
                Test::Field { name, .. } => (name, &[][..]),
                _ => return None,
            };
            let names = || known.fields.iter().chain(others).copied();
            if name.contains(['*', '?']) || name.chars().count() < FEWEST_LETTERS || names().any(|known| known == name)
            {
                return None;
            }
            let near = nearest(name, names()).filter(|near| !name.starts_with(near))?;
            (strsim::osa_distance(name, near) == 1).then(|| (&**name, near.to_owned()))
        })
    }
}

/// A shorter name is too easily another word.
const FEWEST_LETTERS: usize = 8;

/// A name that does not exist.
struct Unknown<'a> {
    what: &'static str,
    name: &'a str,
    near: Option<String>,
    are_any: bool,
}

impl<'a> Unknown<'a> {
    /// `None` if a name matches it.
    fn of<'n>(what: &'static str, name: &'a str, names: impl Iterator<Item = &'n str>) -> Option<Self> {
        let mut all = BTreeSet::new();
        for there in names {
            if is_like(there, name) {
                return None;
            }
            all.insert(there);
        }
        let are_any = !all.is_empty();
        Some(Self { what, name, near: nearest(name, all).map(str::to_owned), are_any })
    }

    fn words(&self) -> String {
        let near = match &self.near {
            Some(near) => format!(", did you mean `{near}`?"),
            None if self.are_any => String::new(),
            None => "; there are none".into(),
        };
        format!("{} is called `{}`{near}", self.what, self.name)
    }
}

fn kinds(resource: &Resource) -> impl Iterator<Item = &str> {
    std::iter::once(&*resource.shown().kind).chain(resource.mapping().map(|wanted| &*wanted.kind))
}

/// Returns the containers, by their names and their last words.
fn classes(resource: &Resource) -> impl Iterator<Item = &str> {
    resource.container.iter().flat_map(|name| [Some(&**name), name.rsplit(' ').next()]).flatten()
}

fn fields(resource: &Resource) -> impl Iterator<Item = &str> {
    resource.shown().params.iter().map(|(name, _)| &**name)
}
