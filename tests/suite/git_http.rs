//! A small HTTP server on loopback that hands git's smart protocol to `git http-backend`.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

/// Serves the repositories below a folder until the test's process ends. `/private/` wants the login `u:p`, `/moved/`
/// redirects to the same path without it, `/away/` redirects to a file, `/page/` is no repository but says 200.
pub struct GitHttp {
    pub port: u16,
}

impl GitHttp {
    /// `None` where git is not installed.
    pub fn start(root: &Path) -> Option<Self> {
        let has_git = Command::new("git").arg("--version").stdout(Stdio::null()).status();
        if !has_git.is_ok_and(|status| status.success()) {
            println!("skipped: git is not installed");
            return None;
        }
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
        let port = listener.local_addr().expect("it is bound").port();
        let root = root.to_path_buf();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let root = root.clone();
                thread::spawn(move || serve(stream, &root));
            }
        });
        Some(Self { port })
    }
}

/// Answers one request and closes.
fn serve(mut stream: TcpStream, root: &Path) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
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
    stream.write_all(&answer).ok()
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
