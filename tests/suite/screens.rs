//! What goes on around the screens: settings that change meanwhile, what a panic leaves, and pictures of what has settled.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::terminal::{PROGRAM, Terminal};

const TWO: &str = "file \"/srv/one\" {\n\tstate => \"exists\",\n}\nfile \"/srv/two\" {\n\tstate => \"exists\",\n}\n";

/// As editors do: a new file in the place of the old.
fn save(path: &Path, text: &str) {
    let new = path.with_extension("new");
    fs::write(&new, text).expect("a file");
    fs::rename(&new, path).expect("a file");
}

fn at(folder: &Path, before: &str, words: &str) -> String {
    let folder = folder.display();
    format!("cd {folder} && {before} exec {PROGRAM} --config {folder}/config.toml --state-dir {folder}/state {words}")
}

/// Processor time of a process, in clock ticks.
fn ticks(id: u32) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    let fields: Vec<u64> =
        stat.rsplit(')').next().unwrap_or_default().split(' ').filter_map(|word| word.parse().ok()).collect();
    fields.get(10..12).map_or(0, |times| times.iter().sum())
}

/// Voluntary switches of all threads: how often something woke up.
fn wakes(id: u32) -> u64 {
    let tasks = fs::read_dir(format!("/proc/{id}/task")).expect("it runs").flatten();
    let status = tasks.map(|task| fs::read_to_string(task.path().join("status")).unwrap_or_default());
    let count = |status: String| {
        let line = status.lines().find(|line| line.starts_with("voluntary_ctxt_switches"))?.to_owned();
        line.split_whitespace().nth(1)?.parse::<u64>().ok()
    };
    status.filter_map(count).sum()
}

/// Waits for all to settle, then sees that nothing wakes up for a while.
pub fn sleeps(terminal: &Terminal) {
    let id = terminal.child.process_id().expect("it runs");
    let (begin, quiet) = (Instant::now(), Duration::from_millis(1500));
    loop {
        let (woke, took) = (wakes(id), ticks(id));
        std::thread::sleep(quiet);
        if (wakes(id), ticks(id)) == (woke, took) {
            return;
        }
        assert!(begin.elapsed() < Duration::from_secs(20), "it never sleeps: {woke} then {}", wakes(id));
    }
}

/// The row of a folded class is that of its begin, which is no resource.
#[test]
fn the_class_around_a_folded_class_folds() {
    const NESTED: &str = "class outer {\n  file { '/nowhere/o': }\n  contain inner\n}\n\
                          class inner {\n  file { ['/nowhere/a', '/nowhere/b']: }\n}\ninclude outer\n";
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("config.toml"), "").expect("a file");
    fs::write(folder.path().join("site.pp"), NESTED).expect("a file");
    let command = at(folder.path(), "", "site.pp");
    let mut terminal = Terminal::start(&["sh", "-c", &command], 120, 24);
    terminal.press("3");
    terminal.until_shows("class inner  +2 folded");
    terminal.press("jj");
    terminal.press("h");
    terminal.until_shows("class outer  +3 folded");
    assert_eq!(terminal.quits(), 0);
}

#[test]
fn settings_hold_as_soon_as_they_are_saved_and_their_faults_leave_the_ones_before() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = folder.path().join("config.toml");
    fs::write(folder.path().join("main.mcl"), TWO).expect("a file");
    fs::write(&config, "theme = \"night\"\n").expect("a file");
    let command = at(folder.path(), "", "main.mcl");
    let mut terminal = Terminal::start(&["sh", "-c", &command], 160, 30);
    terminal.press("2");
    terminal.until_shows("/srv/one");
    save(&config, "theme = \"night\"\nrelative-numbers = true\nmouse = false\n[keys]\n\"f6\" = \"log\"\n");
    terminal.until_shows("settings reloaded; after the next start: mouse");
    terminal.press("\u{1b}[17~");
    terminal.until_shows("[6 Log]");
    // Faults are told with their place; the keys before stay.
    save(&config, "theme = \"nigth\"\n[keys]\n\"f6\" = \"graph\"\n");
    terminal.until_shows("config.toml:1:9");
    terminal.until_shows("the last valid settings are in use");
    terminal.press("1");
    terminal.until_shows("[1 Plan]");
    terminal.press("\u{1b}[17~");
    terminal.until_shows("[6 Log]");
    terminal.press("1");
    terminal.until_shows("[1 Plan]");
    save(&config, "theme = \"day\"\n[keys]\n\"f6\" = \"graph\"\n");
    terminal.until_shows("settings reloaded");
    terminal.press("\u{1b}[17~");
    terminal.until_shows("[3 Graph]");
    // What a project says is heard of too, and may say less.
    save(&folder.path().join("workbench.toml"), "editor = \"evil\"\n");
    terminal.until_shows("workbench.toml:1:1");
    sleeps(&terminal);
    terminal.press("q");
    assert_eq!(terminal.ended(), 0);
}

#[test]
fn a_start_with_a_fault_goes_by_the_settings_as_they_last_had_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = folder.path().join("config.toml");
    fs::write(folder.path().join("main.mcl"), TWO).expect("a file");
    let command = at(folder.path(), "", "main.mcl");
    let started = || {
        let terminal = Terminal::start(&["sh", "-c", &command], 160, 30);
        terminal.until_shows("[1 Plan]");
        terminal
    };
    // There is nothing to go by yet: of one that is no TOML nothing holds, of another its other lines.
    fs::write(&config, "[keys]\n\"f6\" = \"log\n").expect("a file");
    let mut terminal = started();
    terminal.until_shows("config.toml:2:");
    terminal.until_shows("the defaults are in use: ");
    terminal.press("q");
    assert_eq!(terminal.ended(), 0);
    fs::write(&config, "mouse = 3\n[keys]\n\"f6\" = \"log\"\n").expect("a file");
    let mut terminal = started();
    terminal.until_shows("config.toml:1:9");
    terminal.until_shows("only the other lines of the file are in use: ");
    terminal.press("\u{1b}[17~");
    terminal.until_shows("[6 Log]");
    // Without a fault it is kept, as soon as it is read.
    save(&config, "[keys]\n\"f6\" = \"graph\"\n");
    terminal.until_shows("settings reloaded");
    terminal.press("q");
    assert_eq!(terminal.ended(), 0);
    fs::write(&config, "[keys]\n\"f6\" = \"grahp\"\n\"f7\" = \"log\"\n").expect("a file");
    let mut terminal = started();
    terminal.until_shows("config.toml:2:8");
    terminal.until_shows("your last valid settings are in use: ");
    terminal.press("\u{1b}[18~");
    terminal.press("\u{1b}[17~");
    terminal.until_shows("[3 Graph]");
    // While there is a fault, an old one too, nothing else of the file counts.
    save(&config, "relative-numbers = true\n[keys]\n\"f6\" = \"grahp\"\n\"f7\" = \"log\"\n");
    terminal.until_shows("config.toml:3:8");
    terminal.until_shows("the last valid settings are in use");
    terminal.press("1");
    terminal.until_shows("[1 Plan]");
    terminal.press("\u{1b}[17~");
    terminal.until_shows("[3 Graph]");
    save(&config, "[keys]\n\"f6\" = \"code\"\n");
    terminal.until_shows("settings reloaded");
    terminal.press("\u{1b}[17~");
    terminal.until_shows("[2 Code]");
    terminal.press("q");
    assert_eq!(terminal.ended(), 0);
}

#[test]
fn a_panic_loses_no_finished_state() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("main.mcl"), TWO).expect("a file");
    fs::write(folder.path().join("config.toml"), "").expect("a file");
    let before = "WORKBENCH_RESTORE= RUST_BACKTRACE=0";
    let command = at(folder.path(), &format!("{before} WORKBENCH_PANICS_ON=history"), "main.mcl");
    let mut terminal = Terminal::start(&["sh", "-c", &command], 120, 30);
    terminal.until_shows("Steps  0/2");
    terminal.press("jb/two\r");
    terminal.until_shows("/two");
    let kept = folder.path().join("state/screens");
    let is_kept = || {
        let files = fs::read_dir(&kept).into_iter().flatten().flatten();
        let texts = files.map(|file| fs::read_to_string(file.path()).unwrap_or_default());
        texts.into_iter().any(|text| text.contains("breakpoints") && text.contains("/srv/two"))
    };
    terminal.until("what is kept", |_| is_kept());
    sleeps(&terminal);
    terminal.press("5");
    assert_eq!(terminal.ended(), 101);
    let command = at(folder.path(), before, "main.mcl");
    let mut terminal = Terminal::start(&["sh", "-c", &command], 120, 30);
    terminal.until_shows("[1 Plan]");
    terminal.until_shows("● file[/srv/two]");
    terminal.press("c");
    terminal.until_shows("stopped at a breakpoint");
    terminal.press("q");
    assert_eq!(terminal.ended(), 0);
}

#[test]
fn a_picture_shows_the_screen_after_its_keys() {
    let folder = tempfile::tempdir().expect("a folder");
    let state = folder.path().join("state");
    for _ in 0..10 {
        let mut command = Command::new(PROGRAM);
        command.args(["--screenshot", "-", "--keys", "p c", "--size", "120x30", "--config", "/dev/null"]);
        let output = command.arg("--state-dir").arg(&state).arg("modules/mcl/demo").output().expect("it starts");
        let drawn = String::from_utf8_lossy(&output.stdout);
        assert!(drawn.contains("end of the dry run"), "{drawn}");
    }
    assert!(!state.join("operations").exists(), "a picture notes nothing");
    // It shows what was done with the folder for state that is named, and nothing else.
    let main = folder.path().join("main.mcl");
    fs::write(&main, "print \"hello\" {}\n").expect("a file");
    let mut apply = Command::new(PROGRAM);
    let applied = apply.args(["apply", "--yes", "--state-dir"]).args([&state, &main]).output().expect("it starts");
    assert!(applied.status.success(), "{}", String::from_utf8_lossy(&applied.stderr));
    for (state, shown) in [(state, "#1"), (folder.path().join("other"), "No deploys on this machine yet")] {
        let mut command = Command::new(PROGRAM);
        command.args(["--screenshot", "-", "--keys", "5", "--config", "/dev/null", "--state-dir"]).arg(&state);
        let output = command.arg(&main).output().expect("it starts");
        let drawn = String::from_utf8_lossy(&output.stdout);
        assert!(drawn.contains(shown), "{shown}: {drawn}");
    }
}

/// After a live run what somebody changes comes back as a dry step: it is shown, and left as it is.
#[test]
fn applied_resources_are_watched() {
    let folder = tempfile::tempdir().expect("a folder");
    let made = folder.path().join("made");
    let code = format!("file \"{}\" {{\n\tstate => \"exists\",\n\tcontent => \"ours\\n\",\n}}\n", made.display());
    fs::write(
        folder.path().join("main.mcl"),
        code + "exec \"other\" {\n\tcmd => \"true\",\n\tifcmd => \"false\",\n}\n",
    )
    .expect("a file");
    fs::write(folder.path().join("config.toml"), "").expect("a file");
    let mut terminal = Terminal::start(&["sh", "-c", &at(folder.path(), "", "main.mcl")], 160, 30);
    terminal.until_shows("Steps  0/2");
    terminal.goes_live(1);
    terminal.press("c");
    terminal.until_shows("Watching 1 of 2");
    terminal.until_shows(" DRY ");
    sleeps(&terminal);
    // What is right is left alone.
    fs::write(folder.path().join("beside"), "x").expect("a file");
    save(&made, "ours\n");
    save(&made, "theirs\n");
    terminal.until_shows("Drift: file[");
    terminal.until_shows("watching");
    terminal.until_shows("theirs");
    assert_eq!(fs::read_to_string(&made).expect("it is there"), "theirs\n", "nothing is applied by itself");
    sleeps(&terminal);
    fs::remove_file(&made).expect("it is there");
    terminal.until("a plan anew", |terminal| !terminal.shows("theirs"));
    terminal.until_shows("create 1");
    save(&made, "ours\n");
    terminal.until_shows("all drift is gone");
    assert!(terminal.shows(" DRY "));
    sleeps(&terminal);
    terminal.press("w");
    terminal.until_shows("watching is off");
    save(&made, "theirs\n");
    sleeps(&terminal);
    assert!(!terminal.shows("Drift:"));
    terminal.press("q");
    assert_eq!(terminal.ended(), 0);
    assert_eq!(fs::read_to_string(&made).expect("it is there"), "theirs\n");
}

/// The program reads a file: what that changes comes as steps, and what was put in place is watched on, and taken back.
#[test]
fn applied_resources_are_watched_and_undone_during_events() {
    let folder = tempfile::tempdir().expect("a folder");
    let [input, read, fixed] = ["input", "read", "fixed"].map(|name| folder.path().join(name));
    let file = |path: &Path, content: &str| {
        format!("file \"{}\" {{\n\tstate => \"exists\",\n\tcontent => {content},\n}}\n", path.display())
    };
    let code = file(&read, &format!("os.readfile(\"{}\")", input.display())) + &file(&fixed, "\"ours\\n\"");
    fs::write(folder.path().join("main.mcl"), format!("import \"os\"\n\n{code}")).expect("a file");
    fs::write(folder.path().join("config.toml"), "").expect("a file");
    save(&input, "one\n");
    let mut terminal = Terminal::start(&["sh", "-c", &at(folder.path(), "", "main.mcl")], 160, 30);
    terminal.until_shows("Steps  0/2");
    terminal.goes_live(1);
    terminal.press("c");
    terminal.until_shows("Watching 2 of 2");
    terminal.until_shows("Inputs are watched too");
    save(&input, "two\n");
    terminal.until_shows("an input changed the graph, ~1");
    save(&fixed, "theirs\n");
    terminal.until_shows("s preview, A apply, u undo deploy 1");
    assert!(terminal.shows("change 2"), "both come as steps");
    terminal.press("u");
    terminal.until_shows("Undo deploy 1?");
    terminal.press("n");
    save(&fixed, "ours\n");
    terminal.until_shows("all drift is gone");
    save(&input, "one\n");
    terminal.until_shows("the input is back: everything is as in deploy 1 again");
    save(&input, "three\n");
    terminal.until_shows("an input changed the graph, ~1");
    terminal.goes_live(2);
    terminal.press("c");
    terminal.until_shows("end of deploy 2");
    assert_eq!(fs::read_to_string(&read).expect("it is there"), "three\n");
    save(&fixed, "theirs\n");
    terminal.until_shows("s preview, A apply, u undo deploy 2");
    save(&input, "four\n");
    terminal.until_shows("an input changed the graph, ~1");
    terminal.press("u");
    terminal.until_shows("Undo deploy 2?");
    terminal.press("y");
    terminal.until_shows("Deploy 2 undone");
    assert_eq!(fs::read_to_string(&read).expect("it is there"), "one\n");
    assert_eq!(fs::read_to_string(&fixed).expect("it is there"), "theirs\n");
    terminal.until_shows("2 of 2 would change");
    assert_eq!(terminal.quits(), 0);
}

/// A plan tells what was changed on the machine since it was made, and holds again once that is looked at.
#[test]
fn a_plan_is_stale_where_the_machine_is_another_than_it_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let [one, two] = ["one", "two"].map(|name| folder.path().join(name));
    let file = |path: &Path| {
        format!("file \"{}\" {{\n\tstate => \"exists\",\n\tcontent => \"ours\\n\",\n}}\n", path.display())
    };
    fs::write(folder.path().join("main.mcl"), file(&one) + &file(&two)).expect("a file");
    fs::write(folder.path().join("config.toml"), "").expect("a file");
    let mut terminal = Terminal::start(&["sh", "-c", &at(folder.path(), "", "main.mcl")], 160, 30);
    terminal.until_shows("Steps  0/2");
    sleeps(&terminal);
    // Nothing that the plan speaks of.
    fs::write(folder.path().join("beside"), "x").expect("a file");
    sleeps(&terminal);
    assert!(!terminal.shows("stale"));
    save(&one, "theirs\n");
    terminal.until_shows("changed since the plan; Ctrl-r re-checks");
    terminal.until_shows("stale: Ctrl-r re-checks");
    terminal.press("A");
    terminal.until_shows("the machine changed since the plan");
    // As it was found.
    fs::remove_file(&one).expect("it is there");
    terminal.until_shows("everything matches the plan again");
    assert!(!terminal.shows("stale"));
    save(&one, "theirs\n");
    save(&two, "ours\n");
    terminal.until_shows("1 more changed since the plan");
    terminal.press("\x12");
    terminal.until_shows("checked 2 resources: 2 changed");
    terminal.until_shows("change 1. Also unchanged 1");
    assert!(!terminal.shows("stale"));
    sleeps(&terminal);
    save(&two, "theirs\n");
    terminal.until_shows("stale: Ctrl-r re-checks");
    terminal.press("q");
    assert_eq!(terminal.ended(), 0);
}

/// Also where the folder one works in goes, and nobody can say any more where that was.
#[test]
fn a_removed_module_is_reported_and_the_last_graph_stays() {
    for is_named in [true, false] {
        let folder = tempfile::tempdir().expect("a folder");
        let module = folder.path().join("site");
        std::fs::create_dir(&module).expect("a folder");
        save(&module.join("metadata.yaml"), "");
        save(&module.join("main.mcl"), "print \"hello\" { msg => \"x\", }\n");
        let (from, entry) = if is_named { (folder.path(), "site") } else { (&*module, ".") };
        let command = format!("cd {} && exec {PROGRAM} {entry}", from.display());
        let mut terminal = Terminal::start(&["sh", "-c", &command], 120, 40);
        terminal.press("3");
        terminal.until_shows("print[hello]");
        std::fs::remove_dir_all(folder.path()).expect("it is ours");
        terminal.until_shows("1E");
        terminal.until_shows("stale: last good graph");
        terminal.press("4");
        terminal.until_shows("missing");
        terminal.press("2");
        terminal.until_shows("main.mcl` does not");
        terminal.press("q");
        assert_eq!(terminal.ended(), 0);
    }
}

/// The setting counts on the screens as it does in lines: with one at a time nothing else is begun beside what fails.
#[test]
fn a_live_run_obeys_the_parallel_setting() {
    for (jobs, begun) in [(1, 1), (2, 2)] {
        let folder = tempfile::tempdir().expect("a folder");
        let fails = |name: &str| {
            let path = folder.path().join(name);
            let cmd = format!("touch {}; sleep 0.5; exit 1", path.display());
            format!("exec \"{name}\" {{\n\tcmd => \"{cmd}\",\n\tshell => \"/bin/sh\",\n}}\n")
        };
        let names = ["one", "two", "three"];
        fs::write(folder.path().join("main.mcl"), names.map(fails).concat()).expect("a file");
        fs::write(folder.path().join("config.toml"), format!("jobs = {jobs}\n")).expect("a file");
        let mut terminal = Terminal::start(&["sh", "-c", &at(folder.path(), "", "main.mcl")], 120, 40);
        terminal.until_shows("Steps  0/3");
        terminal.goes_live(1);
        terminal.press("c");
        terminal.until_shows("failed: r retry, e edit");
        let count = names.iter().filter(|name| folder.path().join(name).exists()).count();
        assert_eq!(count, begun, "with {jobs}");
        terminal.press("q");
        terminal.until_shows("Quit?");
        terminal.press("y");
        assert_eq!(terminal.ended(), 0);
    }
}

#[test]
fn a_breakpoint_on_a_container_stops_at_its_first_resource() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = "define pair() {\n  notify { \"${title} one\": }\n  notify { \"${title} two\": }\n}\n\
        notify { 'first': }\npair { 'a': require => Notify['first'] }\n";
    fs::write(folder.path().join("main.pp"), program).expect("a file");
    let mut command = Command::new(PROGRAM);
    // The fourth row of the graph is the begin of the define.
    command.args(["--screenshot", "-", "--keys", "p 3 j j j b 1 c", "--size", "120x40", "--config", "/dev/null"]);
    let output = command
        .arg("--state-dir")
        .arg(folder.path().join("state"))
        .arg(folder.path().join("main.pp"))
        .output()
        .expect("it starts");
    let drawn = String::from_utf8_lossy(&output.stdout);
    assert!(drawn.contains("● Pair[a]") && drawn.contains("▶ Notify[a one]"), "{drawn}");
}
