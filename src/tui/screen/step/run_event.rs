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
use crate::tui::look::{Look, Role};
use crate::tui::{cx::Cx, screen::log::Source, screen::step::PlanScreen, widget::text};

pub fn on_event(screen: &mut PlanScreen, cx: &mut Cx, run: u64, event: Event) {
    if run != screen.run {
        return;
    }
    match &event {
        Event::Turn { resource, state, step, .. } => {
            let is_dry = screen.phase.is_dry();
            let words = turn_words(&cx.look, resource, state, step.as_ref(), is_dry);
            let is_wrong = matches!(state, TurnState::Failed { .. } | TurnState::Blocked { .. });
            let source = if is_wrong { Source::Failure } else { Source::Run };
            if screen.phase.run().is_some_and(Run::repeats) && screen.phase.is_dry() {
                words.into_iter().for_each(|words| log_again(screen, cx, source, words, resource));
            } else if let Some(words) = words {
                log(screen, cx, source, words, Some(resource));
            } else if *state == TurnState::Waiting && screen.phase.is_dry() {
                cx.log.mark_undone(run, resource);
            }
            if let TurnState::Failed { error, .. } = state {
                for line in error.lines().skip(1) {
                    log(screen, cx, Source::Failure, format!("{resource}: {line}"), Some(resource));
                }
            }
            redo::turned(&mut screen.taken, resource, state);
            screen.phase.turned(resource, state, step.as_ref().map(|step| step.action));
            if let Some(plan) = &screen.plan {
                screen.list.rows.on_event(plan, &event, cx.jobs.clock);
            }
        }
        Event::Paused { why, .. } => {
            paused(screen, cx, &event, why.clone());
            if !screen.is_running() {
                edit_retry::rests(screen, cx);
            }
        }
        Event::Output { resource, line } => {
            log(screen, cx, Source::Run, format!("{resource}: {line}"), Some(resource));
        }
        Event::Amended { resource, changes, .. } => edit_retry::amended(screen, cx, Resource::clone(resource), changes),
        // The applier handles the events of an undo, and reports the result.
        Event::TakenBack { .. } => {}
        &Event::Finished { done, failed, skipped, blocked, .. } => {
            let was_live = screen.phase.live().is_some();
            // A failure can be retried within the deploy.
            let stays_open = was_live && failed > 0;
            match &mut screen.phase {
                Phase::Ended(ended) => ended.is_finished = true,
                phase => phase.run_mut().into_iter().for_each(|run| run.busy = None),
            }
            screen.list.rows.run.on_event(&event);
            select_failed(screen);
            summary::end(screen);
            screen.shows.summary = !stays_open;
            screen.shows.panes = Default::default();
            let role = if failed > 0 { Role::Error } else { Role::Good };
            let run = screen.phase.deploy().map_or("the dry run".into(), |deploy| format!("deploy {deploy}"));
            let mut words =
                if stays_open { format!("{run} is paused: {done} done") } else { format!("end of {run}: {done} done") };
            for (count, what) in [(failed, "failed"), (skipped, "skipped"), (blocked, "blocked")] {
                if count > 0 {
                    words.push_str(&format!(", {count} {what}"));
                }
            }
            // A skipped resource that is unchanged needs no retry.
            let is_right = |row: &Row| row.state == TurnState::Skipped && screen.is_idle(&row.id);
            let is_well = failed + blocked == 0 && (skipped == 0 || screen.list.rows.troubled().all(is_right));
            if stays_open {
                words.push_str(&format!("; {}", live::ways(screen)));
            } else if was_live && !is_well {
                words.push_str("; LIVE is off");
            }
            log(screen, cx, if failed + blocked > 0 { Source::Failure } else { Source::Run }, words.clone(), None);
            if stays_open {
                return cx.show_notice(role, words);
            }
            live::finished(screen, cx, is_well);
            if was_live && screen.may_try_again() {
                words.push_str(": A retry, u undo");
            }
            cx.show_notice(role, words);
        }
    }
}

/// Logs an event of the shown run.
fn log(screen: &mut PlanScreen, cx: &mut Cx, source: Source, words: String, resource: Option<&ResourceId>) {
    let (now, run) = (cx.ticks.now.clone(), screen.run);
    match screen.phase.is_dry() {
        false => cx.log.push(&now, source, words),
        true => cx.log.push_dry(&now, source, words, run, resource.cloned()),
    }
}

/// A step was repeated: logs it only if the result differs from the logged one.
fn log_again(screen: &mut PlanScreen, cx: &mut Cx, source: Source, words: String, resource: &ResourceId) {
    let (run, log_of) = (screen.run, &mut cx.log);
    let repeat = screen.phase.run_mut().and_then(|run| run.repeat.as_mut());
    let number = repeat.and_then(|it| it.logged.get_or_insert_with(|| log_of.valid_lines()).remove(resource));
    let is_logged = number.is_some_and(|number| log_of.confirm(number, &words, run));
    if !is_logged {
        log(screen, cx, source, words, Some(resource));
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

fn paused(screen: &mut PlanScreen, cx: &mut Cx, event: &Event, why: Pause) {
    // The process that was attached before asked for it, or it lost that process.
    let was_asked = match &mut screen.phase {
        Phase::Live(live) => std::mem::take(&mut live.stops) > 0,
        _ => true,
    };
    let was_reported = screen.list.rows.run.end == End::Reported;
    let (before, was_finished) = (screen.next_id().cloned(), screen.is_finished());
    screen.list.rows.run.on_event(event);
    let is_at_end = screen.next_id().is_none() && why == Pause::End;
    if (was_finished || was_reported) != is_at_end {
        summary::group(screen);
    }
    let is_first = screen.program.as_ref().is_none_or(|program| is_first(&program.graph, &screen.list.rows.run.ready));
    let (next, moved) = (screen.next_id().cloned(), before.as_ref() != screen.next_id());
    let Some(run) = screen.phase.run_mut() else { return };
    run.is_first = is_first;
    // Another step ran since, or this one was stepped back: then the order decided.
    let left = run.repeat.as_ref().map_or(0, |repeat| repeat.left);
    let picked = run.picked.as_ref().map(|(id, _)| id).filter(|_| left <= 1);
    if picked.is_some() && (next.is_none() || (moved && picked != next.as_ref())) {
        run.picked = None;
    }
    if let Some(request) = edit_retry::way_back(screen, &why) {
        return cx.effect(screen.request(request));
    }
    let Some(run) = screen.phase.run_mut() else { return };
    if let Some(repeat) = &mut run.repeat {
        repeat.left = left.saturating_sub(1);
        if left > 1 {
            return;
        }
        repeat.logged = None;
    }
    if let Some(request) = watch::paused(screen, why.clone(), cx.jobs.clock) {
        return cx.effect(screen.request(request));
    }
    let suspended = match (&why, &next) {
        (Pause::Stopped, _) | (_, None) => screen.phase.live_mut().and_then(|live| live.suspended.take()),
        _ => None,
    };
    if let Some(request) = next.as_ref().and_then(|_| next_request(screen, &why, suspended)) {
        return cx.effect(screen.request(request));
    }
    let Some(run) = screen.phase.run_mut() else { return };
    run.busy = None;
    let goes = run.repeat.take().and_then(|repeat| repeat.goes).unwrap_or(moved);
    if let Some(next) = next.filter(|_| goes)
        && screen.list.show(&next)
    {
        screen.cursor.is_moved = false;
        screen.shows.panes = Default::default();
    }
    if why == Pause::Failure {
        select_failed(screen);
    }
    let stop = match &why {
        Pause::Breakpoint => {
            let when = screen.next_id().and_then(|id| screen.stopping(id));
            let when = when.map(|when| format!(": {}", text::safe(when))).unwrap_or_default();
            Some((Role::Note, format!("stopped at a breakpoint{when}")))
        }
        Pause::Failure if screen.phase.is_live() => {
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
        cx.show_notice(role, words);
    }
    watch::look(screen, cx)
}

/// The request that follows a pause without a key.
fn next_request(state: &mut State, why: &Pause, suspended: Option<DryRequest>) -> Option<DryRequest> {
    let never_stops = state.breaks.break_mode == BreakMode::Never;
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
    let failed = state.last_failure().filter(|_| !state.cursor_failed()).cloned();
    if failed.is_some_and(|id| state.list.show(&id)) {
        state.shows.panes = Default::default();
    }
}
