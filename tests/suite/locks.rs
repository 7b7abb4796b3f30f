//! A lock that somebody bent, and folders that lead away: nothing is written outside of the project, and no tree comes
//! that the lock does not name (G14).

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use workbench::fetch::TreeHash;

use crate::download::{DOWNLOAD, Place, a_and_b};
use crate::generated::Dice;
use crate::promises::figure;

const LOCKED: &str = "download --locked --allow file";

/// Changes the text of the lock.
fn bend(place: &Place, change: impl Fn(&str) -> String) {
    let lock = place.read("work/workbench.lock");
    let bent = change(&lock);
    assert_ne!(lock, bent, "the lock has no such part");
    place.write("work/workbench.lock", &bent);
}

fn without_modules(place: &Place) {
    fs::remove_dir_all(place.root.join("work/modules")).expect("modules were fetched");
}

/// Everything that is not the project's or the cache's.
fn outside(place: &Place) -> BTreeSet<(PathBuf, Vec<u8>)> {
    let mut found = BTreeSet::new();
    let mut folders = vec![place.root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("it is ours").flatten() {
            let path = entry.path();
            if [".cache", ".local", "work", "repos"].iter().any(|own| path == place.root.join(own)) {
                continue;
            }
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(path.clone());
            }
            found.insert((path.clone(), fs::read(&path).unwrap_or_default()));
        }
    }
    found
}

#[test]
fn the_tree_is_compared_with_the_lock_also_when_it_comes_again() {
    let place = a_and_b();
    place.runs(DOWNLOAD, 0, &["2 modules fetched"]);
    let lock = place.read("work/workbench.lock");
    let hash = lock.split('"').find(|word| word.starts_with("sha256:")).expect("each module has one").to_owned();
    bend(&place, |lock| lock.replace(&hash, &format!("sha256:{}", "ab".repeat(32))));
    without_modules(&place);
    let before = place.work();
    for words in [DOWNLOAD, LOCKED] {
        place.runs(words, 1, &["lock-drift", &format!("its files have the hash {hash}"), "--update"]);
        assert!(before == place.work(), "a refusal changes nothing");
    }
    place.runs("download --update --allow file", 0, &["2 modules fetched"]);
    assert_eq!(lock, place.read("work/workbench.lock"));
}

#[test]
fn a_locked_download_leaves_the_lock_alone() {
    let place = a_and_b();
    place.runs(DOWNLOAD, 0, &["2 modules fetched"]);
    // As another program would write it.
    bend(&place, |lock| format!("# ours\n{}", lock.replace(" = ", "=")));
    let lock = place.root.join("work/workbench.lock");
    let state = || {
        let stat = fs::metadata(&lock).expect("it is there");
        (stat.ino(), stat.mtime(), stat.mtime_nsec(), fs::read(&lock).expect("it is there"))
    };
    let before = (state(), place.work());
    place.runs(LOCKED, 0, &["2 unchanged"]);
    assert!(before == (state(), place.work()), "nothing was written");
    without_modules(&place);
    place.runs(LOCKED, 0, &["2 modules fetched"]);
    assert!(before == (state(), place.work()), "the modules came back, and nothing else changed");
    // What it would have to lock is refused.
    place.write("work/main.mcl", "import \"git://$ROOT/repos/b/\"\nimport \"git://$ROOT/repos/c/\"\n");
    place.commit("c", &[("main.mcl", "\n"), ("metadata.yaml", "\n")]);
    place.runs(LOCKED, 1, &["lock-drift", "it is not in the lock file"]);
    assert_eq!(before.0, state());
}

#[test]
fn an_entry_without_exact_content_is_refused() {
    let place = a_and_b();
    place.runs(DOWNLOAD, 0, &["2 modules fetched"]);
    bend(&place, |lock| {
        lock.lines().filter(|line| !line.starts_with("commit")).map(|line| format!("{line}\n")).collect()
    });
    for words in [DOWNLOAD, LOCKED, "check", "apply --yes", "modules --remote"] {
        place.runs(words, 1, &["has neither `commit` nor `archive`"]);
    }
    place.runs("check", 1, &["invalid-lock", "workbench.lock:"]);
    let (code, text) = place.run("modules prune --yes");
    assert!(code == 1 && text.contains("neither `commit` nor `archive`"), "{code} {text}");
}

/// Only the user's own words lead out of a project.
#[test]
fn paths_stay_in_the_project() {
    let place = a_and_b();
    fs::create_dir_all(place.root.join("out")).expect("it can be made");
    let before = outside(&place);
    let (root, out) = (place.root.display().to_string(), place.root.join("out"));
    for path in ["../out/", "/$ROOT/out/", "deep/../../out/"] {
        place.write("work/metadata.yaml", &format!("path: \"{}\"\n", path.replace("/$ROOT", &root)));
        place.runs(DOWNLOAD, 1, &["invalid-metadata", "`path` points outside the module"]);
    }
    place.write("work/metadata.yaml", "\n");
    symlink("../out", place.root.join("work/modules")).expect("the name is free");
    place.runs(DOWNLOAD, 1, &["is outside of the project"]);
    assert_eq!(before, outside(&place));
    fs::remove_file(place.root.join("work/modules")).expect("it is a link");
    place.runs("download --allow file --module-path ../out", 0, &["2 modules fetched"]);
    // A module that was fetched leads its own imports nowhere else.
    let elsewhere = |files: &BTreeSet<(PathBuf, Vec<u8>)>| -> BTreeSet<PathBuf> {
        files.iter().map(|(path, _)| path.clone()).filter(|path| !path.starts_with(&out)).collect()
    };
    place.write("work/main.mcl", "import \"git://$ROOT/repos/far/\"\n");
    for path in [format!("{root}/far/"), "../../../../far/".into(), format!("{}far/", "../".repeat(40))] {
        place.commit(
            "far",
            &[("main.mcl", "import \"git://$ROOT/repos/b/\"\n"), ("metadata.yaml", &format!("path: \"{path}\"\n"))],
        );
        place.run("download --update --allow file");
        assert_eq!(elsewhere(&before), elsewhere(&outside(&place)), "{path}");
    }
    // The settings of a project lead out no further than its repository.
    let place = Place::empty();
    place.commit("one", &[("module.yml", "name: one\nversion: 1.0\n"), ("model/_init.cf", "\n")]);
    place.release("one", "1.0", &[("module.yml", "name: one\nversion: 1.0\n"), ("model/_init.cf", "\n")]);
    place.write("work/site/main.cf", "import one\n");
    let libs = |path: &str| {
        let text = format!("name: p\nmodulepath: {path}\ndownloadpath: {path}\nrepo: $ROOT/repos/\n");
        place.write("work/site/project.yml", &text);
    };
    for path in ["../../out", "$ROOT/out", "../libs"] {
        libs(path);
        place.runs(
            "download --allow file site",
            1,
            &["module-not-fetched", "is outside of the project", "--module-path"],
        );
    }
    assert!(!place.root.join("out").exists() && !place.root.join("work/libs").exists());
    place.write("work/.git/HEAD", "ref: refs/heads/main\n");
    place.runs("download --allow file site", 0, &["1 module fetched"]);
    assert!(place.root.join("work/libs/one/module.yml").is_file());
}

#[test]
fn a_puppetfile_names_a_folder_in_its_repository() {
    let place = Place::empty();
    place.commit("one", &[("manifests/init.pp", "class one {}\n"), ("metadata.json", "{}\n")]);
    place.write("work/manifests/site.pp", "include one\n");
    for folder in ["../out", "$ROOT/out", "a/../../out"] {
        place.write("work/Puppetfile", &format!("moduledir '{folder}'\nmod 'one', :git => '$ROOT/repos/one'\n"));
        let before = place.work();
        place.runs(DOWNLOAD, 1, &["Puppetfile:1:11", "`moduledir` leads out of the control repository"]);
        assert!(before == place.work() && !place.root.join("out").exists());
    }
    place.write("work/Puppetfile", "moduledir 'thirdparty'\nmod 'one', :git => '$ROOT/repos/one'\n");
    place.runs(DOWNLOAD, 0, &["1 module fetched"]);
    assert!(place.root.join("work/thirdparty/one/manifests/init.pp").is_file());
}

#[test]
fn pruning_removes_nothing_outside_of_the_project() {
    let place = a_and_b();
    place.runs(DOWNLOAD, 0, &["2 modules fetched"]);
    place.write("work/main.mcl", "\n");
    for path in ["../out", "/etc", ".", "", "a/../../out", ".git"] {
        let lock = place.read("work/workbench.lock");
        let own = lock.lines().find(|line| line.starts_with("path")).expect("each module has one").to_owned();
        bend(&place, |lock| lock.replace(&own, &format!("path = \"{path}\"")));
        let (code, text) = place.run("modules prune --yes");
        assert!(code == 1 && text.contains("`path` that is not a folder below"), "{path}: {code} {text}");
        place.write("work/workbench.lock", &lock);
    }
    // The modules moved away, and a link leads there.
    fs::rename(place.root.join("work/modules"), place.root.join("out")).expect("they are there");
    symlink("../out", place.root.join("work/modules")).expect("the name is free");
    let before = outside(&place);
    place.runs("modules prune --yes", 0, &["a link to it leads out of the project", "Nothing to remove."]);
    assert_eq!(before, outside(&place));
    // The user's own word leads there.
    place.runs("modules prune --yes --module-path ../out", 0, &["2 modules removed"]);
}

/// A file of the project that says which folders to move is believed as little as a lock.
#[test]
fn the_note_of_an_interrupted_download_leads_nowhere_else() {
    let place = a_and_b();
    place.runs(DOWNLOAD, 0, &["2 modules fetched"]);
    let lock = place.read("work/workbench.lock");
    let hash = lock.split('"').find(|word| word.starts_with("sha256:")).expect("each module has one").to_owned();
    place.write("work/modules/.workbench-fetch/0/main.mcl", "# mine\n");
    place.write("secret/key", "k\n");
    let staged = "modules/.workbench-fetch/0";
    let cases = [
        (staged, "../out", "is outside of the project"),
        (staged, "/$ROOT/out", "is outside of the project"),
        ("../secret", "modules/x", "is outside of the project"),
        ("modules/.workbench-fetch/../../../secret", "modules/x", "is outside of the project"),
        (staged, "modules/x", "have changed since"),
    ];
    for (from, to, says) in cases {
        let root = place.root.display().to_string();
        let placing = serde_json::json!({"staged": from, "target": to.replace("/$ROOT", &root), "hash": hash});
        let note = serde_json::json!({"placings": [placing], "lock": lock});
        place.write("work/.workbench-fetch.json", &note.to_string());
        for words in [DOWNLOAD, LOCKED] {
            place.runs(words, 1, &[says]);
        }
        let (code, text) = place.run("modules prune --yes");
        assert!(code == 1 || text.contains("Nothing to remove"), "{text}");
        assert!(!place.root.join("out").exists() && place.root.join("secret/key").is_file(), "{from} {to}");
        assert!(!place.root.join("work/modules/x").exists(), "{from} {to}");
    }
    // A note with another lock is finished only where the lock may change.
    let note = serde_json::json!({"placings": [], "lock": format!("{lock}\n")});
    place.write("work/.workbench-fetch.json", &note.to_string());
    place.runs(LOCKED, 1, &["an earlier download was interrupted", "without `--locked` finishes it"]);
}

/// One byte at a time is as bad as silence.
#[test]
fn a_server_that_trickles_is_cut_off() {
    let trickle = |begin: &'static str| {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("loopback has a free port");
        let port = listener.local_addr().expect("it is bound").port();
        thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                thread::spawn(move || {
                    let _ = stream.write_all(begin.as_bytes());
                    while stream.write_all(b"0").is_ok() {
                        thread::sleep(Duration::from_millis(50));
                    }
                });
            }
        });
        port
    };
    let git = "HTTP/1.1 200 OK\r\nContent-Type: application/x-git-upload-pack-advertisement\r\n\
               Content-Length: 100000\r\n\r\n001e# service=git-upload-pack\n0000fff0";
    let page = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n";
    let cases = [
        ("import \"http://127.0.0.1:PORT/x/\"\n", git, "--allow http"),
        ("import \"http://127.0.0.1:PORT/x/\"\n", "HTTP/1.1 200 OK\r\nX: ", "--allow http"),
        // Plain git is tried by https first, which this is not.
        ("import \"git://127.0.0.1:PORT/x/\"\n", "fff0", "--allow git"),
    ];
    let says = ["sent less than 1 kB per second for 1 seconds", "no data from"];
    for (main, begin, allow) in cases {
        let place = Place::new(&main.replace("PORT", &trickle(begin).to_string()));
        let begun = Instant::now();
        let (code, text) = place.run(&format!("download {allow} --timeout 1"));
        assert!(code == 1 && says.iter().any(|part| text.contains(part)), "{main}: {code} {text}");
        assert!(begun.elapsed() < Duration::from_secs(20), "{main}: {:?}", begun.elapsed());
    }
    let place = Place::empty();
    place.write("work/manifests/site.pp", "\n");
    place.write("work/Puppetfile", &format!("forge 'http://127.0.0.1:{}'\nmod 'acme/x'\n", trickle(page)));
    place.runs("download --allow http --timeout 1", 1, &["sent less than 1 kB per second for 1 seconds"]);
    // An `ssh` that does the same.
    let place = Place::new("import \"ssh://h.example/x/\"\n");
    let ssh = "#!/bin/sh\nprintf fff0\nwhile printf 0; do sleep 0.05; done\n";
    place.write("bin/ssh", ssh);
    fs::set_permissions(place.root.join("bin/ssh"), std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .expect("it is ours");
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_workbench"))
        .args(["download", "--timeout", "1"])
        .current_dir(place.root.join("work"))
        .env("PATH", format!("{}:/usr/bin:/bin", place.root.join("bin").display()))
        .env("HOME", &place.root)
        .output()
        .expect("the binary starts");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("sent less than 1 kB per second"), "{text}");
}

#[test]
fn a_module_without_its_lock_entry_needs_approval() {
    let place = Place::new("import \"git://$ROOT/repos/a/\"\ninclude a.all\n");
    let (state, written) = (place.root.join("state"), place.root.join("written"));
    let a = "class all() {\n\tfile \"$ROOT/written\" {\n\t\tstate => \"exists\",\n\t}\n}\n";
    place.commit("a", &[("main.mcl", a), ("metadata.yaml", "\n")]);
    place.runs(DOWNLOAD, 0, &["1 module fetched"]);
    let lock = place.read("work/workbench.lock");
    let apply = format!("apply --yes --state-dir {}", state.display());
    for gone in [None, Some("version = 1\n")] {
        match gone {
            None => fs::remove_file(place.root.join("work/workbench.lock")).expect("it is there"),
            Some(text) => place.write("work/workbench.lock", text),
        }
        let says = ["not approved", "repos/a (file; not in workbench.lock)", "--approve"];
        place.runs(&apply, 1, &says);
        place.runs(&format!("run --once --yes --state-dir {}", state.display()), 1, &says);
        assert!(!written.exists(), "nothing was done");
        place.runs("preview", 0, &["1 to create"]);
    }
    let modules = format!("modules --state-dir {}", state.display());
    place.runs(&modules, 0, &["not approved"]);
    place.runs(&format!("{modules} --approve"), 0, &["approved git://"]);
    place.runs(&apply, 0, &["1 changed"]);
    // The same files are approved with their entry, too.
    place.write("work/workbench.lock", &lock);
    fs::remove_file(&written).expect("it was just made");
    place.runs(&apply, 0, &["1 changed"]);
    // The user's own checkout is theirs.
    let place = Place::new("import \"git://$ROOT/repos/a/\"\ninclude a.all\n");
    let module = format!("work/modules{}/repos/a", place.root.display());
    place.write(&format!("{module}/main.mcl"), a);
    place.write(&format!("{module}/metadata.yaml"), "\n");
    place.write(&format!("{module}/.git/HEAD"), "ref: refs/heads/main\n");
    place.runs(&format!("apply --yes --state-dir {}/state", place.root.display()), 0, &["1 changed"]);
}

/// The values of a bent field.
const VALUES: [&str; 14] = [
    "",
    ".",
    "..",
    "../out",
    "/etc",
    "modules",
    "work/../../out",
    "sha256:0000000000000000000000000000000000000000000000000000000000000000",
    "0123456789012345678901234567890123456789",
    "file:///etc/passwd",
    "http://127.0.0.1:1/x",
    "ext::sh -c id",
    "-oProxyCommand=id",
    "v9",
];

/// A lock with one to three changes: another value, a lost or a doubled line, swapped values, a bent byte.
fn bent(lock: &str, dice: &mut Dice) -> String {
    let mut lines: Vec<String> = lock.lines().map(str::to_owned).collect();
    for _ in 0..=dice.below(3) {
        let at = dice.below(lines.len() as u64) as usize;
        let other = dice.below(lines.len() as u64) as usize;
        match dice.below(6) {
            0 => drop(lines.remove(at)),
            1 => lines.insert(at, lines[other].clone()),
            2 => {
                let value = |line: &str| line.split_once(" = ").map(|(_, value)| value.to_owned());
                if let (Some(one), Some((name, _))) = (value(&lines[other]), lines[at].split_once(" = ")) {
                    lines[at] = format!("{name} = {one}");
                }
            }
            3 if !lines[at].is_empty() => {
                let byte = dice.below(lines[at].len() as u64) as usize;
                let mut bytes = lines[at].clone().into_bytes();
                bytes[byte] = b'!' + dice.below(94) as u8;
                lines[at] = String::from_utf8(bytes).unwrap_or_default();
            }
            _ => {
                let value = VALUES[dice.below(VALUES.len() as u64) as usize];
                if let Some((name, _)) = lines[at].split_once(" = ") {
                    lines[at] = format!("{name} = \"{value}\"");
                }
            }
        }
        if lines.is_empty() {
            lines.push("version = 1".into());
        }
    }
    lines.join("\n") + "\n"
}

#[test]
fn no_bent_lock_writes_elsewhere_or_brings_another_tree() {
    const ROUNDS: usize = 200;
    let place = a_and_b();
    place.write("out/file", "mine\n");
    place.runs(DOWNLOAD, 0, &["2 modules fetched"]);
    let (work, lock) = (place.root.join("work"), place.read("work/workbench.lock"));
    let modules = work.join("modules");
    let good = place.root.join("good");
    copy(&modules, &good);
    let at =
        |root: &Path, name: &str| root.join(format!("{}/repos/{name}", place.root.display()).trim_start_matches('/'));
    let hash = |folder: &Path| TreeHash::of_folder(folder, &[]).ok();
    let known: Vec<_> = ["a", "b"].iter().map(|name| hash(&at(&good, name))).collect();
    let before = outside(&place);
    let (mut dice, mut refused) = (Dice::new(37), 0);
    for round in 0..ROUNDS {
        let _ = fs::remove_dir_all(&modules);
        let edited = "func word() {\n\t\"mine\"\n}\n";
        match dice.below(3) {
            0 => {}
            1 => copy(&good, &modules),
            _ => {
                copy(&good, &modules);
                fs::write(at(&modules, "b").join("main.mcl"), edited).expect("it is ours");
            }
        }
        let bent = bent(&lock, &mut dice);
        fs::write(work.join("workbench.lock"), &bent).expect("it is ours");
        let was: Vec<_> = ["a", "b"].iter().map(|name| hash(&at(&modules, name))).collect();
        let words = [DOWNLOAD, LOCKED, "download --update --allow file", "modules prune --yes"];
        let words = words[dice.below(4) as usize];
        let (code, text) = place.run(words);
        refused += usize::from(code != 0);
        let message = format!("round {round}: {words}: {code}\n{text}\n{bent}");
        assert!(code == 0 || code == 1, "{message}");
        assert_eq!(before, outside(&place), "{message}");
        for (at_name, name) in ["a", "b"].iter().enumerate() {
            let is = hash(&at(&modules, name));
            assert!(is.is_none() || is == was[at_name] || is == known[at_name], "{name}: {message}");
        }
        if words == LOCKED {
            assert_eq!(place.read("work/workbench.lock"), bent, "{message}");
            assert!(code == 1 || hash(&at(&modules, "b")) == known[1], "{message}");
        }
        let here: BTreeSet<_> = fs::read_dir(&work).expect("it is there").flatten().map(|e| e.file_name()).collect();
        let own = ["main.mcl", "metadata.yaml", "modules", "workbench.lock"];
        assert!(here.iter().all(|name| own.iter().any(|own| name == own)), "{here:?} {message}");
    }
    assert!(refused > ROUNDS / 4, "most bent locks are refused: {refused}");
    figure(
        "G14 (bent locks)",
        format_args!("{ROUNDS} bent locks, {refused} refused, 0 writes elsewhere, 0 other trees"),
    );
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("it is ours");
    for entry in fs::read_dir(from).expect("it is there").flatten() {
        let target = to.join(entry.file_name());
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("it is ours");
        }
    }
}
