//! What could be opened where there is nothing to open, and a module begun there.

use std::path::Path;

use super::{Options, Report, write_new_file};
use crate::diag::Code;
use crate::lang::language;
use crate::module::{LanguageName, clean, enterable_around, enterable_below};

/// Entries near a folder that is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Nearby {
    /// The one that the folder lies in.
    pub around: Option<String>,
    /// Those one step below.
    pub below: Vec<String>,
}

/// Looks around a folder.
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
    /// Whether all that is wrong is that a folder is no module.
    pub fn lacks_an_entry(&self) -> bool {
        self.diagnostics.iter().all(|one| one.code == Code::NoEntryPoint && one.span.is_none())
    }
}

/// Writes the first file of a module into the current folder, where it is not there yet: one import. Gives its name; `Err` says
/// why not.
pub fn begin_module(import: &str) -> Result<&'static str, String> {
    let (file, text) = language(LanguageName::default()).begin(import)?;
    write_new_file(Path::new(file), &text).map_err(|error| format!("cannot write {file}: {error}"))?;
    Ok(file)
}
