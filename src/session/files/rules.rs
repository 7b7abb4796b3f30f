//! What is left out of a list of files: what is hidden, and what `.gitignore` and `.ignore` name.
//!
//! The rules are git's, and those of the tools that know `.ignore`: what lies nearer decides before what lies farther, `.ignore`
//! before `.gitignore`, which holds up to the repository's own folder only, before `.git/info/exclude` and the user's own.

use std::ffi::OsStr;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rustix::fs::{AtFlags, CWD, Mode, OFlags};

/// Longer files of rules are no such files.
const MOST_BYTES: u64 = 1 << 20;

/// What holds for the names in a folder; by default only that hidden ones are left out.
#[derive(Clone, Default)]
pub(super) struct Rules {
    /// The folder's own path; empty where there are no rules.
    folder: PathBuf,
    nearest: Option<Arc<Layer>>,
    /// The user's own.
    of_all: Option<Arc<Gitignore>>,
}

/// The rules of a folder that has some.
struct Layer {
    ignore: Gitignore,
    git: Gitignore,
    exclude: Gitignore,
    is_repository: bool,
    above: Option<Arc<Layer>>,
}

impl Rules {
    /// The rules for what is in a folder, with those of the folders above.
    pub fn of(folder: &Path) -> Self {
        let Ok(folder) = std::fs::canonicalize(folder) else { return Self::default() };
        let mut rules = Self { of_all: Some(Arc::new(Gitignore::global().0)), ..Self::default() };
        for above in folder.ancestors().collect::<Vec<_>>().into_iter().rev() {
            rules = rules.at(above.to_path_buf());
        }
        rules
    }

    /// The rules for what is in a folder of this one.
    pub fn inside(&self, name: &OsStr) -> Self {
        if self.folder.as_os_str().is_empty() { Self::default() } else { self.at(self.folder.join(name)) }
    }

    fn at(&self, folder: PathBuf) -> Self {
        let layer = Layer {
            ignore: rules_of(&folder, ".ignore"),
            git: rules_of(&folder, ".gitignore"),
            exclude: rules_of(&folder, ".git/info/exclude"),
            is_repository: rustix::fs::statat(CWD, folder.join(".git"), AtFlags::empty()).is_ok(),
            above: self.nearest.clone(),
        };
        let nearest = if layer.says_something() { Some(Arc::new(layer)) } else { self.nearest.clone() };
        Self { folder, nearest, of_all: self.of_all.clone() }
    }

    /// Whether a name is left out.
    pub fn leave_out(&self, name: &OsStr, is_folder: bool) -> bool {
        let is_hidden = name.as_bytes().starts_with(b".");
        if self.layers().next().is_none() {
            return is_hidden;
        }
        self.said(&self.folder.join(name), is_folder).unwrap_or(is_hidden)
    }

    /// What the rules say of a path; nothing where none is about it.
    fn said(&self, path: &Path, is_folder: bool) -> Option<bool> {
        let ask = |rules: &Gitignore| match rules.matched(path, is_folder) {
            ignore::Match::None => None,
            found => Some(found.is_ignore()),
        };
        if let Some(said) = self.layers().find_map(|layer| ask(&layer.ignore)) {
            return Some(said);
        }
        let repository = self.layers().position(|layer| layer.is_repository)?;
        let of_git = || self.layers().take(repository + 1);
        let said = of_git().find_map(|layer| ask(&layer.git));
        let said = said.or_else(|| of_git().find_map(|layer| ask(&layer.exclude)));
        said.or_else(|| ask(self.of_all.as_deref()?))
    }

    /// Nearest first.
    fn layers(&self) -> impl Iterator<Item = &Layer> {
        std::iter::successors(self.nearest.as_deref(), |layer| layer.above.as_deref())
    }
}

impl Layer {
    fn says_something(&self) -> bool {
        self.is_repository || !self.ignore.is_empty() || !self.git.is_empty()
    }
}

/// The rules in a file of a folder; none where it cannot be read.
fn rules_of(folder: &Path, name: &str) -> Gitignore {
    let Some(text) = text_of(&folder.join(name)) else { return Gitignore::empty() };
    let mut rules = GitignoreBuilder::new(folder);
    for line in text.trim_start_matches('\u{feff}').lines() {
        // A line that is no rule says nothing.
        let _ = rules.add_line(None, line);
    }
    rules.build().unwrap_or_else(|_| Gitignore::empty())
}

fn text_of(path: &Path) -> Option<String> {
    // A pipe of that name would never answer.
    let flags = OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = std::fs::File::from(rustix::fs::open(path, flags, Mode::empty()).ok()?);
    file.metadata().ok().filter(|about| about.is_file())?;
    let mut text = Vec::new();
    file.take(MOST_BYTES).read_to_end(&mut text).ok()?;
    Some(String::from_utf8_lossy(&text).into_owned())
}
