//! What a disk may hold after a loss of power: whatever was not synced is there, is lost, or came in another order (G3).
//!
//! One apply is traced. Of its calls, those on files become a list of what reached the disk for certain, and what may
//! have. A state after a crash is: all up to a point in that list, where each folder has a prefix of its changes that are
//! not durable yet, and each file any of its writes. Of every such state a deploy is gone on with or taken back.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use workbench::deploy::{
    Holder, Holding, Lock, OnConflict, Recording, StateError, StateFolder, perform_undo, plan_undo, recover,
};
use workbench::engine::{Options, Run};
use workbench::graph::{Graph, Secrets};
use workbench::host::journal::{Begin, Journalled};
use workbench::world::Cancel;

use crate::engine::Sketch;
use crate::generated::Dice;
use crate::promises;
use crate::skip::skip;

/// A file, whatever names it has.
type File = usize;

/// One thing that an apply did to the disk.
#[derive(Clone, Debug)]
enum Deed {
    Name { folder: PathBuf, name: OsString, file: Option<File> },
    Write { file: File, at: usize, bytes: Vec<u8> },
    Cut { file: File, length: usize },
}

/// A deed, and when it was durable.
#[derive(Clone, Debug)]
struct Done {
    deed: Deed,
    /// How many deeds were done when a sync that covers this one ended.
    durable: usize,
}

/// What lies below the folders that are watched.
#[derive(Clone, Debug, Default)]
struct Disk {
    folders: BTreeMap<PathBuf, BTreeMap<OsString, File>>,
    contents: Vec<Vec<u8>>,
}

impl Disk {
    fn read(folders: &[PathBuf]) -> Self {
        let mut disk = Disk::default();
        for folder in folders {
            let mut names = BTreeMap::new();
            for entry in
                std::fs::read_dir(folder).expect("is a folder").flatten().filter(|entry| entry.path().is_file())
            {
                names.insert(entry.file_name(), disk.contents.len());
                disk.contents.push(std::fs::read(entry.path()).expect("is a file"));
            }
            disk.folders.insert(folder.clone(), names);
        }
        disk
    }

    fn write(&self) {
        for (folder, names) in &self.folders {
            for entry in
                std::fs::read_dir(folder).expect("is a folder").flatten().filter(|entry| entry.path().is_file())
            {
                std::fs::remove_file(entry.path()).expect("is ours");
            }
            for (name, file) in names {
                let content = self.contents.get(*file).map_or(&[][..], Vec::as_slice);
                std::fs::write(folder.join(name), content).expect("can be written");
            }
        }
    }

    fn does(&mut self, deed: &Deed) {
        match deed {
            Deed::Name { folder, name, file } => {
                let names = self.folders.get_mut(folder).expect("is watched");
                match file {
                    Some(file) => names.insert(name.clone(), *file),
                    None => names.remove(name),
                };
            }
            Deed::Write { file, at, bytes } => {
                let content = self.content(*file);
                content.resize(content.len().max(at + bytes.len()), 0);
                content[*at..at + bytes.len()].copy_from_slice(bytes);
            }
            Deed::Cut { file, length } => self.content(*file).resize(*length, 0),
        }
    }

    fn content(&mut self, file: File) -> &mut Vec<u8> {
        if self.contents.len() <= file {
            self.contents.resize(file + 1, Vec::new());
        }
        &mut self.contents[file]
    }
}

/// The calls of an apply, as deeds.
struct Traced {
    disk: Disk,
    done: Vec<Done>,
    /// Where each file that is open for writing in order stands.
    ends: BTreeMap<File, usize>,
}

/// One call of a trace.
struct Call<'a> {
    name: &'a str,
    args: Vec<Arg>,
    /// How many deeds were done when it began.
    begun: usize,
}

/// A piece of a call's text that matters: what a handle leads to, a text, a number.
#[derive(Clone, Debug)]
enum Arg {
    Handle(PathBuf),
    Text(Vec<u8>),
    Number(u64),
    Word(String),
}

impl Traced {
    /// Which file a path names now.
    fn file(&self, path: &Path) -> Option<File> {
        self.disk.folders.get(path.parent()?)?.get(path.file_name()?).copied()
    }

    fn does(&mut self, deed: Deed) {
        self.disk.does(&deed);
        self.done.push(Done { deed, durable: usize::MAX });
    }

    fn name(&mut self, path: &Path, file: Option<File>) {
        if let (Some(folder), Some(name)) = (path.parent(), path.file_name())
            && self.disk.folders.contains_key(folder)
        {
            self.does(Deed::Name { folder: folder.into(), name: name.into(), file });
        }
    }

    fn synced(&mut self, begun: usize, covers: impl Fn(&Deed) -> bool) {
        let now = self.done.len();
        for done in &mut self.done[..begun] {
            if done.durable == usize::MAX && covers(&done.deed) {
                done.durable = now;
            }
        }
    }

    fn hear(&mut self, call: &Call) {
        let at = |folder: usize| match (&call.args.get(folder), call.args.get(folder + 1)) {
            (Some(Arg::Handle(folder)), Some(Arg::Text(name))) => folder.join(OsString::from_vec(name.clone())),
            _ => PathBuf::new(),
        };
        let handle = || match call.args.first() {
            Some(Arg::Handle(path)) => path.clone(),
            _ => PathBuf::new(),
        };
        let number = |at: usize| match call.args.get(at) {
            Some(Arg::Number(number)) => *number as usize,
            _ => 0,
        };
        match call.name {
            "openat" => {
                let creates = call.args.iter().any(|arg| matches!(arg, Arg::Word(word) if word.contains("O_CREAT")));
                let path = at(0);
                if creates
                    && self.file(&path).is_none()
                    && path.parent().is_some_and(|it| self.disk.folders.contains_key(it))
                {
                    let file = self.disk.contents.len();
                    self.disk.content(file);
                    self.name(&path, Some(file));
                }
                if let Some(file) = self.file(&path) {
                    self.ends.insert(file, 0);
                }
            }
            "write" | "pwrite64" => {
                let Some(file) = self.file(&handle()) else { return };
                let Some(Arg::Text(bytes)) = call.args.get(1) else { return };
                let at = if call.name == "write" { self.ends.get(&file).copied().unwrap_or(0) } else { number(3) };
                self.ends.insert(file, at + bytes.len());
                self.does(Deed::Write { file, at, bytes: bytes.clone() });
            }
            "ftruncate" => {
                if let Some(file) = self.file(&handle()) {
                    self.does(Deed::Cut { file, length: number(1) });
                }
            }
            "renameat" | "renameat2" => {
                let (from, to) = (at(0), at(2));
                if let Some(file) = self.file(&from) {
                    self.name(&to, Some(file));
                    self.name(&from, None);
                }
            }
            "unlinkat" if self.file(&at(0)).is_some() => self.name(&at(0), None),
            "fsync" | "fdatasync" => {
                let (path, file) = (handle(), self.file(&handle()));
                self.synced(call.begun, |deed| match deed {
                    Deed::Name { folder, .. } => *folder == path,
                    Deed::Write { file: written, .. } | Deed::Cut { file: written, .. } => Some(*written) == file,
                });
            }
            "syncfs" => self.synced(call.begun, |_| true),
            _ => {}
        }
    }
}

const CALLS: &str = "openat,write,pwrite64,ftruncate,renameat,renameat2,unlinkat,fsync,fdatasync,syncfs";

/// The arguments of a call in which all texts are hexadecimal.
fn args(text: &str) -> Vec<Arg> {
    let mut args = Vec::new();
    let unhex = |text: &str| -> Vec<u8> {
        text.split("\\x").skip(1).map(|digits| u8::from_str_radix(&digits[..2], 16).expect("two digits")).collect()
    };
    let mut depth_text = text;
    while !depth_text.is_empty() {
        let end = depth_text.find(", ").unwrap_or(depth_text.len());
        let arg = &depth_text[..end];
        args.push(match arg.split_once(['<', '"']) {
            Some((_, inner)) if arg.starts_with('"') => Arg::Text(unhex(inner.trim_end_matches(['"', '.']))),
            Some((_, inner)) => Arg::Handle(OsString::from_vec(unhex(inner.trim_end_matches('>'))).into()),
            None => arg.parse().map_or_else(|_| Arg::Word(arg.to_owned()), Arg::Number),
        });
        depth_text = depth_text[end..].trim_start_matches(", ");
    }
    args
}

/// All deeds of a trace that several threads wrote: a call that took long stands there in two halves.
fn parse(text: &str, disk: Disk) -> Traced {
    let mut traced = Traced { disk, done: Vec::new(), ends: BTreeMap::new() };
    let mut halves: BTreeMap<&str, (&str, usize)> = BTreeMap::new();
    for line in text.lines() {
        let Some((thread, rest)) = line.split_once(' ') else { continue };
        let rest = rest.trim();
        if let Some(first) = rest.strip_suffix(" <unfinished ...>") {
            halves.insert(thread, (first, traced.done.len()));
            continue;
        }
        let resumed = rest.strip_prefix("<... ").and_then(|rest| rest.split_once(" resumed>"));
        let (whole, begun) = match resumed {
            Some((_, second)) => match halves.remove(thread) {
                Some((first, begun)) => (format!("{first}{second}"), begun),
                None => continue,
            },
            None => (rest.to_owned(), traced.done.len()),
        };
        let Some((name, rest)) = whole.split_once('(') else { continue };
        let Some((inner, result)) = rest.rsplit_once(" = ") else { continue };
        if result.starts_with('-') {
            continue;
        }
        let inner = inner.trim_end().trim_end_matches(')');
        traced.hear(&Call { name, args: args(inner), begun });
    }
    traced
}

/// A tree to be managed and a state folder, both in place, and what the apply is about.
struct Site {
    folder: tempfile::TempDir,
    state: StateFolder,
    /// Each file comes after the one before it.
    in_order: bool,
}

impl Site {
    fn new(in_order: bool) -> Self {
        let folder = crate::promises::folder();
        let state = StateFolder::open(&folder.path().join("state")).expect("can be made");
        let site = Self { folder, state, in_order };
        for folder in site.folders().iter().filter(|folder| !folder.starts_with(site.state.path())) {
            std::fs::create_dir_all(folder).expect("can be made");
        }
        for (path, number) in site.files().filter(|(_, number)| number % 3 != 0) {
            std::fs::write(path, format!("old {number}\n").repeat(20)).expect("can be written");
        }
        site
    }

    fn folders(&self) -> Vec<PathBuf> {
        let below = |name: &str| self.folder.path().join(name);
        vec![below("root/a"), below("root/b"), below("state/deploys"), below("state/blobs")]
    }

    fn files(&self) -> impl Iterator<Item = (PathBuf, usize)> {
        let root = self.folder.path().join("root");
        (0..24)
            .map(move |number| (root.join(if number % 2 == 0 { "a" } else { "b" }).join(format!("f{number}")), number))
    }

    /// New files, changed ones, and some that go.
    fn graph(&self) -> Arc<Graph> {
        let mut sketch = Sketch::new("");
        let mut before = None;
        for (path, number) in self.files() {
            let path = path.display().to_string();
            let gone = number % 3 == 2;
            let params = if gone {
                vec![("state", "absent".into())]
            } else {
                vec![("state", "exists".into()), ("content", format!("new {number}\n").repeat(20).as_str().into())]
            };
            let at = sketch.add("file", &path, &params);
            if let Some(before) = before.replace(at).filter(|_| self.in_order) {
                sketch.connect(before, at, false, None);
            }
        }
        sketch.done()
    }

    fn program(&self) -> PathBuf {
        let mut code = String::new();
        let mut before: Option<PathBuf> = None;
        for (path, number) in self.files() {
            let params = if number % 3 == 2 {
                "state => \"absent\", ".to_owned()
            } else {
                format!("state => \"exists\", content => \"{}\", ", format!("new {number}\\n").repeat(20))
            };
            let edge =
                before.filter(|_| self.in_order).map(|before| format!("Depend => File[\"{}\"], ", before.display()));
            code += &format!("file \"{}\" {{ {params}{} }}\n", path.display(), edge.unwrap_or_default());
            before = Some(path);
        }
        let entry = self.folder.path().join("entry.mcl");
        std::fs::write(&entry, code).expect("can be written");
        entry
    }

    /// The text of a trace of one apply.
    fn traced(&self) -> String {
        let (log, entry) = (self.folder.path().join("calls"), self.program());
        let mut command = Command::new("strace");
        command.args(["-f", "-qq", "-y", "-xx", "-s", "1000000", "-e", &format!("trace={CALLS}"), "-o"]).arg(&log);
        command.arg(env!("CARGO_BIN_EXE_workbench")).args(["apply", "--yes", "-q"]).arg(entry);
        command.env("WORKBENCH_STATE", self.state.path()).stdin(Stdio::null()).stdout(Stdio::null());
        assert!(command.status().expect("strace is there").success());
        std::fs::read_to_string(log).expect("was written")
    }

    fn tree(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut tree = BTreeMap::new();
        for folder in &self.folders()[..2] {
            for entry in std::fs::read_dir(folder).expect("is a folder").flatten() {
                tree.insert(entry.path(), std::fs::read(entry.path()).expect("is a file"));
            }
        }
        tree
    }

    /// Of a chain, the files that are as they are wanted are the first ones.
    fn keeps_order(&self, new: &BTreeMap<PathBuf, Vec<u8>>) -> bool {
        let there = self.tree();
        !self.in_order || self.files().map(|(path, _)| there.get(&path) == new.get(&path)).is_sorted_by(|a, b| a >= b)
    }

    fn begin(&self) -> (Recording, Journalled) {
        let (me, cancel) = (Holder::default(), Cancel::default());
        // A program that another test starts right now holds it too, for the moment before it is itself.
        let patience = Duration::from_secs(10);
        let lock = Lock::take(&self.state.lock(), &me, patience, &cancel, &mut |_| ()).expect("is free");
        Recording::begin(&self.state, lock, Begin::default(), Secrets::default()).expect("can be written")
    }
}

/// What the disk may hold when power fails after `cut` deeds.
fn after_crash(before: &Disk, done: &[Done], cut: usize, dice: &mut Dice) -> Disk {
    let mut disk = before.clone();
    // From there on, a folder's changes are lost.
    let mut lost: BTreeMap<&Path, bool> = BTreeMap::new();
    for done in &done[..cut] {
        let is_durable = done.durable <= cut;
        match &done.deed {
            Deed::Name { folder, .. } => {
                let is_lost = lost.entry(folder).or_default();
                *is_lost |= !is_durable && dice.below(4) == 0;
                if !*is_lost {
                    disk.does(&done.deed);
                }
            }
            _ if is_durable => disk.does(&done.deed),
            Deed::Write { file, at, bytes } => match dice.below(3) {
                0 => {}
                1 => disk.does(&done.deed),
                _ => {
                    let kept = dice.below(bytes.len() as u64 + 1) as usize;
                    disk.does(&Deed::Write { file: *file, at: *at, bytes: bytes[..kept].to_vec() });
                }
            },
            Deed::Cut { .. } => {
                if dice.below(2) == 0 {
                    disk.does(&done.deed);
                }
            }
        }
    }
    disk
}

#[test]
fn power_fails_at_any_moment() {
    power_fails(false);
}

#[test]
fn power_fails_at_any_moment_of_a_chain() {
    power_fails(true);
}

fn power_fails(in_order: bool) {
    if !Command::new("strace").arg("-V").output().is_ok_and(|output| output.status.success()) {
        skip("strace", "strace is not installed");
        return;
    }
    let site = Site::new(in_order);
    let (before, old) = (Disk::read(&site.folders()), site.tree());
    let traced = parse(&site.traced(), before.clone());
    let (graph, new) = (site.graph(), site.tree());
    let seen: BTreeMap<_, _> =
        traced.disk.folders.iter().map(|(at, names)| (at, names.keys().collect::<Vec<_>>())).collect();
    let there = Disk::read(&site.folders());
    let found: BTreeMap<_, _> =
        there.folders.iter().map(|(at, names)| (at, names.keys().collect::<Vec<_>>())).collect();
    assert_eq!(seen, found, "the trace tells all that was done");
    assert!(traced.done.iter().all(|done| done.durable != usize::MAX || matches!(done.deed, Deed::Write { .. })));
    let count = promises::count(300, 100_000);
    let (begun, mut dice) = (Instant::now(), Dice::new(3));
    let (mut back, mut on) = (0, 0);
    for number in 0..count {
        let cut = dice.below(traced.done.len() as u64 + 1) as usize;
        let disk = after_crash(&before, &traced.done, cut, &mut dice);
        disk.write();
        let what = format!("state {number}, power fails after {cut} of {}", traced.done.len());
        for (path, content) in site.tree() {
            let is = |tree: &BTreeMap<PathBuf, Vec<u8>>| tree.get(&path) == Some(&content);
            let is_temporary = path.file_name().is_some_and(|name| name.as_bytes().starts_with(b".workbench-"));
            assert!(is(&old) || is(&new) || is_temporary, "{what}: {} is torn", path.display());
        }
        assert!(site.keeps_order(&new), "{what}: the order of the chain");
        let recovered = match recover(&site.state, 1, OnConflict::Stop) {
            Ok(recovered) => Some(recovered),
            Err(StateError::NoDeploy(_) | StateError::Host(_)) => None,
            Err(error) => panic!("{what}: {error}"),
        };
        let Some(recovered) = recovered else {
            assert_eq!(site.tree(), old, "{what}: it never began");
            continue;
        };
        assert!(recovered.is_closed, "{what}: {:#?}", recovered.found);
        if number % 2 == 0 {
            let blobs = site.state.blobs().expect("are there");
            let steps = plan_undo(&[recovered.deploy], &blobs, Holding::Stays).expect("can be planned");
            let (_recording, host) = site.begin();
            let undone = perform_undo(&steps, &host, OnConflict::Stop, &mut |_, _| ());
            assert_eq!((undone.failed, undone.lost, undone.kept), (0, 0, 0), "{what}");
            assert_eq!(site.tree(), old, "{what}: taken back");
            back += 1;
        } else {
            let (recording, host) = site.begin();
            let mut run = Run::new(Arc::clone(&graph), Box::new(host), Options::default());
            run.run_to_end(&mut |event| recording.record(&event));
            assert_eq!(site.tree(), new, "{what}: gone on with");
            on += 1;
        }
    }
    promises::figure(
        "G3",
        format_args!(
            "{count} states of the disk, {on} gone on with, {back} taken back, 0 bad, {:.1?}",
            begun.elapsed()
        ),
    );
}
