//! The reasons for refusing a bundle, and the help for each.

/// Why a bundle is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BundleError {
    #[error("cannot read it: {0}")]
    Unreadable(String),
    #[error("cannot save it: {0}")]
    Unkept(String),
    /// The bundle could not be written to its destination.
    #[error("cannot write it: {0}")]
    Unwritten(String),
    #[error("it is larger than {} MiB", .0 >> 20)]
    TooLarge(u64),
    #[error("it unpacks to more than {} MiB", .0 >> 20)]
    UnpacksTooLarge(u64),
    #[error("it unpacks to more than {0} times its size")]
    Bomb(u64),
    #[error("it is truncated")]
    CutOff,
    #[error("its compression is damaged: {0}")]
    Damaged(String),
    #[error("extra data after its end")]
    Trailing,
    #[error("it has version {0}, made by a newer workbench")]
    Newer(u32),
    #[error("its first entry is not a manifest")]
    NoManifest,
    #[error("invalid manifest: {0}")]
    Manifest(String),
    #[error("it lists more than {0} files")]
    TooManyFiles(usize),
    #[error("`{0}` is not a plain path: it is absolute, points outside, or has a name that is not portable")]
    Name(String),
    #[error("`{0}` is nested too deep")]
    Depth(String),
    #[error("`{0}` is too long a path for an archive")]
    LongName(String),
    #[error("`{0}` is listed twice")]
    Twice(String),
    #[error("`{0}` is not in the order of paths")]
    Order(String),
    #[error("`{0}` and `{1}` only differ in case")]
    Clash(String, String),
    #[error("`{0}` is a file and a folder")]
    FileAndFolder(String),
    #[error("`{path}` is larger than {} MiB", .limit >> 20)]
    LargeFile { path: String, limit: u64 },
    #[error("`{path}` is {what}; a bundle only contains regular files")]
    NotAFile { path: String, what: &'static str },
    #[error("`{found}` instead of `{wanted}` in the manifest")]
    Unlisted { found: String, wanted: String },
    #[error("`{0}` is not in the manifest")]
    More(String),
    #[error("`{0}` is missing")]
    Missing(String),
    #[error("the size of `{0}` differs from the manifest")]
    Size(String),
    #[error("the hash of `{0}` differs from the manifest")]
    Hash(String),
    #[error("`{0}` has an owner, time or mode, which bundles do not have")]
    Header(String),
    #[error("its entry, lock file or module path `{0}` is not one of its files")]
    Dangling(String),
    #[error("its name `{0}` is not a plain name")]
    BadName(String),
    #[error("`{0}` is not a time such as 2027-01-31T00:00:00Z")]
    BadTime(String),
    /// Typed options differ from those that it carries.
    #[error("{}", .0.join("; and "))]
    OtherOptions(Vec<String>),
    #[error("the bundle was made with {}, whose value is not in it", .0.join(" and "))]
    NeedsValues(Vec<String>),
    #[error("it expired at {0}")]
    Expired(String),
    #[error("a newer bundle was applied: counter {newest}, this one has {}", .this.map_or("none".into(), |n| n.to_string()))]
    Older { newest: u64, this: Option<u64> },
    #[error("`{0}` in trusted-keys is not a public minisign key")]
    BadKey(String),
    #[error("invalid signature file: {0}")]
    BadSignature(String),
    #[error("its signature does not match")]
    Forged,
    #[error("{0} differs from what was in the bundle")]
    Edited(String),
}

impl BundleError {
    /// Returns what the user can do about it.
    pub fn help(&self) -> &'static str {
        match self {
            BundleError::Unreadable(_) => "use a readable file",
            BundleError::Unkept(_) => "free some space, or use another folder with `--state-dir`",
            BundleError::Unwritten(_) => "use another file with `-o`, in a writable folder",
            BundleError::Newer(_) => "use a newer workbench",
            BundleError::OtherOptions(_) => "remove these options to use what the bundle was made with",
            BundleError::NeedsValues(_) => "add `--set KEY=VALUE` for each",
            BundleError::Expired(_) => "ask for a new one; `deploy show` lists its contents",
            BundleError::Older { .. } => "to use an older version, make a new bundle of it with a higher counter",
            BundleError::BadKey(_) => "see `workbench config explain trusted-keys`",
            BundleError::BadSignature(_) | BundleError::Forged => {
                "do not use it; get both files again from their source"
            }
            BundleError::Edited(_) => "delete that folder; the bundle is unpacked again",
            BundleError::BadTime(_) => "for example `--expires 2027-01-31`",
            BundleError::BadName(_) => "use letters, digits, `.`, `_` and `-`",
            BundleError::LongName(_) => "the limit is 100 bytes for the last part of a path, and 255 in total",
            _ => "nothing was unpacked; make it again with `workbench deploy bundle`",
        }
    }

    pub(super) fn unkept(path: &std::path::Path, error: impl std::fmt::Display) -> Self {
        BundleError::Unkept(format!("{}: {error}", path.display()))
    }
}
