//! History: deploys, newest first, with details, comparison, undo and resume; plans and fetches are listed on request.
//!
//! [`list`] makes the rows, [`detail`] shows the selected one, [`undo`] undoes it, [`export`] writes it to a file.

mod front;
pub mod export;

mod undo;
mod detail;
mod list;
pub mod data;

use ratatui::prelude::{Buffer, Line, Rect};

use self::detail::Detail;
use self::list::{Key, Shown, short_time};
use super::{Beside, Pane, Screen, ScreenId, comparing};
use crate::session::history::{Purpose, Summary, UndoneBy, short_entry, what_words};
use crate::session::operations::{MadePlan, Operation, What, merge_log};
use crate::tui::cx::{Cx, Request};
use crate::tui::keymap::{Action, Folding};
use crate::tui::list::Rows as _;
use crate::tui::screen::deploys::data::State as Deploys;
pub use crate::tui::screen::deploys::data::{Listed, Notice, State, Then};
use crate::tui::screen::step::data::State as Step;
use crate::tui::widget::frame::{self, Frame};
use crate::tui::widget::list::{self as rows, List, Move};
use crate::tui::{
    effect::Effect, filter, front::Front, look::Role, message::Job, screen::deploys::data::About, screen::log::Source,
    widget::text,
};
pub use undo::{answers, confirmed};

impl State {
    fn shown(&self) -> Option<Shown<'_>> {
        self.list.rows.shown(self.list.cursor())
    }

    fn summary(&self) -> Option<&Summary> {
        match self.shown()? {
            Shown::Deploy(summary) => Some(summary),
            Shown::Operation(_) | Shown::Hidden(_) => None,
        }
    }

    /// The number of the deploy under the cursor.
    pub fn selected(&self) -> Option<u64> {
        self.summary().map(|summary| summary.deploy)
    }

    /// The undo of the deploy under the cursor.
    pub fn undo(&self) -> Option<UndoneBy> {
        self.list.rows.undone_by(self.selected()?)
    }

    /// Whether a row is selected, or why not.
    pub fn has_row(&self) -> Result<(), &'static str> {
        match self.shown() {
            Some(_) => Ok(()),
            None if self.list.rows.total() > 0 => Err("no rows: Esc clears the filter"),
            None => Err("no deploys yet"),
        }
    }

    /// The hash of the plan under the cursor.
    pub fn selected_plan(&self) -> Option<&str> {
        match self.shown()? {
            Shown::Operation(Operation { what: What::Plan(plan), .. }) => Some(&plan.plan),
            _ => None,
        }
    }

    /// The entry of the row under the cursor: of a deploy, a plan, or a fetch.
    pub fn entry(&self) -> Option<String> {
        match self.shown()? {
            Shown::Deploy(summary) => self.list.rows.entry(summary),
            Shown::Operation(operation) => Some(short_entry(&operation.entry)),
            Shown::Hidden(_) => None,
        }
    }

    pub fn is_undo(&self) -> bool {
        let begin = self.selected().and_then(|_| match self.shown()? {
            Shown::Deploy(summary) => summary.begin.as_ref(),
            Shown::Operation(_) | Shown::Hidden(_) => None,
        });
        begin.is_some_and(|begin| matches!(begin.purpose, Purpose::Undo { .. }))
    }

    /// Whether there are hidden plans to show or to hide.
    pub fn has_folds(&self) -> bool {
        self.list.rows.has_runs()
    }

    /// The deploy to compare with: the newest one before it of the same entry.
    pub fn other(&self) -> Option<u64> {
        let selected = self.selected()?;
        // Only a deploy of the same program has the state before.
        let entry = self.entry()?;
        let is_undo = |summary: &Summary| {
            let purpose = summary.begin.as_ref().map(|begin| &begin.purpose);
            matches!(purpose, Some(Purpose::Undo { .. }))
        };
        let is_before = |summary: &&Summary| {
            summary.deploy < selected
                && !is_undo(summary)
                && self.list.rows.entry(summary).is_some_and(|other| other == entry)
        };
        self.list.rows.deploys().find(is_before).map(|summary| summary.deploy)
    }
    pub fn is_listed(&self) -> bool {
        self.listed.is_some()
    }

    /// Whether a diff is shown beside the list.
    pub fn has_diff(&self) -> bool {
        self.has_diff
    }
}

/// The last deploy and how it ended, in one line.
pub fn newest_words(deploys: &Deploys, step: &Step) -> Option<String> {
    let summary = deploys.list.rows.deploys().next()?;
    let begin = summary.begin.as_ref()?;
    let (time, what) = (short_time(&begin.time), text::safe(&what_words(begin)));
    Some(format!("deploy {}, {time}, {what}: {}", summary.deploy, text::safe(&list::ending(deploys, step, summary))))
}

/// Reads the history again.
pub fn entered(cx: &mut Cx) {
    cx.start(Job::History);
    cx.effect(Effect::ListDeploys)
}

pub fn on_notice(history: &mut Deploys, step: &Step, cx: &mut Cx, notice: Notice) {
    if let Notice::Ended = notice {
        // Any other screen reads the list again when the user leaves it.
        if cx.screen == ScreenId::Deploys || cx.screen == ScreenId::Step {
            entered(cx);
        }
        // A deploy that was resumed and left before a step ran is interrupted again.
        if step.phase.left_idle(step.has_turned()) {
            cx.effect(Effect::Inspect { as_root: cx.project.is_sudo });
        }
        return;
    }
    if let Notice::Newest(Listed { deploys, operations, at_work, .. }) = notice {
        let state = &mut *history;
        // Only if nothing is shown yet.
        if state.listed.is_none() && state.sought.is_none() {
            state.list.rows.at_work = at_work;
            let words = state.list.words().to_owned();
            state.list.rows.renew(merge_log(deploys, operations.all), &words, &cx.look);
            state.listed = Some(Ok(()));
        }
        return;
    }
    cx.finish(Job::History);
    let is_shown = cx.screen == ScreenId::Deploys;
    let state = &mut *history;
    match notice {
        Notice::Listed(listed) => {
            let sought = state.sought.take();
            // A cursor on the newest row stays on the newest row.
            let at = Some(state.list.cursor()).filter(|at| is_shown || *at > 0);
            let kept = at.and_then(|at| state.list.rows.key(at));
            // Deploys come before the fold, unless the user selected that among others.
            let is_chosen = is_shown && state.list.len() > 1;
            let kept = kept.filter(|key| is_chosen || !matches!(key, Key::Hidden));
            let kept = sought.map(|(deploy, _)| Key::Deploy(deploy)).or(kept);
            let (all, result, unread) = match listed {
                Ok(Listed { deploys, operations, unread, at_work }) => {
                    state.list.rows.at_work = at_work;
                    let damaged = operations.damaged;
                    let lines = if damaged == 1 { "line" } else { "lines" };
                    let damage = (damaged > 0)
                        .then(|| format!("{damaged} {lines} in the list of plans and fetches cannot be read"));
                    (merge_log(deploys, operations.all), Ok(()), unread.or(damage))
                }
                Err(error) => (vec![], Err(error), None),
            };
            let words = state.list.words().to_owned();
            state.list.rows.renew(all, &words, &cx.look);
            state.listed = Some(result);
            state.list.at.cursor = kept.and_then(|kept| state.list.rows.find(&kept)).unwrap_or(0);
            // The shown deploy may have continued since.
            state.about = None;
            let is_new = unread.is_some() && unread != state.unread;
            state.unread.clone_from(&unread);
            if let Some(words) = unread.filter(|_| is_new) {
                cx.report(Source::Problem, words.clone());
                cx.show_notice(Role::Warning, words);
            }
            if is_shown {
                read(history, cx);
            }
            sought.into_iter().for_each(|(deploy, then)| found(history, cx, deploy, then));
        }
        Notice::Read(deploy, read) if state.about == Some(About::Deploy(deploy)) => {
            let undone_by = state.list.rows.undo_words(deploy);
            let is_newest = state.list.rows.deploys().next().is_some_and(|newest| newest.deploy == deploy);
            let at_work = if is_newest { state.list.rows.at_work } else { Some(false) };
            let detail = read.map_or_else(Detail::Error, |deploy| Detail::Deploy { deploy, at_work, undone_by });
            (state.detail, state.made_for) = (Some(detail), None);
        }
        Notice::Compared(one, other, differences) if state.about == Some(About::Difference(one, other)) => {
            let between = |differences| Detail::Between { one, other, differences };
            (state.detail, state.made_for) = (Some(differences.map_or_else(Detail::Error, between)), None);
        }
        Notice::Newest(_) | Notice::Read(..) | Notice::Compared(..) | Notice::Ended => {}
    }
}

/// Acts on a deploy that was gone to.
fn found(deploys: &mut Deploys, cx: &mut Cx, deploy: u64, then: Then) {
    let is_there = |other: u64| deploys.list.rows.deploys().any(|summary| summary.deploy == other);
    let missing = match then {
        Then::CompareWith(other) => [deploy, other].into_iter().find(|deploy| !is_there(*deploy)),
        Then::Show | Then::Act(_) => Some(deploy).filter(|deploy| !is_there(*deploy)),
    };
    // The reason for a missing list is shown in its place.
    if let (Some(missing), Some(Ok(()))) = (missing, &deploys.listed) {
        cx.show_notice(Role::Warning, format!("no deploy {missing} in the history"));
    }
    // The user may have left the screen.
    if missing.is_some() || cx.screen != ScreenId::Deploys || !cx.layers.open.is_empty() {
        return;
    }
    match then {
        Then::Show => {}
        Then::CompareWith(other) => compare_with(deploys, cx, deploy, other),
        Then::Act(action) => cx.request(Request::Act(action)),
    }
}

/// Reads the details of the selected row.
fn read(deploys: &mut Deploys, cx: &mut Cx) {
    let state = &*deploys;
    let key = state.list.selected();
    let about = key.map(|key| match key {
        Key::Deploy(deploy) => About::Deploy(deploy),
        other => About::Beside(other),
    });
    if deploys.about == about {
        return;
    }
    show(deploys, about);
    let state = &mut *deploys;
    state.detail = match state.shown() {
        Some(Shown::Operation(operation)) => Some(Detail::Operation(operation.clone())),
        Some(Shown::Deploy(_) | Shown::Hidden(_)) | None => None,
    };
    let Some(About::Deploy(deploy)) = state.about else { return };
    cx.start(Job::History);
    cx.effect(Effect::ReadDeploy(deploy))
}

/// Clears the pane for another subject.
fn show(deploys: &mut Deploys, about: Option<About>) {
    let state = &mut *deploys;
    (state.about, state.window, state.detail, state.made_for) = (about, List::default(), None, None);
}

/// Goes to a deploy, clearing a filter that hides it.
pub fn show_deploy(deploys: &mut Deploys, cx: &mut Cx, deploy: u64, then: Then) {
    filter(deploys, cx, "");
    deploys.sought = Some((deploy, then));
    cx.set_focus(Pane::Deploys);
    cx.screen = ScreenId::Deploys;
    entered(cx)
}

/// Opens a saved plan on Step, or shows hidden rows; else focuses the pane beside.
fn open(deploys: &mut Deploys, cx: &mut Cx) {
    let at = deploys.list.cursor();
    if deploys.list.rows.open(at) {
        return read(deploys, cx);
    }
    if cx.focus() == Pane::Deploys
        && let Some(Shown::Operation(Operation { what: What::Plan(MadePlan { file: Some(file), .. }), .. })) =
            deploys.shown()
    {
        let file = file.clone();
        cx.request(Request::OpenPlan(file));
        return;
    }
    cx.set_focus(Pane::Deploy);
    read(deploys, cx)
}

fn compare(deploys: &mut Deploys, cx: &mut Cx) {
    let (Some(selected), Some(other)) = (deploys.selected(), deploys.other()) else {
        return;
    };
    compare_with(deploys, cx, selected, other)
}

fn compare_with(deploys: &mut Deploys, cx: &mut Cx, selected: u64, other: u64) {
    let (one, other) = (selected.min(other), selected.max(other));
    cx.log_command(format!("workbench deploy diff {one} {other}"));
    show(deploys, Some(About::Difference(one, other)));
    cx.start(Job::History);
    cx.effect(Effect::CompareDeploys(one, other))
}

/// The cursor stays on its row, as long as it is visible.
fn filter(deploys: &mut Deploys, cx: &Cx, words: &str) {
    let look = &cx.look;
    deploys.list.filter(words, |rows, words| rows.filter(words, look));
    deploys.list.at.offset = 0;
    deploys.is_filtered = true;
}

/// Ends a comparison; false if there is none.
pub fn compare_no_more(deploys: &mut Deploys, cx: &mut Cx) -> bool {
    let is_compared = matches!(deploys.about, Some(About::Difference(..)));
    is_compared.then(|| read(deploys, cx)).is_some()
}

/// Reads the details of the row that a filter selected.
pub fn pending_effects(deploys: &mut Deploys, cx: &mut Cx) {
    let is_listed = matches!(deploys.listed, Some(Ok(())));
    if cx.screen != ScreenId::Deploys || !is_listed || !std::mem::take(&mut deploys.is_filtered) {
        return;
    }
    // A comparison stays while the cursor is on one of its deploys.
    if matches!(deploys.about, Some(About::Difference(one, other)) if deploys.selected().is_some_and(|at| at == one || at == other))
    {
        return;
    }
    read(deploys, cx);
    clamp(deploys, cx);
}

/// The part of a pane below the column names.
fn below_header(inner: Rect) -> Rect {
    let header = inner.height.min(1);
    Rect { y: inner.y + header, height: inner.height - header, ..inner }
}

fn empty(deploys: &Deploys, cx: &Cx) -> Vec<Line<'static>> {
    let (state, look) = (deploys, &cx.look);
    let dim = look.style(Role::Dim);
    match &state.listed {
        None => vec![Line::styled(" reading the history…", dim)],
        Some(Err(error)) => vec![Line::styled(format!(" {}", text::safe(error)), look.style(Role::Error))],
        Some(Ok(())) if state.list.rows.total() == 0 => vec![
            Line::raw(" No deploys on this machine yet."),
            Line::styled(" Press p for a plan, then A on Plan to apply it.", dim),
            Line::styled(" Command: workbench apply", dim),
        ],
        Some(Ok(())) => filter::hides_all(cx, state, state.list.words(), (state.list.rows.total(), "entry", "entries")),
    }
}

fn clamp(deploys: &mut Deploys, cx: &Cx) {
    let height = cx.room(Pane::Deploys).1.saturating_sub(1);
    deploys.list.clamp(height);
    let (width, height) = cx.room(Pane::Deploy);
    let wanted = Some((width, cx.compared.diff_view));
    if deploys.made_for != wanted {
        let lines = deploys.detail.as_ref().map(|detail| detail.lines(&cx.look, cx.compared.diff_view, width));
        (deploys.lines, deploys.made_for) = (lines.unwrap_or_default(), wanted);
        deploys.has_diff = deploys.detail.as_ref().is_some_and(Detail::has_texts);
    }
    let len = deploys.lines.len();
    deploys.window.clamp_text(len, height);
}

impl Screen for State {
    fn view(&self, front: Front<'_>, buf: &mut Buffer, pane: Pane, area: Rect) {
        let Front { cx, step, .. } = front;
        let (look, focused) = (&cx.look, cx.focus() == pane);
        let height = usize::from(area.height.saturating_sub(2));
        if pane == Pane::Deploy {
            let title = match &self.about {
                None => "Deploy".into(),
                Some(About::Deploy(deploy)) => format!("#{deploy}"),
                Some(About::Beside(_)) => self.detail.as_ref().map_or("Plans and fetches", Detail::title).into(),
                Some(About::Difference(one, other)) => format!("#{one} {} #{other}", look.glyphs.arrow),
            };
            let scroll = self.window.extent(self.lines.len(), height);
            let inner = frame::draw(buf, area, look, &Frame { title: &title, focused, scroll, ..Frame::default() });
            if matches!(self.shown(), Some(Shown::Hidden(_))) {
                let words = " They changed nothing on this machine. Enter lists them.";
                return rows::draw_words(buf, inner, &[Line::styled(words, look.style(Role::Dim))]);
            }
            return rows::draw_cut(buf, inner, &cx.look, self.window.offset, &self.lines);
        }
        let title = self.list.titled(format!("Deploys on {}", text::safe(&cx.project.host)));
        let foot = self.list.foot();
        let scroll = self.list.extent(height.saturating_sub(1));
        let inner = frame::draw(buf, area, look, &Frame { title: &title, foot: &foot, focused, scroll });
        if self.list.is_empty() {
            return rows::draw_words(buf, inner, &empty(self, cx));
        }
        let width = usize::from(inner.width);
        rows::draw_text(buf, inner, 0, &[list::header(self, cx, width)]);
        let inner = below_header(inner);
        rows::draw(buf, inner, look, &self.list.at, self.list.len(), focused, |at| {
            list::row_line(self, step, cx, at, width)
        });
    }

    fn go(&mut self, cx: &mut Cx, _: Beside<'_>, pane: Pane, step: Move, count: usize) {
        let (_, height) = cx.room(pane);
        if pane == Pane::Deploy {
            let len = self.lines.len();
            self.window.scroll(step, count, len, height);
            return;
        }
        self.list.go(step, count, height);
        read(self, cx)
    }

    fn click(&mut self, cx: &mut Cx, _: Beside<'_>, pane: Pane, (row, _): (usize, usize)) {
        // The first row names the columns.
        let row = row.checked_sub(1).filter(|_| pane == Pane::Deploys);
        let selected = row.and_then(|row| self.list.click(row));
        if selected.is_some() {
            read(self, cx)
        }
    }

    fn act(&mut self, cx: &mut Cx, _: Beside<'_>, action: Action, _: usize) {
        match action {
            Action::SideBySide => comparing::turn(cx),
            Action::Open => open(self, cx),
            Action::Close => {
                if cx.focus() == Pane::Deploys && matches!(self.shown(), Some(Shown::Operation(_))) {
                    self.list.fold(Folding::Toggle);
                }
                cx.set_focus(Pane::Deploys);
                read(self, cx)
            }
            Action::Fold(how) => {
                self.list.fold(how);
                read(self, cx)
            }
            Action::Save => export::ask(self, cx),
            Action::Compare => compare(self, cx),
            Action::UndoDeploy => self.selected().into_iter().for_each(|deploy| cx.request(Request::ReadUndo(deploy))),
            _ => {}
        }
    }

    fn clamp(&mut self, cx: &mut Cx, _: Beside<'_>) {
        clamp(self, cx);
    }

    fn filter(&mut self, cx: &mut Cx, _: Beside<'_>, words: &str) {
        filter(self, cx, words);
    }
}
