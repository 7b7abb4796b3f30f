//! URLs and repositories that somebody made to do harm: refused or survived, with no process and no byte elsewhere (G13).
//!
//! The URLs are data in `tests/cases/hostile/urls.tsv`: what the reason says, and the URL as JSON writes it.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use git2::{ObjectType, Oid, Repository};
use workbench::fetch::{Allowed, GitUrl};

use crate::download::{Place, commit_tree, raw_tree};
use crate::promises::figure;

fn urls() -> Vec<(String, String)> {
    let text = fs::read_to_string("tests/cases/hostile/urls.tsv").expect("the list is there");
    let line = |line: &str| {
        let (reason, url) = line.split_once('\t').expect("a tab parts them");
        (reason.to_owned(), serde_json::from_str(url).expect("URLs are JSON"))
    };
    text.lines().map(line).collect()
}

/// Programs that leave a mark when anybody starts them, as all that is on the search path.
struct Tripwires {
    folder: PathBuf,
}

impl Tripwires {
    fn new(root: &Path) -> Self {
        let folder = root.join("tripwires");
        fs::create_dir_all(&folder).expect("the temporary folder can be written");
        let names =
            ["git", "ssh", "sh", "bash", "env", "touch", "curl", "git-upload-pack", "git-remote-ext", "git-lfs", "x"];
        for name in names {
            let path = folder.join(name);
            fs::write(&path, format!("#!/bin/sh\necho {name} \"$@\" >> {}\n", root.join("tripped").display()))
                .expect("the temporary folder can be written");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it is ours");
        }
        Self { folder }
    }

    /// Runs the binary in `work`; gives its exit code and what it said.
    fn run(&self, place: &Place, words: &[&str]) -> (i32, String) {
        let output = self.command(place, env!("CARGO_BIN_EXE_workbench"), words).output().expect("the binary starts");
        let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert!(!place.root.join("tripped").exists(), "{words:?} started {}: {text}", place.read("tripped"));
        (output.status.code().unwrap_or(-1), text)
    }

    fn command(&self, place: &Place, program: &str, words: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(words).current_dir(place.root.join("work")).env_clear().stdin(Stdio::null());
        command.env("PATH", &self.folder).env("HOME", place.root.join("home"));
        command
    }

    /// The programs that a run starts, where there is a tracer.
    fn started(&self, place: &Place, words: &[&str]) -> Option<BTreeSet<String>> {
        let trace = place.root.join("trace");
        let strace = ["/usr/bin/strace", "/bin/strace"].into_iter().find(|path| Path::new(path).exists())?;
        let mut all = vec!["-f", "-qq", "-e", "trace=execve", "-o", trace.to_str()?, env!("CARGO_BIN_EXE_workbench")];
        all.extend(words);
        self.command(place, strace, &all).output().ok()?;
        let text = fs::read_to_string(trace).ok()?;
        let program = |line: &str| Some(line.split_once("execve(\"")?.1.split('"').next()?.to_owned());
        let started = text.lines().filter(|line| line.contains(" = 0")).filter_map(program);
        // The worker is this program.
        Some(started.filter(|program| program != "/proc/self/exe").collect())
    }
}

/// Everything below a folder: its paths, and what is in its files.
fn snapshot(folder: &Path) -> BTreeSet<(PathBuf, Vec<u8>)> {
    let mut found = BTreeSet::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(entry.path());
            }
            found.insert((entry.path(), fs::read(entry.path()).unwrap_or_default()));
        }
    }
    found
}

#[test]
fn every_hostile_url_is_refused_by_name_and_starts_nothing() {
    let all = urls();
    assert!(all.len() >= 150, "{} URLs", all.len());
    let place = Place::new("");
    let tripwires = Tripwires::new(&place.root);
    let mut wrong = Vec::new();
    for (at, (reason, url)) in all.iter().enumerate() {
        let judged = GitUrl::parse(url).and_then(|parsed| parsed.check_allowed(Allowed::default()));
        let told = judged.err().map_or_else(|| "it was taken".to_owned(), |error| error.to_string());
        if !told.contains(reason.as_str()) {
            wrong.push(format!("{url:?}: {told}"));
            continue;
        }
        let quoted: String = url
            .chars()
            .flat_map(|c| match c {
                '"' | '\\' | '$' => vec!['\\', c],
                '\n' => vec!['\\', 'n'],
                '\r' => vec!['\\', 'r'],
                '\t' => vec!['\\', 't'],
                c => vec![c],
            })
            .collect();
        place.write("work/main.mcl", &format!("import \"{quoted}\" as m\n"));
        let before = snapshot(&place.root.join("work"));
        let (code, text) = tripwires.run(&place, &["download"]);
        // What is no URL at all is no import from elsewhere: then it is for compiling to refuse.
        let refused = if code == 0 { tripwires.run(&place, &["check"]) } else { (code, text) };
        if !(refused.0 == 1 && refused.1.contains("error[")) {
            wrong.push(format!("{url:?}: {refused:?}"));
        }
        assert!(snapshot(&place.root.join("work")) == before, "{url:?} left something");
        let mirrors = fs::read_dir(place.root.join("home/.cache/workbench/git")).into_iter().flatten().flatten();
        let fetched = mirrors.filter(|entry| entry.path().extension().is_some_and(|e| e == "git")).count();
        assert_eq!(fetched, 0, "{url:?} came to be fetched");
        if at % 20 == 0
            && let Some(started) = tripwires.started(&place, &["download", "--allow", "git,http,file,links"])
        {
            assert!(started.len() <= 1 || reason == "not allowed", "{url:?} started {started:?}");
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    figure("G13", format_args!("{} hostile URLs refused, 0 processes started", all.len()));
}

/// How a hostile repository is made, and what a download says of it.
type Evil = (&'static str, Ends, fn(&Scene));

#[derive(Clone, Copy)]
enum Ends {
    /// With these words, and nothing written.
    Refused(&'static str),
    /// It comes; what is hostile in it does nothing.
    Survived,
}
use Ends::{Refused, Survived};

/// A repository that is being made, with what its trees can be made of.
struct Scene {
    repository: Repository,
    path: PathBuf,
    root: PathBuf,
    blob: Oid,
    tree: Oid,
}

impl Scene {
    fn commit(&self, entries: &[(&str, &str, Oid)]) {
        commit_tree(&self.repository, raw_tree(&self.repository, entries));
    }

    /// The two files of a module, and something beside them.
    fn beside(&self, mode: &str, name: &str, id: Oid) {
        self.commit(&[(mode, name, id), ("100644", "main.mcl", self.blob), ("100644", "metadata.yaml", self.blob)]);
    }

    fn blob(&self, bytes: &[u8]) -> Oid {
        self.repository.blob(bytes).expect("a blob can be written")
    }

    fn plain(&self) {
        self.commit(&[("100644", "main.mcl", self.blob), ("100644", "metadata.yaml", self.blob)]);
    }

    fn append(&self, file: &str, text: &str) {
        let path = self.path.join(file);
        fs::create_dir_all(path.parent().expect("it lies in the repository")).expect("the folder can be written");
        let before = fs::read_to_string(&path).unwrap_or_default();
        fs::write(path, before + &text.replace("$ROOT", &self.root.display().to_string())).expect("the same");
    }

    /// All objects in one pack, as a server would send them.
    fn pack(&self) -> PathBuf {
        let mut builder = self.repository.packbuilder().expect("a pack can be begun");
        let head = self.repository.head().and_then(|head| head.peel_to_commit()).expect("there is a commit");
        builder.insert_commit(head.id()).expect("it is there");
        let folder = self.path.join("objects/pack");
        builder.write(&folder, 0o644).expect("a pack can be written");
        for entry in fs::read_dir(self.path.join("objects")).expect("it is there").flatten() {
            if entry.file_name().len() == 2 {
                fs::remove_dir_all(entry.path()).expect("it is ours");
            }
        }
        let packs = fs::read_dir(folder).expect("it is there").flatten().map(|entry| entry.path());
        packs.into_iter().find(|path| path.extension().is_some_and(|e| e == "pack")).expect("it was just written")
    }

    fn change(&self, path: &Path, change: impl Fn(&mut Vec<u8>)) {
        let mut bytes = fs::read(path).expect("it is there");
        fs::set_permissions(path, fs::Permissions::from_mode(0o644)).expect("it is ours");
        change(&mut bytes);
        fs::write(path, bytes).expect("it is ours");
    }
}

const NAME: &str = "an invalid file name";
const GITS: &str = "a name reserved by git";

const EVIL: &[Evil] = &[
    ("link", Refused("`l` is a symbolic link"), |s| s.beside("120000", "l", s.blob(b"/etc/passwd"))),
    ("metadata is a link", Refused("is a symbolic link"), |s| {
        s.commit(&[("100644", "main.mcl", s.blob), ("120000", "metadata.yaml", s.blob(b"../../../secret"))]);
    }),
    ("link and file through it", Refused("`a` is a symbolic link"), |s| {
        s.commit(&[("120000", "a", s.blob(b"/tmp")), ("40000", "a", s.tree)]);
    }),
    ("submodule", Refused("`s` is a submodule"), |s| s.beside("160000", "s", s.blob)),
    ("submodule with an option as URL", Refused("`s` is a submodule"), |s| {
        let modules = s.blob(b"[submodule \"s\"]\n\tpath = s\n\turl = --upload-pack=touch ran\n");
        s.commit(&[("100644", ".gitmodules", modules), ("160000", "s", s.blob)]);
    }),
    ("hooks beside it", Survived, |s| {
        s.plain();
        for hook in ["post-checkout", "post-merge", "pre-receive", "reference-transaction", "post-update"] {
            s.append(&format!("hooks/{hook}"), "#!/bin/sh\ntouch $ROOT/tripped\n");
            let path = s.path.join("hooks").join(hook);
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("it is ours");
        }
    }),
    ("filters and drivers", Survived, |s| {
        let attributes = s.blob(b"* filter=evil diff=evil merge=evil text eol=crlf ident export-subst\n");
        s.beside("100644", ".gitattributes", attributes);
        s.append(
            "config",
            "[filter \"evil\"]\n\tsmudge = touch $ROOT/tripped\n\tprocess = touch $ROOT/tripped\n\trequired = true\n",
        );
    }),
    ("settings that start programs", Survived, |s| {
        s.plain();
        s.append(
            "config",
            "[core]\n\tfsmonitor = touch $ROOT/tripped\n\tsshCommand = touch $ROOT/tripped\n\tpager = touch $ROOT/tripped\n\
             \thooksPath = $ROOT/hooks\n\tgitProxy = touch\n[uploadpack]\n\tpackObjectsHook = touch $ROOT/tripped\n\
             [credential]\n\thelper = !touch $ROOT/tripped\n",
        );
    }),
    ("settings that include others", Refused("error["), |s| {
        s.plain();
        s.append("config", "[include]\n\tpath = /etc/passwd\n[includeIf \"gitdir:/\"]\n\tpath = $ROOT/evil\n");
    }),
    ("a work tree elsewhere", Survived, |s| {
        s.plain();
        s.append("config", "[core]\n\tbare = false\n\tworktree = $ROOT/work\n");
    }),
    ("large files elsewhere", Survived, |s| {
        s.beside("100644", "big", s.blob(b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"));
        s.append("config", "[filter \"lfs\"]\n\tsmudge = touch $ROOT/tripped\n");
    }),
    (".git", Refused(GITS), |s| s.beside("40000", ".git", s.tree)),
    (".GIT", Refused(GITS), |s| s.beside("40000", ".GIT", s.tree)),
    ("GIT~1", Refused(GITS), |s| s.beside("40000", "GIT~1", s.tree)),
    ("a file .git", Refused(GITS), |s| s.beside("100644", ".git", s.blob(b"gitdir: /tmp/evil\n"))),
    (".git with a space", Refused(NAME), |s| s.beside("40000", ".git ", s.tree)),
    (".git with a dot", Refused(NAME), |s| s.beside("40000", ".git.", s.tree)),
    (".git with what is not seen", Refused("name"), |s| s.beside("40000", ".g\u{200c}it", s.tree)),
    (".git with a stream", Refused(NAME), |s| s.beside("40000", ".git::$INDEX_ALLOCATION", s.tree)),
    ("out", Refused(NAME), |s| s.beside("40000", "..", s.tree)),
    ("out and down", Refused(NAME), |s| s.beside("100644", "../../x", s.blob)),
    ("absolute", Refused(NAME), |s| s.beside("100644", "/etc/cron.d/x", s.blob)),
    ("here", Refused(NAME), |s| s.beside("40000", ".", s.tree)),
    ("backslash", Refused(NAME), |s| s.beside("100644", "..\\x", s.blob)),
    ("option", Refused(NAME), |s| s.beside("100644", "--upload-pack=x", s.blob)),
    ("newline", Refused(NAME), |s| s.beside("100644", "a\nb", s.blob)),
    ("escape sequence", Refused(NAME), |s| s.beside("100644", "a\u{1b}]0;x\u{7}", s.blob)),
    ("direction mark", Refused(NAME), |s| s.beside("100644", "a\u{202e}lcm", s.blob)),
    ("very long", Refused(NAME), |s| s.beside("100644", &"n".repeat(300), s.blob)),
    ("case clash", Refused("only in case"), |s| {
        s.commit(&[("100644", "MAIN.mcl", s.blob), ("100644", "main.mcl", s.blob)]);
    }),
    ("case clash beyond ASCII", Refused("only in case"), |s| {
        s.commit(&[("100644", "É", s.blob), ("100644", "é", s.blob)]);
    }),
    ("file and folder", Refused("only in case"), |s| {
        s.commit(&[("100644", "a", s.blob), ("40000", "a", s.tree)]);
    }),
    ("device", Refused("not a file or folder"), |s| s.beside("60000", "dev", s.blob)),
    ("setuid", Refused("not a file or folder"), |s| s.beside("104755", "su", s.blob)),
    ("deep", Refused("is nested too deep"), |s| {
        let mut tree = s.tree;
        for _ in 0..100 {
            tree = raw_tree(&s.repository, &[("40000", "d", tree)]);
        }
        s.beside("40000", "d", tree);
    }),
    ("a million entries", Refused("exceeds the limit of entries"), |s| {
        let names: Vec<String> = (0..1_000).map(|n| format!("f{n:04}")).collect();
        let files: Vec<_> = names.iter().map(|name| ("100644", name.as_str(), s.blob)).collect();
        let folder = raw_tree(&s.repository, &files);
        let folders: Vec<_> = names.iter().map(|name| ("40000", name.as_str(), folder)).collect();
        s.commit(&folders);
    }),
    ("folders that double", Refused("exceeds the limit of entries"), |s| {
        let mut tree = s.tree;
        for _ in 0..40 {
            tree = raw_tree(&s.repository, &[("40000", "a", tree), ("40000", "b", tree)]);
        }
        s.beside("40000", "d", tree);
    }),
    ("one file too large", Refused("is too large"), |s| s.beside("100644", "zeros", s.blob(&vec![0; 65 << 20]))),
    ("too large in all", Refused("exceeds the total size limit"), |s| {
        let big = s.blob(&vec![0; 40 << 20]);
        let names = ["b0", "b1", "b2", "b3", "b4", "b5", "b6"];
        s.commit(&names.map(|name| ("100644", name, big)));
    }),
    ("a blob that is not there", Refused("error["), |s| {
        s.beside("100644", "gone", Oid::from_str(&"1".repeat(40)).expect("forty digits"));
    }),
    ("a folder that is a file", Refused("error["), |s| s.beside("40000", "folder", s.blob)),
    ("a tree of nonsense", Refused("error["), |s| {
        let odb = s.repository.odb().expect("a repository has objects");
        let tree = odb.write(ObjectType::Tree, b"100644 a").expect("any bytes can be written");
        s.beside("40000", "t", tree);
    }),
    ("nothing in it", Refused("its default branch has no commit"), |_| {}),
    ("HEAD to nowhere", Refused("error["), |s| {
        s.plain();
        fs::write(s.path.join("HEAD"), "ref: refs/heads/../../../etc/passwd\n").expect("it is ours");
    }),
    ("HEAD is a link", Refused("error["), |s| {
        s.plain();
        fs::remove_file(s.path.join("HEAD")).expect("it is there");
        symlink("/etc/passwd", s.path.join("HEAD")).expect("the folder can be written");
    }),
    ("a ref that is an option", Survived, |s| {
        s.plain();
        let head = s.repository.refname_to_id("HEAD").expect("there is a commit");
        fs::write(s.path.join("refs/heads/--upload-pack=x"), format!("{head}\n")).expect("it is ours");
    }),
    ("a branch that is no commit", Refused("error["), |s| {
        fs::write(s.path.join("refs/heads/main"), format!("{}\n", s.blob)).expect("it is ours");
    }),
    ("refs of nonsense", Refused("error["), |s| {
        s.plain();
        fs::write(s.path.join("packed-refs"), "\0\0 not a ref\n".repeat(50)).expect("it is ours");
    }),
    ("a pack that is cut off", Refused("error["), |s| {
        s.plain();
        s.change(&s.pack(), |bytes| bytes.truncate(bytes.len() / 2));
    }),
    ("a pack with a changed byte", Refused("error["), |s| {
        s.plain();
        s.change(&s.pack(), |bytes| {
            let at = bytes.len() / 2;
            bytes[at] ^= 0x55;
        });
    }),
    ("an object under another's name", Refused("error["), |s| {
        s.plain();
        let name = s.blob.to_string();
        let other = s.blob(b"something else").to_string();
        let of = |name: &str| s.path.join("objects").join(&name[..2]).join(&name[2..]);
        let bytes = fs::read(of(&other)).expect("it was just written");
        s.change(&of(&name), |there| *there = bytes.clone());
    }),
    ("objects elsewhere", Survived, |s| {
        s.plain();
        s.append("objects/info/alternates", "/proc/self/root\n../../../../../../etc\n$ROOT/none\n");
    }),
    ("a repository of another hash", Refused("error["), |s| {
        s.plain();
        s.append("config", "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = sha256\n");
    }),
    ("no repository", Refused("error["), |s| {
        fs::remove_dir_all(&s.path).expect("it is ours");
        fs::create_dir(&s.path).expect("it was just removed");
        fs::write(s.path.join("HEAD"), "ref: refs/heads/main\n").expect("it is ours");
    }),
];

#[test]
fn every_hostile_repository_is_refused_or_survived() {
    assert!(EVIL.len() >= 40, "{} repositories", EVIL.len());
    let mut wrong = Vec::new();
    for (at, (name, ends, make)) in EVIL.iter().enumerate() {
        let place = Place::new("import \"git://$ROOT/repos/evil/\" as m\n");
        let tripwires = Tripwires::new(&place.root);
        let repository = place.repository("evil");
        let blob = repository.blob(b"\n").expect("a blob can be written");
        let tree = raw_tree(&repository, &[("100644", "x", blob)]);
        let path = place.root.join("repos/evil");
        make(&Scene { repository, path, root: place.root.clone(), blob, tree });
        let before = snapshot(&place.root.join("work"));
        let words = ["download", "--allow", "file"];
        let (code, text) = tripwires.run(&place, &words);
        match ends {
            Refused(says) => {
                if !(code == 1 && text.contains("error[") && text.contains(says)) {
                    wrong.push(format!("{name}: {code} {text}"));
                    continue;
                }
                assert!(snapshot(&place.root.join("work")) == before, "{name} left something in the module path");
            }
            Survived => {
                if !(code == 0 && text.contains("1 module fetched")) {
                    wrong.push(format!("{name}: {code} {text}"));
                    continue;
                }
                let came = snapshot(&place.root.join("work"));
                let modules = place.root.join("work/modules");
                let outside = |path: &PathBuf| !path.starts_with(&modules) && !path.ends_with("workbench.lock");
                assert!(!came.difference(&before).any(|(path, _)| outside(path)), "{name} wrote beside the modules");
                let plain =
                    |path: &PathBuf| fs::symlink_metadata(path).is_ok_and(|stat| stat.is_dir() || stat.is_file());
                assert!(came.iter().all(|(path, _)| plain(path)), "{name} made something else than files");
            }
        }
        if at % 8 == 5 {
            let _ = fs::remove_dir_all(place.root.join("home"));
            let _ = fs::remove_dir_all(place.root.join("work/modules"));
            let ours = BTreeSet::from([env!("CARGO_BIN_EXE_workbench").to_owned()]);
            let started = tripwires.started(&place, &words).unwrap_or_else(|| ours.clone());
            assert!(started.is_subset(&ours), "{name} started {started:?}");
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    figure("G13", format_args!("{} hostile repositories, 0 programs of theirs started, 0 bytes outside", EVIL.len()));
}

#[test]
fn a_rewound_branch_does_not_move_a_lock() {
    let place = Place::new("import \"git://$ROOT/repos/a/\" as m\n");
    let first = place.commit("a", &[("main.mcl", "$x = 1\n"), ("metadata.yaml", "\n")]);
    let second = place.commit("a", &[("main.mcl", "$x = 2\n"), ("metadata.yaml", "\n")]);
    place.runs("download --allow file", 0, &["1 module fetched", &second.to_string()[..10]]);
    let repository = place.repository("a");
    repository.reference("refs/heads/main", first, true, "forced").expect("it is ours");
    let lock = place.read("work/workbench.lock");
    for words in ["download --allow file", "download --locked --allow file"] {
        place.runs(words, 0, &["1 unchanged"]);
        assert_eq!(lock, place.read("work/workbench.lock"));
    }
    place.runs("download --update --allow file", 0, &["1 updated", &first.to_string()[..10]]);
    // A commit that is gone from the server and from the cache cannot come back, and is not replaced by another.
    place.write("work/workbench.lock", &lock);
    fs::remove_dir_all(place.root.join("work/modules")).expect("it was downloaded");
    fs::remove_dir_all(place.root.join(".cache")).expect("it was downloaded");
    let (folder, file) = (&second.to_string()[..2], &second.to_string()[2..]);
    fs::remove_file(place.root.join("repos/a/objects").join(folder).join(file)).expect("it is ours");
    place.runs("download --locked --allow file", 1, &["error[", &second.to_string()[..7]]);
    assert!(!place.root.join("work/modules").exists());
}
