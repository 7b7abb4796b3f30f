//! What the tutor works on: a copy of the bundled demo in a folder of its own, with a history of its own.

use std::io;
use std::path::{Path, PathBuf};

/// The demo module's files.
const FILES: &[(&str, &str)] = &[
    ("main.mcl", include_str!("../../modules/mcl/demo/main.mcl")),
    ("layout.mcl", include_str!("../../modules/mcl/demo/layout.mcl")),
    ("metadata.yaml", include_str!("../../modules/mcl/demo/metadata.yaml")),
    ("README.md", include_str!("../../modules/mcl/demo/README.md")),
    ("files/page.html.tmpl", include_str!("../../modules/mcl/demo/files/page.html.tmpl")),
];

/// Where the demo writes to; the copy writes into its own folder instead.
const WRITES_TO: &str = "/tmp/workbench-demo";

/// The copy; it goes with this.
#[derive(Debug)]
pub struct Lesson {
    folder: tempfile::TempDir,
}

impl Lesson {
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

    pub fn entry(&self) -> PathBuf {
        self.path().join("demo")
    }

    /// Where its history lies.
    pub fn state(&self) -> PathBuf {
        self.path().join("state")
    }
}
