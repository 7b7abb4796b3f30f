//! A saved plan on the screen, compared with the current state.
//!
//! A saved plan or a deploy may be compiled for another purpose: the entry is opened again for it, and no option is
//! repeated.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::live;
use crate::plan::CompiledFor;
use crate::session::Session;
pub use crate::tui::screen::step::data::Opened;
pub use crate::tui::screen::step::data::{Next, Reopened};
use crate::tui::{
    cx::Cx, effect::Effect, look::Role, message::Job, parity, screen::ScreenId, screen::log::Source,
    screen::step::PlanScreen, widget::text,
};

pub fn ask(screen: &mut PlanScreen, cx: &mut Cx, file: PathBuf) {
    request(screen, cx, file, false)
}

/// `is_adopted`: the program is compiled for what the plan was made for, as far as possible.
fn request(screen: &mut PlanScreen, cx: &mut Cx, file: PathBuf, is_adopted: bool) {
    if screen.phase.is_live() {
        return cx.show_notice(Role::Warning, "not available in LIVE");
    }
    if cx.is_working(Job::Compile) {
        let name = text::safe(&file.display().to_string());
        cx.show_notice(Role::Note, format!("{name} will be checked when the program is compiled"));
        screen.later.opens_next = Some((file, is_adopted));
        return;
    }
    let Some(program) = cx.programs.newest.clone().filter(|program| !program.has_errors() && !program.graph.is_empty())
    else {
        let why = super::why_not(cx).unwrap_or_else(|| "the program is not compiled yet".into());
        return cx.show_notice(Role::Warning, format!("cannot check the plan: {why}"));
    };
    if cx.is_working(Job::Plan) {
        return cx.show_notice(Role::Note, "planning is in progress");
    }
    cx.start(Job::Plan);
    cx.log_command(format!("workbench apply --noop --plan {}", parity::shell_word(&file.to_string_lossy())));
    cx.effect(Effect::OpenPlan { file, is_adopted, program, turn: cx.programs.turn })
}

/// Repeats a request from before the program was compiled.
pub fn pending_effects(screen: &mut PlanScreen, cx: &mut Cx) {
    if cx.is_working(Job::Compile) || cx.is_working(Job::Plan) {
        return;
    }
    if std::mem::take(&mut screen.later.resumes_next) {
        return live::resume(screen, cx);
    }
    let opens = screen.later.opens_next.take();
    opens.map(|(file, is_adopted)| request(screen, cx, file, is_adopted)).unwrap_or_default()
}

/// It was compared with the current state, or cannot be.
pub fn opened(screen: &mut PlanScreen, cx: &mut Cx, file: &Path, result: Result<Box<Opened>, String>) {
    cx.finish(Job::Plan);
    let name = text::safe(&file.display().to_string());
    let Opened { program, plan, turn, moved } = match result {
        Ok(opened) => *opened,
        Err(words) => {
            super::not_planned(screen);
            return cx.show_notice(Role::Error, format!("{name}: {}", text::safe(&words)));
        }
    };
    if screen.phase.is_live() {
        super::not_planned(screen);
        return;
    }
    cx.screen = ScreenId::Step;
    super::planned(screen, cx, program, plan, turn);
    match &moved[..] {
        [] => cx.show_notice(Role::Good, format!("{name} is still valid")),
        [first, more @ ..] => {
            for words in &moved {
                cx.report(Source::Problem, format!("{name} is not valid: {words}"));
            }
            let more = if more.is_empty() { String::new() } else { format!(" (and {} more in the log)", more.len()) };
            cx.show_notice(Role::Warning, format!("{name} is stale; this is a new plan: {first}{more}"));
        }
    }
}

impl Reopened {
    pub fn new(session: Session, then: &CompiledFor, next: Next) -> Self {
        let words = then.words().unwrap_or_default();
        Self { session: Arc::new(session), words, next }
    }
}

/// Compiles for it; the request continues after that.
pub fn reopened(screen: &mut PlanScreen, cx: &mut Cx, Reopened { session, words, next }: Reopened) {
    let what = match next {
        Next::Plan(file) => {
            cx.finish(Job::Plan);
            screen.later.opens_next = Some((file, true));
            "the plan"
        }
        Next::Resume => {
            cx.finish(Job::Plan);
            screen.later.resumes_next = true;
            "the deploy"
        }
        Next::Run => "the deploy",
    };
    live::adopted(screen);
    cx.project.entry_flags = parity::entry_flags(&session);
    let words = if words.is_empty() { "without options".to_owned() } else { words };
    let words = format!("compiling as {what} was: {}", text::safe(&words));
    cx.report(Source::Work, words.clone());
    cx.log_command(format!("workbench graph {}", parity::entry_words(cx)));
    cx.show_notice(Role::Note, words);
    cx.effect(Effect::UseSession(session));
    cx.recompile();
}
