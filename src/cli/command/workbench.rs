//! `workbench [ENTRY]`: the screens, or without a terminal the commands to use instead.

use std::io::{self, IsTerminal};

use crate::cli::args::{Entry, Global};
use crate::cli::exit::Exit;
use crate::cli::face::Face;
use crate::cli::open::open;

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
    Ok(Exit::Done)
}
