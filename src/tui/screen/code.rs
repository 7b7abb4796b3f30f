//! Code: a file with colours, its outline, its problems at their lines, and its breakpoints.

mod cursor;
pub mod doc;
mod fold;
mod gutter;
mod look_up;
mod open;
mod outline;
mod problems;
mod range;
mod search;
mod text;
pub mod data;

pub use problems::{errors, next_problem};

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::Pane;
use crate::graph::NodeIndex;
use crate::highlight::OutlineKind;
use crate::source::Place;
use crate::tui::cx::Request;
use crate::tui::effect::Effect;
use crate::tui::keymap::Action;
use crate::tui::program::Program;
pub use crate::tui::screen::code::data::State;
use crate::tui::state::State as Tui;
use crate::tui::widget::list::Move;
pub use cursor::Along;
pub use doc::{Doc, Paint, Spot};
pub use fold::Folding;
pub use look_up::{Answer, Asked, ask_kind, go_to, looked_up};
pub use open::{compiled, open, open_place, painted, read, show};
pub use range::{drop_range, is_selecting, toggle_range};
pub use search::search;

impl State {
    /// The theme changed: the lines must be coloured again.
    pub fn forget_colors(&mut self) {
        for doc in self.docs.values_mut() {
            doc.painted = Default::default();
        }
    }

    /// The open files.
    pub fn docs(&self) -> impl Iterator<Item = &Doc> {
        self.docs.values()
    }

    pub fn doc(&self) -> Option<&Doc> {
        self.docs.get(self.current.as_ref()?)
    }

    /// The selected text, or the word under the cursor.
    pub fn chosen(&self) -> Option<String> {
        let doc = self.doc()?;
        range::text(doc).or_else(|| search::word(doc).map(|(_, word)| word).filter(|word| !word.is_empty()))
    }

    /// Whether the visible text has folds.
    pub fn has_folds(&self) -> bool {
        self.doc().is_some_and(|doc| !doc.folds.is_empty())
    }

    /// Whether a file is open or being read.
    pub fn is_open(&self) -> bool {
        self.current.is_some() || self.wanted.is_some()
    }

    /// Gives files that were opened before the program was compiled the names that its places use.
    fn rename(&mut self, program: &Program) {
        for mut doc in std::mem::take(&mut self.docs).into_values() {
            let name = doc.path.as_ref().and_then(|path| program.name_of(path)).unwrap_or_else(|| doc.name.clone());
            if self.current.as_ref() == Some(&doc.name) {
                self.current = Some(name.clone());
            }
            doc.name.clone_from(&name);
            self.docs.insert(name, doc);
        }
    }

    fn doc_mut(&mut self) -> Option<&mut Doc> {
        self.docs.get_mut(self.current.as_ref()?)
    }

    /// The resources declared on the cursor's line, or around it.
    pub fn declared_at_cursor(&self, tui: &Tui) -> Vec<NodeIndex> {
        let (Some(doc), Some(program)) = (self.doc(), tui.cx.graphed()) else { return vec![] };
        let Some(declared) = program.declared_in(&doc.name) else { return vec![] };
        let around = doc
            .outline
            .iter()
            .rev()
            .find(|item| {
                item.kind == OutlineKind::Resource && (item.line..=item.last_line).contains(&doc.position.list.cursor)
            })
            .map_or(doc.line(), |item| item.line as u32 + 1);
        declared.get(&doc.line()).or_else(|| declared.get(&around)).cloned().unwrap_or_default()
    }

    /// The place of the selected problem.
    pub fn problem_place(&self, tui: &Tui) -> Option<Place> {
        tui.cx.programs.newest.as_ref()?.problems.get(self.problems.cursor)?.place.clone()
    }
}

pub fn go(tui: &mut Tui, pane: Pane, step: Move, count: usize) -> Vec<Effect> {
    let (_, height) = tui.cx.room(pane);
    match pane {
        Pane::Outline => {
            let len = tui.screens.code.doc().map_or(0, |doc| doc.outline.len());
            tui.screens.code.outline.go(step, count, len, height);
        }
        Pane::Problems => {
            let len = tui.cx.programs.newest.as_ref().map_or(0, |program| program.problems.len());
            let height = problems::rows(tui);
            tui.screens.code.problems.go(step, count, len, height);
        }
        _ => {
            if let Some(doc) = tui.screens.code.doc_mut() {
                doc.go(step, count, height);
            }
        }
    }
    vec![]
}

/// Scrolls the text.
pub fn pan(tui: &mut Tui, step: Move, count: usize) {
    text::pan(tui, step, count);
}

/// A click on a row and a column inside a pane.
pub fn click(tui: &mut Tui, pane: Pane, (row, column): (usize, usize)) -> Vec<Effect> {
    match pane {
        Pane::Outline => {
            tui.screens.code.outline.cursor = tui.screens.code.outline.offset + row;
            act(tui, Action::Open, 1)
        }
        Pane::Problems => {
            if row < problems::rows(tui) {
                tui.screens.code.problems.cursor = tui.screens.code.problems.offset + row;
            }
            act(tui, Action::Open, 1)
        }
        _ => {
            let Some(line) = text::visible(tui).into_iter().nth(row).map(|visible| visible.line) else {
                return vec![];
            };
            if let Some(doc) = tui.screens.code.doc_mut() {
                let column = (column + doc.position.left).saturating_sub(gutter::width(doc));
                doc.go_to_drawn(line, column);
            }
            vec![]
        }
    }
}

pub fn act(tui: &mut Tui, action: Action, count: usize) -> Vec<Effect> {
    match (action, tui.cx.focus()) {
        (Action::Open, Pane::Outline) => {
            let at = tui.screens.code.outline.cursor;
            if let Some(doc) = tui.screens.code.doc_mut()
                && let Some(line) = doc.outline.get(at).map(|item| item.line)
            {
                doc.go_to_line(line);
            }
            tui.cx.set_focus(Pane::Text);
        }
        (Action::Open, Pane::Problems) => {
            tui.cx.set_focus(Pane::Text);
            if let Some(place) = tui.screens.code.problem_place(tui) {
                return go_to(tui, &place);
            }
        }
        (Action::Open, _) => {
            let node = tui.screens.code.declared_at_cursor(tui).first().copied();
            node.into_iter().for_each(|node| tui.cx.request(Request::Node(node)));
        }
        (Action::Close, Pane::Outline | Pane::Problems) => tui.cx.set_focus(Pane::Text),
        (Action::Close, _) => along(tui, Along::Left, count),
        (Action::LookUp(asked), _) => return look_up::ask(tui, asked),
        (Action::Fold(how), _) => {
            if let Some(doc) = tui.screens.code.doc_mut() {
                doc.fold(how);
            }
        }
        (Action::Right, _) => along(tui, Along::Right, count),
        (Action::Along(way), _) => along(tui, way, count),
        (Action::NextProblem, _) => return problems::next_problem(tui, true),
        (Action::PreviousProblem, _) => return problems::next_problem(tui, false),
        (Action::NextMatch, _) => (0..count).for_each(|_| search::find(tui, true, false)),
        (Action::PreviousMatch, _) => (0..count).for_each(|_| search::find(tui, false, false)),
        _ => {}
    }
    vec![]
}

fn along(tui: &mut Tui, way: Along, count: usize) {
    if let Some(doc) = tui.screens.code.doc_mut() {
        doc.along(way, count);
    }
}

/// The position of the terminal's cursor.
pub fn cursor(tui: &Tui) -> Option<Position> {
    if tui.cx.focus() == Pane::Text { text::cursor(tui) } else { None }
}

pub fn clamp(tui: &mut Tui) {
    text::clamp(tui);
    outline::clamp(tui);
    let height = problems::rows(tui);
    let len = tui.cx.programs.newest.as_ref().map_or(0, |program| program.problems.len());
    tui.screens.code.problems.clamp(len, height);
}

pub fn view(tui: &Tui, buf: &mut Buffer, pane: Pane, area: Rect) {
    match pane {
        Pane::Outline => outline::view(tui, buf, area),
        Pane::Problems => problems::view(tui, buf, area),
        _ => text::view(tui, buf, area),
    }
}
