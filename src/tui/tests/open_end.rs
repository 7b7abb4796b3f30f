//! A live run that ended with a failure: the available actions, and its end.

use super::live::{ARM, requests};
use super::stage::{Play, id};
use crate::engine::message::{Event, Pause, TurnState};
use crate::tui::{message::Message, screen::step::detached};

/// A live run whose last row fails, up to its end.
pub fn ended_with_a_failure(width: u16, height: u16) -> Play {
    let mut play = Play::new(width, height);
    play.press("p").press(ARM);
    play.press("1  s  s  s  s");
    let run = play.step().run;
    let resource = id("exec[warm the cache]");
    let state = TurnState::Failed { error: "exit 7".into(), is_undone: false };
    play.send(Message::Run { run, event: Event::Turn { resource, state, step: None, elapsed_ms: 4 } });
    play.send(Message::Run { run, event: Event::Paused { next: None, ready: vec![], why: Pause::Failure } });
    let event = Event::Finished { done: 4, changed: 2, failed: 1, skipped: 0, blocked: 0 };
    play.send(Message::Run { run, event });
    play
}

/// A failure at the end can be retried within the deploy: it stays live, and the actions are shown beside the failure,
/// in the footer, and as a notice.
#[test]
fn a_live_run_that_failed_stays_open_at_its_end() {
    for (width, height) in [(120, 40), (80, 24)] {
        let mut play = ended_with_a_failure(width, height);
        let footer = |play: &Play| {
            let drawn = play.draw();
            drawn.lines().last().unwrap_or_default().trim().trim_start_matches("LIVE web1").trim().to_string()
        };
        let notice = |play: &Play| play.notice();
        let printed = "deploy 8 is paused: 4 done, 1 failed; r retry, e edit, x skip, q end";
        // A narrow window cuts it.
        assert_eq!(notice(&play), printed);
        assert!(printed.starts_with(footer(&play).trim_end_matches('…')), "{}", footer(&play));
        assert!(play.log().contains("deploy 8 is paused: 4 done, 1 failed; r retry"));
        assert!(play.draw().starts_with(" LIVE "), "{}", play.draw());
        insta::assert_snapshot!(format!("live-open-{width}x{height}"), play.draw());
        let begun = requests(&play).len();
        for (keys, words) in [
            ("s", "all steps ran: r retry, q end deploy"),
            ("c", "all steps ran: r retry, q end deploy"),
            ("A", "this deploy has not ended: r retry, q end deploy"),
            ("g  g  x", "pkg[nginx] is already done"),
        ] {
            play.press(keys);
            assert!(footer(&play).ends_with(words), "{keys}: {}", footer(&play));
        }
        assert_eq!(requests(&play).len(), begun, "{:?}", play.asked);
        play.press("G  shift-tab  shift-tab");
        assert!(footer(&play).starts_with("r retry  q end it  x skip  u undo"), "{}", footer(&play));
        play.press("r");
        assert_eq!(play.step().next_id().cloned(), Some(id("exec[warm the cache]")));
        assert!(play.draw().starts_with(" LIVE "), "{}", play.draw());
        // The retry succeeds: the deploy ends well, once.
        play.press("s");
        assert_eq!(play.step().phase.name(), "ended");
        assert_eq!(play.step().phase.deploy(), Some(8));
        assert_eq!(requests(&play).iter().filter(|asked| **asked == "EndLive").count(), 1, "{:?}", play.asked);
        assert_eq!(requests(&play).iter().filter(|asked| **asked == "Arm").count(), 1, "{:?}", play.asked);
        assert!(play.step().watch.is_on(), "{}", play.draw());
    }
}

/// Each row: what failed, the keys at the open end, the requests, and whether it is open still.
#[test]
fn what_can_be_done_at_the_open_end() {
    let last = "exec[warm the cache]";
    let retry = format!("Retry {{ resource: ResourceId({last:?}) }}");
    for (keys, asked, is_open) in [
        ("x", vec![&*retry, "Skip", "EndLive"], false),
        ("r  x", vec![&*retry, "Skip", "EndLive"], false),
        ("r", vec![&*retry], true),
        ("u  n", vec![], true),
        ("u  y", vec!["Undo(8)"], false),
        ("q", vec!["EndLive"], false),
        ("ctrl-c", vec!["EndLive"], false),
        ("q  q", vec!["EndLive", "Quit"], false),
        // On other screens it asks.
        ("4  q", vec![], true),
        ("4  q  n", vec![], true),
        ("4  q  y", vec!["EndLive"], false),
        ("2  ctrl-c  n", vec![], true),
        ("2  ctrl-c  y", vec!["EndLive"], false),
        ("p", vec!["EndLive"], false),
        ("esc  enter  h", vec![], true),
    ] {
        let mut play = Play::armed();
        play.run.fails = Some(id(last));
        play.press("s  s  s  s  s");
        assert!(play.step().is_open_at_end(), "{}", play.draw());
        play.asked.clear();
        play.press(keys);
        assert_eq!(requests(&play), asked, "{keys}");
        assert_eq!(play.step().phase.name() == "live", is_open, "{keys}: {}", play.draw());
    }
    // Without the user it does not hold the lock for ever.
    let mut play = ended_with_a_failure(120, 40);
    play.send(Message::Idle);
    assert_eq!(requests(&play).last(), Some(&"EndLive"));
}

/// If it is killed there, no step is interrupted.
#[test]
fn one_that_is_killed_at_its_open_end_was_at_nothing() {
    let mut play = ended_with_a_failure(120, 40);
    let run = play.step().run;
    play.send(Message::Detached(detached::Notice::Lost { run }));
    play.shows("the apply process was killed while it waited").hides("is cut off");
}

/// A key pressed during a skip of the failure does not skip the next step, which is not visible yet.
#[test]
fn leaving_out_twice_skips_nothing_else() {
    for keys in ["x  x", "x  x  x", "x  j  x"] {
        let mut play = ended_with_a_failure(120, 40);
        let run = play.step().run;
        play.asked.clear();
        play.run.is_slow = true;
        play.press(keys);
        let last = id("exec[warm the cache]");
        let next = Some(id("svc[nginx]"));
        for (next, state) in [(Some(last.clone()), TurnState::Waiting), (next, TurnState::Done)] {
            let turn = Event::Turn { resource: last.clone(), state, step: None, elapsed_ms: 1 };
            play.send(Message::Run { run, event: turn });
            let ready = next.iter().cloned().collect();
            play.send(Message::Run { run, event: Event::Paused { next, ready, why: Pause::Stepped } });
        }
        assert!(!play.step().is_running(), "{keys}");
        assert_eq!(requests(&play).iter().filter(|asked| **asked == "Skip").count(), 1, "{keys}: {:?}", play.asked);
    }
}

/// Other screens show that a deploy is open, and their keys stop running work first.
#[test]
fn an_open_end_is_reported_of_elsewhere() {
    for screen in ["4", "2", "3", "5", "6"] {
        let mut play = ended_with_a_failure(160, 40);
        play.press(screen);
        play.send(Message::PendingDue);
        play.press("esc");
        let drawn = play.draw();
        assert!(
            drawn.lines().next().is_some_and(|head| head.contains("deploy 8 has not ended: 1")),
            "{screen}: {drawn}"
        );
        play.press("q").shows("Deploy 8 has 1 failed");
        play.press("esc  1");
        play.send(Message::PendingDue);
        play.hides("deploy 8 is open");
    }
    let mut play = ended_with_a_failure(160, 40);
    play.press("6");
    play.send(Message::PendingDue);
    play.press("esc");
    assert!(play.draw().lines().last().is_some_and(|foot| foot.contains("q end it")), "{}", play.draw());
}

/// After an end by hand LIVE is off, whatever failed: the summary, the footer and a notice show it, with the available
/// actions.
#[test]
fn an_open_end_is_ended_by_hand() {
    for (width, height) in [(120, 40), (80, 24)] {
        let mut play = ended_with_a_failure(width, height);
        play.press("q");
        assert_eq!(play.step().phase.name(), "ended");
        assert_eq!(requests(&play).last(), Some(&"EndLive"), "the lock is given back");
        assert!(play.draw().starts_with(" DRY "), "{}", play.draw());
        let footer = |play: &Play| play.draw().lines().last().unwrap_or_default().trim().to_string();
        let printed = "LIVE ended by you: 1 failed; A retry, u undo";
        assert_eq!(footer(&play), printed);
        assert!(play.log().contains(printed));
        play.press("shift-tab  shift-tab");
        assert!(footer(&play).starts_with("r retry  A apply again  u undo  p plan"), "{}", footer(&play));
        let page = play.draw().replace('│', " ").split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(page.contains("LIVE has ended."), "{page}");
        // Nothing of it is armed any more.
        play.press("s  c");
        assert_eq!(requests(&play).last(), Some(&"EndLive"), "{:?}", play.asked);
    }
    // With rows left it stays on.
    let mut play = Play::armed();
    play.run.fails = Some(id("file[/srv/web/index.html]"));
    play.press("c");
    assert_eq!(play.step().phase.name(), "live");
    assert!(play.draw().starts_with(" LIVE "), "{}", play.draw());
}
