//! The requests to a run: steps, skips and their blocked dependents, and the other keys of the screen.

use super::redo::Picked;
use super::{State, against, detached, edit_retry, live, observe, skip};
use crate::engine::message::{Request, TurnState};
use crate::graph::{NodeIndex, ResourceId};
use crate::plan::Action as Plans;
use crate::tui::effect::Effect;
use crate::tui::jumps;
use crate::tui::keymap::{Action, Folding};
use crate::tui::layer::Question;
use crate::tui::parity;
use crate::tui::program::Program;
use crate::tui::screen::{Pane, comparing};
use crate::tui::state::State as Tui;

fn send(tui: &mut Tui, request: Request, verb: &str) -> Vec<Effect> {
    tui.screens.step.running = true;
    tui.screens.step.queue.stepping = request == Request::Step;
    tui.screens.step.queue.going =
        matches!(request, Request::Continue { .. } | Request::Over { .. }).then(|| request.clone());
    tui.screens.step.cursor.follows = tui.screens.step.queue.going.is_some();
    tui.screens.step.queue.since = Some(tui.cx.jobs.clock);
    tui.screens.step.finished = false;
    tui.screens.step.shows.summary = false;
    log_request(tui, &request, verb);
    vec![Effect::Send(request)]
}

/// Logs the equivalent of a request: a statement of a script, or in a live run the answer at its question.
fn log_request(tui: &mut Tui, request: &Request, verb: &str) {
    if tui.screens.step.live.is_live() {
        live::log_answer(tui, request);
    } else {
        tui.cx.log_command(format!("workbench step {} --script '{verb}'", parity::entry_words(&tui.cx)));
    }
}

/// Folds or unfolds the steps of a class or a file, or all.
fn fold(tui: &mut Tui, how: Folding) -> Vec<Effect> {
    tui.screens.step.list.fold(how);
    tui.screens.step.cursor.follows = false;
    vec![]
}

pub fn act(tui: &mut Tui, action: Action, count: usize) -> Vec<Effect> {
    let selected = tui.screens.step.cursor_id().cloned();
    let goes_on = matches!(action, Action::Step | Action::Continue | Action::Over | Action::ToCursor | Action::Retry);
    if goes_on && edit_retry::holds(tui) {
        return vec![];
    }
    match (action, selected) {
        (Action::NextProblem, _) => jumps::show_problem(&tui.screens.graph, &mut tui.screens.code, &mut tui.cx, true),
        (Action::PreviousProblem, _) => {
            jumps::show_problem(&tui.screens.graph, &mut tui.screens.code, &mut tui.cx, false)
        }
        (Action::Open, _) if tui.cx.cannot_plan(&tui.screens.step) => jumps::show_source(tui),
        (Action::Fold(how), _) => fold(tui, how),
        (Action::Open, None) => fold(tui, Folding::Toggle),
        (Action::Step, _) if tui.screens.step.running => {
            tui.screens.step.queue.queued_steps += count.max(1);
            tui.screens.step.shows.summary = false;
            let verb = if count > 1 { format!("s {count}") } else { "s".into() };
            log_request(tui, &Request::Step, &verb);
            vec![]
        }
        (Action::Step, _) => {
            tui.screens.step.queue.queued_steps = count.saturating_sub(1);
            let verb = if count > 1 { format!("s {count}") } else { "s".into() };
            send(tui, Request::Step, &verb)
        }
        (Action::Continue, _) => send(tui, Request::Continue { until: None }, "c"),
        (Action::Over, _) => over(tui),
        (Action::ToCursor, Some(id)) => {
            let verb = format!("t {id}");
            send(tui, Request::Continue { until: Some(id) }, &verb)
        }
        (Action::Skip, Some(id)) if tui.screens.step.leaves_out_failed() => leave_out(tui, id),
        (Action::Skip, Some(id)) if tui.screens.step.next_id() == Some(&id) => skip(tui),
        (Action::Skip, Some(id)) => skip::toggle(tui, vec![id]),
        (Action::Retry, Some(id)) if tui.screens.step.may_try_again() => edit_retry::try_again(tui, id),
        (Action::Retry, Some(id)) => {
            tui.screens.step.cursor.picked = Some((id.clone(), Picked::Again));
            send(tui, Request::Retry { resource: id }, "r")
        }
        (Action::Observe, _) => observe::ask(tui),
        (Action::Arm, _) => match (live::comes_first(tui), tui.screens.step.to_try_again().cloned()) {
            (Some(effects), _) => effects,
            (None, Some(id)) => edit_retry::try_again(tui, id),
            (None, None) => live::ask(tui),
        },
        (Action::RollBack, _) => live::ask_back(tui),
        (Action::Resume, _) => live::resume(tui),
        (Action::Inspect, _) => live::inspect(tui),
        (Action::Attach, _) => detached::ask(tui),
        (Action::EndDetached, _) => detached::end(tui),
        (Action::Compare, _) => against::toggle(tui),
        (Action::SideBySide, _) => {
            comparing::turn(&mut tui.cx);
            vec![]
        }
        (Action::Summary | Action::WholeDiff, _) => {
            let is_diff = action == Action::WholeDiff && !tui.screens.step.shows.whole_diff;
            super::show_summary(tui, is_diff);
            vec![]
        }
        (Action::OnlyThis, _) => {
            super::cursor::toggle_only(tui);
            vec![]
        }
        (Action::StepBack, _) => back(tui, count),
        (Action::MakeNext, Some(id)) => {
            tui.screens.step.shows.summary = false;
            tui.screens.step.cursor.picked = Some((id.clone(), Picked::ByHand));
            vec![Effect::Send(Request::Pick { resource: id })]
        }
        (Action::Open, Some(_)) => {
            tui.screens.step.shows.summary = false;
            let beside = tui.cx.panes().iter().copied().find(|pane| *pane != Pane::Order);
            beside.into_iter().for_each(|pane| tui.cx.set_focus(pane));
            vec![]
        }
        (Action::Close, _) => {
            tui.cx.set_focus(Pane::Order);
            vec![]
        }
        _ => vec![],
    }
}

/// Undoes this many steps, or all if there are fewer.
fn back(tui: &mut Tui, count: usize) -> Vec<Effect> {
    let count = count.min(tui.screens.step.again.taken.len());
    if count <= 1 {
        return send(tui, Request::Back, "Z");
    }
    // One pause for each.
    tui.screens.step.again.redoing = count;
    let first = send(tui, Request::Back, &format!("Z {count}"));
    first.into_iter().chain(std::iter::repeat_n(Effect::Send(Request::Back), count - 1)).collect()
}

/// Steps until the container of the next resource ends.
fn over(tui: &mut Tui) -> Vec<Effect> {
    let state = &tui.screens.step;
    let (Some(program), Some(next)) = (&state.program, state.next_id()) else { return vec![] };
    let resource = program.graph.find(next).and_then(|node| program.graph.resource(node));
    let around = resource.map_or(&[][..], |resource| &resource.container).to_vec();
    if around.is_empty() { send(tui, Request::Step, "s") } else { send(tui, Request::Over { around }, "o") }
}

/// Skips at once if nothing would be blocked, else asks.
fn skip(tui: &mut Tui) -> Vec<Effect> {
    let blocked = would_block(&tui.screens.step);
    if blocked.is_empty() {
        return skip_now(tui);
    }
    let name = tui.screens.step.next_id().map(ToString::to_string).unwrap_or_default();
    let mut lines = vec![format!("Skip {name}?"), format!("This blocks {} dependents:", blocked.len())];
    const MOST: usize = 8;
    lines.extend(blocked.iter().take(MOST).map(|id| format!("  {} {id}", tui.cx.look.glyphs.blocked)));
    if blocked.len() > MOST {
        lines.push(format!("  and {} more", blocked.len() - MOST));
    }
    tui.cx.layers.open.push(Question::yes(lines, Action::Skip).into());
    vec![]
}

/// Does what was confirmed, without asking again.
pub fn agreed(tui: &mut Tui, action: Action) -> Vec<Effect> {
    match action {
        Action::Skip => skip_now(tui),
        Action::RollBack => live::take_back(tui),
        Action::Quit => vec![Effect::Quit],
        Action::Stop if tui.screens.step.is_open_at_end() => live::open::end(tui),
        _ => vec![],
    }
}

/// Skips a failed step: it is checked again, and its dependents continue if it is unchanged by now.
fn leave_out(tui: &mut Tui, resource: ResourceId) -> Vec<Effect> {
    // Both requests pause; the run is in place after the second one.
    (tui.screens.step.running, tui.screens.step.again.redoing) = (true, 2);
    log_request(tui, &Request::Skip, "r; x");
    vec![Effect::Send(Request::Retry { resource }), Effect::Send(Request::Skip)]
}

fn skip_now(tui: &mut Tui) -> Vec<Effect> {
    send(tui, Request::Skip, "x")
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
pub fn stop(tui: &mut Tui) -> Vec<Effect> {
    tui.screens.step.queue.queued_steps = 0;
    tui.screens.step.queue.put_off.clear();
    if tui.screens.step.live.is_live() { live::stop(tui) } else { vec![Effect::Send(Request::Stop)] }
}
