//! The path of an applied entry, in one spelling.

use std::path::{Component, Path, PathBuf};

use crate::host::journal::{Begin, Purpose};
use crate::module::short_name;

/// Returns the path of a deploy's entry. An entry that is not a path, or has an unknown working folder, stays as
/// recorded.
///
/// Journals hold the absolute path. Those of earlier versions hold the typed text and the working folder.
pub fn place_words(begin: &Begin) -> String {
    let (entry, folder) = (&begin.entry, &begin.folder);
    let is_path = !matches!(begin.purpose, Purpose::Undo { .. }) && !entry.starts_with('<');
    if !is_path || !folder.is_absolute() { entry.clone() } else { direct(&folder.join(entry)).display().to_string() }
}

/// Returns the path that identifies the entry of a deploy. A folder and its start file are the same entry.
pub fn entry_words(begin: &Begin) -> String {
    short_entry(&place_words(begin))
}

/// Shortens the path of an entry. Text that is not an absolute path stays as it is.
pub fn short_entry(entry: &str) -> String {
    let path = Path::new(entry);
    if path.is_absolute() { short_name(path).display().to_string() } else { entry.to_owned() }
}

/// Removes `.` and `..` from a path. It does not follow links, because the path may be of another time.
fn direct(path: &Path) -> PathBuf {
    let mut direct = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => _ = direct.pop(),
            part => direct.push(part),
        }
    }
    direct
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_place_has_one_name() {
        let words = |entry: &str, folder: &str| {
            place_words(&Begin { entry: entry.into(), folder: folder.into(), ..Begin::default() })
        };
        for entry in [".", "./", "../site", "./sub/..", "/srv/site/", "/srv/site"] {
            assert_eq!(words(entry, "/srv/site"), "/srv/site", "{entry}");
        }
        assert_eq!(words("main.mcl", "/srv/site"), "/srv/site/main.mcl");
        assert_eq!(words("<argument>", "/srv/site"), "<argument>");
        assert_eq!(words("main.mcl", ""), "main.mcl");
        for entry in ["/srv/site", "/srv/site/main.mcl", "/srv/site/metadata.yaml", "/srv/site/manifests/site.pp"] {
            let begin = Begin { entry: entry.into(), folder: "/".into(), ..Begin::default() };
            assert_eq!(entry_words(&begin), "/srv/site", "{entry}");
        }
        let purpose = Purpose::Undo { deploy: 1 };
        let undo = Begin { entry: "deploy 1".into(), folder: "/srv".into(), purpose, ..Begin::default() };
        assert_eq!(place_words(&undo), "deploy 1");
    }
}
