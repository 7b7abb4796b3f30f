//! Comparisons that the screens request: with a revision of the entry, of two nodes, and of two plans of the entry.

use crate::compare::report::Document;
use crate::compare::{Collector, Outcome, Turn, compare_turns};
use crate::plan::Plan;
use crate::session::Session;
use crate::session::compare::one_node::open_for_node;
use crate::session::compare::side::{Side, SideError, Sides, open_sides};
use crate::session::compare::{Filter, compare_once};
use crate::world::Cancel;

/// What to compare the entry with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ask {
    /// A revision of the git repository around it.
    Revision(String),
    /// The same program for two nodes.
    Nodes(String, String),
}

impl Session {
    /// Compares this entry as requested. Nothing is changed.
    pub fn compare_asked(&self, ask: &Ask) -> Result<Document, String> {
        let Some(given) = &self.given else { return Err("this entry has no place on this machine".into()) };
        let (typed, options) = &**given;
        let typed = typed.as_deref().unwrap_or(".");
        let [a, b] = match ask {
            Ask::Revision(revision) => {
                let inside = if typed.starts_with('/') { typed.into() } else { format!("./{typed}") };
                let opened = open_sides([&format!("{revision}:{inside}"), typed], options);
                let Sides { sides, .. } = opened.map_err(|error| match &error {
                    SideError::Entry(report) => report.diagnostics.iter().next().map_or_else(
                        || error.to_string(),
                        |first| format!("{revision}: {}: {}", first.code.summary(), first.label),
                    ),
                    _ => format!("{error}: {}", error.help()),
                })?;
                match sides {
                    [Side::Program(a), Side::Program(b)] => [*a, *b],
                    _ => return Err("only programs have revisions".into()),
                }
            }
            Ask::Nodes(one, other) => {
                let open = |node: &str| open_for_node(typed, Some(node), None, options);
                match (open(one), open(other)) {
                    (Ok(a), Ok(b)) => [a, b],
                    _ => return Err("the entry has errors".into()),
                }
            }
        };
        let shown = match ask {
            Ask::Revision(revision) => [revision.clone(), "this program".into()],
            Ask::Nodes(one, other) => [one.clone(), other.clone()],
        };
        let (comparison, _) = compare_once([&a, &b], &Filter::default(), &Cancel::default());
        Ok(comparison.document(&shown, false))
    }
}

/// Compares two plans by their steps.
pub fn compare_plans(one: &Plan, other: &Plan, shown: &[String; 2]) -> Document {
    let turns = [one, other].map(|plan| plan.steps.iter().map(Turn::from).collect::<Vec<_>>());
    let mut all = Collector::new(vec![String::new()]);
    all.add(0, Outcome::Compared(compare_turns(&turns[0], &turns[1])));
    all.finish().document(shown, false)
}
