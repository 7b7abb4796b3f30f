//! Events as JSON lines; the first line has the version of their format, and what the program was compiled for.

use std::io::{self, Write};

use serde_json::Value as Json;

use crate::plan::CompiledFor;
use crate::session::moment::RECORD_VERSION;

/// The version of the format of event lines. Readers may rely on the fields they know, and must ignore others. Records
/// have their own version, because this program reads them too.
pub const LINES_VERSION: u32 = 1;

/// A stream of lines.
#[derive(Debug)]
pub struct Lines {
    version: u32,
    is_begun: bool,
    /// What the program was compiled for, for the first line.
    compiled_for: Option<Json>,
}

impl Lines {
    /// Events for programs.
    pub fn of_events() -> Self {
        Self { version: LINES_VERSION, is_begun: false, compiled_for: None }
    }

    /// The events of a program, for a replay.
    pub fn of_record() -> Self {
        Self { version: RECORD_VERSION, is_begun: false, compiled_for: None }
    }

    /// The first line also has what the program was compiled for.
    pub fn begin_for(&mut self, compiled_for: &CompiledFor) {
        self.compiled_for = Some(serde_json::json!(compiled_for));
    }

    /// Writes a line and flushes it.
    pub fn write(&mut self, out: &mut dyn Write, mut object: Json) -> io::Result<()> {
        if !std::mem::replace(&mut self.is_begun, true)
            && let Json::Object(fields) = &mut object
        {
            fields.insert("version".into(), self.version.into());
            fields.extend(self.compiled_for.take().map(|compiled_for| ("for".to_owned(), compiled_for)));
        }
        writeln!(out, "{object}")?;
        out.flush()
    }
}
