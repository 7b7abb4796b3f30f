//! Any size and any order of events: no panic, and the focus on an existing pane.

use proptest::prelude::*;

use super::many;
use super::matrix::{SCREENS, play_of};
use super::stage::{Play, broken, program};
use crate::highlight::Theme;
use crate::tui::keys::{self, Key};
use crate::tui::{look::UNICODE, message::Message};

#[test]
fn every_screen_draws_at_every_size() {
    let all = "4|2|3|p|p  s|6|?|p  s  x|space|/|2  j  j  j  K|2  j  j  j  g  r|3  w|3  j  g  t|3  z  M|3  S|p  B|p  b  B|p  s  d\
        |p  s  d  +|p  b  j  b  B  space|p  P|p  =|p  X";
    for keys in all.split('|') {
        for program in [program(), broken()] {
            let mut play = Play::with(80, 24, &UNICODE, program);
            play.press(keys);
            if keys == "space" {
                play.send(Message::PendingDue);
            }
            for width in 1..=80 {
                for height in 1..=30 {
                    play.send(Message::Resize(width, height));
                    if (width + height) % 11 == 0 || width < 4 || height < 4 {
                        play.draw();
                    }
                }
            }
        }
    }
}

/// G18: each size from 1x1 to 200x60 on every screen, without a panic and without a cell outside.
#[test]
fn every_size_of_every_screen() {
    // Another stride through the sizes on each screen, so that a sample covers all corners.
    let whole = 200 * 60;
    // Odd, so that a sample covers every width.
    let stride = (whole / many(125, whole).clamp(1, whole)).max(1) | 1;
    let mut frames = 0;
    for (at, (name, keys)) in SCREENS.iter().enumerate() {
        let mut play = play_of(name, keys, (120, 40), Theme::built_in("night").expect("compiled in"), &UNICODE);
        for size in (at..whole).step_by(stride) {
            let (width, height) = ((size % 200) as u16 + 1, (size / 200) as u16 + 1);
            play.send(Message::Resize(width, height));
            let drawn = play.buffer();
            assert_eq!((drawn.area.width, drawn.area.height), (width, height), "{name}");
            frames += 1;
        }
    }
    println!("G18: {frames} frames of {} screens, each size from 1x1 to 200x60 by steps of {stride}", SCREENS.len());
}

pub fn any_key() -> impl Strategy<Value = Key> {
    let all = "j k G tab enter esc h l 4 2 3 1 6 p s c t b x y Z r / n ? + _ ctrl-d ctrl-u \
        ctrl-o g space ] d ctrl-w 5 backspace ( ) w K r alt-o B E 0 $ ^ N . m P D z M R a o O [ i f";
    let written = proptest::sample::select(all.split(' ').collect::<Vec<_>>());
    written.prop_map(|written| keys::parse(written).expect("a key")[0])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn any_keys_and_sizes(events in prop::collection::vec((any_key(), 1u16..130, 1u16..45, 0u8..6), 1..60)) {
        let mut play = Play::new(80, 24);
        for (key, width, height, what) in events {
            match what {
                0 => play.send(Message::Resize(width, height)),
                1 => play.send(Message::PendingDue),
                2 if play.state.cx.events.is_on() => {
                    play.happens();
                }
                _ => play.send(Message::Key(key)),
            }
            let layout = play.state.cx.layout();
            prop_assert!(layout.pane(play.state.cx.focus()).is_some(), "the focus is on a pane that is shown");
            play.draw();
        }
    }
}
