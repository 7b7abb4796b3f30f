//! What failed in a live run is edited and tried as it says now, within the same deploy; the history tells so, secrets left out.

use std::fs;
use std::path::Path;
use std::process::Command;

use rustix::process::Signal;

use crate::attach::send;
use crate::terminal::{PROGRAM, Terminal};

const SITE: &str = "\
file \"DIR/first\" { state => \"exists\", content => \"one\\n\", }
exec \"page\" {
\tcmd => \"cp DIR/no-such-page DIR/page\",
\tshell => \"/bin/sh\",
\tcreates => \"DIR/page\",
}
file \"DIR/last\" { state => \"exists\", content => \"three\\n\", }
file \"DIR/other\" { state => \"exists\", }
File[\"DIR/first\"] -> Exec[\"page\"] -> File[\"DIR/last\"]
";

/// The screens over a program in a folder, live up to the failure of its second resource; and the program's text.
fn failed(folder: &Path) -> (Terminal, String) {
    let (site, state) = (folder.join("main.mcl"), folder.join("state").display().to_string());
    let text = SITE.replace("DIR", &folder.display().to_string());
    fs::write(&site, &text).expect("the folder is ours");
    let site = site.display().to_string();
    let words = [PROGRAM, "--config", "/dev/null", "--state-dir", &state, &site];
    let mut terminal = Terminal::start(&words, 120, 40);
    terminal.press("p");
    terminal.until_shows("4 of 4 would change");
    terminal.goes_live(1);
    terminal.until_shows("▶ file");
    terminal.press("s");
    terminal.until_shows("1 of 4 done");
    terminal.until_shows("▶ exec");
    terminal.press_again("s");
    terminal.until_shows("e edit");
    (terminal, text)
}

/// Another editor has mended it.
fn mend(folder: &Path, text: &str) {
    fs::write(folder.join("new"), text.replace("no-such-page", "first")).expect("the folder is ours");
    fs::rename(folder.join("new"), folder.join("main.mcl")).expect("the folder is ours");
}

#[test]
fn what_failed_is_edited_and_tried_within_the_deploy() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let state = path("state").display().to_string();
    let (mut terminal, text) = failed(folder.path());
    assert!(path("first").exists() && !path("last").exists());
    // It is told, and nothing is done before somebody agrees to it.
    mend(folder.path(), &text);
    terminal.until_shows("r retries it with the edit");
    terminal.press("r");
    terminal.until_shows("Use the edited version in deploy 1?");
    terminal.press("n");
    terminal.until_shows("not used: the deploy keeps");
    terminal.press("r");
    terminal.until_shows("Use the edited version in deploy 1?");
    terminal.press("y");
    terminal.until_shows("updated. Press s or c");
    assert!(!path("page").exists(), "it is looked at, and nothing is written");
    terminal.press("c");
    terminal.until_shows("end of deploy 1: 4 done");
    terminal.press("q");
    assert_eq!(terminal.ended(), 0);
    assert_eq!(fs::read_to_string(path("page")).expect("it was made"), "one\n");
    assert!(path("last").exists());
    let show = |words: &[&str]| {
        let mut command = Command::new(PROGRAM);
        command.args(["--config", "/dev/null", "--state-dir", &state, "deploy", "show"]).args(words);
        String::from_utf8(command.output().expect("the program starts").stdout).expect("it is text")
    };
    let text = show(&[]);
    assert!(text.contains("exec[page]  edited during the deploy, after a failure: cmd:"), "{text}");
    let json: serde_json::Value = serde_json::from_str(&show(&["--format", "json"])).expect("it is JSON");
    assert_eq!(json["amended"][0]["resource"], "exec[page]", "{json}");
    assert_ne!(json["amended"][0]["graph"], json["begin"]["graph"], "{json}");
    assert_eq!(json["end"]["failed"], 0, "{json}");
    assert_eq!(json["end"]["done"], 4, "{json}");
}

/// What is wanted last is what a deploy that is cut off then is gone on with.
#[test]
fn an_edited_retry_is_resumed_after_a_crash() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut terminal, text) = failed(folder.path());
    mend(folder.path(), &text);
    terminal.until_shows("r retries it with the edit");
    terminal.press("r");
    terminal.until_shows("Use the edited version in deploy 1?");
    terminal.press("y");
    terminal.until_shows("updated. Press s or c");
    terminal.press("s");
    terminal.until("the step", |_| folder.path().join("page").exists());
    let lock = fs::read_to_string(folder.path().join("state/lock")).expect("it is at work");
    let holder: serde_json::Value = serde_json::from_str(&lock).expect("it says who");
    send(holder["pid"].as_u64().and_then(|pid| u32::try_from(pid).ok()).expect("a number"), Signal::KILL);
    terminal.until_shows("Deploy 1 was interrupted and needs a decision.");
    terminal.press("R");
    terminal.until_shows("Nothing is written until you press");
    terminal.press(&format!("{}\r", rustix::system::uname().nodename().to_string_lossy()));
    terminal.until_shows("LIVE: deploy 2");
    terminal.press("c");
    terminal.until_shows("End of deploy 2");
    assert!(folder.path().join("last").exists());
}
