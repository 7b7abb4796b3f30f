//! What is imported changes: modules that are behind, imports added by one line, and modules removed that nobody imports.

use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use git2::Oid;

use crate::download::{DOWNLOAD, Place, a_and_b, commit_tree, raw_tree};
use crate::git_http::{Fault, GitHttp};
use crate::terminal::{PROGRAM, Terminal};

const LOOK: &str = "modules --remote --allow file";

#[test]
fn outdated_modules_are_reported_with_their_commit_count() {
    let place = a_and_b();
    place.runs(DOWNLOAD, 0, &["2 modules fetched"]);
    place.runs(LOOK, 0, &["0 of 2 fetched modules behind"]);
    let lock = place.read("work/workbench.lock");
    let word = |text: &str| format!("func word() {{\n\t\"{text}\"\n}}\n");
    let first = place.repository("b").refname_to_id("HEAD").expect("there is a commit");
    place.commit("b", &[("main.mcl", &word("two")), ("metadata.yaml", "\n")]);
    place.commit("b", &[("main.mcl", &word("three")), ("metadata.yaml", "\n")]);
    // Without the network nothing is known of it.
    place.runs("modules", 0, &["repos/b/  present"]);
    place.runs(LOOK, 0, &["repos/b/  behind", "behind by 2 commits; the newest is", "`change`", "1 of 2 fetched"]);
    place.runs("modules --remote --allow file --format json", 0, &["\"state\":\"behind\"", "\"commits\":2"]);
    // It is kept with its time, until the lock has moved.
    place.runs("modules", 0, &["repos/b/  behind", "behind by 2 commits; the newest is", "(checked just now)"]);
    place.runs("modules --format json", 0, &["\"commits\":2", "\"looked\":\"just now\""]);
    place.runs(
        "modules --remote",
        0,
        &["could not be checked: `file` is not allowed", "could not check 2 of 2 fetched modules"],
    );
    assert_eq!(lock, place.read("work/workbench.lock"), "a look changes nothing");
    place.runs("modules", 0, &["repos/b/  behind"]);
    place.runs("download --update --allow file", 0, &["1 updated"]);
    place.runs("modules", 0, &["repos/b/  present"]);
    place.runs(LOOK, 0, &["0 of 2 fetched modules behind"]);
    // Set back, rewritten, gone.
    let repository = place.repository("b");
    repository.reference("refs/heads/main", first, true, "forced").expect("it is ours");
    place.runs(LOOK, 0, &["the remote was reset by 2 commits"]);
    place.commit("b", &[("main.mcl", &word("other")), ("metadata.yaml", "\n")]);
    place.runs(LOOK, 0, &["the remote history was rewritten: 1 commit new, 2 of the locked ones removed"]);
    fs::remove_dir_all(place.root.join("repos/b")).expect("it is ours");
    place.runs(LOOK, 0, &["could not be checked:", "could not check 1 of 2 fetched modules"]);
}

#[test]
fn followed_refs_are_reported() {
    let place = Place::new("import \"git://$ROOT/repos/a/?ref=v1\" as a\n");
    let first = place.commit("a", &[("main.mcl", "$x = 1\n"), ("metadata.yaml", "\n")]);
    let repository = place.repository("a");
    repository.reference("refs/tags/v1", first, false, "").expect("it is ours");
    place.runs(DOWNLOAD, 0, &["1 module fetched"]);
    let second = place.commit("a", &[("main.mcl", "$x = 2\n"), ("metadata.yaml", "\n")]);
    place.runs(LOOK, 0, &["0 of 1 fetched module behind"]);
    // A tag that moved is told, and moves only when asked to.
    repository.reference("refs/tags/v1", second, true, "").expect("it is ours");
    place.runs(LOOK, 0, &["behind by 1 commit"]);
    place.runs(DOWNLOAD, 0, &["1 unchanged"]);
    place.runs("download --update --allow file", 0, &["1 updated"]);
    // A branch that was deleted, and a commit that is none.
    repository.find_reference("refs/tags/v1").and_then(|mut tag| tag.delete()).expect("it is there");
    place.runs(LOOK, 0, &["no branch, tag or commit `v1`"]);
    place.runs("download --update --allow file", 1, &["no branch, tag or commit `v1`", "main.mcl:1:9"]);
    place.runs(DOWNLOAD, 0, &["1 unchanged"]);
    // A commit's own name stays what it is.
    place.write("work/main.mcl", &format!("import \"git://$ROOT/repos/a/?ref={first}\" as a\n"));
    place.runs(DOWNLOAD, 0, &["1 updated", &first.to_string()[..10]]);
    place.runs(LOOK, 0, &["0 of 1 fetched module behind"]);
    // The default branch has another name now.
    place.write("work/main.mcl", "import \"git://$ROOT/repos/a/\" as a\n");
    repository.find_branch("main", git2::BranchType::Local).and_then(|mut b| b.rename("trunk", true)).expect("ours");
    repository.set_head("refs/heads/trunk").expect("it is there");
    place.runs(DOWNLOAD, 0, &["1 updated", &second.to_string()[..10]]);
}

/// What stands behind a path and is no `ref` pins nothing, and whoever wrote it is told so, wherever the module comes in.
#[test]
fn unpinned_imports_are_reported() {
    let place = Place::new("import \"git://$ROOT/repos/a/?tag=v1\" as a\nprint \"x\" {\n\tmsg => a.word(),\n}\n");
    place.commit("a", &[("main.mcl", "func word() {\n\t\"one\"\n}\n"), ("metadata.yaml", "\n")]);
    let told = ["main.mcl:1:", "unheard-parameter", "`tag` is unknown: the default branch is fetched", "`?ref=`"];
    place.runs("download", 1, &[&told[..], &["url-refused", "1 error, 1 warning"]].concat());
    place.runs(DOWNLOAD, 0, &[&told[..], &["1 module fetched", "1 warning"]].concat());
    place.runs("check", 0, &told);
    place.write("work/main.mcl", "");
    let add = format!("modules add git://{}/repos/a/?reff=v1 --allow file", place.root.display());
    place.runs(
        &add,
        1,
        &["`reff` is unknown: the default branch is fetched; set a branch, tag or commit", "pass `--yes`"],
    );
}

#[test]
fn an_import_and_its_imports_are_added_together_or_not_at_all() {
    let place = a_and_b();
    place.write(
        "work/main.mcl",
        "# the site\n\nimport \"fmt\"\n\n# says it\nprint \"x\" {\n\tmsg => fmt.printf(\"x\"),\n}\n",
    );
    let before = place.read("work/main.mcl");
    let add = format!("modules add git://{}/repos/a/ --allow file", place.root.display());
    place.runs(&add, 1, &["main.mcl:4", "+ import \"git://$ROOT/repos/a/\"", "pass `--yes`"]);
    assert_eq!(before, place.read("work/main.mcl"));
    place.runs(&(add.clone() + " --yes"), 0, &["2 modules fetched", "added to main.mcl:4"]);
    let line = format!("import \"fmt\"\nimport \"git://{}/repos/a/\"\n\n# says it\n", place.root.display());
    assert!(place.read("work/main.mcl").contains(&line), "{}", place.read("work/main.mcl"));
    place.runs("check", 0, &[]);
    place.runs("fmt --check main.mcl", 0, &[]);
    place.runs(&(add.clone() + " --yes"), 1, &["import-not-added", "is already imported at main.mcl:4"]);
    place.runs(
        "modules add golang/strings --as fmt --yes",
        1,
        &["`fmt` is already the name of the import", "--as NAME"],
    );
    place.runs("modules add https://u:p@host.example/x/ --yes", 1, &["it contains a password"]);
    place.runs("modules add lib/ --yes", 1, &["does not exist"]);
    place.runs("modules add ../lib --yes", 1, &["a folder ends in `/`"]);
    place.runs("modules add golang/strings --yes", 0, &["added to main.mcl:5"]);
    // What cannot be fetched is not imported.
    let text = place.read("work/main.mcl");
    let lock = place.read("work/workbench.lock");
    let none = format!("modules add git://{}/repos/none/ --yes", place.root.display());
    place.runs(&none, 1, &["url-refused", "--allow file"]);
    place.runs(&(none + " --allow file"), 1, &["module-not-fetched"]);
    assert_eq!((text, lock), (place.read("work/main.mcl"), place.read("work/workbench.lock")));
    place.write("work/main.mcl", "$x = \n");
    place.runs(&(add + " --yes"), 1, &["unexpected-"]);
}

#[test]
fn unused_unedited_modules_are_removed() {
    let place = a_and_b();
    place.commit("c", &[("main.mcl", "$x = 1\n"), ("metadata.yaml", "\n")]);
    place.write("work/main.mcl", "import \"git://$ROOT/repos/a/\"\nimport \"git://$ROOT/repos/c/\"\n");
    place.runs(DOWNLOAD, 0, &["3 modules fetched"]);
    place.runs("modules prune --yes", 0, &["Nothing to remove."]);
    place.write("work/main.mcl", "import \"git://$ROOT/repos/c/\"\n");
    place.write("work/modules/mine/metadata.yaml", "\n");
    place.write("work/more.mcl", "import \"git://$ROOT/repos/a/\"\n$x = \n");
    place.write("work/main.mcl", "import \"git://$ROOT/repos/c/\"\nimport \"more.mcl\"\n");
    place.runs("modules prune --yes", 1, &["syntax errors", "its imports are unknown"]);
    place.write("work/main.mcl", "import \"git://$ROOT/repos/c/\"\n");
    place.runs(DOWNLOAD, 0, &["no longer imported", "workbench modules prune"]);
    place.runs("modules", 0, &["unused", "2 unused"]);
    let at = format!("modules{}/repos", place.root.display());
    place.write(&format!("work/{at}/b/main.mcl"), "$mine = 1\n");
    let before = place.read("work/workbench.lock");
    place.runs("modules prune", 1, &["repos/a", "edited since it was fetched", "not downloaded by workbench", "--yes"]);
    assert_eq!(before, place.read("work/workbench.lock"));
    place.runs("modules prune --yes", 0, &["1 module removed", "modules/mine, not downloaded by workbench"]);
    assert!(!place.root.join(format!("work/{at}/a")).exists() && place.root.join(format!("work/{at}/b")).exists());
    assert_eq!(place.read("work/workbench.lock").matches("[[module]]").count(), 2);
    fs::remove_dir_all(place.root.join(format!("work/{at}/b"))).expect("it is there");
    place.runs("modules prune --yes", 0, &["lock entry only", "1 module removed"]);
    assert!(place.root.join("work/modules/mine").exists());
    place.runs("download --locked --allow file", 0, &["1 unchanged"]);
}

/// A repository whose trees hold more than plain files.
fn odd(place: &Place) -> Oid {
    let repository = place.repository("odd");
    let blob = |text: &str| repository.blob(text.as_bytes()).expect("a blob can be written");
    let lib = raw_tree(&repository, &[("100644", "main.mcl", blob("func word() {\n\t\"lib\"\n}\n"))]);
    let sub = place.repository("sub").refname_to_id("HEAD").expect("there is a commit");
    let modules = blob("[submodule \"sub\"]\n\tpath = sub\n\turl = ../sub\n");
    let tree = raw_tree(
        &repository,
        &[
            ("100644", ".gitmodules", modules),
            ("120000", "copy", blob("lib")),
            ("40000", "lib", lib),
            ("100644", "main.mcl", blob("import \"copy/main.mcl\" as m\nfunc word() {\n\tm.word()\n}\n")),
            ("100644", "metadata.yaml", blob("\n")),
            ("120000", "out", blob("../../../secret")),
            ("160000", "sub", sub),
            ("100644", "x:y", blob("odd\n")),
        ],
    );
    commit_tree(&repository, tree)
}

#[test]
fn links_submodules_and_odd_names_need_permission_in_the_lock() {
    let place = Place::new("import \"git://$ROOT/repos/odd/\" as odd\nprint \"a\" {\n\tmsg => odd.word(),\n}\n");
    place.commit("sub", &[("readme", "of the submodule\n")]);
    odd(&place);
    let says =
        ["is a symbolic link", "is a submodule", "an invalid file name", "--allow copies,submodules,links,names"];
    place.runs(DOWNLOAD, 1, &says);
    place.runs("download --allow file,copies,submodules,names", 1, &["`out` is a symbolic link without a target"]);
    place.runs("download --allow file,copies,submodules,names,links", 0, &["1 module fetched", "skipped in", "`out`"]);
    let at = format!("work/modules{}/repos/odd", place.root.display());
    assert_eq!(place.read(&format!("{at}/sub/readme")), "of the submodule\n");
    assert!(place.root.join(&at).join("copy").symlink_metadata().is_ok_and(|stat| stat.is_dir()), "it is a copy");
    assert_eq!(place.read(&format!("{at}/x:y")), "odd\n");
    place.runs("graph", 0, &["msg  \"lib\""]);
    let lock = place.read("work/workbench.lock");
    assert!(lock.contains("allow = [\"links\", \"copies\", \"submodules\", \"names\"]"), "{lock}");
    // The lock says it for whoever fetches what it holds, and for nobody else.
    fs::remove_dir_all(place.root.join("work/modules")).expect("it was downloaded");
    place.runs("download --locked --allow file", 0, &["1 module fetched"]);
    assert_eq!(lock, place.read("work/workbench.lock"));
    fs::remove_dir_all(place.root.join("work/modules")).expect("it was downloaded");
    fs::remove_file(place.root.join("work/workbench.lock")).expect("it was downloaded");
    place.runs(DOWNLOAD, 1, &["is a submodule"]);
    // The user's settings say it for good, a project's do not.
    place.write("mine.toml", "fetch-allow = [\"file\", \"links\", \"copies\", \"submodules\", \"names\"]\n");
    place.write("work/workbench.toml", "fetch-allow = [\"file\"]\n");
    place.runs("download", 1, &["not-for-projects"]);
    fs::remove_file(place.root.join("work/workbench.toml")).expect("it was just written");
    place.runs("download --config ../mine.toml", 0, &["1 module fetched"]);
    place.write("mine.toml", "fetch-allow = [\"ext\"]\n");
    place.runs("download --config ../mine.toml", 1, &["invalid-setting", "`ext` is not one of"]);
}

#[test]
fn submodules_come_by_the_same_gate() {
    let urls = [
        ("ext::sh -c touch", "white space"),
        ("--upload-pack=touch", "it has no `://`"),
        ("https://u:p@host.example/x", "it contains a password"),
        ("http://127.0.0.1:1/x", "`http` is not allowed"),
        ("../../../../../../../../../x", "it points outside its host"),
        ("/etc", "it has no `://`"),
        ("../none", "its submodule `sub`"),
    ];
    for (url, says) in urls {
        let place = Place::new("import \"git://$ROOT/repos/odd/\" as odd\n");
        let repository = place.repository("odd");
        let blob = |text: &str| repository.blob(text.as_bytes()).expect("a blob can be written");
        let settings = blob(&format!("[submodule \"sub\"]\n\tpath = sub\n\turl = {url}\n"));
        let entries = [
            ("100644", ".gitmodules", settings),
            ("100644", "main.mcl", blob("\n")),
            ("100644", "metadata.yaml", blob("\n")),
            ("160000", "sub", Oid::from_str(&"1".repeat(40)).expect("forty digits")),
        ];
        commit_tree(&repository, raw_tree(&repository, &entries));
        place.runs("download --allow file,submodules", 1, &["module-not-fetched", says]);
        assert!(!place.root.join("work/modules").exists(), "{url}");
    }
}

/// A server that sends nothing more is given up when it was said to be, and left at once when nobody waits any more.
/// What was tried is named, and a server that answers otherwise is no matter of the network.
#[test]
fn a_server_without_https_is_reported() {
    let place = Place::new("\n");
    let server = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = server.local_addr().expect("it is bound").port();
    std::thread::spawn(move || {
        for mut stream in server.incoming().flatten() {
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
            // It is read to its end, or what was said is lost with the connection.
            let _ = std::io::copy(&mut stream, &mut std::io::sink());
        }
    });
    place.write("work/main.mcl", &format!("import \"https://127.0.0.1:{port}/b/\" as b\n"));
    place.runs("download", 1, &["`127.0.0.1` responds, but not with https", "check the URL and the port"]);
    // Nobody is at the port of https.
    place.write("work/main.mcl", "import \"git://127.0.0.1/b/\" as b\n");
    place.runs("download", 1, &["`git://127.0.0.1/b`", "port 443", "`--allow git` also tries it without encryption"]);
    place.write("work/main.mcl", &format!("import \"git://127.0.0.1:{port}/b/\" as b\n"));
    let written = format!("`git://127.0.0.1:{port}/b`");
    // Its port is that of plain git: https has its own.
    place.runs("download", 1, &[&written, "port 443", "`--allow git` also tries it without encryption"]);
}

/// A module of which a server sends the beginning, and no more.
fn silent() -> Option<(Place, GitHttp)> {
    let place = Place::new("\n");
    let noise: String = (0..4_000_u64).map(|n| format!("{:x}\n", n.wrapping_mul(0x9e37_79b9_7f4a_7c15))).collect();
    place.commit("b", &[("main.mcl", "\n"), ("metadata.yaml", "\n"), ("noise", &noise)]);
    let server = GitHttp::start_faulty(&place.root.join("repos"), Arc::new(Mutex::new(Fault::Stall)))?;
    place.write("work/main.mcl", &format!("import \"http://127.0.0.1:{}/b/\" as b\n", server.port));
    Some((place, server))
}

/// Whoever quits amid a fetch leaves nothing of it behind.
#[test]
fn a_fetch_that_is_left_leaves_nothing() {
    let Some((place, _server)) = silent() else { return };
    place.write("settings.toml", "fetch-allow = [\"http\"]\n");
    let root = place.root.display();
    let command =
        format!("cd {root}/work && HOME={root} WORKBENCH_STATE= exec {PROGRAM} --config ../settings.toml main.mcl");
    let mut terminal = Terminal::start(&["sh", "-c", &command], 120, 30);
    terminal.until_shows("not found in");
    terminal.press("4");
    // The list of modules is read after the program.
    terminal.until_shows("✗ missing");
    terminal.press("f");
    terminal.until_shows("fetching 0 of 1");
    let waits = place.root.join("work/modules/.workbench-fetch");
    terminal.until("something waits to be put in place", |_| waits.exists());
    terminal.press("q");
    assert_eq!(terminal.ended(), 0);
    assert!(!waits.exists(), "what it had begun is there yet");
}

#[test]
fn a_silent_server_ends_in_a_timeout() {
    let Some((place, _server)) = silent() else { return };
    place.runs("download --allow http --timeout 1", 1, &["no data from", "--timeout"]);
    let mut child = Command::new(env!("CARGO_BIN_EXE_workbench"))
        .args(["download", "--allow", "http"])
        .current_dir(place.root.join("work"))
        .env("HOME", &place.root)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary starts");
    std::thread::sleep(Duration::from_millis(1_500));
    let begun = Instant::now();
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), rustix::process::Signal::INT)
        .expect("it is ours");
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    crate::promises::figure(
        "cancel",
        format_args!("{} ms until a stalled download had ended", begun.elapsed().as_millis()),
    );
}
