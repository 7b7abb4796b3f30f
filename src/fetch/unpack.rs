//! The files of an archive, judged whole before any of it is written, by the same rules as a commit's tree.
//!
//! Regular files and folders only. A name that leads out of the module, or that could mean something else to a file system,
//! refuses the whole archive, with all offences named. Nothing of an archive is ever run.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use flate2::read::GzDecoder;
use sha2::{Digest as _, Sha256};

use super::FetchError;
use super::hash::{Entry, Hex, TreeHash};
use super::permit::Permit;
use super::tree::{Offence, Offending, Tree, TreeLimits, create_file, make_folders, name_of};
use crate::module::Form;

/// More offences are not listed.
const OFFENCES: usize = 50;

/// What an archive was unpacked to.
pub struct Unpacked {
    pub hash: TreeHash,
    pub files: usize,
    pub bytes: u64,
    pub left_out: Vec<Offence>,
    pub used: Vec<Permit>,
}

/// Writes the files of a module below an empty folder. `name` is the module's in its index.
pub fn unpack(
    archive: &mut File,
    form: Form,
    name: &str,
    limits: &TreeLimits,
    folder: &OwnedFd,
) -> Result<Unpacked, FetchError> {
    let mut judge = Judge { form, module: module_of(name), limits, ..Judge::new(limits) };
    each(archive, form, limits, &mut |item| Ok(judge.item(item)))?;
    if !judge.offences.is_empty() {
        return Err(FetchError::Tree(judge.offences));
    }
    if judge.files.is_empty() {
        return Err(FetchError::Archive("it has no file of the module".into()));
    }
    if let [one, other, ..] = &judge.tops.iter().collect::<Vec<_>>()[..] {
        return Err(FetchError::Unfit(format!("it has two top folders, `{one}` and `{other}`")));
    }
    let record = match judge.record.take() {
        Some(text) => Some(Record::parse(&text)?),
        None if form == Form::Wheel => {
            return Err(FetchError::Unfit("it has no RECORD, the list of its files with their hashes".into()));
        }
        None => None,
    };
    let files: BTreeMap<String, (String, bool)> = std::mem::take(&mut judge.files);
    make_folders(folder.as_fd(), files.values().map(|(path, _)| path.as_str()))?;
    let mut written: Vec<Entry> = Vec::new();
    each(archive, form, limits, &mut |item| {
        let raw = String::from_utf8_lossy(&item.path).into_owned();
        if let Some((path, executable)) = files.get(&raw).filter(|_| item.kind == Kind::File) {
            let entry = write(folder.as_fd(), path, *executable, item.content)?;
            record.as_ref().map_or(Ok(()), |record| record.check(&raw, &entry.content))?;
            written.push(entry);
        }
        Ok(true)
    })?;
    if let Some(absent) = record.as_ref().and_then(|record| record.first_without(&judge.module, &files)) {
        return Err(FetchError::Unfit(format!("its RECORD lists `{absent}`, which is not there")));
    }
    written.sort_by(|a, b| a.path.cmp(&b.path));
    let mut hash = TreeHash::builder();
    written.iter().for_each(|entry| hash.add(entry));
    let Judge { tree: Tree { bytes, left_out, used, .. }, .. } = judge;
    Ok(Unpacked { hash: hash.finish(), files: written.len(), bytes, left_out, used: used.into_iter().collect() })
}

/// The list of a wheel's files with their hashes (PEP 427).
struct Record(BTreeMap<String, String>);

impl Record {
    /// Each line is the path, the hash, and the size; a path with a comma is in quotes.
    fn parse(text: &str) -> Result<Self, FetchError> {
        let line = |line: &str| {
            let (path, hash) = line.rsplit_once(',')?.0.rsplit_once(',')?;
            let quoted = path.strip_prefix('"').and_then(|path| path.strip_suffix('"'));
            Some((quoted.map_or_else(|| path.to_owned(), |path| path.replace("\"\"", "\"")), hash.to_owned()))
        };
        let mut rows = BTreeMap::new();
        for (path, hash) in text.lines().filter_map(line) {
            if let Some(other) = rows.get(&path).filter(|other| **other != hash) {
                let shown = crate::source::printable(&path);
                return Err(FetchError::Unfit(format!("its RECORD has two hashes for `{shown}`: {other} and {hash}")));
            }
            rows.insert(path, hash);
        }
        Ok(Self(rows))
    }

    fn check(&self, name: &str, content: &Hex) -> Result<(), FetchError> {
        let shown = crate::source::printable(name);
        let is = format!("sha256={}", URL_SAFE_NO_PAD.encode(content.0));
        let why = match self.0.get(name) {
            Some(hash) if *hash == is => return Ok(()),
            Some(hash) if hash.starts_with("sha256=") => "another hash",
            _ => "no SHA-256",
        };
        Err(FetchError::Unfit(format!("its RECORD has {why} for `{shown}`")))
    }

    /// A file of the module that is listed and not among `files`.
    fn first_without(&self, module: &str, files: &BTreeMap<String, (String, bool)>) -> Option<String> {
        let below = format!("inmanta_plugins/{module}/");
        let absent = self.0.keys().find(|name| name.starts_with(&below) && !files.contains_key(*name))?;
        Some(crate::source::printable(absent).to_string())
    }
}

fn module_of(package: &str) -> String {
    package.strip_prefix("inmanta-module-").unwrap_or(package).replace('-', "_")
}

fn write(folder: BorrowedFd<'_>, path: &str, executable: bool, content: &mut dyn Read) -> Result<Entry, FetchError> {
    let failed = |error: io::Error| FetchError::Disk { path: path.to_owned(), reason: error.to_string() };
    let mut out = create_file(folder, path, executable)?;
    let (mut hasher, mut buffer) = (Sha256::new(), vec![0; 64 << 10]);
    loop {
        match content.read(&mut buffer).map_err(|error| FetchError::Archive(error.to_string()))? {
            0 => break,
            count => {
                hasher.update(&buffer[..count]);
                out.write_all(&buffer[..count]).map_err(failed)?;
            }
        }
    }
    Ok(Entry { path: path.to_owned(), executable, content: Hex(hasher.finalize().into()) })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    File,
    Folder,
    Link,
    Other,
}

/// One entry of an archive.
struct Item<'a> {
    path: Vec<u8>,
    kind: Kind,
    size: u64,
    executable: bool,
    content: &'a mut dyn Read,
}

/// Calls `visit` with each entry until it gives `false`.
fn each(
    archive: &mut File,
    form: Form,
    limits: &TreeLimits,
    visit: &mut dyn FnMut(Item<'_>) -> Result<bool, FetchError>,
) -> Result<(), FetchError> {
    archive.seek(SeekFrom::Start(0)).map_err(|error| FetchError::Archive(error.to_string()))?;
    match form {
        Form::Forge => each_of_tar(archive, limits, visit),
        Form::Wheel => each_of_zip(archive, limits, visit),
    }
}

fn each_of_tar(
    archive: &mut File,
    limits: &TreeLimits,
    visit: &mut dyn FnMut(Item<'_>) -> Result<bool, FetchError>,
) -> Result<(), FetchError> {
    use tar::EntryType;
    /// Headers and padding of an archive take this much beside its files.
    const HEADERS: u64 = 256 << 20;
    let bad = |error: io::Error| FetchError::Archive(error.to_string());
    let unzipped = GzDecoder::new(BufReader::new(archive)).take(limits.total.saturating_add(HEADERS));
    let mut tar = tar::Archive::new(unzipped);
    for entry in tar.entries().map_err(bad)? {
        let mut entry = entry.map_err(bad)?;
        let kind = match entry.header().entry_type() {
            EntryType::Regular | EntryType::Continuous => Kind::File,
            EntryType::Directory => Kind::Folder,
            EntryType::Symlink | EntryType::Link => Kind::Link,
            EntryType::XGlobalHeader | EntryType::XHeader => continue,
            _ => Kind::Other,
        };
        let executable = entry.header().mode().is_ok_and(|mode| mode & 0o100 != 0);
        let (path, size) = (entry.path_bytes().into_owned(), entry.size());
        if !visit(Item { path, kind, size, executable, content: &mut entry })? {
            break;
        }
    }
    Ok(())
}

fn each_of_zip(
    archive: &mut File,
    limits: &TreeLimits,
    visit: &mut dyn FnMut(Item<'_>) -> Result<bool, FetchError>,
) -> Result<(), FetchError> {
    let bad = |error: zip::result::ZipError| FetchError::Archive(error.to_string());
    let mut zip = zip::ZipArchive::new(BufReader::new(archive)).map_err(bad)?;
    // Readers disagree about which of the two counts.
    if zip.has_duplicate_names() {
        return Err(FetchError::Unfit("two of its files have the same name".into()));
    }
    for at in 0..zip.len() {
        let mut file = zip.by_index(at).map_err(bad)?;
        let mode = file.unix_mode().unwrap_or_default();
        let kind = match mode & 0o170_000 {
            0o120_000 => Kind::Link,
            _ if file.is_dir() => Kind::Folder,
            0 | 0o100_000 => Kind::File,
            _ => Kind::Other,
        };
        let (path, size) = (file.name_raw().to_vec(), file.size());
        // The size in the archive may be wrong.
        let mut content = (&mut file).take(size.min(limits.file));
        if !visit(Item { path, kind, size, executable: mode & 0o100 != 0, content: &mut content })? {
            break;
        }
    }
    Ok(())
}

/// Whether a folder of a wheel describes the package.
fn is_about(top: &str) -> bool {
    top.ends_with(".dist-info")
}

fn record_of(content: &mut dyn Read) -> String {
    /// A list of all files that an archive may hold is not longer.
    const MOST: u64 = 16 << 20;
    let mut bytes = Vec::new();
    // What cannot be read lists nothing, so the first file is refused.
    let _ = content.take(MOST).read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

struct Judge<'a> {
    form: Form,
    module: String,
    limits: &'a TreeLimits,
    entries: usize,
    /// By their names in the archive: where they go, and whether they may be run.
    files: BTreeMap<String, (String, bool)>,
    /// Every path and each folder above one, in lower case, with the path itself.
    seen: BTreeMap<String, (String, bool)>,
    /// The folders at the top: of a Forge's archive, and those with the metadata of a wheel.
    tops: BTreeSet<String>,
    /// The text of a wheel's list of files.
    record: Option<String>,
    tree: Tree,
    offences: Vec<Offence>,
}

impl<'a> Judge<'a> {
    fn new(limits: &'a TreeLimits) -> Self {
        Self {
            form: Form::Forge,
            module: String::new(),
            limits,
            entries: 0,
            files: BTreeMap::new(),
            seen: BTreeMap::new(),
            tops: BTreeSet::new(),
            record: None,
            tree: Tree::default(),
            offences: Vec::new(),
        }
    }

    /// Judges one entry; `false` where there is too much to go on.
    fn item(&mut self, item: Item<'_>) -> bool {
        let raw = String::from_utf8_lossy(&item.path).into_owned();
        let shown = crate::source::printable(&raw).as_str().to_owned();
        self.entries += 1;
        if self.entries > self.limits.entries {
            self.offend(shown, Offending::Entries);
            return false;
        }
        let Some(parts) = self.parts(&item.path, &shown) else { return self.offences.len() < OFFENCES };
        if let Some(top) = self.top(&parts, item.kind) {
            self.tops.insert(top.to_owned());
        }
        match item.kind {
            Kind::Folder => {}
            Kind::Link if self.limits.shapes.without_links => {
                self.tree.used.insert(Permit::Links);
                self.tree.left_out.push(Offence { path: shown, what: Offending::ArchivedLink });
            }
            Kind::Link => self.offend(shown, Offending::ArchivedLink),
            Kind::Other => self.offend(shown, Offending::Mode),
            Kind::File => {
                let is_record = |parts: &[String]| matches!(parts, [top, name] if is_about(top) && name == "RECORD");
                if self.form == Form::Wheel && is_record(&parts) {
                    self.record = Some(record_of(item.content));
                    return true;
                }
                return self.file(raw, shown, &parts, &item);
            }
        }
        self.offences.len() < OFFENCES
    }

    /// The folder at the top that an entry is in, where there may be only one such.
    fn top<'p>(&self, parts: &'p [String], kind: Kind) -> Option<&'p str> {
        let [top, inside @ ..] = parts else { return None };
        let is_in_folder = !inside.is_empty() || kind == Kind::Folder;
        let counts = is_in_folder && (self.form == Form::Forge || is_about(top));
        counts.then_some(top.as_str())
    }

    /// The parts of a path, each of which may be written.
    fn parts(&mut self, path: &[u8], shown: &str) -> Option<Vec<String>> {
        let mut path = path.strip_suffix(b"/").unwrap_or(path);
        while let Some(rest) = path.strip_prefix(b"./") {
            path = rest;
        }
        let mut parts = Vec::new();
        for part in path.split(|byte| *byte == b'/').filter(|_| path != b".") {
            match name_of(part, self.limits.shapes.odd_names) {
                Ok((name, is_odd)) => {
                    if is_odd {
                        self.tree.used.insert(Permit::Names);
                    }
                    parts.push(name.to_owned());
                }
                Err(what) => {
                    self.offend(shown.to_owned(), what);
                    return None;
                }
            }
        }
        Some(parts)
    }

    fn file(&mut self, raw: String, shown: String, parts: &[String], item: &Item<'_>) -> bool {
        let Some(path) = self.place(parts) else { return true };
        self.tree.bytes = self.tree.bytes.saturating_add(item.size);
        let depth = path.matches('/').count();
        let too_much = [
            (item.size > self.limits.file, Offending::FileSize),
            (self.tree.bytes > self.limits.total, Offending::TotalSize),
            (depth > self.limits.depth, Offending::Depth),
        ];
        if let Some((_, what)) = too_much.into_iter().find(|(is_so, _)| *is_so) {
            self.offend(shown, what);
            return false;
        }
        if let Some(what) = self.clash(&path) {
            self.offend(shown, what);
            return self.offences.len() < OFFENCES;
        }
        self.files.insert(raw, (path, item.executable));
        true
    }

    /// The path of a file inside the module; `None` for a file that is not part of it.
    fn place(&self, parts: &[String]) -> Option<String> {
        match (self.form, parts) {
            // All of it is in one folder of any name.
            (Form::Forge, [_, inside @ ..]) if !inside.is_empty() => Some(inside.join("/")),
            // In a package the model is beside the Python files; in a module it is above them.
            (Form::Wheel, [plugins, module, inside @ ..]) if plugins == "inmanta_plugins" && *module == self.module => {
                let first = inside.first()?;
                let is_above = matches!(first.as_str(), "model" | "files" | "templates" | "setup.cfg");
                Some(if is_above { inside.join("/") } else { parts.join("/") })
            }
            _ => None,
        }
    }

    /// Whether a path, or a folder above it, has been there: again, with another spelling, or as something else.
    fn clash(&mut self, path: &str) -> Option<Offending> {
        let ends = path.match_indices('/').map(|(at, _)| (at, false)).chain([(path.len(), true)]);
        let mut clash = None;
        for (end, is_file) in ends {
            let exact = &path[..end];
            let before = self.seen.insert(exact.to_lowercase(), (exact.to_owned(), is_file));
            clash = clash.or(match before {
                None => None,
                Some((other, was_file)) if other == exact && is_file && was_file => Some(Offending::Twice),
                Some((other, was_file)) if other == exact => (is_file || was_file).then_some(Offending::Clash),
                Some(_) if self.limits.shapes.odd_names => {
                    self.tree.used.insert(Permit::Names);
                    None
                }
                Some(_) => Some(Offending::Clash),
            });
        }
        clash
    }

    fn offend(&mut self, path: String, what: Offending) {
        self.offences.push(Offence { path, what });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Row<'a> = (&'a str, &'a str, tar::EntryType);

    const PLAIN: tar::EntryType = tar::EntryType::Regular;

    /// Writes names past all checks.
    fn tar_of(rows: &[Row<'_>]) -> File {
        let mut file = tempfile::tempfile().expect("there is room");
        let mut gz = flate2::write::GzEncoder::new(&mut file, flate2::Compression::fast());
        for (name, content, kind) in rows {
            let mut header = tar::Header::new_ustar();
            header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
            header.set_size(content.len() as u64);
            header.set_mode(0o755);
            header.set_entry_type(*kind);
            header.set_cksum();
            gz.write_all(header.as_bytes()).expect("there is room");
            gz.write_all(content.as_bytes()).expect("there is room");
            gz.write_all(&vec![0; content.len().next_multiple_of(512) - content.len()]).expect("there is room");
        }
        gz.write_all(&[0; 1024]).expect("there is room");
        gz.finish().expect("there is room");
        file
    }

    fn zip_of(rows: &[(&str, &str)]) -> File {
        let file = tempfile::tempfile().expect("there is room");
        let mut zip = zip::ZipWriter::new(file);
        for (name, content) in rows {
            zip.start_file(*name, zip::write::SimpleFileOptions::default()).expect("the name is taken as it is");
            zip.write_all(content.as_bytes()).expect("there is room");
        }
        zip.finish().expect("there is room")
    }

    fn unpacked(mut file: File, form: Form, limits: &TreeLimits) -> (tempfile::TempDir, Result<Unpacked, String>) {
        let folder = tempfile::tempdir().expect("there is room");
        let fd = OwnedFd::from(File::open(folder.path()).expect("it was just made"));
        let name = if form == Form::Wheel { "inmanta-module-two-parts" } else { "a-b" };
        let ended = unpack(&mut file, form, name, limits, &fd).map_err(|error| error.to_string());
        (folder, ended)
    }

    #[test]
    fn a_module_is_written_without_the_folder_around_it() {
        let rows = [("b-1.0.0/metadata.json", "{}", PLAIN), ("b-1.0.0/manifests/init.pp", "class b {}\n", PLAIN)];
        let (folder, ended) = unpacked(tar_of(&rows), Form::Forge, &TreeLimits::default());
        let unpacked = ended.expect("nothing is wrong with it");
        assert_eq!((unpacked.files, unpacked.bytes), (2, 13));
        assert_eq!(TreeHash::of_folder(folder.path(), &[]).expect("it can be read"), unpacked.hash);
        assert_eq!(
            std::fs::read_to_string(folder.path().join("manifests/init.pp")).expect("it is there"),
            "class b {}\n"
        );
    }

    #[test]
    fn a_wheel_becomes_a_module_with_its_model_on_top() {
        let package = "inmanta_plugins/two_parts";
        let rows = [
            (format!("{package}/model/_init.cf"), "x = 1\n"),
            (format!("{package}/setup.cfg"), "[metadata]\n"),
            (format!("{package}/__init__.py"), "\n"),
            ("inmanta_plugins/other/__init__.py".into(), "\n"),
            ("inmanta_module_two_parts-1.0.dist-info/METADATA".into(), "\n"),
        ];
        let hash = |text: &str| URL_SAFE_NO_PAD.encode(Sha256::digest(text));
        let record: String = rows.iter().map(|(name, text)| format!("{name},sha256={},\n", hash(text))).collect();
        let mut rows: Vec<(&str, &str)> = rows.iter().map(|(name, text)| (name.as_str(), *text)).collect();
        let without = unpacked(zip_of(&rows), Form::Wheel, &TreeLimits::default()).1.err().unwrap_or_default();
        assert!(without.contains("it has no RECORD"), "{without}");
        rows.push(("inmanta_module_two_parts-1.0.dist-info/RECORD", &record));
        let (folder, ended) = unpacked(zip_of(&rows), Form::Wheel, &TreeLimits::default());
        assert_eq!(ended.expect("nothing is wrong with it").files, 3);
        for path in ["model/_init.cf", "setup.cfg", "inmanta_plugins/two_parts/__init__.py"] {
            assert!(folder.path().join(path).is_file(), "{path}");
        }
    }

    #[test]
    fn hostile_entries_refuse_all_and_are_named() {
        let good = ("b/metadata.json", "{}", PLAIN);
        let cases: &[(Row<'_>, &str)] = &[
            (("b/../../evil", "x", PLAIN), "`b/../../evil` has an invalid file name"),
            (("/etc/evil", "x", PLAIN), "`/etc/evil` has an invalid file name"),
            (("b/link", "", tar::EntryType::Symlink), "`b/link` is a link"),
            (("b/hard", "", tar::EntryType::Link), "`b/hard` is a link"),
            (("b/null", "", tar::EntryType::Char), "`b/null` is not a file or folder"),
            (("b/.git/config", "x", PLAIN), "`b/.git/config` has a name reserved by git"),
            (("b/-rf", "x", PLAIN), "`b/-rf` has an invalid file name"),
            (("b/METADATA.json", "x", PLAIN), "differs from another name only in case"),
            (("b/metadata.json", "x", PLAIN), "`b/metadata.json` is in it twice"),
            (("./b/metadata.json", "x", PLAIN), "is in it twice"),
            (("c/x", "x", PLAIN), "two top folders, `b` and `c`"),
            (("c/", "", tar::EntryType::Directory), "two top folders, `b` and `c`"),
            (("b/metadata.json/x", "x", PLAIN), "differs from another name only in case"),
            (("b/a\u{1b}[2J", "x", PLAIN), "`b/a\\x1b[2J` has an invalid file name"),
        ];
        for (row, says) in cases {
            let (folder, ended) = unpacked(tar_of(&[good, *row]), Form::Forge, &TreeLimits::default());
            let error = ended.err().unwrap_or_default();
            assert!(error.contains(says), "{error:?} lacks {says:?}");
            assert_eq!(std::fs::read_dir(folder.path()).map(Iterator::count).ok(), Some(0), "nothing was written");
        }
        let (folder, ended) = unpacked(zip_of(&[("../evil", "x")]), Form::Wheel, &TreeLimits::default());
        assert!(ended.err().unwrap_or_default().contains("`../evil` has an invalid file name"));
        assert!(!folder.path().join("../evil").exists());
    }

    #[test]
    fn a_wheel_matches_its_record() {
        let (file, list) = ("inmanta_plugins/two_parts/model/_init.cf", "x-1.dist-info/RECORD");
        let hash = URL_SAFE_NO_PAD.encode(Sha256::digest("x = 1\n"));
        let right = format!("{file},sha256={hash},6\n{list},,\n");
        let ended = |rows: &[(&str, &str)]| unpacked(zip_of(rows), Form::Wheel, &TreeLimits::default()).1;
        assert_eq!(ended(&[(file, "x = 1\n"), (list, &right)]).expect("nothing is wrong with it").files, 1);
        let md5 = format!("{file},md5=0123,6\n");
        let twice = right.clone() + &format!("{file},sha256=x,6\n");
        let absent = right.clone() + "inmanta_plugins/two_parts/a.py,sha256=x,1\n";
        for (text, record, says) in [
            ("x = 2\n", &*right, "its RECORD has another hash for `inmanta_plugins/two_parts/model/_init.cf`"),
            ("x = 1\n", &*md5, "its RECORD has no SHA-256"),
            ("x = 1\n", "", "its RECORD has no SHA-256"),
            ("x = 1\n", &*twice, "its RECORD has two hashes for"),
            ("x = 1\n", &*absent, "lists `inmanta_plugins/two_parts/a.py`, which is not there"),
        ] {
            let error = ended(&[(file, text), (list, record)]).err().unwrap_or_default();
            assert!(error.contains(says), "{error:?} lacks {says:?}");
        }
        let error = ended(&[(file, "x = 1\n"), (list, &right), ("y-2.dist-info/METADATA", "")]).err();
        assert!(error.is_some_and(|error| error.contains("two top folders, `x-1.dist-info` and `y-2.dist-info`")));
        // No writer makes one with the same name twice.
        let (one, other) = ("inmanta_plugins/two_parts/a.py", "inmanta_plugins/two_parts/b.py");
        let mut bytes = Vec::new();
        let mut whole = zip_of(&[(one, "1"), (other, "2")]);
        whole.seek(SeekFrom::Start(0)).and_then(|_| whole.read_to_end(&mut bytes)).expect("it was just written");
        while let Some(at) = bytes.windows(other.len()).position(|part| part == other.as_bytes()) {
            bytes[at..at + other.len()].copy_from_slice(one.as_bytes());
        }
        let mut twice = tempfile::tempfile().expect("there is room");
        twice.write_all(&bytes).expect("there is room");
        let error = unpacked(twice, Form::Wheel, &TreeLimits::default()).1.err();
        assert_eq!(error.as_deref(), Some("its archive is refused: two of its files have the same name"));
    }

    #[test]
    fn sizes_are_bounded() {
        let limits = |file, total, entries| TreeLimits { file, total, entries, ..TreeLimits::default() };
        let rows = [("b/a", "12345", PLAIN), ("b/b", "12345", PLAIN)];
        let error = |limits| unpacked(tar_of(&rows), Form::Forge, &limits).1.err().unwrap_or_default();
        assert!(error(limits(4, 100, 10)).contains("`b/a` is too large"));
        assert!(error(limits(5, 9, 10)).contains("`b/b` exceeds the total size limit"));
        assert!(error(limits(5, 10, 1)).contains("`b/b` exceeds the limit of entries"));
        assert_eq!(error(limits(5, 10, 2)), "");
    }

    #[test]
    fn files_that_are_no_archive_are_refused() {
        for form in [Form::Forge, Form::Wheel] {
            let mut file = tempfile::tempfile().expect("there is room");
            file.write_all(b"<html>not found").expect("there is room");
            let (_folder, ended) = unpacked(file, form, &TreeLimits::default());
            assert!(ended.err().is_some_and(|error| error.contains("its archive cannot be read")));
        }
    }
}
