//! The log of operations on the screens: plans and fetches between deploys, hidden, filtered, opened and recorded.

use std::{path::PathBuf, time::Duration};

use super::{deploys::history, stage::Play};
use crate::plan::Summary;
use crate::session::operations::{Fetch, MadePlan, Operation, Operations, What};
use crate::tui::message::{Job, Message};
use crate::tui::screen::deploys::{Listed, Notice};

fn operation(time: &str, what: What) -> Operation {
    Operation { time: format!("2026-11-2{time}Z"), user: "ana".into(), entry: "sites/web".into(), what }
}

fn plan(time: &str, create: u32, file: Option<&str>) -> Operation {
    let summary = Summary { create, change: 1, none: 4, ..Summary::default() };
    let (file, path) = (file.map(PathBuf::from), Some("/m/web/main.mcl".into()));
    operation(
        time,
        What::Plan(MadePlan {
            plan: "7f3a9c1b22dd".into(),
            path,
            compiled_for: None,
            summary,
            failing: 0,
            tally: None,
            file,
        }),
    )
}

/// After the first deploy a fetch and four plans; after the third a saved plan, and a refused fetch.
pub fn operations() -> Operations {
    let fetch = Fetch {
        came: vec![("git://host/\u{1b}[31mb/".into(), "99aa88bb77cc66".into())],
        moved: vec![("git://host/a/".into(), "11aa22bb33cc44".into(), "55aa66bb77cc88".into())],
        stayed: 3,
        ..Fetch::default()
    };
    let refused = Fetch { refused: Some("`git://host/a/`: no \u{1b}[31manswer".into()), ..Fetch::default() };
    let all = vec![
        operation("1T13:00:00", What::Fetch(fetch)),
        plan("1T14:00:00", 1, None),
        plan("1T15:00:00", 2, None),
        plan("1T16:00:00", 3, None),
        plan("1T17:00:00", 4, None),
        plan("3T13:00:00", 5, Some("/m/web/a\u{1b}.plan")),
        operation("3T14:00:00", What::Fetch(refused)),
    ];
    Operations { all, damaged: 0 }
}

fn play(width: u16, height: u16) -> Play {
    let mut play = Play::new(width, height);
    (play.deploys, play.operations) = (history(), operations());
    play.press("5");
    play
}

#[test]
fn operations_at_all_sizes() {
    for (width, height) in [(120, 40), (80, 24), (60, 16)] {
        insta::assert_snapshot!(format!("operations-{width}x{height}"), play(width, height).draw());
    }
    let mut one = play(120, 40);
    insta::assert_snapshot!("operations-fetch-120x40", one.press("z R  G  k").draw());
    insta::assert_snapshot!("operations-opened-120x40", one.press("k  k").draw());
}

/// Keys, the number of rows then, and the text of the selected one.
#[test]
fn rows_by_keys() {
    let table: &[(&str, usize, &str)] = &[
        // Four deploys, and the row with the number of hidden plans and fetches.
        ("5", 5, "4       2026"),
        ("5  G", 5, "7 other records (plans, fetches) hidden: zR shows all"),
        ("5  G  enter", 11, "2026-11-21 13:00  fetch"),
        ("5  z R  j", 11, "2026-11-23 14:00  fetch"),
        ("5  z R  j  h", 5, "7 other records (plans, fetches) hidden"),
        ("5  z R  z M", 5, "4       2026"),
        ("5  /  k i n d : p l a n enter", 5, "2026-11-23 13:00  plan"),
        ("5  /  ! k i n d : p l a n enter", 6, "4       2026"),
        ("5  /  k i n d : u n d o enter", 1, "3       2026"),
        ("5  /  k i n d : f e t c h space s t a t e : f a i l e d enter", 1, "2026-11-23 14:00  fetch"),
        // Text that only the row has.
        ("5  /  s a v e d enter", 1, "2026-11-23 13:00  plan"),
        ("5  /  1 6 : 0 0 enter", 1, "2026-11-21 16:00  plan"),
    ];
    for (keys, count, words) in table {
        let mut play = play(160, 40);
        play.press("esc").press(keys);
        let drawn = play.draw();
        assert!(drawn.contains(&format!("of {count}─")), "{keys}: {drawn}");
        assert!(drawn.contains(words), "{keys}: {drawn}");
    }
}

#[test]
fn nothing_of_the_record_reaches_the_terminal_raw() {
    let mut play = play(120, 40);
    play.press("z R");
    for _ in 0..8 {
        assert!(!play.draw().contains('\u{1b}'));
        play.press("j");
    }
}

#[test]
fn rows_without_a_deploy_offer_no_deploy_actions() {
    let mut play = play(120, 40);
    play.press("z R");
    for key in ["u", "=", "S"] {
        play.press("j").press(key);
        assert!(play.asked.is_empty() && play.has_no_layer(), "{key}: {:?}", play.asked);
        assert!(play.draw().contains("not a deploy"), "{key}\n{}", play.draw());
        play.press("k");
    }
}

#[test]
fn the_cursor_stays_with_its_row_when_others_come() {
    let mut play = play(120, 40);
    play.press("G  k");
    let deploy = play.state.screens.deploys.selected();
    play.press("z R");
    play.operations.all.push(plan("4T15:00:00", 9, None));
    play.press("4  5");
    assert!(deploy.is_some() && play.state.screens.deploys.selected() == deploy, "{}", play.draw());
}

/// The lock distinguishes a running deploy from an interrupted one; only the newest can be running.
#[test]
fn running_and_interrupted_deploys_are_reported_apart() {
    let mut play = play(120, 40);
    for (at_work, words) in
        [(Some(true), "  running "), (Some(false), "  interrupted "), (None, "  interrupted, or running ")]
    {
        let listed = Listed { deploys: history(), operations: operations(), unread: None, at_work };
        play.send(Message::Deploys(Notice::Listed(Ok(listed))));
        play.shows(words);
    }
}

#[test]
fn damage_is_reported_once() {
    let mut play = play(120, 40);
    let listed = || {
        let operations = Operations { damaged: 2, ..operations() };
        Message::Deploys(Notice::Listed(Ok(Listed { deploys: history(), operations, unread: None, at_work: None })))
    };
    play.send(listed());
    play.shows("2 lines in the list of plans and fetches cannot be read");
    play.press("j");
    play.send(listed());
    play.hides("cannot be read");
}

#[test]
fn a_saved_plan_is_held_against_today() {
    let mut play = play(120, 40);
    play.press("z R  j  j  enter");
    let asked = play.asked.pop().unwrap_or_default();
    assert!(asked.starts_with("OpenPlan") && play.state.cx.is_working(Job::Plan), "{asked}");
    // The same key again requests no second one.
    play.press("enter");
    assert!(play.asked.is_empty(), "{:?}", play.asked);
}

#[test]
fn a_saved_plan_that_is_asked_for_too_early_is_opened_once_the_program_is_compiled() {
    let mut play = play(120, 40);
    let turn = play.state.cx.programs.turn;
    let program = play.state.cx.programs.newest.clone().expect("the sample is compiled");
    play.state.cx.start(Job::Compile);
    play.press("z R  j  j  enter");
    assert!(play.asked.is_empty() && play.draw().contains("when the program is compiled"), "{}", play.draw());
    play.send(Message::Compiled { program, turn, took: Duration::ZERO });
    let asked: Vec<_> = play.asked.iter().filter(|asked| asked.starts_with("OpenPlan")).collect();
    assert_eq!(asked.len(), 1, "{:?}", play.asked);
}

#[test]
fn plans_are_noted_once_each() {
    let mut play = Play::after("1");
    assert_eq!(play.noted.len(), 1);
    play.press("p");
    assert_eq!(play.noted.len(), 1, "it says what the one before it said");
    let mut picture = Play::prepared(120, 40, &crate::tui::look::UNICODE, super::stage::program(), |state| {
        state.cx.project.can_apply = false;
    });
    picture.press("1");
    assert!(picture.noted.is_empty(), "a picture notes nothing");
}
