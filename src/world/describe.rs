//! Describes reads and their results.

use std::fmt;

use serde_json::Value as Json;

use super::{Interpreter, PathKind, PluginCall, Read, ReadError, Sample};
use crate::source::printable;

/// The number of characters of a sample to show.
const SHOWN: usize = 60;

impl fmt::Display for Read {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = match self {
            Read::File(path) => return write!(f, "file {}", shown(&path.display().to_string())),
            Read::Kind(path) => return write!(f, "path {}", shown(&path.display().to_string())),
            Read::Folder(path) => return write!(f, "folder {}", shown(&path.display().to_string())),
            Read::Link(path) => return write!(f, "link {}", shown(&path.display().to_string())),
            Read::Account(name) => return write!(f, "user {}", shown(name)),
            Read::Stored(key) => return write!(f, "stored value {}", shown(key)),
            Read::StoredByHost(key) => return write!(f, "value {} of each host", shown(key)),
            Read::Scheduled(name) => return write!(f, "schedule {}", shown(name)),
            Read::Exported(kind) => return write!(f, "exported {}", shown(kind)),
            Read::Held(name) => return write!(f, "value[{}]", shown(name)),
            Read::Response(name) => return write!(f, "response of {}", shown(name)),
            Read::Command(text) => return write!(f, "output of {}", shown(text)),
            Read::Plugin(call) if call.interpreter == Interpreter::Resolver => {
                return write!(f, "look-up of {}", shown(&looked_up(call)));
            }
            Read::Plugin(_) => "answer of a plugin",
            Read::AccountById(id) => return write!(f, "user of number {id}"),
            Read::Space(path) => return write!(f, "space at {}", shown(&path.display().to_string())),
            Read::Machine => "kind of system",
            Read::Hardware => "memory and processors",
            Read::Locale => "locale",
            Read::Hostname => "host name",
            Read::Now => "clock",
            Read::Environment => "environment",
            Read::Arguments => "arguments",
            Read::Executable => "own program",
            Read::WorkingFolder => "working folder",
            Read::StateFolder => "state folder",
            Read::Process(_) => "own process",
            Read::Uptime => "uptime",
            Read::Load => "load",
            Read::CpuCount => "number of processors",
            Read::KernelModules => "kernel modules",
            Read::Interfaces => "network interfaces",
            Read::Virtual => "kind of machine",
            Read::RebootNeeded => "pending reboot",
            Read::Random { .. } => "random bytes",
        };
        f.write_str(plain)
    }
}

/// The texts of a look-up, such as `dns x.example IN.A`.
fn looked_up(call: &PluginCall) -> String {
    let request: Json = serde_json::from_str(&call.request).unwrap_or_default();
    let words = request.get("ask").and_then(Json::as_array).into_iter().flatten();
    words.filter_map(Json::as_str).collect::<Vec<_>>().join(" ")
}

fn shown(text: &str) -> String {
    printable(text).to_string()
}

/// Parses a read's result from a user's text. This is the inverse of [`brief`], for samples that fit on a line.
/// `nothing` is a missing file. A JSON string is decoded.
pub fn parse_sample(read: &Read, words: &str) -> Result<Result<Sample, ReadError>, String> {
    let text = || match words.starts_with('"') {
        true => serde_json::from_str(words).map_err(|error| format!("`{words}` is not a string: {error}")),
        false => Ok(words.to_owned()),
    };
    let number = || words.parse().map(Sample::Integer).map_err(|_| format!("`{words}` is not a whole number"));
    let sample = match read {
        Read::File(path) | Read::Folder(path) | Read::Link(path) if words == "nothing" => {
            return Ok(Err(ReadError::NotFound(path.clone())));
        }
        Read::Held(name) if words == "nothing" => return Ok(Err(ReadError::Unknown(format!("value[{name}]")))),
        Read::File(_) => Sample::Bytes(text()?.into_bytes().into()),
        Read::Folder(_) | Read::KernelModules | Read::Scheduled(_) => {
            Sample::Names(text()?.split(',').map(|name| name.trim().to_owned()).collect())
        }
        Read::Link(_) => Sample::Path(text()?.into()),
        Read::Kind(_) => Sample::Kind(match words {
            "missing" => PathKind::Missing,
            "file" => PathKind::File,
            "folder" => PathKind::Folder,
            "other" => PathKind::Other,
            _ => return Err(format!("`{words}` is not one of file, folder, other, missing")),
        }),
        // The value of a resource is JSON already.
        Read::Held(_) => Sample::Text(words.to_owned()),
        Read::Hostname | Read::Stored(_) | Read::Command(_) | Read::AccountById(_) | Read::Locale => {
            Sample::Text(text()?)
        }
        Read::Now | Read::Uptime | Read::CpuCount => number()?,
        Read::Virtual | Read::RebootNeeded => {
            Sample::Flag(words.parse().map_err(|_| format!("`{words}` is not true or false"))?)
        }
        _ => return Err(format!("{read} cannot be set here; use a record")),
    };
    Ok(Ok(sample))
}

/// Returns the text of a result, if it is text.
pub fn text_of(answer: &Result<Sample, ReadError>) -> Option<&str> {
    match answer {
        Ok(Sample::Bytes(bytes)) => std::str::from_utf8(bytes).ok(),
        Ok(Sample::Text(text)) => Some(text),
        _ => None,
    }
}

/// Formats a result on one line, shortened and escaped.
pub fn brief(answer: &Result<Sample, ReadError>) -> String {
    let text = match answer {
        Ok(Sample::Bytes(bytes)) => format!("{:?}", String::from_utf8_lossy(bytes)),
        // The value of a resource is JSON and has its own quotes.
        Ok(Sample::Text(text)) if text.starts_with('"') => text.clone(),
        Ok(Sample::Text(text)) => format!("{text:?}"),
        Ok(Sample::Kind(kind)) => format!("{kind:?}").to_lowercase(),
        Ok(Sample::Names(names)) => names.join(", "),
        Ok(Sample::Integer(number)) => number.to_string(),
        Ok(Sample::Pairs(pairs)) => format!("{} pairs", pairs.len()),
        Ok(Sample::Flag(flag)) => flag.to_string(),
        Ok(Sample::Path(path)) => path.display().to_string(),
        Ok(Sample::Load([one, five, fifteen])) => format!("{one} {five} {fifteen}"),
        Ok(Sample::Account(account)) => {
            format!("uid {}, gid {}, home {}", account.uid, account.gid, account.home.display())
        }
        Ok(Sample::Interfaces(all)) => {
            all.iter().map(|one| [&*one.name, &one.addresses.join(" ")].join(" ")).collect::<Vec<_>>().join(", ")
        }
        Ok(Sample::Exports(exports)) if exports.len() == 1 => "1 resource".into(),
        Ok(Sample::Exports(exports)) => format!("{} resources", exports.len()),
        Ok(Sample::Response { status, body }) => format!("{status} {body:?}"),
        Err(ReadError::NotFound(_)) => "nothing".to_owned(),
        Err(ReadError::Unknown(_)) => "unknown".to_owned(),
        Err(error) => error.to_string(),
    };
    let mut short: String = text.chars().take(SHOWN).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    printable(&short).to_string()
}
