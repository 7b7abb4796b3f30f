//! The tutor's module: a copy of the bundled demo in a temporary folder, with its own history.

use std::io;
use std::path::{Path, PathBuf};

/// The demo module's files.
const FILES: &[(&str, &str)] = &[
    ("main.mcl", include_str!("../../../modules/mcl/demo/main.mcl")),
    ("layout.mcl", include_str!("../../../modules/mcl/demo/layout.mcl")),
    ("metadata.yaml", include_str!("../../../modules/mcl/demo/metadata.yaml")),
    ("README.md", include_str!("../../../modules/mcl/demo/README.md")),
    ("files/page.html.tmpl", include_str!("../../../modules/mcl/demo/files/page.html.tmpl")),
];

/// The folder that the demo writes to. The copy writes into its own folder instead.
const WRITES_TO: &str = "/tmp/workbench-demo";

/// The copy, deleted on drop.
#[derive(Debug)]
pub struct Lesson {
    folder: tempfile::TempDir,
}

impl Lesson {
    /// Copies the demo into a new temporary folder. The demo's program writes only below that folder.
    pub fn begin() -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("workbench-tutor-").tempdir()?;
        let lesson = Self { folder };
        let site = lesson.path().join("site").display().to_string();
        for (name, text) in FILES {
            let path = lesson.path().join("demo").join(name);
            path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
            std::fs::write(path, text.replace(WRITES_TO, &site))?;
        }
        Ok(lesson)
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the folder of the demo's module.
    pub fn entry(&self) -> PathBuf {
        self.path().join("demo")
    }

    /// Returns the folder of its history.
    pub fn state(&self) -> PathBuf {
        self.path().join("state")
    }
}
