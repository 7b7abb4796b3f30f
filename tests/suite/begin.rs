//! Where there is no module: the first page in a real terminal, and each of the ways on from it.

use std::path::Path;

use crate::terminal::{PROGRAM, Terminal};

fn begin(folder: &Path, here: &str) -> Terminal {
    let work = folder.join(here);
    std::fs::create_dir_all(&work).expect("a folder");
    let command = format!(
        "cd {} && TMPDIR={} exec {PROGRAM} --config /dev/null --state-dir {}",
        work.display(),
        folder.display(),
        folder.join("state").display()
    );
    let terminal = Terminal::start(&["sh", "-c", &command], 80, 24);
    terminal.until_shows("No module in the current folder");
    terminal
}

fn ends(mut terminal: Terminal, key: &str) {
    terminal.press(key);
    assert_eq!(terminal.ended(), 0);
    terminal.until("the terminal to be given back", Terminal::is_given_back);
}

#[test]
fn an_empty_folder_has_a_way_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut terminal = begin(folder.path(), "empty");
    // Whatever the size, and after a path that leads nowhere.
    for (width, height) in [(1, 1), (20, 4), (400, 100), (80, 24)] {
        terminal.resize(width, height);
    }
    terminal.press("onowhere\r");
    terminal.until_shows("no such path");
    terminal.press("\x1b");
    terminal.until("the line to go", |terminal| !terminal.shows("Esc cancel") && !terminal.shows("no such path"));
    ends(terminal, "q");
    assert_eq!(std::fs::read_dir(folder.path().join("empty")).expect("it is there").count(), 0, "nothing is written");

    let mut terminal = begin(folder.path(), "empty");
    terminal.press("d");
    terminal.until_shows("[1 Plan]");
    terminal.until_shows("a copy of the demo");
    ends(terminal, "q");
    let left = std::fs::read_dir(folder.path()).expect("it is there").flatten();
    let left: Vec<_> = left.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    assert!(!left.iter().any(|name| name.contains("tutor")), "the copy is gone: {left:?}");
}

#[test]
fn a_module_is_begun_with_an_import() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut terminal = begin(folder.path(), "new");
    terminal.press("a\"x\r");
    terminal.until_shows("characters that need an escape");
    terminal.press("\x15not a url\r");
    terminal.until_shows("no such built-in module");
    terminal.press("\x15https://example.invalid/lib/\r");
    terminal.until_shows("[1 Plan]");
    terminal.until_shows("fetches its imports");
    terminal.press("4");
    terminal.until_shows("missing");
    assert!(terminal.shows("DRY  new "), "the project is called after its folder");
    ends(terminal, "q");
    let written = std::fs::read_to_string(folder.path().join("new/main.mcl")).expect("it is written");
    assert_eq!(written, "import \"https://example.invalid/lib/\"\n");
}

#[test]
fn nearby_modules_are_offered() {
    let folder = tempfile::tempdir().expect("a folder");
    for module in ["site/main.mcl", "site/docs/notes/main.mcl"] {
        let file = folder.path().join(module);
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        std::fs::write(file, "print \"x\" {}\n").expect("written");
    }
    let mut terminal = begin(folder.path(), "site/docs");
    terminal.until_shows("notes");
    terminal.until_shows("..  the module that contains this folder");
    terminal.press("j\r");
    terminal.until_shows("[1 Plan]");
    terminal.press("3");
    terminal.until_shows("print[x]");
    ends(terminal, "q");

    // Nothing to choose from: the module that it lies in.
    std::fs::create_dir_all(folder.path().join("site/plain")).expect("a folder");
    let command = format!("cd {} && exec {PROGRAM} --config /dev/null", folder.path().join("site/plain").display());
    let terminal = Terminal::start(&["sh", "-c", &command], 80, 24);
    terminal.until_shows("[1 Plan]");
    terminal.until_shows("opened .., the module that contains this folder");
    ends(terminal, "q");

    // A folder that was named: what is below it, and no module is begun there.
    let command = format!("cd {} && exec {PROGRAM} --config /dev/null site/docs", folder.path().display());
    let mut terminal = Terminal::start(&["sh", "-c", &command], 80, 24);
    terminal.until_shows("No module in `site/docs`");
    terminal.until_shows("site/docs/notes");
    assert!(!terminal.shows("New module from a git import"));
    terminal.press("\r");
    terminal.until_shows("[1 Plan]");
    ends(terminal, "q");
}

/// What may not be looked into is not said to hold nothing, or not to be there.
#[test]
fn an_unreadable_folder_is_reported() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let shut = folder.path().join("shut");
    std::fs::create_dir_all(shut.join("sub")).expect("the temporary folder can be written");
    std::fs::write(shut.join("sub/main.mcl"), "").expect("the same");
    let allow = |path: &std::path::Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("it is ours");
    };
    allow(folder.path(), 0o755);
    allow(&shut, 0o000);
    let check = |entry: &str| {
        // Root may read everything.
        let mut command = std::process::Command::new("setpriv");
        if rustix::process::geteuid().is_root() {
            command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
        }
        command.arg(env!("CARGO_BIN_EXE_workbench")).args(["check", entry]).current_dir(folder.path());
        let output = command.env("WORKBENCH_STATE", "/nonexistent").output().expect("it starts");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    for entry in ["shut", "shut/sub", "shut/sub/main.mcl"] {
        let told = check(entry);
        assert!(told.contains("cannot read") && told.contains("ermission denied"), "{entry}: {told}");
        assert!(entry == "shut" || told.contains("no permission to read the folder `shut`"), "{entry}: {told}");
    }
    // Where it may be looked at, it is as it was.
    allow(&shut, 0o755);
    assert!(check("shut").contains("no entry point"), "{}", check("shut"));
    assert!(check("shut/none").contains("no such path"), "{}", check("shut/none"));
}
