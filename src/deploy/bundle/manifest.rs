//! `manifest.toml`: what a bundle says of itself, and what a list of files may hold.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::BundleError;
use crate::fetch::{HashedFile, Hex, TreeHash, TreeLimits, is_portable_name};
use crate::host::journal::hex;
use crate::lang::Choices;
use crate::source::printable;

/// The newest that is understood. What needs no more is written as version 1, which older ones read.
const VERSION: u32 = 2;

/// One file that is to be packed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// Relative, with slashes.
    pub path: String,
    pub executable: bool,
    pub bytes: Vec<u8>,
}

/// All that a bundle says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    pub version: u32,
    /// What it is a version of, where it has a counter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counter: Option<u64>,
    /// From then on nobody takes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<String>,
    /// What is entered: a metadata or source file, or since version 2 a folder.
    pub entry: String,
    /// The module path, best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub search: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lock: Option<String>,
    /// What the program reads and the bundle does not hold, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// What was chosen for the program; with it, the version is 2.
    #[serde(default, skip_serializing_if = "Choices::is_default")]
    pub choices: Choices,
    #[serde(rename = "file", default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileLine>,
}

/// One file that a bundle holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileLine {
    pub path: String,
    pub size: u64,
    /// 64 digits.
    pub sha256: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub executable: bool,
}

impl Default for Manifest {
    fn default() -> Self {
        Self {
            version: 1,
            name: None,
            counter: None,
            expires: None,
            entry: String::new(),
            search: Vec::new(),
            lock: None,
            missing: Vec::new(),
            choices: Choices::default(),
            files: Vec::new(),
        }
    }
}

impl Manifest {
    /// Reads and judges a manifest's text.
    pub fn parse(text: &str) -> Result<Self, BundleError> {
        #[derive(Deserialize)]
        struct Head {
            version: u32,
        }
        let faulty = |error: toml::de::Error| BundleError::Manifest(printable(error.message()).to_string());
        let head: Head = toml::from_str(text).map_err(faulty)?;
        if head.version > VERSION {
            return Err(BundleError::Newer(head.version));
        }
        let manifest: Manifest = toml::from_str(text).map_err(faulty)?;
        manifest.judge()?;
        Ok(manifest)
    }

    /// Takes up the files, sorted by path, that are to be packed; refused where they may not stand in a bundle.
    pub fn list(&mut self, files: &[Content]) -> Result<(), BundleError> {
        let line = |file: &Content| FileLine {
            path: file.path.clone(),
            size: file.bytes.len() as u64,
            sha256: hex(&Sha256::digest(&file.bytes)),
            executable: file.executable,
        };
        self.files = files.iter().map(line).collect();
        self.judge()
    }

    /// As it is written.
    pub fn text(&self) -> String {
        toml::to_string(self).expect("strings and numbers always make TOML")
    }

    /// The bundle's hash.
    pub fn hash(&self) -> String {
        format!("sha256:{}", hex(&Sha256::digest(self.text().as_bytes())))
    }

    /// What the files hash to as a tree.
    pub fn tree(&self) -> TreeHash {
        let mut builder = TreeHash::builder();
        for file in &self.files {
            let content = bytes(&file.sha256).unwrap_or_default();
            builder.add(&HashedFile { path: file.path.clone(), executable: file.executable, content: Hex(content) });
        }
        builder.finish()
    }

    /// When it expires, as a time.
    pub fn expiry(&self) -> Result<Option<jiff::Timestamp>, BundleError> {
        let parse = |text: &String| text.parse().map_err(|_| BundleError::BadTime(printable(text).to_string()));
        self.expires.as_ref().map(parse).transpose()
    }

    /// Whether all it says may stand in a bundle.
    pub fn judge(&self) -> Result<(), BundleError> {
        self.expiry()?;
        if let Some(name) = self.name.as_ref().filter(|name| !is_name(name)) {
            return Err(BundleError::BadName(printable(name).to_string()));
        }
        if self.counter.is_some() && self.name.is_none() {
            return Err(BundleError::Manifest("a counter needs a name".into()));
        }
        self.judge_files()?;
        let is_file = |path: &String| self.files.iter().any(|file| file.path == *path);
        let is_folder = |path: &String| {
            let below = format!("{path}/");
            self.files.iter().any(|file| file.path.starts_with(&below))
        };
        let is_entry = |path: &String| is_file(path) || (self.version >= 2 && is_folder(path));
        let dangling = Some(&self.entry).filter(|path| !is_entry(path));
        let dangling = dangling.or_else(|| self.lock.as_ref().filter(|path| !is_file(path)));
        match dangling.or_else(|| self.search.iter().find(|path| !is_folder(path))) {
            Some(path) => Err(BundleError::Dangling(printable(path).to_string())),
            None => Ok(()),
        }
    }

    fn judge_files(&self) -> Result<(), BundleError> {
        let limits = TreeLimits::default();
        if self.files.len() > limits.entries {
            return Err(BundleError::TooManyFiles(limits.entries));
        }
        let mut total = 0_u64;
        let mut seen = Seen::default();
        for (at, file) in self.files.iter().enumerate() {
            let shown = printable(&file.path).to_string();
            judge_path(&file.path, limits.depth)?;
            if bytes(&file.sha256).is_none() {
                return Err(BundleError::Manifest(format!("`{shown}` has no SHA-256 of 64 digits")));
            }
            seen.add(&file.path)?;
            if at > 0 && self.files[at - 1].path >= file.path {
                return Err(BundleError::Order(shown));
            }
            if file.size > limits.file {
                return Err(BundleError::LargeFile { path: shown, limit: limits.file });
            }
            total = total.saturating_add(file.size);
            if total > limits.total {
                return Err(BundleError::UnpacksTooLarge(limits.total));
            }
        }
        Ok(())
    }
}

fn judge_path(path: &str, depth: usize) -> Result<(), BundleError> {
    if !path.split('/').all(is_portable_name) {
        return Err(BundleError::Name(printable(path).to_string()));
    }
    if path.split('/').count() > depth {
        return Err(BundleError::Depth(printable(path).to_string()));
    }
    Ok(())
}

/// The files and folders until now, as a file system without case would know them.
#[derive(Default)]
struct Seen(HashMap<String, (String, bool)>);

impl Seen {
    fn add(&mut self, path: &str) -> Result<(), BundleError> {
        let folders = path.match_indices('/').map(|(at, _)| (&path[..at], false));
        for (part, is_file) in folders.chain([(path, true)]) {
            match self.0.get(&part.to_lowercase()) {
                None => {
                    self.0.insert(part.to_lowercase(), (part.to_owned(), is_file));
                }
                Some((there, _)) if there != part => return Err(BundleError::Clash(there.clone(), part.to_owned())),
                Some((_, true)) if is_file => return Err(BundleError::Twice(part.to_owned())),
                Some((_, was_file)) if *was_file != is_file => return Err(BundleError::FileAndFolder(part.to_owned())),
                Some(_) => {}
            }
        }
        Ok(())
    }
}

fn is_name(name: &str) -> bool {
    const LONGEST: usize = 100;
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    !name.is_empty() && name.len() <= LONGEST && name.chars().all(plain)
}

fn bytes(digits: &str) -> Option<[u8; 32]> {
    let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    if digits.len() != 64 || !digits.as_bytes().iter().all(is_digit) {
        return None;
    }
    let mut out = [0; 32];
    for (at, byte) in out.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&digits[at * 2..at * 2 + 2], 16).ok()?;
    }
    Some(out)
}
