//! Hands an order to root through `sudo`: a face listens on its own socket, and the process that `sudo` starts begins
//! an applier on it.
//!
//! `sudo` starts this program as root with only the name of the socket. That process connects to the socket, starts the
//! applier with the connection as its input and output, waits until the applier has released the terminal, and exits.
//! By then `sudo` no longer affects the applier when a terminal closes. Everything else is the same as for an applier
//! without `sudo`.
//!
//! Both ends ask the kernel who the other is. The face accepts root alone, because an order may hold secrets. Root
//! accepts orders only from the user that `sudo` names: whoever gives orders here controls the machine. Allowing this
//! program in `sudo` therefore allows everything, and `sudo`'s password is the question.
//!
//! Root records its deploys in root's own state folder. In the user's folder, before-images of root's files would be
//! readable by every process of the user, and root would follow names that the user can change. `sudo workbench deploy
//! list|undo|resume` and `sudo workbench attach` therefore work on root's history.

use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::mpsc::Receiver;
use std::time::Duration;

use super::link::{Link, Started, greeted};
use super::order::{ApplierRequest, Where};
use super::peer::Peer;
use super::serve::{COMMAND, listen, near};
use super::wire::{ApplierMessage, Refused, write_message};
use crate::deploy::{Holder, StateFolder};
use crate::engine::message::Event;
use crate::session::history::{CutOff, Ready};
use crate::session::{ApplyError, Cancel, Keeping, state_path};

/// The argument of the applier if `sudo` starts it.
pub const FROM: &str = "--from";

/// The time limit for root to read its history.
const PATIENCE: Duration = Duration::from_secs(60);

/// How often to check for a connection.
const PAUSE: Duration = Duration::from_millis(20);

/// Starts an order as root. `sudo` may ask for a password if there is a terminal.
pub(in crate::session) fn start_as_root(
    asked: &ApplierRequest,
    keeping: &Keeping,
    on_wait: &mut dyn FnMut(&Holder),
) -> Result<Ready<Started>, ApplyError> {
    let (link, firsts, events) = hand_over(asked, keeping)?;
    greeted(link, &firsts, events, &keeping.cancel, on_wait)
}

/// Asks root for the interrupted deploy in its history.
pub(in crate::session) fn cut_off_of_root(place: Where, keeping: &Keeping) -> Result<Option<CutOff>, ApplyError> {
    let (link, firsts, _) = hand_over(&ApplierRequest::CutOff(place), keeping)?;
    let answer = firsts.recv_timeout(PATIENCE);
    // The answer is complete.
    link.leave();
    match answer {
        Ok(ApplierMessage::CutOff { cut }) => Ok(cut),
        Ok(ApplierMessage::Refused { why: Refused::Other { words } }) => Err(ApplyError::Applier(words)),
        _ => Err(ApplyError::Applier("it exited without output".into())),
    }
}

/// Gives an order to root. `sudo` may ask for a password if there is a terminal.
fn hand_over(
    asked: &ApplierRequest,
    keeping: &Keeping,
) -> Result<(Link, Receiver<ApplierMessage>, Receiver<Event>), ApplyError> {
    let cancel = &keeping.cancel;
    let failed = |error: io::Error| ApplyError::Sudo(error.to_string());
    // `sudo` takes a path. If this program's file was replaced since, the path leads to another program.
    let program = rustix::fs::readlink("/proc/self/exe", Vec::new()).map_err(|errno| failed(errno.into()))?;
    let program = PathBuf::from(OsString::from_vec(program.into_bytes()));
    let folder = StateFolder::open(&state_path(None)?)?;
    let meeting = Meeting::new(folder.path()).map_err(failed)?;
    let mut child = sudo(&program, &meeting.socket, keeping.is_silent).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => ApplyError::Sudo("`sudo` is not installed".into()),
        _ => failed(error),
    })?;
    let came = meeting.wait(&mut child, cancel);
    let Some(stream) = came.map_err(failed)? else {
        let _ = child.kill();
        let ended = child.wait().map_err(failed)?;
        return Err(match (cancel.is_cancelled(), keeping.is_silent) {
            (true, _) => ApplyError::Sudo("cancelled".into()),
            (false, true) => ApplyError::SudoAsks,
            (false, false) => ApplyError::Sudo(format!("`sudo` failed ({ended})")),
        });
    };
    // It exits by itself.
    let _ = child.wait();
    let mut out = stream.try_clone().map_err(failed)?;
    write_message(&mut out, asked).map_err(failed)?;
    let input = stream.try_clone().map_err(failed)?;
    let (mut link, firsts, events) = Link::new(out, input);
    link.is_handed_over(stream);
    Ok((link, firsts, events))
}

#[expect(clippy::disallowed_methods, reason = "it is this program again, which manages the machine for us")]
fn sudo(program: &Path, socket: &Path, is_silent: bool) -> io::Result<Child> {
    let mut sudo = std::process::Command::new("sudo");
    if is_silent {
        sudo.arg("--non-interactive").stdin(Stdio::null()).stderr(Stdio::null());
    } else {
        sudo.stdin(Stdio::inherit()).stderr(Stdio::inherit());
    }
    sudo.arg("--").arg(program).args([COMMAND, FROM]).arg(socket).stdout(Stdio::null()).spawn()
}

/// A socket in a private folder, until root connects or cannot.
struct Meeting {
    socket: PathBuf,
    listener: UnixListener,
}

impl Meeting {
    fn new(folder: &Path) -> io::Result<Self> {
        let socket = folder.join(format!("handoff-{}.sock", std::process::id()));
        let listener = listen(&socket)?;
        listener.set_nonblocking(true)?;
        Ok(Self { socket, listener })
    }

    /// Waits for root. `None` if `sudo` ended first, or the user cancelled.
    fn wait(&self, child: &mut Child, cancel: &Cancel) -> io::Result<Option<UnixStream>> {
        loop {
            // A connection from before the end is still accepted.
            let has_ended = child.try_wait()?.is_some();
            match self.listener.accept() {
                Ok((stream, _)) => {
                    stream.set_nonblocking(false)?;
                    if Peer::of(&stream)?.uid == 0 {
                        return Ok(Some(stream));
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if has_ended || cancel.is_cancelled() {
                        return Ok(None);
                    }
                    std::thread::sleep(PAUSE);
                }
                Err(error) => return Err(error),
            }
        }
    }
}

impl Drop for Meeting {
    fn drop(&mut self) {
        let _ = rustix::fs::unlink(&self.socket);
    }
}

/// Connects to a face as root, and starts an applier for it.
pub fn take_over(socket: &Path) -> io::Result<()> {
    let refused = |why: &str| io::Error::new(io::ErrorKind::PermissionDenied, why.to_owned());
    if rustix::process::geteuid().as_raw() != 0 {
        return Err(refused("this command needs root"));
    }
    let (_folder, near) = near(socket)?;
    let stream = UnixStream::connect(near)?;
    if Peer::of(&stream)?.uid != caller()? {
        return Err(refused("the waiting process belongs to another user"));
    }
    let mut applier = spawn(stream.into())?;
    // The applier closes this when it has released the terminal.
    if let Some(mut alive) = applier.stderr.take() {
        io::copy(&mut alive, &mut io::sink())?;
    }
    Ok(())
}

/// Returns the user who called `sudo`, or root.
#[expect(clippy::disallowed_methods, reason = "`sudo` says it in this way")]
fn caller() -> io::Result<u32> {
    match std::env::var("SUDO_UID") {
        Ok(uid) => uid.parse().map_err(|_| io::ErrorKind::InvalidInput.into()),
        Err(_) => Ok(0),
    }
}

#[expect(clippy::disallowed_methods, reason = "it is this program again, which manages the machine for us")]
fn spawn(line: OwnedFd) -> io::Result<Child> {
    let mut applier = std::process::Command::new("/proc/self/exe");
    applier.args([COMMAND, "--as-root"]).stdin(Stdio::from(line.try_clone()?)).stdout(Stdio::from(line));
    applier.stderr(Stdio::piped()).spawn()
}
