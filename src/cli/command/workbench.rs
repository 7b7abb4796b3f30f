//! `workbench [ENTRY]`: the screens, or without a terminal the commands to use instead.

use std::io::{self, IsTerminal};
use std::sync::Arc;

use crate::cli::args::{Color, Entry, Global};
use crate::cli::exit::Exit;
use crate::cli::face::Face;
use crate::cli::open::open;
use crate::tui;

/// Opens the screens on an entry.
pub fn run(face: &mut Face, global: &Global, entry: &Entry) -> io::Result<Exit> {
    let session = match open(face, global, entry) {
        Ok(session) => session,
        Err(exit) => return Ok(exit),
    };
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() || global.plain {
        let shown = &session.entry().shown;
        return Ok(face.refuse(
            "the screens need a terminal",
            &format!(
                "without one use `workbench check {shown}`, `workbench graph {shown}`, `workbench preview {shown}` or \
                 `workbench apply --yes {shown}`"
            ),
        ));
    }
    let options = tui::Options::of_environment(global.color != Color::Never);
    Ok(match tui::run(Arc::new(session), options)? {
        tui::Ended::Left => Exit::Done,
        tui::Ended::Signal(number) => Exit::Signal(number),
    })
}
