//! Trees put together by chance from what harms: each is refused by name, or written as plain files below its folder (G12).

use std::collections::BTreeSet;
use std::fs;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use git2::{ObjectType, Oid, Repository};

use super::FetchError;
use super::hash::TreeHash;
use super::submodule::Submodules;
use super::tree::{Shapes, TreeLimits, judge};
use super::url::GitUrl;

const NAMES: &[&[u8]] = &[
    b"main.mcl",
    b"metadata.yaml",
    b"a",
    b"A",
    b"b",
    b"lib",
    b".git",
    b".GIT",
    b".git ",
    b".git.",
    b".git::$DATA",
    b"GIT~1",
    b".g\xe2\x80\x8cit",
    b".gitmodules",
    b"..",
    b".",
    b"",
    b"../x",
    b"a/b",
    b"/etc/passwd",
    b"..\\x",
    b"c:",
    b"a:b",
    b"-rf",
    b"--upload-pack=x",
    b"a.",
    b"a ",
    b"\xff\xfe",
    b"a\nb",
    b"a\x1b]0;x\x07",
    b"a\xe2\x80\xaelcm",
    b"\xc3\xa9",
    b"e\xcc\x81",
    b"CON",
    b"nul.txt",
    b"x~1",
    b".workbench-fetch",
    b"~",
    b"$HOME",
    b"*",
    b"metadata.yaml.",
];
const MODES: &[&str] = &[
    "100644", "100644", "100755", "100664", "40000", "40000", "40000", "120000", "120000", "160000", "104755", "60000",
    "100600", "0", "777777",
];
const LINKS: &[&str] = &[
    "a",
    "lib",
    "main.mcl",
    ".",
    "..",
    "../..",
    "../../../../../etc/passwd",
    "/etc/passwd",
    "lib/../a",
    "./a",
    "a/b/../../a",
    "",
    "lib/",
    "//",
    "b",
    "A",
    ".git",
    "\u{0}x",
];

/// The next of a row of numbers that looks like chance; the same row for the same beginning.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }

    fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}

fn tree(repository: &Repository, chance: &mut Chance, depth: usize) -> Oid {
    let odb = repository.odb().expect("a repository has objects");
    let mut bytes = Vec::new();
    for _ in 0..=chance.below(4) {
        let (mode, mut name) = (*chance.of(MODES), chance.of(NAMES).to_vec());
        // Most are plain, so that a tree with one offence is as likely as one with many.
        if chance.below(3) > 0 {
            name = format!("n{}", chance.below(6)).into_bytes();
        }
        let id = match mode {
            "40000" if depth > 0 => tree(repository, chance, depth - 1),
            "120000" => odb.write(ObjectType::Blob, chance.of(LINKS).as_bytes()).expect("a blob can be written"),
            "160000" => Oid::from_bytes(&[7; 20]).expect("twenty bytes"),
            _ => odb.write(ObjectType::Blob, &[b'x'; 9][..chance.below(9)]).expect("a blob can be written"),
        };
        bytes.extend([mode.as_bytes(), b" ", &name, b"\0", id.as_bytes()].concat());
    }
    odb.write(ObjectType::Tree, &bytes).expect("any bytes can be written")
}

/// All entries below a folder; links are not followed.
fn below(folder: &Path) -> BTreeSet<PathBuf> {
    let (mut found, mut folders) = (BTreeSet::new(), vec![folder.to_path_buf()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("it is there").flatten() {
            let kind = entry.file_type().expect("it is there");
            assert!(kind.is_dir() || kind.is_file(), "{} is neither file nor folder", entry.path().display());
            if kind.is_dir() {
                folders.push(entry.path());
            }
            found.insert(entry.path());
        }
    }
    found
}

#[test]
#[expect(clippy::disallowed_methods, reason = "how many are made is set in the environment")]
fn whatever_a_tree_holds_nothing_leaves_its_folder() {
    let wanted = std::env::var("WORKBENCH_PROMISES").map_or(300, |words| words.parse().unwrap_or(10_000));
    let memory = Path::new("/dev/shm");
    let made = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    let root = made.expect("a temporary folder can be made");
    let root = root.path();
    let repository = Repository::init_bare(root.join("repository")).expect("a repository can be made");
    fs::create_dir(root.join("modules")).expect("the folder is ours");
    fs::write(root.join("canary"), "sings").expect("the folder is ours");
    let url = GitUrl::parse("https://h.example/x/").expect("it is well formed");
    let (mut written, mut refused) = (0, 0);
    for seed in 0..wanted {
        let mut chance = Chance(seed as u64 * 2 + 0x9e37_79b9_7f4a_7c15);
        let id = tree(&repository, &mut chance, 3);
        let mut flag = || chance.below(2) == 0;
        let shapes = Shapes { without_links: flag(), copies: flag(), submodules: flag(), odd_names: flag() };
        let mut bring = |_: &GitUrl, _: &str| Err(FetchError::Git("there is none".into()));
        let limits = TreeLimits { shapes, ..TreeLimits::default() };
        let judged = judge(&repository, id, &limits, &mut Submodules::new(&url, &mut bring));
        let folder = root.join("modules/x");
        match judged {
            Err(error) => {
                assert!(!error.to_string().is_empty() && !error.to_string().contains('\u{1b}'), "{seed}: {error}");
                refused += 1;
            }
            Ok(tree) => {
                fs::create_dir(&folder).expect("the folder is ours");
                let opened = fs::File::open(&folder).expect("it was just made");
                let hash = tree.write(&[&repository], &OwnedFd::from(opened));
                let hash = hash.unwrap_or_else(|error| panic!("{seed}: {error}"));
                let files = below(&folder).into_iter().filter(|path| path.is_file()).count();
                assert_eq!((files, Ok(hash)), (tree.files(), TreeHash::of_folder(&folder, &[])), "{seed}");
                fs::remove_dir_all(&folder).expect("the folder is ours");
                written += 1;
            }
        }
        let around: BTreeSet<_> = fs::read_dir(root).expect("it is ours").flatten().map(|e| e.file_name()).collect();
        assert_eq!(around, ["canary", "modules", "repository"].map(Into::into).into(), "{seed}");
        assert!(below(&root.join("modules")).is_empty(), "{seed}");
    }
    assert!(written > 0 && refused > 0);
    println!("G12: {wanted} trees, {refused} refused, {written} written below their folder and nowhere else");
}
