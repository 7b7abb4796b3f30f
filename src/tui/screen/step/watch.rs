//! Watches the applied resources: drift becomes a pending dry step, with its changes.
//!
//! The watch applies nothing: the next run is dry, and waits before the touched resource. A touched resource is
//! compared with its applied declaration, but the plan is of the current program, which may have changed by events.
//! Those changes are not reported as drift.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use super::data::{Advance, Applied, Check};
use super::phase::{Busy, DryRequest, Run};
use super::{State as Step, is_idle, planning};
use crate::engine::message::Pause;
use crate::graph::ResourceId;
use crate::graph::delta::{Delta, delta};
use crate::session::Drift;
pub use crate::tui::screen::step::data::Watch as State;
use crate::tui::{
    cx::Cx, effect::Effect, look::Role, message::Job, program::Program, screen::log::Source, screen::step::PlanScreen,
};

impl State {
    pub fn is_on(&self) -> bool {
        matches!(self.applied, Applied::Watched(_))
    }

    /// Whether a touched resource waits for the user to stop typing.
    pub fn is_behind(&self) -> bool {
        self.is_behind
    }

    /// Whether the run came this far by itself, for this drifted resource.
    pub(super) fn brought(&self, turned: usize, next: Option<&ResourceId>) -> bool {
        let is_foreign = |id: &ResourceId| self.differ.contains(id) && !self.program_changed.contains(id);
        self.is_on() && self.rests == turned && next.is_some_and(is_foreign)
    }

    /// Whether the user did not ask for the plan that will be shown.
    pub(super) fn is_asked(&self) -> bool {
        matches!(self.check, Check::Planned)
    }

    fn program(&self) -> Option<&Arc<Program>> {
        match &self.applied {
            Applied::Watched(program) => Some(program),
            _ => None,
        }
    }

    /// Below the end of a run: what is watched, and what is not.
    pub(super) fn words(&self) -> Option<String> {
        let (watched, of) = self.watched.filter(|_| self.is_on())?;
        let rest = match of - watched {
            0 => String::new(),
            1 => " p checks the other one too.".into(),
            rest => format!(" p checks the other {rest} too."),
        };
        let event = if self.program_changed.is_empty() { "" } else { " for drift" };
        Some(format!("Watching {watched} of {of}{event}.{rest} A changed resource becomes pending. w stops watching."))
    }
}

/// All resources were applied: starts the watch.
pub(super) fn begin(screen: &mut PlanScreen, cx: &mut Cx) {
    let Some(program) = screen.program.clone() else { return };
    let watch = &mut screen.watch;
    *watch = State { run: watch.run + 1, applied: Applied::Watched(Arc::clone(&program)), ..State::default() };
    cx.effect(Effect::WatchDrift { graph: Arc::clone(&program.graph), run: watch.run })
}

/// Ends the watch: later changes come from this session.
pub(super) fn end(screen: &mut PlanScreen, cx: &mut Cx) {
    let watch = &mut screen.watch;
    let was_on = watch.is_on();
    *watch = State { run: watch.run, ..State::default() };
    if was_on {
        cx.effect(Effect::EndDrift(watch.run))
    }
}

/// Stops watching while the undo of the watched deploy is undecided.
pub(super) fn hold(screen: &mut PlanScreen, cx: &mut Cx) {
    stop(&mut screen.watch, cx, Applied::Held)
}

/// Stops watching until the user starts it again.
pub fn pause(screen: &mut PlanScreen, cx: &mut Cx) {
    stop(&mut screen.watch, cx, Applied::Paused)
}

fn stop(watch: &mut State, cx: &mut Cx, into: fn(Arc<Program>) -> Applied) {
    let Some(program) = watch.program().cloned() else { return };
    watch.applied = into(program);
    cx.effect(Effect::EndDrift(watch.run))
}

/// The undo did not happen: watches again.
pub(super) fn release(screen: &mut PlanScreen, cx: &mut Cx) {
    if matches!(screen.watch.applied, Applied::Held(_)) {
        resume(screen, cx)
    }
}

/// Watches again.
pub fn resume(screen: &mut PlanScreen, cx: &mut Cx) {
    let watch = &mut screen.watch;
    let (Applied::Held(program) | Applied::Paused(program)) = &watch.applied else { return };
    let program = Arc::clone(program);
    let graph = Arc::clone(&program.graph);
    (watch.applied, watch.run) = (Applied::Watched(program), watch.run + 1);
    cx.effect(Effect::WatchDrift { graph, run: watch.run })
}

pub fn on_drift(screen: &mut PlanScreen, cx: &mut Cx, run: u64, drift: Drift) {
    let watch = &mut screen.watch;
    if run != watch.run || !watch.is_on() {
        return cx.effect(Effect::EndDrift(run));
    }
    match drift {
        Drift::Watching { watched, of } => {
            watch.watched = Some((watched, of));
            let words = format!("watching {watched} of {of} resources: drift is reported, not repaired");
            cx.report(Source::Run, words);
        }
        Drift::Touched(touched) => {
            watch.asked.retain(|id| !touched.contains(id));
            watch.touched.extend(touched.iter().cloned());
            for id in touched {
                cx.report(Source::Run, format!("{id}  was changed outside workbench"));
            }
            look(screen, cx)
        }
    }
}

/// Plans the current state if a resource was touched; waits if the user is stepping.
pub(super) fn look(screen: &mut PlanScreen, cx: &mut Cx) {
    let is_busy = screen.phase.is_live() || screen.is_running() || cx.is_working(Job::Plan);
    if is_busy || !screen.watch.is_on() || screen.watch.touched.is_empty() {
        return;
    }
    // The user's further keys would act on the screen if the question were gone.
    screen.watch.is_behind = planning::is_typing(cx);
    if screen.watch.is_behind {
        return;
    }
    if screen.phase.is_dry() && screen.list.rows.turned() != screen.watch.rests {
        let mut touched = std::mem::take(&mut screen.watch.touched);
        let again = if touched.is_subset(&screen.watch.differ) { " again" } else { "" };
        let words = format!("Drift: {} changed{again}; p makes a new plan", named(&touched, &touched));
        screen.watch.differ.append(&mut touched);
        return cx.show_notice(Role::Warning, words);
    }
    plan(screen, cx)
}

/// Checks the resources that were touched while the user was typing.
pub(super) fn catch_up(screen: &mut PlanScreen, cx: &mut Cx) {
    if screen.watch.is_behind {
        look(screen, cx)
    }
}

/// Plans the current program: that of the shown event, else the applied one.
fn plan(screen: &mut PlanScreen, cx: &mut Cx) {
    let shown = cx.events.program().filter(|program| !program.has_errors() && !program.graph.is_empty());
    let turn = if shown.is_some() { cx.programs.turn } else { screen.turn };
    let Some(program) = shown.or(screen.program.as_ref()).cloned() else { return };
    let watch = &mut screen.watch;
    (watch.check, watch.asked) = (Check::Planning(Arc::clone(&program)), watch.touched.clone());
    cx.start(Job::Plan);
    cx.effect(Effect::Plan { program, turn })
}

/// An event is about to make steps pending again. If it restores the applied program, the watch checks the resources,
/// and no step becomes pending. Returns whether it does.
pub(super) fn reopens(screen: &mut PlanScreen, cx: &mut Cx, program: &Arc<Program>) -> bool {
    let Some(put) = screen.watch.program() else { return false };
    let delta = against(put, program);
    if delta.is_empty() {
        plan(screen, cx);
        return true;
    }
    let program_changed = delta.resources.into_iter().map(|(id, _)| id).collect();
    screen.watch.event = Some((Arc::clone(program), program_changed));
    if !screen.phase.is_dry() || screen.list.rows.turned() == screen.watch.rests {
        screen.watch.advance = Advance::AfterEvent;
    }
    false
}

/// The differences between a program and the applied one. Graphs may be large: identical ones are not compared.
fn against(put: &Program, wanted: &Program) -> Delta {
    if Arc::ptr_eq(&put.graph, &wanted.graph) { Delta::default() } else { delta(&put.graph, &wanted.graph) }
}

/// A plan is ready: whether it was requested here. A plan of another program ends the watch, unless an event caused it.
pub(super) fn planned(screen: &mut PlanScreen, cx: &mut Cx, program: &Arc<Program>) {
    let watch = &mut screen.watch;
    let is_same = |other: &Arc<Program>| Arc::ptr_eq(other, program);
    let is_asked = matches!(&watch.check, Check::Planning(planned) if is_same(planned));
    watch.check = if is_asked { Check::Planned } else { Check::None };
    let stays = is_asked || cx.events.is_on() || watch.program().is_some_and(is_same);
    if !stays && matches!(&watch.applied, Applied::Paused(applied) if !is_same(applied)) {
        watch.applied = Applied::Nothing;
    }
    if !stays && watch.is_on() {
        end(screen, cx);
    }
}

/// The plan is shown: the run continues to the first touched resource that has drifted, or that an event changed.
/// Resources that drifted earlier still count: the run would otherwise restore them in the overlay.
pub(super) fn show(screen: &mut PlanScreen, cx: &mut Cx) {
    let (Some(put), Some(wanted)) = (screen.watch.program(), &screen.program) else { return };
    let (put, wanted) = (Arc::clone(put), Arc::clone(wanted));
    let known = screen.watch.event.take().filter(|(program, _)| Arc::ptr_eq(program, &wanted));
    let compared = || against(&put, &wanted).resources.into_iter().map(|(id, _)| id).collect();
    screen.watch.program_changed = known.map_or_else(compared, |(_, program_changed)| program_changed);
    let advance = std::mem::take(&mut screen.watch.advance);
    if screen.phase.run().is_some_and(Run::repeats) {
        screen.watch.advance = if advance == Advance::AfterEvent { Advance::Going } else { Advance::None };
        return;
    }
    screen.watch.rests = 0;
    if !matches!(std::mem::take(&mut screen.watch.check), Check::Planned) {
        return;
    }
    let asked = std::mem::take(&mut screen.watch.asked);
    screen.watch.touched.retain(|id| !asked.contains(id));
    let open = screen.plan.iter().flat_map(|plan| &plan.steps).filter(|one| !is_idle(one)).map(|one| &one.resource);
    let open: BTreeSet<ResourceId> = open.cloned().collect();
    let watch = &mut screen.watch;
    watch.differ.extend(asked.iter().cloned());
    // No current plan shows whether a changed declaration is still as applied.
    watch.differ.retain(|id| open.contains(id) || watch.program_changed.contains(id));
    let is_ahead = |id: &&ResourceId| watch.differ.contains(*id) || watch.program_changed.contains(*id);
    let in_order = |id: &&ResourceId| screen.list.rows.find(id).map(|row| row.more.planned);
    let first = open.iter().filter(is_ahead).min_by_key(in_order).cloned();
    watch.advance = first.clone().map_or(Advance::None, Advance::To);
    if let Some(first) = first {
        if let Some(at) = screen.list.rows.position(&first) {
            screen.list.at.cursor = at;
        }
        screen.shows.summary = false;
    }
    let (role, words) = found(screen, cx, &asked);
    cx.announce(role, words);
}

/// The result of a check of touched resources.
fn found(screen: &PlanScreen, cx: &Cx, asked: &BTreeSet<ResourceId>) -> (Role, String) {
    let watch = &screen.watch;
    let foreign: BTreeSet<_> = watch.differ.difference(&watch.program_changed).cloned().collect();
    let deploy = screen.live.put.as_ref().map(|put| put.deploy);
    let back = deploy.map(|deploy| format!(", u undo deploy {deploy}")).unwrap_or_default();
    if !foreign.is_empty() {
        let named = named(asked, &foreign);
        let words = match cx.events.errors_in_words() {
            Some(why) => format!("Drift: {named} changed; {why}; the last good plan is used"),
            None => format!("Drift: {named} changed. s preview, A apply{back}"),
        };
        return (Role::Warning, words);
    }
    if !watch.differ.is_empty() {
        let words = "changed outside workbench, and its declaration changed";
        return (Role::Warning, format!("{}: {words}", named(asked, &watch.differ)));
    }
    let by = deploy.map(|deploy| format!(" as in deploy {deploy}")).unwrap_or_default();
    let words = match (asked.is_empty(), screen.has_work()) {
        (false, _) => "all drift is gone".to_string(),
        (true, false) => format!("the input is back: everything is{by} again"),
        (true, true) => format!("the input is back: the program is{by} again"),
    };
    (Role::Good, words)
}

/// Continues to the touched resource once the plan's run waits; and remembers where it stopped.
pub(super) fn paused(step: &mut Step, why: Pause, now: Duration) -> Option<DryRequest> {
    let until = match std::mem::take(&mut step.watch.advance) {
        Advance::To(until) if why == Pause::Start && step.next_id() != Some(&until) => until,
        Advance::Going => {
            step.watch.rests = step.list.rows.turned();
            return None;
        }
        Advance::AfterEvent => {
            step.watch.advance = Advance::AfterEvent;
            return None;
        }
        Advance::None | Advance::To(_) => return None,
    };
    step.watch.advance = Advance::Going;
    let request = DryRequest::Continue { until: Some(until) };
    if let Some(run) = step.phase.run_mut() {
        run.busy = Some(Busy::Going { request: request.clone(), since: now, follows: false });
    }
    Some(request)
}

/// The name of one of them, and how many more: those touched just now come before earlier ones.
fn named(touched: &BTreeSet<ResourceId>, all: &BTreeSet<ResourceId>) -> String {
    let first = all.intersection(touched).chain(all).next().map(ToString::to_string).unwrap_or_default();
    match all.len() {
        0 | 1 => first,
        more => format!("{first} and {} more", more - 1),
    }
}
