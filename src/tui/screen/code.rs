//! Code: a file with its colours, its outline, its problems at their lines, and breakpoints on what it declares.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::Pane;
use crate::diag::Severity;
use crate::graph::NodeIndex;
use crate::highlight::{self, Document, OutlineItem, OutlineKind};
use crate::source::Place;
use crate::tui::effect::Effect;
use crate::tui::keymap::Action;
use crate::tui::look::{Look, Role};
use crate::tui::message::Job;
use crate::tui::program::{Problem, Program};
use crate::tui::state::State as Tui;
use crate::tui::update;
use crate::tui::widget::frame::{self, Frame};
use crate::tui::widget::list::{self, List, Move};
use crate::tui::widget::text;

const TAB: usize = 4;

/// A parsed file with its outline, made by a worker.
#[derive(Debug)]
pub struct Paint {
    pub document: Document,
    pub outline: Vec<OutlineItem>,
}

/// An open file.
#[derive(Debug)]
pub struct Doc {
    /// As places name it.
    pub name: Arc<str>,
    pub path: Option<PathBuf>,
    pub document: Document,
    pub outline: Vec<OutlineItem>,
    list: List,
    /// The coloured lines of the last window; colouring costs more than drawing.
    painted: (Range<usize>, Vec<Line<'static>>),
}

impl Doc {
    /// The line of the cursor, from 1.
    pub fn line(&self) -> u32 {
        self.list.cursor as u32 + 1
    }

    fn len(&self) -> usize {
        // A line break at the end begins no line that one would want to stand on.
        let count = self.document.line_count();
        if count > 1 && self.document.line_range(count - 1).is_empty() { count - 1 } else { count }
    }

    fn line_text(&self, line: usize) -> &str {
        &self.document.text()[self.document.line_range(line)]
    }
}

/// What the screen remembers.
#[derive(Debug, Default)]
pub struct State {
    docs: BTreeMap<Arc<str>, Doc>,
    current: Option<Arc<str>>,
    /// The line to show once a file that is being read arrives.
    wanted: Option<(PathBuf, u32)>,
    outline: List,
    problems: List,
    /// Search words.
    pub words: String,
    /// Why nothing is open.
    pub trouble: Option<String>,
}

impl State {
    pub fn doc(&self) -> Option<&Doc> {
        self.docs.get(self.current.as_ref()?)
    }

    /// Whether a file is shown or on its way.
    pub fn is_open(&self) -> bool {
        self.current.is_some() || self.wanted.is_some()
    }

    /// Files that were opened before the program was there take the names that its places use.
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
        let (Some(doc), Some(program)) = (self.doc(), tui.graphed()) else { return vec![] };
        let Some(declared) = program.declared_in(&doc.name) else { return vec![] };
        let around = doc
            .outline
            .iter()
            .rev()
            .find(|item| item.kind == OutlineKind::Resource && (item.line..=item.last_line).contains(&doc.list.cursor))
            .map_or(doc.line(), |item| item.line as u32 + 1);
        declared.get(&doc.line()).or_else(|| declared.get(&around)).cloned().unwrap_or_default()
    }

    /// The place of the selected problem.
    pub fn problem_place(&self, tui: &Tui) -> Option<Place> {
        tui.program.as_ref()?.problems.get(self.problems.cursor)?.place.clone()
    }
}

/// Shows a file: at once where it is open, else when it has been read.
pub fn open(tui: &mut Tui, path: PathBuf, line: u32) -> Vec<Effect> {
    let there = tui.code.docs.values().find(|doc| doc.path.as_ref() == Some(&path)).map(|doc| doc.name.clone());
    if let Some(name) = there {
        show(tui, name, line);
        return vec![];
    }
    tui.code.wanted = Some((path.clone(), line));
    tui.start(Job::Read);
    vec![Effect::ReadFile { path }]
}

/// Shows a place of the program.
pub fn open_place(tui: &mut Tui, place: &Place) -> Vec<Effect> {
    if tui.code.docs.contains_key(&place.file) {
        show(tui, place.file.clone(), place.line);
        return vec![];
    }
    let Some(path) = tui.path_of(place) else { return open_source(tui, place.file.clone(), place.line) };
    open(tui, path, place.line)
}

/// Shows a text that has no file, such as code given as an argument.
fn open_source(tui: &mut Tui, name: Arc<str>, line: u32) -> Vec<Effect> {
    let Some(file) = tui.program.as_ref().and_then(|program| program.file(&name)) else { return vec![] };
    let text = file.text.clone();
    tui.code.wanted = Some((PathBuf::from(&*name), line));
    vec![Effect::Paint { name, path: None, text }]
}

/// Shows an open file.
pub fn show(tui: &mut Tui, name: Arc<str>, line: u32) {
    if !tui.code.docs.contains_key(&name) {
        return;
    }
    tui.code.current = Some(name);
    tui.code.wanted = None;
    tui.code.outline = List::default();
    if let Some(doc) = tui.code.doc_mut() {
        doc.list.cursor = (line.saturating_sub(1) as usize).min(doc.len().saturating_sub(1));
    }
}

/// A file was read: a worker parses it next, under the name that the program's places use.
pub fn read(tui: &mut Tui, asked: &Path, path: PathBuf, name: Arc<str>, text: Result<Arc<str>, String>) -> Vec<Effect> {
    match text {
        Ok(text) => {
            let name = tui.program.as_ref().and_then(|program| program.name_of(&path)).unwrap_or(name);
            if let Some((wanted, _)) = tui.code.wanted.as_mut().filter(|(wanted, _)| wanted == asked) {
                wanted.clone_from(&path);
            }
            tui.start(Job::Paint);
            vec![Effect::Paint { name, path: Some(path), text }]
        }
        Err(words) => {
            tui.code.trouble = Some(format!("{}: {words}", path.display()));
            tui.say(
                Role::Error,
                format!("cannot read {}: {}", text::safe(&path.to_string_lossy()), text::safe(&words)),
            );
            vec![]
        }
    }
}

/// A file was parsed.
pub fn painted(tui: &mut Tui, name: Arc<str>, path: Option<PathBuf>, paint: Paint) {
    let list = tui.code.docs.get(&name).map(|doc| doc.list).unwrap_or_default();
    let Paint { document, outline } = paint;
    let doc = Doc { name: name.clone(), path: path.clone(), document, outline, list, painted: Default::default() };
    tui.code.docs.insert(name.clone(), doc);
    tui.code.trouble = None;
    let wanted = path.unwrap_or_else(|| PathBuf::from(&*name));
    match tui.code.wanted.take() {
        Some((path, line)) if path == wanted => show(tui, name, line),
        other => {
            tui.code.wanted = other;
            tui.code.current.get_or_insert(name);
        }
    }
}

/// After a compilation: what changed on disk is painted anew, and the entry's file is opened the first time.
pub fn compiled(tui: &mut Tui) -> Vec<Effect> {
    let Some(program) = tui.program.clone() else { return vec![] };
    tui.code.problems.cursor = 0;
    tui.code.rename(&program);
    let mut effects = Vec::new();
    for (_, file) in program.sources.iter() {
        let name: Arc<str> = file.name.as_str().into();
        let changed = tui.code.docs.get(&name).is_some_and(|doc| doc.document.text() != &*file.text);
        let first = !tui.code.is_open() && effects.is_empty();
        if (changed || first) && !file.name.ends_with(".yaml") {
            effects.push(Effect::Paint { name, path: file.path.clone(), text: file.text.clone() });
        }
    }
    for _ in &effects {
        tui.start(Job::Paint);
    }
    effects
}

pub fn go(tui: &mut Tui, pane: Pane, step: Move, count: usize) -> Vec<Effect> {
    let (_, height) = tui.room(pane);
    match pane {
        Pane::Outline => {
            let len = tui.code.doc().map_or(0, |doc| doc.outline.len());
            tui.code.outline.go(step, count, len, height);
        }
        Pane::Problems => {
            let len = tui.program.as_ref().map_or(0, |program| program.problems.len());
            tui.code.problems.go(step, count, len, height);
        }
        _ => {
            if let Some(doc) = tui.code.doc_mut() {
                let len = doc.len();
                doc.list.go(step, count, len, height);
            }
        }
    }
    vec![]
}

pub fn click(tui: &mut Tui, pane: Pane, row: usize) -> Vec<Effect> {
    match pane {
        Pane::Outline => {
            tui.code.outline.cursor = tui.code.outline.offset + row;
            act(tui, Action::Open, 1)
        }
        Pane::Problems => {
            tui.code.problems.cursor = tui.code.problems.offset + row;
            act(tui, Action::Open, 1)
        }
        _ => {
            let Some(line) = visible(tui, Pane::Text).into_iter().nth(row).map(|visible| visible.line) else {
                return vec![];
            };
            if let Some(doc) = tui.code.doc_mut() {
                doc.list.cursor = line;
            }
            vec![]
        }
    }
}

pub fn act(tui: &mut Tui, action: Action, count: usize) -> Vec<Effect> {
    match (action, tui.focus()) {
        (Action::Open, Pane::Outline) => {
            let at = tui.code.outline.cursor;
            if let Some(doc) = tui.code.doc_mut()
                && let Some(item) = doc.outline.get(at)
            {
                doc.list.cursor = item.line;
            }
            tui.set_focus(Pane::Text);
        }
        (Action::Open, Pane::Problems) => {
            tui.set_focus(Pane::Text);
            if let Some(place) = tui.code.problem_place(tui) {
                update::remember(tui);
                return open_place(tui, &place);
            }
        }
        (Action::Open, _) => {
            if let Some(node) = tui.selected_resource() {
                return update::show_on_graph(tui, node);
            }
        }
        (Action::Close, Pane::Outline | Pane::Problems) => tui.set_focus(Pane::Text),
        (Action::NextProblem, _) => return next_problem(tui, true),
        (Action::PreviousProblem, _) => return next_problem(tui, false),
        (Action::NextMatch, _) => (0..count).for_each(|_| find(tui, true, false)),
        (Action::PreviousMatch, _) => (0..count).for_each(|_| find(tui, false, false)),
        _ => {}
    }
    vec![]
}

/// Goes to the next problem of all files, in the list's order from where the cursor is.
fn next_problem(tui: &mut Tui, forward: bool) -> Vec<Effect> {
    let Some(program) = tui.program.clone() else { return vec![] };
    let here = tui.code.doc().map(|doc| (doc.name.clone(), doc.line()));
    let placed: Vec<(usize, &Place)> = placed_problems(&program);
    let in_file = |place: &Place| here.as_ref().is_some_and(|(name, _)| *name == place.file);
    let line = here.as_ref().map_or(0, |(_, line)| *line);
    let mut same: Vec<_> = placed.iter().filter(|(_, place)| in_file(place)).collect();
    same.sort_by_key(|(_, place)| place.line);
    let near = if forward {
        same.iter().find(|(_, place)| place.line > line)
    } else {
        same.iter().rev().find(|(_, place)| place.line < line)
    };
    let other = || placed.iter().find(|(_, place)| !in_file(place));
    let wrapped = if forward { same.first() } else { same.last() };
    let Some((at, place)) = near.copied().or_else(other).or(wrapped.copied()) else { return vec![] };
    tui.code.problems.cursor = *at;
    let place = (*place).clone();
    open_place(tui, &place)
}

fn placed_problems(program: &Program) -> Vec<(usize, &Place)> {
    let placed = program.problems.iter().enumerate();
    placed.filter_map(|(at, problem)| Some((at, problem.place.as_ref()?))).collect()
}

/// Follows a search while it is typed.
pub fn search(tui: &mut Tui, words: &str) {
    tui.code.words = words.to_string();
    find(tui, true, true);
}

/// Moves to the next line that holds the words, the cursor's own included where `here`.
fn find(tui: &mut Tui, forward: bool, here: bool) {
    let words = tui.code.words.to_lowercase();
    let Some(doc) = tui.code.doc_mut() else { return };
    if words.is_empty() {
        return;
    }
    let len = doc.len();
    let from = usize::from(!here);
    let steps = from..len + from;
    let found = steps
        .map(|step| if forward { (doc.list.cursor + step) % len } else { (doc.list.cursor + 2 * len - step) % len })
        .find(|line| doc.line_text(*line).to_lowercase().contains(&words));
    match found {
        Some(line) => doc.list.cursor = line,
        None => tui.say(Role::Warning, format!("`{}` is not in this file", text::safe(&words))),
    }
}

pub fn settle(tui: &mut Tui) {
    let (_, height) = tui.room(Pane::Outline);
    let len = tui.code.doc().map_or(0, |doc| doc.outline.len());
    tui.code.outline.settle(len, height);
    let (_, height) = tui.room(Pane::Problems);
    let len = tui.program.as_ref().map_or(0, |program| program.problems.len());
    tui.code.problems.settle(len, height);

    let (_, height) = tui.room(Pane::Text);
    let Some(doc) = tui.code.doc_mut() else { return };
    let len = doc.len();
    doc.list.settle(len, height);
    // Lines with problems are taller than one row: go on until the cursor's own are in view.
    for _ in 0..height {
        let shown = visible(tui, Pane::Text);
        let Some(doc) = tui.code.doc_mut() else { return };
        if doc.list.offset >= doc.list.cursor || shown.iter().any(|row| row.line == doc.list.cursor) {
            break;
        }
        doc.list.offset += 1;
    }
    let theme = tui.look.theme.clone();
    let Some(doc) = tui.code.doc_mut() else { return };
    let window = doc.list.offset..(doc.list.offset + height).min(len);
    if doc.painted.0 != window {
        let lines = highlight::lines(&doc.document, window.clone(), &theme, TAB);
        doc.painted = (window, lines);
    }
}

/// One visible row of the text pane.
struct Visible {
    /// From 0.
    line: usize,
    /// The problem told on this row, and whether it is its help.
    problem: Option<(usize, bool)>,
}

/// The rows of the text pane, problems below their lines.
fn visible(tui: &Tui, pane: Pane) -> Vec<Visible> {
    let (_, height) = tui.room(pane);
    let Some(doc) = tui.code.doc() else { return vec![] };
    let problems = tui.program.as_ref().and_then(|program| program.problems_in(&doc.name));
    let mut rows = Vec::with_capacity(height);
    for line in doc.list.offset..doc.len() {
        if rows.len() >= height {
            break;
        }
        rows.push(Visible { line, problem: None });
        let here = problems.and_then(|problems| problems.get(&(line as u32 + 1)));
        for at in here.into_iter().flatten() {
            rows.push(Visible { line, problem: Some((*at, false)) });
            let has_help = tui.program.as_ref().is_some_and(|program| program.problems[*at].diagnostic.help.is_some());
            if has_help {
                rows.push(Visible { line, problem: Some((*at, true)) });
            }
        }
    }
    rows.truncate(height);
    rows
}

pub fn view(tui: &Tui, buf: &mut Buffer, pane: Pane, area: Rect) {
    match pane {
        Pane::Outline => view_outline(tui, buf, area),
        Pane::Problems => view_problems(tui, buf, area),
        _ => view_text(tui, buf, area),
    }
}

fn view_outline(tui: &Tui, buf: &mut Buffer, area: Rect) {
    let focused = tui.focus() == Pane::Outline;
    let outline = tui.code.doc().map(|doc| &doc.outline[..]).unwrap_or_default();
    let height = usize::from(area.height.saturating_sub(2));
    let scroll = tui.code.outline.extent(outline.len(), height);
    let inner = frame::draw(buf, area, &tui.look, &Frame { title: "Outline", focused, scroll, ..Frame::default() });
    if outline.is_empty() {
        let words = if tui.code.doc().is_some() { " nothing defined or declared" } else { "" };
        return list::draw_text(buf, inner, 0, &[Line::styled(words, tui.look.style(Role::Dim))]);
    }
    list::draw(buf, inner, &tui.look, &tui.code.outline, outline.len(), focused, |at| {
        let item = &outline[at];
        let role = match item.kind {
            OutlineKind::Class | OutlineKind::Function => Role::Strong,
            OutlineKind::Resource => Role::Text,
            _ => Role::Dim,
        };
        let word = match item.kind {
            OutlineKind::Resource | OutlineKind::Bind => "",
            OutlineKind::Function => "func ",
            kind => return outline_line(item, &format!("{} ", kind.as_str()), tui, role, usize::from(inner.width)),
        };
        outline_line(item, word, tui, role, usize::from(inner.width))
    });
}

fn outline_line(item: &OutlineItem, word: &str, tui: &Tui, role: Role, width: usize) -> Line<'static> {
    let line = format!("{:indent$}{word}{}", "", item.name, indent = 1 + 2 * item.level.min(8));
    Line::styled(text::fit(&line, width, tui.look.glyphs.cut).into_owned(), tui.look.style(role))
}

/// The letter and role of a problem.
pub fn severity_words(severity: Severity) -> (&'static str, Role) {
    match severity {
        Severity::Error => ("E", Role::Error),
        Severity::Warning => ("W", Role::Warning),
        Severity::Note => ("N", Role::Note),
    }
}

fn view_problems(tui: &Tui, buf: &mut Buffer, area: Rect) {
    let focused = tui.focus() == Pane::Problems;
    let problems = tui.program.as_ref().map(|program| &program.problems[..]).unwrap_or_default();
    let title = match &tui.program {
        Some(program) if !problems.is_empty() => {
            format!("Problems {}E {}W", program.tally.errors, program.tally.warnings)
        }
        _ => "Problems".to_string(),
    };
    let height = usize::from(area.height.saturating_sub(2));
    let scroll = tui.code.problems.extent(problems.len(), height);
    let inner = frame::draw(buf, area, &tui.look, &Frame { title: &title, focused, scroll, ..Frame::default() });
    if problems.is_empty() {
        let line = match &tui.program {
            Some(_) => Line::styled(format!(" {} none", tui.look.glyphs.done), tui.look.style(Role::Good)),
            None => Line::styled(" compiling…", tui.look.style(Role::Dim)),
        };
        return list::draw_text(buf, inner, 0, &[line]);
    }
    list::draw(buf, inner, &tui.look, &tui.code.problems, problems.len(), focused, |at| {
        problem_line(tui, &problems[at], usize::from(inner.width))
    });
}

fn problem_line(tui: &Tui, problem: &Problem, width: usize) -> Line<'static> {
    let (letter, role) = severity_words(problem.diagnostic.severity);
    let place = problem.place.as_ref().map(|place| {
        let file = place.file.rsplit('/').next().unwrap_or_default();
        format!("{}:{} ", text::safe(file), place.line)
    });
    let place = place.unwrap_or_default();
    let words = problem_words(problem);
    let room = width.saturating_sub(2 + text::width(&place));
    Line::from(vec![
        Span::styled(format!("{letter} "), tui.look.style(role)),
        Span::styled(place, tui.look.style(Role::Dim)),
        Span::raw(text::fit(&words, room, tui.look.glyphs.cut).into_owned()),
    ])
}

fn problem_words(problem: &Problem) -> String {
    let label = &problem.diagnostic.label;
    text::safe(if label.is_empty() { problem.diagnostic.code.summary() } else { label })
}

fn view_text(tui: &Tui, buf: &mut Buffer, area: Rect) {
    let look = &tui.look;
    let focused = tui.focus() == Pane::Text;
    let Some(doc) = tui.code.doc() else {
        let inner = frame::draw(buf, area, look, &Frame { title: "Code", focused, ..Frame::default() });
        return list::draw_text(buf, inner, 0, &nothing_open(tui));
    };
    let mut title = text::safe(&doc.name);
    match doc.document.plain() {
        Some(plain) => title.push_str(&format!("  (plain: {})", plain.reason())),
        None => title.push_str(doc.document.grammar().map_or("", |_| "  mcl")),
    }
    if !tui.code.words.is_empty() {
        title.push_str(&format!("  /{}", text::safe(&tui.code.words)));
    }
    let foot = format!("{} of {}", doc.line(), doc.len());
    let height = usize::from(area.height.saturating_sub(2));
    let scroll = doc.list.extent(doc.len(), height);
    let inner = frame::draw(buf, area, look, &Frame { title: &title, foot: &foot, focused, scroll });
    let digits = doc.len().to_string().len().max(3);
    let gutter = Gutter::new(tui, doc);
    for (y, row) in visible(tui, Pane::Text).iter().take(usize::from(inner.height)).enumerate() {
        let at = Rect { y: inner.y + y as u16, height: 1, ..inner };
        match row.problem {
            Some((problem, is_help)) => {
                let indent = digits + 4 + indentation(doc.line_text(row.line));
                buf.set_line(at.x, at.y, &inline_line(tui, problem, is_help, indent, at.width), at.width);
            }
            None => {
                let mut line = Line::from(gutter.marks(row.line, digits));
                let code = doc.painted.1.get(row.line.wrapping_sub(doc.painted.0.start));
                line.spans.extend(code.cloned().unwrap_or_default());
                buf.set_line(at.x, at.y, &line, at.width);
                mark_matches(buf, at, digits + 4, &tui.code.words, look);
                if row.line == doc.list.cursor {
                    buf.set_style(at, look.selection(false));
                }
            }
        }
    }
}

fn nothing_open(tui: &Tui) -> Vec<Line<'static>> {
    let dim = tui.look.style(Role::Dim);
    if let Some(words) = &tui.code.trouble {
        return vec![Line::styled(format!(" {}", text::safe(words)), tui.look.style(Role::Error))];
    }
    if tui.is_spinning() {
        return vec![Line::styled(" reading…", dim)];
    }
    vec![Line::raw(" No file is open."), Line::styled(" 1 shows the modules; Enter on a file opens it here.", dim)]
}

fn indentation(line: &str) -> usize {
    let end = line.len() - line.trim_start().len();
    text::width(&text::widen_tabs(&line[..end]))
}

fn inline_line(tui: &Tui, at: usize, is_help: bool, indent: usize, width: u16) -> Line<'static> {
    let Some(problem) = tui.program.as_ref().and_then(|program| program.problems.get(at)) else {
        return Line::default();
    };
    let (_, role) = severity_words(problem.diagnostic.severity);
    let look = &tui.look;
    // Far to the right an indent would push the words out of the pane.
    let indent = indent.min(usize::from(width) / 3);
    if is_help {
        let words = text::safe(problem.diagnostic.help.as_deref().unwrap_or_default());
        return Line::styled(format!("{:indent$}   {words}", ""), look.style(Role::Note));
    }
    Line::styled(format!("{:indent$}{} {}", "", look.glyphs.inline, problem_words(problem)), look.style(role))
}

/// What stands left of the text.
struct Gutter<'a> {
    tui: &'a Tui,
    declared: Option<&'a BTreeMap<u32, Vec<NodeIndex>>>,
    problems: Option<&'a BTreeMap<u32, Vec<usize>>>,
}

impl<'a> Gutter<'a> {
    fn new(tui: &'a Tui, doc: &Doc) -> Self {
        let declared = tui.graphed().and_then(|program| program.declared_in(&doc.name));
        let problems = tui.program.as_ref().and_then(|program| program.problems_in(&doc.name));
        Self { tui, declared, problems }
    }

    /// Breakpoint or next; the worst problem, else what the plan does with the resource declared here; the number.
    fn marks(&self, line: usize, digits: usize) -> Vec<Span<'static>> {
        let look = &self.tui.look;
        let number = line as u32 + 1;
        let nodes =
            self.declared.and_then(|declared| declared.get(&number)).map(|nodes| &nodes[..]).unwrap_or_default();
        let (first, second) = (self.stop_mark(look, nodes), self.line_mark(look, number, nodes));
        let number = Span::styled(format!("{number:>digits$} "), look.style(Role::LineNumber));
        vec![first, second, Span::raw(" "), number]
    }

    fn stop_mark(&self, look: &Look, nodes: &[NodeIndex]) -> Span<'static> {
        let Some(program) = self.tui.graphed().filter(|_| !nodes.is_empty()) else { return Span::raw(" ") };
        let step = &self.tui.step;
        if nodes.iter().any(|node| step.next_id() == Some(program.id(*node))) {
            Span::styled(look.glyphs.next, look.style(Role::Active))
        } else if nodes.iter().any(|node| step.breakpoints.contains(program.id(*node))) {
            Span::styled(look.glyphs.breakpoint, look.style(Role::Breakpoint))
        } else {
            Span::raw(" ")
        }
    }

    fn line_mark(&self, look: &Look, number: u32, nodes: &[NodeIndex]) -> Span<'static> {
        let program = self.tui.program.as_ref();
        let worst = self
            .problems
            .and_then(|problems| problems.get(&number))
            .and_then(|here| here.iter().filter_map(|at| Some(program?.problems.get(*at)?.diagnostic.severity)).min());
        if let Some(severity) = worst {
            let (letter, role) = severity_words(severity);
            return Span::styled(letter, look.style(role));
        }
        let Some(node) = nodes.first() else { return Span::raw(" ") };
        let action = self.tui.graphed().and_then(|program| self.tui.step.action_of(program.id(*node)));
        match action {
            Some(action) => {
                let (letter, style) = look.action(action);
                Span::styled(letter, style)
            }
            None => Span::styled(look.glyphs.declared, look.style(Role::Dim)),
        }
    }
}

/// Marks the search words on a drawn row.
fn mark_matches(buf: &mut Buffer, row: Rect, from: usize, words: &str, look: &Look) {
    if words.is_empty() {
        return;
    }
    let words: Vec<String> = words.to_lowercase().chars().map(String::from).collect();
    let first = row.x + (from as u16).min(row.width);
    let symbol = |buf: &Buffer, x: u16| buf.cell((x, row.y)).map(|cell| cell.symbol().to_lowercase());
    for x in first..row.right().saturating_sub(words.len() as u16 - 1) {
        if words.iter().enumerate().all(|(at, word)| symbol(buf, x + at as u16).as_ref() == Some(word)) {
            buf.set_style(Rect { x, width: words.len() as u16, ..row }, look.style(Role::Match));
        }
    }
}
