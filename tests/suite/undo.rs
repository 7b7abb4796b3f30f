//! Taking back as a user meets it: through the program, on what commands and others left among what a deploy made.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::thread;

use rustix::process::Signal;
use workbench::host::journal::{End, Journal, Record};

use crate::attach::{send, until};

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

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_workbench"));
        command.args(words).current_dir(self.0.path()).env("WORKBENCH_STATE", self.path("state"));
        command.stdin(Stdio::null());
        command
    }

    /// The process that holds the lock.
    fn applier(&self) -> u32 {
        let holder = fs::read_to_string(self.path("state/lock")).expect("there is a lock");
        let holder: serde_json::Value = serde_json::from_str(&holder).expect("it says who");
        holder["pid"].as_u64().and_then(|pid| u32::try_from(pid).ok()).expect("it says who")
    }

    fn run(&self, words: &[&str]) -> (Option<i32>, String) {
        let Output { status, stdout, stderr } = self.command(words).output().expect("the program starts");
        (status.code(), String::from_utf8_lossy(&[stdout, stderr].concat()).into_owned())
    }

    fn does(&self, words: &[&str]) -> String {
        let (code, text) = self.run(words);
        assert_eq!(code, Some(0), "{words:?}: {text}");
        text
    }

    /// Takes the newest back, where what failed left anything.
    fn takes_back(&self) -> String {
        let (code, text) = self.run(&["deploy", "undo", "--yes"]);
        assert!(code == Some(0) || text.contains("nothing to undo"), "{code:?} {text}");
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
fn a_folder_with_files_of_a_command_stays() {
    let site = Site::new(GUESTS);
    site.does(&["apply", "--yes", "main.mcl"]);
    let (code, text) = site.run(&["deploy", "undo", "--yes"]);
    // What a command did cannot be undone; that was announced, and all else is done.
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("1 cannot be undone:"), "{text}");
    assert!(text.contains("holds guests.txt, created by exec[guests]"), "{text}");
    assert!(text.contains("holds inner, which is kept"), "{text}");
    assert!(text.contains("2 kept because not empty"), "{text}");
    assert!(!site.path("made/inner/page").exists() && !site.path("made/empty").exists(), "{text}");
    assert_eq!(fs::read_to_string(site.path("made/inner/guests.txt")).expect("it stays"), "hello\n");
    // It is taken back as far as it goes: another undo finds nothing, and an undo of the undo brings all of it.
    let (code, text) = site.run(&["deploy", "undo", "--yes"]);
    assert!(code == Some(1) && text.contains("nothing to undo"), "{code:?} {text}");
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

/// A folder with all that is in it is one resource, however many deeds it took, and so it is counted wherever people are told of it.
#[test]
fn an_undo_is_counted_by_resources() {
    let site = Site::new(
        "file \"DIR/made/\" { state => \"exists\", source => \"DIR/from/\", recurse => true, }\n\
         file \"DIR/one\" { state => \"exists\", content => \"one\", }\n",
    );
    fs::create_dir(site.path("from")).expect("the folder is ours");
    for name in ["a", "b", "c"] {
        fs::write(site.path("from").join(name), name).expect("the folder is ours");
    }
    site.does(&["apply", "--yes", "main.mcl"]);
    assert!(site.path("made/c").exists());
    let text = site.does(&["deploy", "undo", "--yes"]);
    assert!(text.contains("Will undo 2:"), "{text}");
    assert!(text.contains("Deploy 2: 2 undone."), "{text}");
    assert!(site.does(&["deploy", "list"]).contains("undo of deploy 1  2 undone"));
    let text = site.does(&["deploy", "undo", "2", "--yes", "--format", "json"]);
    let summary = text.lines().last().expect("a summary");
    let summary: serde_json::Value = serde_json::from_str(summary).expect("JSON");
    assert_eq!(summary["resources"]["back"], 2, "{summary}");
    let events = text.lines().filter(|line| line.contains("\"event\":\"done\"")).count();
    assert_eq!(summary["back"], events, "{summary}");
}

/// Without a number it is the newest deploy that changed something, whatever found nothing to do since.
#[test]
fn a_deploy_that_changed_nothing_is_passed_over() {
    let site = Site::new("file \"DIR/made\" { state => \"exists\", content => \"new\", }\n");
    let (code, text) = site.run(&["deploy", "undo", "--yes"]);
    assert!(code == Some(1) && text.contains("no deploys yet"), "{code:?} {text}");
    for _ in 0..3 {
        site.does(&["apply", "--yes", "main.mcl"]);
    }
    let text = site.does(&["deploy", "undo", "--yes"]);
    assert!(
        text.contains("newest deploy of this entry that is not undone is 1") && !site.path("made").exists(),
        "{text}"
    );
    let (code, text) = site.run(&["deploy", "undo", "--yes"]);
    assert!(code == Some(1) && text.contains("nothing to undo"), "{code:?} {text}");
    assert!(site.does(&["deploy", "list"]).contains("1 change, undone by #4"));
    // Where the undo is taken back the deploy stands again.
    site.does(&["deploy", "undo", "4", "--yes"]);
    assert!(!site.does(&["deploy", "list"]).contains("undone by #4"));
    assert!(site.path("made").exists());
    let text = site.does(&["deploy", "undo", "--yes"]);
    assert!(
        text.contains("newest deploy of this entry that is not undone is 1") && !site.path("made").exists(),
        "{text}"
    );
}

#[test]
fn a_folder_with_foreign_files_stays() {
    let site = Site::new("file \"DIR/made/\" { state => \"exists\", }\n");
    site.does(&["apply", "--yes", "main.mcl"]);
    fs::write(site.path("made/theirs"), "theirs").expect("the folder is ours");
    let text = site.does(&["deploy", "undo", "--yes"]);
    assert!(text.contains("holds theirs, not created by this deploy"), "{text}");
    assert!(text.contains("1 kept because not empty"), "{text}");
    assert_eq!(fs::read_to_string(site.path("made/theirs")).expect("it stays"), "theirs");
}

/// What a later deploy did is ours: it is named, and is no stranger's.
#[test]
fn a_later_deploy_that_is_in_the_way_is_named() {
    let site = Site::new(
        "file \"DIR/f\" { state => \"exists\", content => \"one\", }\nfile \"DIR/made/\" { state => \"exists\", }\n",
    );
    site.does(&["apply", "--yes", "main.mcl"]);
    site.write("file \"DIR/f\" { state => \"exists\", content => \"two\", }\nfile \"DIR/made/child\" { state => \"exists\", }\n");
    site.does(&["apply", "--yes", "main.mcl"]);
    let (code, text) = site.run(&["deploy", "undo", "1", "--yes"]);
    assert_eq!(code, Some(1), "{text}");
    for words in [
        "deploy 2 changed it since; undo that first",
        "1 conflict with deploy 2",
        "undo that first with `workbench deploy undo 2`",
        "holds child, created by deploy 2: undo that first",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    // What somebody else did over it is told as before, and no deploy is blamed.
    fs::write(site.path("f"), "theirs").expect("the folder is ours");
    let (code, text) = site.run(&["deploy", "undo", "1", "--yes"]);
    assert!(code == Some(1) && text.contains("with later changes") && !text.contains("undo 2`"), "{text}");
    fs::write(site.path("f"), "two").expect("the folder is ours");
    site.does(&["deploy", "undo", "2", "--yes"]);
    site.does(&["deploy", "undo", "1", "--yes"]);
    assert!(!site.path("f").exists() && !site.path("made").exists());
}

/// To take back an undo would do again what it undid, so nobody is sent there; and what is kept is not taken back.
#[test]
fn a_conflicting_undo_is_not_offered_for_undo() {
    let code = |content: &str| {
        format!(
            "file \"DIR/f\" {{ state => \"exists\", content => \"{content}\", }}\n\
             file \"DIR/g\" {{ state => \"exists\", content => \"g\", }}\n"
        )
    };
    let site = Site::new(&code("one"));
    site.does(&["apply", "--yes", "main.mcl"]);
    fs::write(site.path("f"), "one, and mine").expect("the folder is ours");
    site.write(&code("two"));
    site.does(&["apply", "--yes", "main.mcl"]);
    site.does(&["deploy", "undo", "--yes"]);
    let (exit, text) = site.run(&["deploy", "undo", "1", "--yes"]);
    assert!(exit == Some(1) && text.contains("deploy 3 restored it since, when it undid deploy 2"), "{text}");
    assert!(!text.contains("first") && !text.contains("undo 3"), "{text}");
    let text = site.does(&["deploy", "undo", "1", "--yes", "--on-conflict", "keep"]);
    assert!(text.contains("1 undone, 1 kept because changed since"), "{text}");
    let listed = site.does(&["deploy", "list"]);
    assert!(listed.contains("partly undone by #4") && listed.contains("undone by #3"), "{listed}");
    assert!(site.path("f").exists() && !site.path("g").exists());
    let (exit, text) = site.run(&["deploy", "undo", "1", "--yes"]);
    assert!(exit == Some(1) && text.contains("deploy 1 is already partly undone by deploy 4"), "{text}");
    // What takes back the rest is what counts from then on.
    site.does(&["deploy", "undo", "1", "--yes", "--on-conflict", "restore"]);
    let listed = site.does(&["deploy", "list"]);
    assert!(listed.contains("undone by #5") && !listed.contains("partly"), "{listed}");
}

/// Where nothing can be undone no deploy is begun, however often it is asked for.
#[test]
fn an_empty_undo_is_reported() {
    let site = Site::new("exec \"one\" { cmd => \"true\", }\n");
    site.does(&["apply", "--yes", "main.mcl"]);
    for words in [&["deploy", "undo", "--yes"][..], &["deploy", "undo", "1", "--yes"]] {
        let text = site.does(words);
        assert!(text.contains("Deploy 1 has nothing that can be undone."), "{text}");
        let (exit, text) = site.run(&[words, &["--detailed-exitcode"]].concat());
        assert_eq!(exit, Some(2), "{text}");
    }
    let listed = site.does(&["deploy", "list"]);
    assert!(listed.lines().count() == 1 && !listed.contains("undo of"), "{listed}");
}

/// Another user's history is no empty one.
#[test]
fn a_foreign_folder_is_reported() {
    let site = Site::new("");
    let state = site.path("state");
    fs::create_dir(&state).expect("the folder is ours");
    // Only root can give a folder away.
    if std::os::unix::fs::chown(&state, Some(65534), None).is_ok() {
        let (code, text) = site.run(&["deploy", "list"]);
        assert!(code == Some(1) && text.contains("state belongs to another user"), "{code:?} {text}");
    }
}

/// So many folders in each other go one after the other, so that there is a middle.
const DEEP: usize = 150;

fn deep() -> String {
    let folders =
        (1..=DEEP).map(|depth| format!("file \"DIR/made/{}\" {{ state => \"exists\", }}\n", "d/".repeat(depth)));
    std::iter::once("file \"DIR/made/\" { state => \"exists\", }\n".to_owned()).chain(folders).collect()
}

/// An undo in a process of its own that has begun and has not ended.
fn in_the_middle() -> (Site, Child) {
    let site = Site::new(&deep());
    site.does(&["apply", "--yes", "main.mcl"]);
    let mut command = site.command(&["deploy", "undo", "--yes", "--apart", "always", "--format", "json"]);
    let mut face = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    let mut first = String::new();
    let mut told = BufReader::new(face.stdout.take().expect("it is ours"));
    told.read_line(&mut first).expect("it tells");
    assert!(first.contains("\"undoes\":[1,"), "{first}");
    // What it still tells must not be in its way.
    thread::spawn(move || std::io::copy(&mut told, &mut std::io::sink()));
    (site, face)
}

#[test]
fn an_undo_that_lost_its_face_waits_and_is_come_back_to() {
    let (site, mut face) = in_the_middle();
    face.kill().expect("it is ours");
    face.wait().expect("it is ours");
    until("it to wait", || site.run(&["apply", "--yes", "main.mcl"]).1.contains("workbench attach"));
    assert!(site.path("made").exists(), "nothing is begun while nobody watches");
    let (code, text) = site.run(&["apply", "--yes", "main.mcl"]);
    assert!(code == Some(75) && site.run(&["attach"]).1.contains("undo of deploy 1"), "{text}");
    let (code, text) = site.run(&["attach", "--step"]);
    assert!(code == Some(1) && text.contains("only asks before it starts"), "{text}");
    let text = site.does(&["attach", "--yes", "--format", "json"]);
    assert_eq!(text.matches("\"undoes\"").count(), DEEP + 1, "all of it is told: {text}");
    assert!(text.contains(&format!("\"back\":{}", DEEP + 1)), "{text}");
    assert!(!site.path("made").exists());
    until("the applier to end", || !site.path("state/applier.sock").exists());
    // It was one deploy, and it took the other back.
    let (code, text) = site.run(&["deploy", "undo", "--yes"]);
    assert!(code == Some(1) && text.contains("already undone"), "{text}");
}

#[test]
fn an_ended_undo_is_continued_by_the_next() {
    for kills in [false, true] {
        let (site, mut face) = in_the_middle();
        if kills {
            send(site.applier(), Signal::KILL);
            let Output { status, stderr, .. } = face.wait_with_output().expect("it ends by itself");
            let text = String::from_utf8_lossy(&stderr).into_owned();
            assert!(status.code() == Some(4) && text.contains("`workbench deploy undo 1`"), "{status:?} {text}");
        } else {
            face.kill().expect("it is ours");
            face.wait().expect("it is ours");
            until("it to wait", || site.run(&["apply", "--yes", "main.mcl"]).1.contains("workbench attach"));
            let text = site.does(&["attach", "--stop"]);
            assert!(text.contains("`workbench deploy undo 1` continues"), "{text}");
        }
        assert!(site.path("made").exists());
        // Half an undo did not take it back: it is still the newest that stands.
        let text = site.does(&["deploy", "undo", "1", "--yes"]);
        assert!(text.contains("already undone"), "{text}");
        assert!(!site.path("made").exists());
        let (code, text) = site.run(&["deploy", "undo", "--yes"]);
        assert!(code == Some(1) && text.contains("already undone"), "{text}");
        site.does(&["deploy", "list", "--verify"]);
    }
}

#[test]
fn a_declined_question_leaves_no_trace() {
    let site = Site::new("file \"DIR/made\" { state => \"exists\", content => \"ours\", }\n");
    site.does(&["apply", "--yes", "main.mcl"]);
    fs::write(site.path("made"), "theirs").expect("the folder is ours");
    for apart in ["always", "never"] {
        let (code, text) = site.run(&["deploy", "undo", "--yes", "--apart", apart]);
        assert!(code == Some(1) && text.contains("--on-conflict"), "{text}");
        let (_, text) = site.run(&["deploy", "list"]);
        assert!(!text.contains("undo of"), "{text}");
    }
    assert_eq!(fs::read_to_string(site.path("made")).expect("it stays"), "theirs");
    site.does(&["deploy", "undo", "--yes", "--apart", "always", "--on-conflict", "restore"]);
    assert!(!site.path("made").exists());
}

/// What could not be taken back is what the next undo is about, not the deploy before it.
#[test]
fn a_failed_undo_is_continued() {
    let site = Site::new("file \"DIR/first\" { state => \"exists\", content => \"first\", }\n");
    site.does(&["apply", "--yes", "main.mcl"]);
    site.write("file \"DIR/second\" { state => \"exists\", content => \"new\", }\n");
    fs::write(site.path("second"), "old").expect("the folder is ours");
    site.does(&["apply", "--yes", "main.mcl"]);
    let blobs = site.path("state/blobs");
    let aside = site.path("aside");
    fs::rename(&blobs, &aside).expect("it is ours");
    fs::create_dir(&blobs).expect("it is ours");
    let (code, text) = site.run(&["deploy", "undo", "--yes"]);
    assert!(code == Some(4) && text.contains("1 failed"), "{code:?} {text}");
    fs::remove_dir_all(&blobs).expect("it is ours");
    fs::rename(&aside, &blobs).expect("it is ours");
    site.does(&["deploy", "undo", "--yes"]);
    assert_eq!(fs::read_to_string(site.path("second")).expect("it is back"), "old");
    assert!(site.path("first").exists(), "the deploy before it stands");
}

/// What a journal says up to its first bad entry is taken back, and that it is not all is said.
#[test]
fn the_readable_part_of_a_damaged_journal_is_reported() {
    let site = Site::new(GUESTS);
    site.does(&["apply", "--yes", "main.mcl"]);
    let journal = site.path("state/deploys/00000001.journal");
    let mut bytes = fs::read(&journal).expect("it is ours");
    let at = bytes.len() * 2 / 3;
    bytes[at] ^= 0xff;
    fs::write(&journal, bytes).expect("it is ours");
    let (code, text) = site.run(&["deploy", "undo", "--yes", "--detailed-exitcode"]);
    assert!(code == Some(2) && text.contains("the journal of deploy 1 is damaged"), "{code:?} {text}");
}

/// Who removes the state folder in the middle takes the way back with it: nothing more is begun.
#[test]
fn without_a_history_nothing_more_is_begun() {
    let site = Site::new(
        "exec \"slow\" {\n\tcmd => \"touch DIR/at-work; while [ ! -e DIR/go ]; do sleep 0.02; done\",\n\tshell => \"/bin/sh\",\n\
         }\nfile \"DIR/last\" { state => \"exists\", Depend => Exec[\"slow\"], }\n",
    );
    let face = site.command(&["apply", "--yes", "main.mcl"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    until("the command", || site.path("at-work").exists());
    let text = site.does(&["deploy", "list"]);
    // Not every machine tells who holds a lock.
    assert_eq!(text.contains("  is running"), std::path::Path::new("/proc/locks").exists(), "{text}");
    fs::remove_dir_all(site.path("state")).expect("it is ours");
    fs::write(site.path("go"), "").expect("the folder is ours");
    let output = face.and_then(Child::wait_with_output).expect("the program starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.code() == Some(4) && text.contains("the journal cannot record a change"), "{text}");
    assert!(!site.path("last").exists());
}

/// The program with one call on a path failing from the given time on.
fn failing(site: &Site, words: &[&str], call: &str, path: &str, when: &str) -> Option<(Option<i32>, String)> {
    let (trace, inject) = (format!("trace={call}"), format!("inject={call}:error=EIO:when={when}"));
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-o", "/dev/null", "-P"]).arg(site.path(path)).args(["-e", &trace, "-e", &inject]);
    command.arg(env!("CARGO_BIN_EXE_workbench")).args(words).current_dir(site.0.path());
    command.env("WORKBENCH_STATE", site.path("state")).stdin(Stdio::null());
    // Where it is not installed there is nothing to be seen.
    let Output { status, stdout, stderr } = command.output().ok()?;
    Some((status.code(), String::from_utf8_lossy(&[stdout, stderr].concat()).into_owned()))
}

/// The file stands in its place, and only then its folder cannot be synced: it failed, and was done all the same.
#[test]
fn failed_operations_with_effects_are_undone() {
    for files in [1, 3, 8] {
        let program: String = (0..files)
            .map(|file| format!("file \"DIR/tree/{file}\" {{ state => \"exists\", content => \"new\", }}\n"))
            .collect();
        let site = Site::new(&program);
        fs::create_dir(site.path("tree")).expect("the folder is ours");
        for file in 0..files {
            fs::write(site.path(&format!("tree/{file}")), "old").expect("the folder is ours");
        }
        // Many sync the whole file system.
        for call in ["fsync", "syncfs"] {
            let Some((code, text)) = failing(&site, &["apply", "--yes", "main.mcl"], call, "tree", "1+") else {
                return;
            };
            if code != Some(4) {
                continue;
            }
            assert!(text.contains("input/output error"), "{text}");
            let text = site.takes_back();
            for file in 0..files {
                let there = fs::read_to_string(site.path(&format!("tree/{file}"))).expect("it is there");
                assert_eq!(there, "old", "{files} files, {call}: {text}");
            }
        }
    }
}

/// A folder that could be removed only in part is whole again.
#[test]
fn a_folder_that_did_not_go_whole_is_as_it_was() {
    let site = Site::new("file \"DIR/tree/\" { state => \"absent\", recurse => true, force => true, }\n");
    let files = ["tree/a", "tree/b/c", "tree/b/d", "tree/e"];
    fs::create_dir_all(site.path("tree/b")).expect("the folder is ours");
    for file in files {
        fs::write(site.path(file), file).expect("the folder is ours");
    }
    let inject = |when: u32| {
        let mut command = Command::new("strace");
        command.args(["-f", "-qq", "-o", "/dev/null", "-e", "trace=unlinkat", "-e"]);
        command.arg(format!("inject=unlinkat:error=EPERM:when={when}")).arg(env!("CARGO_BIN_EXE_workbench"));
        command.args(["apply", "--yes", "main.mcl"]).current_dir(site.0.path());
        command.env("WORKBENCH_STATE", site.path("state")).stdin(Stdio::null());
        Some(command.output().ok()?.status.code())
    };
    let mut failed = 0;
    for when in 1..12 {
        let Some(code) = inject(when) else { return };
        if code == Some(4) {
            failed += 1;
        }
        for file in files.iter().filter(|_| code == Some(4)) {
            assert_eq!(fs::read_to_string(site.path(file)).expect("it is back"), **file, "call {when}");
        }
        site.takes_back();
        for file in files {
            assert_eq!(fs::read_to_string(site.path(file)).expect("it is back"), file, "call {when}, taken back");
        }
    }
    assert!(failed > 3, "{failed}");
}

/// What a command did before it was ended is as little known as what one did that came to its end.
#[test]
fn an_ended_command_is_reported() {
    let site = Site::new(
        "exec \"slow\" { cmd => \"touch DIR/begun; sleep 30\", shell => \"/bin/sh\", Meta:timeout => 300, }\n\
         file \"DIR/f\" { state => \"exists\", content => \"x\", }\n",
    );
    let (code, text) = site.run(&["apply", "--yes", "main.mcl"]);
    assert_eq!(code, Some(4), "{text}");
    let (code, text) = site.run(&["deploy", "undo", "--yes"]);
    // That was announced, and all else is done.
    assert!(code == Some(0) && text.contains("a command (effects unknown)"), "{code:?} {text}");
    assert!(!site.path("f").exists());
}

/// A process may hold few handles: it takes longer, and is done all the same.
#[test]
fn few_handles_are_enough() {
    let files = 200;
    let program: String = (0..files)
        .map(|file| format!("file \"DIR/tree/{file}/in\" {{ state => \"exists\", content => \"new\", }}\n"))
        .collect();
    let site = Site::new(&program);
    for file in 0..files {
        fs::create_dir_all(site.path(&format!("tree/{file}"))).expect("the folder is ours");
    }
    let there = || (0..files).filter(|file| site.path(&format!("tree/{file}/in")).exists()).count();
    for (words, wanted) in [("apply --yes main.mcl", files), ("deploy undo --yes", 0)] {
        let script = format!("ulimit -n 64; exec {} {words}", env!("CARGO_BIN_EXE_workbench"));
        let mut command = Command::new("sh");
        command.args(["-c", &script]).current_dir(site.0.path()).env("WORKBENCH_STATE", site.path("state"));
        let output = command.stdin(Stdio::null()).output().expect("the program starts");
        let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert_eq!((output.status.code(), there()), (Some(0), wanted), "{words}: {text}");
    }
}

/// A journal that says it goes on with itself was made up; nobody follows it round and round.
#[test]
fn a_chain_that_bites_its_tail_ends() {
    use workbench::host::journal::{Begin, End, Journal, Purpose, Record};
    for (own, of) in [(1, 1), (1, 7), (7, 7)] {
        let site = Site::new("file \"DIR/f\" { state => \"exists\", content => \"x\", }\n");
        site.does(&["apply", "--yes", "main.mcl"]);
        let path = site.path(&format!("state/deploys/{own:08}.journal"));
        let _ = fs::remove_file(&path);
        let journal = Journal::create(&path).expect("the folder is ours");
        let purpose = Purpose::Resume { deploy: of };
        let begin = Begin { deploy: own, tag: "x".into(), purpose, ..Begin::default() };
        journal.write(Record::Begin(begin)).expect("it is written");
        journal.write(Record::End(End::default())).expect("it is written");
        let (code, text) = site.run(&["deploy", "undo", "--yes"]);
        assert!(code.is_some(), "{own} of {of}: {text}");
    }
}

/// Somebody saves a file while its before-image is already kept and it is not replaced yet: what they saved stays.
#[test]
fn files_saved_during_a_replace_survive() {
    for files in [1, 6] {
        let program: String = (0..files)
            .map(|file| format!("file \"DIR/{file}\" {{ state => \"exists\", content => \"new\", }}\n"))
            .collect();
        let site = Site::new(&program);
        for file in 0..files {
            fs::write(site.path(&file.to_string()), "old").expect("the folder is ours");
        }
        // Each wait for the journal takes long, that for the intents too.
        let mut command = Command::new("strace");
        command.args([
            "-f",
            "-qq",
            "-o",
            "/dev/null",
            "-e",
            "trace=fdatasync",
            "-e",
            "inject=fdatasync:delay_enter=1500000",
        ]);
        command.arg(env!("CARGO_BIN_EXE_workbench")).args(["apply", "--yes", "main.mcl"]).current_dir(site.0.path());
        command.env("WORKBENCH_STATE", site.path("state")).stdin(Stdio::null()).stdout(Stdio::piped());
        let Ok(applier) = command.stderr(Stdio::piped()).spawn() else { return };
        let journal = site.path("state/deploys/00000001.journal");
        let intends = || {
            let text = fs::read(&journal).unwrap_or_default();
            text.windows(8).any(|window| window == b"\"intent\"")
        };
        until("the intent", intends);
        fs::write(site.path("0"), "theirs").expect("the folder is ours");
        let Output { status, stdout, stderr } = applier.wait_with_output().expect("it is ours");
        let text = String::from_utf8_lossy(&[stdout, stderr].concat()).into_owned();
        assert!(status.code() == Some(4) && text.contains("was changed by another program"), "{status:?} {text}");
        let there = |file: u32| fs::read_to_string(site.path(&file.to_string())).expect("it is there");
        assert_eq!(there(0), "theirs");
        assert!((1..files).all(|file| there(file) == "new"), "the others are done: {text}");
    }
}

/// What a plan is held against is what still stands: not what was taken back, nor what came to nothing.
#[test]
fn a_plan_is_compared_with_the_last_applied_deploy() {
    let page = |words: &str| format!("file \"DIR/page\" {{ state => \"exists\", content => \"{words}\", }}\n");
    let site = Site::new(&page("one"));
    let against = || site.run(&["preview", "--against-last", "main.mcl"]).1;
    site.does(&["apply", "--yes", "main.mcl"]);
    site.write(&page("two"));
    site.does(&["apply", "--yes", "main.mcl"]);
    assert!(against().contains("Since deploy 2"), "{}", against());
    // One that finds all as it should be says no more than the one before it.
    site.does(&["apply", "--yes", "main.mcl"]);
    assert!(against().contains("Since deploy 2"), "{}", against());
    site.does(&["deploy", "undo", "2", "--yes"]);
    assert!(against().contains("Since deploy 1"), "{}", against());
    assert!(!against().contains("outside workbench"), "{}", against());
    site.write("file \"DIR/page/below\" { state => \"exists\", content => \"two\", }\n");
    let (code, text) = site.run(&["apply", "--yes", "main.mcl"]);
    assert_ne!(code, Some(0), "{text}");
    assert!(against().contains("Since deploy 1"), "{}", against());
    site.does(&["deploy", "undo", "1", "--yes"]);
    assert!(!against().contains("Since deploy"), "{}", against());
}

/// What was stopped is told as it was: what was made, and what failed of how many.
#[test]
fn a_stopped_deploy_reports_its_changes() {
    let site = Site::new(
        "file \"DIR/one\" { state => \"exists\", content => \"1\", }\n\
         exec \"fails\" {\n\tcmd => \"exit 3\",\n\tshell => \"/bin/sh\",\n\tDepend => File[\"DIR/one\"],\n}\n\
         exec \"slow\" {\n\tcmd => \"touch DIR/begun; sleep 2\",\n\tshell => \"/bin/sh\",\n\tDepend => File[\"DIR/one\"],\n}\n\
         file \"DIR/two\" {\n\tstate => \"exists\",\n\tDepend => Exec[\"slow\"],\n}\n\
         file \"DIR/three\" {\n\tstate => \"exists\",\n\tDepend => File[\"DIR/two\"],\n}\n",
    );
    let mut command = site.command(&["apply", "--yes", "--apart", "never", "main.mcl"]);
    let face = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    until("the command", || site.path("begun").exists());
    send(face.id(), Signal::INT);
    let Output { status, stdout, .. } = face.wait_with_output().expect("it is ours");
    assert!(!status.success() && !site.path("three").exists(), "{}", String::from_utf8_lossy(&stdout));
    let text = site.does(&["deploy", "list"]);
    assert!(text.contains("2 changes, 1 failed, stopped early"), "{text}");
    let end = || {
        let json = site.does(&["deploy", "list", "--format", "json"]);
        let list: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
        let json = site.does(&["deploy", "show", "1", "--format", "json"]);
        let shown: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
        assert_eq!(list[0]["end"], shown["end"]);
        shown["end"].clone()
    };
    let told = end();
    let counts = ["done", "changed", "failed", "total"].map(|name| told[name].as_u64().unwrap_or_default());
    assert_eq!((counts, &told["how"]), ([2, 2, 1, 5], &serde_json::json!("stopped")), "{told}");
    // Versions before wrote such an end without counts: the deeds say what was done.
    let journal = site.path("state/deploys/00000001.journal");
    let (journal, records, _) = Journal::reopen(&journal).expect("it is whole");
    let Some(Record::End(last)) = records.last() else { panic!("{records:?}") };
    let mute = End { done: 0, changed: 0, failed: 0, skipped: 0, blocked: 0, total: None, ..last.clone() };
    journal.write(Record::End(mute)).expect("can be written");
    drop(journal);
    let again = end();
    for name in ["done", "changed", "failed", "blocked"] {
        assert_eq!(again[name], told[name], "{name}: {again}");
    }
    assert!(site.does(&["deploy", "list"]).contains("2 changes, 1 failed, stopped early"));
}

/// An undo's own record tells what it did to the machine, not what the deeds were that it took back; and what was taken back
/// already is not taken back again.
#[test]
fn an_undo_reports_its_changes_and_runs_once() {
    let site = Site::new(
        "file \"DIR/gone\" { state => \"absent\", }\n\
         file \"DIR/page\" { state => \"exists\", content => \"new\", }\n\
         file \"DIR/made\" { state => \"exists\", content => \"made\", }\n\
         file \"DIR/folder/\" { state => \"exists\", }\n",
    );
    fs::write(site.path("gone"), "was here").expect("the folder is ours");
    fs::write(site.path("page"), "old").expect("the folder is ours");
    site.does(&["apply", "--yes", "main.mcl"]);
    site.does(&["deploy", "undo", "--yes"]);
    assert_eq!(fs::read_to_string(site.path("gone")).expect("it is back"), "was here");
    let shown = site.does(&["deploy", "show", "2"]);
    let at = |words: &str, name: &str| format!("{words} {}", site.path(name).display());
    for words in [
        at("restored a file at", "gone"),
        at("restored a file at", "page"),
        at("removed", "made"),
        at("removed the folder", "folder"),
    ] {
        assert!(shown.contains(&words), "{words}: {shown}");
    }
    assert!(!shown.contains("write ") && !shown.contains("remove "), "{shown}");
    let json: serde_json::Value =
        serde_json::from_str(&site.does(&["deploy", "show", "2", "--format", "json"])).expect("it is JSON");
    let outcomes = json["outcomes"].as_array().expect("a list");
    let mut actions: Vec<&str> = outcomes.iter().filter_map(|outcome| outcome["action"].as_str()).collect();
    actions.sort_unstable();
    assert_eq!(actions, ["change", "create", "remove", "remove"]);
    for options in [&[][..], &["--on-conflict", "restore"]] {
        let (code, text) = site.run(&[&["deploy", "undo", "1", "--yes"], options].concat());
        assert!(code == Some(1) && text.contains("deploy 1 is already undone by deploy 2"), "{code:?} {text}");
    }
    assert!(!site.does(&["deploy", "list"]).contains("    3  "), "nothing more is begun");
    // What was brought again can be taken back again.
    site.does(&["deploy", "undo", "2", "--yes"]);
    site.does(&["deploy", "undo", "1", "--yes"]);
    assert!(site.path("gone").exists() && !site.path("made").exists());
}

/// A command that was tried again is one that cannot be taken back, and a plan says that it ran and not that somebody changed it.
#[test]
fn a_command_that_ran_is_reported_once() {
    let site = Site::new(
        "exec \"fails\" {\n\tcmd => \"/bin/sh\",\n\targs => [\"-c\", \"echo again >> DIR/tries; exit 3\"],\n\
         \tMeta:retry => 1,\n}\n\
         exec \"args\" {\n\tcmd => \"/bin/true\",\n\targs => [\"one\"],\n}\n",
    );
    let (code, text) = site.run(&["apply", "--yes", "main.mcl"]);
    assert_eq!(code, Some(4), "{text}");
    assert_eq!(fs::read_to_string(site.path("tries")).expect("it ran").lines().count(), 2, "{text}");
    let against = site.run(&["preview", "--against-last", "main.mcl"]).1;
    assert!(against.contains("exec[args]") && against.contains("ran in that deploy, will run again"), "{against}");
    assert!(!against.contains("outside workbench") && !against.contains("was unchanged in that deploy"), "{against}");
    let (_, text) = site.run(&["deploy", "undo", "1", "--yes"]);
    assert!(text.contains("2 cannot be undone"), "{text}");
}

/// The exit code tells whether all that was announced was done; what cannot be undone is told on request. The numbers are the same
/// before, after, and in the history.
#[test]
fn an_undo_exits_by_its_announcement() {
    let program = "file \"DIR/made\" { state => \"exists\", content => \"x\", }\n\
         exec \"told\" {\n\tcmd => \"true\",\n\tshell => \"/bin/sh\",\n\tcreates => \"DIR/never\",\n}\n";
    for (words, code) in [(&["--yes"][..], 0), (&["--yes", "--detailed-exitcode"][..], 2)] {
        let site = Site::new(program);
        site.does(&["apply", "--yes", "main.mcl"]);
        let (exit, text) = site.run(&[&["deploy", "undo"], words].concat());
        assert_eq!(exit, Some(code), "{words:?}: {text}");
        assert!(text.contains("Will undo 1:\n  delete ") && text.contains("1 cannot be undone:"), "{text}");
        assert!(text.contains("Deploy 2: 1 undone, 1 cannot be undone."), "{text}");
        let list = site.does(&["deploy", "list"]);
        assert!(list.contains("1 undone, 1 cannot be undone"), "{list}");
        assert!(!site.path("made").exists());
    }
    // All of it can be undone: both say that all is well.
    let site = Site::new("file \"DIR/made\" { state => \"exists\", content => \"x\", }\n");
    site.does(&["apply", "--yes", "main.mcl"]);
    site.does(&["deploy", "undo", "--yes", "--detailed-exitcode"]);
    // There is no such deploy, and that is what is told, also where nobody could be asked.
    for words in [&["deploy", "undo", "99", "--yes"][..], &["deploy", "undo", "99"]] {
        let (exit, text) = site.run(words);
        assert!(exit == Some(1) && text.contains("99"), "{words:?}: {exit:?} {text}");
    }
}
