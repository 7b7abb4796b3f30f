//! The connection to a cluster: requests with login and TLS, sent to one endpoint after another until one answers.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value as Json, json};
use ureq::http::{Request, Response, header};
use ureq::tls::{Certificate, ClientCert, PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::{Agent, Body, Timeout};

use super::messages::{self, If, Op, Page, Span, Txn, WatchLine, Watched};
use super::{Address, Endpoint};
use crate::deploy::target::TargetError;
use crate::source::printable;
use crate::world::Cancel;

/// How often a waiting caller checks for cancellation.
const LOOK: Duration = Duration::from_millis(40);
const CONNECT: Duration = Duration::from_secs(5);
/// How long an endpoint may be silent.
const SILENCE: Duration = Duration::from_secs(20);
/// The time limit of a request with its answer, except for a watch.
const WHOLE: Duration = Duration::from_secs(120);
/// gRPC's code for an endpoint that shuts down.
const UNAVAILABLE: u32 = 14;
const WATCH: &str = "/v3/watch";
/// The size limit of an answer.
const ANSWER_LIMIT: u64 = 32 << 20;
/// Certificates and keys are small.
const PEM_LIMIT: u64 = 1 << 20;

/// The user name and password.
#[derive(Clone)]
pub struct Login {
    pub user: String,
    pub password: String,
}

/// Files in PEM form.
#[derive(Clone, Debug, Default)]
pub struct TlsFiles {
    /// The authority of the endpoints' certificates; by default the system's authorities.
    pub authority: Option<PathBuf>,
    /// The client's certificate and key.
    pub own: Option<(PathBuf, PathBuf)>,
}

/// A connection to a cluster.
#[derive(Clone)]
pub struct Gateway(Arc<Inner>);

struct Inner {
    agent: Agent,
    endpoints: Vec<Endpoint>,
    /// The endpoint that answered last.
    current: AtomicUsize,
    login: Option<Login>,
    /// The token of the login, after the first request.
    token: Mutex<Option<String>>,
}

/// Why a request to one endpoint failed.
enum Fault {
    /// Another endpoint may succeed.
    Passing(String),
    /// The login token has expired.
    Token,
    Final(TargetError),
}

impl Gateway {
    /// Prepares a connection, and sends nothing yet. It fails if a TLS file is missing or invalid.
    pub fn new(address: &Address, tls: &TlsFiles, login: Option<Login>) -> Result<Self, TargetError> {
        let roots = match &tls.authority {
            None => RootCerts::PlatformVerifier,
            Some(path) => RootCerts::new_with_certs(&certificates(path)?),
        };
        let own = tls.own.as_ref().map(|(certificate, key)| own(certificate, key)).transpose()?;
        let agent = Agent::config_builder()
            .max_redirects(0)
            .http_status_as_error(false)
            .timeout_connect(Some(CONNECT))
            .timeout_per_read(Some(SILENCE))
            .timeout_per_write(Some(SILENCE))
            .user_agent(concat!("workbench/", env!("CARGO_PKG_VERSION")))
            .tls_config(TlsConfig::builder().root_certs(roots).client_cert(own).build())
            .proxy(None)
            .build()
            .new_agent();
        Ok(Self(Arc::new(Inner {
            agent,
            endpoints: address.endpoints.clone(),
            current: AtomicUsize::new(0),
            login,
            token: Mutex::default(),
        })))
    }

    /// Returns the endpoint that answers and its version. Needs no login.
    pub fn version(&self, cancel: &Cancel) -> Result<(Endpoint, String), TargetError> {
        #[derive(Deserialize)]
        struct Version {
            etcdserver: String,
        }
        let this = Arc::clone(&self.0);
        waited(cancel, move || {
            this.anyone(|endpoint| {
                let answer =
                    this.agent.get(endpoint.url("/version")).config().timeout_global(Some(WHOLE)).build().call();
                let answer = text_of(endpoint, answer.map_err(|error| connection_fault(endpoint, &error))?)?;
                let version: Version = serde_json::from_str(&answer.1).map_err(|_| not_etcd(endpoint, &answer))?;
                Ok((endpoint.clone(), version.etcdserver))
            })
        })
    }

    /// Sends a transaction: `ops` are performed if all conditions in `ifs` are true.
    pub fn txn(&self, ifs: &[If], ops: &[Op], cancel: &Cancel) -> Result<Txn, TargetError> {
        self.post("/v3/kv/txn", messages::txn(ifs, ops), cancel)
    }

    /// Requests one page of keys below a prefix.
    pub fn page(&self, span: Span, cancel: &Cancel) -> Result<Page, TargetError> {
        self.post("/v3/kv/range", messages::page(span), cancel)
    }

    fn post<T: DeserializeOwned + Send + 'static>(
        &self,
        path: &'static str,
        body: Json,
        cancel: &Cancel,
    ) -> Result<T, TargetError> {
        let this = Arc::clone(&self.0);
        let body = body.to_string();
        waited(cancel, move || {
            this.anyone(|endpoint| {
                let answer = this.logged_in(endpoint, path, &body)?;
                let answer = text_of(endpoint, answer)?;
                serde_json::from_str(&answer.1)
                    .map_err(|error| Fault::Final(TargetError::BadAnswer(printable(&error.to_string()).to_string())))
            })
        })
    }

    /// Reports all writes below a prefix since a revision, until `report` returns false or the connection ends. Returns
    /// the revision to continue from.
    pub fn watch(
        &self,
        prefix: &str,
        revision: u64,
        report: &mut dyn FnMut(&Watched) -> bool,
        cancel: &Cancel,
    ) -> Result<u64, TargetError> {
        let (this, body) = (Arc::clone(&self.0), messages::watch(prefix, revision).to_string());
        let (send, lines) = channel();
        std::thread::spawn(move || {
            let opened = this.anyone(|endpoint| {
                let answer = this.logged_in(endpoint, WATCH, &body)?;
                match answer.status().as_u16() {
                    200 => Ok(answer),
                    _ => Err(text_of(endpoint, answer).err().unwrap_or(Fault::Passing("watching failed".into()))),
                }
            });
            let mut reader = match opened {
                Ok(answer) => BufReader::new(answer.into_body().into_reader()),
                Err(error) => return drop(send.send(Err(error))),
            };
            loop {
                let mut line = Vec::new();
                match reader.by_ref().take(ANSWER_LIMIT).read_until(b'\n', &mut line) {
                    // Silence ends the connection too. The caller opens another one.
                    Err(_) | Ok(0) => return,
                    Ok(_) if send.send(Ok(line)).is_err() => return,
                    Ok(_) => {}
                }
            }
        });
        let mut next = revision;
        loop {
            if cancel.is_cancelled() {
                return Err(TargetError::Cancelled);
            }
            let line = match lines.recv_timeout(LOOK) {
                Ok(line) => line?,
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => return Ok(next),
            };
            let bad = |why: String| TargetError::BadAnswer(printable(&why).to_string());
            let parsed: WatchLine = serde_json::from_slice(&line).map_err(|error| bad(error.to_string()))?;
            let Some(watched) = parsed.result else {
                let error = parsed.error.unwrap_or_default();
                // The endpoint shuts down. The next request finds another one or reports the error.
                if error["http_code"] == 503 || error["grpc_code"] == UNAVAILABLE {
                    return Ok(next);
                }
                return Err(bad(error["message"].as_str().map_or_else(|| error.to_string(), str::to_owned)));
            };
            if watched.compact_revision > next {
                // The history before this revision is compacted. The caller reads the present keys.
                return Ok(watched.compact_revision);
            }
            if watched.canceled {
                return Ok(next);
            }
            let newest = watched.events.iter().map(|event| event.kv.mod_revision).max();
            next = newest.map_or(next, |newest| next.max(newest.saturating_add(1)));
            if !report(&watched) {
                return Ok(next);
            }
        }
    }
}

/// Runs `work` on its own thread, so that the caller can stop waiting.
fn waited<T: Send + 'static>(
    cancel: &Cancel,
    work: impl FnOnce() -> Result<T, TargetError> + Send + 'static,
) -> Result<T, TargetError> {
    let (send, ended) = channel();
    std::thread::spawn(move || drop(send.send(work())));
    loop {
        if cancel.is_cancelled() {
            return Err(TargetError::Cancelled);
        }
        match ended.recv_timeout(LOOK) {
            Ok(outcome) => return outcome,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err(TargetError::BadAnswer("the request failed".into())),
        }
    }
}

impl Inner {
    /// Asks one endpoint after another, starting with the one that answered last.
    fn anyone<T>(&self, ask: impl Fn(&Endpoint) -> Result<T, Fault>) -> Result<T, TargetError> {
        let (first, count) = (self.current.load(Ordering::Relaxed), self.endpoints.len());
        let (mut silent, mut unfit) = (Vec::new(), None);
        for at in (first..first + count).map(|at| at % count) {
            let endpoint = &self.endpoints[at];
            match ask(endpoint) {
                Ok(answer) => {
                    self.current.store(at, Ordering::Relaxed);
                    return Ok(answer);
                }
                Err(Fault::Passing(why)) => silent.push((endpoint.to_string(), why)),
                Err(Fault::Token) => return Err(TargetError::Refused("the login expired".into())),
                // Another endpoint may have the right certificate.
                Err(Fault::Final(
                    error @ (TargetError::Tls { .. }
                    | TargetError::WantsCertificate { .. }
                    | TargetError::SpeaksTls { .. }
                    | TargetError::SpeaksNoTls { .. }
                    | TargetError::NotEtcd { .. }),
                )) => {
                    silent.push((endpoint.to_string(), error.to_string()));
                    unfit = Some(error);
                }
                Err(Fault::Final(error)) => return Err(error),
            }
        }
        Err(unfit.filter(|_| silent.len() == 1).unwrap_or(TargetError::Unreachable(silent)))
    }

    /// Sends a request with the login, and once more if the token has expired.
    fn logged_in(&self, endpoint: &Endpoint, path: &str, body: &str) -> Result<Response<Body>, Fault> {
        for last in [false, true] {
            let token = self.token(endpoint)?;
            let answer = self.send(endpoint, path, body, token.as_deref())?;
            if answer.status().as_u16() != 401 || token.is_none() || last {
                return Ok(answer);
            }
            *self.token.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
        Err(Fault::Token)
    }

    fn token(&self, endpoint: &Endpoint) -> Result<Option<String>, Fault> {
        #[derive(Deserialize)]
        struct LoginAnswer {
            token: String,
        }
        let Some(login) = &self.login else { return Ok(None) };
        let mut token = self.token.lock().unwrap_or_else(PoisonError::into_inner);
        if token.is_none() {
            let asked = json!({ "name": login.user, "password": login.password }).to_string();
            let answer = self.send(endpoint, "/v3/auth/authenticate", &asked, None)?;
            let answer = text_of(endpoint, answer).map_err(|fault| match fault {
                Fault::Final(TargetError::Refused(why)) if why.contains("authentication is not enabled") => {
                    Fault::Final(TargetError::KnowsNoUsers(login.user.clone()))
                }
                Fault::Final(TargetError::Refused(why)) if why.contains("authentication failed") => {
                    Fault::Final(TargetError::BadLogin(login.user.clone()))
                }
                fault => fault,
            })?;
            let taken: LoginAnswer = serde_json::from_str(&answer.1).map_err(|_| not_etcd(endpoint, &answer))?;
            *token = Some(taken.token);
        }
        Ok(token.clone())
    }

    fn send(&self, endpoint: &Endpoint, path: &str, body: &str, token: Option<&str>) -> Result<Response<Body>, Fault> {
        let mut request = Request::post(endpoint.url(path)).header(header::CONTENT_TYPE, "application/json");
        if let Some(token) = token {
            request = request.header(header::AUTHORIZATION, token);
        }
        let request = request.body(body).map_err(bad)?;
        // A watch has no time limit.
        let whole = (path != WATCH).then_some(WHOLE);
        let request = self.agent.configure_request(request).timeout_global(whole).build();
        let answer = self.agent.run(request);
        let answer = answer.map_err(|error| connection_fault(endpoint, &error))?;
        let user = || self.login.as_ref().map(|login| login.user.clone());
        if answer.status().as_u16() == 403 {
            return Err(Fault::Final(TargetError::Denied(user())));
        }
        Ok(answer)
    }
}

fn bad(error: ureq::http::Error) -> Fault {
    Fault::Final(TargetError::BadAnswer(error.to_string()))
}

/// Describes a connection error.
fn connection_fault(endpoint: &Endpoint, error: &ureq::Error) -> Fault {
    let at = endpoint.to_string();
    let why = match error {
        ureq::Error::Timeout(Timeout::Resolve | Timeout::Connect) => {
            format!("no connection within {} s", CONNECT.as_secs())
        }
        ureq::Error::Timeout(Timeout::Global) => format!("incomplete answer after {} s", WHOLE.as_secs()),
        ureq::Error::Timeout(_) => format!("no data for {} s", SILENCE.as_secs()),
        ureq::Error::HostNotFound => "no such host".to_owned(),
        ureq::Error::Io(error) => {
            let text = error.to_string();
            text.split(" (os error").next().unwrap_or_default().to_owned()
        }
        error => error.to_string().replace("rustls: ", ""),
    };
    let why = printable(&why).to_string();
    if why.contains("InvalidContentType") {
        return Fault::Final(TargetError::SpeaksNoTls { at });
    }
    if why.contains("fatal alert: BadCertificate") || why.contains("fatal alert: CertificateRequired") {
        return Fault::Final(TargetError::WantsCertificate { at });
    }
    if why.contains("certificate") {
        return Fault::Final(TargetError::Tls { at, why });
    }
    // Either end may close first, so these messages are equivalent.
    let is_closed = ["unexpected end of file", "disconnected", "reset by peer"].iter().any(|end| why.contains(end));
    Fault::Passing(match (is_closed, endpoint.is_encrypted) {
        (false, _) => why.to_lowercase(),
        (true, true) => "connection closed: does it support TLS?".into(),
        (true, false) => "connection closed: does it need TLS, `etcds://`?".into(),
    })
}

/// Returns the status and the body or error text of an answer.
fn text_of(endpoint: &Endpoint, answer: Response<Body>) -> Result<(u16, String), Fault> {
    #[derive(Deserialize)]
    struct Refusal {
        message: Option<String>,
        error: Option<String>,
        code: u32,
    }
    let status = answer.status().as_u16();
    let mut body = answer.into_body();
    let text = body.with_config().limit(ANSWER_LIMIT).lossy_utf8(true).read_to_string();
    let text = text.map_err(|error| match error {
        ureq::Error::BodyExceedsLimit(_) => Fault::Final(TargetError::AnswerTooLarge),
        error => connection_fault(endpoint, &error),
    })?;
    if status == 200 {
        return Ok((status, text));
    }
    let Ok(refusal) = serde_json::from_str::<Refusal>(&text) else {
        return Err(not_etcd(endpoint, &(status, text)));
    };
    let why = refusal.message.or(refusal.error).unwrap_or_default();
    let why = printable(why.trim_start_matches("etcdserver: ")).to_string();
    Err(match refusal.code {
        // The member has no leader or timed out. Another member may succeed.
        4 | 14 => Fault::Passing(why),
        _ if why.contains("request is too large") => Fault::Final(TargetError::RequestTooLarge),
        _ if why.contains("larger than max") => Fault::Final(TargetError::AnswerTooLarge),
        _ if why.contains("database space exceeded") => Fault::Final(TargetError::Full),
        _ if why.contains("user name is empty") => Fault::Final(TargetError::NeedsLogin),
        16 => Fault::Token,
        _ => Fault::Final(TargetError::Refused(why)),
    })
}

/// The server is not etcd's gateway.
fn not_etcd(endpoint: &Endpoint, (status, text): &(u16, String)) -> Fault {
    let at = endpoint.to_string();
    if text.contains("HTTP request to an HTTPS server") {
        return Fault::Final(TargetError::SpeaksTls { at });
    }
    let start: String = text.trim().chars().take(60).collect();
    let why = match start.as_str() {
        "" => format!("HTTP status {status}"),
        start => format!("HTTP status {status}, `{}`", printable(start)),
    };
    Fault::Final(TargetError::NotEtcd { at, why })
}

fn certificates(path: &Path) -> Result<Vec<Certificate<'static>>, TargetError> {
    let found: Vec<_> = pem(path)?
        .into_iter()
        .filter_map(|item| match item {
            PemItem::Certificate(certificate) => Some(certificate),
            _ => None,
        })
        .collect();
    if found.is_empty() {
        return Err(unfit(path, "it contains no certificate"));
    }
    Ok(found)
}

fn own(certificate: &Path, key: &Path) -> Result<ClientCert, TargetError> {
    let chain = certificates(certificate)?;
    let secret = pem(key)?.into_iter().find_map(|item| match item {
        PemItem::PrivateKey(key) => Some(key),
        _ => None,
    });
    Ok(ClientCert::new_with_certs(&chain, secret.ok_or_else(|| unfit(key, "it contains no private key"))?))
}

fn pem(path: &Path) -> Result<Vec<PemItem<'static>>, TargetError> {
    let mut bytes = Vec::new();
    let read = std::fs::File::open(path).and_then(|file| file.take(PEM_LIMIT).read_to_end(&mut bytes));
    read.map_err(|error| unfit(path, &error.to_string()))?;
    parse_pem(&bytes).collect::<Result<_, _>>().map_err(|error| unfit(path, &error.to_string()))
}

fn unfit(path: &Path, why: &str) -> TargetError {
    TargetError::TlsFile { path: printable(&path.to_string_lossy()).to_string(), why: printable(why).to_string() }
}
