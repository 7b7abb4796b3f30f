//! An interrupted deploy: reported, offered, resumed, and resolved elsewhere.

use std::time::Duration;

use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

use super::live::{ARM, cut, requests};
use super::observe::edited;
use super::stage::{Play, id, plan, program};
use crate::plan::CompiledFor;
use crate::session::{Options, Session};
use crate::tui::layer::Question;
use crate::tui::layer::question::Answer;
use crate::tui::message::{Job, Message};
use crate::tui::screen::ScreenId;
use crate::tui::screen::step::live::{self, Cut, Notice, Refusal};
use crate::tui::screen::step::saved::{Next, Reopened};

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
    assert!(is_offered(&play) && play.state.cx.screen == ScreenId::Step, "{}", play.draw());
    play.press("i");
    assert!(play.draw().contains("index.html: interrupted"), "{}", play.draw());
    play.press("esc  r");
    assert!(play.draw().contains("Type web1 to resume"), "{}", play.draw());
    play.press("y  enter");
    assert!(requests(&play).is_empty() && play.state.screens.step.phase.name() == "dry", "{:?}", play.asked);
    play.press("ctrl-u  w  e  b  1  enter");
    assert_eq!(play.state.screens.step.phase.name(), "live");
    assert!(play.state.screens.step.live.cut.is_none());

    let mut play = Play::new(120, 40);
    play.press("p");
    play.refuses = Some(Refusal::Unfinished(Box::new(cut())));
    play.press(ARM).press("u");
    assert!(play.draw().contains("Undo deploy 7?"), "{}", play.draw());
    play.press("y");
    assert_eq!(requests(&play), ["Arm", "TakeBack(7)"]);

    let mut play = Play::new(120, 40);
    play.send(Message::Live(Notice::CutOff(Cut { commands: vec!["exec[warm the cache]: run curl".into()], ..cut() })));
    play.press("1  r");
    assert!(play.draw().contains("  exec[warm the cache]: run curl"), "{}", play.draw());
    assert!(requests(&play).is_empty());
    play.press("w  e  b  1  enter");
    assert_eq!(requests(&play).len(), 1, "{:?}", requests(&play));
    assert!(play.state.cx.log.text().contains("workbench deploy resume 7 --again"));
}

/// After a crash the rows are older than the crash: the current state is planned before a resume is confirmed.
#[test]
fn a_resume_is_confirmed_with_the_present_state() {
    for is_edited in [false, true] {
        let mut play = Play::new(120, 40);
        play.press("p").press(ARM).press("s");
        live::leave(&mut play.state.screens.step, &mut play.state.cx, "for its applier is gone");
        play.send(Message::Live(Notice::CutOff(cut())));
        play.press("esc");
        if is_edited {
            play.change(edited(&["svc[nginx]"]));
        }
        let before = play.state.cx.log.text().matches("workbench preview").count();
        play.press("R");
        let drawn = play.draw();
        assert_eq!(play.state.cx.log.text().matches("workbench preview").count(), before + 1);
        if is_edited {
            assert!(drawn.contains("The module has changed since the deploy."), "{drawn}");
            continue;
        }
        assert!(drawn.contains("Resume deploy 7") && play.state.cx.layers.open.len() == 1, "{drawn}");
        assert_eq!(play.state.screens.step.turned(), 0, "{drawn}");
        play.press("w  e  b  1  enter");
        assert_eq!(play.state.screens.step.phase.name(), "live");
    }
}

/// Also with a plan that is on its way.
#[test]
fn going_on_is_asked_about_once_the_plan_that_was_asked_for_is_there() {
    let mut play = Play::new(120, 40);
    play.press("p").press(ARM).press("s");
    live::leave(&mut play.state.screens.step, &mut play.state.cx, "for its applier is gone");
    play.send(Message::Live(Notice::CutOff(cut())));
    play.press("esc");
    play.state.cx.start(Job::Plan);
    play.press("R");
    assert!(play.state.cx.layers.open.is_empty(), "{}", play.draw());
    let turn = play.state.cx.programs.turn;
    play.send(Message::Planned { program: program(), plan: plan(), turn, took: Duration::ZERO });
    assert!(play.draw().contains("Resume deploy 7"), "{}", play.draw());
}

/// A known interrupted deploy is reported before the user types a name, with its actions; once it is resolved
/// elsewhere, everything is applied.
#[test]
fn interrupted_deploys_are_asked_about_before_the_name() {
    let mut play = Play::new(120, 40);
    play.press("p");
    play.send(Message::Live(Notice::CutOff(cut())));
    play.press("esc  A");
    let drawn = play.draw();
    assert!(
        drawn.contains("Deploy 7 was interrupted and needs a decision.") && !drawn.contains("Nothing is written until"),
        "{drawn}"
    );
    // The check finds the known deploy.
    play.send(Message::Live(Notice::CutOff(cut())));
    play.press("R");
    assert!(play.draw().contains("Resume deploy 7"), "{}", play.draw());
    play.press("esc");
    assert!(play.state.cx.layers.open.is_empty(), "it is not offered once more: {}", play.draw());
    play.press("A");
    play.send(Message::Live(Notice::Settled { as_root: false }));
    assert!(
        play.draw().contains("deploy 7 is already resolved") && play.state.cx.layers.open.is_empty(),
        "{}",
        play.draw()
    );
    play.press("A");
    assert!(play.draw().contains("Nothing is written until"), "{}", play.draw());
    // Root's history is separate, and only blocks root.
    let mut play = Play::new(120, 40);
    play.press("p");
    play.send(Message::Live(Notice::CutOff(Cut { as_root: true, ..cut() })));
    play.press("esc  A");
    assert!(play.draw().contains("Nothing is written until"), "{}", play.draw());
    play.press("esc");
    play.send(Message::Live(Notice::Settled { as_root: false }));
    assert!(play.state.screens.step.live.cut.is_some());
}

/// Another process resolved it meanwhile: every action checks first, and no question remains that would go live on it.
#[test]
fn a_deploy_resolved_elsewhere_is_not_resumed() {
    for keys in ["R", "u", "p", "A"] {
        let mut play = Play::new(120, 40);
        play.press("p");
        play.send(Message::Live(Notice::CutOff(cut())));
        play.press("esc");
        play.found_back = Some(Message::Live(Notice::Settled { as_root: false }));
        play.press(keys).press("esc");
        let live = &play.state.screens.step.live;
        assert!(live.cut.is_none() && play.found_back.is_none(), "{keys}");
        assert!(play.state.cx.layers.open.is_empty(), "{keys}: {}", play.draw());
        assert!(requests(&play).is_empty() && play.state.screens.step.phase.name() == "dry", "{keys}");
        assert!(!play.draw().contains("#7"), "{keys}: {}", play.draw());
    }
}

/// An unresolved deploy is reported before an empty or a stale plan: it may be the cause.
#[test]
fn unresolved_deploys_come_before_new_work() {
    let mut play = Play::new(120, 40);
    play.press("p");
    play.send(Message::Live(Notice::CutOff(cut())));
    play.press("esc");
    // The plan is stale.
    play.state.cx.programs.turn += 1;
    play.press("A");
    assert!(play.draw().contains("Deploy 7 was interrupted and needs a decision."), "{}", play.draw());
    assert!(!play.draw().contains("A does nothing"), "{}", play.draw());
}

/// A postponed one is shown on every screen, with its key: the key works there, or shows why not.
#[test]
fn postponed_steps_are_reported_everywhere() {
    for (keys, key) in [("4", "1"), ("2", "1"), ("3", "1"), ("1", "R"), ("5", "R"), ("6", "1")] {
        for (width, printed) in [(140, "deploy 7 was interrupted"), (60, "#7")] {
            let mut play = Play::new(width, 40);
            play.press("p");
            play.send(Message::Live(Notice::CutOff(cut())));
            play.press("esc").press(keys);
            play.send(Message::PendingDue);
            play.press("esc");
            let head = play.draw().lines().next().unwrap_or_default().to_string();
            assert!(head.contains(&format!("{printed}: {key}")), "{keys}: {}", play.draw());
            play.press(key);
            let is_told = if key == "1" { is_offered(&play) } else { play.draw().contains("Resume deploy 7") };
            assert!(is_told, "{keys}: {}", play.draw());
            assert_eq!(play.state.cx.screen, ScreenId::Step, "{keys}");
        }
    }
    let mut play = Play::new(120, 40);
    play.press("5  R");
    assert!(play.draw().contains("R: "), "{}", play.draw());
    assert!(play.state.cx.layers.open.is_empty() && requests(&play).is_empty(), "{:?}", play.asked);
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
            assert_eq!(play.state.cx.screen, screen, "{keys} {is_planned}: {}", play.draw());
        }
    }
    // After an answer the screen stays, whatever arrives later; also after a mouse event.
    let mut play = Play::new(120, 40);
    play.press("p");
    play.send(Message::Live(Notice::CutOff(cut())));
    play.press("esc  5");
    play.send(Message::PendingDue);
    play.press("R").press("w  e  b  1  enter");
    assert_eq!(play.state.screens.step.phase.name(), "live");
    play.state.cx.layers.open.push(Question::report("Told", vec![]).into());
    play.press("esc");
    assert_eq!(play.state.cx.screen, ScreenId::Step, "{}", play.draw());
    for (is_clicked, screen) in [(false, ScreenId::Graph), (true, ScreenId::Step)] {
        let mut play = Play::new(120, 40);
        play.press("3");
        play.state.cx.start(Job::Compile);
        play.send(Message::Live(Notice::CutOff(cut())));
        play.press("R");
        assert!(play.state.cx.layers.open.is_empty() && play.state.cx.screen == ScreenId::Step, "{}", play.draw());
        if is_clicked {
            let kind = MouseEventKind::Down(MouseButton::Left);
            play.send(Message::Mouse(MouseEvent { kind, column: 20, row: 10, modifiers: KeyModifiers::NONE }));
        }
        play.state.cx.layers.open.push(Question::report("Told", vec![]).into());
        play.press("esc");
        assert_eq!(play.state.cx.screen, screen, "{is_clicked}: {}", play.draw());
    }
    // The same for a choice of the offer on another screen.
    for (keys, screen) in
        [("R  esc", ScreenId::Modules), ("u  n", ScreenId::Modules), ("I  esc  esc", ScreenId::Modules)]
    {
        let mut play = Play::new(120, 40);
        play.press("4");
        play.send(Message::Live(Notice::CutOff(cut())));
        play.press(keys);
        assert_eq!(play.state.cx.screen, screen, "{keys}: {}", play.draw());
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
            assert!(play.draw().contains("Esc later"), "{}", play.draw());
            play.press(key);
            assert_eq!(play.state.cx.screen, ScreenId::Step);
            if is_early {
                let (turn, took) = (play.state.cx.programs.turn, std::time::Duration::ZERO);
                play.send(Message::Compiled { program: program(), turn, took });
            }
            assert!(play.draw().contains(words), "{key} {is_early}: {}", play.draw());
            assert!(requests(&play).is_empty(), "{key} {is_early}: {:?}", play.asked);
            if key == "R" {
                play.press("w  e  b  1  enter");
                assert_eq!(play.state.screens.step.phase.name(), "live", "{is_early}");
                assert!(play.state.cx.layers.open.is_empty(), "{is_early}: {}", play.draw());
            }
        }
    }
    // A key that leads elsewhere works; the offer above that screen comes later.
    let mut play = Play::new(80, 24);
    play.press(":");
    play.send(Message::Live(Notice::CutOff(cut())));
    assert!(!play.draw().contains("Esc later"), "{}", play.draw());
    play.press("esc");
    assert!(play.draw().contains("Esc later"), "{}", play.draw());
    play.press("2");
    assert_eq!(play.state.cx.screen, ScreenId::Code);
    assert!(play.state.cx.layers.open.is_empty(), "{}", play.draw());
}

/// Risks and side effects are shown before a name is typed.
#[test]
fn a_resume_shows_its_plan_first() {
    let mut play = Play::new(120, 40);
    play.press("p");
    play.send(Message::Live(Notice::CutOff(Cut { graph: "77ab".into(), ..cut() })));
    play.press("R");
    assert!(!play.draw().contains("Type web1 to resume"), "{}", play.draw());
    assert!(play.asks(|answer| matches!(answer, Answer::Read)), "{}", play.draw());
    assert!(play.draw().contains("workbench deploy resume 7 --changed"), "{}", play.draw());
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
    let mut play = Play::new(120, 40);
    play.press("p");
    let adopts = Some(Box::new(then.clone()));
    let differs = vec!["deploy 7 was made for node web9, and no node is chosen now".into()];
    play.send(Message::Live(Notice::CutOff(Cut { adopts, differs, ..cut() })));
    play.press("R");
    assert!(requests(&play).iter().any(|effect| effect.starts_with("Reopen { deploy: 7")), "{:?}", play.asked);
    assert!(play.state.cx.layers.open.is_empty(), "{}", play.draw());
    let before = play.state.cx.programs.turn;
    play.send(Message::Reopened(Reopened::new(session(), &then, Next::Resume)));
    assert_eq!(play.state.cx.programs.turn, before + 1, "it is compiled again");
    let drawn = play.draw();
    assert!(drawn.contains("Resume deploy 7") && drawn.contains("Type web1 to resume"), "{drawn}");
    assert_eq!(play.state.cx.layers.open.len(), 1, "{drawn}");
    let log = play.state.cx.log.text();
    assert!(log.contains("compiling as the deploy was: for node web9"), "{log}");
}

/// An interrupted deploy may have another entry: it cannot be resumed here, and is named.
#[test]
fn a_deploy_of_another_entry_that_was_interrupted_is_named() {
    let mut play = Play::new(120, 40);
    let other = Cut { is_other: true, entry: "/m/harbour/main.mcl".into(), ..cut() };
    play.send(Message::Live(Notice::CutOff(other)));
    assert!(play.draw().contains("deploy 7 of /m/harbour/main.mcl was interrupted"), "{}", play.draw());
    play.press("1");
    let offer = play.draw();
    assert!(offer.contains("/m/harbour/main.mcl") && !offer.contains("R resume"), "{offer}");
    play.press("esc  R");
    assert!(play.draw().contains("resume it with `workbench /m/harbour/main.mcl`"), "{}", play.draw());
    assert!(requests(&play).is_empty());
    play.press("u");
    assert!(play.draw().contains("of /m/harbour/main.mcl"), "{}", play.draw());
    play.press("y");
    assert_eq!(requests(&play), ["TakeBack(7)"]);
}
