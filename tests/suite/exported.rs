//! What one program exports others collect: over processes, hosts, changes of mind, and a store that somebody spoilt.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::running::Running;

const SITE: &str = "line \"motd\" {\n\tcontent => \"one\",\n\tMeta:hidden => true,\n\tMeta:export => [\"*\"],\n}\n";

const READER: &str =
    "collect line \"motd\" {\n\tfile => \"DIR/lines\",\n\tstate => \"exists\",\n\tMeta:hidden => false,\n}\n";

/// A folder with programs, and its own folder for state.
pub struct Site(tempfile::TempDir);

impl Site {
    pub fn new(files: &[(&str, &str)]) -> Self {
        let site = Self(tempfile::tempdir().expect("a folder"));
        files.iter().for_each(|(name, text)| site.write(name, text));
        site
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn write(&self, name: &str, text: &str) {
        let text = text.replace("DIR", &self.path().display().to_string());
        fs::write(self.path().join(name), text).expect("the folder is ours");
    }

    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = Running::command(self.path(), words);
        command.env("WORKBENCH_HOSTNAME", "h1");
        command
    }

    pub fn run(&self, words: &[&str]) -> (Option<i32>, String) {
        told(self.command(words).output().expect("the program starts"))
    }

    pub fn as_host(&self, host: &str, words: &[&str]) -> (Option<i32>, String) {
        told(self.command(words).env("WORKBENCH_HOSTNAME", host).output().expect("the program starts"))
    }

    fn done(&self, words: &[&str]) -> String {
        let (exit, told) = self.run(words);
        assert_eq!(exit, Some(0), "{words:?}\n{told}");
        told
    }

    pub fn stored(&self) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(self.path().join("state/exports")) else { return Vec::new() };
        let mut stored: Vec<_> = entries.map(|entry| entry.expect("it can be listed").path()).collect();
        stored.sort();
        stored
    }

    fn ids(&self, words: &[&str]) -> String {
        let output = self.command(words).output().expect("the program starts");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}

fn told(output: Output) -> (Option<i32>, String) {
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&text).into_owned())
}

#[test]
fn withdrawn_exports_disappear_for_collectors() {
    let site = Site::new(&[("a.mcl", SITE), ("b.mcl", READER)]);
    assert!(site.done(&["preview", "b.mcl"]).contains("nothing-collected"));
    site.done(&["preview", "a.mcl"]);
    site.done(&["apply", "--yes", "--noop", "a.mcl"]);
    assert!(site.stored().is_empty(), "a look stores nothing");

    site.done(&["apply", "--yes", "a.mcl"]);
    assert_eq!(site.stored().len(), 1);
    assert!(site.done(&["apply", "--yes", "a.mcl"]).contains("No changes"));
    site.done(&["apply", "--yes", "b.mcl"]);
    assert_eq!(fs::read_to_string(site.path().join("lines")).expect("it was collected"), "one\n");

    // What somebody else exports is not taken back by a program that exports nothing.
    site.write("c.mcl", "noop \"x\" {}\n");
    site.done(&["apply", "--yes", "c.mcl"]);
    assert_eq!(site.stored().len(), 1);

    site.write("a.mcl", "noop \"x\" {}\n");
    assert!(site.done(&["preview", "a.mcl"]).contains("- export[line[motd] to *]"));
    assert_eq!(site.stored().len(), 1, "a look takes nothing back");
    site.done(&["apply", "--yes", "a.mcl"]);
    assert!(site.stored().is_empty());
    assert!(!site.ids(&["graph", "b.mcl"]).contains("line[motd]"));
    site.done(&["deploy", "undo", "--yes"]);
    assert!(site.ids(&["graph", "b.mcl"]).contains("line[motd]"), "an undo brings it back");
}

#[test]
fn hosts_receive_their_own_exports() {
    let site = Site::new(&[]);
    site.write("a.mcl", "test \"x\" {\n\tMeta:export => [\"h2\"],\n\tMeta:hidden => true,\n}\n");
    site.write("b.mcl", "collect test \"x\" {\n\tMeta:hidden => false,\n}\n");
    site.write("c.mcl", "collect test [struct{name => \"x\", host => \"h9\"}] {\n\tMeta:hidden => false,\n}\n");
    site.done(&["apply", "--yes", "a.mcl"]);
    assert!(site.run(&["graph", "b.mcl"]).1.contains("nothing-collected"));
    assert!(!site.as_host("h2", &["graph", "b.mcl"]).1.contains("nothing-collected"));
    assert!(site.as_host("h2", &["graph", "c.mcl"]).1.contains("nothing-collected"));
    // The same program under another name exports for itself.
    site.as_host("h9", &["apply", "--yes", "a.mcl"]);
    assert_eq!(site.stored().len(), 2);
    assert!(!site.as_host("h2", &["graph", "c.mcl"]).1.contains("nothing-collected"));
}

#[test]
fn two_that_export_the_same_have_to_agree() {
    let site = Site::new(&[("a.mcl", SITE), ("b.mcl", READER), ("same.mcl", SITE)]);
    site.write("other.mcl", &SITE.replace("one", "two"));
    site.done(&["apply", "--yes", "a.mcl"]);
    site.done(&["apply", "--yes", "same.mcl"]);
    site.done(&["preview", "b.mcl"]);
    site.done(&["apply", "--yes", "other.mcl"]);
    let (exit, told) = site.run(&["preview", "b.mcl"]);
    assert_eq!(exit, Some(1), "{told}");
    assert!(told.contains("a.mcl") && told.contains("other.mcl") && told.contains("`content` differs"), "{told}");
    site.write("b.mcl", &READER.replace("\tstate", "\tcontent => \"mine\",\n\tstate"));
    site.done(&["preview", "b.mcl"]);
}

#[test]
fn a_damaged_store_is_reported_with_advice() {
    let site = Site::new(&[("a.mcl", SITE), ("b.mcl", READER)]);
    site.done(&["apply", "--yes", "a.mcl"]);
    site.done(&["apply", "--yes", "b.mcl"]);
    let file = site.stored().remove(0);
    let right = fs::read_to_string(&file).expect("it was stored");
    let spoilt: &[(&str, String)] = &[
        ("empty", String::new()),
        ("no JSON", "{\"form\":1".into()),
        ("another form", right.replace("\"form\":1", "\"form\":2")),
        ("another name", right.replace("motd", "mott")),
        ("another host", right.replace("\"to\":\"*\"", "\"to\":\"h1\"")),
        ("another type", right.replace("{\"Str\":\"one\"}", "{\"Int\":1}")),
        ("no such parameter", right.replace("\"content\"", "\"contents\"")),
        ("no such meta parameter", right.replace("\"hidden\"", "\"hideous\"")),
        ("something more", right.replace("\"form\":1", "\"form\":1,\"x\":1")),
        ("deep", "[".repeat(100_000)),
        ("a link", "".into()),
        ("a folder", "".into()),
    ];
    for (what, text) in spoilt {
        let _ = fs::remove_file(&file);
        match *what {
            "a link" => std::os::unix::fs::symlink("/dev/zero", &file).expect("the folder is ours"),
            "a folder" => fs::create_dir(&file).expect("the folder is ours"),
            _ => fs::write(&file, text).expect("the folder is ours"),
        }
        let (exit, told) = site.run(&["apply", "--yes", "b.mcl"]);
        assert_eq!(exit, Some(1), "{what}\n{told}");
        assert!(told.contains("bad-export") && told.contains("= help: "), "{what}\n{told}");
        assert_eq!(fs::read_to_string(site.path().join("lines")).expect("it stays"), "one\n", "{what}");
        let (exit, told) = site.run(&["eval", "import \"world/collect\"\ncollect.res(\"line\")"]);
        let only_the_body = matches!(*what, "another type" | "no such parameter" | "no such meta parameter");
        assert_eq!(exit, Some(if only_the_body { 0 } else { 1 }), "{what}\n{told}");
    }
    fs::remove_dir(&file).expect("it is empty");
    // The way out.
    site.done(&["apply", "--yes", "a.mcl"]);
    assert_eq!(fs::read_to_string(&file).expect("it was stored again"), right);
    assert!(site.done(&["apply", "--yes", "b.mcl"]).contains("No changes"));
    // Its own broken file a program writes anew.
    fs::write(&file, "broken").expect("the folder is ours");
    site.done(&["apply", "--yes", "a.mcl"]);
    assert_eq!(fs::read_to_string(&file).expect("it was stored again"), right);
    // What is none of ours is in nobody's way.
    fs::write(file.with_file_name("notes.txt"), "x").expect("the folder is ours");
    site.done(&["preview", "b.mcl"]);
}

#[test]
fn a_watching_program_receives_exports() {
    let site = Site::new(&[("a.mcl", SITE), ("b.mcl", READER)]);
    let heard = site.path().join("heard");
    let output = fs::File::create(&heard).expect("the folder is ours");
    let mut child = site
        .command(&["run", "--noop", "b.mcl"])
        .stdout(output.try_clone().expect("a second handle"))
        .stderr(output)
        .spawn()
        .expect("the program starts");
    let until = |what: &str| {
        let end = std::time::Instant::now() + std::time::Duration::from_secs(60);
        loop {
            let text = fs::read_to_string(&heard).unwrap_or_default();
            if text.contains(what) {
                break;
            }
            assert!(std::time::Instant::now() < end, "never: {what}\n{text}");
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
    };
    until("watching");
    site.done(&["apply", "--yes", "a.mcl"]);
    until("line[motd]");
    let _ = rustix::process::kill_process(rustix::process::Pid::from_child(&child), rustix::process::Signal::INT);
    child.wait().expect("it was started");
}
