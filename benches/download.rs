//! How long a download of 50 small modules takes, against as many shallow clones by git, eight at a time.
//!
//! `cargo bench --bench download`; both speak to the same server on loopback, once over http and once over git's own
//! protocol. The aim is 0.7 times git's time at most, and less than a second where nothing is new.

#![allow(clippy::disallowed_methods, reason = "it lays out repositories and runs programs")]

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use rustix::process::{Pid, Signal, kill_process_group};

#[path = "../tests/suite/git_http.rs"]
#[allow(dead_code, reason = "the tests use all of it")]
mod git_http;
#[allow(dead_code, reason = "the tests use all of it")]
#[path = "../tests/suite/skip.rs"]
mod skip;

const MODULES: usize = 50;
const COMMITS: usize = 25;
const ROUNDS: usize = 5;

fn main() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let root = folder.path();
    let repos = root.join("repos");
    (0..MODULES).for_each(|number| repository(&repos.join(format!("r{number}"))));
    if let Some(server) = git_http::GitHttp::start(&repos) {
        compare(root, &format!("http://127.0.0.1:{}", server.port), "http");
    }
    if let Some((mut daemon, port)) = git_daemon(&repos) {
        compare(root, &format!("git://127.0.0.1:{port}"), "git");
        // The program `git` only starts the server; both are of one group.
        let _ = kill_process_group(Pid::from_child(&daemon), Signal::KILL);
        let _ = daemon.wait();
    }
}

/// git's own server, once it answers.
fn git_daemon(repos: &Path) -> Option<(Child, u16)> {
    let free = std::net::TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    let port = free.expect("loopback has a free port").port();
    let words = ["daemon", "--export-all", "--reuseaddr", "--listen=127.0.0.1"];
    let daemon = Command::new("git")
        .args(words)
        .args([format!("--port={port}"), format!("--base-path={}", repos.display())])
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .ok()?;
    for _ in 0..500 {
        if std::net::TcpStream::connect(("127.0.0.1", port)).is_ok() {
            return Some((daemon, port));
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    None
}

fn compare(root: &Path, server: &str, allow: &str) {
    let work = root.join("work");
    fs::create_dir_all(&work).expect("the temporary folder can be written");
    let imports: String = (0..MODULES).map(|number| format!("import \"{server}/r{number}/\" as m{number}\n")).collect();
    fs::write(work.join("main.mcl"), imports).expect("the same");
    fs::write(work.join("metadata.yaml"), "\n").expect("the same");
    let mut times: [Vec<f64>; 3] = Default::default();
    for _ in 0..ROUNDS {
        let clones = format!(
            "seq 0 {} | xargs -P8 -I{{}} git clone -q --depth 1 {server}/r{{}} {}/{{}}",
            MODULES - 1,
            root.join("clones").display()
        );
        times[0].push(timed(Command::new("sh").args(["-c", &clones])));
        let download = |words: &[&str]| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_workbench"));
            command.args(["download", "--allow", allow, "-q"]).args(words).current_dir(&work);
            timed(command.env("WORKBENCH_CACHE", root.join("cache")).stdout(Stdio::null()))
        };
        times[1].push(download(&[]));
        times[2].push(download(&["--update"]));
        for rest in ["clones", "cache", "work/modules"] {
            fs::remove_dir_all(root.join(rest)).expect("it was just made");
        }
        fs::remove_file(work.join("workbench.lock")).expect("it was just made");
    }
    let [git, ours, again] = times.map(median);
    println!(
        "{MODULES} modules over {allow}: git {git:.2} s, download {ours:.2} s ({:.2} times); nothing new {again:.2} s",
        ours / git
    );
}

/// A bare one with some history.
fn repository(path: &Path) {
    let repository = git2::Repository::init_bare(path).expect("a repository can be made");
    let who = git2::Signature::now("a", "a@example.com").expect("the name is plain");
    let mut parent: Option<git2::Oid> = None;
    for commit in 0..COMMITS as u64 {
        let noise: String =
            (0..200_u64).map(|n| format!("{:x}\n", (n + commit * 997).wrapping_mul(0x9e37_79b9_7f4a_7c15))).collect();
        let mut tree = repository.treebuilder(None).expect("a tree can be begun");
        for (name, text) in [("main.mcl", "$x = 1\n"), ("metadata.yaml", "\n"), ("noise", &noise)] {
            let blob = repository.blob(text.as_bytes()).expect("a blob can be written");
            tree.insert(name, blob, 0o100_644).expect("the name is plain");
        }
        let tree = repository.find_tree(tree.write().expect("it can be written")).expect("it was just written");
        let before = parent.map(|id| repository.find_commit(id).expect("it was just written"));
        let parents: Vec<_> = before.iter().collect();
        parent = Some(repository.commit(Some("HEAD"), &who, &who, "change", &tree, &parents).expect("the same"));
    }
}

fn timed(command: &mut Command) -> f64 {
    let begun = Instant::now();
    let status = command.status().expect("the program starts");
    assert!(status.success(), "{command:?}");
    begun.elapsed().as_secs_f64()
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
