//! The screens in a real pseudo-terminal: a tour, a storm of sizes, and the terminal as it was at every end.

use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use rustix::process::{Pid, Signal, kill_process};

use crate::crash::has_strace;
use crate::git_http::GitHttp;

/// Far more than anything here takes; only a failure waits for it.
const DEADLINE: Duration = Duration::from_secs(30);
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_workbench");
const ENTRY: &str = "modules/mcl/demo";

pub struct Terminal {
    master: Box<dyn MasterPty + Send>,
    input: Box<dyn Write + Send>,
    pub child: Box<dyn Child + Send + Sync>,
    screen: Arc<Mutex<vt100::Parser>>,
    modes: String,
}

impl Terminal {
    /// Starts a command in a terminal of its own.
    pub fn start(words: &[&str], width: u16, height: u16) -> Self {
        let pair = native_pty_system().openpty(size(width, height)).expect("a pseudo-terminal");
        let mut command = CommandBuilder::new(words[0]);
        command.args(&words[1..]);
        command.cwd(env!("CARGO_MANIFEST_DIR"));
        command.env("TERM", "xterm-256color");
        command.env("LC_ALL", "C.UTF-8");
        // Where other tests left the screens is nothing to begin with.
        command.env("WORKBENCH_RESTORE", "false");
        if !words.iter().any(|word| word.contains("--state-dir")) {
            // What is done here is no history of whoever runs the tests.
            command.env("WORKBENCH_STATE", concat!(env!("CARGO_TARGET_TMPDIR"), "/terminals"));
        }
        let modes = modes(&*pair.master);
        let child = pair.slave.spawn_command(command).expect("the program starts");
        let screen = Arc::new(Mutex::new(vt100::Parser::new(cells(height), cells(width), 0)));
        let (mut output, feed) = (pair.master.try_clone_reader().expect("a reader"), screen.clone());
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = output.read(&mut bytes) {
                feed.lock().expect("no reader panics").process(&bytes[..count]);
            }
        });
        let input = pair.master.take_writer().expect("a writer");
        Self { master: pair.master, input, child, screen, modes }
    }

    pub fn screen(&self) -> MutexGuard<'_, vt100::Parser> {
        self.screen.lock().expect("no reader panics")
    }

    pub fn press(&mut self, keys: &str) {
        self.input.write_all(keys.as_bytes()).expect("the program reads");
    }

    /// Presses a key that made a live run go on just now: without a pause it counts as held down.
    pub fn press_again(&mut self, key: &str) {
        thread::sleep(Duration::from_millis(750));
        self.press(key);
    }

    pub fn resize(&mut self, width: u16, height: u16) {
        // First, so that the frame that answers the new size is read at that size.
        self.screen().screen_mut().set_size(cells(height), cells(width));
        self.master.resize(size(width, height)).expect("any size is allowed");
    }

    /// A terminal without a size, as one has that nobody told of one. What is drawn then is drawn nowhere.
    pub fn resize_to_nothing(&mut self) {
        self.master.resize(size(0, 0)).expect("any size is allowed");
    }

    /// Waits until something holds of the terminal.
    pub fn until(&self, what: &str, holds: impl Fn(&Self) -> bool) {
        let begin = Instant::now();
        while !holds(self) {
            let screen = self.screen().screen().contents();
            assert!(begin.elapsed() < DEADLINE, "waited in vain for {what}; the screen is\n{screen}");
            thread::sleep(Duration::from_millis(5));
        }
    }

    pub fn until_shows(&self, words: &str) {
        self.until(words, |terminal| terminal.shows(words));
    }

    pub fn shows(&self, words: &str) -> bool {
        self.screen().screen().contents().contains(words)
    }

    /// Arms what was planned, by the name of this machine.
    pub fn goes_live(&mut self, deploy: u32) {
        // The plan shows before its run waits for keys, and the plan before `p` shows until the new one is made.
        let waits =
            |terminal: &Self| terminal.shows("not while a run is in progress") || terminal.shows("the plan is stale");
        let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
        let name = name.split('.').next().unwrap_or_default();
        // A long question is scrolled; its title and how to answer it always show.
        let typed = format!(" type {name} >");
        let asks =
            |terminal: &Self| terminal.shows("─Apply?─") && (terminal.shows(&typed) || terminal.shows("any other key"));
        self.press("A");
        self.until("the question", |terminal| asks(terminal) || waits(terminal));
        while !asks(self) {
            // The words that it waits for are still on show for a moment.
            thread::sleep(Duration::from_millis(200));
            if asks(self) {
                break;
            }
            self.press("A");
            self.until("an answer", |terminal| asks(terminal) || waits(terminal));
        }
        self.press(&if self.shows(&typed) { format!("\x15{name}\r") } else { "y".into() });
        self.until_shows(&format!("LIVE: deploy {deploy}"));
    }

    /// How often any thread of the program slept and was woken so far.
    pub fn wakes(&self) -> u64 {
        let tasks = format!("/proc/{}/task", self.child.process_id().expect("it runs"));
        let tasks = std::fs::read_dir(tasks).expect("it runs").flatten();
        let status = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("status")).ok());
        let wakes = |status: String| {
            status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:")?.trim().parse::<u64>().ok())
        };
        status.filter_map(wakes).sum()
    }

    /// Quits from any layer: `q` closes an answer first, and then the program. Gives the exit code.
    pub fn quits(&mut self) -> u32 {
        let begin = Instant::now();
        while begin.elapsed() < DEADLINE {
            // The program may be gone already.
            let _ = self.input.write_all(b"q");
            for _ in 0..100 {
                if let Some(status) = self.child.try_wait().expect("our own child") {
                    return status.exit_code();
                }
                thread::sleep(Duration::from_millis(5));
            }
        }
        self.ended()
    }

    /// Waits for the end; gives the exit code.
    pub fn ended(&mut self) -> u32 {
        let begin = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("our own child") {
                return status.exit_code();
            }
            let screen = self.screen().screen().contents();
            assert!(begin.elapsed() < DEADLINE, "the program does not end; the screen is\n{screen}");
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Whether the terminal is as it was before the program started.
    pub fn is_given_back(&self) -> bool {
        let parser = self.screen();
        let screen = parser.screen();
        !screen.alternate_screen()
            && !screen.hide_cursor()
            && !screen.bracketed_paste()
            && screen.mouse_protocol_mode() == vt100::MouseProtocolMode::None
            && modes(&*self.master) == self.modes
    }
}

fn size(width: u16, height: u16) -> PtySize {
    PtySize { rows: height, cols: width, pixel_width: 0, pixel_height: 0 }
}

fn cells(count: u16) -> NonZeroU16 {
    NonZeroU16::new(count).expect("sizes here are not zero")
}

fn modes(master: &dyn MasterPty) -> String {
    format!("{:?}", master.get_termios())
}

/// Where no helper knows a login the user is asked, and the password is not shown.
#[test]
fn a_login_is_asked_for_on_the_terminal() {
    let folder = tempfile::tempdir().expect("a folder");
    let (repository, work) = (folder.path().join("repos/b"), folder.path().join("work"));
    for made in [&repository, &work] {
        std::fs::create_dir_all(made).expect("a folder");
    }
    let Some(server) = GitHttp::start(&folder.path().join("repos")) else { return };
    std::fs::write(repository.join("main.mcl"), "$x = 1\n").expect("a file");
    for words in ["init -q -b main", "add .", "-c user.name=a -c user.email=a@b commit -q -m one"] {
        let mut git = std::process::Command::new("git");
        let done = git.args(words.split(' ')).current_dir(&repository).env("HOME", folder.path()).status();
        assert!(done.expect("git starts").success());
    }
    let code = format!("import \"http://127.0.0.1:{}/private/b/\" as b\n", server.port);
    std::fs::write(work.join("main.mcl"), code).expect("a file");
    let home = folder.path().display();
    let command = format!(
        "cd {home}/work && HOME={home} WORKBENCH_CACHE={home}/cache GIT_CONFIG_NOSYSTEM=1 exec {PROGRAM} download --allow http"
    );
    let mut terminal = Terminal::start(&["sh", "-c", &command], 120, 24);
    for (wanted, typed) in [("user name for http", "u\r"), ("password for u at http", "not this\r")] {
        terminal.until_shows(wanted);
        terminal.press(typed);
    }
    // Asked once more, on the line after what was not shown.
    terminal.until("another question", |t| t.screen().screen().contents().matches("user name for").count() > 1);
    terminal.press("u\r");
    terminal.until("another question", |t| t.screen().screen().contents().matches("password for").count() > 1);
    terminal.press("p\r");
    terminal.until_shows("1 module fetched");
    assert_eq!(terminal.ended(), 0);
    assert!(!terminal.shows("not this") && terminal.is_given_back());
}

/// What is saved elsewhere shows by itself, the last good graph is kept, and so is the place where one stands.
#[test]
fn changes_on_disk_show_by_themselves() {
    let folder = tempfile::tempdir().expect("a folder");
    let entry = folder.path().join("main.mcl");
    let save = |name: &str| {
        // As editors do: a new file in the place of the old.
        let new = folder.path().join("main.mcl.new");
        std::fs::write(&new, format!("$name = \"x\"\n\nfile \"/srv/${{{name}}}\" {{\n}}\n")).expect("a file");
        std::fs::rename(&new, &entry).expect("a file");
    };
    save("name");
    let mut terminal = Terminal::start(&[PROGRAM, entry.to_str().expect("the name is plain")], 120, 40);
    terminal.press("3");
    terminal.until_shows("file[/srv/x]");
    save("nome");
    terminal.until_shows("1E");
    terminal.until_shows("stale: last good graph");
    save("name");
    terminal.until("a fresh graph", |terminal| !terminal.screen().screen().contents().contains("stale"));
    terminal.press("2jj");
    terminal.press(&"\x1b[1;5C".repeat(4));
    terminal.press("K");
    terminal.until_shows("variable name");
    terminal.press("gd");
    terminal.until_shows("line 1 of");
    terminal.press("q");
    assert_eq!(terminal.ended(), 0);
}

#[test]
fn a_tour_through_any_size() {
    let mut terminal = Terminal::start(&[PROGRAM, ENTRY], 120, 40);
    terminal.until_shows("[1 Plan]");
    assert_ne!(modes(&*terminal.master), terminal.modes, "raw mode is on");
    terminal.press("2");
    terminal.until_shows("Outline");
    terminal.press("3");
    terminal.until_shows("Apply order");
    terminal.press("?");
    terminal.until_shows("Actions on Graph");
    terminal.press("\x1b");
    terminal.until("the palette to go", |t| !t.screen().screen().contents().contains("Actions on Graph"));
    for (width, height) in [(1, 1), (400, 100), (2, 50), (59, 15), (60, 16), (3, 2), (100, 1), (80, 24)] {
        terminal.resize(width, height);
        terminal.press("j");
    }
    terminal.until_shows("[3 Graph]");
    terminal.press("q");
    assert_eq!(terminal.ended(), 0);
    terminal.until("the terminal to be given back", Terminal::is_given_back);
}

/// What changes of what a watched program reads is told as it comes.
#[test]
fn a_watched_program_shows_its_events() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let new = folder.path().join("new");
        std::fs::write(&new, text).expect("a file");
        std::fs::rename(&new, folder.path().join(name)).expect("a file");
    };
    write("input", "one");
    let input = folder.path().join("input").display().to_string();
    write("main.mcl", &format!("import \"os\"\n\nprint \"x\" {{\n\tmsg => os.readfile(\"{input}\"),\n}}\n"));
    let entry = folder.path().join("main.mcl").display().to_string();
    let mut terminal = Terminal::start(&[PROGRAM, &entry], 120, 40);
    terminal.press("3");
    terminal.until_shows("print[x]");
    terminal.press("w");
    terminal.until_shows("watching");
    terminal.press("6");
    terminal.until_shows("watching 1 input");
    write("input", "two");
    terminal.until_shows("~1");
    // The program itself is compiled again, and watched on.
    write("main.mcl", &format!("import \"os\"\n\nprint \"y\" {{\n\tmsg => os.readfile(\"{input}\"),\n}}\n"));
    terminal.until_shows("the source changed");
    write("input", "four");
    terminal.until_shows("\"four\"");
    terminal.press("3");
    terminal.press("w");
    terminal.until_shows("watching is off");
    terminal.press("q");
    assert_eq!(terminal.ended(), 0);
    terminal.until("the terminal to be given back", Terminal::is_given_back);
}

#[test]
fn signals_end_it_cleanly() {
    for (signal, code) in [(Signal::TERM, 143), (Signal::HUP, 129), (Signal::INT, 130), (Signal::QUIT, 131)] {
        let mut terminal = Terminal::start(&[PROGRAM, ENTRY], 80, 24);
        terminal.until_shows("[1 Plan]");
        let id = terminal.child.process_id().and_then(|id| Pid::from_raw(id as i32)).expect("it runs");
        kill_process(id, signal).expect("it is ours");
        assert_eq!(terminal.ended(), code);
        terminal.until("the terminal to be given back", Terminal::is_given_back);
    }
}

/// Ctrl-Z hands the terminal to the shell as it was; `fg` brings the screen back whole.
#[test]
fn suspends_and_comes_back() {
    let script = format!("{PROGRAM} {ENTRY}; echo at the shell; read line; fg; echo the end");
    let mut terminal = Terminal::start(&["sh", "-m", "-c", &script], 80, 24);
    terminal.until_shows("[1 Plan]");
    terminal.press("2");
    terminal.until_shows("[2 Code]");
    terminal.press("\x1a");
    terminal.until_shows("at the shell");
    terminal.until("the terminal to be given back", Terminal::is_given_back);
    terminal.press("\n");
    terminal.until_shows("[2 Code]");
    terminal.until("the alternate screen", |t| t.screen().screen().alternate_screen());
    terminal.press("q");
    terminal.until_shows("the end");
    terminal.until("the terminal to be given back", Terminal::is_given_back);
    assert_eq!(terminal.ended(), 0);
}

/// A child that has not started its program yet does not keep the job from stopping.
#[test]
fn suspends_while_a_child_starts() {
    if !has_strace() {
        return;
    }
    // A new child sets its group after `vfork`, before it starts its program.
    let slow = "strace -DDD -f -qq -o /dev/null -e trace=setpgid -e inject=setpgid:delay_enter=2000000";
    let script = format!("{slow} {PROGRAM} {ENTRY}; echo at the shell; read line; fg; echo the end");
    let mut terminal = Terminal::start(&["sh", "-m", "-c", &script], 80, 24);
    terminal.until_shows("[1 Plan]");
    terminal.press("\x1a");
    terminal.until_shows("at the shell");
    terminal.press("\n");
    terminal.until_shows("[1 Plan]");
    terminal.press("q");
    terminal.until_shows("the end");
    assert_eq!(terminal.ended(), 0);
}

/// A module is applied for real and taken back by keys alone; nothing of it is left, and the history tells both.
#[test]
fn applies_live_and_takes_it_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let (site, state, entry) = (folder.path().join("site"), folder.path().join("state"), folder.path().join("m.mcl"));
    let shown = site.display();
    let code = format!(
        "file \"{shown}/\" {{\n\tstate => \"exists\",\n}}\nfile \"{shown}/index.html\" {{\n\tstate => \"exists\",\n\t\
         content => \"ships come and go\",\n}}\n"
    );
    std::fs::write(&entry, code).expect("a module");
    let (entry, state) = (entry.display().to_string(), state.display().to_string());
    let mut terminal = Terminal::start(&[PROGRAM, "--state-dir", &state, &entry], 110, 40);
    terminal.until_shows("[1 Plan]");
    terminal.press("p");
    terminal.until_shows("2 of 2 would change");
    terminal.goes_live(1);
    assert!(!site.exists(), "nothing is written before the first step");
    terminal.press("s");
    terminal.until_shows("✓ file");
    assert!(site.is_dir());
    terminal.until_shows("▶ file");
    terminal.press("c");
    terminal.until_shows("End of deploy 1");
    assert_eq!(std::fs::read(site.join("index.html")).expect("it was written"), b"ships come and go");
    terminal.press("u");
    terminal.until_shows("Undo deploy 1?");
    terminal.press("y");
    terminal.until_shows("Deploy 1 undone");
    assert!(!site.exists(), "nothing is left");
    terminal.until_shows("2 of 2 would change");
    assert_eq!(terminal.quits(), 0);
    terminal.until("the terminal to be given back", Terminal::is_given_back);
}

/// `c` stops at the first breakpoint in the order that is shown, though another is ready long before; nothing behind it has
/// begun then.
#[test]
fn live_stops_come_in_the_order_that_is_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let shown = folder.path().display();
    let code = format!(
        "exec \"slow\" {{\n\tcmd => \"sleep 0.6; touch {shown}/slow\",\n\tshell => \"/bin/sh\",\n}}\n\
         file \"{shown}/early\" {{\n\tstate => \"exists\",\n\tDepend => Exec[\"slow\"],\n}}\n\
         file \"{shown}/late\" {{\n\tstate => \"exists\",\n}}\nfile \"{shown}/last\" {{\n\tstate => \"exists\",\n}}\n"
    );
    std::fs::write(path("m.mcl"), code).expect("a module");
    let (entry, state) = (path("m.mcl").display().to_string(), path("state").display().to_string());
    let mut terminal = Terminal::start(&[PROGRAM, "--state-dir", &state, &entry], 110, 40);
    terminal.until_shows("[1 Plan]");
    terminal.press("p");
    terminal.until_shows("4 of 4 would change");
    terminal.press("jbjb");
    terminal.until_shows(&format!("● file[{shown}/late]"));
    terminal.goes_live(1);
    for (row, there) in [("early", [true, false, false, false]), ("late", [true, true, false, false])] {
        terminal.press_again("c");
        terminal.until_shows(&format!("▶ file[{shown}/{row}]"));
        terminal.until_shows("stopped at a breakpoint");
        let is_there = ["slow", "early", "late", "last"].map(|name| path(name).exists());
        assert_eq!(is_there, there, "at the breakpoint of {row}");
    }
    terminal.press_again("c");
    terminal.until_shows("End of deploy 1");
    assert!(path("last").exists());
    terminal.press("q");
    assert_eq!(terminal.ended(), 0);
}

/// The terminal goes in the middle of a live run, or the screens are killed: the step at work is done to its end, and
/// whoever comes next goes on with it.
#[test]
fn a_live_run_outlives_its_terminal() {
    for signal in [Signal::KILL, Signal::HUP] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        let shown = folder.path().display();
        let code = format!(
            "exec \"slow\" {{\n\tcmd => \"touch {shown}/at-work; while [ ! -e {shown}/go ]; do sleep 0.02; done; echo whole > \
             {shown}/ended\",\n\tshell => \"/bin/sh\",\n}}\nfile \"{shown}/last\" {{\n\tstate => \"exists\",\n}}\n\
             Exec[\"slow\"] -> File[\"{shown}/last\"]\n"
        );
        std::fs::write(path("m.mcl"), code).expect("a module");
        let (entry, state) = (path("m.mcl").display().to_string(), path("state").display().to_string());
        let mut terminal = Terminal::start(&[PROGRAM, "--state-dir", &state, &entry], 110, 40);
        terminal.until_shows("[1 Plan]");
        terminal.press("p");
        terminal.until_shows("would change");
        terminal.goes_live(1);
        terminal.until_shows("▶ exec");
        terminal.press("c");
        terminal.until("the command", |_| path("at-work").exists());
        let id = terminal.child.process_id().and_then(|id| Pid::from_raw(id as i32)).expect("it runs");
        kill_process(id, signal).expect("it is ours");
        terminal.ended();
        assert!(!path("ended").exists(), "the command is still at work");
        std::fs::write(path("go"), "").expect("the folder is ours");
        terminal.until("the end of the step", |_| path("ended").exists());

        let mut terminal = Terminal::start(&[PROGRAM, "--state-dir", &state, &entry], 110, 40);
        terminal.until_shows("is detached and waiting");
        assert!(!path("last").exists(), "nothing is begun while nobody watches");
        terminal.until_shows("was disconnected");
        terminal.press("a");
        terminal.until_shows("Attach?");
        terminal.press(&format!("{}\r", rustix::system::uname().nodename().to_string_lossy()));
        terminal.until_shows("LIVE: attached to deploy 1");
        terminal.until_shows("▶ file[");
        terminal.press("c");
        terminal.until_shows("End of deploy 1");
        assert!(path("last").exists());
        terminal.press("q");
        assert_eq!(terminal.ended(), 0);
    }
}

/// The screens ask the same, with both texts in view.
#[test]
fn the_screens_ask_about_a_conflict() {
    for (key, text) in [("t", "theirs\n"), ("r", "old\nlines\n")] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("f"), "old\nlines\n").expect("a file");
        let code = format!("file \"{}\" {{ state => \"exists\", content => \"new\", }}\n", path("f").display());
        std::fs::write(path("m.mcl"), code).expect("a module");
        let (entry, state) = (path("m.mcl").display().to_string(), path("state").display().to_string());
        let mut terminal = Terminal::start(&[PROGRAM, "--state-dir", &state, &entry], 110, 40);
        terminal.until_shows("[1 Plan]");
        terminal.press("p");
        terminal.until_shows("1 of 1 would change");
        terminal.goes_live(1);
        terminal.press("c");
        terminal.until_shows("End of deploy 1");
        // Or the watch may show a plan of what is so now before the key comes.
        terminal.until_shows("Watching 1 of 1");
        terminal.press("w");
        terminal.until_shows("watching is off");
        std::fs::write(path("f"), "theirs\n").expect("a file");
        terminal.press("u");
        terminal.until_shows("Undo deploy 1?");
        terminal.press("y");
        terminal.until_shows("Conflict");
        terminal.until_shows("- theirs");
        terminal.until_shows("+ lines");
        assert_eq!(std::fs::read_to_string(path("f")).expect("a file"), "theirs\n");
        terminal.press(key);
        terminal.until_shows("Deploy 1 undone");
        assert_eq!(std::fs::read_to_string(path("f")).expect("a file"), text);
        assert_eq!(terminal.quits(), 0);
    }
}

/// What leaves a program marked to be taken back is in the graph that is shown and stepped, as in a preview.
#[test]
fn the_screens_undo_removed_resources() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let gone = path("gone").display().to_string();
    let (entry, state) = (path("m.mcl").display().to_string(), path("state").display().to_string());
    let code = format!("file \"{gone}\" {{ state => \"exists\", content => \"x\", Meta:reverse => true, }}\n");
    std::fs::write(path("m.mcl"), code).expect("a module");
    let mut terminal = Terminal::start(&[PROGRAM, "--state-dir", &state, "apply", "--yes", &entry], 110, 40);
    assert_eq!(terminal.ended(), 0);
    assert!(path("gone").exists());
    std::fs::write(path("m.mcl"), "print \"left\" { msg => \"x\", }\n").expect("a module");
    let mut terminal =
        Terminal::start(&[PROGRAM, "--state-dir", &state, "step", &entry, "--script", "c; assert done == 2"], 110, 40);
    terminal.until_shows(&gone);
    assert_eq!(terminal.ended(), 0);
    let mut terminal = Terminal::start(&[PROGRAM, "--state-dir", &state, &entry], 110, 40);
    terminal.until_shows("[1 Plan]");
    terminal.press("3");
    terminal.until_shows("gone]");
    terminal.press("p");
    terminal.until_shows("1 of 2 would change");
    terminal.goes_live(2);
    terminal.press("c");
    terminal.until_shows("End of deploy 2");
    assert!(!path("gone").exists(), "it is taken back");
    terminal.press("q");
    assert_eq!(terminal.ended(), 0);
}

/// What somebody else did since is shown beside what was there before, and decided by hand.
#[test]
fn a_conflict_is_shown_and_decided() {
    for (key, text) in [("k", "theirs\n"), ("r", "old\nlines\n")] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        let shown = path("f").display().to_string();
        std::fs::write(path("f"), "old\nlines\n").expect("a file");
        let code = format!("file \"{shown}\" {{ state => \"exists\", content => \"new\", }}\n");
        std::fs::write(path("m.mcl"), code).expect("a module");
        let (entry, state) = (path("m.mcl").display().to_string(), path("state").display().to_string());
        let mut terminal = Terminal::start(&[PROGRAM, "--state-dir", &state, "apply", "--yes", &entry], 110, 40);
        assert_eq!(terminal.ended(), 0);
        std::fs::write(path("f"), "theirs\n").expect("a file");
        let mut terminal = Terminal::start(&[PROGRAM, "--state-dir", &state, "deploy", "undo", &entry], 110, 40);
        terminal.until_shows("[k/r/d/S]");
        terminal.press("d\r");
        terminal.until_shows("-theirs");
        terminal.until_shows("+lines");
        terminal.press(&format!("{key}\r"));
        terminal.until_shows("[y/N]");
        terminal.press("y\r");
        assert_eq!(terminal.ended(), 0);
        assert_eq!(std::fs::read_to_string(path("f")).expect("a file"), text);
    }
}

/// Where the editor stops its job at Ctrl-Z, as vim does, the shell behind both has the terminal, and continues both; the key is
/// not for the screens too. Who ends us while it is open does not wait for it.
#[test]
fn the_editor_is_stopped_and_ended_with_us() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = folder.path().join("editor");
    for stops in ["kill -TSTP 0", "kill -STOP $$"] {
        let lines = format!("echo in the editor\n{stops}\necho goes on\nread line\n");
        std::fs::write(&script, lines).expect("a script");
        let words = format!("{PROGRAM} --config /dev/null {ENTRY}; echo at the shell; read line; fg; echo the end");
        let words = format!("EDITOR='sh {}' ; export EDITOR; {words}", script.display());
        let mut terminal = Terminal::start(&["sh", "-m", "-c", &words], 120, 30);
        terminal.until_shows("compiled");
        terminal.press("2");
        terminal.until_shows("line 1 of");
        terminal.press("e");
        terminal.until_shows("in the editor");
        terminal.until_shows("at the shell");
        terminal.press("\n");
        terminal.until_shows("goes on");
        terminal.press("\n");
        terminal.until_shows("line 1 of");
        terminal.until("the alternate screen", |t| t.screen().screen().alternate_screen());
        terminal.press("q");
        terminal.until_shows("the end");
        assert_eq!(terminal.ended(), 0);
    }

    std::fs::write(&script, "echo in the editor\nsleep 60\n").expect("a script");
    let command = format!("EDITOR='sh {}' exec {PROGRAM} --config /dev/null {ENTRY}", script.display());
    let mut terminal = Terminal::start(&["sh", "-c", &command], 120, 30);
    terminal.until_shows("would change");
    terminal.press("e");
    terminal.until_shows("in the editor");
    let id = terminal.child.process_id().and_then(|id| Pid::from_raw(id as i32)).expect("it runs");
    kill_process(id, Signal::TERM).expect("it is ours");
    assert_eq!(terminal.ended(), 143);
    terminal.until("the terminal to be given back", Terminal::is_given_back);
}

/// The editor has the terminal as a shell would give it, quotes in its words mean what they mean, and what fails is said.
#[test]
fn the_editor_has_the_terminal_to_itself() {
    let folder = tempfile::tempdir().expect("a folder");
    let (script, seen) = (folder.path().join("my editor"), folder.path().join("seen"));
    let text = format!(
        "#!/bin/sh\nstty -a > '{0}'\nprintf '%s\\n' \"$@\" >> '{0}'\ntrap 'echo it stays' INT\necho in the editor\n\
         until read line; do :; done\n",
        seen.display()
    );
    std::fs::write(&script, text).expect("a script");
    let command = format!("EDITOR=\"sh '{}' --wait\" exec {PROGRAM} --config /dev/null {ENTRY}", script.display());
    let mut terminal = Terminal::start(&["sh", "-c", &command], 120, 30);
    terminal.until_shows("compiled");
    terminal.press("2");
    terminal.until_shows("line 1 of");
    terminal.press("e");
    terminal.until_shows("in the editor");
    assert!(!terminal.screen().screen().alternate_screen(), "the editor begins on the shell's screen");
    // Whoever has the terminal is meant.
    terminal.press("\x03");
    terminal.until_shows("it stays");
    terminal.press("j\r");
    terminal.until("the screens", |terminal| terminal.screen().screen().alternate_screen());
    terminal.until_shows("line 1 of");
    let seen = std::fs::read_to_string(&seen).expect("the editor ran");
    assert!(seen.contains(" icanon") && seen.contains(" echo "), "{seen}");
    assert!(seen.contains("--wait\n") && seen.ends_with("demo/main.mcl\n"), "{seen}");
    terminal.press("q");
    assert_eq!(terminal.ended(), 0);
    let mut terminal = Terminal::start(
        &["sh", "-c", &format!("EDITOR=no-such-editor exec {PROGRAM} --config /dev/null {ENTRY}")],
        120,
        30,
    );
    terminal.until_shows("would change");
    terminal.press("e");
    terminal.until_shows("editor `no-such-editor` not found");
    terminal.press("q");
    assert_eq!(terminal.ended(), 0);
    terminal.until("the terminal to be given back", Terminal::is_given_back);
}
