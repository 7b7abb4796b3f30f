//! Compares the shown plan with the one before the last edit, the program with a revision of it, or two nodes.

use crate::tui::{
    cx::Cx, effect::Effect, layer::picker, look::Role, message::Job, parity, screen::ScreenId,
    screen::step::PlanScreen, widget::text,
};
use ratatui::prelude::{Line, Span, Style};

use super::planning;
use crate::compare::report::{Document, Row, Sort};
use crate::graph::ResourceId;
use crate::plan::Action;
use crate::session::compare::{Ask, compare_plans};
use crate::tui::layer::picker::item::{Item, Target};

/// The longest list.
const MOST: usize = 500;

/// `:diff`: with the plan before the last edit (`-`), with a revision, or for two nodes.
pub fn asked(screen: &mut PlanScreen, cx: &mut Cx, words: &str) {
    let words: Vec<&str> = words.split_whitespace().collect();
    let ask = match words[..] {
        ["-"] => return with_previous(screen, cx),
        [revision] => Ask::Revision(revision.to_owned()),
        [one, other] => Ask::Nodes(one.to_lowercase(), other.to_lowercase()),
        _ => return cx.show_notice(Role::Note, "compare with: :diff -, :diff REVISION, :diff NODE NODE"),
    };
    if cx.screen != ScreenId::Step {
        planning::open(screen, cx);
    }
    let entry = parity::entry_words(cx);
    cx.log_command(match &ask {
        Ask::Revision(revision) => format!("workbench diff {}:{entry} {entry}", text::safe(revision)),
        Ask::Nodes(..) => format!("workbench graph --node NODE {entry}"),
    });
    cx.start(Job::Diff);
    cx.effect(Effect::Compare { ask, run: screen.run });
}

/// Compares the plan with the one before the last edit.
fn with_previous(screen: &mut PlanScreen, cx: &mut Cx) {
    let (Some(plan), Some(previous)) = (screen.plan.clone(), screen.previous.clone()) else {
        let words = "no plan from before an edit; :diff REVISION compares with a revision";
        return cx.show_notice(Role::Note, words);
    };
    if cx.screen != ScreenId::Step {
        planning::open(screen, cx);
    }
    let shown = ["the plan before the last edit".into(), "This plan".into()];
    show(screen, cx, compare_plans(&previous, &plan, &shown))
}

/// A requested comparison is ready; `run` identifies the plan on show.
pub fn on_compared(screen: &mut PlanScreen, cx: &mut Cx, run: u64, result: Result<Document, String>) {
    match result {
        Ok(document) if run == screen.run => show(screen, cx, document),
        Ok(_) => {}
        Err(words) => cx.show_notice(Role::Error, text::safe(&words)),
    }
}

/// Lists the rows in a picker, which leads to their resources, above the whole comparison.
fn show(screen: &mut PlanScreen, cx: &mut Cx, document: Document) {
    let rows = document.sections.iter().flat_map(|section| &section.rows);
    let items: Vec<Item> = rows.flat_map(|row| row.names.iter().map(|name| item(cx, row, name))).collect();
    let title = format!("{}: {}", text::safe(&document.title), text::safe(&document.summary));
    let shows = &mut screen.shows;
    shows.compared = Some(Box::new(document));
    (shows.summary, shows.whole_diff, shows.against, shows.panes) = (true, false, None, Default::default());
    if !items.is_empty() {
        picker::items(cx, title, items);
    }
}

fn item(cx: &Cx, row: &Row, name: &str) -> Item {
    let properties: Vec<&str> = row.details.iter().map(|detail| &*detail.property).collect();
    let what = if properties.is_empty() { row.what.clone() } else { properties.join(" ") };
    Item {
        shown: text::safe(&format!("{} {name}  {what}", sign(cx, row.sort).0)),
        note: text::safe(&row.place),
        target: Target::Resource(ResourceId(name.into())),
    }
}

fn sign(cx: &Cx, sort: Sort) -> (&'static str, Style) {
    let look = &cx.look;
    match sort {
        Sort::Add => look.action(Action::Create),
        Sort::Change => look.action(Action::Change),
        Sort::Remove => look.action(Action::Remove),
        Sort::Other => look.action(Action::Run),
        Sort::Fail => (look.glyphs.failed, look.style(Role::Failed)),
    }
}

pub(super) fn lines(cx: &Cx, document: &Document, width: usize) -> Vec<Line<'static>> {
    let look = &cx.look;
    let dim = look.style(Role::Dim);
    let mut lines = text::wrap_line(&Line::raw(text::safe(&document.title)), width);
    lines.push(Line::styled(text::safe(&document.summary), dim));
    for section in &document.sections {
        lines.push(Line::raw(""));
        for row in section.rows.iter().take(MOST) {
            row_lines(cx, row, width, &mut lines);
        }
        if section.rows.len() > MOST {
            lines.push(Line::styled(format!("and {} more", section.rows.len() - MOST), dim));
        }
    }
    lines.push(Line::raw(""));
    lines.push(Line::styled("= shows the plan again.", dim));
    lines
}

fn row_lines(cx: &Cx, row: &Row, width: usize, lines: &mut Vec<Line<'static>>) {
    let look = &cx.look;
    let dim = look.style(Role::Dim);
    let (letter, style) = sign(cx, row.sort);
    // A sentence gets lines of its own.
    let is_long = text::width(&row.what) > width / 2;
    for name in &row.names {
        let what =
            if row.what == "changed" || is_long { String::new() } else { format!("  {}", text::safe(&row.what)) };
        let room = width.saturating_sub(2 + text::width(&what)).max(10);
        let name = text::fit(&text::safe(name), room, look.glyphs.cut).into_owned();
        lines.push(Line::from(vec![
            Span::styled(format!("{letter} "), style),
            Span::raw(name),
            Span::styled(what, dim),
        ]));
    }
    if is_long {
        let words = Line::styled(format!("    {}", text::safe(&row.what)), dim);
        lines.extend(text::wrap_line(&words, width));
    }
    let fit = |words: String| text::fit(&words, width, look.glyphs.cut).into_owned();
    for detail in &row.details {
        let property = text::safe(&detail.property);
        if detail.lines.is_empty() {
            let side = |side: &Option<String>| side.as_deref().map_or("(none)".into(), text::safe);
            let words = format!("    {property}: {} {} {}", side(&detail.from), look.glyphs.arrow, side(&detail.to));
            lines.push(Line::raw(fit(words)));
            continue;
        }
        lines.push(Line::raw(fit(format!("    {property}:"))));
        for line in &detail.lines {
            let style = match line.as_bytes().first() {
                Some(b'+') => look.action(Action::Create).1,
                Some(b'-') => look.action(Action::Remove).1,
                _ => dim,
            };
            lines.push(Line::styled(fit(format!("      {}", text::safe(line))), style));
        }
    }
    if !row.place.is_empty() {
        lines.push(Line::styled(fit(format!("    {}", text::safe(&row.place))), dim));
    }
}
