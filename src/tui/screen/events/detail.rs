//! All about the event under the cursor: what changed and where it is read, and every resource that came out different.

use ratatui::text::{Line, Span};

use super::problems;
use super::rows::{sign, style};
use super::{Row, Selected};
use crate::diag::Severity;
use crate::session::follow::{Answer, Because, Change, Read, brief, text_of};
use crate::session::moment::{Moment, Pending, What};
use crate::tui::look::Role;
use crate::tui::state::State as Tui;
use crate::tui::widget::{diff, text};

/// More resources than this are counted only.
const MOST_RESOURCES: usize = 500;

/// What stands on the pane's border.
pub fn title(tui: &Tui) -> String {
    match tui.events.selected() {
        Selected::Taken(row) if row.moment.what == What::Start => "The start".into(),
        Selected::Taken(row) => format!("Event {}", row.moment.number),
        Selected::Waits(..) => "An event that waits".into(),
        Selected::Nothing => String::new(),
    }
}

/// The lines of the pane.
pub fn detail(tui: &Tui, width: usize) -> Vec<Line<'static>> {
    match tui.events.selected() {
        Selected::Taken(row) => taken(tui, row, width),
        Selected::Waits(pending, time) => waits(tui, pending, time, width),
        Selected::Nothing => vec![],
    }
}

fn taken(tui: &Tui, row: &Row, width: usize) -> Vec<Line<'static>> {
    let moment = &row.moment;
    let dim = tui.look.style(Role::Dim);
    let mut lines = vec![Line::from(vec![Span::styled("at         ", dim), Span::raw(row.time.clone())])];
    let mut say = |words: &str| lines.extend(text::wrap(words, width.max(8)).into_iter().map(Line::raw));
    if row.times > 1 {
        say(&format!("The last of {} that made no difference.", row.times));
    }
    if moment.what == What::Program {
        say("The program's own files differ: it was compiled again.");
    } else if moment.what == What::Inputs && moment.changes.is_empty() {
        say("Time has passed: what is remembered came of age.");
    }
    moment.changes.iter().for_each(|change| about(tui, change, width, &mut lines));
    for change in &moment.earlier {
        about(tui, change, width, &mut lines);
        let words = text::wrap("by an event before, which had errors", width.max(8));
        lines.extend(words.into_iter().map(|line| Line::styled(line, dim)));
    }
    wrong(tui, moment, width, &mut lines);
    resources(tui, moment, width, &mut lines);
    let heading = if moment.what == What::Start { "reads" } else { "reads from now on" };
    reads(tui, heading, &moment.fresh, width, &mut lines);
    lines
}

fn heading(tui: &Tui, words: &str) -> Line<'static> {
    let dash = tui.look.glyphs.horizontal;
    Line::styled(format!("{dash}{dash} {words}"), tui.look.style(Role::Dim))
}

/// An input, what it was and what it is.
fn about(tui: &Tui, change: &Change, width: usize, lines: &mut Vec<Line<'static>>) {
    let look = &tui.look;
    lines.push(heading(tui, &text::fit_middle(&change.input.to_string(), width.saturating_sub(3), look.glyphs.cut)));
    if let Some(place) = &change.place {
        let shown = place.to_string();
        let shown = text::fit_end(&shown, width.saturating_sub(11), look.glyphs.cut).into_owned();
        lines.push(Line::from(vec![Span::styled("read at    ", look.style(Role::Dim)), Span::raw(shown)]));
    }
    let has_lines = |text: &str| text.trim_end().contains('\n');
    if let (Some(from), Some(to)) = (text_of(&change.from), text_of(&change.to))
        && (has_lines(from) || has_lines(to))
    {
        return lines.extend(diff::lines(from, to, tui.diff_view, width, look));
    }
    for (mark, answer, role) in [("- ", &change.from, Role::Gone), ("+ ", &change.to, Role::New)] {
        let wrapped = text::wrap(&brief(answer), width.saturating_sub(2).max(8));
        let marked = wrapped
            .into_iter()
            .enumerate()
            .map(|(at, line)| Line::styled(format!("{}{line}", if at == 0 { mark } else { "  " }), look.style(role)));
        lines.extend(marked);
    }
}

fn wrong(tui: &Tui, moment: &Moment, width: usize, lines: &mut Vec<Line<'static>>) {
    if moment.diagnostics.is_empty() {
        return;
    }
    let look = &tui.look;
    let is_wrong = moment.diagnostics.has_errors();
    lines.push(heading(
        tui,
        match (is_wrong, moment.what) {
            (true, What::Start) => "wrong: there is no graph",
            (true, _) => "wrong: the graph stays as it was",
            (false, _) => "said",
        },
    ));
    for diagnostic in moment.diagnostics.iter() {
        let role = match diagnostic.severity {
            Severity::Error => Role::Error,
            Severity::Warning => Role::Warning,
            Severity::Note => Role::Note,
        };
        let words = problems::words(moment, diagnostic);
        let help = diagnostic.help.as_deref().map(text::safe);
        for (words, role) in std::iter::once((words, role)).chain(help.map(|help| (help, Role::Note))) {
            lines.extend(text::wrap(&words, width.max(8)).into_iter().map(|line| Line::styled(line, look.style(role))));
        }
    }
}

fn resources(tui: &Tui, moment: &Moment, width: usize, lines: &mut Vec<Line<'static>>) {
    let look = &tui.look;
    let dim = look.style(Role::Dim);
    if moment.what == What::Start {
        let count = moment.graph.len();
        return lines.push(heading(tui, &format!("{count} resource{}", if count == 1 { "" } else { "s" })));
    }
    if moment.resources.is_empty() {
        let words = match (moment.edges, moment.diagnostics.has_errors()) {
            (true, _) => "only the order differs",
            (false, true) => return,
            (false, false) => "no resource differs",
        };
        lines.push(heading(tui, words));
        return lines.push(Line::styled(format!("   {} statements ran", moment.ran), dim));
    }
    let ran = if moment.ran == 1 { "1 statement ran".into() } else { format!("{} statements ran", moment.ran) };
    lines.push(heading(tui, &format!("{} emitted again, {ran}", moment.resources.len())));
    for one in moment.resources.iter().take(MOST_RESOURCES) {
        let has_many = moment.changes.len() + moment.earlier.len() > 1;
        let why: Vec<_> = one
            .because
            .iter()
            .filter_map(|why| match why {
                Because::Input(read) => has_many.then(|| read.to_string()),
                Because::Time => Some("time".into()),
            })
            .collect();
        let why = if why.is_empty() { String::new() } else { format!("  {}", why.join(", ")) };
        let name = one.resource.to_string();
        let room = width.saturating_sub(2);
        let name = text::fit_middle(&name, room, look.glyphs.cut).into_owned();
        let left = room.saturating_sub(text::width(&name));
        let why = text::fit(&why, left, look.glyphs.cut).into_owned();
        lines.push(Line::from(vec![
            Span::styled(format!("{} ", sign(one.fate)), style(look, one.fate)),
            Span::raw(name),
            Span::styled(why, dim),
        ]));
    }
    if moment.resources.len() > MOST_RESOURCES {
        lines.push(Line::styled(format!("  and {} more", moment.resources.len() - MOST_RESOURCES), dim));
    }
}

/// Inputs with what they give.
fn reads(tui: &Tui, title: &str, reads: &[(Read, Answer)], width: usize, lines: &mut Vec<Line<'static>>) {
    if reads.is_empty() {
        return;
    }
    let look = &tui.look;
    lines.push(heading(tui, &format!("{title} {}", reads.len())));
    for (read, answer) in reads.iter().take(MOST_RESOURCES) {
        let name = text::fit_middle(&read.to_string(), width * 3 / 5, look.glyphs.cut).into_owned();
        let room = width.saturating_sub(text::width(&name) + 4);
        let answer = text::fit(&brief(answer), room, look.glyphs.cut).into_owned();
        lines.push(Line::from(vec![Span::raw(format!("  {name}  ")), Span::styled(answer, look.style(Role::Dim))]));
    }
}

fn waits(tui: &Tui, pending: &Pending, time: &str, width: usize) -> Vec<Line<'static>> {
    let dim = tui.look.style(Role::Dim);
    let mut lines = vec![Line::from(vec![Span::styled("seen at    ", dim), Span::raw(time.to_string())])];
    let words = match pending.what {
        What::Program => "The program's own files differ.",
        _ => "Not taken in yet: > takes the next event, w all of them.",
    };
    lines.extend(text::wrap(words, width.max(8)).into_iter().map(Line::raw));
    reads(tui, "brings", &pending.event.changes, width, &mut lines);
    lines
}
