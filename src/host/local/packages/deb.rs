//! The contents of a fetched Debian package, read from its archive before it is unpacked.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::apt::{FETCHED, LISTS};
use super::{LIST_CAP, declared};
use crate::host::local::{LocalLook, stream, tool};
use crate::host::{Contents, FileKind, HostError, LookFiles, Output, Packed, SETTINGS};

/// The scripts that run when a package is installed or upgraded.
const OWN: &[&str] = &["preinst", "config", "postinst"];

/// The installed version's scripts that run on an upgrade.
const OLD: &[&str] = &["prerm", "postrm"];

/// Files in larger packages are not read.
const FILES_CAP: u64 = 64 << 20;

pub(super) fn contents(look: &LocalLook, name: &str, version: &str) -> Result<Option<Contents>, HostError> {
    let Some(archive) = archive(look, name, version)? else { return Ok(None) };
    let listed = archive.ask("--contents")?;
    let mut entries: Vec<Packed> = tool::lines(&listed).iter().filter_map(|line| packed(line)).collect();
    if !listed.succeeded() || listed.truncated || entries.is_empty() {
        return Ok(None);
    }
    let control = archive.ask("--ctrl-tarfile")?;
    let Some(own) = Some(control.stdout).filter(|_| control.code == Some(0) && !control.truncated) else {
        return Ok(None);
    };
    let Some(mut has_scripts) = holds_scripts(&own) else { return Ok(None) };
    has_scripts |= entries.iter().any(declared::declares);
    for script in OLD {
        has_scripts |= look.stat(&Path::new(LISTS).join(format!("{name}.{script}")))?.is_some();
    }
    archive.read_settings(&mut entries)?;
    Ok(Some(Contents { entries, has_scripts }))
}

/// Whether a package's control archive has a script that runs at installation; `None` if it cannot be read.
fn holds_scripts(control: &[u8]) -> Option<bool> {
    let mut holds = false;
    for entry in tar::Archive::new(control).entries().ok()? {
        let entry = entry.ok()?;
        let path = entry.path().ok()?;
        holds |= path.file_name().is_some_and(|name| OWN.iter().any(|own| *own == name));
    }
    Some(holds)
}

/// A complete package archive.
struct Archive {
    path: PathBuf,
    /// It is in a folder that only this user can read.
    is_private: bool,
}

impl Archive {
    fn ask(&self, what: &str) -> Result<Output, HostError> {
        tool::ask_of_archive("dpkg-deb", &[what, &self.path.to_string_lossy()], self.is_private, LIST_CAP)
    }

    /// Reads the configuration files.
    fn read_settings(&self, entries: &mut [Packed]) -> Result<(), HostError> {
        let size: u64 = entries.iter().map(|packed| packed.size).sum();
        if size > FILES_CAP || !entries.iter().any(is_setting) {
            return Ok(());
        }
        let path = self.path.to_string_lossy();
        let cap = 2 * FILES_CAP as usize;
        let files = tool::ask_of_archive("dpkg-deb", &["--fsys-tarfile", &path], self.is_private, cap)?;
        if files.succeeded()
            && !files.truncated
            && let Some(mut texts) = settings_in(&files.stdout)
        {
            for packed in entries.iter_mut().filter(|packed| is_setting(packed)) {
                packed.text = texts.remove(&packed.path);
            }
        }
        Ok(())
    }
}

fn is_setting(packed: &Packed) -> bool {
    packed.kind == FileKind::File && packed.path.starts_with(SETTINGS)
}

/// Returns the texts of the configuration files in a package.
fn settings_in(files: &[u8]) -> Option<BTreeMap<PathBuf, Arc<[u8]>>> {
    let mut texts = BTreeMap::new();
    for entry in tar::Archive::new(files).entries().ok()? {
        let mut entry = entry.ok()?;
        let path = Path::new("/").join(entry.path().ok()?.strip_prefix("./").ok()?);
        if path.starts_with(SETTINGS) && entry.header().entry_type().is_file() {
            let mut text = Vec::new();
            entry.read_to_end(&mut text).ok()?;
            texts.insert(path, text.into());
        }
    }
    Some(texts)
}

/// Returns the folders of package archives, the manager's own first.
pub(super) fn folders(look: &LocalLook) -> impl Iterator<Item = (PathBuf, bool)> {
    let own = look.archives.clone().map(|folder| (folder, true));
    [(PathBuf::from(FETCHED), false)].into_iter().chain(own)
}

/// Returns the fetched archive of a version, if the manager would use it.
fn archive(look: &LocalLook, name: &str, version: &str) -> Result<Option<Archive>, HostError> {
    let plain = name.split(':').next().unwrap_or(name);
    let begin = format!("{plain}_{}_", version.replace(':', "%3a"));
    let is_own = |file: &OsString| file.to_str().is_some_and(|file| file.starts_with(&begin) && file.ends_with(".deb"));
    let mut wanted = None;
    for (folder, is_private) in folders(look) {
        if look.stat_target(&folder).ok().flatten().is_none() {
            continue;
        }
        // A missing or unreadable folder has no archives. With two architectures the right one is unknown.
        let fetched: Vec<OsString> = look.list(&folder).unwrap_or_default().into_iter().filter(is_own).collect();
        let [only] = fetched.as_slice() else { continue };
        let path = folder.join(only);
        let hash = stream::sha256(&path)?;
        let wanted = match &wanted {
            Some(wanted) => wanted,
            None => wanted.insert(hashes(plain, version)?),
        };
        if wanted.contains(&hash) {
            return Ok(Some(Archive { path, is_private }));
        }
    }
    Ok(None)
}

/// Returns the hashes that the manager accepts for a version.
fn hashes(name: &str, version: &str) -> Result<Vec<String>, HostError> {
    let shown = tool::ask_as_nobody("apt-cache", &["show", "--", &format!("{name}={version}")], &[])?;
    Ok(tool::lines(&shown).iter().filter_map(|line| line.strip_prefix("SHA256: ")).map(str::to_owned).collect())
}

/// Parses a line such as `-rw-r--r-- root/root 26 2022-12-26 08:00 ./usr/bin/hello`. A link also has its target.
fn packed(line: &str) -> Option<Packed> {
    let mut words = line.split_whitespace();
    let (letters, owner, size) = (words.next()?, words.next()?, words.next()?);
    let path = &line[line.find(" ./")? + 1..];
    let (path, target) = match path.split_once(" -> ") {
        Some((path, target)) => (path, Some(PathBuf::from(target))),
        None => (path, None),
    };
    let path = path.strip_prefix('.')?.trim_end_matches('/');
    let (user, group) = owner.split_once('/')?;
    let kind = match letters.chars().next()? {
        'd' => FileKind::Dir,
        'l' => FileKind::Link,
        // A hard link is marked with ` link to `. It is a file too.
        '-' | 'h' => FileKind::File,
        _ => FileKind::Other,
    };
    let path = path.split(" link to ").next().filter(|path| path.len() > 1)?.into();
    let (user, group) = (user.to_owned(), group.to_owned());
    Some(Packed { path, kind, mode: mode(letters)?, user, group, size: size.parse().ok()?, target, text: None })
}

/// Parses `rwxr-xr-x` after the letter of the type.
fn mode(letters: &str) -> Option<u32> {
    let letters: Vec<char> = letters.chars().skip(1).take(9).collect();
    let mut mode = 0;
    for (at, letter) in letters.iter().enumerate() {
        let (bit, special) = (1 << (8 - at), 0o4000 >> (at / 3));
        mode |= match letter {
            '-' => 0,
            'r' | 'w' | 'x' => bit,
            's' | 't' => bit | special,
            'S' | 'T' => special,
            _ => return None,
        };
    }
    (letters.len() == 9).then_some(mode)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn archive_contents_are_parsed() {
        let read = |line| packed(line).expect("is an entry");
        let dir = read("drwxr-xr-x root/root         0 2022-12-26 08:00 ./etc/web/");
        assert_eq!((dir.path, dir.kind, dir.mode), ("/etc/web".into(), FileKind::Dir, 0o755));
        let file = read("-rwsr-x--- root/ssl-cert  26936 2022-12-26 08:00 ./usr/bin/a b");
        assert_eq!((file.path, file.mode, file.size), ("/usr/bin/a b".into(), 0o4750, 26936));
        assert_eq!((file.user.as_str(), file.group.as_str()), ("root", "ssl-cert"));
        let link = read("lrwxrwxrwx root/root         0 2022-12-26 08:00 ./usr/bin/link -> ../hello");
        assert_eq!((link.kind, link.target), (FileKind::Link, Some("../hello".into())));
        assert_eq!(read("drwxrwxrwt root/root 0 2022-12-26 08:00 ./tmp/x/").mode, 0o1777);
        for broken in ["", "drwxr-xr-x root/root 0 2022-12-26 08:00 ./", "d root/root 0 d t ./x", "? ? ? ./", "a ./b"] {
            assert!(packed(broken).is_none(), "{broken}");
        }
    }
}
