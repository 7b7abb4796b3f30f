//! Handles the applier's notices other than events of a run: that it started or why not, and what needs root.

use super::{Cut, Notice, Refusal, arm, back_to_dry, interrupted, log, show_reason, undo};
use crate::tui::effect::Effect;
use crate::tui::keymap::Action;
use crate::tui::layer::Question;
use crate::tui::look::Role;
use crate::tui::screen::step::{self, breaks, conflict, edit_retry};
use crate::tui::state::State as Tui;
use crate::tui::widget::text;

/// Handles a message of the applier.
pub fn on_notice(tui: &mut Tui, notice: Notice) -> Vec<Effect> {
    match notice {
        Notice::Begun { run, .. }
        | Notice::Refused { run, .. }
        | Notice::NotAmended { run, .. }
        | Notice::MayBeRoot { run, .. }
        | Notice::Undoing { run, .. }
            if run != tui.screens.step.run =>
        {
            vec![]
        }
        Notice::UndoPlanned { ask, .. } if ask != tui.screens.step.live.back.ask => vec![],
        // The check is older than this run, which has changed the result.
        Notice::CutOff(Cut { as_root: false, .. })
        | Notice::Settled { as_root: false }
        | Notice::NotKnown { as_root: false, .. }
            if tui.screens.step.live.is_live() =>
        {
            vec![]
        }
        Notice::NeedsRoot(needs_root) => {
            tui.screens.step.live.needs_root = needs_root;
            vec![]
        }
        Notice::Strangers(strangers) => {
            tui.screens.step.live.strangers = strangers;
            vec![]
        }
        Notice::Applied(was_applied) => {
            tui.screens.step.live.is_first = !was_applied;
            vec![]
        }
        // The password is requested on the terminal itself, once.
        Notice::Refused { run, why: Refusal::Password } if !tui.screens.step.live.has_asked => {
            tui.screens.step.live.has_asked = true;
            vec![Effect::AskSudo { run }]
        }
        Notice::MayBeRoot { result, .. } => may_be_root(tui, result),
        Notice::UndoNeedsPassword { deploy } if tui.screens.step.live.has_asked => {
            let why = "Not undone: sudo needs a password.".into();
            undo::refused(tui, deploy, vec![why, format!("use sudo workbench deploy undo {deploy}")])
        }
        Notice::UndoNeedsPassword { deploy } => {
            (tui.screens.step.live.has_asked, tui.screens.step.live.back.waits_for_root) = (true, Some(deploy));
            vec![Effect::AskSudo { run: tui.screens.step.run }]
        }
        Notice::Begun { run, deploy, first } => {
            let mut effects = begun(tui, deploy);
            effects.extend(first.into_iter().flat_map(|event| step::on_event(tui, run, event)));
            effects
        }
        Notice::Refused { why, .. } => refused(tui, why),
        Notice::NotAmended { resource, why, .. } => {
            edit_retry::not_amended(tui, resource, &why);
            vec![]
        }
        Notice::Settled { as_root } => {
            interrupted::nothing_interrupted(tui, as_root);
            vec![]
        }
        Notice::NotKnown { as_root, why } => {
            interrupted::not_known(tui, as_root, &why);
            vec![]
        }
        Notice::CutOff(cut) => {
            // The detached applier was killed since; otherwise the check would have found it.
            if !cut.as_root && tui.screens.step.live.detached.is_some() {
                interrupted::withdraw(tui);
                tui.screens.step.live.detached = None;
            }
            // It was reported before.
            if tui.screens.step.live.cut.as_ref() == Some(&cut) {
                return vec![];
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
            log(tui, words.clone());
            tui.cx.show_notice(Role::Warning, words);
            (tui.screens.step.live.cut, tui.screens.step.live.is_news) = (Some(cut), true);
            vec![]
        }
        Notice::Conflict(conflict) => conflict::ask(tui, *conflict),
        Notice::UndoCancelled => undo::given_up(tui),
        Notice::NotUndone { deploy, why } => undo::refused(tui, deploy, why),
        Notice::UndoPlanned { deploy, steps, .. } => undo::on_undo_planned(tui, deploy, steps),
        Notice::Undoing { done, of, .. } => undo::on_progress(tui, done, of),
        Notice::Undone { deploy, result } => undo::on_undone(tui, deploy, result),
    }
}

/// A live run waits for its first request.
fn begun(tui: &mut Tui, deploy: u64) -> Vec<Effect> {
    let mended = tui.screens.step.live.edit.edit_retry.continues_from();
    if mended.is_none() {
        tui.screens.step.live.shown.earlier = None;
    }
    tui.screens.step.live.begun(deploy);
    let mut effects = step::watch::end(tui);
    effects.extend(breaks::renew(tui));
    if let Some(id) = mended {
        effects.extend(edit_retry::begun(tui, id, deploy));
        return effects;
    }
    let words = format!("deploy {deploy} started: s step, c continue, Ctrl-C stop, u undo it");
    log(tui, words.clone());
    tui.cx.show_notice(Role::Warning, words);
    effects
}

/// `sudo` has answered: the run that needs root continues, or reports why not.
fn may_be_root(tui: &mut Tui, result: Result<(), String>) -> Vec<Effect> {
    let (back, run) = (tui.screens.step.live.back.waits_for_root.take(), tui.screens.step.run);
    let resumed = tui.screens.step.live.shown.resumed.clone().filter(|cut| cut.as_root);
    match (result, back, resumed) {
        (Ok(()), Some(deploy), _) => vec![Effect::TakeBack { deploy, decided: None, run, as_root: true }],
        (Ok(()), None, Some(cut)) => match tui.screens.step.program.clone() {
            Some(program) => vec![Effect::Resume { program, cut, decided: None, run }],
            None => vec![],
        },
        (Ok(()), None, None) => arm::arm(tui),
        (Err(why), Some(deploy), _) => undo::refused(tui, deploy, vec![why]),
        (Err(why), None, _) => refused(tui, Refusal::Other(vec![why])),
    }
}

fn refused(tui: &mut Tui, why: Refusal) -> Vec<Effect> {
    let was_root = tui.screens.step.live.as_root;
    undo::looked(tui);
    let effects = back_to_dry(tui);
    let mut refuse = |words: String| {
        log(tui, words.clone());
        show_reason(tui, words);
    };
    match why {
        Refusal::Parked(standing) => {
            refuse(format!("not applied: {standing} is detached"));
            tui.screens.step.live.detached = Some(*standing);
            interrupted::offer(tui);
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
            tui.cx.layers.open.push(Question::yes(lines, Action::ArmAgain).into());
        }
        Refusal::Unfinished(cut) => {
            refuse(format!("not applied: deploy {} was interrupted and needs a decision", cut.deploy));
            tui.screens.step.live.cut = Some(*cut);
            interrupted::offer(tui);
        }
        Refusal::Password => {
            let words = "sudo needs a password; use sudo workbench apply";
            refuse(format!("not applied: {words}"));
            tui.cx.layers.open.push(Question::report("Not applied", vec![words.into()]).into());
        }
        Refusal::Conflict(conflict) => drop(conflict::ask(tui, *conflict)),
        Refusal::GivenUp => {
            log(tui, "cancelled before the start: nothing was changed".into());
            tui.cx.show_notice(Role::Note, "cancelled: nothing was changed");
        }
        Refusal::Other(lines) => {
            refuse(format!("not applied: {}", lines.join(" ")));
            tui.cx.layers.open.push(Question::report("Not applied", lines).into());
        }
    }
    effects
}
