//! Handles the answer of a layer: chosen, typed, confirmed, pasted.

use super::key::on_key;
use super::run::{choose_on_plan, run};
use crate::session::Guest;
use crate::tui::effect::Effect;
use crate::tui::keymap::Action;
use crate::tui::keys::Key;
use crate::tui::layer::breaks::Asked;
use crate::tui::layer::question::{Answer, Purpose};
use crate::tui::layer::{KeyResult, Layer, Question};
use crate::tui::look::Role;
use crate::tui::screen::{deploys, graph, modules, step};
use crate::tui::state::State;
use crate::tui::{command, copying, jobs, jumps, parity};

/// Applies the result of a key to the layer `top`, which was removed from the stack.
pub fn on_key_result(state: &mut State, top: Layer, result: KeyResult, key: Key) -> Vec<Effect> {
    // A confirmed question leads on from its screen.
    if matches!(result, KeyResult::Run(_)) && top.confirms().is_some() {
        step::live::stays(&mut state.screens.step);
    }
    let State { cx, screens } = &mut *state;
    match (result, top) {
        (KeyResult::Stay, Layer::Picker(mut picker)) => {
            let effects = picker.wishes(cx);
            cx.layers.open.push(Layer::Picker(picker));
            effects
        }
        (KeyResult::Stay, top) => {
            cx.layers.open.push(top);
            vec![]
        }
        (KeyResult::Words, top) => {
            if let Layer::Prompt { words, .. } = &top {
                state.filter(words);
            }
            state.cx.layers.open.push(top);
            vec![]
        }
        (KeyResult::Revert, Layer::Prompt { before, .. }) => {
            state.filter(&before);
            vec![]
        }
        (KeyResult::Through, _) => on_key(state, key),
        (KeyResult::Chosen, Layer::Login(form)) => {
            modules::fetch::answered(&mut screens.modules, &form);
            vec![form.answered()]
        }
        (KeyResult::Revert, Layer::Login(_)) => vec![Effect::Login(None)],
        (KeyResult::Chosen, Layer::Picker(picker)) => match picker.selected() {
            Some(item) => jumps::go_to_target(screens, cx, item.target.clone()),
            None => vec![],
        },
        (KeyResult::Chosen, Layer::Command(line)) => command::run(state, &line.line),
        (KeyResult::Chosen | KeyResult::ChosenOther, Layer::Question(question)) => {
            let Answer::Text { typed, purpose, .. } = &question.answer else { return vec![] };
            let typed = typed.trim();
            match *purpose {
                Purpose::SaveGraph => graph::export::named(&screens.graph, cx, typed, result == KeyResult::ChosenOther),
                Purpose::SaveDeploy(deploy) => deploys::export::named(cx, deploy, typed),
                Purpose::Breakpoint(at) => step::breaks::typed(&mut screens.step, cx, at, typed),
                Purpose::Import => modules::change::plan_import(typed),
            }
        }
        (KeyResult::Breaks(asked), top) => {
            cx.layers.open.push(top);
            match asked {
                Asked::Add => step::breaks::ask(&mut screens.step, cx, None),
                Asked::Edit(at) => step::breaks::ask(&mut screens.step, cx, Some(at)),
                Asked::Switch(at) => return step::breaks::switch(&mut screens.step, cx, at),
                Asked::Remove(at) => return step::breaks::remove(&mut screens.step, cx, at),
                Asked::Failures => step::breaks::turn_mode(&mut screens.step, cx),
            }
            vec![]
        }
        (KeyResult::Copy(action), top) => {
            state.cx.layers.open.push(top);
            parity::here(action, state.front()).map_or_else(|_| vec![], |command| copying::copy(&mut state.cx, command))
        }
        (KeyResult::Cancel(job), top) => {
            cx.layers.open.push(top);
            jobs::cancel(&mut screens.modules, &mut screens.step, cx, job)
        }
        (KeyResult::Decided(on_conflict), Layer::Conflict(question)) => {
            step::conflict::decided(&mut screens.step, cx, question.conflict, on_conflict)
        }
        (KeyResult::Close | KeyResult::Revert, layer) if layer.confirms() == Some(Action::Mend) => {
            step::edit_retry::declined(&mut screens.step, cx);
            vec![]
        }
        (KeyResult::Close | KeyResult::Revert, layer) if layer.confirms() == Some(Action::Attach) => {
            // A later question must not take over from another session.
            cx.saved.attaches_as = Guest::Driver;
            step::live::unanswered(&mut screens.step, cx);
            vec![]
        }
        (KeyResult::Close | KeyResult::Revert, _) => {
            step::live::unanswered(&mut screens.step, cx);
            vec![]
        }
        (KeyResult::Chosen | KeyResult::ChosenOther | KeyResult::Decided(_), _) => vec![],
        (KeyResult::Run(action), Layer::Question(question)) => answered(state, action, &question),
        (KeyResult::Run(action), _) => match state.cx.entry_of(action) {
            Some(entry) => run(state, entry, 1),
            None => vec![],
        },
    }
}

/// Runs the answer of a question. A confirmed one is not asked again.
fn answered(state: &mut State, action: Action, question: &Question) -> Vec<Effect> {
    let is_confirmed = question.confirms().is_some();
    let State { cx, screens } = &mut *state;
    match action {
        Action::ArmAgain => match state.cx.entry_of(Action::Arm) {
            Some(entry) => run(state, entry, 1),
            None => vec![],
        },
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
            match deploys::confirmed(&screens.deploys, cx) {
                // The list shows our own history.
                Some(deploy) => {
                    let subject = step::live::Subject { deploy, as_root: false };
                    step::live::begin_undo(&mut screens.step, cx, subject, None)
                }
                None => vec![],
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
fn arm(state: &mut State, as_root: bool) -> Vec<Effect> {
    let changed = if state.cx.events.is_on() && !state.cx.plans_shown(&state.screens.step) {
        Some("an input changed the graph: press A again".into())
    } else if state.screens.step.watch.is_behind() {
        Some("a resource changed outside workbench: press A again".into())
    } else {
        state.cx.entry_of(Action::Arm).and_then(|entry| entry.enabled(state.front()).err())
    };
    match changed {
        Some(why) => state.cx.answer(Role::Warning, why),
        None => step::live::begin(&mut state.screens.step, &mut state.cx, as_root),
    }
}

/// Adds the first line of the pasted text to the text field of the top layer.
pub fn on_paste(state: &mut State, words: &str) -> Vec<Effect> {
    // Pasted text goes where text is typed, and never runs as keys.
    let words = words.lines().next().unwrap_or_default();
    match state.cx.layers.open.pop() {
        Some(Layer::Prompt { words: mut typed, before }) => {
            typed.push_str(words);
            state.filter(&typed);
            state.cx.layers.open.push(Layer::Prompt { words: typed, before });
        }
        Some(Layer::Question(mut question)) => {
            question.paste(words);
            state.cx.layers.open.push(Layer::Question(question));
        }
        Some(Layer::Palette(mut palette)) => {
            palette.paste(words, &state.cx);
            state.cx.layers.open.push(Layer::Palette(palette));
        }
        Some(Layer::Login(mut form)) => {
            form.paste(words);
            state.cx.layers.open.push(Layer::Login(form));
        }
        Some(Layer::Command(mut line)) => {
            line.paste(words, state.front());
            state.cx.layers.open.push(Layer::Command(line));
        }
        Some(Layer::Picker(mut picker)) => {
            picker.paste(words);
            let effects = picker.wishes(&state.cx);
            state.cx.layers.open.push(Layer::Picker(picker));
            return effects;
        }
        Some(other) => state.cx.layers.open.push(other),
        None => state.cx.show_notice(Role::Note, "Nothing to paste into; press / to filter"),
    }
    vec![]
}
