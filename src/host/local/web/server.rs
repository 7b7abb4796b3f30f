//! One open server: a thread that accepts connections until it is stopped.

use std::convert::Infallible;
use std::net::TcpListener;
use std::sync::{Arc, PoisonError, RwLock};
use std::thread::JoinHandle;
use std::time::Duration;

use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::sync::{Semaphore, watch};

use super::{Pages, answer};
use crate::host::HostError;
use crate::host::local::web::fetch;
use crate::host::web::Site;

/// Further connections wait until others end.
const CONNECTIONS: usize = 256;

/// The time limit for a client's request headers.
const HEAD: Duration = Duration::from_secs(30);

/// How long answers in progress may take when a server closes.
const GRACE: Duration = Duration::from_secs(2);

pub(super) struct Server {
    site: Arc<RwLock<Site>>,
    stop: watch::Sender<bool>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Binds at once, so that a failure is reported to the caller.
    pub fn open(site: Site, pages: Arc<Pages>) -> Result<Self, HostError> {
        let failed = |error: std::io::Error| {
            HostError::Refused(format!("cannot listen on {}: {}", site.address, fetch::reason(&error)))
        };
        let listener = bind(&site.address).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
        let site = Arc::new(RwLock::new(site));
        let (stop, stopped) = watch::channel(false);
        let shared = Arc::clone(&site);
        let thread = std::thread::spawn(move || {
            runtime.block_on(take_connections(listener, shared, pages, stopped));
            runtime.shutdown_timeout(GRACE);
        });
        Ok(Self { site, stop, thread: Some(thread) })
    }

    /// Returns the address that the server listens on.
    pub fn address(&self) -> String {
        self.site.read().unwrap_or_else(PoisonError::into_inner).address.clone()
    }

    /// Replaces the settings. The address must stay the same, because the listener stays open.
    pub fn set(&self, site: Site) {
        *self.site.write().unwrap_or_else(PoisonError::into_inner) = site;
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The thread may have ended by itself.
        let _ = self.stop.send(true);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// `:80` means that port on every interface.
fn bind(address: &str) -> std::io::Result<TcpListener> {
    match address.strip_prefix(':') {
        Some(port) => {
            TcpListener::bind(format!("[::]:{port}")).or_else(|_| TcpListener::bind(format!("0.0.0.0:{port}")))
        }
        None => TcpListener::bind(address),
    }
}

async fn take_connections(
    listener: TcpListener,
    site: Arc<RwLock<Site>>,
    pages: Arc<Pages>,
    mut stopped: watch::Receiver<bool>,
) {
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        let stream = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                // Out of handles, or the client disconnected: try again after a pause.
                Err(_) => {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                    continue;
                }
            },
            _ = stopped.changed() => break,
        };
        let (site, pages) = (Arc::clone(&site), Arc::clone(&pages));
        tokio::spawn(async move {
            let timeout = site.read().unwrap_or_else(PoisonError::into_inner).timeout;
            let service = service_fn(|request| {
                let now = site.read().unwrap_or_else(PoisonError::into_inner).clone();
                let pages = Arc::clone(&pages);
                async move { Ok::<_, Infallible>(answer::answer(&now, &pages, request).await) }
            });
            let mut builder = hyper::server::conn::http1::Builder::new();
            let connection = builder.timer(TokioTimer::new()).header_read_timeout(HEAD);
            let connection = connection.serve_connection(TokioIo::new(stream), service);
            // A broken connection is the client's problem.
            match timeout {
                Some(timeout) => drop(tokio::time::timeout(timeout, connection).await),
                None => drop(connection.await),
            }
            drop(place);
        });
    }
    // Answers in progress may finish within the time limit.
    drop(listener);
    let _ = tokio::time::timeout(GRACE, places.acquire_many(CONNECTIONS as u32)).await;
}
