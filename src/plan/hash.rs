//! The content hash of a plan: the same steps for the same purpose give the same hash.

use std::io::{self, BufWriter, Write};

use serde::Serialize;
use serde::ser::{SerializeSeq, Serializer};
use sha2::{Digest, Sha256};

use super::{CompiledFor, Step};
use crate::source::hex;

/// Hashes the entry, the inputs of the compilation and the steps as JSON, with the fields in the order of their types. The place in the source is
/// excluded, so moving code keeps the hash. The blocking resource is part of the note.
pub(super) fn of(entry: &str, compiled_for: &CompiledFor, steps: &[Step]) -> String {
    // `./site` and `site/` are the same entry.
    let entry = Some(entry.trim_start_matches("./").trim_end_matches('/')).filter(|it| !it.is_empty()).unwrap_or(entry);
    let mut hasher = BufWriter::new(Hasher(Sha256::new()));
    serde_json::to_writer(&mut hasher, &Hashed { entry, compiled_for, steps: Placeless(steps) })
        .expect("steps are plain data with names for keys, and a hash takes any bytes");
    let Hasher(hash) = hasher.into_inner().ok().expect("a hash takes any bytes");
    hex(&hash.finalize())
}

#[derive(Serialize)]
struct Hashed<'a> {
    entry: &'a str,
    #[serde(rename = "for")]
    compiled_for: &'a CompiledFor,
    steps: Placeless<'a>,
}

struct Placeless<'a>(&'a [Step]);

impl Serialize for Placeless<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.0.len()))?;
        for step in self.0 {
            list.serialize_element(&Step { source: None, blocked_by: None, ..step.clone() })?;
        }
        list.end()
    }
}

/// A writer that hashes.
struct Hasher(Sha256);

impl Write for Hasher {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_an_entry_have_one_hash() {
        let of = |entry: &str| of(entry, &CompiledFor::default(), &[]);
        assert!(of("./site/") == of("site") && of("site") != of("other") && of("./") != of("site"));
    }
}
