//! What a move of the cursor sends.

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::stage::Play;
use crate::diag::{Diagnostics, Stage};
use crate::graph::{Graph, Node, Params, Resource};
use crate::highlight::Theme;
use crate::lang::Compiled;
use crate::source::Sources;
use crate::tui::look::{Look, UNICODE};
use crate::tui::pace::MOST;
use crate::tui::paint::{Pen, paint};
use crate::tui::program::Program;
use crate::tui::view::{hold, view};

/// As it is, or as what stands beside follows only later.
fn frame(play: &Play, before: Option<&Buffer>) -> Buffer {
    let mut buffer = Buffer::empty(Rect::new(0, 0, play.state.width, play.state.height));
    view(&play.state, &mut buffer);
    if let Some(before) = before {
        hold(&play.state, &mut buffer, before);
    }
    buffer
}

/// In the longest of colours, on all screens, with the pane alone that the cursor moves in.
#[test]
fn a_move_takes_few_bytes() {
    let theme = || Theme::built_in("night").expect("compiled in");
    for (width, height) in [(120, 40), (80, 24)] {
        for keys in ["1", "2", "p  3", "p  3  g  2", "p", "p  s  s", "p  s  5", "p  s  6", "space  f", "p  space  r"] {
            let mut play = Play::new(width, height);
            play.state.look = Look::new(theme(), &UNICODE);
            play.press(keys);
            let mut shown = frame(&play, None);
            let mut pen = Pen::new(true);
            paint(&mut pen, &Buffer::empty(shown.area), &shown, &mut String::new());
            for key in ["down", "down", "down", "up", "down", "up", "up"] {
                play.press(key);
                let (wanted, mut out) = (frame(&play, Some(&shown)), String::new());
                paint(&mut pen, &shown, &wanted, &mut out);
                assert!(out.len() <= MOST, "{keys} {key} at {width}x{height}: {} bytes {out:?}", out.len());
                shown = wanted;
            }
        }
    }
}

/// The panes beside and the hints are as they were until the hand rests; then they are as if drawn at once.
#[test]
fn what_stands_beside_follows() {
    let mut play = Play::new(120, 40);
    play.press("p");
    let shown = frame(&play, None);
    play.press("j");
    let (moved, rested) = (frame(&play, Some(&shown)), frame(&play, None));
    let beside = |buffer: &Buffer| -> Vec<_> {
        let cells = (1..40).flat_map(|y| (60..120).map(move |x| (x, y)));
        cells.map(|at| buffer[at].clone()).collect()
    };
    assert_eq!(beside(&moved), beside(&shown));
    assert_ne!(beside(&moved), beside(&rested));
    assert_ne!(moved, shown, "the cursor has moved");
}

/// A resource a row, with names of their own.
fn long_program() -> Arc<Program> {
    let mut graph = Graph::default();
    for at in 0..200_u32 {
        let name = format!("/srv/{:x}/{at}", at.wrapping_mul(2_654_435_761));
        let node = Resource::new("file", &name, Params::default());
        graph.add(Node::Resource(node)).expect("each id once");
    }
    let (sources, diagnostics) = (Sources::default(), Diagnostics::new(Stage::Eval));
    Arc::new(Program::new(Compiled::new(graph, sources, diagnostics)))
}

/// Under a held key the window stands still for most moves; where keys are pressed one by one it goes along.
#[test]
fn a_held_key_scrolls_now_and_then() {
    let mut play = Play::with(120, 40, &UNICODE, long_program());
    play.press("3");
    let mut shown = frame(&play, None);
    let mut pen = Pen::new(true);
    paint(&mut pen, &Buffer::empty(shown.area), &shown, &mut String::new());
    // How often it scrolled, and what was sent for each move.
    let mut moves = |is_held: bool, count: usize| {
        let (mut scrolled, mut sizes) = (0, Vec::new());
        for _ in 0..count {
            let offset = play.state.graph.list().offset;
            play.state.is_held = is_held;
            play.press("j");
            scrolled += usize::from(play.state.graph.list().offset != offset);
            let (wanted, mut out) = (frame(&play, Some(&shown)), String::new());
            paint(&mut pen, &shown, &wanted, &mut out);
            sizes.push(out.len());
            shown = wanted;
        }
        (scrolled, sizes)
    };
    moves(false, 40);
    assert_eq!(moves(false, 10).0, 10);
    let (scrolled, sizes) = moves(true, 64);
    assert_eq!(scrolled, 8);
    assert!(sizes.iter().filter(|size| **size <= MOST).count() >= 56, "{sizes:?}");
    assert!(sizes.iter().sum::<usize>() < sizes.len() * 3 / 2 * MOST, "{sizes:?}");
}
