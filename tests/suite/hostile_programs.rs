//! Runs every program of `tests/hostile/` under a limit of memory and of time: each ends with a diagnostic that has a place.
//!
//! A program is a file, whose ending names its language, or a folder with `main.EXT`, and with `modules/` or `hiera.yaml`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

use crate::promises;

/// KiB of address space, and seconds of the processor.
const MEMORY: u64 = 1_258_291;
const SECONDS: u64 = 10;

#[test]
fn hostile_programs_end_with_a_place() {
    // Those that take seconds each are run on demand.
    let slow = promises::count(0, 1) > 0;
    let folders = ["tests/hostile", "tests/hostile/slow"];
    let mut programs: Vec<PathBuf> = folders[..=usize::from(slow)]
        .iter()
        .flat_map(|folder| std::fs::read_dir(folder).expect("there are hostile programs"))
        .map(|entry| entry.expect("the folder can be read").path())
        .filter(|path| !path.ends_with("slow"))
        .collect();
    programs.sort();
    assert!(programs.len() >= 500, "there are only {} programs", programs.len());
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, |count| count.get()) {
            scope.spawn(|| {
                while let Some(program) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(why) = ends(program) {
                        wrong.lock().expect("no thread panics while it holds this").push(why);
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().expect("all threads have ended");
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), programs.len(), wrong.join("\n"));
}

/// Runs one program; `Err` says how it ended instead.
fn ends(program: &Path) -> Result<(), String> {
    let name = program.file_name().and_then(|name| name.to_str()).expect("the names are UTF-8");
    let (folder, entry) = if program.is_dir() {
        let main = ["pp", "mcl", "cf"].map(|ending| format!("main.{ending}"));
        let main = main.into_iter().find(|main| program.join(main).exists());
        (program, main.unwrap_or_else(|| panic!("{name} has no main file")))
    } else {
        (program.parent().expect("a file is in a folder"), name.to_owned())
    };
    let home = tempfile::tempdir().expect("a temporary folder can be made");
    let mut command = Command::new("sh");
    let limits = format!("ulimit -v {MEMORY} && ulimit -t {SECONDS} && exec \"$0\" \"$@\"");
    command.arg("-c").arg(limits).arg(env!("CARGO_BIN_EXE_workbench")).args(["--error-format", "json", "graph"]);
    if program.join("modules").is_dir() {
        command.args(["--module-path", "modules"]);
    }
    if program.join("hiera.yaml").exists() {
        command.args(["--environment", "."]);
    }
    command.arg(entry).current_dir(folder).env("HOME", home.path());
    let output = command.stdin(Stdio::null()).output().expect("a shell starts");
    let said = String::from_utf8_lossy(&output.stderr);
    let is_placed = |line: &str| {
        let diagnostic: Value = serde_json::from_str(line).unwrap_or_default();
        diagnostic["severity"] == "error" && diagnostic["file"].is_string() && diagnostic["line"].is_u64()
    };
    if output.status.code() != Some(1) || !said.lines().any(is_placed) {
        let last: Vec<&str> = said.lines().rev().take(2).collect();
        return Err(format!("{name}: {} {last:?}", output.status));
    }
    Ok(())
}
