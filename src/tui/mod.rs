//! The terminal face: screens, one loop, state, update, view.
//!
//! Comes in: a [`Session`], keys, and what workers tell. Goes out: frames. A [`Message`](message::Message) is whatever
//! happened; [`update`](update::update) is the only place where [`State`](state::State) changes, and gives back the work
//! to be done as [`Effect`](effect::Effect)s, which a worker does and answers with further messages; the views draw what
//! is. So the loop never reads a file, parses, or waits for a lock, and a test needs no terminal: messages in, frame out.
//!
//! The one table in [`keymap`] makes dispatch, footer and palette; [`layout`] is a pure function of size and focus;
//! [`look`] takes colours by role from a theme. Deliberately absent: any knowledge of languages, hosts or files.

#[allow(
    clippy::disallowed_methods,
    reason = "describes the terminal and names files on screen, nothing that programs see"
)]
mod around;
#[allow(clippy::disallowed_methods, reason = "the user's editor runs in our terminal, which only this room can lend")]
mod editor;
mod effect;
mod event_loop;
mod keymap;
mod keys;
mod layer;
mod layout;
mod look;
mod message;
mod picture;
mod program;
mod screen;
mod screenshot;
mod selection;
mod state;
mod terminal;
mod update;
mod view;
mod widget;

#[cfg(test)]
mod tests;

use std::io;
use std::path::Path;
use std::sync::Arc;

use tokio::sync::mpsc::unbounded_channel;

use crate::highlight::{Depth, Theme};
use crate::session::Session;
use crate::source::printable;
use effect::Runner;
pub use keymap::TABLE as KEYS;
use look::{ASCII, Look, UNICODE};
pub use screenshot::{Format, screenshot};
use state::State;
use terminal::Guard;

/// What the user chose for the face.
#[derive(Clone, Debug)]
pub struct Options {
    pub theme: Theme,
    /// How many colours the terminal shows.
    pub depth: Depth,
    /// No line drawing and no symbols beyond ASCII.
    pub ascii: bool,
    pub mouse: bool,
}

impl Options {
    /// What the environment says of the terminal; without colours where the user wants none.
    pub fn of_environment(colors: bool) -> Self {
        let depth = if colors { around::depth() } else { Depth::Mono };
        let theme = Theme::built_in("night").expect("it is compiled in and tested");
        Self { theme, depth, ascii: around::is_ascii(), mouse: true }
    }
}

impl Options {
    /// What a picture is drawn with, whatever the terminal.
    pub fn of_picture(colors: bool, ascii: bool) -> Self {
        let theme = Theme::built_in("night").expect("it is compiled in and tested");
        Self { theme, depth: if colors { Depth::True } else { Depth::Mono }, ascii, mouse: false }
    }
}

/// How the screens were left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    Left,
    /// By a signal of this number; a terminal that is gone counts as a hangup.
    Signal(u8),
}

/// Shows a session until the user leaves it.
///
/// Standard input and output are a terminal; the caller has made sure of it.
pub fn run(session: Arc<Session>, options: Options) -> io::Result<Ended> {
    let glyphs = if options.ascii { &ASCII } else { &UNICODE };
    let look = Look::new(options.theme.at_depth(options.depth), glyphs);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    // Before the terminal is taken: a signal that came between the two would leave it in our modes.
    let signals = runtime.block_on(async { event_loop::Signals::new() })?;
    let (guard, mut screen) = Guard::take(options.mouse)?;
    let size = screen.size()?;
    let entry = printable(&session.entry().shown).to_string();
    let mut state = State::new(size.width, size.height, look, title(&session), entry);
    state.entry_file.clone_from(&session.entry().file);
    state.can_suspend = terminal::can_suspend();
    let (sender, mut messages) = unbounded_channel();
    let mut runner = Runner::new(session, sender);
    let end = runtime.block_on(event_loop::run(&mut state, &guard, &mut screen, &mut runner, &mut messages, signals));
    runner.cancel();
    drop(guard);
    // Work that is still at it must not keep the user's shell waiting.
    runtime.shutdown_background();
    end
}

/// The project's name: that of the folder the entry lies in.
fn title(session: &Session) -> String {
    let base = &session.entry().base;
    let full = if base.file_name().is_some() { base.clone() } else { around::settled(base) };
    let name = full.file_name().map(Path::new).map(|name| name.display().to_string());
    printable(&name.unwrap_or_else(|| session.entry().shown.clone())).to_string()
}
