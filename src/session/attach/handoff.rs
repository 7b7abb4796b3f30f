//! The way of an order through `sudo`: a face waits at a socket of its own, and whom `sudo` lets in begins an applier on it.
//!
//! `sudo` starts this program as root with nothing but the name of the socket. That process comes to the socket, starts the
//! applier with the line as its input and output, waits until that one has let go of the terminal, and ends; so what
//! `sudo` does to its commands when a terminal goes is over by then. Everything else is as for an applier of our own.
//!
//! Either end asks the kernel who the other is. The face talks to root alone: an order may hold secrets. Root takes orders
//! from the one user that `sudo` names, and from nobody who made a socket of that name: whoever is heard here has the
//! machine. What `sudo` allows with this program is therefore everything, and its password is the question.
//!
//! What root does is written down in root's own state folder. In the user's, before-images of files that only root may read
//! would lie open to all that runs as the user, and root would follow names that the user can change. So `sudo workbench
//! deploy list|undo|resume` and `sudo workbench attach` are the way back, with all that they promise.

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
use super::order::{Asked, Where};
use super::peer::Peer;
use super::serve::{COMMAND, listen, near};
use super::wire::{Refused, Tell, say};
use crate::deploy::{Holder, StateFolder};
use crate::engine::message::Event;
use crate::session::history::{CutOff, Ready};
use crate::session::{ApplyError, Cancel, Keeping, state_path};

/// What the applier is called with, beside its name, where it comes from `sudo`.
pub const FROM: &str = "--from";

/// How long root may take to look at its history.
const PATIENCE: Duration = Duration::from_secs(60);

/// How often it is looked whether somebody came.
const PAUSE: Duration = Duration::from_millis(20);

/// Begins an order as root. `sudo` may ask for a password where there is a terminal.
pub(in crate::session) fn start_as_root(
    asked: &Asked,
    keeping: &Keeping,
    told: &mut dyn FnMut(&Holder),
) -> Result<Ready<Started>, ApplyError> {
    let (link, firsts, events) = hand_over(asked, keeping)?;
    greeted(link, &firsts, events, &keeping.cancel, told)
}

/// Asks root what was cut off in its history.
pub(in crate::session) fn cut_off_of_root(place: Where, keeping: &Keeping) -> Result<Option<CutOff>, ApplyError> {
    let (link, firsts, _) = hand_over(&Asked::CutOff(place), keeping)?;
    let said = firsts.recv_timeout(PATIENCE);
    // It has said all that it has to.
    link.leave();
    match said {
        Ok(Tell::CutOff { cut }) => Ok(cut),
        Ok(Tell::Refused { why: Refused::Other { words } }) => Err(ApplyError::Applier(words)),
        _ => Err(ApplyError::Applier("it exited without output".into())),
    }
}

/// Gives root something to do. `sudo` may ask for a password where there is a terminal.
fn hand_over(asked: &Asked, keeping: &Keeping) -> Result<(Link, Receiver<Tell>, Receiver<Event>), ApplyError> {
    let cancel = &keeping.cancel;
    let failed = |error: io::Error| ApplyError::Sudo(error.to_string());
    // `sudo` goes by names; one that is gone since is another program, or none.
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
    // It has nothing more to do.
    let _ = child.wait();
    let mut out = stream.try_clone().map_err(failed)?;
    say(&mut out, asked).map_err(failed)?;
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

/// A socket in a folder that nobody else may enter, until somebody came or nobody will.
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

    /// Waits for root. Nothing where `sudo` ended first, or the user had enough.
    fn wait(&self, child: &mut Child, cancel: &Cancel) -> io::Result<Option<UnixStream>> {
        loop {
            // Whoever came before the end is there still.
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

/// Comes to a face as root, and leaves an applier there.
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
    // It closes this as soon as it has let go of the terminal.
    if let Some(mut alive) = applier.stderr.take() {
        io::copy(&mut alive, &mut io::sink())?;
    }
    Ok(())
}

/// Who called `sudo`; root where nobody did.
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
