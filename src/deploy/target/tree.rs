//! A deploy's files in a mgmt cluster: one gob with all names, modes and hashes, and each content by its hash.

use std::collections::BTreeMap;

use super::gob::{self, FIRST, GobError, Shape, Type, Value, Writer, basic};
use crate::source::printable;

/// The parent of all contents, below the namespace.
pub const STORAGE: &str = "/storage";
/// The hash of contents.
pub const HASH: &str = "sha256";

/// Go's bit for a folder.
const FOLDER: u64 = 1 << 31;
/// mgmt's default mode. A reader that unpacks a tree ignores it.
const FOLDER_MODE: u64 = FOLDER | 0o700;
const FILE_MODE: u64 = 0o666;
const PROGRAM_MODE: u64 = 0o777;

/// A file of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// 64 hexadecimal digits.
    pub hash: String,
    pub executable: bool,
}

/// Files by their paths, relative and with slashes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree(pub BTreeMap<String, Leaf>);

/// Why a tree is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TreeError {
    #[error(transparent)]
    Gob(#[from] GobError),
    #[error("not a tree: {0}")]
    NotATree(&'static str),
    #[error("its contents are stored at `{0}`, not at `{STORAGE}`")]
    Storage(String),
    #[error("its contents are hashed with `{0}`, not with {HASH}")]
    Hash(String),
    #[error("`{0}` is not a plain name")]
    Name(String),
    #[error("`{0}` is in it twice")]
    Twice(String),
    #[error("its paths take more than {} MiB", PATHS_LIMIT >> 20)]
    Paths,
}

/// Each path repeats its folders' names. Without a limit a small tree could have very long paths.
const PATHS_LIMIT: usize = 16 << 20;

const SUPER_BLOCK: i64 = FIRST;
const FILE: i64 = FIRST + 1;
const TIME: i64 = FIRST + 2;
const FILES: i64 = FIRST + 3;

fn types() -> [(i64, Type); 4] {
    let super_block = [("DataPrefix", basic::STRING), ("Hash", basic::STRING), ("Tree", FILE)];
    let file = [
        ("Path", basic::STRING),
        ("Mode", basic::UINT),
        ("ModTime", TIME),
        ("Children", FILES),
        ("Hash", basic::STRING),
    ];
    [
        (SUPER_BLOCK, Type::structure("superBlock", &super_block)),
        (FILE, Type::structure("File", &file)),
        (TIME, Type { name: "Time".into(), shape: Shape::Opaque }),
        (FILES, Type { name: "[]*fs.File".into(), shape: Shape::List(FILE) }),
    ]
}

/// A folder while the tree is written.
#[derive(Default)]
struct Folder<'a> {
    folders: BTreeMap<&'a str, Folder<'a>>,
    files: BTreeMap<&'a str, &'a Leaf>,
}

impl<'a> Folder<'a> {
    fn add(&mut self, path: &'a str, leaf: &'a Leaf) {
        match path.split_once('/') {
            Some((first, rest)) => self.folders.entry(first).or_default().add(rest, leaf),
            None => drop(self.files.insert(path, leaf)),
        }
    }

    /// Folders and files, sorted together by name.
    fn write(&self, name: &str, mode: u64, out: &mut Writer) {
        out.begin();
        out.text_field(0, name);
        out.uint_field(1, mode);
        let count = self.folders.len() + self.files.len();
        if count > 0 {
            out.field(3);
            out.uint(count as u64);
        }
        let folders = self.folders.iter().map(|(name, folder)| (*name, Ok(folder)));
        let mut all: Vec<_> = folders.chain(self.files.iter().map(|(name, leaf)| (*name, Err(*leaf)))).collect();
        all.sort_by_key(|(name, _)| *name);
        for (name, child) in all {
            match child {
                Ok(folder) => folder.write(name, FOLDER_MODE, out),
                Err(leaf) => {
                    out.begin();
                    out.text_field(0, name);
                    out.uint_field(1, if leaf.executable { PROGRAM_MODE } else { FILE_MODE });
                    out.text_field(4, &leaf.hash);
                    out.end();
                }
            }
        }
        out.end();
    }
}

impl Tree {
    /// The same files give the same bytes, because no time is encoded.
    pub fn encode(&self) -> Vec<u8> {
        let (mut stream, mut message) = (Writer::default(), Writer::default());
        for (number, ty) in types() {
            message.description(number, &ty);
            message.flush(&mut stream);
        }
        let mut root = Folder::default();
        self.0.iter().for_each(|(path, leaf)| root.add(path, leaf));
        message.int(SUPER_BLOCK);
        message.begin();
        message.text_field(0, STORAGE);
        message.text_field(1, HASH);
        message.field(2);
        root.write("", FOLDER, &mut message);
        message.end();
        message.flush(&mut stream);
        stream.into_bytes()
    }

    /// Decodes a stored tree. Empty folders are left out.
    pub fn decode(bytes: &[u8]) -> Result<Self, TreeError> {
        let decoded = gob::decode(bytes)?;
        let storage = text(decoded.value.field("DataPrefix"))?;
        if storage != STORAGE {
            return Err(TreeError::Storage(printable(&storage).to_string()));
        }
        let hash = text(decoded.value.field("Hash"))?;
        if hash != HASH {
            return Err(TreeError::Hash(printable(&hash).to_string()));
        }
        let root = decoded.value.field("Tree").ok_or(TreeError::NotATree("it has no root"))?;
        if mode(root)? & FOLDER == 0 {
            return Err(TreeError::NotATree("its root is not a folder"));
        }
        let (mut tree, mut room) = (Self::default(), PATHS_LIMIT);
        tree.take(root, "", &mut room)?;
        Ok(tree)
    }

    fn take(&mut self, folder: &Value, above: &str, room: &mut usize) -> Result<(), TreeError> {
        let children = match folder.field("Children") {
            None => return Ok(()),
            Some(Value::List(children)) => children,
            Some(_) => return Err(TreeError::NotATree("the contents of a folder are not a list")),
        };
        let mut names = std::collections::BTreeSet::new();
        for child in children {
            let name = text(child.field("Path"))?;
            *room = room.checked_sub(above.len() + name.len()).ok_or(TreeError::Paths)?;
            let path = if above.is_empty() { name.clone() } else { format!("{above}/{name}") };
            if matches!(name.as_str(), "" | "." | "..") || name.contains(['/', '\0']) {
                return Err(TreeError::Name(printable(&path).to_string()));
            }
            if !names.insert(name) {
                return Err(TreeError::Twice(printable(&path).to_string()));
            }
            let mode = mode(child)?;
            if mode & FOLDER != 0 {
                self.take(child, &path, room)?;
                continue;
            }
            let hash = text(child.field("Hash"))?;
            if hash.len() != 64 || !hash.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f')) {
                return Err(TreeError::NotATree("a file has no hash"));
            }
            self.0.insert(path, Leaf { hash, executable: mode & 0o100 != 0 });
        }
        Ok(())
    }
}

fn text(value: Option<&Value>) -> Result<String, TreeError> {
    match value {
        None => Ok(String::new()),
        Some(Value::Bytes(bytes)) => {
            String::from_utf8(bytes.clone()).map_err(|_| TreeError::NotATree("it contains a string that is not UTF-8"))
        }
        Some(_) => Err(TreeError::NotATree("it contains another type instead of a string")),
    }
}

fn mode(value: &Value) -> Result<u64, TreeError> {
    match value.field("Mode") {
        None => Ok(0),
        Some(Value::Uint(mode)) => Ok(*mode),
        Some(_) => Err(TreeError::NotATree("a mode is not a number")),
    }
}
