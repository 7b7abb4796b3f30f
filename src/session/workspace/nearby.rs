//! Suggestions for a folder without an entry, and the start of a new module there.

use std::path::Path;

use crate::diag::Code;
use crate::lang::{Feature, language_with};
use crate::module::{clean, enterable_around, enterable_below};
use crate::session::{Options, Report, write_new_file};

/// Entries near a folder that is not one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Nearby {
    /// The entry that contains the folder.
    pub around: Option<String>,
    /// The entries one level below.
    pub below: Vec<String>,
}

/// Finds entries near a folder.
pub fn nearby(folder: &Path) -> Nearby {
    const MOST: usize = 500;
    let world = Options::default().live();
    let written = |path: &Path| {
        let path = clean(path);
        if path == Path::new("") { ".".into() } else { path.display().to_string() }
    };
    Nearby {
        around: enterable_around(&world, folder).map(|path| written(&path)),
        below: enterable_below(&world, folder, MOST).iter().map(|path| written(path)).collect(),
    }
}

impl Report {
    /// Whether the only error is that a folder is not a module.
    pub fn lacks_an_entry(&self) -> bool {
        self.diagnostics.iter().all(|one| one.code == Code::NoEntryPoint && one.span.is_none())
    }
}

/// Writes the first file of a module into the current folder, with one import, unless it exists. Returns its name.
pub fn begin_module(import: &str) -> Result<&'static str, String> {
    let language = language_with(Feature::Begin).ok_or("no language begins a module")?;
    let (file, text) = language.begin(import)?;
    write_new_file(Path::new(file), &text).map_err(|error| format!("cannot write {file}: {error}"))?;
    Ok(file)
}
