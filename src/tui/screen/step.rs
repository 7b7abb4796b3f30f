//! Step: a run, one resource at a time, with what, why next, what changes and what follows at each stop.

pub mod against;
pub mod archives;
pub mod breaks;
pub mod changes;
pub mod conflict;
pub mod leave;
pub mod live;
pub mod mend;
mod panes;
pub mod parked;
pub mod past;
pub mod redo;
mod rows;
mod summary;
mod turns;
pub mod unfinished;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::log::{self, Source};
use super::{Pane, ScreenId};
use crate::engine::message::{Event, Pause, READY_TOLD, Request, TurnState};
use crate::graph::{NodeIndex, ResourceId};
use crate::plan::stop::BreakMode;
use crate::plan::{Action as Plans, Plan, Step, Summary};
use crate::session::against::Against;
use crate::tui::effect::Effect;
use crate::tui::look::{Look, Role};
use crate::tui::message::Job;
use crate::tui::program::Program;
use crate::tui::state::State as Tui;
use crate::tui::update;
use crate::tui::widget::list::{List, Move};
use crate::tui::widget::text;
pub use changes::change_lines;
use rows::Rows;
pub use turns::{act, agreed, stop};

/// What the screen remembers.
#[derive(Debug, Default)]
pub struct State {
    /// The program that was planned; the code may be ahead of it.
    program: Option<Arc<Program>>,
    pub plan: Option<Arc<Plan>>,
    /// The compilation that was planned.
    pub turn: u64,
    rows: Rows,
    pub breakpoints: BTreeSet<ResourceId>,
    /// Those of them that are off.
    pub muted: BTreeSet<ResourceId>,
    /// What a run that goes on stops for, and where it does beside breakpoints.
    pub break_mode: BreakMode,
    halts: BTreeSet<ResourceId>,
    /// What is skipped when its turn comes.
    pub left_out: BTreeSet<ResourceId>,
    /// What would be, if one agrees.
    leaving: Vec<ResourceId>,
    /// Breakpoints with conditions.
    pub whens: Vec<breaks::When>,
    /// What the run was told of all of them.
    told_breaks: BTreeSet<ResourceId>,
    pub next: Option<ResourceId>,
    ready: BTreeSet<ResourceId>,
    why: Option<Pause>,
    /// A request is at work.
    pub running: bool,
    /// The request that goes on, beyond single steps.
    going: Option<Request>,
    /// When it was asked for, by the clock of the jobs, and how many turns had been taken by then.
    since: Option<(Duration, usize)>,
    /// What is at work is a single step, or the run's start: further steps may queue behind it.
    pub stepping: bool,
    /// How many single steps a count, or a hand faster than the run, still owes.
    owed: usize,
    /// Counts runs, so that a run that was left is not listened to.
    pub run: u64,
    finished: bool,
    /// The deploy of the past that is gone through.
    pub replays: Option<u64>,
    /// The turns taken, oldest first, and whether each was skipped.
    taken: Vec<(ResourceId, bool)>,
    /// The turns to take again once the program was edited.
    redo: Option<redo::Redo>,
    /// How many pauses of turns that are taken again are still to come.
    redoing: usize,
    /// The plan's summary stands beside the order until one steps or looks at a row.
    summary: bool,
    /// What the plan's summary puts together, and how.
    grouping: summary::Grouping,
    groups: Vec<summary::Group>,
    /// How many steps are known, predicted and unknown.
    certain: [usize; 3],
    /// Stands in the summary's place, where it was asked for.
    against: Option<Against>,
    pub words: String,
    /// Only this resource is shown, with what it needs and what needs it.
    only: Option<ResourceId>,
    /// The row from which on rows are selected, up to the cursor's.
    anchor: Option<usize>,
    list: List,
    panes: [List; 4],
    pub live: live::State,
    pub archives: archives::State,
}

impl State {
    /// Whether turns were taken, or one is live, so that a new plan would throw something away.
    fn is_under_way(&self) -> bool {
        self.running || !self.taken.is_empty() || self.live.is_live()
    }

    pub fn program(&self) -> Option<&Arc<Program>> {
        self.program.as_ref()
    }

    pub fn is_loaded(&self) -> bool {
        self.plan.is_some()
    }

    /// Whether texts of the row under the cursor are compared.
    pub fn has_diff(&self) -> bool {
        !self.summary && self.cursor_id().and_then(|id| self.step_of(id)).is_some_and(changes::has_texts)
    }

    pub fn shows_summary(&self) -> bool {
        self.summary
    }

    pub fn cursor_id(&self) -> Option<&ResourceId> {
        self.rows.shown(self.list.cursor).map(|row| &row.id)
    }

    /// The resources of the rows that are selected, the cursor's first.
    pub fn selected_ids(&self) -> impl Iterator<Item = &ResourceId> {
        let at = self.list.cursor;
        let others = self.selected_rows().filter(move |row| *row != at);
        std::iter::once(at).chain(others).filter_map(|row| Some(&self.rows.shown(row)?.id))
    }

    /// The rows from the one where selecting began to the cursor's.
    fn selected_rows(&self) -> std::ops::RangeInclusive<usize> {
        let at = self.list.cursor;
        let anchor = self.anchor.unwrap_or(at).min(self.rows.len().saturating_sub(1));
        anchor.min(at)..=anchor.max(at)
    }

    pub fn next_id(&self) -> Option<&ResourceId> {
        self.next.as_ref()
    }

    pub fn cursor_waits(&self) -> bool {
        self.rows.shown(self.list.cursor).is_some_and(|row| row.state == TurnState::Waiting)
    }

    pub fn cursor_is_ready(&self) -> bool {
        // Where not all of them were told, the run knows better.
        let may_be = self.ready.len() >= READY_TOLD && self.cursor_waits();
        !self.running && self.cursor_id().is_some_and(|id| may_be || self.ready.contains(id))
    }

    pub fn cursor_can_retry(&self) -> bool {
        let row = self.rows.shown(self.list.cursor);
        row.is_some_and(|row| matches!(row.state, TurnState::Failed { .. } | TurnState::Skipped))
    }

    /// Whether the plan does anything.
    pub fn has_work(&self) -> bool {
        self.plan.as_ref().is_some_and(|plan| !plan.steps.iter().all(is_idle))
    }

    /// Whether a resource is right already, and nothing refreshes it.
    fn is_idle(&self, id: &ResourceId) -> bool {
        self.step_of(id).is_some_and(is_idle)
    }

    /// The first row in view.
    pub fn top(&self) -> usize {
        self.list.offset
    }

    /// How many resources had their turn in this run.
    pub fn turned(&self) -> usize {
        self.rows.turned()
    }

    pub fn has_turned(&self) -> bool {
        self.rows.turned() > 0
    }

    /// What the run did with a resource, or what the plan says of it.
    pub fn step_of(&self, id: &ResourceId) -> Option<&Step> {
        let row = self.rows.find(id)?;
        row.turned.as_deref().or_else(|| self.plan.as_ref()?.steps.get(row.planned))
    }

    /// Whether a resource failed, was skipped, or is blocked.
    pub fn is_troubled(&self, id: &ResourceId) -> bool {
        let is_trouble =
            |state| matches!(state, &TurnState::Failed { .. } | TurnState::Skipped | TurnState::Blocked { .. });
        self.rows.find(id).is_some_and(|row| is_trouble(&row.state)) || self.fails(id)
    }

    /// Whether the plan says that a resource would fail.
    fn fails(&self, id: &ResourceId) -> bool {
        self.step_of(id).is_some_and(|step| step.error.is_some())
    }

    /// What the plan does with a resource.
    pub fn action_of(&self, id: &ResourceId) -> Option<Plans> {
        self.step_of(id).map(|step| step.action)
    }

    /// Where a resource stands, as queries name it.
    pub fn state_word(&self, id: &ResourceId) -> &'static str {
        self.rows.find(id).map_or("waiting", |row| rows::state_word(&row.state))
    }

    pub fn is_refreshed(&self, id: &ResourceId) -> bool {
        self.step_of(id).is_some_and(|step| step.refresh)
    }

    /// The glyph of where a resource stands; `None` before there is a plan.
    pub fn glyph_of(&self, look: &Look, id: &ResourceId) -> Option<(&'static str, Style)> {
        let row = self.rows.find(id)?;
        if self.next.as_ref() == Some(id) && !self.running {
            return Some((look.glyphs.next, look.style(Role::Active)));
        }
        if self.is_left_out(id, &row.state) {
            return Some((look.glyphs.skipped, look.style(Role::Skipped)));
        }
        if breaks::is_ahead(self, id, &row.state) {
            return Some((look.glyphs.breakpoint, look.style(Role::Breakpoint)));
        }
        Some(look.turn(&row.state))
    }
}

fn is_idle(step: &Step) -> bool {
    step.action == Plans::None && !step.refresh && step.error.is_none()
}

/// Plans where there is no plan of the newest program yet.
pub fn entered(tui: &mut Tui) -> Vec<Effect> {
    live::offer(tui);
    if tui.step.replays.is_some() {
        return vec![];
    }
    let fresh = tui.step.is_loaded() && (is_of_now(tui) || tui.step.has_turned());
    if fresh || tui.step.live.is_live() || tui.is_working(Job::Plan) { vec![] } else { plan(tui) }
}

/// Whether the plan is of what is shown now.
fn is_of_now(tui: &Tui) -> bool {
    match tui.events.program() {
        Some(shown) => tui.step.program.as_ref().is_some_and(|program| Arc::ptr_eq(&program.graph, &shown.graph)),
        None => tui.step.turn == tui.turn,
    }
}

/// An event changed the graph, or that of another is shown: a plan nobody has stepped through yet follows.
pub fn graph_differs(tui: &mut Tui) -> Vec<Effect> {
    if tui.screen != ScreenId::Step || tui.step.live.is_live() {
        return vec![];
    }
    if tui.step.has_turned() && !is_of_now(tui) {
        tui.say(Role::Note, "the graph is another now: p plans it");
        return vec![];
    }
    entered(tui)
}

/// Plans anew.
pub fn plan(tui: &mut Tui) -> Vec<Effect> {
    let shown = tui.events.program().or(tui.program.as_ref());
    let Some(program) = shown.cloned().filter(|program| !program.has_errors() && !program.graph.is_empty()) else {
        return vec![];
    };
    if tui.is_working(Job::Plan) || tui.step.live.is_live() {
        return vec![];
    }
    tui.start(Job::Plan);
    update::log_command(tui, format!("workbench preview {}", tui.entry));
    vec![Effect::Plan { program, turn: tui.turn }]
}

/// A plan is there: its rows replace the old, and a run over the same graph waits for its first request.
pub fn planned(tui: &mut Tui, program: Arc<Program>, plan: Arc<Plan>, turn: u64) -> Vec<Effect> {
    let state = &mut tui.step;
    let kept = state.cursor_id().cloned();
    let old = state.program.replace(program.clone());
    (state.plan, state.turn, state.replays) = (Some(plan), turn, None);
    state.live.disarm();
    reset(state);
    live::withdraw(tui);
    let state = &mut tui.step;
    state.list.cursor = kept.and_then(|id| state.rows.position(&id)).unwrap_or(0);
    state.breakpoints.retain(|id| state.rows.find(id).is_some());
    let mut effects = vec![Effect::StartRun { program, run: state.run }];
    effects.extend(leave::renew(tui));
    effects.extend(breaks::renew(tui));
    unfinished::take_up(tui);
    effects.extend(redo::again(tui, old.as_deref()));
    live::offer(tui);
    effects.extend(mend::planned(tui));
    if tui.events.is_on() {
        // There may have been an event meanwhile.
        effects.extend(graph_differs(tui));
    }
    effects
}

/// The plan as before the first turn; what an earlier run still tells is not listened to.
fn reset(state: &mut State) {
    let Some(plan) = &state.plan else { return };
    state.rows = Rows::new(plan);
    state.against = None;
    summary::group(state);
    let graph = state.program.as_ref().map(|program| program.graph.clone());
    state.anchor = None;
    look_around(state, state.only.clone());
    state.rows.filter(&state.words, graph.as_deref());
    state.summary = true;
    // The run tells when it has started; keys that come before that wait for it.
    (state.next, state.why, state.running, state.stepping) = (None, None, true, true);
    (state.owed, state.finished, state.redoing) = (0, false, 0);
    state.ready.clear();
    state.taken.clear();
    state.told_breaks.clear();
    state.run += 1;
}

/// Hears a run.
pub fn told(tui: &mut Tui, run: u64, event: Event) -> Vec<Effect> {
    if run != tui.step.run {
        return vec![];
    }
    match event {
        Event::Turn { resource, state, step, elapsed_ms } => {
            if let Some(words) = turn_words(&tui.look, &resource, &state, step.as_ref()) {
                let now = tui.now.clone();
                tui.log.push(&now, Source::Run, words);
            }
            redo::turned(&mut tui.step.taken, &resource, &state);
            tui.step.live.turned(&resource, &state, step.as_ref().map(|step| step.action));
            if let Some(plan) = &tui.step.plan {
                tui.step.rows.turn(plan, &resource, state, step, (elapsed_ms, tui.jobs.clock));
            }
            vec![]
        }
        Event::Paused { next, ready, why } => paused(tui, next, ready, why),
        Event::Output { resource, line } => {
            let now = tui.now.clone();
            tui.log.push(&now, Source::Run, format!("{resource}: {line}"));
            vec![]
        }
        // An undo is heard by the applier, which tells what came of it.
        Event::TakenBack { .. } => vec![],
        Event::Finished { done, failed, skipped, blocked, .. } => {
            let state = &mut tui.step;
            (state.finished, state.running, state.owed, state.next) = (true, false, 0, None);
            state.ready.clear();
            stand_on_failed(state);
            state.summary = true;
            state.panes = Default::default();
            let role = if failed > 0 { Role::Error } else { Role::Good };
            let run = match (state.replays, state.live.deploy) {
                (Some(deploy), _) => format!("the replay of deploy {deploy}"),
                (None, Some(deploy)) => format!("deploy {deploy}"),
                (None, None) => "the dry run".into(),
            };
            let mut words = format!("end of {run}: {done} done");
            for (count, what) in [(failed, "failed"), (skipped, "skipped"), (blocked, "blocked")] {
                if count > 0 {
                    words.push_str(&format!(", {count} {what}"));
                }
            }
            let now = tui.now.clone();
            tui.log.push(&now, Source::Run, words.clone());
            tui.say(role, words);
            // What was skipped because it is right already needs no other try.
            let is_right = |row: &rows::Row| row.state == TurnState::Skipped && tui.step.is_idle(&row.id);
            let is_well = failed + blocked == 0 && (skipped == 0 || tui.step.rows.troubled().all(is_right));
            live::finished(tui, is_well)
        }
    }
}

fn turn_words(look: &Look, id: &ResourceId, state: &TurnState, step: Option<&Step>) -> Option<String> {
    let glyph = look.turn(state).0;
    match state {
        TurnState::Waiting | TurnState::Running => None,
        TurnState::Done => {
            let action = step.map_or("done", |step| crate::tui::look::action_word(step.action));
            Some(format!("{glyph} {id}  {action}"))
        }
        TurnState::Failed { error, .. } => Some(format!("{glyph} {id}  failed: {error}")),
        TurnState::Skipped => Some(format!("{glyph} {id}  skipped")),
        TurnState::Blocked { by } => Some(format!("{glyph} {id}  blocked by {by}")),
    }
}

fn paused(tui: &mut Tui, next: Option<ResourceId>, ready: Vec<ResourceId>, why: Pause) -> Vec<Effect> {
    let state = &mut tui.step;
    state.live.paused();
    state.finished = next.is_none() && why == Pause::End;
    state.ready = ready.into_iter().collect();
    let moved = state.next != next;
    state.next = next;
    if state.redoing > 1 {
        state.redoing -= 1;
        return vec![];
    }
    state.redoing = 0;
    if matches!(why, Pause::Start | Pause::Stepped) && state.owed > 0 && state.next.is_some() {
        state.owed -= 1;
        state.why = Some(why);
        return vec![Effect::Send(Request::Step)];
    }
    if why == Pause::Failure && state.next.is_some() && state.break_mode == BreakMode::Breakpoints {
        // Failures are passed; what they block is told.
        if let Some(request) = state.going.clone() {
            return vec![Effect::Send(request)];
        }
    }
    (state.running, state.owed, state.going) = (false, 0, None);
    if let Some(at) = state.next.as_ref().and_then(|id| state.rows.position(id)).filter(|_| moved) {
        state.list.cursor = at;
        state.panes = Default::default();
    }
    if why == Pause::Failure {
        stand_on_failed(state);
    }
    let stop = match why {
        Pause::Breakpoint => {
            let when = tui.step.next.as_ref().and_then(|id| tui.step.stopping(id));
            let when = when.map(|when| format!(": {}", text::safe(when))).unwrap_or_default();
            Some((Role::Note, format!("stopped at a breakpoint{when}")))
        }
        Pause::Failure if tui.step.replays.is_some() => Some((Role::Error, "this one failed; c goes on".into())),
        Pause::Failure if tui.step.live.is_live() => {
            let words =
                "stopped: the last resource failed; e edits it, r retries, c goes on without it, u takes all back";
            Some((Role::Error, words.into()))
        }
        Pause::Failure => {
            let words = "stopped: the last resource failed; e edits and comes back, r retries, Z steps back";
            Some((Role::Error, words.into()))
        }
        Pause::Stopped => Some((Role::Note, "stopped as asked".into())),
        _ => None,
    };
    tui.step.why = Some(why);
    if let Some((role, words)) = stop {
        tui.say(role, words);
    }
    vec![]
}

/// Puts the cursor on what failed last, where it is not on something that did: it is what one edits, or tries again.
fn stand_on_failed(state: &mut State) {
    let has_failed =
        |id: &&ResourceId| state.rows.find(id).is_some_and(|row| matches!(row.state, TurnState::Failed { .. }));
    if state.cursor_id().filter(has_failed).is_some() {
        return;
    }
    let failed = state.taken.iter().rev().map(|(id, _)| id).find(has_failed);
    if let Some(at) = failed.and_then(|id| state.rows.position(id)) {
        state.list.cursor = at;
        state.panes = Default::default();
    }
}

/// Puts the cursor on a resource.
pub fn select(tui: &mut Tui, id: &ResourceId) {
    if tui.step.rows.position(id).is_none() {
        widen(tui);
        filter(tui, "");
    }
    if let Some(at) = tui.step.rows.position(id) {
        tui.step.list.cursor = at;
        tui.step.summary = false;
    }
}

/// Puts the cursor back on a row where it is still there, without turning from the plan's summary.
pub fn restore(tui: &mut Tui, id: &ResourceId, top: usize) {
    if let Some(at) = tui.step.rows.position(id) {
        tui.step.list = List { cursor: at, offset: top };
    }
}

pub fn go(tui: &mut Tui, pane: Pane, step: Move, count: usize) -> Vec<Effect> {
    let (width, height) = tui.room(pane);
    if pane == Pane::Order {
        let len = tui.step.rows.len();
        let below = rows::below(tui, height);
        tui.step.list.go(step, count, len, height.saturating_sub(below));
        tui.step.summary = false;
        tui.step.panes = Default::default();
    } else {
        let len = panes::body(tui, pane, width).len();
        tui.step.panes[panes::slot(pane)].scroll(step, count, len, height);
    }
    vec![]
}

pub fn click(tui: &mut Tui, row: usize) -> Vec<Effect> {
    let at = tui.step.list.offset + row;
    if at < tui.step.rows.len() {
        tui.step.list.cursor = at;
        tui.step.summary = false;
        tui.step.panes = Default::default();
    }
    vec![]
}

pub fn filter(tui: &mut Tui, words: &str) {
    let kept = tui.step.cursor_id().cloned();
    tui.step.words = words.to_string();
    tui.step.anchor = None;
    let graph = tui.step.program().map(|program| program.graph.clone());
    tui.step.rows.filter(words, graph.as_deref());
    tui.step.list.cursor = kept.and_then(|id| tui.step.rows.position(&id)).unwrap_or(0);
}

/// Selects rows from the cursor's on, or no longer.
pub(super) fn toggle_range(tui: &mut Tui) {
    tui.step.anchor = if tui.step.anchor.is_some() { None } else { Some(tui.step.list.cursor) };
}

/// Selects no rows any more; false where none were.
pub fn drop_range(tui: &mut Tui) -> bool {
    tui.step.anchor.take().is_some()
}

/// Only this resource, with what it needs and what needs it; all again where it was so.
pub(super) fn toggle_only(tui: &mut Tui) {
    let only = if tui.step.only.is_some() { None } else { tui.step.cursor_id().cloned() };
    show_only(tui, only);
}

/// Shows all again; false where all are shown.
pub fn widen(tui: &mut Tui) -> bool {
    let was_narrow = tui.step.only.is_some();
    if was_narrow {
        show_only(tui, None);
    }
    was_narrow
}

fn show_only(tui: &mut Tui, only: Option<ResourceId>) {
    let words = tui.step.words.clone();
    look_around(&mut tui.step, only);
    filter(tui, &words);
}

/// Finds the rows around a resource; all are shown again where it is not there any more.
fn look_around(state: &mut State, only: Option<ResourceId>) {
    let program = state.program.clone();
    let found =
        program.as_ref().zip(only.as_ref()).and_then(|(program, id)| Some((program, program.graph.find(id)?.0)));
    let near = found.map(|(program, node)| {
        let (needs, needed_by) = (program.wiring.reach(node, false), program.wiring.reach(node, true));
        let nodes = needs.into_iter().zip(needed_by).enumerate().filter(|(_, (needed, needs))| *needed || *needs);
        nodes.map(|(at, _)| program.id(NodeIndex(at as u32)))
    });
    state.only = only.filter(|_| near.is_some());
    state.rows.look_around(near);
}

pub fn settle(tui: &mut Tui) {
    changes::want(tui);
    let (_, height) = tui.room(Pane::Order);
    let len = tui.step.rows.len();
    let below = rows::below(tui, height);
    tui.step.list.settle(len, height.saturating_sub(below));
    for (pane, _) in tui.layout().panes {
        // What stands at its top is within its lines; to count them may be long.
        let is_scrolled = pane.screen() == ScreenId::Step && tui.step.panes[panes::slot(pane)].offset > 0;
        if tui.panes().contains(&pane) && pane != Pane::Order && is_scrolled {
            let (width, height) = tui.room(pane);
            let len = panes::body(tui, pane, width).len();
            tui.step.panes[panes::slot(pane)].settle_text(len, height);
        }
    }
}

pub fn view(tui: &Tui, buf: &mut Buffer, pane: Pane, area: Rect) {
    match pane {
        Pane::Order => rows::view(tui, buf, area),
        Pane::Said => log::view_last(tui, buf, area),
        _ => panes::view(tui, buf, pane, area),
    }
}

/// The counts of a summary that are not zero, each with its letter.
pub fn counts(look: &Look, summary: &Summary) -> Vec<(String, Style)> {
    let refresh = (look.glyphs.refresh, look.style(Role::Refresh));
    let all = [
        (look.action(Plans::None), summary.none),
        (look.action(Plans::Create), summary.create),
        (look.action(Plans::Change), summary.change),
        (look.action(Plans::Replace), summary.replace),
        (look.action(Plans::Remove), summary.remove),
        (look.action(Plans::Run), summary.run),
        (look.action(Plans::Unknown), summary.unknown),
        (refresh, summary.refresh),
    ];
    all.into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|((letter, style), count)| (format!("{letter}{count}"), style))
        .collect()
}

/// A resource's name, cut for a place of so many columns.
fn name(id: &ResourceId, room: usize, look: &Look) -> String {
    text::fit_middle(&id.to_string(), room, look.glyphs.cut).into_owned()
}
