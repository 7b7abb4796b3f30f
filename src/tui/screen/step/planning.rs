//! Plans the shown program: when a plan is made, and how it replaces the one before.

use std::sync::Arc;

use super::cursor::look_around;
use super::live::Phase;
use super::{State, breaks, cursor, edit_retry, live, observe, redo, reopen, skip, summary, unfinished, watch};
use crate::graph::ResourceId;
use crate::graph::delta::delta;
use crate::plan::Plan;
use crate::tui::effect::Effect;

use crate::tui::cx::Cx;
use crate::tui::layer::question::Answer;
use crate::tui::look::Role;
use crate::tui::message::Job;
use crate::tui::parity;
use crate::tui::program::Program;
use crate::tui::screen::ScreenId;
use crate::tui::screen::log::Source;
use crate::tui::state::State as Tui;

/// Makes a plan if there is none of the newest program.
pub fn entered(tui: &mut Tui) -> Vec<Effect> {
    live::offer(tui);
    plan_if_none(tui)
}

/// The same, without an offer.
pub(super) fn plan_if_none(tui: &mut Tui) -> Vec<Effect> {
    adopt(tui);
    if tui.cx.events.is_on()
        && reopens(&tui.screens.step)
        && !tui.screens.step.live.is_live()
        && !tui.cx.plans_shown(&tui.screens.step)
    {
        return reopen::reopen(tui);
    }
    let fresh =
        tui.screens.step.is_loaded() && (tui.cx.plans_shown(&tui.screens.step) || tui.screens.step.has_turned());
    if fresh || tui.screens.step.live.is_live() || tui.cx.is_working(Job::Plan) { vec![] } else { plan(tui) }
}

/// The shown event has the same graph as the plan: the plan now belongs to it, and its steps stay, also live ones.
fn adopt(tui: &mut Tui) {
    let Some((planned, shown)) = tui.screens.step.program.as_ref().zip(tui.cx.events.program()) else { return };
    if !Arc::ptr_eq(&planned.graph, &shown.graph) && delta(&planned.graph, &shown.graph).is_empty() {
        let shown = shown.clone();
        reads(&mut tui.screens.step, shown);
    }
}

/// The shown plan belongs to this program from now on, and uses its source places.
pub(super) fn reads(state: &mut State, program: Arc<Program>) {
    let source = |id: &ResourceId| program.graph.resource(program.graph.find(id)?)?.source.clone();
    if let Some(plan) =
        state.plan.as_mut().filter(|plan| plan.steps.iter().any(|one| one.source != source(&one.resource)))
    {
        Arc::make_mut(plan).steps.iter_mut().for_each(|step| step.source = source(&step.resource));
        state.list.rows.moved(source);
    }
    state.program = Some(program);
}

/// An event changed the graph, or the watch ended: a plan without steps is made again; with steps, the differences
/// become pending.
pub fn graph_differs(tui: &mut Tui) -> Vec<Effect> {
    if tui.cx.screen != ScreenId::Step || tui.screens.step.live.is_live() {
        return vec![];
    }
    // The user is answering a question; and a failure stays visible until the user makes a new plan.
    tui.screens.step.cursor.is_behind = is_typing(&tui.cx);
    if tui.screens.step.cursor.is_behind
        || (tui.screens.step.live.phase == Phase::Over && tui.screens.step.list.rows.run.counts().failed > 0)
    {
        return vec![];
    }
    adopt(tui);
    if reopens(&tui.screens.step) && !tui.cx.plans_shown(&tui.screens.step) {
        return reopen::reopen(tui);
    }
    entered(tui)
}

/// Whether the changes of an event become pending in the shown plan: it has steps that ran, or its resources are
/// watched.
fn reopens(state: &State) -> bool {
    state.has_turned() || state.watch.is_on()
}

/// Handles what arrived while the user was typing.
pub fn catch_up(tui: &mut Tui) -> Vec<Effect> {
    if is_typing(&tui.cx) {
        return vec![];
    }
    let mut effects = if tui.screens.step.cursor.is_behind { graph_differs(tui) } else { vec![] };
    effects.extend(watch::catch_up(tui));
    effects
}

pub(super) fn is_typing(cx: &Cx) -> bool {
    cx.layers.all().any(|layer| layer.question().is_some_and(|question| matches!(question.answer, Answer::Word { .. })))
}

/// Why no plan can be made, and what to do.
pub fn why_not(cx: &Cx) -> Option<String> {
    let program = cx.events.program().or(cx.programs.newest.as_ref())?;
    if program.has_errors() {
        return Some(program.errors_words());
    }
    if let Some(newest) = cx.programs.newest.as_ref().filter(|newest| program.graph.is_empty() && newest.has_errors()) {
        return Some(newest.errors_words());
    }
    program.graph.is_empty().then(|| "the program declares no resources".into())
}

/// Makes a new plan on request, or shows why not.
pub fn asked(tui: &mut Tui) -> Vec<Effect> {
    if let Some(why) = why_not(&tui.cx) {
        tui.screens.step.live.edit.edit_retry.gives_up();
        let has_errors = tui.cx.programs.newest.as_ref().is_some_and(|program| program.has_errors());
        tui.cx.show_notice(if has_errors { Role::Error } else { Role::Note }, why);
    }
    plan(tui)
}

/// Makes a new plan.
pub fn plan(tui: &mut Tui) -> Vec<Effect> {
    let shown = tui.cx.events.program().or(tui.cx.programs.newest.as_ref());
    let Some(program) = shown.cloned().filter(|program| !program.has_errors() && !program.graph.is_empty()) else {
        // Queued keys would meet another plan.
        if !tui.cx.is_working(Job::Compile) {
            super::forget_keys(tui);
        }
        return vec![];
    };
    if tui.cx.is_working(Job::Plan) || tui.screens.step.live.is_live() {
        return vec![];
    }
    tui.cx.start(Job::Plan);
    tui.cx.log_command(format!("workbench preview {}", parity::entry_words(&tui.cx)));
    vec![Effect::Plan { program, turn: tui.cx.programs.turn }]
}

/// There will be no plan: drops the questions that wait for it.
pub fn not_planned(step: &mut State) {
    (step.live.asks_to_resume, step.later.resumes_next) = (false, false);
}

/// A plan is ready: its rows replace the old ones, and a run over the same graph waits for its first request.
pub fn planned(tui: &mut Tui, program: Arc<Program>, plan: Arc<Plan>, turn: u64) -> Vec<Effect> {
    let state = &mut tui.screens.step;
    // Keys that were pressed while another plan was shown belong to that plan.
    let pressed = if state.is_loaded() { vec![] } else { std::mem::take(&mut state.queue.put_off) };
    let kept = state.cursor_id().cloned();
    let old = state.program.replace(program.clone());
    let is_another = |before: &Arc<Plan>| before.plan != plan.plan;
    let is_edited = old.as_ref().is_some_and(|old| !Arc::ptr_eq(old, &program));
    if is_edited && state.plan.as_ref().is_some_and(is_another) {
        state.previous = state.plan.take();
    }
    state.plan = Some(plan);
    state.turn = turn;
    let mut effects = watch::planned(tui, &program);
    let noted = note(tui);
    let resumes_next = std::mem::take(&mut tui.screens.step.later.resumes_next);
    let asks_to_resume = std::mem::take(&mut tui.screens.step.live.asks_to_resume) || resumes_next;
    tui.screens.step.live.disarm();
    begins_anew(tui, old.as_deref(), &program);
    reset(&mut tui.screens.step);
    tui.screens.step.queue.put_off = pressed;
    live::withdraw(tui);
    let state = &mut tui.screens.step;
    state.list.at.cursor = kept.and_then(|id| state.list.rows.position(&id)).unwrap_or(0);
    state.breaks.breakpoints.retain(|id| state.list.rows.find(id).is_some());
    effects.push(Effect::StartRun { program, run: state.run });
    effects.extend(noted);
    effects.extend(skip::renew(tui));
    effects.extend(breaks::renew(tui));
    unfinished::take_up(tui);
    effects.extend(redo::again(tui, old.as_deref()));
    if asks_to_resume {
        effects.extend(live::resume(tui));
    } else {
        live::offer(tui);
    }
    effects.extend(edit_retry::planned(tui));
    watch::show(tui);
    if tui.cx.events.is_on() {
        // An event may have arrived meanwhile.
        effects.extend(graph_differs(tui));
    }
    effects
}

/// Breakpoints, skips and an unfinished dry run were restored after the plan was made.
pub fn restored(tui: &mut Tui) -> Vec<Effect> {
    if !tui.screens.step.is_loaded() || tui.screens.step.live.is_live() {
        return vec![];
    }
    let mut effects = skip::renew(tui);
    effects.extend(breaks::renew(tui));
    if !tui.screens.step.has_turned() && !tui.screens.step.running {
        unfinished::take_up(tui);
        effects.extend(redo::again(tui, None));
    }
    effects
}

/// Reports the differences of another program's graph, if a run with steps starts again with it.
fn begins_anew(tui: &mut Tui, old: Option<&Program>, program: &Program) {
    let Some(old) = old.filter(|_| tui.screens.step.has_turned() && !tui.screens.step.is_to_redo()) else { return };
    let words = redo::differences(old, program);
    if !Arc::ptr_eq(&old.graph, &program.graph) {
        tui.cx.show_notice(Role::Note, format!("new plan{words}"));
    }
}

/// The program was read again without a change: the plan now belongs to it, and uses its source places.
pub fn read_again(tui: &mut Tui) {
    let state = &tui.screens.step;
    let is_in_use = (state.has_turned() || state.live.shows_live()) && !tui.cx.events.is_on();
    let is_in_use = is_in_use && state.live.shown.of_other.is_none();
    let newest = tui
        .cx
        .programs
        .newest
        .clone()
        .filter(|newest| is_in_use && !newest.has_errors() && state.turn != tui.cx.programs.turn);
    let (Some(newest), Some(planned)) = (newest, &state.program) else { return };
    let differing = observe::differing(planned, &newest);
    if differing.as_ref().is_none_or(|differing| !differing.is_empty()) {
        return differs(tui, differing.is_some());
    }
    reads(&mut tui.screens.step, newest);
    tui.screens.step.turn = tui.cx.programs.turn;
}

/// The program changed during a dry run, which continues as planned.
fn differs(tui: &mut Tui, is_of_one_shape: bool) {
    // An edit from here is handled on its own.
    let live = &tui.screens.step.live;
    let is_edited = tui.screens.step.is_to_redo() || live.edit.edit_retry.is_edited();
    if is_edited || tui.cx.programs.plans_next || (live.shows_live() && live.phase != Phase::Live) {
        return;
    }
    if live.phase == Phase::Live {
        let words = match edit_retry::may_amend(tui) {
            Some(id) => {
                format!("{id} was edited: r retries it with the edit, after a question")
            }
            None => "the source changed; the run keeps the old version, p ends it and makes a new plan".into(),
        };
        tui.cx.report(Source::Run, words.clone());
        return tui.cx.show_notice(Role::Warning, words);
    }
    let ways = match is_of_one_shape {
        true => "Ctrl-r re-checks the selected resource",
        false => "Ctrl-r plans again and returns here",
    };
    let words = format!("the source changed: p makes a new plan, {ways}");
    tui.cx.report(Source::Run, words.clone());
    tui.cx.show_notice(Role::Warning, words);
}

/// Records the plan, unless it equals the one before. A screenshot records nothing, and neither does a plan that an
/// event caused.
fn note(tui: &mut Tui) -> Option<Effect> {
    if !tui.cx.project.can_apply || tui.cx.events.is_on() || tui.screens.step.watch.is_asked() || tui.cx.tutor.is_some()
    {
        return None;
    }
    let plan = tui.screens.step.plan.clone()?;
    let is_news = tui.screens.step.later.noted.as_ref() != Some(&plan.plan);
    tui.screens.step.later.noted = Some(plan.plan.clone());
    is_news.then_some(Effect::NotePlan(plan))
}

/// The plan before its first step; events of an earlier run are ignored.
pub(super) fn reset(state: &mut State) {
    let Some(plan) = &state.plan else { return };
    let graph = state.program.as_ref().map(|program| program.graph.clone());
    state.list.rows.replaced(plan, graph.as_deref());
    (state.shows.against, state.shows.compared) = (None, None);
    summary::group(state);
    look_around(state, state.shows.only.clone());
    cursor::filter_again(state);
    (state.shows.summary, state.shows.whole_diff) = (true, false);
    // The run reports when it has started; earlier keys wait for that.
    (state.running, state.queue.stepping) = (true, true);
    (state.queue.queued_steps, state.finished, state.again.redoing) = (0, false, 0);
    state.again.logged = None;
    state.queue.put_off.clear();
    state.cursor.picked = None;
    state.again.taken.clear();
    state.breaks.sent_breaks.clear();
    state.run += 1;
}
