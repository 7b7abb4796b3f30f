//! Virtual environments of Python, which hold installed modules: the user's active one, and the project's own.

use std::path::{Path, PathBuf};

use super::context::Files;

/// Where a project has its own.
const FOLDERS: [&str; 4] = [".env", ".venv", "env", "venv"];

/// The virtual environment of a project.
#[derive(Clone, Debug)]
pub struct Environment {
    /// Its installed packages.
    pub packages: PathBuf,
    /// Its version of Python, such as `3.12`.
    pub version: String,
}

impl Environment {
    /// The environment in the folder of a project.
    pub fn find(project: &Path, files: &dyn Files) -> Option<Self> {
        FOLDERS.iter().find_map(|name| Self::at(&project.join(name), files))
    }

    fn at(folder: &Path, files: &dyn Files) -> Option<Self> {
        files.text(&folder.join("pyvenv.cfg"))?;
        let lib = folder.join("lib");
        files.names(&lib).into_iter().find_map(|name| {
            let version = name.strip_prefix("python")?.to_owned();
            let is_version =
                version.split('.').all(|part| !part.is_empty() && part.bytes().all(|c| c.is_ascii_digit()));
            let packages = lib.join(&name).join("site-packages");
            (is_version && files.is_folder(&packages)).then_some(Environment { packages, version })
        })
    }

    /// The packages of the environment that the user's shell has activated.
    pub fn active(variable: Option<&str>, path: Option<&str>, files: &dyn Files) -> Option<PathBuf> {
        let of_path = path.unwrap_or_default().split(':').filter(|folder| folder.starts_with('/')).map(Path::new);
        let of_path = of_path.filter_map(Path::parent);
        let mut all = variable.map(Path::new).into_iter().chain(of_path);
        all.find_map(|folder| Self::at(folder, files)).map(|found| found.packages)
    }
}
