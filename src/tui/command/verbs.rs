//! Shell commands with arguments that also work on the screens: `:step s 3`, `:deploy show 7`.

use crate::graph::ResourceId;
use crate::tui::keymap::{Action, TABLE};
use crate::tui::screen::deploys::{self, Then};
use crate::tui::screen::step::data::State as Step;
use crate::tui::screen::{ScreenId, step as stepping};
use crate::tui::update::run::{run as run_entry, show};
use crate::tui::{look::Role, state::State, widget::text};

/// The commands of `workbench step --script`, except `assert`, which only a script needs.
pub fn step_words(step: &Step) -> Vec<String> {
    let verbs = ["s", "o", "c", "t", "b", "x", "r", "Z"].map(String::from);
    let ids = step.program().into_iter().flat_map(|program| program.graph.resources());
    verbs.into_iter().chain(ids.map(|(_, resource)| resource.id.0.to_string())).collect()
}

/// One statement of `workbench step --script`; a number alone steps that often.
pub fn step(state: &mut State, words: &str) {
    let (verb, rest) = words.split_once(' ').map_or((words, ""), |(verb, rest)| (verb, rest.trim()));
    if state.cx.screen != ScreenId::Step {
        show(state, ScreenId::Step);
    }
    let count = rest.parse::<usize>();
    let (action, count) = match (verb, rest) {
        ("s", "") => (Action::Step, 1),
        ("s", _) if count.is_ok() => (Action::Step, count.unwrap_or(1)),
        (number, "") if number.parse::<usize>().is_ok() => (Action::Step, number.parse().unwrap_or(1)),
        ("o", "") => (Action::Over, 1),
        ("c", "") => (Action::Continue, 1),
        ("x", "") => (Action::Skip, 1),
        ("r", "") => (Action::Retry, 1),
        ("Z", "") => (Action::StepBack, 1),
        ("t" | "b" | "x", id) if !id.is_empty() => {
            let id = ResourceId(id.into());
            if !state.screens.step.is_loaded() {
                let words = "no plan yet: repeat the command when the plan is ready";
                return state.cx.show_notice(Role::Warning, words);
            }
            if state.screens.step.step_of(&id).is_none() {
                let words = format!("no `{}` in the plan; Tab lists the resources", text::safe(&id.0));
                return state.cx.show_notice(Role::Warning, words);
            }
            stepping::select(&mut state.screens.step, &id);
            match verb {
                "t" => (Action::ToCursor, 1),
                "b" => (Action::Breakpoint, 1),
                _ => (Action::LeaveOut, 1),
            }
        }
        _ => {
            let words = text::safe(words);
            let words = format!("unknown command `step {words}`; use s [N], o, c, t ID, b ID, x [ID], r or Z");
            return state.cx.show_notice(Role::Warning, words);
        }
    };
    act(state, action, count);
}

/// Shows the deploys, or runs a deploy command on the one with that number. Questions are asked on Deploys.
pub fn deploy(state: &mut State, words: &str) {
    let words: Vec<&str> = words.split_whitespace().collect();
    let numbers: Result<Vec<u64>, _> = words.iter().skip(1).map(|word| word.parse()).collect();
    let action = match words.first().copied() {
        Some("diff") => Some(Action::Compare),
        Some("undo") => Some(Action::UndoDeploy),
        Some("resume") => Some(Action::Resume),
        _ => None,
    };
    match (words.first().copied(), numbers.as_deref()) {
        (Some("list"), Ok([])) => show(state, ScreenId::Deploys),
        (Some("resume"), Ok([])) => {
            show(state, ScreenId::Deploys);
            act(state, Action::Resume, 1);
        }
        (Some("diff"), Ok([number, other])) => {
            deploys::show_deploy(&mut state.screens.deploys, &mut state.cx, *number, Then::CompareWith(*other))
        }
        (Some("show" | "diff" | "undo" | "resume"), Ok([number])) => deploys::show_deploy(
            &mut state.screens.deploys,
            &mut state.cx,
            *number,
            action.map_or(Then::Show, Then::Act),
        ),
        _ => {
            let words = text::safe(&words.join(" "));
            state.cx.show_notice(
                Role::Warning,
                format!("unknown command `deploy {words}`; use list, show N, diff N [M], undo N or resume [N]"),
            )
        }
    }
}

fn act(state: &mut State, action: Action, count: usize) {
    let entry = TABLE.iter().find(|entry| entry.action == action && entry.works_on(state.cx.screen));
    entry.into_iter().for_each(|entry| run_entry(state, entry, count));
}
