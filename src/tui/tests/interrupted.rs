//! An interrupted deploy: reported, offered, resumed, and resolved elsewhere.

use crossterm::event::{MouseButton, MouseEventKind};

use super::live::{ARM, cut, requests};
use super::observe::edited;
use super::stage::{Play, id, plan, program};
use crate::plan::CompiledFor;
use crate::session::{Options, Session};
use crate::tui::message::{Job, Message};
use crate::tui::screen::step::live::{self, Cut, Notice, Refusal};
use crate::tui::screen::step::saved::{Next, Reopened};
use crate::tui::{layer::Question, layer::question::Answer, screen::ScreenId};

/// Whether the question is shown.
fn is_offered(play: &Play) -> bool {
    play.asks(|answer| matches!(answer, Answer::Keys(_)))
}

#[test]
fn a_deploy_that_was_interrupted_is_offered() {
    let mut play = Play::new(80, 24);
    play.send(Message::Live(Notice::CutOff(cut())));
    insta::assert_snapshot!("cut-off-at-start-80x24", play.draw());
    // Esc and any key without a meaning mean later: then it is offered on Step.
    play.press("esc  1");
    assert!(is_offered(&play) && play.screen() == ScreenId::Step, "{}", play.draw());
    play.press("i").shows("index.html: interrupted");
    play.press("esc  r").shows("Type web1 to resume");
    play.press("y  enter");
    assert!(requests(&play).is_empty() && play.step().phase.name() == "dry", "{:?}", play.asked);
    play.press("ctrl-u  w  e  b  1  enter");
    assert_eq!(play.step().phase.name(), "live");
    assert!(play.step().live.cut.is_none());

    let mut play = Play::after("p");
    play.refuses = Some(Refusal::Unfinished(Box::new(cut())));
    play.press(ARM).press("u").shows("Undo deploy 7?");
    play.press("y");
    assert_eq!(requests(&play), ["Arm", "Undo(7)"]);

    let mut play = Play::new(120, 40);
    play.send(Message::Live(Notice::CutOff(Cut { commands: vec!["exec[warm the cache]: run curl".into()], ..cut() })));
    play.press("1  r").shows("  exec[warm the cache]: run curl");
    assert!(requests(&play).is_empty());
    play.press("w  e  b  1  enter");
    assert_eq!(requests(&play).len(), 1, "{:?}", requests(&play));
    assert!(play.log().contains("workbench deploy resume 7 --again"));
}

/// After a crash the rows are older than the crash: the current state is planned before a resume is confirmed.
#[test]
fn a_resume_is_confirmed_with_the_present_state() {
    for is_edited in [false, true] {
        let mut play = Play::after("p");
        play.press(ARM).press("s");
        live::leave(&mut play.state.screens.step, &mut play.state.cx, "for its applier is gone");
        play.state.cx.typing.effects.clear();
        play.send(Message::Live(Notice::CutOff(cut())));
        play.press("esc");
        if is_edited {
            play.change(edited(&["svc[nginx]"]));
        }
        let before = play.log().matches("workbench preview").count();
        play.press("R");
        let drawn = play.draw();
        assert_eq!(play.log().matches("workbench preview").count(), before + 1);
        if is_edited {
            assert!(drawn.contains("The module has changed since the deploy."), "{drawn}");
            continue;
        }
        assert!(drawn.contains("Resume deploy 7") && play.state.cx.layers.open.len() == 1, "{drawn}");
        assert_eq!(play.step().turned(), 0, "{drawn}");
        play.press("w  e  b  1  enter");
        assert_eq!(play.step().phase.name(), "live");
    }
}

/// Also with a plan that is on its way.
#[test]
fn going_on_is_asked_about_once_the_plan_that_was_asked_for_is_there() {
    let mut play = Play::after("p");
    play.press(ARM).press("s");
    live::leave(&mut play.state.screens.step, &mut play.state.cx, "for its applier is gone");
    play.state.cx.typing.effects.clear();
    play.send(Message::Live(Notice::CutOff(cut())));
    play.press("esc");
    play.state.cx.start(Job::Plan);
    play.press("R");
    assert!(play.has_no_layer(), "{}", play.draw());
    play.planned(plan());
    play.shows("Resume deploy 7");
}

/// A known interrupted deploy is reported before the user types a name, with its actions; once it is resolved
/// elsewhere, everything is applied.
#[test]
fn interrupted_deploys_are_asked_about_before_the_name() {
    let mut play = Play::after("p");
    play.send(Message::Live(Notice::CutOff(cut())));
    play.press("esc  A").shows("Deploy 7 was interrupted and needs a decision.").hides("Nothing is written until");
    // The check finds the known deploy.
    play.send(Message::Live(Notice::CutOff(cut())));
    play.press("R").shows("Resume deploy 7");
    play.press("esc");
    assert!(play.has_no_layer(), "it is not offered once more: {}", play.draw());
    play.press("A");
    play.send(Message::Live(Notice::Resolved { as_root: false }));
    assert!(play.draw().contains("deploy 7 is already resolved") && play.has_no_layer(), "{}", play.draw());
    play.press("A").shows("Nothing is written until");
    // Root's history is separate, and only blocks root.
    let mut play = Play::after("p");
    play.send(Message::Live(Notice::CutOff(Cut { as_root: true, ..cut() })));
    play.press("esc  A").shows("Nothing is written until");
    play.press("esc");
    play.send(Message::Live(Notice::Resolved { as_root: false }));
    assert!(play.step().live.cut.is_some());
}

/// Another process resolved it meanwhile: every action checks first, and no question remains that would go live on it.
#[test]
fn a_deploy_resolved_elsewhere_is_not_resumed() {
    for keys in ["R", "u", "p", "A"] {
        let mut play = Play::after("p");
        play.send(Message::Live(Notice::CutOff(cut())));
        play.press("esc");
        play.found_back = Some(Message::Live(Notice::Resolved { as_root: false }));
        play.press(keys).press("esc");
        let live = &play.step().live;
        assert!(live.cut.is_none() && play.found_back.is_none(), "{keys}");
        assert!(play.has_no_layer(), "{keys}: {}", play.draw());
        assert!(requests(&play).is_empty() && play.step().phase.name() == "dry", "{keys}");
        play.hides("#7");
    }
}

/// An unresolved deploy is reported before an empty or a stale plan: it may be the cause.
#[test]
fn unresolved_deploys_come_before_new_work() {
    let mut play = Play::after("p");
    play.send(Message::Live(Notice::CutOff(cut())));
    play.press("esc");
    // The plan is stale.
    play.state.cx.programs.turn += 1;
    play.press("A").shows("Deploy 7 was interrupted and needs a decision.").hides("A does nothing");
}

/// A postponed one is shown on every screen, with its key: the key works there, or shows why not.
#[test]
fn postponed_steps_are_reported_everywhere() {
    for (keys, key) in [("4", "1"), ("2", "1"), ("3", "1"), ("1", "R"), ("5", "R"), ("6", "1")] {
        for (width, printed) in [(140, "deploy 7 was interrupted"), (60, "deploy")] {
            let mut play = Play::sized(width, 40, "p");
            play.send(Message::Live(Notice::CutOff(cut())));
            play.press("esc").press(keys);
            play.send(Message::PendingDue);
            play.press("esc");
            let head = play.draw().lines().next().unwrap_or_default().to_string();
            assert!(head.contains(&format!("{printed}: {key}")), "{keys}: {}", play.draw());
            play.press(key);
            let is_shown = if key == "1" { is_offered(&play) } else { play.draw().contains("Resume deploy 7") };
            assert!(is_shown, "{keys}: {}", play.draw());
            assert_eq!(play.screen(), ScreenId::Step, "{keys}");
        }
    }
    let play = Play::after("5  R");
    play.shows("R: ");
    assert!(play.has_no_layer() && requests(&play).is_empty(), "{:?}", play.asked);
}

/// Declining a question from another screen returns there; doing anything else stays.
#[test]
fn a_question_that_is_refused_leads_back_to_where_it_was_asked_for() {
    for (keys, screen) in [
        ("5  R  esc", ScreenId::Deploys),
        ("5  R  w  e  esc", ScreenId::Deploys),
        ("5  R  esc  ctrl-o  R  esc", ScreenId::Deploys),
        ("5  R  ctrl-c", ScreenId::Deploys),
        ("1  R  esc", ScreenId::Step),
        ("5  R  w  e  b  1  enter", ScreenId::Step),
        ("5  R  w  e  b  1  enter  ?  esc", ScreenId::Step),
    ] {
        for is_planned in [true, false] {
            let mut play = Play::new(120, 40);
            if is_planned {
                play.press("p");
            }
            play.send(Message::Live(Notice::CutOff(cut())));
            play.press("esc");
            for key in keys.split("  ") {
                play.press(key);
                if key.parse::<u8>().is_ok() {
                    play.send(Message::PendingDue);
                    play.state.cx.layers.open.clear();
                }
            }
            assert_eq!(play.screen(), screen, "{keys} {is_planned}: {}", play.draw());
        }
    }
    // After an answer the screen stays, whatever arrives later; also after a mouse event.
    let mut play = Play::after("p");
    play.send(Message::Live(Notice::CutOff(cut())));
    play.press("esc  5");
    play.send(Message::PendingDue);
    play.press("R").press("w  e  b  1  enter");
    assert_eq!(play.step().phase.name(), "live");
    play.state.cx.layers.open.push(Question::report("Told", vec![]).into());
    play.press("esc");
    assert_eq!(play.screen(), ScreenId::Step, "{}", play.draw());
    for (is_clicked, screen) in [(false, ScreenId::Graph), (true, ScreenId::Step)] {
        let mut play = Play::after("3");
        play.state.cx.start(Job::Compile);
        play.send(Message::Live(Notice::CutOff(cut())));
        play.press("R");
        assert!(play.has_no_layer() && play.screen() == ScreenId::Step, "{}", play.draw());
        if is_clicked {
            let kind = MouseEventKind::Down(MouseButton::Left);
            play.mouse(kind, 20, 10);
        }
        play.state.cx.layers.open.push(Question::report("Told", vec![]).into());
        play.press("esc");
        assert_eq!(play.screen(), screen, "{is_clicked}: {}", play.draw());
    }
    // The same for a choice of the offer on another screen.
    for (keys, screen) in
        [("R  esc", ScreenId::Modules), ("u  n", ScreenId::Modules), ("I  esc  esc", ScreenId::Modules)]
    {
        let mut play = Play::after("4");
        play.send(Message::Live(Notice::CutOff(cut())));
        play.press(keys);
        assert_eq!(play.screen(), screen, "{keys}: {}", play.draw());
    }
}

/// The offer at the start works on any screen: a choice that needs a plan waits for it, and nothing is offered twice.
#[test]
fn an_interrupted_deploy_is_resumed_from_the_start_page() {
    for (key, words) in [("R", "Type web1 to resume"), ("u", "Undo deploy 7"), ("I", "was interrupted")] {
        for is_early in [false, true] {
            let mut play = Play::new(120, 40);
            if is_early {
                // The program is still being compiled.
                play.state.cx.start(Job::Compile);
                play.state.cx.programs.newest = None;
            }
            play.send(Message::Live(Notice::CutOff(cut())));
            play.shows("Esc later");
            play.press(key);
            assert_eq!(play.screen(), ScreenId::Step);
            if is_early {
                let (turn, took) = (play.state.cx.programs.turn, std::time::Duration::ZERO);
                play.send(Message::Compiled { program: program(), turn, took });
            }
            assert!(play.draw().contains(words), "{key} {is_early}: {}", play.draw());
            assert!(requests(&play).is_empty(), "{key} {is_early}: {:?}", play.asked);
            if key == "R" {
                play.press("w  e  b  1  enter");
                assert_eq!(play.step().phase.name(), "live", "{is_early}");
                assert!(play.has_no_layer(), "{is_early}: {}", play.draw());
            }
        }
    }
    // A key that leads elsewhere works; the offer above that screen comes later.
    let mut play = Play::sized(80, 24, ":");
    play.send(Message::Live(Notice::CutOff(cut())));
    play.hides("Esc later");
    play.press("esc").shows("Esc later");
    play.press("2");
    assert_eq!(play.screen(), ScreenId::Code);
    assert!(play.has_no_layer(), "{}", play.draw());
}

/// Risks and side effects are shown before a name is typed.
#[test]
fn a_resume_shows_its_plan_first() {
    let mut play = Play::after("p");
    play.send(Message::Live(Notice::CutOff(Cut { graph: "77ab".into(), ..cut() })));
    play.press("R").hides("Type web1 to resume");
    assert!(play.asks(|answer| matches!(answer, Answer::Read)), "{}", play.draw());
    play.shows("workbench deploy resume 7 --changed");
    play.press("esc");
    let ran = vec![id("exec[warm the cache]"), id("pkg[nginx]")];
    play.send(Message::Live(Notice::CutOff(Cut { ran, ..cut() })));
    play.press("R");
    let asked = play.draw();
    assert!(asked.contains("1 already ran and would run again (no guard):"), "{asked}");
    assert!(asked.contains("Type web1 to resume"), "{asked}");
    assert!(requests(&play).is_empty(), "{:?}", play.asked);
}

/// It is resumed as it was compiled, without repeating its options.
#[test]
fn resuming_a_deploy_compiles_for_what_it_was_made_for() {
    let session = || Session::open(Some("noop \"x\" {}"), Options::default()).expect("it is code");
    let then = CompiledFor { node: Some("web9".into()), ..CompiledFor::default() };
    let mut play = Play::after("p");
    let adopts = Some(Box::new(then.clone()));
    let differs = vec!["deploy 7 was made for node web9, and no node is chosen now".into()];
    play.send(Message::Live(Notice::CutOff(Cut { adopts, differs, ..cut() })));
    play.press("R");
    assert!(requests(&play).iter().any(|effect| effect.starts_with("Reopen { deploy: 7")), "{:?}", play.asked);
    assert!(play.has_no_layer(), "{}", play.draw());
    let before = play.state.cx.programs.turn;
    play.send(Message::Reopened(Reopened::new(session(), &then, Next::Resume)));
    assert_eq!(play.state.cx.programs.turn, before + 1, "it is compiled again");
    let drawn = play.draw();
    assert!(drawn.contains("Resume deploy 7") && drawn.contains("Type web1 to resume"), "{drawn}");
    assert_eq!(play.state.cx.layers.open.len(), 1, "{drawn}");
    let log = play.log();
    assert!(log.contains("compiling as the deploy was: for node web9"), "{log}");
}

/// An interrupted deploy may have another entry: it cannot be resumed here, and is named.
#[test]
fn a_deploy_of_another_entry_that_was_interrupted_is_named() {
    let mut play = Play::new(120, 40);
    let other = Cut { is_other: true, entry: "/m/harbour/main.mcl".into(), ..cut() };
    play.send(Message::Live(Notice::CutOff(other)));
    play.shows("deploy 7 of /m/harbour/main.mcl was interrupted");
    play.press("1").shows("/m/harbour/main.mcl").hides("R resume");
    play.press("esc  R").shows("resume it with `workbench /m/harbour/main.mcl`");
    assert!(requests(&play).is_empty());
    play.press("u").shows("of /m/harbour/main.mcl");
    play.press("y");
    assert_eq!(requests(&play), ["Undo(7)"]);
}
