//! Programs that want all memory or all time: each ends with a diagnostic that has a place and a way out.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Far more than any of them takes, far less than the ends of time that they are after.
const PATIENCE: Duration = Duration::from_secs(30);

/// A first value, and one that is made of two of the value before, again and again.
fn doubled(first: &str, next: &str, times: usize) -> String {
    let step = |at: usize| format!("$x{at} = {}\n", next.replace("LAST", &format!("$x{}", at - 1)));
    format!("$x0 = {first}\n") + &(1..times).map(step).collect::<String>()
}

/// What standard error says of a program, when it ends in time and is refused.
fn refused(name: &str, program: &str, command: &[&str]) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let written = |name: &str, text: &str| std::fs::write(folder.path().join(name), text);
    written("main.mcl", program).expect("the temporary folder can be written");
    let said =
        |name: &str| std::fs::File::create(folder.path().join(name)).expect("the temporary folder can be written");
    let mut child = Command::new(env!("CARGO_BIN_EXE_workbench"))
        .args(command)
        .arg("main.mcl")
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .stdout(said("out"))
        .stderr(said("err"))
        .spawn()
        .expect("the binary starts");
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("the child can be waited for") {
            break status;
        }
        if begun.elapsed() > PATIENCE {
            child.kill().expect("the child can be killed");
            panic!("{name}: {command:?} does not end");
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let read = |path: &Path| std::fs::read_to_string(path).expect("what was said is UTF-8");
    let told = read(&folder.path().join("err"));
    assert_eq!(status.code(), Some(1), "{name}: {told}");
    assert_eq!(read(&folder.path().join("out")), "", "{name}: no part of a graph is shown");
    told
}

#[test]
fn what_wants_too_much_is_refused() {
    let lists = |next: &str, last: &str| doubled("[1]", next, 40) + last;
    let use_it = "print \"a\" {\n\tmsg => if len($x39) > 1 { \"a\" } else { \"b\" },\n}\n";
    let nested = "import \"iter\"\n$r = iter.range(2000)\n\
        for $i, $a in $r {\n for $j, $b in $r {\n  for $k, $c in $r {\n   BODY\n  }\n }\n}\n";
    let text = "import \"strings\"\nimport \"iter\"\n$t = strings.left_pad(\"\", \"a\", 10000000)\n\
        $l = iter.map(iter.range(100000), func($x) { CALL })\nprint \"a\" {\n\tmsg => if contains(true, $l) { \"a\" } else { \"b\" },\n}\n";
    let programs = [
        ("empty loops", nested.replace("BODY", "")),
        ("loops", nested.replace("BODY", "noop \"a\" {}")),
        ("lists joined", "import \"list\"\n".to_owned() + &lists("list.concat(LAST, LAST)", use_it)),
        ("texts joined", doubled("\"x\"", "LAST + LAST", 60) + "print [$x59] {}\n"),
        ("shared lists in a graph", lists("[LAST, LAST]", "value \"a\" {\n\tany => $x39,\n}\n")),
        ("long texts searched", text.replace("CALL", "strings.contains($t, \"b\")")),
        ("long texts compared", text.replace("CALL", "$t == strings.left_pad(\"b\", \"a\", 10000000)")),
        ("many names", "import \"iter\"\nprint iter.map(iter.range(1500000), func($x) { \"a\" }) {}\n".to_owned()),
        ("a long range", "import \"iter\"\nprint \"a\" {\n\tmsg => if len(iter.range(9223372036854775807)) > 1 { \"a\" } else { \"b\" },\n}\n".to_owned()),
    ];
    for (name, program) in programs {
        for command in [&["graph", "--format", "json"][..], &["preview"]] {
            let told = refused(name, &program, command);
            let coded = told.contains("error[evaluation-limit]") || told.contains("error[function-failed]");
            assert!(coded && told.contains("--> main.mcl:"), "{name}: {told}");
            assert!(!told.contains("internal-error"), "{name}: {told}");
        }
    }
}

#[test]
fn deep_or_repeated_faults_are_refused() {
    let programs = [
        ("nested-too-deep", "$x = ".to_owned() + &"[".repeat(100_000)),
        ("nested-too-deep", "if true {\n".repeat(10_000)),
        ("unexpected-token", ")\n".repeat(100_000)),
        ("unknown-variable", (0..20_000).map(|at| format!("print \"p{at}\" {{\n\tmsg => $n{at},\n}}\n")).collect()),
        ("type-mismatch", (0..20_000).map(|at| format!("print \"p{at}\" {{\n\tmsg => {at},\n}}\n")).collect()),
    ];
    for (code, program) in programs {
        let told = refused(code, &program, &["check"]);
        assert!(told.contains(&format!("error[{code}]")) && told.contains("--> main.mcl:"), "{code}");
        assert!(told.len() < 100_000, "{code}: {} bytes", told.len());
    }
}
