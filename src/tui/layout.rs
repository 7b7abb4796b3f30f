//! The layout: a pure function of size, screen and focus.

use super::screen::{Pane, ScreenId};
use ratatui::layout::Rect;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// One pane at a time.
    Tiny,
    Narrow,
    Wide,
}

/// The class of a size, including the header and the footer.
pub fn class(width: u16, height: u16) -> Class {
    match (width, height) {
        (110.., 20..) => Class::Wide,
        (80.., 16..) => Class::Narrow,
        _ => Class::Tiny,
    }
}

/// Whether a size is too small to work in; one pane and a note are shown.
pub fn is_cramped(width: u16, height: u16) -> bool {
    width < 60 || height < 16
}

#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    pub class: Class,
    pub header: Rect,
    /// The rows above the panes; usually none.
    pub above: Rect,
    pub panes: Vec<(Pane, Rect)>,
    pub footer: Rect,
    /// The rows below the footer; usually none.
    pub below: Rect,
}

impl Layout {
    /// Returns the area of a pane; `None` if it is not visible.
    pub fn pane(&self, pane: Pane) -> Option<Rect> {
        self.panes.iter().find(|(there, _)| *there == pane).map(|(_, area)| *area)
    }
}

/// The rows of the run output.
const OUTPUT: u16 = 5;

/// Whether the panes of Step leave room for the run output. Three panes beside the order need more height than one.
/// Merging them neither hides nor shows it.
fn has_room_for_output(width: u16, height: u16) -> bool {
    let needed = if width >= 110 { 34 } else { 22 };
    width >= 80 && height >= needed
}

/// Whether Step shows the run output in a window of this size with `below` rows reserved at the bottom.
pub fn shows_output(width: u16, height: u16, below: u16) -> bool {
    has_room_for_output(width, height.saturating_sub(2 + below))
}

/// What affects the layout of a screen beside size and focus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// The focused pane takes the whole body.
    pub zoom: bool,
    /// The side panes are merged.
    pub merge: bool,
    /// The selected resource failed: the reason and its output take the room of the panes below.
    pub failed: bool,
    /// Rows above the panes that belong to none of them.
    pub above: u16,
    /// Rows at the very bottom that belong to no screen.
    pub below: u16,
}

pub fn layout(width: u16, height: u16, screen: ScreenId, focus: Pane, shape: Shape) -> Layout {
    let class = class(width, height);
    let header_height = u16::from(height >= 3);
    let footer_height = u16::from(height >= 4);
    let header = Rect::new(0, 0, width, header_height);
    let below_height = shape.below.min(height - header_height - footer_height);
    let below = Rect::new(0, height - below_height, width, below_height);
    let footer = Rect::new(0, below.y - footer_height, width, footer_height);
    let above_height = shape.above.min(footer.y - header_height);
    let above = Rect::new(0, header_height, width, above_height);
    let top = header_height + above_height;
    let body = Rect::new(0, top, width, footer.y - top);
    let panes = if shape.zoom || class == Class::Tiny {
        vec![(focus, body)]
    } else {
        let class = if shape.merge { class.min(Class::Narrow) } else { class };
        panes(class, screen, focus, body, (true, shape.failed))
    };
    Layout { class, header, above, panes, footer, below }
}

/// `output`: with the run output, if there is room. `failed`: as in [`Shape`].
fn panes(class: Class, screen: ScreenId, focus: Pane, body: Rect, (output, failed): (bool, bool)) -> Vec<(Pane, Rect)> {
    match (screen, class) {
        (ScreenId::Modules, Class::Wide) => {
            let (left, right) = left_right(body, share(body.width, 40, 36, 60));
            vec![(Pane::Tree, left), (Pane::Module, right)]
        }
        (ScreenId::Modules, _) => {
            let (top, bottom) = top_bottom(body, body.height / 2);
            vec![(Pane::Tree, top), (Pane::Module, bottom)]
        }
        (ScreenId::Code, Class::Wide) => {
            let (side, code) = left_right(body, share(body.width, 26, 28, 44));
            let (outline, problems) = top_bottom(side, side.height - (side.height / 3).max(5));
            vec![(Pane::Outline, outline), (Pane::Problems, problems), (Pane::Text, code)]
        }
        // The text alone: beside an outline it would be too narrow.
        (ScreenId::Code, _) => vec![(if focus.screen() == ScreenId::Code { focus } else { Pane::Text }, body)],
        (ScreenId::Graph, class) => {
            let of_hundred = if class == Class::Wide { 55 } else { 52 };
            let (left, right) = left_right(body, share(body.width, of_hundred, 38, 90));
            vec![(Pane::Rails, left), (Pane::Node, right)]
        }
        // The run output is below the other panes, if they keep enough room.
        (ScreenId::Step, class) if output && has_room_for_output(body.width, body.height) => {
            let (rest, bottom) = top_bottom(body, body.height - OUTPUT);
            let mut panes = panes(class, screen, focus, rest, (false, failed));
            panes.push((Pane::Output, bottom));
            panes
        }
        (ScreenId::Step, Class::Wide) => {
            let (left, right) = left_right(body, order_width(body));
            let then = (body.height / 5).clamp(6, 8);
            let what = match failed {
                true => body.height.saturating_sub(5 + then).max(7),
                false => (body.height / 4).clamp(7, 9),
            };
            let (top, rest) = top_bottom(right, what);
            let (middle, bottom) = top_bottom(rest, rest.height - then);
            vec![(Pane::Order, left), (Pane::What, top), (Pane::Changes, middle), (Pane::Then, bottom)]
        }
        (ScreenId::Step, _) => {
            let (left, right) = left_right(body, order_width(body));
            vec![(Pane::Order, left), (Pane::Stop, right)]
        }
        (ScreenId::Deploys, _) => {
            let (top, bottom) = top_bottom(body, body.height / 2);
            vec![(Pane::Deploys, top), (Pane::Deploy, bottom)]
        }
        (ScreenId::Log, _) => vec![(Pane::Log, body)],
    }
}

/// The order keeps its width with one or three panes beside it.
fn order_width(body: Rect) -> u16 {
    if body.width >= 110 { share(body.width, 43, 38, 70) } else { share(body.width, 45, 36, 48) }
}

/// A share of a length in hundredths, clamped to two bounds.
fn share(length: u16, of_hundred: u16, least: u16, most: u16) -> u16 {
    let part = u32::from(length) * u32::from(of_hundred) / 100;
    (part as u16).clamp(least, most).min(length)
}

fn left_right(area: Rect, left: u16) -> (Rect, Rect) {
    let left = left.min(area.width);
    (Rect { width: left, ..area }, Rect { x: area.x + left, width: area.width - left, ..area })
}

fn top_bottom(area: Rect, top: u16) -> (Rect, Rect) {
    let top = top.min(area.height);
    (Rect { height: top, ..area }, Rect { y: area.y + top, height: area.height - top, ..area })
}

/// The room inside a pane's border.
pub fn inside(area: Rect) -> Rect {
    Rect {
        x: area.x + 1.min(area.width),
        y: area.y + 1.min(area.height),
        width: area.width.saturating_sub(2),
        height: area.height.saturating_sub(2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Panes cover the body without overlap at every size.
    #[test]
    fn panes_tile_the_body() {
        for screen in ScreenId::ALL {
            for (width, height) in (1..=160).step_by(3).flat_map(|w| (1..=50).map(move |h| (w, h))) {
                let focus = screen.panes(class(width, height), false)[0];
                let there = layout(width, height, screen, focus, Shape::default());
                let area: u32 = there.panes.iter().map(|(_, area)| area.area()).sum();
                let body = u32::from(width) * u32::from(height - there.header.height - there.footer.height);
                assert_eq!(area, body, "{screen:?} {width}x{height}");
            }
        }
    }
}
