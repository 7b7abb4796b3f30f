//! A fetched module acts only where somebody approved it, by whatever way its files are reached.

use std::fs;
use std::os::unix::fs::symlink;

use crate::download::Place;

const INCLUDES: &str = "import \"git://$ROOT/repos/a/\"\ninclude a.all\n";

/// A module that writes: as a class, and in files of its own that may be entries.
fn place() -> Place {
    let place = Place::new(INCLUDES);
    let file = "file \"$ROOT/written\" {\n\tstate => \"exists\",\n}\n";
    let class = format!("class all() {{\n\t{}}}\n", file.replace('\t', "\t\t").replace("\n}", "\n\t}"));
    place.commit("a", &[("main.mcl", &class), ("metadata.yaml", "\n"), ("example.mcl", file)]);
    place
}

fn module_folder(place: &Place) -> String {
    format!("modules{}/repos/a", place.root.display())
}

fn refused(place: &Place, words: &str) {
    let state = place.root.join("state");
    for command in ["apply --yes", "run --once --yes", "apply --yes --run-guards"] {
        let command = format!("{command} {words} --state-dir {}", state.display());
        place.runs(&command, 1, &["not approved", "repos/a (file)", "--approve"]);
    }
    assert!(!place.root.join("written").exists(), "{words}");
}

#[test]
fn as_the_entry() {
    let place = place();
    place.runs("download --allow file", 0, &["1 module fetched"]);
    let (module, root) = (module_folder(&place), place.root.display().to_string());
    symlink(&module, place.root.join("work/link")).expect("the name is free");
    symlink(format!("{module}/example.mcl"), place.root.join("work/linked.mcl")).expect("the name is free");
    for entry in [
        format!("{module}/example.mcl"),
        format!("./{module}/../a/example.mcl"),
        format!("{root}/work/{module}/example.mcl"),
        "link/example.mcl".into(),
        "linked.mcl".into(),
    ] {
        refused(&place, &entry);
        place.runs(&format!("preview {entry}"), 0, &["1 to create"]);
        place.runs(&format!("preview {entry} --run-guards"), 0, &["guards are not run", "not approved"]);
    }
    // As the lock's own entry names it, and approved once for both.
    let state = format!("--state-dir {root}/state");
    place.runs(&format!("modules {module}/example.mcl {state}"), 0, &["not approved"]);
    place.runs(&format!("modules {module}/example.mcl --approve --in-lock {state}"), 1, &["fetched for another entry"]);
    place.runs(&format!("modules {module}/example.mcl --approve {state}"), 0, &["approved git://"]);
    place.runs(&format!("apply --yes link/example.mcl {state}"), 0, &["1 changed"]);
    fs::remove_file(place.root.join("written")).expect("it was just made");
    place.runs(&format!("apply --yes {state}"), 0, &["1 changed"]);
}

#[test]
fn self_descriptions_are_verified() {
    let place = Place::new("import \"git://$ROOT/repos/a/\"\n");
    let file = "file \"$ROOT/written\" {\n\tstate => \"exists\",\n}\n";
    // A folder in it that its own lock calls a fetched and approved module.
    let hash = "sha256:0000000000000000000000000000000000000000000000000000000000000000";
    let lock = |hash: &str| {
        format!(
            "version = 1\n\n[[module]]\nimport = \"git://h/y\"\npath = \".\"\ncommit = \"{}\"\nhash = \"{hash}\"\n\
             approved = true\n",
            "0".repeat(40)
        )
    };
    place.commit(
        "a",
        &[("main.mcl", "\n"), ("metadata.yaml", "\n"), ("example.mcl", file), ("workbench.lock", &lock(hash))],
    );
    place.runs("download --allow file", 0, &["1 module fetched"]);
    let (_, text) = place.run(&format!("apply --yes {}/example.mcl", module_folder(&place)));
    assert!(!place.root.join("written").exists(), "{text}");
}

#[test]
fn by_another_module_path() {
    let place = place();
    place.runs("download --allow file", 0, &["1 module fetched"]);
    let root = place.root.display().to_string();
    symlink("modules", place.root.join("work/also")).expect("the name is free");
    for path in
        [&format!("{root}/work/modules"), "./modules", "modules/../modules", "also", &format!("{root}/work/also/")]
    {
        refused(&place, &format!("--module-path {path} ."));
        place.runs(&format!("modules --module-path {path}"), 0, &["not approved", "2 modules\n"]);
        place.runs(&format!("download --locked --allow file --module-path {path}"), 0, &["1 unchanged"]);
    }
    // By where it lies, from its own project and from another, which has no lock.
    let module = module_folder(&place);
    symlink(&module, place.root.join("work/link")).expect("the name is free");
    for (folder, import) in
        [("work", format!("{module}/")), ("work", format!("../work/{module}/")), ("other", "../work/link/".into())]
    {
        place.write(&format!("{folder}/by.mcl"), &format!("import \"{import}\" as a\ninclude a.all\n"));
        refused(&place, &format!("../{folder}/by.mcl"));
    }
    place.write("other/main.mcl", INCLUDES);
    refused(&place, "--module-path modules ../other/main.mcl");
}

#[test]
fn from_a_module_path_away_from_its_project() {
    let place = place();
    let root = place.root.display().to_string();
    fs::create_dir(place.root.join("shared")).expect("the name is free");
    symlink("../shared", place.root.join("work/link")).expect("the name is free");
    place.runs("download --allow file --module-path ../shared", 0, &["1 module fetched"]);
    let lock = place.read("work/workbench.lock");
    for entry in [".", &format!("{root}/work"), "../work/main.mcl"] {
        for path in ["../shared", "link", &format!("{root}/shared")] {
            refused(&place, &format!("--module-path {path} {entry}"));
            place.runs(&format!("download --locked --allow file --module-path {path} {entry}"), 0, &["1 unchanged"]);
        }
    }
    assert_eq!(lock, place.read("work/workbench.lock"), "it says the same however the entry was named");
    refused(&place, &format!("../shared{root}/repos/a/example.mcl"));
    place.write("other/main.mcl", INCLUDES);
    refused(&place, "--module-path link ../other/main.mcl");
    // A note that cannot be read could say anything.
    let notes = fs::read_dir(place.root.join("shared/.workbench-modules")).expect("it was made");
    let note = notes.flatten().next().expect("there is one").path();
    let text = fs::read_to_string(&note).expect("it is text");
    fs::write(&note, "module = 1\n").expect("it is ours");
    place.runs(&format!("apply --yes ../shared{root}/repos/a/example.mcl"), 1, &["invalid type"]);
    fs::write(&note, text).expect("it is ours");
    // What was removed is forgotten: one's own may lie there.
    place.write("work/main.mcl", "\n");
    place.runs("modules prune --yes --module-path ../shared", 0, &["emoved"]);
    place.write(&format!("shared{root}/repos/a/own.mcl"), "file \"$ROOT/written\" {\n\tstate => \"exists\",\n}\n");
    place.runs(&format!("apply --yes ../shared{root}/repos/a/own.mcl --state-dir {root}/state"), 0, &["1 changed"]);
}

#[test]
fn a_module_in_use_under_another_name_is_never_removed() {
    let place = place();
    place.runs("download --allow file", 0, &["1 module fetched"]);
    let path = format!("{}/work/modules", place.root.display());
    place.runs(&format!("modules prune --yes --module-path {path}"), 0, &[]);
    assert!(place.root.join("work").join(module_folder(&place)).join("main.mcl").exists());
}
