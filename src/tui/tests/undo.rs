//! Undo and redo: keys in, and what is set up after each.

use super::stage::{Play, program};
use crate::tui::look::UNICODE;

/// Breakpoints, conditions, what is left out, bookmarks; in short.
fn setup(play: &Play) -> String {
    let step = &play.state.step;
    let short = |id: &str| id.rsplit('/').next().unwrap_or(id).trim_end_matches(']').to_string();
    let ids = |ids: &std::collections::BTreeSet<crate::graph::ResourceId>| {
        ids.iter().map(|id| short(&id.0)).collect::<Vec<_>>().join(",")
    };
    let whens: Vec<_> = step.whens.iter().map(|when| when.text.as_str()).collect();
    let (breaks, left_out, bookmarks) = (ids(&step.breakpoints), ids(&step.left_out), play.state.bookmarks.len());
    format!("b {breaks} | w {} | x {left_out} | m {bookmarks}", whens.join(","))
}

#[test]
fn each_change_is_undone_and_done_again() {
    let mut play = Play::with(120, 40, &UNICODE, program());
    play.press("p");
    for (keys, expected, words) in [
        ("j  b", "b nginx.conf | w  | x  | m 0", ""),
        ("space  g  G  x", "b nginx.conf | w  | x exec[warm the cache | m 0", "is left out"),
        ("4  B  a  i  f  space  r  u  n  s  enter  esc", "b nginx.conf | w if runs | x exec[warm the cache | m 0", ""),
        ("2  m", "b nginx.conf | w if runs | x exec[warm the cache | m 1", ""),
        ("u", "b nginx.conf | w if runs | x exec[warm the cache | m 0", "undone: no bookmark at main.mcl:1"),
        ("3  u", "b nginx.conf | w  | x exec[warm the cache | m 0", "undone: no stop if runs"),
        ("4  space  u", "b nginx.conf | w  | x  | m 0", "undone: exec[warm the cache] has its turn again"),
        ("space  u", "b  | w  | x  | m 0", "undone: file[/srv/web/nginx.conf] has no breakpoint"),
        ("space  u", "b  | w  | x  | m 0", "nothing was set up yet"),
        ("U", "b nginx.conf | w  | x  | m 0", "done again: file[/srv/web/nginx.conf] has a breakpoint"),
        ("U  U", "b nginx.conf | w if runs | x exec[warm the cache | m 0", "done again: a stop if runs"),
        ("space  u  G  b", "b exec[warm the cache,nginx.conf | w  | x exec[warm the cache | m 0", ""),
        ("U", "b exec[warm the cache,nginx.conf | w  | x exec[warm the cache | m 0", "nothing was undone"),
    ] {
        play.press(keys);
        assert_eq!(setup(&play), expected, "{keys}");
        let notice = play.state.notice.as_ref().map(|(_, words)| words.clone()).unwrap_or_default();
        assert!(notice.contains(words), "{keys}: {notice}");
    }
}

/// Moving about, filters and steps are nothing to undo; what a plan drops by itself is none of the user's.
#[test]
fn only_what_was_set_up_counts() {
    let mut play = Play::with(80, 24, &UNICODE, program());
    play.press("p  s  s  j  1  j  2  j  3  /  n  g  enter  esc");
    assert!(!play.state.changes.can_undo());
    play.press("4  b");
    assert!(play.state.changes.can_undo());
}
