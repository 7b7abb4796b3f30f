//! Convenience: copies, selections, the job list, and restored state.

use std::{sync::Arc, time::Duration};

use crossterm::event::{MouseButton, MouseEventKind};

use super::stage::{CODE, Play, broken, program};
use crate::diag::{Code, Diagnostic, Diagnostics, Stage};
use crate::graph::Graph;
use crate::lang::Compiled;
use crate::source::{Sources, Span};
use crate::tui::look::{ASCII, UNICODE};
use crate::tui::message::{Job, Message};
use crate::tui::{program::Program, restore, screen::ScreenId, screen::code::Paint};

/// The last copied text.
fn copied(play: &Play) -> String {
    let copy = play.asked.iter().rev().find_map(|asked| asked.strip_prefix("Copy(\"")?.strip_suffix("\")"));
    copy.unwrap_or_default().replace("\\n", "|").replace("\\t", "").replace("\\\"", "\"")
}

#[test]
fn names_values_and_places_are_copied() {
    let mut play = Play::new(120, 40);
    for (keys, words) in [
        ("2  j  j  j  l  y", "root"),
        ("Y", "web/main.mcl:4"),
        ("3  j  j  y", "file[/srv/web/index.html]"),
        ("Y", "web/main.mcl:11"),
        ("4  g g  y", "web"),
        ("Y", "/m/web/main.mcl:1"),
    ] {
        play.press(keys);
        assert_eq!(copied(&play), words, "{keys}");
    }
    play.press("?  M a k e space a  Y  esc");
    assert!(copied(&play).starts_with("workbench preview web"), "{}", copied(&play));
    play.press("6  G  y");
    assert!(copied(&play).contains("workbench"), "{}", copied(&play));
}

/// The palette copies a command for the selected row; a word in capitals stays if the row does not have it.
#[test]
fn the_palette_copies_the_command_for_the_cursor_row() {
    let mut play = super::deploys::play(120, 40);
    for (keys, command) in [
        ("j  ?  u n d o - d  Y  esc", "workbench deploy undo 3"),
        ("?  c o m p a r e  Y  esc", "workbench deploy diff 2 3"),
        ("p  j  ?  b r e a k p o i n t  Y  esc", "workbench step web --script 'b file[/srv/web/nginx.conf]'"),
        ("?  c o m p a r e  Y  esc", "workbench preview --against-last web"),
        ("4  ?  a p p r o v e  Y  esc", "workbench modules web --approve=web"),
        ("2  g g  ?  b r e a k p o i n t  Y  esc", "workbench step web --script 'b RESOURCE'"),
    ] {
        play.press(&keys.replace("  ", " ").replace(' ', "  "));
        assert_eq!(copied(&play), command, "{keys}");
    }
}

#[test]
fn the_selection_is_copied() {
    let mut play = Play::new(120, 40);
    for (keys, words) in
        [("2  v  l  l  y", "imp"), ("g g  h  h  j  j  v  j  y", "# A web server below a folder of its own.|$")]
    {
        play.press(keys);
        assert_eq!(copied(&play), words, "{keys}");
        play.press("esc");
    }
    // Esc ends it, and the word is copied again.
    play.press("g g  v  l  esc  y");
    assert_eq!(copied(&play), "import");
}

#[test]
fn more_than_a_terminal_takes_is_not_copied() {
    let mut play = Play::new(120, 40);
    play.state.cx.log.push("", crate::tui::screen::log::Source::Run, "x".repeat(16_000));
    play.press("6  G  y");
    assert_eq!(copied(&play).len(), 16_000);
    crate::tui::copying::copy(&mut play.state.cx, "x".repeat(74_001));
    assert!(play.state.cx.typing.effects.is_empty());
    play.shows("too much for the terminal clipboard");
}

/// Beside a file the pane shows the file first, then its module.
#[test]
fn the_pane_of_a_file_shows_the_file() {
    let mut play = Play::after("j");
    play.shows_all(["─layout.mcl of web─", "file     /m/web/layout.mcl", "what     mcl source", "module: web"]);
    play.shows("used     source");
    play.press("k").shows("─web─").hides("file     /m");
}

/// A logged command can be typed: a folder has no source to show, but its entry file has.
#[test]
fn the_command_for_source_names_a_file() {
    let log = |file: Option<&str>| {
        let mut play = Play::prepared(120, 40, &crate::tui::look::UNICODE, super::stage::program(), |state| {
            state.cx.project.entry_file = file.map(Into::into);
        });
        play.press("2");
        play.log()
    };
    assert!(!log(None).contains("workbench highlight"));
    assert!(log(Some("sites/web/main.mcl")).contains("workbench highlight sites/web/main.mcl\n"));
    assert!(log(Some("my sites/it's.mcl")).contains("workbench highlight 'my sites/it'\\''s.mcl'\n"));
}

#[test]
fn work_is_listed_and_can_be_ended() {
    for (width, height, glyphs) in [(120, 40, &UNICODE), (80, 24, &UNICODE), (60, 16, &UNICODE), (80, 24, &ASCII)] {
        let mut play = Play::with(width, height, glyphs, program());
        play.press("space j");
        play.state.cx.jobs.clock = Duration::from_millis(1_000);
        play.state.cx.start(Job::Plan);
        play.state.cx.start(Job::Rails);
        play.shows("No running jobs");
        play.state.cx.jobs.clock = Duration::from_millis(13_345);
        play.send(Message::Progress { job: Job::Plan, done: 812, of: 10_000 });
        play.send(Message::Tick);
        play.shows("plan          12.3s   812 of 10000");
        assert!(play.log().contains("plan: running for 12s, 812 of 10000"), "{}", play.log());
        play.send(Message::Tick);
        assert_eq!(play.log().matches("running for").count(), 2, "one line each, ten seconds apart");
        play.press("x");
        assert_eq!(play.asked.last().map(String::as_str), Some("Cancel(Plan)"));
        play.send(Message::Cancelled(Job::Plan));
        play.press("x").shows("cannot be stopped");
        insta::assert_snapshot!(
            format!("jobs-{width}x{height}-{}", if glyphs.cut == "~" { "ascii" } else { "drawn" }),
            play.draw()
        );
        play.press("esc");
        assert!(play.has_no_layer());
        play.state.cx.finish(Job::Rails);
        assert!(play.state.cx.jobs.is_empty(), "each start has one end");
    }
}

#[test]
fn lines_are_numbered_from_the_cursor() {
    let play = Play::after("2  j  j  j  : s e t space r e l a t i v e  enter");
    play.shows("    3 import").shows("    4 $root").shows("    2 class");
}

/// Breakpoints, skips and the dry run are restored, and nothing else. Fields of older files are ignored.
#[test]
fn only_the_run_is_restored() {
    let older = r#"{"version":1,"screen":"graph","focus":[1],"filters":{"graph":"nginx"},"folds":{"/m/web/main.mcl":[3]},
        "bookmarks":[{"path":"/m/web/main.mcl","line":3}],"break_mode":"never","of_a_later_version":{"x":1},
        "breakpoints":["pkg[nginx]"],"left_out":["svc[nginx]"]}"#;
    let mut next = Play::prepared(120, 40, &UNICODE, program(), |state| state.cx.screen = ScreenId::Step);
    next.send(Message::Recalled(Ok(Some(older.into()))));
    assert_eq!(next.screen(), ScreenId::Step);
    assert_eq!((next.step().breaks.breakpoints.len(), next.step().skips.left_out.len()), (1, 1));
    assert_eq!(next.state.screens.graph.list.words(), "");
    assert!(next.asked.iter().any(|asked| asked.starts_with("LeaveOut")), "the run knows it: {:?}", next.asked);
    let kept = restore::to_text(next.step(), &next.state.cx);
    assert!(kept.contains("pkg[nginx]") && kept.contains("svc[nginx]") && !kept.contains("filters"), "{kept}");
}

/// Restored breakpoints are marked as soon as there is a graph, without a plan; one that is off is not.
#[test]
fn breakpoints_that_were_kept_are_marked_at_once() {
    let kept = r#"{"version":1,"screen":"graph","focus":[],"breakpoints":["pkg[nginx]","exec[warm the cache]"],
        "muted":["exec[warm the cache]"],"stops":["svc[*]","if destroys"]}"#;
    // Whichever arrives first, the program or the saved state.
    let mut early = Play::new(120, 40);
    early.send(Message::Recalled(Ok(Some(kept.into()))));
    let mut late = Play::prepared(120, 40, &UNICODE, program(), |state| state.cx.saved.restores = true);
    late.change(broken());
    late.send(Message::Recalled(Ok(Some(kept.into()))));
    late.change(program());
    for mut play in [early, late] {
        play.press("3");
        let frame = play.draw();
        let is_marked = |name: &str| frame.lines().any(|line| line.contains(name) && line.contains('●'));
        assert!(is_marked(" pkg[nginx] ") && is_marked(" svc[nginx] "), "{frame}");
        assert!(!is_marked(" exec[warm the cache] ") && !is_marked("index.html"), "{frame}");
        play.press("2");
        play.shows("│●·   7 ").shows("│●·  18 ").shows("│ ·  25 ");
    }
}

/// A file that was read before the program was compiled, and parsed after: problems find their lines.
#[test]
fn a_file_takes_the_name_that_places_use() {
    let mut play = Play::new(120, 40);
    let paint = Paint::new(CODE.into(), "main.mcl");
    play.send(Message::Painted { name: "elsewhere/main.mcl".into(), path: Some("/m/web/main.mcl".into()), paint });
    play.change(broken());
    play.press("2").shows("`$prot` is not defined here").hides("elsewhere");
}

/// A file without an outline, because it has no grammar, is not reported as empty.
#[test]
fn an_outline_that_is_off_shows_why() {
    for (text, why) in [
        (format!("# {}\nprint \"x\" {{}}\n", "x".repeat(20_000)), "a line is over 10,000"),
        ("print \"x\" {}\n".repeat(240_000), "larger than 2 MiB"),
    ] {
        let mut play = Play::new(120, 40);
        let paint = Paint::new(text.into(), "main.mcl");
        play.press("2");
        play.send(Message::Painted { name: "web/main.mcl".into(), path: Some("/m/web/main.mcl".into()), paint });
        play.shows(why).hides("No definitions or declarations.");
    }
}

/// Ninety declarations of four lines each.
fn long_text() -> String {
    (0..90).map(|at| format!("print \"p{at}\" {{\n\tmsg => \"x\",\n}}\n\n")).collect()
}

/// The outline follows the text, entirely in view, and a move into it starts there; with the focus it stays.
#[test]
fn the_outline_goes_along_with_the_text() {
    let mut play = Play::new(120, 40);
    let paint = Paint::new(long_text().into(), "main.mcl");
    play.press("2");
    play.send(Message::Painted { name: "web/main.mcl".into(), path: Some("/m/web/main.mcl".into()), paint });
    let outline = |play: &Play| -> Vec<String> {
        let frame = play.draw();
        frame.lines().filter(|line| line.starts_with("│ print")).map(|line| line[..25].to_owned()).collect()
    };
    assert!(outline(&play)[0].contains("\"p0\""), "{}", play.draw());
    play.press("G");
    assert!(outline(&play).iter().any(|row| row.contains("\"p89\"")), "{}", play.draw());
    play.press("tab  k  enter").shows("line 353 of 360, column 1");
}

/// The wheel scrolls the text, and moves the cursor only to keep it in view; over the outline it scrolls that.
#[test]
fn the_wheel_moves_the_text_below_the_cursor() {
    let mut play = Play::after("2");
    let paint = Paint::new(long_text().into(), "main.mcl");
    play.send(Message::Painted { name: "web/main.mcl".into(), path: Some("/m/web/main.mcl".into()), paint });
    play.press(": 1 0 enter");
    play.mouse(MouseEventKind::ScrollDown, 60, 20);
    play.shows("line 10 of 360, column 1").hides(" 3 }").shows(" 4 ");
    play.mouse(MouseEventKind::ScrollDown, 60, 20);
    play.mouse(MouseEventKind::ScrollDown, 60, 20);
    play.shows("line 13 of 360, column 1");
    play.mouse(MouseEventKind::ScrollUp, 60, 20);
    play.shows("line 13 of 360, column 1");
    play.mouse(MouseEventKind::ScrollDown, 8, 6);
    play.mouse(MouseEventKind::Down(MouseButton::Left), 8, 2);
    play.shows("line 1 of 360, column 1");
}

/// Problem texts take rows too: the wheel gets past them, up and down.
#[test]
fn the_wheel_gets_past_problems() {
    let mut sources = Sources::default();
    let file = sources.add("web/main.mcl", Some("/m/web/main.mcl".into()), CODE);
    let mut diagnostics = Diagnostics::new(Stage::Scope);
    for (at, _) in CODE.match_indices("=>") {
        let problem = Diagnostic::error(Code::UnknownVariable, Span::new(file, at, at + 2));
        diagnostics.push(problem.label("nobody knows it").help("ask somebody").help("or somebody else"));
    }
    let program = Program::new(Compiled::new(Graph::default(), sources, diagnostics));
    let mut play = Play::with(120, 24, &UNICODE, Arc::new(program));
    play.press("2  G");
    for (kind, line) in [(MouseEventKind::ScrollUp, " 1 import"), (MouseEventKind::ScrollDown, "exec \"warm")] {
        for _ in 0..12 {
            play.mouse(kind, 60, 6);
        }
        play.shows(line);
    }
}
