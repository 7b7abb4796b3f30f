//! Answers a request: the page of its path, or a file below the root.

use std::fs::File;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};

use super::body::{self, AnswerBody};
use super::{Pages, fetch};
use crate::graph::ResourceId;
use crate::host::web::{Answer, Fetch, Page, Site};

/// Values of flags are small.
const FLAG_LIMIT: usize = 4 << 20;

type Reply = Response<AnswerBody>;

pub(super) async fn answer(site: &Site, pages: &Arc<Pages>, request: Request<Incoming>) -> Reply {
    let Some(path) = decode(request.uri().path()).filter(|path| path.starts_with('/') && !path.contains('\0')) else {
        return plain(StatusCode::BAD_REQUEST);
    };
    // The longest path is the most specific one.
    let fitting = pages.of(&site.name).into_iter().filter(|(_, page)| fits(page, &path));
    match (fitting.max_by_key(|(_, page)| page.path.len()), &site.root) {
        (Some((of, page)), _) => from_page(&of, page, &path, pages, request).await,
        (None, Some(root)) if is_read(&request) => from_folder(root, &path),
        (None, Some(_)) => plain(StatusCode::METHOD_NOT_ALLOWED),
        (None, None) => plain(StatusCode::NOT_FOUND),
    }
}

fn fits(page: &Page, path: &str) -> bool {
    let has_more = matches!(page.answer, Answer::Path(_) | Answer::Proxy { .. }) && page.path.ends_with('/');
    path == page.path || (has_more && path.starts_with(&page.path))
}

fn is_read(request: &Request<Incoming>) -> bool {
    matches!(*request.method(), Method::GET | Method::HEAD)
}

fn plain(status: StatusCode) -> Reply {
    let mut reply = Response::new(AnswerBody::whole(format!("{status}\n")));
    *reply.status_mut() = status;
    reply
}

async fn from_page(of: &ResourceId, page: Page, path: &str, pages: &Pages, request: Request<Incoming>) -> Reply {
    match page.answer {
        Answer::Flag { key } if *request.method() == Method::POST => {
            let Some(form) = body::read(request.into_body(), FLAG_LIMIT).await else {
                return plain(StatusCode::PAYLOAD_TOO_LARGE);
            };
            let value = posted(&String::from_utf8_lossy(&form), &key).filter(|value| !value.is_empty());
            pages.take(of, value.as_deref());
            Response::new(AnswerBody::Whole(None))
        }
        _ if !is_read(&request) => plain(StatusCode::METHOD_NOT_ALLOWED),
        Answer::Flag { .. } => plain(StatusCode::METHOD_NOT_ALLOWED),
        Answer::Data(data) => typed(Path::new(path), AnswerBody::whole(data.to_vec())),
        Answer::Path(served) => from_folder(&served, path.strip_prefix(&page.path).unwrap_or_default()),
        Answer::Proxy { sub, head, cache } => {
            let rest = path.strip_prefix(sub.as_str()).unwrap_or(path).to_owned();
            let asked = tokio::task::spawn_blocking(move || from_elsewhere(&rest, &head, cache.as_deref()));
            asked.await.unwrap_or_else(|_| plain(StatusCode::INTERNAL_SERVER_ERROR))
        }
    }
}

/// Returns a file, or a path below a folder, but never one outside of it.
fn from_folder(served: &Path, below: &str) -> Reply {
    match find(served, below).and_then(|path| open(&path)) {
        Some((path, file, size)) => typed(&path, AnswerBody::file(file, size)),
        None => plain(StatusCode::NOT_FOUND),
    }
}

fn find(served: &Path, below: &str) -> Option<PathBuf> {
    let below = below.trim_start_matches('/');
    let served = served.canonicalize().ok()?;
    if below.is_empty() && served.is_file() {
        return Some(served);
    }
    if Path::new(below).components().any(|part| !matches!(part, Component::Normal(_))) {
        return None;
    }
    let mut path = served.join(below).canonicalize().ok()?;
    if path.is_dir() {
        path = path.join("index.html").canonicalize().ok()?;
    }
    // A link may lead outside.
    path.starts_with(&served).then_some(path)
}

fn open(path: &Path) -> Option<(PathBuf, File, u64)> {
    let (file, stat) = crate::host::local::look::open_file(path).ok()?;
    Some((path.to_owned(), file, stat.size))
}

/// Forwards the request to another server, unless the answer is in the cache.
fn from_elsewhere(rest: &str, head: &str, cache: Option<&Path>) -> Reply {
    if let Some(path) = cache.and_then(|cache| find(cache, rest))
        && let Some((path, file, size)) = open(&path)
    {
        return typed(&path, AnswerBody::file(file, size));
    }
    let url = format!("{}/{}", head.trim_end_matches('/'), rest.trim_start_matches('/'));
    let asked = Fetch { method: "GET".into(), url, ..Fetch::default() };
    match fetch::fetch(&asked) {
        Ok(fetched) if fetched.status == 200 => {
            if let Some(cache) = cache {
                // An answer that could not be cached is still valid.
                let _ = keep(cache, rest, &fetched.body);
            }
            typed(Path::new(rest), AnswerBody::whole(fetched.body.to_vec()))
        }
        Ok(fetched) => plain(StatusCode::from_u16(fetched.status).unwrap_or(StatusCode::BAD_GATEWAY)),
        Err(_) => plain(StatusCode::BAD_GATEWAY),
    }
}

/// Writes an answer to the cache atomically.
fn keep(cache: &Path, rest: &str, bytes: &[u8]) -> std::io::Result<()> {
    let below = Path::new(rest.trim_start_matches('/'));
    if rest.ends_with('/') || below.components().any(|part| !matches!(part, Component::Normal(_))) {
        return Ok(());
    }
    let path = cache.join(below);
    let folder = path.parent().unwrap_or(cache);
    std::fs::create_dir_all(folder)?;
    let mut temporary = tempfile::NamedTempFile::new_in(folder)?;
    std::io::Write::write_all(&mut temporary, bytes)?;
    temporary.persist(&path)?;
    Ok(())
}

fn typed(path: &Path, body: AnswerBody) -> Reply {
    let kind = match path.extension().and_then(|extension| extension.to_str()) {
        Some("html" | "htm") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("json") => "application/json",
        Some("txt" | "cfg" | "conf" | "ks") | None => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    };
    let mut reply = Response::new(body);
    reply.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    reply
}

/// Returns the value of a key in a posted form.
fn posted(form: &str, key: &str) -> Option<String> {
    let pairs = form.split('&').filter_map(|pair| pair.split_once('='));
    let plus = |text: &str| decode(&text.replace('+', " "));
    pairs.into_iter().find(|(name, _)| plus(name).as_deref() == Some(key)).and_then(|(_, value)| plus(value.trim_end()))
}

/// Decodes percent-encoded text such as `%41`.
fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits = [rest.next()?, rest.next()?];
            bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_give_the_value_of_a_key() {
        assert_eq!(posted("key=foo&blah=bar", "key").as_deref(), Some("foo"));
        assert_eq!(posted("a%20b=c+d%21\r\n", "a b").as_deref(), Some("c d!"));
        assert_eq!(posted("other=1", "key"), None);
    }

    #[test]
    fn nothing_outside_of_a_folder_is_found() {
        let root = tempfile::tempdir().expect("a temporary folder can be made");
        let served = root.path().join("served");
        std::fs::create_dir(&served).expect("can be made");
        std::fs::write(root.path().join("secret"), "").expect("can be written");
        std::fs::write(served.join("file"), "").expect("can be written");
        std::os::unix::fs::symlink("../secret", served.join("link")).expect("can be made");
        assert!(find(&served, "/file").is_some());
        for bad in ["../secret", "/../secret", "link", "file/..", "no", ""] {
            assert!(find(&served, bad).is_none(), "{bad}");
        }
    }
}
