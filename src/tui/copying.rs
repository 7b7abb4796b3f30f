//! What goes to the clipboard: a name, a value, a place.

use super::clipboard::MOST;
use super::effect::Effect;
use super::look::Role;
use super::screen::{ScreenId, code};
use super::state::State;
use super::widget::{text, value};
use crate::graph::Resource;

/// Copies the name of what is under the cursor.
pub fn name(state: &mut State) -> Vec<Effect> {
    let words = state.selected_words();
    let effects = words.map_or_else(Vec::new, |words| copy(state, words));
    if state.screen == ScreenId::Code {
        code::drop_range(state);
    }
    effects
}

/// Copies what stands behind the name.
pub fn value(state: &mut State) -> Vec<Effect> {
    match copied_value(state) {
        Some(words) => copy(state, words),
        None => {
            state.say(Role::Note, "this row has nothing but its name: y copies that");
            vec![]
        }
    }
}

/// Copies where it stands.
pub fn place(state: &mut State) -> Vec<Effect> {
    state.copied_place().map_or_else(Vec::new, |words| copy(state, words))
}

/// Hands a text to the terminal, where that can take it.
pub fn copy(state: &mut State, words: String) -> Vec<Effect> {
    if words.len() > MOST {
        let (size, most) = (words.len() / 1000, MOST / 1000);
        state.say(
            Role::Warning,
            format!("{size} kB are more than terminals take for the clipboard, which is {most} kB"),
        );
        return vec![];
    }
    let first = words.lines().next().unwrap_or_default();
    let more = words.lines().count().saturating_sub(1);
    let more =
        if more > 0 { format!(" and {more} more line{}", if more == 1 { "" } else { "s" }) } else { String::new() };
    state.say(Role::Note, format!("copied {}{more}", text::safe(first)));
    vec![Effect::Copy(words)]
}

fn copied_value(state: &State) -> Option<String> {
    match state.screen {
        ScreenId::Modules => state.modules.file().map(|path| path.display().to_string()),
        ScreenId::Code => state.code.chosen_line(),
        ScreenId::Graph | ScreenId::Step => {
            let program = if state.screen == ScreenId::Step { state.step.program()? } else { state.graphed()? };
            program.graph.resource(state.selected_resource()?).map(declared)
        }
        ScreenId::Deploys => state.deploys.selected_line(),
        ScreenId::Log => state.log.selected_line(),
    }
}

/// A resource with its parameters, a line each. What is secret stays so.
fn declared(resource: &Resource) -> String {
    let of = resource.shown();
    let mut lines = vec![format!("{} \"{}\" {{", text::safe(&of.kind), text::safe(&of.name))];
    for (name, set) in of.params.iter() {
        let set = if set.holds_secret() { "(secret)".into() } else { value::short(set) };
        lines.push(format!("\t{} => {set},", text::safe(name)));
    }
    lines.push("}".into());
    lines.join("\n")
}
