//! Bundles: the same inputs are the same bytes, what is in one acts only where it may, and hostile ones write nothing (G12).

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime};

use minisign::KeyPair;
use workbench::deploy::bundle::{Content, Manifest};
use workbench::deploy::bundle::{open_bundle, write_bundle};

use crate::download::{DOWNLOAD, Place};
use crate::hostile_bundles::{HOSTILE, generated, pack, plain};
use crate::promises::{count, figure};

const MAIN: &str = "import \"deploy\"
import \"os\"
import \"../lib/\"
import \"git://$ROOT/repos/a/\"
include a.all
file \"$ROOT/written\" {
	state => \"exists\",
	content => deploy.readfile(\"/files/greeting\") + deploy.readfile(\"/templates/more\") + lib.word(),
}
file \"$ROOT/copied\" {
	state => \"exists\",
	source => deploy.directory(\"/files/\") + \"greeting\",
}
";

/// A program with a module beside it, one that was fetched, and files.
fn program() -> Place {
    let place = Place::new(MAIN);
    place.write("lib/metadata.yaml", "\n");
    place.write("lib/main.mcl", "func word() {\n\t\"lib\"\n}\n");
    place.write("work/files/greeting", "hello ");
    place.write("work/templates/more", "more ");
    place.write("work/unused.mcl", "print \"nobody\" {}\n");
    let a = "class all() {\n\tfile \"$ROOT/by-a\" {\n\t\tstate => \"exists\",\n\t\tcontent => \"a\",\n\t}\n}\n";
    place.commit("a", &[("main.mcl", a), ("metadata.yaml", "\n"), ("README.md", "# a\n")]);
    place.runs(DOWNLOAD, 0, &["1 module fetched"]);
    place
}

const MADE: &str = "deploy bundle . -o ../one.bundle";

#[test]
fn a_bundle_contains_all_inputs_and_needs_approval() {
    let place = program();
    place.runs(MADE, 0, &["one.bundle  10 files", "sha256:"]);
    let shown =
        ["not approved on this machine", "program/work/main.mcl", "program/lib/main.mcl", "README.md", "repos/a/"];
    place.runs("deploy show ../one.bundle", 0, &shown);
    let (_, text) = place.run("deploy show ../one.bundle");
    assert!(!text.contains("unused.mcl") && !text.contains("not included"), "{text}");
    // Nothing of what it was made of is left.
    for folder in ["work/files", "work/templates", "work/modules", "lib", "repos"] {
        fs::remove_dir_all(place.root.join(folder)).expect("it was just made");
    }
    for command in ["check", "graph", "preview"] {
        place.runs(&format!("{command} ../one.bundle"), 0, &[]);
    }
    place.runs("preview ../one.bundle", 0, &["3 to create"]);
    for command in ["apply --yes", "run --once --yes"] {
        place.runs(&format!("{command} ../one.bundle"), 1, &["not approved", "one.bundle (file)", "repos/a (file)"]);
    }
    assert!(!place.root.join("written").exists(), "nothing was done");
    place.runs("modules --approve --in-lock ../one.bundle", 1, &["approvals in the lock file of a bundle are ignored"]);
    place.runs("preview --run-guards ../one.bundle", 0, &["guards are not run: ../one.bundle"]);
    place.runs("modules --approve=../one.bundle ../one.bundle", 0, &["approved ../one.bundle"]);
    place.runs("apply --yes ../one.bundle", 0, &["3 changed"]);
    assert_eq!(place.read("written"), "hello more lib");
    assert_eq!(place.read("copied"), "hello ");
    place.runs("deploy list", 0, &[&format!("apply {}  ", place.root.join("one.bundle").display())]);
    place.runs("download ../one.bundle", 1, &["a bundle contains all its modules"]);
    place.runs("deploy bundle ../one.bundle -o ../two.bundle", 1, &["not-bundled", "is already a bundle"]);
}

#[test]
fn a_saved_plan_of_a_bundle_is_still_a_plan_of_the_bundle() {
    let place = program();
    place.runs(MADE, 0, &[]);
    place.runs("preview ../one.bundle --out ../plan", 0, &[]);
    place.runs("apply --yes --plan ../plan", 1, &["not approved"]);
    place.runs("modules --approve ../one.bundle", 0, &[]);
    place.runs("apply --yes --plan ../plan", 0, &["3 changed"]);
}

#[test]
fn a_lock_in_a_bundle_approves_nothing() {
    let place = program();
    place.runs("modules --approve --in-lock", 0, &["approved git://"]);
    place.runs(MADE, 0, &[]);
    place.runs("apply --yes ../one.bundle", 1, &["not approved", "repos/a (file)"]);
}

#[test]
fn the_same_inputs_are_the_same_bytes() {
    let place = program();
    place.runs(MADE, 0, &[]);
    let copy = place.root.join("elsewhere/deeper/still");
    fs::create_dir_all(&copy).expect("the temporary folder can be written");
    let (work, lib) = (place.root.join("work"), place.root.join("lib"));
    let copied = Command::new("cp").arg("-r").args([&work, &lib, &copy]).status();
    assert!(copied.is_ok_and(|status| status.success()));
    let then = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    for path in ["work/main.mcl", "work/files/greeting"] {
        let file = fs::File::options().write(true).open(copy.join(path)).expect("it was just copied");
        file.set_modified(then).expect("it is ours");
        file.set_permissions(fs::Permissions::from_mode(0o600)).expect("it is ours");
    }
    let bundle = copy.join("two.bundle");
    let output = Command::new("sh")
        .args(["-c", "umask 077; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_workbench"), "deploy", "bundle"])
        .arg(copy.join("work"))
        .arg("-o")
        .arg(&bundle)
        .env("HOME", place.root.join("another-home"))
        .env("USER", "another")
        .env("TZ", "Asia/Tokyo")
        .current_dir("/")
        .output()
        .expect("the binary starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let read = |path: &Path| fs::read(path).expect("it was just made");
    assert!(read(&place.root.join("one.bundle")) == read(&bundle), "the bundles differ");
}

#[test]
fn a_new_bundle_names_its_missing_files() {
    let place = Place::new(
        "import \"os\"\nfile \"/tmp/x\" {\n\tcontent => os.readfile(\"$ROOT/work/files/own\") + os.system(\"id\"),\n}\n\
         file \"/tmp/y\" {\n\tstate => \"exists\",\n\tsource => \"/srv/data\",\n}\n",
    );
    place.write("work/files/own", "secret");
    std::os::unix::fs::symlink("own", place.root.join("work/files/link")).expect("the folder is there");
    place.runs(MADE, 1, &["command not run without --run-guards"]);
    place.runs(
        &format!("{MADE} --run-guards"),
        0,
        &[
            "not included: source of file[/tmp/y]: `/srv/data`",
            "not included: file read by the program: `$ROOT/work/files/own`",
            "not included: command run by the program: `id`",
            "not included: not a regular file: `program/files/link`",
        ],
    );
    place.runs("deploy show ../one.bundle", 0, &["not included: file read by the program:"]);
    place.write("other", "something else");
    place.runs(
        "deploy bundle . -o ../other --run-guards",
        1,
        &["not-bundled", "a file that is not a bundle already exists"],
    );
    assert_eq!(place.read("other"), "something else");
    place.write("work/main.mcl", "print \"a\" { msg => $nothing, }\n");
    place.runs("deploy bundle . -o ../two.bundle", 1, &["unknown-variable", "main.mcl:1:"]);
    assert!(!place.root.join("two.bundle").exists());
}

#[test]
fn an_edited_module_is_not_packed() {
    let place = program();
    place.write(&format!("work/modules{}/repos/a/main.mcl", place.root.display()), "class all() {}\n");
    place.runs(MADE, 1, &["module-edited"]);
    assert!(!place.root.join("one.bundle").exists());
}

#[test]
fn where_a_bundle_cannot_be_written_another_file_is_the_way_out() {
    let place = program();
    place.runs("deploy bundle . -o ../none/one.bundle", 1, &["cannot write it: ../none", "use another file with `-o`"]);
    let (_, text) = place.run("deploy bundle . -o ../none/one.bundle");
    assert!(!text.contains("--state-dir"), "{text}");
}

#[test]
fn who_signed_it_decides() {
    let place = program();
    let (mine, theirs) = (key(), key());
    place.write("mine.toml", &format!("trusted-keys = [\"{}\"]\n", mine.pk.to_base64()));
    place.write("faulty.toml", "trusted-keys = \"RWno-key\"\n");
    place.runs(MADE, 0, &[]);
    let apply = "apply --yes --config ../mine.toml ../one.bundle";
    place.runs(apply, 1, &["not approved"]);
    sign(&place, &theirs);
    place.runs("deploy show --config ../mine.toml ../one.bundle", 0, &["a key that is not in trusted-keys"]);
    place.runs(apply, 1, &["not approved"]);
    sign(&place, &mine);
    place.runs("apply --yes ../one.bundle", 1, &["not approved"]);
    place.runs("apply --yes --config ../faulty.toml ../one.bundle", 1, &["is not a public minisign key"]);
    place.runs("deploy show --config ../mine.toml ../one.bundle", 0, &["trusted key RW", "  approval  approved"]);
    place.runs(apply, 0, &["3 changed"]);
    // Another bundle under the same signature.
    place.write("work/files/greeting", "goodbye ");
    place.runs("deploy bundle . -o ../one.bundle", 0, &[]);
    for command in ["check", "preview", "apply --yes", "deploy show"] {
        let says = ["bundle-refused", "its signature does not match"];
        place.runs(&format!("{command} --config ../mine.toml ../one.bundle"), 1, &says);
    }
    place.write("one.bundle.minisig", "untrusted comment: nothing\n");
    place.runs("check ../one.bundle", 1, &["bundle-refused", "invalid signature file"]);
}

#[test]
fn a_counter_never_goes_back_and_an_expired_bundle_is_not_taken() {
    let place = program();
    let mine = key();
    place.write("mine.toml", &format!("trusted-keys = [\"{}\"]\n", mine.pk.to_base64()));
    let make = |more: &str| {
        place.runs(&format!("{MADE} {more}"), 0, &[]);
        sign(&place, &mine);
    };
    let apply = "apply --yes --config ../mine.toml ../one.bundle";
    make("--name site --counter 7");
    place.runs(apply, 0, &["3 changed"]);
    make("--name site --counter 6");
    for command in [apply, "check --config ../mine.toml ../one.bundle"] {
        place.runs(command, 1, &["a newer bundle was applied: counter 7, this one has 6"]);
    }
    place.runs("deploy show --config ../mine.toml ../one.bundle", 1, &["site 6", "refused on this machine"]);
    make("--name site");
    place.runs(apply, 1, &["counter 7, this one has none"]);
    for more in ["--name site --counter 7", "--name other --counter 1", "--name site --counter 8"] {
        make(more);
        place.runs(apply, 0, &[]);
    }
    // Whom nobody trusts raises nobody's counter.
    place.runs(&format!("{MADE} --name site --counter 99"), 0, &[]);
    fs::remove_file(place.root.join("one.bundle.minisig")).expect("it was just written");
    place.runs("modules --approve ../one.bundle", 0, &[]);
    place.runs("apply --yes ../one.bundle", 0, &[]);
    make("--name site --counter 9");
    place.runs(apply, 0, &[]);
    make("--expires 2020-01-31");
    place.runs(apply, 1, &["bundle-refused", "it expired at 2020-01-31T00:00:00Z"]);
    place.runs(
        "deploy show --config ../mine.toml ../one.bundle",
        1,
        &["expires   2020-01-31", "refused on this machine"],
    );
    make("--expires 2999-01-31");
    place.runs(apply, 0, &[]);
    place.runs("deploy bundle . -o ../two.bundle --counter 1", 64, &["--name"]);
    place.runs("deploy bundle . -o ../two.bundle --expires soon", 64, &["such as 2027-01-31"]);
}

#[test]
fn unpacked_modules_are_checked_again() {
    let place = program();
    place.runs(MADE, 0, &[]);
    place.runs("modules --approve ../one.bundle", 0, &[]);
    let unpacked = fs::read_dir(place.root.join(".local/state/workbench/bundles")).expect("it was unpacked");
    let unpacked: Vec<_> = unpacked.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    let [folder] = &unpacked[..] else { panic!("{unpacked:?}") };
    let file = folder.join("program/work/files/greeting");
    fs::write(&file, "bad ").expect("it was just written");
    fs::write(folder.join("more"), "").expect("the folder is there");
    place.runs("apply --yes ../one.bundle", 0, &["3 changed"]);
    assert_eq!(place.read("written"), "hello more lib");
    assert!(!folder.join("more").exists());
}

#[test]
fn every_hostile_bundle_is_refused_by_name_and_writes_nothing() {
    let place = Place::new("");
    let state = place.root.join(".local");
    for (name, says, make) in HOSTILE {
        fs::write(place.root.join("bad.bundle"), make()).expect("the temporary folder can be written");
        for command in ["check", "apply --yes", "deploy show"] {
            let (code, text) = place.run(&format!("{command} ../bad.bundle"));
            assert_eq!(code, 1, "{name}, {command}: {text}");
            assert!(text.contains("bundle-refused") && text.contains(says), "{name}, {command}: {text}");
            assert!(!state.exists(), "{name}, {command}: something was written");
        }
    }
    figure("G12", format_args!("{} hostile bundles refused, 0 bytes written", HOSTILE.len()));
    // The one they are all made from is fine.
    fs::write(place.root.join("good.bundle"), pack(&plain())).expect("the temporary folder can be written");
    place.runs("check ../good.bundle", 0, &[]);
}

#[test]
fn every_changed_byte_of_a_bundle_is_found() {
    let place = Place::new("");
    let (good, state) = (place.root.join("good"), place.root.join("state"));
    let mut manifest = Manifest { entry: "main.mcl".into(), ..Manifest::default() };
    let content = Content { path: "main.mcl".into(), executable: false, bytes: b"print \"a\" {}\n".to_vec() };
    let bytes = write_bundle(&mut manifest, &[content]).expect("it is a plain program");
    let wanted = count(400, bytes.len() * 8);
    let mut found = 0;
    for turn in 0..wanted {
        let bit = (turn * 7_919) % (bytes.len() * 8);
        let mut bad = bytes.clone();
        bad[bit / 8] ^= 1 << (bit % 8);
        fs::write(&good, bad).expect("the temporary folder can be written");
        let opened = open_bundle(&good, &state, &[], jiff::Timestamp::UNIX_EPOCH);
        // How hard it was packed, and what fills the last byte of the packing, say nothing of what is in it.
        found += usize::from(opened.is_err() || [8, bytes.len() - 9].contains(&(bit / 8)));
    }
    assert_eq!(found, wanted);
    figure("G12", format_args!("{found} of {wanted} flipped bits of a bundle found"));
}

#[test]
fn whatever_a_bundle_holds_nothing_leaves_its_folder() {
    let root = crate::promises::folder();
    let (path, state) = (root.path().join("a.bundle"), root.path().join("state"));
    let wanted = count(300, 10_000);
    let (mut refused, mut taken) = (0, 0);
    for seed in 0..wanted {
        fs::write(&path, generated(seed as u64)).expect("the temporary folder can be written");
        match open_bundle(&path, &state, &[], jiff::Timestamp::UNIX_EPOCH) {
            Err(error) => {
                assert!(!error.to_string().is_empty() && !error.help().is_empty(), "{seed}");
                refused += 1;
            }
            Ok(bundle) => {
                assert!(bundle.root.starts_with(state.join("bundles")), "{seed}");
                bundle.check_files().unwrap_or_else(|error| panic!("{seed}: {error}"));
                let there = fs::read_dir(&bundle.root).expect("it was unpacked").flatten();
                assert!(
                    there.into_iter().all(|entry| !entry.file_type().is_ok_and(|kind| kind.is_symlink())),
                    "{seed}"
                );
                taken += 1;
            }
        }
        let around: std::collections::BTreeSet<_> =
            fs::read_dir(root.path()).expect("it is ours").flatten().map(|entry| entry.file_name()).collect();
        assert!(around.iter().all(|name| name == "a.bundle" || name == "state"), "{seed}: {around:?}");
    }
    assert!(refused > taken && taken > 0, "{refused} {taken}");
    figure("G12", format_args!("{wanted} bundles made by chance, {refused} refused, {taken} that are whole taken"));
}

fn key() -> KeyPair {
    KeyPair::generate_unencrypted_keypair().expect("there is randomness")
}

/// As `minisign -Sm one.bundle` does.
fn sign(place: &Place, key: &KeyPair) {
    let bundle = fs::File::open(place.root.join("one.bundle")).expect("it was just made");
    let signature = minisign::sign(Some(&key.pk), &key.sk, bundle, None, None).expect("it can be signed");
    fs::write(place.root.join("one.bundle.minisig"), signature.into_string()).expect("the folder can be written");
}

#[test]
fn unpacked_bundles_are_hidden_and_pruned() {
    let place = Place::new("print \"a\" {}\n");
    place.runs("deploy bundle . -o ../one.bundle", 0, &[]);
    place.runs("check ../one.bundle", 0, &[]);
    let folder = place.root.join(".local/state/workbench/bundles");
    let unpacked = || -> Vec<std::path::PathBuf> {
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path());
        entries.filter(|path| path.is_dir()).collect()
    };
    let all = unpacked();
    assert_eq!(all.len(), 1, "{all:?}");
    for entry in ["program", "program/main.mcl"].map(|below| all[0].join(below).display().to_string()) {
        place.runs(&format!("check {entry}"), 1, &["bundle-refused", "is the folder of an unpacked bundle"]);
        place.runs(&format!("apply --yes {entry}"), 1, &["bundle-refused"]);
    }
    place.runs("deploy prune --keep 1 --yes", 0, &["Nothing to delete."]);
    let mark = all[0].with_extension("used");
    let long_ago = std::time::SystemTime::UNIX_EPOCH;
    let age = || fs::File::options().write(true).open(&mark).and_then(|file| file.set_modified(long_ago));
    age().expect("it was just made");
    // Somebody works in it.
    let held = fs::File::open(&mark).expect("it is there");
    held.lock_shared().expect("nobody else holds it");
    place.runs("deploy prune --keep 1 --yes", 0, &["Nothing to delete."]);
    drop(held);
    place.runs("deploy prune --keep 1 --yes", 0, &["Deleted: 1 unpacked bundle"]);
    assert!(unpacked().is_empty() && !mark.exists());
    place.runs("check ../one.bundle", 0, &[]);
    assert_eq!(unpacked().len(), 1);
    // Another one that is opened takes along what is old.
    age().expect("it was just made");
    place.write("work/main.mcl", "print \"b\" {}\n");
    place.runs("deploy bundle . -o ../two.bundle", 0, &[]);
    place.runs("check ../two.bundle", 0, &[]);
    assert!(unpacked().len() == 1 && unpacked() != all, "{:?}", unpacked());
}
