//! Which paths a resource reads and writes, told from its parameters before its turn.
//!
//! Turns that meet at a path must not be at work side by side. What a command does beyond what it declares is in no
//! footprint: that is for edges.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

use super::edit::expand;
use super::file_path;
use crate::graph::{Declaration, Value};
use crate::host::{FileKind, Look};

/// The paths that a turn touches. A path stands for all that lies below it too.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    pub reads: Vec<PathBuf>,
    pub writes: Vec<PathBuf>,
    /// The symbolic link that it keeps, and where that leads.
    pub link: Option<(PathBuf, PathBuf)>,
}

impl Footprint {
    /// Of a resource with these parameters; `received` come from others, so what they hold is not known yet.
    pub fn of(wanted: &Declaration, received: &[&str], look: &dyn Look) -> Self {
        let given = Given { wanted, received };
        match &*wanted.kind {
            "file" => file(&given, look),
            "line" => Self::writes(given.text("file").and_then(|path| home(path, look))),
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

    /// Where a path comes from another resource, it may be any.
    fn unless_open(mut self, given: &Given) -> Self {
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

    pub fn is_empty(&self) -> bool {
        self.reads.is_empty() && self.writes.is_empty()
    }
}

struct Given<'a> {
    wanted: &'a Declaration,
    received: &'a [&'a str],
}

impl<'a> Given<'a> {
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

fn path_named(given: &Given, param: &str) -> Footprint {
    Footprint::writes(given.or_name(param).map(clean))
}

fn file(given: &Given, look: &dyn Look) -> Footprint {
    let path = clean(&file_path(&given.wanted.name, &given.wanted.params));
    let source = given.text("source");
    let mut footprint = Footprint::default();
    if given.flag("symlink") {
        let to = source.map(|to| clean_path(&path.parent().unwrap_or(Path::new("/")).join(to)));
        footprint.link = to.map(|to| (path.clone(), to));
    } else {
        footprint.reads = source.into_iter().chain(given.texts("fragments")).map(clean).collect();
    }
    // It makes the folders above too, and whoever else needs one of them must not make it at the same time.
    let is_missing = |above: &&Path| matches!(look.stat_target(above), Ok(None) | Err(_));
    let made = path.ancestors().skip(1).take_while(is_missing).last().filter(|_| given.flag("recurse"));
    footprint.writes.extend(made.map(Path::to_path_buf));
    footprint.writes.push(path);
    footprint
}

fn keys(given: &Given, look: &dyn Look) -> Option<PathBuf> {
    let user = given.text("user").unwrap_or_default();
    let file = given.text("file").map_or_else(|| format!("~{user}/.ssh/authorized_keys"), str::to_owned);
    // The folder above may be made too.
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

/// A key of the shared store: no path of the machine is relative.
fn stored(key: &str) -> PathBuf {
    Path::new("shared store").join(key.trim_matches('/'))
}

fn clean(path: &str) -> PathBuf {
    clean_path(Path::new(path))
}

/// Without `.`, `..` and slashes too many.
fn clean_path(path: &Path) -> PathBuf {
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

/// So many places one path may stand for before it is taken to stand for any.
const ALIASES: usize = 64;

/// What symbolic links make of paths: those that are there, and those that the graph is about to make.
pub struct Aliases<'a> {
    look: &'a dyn Look,
    /// Links that will be there.
    coming: HashMap<PathBuf, PathBuf>,
    /// Where a folder on the way leads, if it is a link.
    known: HashMap<PathBuf, Option<PathBuf>>,
}

impl<'a> Aliases<'a> {
    pub fn new(look: &'a dyn Look, coming: impl Iterator<Item = (PathBuf, PathBuf)>) -> Self {
        Self { look, coming: coming.collect(), known: HashMap::new() }
    }

    /// The path, and every other that may be the same place; nothing where that may be any.
    pub fn all(&mut self, path: &Path) -> Option<Vec<PathBuf>> {
        let mut all = vec![path.to_path_buf()];
        let mut at = 0;
        while let Some(path) = all.get(at).cloned() {
            at += 1;
            for above in path.ancestors() {
                let below = path.strip_prefix(above).unwrap_or(Path::new(""));
                let now = self.leads_to(above);
                for to in now.into_iter().chain(self.coming.get(above).cloned()) {
                    // Joining nothing would add a slash.
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

    fn leads_to(&mut self, path: &Path) -> Option<PathBuf> {
        if let Some(known) = self.known.get(path) {
            return known.clone();
        }
        let is_link = matches!(self.look.stat(path), Ok(Some(stat)) if stat.kind == FileKind::Link);
        let to = is_link.then(|| self.look.read_link(path).ok()).flatten();
        let to = to.map(|to| clean_path(&path.parent().unwrap_or(Path::new("/")).join(to)));
        self.known.insert(path.to_path_buf(), to.clone());
        to
    }
}
