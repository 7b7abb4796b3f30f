//! Graph: the resources in apply order with rails beside them, and all about the one under the cursor.

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::{Pane, events};
use crate::graph::{Mapping, Node, NodeIndex, Reason, Resource, ResourceId};
use crate::plan::{Offered, Query};
use crate::session::follow::Fate;
use crate::tui::effect::Effect;
use crate::tui::keymap::Action;
use crate::tui::look::{Role, action_word};
use crate::tui::message::Job;
use crate::tui::program::Program;
use crate::tui::state::State as Tui;
use crate::tui::update;
use crate::tui::widget::frame::{self, Frame};
use crate::tui::widget::list::{self, List, Move};
use crate::tui::widget::rails::{Rails, Row};
use crate::tui::widget::{text, value};

/// What the screen remembers. Positions are those of the apply order.
#[derive(Debug, Default)]
pub struct State {
    /// `None` while they are drawn.
    pub rails: Option<Arc<Rails>>,
    /// Positions that fit the filter; only while there is one.
    shown: Vec<u32>,
    pub words: String,
    /// The cursor counts shown nodes, the offset drawn rows.
    list: List,
    detail: List,
}

impl State {
    fn is_filtered(&self) -> bool {
        !self.words.is_empty()
    }

    /// How many nodes can be selected.
    fn len(&self, program: &Program) -> usize {
        if self.is_filtered() { self.shown.len() } else { program.order.len() }
    }

    /// The position in the order of a shown node.
    fn position(&self, at: usize) -> Option<usize> {
        if self.is_filtered() { self.shown.get(at).map(|position| *position as usize) } else { Some(at) }
    }

    /// Drawn rows of what is there; what is gone follows them.
    fn rows(&self, program: &Program) -> usize {
        match &self.rails {
            Some(rails) if !self.is_filtered() => rails.rows.len(),
            _ => self.len(program),
        }
    }

    /// The drawn row of a shown node.
    fn row_of(&self, at: usize) -> usize {
        match &self.rails {
            Some(rails) if !self.is_filtered() => rails.row_of.get(at).map_or(at, |row| *row as usize),
            _ => at,
        }
    }

    /// The first drawn row in view.
    pub fn top(&self) -> usize {
        self.list.offset
    }

    pub fn scroll_to(&mut self, top: usize) {
        self.list.offset = top;
    }

    pub fn selected(&self, tui: &Tui) -> Option<NodeIndex> {
        tui.graphed()?.order.get(self.position(self.list.cursor)?).copied()
    }

    /// The first neighbour before or after the selected node.
    pub fn neighbour(&self, tui: &Tui, before: bool) -> Option<NodeIndex> {
        let program = tui.graphed()?;
        let node = self.selected(tui)?.0 as usize;
        let edge = *if before { program.needs[node].first()? } else { program.needed_by[node].first()? };
        let edge = &program.graph.edges()[edge as usize];
        Some(if before { edge.from } else { edge.to })
    }
}

/// A new graph stands: the cursor stays on its resource, and the rails are drawn by a worker.
pub fn replaced(tui: &mut Tui, old: Option<&Program>) -> Vec<Effect> {
    let Some(program) = tui.graphed().cloned() else { return vec![] };
    if old.is_some_and(|old| old.graph.has_shape_of(&program.graph)) {
        return vec![];
    }
    let kept = old.and_then(|old| Some(old.id(*old.order.get(tui.graph.position(tui.graph.list.cursor)?)?).clone()));
    tui.graph.rails = None;
    let words = tui.graph.words.clone();
    filter(tui, &words);
    if let Some(node) = kept.and_then(|id| program.graph.find(&id)) {
        select(tui, node);
    }
    if program.graph.is_empty() {
        return vec![];
    }
    tui.start(Job::Rails);
    vec![Effect::DrawRails { program, ascii: tui.look.glyphs.horizontal == "-" }]
}

/// Puts the cursor on a node, clearing a filter that hides it.
pub fn select(tui: &mut Tui, node: NodeIndex) {
    let Some(program) = tui.graphed().cloned() else { return };
    let Some(position) = program.rank.get(node.0 as usize).map(|rank| *rank as usize) else { return };
    let hidden = tui.graph.is_filtered() && !tui.graph.shown.contains(&(position as u32));
    if hidden {
        filter(tui, "");
    }
    let at = if tui.graph.is_filtered() {
        tui.graph.shown.iter().position(|shown| *shown as usize == position).unwrap_or(0)
    } else {
        position
    };
    tui.graph.list.cursor = at;
    tui.graph.detail = List::default();
}

pub fn go(tui: &mut Tui, pane: Pane, step: Move, count: usize) -> Vec<Effect> {
    let (width, height) = tui.room(pane);
    let Some(program) = tui.graphed().cloned() else { return vec![] };
    match pane {
        Pane::Events => return events::go(tui, step, count),
        Pane::Node if tui.events.speaks => {
            let len = events::detail(tui, width).len();
            tui.events.detail.scroll(step, count, len, height);
            return vec![];
        }
        Pane::Node => {
            let len = detail(tui, width).len();
            tui.graph.detail.scroll(step, count, len, height);
            return vec![];
        }
        _ => {}
    }
    let len = tui.graph.len(&program);
    tui.graph.list.go(step, count, len, height);
    tui.graph.detail = List::default();
    vec![]
}

pub fn click(tui: &mut Tui, row: usize) -> Vec<Effect> {
    let Some(program) = tui.graphed().cloned() else { return vec![] };
    let row = tui.graph.list.offset + row;
    let node = match &tui.graph.rails {
        Some(rails) if !tui.graph.is_filtered() => {
            rails.rows.get(row).and_then(|row| row.node).map(|node| node as usize)
        }
        _ => (row < tui.graph.len(&program)).then_some(row),
    };
    if let Some(at) = node {
        tui.graph.list.cursor = at;
        tui.graph.detail = List::default();
    }
    vec![]
}

pub fn act(tui: &mut Tui, action: Action) -> Vec<Effect> {
    match action {
        Action::Open if tui.focus() != Pane::Node => return update::show_source(tui),
        Action::Close if tui.focus() == Pane::Node => tui.set_focus(Pane::Rails),
        Action::FirstNeed | Action::FirstDependent => {
            if let Some(node) = tui.graph.neighbour(tui, action == Action::FirstNeed) {
                update::remember(tui);
                select(tui, node);
            }
        }
        _ => {}
    }
    vec![]
}

pub fn filter(tui: &mut Tui, words: &str) {
    let kept = tui.graph.selected(tui);
    let Some(program) = tui.graphed().cloned() else { return };
    let query = Query::typed(words).unwrap_or_default();
    tui.graph.words = words.to_string();
    tui.graph.shown = if words.is_empty() {
        Vec::new()
    } else {
        let fits = |node: &NodeIndex| {
            let id = program.id(*node);
            let (action, state) = (tui.step.action_of(id), tui.step.state_word(id));
            match program.graph.resource(*node) {
                Some(resource) => query.fits(&Offered { action, state: Some(state), ..Offered::resource(resource) }),
                None => query.fits(&Offered::text(&id.0)),
            }
        };
        let order = program.order.iter().enumerate();
        order.filter(|(_, node)| fits(node)).map(|(position, _)| position as u32).collect()
    };
    tui.graph.list = List::default();
    if let Some(position) = kept.and_then(|node| program.rank.get(node.0 as usize)) {
        let at = if words.is_empty() {
            Some(*position as usize)
        } else {
            tui.graph.shown.iter().position(|shown| shown == position)
        };
        tui.graph.list.cursor = at.unwrap_or(0);
    }
}

pub fn settle(tui: &mut Tui) {
    if tui.events.is_on() {
        events::settle(tui);
    }
    let Some(program) = tui.graphed().cloned() else { return };
    let (_, height) = tui.room(Pane::Rails);
    let len = tui.graph.len(&program);
    tui.graph.list.cursor = tui.graph.list.cursor.min(len.saturating_sub(1));
    let mut window = List { cursor: tui.graph.row_of(tui.graph.list.cursor), offset: tui.graph.list.offset };
    window.settle(tui.graph.rows(&program) + gone(tui).len(), height);
    tui.graph.list.offset = window.offset;
    let (width, height) = tui.room(Pane::Node);
    let len = detail(tui, width).len();
    tui.graph.detail.settle_text(len, height);
}

pub fn view(tui: &Tui, buf: &mut Buffer, pane: Pane, area: Rect) {
    match pane {
        Pane::Events => events::view(tui, buf, area),
        Pane::Node if tui.events.speaks => view_event(tui, buf, area),
        Pane::Node => view_node(tui, buf, area),
        _ => view_rails(tui, buf, area),
    }
}

/// What the shown event took away: it stands below what is there.
fn gone(tui: &Tui) -> Vec<&ResourceId> {
    if tui.graph.is_filtered() { vec![] } else { tui.events.removed() }
}

fn view_rails(tui: &Tui, buf: &mut Buffer, area: Rect) {
    let (look, state) = (&tui.look, &tui.graph);
    let focused = tui.focus() == Pane::Rails;
    let mut title = "Apply order".to_string();
    if state.rails.as_ref().is_some_and(|rails| rails.plain) {
        title.push_str("  (too many edges to draw)");
    }
    if tui.is_stale() {
        title.push_str("  stale: last good graph");
    }
    let mut counts = tui.events.shown().map(|moment| events::counts(moment)).unwrap_or_default().into_iter();
    if let Some((fate, count)) = counts.next() {
        title.push_str(&format!("  {}{count}", events::sign(fate)));
        counts.for_each(|(fate, count)| title.push_str(&format!(" {}{count}", events::sign(fate))));
    }
    if state.is_filtered() {
        title.push_str(&format!("  /{}", text::safe(&state.words)));
    }
    let Some(program) = tui.graphed().filter(|program| !program.graph.is_empty()) else {
        let inner = frame::draw(buf, area, look, &Frame { title: &title, focused, ..Frame::default() });
        return list::draw_text(buf, inner, 0, &empty(tui));
    };
    let foot = state.list.foot(state.len(program));
    let height = usize::from(area.height.saturating_sub(2));
    let gone = gone(tui);
    let there = state.rows(program);
    let rows = there + gone.len();
    let scroll = Some((state.list.offset, height, rows));
    let inner = frame::draw(buf, area, look, &Frame { title: &title, foot: &foot, focused, scroll });
    if state.len(program) == 0 {
        let words = format!(" Filter `{}` hides {} resources.", text::safe(&state.words), program.order.len());
        let hint = Line::styled(" Esc clears it.", look.style(Role::Dim));
        return list::draw_text(buf, inner, 0, &[Line::raw(words), hint]);
    }
    let window = List { cursor: state.row_of(state.list.cursor), offset: state.list.offset };
    let width = usize::from(inner.width);
    list::draw(buf, inner, look, &window, rows, focused, |row| match row.checked_sub(there) {
        Some(at) => gone_line(tui, gone[at], width),
        None => rail_line(tui, program, row, width),
    });
}

fn empty(tui: &Tui) -> Vec<Line<'static>> {
    let dim = tui.look.style(Role::Dim);
    match &tui.program {
        None => vec![Line::styled(" compiling…", dim)],
        Some(program) if program.has_errors() => vec![
            Line::styled(
                format!(" {}, so there is no graph.", program.tally.errors_in_words()),
                tui.look.style(Role::Error),
            ),
            Line::styled(" 2 shows them; ]d goes from one to the next.", dim),
        ],
        Some(_) => vec![Line::raw(" The program declares no resources.")],
    }
}

/// A resource that is no longer described.
fn gone_line(tui: &Tui, id: &ResourceId, width: usize) -> Line<'static> {
    let name = id.to_string();
    let name = text::fit_middle(&name, width.saturating_sub(4), tui.look.glyphs.cut);
    Line::styled(format!(" {} {name}", events::sign(Fate::Removed)), tui.look.style(Role::Remove))
}

/// How often a resource came out different, and how; the event that is shown stands out.
fn mark(tui: &Tui, id: &ResourceId) -> Span<'static> {
    let Some(mark) = tui.events.mark(id) else { return Span::raw(" ".repeat(MARK)) };
    let words = format!(" {}{}", events::sign(mark.fate), mark.count.min(999));
    let style = if mark.is_now { events::style(&tui.look, mark.fate) } else { tui.look.style(Role::Dim) };
    Span::styled(format!("{words:>MARK$}"), style)
}

/// The columns of a mark.
const MARK: usize = 5;

fn rail_line(tui: &Tui, program: &Program, row: usize, width: usize) -> Line<'static> {
    let look = &tui.look;
    let rail = look.style(Role::Rail);
    let drawn = tui.graph.rails.as_ref().filter(|_| !tui.graph.is_filtered());
    let lone = Row { node: tui.graph.position(row).map(|position| position as u32), ..Row::default() };
    let Row { node, before, after } = drawn.and_then(|rails| rails.rows.get(row)).unwrap_or(&lone);
    let Some(node) = node.and_then(|position| program.order.get(position as usize)) else {
        return Line::styled(format!(" {before}"), rail);
    };
    let id = program.id(*node);
    let (glyph, glyph_style) = tui.step.glyph_of(look, id).unwrap_or((look.glyphs.waiting, look.style(Role::Text)));
    let tail = match tui.step.action_of(id) {
        Some(action) => look.action(action),
        None => (" ", look.style(Role::Dim)),
    };
    let refresh = if tui.step.is_refreshed(id) { look.glyphs.refresh } else { " " };
    let drawing = text::width(before) + 1 + text::width(after) + 2;
    let watched = tui.events.is_on();
    let room = width.saturating_sub(drawing + 5 + if watched { MARK } else { 0 });
    let (name, role) = match program.graph.node(*node) {
        Node::Resource(_) => (id.to_string(), Role::Text),
        Node::Anchor(anchor) => {
            (format!("{} {}", if anchor.begin { "begin" } else { "end" }, text::safe(&anchor.name)), Role::Dim)
        }
    };
    let mut spans = vec![
        Span::styled(format!(" {before}"), rail),
        Span::styled(glyph, glyph_style),
        Span::styled(after.clone(), rail),
        Span::raw("  "),
        Span::styled(text::pad(&text::fit_middle(&name, room, look.glyphs.cut), room), look.style(role)),
    ];
    spans.extend(watched.then(|| mark(tui, id)));
    spans.push(Span::styled(format!(" {refresh}"), look.style(Role::Refresh)));
    spans.push(Span::styled(tail.0, tail.1));
    Line::from(spans)
}

/// All about the event under the cursor.
fn view_event(tui: &Tui, buf: &mut Buffer, area: Rect) {
    let lines = events::detail(tui, usize::from(area.width.saturating_sub(2)));
    let (title, focused) = (events::title(tui), tui.focus() == Pane::Node);
    let list = &tui.events.detail;
    let scroll = list.extent(lines.len(), usize::from(area.height.saturating_sub(2)));
    let inner = frame::draw(buf, area, &tui.look, &Frame { title: &title, focused, scroll, ..Frame::default() });
    list::draw_text(buf, inner, list.offset, &lines);
}

fn view_node(tui: &Tui, buf: &mut Buffer, area: Rect) {
    let focused = tui.focus() == Pane::Node;
    let lines = detail(tui, usize::from(area.width.saturating_sub(2)));
    let height = usize::from(area.height.saturating_sub(2));
    let selected = tui.graph.selected(tui);
    let title = selected.and_then(|node| Some(tui.graphed()?.id(node).to_string())).unwrap_or_default();
    let scroll = tui.graph.detail.extent(lines.len(), height);
    let inner = frame::draw(buf, area, &tui.look, &Frame { title: &title, focused, scroll, ..Frame::default() });
    list::draw_text(buf, inner, tui.graph.detail.offset, &lines);
}

/// All about the selected node.
fn detail(tui: &Tui, width: usize) -> Vec<Line<'static>> {
    let (Some(program), Some(node)) = (tui.graphed(), tui.graph.selected(tui)) else { return vec![] };
    let mut lines = Vec::new();
    let source = match program.graph.node(node) {
        Node::Resource(resource) => &resource.source,
        Node::Anchor(anchor) => &anchor.source,
    };
    if let Some(action) = tui.step.action_of(program.id(node)) {
        let (letter, style) = tui.look.action(action);
        lines.push(field(tui, "plan", vec![Span::styled(format!("{letter} {}", action_word(action)), style)]));
    }
    if let Some(place) = source {
        let shown = place.to_string();
        let shown = text::fit_end(&shown, width.saturating_sub(11), tui.look.glyphs.cut).into_owned();
        lines.push(field(tui, "from", vec![Span::raw(shown)]));
    }
    if let Some(resource) = program.graph.resource(node) {
        about_resource(tui, resource, width, &mut lines);
    }
    edges(tui, program, node, width, &mut lines);
    lines
}

fn field(tui: &Tui, name: &str, mut value: Vec<Span<'static>>) -> Line<'static> {
    value.insert(0, Span::styled(format!("{name:<11}"), tui.look.style(Role::Dim)));
    Line::from(value)
}

fn about_resource(tui: &Tui, resource: &Resource, width: usize, lines: &mut Vec<Line<'static>>) {
    if !resource.container.is_empty() {
        let names: Vec<_> = resource.container.iter().map(|name| text::safe(name)).collect();
        lines.push(field(tui, "in", vec![Span::raw(names.join(" / "))]));
    }
    if let Some(target) = &resource.target {
        lines.push(field(tui, "target", vec![Span::raw(text::safe(target))]));
    }
    match &resource.mapped {
        Mapping::Same => {}
        Mapping::To(mapped) => {
            let words = format!("{}[{}]", text::safe(&mapped.kind), text::safe(&mapped.name));
            lines.push(field(tui, "as", vec![Span::raw(words)]));
        }
        Mapping::None => {
            let words = "no kind here: it is shown, but cannot be applied";
            lines.push(field(tui, "as", vec![Span::styled(words, tui.look.style(Role::Warning))]));
        }
    }
    for (title, params) in [("parameters", &resource.declared.params), ("meta", &resource.meta)] {
        if !params.is_empty() {
            lines.push(heading(tui, title));
            params.iter().for_each(|(name, set)| lines.extend(value::lines(&tui.look, name, set, width)));
        }
    }
}

fn heading(tui: &Tui, words: &str) -> Line<'static> {
    let dash = tui.look.glyphs.horizontal;
    Line::styled(format!("{dash}{dash} {words}"), tui.look.style(Role::Dim))
}

/// More neighbours than this are counted only.
const MOST_NEIGHBOURS: usize = 50;

fn edges(tui: &Tui, program: &Program, node: NodeIndex, width: usize, lines: &mut Vec<Line<'static>>) {
    let at = node.0 as usize;
    for (title, list, before) in [("needs", &program.needs[at], true), ("needed by", &program.needed_by[at], false)] {
        let title = format!("{title} {}", list.len());
        lines.push(heading(tui, &title));
        for edge in list.iter().take(MOST_NEIGHBOURS) {
            let edge = &program.graph.edges()[*edge as usize];
            let other = program.id(if before { edge.from } else { edge.to });
            let glyph = tui.step.glyph_of(&tui.look, other);
            let (glyph, style) = glyph.unwrap_or((tui.look.glyphs.waiting, tui.look.style(Role::Dim)));
            let mut notes = Vec::new();
            if edge.notify {
                notes.push(format!("{} notifies", tui.look.glyphs.refresh));
            }
            if let Some((sent, received)) = &edge.send {
                let arrow = tui.look.glyphs.arrow;
                notes.push(format!("sends {} {arrow} {}", text::safe(sent), text::safe(received)));
            }
            match edge.reason {
                Reason::Auto => notes.push("automatic".into()),
                Reason::Containment => notes.push("contained".into()),
                Reason::Declared | Reason::Send => {}
            }
            let note = notes.join(", ");
            let room = width.saturating_sub(4 + text::width(&note) + 1);
            let name = other.to_string();
            lines.push(Line::from(vec![
                Span::styled(format!("  {glyph} "), style),
                Span::raw(text::fit_middle(&name, room, tui.look.glyphs.cut).into_owned()),
                Span::styled(format!(" {note}"), tui.look.style(Role::Refresh)),
            ]));
        }
        if list.len() > MOST_NEIGHBOURS {
            lines.push(Line::styled(format!("  and {} more", list.len() - MOST_NEIGHBOURS), tui.look.style(Role::Dim)));
        }
    }
}
