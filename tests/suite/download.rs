//! Downloads from real repositories on this machine: closed over imports, locked, moved, and refused whole.

use std::fs;
use std::path::{Path, PathBuf};

use git2::{Oid, Repository, Signature};

use crate::cases::execute;
use crate::git_http::GitHttp;

/// A folder with repositories, a cache and an entry in `work`.
pub struct Place {
    _folder: tempfile::TempDir,
    pub root: PathBuf,
}

impl Place {
    pub fn new(main: &str) -> Self {
        let place = Self::empty();
        place.write("work/main.mcl", main);
        place.write("work/metadata.yaml", "\n");
        place
    }

    /// One with an entry of no language.
    pub fn empty() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let root = folder.path().canonicalize().expect("the folder was just made");
        fs::create_dir(root.join("work")).expect("the temporary folder can be written");
        Self { _folder: folder, root }
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().expect("a file has a folder")).expect("the temporary folder can be written");
        fs::write(path, text.replace("$ROOT", &self.root.display().to_string())).expect("the same");
    }

    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root.join(path)).unwrap_or_default()
    }

    /// Makes or extends a repository by a commit with exactly these files, which may lie in folders.
    pub fn commit(&self, name: &str, files: &[(&str, &str)]) -> Oid {
        let repository = self.repository(name);
        let mut index = git2::Index::new().expect("an index can be begun");
        for (path, text) in files {
            let text = text.replace("$ROOT", &self.root.display().to_string());
            let id = repository.blob(text.as_bytes()).expect("a blob can be written");
            let time = git2::IndexTime::new(0, 0);
            let (path, file_size) = (path.as_bytes().to_vec(), text.len() as u32);
            index
                .add(&git2::IndexEntry {
                    ctime: time,
                    mtime: time,
                    dev: 0,
                    ino: 0,
                    mode: 0o100_644,
                    uid: 0,
                    gid: 0,
                    file_size,
                    id,
                    flags: 0,
                    flags_extended: 0,
                    path,
                })
                .expect("the name is plain");
        }
        let tree = index.write_tree_to(&repository).expect("the tree can be written");
        commit_tree(&repository, tree)
    }

    /// The same, with a tag on the commit.
    pub fn release(&self, name: &str, tag: &str, files: &[(&str, &str)]) {
        let commit = self.commit(name, files);
        let tag = format!("refs/tags/{tag}");
        self.repository(name).reference(&tag, commit, true, "").expect("a tag can be made");
    }

    pub fn repository(&self, name: &str) -> Repository {
        let path = self.root.join("repos").join(name);
        Repository::open_bare(&path).unwrap_or_else(|_| {
            let mut options = git2::RepositoryInitOptions::new();
            options.bare(true).initial_head("main").mkpath(true);
            Repository::init_opts(path, &options).expect("a repository can be made")
        })
    }

    /// Runs a command in `work`; gives its exit code, and what it said on both streams.
    pub fn run(&self, words: &str) -> (i32, String) {
        let words: Vec<String> = words.split(' ').map(Into::into).collect();
        let output = execute(&words, None, &self.root.join("work"));
        let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        (output.status.code().unwrap_or(-1), text)
    }

    pub fn runs(&self, words: &str, exit: i32, says: &[&str]) {
        let (code, text) = self.run(words);
        assert_eq!(code, exit, "{words}: {text}");
        for part in says {
            let part = part.replace("$ROOT", &self.root.display().to_string());
            assert!(text.contains(&part), "{words} does not say {part:?}:\n{text}");
        }
    }

    /// All files below `work`, with their texts.
    pub fn work(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut found = Vec::new();
        collect(&self.root.join("work"), &mut found);
        found.sort();
        found
    }
}

fn collect(folder: &Path, found: &mut Vec<(PathBuf, Vec<u8>)>) {
    for entry in fs::read_dir(folder).expect("the folder is there").flatten() {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            found.push((path.clone(), Vec::new()));
            collect(&path, found);
        } else {
            found.push((path.clone(), fs::read(&path).unwrap_or_default()));
        }
    }
}

pub fn commit_tree(repository: &Repository, tree: Oid) -> Oid {
    let who = Signature::now("a", "a@example.com").expect("the name is plain");
    let tree = repository.find_tree(tree).expect("the tree was just written");
    let parent = repository.head().and_then(|head| head.peel_to_commit()).ok();
    let parents: Vec<_> = parent.iter().collect();
    repository.commit(Some("HEAD"), &who, &who, "change", &tree, &parents).expect("a commit can be written")
}

const IMPORT_A: &str = "import \"git://$ROOT/repos/a/\"\ninclude a.all\n";

pub fn a_and_b() -> Place {
    let place = Place::new(IMPORT_A);
    let a = "import \"git://$ROOT/repos/b/\"\nclass all() {\n\tprint \"a\" {\n\t\tmsg => b.word(),\n\t}\n}\n";
    place.commit("a", &[("main.mcl", a), ("metadata.yaml", "\n")]);
    place.commit("b", &[("main.mcl", "func word() {\n\t\"one\"\n}\n"), ("metadata.yaml", "\n")]);
    place
}

pub const DOWNLOAD: &str = "download --allow file";

#[test]
fn transitive_imports_are_fetched_once() {
    let place = a_and_b();
    place.runs("check", 1, &["missing-module", "workbench download"]);
    place.runs("download", 1, &["url-refused", "--allow file", "main.mcl:1:9"]);
    place.runs(DOWNLOAD, 0, &["2 modules fetched, 0 updated, 0 unchanged"]);
    place.runs("graph", 0, &["msg  \"one\""]);
    let lock = place.read("work/workbench.lock");
    assert_eq!(lock.matches("[[module]]").count(), 2, "{lock}");
    place.runs("download --locked --allow file", 0, &["0 modules fetched, 0 updated, 2 unchanged"]);
    assert_eq!(lock, place.read("work/workbench.lock"));
    assert!(!place.work().iter().any(|(path, _)| path.to_string_lossy().contains(".workbench-")), "nothing is left");
}

#[test]
fn a_lock_brings_back_the_same_commits_and_an_update_moves_them() {
    let place = a_and_b();
    place.runs(DOWNLOAD, 0, &["2 modules fetched"]);
    place.commit("b", &[("main.mcl", "func word() {\n\t\"two\"\n}\n"), ("metadata.yaml", "\n")]);
    fs::remove_dir_all(place.root.join("work/modules")).expect("the modules are there");
    place.runs("download --locked --allow file", 0, &["2 modules fetched"]);
    place.runs("graph", 0, &["msg  \"one\""]);
    place.runs("download --update --allow file", 0, &["1 updated, 1 unchanged", "repos/b/"]);
    place.runs("graph", 0, &["msg  \"two\""]);
}

/// One module moves alone; another that could move as well stays as locked.
#[test]
fn an_update_moves_the_module_that_is_named() {
    let place = a_and_b();
    place.runs(DOWNLOAD, 0, &["2 modules fetched"]);
    let before = place.read("work/workbench.lock");
    let commit =
        |text: &str| before.lines().find(|line| line.contains("commit") && line.contains(text)).map(str::to_owned);
    let head = |name: &str| place.repository(name).refname_to_id("HEAD").expect("there is a commit").to_string();
    let old_a = head("a");
    assert!(commit(&old_a).is_some(), "{before}");
    let main = fs::read_to_string(
        place.root.join("work/modules").join(format!("{}/repos/a/main.mcl", &place.root.display().to_string()[1..])),
    );
    place.commit("a", &[("main.mcl", &format!("{}# newer\n", main.expect("it came"))), ("metadata.yaml", "\n")]);
    place.commit("b", &[("main.mcl", "func word() {\n\t\"two\"\n}\n"), ("metadata.yaml", "\n")]);
    let b = format!("git://{}/repos/b/", place.root.display());
    place.runs(
        &format!("download --update={b} --allow file"),
        0,
        &["1 updated, 1 unchanged", "repos/b/", &head("b")[..10]],
    );
    place.runs("graph", 0, &["msg  \"two\""]);
    let after = place.read("work/workbench.lock");
    assert!(after.contains(&old_a) && after.contains(&head("b")), "{after}");
    place.runs(&format!("download --update={b} --allow file"), 0, &["0 updated, 2 unchanged"]);
    let misspelt = format!("git://{}/repos/bb/", place.root.display());
    place.runs(
        &format!("download --update={misspelt} --allow file"),
        1,
        &["is not a fetched module of this entry", "did you mean"],
    );
    place.runs("download --update --allow file", 0, &["1 updated, 1 unchanged", "repos/a/"]);
}

#[test]
fn a_ref_pins_and_two_refs_for_one_folder_are_refused() {
    let place = Place::new("import \"git://$ROOT/repos/b/?ref=v1\"\nprint \"x\" {\n\tmsg => b.word(),\n}\n");
    let first = place.commit("b", &[("main.mcl", "func word() {\n\t\"one\"\n}\n"), ("metadata.yaml", "\n")]);
    let repository = place.repository("b");
    repository.reference("refs/tags/v1", first, false, "").expect("a tag can be made");
    place.commit("b", &[("main.mcl", "func word() {\n\t\"two\"\n}\n"), ("metadata.yaml", "\n")]);
    place.runs(DOWNLOAD, 0, &["1 module fetched", &first.to_string()[..10]]);
    place.runs("graph", 0, &["msg  \"one\""]);
    place.write("work/main.mcl", "import \"git://$ROOT/repos/b/?ref=v2\"\n");
    place.runs("download --locked --allow file", 1, &["lock-drift", "`v2` is required, the lock file has `v1`"]);
    place.runs(DOWNLOAD, 1, &["no branch, tag or commit `v2`", "did you mean `v1`?"]);
    let both = "import \"git://$ROOT/repos/b/?ref=v1\"\nimport \"git://$ROOT/repos/b/\" as other\n";
    place.write("work/main.mcl", both);
    place.runs(DOWNLOAD, 1, &["refs-disagree", "main.mcl:1:9", "also imported here"]);
}

#[test]
fn edits_are_never_lost() {
    let place = a_and_b();
    place.runs(DOWNLOAD, 0, &["2 modules fetched"]);
    let edited = format!("work/modules{}/repos/b/main.mcl", place.root.display());
    place.write(&edited, "func word() {\n\t\"mine\"\n}\n");
    place.commit("b", &[("main.mcl", "func word() {\n\t\"two\"\n}\n"), ("metadata.yaml", "\n")]);
    place.runs(DOWNLOAD, 0, &["edited, not touched"]);
    let before = place.work();
    place.runs("download --update --allow file", 1, &["module-edited", "commit and push your edits"]);
    place.runs("download --locked --allow file", 1, &["module-edited"]);
    assert!(before == place.work(), "a refusal changes nothing");
}

#[test]
fn one_refusal_leaves_everything_as_it_was() {
    let place = Place::new("import \"git://$ROOT/repos/good/\"\nimport \"git://$ROOT/repos/gone/\"\n");
    place.commit("good", &[("main.mcl", "$x = 1\n"), ("metadata.yaml", "\n")]);
    let before = place.work();
    place.runs(DOWNLOAD, 1, &["module-not-fetched", "repos/gone/", "main.mcl:2:9"]);
    assert!(before == place.work(), "a refusal changes nothing");
}

/// A tree with one entry, written past all checks.
pub fn raw_tree(repository: &Repository, entries: &[(&str, &str, Oid)]) -> Oid {
    let mut bytes = Vec::new();
    for (mode, name, id) in entries {
        bytes.extend_from_slice(format!("{mode} {name}\0").as_bytes());
        bytes.extend_from_slice(id.as_bytes());
    }
    let odb = repository.odb().expect("a repository has objects");
    odb.write(git2::ObjectType::Tree, &bytes).expect("any bytes can be written")
}

#[test]
fn hostile_trees_are_refused_with_the_reason() {
    let place = Place::new("import \"git://$ROOT/repos/evil/\"\n");
    let repository = place.repository("evil");
    let blob = repository.blob(b"\n").expect("a blob can be written");
    let link = repository.blob(b"/etc").expect("a blob can be written");
    let some = raw_tree(&repository, &[("100644", "main.mcl", blob)]);
    type Entry<'a> = (&'a str, &'a str, Oid);
    let cases: &[(&[Entry<'_>], &str)] = &[
        (&[("120000", "link", link)], "`link` is a symbolic link"),
        (&[("160000", "sub", blob)], "`sub` is a submodule"),
        (&[("40000", "..", some)], "`..` has an invalid file name"),
        (&[("100644", "../x", blob)], "`../x` has an invalid file name"),
        (&[("100644", "/etc/x", blob)], "`/etc/x` has an invalid file name"),
        (&[("40000", ".git", some)], "`.git` has a name reserved by git"),
        (&[("40000", "GIT~1", some)], "`GIT~1` has a name reserved by git"),
        (&[("100644", "A", blob), ("100644", "a", blob)], "`a` differs from another name only in case"),
        (&[("100644", "a\u{1b}[2J", blob)], "`a\\x1b[2J` has an invalid file name"),
        (&[("100644", "-rf", blob)], "`-rf` has an invalid file name"),
        (&[("100644", "a", blob), ("40000", "a", some)], "`a` differs from another name"),
        (&[("60000", "dev", blob)], "`dev` is not a file or folder"),
        (&[("120000", "l1", link), ("160000", "s", blob)], "is a symbolic link; `s` is a submodule"),
    ];
    let before = place.work();
    for (entries, says) in cases {
        commit_tree(&repository, raw_tree(&repository, entries));
        place.runs(DOWNLOAD, 1, &["module-not-fetched", says]);
        assert!(before == place.work(), "a refusal changes nothing");
    }
    let entries = [("120000", "link", link), ("100644", "main.mcl", blob), ("100644", "metadata.yaml", blob)];
    commit_tree(&repository, raw_tree(&repository, &entries));
    place.runs("download --allow file,links", 0, &["1 module fetched", "`link` is a symbolic link"]);
    assert!(!place.work().iter().any(|(path, _)| path.ends_with("link")), "it was left out");
}

#[test]
fn http_redirects_and_logins_follow_the_permission() {
    let place = Place::new("\n");
    place.commit("b", &[("main.mcl", "func word() {\n\t\"one\"\n}\n"), ("metadata.yaml", "\n")]);
    let Some(server) = GitHttp::start(&place.root.join("repos")) else { return };
    let imports = |path: &str| {
        let _ = fs::remove_dir_all(place.root.join("work/modules"));
        place.write("work/main.mcl", &format!("import \"http://127.0.0.1:{}{path}\" as b\n", server.port));
    };
    imports("/b/");
    place.runs("download", 1, &["url-refused", "`http` is not allowed"]);
    place.runs("download --allow http", 0, &["1 module fetched"]);
    place.runs("check", 0, &[]);
    imports("/moved/b/");
    place.runs("download --allow http", 0, &["1 module fetched"]);
    imports("/away/b/");
    place.runs("download --allow http,file", 1, &["redirects to `file:///b/info/refs", "which is not allowed"]);
    imports("/page/");
    place.runs("download --allow http", 1, &["does not use the git protocol"]);
    imports("/none/");
    place.runs("download --allow http", 1, &["no repository at", "status 404"]);
    imports("/private/b/");
    place.runs("download --allow http", 1, &["requires a user name and a password"]);
    let helper = "[credential]\n\thelper = \"!f() { echo username=u; echo password=p; }; f\"\n";
    place.write(".gitconfig", helper);
    place.runs("download --allow http", 0, &["1 module fetched"]);
}

#[test]
fn a_download_that_is_killed_midway_leaves_before_or_after() {
    let place = Place::new("import \"git://$ROOT/repos/big/\"\n");
    let text = "# words\n".repeat(20_000);
    let names: Vec<String> = (0..60).map(|number| format!("f{number}")).collect();
    let mut files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), text.as_str())).collect();
    files.extend([("main.mcl", "$x = 1\n"), ("metadata.yaml", "\n")]);
    place.commit("big", &files);
    let module = place.root.join(format!("work/modules{}/repos/big", place.root.display()));
    let mut cut = 0;
    for delay in (0..60).step_by(3) {
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_workbench"))
            .args(["download", "--allow", "file"])
            .current_dir(place.root.join("work"))
            .env("WORKBENCH_CACHE", place.root.join(format!("cache{delay}")))
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .expect("the binary starts");
        std::thread::sleep(std::time::Duration::from_millis(delay));
        let _ = child.kill();
        child.wait().expect("it ended");
        if module.exists() {
            let there = fs::read_dir(&module).expect("it is a folder").count();
            assert_eq!(there, files.len(), "a module is there whole or not at all");
            fs::remove_dir_all(place.root.join("work/modules")).expect("it can be removed");
            let _ = fs::remove_file(place.root.join("work/workbench.lock"));
        } else {
            cut += 1;
        }
    }
    assert!(cut > 0, "none was interrupted");
    place.runs(DOWNLOAD, 0, &["1 module fetched"]);
    place.runs("download --locked --allow file", 0, &["1 unchanged"]);
    let left = place.work().iter().filter(|(path, _)| path.to_string_lossy().contains(".workbench-")).count();
    assert_eq!(left, 0, "what was left behind is gone");
}

/// A download that was ended while it put things in place is finished by the next, which removes what others before it left.
#[test]
fn leftovers_of_an_earlier_download_are_removed() {
    let place = Place::new("import \"git://$ROOT/repos/one/\"\n");
    place.commit("one", &[("main.mcl", "$x = 1\n"), ("metadata.yaml", "\n")]);
    place.runs(DOWNLOAD, 0, &["1 module fetched"]);
    let work = place.root.join("work");
    let target = format!("modules{}/repos/one", place.root.display());
    let stage = work.join("modules/.workbench-fetch");
    fs::create_dir_all(stage.join("older")).expect("it is ours");
    fs::rename(work.join(&target), stage.join("0")).expect("it is there");
    let lock = fs::read_to_string(work.join("workbench.lock")).expect("it was written");
    let hash = lock.split('"').find(|word| word.starts_with("sha256:")).expect("each module has one");
    let placing = serde_json::json!({ "staged": "./modules/.workbench-fetch/0", "target": target, "hash": hash });
    let note = serde_json::json!({ "placings": [placing], "lock": lock });
    fs::remove_file(work.join("workbench.lock")).expect("it is there");
    fs::write(work.join(".workbench-fetch.json"), note.to_string()).expect("it is ours");
    place.runs(DOWNLOAD, 0, &["finished an earlier download", "1 unchanged"]);
    assert!(work.join(&target).join("main.mcl").exists() && !stage.exists());
}
