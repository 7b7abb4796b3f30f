//! Bytes of the system in the journal's JSON: as text if they are UTF-8, else as hexadecimal digits.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use crate::source::hex;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Any bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bytes(pub Vec<u8>);

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Form<'a> {
    Text(std::borrow::Cow<'a, str>),
    Hex { hex: String },
}

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        write(&self.0, to)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        read(from).map(Bytes)
    }
}

fn write<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
    match std::str::from_utf8(bytes) {
        Ok(text) => to.serialize_str(text),
        Err(_) => Form::Hex { hex: hex(bytes) }.serialize(to),
    }
}

fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
    match Form::deserialize(from)? {
        Form::Text(text) => Ok(text.into_owned().into_bytes()),
        Form::Hex { hex } => unhex(&hex).ok_or_else(|| serde::de::Error::custom("not hexadecimal digits")),
    }
}

/// Decodes hexadecimal digits; `None` for other characters or an odd count.
pub fn unhex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let digits = text.as_bytes();
    if !digits.len().is_multiple_of(2) {
        return None;
    }
    digits.chunks_exact(2).map(|pair| Some((digit(pair[0])? << 4 | digit(pair[1])?) as u8)).collect()
}

/// Makes a path from bytes, which need not be UTF-8.
pub fn os_path(bytes: Vec<u8>) -> PathBuf {
    OsString::from_vec(bytes).into()
}

/// For fields that hold a path.
pub mod path {
    use super::*;

    /// Writes a path as text, or as hexadecimal digits if it is not UTF-8.
    pub fn serialize<S: Serializer>(path: &std::path::Path, to: S) -> Result<S::Ok, S::Error> {
        write(path.as_os_str().as_bytes(), to)
    }

    /// Reads a path that `serialize` wrote.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<PathBuf, D::Error> {
        read(from).map(os_path)
    }
}
