//! Pickers, filters, the command line: keys in, state and frames out.

use std::sync::Arc;

use super::stage::{Play, id};
use crate::tui::layer::Layer;
use crate::tui::look::{ASCII, UNICODE};
use crate::tui::screen::{Pane, ScreenId};

fn shown(play: &Play) -> Option<String> {
    match play.state.layers.last() {
        Some(Layer::Picker(picker)) => picker.selected().map(|item| item.shown.clone()),
        _ => None,
    }
}

#[test]
fn pickers_find_and_go_there() {
    let mut play = Play::new(120, 40);
    for (keys, selected) in [
        ("space  f", "/m/web/layout.mcl"),
        ("m  a  i  n", "/m/web/main.mcl"),
        ("esc  space  r", "pkg[nginx]"),
        ("i  n  d  e  x", "file[/srv/web/index.html]"),
        ("ctrl-u  down  down", "file[/srv/web/index.html]"),
        ("esc  space  s  w  e  b", "web"),
        ("esc  space  m  b  a  s  e", "https://example.org/base/"),
        ("esc  space  /  s  t  a  t  e", "/m/web/main.mcl:8"),
        ("down  down", "/m/web/main.mcl:19"),
    ] {
        play.press(keys);
        assert_eq!(shown(&play).as_deref(), Some(selected), "{keys}");
    }
    play.press("enter");
    assert_eq!(play.state.code.doc().map(|doc| doc.spot()), Some((19, 3)));
    assert_eq!((play.state.screen, play.state.focus()), (ScreenId::Code, Pane::Text));
    play.press("space  r  s  v  c  enter");
    let node = play.state.selected_resource().expect("it is on the graph");
    assert_eq!(play.state.graphed().map(|program| program.id(node).clone()), Some(id("svc[nginx]")));
    play.press("space  m  b  a  s  e  enter");
    assert_eq!(play.state.screen, ScreenId::Modules);
    assert_eq!(play.state.selected_words().as_deref(), Some("https://example.org/base/"));
    play.press("ctrl-o");
    assert_eq!(play.state.screen, ScreenId::Graph);
    play.press("3  space  s  r  o  o  t  enter");
    assert_eq!((play.state.screen, play.state.code.doc().map(|doc| doc.line())), (ScreenId::Code, Some(4)));
}

/// Nothing is found for a picker that was left, and what an older one is told is dropped.
#[test]
fn a_picker_that_is_left_ends_its_workers() {
    let mut play = Play::new(120, 40);
    play.press("space  f");
    assert_eq!(play.state.finding, Some(1));
    play.press("esc");
    assert_eq!(play.state.finding, None);
    play.press("space  f  z  z  z");
    assert_eq!(shown(&play), None);
    play.press("enter");
    assert!(play.draw().contains("None of them fits."), "{}", play.draw());
    play.press("esc");
    assert!(play.state.layers.is_empty());
}

#[test]
fn pickers_are_drawn_at_every_size() {
    for (width, height) in [(120, 40), (80, 24), (60, 16), (40, 12)] {
        for (name, keys) in [("files", "space  f  m"), ("grep", "space  /  n  g  i  n  x"), ("symbols", "space  s")] {
            let mut play = Play::new(width, height);
            play.press(keys);
            insta::assert_snapshot!(format!("picker-{name}-{width}x{height}"), play.draw());
        }
    }
    let mut play = Play::with(120, 40, &ASCII, super::stage::program());
    play.press("space  /  n  g  i  n  x");
    assert!(play.draw().is_ascii(), "{}", play.draw());
}

/// A list of very many is a window: what is drawn does not grow with it, and moving costs the same at its end.
#[test]
fn hostile_names_are_named() {
    let mut play = Play::with(120, 40, &UNICODE, super::stage::program());
    let name = "/m/\u{1b}[31mred\u{202e}lru\u{200b}漢字";
    let items = crate::tui::layer::picker::files(vec![name.into()]);
    play.press("space  f");
    let pick = play.state.picks;
    let told = crate::tui::layer::picker::Told::Items { pick, turn: 0, items: Arc::from(items) };
    play.tell(crate::tui::message::Message::Found(told));
    play.press("down  down");
    let frame = play.draw();
    assert!(!frame.contains(['\u{1b}', '\u{202e}', '\u{200b}']), "{frame}");
    assert!(shown(&play).is_some_and(|shown| shown.contains("red")), "{frame}");
}

#[test]
fn folds_hide_lines_and_what_leads_there_opens_them() {
    let mut play = Play::new(120, 40);
    play.press("2  g  g");
    for (keys, line) in [
        // To the class, which closes, and over it.
        ("j  j  j  j  j  z  c  j", 22),
        ("k  z  o  j", 7),
        ("z  M", 6),
        ("j  j", 23),
        ("k  k", 6),
        // A match that is hidden is shown.
        ("/  r  u  n  n  i  n  g  enter  esc", 19),
        ("z  R  g  g  j  j  j  j  j  j  j  z  a", 7),
        ("j", 10),
        ("k  z  a  j", 8),
    ] {
        play.press(keys);
        assert_eq!(play.state.code.doc().map(|doc| doc.line()), Some(line), "{keys}");
    }
    for (width, height) in [(120, 40), (60, 16)] {
        let mut play = Play::with(width, height, &UNICODE, super::stage::broken());
        play.press("2  j  j  j  j  j  z  M");
        insta::assert_snapshot!(format!("folded-{width}x{height}"), play.draw());
    }
}

/// The same words as those of `--only`, in every list; a word that makes no sense is told, and not kept.
#[test]
fn filters_take_the_words_of_only() {
    let mut play = Play::new(120, 40);
    play.press("p  s  s  space  g");
    for (keys, shown) in [
        ("/  k  i  n  d  :  f  i", " of 2─"),
        ("enter  esc  /  a  c  t  :  c", " of 2─"),
        ("enter  esc  /  s  t  a  t  e  :  d  o  n  e  enter", " of 2─"),
        ("esc  /  !  n  g  i  n  x  enter", " of 2─"),
        ("esc  /  N  G", "hides 5 resources"),
        ("esc  1  /  l  a  y  enter", " of 2─"),
        ("esc  4  /  a  c  t  :  n  enter", " of 2─"),
    ] {
        play.press(keys);
        let frame = play.draw();
        assert!(frame.contains(shown), "{keys}: {frame}");
    }
    play.press("esc  space  g  /  a  c  t  :  z  z  enter");
    assert!(play.draw().contains("`zz` is no action; these are: create"), "{}", play.draw());
    play.press("esc");
    assert!(play.draw().contains("of 5"), "{}", play.draw());
}

#[test]
fn a_search_counts_and_the_word_under_the_cursor_is_one() {
    let mut play = Play::new(120, 40);
    play.press("2  /  s  t  a  t  e  enter");
    assert!(play.draw().contains("1 of 3  8:3 of 27"), "{}", play.draw());
    play.press("n  n");
    assert!(play.draw().contains("3 of 3  19:3"), "{}", play.draw());
    play.press("n  N");
    assert!(play.draw().contains("3 of 3"), "{}", play.draw());
    play.press("esc  g  g  j  j  j  0  *");
    assert_eq!(play.state.code.words, "root", "{}", play.draw());
    assert!(play.draw().contains("2 of 2  11:10"), "{}", play.draw());
    play.press("esc  /  S  T");
    assert!(play.draw().contains("not found"), "{}", play.draw());
}
