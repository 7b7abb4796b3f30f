//! The content of a file: its source, the comparison, and the display of differences.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::super::Turn;
use super::params::FileParams;
use crate::graph::Value;
use crate::host::{FileImage, FileKind, HostError, Look, Operation, Owner, Stat};
use crate::plan::{Change, unshown};

/// Larger sources are not read into memory.
const CARRIED: u64 = 1 << 20;

/// The declared content.
pub(super) enum Declared {
    Read(Desired),
    /// The content of another file, which is read when needed.
    Source(PathBuf),
}

/// The desired content.
pub(super) enum Desired {
    AsItIs,
    Bytes(Arc<[u8]>),
    /// The content of a large file, which is compared and copied in pieces.
    Copy {
        from: PathBuf,
        size: u64,
    },
    /// Known after apply.
    Unknown,
}

/// How the present content differs.
pub(super) enum Difference {
    None,
    Yes(Have),
    Unknown(Have),
}

/// The present content.
pub(super) enum Have {
    Bytes(Arc<[u8]>),
    /// Not read; the size in bytes.
    Large(u64),
    Unknown,
}

impl Declared {
    /// Reads the declared content: `content`, else `source`, else `fragments`. It fails if the source or a fragment is
    /// missing.
    pub fn read(turn: &Turn, look: &dyn Look) -> Result<Self, HostError> {
        match turn.any_bytes("content") {
            Ok(Some(bytes)) => return Ok(Declared::Read(Desired::Bytes(bytes.into()))),
            Ok(None) => {}
            Err(HostError::UnknownValue { .. }) => return Ok(Declared::Read(Desired::Unknown)),
            Err(error) => return Err(error),
        }
        let params: &FileParams = turn.typed.get()?;
        if let Some(source) = params.source.get()? {
            let source = Path::new(source);
            return match look.stat_target(source)? {
                None => Err(HostError::Missing { path: source.into() }),
                Some(stat) if stat.kind == FileKind::File && stat.size > CARRIED => {
                    Ok(Declared::Read(Desired::Copy { from: source.into(), size: stat.size }))
                }
                Some(_) => Ok(Declared::Source(source.into())),
            };
        }
        let fragments = params.fragments.get()?.map_or(&[][..], Vec::as_slice);
        Ok(Declared::Read(if fragments.is_empty() { Desired::AsItIs } else { put_together(fragments, look)? }))
    }

    /// Whether a file is known to have this content. Comparing it with its source is the cheapest check.
    pub fn is_in(&self, path: &Path, look: &dyn Look) -> Result<bool, HostError> {
        match self {
            Declared::Source(from) => Ok(look.same(from, path)? == Some(true)),
            Declared::Read(_) => Ok(false),
        }
    }

    /// Loads the content of a source file. A source that has disappeared gives an unknown content.
    pub fn load(self, look: &dyn Look) -> Result<Desired, HostError> {
        match self {
            Declared::Read(wanted) => Ok(wanted),
            Declared::Source(from) => Ok(look.read(&from)?.map_or(Desired::Unknown, Desired::Bytes)),
        }
    }
}

impl Desired {
    /// Returns the operation that writes a file with this content.
    pub fn write(&self, path: &Path, mode: u32, owner: Owner) -> Operation {
        let content = match self {
            Desired::AsItIs => Some(Arc::default()),
            Desired::Bytes(bytes) => Some(Arc::clone(bytes)),
            Desired::Copy { from, .. } => {
                return Operation::CopyFile { from: from.clone(), path: path.into(), mode, owner };
            }
            Desired::Unknown => None,
        };
        Operation::WriteFile { path: path.into(), image: FileImage { content, mode, owner } }
    }

    /// Compares the desired content with the file at `path`. `stat` is that file's.
    pub fn differs(&self, path: &Path, stat: &Stat, look: &dyn Look) -> Result<Difference, HostError> {
        let wanted = match self {
            Desired::AsItIs => return Ok(Difference::None),
            Desired::Unknown => return Ok(Difference::Unknown(have(path, stat, look)?)),
            Desired::Bytes(wanted) => wanted,
            Desired::Copy { from, .. } => {
                return Ok(match look.same(from, path)? {
                    Some(true) => Difference::None,
                    Some(false) => Difference::Yes(have(path, stat, look)?),
                    None => Difference::Unknown(Have::Unknown),
                });
            }
        };
        if stat.size > CARRIED && stat.size != wanted.len() as u64 {
            return Ok(Difference::Yes(Have::Large(stat.size)));
        }
        match look.read(path) {
            Ok(Some(have)) if have == *wanted => Ok(Difference::None),
            Ok(Some(have)) => Ok(Difference::Yes(Have::Bytes(have))),
            Ok(None) => Ok(Difference::Unknown(Have::Unknown)),
            Err(error) => Err(error),
        }
    }

    /// Returns the change to show. `have` is the present content, if any; `is_private`: only the owner may read it.
    pub fn change(&self, have: Option<&Have>, is_private: bool, sensitive: bool) -> Option<Change> {
        let from = have.map(|have| match have {
            Have::Bytes(bytes) => unshown::shown(bytes, is_private),
            Have::Large(size) => unshown::unread(*size, None),
            Have::Unknown => Value::Unknown,
        });
        let to = match self {
            Desired::AsItIs => return None,
            Desired::Bytes(bytes) => unshown::shown(bytes, false),
            Desired::Copy { from, size } => unshown::unread(*size, Some(&from.display().to_string())),
            Desired::Unknown => Value::Unknown,
        };
        let hidden = |value: Value| if sensitive { Value::Sensitive(Box::new(Value::Null)) } else { value };
        Some(Change { property: "content".into(), from: from.map(hidden), to: Some(hidden(to)), sensitive })
    }
}

fn have(path: &Path, stat: &Stat, look: &dyn Look) -> Result<Have, HostError> {
    if stat.size > CARRIED {
        return Ok(Have::Large(stat.size));
    }
    Ok(look.read(path)?.map_or(Have::Unknown, Have::Bytes))
}

/// Concatenates files, and the files in folders by name.
fn put_together(fragments: &[String], look: &dyn Look) -> Result<Desired, HostError> {
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
    Ok(if is_known { Desired::Bytes(whole.into()) } else { Desired::Unknown })
}
