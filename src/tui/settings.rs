//! Settings that changed during the session: those that can take effect at once do; with errors, the old ones stay.

use super::{cx::Cx, effect::Effect, look::Role, screen::log::Source};
pub use crate::tui::parts::Notice;
use crate::tui::screen::code::data::State as Code;

pub fn changed(cx: &mut Cx) {
    let light = cx.colors.by_ground.as_ref().map(|themes| themes[1].name == cx.look.theme.name);
    cx.effect(Effect::ReadSettings { light })
}

pub fn on_notice(code: &mut Code, cx: &mut Cx, notice: Notice) {
    let Notice { options, is_another_theme, problems, later } = notice;
    for problem in &problems {
        cx.report(Source::Problem, problem.clone());
    }
    let more = |shown: usize| match problems.len().saturating_sub(shown) {
        0 => String::new(),
        more => format!(" (and {more} more in the log)"),
    };
    let Some(options) = options else {
        let first = problems.first().map_or("cannot read the settings", String::as_str);
        cx.show_fault(format!("the last valid settings are in use: {first}{}", more(1)));
        return;
    };
    // The shown error is fixed.
    cx.dismiss_notice();
    cx.keymap = options.keymap;
    cx.project.editor = options.editor;
    code.counts_from_cursor = options.relative_numbers;
    if is_another_theme {
        cx.colors.by_ground = options.by_ground;
        cx.set_theme(options.theme, code);
    }
    let mut words = String::from("settings reloaded");
    if !later.is_empty() {
        words.push_str(&format!("; after the next start: {}", later.join(", ")));
    }
    let role = if problems.is_empty() { Role::Note } else { Role::Warning };
    let words = match problems.first() {
        Some(first) => format!("{words}; {first}{}", more(1)),
        None => words,
    };
    cx.report(Source::Work, words.clone());
    cx.show_notice(role, words);
}
