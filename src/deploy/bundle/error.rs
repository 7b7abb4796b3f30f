//! Why a bundle is refused, in words, and what to do about it.

/// Everything that can be wrong with a bundle.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BundleError {
    #[error("it cannot be read: {0}")]
    Unreadable(String),
    #[error("it cannot be kept: {0}")]
    Unkept(String),
    /// What was packed has no place where it was to go.
    #[error("it cannot be written: {0}")]
    Unwritten(String),
    #[error("it is larger than {} MiB", .0 >> 20)]
    TooLarge(u64),
    #[error("it unpacks to more than {} MiB", .0 >> 20)]
    UnpacksTooLarge(u64),
    #[error("it unpacks to more than {0} times its size")]
    Bomb(u64),
    #[error("it is cut off")]
    CutOff,
    #[error("what it is packed with is damaged: {0}")]
    Damaged(String),
    #[error("something stands behind its end")]
    Trailing,
    #[error("it is of version {0}, made by a newer workbench")]
    Newer(u32),
    #[error("its first entry is no manifest")]
    NoManifest,
    #[error("its manifest does not read: {0}")]
    Manifest(String),
    #[error("it lists more than {0} files")]
    TooManyFiles(usize),
    #[error("`{0}` is no plain path: it is absolute, leads out, or has a name that means something else somewhere")]
    Name(String),
    #[error("`{0}` lies too deep")]
    Depth(String),
    #[error("`{0}` is too long a path for an archive")]
    LongName(String),
    #[error("`{0}` is listed twice")]
    Twice(String),
    #[error("`{0}` is not in the order of paths")]
    Order(String),
    #[error("`{0}` and `{1}` are one path where case does not count")]
    Clash(String, String),
    #[error("`{0}` is a file and a folder")]
    FileAndFolder(String),
    #[error("`{path}` is larger than {} MiB", .limit >> 20)]
    LargeFile { path: String, limit: u64 },
    #[error("`{path}` is {what}; a bundle holds plain files alone")]
    NotAFile { path: String, what: &'static str },
    #[error("`{found}` stands where the manifest has `{wanted}`")]
    Unlisted { found: String, wanted: String },
    #[error("`{0}` is more than the manifest lists")]
    More(String),
    #[error("`{0}` is listed, but not there")]
    Missing(String),
    #[error("`{0}` is not of the size that the manifest says")]
    Size(String),
    #[error("`{0}` does not hash to what the manifest says")]
    Hash(String),
    #[error("`{0}` carries an owner, a time or a mode that no bundle has")]
    Header(String),
    #[error("its entry, its lock or its module path, `{0}`, is none of its files")]
    Dangling(String),
    #[error("its name `{0}` is no plain name")]
    BadName(String),
    #[error("`{0}` is no time such as 2027-01-31T00:00:00Z")]
    BadTime(String),
    #[error("it expired at {0}")]
    Expired(String),
    #[error("a later one was applied here: counter {newest}, this has {}", .this.map_or("none".into(), |n| n.to_string()))]
    Older { newest: u64, this: Option<u64> },
    #[error("`{0}` is set as a trusted key, and is no public key of minisign's")]
    BadKey(String),
    #[error("its signature does not read: {0}")]
    BadSignature(String),
    #[error("it is not what its signature was made for")]
    Forged,
    #[error("{0} differs from what was in the bundle")]
    Edited(String),
}

impl BundleError {
    /// What to do about it.
    pub fn help(&self) -> &'static str {
        match self {
            BundleError::Unreadable(_) => "name a file that you may read",
            BundleError::Unkept(_) => "make room, or name another folder with `--state-dir`",
            BundleError::Unwritten(_) => "name another file with `-o`, in a folder that you may write to",
            BundleError::Newer(_) => "take a newer workbench",
            BundleError::Expired(_) => "ask for a new one; `deploy show` still tells what is in it",
            BundleError::Older { .. } => "to go back, make a new bundle of the older program, with a higher counter",
            BundleError::BadKey(_) => "look at `workbench config explain trusted-keys`",
            BundleError::BadSignature(_) | BundleError::Forged => {
                "do not use it; take both files again from where they came from"
            }
            BundleError::Edited(_) => "remove that folder; it is unpacked again from the bundle",
            BundleError::BadTime(_) => "write such as `--expires 2027-01-31`",
            BundleError::BadName(_) => "a name is letters, digits, `.`, `_` and `-`",
            BundleError::LongName(_) => "a path may have 100 bytes in its last part, and 255 in all",
            _ => "nothing of it was unpacked; make it again with `workbench deploy bundle`",
        }
    }

    pub(super) fn unkept(path: &std::path::Path, error: impl std::fmt::Display) -> Self {
        BundleError::Unkept(format!("{}: {error}", path.display()))
    }
}
