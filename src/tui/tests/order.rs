//! The order of Step: its rows, its tally and the elapsed time.

use super::live::ARM;
use super::stage::{Play, id};
use crate::engine::message::{Event, Pause, TurnState};
use crate::tui::message::Message;
use std::time::Duration;

/// The elapsed time of a run is shown; the rest is not estimated.
#[test]
fn a_run_shows_how_long_it_runs() {
    let mut play = Play::armed();
    play.run.is_slow = true;
    play.press("c");
    let run = play.step().run;
    for (step, title) in
        super::stage::plan().steps.iter().zip(["1/5  running 40s", "2/5  running 1m20s", "3/5  running 2m"])
    {
        for (state, elapsed_ms) in [(TurnState::Running, 0), (TurnState::Done, 40_000)] {
            let event = Event::Turn { resource: step.resource.clone(), state, step: None, elapsed_ms };
            play.send(Message::Run { run, event });
        }
        play.state.cx.jobs.clock += Duration::from_secs(40);
        play.shows(format!("Steps  {title}"));
    }
}

/// A filter shows the row that it finds instead of the plan.
#[test]
fn a_filter_shows_its_matches() {
    let mut play = Play::after("p");
    assert!(play.step().shows_summary());
    play.press("/  n  g  i  n  x  enter");
    assert!(!play.step().shows_summary(), "{}", play.draw());
    play.shows("desired");
}

/// Shows only the rows around a resource, until Esc or the same key; another plan keeps it.
#[test]
fn the_order_narrows_to_the_neighbours_of_a_resource() {
    let mut play = Play::new(80, 24);
    let rows = |play: &Play| {
        let drawn = play.draw();
        let order = drawn.lines().filter(|line| line.starts_with('│'));
        let order = order.map(|line| line.chars().take(36).collect::<String>());
        order.filter(|line| line.contains('[')).count()
    };
    play.press("p  j  j  .");
    let narrow = rows(&play);
    assert!((1..5).contains(&narrow) && play.draw().contains("related to fil"), "{}", play.draw());
    play.press("p");
    assert_eq!(rows(&play), narrow, "{}", play.draw());
    play.press("esc");
    assert_eq!(rows(&play), 5, "{}", play.draw());
    play.press("g  g  .  .");
    assert_eq!(rows(&play), 5, "{}", play.draw());
}

/// The uncertain steps are counted above the panes; by signs if there is little room.
#[test]
fn the_plan_counts_its_predicted_steps() {
    for (keys, wide, narrow) in [
        ("p", "run 1. 1 predicted.", " ◐1 "),
        ("p  s", "run 1. 1 predicted.", " ◐1 "),
        ("p  s  s  Z", "run 1. 1 predicted.", " ◐1 "),
        ("p  G  x", "1 skipped, 1 predicted.", "1 ◐1 "),
        ("p  G  x  x", "run 1. 1 predicted.", " ◐1 "),
    ] {
        for ((width, height), words) in [((120, 40), wide), ((80, 24), narrow)] {
            let play = Play::sized(width, height, keys);
            let drawn = play.draw();
            let machine = drawn.lines().find(|line| line.starts_with(" machine ")).unwrap_or_default();
            assert!(format!("{} ", machine.trim_end()).contains(words), "{keys}: {words}\n{drawn}");
        }
    }
    // A live run applies, and predicts nothing.
    let mut play = Play::after("p");
    play.press(ARM).press("s").hides("◐ 1");
}

/// The view follows a continuing run until the user looks elsewhere; the next run is followed again.
#[test]
fn the_view_follows_a_run_until_the_cursor_moves() {
    let turn = |play: &mut Play, name: &str, state: TurnState| {
        let run = play.step().run;
        let event = Event::Turn { resource: id(name), state, step: None, elapsed_ms: 1 };
        play.send(Message::Run { run, event });
    };
    let at = |play: &Play| play.step().cursor_id().map(ToString::to_string).unwrap_or_default();
    let (conf, index, svc) = ("file[/srv/web/nginx.conf]", "file[/srv/web/index.html]", "svc[nginx]");
    for arm in ["", "A  w  e  b  1  enter"] {
        let mut play = Play::sized(80, 24, "p");
        if !arm.is_empty() {
            play.press(arm);
        }
        play.run.is_slow = true;
        play.press("c");
        turn(&mut play, conf, TurnState::Running);
        assert_eq!(at(&play), conf);
        play.hides("▶ file[/srv/web/nginx.conf]");
        turn(&mut play, conf, TurnState::Done);
        turn(&mut play, index, TurnState::Running);
        assert_eq!(at(&play), index);
        play.press("k");
        turn(&mut play, svc, TurnState::Running);
        assert_eq!(at(&play), conf, "whoever looks elsewhere stays there");
        let run = play.step().run;
        let (next, why) = (Some(id(svc)), Pause::Stopped);
        play.send(Message::Run { run, event: Event::Paused { next, ready: vec![id(svc)], why } });
        play.press("g  g  c");
        turn(&mut play, svc, TurnState::Running);
        assert_eq!(at(&play), svc);
    }
}
