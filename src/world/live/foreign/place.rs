//! The place of a worker in the files of modules, as its notes show it.
//!
//! The notes are the worker's standard error, a file in memory. Before it loads a file it writes that file down. A crash
//! or a signal adds a trace, the innermost call first.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::json;

/// The bytes of the notes that are read, from their end.
const NOTES: u64 = 64 << 10;

/// The modules that a worker loads.
#[derive(Debug, Default, Deserialize)]
pub struct Loads {
    load: Vec<Module>,
    /// The folder of the program.
    #[serde(default)]
    project: PathBuf,
    /// Where other modules are.
    #[serde(default)]
    path: Vec<PathBuf>,
    /// Folders of installed packages that the interpreter does not search by itself, and their version of it.
    #[serde(default)]
    site: Vec<PathBuf>,
    pub python: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Module {
    name: String,
    folder: PathBuf,
    /// The folder of the module, if the code is deeper in it.
    #[serde(default)]
    root: PathBuf,
    /// The parts that are Python files; none of a module in another language.
    #[serde(default)]
    files: Vec<String>,
}

/// A folder with this file is a project, whose files its plugins may read.
const PROJECT: &str = "project.yml";

impl Loads {
    /// Parses the description of the modules to load. An invalid one has none.
    pub fn of(modules: &str) -> Self {
        serde_json::from_str(modules).unwrap_or_default()
    }

    /// The folders that the code may read: those of the modules, with the project and installed packages.
    pub fn folders(&self) -> impl Iterator<Item = PathBuf> {
        let own = self.load.iter().map(|module| match module.folder.parent() {
            _ if module.root != Path::new("") => module.root.clone(),
            Some(parent)
                if !module.files.is_empty() && module.folder.ends_with("plugins") && parent != Path::new("") =>
            {
                parent.into()
            }
            _ => module.folder.clone(),
        });
        let is_project = self.project.join(PROJECT).is_file();
        let project = is_project.then(|| self.project.join("."));
        own.chain(project).chain(self.path.iter().cloned()).chain(self.site.iter().cloned())
    }

    /// The answer of a worker that ended while it loaded these modules. `None` if its place is unknown.
    pub fn failed(&self, why: &str, at: Option<&(String, u32)>) -> Option<String> {
        let (file, line) = at?;
        let (module, part) = self.part(file)?;
        let dot = if part.is_empty() { "" } else { "." };
        let name = format!("inmanta_plugins.{module}{dot}{part}");
        let failed =
            json!({ "module": module, "part": part, "name": name, "line": line, "class": "Ended", "text": why });
        Some(json!({ "failed": failed }).to_string())
    }

    /// A file as the modules name it. An interpreter makes the paths of some frames absolute.
    fn named(&self, file: &str) -> String {
        let below = |module: &Module| {
            let folder = std::path::absolute(&module.folder).ok().filter(|folder| *folder != module.folder)?;
            let rest = Path::new(file).strip_prefix(folder).ok()?;
            Some(module.folder.join(rest).to_str()?.to_owned())
        };
        self.load.iter().find_map(below).unwrap_or_else(|| file.to_owned())
    }

    /// Whether a file is one of these modules.
    fn has(&self, file: &str) -> bool {
        let is_in = |module: &Module| module.files.is_empty() && Path::new(file).starts_with(&module.folder);
        self.part(file).is_some() || self.load.iter().any(is_in)
    }

    /// The module and the part of it that a file is.
    fn part(&self, file: &str) -> Option<(&str, String)> {
        self.load.iter().find_map(|module| {
            let file = Path::new(file).strip_prefix(&module.folder).ok()?.to_str()?.strip_suffix(".py")?;
            let part = if file == "__init__" { "" } else { file.strip_suffix("/__init__").unwrap_or(file) };
            let part = part.replace('/', ".");
            module.files.contains(&part).then_some((&*module.name, part))
        })
    }
}

/// Returns the length of the notes in bytes; 0 if they cannot be read.
pub fn len(notes: &File) -> u64 {
    notes.metadata().map_or(0, |about| about.len())
}

/// The innermost line of a module's file in the last trace of these notes, or else the file that was loaded last.
pub fn read(notes: &File, begin: u64, loads: &Loads) -> Option<(String, u32)> {
    let len = len(notes);
    let begin = begin.max(len.saturating_sub(NOTES));
    let mut bytes = vec![0; usize::try_from(len.checked_sub(begin)?).ok()?];
    notes.read_exact_at(&mut bytes, begin).ok()?;
    parse(&String::from_utf8_lossy(&bytes), loads)
}

fn parse(notes: &str, loads: &Loads) -> Option<(String, u32)> {
    let place = |line: &str| {
        let (file, rest) = line.strip_prefix("  File \"")?.split_once("\", line ")?;
        let file = loads.named(file);
        loads.has(&file).then_some(())?;
        Some((file, rest.split(' ').next()?.parse().ok()?))
    };
    let (before, trace) = notes.rsplit_once("(most recent call first):").unwrap_or((notes, ""));
    trace.lines().find_map(place).or_else(|| before.lines().rev().find_map(place))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_is_more_exact_than_the_file_that_is_loaded() {
        let loads = Loads::of(r#"{"load":[{"name":"m","folder":"libs/m/plugins","files":["","x"]}]}"#);
        let loading = "  File \"libs/m/plugins/__init__.py\", line 1 in <module>\n";
        let trace = "Fatal Python error: Segmentation fault\n\nCurrent thread 0x1 (most recent call first):\n  \
            File \"/usr/lib/python3/time.py\", line 9 in f\n  File \"libs/m/plugins/x.py\", line 7 in g\n  \
            File \"libs/m/plugins/__init__.py\", line 2 in <module>\n";
        assert_eq!(parse(loading, &loads), Some(("libs/m/plugins/__init__.py".into(), 1)));
        let at = parse(&format!("{loading}{trace}"), &loads);
        assert_eq!(at, Some(("libs/m/plugins/x.py".into(), 7)));
        let failed = loads.failed("ended", at.as_ref()).unwrap_or_default();
        assert!(failed.contains(r#""name":"inmanta_plugins.m.x","line":7"#), "{failed}");
        assert_eq!(loads.folders().collect::<Vec<_>>(), [PathBuf::from("libs/m")]);
        assert_eq!(parse("  File \"/etc/passwd\", line 1 in x\n", &loads), None);
    }
}
