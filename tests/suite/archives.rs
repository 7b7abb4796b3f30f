//! Archives of real packages, fetched from this machine's sources: what was a guess is known then, and nothing is written but
//! into the state folder.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use workbench::host::{LocalLook, LookPackages};

use crate::honest::{CALLS, writes};
use crate::promises;
use crate::skip::skip;

/// Packages with a service, few needs, and maintainer scripts. The first that is not installed is taken.
const CANDIDATES: &[&str] = &["rsync", "haproxy", "memcached", "cron", "irqbalance", "wireguard-tools"];

fn has(tool: &str) -> bool {
    ["/usr/bin", "/bin", "/usr/sbin"].iter().any(|folder| Path::new(folder).join(tool).exists())
}

/// One that comes, and of which no archive is here.
fn package() -> Option<&'static str> {
    let look = LocalLook::new(false);
    CANDIDATES.iter().copied().find(|name| {
        let is_new = || look.installed(name).is_ok_and(|there| there.is_none());
        let version = || look.offered(name).ok()?.into_iter().next();
        is_new() && version().is_some_and(|version| look.contents(name, &version).is_ok_and(|held| held.is_none()))
    })
}

fn workbench(state: &Path, entry: &Path, words: &[&str], trace: Option<&Path>) -> Output {
    let program = env!("CARGO_BIN_EXE_workbench");
    let mut command = match trace {
        Some(trace) => {
            let mut strace = Command::new("strace");
            strace.args(["-f", "-y", "-qq", "-e", CALLS, "-o"]).arg(trace).arg(program);
            strace
        }
        None => Command::new(program),
    };
    command.arg("--state-dir").arg(state).args(words).arg(entry).output().expect("it starts")
}

/// The certainty of each step, by its resource.
fn certainties(output: &Output) -> Vec<(String, String)> {
    let plan: Value = serde_json::from_slice(&output.stdout).expect("a plan is JSON");
    let steps = plan["steps"].as_array().expect("a plan has steps").iter();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    steps.map(|step| (text(&step["resource"]), text(&step["certainty"]))).collect()
}

#[test]
fn a_fetched_archive_predicts_its_files() {
    if let Some(missing) = ["apt-get", "dpkg-deb"].into_iter().find(|tool| !has(tool)) {
        return skip("apt", format_args!("{missing} is not here"));
    }
    let Some(package) = package() else { return skip("apt", format_args!("apt offers none of {CANDIDATES:?}")) };
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let (state, entry, trace) =
        (folder.path().join("state"), folder.path().join("main.mcl"), folder.path().join("trace"));
    let code = format!(
        "pkg \"{package}\" {{ state => \"installed\", }}\n\
         file \"/etc/wbtest-{package}.conf\" {{ state => \"exists\", content => \"x\", Depend => Pkg[\"{package}\"], }}\n\
         file \"/usr/share/doc/{package}/\" {{ state => \"exists\", Depend => Pkg[\"{package}\"], }}\n\
         svc \"{package}\" {{ state => \"running\", Depend => File[\"/etc/wbtest-{package}.conf\"], }}\n"
    );
    std::fs::write(&entry, code).expect("can be written");
    let before = workbench(&state, &entry, &["preview", "--format", "json"], None);
    let said = String::from_utf8_lossy(&before.stderr).into_owned();
    let before = certainties(&before);
    assert!(said.contains("`--fetch-packages`"), "the way out is told: {said}");
    assert!(!state.join("archives").exists(), "a preview fetches nothing by itself");

    let is_traced = Command::new("strace").arg("-V").output().is_ok();
    let words = ["preview", "--fetch-packages", "--format", "json"];
    let fetched = workbench(&state, &entry, &words, is_traced.then_some(trace.as_path()));
    let said = String::from_utf8_lossy(&fetched.stderr).into_owned();
    if said.contains("were not fetched") {
        return skip("apt", said.trim());
    }
    assert!(said.contains("fetched "), "{said}");
    let after = certainties(&fetched);
    let count = |all: &[(String, String)], what: &str| all.iter().filter(|(_, certainty)| certainty == what).count();
    assert!(count(&after, "known") > count(&before, "known"), "{before:?} {after:?}");
    let of = |all: &[(String, String)], id: &str| {
        all.iter().find(|(resource, _)| resource == id).map(|(_, certainty)| certainty.clone()).unwrap_or_default()
    };
    // What is in its list is known; its scripts may write elsewhere.
    let (own, other) = (format!("file[/usr/share/doc/{package}/]"), format!("file[/etc/wbtest-{package}.conf]"));
    assert_ne!(of(&before, &own), "known", "{before:?}");
    assert_eq!((of(&after, &own), of(&after, &other)), ("known".into(), "predicted".into()), "{after:?}");
    // Once it is here it stays, without a word and without a network.
    let again = workbench(&state, &entry, &["preview", "--format", "json"], None);
    assert_eq!((certainties(&again), String::from_utf8_lossy(&again.stderr).as_ref()), (after.clone(), ""));
    // What is broken there is as if it were not.
    let archives: Vec<_> = std::fs::read_dir(state.join("archives")).expect("was made").flatten().collect();
    assert!(
        !archives.is_empty() && archives.iter().all(|archive| archive.path().extension().is_some_and(|e| e == "deb"))
    );
    for archive in &archives {
        std::fs::write(archive.path(), "broken").expect("is ours");
    }
    let broken = workbench(&state, &entry, &["preview", "--format", "json"], None);
    assert_eq!(certainties(&broken), before);
    let mut calls = 0;
    if is_traced && let Ok(text) = std::fs::read_to_string(&trace) {
        calls = text.lines().count();
        let state = state.display().to_string();
        // apt looks up packages with a file that has no name, and so never lies in any folder.
        let is_nameless = |line: &str| line.contains("O_TMPFILE");
        let elsewhere = text.lines().filter(writes).filter(|line| !(line.contains(&state) || is_nameless(line)));
        let elsewhere: Vec<&str> = elsewhere.collect();
        assert!(elsewhere.is_empty(), "{elsewhere:#?}");
    }
    promises::figure(
        "G6 (fetched archives)",
        format_args!(
            "{package}: {} of {} steps known before, {} after; {calls} calls looked at, 0 write outside the state folder",
            count(&before, "known"),
            before.len(),
            count(&after, "known")
        ),
    );
}
