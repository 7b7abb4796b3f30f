//! Archives of packages: a plan tells which it missed, and they are fetched when one asks, or as the settings say.

use super::stage::Play;
use crate::session::{Archive, FetchedArchives};
use crate::tui::message::{Job, Message};
use crate::tui::screen::step::archives::Told;

fn missing() -> Message {
    let archive = Archive { name: "nginx".into(), version: "1.22".into() };
    Message::Archives(Told::Missing(vec![archive]))
}

fn came(result: Option<Result<FetchedArchives, String>>) -> Message {
    Message::Archives(Told::Came(result))
}

fn said(play: &Play) -> String {
    play.state.notice.as_ref().map(|notice| format!("{notice:?}")).unwrap_or_default()
}

#[test]
fn they_are_fetched_when_one_asks_and_all_is_planned_anew() {
    let mut play = Play::new(120, 40);
    play.press("4  F");
    assert!(!play.state.jobs.has(Job::Archives), "nothing is missing");
    play.tell(missing());
    assert!(said(&play).contains("F fetches them"), "{}", said(&play));
    play.press("F");
    assert!(play.state.jobs.has(Job::Archives));
    assert!(play.asked.iter().any(|asked| asked.contains("FetchArchives")), "{:?}", play.asked);
    let turn = play.state.turn;
    play.tell(came(Some(Ok(FetchedArchives { archives: 1, size: 2048 }))));
    assert!(!play.state.jobs.has(Job::Archives) && play.state.turn > turn, "all is read again");
    play.tell(missing());
    assert!(!said(&play).contains("F fetches"), "what did not come is not asked for again: {}", said(&play));
}

#[test]
fn the_settings_may_fetch_them_and_a_failure_is_told_once() {
    let mut play = Play::new(120, 40);
    play.state.step.archives.by_itself = true;
    play.tell(missing());
    assert!(play.state.jobs.has(Job::Archives));
    let turn = play.state.turn;
    play.tell(came(Some(Err("no such host".into()))));
    assert!(said(&play).contains("no such host") && play.state.turn == turn, "{}", said(&play));
    play.tell(missing());
    assert!(!play.state.jobs.has(Job::Archives), "it would not end");
    play.press("4  F");
    play.tell(came(None));
    assert!(said(&play).contains("stopped") && play.state.turn == turn, "{}", said(&play));
}
