//! Taking back as a user meets it: through the program, on what commands and others left among what a deploy made.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// A folder with a program and its history.
struct Site(tempfile::TempDir);

impl Site {
    fn new(program: &str) -> Self {
        let site = Self(tempfile::tempdir().expect("a folder"));
        site.write(program);
        site
    }

    fn write(&self, program: &str) {
        let shown = self.0.path().display().to_string();
        fs::write(self.path("main.mcl"), program.replace("DIR", &shown)).expect("the folder is ours");
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn run(&self, words: &[&str]) -> (Option<i32>, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_workbench"));
        command.args(words).current_dir(self.0.path()).env("WORKBENCH_STATE", self.path("state"));
        let Output { status, stdout, stderr } = command.stdin(Stdio::null()).output().expect("the program starts");
        (status.code(), String::from_utf8_lossy(&[stdout, stderr].concat()).into_owned())
    }

    fn does(&self, words: &[&str]) -> String {
        let (code, text) = self.run(words);
        assert_eq!(code, Some(0), "{words:?}: {text}");
        text
    }
}

/// Folders in folders, and a command that writes into the inner one.
const GUESTS: &str = "\
file \"DIR/made/\" { state => \"exists\", }
file \"DIR/made/inner/\" { state => \"exists\", }
file \"DIR/made/inner/page\" { state => \"exists\", content => \"page\", }
file \"DIR/made/empty/\" { state => \"exists\", }
exec \"guests\" {
\tcmd => \"echo hello > DIR/made/inner/guests.txt\",
\tshell => \"/bin/sh\",
\tcreates => \"DIR/made/inner/guests.txt\",
\tDepend => File[\"DIR/made/inner/\"],
}
";

#[test]
fn a_folder_that_holds_what_a_command_made_stays_and_the_rest_goes() {
    let site = Site::new(GUESTS);
    site.does(&["apply", "--yes", "main.mcl"]);
    let (code, text) = site.run(&["deploy", "undo", "--yes"]);
    // What a command did cannot be taken back, and that is told by the exit code, as ever.
    assert_eq!(code, Some(4), "{text}");
    assert!(text.contains("it holds guests.txt, made by exec[guests]"), "{text}");
    assert!(text.contains("it holds inner, which stays"), "{text}");
    assert!(text.contains("2 folders kept for what they hold"), "{text}");
    assert!(!site.path("made/inner/page").exists() && !site.path("made/empty").exists(), "{text}");
    assert_eq!(fs::read_to_string(site.path("made/inner/guests.txt")).expect("it stays"), "hello\n");
    // It is taken back as far as it goes: another undo finds nothing, and an undo of the undo brings all of it.
    let (code, text) = site.run(&["deploy", "undo", "--yes"]);
    assert!(code == Some(1) && text.contains("no deploy"), "{code:?} {text}");
    site.does(&["deploy", "undo", "2", "--yes"]);
    assert_eq!(fs::read_to_string(site.path("made/inner/page")).expect("it is back"), "page");
    assert!(site.path("made/empty").is_dir());
    // Whoever wants it gone says so.
    let (_, text) = site.run(&["deploy", "undo", "1", "--yes", "--on-conflict", "restore"]);
    assert!(!site.path("made").exists(), "{text}");
    // Nothing is lost by that either.
    site.does(&["deploy", "undo", "--yes", "4"]);
    assert_eq!(fs::read_to_string(site.path("made/inner/guests.txt")).expect("it is back"), "hello\n");
}

#[test]
fn what_somebody_else_put_into_a_folder_stays_with_it() {
    let site = Site::new("file \"DIR/made/\" { state => \"exists\", }\n");
    site.does(&["apply", "--yes", "main.mcl"]);
    fs::write(site.path("made/theirs"), "theirs").expect("the folder is ours");
    let text = site.does(&["deploy", "undo", "--yes"]);
    assert!(text.contains("it holds theirs, which this deploy did not make"), "{text}");
    assert!(text.contains("1 folder kept for what it holds"), "{text}");
    assert_eq!(fs::read_to_string(site.path("made/theirs")).expect("it stays"), "theirs");
}
