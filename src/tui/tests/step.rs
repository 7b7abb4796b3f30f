//! Stepping on the screens: counts and screens, diffs, breakpoints, skips, and restored runs.

use super::stage::{CODE, Play, broken, compiled, graph, id, program};
use super::{deploys, live::ARM, views::SIZES};
use crate::engine::message::{Event, Pause};
use crate::graph::{Graph, Node, NodeIndex, Value};
use crate::plan::stop::BreakMode;
use crate::source::Sources;
use crate::tui::look::{ASCII, UNICODE};
use crate::tui::{effect::Effect, message::Message, program::Program, screen::ScreenId, update::update};
use crate::tui::{keys, restore};
use std::{sync::Arc, time::Duration};

/// With relative line numbers, a pending digit shows its meaning.
#[test]
fn a_pending_digit_shows_its_choices() {
    for (keys, words) in [("5", "5 History, or a count"), ("1  2", " 12"), ("9", " 9")] {
        for width in [120, 60] {
            let mut play = Play::sized(width, 40, "2");
            play.state.screens.code.counts_from_cursor = true;
            play.press(keys);
            let drawn = play.draw();
            assert!(drawn.trim_end().ends_with(words), "{keys}: {drawn}");
            play.send(Message::PendingDue);
            play.hides("or a count");
        }
    }
}

/// A plan is shown an instant before its run waits: a key pressed then runs, and is not refused.
#[test]
fn keys_that_come_before_the_run_waits_are_not_lost() {
    for (hasty, typed) in [("A", "p  A"), ("c", "p  c"), ("s c", "p  s  c"), ("c ctrl-c", "p")] {
        let (mut quick, mut slow) = (Play::new(120, 40), Play::new(120, 40));
        quick.hasty = hasty;
        quick.press("p");
        slow.press(typed);
        assert_eq!(quick.draw(), slow.draw(), "{hasty}");
    }
}

/// The steps of a class, or else of a file, fold into one row; the next step unfolds its own.
#[test]
fn steps_fold_by_class_and_file() {
    let mut play = Play::after("p");
    let all = play.step().list.len();
    play.press("z  M");
    let page = play.draw();
    assert!(play.step().list.len() < all && page.contains("class web") && page.contains("steps"), "{page}");
    let folded = play.step().list.len();
    play.press("g  g  enter");
    assert!(play.step().list.len() > folded, "{}", play.draw());
    play.press("z  M  s");
    assert_eq!(play.step().cursor_id(), play.step().next_id(), "{}", play.draw());
    play.press("z  R");
    assert_eq!(play.step().list.len(), all);
}

#[test]
fn drawn() {
    for (width, height) in SIZES {
        for (name, keys) in [
            ("diff", "p  s"),
            ("diff-side-by-side", "p  s  tab  +  d"),
            ("breakpoints", "p  b  j  b  j"),
            ("breakpoints-listed", "p  b  j  b  B  space"),
            ("whole", "p  P"),
            ("left-out", "p  j  x  y  j"),
            ("against", "p  ="),
        ] {
            // A small screen shows one pane at a time.
            let look = if width < 80 && matches!(name, "against" | "diff") { "  tab" } else { "" };
            let mut play = Play::new(width, height);
            play.press(&format!("{keys}{look}"));
            insta::assert_snapshot!(format!("step-{name}-{width}x{height}"), play.draw());
            let mut plain = Play::with(width, height, &ASCII, program());
            plain.press(&format!("{keys}{look}"));
            assert!(plain.draw().is_ascii(), "{name}: {}", plain.draw());
        }
        let mut play = Play::new(width, height);
        play.press("p").press(ARM);
        play.run.fails = Some(id("file[/srv/web/index.html]"));
        play.press("c  j  x  c  q  tab");
        insta::assert_snapshot!(format!("step-end-{width}x{height}"), play.draw());
    }
}

#[test]
fn secrets_are_not_compared() {
    let play = Play::after("p  s");
    play.shows("workers 2;");
    let step = play.step().step_of(&id("file[/srv/web/nginx.conf]")).expect("it is planned").clone();
    let secret = Value::Sensitive(Box::new(Value::from("one secret\nof two lines\n")));
    for (from, to) in [(Some(secret.clone()), Value::from("a\nb\n")), (Some(Value::from("a\nb\n")), secret)] {
        let mut change = step.changes[1].clone();
        (change.from, change.to) = (from, Some(to));
        let lines = crate::tui::screen::step::change_lines(&play.state.cx, &change, 80);
        let words: String = lines.iter().map(ToString::to_string).collect();
        assert!(!words.contains("one secret") && words.contains("(secret)"), "{words}");
    }
}

/// A failure stops a run, or is passed if that is switched off, which the title shows.
#[test]
fn a_failure_stops_a_run_or_not() {
    for (presses, mode, next) in [
        ("c", BreakMode::Failure, Some("svc[nginx]")),
        ("B  space  esc  c", BreakMode::Never, None),
        ("B  enter  space  esc  c", BreakMode::Failure, Some("svc[nginx]")),
    ] {
        let mut play = Play::after("p");
        play.run.fails = Some(id("file[/srv/web/index.html]"));
        play.press(presses);
        assert_eq!((play.step().breaks.break_mode, play.step().next_id().cloned()), (mode, next.map(id)), "{presses}");
        assert_eq!(play.draw().contains("does not stop on failure"), mode == BreakMode::Never, "{presses}");
    }
}

/// The screens as they open, on the plan.
fn opened() -> Play {
    Play::prepared(120, 40, &UNICODE, program(), |state| state.cx.screen = ScreenId::Step)
}

#[test]
fn breakpoints_are_switched_and_come_back() {
    let play = Play::after("p  b  j  b  B  space  j  space  esc");
    assert_eq!(play.step().breaks.breakpoints.len(), 2);
    assert_eq!(play.step().breaks.muted.len(), 1);
    assert!(play.asked.iter().any(|asked| asked.contains("Break") && asked.contains("on: false")), "{:?}", play.asked);
    let kept = restore::to_text(play.step(), &play.state.cx);
    let mut again = opened();
    again.send(Message::Recalled(Ok(Some(kept))));
    let step = again.step();
    assert_eq!((step.breaks.breakpoints.len(), step.breaks.muted.len()), (2, 1));
    let printed: Vec<_> = again.asked.iter().filter(|asked| asked.starts_with("Break")).collect();
    assert!(printed.len() == 1 && printed[0].contains("pkg[nginx]"), "{printed:?}");
}

/// An unfinished dry run is resumed if the plan is the same.
#[test]
fn an_unfinished_run_is_taken_up() {
    let play = Play::after("p  s  x  y");
    let next = play.step().next_id().cloned();
    let kept = restore::to_text(play.step(), &play.state.cx);
    let mut again = opened();
    again.send(Message::Recalled(Ok(Some(kept.clone()))));
    assert_eq!((again.step().next_id().cloned(), again.step().turned()), (next, 2));
    assert!(again.asked.iter().any(|asked| asked == "Skip"), "{:?}", again.asked);
    again.shows("restored: 2 steps done");
    // A settings error is not overwritten: later notices appear with the next key.
    let mut faulty = Play::prepared(120, 40, &UNICODE, program(), |state| {
        state.cx.screen = ScreenId::Step;
        state.cx.show_fault("config.toml:1:9: no such theme");
    });
    faulty.send(Message::Recalled(Ok(Some(kept.clone()))));
    faulty.shows("no such theme").hides("restored");
    faulty.press("j").shows("restored: 2 steps done");
    faulty.press("j");
    assert!(faulty.state.cx.notices.notice.is_none(), "{}", faulty.draw());
    // A new plan starts again.
    again.press("p");
    assert_eq!(again.step().turned(), 0);
    let mut other = opened();
    other.send(Message::Recalled(Ok(Some(kept.replace("7f3a9c21d0", "0123456789")))));
    assert_eq!(other.step().turned(), 0);
    other.shows("the 2 steps done then were discarded");
}

#[test]
fn one_step_is_one_step() {
    let play = Play::after("p  s");
    let kept = restore::to_text(play.step(), &play.state.cx);
    let mut again = opened();
    again.send(Message::Recalled(Ok(Some(kept))));
    again.shows("restored: 1 step done");
}

/// A key that can do nothing names the obstacle: the error itself.
#[test]
fn a_failed_plan_shows_the_reason() {
    let mut play = Play::after("p  s");
    play.change(broken());
    for keys in ["p", "3  p", "A"] {
        play.press(keys);
        let notice = play.notice();
        assert!(notice.contains("1 error: web/main.mcl:"), "{keys}: {notice}");
    }
    let mut play = Play::with(120, 40, &UNICODE, compiled(Graph::default(), Sources::default()));
    for keys in ["p", "s", "A", "3  p"] {
        play.press(keys);
        let notice = play.notice();
        assert!(notice.contains("declares no resources"), "{keys}: {notice}");
    }
}

/// On Graph and Code, before there is any plan: asks if it blocks dependents, and the run has it later.
#[test]
fn resources_are_left_out_beforehand() {
    let mut play = Play::after("3  j  x");
    play.shows("This blocks 2 dependents");
    play.press("n");
    assert!(play.step().skips.left_out.is_empty());
    play.press("x  y  G  x");
    // Nothing needs the last one.
    assert_eq!(play.step().skips.left_out.len(), 2);
    assert!(play.has_no_layer());
    play.press("x  p");
    assert_eq!(play.step().skips.left_out.iter().cloned().collect::<Vec<_>>(), [id("file[/srv/web/nginx.conf]")]);
    assert!(
        play.asked.iter().any(|asked| asked.contains("LeaveOut") && asked.contains("on: true")),
        "{:?}",
        play.asked
    );
    play.shows("1 skipped").shows("1 of 5 would change");
    play.press("A").shows("1 skipped:");
}

#[test]
fn a_plan_is_compared_with_the_last_deploy() {
    let mut play = Play::after("p  =");
    let drawn = play.draw();
    for words in ["Since deploy 7 of", "mode: changed outside workbench since", "new in the program", "svc[nginx]"] {
        assert!(drawn.contains(words) || words == "svc[nginx]", "{words}: {drawn}");
    }
    play.press("=").shows("would change");
    play.was_applied = false;
    play.press("=").shows("No earlier deploy of this module");
    assert_eq!(deploys::whole(7).outcomes.len(), 3);
    // From then on, and after a plan, the comparison is known to be empty.
    for keys in ["=", "p  ="] {
        play.press("esc").press(keys);
        let reason = "no earlier deploy of this module to compare with";
        play.shows(reason);
    }
    // A live run leaves something to compare with.
    play.press(ARM).press("s");
    play.was_applied = true;
    play.press("p  =").shows("Since deploy 7 of");
}

/// The program with another value in one resource, or with one less.
fn edited(drop_last: bool) -> Arc<Program> {
    wanting("absent", drop_last)
}

fn wanting(state: &str, drop_last: bool) -> Arc<Program> {
    let mut graph = graph();
    if let Node::Resource(resource) = graph.node_mut(NodeIndex(2)) {
        resource.set("state", Value::from(state));
    }
    if drop_last && let Node::Resource(resource) = graph.node_mut(NodeIndex(4)) {
        resource.set("cmd", Value::from("true"));
    }
    let mut sources = Sources::default();
    sources.add("web/main.mcl", Some("/m/web/main.mcl".into()), CODE);
    compiled(graph, sources)
}

/// A live run in which the page failed, and the question about its edit.
fn failed_and_edited() -> Play {
    let mut play = Play::armed();
    play.run.fails = Some(id("file[/srv/web/index.html]"));
    play.press("c  e");
    play.change(edited(false));
    play.send(Message::Edited(Ok(())));
    play
}

/// LIVE: if only the failed resource differs, it is retried within the deploy, after one question.
#[test]
fn what_failed_live_is_edited_and_tried_within_the_deploy() {
    const PAGE: &str = "file[/srv/web/index.html]";
    for by_editor in [true, false] {
        for (width, height) in [(120, 40), (80, 24)] {
            let mut play = Play::with(width, height, &UNICODE, program());
            play.press("p").press(ARM);
            play.run.fails = Some(id(PAGE));
            play.press("c");
            if by_editor {
                play.press("e");
                play.change(edited(false));
                play.send(Message::Edited(Ok(())));
                insta::assert_snapshot!(format!("mend-within-{width}x{height}"), play.draw());
            } else {
                // By another editor: it is reported, and asked about at a retry.
                play.change(edited(false));
                let printed = play.notice();
                assert!(printed.contains("r retries it with the edit"), "{printed}");
                assert!(play.has_no_layer(), "{}", play.draw());
                play.press("r");
            }
            assert!(!play.asked.iter().any(|asked| asked.starts_with("Retry")), "{:?}", play.asked);
            play.press("y");
            let step = play.step();
            assert_eq!(
                (step.phase.name(), step.phase.deploy(), step.next_id().cloned()),
                ("live", Some(8), Some(id(PAGE)))
            );
            assert_eq!(step.turn, play.state.cx.programs.turn, "the rows are of the program as it says now");
            play.hides("stale");
            assert!(play.log().contains("edited during the deploy: state"));
            play.press("s");
            assert_eq!(play.asked.iter().filter(|asked| asked.starts_with("Amend")).count(), 1, "{:?}", play.asked);
            assert!(!play.asked.iter().any(|asked| asked == "EndLive"), "{:?}", play.asked);
            assert!(play.step().next_id().is_some() && play.step().next_id().cloned() != Some(id(PAGE)));
        }
    }
}

/// Edits of several failures are asked about one after another: each retry has only its edit, and no key is held for
/// the others.
#[test]
fn failures_that_were_edited_in_one_go_are_asked_about_in_turn() {
    let (page, cache) = ("file[/srv/web/index.html]", "exec[warm the cache]");
    let mut play = Play::armed();
    play.run.fails = Some(id(page));
    play.press("c");
    play.run.fails = Some(id(cache));
    play.press("s  s  s  s  s");
    assert!(play.step().is_open_at_end() && play.draw().contains("2 failed"), "{}", play.draw());
    let at = play.step().cursor_id().cloned().expect("a row");
    let other = if at == id(page) { cache } else { page };
    play.press("e");
    play.change(edited(true));
    play.send(Message::Edited(Ok(())));
    let question = play.draw();
    for words in [format!("{at} changed:"), format!("Also edited, asked next: {other}")] {
        assert!(question.contains(&words) && !question.contains("another graph"), "{words}: {question}");
    }
    play.press("y");
    assert_eq!(play.step().next_id().cloned(), Some(at.clone()), "{}", play.draw());
    play.press("s");
    assert_eq!(play.asked.last().map(String::as_str), Some("Step"), "{}", play.draw());
    while play.step().cursor_id() != Some(&id(other)) {
        let up = play.step().cursor_id() == Some(&id(cache));
        play.press(if up { "k" } else { "j" });
    }
    play.press("r").shows(format!("Only {other} changed:"));
    play.press("y");
    let amends: Vec<_> = play.asked.iter().filter(|asked| asked.starts_with("Amend")).cloned().collect();
    assert_eq!(amends, [format!("Amend({at})"), format!("Amend({other})")]);
    assert_eq!(play.step().turn, play.state.cx.programs.turn, "all is as the program says now");
}

/// The question waits behind another one: if that undid the deploy, nothing is left to ask.
#[test]
fn an_edit_is_not_asked_about_where_the_deploy_is_over() {
    for keys in ["u  y", "u  n"] {
        let mut play = Play::armed();
        play.run.fails = Some(id("file[/srv/web/index.html]"));
        play.press("c  e");
        let (asks, answers) = keys.split_once("  ").expect("two keys");
        play.press(asks);
        play.change(edited(true));
        play.send(Message::Edited(Ok(())));
        play.shows("Undo deploy 8?");
        play.press(answers);
        let is_asked = play.draw().contains("Continue with the new graph?");
        assert_eq!(is_asked, answers == "n", "{}", play.draw());
    }
}

/// The same at the end of a run: the deploy is still open.
#[test]
fn what_failed_is_edited_and_tried_within_the_deploy_at_its_end() {
    let mut play = Play::armed();
    play.run.fails = Some(id("file[/srv/web/index.html]"));
    play.press("s  s  s  s  s");
    assert!(play.step().is_open_at_end(), "{}", play.draw());
    play.press("e");
    play.change(edited(false));
    play.send(Message::Edited(Ok(())));
    play.shows("in deploy 8?");
    play.press("y");
    let step = play.step();
    let next = Some(id("file[/srv/web/index.html]"));
    assert_eq!((step.phase.name(), step.phase.deploy(), step.next_id().cloned()), ("live", Some(8), next));
    assert!(!play.asked.iter().any(|asked| asked == "EndLive"), "{:?}", play.asked);
    // If more differs, the deploy ends for another.
    let mut play = Play::armed();
    play.run.fails = Some(id("file[/srv/web/index.html]"));
    play.press("s  s  s  s  s  e");
    play.change(edited(true));
    play.send(Message::Edited(Ok(())));
    play.press("y");
    assert_eq!(play.asked.iter().filter(|asked| *asked == "EndLive").count(), 1, "{:?}", play.asked);
    play.shows("Nothing is written until");
}

/// An answer only counts for the shown edit: one saved during the question is asked about again.
#[test]
fn a_retry_applies_the_confirmed_state() {
    let mut play = failed_and_edited();
    play.shows("absent");
    let amends = |play: &Play| play.asked.iter().filter(|asked| asked.starts_with("Amend")).count();
    play.change(wanting("otherwise", false));
    play.press("y");
    assert!(play.draw().contains("otherwise") && amends(&play) == 0, "{}", play.draw());
    play.change(program());
    play.press("y");
    assert!(play.draw().contains("no change any more") && amends(&play) == 0, "{}", play.draw());
    play.change(wanting("otherwise", false));
    play.press("r  n");
    play.change(edited(false));
    let printed = play.notice();
    assert!(printed.contains("r retries it with the edit"), "also after a no: {printed}");
    play.press("r  y");
    assert_eq!(amends(&play), 1, "{:?}", play.asked);
}

/// LIVE: otherwise the rest is planned and confirmed again, with the failed step next; finished steps are shown as
/// done.
#[test]
fn what_failed_live_is_edited_and_resumed() {
    for (more, words) in
        [(false, "Cannot use the edit in this deploy: it is too long."), (true, "~ exec[warm the cache]")]
    {
        let mut play = Play::armed();
        play.run.fails = Some(id("file[/srv/web/index.html]"));
        play.press("c").shows("e edit");
        play.press("e");
        play.send(Message::Edited(Ok(())));
        play.shows("no change: r retries");
        play.change(edited(more));
        play.send(Message::Edited(Ok(())));
        if !more {
            play.cannot_amend = Some("it is too long".into());
            play.press("y");
        }
        play.shows(words);
        play.press("y");
        assert!(play.asked.iter().any(|asked| asked == "EndLive"), "{:?}", play.asked);
        assert_eq!(play.step().phase.name(), "dry");
        play.shows("Nothing is written until");
        play.press("w  e  b  1  enter");
        assert_eq!(play.step().phase.name(), "live");
        // The unchanged requirement is checked again, which writes nothing.
        let asked: Vec<&str> = play.asked.iter().rev().take(3).map(String::as_str).collect();
        assert!(asked[0].starts_with("Pick") && asked[0].contains("index.html"), "{asked:?}");
        assert!(asked[1] == "Step" && asked[2].starts_with("Pick"), "{asked:?}");
        let row = |name: &str| play.draw().lines().find(|line| line.contains(name)).unwrap_or_default().to_string();
        assert!(row(" pkg[nginx]").contains("done in #8"), "{}", play.draw());
        assert!(!play.draw().replace("if skipped", "").contains("skipped"), "{}", play.draw());
        assert_eq!(play.step().next_id().map(ToString::to_string), play.step().cursor_id().map(ToString::to_string));
    }
}

/// After an edit, neither the old text is retried, nor does the run continue: the question returns until it is
/// confirmed, or the edit is reverted.
#[test]
fn edits_after_a_failure_are_used() {
    let mut play = failed_and_edited();
    let asked = play.asked.len();
    for key in ["r", "r", "r", "s", "s", "c", "c"] {
        play.press(key);
        let is_asked = play.draw().contains("Use the edited version in deploy 8?");
        assert!(is_asked || play.draw().contains("r, s or c asks again"), "{key}: {}", play.draw());
    }
    assert_eq!(play.asked.len(), asked, "nothing was asked of the run: {:?}", play.asked);
    play.change(broken());
    play.press("r").shows("nothing was changed: e edit");
    assert!(!play.asked[asked..].iter().any(|asked| asked.starts_with("Retry")), "{:?}", play.asked);
    play.change(program());
    play.press("r");
    assert!(play.asked.iter().any(|asked| asked.starts_with("Retry")), "{:?}", play.asked);
}

/// Running to the current step does nothing.
#[test]
fn moving_to_the_next_step_takes_no_turn() {
    let play = Play::after("p  s  t");
    assert_eq!(play.step().turned(), 1, "{}", play.draw());
    play.shows("this step is already next: s runs it");
}

/// A picked resource is next since it was picked; a pending one is shown as such, and m picks nothing twice.
#[test]
fn a_next_step_chosen_by_hand_is_marked() {
    let mut play = Play::after("p  G");
    play.shows("effect").shows("would run a command (dry run)");
    play.press("g  g  enter").shows("effect");
    play.press("m").shows("already next").hides("you selected it");
    let next = play.step().next_id().cloned().expect("one is next");
    let other = play.step().ready_ids().find(|id| **id != next).cloned();
    if let Some(other) = other {
        crate::tui::screen::step::select(&mut play.state.screens.step, &other);
        play.press("m");
        assert_eq!(play.step().next_id(), Some(&other));
        play.shows("you selected it");
    }
}

/// An unchanged resource with a refresh is shown as that.
#[test]
fn a_refresh_alone_is_reported_as_one() {
    let mut play = Play::new(120, 40);
    let mut refreshed = crate::plan::Plan::clone(&super::stage::plan());
    let step = refreshed.steps.iter_mut().find(|step| step.resource == id("svc[nginx]")).expect("it is planned");
    (step.action, step.refresh, step.changes) = (crate::plan::Action::None, true, vec![]);
    let step = step.clone();
    play.press("p");
    play.planned(refreshed);
    play.shows("refresh 1");
    let (run, resource) = (play.step().run, id("svc[nginx]"));
    let state = crate::engine::message::TurnState::Done;
    let event = crate::engine::message::Event::Turn { resource, state, step: Some(step), elapsed_ms: 12 };
    play.send(Message::Run { run, event });
    play.shows("svc[nginx]  would refresh");
}

/// The same program, ten lines further down.
pub fn further_down() -> Arc<Program> {
    let mut graph = graph();
    for at in 0..5 {
        if let Node::Resource(resource) = graph.node_mut(NodeIndex(at))
            && let Some(place) = &mut resource.source
        {
            (place.line, place.end_line) = (place.line + 10, place.end_line + 10);
        }
    }
    let mut sources = Sources::default();
    sources.add("web/main.mcl", Some("/m/web/main.mcl".into()), "\n".repeat(10) + CODE);
    compiled(graph, sources)
}

/// An editor closed without a change makes no new plan, nor does a reverted change; a live run and a dry one in the
/// middle stay.
#[test]
fn a_program_that_reads_the_same_again_leaves_the_plan_fresh() {
    for keys in ["s  s", "s  A  w  e  b  1  enter  s", "A  w  e  b  1  enter  c  w"] {
        let mut play = Play::after("p");
        play.press(keys);
        let (run, turned) = (play.step().run, play.step().turned());
        play.send(Message::FilesChanged(vec![]));
        play.hides("stale");
        play.change(edited(false));
        play.shows("stale: press p");
        play.change(broken());
        play.shows("stale: 1 error");
        play.change(further_down());
        play.hides("stale");
        assert_eq!((play.step().run, play.step().turned()), (run, turned), "{keys}");
        let place = play.step().step_of(&id("svc[nginx]")).and_then(|step| step.source.clone());
        assert_eq!(place.map(|place| place.line), Some(28), "{keys}: it is found where it stands now");
    }
}

/// A live run pauses while the screens are suspended, and continues afterwards; a single step, and a dry run, are not
/// affected.
#[test]
fn a_live_run_waits_while_the_screens_are_suspended() {
    let sent = |effects: &[Effect]| -> Vec<String> { effects.iter().map(|effect| format!("{effect:?}")).collect() };
    let mut play = Play::after("p  A  w  e  b  1  enter");
    // It continues by itself, without a report yet.
    play.wait();
    let effects = update(&mut play.state, Message::Key(keys::parse("c").expect("a key")[0]));
    assert_eq!(sent(&effects), ["Send(Continue { until: None })"]);
    let effects = update(&mut play.state, Message::Key(keys::parse("ctrl-z").expect("a key")[0]));
    assert_eq!(sent(&effects), ["Send(Stop)", "Suspend"]);
    let run = play.step().run;
    let next = Some(id("file[/srv/web/nginx.conf]"));
    let paused = |why| Message::Run { run, event: Event::Paused { next: next.clone(), ready: vec![], why } };
    let effects = update(&mut play.state, paused(Pause::Stopped));
    assert_eq!(sent(&effects), ["Send(Continue { until: None })"]);
    assert!(play.step().is_running());
    let effects = update(&mut play.state, paused(Pause::Stopped));
    assert!(!play.step().is_running(), "once: {effects:?}");
    for keys in ["p  s", "p  A  w  e  b  1  enter  s"] {
        let mut play = Play::after(keys);
        let effects = update(&mut play.state, Message::Key(keys::parse("ctrl-z").expect("a key")[0]));
        assert_eq!(sent(&effects), ["Suspend"], "{keys}");
    }
}

/// A request for a plan while an older one is being made gets one of the current program.
#[test]
fn a_plan_that_was_overtaken_is_made_again() {
    let mut play = Play::after("p");
    let (plans, turn) = (play.plans, play.state.cx.programs.turn - 1);
    play.send(Message::Planned { program: program(), plan: super::stage::plan(), turn, took: Duration::ZERO });
    assert!(play.plans == plans + 1 && !play.draw().contains("stale"), "{}", play.draw());
}

/// A step without a change of its own still has an effect if a refresh is pending.
#[test]
fn a_skip_loses_a_pending_refresh() {
    let mut play = Play::new(120, 40);
    let drawn = play.press("p  s  s  s").draw();
    assert!(drawn.contains("if skipped loses its refresh"), "{drawn}");
    assert!(!drawn.contains("has no effect"), "{drawn}");
}
