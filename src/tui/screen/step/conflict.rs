//! Conflicts with another change: asks with the differences, and continues as decided.

use super::live::{self, log};
use crate::session::history::OnConflict;
use crate::tui::effect::Effect;
use crate::tui::layer::Layer;
use crate::tui::layer::conflict::Difference;
use crate::tui::look::Role;
pub use crate::tui::screen::step::data::{Conflict, Decided, Of};
use crate::tui::state::State as Tui;

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
    tui.cx.layers.open.push(Layer::Conflict(Box::new(Difference::new(conflict))));
    effects
}

/// Continues as decided. A difference that is new by then is asked about again.
pub fn decided(tui: &mut Tui, conflict: Conflict, on_conflict: OnConflict) -> Vec<Effect> {
    if tui.screens.step.live.is_live() {
        // The question may have waited while a live run started.
        tui.cx.show_notice(Role::Warning, "nothing was changed: a run is in progress");
        return vec![];
    }
    let word = if on_conflict == OnConflict::Keep { "keep" } else { "restore" };
    let decided = Some(Decided { on_conflict, changes: conflict.changes });
    match conflict.of {
        Of::Undo(deploy) => {
            tui.cx.log_command(format!("workbench deploy undo {deploy} --on-conflict {word}"));
            live::begin_back(tui, deploy, decided)
        }
        Of::Resume(cut) => {
            tui.cx.log_command(format!("workbench deploy resume {} --on-conflict {word}", cut.deploy));
            live::go_on(tui, cut, decided)
        }
    }
}
