//! Compares the README's pictures with what the TUI draws; `UPDATE=1` draws them.
//!
//! `UPDATE=1 cargo test --test suite -- pictures` is the one command that makes them.

use std::fs;
use std::path::Path;
use std::process::Command;

/// Each picture and the keys before it.
const PICTURES: [(&str, &str); 3] = [
    ("modules/mcl/demo/code.svg", "2 / i t e r . m a enter K"),
    ("modules/mcl/demo/graph.svg", "3 j j j j j"),
    ("modules/mcl/demo/step.svg", "s s s s s s"),
];

/// What the demo writes to. Where it stands already, another plan is drawn than on a machine that never applied it.
const WRITTEN: &str = "/tmp/workbench-demo";

#[test]
fn the_readme_shows_the_screens_as_they_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let readme = fs::read_to_string("README.md").expect("the README is here");
    for (picture, keys) in PICTURES {
        assert!(readme.contains(picture), "the README shows {picture}");
        if picture.contains("step") && Path::new(WRITTEN).exists() {
            eprintln!("{picture} is not looked at: {WRITTEN} is there");
            continue;
        }
        let drawn = folder.path().join("drawn.svg");
        let done = Command::new(env!("CARGO_BIN_EXE_workbench"))
            .args(["--screenshot", drawn.to_str().expect("the name is plain"), "--keys", keys, "--size", "120x34"])
            .args(["--state-dir", folder.path().join("state").to_str().expect("the name is plain"), "modules/mcl/demo"])
            .env_remove("NO_COLOR")
            .env("WORKBENCH_CONFIG", "/dev/null")
            .env("WORKBENCH_HOSTNAME", "harbour")
            .status();
        assert!(done.expect("it starts").success());
        let drawn = fs::read_to_string(&drawn).expect("it was drawn");
        if std::env::var_os("UPDATE").is_some() {
            fs::write(picture, drawn).expect("the picture can be written");
        } else {
            let same = fs::read_to_string(picture).is_ok_and(|there| there == drawn);
            assert!(same, "{picture} shows what was; run once with UPDATE=1 and look at it");
        }
    }
}

/// Nobody looks at a picture before it is made, so a theme that is none is said, and nothing is drawn.
#[test]
fn a_picture_in_an_unknown_theme_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let drawn = folder.path().join("drawn.txt");
    let done = Command::new(env!("CARGO_BIN_EXE_workbench"))
        .args(["--theme", "nosuch", "--screenshot", drawn.to_str().expect("the name is plain")])
        .args(["--state-dir", folder.path().join("state").to_str().expect("the name is plain"), "modules/mcl/demo"])
        .env("WORKBENCH_CONFIG", "/dev/null")
        .output()
        .expect("it starts");
    let told = String::from_utf8_lossy(&done.stderr);
    assert!(!done.status.success() && told.contains("nosuch"), "{told}");
    assert!(!drawn.exists());
}
