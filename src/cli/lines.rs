//! What happens as lines of JSON; the first of them says which version of their form they have.

use std::io::{self, Write};

use serde_json::Value as Json;

use crate::session::moment::LINES_VERSION;

/// A stream of lines.
#[derive(Debug, Default)]
pub struct Lines {
    is_begun: bool,
}

impl Lines {
    /// Writes a line that somebody may wait for.
    pub fn write(&mut self, out: &mut dyn Write, mut object: Json) -> io::Result<()> {
        if !std::mem::replace(&mut self.is_begun, true)
            && let Json::Object(fields) = &mut object
        {
            fields.insert("version".into(), LINES_VERSION.into());
        }
        writeln!(out, "{object}")?;
        out.flush()
    }
}
