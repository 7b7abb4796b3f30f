//! The details of the selected node or fold.

use ratatui::prelude::{Buffer, Line, Rect, Span};

use super::rows;
use crate::graph::view::FoldKey;
use crate::graph::{Edge, Mapping, Node, NodeIndex, Reason, Resource};
use crate::tui::look::{Look, Role};
use crate::tui::screen::graph::data::State as Graph;
use crate::tui::screen::step::data::State as Step;
use crate::tui::widget::frame::{self, Frame};
use crate::tui::widget::{list, text, value};
use crate::tui::{cx::Cx, program::Program, screen::Pane, screen::step::stale::STALE, widget::field::Fields};

pub(super) fn view_node(graph: &Graph, step: &Step, cx: &Cx, buf: &mut Buffer, area: Rect) {
    let focused = cx.focus() == Pane::Node;
    let lines = detail(graph, step, cx, usize::from(area.width.saturating_sub(2)));
    let height = usize::from(area.height.saturating_sub(2));
    let selected = graph.selected();
    let title = match graph.fold() {
        Some(fold) => fold_name(&fold.key),
        None => selected.and_then(|node| Some(cx.graphed()?.id(node).to_string())).unwrap_or_default(),
    };
    let scroll = graph.detail.extent(lines.len(), height);
    let inner = frame::draw(buf, area, &cx.look, &Frame { title: &title, focused, scroll, ..Frame::default() });
    if lines.is_empty() && cx.layout().pane(Pane::Rails).is_none() {
        // The pane beside it shows why it is empty.
        return list::draw_words(buf, inner, &rows::why_nothing(graph, step, cx));
    }
    list::draw_cut(buf, inner, &cx.look, graph.detail.offset, &lines);
}

pub(super) fn detail(graph: &Graph, step: &Step, cx: &Cx, width: usize) -> Vec<Line<'static>> {
    let (Some(program), Some(node)) = (cx.graphed(), graph.selected()) else { return vec![] };
    if let Some(fold) = graph.fold() {
        return members(step, cx, program, &fold.nodes, width);
    }
    let (mut lines, fields) = (Vec::new(), Fields { look: &cx.look, names: NAME, width });
    let source = match program.graph.node(node) {
        Node::Resource(resource) => &resource.source,
        Node::Anchor(anchor) => &anchor.source,
    };
    if let Some((letter, words, style)) = step.sign_of(&cx.look, program.id(node)) {
        lines.push(fields.line("plan", vec![Span::styled(format!("{letter} {words}"), style)]));
    }
    if let Some((name, error)) = step.failure_of(program.id(node)) {
        lines.extend(fields.text(name, &text::safe_lines(error), cx.look.style(Role::Failed)));
    }
    if let Some(words) = step.stale_words(program.id(node)) {
        let words = format!("{words}, since the plan; Ctrl-r re-checks");
        lines.extend(fields.text(STALE, &text::safe(&words), cx.look.style(Role::Warning)));
    }
    if let Some(place) = source {
        let shown = place.to_string();
        let shown = text::fit_end(&shown, width.saturating_sub(NAME), cx.look.glyphs.cut).into_owned();
        lines.push(fields.line("from", vec![Span::raw(shown)]));
    }
    if let Some(resource) = program.graph.resource(node) {
        about_resource(fields, resource, &mut lines);
    }
    edges(step, cx, program, node, width, &mut lines);
    lines
}

/// The columns of a field's name.
const NAME: usize = 11;

fn about_resource(fields: Fields, resource: &Resource, lines: &mut Vec<Line<'static>>) {
    let Fields { look, width, .. } = fields;
    if !resource.container.is_empty() {
        let names: Vec<_> = resource.container.iter().map(|name| text::safe(name)).collect();
        lines.push(fields.line("in", vec![Span::raw(names.join(" / "))]));
    }
    if let Some(target) = &resource.target {
        lines.push(fields.line("target", vec![Span::raw(text::safe(target))]));
    }
    match &resource.mapped {
        Mapping::Same => {}
        Mapping::To(mapped) => {
            let words = format!("{}[{}]", text::safe(&mapped.kind), text::safe(&mapped.name));
            lines.push(fields.line("as", vec![Span::raw(words)]));
        }
        Mapping::None => {
            let words = "no matching kind: cannot be applied";
            lines.push(fields.line("as", vec![Span::styled(words, look.style(Role::Warning))]));
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

/// The edges to show: of a resource, not those to the begin and end of its containers.
fn neighbours<'p>(program: &'p Program, node: NodeIndex, list: &[u32]) -> Vec<&'p Edge> {
    let is_resource = program.graph.resource(node).is_some();
    let edges = list.iter().map(|edge| &program.graph.edges()[*edge as usize]);
    edges.filter(|edge| !is_resource || edge.reason != Reason::Containment).collect()
}

/// The lines of the selected node's neighbours.
pub(super) fn neighbour_lines(graph: &Graph, step: &Step, cx: &Cx, width: usize) -> Vec<(usize, NodeIndex)> {
    let (Some(program), Some(node), None) = (cx.graphed(), graph.selected(), graph.fold()) else { return vec![] };
    let mut edges_alone = Vec::new();
    let places = edges(step, cx, program, node, width, &mut edges_alone);
    let above = detail(graph, step, cx, width).len().saturating_sub(edges_alone.len());
    places.into_iter().map(|(line, node)| (above + line, node)).collect()
}

/// Adds the neighbours of a node, and returns the line of each.
fn edges(
    step: &Step,
    cx: &Cx,
    program: &Program,
    node: NodeIndex,
    width: usize,
    lines: &mut Vec<Line<'static>>,
) -> Vec<(usize, NodeIndex)> {
    let mut places = Vec::new();
    let at = node.0 as usize;
    for (title, list, before) in
        [("needs", &program.ways.needs[at], true), ("needed by", &program.ways.needed_by[at], false)]
    {
        let list = neighbours(program, node, list);
        let title = format!("{title} {}", list.len());
        lines.push(heading(&cx.look, &title));
        for edge in list.iter().copied().take(MOST_NEIGHBOURS) {
            let other = program.id(if before { edge.from } else { edge.to });
            places.push((lines.len(), if before { edge.from } else { edge.to }));
            let glyph = step.glyph_of(&cx.look, other);
            let (glyph, style) = glyph.unwrap_or((cx.look.glyphs.waiting, cx.look.style(Role::Dim)));
            let mut notes = Vec::new();
            // A container passes a refresh on, but does not cause one.
            if edge.notify && edge.reason != Reason::Containment {
                notes.push(format!("{} notifies", cx.look.glyphs.refresh));
            }
            if let Some((sent, received)) = &edge.send {
                let arrow = cx.look.glyphs.arrow;
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
                Span::raw(text::fit_middle(&name, room, cx.look.glyphs.cut).into_owned()),
                Span::styled(format!(" {note}"), cx.look.style(Role::Refresh)),
            ]));
        }
        if list.len() > MOST_NEIGHBOURS {
            lines.push(Line::styled(format!("  and {} more", list.len() - MOST_NEIGHBOURS), cx.look.style(Role::Dim)));
        }
    }
    places
}

pub(super) fn fold_name(key: &FoldKey) -> String {
    match key {
        FoldKey::Container(names) => names.iter().map(|name| text::safe(name)).collect::<Vec<_>>().join(" / "),
        FoldKey::Chain(id) | FoldKey::Needs(id) => id.to_string(),
    }
}

/// More members of a fold are only counted.
const MOST_MEMBERS: usize = 200;

fn members(step: &Step, cx: &Cx, program: &Program, nodes: &[u32], width: usize) -> Vec<Line<'static>> {
    let mut lines = vec![heading(&cx.look, &format!("{} folded; l unfolds", nodes.len()))];
    for node in nodes.iter().take(MOST_MEMBERS) {
        let id = program.id(NodeIndex(*node));
        let glyph = step.glyph_of(&cx.look, id);
        let (glyph, style) = glyph.unwrap_or((cx.look.glyphs.waiting, cx.look.style(Role::Dim)));
        let sign = step.sign_of(&cx.look, id);
        let (letter, of_letter) = sign.map_or((" ", cx.look.style(Role::Dim)), |(letter, _, style)| (letter, style));
        let name = text::fit_middle(&id.to_string(), width.saturating_sub(6), cx.look.glyphs.cut).into_owned();
        lines.push(Line::from(vec![
            Span::styled(format!("  {glyph} "), style),
            Span::styled(letter, of_letter),
            Span::raw(format!(" {name}")),
        ]));
    }
    if nodes.len() > MOST_MEMBERS {
        lines.push(Line::styled(format!("  and {} more", nodes.len() - MOST_MEMBERS), cx.look.style(Role::Dim)));
    }
    lines
}
