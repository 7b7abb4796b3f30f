//! Undoes a deploy: plans under the lock, shows the plan, and performs it round by round on request.
//!
//! The plan is reported before anything is done, and the lock is held from the plan to the end, so that the approved
//! plan is what happens. An undo is driven like a run: by requests, with events as output, in this process or a
//! separate one that outlives its face. *Accepted*: stopping between two rounds, because the next undo finds what is
//! undone already. *Rejected*: planning in the face, whose terminal may close, and which may not be root.

use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::deploy::{
    History, Holder, Holding, Lock, OnConflict, Recording, Since, StateError, StateFolder, Summary, UndoRounds,
    UndoStep, Undoing, UndoneBy, Verdict, plan_undo_since, restoring, undone_deploys,
};
use crate::engine::message::{Event, Pause, Request, UndoOutcome};
use crate::host::journal::{Begin, Journalled, Purpose};
use crate::host::own_program;
use crate::plan::Action;
use crate::session::attach::{self, ApplierRequest, UndoOrder};
use crate::session::history::{Differences, Ready, recover_cut_off};
use crate::session::keeping::{state_path, who};
use crate::session::{ApplyError, AtHand, Keeping, Stepper};
use crate::world::Cancel;

/// The plan of an undo.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Planned {
    /// The deploy to undo.
    pub deploy: u64,
    /// Newest operation first.
    pub steps: Vec<UndoStep>,
    /// What restoring would change where another program made changes.
    pub changes: Differences,
    /// The damage of the journal. Operations after it are unknown.
    pub damage: Option<String>,
    /// The deploy was interrupted, and undoing it resolves it, even if there is nothing to undo.
    #[serde(default)]
    pub is_interrupted: bool,
}

/// The deploy to undo, and how.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct UndoRequest {
    pub deploy: WhichDeploy,
    /// For conflicts in an interrupted deploy, this one or a later one.
    pub on_conflict: OnConflict,
    pub holding: Holding,
}

/// Which deploy to undo.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum WhichDeploy {
    Number(u64),
    /// The newest of an entry that is still in effect. If the user is not asked, it must be the newest on the machine.
    Newest {
        of: Box<AtHand>,
        is_asked: bool,
    },
}

impl Planned {
    /// Returns the steps whose targets another program changed.
    pub fn conflicts(&self) -> impl Iterator<Item = &UndoStep> {
        self.steps.iter().filter(|step| matches!(step.verdict, Verdict::Conflict { .. }))
    }

    /// Returns the newest later deploy that conflicts, if only later deploys do. After undoing that one there is no
    /// conflict.
    pub fn in_the_way(&self) -> Option<u64> {
        let by = |step: &UndoStep| if let Verdict::Conflict { by, .. } = step.verdict { by } else { None };
        self.conflicts().map(by).collect::<Option<Vec<u64>>>()?.into_iter().max()
    }
}

/// A planned undo that waits for a request. Nothing is done before that, or if it is dropped.
#[derive(Debug)]
pub struct Undo {
    pub planned: Planned,
    pub stepper: Stepper,
    pub events: Receiver<Event>,
}

/// Recovers a deploy if it was interrupted, and plans its undo. `on_wait` receives the holder of the lock during a wait.
pub fn take_back(
    keeping: &Keeping,
    wanted: UndoRequest,
    on_wait: &mut dyn FnMut(&Holder),
) -> Result<Ready<Undo>, ApplyError> {
    let order = UndoOrder {
        wanted,
        state: state_path(keeping.state.as_ref())?,
        is_state_named: keeping.state.is_some(),
        patience: keeping.patience,
    };
    let ready = if keeping.is_for_root() {
        attach::start_as_root(&ApplierRequest::Undo(order), keeping, on_wait)?
    } else {
        match own_program().filter(|_| keeping.apart && order.state.to_str().is_some()) {
            Some(program) => attach::start(&program, &ApplierRequest::Undo(order), &keeping.cancel, on_wait)?,
            None => {
                let begun = order.begin(&keeping.cancel, on_wait)?;
                return Ok(begun.map(|(planned, begun)| Undo {
                    planned,
                    stepper: begun.stepper,
                    events: begun.events,
                }));
            }
        }
    };
    match ready {
        Ready::Yes(started) => match started.undo {
            Some(planned) => Ok(Ready::Yes(Undo { planned, stepper: started.stepper, events: started.events })),
            None => Err(ApplyError::Applier("the apply process started a different run".into())),
        },
        Ready::Conflict(found) => Ok(Ready::Conflict(found)),
    }
}

/// A planned undo without a driver.
pub(in crate::session) struct Prepared {
    pub planned: Planned,
    recording: Recording,
    host: Journalled,
}

impl Prepared {
    /// Plans it in this process. It holds the lock.
    pub fn new(
        state: &StateFolder,
        lock: &Arc<Lock>,
        wanted: UndoRequest,
        cancel: &Cancel,
    ) -> Result<Ready<Prepared>, ApplyError> {
        let UndoRequest { deploy, on_conflict, holding } = wanted;
        let history = History::new(state);
        // The restored state is a step of the undo, which can itself be undone.
        let recovery = if on_conflict == OnConflict::Stop { OnConflict::Stop } else { OnConflict::Keep };
        let cut = history.unfinished()?;
        // Chosen first: recovery resolves an interrupted deploy, and then it is no longer found as one.
        let deploy = match deploy {
            WhichDeploy::Number(deploy) => deploy,
            WhichDeploy::Newest { of, is_asked } => of.newest(&history, state.path(), !is_asked)?,
        };
        if let Some(cut) = cut
            && let Some(found) = recover_cut_off(state, cut, recovery)?
        {
            return Ok(Ready::Conflict(found));
        }
        let back = undo_of(&history, deploy)?;
        if let Some(back) = back.filter(|_| on_conflict == OnConflict::Stop && holding == Holding::Stays) {
            return Err(StateError::TakenBack { deploy, back }.into());
        }
        let chain = history.read_chain(deploy)?;
        let blobs = state.blobs()?;
        let damaged = chain.iter().find_map(|read| Some((read.begin.deploy, read.damage()?)));
        let damage = damaged.map(|(deploy, why)| format!("the journal of deploy {deploy} is damaged: {why}"));
        let steps = plan_undo_since(&chain, &Since::of(&history, deploy)?, &blobs, holding, cancel)?;
        // Steps that an earlier undo left because of other programs' changes can be requested again.
        let is_left = |step: &UndoStep| matches!(step.verdict, Verdict::Conflict { .. } | Verdict::Empties { .. });
        if let Some(back) = back.filter(|_| !steps.iter().any(is_left)) {
            return Err(StateError::TakenBack { deploy, back }.into());
        }
        let is_interrupted = cut == Some(deploy);
        let mut planned = Planned { deploy, steps, changes: Vec::new(), damage, is_interrupted };
        let changes = planned.conflicts().map(|step| Ok((step.resource.clone(), restoring(step, &blobs)?)));
        planned.changes = changes.collect::<Result<_, StateError>>()?;
        let begin = Begin { entry: format!("deploy {deploy}"), purpose: Purpose::Undo { deploy }, ..who() };
        let (recording, host) = Recording::begin(state, Arc::clone(lock), begin, Default::default())?;
        Ok(Ready::Yes(Prepared { planned, recording, host }))
    }

    /// Returns the number of the deploy that records the undo.
    pub fn deploy(&self) -> u64 {
        self.recording.deploy()
    }

    /// Performs requests until the sender is dropped, and records the end. An undo that never began leaves no trace.
    pub fn follow(
        self,
        requests: &Receiver<Request>,
        stop: &Cancel,
        decided: &Mutex<OnConflict>,
        emit: &mut dyn FnMut(Event),
    ) {
        let Prepared { planned, recording, host } = self;
        let mut work = UndoRounds::new(&planned.steps);
        let (mut undone, mut is_begun, mut is_over) = (Undoing::default(), false, false);
        pause(&work, Pause::Start, emit);
        while let Ok(request) = requests.recv() {
            let is_one = match request {
                Request::Quit => break,
                Request::Stop => {
                    stop.reset();
                    continue;
                }
                Request::Break { .. } | Request::LeaveOut { .. } => continue,
                Request::Step => true,
                Request::Continue { .. } | Request::Over { .. } | Request::Finish => false,
                Request::Skip
                | Request::Retry { .. }
                | Request::Amend { .. }
                | Request::Pick { .. }
                | Request::Back => {
                    pause(&work, Pause::Stepped, emit);
                    continue;
                }
            };
            is_begun = true;
            let on_conflict = *decided.lock().unwrap_or_else(PoisonError::into_inner);
            while work.next().is_some() && !stop.is_cancelled() {
                for (step, outcome) in work.round(&host, on_conflict) {
                    undone.count(&step.resource, &outcome);
                    recording.came_to(undone.resources);
                    write_down(&recording, &step, &outcome);
                    let (resource, undoes) = (step.resource, (step.deploy, step.number));
                    emit(Event::TakenBack { resource, undoes, words: step.words, outcome });
                }
                if is_one {
                    break;
                }
            }
            if work.next().is_some() {
                pause(&work, if is_one { Pause::Stepped } else { Pause::Stopped }, emit);
                continue;
            }
            if !std::mem::replace(&mut is_over, true) {
                recording.finish();
                emit(undone.finished());
            }
            pause(&work, Pause::End, emit);
        }
        if is_begun { recording.close() } else { recording.forget() }
    }
}

fn pause(work: &UndoRounds, why: Pause, emit: &mut dyn FnMut(Event)) {
    let next = work.next().map(|step| step.resource.clone());
    let why = if next.is_none() { Pause::End } else { why };
    emit(Event::Paused { ready: next.iter().cloned().collect(), next, why });
}

fn write_down(recording: &Recording, step: &UndoStep, outcome: &UndoOutcome) {
    if matches!(outcome, UndoOutcome::Back) && step.removes_own_folder() {
        return;
    }
    let (state, note, error) = match outcome {
        UndoOutcome::Back => ("done", step.back_words(), None),
        UndoOutcome::Already => ("skipped", "was already as before".into(), None),
        UndoOutcome::Kept => ("skipped", "was kept".into(), None),
        UndoOutcome::Stayed(why) => ("skipped", format!("was kept: {why}"), None),
        UndoOutcome::Lost(why) => ("skipped", format!("cannot be undone: {why}"), None),
        UndoOutcome::Failed(error) => ("failed", step.words.clone(), Some(error.clone())),
    };
    let action = if state == "done" { step.back_action() } else { Action::None };
    let is_kept = matches!(outcome, UndoOutcome::Kept | UndoOutcome::Stayed(_) | UndoOutcome::Lost(_));
    if is_kept {
        recording.mark_incomplete(&step.resource);
    }
    recording.undone(&step.resource, (state, action), note, error);
}

/// Returns the undo of a deploy, if it finished and is still in effect.
fn undo_of(history: &History, deploy: u64) -> Result<Option<UndoneBy>, StateError> {
    let newer = history.numbers()?.into_iter().rev().take_while(|number| *number > deploy);
    // An unreadable deploy is assumed to have undone nothing.
    let newer: Vec<Summary> = newer.filter_map(|number| history.summary(number).ok()).collect();
    Ok(undone_deploys(&newer).remove(&deploy))
}
