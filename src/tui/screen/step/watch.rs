//! Watches the applied resources: drift becomes a pending dry step, with its changes.
//!
//! The watch applies nothing: the next run is dry, and waits before the touched resource. A touched resource is
//! compared with its applied declaration, but the plan is of the current program, which may have changed by events.
//! Those changes are not reported as drift.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{State as Step, is_idle, planning};
use crate::engine::message::{Pause, Request};
use crate::graph::ResourceId;
use crate::graph::delta::{Delta, delta};
use crate::session::Drift;
use crate::tui::effect::Effect;
use crate::tui::look::Role;
use crate::tui::message::Job;
use crate::tui::program::Program;
use crate::tui::screen::log::Source;
pub use crate::tui::screen::step::data::Watch as State;
use crate::tui::state::State as Tui;

impl State {
    pub fn is_on(&self) -> bool {
        self.program.is_some()
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
        self.is_asked
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
pub(super) fn begin(tui: &mut Tui) -> Vec<Effect> {
    let Some(program) = tui.screens.step.program.clone() else { return vec![] };
    let watch = &mut tui.screens.step.watch;
    *watch = State { run: watch.run + 1, program: Some(Arc::clone(&program)), ..State::default() };
    vec![Effect::WatchDrift { graph: Arc::clone(&program.graph), run: watch.run }]
}

/// Ends the watch: later changes come from this session.
pub(super) fn end(tui: &mut Tui) -> Vec<Effect> {
    let watch = &mut tui.screens.step.watch;
    let was_on = watch.is_on();
    *watch = State { run: watch.run, ..State::default() };
    if was_on { vec![Effect::EndDrift(watch.run)] } else { vec![] }
}

/// Stops watching while the undo of the watched deploy is undecided.
pub(super) fn hold(tui: &mut Tui) -> Vec<Effect> {
    let watch = &mut tui.screens.step.watch;
    watch.held = watch.program.take();
    if watch.held.is_some() { vec![Effect::EndDrift(watch.run)] } else { vec![] }
}

/// The undo did not happen: resumes the watch.
pub(super) fn go_on(tui: &mut Tui) -> Vec<Effect> {
    let watch = &mut tui.screens.step.watch;
    let Some(program) = watch.held.take() else { return vec![] };
    let graph = Arc::clone(&program.graph);
    (watch.program, watch.run) = (Some(program), watch.run + 1);
    vec![Effect::WatchDrift { graph, run: watch.run }]
}

/// Stops watching until the user starts it again.
pub fn pause(tui: &mut Tui) -> Vec<Effect> {
    let effects = hold(tui);
    let watch = &mut tui.screens.step.watch;
    watch.paused = watch.held.take();
    effects
}

/// Starts it again.
pub fn resume(tui: &mut Tui) -> Vec<Effect> {
    let watch = &mut tui.screens.step.watch;
    watch.held = watch.paused.take();
    go_on(tui)
}

/// Handles a report of the watch.
pub fn on_drift(tui: &mut Tui, run: u64, drift: Drift) -> Vec<Effect> {
    let watch = &mut tui.screens.step.watch;
    if run != watch.run || !watch.is_on() {
        return vec![Effect::EndDrift(run)];
    }
    match drift {
        Drift::Watching { watched, of } => {
            watch.watched = Some((watched, of));
            let words = format!("watching {watched} of {of} resources: drift is reported, not repaired");
            tui.cx.report(Source::Run, words);
            vec![]
        }
        Drift::Touched(touched) => {
            watch.asked.retain(|id| !touched.contains(id));
            watch.touched.extend(touched.iter().cloned());
            for id in touched {
                tui.cx.report(Source::Run, format!("{id}  was changed outside workbench"));
            }
            look(tui)
        }
    }
}

/// Plans the current state if a resource was touched; waits if the user is stepping.
pub(super) fn look(tui: &mut Tui) -> Vec<Effect> {
    let is_busy = tui.screens.step.live.is_live() || tui.screens.step.running || tui.cx.is_working(Job::Plan);
    if is_busy || !tui.screens.step.watch.is_on() || tui.screens.step.watch.touched.is_empty() {
        return vec![];
    }
    // The user's further keys would act on the screen if the question were gone.
    tui.screens.step.watch.is_behind = planning::is_typing(&tui.cx);
    if tui.screens.step.watch.is_behind {
        return vec![];
    }
    let step = &mut tui.screens.step;
    if !step.live.shows_live() && step.list.rows.turned() != step.watch.rests {
        let mut touched = std::mem::take(&mut step.watch.touched);
        let again = if touched.is_subset(&step.watch.differ) { " again" } else { "" };
        let words = format!("Drift: {} changed{again}; p makes a new plan", named(&touched, &touched));
        step.watch.differ.append(&mut touched);
        tui.cx.show_notice(Role::Warning, words);
        return vec![];
    }
    plan(tui)
}

/// Checks the resources that were touched while the user was typing.
pub(super) fn catch_up(tui: &mut Tui) -> Vec<Effect> {
    if tui.screens.step.watch.is_behind { look(tui) } else { vec![] }
}

/// Plans the current program: that of the shown event, else the applied one.
fn plan(tui: &mut Tui) -> Vec<Effect> {
    let shown = tui.cx.events.program().filter(|program| !program.has_errors() && !program.graph.is_empty());
    let turn = if shown.is_some() { tui.cx.programs.turn } else { tui.screens.step.turn };
    let Some(program) = shown.or(tui.screens.step.program.as_ref()).cloned() else { return vec![] };
    let watch = &mut tui.screens.step.watch;
    (watch.plans, watch.asked) = (Some(Arc::clone(&program)), watch.touched.clone());
    tui.cx.start(Job::Plan);
    vec![Effect::Plan { program, turn }]
}

/// An event is about to make steps pending again. If it restores the applied program, the watch checks the resources,
/// and no step becomes pending.
pub(super) fn reopens(tui: &mut Tui, program: &Arc<Program>) -> Option<Vec<Effect>> {
    let step = &mut tui.screens.step;
    let put = step.watch.program.as_ref()?;
    let delta = against(put, program);
    if delta.is_empty() {
        return Some(plan(tui));
    }
    let program_changed = delta.resources.into_iter().map(|(id, _)| id).collect();
    step.watch.event = Some((Arc::clone(program), program_changed));
    step.watch.carries = step.live.shows_live() || step.list.rows.turned() == step.watch.rests;
    None
}

/// The differences between a program and the applied one. Graphs may be large: identical ones are not compared.
fn against(put: &Program, wanted: &Program) -> Delta {
    if Arc::ptr_eq(&put.graph, &wanted.graph) { Delta::default() } else { delta(&put.graph, &wanted.graph) }
}

/// A plan is ready: whether it was requested here. A plan of another program ends the watch, unless an event caused it.
pub(super) fn planned(tui: &mut Tui, program: &Arc<Program>) -> Vec<Effect> {
    let watch = &mut tui.screens.step.watch;
    let is_same = |other: &Arc<Program>| Arc::ptr_eq(other, program);
    watch.is_asked = watch.plans.take().as_ref().is_some_and(is_same);
    let stays = watch.is_asked || tui.cx.events.is_on() || watch.program.as_ref().is_some_and(is_same);
    if !stays {
        watch.paused.take_if(|put| !is_same(put));
    }
    if stays || !watch.is_on() { vec![] } else { end(tui) }
}

/// The plan is shown: the run continues to the first touched resource that has drifted, or that an event changed.
/// Resources that drifted earlier still count: the run would otherwise restore them in the overlay.
pub(super) fn show(tui: &mut Tui) {
    let step = &mut tui.screens.step;
    let (Some(put), Some(wanted)) = (&step.watch.program, &step.program) else { return };
    let known = step.watch.event.take().filter(|(program, _)| Arc::ptr_eq(program, wanted));
    let compared = || against(put, wanted).resources.into_iter().map(|(id, _)| id).collect();
    step.watch.program_changed = known.map_or_else(compared, |(_, program_changed)| program_changed);
    let carries = std::mem::take(&mut step.watch.carries);
    if step.again.redoing > 0 {
        step.watch.arrives = carries;
        return;
    }
    (step.watch.rests, step.watch.arrives) = (0, false);
    if !std::mem::take(&mut step.watch.is_asked) {
        return;
    }
    let asked = std::mem::take(&mut step.watch.asked);
    step.watch.touched.retain(|id| !asked.contains(id));
    let open = step.plan.iter().flat_map(|plan| &plan.steps).filter(|one| !is_idle(one)).map(|one| &one.resource);
    let open: BTreeSet<ResourceId> = open.cloned().collect();
    let watch = &mut step.watch;
    watch.differ.extend(asked.iter().cloned());
    // No current plan shows whether a changed declaration is still as applied.
    watch.differ.retain(|id| open.contains(id) || watch.program_changed.contains(id));
    let is_ahead = |id: &&ResourceId| watch.differ.contains(*id) || watch.program_changed.contains(*id);
    let in_order = |id: &&ResourceId| step.list.rows.find(id).map(|row| row.more.planned);
    let first = open.iter().filter(is_ahead).min_by_key(in_order).cloned();
    watch.until.clone_from(&first);
    if let Some(first) = first {
        if let Some(at) = step.list.rows.position(&first) {
            step.list.at.cursor = at;
        }
        step.shows.summary = false;
    }
    let (role, words) = found(tui, &asked);
    tui.cx.report(Source::Run, words.clone());
    tui.cx.show_notice(role, words);
}

/// The result of a check of touched resources.
fn found(tui: &Tui, asked: &BTreeSet<ResourceId>) -> (Role, String) {
    let step = &tui.screens.step;
    let watch = &step.watch;
    let foreign: BTreeSet<_> = watch.differ.difference(&watch.program_changed).cloned().collect();
    let deploy = step.live.put.as_ref().map(|put| put.deploy);
    let back = deploy.map(|deploy| format!(", u undo deploy {deploy}")).unwrap_or_default();
    if !foreign.is_empty() {
        let named = named(asked, &foreign);
        let words = match tui.cx.events.errors_in_words() {
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
    let words = match (asked.is_empty(), step.has_work()) {
        (false, _) => "all drift is gone".to_string(),
        (true, false) => format!("the input is back: everything is{by} again"),
        (true, true) => format!("the input is back: the program is{by} again"),
    };
    (Role::Good, words)
}

/// Continues to the touched resource once the plan's run waits; and remembers where it stopped.
pub(super) fn paused(step: &mut Step, why: Pause) -> Option<Request> {
    if std::mem::take(&mut step.watch.arrives) {
        step.watch.rests = step.list.rows.turned();
    }
    let until = step.watch.until.take().filter(|_| why == Pause::Start)?;
    if step.next_id() == Some(&until) {
        return None;
    }
    step.watch.arrives = true;
    let request = Request::Continue { until: Some(until) };
    (step.running, step.queue.going) = (true, Some(request.clone()));
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
