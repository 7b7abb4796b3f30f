//! Edit and retry in LIVE: after a failure the source is edited, and the failed step is retried with the edit.
//!
//! A live run applies what was agreed to and nothing else, so it is asked. Where only what is wanted of the resource that failed
//! differs, it is tried so within the same deploy, whose record tells that. Else a new deploy goes on from there: what was edited
//! is planned anew, on a machine where all that is done is right already, and agreed to again; the resource that failed is next
//! then, unless something that it needs is not right any more.

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
use crate::tui::layer::Layer;
use crate::tui::look::Role;
use crate::tui::message::Job;
use crate::tui::screen::ScreenId;
use crate::tui::state::State as Tui;
use crate::tui::update;
use crate::tui::widget::text;

/// The longest list in the question.
const MOST: usize = 10;

/// How far one is with mending what failed, from the edit to a run that is back at it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Mending {
    #[default]
    Not,
    /// The source of this one is edited, and read again.
    Edits(ResourceId),
    /// The question is shown: use the edit in the deploy, or else in a new one.
    Asks { id: ResourceId, within: Option<Vec<Change>> },
    /// The run retries this one with the edit, and checks it.
    Amends(ResourceId),
    /// The rest is planned again for it.
    Plans(ResourceId),
    /// A new deploy is to go on from it.
    GoesOn(ResourceId),
    /// The new deploy is on its way there.
    Back(WayBack),
}

impl Mending {
    /// Whether what was edited is still to be asked about, or is.
    pub fn is_edited(&self) -> bool {
        matches!(self, Self::Edits(_) | Self::Asks { .. })
    }

    /// What remains of it where the run on show goes: what a new deploy is for.
    pub fn of_another(self) -> Self {
        if matches!(self, Self::Plans(_) | Self::GoesOn(_)) { self } else { Self::Not }
    }

    /// There is no plan of what is left.
    pub fn gives_up(&mut self) {
        if matches!(self, Self::Plans(_)) {
            *self = Self::Not;
        }
    }

    /// A new deploy starts: what it continues.
    pub fn goes_on_from(&mut self) -> Option<ResourceId> {
        match std::mem::take(self) {
            Self::GoesOn(id) => Some(id),
            _ => None,
        }
    }
}

/// The editor was left: in a live run that waits, what failed is what was edited for.
pub fn edited(tui: &mut Tui) {
    let state = &mut tui.step;
    if tui.screen != ScreenId::Step || state.live.phase != Phase::Live || state.running {
        return;
    }
    let has_failed =
        |id: &&ResourceId| state.rows.find(id).is_some_and(|row| matches!(row.state, TurnState::Failed { .. }));
    let under_cursor = state.rows.shown(state.list.cursor).map(|row| &row.id);
    let taken = state.taken.iter().rev().map(|(id, _)| id);
    let edited = under_cursor.into_iter().chain(taken).find(has_failed).cloned();
    state.live.mending = edited.map_or(Mending::Not, Mending::Edits);
}

/// The program was read again: asks whether to continue with the edit.
pub fn compiled(tui: &mut Tui) {
    if tui.step.live.phase != Phase::Live || tui.step.running {
        return;
    }
    let (Mending::Edits(id), Some(old)) = (tui.step.live.mending.clone(), tui.step.program.clone()) else { return };
    let Some(new) = tui.program.clone() else { return };
    if new.has_errors() {
        let words = format!("{}; the run is unchanged", new.errors_words());
        tui.say(Role::Error, words);
        return;
    }
    tui.step.live.mending = Mending::Not;
    let delta = delta(&old.graph, &new.graph);
    if delta.is_empty() {
        tui.say(Role::Note, format!("no change: r retries {id} as before"));
        return;
    }
    ask(tui, &delta, id);
}

/// It was not agreed to.
pub fn declined(tui: &mut Tui) {
    tui.step.live.mending = Mending::Not;
    tui.say(Role::Warning, "not used: the deploy keeps the version before the edit; r, s or c asks again, u undoes");
}

/// Whether a request is held back, since a failure was edited for and the run on show is of the source before that: neither is
/// the old text tried again, nor gone on from without a word. The question stands again, or what else there is to do is said.
pub(super) fn holds(tui: &mut Tui) -> bool {
    let state = &tui.step;
    if state.live.phase != Phase::Live || state.live.of_other.is_some() || state.running || state.turn == tui.turn {
        return false;
    }
    let failed = state.taken.iter().rev().map(|(id, _)| id);
    let is_failed =
        |id: &&ResourceId| state.rows.find(id).is_some_and(|row| matches!(row.state, TurnState::Failed { .. }));
    let under_cursor = state.cursor_id();
    let Some(id) = under_cursor.into_iter().chain(failed).find(is_failed).cloned() else { return false };
    if tui.is_working(Job::Compile) {
        tui.say(Role::Warning, "the source is being read again: try again in a moment");
        return true;
    }
    let (Some(old), Some(new)) = (state.program.clone(), tui.program.clone()) else { return false };
    if new.has_errors() {
        let words = format!("{}; nothing was changed: e edit, u undo", new.errors_words());
        tui.say(Role::Error, words);
        return true;
    }
    let delta = delta(&old.graph, &new.graph);
    if delta.is_empty() {
        return false;
    }
    // One of several that were edited in one go is to be tried so: that is gone on with, and the others are asked about in turn.
    let is_in_turn = tui.step.live.tries_part_of == Some(tui.turn) && !tui.step.cursor_failed();
    if is_in_turn && !matches!(edited_within(tui, &delta, &id), Edited::Otherwise) {
        return false;
    }
    ask(tui, &delta, id);
    true
}

fn ask(tui: &mut Tui, delta: &Delta, id: ResourceId) {
    let (id, edit) = amendment(tui, delta, id);
    let lines = match &edit {
        Some(edit) => question_within(tui, &id, edit),
        None => question(delta, &id),
    };
    tui.step.live.mending = Mending::Asks { id, within: edit.map(|edit| edit.changes) };
    tui.layers.push(Layer::confirm(lines, Action::Mend));
}

/// What was edited, for a run that stands at the failure of this one.
fn edited_within(tui: &Tui, delta: &Delta, id: &ResourceId) -> Edited {
    let has_failed =
        |id: &ResourceId| tui.step.rows.find(id).is_some_and(|row| matches!(row.state, TurnState::Failed { .. }));
    match (&tui.step.program, &tui.program) {
        (Some(old), Some(new)) => session::edited(&old.graph, &new.graph, delta, has_failed, id),
        _ => Edited::Otherwise,
    }
}

/// What is wanted otherwise of the resource that failed, or else of another one that did; nothing where more differs than that.
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
    let (old, new) = (tui.step.program.as_ref()?, tui.program.as_ref()?);
    let live = &tui.step.live;
    if live.phase != Phase::Live || live.of_other.is_some() || tui.step.running || new.has_errors() {
        return None;
    }
    let delta = delta(&old.graph, &new.graph);
    let id = delta.resources.first().map(|(id, _)| id.clone())?;
    let (id, edit) = amendment(tui, &delta, id);
    edit.map(|_| id)
}

fn question_within(tui: &Tui, id: &ResourceId, edit: &Edit) -> Vec<String> {
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
    let deploy = tui.step.live.deploy.unwrap_or_default();
    lines.push(format!("Use the edited version in deploy {deploy}?"));
    lines.push("History will record the change.".into());
    lines.push("Nothing is written until you press s or c.".into());
    lines
}

/// Has the run retry the failed step with the edit, if the edit is the confirmed one.
fn amend(tui: &mut Tui, id: ResourceId, agreed: Vec<Change>) -> Vec<Effect> {
    let (Some(old), Some(program)) = (tui.step.program.clone(), tui.program.clone()) else { return vec![] };
    let may_be = may_amend(tui).is_some();
    let edit = match edited_within(tui, &delta(&old.graph, &program.graph), &id) {
        Edited::Within(edit) if may_be && edit.changes == agreed => Some(edit),
        _ => None,
    };
    let Some(Edit { says, beside, .. }) = edit else {
        // The source was read again since it was asked.
        if !holds(tui) {
            tui.say(Role::Note, format!("no change any more: r retries {id} as before"));
        }
        return vec![];
    };
    tui.step.live.tries_part_of = Some(tui.turn).filter(|_| !beside.is_empty());
    let program = if beside.is_empty() { program } else { Arc::new(program.with_params(says)) };
    tui.step.live.mending = Mending::Amends(id.clone());
    super::select(tui, &id);
    (tui.step.running, tui.step.stepping) = (true, true);
    live::log_answer(tui, &Request::Retry { resource: id.clone() });
    vec![Effect::Amend { program, resource: id, run: tui.step.run }]
}

/// It cannot be tried so within the deploy: the other way is asked about.
pub(super) fn not_amended(tui: &mut Tui, id: ResourceId, why: &str) {
    let state = &mut tui.step;
    (state.running, state.stepping, state.owed, state.live.mending) = (false, false, 0, Mending::Not);
    state.put_off.clear();
    let (Some(old), Some(new)) = (tui.step.program.clone(), tui.program.clone()) else { return };
    let mut lines = vec![format!("Cannot use the edit in this deploy: {why}.")];
    lines.extend(question(&delta(&old.graph, &new.graph), &id));
    tui.step.live.mending = Mending::Asks { id, within: None };
    tui.layers.push(Layer::confirm(lines, Action::Mend));
}

/// The run uses another declaration from here on: the rows are of the edited program.
pub(super) fn amended(tui: &mut Tui, resource: Resource, changes: &[Change]) {
    let Some(program) = tui.step.program.clone() else { return };
    let (id, mut graph) = (resource.id.clone(), Graph::clone(&program.graph));
    let Some(at) = graph.find(&id) else { return };
    *graph.node_mut(at) = Node::Resource(resource);
    // While the source is read again, what is shown is not of the newest turn.
    let newest = tui.program.clone().filter(|newest| !newest.has_errors() && !tui.is_working(Job::Compile));
    let newest = newest.filter(|newest| delta(&graph, &newest.graph).is_empty());
    match newest {
        Some(newest) => {
            planning::reads(&mut tui.step, newest);
            tui.step.turn = tui.turn;
        }
        None => tui.step.program = Some(Arc::new(program.with_params(graph))),
    }
    let names: Vec<&str> = changes.iter().map(|change| &*change.property).collect();
    live::log(tui, format!("{id}  edited during the deploy: {}", text::safe(&names.join(", "))));
}

/// The run waits for a request: what it was told to try otherwise was looked at.
pub(super) fn rests(tui: &mut Tui) {
    match std::mem::take(&mut tui.step.live.mending) {
        Mending::Amends(id) => tui.say(Role::Warning, format!("{id} updated. Press s or c to apply.")),
        other => tui.step.live.mending = other,
    }
}

/// What differs, and what would be done about it.
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

/// The live run on show is over, and its lock given back: what is left is planned anew, on the machine as it is now and by the
/// source as it is now, and agreed to again; then this one is next, as after an edit.
pub(super) fn try_again(tui: &mut Tui, id: ResourceId) -> Vec<Effect> {
    remember(tui);
    tui.say(Role::Note, format!("checking the rest, to retry {id}"));
    tui.step.live.mending = Mending::Plans(id);
    tui.plans_next = true;
    update::recompile(tui)
}

/// Whether the question is still valid: its deploy continues.
pub fn is_asked(tui: &Tui) -> bool {
    tui.step.live.phase == Phase::Live && matches!(tui.step.live.mending, Mending::Asks { .. })
}

/// Ends the deploy on show, and plans what is left.
pub fn agreed(tui: &mut Tui) -> Vec<Effect> {
    let is_asked = is_asked(tui);
    let (true, Mending::Asks { id, within }) = (is_asked, std::mem::take(&mut tui.step.live.mending)) else {
        tui.say(Role::Note, "the deploy has ended: nothing was changed");
        return vec![];
    };
    if let Some(changes) = within {
        return amend(tui, id, changes);
    }
    remember(tui);
    let mut effects = live::leave(tui, "to continue with the edit");
    tui.step.live.mending = Mending::Plans(id);
    effects.extend(super::plan(tui));
    effects
}

/// What the deploy on show has done stays done, and is told so beside the one that goes on from there.
fn remember(tui: &mut Tui) {
    let step = &tui.step;
    let Some(deploy) = step.live.deploy else { return };
    let is_done = |id: &ResourceId| step.rows.find(id).is_some_and(|row| row.state == TurnState::Done);
    let done = step.taken.iter().map(|(id, _)| id).filter(|id| is_done(id)).cloned();
    // What it was told of as done before stays so too.
    let before = step.live.earlier.clone().unwrap_or_default().still(is_done);
    tui.step.live.earlier = Some(before.and(deploy, done, |id| step.live.changes(id)));
}

/// A plan is here. Where it is the one of what is left, it is asked for; a later one keeps in mind what is to be next only where
/// that is still to do.
pub(super) fn planned(tui: &mut Tui) -> Vec<Effect> {
    let step = &mut tui.step;
    let id = match std::mem::take(&mut step.live.mending) {
        Mending::Plans(id) => id,
        Mending::GoesOn(id) if step.rows.find(&id).is_none() || step.is_idle(&id) => return vec![],
        other => {
            step.live.mending = other;
            return vec![];
        }
    };
    super::select(tui, &id);
    tui.step.summary = true;
    if !tui.step.has_work() {
        tui.say(Role::Good, "nothing left to apply: everything is unchanged");
    } else if let Some(why) = live::strange(tui) {
        tui.say(Role::Warning, why);
    } else {
        if tui.step.rows.find(&id).is_some() {
            tui.step.live.mending = Mending::GoesOn(id);
        }
        return live::ask(tui);
    }
    vec![]
}

/// The new deploy waits: what was done stands before what failed, so it is looked at, and where all of it is still right
/// that is next. Nothing is written by a look.
pub(super) fn begun(tui: &mut Tui, id: ResourceId, deploy: u64) -> Vec<Effect> {
    let Some(program) = tui.step.program.clone() else { return vec![] };
    let needed = program.graph.find(&id).map(|node| program.requirements(node)).unwrap_or_default();
    let needed = needed.into_iter().filter(|node| program.graph.resource(*node).is_some());
    let is_right = |id: &&ResourceId| {
        let step = tui.step.step_of(id).filter(|step| step.certainty == Certainty::Known && !step.refresh);
        step.is_some() && tui.step.is_idle(id)
    };
    let (right, open): (Vec<_>, Vec<_>) = needed.map(|node| program.id(node)).partition(is_right);
    let words = match open.first() {
        None => format!("LIVE: deploy {deploy} continues at {id}: s step, c continue, u undo"),
        Some(before) => format!("LIVE: deploy {deploy}: {before} runs before {id}: s step, c continue"),
    };
    live::log(tui, words.clone());
    tui.say(Role::Warning, words);
    let looks = if open.is_empty() { right.into_iter().cloned().collect() } else { VecDeque::new() };
    super::select(tui, &id);
    tui.step.live.mending = Mending::Back(WayBack { looks, to: id, is_picked: false });
    vec![]
}

/// What a new deploy looks at, one after the other, before it is back at what failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WayBack {
    looks: VecDeque<ResourceId>,
    to: ResourceId,
    /// The first of these was made next.
    is_picked: bool,
}

/// The next request on that way, as the run waits. It ends where anything is not as it was planned: a turn is taken of nothing
/// but what is to be looked at, and what is right writes nothing.
pub(super) fn way_back(state: &mut State, why: &Pause) -> Option<Request> {
    let mut way = match std::mem::take(&mut state.live.mending) {
        Mending::Back(way) => way,
        other => {
            state.live.mending = other;
            return None;
        }
    };
    if !matches!(why, Pause::Start | Pause::Stepped) {
        return None;
    }
    let Some(id) = way.looks.front().cloned() else {
        state.picked = Some((way.to.clone(), Picked::Back));
        return Some(Request::Pick { resource: way.to });
    };
    let request = match way.is_picked {
        false => Request::Pick { resource: id },
        true if state.next.as_ref() == Some(&id) => {
            way.looks.pop_front();
            Request::Step
        }
        true => return None,
    };
    way.is_picked = !way.is_picked;
    state.live.mending = Mending::Back(way);
    Some(request)
}

#[cfg(test)]
mod tests {
    use super::live::Earlier;
    use super::*;

    #[test]
    fn what_was_done_before_is_told_with_the_deploy_that_did_it() {
        let ids = |names: &[&'static str]| names.iter().map(|name| ResourceId((*name).into())).collect::<Vec<_>>();
        let did = |earlier: Earlier, deploy, done: &[&'static str], changed: &[&'static str]| {
            let changed = ids(changed);
            earlier.and(deploy, ids(done).into_iter(), |id| changed.contains(id))
        };
        let by = |earlier: &Earlier| ids(&["a", "b", "c"]).iter().map(|id| earlier.by(id)).collect::<Vec<_>>();
        let first = did(Earlier::default(), 7, &["a", "b"], &["b"]);
        assert_eq!(by(&first), [Some(7), Some(7), None]);
        // The next one finds `a` right, and has to do `b` once more.
        let second = did(first, 8, &["a", "b", "c"], &["b", "c"]);
        assert_eq!(by(&second), [Some(7), Some(8), Some(8)]);
        let third = did(second.still(|id| *id.0 != *"b"), 9, &["a"], &[]);
        assert_eq!(by(&third), [Some(7), None, Some(8)]);
    }

    #[test]
    fn on_the_way_back_a_turn_is_taken_of_nothing_but_what_is_looked_at() {
        let id = |name: &str| ResourceId(name.into());
        let pick = |name: &str| Some(Request::Pick { resource: id(name) });
        let mut state = State::default();
        let looks = VecDeque::from([id("a[1]"), id("a[2]")]);
        let mut on_the_way = |ends: &[(&str, Pause, Option<Request>)]| {
            let way = WayBack { looks: looks.clone(), to: id("a[3]"), is_picked: false };
            state.live.mending = Mending::Back(way);
            for (next, why, request) in ends {
                state.next = Some(id(next));
                assert_eq!(way_back(&mut state, why), *request, "{next} {why:?}");
            }
            state.live.mending == Mending::Not
        };
        let stepped = Pause::Stepped;
        let first = [("a[0]", Pause::Start, pick("a[1]")), ("a[1]", stepped.clone(), Some(Request::Step))];
        let second = [("a[0]", stepped.clone(), pick("a[2]")), ("a[2]", stepped.clone(), Some(Request::Step))];
        let last = [("a[0]", stepped.clone(), pick("a[3]"))];
        assert!(on_the_way(&[&first[..], &second, &last].concat()));
        // The first is not right any more, so that the second is blocked, or another one stands before it.
        assert!(on_the_way(&[&first[..], &[("a[2]", Pause::Failure, None)]].concat()));
        assert!(on_the_way(&[&first[..], &second[..1], &[("a[0]", stepped, None)]].concat()));
    }
}
