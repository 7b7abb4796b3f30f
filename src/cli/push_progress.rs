//! One line on the terminal that says how far publishing is.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use super::args::{ErrorFormat, Format};
use super::face::{Aside, Face, count};
use super::progress::CLEAR;
use crate::session::target::Heard;

/// Shorter work needs no word.
const SOON: Duration = Duration::from_millis(500);

/// It writes to stderr, and only where that is a terminal.
pub struct PushProgress {
    is_on: bool,
    aside: Aside,
    begun: Instant,
}

impl PushProgress {
    pub fn new(face: &Face, format: Format) -> Self {
        let speaks = !face.quiet && !face.plain && face.error_format == ErrorFormat::Text;
        let is_on = speaks && format == Format::Text && io::stderr().is_terminal();
        Self { is_on, aside: face.aside(), begun: Instant::now() }
    }

    pub fn hear(&mut self, heard: Heard) {
        let words = match heard {
            Heard::Sent(done, all) => format!("{done} of {all} contents are there"),
            Heard::ReadBack(done, all) => format!("{done} of {all} contents read back"),
            Heard::Raced(id) => {
                return self.aside.say(format_args!("somebody else published deploy {id}; trying the next number"));
            }
            Heard::Swept(gone) => {
                let trees = count(gone, "tree");
                return self
                    .aside
                    .say(format_args!("removed {trees} of pushes that were cut off: no deploy names them"));
            }
        };
        if self.is_on && self.begun.elapsed() >= SOON {
            let _ = write!(io::stderr(), "{CLEAR}{words}");
        }
    }

    /// Takes the line away, so that something else can be written.
    pub fn clear(&mut self) {
        if self.is_on {
            let _ = write!(io::stderr(), "{CLEAR}");
        }
    }
}
