//! The pane of layers: boxes with lines between them, and the ways from one box to another.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use super::draw::{AROUND_WORDS, Picture, kind_and_title, one_line};
use crate::graph::view::{Boxed, Layers};
use crate::graph::{NodeIndex, ResourceId};
use crate::tui::look::Role;
use crate::tui::program::Program;
use crate::tui::screen::Pane;
use crate::tui::screen::step::stale::STALE;
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
        text::draw(buf, area.x, at, &Line::styled(shown, rail), area.width);
    }
    for (stop, boxed) in layers.boxes.iter().enumerate() {
        let cut = state.left.saturating_sub(usize::from(boxed.x));
        let x = usize::from(boxed.x).saturating_sub(state.left);
        let low = usize::from(boxed.y + boxed.height);
        let is_beside = x >= usize::from(area.width) || cut >= usize::from(boxed.width);
        let is_beyond =
            low <= state.list.offset || usize::from(boxed.y) >= state.list.offset + usize::from(area.height);
        if is_beside || is_beyond {
            continue;
        }
        let rows = (usize::from(boxed.y)..).zip(rows_of(tui, program, boxed, stop == state.list.cursor));
        let room = (usize::from(area.width) - x).min(usize::from(boxed.width) - cut);
        for (y, line) in rows {
            if let Some(y) = y.checked_sub(state.list.offset).filter(|y| *y < usize::from(area.height)) {
                let spans = text::skip(&line, cut);
                text::draw(buf, area.x + x as u16, area.y + y as u16, &Line::from(spans), room as u16);
            }
        }
    }
}

/// Marks the border where boxes are cut or lie beyond it, so that nobody takes what is in the pane for all there is.
pub(super) fn mark_edges(tui: &Tui, layers: &Layers, buf: &mut Buffer, inner: Rect) {
    let (look, style) = (&tui.look, tui.look.style(Role::Key));
    let (left, top) = (tui.graph.left, tui.graph.list.offset);
    let (right, bottom) = (left + usize::from(inner.width), top + usize::from(inner.height));
    let mut mark = |x: usize, y: usize, glyph: &str, over: &[&str]| {
        let cell = buf.cell_mut((x as u16, y as u16)).filter(|cell| over.contains(&cell.symbol()));
        cell.map(|cell| cell.set_symbol(glyph).set_style(style));
    };
    let (x, y) = (usize::from(inner.x), usize::from(inner.y));
    let sides = [look.glyphs.vertical, look.glyphs.thumb];
    for boxed in &layers.boxes {
        let (column, row) = (usize::from(boxed.x), usize::from(boxed.y));
        let (end, low) = (column + usize::from(boxed.width), row + usize::from(boxed.height));
        let (across, down) = ((column + end) / 2, (row + low) / 2);
        if (top..bottom).contains(&down) && column < left {
            mark(x - 1, y + down - top, look.glyphs.before, &sides);
        }
        if (top..bottom).contains(&down) && end > right {
            mark(x + right - left, y + down - top, look.glyphs.after, &sides);
        }
        // The title and the place in the list stay.
        if (left..right).contains(&across) && row < top {
            mark(x + across - left, y - 1, look.glyphs.above, &[look.glyphs.horizontal]);
        }
        if (left..right).contains(&across) && low > bottom {
            mark(x + across - left, y + bottom - top, look.glyphs.below, &[look.glyphs.horizontal]);
        }
    }
}

/// What brings the rest into sight, where some of it is to the left or to the right of the pane; nothing where all is in it. A key
/// is named where it leads there from the selected box; the way to the rest is by another layer else.
pub(super) fn more(tui: &Tui, layers: &Layers, width: usize) -> String {
    let (look, left) = (&tui.look, tui.graph.left);
    let here = layers.boxes.get(tui.graph.list.cursor);
    let of_layer = || layers.boxes.iter().filter(|boxed| here.is_some_and(|here| here.layer == boxed.layer));
    // The picture moves as far as that leaves the outermost box of the layer in sight.
    let leads_left = of_layer().any(|boxed| usize::from(boxed.x + boxed.width) < left + width);
    let leads_right = of_layer().any(|boxed| usize::from(boxed.x) > left);
    let mut words = Vec::new();
    if left > 0 {
        let key = if leads_left { " h" } else { "" };
        words.push(format!("{}{key} more", look.glyphs.before));
    }
    if columns(layers) > left + width {
        let (key, word) = (if leads_right { "l " } else { "" }, if left > 0 { "" } else { "more " });
        words.push(format!("{key}{word}{}", look.glyphs.after));
    }
    if words.is_empty() { String::new() } else { format!("{}  ", words.join(" ")) }
}

/// The rows of a box: framed, with the kind in the frame, or one in brackets.
fn rows_of(tui: &Tui, program: &Program, boxed: &Boxed, is_selected: bool) -> Vec<Line<'static>> {
    let look = &tui.look;
    let node = NodeIndex(boxed.node);
    if boxed.node as usize >= program.graph.len() {
        return vec![];
    }
    let id = program.id(node);
    let is_marked = tui.graph.marked.as_ref() == Some(id);
    let focused = tui.focus() == Pane::Rails;
    let side = match (is_marked, is_selected) {
        (true, _) => look.style(Role::Key),
        (false, true) if focused => look.style(Role::BorderFocused),
        _ => look.style(Role::Rail),
    };
    let (kind, title) = kind_and_title(program, node);
    let width = usize::from(boxed.width);
    if boxed.height == 1 {
        let ends = if is_marked { ["=", "="] } else { ["[", "]"] };
        // The kind is no part of the title, which may be a path.
        let kind_room = if kind.is_empty() { 0 } else { text::width(&kind) + 1 };
        let title = text::fit_middle(&title, width.saturating_sub(AROUND_WORDS + kind_room), look.glyphs.cut);
        return vec![words(tui, id, &one_line(&kind, &title), width, (ends, side), is_selected)];
    }
    let lines = if is_marked { look.glyphs.double } else { look.glyphs.single };
    let [top_left, top_right, bottom_left, bottom_right, level, upright, tee] = lines;
    let inner = width.saturating_sub(2);
    let kind = text::fit(&kind, inner.saturating_sub(4), look.glyphs.cut);
    let rest = level.repeat(inner.saturating_sub(text::width(&kind) + 3));
    let above = match &*kind {
        "" => vec![Span::styled(format!("{top_left}{}{top_right}", level.repeat(inner)), side)],
        kind => vec![
            Span::styled(format!("{top_left}{level} "), side),
            Span::styled(kind.to_string(), look.style(Role::Dim)),
            Span::styled(format!(" {rest}{top_right}"), side),
        ],
    };
    // Where the line leaves, as the layout has it.
    let before = (width / 2).saturating_sub(1).min(inner);
    let below = match boxed.leads_on {
        true => format!("{}{tee}{}", level.repeat(before), level.repeat(inner.saturating_sub(before + 1))),
        false => level.repeat(inner),
    };
    let below = Span::styled(format!("{bottom_left}{below}{bottom_right}"), side);
    vec![Line::from(above), words(tui, id, &title, width, ([upright; 2], side), is_selected), Line::from(below)]
}

/// The row of a box that says which resource it is, where that stands, and what the plan does with it.
fn words(
    tui: &Tui,
    id: &ResourceId,
    words: &str,
    width: usize,
    (ends, side): ([&'static str; 2], Style),
    is_selected: bool,
) -> Line<'static> {
    let look = &tui.look;
    let (glyph, glyph_style) = tui.step.glyph_of(look, id).unwrap_or((look.glyphs.waiting, look.style(Role::Text)));
    let (letter, letter_style) = match tui.step.action_of(id) {
        Some(action) => look.action(action),
        None => (" ", look.style(Role::Dim)),
    };
    let before_letter = match tui.step.stale_words(id) {
        Some(_) => Span::styled(&STALE[..1], look.style(Role::Warning)),
        None => look.refresh_mark(tui.step.is_refreshed(id)),
    };
    let room = width.saturating_sub(AROUND_WORDS);
    let words = text::pad(&text::fit_middle(words, room, look.glyphs.cut), room);
    let [first, last] = ends;
    let inner = vec![
        Span::styled(glyph, glyph_style),
        Span::raw(" "),
        Span::styled(words, look.style(Role::Text)),
        Span::raw(" "),
        before_letter,
        Span::styled(letter, letter_style),
    ];
    let selection = look.selection(tui.focus() == Pane::Rails).add_modifier(Modifier::BOLD);
    let inner = inner.into_iter().map(|span| if is_selected { span.patch_style(selection) } else { span });
    let sides = [Span::styled(first, side), Span::styled(last, side)];
    let [first, last] = sides;
    Line::from_iter(std::iter::once(first).chain(inner).chain([last]))
}

/// The box at a place of the canvas.
pub(super) fn at(layers: &Layers, column: usize, row: usize) -> Option<usize> {
    let is_there = |boxed: &Boxed| {
        let x = usize::from(boxed.x);
        let y = usize::from(boxed.y);
        (y..y + usize::from(boxed.height)).contains(&row) && (x..x + usize::from(boxed.width)).contains(&column)
    };
    layers.boxes.iter().position(is_there)
}

/// How many columns are left of the pane, so that the selected box is in it: in its middle, with what stands around it, where
/// nothing of it was in view before.
pub(super) fn left(layers: &Layers, stop: usize, left: usize, width: usize) -> usize {
    let Some(boxed) = layers.boxes.get(stop) else { return 0 };
    let all = columns(layers);
    let (x, end) = (usize::from(boxed.x), usize::from(boxed.x + boxed.width));
    let is_in_view = left < end && x < left + width;
    let left = if is_in_view { left } else { ((x + end) / 2).saturating_sub(width / 2) };
    let left = left.max(end.saturating_sub(width)).min(x);
    left.min(all.saturating_sub(width))
}

/// The columns of all boxes and lines; a neighbourhood is made of few.
fn columns(layers: &Layers) -> usize {
    let lines = layers.canvas.first().map_or(0, Vec::len);
    layers.boxes.iter().map(|boxed| usize::from(boxed.x + boxed.width)).max().unwrap_or(0).max(lines)
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

/// Columns by which the picture moves where no box is to the side.
const ASIDE: usize = 8;

/// Selects the next box of the layer to the right, or to the left; where there is none, the picture moves as far as that leaves
/// the selected one in sight.
pub(super) fn aside(tui: &mut Tui, is_right: bool) {
    let Picture::Layers(layers) = &*tui.graph.picture else { return };
    let Some(here) = layers.boxes.get(tui.graph.list.cursor).copied() else { return };
    let beside =
        layers.boxes.iter().enumerate().filter(|(_, boxed)| {
            boxed.layer == here.layer && if is_right { boxed.x > here.x } else { boxed.x < here.x }
        });
    let near = beside.min_by_key(|(_, boxed)| (middle(boxed) - middle(&here)).abs()).map(|(at, _)| at);
    match near {
        Some(at) => {
            tui.graph.list.cursor = at;
            tui.graph.detail = List::default();
        }
        None if is_right => tui.graph.left += ASIDE,
        None => tui.graph.left = tui.graph.left.saturating_sub(ASIDE),
    }
}
