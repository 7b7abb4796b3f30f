//! Files that the screens read, or write on request.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::session::{Session, write_new_file};
use crate::tui::{around, message::Message, screen::graph::export::Export};

/// Longer READMEs are cut: the side pane shows only the start.
const README_BYTES: usize = 256 * 1024;

pub fn read(session: &Session, path: PathBuf) -> Message {
    let text = session.text(&path).map(Into::into).map_err(|error| error.to_string());
    let canonical = around::canonical(&path);
    Message::Read { name: around::shown(&canonical).into(), asked: path, path: canonical, text }
}

/// Reads the part of a module's README that is shown.
pub fn readme(session: &Session, path: PathBuf) -> Message {
    let text = session.text(&path).ok().map(|mut text| {
        text.truncate(text.floor_char_boundary(README_BYTES));
        text
    });
    Message::Readme { path, text }
}

pub fn save_log(path: PathBuf, text: &str) -> Message {
    let result = write_new_file(&path, text).map_err(|error| error.to_string());
    Message::Saved { path, result }
}

/// Exports the graph to a new file, or for the clipboard.
pub fn export(export: Box<Export>) -> Message {
    let text = export.text().and_then(|text| match &export.file {
        Some(file) => written(file, &text).map(|()| text),
        None => Ok(text),
    });
    Message::Exported(export, text)
}

pub(super) fn written(file: &Path, text: &str) -> Result<(), String> {
    write_new_file(file, text).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => "the file already exists; use another name".into(),
        _ => error.to_string(),
    })
}
