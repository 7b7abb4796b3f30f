//! The history on the screens: list, details, comparison and undo.

use serde_json::json;

use super::stage::{Play, id};
use super::undo::undo_step;
use crate::plan::{CompiledFor, CompiledWith, Facts};
use crate::session::history::{
    Amended, Begin, Deploy, Difference, End, Ending, Failure, Module, Outcome, Prediction, Purpose, Summary, Sums,
    Verdict,
};
use crate::session::operations::Operations;
use crate::tui::screen::deploys::{Listed, Notice, State};
use crate::tui::screen::step::live::{Cut, Notice as Live};
use crate::tui::{message::Message, screen::ScreenId};

fn begin(deploy: u64, purpose: Purpose) -> Begin {
    Begin {
        deploy,
        time: format!("2026-11-2{deploy}T12:03:11Z"),
        user: "root".into(),
        behind: Some("ana".into()),
        program: "workbench 0.1.0".into(),
        entry: "sites/web".into(),
        plan: (deploy != 2).then(|| "9c0ffee1d2a4".into()),
        modules: vec![Module { path: ".".into(), commit: Some("8c1f02e4aa17bb".into()), edited: true }],
        compiled_for: (deploy == 7).then(|| Box::new(for_web1())),
        purpose,
        ..Begin::default()
    }
}

/// With a hostile node.
fn for_web1() -> CompiledFor {
    let facts = Facts { from: "/srv/facts.yaml".into(), sha256: Some("83b49b0cc66fbeaf".into()) };
    let options = CompiledWith { set: vec![("port".into(), "80".into())], ..CompiledWith::default() };
    CompiledFor { node: Some("web1\u{1b}[31m".into()), facts, target: Some("vm".into()), options }
}

fn end(changed: u64, failed: u64) -> Option<End> {
    Some(End { changed, failed, done: 5, how: Ending::Finished, ..End::default() })
}

fn outcome(name: &str, state: &str, error: Option<&str>) -> Outcome {
    Outcome {
        resource: id(name),
        state: state.into(),
        // As a run writes it: a blocked resource has no step.
        action: match state {
            "blocked" => "",
            "skipped" => "none",
            _ => "change",
        }
        .into(),
        changes: vec![
            json!({"property": "mode", "from": "0600", "to": "0644"}),
            json!({"property": "content", "from": null, "to": {"$sensitive": true}}),
            json!({"property": "lines", "from": "a 1\nb 2\n", "to": "a 1\nb 3\nc \u{1b}[31m\n"}),
        ],
        note: String::new(),
        error: error.map(str::to_owned),
        elapsed_ms: 4,
        time: String::new(),
        planned: None,
    }
}

/// Four deploys: a good one, a failed one, an undo of the first, an interrupted one.
pub fn history() -> Vec<Summary> {
    let purposes = [
        (4, Purpose::Apply, None),
        (3, Purpose::Undo { deploy: 1 }, end(2, 0)),
        (2, Purpose::Apply, end(1, 1)),
        (1, Purpose::Apply, end(2, 0)),
    ];
    let summary = |(deploy, purpose, end)| Summary { deploy, begin: Some(begin(deploy, purpose)), end };
    purposes.map(summary).to_vec()
}

/// The content of each of them; the third is the undo.
pub fn whole(deploy: u64) -> Deploy {
    if deploy == 3 {
        let (note, changes) = ("cannot be undone: a command (effects unknown)".into(), vec![]);
        let lost = Outcome { note, changes, ..outcome("exec[warm the cache]", "skipped", None) };
        let outcomes = vec![lost, outcome("file[/srv/web/nginx.conf]", "done", None)];
        let begin = begin(deploy, Purpose::Undo { deploy: 1 });
        return Deploy {
            begin,
            steps: vec![],
            outcomes,
            amended: vec![],
            end: end(2, 0),
            fault: None,
            recovered: None,
        };
    }
    let planned = (deploy == 5).then(|| Prediction { action: "create".into(), certainty: "predicted".into() });
    let outcomes = vec![
        outcome("file[/srv/web/nginx.conf]", "done", None),
        outcome("svc[nginx]", "failed", Some("\u{1b}[31mno such unit")),
        Outcome {
            planned,
            changes: vec![],
            ..outcome("exec[warm the cache]", "blocked", Some("svc[nginx] is not done"))
        },
    ];
    let begin = begin(deploy, Purpose::Apply);
    let amended = if deploy == 6 { vec![amended()] } else { vec![] };
    Deploy { begin, steps: vec![], outcomes, amended, end: end(1, 1), fault: None, recovered: None }
}

/// One whose text is wider than its pane.
fn amended() -> Amended {
    let change = json!({"property": "cmd", "from": "curl ".repeat(20), "to": format!("{}wget", "curl ".repeat(20))});
    let (time, graph) = Default::default();
    Amended { resource: id("svc[nginx]"), changes: vec![change], time, graph, at: 1 }
}

#[test]
fn changes_within_a_deploy_are_reported_whole() {
    let mut play = play(120, 40);
    play.deploys.insert(0, Summary { deploy: 6, begin: Some(begin(6, Purpose::Apply)), end: end(1, 1) });
    play.press("4  5  g  g");
    play.shows("svc[nginx]  edited during the deploy").shows("wget\"");
}

#[test]
fn the_purpose_of_a_deploy_is_shown() {
    let mut play = play(120, 40);
    play.deploys.insert(0, Summary { deploy: 7, begin: Some(begin(7, Purpose::Apply)), end: end(1, 1) });
    play.press("4  5  g  g");
    let drawn = play.draw();
    assert!(!drawn.contains('\u{1b}'), "{drawn}");
    play.shows_all(["compiled", "for node web1", "/srv/facts.yaml", "port=(hidden)", "83b49b0cc66f"]);
    let row = drawn.lines().find(|line| line.contains(" 7 ")).expect("it is listed");
    assert!(row.split(['│', '║']).nth(1).is_some_and(|row| row.contains("node web1")), "{row}");
}

pub fn play(width: u16, height: u16) -> Play {
    let mut play = Play::new(width, height);
    play.deploys = history();
    play.press("5");
    play
}

#[test]
fn deploys_at_all_sizes() {
    for (width, height) in [(120, 40), (80, 24), (40, 12)] {
        insta::assert_snapshot!(format!("deploys-{width}x{height}"), play(width, height).draw());
    }
    insta::assert_snapshot!("deploys-none-80x24", Play::new(80, 24).press("5").draw());
}

#[test]
fn nothing_of_a_journal_reaches_the_terminal_raw() {
    assert!(!play(120, 40).draw().contains('\u{1b}'));
}

#[test]
fn the_pane_follows_the_cursor_and_the_cursor_its_deploy() {
    let mut play = play(120, 40);
    play.press("j  j").shows("─#2─");
    // A newer one is added above.
    play.deploys.insert(0, Summary { deploy: 5, begin: Some(begin(5, Purpose::Apply)), end: end(0, 0) });
    play.press("4  5").shows("─#2─");
    play.press("enter  j  h");
    assert_eq!(play.state.screens.deploys.selected(), Some(2), "j scrolled the opened deploy");
    play.press("/  k i n d : u n d o").shows("1 of 1");
    play.press("esc").shows("of 5");
}

#[test]
fn a_filter_that_hides_all_shows_it() {
    let mut play = play(120, 40);
    play.press("/  z z z  enter").shows("hides 4 entries.");
    for key in ["enter", "S", "u", "."] {
        play.press(key).shows("no rows: Esc clears the filter");
    }
    let log = Play::after("6  /  z z z  enter  enter");
    log.shows("no lines");
}

/// The key matches a path: entries below it or with a similar name are other programs.
#[test]
fn only_deploys_of_the_same_place_are_left() {
    let mut play = Play::new(120, 40);
    let typed =
        [(".", "/srv/web"), ("main.mcl", "/srv/web"), (".", "/srv/web2"), ("/srv/web/", "/"), ("../web", "/srv/db")];
    let summary = |(at, (entry, folder)): (usize, &(&str, &str))| {
        let deploy = 5 - at as u64;
        let begin = Begin { entry: (*entry).into(), folder: folder.into(), ..begin(deploy, Purpose::Apply) };
        Summary { deploy, begin: Some(begin), end: end(1, 0) }
    };
    play.deploys = typed.iter().enumerate().map(summary).collect();
    play.press("5").shows("/srv/web2").hides("../web");
    // A folder and its entry file are one.
    play.press(".").shows("1 of 4").hides("/srv/web2").shows("main.mcl");
    play.press(".").shows("1 of 5");
    play.press("=");
    assert_eq!(play.asked.last().map(String::as_str), Some("CompareDeploys(4, 5)"));
}

/// An undo has the entry of the deploy that it undoes, also if that was an undo.
#[test]
fn an_undo_is_of_the_same_entry() {
    let mut play = Play::new(120, 40);
    let deploys = [
        (6, "deploy 9", Purpose::Undo { deploy: 9 }),
        (5, "deploy 4", Purpose::Undo { deploy: 4 }),
        (4, "deploy 1", Purpose::Undo { deploy: 1 }),
        (3, "deploy 2", Purpose::Undo { deploy: 2 }),
        (2, "/srv/db", Purpose::Apply),
        (1, "/srv/web", Purpose::Apply),
    ];
    let summary = |(deploy, entry, purpose): (u64, &str, Purpose)| {
        let begin = Begin { entry: entry.into(), folder: "/".into(), ..begin(deploy, purpose) };
        Summary { deploy, begin: Some(begin), end: end(1, 0) }
    };
    play.deploys = deploys.map(summary).to_vec();
    play.press("5  j  j  .").shows("/srv/web").shows("2 of 3").hides("undo of 2");
    play.press("=");
    assert_eq!(play.asked.last().map(String::as_str), Some("CompareDeploys(1, 4)"));
}

#[test]
fn two_are_compared() {
    let mut play = play(120, 40);
    play.press("=");
    assert_eq!(play.asked.last().map(String::as_str), Some("CompareDeploys(2, 4)"));
    let one = Some(outcome("svc[nginx]", "done", None));
    let row = Difference { resource: id("svc[nginx]"), one, other: None };
    play.send(Message::Deploys(Notice::Compared(1, 3, Ok(vec![]))));
    assert!(!play.draw().contains("Both did the same"), "it was not asked for any more");
    play.send(Message::Deploys(Notice::Compared(2, 4, Ok(vec![row]))));
    play.shows("svc[nginx]  is not in #4");
    play.press("j").shows("─#3─");
}

#[test]
fn a_deploy_is_undone_after_a_question() {
    let mut play = play(120, 40);
    play.press("G  u").shows("deploy 1 is already undone by deploy 3");
    play.press("k  u").shows("Undo deploy 2?");
    play.press("n");
    assert!(play.asked.is_empty(), "{:?}", play.asked);
    play.press("u  y");
    assert_eq!(play.asked, ["Undo(2)"]);
    play.shows("Deploy 2 undone (recorded as deploy 9)");
    play.press("esc  6").shows("workbench deploy undo 2");
}

#[test]
fn texts_of_a_deploy_are_compared_as_on_step() {
    let mut play = play(240, 40);
    let one_below_the_other = play.draw();
    assert!(one_below_the_other.contains("side by side"), "{one_below_the_other}");
    play.press("d");
    let row = |drawn: &str| drawn.lines().find(|line| line.contains("b 3")).map(str::to_owned);
    assert!(!row(&one_below_the_other).is_some_and(|row| row.contains("b 2")), "{one_below_the_other}");
    assert!(row(&play.draw()).is_some_and(|row| row.contains("b 2")), "{}", play.draw());
    play.press("d");
    assert_eq!(play.draw(), one_below_the_other);
}

/// The actions by letter, the duration, and where and why one failed; older journals lack some of it.
#[test]
fn rows_show_the_outcome_of_a_deploy() {
    let sums = Sums { create: 7, change: 1, refresh: 1, ..Sums::default() };
    let at = |time: &str| format!("2026-11-2{time}Z");
    let failure = Failure { resource: id("pkg[pg]"), error: "repo timeout\u{1b}[31m".into(), at: 5 };
    let ends = [
        (5, End { time: at("5T12:03:52"), changed: 8, done: 13, sums: Some(sums), ..End::default() }),
        (
            4,
            End {
                time: at("4T12:04:13"),
                changed: 1,
                done: 4,
                failed: 1,
                blocked: 8,
                sums: Some(Sums { change: 1, ..Sums::default() }),
                failure: Some(failure),
                ..End::default()
            },
        ),
        // Of an earlier version.
        (3, End { changed: 2, done: 2, ..End::default() }),
        // Stopped before the end.
        (
            2,
            End {
                how: Ending::Stopped,
                changed: 5,
                done: 6,
                failed: 1,
                sums: Some(Sums { create: 5, ..Sums::default() }),
                failure: Some(Failure { resource: id("exec[x]"), error: "no".into(), at: 7 }),
                total: Some(11),
                ..End::default()
            },
        ),
    ];
    for (width, height) in [(120, 40), (80, 24)] {
        let mut play = Play::new(width, height);
        let summary = |(deploy, end): &(u64, End)| Summary {
            deploy: *deploy,
            begin: Some(begin(*deploy, Purpose::Apply)),
            end: Some(end.clone()),
        };
        play.deploys = ends.iter().map(summary).collect();
        play.press("5");
        let page = play.draw();
        // With little room, the progress comes before the word for the stop.
        let stopped = if width < 100 { "+5, 1 failed" } else { "+5, 1 failed, stopped early" };
        for (number, result, took) in [
            ("✓ 5 ", "+7 ~1 ↻1 ", "41s"),
            ("✗ 4 ", "~1, 1 failed", "1m02s"),
            ("✓ 3 ", "2 changes", ""),
            ("✗ 2 ", stopped, ""),
        ] {
            let row = page.lines().find(|line| line.contains(number)).unwrap_or_default();
            assert!(row.contains(result) && row.contains(took), "{number}: {page}");
        }
        for words in ["✗ pkg[pg]: repo timeout", "1 of 4"] {
            assert!(page.contains(words), "{words}: {page}");
        }
        assert!(page.contains("Deploys on web1") && !page.contains('\u{1b}'), "{page}");
        // The reason is not selectable.
        for (keys, number) in [("j", 4), ("j", 3), ("k", 4), ("k", 5), ("G", 2), ("k", 3), ("k", 4)] {
            play.press(keys);
            assert_eq!(play.state.screens.deploys.selected(), Some(number), "{keys}");
        }
        play.shows("2 of 4");
        play.press("/  s t a t e : f a i l e d  enter").shows("✗ 2 ");
    }
}

/// Of several failures one is named and the others are counted; a row shows the first line of a command's output.
#[test]
fn a_row_shows_one_failure_and_how_many_more() {
    let failure = Failure { resource: id("exec[x]"), error: "exited with code 3: two\noops\ntwo".into(), at: 7 };
    let (sums, failure) = (Some(Sums { create: 5, ..Sums::default() }), Some(failure));
    let end = End { changed: 5, done: 6, failed: 2, sums, failure, ..End::default() };
    let mut play = Play::new(120, 40);
    play.deploys = vec![Summary { deploy: 1, begin: Some(begin(1, Purpose::Apply)), end: Some(end) }];
    play.press("5");
    play.shows("+5, 2 failed").shows("exec[x]: exited with code 3: two").hides("two\\noops");
}

#[test]
fn an_undo_does_not_change_other_comparisons() {
    let mut play = Play::new(120, 40);
    play.deploys = history();
    play.deploys.truncate(2);
    play.press("5  j  =").shows("an undo cannot be compared");
}

/// Only the row of a deploy that can be resumed here shows the key, as long as it can.
#[test]
fn the_row_that_can_be_resumed_names_its_key() {
    let cut = |deploy, is_other, as_root| Cut {
        deploy,
        time: "2026-11-24T12:03:11Z".into(),
        entry: "sites/web".into(),
        graph: crate::session::history::graph_hash(&super::stage::program().graph),
        operations: vec!["file[/a]: create the file /a: interrupted".into()],
        is_other,
        as_root,
        ..Cut::default()
    };
    let row_of = |page: &str| {
        let row = page.lines().find(|line| line.contains("‖ 4 ")).expect("it is listed");
        row.split(['│', '║']).nth(1).unwrap_or_default().to_string()
    };
    for (cut, is_named) in [
        (None, false),
        (Some(cut(4, false, false)), true),
        (Some(cut(4, true, false)), false),
        (Some(cut(4, false, true)), false),
        // No row shows it.
        (Some(cut(9, false, false)), false),
    ] {
        for (width, height) in [(120, 40), (80, 24)] {
            let mut play = play(width, height);
            if let Some(cut) = cut.clone() {
                play.send(Message::Live(Live::CutOff(cut)));
                play.press("esc");
            }
            let page = play.draw();
            assert_eq!(row_of(&page).contains("interrupted (R)"), is_named, "{cut:?}: {page}");
        }
    }
    let mut play = play(120, 40);
    play.send(Message::Live(Live::CutOff(cut(4, false, false))));
    play.press("esc");
    assert!(row_of(&play.draw()).contains("interrupted (R)"), "{}", play.draw());
    play.press("1").send(Message::PendingDue);
    play.press("p  R  w  e  b  1  enter  5").send(Message::PendingDue);
    assert!(!row_of(&play.draw()).contains("interrupted (R)"), "it is gone on with: {}", play.draw());
}

/// Of many deploys the newest are shown at once, and the rest later, without moving the cursor; a filter searches all.
#[test]
fn the_newest_do_not_wait_for_the_rest() {
    let listed = |count: usize| Listed {
        deploys: history().into_iter().take(count).collect(),
        operations: Operations::default(),
        unread: None,
        at_work: Some(false),
    };
    let mut play = Play::new(120, 40);
    // As before the first answer.
    play.state.screens.deploys = State::default();
    play.state.cx.screen = ScreenId::Deploys;
    play.shows("reading the history");
    play.send(Message::Deploys(Notice::Newest(listed(3))));
    play.shows("✗ 2 ").shows("1 of 3");
    play.press("j");
    assert_eq!(play.state.screens.deploys.selected(), Some(3));
    play.press("/  i n t e r r u p t e d  enter").shows("1 of 1");
    play.press("esc  g  g  j");
    play.send(Message::Deploys(Notice::Listed(Ok(listed(4)))));
    assert!(play.draw().contains("2 of 4") && play.state.screens.deploys.selected() == Some(3), "{}", play.draw());
    play.press("/  b y  space  # 3  enter").shows("◂ 1 ").shows("1 of 1");
    // A late answer is older than the known state.
    play.press("esc");
    play.send(Message::Deploys(Notice::Newest(listed(2))));
    play.shows("of 4");
}

/// Two attempts of one resource in a deploy are distinguished.
#[test]
fn another_try_shows_that_it_is_one() {
    let mut play = play(120, 100);
    let mut deploy = whole(4);
    deploy.outcomes.push(outcome("svc[nginx]", "failed", Some("no such unit still")));
    deploy.outcomes.push(outcome("svc[nginx]", "done", None));
    play.send(Message::Deploys(Notice::Read(4, Ok(Box::new(deploy)))));
    let drawn = play.draw();
    let lines: Vec<&str> = drawn.lines().collect();
    let has = |words: &[&str]| lines.iter().any(|line| words.iter().all(|words| line.contains(words)));
    assert!(has(&["✗ svc[nginx]  try 2"]) && has(&["✓ svc[nginx]  try 3"]), "{drawn}");
    assert!(!has(&["nginx.conf]", "try"]) && !has(&["try 1"]), "{drawn}");
}

/// The effects of an undo are in the question.
#[test]
fn an_undo_is_reported_before_it_is_agreed_to() {
    let mut play = play(120, 40);
    play.send(Message::Deploys(Notice::Read(4, Ok(Box::new(whole(4))))));
    play.is_unread = true;
    play.press("u  y").shows("Reading what deploy 4 did");
    assert!(play.asked.is_empty(), "nothing is done before it is agreed to: {:?}", play.asked);
    // Also of the deploy that this one resumed.
    let steps = vec![
        undo_step(4, 2, "file[/srv/web/index.html]", Verdict::Already),
        undo_step(4, 1, "file[/srv/web/nginx.conf]", Verdict::Stays("it holds more".into())),
        undo_step(3, 1, "exec[of the first]", Verdict::Lost("a command".into())),
    ];
    play.send(Message::Live(Live::UndoPlanned { ask: play.step().live.ask, deploy: 4, steps: Ok(steps) }));
    let drawn = play.draw();
    for words in
        ["1 already undone:", "1 kept because not empty:", "1 cannot be undone:", "exec[of the first]: a command"]
    {
        assert!(drawn.contains(words), "{words}: {drawn}");
    }
}

/// After a deploy, History selects it, unless another one was selected.
#[test]
fn a_new_deploy_is_selected() {
    let mut play = Play::new(120, 40);
    let list = |play: &mut Play, deploys: Vec<Summary>| {
        play.deploys.clone_from(&deploys);
        let listed = Listed { deploys, operations: Operations::default(), unread: None, at_work: None };
        play.send(Message::Deploys(Notice::Listed(Ok(listed))));
    };
    let all = history();
    list(&mut play, all[1..].to_vec());
    list(&mut play, all.clone());
    play.press("5");
    assert_eq!(play.state.screens.deploys.selected(), Some(all[0].deploy));
    play.press("j  1  5");
    assert_eq!(play.state.screens.deploys.selected(), Some(all[1].deploy));
}

/// A filter selects another row, and the pane beside shows that one.
#[test]
fn the_pane_follows_the_filter() {
    let mut play = play(120, 40);
    play.press("/  k i n d : u n d o  enter");
    assert_eq!(play.state.screens.deploys.selected(), Some(3));
    play.shows("─#3─");
    play.press("esc").shows("─#3─");
}

/// A deploy of another program is no base for a comparison.
#[test]
fn the_one_before_is_of_the_same_entry() {
    let mut play = Play::new(120, 40);
    let summary = |(deploy, entry): (u64, &str)| {
        let begin = Begin { entry: entry.into(), folder: "/srv".into(), ..begin(deploy, Purpose::Apply) };
        Summary { deploy, begin: Some(begin), end: end(1, 0) }
    };
    play.deploys = [(4, "web"), (3, "db"), (2, "/srv/web/"), (1, "db")].map(summary).to_vec();
    play.press("5  =");
    assert_eq!(play.asked.last().map(String::as_str), Some("CompareDeploys(2, 4)"));
    play.press("G  =");
    assert_eq!(play.asked.len(), 1, "nothing of db came before it: {:?}", play.asked);
}

/// An undone deploy cannot be undone: the key is disabled, with the reason.
#[test]
fn an_undone_deploy_is_not_offered_again() {
    let mut play = play(120, 40);
    play.press("G");
    assert_eq!(play.state.screens.deploys.selected(), Some(1));
    assert!(!play.draw().lines().last().unwrap_or_default().contains("u undo"), "{}", play.draw());
    play.press("u");
    assert!(play.has_no_layer());
    play.shows("u: deploy 1 is already undone by deploy 3");
    play.press("?  u  n  d  o  -  d").shows("deploy 1 is already undone by deploy 3");
    play.press("esc  esc  k");
    assert_eq!(play.state.screens.deploys.selected(), Some(2));
    assert!(play.draw().lines().last().unwrap_or_default().contains("u undo"), "{}", play.draw());
}
