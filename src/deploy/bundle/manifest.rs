//! `manifest.toml`: the properties of a bundle, and the rules for its list of files.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::BundleError;
use crate::fetch::{HashedFile, Hex, TreeHash, TreeLimits, is_portable_name};
use crate::lang::Choices;
use crate::source::hex;
use crate::source::printable;

/// The newest supported version. A manifest that needs no new feature is written as version 1, for older readers.
const VERSION: u32 = 4;

/// A file to pack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// Relative, with slashes.
    pub path: String,
    pub executable: bool,
    pub bytes: Vec<u8>,
}

/// The manifest of a bundle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    pub version: u32,
    /// The name that the counter belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counter: Option<u64>,
    /// The bundle is refused after this time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<String>,
    /// The entry: a metadata or source file, or since version 2 a folder.
    pub entry: String,
    /// The module path, in order of preference.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub search: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lock: Option<String>,
    /// Inputs of the program that are not in the bundle, as text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// Guards ran while it was compiled, and may run if the bundle is approved. Requires version 3.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub run_guards: bool,
    /// The choices for the program. They require version 2.
    #[serde(default, skip_serializing_if = "Choices::is_default")]
    pub choices: Choices,
    /// The keys of `--set`. Their values may be secrets, so each user of the bundle adds them. Requires version 4.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub set: Vec<String>,
    /// The limits of the compilation that differ from the defaults. They require version 3.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub limits: BTreeMap<String, u64>,
    #[serde(rename = "file", default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileLine>,
}

/// A file of a bundle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileLine {
    pub path: String,
    pub size: u64,
    /// 64 hexadecimal digits.
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
            set: Vec::new(),
            limits: BTreeMap::new(),
            run_guards: false,
            files: Vec::new(),
        }
    }
}

impl Manifest {
    /// Parses and validates a manifest.
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

    /// Adds the lines of the files to pack, sorted by path. Fails if a file is not allowed in a bundle.
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

    /// Returns the text of the manifest.
    pub fn text(&self) -> String {
        toml::to_string(self).expect("strings and numbers always make TOML")
    }

    /// Returns the bundle's hash.
    pub fn hash(&self) -> String {
        format!("sha256:{}", hex(&Sha256::digest(self.text().as_bytes())))
    }

    /// Returns the hash of the files as a tree.
    pub fn tree(&self) -> TreeHash {
        let mut builder = TreeHash::builder();
        for file in &self.files {
            let content = bytes(&file.sha256).unwrap_or_default();
            builder.add(&HashedFile { path: file.path.clone(), executable: file.executable, content: Hex(content) });
        }
        builder.finish()
    }

    /// Parses the expiry time.
    pub fn expiry(&self) -> Result<Option<jiff::Timestamp>, BundleError> {
        let parse = |text: &String| text.parse().map_err(|_| BundleError::BadTime(printable(text).to_string()));
        self.expires.as_ref().map(parse).transpose()
    }

    /// Checks that every value is allowed in a bundle.
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
        let mut seen = PathNames::default();
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

/// The files and folders so far, by their names on a file system that ignores case.
#[derive(Default)]
struct PathNames(HashMap<String, (String, bool)>);

impl PathNames {
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
