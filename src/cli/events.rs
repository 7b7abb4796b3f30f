//! The events of a watched program, driven by a script: forward, back, and simulated inputs.

use std::collections::VecDeque;
use std::fmt;
use std::io::{self, Write};
use std::sync::Arc;

use super::face::Face;
use super::report::report_event;
use crate::graph::{Graph, ResourceId, Value};
use crate::session::follow::{Event, Fate, Read, Sample, parse_sample};
use crate::session::moment::{Moment, Pending, Taker, What};
use crate::session::{Cancel, Session};

/// A watched program with all its moments.
pub struct Events {
    taker: Taker,
    moments: Vec<Moment>,
    shown: usize,
    waiting: VecDeque<Event>,
    is_paused: bool,
    /// In milliseconds since 1970.
    now: u64,
}

impl Events {
    /// Watches a session's program from its current state. The events of a record wait.
    pub fn start(session: &Session, record: Option<Vec<Event>>) -> Option<Self> {
        let is_paused = record.is_some();
        let mut waiting: VecDeque<Event> = record.unwrap_or_default().into();
        let first = waiting.pop_front().unwrap_or_else(|| Event { at: session.now(), changes: Vec::new() });
        let (taker, moment) = Taker::start(session, first.at, Some(&first), &Cancel::default())?;
        Some(Self { taker, moments: vec![moment], shown: 0, waiting, is_paused, now: first.at })
    }

    /// The shown moment.
    pub fn shown(&self) -> &Moment {
        &self.moments[self.shown]
    }

    /// Returns the graph of the shown event.
    pub fn graph(&self) -> Arc<Graph> {
        Arc::clone(&self.shown().graph)
    }

    /// Pauses, or takes the waiting events and continues.
    pub fn pause(&mut self, face: &mut Face) -> io::Result<()> {
        self.is_paused = !self.is_paused;
        if !self.is_paused {
            self.shown = self.moments.len() - 1;
            while let Some(event) = self.waiting.pop_front() {
                self.take(face, event)?;
            }
        }
        Ok(())
    }

    /// Shows the next moment, or takes the next waiting event. False if there is neither.
    pub fn forward(&mut self, face: &mut Face) -> io::Result<bool> {
        if self.shown + 1 < self.moments.len() {
            self.shown += 1;
            self.show_place(face)?;
            return Ok(true);
        }
        match self.waiting.pop_front() {
            Some(event) => self.take(face, event).map(|()| true),
            None => Ok(false),
        }
    }

    /// Shows the previous moment. False if there is none.
    pub fn back(&mut self, face: &mut Face) -> io::Result<bool> {
        let Some(before) = self.shown.checked_sub(1) else { return Ok(false) };
        self.shown = before;
        self.show_place(face)?;
        Ok(true)
    }

    /// Sets the value of an input; its name and value are written as in events.
    pub fn set(&mut self, face: &mut Face, name: &str, words: &str) -> io::Result<Result<(), String>> {
        let inputs = self.taker.inputs();
        let Some((read, _)) = inputs.iter().find(|(read, _)| read.to_string() == name) else {
            let names: Vec<String> = inputs.iter().map(|(read, _)| read.to_string()).collect();
            let names = if names.is_empty() { "nothing".into() } else { names.join(", ") };
            return Ok(Err(format!("the program does not read `{name}`; it reads: {names}")));
        };
        let answer = match parse_sample(read, words) {
            Ok(answer) => answer,
            Err(why) => return Ok(Err(why)),
        };
        let event = Event { at: self.now, changes: vec![(read.clone(), answer)] };
        self.happens(face, event).map(Ok)
    }

    /// Lets time pass; clocks advance.
    pub fn wait(&mut self, face: &mut Face, seconds: u32) -> io::Result<()> {
        self.now += u64::from(seconds) * 1000;
        let tick = |(read, answer): &(Read, Result<Sample, _>)| match (read, answer) {
            (Read::Now | Read::Uptime, Ok(Sample::Integer(time))) => {
                Some((read.clone(), Ok(Sample::Integer(time + i64::from(seconds)))))
            }
            _ => None,
        };
        let changes = self.taker.inputs().iter().filter_map(tick).collect();
        self.happens(face, Event { at: self.now, changes })
    }

    fn happens(&mut self, face: &mut Face, event: Event) -> io::Result<()> {
        if self.is_paused {
            self.waiting.push_back(event);
            return Ok(());
        }
        self.take(face, event)
    }

    fn take(&mut self, face: &mut Face, event: Event) -> io::Result<()> {
        self.now = self.now.max(event.at);
        let Some(moment) = self.taker.take(Pending { event, what: What::Inputs }) else {
            return Err(io::Error::other("the program can no longer be watched"));
        };
        self.moments.push(moment);
        self.shown = self.moments.len() - 1;
        self.show_place(face)?;
        let moment = &self.moments[self.shown];
        report_event(face, &moment.changes, &moment.earlier, &moment.resources, moment.edges)?;
        face.moment(moment);
        Ok(())
    }

    fn show_place(&self, face: &mut Face) -> io::Result<()> {
        let waits = if self.waiting.is_empty() { String::new() } else { format!(", {} waiting", self.waiting.len()) };
        writeln!(face.out, "event {} of {}{waits}", self.shown, self.moments.len() - 1)
    }

    /// The additional counts for `assert`.
    pub fn count(&self, name: &str) -> Option<usize> {
        let moment = self.shown();
        let of = |fate| moment.resources.iter().filter(|one| one.fate == fate).count();
        Some(match name {
            "event" => self.shown,
            "events" => self.moments.len() - 1,
            "held" => self.waiting.len(),
            "resources" => moment.graph.len(),
            "emitted" => moment.resources.len(),
            "added" => of(Fate::Added),
            "removed" => of(Fate::Removed),
            _ => return None,
        })
    }
}

impl fmt::Display for Events {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (event, last, held) = (self.shown, self.moments.len() - 1, self.waiting.len());
        let (resources, emitted) = (self.graph().len(), self.shown().resources.len());
        write!(f, "event {event} of {last}, {held} held, {resources} resources, {emitted} emitted")
    }
}

/// A parameter of a resource: `kind[name].param`.
pub fn param<'g>(graph: &'g Graph, name: &str) -> Option<&'g Value> {
    let (id, param) = name.rsplit_once("].")?;
    let node = graph.find(&ResourceId(format!("{id}]").into()))?;
    graph.resource(node)?.meant().params.get(param)
}
