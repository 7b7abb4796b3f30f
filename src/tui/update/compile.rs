//! Compiles, and handles the result: the program of all screens is replaced here.

use std::sync::Arc;
use std::time::Duration;

use super::{duration, log, log_command, log_program};
use crate::session::history::resources;
use crate::tui::effect::Effect;
use crate::tui::message::Job;
use crate::tui::parity;
use crate::tui::program::Program;
use crate::tui::screen::log::Source;
use crate::tui::screen::{ScreenId, code, graph, step};
use crate::tui::state::State;

/// Starts compiling; an older compilation's result will be dropped.
pub fn compile(state: &mut State) -> Vec<Effect> {
    log_command(state, format!("workbench graph {}", parity::entry_words(state)));
    recompile(state)
}

/// Files changed on disk: everything is read again, and the old result is shown until then.
pub fn files_changed(state: &mut State) -> Vec<Effect> {
    log(state, Source::Work, "files changed on disk: reloading".into());
    state.start(Job::Modules);
    let mut effects = recompile(state);
    effects.push(Effect::LoadModules);
    effects
}

/// The same, without a request.
pub fn recompile(state: &mut State) -> Vec<Effect> {
    state.turn += 1;
    state.start(Job::Compile);
    vec![Effect::Compile { turn: state.turn }]
}

pub fn compiled(state: &mut State, program: Arc<Program>, turn: u64, took: Duration) -> Vec<Effect> {
    state.finish(Job::Compile);
    if turn != state.turn {
        return vec![];
    }
    let old = state.graphed().cloned();
    let words = match (program.tally.errors, program.tally.warnings) {
        (0, 0) if program.resources == 1 => format!("compiled 1 resource in {}", duration(took)),
        (0, 0) => format!("compiled {} in {}", resources(program.resources as u64), duration(took)),
        (_, 0) => format!("compiled in {}: {}", duration(took), program.tally.errors_in_words()),
        (_, warnings) => {
            let errors = program.tally.errors_in_words();
            format!(
                "compiled in {}: {errors}, {warnings} warning{}",
                duration(took),
                if warnings == 1 { "" } else { "s" }
            )
        }
    };
    log_program(state, &program.log);
    log(state, Source::Work, words.clone());
    if !program.has_errors() {
        state.good = Some(program.clone());
    }
    state.program = Some(program);
    state.took = Some(took);
    let mut effects = code::compiled(state);
    if state.events.program().is_none() {
        effects.extend(graph::replaced(state, old.as_deref()));
    }
    step::breaks::see(state);
    step::edit_retry::compiled(state);
    step::read_again(state);
    let is_edited = state.step.is_to_redo() && !state.events.is_on();
    if std::mem::take(&mut state.plans_next) {
        effects.extend(step::asked(state));
    } else if is_edited {
        let looks = step::observe::edited(state);
        effects.extend(looks.unwrap_or_else(|| step::asked(state)));
    } else if state.screen == ScreenId::Step {
        effects.extend(step::entered(state));
    }
    effects
}
