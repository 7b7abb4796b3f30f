//! Handles the answer of a layer: chosen, typed, confirmed, pasted.

use super::key::on_key;
use super::run::{choose_on_plan, run};
use crate::session::Guest;
use crate::tui::layer::question::{Answer, Purpose};
use crate::tui::layer::{KeyResult, Layer, Question};
use crate::tui::screen::{deploys, graph, modules, step};
use crate::tui::{command, copying, jobs, jumps, parity};
use crate::tui::{
    cx::Request, effect::Effect, keymap::Action, keys::Key, layer::breaks::Asked, look::Role, state::State,
};

/// Applies the result of a key to the layer `top`, which was removed from the stack.
pub fn on_key_result(state: &mut State, top: Layer, result: KeyResult, key: Key) {
    // A confirmed question leads on from its screen.
    if matches!(result, KeyResult::Run(_)) && top.confirms().is_some() {
        step::live::stays(&mut state.screens.step);
    }
    let State { cx, screens } = &mut *state;
    match (result, top) {
        (KeyResult::Stay, Layer::Picker(mut picker)) => {
            picker.wishes(cx);
            cx.layers.open.push(Layer::Picker(picker));
        }
        (KeyResult::Stay, top) => cx.layers.open.push(top),
        (KeyResult::Words, top) => {
            if let Layer::Prompt { words, .. } = &top {
                state.filter(words);
            }
            state.cx.layers.open.push(top);
        }
        (KeyResult::Revert, Layer::Prompt { before, .. }) => state.filter(&before),
        (KeyResult::Through, _) => on_key(state, key),
        (KeyResult::Chosen, Layer::Login(form)) => {
            modules::fetch::answered(&mut screens.modules, &form);
            cx.effect(form.answered())
        }
        (KeyResult::Revert, Layer::Login(_)) => cx.effect(Effect::Login(None)),
        (KeyResult::Chosen, Layer::Picker(picker)) => {
            picker.selected().into_iter().for_each(|item| jumps::go_to_target(screens, cx, item.target.clone()))
        }
        (KeyResult::Chosen, Layer::Command(line)) => command::run(state, &line.line),
        (KeyResult::Chosen | KeyResult::ChosenOther, Layer::Question(question)) => {
            let Answer::Text { typed, purpose, .. } = &question.answer else { return };
            let typed = typed.trim();
            match *purpose {
                Purpose::SaveGraph => graph::export::named(&screens.graph, cx, typed, result == KeyResult::ChosenOther),
                Purpose::SaveDeploy(deploy) => deploys::export::named(cx, deploy, typed),
                Purpose::Breakpoint(at) => step::breaks::typed(&mut screens.step, cx, at, typed),
                Purpose::Import => modules::change::plan_import(cx, typed),
            }
        }
        (KeyResult::Breaks(asked), top) => {
            cx.layers.open.push(top);
            match asked {
                Asked::Add => step::breaks::ask(&mut screens.step, cx, None),
                Asked::Edit(at) => step::breaks::ask(&mut screens.step, cx, Some(at)),
                Asked::Switch(at) => step::breaks::switch(&mut screens.step, cx, at),
                Asked::Remove(at) => step::breaks::remove(&mut screens.step, cx, at),
                Asked::Failures => step::breaks::turn_mode(&mut screens.step, cx),
            }
        }
        (KeyResult::Copy(action), top) => {
            state.cx.layers.open.push(top);
            parity::here(action, state.front()).into_iter().for_each(|command| copying::copy(&mut state.cx, command))
        }
        (KeyResult::Cancel(job), top) => {
            cx.layers.open.push(top);
            jobs::cancel(&mut screens.modules, &mut screens.step, cx, job)
        }
        (KeyResult::Decided(on_conflict), Layer::Conflict(question)) => {
            step::conflict::decided(&mut screens.step, cx, question.conflict, on_conflict)
        }
        (KeyResult::Close | KeyResult::Revert, layer) if layer.confirms() == Some(Action::Mend) => {
            step::edit_retry::declined(&mut screens.step, cx)
        }
        (KeyResult::Close | KeyResult::Revert, layer) if layer.confirms() == Some(Action::Attach) => {
            // A later question must not take over from another session.
            cx.saved.attaches_as = Guest::Driver;
            step::live::unanswered(&mut screens.step, cx);
        }
        (KeyResult::Close | KeyResult::Revert, _) => step::live::unanswered(&mut screens.step, cx),
        (KeyResult::Chosen | KeyResult::ChosenOther | KeyResult::Decided(_), _) => {}
        (KeyResult::Run(action), Layer::Question(question)) => answered(state, action, &question),
        (KeyResult::Run(action), _) => state.cx.entry_of(action).into_iter().for_each(|entry| run(state, entry, 1)),
    }
}

/// Runs the answer of a question. A confirmed one is not asked again.
fn answered(state: &mut State, action: Action, question: &Question) {
    let is_confirmed = question.confirms().is_some();
    let State { cx, screens } = &mut *state;
    match action {
        Action::ArmAgain => cx.request(Request::Act(Action::Arm)),
        Action::AllowOnce => modules::fetch::allow_once(&mut screens.modules, cx),
        Action::RetryFetch => modules::failed::retry(&mut screens.modules, cx),
        Action::FetchLog => modules::failed::show_log(&screens.modules, cx),
        Action::Resume | Action::RollBack | Action::Inspect | Action::Attach | Action::EndDetached if !is_confirmed => {
            choose_on_plan(state, action)
        }
        Action::Mend => step::edit_retry::agreed(&mut screens.step, cx),
        Action::RunAgain => step::live::run_again(&mut screens.step, cx),
        Action::Attach => step::detached::attach(&mut screens.step, cx),
        Action::Resume => step::live::resumed(&mut screens.step, cx),
        Action::LeaveOut => step::skip::agreed(&mut screens.step, cx),
        Action::Approve => modules::fetch::approve(&screens.modules, cx),
        Action::AddImport => modules::change::add(&mut screens.modules, cx),
        Action::PruneModules => modules::change::prune(&mut screens.modules, cx),
        Action::UndoDeploy => {
            if let Some(deploy) = deploys::confirmed(&screens.deploys, cx) {
                // The list shows our own history.
                let subject = step::live::Subject { deploy, as_root: false };
                step::live::begin_undo(&mut screens.step, cx, subject, None);
            }
        }
        Action::Arm => {
            let is_as_other = |answer: &Answer| match answer {
                Answer::Word { other: Some(other), typed, .. } => other == typed,
                _ => false,
            };
            arm(state, is_as_other(&question.answer))
        }
        action => step::agreed(&mut state.screens.step, &mut state.cx, action),
    }
}

/// Starts the confirmed apply, unless the state has changed since the question appeared.
fn arm(state: &mut State, as_root: bool) {
    let changed = if state.cx.events.is_on() && !state.cx.plans_shown(&state.screens.step) {
        Some("an input changed the graph: press A again".into())
    } else if state.screens.step.watch.is_behind() {
        Some("a resource changed outside workbench: press A again".into())
    } else {
        state.cx.entry_of(Action::Arm).and_then(|entry| entry.enabled(state.front()).err())
    };
    match changed {
        Some(why) => state.cx.show_notice(Role::Warning, why),
        None => step::live::begin(&mut state.screens.step, &mut state.cx, as_root),
    }
}

/// Adds the first line of the pasted text to the text field of the top layer.
pub fn on_paste(state: &mut State, words: &str) {
    // Pasted text goes where text is typed, and never runs as keys.
    let words = words.lines().next().unwrap_or_default();
    let Some(mut top) = state.cx.layers.open.pop() else {
        return state.cx.show_notice(Role::Note, "Nothing to paste into; press / to filter");
    };
    match &mut top {
        Layer::Prompt { words: typed, .. } => {
            typed.push_str(words);
            state.filter(typed);
        }
        Layer::Question(question) => question.paste(words),
        Layer::Palette(palette) => palette.paste(words, &state.cx),
        Layer::Login(form) => form.paste(words),
        Layer::Command(line) => line.paste(words, state.front()),
        Layer::Picker(picker) => {
            picker.paste(words);
            picker.wishes(&mut state.cx);
        }
        Layer::Hover(_) | Layer::Jobs(_) | Layer::Breaks(_) | Layer::Conflict(_) => {}
    }
    state.cx.layers.open.push(top);
}
