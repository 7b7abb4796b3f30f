//! The same for actions on the selection: a name, a row, a text, a resource.

use std::path::PathBuf;

use super::{Enabled, when};
use crate::tui::cx::Cx;
use crate::tui::jumps::neighbour;
use crate::tui::screen::code::data::State as Code;
use crate::tui::screen::graph::data::State as Graph;
use crate::tui::screen::step::data::State as Step;
use crate::tui::screen::{Pane, ScreenId};
use crate::tui::state::State;

pub(in crate::tui::keymap) fn has_node(graph: &Graph) -> Enabled {
    when(graph.selected().is_some(), "no resource here")
}

pub(in crate::tui::keymap) fn has_text(code: &Code, cx: &Cx) -> Enabled {
    when(cx.focus() == Pane::Text, "only in the text (Esc goes there)")?;
    when(code.doc().is_some(), "no file is open")
}

pub(in crate::tui::keymap) fn has_problems(step: &Step, cx: &Cx) -> Enabled {
    when(cx.screen != ScreenId::Step || cx.cannot_plan(step), "no errors: Code (2) lists all problems")?;
    when(cx.programs.newest.as_ref().is_some_and(|program| !program.problems.is_empty()), "no problems")
}

pub(in crate::tui::keymap) fn has_resource(state: &State) -> Enabled {
    let why_not = match state.cx.screen {
        ScreenId::Code => "no resource on this line",
        ScreenId::Log => "no resource on this line",
        ScreenId::Modules | ScreenId::Deploys => "use Graph (3) or Plan (1) for resources",
        ScreenId::Graph | ScreenId::Step => "no resource here",
    };
    when(state.selected_resource().is_some(), why_not)
}

pub(in crate::tui::keymap) fn has_planned_resource(state: &State) -> Enabled {
    has_resource(state)?;
    super::has_plan(&state.screens.step, &state.cx)
}

pub(in crate::tui::keymap) fn has_source(state: &State) -> Enabled {
    when(state.selected_place().is_some(), "this row has no source location")
}

pub(in crate::tui::keymap) fn has_place(state: &State) -> Enabled {
    let why_not = if state.cx.screen == ScreenId::Deploys {
        "the history does not store source locations"
    } else {
        "no file here"
    };
    when(state.selected_file().is_some(), why_not)
}

/// What was unpacked from a bundle is a copy, and what is written there is gone with the next look at the bundle.
pub(in crate::tui::keymap) fn can_edit(state: &State) -> Enabled {
    has_place(state)?;
    let is_copy = |root: &PathBuf| state.selected_file().is_some_and(|(path, _)| path.starts_with(root));
    let words = "files of a bundle cannot be edited: edit the source module";
    when(!state.cx.project.unpacked.as_ref().is_some_and(is_copy), words)
}

pub(in crate::tui::keymap) fn has_need(state: &State) -> Enabled {
    when(neighbour(state, true).is_some(), "no dependencies")
}

pub(in crate::tui::keymap) fn has_dependent(state: &State) -> Enabled {
    when(neighbour(state, false).is_some(), "no dependents")
}

pub(in crate::tui::keymap) fn has_search(state: &State) -> Enabled {
    when(state.has_search(), "no search yet: / starts one")
}

pub(in crate::tui::keymap) fn has_modules(modules: &crate::tui::screen::modules::State) -> Enabled {
    when(!modules.list.is_empty(), "no module here")
}

/// The selection has related rows.
pub(in crate::tui::keymap) fn can_show_related(state: &State) -> Enabled {
    match state.cx.screen {
        ScreenId::Code => Err("text has no filter here; zM folds all".into()),
        ScreenId::Modules => has_modules(&state.screens.modules),
        ScreenId::Graph => has_node(&state.screens.graph),
        ScreenId::Step => has_resource(state),
        ScreenId::Deploys => {
            state.screens.deploys.has_row()?;
            when(state.screens.deploys.entry().is_some(), "this row has no module")
        }
        ScreenId::Log => when(state.cx.log.resource().is_some(), "no resource on this line"),
    }
}

pub(in crate::tui::keymap) fn has_references(state: &State) -> Enabled {
    match state.cx.screen {
        ScreenId::Code => has_text(&state.screens.code, &state.cx),
        ScreenId::Modules => has_modules(&state.screens.modules),
        ScreenId::Deploys => Err(NO_NAME_OF_THE_PROGRAM.into()),
        _ => has_resource(state),
    }
}

const NO_NAME_OF_THE_PROGRAM: &str = "a deploy has no source or references; Enter opens it";

/// Where the name under the cursor is defined.
pub(in crate::tui::keymap) fn has_definition(state: &State) -> Enabled {
    match state.cx.screen {
        ScreenId::Modules => has_place(state),
        ScreenId::Deploys => Err(NO_NAME_OF_THE_PROGRAM.into()),
        ScreenId::Log => {
            has_resource(state)?;
            has_source(state)
        }
        _ => has_source(state),
    }
}

pub(in crate::tui::keymap) fn has_kind(state: &State) -> Enabled {
    match state.cx.screen {
        ScreenId::Modules | ScreenId::Deploys => Err("all details are in the other pane (Tab)".into()),
        ScreenId::Log => {
            has_resource(state)?;
            has_source(state)
        }
        _ => has_source(state),
    }
}

pub(in crate::tui::keymap) fn can_fold(state: &State) -> Enabled {
    match state.cx.screen {
        ScreenId::Modules => has_modules(&state.screens.modules),
        ScreenId::Code => {
            has_text(&state.screens.code, &state.cx)?;
            when(state.screens.code.has_folds(), "nothing to fold here")
        }
        ScreenId::Graph => has_node(&state.screens.graph),
        ScreenId::Deploys => when(state.screens.deploys.has_folds(), "only groups of three or more plans fold"),
        ScreenId::Step => when(!state.screens.step.list.is_empty(), "no steps"),
        ScreenId::Log => Err("nothing to fold here; / filters".into()),
    }
}

pub(in crate::tui::keymap) fn has_copied_place(state: &State) -> Enabled {
    when(state.copied_place().is_some(), "this row has no source location")
}
