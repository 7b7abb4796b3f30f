//! Code: a file with colours, its outline, its problems at their lines, and its breakpoints.

mod cursor;
pub mod doc;
mod fold;
mod front;
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

use ratatui::prelude::{Buffer, Rect};

use super::{Beside, Pane, Screen};
use crate::graph::NodeIndex;
use crate::highlight::OutlineKind;
use crate::source::Place;
use crate::tui::cx::{Cx, Request};
pub use crate::tui::screen::code::data::State;
use crate::tui::screen::code::data::State as Code;
use crate::tui::{front::Front, keymap::Action, program::Program, widget::list::Move};
pub use cursor::Along;
pub use doc::{Doc, Paint, Spot};
pub use fold::Folding;
pub use look_up::{Answer, Asked, ask_kind, is_at, looked_up, of_resource};
pub use open::{compiled, open, open_place, painted, read, show};
pub use range::{drop_range, toggle_range};

impl State {
    /// The theme changed: the lines must be coloured again.
    pub fn forget_colors(&mut self) {
        for doc in self.docs.values_mut() {
            doc.painted = Default::default();
        }
    }

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
    pub fn declared_at_cursor(&self, cx: &Cx) -> Vec<NodeIndex> {
        let (Some(doc), Some(program)) = (self.doc(), cx.graphed()) else { return vec![] };
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
    pub fn problem_place(&self, cx: &Cx) -> Option<Place> {
        cx.programs.newest.as_ref()?.problems.get(self.problems.cursor)?.place.clone()
    }
}

pub fn pan(code: &mut Code, cx: &Cx, step: Move, count: usize) {
    text::pan(code, cx, step, count);
}

fn along(code: &mut Code, way: Along, count: usize) {
    if let Some(doc) = code.doc_mut() {
        doc.along(way, count);
    }
}

fn problem_count(cx: &Cx) -> usize {
    cx.programs.newest.as_ref().map_or(0, |program| program.problems.len())
}

impl Screen for State {
    fn view(&self, front: Front<'_>, buf: &mut Buffer, pane: Pane, area: Rect) {
        match pane {
            Pane::Outline => outline::view(self, front.cx, buf, area),
            Pane::Problems => problems::view(self, front.cx, buf, area),
            _ => text::view(self, front.step, front.cx, buf, area),
        }
    }

    fn go(&mut self, cx: &mut Cx, _: Beside<'_>, pane: Pane, step: Move, count: usize) {
        let (_, height) = cx.room(pane);
        match pane {
            Pane::Outline => {
                let len = self.doc().map_or(0, |doc| doc.outline.len());
                self.outline.go(step, count, len, height);
            }
            Pane::Problems => self.problems.go(step, count, problem_count(cx), problems::rows(cx)),
            _ => self.doc_mut().into_iter().for_each(|doc| doc.go(step, count, height)),
        }
    }

    fn click(&mut self, cx: &mut Cx, beside: Beside<'_>, pane: Pane, (row, column): (usize, usize)) {
        match pane {
            Pane::Outline => {
                self.outline.cursor = self.outline.offset + row;
                self.act(cx, beside, Action::Open, 1)
            }
            Pane::Problems => {
                if row < problems::rows(cx) {
                    self.problems.cursor = self.problems.offset + row;
                }
                self.act(cx, beside, Action::Open, 1)
            }
            _ => {
                let line = text::visible(self, cx).into_iter().nth(row).map(|visible| visible.line);
                if let Some((line, doc)) = line.zip(self.doc_mut()) {
                    let column = (column + doc.position.left).saturating_sub(gutter::width(doc));
                    doc.go_to_drawn(line, column);
                }
            }
        }
    }

    fn act(&mut self, cx: &mut Cx, _: Beside<'_>, action: Action, count: usize) {
        match (action, cx.focus()) {
            (Action::Open, Pane::Outline) => {
                let at = self.outline.cursor;
                if let Some(doc) = self.doc_mut()
                    && let Some(line) = doc.outline.get(at).map(|item| item.line)
                {
                    doc.go_to_line(line);
                }
                cx.set_focus(Pane::Text);
            }
            (Action::Open, Pane::Problems) => {
                cx.set_focus(Pane::Text);
                self.problem_place(cx).into_iter().for_each(|place| cx.request(Request::Place(place)));
            }
            (Action::Open, _) => {
                let node = self.declared_at_cursor(cx).first().copied();
                node.into_iter().for_each(|node| cx.request(Request::Node(node)));
            }
            (Action::Close, Pane::Outline | Pane::Problems) => cx.set_focus(Pane::Text),
            (Action::Close, _) => along(self, Along::Left, count),
            (Action::LookUp(asked), _) => look_up::ask(self, cx, asked),
            (Action::Fold(how), _) => self.doc_mut().into_iter().for_each(|doc| doc.fold(how)),
            (Action::Right, _) => along(self, Along::Right, count),
            (Action::Along(way), _) => along(self, way, count),
            (Action::NextProblem, _) => problems::next_problem(self, cx, true),
            (Action::PreviousProblem, _) => problems::next_problem(self, cx, false),
            (Action::NextMatch, _) => (0..count).for_each(|_| search::find(self, cx, true, false)),
            (Action::PreviousMatch, _) => (0..count).for_each(|_| search::find(self, cx, false, false)),
            _ => {}
        }
    }

    fn clamp(&mut self, cx: &mut Cx, _: Beside<'_>) {
        text::clamp(self, cx);
        outline::clamp(self, cx);
        self.problems.clamp(problem_count(cx), problems::rows(cx));
    }

    fn filter(&mut self, cx: &mut Cx, _: Beside<'_>, words: &str) {
        search::search(self, cx, words);
    }
}
