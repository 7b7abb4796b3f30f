//! Dangerous actions are visible and need an answer; one press writes one step.

use std::sync::Arc;

use ratatui::prelude::{Modifier, Style};

use super::live::{ARM, cut, requests};
use super::stage::{Play, graph, id, plan, program};
use super::undo::{gone, undo_step};
use crate::diag::{Code, Diagnostic, Diagnostics, Stage};
use crate::engine::message::Request;
use crate::highlight::Theme;
use crate::lang::Compiled;
use crate::plan::{Plan, Reversible};
use crate::session::history::{UndoStep, Verdict};
use crate::source::{Sources, Span};
use crate::tui::look::{ASCII, Look, UNICODE};
use crate::tui::{
    keymap::Action, keys, layer::question::Answer, message::Message, program::Program, screen::Pane,
    screen::step::live::Notice,
};

const THEMES: [&str; 6] = ["night", "day", "high-contrast", "night-safe", "day-safe", "mono"];

/// Whether a cell has a background of its own, or is reversed.
fn stands_out(style: Style, bar: Style) -> bool {
    style.add_modifier.contains(Modifier::REVERSED) || style.bg != bar.bg
}

/// In every theme, also without colour, LIVE has a background in the header and in the footer and double borders around
/// every pane; DRY has none of it.
#[test]
fn live_outweighs_dry_in_every_theme() {
    for theme in THEMES {
        for glyphs in [&UNICODE, &ASCII] {
            let mut play = Play::with(120, 40, glyphs, program());
            play.state.cx.look = Look::new(Theme::built_in(theme).expect("compiled in"), glyphs);
            play.press("p");
            let dry = play.buffer();
            let (badge, bar) = (dry[(1, 0)].style(), dry[(119, 0)].style());
            assert!(!stands_out(badge, bar), "{theme}: DRY has a ground");
            let order = |play: &Play| play.state.cx.layout().pane(Pane::Order).expect("it is shown");
            let at = order(&play);
            assert_eq!(dry[(at.x, at.y)].symbol(), glyphs.corners[0], "{theme}");
            play.press(ARM);
            let live = play.buffer();
            for y in [0, 39] {
                let text: String = (1..5).map(|x| live[(x, y)].symbol()).collect();
                assert_eq!(text, "LIVE", "{theme}, row {y}");
                let style = live[(1, y)].style();
                assert!(stands_out(style, live[(119, y)].style()), "{theme}, row {y}: no ground");
                assert!(style.add_modifier.contains(Modifier::BOLD), "{theme}, row {y}");
            }
            let at = order(&play);
            assert_eq!(live[(at.x, at.y)].symbol(), glyphs.double[0], "{theme}");
            assert_eq!(live[(at.x, at.y + 1)].symbol(), glyphs.double[5], "{theme}");
        }
    }
}

/// A held key runs one step: further presses come while it runs, before its result is drawn, or too soon.
#[test]
fn a_held_key_runs_one_step() {
    let key = keys::parse("s").expect("a key")[0];
    let hold = |play: &mut Play, times: usize| (0..times).for_each(|_| play.send(Message::Key(key)));
    let steps = |play: &Play| requests(play).into_iter().filter(|asked| *asked == "Step").count();
    let mut play = Play::armed();
    play.wait();
    hold(&mut play, 20);
    assert_eq!((steps(&play), play.state.cx.typing.presses.ignored()), (1, 19));
    play.shows("19 keys ignored: LIVE takes one key at a time");
    // Drawn by now, and the key is still held down.
    play.state.cx.typing.presses.drawn(false);
    hold(&mut play, 5);
    assert_eq!(steps(&play), 1);
    // Not drawn yet, and pressed again after a moment.
    play.press("s");
    play.state.cx.jobs.clock += std::time::Duration::from_secs(1);
    hold(&mut play, 1);
    assert_eq!(steps(&play), 2);
    // The terminal reports a repeat.
    play.wait();
    play.state.cx.typing.presses.is_repeat = true;
    hold(&mut play, 1);
    assert_eq!(steps(&play), 2);
    play.press("s");
    assert_eq!((steps(&play), play.state.cx.typing.presses.ignored()), (3, 0));
    // Only the slow step runs, and nothing queues behind it.
    play.run.is_slow = true;
    play.press("c  s  s  c");
    assert_eq!(requests(&play).iter().filter(|asked| asked.starts_with("Continue")).count(), 1);
    assert_eq!(steps(&play), 3);
}

/// The first repeat of a held key comes after a pause in which the result is drawn; the others follow fast. Another key
/// in between shows that it was not held.
#[test]
fn the_first_repeat_of_a_held_key_runs_nothing() {
    let press = |play: &mut Play, after: u64, key: &str| {
        play.state.cx.typing.presses.drawn(false);
        play.state.cx.jobs.clock += std::time::Duration::from_millis(after);
        play.send(Message::Key(keys::parse(key).expect("a key")[0]));
    };
    let steps = |play: &Play| requests(play).into_iter().filter(|asked| *asked == "Step").count();
    for first in [110, 250, 500, 660] {
        let mut play = Play::armed();
        for after in [800, first, 40, 40, 90, 33] {
            press(&mut play, after, "s");
        }
        assert_eq!((steps(&play), play.state.cx.typing.presses.ignored()), (1, 5), "{first} ms");
        for (after, key) in [(800, "s"), (150, "k"), (150, "s")] {
            press(&mut play, after, key);
        }
        assert_eq!((steps(&play), play.state.cx.typing.presses.ignored()), (3, 0), "{first} ms");
        // A dry run writes nothing: there each press counts.
        let mut play = Play::after("p");
        [200, first, 40].into_iter().for_each(|after| press(&mut play, after, "s"));
        assert_eq!(play.step().turned(), 3, "{first} ms");
    }
}

/// Each step is counted once, so that the counts of the status and of the question add up.
#[test]
fn each_step_is_counted_once() {
    let mut play = Play::after("p");
    let counts = "create 1, change 1, run 1. Also refresh 1, unchanged 1";
    let certain = counts.replace(". ", ". 1 predicted. ");
    play.shows(format!("3 of 5 would change: {certain}"));
    play.press("A").shows(format!("to web1: {counts}"));
}

/// A digit selects a screen, whatever follows; a number never determines how much is run.
#[test]
fn a_digit_is_a_screen() {
    let mut play = Play::after("p  5");
    assert_eq!(play.screen(), crate::tui::screen::ScreenId::Deploys);
    play.press("1  9  s");
    assert_eq!(play.step().turned(), 1);
}

/// The same plan, all of which can be undone.
fn undoable(reversible: Reversible) -> Arc<Plan> {
    let mut plan = Plan::clone(&plan());
    plan.steps.iter_mut().for_each(|step| step.reversible = Reversible::Yes);
    plan.steps[1].reversible = reversible;
    Arc::new(plan)
}

/// `y` is enough if everything can be undone; else the host name is needed.
#[test]
fn an_irreversible_step_requires_the_name() {
    for (reversible, host, yes, word) in [
        (Reversible::Yes, "web1", true, "y"),
        (Reversible::Partly, "web1", false, "w  e  b  1  enter"),
        (Reversible::No, "web1", false, "w  e  b  1  enter"),
        (Reversible::No, "", false, "a  p  p  l  y  enter"),
    ] {
        let mut play = Play::new(120, 40);
        play.state.cx.project.host = host.into();
        play.press("p");
        play.planned(undoable(reversible));
        play.press("A");
        assert_eq!(play.asks(|answer| matches!(answer, Answer::Yes(_))), yes, "{reversible:?}");
        if !yes {
            play.shows("cannot be undone");
            play.press("y  enter");
            assert_eq!(play.step().phase.name(), "dry", "{reversible:?}");
            play.press("ctrl-u");
        }
        play.press(word);
        assert_eq!(play.step().phase.name(), "live", "{reversible:?}");
    }
    // Any other key means no.
    let mut play = Play::after("p");
    play.planned(undoable(Reversible::Yes));
    play.press("A  enter");
    assert_eq!((play.step().phase.name(), play.state.cx.layers.open.len()), ("dry", 0));
}

/// `x` skips the selected row, whatever is next.
#[test]
fn a_skip_is_of_the_selected_row() {
    for arm in ["", ARM] {
        let mut play = Play::after("p");
        if !arm.is_empty() {
            play.press(arm);
        }
        play.press("G  x");
        let last = id("exec[warm the cache]");
        assert!(play.step().skips.left_out.contains(&last), "{arm}: {}", play.draw());
        let sent = requests(&play).last().is_some_and(|asked| asked.starts_with("LeaveOut"));
        assert!(sent && play.step().next_id().cloned() != Some(last.clone()), "{arm}: {:?}", play.asked);
        assert_eq!(play.step().turned(), 0, "{arm}");
    }
    // In a dry run it is included again.
    let mut play = Play::after("p  G  x  x");
    assert!(play.step().skips.left_out.is_empty());
    // The next one is skipped at once.
    play.press("g  g  x");
    assert_eq!(play.step().turned(), 1);
    // A finished step is not skipped.
    play.press("s  g  g  j  x");
    assert_eq!((play.step().turned(), play.step().skips.left_out.len()), (2, 0));
}

/// `Z` never touches the machine, and `u` does nothing without an answer.
#[test]
fn only_u_undoes_a_deploy_and_it_asks() {
    let mut play = Play::after("p");
    play.press(ARM).press("s  s  Z");
    assert!(play.has_no_layer(), "{}", play.draw());
    assert_eq!(requests(&play), ["Arm", "Step", "Step"]);
    play.press("u");
    assert!(play.asks(|answer| matches!(answer, Answer::Yes(Action::RollBack))));
    play.press("n");
    assert_eq!(requests(&play), ["Arm", "Step", "Step"]);
    play.press("u  y");
    assert!(requests(&play).iter().any(|asked| asked.starts_with("Undo")), "{:?}", play.asked);
    // In a dry run there is nothing to undo, and skips stay.
    let play = Play::after("p  b  u");
    assert_eq!((play.step().breaks.breakpoints.len(), play.state.cx.layers.open.len()), (1, 0));
}

/// The question lists the effects, each resource once; if nothing can be undone there is nothing to confirm.
#[test]
fn the_undo_question_shows_its_effects() {
    let mut play = Play::after("p");
    play.press(ARM).press("s  s");
    // A file of the tool itself is not listed.
    let own = UndoStep { is_own: true, ..undo_step(8, 6, "file[/srv/web/nginx.conf]", gone("/state/kinds/own.json")) };
    play.predicted = Some(vec![
        own,
        undo_step(8, 5, "file[/srv/web/index.html]", gone("/srv/web/index.html")),
        undo_step(8, 4, "file[/srv/web/nginx.conf]", gone("/srv/web/nginx.conf")),
        undo_step(8, 3, "file[/srv/web/nginx.conf]", gone("/srv/web/nginx.conf")),
        undo_step(8, 2, "exec[warm the cache]", Verdict::Lost("a command".into())),
    ]);
    play.press("u");
    play.shows_all(["Will undo 2:", "delete /srv/web/index.html", "delete /srv/web/nginx.conf", "1 cannot be undone:"]);
    play.hides("own.json");
    play.press("n");
    play.predicted = Some(vec![undo_step(8, 2, "exec[warm the cache]", Verdict::Lost("a command".into()))]);
    play.press("u");
    assert!(play.asks(|answer| matches!(answer, Answer::Read)), "{}", play.draw());
    play.press("y");
    assert!(!requests(&play).iter().any(|asked| asked.starts_with("Undo")), "{:?}", play.asked);
}

/// A resume asks for the name too, and `y` alone is no answer.
#[test]
fn a_resume_asks_for_the_name() {
    let mut play = Play::after("p");
    play.send(Message::Live(Notice::CutOff(cut())));
    play.press("R  y  enter");
    assert!(!requests(&play).contains(&"Arm"), "{:?}", play.asked);
    play.press("ctrl-u  w  e  b  1  enter");
    assert!(requests(&play).contains(&"Arm"), "{:?}", play.asked);
}

/// A program that does not compile shows its errors on Step: each with all of its places.
#[test]
fn errors_are_reported_where_one_plans() {
    let mut sources = Sources::default();
    let file = sources.add("web/main.mcl", Some("/m/web/main.mcl".into()), "$a = 1\n$a = 2\n");
    let mut diagnostics = Diagnostics::new(Stage::Scope);
    let problem = Diagnostic::error(Code::UnknownVariable, Span::new(file, 7, 9)).label("it is set again here");
    diagnostics.push(problem.related(Span::new(file, 0, 2), "it was set here before").help("leave one out"));
    let broken = Program::new(Compiled::new(graph(), sources, diagnostics));
    let mut play = Play::with(120, 40, &UNICODE, Arc::new(broken));
    for screen in ["1", "2"] {
        play.press(screen);
        play.shows_all(["it is set again here", "web/main.mcl:1:1: it was set here before", "leave one out"]);
    }
}

/// Only the elapsed time is shown; the rest is not estimated.
#[test]
fn no_time_is_guessed() {
    let mut play = Play::after("p");
    play.press(ARM).press("s  s  s");
    play.run.is_slow = true;
    play.press("c");
    play.state.cx.jobs.clock += std::time::Duration::from_secs(30);
    play.shows("running 30s").hides("left");
    assert!(requests(&play).iter().any(|asked| **asked == format!("{:?}", Request::Continue { until: None })));
}

/// A skip blocks its dependents: the rows show that, and the dialog does not promise them.
#[test]
fn the_apply_dialog_lists_blocked_steps_apart() {
    let mut play = Play::after("p  j  x  y");
    let row =
        |play: &Play, name: &str| play.draw().lines().find(|line| line.contains(name)).unwrap_or_default().to_owned();
    let blocked = row(&play, "exec[warm the cache]");
    assert!(blocked.contains("┊") && blocked.contains("blocked"), "{}", play.draw());
    play.press("A");
    let drawn = play.draw();
    assert!(drawn.contains("to web1: create 1") && drawn.contains("2 blocked by a skip,"), "{drawn}");
    // They run after all if the skipped step is unchanged by then.
    assert!(drawn.contains("1 step cannot be undone:"), "{drawn}");
    // Included again, they are pending again.
    play.press("esc  j  k  x");
    assert!(play.step().skips.left_out.is_empty());
    play.hides("blocked");
}
