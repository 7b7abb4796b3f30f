//! Programs of ours that include the classes of mgmt's modules give the resources that those modules say.
//!
//! The expectations in `tests/mgmt/` were written down from mgmt's sources at commit 60c024dd, by hand: each resource with the
//! file and line that declares it. `debian` or `redhat` before one limits it to machines of that family. mgmt's modules are
//! GPL-3, so they are not in this repository: `WORKBENCH_MGMT` names a checkout of mgmt, and without it nothing is compared.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::case::{find, parse};
use crate::skip::skip;

/// What the server of etcd reads while it is compiled.
const KEY: &str = "/etc/ssh/ssh_host_ed25519_key.pub";

fn checkout() -> Option<PathBuf> {
    let there = std::env::var_os("WORKBENCH_MGMT").map(PathBuf::from);
    if there.is_none() {
        skip("mgmt", "WORKBENCH_MGMT does not name a checkout of mgmt");
    }
    there
}

#[test]
fn modules_give_the_resources_that_they_declare() {
    let Some(mgmt) = checkout() else { return };
    let mut compared = 0;
    for case in find(Path::new("tests/mgmt")) {
        if case.ends_with("etcd-server.case") && !Path::new(KEY).exists() {
            skip("mgmt", format_args!("there is no {KEY} for {}", case.display()));
            continue;
        }
        let text = std::fs::read_to_string(&case).expect("was just listed");
        let case_there = parse(&text);
        let (_, program) = case_there.files.first().expect("a case has a program");
        let expected = case_there.runs[0].output("EXPECTED").expect("a case says what is expected");
        let (mut want, have) = (of_this_machine(expected), resources(&mgmt, program));
        want.sort();
        assert_eq!(have, want, "{}", case.display());
        compared += 1;
    }
    assert!(compared >= 13, "{compared} modules were compared");
}

/// The expected resources, without those of another family of systems.
fn of_this_machine(expected: &str) -> Vec<String> {
    let families = [("debian ", "/etc/debian_version"), ("redhat ", "/etc/redhat-release")];
    let mut lines = Vec::new();
    for line in expected.lines() {
        match families.iter().find_map(|(family, mark)| Some((line.strip_prefix(family)?, mark))) {
            None => lines.push(line.to_owned()),
            Some((rest, mark)) if Path::new(mark).exists() => lines.push(rest.to_owned()),
            Some(_) => {}
        }
    }
    lines
}

/// The resources of a program that imports from a checkout of mgmt, sorted, each with its place.
fn resources(mgmt: &Path, program: &[u8]) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let at = folder.path().canonicalize().expect("was just made");
    let modules = at.join("modules/github.com/purpleidea");
    std::fs::create_dir_all(&modules).expect("can be made");
    symlink(mgmt, modules.join("mgmt")).expect("can be made");
    std::fs::write(at.join("main.mcl"), program).expect("can be written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_workbench"));
    command.args(["graph", "--format", "json", "--module-path"]).arg(at.join("modules/")).arg("main.mcl");
    let output =
        command.current_dir(&at).env("WORKBENCH_STATE", at.join("state")).output().expect("the binary is there");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let graph: Value = serde_json::from_slice(&output.stdout).expect("is JSON");
    let variable = at.join("state/vardir").display().to_string();
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let text = |resource: &Value| {
        let file = resource["source"]["file"].as_str().unwrap_or_default();
        let file = file.rsplit_once("purpleidea/mgmt/modules/").map_or(file, |(_, below)| below);
        let id = resource["id"].as_str().unwrap_or_default().replace(&variable, "$VAR");
        format!("{} {file}:{}", id.replace(&format!("@{host}]"), "@$HOST]"), resource["source"]["line"])
    };
    let mut all: Vec<String> = graph["resources"].as_array().expect("is a list").iter().map(text).collect();
    all.sort();
    all
}
