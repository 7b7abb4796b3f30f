//! The kind `tar`: manages an archive of files and folders.
//!
//! The same inputs give the same bytes, so nothing is remembered: an equal file is unchanged.

use std::path::{Path, PathBuf};

use tar::{Builder, EntryType, Header};

use super::edit::{Edited, path_of, usual_mode};
use super::reader::{Reader, absolute, written};
use super::{Checked, Kind, Schema, Turn, schema};
use crate::host::{FileKind, HostError, Look, Owner, READ_CAP, Stat};

/// Deeper folders are refused.
const DEPTH: usize = 64;

/// The kind `tar`, which manages an archive of files and folders.
pub struct Tar;

impl Kind for Tar {
    fn schema(&self) -> &'static Schema {
        schema("tar").expect("the schemas name every built-in kind")
    }

    fn validate(&self, given: &Reader) -> Result<(), String> {
        written("path", given.or_name("path"))?;
        given.list("inputs").try_for_each(|input| absolute("inputs", input))
    }

    fn check(&self, turn: &Turn, look: &dyn Look) -> Result<Checked, HostError> {
        let file = Edited::look(turn, path_of(turn, "path")?.into(), look)?;
        let format = match turn.int("format")?.unwrap_or(0) {
            0 | 2 => Format::Ustar,
            4 => Format::Pax,
            8 => Format::Gnu,
            other => return Err(HostError::Refused(format!("`format` is {other}; it must be 0, 2, 4 or 8"))),
        };
        let mut archive =
            Archive { look, format, own: file.path.clone(), builder: Builder::new(Vec::new()), is_known: true };
        for input in turn.texts("inputs")? {
            archive.input(input)?;
        }
        let is_known = archive.is_known;
        let bytes = archive.builder.into_inner().map_err(|error| HostError::Refused(error.to_string()))?;
        Ok(file.turn_into(is_known.then_some(bytes), usual_mode(look), Owner::default()))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Ustar,
    Pax,
    Gnu,
}

struct Archive<'a> {
    look: &'a dyn Look,
    format: Format,
    /// The archive itself, which is excluded.
    own: PathBuf,
    builder: Builder<Vec<u8>>,
    /// Whether all inputs are known before the apply.
    is_known: bool,
}

impl Archive<'_> {
    /// Adds a file under its last name, and a folder's contents below its last name, or without it if the path ends
    /// with a slash.
    fn input(&mut self, input: &str) -> Result<(), HostError> {
        let path = Path::new(input);
        let Some(stat) = self.look.stat_target(path)? else { return Err(HostError::Missing { path: path.into() }) };
        let name = PathBuf::from(path.file_name().unwrap_or_default());
        match stat.kind {
            FileKind::Dir if input.ends_with('/') => self.folder(path, Path::new(""), 0),
            _ => self.entry(path, &name, stat, 0),
        }
    }

    fn folder(&mut self, path: &Path, name: &Path, depth: usize) -> Result<(), HostError> {
        if depth > DEPTH {
            return Err(HostError::BadPath { path: path.into(), why: "nested too deep" });
        }
        for entry in self.look.list(path)? {
            let below = path.join(&entry);
            if below == self.own {
                continue;
            }
            if let Some(stat) = self.look.stat(&below)? {
                self.entry(&below, &name.join(&entry), stat, depth)?;
            }
        }
        Ok(())
    }

    fn entry(&mut self, path: &Path, name: &Path, stat: Stat, depth: usize) -> Result<(), HostError> {
        match stat.kind {
            FileKind::File => {
                let Some(bytes) = self.look.read(path)? else {
                    self.is_known = false;
                    return Ok(());
                };
                self.add(path, name, &stat, EntryType::Regular, &bytes, None)
            }
            FileKind::Link => {
                let target = self.look.read_link(path)?;
                self.add(path, name, &stat, EntryType::Symlink, &[], Some(&target))
            }
            FileKind::Dir => {
                self.add(path, &name.join(""), &stat, EntryType::Directory, &[], None)?;
                self.folder(path, name, depth + 1)
            }
            FileKind::Other => {
                let (found, wanted) = (stat.kind.words(), "a file, folder or link");
                Err(HostError::WrongKind { path: path.into(), found, wanted, hint_text: "" })
            }
        }
    }

    fn add(
        &mut self,
        path: &Path,
        name: &Path,
        stat: &Stat,
        entry: EntryType,
        bytes: &[u8],
        target: Option<&Path>,
    ) -> Result<(), HostError> {
        if self.builder.get_ref().len() as u64 + bytes.len() as u64 > READ_CAP {
            return Err(HostError::TooLarge { path: self.own.clone(), cap: READ_CAP });
        }
        let mut header = if self.format == Format::Gnu { Header::new_gnu() } else { Header::new_ustar() };
        header.set_entry_type(entry);
        header.set_mode(stat.mode);
        header.set_uid(stat.uid.into());
        header.set_gid(stat.gid.into());
        header.set_size(bytes.len() as u64);
        header.set_mtime(self.seconds(path, entry)?);
        self.append(&mut header, name, bytes, target).map_err(|error| HostError::std("archive", path, &error))
    }

    fn append(&mut self, header: &mut Header, name: &Path, bytes: &[u8], target: Option<&Path>) -> std::io::Result<()> {
        if self.format == Format::Pax {
            // A name that does not fit into a plain header is in an extra entry before it.
            let too_long = header.clone().set_path(name).is_err();
            if let Some(text) = name.to_str().filter(|_| too_long) {
                self.builder.append_pax_extensions([("path", text.as_bytes())])?;
            }
        }
        match target {
            Some(target) => self.builder.append_link(header, name, target),
            None => self.builder.append_data(header, name, bytes),
        }
    }

    /// Returns the change time of a file or a folder. Links have none here, and neither has the archive's own folder,
    /// whose time is that of the last archive.
    fn seconds(&mut self, path: &Path, entry: EntryType) -> Result<u64, HostError> {
        if entry == EntryType::Symlink || self.own.parent() == Some(path) {
            return Ok(0);
        }
        let modified = self.look.modified(path)?;
        self.is_known &= modified.is_some();
        Ok(u64::try_from(modified.unwrap_or(0) / 1_000_000_000).unwrap_or(0))
    }
}
