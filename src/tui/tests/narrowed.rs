//! Filtered lists: the row that was found stays selected when all rows are shown again.

use super::{deploys, operations::operations, stage::Play};
use crate::tui::message::Message;

/// The positions in the footers of panes.
fn places(play: &Play) -> String {
    let frame = play.draw();
    let words: Vec<&str> = frame.split_whitespace().collect();
    let of = words.windows(3).filter(|three| three[1] == "of");
    let of = of.map(|three| three.join(" ").replace(|c: char| !c.is_ascii_alphanumeric() && c != ' ', ""));
    of.filter(|words| words.starts_with(|c: char| c.is_ascii_digit())).collect()
}

#[test]
fn the_found_deploy_stays_selected_without_a_filter() {
    let mut play = deploys::play(120, 40);
    play.press("/  #  2  enter");
    assert_eq!((play.state.screens.deploys.selected(), places(&play).as_str()), (Some(2), "1 of 1"));
    play.press("esc");
    assert_eq!((play.state.screens.deploys.selected(), places(&play).as_str()), (Some(2), "3 of 4"));
    play.shows("─#2─");
    // While it is typed, and when it is dropped.
    play.press("/  #  1");
    assert_eq!(play.state.screens.deploys.selected(), Some(1));
    play.press("esc");
    assert_eq!(play.state.screens.deploys.selected(), Some(1));
}

#[test]
fn one_key_drops_one_thing() {
    let mut play = deploys::play(120, 40);
    play.press("/  #  2  enter  =");
    let compared = |play: &Play| play.draw().contains("#1 → #2");
    assert!(compared(&play), "{}", play.draw());
    play.press("esc");
    assert!(compared(&play) && places(&play).contains("3 of 4"), "{}", play.draw());
    play.press("esc");
    assert!(!compared(&play) && play.state.screens.deploys.selected() == Some(2), "{}", play.draw());
    play.shows("─#2─");
}

#[test]
fn a_found_plan_is_not_folded() {
    let mut play = deploys::play(120, 40);
    play.operations = operations();
    play.press("4  5  /  1 5 : 0 0  enter").shows("2026-11-21 15:00").shows("of 1─");
    play.press("esc  y");
    assert!(play.state.screens.deploys.selected_plan().is_some(), "{}", play.draw());
}

#[test]
fn the_found_file_stays_selected_without_a_filter() {
    let mut play = Play::new(120, 40);
    // The module is folded.
    play.press("4  h  /  m a i n  enter  j");
    let found = play.state.screens.modules.name();
    assert!(found.as_ref().is_some_and(|name| name.ends_with("main.mcl")), "{found:?}");
    play.press("esc");
    assert_eq!(play.state.screens.modules.name(), found, "{}", play.draw());
    play.shows("layout.mcl");
}

#[test]
fn the_found_line_stays_selected_without_a_filter() {
    let mut play = Play::new(120, 40);
    play.press("p  s  s  s  6").send(Message::PendingDue);
    play.press("/  n g i n x  enter  k");
    let found = play.state.screens.log.list.selected();
    let count = play.state.cx.log.count();
    assert!(found.is_some_and(|number| number + 1 < count), "{found:?} of {count}");
    play.press("esc");
    assert_eq!(play.state.screens.log.list.selected(), found, "{}", play.draw());
    // A filter without matches hides everything until it is cleared.
    play.press("/  z z z  esc");
    assert_eq!(play.state.screens.log.list.selected(), found, "{}", play.draw());
    // The last match does not follow the end either, nor new lines.
    play.press("G  /  n g i n x");
    let found = play.state.screens.log.list.selected();
    play.press("esc");
    assert_eq!(play.state.screens.log.list.selected(), found, "{}", play.draw());
}

#[test]
fn the_log_follows_again_after_an_empty_search() {
    let mut play = Play::new(120, 40);
    play.press("p  s  6").send(Message::PendingDue);
    play.press("G  /  esc").shows("following");
}
