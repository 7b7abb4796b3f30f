//! Downloads from real servers on loopback: TLS, git's own daemon, ssh, and servers that go wrong midway (G15).

use std::fs;
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use crate::download::Place;
use crate::git_http::{Authority, Fault, GitHttp};
use crate::ports::free_port;
use crate::promises::{count, figure};
use crate::skip::skip;

const MODULE: [(&str, &str); 2] = [("main.mcl", "func word() {\n\t\"one\"\n}\n"), ("metadata.yaml", "\n")];

/// Runs the binary in `work` with more in its environment; gives its exit code and what it said.
fn run(place: &Place, words: &str, more: &[(&str, &str)]) -> (i32, String) {
    let Output { status, stdout, stderr } = command(place, words, more).output().expect("the binary starts");
    (status.code().unwrap_or(-1), String::from_utf8_lossy(&stdout).into_owned() + &String::from_utf8_lossy(&stderr))
}

fn command(place: &Place, words: &str, more: &[(&str, &str)]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_workbench"));
    command.args(words.split(' ')).current_dir(place.root.join("work")).env_clear().stdin(Stdio::null());
    command.env("PATH", "/usr/local/bin:/usr/bin:/bin").env("HOME", &place.root).envs(more.iter().copied());
    command
}

fn runs(place: &Place, words: &str, more: &[(&str, &str)], exit: i32, says: &[&str]) {
    let (code, text) = run(place, words, more);
    assert_eq!(code, exit, "{words}: {text}");
    says.iter().for_each(|part| assert!(text.contains(part), "{words} does not say {part:?}:\n{text}"));
}

/// A process costs as much as a small fetch, so it is used again; what one host sent is no neighbour of what another did.
#[test]
fn one_process_fetches_all_of_a_host_and_nothing_of_another() {
    const EACH: usize = 3;
    let place = Place::new("");
    let authority = Authority::new();
    let file = place.root.join("authority.pem");
    fs::write(&file, authority.pem()).expect("the temporary folder can be written");
    let mut imports = String::new();
    let mut servers = Vec::new();
    for address in ["127.0.0.1", "127.0.0.2"] {
        let Some(server) = GitHttp::start_with_tls(&place.root.join("repos"), address, &authority) else { return };
        for at in 0..EACH {
            place.commit(&format!("m{at}"), &MODULE);
            imports += &format!("import \"https://{address}:{}/m{at}/\" as m{}{at}\n", server.port, servers.len());
        }
        servers.push(server);
    }
    place.write("work/main.mcl", &imports);
    let trace = place.root.join("trace");
    let mut traced = Command::new("strace");
    traced.args(["-f", "-qq", "-s", "200", "-e", "trace=execve,connect", "-o"]).arg(&trace);
    traced.args([env!("CARGO_BIN_EXE_workbench"), "download", "--jobs", "1"]).current_dir(place.root.join("work"));
    traced.env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin").env("HOME", &place.root).env("SSL_CERT_FILE", &file);
    let Ok(output) = traced.stdin(Stdio::null()).output() else { return skip("strace", "strace is not installed") };
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("6 modules fetched"), "{said}");
    let trace = fs::read_to_string(trace).expect("it was written");
    let (mut of, mut hosts, mut now) = (Vec::new(), Vec::new(), 0);
    for line in trace.lines() {
        if line.contains("\"fetch-module\"]") {
            now += 1;
        } else if let Some((_, rest)) = line.split_once("inet_addr(\"") {
            of.push(now);
            hosts.push(rest.split('"').next().unwrap_or_default().to_owned());
        }
    }
    assert_eq!(now, 2, "{trace}");
    let met: std::collections::BTreeSet<_> = of.into_iter().zip(hosts).collect();
    assert_eq!(met.len(), 2, "{met:?}");
}

#[test]
fn a_chain_over_three_hosts_with_tls_downloads_locks_updates_and_verifies() {
    const LENGTH: usize = 30;
    let place = Place::new("\n");
    let authority = Authority::new();
    let file = place.root.join("authority.pem");
    fs::write(&file, authority.pem()).expect("the temporary folder can be written");
    let start = |(at, address): (usize, &str)| {
        GitHttp::start_with_tls(&place.root.join(format!("repos/host{at}")), address, &authority)
    };
    let started: Option<Vec<_>> = ["127.0.0.1", "127.0.0.1", "127.0.0.2"].into_iter().enumerate().map(start).collect();
    let Some(servers) = started else { return };
    let url = |at: usize| {
        let host = ["localhost", "127.0.0.1", "127.0.0.2"][at % 3];
        format!("https://{host}:{}/m{at}/", servers[at % 3].port)
    };
    let name = |at: usize| format!("host{}/m{at}", at % 3);
    for at in 0..LENGTH {
        let code = match at + 1 < LENGTH {
            true => format!("import \"{}\" as next\nfunc word() {{\n\tnext.word()\n}}\n", url(at + 1)),
            false => MODULE[0].1.to_owned(),
        };
        place.commit(&name(at), &[("main.mcl", &code), MODULE[1]]);
    }
    place.write("work/main.mcl", &format!("import \"{}\" as m\nprint \"a\" {{\n\tmsg => m.word(),\n}}\n", url(0)));
    let trusted: &[(&str, &str)] = &[("SSL_CERT_FILE", file.to_str().expect("temporary paths are text"))];
    runs(&place, "download", &[], 1, &["module-not-fetched", "ertificate"]);
    assert!(!place.root.join("work/modules").exists());
    runs(&place, "download", trusted, 0, &["30 modules fetched, 0 updated, 0 unchanged"]);
    runs(&place, "graph", &[], 0, &["msg  \"one\""]);
    let lock = place.read("work/workbench.lock");
    assert_eq!(lock.matches("[[module]]").count(), LENGTH);
    runs(&place, "download --locked", trusted, 0, &["0 modules fetched, 0 updated, 30 unchanged"]);
    place.commit(&name(LENGTH - 1), &[("main.mcl", "func word() {\n\t\"two\"\n}\n"), MODULE[1]]);
    runs(&place, "download", trusted, 0, &["30 unchanged"]);
    runs(&place, "download --update", trusted, 0, &["1 updated, 29 unchanged"]);
    runs(&place, "graph", &[], 0, &["msg  \"two\""]);
    // From nothing but the lock of before.
    place.write("work/workbench.lock", &lock);
    fs::remove_dir_all(place.root.join("work/modules")).expect("it was downloaded");
    runs(&place, "download --locked", trusted, 0, &["30 modules fetched"]);
    runs(&place, "graph", &[], 0, &["msg  \"one\""]);
    place.write("work/modules/127.0.0.2/m29/main.mcl", "func word() {\n\t\"mine\"\n}\n");
    runs(&place, "graph", &[], 1, &["module-edited", "m29"]);
}

/// A process that ends with the test.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        // `git` only starts its daemon.
        let _ = kill_process_group(Pid::from_child(&self.0), Signal::KILL);
        let _ = self.0.wait();
    }
}

/// Starts a server, and waits until it answers.
fn server(mut command: Command, port: u16) -> Option<Ended> {
    let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0).spawn();
    let Ok(child) = child else {
        skip("git server", format_args!("{command:?} is not installed"));
        return None;
    };
    let mut server = Ended(child);
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(10) {
        if TcpStream::connect(("127.0.0.1", port)).is_ok() {
            return Some(server);
        }
        if let Ok(Some(status)) = server.0.try_wait() {
            skip("git server", format_args!("{command:?} ended with {status}"));
            return None;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    skip("git server", format_args!("{command:?} does not answer"));
    None
}

#[test]
fn the_git_protocol_is_used_when_allowed() {
    let place = Place::new("\n");
    let first = place.commit("b", &MODULE);
    let port = free_port();
    let mut daemon = Command::new("git");
    let base = format!("--base-path={}", place.root.join("repos").display());
    daemon.args(["daemon", "--export-all", "--reuseaddr", "--listen=127.0.0.1", &format!("--port={port}"), &base]);
    // It starts a process for each connection, which ends by itself.
    let Some(_daemon) = server(daemon, port) else { return };
    place.write(
        "work/main.mcl",
        &format!("import \"git://127.0.0.1:{port}/b/\"\nprint \"x\" {{\n\tmsg => b.word(),\n}}\n"),
    );
    runs(&place, "download", &[], 1, &["module-not-fetched"]);
    runs(&place, "download --allow git", &[], 0, &["1 module fetched", &first.to_string()[..10]]);
    runs(&place, "graph", &[], 0, &["msg  \"one\""]);
    place.commit("b", &[("main.mcl", "func word() {\n\t\"two\"\n}\n"), MODULE[1]]);
    runs(&place, "download --update --allow git", &[], 0, &["1 updated"]);
    place.write("work/main.mcl", &format!("import \"git://127.0.0.1:{port}/none/\"\n"));
    runs(&place, "download --allow git", &[], 1, &["module-not-fetched", "`127.0.0.1` reports: access denied"]);
}

/// A first fetch brings the newest commit alone; what is before it comes when somebody has to know it.
#[test]
fn histories_come_when_they_are_needed() {
    let place = Place::new("\n");
    let port = free_port();
    let mut daemon = Command::new("git");
    let repos = place.root.join("repos");
    fs::create_dir_all(&repos).expect("it can be made");
    let base = format!("--base-path={}", repos.display());
    daemon.args(["daemon", "--export-all", "--reuseaddr", "--listen=127.0.0.1", &format!("--port={port}"), &base]);
    if let Some(_daemon) = server(daemon, port) {
        histories_come(&place, "git", port);
    }
}

#[test]
fn histories_come_by_http_when_they_are_needed() {
    let place = Place::new("\n");
    let Some(server) = GitHttp::start(&place.root.join("repos")) else { return };
    place.commit("a", &MODULE);
    place.commit("a", &[MODULE[0], MODULE[1], ("more", "")]);
    place.write("work/main.mcl", &format!("import \"http://127.0.0.1:{}/a/\"\n", server.port));
    runs(&place, "download --allow http", &[], 0, &["1 module fetched"]);
    assert_eq!(server.requests.load(Ordering::Relaxed), 2, "what there is, and the files of its newest commit");
    runs(&place, "download --update --allow http", &[], 0, &["1 unchanged"]);
    assert_eq!(server.requests.load(Ordering::Relaxed), 3, "what there is");
    let gone = ["work/modules", "work/workbench.lock", ".cache"].map(|name| place.root.join(name));
    let _ = (fs::remove_dir_all(&gone[0]), fs::remove_file(&gone[1]), fs::remove_dir_all(&gone[2]));
    histories_come(&place, "http", server.port);
}

/// Of repository `b`, which is made.
fn histories_come(place: &Place, scheme: &str, port: u16) {
    let word = |word: &str| format!("func word() {{\n\t\"{word}\"\n}}\n");
    let commit = |text: &str| place.commit("b", &[("main.mcl", &word(text)), MODULE[1]]);
    let old = commit("old");
    place.repository("b").reference("refs/tags/v1", old, false, "").expect("a tag can be made");
    let commits = ["2", "3", "4"].map(commit);
    let runs =
        |words: &str, code: i32, said: &[&str]| runs(place, &format!("{words} --allow {scheme}"), &[], code, said);
    let cache = place.root.join(".cache");
    let import =
        |more: &str| place.write("work/main.mcl", &format!("import \"{scheme}://127.0.0.1:{port}/b/{more}\"\n"));
    let anew = || {
        let _ = (fs::remove_dir_all(&cache), fs::remove_dir_all(place.root.join("work/modules")));
    };
    let is_shallow = || {
        let mirrors = fs::read_dir(cache.join("workbench/git")).expect("there is a cache").flatten();
        mirrors.filter(|mirror| mirror.path().join("shallow").exists()).count() == 1
    };
    let module = || place.read("work/modules/127.0.0.1/b/main.mcl");
    import("");
    runs("download", 0, &["1 module fetched", &commits[2].to_string()[..10]]);
    assert!(is_shallow() && module() == word("4"));
    runs("modules --remote", 0, &["0 of 1 fetched module behind"]);
    assert!(is_shallow(), "there was nothing to count");
    commit("5");
    runs("download --update", 0, &["1 updated"]);
    assert!(is_shallow() && module() == word("5"));
    let six = commit("6");
    commit("7");
    runs("modules --remote", 0, &["behind by 2 commits"]);
    assert!(!is_shallow());
    // Of the lock, and gone from the cache: it is no branch's newest any more.
    anew();
    runs("download --locked", 0, &["1 module fetched"]);
    assert_eq!(module(), word("5"));
    let short = &six.to_string()[..9];
    for (reference, text, whole) in [("v1", "old", false), ("main", "7", false), (short, "6", true)] {
        anew();
        let _ = fs::remove_file(place.root.join("work/workbench.lock"));
        import(&format!("?ref={reference}"));
        runs("download", 0, &["1 module fetched"]);
        assert_eq!((module(), is_shallow()), (word(text), !whole), "{reference}");
    }
    // A branch takes the name of a tag that is gone.
    let repository = place.repository("b");
    repository.find_reference("refs/tags/v1").and_then(|mut tag| tag.delete()).expect("it is there");
    repository.reference("refs/heads/v1", commits[0], false, "").expect("a branch can be made");
    import("?ref=v1");
    runs("download --update", 0, &["1 updated"]);
    assert_eq!(module(), word("2"));
    import("?ref=none");
    runs("download", 1, &["no branch, tag or commit `none`"]);
}

#[test]
fn ssh_is_the_users_own() {
    let place = Place::new("\n");
    place.commit("b", &MODULE);
    let Some((_server, port)) = sshd(&place.root) else { return };
    let path = format!("{}:/usr/local/bin:/usr/bin:/bin", place.root.join("bin").display());
    let env: &[(&str, &str)] = &[("PATH", &path)];
    let repos = place.root.join("repos");
    place.write(
        "work/main.mcl",
        &format!("import \"ssh://workbench-test{}/b/\"\nprint \"x\" {{\n\tmsg => b.word(),\n}}\n", repos.display()),
    );
    runs(&place, "download", env, 0, &["1 module fetched"]);
    runs(&place, "graph", env, 0, &["msg  \"one\""]);
    let _ = fs::remove_dir_all(place.root.join("work/modules"));
    place.write("work/main.mcl", &format!("import \"ssh://workbench-test{}/none/\"\n", repos.display()));
    runs(&place, "download", env, 1, &["module-not-fetched", "ssh:"]);
    place.write("work/main.mcl", &format!("import \"ssh://stranger@127.0.0.1:{port}{}/b/\"\n", repos.display()));
    runs(&place, "download", env, 1, &["module-not-fetched", "ssh:"]);
    assert!(!place.root.join("work/modules").exists());
}

/// A server that lets in whoever has the key that is made for it, and an `ssh` that knows both.
fn sshd(root: &Path) -> Option<(Ended, u16)> {
    let program = ["/usr/sbin/sshd", "/usr/local/sbin/sshd"].into_iter().find(|path| Path::new(path).exists());
    let Some(program) = program else {
        skip("sshd", "sshd is not installed");
        return None;
    };
    let folder = root.join("ssh");
    fs::create_dir_all(&folder).expect("the temporary folder can be written");
    for key in ["host", "user"] {
        let made =
            Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(folder.join(key)).status();
        if !made.is_ok_and(|status| status.success()) {
            skip("sshd", "ssh-keygen makes no key");
            return None;
        }
    }
    let (port, at) = (free_port(), folder.display());
    let settings = format!(
        "Port {port}\nListenAddress 127.0.0.1\nHostKey {at}/host\nAuthorizedKeysFile {at}/user.pub\nStrictModes no\n\
         PasswordAuthentication no\nKbdInteractiveAuthentication no\nPidFile none\nUsePAM no\nPermitRootLogin yes\n"
    );
    fs::write(folder.join("sshd_config"), settings).expect("the temporary folder can be written");
    let client = format!(
        "Host workbench-test\n  HostName 127.0.0.1\n  Port {port}\n  IdentityFile {at}/user\n  IdentitiesOnly yes\n\
         Host *\n  StrictHostKeyChecking no\n  UserKnownHostsFile {at}/known\n  IdentityAgent none\n"
    );
    fs::write(folder.join("config"), client).expect("the same");
    // The program takes its settings from the home of the account, and not from HOME.
    let wrapper = root.join("bin/ssh");
    fs::create_dir_all(root.join("bin")).expect("the same");
    fs::write(&wrapper, format!("#!/bin/sh\nexec /usr/bin/ssh -F {at}/config \"$@\"\n")).expect("the same");
    fs::set_permissions(&wrapper, fs::Permissions::from_mode(0o755)).expect("it is ours");
    let mut command = Command::new(program);
    command.args(["-D", "-e", "-f"]).arg(folder.join("sshd_config"));
    server(command, port).map(|server| (server, port))
}

#[test]
fn whatever_a_server_does_midway_the_module_path_is_as_before_and_the_next_try_succeeds() {
    let place = Place::new("\n");
    let noise: String = (0..4_000_u64).map(|n| format!("{:x}\n", n.wrapping_mul(0x9e37_79b9_7f4a_7c15))).collect();
    place.commit("b", &[MODULE[0], MODULE[1], ("noise", &noise)]);
    let fault = Arc::new(Mutex::new(Fault::None));
    let Some(server) = GitHttp::start_faulty(&place.root.join("repos"), Arc::clone(&fault)) else { return };
    place.write("work/main.mcl", &format!("import \"http://127.0.0.1:{}/b/\" as b\n", server.port));
    let before = [place.read("work/main.mcl"), place.read("work/metadata.yaml")];
    let head =
        "HTTP/1.1 200 OK\r\nContent-Type: application/x-git-upload-pack-advertisement\r\nConnection: close\r\n\r\n";
    let says = [
        "",
        "HTTP/1.1 500 No\r\nConnection: close\r\n\r\n",
        "HTTP/1.1 403 No\r\nConnection: close\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<h1>sign in</h1>",
        "HTTP/1.1 302 Found\r\nLocation: file:///etc/info/refs?service=git-upload-pack\r\n\r\n",
        "HTTP/1.1 302 Found\r\nLocation: ssh://-oX/p/info/refs?service=git-upload-pack\r\n\r\n",
        "HTTP/1.1 302 Found\r\nLocation: /b/info/refs?service=git-upload-pack\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 302 Found\r\nLocation: https://h/elsewhere\r\n\r\n",
        "HTTP/1.1 302 Found\r\n\r\n",
        "\u{7f}ELF not http",
        "SSH-2.0-OpenSSH_9.2\r\n",
        "HTTP/1.1 200 OK\r\nContent-Type: application/x-git-upload-pack-advertisement\r\nContent-Encoding: gzip\r\n\r\nnot packed",
        "HTTP/1.1 200 OK\r\nContent-Type: application/x-git-upload-pack-advertisement\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
    ];
    // Lines of git's own protocol that are none.
    let lines = ["", "0000", "zzzz", "fffe", "0003", "0008NAK\n", "001e# service=git-upload-pack\n", "0009ERR x0000"];
    let talks: Vec<&'static str> =
        lines.iter().map(|line| &*Box::leak(format!("{head}{line}").into_boxed_str())).collect();
    let mut faults: Vec<Fault> = says.into_iter().chain(talks).map(Fault::Says).collect();
    faults.push(Fault::Floods);
    let told = faults.len();
    // About 36 kB of pack, and 400 bytes before it.
    let wanted = count(30, 280);
    faults.extend((0..wanted / 7).map(|n| Fault::Cut { pack: false, after: n * 400 / (wanted / 7) }));
    faults.extend((0..wanted / 2).map(|n| Fault::Cut { pack: true, after: n * 30_000 / (wanted / 2) }));
    faults.extend((0..wanted - wanted / 2 - wanted / 7).map(|n| Fault::Flip { after: n * 40_000 / wanted }));
    for (at, one) in faults.iter().enumerate() {
        *fault.lock().expect("nobody panics with it") = *one;
        let (code, text) = run(&place, "download --allow http --max-size 8", &[]);
        assert!(code == 1 && text.contains("error["), "{one:?}: {code} {text}");
        assert!(
            !place.root.join("work/modules").exists() && !place.root.join("work/workbench.lock").exists(),
            "{one:?}"
        );
        let left = fs::read_dir(place.root.join("work")).expect("it is there").count();
        assert_eq!(
            (left, [place.read("work/main.mcl"), place.read("work/metadata.yaml")]),
            (2, before.clone()),
            "{one:?}"
        );
        if at % 10 == 0 || at < told {
            *fault.lock().expect("nobody panics with it") = Fault::None;
            runs(&place, "download --allow http", &[], 0, &["1 module fetched"]);
            fs::remove_dir_all(place.root.join("work/modules")).expect("it was downloaded");
            fs::remove_file(place.root.join("work/workbench.lock")).expect("it was downloaded");
            fs::remove_dir_all(place.root.join(".cache")).expect("it was downloaded");
        }
    }
    figure("G15", format_args!("{} faults of a server, module path unchanged each time", faults.len()));
    stopped_while_it_stalls(&place, &fault);
}

/// A server that says nothing more holds nobody up who does not want to wait.
fn stopped_while_it_stalls(place: &Place, fault: &Mutex<Fault>) {
    *fault.lock().expect("nobody panics with it") = Fault::Stall;
    let mut child = command(place, "download --allow http", &[])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary starts");
    std::thread::sleep(Duration::from_millis(500));
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("it is ours");
    let status = child.wait().expect("it ends");
    assert_eq!(status.code(), Some(130));
    assert!(!place.root.join("work/modules").exists());
    *fault.lock().expect("nobody panics with it") = Fault::None;
    runs(place, "download --allow http", &[], 0, &["1 module fetched"]);
}
