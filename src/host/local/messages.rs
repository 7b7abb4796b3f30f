//! Writes to the logs of this machine: journald's own protocol, and the socket of syslog.

use std::os::unix::net::UnixDatagram;
use std::path::Path;

use crate::host::{HostError, Message};

const JOURNAL: &str = "/run/systemd/journal/socket";
const SYSLOG: &str = "/dev/log";

/// Syslog's facility for daemons.
const FACILITY: u8 = 3;

pub(super) fn write(message: &Message) -> Result<(), HostError> {
    if message.journal {
        send(JOURNAL, "journal", &entry(message))?;
    }
    if message.syslog {
        send(SYSLOG, "syslog", &line(message))?;
    }
    Ok(())
}

fn send(path: &str, what: &'static str, bytes: &[u8]) -> Result<(), HostError> {
    if !Path::new(path).exists() {
        return Err(HostError::Refused(format!("no {what} is listening: {path} does not exist")));
    }
    let failed = |error| HostError::std("write to", Path::new(path), &error);
    let socket = UnixDatagram::unbound().map_err(failed)?;
    socket.send_to(bytes, path).map(drop).map_err(failed)
}

/// An entry in journald's format: each field has its length, so that a value may hold any bytes.
fn entry(message: &Message) -> Vec<u8> {
    let mut entry = Vec::new();
    let mut field = |name: &str, value: &str| {
        entry.extend_from_slice(name.as_bytes());
        entry.push(b'\n');
        entry.extend_from_slice(&(value.len() as u64).to_le_bytes());
        entry.extend_from_slice(value.as_bytes());
        entry.push(b'\n');
    };
    field("MESSAGE", &message.body);
    field("PRIORITY", &message.priority.to_string());
    field("SYSLOG_IDENTIFIER", "workbench");
    message.fields.iter().for_each(|(name, value)| field(&name.to_uppercase(), value));
    entry
}

/// A line in syslog's format. It is one line, whatever the message contains.
fn line(message: &Message) -> Vec<u8> {
    let body: String = message.body.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("<{}>workbench: {body}", FACILITY * 8 + message.priority).into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_cannot_add_fields_or_lines_of_their_own() {
        let message = Message {
            body: "a\nPRIORITY=0\n".into(),
            priority: 6,
            fields: vec![("unit".into(), "x".into())],
            journal: true,
            syslog: true,
        };
        assert_eq!(line(&message), b"<30>workbench: a PRIORITY=0 ");
        let entry = entry(&message);
        assert!(entry.starts_with(b"MESSAGE\n\x0d\0\0\0\0\0\0\0a\nPRIORITY=0\n\nPRIORITY\n\x01\0\0\0\0\0\0\x006\n"));
        assert!(entry.ends_with(b"UNIT\n\x01\0\0\0\0\0\0\0x\n"));
    }
}
