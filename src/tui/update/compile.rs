//! Compiles, and handles the result: the program of all screens is replaced here.

use crate::tui::{cx::Cx, effect::Effect, message::Job, parity, program::Program, screen::log::Source, widget::text};
use std::{sync::Arc, time::Duration};

use crate::session::history::resources;
use crate::tui::screen::{ScreenId, Screens, code, graph, step};

/// Starts compiling; an older compilation's result will be dropped.
pub fn compile(cx: &mut Cx) {
    cx.log_command(format!("workbench graph {}", parity::entry_words(cx)));
    cx.recompile()
}

/// Files changed on disk: everything is read again, and the old result is shown until then.
pub fn files_changed(cx: &mut Cx) {
    cx.report(Source::Work, "files changed on disk: reloading".into());
    cx.start(Job::Modules);
    cx.recompile();
    cx.effect(Effect::LoadModules);
}

/// Stores a compiled program, reports it, and updates all screens. The result of an older `turn` is ignored.
pub fn compiled(screens: &mut Screens, cx: &mut Cx, program: Arc<Program>, turn: u64, took: Duration) {
    let Screens { graph, code, step, .. } = screens;
    cx.finish(Job::Compile);
    if turn != cx.programs.turn {
        return;
    }
    let old = cx.graphed().cloned();
    let words = match (program.tally.errors, program.tally.warnings) {
        (0, 0) if program.resources == 1 => format!("compiled 1 resource in {}", text::duration(took)),
        (0, 0) => format!("compiled {} in {}", resources(program.resources as u64), text::duration(took)),
        (_, 0) => format!("compiled in {}: {}", text::duration(took), program.tally.errors_in_words()),
        (_, warnings) => {
            let errors = program.tally.errors_in_words();
            format!(
                "compiled in {}: {errors}, {warnings} warning{}",
                text::duration(took),
                if warnings == 1 { "" } else { "s" }
            )
        }
    };
    cx.report_program(&program.log);
    cx.report(Source::Work, words.clone());
    if !program.has_errors() {
        cx.programs.good = Some(program.clone());
    }
    cx.programs.newest = Some(program);
    cx.programs.took = Some(took);
    code::compiled(code, cx);
    if cx.events.program().is_none() {
        graph::replaced(graph, step, cx, old.as_deref());
    }
    step::breaks::see(step, cx);
    step::edit_retry::compiled(step, cx);
    step::read_again(step, cx);
    let is_edited = step.is_to_redo() && !cx.events.is_on();
    if std::mem::take(&mut cx.programs.plans_next) {
        step::asked(step, cx);
    } else if is_edited {
        step::observe::edited(step, cx).unwrap_or_else(|| step::asked(step, cx));
    } else if cx.screen == ScreenId::Step {
        step::entered(step, cx);
    }
}
