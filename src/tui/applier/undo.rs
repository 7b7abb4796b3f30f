//! Undoes a deploy, and reports the result.

use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use tokio::task::spawn_blocking;

use super::{Applier, answer, hold};
use crate::engine::message::{Event, Pause, Request};
use crate::session::history::{
    self, Holding, OnConflict, Ready, UndoOutcome, UndoStep, Undoing, Verdict, undone_words,
};
use crate::session::undo::{self, Planned, Undo, UndoRequest, WhichDeploy};
use crate::session::{ApplyError, Disconnected};
use crate::tui::screen::step::conflict::{Conflict, Decided, Of};
use crate::tui::screen::step::live::Notice;

/// How often the progress of an undo is reported.
const PACE: Duration = Duration::from_millis(100);

impl Applier {
    pub fn plan_undo(&self, deploy: u64, ask: u64) {
        let applier = self.clone();
        spawn_blocking(move || {
            let steps = history::foresee_undo(applier.state.as_ref(), deploy).map_err(|error| error.to_string());
            applier.post(Notice::UndoPlanned { ask, deploy, steps });
        });
    }

    /// Undoes a whole deploy. Does nothing if someone else changed a resource since, without a decision about it.
    ///
    /// `as_root`: the deploy is in root's history.
    pub fn undo(&self, deploy: u64, decided: Option<Decided>, run: u64, as_root: bool) {
        let applier = self.ordered();
        spawn_blocking(move || {
            applier.close();
            let working = hold(&applier.at_work);
            let ready = applier.plan_back(deploy, decided.as_ref(), as_root);
            if applier.cancel().is_cancelled() {
                drop(ready);
                return applier.post(Notice::UndoCancelled);
            }
            let Undo { planned, stepper, events } = match ready {
                Ok(Ok(undo)) => undo,
                Ok(Err(conflict)) => return applier.post(Notice::Conflict(Box::new(conflict))),
                Err(ApplyError::SudoAsks) => return applier.post(Notice::UndoNeedsPassword { deploy }),
                Err(error) => {
                    let why = vec![format!("Not undone: {error}.")];
                    return applier.post(Notice::NotUndone { deploy, why });
                }
            };
            let mut slot = hold(&applier.stepper);
            if applier.cancel().is_cancelled() {
                drop((slot, stepper));
                return applier.post(Notice::UndoCancelled);
            }
            stepper.send(Request::Finish);
            *slot = Some(stepper);
            drop((slot, working));
            applier.follow_undo(run, &planned, events);
        });
    }

    /// An undo that is ready to start, with the decision about a conflict.
    fn plan_back(
        &self,
        deploy: u64,
        decided: Option<&Decided>,
        as_root: bool,
    ) -> Result<Result<Undo, Conflict>, ApplyError> {
        let mut on_conflict = OnConflict::Stop;
        loop {
            let wanted = UndoRequest { deploy: WhichDeploy::Number(deploy), on_conflict, holding: Holding::Stays };
            let ready = undo::take_back(&self.keeping_as(as_root), wanted, &mut |_| ())?;
            let (conflict, undo) = match ready {
                Ready::Yes(undo) if undo.planned.conflicts().next().is_none() => return Ok(Ok(undo)),
                Ready::Yes(undo) => {
                    let lines = undo.planned.conflicts().filter_map(conflict_words).collect();
                    let (by, changes) = (undo.planned.in_the_way(), undo.planned.changes.clone());
                    (Conflict { of: Of::Undo { deploy, as_root }, by, lines, changes }, Some(undo))
                }
                Ready::Conflict(found) => (self.conflict(Of::Undo { deploy, as_root }, &found)?, None),
            };
            match (answer(decided, &conflict), undo) {
                (None, _) => return Ok(Err(conflict)),
                (Some(answer), Some(undo)) => {
                    undo.stepper.decide(answer);
                    return Ok(Ok(undo));
                }
                // The decision applies to the interrupted step. Then the rest is checked for conflicts.
                (Some(answer), None) if on_conflict == OnConflict::Stop => on_conflict = answer,
                (Some(_), None) => return Ok(Err(conflict)),
            }
        }
    }

    /// Follows an undo to its end; reports its progress and its result.
    pub(super) fn follow_undo(&self, run: u64, planned: &Planned, events: Receiver<Event>) {
        let (deploy, of) = (planned.deploy, planned.steps.len());
        let (mut lines, mut undone, mut ended) = (Vec::new(), Undoing::default(), None);
        let (mut done, mut reported) = (0, Instant::now());
        self.post(Notice::Undoing { run, done, of });
        for event in events {
            match event {
                Event::TakenBack { resource, words, outcome, .. } => {
                    undone.count(&resource, &outcome);
                    done += 1;
                    if reported.elapsed() >= PACE {
                        reported = Instant::now();
                        self.post(Notice::Undoing { run, done, of });
                    }
                    lines.extend(match outcome {
                        UndoOutcome::Stayed(why) => Some(format!("  Kept {resource}: {why}")),
                        UndoOutcome::Lost(why) => Some(format!("  Not undone: {resource}, {why}")),
                        UndoOutcome::Failed(error) => Some(format!("  Failed {resource}: {words}: {error}")),
                        UndoOutcome::Back | UndoOutcome::Already | UndoOutcome::Kept => None,
                    });
                }
                Event::Paused { why: why @ (Pause::End | Pause::Stopped), .. } => {
                    ended = Some(why);
                    break;
                }
                _ => {}
            }
        }
        let (number, disconnected) = match &*hold(&self.stepper) {
            Some(stepper) => (stepper.deploy().unwrap_or_default(), stepper.disconnected()),
            // The screens were closed.
            None => return,
        };
        self.close();
        let damage = planned.damage.iter();
        lines.extend(damage.map(|why| format!("  {why}; later changes cannot be undone")));
        let so_far = format!("{} so far. u continues the undo.", undone_words(&undone.resources));
        let result = match (ended, disconnected) {
            (Some(Pause::End), _) => {
                lines.insert(
                    0,
                    format!(
                        "Deploy {deploy} undone (recorded as deploy {number}): {}.",
                        undone_words(&undone.resources)
                    ),
                );
                Ok(lines)
            }
            (Some(_), _) => Err(vec!["Stopped.".into(), so_far]),
            (None, Some(Disconnected::Taken(by))) => Err(vec![format!("Process {by} took over.")]),
            (None, Some(Disconnected::Left)) => Err(vec![
                "Detached: it finishes the current step, then waits.".into(),
                "`workbench attach` attaches to it.".into(),
            ]),
            (None, _) => Err(vec!["Its process was killed.".into(), so_far]),
        };
        self.post(Notice::Undone { deploy, result });
    }
}

fn conflict_words(step: &UndoStep) -> Option<String> {
    match &step.verdict {
        Verdict::Conflict { why, .. } => Some(format!("{}: {}: {why}", step.resource, step.words)),
        _ => None,
    }
}
