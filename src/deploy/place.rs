//! Where what was applied lies: one path for one place, whatever was typed for it.

use std::path::{Component, Path, PathBuf};

use crate::host::journal::{Begin, Purpose};
use crate::module::short_name;

/// Where the entry of a deploy lies; as it was written down where that is no path, or where nobody knows from where it led.
///
/// Journals say it whole. Those of earlier versions say what was typed, and in which folder.
pub fn place_words(begin: &Begin) -> String {
    let (entry, folder) = (&begin.entry, &begin.folder);
    let is_path = !matches!(begin.purpose, Purpose::Undo { .. }) && !entry.starts_with('<');
    if !is_path || !folder.is_absolute() { entry.clone() } else { direct(&folder.join(entry)).display().to_string() }
}

/// The same, by which two deploys are known to be of one entry: a folder and the file that it starts at are one.
pub fn entry_words(begin: &Begin) -> String {
    short_entry(&place_words(begin))
}

/// Where an entry lies, the shortest way; what is no whole path stays as it is.
pub fn short_entry(entry: &str) -> String {
    let path = Path::new(entry);
    if path.is_absolute() { short_name(path).display().to_string() } else { entry.to_owned() }
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
        for entry in ["/srv/site", "/srv/site/main.mcl", "/srv/site/metadata.yaml", "/srv/site/manifests/site.pp"] {
            let begin = Begin { entry: entry.into(), folder: "/".into(), ..Begin::default() };
            assert_eq!(entry_words(&begin), "/srv/site", "{entry}");
        }
        let purpose = Purpose::Undo { deploy: 1 };
        let undo = Begin { entry: "deploy 1".into(), folder: "/srv".into(), purpose, ..Begin::default() };
        assert_eq!(place_words(&undo), "deploy 1");
    }
}
