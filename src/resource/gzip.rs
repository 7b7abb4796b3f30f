//! The kind `gzip`: manages a compressed copy of a file or of a content.
//!
//! The same input gives the same bytes, so nothing is remembered: an equal file is unchanged.

use std::io::Write;
use std::path::Path;

use flate2::{Compression, GzBuilder};

use super::edit::{Edited, path_of, usual_mode};
use super::reader::{Reader, written};
use super::{Checked, Kind, Schema, Turn, schema};
use crate::host::{HostError, Look, Owner};

/// The kind `gzip`, which manages a compressed copy of a file or of a text.
pub struct Gzip;

impl Kind for Gzip {
    fn schema(&self) -> &'static Schema {
        schema("gzip").expect("the schemas name every built-in kind")
    }

    fn validate(&self, given: &Reader) -> Result<(), String> {
        written("path", given.or_name("path"))?;
        if let Some(input) = given.text("input") {
            written("input", input)?;
        }
        match given.int("level") {
            Some(level) if !(-2..=9).contains(&level) => Err(format!("`level` is {level}; it must be from -2 to 9")),
            _ => Ok(()),
        }
    }

    fn check(&self, turn: &Turn, look: &dyn Look) -> Result<Checked, HostError> {
        let file = Edited::look(turn, path_of(turn, "path")?.into(), look)?;
        let level = match turn.int("level")?.unwrap_or(-1) {
            level @ 0..=9 => Compression::new(level as u32),
            -1 => Compression::default(),
            // Coding without matching is the fastest, and has no separate level here.
            -2 => Compression::fast(),
            other => return Err(HostError::Refused(format!("`level` is {other}; it must be from -2 to 9"))),
        };
        let input = match turn.text("input")? {
            Some(path) => look.read(Path::new(path))?,
            None => match turn.any_text("content") {
                Ok(content) => Some(content.unwrap_or_default().as_bytes().into()),
                Err(error) if error.is_unknown() => None,
                Err(error) => return Err(error),
            },
        };
        let wanted = input.map(|input| compress(&input, level)).transpose().map_err(HostError::Refused)?;
        Ok(file.turn_into(wanted, usual_mode(look), Owner::default()))
    }
}

fn compress(input: &[u8], level: Compression) -> Result<Vec<u8>, String> {
    // Without a time in the header, the output does not depend on the clock.
    let mut encoder = GzBuilder::new().mtime(0).write(Vec::new(), level);
    encoder.write_all(input).and_then(|()| encoder.finish()).map_err(|error| error.to_string())
}
