//! The applier process: takes an order, begins, and stays until the run has ended.

use std::fs::File;
use std::io::{self, BufReader};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Errno;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::guests::{About, Table};
use super::order::{ApplierRequest, Begun};
use super::wire::{ApplierMessage, Guest, ORDER_CAP, Refused, read_message, write_message};
use crate::deploy::{Holder, now};
use crate::graph::Graph;
use crate::session::history::Ready;
use crate::session::{ApplyError, Cancel};

/// The argument that starts this program as an applier.
pub const COMMAND: &str = "applier";

/// Reads an order from standard input and carries it out. Writes messages to standard output.
///
/// `as_root`: another user started it through `sudo`.
pub fn serve(as_root: bool) -> io::Result<()> {
    // The applier must outlive the face's terminal. The call fails harmlessly if this process leads a group already.
    let _ = rustix::process::setsid();
    // Its memory holds secrets of the plan. Programs that it starts are not concerned: the kernel resets this for them.
    let _ = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable);
    let mut input = BufReader::new(File::from(io::stdin().as_fd().try_clone_to_owned()?));
    let mut out = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    // Replacing a descriptor closes the connection.
    let nothing = rustix::fs::openat(CWD, "/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())?;
    rustix::stdio::dup2_stdin(&nothing)?;
    rustix::stdio::dup2_stdout(&nothing)?;
    let (cancel, table) = (Cancel::default(), Arc::new(OnceLock::<Arc<Table>>::new()));
    catch_signals(&cancel, &table)?;
    // The parent waits for this as the sign that the applier has released the terminal.
    rustix::stdio::dup2_stderr(&nothing)?;
    let Some(mut asked) = read_message::<ApplierRequest>(&mut input, ORDER_CAP)? else { return Ok(()) };
    if as_root {
        asked = match asked.for_root() {
            Ok(asked) => asked,
            Err(error) => return write_message(&mut out, &ApplierMessage::Refused { why: refused(error.into()) }),
        };
    }
    if let ApplierRequest::CutOff(place) = &asked {
        let answer = match place.cut_off() {
            Ok(cut) => ApplierMessage::CutOff { cut },
            Err(error) => ApplierMessage::Refused { why: refused(error.into()) },
        };
        return write_message(&mut out, &answer);
    }
    // If the face leaves before the run has begun, cancel the wait for the lock.
    let (given_up, sat) = (cancel.clone(), Arc::clone(&table));
    std::thread::spawn(move || {
        if !fills(&mut input) {
            given_up.cancel();
        }
        sat.wait().obey(FIRST, &mut input);
    });
    let mut unsent = Ok(());
    let begun = begin(asked, &cancel, &mut |holder| {
        unsent = write_message(&mut out, &ApplierMessage::Waiting { holder: holder.clone() });
    });
    let (mut about, graph, Begun { stepper, events, lock, state }) = match begun {
        Ok(Ready::Yes(begun)) => begun,
        Ok(Ready::Conflict(found)) => {
            return write_message(&mut out, &ApplierMessage::Refused { why: Refused::Conflict { found } });
        }
        Err(error) => return write_message(&mut out, &ApplierMessage::Refused { why: refused(error) }),
    };
    let socket = state.socket();
    let listener = listen(&socket);
    about.listens = listener.is_ok();
    let parent = rustix::process::getppid().and_then(|pid| u32::try_from(pid.as_raw_nonzero().get()).ok());
    // Register the driver before anything can report that its connection ended.
    let ours = Table::new(stepper, graph, about);
    let first = ours.seat(parent.unwrap_or_default(), Guest::Driver);
    debug_assert_eq!(first, Ok(FIRST), "nobody else can have come yet");
    let table = Arc::clone(table.get_or_init(|| Arc::new(ours)));
    if let Ok(listener) = listener {
        Arc::clone(&table).receive(listener);
    }
    let sending = Arc::clone(&table);
    std::thread::spawn(move || {
        // The reader notices a broken connection.
        let _ = sending.begun(&mut out).and_then(|()| sending.send_events(FIRST, 0, &mut out));
    });
    events.into_iter().for_each(|event| table.record(event));
    // Remove the socket before releasing the lock: afterwards it could be the next applier's.
    let _ = rustix::fs::unlink(&socket);
    // Release the lock before reporting the end: the face may start the next run at once.
    drop(lock);
    table.close();
    Ok(())
}

/// Starts the order, and returns a description of it.
fn begin(
    asked: ApplierRequest,
    cancel: &Cancel,
    on_wait: &mut dyn FnMut(&Holder),
) -> Result<Ready<(About, Arc<Graph>, Begun)>, ApplyError> {
    match asked {
        ApplierRequest::Run(order) => {
            let (graph, begin) = (Arc::clone(&order.graph), order.begin.clone());
            // For display: invalid UTF-8 is replaced.
            let folder = PathBuf::from(begin.folder.to_string_lossy().into_owned());
            let (since, entry, language) = (now(), begin.entry, begin.language);
            let about = About { since, entry, folder, language, undo: None, listens: false };
            Ok(order.begin(cancel, on_wait)?.map(|begun| (about, graph, begun)))
        }
        ApplierRequest::Undo(order) => Ok(order.begin(cancel, on_wait)?.map(|(planned, begun)| {
            let (since, entry) = (now(), format!("deploy {}", planned.deploy));
            let (folder, language) = Default::default();
            let about = About { since, entry, folder, language, undo: Some(planned), listens: false };
            (about, Arc::default(), begun)
        })),
        ApplierRequest::CutOff(_) => Err(ApplyError::Applier("it only asks, and begins nothing".into())),
    }
}

/// The face that gave the order.
const FIRST: u64 = 1;

/// Waits until input is available. Returns false at the end of input.
fn fills(input: &mut BufReader<File>) -> bool {
    std::io::BufRead::fill_buf(input).is_ok_and(|bytes| !bytes.is_empty())
}

/// SIGTERM ends the run after the current turns, and a second one ends the commands too. SIGHUP is ignored.
fn catch_signals(cancel: &Cancel, table: &Arc<OnceLock<Arc<Table>>>) -> io::Result<()> {
    let mut signals = Signals::new([SIGTERM, SIGINT, SIGHUP])?;
    let (cancel, table) = (cancel.clone(), Arc::clone(table));
    std::thread::Builder::new().name("signals".into()).spawn(move || {
        let mut is_again = false;
        for _ in signals.forever().filter(|signal| *signal != SIGHUP) {
            cancel.cancel();
            table.wait().end(is_again);
            is_again = true;
        }
    })?;
    Ok(())
}

fn refused(error: ApplyError) -> Refused {
    match error {
        ApplyError::Held(holder) => Refused::Held { holder },
        ApplyError::Altered(modules) => Refused::Altered { modules },
        ApplyError::Unfinished(deploy) => Refused::Unfinished { deploy },
        ApplyError::AlreadyEnded(deploy) => Refused::AlreadyEnded { deploy },
        error @ (ApplyError::Strangers(_)
        | ApplyError::Denied(_)
        | ApplyError::NotForHere(_)
        | ApplyError::State(_)
        | ApplyError::Applier(_)
        | ApplyError::Sudo(_)
        | ApplyError::SudoAsks) => Refused::Other { words: error.to_string() },
    }
}

/// Opens the socket for faces. An existing one is from an applier that no longer holds the lock.
pub(super) fn listen(socket: &Path) -> io::Result<UnixListener> {
    match rustix::fs::unlink(socket) {
        Ok(()) | Err(Errno::NOENT) => {}
        Err(errno) => return Err(errno.into()),
    }
    let (_folder, near) = near(socket)?;
    let listener = UnixListener::bind(&near)?;
    // The folder is private already.
    rustix::fs::chmod(&near, Mode::RUSR | Mode::WUSR)?;
    Ok(listener)
}

/// Returns a path to the same socket within the length limit of sockets. It is valid while the folder handle is open.
pub(super) fn near(socket: &Path) -> io::Result<(OwnedFd, PathBuf)> {
    let (Some(folder), Some(name)) = (socket.parent(), socket.file_name()) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = rustix::fs::openat(CWD, folder, flags, Mode::empty())?;
    let number = std::os::fd::AsRawFd::as_raw_fd(&folder);
    Ok((folder, Path::new("/proc/self/fd").join(number.to_string()).join(name)))
}
