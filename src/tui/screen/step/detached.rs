//! A detached applier: offers to attach to it or to end it.

use std::sync::Arc;

use super::data::Redo;
use super::live::{self, log};
use super::phase::{Before, Beginning, Begins, Ended, Phase, Progress, Run, Undoing};
use crate::plan::Plan;
use crate::session::{ApplierStatus, Guest};
pub use crate::tui::screen::step::data::Notice;
use crate::tui::{
    cx::Cx, effect::Effect, keymap::Action, layer::Question, look::Role, program::Program, screen::ScreenId,
    screen::step::PlanScreen,
};

pub fn on_notice(screen: &mut PlanScreen, cx: &mut Cx, notice: Notice) {
    match notice {
        Notice::Attached { run, .. }
        | Notice::NotAttached { run, .. }
        | Notice::Taken { run, .. }
        | Notice::EndedThere { run }
        | Notice::Undoing { run, .. }
        | Notice::Lost { run }
        | Notice::Left { run }
            if run != screen.run => {}
        // We drive it already: the check is older than that.
        Notice::Waits(_) if screen.phase.is_live() => {}
        Notice::Waits(status) => {
            let deploy = status.deploy;
            if let Some(known) = screen.live.detached.as_ref().filter(|known| known.deploy == deploy) {
                let is_free_again = known.driver.is_some() && status.driver.is_none();
                screen.live.detached = Some(status);
                if is_free_again {
                    screen.live.is_unread = true;
                    cx.announce(Role::Warning, format!("deploy {deploy} is detached again: press a on Plan to attach"));
                }
                return;
            }
            let words = match &status.at_work {
                Some(id) => format!("deploy {deploy} is detached and finishes {id}"),
                None => format!("deploy {deploy} is detached and waiting"),
            };
            cx.announce(Role::Warning, format!("{words}: press a on Plan to attach"));
            (screen.live.detached, screen.live.is_unread) = (Some(status), true);
        }
        Notice::Driven(status) => driven(screen, cx, status),
        Notice::Attached { run, status, is_other, program, plan } => {
            attached(screen, cx, run, &status, program, plan);
            if status.undoes.is_none() && !is_other {
                // It is the confirmed program; the source may have changed since.
                screen.turn = cx.programs.turn.wrapping_sub(1);
                super::read_again(screen, cx);
            }
            if let Some(live) = screen.phase.live_mut() {
                live.shown.of_other = is_other.then_some(status.entry);
            }
        }
        Notice::Undoing { status, .. } => {
            super::watch::end(screen, cx);
            screen.live.detached = None;
            let as_root = screen.phase.as_root();
            let before = match &screen.phase {
                Phase::Beginning(begins) if matches!(begins.begins, Begins::Attaches(Some(_))) => {
                    let shown = screen.phase.take_ended().shown;
                    Before::Ended(Box::new(Ended { shown, ..Ended::default() }))
                }
                _ => Before::Dry { left: None, rest: screen.phase.take_rest() },
            };
            let (deploy, progress) = (status.undoes.unwrap_or(status.deploy), Progress::Begun);
            let undoing =
                Undoing { deploy, as_root, has_asked: false, before, was_followed: false, progress, stops: 0 };
            screen.phase = Phase::Undoing(Box::new(undoing));
            cx.announce(Role::Warning, format!("attached to {status}"));
        }
        Notice::NotAttached { lines, .. } => {
            restore(screen, cx);
            super::live::look_again(screen, cx);
            log(cx, format!("not attached: {}", lines.join(" ")));
            cx.layers.open.push(Question::report("Not attached", lines).into());
        }
        Notice::Ended(Ok(status)) => {
            let deploy = status.deploy;
            screen.live.detached = None;
            let words = match status.undoes {
                Some(of) => format!("deploy {deploy} was ended; workbench deploy undo {of} continues"),
                None => format!("deploy {deploy} was ended; workbench deploy undo {deploy} undoes it"),
            };
            cx.announce(Role::Note, words);
        }
        Notice::Ended(Err(why)) => {
            cx.announce(Role::Error, format!("not ended: {why}"));
            super::live::look_again(screen, cx)
        }
        Notice::Taken { by, .. } => {
            over(screen, "taken over by another session");
            cx.announce(Role::Warning, format!("process {by} took over this apply"));
        }
        Notice::EndedThere { .. } => {
            over(screen, "ended by someone else");
            cx.announce(Role::Warning, "the apply was ended by someone else; p makes a new plan");
        }
        Notice::Left { .. } => {
            over(screen, "detached");
            cx.announce(Role::Warning, "detached: it finishes the current step, then waits; a attaches");
            cx.effect(Effect::Inspect { as_root: screen.phase.as_root() })
        }
        Notice::Lost { .. } => {
            let words = match screen.list.rows.interrupted() {
                true => "the apply process was killed; the deploy is interrupted",
                false => "the apply process was killed while it waited; the deploy is interrupted",
            };
            over(screen, "interrupted");
            cx.announce(Role::Error, words);
            cx.effect(Effect::Inspect { as_root: screen.phase.as_root() })
        }
    }
}

/// It did not attach: restores the dry run or the ended deploy that was shown.
fn restore(screen: &mut PlanScreen, cx: &mut Cx) {
    let mut left = None;
    if let Phase::Beginning(begins) = &mut screen.phase {
        if let Begins::Attaches(Some(ended)) = std::mem::take(&mut begins.begins) {
            screen.phase = Phase::Ended(ended);
            return;
        }
        left = begins.left.take();
    }
    live::restore_dry_run(screen, cx, left)
}

/// Another process is attached to the unresolved deploy: there is nothing to choose here.
fn driven(screen: &mut PlanScreen, cx: &mut Cx, status: ApplierStatus) {
    let Some(by) = status.driver.filter(|_| !screen.phase.is_live()) else { return };
    let is_known =
        screen.live.detached.as_ref().is_some_and(|known| known.driver == Some(by) && known.deploy == status.deploy);
    let deploy = status.deploy;
    screen.live.detached = Some(status);
    if !is_known {
        super::live::withdraw_offer(screen, cx);
        cx.announce(Role::Warning, format!("process {by} is attached to deploy {deploy}"));
    }
}

/// The rows show how far it got; no more events follow. `ending` is how the run ended, as far as this session knows.
fn over(screen: &mut PlanScreen, ending: &'static str) {
    screen.phase = Phase::Ended(Box::new(Ended { ending: Some(ending), ..*screen.phase.take_ended() }));
    screen.list.rows.run.forget_next();
    screen.shows.summary = true;
    super::summary::end(screen);
}

fn attached(
    screen: &mut PlanScreen,
    cx: &mut Cx,
    run: u64,
    status: &ApplierStatus,
    program: Arc<Program>,
    plan: Arc<Plan>,
) {
    super::watch::end(screen, cx);
    (screen.plan, screen.program) = (Some(plan), Some(program));
    super::planning::reset(screen);
    screen.run = run;
    screen.list.at.cursor = 0;
    if let Some(run) = screen.phase.run_mut() {
        *run = Run::starting();
    }
    live::begun(screen, status.deploy);
    cx.announce(Role::Warning, format!("LIVE: attached to {status}"));
    super::breaks::renew(screen, cx);
}

/// Offers the actions for a detached applier.
pub(super) fn offer(screen: &mut PlanScreen, cx: &mut Cx) {
    let Some(status) = screen.live.detached.as_ref().filter(|status| status.is_parked()) else {
        return;
    };
    let mut lines = vec![
        match (status.undoes, &status.at_work) {
            // An undo reports a change only when it is done.
            (Some(of), _) => format!(
                "Deploy {}, the undo of deploy {of}, was disconnected; it finishes the current change, then waits.",
                status.deploy
            ),
            (None, Some(id)) => {
                format!("Deploy {} was disconnected; it finishes {id}, then waits.", status.deploy)
            }
            (None, None) => {
                format!("Deploy {} was disconnected; it finished its step and is waiting.", status.deploy)
            }
        },
        format!("  {}  {}", status.since, status.entry),
        match status.undoes {
            Some(_) => format!("  {} of {} changes done", status.turned, status.total),
            None => format!("  {} of {} steps done", status.turned, status.total),
        },
    ];
    lines.extend(status.next.as_ref().map(|next| format!("  next: {next}")));
    let choices = vec![('a', "attach", Action::Attach), ('E', "end it", Action::EndDetached)];
    cx.layers.open.push(Question::keys(super::live::DETACHED, lines, choices).into());
}

/// The same from the command line, for an applier that was found there.
pub fn ask_for(screen: &mut PlanScreen, cx: &mut Cx, guest: Guest, status: ApplierStatus) {
    (cx.screen, cx.saved.attaches_as) = (ScreenId::Step, guest);
    screen.live.detached = Some(status);
    ask(screen, cx)
}

/// Asks whether to attach to an applier. Attaching makes the screens live, so it needs the same confirmation, and
/// checks again whether it still waits.
pub(super) fn ask(screen: &mut PlanScreen, cx: &mut Cx) {
    let Some(status) = &screen.live.detached else { return };
    if let Some(by) = status.driver.filter(|_| cx.saved.attaches_as == Guest::Driver) {
        let words = format!("process {by} is already attached to deploy {}", status.deploy);
        let way_out = "detach it there, or take over with `workbench attach --take`".to_owned();
        cx.layers.open.push(Question::report("Not attached", vec![words, way_out]).into());
        return super::live::look_again(screen, cx);
    }
    let machine = if cx.project.host.is_empty() { "this machine" } else { &cx.project.host };
    let mut lines = vec![
        format!("Attach to deploy {}, which changes {machine}:", status.deploy),
        format!("  {}  {}", status.since, status.entry),
    ];
    lines.extend(live::compiled_for(status.other.as_deref()));
    lines.push(match status.undoes {
        Some(of) => format!("It continues to undo deploy {of} at once."),
        None => "The current step is finished. Nothing else runs until you press s or c.".into(),
    });
    let (word, action) = (cx.agreement_word(status.other.as_deref()), Action::Attach);
    lines.push(format!("Type {word} to attach."));
    cx.layers.open.push(Question::word(lines, word, None, action).into());
    super::live::look_again(screen, cx)
}

pub fn attach(screen: &mut PlanScreen, cx: &mut Cx) {
    let guest = std::mem::replace(&mut cx.saved.attaches_as, Guest::Driver);
    cx.log_command("workbench attach".into());
    super::live::stays(screen);
    screen.run += 1;
    (screen.list.rows.run.next, screen.list.rows.run.why) = (None, None);
    let as_root = screen.phase.as_root();
    let left = if screen.phase.is_dry() { Redo::of(screen) } else { None };
    let ended = screen.phase.ended().is_some().then(|| screen.phase.take_ended());
    let rest = screen.phase.take_rest();
    screen.phase = Phase::Beginning(Box::new(Beginning {
        run: Run::starting(),
        begins: Begins::Attaches(ended),
        as_root,
        left,
        rest,
        ..Beginning::default()
    }));
    cx.screen = ScreenId::Step;
    cx.effect(Effect::Attach { run: screen.run, guest })
}

pub fn end(cx: &mut Cx) {
    cx.log_command("workbench attach --stop".into());
    cx.effect(Effect::EndDetached)
}
