//! Handles the events of a run: its steps, its pauses and their reasons, and its end.

use super::rows::Row;
use super::{State, edit_retry, live, redo, summary, watch};
use crate::engine::message::{Event, Pause, Request, TurnState};
use crate::engine::run_view::End;
use crate::graph::{Graph, Resource, ResourceId};
use crate::plan::stop::BreakMode;
use crate::plan::{Action, Step};
use crate::source::headline;
use crate::tui::effect::Effect;
use crate::tui::look::{Look, Role};
use crate::tui::screen::log::Source;
use crate::tui::state::State as Tui;
use crate::tui::widget::text;

/// Handles an event of a run.
pub fn on_event(tui: &mut Tui, run: u64, event: Event) -> Vec<Effect> {
    if run != tui.screens.step.run {
        return vec![];
    }
    match &event {
        Event::Turn { resource, state, step, .. } => {
            let is_dry = !tui.screens.step.live.shows_live();
            let words = turn_words(&tui.cx.look, resource, state, step.as_ref(), is_dry);
            let is_wrong = matches!(state, TurnState::Failed { .. } | TurnState::Blocked { .. });
            let source = if is_wrong { Source::Failure } else { Source::Run };
            if tui.screens.step.again.redoing > 0 && !tui.screens.step.live.shows_live() {
                words.into_iter().for_each(|words| log_again(tui, source, words, resource));
            } else if let Some(words) = words {
                log(tui, source, words, Some(resource));
            } else if *state == TurnState::Waiting && !tui.screens.step.live.shows_live() {
                tui.cx.log.take_back(run, resource);
            }
            if let TurnState::Failed { error, .. } = state {
                for line in error.lines().skip(1) {
                    log(tui, Source::Failure, format!("{resource}: {line}"), Some(resource));
                }
            }
            redo::turned(&mut tui.screens.step.again.taken, resource, state);
            tui.screens.step.live.turned(resource, state, step.as_ref().map(|step| step.action));
            if let Some(plan) = &tui.screens.step.plan {
                tui.screens.step.list.rows.on_event(plan, &event, tui.cx.jobs.clock);
            }
            vec![]
        }
        Event::Paused { why, .. } => {
            let effects = paused(tui, &event, why.clone());
            if !tui.screens.step.running {
                edit_retry::rests(tui);
            }
            effects
        }
        Event::Output { resource, line } => {
            log(tui, Source::Run, format!("{resource}: {line}"), Some(resource));
            vec![]
        }
        Event::Amended { resource, changes, .. } => {
            edit_retry::amended(tui, Resource::clone(resource), changes);
            vec![]
        }
        // The applier handles the events of an undo, and reports the result.
        Event::TakenBack { .. } => vec![],
        &Event::Finished { done, failed, skipped, blocked, .. } => {
            let state = &mut tui.screens.step;
            let was_live = state.live.phase == live::Phase::Live;
            // A failure can be retried within the deploy.
            let stays_open = was_live && failed > 0;
            (state.finished, state.running, state.queue.queued_steps) = (!stays_open, false, 0);
            state.list.rows.run.on_event(&event);
            select_failed(state);
            summary::end(state);
            state.shows.summary = !stays_open;
            state.shows.panes = Default::default();
            let role = if failed > 0 { Role::Error } else { Role::Good };
            let run = state.live.deploy.map_or("the dry run".into(), |deploy| format!("deploy {deploy}"));
            let mut words = format!("end of {run}: {done} done");
            for (count, what) in [(failed, "failed"), (skipped, "skipped"), (blocked, "blocked")] {
                if count > 0 {
                    words.push_str(&format!(", {count} {what}"));
                }
            }
            // A skipped resource that is unchanged needs no retry.
            let is_right = |row: &Row| row.state == TurnState::Skipped && tui.screens.step.is_idle(&row.id);
            let is_well =
                failed + blocked == 0 && (skipped == 0 || tui.screens.step.list.rows.troubled().all(is_right));
            if stays_open {
                words.push_str(&format!("; {}", live::open::ways(tui)));
            } else if was_live && !is_well {
                words.push_str("; LIVE is off");
            }
            log(tui, if failed + blocked > 0 { Source::Failure } else { Source::Run }, words.clone(), None);
            if stays_open {
                tui.cx.show_notice(role, words);
                return vec![];
            }
            let effects = live::finished(tui, is_well);
            if was_live && tui.screens.step.may_try_again() {
                words.push_str(": A retry, u undo");
            }
            tui.cx.show_notice(role, words);
            effects
        }
    }
}

/// Logs an event of the shown run.
fn log(tui: &mut Tui, source: Source, words: String, resource: Option<&ResourceId>) {
    let (now, run) = (tui.cx.ticks.now.clone(), tui.screens.step.run);
    match tui.screens.step.live.shows_live() {
        true => tui.cx.log.push(&now, source, words),
        false => tui.cx.log.push_dry(&now, source, words, run, resource.cloned()),
    }
}

/// A step was repeated: logs it only if the result differs from the logged one.
fn log_again(tui: &mut Tui, source: Source, words: String, resource: &ResourceId) {
    let (run, log_of) = (tui.screens.step.run, &mut tui.cx.log);
    let logged = tui.screens.step.again.logged.get_or_insert_with(|| log_of.valid_lines());
    let is_logged = logged.remove(resource).is_some_and(|number| log_of.confirm(number, &words, run));
    if !is_logged {
        log(tui, source, words, Some(resource));
    }
}

fn turn_words(look: &Look, id: &ResourceId, state: &TurnState, step: Option<&Step>, is_dry: bool) -> Option<String> {
    let glyph = look.turn(state).0;
    match state {
        TurnState::Waiting | TurnState::Running => None,
        TurnState::Done => {
            let is_refreshed = step.is_some_and(|step| step.refresh && step.action == Action::None);
            let action = step.map_or("done", |step| crate::tui::look::action_word(step.action));
            let changes = step.is_some_and(|step| !matches!(step.action, Action::None | Action::Unknown));
            Some(match (is_refreshed, is_dry) {
                (true, true) => format!("{glyph} {id}  would refresh"),
                (true, false) => format!("{glyph} {id}  refreshed"),
                (false, true) if changes => format!("{glyph} {id}  would {action}"),
                (false, _) => format!("{glyph} {id}  {action}"),
            })
        }
        TurnState::Failed { error, .. } => Some(format!("{glyph} {id}  failed: {}", headline(error))),
        TurnState::Skipped => Some(format!("{glyph} {id}  skipped")),
        TurnState::Blocked { by } => Some(format!("{glyph} {id}  blocked by {by}")),
    }
}

/// Whether the first of the reported resources is first in the order of all.
fn is_first(graph: &Graph, ready: &[ResourceId]) -> bool {
    let mut places = ready.iter().filter_map(|id| graph.find(id));
    let (first, second) = (places.next(), places.next());
    second.is_none() || first < second
}

fn paused(tui: &mut Tui, event: &Event, why: Pause) -> Vec<Effect> {
    let state = &mut tui.screens.step;
    // The process that was attached before asked for it, or it lost that process.
    let was_asked = state.live.phase != live::Phase::Live || state.live.was_stopped();
    state.live.paused();
    let was_reported = state.list.rows.run.end == End::Reported;
    let before = state.next_id().cloned();
    state.list.rows.run.on_event(event);
    let is_at_end = state.next_id().is_none() && why == Pause::End;
    let stays_open = state.live.phase == live::Phase::Live && was_reported;
    let was_at_end = std::mem::replace(&mut state.finished, is_at_end && !stays_open) || was_reported;
    if was_at_end != is_at_end {
        summary::group(state);
    }
    state.cursor.is_first =
        state.program.as_ref().is_none_or(|program| is_first(&program.graph, &state.list.rows.run.ready));
    let moved = before.as_ref() != state.next_id();
    // Another step ran since, or this one was stepped back: then the order decided.
    let picked = state.cursor.picked.as_ref().map(|(id, _)| id).filter(|_| state.again.redoing <= 1);
    if picked.is_some() && (state.next_id().is_none() || (moved && picked != state.next_id())) {
        state.cursor.picked = None;
    }
    if let Some(request) = edit_retry::way_back(state, &why) {
        return vec![Effect::Send(request)];
    }
    if state.again.redoing > 1 {
        state.again.redoing -= 1;
        return vec![];
    }
    (state.again.redoing, state.again.logged) = (0, None);
    if let Some(request) = watch::paused(state, why.clone()) {
        return vec![Effect::Send(request)];
    }
    if matches!(why, Pause::Start | Pause::Stepped) && state.queue.queued_steps > 0 && state.next_id().is_some() {
        state.queue.queued_steps -= 1;
        return vec![Effect::Send(Request::Step)];
    }
    if why == Pause::Failure && state.next_id().is_some() && state.breaks.break_mode == BreakMode::Never {
        // The run passes failures; blocked steps are reported.
        if let Some(request) = state.queue.going.clone() {
            return vec![Effect::Send(request)];
        }
    }
    if let Some(request) =
        state.live.shown.suspended.take().filter(|_| why == Pause::Stopped && state.next_id().is_some())
    {
        return vec![Effect::Send(request)];
    }
    (state.running, state.queue.queued_steps, state.queue.going, state.cursor.follows) = (false, 0, None, false);
    let goes = state.cursor.reopened.take().unwrap_or(moved);
    if let Some(next) = state.next_id().filter(|_| goes).cloned()
        && state.list.show(&next)
    {
        state.cursor.is_moved = false;
        state.shows.panes = Default::default();
    }
    if why == Pause::Failure {
        select_failed(state);
    }
    let stop = match &why {
        Pause::Breakpoint => {
            let when = tui.screens.step.next_id().and_then(|id| tui.screens.step.stopping(id));
            let when = when.map(|when| format!(": {}", text::safe(when))).unwrap_or_default();
            Some((Role::Note, format!("stopped at a breakpoint{when}")))
        }
        Pause::Failure if tui.screens.step.live.is_live() => {
            let words = "failed: r retry, e edit, x skip, c continue without it, u undo";
            Some((Role::Error, words.into()))
        }
        Pause::Failure => {
            let words = "failed: r retry, e edit, Z step back";
            Some((Role::Error, words.into()))
        }
        Pause::Stopped if was_asked => Some((Role::Note, "stopped".into())),
        _ => None,
    };
    if let Some((role, words)) = stop {
        tui.cx.show_notice(role, words);
    }
    watch::look(tui)
}

/// Selects the last failure, unless a failed row is selected already: it is the one to edit or retry.
fn select_failed(state: &mut State) {
    let has_failed =
        |id: &&ResourceId| state.list.rows.find(id).is_some_and(|row| matches!(row.state, TurnState::Failed { .. }));
    if state.cursor_id().filter(has_failed).is_some() {
        return;
    }
    let failed = state.again.taken.iter().rev().map(|(id, _)| id).find(has_failed).cloned();
    if failed.is_some_and(|id| state.list.show(&id)) {
        state.shows.panes = Default::default();
    }
}
