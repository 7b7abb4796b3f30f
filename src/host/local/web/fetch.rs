//! Sends one bounded HTTP request.

use std::time::Duration;

use ureq::http::{Request, Response};
use ureq::tls::{RootCerts, TlsConfig};
use ureq::{Agent, Body};

use crate::host::web::{Fetch, Fetched};
use crate::host::{HostError, READ_CAP};
use crate::source::printable;

/// How long a server may be silent.
const SILENCE: Duration = Duration::from_secs(30);

const REDIRECTS: u32 = 10;

pub(super) fn fetch(fetch: &Fetch) -> Result<Fetched, HostError> {
    let failed = |why: String| HostError::Refused(format!("cannot fetch {}: {}", fetch.url, printable(&why)));
    let response = send(fetch).map_err(|error| failed(error.to_string()))?;
    let status = response.status().as_u16();
    let mut body = response.into_body();
    let bytes = body.with_config().limit(READ_CAP).read_to_vec().map_err(|error| failed(error.to_string()))?;
    Ok(Fetched { status, body: bytes.into() })
}

fn send(fetch: &Fetch) -> Result<Response<Body>, ureq::Error> {
    let roots = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build();
    let agent: Agent = Agent::config_builder()
        .tls_config(roots)
        .timeout_global(fetch.timeout)
        .timeout_connect(Some(SILENCE))
        .timeout_recv_response(Some(SILENCE))
        .max_redirects(REDIRECTS)
        .http_status_as_error(false)
        .user_agent("workbench")
        .build()
        .into();
    let mut request = Request::builder().method(fetch.method.as_str()).uri(&fetch.url);
    let since = fetch.newer_than.and_then(|seconds| jiff::Timestamp::from_second(seconds).ok());
    if let Some(since) = since {
        request = request.header("If-Modified-Since", since.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string());
    }
    match &fetch.body {
        Some(body) => agent.run(request.body(body.clone())?),
        None => agent.run(request.body(())?),
    }
}

/// Returns the system's message without its number.
pub(super) fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_lowercase()
}
