//! Files over http and https, by the same client as git's protocol: pages of an index, and archives.
//!
//! Redirects lead to the same or a safer scheme, at most five. No login is sent.

use std::io::{self, Read, Write};
use std::sync::atomic::Ordering;
use std::time::Instant;

use ureq::Body;
use ureq::http::{Request, Response, header};

use super::http::{REDIRECTS, agent, broken, host_of, request_error};
use super::{FetchError, Job};

/// A Forge refuses requests without it.
const USER_AGENT: &str = concat!("workbench/", env!("CARGO_PKG_VERSION"));

/// What came with a file.
pub struct Received {
    /// Where it was in the end.
    pub url: String,
    pub content_type: String,
}

/// Writes the content of a URL to `out`. `progress` receives the number of bytes so far.
pub fn get(
    job: &Job,
    url: &str,
    accept: &str,
    out: &mut dyn Write,
    progress: &mut dyn FnMut(u64),
) -> Result<Received, FetchError> {
    let mut url = url.to_owned();
    for _ in 0..=REDIRECTS {
        job.admit(plain(&url)).map_err(|error| noted(job, &error))?;
        let answer = send(job, &url, accept)?;
        match answer.status().as_u16() {
            200 => {
                let content_type = text_of(&answer, header::CONTENT_TYPE);
                copy(job, &url, answer, out, progress)?;
                return Ok(Received { url, content_type });
            }
            301 | 302 | 303 | 307 | 308 => {
                let to = text_of(&answer, header::LOCATION);
                let refused = || FetchError::Redirect { from: url.clone(), to: to.clone() };
                url = resolve(&url, &to).filter(|next| is_as_safe(&url, next)).ok_or_else(refused)?;
            }
            401 | 403 | 407 => return Err(FetchError::Unauthorized { url }),
            status => return Err(FetchError::NoRepository { url, status }),
        }
    }
    Err(FetchError::Redirect { from: url.clone(), to: url })
}

fn send(job: &Job, url: &str, accept: &str) -> Result<Response<Body>, FetchError> {
    let agent = agent(job, url).map_err(|error| noted(job, &error))?;
    let request = Request::get(url).header(header::ACCEPT, accept).header(header::USER_AGENT, USER_AGENT);
    let request = request.body(()).map_err(|error| noted(job, &error))?;
    let answer = agent.run(request).map_err(|error| request_error(job, url, &error))?;
    job.is_answered.store(true, Ordering::Relaxed);
    Ok(answer)
}

fn copy(
    job: &Job,
    url: &str,
    answer: Response<Body>,
    out: &mut dyn Write,
    progress: &mut dyn FnMut(u64),
) -> Result<(), FetchError> {
    let mut body = answer.into_body().into_reader();
    let mut buffer = vec![0; 64 << 10];
    let lost = |error: io::Error| {
        broken(job, host_of(url), &error);
        noted(job, &error)
    };
    loop {
        let begun = Instant::now();
        let count = body.read(&mut buffer).map_err(lost)?;
        job.arrived(host_of(url), count, begun.elapsed()).map_err(lost)?;
        if count == 0 {
            return Ok(());
        }
        out.write_all(&buffer[..count]).map_err(|error| FetchError::Git(error.to_string()))?;
        progress(job.bytes());
    }
}

/// The error that a transport noted, or else this one.
fn noted(job: &Job, error: &dyn std::fmt::Display) -> FetchError {
    job.take_error().unwrap_or_else(|| FetchError::Git(error.to_string()))
}

fn text_of(answer: &Response<Body>, name: header::HeaderName) -> String {
    answer.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned()
}

/// A URL without query and fragment.
fn plain(url: &str) -> &str {
    url.split(['?', '#']).next().unwrap_or(url)
}

fn is_as_safe(from: &str, to: &str) -> bool {
    to.starts_with("https://") || (from.starts_with("http://") && to.starts_with("http://"))
}

/// Where a link on a page leads.
pub fn resolve(page: &str, link: &str) -> Option<String> {
    if link.contains("://") {
        return Some(link.to_owned());
    }
    if link.is_empty() || link.starts_with("//") {
        return None;
    }
    let (scheme, rest) = plain(page).split_once("://")?;
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let (link, tail) = link.split_at(link.find(['?', '#']).unwrap_or(link.len()));
    let mut parts: Vec<&str> = if link.starts_with('/') { Vec::new() } else { path.split('/').collect() };
    parts.pop();
    for part in link.trim_start_matches('/').split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    Some(format!("{scheme}://{host}/{}{tail}", parts.join("/")))
}

#[cfg(test)]
mod tests {
    use super::{is_as_safe, resolve};

    #[test]
    fn links_lead_from_their_page() {
        let to = |link| resolve("https://h/simple/x/?a=b", link);
        assert_eq!(to("../../packages/x.whl#sha256=0").as_deref(), Some("https://h/packages/x.whl#sha256=0"));
        assert_eq!(to("/v3/files/x").as_deref(), Some("https://h/v3/files/x"));
        assert_eq!(to("y.whl").as_deref(), Some("https://h/simple/x/y.whl"));
        assert_eq!(to("../../../../y").as_deref(), Some("https://h/y"));
        assert_eq!(to("//other/y"), None);
        assert!(is_as_safe("http://a/", "https://b/") && !is_as_safe("https://a/", "http://a/"));
        assert!(!is_as_safe("https://a/", "file:///etc/passwd"));
    }
}
