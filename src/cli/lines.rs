//! What happens as lines of JSON; the first of them says which version of their form they have.

use std::io::{self, Write};

use serde_json::Value as Json;

use crate::session::moment::RECORD_VERSION;

/// The version of the form of lines that tell what happens. Readers may rely on what they know of it, and pass over what they do
/// not. Records have a version of their own: they are read by this program too.
pub const LINES_VERSION: u32 = 1;

/// A stream of lines.
#[derive(Debug)]
pub struct Lines {
    version: u32,
    is_begun: bool,
}

impl Lines {
    /// What happens, for programs.
    pub fn told() -> Self {
        Self { version: LINES_VERSION, is_begun: false }
    }

    /// The events of a program, to be gone through once more.
    pub fn of_record() -> Self {
        Self { version: RECORD_VERSION, is_begun: false }
    }

    /// Writes a line that somebody may wait for.
    pub fn write(&mut self, out: &mut dyn Write, mut object: Json) -> io::Result<()> {
        if !std::mem::replace(&mut self.is_begun, true)
            && let Json::Object(fields) = &mut object
        {
            fields.insert("version".into(), self.version.into());
        }
        writeln!(out, "{object}")?;
        out.flush()
    }
}
