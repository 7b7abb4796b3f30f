//! Plans the shown program: when a plan is made, and how it replaces the one before.

use std::sync::Arc;

use super::cursor::look_around;
use super::phase::{DryRun, Phase, Run};
use super::{State, breaks, cursor, edit_retry, live, observe, redo, skip, summary, watch};
use crate::graph::ResourceId;
use crate::graph::delta::delta;
use crate::plan::Plan;
use crate::tui::cx::{Cx, Pending};
use crate::tui::{
    effect::Effect, layer::question::Answer, look::Role, message::Job, parity, program::Program, screen::ScreenId,
    screen::step::PlanScreen,
};

pub(super) fn open(screen: &mut PlanScreen, cx: &mut Cx) {
    (cx.screen, cx.typing.pending) = (ScreenId::Step, Pending::default());
    entered(screen, cx)
}

/// Makes a plan if there is none of the newest program.
pub fn entered(screen: &mut PlanScreen, cx: &mut Cx) {
    live::offer(screen, cx);
    plan_if_none(screen, cx)
}

/// The same, without an offer.
pub(super) fn plan_if_none(screen: &mut PlanScreen, cx: &mut Cx) {
    adopt(screen, cx);
    if cx.events.is_on() && reopens(screen) && !screen.phase.is_live() && !cx.plans_shown(screen) {
        return redo::reopen(screen, cx);
    }
    let fresh = screen.is_loaded() && (cx.plans_shown(screen) || screen.has_turned());
    if !fresh && !screen.phase.is_live() && !cx.is_working(Job::Plan) {
        plan(screen, cx);
    }
}

/// The shown event has the same graph as the plan: the plan now belongs to it, and its steps stay, also live ones.
fn adopt(screen: &mut PlanScreen, cx: &mut Cx) {
    let Some((planned, shown)) = screen.program.as_ref().zip(cx.events.program()) else { return };
    if !Arc::ptr_eq(&planned.graph, &shown.graph) && delta(&planned.graph, &shown.graph).is_empty() {
        let shown = shown.clone();
        reads(screen, shown);
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
pub fn graph_differs(screen: &mut PlanScreen, cx: &mut Cx) {
    if cx.screen != ScreenId::Step || screen.phase.is_live() {
        return;
    }
    // The user is answering a question; and a failure stays visible until the user makes a new plan.
    screen.cursor.is_behind = is_typing(cx);
    if screen.cursor.is_behind || (screen.phase.ended().is_some() && screen.list.rows.run.counts().failed > 0) {
        return;
    }
    adopt(screen, cx);
    if reopens(screen) && !cx.plans_shown(screen) {
        return redo::reopen(screen, cx);
    }
    entered(screen, cx)
}

/// Whether the changes of an event become pending in the shown plan: it has steps that ran, or its resources are
/// watched.
fn reopens(state: &State) -> bool {
    state.has_turned() || state.watch.is_on()
}

/// Handles what arrived while the user was typing.
pub fn catch_up(screen: &mut PlanScreen, cx: &mut Cx) {
    if is_typing(cx) {
        return;
    }
    if screen.cursor.is_behind {
        graph_differs(screen, cx);
    }
    watch::catch_up(screen, cx);
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
pub fn asked(screen: &mut PlanScreen, cx: &mut Cx) {
    if let Some(why) = why_not(cx) {
        if let Phase::Ended(ended) = &mut screen.phase {
            ended.retries = None;
        }
        let has_errors = cx.programs.newest.as_ref().is_some_and(|program| program.has_errors());
        cx.show_notice(if has_errors { Role::Error } else { Role::Note }, why);
    }
    plan(screen, cx)
}

pub fn plan(screen: &mut PlanScreen, cx: &mut Cx) {
    let shown = cx.events.program().or(cx.programs.newest.as_ref());
    let Some(program) = shown.cloned().filter(|program| !program.has_errors() && !program.graph.is_empty()) else {
        // Queued keys would meet another plan.
        if !cx.is_working(Job::Compile) {
            super::forget_keys(screen);
        }
        return;
    };
    if cx.is_working(Job::Plan) || screen.phase.is_live() {
        return;
    }
    cx.start(Job::Plan);
    cx.log_command(format!("workbench preview {}", parity::entry_words(cx)));
    cx.effect(Effect::Plan { program, turn: cx.programs.turn })
}

/// There will be no plan: drops the questions that wait for it.
pub fn not_planned(step: &mut State) {
    (step.later.asks_to_resume, step.later.resumes_next) = (false, false);
}

/// A plan is ready: its rows replace the old ones, and a run over the same graph waits for its first request.
pub fn planned(screen: &mut PlanScreen, cx: &mut Cx, program: Arc<Program>, plan: Arc<Plan>, turn: u64) {
    // Keys that were pressed while another plan was shown belong to that plan.
    let pressed = if screen.is_loaded() { vec![] } else { std::mem::take(&mut screen.keys) };
    let kept = screen.cursor_id().cloned();
    let old = screen.program.replace(program.clone());
    let is_another = |before: &Arc<Plan>| before.plan != plan.plan;
    let is_edited = old.as_ref().is_some_and(|old| !Arc::ptr_eq(old, &program));
    if is_edited && screen.plan.as_ref().is_some_and(is_another) {
        screen.previous = screen.plan.take();
    }
    screen.plan = Some(plan);
    screen.turn = turn;
    watch::planned(screen, cx, &program);
    let noted = note(screen, cx);
    let resumes_next = std::mem::take(&mut screen.later.resumes_next);
    let asks_to_resume = std::mem::take(&mut screen.later.asks_to_resume) || resumes_next;
    report_new_plan(screen, cx, old.as_deref(), &program);
    let is_rest = screen.phase.ended().is_some();
    reset(screen);
    let rest = screen.phase.take_rest();
    screen.phase = Phase::Dry(DryRun { run: Run::starting(), rest });
    screen.keys = pressed;
    live::withdraw(cx);
    screen.list.at.cursor = kept.and_then(|id| screen.list.rows.position(&id)).unwrap_or(0);
    screen.breaks.breakpoints.retain(|id| screen.list.rows.find(id).is_some());
    cx.effect(Effect::StartRun { program, run: screen.run });
    cx.typing.effects.extend(noted);
    skip::renew(screen, cx);
    breaks::renew(screen, cx);
    redo::take_up(screen, cx);
    redo::again(screen, cx, old.as_deref());
    if asks_to_resume {
        live::resume(screen, cx);
    } else {
        live::offer(screen, cx);
    }
    edit_retry::planned(screen, cx, is_rest);
    watch::show(screen, cx);
    if cx.events.is_on() {
        // An event may have arrived meanwhile.
        graph_differs(screen, cx);
    }
}

/// Breakpoints, skips and an unfinished dry run were restored after the plan was made.
pub fn restored(screen: &mut PlanScreen, cx: &mut Cx) {
    if !screen.is_loaded() || screen.phase.is_live() {
        return;
    }
    skip::renew(screen, cx);
    breaks::renew(screen, cx);
    if !screen.has_turned() && !screen.is_running() {
        redo::take_up(screen, cx);
        redo::again(screen, cx, None);
    }
}

/// Reports the differences of another program's graph, if a run with steps starts again with it.
fn report_new_plan(screen: &mut PlanScreen, cx: &mut Cx, old: Option<&Program>, program: &Program) {
    let Some(old) = old.filter(|_| screen.has_turned() && !screen.is_to_redo()) else { return };
    let words = redo::differences(old, program);
    if !Arc::ptr_eq(&old.graph, &program.graph) {
        cx.show_notice(Role::Note, format!("new plan{words}"));
    }
}

/// The program was read again without a change: the plan now belongs to it, and uses its source places.
pub fn read_again(screen: &mut PlanScreen, cx: &mut Cx) {
    let is_in_use = (screen.has_turned() || !screen.phase.is_dry()) && !cx.events.is_on();
    let is_in_use = is_in_use && screen.phase.shown().is_none_or(|shown| shown.of_other.is_none());
    let newest = cx
        .programs
        .newest
        .clone()
        .filter(|newest| is_in_use && !newest.has_errors() && screen.turn != cx.programs.turn);
    let (Some(newest), Some(planned)) = (newest, &screen.program) else { return };
    let differing = observe::differing(planned, &newest);
    if differing.as_ref().is_none_or(|differing| !differing.is_empty()) {
        return differs(screen, cx, differing.is_some());
    }
    reads(screen, newest);
    screen.turn = cx.programs.turn;
}

/// The program changed during a dry run, which continues as planned.
fn differs(screen: &mut PlanScreen, cx: &mut Cx, is_of_one_shape: bool) {
    // An edit from here is handled on its own.
    let phase = &screen.phase;
    let is_edited = screen.is_to_redo() || phase.live().is_some_and(|live| live.edit.is_edited());
    if is_edited || cx.programs.plans_next || (!phase.is_dry() && phase.live().is_none()) {
        return;
    }
    if phase.live().is_some() {
        let words = match edit_retry::may_amend(screen, cx) {
            Some(id) => {
                format!("{id} was edited: r retries it with the edit, after a question")
            }
            None => "the source changed; the run keeps the old version, p ends it and makes a new plan".into(),
        };
        return cx.announce(Role::Warning, words);
    }
    let ways = match is_of_one_shape {
        true => "Ctrl-r re-checks the selected resource",
        false => "Ctrl-r plans again and returns here",
    };
    let words = format!("the source changed: p makes a new plan, {ways}");
    cx.announce(Role::Warning, words);
}

/// Records the plan, unless it equals the one before. A screenshot records nothing, and neither does a plan that an
/// event caused.
fn note(screen: &mut PlanScreen, cx: &mut Cx) -> Option<Effect> {
    if !cx.project.can_apply || cx.events.is_on() || screen.watch.is_asked() || cx.tutor.is_some() {
        return None;
    }
    let plan = screen.plan.clone()?;
    let is_unread = screen.later.noted.as_ref() != Some(&plan.plan);
    screen.later.noted = Some(plan.plan.clone());
    is_unread.then_some(Effect::NotePlan(plan))
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
    // Earlier keys wait for the run's start.
    state.keys.clear();
    state.taken.clear();
    state.breaks.sent_breaks.clear();
    state.run += 1;
}
