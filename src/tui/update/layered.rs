//! Handles the answer of a layer: chosen, typed, confirmed, pasted.

use super::key::on_key;
use super::run::run;
use crate::tui::command;
use crate::tui::copying;
use crate::tui::effect::Effect;
use crate::tui::jobs;
use crate::tui::jumps;
use crate::tui::keymap::Action;
use crate::tui::keys::Key;
use crate::tui::layer::breaks::Asked;
use crate::tui::layer::line::Purpose;
use crate::tui::layer::{KeyResult, Layer};
use crate::tui::look::Role;
use crate::tui::parity;
use crate::tui::screen::{self, deploys, graph, modules, step};
use crate::tui::state::State;

/// Applies the result of a key to the layer `top`, which was removed from the stack.
pub fn on_key_result(state: &mut State, top: Layer, result: KeyResult, key: Key) -> Vec<Effect> {
    if !matches!(result, KeyResult::Stay | KeyResult::Scroll(_)) {
        state.read_from = 0;
    }
    // A confirmed question leads on from its screen.
    if matches!((&result, &top), (KeyResult::Run(_), Layer::Typed { .. } | Layer::Confirm { .. })) {
        step::live::stays(state);
    }
    match (result, top) {
        (KeyResult::Scroll(by), top) => {
            let most = top.text().map_or(0, <[String]>::len);
            state.read_from = state.read_from.saturating_add_signed(by).min(most);
            state.layers.push(top);
            vec![]
        }
        (KeyResult::Stay, Layer::Picker(mut picker)) => {
            let effects = picker.wishes(state);
            state.layers.push(Layer::Picker(picker));
            effects
        }
        (KeyResult::Stay, top) => {
            state.layers.push(top);
            vec![]
        }
        (KeyResult::Words, top) => {
            if let Layer::Prompt { words, .. } = &top {
                screen::filter(state, words);
            }
            state.layers.push(top);
            vec![]
        }
        (KeyResult::Revert, Layer::Prompt { before, .. }) => {
            screen::filter(state, &before);
            vec![]
        }
        (KeyResult::Through, _) => on_key(state, key),
        (KeyResult::Chosen, Layer::Login(form)) => {
            modules::fetch::answered(state, &form);
            vec![form.answered()]
        }
        (KeyResult::Revert, Layer::Login(_)) => vec![Effect::Login(None)],
        (KeyResult::Chosen, Layer::Picker(picker)) => match picker.selected() {
            Some(item) => jumps::go_to_target(state, item.target.clone()),
            None => vec![],
        },
        (KeyResult::Chosen, Layer::Command(line)) => command::run(state, &line.line),
        (KeyResult::Chosen | KeyResult::ChosenOther, Layer::Line(line)) => match line.purpose {
            Purpose::SaveGraph => graph::export::named(state, line.words.trim(), result == KeyResult::ChosenOther),
            Purpose::SaveDeploy(deploy) => deploys::export::named(state, deploy, line.words.trim()),
            Purpose::Breakpoint(at) => step::breaks::typed(state, at, line.words.trim()),
        },
        (KeyResult::Breaks(asked), top) => {
            state.layers.push(top);
            match asked {
                Asked::Add => step::breaks::ask(state, None),
                Asked::Edit(at) => step::breaks::ask(state, Some(at)),
                Asked::Switch(at) => return step::breaks::switch(state, at),
                Asked::Remove(at) => return step::breaks::remove(state, at),
                Asked::Failures => step::breaks::turn_mode(state),
            }
            vec![]
        }
        (KeyResult::Copy(action), top) => {
            state.layers.push(top);
            parity::here(action, state).map_or_else(|_| vec![], |command| copying::copy(state, command))
        }
        (KeyResult::Cancel(job), top) => {
            state.layers.push(top);
            jobs::cancel(state, job)
        }
        (KeyResult::Decided(on_conflict), Layer::Conflict(question)) => {
            step::conflict::decided(state, question.conflict, on_conflict)
        }
        (KeyResult::Close | KeyResult::Revert, Layer::Confirm { action: Action::Mend, .. }) => {
            step::edit_retry::declined(state);
            vec![]
        }
        (KeyResult::Close | KeyResult::Revert, _) => step::live::unanswered(state),
        (KeyResult::Chosen | KeyResult::ChosenOther | KeyResult::Decided(_), _) => vec![],
        // A confirmed question is not asked again.
        (KeyResult::Run(Action::Mend), Layer::Confirm { .. }) => step::edit_retry::agreed(state),
        (KeyResult::Run(Action::RunAgain), Layer::Typed { .. }) => step::live::run_again(state),
        (KeyResult::Run(Action::Attach), Layer::Typed { .. }) => step::detached::attach(state),
        (KeyResult::Run(Action::ArmAgain), _) => match state.entry_of(Action::Arm) {
            Some(entry) => run(state, entry, 1),
            None => vec![],
        },
        (KeyResult::Run(Action::Resume), Layer::Typed { .. }) => step::live::resumed(state),
        (
            KeyResult::Run(
                action @ (Action::Resume | Action::RollBack | Action::Inspect | Action::Attach | Action::EndDetached),
            ),
            Layer::Choose { .. },
        ) => step::live::chosen(state, action),
        (KeyResult::Run(Action::LeaveOut), Layer::Confirm { .. }) => step::skip::agreed(state),
        (KeyResult::Run(Action::Approve), Layer::Confirm { .. }) => modules::fetch::approve(state),
        (KeyResult::Run(Action::AllowOnce), Layer::Choose { .. }) => modules::fetch::allow_once(state),
        (KeyResult::Run(Action::RetryFetch), Layer::Choose { .. }) => modules::failed::retry(state),
        (KeyResult::Run(Action::FetchLog), Layer::Choose { .. }) => modules::failed::show_log(state),
        (KeyResult::Run(Action::AddImport), Layer::Words { typed, .. }) => modules::change::plan_import(&typed),
        (KeyResult::Run(Action::AddImport), Layer::Confirm { .. }) => modules::change::add(state),
        (KeyResult::Run(Action::PruneModules), Layer::Confirm { .. }) => modules::change::prune(state),
        (KeyResult::Run(Action::UndoDeploy), Layer::Confirm { .. }) => deploys::take_back(state),
        (KeyResult::Run(Action::Arm), Layer::Typed { .. } | Layer::Confirm { .. })
            if state.events.is_on() && !state.is_of_now() =>
        {
            state.show_notice(Role::Warning, "an input changed the graph: press A again");
            vec![]
        }
        (KeyResult::Run(Action::Arm), Layer::Typed { .. } | Layer::Confirm { .. }) if state.step.watch.is_behind() => {
            state.show_notice(Role::Warning, "a resource changed outside workbench: press A again");
            vec![]
        }
        (KeyResult::Run(Action::Arm), layer @ (Layer::Typed { .. } | Layer::Confirm { .. })) => {
            // The state may have changed while the name was typed.
            if let Some(Err(why)) = state.entry_of(Action::Arm).map(|entry| entry.enabled(state)) {
                state.show_notice(Role::Warning, why);
                return vec![];
            }
            let as_root = matches!(layer, Layer::Typed { other: Some(other), typed, .. } if other == typed);
            step::live::begin(state, as_root)
        }
        (
            KeyResult::Run(action @ (Action::Skip | Action::RollBack | Action::Quit | Action::Stop)),
            Layer::Confirm { .. },
        ) => step::agreed(state, action),
        (KeyResult::Run(action), _) => match state.entry_of(action) {
            Some(entry) => run(state, entry, 1),
            None => vec![],
        },
    }
}

/// Adds the first line of the pasted text to the text field of the top layer.
pub fn on_paste(state: &mut State, words: &str) -> Vec<Effect> {
    // Pasted text goes where text is typed, and never runs as keys.
    let words = words.lines().next().unwrap_or_default();
    match state.layers.pop() {
        Some(Layer::Prompt { words: mut typed, before }) => {
            typed.push_str(words);
            screen::filter(state, &typed);
            state.layers.push(Layer::Prompt { words: typed, before });
        }
        Some(Layer::Typed { lines, word, other, mut typed, action, .. }) => {
            typed.push_str(words);
            state.layers.push(Layer::Typed { lines, word, other, typed, is_missed: false, action });
        }
        Some(Layer::Words { title, lines, mut typed, action }) => {
            typed.push_str(words);
            state.layers.push(Layer::Words { title, lines, typed, action });
        }
        Some(Layer::Palette(mut palette)) => {
            palette.paste(words, state);
            state.layers.push(Layer::Palette(palette));
        }
        Some(Layer::Login(mut form)) => {
            form.paste(words);
            state.layers.push(Layer::Login(form));
        }
        Some(Layer::Command(mut line)) => {
            line.paste(words, state);
            state.layers.push(Layer::Command(line));
        }
        Some(Layer::Line(mut line)) => {
            line.paste(words);
            state.layers.push(Layer::Line(line));
        }
        Some(Layer::Picker(mut picker)) => {
            picker.paste(words);
            let effects = picker.wishes(state);
            state.layers.push(Layer::Picker(picker));
            return effects;
        }
        Some(other) => state.layers.push(other),
        None => state.show_notice(Role::Note, "Nothing to paste into; press / to filter"),
    }
    vec![]
}
