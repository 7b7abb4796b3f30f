//! The facet of the machine's logs: permanent messages.

use serde::{Deserialize, Serialize};

/// A message for the journal, for syslog, or for both.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    pub body: String,
    /// In syslog's scale: 0 is the most urgent, 7 the least.
    pub priority: u8,
    /// Further fields of the journal's entry.
    pub fields: Vec<(String, String)>,
    pub journal: bool,
    pub syslog: bool,
}

/// Whether a text is a valid field name. Names that begin with `_` belong to the journal.
pub fn is_field_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !name.is_empty() && name.len() <= 64 && !name.starts_with('_') && name.chars().all(plain)
}
