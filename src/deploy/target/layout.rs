//! The names of a program's files in a cluster: mgmt starts at `/metadata.yaml` and finds modules in `/modules/`.

use std::collections::BTreeMap;

use super::TargetError;
use crate::deploy::bundle::{Content, Manifest};
use crate::source::printable;

const METADATA: &str = "metadata.yaml";
const MODULES: &str = "modules";
const MAIN: &str = "main.mcl";

/// Returns the files of a bundle under the names that mgmt uses.
///
/// The entry's folder becomes the root. Files under the metadata's own `path` stay in place, and every other folder of
/// the module path becomes `/modules/`. Files outside of these have no name there.
pub fn program_tree(manifest: &Manifest, files: Vec<Content>, own_path: &str) -> Result<Vec<Content>, TargetError> {
    let (base, entry) = manifest.entry.rsplit_once('/').unwrap_or(("", &manifest.entry));
    let own_path = own_path.trim_start_matches("./").trim_matches('/');
    let mut placed: BTreeMap<String, Content> = BTreeMap::new();
    let mut outside = Vec::new();
    for file in files {
        let Some(path) = place(&file.path, base, own_path, &manifest.search) else {
            outside.push(format!("`{}`", printable(&file.path)));
            continue;
        };
        // The entry's metadata is written below.
        if path == METADATA && entry != METADATA {
            continue;
        }
        if placed.get(&path).is_some_and(|there| there.bytes != file.bytes) {
            return Err(TargetError::TwoPlaces(printable(&path).to_string()));
        }
        placed.insert(path.clone(), Content { path, ..file });
    }
    if !outside.is_empty() {
        return Err(TargetError::Outside(outside));
    }
    if entry != METADATA {
        placed.insert(METADATA.into(), metadata(entry));
    }
    judge_folders(&placed)?;
    Ok(placed.into_values().collect())
}

fn place(path: &str, base: &str, own_path: &str, search: &[String]) -> Option<String> {
    let below = |folder: &str| match folder {
        "" => Some(path),
        folder => path.strip_prefix(folder)?.strip_prefix('/'),
    };
    let folder = search.iter().filter(|folder| below(folder).is_some()).max_by_key(|folder| folder.len());
    let stays = |folder: &str| {
        let here =
            if base.is_empty() { Some(folder) } else { folder.strip_prefix(base).and_then(|f| f.strip_prefix('/')) };
        here.is_some_and(|here| here == MODULES || (!own_path.is_empty() && here == own_path))
    };
    match (below(base), folder) {
        (Some(here), None) => Some(here.to_owned()),
        (Some(here), Some(folder)) if stays(folder) => Some(here.to_owned()),
        (_, Some(folder)) => Some(format!("{MODULES}/{}", below(folder)?)),
        (None, None) => None,
    }
}

/// The metadata of a program without any. mgmt writes the same for a single file.
fn metadata(main: &str) -> Content {
    // A JSON string is also a YAML string.
    let text = format!("main: {}\nfiles: \"\"\n", serde_json::Value::from(main));
    Content { path: METADATA.into(), executable: false, bytes: text.into_bytes() }
}

fn judge_folders(placed: &BTreeMap<String, Content>) -> Result<(), TargetError> {
    let above = |path: &str| path.match_indices('/').map(|(at, _)| path[..at].to_owned()).collect::<Vec<_>>();
    match placed.keys().flat_map(|path| above(path)).find(|folder| placed.contains_key(folder)) {
        Some(both) => Err(TargetError::FileAndFolder(printable(&both).to_string())),
        None => Ok(()),
    }
}

/// A graph as one mcl program.
pub fn flat_tree(code: String) -> Vec<Content> {
    let main = Content { path: MAIN.into(), executable: false, bytes: code.into_bytes() };
    vec![main, metadata(MAIN)]
}

/// A graph as mgmt's yaml.
pub fn yaml_tree(yaml: Vec<u8>) -> Vec<Content> {
    vec![Content { path: "start.yaml".into(), executable: false, bytes: yaml }]
}

#[cfg(test)]
mod tests {
    use super::place;

    #[test]
    fn files_are_placed_where_mgmt_reads_them() {
        let search =
            ["program/site/modules".into(), "program/site/vendor".into(), "modules".into(), "modules-2".into()];
        let at = |path: &str, own: &str| place(path, "program/site", own, &search);
        assert_eq!(at("program/site/main.mcl", "").as_deref(), Some("main.mcl"));
        assert_eq!(at("program/site/modules/h/a/main.mcl", "").as_deref(), Some("modules/h/a/main.mcl"));
        assert_eq!(at("program/site/vendor/h/a/main.mcl", "").as_deref(), Some("modules/h/a/main.mcl"));
        assert_eq!(at("program/site/vendor/h/a/main.mcl", "vendor").as_deref(), Some("vendor/h/a/main.mcl"));
        assert_eq!(at("modules/h/a/main.mcl", "").as_deref(), Some("modules/h/a/main.mcl"));
        assert_eq!(at("modules-2/h/a/main.mcl", "").as_deref(), Some("modules/h/a/main.mcl"));
        assert_eq!(at("program/lib/main.mcl", ""), None);
        assert_eq!(place("program/main.mcl", "program", "", &[]).as_deref(), Some("main.mcl"));
    }
}
