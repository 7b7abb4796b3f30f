//! The page before there is a module: keys in, a choice or a frame out.

use ratatui::prelude::{Buffer, Rect};

use crate::highlight::{Depth, Theme};
use crate::session::Nearby;
use crate::tui::look::{ASCII, Look, UNICODE};
use crate::tui::start::{Choice, Start};
use crate::tui::{Ended, keys, picture};

fn page(below: &[&str], around: Option<&str>) -> Start {
    let below = below.iter().map(|path| (*path).to_string()).collect();
    let near = Nearby { around: around.map(Into::into), below };
    Start::new("No module in the current folder (no metadata.yaml or main.mcl).".into(), &near, true)
}

fn press(page: &mut Start, words: &str) -> Option<Choice> {
    let mut chosen = None;
    for word in words.split("  ") {
        for key in keys::parse(word).expect("keys") {
            assert_eq!(chosen, None, "{words}");
            chosen = page.on_key(key);
        }
    }
    chosen
}

fn drawn(page: &Start, width: u16, height: u16, ascii: bool) -> String {
    let theme = Theme::built_in("mono").expect("a theme").at_depth(Depth::Mono);
    let look = Look::new(theme, if ascii { &ASCII } else { &UNICODE });
    let mut buf = Buffer::empty(Rect::new(0, 0, width, height));
    page.view(&look, &mut buf);
    picture::text(&buf)
}

#[test]
fn keys_choose() {
    let left = Some(Choice::Ended(Ended::Left));
    for (keys, expected) in [
        ("enter", Some(Choice::Open("site".into()))),
        ("j  enter", Some(Choice::Open("..".into()))),
        ("d", Some(Choice::Demo)),
        ("G  enter", Some(Choice::Tutor)),
        ("t", Some(Choice::Tutor)),
        ("o  x  /  y  enter", Some(Choice::Open("x/y".into()))),
        ("o  x  ctrl-u  z  enter", Some(Choice::Open("z".into()))),
        ("o  enter", None),
        ("o  q  esc  q", left.clone()),
        ("a  g  i  t  enter", Some(Choice::Begin("git".into()))),
        ("j  j  j  enter  f  enter", Some(Choice::Begin("f".into()))),
        ("esc  x  k  k", None),
        ("ctrl-c", left),
    ] {
        assert_eq!(press(&mut page(&["site"], Some("..")), keys), expected, "{keys}");
    }
}

#[test]
fn drawn_at_all_sizes() {
    insta::assert_snapshot!("start_80", drawn(&page(&["mods/a", "mods/b"], Some("../..")), 80, 20, false));
    insta::assert_snapshot!("start_ascii", drawn(&page(&[], None), 60, 16, true));
    let mut asked = page(&[], None);
    press(&mut asked, "a  h  t  t  p");
    asked.refuse("`http`: no import\u{1b}[2J".into());
    insta::assert_snapshot!("start_asked", drawn(&asked, 70, 18, false));
    for width in 0..90 {
        for height in 0..24 {
            drawn(&asked, width, height, false);
        }
    }
}

/// Each of many entries can be reached, and the number of hidden ones is shown.
#[test]
fn many_entries_are_scrolled() {
    let names: Vec<String> = (0..40).map(|at| format!("module{at:02}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    for height in [12, 16, 24] {
        let mut page = page(&names, Some(".."));
        assert!(drawn(&page, 80, height, false).contains("more below"), "{}", drawn(&page, 80, height, false));
        for name in &names {
            let frame = drawn(&page, 80, height, false);
            let line = frame.lines().find(|line| line.contains(name));
            assert!(line.is_some_and(|line| line.contains('▶')), "{height} {name}: {frame}");
            assert!(frame.contains("Open a path") && frame.contains("Tutor"), "{frame}");
            press(&mut page, "j");
        }
        press(&mut page, "G");
        let frame = drawn(&page, 80, height, false);
        assert!(frame.contains("more above") && frame.contains("the module that contains"), "{frame}");
        press(&mut page, "g  j  j");
        assert_eq!(press(&mut page, "enter"), Some(Choice::Open("module02".into())));
    }
}
