//! Deploys: what was applied here, newest first; looked into, compared, taken back and gone on with. Beside it what runs in the
//! clusters of the settings.

pub mod cluster;

mod detail;

use std::collections::HashMap;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use self::detail::Detail;
use super::step::{live, past};
use super::{Pane, ScreenId, comparing};
use crate::plan::{Offered, Query};
use crate::session::history::{Deploy, Difference, Summary, ending_words, purpose_words};
use crate::tui::effect::Effect;
use crate::tui::keymap::Action;
use crate::tui::layer::Layer;
use crate::tui::look::{Look, Role};
use crate::tui::message::Job;
use crate::tui::screen::log::Source;
use crate::tui::state::State as Tui;
use crate::tui::update::{log, log_command};
use crate::tui::widget::diff;
use crate::tui::widget::frame::{self, Frame};
use crate::tui::widget::list::{self, List, Move};
use crate::tui::widget::text;
use cluster::Clusters;

/// What was read from the history.
#[derive(Debug)]
pub enum Told {
    Listed(Result<Vec<Summary>, String>),
    Read(u64, Result<Box<Deploy>, String>),
    Compared(u64, u64, Result<Vec<Difference>, String>),
}

/// What the pane beside the list is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum About {
    Deploy(u64),
    /// An older one and a newer one.
    Difference(u64, u64),
}

/// What the screen remembers.
#[derive(Debug, Default)]
pub struct State {
    /// `None` until the first answer.
    listed: Option<Result<Vec<Summary>, String>>,
    /// Positions in the list that fit the filter.
    rows: Vec<usize>,
    /// Which deploy took one back.
    taken_back: HashMap<u64, u64>,
    list: List,
    /// Where the pane beside it is.
    window: List,
    pub words: String,
    /// To be compared with.
    marked: Option<u64>,
    about: Option<About>,
    /// What is told of it, once it was read.
    detail: Option<Detail>,
    lines: Vec<Line<'static>>,
    /// Others that have deploys; what stands above is this machine's.
    pub clusters: Clusters,
    /// The columns and the view of texts that the lines were made for.
    made_for: Option<(usize, diff::View)>,
    /// Texts of several lines are compared among them.
    has_diff: bool,
}

impl State {
    fn all(&self) -> &[Summary] {
        match &self.listed {
            Some(Ok(all)) => all,
            _ => &[],
        }
    }

    fn summary(&self) -> Option<&Summary> {
        self.all().get(*self.rows.get(self.list.cursor)?)
    }

    /// The number of the deploy of this machine under the cursor.
    pub fn selected(&self) -> Option<u64> {
        self.summary().filter(|_| !self.clusters.is_shown()).map(|summary| summary.deploy)
    }

    /// All that the list tells of the deploy under the cursor.
    pub fn selected_line(&self) -> Option<String> {
        if self.clusters.is_shown() { self.clusters.selected_line() } else { self.summary().map(told) }
    }

    /// What the deploy under the cursor is compared with: the marked one, or else the one before it.
    pub fn other(&self) -> Option<u64> {
        let selected = self.selected()?;
        let older = || self.all().iter().map(|summary| summary.deploy).find(|deploy| *deploy < selected);
        self.marked.filter(|marked| *marked != selected).or_else(older)
    }

    /// Whether texts are compared beside the list.
    pub fn has_diff(&self) -> bool {
        self.has_diff && !self.clusters.is_shown()
    }

    fn relist(&mut self) {
        let query = Query::typed(&self.words).unwrap_or_default();
        let fits = |summary: &Summary| self.words.is_empty() || query.fits(&Offered::text(&told(summary)));
        self.rows = (0..self.all().len()).filter(|at| fits(&self.all()[*at])).collect();
    }
}

/// All that the filter looks through.
fn told(summary: &Summary) -> String {
    let Some(begin) = &summary.begin else { return summary.deploy.to_string() };
    let who = begin.behind.as_ref().unwrap_or(&begin.user);
    let (deploy, purpose) = (summary.deploy, purpose_words(&begin.purpose));
    format!("#{deploy} {} {who} {purpose} {} {}", begin.time, begin.entry, ending_words(summary))
}

/// Lists anew what there is.
pub fn entered(tui: &mut Tui) -> Vec<Effect> {
    if tui.deploys.clusters.is_shown() {
        return cluster::entered(tui);
    }
    tui.start(Job::History);
    vec![Effect::ListDeploys]
}

/// Takes in what was read.
pub fn heard(tui: &mut Tui, told: Told) -> Vec<Effect> {
    tui.finish(Job::History);
    let state = &mut tui.deploys;
    match told {
        Told::Listed(listed) => {
            let kept = state.selected();
            let summaries = listed.iter().flatten();
            state.taken_back = summaries.filter_map(|summary| Some((summary.took_back()?, summary.deploy))).collect();
            state.listed = Some(listed);
            state.relist();
            let at = kept.and_then(|kept| state.rows.iter().position(|row| state.all()[*row].deploy == kept));
            state.list.cursor = at.unwrap_or(0);
            // What is on show may have gone on since.
            state.about = None;
            read(tui)
        }
        Told::Read(deploy, read) if state.about == Some(About::Deploy(deploy)) => {
            let taken_back = state.taken_back.get(&deploy).copied();
            let detail = read.map_or_else(Detail::Error, |deploy| Detail::Deploy { deploy, taken_back });
            (state.detail, state.made_for) = (Some(detail), None);
            vec![]
        }
        Told::Compared(one, other, differences) if state.about == Some(About::Difference(one, other)) => {
            let between = |differences| Detail::Between { one, other, differences };
            (state.detail, state.made_for) = (Some(differences.map_or_else(Detail::Error, between)), None);
            vec![]
        }
        Told::Read(..) | Told::Compared(..) => vec![],
    }
}

/// Asks for what the cursor stands on.
fn read(tui: &mut Tui) -> Vec<Effect> {
    let about = tui.deploys.selected().map(About::Deploy);
    if tui.deploys.about == about {
        return vec![];
    }
    let Some(About::Deploy(deploy)) = show(tui, about) else { return vec![] };
    tui.start(Job::History);
    vec![Effect::ReadDeploy(deploy)]
}

/// Makes room for another subject.
fn show(tui: &mut Tui, about: Option<About>) -> Option<About> {
    let state = &mut tui.deploys;
    (state.about, state.window, state.detail, state.made_for) = (about, List::default(), None, None);
    about
}

pub fn go(tui: &mut Tui, pane: Pane, step: Move, count: usize) -> Vec<Effect> {
    if tui.deploys.clusters.is_shown() {
        return cluster::go(tui, pane, step, count);
    }
    let (_, height) = tui.room(pane);
    if pane == Pane::Deploy {
        let len = tui.deploys.lines.len();
        tui.deploys.window.scroll(step, count, len, height);
        return vec![];
    }
    let len = tui.deploys.rows.len();
    tui.deploys.list.go(step, count, len, height);
    read(tui)
}

pub fn select(tui: &mut Tui, row: usize) -> Vec<Effect> {
    if tui.deploys.clusters.is_shown() {
        return cluster::click(tui, row);
    }
    let at = tui.deploys.list.offset + row;
    if at >= tui.deploys.rows.len() {
        return vec![];
    }
    tui.deploys.list.cursor = at;
    read(tui)
}

pub fn act(tui: &mut Tui, action: Action) -> Vec<Effect> {
    match action {
        Action::NextSource => return cluster::turn(tui, true),
        Action::PreviousSource => return cluster::turn(tui, false),
        Action::Resume => {}
        Action::SideBySide | Action::WholeText => {
            comparing::turn(tui, action);
            return vec![];
        }
        _ if tui.deploys.clusters.is_shown() => return cluster::act(tui, action),
        _ => {}
    }
    match action {
        Action::Open => {
            tui.set_focus(Pane::Deploy);
            read(tui)
        }
        Action::Close => {
            tui.set_focus(Pane::Deploys);
            read(tui)
        }
        Action::Mark => {
            let state = &mut tui.deploys;
            let selected = state.selected();
            state.marked = if state.marked == selected { None } else { selected };
            vec![]
        }
        Action::Compare => compare(tui),
        Action::Replay => past::ask(tui),
        Action::UndoDeploy => ask_back(tui),
        Action::Resume => {
            tui.screen = ScreenId::Step;
            live::resume(tui)
        }
        _ => vec![],
    }
}

fn compare(tui: &mut Tui) -> Vec<Effect> {
    let (Some(selected), Some(other)) = (tui.deploys.selected(), tui.deploys.other()) else { return vec![] };
    let (one, other) = (selected.min(other), selected.max(other));
    log_command(tui, format!("workbench deploy diff {one} {other}"));
    show(tui, Some(About::Difference(one, other)));
    tui.start(Job::History);
    vec![Effect::CompareDeploys(one, other)]
}

fn ask_back(tui: &mut Tui) -> Vec<Effect> {
    let Some(summary) = tui.deploys.summary() else { return vec![] };
    let mut lines = vec![format!("Take back deploy {}, newest deed first?", summary.deploy)];
    if let Some(begin) = &summary.begin {
        lines.push(format!("  {}  {} {}", short_time(&begin.time), purpose_words(&begin.purpose), begin.entry));
    }
    lines.push(format!("  {}", ending_words(summary)));
    lines.push("What cannot be taken back is named and left; an undo can be undone.".into());
    tui.layers.push(Layer::confirm(lines, Action::UndoDeploy));
    vec![]
}

/// Takes the deploy under the cursor back, as was agreed to.
pub fn take_back(tui: &mut Tui) -> Vec<Effect> {
    if tui.deploys.clusters.is_shown() {
        return cluster::go_back(tui);
    }
    let Some(deploy) = tui.deploys.selected() else { return vec![] };
    log_command(tui, format!("workbench deploy undo {deploy}"));
    log(tui, Source::Run, format!("taking back deploy {deploy}"));
    // This list is our own history.
    tui.step.live.is_ours();
    live::begin_back(tui, deploy, None)
}

pub fn filter(tui: &mut Tui, words: &str) {
    tui.deploys.words = words.to_string();
    tui.deploys.relist();
    tui.deploys.list = List::default();
    cluster::filter(tui);
}

pub fn settle(tui: &mut Tui) {
    if tui.deploys.clusters.is_shown() {
        return cluster::settle(tui);
    }
    let (_, height) = tui.room(Pane::Deploys);
    let len = tui.deploys.rows.len();
    tui.deploys.list.settle(len, height);
    let (width, height) = tui.room(Pane::Deploy);
    let wanted = Some((width, tui.diff_view));
    if tui.deploys.made_for != wanted {
        let lines = tui.deploys.detail.as_ref().map(|detail| detail.lines(&tui.look, tui.diff_view, width));
        (tui.deploys.lines, tui.deploys.made_for) = (lines.unwrap_or_default(), wanted);
        tui.deploys.has_diff = tui.deploys.detail.as_ref().is_some_and(Detail::has_texts);
    }
    let len = tui.deploys.lines.len();
    tui.deploys.window.settle_text(len, height);
}

pub fn view(tui: &Tui, buf: &mut Buffer, pane: Pane, area: Rect) {
    if tui.deploys.clusters.is_shown() {
        return cluster::view(tui, buf, pane, area);
    }
    let (state, look, focused) = (&tui.deploys, &tui.look, tui.focus() == pane);
    let height = usize::from(area.height.saturating_sub(2));
    if pane == Pane::Deploy {
        let title = match state.about {
            None => "Deploy".into(),
            Some(About::Deploy(deploy)) => format!("#{deploy}"),
            Some(About::Difference(one, other)) => format!("#{one} {} #{other}", look.glyphs.arrow),
        };
        let scroll = state.window.extent(state.lines.len(), height);
        let inner = frame::draw(buf, area, look, &Frame { title: &title, focused, scroll, ..Frame::default() });
        return list::draw_text(buf, inner, state.window.offset, &state.lines);
    }
    let title = cluster::title(tui);
    let foot = state.list.foot(state.rows.len());
    let scroll = state.list.extent(state.rows.len(), height);
    let inner = frame::draw(buf, area, look, &Frame { title: &title, foot: &foot, focused, scroll });
    if state.rows.is_empty() {
        return list::draw_words(buf, inner, &empty(tui));
    }
    list::draw(buf, inner, look, &state.list, state.rows.len(), focused, |at| {
        row_line(state, &state.all()[state.rows[at]], state.rows[at] == 0, look, usize::from(inner.width))
    });
}

fn empty(tui: &Tui) -> Vec<Line<'static>> {
    let (state, look) = (&tui.deploys, &tui.look);
    let dim = look.style(Role::Dim);
    match &state.listed {
        None => vec![Line::styled(" looking into the history…", dim)],
        Some(Err(error)) => vec![Line::styled(format!(" {}", text::safe(error)), look.style(Role::Error))],
        Some(Ok(all)) if all.is_empty() => vec![
            Line::raw(" Nothing was applied on this machine yet."),
            Line::styled(" p plans, then A on Step goes live.", dim),
            Line::styled(" The same by hand: workbench apply", dim),
        ],
        Some(Ok(all)) => list::all_hidden(look, &list::filter_named(&state.words), all.len(), "deploy"),
    }
}

/// `2026-11-21T12:03:11Z` without its seconds: what a list has room for.
fn short_time(time: &str) -> String {
    text::safe(time.get(..16).unwrap_or(time)).replace('T', " ")
}

fn row_line(state: &State, summary: &Summary, is_newest: bool, look: &Look, width: usize) -> Line<'static> {
    let glyphs = look.glyphs;
    let (glyph, role) = match &summary.end {
        None => (glyphs.paused, Role::Warning),
        Some(end) if end.failed > 0 => (glyphs.failed, Role::Error),
        Some(_) if state.taken_back.contains_key(&summary.deploy) => (glyphs.skipped, Role::Dim),
        Some(_) if is_newest => (glyphs.known, Role::Good),
        Some(_) => (glyphs.done, Role::Good),
    };
    let mark = if state.marked == Some(summary.deploy) { "=" } else { " " };
    let number = format!("#{}", summary.deploy);
    let mut spans = vec![
        Span::styled(format!("{mark}{glyph} "), look.style(role)),
        Span::styled(format!("{number:<5} "), look.style(Role::Strong)),
    ];
    let Some(begin) = &summary.begin else {
        spans.push(Span::styled("cannot be read", look.style(Role::Error)));
        return Line::from(spans);
    };
    let head = format!("{}  ", short_time(&begin.time));
    let ending = match state.taken_back.get(&summary.deploy) {
        Some(by) => format!("taken back by #{by}"),
        None if summary.end.is_none() => "cut off, or at work".into(),
        None => ending_words(summary),
    };
    let room = width.saturating_sub(9 + text::width(&head) + 2);
    let ending = text::fit(&ending, room, glyphs.cut).into_owned();
    let room = room.saturating_sub(text::width(&ending));
    let what = text::safe(&format!("{} {}", purpose_words(&begin.purpose), begin.entry));
    spans.push(Span::styled(head, look.style(Role::Dim)));
    spans.push(Span::raw(text::pad(&text::fit_end(&what, room, glyphs.cut), room)));
    let role = if role == Role::Good { Role::Dim } else { role };
    spans.push(Span::styled(format!("  {ending}"), look.style(role)));
    Line::from(spans)
}
