//! A live run that comes to its end with a failure: its deploy stays open for as long as somebody is there, and is ended once.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::thread;
use std::time::Duration;

use rustix::process::Signal;
use workbench::deploy::{Holder, Lock, StateFolder};
use workbench::world::Cancel;

use crate::attach::{send, until};
use crate::skip::skip;
use crate::terminal::{PROGRAM, Terminal};

/// A file, a command that fails for as long as nobody mends it, and one that needs it.
const CODE: &str = "\
file \"DIR/first\" { state => \"exists\", content => \"one\", }
exec \"check\" {
\tcmd => \"test -e DIR/mended || exit 7\",
\tshell => \"/bin/sh\",
}
file \"DIR/last\" { state => \"exists\", content => \"three\", }
File[\"DIR/first\"] -> Exec[\"check\"] -> File[\"DIR/last\"]
";

struct Site(tempfile::TempDir);

impl Site {
    fn new() -> Self {
        let site = Self(tempfile::tempdir().expect("a folder"));
        let shown = site.0.path().display().to_string();
        fs::write(site.path("main.mcl"), CODE.replace("DIR", &shown)).expect("the folder is ours");
        site
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn mend(&self) {
        fs::write(self.path("mended"), "").expect("the folder is ours");
    }

    fn terminal(&self, words: &str) -> Terminal {
        let command = format!("cd {} && exec {PROGRAM} --state-dir state {words}", self.0.path().display());
        Terminal::start(&["sh", "-c", &command], 120, 40)
    }

    /// The screens on a run that failed, with nothing left to do.
    fn open(&self) -> Terminal {
        let mut terminal = self.terminal("main.mcl");
        terminal.until_shows("[1 Plan]");
        terminal.press("p");
        terminal.until_shows("3 of 3 would change");
        terminal.goes_live(1);
        terminal.press("c");
        terminal.until_shows("1 done, 1 failed, 1 blocked; r retry");
        terminal
    }

    /// The same in lines.
    fn open_in_lines(&self) -> Terminal {
        let mut terminal = self.terminal("--plain apply --step --yes main.mcl");
        terminal.until_shows("LIVE  0 of 3 done");
        terminal.press("2\r");
        terminal.until_shows("LIVE  at the end, and exec[check] failed: retry it, skip it, or quit");
        terminal
    }

    fn told(&self, words: &[&str]) -> String {
        let mut command = Command::new(PROGRAM);
        let output = command.args(words).current_dir(self.0.path()).env("WORKBENCH_STATE", self.path("state")).output();
        let output = output.expect("the program starts");
        String::from_utf8_lossy(&[&output.stdout[..], &output.stderr[..]].concat()).into_owned()
    }

    /// The process that holds the lock.
    fn applier(&self) -> u32 {
        let holder = fs::read_to_string(self.path("state/lock")).expect("there is a lock");
        let holder: serde_json::Value = serde_json::from_str(&holder).expect("it says who");
        holder["pid"].as_u64().and_then(|pid| u32::try_from(pid).ok()).expect("it says who")
    }

    /// How often the record of the first deploy ends.
    fn ends(&self) -> usize {
        let journal = fs::read(self.path("state/deploys/00000001.journal")).expect("it is recorded");
        String::from_utf8_lossy(&journal).matches("\"record\":\"end\"").count()
    }
}

/// What failed is tried again without another deploy, and what it held back is gone on with.
#[test]
fn what_failed_at_the_end_is_tried_again_within_the_deploy() {
    let site = Site::new();
    let mut terminal = site.open();
    assert!(terminal.shows(" LIVE ") && terminal.shows("the command exited with code 7"));
    assert!(site.told(&["deploy", "list"]).contains("is running"));
    assert!(site.told(&["apply", "--yes", "main.mcl"]).contains("another apply is running"));
    assert_eq!(site.ends(), 0, "it has not ended");
    // It fails again.
    terminal.press("r");
    terminal.until_shows("▶ exec[check]");
    terminal.press("c");
    terminal.until_shows("stopped    Failed. r retry");
    site.mend();
    terminal.press("r");
    terminal.until_shows("▶ exec[check]");
    assert!(!site.path("last").exists(), "a retry looks, and no more");
    terminal.press("c");
    terminal.until_shows("end of deploy 1: 3 done");
    terminal.until_shows(" DRY ");
    terminal.until_shows("watching");
    assert!(site.path("last").exists());
    terminal.press("q");
    assert_eq!(terminal.ended(), 0);
    assert_eq!(site.ends(), 1);
    let list = site.told(&["deploy", "list"]);
    assert!(list.contains("3 changes") && !list.contains("failed") && list.lines().count() == 1, "{list}");
}

/// By hand, or because nobody is there any more, it ends as it is: with its tally, and the lock given back.
#[test]
fn an_open_end_is_ended_with_its_tally() {
    for how in ["q", "\x03", "HUP", "KILL"] {
        let site = Site::new();
        let mut terminal = site.open();
        let face = terminal.child.process_id().expect("it runs");
        match how {
            "HUP" => send(face, Signal::HUP),
            "KILL" => send(face, Signal::KILL),
            key => {
                terminal.press(key);
                terminal.until_shows("LIVE ended by you: 1 failed, 1 blocked");
                terminal.until_shows("End of deploy 1");
                terminal.press("q");
            }
        }
        terminal.ended();
        until("its end", || site.ends() == 1);
        let list = site.told(&["deploy", "list"]);
        assert!(list.contains("1 change, 1 failed, 1 blocked") && !list.contains("interrupted"), "{how}: {list}");
        site.mend();
        let applied = site.told(&["apply", "--yes", "--lock-timeout", "10s", "main.mcl"]);
        assert!(applied.contains("2 changed, 1 unchanged"), "{how}: {applied}");
    }
}

/// Deploys tells of the end without being asked once more, though the run ended before its record did.
#[test]
fn a_deploy_that_ends_is_at_work_no_more_on_deploys() {
    let site = Site::new();
    let go = site.path("go").display().to_string();
    let code =
        format!("exec \"slow\" {{ cmd => \"until test -e {go}; do sleep 0.05; done\", shell => \"/bin/sh\", }}\n");
    fs::write(site.path("main.mcl"), code).expect("the folder is ours");
    let mut terminal = site.terminal("main.mcl");
    terminal.until_shows("[1 Plan]");
    terminal.press("p");
    terminal.until_shows("1 of 1 would change");
    terminal.goes_live(1);
    terminal.press("c");
    terminal.press("5");
    terminal.until_shows("running");
    fs::write(&go, "").expect("the folder is ours");
    terminal.until_shows("1 change");
    terminal.until("its end", |terminal| !terminal.shows("running"));
    terminal.press("q");
    assert_eq!(terminal.ended(), 0);
}

/// In the terminal's own process too, a hangup ends the deploy with its tally: at its end, and in the middle after what is at work.
#[test]
fn a_hangup_ends_a_run_in_the_same_process() {
    for (keys, shows, list, ended) in [
        ("2\r", "LIVE  at the end, and exec[check] failed", "1 change, 1 failed", ""),
        ("1\r", "LIVE  1 of 3 done", "1 change", "stopped early"),
    ] {
        let site = Site::new();
        let mut terminal = site.terminal("--plain apply --step --yes --apart never main.mcl");
        terminal.until_shows("LIVE  0 of 3 done");
        terminal.press(keys);
        terminal.until_shows(shows);
        send(terminal.child.process_id().expect("it runs"), Signal::HUP);
        terminal.ended();
        assert_eq!(site.ends(), 1, "{keys:?}");
        let told = site.told(&["deploy", "list"]);
        assert!(told.contains(list) && told.contains(ended) && !told.contains("interrupted"), "{keys:?}: {told}");
    }

    // Whoever has it ignored wants it to go on.
    let site = Site::new();
    let words = "--state-dir state --plain apply --step --yes --apart never main.mcl";
    let command = format!("cd {} && trap '' HUP && exec {PROGRAM} {words}", site.0.path().display());
    let mut terminal = Terminal::start(&["sh", "-c", &command], 120, 40);
    terminal.until_shows("LIVE  0 of 3 done");
    send(terminal.child.process_id().expect("it runs"), Signal::HUP);
    terminal.press("2\r");
    terminal.until_shows("LIVE  at the end, and exec[check] failed");
    terminal.press("q\r");
    assert_eq!(terminal.ended(), 4);
}

/// Killed while it waits there, it is a deploy that was cut off, and is gone on with as such.
#[test]
fn one_that_is_killed_at_its_open_end_was_cut_off() {
    let site = Site::new();
    let mut terminal = site.open();
    send(site.applier(), Signal::KILL);
    terminal.until_shows("deploy 1 was interrupted: on Plan R resume");
    terminal.until_shows("Esc later");
    terminal.press("\x1b");
    terminal.until("the offer to be gone", |terminal| !terminal.shows("Esc later"));
    terminal.press("q");
    assert_eq!(terminal.ended(), 0);
    assert_eq!(site.ends(), 0);
    assert!(site.told(&["deploy", "list"]).contains("was interrupted"));
    site.mend();
    let resumed = site.told(&["deploy", "resume", "--yes"]);
    assert!(resumed.contains("2 changed, 1 unchanged"), "{resumed}");
}

/// What somebody else settles in another process is told of no more on the screens, without a key.
#[test]
fn a_deploy_resolved_elsewhere_leaves_the_header() {
    for (words, driven) in [(&["deploy", "resume", "--yes"][..], true), (&["deploy", "undo", "--yes"], false)] {
        let site = Site::new();
        let mut terminal = site.open();
        let applier = site.applier();
        send(applier, Signal::KILL);
        terminal.until_shows("Esc later");
        terminal.press("\x1b");
        terminal.until("the offer to be gone", |terminal| !terminal.shows("Esc later"));
        // Until then nobody is at it, the screens neither: they would hear themselves, and never sleep.
        thread::sleep(Duration::from_secs(1));
        let before = terminal.wakes();
        thread::sleep(Duration::from_secs(1));
        let woken = terminal.wakes().saturating_sub(before);
        assert!(woken < 10, "woken {woken} times within a second");
        assert_eq!(site.applier(), applier, "nobody took the lock");
        let head = || terminal.screen().screen().contents().lines().next().unwrap_or_default().to_owned();
        assert!(head().contains(": R"), "{}", head());
        site.mend();
        let told = site.told(words);
        terminal.until_shows("deploy 1 is already resolved");
        assert!(!head().contains(": R"), "{told}: {}", head());
        assert_eq!(site.path("last").exists(), driven, "{told}");
        terminal.press("q");
        assert_eq!(terminal.ended(), 0);
    }
}

/// A command that ran and left nothing to see would run again: that is said before it does.
#[test]
fn a_resume_lists_repeated_commands() {
    let site = Site::new();
    let code = format!(
        "exec \"ran\" {{\n\tcmd => \"echo >> {0}/times\",\n\tshell => \"/bin/sh\",\n}}\n\
         exec \"kept\" {{\n\tcmd => \"touch {0}/kept\",\n\tshell => \"/bin/sh\",\n\tcreates => \"{0}/kept\",\n}}\n\
         exec \"check\" {{\n\tcmd => \"test -e {0}/mended || exit 7\",\n\tshell => \"/bin/sh\",\n}}\n\
         Exec[\"ran\"] -> Exec[\"kept\"] -> Exec[\"check\"]\n",
        site.0.path().display()
    );
    fs::write(site.path("main.mcl"), code).expect("the folder is ours");
    let terminal = site.open_in_lines();
    send(site.applier(), Signal::KILL);
    drop(terminal);
    site.mend();
    until("the lock", || site.told(&["deploy", "list"]).contains("was interrupted"));
    let shown = site.told(&["deploy", "show"]);
    assert!(shown.starts_with("Deploy 1  was interrupted\n"), "{shown}");
    // One who is there sees what it would do, and is asked.
    let mut asked = site.terminal("deploy resume");
    asked.until_shows("Resume deploy 1? Type");
    assert!(asked.shows("exec[check]"), "what it would do is not shown");
    asked.press("n\r");
    assert_eq!(asked.ended(), 1);
    assert_eq!(fs::read_to_string(site.path("times")).expect("it ran"), "\n", "nothing was done yet");
    // With nobody there it goes on with what was agreed to.
    let resumed = site.told(&["deploy", "resume"]);
    assert!(resumed.contains("note: exec[ran] already ran and has no guard, so it will run again"), "{resumed}");
    assert!(!resumed.contains("exec[kept] already ran") && !resumed.contains("exec[check] ran"), "{resumed}");
    assert_eq!(fs::read_to_string(site.path("times")).expect("it ran"), "\n\n");
}

/// What waits for an answer may wait for long: what happened by then outlives a loss of power.
#[test]
fn open_files_are_on_disk_at_the_end() {
    if !Command::new("strace").arg("-V").output().is_ok_and(|output| output.status.success()) {
        skip("strace", "strace is not installed");
        return;
    }
    let site = Site::new();
    let words = "--state-dir state --plain apply --step --yes --apart never main.mcl";
    let trace = "strace -f -qq -y -o calls -e trace=pwrite64,fdatasync,fsync";
    let command = format!("cd {} && exec {trace} {PROGRAM} {words}", site.0.path().display());
    let mut terminal = Terminal::start(&["sh", "-c", &command], 120, 40);
    terminal.until_shows("LIVE  0 of 3 done");
    terminal.press("2\r");
    terminal.until_shows("LIVE  at the end, and exec[check] failed");
    let calls = fs::read_to_string(site.path("calls")).expect("it is traced");
    let last = calls.lines().rfind(|call| call.contains(".journal"));
    assert!(last.is_some_and(|call| call.contains("sync(")), "{last:?}");
    terminal.press("q\r");
    assert_eq!(terminal.ended(), 4);
}

/// Of several that wait for the lock one resumes the deploy; to the others it is resolved, whether they apply apart or not.
#[test]
fn a_resolved_deploy_is_not_resumed() {
    let site = Site::new();
    let terminal = site.open_in_lines();
    send(site.applier(), Signal::KILL);
    drop(terminal);
    let state = StateFolder::open(&site.path("state")).expect("it is ours");
    let me = Holder { pid: std::process::id(), command: "a test".into(), ..Holder::default() };
    let lock = Lock::take(&state.lock(), &me, Duration::from_secs(10), &Cancel::default(), &mut |_| ());
    let lock = lock.expect("it was killed");
    site.mend();
    let mut waiting = Vec::new();
    for apart in ["never", "auto", "never", "auto"] {
        let resume = site.terminal(&format!("deploy resume --yes --lock-timeout 30s --apart {apart}"));
        resume.until_shows("waiting for another apply");
        waiting.push(resume);
    }
    drop(lock);
    let mut resumed = 0;
    for mut resume in waiting {
        match resume.ended() {
            0 => resumed += 1,
            code => {
                assert_eq!(code, 1);
                resume.until_shows("deploy 1 is already resolved");
            }
        }
    }
    assert_eq!(resumed, 1);
    assert_eq!(site.told(&["deploy", "list"]).lines().count(), 2);
    assert!(site.path("last").exists());
}

/// In lines a failure offers another try too: in the middle of a run, and where nothing else is left.
#[test]
fn what_failed_is_tried_again_in_lines() {
    let site = Site::new();
    let mut terminal = site.open_in_lines();
    terminal.until_shows("1 retry  2 skip  3 edit  4 undo  5 quit");
    assert_eq!(site.ends(), 0, "it has not ended");
    site.mend();
    terminal.press("1\r");
    terminal.until_shows("LIVE  1 of 3 done  next: exec[check]");
    terminal.press("2\r");
    assert_eq!(terminal.ended(), 0);
    terminal.until_shows("Applied: 3 changed.");
    assert_eq!(site.ends(), 1);

    for (keys, code) in [("5\r", 4), ("\r", 4), ("\x04", 4), ("2\r", 0)] {
        let site = Site::new();
        let mut terminal = site.open_in_lines();
        terminal.press(keys);
        assert_eq!(terminal.ended(), code, "{keys:?}");
        assert_eq!(site.ends(), 1, "{keys:?}");
        assert!(!site.path("last").exists(), "{keys:?}");
        let list = site.told(&["deploy", "list"]);
        let told = if code == 0 { "1 change, 1 blocked, 1 skipped" } else { "1 change, 1 failed, 1 blocked" };
        assert!(list.contains(told), "{keys:?}: {list}");
    }

    // What was to be tried again and was not is no failure any more, on the screen and in the record: it was not reached.
    let site = Site::new();
    let mut terminal = site.open_in_lines();
    terminal.press("1\r");
    terminal.until_shows("LIVE  1 of 3 done  next: exec[check]");
    terminal.press("q\r");
    assert_eq!(terminal.ended(), 130);
    terminal.until_shows("Incomplete: 2 not run, 1 changed.");
    let shown = site.told(&["deploy", "show", "1", "--format", "json"]);
    let shown: serde_json::Value = serde_json::from_str(&shown).expect("it is JSON");
    let end = &shown["end"];
    assert!(end["failed"] == 0 && end["blocked"] == 0 && end["done"] == 1 && end["total"] == 3, "{end}");
    assert!(end["how"] == "stopped" && end["failure"].is_null(), "{end}");

    // Where more is left to do, it is among the choices.
    let site = Site::new();
    let more = CODE.replace(" -> File[\"DIR/last\"]", "").replace("DIR", &site.0.path().display().to_string());
    fs::write(site.path("main.mcl"), more).expect("the folder is ours");
    let mut terminal = site.terminal("--plain apply --step --yes main.mcl");
    terminal.until_shows("1 step  2 continue  3 skip  4 undo  5 quit");
    for (turned, verb) in [(1, "done"), (2, "finished")] {
        assert!(!terminal.shows("retry"));
        terminal.press("1\r");
        terminal.until_shows(&format!("LIVE  {turned} of 3 {verb}"));
    }
    terminal.until_shows("1 step  2 continue  3 retry  4 skip");
}

/// A resume, or an undo, that is left before its first step decides nothing: the deploy is interrupted as before.
#[test]
fn a_deploy_left_before_its_first_step_stays_interrupted() {
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let name = name.split('.').next().unwrap_or_default().to_owned();
    let site = Site::new();
    let terminal = site.open_in_lines();
    send(site.applier(), Signal::KILL);
    drop(terminal);
    until("the lock", || site.told(&["deploy", "list"]).contains("was interrupted"));
    let still = |what: &str| {
        let list = site.told(&["deploy", "list"]);
        assert!(list.contains("was interrupted") && list.lines().count() == 1, "{what}: {list}");
        let shown = site.told(&["deploy", "show", "1"]);
        assert!(shown.starts_with("Deploy 1  was interrupted\n"), "{what}: {shown}");
    };
    // On the screens, quit before a key.
    for kills in [false, true] {
        let mut terminal = site.terminal("main.mcl");
        terminal.until_shows("Esc later");
        terminal.press("R");
        terminal.until_shows("Nothing is written until you press");
        terminal.press(&format!("{name}\r"));
        terminal.until_shows("LIVE: deploy 2");
        if kills {
            send(site.applier(), Signal::KILL);
            terminal.until_shows("was killed");
            drop(terminal);
        } else {
            terminal.press("q");
            terminal.until_shows("Quit?");
            terminal.press("y");
            terminal.ended();
            until("the applier's end", || site.told(&["deploy", "list"]).lines().count() == 1);
            still("quit");
        }
    }
    // An undo that nobody agreed to.
    let mut terminal = site.terminal("deploy undo");
    terminal.until_shows("[y/N]");
    terminal.press("n\r");
    assert_eq!(terminal.ended(), 1);
    still("an undo that was refused");
    // A step decides.
    site.mend();
    let resumed = site.told(&["deploy", "resume", "--yes"]);
    assert!(resumed.contains("2 changed, 1 unchanged"), "{resumed}");
    assert!(!site.told(&["deploy", "list"]).contains("was interrupted"));
}
