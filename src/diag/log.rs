//! The output of a program during its compilation, and warnings without a place: levels, text, order.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Diagnostics;
use crate::source::Place;

/// The level of a message, in the names of syslog and Puppet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    Debug,
    Info,
    Notice,
    Warning,
    Err,
    Alert,
    Crit,
    Emerg,
}

impl Level {
    /// Returns the level as Puppet names it.
    pub fn as_str(self) -> &'static str {
        match self {
            Level::Debug => "debug",
            Level::Info => "info",
            Level::Notice => "notice",
            Level::Warning => "warning",
            Level::Err => "err",
            Level::Alert => "alert",
            Level::Emerg => "emerg",
            Level::Crit => "crit",
        }
    }
}

/// One message of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogEntry {
    pub level: Level,
    /// May contain user text: faces make it printable.
    pub message: String,
    pub place: Option<Place>,
    /// How many diagnostics came before it.
    pub after: usize,
}

impl LogEntry {
    /// A message that comes after all diagnostics so far.
    pub fn new(level: Level, message: impl Into<String>, diagnostics: &Diagnostics) -> Self {
        Self { level, message: message.into(), place: None, after: diagnostics.iter().len() }
    }

    /// Sets the place in the source.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }

    /// As `--error-format json` prints it.
    pub fn to_json(&self) -> Value {
        json!({"log": {"level": self.level.as_str(), "message": self.message}})
    }
}
