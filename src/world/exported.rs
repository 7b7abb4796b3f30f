//! The exported resources of a machine without a cluster: one file for each resource and target host.
//!
//! All of them are in one folder, so that one read lists them all. A file's name contains a hash of the exporting
//! program, its host name, and the kind.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use sha2::{Digest, Sha256};

use super::store::file_name;
use super::{Export, Read, ReadError, Sample, World};
use crate::source::hex;

/// The version that this program writes, and the only one that it reads.
pub const EXPORT_FORM: u32 = 1;

/// The content of a file of the store.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoredExport {
    pub form: u32,
    pub kind: String,
    pub name: String,
    /// The host that exports it.
    pub from: String,
    /// The host that may collect it; `*` for all.
    pub to: String,
    /// The program that exports it, for display.
    pub program: String,
    /// The description of the resource, in the exporter's words.
    pub resource: Json,
}

/// Returns the folder of all exports.
pub fn export_folder(state: &Path) -> PathBuf {
    state.join("exports")
}

/// Returns the unique name of a program on a host.
pub fn exporter(program: &str, host: &str) -> String {
    hash(&[program, host])
}

/// Returns the name of an export's file.
pub fn export_name(exporter: &str, kind: &str, name: &str, to: &str) -> String {
    [exporter, ".", &file_name(kind), ".", &hash(&[name, to]), ".json"].concat()
}

/// Returns the exporter in a file's name; `None` for a foreign file.
pub fn exporter_of(file: &str) -> Option<&str> {
    parts(file).map(|(exporter, _)| exporter)
}

/// Returns the exporter and the kind in a file's name.
fn parts(file: &str) -> Option<(&str, &str)> {
    let is_hash = |text: &str| text.len() == HASH && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let (exporter, rest) = file.split_once('.')?;
    let (kind, rest) = rest.split_once('.')?;
    let hash = rest.strip_suffix(".json")?;
    (is_hash(exporter) && is_hash(hash) && !kind.contains('/')).then_some((exporter, kind))
}

/// The number of digits of a hash.
const HASH: usize = 32;

fn hash(words: &[&str]) -> String {
    let mut hasher = Sha256::new();
    for word in words {
        // The length prevents that text moves across the border of two words.
        hasher.update(word.len().to_le_bytes());
        hasher.update(word);
    }
    hex(&hasher.finalize()[..HASH / 2])
}

/// Returns the resources of a kind that a host may collect, by name; `names` are the files in the folder.
pub(super) fn exports_of(
    folder: &Path,
    names: Vec<String>,
    kind: &str,
    here: &str,
    read: impl Fn(&Path) -> Result<Vec<u8>, ReadError>,
) -> Result<Vec<Export>, ReadError> {
    let wanted = file_name(kind);
    let mut exports = Vec::new();
    for name in names.iter().filter(|name| parts(name).is_some_and(|(_, kind)| kind == wanted)) {
        let file = folder.join(name);
        let bytes = match read(&file) {
            // Its program has just removed it.
            Err(ReadError::NotFound(_)) => continue,
            answer => answer?,
        };
        let stored = parse(name, kind, &bytes).map_err(|why| broken(&file, &why))?;
        if stored.to == "*" || stored.to == here {
            exports.push(Export {
                name: stored.name,
                host: stored.from,
                program: stored.program,
                resource: stored.resource.to_string(),
                file,
                is_own: false,
            });
        }
    }
    exports.sort();
    Ok(exports)
}

fn broken(file: &Path, why: &str) -> ReadError {
    let reason = format!(
        "is not a valid exported resource: {why}; delete it, and apply the program that exports it to \
        write it again"
    );
    ReadError::Failed { path: file.into(), reason }
}

fn parse(file: &str, kind: &str, bytes: &[u8]) -> Result<StoredExport, String> {
    let stored: StoredExport = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    let meant = exporter_of(file).map(|exporter| export_name(exporter, kind, &stored.name, &stored.to));
    match () {
        () if stored.form != EXPORT_FORM => Err(format!("its format is {}", stored.form)),
        () if stored.kind != kind || meant.as_deref() != Some(file) => {
            Err("its content does not match its name".into())
        }
        () if stored.name.is_empty() || stored.from.is_empty() || stored.to.is_empty() => {
            Err("a name in it is empty".into())
        }
        () => Ok(stored),
    }
}

/// A world as one program sees it: the program's own exports are marked.
pub struct OwnExports<W> {
    inner: W,
    program: String,
}

impl<W: World> OwnExports<W> {
    /// Makes a world that marks the exports of `program`.
    pub fn new(inner: W, program: String) -> Self {
        Self { inner, program }
    }
}

impl<W: World> World for OwnExports<W> {
    fn read(&self, what: &Read) -> Result<Sample, ReadError> {
        let mut sample = self.inner.read(what)?;
        if let Sample::Exports(exports) = &mut sample {
            let me = exporter(&self.program, &(&self.inner as &dyn World).hostname());
            for export in exports {
                let file = export.file.file_name().and_then(|name| name.to_str());
                export.is_own = file.and_then(exporter_of) == Some(&*me);
            }
        }
        Ok(sample)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_matches_its_name_or_is_refused() {
        let stored = StoredExport {
            form: EXPORT_FORM,
            kind: "http:client".into(),
            name: "../x".into(),
            from: "h1".into(),
            to: "*".into(),
            program: "/main.mcl".into(),
            resource: Json::Null,
        };
        let file = export_name(&exporter("p", "h1"), &stored.kind, &stored.name, &stored.to);
        assert!(!file.contains('/'));
        let bytes = |stored: &StoredExport| serde_json::to_vec(stored).expect("it is plain");
        assert_eq!(parse(&file, "http:client", &bytes(&stored)), Ok(stored.clone()));
        let renamed = StoredExport { name: "y".into(), ..stored.clone() };
        assert!(parse(&file, "http:client", &bytes(&renamed)).is_err());
        let widened = StoredExport { to: "h2".into(), ..stored };
        assert!(parse(&file, "http:client", &bytes(&widened)).is_err());
        assert!(parts("notes.json").is_none() && parts(".tmp").is_none());
    }
}
