//! Settings that changed while the screens run: what can hold at once does, and where they have faults the ones before stay.

use super::Options;
use super::effect::Effect;
use super::look::Role;
use super::screen::log::Source;
use super::state::State;
use super::update;

/// The settings as they were read again.
#[derive(Debug)]
pub struct Told {
    /// What they say; none where they have faults.
    pub options: Option<Box<Options>>,
    /// Another theme than before, or one that looks otherwise.
    pub is_another_theme: bool,
    /// What is wrong with them and was not before, one line each, with its place.
    pub problems: Vec<String>,
    /// Settings that differ and hold from the next start on.
    pub later: Vec<&'static str>,
}

/// A file of the settings differs.
pub fn changed(state: &State) -> Vec<Effect> {
    let light = state.by_ground.as_ref().map(|themes| themes[1].name == state.look.theme.name);
    vec![Effect::ReadSettings { light }]
}

/// They were read.
pub fn told(state: &mut State, told: Told) {
    let Told { options, is_another_theme, problems, later } = told;
    for problem in &problems {
        update::log(state, Source::Problem, problem.clone());
    }
    let more = |shown: usize| match problems.len().saturating_sub(shown) {
        0 => String::new(),
        more => format!(" (and {more} more in the log)"),
    };
    let Some(options) = options else {
        let first = problems.first().map_or("cannot read the settings", String::as_str);
        state.say_until_key(format!("the last valid settings are in use: {first}{}", more(1)));
        return;
    };
    // The fault that there was is gone.
    state.unsay();
    state.keymap = options.keymap;
    state.editor = options.editor;
    state.code.counts_from_cursor = options.relative_numbers;
    if is_another_theme {
        state.by_ground = options.by_ground;
        state.wear(options.theme);
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
    update::log(state, Source::Work, words.clone());
    state.say(role, words);
}
