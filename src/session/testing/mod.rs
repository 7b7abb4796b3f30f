//! Tests of modules: files `tests/*.toml` with a program, a node, and what is expected of its resources.
//!
//! A program is compiled as `preview` does. Its plan is that of an empty machine in memory, so a test gives the same
//! result everywhere, needs no root, and changes nothing. Tests run in parallel. A snapshot that does not exist is
//! written; to renew it, delete it.

mod checks;
mod file;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::session::Options;
use crate::source::Place;
use crate::world::{Live, PathKind, Read, Sample, World};

/// The result of one test file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TestResult {
    pub file: String,
    /// How many expectations it has.
    pub checks: usize,
    /// Those that do not hold; empty if all do.
    pub faults: Vec<TestFault>,
    /// The snapshot that was written, because there was none.
    pub written: Option<String>,
}

/// An expectation that does not hold, or an error of the test file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TestFault {
    pub file: String,
    pub line: u32,
    pub message: String,
    /// In the program.
    pub place: Option<Place>,
    /// The lines of a difference, or of the program's errors.
    pub lines: Vec<String>,
}

/// Why there is nothing to run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoTests {
    #[error("no such path: {0}")]
    Missing(String),
    #[error("no tests: {0} has no file that ends in .toml")]
    None(String),
}

/// The test files of a module, in order; or one file.
pub fn find_tests(module: &Path) -> Result<Vec<PathBuf>, NoTests> {
    let world: &dyn World = &Live::new();
    match world.kind(module) {
        PathKind::Missing => return Err(NoTests::Missing(module.display().to_string())),
        PathKind::File if module.extension().is_some_and(|ending| ending == "toml") => {
            return Ok(vec![module.to_path_buf()]);
        }
        _ => {}
    }
    let module = if world.kind(module) == PathKind::File { module.parent().unwrap_or(Path::new("")) } else { module };
    let folder = if module == Path::new(".") { PathBuf::from("tests") } else { module.join("tests") };
    let none = || NoTests::None(folder.display().to_string());
    let Ok(Sample::Names(names)) = world.read(&Read::Folder(folder.clone())) else { return Err(none()) };
    let mut files: Vec<PathBuf> =
        names.into_iter().filter(|name| name.ends_with(".toml")).map(|name| folder.join(name)).collect();
    files.sort();
    if files.is_empty() { Err(none()) } else { Ok(files) }
}

/// Runs test files in parallel. The results are in the order of the files.
pub fn run_tests(files: &[PathBuf], options: &Options) -> Vec<TestResult> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(files.len().max(1));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(file) = files.get(at) else { return };
                    let result = checks::run(file, options);
                    done.lock().unwrap_or_else(PoisonError::into_inner).push((at, result));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}
