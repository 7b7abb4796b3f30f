//! What history may lose: old deploys that are forgotten, and nothing of what somebody else put in the way of an undo.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// What stands behind the payload of an entry of a journal.
const FOOT: usize = 36;

struct Site(tempfile::TempDir);

impl Site {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_workbench"));
        command.args(words).current_dir(self.0.path()).env("WORKBENCH_STATE", self.path("state"));
        command.stdin(Stdio::null());
        command
    }

    /// The exit code, and what was said on both streams.
    fn run(&self, words: &[&str]) -> (Option<i32>, String) {
        told(self.command(words))
    }

    fn program(&self, text: &str) {
        let tree = format!("state => \"absent\", recurse => true, force => {}, ", text == "four");
        let shown = self.0.path().display();
        let gone = if text == "four" { format!("file \"{shown}/tree/\" {{ {tree} }}\n") } else { String::new() };
        let code = format!("file \"{shown}/f\" {{ state => \"exists\", content => \"{text}\", }}\n{gone}");
        fs::write(self.path("main.mcl"), code).expect("the folder is ours");
    }

    fn apply(&self, text: &str) {
        self.program(text);
        let (code, said) = self.run(&["apply", "--yes", "main.mcl"]);
        assert_eq!(code, Some(0), "{said}");
    }

    fn names(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(folder)).expect("it is there");
        let mut names: Vec<_> =
            entries.map(|entry| entry.expect("it is ours").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

fn told(mut command: Command) -> (Option<i32>, String) {
    let output = command.output().expect("the program starts");
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    (output.status.code(), String::from_utf8_lossy(&text).into_owned())
}

#[test]
fn what_stays_is_whole() {
    let site = Site::new();
    fs::create_dir_all(site.path("tree/deep")).expect("the folder is ours");
    fs::write(site.path("tree/deep/leaf"), "a leaf").expect("the folder is ours");
    for text in ["one", "two", "three", "four"] {
        site.apply(text);
    }
    let (code, said) = site.run(&["deploy", "prune", "--keep", "2"]);
    assert!(code == Some(1) && said.contains("--yes"), "{said}");
    let (code, said) = site.run(&["deploy", "prune", "--keep", "2", "--yes"]);
    assert!(code == Some(0) && said.contains("2 deploys, 1 saved content of"), "{said}");
    assert_eq!(site.names("state/deploys"), ["00000003.journal", "00000004.journal"]);
    let (code, said) = site.run(&["deploy", "list", "--verify"]);
    assert_eq!(code, Some(0), "{said}");
    let (code, said) = site.run(&["deploy", "prune", "--keep", "2", "--yes"]);
    assert!(code == Some(0) && said.contains("Nothing to delete"), "{said}");
    let (code, said) = site.run(&["deploy", "undo", "1", "--yes"]);
    assert!(code == Some(1) && said.contains("no deploy 1"), "{said}");
    // The folder's contents are needed as long as the deploy that removed it is there.
    for (deploy, text) in [("4", "three"), ("3", "two")] {
        let (code, said) = site.run(&["deploy", "undo", deploy, "--yes"]);
        assert_eq!(code, Some(0), "{said}");
        assert_eq!(fs::read_to_string(site.path("f")).expect("it is there"), text);
        assert_eq!(fs::read_to_string(site.path("tree/deep/leaf")).expect("it is back"), "a leaf");
    }
    let (code, said) = site.run(&["deploy", "list", "--verify"]);
    assert_eq!(code, Some(0), "{said}");
}

#[test]
fn the_setting_keeps_so_many() {
    let site = Site::new();
    for text in ["one", "two", "three", "five", "six"] {
        site.program(text);
        let mut command = site.command(&["apply", "--yes", "main.mcl"]);
        command.env("WORKBENCH_DEPLOYS_KEPT", "2");
        let (code, said) = told(command);
        assert_eq!(code, Some(0), "{said}");
    }
    assert_eq!(site.names("state/deploys"), ["00000004.journal", "00000005.journal"]);
    let (code, said) = site.run(&["deploy", "undo", "--yes"]);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(fs::read_to_string(site.path("f")).expect("it is there"), "five");
}

/// Where one that stays cannot be read, nobody knows what it needs: nothing goes.
#[test]
fn nothing_is_forgotten_on_a_guess() {
    let site = Site::new();
    for text in ["one", "two", "three"] {
        site.apply(text);
    }
    let journal = site.path("state/deploys/00000003.journal");
    let mut bytes = fs::read(&journal).expect("it is there");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&journal, bytes).expect("the folder is ours");
    let (code, said) = site.run(&["deploy", "prune", "--keep", "1", "--yes"]);
    assert!(code == Some(1) && said.contains("damaged"), "{said}");
    assert_eq!(site.names("state/deploys").len(), 3);
}

/// A deed that was cut off, at something that somebody else changed before anybody looked: each answer says what is there
/// in the end, and taking the undo back brings theirs again.
#[test]
fn foreign_changes_survive_an_interrupted_deploy() {
    for (answer, text) in [("keep", "theirs"), ("restore", "one")] {
        let site = Site::new();
        site.apply("one");
        site.apply("two");
        let journal = site.path("state/deploys/00000002.journal");
        let bytes = fs::read(&journal).expect("it is there");
        let intent = workbench::host::journal::scan(&bytes).frames[1].payload.end + FOOT;
        fs::write(&journal, &bytes[..intent]).expect("the folder is ours");
        fs::write(site.path("f"), "theirs").expect("the folder is ours");
        for words in [["deploy", "resume", "--yes"].as_slice(), &["deploy", "undo", "--yes"]] {
            let (code, said) = site.run(words);
            assert!(code == Some(1) && said.contains("by someone else"), "{said}");
            assert_eq!(fs::read_to_string(site.path("f")).expect("it is there"), "theirs");
        }
        let (code, said) = site.run(&["deploy", "undo", "--yes", "--on-conflict", answer]);
        assert_eq!(code, Some(0), "{said}");
        assert_eq!(fs::read_to_string(site.path("f")).expect("it is there"), text, "{said}");
        let (code, said) = site.run(&["deploy", "undo", "3", "--yes"]);
        assert_eq!(code, Some(0), "{said}");
        assert_eq!(fs::read_to_string(site.path("f")).expect("it is there"), "theirs", "{said}");
    }
}

/// Restoring over what somebody else made keeps theirs for the next undo; what cannot be kept is not overwritten.
#[test]
fn foreign_changes_are_never_lost() {
    let site = Site::new();
    site.apply("one");
    site.apply("two");
    fs::write(site.path("f"), "theirs").expect("the folder is ours");
    let (code, said) = site.run(&["deploy", "undo", "--yes"]);
    assert!(code == Some(1) && said.contains("--on-conflict"), "{said}");
    let (code, said) = site.run(&["deploy", "undo", "--yes", "--on-conflict", "restore"]);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(fs::read_to_string(site.path("f")).expect("it is there"), "one");
    let (code, said) = site.run(&["deploy", "undo", "3", "--yes"]);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(fs::read_to_string(site.path("f")).expect("it is there"), "theirs");

    fs::remove_file(site.path("f")).expect("it is there");
    rustix::fs::mknodat(rustix::fs::CWD, site.path("f"), rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0)
        .expect("the folder is ours");
    let (code, said) = site.run(&["deploy", "undo", "2", "--yes", "--on-conflict", "restore"]);
    assert!(code == Some(4) && said.contains("would be lost"), "{code:?} {said}");
    let kind = fs::symlink_metadata(site.path("f")).expect("it is there").file_type();
    assert!(std::os::unix::fs::FileTypeExt::is_fifo(&kind));
}
