//! Compares the shown plan with the last valid deploy of the same entry: the differences and their reasons.

use crate::tui::{cx::Cx, effect::Effect, look::Role, message::Job, parity, screen::step::PlanScreen, widget::text};
use ratatui::text::{Line, Span};

use crate::session::against::Against;

/// The longest list.
const MOST: usize = 500;

/// Compares, or shows the plan's summary again.
pub(super) fn toggle(screen: &mut PlanScreen, cx: &mut Cx) {
    let shows = &mut screen.shows;
    if shows.summary && (shows.compared.take().is_some() || shows.against.take().is_some()) {
        return;
    }
    let Some(plan) = screen.plan.clone() else { return };
    cx.log_command(format!("workbench preview --against-last {}", parity::entry_words(cx)));
    cx.start(Job::History);
    cx.effect(Effect::CompareWithLast { plan, program: screen.program.clone(), run: screen.run })
}

/// The comparison is ready; `run` identifies the plan.
pub fn compared(screen: &mut PlanScreen, cx: &mut Cx, run: u64, against: Result<Option<Against>, String>) {
    if run != screen.run {
        return;
    }
    match against {
        Ok(Some(against)) => {
            (screen.shows.against, screen.shows.compared) = (Some(against), None);
            screen.shows.summary = true;
            screen.shows.panes = Default::default();
        }
        Ok(None) => {
            screen.live.is_first = true;
            let words = "No earlier deploy of this module to compare with";
            cx.show_notice(Role::Note, words);
        }
        Err(words) => cx.show_notice(Role::Error, text::safe(&words)),
    }
}

pub(super) fn lines(cx: &Cx, against: &Against, width: usize) -> Vec<Line<'static>> {
    let look = &cx.look;
    let dim = look.style(Role::Dim);
    let head = format!("Since {}", text::safe(&against.words()));
    let mut lines = text::wrap_line(&Line::raw(head), width);
    let kept = match against.kept {
        1 => "1 resource is unchanged".to_string(),
        kept => format!("{kept} resources are unchanged"),
    };
    lines.push(Line::styled(kept, look.style(Role::Good)));
    lines.push(Line::raw(""));
    if against.differences.is_empty() {
        lines.push(Line::raw("No differences."));
    }
    for difference in against.differences.iter().take(MOST) {
        let (letter, style) = difference.action.map_or(("-", dim), |action| look.action(action));
        let words = difference.why.words();
        let name = super::name(&difference.resource, width.saturating_sub(6 + text::width(&words)).max(10), look);
        lines.push(Line::from(vec![
            Span::styled(format!("{letter} "), style),
            Span::raw(name),
            Span::styled(format!("  {words}"), dim),
        ]));
        lines.extend(difference.because.iter().map(|(property, cause)| {
            let words = format!("    {}: {}", text::safe(property), cause.words());
            Line::styled(text::fit(&words, width, look.glyphs.cut).into_owned(), dim)
        }));
    }
    if against.differences.len() > MOST {
        lines.push(Line::styled(format!("and {} more", against.differences.len() - MOST), dim));
    }
    lines.push(Line::raw(""));
    lines.push(Line::styled("= shows the plan again.", dim));
    lines
}
