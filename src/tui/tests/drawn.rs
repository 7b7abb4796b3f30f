//! Every screen at three sizes, drawn without colours.

use super::live::SIZES;
use super::stage::{Play, broken};
use crate::tui::look::{ASCII, UNICODE};

#[test]
fn every_screen() {
    for (name, keys) in [
        ("modules", ""),
        ("code", "2  j  j  j  j  j  j"),
        ("graph", "3  j"),
        ("plan", "p"),
        ("step", "p  s"),
        ("log", "p  s  s  4  6"),
        ("palette", "p  ?"),
        ("hover", "2  j  j  j  K"),
        ("hover-long", "2  G  k  k  k  k  k  k  k  k  k  k  k  k  k  k  K"),
        ("uses", "2  j  j  j  g  r"),
    ] {
        for (width, height) in SIZES {
            let mut play = Play::new(width, height);
            if !keys.is_empty() {
                play.press(keys);
            }
            insta::assert_snapshot!(format!("{name}-{width}x{height}"), play.draw());
        }
    }
}

#[test]
fn problems() {
    for (width, height) in SIZES {
        let mut play = Play::with(width, height, &UNICODE, broken());
        play.press("2  ]  d");
        insta::assert_snapshot!(format!("problems-{width}x{height}"), play.draw());
        play.press("3");
        insta::assert_snapshot!(format!("no-graph-{width}x{height}"), play.draw());
    }
}

#[test]
fn ascii_only() {
    let mut play = Play::with(120, 40, &ASCII, super::stage::program());
    play.press("4  2  3  p  s");
    insta::assert_snapshot!("step-ascii-120x40", play.draw());
}
