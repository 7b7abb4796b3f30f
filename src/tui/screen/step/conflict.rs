//! Conflicts with another change: asks with the differences, and continues as decided.

use super::live::{self, Subject, log};
use crate::session::history::OnConflict;
pub use crate::tui::screen::step::data::{Conflict, Decided, Of};
use crate::tui::{cx::Cx, layer::Layer, layer::conflict::Difference, look::Role, screen::step::PlanScreen};

pub(super) fn ask(screen: &mut PlanScreen, cx: &mut Cx, conflict: Conflict) {
    log(
        cx,
        match conflict.by {
            None => "nothing was changed: someone else changed a resource since".into(),
            Some(by) => {
                format!("nothing was changed: deploy {by} changed it since; workbench deploy undo {by} undoes that")
            }
        },
    );
    for line in &conflict.lines {
        log(cx, line.clone());
    }
    if let Of::Undo { .. } = conflict.of {
        live::as_before(screen, cx, true);
    }
    cx.layers.open.push(Layer::Conflict(Box::new(Difference::new(conflict))));
}

/// Continues as decided. A difference that is new by then is asked about again.
pub fn decided(screen: &mut PlanScreen, cx: &mut Cx, conflict: Conflict, on_conflict: OnConflict) {
    if screen.phase.is_live() {
        // The question may have waited while a live run started.
        return cx.show_notice(Role::Warning, "nothing was changed: a run is in progress");
    }
    let word = if on_conflict == OnConflict::Keep { "keep" } else { "restore" };
    let decided = Some(Decided { on_conflict, changes: conflict.changes });
    match conflict.of {
        Of::Undo { deploy, as_root } => {
            cx.log_command(format!("workbench deploy undo {deploy} --on-conflict {word}"));
            live::begin_undo(screen, cx, Subject { deploy, as_root }, decided)
        }
        Of::Resume(cut) => {
            cx.log_command(format!("workbench deploy resume {} --on-conflict {word}", cut.deploy));
            live::resume_cut(screen, cx, cut, decided)
        }
    }
}
