//! What the integrity of modules costs: hashing what was fetched, before anything is made of it.

#![allow(clippy::disallowed_methods, reason = "a bench lays out the folders it measures")]

use divan::{Bencher, black_box};
use std::fs;
use workbench::fetch::{Lock, Locked, TreeHash, verify};

fn main() {
    divan::main();
}

/// So many files of 4 kB in fifty modules.
#[divan::bench(args = [1_000, 10_000])]
fn verify_files(bencher: Bencher, count: usize) {
    const MODULES: usize = 50;
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let mut lock = Lock::default();
    for module in 0..MODULES {
        let path = format!("modules/h.example/m{module}");
        let place = folder.path().join(&path);
        fs::create_dir_all(&place).expect("the temporary folder can be written");
        for file in 0..count / MODULES {
            let content = format!("{module} {file}\n").repeat(4096 / 8);
            fs::write(place.join(format!("f{file}")), content).expect("the same");
        }
        lock.modules.push(Locked {
            import: format!("https://h.example/m{module}"),
            reference: None,
            from: None,
            path,
            version: None,
            commit: "0".repeat(40),
            archive: None,
            hash: TreeHash::of_folder(&place, &[]).expect("the files can be read"),
            allow: Vec::new(),
            approved: false,
            approved_before: None,
        });
    }
    bencher.bench(|| {
        let verified = verify(black_box(folder.path()), black_box(&lock), &[]).expect("the files can be read");
        assert!(verified.iter().all(|module| !module.is_edited()));
    });
}
