//! What a run tells, below the run itself: it has the focus, is scrolled, zoomed and clicked like other panes.

use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

use super::stage::Play;
use crate::tui::message::Message;
use crate::tui::screen::Pane;

/// Sizes that have room for it, also before a step was run and the status has all of its rows.
const SIZES: [(u16, u16); 2] = [(120, 40), (80, 28)];

/// The rows of the pane that are drawn, its border included.
fn log(play: &Play) -> String {
    let drawn = play.draw();
    let from = drawn.lines().position(|line| line.contains("─Log─"));
    from.map(|from| drawn.lines().skip(from).collect::<Vec<_>>().join("\n")).unwrap_or_default()
}

fn mouse(play: &mut Play, kind: MouseEventKind, column: u16, row: u16) {
    play.tell(Message::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }));
}

#[test]
fn it_stands_where_there_is_room() {
    // Before a step was run, and after one.
    for ((width, height), is_there) in [
        ((120, 40), [true, true]),
        ((100, 28), [true, true]),
        ((80, 28), [true, true]),
        // In a run a narrow window has one row of status instead of four.
        ((80, 27), [false, true]),
        ((80, 25), [false, true]),
        // What is too low loses it first.
        ((80, 24), [false, false]),
        ((120, 39), [false, false]),
        ((79, 40), [false, false]),
    ] {
        for (keys, is_there) in ["p", "p  s"].into_iter().zip(is_there) {
            let mut play = Play::new(width, height);
            play.press(keys);
            assert_eq!(!log(&play).is_empty(), is_there, "{width}x{height} {keys}\n{}", play.draw());
            assert_eq!(play.state.panes().contains(&Pane::Said), is_there, "{width}x{height} {keys}");
        }
    }
}

#[test]
fn keys_go_to_it_and_back() {
    for (width, height) in SIZES {
        for (keys, focus) in [
            ("p  s  shift-tab", Pane::Said),
            ("p  s  shift-tab  tab", Pane::Order),
            ("p  s  shift-tab  esc", Pane::Order),
        ] {
            let mut play = Play::new(width, height);
            play.press(keys);
            assert_eq!(play.state.focus(), focus, "{width}x{height} {keys}");
        }
        // A size without it lends its focus to the order.
        let mut play = Play::new(width, height);
        play.press("p  s  shift-tab");
        play.tell(Message::Resize(width, 20));
        assert_eq!(play.state.focus(), Pane::Order);
    }
}

#[test]
fn one_looks_back_in_it() {
    for (width, height) in SIZES {
        let mut play = Play::new(width, height);
        play.press("p  s  s  s  s  s");
        assert!(!log(&play).contains("pkg[nginx]  unchanged"), "{}", log(&play));
        play.press("shift-tab  g g");
        assert!(log(&play).contains("pkg[nginx]  unchanged") && log(&play).contains("3 of 5"), "{}", log(&play));
        assert!(!log(&play).contains("exec[warm the cache]  would run"), "{}", log(&play));
        // What comes does not move what one looks at; the end follows again.
        let before = log(&play);
        play.state.log.push("00:00:00", crate::tui::screen::log::Source::Run, "one more".into());
        assert_eq!(log(&play), before.replace("3 of 5", "3 of 6"));
        play.press("G");
        assert!(log(&play).contains("one more"), "{}", log(&play));
        // Zoomed it has room for all of them.
        play.press("+");
        assert!(log(&play).contains("pkg[nginx]  unchanged") && log(&play).contains("one more"), "{}", log(&play));
        assert!(!play.draw().contains("─Steps"), "{}", play.draw());
        play.press("+");
        assert!(play.draw().contains("─Steps"), "{}", play.draw());
    }
}

#[test]
fn the_mouse_works_in_it() {
    for (width, height) in SIZES {
        let mut play = Play::new(width, height);
        play.press("p  s  s  s  s  s");
        let row = height - 3;
        mouse(&mut play, MouseEventKind::ScrollUp, 20, row);
        assert!(log(&play).contains("pkg[nginx]  unchanged"), "{}", log(&play));
        assert_eq!(play.state.focus(), Pane::Order, "the wheel takes no focus");
        mouse(&mut play, MouseEventKind::ScrollDown, 20, row);
        assert!(log(&play).contains("exec[warm the cache]  would run"), "{}", log(&play));
        mouse(&mut play, MouseEventKind::Down(MouseButton::Left), 20, row);
        assert_eq!(play.state.focus(), Pane::Said);
    }
}

/// What was taken back is out of the overlay, and out of the pane; the log of all keeps it, and says so.
#[test]
fn what_is_taken_back_goes() {
    for (width, height) in SIZES {
        let mut play = Play::new(width, height);
        play.press("p  s  s  Z");
        assert!(log(&play).contains("pkg[nginx]  unchanged"), "{}", log(&play));
        assert!(!log(&play).contains("nginx.conf]  would change"), "{}", log(&play));
        assert!(play.state.log.text().contains("nginx.conf]  would change  (undone)"), "{}", play.state.log.text());
        // It is told again where it is done again.
        play.press("s");
        assert_eq!(log(&play).matches("nginx.conf]  would change").count(), 1, "{}", log(&play));
        // Back over all of it nothing is left.
        play.press("Z  Z  Z");
        assert!(log(&play).contains("Run output appears here"), "{}", log(&play));
        assert_eq!(play.state.log.text().matches("(undone)").count(), 3, "{}", play.state.log.text());
        // Another plan begins another run; what was done for real stays.
        play.press("s  p");
        assert!(!log(&play).contains("unchanged"), "{}", log(&play));
        play.press("A  w  e  b  1  enter  s  p");
        assert!(log(&play).contains("unchanged"), "{}", log(&play));
    }
}

/// What is agreed to can be read to its end, also where the screen is shorter.
#[test]
fn a_question_longer_than_the_screen_is_scrolled() {
    let mut play = Play::new(60, 10);
    play.press("p  A");
    let begin = play.draw();
    assert!(begin.contains("more lines: Down") && begin.contains("type web"), "{begin}");
    play.press("pagedown  pagedown  pagedown");
    let end = play.draw();
    assert!(end.contains("more lines: Up") && !end.contains(": Down") && end.contains("type web"), "{end}");
    play.press("pageup  pageup  pageup");
    assert_eq!(play.draw(), begin);
}
