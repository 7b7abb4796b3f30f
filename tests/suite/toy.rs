//! The language of the tests on the screens, and after a kill: what the general parts do for any language.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Containers in containers, a resource that nothing here can do, a declared kind, tags, messages.
const PROGRAM: &str = "\
log notice hello from the program
log warning something to look at
kind link to: where it leads
begin class base
file /tmp/workbench-toy-picture text=one tag=web
begin define vhost
note inner text=hi onrefresh
end
end
link here to=there
use web
order File[/tmp/workbench-toy-picture] ~> Define[vhost]
order Class[base] -> Link[here]
";

/// Each screen, and what is pressed on it.
const SCREENS: [(&str, &str); 7] = [
    ("plan", "1"),
    ("code", "2 j j j j j j j j j K"),
    ("graph", "3 j j j"),
    ("graph-tree", "3 g t j"),
    ("modules", "4 j j"),
    ("history", "5"),
    ("log", "6"),
];

#[test]
fn every_screen_shows_a_program_of_any_language() {
    let folder = tempfile::tempdir().expect("a folder");
    let site = folder.path().join("site");
    fs::create_dir_all(site.join("web")).expect("can be made");
    fs::write(site.join("main.toy"), PROGRAM).expect("can be written");
    fs::write(site.join("web/main.toy"), "note served text=yes\n").expect("can be written");
    let mut wrong = Vec::new();
    for (name, keys) in SCREENS {
        let done = Command::new(env!("CARGO_BIN_EXE_workbench"))
            .args(["--screenshot", "-", "--keys", keys, "--size", "100x30", "--state-dir", "../state", "main.toy"])
            .current_dir(&site)
            .env("WORKBENCH_CONFIG", "/dev/null")
            .env("WORKBENCH_HOSTNAME", "harbour")
            .output()
            .expect("it starts");
        assert!(done.status.success(), "{name}: {}", text(&done));
        let drawn: String = String::from_utf8_lossy(&done.stdout).lines().map(without_times).collect();
        let file = Path::new("tests/cases/toy/screens").join(name).with_extension("txt");
        let is_same = fs::read_to_string(&file).is_ok_and(|there| there == drawn);
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&file, drawn).expect("can be written");
        } else if !is_same {
            wrong.push(format!("{}\n{drawn}", file.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// How long work took is left out, with the blanks behind it.
fn without_times(line: &str) -> String {
    let begin = line.find(" in ").filter(|_| line.contains(" tool ")).map_or(line.len(), |at| at + 4);
    let (head, tail) = line.split_at(begin);
    let is_time = tail.starts_with(|c: char| c.is_ascii_digit());
    if is_time { format!("{head}TIME\n") } else { format!("{line}\n") }
}

/// A command is at work when all is killed: the run goes on with it, and with what a container holds back.
#[test]
fn a_killed_apply_is_resumed() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    let at = |name: &str| root.join(name).display().to_string();
    let program = format!(
        "begin class first\nfile {} text=a\nrun waits do={}\nend\nbegin class second\nfile {} text=b\nend\norder Class[first] -> Class[second]\n",
        at("a"),
        at("waits.sh"),
        at("b")
    );
    fs::write(root.join("main.toy"), program).expect("can be written");
    let waits = format!("#!/bin/sh\ntouch {}\nwhile [ ! -e {} ]; do sleep 0.02; done\n", at("began"), at("go"));
    fs::write(root.join("waits.sh"), waits).expect("can be written");
    let mode = Command::new("chmod").args(["755", &at("waits.sh")]).status();
    assert!(mode.expect("chmod is there").success());
    let run = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_workbench"));
        command.args(args).current_dir(root).env("WORKBENCH_STATE", root.join("state")).stdin(Stdio::null());
        command
    };
    let mut child = run(&["apply", "--yes", "main.toy"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary starts");
    let begun = Instant::now();
    while !root.join("began").exists() {
        assert!(begun.elapsed() < Duration::from_secs(60), "the command never began");
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().expect("it is at work");
    child.wait().expect("it was killed");
    assert!(root.join("a").exists() && !root.join("b").exists(), "the second container waits for the first");
    fs::write(root.join("go"), "").expect("can be written");
    let told = run(&["deploy", "resume", "--yes", "--again"]).output().expect("the binary starts");
    assert!(told.status.success(), "{}", text(&told));
    assert_eq!(fs::read_to_string(root.join("b")).expect("it was made"), "b");
    let told = run(&["deploy", "undo", "--yes"]).output().expect("the binary starts");
    assert!(!root.join("a").exists() && !root.join("b").exists(), "{}", text(&told));
}
