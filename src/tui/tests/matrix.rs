//! Every screen at three sizes in night, mono and ASCII: its text, and the style of each cell.
//!
//! The text is listed once; for ASCII only the differing rows are listed. Styles are letters, run by run: `a12b3` is
//! twelve cells of style a and three of b. So a changed colour is a change of one line, the meaning of a letter.

use std::collections::BTreeMap;
use std::fmt::Write;

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};

use super::deploys;
use super::stage::{Play, broken, program};
use crate::highlight::{BUILT_IN, Depth, Theme, contrast};
use crate::tui::look::{ASCII, Glyphs, Look, Role, UNICODE};
use crate::tui::view::view;

const SIZES: [(u16, u16); 3] = [(120, 40), (80, 24), (40, 12)];

/// Every screen in the states that draw most of it, with the keys that lead there.
pub const SCREENS: &[(&str, &str)] = &[
    ("modules", "j"),
    ("code", "2  j  j  j  K"),
    ("problems", "2  ]  d"),
    ("graph", "3  j"),
    ("plan", "p"),
    ("step", "p  s"),
    ("live", "p  A  w  e  b  1  enter  s"),
    ("deploys", "5"),
    ("log", "p  s  s  4  6"),
    ("palette", "p  ?"),
];

/// A face on a screen, in a theme.
pub fn play_of(name: &str, keys: &str, (width, height): (u16, u16), theme: Theme, glyphs: &'static Glyphs) -> Play {
    let program = if name == "problems" { broken() } else { program() };
    let mut play = Play::prepared(width, height, glyphs, program, |state| {
        state.look = Look::new(theme, glyphs);
    });
    play.deploys = deploys::history();
    play.press(keys);
    play
}

pub fn buffer(play: &Play) -> Buffer {
    let backend = TestBackend::new(play.state.width, play.state.height);
    let mut terminal = Terminal::new(backend).expect("a test backend cannot fail");
    terminal.draw(|frame| _ = view(&play.state, frame.buffer_mut())).expect("a test backend cannot fail");
    terminal.backend().buffer().clone()
}

fn rows(buffer: &Buffer) -> Vec<String> {
    let row = |y| (0..buffer.area.width).filter_map(|x| Some(buffer.cell((x, y))?.symbol())).collect::<String>();
    (0..buffer.area.height).map(|y| row(y).trim_end().to_string()).collect()
}

/// The styles of all cells, after the letters' meanings.
fn looks(buffer: &Buffer) -> String {
    let mut letters: BTreeMap<String, char> = BTreeMap::new();
    let mut printed = String::new();
    let mut lines = String::new();
    for y in 0..buffer.area.height {
        let mut runs: Vec<(char, usize)> = Vec::new();
        for x in 0..buffer.area.width {
            let Some(cell) = buffer.cell((x, y)) else { continue };
            let look = described(cell);
            let next = char::from_u32('a' as u32 + letters.len() as u32).filter(|c| *c <= 'z');
            let next =
                next.unwrap_or_else(|| char::from_u32('A' as u32 + letters.len() as u32 - 26).expect("a letter"));
            let letter = *letters.entry(look.clone()).or_insert_with(|| {
                let _ = writeln!(printed, "{next} {look}");
                next
            });
            match runs.last_mut() {
                Some((last, count)) if *last == letter => *count += 1,
                _ => runs.push((letter, 1)),
            }
        }
        for (letter, count) in runs {
            let _ = write!(lines, "{letter}{count}");
        }
        lines.push('\n');
    }
    format!("{printed}{lines}")
}

fn described(cell: &Cell) -> String {
    let color = |color| match color {
        Color::Reset => "-".to_string(),
        Color::Rgb(r, g, b) => format!("{r:02x}{g:02x}{b:02x}"),
        other => format!("{other}"),
    };
    format!("{} on {} {:?}", color(cell.fg), color(cell.bg), cell.modifier).trim_end_matches(" NONE").into()
}

fn theme(name: &str) -> Theme {
    Theme::built_in(name).expect("compiled in")
}

#[test]
fn every_screen_as_night_mono_and_ascii_draw_it() {
    for (name, keys) in SCREENS {
        for size in SIZES {
            let night = buffer(&play_of(name, keys, size, theme("night"), &UNICODE));
            let mono = buffer(&play_of(name, keys, size, theme("mono"), &UNICODE));
            let ascii = rows(&buffer(&play_of(name, keys, size, theme("mono"), &ASCII)));
            let text = rows(&night);
            assert_eq!(text, rows(&mono), "{name}: without colours the same is said");
            let mut out = text.join("\n");
            let _ = write!(out, "\n\n-- ascii, where it differs\n");
            for (y, (one, other)) in text.iter().zip(&ascii).enumerate().filter(|(_, (one, other))| one != other) {
                assert!(other.is_ascii(), "{name}: {one}");
                let _ = writeln!(out, "{y:2} {other}");
            }
            let _ = write!(out, "-- night\n{}-- mono\n{}", looks(&night), looks(&mono));
            insta::assert_snapshot!(format!("{name}-{}x{}", size.0, size.1), out);
        }
    }
}

/// Text has enough contrast on every screen, in every theme with colours: WCAG's 4.5 to 1. Lines beside text need less
/// (3 to 1); the frames of panes without the focus need none.
#[test]
fn every_pair_that_is_drawn_can_be_read() {
    let (mut pairs, mut least) = (0, f64::MAX);
    for (theme_name, _) in BUILT_IN.iter().filter(|(name, _)| *name != "mono") {
        for (name, keys) in SCREENS {
            let play = play_of(name, keys, (120, 40), theme(theme_name), &UNICODE);
            let look = &play.state.look;
            let frame = look.style(Role::Border).fg;
            let mut seen: BTreeMap<(String, bool), String> = BTreeMap::new();
            for cell in buffer(&play).content().iter().filter(|cell| !cell.symbol().trim().is_empty()) {
                let is_line = cell.symbol().chars().all(|c| ('\u{2500}'..'\u{2580}').contains(&c));
                if is_line && Some(cell.fg) == frame {
                    continue;
                }
                let reversed = cell.modifier.contains(Modifier::REVERSED);
                let (ink, paper) = if reversed { (cell.bg, cell.fg) } else { (cell.fg, cell.bg) };
                let Some(contrast) = contrast(ink, paper) else {
                    panic!("{theme_name} {name}: `{}` is drawn in the terminal's own colours", cell.symbol())
                };
                let wanted = if is_line { 3.0 } else { 4.5 };
                least = least.min(if is_line { least } else { contrast });
                if contrast < wanted {
                    seen.insert((described(cell), is_line), format!("`{}` {contrast:.2}", cell.symbol()));
                }
                pairs += 1;
            }
            assert!(seen.is_empty(), "{theme_name} {name}: {seen:?}");
        }
    }
    println!("contrast: {pairs} cells of text and lines drawn, text at least {least:.2} to 1");
}

/// With 256 and 16 colours no text has the colour of its background.
#[test]
fn fewer_colours_hide_nothing() {
    for (theme_name, _) in BUILT_IN.iter().filter(|(name, _)| *name != "mono") {
        for depth in [Depth::Indexed, Depth::Ansi] {
            for (name, keys) in SCREENS {
                let play = play_of(name, keys, (120, 40), theme(theme_name).at_depth(depth), &UNICODE);
                for cell in buffer(&play).content().iter().filter(|cell| !cell.symbol().trim().is_empty()) {
                    let hidden = cell.fg == cell.bg && cell.fg != Color::Reset;
                    assert!(!hidden, "{theme_name} {depth:?} {name}: `{}` {:?}", cell.symbol(), cell.style());
                }
            }
        }
    }
}
