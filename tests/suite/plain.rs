//! G18: every command works without a terminal, on a dumb one, without colours and without UTF-8; and says it in ASCII.

use std::path::Path;
use std::process::{Command, Output};

use crate::promises::figure;
use crate::terminal::{PROGRAM, Terminal};

/// Each command with its exit code; `DIR` is a folder of the test's own, with a module in it.
const COMMANDS: &[(&str, i32)] = &[
    ("--help", 0),
    ("--version", 0),
    ("modules DIR/m", 0),
    ("parse DIR/m", 0),
    ("parse DIR/m --format json", 0),
    ("check DIR/m", 0),
    ("graph DIR/m", 0),
    ("graph DIR/m --format json", 0),
    ("graph DIR/m --format dot", 0),
    ("graph DIR/m --format mermaid", 0),
    ("graph DIR/m --format rails", 0),
    ("graph DIR/m --format mcl", 0),
    ("graph DIR/m --format mgmt-yaml", 0),
    ("eval 1+1", 0),
    ("preview DIR/m", 0),
    ("preview DIR/m --format json", 0),
    ("step DIR/m --script 's 2'", 0),
    ("apply DIR/m --yes", 0),
    ("deploy list", 0),
    ("deploy show", 0),
    ("log", 0),
    ("deploy undo --yes", 0),
    ("run DIR/m --once --noop", 0),
    ("download DIR/m", 0),
    ("fmt --check DIR/m/main.mcl", 0),
    ("highlight DIR/m/main.mcl", 0),
    ("doc file", 0),
    ("doc fmt.printf", 0),
    ("keys", 0),
    ("themes", 0),
    ("tutor", 0),
    ("config check", 0),
    ("config explain", 0),
    ("completions bash", 0),
    ("man DIR/man", 0),
    ("deploy bundle DIR/m -o DIR/m.bundle", 0),
    ("deploy show DIR/m.bundle", 0),
    // Without a terminal these say what does the same.
    ("DIR/m", 1),
    ("apply DIR/m", 1),
    ("check DIR/wrong", 1),
    ("preview DIR/nothing", 1),
];

fn lay_out(folder: &Path) {
    std::fs::create_dir_all(folder.join("m")).expect("a folder");
    std::fs::create_dir_all(folder.join("wrong")).expect("a folder");
    let code = format!(
        "file \"{0}/a\" {{\n\tstate => \"exists\",\n\tcontent => \"one\\n\",\n}}\n\nfile \"{0}/b\" {{\n\tstate => \"exists\",\n\n\t\
         Depend => File[\"{0}/a\"],\n}}\n",
        folder.display()
    );
    std::fs::write(folder.join("m/main.mcl"), code).expect("a file");
    std::fs::write(folder.join("wrong/main.mcl"), "$x = $y\n").expect("a file");
}

fn words(command: &str, folder: &Path) -> Vec<String> {
    let command = command.replace("DIR", &folder.display().to_string());
    let mut words = Vec::new();
    for (at, part) in command.split('\'').enumerate() {
        match at % 2 {
            0 => words.extend(part.split_whitespace().map(String::from)),
            _ => words.push(part.into()),
        }
    }
    words
}

fn run(command: &str, folder: &Path, environment: &[(&str, &str)], flags: &[&str]) -> Output {
    let state = folder.join("state").display().to_string();
    Command::new(PROGRAM)
        .args(["--state-dir", &state])
        .args(flags)
        .args(words(command, folder))
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("HOME", folder)
        .envs(environment.iter().copied())
        .stdin(std::process::Stdio::null())
        .output()
        .expect("it starts")
}

#[test]
fn every_command_works_anywhere() {
    type Place<'a> = (&'a [(&'a str, &'a str)], &'a [&'a str]);
    let places: [Place; 4] = [
        (&[("LC_ALL", "C"), ("TERM", "dumb")], &[]),
        (&[("LANG", "POSIX"), ("NO_COLOR", "1")], &[]),
        (&[("TERM", "xterm-256color"), ("LC_ALL", "C.UTF-8")], &["--plain"]),
        (&[], &["--plain"]),
    ];
    let mut runs = 0;
    for (environment, flags) in places {
        let folder = tempfile::tempdir().expect("a folder");
        lay_out(folder.path());
        for (command, code) in COMMANDS {
            let output = run(command, folder.path(), environment, flags);
            let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            let about = format!("{environment:?} {flags:?} {command}\n{out}{err}");
            assert_eq!(output.status.code(), Some(*code), "{about}");
            assert!(!out.contains('\x1b') && !err.contains('\x1b'), "raw sequences: {about}");
            // Help is read by people and programs that have their own ways with it.
            let is_told = !matches!(*command, "--help" | "completions bash");
            let strange = out.lines().chain(err.lines()).find(|line| !line.is_ascii());
            assert!(!is_told || strange.is_none(), "beyond ASCII: {strange:?} in {about}");
            runs += 1;
        }
    }
    figure("G18", format_args!("{runs} runs of {} commands without terminal, colours or UTF-8", COMMANDS.len()));
}

/// A terminal that can only type is told which commands do without more, and is left as it is.
#[test]
fn a_dumb_terminal_is_told_the_commands() {
    let command = format!("TERM=dumb exec {PROGRAM} --config /dev/null modules/mcl/demo");
    let mut terminal = Terminal::start(&["sh", "-c", &command], 100, 30);
    assert_eq!(terminal.ended(), 1);
    terminal.until_shows("TERM=dumb");
    terminal.until_shows("workbench preview modules/mcl/demo");
    assert!(terminal.is_given_back());
}
