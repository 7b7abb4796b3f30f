//! Where modules may be placed and removed: in the project, and in module paths that the user named, whatever links lead
//! there.

use std::path::{Component, Path, PathBuf};

/// Folders without links. Nothing outside of them is ever written or removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Roots(Vec<PathBuf>);

impl Roots {
    /// `folders` that are not there hold nothing.
    pub fn new<'p>(folders: impl IntoIterator<Item = &'p Path>) -> Self {
        let here = |path: &'p Path| if path.as_os_str().is_empty() { Path::new(".") } else { path };
        Self(folders.into_iter().filter_map(|path| here(path).canonicalize().ok()).collect())
    }

    /// Whether a path is below one of them, or will be once it is made.
    pub fn hold(&self, path: &Path) -> bool {
        without_links(path).is_some_and(|path| self.0.iter().any(|root| path.starts_with(root)))
    }
}

/// A path without links, whose last parts need not exist. Nothing for a link that leads nowhere, and for `..` below a
/// folder that is missing.
fn without_links(path: &Path) -> Option<PathBuf> {
    let path = std::path::absolute(path).ok()?;
    let (mut at, mut missing) = (path.as_path(), Vec::new());
    while at.symlink_metadata().is_err() {
        let Some(Component::Normal(name)) = at.components().next_back() else { return None };
        missing.push(name);
        at = at.parent()?;
    }
    let mut real = at.canonicalize().ok()?;
    real.extend(missing.into_iter().rev());
    Some(real)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_and_dots_do_not_lead_out() {
        let folder = tempfile::tempdir().expect("there is room");
        let at = |path: &str| folder.path().join(path);
        std::fs::create_dir_all(at("in/a")).expect("there is room");
        std::fs::create_dir_all(at("out/b")).expect("there is room");
        for (link, to) in [("in/up", "../out"), ("in/own", "a"), ("in/none", "nowhere")] {
            std::os::unix::fs::symlink(to, at(link)).expect("there is room");
        }
        let roots = Roots::new([at("in").as_path(), at("absent").as_path()]);
        for path in ["in", "in/a", "in/a/x/y", "in/own/x", "in/a/../a"] {
            assert!(roots.hold(&at(path)), "{path}");
        }
        for path in ["", "out", "in/../out/x", "in/up", "in/up/b/x", "in/none", "in/none/x", "in/x/../y", "absent"] {
            assert!(!roots.hold(&at(path)), "{path}");
        }
    }
}
