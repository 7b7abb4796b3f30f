//! A plan that was saved to a file: held against what is so now, on the screen.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::plan::Plan;
use crate::tui::effect::Effect;
use crate::tui::look::Role;
use crate::tui::message::Job;
use crate::tui::parity;
use crate::tui::program::Program;
use crate::tui::screen::ScreenId;
use crate::tui::screen::log::Source;
use crate::tui::state::State as Tui;
use crate::tui::update;
use crate::tui::widget::text;

/// A saved plan, and the plan of today.
#[derive(Debug)]
pub struct Opened {
    pub program: Arc<Program>,
    /// What would be done now.
    pub plan: Arc<Plan>,
    /// The compilation that was planned.
    pub turn: u64,
    /// In what the saved one does not hold any more, in words.
    pub moved: Vec<String>,
}

/// Asks for a plan that was saved to a file.
pub fn ask(tui: &mut Tui, file: PathBuf) -> Vec<Effect> {
    if tui.step.live.is_live() {
        tui.say(Role::Warning, "not available in LIVE");
        return vec![];
    }
    if tui.is_working(Job::Compile) {
        let name = text::safe(&file.display().to_string());
        tui.say(Role::Note, format!("{name} will be checked when the program is compiled"));
        tui.step.opens_next = Some(file);
        return vec![];
    }
    let Some(program) = tui.program.clone().filter(|program| !program.has_errors() && !program.graph.is_empty()) else {
        let why = super::why_not(tui).unwrap_or_else(|| "the program is not compiled yet".into());
        tui.say(Role::Warning, format!("cannot check the plan: {why}"));
        return vec![];
    };
    if tui.is_working(Job::Plan) {
        tui.say(Role::Note, "planning is in progress");
        return vec![];
    }
    tui.start(Job::Plan);
    update::log_command(tui, format!("workbench apply --noop --plan {} {}", file.display(), parity::entry_words(tui)));
    vec![Effect::OpenPlan { file, program, turn: tui.turn }]
}

/// Asks again for what was asked for before the program was compiled.
pub fn due(tui: &mut Tui) -> Vec<Effect> {
    if tui.is_working(Job::Compile) || tui.is_working(Job::Plan) {
        return vec![];
    }
    tui.step.opens_next.take().map(|file| ask(tui, file)).unwrap_or_default()
}

/// It was held against today, or cannot be.
pub fn opened(tui: &mut Tui, file: &Path, result: Result<Box<Opened>, String>) -> Vec<Effect> {
    tui.finish(Job::Plan);
    let name = text::safe(&file.display().to_string());
    let Opened { program, plan, turn, moved } = match result {
        Ok(opened) => *opened,
        Err(words) => {
            super::not_planned(tui);
            tui.say(Role::Error, format!("{name}: {}", text::safe(&words)));
            return vec![];
        }
    };
    if tui.step.live.is_live() {
        return vec![];
    }
    tui.screen = ScreenId::Step;
    let effects = super::planned(tui, program, plan, turn);
    match &moved[..] {
        [] => tui.say(Role::Good, format!("{name} is still valid")),
        [first, more @ ..] => {
            for words in &moved {
                update::log(tui, Source::Problem, format!("{name} is not valid: {words}"));
            }
            let more = if more.is_empty() { String::new() } else { format!(" (and {} more in the log)", more.len()) };
            tui.say(Role::Warning, format!("{name} is stale; this is a new plan: {first}{more}"));
        }
    }
    effects
}
