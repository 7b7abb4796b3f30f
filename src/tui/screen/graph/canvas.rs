//! The pane of layers: boxes with lines between them, and the ways from one box to another.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};

use super::draw::{AROUND_NAME, Picture, name};
use crate::graph::NodeIndex;
use crate::graph::view::{Boxed, Layers};
use crate::tui::look::Role;
use crate::tui::program::Program;
use crate::tui::screen::Pane;
use crate::tui::state::State as Tui;
use crate::tui::widget::list::List;
use crate::tui::widget::text;

pub(super) fn view(tui: &Tui, program: &Program, layers: &Layers, buf: &mut Buffer, area: Rect) {
    let (state, look) = (&tui.graph, &tui.look);
    let rail = look.style(Role::Rail);
    let rows = layers.canvas.iter().enumerate().skip(state.list.offset).take(usize::from(area.height));
    for (y, row) in rows {
        let shown: String = row.iter().skip(state.left).take(usize::from(area.width)).collect();
        let at = area.y + (y - state.list.offset) as u16;
        buf.set_line(area.x, at, &Line::styled(shown, rail), area.width);
    }
    for (stop, boxed) in layers.boxes.iter().enumerate() {
        let Some(y) = usize::from(boxed.y).checked_sub(state.list.offset).filter(|y| *y < usize::from(area.height))
        else {
            continue;
        };
        let line = line(tui, program, boxed, stop == state.list.cursor);
        let cut = state.left.saturating_sub(usize::from(boxed.x));
        let x = usize::from(boxed.x).saturating_sub(state.left);
        if x < usize::from(area.width) && cut < usize::from(boxed.width) {
            let spans = text::skip(&line, cut);
            let room = (usize::from(area.width) - x).min(usize::from(boxed.width) - cut);
            buf.set_line(area.x + x as u16, area.y + y as u16, &Line::from(spans), room as u16);
        }
    }
}

fn line(tui: &Tui, program: &Program, boxed: &Boxed, is_selected: bool) -> Line<'static> {
    let look = &tui.look;
    let node = NodeIndex(boxed.node);
    if boxed.node as usize >= program.graph.len() {
        return Line::default();
    }
    let id = program.id(node);
    let (glyph, glyph_style) = tui.step.glyph_of(look, id).unwrap_or((look.glyphs.waiting, look.style(Role::Text)));
    let (letter, letter_style) = match tui.step.action_of(id) {
        Some(action) => look.action(action),
        None => (" ", look.style(Role::Dim)),
    };
    let refresh = if tui.step.is_refreshed(id) { look.glyphs.refresh } else { " " };
    let room = usize::from(boxed.width).saturating_sub(AROUND_NAME);
    let words = text::pad(&text::fit_middle(&name(program, node), room, look.glyphs.cut), room);
    let is_marked = tui.graph.marked.as_ref() == Some(id);
    let border = look.style(if is_marked { Role::Key } else { Role::Rail });
    let spans = vec![
        Span::styled(if is_marked { "=" } else { "[" }, border),
        Span::styled(glyph, glyph_style),
        Span::raw(" "),
        Span::styled(words, look.style(Role::Text)),
        Span::styled(format!(" {refresh}"), look.style(Role::Refresh)),
        Span::styled(letter, letter_style),
        Span::styled("]", border),
    ];
    if !is_selected {
        return Line::from(spans);
    }
    let selection = look.selection(tui.focus() == Pane::Rails).add_modifier(Modifier::BOLD);
    Line::from(spans.into_iter().map(|span| span.patch_style(selection)).collect::<Vec<_>>())
}

/// The box at a place of the canvas.
pub(super) fn at(layers: &Layers, column: usize, row: usize) -> Option<usize> {
    let is_there = |boxed: &Boxed| {
        let x = usize::from(boxed.x);
        usize::from(boxed.y) == row && (x..x + usize::from(boxed.width)).contains(&column)
    };
    layers.boxes.iter().position(is_there)
}

/// How many columns are left of the pane, so that the selected box is in it.
pub(super) fn left(layers: &Layers, stop: usize, left: usize, width: usize) -> usize {
    let Some(boxed) = layers.boxes.get(stop) else { return 0 };
    let all = layers.canvas.first().map_or(0, Vec::len);
    let (x, end) = (usize::from(boxed.x), usize::from(boxed.x + boxed.width));
    let left = left.max(end.saturating_sub(width)).min(x);
    left.min(all.saturating_sub(width))
}

fn middle(boxed: &Boxed) -> i32 {
    i32::from(boxed.x) + i32::from(boxed.width) / 2
}

/// Selects the nearest box a layer on; where the layers end, they go on around what is selected, if there is more.
pub(super) fn go(tui: &mut Tui, is_down: bool) {
    let Picture::Layers(layers) = &*tui.graph.picture else { return };
    let Some(here) = layers.boxes.get(tui.graph.list.cursor).copied() else { return };
    let beyond = layers.boxes.iter().map(|boxed| boxed.layer).filter(|layer| match is_down {
        true => *layer > here.layer,
        false => *layer < here.layer,
    });
    let next = if is_down { beyond.min() } else { beyond.max() };
    let near = layers.boxes.iter().enumerate().filter(|(_, boxed)| Some(boxed.layer) == next);
    match near.min_by_key(|(_, boxed)| (middle(boxed) - middle(&here)).abs()).map(|(at, _)| at) {
        Some(at) => {
            tui.graph.list.cursor = at;
            tui.graph.detail = List::default();
        }
        None if tui.graph.neighbour(tui, !is_down).is_some() => {
            tui.graph.around.middle = here.node;
            tui.graph.is_due = true;
        }
        None => {}
    }
}

/// Selects the next box of the layer to the right, or to the left.
pub(super) fn aside(tui: &mut Tui, is_right: bool) {
    let Picture::Layers(layers) = &*tui.graph.picture else { return };
    let Some(here) = layers.boxes.get(tui.graph.list.cursor).copied() else { return };
    let beside =
        layers.boxes.iter().enumerate().filter(|(_, boxed)| {
            boxed.layer == here.layer && if is_right { boxed.x > here.x } else { boxed.x < here.x }
        });
    if let Some((at, _)) = beside.min_by_key(|(_, boxed)| (middle(boxed) - middle(&here)).abs()) {
        tui.graph.list.cursor = at;
        tui.graph.detail = List::default();
    }
}
