//! What happens as lines of JSON; the first of them says which version of their form they have.

use std::io::{self, Write};

use serde_json::Value as Json;

/// The version of the form of lines: readers may rely on what they know of it, and pass over what they do not.
pub const VERSION: u32 = 1;

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
            fields.insert("version".into(), VERSION.into());
        }
        writeln!(out, "{object}")?;
        out.flush()
    }
}
