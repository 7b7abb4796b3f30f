//! Events as JSON lines; the first line has the version of their format.

use std::io::{self, Write};

use serde_json::Value as Json;

use crate::session::moment::RECORD_VERSION;

/// The version of the format of event lines. Readers may rely on the fields they know, and must ignore others. Records
/// have their own version, because this program reads them too.
pub const LINES_VERSION: u32 = 1;

/// A stream of lines.
#[derive(Debug)]
pub struct Lines {
    version: u32,
    is_begun: bool,
}

impl Lines {
    /// Events for programs.
    pub fn of_events() -> Self {
        Self { version: LINES_VERSION, is_begun: false }
    }

    /// The events of a program, for a replay.
    pub fn of_record() -> Self {
        Self { version: RECORD_VERSION, is_begun: false }
    }

    /// Writes a line and flushes it.
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
