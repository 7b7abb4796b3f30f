//! What the screens say of themselves: titles, hints, what is empty and why.

use super::stage::Play;

/// Where nothing defines a name so much is told, and nothing about what it would be.
#[test]
fn a_name_that_nothing_defines_says_so() {
    let mut play = Play::new(120, 40);
    play.press("2  G  k  k  k  k  k  k  K");
    let drawn = play.draw();
    assert!(drawn.contains("`$prot` is not defined here; did you mean `$port`?"), "{drawn}");
    assert!(!drawn.contains("built in"), "{drawn}");
    play.press("esc  g d");
    assert!(play.draw().contains("`$prot` is not defined here; did you mean `$port`?"), "{}", play.draw());
    play.press("g r");
    assert!(play.draw().contains("2 uses of $prot"), "{}", play.draw());
}

/// On the log, words ask for the resource that a line is about, its kind, and how much the line matters.
#[test]
fn the_log_is_narrowed_by_keys() {
    for (words, has, lacks) in [
        ("resource:nginx.conf", "file[/srv/web/nginx.conf]", "pkg[nginx]"),
        ("kind:pkg", "pkg[nginx]", "file["),
        ("kind:cmd", "cmd ", "pkg[nginx]"),
        ("level:info !kind:run", "cmd ", "work "),
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

/// A key that is none is told while it is typed and after, with those that there are.
#[test]
fn a_filter_names_the_keys_there_are() {
    let log = "keys here are level:, resource:, kind:";
    let step = "keys here are kind:, act:, state:, tag:, mod:, file:, resource:";
    for (screen, words, told) in [
        ("6", "foo:x", format!("unknown key `foo:`; {log}")),
        ("6", "knd:file", format!("unknown key `knd:`, did you mean `kind:`? {log}")),
        ("6", "act:run", format!("unknown key `act:`; {log}")),
        ("4", "foo:x", format!("unknown key `foo:`; {step}")),
        ("3", "foo:x", format!("unknown key `foo:`; {step}")),
        ("1", "kind:x", "unknown key `kind:`; keys here are file:".into()),
        ("5", "file:x", "unknown key `file:`; keys here are kind:, state:".into()),
    ] {
        let mut play = Play::new(120, 40);
        let typed: Vec<String> = words.chars().map(String::from).collect();
        play.press(&format!("p  {screen}"));
        play.tell(crate::tui::message::Message::PendingDue);
        play.press(&format!("/  {}", typed.join("  ")));
        let footer = play.draw().lines().last().unwrap_or_default().to_string();
        assert!(footer.contains(&told), "{screen} {words}: {footer}");
        play.press("enter");
        if screen == "5" {
            // Nothing was applied there that could be hidden.
            continue;
        }
        let drawn = play.draw();
        assert!(drawn.contains(&told[..30]), "{screen} {words}: {drawn}");
    }
    // What stands somewhere is text.
    let mut play = Play::new(120, 40);
    play.press("p  6  /  0  :");
    assert!(!play.draw().contains("unknown key"), "{}", play.draw());
}
