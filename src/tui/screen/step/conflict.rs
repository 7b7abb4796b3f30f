//! Conflicts with another change: asks with the differences, and continues as decided.

use super::live::{self, Cut, log};
use crate::session::history::{Differences, OnConflict};
use crate::tui::effect::Effect;
use crate::tui::layer::Layer;
use crate::tui::layer::conflict::Question;
use crate::tui::look::Role;
use crate::tui::state::State as Tui;
use crate::tui::update;

/// A change by someone else or by a later deploy. Nothing was done about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Conflict {
    pub of: Of,
    /// The newest later deploy, if later deploys made all of the changes.
    pub by: Option<u64>,
    /// The differences, one line per operation.
    pub lines: Vec<String>,
    pub changes: Differences,
}

/// The blocked action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Of {
    Undo(u64),
    Resume(Cut),
}

/// An answer, with the conflict that was shown: it applies to nothing else.
#[derive(Clone, Debug, PartialEq)]
pub struct Decided {
    pub on_conflict: OnConflict,
    pub changes: Differences,
}

/// Asks what to do.
pub(super) fn ask(tui: &mut Tui, conflict: Conflict) -> Vec<Effect> {
    log(
        tui,
        match conflict.by {
            None => "nothing was changed: someone else changed a resource since".into(),
            Some(by) => {
                format!("nothing was changed: deploy {by} changed it since; workbench deploy undo {by} undoes that")
            }
        },
    );
    for line in &conflict.lines {
        log(tui, line.clone());
    }
    let mut effects = vec![];
    if let Of::Undo(deploy) = conflict.of {
        effects = live::as_before(tui, Some(deploy));
    }
    tui.layers.push(Layer::Conflict(Box::new(Question::new(conflict))));
    effects
}

/// Continues as decided. A difference that is new by then is asked about again.
pub fn decided(tui: &mut Tui, conflict: Conflict, on_conflict: OnConflict) -> Vec<Effect> {
    if tui.step.live.is_live() {
        // The question may have waited while a live run started.
        tui.show_notice(Role::Warning, "nothing was changed: a run is in progress");
        return vec![];
    }
    let word = if on_conflict == OnConflict::Keep { "keep" } else { "restore" };
    let decided = Some(Decided { on_conflict, changes: conflict.changes });
    match conflict.of {
        Of::Undo(deploy) => {
            update::log_command(tui, format!("workbench deploy undo {deploy} --on-conflict {word}"));
            live::begin_back(tui, deploy, decided)
        }
        Of::Resume(cut) => {
            update::log_command(tui, format!("workbench deploy resume {} --on-conflict {word}", cut.deploy));
            live::go_on(tui, cut, decided)
        }
    }
}
