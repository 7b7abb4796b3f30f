//! Undo from the screens: asked, checked, cancelled, reported.

use std::time::Duration;

use super::live::{ARM, SIZES, cut, requests};
use super::stage::{Play, id};
use crate::plan::Change;
use crate::session::Drift;
use crate::session::history::{UndoStep, Verdict};
use crate::tui::message::Message;
use crate::tui::screen::step::conflict::{Conflict, Of};
use crate::tui::screen::step::live::{Notice, Refusal};

fn conflict(of: Of) -> Conflict {
    let page = |text: &str| Some(text.into());
    let change = Change {
        property: "content".into(),
        from: page("<h1>Harbour</h1>\n<p>closed</p>\n"),
        to: page("<h1>Harbour</h1>\n<p>ships come and go</p>\n"),
        sensitive: false,
    };
    Conflict {
        by: None,
        of,
        lines: vec!["file[/srv/web/index.html]: create the file: changed since the deploy (now a file)".into()],
        changes: vec![(id("file[/srv/web/index.html]"), vec![change])],
    }
}

/// A step of an undo, as the machine was found.
pub fn undo_step(deploy: u64, number: u64, resource: &str, verdict: Verdict) -> UndoStep {
    UndoStep {
        deploy,
        number,
        resource: id(resource),
        words: "write it".into(),
        is_secret: false,
        planned: None,
        verdict,
        is_own: false,
    }
}

/// That a path is removed.
pub fn gone(path: &str) -> Verdict {
    serde_json::from_value(serde_json::json!({"ready": {"remove_folder": {"path": path}}})).expect("as records have it")
}

/// Only an answer's key answers, for the shown conflict; a stop does nothing.
#[test]
fn what_another_user_did_is_shown_and_decided() {
    for (width, height) in SIZES {
        let mut play = Play::new(width, height);
        play.press("p").press(ARM).press("s  c  esc");
        play.conflict = Some(conflict(Of::Undo { deploy: 8, as_root: false }));
        play.press("u  y");
        insta::assert_snapshot!(format!("conflict-{width}x{height}"), play.draw());
    }
    for (key, asked) in [("t", "Undo(8, Keep)"), ("r", "Undo(8, Restore)"), ("esc", "Undo(8)")] {
        let mut play = Play::new(80, 24);
        play.press("p").press(ARM).press("s  c  esc");
        play.conflict = Some(conflict(Of::Undo { deploy: 8, as_root: false }));
        play.press("u  y  j  k  x  y").press(key);
        assert_eq!(requests(&play).last(), Some(&asked));
        assert_eq!(play.step().phase.name(), if key == "esc" { "ended" } else { "dry" });
    }
    let mut play = Play::sized(80, 24, "p");
    play.send(Message::Live(Notice::CutOff(cut())));
    play.refuses = Some(Refusal::Conflict(Box::new(conflict(Of::Resume(cut())))));
    play.press("r  w  e  b  1  enter").shows("closed");
    play.press("r");
    assert_eq!(requests(&play), ["Arm", "Resume(Restore)"]);
    assert_eq!(play.step().phase.name(), "live");
}

/// A later deploy of ours is named, with the advice.
#[test]
fn a_later_deploy_that_is_in_the_way_is_named() {
    for (width, height) in [(80, 24), (40, 12)] {
        let mut play = Play::new(width, height);
        play.press("p").press(ARM).press("s  c  esc");
        play.conflict = Some(Conflict { by: Some(9), ..conflict(Of::Undo { deploy: 8, as_root: false }) });
        play.press("u  y");
        let words = play.draw().split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("Deploy 9 changed this since") && !words.contains("Someone else"), "{words}");
    }
}

/// The changes before an interruption are undone together with those of the resume, so the question lists both.
#[test]
fn undoing_a_resumed_deploy_shows_both() {
    let mut play = Play::after("p");
    play.send(Message::Live(Notice::CutOff(cut())));
    play.press("r  w  e  b  1  enter  s  s");
    let before = undo_step(7, 1, "file[/srv/web/index.html]", gone("/before"));
    play.predicted = Some(vec![undo_step(8, 1, "file[/srv/web/nginx.conf]", gone("/now")), before]);
    play.press("u");
    let frame = play.draw();
    assert!(
        ["Will undo 2:", "delete /now", "delete /before"].into_iter().all(|words| frame.contains(words)),
        "{frame}"
    );
    play.press("n  esc");
    // It can be undone even before it changed anything itself.
    let mut play = Play::after("p");
    play.send(Message::Live(Notice::CutOff(cut())));
    play.press("r  w  e  b  1  enter  u").shows("Undo deploy 8?");
}

/// The progress of an undo is shown on every screen; it can be stopped between two operations.
#[test]
fn undoing_shows_how_far_it_is() {
    for (width, height) in [(120, 40), (80, 24)] {
        let mut play = Play::new(width, height);
        play.press("p").press(ARM).press("s  c  esc");
        play.is_slow_back = true;
        play.press("u  y").shows("checking");
        let run = play.step().run;
        let far = |done| Message::Live(Notice::Undoing { run, done, of: 1000 });
        play.send(far(0));
        play.state.cx.jobs.clock += Duration::from_secs(5);
        play.send(far(250));
        for screen in ["3", "6", "1"] {
            play.press(screen);
            play.send(Message::PendingDue);
            let head = play.draw().lines().next().unwrap_or_default().to_string();
            assert!(head.contains("undoing 250/1000"), "{screen}: {}", play.draw());
        }
        play.shows("undoing 250/1000");
        play.send(Message::Live(Notice::Undoing { run: run - 1, done: 900, of: 1000 }));
        play.press("ctrl-c").shows("stopping after this change");
        assert_eq!(requests(&play).last(), Some(&"Stop"));
        let result = Err(vec!["Stopped.".into()]);
        play.send(Message::Live(Notice::Undone { deploy: 8, result }));
        play.hides("undoing");
        assert_eq!(play.step().phase.name(), "ended");
    }
}

/// The question shows the effects on the current machine. Before they are known, nothing is asked or confirmed.
#[test]
fn an_undo_announces_only_its_own_work() {
    let gone = gone("/x");
    let (conf, page) = ("file[/srv/web/nginx.conf]", "file[/srv/web/index.html]");
    let mut play = Play::after("p");
    play.press(ARM).press("s  c  esc");
    play.is_unread = true;
    play.press("u  y").shows("Reading what deploy 8 did").hides("Undo deploy 8?");
    assert!(!requests(&play).iter().any(|asked| asked.starts_with("Undo")), "{:?}", play.asked);
    let ask = play.step().live.ask;
    let holds = Verdict::Stays("it holds extra, made by exec[warm the cache]".into());
    let steps = vec![undo_step(8, 2, conf, gone.clone()), undo_step(8, 1, page, holds), undo_step(8, 0, conf, gone)];
    play.send(Message::Live(Notice::UndoPlanned { ask: ask - 1, deploy: 8, steps: Ok(vec![]) }));
    assert!(play.draw().contains("Reading what deploy 8 did"), "of the question before: {}", play.draw());
    play.send(Message::Live(Notice::UndoPlanned { ask, deploy: 8, steps: Ok(steps.clone()) }));
    let drawn = play.draw();
    for words in [
        "1 kept because not empty:",
        "index.html]: it holds extra, made by exec[warm the cache]",
        "Will undo 1:",
        "delete /x",
    ] {
        assert!(drawn.contains(words), "{words}: {drawn}");
    }
    assert!(!drawn.contains("index.html]  create"), "{drawn}");
    // After a no it is not asked again.
    for is_asked in [true, false] {
        play.press(if is_asked { "n" } else { "u  n" });
        let ask = play.step().live.ask;
        play.send(Message::Live(Notice::UndoPlanned { ask, deploy: 8, steps: Ok(steps.clone()) }));
        assert!(play.has_no_layer());
    }
    // Without a readable record there is no question.
    play.press("u");
    let (ask, why) = (play.step().live.ask, Err("the journal is not there".to_string()));
    play.send(Message::Live(Notice::UndoPlanned { ask, deploy: 8, steps: why }));
    play.shows("cannot be read: the journal is not there");
    play.press("y");
    assert!(!requests(&play).iter().any(|asked| asked.starts_with("Undo")), "{:?}", play.asked);
    play.is_unread = false;
    let theirs = Verdict::Conflict { why: "now a link".into(), back: None, by: None };
    play.predicted = Some(vec![undo_step(8, 1, page, theirs), undo_step(8, 0, conf, Verdict::Already)]);
    play.press("u");
    play.shows_all(["1 changed since by someone else:", "now a link", "1 already undone:"]);
    play.hides("Will undo");
}

/// A check is cancelled by Esc and by Ctrl-C, without an effect.
#[test]
fn an_undo_that_is_still_checked_is_given_up() {
    for key in ["esc", "ctrl-c"] {
        let mut play = Play::after("p");
        play.press(ARM).press("s  c  esc");
        let before = play.draw();
        play.is_slow_back = true;
        play.press("u  y").shows("checking what to undo of deploy 8");
        play.press(key);
        assert_eq!(requests(&play).last(), Some(&"GiveUp"), "{key}");
        play.send(Message::Live(Notice::UndoCancelled));
        play.shows("cancelled: nothing of deploy 8 was undone");
        assert_eq!((play.step().phase.name(), play.step().phase.deploy()), ("ended", Some(8)), "{key}");
        let rows = |drawn: &str| drawn.lines().take(30).map(String::from).collect::<Vec<_>>();
        assert_eq!(rows(&play.draw()), rows(&before), "{key}");
        play.is_slow_back = false;
        play.press("u  y");
        assert_eq!(requests(&play).last(), Some(&"Undo(8)"), "{key}");
    }
}

/// The watched resources of this session can be undone even after drift, when the page of the run's end is gone.
#[test]
fn watched_resources_can_be_undone() {
    let watched = || {
        let mut play = Play::after("p");
        play.press(ARM).press("c  esc");
        let touched = [id("file[/srv/web/nginx.conf]")].into();
        play.send(Message::Drift { run: 1, drift: Drift::Touched(touched) });
        play.shows("u undo deploy 8");
        assert_eq!(play.step().phase.name(), "dry");
        play
    };
    let mut play = watched();
    play.press("u");
    play.shows_all(["Undo deploy 8?", "Will undo 1:"]);
    play.press("y");
    assert_eq!(requests(&play).last(), Some(&"Undo(8)"));
    // If cancelled, it is watched as before, and can be undone again.
    let mut play = watched();
    play.is_slow_back = true;
    play.press("u  y  esc");
    play.send(Message::Live(Notice::UndoCancelled));
    assert!(play.step().watch.is_on());
    play.is_slow_back = false;
    play.press("u  y");
    assert_eq!(requests(&play).iter().filter(|asked| **asked == "Undo(8)").count(), 2);
    assert!(play.step().applied_run().is_none());
}
