//! What wakes a resource while a run watches, and what its meta parameters make of that: real files and processes.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::running::Running;

fn lines(run: &Running, name: &str) -> usize {
    run.text(name).lines().count()
}

/// A resource that counts its turns in a file, and asks nothing before.
fn counts(name: &str, more: &str) -> String {
    format!("exec \"{name}\" {{ cmd => \"echo x >> DIR/{name}\", shell => \"/bin/sh\", {more} }}\n")
}

#[test]
fn polling_takes_the_place_of_watching() {
    let guarded = |name: &str, more: &str| {
        format!(
            "exec \"{name}\" {{ cmd => \"echo x >> DIR/{name}.count; echo > DIR/{name}.done\", shell => \"/bin/sh\",\n\
             nifcmd => \"test -e DIR/{name}.done\", nifshell => \"/bin/sh\", {more} }}\n"
        )
    };
    let program =
        guarded("polled", "Meta:poll => 1,") + &guarded("once", "Meta:poll => -1, creates => \"DIR/once.done\",");
    let run = Running::start(&[("main.mcl", &program)]);
    run.tells("watching");
    for name in ["polled", "once"] {
        fs::remove_file(run.path(&format!("{name}.done"))).expect("it was made");
    }
    run.until("what is polled runs again", || lines(&run, "polled.count") == 2);
    fs::remove_file(run.path("polled.done")).expect("it was made");
    run.until("and again", || lines(&run, "polled.count") == 3);
    assert_eq!(lines(&run, "once.count"), 1, "looked at once, whatever happens to what it makes");
}

/// However often it is tried, the history tells of one failure and how often it came back, and of its end.
#[test]
fn a_failure_that_is_tried_for_ever_is_one_line() {
    let fails = "echo x >> DIR/tries; echo \"no answer at $(date +%N)\" >&2; test -e DIR/up";
    let program = format!(
        "exec \"call\" {{ cmd => \"{}\", shell => \"/bin/sh\", Meta:retry => -1, Meta:delay => 5, }}\n",
        fails.replace('"', "\\\"").replace('$', "\\$")
    );
    let mut run = Running::start(&[("main.mcl", &program)]);
    run.until("it is tried again and again", || lines(&run, "tries") >= 20);
    run.end();
    let list = |run: &Running| {
        let output =
            Running::command(run.path("").as_path(), &["deploy", "list", "--verify"]).output().expect("starts");
        let text = [&output.stdout[..], &output.stderr[..]].concat();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&text));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let tries = lines(&run, "tries");
    let told = list(&run);
    assert_eq!(told.lines().count(), 1, "{told}");
    // The last try may have been cut short.
    let counted = [tries - 2, tries - 1].iter().any(|more| told.contains(&format!("the same {more} times more")));
    assert!(counted, "{tries}: {told}");
    fs::write(run.path("up"), "").expect("the folder is ours");
    run.again();
    run.tells("watching");
    run.end();
    let told = list(&run);
    assert_eq!(told.lines().count(), 2, "{told}");
    assert!(told.lines().next().is_some_and(|newest| newest.contains("1 change")), "{told}");
}

/// What somebody else overwrites while it is being mended was not mended, and is no success.
#[test]
fn what_does_not_last_is_a_failure() {
    let program = "file \"DIR/f\" { state => \"exists\", content => \"right\", }\n";
    let run = Running::start(&[("main.mcl", program)]);
    run.tells("watching");
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                run.write("f", "wrong");
            }
        });
        // However this ends, the other has to end too.
        let _over = Over(&is_over);
        // The other comes after what was done, or in the middle of it.
        let ends = ["applied, but still differs in content", "was changed by another program at the same time"];
        run.until("it is told", || ends.iter().any(|end| run.text("told").contains(end)));
    });
    run.holds("f", "right");
}

struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn a_bucket_of_tokens_holds_events_up() {
    let file = |name: &str, more: &str| {
        format!("file \"DIR/{name}\" {{ state => \"exists\", content => \"right\", {more} }}\n")
    };
    // The first turn takes a token too.
    let program = file("free", "") + &file("slow", "Meta:limit => 0.0001, Meta:burst => 2,");
    let run = Running::start(&[("main.mcl", &program)]);
    run.tells("watching");
    run.write("slow", "wrong");
    run.holds("slow", "right");
    // What comes while it is still at it is no event to wait for.
    run.until("its turn to end", || run.text("told").matches("Applied").count() == 2);
    run.write("slow", "wrong again");
    run.write("free", "wrong");
    run.holds("free", "right");
    // Once more through the events, and nothing came of the other one.
    run.write("free", "wrong again");
    run.holds("free", "right");
    assert_eq!(run.text("slow"), "wrong again", "it has to wait for hours");
}

#[test]
fn a_command_receives_files_and_another_commands_output() {
    let folder = tempfile::tempdir().expect("a folder");
    let pipe = folder.path().join("pipe");
    mknodat(CWD, &pipe, FileType::Fifo, Mode::RWXU, 0).expect("a pipe can be made");
    let watch = format!("exec 3<>{0}; while read line <&3; do echo \\$line; done", pipe.display());
    let program = counts("files", "watchfiles => [\"DIR/seen\", \"DIR/tree/\"],")
        + &counts("lines", &format!("watchcmd => \"{watch}\", watchshell => \"/bin/sh\","))
        + &counts("neither", "")
        + &counts("newer", "mtimes => [\"DIR/seen\"], ifcmd => \"/bin/false\",");
    let run = Running::start(&[("main.mcl", &program), ("seen", "1")]);
    run.tells("watching");
    run.write("seen", "2");
    run.until("the change of a file is heard of", || lines(&run, "files") >= 2);
    run.until("what is newer makes it run whatever guards say", || lines(&run, "newer") >= 2);
    let before = lines(&run, "files");
    fs::create_dir_all(run.path("tree/below")).expect("the folder is ours");
    run.until("a new folder is heard of", || lines(&run, "files") > before);
    let before = lines(&run, "files");
    fs::write(run.path("tree/below/leaf"), "x").expect("the folder is ours");
    run.until("and what comes in it", || lines(&run, "files") > before);

    assert_eq!(lines(&run, "lines"), 1);
    let mut pipe = fs::File::options().write(true).read(true).open(&pipe).expect("it is there");
    for count in 2..4 {
        pipe.write_all(b"now\n").expect("somebody reads");
        run.until("each line is an event", || lines(&run, "lines") == count);
    }
    assert_eq!(lines(&run, "neither"), 1, "what nothing happened to is left alone");
}

#[test]
fn a_command_that_watches_and_ends_is_started_again_while_there_are_tries() {
    let program = counts(
        "watched",
        "watchcmd => \"echo start >> DIR/starts\", watchshell => \"/bin/sh\", Meta:retry => 2, Meta:delay => 10,",
    );
    let run = Running::start(&[("main.mcl", &program)]);
    run.tells("no longer watched");
    assert_eq!(lines(&run, "starts"), 3);
}

#[test]
fn a_timer_refreshes_only_its_targets() {
    let program = format!(
        "timer \"tick\" {{ interval => 1, Notify => Exec[\"ticked\"], Before => Exec[\"after\"], }}\n{}{}",
        counts("ticked", ""),
        counts("after", "")
    );
    let run = Running::start(&[("main.mcl", &program)]);
    run.until("it ticks", || lines(&run, "ticked") >= 3);
    assert_eq!(lines(&run, "after"), 1);
}

#[test]
fn retries_end_and_the_next_graph_resets_them_on_request() {
    fn program(version: u32) -> String {
        let fails = |name: &str, more: &str| {
            format!(
                "exec \"{name}\" {{ cmd => \"echo x >> DIR/{name}; test -e DIR/may\", shell => \"/bin/sh\",\n\
                 watchfiles => [\"DIR/may\"], Meta:retry => 1, Meta:delay => 10, {more} }}\n"
            )
        };
        fails("dead", "Before => File[\"DIR/behind\"],")
            + &fails("revived", "Meta:rewatch => true,")
            + "file \"DIR/behind\" { state => \"exists\", content => \"x\", }\n"
            + &format!("file \"DIR/version\" {{ state => \"exists\", content => \"{version}\", }}\n")
    }
    let run = Running::start(&[("main.mcl", &program(1))]);
    run.until("both used up their tries", || run.text("told").matches("no more retries until").count() == 2);
    assert_eq!((lines(&run, "dead"), lines(&run, "revived")), (2, 2));
    run.write("may", "");
    run.write("main.mcl", &program(2));
    run.holds("version", "2");
    run.until("the next graph revives one", || lines(&run, "revived") >= 3);
    assert_eq!(lines(&run, "dead"), 2);
    assert!(!run.path("behind").exists(), "what needs it never came to its turn");
}

#[test]
fn pending_retries_block_no_other_resource() {
    let program = "exec \"later\" { cmd => \"test -e DIR/may\", shell => \"/bin/sh\", Meta:retry => -1, Meta:delay => 20,\n\
                   Before => File[\"DIR/behind\"], }\n\
                   file \"DIR/behind\" { state => \"exists\", content => \"x\", }\n\
                   file \"DIR/free\" { state => \"exists\", content => \"right\", }\n";
    let run = Running::start(&[("main.mcl", program)]);
    run.tells("watching");
    run.write("free", "wrong");
    run.holds("free", "right");
    assert!(!run.path("behind").exists());
    run.write("may", "");
    run.holds("behind", "x");
}

#[test]
fn a_received_value_is_kept_when_only_its_receiver_is_mended() {
    let program = "exec \"gives\" { cmd => \"echo x >> DIR/gives; echo word\", shell => \"/bin/sh\", }\n\
                   file \"DIR/takes\" { state => \"exists\", mode => \"0600\", Notify => Exec[\"heard\"], }\n\
                   Exec[\"gives\"].stdout -> File[\"DIR/takes\"].content\n"
        .to_owned()
        + &counts("heard", "");
    let run = Running::start(&[("main.mcl", &program)]);
    run.tells("watching");
    run.write("takes", "wrong");
    run.holds("takes", "word\n");
    run.until("what listens to it has its turn", || lines(&run, "heard") >= 2);
    fs::set_permissions(run.path("takes"), fs::Permissions::from_mode(0o644)).expect("it is ours");
    run.until("its mode is mended too", || {
        fs::metadata(run.path("takes")).is_ok_and(|about| about.permissions().mode() & 0o777 == 0o600)
    });
    assert_eq!(lines(&run, "gives"), 1, "who sends is not asked again");
}

#[test]
fn a_source_and_a_tree_are_watched_too() {
    let program = "file \"DIR/copy/\" { state => \"exists\", source => \"DIR/tree/\", recurse => true, }\n\
                   file \"DIR/joined\" { state => \"exists\", fragments => [\"DIR/one\", \"DIR/two\"], }\n";
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir_all(folder.path().join("a/b")).expect("the folder is ours");
    let program = program.replace("DIR/tree", &folder.path().display().to_string());
    let run = Running::start(&[("main.mcl", &program), ("one", "1"), ("two", "2")]);
    run.tells("watching");
    run.holds("joined", "12");
    fs::write(folder.path().join("a/b/leaf"), "x").expect("the folder is ours");
    run.holds("copy/a/b/leaf", "x");
    fs::write(run.path("copy/a/b/leaf"), "changed").expect("the folder is ours");
    run.holds("copy/a/b/leaf", "x");
    run.write("two", "3");
    run.holds("joined", "13");
}

#[test]
fn removed_resources_are_undone_by_a_later_run() {
    let program = "file \"DIR/changed\" { state => \"exists\", content => \"ours\", mode => \"0600\", Meta:reverse => true, }\n\
                   file \"DIR/made\" { state => \"exists\", content => \"ours\", Meta:reverse => true, }\n\
                   file \"DIR/gone\" { state => \"absent\", Meta:reverse => true, }\n\
                   file \"DIR/stays\" { state => \"exists\", content => \"ours\", }\n";
    let files = [("main.mcl", program), ("changed", "theirs"), ("gone", "theirs")];
    let mut run = Running::start(&files);
    run.tells("watching");
    let is_ours =
        |run: &Running| run.text("changed") == "ours" && run.text("made") == "ours" && !run.path("gone").exists();
    assert!(is_ours(&run), "{}", run.text("told"));
    let mode = |run: &Running| fs::metadata(run.path("changed")).expect("it is there").permissions().mode() & 0o777;
    assert_eq!(mode(&run), 0o600);
    // A run that finds all as described keeps what was there before the first one.
    run.end();
    run.again();
    run.tells("watching");
    assert!(is_ours(&run), "{}", run.text("told"));

    let rest = "file \"DIR/made\" { state => \"exists\", content => \"ours\", Meta:reverse => true, }\n";
    run.write("main.mcl", rest);
    run.holds("changed", "theirs");
    run.holds("gone", "theirs");
    assert_eq!((mode(&run), run.text("made")), (0o644, "ours".to_owned()));
    assert_eq!(run.text("stays"), "ours", "it did not ask for that");
    // Once is enough: who changes it now is let be.
    run.tells("Applied: 2 changed");
    run.write("changed", "anybody's");
    run.end();
    run.write("main.mcl", "");
    run.again();
    run.until("a later run takes back what is left", || !run.path("made").exists());
    assert_eq!(run.text("changed"), "anybody's");
    run.until("what was done is forgotten", || {
        let kept = fs::read_dir(run.path("state/reversals")).expect("it was made").flatten();
        kept.map(|program| fs::read_dir(program.path()).expect("a folder").count()).sum::<usize>() == 0
    });
}

#[test]
fn an_apply_undoes_removed_resources_of_an_earlier_apply() {
    let run = Running::start(&[("main.mcl", ""), ("one.mcl", ONE), ("two.mcl", "")]);
    let apply = |entry: &str| {
        let mut command = Running::command(&run.path(""), &["apply", "--yes", entry]);
        let output = command.env("WORKBENCH_STATE", run.path("other")).output().expect("the program starts");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    fn one(run: &Running) -> bool {
        run.path("made").exists()
    }
    apply("one.mcl");
    assert!(one(&run));
    apply("two.mcl");
    assert!(one(&run), "another program has nothing to do with it");
    run.write("one.mcl", "noop \"x\" {}\n");
    let told = apply("one.mcl");
    assert!(!one(&run), "{told}");
}

const ONE: &str = "file \"DIR/made\" { state => \"exists\", content => \"x\", Meta:reverse => true, }\n";

#[test]
fn an_exit_ends_the_run_with_its_code_when_all_else_is_done() {
    let program = "import \"os\"\n\
                   if os.readfile(\"DIR/input\") == \"end\" {\n\
                   exit \"now\" { code => 42, }\n\
                   }\n\
                   file \"DIR/last\" { state => \"exists\", content => os.readfile(\"DIR/input\"), }\n";
    let mut run = Running::start(&[("main.mcl", program), ("input", "go on")]);
    run.tells("watching");
    run.write("input", "end");
    assert_eq!(run.ends(), Some(42), "{}", run.text("told"));
    assert_eq!(run.text("last"), "end");
}
