//! What a face and an applier say to each other: one object a line, none longer than its reader allows.

use std::io::{self, BufRead, Read, Write};
use std::path::PathBuf;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::deploy::{Found, Holder, OnConflict};
use crate::engine::message::{Event, Request};
use crate::graph::{Graph, ResourceId};
use crate::session::history::CutOff;
use crate::session::undo::Planned;

/// Both ends are the same program, save after an update: then they part instead of guessing.
pub(super) const VERSION: u32 = 4;

/// Whoever comes says little before it is known who that is.
pub(super) const HELLO_CAP: u64 = 256 << 10;

/// A request names one resource at most, or holds one.
pub(in crate::session) const ASKED_CAP: u64 = 16 << 20;

/// A graph with all that its files are to hold.
pub(super) const ORDER_CAP: u64 = 1 << 30;

/// As what somebody comes to an applier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Guest {
    /// Wants to know how it stands, and leaves.
    Looker,
    /// Drives it, if nobody does.
    Driver,
    /// Drives it, whoever does now.
    Taker,
}

/// What a face says.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Say {
    Hello {
        version: u32,
        guest: Guest,
    },
    Ask {
        request: Request,
    },
    /// Ends the command at work too.
    Abort,
    /// What an undo does where somebody else was.
    Decide {
        on_conflict: OnConflict,
    },
    /// Asks for the graph with the values that resources ended with.
    Result,
    /// Ends the run after the turns at work.
    End,
}

/// What an applier says.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Tell {
    /// Another holds the lock.
    Waiting {
        holder: Holder,
    },
    Refused {
        why: Refused,
    },
    Begun {
        deploy: u64,
        /// What an undo would do once it is told to.
        undo: Option<Planned>,
    },
    /// What was cut off; nothing was begun.
    CutOff {
        cut: Option<CutOff>,
    },
    Stands {
        standing: Standing,
    },
    /// To one who drives from now on; all events so far follow.
    Welcome {
        standing: Standing,
        graph: Graph,
        undo: Option<Planned>,
    },
    /// Somebody else drives.
    Busy {
        driver: u32,
    },
    Event {
        event: Event,
    },
    Result {
        graph: Option<Graph>,
    },
    /// Somebody else drives from now on.
    Taken {
        by: u32,
    },
    /// The run was ended and all is written down.
    Ended,
}

/// Why an applier did not begin. Nothing was done.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Refused {
    Held { holder: Holder },
    Unfinished { deploy: u64 },
    Settled { deploy: u64 },
    Conflict { found: Vec<Found> },
    Altered { modules: Vec<String> },
    Other { words: String },
}

/// How an applier stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Standing {
    pub pid: u32,
    pub deploy: u64,
    /// The deploy that it takes back.
    pub undoes: Option<u64>,
    /// Since when, as a label.
    pub since: String,
    /// What it applies, as it was typed in `folder`.
    pub entry: String,
    pub folder: PathBuf,
    pub language: String,
    /// The process that drives it; nobody does when it is parked.
    pub driver: Option<u32>,
    pub next: Option<ResourceId>,
    /// What is at work, if something is: one that is parked ends that before it waits.
    #[serde(default)]
    pub at_work: Option<ResourceId>,
    /// How many resources took their turns, or how many deeds of an undo theirs, of all.
    pub turned: u64,
    pub total: u64,
}

impl Standing {
    pub fn is_parked(&self) -> bool {
        self.driver.is_none()
    }
}

impl std::fmt::Display for Standing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { deploy, entry, turned, total, pid, .. } = self;
        if self.undoes.is_some() {
            return write!(f, "deploy {deploy}, undo of {entry}, {turned} of {total} changes done, process {pid}");
        }
        write!(f, "deploy {deploy} of {entry}, {turned} of {total} steps done, process {pid}")
    }
}

/// Writes one line.
pub(super) fn say(out: &mut (impl Write + ?Sized), said: &impl Serialize) -> io::Result<()> {
    out.write_all(&line(said)?)?;
    out.flush()
}

/// One line as bytes.
pub(super) fn line(said: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(said)?;
    line.push(b'\n');
    Ok(line)
}

/// Reads one line; nothing at the end. A line that is too long, cut off or something else is an error.
pub(super) fn hear<T: DeserializeOwned>(input: &mut (impl BufRead + ?Sized), cap: u64) -> io::Result<Option<T>> {
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
    use super::{Say, hear, line};

    #[test]
    fn only_whole_lines_of_a_size_are_heard() {
        let good = line(&Say::End).expect("plain data");
        let hear = |text: &[u8], cap| hear::<Say>(&mut &*text, cap);
        assert!(matches!(hear(&good, 64), Ok(Some(Say::End))));
        assert!(matches!(hear(b"", 64), Ok(None)));
        for text in [&good[..good.len() - 1], b"\n", b"{}\n", b"\"End\" \"End\"\n", b"\xff\xfe\n", &[b'['; 4096]] {
            assert!(hear(text, 1024).is_err(), "{text:?}");
        }
        assert!(hear(&good, 3).is_err());
    }
}
