//! A run that watches: what changes on the machine, by others or by itself, is taken in while it lives.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::ports::free_port;
use crate::terminal::{PROGRAM, Terminal};

/// Far more than anything here takes; only a failure waits for it.
const DEADLINE: Duration = Duration::from_secs(60);

/// A run in a folder of its own.
pub struct Running {
    folder: tempfile::TempDir,
    child: Child,
}

impl Running {
    /// Starts a run of a program, with files beside it. `DIR` in all of them is the folder.
    pub fn start(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            let text = text.replace("DIR", &folder.path().display().to_string());
            fs::write(folder.path().join(name), text).expect("the folder is ours");
        }
        let child = Self::spawn(folder.path());
        Self { folder, child }
    }

    fn spawn(folder: &Path) -> Child {
        let output = fs::File::create(folder.join("told")).expect("the folder is ours");
        let mut command = Self::command(folder, &["run", "--yes", "main.mcl"]);
        command.stdout(output.try_clone().expect("a second handle")).stderr(output);
        command.spawn().expect("the program starts")
    }

    /// Ends the run, if it has not ended yet, and gives its exit code.
    pub fn end(&mut self) -> Option<i32> {
        let _ = kill_process(Pid::from_child(&self.child), Signal::INT);
        self.child.wait().expect("it was started").code()
    }

    /// Waits until the run ends by itself, and gives its exit code.
    pub fn ends(&mut self) -> Option<i32> {
        let end = Instant::now() + DEADLINE;
        loop {
            if let Some(status) = self.child.try_wait().expect("it was started") {
                return status.code();
            }
            assert!(Instant::now() < end, "it does not end\n{}", self.text("told"));
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Runs the program again, after it ended.
    pub fn again(&mut self) {
        self.child = Self::spawn(self.folder.path());
    }

    pub fn command(folder: &Path, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_workbench"));
        command.args(words).current_dir(folder).env("WORKBENCH_STATE", folder.join("state")).stdin(Stdio::null());
        command
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Replaces a file as an editor does. `DIR` is the folder.
    pub fn write(&self, name: &str, text: &str) {
        let text = text.replace("DIR", &self.folder.path().display().to_string());
        fs::write(self.path(".new"), text).expect("the folder is ours");
        fs::rename(self.path(".new"), self.path(name)).expect("the folder is ours");
    }

    pub fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    /// Waits until something holds.
    pub fn until(&self, what: &str, holds: impl Fn() -> bool) {
        let end = Instant::now() + DEADLINE;
        while !holds() {
            assert!(Instant::now() < end, "never: {what}\n{}", self.text("told"));
            thread::sleep(Duration::from_millis(10));
        }
    }

    pub fn holds(&self, name: &str, text: &str) {
        self.until(&format!("{name} holds {text:?}"), || self.text(name) == text);
    }

    pub fn tells(&self, text: &str) {
        self.until(&format!("{text:?} is told"), || self.text("told").contains(text));
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = kill_process(Pid::from_child(&self.child), Signal::INT);
        let _ = self.child.wait();
    }
}

/// The body of a page; nothing where no server is there.
fn get(port: u16, path: &str) -> Option<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n").ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    Some(answer.split_once("\r\n\r\n")?.1.to_owned())
}

#[test]
fn servers_outlive_changes_and_end_with_their_resources() {
    let port = free_port();
    let program = format!(
        "import \"os\"\n\
         http:server \"127.0.0.1:{port}\" {{}}\n\
         http:server:file \"/page\" {{ data => os.readfile(\"DIR/page\"), }}\n\
         file \"DIR/other\" {{ state => \"exists\", content => os.readfile(\"DIR/input\"), }}\n"
    );
    let run = Running::start(&[("main.mcl", &program), ("page", "one"), ("input", "first")]);
    run.until("the page is served", || get(port, "/page").as_deref() == Some("one"));
    run.tells("watching");

    run.write("input", "second");
    run.until("the other resource changes", || {
        assert!(get(port, "/page").is_some(), "the server stays");
        run.text("other") == "second"
    });
    run.write("page", "two");
    run.until("the page changes", || {
        let page = get(port, "/page").expect("the server stays");
        page == "two"
    });

    let refused = Running::command(run.folder.path(), &["apply", "--yes", "-e", "noop \"x\" {}"]).output();
    let refused = refused.expect("the program starts");
    assert!(!refused.status.success(), "nobody else applies while a run lasts");

    run.write("main.mcl", "file \"DIR/other\" { state => \"exists\", content => \"third\", }\n");
    run.holds("other", "third");
    run.until("the server ends", || get(port, "/page").is_none());
}

#[test]
fn posts_reach_their_receivers() {
    let port = free_port();
    let program = format!(
        "http:server \"127.0.0.1:{port}\" {{}}\n\
         http:server:flag \"/flag\" {{ key => \"word\", }}\n\
         file \"DIR/heard\" {{ state => \"exists\", }}\n\
         Http:Server:Flag[\"/flag\"].value -> File[\"DIR/heard\"].content\n"
    );
    let run = Running::start(&[("main.mcl", &program)]);
    run.tells("watching");
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("the server is there");
    let body = "word=hello";
    write!(
        stream,
        "POST /flag HTTP/1.1\r\nHost: here\r\nContent-Type: application/x-www-form-urlencoded\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
    .expect("it listens");
    let _ = stream.read_to_string(&mut String::new());
    run.holds("heard", "hello");
}

#[test]
fn held_and_stored_values_are_reported() {
    let program = "import \"os\"\nimport \"value\"\nimport \"world\"\n\
        $input = os.readfile(\"DIR/input\")\n\
        value \"held\" { any => $input, }\n\
        kv \"stored\" { value => $input, }\n\
        file \"DIR/held\" { state => \"exists\", content => value.get_str(\"held\")->value, }\n\
        file \"DIR/stored\" { state => \"exists\", content => world.getval(\"stored\")->value, }\n";
    let run = Running::start(&[("main.mcl", program), ("input", "one")]);
    for text in ["one", "two"] {
        run.write("input", text);
        run.holds("held", text);
        run.holds("stored", text);
    }
    // A program that is compiled anew still knows them.
    run.write("main.mcl", &format!("{program}file \"DIR/more\" {{ state => \"exists\", content => \"x\", }}\n"));
    run.holds("more", "x");
    assert_eq!(run.text("held"), "two");
    run.write("main.mcl", &program.replace("value \"held\" { any => $input, }\n", ""));
    run.holds("held", "");
}

#[test]
fn drift_is_mended_and_nothing_more_is_purged() {
    fn program(mode: &str) -> String {
        format!(
            "file \"DIR/tree/\" {{ state => \"exists\", purge => true, recurse => true, mode => \"{mode}\", }}\n\
             file \"DIR/tree/a\" {{ state => \"exists\", content => \"a\", }}\n\
             file \"DIR/b\" {{ state => \"exists\", content => \"b\", }}\n"
        )
    }
    let run = Running::start(&[("main.mcl", &program("0755"))]);
    run.tells("watching");
    fs::write(run.path("tree/stray"), "stray").expect("the folder is ours");
    run.until("what nobody described is purged", || !run.path("tree/stray").exists());
    assert_eq!(run.text("tree/a"), "a");
    fs::write(run.path("b"), "changed").expect("the folder is ours");
    run.holds("b", "b");
    run.tells("was changed outside workbench");
    run.write("main.mcl", &program("0700"));
    run.tells("compiling again");
    run.until("the folder is as described now", || {
        let about = fs::metadata(run.path("tree")).expect("it is there");
        std::os::unix::fs::PermissionsExt::mode(&about.permissions()) & 0o777 == 0o700
    });
    assert_eq!(run.text("tree/a"), "a");
}

/// Whoever reads a record later finds in its first line which form it has; one without is of the oldest.
#[test]
fn a_record_states_its_version() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("main.mcl"), "print \"x\" { msg => \"x\", }\n").expect("the folder is ours");
    let run = |words: &[&str]| {
        let output = Running::command(folder.path(), words).output().expect("the program starts");
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    assert_eq!(run(&["run", "--yes", "--once", "--record", "day.jsonl", "main.mcl"]).0, Some(0));
    let record = fs::read_to_string(folder.path().join("day.jsonl")).expect("it was made");
    let first: serde_json::Value = serde_json::from_str(record.lines().next().expect("a line")).expect("JSON");
    assert_eq!(first["version"], 1, "{record}");
    let replay = ["run", "--noop", "--replay", "day.jsonl", "-q", "main.mcl"];
    let told = run(&replay);
    assert_eq!(told.0, Some(0), "{}", told.1);
    fs::write(folder.path().join("day.jsonl"), record.replace(",\"version\":1", "")).expect("the folder is ours");
    assert_eq!(run(&replay), told);
}

/// What is at work is done to its end, and the history has its end too; while it watches, and at its question, nothing is.
#[test]
fn a_hangup_ends_a_run_as_a_signal_to_end_does() {
    let program = "exec \"slow\" {\n\
        \tcmd => \"touch DIR/at-work; until test -e DIR/go; do sleep 0.02; done; touch DIR/ended\",\n\
        \tshell => \"/bin/sh\",\n\tcreates => \"DIR/ended\",\n}\n\
        file \"DIR/after\" { state => \"exists\", content => \"x\", }\nExec[\"slow\"] -> File[\"DIR/after\"]\n";
    for signal in [Signal::HUP, Signal::TERM] {
        let mut run = Running::start(&[("main.mcl", program)]);
        run.until("the command is at work", || run.path("at-work").exists());
        kill_process(Pid::from_child(&run.child), signal).expect("it runs");
        run.tells("stopping after exec[slow]");
        if signal == Signal::HUP {
            // The shell says it once more, and nobody did.
            kill_process(Pid::from_child(&run.child), signal).expect("it runs");
        }
        fs::write(run.path("go"), "").expect("the folder is ours");
        assert_eq!(run.ends(), Some(130), "{signal:?}: {}", run.text("told"));
        assert!(run.path("ended").exists() && !run.path("after").exists(), "{signal:?}");
        let list = Running::command(run.folder.path(), &["deploy", "list"]).output().expect("the program starts");
        let list = String::from_utf8_lossy(&list.stdout).into_owned();
        assert!(list.contains("1 change, stopped early"), "{signal:?}: {list}");

        run.again();
        run.tells("watching");
        assert!(run.path("after").exists());
        kill_process(Pid::from_child(&run.child), signal).expect("it runs");
        assert_eq!(run.ends(), Some(130), "{signal:?}: {}", run.text("told"));
    }

    let folder = tempfile::tempdir().expect("a folder");
    let code = format!("file \"{}/new\" {{ state => \"exists\", content => \"x\", }}\n", folder.path().display());
    fs::write(folder.path().join("main.mcl"), code).expect("the folder is ours");
    let command =
        format!("cd {} && exec {PROGRAM} --config /dev/null --state-dir state run .", folder.path().display());
    for (keys, code) in [("\x03", 130), ("n\r", 1)] {
        let mut terminal = Terminal::start(&["sh", "-c", &command], 80, 24);
        terminal.until_shows("Apply this, and keep it so? [y/N]");
        terminal.press(keys);
        assert_eq!(terminal.ended(), code, "{keys:?}");
        assert!(!folder.path().join("new").exists());
    }
}
