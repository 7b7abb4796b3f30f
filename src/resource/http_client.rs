//! The kind `http:client`: downloads an address to a file.
//!
//! With `sha256`, a present file with that hash is unchanged, and no request is sent. Without it, the server is asked
//! at each turn of a live run. A preview sends no request, and notes that.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::edit::{Edited, usual_mode};
use super::reader::{Param, Reader, Typed, written};
use super::validate::url;
use super::{Checked, Kind, Schema, Turn, kept, schema};
use crate::graph::{Params, Value};
use crate::host::{Fetch, HostError, Look, Owner, Web};
use crate::source::hex;

/// The kind `http:client`, which downloads a URL to a file.
pub struct HttpClient;

struct ClientParams {
    file: Param<String>,
    url: Param<String>,
    method: Param<String>,
    body: Param<String>,
    /// In small letters.
    sha256: Param<String>,
    /// Only content that is newer than the file is downloaded.
    checks_time: Param<bool>,
}

const NOT_MODIFIED: u16 = 304;

/// Returns the file: `file`, or the name if that is a path, or a file in the folder for state.
fn place(params: &ClientParams, turn: &Turn) -> Result<PathBuf, HostError> {
    let is_path = |name: &&str| name.starts_with('/') && !name.ends_with('/');
    match params.file.get()?.map(String::as_str).or(Some(turn.name).filter(is_path)) {
        Some(path) => Ok(path.into()),
        None => Ok(kept::folder(turn)?.join("responses").join(hash(turn.name.as_bytes()))),
    }
}

impl Kind for HttpClient {
    fn schema(&self) -> &'static Schema {
        schema("http:client").expect("the schemas name every built-in kind")
    }

    fn read(&self, given: &Reader) -> Result<Typed, String> {
        // A name that is not a path does not determine the file.
        if let Some(file) = given.filled("file") {
            written("file", file)?;
        }
        if let Some(method) = given.filled("method").filter(|method| !METHODS.contains(method)) {
            return Err(format!("`method` is `{method}`; it must be one of {}", METHODS.join(", ")));
        }
        given.needs("url")?;
        if let Some(text) = given.text("url") {
            let url = url::parse_request(text).map_err(|why| format!("`url` is `{text}`, which {why}"))?;
            if !matches!(&*url.scheme, "http" | "https") {
                return Err(format!("`url` is `{text}`, which begins with neither `https://` nor `http://`"));
            }
            if url.host.is_empty() {
                return Err(format!("`url` is `{text}`, which has no host"));
            }
        }
        if let Some(hash) = given.text("sha256").filter(|hash| hash.to_lowercase() != **hash) {
            return Err(format!("`sha256` is `{hash}`, which is not in small letters"));
        }
        let (redirect, conditional) = (given.is_true("longpoll_redirect"), given.is_true("longpoll_conditional"));
        if given.is_true("longpoll") && given.meta.get("poll").and_then(Value::as_int).unwrap_or(0) != 0 {
            return Err("`longpoll` waits for the server, so `Meta:poll` cannot be set".into());
        }
        if redirect && conditional {
            return Err("`longpoll_redirect` and `longpoll_conditional` cannot both be set".into());
        }
        if given.is_true("longpoll") && !redirect && !conditional {
            return Err("`longpoll` needs `longpoll_redirect` or `longpoll_conditional`".into());
        }
        Ok(Typed::new(ClientParams {
            file: given.filled_param("file"),
            url: given.filled_param("url"),
            method: given.filled_param("method"),
            body: given.text_param("body"),
            sha256: given.filled_param("sha256"),
            checks_time: given.flag_param("mtime_check"),
        }))
    }

    fn check(&self, turn: &Turn, look: &dyn Look) -> Result<Checked, HostError> {
        let params: &ClientParams = turn.typed.get()?;
        let file = Edited::look(turn, place(params, turn)?, look)?;
        let wanted = params.sha256.get()?;
        if file.is_there()
            && let (Some(wanted), Some(have)) = (wanted, &file.content)
            && hash(have) == *wanted
        {
            return Ok(Checked { sends: sends(have), ..Checked::right() });
        }
        let Some(web) = look.web() else {
            let mut seen = file.turn_into(None, usual_mode(look), Owner::default());
            seen.note = "the content on the server is known after apply".into();
            seen.sends = Params::from_iter([("content".into(), Value::Unknown)]);
            return Ok(seen);
        };
        let Some(body) = download(params, turn, &file, look, web)? else {
            let have = file.content.clone().unwrap_or_default();
            return Ok(Checked { sends: sends(&have), ..Checked::right() });
        };
        if let Some(wanted) = wanted
            && hash(&body) != *wanted
        {
            let have = hash(&body);
            return Err(HostError::Refused(format!(
                "the download has sha256 {have}, expected {wanted}; it was deleted"
            )));
        }
        let seen = file.turn_into(Some(body.to_vec()), usual_mode(look), Owner::default());
        Ok(Checked { sends: sends(&body), ..seen })
    }

    /// Each check would download again.
    fn converges(&self) -> bool {
        false
    }
}

/// Downloads the content; `None` if the present file is up to date.
fn download(
    params: &ClientParams,
    turn: &Turn,
    file: &Edited,
    look: &dyn Look,
    web: &dyn Web,
) -> Result<Option<Arc<[u8]>>, HostError> {
    let newer_than = match params.checks_time.flag()? && file.is_there() {
        true => look.modified(Path::new(&file.path))?.map(|modified| modified / 1_000_000_000),
        false => None,
    };
    let fetched = web.fetch(&Fetch {
        method: params.method.get()?.map_or("GET", String::as_str).to_uppercase(),
        url: params.url.get()?.cloned().unwrap_or_default(),
        body: params.body.get()?.map(|body| body.as_bytes().to_vec()),
        newer_than,
        timeout: turn.timeout(),
    })?;
    match fetched.status {
        NOT_MODIFIED => Ok(None),
        200..=299 => Ok(Some(fetched.body)),
        status => Err(HostError::Refused(format!("the server answers with status {status}"))),
    }
}

fn hash(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Only text can be sent.
fn sends(bytes: &[u8]) -> Params {
    let text = std::str::from_utf8(bytes).ok().map(|text| ("content".into(), Value::from(text)));
    text.into_iter().collect()
}

/// The HTTP methods.
const METHODS: &[&str] = &["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "CONNECT", "OPTIONS", "TRACE"];
