//! Early keys and command lines: they run as soon as possible, and are logged as commands.

use super::stage::{Play, id, plan};
use crate::tui::{message::Job, screen::ScreenId};

/// A line of a script, or a key, that arrives before there is any plan runs once there is one; `Ctrl-C` drops it.
#[test]
fn requests_before_the_first_plan_run_once_it_is_ready() {
    let typed = |line: &str| {
        let letters = line.chars().map(|c| if c == ' ' { "space".into() } else { c.to_string() });
        format!("{}  enter", std::iter::once(":".to_string()).chain(letters).collect::<Vec<_>>().join("  "))
    };
    for (line, turned) in [("step s 3", 3), ("step 2", 2), ("step c", 5), ("step s", 1)] {
        let mut play = Play::new(120, 40);
        assert!(!play.step().is_loaded());
        play.press(&typed(line));
        assert_eq!(play.step().turned(), turned, "{line}: {}", play.draw());
    }
    // Keys that arrive while it is made; a key for another visible plan is dropped.
    for (keys, turned) in [("s  s", 2), ("c", 5), ("s  ctrl-c", 0), ("x", 1)] {
        let mut play = Play::new(120, 40);
        play.state.cx.screen = ScreenId::Step;
        play.state.cx.start(Job::Plan);
        play.press(keys);
        play.planned(plan());
        assert_eq!(play.step().turned(), turned, "{keys}: {}", play.draw());
        play.hides("the plan is on its way");
    }
}

/// Each key logs its equivalent command: queued steps as single ones, and a counted step back as one.
#[test]
fn each_key_logs_the_command_that_does_the_same() {
    let logged = |play: &Play| {
        let text = play.log();
        let script = |line: &str| line.split("--script ").nth(1).map(String::from);
        text.lines().filter_map(script).collect::<Vec<_>>()
    };
    for (hasty, keys, scripts) in [
        ("", "1  s  s  Z  Z", &["'s'", "'s'", "'Z'", "'Z'"][..]),
        ("s s s", "", &["'s'", "'s'", "'s'"]),
        ("s s", "Z", &["'s'", "'s'", "'Z'"]),
    ] {
        let mut play = Play::new(120, 40);
        play.hasty = hasty;
        play.press("p");
        if !keys.is_empty() {
            play.press(keys);
        }
        assert_eq!(logged(&play), scripts, "{hasty} {keys}");
    }
    // In LIVE a retry is its own command.
    let mut play = Play::armed();
    play.run.fails = Some(id("file[/srv/web/index.html]"));
    play.press("s  s  s  g  g  j  j  r");
    let retry = "workbench apply --step web --only 'file[/srv/web/index.html]'";
    assert!(play.log().contains(retry), "{}", play.log());
}
