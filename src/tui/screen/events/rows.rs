//! The rows of events: when, which input from what to what, and what came of it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::State;
use super::kept::Row;
use crate::diag::Severity;
use crate::session::follow::{Change, Fate, brief};
use crate::session::moment::{Moment, Pending, What};
use crate::tui::look::{Look, Role};
use crate::tui::screen::Pane;
use crate::tui::state::State as Tui;
use crate::tui::widget::frame::{self, Frame};
use crate::tui::widget::{list, text};

/// The columns of the glyph and the time.
const HEAD: usize = 13;

/// Narrower panes have no room for the place.
const WITH_PLACE: usize = 90;

/// The sign of what became of a resource.
pub fn sign(fate: Fate) -> &'static str {
    match fate {
        Fate::Added => "+",
        Fate::Changed => "~",
        Fate::Removed => "-",
    }
}

/// How the sign looks.
pub fn style(look: &Look, fate: Fate) -> Style {
    look.style(match fate {
        Fate::Added => Role::Create,
        Fate::Changed => Role::Change,
        Fate::Removed => Role::Remove,
    })
}

/// How many resources came, changed and went; only what is not zero.
pub fn counts(moment: &Moment) -> Vec<(Fate, usize)> {
    let count = |fate| (fate, moment.resources.iter().filter(|one| one.fate == fate).count());
    let all = [Fate::Added, Fate::Changed, Fate::Removed].map(count);
    all.into_iter().filter(|(_, count)| *count > 0).collect()
}

/// What an event changed, on one line: `file /etc/motd: "a" -> "b"`.
pub fn words(moment: &Moment, arrow: &str) -> String {
    match moment.what {
        What::Start => start(moment),
        What::Program => "the program differs".into(),
        What::Inputs => {
            let now = first_of(&moment.changes, arrow).unwrap_or_else(|| "time has passed".into());
            match first_of(&moment.earlier, arrow) {
                Some(earlier) => format!("{now}; before, with errors: {earlier}"),
                None => now,
            }
        }
    }
}

/// The first of some inputs, and how many more there are; nothing where there are none.
fn first_of(changes: &[Change], arrow: &str) -> Option<String> {
    let (Change { input, from, to, .. }, rest) = changes.split_first()?;
    let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
    Some(format!("{input}: {} {arrow} {}{more}", brief(from), brief(to)))
}

fn start(moment: &Moment) -> String {
    if moment.diagnostics.has_errors() && moment.fresh.is_empty() {
        return broken(moment);
    }
    match moment.fresh.len() {
        0 => "start: the program reads nothing that can change".into(),
        1 => "start: 1 input".into(),
        count => format!("start: {count} inputs"),
    }
}

/// A program that cannot be watched, since something is wrong with it: where, and the key that goes there.
fn broken(moment: &Moment) -> String {
    let errors = || moment.diagnostics.iter().filter(|one| one.severity == Severity::Error);
    let place = errors().find_map(|error| error.span).map(|span| moment.sources.place(span));
    let at = place.map_or(String::new(), |place| format!(" at {}:{}", text::safe(&place.file), place.line));
    match errors().count() {
        1 => format!("start: an error{at}: 2 shows it"),
        many => format!("start: {many} errors, the first{at}: 2 shows them"),
    }
}

/// The same of an event that waits.
pub fn waiting_words(pending: &Pending) -> String {
    match (&pending.what, &pending.event.changes[..]) {
        (What::Program, _) => "the program differs".into(),
        (_, []) => "time has passed".into(),
        (_, [(input, to), rest @ ..]) => {
            let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
            format!("{input}: {}{more}", brief(to))
        }
    }
}

/// Draws the pane.
pub fn view(tui: &Tui, buf: &mut Buffer, area: Rect) {
    let (look, state) = (&tui.look, &tui.events);
    let focused = tui.focus() == Pane::Events;
    let height = usize::from(area.height.saturating_sub(2));
    let scroll = state.list.extent(state.len(), height);
    let (title, foot) = (title(state), state.list.foot(state.len()));
    let inner = frame::draw(buf, area, look, &Frame { title: &title, foot: &foot, focused, scroll });
    if state.len() == 0 {
        let words = match &state.broke {
            Some(why) => Line::styled(format!(" {}", text::safe(why)), look.style(Role::Error)),
            None => Line::styled(" reading the inputs", look.style(Role::Dim)),
        };
        return list::draw_words(buf, inner, &[words]);
    }
    let width = usize::from(inner.width);
    list::draw(buf, inner, look, &state.list, state.len(), focused, |at| line(tui, at, width));
}

fn title(state: &State) -> String {
    let mut title = match &state.record {
        Some((name, _)) => format!("Events of {}", text::safe(name)),
        None => "Events".to_string(),
    };
    if state.waiting() > 0 {
        title.push_str(&format!("  {} waiting", state.waiting()));
    }
    if state.kept.dropped() > 0 {
        title.push_str(&format!("  {} older dropped", state.kept.dropped()));
    }
    title
}

fn line(tui: &Tui, at: usize, width: usize) -> Line<'static> {
    let (look, state) = (&tui.look, &tui.events);
    let Some(row) = state.kept.at(at) else {
        let Some((pending, time)) = state.waiting.get(at - state.kept.len()) else { return Line::default() };
        let room = width.saturating_sub(HEAD + 1);
        let words = waiting_words(pending);
        return Line::from(vec![
            Span::styled(format!(" {} {time}  ", look.glyphs.waiting), look.style(Role::Waiting)),
            Span::styled(text::fit(&words, room, look.glyphs.cut).into_owned(), look.style(Role::Dim)),
        ]);
    };
    let is_shown = state.kept.dropped() + at == state.shown_at();
    let (glyph, role) = if row.moment.diagnostics.has_errors() {
        (look.glyphs.failed, Role::Failed)
    } else if is_shown {
        (look.glyphs.next, Role::Active)
    } else {
        (look.glyphs.declared, Role::Dim)
    };
    let tail = tail(look, row, width);
    let room = width.saturating_sub(HEAD + tail.iter().map(Span::width).sum::<usize>());
    let mut spans = vec![
        Span::styled(format!(" {glyph} "), look.style(role)),
        Span::styled(format!("{}  ", row.time), look.style(Role::Dim)),
    ];
    spans.extend(what(look, row, room));
    spans.extend(tail);
    Line::from(spans)
}

/// What changed, as wide as there is room.
fn what(look: &Look, row: &Row, room: usize) -> Vec<Span<'static>> {
    let moment = &row.moment;
    let cut = look.glyphs.cut;
    let [Change { input, from, to, .. }, rest @ ..] = &moment.changes[..] else {
        return vec![Span::raw(text::pad(&text::fit(&words(moment, look.glyphs.arrow), room, cut), room))];
    };
    if moment.what == What::Program {
        return vec![Span::raw(text::pad(&text::fit(&words(moment, look.glyphs.arrow), room, cut), room))];
    }
    let mut more = if rest.is_empty() { String::new() } else { format!("  and {} more", rest.len()) };
    if !moment.earlier.is_empty() {
        more.push_str(&format!("  and {} before", moment.earlier.len()));
    }
    let arrow = format!(" {} ", look.glyphs.arrow);
    // The name is what one looks for; the values share what it leaves.
    let name = text::fit_middle(&input.to_string(), room.saturating_sub(text::width(&more)) * 3 / 5, cut).into_owned();
    let left = room.saturating_sub(text::width(&name) + text::width(&arrow) + text::width(&more) + 2);
    let (from, to) = (brief(from), brief(to));
    let half = left / 2;
    let (a, b) = (text::width(&from), text::width(&to));
    let (a, b) = if a + b <= left {
        (a, b)
    } else {
        (a.min(half.max(left.saturating_sub(b))), b.min((left - half).max(left.saturating_sub(a))))
    };
    let (from, to) = (text::fit(&from, a, cut).into_owned(), text::fit(&to, b, cut).into_owned());
    let used: usize = [&name, &from, &arrow, &to, &more].iter().map(|part| text::width(part)).sum::<usize>() + 2;
    vec![
        Span::raw(format!("{name}  ")),
        Span::styled(from, look.style(Role::Gone)),
        Span::styled(arrow, look.style(Role::Dim)),
        Span::styled(to, look.style(Role::New)),
        Span::styled(format!("{more}{}", " ".repeat(room.saturating_sub(used))), look.style(Role::Dim)),
    ]
}

/// What came of it, and where the input is read.
fn tail(look: &Look, row: &Row, width: usize) -> Vec<Span<'static>> {
    let moment = &row.moment;
    let mut spans = Vec::new();
    if row.times > 1 {
        spans.push(Span::styled(format!(" {}{}", look.glyphs.times, row.times), look.style(Role::Dim)));
    }
    let errors = moment.diagnostics.distinct_errors();
    if errors > 0 {
        spans.push(Span::styled(format!(" {}", super::count_errors(errors)), look.style(Role::Error)));
    }
    for (fate, count) in counts(moment) {
        spans.push(Span::styled(format!(" {}{count}", sign(fate)), style(look, fate)));
    }
    if moment.resources.is_empty() && moment.edges {
        spans.push(Span::styled(" order", look.style(Role::Change)));
    } else if moment.is_still() {
        spans.push(Span::styled(" =", look.style(Role::InSync)));
    }
    let place = moment.changes.iter().find_map(|change| change.place.as_ref());
    if let Some(place) = place.filter(|_| width >= WITH_PLACE) {
        const PLACE: usize = 22;
        let words = format!("{}:{}", text::safe(&place.file), place.line);
        let words = text::fit_end(&words, PLACE, look.glyphs.cut).into_owned();
        spans.push(Span::styled(format!("  {words:<PLACE$}"), look.style(Role::Dim)));
    } else if width >= WITH_PLACE {
        spans.push(Span::raw(" ".repeat(24)));
    }
    spans.push(Span::raw(" "));
    spans
}
