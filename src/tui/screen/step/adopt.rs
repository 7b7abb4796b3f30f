//! A saved plan or a deploy was compiled for another purpose: the entry is opened again for it, and no option is
//! repeated.

use std::sync::Arc;

use super::live;
use crate::plan::CompiledFor;
use crate::session::Session;
use crate::tui::effect::Effect;
use crate::tui::look::Role;
use crate::tui::message::Job;
use crate::tui::parity;
use crate::tui::screen::log::Source;
pub use crate::tui::screen::step::data::{Next, Reopened};
use crate::tui::state::State as Tui;
use crate::tui::widget::text;

impl Reopened {
    pub fn new(session: Session, then: &CompiledFor, next: Next) -> Self {
        let words = then.words().unwrap_or_default();
        Self { session: Arc::new(session), words, next }
    }
}

/// Compiles for it; the request continues after that.
pub fn reopened(tui: &mut Tui, Reopened { session, words, next }: Reopened) -> Vec<Effect> {
    let what = match next {
        Next::Plan(file) => {
            tui.cx.finish(Job::Plan);
            tui.screens.step.later.opens_next = Some((file, true));
            "the plan"
        }
        Next::Resume => {
            tui.cx.finish(Job::Plan);
            tui.screens.step.later.resumes_next = true;
            "the deploy"
        }
        Next::Run => "the deploy",
    };
    live::adopted(tui);
    tui.cx.project.entry_flags = parity::entry_flags(&session);
    let words = if words.is_empty() { "without options".to_owned() } else { words };
    let words = format!("compiling as {what} was: {}", text::safe(&words));
    tui.cx.report(Source::Work, words.clone());
    tui.cx.log_command(format!("workbench graph {}", parity::entry_words(&tui.cx)));
    tui.cx.show_notice(Role::Note, words);
    let mut effects = vec![Effect::UseSession(session)];
    effects.extend(tui.cx.recompile());
    effects
}
