//! Whether an action is enabled now; else why not, in words a user can act on.

use super::{Action, Entry, What, When};
use std::path::PathBuf;

use crate::plan::policy;
use crate::session::{Feature, offers};
use crate::tui::screen::modules::data::State as Modules;
use crate::tui::screen::{ScreenId, step};
use crate::tui::{cx::Cx, front::Front, message::Job, screen::step::live, tutor::TASKS, widget::text::safe};

/// `Ok`, or why not.
pub type Enabled = Result<(), String>;

impl Entry {
    /// Whether it is enabled now; else why not.
    pub fn enabled(&self, front: Front<'_>) -> Enabled {
        front.screen.enabled(self.when, front)
    }

    /// The same here: on this screen.
    pub fn available(&self, front: Front<'_>) -> Enabled {
        if self.works_on(front.cx.screen) { self.enabled(front) } else { Err(self.elsewhere()) }
    }

    /// Whether its object does not exist: a reason would promise that it becomes possible later.
    pub fn is_moot(&self, cx: &Cx) -> bool {
        self.action == Action::NextTask && cx.tutor.is_none()
    }
}

impl Front<'_> {
    /// Whether an action is enabled that the screen has no rule of its own for.
    pub fn enabled_anywhere(self, condition: When) -> Enabled {
        let Self { cx, step, modules, .. } = self;
        match condition {
            When::CanStepOnce => can_step_once(self),
            When::CanStep => can_step(self),
            When::CanReachCursor => can_reach_cursor(self),
            When::HasResource | When::HasReferences => has_resource(self),
            When::Always | When::CanSave => Ok(()),
            When::HasDiff => when(step.has_diff(), "no text diff here"),
            When::CanLeaveOut => can_leave_out(self),
            When::CanSkip => can_skip(self),
            When::CanRetry => can_retry(self),
            When::CanObserve => can_observe(self),
            When::CanStepBack => can_step_back(step),
            When::CanArm => can_arm(self),
            When::CanRollBack => can_roll_back(step),
            When::CanResume => can_resume(self),
            When::HasCut => has_cut(step),
            When::CanWatch => can_watch(self),
            When::HasDetached => has_detached(self),
            When::CanFetch => can_fetch(modules, cx),
            When::CanUpdate | When::CanLook => can_update(modules, cx),
            When::CanBump => can_bump(modules, cx),
            When::HasFailedFetch => has_failed_fetch(modules),
            When::CanApprove => can_approve(modules, cx),
            When::CanAdd => can_add(modules, cx),
            When::CanPrune => can_prune(modules, cx),
            When::CanPlan => can_plan(step),
            When::HasText => Err("only in the text (Esc goes there)".into()),
            When::HasProblems => has_problems(self),
            When::HasSource | When::HasDefinition | When::HasKind => has_source(self),
            When::HasPlannedResource => {
                has_resource(self)?;
                has_plan(self)
            }
            When::CanMakeNext => can_make_next(self),
            When::HasPlan => has_plan(self),
            When::HasNeed => when(self.neighbour(true).is_some(), "no dependencies"),
            When::HasDependent => when(self.neighbour(false).is_some(), "no dependents"),
            When::HasSearch => when(!self.words().is_empty(), "no search yet: / starts one"),
            When::CanEdit => can_edit(self),
            When::HasCopiedPlace => when(self.copied_place().is_some(), "this row has no source location"),
            When::HasJump => when(!cx.trail.jumps.is_empty(), "no earlier place in the jump list"),
            When::HasJumpForward => when(!cx.trail.jumps_forward.is_empty(), "no later place in the jump list"),
            When::HasPanes => when(cx.panes().len() > 1, "this screen has only one pane"),
            When::CanSuspend => when(cx.typing.can_suspend, "no shell to return from"),
            When::IsTaught => {
                when(cx.tutor.is_some_and(|tutor| tutor.at < TASKS.len()), "only in the tutor (`workbench tutor`)")
            }
            When::CanPick(What::Resources) if cx.graphed().is_none_or(|program| program.graph.is_empty()) => {
                Err("no graph yet".into())
            }
            When::CanPick(What::Symbols) if cx.programs.newest.is_none() => {
                Err("the program is still being compiled".into())
            }
            When::CanPick(_) => Ok(()),
            // Every screen that has such an action has a rule for it.
            When::CanOpen
            | When::CanGoRight
            | When::CanShowRelated
            | When::CanFold
            | When::CanCompare
            | When::CanUndoDeploy => Err("not on this screen".into()),
        }
    }
}

pub fn has_resource(front: Front<'_>) -> Enabled {
    when(front.resource().is_some(), front.screen.no_resource())
}

pub fn has_source(front: Front<'_>) -> Enabled {
    when(front.place().is_some(), "this row has no source location")
}

pub fn has_file(front: Front<'_>) -> Enabled {
    when(front.file().is_some(), front.screen.no_file())
}

/// What was unpacked from a bundle is a copy, and what is written there is gone with the next look at the bundle.
fn can_edit(front: Front<'_>) -> Enabled {
    has_file(front)?;
    let is_copy = |root: &PathBuf| front.file().is_some_and(|(path, _)| path.starts_with(root));
    let words = "files of a bundle cannot be edited: edit the source module";
    when(!front.cx.project.unpacked.as_ref().is_some_and(is_copy), words)
}

pub fn has_problems(front: Front<'_>) -> Enabled {
    let Front { cx, step, .. } = front;
    when(cx.screen != ScreenId::Step || cx.cannot_plan(step), "no errors: Code (2) lists all problems")?;
    when(cx.programs.newest.as_ref().is_some_and(|program| !program.problems.is_empty()), "no problems")
}

pub fn has_modules(modules: &Modules) -> Enabled {
    when(!modules.list.is_empty(), "no module here")
}

pub fn when(holds: bool, why_not: &str) -> Enabled {
    if holds { Ok(()) } else { Err(why_not.to_string()) }
}

fn can_step(front: Front<'_>) -> Enabled {
    let Front { step, .. } = front;
    has_plan(front)?;
    when(!step.is_running(), "not while a run is in progress (Ctrl-C stops it)")?;
    when(!step.is_open_at_end(), "all steps ran: r retry, q end deploy")?;
    when(step.next_id().is_some() || step.phase.is_dry(), "this run has ended, p makes a new plan")?;
    when(step.next_id().is_some(), "everything is done: Z steps back, p makes a new plan")
}

/// Steps queue behind a running step, so that keys pressed quickly all count.
fn can_step_once(front: Front<'_>) -> Enabled {
    let Front { step, .. } = front;
    if step.is_stepping() { Ok(()) } else { can_step(front) }
}

/// It concerns the selected row.
fn can_skip(front: Front<'_>) -> Enabled {
    let Front { step, .. } = front;
    has_plan(front)?;
    when(!step.is_running(), "not while a run is in progress (Ctrl-C stops it)")?;
    when(step.phase.ended().is_none(), "this run has ended, p makes a new plan")?;
    step.why_not_skipped().map_or(Ok(()), Err)
}

pub fn has_plan(front: Front<'_>) -> Enabled {
    let Front { cx, step, .. } = front;
    when(step.is_loaded(), &no_plan(cx))
}

/// There is no plan: how to make one, or why there cannot be one.
fn no_plan(cx: &Cx) -> String {
    step::why_not(cx).unwrap_or_else(|| "no plan yet: p makes one".into())
}

fn can_leave_out(front: Front<'_>) -> Enabled {
    has_resource(front)?;
    when(!(front.step.phase.is_live() && front.step.is_running()), "not while a run is in progress (Ctrl-C stops it)")
}

fn can_make_next(front: Front<'_>) -> Enabled {
    let Front { step, .. } = front;
    has_plan(front)?;
    when(!step.cursor_is_next(), "this step is already next: s runs it")?;
    when(step.cursor_is_ready(), "its dependencies are not done yet")
}

fn can_reach_cursor(front: Front<'_>) -> Enabled {
    let Front { step, .. } = front;
    can_step(front)?;
    when(step.cursor_waits(), "this step is done; select a pending one")?;
    when(!step.cursor_is_next(), "this step is already next: s runs it")
}

fn can_retry(front: Front<'_>) -> Enabled {
    let Front { step, .. } = front;
    when(!step.is_running(), "not while a run is in progress (Ctrl-C stops it)")?;
    when(step.cursor_can_retry(), "only a failed or skipped row can be retried")?;
    if step.phase.ended().is_some() { can_go_live_again(front) } else { Ok(()) }
}

fn can_observe(front: Front<'_>) -> Enabled {
    let Front { cx, step, .. } = front;
    has_plan(front)?;
    when(step.phase.is_dry(), "in LIVE each resource is checked before its step; r retries a failure")?;
    when(!cx.events.is_on(), "changes are checked while watching (w stops watching)")?;
    when(!step.is_running() && !cx.is_working(Job::Plan), "not while a run is in progress (Ctrl-C stops it)")?;
    has_resource(front)
}

fn can_step_back(state: &step::State) -> Enabled {
    when(state.phase.is_dry(), "only a dry run steps back: u undoes a deploy")?;
    when(!state.is_running(), "not while a run is in progress (Ctrl-C stops it)")?;
    when(state.has_turned(), "no step has run yet")
}

fn can_arm(front: Front<'_>) -> Enabled {
    let Front { cx, step, modules, .. } = front;
    when(cx.project.can_apply, "not available while taking a screenshot")?;
    has_plan(front)?;
    when(!step.is_open_at_end(), "this deploy has not ended: r retry, q end deploy")?;
    when(!step.phase.is_live(), "already LIVE")?;
    is_event_of_now(front)?;
    // An unresolved deploy blocks an apply: reports it, and checks it again.
    if live::in_the_way(step, cx).is_some() {
        return Ok(());
    }
    // A dialog has room for the reason and the ways out.
    if step.phase.is_dry() && live::not_for_here(step, cx).is_some() {
        return Ok(());
    }
    if step.may_try_again() {
        return can_go_live_again(front);
    }
    when(step.phase.is_dry(), "this run has ended, p makes a new plan")?;
    when(!step.is_running() && !cx.is_working(Job::Plan), "not while a run is in progress (Ctrl-C stops it)")?;
    let stale = step::why_not(cx).unwrap_or_else(|| "p makes a new plan".into());
    when(cx.events.is_on() || step.turn == cx.programs.turn, &format!("the plan is stale: {stale}"))?;
    when(!step.stale.is_stale(), "the machine changed since the plan: Ctrl-r re-checks")?;
    when(!step.watch.is_behind(), "a resource changed outside workbench and is being checked")?;
    let is_denied = step.plan.as_ref().is_some_and(|plan| policy::is_denied(&plan.violations));
    when(!is_denied, "a policy denies this plan: see the steps marked `denied`")?;
    when(step.has_work(), "nothing to apply: everything is unchanged")?;
    live::strange(step, modules).map_or(Ok(()), Err)
}

/// While watching, only the plan of the newest event can be applied.
fn is_event_of_now(front: Front<'_>) -> Enabled {
    let Front { cx, step, .. } = front;
    let events = &cx.events;
    if !events.is_on() {
        return Ok(());
    }
    if let Some(words) = events.errors_in_words() {
        return Err(words);
    }
    when(cx.plans_shown(step), "the changed input is not planned yet: p makes a new plan")
}

/// A live run has ended: the remaining steps are planned again for the next one.
fn can_go_live_again(front: Front<'_>) -> Enabled {
    let Front { cx, step, .. } = front;
    when(cx.project.can_apply, "not available while taking a screenshot")?;
    when(step.may_try_again(), "this run has ended, p makes a new plan")?;
    is_event_of_now(front)?;
    when(!cx.is_working(Job::Plan) && !cx.is_working(Job::Compile), "planning is in progress")?;
    step::why_not(cx).map_or(Ok(()), Err)
}

fn can_plan(step: &step::State) -> Enabled {
    when(!(step.phase.is_live() && step.is_running()), "not while a run is in progress (Ctrl-C stops it)")
}

fn can_roll_back(step: &step::State) -> Enabled {
    let live = &step.live;
    when(!step.is_running(), "not while a run is in progress (Ctrl-C stops it)")?;
    let is_on_show = step.phase.deploy().is_some() && step.phase.has_changed();
    let is_something = live.cut.is_some() || is_on_show || step.applied_run().is_some();
    when(is_something, "nothing applied in this session, see History (5)")
}

fn can_resume(front: Front<'_>) -> Enabled {
    let Front { cx, step, .. } = front;
    has_cut(step)?;
    if let Some(cut) = step.live.cut.as_ref().filter(|cut| cut.is_other) {
        return Err(format!(
            "deploy {} belongs to another module: resume it with `workbench {}`",
            cut.deploy,
            safe(&cut.entry)
        ));
    }
    when(!cx.events.is_on(), "not while watching (w stops watching)")?;
    if cx.screen == ScreenId::Step {
        has_plan(front)?;
    }
    when(!step.is_running() && !step.phase.is_live(), "not while a run is in progress (Ctrl-C stops it)")
}

fn has_cut(step: &step::State) -> Enabled {
    let live = &step.live;
    if let (None, Some(parked)) = (&live.cut, &live.detached) {
        return Err(format!("no deploy is interrupted; deploy {} is detached (a attaches)", parked.deploy));
    }
    when(live.cut.is_some(), "no deploy is interrupted")
}

fn can_watch(front: Front<'_>) -> Enabled {
    let Front { cx, step, .. } = front;
    if cx.events.is_on() || step.watch.is_on() {
        return Ok(());
    }
    when(!step.phase.is_live(), "not available in LIVE")?;
    when(cx.programs.newest.is_some(), "the program is still being compiled")
}

fn has_detached(front: Front<'_>) -> Enabled {
    let Front { cx, step, .. } = front;
    when(cx.project.can_apply, "not available while taking a screenshot")?;
    when(step.live.detached.is_some(), "no deploy is detached")?;
    when(!step.phase.is_live(), "already LIVE")
}

fn can_download(modules: &Modules, cx: &Cx) -> Enabled {
    when(cx.project.can_apply, "not available while taking a screenshot")?;
    when(modules.fetch.is_none(), "modules are being fetched (Ctrl-C stops it)")
}

fn can_fetch(modules: &Modules, cx: &Cx) -> Enabled {
    can_download(modules, cx)?;
    when(modules.lacks_some(), "no module is missing; F updates all")
}

fn can_update(modules: &Modules, cx: &Cx) -> Enabled {
    can_download(modules, cx)?;
    when(modules.has_fetched(), "no fetched modules yet: f fetches missing ones")
}

fn can_bump(modules: &Modules, cx: &Cx) -> Enabled {
    can_download(modules, cx)?;
    has_modules(modules)?;
    modules.why_not_bumped().map_or(Ok(()), |why| Err(why.into()))
}

fn can_add(modules: &Modules, cx: &Cx) -> Enabled {
    can_download(modules, cx)?;
    when(offers(cx.project.language, Feature::PlanImport), "not available for this language")?;
    when(cx.project.entry_file.is_some(), "the entry point is not a file that can be changed")
}

fn can_prune(modules: &Modules, cx: &Cx) -> Enabled {
    can_download(modules, cx)?;
    when(modules.has_fetched(), "no fetched modules yet")
}

fn has_failed_fetch(state: &crate::tui::screen::modules::State) -> Enabled {
    when(state.fetch.is_none(), "modules are being fetched (Ctrl-C stops it)")?;
    when(state.failed.is_some(), "no fetch has failed: Space u checks for updates")
}

fn can_approve(modules: &Modules, cx: &Cx) -> Enabled {
    when(cx.project.can_apply, "not available while taking a screenshot")?;
    match modules.fetched() {
        None => Err("only fetched modules need approval".into()),
        Some(fetched) => when(!fetched.is_approved, "already approved"),
    }
}
