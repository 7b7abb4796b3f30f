//! The keys that mean the same on every screen: which action each is, and what becomes of it.

use std::fmt::Write;

use super::deploys::history;
use super::stage::{Play, program};
use crate::tui::keymap::Found;
use crate::tui::keys;
use crate::tui::look::UNICODE;
use crate::tui::screen::ScreenId;
use crate::tui::screen::log::Source;
use crate::tui::update;

/// The left column of the key map; `b` and `p` as far as it says.
#[rustfmt::skip]
const KEYS: &[&str] = &[
    "1", "2", "3", "4", "5", "6", "tab", "shift-tab", "ctrl-w h", "ctrl-w j", "ctrl-w k", "ctrl-w l", "h", "j", "k", "l",
    "g g", "G", "ctrl-d", "ctrl-u", "pageup", "pagedown", "enter", "esc", "/", "n", "N", "*", ":", "?", "ctrl-p", "e", "y",
    "K", "g d", "g r", "ctrl-o", "alt-o", "v", "space space", "m", "u", "U", ".", "z a", "z o", "z c", "z M", "z R", "+", "_",
    "q", "ctrl-z", "ctrl-l", "f1", "b", "p",
];

/// A face where every list has rows, on a screen.
fn stand(screen: ScreenId) -> Play {
    let mut play = Play::with(120, 40, &UNICODE, program());
    play.deploys = history();
    play.press("p");
    update::log(&mut play.state, Source::Run, "✓ svc[nginx]  running".into());
    let number = ScreenId::ALL.iter().position(|one| *one == screen).map_or(0, |at| at + 1);
    play.press(&number.to_string());
    play.tell(crate::tui::message::Message::PendingDue);
    assert_eq!(play.state.screen, screen);
    play
}

/// No key of the column is without a meaning anywhere; where it can do nothing, it says why.
#[test]
fn keys_mean_the_same_everywhere() {
    let mut table = String::new();
    for words in KEYS {
        let _ = write!(table, "{words:<12}");
        let mut said = String::new();
        for screen in ScreenId::ALL {
            let play = stand(screen);
            let pressed = keys::parse(words).expect("keys of the table");
            let Found::Action(entry) = play.state.keymap.find(screen, &pressed) else {
                panic!("{words} does nothing on {}", screen.title())
            };
            let can = (entry.enabled)(&play.state);
            let shown = if can.is_ok() { entry.id.to_string() } else { format!("({})", entry.id) };
            let _ = write!(table, " {shown:<17}");
            if let Err(why) = can {
                let told = refused(screen, words);
                assert!(
                    told.starts_with(&format!("{} does nothing: {why}", play.state.keymap.key_of(entry, screen))),
                    "{told}"
                );
                assert!(why.len() > 8, "{words} on {}: {why}", screen.title());
                let _ = writeln!(said, "             {}: {why}", screen.title());
            }
        }
        let _ = write!(table, "\n{said}");
    }
    let table: Vec<&str> = table.lines().map(str::trim_end).collect();
    insta::assert_snapshot!("keys-on-screens", table.join("\n"));
}

/// What the status line says after keys that do nothing.
fn refused(screen: ScreenId, words: &str) -> String {
    let mut play = stand(screen);
    play.press(&words.replace(' ', "  "));
    play.state.notice.as_ref().map(|(_, words)| words.clone()).unwrap_or_default()
}

/// The filter of each screen after `*`, and after what else leads to it.
#[test]
fn this_name_is_looked_for_on_every_screen() {
    for (screen, keys, words) in [
        (ScreenId::Modules, "G  *", "https://example.org/base/"),
        (ScreenId::Modules, "G  .", "https://example.org/base/"),
        (ScreenId::Modules, "G  .  .", ""),
        (ScreenId::Code, "g  g  j  j  j  j  j  j  w  w  l  *", "nginx"),
        (ScreenId::Graph, "j  *", "/srv/web/nginx.conf"),
        (ScreenId::Graph, "*  *  esc", ""),
        (ScreenId::Step, "G  *", "warm the cache"),
        (ScreenId::Deploys, "*", "sites/web"),
        (ScreenId::Deploys, ".  .", ""),
        (ScreenId::Log, "G  *", "nginx"),
        (ScreenId::Log, "G  k  *", ""),
    ] {
        let mut play = stand(screen);
        play.press(keys);
        assert_eq!(play.state.filter_words(), words, "{} {keys}", screen.title());
    }
}

/// What `v` selects is what `y` copies and `b`, `x`, `=` act on; Esc lets go of it.
#[test]
fn rows_are_selected_on_every_list() {
    for (screen, keys, copied) in [
        (ScreenId::Modules, "v  j  y", 2),
        (ScreenId::Graph, "v  j  j  y", 3),
        (ScreenId::Step, "v  j  j  y", 3),
        (ScreenId::Deploys, "v  j  y", 2),
        (ScreenId::Log, "g  g  v  j  y", 2),
        (ScreenId::Log, "g  g  v  j  v  y", 1),
        (ScreenId::Graph, "v  j  j  esc  y", 1),
        (ScreenId::Modules, "v  j  esc  y", 1),
    ] {
        let mut play = stand(screen);
        play.press(keys);
        let lines = play.copied.last().map_or(0, |words| words.lines().count());
        assert_eq!(lines, copied, "{} {keys}: {:?}", screen.title(), play.copied);
    }
    let mut play = stand(ScreenId::Graph);
    play.press("v  j  j  b");
    assert_eq!(play.state.step.breakpoints.len(), 3);
    play.press("y");
    assert_eq!(play.copied.last().map(|words| words.lines().count()), Some(1), "b lets go of what was selected");
    let mut play = stand(ScreenId::Deploys);
    play.press("v  j  j  =");
    assert!(play.draw().contains("#2 → #4"), "{}", play.draw());
}

/// A row that is bookmarked is come back to from anywhere, and stays one the next time.
#[test]
fn rows_are_bookmarked_on_every_screen() {
    for (screen, keys, name) in [
        (ScreenId::Modules, "G  m", "https://example.org/base/"),
        (ScreenId::Code, "j  j  m", "main.mcl:3"),
        (ScreenId::Graph, "j  m", "file[/srv/web/nginx.conf]"),
        (ScreenId::Step, "j  m", "file[/srv/web/nginx.conf]"),
        (ScreenId::Deploys, "j  m", "deploy 3"),
        (ScreenId::Log, "G  m", "of the log"),
        (ScreenId::Log, "G  space  space", "of the log"),
        (ScreenId::Modules, "G  space  space", "https://example.org/base/"),
    ] {
        let mut play = stand(screen);
        play.press(keys);
        let notice = play.state.notice.as_ref().map(|(_, words)| words.clone()).unwrap_or_default();
        assert!(notice.contains(name), "{} {keys}: {notice}", screen.title());
        let row = play.state.bookmarkable();
        let away = if screen == ScreenId::Code { "1" } else { "g  g  2" };
        play.press(away).press("space  b").press("enter");
        assert_eq!(play.state.screen, screen, "{keys}: {}", play.draw());
        assert_eq!(play.state.bookmarkable(), row, "{} {keys}", screen.title());
        assert_eq!(play.state.bookmarks.len(), 1);
        play.press("m");
        assert!(play.state.bookmarks.is_empty(), "{} {keys}: m again takes it away", screen.title());
    }
}

/// What refers to a row: the ways of a resource, the imports of a module.
#[test]
fn references_are_listed_on_every_screen() {
    for (screen, keys, words) in [
        (ScreenId::Modules, "G  g  r", &["1 import of https://example.org/base/"][..]),
        (
            ScreenId::Graph,
            "j  g  r",
            &["2 references of file[/srv/web/nginx.conf]", "comes before it", "is refreshed by it"],
        ),
        (ScreenId::Step, "G  g  r", &["1 reference of exec[warm the cache]", "svc[nginx]  comes before it"]),
        (ScreenId::Log, "G  g  r", &["references of svc[nginx]", "refreshes it", "needs it"]),
        (ScreenId::Deploys, "g  r", &["a deploy is no name of the program"]),
    ] {
        let mut play = stand(screen);
        play.press(keys);
        let drawn = play.draw();
        words.iter().for_each(|words| assert!(drawn.contains(words), "{} {keys}: {words}\n{drawn}", screen.title()));
    }
    let mut play = stand(ScreenId::Log);
    play.press("G  g  d");
    assert_eq!(play.state.code.doc().map(|doc| doc.line()), Some(18), "a line of the log leads to the source");
    play.press("6  b  space  g");
    assert_eq!(play.state.screen, ScreenId::Graph);
    assert_eq!(play.state.step.breakpoints.len(), 1);
    let mut play = stand(ScreenId::Modules);
    play.press("g  d");
    assert_eq!(play.state.screen, ScreenId::Code);
}

/// `u` undoes what was set up, on every screen but Deploys; `Z` there is the deploy's.
#[test]
fn u_undoes_what_was_set_up() {
    for screen in [ScreenId::Code, ScreenId::Graph, ScreenId::Step, ScreenId::Modules, ScreenId::Log] {
        let mut play = stand(screen);
        play.press("m  u");
        assert!(play.state.bookmarks.is_empty(), "{}", screen.title());
        play.press("U");
        assert_eq!(play.state.bookmarks.len(), 1, "{}", screen.title());
    }
    let mut play = stand(ScreenId::Deploys);
    play.press("G  k  Z");
    assert!(play.draw().contains("Take back deploy 2"), "{}", play.draw());
}
