//! git's own protocol without encryption (`git://`), over a socket with the limits of its fetch.

use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use git2::transport::{Service, SmartSubtransport, SmartSubtransportStream};

use super::Job;
use crate::fetch::FetchError;
use crate::fetch::url::GitUrl;

const PORT: u16 = 9418;

/// Connects for each fetch.
pub(super) struct Daemon;

impl SmartSubtransport for Daemon {
    fn action(&self, url: &str, service: Service) -> Result<Box<dyn SmartSubtransportStream>, git2::Error> {
        let job = super::job()?;
        let url = job.admit(url)?;
        match service {
            Service::UploadPackLs | Service::UploadPack => {
                let mut stream = Stream::connect(job, &url)?;
                let asked = stream.write_all(request(&url).as_bytes());
                asked.map_err(|error| git2::Error::from_str(&error.to_string()))?;
                Ok(Box::new(stream))
            }
            Service::ReceivePackLs | Service::ReceivePack => Err(git2::Error::from_str("nothing is ever pushed")),
        }
    }

    fn close(&self) -> Result<(), git2::Error> {
        Ok(())
    }
}

/// The first packet. The URL was judged: none of its parts holds a zero byte.
fn request(url: &GitUrl) -> String {
    // `/~user/x` is a path below the home of `user`, as git reads it.
    let path = if url.path.starts_with("/~") { &url.path[1..] } else { &url.path };
    let port = url.port.map_or(String::new(), |port| format!(":{port}"));
    let words = format!("git-upload-pack {path}\0host={}{port}\0", url.host);
    format!("{:04x}{words}", words.len() + 4)
}

struct Stream {
    job: Arc<Job>,
    host: String,
    socket: TcpStream,
}

impl Stream {
    fn connect(job: Arc<Job>, url: &GitUrl) -> Result<Self, git2::Error> {
        let host = url.host.clone();
        let unreachable = |reason: String| job.fail(FetchError::Unreachable { host: host.clone(), reason });
        let name = host.trim_matches(['[', ']']);
        let places = (name, url.port.unwrap_or(PORT)).to_socket_addrs().map_err(|e| unreachable(e.to_string()))?;
        let mut reason = "it has no address".to_owned();
        for place in places {
            match TcpStream::connect_timeout(&place, job.patience.connect) {
                Ok(socket) => {
                    let silence = Some(job.patience.silence);
                    let bounded = socket.set_read_timeout(silence).and_then(|()| socket.set_write_timeout(silence));
                    bounded.map_err(|error| unreachable(error.to_string()))?;
                    job.is_answered.store(true, Ordering::Relaxed);
                    return Ok(Self { job, host, socket });
                }
                Err(error) => reason = error.to_string(),
            }
        }
        Err(unreachable(reason))
    }

    fn failed(&self, error: &io::Error) -> io::Error {
        let host = self.host.clone();
        self.job.fail_io(match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
                FetchError::Stalled { host, seconds: self.job.patience.silence.as_secs() }
            }
            _ => FetchError::Unreachable { host, reason: format!("the connection was lost ({error})") },
        })
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let begun = Instant::now();
        let count = self.socket.read(buffer).map_err(|error| self.failed(&error))?;
        self.job.arrived(&self.host, count, begun.elapsed())?;
        Ok(count)
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.socket.write(bytes).map_err(|error| self.failed(&error))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.socket.flush().map_err(|error| self.failed(&error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_request_names_path_and_host() {
        let url = GitUrl::parse("git://host.example:2222/x/y/").expect("it is well formed");
        assert_eq!(request(&url), "0030git-upload-pack /x/y\0host=host.example:2222\0");
    }
}
