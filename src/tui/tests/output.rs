//! The run output below the run: focus, scrolling, zoom and clicks as in other panes.

use crossterm::event::{MouseButton, MouseEventKind};

use super::stage::Play;
use crate::tui::{message::Message, screen::Pane};

/// Sizes with room for it, also before the first step, when the status has all of its rows.
const SIZES: [(u16, u16); 2] = [(120, 40), (80, 28)];

/// The drawn rows of the pane, with its border.
fn log(play: &Play) -> String {
    let drawn = play.draw();
    let from = drawn.lines().position(|line| line.contains("─Log─"));
    from.map(|from| drawn.lines().skip(from).collect::<Vec<_>>().join("\n")).unwrap_or_default()
}

#[test]
fn it_is_where_there_is_room() {
    // Before the first step, and after one.
    for ((width, height), is_there) in [
        ((120, 40), [true, true]),
        ((100, 28), [true, true]),
        ((80, 28), [true, true]),
        // In a run a narrow window has one row of status instead of four.
        ((80, 27), [false, true]),
        ((80, 25), [false, true]),
        // In a low window it is the first to go.
        ((80, 24), [false, false]),
        ((120, 39), [false, false]),
        ((79, 40), [false, false]),
    ] {
        for (keys, is_there) in ["p", "p  s"].into_iter().zip(is_there) {
            let play = Play::sized(width, height, keys);
            assert_eq!(!log(&play).is_empty(), is_there, "{width}x{height} {keys}\n{}", play.draw());
            assert_eq!(play.state.cx.panes().contains(&Pane::Output), is_there, "{width}x{height} {keys}");
        }
    }
}

#[test]
fn keys_go_to_it_and_back() {
    for (width, height) in SIZES {
        for (keys, focus) in [
            ("p  s  shift-tab", Pane::Output),
            ("p  s  shift-tab  tab", Pane::Order),
            ("p  s  shift-tab  esc", Pane::Order),
        ] {
            let play = Play::sized(width, height, keys);
            assert_eq!(play.state.cx.focus(), focus, "{width}x{height} {keys}");
        }
        // A size without it moves the focus to the order.
        let mut play = Play::sized(width, height, "p  s  shift-tab");
        play.send(Message::Resize(width, 20));
        assert_eq!(play.state.cx.focus(), Pane::Order);
    }
}

#[test]
fn one_looks_back_in_it() {
    for (width, height) in SIZES {
        let mut play = Play::sized(width, height, "p  s  s  s  s  s");
        assert!(!log(&play).contains("pkg[nginx]  unchanged"), "{}", log(&play));
        play.press("shift-tab  g g");
        assert!(log(&play).contains("pkg[nginx]  unchanged") && log(&play).contains("3 of 5"), "{}", log(&play));
        assert!(!log(&play).contains("exec[warm the cache]  would run"), "{}", log(&play));
        // New lines do not scroll the view; at the end they are followed again.
        let before = log(&play);
        play.state.cx.log.push("00:00:00", crate::tui::screen::log::Source::Run, "one more".into());
        assert_eq!(log(&play), before.replace("3 of 5", "3 of 6"));
        play.press("G");
        assert!(log(&play).contains("one more"), "{}", log(&play));
        // Zoomed, it has room for all of them.
        play.press("+");
        assert!(log(&play).contains("pkg[nginx]  unchanged") && log(&play).contains("one more"), "{}", log(&play));
        play.hides("─Steps");
        play.press("+").shows("─Steps");
    }
}

#[test]
fn the_mouse_works_in_it() {
    for (width, height) in SIZES {
        let mut play = Play::sized(width, height, "p  s  s  s  s  s");
        let row = height - 3;
        play.mouse(MouseEventKind::ScrollUp, 20, row);
        assert!(log(&play).contains("pkg[nginx]  unchanged"), "{}", log(&play));
        assert_eq!(play.state.cx.focus(), Pane::Order, "the wheel takes no focus");
        play.mouse(MouseEventKind::ScrollDown, 20, row);
        assert!(log(&play).contains("exec[warm the cache]  would run"), "{}", log(&play));
        play.mouse(MouseEventKind::Down(MouseButton::Left), 20, row);
        assert_eq!(play.state.cx.focus(), Pane::Output);
    }
}

/// An undone step is out of the overlay, and out of the pane; the whole log keeps it, marked.
#[test]
fn undone_rows_disappear() {
    for (width, height) in SIZES {
        let mut play = Play::sized(width, height, "p  s  s  Z");
        assert!(log(&play).contains("pkg[nginx]  unchanged"), "{}", log(&play));
        assert!(!log(&play).contains("nginx.conf]  would change"), "{}", log(&play));
        assert!(play.log().contains("nginx.conf]  would change  (undone)"), "{}", play.log());
        // It is shown again after it is repeated.
        play.press("s");
        assert_eq!(log(&play).matches("nginx.conf]  would change").count(), 1, "{}", log(&play));
        // After stepping back over everything it is empty.
        play.press("Z  Z  Z");
        assert!(log(&play).contains("Run output appears here"), "{}", log(&play));
        assert_eq!(play.log().matches("(undone)").count(), 3, "{}", play.log());
        // Another plan starts another run; live results stay.
        play.press("s  p");
        assert!(!log(&play).contains("unchanged"), "{}", log(&play));
        play.press("A  w  e  b  1  enter  s  p");
        assert!(log(&play).contains("unchanged"), "{}", log(&play));
    }
}

/// A question can be read to its end, also on a low screen.
#[test]
fn a_question_longer_than_the_screen_is_scrolled() {
    let mut play = Play::sized(60, 10, "p  A");
    let begin = play.draw();
    assert!(begin.contains("more lines: Down") && begin.contains("type web"), "{begin}");
    play.press("pagedown  pagedown  pagedown").shows("more lines: Up").hides(": Down").shows("type web");
    play.press("pageup  pageup  pageup");
    assert_eq!(play.draw(), begin);
}

/// A click on a neighbour in the details of Graph selects it.
#[test]
fn a_neighbour_can_be_clicked() {
    let mut play = Play::after("p  3  g  g");
    let graph = |play: &Play| play.state.screens.graph.selected();
    let program = super::stage::program();
    let first = graph(&play).expect("a node is selected");
    let drawn = play.draw();
    let lines: Vec<&str> = drawn.lines().collect();
    let heading = lines.iter().position(|line| line.contains("── needed by")).expect("it has dependents");
    let line: Vec<char> = lines[heading + 1].chars().collect();
    let column = (0..line.len()).rev().find(|at| line[*at] == '[').expect("a name");
    play.mouse(MouseEventKind::Down(MouseButton::Left), column as u16, heading as u16 + 1);
    let now = graph(&play).expect("a node is selected");
    assert_ne!(program.id(first), program.id(now), "{drawn}\n{}", play.draw());
}
