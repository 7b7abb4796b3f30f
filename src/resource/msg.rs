//! The kind `msg`: prints a message, and writes it to the journal and to syslog on request.

use super::kind::change;
use super::reader::{Param, Reader, Typed};
use super::steps::Steps;
use super::{Checked, Kind, Schema, Turn, schema};
use crate::graph::Value;
use crate::host::{HostError, Look, Message, SystemChange, is_field_name};
use crate::plan::Action;

/// The kind `msg`, which prints a message and writes it to the journal and to syslog on request.
pub struct Msg;

/// The priorities by their numbers in syslog.
pub(super) const PRIORITIES: [&str; 8] = ["Emerg", "Alert", "Crit", "Err", "Warning", "Notice", "Info", "Debug"];

const NOTICE: u8 = 5;

struct MsgParams {
    body: Param<String>,
    /// The number in syslog.
    priority: Param<u8>,
    /// Prints the message in each turn.
    always: Param<bool>,
    journal: Param<bool>,
    syslog: Param<bool>,
}

impl Kind for Msg {
    fn schema(&self) -> &'static Schema {
        schema("msg").expect("the schemas name every built-in kind")
    }

    fn read(&self, given: &Reader) -> Result<Typed, String> {
        given.must_be("priority", &PRIORITIES)?;
        if let Some(Value::Map(fields)) = given.get("fields")
            && let Some(name) = fields.iter().filter_map(|(name, _)| name.as_str()).find(|name| !is_field_name(name))
        {
            return Err(format!(
                "`{name}` is not a valid field: use letters, digits and `_`, without `_` at the start"
            ));
        }
        let number = |word: String| Ok(PRIORITIES.iter().position(|name| *name == word).map_or(NOTICE, |at| at as u8));
        Ok(Typed::new(MsgParams {
            body: given.text_param("body"),
            priority: given.filled_param("priority").parse("priority", number)?,
            always: given.flag_param("always"),
            journal: given.flag_param("journal"),
            syslog: given.flag_param("syslog"),
        }))
    }

    fn check(&self, turn: &Turn, look: &dyn Look) -> Result<Checked, HostError> {
        let params: &MsgParams = turn.typed.get()?;
        let body = params.body.get()?.map_or("", String::as_str);
        let (journal, syslog) = (params.journal.flag()?, params.syslog.flag()?);
        let lines = match turn.is_sensitive("body") {
            true => Vec::new(),
            false => body.lines().map(str::to_owned).collect(),
        };
        if params.always.flag()? && !(journal || syslog) {
            let shown = if turn.is_sensitive("body") { "a sensitive message" } else { body };
            let changes = vec![change("message", None, Some(shown.to_owned()))];
            return Ok(Checked { lines, action: Action::Run, changes, ..Checked::right() });
        }
        if !(journal || syslog) {
            return Ok(Checked { lines, ..Checked::right() });
        }
        let priority = params.priority.get()?.copied().unwrap_or(NOTICE);
        let fields = turn.pairs("fields")?.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
        let message = Message { body: body.to_owned(), priority, fields: fields.collect(), journal, syslog };
        let mut steps = Steps::default();
        let places: Vec<&str> =
            [(journal, "journal"), (syslog, "syslog")].iter().filter(|(on, _)| *on).map(|p| p.1).collect();
        steps.differs("written to", None, Some(places.join(", ")));
        steps.change(SystemChange::Message(message), look)?;
        Ok(Checked { lines, ..steps.seen(Action::Run) })
    }

    /// Every check leads to a message.
    fn converges(&self) -> bool {
        false
    }

    fn only_reads(&self) -> bool {
        true
    }
}
