//! Runs an action of the table: those of all screens here, the others on their screen.

use crate::graph::ResourceId;
use crate::plan::Query;
use crate::tui::cx::{Cx, Pending, Request};
use crate::tui::keymap::{Action, Entry};
use crate::tui::layer::{self, Layer, picker};
use crate::tui::parity::{self, Same};
use crate::tui::screen::{Pane, ScreenId, code, deploys, graph, modules, step};
use crate::tui::{copying, events, jumps, references, tutor};
use crate::tui::{
    effect::Effect, front::Front, layer::command::CommandLine, layer::palette::Palette, look::Role,
    screen::code::Asked, state::State, widget::list::Move,
};

/// The filter that hides unchanged rows.
const CHANGES: &str = "!act:none";

/// Runs an action of the table, or reports why not.
pub fn run(state: &mut State, entry: &'static Entry, count: usize) {
    if step::puts_in_order(&mut state.screens.step, &mut state.cx, entry, count) {
        return;
    }
    if let Err(why) = entry.enabled(state.front()) {
        if step::puts_off(&mut state.screens.step, &mut state.cx, entry, count) {
            return;
        }
        state.cx.show_notice(Role::Warning, refusal(&state.cx, entry, &why));
        // As far as this session knows.
        let is_about_history = matches!(entry.action, Action::Arm | Action::Attach | Action::Resume);
        if is_about_history {
            step::live::look_again(&state.screens.step, &mut state.cx);
        }
        return;
    }
    if let Same::Command(_) = parity::same(entry.action)
        && let Ok(command) = parity::here(entry.action, state.front())
    {
        state.cx.log_command(command);
    }
    let State { cx, screens } = &mut *state;
    match entry.action {
        Action::Quit => step::live::quit(&mut screens.step, cx),
        Action::Suspend => step::live::suspend(&mut screens.step, cx),
        Action::Repaint => cx.effect(Effect::Repaint),
        Action::NextTask => tutor::next(cx),
        Action::Palette => cx.layers.open.push(Layer::Palette(Palette::new(cx))),
        Action::Jobs => cx.layers.open.push(Layer::Jobs(layer::jobs::Jobs::default())),
        Action::Screen(screen) => show(state, screen),
        Action::NextPane => cx.turn_focus(1),
        Action::PreviousPane => cx.turn_focus(-1),
        Action::Zoom => cx.window.zoom = !cx.window.zoom,
        Action::Back if step::live::give_up(&screens.step, cx) => {}
        Action::Back => back(state),
        Action::JumpBack => jumps::back(screens, cx),
        Action::JumpForward => jumps::forward(screens, cx),
        Action::Go(way) => {
            let pane = state.cx.focus();
            state.go(pane, way.into(), count)
        }
        // In text it moves the cursor; elsewhere it opens the row.
        Action::Right if cx.focus() != Pane::Text && cx.focus() != Pane::Rails => state.act(Action::Open, count),
        // A list shows only what matches: the next match is the next row.
        Action::NextMatch | Action::PreviousMatch if cx.screen != ScreenId::Code => {
            let step = if entry.action == Action::NextMatch { Move::Down } else { Move::Up };
            let pane = state.cx.panes()[0];
            state.go(pane, step, count)
        }
        Action::CommandLine => {
            let line = CommandLine::new("", state.front());
            state.cx.layers.open.push(Layer::Command(Box::new(line)));
        }
        Action::Pick(what) => picker::open(cx, what),
        Action::Filter => {
            let before = state.front().words().to_string();
            state.cx.layers.open.push(Layer::Prompt { words: String::new(), before });
        }
        Action::Edit => {
            if let Some((path, line)) = state.front().file() {
                state.cx.effect(Effect::Edit { path, line });
            }
        }
        Action::Copy => {
            state.front().copy().into_iter().for_each(|words| copying::copy(&mut state.cx, words));
            if state.cx.screen == ScreenId::Code {
                code::drop_range(&mut state.screens.code);
            }
        }
        Action::CopyPlace => {
            state.front().copied_place().into_iter().for_each(|words| copying::copy(&mut state.cx, words))
        }
        Action::Range => code::toggle_range(&mut screens.code),
        Action::OnlyChanges => {
            let words = if state.front().words() == CHANGES { "" } else { CHANGES };
            state.filter(words);
        }
        Action::OnlyThis if matches!(cx.screen, ScreenId::Modules | ScreenId::Deploys) => {
            let words = words_for_name(state.front());
            words.into_iter().for_each(|words| state.filter(&words));
        }
        // The files may have changed since they were compiled.
        Action::Plan => {
            cx.screen = ScreenId::Step;
            cx.typing.pending = Pending::default();
            step::live::look_again(&screens.step, cx);
            if cx.events.program().is_some() {
                return step::asked(&mut screens.step, cx);
            }
            cx.programs.plans_next = true;
            step::live::leave(&mut screens.step, cx, "for a new plan");
            cx.recompile();
        }
        Action::Stop if screens.step.is_running() => step::stop(&mut screens.step, cx),
        Action::Stop if cx.screen == ScreenId::Step && screens.step.is_open_at_end() => {
            step::live::end_by_hand(&mut screens.step, cx)
        }
        Action::Stop if step::forget_keys(&mut screens.step) => {
            cx.show_notice(Role::Note, "keys pressed before the plan are dropped")
        }
        Action::Stop if screens.modules.fetch.is_some() => modules::fetch::stop(&mut screens.modules, cx),
        Action::Stop if screens.step.is_open_at_end() => step::live::ask_end(&mut screens.step, cx),
        Action::Stop => {
            let key = cx.entry_of(Action::Quit).map(|entry| cx.keymap.key_of(entry, cx.screen));
            let key = key.filter(|key| !key.is_empty()).unwrap_or_else(|| ":quit".into());
            cx.show_notice(Role::Note, format!("{key} quits"));
        }
        Action::Breakpoint => {
            let ids = resources(state.front());
            step::breaks::toggle(&mut state.screens.step, &mut state.cx, ids)
        }
        Action::Breakpoints => step::breaks::list(cx),
        Action::LeaveOut => {
            let ids = resources(state.front());
            step::skip::toggle(&mut state.screens.step, &mut state.cx, ids)
        }
        // It runs on Step, once there is a plan.
        Action::Resume | Action::Inspect | Action::Attach | Action::EndDetached if cx.screen != ScreenId::Step => {
            choose_on_plan(state, entry.action)
        }
        Action::Observe if cx.screen == ScreenId::Graph => {
            let ids = resources(state.front());
            ids.iter().for_each(|id| step::select(&mut state.screens.step, id));
            step::observe::ask(&mut state.screens.step, &mut state.cx);
        }
        Action::FirstNeed | Action::FirstDependent => {
            let node = state.front().neighbour(entry.action == Action::FirstNeed);
            node.into_iter().for_each(|node| jumps::go_to_neighbour(&mut state.screens, &mut state.cx, node));
        }
        Action::NextChange | Action::PreviousChange => {
            let (here, forward) = (state.front().resource(), entry.action == Action::NextChange);
            jumps::go_to_change(&mut state.screens, &mut state.cx, here, forward);
        }
        Action::Watch => events::toggle(&mut screens.step, cx),
        Action::ToSource => jumps::show_source(state),
        Action::LookUp(Asked::Uses) if cx.screen != ScreenId::Code => {
            let Some((items, name, what)) = references::list(state.front()) else { return };
            references::show(&mut state.cx, items, &name, what)
        }
        Action::LookUp(_) if cx.screen != ScreenId::Code => {
            let (place, node) = (state.front().place(), state.front().resource());
            if let Some(place) = place {
                code::ask_kind(&state.screens.step, &mut state.cx, &place, node);
            }
        }
        Action::ToGraph => {
            if let Some(node) = state.front().resource() {
                jumps::show_on_graph(&mut state.screens, &mut state.cx, node);
            }
        }
        Action::ToStep => {
            if let Some(id) = resources(state.front()).first() {
                jumps::remember(&state.screens, &mut state.cx);
                step::select(&mut state.screens.step, id);
                jumps::go_to(&mut state.cx, ScreenId::Step);
            }
        }
        action => state.act(action, count),
    }
}

/// Runs an action of Plan from a question or from another screen, with a way back.
pub fn choose_on_plan(state: &mut State, action: Action) {
    if state.cx.screen != ScreenId::Step {
        jumps::remember(&state.screens, &mut state.cx);
    }
    step::live::chosen(&mut state.screens.step, &mut state.cx, action)
}

/// Why an action is refused, with its key, or its title if it has none.
fn refusal(cx: &Cx, entry: &Entry, why: &str) -> String {
    let key = cx.keymap.key_of(entry, cx.screen);
    if key.is_empty() {
        return format!("not now: {why} ({})", entry.name());
    }
    format!("{key}: {why}")
}

fn resources(front: Front<'_>) -> Vec<ResourceId> {
    let Some(program) = front.program() else { return vec![] };
    front.resources().into_iter().map(|node| program.id(node).clone()).collect()
}

/// Does what the screens requested while they handled the message.
pub fn run_requested(state: &mut State) {
    while let Some(request) = state.cx.typing.requested.pop_front() {
        let State { cx, screens } = &mut *state;
        match request {
            Request::Act(action) => state.cx.entry_of(action).into_iter().for_each(|entry| run(state, entry, 1)),
            Request::Type(words) => {
                let line = CommandLine::new(words, state.front());
                state.cx.layers.open.push(Layer::Command(Box::new(line)));
            }
            Request::Source => jumps::show_source(state),
            Request::Problem(forward) => jumps::show_problem(screens, cx, forward),
            Request::Redraw(old) => graph::replaced(&mut screens.graph, &screens.step, cx, old.as_deref()),
            Request::File(path) => jumps::open_file(screens, cx, path, (1, 1)),
            Request::Place(place) => jumps::show_place(screens, cx, &place),
            Request::Node(node) => jumps::show_on_graph(screens, cx, node),
            Request::Line(number) => jumps::show_line(screens, cx, number),
            Request::Entered if cx.screen == ScreenId::Step => step::entered(&mut screens.step, cx),
            Request::Entered => {}
            Request::GraphDiffers => step::graph_differs(&mut screens.step, cx),
            Request::OpenPlan(file) => step::saved::ask(&mut screens.step, cx, file),
            Request::ReadUndo(deploy) => step::live::read_first(&mut screens.step, cx, deploy, Action::UndoDeploy),
        }
    }
}

/// Shows a screen at once, so that the next action meets it.
pub fn show(state: &mut State, screen: ScreenId) {
    jumps::go_to(&mut state.cx, screen);
    run_requested(state);
}

/// Handles queued keys in order: a key after a step waits for the pause that follows. None is handled after a failure.
pub fn run_queued(state: &mut State) {
    let mut queued = state.screens.step.take_queued_keys().into_iter();
    if queued.len() > 0 {
        // A notice may have reported that they wait.
        state.cx.withdraw_notice();
    }
    while let Some((entry, count)) = queued.next() {
        run(state, entry, count);
        if state.screens.step.is_stepping() {
            state.screens.step.keys.extend(queued);
            break;
        }
    }
}

/// The words that show only rows with the name under the cursor, or all again.
fn words_for_name(front: Front<'_>) -> Option<String> {
    let words = Query::for_name(&front.screen.name(front)?);
    Some(if front.words() == words { String::new() } else { words })
}

/// Closes the topmost layer or mode; never quits.
fn back(state: &mut State) {
    if state.cx.screen == ScreenId::Code && code::drop_range(&mut state.screens.code) {
        return;
    }
    if !state.front().words().is_empty() {
        return state.filter("");
    }
    let (screens, cx) = (&mut state.screens, &mut state.cx);
    let is_wider = match cx.screen {
        ScreenId::Graph => graph::widen(&mut screens.graph, &screens.step, cx),
        ScreenId::Step => step::widen(&mut screens.step),
        ScreenId::Deploys => deploys::compare_no_more(&mut screens.deploys, cx),
        _ => false,
    };
    if is_wider {
        return;
    }
    if state.cx.screen == ScreenId::Step && state.screens.step.shows.whole_diff {
        step::show_summary(&mut state.screens.step, &mut state.cx, false);
    } else if state.cx.window.zoom {
        state.cx.window.zoom = false;
    } else if state.cx.focus() != state.cx.panes()[0] {
        state.cx.set_focus(state.cx.panes()[0]);
    } else if state.cx.screen == ScreenId::Step && state.screens.step.is_loaded() {
        step::show_summary(&mut state.screens.step, &mut state.cx, false);
    }
}
