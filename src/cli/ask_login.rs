//! Asks for a login on the terminal: the name with echo, the password without.

use std::io::{self, IsTerminal, Write};
use std::os::fd::AsFd;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

use crate::session::{Cancel, Login};
use crate::source::printable;

/// The longest answer.
const LONGEST: usize = 4096;

/// Whether there is a terminal to ask on.
pub fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// A login for a URL; `None` if the user gives none, or cancels.
pub fn login(url: &str, cancel: &Cancel) -> Option<Login> {
    let url = printable(url);
    let user = line(&format!("user name for {url}: "), cancel).filter(|user| !user.is_empty())?;
    let password = password(&user, &url.to_string(), cancel)?;
    Some(Login { user, password })
}

/// A user's password for a place; `None` if the user gives none.
pub fn password(user: &str, place: &str, cancel: &Cancel) -> Option<String> {
    let password = {
        let _unseen = Unseen::begin()?;
        line(&format!("password for {} at {}: ", printable(user), printable(place)), cancel)
    };
    // The line break was not echoed either.
    let _ = writeln!(io::stderr());
    password
}

fn line(question: &str, cancel: &Cancel) -> Option<String> {
    const LOOK: Duration = Duration::from_millis(50);
    let mut err = io::stderr();
    write!(err, "\r\x1b[2K{question}").and_then(|()| err.flush()).ok()?;
    let stdin = io::stdin();
    let mut typed = Vec::new();
    loop {
        if cancel.is_cancelled() {
            return None;
        }
        let wait = Timespec { tv_sec: 0, tv_nsec: LOOK.as_nanos() as _ };
        let mut ready = [PollFd::from_borrowed_fd(stdin.as_fd(), PollFlags::IN)];
        match poll(&mut ready, Some(&wait)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => continue,
            Ok(_) => {}
            Err(_) => return None,
        }
        let mut byte = [0];
        // Unbuffered: bytes in a buffer would not wake the wait.
        if rustix::io::read(&stdin, &mut byte).ok()? == 0 {
            return None;
        }
        match byte[0] {
            b'\n' => return String::from_utf8(typed).ok(),
            _ if typed.len() == LONGEST => return None,
            byte => typed.push(byte),
        }
    }
}

/// While it exists, the terminal does not echo.
struct Unseen(Termios);

impl Unseen {
    fn begin() -> Option<Self> {
        let before = tcgetattr(io::stdin()).ok()?;
        let mut silent = before.clone();
        silent.local_modes.remove(LocalModes::ECHO);
        tcsetattr(io::stdin(), OptionalActions::Flush, &silent).ok()?;
        Some(Self(before))
    }
}

impl Drop for Unseen {
    fn drop(&mut self) {
        let _ = tcsetattr(io::stdin(), OptionalActions::Flush, &self.0);
    }
}
