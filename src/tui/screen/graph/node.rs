//! The details of the selected node or fold.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::rows;
use crate::graph::view::FoldKey;
use crate::graph::{Mapping, Node, NodeIndex, Reason, Resource};
use crate::tui::look::{Look, Role, action_word};
use crate::tui::program::Program;
use crate::tui::screen::Pane;
use crate::tui::screen::step::stale::STALE;
use crate::tui::state::State as Tui;
use crate::tui::widget::frame::{self, Frame};
use crate::tui::widget::{list, text, value};

pub(super) fn view_node(tui: &Tui, buf: &mut Buffer, area: Rect) {
    let focused = tui.cx.focus() == Pane::Node;
    let lines = detail(tui, usize::from(area.width.saturating_sub(2)));
    let height = usize::from(area.height.saturating_sub(2));
    let selected = tui.screens.graph.selected(tui);
    let title = match tui.screens.graph.fold() {
        Some(fold) => fold_name(&fold.key),
        None => selected.and_then(|node| Some(tui.cx.graphed()?.id(node).to_string())).unwrap_or_default(),
    };
    let scroll = tui.screens.graph.detail.extent(lines.len(), height);
    let inner = frame::draw(buf, area, &tui.cx.look, &Frame { title: &title, focused, scroll, ..Frame::default() });
    if lines.is_empty() && tui.cx.layout().pane(Pane::Rails).is_none() {
        // The pane beside it shows why it is empty.
        return list::draw_words(buf, inner, &rows::why_nothing(tui));
    }
    list::draw_cut(buf, inner, &tui.cx.look, tui.screens.graph.detail.offset, &lines);
}

/// The details of the selected node.
pub(super) fn detail(tui: &Tui, width: usize) -> Vec<Line<'static>> {
    let (Some(program), Some(node)) = (tui.cx.graphed(), tui.screens.graph.selected(tui)) else { return vec![] };
    if let Some(fold) = tui.screens.graph.fold() {
        return members(tui, program, &fold.nodes, width);
    }
    let mut lines = Vec::new();
    let source = match program.graph.node(node) {
        Node::Resource(resource) => &resource.source,
        Node::Anchor(anchor) => &anchor.source,
    };
    if let Some(action) = tui.screens.step.action_of(program.id(node)) {
        let (letter, style) = tui.cx.look.action(action);
        lines.push(field(&tui.cx.look, "plan", vec![Span::styled(format!("{letter} {}", action_word(action)), style)]));
    }
    if let Some((name, error)) = tui.screens.step.failure_of(program.id(node)) {
        lines.extend(wrapped(&tui.cx.look, name, error, Role::Failed, width));
    }
    if let Some(words) = tui.screens.step.stale_words(program.id(node)) {
        let words = format!("{words}, since the plan; Ctrl-r re-checks");
        lines.extend(wrapped(&tui.cx.look, STALE, &words, Role::Warning, width));
    }
    if let Some(place) = source {
        let shown = place.to_string();
        let shown = text::fit_end(&shown, width.saturating_sub(NAME), tui.cx.look.glyphs.cut).into_owned();
        lines.push(field(&tui.cx.look, "from", vec![Span::raw(shown)]));
    }
    if let Some(resource) = program.graph.resource(node) {
        about_resource(&tui.cx.look, resource, width, &mut lines);
    }
    edges(tui, program, node, width, &mut lines);
    lines
}

/// The columns of a field's name.
const NAME: usize = 11;

fn field(look: &Look, name: &str, mut value: Vec<Span<'static>>) -> Line<'static> {
    value.insert(0, Span::styled(format!("{name:<NAME$}"), look.style(Role::Dim)));
    Line::from(value)
}

/// A field of several lines, with a hanging indent.
fn wrapped(look: &Look, name: &'static str, words: &str, role: Role, width: usize) -> Vec<Line<'static>> {
    let room = width.saturating_sub(NAME).max(10);
    let rows = words.lines().flat_map(|line| text::wrap(&text::safe(line), room));
    let names = std::iter::once(name).chain(std::iter::repeat(""));
    names.zip(rows).map(|(name, row)| field(look, name, vec![Span::styled(row, look.style(role))])).collect()
}

fn about_resource(look: &Look, resource: &Resource, width: usize, lines: &mut Vec<Line<'static>>) {
    if !resource.container.is_empty() {
        let names: Vec<_> = resource.container.iter().map(|name| text::safe(name)).collect();
        lines.push(field(look, "in", vec![Span::raw(names.join(" / "))]));
    }
    if let Some(target) = &resource.target {
        lines.push(field(look, "target", vec![Span::raw(text::safe(target))]));
    }
    match &resource.mapped {
        Mapping::Same => {}
        Mapping::To(mapped) => {
            let words = format!("{}[{}]", text::safe(&mapped.kind), text::safe(&mapped.name));
            lines.push(field(look, "as", vec![Span::raw(words)]));
        }
        Mapping::None => {
            let words = "no matching kind: cannot be applied";
            lines.push(field(look, "as", vec![Span::styled(words, look.style(Role::Warning))]));
        }
    }
    for (title, params) in [("parameters", &resource.shown().params), ("meta", &resource.meta)] {
        if !params.is_empty() {
            lines.push(heading(look, title));
            params.iter().for_each(|(name, set)| lines.extend(value::lines(look, name, set, width)));
        }
    }
}

fn heading(look: &Look, words: &str) -> Line<'static> {
    let dash = look.glyphs.horizontal;
    Line::styled(format!("{dash}{dash} {words}"), look.style(Role::Dim))
}

/// More neighbours than this are only counted.
const MOST_NEIGHBOURS: usize = 50;

fn edges(tui: &Tui, program: &Program, node: NodeIndex, width: usize, lines: &mut Vec<Line<'static>>) {
    let at = node.0 as usize;
    for (title, list, before) in
        [("needs", &program.ways.needs[at], true), ("needed by", &program.ways.needed_by[at], false)]
    {
        let title = format!("{title} {}", list.len());
        lines.push(heading(&tui.cx.look, &title));
        for edge in list.iter().take(MOST_NEIGHBOURS) {
            let edge = &program.graph.edges()[*edge as usize];
            let other = program.id(if before { edge.from } else { edge.to });
            let glyph = tui.screens.step.glyph_of(&tui.cx.look, other);
            let (glyph, style) = glyph.unwrap_or((tui.cx.look.glyphs.waiting, tui.cx.look.style(Role::Dim)));
            let mut notes = Vec::new();
            if edge.notify {
                notes.push(format!("{} notifies", tui.cx.look.glyphs.refresh));
            }
            if let Some((sent, received)) = &edge.send {
                let arrow = tui.cx.look.glyphs.arrow;
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
                Span::raw(text::fit_middle(&name, room, tui.cx.look.glyphs.cut).into_owned()),
                Span::styled(format!(" {note}"), tui.cx.look.style(Role::Refresh)),
            ]));
        }
        if list.len() > MOST_NEIGHBOURS {
            lines.push(Line::styled(
                format!("  and {} more", list.len() - MOST_NEIGHBOURS),
                tui.cx.look.style(Role::Dim),
            ));
        }
    }
}

/// The name of a fold.
pub(super) fn fold_name(key: &FoldKey) -> String {
    match key {
        FoldKey::Container(names) => names.iter().map(|name| text::safe(name)).collect::<Vec<_>>().join(" / "),
        FoldKey::Chain(id) | FoldKey::Needs(id) => id.to_string(),
    }
}

/// More members of a fold are only counted.
const MOST_MEMBERS: usize = 200;

/// The members of a fold.
fn members(tui: &Tui, program: &Program, nodes: &[u32], width: usize) -> Vec<Line<'static>> {
    let mut lines = vec![heading(&tui.cx.look, &format!("{} folded; l unfolds", nodes.len()))];
    for node in nodes.iter().take(MOST_MEMBERS) {
        let id = program.id(NodeIndex(*node));
        let glyph = tui.screens.step.glyph_of(&tui.cx.look, id);
        let (glyph, style) = glyph.unwrap_or((tui.cx.look.glyphs.waiting, tui.cx.look.style(Role::Dim)));
        let (letter, of_letter) = match tui.screens.step.action_of(id) {
            Some(action) => tui.cx.look.action(action),
            None => (" ", tui.cx.look.style(Role::Dim)),
        };
        let name = text::fit_middle(&id.to_string(), width.saturating_sub(6), tui.cx.look.glyphs.cut).into_owned();
        lines.push(Line::from(vec![
            Span::styled(format!("  {glyph} "), style),
            Span::styled(letter, of_letter),
            Span::raw(format!(" {name}")),
        ]));
    }
    if nodes.len() > MOST_MEMBERS {
        lines.push(Line::styled(format!("  and {} more", nodes.len() - MOST_MEMBERS), tui.cx.look.style(Role::Dim)));
    }
    lines
}
