//! The requests to a run: steps, skips and their blocked dependents, and the other keys of the screen.

use super::phase::{Busy, DryRequest, Run};
use super::redo::Picked;
use super::{State, against, detached, edit_retry, live, observe, skip};
use crate::engine::message::TurnState;
use crate::graph::{NodeIndex, ResourceId};
use crate::plan::Action as Plans;
use crate::tui::cx::{Cx, Request};
use crate::tui::keymap::{Action, Folding};
use crate::tui::screen::{Pane, comparing};
use crate::tui::{effect::Effect, layer::Question, parity, program::Program, screen::step::PlanScreen};

fn send(screen: &mut PlanScreen, cx: &mut Cx, request: DryRequest, verb: &str) {
    let since = cx.jobs.clock;
    screen.shows.summary = false;
    if let Some(run) = screen.phase.run_mut() {
        run.busy = Some(match &request {
            DryRequest::Step => Busy::Stepping { queued: 0 },
            DryRequest::Continue { .. } | DryRequest::Over { .. } => {
                Busy::Going { request: request.clone(), since, follows: true }
            }
            _ => Busy::Once,
        });
    }
    log_request(screen, cx, &request, verb);
    cx.effect(screen.request(request))
}

/// Logs the equivalent of a request: a statement of a script, or in a live run the answer at its question.
fn log_request(screen: &mut PlanScreen, cx: &mut Cx, request: &DryRequest, verb: &str) {
    if screen.phase.is_live() {
        live::log_answer(cx, request);
    } else {
        cx.log_command(format!("workbench step {} --script '{verb}'", parity::entry_words(cx)));
    }
}

/// Folds or unfolds the steps of a class or a file, or all.
fn fold(screen: &mut PlanScreen, how: Folding) {
    screen.list.fold(how);
    screen.follow_no_more();
}

pub fn act(screen: &mut PlanScreen, cx: &mut Cx, action: Action, count: usize) {
    let selected = screen.cursor_id().cloned();
    let continues = matches!(action, Action::Step | Action::Continue | Action::Over | Action::ToCursor | Action::Retry);
    if continues && edit_retry::holds(screen, cx) {
        return;
    }
    match (action, selected) {
        (Action::NextProblem | Action::PreviousProblem, _) => {
            cx.request(Request::Problem(action == Action::NextProblem))
        }
        (Action::Open, _) if cx.cannot_plan(screen) => cx.request(Request::Source),
        (Action::Fold(how), _) => fold(screen, how),
        (Action::Open, None) => fold(screen, Folding::Toggle),
        (Action::Step, _) => steps(screen, cx, count),
        (Action::Continue, _) => send(screen, cx, DryRequest::Continue { until: None }, "c"),
        (Action::Over, _) => over(screen, cx),
        (Action::ToCursor, Some(id)) => {
            let verb = format!("t {id}");
            send(screen, cx, DryRequest::Continue { until: Some(id) }, &verb)
        }
        (Action::Skip, Some(id)) if screen.leaves_out_failed() => leave_out(screen, cx, id),
        (Action::Skip, Some(id)) if screen.next_id() == Some(&id) => skip(screen, cx),
        (Action::Skip, Some(id)) => skip::toggle(screen, cx, vec![id]),
        (Action::Retry, Some(id)) if screen.may_try_again() => edit_retry::try_again(screen, cx, id),
        (Action::Retry, Some(id)) => {
            screen.pick(id.clone(), Picked::Again);
            send(screen, cx, DryRequest::Recheck { resource: id }, "r")
        }
        (Action::Observe, _) => observe::ask(screen, cx),
        (Action::Arm, _) if live::comes_first(screen, cx) => {}
        (Action::Arm, _) => match screen.to_try_again().cloned() {
            Some(id) => edit_retry::try_again(screen, cx, id),
            None => live::ask(screen, cx),
        },
        (Action::RollBack, _) => live::ask_undo(screen, cx),
        (Action::Resume, _) => live::resume(screen, cx),
        (Action::Inspect, _) => live::inspect(screen, cx),
        (Action::Attach, _) => detached::ask(screen, cx),
        (Action::EndDetached, _) => detached::end(cx),
        (Action::Compare, _) => against::toggle(screen, cx),
        (Action::SideBySide, _) => comparing::turn(cx),
        (Action::Summary | Action::WholeDiff, _) => {
            let is_diff = action == Action::WholeDiff && !screen.shows.whole_diff;
            super::show_summary(screen, cx, is_diff);
        }
        (Action::OnlyThis, _) => super::cursor::toggle_only(screen),
        (Action::StepBack, _) => back(screen, cx, count),
        (Action::MakeNext, Some(id)) => {
            screen.shows.summary = false;
            screen.pick(id.clone(), Picked::ByHand);
            cx.effect(screen.request(DryRequest::Pick { resource: id }))
        }
        (Action::Open, Some(_)) => {
            screen.shows.summary = false;
            let beside = cx.panes().iter().copied().find(|pane| *pane != Pane::Order);
            beside.into_iter().for_each(|pane| cx.set_focus(pane));
        }
        (Action::Close, _) => cx.set_focus(Pane::Order),
        _ => {}
    }
}

/// Runs this many steps; they queue behind a running one.
fn steps(screen: &mut PlanScreen, cx: &mut Cx, count: usize) {
    let verb = if count > 1 { format!("s {count}") } else { "s".into() };
    if let Some(Busy::Stepping { queued }) = screen.phase.run_mut().and_then(|run| run.busy.as_mut()) {
        *queued += count.max(1);
        screen.shows.summary = false;
        log_request(screen, cx, &DryRequest::Step, &verb);
        return;
    }
    send(screen, cx, DryRequest::Step, &verb);
    if let Some(Busy::Stepping { queued }) = screen.phase.run_mut().and_then(|run| run.busy.as_mut()) {
        *queued = count.saturating_sub(1);
    }
}

/// Undoes this many steps, or all if there are fewer.
fn back(screen: &mut PlanScreen, cx: &mut Cx, count: usize) {
    let count = count.min(screen.taken.len());
    if count <= 1 {
        return send(screen, cx, DryRequest::Back, "Z");
    }
    // One pause for each.
    screen.phase.run_mut().into_iter().for_each(|run| run.repeat(count));
    send(screen, cx, DryRequest::Back, &format!("Z {count}"));
    screen.requests(cx, vec![DryRequest::Back; count - 1]);
}

/// Steps until the container of the next resource ends.
fn over(screen: &mut PlanScreen, cx: &mut Cx) {
    let (Some(program), Some(next)) = (&screen.program, screen.next_id()) else { return };
    let resource = program.graph.find(next).and_then(|node| program.graph.resource(node));
    let around = resource.map_or(&[][..], |resource| &resource.container).to_vec();
    if around.is_empty() {
        send(screen, cx, DryRequest::Step, "s")
    } else {
        send(screen, cx, DryRequest::Over { around }, "o")
    }
}

/// Skips at once if nothing would be blocked, else asks.
fn skip(screen: &mut PlanScreen, cx: &mut Cx) {
    let blocked = would_block(screen);
    if blocked.is_empty() {
        return skip_now(screen, cx);
    }
    let name = screen.next_id().map(ToString::to_string).unwrap_or_default();
    let mut lines = vec![format!("Skip {name}?"), format!("This blocks {} dependents:", blocked.len())];
    const MOST: usize = 8;
    lines.extend(blocked.iter().take(MOST).map(|id| format!("  {} {id}", cx.look.glyphs.blocked)));
    if blocked.len() > MOST {
        lines.push(format!("  and {} more", blocked.len() - MOST));
    }
    cx.layers.open.push(Question::yes(lines, Action::Skip).into());
}

/// Does what was confirmed, without asking again.
pub fn agreed(screen: &mut PlanScreen, cx: &mut Cx, action: Action) {
    match action {
        Action::Skip => skip_now(screen, cx),
        Action::RollBack => live::undo_confirmed(screen, cx),
        Action::Quit => cx.effect(Effect::Quit),
        Action::Stop if screen.is_open_at_end() => live::end_by_hand(screen, cx),
        _ => {}
    }
}

/// Skips a failed step: it is checked again, and its dependents continue if it is unchanged by now.
fn leave_out(screen: &mut PlanScreen, cx: &mut Cx, resource: ResourceId) {
    // Both requests pause; the run is in place after the second one.
    if let Some(run) = screen.phase.run_mut() {
        run.busy = Some(Busy::Once);
        run.repeat(2);
    }
    log_request(screen, cx, &DryRequest::Skip, "r; x");
    screen.requests(cx, vec![DryRequest::Recheck { resource }, DryRequest::Skip])
}

fn skip_now(screen: &mut PlanScreen, cx: &mut Cx) {
    send(screen, cx, DryRequest::Skip, "x")
}

/// The waiting resources that a skip of the next one would block.
fn would_block(step: &State) -> Vec<ResourceId> {
    let state = step;
    let (Some(program), Some(next)) = (&state.program, state.next_id()) else { return vec![] };
    let Some(node) = program.graph.find(next) else { return vec![] };
    if state.action_of(next) == Some(Plans::None) {
        // An unchanged resource can be skipped without harm.
        return vec![];
    }
    waiting_dependents(state, program, node)
}

fn waiting_dependents(state: &State, program: &Program, node: NodeIndex) -> Vec<ResourceId> {
    let ids = program.dependents(node).into_iter().map(|node| program.id(node));
    ids.filter(|id| state.list.rows.find(id).is_some_and(|row| row.state == TurnState::Waiting)).cloned().collect()
}

/// Asks a continuing run to stop after the current step.
pub fn stop(screen: &mut PlanScreen, cx: &mut Cx) {
    screen.phase.run_mut().into_iter().for_each(Run::forget_queued);
    screen.keys.clear();
    if screen.phase.is_live() { live::stop(screen, cx) } else { cx.effect(Effect::Rehearse(DryRequest::Stop)) }
}
