//! The changes, property by property: short values first, then diffs of multi-line texts.

use std::{ops::Range, sync::Arc};

use crate::graph::Value;
use crate::plan::unshown::is_placeholder;
use crate::plan::{Action, Change, Step};
use crate::session::in_own_words;
use crate::tui::look::{Look, Role};
use crate::tui::widget::diff::{self, Diff, View};
use crate::tui::widget::{text, value};
use crate::tui::{cx::Cx, effect::Effect, screen::step::PlanScreen};
use ratatui::text::{Line, Span};

/// The content of a pane: finished lines, and diffs of which only the visible part is drawn.
#[derive(Debug, Default)]
pub(super) struct Body {
    parts: Vec<Part>,
    view: View,
    width: usize,
}

#[derive(Debug)]
enum Part {
    Lines(Vec<Line<'static>>),
    Diff(Arc<Diff>),
}

impl Body {
    pub fn new(view: View, width: usize) -> Self {
        Self { parts: Vec::new(), view, width }
    }

    pub fn push(&mut self, lines: Vec<Line<'static>>) {
        self.parts.push(Part::Lines(lines));
    }

    fn rows(&self, part: &Part) -> usize {
        match part {
            Part::Lines(lines) => lines.len(),
            Part::Diff(diff) => diff.len(self.view, self.width),
        }
    }

    pub fn len(&self) -> usize {
        self.parts.iter().map(|part| self.rows(part)).sum()
    }

    /// Some of its lines.
    pub fn window(&self, rows: Range<usize>, look: &Look) -> Vec<Line<'static>> {
        let (mut lines, mut above) = (Vec::new(), 0);
        for part in &self.parts {
            let (first, len) = (above, self.rows(part));
            above += len;
            let (start, end) = (rows.start.max(first), rows.end.min(above));
            if start >= end {
                continue;
            }
            let shown = start - first..end - first;
            match part {
                Part::Lines(ready) => lines.extend_from_slice(&ready[shown]),
                Part::Diff(diff) => lines.extend(diff.window(self.view, shown, self.width, look)),
            }
        }
        lines
    }
}

/// The two texts of a property, if at least one has several lines and both may be shown.
fn texts(change: &Change) -> Option<(Arc<str>, Arc<str>)> {
    let text = |side: &Option<Value>| match side {
        None | Some(Value::Null) => Some(Arc::from("")),
        Some(Value::Str(text)) => Some(text.clone()),
        Some(_) => None,
    };
    let (from, to) = (text(&change.from)?, text(&change.to)?);
    let is_long = |text: &str| text.trim_end_matches('\n').contains('\n');
    (!change.sensitive && (is_long(&from) || is_long(&to))).then_some((from, to))
}

/// Whether a step has a diff.
pub(super) fn has_texts(step: &Step) -> bool {
    step.changes.iter().any(|change| texts(change).is_some())
}

/// Requests the diffs of the selected row.
pub(super) fn want(screen: &mut PlanScreen, cx: &mut Cx) {
    // A dry run passes these rows too fast to read.
    let passes_by = screen.follows() && !screen.phase.is_live();
    if screen.shows.summary && !screen.shows.whole_diff || passes_by {
        return;
    }
    let one = screen.cursor_id().and_then(|id| screen.step_of(id)).filter(|_| !screen.shows.whole_diff);
    let all = screen.plan.iter().flat_map(|plan| &plan.steps).filter(|_| screen.shows.whole_diff);
    let wanted: Vec<_> = one.into_iter().chain(all).flat_map(|step| &step.changes).filter_map(texts).collect();
    for (from, to) in wanted {
        cx.compared.diffs.want(&from, &to);
    }
}

/// The diffs for workers.
pub fn pending_effects(cx: &mut Cx) {
    cx.compared.diffs.take_due().into_iter().for_each(|(from, to)| cx.effect(Effect::Diff { from, to }));
}

/// The old and new value of each property.
pub(super) fn changes(cx: &Cx, step: &Step, body: &mut Body) {
    let look = &cx.look;
    let dim = look.style(Role::Dim);
    if step.changes.is_empty() {
        let words = match step.action {
            Action::None if step.refresh => "no change, but a refresh is pending",
            Action::None => "unchanged",
            Action::Run => "runs a command (effects unknown)",
            Action::Unknown if step.error.is_some() => "not known, because the step has an error",
            Action::Unknown => "known after apply",
            _ => "no properties",
        };
        return body.push(vec![Line::styled(words, dim)]);
    }
    let changes = in_own_words(&step.resource, &step.changes);
    let (long, short): (Vec<_>, Vec<_>) = changes.iter().partition(|change| texts(change).is_some());
    body.push(short.into_iter().flat_map(|change| short_lines(look, change, body.width)).collect());
    for change in long {
        let Some((from, to)) = texts(change) else { continue };
        body.push(vec![Line::styled(text::safe(&change.property), look.style(Role::Strong))]);
        match cx.compared.diffs.find(&from, &to) {
            Some(diff) => body.parts.push(Part::Diff(diff.clone())),
            None => body.push(vec![Line::styled(format!("comparing{}", look.glyphs.cut), dim)]),
        }
    }
}

/// One property in full, among other lines.
pub fn change_lines(cx: &Cx, change: &Change, width: usize) -> Vec<Line<'static>> {
    let look = &cx.look;
    let Some((from, to)) = texts(change) else { return short_lines(look, change, width) };
    let mut lines = vec![Line::styled(text::safe(&change.property), look.style(Role::Strong))];
    lines.extend(diff::lines(&from, &to, cx.compared.diff_view, width, look));
    lines
}

/// A property on one line, or one line per side.
fn short_lines(look: &Look, change: &Change, width: usize) -> Vec<Line<'static>> {
    let name = text::safe(&change.property);
    if change.sensitive {
        return vec![Line::raw(format!("{name:<10} (secret) {} (secret)", look.glyphs.arrow))];
    }
    let show = |words: fn(&Value) -> String| {
        let side = |side: &Option<Value>| match side {
            None => "not set".to_string(),
            Some(Value::Str(text)) if is_placeholder(text) => text::safe(text),
            Some(value) => words(value),
        };
        (side(&change.from), side(&change.to))
    };
    let (mut from, mut to) = show(value::short);
    if from == to {
        (from, to) = show(value::exact);
    }
    let head = Span::styled(format!("{name:<10} "), look.style(Role::Strong));
    let arrow = format!(" {} ", look.glyphs.arrow);
    let (gone, new) = (look.style(Role::Gone), look.style(Role::New));
    if text::width(&name).max(10) + 4 + text::width(&from) + text::width(&to) <= width {
        return vec![Line::from(vec![head, Span::styled(from, gone), Span::raw(arrow), Span::styled(to, new)])];
    }
    let mut lines = vec![Line::from(head)];
    let sides = [("- ", from, gone, &change.from), ("+ ", to, new, &change.to)];
    // A missing value is not shown as removed.
    for (mark, words, style, _) in sides.into_iter().filter(|(.., side)| side.is_some()) {
        for (at, line) in text::wrap(&words, width.saturating_sub(2)).into_iter().enumerate() {
            lines.push(Line::styled(format!("{}{line}", if at == 0 { mark } else { "  " }), style));
        }
    }
    lines
}
