//! Reports of a run: lines for people, JSON for programs.

use std::io::{self, Write};
use std::time::Instant;

use serde_json::{Value as Json, json};

use super::args::ReportFormat;
use super::face::Face;
use super::paint::Role;
use super::plan_text::sign;
use crate::compare::{self, report::Document};
use crate::engine::message::{Event, TurnState, UndoOutcome};
use crate::plan::{self, Action, Elsewhere, NO_IMPLEMENTATION, OUTSIDE_SCHEDULE, Step};
use crate::session::follow::{Change, Fate, ResourceChange, Trigger, brief};
use crate::session::{Mode, own_name};
use crate::source::{headline, printable};

/// Writes a report as a page or as Markdown.
pub fn write_report(face: &mut Face, document: &Document, format: ReportFormat) -> io::Result<()> {
    face.data();
    let text = match format {
        ReportFormat::Markdown => compare::report::markdown(document),
        _ => compare::report::html(document),
    };
    face.out.write_all(text.as_bytes())
}

/// One line for a turn that ended, and for what was printed on the way.
pub fn report_text(face: &mut Face, mode: Mode, event: &Event) -> io::Result<()> {
    match event {
        Event::Turn { resource, state, step, elapsed_ms } => {
            let (symbol, role, words) = match state {
                TurnState::Waiting | TurnState::Running => return Ok(()),
                TurnState::Done => done_words(face, mode, step.as_ref()),
                TurnState::Failed { error, .. } => ("x", Role::Error, format!("failed: {}", headline(error))),
                TurnState::Skipped => match step.as_ref().and_then(left_because) {
                    Some(reason) => ("s", Role::Warning, format!("skipped: {reason}")),
                    None => ("s", Role::Quiet, "skipped".to_string()),
                },
                TurnState::Blocked { by } => ("|", Role::Warning, format!("blocked by {by}")),
            };
            let is_news = match state {
                TurnState::Done if symbol == "=" => face.verbose,
                TurnState::Done | TurnState::Skipped => !face.quiet,
                _ => true,
            };
            if !is_news {
                return Ok(());
            }
            let time = if *elapsed_ms >= 100 {
                format!("  {}.{} s", elapsed_ms / 1000, elapsed_ms % 1000 / 100)
            } else {
                String::new()
            };
            let paint = face.paint;
            writeln!(
                face.out,
                "{} {}  {}{}",
                paint.role(role, symbol),
                paint.role(Role::Name, resource),
                paint.role(role, printable(&words)),
                paint.role(Role::Quiet, time),
            )?;
            if let TurnState::Failed { error, .. } = state {
                error.lines().skip(1).try_for_each(|line| writeln!(face.out, "    {}", printable(line)))?;
            }
        }
        Event::Output { .. } if face.quiet => return Ok(()),
        Event::Output { resource, line } => {
            let head = face.paint.role(Role::Quiet, format!("{resource}:"));
            writeln!(face.out, "  {head} {}", printable(line))?;
        }
        Event::TakenBack { resource, words, outcome, .. } => {
            let (sign, role, how) = match outcome {
                UndoOutcome::Failed(error) => ("x", Role::Error, format!("failed: {error}")),
                UndoOutcome::Stayed(why) => ("=", Role::Warning, format!("kept: {why}")),
                // The question listed these changes, and they were made.
                UndoOutcome::Back | UndoOutcome::Already | UndoOutcome::Kept | UndoOutcome::Lost(_) => return Ok(()),
            };
            let words = format!("{resource}: {words}: {how}");
            writeln!(face.out, "{} {}", face.paint.role(role, sign), printable(&words))?;
        }
        Event::Amended { resource, changes, .. } => {
            let names: Vec<&str> = changes.iter().map(|change| &*change.property).collect();
            let words = format!("{}: edited during the deploy: {}", resource.id, names.join(", "));
            writeln!(face.out, "{} {}", face.paint.role(Role::Warning, "!"), printable(&words))?;
        }
        Event::Paused { .. } | Event::Finished { .. } => return Ok(()),
    }
    // Somebody may be watching.
    face.out.flush()
}

/// Why a resource was left though nobody left it out.
fn left_because(step: &Step) -> Option<&str> {
    match &step.error {
        Some(error) if error == NO_IMPLEMENTATION => Some(error),
        _ => Some(&*step.note).filter(|note| note.starts_with(OUTSIDE_SCHEDULE)),
    }
}

fn done_words(face: &Face, mode: Mode, step: Option<&Step>) -> (&'static str, Role, String) {
    let Some(step) = step else { return ("=", Role::Quiet, "done".into()) };
    let (symbol, role) = sign(step.action, face.plain);
    let names = step.changes.iter().filter_map(|change| own_name(&step.resource, change));
    let properties: Vec<_> = names.collect();
    let mode = if step.is_noop { Mode::Dry } else { mode };
    let words = match (step.action, mode) {
        (Action::None, _) if step.refresh => "refreshed",
        (Action::None, _) => "unchanged",
        (Action::Unknown, _) => "unknown",
        (Action::Create, Mode::Live) => "created",
        (Action::Change, Mode::Live) => "changed",
        (Action::Replace, Mode::Live) => "replaced",
        (Action::Remove, Mode::Live) => "removed",
        (Action::Run, Mode::Live) => "ran",
        (Action::Create, Mode::Dry) => "would be created",
        (Action::Change, Mode::Dry) => "would change",
        (Action::Replace, Mode::Dry) => "would be replaced",
        (Action::Remove, Mode::Dry) => "would be removed",
        (Action::Run, Mode::Dry) => "would run",
    };
    if step.action == Action::Change && !properties.is_empty() {
        return (symbol, role, format!("{words} {}", properties.join(", ")));
    }
    (symbol, role, words.to_string())
}

/// What an event changed, and those before it that had errors, and every resource that came out different by it.
pub fn report_event(
    face: &mut Face,
    changes: &[Change],
    earlier: &[Change],
    resources: &[ResourceChange],
    edges: bool,
) -> io::Result<()> {
    let paint = face.paint;
    for Change { input, from, to, .. } in changes {
        writeln!(face.out, "{}: {} -> {}", paint.role(Role::Title, input), brief(from), brief(to))?;
    }
    for Change { input, from, to, .. } in earlier {
        let why = paint.role(Role::Quiet, "  (from an earlier event with errors)");
        writeln!(face.out, "{}: {} -> {}{why}", paint.role(Role::Title, input), brief(from), brief(to))?;
    }
    for one in resources {
        let (sign, role) = match one.fate {
            Fate::Added => ("+", Role::Create),
            Fate::Changed => ("~", Role::Change),
            Fate::Removed => ("-", Role::Remove),
        };
        let why: Vec<_> = one.because.iter().map(because).collect();
        let why = if why.is_empty() { String::new() } else { format!("  because of {}", why.join(" and ")) };
        let word = if one.fate == Fate::Removed { "  no longer declared" } else { "" };
        let name = paint.role(Role::Name, &one.resource);
        writeln!(face.out, "{} {name}{word}{}", paint.role(role, sign), paint.role(Role::Quiet, why))?;
    }
    if resources.is_empty() && edges {
        writeln!(face.out, "only the order changed")?;
    }
    Ok(())
}

/// Why a resource came out different.
pub fn because(why: &Trigger) -> String {
    match why {
        Trigger::Input(read) => read.to_string(),
        Trigger::Time => "an earlier value".to_owned(),
    }
}

/// One event as `apply --format json` prints it; nothing for those that only the stepper needs.
pub fn event_json(event: &Event, began: Instant) -> Option<Json> {
    let (name, resource, changes, error): (_, _, &[plan::Change], Option<String>) = match event {
        Event::Turn { resource, state, step, .. } => {
            let changes = step.as_ref().map_or(&[][..], |step| &step.changes);
            match state {
                TurnState::Waiting => return None,
                TurnState::Running => ("start", resource, &[], None),
                TurnState::Done => ("done", resource, changes, None),
                TurnState::Failed { error, .. } => ("failed", resource, changes, Some(error.clone())),
                TurnState::Skipped => {
                    let reason = step.as_ref().and_then(left_because);
                    let mut object = json!({"event": "skipped", "resource": resource, "time": seconds(began), "changes": [], "error": null});
                    if let (Some(reason), Some(fields)) = (reason, object.as_object_mut()) {
                        fields.insert("reason".into(), reason.into());
                    }
                    return Some(object);
                }
                TurnState::Blocked { by } => ("blocked", resource, &[], Some(format!("{} is not done", by.0))),
            }
        }
        Event::Output { resource, line } => {
            return Some(json!({"event": "progress", "resource": resource, "time": seconds(began), "line": line}));
        }
        Event::TakenBack { resource, undoes, outcome, .. } => {
            let (event, error) = match outcome {
                UndoOutcome::Back => ("done", None),
                UndoOutcome::Already | UndoOutcome::Kept => ("skipped", None),
                UndoOutcome::Stayed(why) | UndoOutcome::Lost(why) => ("skipped", Some(why)),
                UndoOutcome::Failed(error) => ("failed", Some(error)),
            };
            return Some(json!({"event": event, "resource": resource, "undoes": undoes, "error": error}));
        }
        Event::Amended { .. } | Event::Paused { .. } | Event::Finished { .. } => return None,
    };
    Some(json!({
        "event": name,
        "resource": resource,
        "time": seconds(began),
        "changes": changes.iter().map(plan::Change::to_json).collect::<Vec<_>>(),
        "error": error,
    }))
}

/// A resource for another host, as `apply --format json` prints it.
pub fn elsewhere_json(elsewhere: &Elsewhere) -> Json {
    json!({
        "event": "skipped",
        "resource": elsewhere.resource,
        "target": elsewhere.host,
        "time": 0.0,
        "changes": [],
        "error": null,
        "reason": Elsewhere::words(&elsewhere.host),
    })
}

/// Since the run began, so that clocks that jump do no harm.
fn seconds(began: Instant) -> f64 {
    began.elapsed().as_millis() as f64 / 1000.0
}
