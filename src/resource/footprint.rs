//! The paths that a resource reads and writes, derived from its parameters before its turn.
//!
//! Turns that touch a common path must not run concurrently. Undeclared effects of a command are in no footprint. Use
//! edges for those.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use rustc_hash::{FxHashMap, FxHashSet};

use super::edit::expand;
use super::file_path;
use crate::graph::{Declaration, Value};
use crate::host::{FileKind, Look, each};

/// The paths that a turn touches. A path includes everything below it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    pub reads: Vec<PathBuf>,
    pub writes: Vec<PathBuf>,
    /// The symbolic link that it manages, and its target.
    pub link: Option<(PathBuf, PathBuf)>,
}

impl Footprint {
    /// Returns the footprint of a resource with these parameters; the values of `received` ones are not known yet.
    pub fn of(wanted: &Declaration, received: &[&str], look: &dyn Look) -> Self {
        let given = Inputs { wanted, received };
        match &*wanted.kind {
            "file" => file(&given, look),
            "crontab" => Self::writes(given.text("file").map(clean)),
            "line" | "entry" => Self::writes(given.text("file").and_then(|path| home(path, look))),
            "ssh:authorized_key" => Self::writes(keys(&given, look)),
            "json:edit" => Self::writes(given.or_name("store").map(document)),
            "kv" => Self::writes(given.or_name("key").map(stored)),
            "gzip" => {
                Self { reads: given.text("input").map(clean).into_iter().collect(), ..path_named(&given, "path") }
            }
            "tar" => Self { reads: given.texts("inputs").map(clean).collect(), ..path_named(&given, "path") },
            "http:client" => path_named(&given, "file"),
            "mount" => Self::writes(Some(clean(&wanted.name))),
            "exec" => Self {
                reads: given.texts("mtimes").map(clean).collect(),
                ..Self::writes(given.text("creates").map(clean))
            },
            _ => Self::default(),
        }
        .unless_open(&given)
    }

    fn writes(path: Option<PathBuf>) -> Self {
        Self { writes: path.into_iter().collect(), ..Self::default() }
    }

    /// A received path may be any path.
    fn unless_open(mut self, given: &Inputs) -> Self {
        const PATHS: [&str; 11] = [
            "path",
            "dirname",
            "basename",
            "source",
            "fragments",
            "file",
            "store",
            "input",
            "inputs",
            "creates",
            "mtimes",
        ];
        let touches = !self.writes.is_empty() || !self.reads.is_empty() || self.link.is_some();
        if touches && PATHS.iter().any(|param| given.is_open(param)) {
            self.writes.push(PathBuf::from("/"));
        }
        self
    }

    /// Whether it has neither a read nor a written path.
    pub fn is_empty(&self) -> bool {
        self.reads.is_empty() && self.writes.is_empty()
    }
}

struct Inputs<'a> {
    wanted: &'a Declaration,
    received: &'a [&'a str],
}

impl<'a> Inputs<'a> {
    fn value(&self, param: &str) -> Option<&'a Value> {
        let mut value = self.wanted.params.get(param);
        while let Some(Value::Sensitive(inner)) = value {
            value = Some(inner);
        }
        value
    }

    fn text(&self, param: &str) -> Option<&'a str> {
        self.value(param).and_then(Value::as_str).filter(|text| !text.is_empty())
    }

    fn or_name(&self, param: &str) -> Option<&'a str> {
        Some(self.text(param).unwrap_or(&self.wanted.name))
    }

    fn texts(&self, param: &str) -> impl Iterator<Item = &'a str> {
        self.value(param).and_then(Value::as_list).unwrap_or_default().iter().filter_map(Value::as_str)
    }

    fn flag(&self, param: &str) -> bool {
        self.value(param).and_then(Value::as_bool) == Some(true)
    }

    fn is_open(&self, param: &str) -> bool {
        self.received.contains(&param) || matches!(self.value(param), Some(Value::Unknown | Value::Deferred(_)))
    }
}

fn path_named(given: &Inputs, param: &str) -> Footprint {
    Footprint::writes(given.or_name(param).map(clean))
}

fn file(given: &Inputs, look: &dyn Look) -> Footprint {
    let path = clean(&file_path(&given.wanted.name, &given.wanted.params));
    let source = given.text("source");
    let mut footprint = Footprint::default();
    if given.flag("symlink") {
        let to = source.map(|to| clean_path(&path.parent().unwrap_or(Path::new("/")).join(to)));
        footprint.link = to.map(|to| (path.clone(), to));
    } else {
        footprint.reads = source.into_iter().chain(given.texts("fragments")).map(clean).collect();
    }
    // It also makes the parent folders. Another turn that needs one of them must not make it at the same time.
    let is_missing = |above: &&Path| matches!(look.stat_target(above), Ok(None) | Err(_));
    if given.flag("recurse") {
        let made = path.ancestors().skip(1).take_while(is_missing).last();
        footprint.writes.extend(made.map(Path::to_path_buf));
    }
    footprint.writes.push(path);
    footprint
}

fn keys(given: &Inputs, look: &dyn Look) -> Option<PathBuf> {
    let user = given.text("user").unwrap_or_default();
    let file = given.text("file").map_or_else(|| format!("~{user}/.ssh/authorized_keys"), str::to_owned);
    // The parent folder may be made too.
    home(&file, look).map(|path| path.parent().map_or_else(|| path.clone(), Path::to_path_buf))
}

fn home(path: &str, look: &dyn Look) -> Option<PathBuf> {
    expand(path, look).ok().map(|path| clean_path(&path))
}

fn document(handle: &str) -> PathBuf {
    match handle.strip_prefix("etcd:///") {
        Some(key) => stored(key),
        None => clean(handle.strip_prefix("file://").unwrap_or(handle)),
    }
}

/// The path of a key of the shared store. No path of the machine is relative.
fn stored(key: &str) -> PathBuf {
    Path::new("shared store").join(key.trim_matches('/'))
}

fn clean(path: &str) -> PathBuf {
    clean_path(Path::new(path))
}

/// Removes `.`, `..` and duplicate slashes.
pub fn clean_path(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                clean.pop();
            }
            part => clean.push(part),
        }
    }
    clean
}

/// A path with more aliases than this counts as any path.
const ALIASES: usize = 64;

/// The effects of symbolic links on paths: existing links, and those that the graph will make.
pub struct Aliases<'a> {
    look: &'a dyn Look,
    /// Future links.
    coming: FxHashMap<OsString, PathBuf>,
    /// The target of each path that is a link.
    known: FxHashMap<OsString, Option<PathBuf>>,
    /// Folders without a link in their path, now or later.
    straight: FxHashSet<OsString>,
}

impl<'a> Aliases<'a> {
    /// Makes the aliases of a machine and of the links that the graph will create. `coming` pairs each such link with
    /// its target.
    pub fn new(look: &'a dyn Look, coming: impl Iterator<Item = (PathBuf, PathBuf)>) -> Self {
        let coming = coming.map(|(from, to)| (from.into_os_string(), to)).collect();
        Self { look, coming, known: FxHashMap::default(), straight: FxHashSet::default() }
    }

    /// Resolves many paths at once for later queries.
    pub fn learn<'p>(&mut self, paths: impl Iterator<Item = &'p PathBuf>) {
        let mut found: Vec<(&PathBuf, Option<PathBuf>)> = paths.map(|path| (path, None)).collect();
        let look = self.look;
        each(&mut found, |(path, to)| *to = link(look, path));
        self.known.extend(found.into_iter().map(|(path, to)| (path.clone().into_os_string(), to)));
    }

    /// Returns the path and all of its aliases; `None` if it may be any path.
    pub fn all(&mut self, path: &Path) -> Option<Vec<PathBuf>> {
        let mut all = vec![path.to_path_buf()];
        if self.is_straight(path) {
            return Some(all);
        }
        let mut at = 0;
        while let Some(path) = all.get(at).cloned() {
            at += 1;
            for above in path.ancestors() {
                let below = path.strip_prefix(above).unwrap_or(Path::new(""));
                let now = self.leads_to(above);
                for to in now.into_iter().chain(self.coming.get(above.as_os_str()).cloned()) {
                    // Joining an empty path would add a slash.
                    let other = if below.as_os_str().is_empty() { to } else { to.join(below) };
                    if !all.contains(&other) {
                        all.push(other);
                    }
                }
            }
            if all.len() > ALIASES {
                return None;
            }
        }
        Some(all)
    }

    /// Whether neither the path nor a parent folder is or becomes a link.
    fn is_straight(&mut self, path: &Path) -> bool {
        if self.may_lead_elsewhere(path) {
            return false;
        }
        let Some(folder) = path.parent() else { return true };
        if self.straight.contains(folder.as_os_str()) {
            return true;
        }
        let is_straight = !folder.ancestors().any(|above| self.may_lead_elsewhere(above));
        if is_straight {
            self.straight.insert(folder.as_os_str().to_owned());
        }
        is_straight
    }

    fn may_lead_elsewhere(&mut self, path: &Path) -> bool {
        self.coming.contains_key(path.as_os_str()) || self.leads_to(path).is_some()
    }

    fn leads_to(&mut self, path: &Path) -> Option<PathBuf> {
        if let Some(known) = self.known.get(path.as_os_str()) {
            return known.clone();
        }
        let to = link(self.look, path);
        self.known.insert(path.as_os_str().to_owned(), to.clone());
        to
    }
}

/// Returns the target of a path, if it is a link.
fn link(look: &dyn Look, path: &Path) -> Option<PathBuf> {
    let is_link = matches!(look.stat(path), Ok(Some(stat)) if stat.kind == FileKind::Link);
    let to = is_link.then(|| look.read_link(path).ok()).flatten();
    to.map(|to| clean_path(&path.parent().unwrap_or(Path::new("/")).join(to)))
}
