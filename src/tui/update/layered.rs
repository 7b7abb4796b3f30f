//! Handles the answer of a layer: chosen, typed, confirmed, pasted.

use super::key::on_key;
use super::run::run;
use crate::session::Guest;
use crate::tui::command;
use crate::tui::copying;
use crate::tui::effect::Effect;
use crate::tui::jobs;
use crate::tui::jumps;
use crate::tui::keymap::Action;
use crate::tui::keys::Key;
use crate::tui::layer::breaks::Asked;
use crate::tui::layer::question::{Answer, Purpose};
use crate::tui::layer::{KeyResult, Layer, Question};
use crate::tui::look::Role;
use crate::tui::parity;
use crate::tui::screen::{self, deploys, graph, modules, step};
use crate::tui::state::State;

/// Applies the result of a key to the layer `top`, which was removed from the stack.
pub fn on_key_result(state: &mut State, top: Layer, result: KeyResult, key: Key) -> Vec<Effect> {
    // A confirmed question leads on from its screen.
    if matches!(result, KeyResult::Run(_)) && top.confirms().is_some() {
        step::live::stays(&mut state.screens.step);
    }
    match (result, top) {
        (KeyResult::Stay, Layer::Picker(mut picker)) => {
            let effects = picker.wishes(&state.cx);
            state.cx.layers.open.push(Layer::Picker(picker));
            effects
        }
        (KeyResult::Stay, top) => {
            state.cx.layers.open.push(top);
            vec![]
        }
        (KeyResult::Words, top) => {
            if let Layer::Prompt { words, .. } = &top {
                screen::filter(state, words);
            }
            state.cx.layers.open.push(top);
            vec![]
        }
        (KeyResult::Revert, Layer::Prompt { before, .. }) => {
            screen::filter(state, &before);
            vec![]
        }
        (KeyResult::Through, _) => on_key(state, key),
        (KeyResult::Chosen, Layer::Login(form)) => {
            modules::fetch::answered(&mut state.screens.modules, &form);
            vec![form.answered()]
        }
        (KeyResult::Revert, Layer::Login(_)) => vec![Effect::Login(None)],
        (KeyResult::Chosen, Layer::Picker(picker)) => match picker.selected() {
            Some(item) => jumps::go_to_target(
                &mut state.screens.graph,
                &mut state.screens.code,
                &state.screens.step,
                &mut state.cx,
                item.target.clone(),
            ),
            None => vec![],
        },
        (KeyResult::Chosen, Layer::Command(line)) => command::run(state, &line.line),
        (KeyResult::Chosen | KeyResult::ChosenOther, Layer::Question(question)) => {
            let Answer::Text { typed, purpose, .. } = &question.answer else { return vec![] };
            let typed = typed.trim();
            match *purpose {
                Purpose::SaveGraph => {
                    graph::export::named(&state.screens.graph, &mut state.cx, typed, result == KeyResult::ChosenOther)
                }
                Purpose::SaveDeploy(deploy) => deploys::export::named(&mut state.cx, deploy, typed),
                Purpose::Breakpoint(at) => step::breaks::typed(&mut state.screens.step, &mut state.cx, at, typed),
                Purpose::Import => modules::change::plan_import(typed),
            }
        }
        (KeyResult::Breaks(asked), top) => {
            state.cx.layers.open.push(top);
            match asked {
                Asked::Add => step::breaks::ask(&mut state.screens.step, &mut state.cx, None),
                Asked::Edit(at) => step::breaks::ask(&mut state.screens.step, &mut state.cx, Some(at)),
                Asked::Switch(at) => return step::breaks::switch(&mut state.screens.step, &mut state.cx, at),
                Asked::Remove(at) => return step::breaks::remove(&mut state.screens.step, &mut state.cx, at),
                Asked::Failures => step::breaks::turn_mode(&mut state.screens.step, &mut state.cx),
            }
            vec![]
        }
        (KeyResult::Copy(action), top) => {
            state.cx.layers.open.push(top);
            parity::here(action, state.front()).map_or_else(|_| vec![], |command| copying::copy(&mut state.cx, command))
        }
        (KeyResult::Cancel(job), top) => {
            state.cx.layers.open.push(top);
            jobs::cancel(&mut state.screens.modules, &mut state.screens.step, &mut state.cx, job)
        }
        (KeyResult::Decided(on_conflict), Layer::Conflict(question)) => {
            step::conflict::decided(&mut state.screens.step, &mut state.cx, question.conflict, on_conflict)
        }
        (KeyResult::Close | KeyResult::Revert, layer) if layer.confirms() == Some(Action::Mend) => {
            step::edit_retry::declined(&mut state.screens.step, &mut state.cx);
            vec![]
        }
        (KeyResult::Close | KeyResult::Revert, layer) if layer.confirms() == Some(Action::Attach) => {
            // A later question must not take over from another session.
            state.cx.saved.attaches_as = Guest::Driver;
            let State { cx, screens } = state;
            step::live::unanswered(&mut screens.graph, &mut screens.code, &mut screens.step, cx)
        }
        (KeyResult::Close | KeyResult::Revert, _) => step::live::unanswered(
            &mut state.screens.graph,
            &mut state.screens.code,
            &mut state.screens.step,
            &mut state.cx,
        ),
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
    match action {
        Action::ArmAgain => match state.cx.entry_of(Action::Arm) {
            Some(entry) => run(state, entry, 1),
            None => vec![],
        },
        Action::AllowOnce => modules::fetch::allow_once(&mut state.screens.modules, &mut state.cx),
        Action::RetryFetch => modules::failed::retry(&mut state.screens.modules, &mut state.cx),
        Action::FetchLog => modules::failed::show_log(&state.screens.modules, &mut state.cx),
        Action::Resume | Action::RollBack | Action::Inspect | Action::Attach | Action::EndDetached if !is_confirmed => {
            step::live::chosen(
                &state.screens.graph,
                &state.screens.code,
                &mut state.screens.step,
                &mut state.cx,
                action,
            )
        }
        Action::Mend => step::edit_retry::agreed(&mut state.screens.step, &mut state.cx),
        Action::RunAgain => step::live::run_again(&mut state.screens.step, &mut state.cx),
        Action::Attach => step::detached::attach(&mut state.screens.step, &mut state.cx),
        Action::Resume => step::live::resumed(&mut state.screens.step, &mut state.cx),
        Action::LeaveOut => step::skip::agreed(&mut state.screens.step, &mut state.cx),
        Action::Approve => modules::fetch::approve(&state.screens.modules, &mut state.cx),
        Action::AddImport => modules::change::add(&mut state.screens.modules, &mut state.cx),
        Action::PruneModules => modules::change::prune(&mut state.screens.modules, &mut state.cx),
        Action::UndoDeploy => {
            match deploys::take_back(&state.screens.deploys, &mut state.cx) {
                // The list shows our own history.
                Some(deploy) => {
                    let subject = step::live::Subject { deploy, as_root: false };
                    step::live::begin_back(&mut state.screens.step, &mut state.cx, subject, None)
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
        Some(why) => {
            state.cx.show_notice(Role::Warning, why);
            vec![]
        }
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
            screen::filter(state, &typed);
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
