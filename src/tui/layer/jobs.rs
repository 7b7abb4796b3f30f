//! The running jobs: a row each with its time and progress; ended jobs are below.

use crossterm::event::KeyCode;
use ratatui::prelude::{Buffer, Line, Rect, Span};

use super::{KeyResult, centered, popup};
use crate::tui::jobs::{can_cancel, time};
pub use crate::tui::layer::kinds::Jobs;
use crate::tui::screen::modules::data::State as Modules;
use crate::tui::widget::{list as rows, text};
use crate::tui::{cx::Cx, keys::Key, list, look::Role, message::Job};

const WIDTH: u16 = 66;

impl Jobs {
    pub fn on_key(&mut self, key: Key, cx: &Cx) -> KeyResult {
        let all = cx.jobs.worth_a_row().count();
        // A job may end while the list is open.
        self.list.cursor = self.list.cursor.min(all.saturating_sub(1));
        match key.code {
            KeyCode::Char('x') | KeyCode::Delete => {
                let selected = cx.jobs.worth_a_row().nth(self.list.cursor);
                return selected.map_or(KeyResult::Stay, |(running, _)| KeyResult::Cancel(running.job));
            }
            KeyCode::Esc | KeyCode::Enter | KeyCode::Char('q') => return KeyResult::Close,
            _ => list::step(key, false).into_iter().for_each(|step| self.list.go(step, 1, all, all)),
        }
        KeyResult::Stay
    }
}

pub fn view(jobs: &Jobs, modules: &Modules, cx: &Cx, buf: &mut Buffer, body: Rect) {
    let look = &cx.look;
    let dim = look.style(Role::Dim);
    let mut lines = Vec::new();
    let all = cx.jobs.worth_a_row().count();
    let selected = jobs.list.cursor.min(all.saturating_sub(1));
    for (at, (running, elapsed)) in cx.jobs.worth_a_row().enumerate() {
        let far = match running.done {
            Some((done, of)) => format!("{done} of {of}"),
            None if running.job == Job::Fetch => modules_fetch(modules),
            None => String::new(),
        };
        let key = if can_cancel(running.job) { "x stop" } else { "" };
        let words = format!(" {:<10} {:>8}   {}", running.job.word(), time(elapsed), text::pad(&far, 26));
        let style = if at == selected { look.selection(true) } else { look.style(Role::Text) };
        lines
            .push(Line::from(vec![Span::styled(words, style), Span::styled(format!(" {key}"), look.style(Role::Key))]));
    }
    if all == 0 {
        lines.push(Line::styled(" No running jobs.", dim));
    }
    let ended: Vec<_> = cx.jobs.ended().collect();
    if !ended.is_empty() {
        lines.push(Line::styled(format!("{0}{0} ended", look.glyphs.horizontal), dim));
    }
    for one in ended {
        lines.push(Line::styled(format!(" {:<10} {:>8}   {}", one.job.word(), time(one.took), one.at), dim));
    }
    let area = centered(body, WIDTH, lines.len() as u16 + 3);
    let inner = popup(cx, buf, area, "Jobs");
    let room = inner.height.saturating_sub(1);
    rows::draw_text(buf, Rect { height: room, ..inner }, selected.saturating_sub(usize::from(room) / 2), &lines);
    if inner.height > 0 {
        let key = |key: &'static str| Span::styled(key, look.style(Role::Key));
        let selected = cx.jobs.worth_a_row().nth(selected);
        let mut foot = Line::raw(" ");
        if selected.is_some_and(|(running, _)| can_cancel(running.job)) {
            [key("x"), Span::styled(" stop   ", dim)].into_iter().for_each(|span| foot.push_span(span));
        }
        [key("Esc"), Span::styled(" close", dim)].into_iter().for_each(|span| foot.push_span(span));
        buf.set_line(inner.x, inner.bottom() - 1, &foot, inner.width);
    }
}

fn modules_fetch(modules: &crate::tui::screen::modules::State) -> String {
    modules.fetch.as_ref().map(|fetch| fetch.in_short()).unwrap_or_default()
}
