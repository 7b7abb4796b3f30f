//! Re-checking one resource of a plan: its effect on the plan and the run.

use std::sync::Arc;

use super::stage::{Play, compiled, id, program};
use crate::graph::{Graph, Node, Value};
use crate::plan::Action;
use crate::session::Outdated;
use crate::tui::{look::UNICODE, message::Message, program::Program};

/// The program with another value of one parameter.
pub fn edited(wanted: &[&str]) -> Arc<Program> {
    let program = program();
    let mut graph = Graph::clone(&program.graph);
    for name in wanted {
        let at = graph.find(&id(name)).expect("it is there");
        if let Node::Resource(resource) = graph.node_mut(at) {
            resource.set("mode", Value::from("0640"));
        }
    }
    compiled(graph, program.sources.clone())
}

/// The program with one resource less, and without edges.
fn fewer() -> Arc<Program> {
    let mut graph = Graph::default();
    program().graph.nodes().take(4).for_each(|node| _ = graph.add(node.clone()));
    compiled(graph, program().sources.clone())
}

fn action(play: &Play, name: &str) -> Option<Action> {
    play.step().action_of(&id(name))
}

#[test]
fn one_resource_is_checked_and_the_run_stays_where_it_is() {
    let mut play = Play::after("p  s");
    assert_eq!(action(&play, "file[/srv/web/index.html]"), Some(Action::Create));
    let run = play.step().run;
    play.asked.clear();
    play.press("j  ctrl-r");
    assert_eq!(play.asked, ["LookAgain(file[/srv/web/index.html])"]);
    assert_eq!(action(&play, "file[/srv/web/index.html]"), Some(Action::None));
    assert_eq!(action(&play, "file[/srv/web/nginx.conf]"), Some(Action::Change), "all else is as it was");
    play.shows("checked file[/srv/web/index.html]").hides("with it");
    let step = play.step();
    assert_eq!((step.run, step.turned(), step.next_id().cloned()), (run, 1, Some(id("file[/srv/web/nginx.conf]"))));
    // A step that used it is repeated, and so are those after it.
    play.press("g  g");
    play.asked.clear();
    play.press("ctrl-r");
    let sent: Vec<_> = play.asked.iter().map(|asked| asked.split(['(', ' ']).next().unwrap_or_default()).collect();
    assert_eq!(sent, ["LookAgain", "Back", "Pick", "Step", "Pick"]);
    assert_eq!(play.step().next_id().cloned(), Some(id("file[/srv/web/nginx.conf]")));
    assert_eq!(play.step().turned(), 1);
}

/// The plan counts as stale as long as any resource differs from the code.
#[test]
fn a_plan_is_stale_until_nothing_is() {
    let mut play = Play::after("p  s");
    let is_stale = |play: &Play| play.draw().contains("stale");
    play.change(edited(&["file[/srv/web/index.html]", "svc[nginx]"]));
    assert!(is_stale(&play), "{}", play.draw());
    play.press("j  ctrl-r");
    assert!(is_stale(&play), "svc[nginx] differs still: {}", play.draw());
    assert_eq!(play.step().turned(), 1, "the turn that was taken is taken again");
    play.press("j  ctrl-r");
    assert!(!is_stale(&play), "{}", play.draw());
    assert_eq!(play.step().turned(), 1);
}

#[test]
fn a_module_that_cannot_be_checked_shows_the_reason() {
    let mut play = Play::after("1  ctrl-r");
    play.press("p  A  w  e  b  1  enter  ctrl-r").shows("each resource is checked before its step");
}

/// After an edit during a dry run only the differences are re-checked, and the run returns to its place; with another
/// graph, the differences are shown, and everything is planned.
#[test]
fn an_edit_is_checked_and_the_run_comes_back() {
    let mut play = Play::after("p  s");
    let plans = play.plans;
    play.change(edited(&["file[/srv/web/index.html]"]));
    play.asked.clear();
    play.press("e");
    play.send(Message::Edited(Ok(())));
    assert!(play.asked.contains(&"LookAgain(file[/srv/web/index.html])".to_string()), "{:?}", play.asked);
    assert_eq!(play.plans, plans, "nothing else is looked at");
    play.shows("reloaded, ~1: at file[/srv/web/nginx.conf]");
    let step = play.step();
    assert_eq!((step.turned(), step.next_id().cloned()), (1, Some(id("file[/srv/web/nginx.conf]"))));
    assert_eq!(action(&play, "file[/srv/web/index.html]"), Some(Action::None));
    assert!(!play.draw().contains("stale"));
    // An edit without a change checks nothing.
    play.press("e");
    play.send(Message::Edited(Ok(())));
    assert_eq!(play.asked.iter().rfind(|asked| asked.starts_with("LookAgain")), Some(&"LookAgain()".into()));
    play.shows("no changes: at");
    // One resource less.
    play.change(fewer());
    play.send(Message::Edited(Ok(())));
    assert_eq!(play.plans, plans + 1);
    play.shows_all(["The edit changes the graph", "- exec[warm the cache]", "at file[/srv/web/nginx.conf]"]);
    assert_eq!(play.step().next_id().cloned(), Some(id("file[/srv/web/nginx.conf]")));
}

/// Changes on the machine since the plan are marked at their rows, and one re-check handles all of them.
#[test]
fn a_plan_is_stale_where_the_machine_differs_from_it() {
    let mut play = Play::after("p  s");
    let run = play.watched_plans;
    let outdated = |names: &[&str]| {
        let words = "mode: \"0644\" was expected, \"0600\" is found";
        names.iter().map(|name| (id(name), words.to_string())).collect::<Outdated>()
    };
    play.send(Message::Outdated { run: run - 1, found: outdated(&["svc[nginx]"]) });
    assert!(!play.draw().contains("stale"), "of the plan before: {}", play.draw());
    let conf = "file[/srv/web/nginx.conf]";
    play.send(Message::Outdated { run, found: outdated(&[conf]) });
    let drawn = play.draw();
    for words in
        ["stale: Ctrl-r re-checks", "file[/srv/web/nginx.conf] changed since the plan", "\"0600\" is found, since"]
    {
        assert!(drawn.contains(words), "{words}: {drawn}");
    }
    play.press("3");
    play.send(Message::Outdated { run, found: outdated(&["svc[nginx]"]) });
    play.shows("svc[nginx] changed since the plan; see Plan");
    play.send(Message::Outdated { run, found: outdated(&[conf]) });
    play.press("1  A").shows("the machine changed since the plan");
    play.send(Message::Outdated { run, found: Outdated::new() });
    play.hides("stale");
    play.send(Message::Outdated { run, found: outdated(&[conf, "svc[nginx]"]) });
    play.asked.clear();
    play.press("j  ctrl-r");
    assert_eq!(play.asked[0], "LookAgain(file[/srv/web/index.html] file[/srv/web/nginx.conf] svc[nginx])");
    play.hides("stale");
    assert_eq!(play.watched_plans, run + 1, "the plan is another, and is watched");
    assert_eq!(play.step().turned(), 1);
}

/// It may happen while the name is typed: nothing goes live then.
#[test]
fn what_becomes_stale_while_the_name_is_typed_is_not_gone_live_on() {
    for is_stale in [true, false] {
        let mut play = Play::after("p  A  w  e");
        if is_stale {
            let found = [(id("svc[nginx]"), "state: other".to_string())].into();
            play.send(Message::Outdated { run: play.watched_plans, found });
        }
        play.press("b  1  enter");
        assert_eq!(play.asked.iter().any(|asked| asked.starts_with("Arm")), !is_stale, "{:?}", play.asked);
        assert_eq!(play.draw().contains("the machine changed since the plan"), is_stale, "{}", play.draw());
    }
}

/// `stale` is a query key, beside the status of a resource.
#[test]
fn stale_rows_are_filtered_for() {
    let mut play = Play::after("p  s");
    let words = "mode: \"0644\" was expected, \"0600\" is found".to_string();
    play.send(Message::Outdated { run: play.watched_plans, found: [(id("file[/srv/web/nginx.conf]"), words)].into() });
    for screen in ["1", "3"] {
        play.press(screen);
        play.send(Message::PendingDue);
        play.press("/  s  t  a  t  e  :  s  t  a  l  e  enter");
        let drawn = play.draw();
        let left: Vec<&str> = drawn.lines().filter_map(|line| line.split('│').nth(1)).collect();
        assert!(left.iter().any(|row| row.contains("nginx.conf]")), "{drawn}");
        assert!(!left.iter().any(|row| row.contains("svc[nginx]") || row.contains("index.html]")), "{drawn}");
    }
}

/// The rows alone show which are stale.
#[test]
fn a_stale_row_shows_it_in_the_place_of_its_certainty() {
    for (width, height, tail) in [(120, 40, "~  stale"), (80, 24, "~  s")] {
        let mut play = Play::with(width, height, &UNICODE, program());
        play.press("p");
        let row = |play: &Play| {
            let drawn = play.draw();
            let row = drawn.lines().find(|line| line.contains("nginx.conf]")).unwrap_or_default();
            row.split('│').nth(1).unwrap_or_default().trim_end().to_string()
        };
        assert!(!row(&play).ends_with(tail), "{}", play.draw());
        let found = [(id("file[/srv/web/nginx.conf]"), "mode: another".to_string())].into();
        play.send(Message::Outdated { run: play.watched_plans, found });
        assert!(row(&play).ends_with(tail), "{}: {}", row(&play), play.draw());
        play.press("g  g  j  ctrl-r");
        play.send(Message::Outdated { run: play.watched_plans, found: Outdated::new() });
        assert!(!row(&play).ends_with(tail), "{}", play.draw());
    }
}

/// Graph marks it with the same word, in both views, and shows the reason for the selected one.
#[test]
fn a_stale_graph_is_marked() {
    for (width, height, tail) in [(120, 40, "stale  ~"), (80, 24, "stale  ~"), (200, 60, "stale  ~")] {
        let mut play = Play::with(width, height, &UNICODE, program());
        play.press("p  j  space  g");
        let row = |play: &Play| {
            let drawn = play.draw();
            let row =
                drawn.lines().find(|line| line.contains("nginx.conf]") && line.starts_with('│')).unwrap_or_default();
            row.split('│').find(|part| part.contains("nginx.conf]")).unwrap_or_default().trim_end().to_string()
        };
        play.hides("stale");
        let why = "mode: \"0644\" was expected, \"0600\" is found";
        let found = [(id("file[/srv/web/nginx.conf]"), why.to_string())].into();
        play.send(Message::Outdated { run: play.watched_plans, found });
        play.press("esc");
        assert!(row(&play).ends_with(tail), "{}: {}", row(&play), play.draw());
        play.press("g  t");
        assert!(row(&play).ends_with(tail), "{}: {}", row(&play), play.draw());
        let drawn = play.draw();
        let printed: String = drawn.lines().filter_map(|line| line.rsplit('│').nth(1)).collect();
        let printed = printed.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(printed.contains(&format!("stale {why}, since the plan; Ctrl-r re-checks")), "{printed}: {drawn}");
        play.press("g  t  z  M");
        assert!(play.draw().lines().any(|line| line.contains("folded") && line.contains("stale")), "{}", play.draw());
        // A step that ran is not stale.
        play.press("1  s  s  3");
        play.send(Message::PendingDue);
        play.hides("stale");
    }
}

/// A live run checks each step in its turn.
#[test]
fn only_a_plan_that_may_be_stepped_is_watched() {
    let mut play = Play::after("p");
    assert!(play.watches_plan);
    play.press("A  w  e  b  1  enter");
    assert!(!play.watches_plan, "{}", play.draw());
}

/// A new graph that no editor of ours made: a re-check shows the differences and returns, and a new plan starts again.
#[test]
fn another_graph_is_shown_and_the_place_is_kept() {
    for (key, turned, shown) in [("ctrl-r", 1, "- exec[warm the cache]"), ("p", 0, "new plan, -1")] {
        let mut play = Play::after("p  s");
        play.change(fewer());
        play.shows("stale");
        play.press(key).shows(shown);
        assert_eq!(play.step().turned(), turned, "{key}");
        play.hides("stale");
    }
}

/// Other re-checked resources may have changed, which is reported.
#[test]
fn results_that_differ_from_the_check_are_reported() {
    let mut play = Play::with(120, 40, &UNICODE, program());
    for (stale, words) in [
        (&["pkg[nginx]", "svc[nginx]"][..], "checked 2 resources: all as before"),
        (&["file[/srv/web/nginx.conf]"], "checked 2 resources: file[/srv/web/nginx.conf] changed, 1 as before"),
        (
            &["file[/srv/web/nginx.conf]", "file[/srv/web/index.html]", "svc[nginx]"],
            "checked 4 resources: 2 changed, 2 as before",
        ),
    ] {
        play.press("p  g  g");
        let found: Outdated = stale.iter().map(|name| (id(name), "other".to_string())).collect();
        play.send(Message::Outdated { run: play.watched_plans, found });
        play.press("ctrl-r");
        let printed = play.notice();
        assert_eq!(printed, words);
    }
}

/// A repeated step keeps its log line; with another result it is logged again, and the old line is marked as undone.
#[test]
fn turns_that_are_taken_again_are_not_logged_again() {
    let mut play = Play::after("p  s  s  s");
    // The text of each line, and whether it is still valid.
    let printed = |play: &Play| {
        let run = play.step().run;
        let entries = play.state.cx.log.newest(1000).filter_map(|(_, entry)| Some((&entry.words, entry.dry.as_ref()?)));
        let mut printed: Vec<_> =
            entries.map(|(words, dry)| (words.clone(), dry.run == run && !dry.is_undone)).collect();
        printed.reverse();
        printed
    };
    let before = printed(&play);
    assert_eq!(before.len(), 3, "{before:?}");
    play.press("g  g  ctrl-r");
    assert!(play.asked.contains(&"Back".to_string()));
    assert_eq!(printed(&play), before);
    // A run of another program: the lines belong to it.
    let run = play.step().run;
    play.change(edited(&["svc[nginx]"]));
    play.press("ctrl-r");
    assert!(play.step().run > run);
    assert_eq!(printed(&play), before);
    let mut play = Play::after("p  s  s  s  g  g");
    play.run.fails = Some(id("file[/srv/web/nginx.conf]"));
    play.press("ctrl-r");
    let after = printed(&play);
    assert_eq!(after.iter().map(|(_, holds)| *holds).collect::<Vec<_>>(), [true, false, true, true], "{after:?}");
    assert!(after[3].0.contains("failed: no space left"), "{after:?}");
}

/// A run that continues with an outdated program reports it at the change, on screen and in the log.
#[test]
fn a_program_that_differs_in_the_middle_of_a_dry_run_is_reported() {
    let printed = |play: &Play| {
        let words = play.notice();
        let logged = play.state.cx.log.newest(100).filter(|(_, entry)| entry.words == words).count();
        (words, logged)
    };
    let same = edited(&["svc[nginx]"]);
    for (changed, ways) in [(same, "Ctrl-r re-checks the selected resource"), (fewer(), "Ctrl-r plans again")] {
        let mut play = Play::with(120, 40, &UNICODE, program());
        play.press("p  s").change(changed.clone());
        let (words, logged) = printed(&play);
        assert!(words.starts_with("the source changed: p makes a new plan") && words.contains(ways), "{words}");
        assert_eq!(logged, 1);
        play.shows("stale: press p");
        // In LIVE the confirmed program continues.
        let mut play = Play::with(120, 40, &UNICODE, program());
        play.press("p  A  w  e  b  1  enter  s").change(changed);
        assert!(printed(&play).0.contains("keeps the old version") && printed(&play).1 == 1, "{:?}", printed(&play));
    }
}
