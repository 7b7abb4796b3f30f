//! git's smart protocol over http and https, by a blocking HTTP client with TLS of its own.
//!
//! Two requests a fetch: `GET …/info/refs` and `POST …/git-upload-pack`. Redirects are followed on the first only, to the
//! same or a safer scheme, at most five, and the place must still end as it did.
//!
//! libgit2 asks for the newest commit alone in two steps of `git-upload-pack`: what that cuts off, then its files. Where
//! nothing is here yet, its second question is known before the first is answered, so both go out as one (see [`Ahead`]).

use std::io::{self, Cursor, Read, Write};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use git2::transport::{Service, SmartSubtransport, SmartSubtransportStream};
use ureq::http::{Request, Response, header};
use ureq::tls::{RootCerts, TlsConfig};
use ureq::{Agent, Body, BodyReader, Proxy};

use super::{Job, Login, Patience};
use crate::fetch::FetchError;

pub(super) const REDIRECTS: u32 = 5;
const LS_SUFFIX: &str = "/info/refs?service=git-upload-pack";

/// One fetch's connection.
#[derive(Default)]
pub(super) struct Http {
    place: Arc<Mutex<Place>>,
}

/// What the first request learned for the next ones.
#[derive(Default)]
struct Place {
    agent: Option<Agent>,
    /// Where the repository turned out to be.
    base: Option<String>,
    login: Option<Login>,
    ahead: Option<Ahead>,
}

/// The answer to a question that libgit2 has not put yet.
struct Ahead {
    question: Vec<u8>,
    answer: Answer,
}

impl SmartSubtransport for Http {
    fn action(&self, url: &str, service: Service) -> Result<Box<dyn SmartSubtransportStream>, git2::Error> {
        let job = super::job()?;
        let base = job.admit(url)?.to_string();
        let mut place = self.place.lock().unwrap_or_else(PoisonError::into_inner);
        if place.agent.is_none() {
            place.agent = Some(agent(&job, &base)?);
        }
        match service {
            Service::UploadPackLs => {
                let body = discover(&job, &mut place, &base)?;
                let answer = Some(Box::new(Answer::of(&job, &base, body)) as Box<_>);
                Ok(Box::new(Stream { job, request: None, asked: Vec::new(), answer }))
            }
            Service::UploadPack => {
                let base = place.base.clone().unwrap_or(base);
                let request = Some(Pending { place: Arc::clone(&self.place), url: format!("{base}/git-upload-pack") });
                Ok(Box::new(Stream { job, request, asked: Vec::new(), answer: None }))
            }
            Service::ReceivePackLs | Service::ReceivePack => Err(git2::Error::from_str("nothing is ever pushed")),
        }
    }

    fn close(&self) -> Result<(), git2::Error> {
        *self.place.lock().unwrap_or_else(PoisonError::into_inner) = Place::default();
        Ok(())
    }
}

/// The client for a server. This process fetches from one host alone, so what it fetches next goes by the connections that
/// the last fetch left open. Each request sends its login again, and there are no cookies.
pub(super) fn agent(job: &Job, base: &str) -> Result<Agent, git2::Error> {
    static LAST: Mutex<Option<(String, Patience, Agent)>> = Mutex::new(None);
    let place = base.split('/').take(3).collect::<Vec<_>>().join("/");
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((served, patience, agent)) = &*last
        && (served, *patience) == (&place, job.patience)
    {
        return Ok(agent.clone());
    }
    let agent = new_agent(job, base)?;
    *last = Some((place, job.patience, agent.clone()));
    Ok(agent)
}

fn new_agent(job: &Job, base: &str) -> Result<Agent, git2::Error> {
    let proxy = proxy_of(base).map(|proxy| Proxy::new(&proxy)).transpose();
    let proxy = proxy
        .map_err(|error| job.fail(FetchError::Unreachable { host: "the proxy".into(), reason: error.to_string() }))?;
    let tls = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build();
    let config = Agent::config_builder()
        .max_redirects(0)
        .max_redirects_will_error(false)
        .http_status_as_error(false)
        .timeout_connect(Some(job.patience.connect))
        .timeout_recv_response(Some(job.patience.silence))
        .timeout_per_read(Some(job.patience.silence))
        .timeout_per_write(Some(job.patience.silence))
        .user_agent(concat!("git/workbench-", env!("CARGO_PKG_VERSION")))
        .tls_config(tls)
        .proxy(proxy)
        .build();
    Ok(config.new_agent())
}

/// The proxy that the environment names for a URL's scheme and host.
#[expect(clippy::disallowed_methods, reason = "the network's settings are not what programs may see")]
fn proxy_of(url: &str) -> Option<String> {
    let variable = |name: &str| {
        let value = std::env::var(name).ok().or_else(|| std::env::var(name.to_lowercase()).ok())?;
        (!value.is_empty()).then_some(value)
    };
    let host = host_of(url);
    let exempt = variable("NO_PROXY").unwrap_or_default();
    let is_exempt = exempt
        .split(',')
        .map(|part| part.trim().trim_start_matches('.'))
        .any(|part| part == "*" || (!part.is_empty() && (host == part || host.ends_with(&format!(".{part}")))));
    if is_exempt {
        return None;
    }
    let own = if url.starts_with("https:") { variable("HTTPS_PROXY") } else { std::env::var("http_proxy").ok() };
    own.filter(|proxy| !proxy.is_empty()).or_else(|| variable("ALL_PROXY"))
}

/// The host of a URL, without user and port.
pub(super) fn host_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split('/').next().unwrap_or_default();
    let place = authority.rsplit_once('@').map_or(authority, |(_, place)| place);
    match place.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => place,
    }
}

/// Asks where the repository is and what it holds.
fn discover(job: &Job, place: &mut Place, base: &str) -> Result<BodyReader<'static>, git2::Error> {
    let mut base = base.to_owned();
    let (mut redirects, mut logins) = (0, 0);
    loop {
        let url = format!("{base}{LS_SUFFIX}");
        let answer = send(job, place, &url, None)?;
        match answer.status().as_u16() {
            200 => {
                expect_type(job, &answer, &base, "application/x-git-upload-pack-advertisement")?;
                place.base = Some(base);
                return Ok(answer.into_body().into_reader());
            }
            401 | 407 if logins < 2 => {
                logins += 1;
                let refused = place.login.take();
                place.login = (job.ask)(&base, refused.as_ref());
                if place.login.is_none() {
                    return Err(job.fail(FetchError::Unauthorized { url: base }));
                }
            }
            401 | 403 | 407 => return Err(job.fail(FetchError::Unauthorized { url: base })),
            301 | 302 | 303 | 307 | 308 => {
                redirects += 1;
                let to = answer.headers().get(header::LOCATION).and_then(|to| to.to_str().ok()).unwrap_or_default();
                let next = followed(&base, to).filter(|_| redirects <= REDIRECTS);
                let next = next.filter(|next| job.admit(next).is_ok());
                let Some(next) = next else {
                    // The cause here is more precise than the one of `admit`.
                    job.take_error();
                    return Err(job.fail(FetchError::Redirect { from: base, to: to.to_owned() }));
                };
                if host_of(&next) != host_of(&base) {
                    place.login = None;
                }
                base = next;
            }
            status => return Err(job.fail(FetchError::NoRepository { url: base, status })),
        }
    }
}

/// Where a redirect leads, as a repository; `None` where it must not be followed.
fn followed(base: &str, to: &str) -> Option<String> {
    let (scheme, rest) = base.split_once("://")?;
    let absolute = if to.starts_with('/') && !to.starts_with("//") {
        format!("{scheme}://{}{to}", rest.split('/').next()?)
    } else {
        to.to_owned()
    };
    let (new_scheme, _) = absolute.split_once("://")?;
    let is_safe = new_scheme == "https" || (scheme == "http" && new_scheme == "http");
    let next = absolute.strip_suffix(LS_SUFFIX)?.trim_end_matches('/').to_owned();
    is_safe.then_some(next)
}

fn send(job: &Job, place: &Place, url: &str, body: Option<&[u8]>) -> Result<Response<Body>, git2::Error> {
    let Some(agent) = &place.agent else { return Err(git2::Error::from_str("the connection is closed")) };
    let mut request = match body {
        None => Request::get(url),
        Some(_) => Request::post(url)
            .header(header::CONTENT_TYPE, "application/x-git-upload-pack-request")
            .header(header::ACCEPT, "application/x-git-upload-pack-result"),
    };
    if let Some(login) = &place.login {
        request = request.header(header::AUTHORIZATION, basic(login));
    }
    let bad = |error: ureq::http::Error| job.fail(FetchError::Git(error.to_string()));
    let answer = match body {
        None => agent.run(request.body(()).map_err(bad)?),
        Some(body) => agent.run(request.body(body).map_err(bad)?),
    };
    let answer = answer.map_err(|error| job.fail(request_error(job, url, &error)))?;
    job.is_answered.store(true, Ordering::Relaxed);
    Ok(answer)
}

/// The error of a request without an answer.
pub(super) fn request_error(job: &Job, url: &str, error: &ureq::Error) -> FetchError {
    let host = host_of(url).to_owned();
    // A failure behind a proxy does not prove that the host is unreachable.
    if is_unreachable(error) && proxy_of(url).is_none() {
        job.is_dead.store(true, Ordering::Relaxed);
    }
    match error {
        ureq::Error::Timeout(ureq::Timeout::Connect | ureq::Timeout::Resolve) => FetchError::Unreachable {
            host,
            reason: format!("no answer within {} seconds", job.patience.connect.as_secs()),
        },
        ureq::Error::Timeout(_) => FetchError::Stalled { host, seconds: job.patience.silence.as_secs() },
        error if error.to_string().contains("InvalidContentType") => FetchError::NotHttps { host },
        ureq::Error::Io(error) => FetchError::Unreachable { host, reason: error.to_string() },
        error => FetchError::Unreachable { host, reason: error.to_string() },
    }
}

/// Whether no connection was made. A connection that was made and failed does not count: the failure may be an attack.
fn is_unreachable(error: &ureq::Error) -> bool {
    match error {
        ureq::Error::Timeout(ureq::Timeout::Connect | ureq::Timeout::Resolve)
        | ureq::Error::ConnectionFailed
        | ureq::Error::HostNotFound => true,
        ureq::Error::Io(error) => matches!(
            error.kind(),
            io::ErrorKind::ConnectionRefused | io::ErrorKind::HostUnreachable | io::ErrorKind::NetworkUnreachable
        ),
        _ => false,
    }
}

fn expect_type(job: &Job, answer: &Response<Body>, base: &str, wanted: &str) -> Result<(), git2::Error> {
    let is = answer.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if is == wanted { Ok(()) } else { Err(job.fail(FetchError::NotGit { url: base.to_owned() })) }
}

fn basic(login: &Login) -> String {
    format!("Basic {}", BASE64.encode(format!("{}:{}", login.user, login.password)))
}

/// A request that is sent when its answer is first asked for.
struct Pending {
    place: Arc<Mutex<Place>>,
    url: String,
}

impl Pending {
    /// Puts a question and gives the answer, or what of it was asked for.
    fn answer(self, job: &Arc<Job>, mut question: Vec<u8>) -> io::Result<Box<dyn Read + Send>> {
        let mut place = self.place.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(ahead) = place.ahead.take()
            && ahead.question == question
        {
            return Ok(Box::new(ahead.answer));
        }
        let is_ahead = job.is_first && is_cutting(&question);
        if is_ahead {
            question.extend_from_slice(DONE);
        }
        let text = |error: git2::Error| io::Error::other(error.message().to_owned());
        let answer = send(job, &place, &self.url, Some(&question)).map_err(text)?;
        match answer.status().as_u16() {
            200 => {}
            401 | 403 => return Err(job.fail_io(FetchError::Unauthorized { url: self.url })),
            status => return Err(job.fail_io(FetchError::NoRepository { url: self.url, status })),
        }
        expect_type(job, &answer, &self.url, "application/x-git-upload-pack-result").map_err(text)?;
        let mut answer = Answer::of(job, &self.url, answer.into_body().into_reader());
        if !is_ahead {
            return Ok(Box::new(answer));
        }
        let (section, is_whole) = read_section(&mut answer)?;
        if is_whole {
            place.ahead = Some(Ahead { question, answer });
            Ok(Box::new(Cursor::new(section)))
        } else {
            Ok(Box::new(Cursor::new(section).chain(answer)))
        }
    }
}

/// The packet that ends a negotiation, and the one that ends a section.
const DONE: &[u8] = b"0009done\n";
const FLUSH: &[u8] = b"0000";

/// Whether it asks what a depth cuts off, and nothing more.
fn is_cutting(question: &[u8]) -> bool {
    const DEEPEN: &[u8] = b"deepen ";
    question.ends_with(FLUSH) && question.windows(DEEPEN.len()).any(|part| part == DEEPEN)
}

/// Reads packets up to the one that ends their section. `false` where that did not come, or something else did.
fn read_section(from: &mut impl Read) -> io::Result<(Vec<u8>, bool)> {
    const MOST: usize = 1 << 20;
    let mut read = Vec::new();
    while read.len() < MOST {
        let begin = read.len();
        from.take(4).read_to_end(&mut read)?;
        let length = read.get(begin..begin + 4);
        if length == Some(FLUSH) {
            return Ok((read, true));
        }
        let length =
            length.and_then(|text| str::from_utf8(text).ok()).and_then(|text| u64::from_str_radix(text, 16).ok());
        let Some(length @ 1..) = length.and_then(|length| length.checked_sub(4)) else { break };
        from.take(length).read_to_end(&mut read)?;
    }
    Ok((read, false))
}

/// The error of a connection that failed during an answer.
pub(super) fn broken(job: &Job, host: &str, error: &io::Error) -> io::Error {
    let silent = error.kind() == io::ErrorKind::TimedOut
        || error
            .get_ref()
            .and_then(|inner| inner.downcast_ref())
            .is_some_and(|inner| matches!(inner, ureq::Error::Timeout(_)));
    let host = host.to_owned();
    job.fail_io(if silent {
        FetchError::Stalled { host, seconds: job.patience.silence.as_secs() }
    } else {
        FetchError::Unreachable { host, reason: format!("the connection was lost ({error})") }
    })
}

/// An answer, counted as it comes.
struct Answer {
    job: Arc<Job>,
    host: String,
    body: BodyReader<'static>,
}

impl Answer {
    fn of(job: &Arc<Job>, url: &str, body: BodyReader<'static>) -> Self {
        Self { job: Arc::clone(job), host: host_of(url).to_owned(), body }
    }
}

impl Read for Answer {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let begun = Instant::now();
        let count = self.body.read(buffer).map_err(|error| broken(&self.job, &self.host, &error))?;
        self.job.arrived(&self.host, count, begun.elapsed())?;
        Ok(count)
    }
}

struct Stream {
    job: Arc<Job>,
    request: Option<Pending>,
    asked: Vec<u8>,
    answer: Option<Box<dyn Read + Send>>,
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some(pending) = self.request.take() {
            self.answer = Some(pending.answer(&self.job, std::mem::take(&mut self.asked))?);
        }
        let Some(answer) = &mut self.answer else { return Ok(0) };
        answer.read(buffer)
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.asked.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{followed, host_of};

    #[test]
    fn redirects_stay_safe_and_keep_the_end() {
        let to = |url: &str| format!("{url}/info/refs?service=git-upload-pack");
        assert_eq!(followed("https://a/x", &to("https://b/y")).as_deref(), Some("https://b/y"));
        assert_eq!(followed("https://a/x", &to("/y")).as_deref(), Some("https://a/y"));
        for bad in [to("http://b/y"), to("file:///y"), to("ssh://b/y"), "https://b/login".into(), to("//b/y")] {
            assert_eq!(followed("https://a/x", &bad), None, "{bad}");
        }
        assert_eq!(host_of("https://u@h.example:80/p"), "h.example");
    }
}
