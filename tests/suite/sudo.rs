//! An apply as root by way of `sudo`: what acts is root's, what was compiled is the user's, and neither listens to others.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::net::UnixListener;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::MutexGuard;
use std::thread;
use std::time::{Duration, Instant};

use crate::machine::machine;
use crate::skip::skip;
use crate::terminal::Terminal;

const PROGRAM: &str = env!("CARGO_BIN_EXE_workbench");

/// Far more than anything here takes; only a failure waits for it.
const DEADLINE: Duration = Duration::from_secs(60);

/// A user of our own whom `sudo` lets in without a password, and a folder for both.
struct Site {
    folder: tempfile::TempDir,
    name: String,
    uid: u32,
    gid: u32,
    /// Others count the users of this machine.
    _machine: MutexGuard<'static, ()>,
}

fn run(command: &mut Command) -> (Option<i32>, String) {
    let Output { status, stdout, stderr } = command.stdin(Stdio::null()).output().expect("it starts");
    (status.code(), String::from_utf8_lossy(&[stdout, stderr].concat()).into_owned())
}

impl Site {
    /// Nothing where this machine has not what it takes.
    fn new(name: &str) -> Option<Self> {
        let machine = machine(&["sudo", "useradd", "userdel"])?;
        let name = format!("wb{name}{}", std::process::id());
        let (code, said) = run(Command::new("useradd").args(["--no-create-home", "--user-group", &name]));
        assert_eq!(code, Some(0), "{said}");
        let folder = tempfile::tempdir().expect("a folder");
        let mut site = Self { folder, name, uid: 0, gid: 0, _machine: machine };
        let id = |which: &str| run(Command::new("id").args([which, &site.name])).1.trim().parse().expect("a number");
        (site.uid, site.gid) = (id("-u"), id("-g"));
        fs::set_permissions(site.folder.path(), fs::Permissions::from_mode(0o755)).expect("it is ours");
        for (part, mode) in [("user", 0o700), ("root", 0o700)] {
            fs::create_dir(site.path(part)).expect("it is ours");
            fs::set_permissions(site.path(part), fs::Permissions::from_mode(mode)).expect("it is ours");
        }
        chown(site.path("user"), Some(site.uid), Some(site.gid)).expect("we are root");
        if run(site.as_user(&["--version"])).0 != Some(0) {
            skip("other user", "no other user may run the program");
            return None;
        }
        Some(site)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn allow(&self) {
        let rule = format!("{} ALL=(root) NOPASSWD: {PROGRAM}\n", self.name);
        let file = self.rule();
        fs::write(&file, rule).expect("we are root");
        fs::set_permissions(file, fs::Permissions::from_mode(0o440)).expect("we are root");
    }

    fn rule(&self) -> PathBuf {
        PathBuf::from("/etc/sudoers.d").join(&self.name)
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command.args(words).current_dir(self.path("user")).env_clear();
        command.env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin").env("HOME", self.path("user"));
        command.env("WORKBENCH_STATE", self.path("user/state"));
        command
    }

    fn as_user(&self, words: &[&str]) -> &'static mut Command {
        let mut command = self.command(words);
        command.uid(self.uid).gid(self.gid);
        Box::leak(Box::new(command))
    }

    /// With root's history, which a test keeps out of the machine's.
    fn words<'a>(&self, state: &'a str, words: &[&'a str]) -> Vec<&'a str> {
        [&["--state-dir", state], words].concat()
    }

    fn state(&self) -> String {
        self.path("root/state").display().to_string()
    }

    /// The user's screens, on which root was agreed to for a program that it would change in so many places.
    fn live_as_root(&self, state: &str, changes: usize) -> Terminal {
        let path = |name: &str| self.path(name).display().to_string();
        let (user, group) = (self.uid.to_string(), self.gid.to_string());
        let (home, own) = (format!("HOME={}", path("user")), path("user/main.mcl"));
        let words = [
            "setpriv",
            "--reuid",
            &user,
            "--regid",
            &group,
            "--clear-groups",
            "env",
            "-u",
            "WORKBENCH_STATE",
            &home,
            PROGRAM,
        ];
        let mut terminal = Terminal::start(&[&words[..], &["--state-dir", state, &own]].concat(), 120, 40);
        terminal.until_shows("[1 Plan]");
        terminal.press("p");
        terminal.until_shows(&format!("{changes} of {changes} would change"));
        terminal.press("A");
        terminal.until_shows(&format!("{changes} resources need root:"));
        terminal.press(&format!("sudo {}\r", rustix::system::uname().nodename().to_string_lossy()));
        terminal.until_shows("LIVE: deploy 1");
        terminal
    }

    fn program(&self, text: &str) {
        let text = text.replace("DIR", &self.path("root").display().to_string());
        fs::write(self.path("user/main.mcl"), text).expect("it is ours");
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        let _ = fs::remove_file(self.rule());
        run(Command::new("userdel").arg(&self.name));
    }
}

fn until(what: &str, holds: impl Fn() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < DEADLINE, "waited in vain for {what}");
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn root_acts_and_root_remembers() {
    let Some(site) = Site::new("a") else { return };
    let state = site.state();
    site.program("file \"DIR/f\" { state => \"exists\", content => \"made as root\", }\n");
    let apply = site.words(&state, &["apply", "--yes", "--sudo", "main.mcl"]);
    let (code, said) = run(site.as_user(&apply));
    assert!(code == Some(1) && said.contains("nothing was applied as root"), "{code:?} {said}");
    assert!(!site.path("root/f").exists() && !site.path("root/state").exists());

    site.allow();
    let (code, said) = run(site.as_user(&apply));
    assert_eq!(code, Some(0), "{said}");
    let made = fs::metadata(site.path("root/f")).expect("it was made");
    assert_eq!((made.uid(), fs::read_to_string(site.path("root/f")).expect("we are root")), (0, "made as root".into()));
    for part in ["root/state", "root/state/deploys/00000001.journal"] {
        let there = fs::metadata(site.path(part)).expect("it was made");
        assert_eq!((there.uid(), there.mode() & 0o077), (0, 0), "{part}");
    }
    let left: Vec<_> = fs::read_dir(site.path("user/state")).expect("it was made").flatten().collect();
    assert!(left.iter().all(|entry| !entry.file_name().to_string_lossy().contains("sock")), "{left:?}");
    let (code, said) = run(site.as_user(&["deploy", "list"]));
    assert!(code == Some(0) && said.contains("No deploys yet"), "{said}");
    let (code, said) = run(&mut site.command(&site.words(&state, &["deploy", "list", "--verify"])));
    assert!(code == Some(0) && said.contains(&site.name), "{said}");
    let (code, said) = run(&mut site.command(&site.words(&state, &["deploy", "undo", "--yes"])));
    assert_eq!(code, Some(0), "{said}");
    assert!(!site.path("root/f").exists());
}

/// What takes a resource back is kept where the next run of the same user finds it. Root's history is not there.
#[test]
fn reversals_are_not_passed_to_root() {
    let Some(site) = Site::new("r") else { return };
    site.allow();
    let state = site.state();
    site.program("file \"DIR/f\" { state => \"exists\", content => \"x\", Meta:reverse => true, }\n");
    let (code, said) = run(site.as_user(&site.words(&state, &["apply", "--yes", "--sudo", "main.mcl"])));
    assert!(code == Some(1) && said.contains("`reverse`") && said.contains("sudo workbench apply"), "{code:?} {said}");
    assert!(!site.path("root/f").exists());
}

/// From the screens: root is offered, acts, and takes back what it did. An undo by hand finds root's history too.
#[test]
fn the_screens_hand_over_to_root() {
    let Some(site) = Site::new("d") else { return };
    site.allow();
    let state = site.state();
    site.program("file \"DIR/f\" { state => \"exists\", content => \"made as root\", }\n");
    // The user may look, and no more.
    fs::set_permissions(site.path("root"), fs::Permissions::from_mode(0o755)).expect("it is ours");
    let mut terminal = site.live_as_root(&state, 1);
    terminal.press("c");
    terminal.until_shows("End of deploy 1");
    assert_eq!(fs::metadata(site.path("root/f")).expect("it was made").uid(), 0);
    terminal.press("u");
    terminal.until_shows("Undo deploy 1?");
    terminal.press("y");
    terminal.until_shows("Deploy 1 undone");
    assert!(!site.path("root/f").exists());
    terminal.until_shows("any key");
    assert_eq!(terminal.quits(), 0);

    let (code, said) = run(site.as_user(&site.words(&state, &["apply", "--yes", "--sudo", "main.mcl"])));
    assert_eq!(code, Some(0), "{said}");
    let (code, said) = run(site.as_user(&site.words(&state, &["deploy", "undo", "--yes", "--sudo"])));
    assert!(code == Some(0) && said.contains("1 undone"), "{code:?} {said}");
    assert!(!site.path("root/f").exists());
    // Without it the user is told of it.
    let (code, said) = run(site.as_user(&["apply", "--yes", "main.mcl"]));
    assert!(code == Some(4) && said.contains("`workbench apply --sudo`"), "{code:?} {said}");
}

/// The line goes with the face; root's applier does what it is at to its end and waits for root.
#[test]
fn it_outlives_its_face() {
    let Some(site) = Site::new("b") else { return };
    site.allow();
    let state = site.state();
    site.program(
        "exec \"slow\" {\n\tcmd => \"touch DIR/at-work; while [ ! -e DIR/go ]; do sleep 0.02; done; echo > DIR/ended\",\n\
         \tshell => \"/bin/sh\",\n}\nfile \"DIR/last\" { state => \"exists\", }\nExec[\"slow\"] -> File[\"DIR/last\"]\n",
    );
    let command = site.as_user(&site.words(&state, &["apply", "--yes", "--sudo", "main.mcl"]));
    let mut face = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    until("the command", || site.path("root/at-work").exists());
    face.kill().expect("it is ours");
    face.wait().expect("it is ours");
    fs::write(site.path("root/go"), "").expect("we are root");
    until("it to wait", || run(&mut site.command(&site.words(&state, &["attach"]))).1.contains("1 of 2 steps done"));
    assert!(site.path("root/ended").exists() && !site.path("root/last").exists());
    let (code, said) = run(&mut site.command(&site.words(&state, &["attach", "--stop"])));
    assert_eq!(code, Some(0), "{said}");
}

/// A deploy of root's that was cut off is gone on with by way of `sudo`, from what root remembers of it.
#[test]
fn root_resumes_an_interrupted_deploy() {
    let Some(site) = Site::new("e") else { return };
    site.allow();
    let state = site.state();
    site.program(
        "file \"DIR/first\" { state => \"exists\", }\nexec \"slow\" {\n\tcmd => \"echo $PPID > DIR/at-work; while [ ! -e DIR/go ]; do \
         sleep 0.02; done; echo > DIR/ended\",\n\tshell => \"/bin/sh\",\n\tcreates => \"DIR/ended\",\n}\n\
         file \"DIR/last\" { state => \"exists\", }\nFile[\"DIR/first\"] -> Exec[\"slow\"]\nExec[\"slow\"] -> File[\"DIR/last\"]\n",
    );
    let command = site.as_user(&site.words(&state, &["apply", "--yes", "--sudo", "main.mcl"]));
    let mut face = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    until("the command", || site.path("root/at-work").exists());
    // The applier holds the lock, and says who it is there.
    let lock = fs::read_to_string(site.path("root/state/lock")).expect("it is at work");
    let pid: String = lock.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
    assert_eq!(run(Command::new("kill").args(["-KILL", &pid])).0, Some(0), "{lock}");
    let _ = face.wait();
    fs::write(site.path("root/go"), "").expect("we are root");
    // Nobody told the user: the history is root's.
    let resume = |more: &[&'static str]| {
        let words = [&["deploy", "resume", "--yes"], more].concat();
        run(site.as_user(&site.words(&state, &words)))
    };
    let (code, said) = resume(&[]);
    assert_ne!(code, Some(0), "{said}");
    let (code, said) = resume(&["--sudo"]);
    assert!(code == Some(1) && said.contains("its effects are unknown"), "{code:?} {said}");
    let (code, said) = resume(&["--sudo", "--again"]);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(fs::metadata(site.path("root/last")).expect("it was made").uid(), 0);
    let (code, said) = resume(&["--sudo"]);
    assert!(code == Some(1) && said.contains("no deploy is interrupted"), "{code:?} {said}");
}

/// Root hears nobody but the one whom `sudo` names, and the face nobody but root.
#[test]
fn other_users_are_ignored() {
    let Some(site) = Site::new("c") else { return };
    let socket = site.path("root/trap.sock");
    let listener = UnixListener::bind(&socket).expect("it is ours");
    let trap = socket.display().to_string();
    let (code, said) = run(site.command(&["applier", "--from", &trap]).env("SUDO_UID", site.uid.to_string()));
    assert!(code != Some(0) && said.contains("belongs to another user"), "{code:?} {said}");
    drop(listener);
    let (code, said) = run(site.as_user(&["applier", "--from", &trap]));
    assert!(code != Some(0) && said.contains("needs root"), "{code:?} {said}");
}

/// On the screens too: an applier of root's that was killed is asked about by way of `sudo`, and gone on with as root.
#[test]
fn the_screens_resume_a_deploy_of_root() {
    let Some(site) = Site::new("f") else { return };
    site.allow();
    let state = site.state();
    site.program(
        "file \"DIR/first\" { state => \"exists\", }\nfile \"DIR/last\" { state => \"exists\", }\n\
         File[\"DIR/first\"] -> File[\"DIR/last\"]\n",
    );
    fs::set_permissions(site.path("root"), fs::Permissions::from_mode(0o755)).expect("it is ours");
    let mut terminal = site.live_as_root(&state, 2);
    terminal.press("s");
    terminal.until("the first step", |_| site.path("root/first").exists());
    terminal.until_shows("1/2");
    let lock = fs::read_to_string(site.path("root/state/lock")).expect("it is at work");
    let pid: String = lock.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
    assert_eq!(run(Command::new("kill").args(["-KILL", &pid])).0, Some(0), "{lock}");
    terminal.until_shows("Root's deploy 1 was interrupted and needs a decision.");
    terminal.press("r");
    terminal.until_shows("Nothing is written until you press");
    terminal.press(&format!("{}\r", rustix::system::uname().nodename().to_string_lossy()));
    terminal.until_shows("LIVE: deploy 2");
    terminal.press("c");
    terminal.until_shows("End of deploy 2");
    assert_eq!(fs::metadata(site.path("root/last")).expect("it was made").uid(), 0);
    // What it went on with is taken back with it.
    terminal.press("u");
    terminal.until_shows("Undo deploy 2?");
    terminal.press("y");
    terminal.until_shows("Deploy 2 undone");
    assert!(!site.path("root/first").exists() && !site.path("root/last").exists());
    assert_eq!(terminal.quits(), 0);
}
