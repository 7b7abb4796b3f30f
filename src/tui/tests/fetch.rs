//! Fetching modules, logging in on the way, and letting them act.

use std::time::Duration;

use super::stage::Play;
use crate::session::{Downloaded, Fetched, Heard, Progress};
use crate::tui::message::Message;
use crate::tui::screen::modules::fetch::Told;

const BASE: &str = "https://example.org/base/";

fn heard(play: &mut Play, heard: Heard) {
    play.tell(Message::Fetch(Told::Heard { heard, elapsed: Duration::from_secs(2) }));
}

/// A download that is at its second module.
fn fetching(width: u16, height: u16) -> Play {
    let mut play = Play::new(width, height);
    play.press("j  f");
    heard(&mut play, Heard::Round { wanted: 2, fetching: 2 });
    heard(&mut play, Heard::Begun { name: "https://example.org/ntp/".into() });
    heard(&mut play, Heard::Came { name: "https://example.org/ntp/".into(), files: 3, bytes: 900 });
    heard(&mut play, Heard::Begun { name: BASE.into() });
    let progress = Progress { bytes: 4_000_000, objects: 61, of_objects: 100 };
    heard(&mut play, Heard::Progress { name: BASE.into(), progress });
    play
}

#[test]
fn what_is_under_way_is_drawn() {
    for (width, height) in [(120, 40), (80, 24), (40, 12)] {
        insta::assert_snapshot!(format!("fetching-{width}x{height}"), fetching(width, height).draw());
    }
}

#[test]
fn what_came_is_read() {
    let mut play = fetching(120, 40);
    assert_eq!(play.asked, ["Download { update: false }"]);
    play.press("f");
    assert!(play.draw().contains("modules are being fetched: x stops that"), "{}", play.draw());
    let turn = play.state.turn;
    let summary = Downloaded { came: vec![(BASE.into(), "8c1f02e4aa17".into())], ..Downloaded::default() };
    play.tell(Message::Fetch(Told::Ended(Ok(summary))));
    assert!(play.draw().contains("1 module came, 0 moved, 0 stayed"), "{}", play.draw());
    assert_eq!(play.state.turn, turn + 1, "it is compiled anew");
    assert!(play.state.modules.fetch.is_none() && play.state.jobs.is_empty());
    play.press("6");
    assert!(play.draw().contains("workbench download web"), "{}", play.draw());
    assert!(play.draw().contains("came   https://example.org/base/  8c1f02e4aa"), "{}", play.draw());
}

#[test]
fn a_refusal_says_why_and_where() {
    let mut play = fetching(120, 40);
    let line = "main.mcl:2:8: cannot be fetched: `https://example.org/base/`: no such repository; see the URL";
    play.tell(Message::Fetch(Told::Ended(Err(vec![line.into()]))));
    assert!(play.draw().contains("no such repository"), "{}", play.draw());
    play.press("esc  6");
    assert!(play.draw().contains("no such repository"), "{}", play.draw());
}

#[test]
fn x_and_control_c_stop_it() {
    for key in ["x", "ctrl-c"] {
        let mut play = fetching(120, 40);
        play.press(key);
        assert_eq!(play.asked, ["Download { update: false }", "StopDownload"], "{key}");
        assert!(play.draw().contains("stopping"), "{}", play.draw());
        play.tell(Message::Fetch(Told::Ended(Err(vec!["cancelled".into()]))));
        assert!(play.draw().contains("stopped; nothing was changed"), "{}", play.draw());
    }
    let mut play = Play::new(120, 40);
    play.press("x");
    assert!(play.draw().contains("nothing is being fetched"), "{}", play.draw());
}

#[test]
fn a_login_is_asked_for_and_never_shown() {
    let mut play = fetching(120, 40);
    play.tell(Message::Fetch(Told::Asks("https://example.org/base".into())));
    insta::assert_snapshot!("login-120x40", play.draw());
    play.press("m  e  enter  s  3  c  r  e  t");
    let drawn = play.draw();
    assert!(drawn.contains("******") && !drawn.contains("s3cret"), "{drawn}");
    assert!(!format!("{:?}", play.state).contains("s3cret"));
    play.press("enter");
    assert_eq!(play.asked.last().map(String::as_str), Some("Login(Some(Login { user: \"me\", .. }))"));
    play.tell(Message::Fetch(Told::Asks("https://example.org/base".into())));
    play.press("esc");
    assert_eq!(play.asked.last().map(String::as_str), Some("Login(None)"));
    // A download that ends takes its question along.
    play.tell(Message::Fetch(Told::Asks("https://example.org/base".into())));
    play.tell(Message::Fetch(Told::Ended(Ok(Downloaded::default()))));
    assert!(play.state.layers.is_empty());
}

#[test]
fn what_was_fetched_is_trusted_by_hand() {
    let mut play = Play::new(120, 40);
    play.press("G  t");
    assert!(play.draw().contains("only what was fetched needs to be trusted"), "{}", play.draw());
    let base = Fetched { name: BASE.into(), path: "/m/modules/base".into(), hash: "1f2e3d".into(), is_approved: false };
    play.fetched = vec![base.clone()];
    play.press("ctrl-r  t");
    assert!(play.draw().contains("1f2e3d"), "{}", play.draw());
    play.press("n");
    assert!(play.asked.is_empty(), "{:?}", play.asked);
    play.press("t  y");
    assert!(play.asked[0].starts_with("Approve("), "{:?}", play.asked);
    play.fetched[0].is_approved = true;
    play.tell(Message::Fetch(Told::Approved(Ok(vec![base]))));
    assert!(play.draw().contains("may act on this machine"), "{}", play.draw());
    play.press("t");
    assert!(play.draw().contains("it may act on this machine already"), "{}", play.draw());
}
