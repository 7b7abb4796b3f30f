//! A saved plan on the screen, compared with the current state.

use std::path::{Path, PathBuf};

use super::live;
use crate::tui::effect::Effect;
use crate::tui::look::Role;
use crate::tui::message::Job;
use crate::tui::parity;
use crate::tui::screen::ScreenId;
use crate::tui::screen::log::Source;
pub use crate::tui::screen::step::data::Opened;
use crate::tui::state::State as Tui;
use crate::tui::widget::text;

/// Requests a plan that was saved to a file.
pub fn ask(tui: &mut Tui, file: PathBuf) -> Vec<Effect> {
    request(tui, file, false)
}

/// `is_adopted`: the program is compiled for what the plan was made for, as far as possible.
fn request(tui: &mut Tui, file: PathBuf, is_adopted: bool) -> Vec<Effect> {
    if tui.screens.step.live.is_live() {
        tui.cx.show_notice(Role::Warning, "not available in LIVE");
        return vec![];
    }
    if tui.cx.is_working(Job::Compile) {
        let name = text::safe(&file.display().to_string());
        tui.cx.show_notice(Role::Note, format!("{name} will be checked when the program is compiled"));
        tui.screens.step.later.opens_next = Some((file, is_adopted));
        return vec![];
    }
    let Some(program) =
        tui.cx.programs.newest.clone().filter(|program| !program.has_errors() && !program.graph.is_empty())
    else {
        let why = super::why_not(&tui.cx).unwrap_or_else(|| "the program is not compiled yet".into());
        tui.cx.show_notice(Role::Warning, format!("cannot check the plan: {why}"));
        return vec![];
    };
    if tui.cx.is_working(Job::Plan) {
        tui.cx.show_notice(Role::Note, "planning is in progress");
        return vec![];
    }
    tui.cx.start(Job::Plan);
    tui.cx.log_command(format!("workbench apply --noop --plan {}", parity::shell_word(&file.to_string_lossy())));
    vec![Effect::OpenPlan { file, is_adopted, program, turn: tui.cx.programs.turn }]
}

/// Repeats a request from before the program was compiled.
pub fn due(tui: &mut Tui) -> Vec<Effect> {
    if tui.cx.is_working(Job::Compile) || tui.cx.is_working(Job::Plan) {
        return vec![];
    }
    if std::mem::take(&mut tui.screens.step.later.resumes_next) {
        return live::resume(tui);
    }
    let opens = tui.screens.step.later.opens_next.take();
    opens.map(|(file, is_adopted)| request(tui, file, is_adopted)).unwrap_or_default()
}

/// It was compared with the current state, or cannot be.
pub fn opened(tui: &mut Tui, file: &Path, result: Result<Box<Opened>, String>) -> Vec<Effect> {
    tui.cx.finish(Job::Plan);
    let name = text::safe(&file.display().to_string());
    let Opened { program, plan, turn, moved } = match result {
        Ok(opened) => *opened,
        Err(words) => {
            super::not_planned(&mut tui.screens.step);
            tui.cx.show_notice(Role::Error, format!("{name}: {}", text::safe(&words)));
            return vec![];
        }
    };
    if tui.screens.step.live.is_live() {
        return vec![];
    }
    tui.cx.screen = ScreenId::Step;
    let effects = super::planned(tui, program, plan, turn);
    match &moved[..] {
        [] => tui.cx.show_notice(Role::Good, format!("{name} is still valid")),
        [first, more @ ..] => {
            for words in &moved {
                tui.cx.report(Source::Problem, format!("{name} is not valid: {words}"));
            }
            let more = if more.is_empty() { String::new() } else { format!(" (and {} more in the log)", more.len()) };
            tui.cx.show_notice(Role::Warning, format!("{name} is stale; this is a new plan: {first}{more}"));
        }
    }
    effects
}
