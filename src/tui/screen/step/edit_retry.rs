//! Edit and retry in LIVE: after a failure the source is edited, and the failed step is retried with the edit.
//!
//! A live run only applies what was confirmed, so it asks. If only the failed resource's parameters differ, the step is
//! retried within the same deploy, and the record shows the edit. Otherwise a new deploy continues: the edited program
//! is planned again on the current machine, where finished steps are unchanged, and confirmed again. The failed
//! resource is its first step, unless a requirement has changed.

use std::{collections::VecDeque, sync::Arc};

use super::phase::{Busy, DryRequest, Phase};
use super::redo::Picked;
use super::{State, live, planning};
use crate::engine::message::{Pause, TurnState};
use crate::graph::delta::{Delta, delta};
use crate::graph::{Graph, Node, Resource, ResourceId};
use crate::plan::{Certainty, Change};
use crate::session::history::change_words;
use crate::session::{self, Edit, Edited};
pub(super) use crate::tui::screen::step::data::{EditRetry, WayBack};
use crate::tui::{
    cx::Cx, effect::Effect, keymap::Action, layer::Question, look::Role, message::Job, screen::ScreenId,
    screen::step::PlanScreen, widget::text,
};

/// The longest list in the question.
const MOST: usize = 10;

impl EditRetry {
    /// Whether there is an edit that is not decided yet.
    pub fn is_edited(&self) -> bool {
        matches!(self, Self::Edits(_) | Self::Asks { .. })
    }
}

impl State {
    fn set_edit(&mut self, edit: EditRetry) {
        self.phase.live_mut().into_iter().for_each(|live| live.edit = edit.clone());
    }

    /// The rest is planned again, to continue from this step.
    fn retries(&mut self, id: ResourceId) {
        if let Phase::Ended(ended) = &mut self.phase {
            ended.retries = Some(id);
        }
    }
}

/// The editor was closed: in a waiting live run, the edit is for the failed step.
pub fn edited(screen: &mut PlanScreen, cx: &mut Cx) {
    if cx.screen != ScreenId::Step || screen.phase.waiting_live().is_none() {
        return;
    }
    let failed = screen.failure().cloned();
    screen.set_edit(failed.map_or(EditRetry::Not, EditRetry::Edits));
}

/// The program was read again: asks whether to continue with the edit.
pub fn compiled(screen: &mut PlanScreen, cx: &mut Cx) {
    let Some(live) = screen.phase.waiting_live() else { return };
    let (EditRetry::Edits(id), Some(old)) = (live.edit.clone(), screen.program.clone()) else { return };
    let Some(new) = cx.programs.newest.clone() else { return };
    if new.has_errors() {
        let words = format!("{}; the run is unchanged", new.errors_words());
        cx.show_notice(Role::Error, words);
        return;
    }
    screen.set_edit(EditRetry::Not);
    let delta = delta(&old.graph, &new.graph);
    if delta.is_empty() {
        cx.show_notice(Role::Note, format!("no change: r retries {id} as before"));
        return;
    }
    ask(screen, cx, &delta, id);
}

pub fn declined(screen: &mut PlanScreen, cx: &mut Cx) {
    screen.set_edit(EditRetry::Not);
    cx.show_notice(
        Role::Warning,
        "not used: the deploy keeps the version before the edit; r, s or c asks again, u undoes",
    );
}

/// Whether a request is held back because the source was edited after a failure and the shown run has the old source.
/// Neither retrying the old text nor continuing happens without a word: the question is shown again, or the
/// alternatives.
pub(super) fn holds(screen: &mut PlanScreen, cx: &mut Cx) -> bool {
    let live = screen.phase.waiting_live().filter(|live| live.shown.of_other.is_none());
    let Some(live) = live.filter(|_| screen.turn != cx.programs.turn) else { return false };
    let is_in_turn = live.tries_part_of == Some(cx.programs.turn) && !screen.cursor_failed();
    let Some(id) = screen.failure().cloned() else { return false };
    if cx.is_working(Job::Compile) {
        cx.show_notice(Role::Warning, "the source is being read again: try again in a moment");
        return true;
    }
    let (Some(old), Some(new)) = (screen.program.clone(), cx.programs.newest.clone()) else { return false };
    if new.has_errors() {
        let words = format!("{}; nothing was changed: e edit, u undo", new.errors_words());
        cx.show_notice(Role::Error, words);
        return true;
    }
    let delta = delta(&old.graph, &new.graph);
    if delta.is_empty() {
        return false;
    }
    // One of several edits is being retried: it continues, and the others are asked about in turn.
    if is_in_turn && !matches!(edited_within(screen, cx, &delta, &id), Edited::Otherwise) {
        return false;
    }
    ask(screen, cx, &delta, id);
    true
}

fn ask(screen: &mut PlanScreen, cx: &mut Cx, delta: &Delta, id: ResourceId) {
    let (id, edit) = amendment(screen, cx, delta, id);
    let lines = match &edit {
        Some(edit) => question_within(screen, &id, edit),
        None => question(delta, &id),
    };
    screen.set_edit(EditRetry::Asks { id, within: edit.map(|edit| edit.changes) });
    cx.layers.open.push(Question::yes(lines, Action::Mend).into());
}

/// The edit for a run that waits at the failure of this resource.
fn edited_within(screen: &PlanScreen, cx: &Cx, delta: &Delta, id: &ResourceId) -> Edited {
    match (&screen.program, &cx.programs.newest) {
        (Some(old), Some(new)) => {
            session::edited(&old.graph, &new.graph, delta, |id: &ResourceId| screen.has_failed(id), id)
        }
        _ => Edited::Otherwise,
    }
}

/// The edit of the failed resource, or of another failed one; `None` if more differs.
fn amendment(screen: &PlanScreen, cx: &Cx, delta: &Delta, id: ResourceId) -> (ResourceId, Option<Edit>) {
    let other = match edited_within(screen, cx, delta, &id) {
        Edited::Within(edit) => return (id, Some(edit)),
        Edited::Beside(others) => others.into_iter().next(),
        Edited::Otherwise => None,
    };
    match other.map(|other| (edited_within(screen, cx, delta, &other), other)) {
        Some((Edited::Within(edit), other)) => (other, Some(edit)),
        _ => (id, None),
    }
}

/// The failed steps whose edits could be used in the deploy.
pub(super) fn may_amend(screen: &PlanScreen, cx: &Cx) -> Option<ResourceId> {
    let (old, new) = (screen.program.as_ref()?, cx.programs.newest.as_ref()?);
    let live = screen.phase.waiting_live()?;
    if live.shown.of_other.is_some() || new.has_errors() {
        return None;
    }
    let delta = delta(&old.graph, &new.graph);
    let id = delta.resources.first().map(|(id, _)| id.clone())?;
    let (id, edit) = amendment(screen, cx, &delta, id);
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
    let deploy = step.phase.deploy().unwrap_or_default();
    lines.push(format!("Use the edited version in deploy {deploy}?"));
    lines.push("History will record the change.".into());
    lines.push("Nothing is written until you press s or c.".into());
    lines
}

/// Has the run retry the failed step with the edit, if the edit is the confirmed one.
fn amend(screen: &mut PlanScreen, cx: &mut Cx, id: ResourceId, agreed: Vec<Change>) {
    let (Some(old), Some(program)) = (screen.program.clone(), cx.programs.newest.clone()) else {
        return;
    };
    let may_be = may_amend(screen, cx).is_some();
    let edit = match edited_within(screen, cx, &delta(&old.graph, &program.graph), &id) {
        Edited::Within(edit) if may_be && edit.changes == agreed => Some(edit),
        _ => None,
    };
    let Some(Edit { says, beside, .. }) = edit else {
        // The source was read again since the question.
        if !holds(screen, cx) {
            cx.show_notice(Role::Note, format!("no change any more: r retries {id} as before"));
        }
        return;
    };
    let tries_part_of = Some(cx.programs.turn).filter(|_| !beside.is_empty());
    let program = if beside.is_empty() { program } else { Arc::new(program.with_params(says)) };
    super::select(screen, &id);
    if let Some(live) = screen.phase.live_mut() {
        (live.tries_part_of, live.edit) = (tries_part_of, EditRetry::Amends(id.clone()));
        live.run.busy = Some(Busy::Stepping { queued: 0 });
    }
    live::log_answer(cx, &DryRequest::Recheck { resource: id.clone() });
    cx.effect(Effect::Amend { program, resource: id, run: screen.run })
}

/// The edit cannot be used within the deploy: asks about a new one.
pub(super) fn not_amended(screen: &mut PlanScreen, cx: &mut Cx, id: ResourceId, why: &str) {
    if let Some(live) = screen.phase.live_mut() {
        (live.run.busy, live.edit) = (None, EditRetry::Not);
    }
    screen.keys.clear();
    let (Some(old), Some(new)) = (screen.program.clone(), cx.programs.newest.clone()) else { return };
    let mut lines = vec![format!("Cannot use the edit in this deploy: {why}.")];
    lines.extend(question(&delta(&old.graph, &new.graph), &id));
    screen.set_edit(EditRetry::Asks { id, within: None });
    cx.layers.open.push(Question::yes(lines, Action::Mend).into());
}

/// The run uses another declaration from here on: the rows are of the edited program.
pub(super) fn amended(screen: &mut PlanScreen, cx: &mut Cx, resource: Resource, changes: &[Change]) {
    let Some(program) = screen.program.clone() else { return };
    let (id, mut graph) = (resource.id.clone(), Graph::clone(&program.graph));
    let Some(at) = graph.find(&id) else { return };
    *graph.node_mut(at) = Node::Resource(resource);
    // While the source is read again, the shown rows belong to an older compilation.
    let newest = cx.programs.newest.clone().filter(|newest| !newest.has_errors() && !cx.is_working(Job::Compile));
    let newest = newest.filter(|newest| delta(&graph, &newest.graph).is_empty());
    match newest {
        Some(newest) => {
            planning::reads(screen, newest);
            screen.turn = cx.programs.turn;
        }
        None => screen.program = Some(Arc::new(program.with_params(graph))),
    }
    let names: Vec<&str> = changes.iter().map(|change| &*change.property).collect();
    live::log(cx, format!("{id}  edited during the deploy: {}", text::safe(&names.join(", "))));
}

/// The run waits for a request: the edited step has been checked.
pub(super) fn rests(screen: &mut PlanScreen, cx: &mut Cx) {
    let edit = screen.phase.live_mut().map(|live| &mut live.edit);
    if let Some(edit) = edit.filter(|edit| matches!(edit, EditRetry::Amends(_)))
        && let EditRetry::Amends(id) = std::mem::take(edit)
    {
        cx.show_notice(Role::Warning, format!("{id} updated. Press s or c to apply."));
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
pub(super) fn try_again(screen: &mut PlanScreen, cx: &mut Cx, id: ResourceId) {
    remember(screen);
    cx.show_notice(Role::Note, format!("checking the rest, to retry {id}"));
    screen.retries(id);
    cx.programs.plans_next = true;
    cx.recompile()
}

/// Whether the question is still valid: its deploy continues.
pub fn is_asked(screen: &PlanScreen) -> bool {
    screen.phase.live().is_some_and(|live| matches!(live.edit, EditRetry::Asks { .. }))
}

/// Ends the deploy on show, and plans what is left.
pub fn agreed(screen: &mut PlanScreen, cx: &mut Cx) {
    let edit = screen.phase.live_mut().map(|live| std::mem::take(&mut live.edit));
    let Some(EditRetry::Asks { id, within }) = edit else {
        return cx.show_notice(Role::Note, "the deploy has ended: nothing was changed");
    };
    if let Some(changes) = within {
        return amend(screen, cx, id, changes);
    }
    remember(screen);
    live::leave(screen, cx, "to continue with the edit");
    screen.retries(id);
    super::plan(screen, cx);
}

/// Remembers the finished steps of the shown deploy, to show them beside the one that continues.
fn remember(state: &mut State) {
    let (step, Some(shown)) = (&*state, state.phase.shown()) else { return };
    let Some(deploy) = shown.deploy else { return };
    let is_done = |id: &ResourceId| step.list.rows.find(id).is_some_and(|row| row.state == TurnState::Done);
    let done = step.taken.iter().map(|(id, _)| id).filter(|id| is_done(id)).cloned();
    // The steps of earlier deploys stay finished too.
    let before = shown.earlier.clone().unwrap_or_default().still(is_done);
    let earlier = before.and(deploy, done, |id| shown.changed.contains(id));
    match &mut state.phase {
        Phase::Live(live) => live.shown.earlier = Some(earlier),
        Phase::Ended(ended) => ended.shown.earlier = Some(earlier),
        _ => {}
    }
}

/// A plan is ready. If it is the plan of the rest, asks to confirm it; a later plan keeps the next resource only if it
/// is still pending.
pub(super) fn planned(screen: &mut PlanScreen, cx: &mut Cx, is_rest: bool) {
    let Phase::Dry(dry) = &mut screen.phase else { return };
    let Some(id) = dry.rest.retries.take() else { return };
    let is_pending = screen.list.rows.find(&id).is_some();
    if !is_rest {
        let stays = is_pending && !screen.is_idle(&id);
        if let (true, Phase::Dry(dry)) = (stays, &mut screen.phase) {
            dry.rest.retries = Some(id);
        }
        return;
    }
    super::select(screen, &id);
    screen.shows.summary = true;
    if !screen.has_work() {
        cx.show_notice(Role::Good, "nothing left to apply: everything is unchanged");
    } else if let Some(why) = screen.learned.strange.clone() {
        cx.show_notice(Role::Warning, why);
    } else {
        if let (true, Phase::Dry(dry)) = (is_pending, &mut screen.phase) {
            dry.rest.retries = Some(id);
        }
        live::ask(screen, cx);
    }
}

/// The new deploy waits: the finished requirements of the failed step are checked first. If all are unchanged, the
/// failed step is next. A check writes nothing.
pub(super) fn begun(screen: &mut PlanScreen, cx: &mut Cx, id: ResourceId, deploy: u64) {
    let Some(program) = screen.program.clone() else { return };
    let needed = program.graph.find(&id).map(|node| program.requirements(node)).unwrap_or_default();
    let needed = needed.into_iter().filter(|node| program.graph.resource(*node).is_some());
    let is_right = |id: &&ResourceId| {
        let step = screen.step_of(id).filter(|step| step.certainty == Certainty::Known && !step.refresh);
        step.is_some() && screen.is_idle(id)
    };
    let (right, open): (Vec<_>, Vec<_>) = needed.map(|node| program.id(node)).partition(is_right);
    let words = match open.first() {
        None => format!("LIVE: deploy {deploy} continues at {id}: s step, c continue, u undo"),
        Some(before) => format!("LIVE: deploy {deploy}: {before} runs before {id}: s step, c continue"),
    };
    cx.announce(Role::Warning, words);
    let looks = if open.is_empty() { right.into_iter().cloned().collect() } else { VecDeque::new() };
    super::select(screen, &id);
    screen.set_edit(EditRetry::Back(WayBack { looks, to: id, is_picked: false }));
}

/// The next request on that way, while the run waits. Stops at any difference from the plan: only checks are requested,
/// and an unchanged resource writes nothing.
pub(super) fn way_back(state: &mut State, why: &Pause) -> Option<DryRequest> {
    let live = state.phase.live_mut().filter(|live| matches!(live.edit, EditRetry::Back(_)))?;
    let EditRetry::Back(mut way) = std::mem::take(&mut live.edit) else { return None };
    if !matches!(why, Pause::Start | Pause::Stepped) {
        return None;
    }
    let Some(id) = way.looks.front().cloned() else {
        state.pick(way.to.clone(), Picked::Back);
        return Some(DryRequest::Pick { resource: way.to });
    };
    let request = match way.is_picked {
        false => DryRequest::Pick { resource: id },
        true if state.next_id() == Some(&id) => {
            way.looks.pop_front();
            DryRequest::Step
        }
        true => return None,
    };
    way.is_picked = !way.is_picked;
    state.set_edit(EditRetry::Back(way));
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
        let pick = |name: &str| Some(DryRequest::Pick { resource: id(name) });
        let mut state = State { phase: Phase::Live(Box::default()), ..State::default() };
        let looks = VecDeque::from([id("a[1]"), id("a[2]")]);
        let mut on_the_way = |ends: &[(&str, Pause, Option<DryRequest>)]| {
            let way = WayBack { looks: looks.clone(), to: id("a[3]"), is_picked: false };
            state.set_edit(EditRetry::Back(way));
            for (next, why, request) in ends {
                state.list.rows.run.next = Some(id(next));
                assert_eq!(way_back(&mut state, why), *request, "{next} {why:?}");
            }
            state.phase.live().is_some_and(|live| live.edit == EditRetry::Not)
        };
        let stepped = Pause::Stepped;
        let first = [("a[0]", Pause::Start, pick("a[1]")), ("a[1]", stepped.clone(), Some(DryRequest::Step))];
        let second = [("a[0]", stepped.clone(), pick("a[2]")), ("a[2]", stepped.clone(), Some(DryRequest::Step))];
        let last = [("a[0]", stepped.clone(), pick("a[3]"))];
        assert!(on_the_way(&[&first[..], &second, &last].concat()));
        // The first has drifted, so that the second is blocked, or another one comes before it.
        assert!(on_the_way(&[&first[..], &[("a[2]", Pause::Failure, None)]].concat()));
        assert!(on_the_way(&[&first[..], &second[..1], &[("a[0]", stepped, None)]].concat()));
    }
}
