//! What was fetched is hashed again before anything is made of it (G14).
//!
//! Some hundred flipped bits each time; `WORKBENCH_PROMISES=whole` flips 10,000 and prints the figures.

use std::fs;
use std::path::{Path, PathBuf};

use workbench::fetch::{Lock, verify};

use crate::download::{DOWNLOAD, Place, a_and_b};
use crate::promises::{count, figure};
use crate::terminal::{PROGRAM, Terminal};

#[test]
fn an_edited_module_is_reported_and_stops_the_update() {
    let place = a_and_b();
    place.runs(DOWNLOAD, 0, &["2 modules fetched"]);
    place.runs("modules", 0, &["repos/b/  present", "3 modules"]);
    let edited = format!("work/modules{}/repos/b/main.mcl", place.root.display());
    place.write(&edited, "func word() {\n\t\"mine\"\n}\n");
    let says = [
        "module-edited",
        "workbench.lock:",
        "its files have the hash sha256:",
        "the lock file has sha256:",
        "remove its entry from the lock file",
    ];
    for command in ["eval 1+1", "check", "graph", "preview", "apply --yes", "run --once --yes"] {
        place.runs(command, 1, &says);
    }
    place.runs("modules", 0, &["repos/b/  edited"]);
    // One's own from now on.
    let lock = place.read("work/workbench.lock");
    let kept: Vec<&str> = lock.split("[[module]]").filter(|module| !module.contains("repos/b")).collect();
    place.write("work/workbench.lock", &kept.join("[[module]]"));
    place.runs("graph", 0, &["msg  \"mine\""]);
    // And taken back.
    place.write("work/workbench.lock", &lock);
    fs::remove_dir_all(place.root.join(Path::new(&edited).parent().expect("it has a folder"))).expect("it is there");
    place.runs(DOWNLOAD, 0, &["1 module fetched"]);
    place.runs("graph", 0, &["msg  \"one\""]);
}

#[test]
fn a_file_that_came_or_went_is_an_edit_too() {
    let place = a_and_b();
    place.runs(DOWNLOAD, 0, &["2 modules fetched"]);
    let module = format!("work/modules{}/repos/b", place.root.display());
    place.write(&format!("{module}/files/more"), "");
    place.runs("check", 1, &["module-edited"]);
    fs::remove_dir_all(place.root.join(format!("{module}/files"))).expect("it is there");
    place.runs("check", 0, &[]);
    fs::remove_file(place.root.join(format!("{module}/metadata.yaml"))).expect("it is there");
    place.runs("check", 1, &["module-edited"]);
}

#[test]
fn a_faulty_lock_is_reported_at_its_place() {
    let place = a_and_b();
    place.write("work/workbench.lock", "version = 1\n[[module]]\nimport = 5\n");
    place.runs("check", 1, &["invalid-lock", "workbench.lock:3:"]);
    place.write("work/workbench.lock", "version = 99\n");
    place.runs("check", 1, &["invalid-lock", "made by a newer workbench"]);
}

#[test]
fn unused_modules_are_marked() {
    let place = a_and_b();
    place.runs(DOWNLOAD, 0, &["2 modules fetched"]);
    place.write("work/main.mcl", "import \"git://$ROOT/repos/b/\"\nprint \"a\" {\n\tmsg => b.word(),\n}\n");
    place.runs("modules", 0, &["repos/a   unused", "repos/b/  present"]);
}

#[test]
fn every_flipped_bit_is_found() {
    let place = a_and_b();
    let long = "# a line of some length\n".repeat(40);
    place.commit(
        "b",
        &[
            ("main.mcl", &(long.clone() + "func word() {\n\t\"one\"\n}\n")),
            ("metadata.yaml", "\n"),
            ("README.md", &long),
        ],
    );
    place.runs(DOWNLOAD, 0, &["2 modules fetched"]);
    let work = place.root.join("work");
    let lock = Lock::read(&work).expect("it was just written");
    let files: Vec<PathBuf> = ["main.mcl", "metadata.yaml", "README.md"]
        .map(|name| work.join(format!("modules{}/repos/b/{name}", place.root.display())))
        .into();
    let edited = || verify(&work, &lock, &[]).expect("the files can be read").iter().filter(|m| m.is_edited()).count();
    assert_eq!(edited(), 0);
    let bits: Vec<(usize, usize)> = files
        .iter()
        .enumerate()
        .flat_map(|(at, file)| {
            (0..fs::metadata(file).expect("it is there").len() as usize * 8).map(move |bit| (at, bit))
        })
        .collect();
    let (wanted, whole) = (count(300, 10_000), bits.len());
    let mut found = 0;
    for turn in 0..wanted {
        // Far apart, and never the same twice before all have been.
        let (file, bit) = bits[(turn * 7_919) % whole];
        let before = fs::read(&files[file]).expect("it is there");
        let mut after = before.clone();
        after[bit / 8] ^= 1 << (bit % 8);
        fs::write(&files[file], &after).expect("the temporary folder can be written");
        found += usize::from(edited() == 1);
        fs::write(&files[file], &before).expect("the same");
    }
    assert_eq!(found, wanted);
    figure("G14", format_args!("{found} of {wanted} flipped bits found, of {whole} there are"));
}

#[test]
fn a_fetched_module_acts_only_when_it_was_approved() {
    let place = Place::new("import \"git://$ROOT/repos/a/\"\ninclude a.all\n");
    let (state, written) = (place.root.join("state"), place.root.join("written"));
    let a = "class all() {\n\tfile \"$ROOT/written\" {\n\t\tstate => \"exists\",\n\t\tcontent => \"WORD\",\n\t}\n}\n";
    place.commit("a", &[("main.mcl", &a.replace("WORD", "one")), ("metadata.yaml", "\n")]);
    place.runs(DOWNLOAD, 0, &["1 module fetched"]);
    place.runs("check", 0, &[]);
    place.runs("preview", 0, &["1 to create"]);
    let apply = format!("apply --yes --state-dir {}", state.display());
    let run = format!("run --once --yes --state-dir {}", state.display());
    let modules = format!("modules --state-dir {}", state.display());
    for command in [&apply, &run] {
        place.runs(command, 1, &["not approved", "repos/a (file)", "--approve"]);
        assert!(!written.exists(), "nothing was done");
    }
    place.runs(&modules, 0, &["not approved"]);
    place.runs(&format!("{modules} --approve=git://elsewhere/"), 1, &["no such fetched module"]);
    place.runs(&format!("{modules} --approve"), 0, &["approved git://", "sha256:"]);
    place.runs(&apply, 0, &["1 changed"]);
    // Other files are another matter.
    place.commit("a", &[("main.mcl", &a.replace("WORD", "two")), ("metadata.yaml", "\n")]);
    place.runs("download --update --allow file", 0, &["1 updated"]);
    place.runs(&apply, 1, &["not approved"]);
    place.runs(&format!("{modules} --approve --in-lock"), 0, &["approved git://"]);
    assert!(place.read("work/workbench.lock").contains("approved = true"));
    place.runs(&apply, 0, &["1 changed"]);
    place.runs("download --allow file", 0, &["1 unchanged"]);
    assert!(place.read("work/workbench.lock").contains("approved = true"), "it is kept while the files are the same");
}

/// Before they ask for anything, with the key that helps; and what was stepped stays.
#[test]
fn the_screens_name_unapproved_modules_before_they_ask() {
    let place = Place::new("import \"git://$ROOT/repos/a/\"\ninclude a.all\n");
    let a = "class all() {\n\tfile \"$ROOT/one\" { state => \"exists\", }\n\tfile \"$ROOT/two\" { state => \"exists\", }\n}\n";
    place.commit("a", &[("main.mcl", a), ("metadata.yaml", "\n")]);
    place.runs(DOWNLOAD, 0, &["1 module fetched"]);
    let state = format!("--state-dir={}", place.root.join("state").display());
    let entry = place.root.join("work").display().to_string();
    let mut terminal = Terminal::start(&[PROGRAM, &state, &entry], 160, 40);
    terminal.until_shows("compiled");
    terminal.until_shows("2 of 2 would change");
    terminal.press("s");
    terminal.until_shows("1/2");
    terminal.press("A");
    terminal.until_shows("not approved");
    assert!(!terminal.shows("Nothing is written until you press"));
    terminal.press("4");
    terminal.until_shows("‖ new");
    terminal.press("G a");
    terminal.until_shows("sha256:");
    terminal.press("y");
    terminal.until("the approvals", |terminal| terminal.shows("approved this version") && !terminal.shows("‖ new"));
    terminal.press("1");
    terminal.until_shows("1/2");
    terminal.press("A");
    terminal.until_shows("Nothing is written until you press");
    terminal.press("\x1b");
    terminal.until("the question is gone", |terminal| !terminal.shows("Nothing is written until you press"));
    terminal.press("q");
    assert_eq!(terminal.ended(), 0);
}

/// An edited module is not compiled, and all the same it is seen when it is put right.
#[test]
fn the_screens_hear_when_an_edited_module_is_put_right() {
    let place = a_and_b();
    place.runs(DOWNLOAD, 0, &["2 modules fetched"]);
    let module = format!("work/modules{}/repos/b/main.mcl", place.root.display());
    let right = place.read(&module);
    let state = format!("--state-dir={}", place.root.join("state").display());
    let entry = place.root.join("work").display().to_string();
    let mut terminal = Terminal::start(&[PROGRAM, &state, &entry], 160, 40);
    let is_right = |terminal: &Terminal| terminal.shows("✓ compiled") && !terminal.shows("edited");
    for edit in ["func word() {\n\t\"mine\"\n}\n", ""] {
        terminal.until("it is as it was fetched", is_right);
        place.write(&module, edit);
        terminal.until("it is told as edited", |terminal| terminal.shows("1E") && terminal.shows("edited"));
        place.write(&module, &right);
    }
    terminal.until("it is as it was fetched", is_right);
    terminal.press("q");
    assert_eq!(terminal.ended(), 0);
}

/// What was approved when it was asked for is looked at again when its turn comes, which may be long after.
#[test]
fn what_changes_while_another_applier_is_waited_for_does_not_act() {
    for takes_back_the_approval in [true, false] {
        let place = Place::new("import \"git://$ROOT/repos/a/\"\ninclude a.all\n");
        let a = "class all() {\n\tfile \"$ROOT/written\" {\n\t\tstate => \"exists\",\n\t}\n}\n";
        place.commit("a", &[("main.mcl", a), ("metadata.yaml", "\n")]);
        place.runs(DOWNLOAD, 0, &["1 module fetched"]);
        let state = place.root.join("state");
        place.runs(&format!("modules --state-dir {} --approve", state.display()), 0, &["approved git://"]);
        let held = fs::File::create(state.join("lock")).expect("it is ours");
        rustix::fs::flock(&held, rustix::fs::FlockOperation::LockExclusive).expect("nobody holds it");
        let apply = format!("apply --yes --lock-timeout 60s --state-dir {}", state.display());
        std::thread::scope(|scope| {
            let applied = scope.spawn(|| place.run(&apply));
            // It has opened the file by the time that it waits.
            while !opened_by_another(&state.join("lock")) {
                assert!(!applied.is_finished(), "it waits for the lock");
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
            if takes_back_the_approval {
                fs::write(state.join("approved"), "").expect("it is ours");
            } else {
                place.write(&format!("work/modules{}/repos/a/more.mcl", place.root.display()), "\n");
            }
            drop(held);
            let (code, text) = applied.join().expect("no panic");
            assert!(code == 1 && text.contains("since it was compiled") && text.contains("repos/a"), "{code} {text}");
        });
        assert!(!place.root.join("written").exists(), "nothing was done");
    }
}

/// Whether another program has a file open. A process that is about to start one has a copy of our own handles.
fn opened_by_another(path: &Path) -> bool {
    let numbers = fs::read_dir("/proc")
        .expect("it is mounted")
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok());
    let others = numbers.filter_map(|name| name.parse::<u32>().ok()).filter(|number| *number != std::process::id());
    let own = fs::read_link("/proc/self/exe").expect("it is mounted");
    let holds = |number: u32| {
        if fs::read_link(format!("/proc/{number}/exe")).ok()? == own {
            return None;
        }
        let handles = fs::read_dir(format!("/proc/{number}/fd")).ok()?.flatten();
        Some(handles.filter_map(|handle| fs::read_link(handle.path()).ok()).any(|open| open == path))
    };
    others.filter_map(holds).any(|holds| holds)
}

#[test]
fn what_only_prints_needs_no_approval() {
    let place = a_and_b();
    place.runs(DOWNLOAD, 0, &["2 modules fetched"]);
    place.runs(&format!("apply --yes --state-dir {}", place.root.join("state").display()), 0, &["print[a]: one"]);
}

#[test]
fn guards_do_not_run_with_unapproved_imports() {
    // Its own guard, a guard of the user's that it puts together, and a command that evaluation runs.
    let place = Place::new(
        "import \"git://$ROOT/repos/a/\"\nimport \"os\"\ninclude a.all\nexec \"mine\" {\n\tcmd => \"true\",\n\tifcmd => a.word(),\n\t\
         ifshell => \"/bin/sh\",\n}\nprint \"said\" {\n\tmsg => os.system(a.word()),\n}\n",
    );
    let a = "func word() {\n\t\"touch $ROOT/ran; echo x\"\n}\nclass all() {\n\texec \"its\" {\n\t\tcmd => \"true\",\n\t\t\
             ifcmd => word(),\n\t\tifshell => \"/bin/sh\",\n\t}\n}\n";
    place.commit("a", &[("main.mcl", a), ("metadata.yaml", "\n")]);
    place.runs(DOWNLOAD, 0, &["1 module fetched"]);
    let ran = place.root.join("ran");
    let held = ["guards are not run: git://", "not approved"];
    for command in ["preview", "graph", "apply --yes", "apply --noop", "run --noop --once"] {
        let (_, text) = place.run(&format!("{command} --run-guards"));
        assert!(held.iter().all(|words| text.contains(words)), "{command}: {text}");
        assert!(!ran.exists(), "{command} ran a command of a module that nobody approved");
    }
    place.write("work/main.mcl", &place.read("work/main.mcl").replace("os.system(a.word())", "\"\""));
    place.runs("preview --run-guards", 0, &["guards are not run"]);
    place.write("work/value.mcl", "import \"git://$ROOT/repos/a/\"\nimport \"os\"\nos.system(a.word())\n");
    place.runs("eval --file value.mcl --run-guards", 1, &["command not run without --run-guards"]);
    assert!(!ran.exists());
    place.runs("modules --approve", 0, &["approved git://"]);
    place.runs("eval --file value.mcl --run-guards", 0, &["x"]);
    assert!(ran.exists());
    std::fs::remove_file(&ran).expect("it was just made");
    let (_, text) = place.run("preview --run-guards");
    assert!(ran.exists() && !text.contains("guards are not run"), "{text}");
}

/// What is approved is shown first: the whole tree, and later the commits and the differences since.
#[test]
fn what_changed_since_the_last_approval_is_shown() {
    let place = a_and_b();
    place.runs(DOWNLOAD, 0, &["2 modules fetched"]);
    let approve = |says: &[&str]| {
        let b = format!("git://{}/repos/b/", place.root.display());
        place.runs(&format!("modules --approve={b} --state-dir state"), 0, says);
    };
    approve(&["Not approved before: the whole tree is shown.", "--- /dev/null", "+++ b/main.mcl", "+func word()"]);
    let word = |text: &str| format!("func word() {{\n\t\"{text}\"\n}}\n");
    place.commit("b", &[("main.mcl", &word("two")), ("metadata.yaml", "\n")]);
    place.commit("b", &[("main.mcl", &word("three")), ("metadata.yaml", "\n")]);
    place.runs("download --update --allow file", 0, &["1 updated"]);
    approve(&["Last approved: commit ", "Commits: 2", "--- a/main.mcl", "-    \"one\"", "+    \"three\""]);
}

/// An approval in the lock counts as the last one for whoever has no own: after an update, after an edit, and where the cache lacks
/// its commit.
#[test]
fn what_changed_since_the_approval_in_the_lock_is_shown() {
    let place = a_and_b();
    place.runs(DOWNLOAD, 0, &["2 modules fetched"]);
    let b = format!("git://{}/repos/b/", place.root.display());
    let approve = |how: &str, says: &[&str]| {
        let (code, text) = place.run(&format!("modules --approve={b} {how}"));
        assert_eq!(code, 0, "{text}");
        for words in says {
            assert!(text.contains(words), "{words}: {text}");
        }
        text
    };
    approve("--in-lock", &["Not approved before: the whole tree is shown.", "+++ b/main.mcl"]);
    let word = |text: &str| format!("func word() {{\n\t\"{text}\"\n}}\n");
    place.commit("b", &[("main.mcl", &word("two")), ("metadata.yaml", "\n")]);
    place.commit("b", &[("main.mcl", &word("three")), ("metadata.yaml", "\n")]);
    for update in ["1 updated", "2 unchanged"] {
        place.runs("download --update --allow file", 0, &[update]);
        let since = ["Last approved: commit ", "Commits: 2", "-    \"one\"", "+    \"three\""];
        let text = approve("--state-dir state", &since);
        std::fs::remove_dir_all(place.root.join("work/state")).expect("it was just made");
        assert!(!text.contains("whole tree"), "{text}");
    }
    // A newer approval in the lock takes the place of that, also for files that were edited since.
    approve("--in-lock", &["Commits: 2"]);
    let file = std::fs::read_dir(place.root.join("work/modules")).expect("the modules").count();
    assert!(file > 0);
    let lock = place.read("work/workbench.lock");
    assert!(!lock.contains("approved-before"), "{lock}");
    let path = lock.lines().filter_map(|line| line.strip_prefix("path = ")).find(|path| path.ends_with("/b\""));
    let main = format!("work/{}/main.mcl", path.expect("it is locked").trim_matches('"'));
    place.write(&main, &word("edited"));
    let text = approve("--state-dir state", &["Last approved: commit ", "-    \"three\"", "+    \"edited\""]);
    assert!(!text.contains("Commits:") && !text.contains("whole tree"), "{text}");
    // Without the commit in the cache the whole tree is shown, and why.
    std::fs::remove_dir_all(place.root.join(".cache")).expect("the cache");
    approve("--state-dir other", &["The cache does not have commit ", "the whole tree is shown.", "--- /dev/null"]);
}
