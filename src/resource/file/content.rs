//! The content of a file: where it comes from, whether it differs, and how the difference is shown.

use std::path::Path;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::super::Turn;
use crate::graph::Value;
use crate::host::{FileKind, HostError, Look, Stat};
use crate::plan::Change;

/// Longer contents are shown by size and hash: a plan is for reading.
const SHOWN: usize = 64 << 10;

/// What the content shall be.
pub(super) enum Wanted {
    AsItIs,
    Bytes(Arc<[u8]>),
    /// Known only while applying.
    Unknown,
}

/// How the content that is there differs; with it, `None` where it is not known.
pub(super) enum Difference {
    None,
    Yes(Option<Arc<[u8]>>),
    Unknown(Option<Arc<[u8]>>),
}

impl Wanted {
    pub fn read(turn: &Turn, look: &dyn Look) -> Result<Self, HostError> {
        match turn.any_text("content") {
            Ok(Some(text)) => return Ok(Wanted::Bytes(text.as_bytes().into())),
            Ok(None) => {}
            Err(HostError::UnknownValue { .. }) => return Ok(Wanted::Unknown),
            Err(error) => return Err(error),
        }
        if let Some(source) = turn.text("source")? {
            let source = Path::new(source);
            return match look.stat_target(source)? {
                None => Err(HostError::Missing { path: source.into() }),
                Some(_) => Ok(look.read(source)?.map_or(Wanted::Unknown, Wanted::Bytes)),
            };
        }
        let fragments = turn.texts("fragments")?;
        if fragments.is_empty() { Ok(Wanted::AsItIs) } else { put_together(&fragments, look) }
    }

    /// The content of a file that is made or replaced; `None` where it is known only while applying.
    pub fn bytes_of_new(&self) -> Option<Arc<[u8]>> {
        match self {
            Wanted::AsItIs => Some(Arc::default()),
            Wanted::Bytes(bytes) => Some(Arc::clone(bytes)),
            Wanted::Unknown => None,
        }
    }

    pub fn differs(&self, path: &Path, stat: &Stat, look: &dyn Look) -> Result<Difference, HostError> {
        let wanted = match self {
            Wanted::AsItIs => return Ok(Difference::None),
            Wanted::Unknown => return Ok(Difference::Unknown(look.read(path)?)),
            Wanted::Bytes(wanted) => wanted,
        };
        match look.read(path) {
            Ok(Some(have)) if have == *wanted => Ok(Difference::None),
            Ok(Some(have)) => Ok(Difference::Yes(Some(have))),
            Ok(None) => Ok(Difference::Unknown(None)),
            // Too large to compare byte by byte, and of another size in any case.
            Err(HostError::TooLarge { .. }) if stat.size != wanted.len() as u64 => Ok(Difference::Yes(None)),
            Err(error) => Err(error),
        }
    }

    /// The change to show. `have` is what is there; its inner `None` says that it is not known.
    pub fn change(&self, have: Option<Option<Arc<[u8]>>>, sensitive: bool) -> Option<Change> {
        let from = have.map(|bytes| bytes.map_or(Value::Unknown, |bytes| shown(&bytes)));
        let to = match self {
            Wanted::AsItIs => return None,
            Wanted::Bytes(bytes) => shown(bytes),
            Wanted::Unknown => Value::Unknown,
        };
        let hidden = |value: Value| if sensitive { Value::Sensitive(Box::new(Value::Null)) } else { value };
        Some(Change { property: "content".into(), from: from.map(hidden), to: Some(hidden(to)), sensitive })
    }
}

fn shown(bytes: &[u8]) -> Value {
    match std::str::from_utf8(bytes) {
        Ok(text) if bytes.len() <= SHOWN => text.into(),
        _ => {
            let hash = Sha256::digest(bytes);
            let hash: String = hash.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
            format!("({} bytes, sha256 {hash}…)", bytes.len()).as_str().into()
        }
    }
}

/// The contents of files, and of the files in folders by name, one after the other.
fn put_together(fragments: &[&str], look: &dyn Look) -> Result<Wanted, HostError> {
    let mut whole = Vec::new();
    let mut is_known = true;
    let mut add = |path: &Path| -> Result<(), HostError> {
        match look.read(path)? {
            Some(bytes) => whole.extend_from_slice(&bytes),
            None => is_known = false,
        }
        Ok(())
    };
    for fragment in fragments {
        let path = Path::new(fragment);
        if !fragment.ends_with('/') {
            add(path)?;
            continue;
        }
        for name in look.list(path)? {
            let below = path.join(name);
            if look.stat_target(&below)?.is_some_and(|stat| stat.kind == FileKind::File) {
                add(&below)?;
            }
        }
    }
    Ok(if is_known { Wanted::Bytes(whole.into()) } else { Wanted::Unknown })
}
