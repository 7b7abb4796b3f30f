//! Ctrl-C by hand, once, twice and a third time, and what is taken back on the screens.

use std::process::Command;

use crate::terminal::{PROGRAM, Terminal};

/// A command that does not end when it is asked to, and a file after it.
struct Site(tempfile::TempDir);

impl Site {
    fn new(code: &str) -> Self {
        let site = Self(tempfile::tempdir().expect("a folder"));
        let shown = site.0.path().display().to_string();
        std::fs::write(site.0.path().join("m.mcl"), code.replace("DIR", &shown)).expect("a module");
        site
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }

    fn is_there(&self, name: &str) -> bool {
        self.0.path().join(name).exists()
    }

    fn start(&self, words: &[&str]) -> Terminal {
        Terminal::start(
            &[&[PROGRAM, "--state-dir", &self.path("state")], words, &[&self.path("m.mcl")]].concat(),
            110,
            40,
        )
    }

    fn run(&self, words: &[&str]) -> (Option<i32>, String) {
        let output = Command::new(PROGRAM).args(["--state-dir", &self.path("state")]).args(words).output();
        let output = output.expect("the program starts");
        (output.status.code(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
    }
}

/// The command was ended, what is behind it was not begun, and the deploy came to its end.
impl Site {
    fn ends(&self, terminal: &Terminal) {
        terminal.until("the applier to end", |_| self.run(&["attach"]).1.contains("no apply is running"));
        assert!(!self.is_there("last"));
        let (_, text) = self.run(&["deploy", "list"]);
        assert!(text.contains("1 failed") && !text.contains("interrupted"), "{text}");
    }
}

const STUBBORN: &str = "\
exec \"stubborn\" {
\tcmd => \"trap '' TERM INT; touch DIR/at-work; while [ ! -e DIR/go ]; do sleep 0.02; done\",
\tshell => \"/bin/sh\",
}
file \"DIR/last\" { state => \"exists\", }
Exec[\"stubborn\"] -> File[\"DIR/last\"]
";

#[test]
fn a_third_time_leaves_an_applier_to_itself() {
    let site = Site::new(STUBBORN);
    let mut terminal = site.start(&["apply", "--yes"]);
    terminal.until("the command", |_| site.is_there("at-work"));
    terminal.press("\x03");
    terminal.until_shows("a third time detaches");
    // One that comes while another is still to be heard is the same to the kernel.
    terminal.press("\x03");
    std::thread::sleep(std::time::Duration::from_millis(100));
    terminal.press("\x03");
    terminal.until_shows("detached");
    assert_eq!(terminal.ended(), 130);
    site.ends(&terminal);
}

#[test]
fn the_same_on_the_screens() {
    let site = Site::new(STUBBORN);
    let mut terminal = site.start(&[]);
    terminal.until_shows("[1 Plan]");
    terminal.press("p");
    terminal.until_shows("would change");
    terminal.goes_live(1);
    terminal.until_shows("▶ exec");
    terminal.press("c");
    terminal.until("the command", |_| site.is_there("at-work"));
    terminal.press("\x03");
    terminal.until_shows("Ctrl-C again kills the command");
    terminal.press("\x03");
    terminal.until_shows("Ctrl-C again detaches");
    terminal.press("\x03");
    terminal.until_shows("detached: it finishes");
    // These screens may come back to it as any others may.
    terminal.until_shows("attach");
    site.ends(&terminal);
    terminal.until_shows("End of deploy 1");
    assert_eq!(terminal.quits(), 0);
}

/// What a command put into a folder that the deploy made stays there, and the rest goes: a user's first undo.
#[test]
fn the_screens_leave_a_folder_that_holds_something() {
    let site = Site::new(
        "file \"DIR/made/\" { state => \"exists\", }\nfile \"DIR/made/page\" { state => \"exists\", content => \"x\", }\n\
         exec \"guests\" {\n\tcmd => \"echo hello > DIR/made/guests.txt\",\n\tshell => \"/bin/sh\",\n\
         \tcreates => \"DIR/made/guests.txt\",\n\tDepend => File[\"DIR/made/\"],\n}\n",
    );
    let mut terminal = site.start(&[]);
    terminal.until_shows("[1 Plan]");
    terminal.press("p");
    terminal.until_shows("3 of 3 would change");
    terminal.goes_live(1);
    terminal.press("c");
    terminal.until_shows("End of deploy 1");
    terminal.press("u");
    terminal.until_shows("Undo deploy 1?");
    terminal.press("y");
    terminal.until_shows("Deploy 1 undone");
    terminal.until_shows("1 kept because not empty");
    terminal.until_shows("holds guests.txt");
    assert!(site.is_there("made/guests.txt") && !site.is_there("made/page"));
    terminal.until_shows("any key closes");
    terminal.press("\x1b");
    terminal.until("the answer to go", |terminal| !terminal.shows("any key closes"));
    // The same on History, where an undo can be taken back too.
    terminal.press("5");
    terminal.until_shows("partly undone by #2");
    terminal.press("gg");
    terminal.until_shows("1 of 3");
    terminal.press("u");
    terminal.until_shows("Undo deploy 2?");
    terminal.press("y");
    terminal.until_shows("Deploy 2 undone");
    assert!(site.is_there("made/page"));
    assert_eq!(terminal.quits(), 0);
}
