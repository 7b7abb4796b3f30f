//! G18: every command works without a terminal, on a dumb one, without colours and without UTF-8; and says it in ASCII.

use std::io::Write;
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
    ("diff DIR/m DIR/m", 0),
    ("check DIR/m --order", 0),
    ("step DIR/m --script 's 2'", 0),
    ("apply DIR/m --yes", 0),
    ("deploy list", 0),
    ("deploy show", 0),
    ("log", 0),
    ("deploy undo DIR/m --yes", 0),
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
    // Nobody answers: the plan is told, and that is all.
    ("step DIR/m", 0),
    // Without a terminal these say what does the same.
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

/// The screens need a terminal, their plain form does not; an entry it has to have.
#[test]
fn the_plain_form_needs_an_entry_and_no_terminal() {
    let folder = tempfile::tempdir().expect("a folder");
    lay_out(folder.path());
    let dumb = [("TERM", "dumb")];
    let output = run("DIR/m", folder.path(), &dumb, &[]);
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(1) && err.contains("`workbench --plain "), "{err}");
    let output = run("DIR/m", folder.path(), &dumb, &["--plain"]);
    let out = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.code() == Some(0) && out.contains("Plan: 2 to create"), "{out}");
    // The current folder is this repository's, which is no module.
    let output = run("", folder.path(), &[], &["--plain"]);
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(64) && err.contains("workbench --plain ENTRY"), "{err}");
}

/// What is told where these answers are typed, with the exit code.
fn told(folder: &Path, command: &str, answers: &str) -> (Option<i32>, String) {
    let mut child = Command::new(PROGRAM)
        .args(["--state-dir", &folder.join("state").display().to_string()])
        .args(words(command, folder))
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("HOME", folder)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut stdin = child.stdin.take().expect("it is piped");
    stdin.write_all(answers.as_bytes()).expect("it reads");
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    let told = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output.status.code(), told)
}

/// The workbench in lines: what is destroyed comes first, numbers, names and letters choose, and every state is a word.
#[test]
fn the_workbench_is_stepped_through_in_lines() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().display();
    let code = format!(
        "file \"{place}/a\" {{\n\tstate => \"exists\",\n\tcontent => \"one\\n\",\n}}\n\nfile \"{place}/gone\" {{\n\tstate => \
         \"absent\",\n}}\n\nfile \"{place}/there\" {{\n\tstate => \"exists\",\n}}\n\nprint \"last\" {{\n\tDepend => \
         File[\"{place}/a\"],\n\tListen => File[\"{place}/gone\"],\n}}\nFile[\"{place}/a\"] -> File[\"{place}/gone\"]\n\
         File[\"{place}/gone\"] -> File[\"{place}/there\"]\n"
    );
    std::fs::write(folder.path().join("main.mcl"), code).expect("a file");
    std::fs::write(folder.path().join("gone"), "old").expect("a file");
    std::fs::write(folder.path().join("there"), "").expect("a file");
    for command in ["--plain DIR/main.mcl", "step --plain DIR/main.mcl"] {
        let (code, text) = told(folder.path(), command, "1\nnonsense\n7\nstep\n5 print[last]\nc\nx\nl\n3\nq\n");
        assert_eq!(code, Some(0), "{command}: {text}");
        assert!(text.is_ascii() && !text.contains('\x1b'), "{command}: {text}");
        let at = |words: &str| text.find(words).unwrap_or_else(|| panic!("{command}: {words}: {text}"));
        assert!(
            at("- remove  known") < at("+ create  known")
                && at("+ create  known") < at("Plan: 1 to remove, 1 to create")
        );
        for words in [
            "DRY  0 of 4 done  next: ",
            "1 step  2 over  3 continue  4 to RESOURCE  5 break WHERE  6 skip  7 list\n8 quit",
            "dry> unknown command `nonsense`\n1 step",
            "DRY  1 of 4 done  next: ",
            "one step back",
            "breakpoint set",
            "would be removed",
            "unchanged",
            "stopped at a breakpoint  next: print[last]  breakpoint",
            "print[last]  skipped",
            "the end: 3 done (2 with changes), 0 failed, 1 skipped",
            "done     create  known  file[",
            "skipped  unchanged, refresh  known  print[last]  breakpoint",
            "3 done (2 with changes), 0 failed, 0 skipped, 0 blocked, 1 waiting",
        ] {
            at(words);
        }
        // Each stop answers why it is next, whether it can be taken back, how sure that is, and what follows.
        let (a, gone, there) =
            (format!("file[{place}/a]"), format!("file[{place}/gone]"), format!("file[{place}/there]"));
        for words in [
            format!("next: {a}\nwhy next: has no dependencies; the only ready resource\n+ {a}  create"),
            format!(
                "reversible: yes\ncertainty: known\nthen: unblocks {gone}; skipping it blocks 3: {gone}, {there}, and 1 \
                 more\n1 step"
            ),
            format!(
                "next: {gone}\nwhy next: {a} (explicit dependency, {place}/main.mcl:18) is done; the only ready resource\n- {gone}"
            ),
            format!(
                "then: notifies print[last]; unblocks {there}, print[last]; skipping it blocks 2: {there}, print[last]\n"
            ),
            "why next: has no dependencies; you stepped back to it\n".into(),
            format!(
                "breakpoint\nwhy next: {a} (explicit dependency, {place}/main.mcl:15), {gone} (explicit dependency, \
                 {place}/main.mcl:16) are done; the only ready resource\n="
            ),
            "certainty: known\nthen: unblocks nothing; skipping it loses its refresh\n1 step".into(),
        ] {
            at(&words);
        }
        assert!(!folder.path().join("a").exists() && folder.path().join("gone").exists(), "a dry run writes nothing");
    }
    // What a letter does a script does, and a line without an end is one.
    let (code, text) =
        told(folder.path(), "--plain DIR/main.mcl", "s 2\n4\nprint[last]\nb if destroys\nt nothing\nr\nlist");
    assert!(
        code == Some(0) && text.contains("breakpoint set") && text.contains("next     unchanged, refresh"),
        "{text}"
    );
    assert!(text.contains("no resource `nothing`") && text.contains("no resource failed or was skipped"), "{text}");
}

/// What a command does nobody can take back, what was left out can be tried again, and no name reaches the terminal raw.
#[test]
fn a_stop_without_screens_names_irreversible_steps() {
    let folder = tempfile::tempdir().expect("a folder");
    let code = "exec \"run\" {\n\tcmd => \"/bin/echo hi\",\n}\n\nprint \"odd\\tname\" {\n\tDepend => \
                Exec[\"run\"],\n}\n\nprint \"other\" {\n}\n";
    std::fs::write(folder.path().join("main.mcl"), code).expect("a file");
    let (code, text) = told(folder.path(), "--plain DIR/main.mcl", "x\nr\nq\n");
    assert_eq!(code, Some(0), "{text}");
    assert!(!text.contains('\t'), "{text}");
    for words in [
        "why next: has no dependencies; first of 2 ready resources (in source order)\n! exec[run]  run",
        "reversible: no (a command; effects unknown)\ncertainty: known\nthen: unblocks \
         print[odd\\tname]; skipping it blocks 1: print[odd\\tname]\n1 step",
        "print[odd\\tname]  blocked by exec[run]",
        "next: exec[run]\nwhy next: has no dependencies; you retry it\n",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    // Of several one is chosen, by its number or a part of its name.
    for answers in ["x\nx\n2\n2\nq\n", "x\nx\nretry\noth\nq\n", "x\nx\nr other\nq\n"] {
        let (code, text) = told(folder.path(), "--plain DIR/main.mcl", answers);
        assert_eq!(code, Some(0), "{answers}: {text}");
        assert!(
            text.contains("next: print[other]\nwhy next: has no dependencies; you retry it\n"),
            "{answers}: {text}"
        );
        assert_eq!(
            text.contains("  1 exec[run]\n  2 print[other]\nretry RESOURCE: "),
            !answers.contains("r other"),
            "{text}"
        );
    }
    let (code, text) =
        told(folder.path(), "step DIR/main.mcl --script 'x; x; r other; s; assert done == 1; r odd'", "");
    assert!(code == Some(1) && text.contains("failed or skipped resources: no resource `odd`"), "{code:?} {text}");
}

/// Ctrl-C at a question ends it, and leaves the terminal as it was; a live run asks by numbers too.
#[test]
fn a_terminal_that_only_types_does_all_of_it() {
    let folder = tempfile::tempdir().expect("a folder");
    lay_out(folder.path());
    let place = folder.path().display();
    let state = format!("TERM=dumb exec {PROGRAM} --config /dev/null --plain --state-dir {place}/state");
    let mut terminal = Terminal::start(&["sh", "-c", &format!("{state} {place}/m")], 100, 30);
    terminal.until_shows("DRY  0 of 2 done");
    terminal.press("1\r");
    terminal.until_shows("DRY  1 of 2 done");
    terminal.until_shows(" back");
    terminal.press("\x03");
    assert_eq!(terminal.ended(), 130);
    terminal.until_shows("1 done (1 with changes)");
    assert!(terminal.is_given_back() && !folder.path().join("a").exists());
    let mut terminal = Terminal::start(&["sh", "-c", &format!("{state} apply --step --yes {place}/m")], 100, 30);
    terminal.until_shows("LIVE  0 of 2 done");
    terminal.until_shows("why next: has no dependencies; the only ready resource");
    terminal.press("9\r");
    terminal.until("the choices to be told again", |terminal| {
        terminal.screen().screen().contents().matches("1 step  2 continue  3 skip  4 undo  5 quit").count() == 2
    });
    terminal.press("1\r");
    terminal.until_shows("LIVE  1 of 2 done");
    terminal.until_shows("is done; the only ready resource");
    terminal.until_shows("then: unblocks nothing; skipping it blocks nothing");
    assert!(folder.path().join("a").exists());
    terminal.press("3\r");
    assert_eq!(terminal.ended(), 0);
    terminal.until_shows("1 skipped, 1 changed");
    assert!(!folder.path().join("b").exists());
}

/// A terminal that can only type is told which commands do without more, and is left as it is.
#[test]
fn a_dumb_terminal_lists_the_commands() {
    let command = format!("TERM=dumb exec {PROGRAM} --config /dev/null modules/mcl/demo");
    let mut terminal = Terminal::start(&["sh", "-c", &command], 100, 30);
    assert_eq!(terminal.ended(), 1);
    terminal.until_shows("TERM=dumb");
    terminal.until_shows("workbench preview modules/mcl/demo");
    assert!(terminal.is_given_back());
}
