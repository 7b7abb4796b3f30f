//! Why a resource failed, or would fail, is shown on every screen with the resource.

use std::sync::Arc;

use super::stage::{CODE, Play, id, plan};
use crate::diag::{Code, Diagnostic, Diagnostics, Stage};
use crate::engine::message::{Event, TurnState};
use crate::graph::Graph;
use crate::lang::Compiled;
use crate::plan::{Action, Certainty, Plan, Step, Tally};
use crate::session::operations::{MadePlan, Operation, Operations, What};
use crate::source::{Sources, Span};
use crate::tui::{look::UNICODE, message::Message, program::Program};

const PAGE: &str = "file[/srv/web/index.html]";
const WHY: &str = "/srv/web/pages/of/the/town/that/nobody/made is not there, and /srv/web is a file that somebody left";

/// The plan with a step that would fail.
fn failing() -> Arc<Plan> {
    let mut plan = Plan::clone(&plan());
    let step = plan.steps.iter_mut().find(|step| step.resource == id(PAGE)).expect("it is planned");
    let unknown = Step { action: Action::Unknown, certainty: Certainty::Unknown, changes: vec![], ..step.clone() };
    *step = Step { error: Some(WHY.into()), ..unknown };
    Arc::new(plan)
}

fn without_blanks(words: &str) -> String {
    words.split_whitespace().collect()
}

/// The text of the panes on the right, without blanks, so that line breaks do not matter.
fn beside(play: &Play) -> String {
    let drawn = play.draw();
    without_blanks(&drawn.lines().filter_map(|line| line.rsplit('│').nth(1)).collect::<String>())
}

fn with_failing(width: u16, height: u16) -> Play {
    let mut play = Play::sized(width, height, "p");
    play.planned(failing());
    play
}

#[test]
fn a_failing_step_shows_the_reason_only() {
    for (width, height, look) in [(200, 50, "k"), (120, 40, "k"), (80, 30, "k"), (50, 30, "tab")] {
        let mut play = with_failing(width, height);
        play.press("j  j  j").press(look);
        if look == "tab" {
            play.press("shift-tab  k  tab");
        } else if width > 80 {
            play.shows("✗ fails");
        }
        assert_eq!(play.step().cursor_id(), Some(&id(PAGE)));
        let printed = beside(&play);
        assert!(printed.contains(&format!("wouldfail{}", without_blanks(WHY))), "{width}: {printed}\n{}", play.draw());
        for wrong in ["reversible", "atapply", "knownatapply"] {
            assert!(!printed.contains(wrong), "{wrong} at {width}: {}", play.draw());
        }
    }
}

/// The summary lists it once, with the whole reason, and counts it as nothing else.
#[test]
fn the_summary_shows_it_once() {
    let play = with_failing(120, 40);
    let printed = beside(&play);
    assert!(printed.contains(&format!("{PAGE}wouldfail:{}", without_blanks(WHY))), "{}", play.draw());
    assert_eq!(printed.matches("index.html").count(), 1, "{}", play.draw());
    play.shows("1 would fail. Also");
}

/// A resource behind a predicted failure is blocked, not unknown, and is counted with the rows.
#[test]
fn what_would_be_blocked_is_no_unknown() {
    let mut play = Play::after("p");
    let mut plan = Plan::clone(&failing());
    let step = plan.steps.last_mut().expect("it has steps");
    (step.action, step.certainty, step.blocked_by) = (Action::Unknown, Certainty::Unknown, Some(id(PAGE)));
    step.changes.clear();
    // The words of the note do not matter.
    plan.steps[0].note = format!("is blocked by {PAGE}");
    play.planned(plan);
    play.shows("1 would fail, 1 would be blocked").hides("known only at apply");
    play.press("G").hides("property");
}

/// The known effects of a failed step are shown.
#[test]
fn what_failed_shows_no_step_to_come() {
    let mut play = Play::after("p");
    play.run.fails = Some(id(PAGE));
    play.press("s  s  s  k").shows("effect");
    assert!(beside(&play).contains("nothing(dryrun)"), "{}", play.draw());
}

#[test]
fn the_graph_shows_why_a_resource_failed_or_would() {
    let mut play = with_failing(120, 40);
    play.press("j  j  space  g");
    assert!(beside(&play).contains(&format!("wouldfail{}", without_blanks(WHY))), "{}", play.draw());

    let mut play = Play::after("p");
    play.run.fails = Some(id(PAGE));
    play.press("s  s  s  k  space  g");
    assert!(beside(&play).contains("failednospaceleftondevice"), "{}", play.draw());
}

/// The last output of a failed command is below the reason, on Step and on Graph.
#[test]
fn the_output_of_a_failed_command_is_read_by_lines() {
    const WARM: &str = "exec[warm the cache]";
    let error = "curl exited with code 2: cannot resolve host\n(3 more before)\nasks 10.0.0.1\n\tasks 10.0.0.2\ncannot resolve host";
    for (width, height) in [(120, 40), (80, 24)] {
        let mut play = Play::sized(width, height, "p  s  s  s  s");
        let (run, resource) = (play.step().run, id(WARM));
        let state = TurnState::Failed { error: error.into(), is_undone: false };
        let step = plan().steps.last().cloned();
        play.send(Message::Run { run, event: Event::Turn { resource, state, step, elapsed_ms: 12 } });
        play.press("G");
        for screen in ["step", "graph"] {
            let drawn = play.draw();
            let lines = drawn.lines().map(|line| line.replace('┃', "│"));
            let beside: Vec<String> = lines.filter_map(|line| Some(line.rsplit('│').nth(1)?.trim().into())).collect();
            let first = beside.iter().position(|line| line.contains("curl exited with code 2")).unwrap_or_default();
            let printed: Vec<&str> =
                beside[first..].iter().map(|line| line.trim_start_matches("failed").trim()).collect();
            let from = printed
                .iter()
                .position(|line| *line == "(3 more before)")
                .unwrap_or_else(|| panic!("{screen}: {drawn}"));
            let tail = ["asks 10.0.0.1", "\\tasks 10.0.0.2", "cannot resolve host"];
            assert_eq!(printed[from + 1..][..tail.len()], tail, "{screen}: {drawn}");
            insta::assert_snapshot!(format!("failed-command-{screen}-{width}x{height}"), drawn);
            play.press("space  g");
        }
    }
}

/// The whole output of a failed command can be read on Plan, in order, even if it is longer than the pane.
#[test]
fn all_that_a_failed_command_wrote_can_be_read() {
    let lines: Vec<String> = (1..=90).map(|line| format!("line {line} of what it wrote")).collect();
    for (width, height, focus) in [(120, 40, "tab"), (80, 24, "tab"), (60, 20, "tab")] {
        let mut play = Play::sized(width, height, "p  s  s  s  s");
        let (run, resource) = (play.step().run, id("exec[warm the cache]"));
        let error = format!("the command exited with code 2\n{}", lines.join("\n"));
        let state = TurnState::Failed { error, is_undone: false };
        let step = plan().steps.last().cloned();
        play.send(Message::Run { run, event: Event::Turn { resource, state, step, elapsed_ms: 12 } });
        play.press("G").press(focus);
        let mut read: Vec<String> = Vec::new();
        for _ in 0..lines.len() {
            let drawn = play.draw();
            let shown = drawn.lines().filter(|line| !line.starts_with("│00:00:00"));
            let shown = shown.filter_map(|line| lines.iter().find(|one| line.contains(&format!(" {one} "))));
            shown.cloned().for_each(|line| {
                if !read.contains(&line) {
                    read.push(line)
                }
            });
            play.press("j");
        }
        assert_eq!(read, lines, "{width}x{height}: {}", play.draw());
    }
}

/// The result of a plan is counted once: Deploys shows the counts of Step.
#[test]
fn deploys_counts_as_step_does() {
    let mut plan = Plan::clone(&failing());
    let step = plan.steps.last_mut().expect("it has steps");
    (step.action, step.certainty, step.blocked_by) = (Action::Unknown, Certainty::Unknown, Some(id(PAGE)));
    let (summary, tally) = (plan.summary, Some(Box::new(Tally::of(&plan.steps))));
    let mut play = Play::new(200, 40);
    let made = MadePlan {
        plan: "7f3a9c1b22dd".into(),
        path: None,
        compiled_for: None,
        summary,
        failing: 1,
        tally,
        file: None,
    };
    let (time, user, entry) = ("2026-11-21T14:00:00Z".into(), "ana".into(), "web".into());
    play.operations = Operations { all: vec![Operation { time, user, entry, what: What::Plan(made) }], damaged: 0 };
    play.press("p");
    play.planned(plan);
    let machine = play.draw();
    let machine = machine.lines().find(|line| line.starts_with(" machine ")).unwrap_or_default();
    assert!(machine.contains("1 would fail, 1 would be blocked"), "{machine}");
    // Plans are hidden until requested.
    play.press("5  z R");
    let drawn = play.draw();
    let row = drawn.lines().find(|line| line.contains("would fail 1 ")).unwrap_or_else(|| panic!("{drawn}"));
    assert!(row.contains("would be blocked 1"), "{row}");
    play.shows_all(["1 would fail", "1 would be blocked"]);
    assert!(!drawn.contains("unknown"), "{drawn}");
}

/// For a common reason the first ones are listed and the others counted; also after they failed.
#[test]
fn many_of_one_reason_are_reported_once() {
    let mut plan = Plan::clone(&plan());
    for step in &mut plan.steps {
        (step.action, step.error) = (Action::Unknown, Some("/srv/web is not there".into()));
        step.changes.clear();
    }
    let steps = plan.steps.clone();
    let printed = |play: &Play| {
        let drawn = play.draw();
        drawn.lines().filter(|line| line.contains("││") && line.contains("/srv/web is not there")).count()
    };
    let mut play = Play::after("p");
    play.planned(plan);
    play.shows("5 would fail");
    assert_eq!(printed(&play), 3, "{}", play.draw());
    play.shows("and 2 more for the same reason");
    let run = play.step().run;
    for step in steps {
        let state = TurnState::Failed { error: "/srv/web is not there".into(), is_undone: false };
        let event = Event::Turn { resource: step.resource.clone(), state, step: Some(step), elapsed_ms: 1 };
        play.send(Message::Run { run, event });
    }
    let event = Event::Finished { done: 0, changed: 0, failed: 5, skipped: 0, blocked: 0 };
    play.send(Message::Run { run, event });
    assert_eq!(printed(&play), 3, "{}", play.draw());
    play.shows("and 2 more for the same reason");
}

/// If a run stops at a failure, the question is about the selected row.
#[test]
fn skip_acts_on_the_cursor_row() {
    for arm in [String::new(), format!("  {}", super::live::ARM)] {
        let mut play = Play::new(160, 40);
        play.press(&format!("p{arm}"));
        play.run.fails = Some(id("file[/srv/web/nginx.conf]"));
        play.press("c");
        assert!(play.step().cursor_failed(), "{}", play.draw());
        play.press("tab  shift-tab");
        assert!(play.draw().lines().last().unwrap_or_default().contains("x skip"), "{}", play.draw());
        play.asked.clear();
        play.press("x");
        let retry = "Retry { resource: ResourceId(\"file[/srv/web/nginx.conf]\") }";
        assert_eq!(play.asked, [retry, "Skip"], "{}", play.draw());
    }
}

/// A step that fails without a known action has the mark of a failure on every screen, before and after it.
#[test]
fn a_failure_is_no_unknown() {
    let mut play = with_failing(120, 40);
    let sign = |play: &Play| play.step().sign_of(&play.state.cx.look, &id(PAGE)).map(|(sign, ..)| sign);
    assert_eq!(sign(&play), Some("✗"));
    let (run, resource) = (play.step().run, id(PAGE));
    let state = TurnState::Failed { error: WHY.into(), is_undone: false };
    let step = failing().steps.iter().find(|step| step.resource == resource).cloned();
    play.press("s  s");
    play.send(Message::Run { run, event: Event::Turn { resource, state, step, elapsed_ms: 1 } });
    assert_eq!(sign(&play), Some("✗"));
    let drawn = play.draw();
    let row = drawn.lines().find(|line| line.contains(PAGE)).unwrap_or_default();
    assert!(!row.split('│').nth(1).unwrap_or_default().contains('?'), "{drawn}");
}

/// An error in text that no file has, such as the `include` of a module, leads to the file that it names.
#[test]
fn an_error_in_generated_text_leads_to_a_file() {
    let mut sources = Sources::default();
    let include = sources.add("<include>", None, "include web\n");
    let file = sources.add("web/main.mcl", Some("/m/web/main.mcl".into()), CODE);
    let mut diagnostics = Diagnostics::new(Stage::Eval);
    let problem = Diagnostic::error(Code::MissingParameter, Span::new(include, 0, 11));
    diagnostics.push(problem.related(Span::new(file, 0, 6), "declared here"));
    let program = Arc::new(Program::new(Compiled::new(Graph::default(), sources, diagnostics)));
    let mut play = Play::with(120, 40, &UNICODE, program);
    play.press("1  e");
    assert!(play.asked.iter().any(|asked| asked.contains("/m/web/main.mcl")), "{:?}", play.asked);
}
