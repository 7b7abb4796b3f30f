//! A live run that is stepped through in lines: what failed is edited and tried so within the deploy, and of several one is chosen.

use std::fs;
use std::io::Read;
use std::path::PathBuf;
use std::process::Command;

use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use rustix::process::Signal;

use crate::attach::send;
use crate::terminal::{PROGRAM, Terminal};

/// A file, two commands that fail, and one more that needs the first of them.
const CODE: &str = "\
file \"DIR/first\" { state => \"exists\", content => \"one\\n\", }
exec \"page\" {
\tcmd => \"cp DIR/no-such-page DIR/page\",
\tshell => \"/bin/sh\",
\tcreates => \"DIR/page\",
}
exec \"note\" {
\tcmd => \"cp DIR/no-such-note DIR/note\",
\tshell => \"/bin/sh\",
\tcreates => \"DIR/note\",
}
file \"DIR/last\" { state => \"exists\", content => \"three\\n\", }
File[\"DIR/first\"] -> Exec[\"page\"] -> File[\"DIR/last\"]
File[\"DIR/first\"] -> Exec[\"note\"]
";

struct Site(tempfile::TempDir);

impl Site {
    fn new() -> Self {
        let site = Self(tempfile::tempdir().expect("a folder"));
        fs::write(site.path("main.mcl"), CODE.replace("DIR", &site.shown())).expect("the folder is ours");
        site
    }

    fn shown(&self) -> String {
        self.0.path().display().to_string()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn terminal(&self, editor: &str, words: &str) -> Terminal {
        let options = "--config /dev/null --state-dir state";
        let command =
            format!("cd {} && unset VISUAL && EDITOR={editor} exec {PROGRAM} {options} {words}", self.shown());
        Terminal::start(&["sh", "-c", &command], 120, 50)
    }

    /// Live, with one of four done.
    fn begun(&self) -> Terminal {
        let mut terminal = self.terminal("true", "--plain apply --step --yes main.mcl");
        terminal.until_shows("0 of 4 done");
        terminal.press("1\r");
        terminal.until_shows("1 of 4 done");
        terminal
    }

    /// The same, and its terminal went.
    fn left(&self) {
        let mut face = self.begun();
        send(face.child.process_id().expect("it runs"), Signal::HUP);
        face.ended();
    }

    /// Live up to its end, with two failures.
    fn failed(&self, editor: &str, words: &str) -> Terminal {
        let mut terminal = self.terminal(editor, &format!("{words} apply --step --yes main.mcl"));
        let (first, second, end) = match words {
            "" => ("[s/c/x/u/Q]", "[s/c/r/x/e/u/Q]", "one of 2 failed"),
            _ => ("3 skip  4 undo  5 quit", "3 retry", "and 2 failed"),
        };
        terminal.until_shows(first);
        terminal.press("c\r");
        // Both may have been at work side by side.
        terminal.until("a failure", |terminal| terminal.shows(second) || terminal.shows(end));
        if !terminal.shows(end) {
            terminal.press("c\r");
        }
        terminal.until_shows(end);
        terminal
    }

    fn told(&self, words: &[&str]) -> String {
        let mut command = Command::new(PROGRAM);
        command.args(["--config", "/dev/null", "--state-dir", "state"]).args(words).current_dir(self.0.path());
        let output = command.output().expect("the program starts");
        String::from_utf8_lossy(&[&output.stdout[..], &output.stderr[..]].concat()).into_owned()
    }
}

/// What a command printed is known once it ran: the next question is about what that comes to, and no longer about what the plan
/// could not know.
#[test]
fn new_values_are_reported_before_the_question() {
    const CODE: &str = "exec \"count\" { cmd => \"echo 3 pages\", shell => \"/bin/sh\", }\n\
        file \"DIR/count\" { state => \"exists\", }\n\
        Exec[\"count\"].output -> File[\"DIR/count\"].content\n";
    for (words, apply, first, known) in [
        ("", "s\r", "exec[count]: step, continue, skip, undo or quit?", ["now known:", "\"3 pages\\n\""]),
        ("--plain", "1\r", "next: exec[count]", ["certainty: known", "\"3 pages\\n\""]),
    ] {
        let site = Site::new();
        fs::write(site.path("main.mcl"), CODE.replace("DIR", &site.shown())).expect("the folder is ours");
        let mut terminal = site.terminal("true", &format!("{words} apply --step --yes main.mcl"));
        terminal.until_shows(first);
        terminal.press(apply);
        known.into_iter().for_each(|words| terminal.until_shows(words));
        assert!(!site.path("count").exists(), "it was only looked at");
        terminal.press("q\r");
        terminal.ended();
    }
}

/// Both are edited, one by its number and one by a part of its name, and all comes to a good end within one deploy.
#[test]
fn what_failed_is_edited_and_tried_within_the_deploy() {
    let site = Site::new();
    let mut terminal = site.failed("'sed -i s/no-such-page/first/'", "--plain");
    terminal.until_shows("at the end, and 2 failed: retry one, skip one, or quit");
    terminal.until_shows("1 exec[note]");
    terminal.until_shows("1 retry RESOURCE  2 skip RESOURCE  3 edit RESOURCE  4 undo  5 quit");
    // What is not meant to be tried so, is not.
    terminal.press("3 2\r");
    terminal.until_shows("Your edit changes only exec[page]:");
    terminal.until_shows("Use the edited version in deploy 1? [y/N]");
    terminal.press("n\r");
    terminal.until_shows("not used: the deploy keeps");
    assert!(!site.path("page").exists());
    terminal.press("E pag\r");
    terminal.until("the question", |terminal| {
        terminal.screen().screen().contents().matches("Use the edited version in deploy 1?").count() == 2
    });
    terminal.press("y\r");
    terminal.until_shows("exec[page]: edited during the deploy: cmd");
    terminal.until_shows("of 4 finished  next: exec[page]");
    terminal.until_shows("is done; you retry it");
    // The stop is about one, and what is beside it about the other.
    terminal.until_shows("1 step  2 continue  3 retry  4 skip  5 edit  6 undo  7 quit");
    assert!(!site.path("page").exists(), "it is looked at, and nothing is written");
    terminal.press("2\r");
    terminal.until_shows("and exec[note] failed: retry it, skip it, or quit");
    assert_eq!(fs::read_to_string(site.path("page")).expect("it was made"), "one\n");
    assert!(site.path("last").exists());
    // Another one is mended elsewhere than in the source: that needs no edit.
    fs::write(site.path("no-such-note"), "").expect("the folder is ours");
    terminal.press("retry\r");
    terminal.until_shows("LIVE  3 of 4 done  next: exec[note]");
    terminal.press("1\r");
    assert_eq!(terminal.ended(), 0);
    terminal.until_shows("Applied: 4 changed.");
    let json: serde_json::Value =
        serde_json::from_str(&site.told(&["deploy", "show", "--format", "json"])).expect("it is JSON");
    assert!(json["begin"]["plan"].as_str().is_some_and(|plan| !plan.is_empty()), "it names what was agreed to: {json}");
    let shown = site.told(&["deploy", "show"]);
    assert!(shown.contains("exec[page]  edited during the deploy, after a failure: cmd:"), "{shown}");
    assert_eq!(site.told(&["deploy", "list"]).lines().count(), 1);
    assert!(site.told(&["preview", "main.mcl"]).contains("No changes"));
}

/// Who mends all that failed in one go tries it one after another; what the source says at the end is what was done.
#[test]
fn failures_that_were_edited_together_are_tried_one_by_one() {
    let site = Site::new();
    let mut terminal = site.failed("'sed -i s/no-such-page/first/'", "--plain");
    // What differs is another one that failed.
    terminal.press("3 note\r");
    terminal.until_shows("no change in exec[note]; use `edit` for the changed resources: exec[page]");
    let text = fs::read_to_string(site.path("main.mcl")).expect("it is ours");
    fs::write(site.path("main.mcl"), text.replace("no-such-note", "first")).expect("the folder is ours");
    terminal.press("3 page\r");
    terminal.until_shows("Also edited; each needs its own `edit`: exec[note]");
    terminal.until_shows("Use the edited version in deploy 1? [y/N]");
    terminal.press("y\r");
    terminal.until_shows("next: exec[page]");
    terminal.press("2\r");
    terminal.until_shows("and exec[note] failed: retry it, skip it, or quit");
    assert!(site.path("page").exists() && !site.path("note").exists());
    terminal.press("3\r");
    terminal.until_shows("Your edit changes only exec[note]:");
    terminal.press("y\r");
    terminal.until_shows("next: exec[note]");
    terminal.press("2\r");
    assert_eq!(terminal.ended(), 0);
    assert_eq!(fs::read_to_string(site.path("note")).expect("it was made"), "one\n");
    let json: serde_json::Value =
        serde_json::from_str(&site.told(&["deploy", "show", "--format", "json"])).expect("it is JSON");
    let graphs: Vec<_> = [&json["begin"], &json["amended"][0], &json["amended"][1]].map(|at| &at["graph"]).into();
    assert!(graphs[0] != graphs[1] && graphs[1] != graphs[2], "each is another graph: {json}");
    assert!(site.told(&["preview", "main.mcl"]).contains("No changes"));
}

/// What comes to more than another wish for the one that failed is told, and not taken in; errors neither.
#[test]
fn an_edit_that_makes_another_graph_is_for_another_apply() {
    let site = Site::new();
    let edit = "'sed -i -e s/no-such-page/first/ -e s/three/four/'";
    let mut terminal = site.failed(edit, "--plain");
    terminal.press("3 page\r");
    terminal.until_shows("The edit changes the graph:");
    terminal.until_shows("~ file[");
    terminal.until_shows("This deploy, and retry, keep the version before the edit");
    // A retry is of what was agreed to.
    terminal.press("1 page\r");
    terminal.until_shows("next: exec[page]");
    terminal.press("1\r");
    terminal.until("the failure", |terminal| {
        terminal.screen().screen().contents().matches("failed: the command exited with code 1").count() == 3
    });
    assert!(!site.path("page").exists());
    terminal.press("1\r");
    terminal.until_shows("retry RESOURCE: ");
    terminal.press("nowhere\r");
    terminal.until_shows("failed resources: no resource `nowhere`");
    terminal.press("q\r");
    assert_eq!(terminal.ended(), 4);

    let site = Site::new();
    let mut terminal = site.failed("'sed -i s/shell/shel/'", "--plain");
    terminal.press("3 page\r");
    terminal.until_shows("the edit has errors");
    terminal.press("q\r");
    assert_eq!(terminal.ended(), 4);
}

/// Whoever comes back to an apply edits it too. Ctrl-C that is typed in the editor is the editor's.
#[test]
fn an_apply_that_one_comes_back_to_is_edited_too() {
    let site = Site::new();
    site.left();

    let editor = "#!/bin/sh\ntrap '' INT\nkill -INT 0\nsleep 0.2\nsed -i s/no-such-page/first/ \"$@\"\n";
    fs::write(site.path("editor"), editor).expect("the folder is ours");
    let mut terminal = site.terminal("'sh ./editor'", "--plain attach --step --yes");
    terminal.until_shows("3 skip  4 undo  5 quit");
    terminal.press("c\r");
    // Both may have failed side by side.
    terminal.until("an edit", |terminal| terminal.shows("5 edit") || terminal.shows("3 edit RESOURCE"));
    terminal.press("edit page\r");
    terminal.until_shows("Use the edited version in deploy 1? [y/N]");
    terminal.press("y\r");
    terminal.until_shows("next: exec[page]");
    terminal.press("1\r");
    terminal.until("the page", |_| site.path("page").exists());
    terminal.press("q\r");
    terminal.ended();
}

/// Without an editor the place is told, and the source is read once somebody edited it elsewhere. Also without numbers.
#[test]
fn without_an_editor_the_source_is_read_on_request() {
    let site = Site::new();
    // One of blanks is none.
    let mut terminal = site.failed("' '", "");
    terminal.until_shows("one of 2 failed: retry, skip, edit, undo or quit? [r/x/e/u/Q]");
    terminal.press("e 1\r");
    terminal.until_shows("EDITOR is not set: edit main.mcl:7, then press Enter:");
    let text = fs::read_to_string(site.path("main.mcl")).expect("it is ours");
    terminal.press("\r");
    terminal.until_shows("no change: retry runs exec[note] as before");
    terminal.press("e note\r");
    terminal.until("the question", |terminal| {
        terminal.screen().screen().contents().matches("then press Enter:").count() == 2
    });
    // Of errors and warnings the first error is what is to be edited.
    let wrong = format!("$warned = \"$text\"\n{}", text.replace("creates", "makes"));
    fs::write(site.path("main.mcl"), wrong).expect("the folder is ours");
    terminal.press("\r");
    terminal.until_shows("the edit has errors");
    terminal.press("e note\r");
    terminal.until_shows("edit main.mcl:6, then press Enter:");
    fs::write(site.path("main.mcl"), text.replace("no-such-note", "first")).expect("the folder is ours");
    terminal.press("\r");
    terminal.until_shows("Use the edited version in deploy 1? [y/N]");
    terminal.press("y\r");
    terminal.until_shows(
        "exec[note]: step, continue, retry, skip, edit, undo or quit? (retry or edit exec[page]) [s/c/r/x/e/u/Q]",
    );
    terminal.press("s\r");
    terminal.until_shows("exec[page] failed: retry, skip, edit, undo or quit? [r/x/e/u/Q]");
    assert_eq!(fs::read_to_string(site.path("note")).expect("it was made"), "one\n");
    terminal.press("x\r");
    assert_eq!(terminal.ended(), 0);
}

/// While an editor is open nobody asks; but a deploy is ended by who ends us, and the editor is nobody's to end.
#[test]
fn stopping_during_an_editor_does_not_wait_for_it() {
    let site = Site::new();
    fs::write(site.path("editor"), "#!/bin/sh\ntouch opened\nexec sleep 1000\n").expect("the folder is ours");
    let mut terminal = site.failed("'sh ./editor'", "--plain");
    terminal.press("3 1\r");
    terminal.until("the editor", |_| site.path("opened").exists());
    send(terminal.child.process_id().expect("it runs"), Signal::TERM);
    terminal.ended();
    let list = site.told(&["deploy", "list"]);
    assert!(list.contains("2 failed"), "{list}");
    assert!(!list.contains("is running") && !list.contains("interrupted"), "{list}");
}

/// A terminal that closes says nothing: the apply waits, also where nobody is told of a hangup. Ctrl-D says that it ends.
#[test]
fn an_apply_whose_terminal_goes_waits_for_whoever_comes_back() {
    let site = Site::new();
    // One that did nothing yet has nothing to wait for.
    site.left();
    // The shell leads the session and is told of the hangup alone; what it waits for only reads that nobody is there.
    let command = format!(
        "trap : HUP; cd {} && {PROGRAM} --config /dev/null --state-dir state --plain attach --step --yes; true",
        site.shown()
    );
    let pair = native_pty_system().openpty(PtySize { rows: 40, cols: 120, ..PtySize::default() }).expect("a terminal");
    let mut shell = CommandBuilder::new("sh");
    shell.args(["-c", &command]);
    let mut shell = pair.slave.spawn_command(shell).expect("it starts");
    drop(pair.slave);
    let (mut output, mut text, mut bytes) = (pair.master.try_clone_reader().expect("a reader"), Vec::new(), [0; 4096]);
    while !String::from_utf8_lossy(&text).contains("LIVE  1 of 4 done") {
        let count = output.read(&mut bytes).expect("it asks");
        text.extend_from_slice(&bytes[..count]);
    }
    // A writer would type something as it goes.
    drop((output, pair.master));
    shell.wait().expect("our own child");
    let told = site.told(&["attach", "--stop"]);
    assert!(told.contains("deploy 1 stopped after 1 of 4 steps"), "{told}");

    let mut terminal = site.begun();
    terminal.press("\x04");
    terminal.ended();
    let told = site.told(&["attach", "--stop"]);
    assert!(!told.contains("was ended"), "{told}");
}

/// One set of letters: `s` steps, `x` skips, `?` lists, and `u` ends the deploy and undoes it, after its question.
#[test]
fn the_letters_are_those_of_the_screens() {
    let site = Site::new();
    let mut terminal = site.terminal("true", "--plain apply --step --yes main.mcl");
    terminal.until_shows("0 of 4 done");
    terminal.press("?\r");
    for words in ["s  step", "x  skip", "u  undo", "q  quit"] {
        terminal.until_shows(words);
    }
    // The letter of earlier versions does nothing.
    terminal.press("a\r");
    terminal.press("s\r");
    terminal.until_shows("1 of 4 done");
    assert!(site.path("first").exists());
    terminal.press("x\r");
    terminal.until_shows("LIVE  3 of 4");
    terminal.press("u\r");
    terminal.until_shows("End deploy 1 and undo it? [y/N]");
    assert!(terminal.shows("delete "), "what it does is not told");
    terminal.press("n\r");
    terminal.until("the choices again", |terminal| terminal.screen().screen().contents().matches("undo  ").count() > 2);
    assert!(site.path("first").exists());
    terminal.press("u\r");
    terminal.until("the question again", |terminal| {
        terminal.screen().screen().contents().matches("End deploy 1 and undo it?").count() == 2
    });
    terminal.press("y\r");
    assert_eq!(terminal.ended(), 0);
    assert!(!site.path("first").exists());
    assert!(site.told(&["deploy", "list"]).contains("undo of deploy 1"));
}

/// A plan with a step that cannot be undone asks for the name of the machine in every face, `apply` where it has none; one that
/// can be undone whole asks for `y`. An attach always asks for the name.
#[test]
fn an_irreversible_step_requires_the_name() {
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let name = name.split('.').next().unwrap_or_default().to_owned();
    for (words, typed, exit, is_there) in [
        ("apply main.mcl", "y\r".to_owned(), 1, false),
        ("apply main.mcl", format!("{name}\r"), 4, true),
        ("apply --step main.mcl", "y\r".to_owned(), 1, false),
        ("run --once main.mcl", "y\r".to_owned(), 1, false),
    ] {
        let site = Site::new();
        let mut terminal = site.terminal("true", words);
        terminal.until_shows("2 steps cannot be undone:");
        terminal.press(&typed);
        assert_eq!(terminal.ended(), exit, "{words} {typed:?}");
        assert_eq!(site.path("first").exists(), is_there, "{words} {typed:?}");
    }
    let site = Site::new();
    let text = fs::read_to_string(site.path("main.mcl")).expect("it is ours");
    let file = text.lines().next().unwrap_or_default();
    fs::write(site.path("main.mcl"), file).expect("the folder is ours");
    let mut terminal = site.terminal("true", "apply main.mcl");
    terminal.until_shows("Apply this? [y/N]");
    terminal.press("y\r");
    assert_eq!(terminal.ended(), 0);

    let site = Site::new();
    let command = format!("cd {} && WORKBENCH_HOSTNAME= exec {PROGRAM} --state-dir state apply main.mcl", site.shown());
    let mut terminal = Terminal::start(&["sh", "-c", &command], 120, 50);
    terminal.until_shows("Type apply to confirm");
    terminal.press("apply\r");
    assert_eq!(terminal.ended(), 4);

    let site = Site::new();
    site.left();
    let mut terminal = site.terminal("true", "--plain attach --step");
    terminal.until_shows(&format!("Type {name} to confirm"));
    terminal.press("y\r");
    assert_eq!(terminal.ended(), 1);
    let mut terminal = site.terminal("true", "--plain attach --step");
    terminal.until_shows(&format!("Type {name} to confirm"));
    terminal.press(&format!("{name}\r"));
    terminal.until_shows("LIVE  1 of 4 done");
    terminal.press("q\r");
    terminal.ended();
}
