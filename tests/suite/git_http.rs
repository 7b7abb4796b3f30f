//! Small HTTP servers on loopback that hand git's smart protocol to `git http-backend`: plain, over TLS, and faulty ones.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::skip::skip;

/// Serves the repositories below a folder until the test's process ends. `/private/` wants the login `u:p`, `/moved/`
/// redirects to the same path without it, `/away/` redirects to a file, `/page/` is no repository but says 200.
pub struct GitHttp {
    pub port: u16,
    /// How many requests came; each has a connection of its own.
    pub requests: Arc<AtomicUsize>,
}

impl GitHttp {
    /// `None` where git is not installed.
    pub fn start(root: &Path) -> Option<Self> {
        Self::serve(root, "127.0.0.1", |stream, root| {
            let mut stream = stream;
            serve(&mut stream, root);
        })
    }

    /// The same behind TLS, at an address, with a certificate by an authority of one's own.
    pub fn start_with_tls(root: &Path, address: &str, authority: &Authority) -> Option<Self> {
        let config = authority.server();
        Self::serve(root, address, move |stream, root| {
            let Ok(connection) = ServerConnection::new(Arc::clone(&config)) else { return };
            let mut stream = StreamOwned::new(connection, stream);
            serve(&mut stream, root);
            stream.conn.send_close_notify();
            let _ = stream.flush();
        })
    }

    /// One that goes wrong as it is told before each connection.
    pub fn start_faulty(root: &Path, fault: Arc<Mutex<Fault>>) -> Option<Self> {
        Self::serve(root, "127.0.0.1", move |mut stream, root| {
            let fault = *fault.lock().expect("no thread panics while it holds this");
            let Some((target, answer)) = answer(&mut stream, root) else { return };
            let at_pack = target.ends_with("/git-upload-pack");
            let _ = match fault {
                Fault::Cut { pack, after } if pack == at_pack => stream.write_all(&answer[..after.min(answer.len())]),
                Fault::Flip { after } if at_pack => {
                    let mut answer = answer;
                    let pack = answer.windows(4).position(|four| four == b"PACK").unwrap_or_default();
                    let at = (pack + after).min(answer.len() - 1);
                    answer[at] ^= 0x20;
                    stream.write_all(&answer)
                }
                Fault::Says(text) if !at_pack => stream.write_all(text.as_bytes()),
                Fault::Stall if at_pack => {
                    let _ = stream.write_all(&answer[..answer.len() / 2]);
                    thread::sleep(std::time::Duration::from_secs(60));
                    Ok(())
                }
                Fault::Floods if at_pack => {
                    let _ = stream.write_all(&answer[..answer.len().min(200)]);
                    while stream.write_all(&[b'0'; 64 << 10]).is_ok() {}
                    Ok(())
                }
                _ => stream.write_all(&answer),
            };
        })
    }

    fn serve(root: &Path, address: &str, talk: impl Fn(TcpStream, &Path) + Send + Sync + 'static) -> Option<Self> {
        let has_git = Command::new("git").arg("--version").stdout(Stdio::null()).status();
        if !has_git.is_ok_and(|status| status.success()) {
            skip("git", "git is not installed");
            return None;
        }
        let listener = TcpListener::bind((address, 0)).expect("loopback has a free port");
        let port = listener.local_addr().expect("it is bound").port();
        let (root, talk) = (root.to_path_buf(), Arc::new(talk));
        let requests = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&requests);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                counted.fetch_add(1, Ordering::Relaxed);
                let (root, talk) = (root.clone(), Arc::clone(&talk));
                thread::spawn(move || talk(stream, &root));
            }
        });
        Some(Self { port, requests })
    }
}

/// What a faulty server does.
#[derive(Clone, Copy, Debug)]
pub enum Fault {
    None,
    /// It ends the connection after so many bytes of its first or its second answer.
    Cut {
        pack: bool,
        after: usize,
    },
    /// One bit is another, so many bytes behind the beginning of the pack.
    Flip {
        after: usize,
    },
    /// Its first answer is this.
    Says(&'static str),
    /// It sends half of the pack, and then nothing.
    Stall,
    /// It never ends.
    Floods,
}

/// An authority for certificates that nobody knows but who is told.
pub struct Authority {
    issuer: rcgen::CertifiedIssuer<'static, rcgen::KeyPair>,
}

impl Authority {
    pub fn new() -> Self {
        let mut params = rcgen::CertificateParams::new(Vec::new()).expect("no names are fine");
        params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        let key = rcgen::KeyPair::generate().expect("there is randomness");
        Self { issuer: rcgen::CertifiedIssuer::self_signed(params, key).expect("it can sign itself") }
    }

    /// For `SSL_CERT_FILE`.
    pub fn pem(&self) -> String {
        self.issuer.pem()
    }

    /// A certificate for these names with its key, as files have them.
    pub fn certificate(&self, names: &[&str]) -> (String, String) {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let params = rcgen::CertificateParams::new(names).expect("the names are plain");
        let key = rcgen::KeyPair::generate().expect("there is randomness");
        (params.signed_by(&key, &self.issuer).expect("it can sign").pem(), key.serialize_pem())
    }

    fn server(&self) -> Arc<ServerConfig> {
        let names = ["localhost", "127.0.0.1", "127.0.0.2"].map(String::from);
        let params = rcgen::CertificateParams::new(names).expect("the names are plain");
        let key = rcgen::KeyPair::generate().expect("there is randomness");
        let certificate = params.signed_by(&key, &self.issuer).expect("it can sign");
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        let config = config.expect("the usual versions").with_no_client_auth();
        Arc::new(
            config.with_single_cert(vec![certificate.der().clone()], key).expect("the key is that of the certificate"),
        )
    }
}

/// Answers one request.
fn serve(stream: &mut (impl Read + Write), root: &Path) -> Option<()> {
    let (_, answer) = answer(stream, root)?;
    stream.write_all(&answer).ok()
}

/// Reads one request; gives its path and the answer.
fn answer(stream: &mut (impl Read + Write), root: &Path) -> Option<(String, Vec<u8>)> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut words = line.split_whitespace();
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let (mut length, mut kind, mut login) = (0, String::new(), String::new());
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        let Some((name, value)) = header.trim().split_once(": ") else { break };
        match name.to_lowercase().as_str() {
            "content-length" => length = value.parse().ok()?,
            "content-type" => kind = value.to_owned(),
            "authorization" => login = value.to_owned(),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let answer = if let Some(rest) = target.strip_prefix("/moved/") {
        redirect(&format!("/{rest}"))
    } else if let Some(rest) = target.strip_prefix("/away/") {
        redirect(&format!("file:///{rest}"))
    } else if target.starts_with("/page/") {
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<p>hello".to_vec()
    } else if let Some(rest) = path.strip_prefix("/private/") {
        // `u:p` in base64.
        if login == "Basic dTpw" {
            backend(root, &method, &format!("/{rest}"), query, &kind, &body)?
        } else {
            b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_vec()
        }
    } else {
        backend(root, &method, path, query, &kind, &body)?
    };
    Some((path.to_owned(), answer))
}

fn redirect(to: &str) -> Vec<u8> {
    format!("HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").into_bytes()
}

fn backend(root: &Path, method: &str, path: &str, query: &str, kind: &str, body: &[u8]) -> Option<Vec<u8>> {
    let settings: PathBuf = root.join("gitconfig");
    let mut child = Command::new("git")
        .arg("http-backend")
        .env("GIT_PROJECT_ROOT", root)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", settings)
        .env("PATH_INFO", path)
        .env("QUERY_STRING", query)
        .env("REQUEST_METHOD", method)
        .env("CONTENT_TYPE", kind)
        .env("CONTENT_LENGTH", body.len().to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut stdin = child.stdin.take()?;
    let body = body.to_vec();
    thread::spawn(move || stdin.write_all(&body));
    let out = child.wait_with_output().ok()?.stdout;
    // A CGI program says the status as a header.
    let text = String::from_utf8_lossy(&out[..out.len().min(200)]).into_owned();
    let status = text.lines().find_map(|line| line.strip_prefix("Status: ")).unwrap_or("200 OK").to_owned();
    let mut answer = format!("HTTP/1.1 {status}\r\nConnection: close\r\n").into_bytes();
    answer.extend_from_slice(&out);
    Some(answer)
}
