//! Compares what was planned or applied: saved plans, deploys, and previews of programs.

use std::path::PathBuf;
use std::sync::Arc;

use crate::compare::report::{self, Document};
use crate::compare::{Collector, Comparison, Difference, Outcome, Turn, What, compare_turns};
use crate::diag::Stage;
use crate::lang::Compiled;
use crate::session::Session;
use crate::session::compare::side::Side;
use crate::session::history::against::change_of;
use crate::session::history::ends::{Apart, ends};
use crate::session::history::{Deploy, StateError, entry_words};
use crate::world::Cancel;

/// Why two sides cannot be compared by what was planned or applied.
pub enum NotRecorded {
    /// A side does not compile: its number and its result.
    Program(usize, Box<Compiled>),
    State(StateError),
}

/// Compares two sides: two deploys by their final states, all others by their turns. A program is previewed on this
/// machine.
pub fn recorded(sides: &[Side; 2], state: Option<&PathBuf>) -> Result<Comparison, NotRecorded> {
    let mut all = Collector::new(vec![String::new()]);
    if let [Side::Deploy(one), Side::Deploy(other)] = sides {
        let (one, other) = (one.begin.deploy, other.begin.deploy);
        let ends = ends(state, one, other).map_err(NotRecorded::State)?;
        all.add(0, Outcome::Compared(ends.rows.into_iter().flat_map(|row| of_ends(row, one)).collect()));
        return Ok(all.finish());
    }
    let mut turns = Vec::new();
    for (at, side) in sides.iter().enumerate() {
        turns.push(match side {
            Side::Plan(plan) => plan.steps.iter().map(|saved| Turn::from(&saved.step)).collect(),
            Side::Deploy(deploy) => of_deploy(deploy),
            Side::Program(session) => of_program(session).map_err(|compiled| NotRecorded::Program(at, compiled))?,
        });
    }
    let rows = match &turns[..] {
        [one, other] => compare_turns(one, other),
        _ => Vec::new(),
    };
    all.add(0, Outcome::Compared(rows));
    Ok(all.finish())
}

/// The rows of a resource with different final states.
fn of_ends(row: Apart, one: u64) -> Vec<Difference> {
    let Apart { resource, only, changes, .. } = row;
    let kind: Arc<str> = resource.0.split('[').next().unwrap_or_default().to_lowercase().into();
    let row = |what: What| Difference { resource: resource.clone(), kind: kind.clone(), what, places: [None, None] };
    match only {
        Some(deploy) if deploy == one => vec![row(What::Removed)],
        Some(_) => vec![row(What::Added)],
        None => changes.into_iter().map(|change| row(What::Parameter(change))).collect(),
    }
}

fn of_program(session: &Session) -> Result<Vec<Turn>, Box<Compiled>> {
    let compiled = session.compile(Stage::Eval, &Cancel::default());
    if compiled.diagnostics.has_errors() {
        return Err(Box::new(compiled));
    }
    let graph = Arc::new(session.ready(compiled.graph));
    let plan = session.preview(&graph, &Cancel::default(), &mut |_| ());
    Ok(plan.steps.iter().map(Turn::from).collect())
}

/// A deploy as a report.
pub fn deploy_document(deploy: &Deploy) -> Document {
    let title = format!("Deploy {} of {}", deploy.begin.deploy, entry_words(&deploy.begin));
    let turns = of_deploy(deploy);
    let mut document = report::of_turns(&title, &turns);
    document.closing.push(("Deploy".into(), deploy.begin.deploy.to_string()));
    document.closing.extend(deploy.begin.plan.as_ref().map(|plan| ("Plan".into(), plan.clone())));
    document.closing.push(("Undo it".into(), format!("workbench deploy undo {}", deploy.begin.deploy)));
    document
}

fn of_deploy(deploy: &Deploy) -> Vec<Turn> {
    let turn = |outcome: &crate::session::history::Outcome| Turn {
        resource: Some(outcome.resource.clone()),
        action: if outcome.state == "done" { outcome.action.clone() } else { outcome.state.clone() },
        changes: outcome.changes.iter().map(change_of).collect(),
        edges: None,
        source: None,
        is_past: true,
    };
    deploy.outcomes.iter().map(turn).collect()
}
