//! Every screen at three sizes in night, mono and ASCII, and the style of each role in every theme.

use std::collections::BTreeMap;

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};

use super::stage::{Play, broken, program, rows};
use super::{deploys, live::SIZES};
use crate::highlight::{BUILT_IN, Depth, Theme, contrast};
use crate::tui::look::{ASCII, Glyphs, Look, Role, UNICODE};

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
        state.cx.look = Look::new(theme, glyphs);
    });
    play.deploys = deploys::history();
    play.press(keys);
    play
}

/// A text that a screen shows, and the role whose style it has.
const ROLES: &[(&str, &str, Role)] = &[
    ("plan", "DRY", Role::Dry),
    ("plan", "web", Role::Strong),
    ("plan", "2 Code", Role::Bar),
    ("plan", "last run", Role::Dim),
    ("plan", "compiles,", Role::Good),
    ("plan", "1 missing", Role::Warning),
    ("plan", "Steps", Role::Title),
    ("plan", "╭─Steps", Role::BorderFocused),
    ("plan", "╭─Plan", Role::Border),
    ("plan", "▶", Role::Active),
    ("plan", "○", Role::Waiting),
    ("plan", "pkg[nginx]", Role::Selection),
    ("plan", "+ create 1", Role::Create),
    ("plan", "~ change 1", Role::Change),
    ("plan", "! run 1", Role::Run),
    ("plan", "↻ refresh 1", Role::Refresh),
    ("plan", "◐ predicted", Role::Note),
    ("plan", "Enter", Role::Key),
    ("step", "✓ pkg", Role::Good),
    ("step", "mode  ", Role::Strong),
    ("step", "\"0600\"", Role::Gone),
    ("step", "\"0644\"", Role::New),
    ("live", "LIVE", Role::Live),
    ("problems", "`$prot` is not defined here", Role::Error),
    ("problems", "did you mean", Role::Note),
    ("code", "  1 import", Role::LineNumber),
    ("code", "  4 $root", Role::LineNumberHere),
    ("code", " str", Role::Popup),
];

/// The first cell of a text, in the first row that has it.
fn cell_of<'a>(buffer: &'a Buffer, text: &str) -> Option<&'a Cell> {
    for (y, row) in (0..).zip(rows(buffer)) {
        if let Some((before, _)) = row.split_once(text) {
            return buffer.cell((u16::try_from(before.chars().count()).ok()?, y));
        }
    }
    None
}

#[test]
fn a_text_has_the_style_of_its_role_in_every_theme() {
    for (theme_name, _) in BUILT_IN {
        for (name, keys) in SCREENS {
            let play = play_of(name, keys, (120, 40), theme(theme_name), &UNICODE);
            let drawn = play.buffer();
            for (_, text, role) in ROLES.iter().filter(|(screen, ..)| screen == name) {
                let place = format!("{theme_name}, {name}: `{text}` as {role:?}");
                let cell = cell_of(&drawn, text).unwrap_or_else(|| panic!("{place} is not drawn"));
                let style = play.state.cx.look.style(*role);
                assert_eq!(style.fg.unwrap_or(cell.fg), cell.fg, "{place}: colour");
                assert_eq!(style.bg.unwrap_or(cell.bg), cell.bg, "{place}: background");
                assert!(cell.modifier.contains(style.add_modifier), "{place}: {:?}", cell.modifier);
            }
        }
    }
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
fn every_screen_has_the_same_text_without_colours_and_is_ascii_with_ascii() {
    for (name, keys) in SCREENS {
        for size in SIZES {
            let night = rows(&play_of(name, keys, size, theme("night"), &UNICODE).buffer());
            assert_eq!(night, rows(&play_of(name, keys, size, theme("mono"), &UNICODE).buffer()), "{name} {size:?}");
            let ascii = rows(&play_of(name, keys, size, theme("mono"), &ASCII).buffer());
            assert_eq!(night.len(), ascii.len());
            for (row, ascii) in night.iter().zip(&ascii) {
                assert!(ascii.is_ascii(), "{name} {size:?}: {ascii}");
                assert!(ascii == row || !row.is_ascii(), "{name} {size:?}: {row} becomes {ascii}");
            }
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
            let look = &play.state.cx.look;
            let frame = look.style(Role::Border).fg;
            let mut seen: BTreeMap<(String, bool), String> = BTreeMap::new();
            for cell in play.buffer().content().iter().filter(|cell| !cell.symbol().trim().is_empty()) {
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
                for cell in play.buffer().content().iter().filter(|cell| !cell.symbol().trim().is_empty()) {
                    let hidden = cell.fg == cell.bg && cell.fg != Color::Reset;
                    assert!(!hidden, "{theme_name} {depth:?} {name}: `{}` {:?}", cell.symbol(), cell.style());
                }
            }
        }
    }
}
