//! Every screen at three sizes, drawn without colours.

use super::live::SIZES;
use super::stage::{Play, broken};
use crate::tui::look::{ASCII, UNICODE};

/// Presses keys on a fresh face of each size and compares the frames.
fn at_all_sizes(name: &str, keys: &str) {
    for (width, height) in SIZES {
        let mut play = Play::new(width, height);
        if !keys.is_empty() {
            play.press(keys);
        }
        insta::assert_snapshot!(format!("{name}-{width}x{height}"), play.draw());
    }
}

#[test]
fn modules() {
    at_all_sizes("modules", "");
}

#[test]
fn code() {
    at_all_sizes("code", "2  j  j  j  j  j  j");
}

#[test]
fn graph() {
    at_all_sizes("graph", "3  j");
}

#[test]
fn plan() {
    at_all_sizes("plan", "p");
}

#[test]
fn step() {
    at_all_sizes("step", "p  s");
}

#[test]
fn log() {
    at_all_sizes("log", "p  s  s  4  6");
}

#[test]
fn palette() {
    at_all_sizes("palette", "p  ?");
}

#[test]
fn hover() {
    at_all_sizes("hover", "2  j  j  j  K");
    at_all_sizes("hover-long", "2  G  k  k  k  k  k  k  k  k  k  k  k  k  k  k  K");
}

#[test]
fn uses() {
    at_all_sizes("uses", "2  j  j  j  g  r");
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
    for screen in ["4", "2", "3", "p  s"] {
        play.press(screen);
        let frame = play.draw();
        assert!(frame.is_ascii(), "{screen}: {frame}");
    }
    insta::assert_snapshot!("step-ascii-120x40", play.draw());
}
