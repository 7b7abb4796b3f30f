//! `metadata.yaml`: the description of an mcl module.

use std::path::{Component, Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::diag::{Code, Diagnostic, Diagnostics, Stage};
use crate::source::{FileId, Sources, Span};

/// A module's own settings; each has a default, so an empty file is a valid one. Unknown keys are ignored.
///
/// Source: mgmt `lang/interfaces/metadata.go`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Metadata {
    /// The file to compile, relative to the metadata file.
    pub main: PathBuf,
    /// The folder that is searched first for imported modules, relative; empty for none.
    pub path: String,
    /// The folder of files that go with a deploy, relative.
    pub files: String,
    pub license: String,
    /// Whether modules below search no further up than here for their imports.
    #[serde(rename = "parentpathblock")]
    pub parent_path_block: bool,
}

impl Default for Metadata {
    fn default() -> Self {
        Self {
            main: "main.mcl".into(),
            path: String::new(),
            files: "files/".into(),
            license: String::new(),
            parent_path_block: false,
        }
    }
}

/// The size limit of metadata in bytes.
pub const LONGEST: usize = 1 << 20;

/// The limit on the modules that one file of metadata requires, because each is looked for in the whole text.
pub const MOST_NEEDS: usize = 1000;

/// Parses YAML. The parser takes quadratic time over nested brackets, so a depth that no metadata has is refused.
pub fn parse_yaml<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    match nested_too_deep(text) {
        _ if text.len() > LONGEST => Err(format!("larger than {} MiB", LONGEST >> 20)),
        Some(_) => Err(format!("brackets are nested more than {DEPTH} deep")),
        None => serde_yaml::from_str(text).map_err(|error| error.to_string()),
    }
}

/// Reads a metadata file; `None` with a diagnostic at the place where it has the wrong shape.
pub fn parse_metadata(sources: &Sources, file: FileId, diags: &mut Diagnostics) -> Option<Metadata> {
    let text = &sources.file(file).text;
    if text.len() > LONGEST {
        diags.push(
            Diagnostic::error(Code::InvalidMetadata, line_from(text, file, 0))
                .stage(Stage::Module)
                .label(format!("metadata.yaml is larger than {} MiB", LONGEST >> 20))
                .help("shorten it: it has only five short fields"),
        );
        return None;
    }
    if let Some(at) = nested_too_deep(text) {
        diags.push(
            Diagnostic::error(Code::InvalidMetadata, line_from(text, file, at))
                .stage(Stage::Module)
                .label(format!("brackets are nested more than {DEPTH} deep"))
                .help("metadata.yaml has no nested lists or maps"),
        );
        return None;
    }
    let metadata = match serde_yaml::from_str::<Option<Metadata>>(text) {
        Ok(metadata) => metadata.unwrap_or_default(),
        Err(error) => {
            let at = text.floor_char_boundary(error.location().map_or(0, |place| place.index()));
            const FIELDS: &str = "metadata.yaml has the fields `main`, `path`, `files`, `license` (strings) and \
                                  `parentpathblock` (true or false)";
            let message = error.to_string();
            // A text that is YAML has a field of the wrong name or type.
            let is_yaml = serde_yaml::from_str::<serde_yaml::Value>(text).is_ok();
            let line = super::yaml::cause_line(text, super::yaml::line_of(&message));
            let (place, label, help) = match is_yaml {
                true if text.trim_start().starts_with("- ") => {
                    let label = "this is a list: each field begins with its name".to_string();
                    (line_from(text, file, at), label, "remove the `- `, as in `main: main.mcl`".to_string())
                }
                true => (line_from(text, file, at), message, FIELDS.to_string()),
                false => {
                    let start = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
                    let (label, help) = super::yaml::advice(text, line, &message);
                    (line_from(text, file, start), label, help)
                }
            };
            diags.push(Diagnostic::error(Code::InvalidMetadata, place).stage(Stage::Module).label(label).help(help));
            return None;
        }
    };
    let keys = keys_in(text);
    let present: Vec<&str> = KEYS.into_iter().filter(|known| keys.iter().any(|(key, _)| key == known)).collect();
    for &(key, start) in &keys {
        if KEYS.contains(&key) {
            continue;
        }
        let line = line_from(text, file, start);
        let label = format!("metadata.yaml has no key `{key}`");
        match crate::diag::nearest(key, KEYS) {
            Some(near) if !present.contains(&near) => {
                let help = format!("did you mean `{near}`?");
                let diagnostic = Diagnostic::error(Code::InvalidMetadata, line).stage(Stage::Module);
                diags.push(diagnostic.label(label).help(help));
                return None;
            }
            _ => {
                let help = format!("remove it; the keys are {}", KEYS.map(|key| format!("`{key}`")).join(", "));
                let diagnostic = Diagnostic::warning(Code::InvalidMetadata, line).stage(Stage::Module);
                diags.push(diagnostic.label(label).help(help));
            }
        }
    }
    let wrong = wrong_path("main", &metadata.main, false)
        .or_else(|| wrong_path("path", Path::new(&metadata.path), true))
        .or_else(|| wrong_path("files", Path::new(&metadata.files), true));
    if let Some((key, reason)) = wrong {
        let before = text.split_inclusive('\n').take_while(|line| !line.trim_start().starts_with(key));
        let start = before.map(str::len).sum();
        diags.push(
            Diagnostic::error(Code::InvalidMetadata, line_from(text, file, start))
                .stage(Stage::Module)
                .label(format!("`{key}` {reason}"))
                .help("use a path relative to this file; folders end with a slash"),
        );
        return None;
    }
    Some(metadata)
}

const KEYS: [&str; 5] = ["main", "path", "files", "license", "parentpathblock"];

/// The keys at the margin, each with the start of its line.
fn keys_in(text: &str) -> Vec<(&str, usize)> {
    let mut start = 0;
    let mut found = Vec::new();
    for line in text.split_inclusive('\n') {
        let key = line.split_once(':').map(|(key, _)| key.trim_end());
        let is_key = |key: &&str| key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
        found.extend(key.filter(is_key).filter(|key| !key.is_empty()).map(|key| (key, start)));
        start += line.len();
    }
    found
}

/// The nesting limit for brackets, quoted or not: each further level makes the YAML reader slower.
const DEPTH: usize = 100;

fn nested_too_deep(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEPTH {
            return Some(at);
        }
    }
    None
}

/// From a byte to the end of its line.
fn line_from(text: &str, file: FileId, at: usize) -> Span {
    let end = text[at..].find('\n').map_or(text.len(), |n| at + n);
    Span::new(file, at, end)
}

fn wrong_path(key: &'static str, path: &Path, folder: bool) -> Option<(&'static str, &'static str)> {
    let text = path.to_string_lossy();
    if text.is_empty() {
        return (!folder).then_some((key, "is empty"));
    }
    if path.components().any(|c| !matches!(c, Component::Normal(_) | Component::CurDir)) {
        return Some((key, "points outside the module"));
    }
    match (folder, text.ends_with('/')) {
        (true, false) => Some((key, "is a folder, so it must end with a slash")),
        (false, true) => Some((key, "is a file, so it must not end with a slash")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text under the problem.
    fn wrong(text: &str) -> String {
        let (mut sources, mut diags) = (Sources::default(), Diagnostics::new(Stage::Module));
        let file = sources.add("metadata.yaml", None, text);
        assert_eq!(parse_metadata(&sources, file, &mut diags), None, "{text}");
        diags.iter().filter_map(|problem| problem.span).map(|span| sources.text(span)).collect()
    }

    #[test]
    fn places_are_right_behind_any_characters_and_line_ends() {
        assert_eq!(wrong("# é\r\n# é\r\nmain: ../x\r\n"), "main: ../x\r");
        assert_eq!(wrong("# 漢字漢字\nmain: @漢\n"), "main: @漢");
        assert_eq!(wrong("# 漢字漢字\npath: \"漢\n"), "path: \"漢");
    }
}
