//! The protocol between a face and an applier: one JSON object per line, with a size limit.

use std::io::{self, BufRead, Read, Write};
use std::path::PathBuf;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::deploy::{Finding, Holder, OnConflict};
use crate::engine::message::{Event, Request};
use crate::graph::{Graph, ResourceId};
use crate::session::attach::undo::Planned;
use crate::session::history::CutOff;

/// Both ends are the same program, except after an update. Then they disconnect.
pub(super) const VERSION: u32 = 5;

/// The limit for a connecting process that is not identified yet.
pub(super) const HELLO_CAP: u64 = 256 << 10;

/// The limit for a request, which contains at most one resource.
pub(in crate::session) const ASKED_CAP: u64 = 16 << 20;

/// The limit for a graph with the contents of its files.
pub(super) const ORDER_CAP: u64 = 1 << 30;

/// The purpose of a connection to an applier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Guest {
    /// Asks for the status and leaves.
    Looker,
    /// Drives, if no other face does.
    #[default]
    Driver,
    /// Drives, replacing the present driver.
    Taker,
}

/// A message of a face.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum FaceMessage {
    Hello {
        version: u32,
        guest: Guest,
    },
    Ask {
        request: Request,
    },
    /// Also ends the running commands.
    Abort,
    /// What an undo does about changes of other programs.
    Decide {
        on_conflict: OnConflict,
    },
    /// Asks for the graph with the final values of the resources.
    Result,
    /// Ends the run after the current turns.
    End,
}

/// A message of an applier.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum ApplierMessage {
    /// Another applier holds the lock.
    Waiting {
        holder: Holder,
    },
    Refused {
        why: Refused,
    },
    Begun {
        deploy: u64,
        /// The plan of an undo.
        undo: Option<Planned>,
    },
    /// The interrupted deploy. Nothing was begun.
    CutOff {
        cut: Option<CutOff>,
    },
    Status {
        status: ApplierStatus,
    },
    /// To the new driver. All events so far follow.
    Welcome {
        status: ApplierStatus,
        graph: Graph,
        undo: Option<Planned>,
    },
    /// Another face drives.
    Busy {
        driver: u32,
    },
    Event {
        event: Event,
    },
    Result {
        graph: Option<Graph>,
    },
    /// Another face drives from now on.
    Taken {
        by: u32,
    },
    /// The run has ended and is recorded.
    Ended,
}

/// Why an applier did not begin. Nothing was done.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Refused {
    Held { holder: Holder },
    Unfinished { deploy: u64 },
    AlreadyEnded { deploy: u64 },
    Conflict { found: Vec<Finding> },
    Altered { modules: Vec<String> },
    Other { words: String },
}

/// The status of an applier.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApplierStatus {
    pub pid: u32,
    pub deploy: u64,
    /// The deploy that it undoes.
    pub undoes: Option<u64>,
    /// The start time, as a label.
    pub since: String,
    /// The entry, as the user typed it in `folder`.
    pub entry: String,
    pub folder: PathBuf,
    pub language: String,
    /// The driver's process; `None` if the applier is detached.
    pub driver: Option<u32>,
    pub next: Option<ResourceId>,
    /// The running resource. A detached applier finishes it before it waits.
    #[serde(default)]
    pub at_work: Option<ResourceId>,
    /// How many resources of all have finished their turns, or how many operations of all were undone.
    pub turned: u64,
    pub total: u64,
    /// The other host that the program was compiled for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<Arc<str>>,
}

impl ApplierStatus {
    /// Whether no face drives the applier.
    pub fn is_parked(&self) -> bool {
        self.driver.is_none()
    }
}

impl std::fmt::Display for ApplierStatus {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { deploy, entry, turned, total, pid, .. } = self;
        if self.undoes.is_some() {
            return write!(f, "deploy {deploy}, undo of {entry}, {turned} of {total} changes done, process {pid}");
        }
        write!(f, "deploy {deploy} of {entry}, {turned} of {total} steps done, process {pid}")
    }
}

/// Writes one message.
pub(super) fn write_message(out: &mut (impl Write + ?Sized), message: &impl Serialize) -> io::Result<()> {
    out.write_all(&line(message)?)?;
    out.flush()
}

/// Returns one message as a line.
pub(super) fn line(message: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    Ok(line)
}

/// Reads one message; `None` at the end. A line that is too long, incomplete or invalid is an error.
pub(super) fn read_message<T: DeserializeOwned>(
    input: &mut (impl BufRead + ?Sized),
    cap: u64,
) -> io::Result<Option<T>> {
    let mut line = Vec::new();
    input.take(cap).read_until(b'\n', &mut line)?;
    match line.last() {
        None => Ok(None),
        Some(b'\n') => Ok(Some(serde_json::from_slice(&line)?)),
        Some(_) => Err(io::ErrorKind::InvalidData.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::{FaceMessage, line, read_message};

    #[test]
    fn only_whole_bounded_lines_are_read() {
        let good = line(&FaceMessage::End).expect("plain data");
        let read_message = |text: &[u8], cap| read_message::<FaceMessage>(&mut &*text, cap);
        assert!(matches!(read_message(&good, 64), Ok(Some(FaceMessage::End))));
        assert!(matches!(read_message(b"", 64), Ok(None)));
        for text in [&good[..good.len() - 1], b"\n", b"{}\n", b"\"End\" \"End\"\n", b"\xff\xfe\n", &[b'['; 4096]] {
            assert!(read_message(text, 1024).is_err(), "{text:?}");
        }
        assert!(read_message(&good, 3).is_err());
    }
}
