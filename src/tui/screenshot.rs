//! The screens without a terminal: keys in, one frame out, drawn by the same state, update and view.

use std::{io, sync::Arc};

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use tokio::sync::mpsc::unbounded_channel;

use super::look::{ASCII, Look, UNICODE};
use super::update::{begin, update};
use super::{Options, keys, picture, title};
use super::{effect::Runner, message::Message, state::State, view::view};
use crate::engine::message::Event;
use crate::session::Session;
use crate::source::printable;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Svg,
    Text,
}

/// Presses keys (`4 s s`), waits until all work is done, and draws the screen.
pub fn screenshot(
    session: Arc<Session>,
    options: &Options,
    (width, height): (u16, u16),
    pressed: &str,
    format: Format,
) -> io::Result<String> {
    let not_keys =
        || io::Error::new(io::ErrorKind::InvalidInput, format!("`{}` is not a list of keys", printable(pressed)));
    let pressed = match pressed.trim() {
        "" => Vec::new(),
        some => keys::parse(some).ok_or_else(not_keys)?,
    };
    let glyphs = if options.ascii { &ASCII } else { &UNICODE };
    let theme = options.theme.clone().at_depth(options.depth);
    let colors = theme.style("ui.background").patch(theme.style("ui.text"));
    let look = Look::new(theme, glyphs);
    let entry = printable(&session.entry().shown).to_string();
    let mut state = State::new(width, height, look, title(&session), entry);
    state.cx.project.entry_flags = super::parity::entry_flags(&session);
    state.cx.project.entry_file.clone_from(&session.entry().file);
    state.cx.project.language = session.entry().language;
    options.furnish(&mut state.screens.code, &mut state.cx);
    state.cx.project.can_apply = false;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let (sender, mut messages) = unbounded_channel();
        let mut runner = Runner::new(session, sender, options.state_dir.clone());
        let mut todo = begin(&mut state);
        let mut pressed = pressed.into_iter();
        loop {
            todo.drain(..).for_each(|effect| runner.start(effect));
            if state.cx.is_spinning(&state.screens.step) || state.screens.step.is_ending() {
                let Some(message) = messages.recv().await else { break };
                todo = update(&mut state, without_times(message));
                continue;
            }
            let Some(key) = pressed.next() else { break };
            todo = update(&mut state, Message::Key(key));
            // A digit is a screen here, not the start of a count.
            if state.cx.typing.pending.count.is_some() {
                todo.extend(update(&mut state, Message::PendingDue));
            }
        }
        runner.cancel();
    });
    let mut terminal = Terminal::new(TestBackend::new(width, height)).map_err(io::Error::other)?;
    terminal.draw(|frame| _ = view(&state, frame.buffer_mut())).map_err(io::Error::other)?;
    let frame = terminal.backend().buffer();
    Ok(match format {
        Format::Svg => picture::svg(frame, colors.fg.unwrap_or_default(), colors.bg.unwrap_or_default()),
        Format::Text => picture::text(frame),
    })
}

/// Removes durations, so that the same keys always draw the same picture.
fn without_times(mut message: Message) -> Message {
    if let Message::Run { event: Event::Turn { elapsed_ms, .. }, .. } = &mut message {
        *elapsed_ms = 0;
    }
    message
}
