//! Edit and retry in LIVE: after a failure the source is edited, and the failed step is retried with the edit.
//!
//! A live run only applies what was confirmed, so it asks. If only the failed resource's parameters differ, the step is
//! retried within the same deploy, and the record shows the edit. Otherwise a new deploy continues: the edited program
//! is planned again on the current machine, where finished steps are unchanged, and confirmed again. The failed
//! resource is its first step, unless a requirement has changed.

use std::collections::VecDeque;
use std::sync::Arc;

use super::live::{self, Phase};
use super::redo::Picked;
use super::{State, planning};
use crate::engine::message::{Pause, Request, TurnState};
use crate::graph::delta::{Delta, delta};
use crate::graph::{Graph, Node, Resource, ResourceId};
use crate::plan::{Certainty, Change};
use crate::session::history::change_words;
use crate::session::{self, Edit, Edited};
use crate::tui::effect::Effect;
use crate::tui::keymap::Action;
use crate::tui::layer::Question;
use crate::tui::look::Role;
use crate::tui::message::Job;
use crate::tui::screen::ScreenId;
use crate::tui::screen::step::data::State as Step;
pub(super) use crate::tui::screen::step::data::{EditRetry, WayBack};
use crate::tui::state::State as Tui;
use crate::tui::widget::text;

/// The longest list in the question.
const MOST: usize = 10;

impl EditRetry {
    /// Whether there is an edit that is not decided yet.
    pub fn is_edited(&self) -> bool {
        matches!(self, Self::Edits(_) | Self::Asks { .. })
    }

    /// What remains of it when the shown run ends: the purpose of a new deploy.
    pub fn of_another(self) -> Self {
        if matches!(self, Self::Plans(_) | Self::GoesOn(_)) { self } else { Self::Not }
    }

    /// There is no plan of the rest.
    pub fn gives_up(&mut self) {
        if matches!(self, Self::Plans(_)) {
            *self = Self::Not;
        }
    }

    /// A new deploy starts: the resource that it continues from.
    pub fn continues_from(&mut self) -> Option<ResourceId> {
        match std::mem::take(self) {
            Self::GoesOn(id) => Some(id),
            _ => None,
        }
    }
}

/// The editor was closed: in a waiting live run, the edit is for the failed step.
pub fn edited(tui: &mut Tui) {
    let state = &mut tui.screens.step;
    if tui.cx.screen != ScreenId::Step || state.live.phase != Phase::Live || state.running {
        return;
    }
    let has_failed =
        |id: &&ResourceId| state.list.rows.find(id).is_some_and(|row| matches!(row.state, TurnState::Failed { .. }));
    let under_cursor = state.list.rows.shown(state.list.cursor()).map(|row| &row.id);
    let taken = state.again.taken.iter().rev().map(|(id, _)| id);
    let edited = under_cursor.into_iter().chain(taken).find(has_failed).cloned();
    state.live.edit.edit_retry = edited.map_or(EditRetry::Not, EditRetry::Edits);
}

/// The program was read again: asks whether to continue with the edit.
pub fn compiled(tui: &mut Tui) {
    if tui.screens.step.live.phase != Phase::Live || tui.screens.step.running {
        return;
    }
    let (EditRetry::Edits(id), Some(old)) =
        (tui.screens.step.live.edit.edit_retry.clone(), tui.screens.step.program.clone())
    else {
        return;
    };
    let Some(new) = tui.cx.programs.newest.clone() else { return };
    if new.has_errors() {
        let words = format!("{}; the run is unchanged", new.errors_words());
        tui.cx.show_notice(Role::Error, words);
        return;
    }
    tui.screens.step.live.edit.edit_retry = EditRetry::Not;
    let delta = delta(&old.graph, &new.graph);
    if delta.is_empty() {
        tui.cx.show_notice(Role::Note, format!("no change: r retries {id} as before"));
        return;
    }
    ask(tui, &delta, id);
}

/// The question was declined.
pub fn declined(tui: &mut Tui) {
    tui.screens.step.live.edit.edit_retry = EditRetry::Not;
    tui.cx.show_notice(
        Role::Warning,
        "not used: the deploy keeps the version before the edit; r, s or c asks again, u undoes",
    );
}

/// Whether a request is held back because the source was edited after a failure and the shown run has the old source.
/// Neither retrying the old text nor continuing happens without a word: the question is shown again, or the
/// alternatives.
pub(super) fn holds(tui: &mut Tui) -> bool {
    let state = &tui.screens.step;
    if state.live.phase != Phase::Live
        || state.live.shown.of_other.is_some()
        || state.running
        || state.turn == tui.cx.programs.turn
    {
        return false;
    }
    let failed = state.again.taken.iter().rev().map(|(id, _)| id);
    let is_failed =
        |id: &&ResourceId| state.list.rows.find(id).is_some_and(|row| matches!(row.state, TurnState::Failed { .. }));
    let under_cursor = state.cursor_id();
    let Some(id) = under_cursor.into_iter().chain(failed).find(is_failed).cloned() else { return false };
    if tui.cx.is_working(Job::Compile) {
        tui.cx.show_notice(Role::Warning, "the source is being read again: try again in a moment");
        return true;
    }
    let (Some(old), Some(new)) = (state.program.clone(), tui.cx.programs.newest.clone()) else { return false };
    if new.has_errors() {
        let words = format!("{}; nothing was changed: e edit, u undo", new.errors_words());
        tui.cx.show_notice(Role::Error, words);
        return true;
    }
    let delta = delta(&old.graph, &new.graph);
    if delta.is_empty() {
        return false;
    }
    // One of several edits is being retried: it continues, and the others are asked about in turn.
    let is_in_turn =
        tui.screens.step.live.edit.tries_part_of == Some(tui.cx.programs.turn) && !tui.screens.step.cursor_failed();
    if is_in_turn && !matches!(edited_within(tui, &delta, &id), Edited::Otherwise) {
        return false;
    }
    ask(tui, &delta, id);
    true
}

fn ask(tui: &mut Tui, delta: &Delta, id: ResourceId) {
    let (id, edit) = amendment(tui, delta, id);
    let lines = match &edit {
        Some(edit) => question_within(&tui.screens.step, &id, edit),
        None => question(delta, &id),
    };
    tui.screens.step.live.edit.edit_retry = EditRetry::Asks { id, within: edit.map(|edit| edit.changes) };
    tui.cx.layers.open.push(Question::yes(lines, Action::Mend).into());
}

/// The edit for a run that waits at the failure of this resource.
fn edited_within(tui: &Tui, delta: &Delta, id: &ResourceId) -> Edited {
    let has_failed = |id: &ResourceId| {
        tui.screens.step.list.rows.find(id).is_some_and(|row| matches!(row.state, TurnState::Failed { .. }))
    };
    match (&tui.screens.step.program, &tui.cx.programs.newest) {
        (Some(old), Some(new)) => session::edited(&old.graph, &new.graph, delta, has_failed, id),
        _ => Edited::Otherwise,
    }
}

/// The edit of the failed resource, or of another failed one; `None` if more differs.
fn amendment(tui: &Tui, delta: &Delta, id: ResourceId) -> (ResourceId, Option<Edit>) {
    let other = match edited_within(tui, delta, &id) {
        Edited::Within(edit) => return (id, Some(edit)),
        Edited::Beside(others) => others.into_iter().next(),
        Edited::Otherwise => None,
    };
    match other.map(|other| (edited_within(tui, delta, &other), other)) {
        Some((Edited::Within(edit), other)) => (other, Some(edit)),
        _ => (id, None),
    }
}

/// The failed steps whose edits could be used in the deploy.
pub(super) fn may_amend(tui: &Tui) -> Option<ResourceId> {
    let (old, new) = (tui.screens.step.program.as_ref()?, tui.cx.programs.newest.as_ref()?);
    let live = &tui.screens.step.live;
    if live.phase != Phase::Live || live.shown.of_other.is_some() || tui.screens.step.running || new.has_errors() {
        return None;
    }
    let delta = delta(&old.graph, &new.graph);
    let id = delta.resources.first().map(|(id, _)| id.clone())?;
    let (id, edit) = amendment(tui, &delta, id);
    edit.map(|_| id)
}

fn question_within(step: &State, id: &ResourceId, edit: &Edit) -> Vec<String> {
    const WIDEST: usize = 68;
    let shown = |change: &Change| text::wrap(&text::safe(&change_words(&change.to_json())), WIDEST - 2);
    let Edit { changes, beside, .. } = edit;
    let only = if beside.is_empty() { "Only " } else { "" };
    let mut lines = vec![format!("{only}{id} changed:")];
    lines.extend(changes.iter().take(MOST).flat_map(shown).map(|words| format!("  {words}")));
    if changes.len() > MOST {
        lines.push(format!("  and {} more", changes.len() - MOST));
    }
    if let Some(other) = beside.first() {
        let more = if beside.len() > 1 { format!(" and {} more", beside.len() - 1) } else { String::new() };
        lines.push(format!("Also edited, asked next: {other}{more}"));
    }
    let deploy = step.live.deploy.unwrap_or_default();
    lines.push(format!("Use the edited version in deploy {deploy}?"));
    lines.push("History will record the change.".into());
    lines.push("Nothing is written until you press s or c.".into());
    lines
}

/// Has the run retry the failed step with the edit, if the edit is the confirmed one.
fn amend(tui: &mut Tui, id: ResourceId, agreed: Vec<Change>) -> Vec<Effect> {
    let (Some(old), Some(program)) = (tui.screens.step.program.clone(), tui.cx.programs.newest.clone()) else {
        return vec![];
    };
    let may_be = may_amend(tui).is_some();
    let edit = match edited_within(tui, &delta(&old.graph, &program.graph), &id) {
        Edited::Within(edit) if may_be && edit.changes == agreed => Some(edit),
        _ => None,
    };
    let Some(Edit { says, beside, .. }) = edit else {
        // The source was read again since the question.
        if !holds(tui) {
            tui.cx.show_notice(Role::Note, format!("no change any more: r retries {id} as before"));
        }
        return vec![];
    };
    tui.screens.step.live.edit.tries_part_of = Some(tui.cx.programs.turn).filter(|_| !beside.is_empty());
    let program = if beside.is_empty() { program } else { Arc::new(program.with_params(says)) };
    tui.screens.step.live.edit.edit_retry = EditRetry::Amends(id.clone());
    super::select(tui, &id);
    (tui.screens.step.running, tui.screens.step.queue.stepping) = (true, true);
    live::log_answer(tui, &Request::Retry { resource: id.clone() });
    vec![Effect::Amend { program, resource: id, run: tui.screens.step.run }]
}

/// The edit cannot be used within the deploy: asks about a new one.
pub(super) fn not_amended(tui: &mut Tui, id: ResourceId, why: &str) {
    let state = &mut tui.screens.step;
    (state.running, state.queue.stepping, state.queue.queued_steps, state.live.edit.edit_retry) =
        (false, false, 0, EditRetry::Not);
    state.queue.put_off.clear();
    let (Some(old), Some(new)) = (tui.screens.step.program.clone(), tui.cx.programs.newest.clone()) else { return };
    let mut lines = vec![format!("Cannot use the edit in this deploy: {why}.")];
    lines.extend(question(&delta(&old.graph, &new.graph), &id));
    tui.screens.step.live.edit.edit_retry = EditRetry::Asks { id, within: None };
    tui.cx.layers.open.push(Question::yes(lines, Action::Mend).into());
}

/// The run uses another declaration from here on: the rows are of the edited program.
pub(super) fn amended(tui: &mut Tui, resource: Resource, changes: &[Change]) {
    let Some(program) = tui.screens.step.program.clone() else { return };
    let (id, mut graph) = (resource.id.clone(), Graph::clone(&program.graph));
    let Some(at) = graph.find(&id) else { return };
    *graph.node_mut(at) = Node::Resource(resource);
    // While the source is read again, the shown rows belong to an older compilation.
    let newest =
        tui.cx.programs.newest.clone().filter(|newest| !newest.has_errors() && !tui.cx.is_working(Job::Compile));
    let newest = newest.filter(|newest| delta(&graph, &newest.graph).is_empty());
    match newest {
        Some(newest) => {
            planning::reads(&mut tui.screens.step, newest);
            tui.screens.step.turn = tui.cx.programs.turn;
        }
        None => tui.screens.step.program = Some(Arc::new(program.with_params(graph))),
    }
    let names: Vec<&str> = changes.iter().map(|change| &*change.property).collect();
    live::log(tui, format!("{id}  edited during the deploy: {}", text::safe(&names.join(", "))));
}

/// The run waits for a request: the edited step has been checked.
pub(super) fn rests(tui: &mut Tui) {
    match std::mem::take(&mut tui.screens.step.live.edit.edit_retry) {
        EditRetry::Amends(id) => tui.cx.show_notice(Role::Warning, format!("{id} updated. Press s or c to apply.")),
        other => tui.screens.step.live.edit.edit_retry = other,
    }
}

/// The differences, and what happens with them.
fn question(delta: &Delta, id: &ResourceId) -> Vec<String> {
    let mut lines = Vec::new();
    if session::is_alone(delta, id) {
        lines.push(format!("Only {id} changed."));
    } else {
        lines.push("The edit changes the graph:".to_string());
        lines.extend(session::differing_lines(delta));
    }
    lines.push("Continue with the new graph? This deploy ends here. The rest is planned again,".into());
    lines.push("and you are asked again. Finished steps are kept.".into());
    lines
}

/// The shown live run is over, and its lock released: plans the rest again with the current machine and source, to be
/// confirmed again. This resource is next then, as after an edit.
pub(super) fn try_again(tui: &mut Tui, id: ResourceId) -> Vec<Effect> {
    remember(&mut tui.screens.step);
    tui.cx.show_notice(Role::Note, format!("checking the rest, to retry {id}"));
    tui.screens.step.live.edit.edit_retry = EditRetry::Plans(id);
    tui.cx.programs.plans_next = true;
    tui.cx.recompile()
}

/// Whether the question is still valid: its deploy continues.
pub fn is_asked(step: &Step) -> bool {
    step.live.phase == Phase::Live && matches!(step.live.edit.edit_retry, EditRetry::Asks { .. })
}

/// Ends the deploy on show, and plans what is left.
pub fn agreed(tui: &mut Tui) -> Vec<Effect> {
    let is_asked = is_asked(&tui.screens.step);
    let (true, EditRetry::Asks { id, within }) = (is_asked, std::mem::take(&mut tui.screens.step.live.edit.edit_retry))
    else {
        tui.cx.show_notice(Role::Note, "the deploy has ended: nothing was changed");
        return vec![];
    };
    if let Some(changes) = within {
        return amend(tui, id, changes);
    }
    remember(&mut tui.screens.step);
    let mut effects = live::leave(tui, "to continue with the edit");
    tui.screens.step.live.edit.edit_retry = EditRetry::Plans(id);
    effects.extend(super::plan(tui));
    effects
}

/// Remembers the finished steps of the shown deploy, to show them beside the one that continues.
fn remember(state: &mut State) {
    let step = &*state;
    let Some(deploy) = step.live.deploy else { return };
    let is_done = |id: &ResourceId| step.list.rows.find(id).is_some_and(|row| row.state == TurnState::Done);
    let done = step.again.taken.iter().map(|(id, _)| id).filter(|id| is_done(id)).cloned();
    // The steps of earlier deploys stay finished too.
    let before = step.live.shown.earlier.clone().unwrap_or_default().still(is_done);
    state.live.shown.earlier = Some(before.and(deploy, done, |id| step.live.changes(id)));
}

/// A plan is ready. If it is the plan of the rest, asks to confirm it; a later plan keeps the next resource only if it
/// is still pending.
pub(super) fn planned(tui: &mut Tui) -> Vec<Effect> {
    let step = &mut tui.screens.step;
    let id = match std::mem::take(&mut step.live.edit.edit_retry) {
        EditRetry::Plans(id) => id,
        EditRetry::GoesOn(id) if step.list.rows.find(&id).is_none() || step.is_idle(&id) => return vec![],
        other => {
            step.live.edit.edit_retry = other;
            return vec![];
        }
    };
    super::select(tui, &id);
    tui.screens.step.shows.summary = true;
    if !tui.screens.step.has_work() {
        tui.cx.show_notice(Role::Good, "nothing left to apply: everything is unchanged");
    } else if let Some(why) = live::strange(&tui.screens.modules, &tui.screens.step) {
        tui.cx.show_notice(Role::Warning, why);
    } else {
        if tui.screens.step.list.rows.find(&id).is_some() {
            tui.screens.step.live.edit.edit_retry = EditRetry::GoesOn(id);
        }
        return live::ask(tui);
    }
    vec![]
}

/// The new deploy waits: the finished requirements of the failed step are checked first. If all are unchanged, the
/// failed step is next. A check writes nothing.
pub(super) fn begun(tui: &mut Tui, id: ResourceId, deploy: u64) -> Vec<Effect> {
    let Some(program) = tui.screens.step.program.clone() else { return vec![] };
    let needed = program.graph.find(&id).map(|node| program.requirements(node)).unwrap_or_default();
    let needed = needed.into_iter().filter(|node| program.graph.resource(*node).is_some());
    let is_right = |id: &&ResourceId| {
        let step = tui.screens.step.step_of(id).filter(|step| step.certainty == Certainty::Known && !step.refresh);
        step.is_some() && tui.screens.step.is_idle(id)
    };
    let (right, open): (Vec<_>, Vec<_>) = needed.map(|node| program.id(node)).partition(is_right);
    let words = match open.first() {
        None => format!("LIVE: deploy {deploy} continues at {id}: s step, c continue, u undo"),
        Some(before) => format!("LIVE: deploy {deploy}: {before} runs before {id}: s step, c continue"),
    };
    live::log(tui, words.clone());
    tui.cx.show_notice(Role::Warning, words);
    let looks = if open.is_empty() { right.into_iter().cloned().collect() } else { VecDeque::new() };
    super::select(tui, &id);
    tui.screens.step.live.edit.edit_retry = EditRetry::Back(WayBack { looks, to: id, is_picked: false });
    vec![]
}

/// The next request on that way, while the run waits. Stops at any difference from the plan: only checks are requested,
/// and an unchanged resource writes nothing.
pub(super) fn way_back(state: &mut State, why: &Pause) -> Option<Request> {
    let mut way = match std::mem::take(&mut state.live.edit.edit_retry) {
        EditRetry::Back(way) => way,
        other => {
            state.live.edit.edit_retry = other;
            return None;
        }
    };
    if !matches!(why, Pause::Start | Pause::Stepped) {
        return None;
    }
    let Some(id) = way.looks.front().cloned() else {
        state.cursor.picked = Some((way.to.clone(), Picked::Back));
        return Some(Request::Pick { resource: way.to });
    };
    let request = match way.is_picked {
        false => Request::Pick { resource: id },
        true if state.next_id() == Some(&id) => {
            way.looks.pop_front();
            Request::Step
        }
        true => return None,
    };
    way.is_picked = !way.is_picked;
    state.live.edit.edit_retry = EditRetry::Back(way);
    Some(request)
}

#[cfg(test)]
mod tests {
    use super::live::Earlier;
    use super::*;

    #[test]
    fn earlier_changes_are_reported_with_their_deploy() {
        let ids = |names: &[&'static str]| names.iter().map(|name| ResourceId((*name).into())).collect::<Vec<_>>();
        let did = |earlier: Earlier, deploy, done: &[&'static str], changed: &[&'static str]| {
            let changed = ids(changed);
            earlier.and(deploy, ids(done).into_iter(), |id| changed.contains(id))
        };
        let by = |earlier: &Earlier| ids(&["a", "b", "c"]).iter().map(|id| earlier.by(id)).collect::<Vec<_>>();
        let first = did(Earlier::default(), 7, &["a", "b"], &["b"]);
        assert_eq!(by(&first), [Some(7), Some(7), None]);
        // The next one finds `a` unchanged, and has to do `b` again.
        let second = did(first, 8, &["a", "b", "c"], &["b", "c"]);
        assert_eq!(by(&second), [Some(7), Some(8), Some(8)]);
        let third = did(second.still(|id| *id.0 != *"b"), 9, &["a"], &[]);
        assert_eq!(by(&third), [Some(7), None, Some(8)]);
    }

    #[test]
    fn stepping_back_takes_turns_of_checked_resources_only() {
        let id = |name: &str| ResourceId(name.into());
        let pick = |name: &str| Some(Request::Pick { resource: id(name) });
        let mut state = State::default();
        let looks = VecDeque::from([id("a[1]"), id("a[2]")]);
        let mut on_the_way = |ends: &[(&str, Pause, Option<Request>)]| {
            let way = WayBack { looks: looks.clone(), to: id("a[3]"), is_picked: false };
            state.live.edit.edit_retry = EditRetry::Back(way);
            for (next, why, request) in ends {
                state.list.rows.run.next = Some(id(next));
                assert_eq!(way_back(&mut state, why), *request, "{next} {why:?}");
            }
            state.live.edit.edit_retry == EditRetry::Not
        };
        let stepped = Pause::Stepped;
        let first = [("a[0]", Pause::Start, pick("a[1]")), ("a[1]", stepped.clone(), Some(Request::Step))];
        let second = [("a[0]", stepped.clone(), pick("a[2]")), ("a[2]", stepped.clone(), Some(Request::Step))];
        let last = [("a[0]", stepped.clone(), pick("a[3]"))];
        assert!(on_the_way(&[&first[..], &second, &last].concat()));
        // The first has drifted, so that the second is blocked, or another one comes before it.
        assert!(on_the_way(&[&first[..], &[("a[2]", Pause::Failure, None)]].concat()));
        assert!(on_the_way(&[&first[..], &second[..1], &[("a[0]", stepped, None)]].concat()));
    }
}
