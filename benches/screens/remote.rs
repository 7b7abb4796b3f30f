//! A module on a server of loopback, so large that fetching it takes a while.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use git2::{Repository, Signature};

use crate::git_http::GitHttp;

/// What is fetched later: so many files of so many bytes that do not compress.
const FILES: u64 = 60;
const BYTES: usize = 512 << 10;

/// What this program is called with to be the server.
pub const SERVE: &str = "serve";

/// A small module that was fetched, and has grown since.
pub struct Remote {
    pub import: String,
    pub cache: PathBuf,
    repository: PathBuf,
    /// Serves until this is dropped.
    server: Child,
}

impl Drop for Remote {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

impl Remote {
    /// `None` where git is not installed.
    pub fn start(repos: &Path, cache: &Path) -> Option<Self> {
        let repository = repos.join("big");
        let made = Repository::init_bare(&repository).expect("a repository can be made");
        // The server is elsewhere as a rule: here it takes as little as it can.
        let mut config = made.config().expect("it has settings");
        for (name, value) in
            [("pack.compression", 0), ("core.looseCompression", 0), ("core.bigFileThreshold", 1), ("pack.threads", 1)]
        {
            config.set_i32(name, value).expect("they can be written");
        }
        commit(&repository, 0);
        let mut server = Command::new(std::env::current_exe().expect("it runs"));
        server.arg(SERVE).arg(repos).stdin(Stdio::piped()).stdout(Stdio::piped());
        let server = server.spawn().expect("it has just run");
        let mut remote = Self { import: String::new(), cache: cache.to_path_buf(), repository, server };
        let mut port = String::new();
        remote.server.stdout.as_mut().map(BufReader::new)?.read_line(&mut port).ok()?;
        // It says something else where git is missing.
        let port: u16 = port.trim().parse().ok()?;
        remote.import = format!("import \"http://127.0.0.1:{port}/big/\" as big\n");
        Some(remote)
    }

    /// Serves the repositories below a folder until standard input ends, in a session of its own and after all others:
    /// the kernel shares processors out by sessions (`sched(7)`, autogroups), and this one would be another machine's.
    pub fn serve(repos: &Path) {
        let _ = rustix::process::setsid();
        let _ = rustix::process::nice(19);
        let _ = std::fs::write("/proc/self/autogroup", "19");
        if let Some(server) = GitHttp::start(repos) {
            println!("{}", server.port);
            let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        }
    }

    /// Fetches what the program below a folder imports.
    pub fn fetch_for(&self, folder: &Path) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_workbench"));
        command.args(["download", "--allow", "http", "-q"]).current_dir(folder).env("WORKBENCH_CACHE", &self.cache);
        assert!(command.stdout(Stdio::null()).status().is_ok_and(|status| status.success()), "the module is fetched");
    }

    /// From now on there is much to fetch.
    pub fn grow(&self) {
        commit(&self.repository, FILES);
    }
}

/// A commit on top of all others, with so many large files in it.
fn commit(path: &Path, files: u64) {
    let repository = Repository::open(path).expect("it was just made");
    let who = Signature::now("a", "a@example.com").expect("the name is plain");
    let mut tree = repository.treebuilder(None).expect("a tree can be begun");
    let mut insert = |name: &str, bytes: &[u8]| {
        let blob = repository.blob(bytes).expect("a blob can be written");
        tree.insert(name, blob, 0o100_644).expect("the name is plain");
    };
    insert("main.mcl", b"$x = 1\n");
    insert("metadata.yaml", b"\n");
    for file in 0..files {
        let mut state = file + 1;
        let noise = std::iter::repeat_with(|| {
            // Marsaglia's xorshift64.
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state.to_le_bytes()
        });
        insert(&format!("noise{file}"), &noise.take(BYTES / 8).flatten().collect::<Vec<u8>>());
    }
    let tree = repository.find_tree(tree.write().expect("it can be written")).expect("it was just written");
    let parent = repository.head().ok().and_then(|head| head.peel_to_commit().ok());
    repository.commit(Some("HEAD"), &who, &who, "change", &tree, &parent.iter().collect::<Vec<_>>()).expect("the same");
}
