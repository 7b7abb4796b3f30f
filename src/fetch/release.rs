//! Releases of a module: what an index or the tags of a repository list, and the digest that an archive must have.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One version of a module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Release {
    pub version: String,
    /// The name of the tag, or the URL of the archive.
    pub place: String,
    /// The commit of the tag.
    #[serde(default)]
    pub commit: Option<String>,
    /// What the index promises of the archive.
    #[serde(default)]
    pub digest: Option<Digest>,
    #[serde(default)]
    pub size: Option<u64>,
}

/// A digest as hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Digest {
    Sha256(String),
    /// Only an MD5: two files with the same one can be made, so it is compared with nothing.
    Md5,
}

impl Digest {
    /// The strongest digest of an index entry; `None` if none is well-formed.
    pub fn of(sha256: Option<&str>, md5: Option<&str>) -> Option<Self> {
        let hex = |text: &str, digits: usize| {
            let is_hex = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_hexdigit());
            is_hex.then(|| text.to_ascii_lowercase())
        };
        let sha256 = sha256.and_then(|text| hex(text, 64)).map(Digest::Sha256);
        sha256.or_else(|| md5.and_then(|text| hex(text, 32)).map(|_| Digest::Md5))
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Digest::Sha256(hex) => write!(f, "sha256:{hex}"),
            Digest::Md5 => f.write_str("an MD5"),
        }
    }
}
