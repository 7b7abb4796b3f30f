//! Handles the applier's notices other than events of a run: that it started or why not, and what needs root.

use super::{Cut, Notice, Refusal, arm, interrupted, log, restore_dry_run, show_reason, undo};
use crate::tui::screen::step::phase::{Begins, Phase};
use crate::tui::screen::step::{self, PlanScreen, breaks, conflict, edit_retry};
use crate::tui::{cx::Cx, effect::Effect, keymap::Action, layer::Question, look::Role, widget::text};

pub fn on_notice(screen: &mut PlanScreen, cx: &mut Cx, notice: Notice) {
    match notice {
        Notice::Begun { run, .. }
        | Notice::Refused { run, .. }
        | Notice::NotAmended { run, .. }
        | Notice::MayBeRoot { run, .. }
        | Notice::Undoing { run, .. }
            if run != screen.run => {}
        Notice::UndoPlanned { ask, .. } if ask != screen.live.ask => {}
        // The check is older than this run, which has changed the result.
        Notice::CutOff(Cut { as_root: false, .. })
        | Notice::Resolved { as_root: false }
        | Notice::NotKnown { as_root: false, .. }
            if screen.phase.is_live() => {}
        Notice::NeedsRoot(needs_root) => screen.live.needs_root = needs_root,
        Notice::Strangers(strangers) => screen.live.strangers = strangers,
        Notice::Applied(was_applied) => screen.live.is_first = !was_applied,
        // The password is requested on the terminal itself, once.
        Notice::Refused { run, why: Refusal::Password } if is_first_ask(screen) => cx.effect(Effect::AskSudo { run }),
        Notice::MayBeRoot { result, .. } => may_be_root(screen, cx, result),
        Notice::UndoNeedsPassword { .. } if is_first_ask(screen) => cx.effect(Effect::AskSudo { run: screen.run }),
        Notice::UndoNeedsPassword { deploy } => {
            let why = "Not undone: sudo needs a password.".into();
            undo::refused(screen, cx, vec![why, format!("use sudo workbench deploy undo {deploy}")])
        }
        Notice::Begun { run, deploy, first } => {
            begun(screen, cx, deploy);
            first.into_iter().for_each(|event| step::on_event(screen, cx, run, event));
        }
        Notice::Refused { why, .. } => refused(screen, cx, why),
        Notice::NotAmended { resource, why, .. } => edit_retry::not_amended(screen, cx, resource, &why),
        Notice::Resolved { as_root } => interrupted::nothing_interrupted(screen, cx, as_root),
        Notice::NotKnown { as_root, why } => interrupted::not_known(screen, cx, as_root, &why),
        Notice::CutOff(cut) => {
            // The detached applier was killed since; otherwise the check would have found it.
            if !cut.as_root && screen.live.detached.is_some() {
                interrupted::withdraw(screen, cx);
                screen.live.detached = None;
            }
            // It was reported before.
            if screen.live.cut.as_ref() == Some(&cut) {
                return;
            }
            let whose = if cut.as_root { "root's " } else { "" };
            let words = match cut.is_other {
                true => {
                    format!(
                        "{whose}deploy {} of {} was interrupted: u on Plan undoes it",
                        cut.deploy,
                        text::safe(&cut.entry)
                    )
                }
                false => {
                    format!("{whose}deploy {} was interrupted: on Plan R resume, u undo, I inspect", cut.deploy)
                }
            };
            cx.announce(Role::Warning, words);
            (screen.live.cut, screen.live.is_unread) = (Some(cut), true);
        }
        Notice::Conflict(conflict) => conflict::ask(screen, cx, *conflict),
        Notice::UndoCancelled => undo::given_up(screen, cx),
        Notice::NotUndone { why, .. } => undo::refused(screen, cx, why),
        Notice::UndoPlanned { deploy, steps, .. } => undo::on_undo_planned(screen, cx, deploy, steps),
        Notice::Undoing { done, of, .. } => undo::on_progress(screen, cx, done, of),
        Notice::Undone { deploy, result } => undo::on_undone(screen, cx, deploy, result),
    }
}

/// A live run waits for its first request.
fn begun(screen: &mut PlanScreen, cx: &mut Cx, deploy: u64) {
    let retries = match &mut screen.phase {
        Phase::Beginning(begins) => begins.rest.retries.take(),
        _ => None,
    };
    if let (Phase::Beginning(begins), None) = (&mut screen.phase, &retries) {
        begins.rest.earlier = None;
    }
    super::begun(screen, deploy);
    step::watch::end(screen, cx);
    breaks::renew(screen, cx);
    if let Some(id) = retries {
        return edit_retry::begun(screen, cx, id, deploy);
    }
    let words = format!("deploy {deploy} started: s step, c continue, Ctrl-C stop, u undo it");
    cx.announce(Role::Warning, words);
}

/// Whether no password was requested yet; it is from now on.
fn is_first_ask(screen: &mut PlanScreen) -> bool {
    let has_asked = match &mut screen.phase {
        Phase::Beginning(begins) => &mut begins.has_asked,
        Phase::Undoing(undoing) => &mut undoing.has_asked,
        _ => return false,
    };
    !std::mem::replace(has_asked, true)
}

/// `sudo` has answered: the run that needs root continues, or reports why not.
fn may_be_root(screen: &mut PlanScreen, cx: &mut Cx, result: Result<(), String>) {
    let run = screen.run;
    match (result, &screen.phase) {
        (Ok(()), Phase::Undoing(undoing)) => {
            cx.effect(Effect::Undo { deploy: undoing.deploy, decided: None, run, as_root: true })
        }
        (Ok(()), Phase::Beginning(begins)) => match (&begins.begins, screen.program.clone()) {
            (Begins::Resumes(cut), Some(program)) => {
                cx.effect(Effect::Resume { program, cut: cut.clone(), decided: None, run })
            }
            _ => arm::arm(screen, cx),
        },
        (Ok(()), _) => {}
        (Err(why), Phase::Undoing(_)) => undo::refused(screen, cx, vec![why]),
        (Err(why), _) => refused(screen, cx, Refusal::Other(vec![why])),
    }
}

fn refused(screen: &mut PlanScreen, cx: &mut Cx, why: Refusal) {
    undo::checked(screen, cx);
    let (was_root, left) = match &mut screen.phase {
        Phase::Beginning(begins) => (begins.as_root, begins.left.take()),
        _ => (false, None),
    };
    restore_dry_run(screen, cx, left);
    let mut refuse = |words: String| {
        log(cx, words.clone());
        show_reason(cx, words);
    };
    match why {
        Refusal::Parked(status) => {
            refuse(format!("not applied: {status} is detached"));
            screen.live.detached = Some(*status);
            interrupted::offer(screen, cx);
        }
        Refusal::Held(holder) => {
            refuse(format!("not applied: another apply is running: {holder}"));
            let lines = vec![
                "Another apply is running; nothing was done.".into(),
                format!("  process {}, since {}", holder.pid, holder.since),
                format!("  {}", holder.command),
            ];
            let lines = lines.into_iter().chain(was_root.then(|| "To attach to it: sudo workbench attach".into()));
            let lines = lines.chain(["Retry?".into()]).collect();
            cx.layers.open.push(Question::yes(lines, Action::ArmAgain).into());
        }
        Refusal::Unfinished(cut) => {
            refuse(format!("not applied: deploy {} was interrupted and needs a decision", cut.deploy));
            screen.live.cut = Some(*cut);
            interrupted::offer(screen, cx);
        }
        Refusal::Password => {
            let words = "sudo needs a password; use sudo workbench apply";
            refuse(format!("not applied: {words}"));
            cx.layers.open.push(Question::report("Not applied", vec![words.into()]).into());
        }
        Refusal::Conflict(conflict) => conflict::ask(screen, cx, *conflict),
        Refusal::GivenUp => {
            log(cx, "cancelled before the start: nothing was changed".into());
            cx.show_notice(Role::Note, "cancelled: nothing was changed");
        }
        Refusal::Other(lines) => {
            refuse(format!("not applied: {}", lines.join(" ")));
            cx.layers.open.push(Question::report("Not applied", lines).into());
        }
    }
}
