//! `workbench [ENTRY]`: opens the screens; with `--plain` lines and numbered choices; without a terminal lists the
//! commands.

use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;

use super::step::StepCommand;
use super::{start, step_asking};
use crate::cli::args::{Color, Entry, Global, Picture};
use crate::cli::exit::Exit;
use crate::cli::face::{Face, is_dumb};
use crate::cli::open::{open_anyway, open_unreported};
use crate::session::{ApplierStatus, Guest, Session};
use crate::tui;

/// Opens the TUI on an entry.
pub fn run(face: &mut Face, global: &Global, entry: &Entry, picture: &Picture) -> io::Result<Exit> {
    if global.plain && picture.screenshot.is_none() {
        return plainly(face, global, entry);
    }
    let has_screen = io::stdin().is_terminal() && io::stdout().is_terminal() && !is_dumb();
    let session = match open_unreported(face, global, entry, false) {
        Ok(Ok(session)) => session,
        Ok(Err(report)) => {
            let begins = has_screen && picture.screenshot.is_none();
            return if begins && report.lacks_an_entry() {
                start::run(face, global, entry)
            } else {
                Ok(face.report(&report))
            };
        }
        Err(exit) => return Ok(exit),
    };
    if let Some(file) = &picture.screenshot {
        return draw(face, global, session, picture, file);
    }
    if !has_screen {
        let shown = &session.entry().shown;
        let why = match is_dumb() {
            true => "the TUI does not work with TERM=dumb",
            false => "the TUI needs a terminal",
        };
        return Ok(face.refuse(
            why,
            &format!(
                "`workbench --plain {shown}` steps through it in plain text; or use `workbench check {shown}`, `workbench graph {shown}`, `workbench preview {shown}` or \
                 `workbench apply --yes {shown}`"
            ),
        ));
    }
    show(global, session, None, None)
}

/// The same without screens: the preview, and its dry run step by step, with questions in lines.
fn plainly(face: &mut Face, global: &Global, entry: &Entry) -> io::Result<Exit> {
    if entry.entry.is_none()
        && let Ok(Err(report)) = open_unreported(face, global, entry, false)
        && report.lacks_an_entry()
    {
        face.refuse(
            "no ENTRY, and the current folder is not a module",
            "pass one: `workbench --plain ENTRY`, where ENTRY is a module folder or a source file",
        );
        return Ok(Exit::Usage);
    }
    step_asking::run(face, global, &StepCommand::asking(entry.clone()))
}

/// Opens the screens on a running or detached applier.
pub fn attach(face: &Face, global: &Global, entry: &Entry, found: (Guest, ApplierStatus)) -> io::Result<Exit> {
    let session = match open_anyway(face, global, entry) {
        Ok(session) => session,
        Err(exit) => return Ok(exit),
    };
    show(global, session, Some(found), None)
}

/// Shows the screens, with a first notice.
pub(super) fn show(
    global: &Global,
    session: Session,
    attaches: Option<(Guest, ApplierStatus)>,
    greeting: Option<String>,
) -> io::Result<Exit> {
    let config = session.options().config.clone();
    let options = tui::Options::of_terminal(config, global.color != Color::Never);
    let mut options = with_state(global, options);
    (options.attaches, options.greeting) = (attaches, greeting);
    Ok(match tui::run(Arc::new(session), options)? {
        tui::Ended::Left => Exit::Done,
        tui::Ended::Signal(number) => Exit::Signal(number),
    })
}

fn with_state(global: &Global, mut options: tui::Options) -> tui::Options {
    options.state_dir.clone_from(&global.state_dir);
    options
}

/// Draws the screens to a file instead of the terminal.
#[allow(clippy::disallowed_methods, reason = "the user named this file to be written")]
fn draw(face: &mut Face, global: &Global, session: Session, picture: &Picture, file: &Path) -> io::Result<Exit> {
    let is_stdout = file == Path::new("-");
    let format = match file.extension().and_then(|extension| extension.to_str()) {
        Some("svg") => tui::Format::Svg,
        Some("txt") => tui::Format::Text,
        _ if is_stdout => tui::Format::Text,
        _ => {
            return Ok(
                face.refuse("a screenshot must be an .svg or a .txt file", "for example `--screenshot screen.svg`")
            );
        }
    };
    let config = session.options().config.clone();
    let options = tui::Options::of_picture(config, global.color != Color::Never && !global.plain);
    let options = with_state(global, options);
    match tui::screenshot(Arc::new(session), &options, picture.size, &picture.keys, format) {
        Ok(drawn) if is_stdout => face.out.write_all(drawn.as_bytes()).map(|()| Exit::Done),
        Ok(drawn) => std::fs::write(file, drawn).map(|()| Exit::Done),
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
            Ok(face.refuse(&error.to_string(), "separate keys with spaces, as in `4 s s` or `ctrl-d`"))
        }
        Err(error) => Err(error),
    }
}
