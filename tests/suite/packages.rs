//! Real packages of our own making, in a repository on this disk: what a preview knows of them is what comes.
//!
//! Only where `machine` may change this machine; all is as before at the end.

use std::fs;
use std::path::Path;
use std::process::Command;

use sha2::{Digest, Sha256};
use workbench::plan::{Action, Certainty, Plan, Step};

use crate::machine::{After, apply, dry, errors, machine, quietly};
use crate::promises;
use crate::skip::skip;

/// Where apt keeps what it fetched.
const FETCHED: &str = "/var/cache/apt/archives";

/// apt's source for the tests.
const SOURCE: &str = "/etc/apt/sources.list.d/workbench-test.list";

/// A service's unit, and the part of a script that is generated for it.
const UNIT: &str = "[Service]\nExecStart=/bin/sleep 1000\n[Install]\nWantedBy=multi-user.target\n";
const GENERATED: &str = "#!/bin/sh\nset -e\n# Automatically added by dh_installsystemd/13.11.4\nif [ \"$1\" = \"configure\" ]; \
    then\n\tdeb-systemd-helper enable 'wbtest-web.service' >/dev/null || true\nfi\n# End automatically added section\n";

/// A package: its name, what it needs, its files, its scripts.
type Made<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)], &'a [(&'a str, &'a str)]);

const WEB_CONF: &str = "file[/etc/wbtest/web.conf]";

const PACKAGES: &[Made] = &[
    ("wbtest-common", "", &[("usr/share/wbtest/page", "page"), ("etc/wbtest/", "")], &[]),
    (
        "wbtest-web",
        "wbtest-common",
        &[
            ("etc/wbtest/web.conf", "one\n"),
            ("etc/wbtest/conf.d/", ""),
            ("usr/lib/systemd/system/wbtest-web.service", UNIT),
        ],
        &[("postinst", GENERATED)],
    ),
    ("wbtest-tool", "", &[("usr/bin/wbtest-tool", "#!/bin/sh\n")], &[]),
    // Its script writes where no list says so.
    (
        "wbtest-wild",
        "",
        &[("usr/share/wbtest-wild/page", "page")],
        &[("postinst", "#!/bin/sh\nset -e\nmkdir -p /etc/wbtest-wild\necho wild > /etc/wbtest-wild/made\n")],
    ),
];

/// Builds a package. Gives its entry in the list of the repository.
fn build(repository: &Path, (name, needs, files, scripts): &Made) -> String {
    let root = tempfile::tempdir().expect("a temporary folder can be made");
    let put = |path: &str, text: &str, mode: u32| {
        use std::os::unix::fs::PermissionsExt;
        let path = root.path().join(path);
        let folder = if text.is_empty() { &path } else { path.parent().expect("is in the root") };
        fs::create_dir_all(folder).expect("can be made");
        if !text.is_empty() {
            fs::write(&path, text).expect("can be written");
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("is ours");
        }
    };
    let needs = if needs.is_empty() { String::new() } else { format!("Depends: {needs}\n") };
    let control = format!(
        "Package: {name}\nVersion: 1:1.0-1\nArchitecture: all\nMaintainer: Test <test@example.org>\n{needs}Description: test\n"
    );
    put("DEBIAN/control", &control, 0o644);
    files.iter().for_each(|(path, text)| put(path, text, 0o644));
    scripts.iter().for_each(|(script, text)| put(&format!("DEBIAN/{script}"), text, 0o755));
    // A temporary folder is for its owner alone, and would be so in the package.
    fs::set_permissions(root.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("is ours");
    let archive = repository.join(format!("{name}_1.0-1_all.deb"));
    let built = Command::new("dpkg-deb")
        .args(["--root-owner-group", "--build"])
        .arg(root.path())
        .arg(&archive)
        .output()
        .expect("dpkg-deb is here");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let bytes = fs::read(&archive).expect("was built");
    let hash: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{control}Filename: ./{name}_1.0-1_all.deb\nSize: {}\nSHA256: {hash}\n\n", bytes.len())
}

fn clean() {
    let names: Vec<&str> = PACKAGES.iter().map(|(name, ..)| *name).collect();
    quietly("dpkg", &[&["--purge", "--force-depends"], names.as_slice()].concat());
    for name in names {
        let _ = fs::remove_file(Path::new(FETCHED).join(format!("{name}_1%3a1.0-1_all.deb")));
    }
    let _ = fs::remove_file(SOURCE);
    for folder in ["/etc/wbtest", "/etc/wbtest-wild", "/usr/share/wbtest"] {
        let _ = fs::remove_dir_all(folder);
    }
    let _ = fs::remove_file("/etc/systemd/system/wbtest-own.timer");
    let lists = fs::read_dir("/var/lib/apt/lists").into_iter().flatten().flatten();
    for list in lists.filter(|list| list.file_name().to_string_lossy().contains("workbench-test")) {
        let _ = fs::remove_file(list.path());
    }
}

fn step<'p>(plan: &'p Plan, id: &str) -> &'p Step {
    plan.steps.iter().find(|step| &*step.resource.0 == id).expect("is in the plan")
}

#[test]
fn files_of_a_fetched_package_match_the_preview() {
    let Some(_machine) = machine(&["apt-get", "dpkg-deb"]) else { return };
    let repository = tempfile::Builder::new().prefix("workbench-test").tempdir().expect("a folder can be made");
    // apt asks as another user.
    fs::set_permissions(repository.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("is ours");
    clean();
    let _after = After(clean);
    let list: String = PACKAGES.iter().map(|package| build(repository.path(), package)).collect();
    fs::write(repository.path().join("Packages"), list).expect("can be written");
    fs::write(SOURCE, format!("deb [trusted=yes] file:{} ./\n", repository.path().display())).expect("root may");
    let only_ours = ["-o", "Dir::Etc::sourcelist=/etc/apt/sources.list.d/workbench-test.list"];
    quietly(
        "apt-get",
        &[&["update", "-o", "Dir::Etc::sourceparts=-", "-o", "APT::Get::List-Cleanup=0"], &only_ours[..]].concat(),
    );

    // apt copies what it takes from a disk nowhere; as if it had fetched it, it lies here too.
    for (name, ..) in PACKAGES {
        let fetched = Path::new(FETCHED).join(format!("{name}_1%3a1.0-1_all.deb"));
        fs::copy(repository.path().join(format!("{name}_1.0-1_all.deb")), fetched).expect("root may write here");
    }
    let code = r#"pkg "wbtest-web" { state => "installed", }
        pkg "wbtest-tool" { state => "installed", Depend => Pkg["wbtest-web"], }
        file "/etc/wbtest/" { state => "exists", mode => "0755", Depend => Pkg["wbtest-web"], }
        file "/etc/wbtest/site.conf" { state => "exists", content => "x", Depend => Pkg["wbtest-web"], }
        file "/etc/wbtest/conf.d/a" { state => "exists", content => "x", Depend => Pkg["wbtest-web"], }
        file "/etc/wbtest/old.conf" { state => "absent", Depend => Pkg["wbtest-web"], }
        file "/etc/wbtest/web.conf" { state => "exists", content => "two\n", Depend => Pkg["wbtest-web"], }
        file "/etc/systemd/system/wbtest-own.timer" { state => "exists", content => "x", Depend => Pkg["wbtest-web"], }
        pkg "wbtest-wild" { state => "installed", Depend => Pkg["wbtest-tool"],
            Depend => File["/etc/wbtest/old.conf"], Depend => File["/etc/wbtest/web.conf"],
            Depend => File["/etc/wbtest/conf.d/a"], Depend => File["/etc/systemd/system/wbtest-own.timer"], }
        file "/etc/wbtest-wild/" { state => "exists", Depend => Pkg["wbtest-wild"], }"#;
    let said = dry(code);
    if let Some(error) = errors(&said).first() {
        return skip("packages", format_args!("apt does not take the repository: {error}"));
    }
    let (done, _) = apply(code);
    assert!(errors(&done).is_empty(), "{:?}", errors(&done));
    let mut known = 0;
    for said in said.steps.iter().filter(|said| said.certainty == Certainty::Known) {
        let done = step(&done, &said.resource.0);
        assert_eq!((said.action, &said.changes), (done.action, &done.changes), "{}", said.resource);
        known += 1;
    }
    for id in ["pkg[wbtest-web]", "pkg[wbtest-tool]", "file[/etc/wbtest/]", WEB_CONF] {
        assert_eq!(step(&said, id).certainty, Certainty::Known, "{id}");
    }
    // Its script may write there too.
    assert_eq!(step(&said, "file[/etc/wbtest/site.conf]").certainty, Certainty::Predicted);
    // What it becomes is told from what the package brings.
    let settings = step(&said, WEB_CONF);
    assert!(settings.action == Action::Change && format!("{:?}", settings.changes).contains("one"), "{settings:?}");
    // The script made the folder, and that was not known.
    assert_ne!(step(&said, "file[/etc/wbtest-wild/]").certainty, Certainty::Known);
    assert_eq!(step(&done, "file[/etc/wbtest-wild/]").action, Action::None);
    promises::figure("G6 (real packages)", format_args!("{known} of {} steps known, all as said", said.steps.len()));
    // What goes takes its files along.
    let code = r#"pkg "wbtest-tool" { state => "uninstalled", }
        file "/usr/bin/wbtest-tool" { state => "absent", Depend => Pkg["wbtest-tool"], }"#;
    let (said, done) = (dry(code), apply(code).0);
    assert!(errors(&done).is_empty(), "{:?}", errors(&done));
    assert_eq!(step(&said, "file[/usr/bin/wbtest-tool]").certainty, Certainty::Predicted);
    assert_eq!(step(&done, "file[/usr/bin/wbtest-tool]").action, Action::None);
}
