//! A detached applier: offers to attach to it or to end it.

use std::sync::Arc;

use super::live::{self, Phase, log};
use crate::plan::Plan;
use crate::session::{ApplierStatus, Guest};
use crate::tui::effect::Effect;
use crate::tui::keymap::Action;
use crate::tui::layer::Question;
use crate::tui::look::Role;
use crate::tui::program::Program;
use crate::tui::screen::ScreenId;
pub use crate::tui::screen::step::data::Notice;
use crate::tui::state::State as Tui;

/// Handles a report.
pub fn on_notice(tui: &mut Tui, notice: Notice) -> Vec<Effect> {
    match notice {
        Notice::Attached { run, .. }
        | Notice::NotAttached { run, .. }
        | Notice::Taken { run, .. }
        | Notice::EndedThere { run }
        | Notice::Undoing { run, .. }
        | Notice::Lost { run }
        | Notice::Left { run }
            if run != tui.screens.step.run =>
        {
            vec![]
        }
        // We drive it already: the check is older than that.
        Notice::Waits(_) if tui.screens.step.live.is_live() => vec![],
        Notice::Waits(standing) => {
            let deploy = standing.deploy;
            if tui.screens.step.live.detached.as_ref().is_some_and(|known| known.deploy == deploy) {
                tui.screens.step.live.detached = Some(standing);
                return vec![];
            }
            let words = match &standing.at_work {
                Some(id) => format!("deploy {deploy} is detached and finishes {id}"),
                None => format!("deploy {deploy} is detached and waiting"),
            };
            note(tui, Role::Warning, format!("{words}: press a on Plan to attach"));
            (tui.screens.step.live.detached, tui.screens.step.live.is_news) = (Some(standing), true);
            vec![]
        }
        Notice::Driven(standing) => {
            driven(tui, standing);
            vec![]
        }
        Notice::Attached { run, standing, is_other, program, plan } => {
            let effects = attached(tui, run, &standing, program, plan);
            if standing.undoes.is_none() && !is_other {
                // It is the confirmed program; the source may have changed since.
                tui.screens.step.turn = tui.cx.programs.turn.wrapping_sub(1);
                super::read_again(tui);
            }
            tui.screens.step.live.shown.of_other = is_other.then_some(standing.entry);
            effects
        }
        Notice::Undoing { standing, .. } => {
            let effects = super::watch::end(tui);
            let state = &mut tui.screens.step;
            (state.live.phase, state.live.detached, state.running) = (Phase::TakingBack, None, true);
            note(tui, Role::Warning, format!("attached to {standing}"));
            effects
        }
        Notice::NotAttached { lines, .. } => {
            let mut effects = super::live::back_to_dry(tui);
            effects.extend(super::live::look_again(tui));
            log(tui, format!("not attached: {}", lines.join(" ")));
            tui.cx.layers.open.push(Question::report("Not attached", lines).into());
            effects
        }
        Notice::Ended(Ok(standing)) => {
            let deploy = standing.deploy;
            tui.screens.step.live.detached = None;
            let words = match standing.undoes {
                Some(of) => format!("deploy {deploy} was ended; workbench deploy undo {of} continues"),
                None => format!("deploy {deploy} was ended; workbench deploy undo {deploy} undoes it"),
            };
            note(tui, Role::Note, words);
            vec![]
        }
        Notice::Ended(Err(why)) => {
            note(tui, Role::Error, format!("not ended: {why}"));
            super::live::look_again(tui).into_iter().collect()
        }
        Notice::Taken { by, .. } => {
            over(tui, "taken over by another session");
            note(tui, Role::Warning, format!("process {by} took over this apply"));
            vec![]
        }
        Notice::EndedThere { .. } => {
            over(tui, "ended by someone else");
            note(tui, Role::Warning, "the apply was ended by someone else; p makes a new plan".into());
            vec![]
        }
        Notice::Left { .. } => {
            over(tui, "detached");
            note(tui, Role::Warning, "detached: it finishes the current step, then waits; a attaches".into());
            vec![Effect::Inspect { as_root: tui.screens.step.live.as_root }]
        }
        Notice::Lost { .. } => {
            let words = match tui.screens.step.list.rows.interrupted() {
                true => "the apply process was killed; the deploy is interrupted",
                false => "the apply process was killed while it waited; the deploy is interrupted",
            };
            over(tui, "interrupted");
            note(tui, Role::Error, words.into());
            vec![Effect::Inspect { as_root: tui.screens.step.live.as_root }]
        }
    }
}

/// Another process is attached to the unresolved deploy: there is nothing to choose here.
fn driven(tui: &mut Tui, standing: ApplierStatus) {
    let live = &tui.screens.step.live;
    let Some(by) = standing.driver.filter(|_| !live.is_live()) else { return };
    let is_known =
        live.detached.as_ref().is_some_and(|known| known.driver == Some(by) && known.deploy == standing.deploy);
    let deploy = standing.deploy;
    tui.screens.step.live.detached = Some(standing);
    if !is_known {
        super::live::withdraw_offer(tui);
        note(tui, Role::Warning, format!("process {by} is attached to deploy {deploy}"));
    }
}

fn note(tui: &mut Tui, role: Role, words: String) {
    log(tui, words.clone());
    tui.cx.show_notice(role, words);
}

/// The rows show how far it got; no more events follow. `ending` is how the run ended, as far as this session knows.
fn over(tui: &mut Tui, ending: &'static str) {
    let state = &mut tui.screens.step;
    state.live.shown.ending = Some(ending);
    (state.running, state.live.phase) = (false, Phase::Over);
    state.list.rows.run.forget_next();
    state.shows.summary = true;
    super::summary::end(state);
}

fn attached(tui: &mut Tui, run: u64, standing: &ApplierStatus, program: Arc<Program>, plan: Arc<Plan>) -> Vec<Effect> {
    let mut effects = super::watch::end(tui);
    let state = &mut tui.screens.step;
    (state.plan, state.program) = (Some(plan), Some(program));
    super::planning::reset(state);
    state.run = run;
    state.list.at.cursor = 0;
    if state.live.deploy != Some(standing.deploy) {
        state.live.shown.earlier = None;
    }
    state.live.begun(standing.deploy);
    note(tui, Role::Warning, format!("LIVE: attached to {standing}"));
    effects.extend(super::breaks::renew(tui));
    effects
}

/// Offers the actions for a detached applier.
pub(super) fn offer(tui: &mut Tui) {
    let Some(standing) = tui.screens.step.live.detached.as_ref().filter(|standing| standing.is_parked()) else {
        return;
    };
    let mut lines = vec![
        match (standing.undoes, &standing.at_work) {
            // An undo reports a change only when it is done.
            (Some(of), _) => format!(
                "Deploy {}, the undo of deploy {of}, was disconnected; it finishes the current change, then waits.",
                standing.deploy
            ),
            (None, Some(id)) => {
                format!("Deploy {} was disconnected; it finishes {id}, then waits.", standing.deploy)
            }
            (None, None) => {
                format!("Deploy {} was disconnected; it finished its step and is waiting.", standing.deploy)
            }
        },
        format!("  {}  {}", standing.since, standing.entry),
        match standing.undoes {
            Some(_) => format!("  {} of {} changes done", standing.turned, standing.total),
            None => format!("  {} of {} steps done", standing.turned, standing.total),
        },
    ];
    lines.extend(standing.next.as_ref().map(|next| format!("  next: {next}")));
    let choices = vec![('a', "attach", Action::Attach), ('E', "end it", Action::EndDetached)];
    tui.cx.layers.open.push(Question::keys(super::live::DETACHED, lines, choices).into());
}

/// The same from the command line, for an applier that was found there.
pub fn ask_for(tui: &mut Tui, guest: Guest, standing: ApplierStatus) -> Vec<Effect> {
    (tui.cx.screen, tui.cx.saved.attaches_as) = (ScreenId::Step, guest);
    tui.screens.step.live.detached = Some(standing);
    ask(tui)
}

/// Asks whether to attach to an applier. Attaching makes the screens live, so it needs the same confirmation, and
/// checks again whether it still waits.
pub(super) fn ask(tui: &mut Tui) -> Vec<Effect> {
    let Some(standing) = &tui.screens.step.live.detached else { return vec![] };
    let machine = if tui.cx.project.host.is_empty() { "this machine" } else { &tui.cx.project.host };
    let mut lines = vec![
        format!("Attach to deploy {}, which changes {machine}:", standing.deploy),
        format!("  {}  {}", standing.since, standing.entry),
    ];
    lines.extend(live::compiled_for(standing.other.as_deref()));
    lines.push(match standing.undoes {
        Some(of) => format!("It continues to undo deploy {of} at once."),
        None => "The current step is finished. Nothing else runs until you press s or c.".into(),
    });
    let (word, action) = (tui.cx.agreement_word(standing.other.as_deref()), Action::Attach);
    lines.push(format!("Type {word} to attach."));
    tui.cx.layers.open.push(Question::word(lines, word, None, action).into());
    super::live::look_again(tui).into_iter().collect()
}

/// Attaches to an applier.
pub fn attach(tui: &mut Tui) -> Vec<Effect> {
    let guest = std::mem::replace(&mut tui.cx.saved.attaches_as, Guest::Driver);
    tui.cx.log_command("workbench attach".into());
    super::live::stays(tui);
    let state = &mut tui.screens.step;
    state.run += 1;
    (state.running, state.queue.stepping, state.queue.queued_steps) = (true, true, 0);
    (state.list.rows.run.next, state.list.rows.run.why) = (None, None);
    state.live.phase = Phase::Beginning;
    tui.cx.screen = ScreenId::Step;
    vec![Effect::Attach { run: tui.screens.step.run, guest }]
}

/// Ends it after the current step.
pub fn end(tui: &mut Tui) -> Vec<Effect> {
    tui.cx.log_command("workbench attach --stop".into());
    vec![Effect::EndDetached]
}
