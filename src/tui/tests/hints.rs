//! Titles, hints, and the texts of empty panes.

use super::stage::Play;

/// An undefined name is reported, without a guess about its type.
#[test]
fn a_name_that_nothing_defines_shows_it() {
    let mut play = Play::after("2  G  k  k  k  k  k  k  K");
    play.shows("`$prot` is not defined here; did you mean `$port`?").hides("built in");
    play.press("esc  g d").shows("`$prot` is not defined here; did you mean `$port`?");
    play.press("g r").shows("2 uses of $prot");
}

/// On the log, a query can ask for a line's resource, its kind, and its level.
#[test]
fn keys_narrow_the_log() {
    for (words, has, lacks) in [
        ("resource:nginx.conf", "file[/srv/web/nginx.conf]", "pkg[nginx]"),
        ("kind:pkg", "pkg[nginx]", "file["),
        ("kind:command", "command ", "pkg[nginx]"),
        ("level:info !kind:dry", "command ", "tool "),
    ] {
        let mut play = Play::new(120, 40);
        let typed: Vec<String> = words.chars().map(|c| if c == ' ' { "space".into() } else { c.to_string() }).collect();
        play.press(&format!("p  s  s  s  6  /  {}  enter", typed.join("  ")));
        let drawn = play.draw();
        let lines: Vec<&str> = drawn.lines().filter(|line| line.starts_with('│')).collect();
        assert!(lines.iter().any(|line| line.contains(has)), "{words}: {drawn}");
        assert!(!lines.iter().any(|line| line.contains(lacks)), "{words}: {drawn}");
    }
}

/// An unknown key is reported while it is typed and after, with the known keys.
#[test]
fn a_filter_names_the_keys_there_are() {
    let log = "the keys are level:, resource:, kind:";
    let step = "the keys are kind:, act:, state:, tag:, mod:, file:, resource:";
    for (screen, words, printed) in [
        ("6", "foo:x", format!("unknown key `foo:`; {log}")),
        ("6", "knd:file", format!("unknown key `knd:`, did you mean `kind:`? {log}")),
        ("6", "act:run", format!("unknown key `act:`; {log}")),
        ("1", "foo:x", format!("unknown key `foo:`; {step}")),
        ("3", "foo:x", format!("unknown key `foo:`; {step}")),
        ("4", "kind:x", "unknown key `kind:`; the keys are file:".into()),
        ("5", "file:x", "unknown key `file:`; the keys are kind:, state:".into()),
    ] {
        let mut play = Play::new(120, 40);
        let typed: Vec<String> = words.chars().map(String::from).collect();
        play.press(&format!("p  {screen}"));
        play.send(crate::tui::message::Message::PendingDue);
        play.press(&format!("/  {}", typed.join("  ")));
        let footer = play.draw().lines().last().unwrap_or_default().to_string();
        assert!(footer.contains(&printed), "{screen} {words}: {footer}");
        play.press("enter");
        if screen == "5" {
            // Nothing was applied there that could be hidden.
            continue;
        }
        let drawn = play.draw();
        assert!(drawn.contains(&printed[..30]), "{screen} {words}: {drawn}");
    }
    // Plain text needs no key.
    let play = Play::after("p  6  /  0  :");
    play.hides("unknown key");
}

fn footer(play: &Play) -> String {
    play.draw().lines().last().unwrap_or_default().to_string()
}

/// The footer starts with the focused pane's actions.
#[test]
fn the_footer_follows_the_pane() {
    for (width, height) in [(120, 40), (80, 24), (60, 16)] {
        for (keys, first) in [
            ("2  tab", "Enter go to"),
            ("3  tab", "gr references"),
            ("p  s  tab", "d side by side"),
            ("2  v", "y copy"),
        ] {
            let mut play = Play::sized(width, height, keys);
            if keys == "p  s  tab" && width == 120 {
                // The pane of the changes is the next but one there.
                play.press("tab");
            }
            let footer = footer(&play);
            let footer = footer.trim_start().trim_start_matches("select").trim_start();
            assert!(footer.starts_with(first), "{width}x{height} {keys}: {footer}\n{}", play.draw());
            assert!(footer.contains("? keys"), "{width}x{height} {keys}: {footer}");
        }
    }
}

#[test]
fn the_next_pane_is_offered_where_there_is_one() {
    for (keys, is_there) in [("4", true), ("2", true), ("3", true), ("5", true), ("6", false)] {
        let play = Play::sized(200, 40, keys);
        assert_eq!(footer(&play).contains("Tab "), is_there, "{keys}: {}", footer(&play));
    }
    let play = Play::after("6  tab");
    assert!(footer(&play).contains("this screen has only one pane"), "{}", footer(&play));
}

/// A question shows its answers, and no screen keys, because none works.
#[test]
fn under_a_question_nothing_else_is_offered() {
    for (keys, is_asked) in [
        ("p  A", true),
        ("3  j  b  B", true),
        ("1  ?", true),
        ("space  f", true),
        ("p  j  x", true),
        ("2  j  j  j  K", false),
        ("space", false),
    ] {
        for (width, height) in [(120, 40), (40, 12), (25, 9)] {
            let mut play = Play::sized(width, height, keys);
            assert!(play.has_no_layer() != (is_asked || keys.ends_with('K')), "{keys}: {}", play.draw());
            assert_eq!(footer(&play).trim().is_empty(), is_asked, "{width}x{height} {keys}: {}", play.draw());
            play.press("esc");
            assert!(!footer(&play).trim().is_empty(), "{width}x{height} {keys}: {}", play.draw());
        }
    }
}

#[test]
fn how_to_quit_is_reported_where_the_window_is_wide() {
    for keys in ["4", "2", "3", "p", "p  s  s", "5", "6"] {
        let play = Play::after(keys);
        assert!(footer(&play).contains(" q quit  Space find  ? keys"), "{keys}: {}", footer(&play));
    }
}

/// The keys after a prefix have titles even in the smallest window, and the number of hidden ones is shown.
#[test]
fn what_follows_has_words_in_the_smallest_window() {
    for (width, height) in [(25, 9), (40, 12)] {
        let mut play = Play::new(width, height);
        play.press("space").send(crate::tui::message::Message::PendingDue);
        let frame = play.draw();
        assert!(frame.contains("more (? lists all") || width == 40, "{width}x{height}: {frame}");
        assert!(frame.contains("approve") || frame.contains("Trust a fetched module"), "{width}x{height}: {frame}");
    }
}

/// An empty selection is visible, with its purpose.
#[test]
fn selecting_shows_at_once() {
    {
        let screen = "2";
        let mut play = Play::new(80, 24);
        play.press(&format!("{screen}  v"));
        assert!(footer(&play).starts_with(" select  y copy"), "{screen}: {}", footer(&play));
        play.press("esc");
        assert!(!footer(&play).contains("select"), "{screen}: {}", footer(&play));
    }
}

#[test]
fn one_problem_has_no_next() {
    let mut play = Play::with(120, 40, &crate::tui::look::UNICODE, super::stage::broken());
    play.press("2");
    assert!(footer(&play).contains("]d the problem"), "{}", footer(&play));
}

/// Without running work, the stop key is not offered; without breakpoints, only the key that adds one is.
#[test]
fn empty_lists_show_it() {
    for (width, height) in [(120, 40), (80, 24), (60, 16), (40, 12)] {
        let mut play = Play::new(width, height);
        play.press("space  j").shows("No running jobs.").hides("stops it");
        play.press("esc  3  b  B  x").shows("Stop on failure").shows("a add");
    }
}

/// Keys are whole in the palette however narrow it is.
#[test]
fn the_palette_shows_keys_whole() {
    for (width, height) in [(120, 40), (80, 24), (60, 16), (40, 12)] {
        for id in ["word-back", "jump-forward", "half-down"] {
            let mut play = Play::new(width, height);
            let typed: Vec<String> = id.chars().map(String::from).collect();
            play.press(&format!("2  ?  {}", typed.join("  ")));
            let entry = crate::tui::keymap::TABLE.iter().find(|entry| entry.id == id).expect("it is in the table");
            let keys = play.state.cx.keymap.keys_of(entry);
            assert!(play.draw().contains(&keys), "{width}x{height} {id}: {keys}\n{}", play.draw());
        }
    }
}

/// Hidden file content is shown as the reason, without quotes, which mark real content.
#[test]
fn hidden_values_are_no_text() {
    use crate::graph::Value;
    let play = Play::after("p  s");
    let step = play.step().step_of(&super::stage::id("file[/srv/web/nginx.conf]")).expect("it is planned");
    let mut change = step.changes[0].clone();
    for to in ["new", "new\nof two lines\n"] {
        change.from = Some(crate::plan::unshown::shown(b"the old key", true));
        change.to = Some(Value::from(to));
        let lines = crate::tui::screen::step::change_lines(&play.state.cx, &change, 80);
        let words: String = lines.iter().map(ToString::to_string).collect();
        assert!(words.contains("(not shown: only its owner may read it; 11 bytes)"), "{words}");
        assert!(!words.contains("\"(not shown"), "{words}");
    }
}

/// A long file name leaves room for the problem, and a short one is whole.
#[test]
fn a_problem_is_reported_beside_its_file() {
    let mut play = Play::with(120, 40, &crate::tui::look::UNICODE, super::stage::broken());
    play.press("2").shows("│E main.mcl:6 `$prot` is");
}

/// A pane that is alone shows why it is empty.
#[test]
fn an_empty_detail_shows_why() {
    let mut play = Play::with(60, 16, &crate::tui::look::UNICODE, super::stage::broken());
    play.press("3  tab");
    let drawn = play.draw();
    assert!(drawn.contains("1 error, so there is no graph.") && drawn.contains("2 shows it."), "{drawn}");
    assert!(!footer(&play).contains("copy"), "{drawn}");
}
