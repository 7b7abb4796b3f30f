//! The files around an entry as they are told: which, in what order, and how soon.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use workbench::session::{Cancel, Options, Session};

/// More names than are put in order at once.
const MANY: usize = 20_000;

/// A module of these files.
fn module(files: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for file in ["main.mcl"].iter().chain(files) {
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().expect("it is in a folder")).expect("can be made");
        fs::write(path, "").expect("can be written");
    }
    folder
}

/// The same with a directory of very many.
fn with_many(files: &[&str]) -> TempDir {
    let folder = module(files);
    let many = folder.path().join("large");
    fs::create_dir_all(&many).expect("can be made");
    for number in 0..MANY {
        fs::write(many.join(format!("{number:05}")), "").expect("can be written");
    }
    folder
}

/// What is told, batch by batch.
fn told(folder: &Path, cancel: &Cancel, hear: &mut dyn FnMut(&[String])) {
    let entry = folder.display().to_string();
    let session = Session::open(Some(&entry), Options::default()).expect("it is a module");
    let name = |path: PathBuf| path.strip_prefix(folder).expect("it lies there").display().to_string();
    session.find_files(cancel, &mut |paths| hear(&paths.into_iter().map(name).collect::<Vec<_>>()));
}

fn all(folder: &Path) -> Vec<String> {
    let mut files = Vec::new();
    told(folder, &Cancel::default(), &mut |batch| files.extend_from_slice(batch));
    files
}

#[test]
fn files_are_sorted_without_hidden_and_ignored_ones() {
    let folder =
        module(&["b/one.mcl", "a.txt", "b-c/three.mcl", "b.txt", "b/c/two.mcl", ".hidden", "out/made", "b/made"]);
    fs::create_dir(folder.path().join(".git")).expect("can be made");
    fs::write(folder.path().join(".gitignore"), "made\n").expect("can be written");
    assert_eq!(all(folder.path()), ["a.txt", "b.txt", "main.mcl", "b/c/two.mcl", "b/one.mcl", "b-c/three.mcl"]);
}

#[test]
fn files_of_the_top_folder_come_first() {
    let folder = with_many(&["a.txt", "z/deep.mcl", "large/below/deep.mcl"]);
    fs::create_dir(folder.path().join(".git")).expect("can be made");
    fs::write(folder.path().join(".gitignore"), "*7\n").expect("can be written");
    let mut files = all(folder.path());
    assert_eq!(files[..2], ["a.txt", "main.mcl"]);
    assert!(files.iter().any(|file| file == "z/deep.mcl"));
    assert_eq!(files.len(), 3 + 1 + MANY - MANY / 10);
    files.sort_unstable();
    files.dedup();
    assert_eq!(files.len(), 3 + 1 + MANY - MANY / 10, "each once");
}

#[test]
fn reports_end_when_their_reader_ends() {
    let folder = with_many(&[]);
    let cancel = Cancel::default();
    let mut batches = 0;
    told(folder.path(), &cancel, &mut |_| {
        batches += 1;
        cancel.cancel();
    });
    assert_eq!(batches, 1);
}
