//! The faces of an applier: one drives at a time and receives all events. Without one, the applier detaches.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::events::Events;
use super::peer::Peer;
use super::wire::{
    ASKED_CAP, ApplierMessage, ApplierStatus, FaceMessage, Guest, HELLO_CAP, Refused, VERSION, line, read_message,
    write_message,
};
use crate::engine::message::{Event, Request};
use crate::graph::{Graph, Node, Resource};
use crate::session::Stepper;
use crate::session::attach::undo::Planned;

/// The time limit for a connecting face's first message, and for a face that only inspects to take the answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// Further connections are rejected.
const MOST: usize = 16;

/// A run with its connections.
pub(super) struct Table {
    stepper: Stepper,
    /// With the current parameters.
    graph: Mutex<Arc<Graph>>,
    about: About,
    seats: Mutex<Seats>,
    moved: Condvar,
    guests: AtomicUsize,
}

/// The constant part of the status.
pub(super) struct About {
    pub since: String,
    pub entry: String,
    pub folder: PathBuf,
    pub language: String,
    pub undo: Option<Planned>,
    /// Whether a face can attach.
    pub listens: bool,
}

#[derive(Default)]
struct Seats {
    events: Events,
    driver: Option<Driver>,
    /// The number of drivers so far.
    drove: u64,
    /// A request that may change the machine was received.
    is_begun: bool,
    is_over: bool,
}

struct Driver {
    number: u64,
    pid: u32,
    /// Unsent lines that are not events.
    answers: VecDeque<Vec<u8>>,
}

impl Table {
    /// Makes the table of an applier that has no face yet.
    pub fn new(stepper: Stepper, graph: Arc<Graph>, about: About) -> Self {
        let graph = Mutex::new(graph);
        Self { stepper, graph, about, seats: Mutex::default(), moved: Condvar::new(), guests: AtomicUsize::new(0) }
    }

    fn seats(&self) -> MutexGuard<'_, Seats> {
        self.seats.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores an event of the run.
    pub fn record(&self, event: Event) {
        if let Event::Amended { resource, .. } = &event {
            let mut graph = self.graph.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(at) = graph.find(&resource.id) {
                *Arc::make_mut(&mut graph).node_mut(at) = Node::Resource(Resource::clone(resource));
            }
        }
        let mut seats = self.seats();
        seats.events.push(event);
        if seats.driver.is_none() && seats.events.is_finished {
            self.stepper.send(Request::Quit);
        }
        self.moved.notify_all();
    }

    /// Ends the connection: the run has ended and is recorded. Waits a while until the driver has received it.
    pub fn close(&self) {
        let mut seats = self.seats();
        seats.is_over = true;
        self.moved.notify_all();
        let waits = |seats: &mut Seats| seats.driver.is_some();
        drop(self.moved.wait_timeout_while(seats, PATIENCE, waits));
    }

    /// Ends the run after the current turns; the second call also ends the running commands.
    pub fn end(&self, is_again: bool) {
        if is_again {
            self.stepper.abort();
        }
        self.stepper.send(Request::Quit);
    }

    /// Tells the face that gave the order that the run has begun.
    pub fn begun(&self, out: &mut dyn Write) -> io::Result<()> {
        write_message(out, &ApplierMessage::Begun { deploy: self.deploy(), undo: self.about.undo.clone() })
    }

    fn deploy(&self) -> u64 {
        self.stepper.deploy().unwrap_or_default()
    }

    fn graph(&self) -> Arc<Graph> {
        Arc::clone(&self.graph.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the number of resources, or of operations to undo.
    fn total(&self) -> u64 {
        let resources = || self.graph().resources().filter(|(_, resource)| !resource.is_hidden()).count();
        self.about.undo.as_ref().map_or_else(resources, |undo| undo.steps.len()) as u64
    }

    fn status(&self, seats: &Seats) -> ApplierStatus {
        ApplierStatus {
            pid: std::process::id(),
            deploy: self.deploy(),
            undoes: self.about.undo.as_ref().map(|undo| undo.deploy),
            since: self.about.since.clone(),
            entry: self.about.entry.clone(),
            folder: self.about.folder.clone(),
            language: self.about.language.clone(),
            driver: seats.driver.as_ref().map(|driver| driver.pid),
            next: seats.events.next().cloned(),
            at_work: seats.events.at_work().cloned(),
            turned: seats.events.turned(),
            total: self.total(),
            other: self.graph().hosts().other(),
        }
    }

    /// Makes a face the driver. Returns its number, or the present driver's process as `Err`.
    pub fn seat(&self, pid: u32, guest: Guest) -> Result<u64, u32> {
        let mut seats = self.seats();
        if let (Some(driver), false) = (&seats.driver, guest == Guest::Taker) {
            return Err(driver.pid);
        }
        seats.drove += 1;
        let number = seats.drove;
        seats.driver = Some(Driver { number, pid, answers: VecDeque::new() });
        self.moved.notify_all();
        Ok(number)
    }

    /// Obeys the driver's requests until its connection ends.
    pub fn obey(&self, number: u64, input: &mut dyn BufRead) {
        while let Ok(Some(message)) = read_message(input, ASKED_CAP) {
            let mut seats = self.seats();
            let Some(driver) = seats.driver.as_mut().filter(|driver| driver.number == number) else { return };
            match message {
                FaceMessage::Ask { request } => {
                    let is_about = matches!(request, Request::Break { .. } | Request::LeaveOut { .. });
                    seats.is_begun |= !is_about && !matches!(request, Request::Stop | Request::Quit);
                    self.stepper.send(request);
                }
                FaceMessage::Abort => self.stepper.abort(),
                FaceMessage::Decide { on_conflict } => self.stepper.decide(on_conflict),
                FaceMessage::End => self.stepper.send(Request::Quit),
                FaceMessage::Result => {
                    let answer = line(&ApplierMessage::Result { graph: self.stepper.result() });
                    driver.answers.push_back(answer.unwrap_or_default());
                    self.moved.notify_all();
                }
                // A second greeting is invalid.
                FaceMessage::Hello { .. } => break,
            }
        }
        self.leave(number);
    }

    /// Removes the driver: the current turns finish, and no more begin before another face attaches.
    pub fn leave(&self, number: u64) {
        let mut seats = self.seats();
        if seats.driver.take_if(|driver| driver.number == number).is_none() {
            return;
        }
        let waits = self.about.listens && seats.is_begun && !seats.events.is_finished;
        self.stepper.send(if waits { Request::Stop } else { Request::Quit });
        self.moved.notify_all();
    }

    /// Sends events from a number on to the driver, until it leaves or the run ends.
    pub fn send_events(&self, number: u64, mut at: usize, out: &mut dyn Write) -> io::Result<()> {
        loop {
            let mut seats = self.seats();
            let (lines, is_last) = loop {
                match &mut seats.driver {
                    None => return Ok(()),
                    Some(driver) if driver.number != number => {
                        break (vec![line(&ApplierMessage::Taken { by: driver.pid })?], true);
                    }
                    Some(driver) => {
                        let answers: Vec<_> = driver.answers.drain(..).collect();
                        let (lines, next) = seats.events.from(at);
                        if next > at || !answers.is_empty() {
                            at = next;
                            break (lines.iter().map(|line| line.to_vec()).chain(answers).collect(), false);
                        }
                        if seats.is_over {
                            break (vec![line(&ApplierMessage::Ended)?], true);
                        }
                    }
                }
                seats = self.moved.wait(seats).unwrap_or_else(PoisonError::into_inner);
            };
            drop(seats);
            lines.iter().try_for_each(|line| out.write_all(line))?;
            out.flush()?;
            if is_last {
                let mut seats = self.seats();
                seats.driver.take_if(|driver| driver.number == number);
                self.moved.notify_all();
                return Ok(());
            }
        }
    }

    /// Accepts connections to the socket for the lifetime of this process.
    pub fn receive(self: Arc<Self>, listener: UnixListener) {
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(stream) = stream else {
                    // Probably out of file descriptors: try again later.
                    std::thread::sleep(Duration::from_millis(50));
                    continue;
                };
                if self.guests.fetch_add(1, Ordering::AcqRel) >= MOST {
                    self.guests.fetch_sub(1, Ordering::AcqRel);
                    continue;
                }
                let table = Arc::clone(&self);
                std::thread::spawn(move || {
                    // An invalid or silent connection is dropped.
                    let _ = table.greet(&stream);
                    let _ = stream.shutdown(std::net::Shutdown::Both);
                    table.guests.fetch_sub(1, Ordering::AcqRel);
                });
            }
        });
    }

    fn greet(self: &Arc<Self>, mut stream: &UnixStream) -> io::Result<()> {
        let peer = Peer::of(stream)?;
        if !peer.is_one_of_us() {
            return Ok(());
        }
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let mut input = BufReader::new(stream.try_clone()?);
        let Some(FaceMessage::Hello { version, guest }) = read_message(&mut input, HELLO_CAP)? else { return Ok(()) };
        if version != VERSION {
            let words = format!("the apply process is another version of workbench (protocol {VERSION})");
            return write_message(&mut stream, &ApplierMessage::Refused { why: Refused::Other { words } });
        }
        if guest == Guest::Looker {
            let status = self.status(&self.seats());
            return write_message(&mut stream, &ApplierMessage::Status { status });
        }
        let number = match self.seat(peer.pid, guest) {
            Ok(number) => number,
            Err(driver) => return write_message(&mut stream, &ApplierMessage::Busy { driver }),
        };
        // A driver may be silent, and may be stopped by Ctrl-Z.
        stream.set_read_timeout(None)?;
        stream.set_write_timeout(None)?;
        let (table, mut out) = (Arc::clone(self), stream.try_clone()?);
        std::thread::spawn(move || {
            // The reader notices a broken connection.
            let _ = table.welcome(&mut out).and_then(|at| table.send_events(number, at, &mut out));
            let _ = out.shutdown(std::net::Shutdown::Both);
        });
        self.obey(number, &mut input);
        Ok(())
    }

    /// Sends all events so far. Returns the number of the next event.
    fn welcome(&self, out: &mut dyn Write) -> io::Result<usize> {
        let seats = self.seats();
        let (status, so_far, at) = (self.status(&seats), seats.events.so_far(), seats.events.len());
        drop(seats);
        // Borrowed: the graph may be large.
        #[derive(serde::Serialize)]
        enum Outgoing<'a> {
            Welcome { status: ApplierStatus, graph: &'a Graph, undo: &'a Option<Planned> },
        }
        write_message(out, &Outgoing::Welcome { status, graph: &self.graph(), undo: &self.about.undo })?;
        so_far.iter().try_for_each(|line| out.write_all(line))?;
        out.flush()?;
        Ok(at)
    }
}
