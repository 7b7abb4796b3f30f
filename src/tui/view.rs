//! Draws the whole window: header, panes and layers, over the footer. It decides nothing.

use ratatui::prelude::{Buffer, Line, Position, Rect, Span, Style};

use super::keymap::{Action, Entry, TABLE};
use super::layout::{self, Class};
use super::screen::{ScreenId, step};
use super::{areas::Hit, cx::Cx, footer, front::Front, layer, look::Role, state::State, tutor, widget::text};
use crate::tui::screen::step::data::State as Step;

/// Draws the state on a blank page; returns the position of the text cursor, if it is shown.
pub fn view(state: &State, buf: &mut Buffer) -> Option<Position> {
    let page = buf.area;
    state.cx.areas.clear();
    buf.set_style(page, state.cx.look.style(Role::Page).patch(state.cx.look.style(Role::Text)));
    let layout = state.cx.layout();
    let others = (&state.screens.deploys, &state.screens.modules);
    step::status::view(others, &state.screens.step, &state.cx, buf, layout.above.intersection(page));
    for (pane, area) in &layout.panes {
        state.front().screen.view(state.front(), buf, *pane, area.intersection(page));
    }
    let body = Rect { y: layout.header.height, height: layout.footer.y - layout.header.height, ..page };
    layer::view(state.front(), buf, body.intersection(page));
    if layout.header.height > 0 {
        header(state.front(), buf, layout.header);
    }
    tutor::view(&state.cx, buf, layout.below.intersection(page));
    let typing = if layout.footer.height > 0 { footer::view(state.front(), buf, layout.footer) } else { None };
    let typing = typing.or_else(|| layer::cursor(&state.cx));
    let cursor = typing.or_else(|| state.front().screen.cursor(&state.cx).filter(|_| state.cx.layers.open.is_empty()));
    cursor.filter(|cursor| page.contains(*cursor))
}

/// The tabs: their text, style, and action.
fn tabs(front: Front<'_>) -> Vec<(String, Style, &'static Entry)> {
    let numbered = [
        (1, Action::Screen(ScreenId::Step), "Plan"),
        (2, Action::Screen(ScreenId::Code), "Code"),
        (3, Action::Screen(ScreenId::Graph), "Graph"),
        (4, Action::Screen(ScreenId::Modules), "Modules"),
        (5, Action::Screen(ScreenId::Deploys), "History"),
        (6, Action::Screen(ScreenId::Log), "Log"),
    ];
    let (look, waiting) = (&front.cx.look, front.cx.waiting_screen());
    let (badge, project, node) = lead(front.step, front.cx);
    let named: usize = numbered.iter().map(|(_, _, title)| text::width(title) + 4).sum();
    // Always leaves room for the shortest status on the right, so that the tab names do not come and go with it. The
    // progress of an undo needs more.
    let decision = needs_decision(front, Detail::Least).map_or(0, |words| words.width() + 3);
    let reserved = match () {
        () if front.step.phase.undo_progress().is_some() => 36,
        () if front.step.phase.is_live() => decision.max(10),
        () => decision.max(13),
    };
    let is_named = text::width(&badge) + text::width(&project) + text::width(&node) + named + reserved
        <= usize::from(front.cx.window.width);
    let tab = |(number, action, title): (u8, Action, &str)| {
        let entry = TABLE.iter().find(|entry| entry.action == action)?;
        let (words, style) = if action == Action::Screen(front.cx.screen) {
            (format!("[{number} {title}]"), look.style(Role::Title))
        } else {
            let words = if is_named { format!(" {number} {title} ") } else { format!(" {number} ") };
            let is_waiting = waiting.is_some_and(|screen| action == Action::Screen(screen));
            (words, look.style(if is_waiting { Role::Key } else { Role::Text }))
        };
        Some((words, style, entry))
    };
    numbered.into_iter().filter_map(tab).collect()
}

/// The text on the left of the tabs: the mode, the project, and the node if it differs from the target machine.
fn lead(step: &Step, cx: &Cx) -> (String, String, String) {
    let room = (usize::from(cx.window.width) / 5).clamp(4, 28);
    let badge = if step.phase.is_live() { footer::badge_words(cx) } else { " DRY ".into() };
    let of_other = step.phase.live().and_then(|live| live.shown.of_other.as_deref());
    let cut = cx.look.glyphs.cut;
    let title = match of_other {
        Some(entry) => text::fit_end(&text::safe(entry), room, cut).into_owned(),
        None => text::fit(&cx.project.title, room, cut).into_owned(),
    };
    let node = cx.other_host(step).map_or_else(String::new, |node| {
        // In little room its first part is enough.
        let is_wide = layout::class(cx.window.width, cx.window.height) == Class::Wide;
        let first = node.split('.').next().filter(|first| !is_wide && first.parse::<u8>().is_err());
        let room = if is_wide { room.max(24) } else { room };
        format!("node {} ", text::fit_end(&text::safe(first.unwrap_or(&node)), room, cut))
    });
    (badge, format!(" {title} "), node)
}

fn header(front: Front<'_>, buf: &mut Buffer, area: Rect) {
    let look = &front.cx.look;
    buf.set_style(area, look.style(Role::Bar));
    let (badge, project, node) = lead(front.step, front.cx);
    let mut x = area.x + (text::width(&badge) + text::width(&project) + text::width(&node)) as u16;
    let badge_style = look.badge(front.step.phase.is_live());
    let mut spans = vec![Span::styled(badge, badge_style), Span::styled(project, look.style(Role::Strong))];
    spans.push(Span::styled(node, look.style(Role::Warning)));
    for (words, style, entry) in tabs(front) {
        let width = text::width(&words) as u16;
        front.cx.areas.add(Rect { x, width, height: 1, ..area }, Hit::Run(entry));
        x += width;
        spans.push(Span::styled(words, style));
    }
    let left = Line::from(spans);
    text::draw(buf, area.x, area.y, &left, area.width);
    let room = usize::from(area.width).saturating_sub(left.width() + 1);
    let all = [Detail::All, Detail::Whole, Detail::Short, Detail::Least, Detail::Bare];
    if let Some(status) = all.into_iter().map(|detail| status(front, detail)).find(|status| status.width() <= room) {
        text::draw(buf, area.right() - status.width() as u16, area.y, &status, area.width);
    }
}

/// The size of the graph or the plan's name, problems, the compile time, and running jobs.
fn status(front: Front<'_>, detail: Detail) -> Line<'static> {
    let look = &front.cx.look;
    let is_wide = layout::class(front.cx.window.width, front.cx.window.height) == Class::Wide;
    let mut spans = Vec::new();
    spans.extend(needs_decision(front, detail));
    spans.extend(watch(front.cx, is_wide).filter(|_| detail != Detail::Bare));
    let undoing = front.step.phase.undo_progress().filter(|_| !matches!(detail, Detail::Least | Detail::Bare));
    // The progress of an undo is more important than the shown counts.
    if undoing.is_none() || detail != Detail::Short {
        spans.extend(counts(front.cx, detail));
        spans.extend(plan(front.step, front.cx, detail));
    }
    if let Some(program) = &front.cx.programs.newest {
        let (errors, warnings) = (program.tally.errors, program.tally.warnings);
        if errors > 0 {
            spans.push(Span::styled(format!("{} {errors}E {warnings}W ", look.glyphs.failed), look.style(Role::Error)));
        } else if warnings > 0 {
            spans.push(Span::styled(format!("{warnings}W "), look.style(Role::Warning)));
        } else {
            spans.push(Span::styled(format!("{} ", look.glyphs.done), look.style(Role::Good)));
        }
        let shows_time =
            errors == 0 && is_wide && detail == Detail::All && front.cx.jobs.is_empty() && front.cx.project.can_apply;
        if let Some(took) = front.cx.programs.took.filter(|_| shows_time) {
            spans.push(Span::styled(format!("compiled {} ", text::duration(took)), look.style(Role::Dim)));
        }
    }
    if front.cx.is_spinning(front.step) {
        let pictures = look.glyphs.spinner;
        let word = front.cx.jobs.first().map_or(if front.cx.is_finding() { "find" } else { "run" }, |job| job.word());
        let picture = pictures[front.cx.ticks.spin % pictures.len()];
        spans.extend(undoing.map(|words| Span::styled(format!("{words}  "), look.style(Role::Active))));
        spans.push(Span::styled(format!("{picture} {word} "), look.style(Role::Active)));
    }
    Line::from(spans)
}

/// How much is shown in little room: the least important part is dropped first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Detail {
    All,
    /// Without the compile time.
    Whole,
    /// Abbreviated.
    Short,
    /// Problems, running jobs, and whether the inputs are watched.
    Least,
    /// Problems and running jobs.
    Bare,
}

/// The status of a deploy that is interrupted, detached, or can be retried at its end, and the key for it.
fn needs_decision(front: Front<'_>, detail: Detail) -> Option<Span<'static>> {
    let live = &front.step.live;
    let glyphs = front.cx.look.glyphs;
    let (deploy, what, action) = match (&live.detached, &live.cut) {
        _ if front.step.is_open_at_end() && front.cx.screen != ScreenId::Step => {
            (front.step.phase.deploy().unwrap_or_default(), "has not ended", Some(Action::Screen(ScreenId::Step)))
        }
        _ if front.step.phase.is_live() => return None,
        (Some(status), _) if !status.is_parked() => (status.deploy, "is attached elsewhere", None),
        (Some(status), _) => (status.deploy, "is detached", Some(Action::Attach)),
        (None, Some(cut)) => (cut.deploy, "was interrupted", Some(Action::Resume)),
        (None, None) => return None,
    };
    let entry = |action| TABLE.iter().find(|entry| entry.action == action);
    let works = |entry: &&Entry| entry.works_on(front.cx.screen) && entry.enabled(front).is_ok();
    let lead = |action| {
        let away = (front.cx.screen != ScreenId::Step).then(|| entry(Action::Screen(ScreenId::Step))).flatten();
        entry(action).filter(works).or(away)
    };
    let key = action.and_then(lead).map(|entry| format!(": {}", front.cx.keymap.key_of(entry, front.cx.screen)));
    let key = key.unwrap_or_default();
    // Only an interrupted deploy is at fault.
    let glyph = if live.detached.is_none() && live.cut.is_some() { glyphs.failed } else { glyphs.paused };
    let words = match detail {
        Detail::All | Detail::Whole => format!("{glyph} deploy {deploy} {what}{key}  "),
        Detail::Short | Detail::Least => format!("{glyph} deploy{key}  "),
        Detail::Bare => format!("{glyph} #{deploy}{key}  "),
    };
    Some(Span::styled(words, front.cx.look.style(Role::Warning)))
}

/// The size of the shown graph.
fn counts(cx: &Cx, detail: Detail) -> Option<Span<'static>> {
    if cx.screen != ScreenId::Graph {
        return None;
    }
    let program = cx.graphed()?;
    // An edge between a container and its members is no dependency of a resource.
    let is_own = |edge: &&crate::graph::Edge| edge.reason != crate::graph::Reason::Containment;
    let (resources, edges) = (program.resources, program.graph.edges().iter().filter(is_own).count());
    let words = match detail {
        Detail::All | Detail::Whole => format!("{resources} resources {edges} edges  "),
        Detail::Short => format!("{resources}r {edges}e  "),
        Detail::Least | Detail::Bare => return None,
    };
    Some(Span::styled(words, cx.look.style(Role::Dim)))
}

/// The stepped plan and its target.
fn plan(step: &Step, cx: &Cx, detail: Detail) -> Option<Span<'static>> {
    const HOST: usize = 24;
    if cx.screen != ScreenId::Step || matches!(detail, Detail::Least | Detail::Bare) {
        return None;
    }
    let plan = step.plan.as_ref()?;
    let id = text::safe(&plan.plan.chars().take(8).collect::<String>());
    let host = text::safe(if cx.project.host.is_empty() { "this machine" } else { &cx.project.host });
    let host = text::fit(&host, HOST, cx.look.glyphs.cut);
    let is_spelled = detail != Detail::Short && layout::class(cx.window.width, cx.window.height) == Class::Wide;
    let words = if is_spelled { format!("plan {id}  target {host}  ") } else { format!("{id} {host}  ") };
    Some(Span::styled(words, cx.look.style(Role::Dim)))
}

/// Whether the program's inputs are watched.
fn watch(cx: &Cx, is_wide: bool) -> Option<Span<'static>> {
    let words = if is_wide { "watching  " } else { "watch  " };
    cx.events.is_on().then(|| Span::styled(words, cx.look.style(Role::Active)))
}
