//! LIVE from the Step screen: armed, refused, stopped, undone.

use super::open_end::ended_with_a_failure;
use super::stage::{Play, id, plan, program};
use crate::engine::message::{Event, TurnState};
use crate::plan::{Action, Certainty, Change, Step};
use crate::session::Holder;
use crate::session::history::graph_hash;
use crate::tui::screen::step::live::{Cut, Notice, Refusal};
use crate::tui::{layer::Layer, message::Message, screen::ScreenId};

pub const ARM: &str = "A  w  e  b  1  enter";
pub const SIZES: [(u16, u16); 3] = [(120, 40), (80, 24), (40, 12)];

pub fn cut() -> Cut {
    Cut {
        deploy: 7,
        time: "2026-11-21T12:00:00Z".into(),
        entry: "web".into(),
        graph: graph_hash(&program().graph),
        operations: vec![
            "file[/srv/web/nginx.conf]: change the mode of /srv/web/nginx.conf: was done".into(),
            "file[/srv/web/index.html]: create the file /srv/web/index.html: interrupted".into(),
        ],
        ..Cut::default()
    }
}

pub fn requests(play: &Play) -> Vec<&str> {
    play.asked.iter().map(String::as_str).collect()
}

/// A row that is known only after apply is checked before the run waits there: it shows the result, and has not run.
#[test]
fn what_became_known_is_shown_before_its_turn() {
    let mut play = Play::new(120, 40);
    play.press(&format!("p  {ARM}  s  s  s"));
    let run = play.step().run;
    let last = plan().steps[4].clone();
    assert_eq!(last.certainty, Certainty::Unknown);
    play.press("G").shows("? after apply");
    let to = Some("3 pages".into());
    let change = Change { property: "content".into(), from: None, to, sensitive: false };
    let step = Step { certainty: Certainty::Known, action: Action::Create, changes: vec![change], ..last };
    let resource = step.resource.clone();
    let event = Event::Turn { resource, state: TurnState::Waiting, step: Some(step), elapsed_ms: 0 };
    play.send(Message::Run { run, event });
    let page = play.draw();
    play.shows_all(["+ create  1 property", "content    not set → \"3 pages\"", "Steps  3/5"]);
    // A known one has no mark.
    assert!(!page.contains("at apply") && !page.contains("● known"), "{page}");
}

#[test]
fn drawn() {
    for (width, height) in SIZES {
        let mut play = Play::sized(width, height, "p  A");
        insta::assert_snapshot!(format!("arm-{width}x{height}"), play.draw());
        play.press("w  e  b  1  enter  s");
        insta::assert_snapshot!(format!("live-step-{width}x{height}"), play.draw());
        play.press("c  esc");
        insta::assert_snapshot!(format!("live-end-{width}x{height}"), play.draw());
        play.press("u");
        insta::assert_snapshot!(format!("roll-back-{width}x{height}"), play.draw());
        play.press("y");
        insta::assert_snapshot!(format!("rolled-back-{width}x{height}"), play.draw());
        // Text typed after it goes to a filter, not to keys.
        play.press("/  e  x");
        assert!(matches!(play.state.cx.layers.open.last(), Some(Layer::Prompt { words, .. }) if words == "ex"));
        play.press("esc");
    }
    let mut play = Play::sized(80, 24, "p");
    play.send(Message::Live(Notice::CutOff(cut())));
    insta::assert_snapshot!("cut-off-80x24", play.draw());
    play.press("i");
    insta::assert_snapshot!("cut-off-inspect-80x24", play.draw());
}

/// Each row: keys, the phase then, the next step, and the number of the shown deploy.
#[test]
fn goes_live_and_back() {
    let mut play = Play::new(120, 40);
    for (keys, phase, next, deploy) in [
        ("p  s", "dry", Some("file[/srv/web/nginx.conf]"), None),
        ("A  y", "dry", Some("file[/srv/web/nginx.conf]"), None),
        ("enter", "dry", Some("file[/srv/web/nginx.conf]"), None),
        ("esc", "dry", Some("file[/srv/web/nginx.conf]"), None),
        (ARM, "live", Some("pkg[nginx]"), Some(8)),
        ("s", "live", Some("file[/srv/web/nginx.conf]"), Some(8)),
        ("A", "live", Some("file[/srv/web/nginx.conf]"), Some(8)),
        ("Z", "live", Some("file[/srv/web/nginx.conf]"), Some(8)),
        ("s", "live", Some("file[/srv/web/index.html]"), Some(8)),
        ("x  n", "live", Some("file[/srv/web/index.html]"), Some(8)),
        ("x  y", "live", Some("svc[nginx]"), Some(8)),
        ("c", "ended", None, Some(8)),
        ("s", "ended", None, Some(8)),
        ("u  n", "ended", None, Some(8)),
        ("u  y", "dry", Some("pkg[nginx]"), None),
    ] {
        play.press(keys);
        let step = play.step();
        assert_eq!(
            (step.phase.name(), step.next_id().cloned(), step.phase.deploy()),
            (phase, next.map(id), deploy),
            "{keys}"
        );
    }
    let asked = ["Step", "Arm", "Step", "Step", "Skip", "Continue { until: None }", "EndLive", "Undo(8)"];
    assert_eq!(requests(&play), asked);
    play.press("esc  6");
    play.send(Message::PendingDue);
    for command in ["apply --step web", "# answer s", "# answer c", "deploy undo 8"] {
        play.shows(command);
    }
}

#[test]
fn a_live_run_shows_its_badge() {
    let mut play = Play::sized(80, 24, "p");
    assert!(play.draw().starts_with(" DRY "), "{}", play.draw());
    play.press(ARM);
    for screen in ["4", "2", "3", "6", "1"] {
        play.press(screen);
        play.send(Message::PendingDue);
        assert!(play.draw().starts_with(" LIVE "), "{screen}: {}", play.draw());
    }
}

/// A run that stopped at a failure stays armed: it can be retried, or skipped.
#[test]
fn a_failure_is_reported_and_tried_again() {
    let mut play = Play::armed();
    play.run.fails = Some(id("file[/srv/web/index.html]"));
    play.press("s  s  s  g  g  j  j").shows("no space left");
    assert_eq!(play.step().phase.name(), "live");
    play.press("r");
    assert!(requests(&play).last().is_some_and(|last| last.starts_with("Retry")), "{:?}", play.asked);
}

#[test]
fn a_held_lock_shows_its_holder() {
    let mut play = Play::sized(80, 24, "p");
    let holder = Holder { pid: 4711, since: "2026-11-21T12:00:00Z".into(), command: "workbench apply other".into() };
    play.refuses = Some(Refusal::Held(holder));
    play.press(ARM);
    let frame = play.draw();
    assert!(frame.contains("process 4711") && frame.contains("workbench apply other"), "{frame}");
    assert!(frame.starts_with(" DRY "), "{frame}");
    // A retry asks again.
    play.press("y").shows("Nothing is written until you press");
}

/// A question that arrives while another is open waits until that is closed.
#[test]
fn a_question_waits_for_an_open_one() {
    let mut play = Play::after("p");
    play.press(ARM).press("s  ?");
    let (run, before) = (play.step().run, play.draw());
    assert!(matches!(play.state.cx.layers.open[..], [Layer::Palette(_)]), "{before}");
    let result = Err(vec!["Stopped.".into()]);
    play.send(Message::Live(Notice::Undone { deploy: 8, result }));
    assert!(matches!(play.state.cx.layers.open[..], [Layer::Palette(_)]), "{}", play.draw());
    let why = Refusal::Other(vec!["The disk is full.".into()]);
    play.send(Message::Live(Notice::Refused { run, why }));
    play.press("esc").shows("Stopped.");
    play.press("esc").shows("The disk is full.");
    play.press("esc");
    assert!(play.has_no_layer() && play.state.cx.layers.waiting.is_empty());
}

#[test]
fn leaving_a_live_run_asks_or_falls_back() {
    let mut play = Play::new(80, 24);
    play.press("p").press(ARM).press("s  q").shows("Quit?");
    play.press("n  q  y");
    assert_eq!(requests(&play), ["Arm", "Step", "Quit"]);

    let mut play = Play::new(80, 24);
    play.press("p").press(ARM).press("s");
    play.send(Message::Idle);
    assert_eq!(play.step().phase.name(), "ended");
    assert_eq!(requests(&play), ["Arm", "Step", "EndLive"]);

    let mut play = Play::new(80, 24);
    play.press("p").press(ARM).press("s  p");
    assert_eq!(play.step().phase.name(), "dry");
    assert_eq!(requests(&play), ["Arm", "Step", "EndLive"]);
}

/// They are compiled again, and a live run continues with the confirmed program.
#[test]
fn files_that_change_leave_a_live_run_alone() {
    let mut play = Play::after("p");
    play.press(ARM).press("s");
    let (run, next) = (play.step().run, play.step().next_id().cloned());
    play.send(Message::FilesChanged(vec![]));
    let step = play.step();
    assert_eq!((step.phase.name(), step.run, step.next_id().cloned()), ("live", run, next));
    assert_eq!(requests(&play), ["Arm", "Step"]);

    // A question about a plan goes with the plan.
    let mut play = Play::after("p  A  w  e");
    play.send(Message::FilesChanged(vec![]));
    assert!(play.has_no_layer(), "{}", play.draw());
    play.shows("press A again");
}

/// What was skipped in the dry run is skipped by the apply, and its question says so.
#[test]
fn skips_of_the_dry_run_are_carried_to_the_apply() {
    let mut play = Play::after("p  A");
    let whole = play.draw();
    let sums = whole.lines().find(|line| line.contains("Apply plan")).expect("it is asked").to_string();
    play.press("esc  s  x  y").shows("1 skipped");
    play.press("A");
    let drawn = play.draw();
    let asked = drawn.lines().find(|line| line.contains("Apply plan")).expect("it is asked");
    let counts = |line: &str| line.split("web1:").nth(1).map(|rest| rest.trim().to_string());
    assert_ne!(
        counts(asked).map(|words| words.replace(['│', ' '], "")),
        counts(&sums).map(|words| words.replace(['│', ' '], ""))
    );
    assert!(drawn.contains("1 skipped, as in the dry run (p makes a plan without skips):"), "{drawn}");
    // Also of an unchanged one: it was skipped by hand, and runs now.
    let drawn = play.press("esc  p  x  y  A").draw();
    assert!(drawn.contains("1 skipped in the dry run, and unchanged: checked again:"), "{drawn}");
    // A skip in advance is not reported as skipped in the dry run.
    let drawn = play.press("esc  p  G  x  A").draw();
    assert!(drawn.contains("1 skipped:") && !drawn.contains("skipped in the dry run"), "{drawn}");
}

/// In a live run the palette lists every key that works, its own and those of all screens; a disabled one is grey, with
/// the reason.
#[test]
fn the_palette_shows_all_keys_in_a_live_run() {
    let mut play = Play::after("p");
    play.press(ARM).press("?");
    let mut seen = String::new();
    for _ in 0..12 {
        seen.push_str(&play.draw());
        play.press("pagedown");
    }
    let beginning = |title: &str| title.chars().take(24).collect::<String>();
    let mut disabled = 0;
    for (_, entry) in play.state.cx.keymap.on(ScreenId::Step) {
        let line = seen.lines().find(|line| line.contains(&beginning(entry.title)));
        let line = line.unwrap_or_else(|| panic!("{} is not listed", entry.id));
        if entry.enabled(play.state.front()).is_err() {
            disabled += 1;
            assert!(line.contains(" ("), "{}: {line}", entry.id);
        }
    }
    assert!(disabled > 5);
    for words in ["Quit", "Filter the list", "not available in"] {
        assert!(seen.contains(words), "{words}");
    }
}

/// Another name leaves the question open, and shows which one is needed.
#[test]
fn another_name_is_reported_to_be_wrong() {
    for (width, height) in [(120, 40), (80, 24)] {
        for (keys, words) in [
            ("w  e  b  2  enter", "`web2` is not `web1`: nothing started."),
            ("enter", "Nothing was typed: nothing started."),
        ] {
            let mut play = Play::new(width, height);
            play.press("p  A").press(keys).shows(words);
            // The next letter starts a new attempt.
            play.press("x").hides(words);
            play.press("esc");
            assert!(play.has_no_layer() && play.step().phase.name() == "dry", "{keys}");
        }
    }
    let play = Play::sized(80, 24, "p  A  w  e  b  2  enter  backspace  1  enter");
    assert!(play.draw().starts_with(" LIVE "), "{}", play.draw());
}

/// After the end a retry is a new deploy: the machine is checked again, the name typed again, and the failed step is
/// next.
#[test]
fn what_failed_at_the_end_is_tried_again_by_name() {
    for key in ["r", "A"] {
        let mut play = ended_with_a_failure(120, 40);
        play.press("q");
        let plans = play.plans;
        play.press(key);
        assert_eq!(play.plans, plans + 1, "{key}: what is left is planned again");
        play.shows("Nothing is written until you press");
        assert_eq!(play.step().phase.name(), "dry");
        play.asked.clear();
        play.press("w  e  b  1  enter");
        assert_eq!(play.step().phase.name(), "live");
        assert_eq!(requests(&play).first(), Some(&"Arm"), "{key}");
        let printed = "LIVE: deploy 8: file[/srv/web/nginx.conf] runs before exec[warm the cache]";
        play.shows(printed);
    }
    // If declined, nothing happens; and later plans do not ask again.
    let mut play = ended_with_a_failure(120, 40);
    play.press("q  r");
    play.asked.clear();
    play.press("esc  p");
    assert!(play.has_no_layer() && requests(&play).is_empty(), "{}", play.draw());
    // A successful run offers neither.
    let mut play = Play::after("p");
    play.press(ARM).press("c  esc  A").shows("this run has ended, p makes a new plan");
}

/// A failed resource is not counted as unchanged.
#[test]
fn the_end_of_a_run_with_a_failure_is_not_called_in_sync() {
    let mut right = (*plan()).clone();
    for step in right.steps.iter_mut().filter(|step| step.resource != id("exec[warm the cache]")) {
        (step.action, step.refresh, step.changes) = (Action::None, false, vec![]);
    }
    let failed = TurnState::Failed { error: "exit 7".into(), is_undone: false };
    for (state, is_in_sync) in [(failed, false), (TurnState::Skipped, false), (TurnState::Done, true)] {
        let mut play = Play::after("p");
        let mut plan = right.clone();
        if is_in_sync {
            plan.steps.iter_mut().for_each(|step| step.action = Action::None);
        }
        play.planned(plan.clone());
        let run = play.step().run;
        for step in &plan.steps {
            let state = if step.resource == id("exec[warm the cache]") { state.clone() } else { TurnState::Done };
            let (resource, step) = (step.resource.clone(), Some(step.clone()));
            play.send(Message::Run { run, event: Event::Turn { resource, state, step, elapsed_ms: 1 } });
        }
        let event = Event::Finished { done: 4, changed: 0, failed: 1, skipped: 0, blocked: 0 };
        play.send(Message::Run { run, event });
        assert_eq!(play.draw().contains("No changes"), is_in_sync, "{state:?}: {}", play.draw());
    }
}

/// A key that closes the dialog may have been meant for something else: its text stays on the status line until the
/// next key.
#[test]
fn why_nothing_was_applied_stays_on_the_status_line() {
    let footer = |play: &Play| play.draw().lines().last().unwrap_or_default().trim().to_string();
    let holder = Holder { pid: 4711, since: "2026-11-21T12:00:00Z".into(), command: "workbench apply other".into() };
    let refusals = [
        (Refusal::Other(vec!["/st belongs to another user".into()]), "not applied: /st belongs to another user"),
        (Refusal::Held(holder), "not applied: another apply is running"),
    ];
    for (why, words) in refusals {
        let mut play = Play::after("p");
        play.refuses = Some(why);
        play.press(ARM);
        assert!(footer(&play).starts_with(words), "{}", play.draw());
        play.press("j");
        assert!(play.has_no_layer() && footer(&play).starts_with(words), "{}", play.draw());
        play.press("j");
        assert!(footer(&play).starts_with("s step"), "{}", play.draw());
    }
    let mut play = Play::after("p");
    play.press(ARM).press("s  s  s  s  s");
    let words = "Not undone: another apply is running.";
    play.send(Message::Live(Notice::NotUndone { deploy: 8, why: vec![words.into()] }));
    play.press("j");
    assert!(play.has_no_layer());
    assert_eq!(footer(&play), words);
}

/// Once the steps that a prediction depends on are applied, the row is known. One that uses a command's output is not
/// known before its turn.
#[test]
fn applied_resources_leave_the_overlay() {
    let mut play = Play::after("p");
    let row = |play: &Play, name: &str| {
        let drawn = play.draw();
        let row = drawn.lines().find(|line| line.starts_with(['│', '║']) && line.contains(name)).unwrap_or_default();
        row.split(['│', '║']).nth(1).unwrap_or_default().trim_end().to_string()
    };
    let (page, warm) = ("file[/srv/web/index.html]", "exec[warm the cache]");
    play.press("s");
    assert!(row(&play, page).ends_with("◐ predicted"), "a dry step is predicted: {}", play.draw());
    play.press(ARM);
    assert!(row(&play, page).ends_with("◐ predicted"), "{}", play.draw());
    assert!(row(&play, warm).ends_with("? after apply"), "{}", play.draw());
    // Its requirements are unchanged, so its prediction depends on all earlier changes.
    play.press("s");
    assert!(row(&play, page).ends_with("◐ predicted"), "{}", play.draw());
    play.press("s");
    // A known one has no mark, neither in its row nor beside it.
    assert!(row(&play, page).ends_with('+'), "{}", play.draw());
    play.shows("+ create  1 property").hides("predicted");
    play.press("s  s");
    assert!(row(&play, warm).ends_with("? after apply"), "{}", play.draw());
}

/// A live run takes the lock before it waits: keys pressed before LIVE is visible run nothing.
#[test]
fn keys_that_come_before_a_live_run_waits_are_dropped() {
    for keys in ["s", "c", "t", "s c", "x", "c ctrl-c"] {
        let mut play = Play::new(120, 40);
        play.hasty_live = keys;
        play.press("p").press(ARM);
        assert_eq!(requests(&play), ["Arm"], "{keys}");
        assert_eq!(play.step().phase.name(), "live", "{keys}");
    }
}
