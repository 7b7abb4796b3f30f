//! Keys with one meaning on every screen: their actions and effects.

use std::fmt::Write;

use super::deploys::history;
use super::stage::{Play, program};
use crate::tui::{keymap::Found, keys, look::UNICODE, screen::ScreenId, screen::log::Source};

/// The left column of the key map; `b` and `p` as far as they apply.
#[rustfmt::skip]
const KEYS: &[&str] = &[
    "4", "2", "3", "1", "5", "6", "tab", "shift-tab", "h", "j", "k", "l",
    "g g", "G", "ctrl-d", "ctrl-u", "pageup", "pagedown", "enter", "esc", "/", "n", "N", ":", "?", "ctrl-p", "e", "y",
    "K", "g d", "g r", "ctrl-o", "alt-o", ".", "z a", "z M", "z R", "+",
    "q", "ctrl-z", "ctrl-l", "f1", "p", "Y",
];

/// A face with rows in every list, on a screen.
fn play_on(screen: ScreenId) -> Play {
    let mut play = Play::with(120, 40, &UNICODE, program());
    play.deploys = history();
    play.press("p");
    play.state.cx.report(Source::Run, "✓ svc[nginx]  running".into());
    let number = ScreenId::ALL.iter().position(|one| *one == screen).map_or(0, |at| at + 1);
    play.press(&number.to_string());
    play.send(crate::tui::message::Message::PendingDue);
    assert_eq!(play.screen(), screen);
    play
}

/// Each key of the column has a meaning on every screen; if it can do nothing, it shows why.
#[test]
fn keys_mean_the_same_everywhere() {
    let mut table = String::new();
    for words in KEYS {
        let _ = write!(table, "{words:<12}");
        let mut reasons = String::new();
        for screen in ScreenId::ALL {
            let play = play_on(screen);
            let pressed = keys::parse(words).expect("keys of the table");
            let Found::Action(entry) = play.state.cx.keymap.find(screen, &pressed) else {
                panic!("{words} does nothing on {}", screen.title())
            };
            let can = entry.enabled(play.state.front());
            let shown = if can.is_ok() { entry.id.to_string() } else { format!("({})", entry.id) };
            let _ = write!(table, " {shown:<17}");
            if let Err(why) = can {
                let printed = refused(screen, words);
                assert!(
                    printed.starts_with(&format!("{}: {why}", play.state.cx.keymap.key_of(entry, screen))),
                    "{printed}"
                );
                assert!(why.len() > 8, "{words} on {}: {why}", screen.title());
                let _ = writeln!(reasons, "             {}: {why}", screen.title());
            }
        }
        let _ = write!(table, "\n{reasons}");
    }
    let table: Vec<&str> = table.lines().map(str::trim_end).collect();
    insta::assert_snapshot!("keys-on-screens", table.join("\n"));
}

/// The status line after keys that do nothing.
fn refused(screen: ScreenId, words: &str) -> String {
    let mut play = play_on(screen);
    play.press(&words.replace(' ', "  "));
    play.notice()
}

/// The filter of each screen after the key that shows only related rows.
#[test]
fn only_related_rows_are_left() {
    for (screen, keys, words) in [
        (ScreenId::Modules, "G  .", "https://example.org/base/"),
        (ScreenId::Modules, "G  .  .", ""),
        (ScreenId::Deploys, ".", "sites/web"),
        (ScreenId::Deploys, ".  .", ""),
        (ScreenId::Log, "G  .", "svc[nginx]"),
        (ScreenId::Log, "G  .  .", ""),
    ] {
        let mut play = play_on(screen);
        play.press(keys);
        assert_eq!(play.state.front().words(), words, "{} {keys}", screen.title());
    }
}

/// The references to a row: the edges of a resource, the imports of a module.
#[test]
fn references_are_listed_on_every_screen() {
    for (screen, keys, words) in [
        (ScreenId::Modules, "G  g  r", &["1 import of https://example.org/base/"][..]),
        (
            ScreenId::Graph,
            "j  g  r",
            &["2 references of file[/srv/web/nginx.conf]", "runs before it", "is refreshed by it"],
        ),
        (ScreenId::Step, "G  g  r", &["1 reference of exec[warm the cache]", "svc[nginx]  runs before it"]),
        (ScreenId::Log, "G  g  r", &["references of svc[nginx]", "refreshes it", "needs it"]),
        (ScreenId::Deploys, "g  r", &["a deploy has no source or references"]),
    ] {
        let mut play = play_on(screen);
        play.press(keys);
        let drawn = play.draw();
        words.iter().for_each(|words| assert!(drawn.contains(words), "{} {keys}: {words}\n{drawn}", screen.title()));
    }
    let mut play = play_on(ScreenId::Log);
    play.press("G  g  d");
    assert_eq!(play.line(), Some(18), "a line of the log leads to the source");
    play.press("6  space  g");
    assert_eq!(play.screen(), ScreenId::Graph);
    let mut play = play_on(ScreenId::Modules);
    play.press("g  d");
    assert_eq!(play.screen(), ScreenId::Code);
}

/// `u` on Deploys undoes the selected deploy.
#[test]
fn u_undoes_the_selected_deploy() {
    let mut play = play_on(ScreenId::Deploys);
    play.press("G  k  u").shows("Undo deploy 2?");
}
