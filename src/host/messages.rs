//! The facet of the machine's logs: messages that are written once and stay.

use serde::{Deserialize, Serialize};

/// A message for the journal, for syslog, or for both.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    pub body: String,
    /// As syslog counts: 0 is the most urgent, 7 the least.
    pub priority: u8,
    /// Further fields of the journal's entry.
    pub fields: Vec<(String, String)>,
    pub journal: bool,
    pub syslog: bool,
}

/// Whether a text can be the name of a field; those that begin with `_` are the journal's own.
pub fn is_field_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !name.is_empty() && name.len() <= 64 && !name.starts_with('_') && name.chars().all(plain)
}
