//! The kind `msg`: prints a message, and writes it to the journal and to syslog on request.

use super::given::Given;
use super::kind::change;
use super::steps::Steps;
use super::{Kind, Schema, Seen, Turn, schema};
use crate::graph::Value;
use crate::host::{HostError, Look, Message, SystemChange, is_field_name};
use crate::plan::Action;

pub struct Msg;

/// The priorities by their numbers in syslog.
pub(super) const PRIORITIES: [&str; 8] = ["Emerg", "Alert", "Crit", "Err", "Warning", "Notice", "Info", "Debug"];

impl Kind for Msg {
    fn schema(&self) -> &'static Schema {
        schema("msg").expect("the schemas name every built-in kind")
    }

    fn validate(&self, given: &Given) -> Result<(), String> {
        given.must_be("priority", &PRIORITIES)?;
        let Some(Value::Map(fields)) = given.params.get("fields") else { return Ok(()) };
        match fields.iter().filter_map(|(name, _)| name.as_str()).find(|name| !is_field_name(name)) {
            Some(name) => {
                Err(format!("`{name}` is not a valid field: use letters, digits and `_`, without `_` at the start"))
            }
            None => Ok(()),
        }
    }

    fn check(&self, turn: &Turn, look: &dyn Look) -> Result<Seen, HostError> {
        let body = turn.any_text("body")?.unwrap_or_default();
        let (journal, syslog) = (turn.flag("journal")?, turn.flag("syslog")?);
        let lines = match turn.is_sensitive("body") {
            true => Vec::new(),
            false => body.lines().map(str::to_owned).collect(),
        };
        if turn.flag("always")? && !(journal || syslog) {
            let shown = if turn.is_sensitive("body") { "a sensitive message" } else { body };
            let changes = vec![change("message", None, Some(shown.to_owned()))];
            return Ok(Seen { lines, action: Action::Run, changes, ..Seen::right() });
        }
        if !(journal || syslog) {
            return Ok(Seen { lines, ..Seen::right() });
        }
        let wanted = turn.text("priority")?.unwrap_or_default();
        let priority = PRIORITIES.iter().position(|name| *name == wanted).unwrap_or(5);
        let fields = turn.pairs("fields")?.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
        let message =
            Message { body: body.to_owned(), priority: priority as u8, fields: fields.collect(), journal, syslog };
        let mut steps = Steps::default();
        let places: Vec<&str> =
            [(journal, "journal"), (syslog, "syslog")].iter().filter(|(on, _)| *on).map(|p| p.1).collect();
        steps.differs("written to", None, Some(places.join(", ")));
        steps.change(SystemChange::Message(message), look)?;
        Ok(Seen { lines, ..steps.seen(Action::Run) })
    }

    /// Every check leads to a message.
    fn converges(&self) -> bool {
        false
    }

    fn only_reads(&self) -> bool {
        true
    }
}
