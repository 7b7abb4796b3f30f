//! Handles the events of a run: its steps, its pauses and their reasons, and its end.

use super::phase::{Busy, DryRequest, Phase, Run};
use super::rows::Row;
use super::{State, edit_retry, live, redo, summary, watch};
use crate::engine::message::{Event, Pause, TurnState};
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
            let is_dry = tui.screens.step.phase.is_dry();
            let words = turn_words(&tui.cx.look, resource, state, step.as_ref(), is_dry);
            let is_wrong = matches!(state, TurnState::Failed { .. } | TurnState::Blocked { .. });
            let source = if is_wrong { Source::Failure } else { Source::Run };
            if tui.screens.step.phase.run().is_some_and(Run::repeats) && tui.screens.step.phase.is_dry() {
                words.into_iter().for_each(|words| log_again(tui, source, words, resource));
            } else if let Some(words) = words {
                log(tui, source, words, Some(resource));
            } else if *state == TurnState::Waiting && tui.screens.step.phase.is_dry() {
                tui.cx.log.take_back(run, resource);
            }
            if let TurnState::Failed { error, .. } = state {
                for line in error.lines().skip(1) {
                    log(tui, Source::Failure, format!("{resource}: {line}"), Some(resource));
                }
            }
            redo::turned(&mut tui.screens.step.taken, resource, state);
            tui.screens.step.phase.turned(resource, state, step.as_ref().map(|step| step.action));
            if let Some(plan) = &tui.screens.step.plan {
                tui.screens.step.list.rows.on_event(plan, &event, tui.cx.jobs.clock);
            }
            vec![]
        }
        Event::Paused { why, .. } => {
            let effects = paused(tui, &event, why.clone());
            if !tui.screens.step.is_running() {
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
            let was_live = state.phase.live().is_some();
            // A failure can be retried within the deploy.
            let stays_open = was_live && failed > 0;
            match &mut state.phase {
                Phase::Ended(ended) => ended.is_finished = true,
                phase => phase.run_mut().into_iter().for_each(|run| run.busy = None),
            }
            state.list.rows.run.on_event(&event);
            select_failed(state);
            summary::end(state);
            state.shows.summary = !stays_open;
            state.shows.panes = Default::default();
            let role = if failed > 0 { Role::Error } else { Role::Good };
            let run = state.phase.deploy().map_or("the dry run".into(), |deploy| format!("deploy {deploy}"));
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
    match tui.screens.step.phase.is_dry() {
        false => tui.cx.log.push(&now, source, words),
        true => tui.cx.log.push_dry(&now, source, words, run, resource.cloned()),
    }
}

/// A step was repeated: logs it only if the result differs from the logged one.
fn log_again(tui: &mut Tui, source: Source, words: String, resource: &ResourceId) {
    let (run, log_of) = (tui.screens.step.run, &mut tui.cx.log);
    let repeat = tui.screens.step.phase.run_mut().and_then(|run| run.repeat.as_mut());
    let number = repeat.and_then(|it| it.logged.get_or_insert_with(|| log_of.valid_lines()).remove(resource));
    let is_logged = number.is_some_and(|number| log_of.confirm(number, &words, run));
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
    let was_asked = match &mut state.phase {
        Phase::Live(live) => std::mem::take(&mut live.stops) > 0,
        _ => true,
    };
    let was_reported = state.list.rows.run.end == End::Reported;
    let (before, was_finished) = (state.next_id().cloned(), state.is_finished());
    state.list.rows.run.on_event(event);
    let is_at_end = state.next_id().is_none() && why == Pause::End;
    if (was_finished || was_reported) != is_at_end {
        summary::group(state);
    }
    let is_first = state.program.as_ref().is_none_or(|program| is_first(&program.graph, &state.list.rows.run.ready));
    let (next, moved) = (state.next_id().cloned(), before.as_ref() != state.next_id());
    let Some(run) = state.phase.run_mut() else { return vec![] };
    run.is_first = is_first;
    // Another step ran since, or this one was stepped back: then the order decided.
    let left = run.repeat.as_ref().map_or(0, |repeat| repeat.left);
    let picked = run.picked.as_ref().map(|(id, _)| id).filter(|_| left <= 1);
    if picked.is_some() && (next.is_none() || (moved && picked != next.as_ref())) {
        run.picked = None;
    }
    if let Some(request) = edit_retry::way_back(state, &why) {
        return vec![state.request(request)];
    }
    let Some(run) = state.phase.run_mut() else { return vec![] };
    if let Some(repeat) = &mut run.repeat {
        repeat.left = left.saturating_sub(1);
        if left > 1 {
            return vec![];
        }
        repeat.logged = None;
    }
    if let Some(request) = watch::paused(state, why.clone(), tui.cx.jobs.clock) {
        return vec![state.request(request)];
    }
    if let Some(request) = next.as_ref().and_then(|_| goes_on(state, &why)) {
        return vec![state.request(request)];
    }
    let Some(run) = state.phase.run_mut() else { return vec![] };
    run.busy = None;
    let goes = run.repeat.take().and_then(|repeat| repeat.goes).unwrap_or(moved);
    if let Some(next) = next.filter(|_| goes)
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
        Pause::Failure if tui.screens.step.phase.is_live() => {
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

/// The request that follows a pause without a key.
fn goes_on(state: &mut State, why: &Pause) -> Option<DryRequest> {
    let never_stops = state.breaks.break_mode == BreakMode::Never;
    let suspended = state.phase.live_mut().and_then(|live| live.suspended.take());
    match (why, &mut state.phase.run_mut()?.busy) {
        (Pause::Start | Pause::Stepped, Some(Busy::Stepping { queued: queued @ 1.. })) => {
            *queued -= 1;
            Some(DryRequest::Step)
        }
        // The run passes failures; blocked steps are reported.
        (Pause::Failure, Some(Busy::Going { request, .. })) if never_stops => Some(request.clone()),
        (Pause::Stopped, _) => suspended,
        _ => None,
    }
}

/// Selects the last failure, unless a failed row is selected already: it is the one to edit or retry.
fn select_failed(state: &mut State) {
    let has_failed =
        |id: &&ResourceId| state.list.rows.find(id).is_some_and(|row| matches!(row.state, TurnState::Failed { .. }));
    if state.cursor_id().filter(has_failed).is_some() {
        return;
    }
    let failed = state.taken.iter().rev().map(|(id, _)| id).find(has_failed).cloned();
    if failed.is_some_and(|id| state.list.show(&id)) {
        state.shows.panes = Default::default();
    }
}
