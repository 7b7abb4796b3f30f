//! Applied resources are watched: a touched one becomes a pending dry step, and nothing else happens by itself.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::stage::{Play, id};
use super::{deploys::history, operations::operations, sizes::any_key, undo::undo_step};
use crate::engine::message::{Event, Pause};
use crate::graph::delta::delta;
use crate::session::Drift;
use crate::session::history::Verdict;
use crate::tui::screen::step::live::{Notice, Refusal};
use crate::tui::{effect::Effect, keys, message::Message, update::update};

const CONF: &str = "file[/srv/web/nginx.conf]";
const PAGE: &str = "file[/srv/web/index.html]";
const CACHE: &str = "exec[warm the cache]";

/// After a live run over the whole plan, which is then watched.
fn converged(width: u16, height: u16) -> Play {
    let mut play = Play::new(width, height);
    converge(&mut play);
    play
}

fn converge(play: &mut Play) {
    play.press("p  A  w  e  b  1  enter  c");
    assert_eq!(play.step().phase.name(), "ended", "{}", play.draw());
    assert!(play.step().watch.is_on());
    play.asked.clear();
}

fn touch(play: &mut Play, run: u64, ids: &[&str]) {
    let touched: BTreeSet<_> = ids.iter().map(|one| id(one)).collect();
    play.send(Message::Drift { run, drift: Drift::Touched(touched) });
}

#[test]
fn watched_resources_are_shown_at_all_sizes() {
    for (width, height) in [(120, 40), (80, 24), (60, 16)] {
        let mut play = converged(width, height);
        insta::assert_snapshot!(format!("converged-{width}x{height}"), play.draw());
        touch(&mut play, 1, &[CONF]);
        insta::assert_snapshot!(format!("touched-{width}x{height}"), play.draw());
    }
}

/// The touched resources, keys after that, the requests to runs, and the next resource.
#[test]
fn touched_resources_come_back_as_dry_steps() {
    let until = |id: &str| format!("Continue {{ until: Some(ResourceId({id:?})) }}");
    let table: &[(&[&str], &str, &[String], &str)] = &[
        (&[CONF], "", &[until(CONF)], CONF),
        (&[CONF], "s", &[until(CONF), "Step".into()], "file[/srv/web/index.html]"),
        (&[CACHE, CONF], "", &[until(CONF)], CONF),
        // As planned.
        (&["pkg[nginx]"], "", &[], "pkg[nginx]"),
        (&["file[gone]"], "", &[], "pkg[nginx]"),
    ];
    for (touched, keys, asked, next) in table {
        let mut play = converged(120, 40);
        touch(&mut play, 1, touched);
        if !keys.is_empty() {
            play.press(keys);
        }
        assert_eq!(play.asked, *asked, "{touched:?} {keys}");
        assert_eq!(play.step().next_id().cloned(), Some(id(next)), "{touched:?} {keys}");
        assert_eq!(play.step().phase.name(), "dry", "{touched:?} {keys}");
        assert!(play.step().watch.is_on() && !play.step().phase.is_live());
    }
}

#[test]
fn another_touch_renews_the_step_and_leaves_the_user_who_steps_alone() {
    let mut play = converged(120, 40);
    touch(&mut play, 1, &[CONF]);
    touch(&mut play, 1, &[CACHE]);
    assert_eq!(play.step().next_id().cloned(), Some(id(CONF)), "{}", play.draw());
    play.shows("exec[warm the cache] and 1 more");
    let (run, asked) = (play.step().run, play.asked.len());
    play.press("s");
    touch(&mut play, 1, &[CONF]);
    assert_eq!((play.step().run, play.asked.len()), (run, asked + 1), "the run that is stepped stays");
    play.shows("changed again; p makes a new plan");
}

#[test]
fn breakpoints_hold_on_the_way() {
    let mut play = Play::after("p  j  b  A  w  e  b  1  enter  c  c");
    assert!(play.step().watch.is_on(), "{}", play.draw());
    assert!(play.step().breaks.breakpoints.contains(&id(CONF)));
    touch(&mut play, 1, &[CACHE]);
    assert!(play.asked.iter().any(|asked| asked.starts_with("Break")), "the dry run hears of them: {:?}", play.asked);
}

/// After a live run the program stays watched: a changed input makes its resources pending, breakpoints stay, and the
/// newest event goes live.
#[test]
fn events_of_the_program_come_as_steps_and_go_live() {
    let mut play = Play::after("p  G  b  g  g  A  w  e  b  1  enter  c  c");
    assert!(play.state.cx.events.is_on() && play.step().phase.name() == "ended", "{}", play.draw());
    play.shows("Inputs are watched too");
    play.asked.clear();
    play.happens();
    let drawn = play.draw();
    assert_eq!(play.step().next_id().cloned(), Some(id(CONF)), "{drawn}");
    assert!(drawn.contains("file[/srv/web/nginx.conf] is next; s preview, A apply"), "{drawn}");
    assert!(play.step().stops_at(&id(CACHE)), "{drawn}");
    assert!(play.asked.iter().any(|asked| asked.starts_with("Break")), "{:?}", play.asked);
    play.press("A").shows("Nothing is written until");
    play.press("esc  A  w  e");
    play.happens().press("b  1");
    play.shows("Nothing is written until");
    play.press("enter").shows("an input changed the graph");
    assert_eq!(play.step().phase.name(), "dry");
    play.press("A  w  e  b  1  enter");
    assert_eq!(play.step().phase.name(), "live", "{}", play.draw());
}

/// A change during a live run is checked after it.
#[test]
fn events_wait_for_a_live_run() {
    let mut play = Play::after("p  A  w  e  b  1  enter  c");
    play.happens().press("A  w  e  b  1  enter");
    assert_eq!(play.step().phase.name(), "live", "{}", play.draw());
    play.happens().happens().press("c");
    assert!(!play.step().phase.is_live() && play.state.cx.events.is_on(), "{}", play.draw());
    play.shows("an input changed the graph");
    let here = &play.state.cx.graphed().expect("a graph").graph;
    assert!(std::sync::Arc::ptr_eq(&play.step().program().expect("a plan").graph, here));
}

/// An event makes its resources pending, and the applied ones stay watched: drift on a resource that the event does not
/// change is reported, whichever comes first. The deploy can be undone all the time.
#[test]
fn an_event_leaves_the_watch_and_the_way_back() {
    let mut play = converged(120, 40);
    play.happens();
    for (touched, words, next) in [
        (&[][..], "an input changed the graph, ~1: file[/srv/web/nginx.conf] is next", CONF),
        (&[CACHE], "Drift: exec[warm the cache] changed. s preview, A apply, u undo deploy 8", CONF),
        (&[PAGE], "Drift: file[/srv/web/index.html] and 1 more changed. s preview", CONF),
        (&[CACHE], "Drift: exec[warm the cache] and 1 more changed. s preview", CONF),
        (&[CONF], "Drift: exec[warm the cache] and 1 more changed. s preview", CONF),
    ] {
        if !touched.is_empty() {
            touch(&mut play, 1, touched);
        }
        let drawn = play.draw();
        assert!(drawn.contains(words), "{touched:?}: {drawn}");
        assert!(
            drawn.contains("watching") && !drawn.contains("it was changed outside workbench"),
            "{touched:?}: {drawn}"
        );
        assert_eq!(play.step().next_id().cloned(), Some(id(next)), "{touched:?}: {drawn}");
        play.press("u").shows("Undo deploy 8?");
        play.press("n");
    }
    // Drift on a resource that the event changes is not reported.
    let mut play = converged(120, 40);
    play.happens();
    touch(&mut play, 1, &[CONF]);
    let words = "file[/srv/web/nginx.conf]: changed outside workbench, and its declaration changed";
    play.shows(words);
    assert_eq!(play.step().next_id().cloned(), Some(id(CONF)), "{}", play.draw());
    // Touched first, and then changed by an event.
    let mut play = converged(120, 40);
    touch(&mut play, 1, &[CONF]);
    play.shows("it was changed outside workbench");
    play.happens();
    play.shows("an input changed the graph").shows("watching").hides("it was changed outside workbench");
    // After another event, drift is still measured against the applied program.
    play.happens().happens();
    touch(&mut play, 1, &[CACHE]);
    play.shows("Drift: exec[warm the cache] changed. s preview");
}

/// The next step stays next if an event makes an earlier one pending, and is not shown as first in order then.
#[test]
fn what_stays_next_is_not_first_by_the_order() {
    let mut play = converged(120, 40);
    touch(&mut play, 1, &[PAGE]);
    play.shows("it was changed outside workbench");
    play.happens();
    // The text beside the order, without its line breaks.
    let pauses = |play: &mut Play, ready: &[&str]| {
        let ready: Vec<_> = ready.iter().map(|one| id(one)).collect();
        let event = Event::Paused { next: ready.first().cloned(), ready, why: Pause::Stepped };
        play.send(Message::Run { run: play.step().run, event });
        let drawn = play.draw();
        let beside = drawn.lines().filter_map(|line| line.split('│').nth(3));
        let words: Vec<_> = beside.flat_map(str::split_whitespace).collect();
        words.join(" ")
    };
    let drawn = pauses(&mut play, &[PAGE, CONF]);
    assert!(drawn.contains("it was next before the input changed") && !drawn.contains("first of"), "{drawn}");
    // If the order agrees, that is the reason; and after another step was next, the event is no longer the reason.
    assert!(pauses(&mut play, &[PAGE, CACHE]).contains("first of"), "{}", play.draw());
    pauses(&mut play, &[CONF, PAGE]);
    let drawn = pauses(&mut play, &[PAGE, CONF]);
    assert!(drawn.contains("you selected it"), "whatever made it so: {drawn}");
}

/// An event with errors has no graph: drift is measured against the event before it, which is shown, and nothing is
/// applied.
#[test]
fn while_an_event_has_errors_the_one_before_it_is_planned() {
    let mut play = converged(120, 40);
    play.happens().happens().happens();
    let planned = |play: &Play| play.step().program().expect("a plan").graph.clone();
    let before = planned(&play);
    play.happens();
    play.shows("watching  stale: 1 error").shows("event 4 has 1 error: ");
    touch(&mut play, 1, &[CACHE]);
    let drawn = play.draw();
    let words = "Drift: exec[warm the cache] changed; event 4 has 1 error: ";
    assert!(drawn.contains(words) && !drawn.contains("A apply"), "{drawn}");
    assert!(std::sync::Arc::ptr_eq(&planned(&play), &before));
    play.press("A").shows("A: event 4 has 1 error");
    // The next event without errors is planned, and can be applied.
    play.goes_back();
    touch(&mut play, 1, &[CACHE]);
    play.shows("s preview, A apply").hides("stale:");
    play.press("A").shows("Nothing is written until");
}

/// A user who is stepping is not interrupted.
#[test]
fn changes_during_an_event_wait_for_a_plan() {
    let mut play = converged(120, 40);
    play.happens().press("s");
    let (run, plans) = (play.step().run, play.plans);
    touch(&mut play, 1, &[CACHE]);
    assert_eq!((play.step().run, play.plans), (run, plans), "the run that is stepped stays");
    play.shows("Drift: exec[warm the cache] changed; p makes a new plan");
    play.press("p");
    assert!(play.step().watch.is_on() && play.plans == plans + 1, "{}", play.draw());
    touch(&mut play, 1, &[CACHE]);
    play.shows("Drift: exec[warm the cache] changed. s preview");
}

/// An event that restores the applied program makes no step pending; drift is still reported.
#[test]
fn an_event_that_goes_back_leaves_the_watch_as_it_was() {
    for keys in ["", "s", "s  s"] {
        let mut play = converged(120, 40);
        play.happens();
        if !keys.is_empty() {
            play.press(keys);
        }
        play.goes_back();
        let drawn = play.draw();
        assert!(drawn.contains("the input is back: the program is as in deploy 8 again"), "{keys}: {drawn}");
        assert!(play.step().shows_summary() && play.step().turned() == 0, "{keys}: {drawn}");
        assert!(drawn.contains("watching") && !drawn.contains("stale"), "{keys}: {drawn}");
        touch(&mut play, 1, &[CACHE]);
        play.shows("Drift: exec[warm the cache] changed. s preview");
    }
    let mut play = converged(120, 40);
    play.happens();
    touch(&mut play, 1, &[CONF]);
    play.goes_back();
    play.shows("Drift: file[/srv/web/nginx.conf] changed. s preview");
}

/// An applied event is watched. A live run that does not start ends nothing.
#[test]
fn new_resources_are_watched_once_live() {
    let mut play = converged(120, 40);
    play.happens();
    play.refuses = Some(Refusal::GivenUp);
    play.press("A  w  e  b  1  enter");
    assert!(play.step().watch.is_on() && play.step().applied_run().is_some(), "{}", play.draw());
    touch(&mut play, 1, &[CACHE]);
    play.shows("Drift: exec[warm the cache] changed. s preview");
    play.press("A  w  e  b  1  enter  c");
    touch(&mut play, 1, &[CACHE]);
    assert_eq!(play.step().phase.name(), "ended", "the watch before it has ended: {}", play.draw());
    touch(&mut play, 2, &[CONF]);
    let words = "Drift: file[/srv/web/nginx.conf] changed. s preview, A apply, u undo deploy 8";
    play.shows(words);
}

/// After a cancelled undo the applied program is watched, not the shown event.
#[test]
fn applied_resources_without_undo_stay_watched() {
    let mut play = converged(120, 40);
    let put = play.step().program().expect("a plan").graph.clone();
    play.happens().press("u");
    play.is_slow_back = true;
    play.press("y");
    assert!(!play.step().watch.is_on() && !play.state.cx.events.is_on());
    let effects = update(&mut play.state, Message::Live(Notice::UndoCancelled));
    let graph = effects.iter().find_map(|effect| match effect {
        Effect::WatchDrift { graph, .. } => Some(graph),
        _ => None,
    });
    assert!(graph.is_some_and(|graph| delta(&put, graph).is_empty()), "{effects:?}");
    assert!(effects.iter().any(|effect| matches!(effect, Effect::Watch { .. })), "{effects:?}");
    assert!(play.step().applied_run().is_some());
}

/// The last deploy can be undone even if nothing is watched any more.
#[test]
fn the_end_of_a_watch_leaves_the_way_back() {
    for keys in ["w", "w  p", "w  p  s"] {
        let mut play = converged(120, 40);
        play.happens().press(keys).press("u");
        play.shows("Undo deploy 8?");
        play.press("y");
        assert!(play.step().applied_run().is_none(), "{keys}");
    }
}

/// An undo by another process is noticed with the question, and no longer offered.
#[test]
fn resources_undone_elsewhere_are_not_applied() {
    let stays = || Verdict::Stays("it holds extra".into());
    for (last, is_back) in [(Verdict::Already, true), (stays(), false)] {
        let mut play = converged(120, 40);
        play.press("w  p");
        play.predicted = Some(vec![undo_step(8, 1, PAGE, last), undo_step(8, 0, CONF, Verdict::Already)]);
        play.press("u");
        let drawn = play.draw();
        assert_eq!(drawn.contains("all changes of deploy 8 are already undone"), is_back, "{drawn}");
        assert_eq!((play.has_no_layer(), play.step().applied_run().is_none()), (is_back, is_back));
    }
}

/// An open question stays; what was touched meanwhile is checked before anything goes live.
#[test]
fn changes_while_typing_a_name_are_checked_then() {
    let mut play = converged(120, 40);
    touch(&mut play, 1, &[CONF]);
    play.press("A  w  e");
    touch(&mut play, 1, &[CACHE]);
    play.press("b  1").shows("Nothing is written until");
    play.press("enter");
    assert_eq!(play.step().phase.name(), "dry");
    play.shows("exec[warm the cache] and 1 more");
    play.press("A  w  e  b  1  enter");
    assert_eq!(play.step().phase.name(), "live");
}

/// A program without inputs is not watched, nor is one that is not shown.
#[test]
fn programs_without_inputs_are_not_followed() {
    let mut play = Play::new(120, 40);
    play.watch.reads_nothing = true;
    play.press("p  A  w  e  b  1  enter  c");
    assert!(play.step().watch.is_on() && !play.state.cx.events.is_on(), "{}", play.draw());
    play.hides("What the program reads");
}

#[test]
fn it_ends_by_a_key_a_plan_or_another_live_run() {
    for keys in ["w", "p", "A  w  e  b  1  enter"] {
        let mut play = Play::new(120, 40);
        // While events are watched, their program is planned, whatever is compiled.
        play.watch.reads_nothing = keys == "p";
        converge(&mut play);
        // A touched resource leads to a plan that can be applied.
        touch(&mut play, 1, &[CONF]);
        if keys == "p" {
            play.change(super::stage::program());
        }
        play.press(keys);
        assert!(!play.step().watch.is_on(), "{keys}");
        let (asked, phase) = (play.asked.len(), play.step().phase.name());
        touch(&mut play, 1, &[CONF]);
        assert_eq!((play.asked.len(), play.step().phase.name()), (asked, phase), "{keys}: the keys have no effect");
    }
    let mut play = converged(120, 40);
    play.press("esc  esc  tab  esc");
    assert!(play.step().watch.is_on(), "Esc leaves what is topmost, and never this");
    play.press("q");
    assert_eq!(play.asked.last().map(String::as_str), Some("Quit"));
}

/// An undo by this session, on any screen, is not reported as drift.
#[test]
fn our_own_undo_is_not_a_foreign_change() {
    for keys in ["u", "5  j  j  u"] {
        let mut play = converged(120, 40);
        play.deploys = history();
        play.press(keys);
        // It is running, and has not ended.
        let yes = keys::parse("y").expect("a key").remove(0);
        let effects = update(&mut play.state, Message::Key(yes));
        let begins = effects.iter().any(|effect| matches!(effect, Effect::Undo { .. }));
        let ends = effects.iter().any(|effect| matches!(effect, Effect::EndDrift(_)));
        assert!(begins && ends, "{keys}: {effects:?}");
        assert_eq!(play.step().phase.name(), "undoing", "{keys}");
        touch(&mut play, 1, &[CONF]);
        play.send(Message::Live(Notice::Undone { deploy: 8, result: Ok(vec!["2 undone.".into()]) }));
        touch(&mut play, 1, &[CACHE]);
        play.press("esc  6").send(Message::PendingDue);
        play.hides("touched from outside").shows("2 undone.");
    }
}

/// If nothing was undone, the resources are as applied, and watched as before.
#[test]
fn what_could_not_be_undone_is_watched_on() {
    let refused = || Notice::NotUndone { deploy: 8, why: vec!["Nothing was undone.".into()] };
    let stopped = || Notice::Undone { deploy: 8, result: Err(vec!["Stopped.".into()]) };
    for (notice, is_watched) in [(refused(), true), (stopped(), false)] {
        let mut play = converged(120, 40);
        play.press("u");
        let yes = keys::parse("y").expect("a key").remove(0);
        _ = update(&mut play.state, Message::Key(yes));
        assert!(!play.step().watch.is_on(), "what is taken back here is not foreign");
        play.send(Message::Live(notice));
        play.press("esc");
        assert_eq!(play.draw().contains("end  watching"), is_watched, "{}", play.draw());
    }
    // Nothing was watched that was not watched before.
    let mut play = converged(120, 40);
    play.press("w  u  y");
    play.send(Message::Live(refused()));
    assert!(!play.step().watch.is_on());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: super::many(48, 500) as u32, ..ProptestConfig::default() })]

    /// Any keys and drift, in any order and size: nothing goes live without the name, and nothing panics.
    #[test]
    fn any_keys_and_touches(events in prop::collection::vec((any_key(), 1u16..130, 1u16..45, 0u8..9), 1..60)) {
        let mut play = converged(80, 24);
        (play.deploys, play.operations) = (history(), operations());
        for (key, width, height, what) in events {
            match what {
                0 => play.send(Message::Resize(width, height)),
                1 => touch(&mut play, 1, &[CONF]),
                2 => touch(&mut play, 1, &[CACHE, "pkg[nginx]"]),
                3 => { play.press("5"); }
                4 => { play.happens(); }
                5 => { play.goes_back(); }
                _ => play.send(Message::Key(key)),
            }
            prop_assert!(!play.asked.iter().any(|asked| asked.starts_with("Arm")), "nobody typed a name");
            let layout = play.state.cx.layout();
            prop_assert!(layout.pane(play.state.cx.focus()).is_some(), "the focus is on a pane that is shown");
            play.draw();
        }
    }
}

/// While the inputs are watched, the machine is watched too: a plan becomes stale as without it.
#[test]
fn watching_inputs_does_not_blind_a_plan() {
    let play = Play::sized(80, 24, "p  w");
    assert!(play.state.cx.events.is_on() && play.watches_plan);
    assert!(play.draw().lines().next().is_some_and(|header| header.contains("watch")), "{}", play.draw());
}
