//! git's protocol over the user's own `ssh`: their settings, keys, agents and jump hosts hold as they are.

use std::io::{self, Read, Write};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use git2::transport::{Service, SmartSubtransport, SmartSubtransportStream};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::Job;
use crate::fetch::FetchError;
use crate::fetch::url::GitUrl;

/// The largest part of `ssh`'s error output that is stored, in bytes.
const SAID: u64 = 8 << 10;

/// Starts `ssh` for each fetch.
pub(super) struct Ssh;

impl SmartSubtransport for Ssh {
    fn action(&self, url: &str, service: Service) -> Result<Box<dyn SmartSubtransportStream>, git2::Error> {
        let job = super::job()?;
        let url = job.admit(url)?;
        match service {
            Service::UploadPackLs | Service::UploadPack => Ok(Box::new(Stream::start(job, &url)?)),
            Service::ReceivePackLs | Service::ReceivePack => Err(git2::Error::from_str("nothing is ever pushed")),
        }
    }

    fn close(&self) -> Result<(), git2::Error> {
        Ok(())
    }
}

/// The words after `ssh`. The URL was judged: none of its parts begins with `-` or holds a quote.
fn words(url: &GitUrl, connect: Duration) -> Vec<String> {
    let mut words = vec!["-o".into(), "BatchMode=yes".into()];
    words.extend(["-o".into(), format!("ConnectTimeout={}", connect.as_secs().max(1))]);
    if let Some(port) = url.port {
        words.extend(["-p".into(), port.to_string()]);
    }
    words.push("--".into());
    words.push(match &url.user {
        Some(user) => format!("{user}@{}", url.host),
        None => url.host.clone(),
    });
    // `/~user/x` is a path below the home of `user`, as git reads it.
    let path = if url.path.starts_with("/~") { &url.path[1..] } else { &url.path };
    words.push(format!("git-upload-pack '{path}'"));
    words
}

/// One `ssh` for a whole fetch.
struct Stream {
    job: Arc<Job>,
    child: Child,
    complaints: Option<JoinHandle<Vec<u8>>>,
}

impl Stream {
    fn start(job: Arc<Job>, url: &GitUrl) -> Result<Self, git2::Error> {
        let started = Command::new("ssh")
            .args(words(url, job.patience.connect))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let mut child = started.map_err(|error| {
            let message = match error.kind() {
                io::ErrorKind::NotFound => "the program is not installed".into(),
                _ => error.to_string(),
            };
            job.fail(FetchError::Ssh { message })
        })?;
        let complaints = child.stderr.take().map(|stderr| std::thread::spawn(move || first_of(stderr)));
        Ok(Self { job, child, complaints })
    }

    /// Ends `ssh`, and returns its error output, or `error` without one.
    fn failed(&mut self, error: FetchError) -> io::Error {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let message = self.complaints.take().and_then(|thread| thread.join().ok()).unwrap_or_default();
        let message = String::from_utf8_lossy(&message).trim().to_owned();
        self.job.fail_io(if message.is_empty() { error } else { FetchError::Ssh { message } })
    }
}

/// The start of the error output. The rest is read too, so that the writer does not block.
fn first_of(mut stderr: ChildStderr) -> Vec<u8> {
    let mut first = Vec::new();
    let _ = (&mut stderr).take(SAID).read_to_end(&mut first);
    let _ = io::copy(&mut stderr, &mut io::sink());
    first
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let begun = Instant::now();
        let silence = self.job.patience.silence;
        let ready = match &self.child.stdout {
            None => return Ok(0),
            Some(stdout) => {
                let patience = Timespec { tv_sec: silence.as_secs().cast_signed(), tv_nsec: 0 };
                poll(&mut [PollFd::new(stdout, PollFlags::IN)], Some(&patience))?
            }
        };
        if ready == 0 {
            let seconds = silence.as_secs();
            return Err(self.failed(FetchError::Stalled { host: "the host".into(), seconds }));
        }
        let count = self.child.stdout.as_mut().map_or(Ok(0), |stdout| stdout.read(buffer))?;
        if count == 0 && self.job.bytes() == 0 {
            return Err(self.failed(FetchError::Ssh { message: "the host closed the connection".into() }));
        }
        self.job.arrived("the host", count, begun.elapsed())?;
        Ok(count)
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.child.stdin.as_mut().map_or(Ok(0), |stdin| stdin.write(bytes));
        written.map_err(|error| self.failed(FetchError::Ssh { message: error.to_string() }))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.child.stdin.as_mut().map_or(Ok(()), Write::flush)
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_end_options_before_the_host() {
        let url = GitUrl::parse("ssh://git@host.example:2222/x/y/").expect("it is well formed");
        let words = words(&url, Duration::from_secs(10)).join(" ");
        assert_eq!(words, "-o BatchMode=yes -o ConnectTimeout=10 -p 2222 -- git@host.example git-upload-pack '/x/y'");
    }
}
