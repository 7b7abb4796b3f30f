//! Where what was applied lies: one path for one place, whatever was typed for it.

use std::path::{Component, Path, PathBuf};

use crate::host::journal::{Begin, Purpose};

/// Where the entry of a deploy lies; as it was written down where that is no path, or where nobody knows from where it led.
///
/// Journals say it whole. Those of earlier versions say what was typed, and in which folder.
pub fn place_words(begin: &Begin) -> String {
    let (entry, folder) = (&begin.entry, &begin.folder);
    let is_path = !matches!(begin.purpose, Purpose::Undo { .. }) && !entry.starts_with('<');
    if !is_path || !folder.is_absolute() { entry.clone() } else { direct(&folder.join(entry)).display().to_string() }
}

/// A path without what leads nowhere. Links on the way are not looked for, as it may be of another time.
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
        let purpose = Purpose::Undo { deploy: 1 };
        let undo = Begin { entry: "deploy 1".into(), folder: "/srv".into(), purpose, ..Begin::default() };
        assert_eq!(place_words(&undo), "deploy 1");
    }
}
