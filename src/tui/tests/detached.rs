//! A detached applier: offered on Step, attached, lost, taken over.

use super::stage::{Play, id, plan, program};
use super::{live::cut, observe::edited};
use crate::engine::message::{Event, Pause, TurnState};
use crate::plan::{Action, Step};
use crate::session::{ApplierStatus, Guest};
use crate::tui::screen::step::live::{self, Cut, Refusal};
use crate::tui::{look::UNICODE, message::Message, screen::ScreenId, screen::step::detached::Notice, state::State};

/// Goes to Step and attaches.
const BACK: &str = "1  a  w  e  b  1  enter";

pub(super) fn status() -> ApplierStatus {
    ApplierStatus {
        pid: 4711,
        deploy: 7,
        undoes: None,
        since: "2026-11-21T12:00:00Z".into(),
        entry: "web".into(),
        folder: "/m".into(),
        language: "mcl".into(),
        driver: None,
        next: Some(id("file[/srv/web/nginx.conf]")),
        at_work: None,
        turned: 1,
        total: 5,
        other: None,
    }
}

/// Attaches; returns the run.
fn attach(play: &mut Play, status: ApplierStatus, is_other: bool) -> u64 {
    let run = play.step().run;
    let (program, plan) = (program(), plan());
    play.send(Message::Detached(Notice::Attached { run, status, is_other, program, plan }));
    run
}

/// Plays an applier that was attached after its first step.
fn come_back(play: &mut Play) {
    let run = attach(play, status(), false);
    let step = plan().steps[0].clone();
    let resource = step.resource.clone();
    let event = Event::Turn { resource, state: TurnState::Done, step: Some(step), elapsed_ms: 4 };
    play.send(Message::Run { run, event });
    let next = Some(id("file[/srv/web/nginx.conf]"));
    let event = Event::Paused { ready: next.iter().cloned().collect(), next, why: Pause::Stopped };
    play.send(Message::Run { run, event });
}

/// The applier has the confirmed program: if the source has changed, that is reported, and asked about before a retry.
#[test]
fn edits_before_an_attach_are_reported() {
    for is_edited in [false, true] {
        let mut play = Play::after("p");
        if is_edited {
            play.change(edited(&["file[/srv/web/nginx.conf]"]));
            play.press("p");
        }
        let run = attach(&mut play, status(), false);
        assert_eq!(play.draw().contains("the source changed"), is_edited, "{}", play.draw());
        let (resource, state) =
            (id("file[/srv/web/nginx.conf]"), TurnState::Failed { error: "no".into(), is_undone: false });
        let step = plan().steps.iter().find(|step| step.resource == resource).cloned();
        play.send(Message::Run { run, event: Event::Turn { resource, state, step, elapsed_ms: 4 } });
        let next = Some(id("svc[nginx]"));
        let event = Event::Paused { ready: next.iter().cloned().collect(), next, why: Pause::Failure };
        play.send(Message::Run { run, event });
        play.press("r");
        assert_eq!(play.draw().contains("in deploy 7?"), is_edited, "{}", play.draw());
    }
}

#[test]
fn one_that_waits_is_offered_and_attached_to() {
    let mut play = Play::new(80, 24);
    play.send(Message::Detached(Notice::Waits(status())));
    play.shows("is detached and waiting");
    play.press("1");
    insta::assert_snapshot!("parked-80x24", play.draw());
    // It makes the screens live: the same confirmation is needed, and no single key is enough.
    play.press("a").shows("Attach to deploy 7").shows("Type web1 to attach");
    play.press("y  enter");
    assert_eq!(play.step().phase.name(), "dry");
    play.press("ctrl-u  w  e  b  1  enter");
    assert_eq!(play.step().phase.name(), "beginning");
    assert!(play.asked.last().is_some_and(|asked| asked.starts_with("Attach")), "{:?}", play.asked);
    come_back(&mut play);
    let step = play.step();
    assert_eq!((step.phase.name(), step.phase.deploy(), step.is_running()), ("live", Some(7), false));
    assert_eq!(step.next_id().cloned(), Some(id("file[/srv/web/nginx.conf]")));
    assert!(step.live.detached.is_none());
    insta::assert_snapshot!("come-back-80x24", play.draw());
    play.press("s");
    assert_eq!(play.asked.last().map(String::as_str), Some("Step"));
}

/// From the command line the screens start there, whatever is compiled meanwhile.
#[test]
fn the_screens_may_begin_there() {
    let prepare = |state: &mut State| state.cx.saved.attaches = Some((Guest::Taker, status()));
    let mut play = Play::prepared(80, 24, &UNICODE, program(), prepare);
    // Nothing goes live by itself.
    assert_eq!((play.screen(), play.step().phase.name()), (ScreenId::Step, "dry"));
    assert!(play.asked.iter().all(|asked| !asked.starts_with("Attach")), "{:?}", play.asked);
    play.press("w  e  b  1  enter");
    assert_eq!((play.screen(), play.step().phase.name()), (ScreenId::Step, "beginning"));
    assert!(play.asked.iter().any(|asked| asked.contains("Taker")), "{:?}", play.asked);
    come_back(&mut play);
    play.send(Message::FilesChanged(vec![]));
    assert_eq!((play.step().phase.name(), play.step().phase.deploy()), ("live", Some(7)));
}

#[test]
fn one_that_cannot_be_attached_to_leaves_all_as_it_was() {
    for is_loaded in [true, false] {
        let mut play = Play::new(80, 24);
        if is_loaded {
            play.press("p");
        }
        play.send(Message::Detached(Notice::Waits(status())));
        play.press(if is_loaded { "a" } else { "1  a" }).press("w  e  b  1  enter");
        let run = play.step().run;
        play.send(Message::Detached(Notice::NotAttached { run, lines: vec!["no apply is running.".into()] }));
        play.shows("no apply is running");
        let step = play.step();
        assert_eq!((step.phase.name(), step.is_running()), ("dry", false), "{is_loaded}");
    }
}

#[test]
fn one_that_is_lost_or_taken_shows_how_far_it_came() {
    for (notice, words) in [
        (Notice::Lost { run: 0 }, "was killed"),
        (Notice::Taken { run: 0, by: 4712 }, "process 4712"),
        (Notice::EndedThere { run: 0 }, "ended by someone else"),
    ] {
        let mut play = Play::new(120, 40);
        play.send(Message::Detached(Notice::Waits(status())));
        play.press(BACK);
        come_back(&mut play);
        let run = play.step().run;
        let notice = match notice {
            Notice::Taken { by, .. } => Notice::Taken { run, by },
            Notice::EndedThere { .. } => Notice::EndedThere { run },
            _ => Notice::Lost { run },
        };
        play.send(Message::Detached(notice));
        assert_eq!((play.step().phase.name(), play.step().next_id().cloned()), ("ended", None));
        play.shows(words);
    }
}

/// The answer of a check may arrive after the attach: it is outdated.
#[test]
fn an_attached_run_waits_no_more() {
    let mut play = Play::new(120, 40);
    play.send(Message::Detached(Notice::Waits(status())));
    play.press(BACK);
    come_back(&mut play);
    let before = play.draw();
    play.send(Message::Detached(Notice::Waits(status())));
    assert_eq!(play.draw(), before);
    assert!(play.step().live.detached.is_none());
}

/// A check that started before a live run is outdated.
#[test]
fn checks_before_a_live_run_are_not_reported_during_it() {
    for (notice, words) in [
        (live::Notice::CutOff(cut()), "cut off"),
        (live::Notice::NotKnown { as_root: false, why: "no".into() }, "nobody can tell"),
        (live::Notice::Resolved { as_root: false }, "is resolved"),
    ] {
        let mut play = Play::after("p");
        play.send(Message::Live(live::Notice::CutOff(cut())));
        play.press("R").press("w  e  b  1  enter");
        assert_eq!(play.step().phase.name(), "live", "{words}");
        let before = play.draw();
        play.send(Message::Live(notice));
        assert_eq!(play.draw(), before, "{words}");
        assert!(play.step().live.cut.is_none(), "{words}");
    }
    // Root's history is separate.
    let mut play = Play::armed();
    play.send(Message::Live(live::Notice::CutOff(Cut { as_root: true, ..cut() })));
    assert!(play.step().phase.is_live() && play.draw().contains("root's deploy 7 was interrupted"), "{}", play.draw());
}

/// The step that was running when the applier was killed is neither running nor pending.
#[test]
fn the_step_of_a_killed_applier_is_interrupted() {
    let mut play = Play::new(120, 40);
    play.send(Message::Detached(Notice::Waits(status())));
    play.press(BACK);
    come_back(&mut play);
    let run = play.step().run;
    let resource = id("file[/srv/web/nginx.conf]");
    let event = Event::Turn { resource: resource.clone(), state: TurnState::Running, step: None, elapsed_ms: 0 };
    play.send(Message::Run { run, event });
    play.shows("running");
    play.send(Message::Detached(Notice::Lost { run }));
    assert!(play.log().contains("the apply process was killed; the deploy is interrupted"));
    let page = play.draw();
    // The sums count what was done, not what was planned.
    for words in ["1 of 5 done, interrupted", "0 changed", "nginx.conf]  interrupted: effects unknown"] {
        assert!(page.contains(words), "{words}: {page}");
    }
    assert!(!page.contains("running") && !page.contains("nginx.conf]  not run"), "{page}");
    play.press("g  g  j");
    assert_eq!(play.step().cursor_id(), Some(&resource));
    play.shows("the apply process was killed during this step");
}

/// The plan after an attach has only the rest: the end counts both parts.
#[test]
fn the_end_shows_steps_from_before_the_attach() {
    let mut play = Play::new(120, 40);
    play.send(Message::Detached(Notice::Waits(status())));
    play.press(BACK);
    let run = attach(&mut play, status(), false);
    for (at, step) in plan().steps.iter().enumerate() {
        let action = if at == 0 { Action::Create } else { step.action };
        let step = Some(Step { action, ..step.clone() });
        let resource = plan().steps[at].resource.clone();
        let event = Event::Turn { resource, state: TurnState::Done, step, elapsed_ms: 4 };
        play.send(Message::Run { run, event });
    }
    let event = Event::Finished { done: 5, changed: 4, failed: 0, skipped: 0, blocked: 0 };
    play.send(Message::Run { run, event });
    play.shows_all(["4 changed", "create 2", "change 1", "run 1", "    pkg[nginx]"]);
}

/// A detached applier may have another entry: the header names it, and the rest is planned there.
#[test]
fn one_of_another_entry_shows_it() {
    let mut play = Play::new(120, 40);
    play.send(Message::Detached(Notice::Waits(status())));
    play.press(BACK);
    let run = attach(&mut play, ApplierStatus { entry: "harbour".into(), ..status() }, true);
    assert!(play.draw().starts_with(" LIVE web1  harbour "), "{}", play.draw());
    play.change(program());
    play.hides("differs");
    let error = "no space left on device".to_string();
    let failed = TurnState::Failed { error, is_undone: false };
    for (at, step) in plan().steps.iter().enumerate() {
        let state = if at == 4 { failed.clone() } else { TurnState::Done };
        let event = Event::Turn { resource: step.resource.clone(), state, step: Some(step.clone()), elapsed_ms: 4 };
        play.send(Message::Run { run, event });
    }
    play.send(Message::Run { run, event: Event::Paused { next: None, ready: vec![], why: Pause::End } });
    let event = Event::Finished { done: 4, changed: 2, failed: 1, skipped: 0, blocked: 0 };
    play.send(Message::Run { run, event });
    play.shows("is paused: 4 done, 1 failed; r retry, x skip, q end");
    play.press("q").shows("It belongs to harbour").hides("A applies what");
    play.press("A");
    assert!(play.has_no_layer() && play.step().phase.name() == "ended", "{}", play.draw());
}

/// A detached undo continues at once, which is shown before the name is typed.
#[test]
fn attaching_to_an_undo_shows_its_progress() {
    let mut play = Play::new(120, 40);
    play.send(Message::Detached(Notice::Waits(ApplierStatus { undoes: Some(6), ..status() })));
    play.press("1  a").shows("It continues to undo deploy 6 at once.");
    play.press("esc");
    assert!(!play.asked.iter().any(|asked| asked.starts_with("Attach")), "{:?}", play.asked);
}

#[test]
fn arming_where_one_waits_offers_it() {
    // If it is known already, it is shown before the user types a name.
    let mut play = Play::sized(80, 24, "p");
    play.send(Message::Detached(Notice::Waits(status())));
    play.press("esc  A").shows("was disconnected").hides("Nothing is written");
    let mut play = Play::sized(80, 24, "p");
    play.refuses = Some(Refusal::Parked(Box::new(status())));
    play.press("A  w  e  b  1  enter").shows("was disconnected");
    play.press("E");
    assert_eq!(play.asked.last().map(String::as_str), Some("EndDetached"));
    play.send(Message::Detached(Notice::Ended(Ok(status()))));
    assert!(play.step().live.detached.is_none());
}

/// A running step is not reported as done.
#[test]
fn one_that_is_still_at_work_is_reported_to_be() {
    let mut play = Play::new(120, 40);
    let at_work = Some(id("file[/srv/web/nginx.conf]"));
    play.send(Message::Detached(Notice::Waits(ApplierStatus { at_work, ..status() })));
    play.shows("is detached and finishes file[/srv/web/nginx.conf]");
    play.press("1");
    let words = "Deploy 7 was disconnected; it finishes file[/srv/web/nginx.conf], then waits.";
    play.shows(words);
}

/// An unknown one is searched for on request.
#[test]
fn what_another_screen_left_is_found_when_it_is_asked_for() {
    for key in ["R", "a", "p", "A"] {
        let mut play = Play::sized(160, 40, "p");
        play.found_back = Some(Message::Detached(Notice::Driven(ApplierStatus { driver: Some(4712), ..status() })));
        assert!(!play.draw().contains("4712"));
        play.press(key);
        let drawn = play.draw();
        assert!(drawn.contains("deploy 7 is attached elsewhere"), "{key}: {drawn}");
        if key == "A" {
            play.press("w  e  b  1  enter").shows("process 4712 is attached to deploy 7");
        }
        assert!(play.has_no_layer(), "{key}: {drawn}");
    }
}

/// The rest of a withdrawn word does nothing on the screen below.
#[test]
fn a_question_that_is_withdrawn_leaves_no_letters_behind() {
    let mut play = Play::sized(160, 40, "p");
    play.send(Message::Detached(Notice::Waits(status())));
    play.press("a  w  e");
    play.send(Message::Detached(Notice::Driven(ApplierStatus { driver: Some(4712), ..status() })));
    assert!(play.has_no_layer(), "{}", play.draw());
    play.press("b");
    assert!(play.step().breaks.breakpoints.is_empty() && play.draw().contains("process 4712"), "{}", play.draw());
    play.press("1  enter");
    assert!(play.screen() == ScreenId::Step && play.draw().contains("process 4712"), "{}", play.draw());
    play.press("b");
    assert_eq!(play.step().breaks.breakpoints.len(), 1, "{}", play.draw());
}

/// A deploy that another process drives is unresolved: it offers no choice here, and nothing can be applied.
#[test]
fn a_run_of_another_face_is_not_resolved() {
    let driven = || ApplierStatus { driver: Some(4712), ..status() };
    let mut play = Play::sized(160, 40, "p");
    play.send(Message::Detached(Notice::Waits(status())));
    play.press("A");
    assert!(play.draw().contains("is detached and waiting") && !play.has_no_layer(), "{}", play.draw());
    play.send(Message::Detached(Notice::Driven(driven())));
    let drawn = play.draw();
    assert!(drawn.contains("process 4712 is attached to deploy 7"), "{drawn}");
    assert!(drawn.contains("deploy 7 is attached elsewhere") && play.has_no_layer(), "{drawn}");
    play.press("A");
    let drawn = play.draw();
    assert!(drawn.contains("process 4712 is attached to deploy 7"), "{drawn}");
    assert!(play.has_no_layer(), "{drawn}");
    // A failed check resolves nothing.
    let why = "it timed out".to_string();
    play.send(Message::Live(live::Notice::NotKnown { as_root: false, why }));
    play.shows("cannot determine whether deploy 7 is resolved");
    play.send(Message::Live(live::Notice::Resolved { as_root: true }));
    assert!(play.step().live.detached.is_some());
    play.send(Message::Detached(Notice::Waits(status())));
    play.press("A");
    assert!(!play.has_no_layer(), "{}", play.draw());
    play.send(Message::Live(live::Notice::Resolved { as_root: false }));
    assert!(play.draw().contains("deploy 7 is already resolved") && play.has_no_layer(), "{}", play.draw());
    play.press("A").shows("Nothing is written until");
}

/// The history is watched while it has an unresolved deploy that this session does not drive; a check reports only
/// news.
#[test]
fn the_history_is_watched_until_all_is_resolved() {
    let mut play = Play::sized(160, 40, "p");
    assert!(!play.follows_history, "nothing waits");
    play.send(Message::Detached(Notice::Waits(status())));
    assert!(play.follows_history);
    play.press("esc  a  w  e  b  1  enter");
    assert!(!play.follows_history && play.step().phase.is_live(), "{}", play.draw());
    // It was checked just before.
    play.send(Message::Detached(Notice::Waits(status())));
    assert!(play.step().live.detached.is_none() || play.step().phase.name() == "beginning");
    let mut play = Play::sized(160, 40, "p");
    play.send(Message::Detached(Notice::Waits(status())));
    play.press("esc");
    let driven = |driver| Message::Detached(Notice::Driven(ApplierStatus { driver: Some(driver), ..status() }));
    for (driver, is_unread) in [(4712, true), (4712, false), (4713, true)] {
        play.state.cx.dismiss_notice();
        play.send(driven(driver));
        assert_eq!(play.state.cx.notices.notice.is_some(), is_unread, "{}", play.draw());
        assert!(play.follows_history);
    }
    play.send(Message::Live(live::Notice::Resolved { as_root: false }));
    assert!(!play.follows_history && !play.draw().contains("driven elsewhere"), "{}", play.draw());
}

/// Another process finished it meanwhile: it is checked with the question, after a refusal, and after an end that
/// failed.
#[test]
fn a_finished_run_is_not_attached_to() {
    let canonical = || Some(Message::Live(live::Notice::Resolved { as_root: false }));
    for how in ["asked", "refused", "not ended"] {
        let mut play = Play::after("p");
        play.send(Message::Detached(Notice::Waits(status())));
        play.press("esc");
        match how {
            "asked" => {
                play.found_back = canonical();
                play.press("a");
                assert!(play.has_no_layer(), "{}", play.draw());
            }
            "refused" => {
                play.press("a  w  e  b  1  enter");
                play.found_back = canonical();
                let run = play.step().run;
                play.send(Message::Detached(Notice::NotAttached { run, lines: vec!["no apply is running.".into()] }));
                // The reason is shown, without an offer below it.
                assert_eq!(play.state.cx.layers.open.len(), 1, "{}", play.draw());
                play.shows("no apply is running");
            }
            _ => {
                play.found_back = canonical();
                play.send(Message::Detached(Notice::Ended(Err("no apply is running".into()))));
            }
        }
        let live = &play.step().live;
        assert!(live.detached.is_none() && play.step().phase.name() == "dry" && play.found_back.is_none(), "{how}");
        play.hides("waits: ").hides("#7: ");
    }
}

/// Another session is attached: this is shown before anything is asked.
#[test]
fn a_second_session_is_refused_before_it_types() {
    let busy = || ApplierStatus { driver: Some(99), ..status() };
    let prepare = |state: &mut State| state.cx.saved.attaches = Some((Guest::Driver, busy()));
    let play = Play::prepared(80, 24, &UNICODE, program(), prepare);
    play.shows("process 99 is already attached").hides("Type web1");
}
