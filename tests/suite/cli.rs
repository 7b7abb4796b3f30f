//! What cases cannot say about the command line: closed pipes, and help of every command.

use std::path::Path;

use workbench::session::doc;

use crate::cases::execute;
use crate::skip::skip;
use crate::terminal::Terminal;

fn words(line: &str) -> Vec<String> {
    line.split(' ').map(Into::into).collect()
}

#[test]
fn every_command_has_help_with_an_example() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let work = folder.path().join("work");
    std::fs::create_dir(&work).expect("the temporary folder can be written");
    let help = execute(&words("--help"), None, &work);
    let text = String::from_utf8(help.stdout).expect("help is UTF-8");
    let commands = text.split("Commands:").nth(1).and_then(|t| t.split("\n\n").next()).expect("help lists commands");
    let names: Vec<_> = commands.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next()).collect();
    assert!(names.len() > 4, "{names:?}");
    for name in names.into_iter().filter(|name| !name.is_empty()) {
        let help = execute(&words(&format!("{name} --help")), None, &work);
        assert_eq!(help.status.code(), Some(0), "{name}");
        assert!(String::from_utf8_lossy(&help.stdout).contains("Example"), "{name} has no example");
    }
}

#[test]
fn all_names_are_listed_for_programs() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let told = execute(&words("doc --format json"), None, folder.path());
    let told: serde_json::Value = serde_json::from_slice(&told.stdout).expect("it is JSON");
    for (list, name) in [("kinds", "file"), ("functions", "strings.to_lower")] {
        let rows = told[list].as_array().expect("a list");
        let row = rows.iter().find(|row| row["name"] == name).expect("it is listed");
        assert!(row["doc"].as_str().is_some_and(|doc| !doc.is_empty()), "{row}");
    }
}

/// Which kinds have an implementation is read from the kinds themselves, so each list agrees with it.
#[test]
fn kinds_without_an_implementation_are_marked_wherever_they_are_listed() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let listed = execute(&words("doc"), None, folder.path());
    let (listed, counted) = (String::from_utf8_lossy(&listed.stdout), String::from_utf8_lossy(&listed.stderr));
    let json = execute(&words("doc --format json"), None, folder.path());
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).expect("it is JSON");
    let mut missing = 0;
    for schema in doc::kinds() {
        let start = format!("  {} ", schema.kind);
        let row = listed.lines().find(|line| line.starts_with(&start)).expect("every kind is listed");
        assert_eq!(row.ends_with("(no implementation here)"), !schema.is_implemented(), "{row}");
        let row = json["kinds"].as_array().into_iter().flatten().find(|row| row["name"] == schema.kind);
        assert_eq!(row.expect("every kind is listed")["implemented"], schema.is_implemented(), "{}", schema.kind);
        assert_eq!(schema.about().starts_with("No implementation here"), !schema.is_implemented(), "{}", schema.kind);
        missing += usize::from(!schema.is_implemented());
    }
    assert!(missing > 0 && counted.contains(&format!("{missing} of them without an implementation here")), "{counted}");
}

#[test]
fn manual_pages_and_completions_are_written() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let work = folder.path().join("work");
    std::fs::create_dir(&work).expect("the temporary folder can be written");
    assert_eq!(execute(&words("man pages"), None, &work).status.code(), Some(0));
    assert!(work.join("pages/workbench-check.1").exists());
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let printed = execute(&words(&format!("completions {shell}")), None, &work);
        assert!(String::from_utf8_lossy(&printed.stdout).contains("WORKBENCH_COMPLETE"), "{shell}");
    }
    let printed = execute(&words("completions nu"), None, &work);
    assert!(String::from_utf8_lossy(&printed.stdout).contains("workbench preview"));
    assert!(!Path::new("pages").exists(), "nothing is written elsewhere");
}

/// What a shell is offered as the last word of a line.
fn offered(line: &str, work: &Path, state: &Path) -> Vec<String> {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_workbench"));
    command.current_dir(work).env("WORKBENCH_COMPLETE", "fish").env("WORKBENCH_STATE", state);
    command.args(["--", "workbench"]).args(line.split(' '));
    let output = command.output().expect("the program starts");
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    String::from_utf8(output.stdout).expect("is UTF-8").lines().map(String::from).collect()
}

#[test]
fn completions_offer_existing_names() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let (work, state) = (folder.path().join("work"), folder.path().join("state"));
    std::fs::create_dir(&work).expect("the temporary folder can be written");
    let code = format!("file \"{}/made\" {{ state => \"exists\", }}\n", work.display());
    std::fs::write(work.join("entry.mcl"), code).expect("the temporary folder can be written");
    let offered = |line: &str| offered(line, &work, &state);
    let numbers = offered("deploy undo ").into_iter().filter(|line| line.starts_with(|c: char| c.is_ascii_digit()));
    assert_eq!(numbers.count(), 0, "no deploys yet");
    assert!(!state.exists(), "a question writes nothing");
    let applied = words(&format!("apply --yes -q --state-dir {} entry.mcl", state.display()));
    assert_eq!(execute(&applied, None, &work).status.code(), Some(0));
    let has = |line: &str, wanted: &str| {
        let lines = offered(line);
        assert!(lines.iter().any(|line| line.split('\t').next() == Some(wanted)), "{line}: {lines:?}");
    };
    has("prev", "preview");
    has("preview --det", "--detailed-exitcode");
    has("preview ent", "entry.mcl");
    has("--theme ni", "night");
    has("deploy undo ", "1");
    has("deploy show ", "1");
    has("log --resource file", &format!("file[{}/made]", work.display()));
    has("doc fi", "file");
    has("doc strings.to_l", "strings.to_lower");
    has("config explain limits.", "limits.time");
    has("preview --only ki", "kind:");
    has("preview --only kind:fi", "kind:file");
    let told = offered("deploy undo ").join("\n");
    assert!(told.contains("apply ") && told.contains("/work/entry.mcl"), "a number says what it was: {told}");
}

#[test]
fn the_log_lists_changes_and_failures() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let work = folder.path().join("work");
    std::fs::create_dir(&work).expect("the temporary folder can be written");
    let code = format!(
        "file \"{0}/made\" {{ state => \"exists\", content => \"x\", }}\nfile \"{0}/none/made\" {{ state => \"exists\", }}\n",
        work.display()
    );
    std::fs::write(work.join("entry.mcl"), code).expect("the temporary folder can be written");
    let said = |line: &str| {
        let output = execute(&words(line), None, &work);
        (output.status.code(), String::from_utf8(output.stdout).expect("is UTF-8"))
    };
    let (exit, quiet) = said("apply --yes -q --state-dir state entry.mcl");
    assert_eq!(exit, Some(4));
    assert!(!quiet.contains("created") && quiet.contains("failed: "), "quiet tells failures only: {quiet}");
    let (exit, all) = said("log --state-dir state");
    assert_eq!((exit, all.lines().count()), (Some(0), 2), "{all}");
    let (_, failed) = said("log --failed --since 1h --format json --state-dir state");
    let failed: serde_json::Value = serde_json::from_str(&failed).expect("is one JSON object");
    assert_eq!((failed["deploy"].as_u64(), failed["state"].as_str()), (Some(1), Some("failed")));
    assert_eq!(said("log --resource /made --since 9999-01-01 --state-dir state").1, "");
    assert_eq!(said("log --since yesterday --state-dir state").0, Some(64));
}

/// What a failed command wrote to both its outputs is told once, in order: as it fails, in the history, and in the log.
#[test]
fn the_output_of_a_failed_command_is_stored() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let work = folder.path().join("work");
    std::fs::create_dir(&work).expect("the temporary folder can be written");
    let code = r#"
exec "talks" {
	cmd => "echo out; for i in 1 2 3; do echo \"line $i\" >&2; done; printf 'a\\033[2Jb\\n' >&2; echo 'last words' >&2; exit 7",
	shell => "/bin/sh",
}
exec "talks much" {
	cmd => "seq 1001 1520; exit 1",
	shell => "/bin/sh",
}
exec "is brief" {
	cmd => "echo no >&2; exit 1",
	shell => "/bin/sh",
}
"#;
    std::fs::write(work.join("entry.mcl"), code).expect("the temporary folder can be written");
    let said = |line: &str| {
        let output = execute(&words(line), None, &work);
        String::from_utf8(output.stdout).expect("is UTF-8")
    };
    let tail = "\n    out\n    line 1\n    line 2\n    line 3\n    a\\x1b[2Jb\n    last words\n";
    for line in
        ["apply --yes --state-dir state entry.mcl", "log --failed --state-dir state", "deploy show 1 --state-dir state"]
    {
        let told = said(line);
        assert!(told.contains("code 1: no"), "{line}: {told}");
        assert!(told.contains(tail), "{line}: {told}");
        assert!(told.contains("\n    (20 more before)\n    1021\n"), "{line}: {told}");
        for once in ["last words", "line 1", "1021", "1520"] {
            assert_eq!(told.matches(&format!("    {once}\n")).count(), 1, "{once}: {line}: {told}");
        }
    }
    let shown = said("deploy show 1 --state-dir state");
    // One line alone says no more than the row.
    assert!(shown.contains("code 1: no\n    cmd: "), "{shown}");
    assert!(!shown.contains("1020"), "{shown}");
    let told = said("log --failed --format json --state-dir state");
    assert!(told.lines().any(|line| line.contains(r"code 7\nout\nline 1\nline 2\nline 3")), "{told}");
}

#[test]
fn formatting_preserves_the_kind_of_a_file() {
    use std::fs;
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let work = folder.path().join("work");
    fs::create_dir(&work).expect("the temporary folder can be written");
    let lay = |name: &str, mode: u32| {
        let path = work.join(name);
        fs::write(&path, "$a=1\n").expect("the temporary folder can be written");
        fs::set_permissions(&path, PermissionsExt::from_mode(mode)).expect("is ours");
        path
    };
    let text = |path: &Path| fs::read_to_string(path).expect("it can be read");
    let fmt = |name: &str| execute(&words(&format!("fmt {name}")), None, &work);

    let read_only = lay("read-only.mcl", 0o444);
    let refused = fmt("read-only.mcl");
    assert_eq!((refused.status.code(), &*text(&read_only)), (Some(1), "$a=1\n"));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("it is read-only"));

    let named_twice = lay("one.mcl", 0o640);
    fs::hard_link(&named_twice, work.join("two.mcl")).expect("is ours");
    assert_eq!(fmt("one.mcl").status.code(), Some(0));
    assert_eq!((&*text(&work.join("two.mcl")), fs::metadata(&named_twice).expect("is there").nlink()), ("$a = 1\n", 2));

    let foreign = lay("foreign.mcl", 0o640);
    // Only root can give a file away.
    let is_given = std::os::unix::fs::chown(&foreign, Some(1234), Some(1234)).is_ok();
    assert_eq!(fmt("foreign.mcl").status.code(), Some(0));
    let about = fs::metadata(&foreign).expect("is there");
    assert_eq!((about.mode() & 0o777, &*text(&foreign)), (0o640, "$a = 1\n"));
    assert!(!is_given || (about.uid(), about.gid()) == (1234, 1234));

    let linked = lay("linked.mcl", 0o600);
    std::os::unix::fs::symlink("linked.mcl", work.join("link.mcl")).expect("the folder is ours");
    assert_eq!(fmt("link.mcl").status.code(), Some(0));
    assert!(fs::symlink_metadata(work.join("link.mcl")).expect("is there").is_symlink());
    assert_eq!(text(&linked), "$a = 1\n");
}

#[test]
fn files_without_text_are_refused_unchanged() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let work = folder.path().join("work");
    std::fs::create_dir(&work).expect("the temporary folder can be written");
    for line in ["fmt -", "fmt --check -", "fmt --migrate -", "eval -", "graph -", "parse -"] {
        let output = execute(&words(line), Some(b"\"\xe4\"\n"), &work);
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), output.stdout.is_empty()), (Some(1), true), "{line}\n{told}");
        assert!(told.contains("invalid-utf8") && told.contains("<stdin>:1:2"), "{line}\n{told}");
    }
}

#[test]
fn bash_completes_words_that_it_parts_itself() {
    let has_bash =
        std::process::Command::new("bash").arg("--version").output().is_ok_and(|output| output.status.success());
    if !has_bash {
        skip("bash", "bash is not installed");
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let script = folder.path().join("completions");
    let printed = execute(&words("completions bash"), None, folder.path());
    let binary = Path::new(env!("CARGO_BIN_EXE_workbench")).parent().expect("it lies in a folder");
    let mut text = String::from_utf8(printed.stdout).expect("is UTF-8");
    text = format!("PATH={}:$PATH\nPS1='ready> '\ncd {}\n{text}", binary.display(), folder.path().display());
    std::fs::write(&script, text).expect("the temporary folder can be written");
    std::fs::write(folder.path().join("entry.mcl"), "").expect("the temporary folder can be written");
    let script = script.display().to_string();
    let mut bash = Terminal::start(&["bash", "--noprofile", "--rcfile", &script, "-i"], 100, 30);
    bash.until_shows("ready> ");
    let mut becomes = |typed: &str, line: &str| {
        bash.press(&format!("{typed}\t"));
        let line = format!("ready> {line}");
        bash.until(&line, |bash| {
            let screen = bash.screen();
            let (row, _) = screen.screen().cursor_position();
            // The cursor tells whether a space follows.
            let at = screen.screen().cursor_position().1;
            let shown = screen.screen().rows(0, at).nth(usize::from(row)).unwrap_or_default();
            format!("{shown:<width$}", width = usize::from(at)) == line
        });
        // Nothing of it is run.
        bash.press("\u{15}");
        bash.until("an empty line", |bash| bash.screen().screen().cursor_position().1 == 7);
    };
    becomes("workbench prev", "workbench preview ");
    becomes("workbench doc http:server:pro", "workbench doc http:server:proxy ");
    becomes("workbench preview --only kind:fil", "workbench preview --only kind:file ");
    becomes("workbench preview --only=kind:fil", "workbench preview --only=kind:file ");
    becomes("workbench preview --only ki", "workbench preview --only kind:");
    becomes("workbench --theme=hi", "workbench --theme=high-contrast ");
    becomes("workbench --theme night prev", "workbench --theme night preview ");
    becomes("workbench preview ent", "workbench preview entry.mcl ");
    becomes("X=1 workbench doc http:cl", "X=1 workbench doc http:client ");
}

/// What `--format json` would tell is in the file, and people are told what they are always told.
#[test]
fn an_apply_reports_to_the_terminal_and_a_file() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let work = folder.path().join("work");
    std::fs::create_dir(&work).expect("the temporary folder can be written");
    std::fs::write(work.join("main.mcl"), "print \"x\" {\n\tmsg => \"hello\",\n}\nprint \"y\" {}\n").expect("written");
    let events = |text: &str| {
        let object = |line: &str| serde_json::from_str::<serde_json::Value>(line).expect("an object a line");
        let known = |mut object: serde_json::Value| {
            object.as_object_mut().expect("an object").remove("time");
            object.to_string()
        };
        let mut all: Vec<String> = text.lines().map(|line| known(object(line))).collect();
        // Two that need nothing of each other come in any order.
        all.sort();
        all
    };
    let told = execute(&words("apply --yes --json-into told.jsonl main.mcl"), None, &work);
    assert_eq!(told.status.code(), Some(0), "{}", String::from_utf8_lossy(&told.stderr));
    assert!(String::from_utf8_lossy(&told.stdout).contains("hello"), "{}", String::from_utf8_lossy(&told.stdout));
    let file = std::fs::read_to_string(work.join("told.jsonl")).expect("it is written");
    let json = execute(&words("apply --yes --format json main.mcl"), None, &work);
    assert_eq!(events(&file), events(&String::from_utf8_lossy(&json.stdout)));
    assert!(file.lines().last().is_some_and(|line| line.contains("\"event\":\"summary\"")), "{file}");
    let refused = execute(&words("apply --yes --json-into none/told.jsonl main.mcl"), None, &work);
    assert_eq!(refused.status.code(), Some(1));
}
