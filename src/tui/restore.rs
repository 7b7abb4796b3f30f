//! Where one stood, kept when the screens are left and whenever the hands rest, and gone back to the next time.
//!
//! It comes after the first frame, from a worker, and piece by piece: each list is there at its own time. What no longer
//! exists is passed over, and a screen on which somebody has pressed a key already is left alone.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::bookmark::Bookmark;
use super::effect::Effect;
use super::layout::Moved;
use super::look::Role;
use super::screen::log::Source;
use super::screen::step::unfinished::Unfinished;
use super::screen::{self, ScreenId, code, graph, modules, step};
use super::state::State;
use super::update;
use crate::graph::ResourceId;
use crate::plan::stop::BreakMode;

/// Another layout of what is kept gets another number.
const VERSION: u32 = 1;
/// Longer words of a filter are not kept.
const LONGEST: usize = 1000;
/// Who sets more breakpoints than this finds the first of them again.
const MOST: usize = 500;

/// Where one stood.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Kept {
    version: u32,
    screen: String,
    /// Which pane of each screen has the focus, in the order of Tab.
    focus: Vec<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    modules: Option<Tree>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    graph: Option<Row>,
    /// How the graph is looked at, and what of the rails and of the tree is folded.
    #[serde(skip_serializing_if = "Option::is_none")]
    looks: Option<graph::Looks>,
    /// The words that lists are narrowed by and texts searched for, by screen.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    filters: BTreeMap<String, String>,
    /// The first lines of what is folded in files, from 0.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    folds: BTreeMap<PathBuf, BTreeSet<usize>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    bookmarks: Vec<Bookmark>,
    /// How far the divider of each screen was moved.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    dividers: Vec<Moved>,
    #[serde(skip_serializing_if = "Option::is_none")]
    step: Option<Row>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    breakpoints: Vec<String>,
    /// Breakpoints with conditions, as they were typed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stops: Vec<String>,
    /// Breakpoints of either kind that are off.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    muted: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stops_off: Vec<String>,
    /// What a run stops for, where that was chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    break_mode: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<String>,
    /// The dry run that was not at its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<Unfinished>,
}

/// The modules that are unfolded, and the row under the cursor.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tree {
    pub open: BTreeSet<String>,
    pub row: Row,
}

/// A row and the first one in view.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    pub name: String,
    pub top: usize,
}

/// The file on show.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Text {
    pub path: PathBuf,
    pub spot: code::Spot,
    pub top: usize,
}

/// What is kept of a state, as text.
pub fn kept(state: &State) -> String {
    let id = |node| Some(state.graphed()?.id(node).0.to_string());
    let row = |name: Option<String>, top| name.map(|name| Row { name, top });
    let names = |ids: &BTreeSet<ResourceId>| ids.iter().take(MOST).map(|id| id.0.to_string()).collect();
    let stops = |is_on| {
        let whens = state.step.whens.iter().filter(|when| when.is_on == is_on);
        whens.take(MOST).map(|when| when.text.clone()).collect()
    };
    let mode = state.step.break_mode;
    let kept = Kept {
        version: VERSION,
        screen: state.screen.name().into(),
        focus: ScreenId::ALL.iter().map(|screen| state.focus_of(*screen)).collect(),
        modules: state.modules.kept(),
        code: state.code.kept(),
        graph: row(state.graph.selected(state).and_then(id), state.graph.top()),
        step: row(state.step.cursor_id().map(|id| id.0.to_string()), state.step.top()),
        stops: stops(true),
        stops_off: stops(false),
        breakpoints: names(&state.step.breakpoints),
        muted: names(&state.step.muted),
        break_mode: (mode != BreakMode::default()).then(|| mode.name().into()),
        left_out: names(&state.step.left_out),
        run: Unfinished::of(&state.step).or_else(|| state.wanted.as_ref()?.run.clone()),
        looks: Some(state.graph.looks()),
        filters: ScreenId::ALL
            .iter()
            .map(|screen| (screen.name().to_string(), state.filter_words_of(*screen).to_string()))
            .filter(|(_, words)| !words.is_empty() && words.len() <= LONGEST)
            .collect(),
        folds: state.code.folded(),
        bookmarks: state.bookmarks.iter().filter(|bookmark| bookmark.lasts()).cloned().collect(),
        dividers: if state.moved == [Moved::default(); 6] { vec![] } else { state.moved.to_vec() },
    };
    serde_json::to_string(&kept).expect("plain data can always be written")
}

/// What was kept is here: what needs no list is done at once, the rest as the lists come.
pub fn came(state: &mut State, text: Result<Option<String>, String>) -> Vec<Effect> {
    state.keeps = state.restores;
    let read = text.and_then(|text| match text {
        None => Ok(None),
        Some(text) => match serde_json::from_str::<Kept>(&text) {
            Ok(kept) if kept.version == VERSION => Ok(Some(kept)),
            Ok(kept) => Err(format!("it is of version {}", kept.version)),
            Err(error) => Err(error.to_string()),
        },
    });
    let mut kept = match read {
        Ok(Some(kept)) => kept,
        Ok(None) => return vec![],
        Err(why) => {
            let words = "where you stood is forgotten: what was kept of it cannot be read";
            update::log(state, Source::Work, format!("{words}: {why}"));
            state.say(Role::Note, words);
            return vec![];
        }
    };
    let mut effects = Vec::new();
    let ids = |names: &mut Vec<String>| names.drain(..).map(|id| ResourceId(id.into())).collect::<Vec<_>>();
    state.step.breakpoints.extend(ids(&mut kept.breakpoints));
    state.step.muted.extend(ids(&mut kept.muted));
    state.step.left_out.extend(ids(&mut kept.left_out));
    for (stops, is_on) in [(&mut kept.stops, true), (&mut kept.stops_off, false)] {
        state.step.whens.extend(stops.drain(..).filter_map(|text| step::breaks::When::read(text, is_on)));
    }
    state.step.break_mode = kept.break_mode.take().and_then(|name| BreakMode::named(&name)).unwrap_or_default();
    step::breaks::see(state);
    state.moved.iter_mut().zip(&kept.dividers).for_each(|(here, there)| *here = *there);
    code::fold_as(state, std::mem::take(&mut kept.folds));
    state.bookmarks = std::mem::take(&mut kept.bookmarks);
    if let Some(looks) = kept.looks.take() {
        graph::look_as(state, looks);
    }
    for screen in ScreenId::ALL {
        if let Some(words) = kept.filters.remove(screen.name()).filter(|_| state.filter_words_of(screen).is_empty()) {
            screen::filter_on(state, screen, &words);
        }
    }
    for (screen, pane) in ScreenId::ALL.iter().zip(&kept.focus) {
        state.restore_focus(*screen, *pane);
    }
    if let Some(text) = kept.code.take() {
        effects.extend(code::restore(state, text));
    }
    let screen = ScreenId::ALL.into_iter().find(|screen| screen.name() == kept.screen);
    state.wanted = Some(kept);
    // Nobody has gone anywhere yet.
    if let Some(screen) = screen.filter(|_| state.screen == ScreenId::Modules && state.layers.is_empty()) {
        effects.extend(update::go_to(state, screen));
    }
    settle(state);
    effects
}

/// The dry run that was left in the middle, once there is a plan to take it up again.
pub fn unfinished(state: &mut State) -> Option<Unfinished> {
    state.wanted.as_mut()?.run.take()
}

/// A key was pressed: whoever moves on a screen is not moved there by what was kept.
pub fn touched(state: &mut State) {
    let screen = state.screen;
    let Some(kept) = &mut state.wanted else { return };
    match screen {
        ScreenId::Modules => kept.modules = None,
        ScreenId::Graph => kept.graph = None,
        ScreenId::Step => kept.step = None,
        ScreenId::Code | ScreenId::Deploys | ScreenId::Log => {}
    }
}

/// Goes back to what can be gone back to by now.
pub fn settle(state: &mut State) {
    let Some(mut kept) = state.wanted.take() else { return };
    if state.modules.tree.is_some()
        && let Some(tree) = kept.modules.take()
    {
        modules::restore(state, tree);
    }
    if state.graphed().is_some_and(|program| !program.graph.is_empty())
        && let Some(row) = kept.graph.take()
        && let Some(node) =
            state.graphed().and_then(|program| program.graph.find(&ResourceId(row.name.as_str().into())))
    {
        graph::select(state, node);
        state.graph.scroll_to(row.top);
    }
    if state.step.is_loaded()
        && let Some(row) = kept.step.take()
    {
        step::restore(state, &ResourceId(row.name.as_str().into()), row.top);
    }
    if kept.modules.is_some() || kept.graph.is_some() || kept.step.is_some() || kept.run.is_some() {
        state.wanted = Some(kept);
    }
}
