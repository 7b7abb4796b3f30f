//! Problems: their list, moving between them, and their text between the lines.

use ratatui::prelude::{Buffer, Line, Rect, Span};

use super::{State, open};
use crate::diag::{Code, Severity};
use crate::source::Place;
use crate::tui::look::{Look, Role};
use crate::tui::program::{Problem, Program};
use crate::tui::widget::frame::{self, Frame};
use crate::tui::widget::{list, text};
use crate::tui::{cx::Cx, screen::Pane};

/// Goes to the next problem of all files, in the list's order, starting at the cursor.
pub fn next_problem(code: &mut State, cx: &mut Cx, forward: bool) {
    let Some(program) = cx.programs.newest.clone() else { return };
    let here = code.doc().map(|doc| (doc.name.clone(), doc.line()));
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
    let Some((at, place)) = near.copied().or_else(other).or(wrapped.copied()) else { return };
    code.problems.cursor = *at;
    let place = (*place).clone();
    open::open_place(code, cx, &place)
}

fn placed_problems(program: &Program) -> Vec<(usize, &Place)> {
    let placed = program.problems.iter().enumerate();
    placed.filter_map(|(at, problem)| Some((at, problem.place.as_ref()?))).collect()
}

/// The letter and role of a problem.
pub(super) fn severity_words(severity: Severity) -> (&'static str, Role) {
    match severity {
        Severity::Error => ("E", Role::Error),
        Severity::Warning => ("W", Role::Warning),
        Severity::Note => ("N", Role::Note),
    }
}

pub(super) fn view(code: &State, cx: &Cx, buf: &mut Buffer, area: Rect) {
    let focused = cx.focus() == Pane::Problems;
    let problems = cx.programs.newest.as_ref().map(|program| &program.problems[..]).unwrap_or_default();
    let title = match &cx.programs.newest {
        Some(program) if !problems.is_empty() => {
            format!("Problems {}E {}W", program.tally.errors, program.tally.warnings)
        }
        _ => "Problems".to_string(),
    };
    let height = listed(problems.len(), usize::from(area.height.saturating_sub(2)));
    let scroll = code.problems.extent(problems.len(), height);
    let inner = frame::draw(buf, area, &cx.look, &Frame { title: &title, focused, scroll, ..Frame::default() });
    if problems.is_empty() {
        let line = match &cx.programs.newest {
            Some(_) => Line::styled(format!(" {} none", cx.look.glyphs.done), cx.look.style(Role::Good)),
            None => Line::styled(" compiling…", cx.look.style(Role::Dim)),
        };
        return list::draw_text(buf, inner, 0, &[line]);
    }
    let list = Rect { height: (height as u16).min(inner.height), ..inner };
    list::draw(buf, list, &cx.look, &code.problems, problems.len(), focused, |at| {
        problem_line(cx, &problems[at], usize::from(inner.width))
    });
    if let Some(problem) = problems.get(code.problems.cursor) {
        let rest = Rect { y: inner.y + list.height, height: inner.height - list.height, ..inner };
        let lines = whole(&cx.look, problem, usize::from(rest.width), usize::from(rest.height));
        list::draw_text(buf, rest, 0, &lines);
    }
}

/// The height of the list: the rest shows the whole problem under the cursor.
fn listed(problems: usize, height: usize) -> usize {
    /// A lower box would show no more than the list.
    const LEAST: usize = 4;
    let listed = problems.min(height / 2).max(1);
    if height.saturating_sub(listed) < LEAST { height } else { listed }
}

/// The rows of the list in the current pane.
pub(super) fn rows(cx: &Cx) -> usize {
    let len = cx.programs.newest.as_ref().map_or(0, |program| program.problems.len());
    listed(len, cx.room(Pane::Problems).1)
}

/// A whole problem, with its full file name, text and help, below a rule.
fn whole(look: &Look, problem: &Problem, width: usize, height: usize) -> Vec<Line<'static>> {
    let Some(most) = height.checked_sub(1).filter(|most| *most > 0) else { return vec![] };
    let mut rows = text_rows(problem, width);
    if rows.len() > most {
        rows.truncate(most);
        if let Some((last, _)) = rows.last_mut() {
            *last = text::fit(&format!("{last} {}", look.glyphs.cut), width, look.glyphs.cut).into_owned();
        }
    }
    let rule = Line::styled(look.glyphs.horizontal.repeat(width), look.style(Role::Dim));
    std::iter::once(rule).chain(rows.into_iter().map(|(row, role)| Line::styled(row, look.style(role)))).collect()
}

/// A problem in rows: its place, its text, each related place, and the help.
fn text_rows(problem: &Problem, width: usize) -> Vec<(String, Role)> {
    let (_, role) = severity_words(problem.diagnostic.severity);
    let place = problem.place.as_ref().map(|place| (place_words(place), Role::Dim));
    let related = problem.related.iter().map(|(place, label)| (related_words(place, label), Role::Note));
    let parts = place.into_iter().chain([(problem_words(problem), role)]).chain(related);
    let parts = parts.chain(help(problem).map(|help| (help, Role::Note)));
    let wrapped = parts.flat_map(|(words, role)| {
        text::wrap(&text::safe(&words), width).into_iter().map(move |row| (row, role)).collect::<Vec<_>>()
    });
    wrapped.collect()
}

/// All errors in full, for a page that shows nothing else.
pub fn errors(cx: &Cx, width: usize) -> Vec<Line<'static>> {
    let problems = cx.programs.newest.iter().flat_map(|program| &program.problems);
    let errors = problems.filter(|problem| problem.diagnostic.severity == Severity::Error);
    let rows = errors.flat_map(|problem| text_rows(problem, width).into_iter().chain([(String::new(), Role::Text)]));
    rows.map(|(row, role)| Line::styled(format!(" {row}"), cx.look.style(role))).collect()
}

fn place_words(place: &Place) -> String {
    format!("{}:{}:{}", place.file, place.line, place.column)
}

fn related_words(place: &Place, label: &str) -> String {
    format!("{}: {label}", place_words(place))
}

/// The shortest part of a file's name that is unique in the program.
fn apart<'n>(program: &Program, name: &'n str) -> &'n str {
    let is_other = |short: &str| {
        let ends = |other: &str| other.strip_suffix(short).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'));
        program.sources.iter().any(|(_, file)| *file.name != *name && ends(&file.name))
    };
    let starts = name.rmatch_indices('/').map(|(at, _)| &name[at + 1..]);
    starts.into_iter().find(|short| !short.is_empty() && !is_other(short)).unwrap_or(name)
}

fn problem_line(cx: &Cx, problem: &Problem, width: usize) -> Line<'static> {
    /// The text of the problem keeps at least this much room. With less, the file and the line stay whole.
    const LEAST: usize = 8;
    let (letter, role) = severity_words(problem.diagnostic.severity);
    let place = problem.place.as_ref().map(|place| {
        let file = cx.programs.newest.as_ref().map_or(&*place.file, |program| apart(program, &place.file));
        format!("{}:{} ", text::safe(file), place.line)
    });
    let most = width.saturating_sub(2 + LEAST);
    let place = text::fit_end(&place.unwrap_or_default(), most, cx.look.glyphs.cut).into_owned();
    let words = problem_words(problem);
    let room = width.saturating_sub(2 + text::width(&place));
    Line::from(vec![
        Span::styled(format!("{letter} "), cx.look.style(role)),
        Span::styled(place, cx.look.style(Role::Dim)),
        Span::raw(text::fit(&words, room, cx.look.glyphs.cut).into_owned()),
    ])
}

fn problem_words(problem: &Problem) -> String {
    let label = &problem.diagnostic.label;
    text::safe(if label.is_empty() { problem.diagnostic.code.summary() } else { label })
}

/// The help, with the screen's own words if it has some.
fn help(problem: &Problem) -> Option<String> {
    match problem.diagnostic.code {
        Code::MissingModule => Some("f on Modules (4) fetches it; --module-path names a folder that has it".into()),
        _ => problem.diagnostic.help.clone(),
    }
}

/// The rows of a problem below its line: its text, then the help.
pub(super) fn inline_lines(cx: &Cx, at: usize, indent: usize, width: usize) -> Vec<Line<'static>> {
    /// The most rows of one problem, so that it does not push the text out of the pane.
    const MOST: usize = 6;
    let Some(problem) = cx.programs.newest.as_ref().and_then(|program| program.problems.get(at)) else {
        return vec![];
    };
    let (_, role) = severity_words(problem.diagnostic.severity);
    let look = &cx.look;
    // A deep indent would push the words out of the pane.
    let indent = indent.min(width / 3);
    let hang = text::width(look.glyphs.inline) + 1;
    let room = width.saturating_sub(indent + hang);
    let rows = |words: &str, most: usize| {
        let mut rows = text::wrap(words, room);
        if rows.len() > most {
            rows.truncate(most);
            if let Some(last) = rows.last_mut() {
                *last = text::fit(&format!("{last} {}", look.glyphs.cut), room, look.glyphs.cut).into_owned();
            }
        }
        rows
    };
    let mut lines = Vec::new();
    for (at, words) in rows(&problem_words(problem), MOST).into_iter().enumerate() {
        let mark = if at == 0 { look.glyphs.inline } else { "" };
        lines.push(Line::styled(format!("{:indent$}{} {words}", "", text::pad(mark, hang - 1)), look.style(role)));
    }
    let related = problem.related.iter().map(|(place, label)| text::safe(&related_words(place, label)));
    let help = help(problem).map(|help| text::safe(&help));
    for words in related.chain(help).flat_map(|words| rows(&words, MOST)) {
        lines.push(Line::styled(format!("{:indent$}{:hang$}{words}", "", ""), look.style(Role::Note)));
    }
    lines
}
