//! Compares what was planned or applied: saved plans, deploys, and previews of programs.

use std::sync::Arc;

use crate::compare::report::{self, Document};
use crate::compare::{Collector, Comparison, Outcome, Turn, compare_turns};
use crate::diag::Stage;
use crate::session::Session;
use crate::session::compare::side::Side;
use crate::session::history::against::change_of;
use crate::session::history::{Deploy, entry_words};
use crate::world::Cancel;

/// Compares two sides by their turns. A program is previewed on this machine.
///
/// `Err` returns the side that does not compile, with its result.
pub fn recorded(sides: &[Side; 2]) -> Result<Comparison, (usize, Box<crate::lang::Compiled>)> {
    let mut turns = Vec::new();
    for (at, side) in sides.iter().enumerate() {
        turns.push(match side {
            Side::Plan(plan) => plan.steps.iter().map(|saved| Turn::from(&saved.step)).collect(),
            Side::Deploy(deploy) => of_deploy(deploy),
            Side::Program(session) => of_program(session).map_err(|compiled| (at, compiled))?,
        });
    }
    let mut all = Collector::new(vec![String::new()]);
    let rows = match &turns[..] {
        [one, other] => compare_turns(one, other),
        _ => Vec::new(),
    };
    all.add(0, Outcome::Compared(rows));
    Ok(all.finish())
}

fn of_program(session: &Session) -> Result<Vec<Turn>, Box<crate::lang::Compiled>> {
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
    };
    deploy.outcomes.iter().map(turn).collect()
}
