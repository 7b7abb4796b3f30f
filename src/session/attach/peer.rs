//! The process at the other end of a socket, according to the kernel.

use std::io;
use std::os::unix::net::UnixStream;

/// The process that opened the other end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Peer {
    pub uid: u32,
    /// 0 if it is in another namespace of processes.
    pub pid: u32,
}

impl Peer {
    /// Returns the user and the process at the other end of a stream.
    pub fn of(stream: &UnixStream) -> io::Result<Self> {
        // The standard library has no function for this yet. The runtime has one, for a non-blocking stream.
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
        let _inside = runtime.enter();
        stream.set_nonblocking(true)?;
        let credentials =
            stream.try_clone().and_then(tokio::net::UnixStream::from_std).and_then(|stream| stream.peer_cred());
        stream.set_nonblocking(false)?;
        let credentials = credentials?;
        Ok(Self {
            uid: credentials.uid(),
            pid: credentials.pid().and_then(|pid| u32::try_from(pid).ok()).unwrap_or_default(),
        })
    }

    /// The same user, or root, who may do everything anyway.
    pub fn is_one_of_us(self) -> bool {
        self.uid == 0 || self.uid == rustix::process::geteuid().as_raw()
    }
}
