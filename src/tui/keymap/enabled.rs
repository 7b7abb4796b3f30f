//! Whether an action is enabled now; else why not, in words a user can act on.

mod cursor;

use super::{Action, Entry, What, When};
use crate::plan::policy;
use crate::session::history::already_undone_words;
use crate::session::{Feature, offers};
use crate::tui::cx::Cx;
use crate::tui::message::Job;
use crate::tui::screen::ScreenId;
use crate::tui::screen::deploys::data::State as Deploys;
use crate::tui::screen::graph::data::State as Graph;
use crate::tui::screen::modules::data::State as Modules;
use crate::tui::screen::step::data::State as Step;
use crate::tui::screen::step::live;
use crate::tui::screen::{Pane, step};
use crate::tui::state::State;
use crate::tui::tutor::TASKS;
use crate::tui::widget::text::safe;
#[allow(clippy::wildcard_imports, reason = "the conditions are all there")]
use cursor::*;

/// `Ok`, or why not.
pub type Enabled = Result<(), String>;

impl Entry {
    /// Whether it is enabled now; else why not.
    pub fn enabled(&self, state: &State) -> Enabled {
        check(self.when, state)
    }

    /// The same here: on this screen.
    pub fn available(&self, state: &State) -> Enabled {
        if self.works_on(state.cx.screen) { self.enabled(state) } else { Err(self.elsewhere()) }
    }

    /// Whether its object does not exist: a reason would promise that it becomes possible later.
    pub fn is_moot(&self, cx: &Cx) -> bool {
        self.action == Action::NextTask && cx.tutor.is_none()
    }
}

fn check(condition: When, state: &State) -> Enabled {
    match condition {
        When::CanStepOnce => can_step_once(&state.screens.step, &state.cx),
        When::CanStep => can_step(&state.screens.step, &state.cx),
        When::CanReachCursor => can_reach_cursor(&state.screens.step, &state.cx),
        When::HasResource => has_resource(state),
        When::Always => Ok(()),
        When::HasDiff => has_diff(&state.screens.deploys, &state.screens.step, &state.cx),
        When::CanLeaveOut => can_leave_out(state),
        When::CanSkip => can_skip(&state.screens.step, &state.cx),
        When::CanRetry => can_retry(&state.screens.step, &state.cx),
        When::CanObserve => can_observe(state),
        When::CanStepBack => can_step_back(&state.screens.step),
        When::CanArm => can_arm(state),
        When::CanRollBack => can_roll_back(&state.screens.step),
        When::CanUndoDeploy => can_undo_deploy(&state.screens.deploys, &state.screens.step, &state.cx),
        When::CanSave => can_save(&state.screens.deploys, &state.screens.graph, &state.cx),
        When::CanCompare => can_compare(&state.screens.deploys, &state.screens.step, &state.cx),
        When::CanResume => can_resume(&state.screens.step, &state.cx),
        When::HasCut => has_cut(&state.screens.step),
        When::CanWatch => can_watch(&state.screens.step, &state.cx),
        When::HasDetached => has_detached(&state.screens.step, &state.cx),
        When::CanFetch => can_fetch(&state.screens.modules, &state.cx),
        When::CanUpdate => can_update(&state.screens.modules, &state.cx),
        When::CanBump => can_bump(&state.screens.modules, &state.cx),
        When::HasFailedFetch => has_failed_fetch(&state.screens.modules),
        When::CanApprove => can_approve(&state.screens.modules, &state.cx),
        When::CanLook => can_look(&state.screens.modules, &state.cx),
        When::CanAdd => can_add(&state.screens.modules, &state.cx),
        When::CanPrune => can_prune(&state.screens.modules, &state.cx),
        When::CanPlan => can_plan(&state.screens.step),
        When::CanOpen => can_open(state),
        When::HasText => has_text(&state.screens.code, &state.cx),
        When::HasKind => has_kind(state),
        When::HasReferences => has_references(state),
        When::CanGoRight => can_go_right(state),
        When::HasProblems => has_problems(&state.screens.step, &state.cx),
        When::HasSource => has_source(state),
        When::HasDefinition => has_definition(state),
        When::HasPlannedResource => has_planned_resource(state),
        When::CanMakeNext => can_make_next(&state.screens.step, &state.cx),
        When::HasPlan => has_plan(&state.screens.step, &state.cx),
        When::CanShowRelated => can_show_related(state),
        When::HasNeed => has_need(state),
        When::HasDependent => has_dependent(state),
        When::HasSearch => has_search(state),
        When::CanFold => can_fold(state),
        When::CanEdit => can_edit(state),
        When::HasCopiedPlace => has_copied_place(state),
        When::HasJump => has_jump(&state.cx),
        When::HasJumpForward => has_jump_forward(&state.cx),
        When::HasPanes => has_panes(&state.cx),
        When::CanSuspend => can_suspend(&state.cx),
        When::IsTaught => is_taught(&state.cx),
        When::CanPick(What::Resources) if state.cx.graphed().is_none_or(|program| program.graph.is_empty()) => {
            Err("no graph yet".into())
        }
        When::CanPick(What::Symbols) if state.cx.programs.newest.is_none() => {
            Err("the program is still being compiled".into())
        }
        When::CanPick(_) => Ok(()),
    }
}

fn when(holds: bool, why_not: &str) -> Enabled {
    if holds { Ok(()) } else { Err(why_not.to_string()) }
}

fn can_step(step: &Step, cx: &Cx) -> Enabled {
    has_plan(step, cx)?;
    when(!step.is_running(), "not while a run is in progress (Ctrl-C stops it)")?;
    when(!step.is_open_at_end(), "all steps ran: r retry, q end deploy")?;
    when(step.next_id().is_some() || step.phase.is_dry(), "this run has ended, p makes a new plan")?;
    when(step.next_id().is_some(), "everything is done: Z steps back, p makes a new plan")
}

/// Steps queue behind a running step, so that keys pressed quickly all count.
fn can_step_once(step: &Step, cx: &Cx) -> Enabled {
    if step.is_stepping() { Ok(()) } else { can_step(step, cx) }
}

/// It concerns the selected row.
fn can_skip(step: &Step, cx: &Cx) -> Enabled {
    has_plan(step, cx)?;
    when(!step.is_running(), "not while a run is in progress (Ctrl-C stops it)")?;
    when(step.phase.ended().is_none(), "this run has ended, p makes a new plan")?;
    step.why_not_skipped().map_or(Ok(()), Err)
}

fn has_plan(step: &Step, cx: &Cx) -> Enabled {
    when(step.is_loaded(), &no_plan(cx))
}

/// There is no plan: how to make one, or why there cannot be one.
fn no_plan(cx: &Cx) -> String {
    step::why_not(cx).unwrap_or_else(|| "no plan yet: p makes one".into())
}

fn can_leave_out(state: &State) -> Enabled {
    has_resource(state)?;
    when(
        !(state.screens.step.phase.is_live() && state.screens.step.is_running()),
        "not while a run is in progress (Ctrl-C stops it)",
    )
}

fn has_diff(deploys: &Deploys, step: &Step, cx: &Cx) -> Enabled {
    match cx.screen {
        ScreenId::Deploys => when(deploys.has_diff(), "no text diff here"),
        _ => when(step.has_diff(), "no text diff here"),
    }
}

fn can_make_next(step: &Step, cx: &Cx) -> Enabled {
    has_plan(step, cx)?;
    when(!step.cursor_is_next(), "this step is already next: s runs it")?;
    when(step.cursor_is_ready(), "its dependencies are not done yet")
}

/// The content of the screen can be saved to a file.
fn can_save(deploys: &Deploys, graph: &Graph, cx: &Cx) -> Enabled {
    match cx.screen {
        ScreenId::Graph => has_node(graph),
        ScreenId::Deploys => has_deploy(deploys),
        _ => Ok(()),
    }
}

fn can_reach_cursor(step: &Step, cx: &Cx) -> Enabled {
    can_step(step, cx)?;
    when(step.cursor_waits(), "this step is done; select a pending one")?;
    when(!step.cursor_is_next(), "this step is already next: s runs it")
}

fn can_retry(step: &Step, cx: &Cx) -> Enabled {
    when(!step.is_running(), "not while a run is in progress (Ctrl-C stops it)")?;
    when(step.cursor_can_retry(), "only a failed or skipped row can be retried")?;
    if step.phase.ended().is_some() { can_go_live_again(step, cx) } else { Ok(()) }
}

fn can_observe(state: &State) -> Enabled {
    let step = &state.screens.step;
    has_plan(&state.screens.step, &state.cx)?;
    when(step.phase.is_dry(), "in LIVE each resource is checked before its step; r retries a failure")?;
    when(!state.cx.events.is_on(), "changes are checked while watching (w stops watching)")?;
    when(!step.is_running() && !state.cx.is_working(Job::Plan), "not while a run is in progress (Ctrl-C stops it)")?;
    has_resource(state)
}

fn can_step_back(state: &step::State) -> Enabled {
    when(state.phase.is_dry(), "only a dry run steps back: u undoes a deploy")?;
    when(!state.is_running(), "not while a run is in progress (Ctrl-C stops it)")?;
    when(state.has_turned(), "no step has run yet")
}

fn can_arm(state: &State) -> Enabled {
    let step = &state.screens.step;
    when(state.cx.project.can_apply, "not available while taking a screenshot")?;
    has_plan(&state.screens.step, &state.cx)?;
    when(!step.is_open_at_end(), "this is still LIVE: r retry, q end deploy")?;
    when(!step.phase.is_live(), "already LIVE")?;
    is_event_of_now(&state.screens.step, &state.cx)?;
    // An unresolved deploy blocks an apply: reports it, and checks it again.
    if live::in_the_way(&state.screens.step, &state.cx).is_some() {
        return Ok(());
    }
    // A dialog has room for the reason and the ways out.
    if step.phase.is_dry() && live::not_for_here(step, &state.cx).is_some() {
        return Ok(());
    }
    if step.may_try_again() {
        return can_go_live_again(&state.screens.step, &state.cx);
    }
    when(step.phase.is_dry(), "this run has ended, p makes a new plan")?;
    when(!step.is_running() && !state.cx.is_working(Job::Plan), "not while a run is in progress (Ctrl-C stops it)")?;
    let stale = step::why_not(&state.cx).unwrap_or_else(|| "p makes a new plan".into());
    when(state.cx.events.is_on() || step.turn == state.cx.programs.turn, &format!("the plan is stale: {stale}"))?;
    when(!step.stale.is_stale(), "the machine changed since the plan: Ctrl-r re-checks")?;
    when(!step.watch.is_behind(), "a resource changed outside workbench and is being checked")?;
    let is_denied = step.plan.as_ref().is_some_and(|plan| policy::is_denied(&plan.violations));
    when(!is_denied, "a policy denies this plan: see the steps marked `denied`")?;
    when(step.has_work(), "nothing to apply: everything is unchanged")?;
    live::strange(&state.screens.step, &state.screens.modules).map_or(Ok(()), Err)
}

/// While watching, only the plan of the newest event can be applied.
fn is_event_of_now(step: &Step, cx: &Cx) -> Enabled {
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
fn can_go_live_again(step: &Step, cx: &Cx) -> Enabled {
    when(cx.project.can_apply, "not available while taking a screenshot")?;
    when(step.may_try_again(), "this run has ended, p makes a new plan")?;
    is_event_of_now(step, cx)?;
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

fn can_resume(step: &Step, cx: &Cx) -> Enabled {
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
        has_plan(step, cx)?;
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

fn can_watch(step: &Step, cx: &Cx) -> Enabled {
    if cx.events.is_on() || step.watch.is_on() {
        return Ok(());
    }
    when(!step.phase.is_live(), "not available in LIVE")?;
    when(cx.programs.newest.is_some(), "the program is still being compiled")
}

fn has_detached(step: &Step, cx: &Cx) -> Enabled {
    when(cx.project.can_apply, "not available while taking a screenshot")?;
    when(step.live.detached.is_some(), "no deploy is detached")?;
    when(!step.phase.is_live(), "already LIVE")
}

fn can_open(state: &State) -> Enabled {
    match state.cx.screen {
        ScreenId::Step if state.cx.cannot_plan(&state.screens.step) => has_source(state),
        ScreenId::Step => has_plan(&state.screens.step, &state.cx),
        ScreenId::Log => when(state.cx.log.selected().is_some(), state.cx.log.why_nothing()),
        ScreenId::Deploys => state.screens.deploys.has_row().map_err(Into::into),
        ScreenId::Modules => has_modules(&state.screens.modules),
        ScreenId::Code => match state.cx.focus() {
            Pane::Text => has_resource(state),
            Pane::Problems => has_problems(&state.screens.step, &state.cx),
            _ => when(state.screens.code.doc().is_some_and(|doc| !doc.outline.is_empty()), "no declarations here"),
        },
        ScreenId::Graph => when(!state.screens.graph.list.is_empty(), "no rows"),
    }
}

/// In text the key moves the cursor, even on a name.
fn can_go_right(state: &State) -> Enabled {
    if state.cx.focus() == Pane::Text { has_text(&state.screens.code, &state.cx) } else { can_open(state) }
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

fn can_look(modules: &Modules, cx: &Cx) -> Enabled {
    can_download(modules, cx)?;
    when(modules.has_fetched(), "no fetched modules yet: f fetches missing ones")
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

fn has_jump(cx: &Cx) -> Enabled {
    when(!cx.trail.jumps.is_empty(), "no earlier place in the jump list")
}

fn has_jump_forward(cx: &Cx) -> Enabled {
    when(!cx.trail.jumps_forward.is_empty(), "no later place in the jump list")
}

fn has_deploy(deploys: &crate::tui::screen::deploys::State) -> Enabled {
    deploys.has_row()?;
    when(deploys.selected().is_some(), "not a deploy: plans and fetches change nothing")
}

fn can_compare(deploys: &Deploys, step: &Step, cx: &Cx) -> Enabled {
    if cx.screen == ScreenId::Step {
        has_plan(step, cx)?;
        let why_not = "no earlier deploy of this module to compare with";
        return when(step.live.may_be_compared(), why_not);
    }
    has_deploy(deploys)?;
    if deploys.other().is_some() {
        return Ok(());
    }
    when(!deploys.is_undo(), "an undo cannot be compared")?;
    when(false, "no earlier deploy of this module to compare with")
}

fn can_undo_deploy(deploys: &Deploys, step: &Step, cx: &Cx) -> Enabled {
    when(cx.project.can_apply, "not available while taking a screenshot")?;
    has_deploy(deploys)?;
    if let (Some(deploy), Some(back)) = (deploys.selected(), deploys.gone_back()) {
        return Err(already_undone_words(deploy, back));
    }
    when(!step.is_running() && !step.phase.is_live(), "not while a run is in progress (Ctrl-C on Plan stops it)")
}

fn is_taught(cx: &Cx) -> Enabled {
    when(cx.tutor.is_some_and(|tutor| tutor.at < TASKS.len()), "only in the tutor (`workbench tutor`)")
}

fn can_suspend(cx: &Cx) -> Enabled {
    when(cx.typing.can_suspend, "no shell to return from")
}

/// There are other panes to focus.
fn has_panes(cx: &Cx) -> Enabled {
    when(cx.panes().len() > 1, "this screen has only one pane")
}
