//! Deploys in a mgmt cluster: published whole or not at all, compared, gone back to, and what is bad told by name.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;

use workbench::deploy::bundle::Content;
use workbench::deploy::target::record::{Choices, Frontend};
use workbench::deploy::target::{Offer, Origin, PublishEvent, Target, TargetError, Writer, record};
use workbench::session::Cancel;

use crate::download::Place;
use crate::etcd::Etcd;
use crate::ports::free_port;
use crate::terminal::{PROGRAM, Terminal};

const MAIN: &str = "import \"deploy\"\nimport \"os\"\nfile \"$ROOT/out\" {\n\tstate => \"exists\",\n\t\
                    content => deploy.readfile(\"/files/greeting\"),\n}\n";

fn program() -> Place {
    let place = Place::new(MAIN);
    place.write("work/files/greeting", "hello\n");
    place
}

/// Runs a command against a cluster.
fn runs(place: &Place, etcd: &Etcd, words: &str, exit: i32, says: &[&str]) {
    place.runs(&format!("{words} --target {}", etcd.address()), exit, says);
}

fn offer(text: &str) -> Offer {
    let file = |path: &str, bytes: &str| Content { path: path.into(), executable: false, bytes: bytes.into() };
    Offer {
        frontend: Frontend::Lang,
        choices: Choices::default(),
        files: vec![file("main.mcl", text), file("metadata.yaml", "\n")],
        origin: Origin::Unasked,
        is_forced: false,
        writer: Writer { user: "ann".into(), host: "box".into(), ..Writer::default() },
    }
}

#[test]
fn a_program_is_published_compared_and_gone_back_to() {
    let Some(etcd) = Etcd::start() else { return };
    let place = program();
    runs(&place, &etcd, "deploy list", 0, &["No deploys in this cluster yet."]);
    runs(&place, &etcd, "deploy show", 1, &["target-refused", "no deploys in this cluster yet"]);
    runs(&place, &etcd, "deploy push .", 1, &["needs a terminal"]);
    let first =
        ["No deploys in this cluster yet", "+ files/greeting", "+ main.mcl", "+ metadata.yaml", "Deploy 1 would be"];
    runs(&place, &etcd, "deploy push . --preview", 0, &first);
    assert_eq!(etcd.keys("/_mgmt/"), Vec::<String>::new(), "a look writes nothing");
    runs(&place, &etcd, "deploy push . --yes", 0, &["Deploy 1 published: 3 files, verified."]);
    runs(&place, &etcd, "deploy push . --yes", 0, &["same as deploy 1"]);
    place.write("work/files/greeting", "bye\n");
    place.write("work/files/more", "more\n");
    let second =
        ["~ files/greeting", "+ files/more", "at most 3 resources", "noop: report changes only", "Deploy 2 published"];
    runs(&place, &etcd, "deploy push . --yes --noop --sema 3 --no-autogroup", 0, &second);
    runs(&place, &etcd, "deploy push main.mcl --as yaml --yes", 0, &["+ start.yaml", "- files/more", "Deploy 3"]);
    runs(&place, &etcd, "deploy push . --as mcl --yes", 0, &["+ main.mcl", "- start.yaml", "Deploy 4 published"]);
    runs(
        &place,
        &etcd,
        "deploy show 2",
        0,
        &["noop: report changes only", "at most 3 resources", "no automatic groups", "files/more"],
    );
    runs(&place, &etcd, "deploy undo 2 --yes", 1, &["deploy 2 is not the newest one", "--to ID"]);
    runs(&place, &etcd, "deploy undo --to 9 --yes", 1, &["no deploy 9"]);
    runs(&place, &etcd, "deploy undo --to 4 --yes", 1, &["deploy 4 is already the newest one"]);
    runs(&place, &etcd, "deploy undo --yes", 0, &["Published deploy 5, a copy of deploy 3."]);
    runs(&place, &etcd, "deploy undo --to 1 --yes", 0, &["Published deploy 6, a copy of deploy 1."]);
    runs(&place, &etcd, "deploy list", 0, &["6  ", "back to 1  runs", "lang", "yaml", "@host.example"]);
    let (payload, older) = (etcd.get("/_mgmt/deploy/6/payload"), etcd.get("/_mgmt/deploy/1/payload"));
    assert_eq!(payload, older, "going back publishes the very record");
    // What lies there is what mgmt's own layout says.
    let (deploy, tree) = etcd.mgmt().show(Some(1), &Cancel::default()).expect("it was published");
    assert_eq!(tree.0.keys().collect::<Vec<_>>(), ["files/greeting", "main.mcl", "metadata.yaml"]);
    assert!(etcd.holds(&tree));
    let uri = deploy.record.expect("it reads").uri.expect("it has a tree");
    assert!(uri.starts_with("etcdfs:///fs/deploy/1-"), "{uri}");
    assert!(etcd.get(&format!("/_mgmt{}", &uri["etcdfs://".len()..])).is_some());
}

#[test]
fn a_bundle_is_published_with_its_purpose() {
    let Some(etcd) = Etcd::start() else { return };
    let place = program();
    place.runs("deploy bundle . -o ../one.bundle", 0, &[]);
    runs(&place, &etcd, "deploy push . --yes", 0, &["Deploy 1 published"]);
    runs(&place, &etcd, "deploy push ../one.bundle --yes --no-git", 1, &["not approved", "one.bundle"]);
    place.runs("modules --approve=../one.bundle ../one.bundle", 0, &["approved"]);
    runs(&place, &etcd, "deploy push ../one.bundle --yes", 0, &["same as deploy 1"]);
    let Place { root, .. } = &place;
    fs::create_dir(root.join("lib")).expect("the temporary folder can be written");
    place.write("lib/main.mcl", "$word = \"x\"\n");
    place.write("lib/metadata.yaml", "\n");
    place.write("work/main.mcl", "import \"../lib/\"\nprint \"a\" {\n\tmsg => $lib.word,\n}\n");
    let outside = ["not-published", "files outside the module folder: `program/lib/main.mcl`", "--as mcl"];
    runs(&place, &etcd, "deploy push . --yes", 1, &outside);
    runs(&place, &etcd, "deploy push . --as mcl --yes", 0, &["Deploy 2 published"]);
    runs(&place, &etcd, "deploy push", 1, &["needs a terminal"]);
    place.runs("deploy push . --yes", 64, &["no target"]);
}

/// A catalog is published if mgmt has words for all of it: what is read back compiles, and to the same graph.
#[test]
fn a_graph_of_another_language_is_checked_before_it_is_published() {
    let Some(etcd) = Etcd::start() else { return };
    let place = Place::new("");
    let service = "service { 'ntp': ensure => running }\n";
    let file = "class ntp {\n  file { '/etc/ntp.conf': ensure => file, content => \"a\\n\", mode => '0644' }\n}\ninclude ntp\n";
    place.write("work/site.pp", &format!("{file}{service}File['/etc/ntp.conf'] ~> Service['ntp']\n"));
    let refused = ["no-mcl-form", "`restart` of `Service[ntp]`", "site.pp:5", "order it with `require`"];
    for form in ["mcl", "yaml"] {
        runs(&place, &etcd, &format!("deploy push site.pp --as {form} --yes --no-git"), 1, &refused);
    }
    let neither = ["not-in-language", "its graph has no form in mcl either"];
    runs(&place, &etcd, "deploy push site.pp --yes --no-git", 1, &neither);
    assert_eq!(etcd.keys("/_mgmt/"), Vec::<String>::new(), "nothing is published");
    place.write("work/site.pp", &format!("{file}{service}Class['ntp'] -> Service['ntp']\n"));
    runs(&place, &etcd, "deploy push site.pp --yes --no-git", 1, &["not-in-language", "publish its graph: `--as mcl`"]);
    let published = ["File[/etc/ntp.conf]: if a link or a file is there", "+ main.mcl", "Deploy 1 published"];
    runs(&place, &etcd, "deploy push site.pp --as mcl --yes --no-git", 0, &published);
    let (_, tree) = etcd.mgmt().show(Some(1), &Cancel::default()).expect("it was published");
    let key = format!("/_mgmt/storage/{{sha256}}{}", tree.0["main.mcl"].hash);
    let text = etcd.get(&key).expect("the tree names it");
    fs::write(place.root.join("work/read-back.mcl"), text).expect("the temporary folder can be written");
    place.runs("check read-back.mcl", 0, &["ok read-back.mcl"]);
    place.runs("graph read-back.mcl", 0, &["\"0644\"", "file[/etc/ntp.conf] → svc[ntp]"]);
    runs(&place, &etcd, "deploy push site.pp --as yaml --yes --no-git", 0, &["+ start.yaml", "Deploy 2 published"]);
}

#[test]
fn a_target_is_named_in_the_settings() {
    let Some(etcd) = Etcd::start() else { return };
    let place = program();
    place.write("config.toml", &format!("[targets.lab]\naddress = \"{}\"\n", etcd.address()));
    place.runs("--config ../config.toml deploy push . --yes --target lab", 0, &["Deploy 1 published"]);
    place.runs("--config ../config.toml deploy list --target lab", 0, &["1  ", "runs"]);
    place.runs("--config ../config.toml deploy list --target lob", 1, &["no target `lob`", "config explain"]);
    place.runs("deploy list --target lab", 1, &["no target `lab`", "targets.NAME"]);
    // It is asked for the password only where there is a user.
    let with = |command: &str| {
        let address = etcd.address();
        let text =
            format!("[targets.lab]\naddress = \"{address}\"\nuser = \"ann\"\npassword-command = \"{command}\"\n");
        place.write("config.toml", &text);
    };
    with("echo secret");
    place.runs(
        "--config ../config.toml deploy list --target lab",
        1,
        &["authentication is off, but user `ann` was given"],
    );
    with("echo no >&2; exit 3");
    let says = ["password-command: failed: exit status: 3: no", "run it by hand"];
    place.runs("--config ../config.toml deploy list --target lab", 1, &says);
    with("true");
    place.runs("--config ../config.toml deploy list --target lab", 1, &["it printed nothing"]);
}

#[test]
fn trees_of_killed_pushes_go_with_the_next_one_and_no_others() {
    let Some(etcd) = Etcd::start() else { return };
    let (target, never) = (etcd.mgmt(), Cancel::default());
    let publish = |text: &str, over| {
        let mut swept = 0;
        let mut hear = |heard| {
            if let PublishEvent::Swept(gone) = heard {
                swept += gone;
            }
        };
        target.publish(&offer(text), over, 0, &mut hear, &never).expect("nobody is there");
        swept
    };
    assert_eq!(publish("print \"a\" {}\n", 0), 0);
    // For numbers that are taken, for the next two, for none, and something else's.
    let orphans: Vec<String> = (0..250).map(|at| format!("/_mgmt/fs/deploy/{}-{at}", 1 + at % 2)).collect();
    let others = ["/_mgmt/fs/deploy/3-a", "/_mgmt/fs/deploy/4-b", "/_mgmt/fs/deploy/own", "/_mgmt/fs/other/1-x"];
    let all = orphans.iter().map(String::as_str).chain(others);
    all.for_each(|key| etcd.put(key, b"x"));
    assert_eq!(publish("print \"b\" {}\n", 1), 250);
    let left = etcd.keys("/_mgmt/fs/");
    assert!(others.iter().all(|other| left.iter().any(|key| key == other)), "{left:?}");
    assert_eq!(left.len(), others.len() + 2);
    // What was gone back to keeps its tree though the number is long past.
    target.rollback(1, 2, Writer::default(), &mut |_| (), &never).expect("it is there");
    assert_eq!(publish("print \"c\" {}\n", 3), 2);
    for id in 1..=4 {
        let (_, tree) = target.show(Some(id), &never).expect("it is there with its tree");
        assert!(etcd.holds(&tree), "{id}");
    }
    // A record that cannot be read may name any of them.
    etcd.put("/_mgmt/fs/deploy/2-left", b"x");
    etcd.put("/_mgmt/deploy/1/payload", b"!");
    assert_eq!(publish("print \"d\" {}\n", 4), 0);
    assert!(etcd.get("/_mgmt/fs/deploy/2-left").is_some());
}

#[test]
fn the_second_writer_is_refused_and_leaves_nothing() {
    let Some(etcd) = Etcd::start() else { return };
    let (target, never) = (etcd.mgmt(), Cancel::default());
    let mut quiet = |_| ();
    let one = target.publish(&offer("print \"a\" {}\n"), 0, 0, &mut quiet, &never).expect("nobody is there");
    assert_eq!((one.id, one.writer.map(|writer| writer.to_string()).as_deref()), (1, Some("ann@box")));
    let late = target.publish(&offer("print \"b\" {}\n"), 0, 0, &mut quiet, &never);
    assert_eq!(late, Err(TargetError::Raced { id: 1, by: Some("ann@box".into()) }));
    assert_eq!(target.rollback(1, 0, Writer::default(), &mut quiet, &never).map(|d| d.id).ok(), None);
    let mut told = Vec::new();
    let next = target.publish(&offer("print \"b\" {}\n"), 0, 1, &mut |heard| told.push(heard), &never);
    assert_eq!(next.map(|deploy| deploy.id), Ok(2));
    assert_eq!(told.first(), Some(&PublishEvent::Raced(1)));
    // Who is stopped midway leaves no tree behind.
    let trees = etcd.keys("/_mgmt/fs/");
    let stop = Cancel::default();
    let heard = &mut |_| stop.cancel();
    assert_eq!(target.publish(&offer("print \"c\" {}\n"), 2, 0, heard, &stop), Err(TargetError::Cancelled));
    assert_eq!((etcd.keys("/_mgmt/fs/"), trees.len()), (trees.clone(), 2));
    assert_eq!(target.deploys(&never).map(|all| all.len()), Ok(2));
}

#[test]
fn deploys_follow_one_another_as_commits_do() {
    let Some(etcd) = Etcd::start() else { return };
    let place = program();
    let root = place.root.join("work");
    let git = |words: &[&str]| {
        let who = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
        let ran = std::process::Command::new("git").args(who).args(words).current_dir(&root).output();
        let ran = ran.expect("git is installed where its tests run");
        assert!(ran.status.success(), "git {words:?}: {}", String::from_utf8_lossy(&ran.stderr));
    };
    let commit = |text: &str| {
        place.write("work/files/greeting", text);
        git(&["add", "-A"]);
        git(&["commit", "-q", "-m", "change"]);
    };
    git(&["init", "-q"]);
    runs(&place, &etcd, "deploy push . --yes", 1, &["not-published", "uncommitted changes", "--no-git"]);
    commit("one\n");
    runs(&place, &etcd, "deploy push . --yes", 0, &["Deploy 1 would be", ", commit ", "Deploy 1 published"]);
    runs(&place, &etcd, "deploy push . --yes", 1, &["is already running"]);
    commit("two\n");
    runs(&place, &etcd, "deploy push . --yes", 0, &["Deploy 2 published"]);
    commit("three\n");
    commit("four\n");
    runs(&place, &etcd, "deploy push . --yes", 1, &["deploy 2 has commit", "the parent of yours is"]);
    runs(&place, &etcd, "deploy push . --yes --force", 0, &["Deploy 3 published"]);
    fs::remove_dir_all(root.join(".git")).expect("it is a repository");
    place.write("work/files/greeting", "five\n");
    runs(&place, &etcd, "deploy push . --yes", 1, &["deploy 3 has commit", "yours has no commit"]);
    runs(&place, &etcd, "deploy push . --yes --no-git", 0, &["Deploy 4 published"]);
    assert_eq!(etcd.get("/_mgmt/deploy/4/hash"), None);
    assert_eq!(etcd.get("/_mgmt/deploy/3/hash").map(|hash| hash.len()), Some(40));
}

#[test]
fn bad_remote_data_is_named() {
    let Some(etcd) = Etcd::start() else { return };
    let place = program();
    runs(&place, &etcd, "deploy push . --yes", 0, &["Deploy 1 published"]);
    // A record of nobody's.
    etcd.put("/_mgmt/deploy/2/payload", b"\x1b[31m garbage");
    runs(&place, &etcd, "deploy list", 0, &["unreadable: not base64", "by mgmt (user unknown)"]);
    runs(&place, &etcd, "deploy show", 1, &["target-refused", "deploy 2 in the cluster is damaged"]);
    runs(&place, &etcd, "deploy undo --yes", 0, &["Published deploy 3, a copy of deploy 1."]);
    etcd.put("/_mgmt/deploy/4/payload", b"Zm9v");
    place.write("work/files/greeting", "again\n");
    runs(&place, &etcd, "deploy push . --yes", 0, &["Cannot compare with it", "Deploy 5 published"]);
    // A record of another mgmt.
    let other = record::encode_gob(Frontend::Lang, Choices::default(), "etcdfs:///fs/deploy/1-u");
    let name = other.windows(10).position(|part| part == b"*gapi.GAPI").expect("it names its type");
    let mut renamed = other.clone();
    renamed[name..name + 10].copy_from_slice(b"*jobs.JOBS");
    use base64::Engine as _;
    let stored = base64::engine::general_purpose::STANDARD.encode(renamed);
    etcd.put("/_mgmt/deploy/6/payload", stored.as_bytes());
    place.write("work/files/greeting", "once more\n");
    runs(&place, &etcd, "deploy push . --yes", 1, &["not-published", "runs `lang` by `*jobs.JOBS`", "--force"]);
    runs(&place, &etcd, "deploy push . --yes --force", 0, &["Deploy 7 published"]);
    // A content that is gone, or another one.
    let (_, tree) = etcd.mgmt().show(Some(1), &Cancel::default()).expect("it was published");
    let key = format!("/_mgmt/storage/{{sha256}}{}", tree.0["files/greeting"].hash);
    etcd.put(&key, b"forged");
    runs(
        &place,
        &etcd,
        "deploy undo --to 1 --yes",
        1,
        &["deploy 1 in the cluster is damaged", "`files/greeting` differs"],
    );
    place.write("work/files/greeting", "hello\n");
    runs(&place, &etcd, "deploy push . --yes", 1, &["differs from what was sent"]);
    etcd.delete(&key);
    runs(&place, &etcd, "deploy undo --to 1 --yes", 1, &["`files/greeting` is missing"]);
    runs(&place, &etcd, "deploy push . --yes", 0, &["Deploy 8 published"]);
    // A key that keeps every mgmt from reading.
    etcd.put("/_mgmt/deploy/9/a/b", b"x");
    runs(&place, &etcd, "deploy list", 1, &["the key `/_mgmt/deploy/9/a/b` in the cluster is damaged"]);
    etcd.delete("/_mgmt/deploy/9/a/b");
    etcd.put("/_mgmt/deploy/18446744073709551615/payload", b"x");
    runs(&place, &etcd, "deploy push . --yes", 1, &["no number follows it"]);
}

#[test]
fn oversized_files_are_refused_by_name() {
    let Some(etcd) = Etcd::start() else { return };
    let place = program();
    fs::write(place.root.join("work/files/large"), vec![b'x'; 1_572_865]).expect("the folder can be written");
    runs(&place, &etcd, "deploy push . --yes", 1, &["not-published", "`files/large` (1572865 bytes)", "1570816"]);
    fs::write(place.root.join("work/files/large"), vec![b'x'; 1_570_816]).expect("the same");
    for file in 0..10_000 {
        place.write(&format!("work/files/{}/f{file}", file % 100), &file.to_string());
    }
    runs(&place, &etcd, "deploy push . --yes --format json", 0, &["\"deploy\":1", "\"files\":10004"]);
    let (_, tree) = etcd.mgmt().show(None, &Cancel::default()).expect("it was published");
    assert_eq!(tree.0.len(), 10_004);
    place.write("work/files/one-more", "x");
    runs(&place, &etcd, "deploy push . --yes", 0, &["+ files/one-more", "10004 unchanged", "Deploy 2 published"]);
    runs(&place, &etcd, "deploy undo --yes", 0, &["Published deploy 3"]);
    for file in 10_000..20_000 {
        place.write(&format!("work/files/{}/f{file}", file % 100), &file.to_string());
    }
    runs(&place, &etcd, "deploy push . --yes", 1, &["the list of its 20005 files has", "remove files"]);
}

/// Answers every connection with the same bytes, if any.
fn answering(says: &'static [u8]) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has free ports");
    let port = listener.local_addr().expect("it is bound").port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(says);
        }
    });
    port
}

#[test]
fn whoever_is_no_etcd_is_named() {
    let place = program();
    let lists = |target: &str, says: &[&str]| place.runs(&format!("deploy list --target {target}"), 1, says);
    let dead = free_port();
    lists(
        &format!("etcd://127.0.0.1:{dead}"),
        &["target-unreachable", &format!("127.0.0.1:{dead} (connection refused)")],
    );
    let page = answering(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\nConnection: close\r\n\r\n<p>hi</p>");
    lists(&format!("etcd://127.0.0.1:{page}"), &["target-unreachable", "is not a known etcd", "<p>hi</p>"]);
    let old = answering(
        b"HTTP/1.1 200 OK\r\nContent-Length: 44\r\nConnection: close\r\n\r\n{\"etcdserver\":\"3.3.1\",\"etcdcluster\":\"3.3.0\"}",
    );
    lists(&format!("etcd://127.0.0.1:{old}"), &["is etcd 3.3.1; the oldest supported version is 3.4"]);
    let closed = answering(b"");
    lists(&format!("etcd://127.0.0.1:{closed}"), &["target-unreachable"]);
    for (bad, why) in [
        ("127.0.0.1:2379", "it has no scheme"),
        ("http://127.0.0.1", "not `etcd` or `etcds`"),
        ("etcd://a:b@127.0.0.1", "it contains a password"),
        ("etcd://", "an endpoint has no host"),
    ] {
        lists(bad, &["invalid-target", why]);
    }
    let (_, text) = place.run("deploy list --target etcd://ann:secret@127.0.0.1");
    assert!(!text.contains("secret"), "{text}");
    // 192.0.2.0/24 is nobody's.
    lists("etcd://192.0.2.1", &["warning: 192.0.2.1:2379 is unencrypted", "target-unreachable"]);
    let Some(etcd) = Etcd::start() else { return };
    let both = format!("etcd://127.0.0.1:{dead},127.0.0.1:{}", etcd.port());
    place.runs(&format!("deploy list --target {both}"), 0, &["No deploys in this cluster yet."]);
    place.runs(&format!("deploy push . --yes --target {both}"), 0, &["Deploy 1 published"]);
    lists(&format!("etcds://127.0.0.1:{}", etcd.port()), &["target-unreachable", "does it support TLS?"]);
    lists(&format!("{} --user ann --password-file files/greeting", etcd.address()), &["authentication is off"]);
    lists(&format!("{} --user ann", etcd.address()), &["no password for user `ann`"]);
    lists(&format!("{} --ca files/greeting", etcd.address()), &["cannot be used for TLS: it contains no certificate"]);
    let Some(closed) = Etcd::start_with("http", &["--enable-grpc-gateway=false"]) else { return };
    lists(&closed.address(), &["JSON gateway turned off"]);
}

#[test]
fn certificates_and_passwords_identify_the_client() {
    let place = program();
    let authority = crate::git_http::Authority::new();
    let (certificate, key) = authority.certificate(&["127.0.0.1"]);
    let (ours, our_key) = authority.certificate(&["ann"]);
    let files = [("ca", authority.pem()), ("cert", certificate), ("key", key), ("ours", ours), ("our-key", our_key)];
    files.iter().for_each(|(name, text)| place.write(name, text));
    let [ca, cert, key] = ["ca", "cert", "key"].map(|name| place.root.join(name).display().to_string());
    let tls = ["--cert-file", &cert, "--key-file", &key, "--trusted-ca-file", &ca, "--client-cert-auth"];
    let Some(etcd) = Etcd::start_with("https", &tls) else { return };
    let port = etcd.port();
    let lists = |words: &str, exit, says: &[&str]| place.runs(&format!("deploy list --target {words}"), exit, says);
    lists(&format!("etcd://127.0.0.1:{port}"), 1, &["does it need TLS, `etcds://`?"]);
    lists(&format!("etcds://127.0.0.1:{port}"), 1, &["cannot be verified", "UnknownIssuer", "--ca FILE"]);
    lists(&format!("etcds://127.0.0.1:{port} --ca ../ca"), 1, &["requires a client certificate", "--cert FILE"]);
    let own = "--ca ../ca --cert ../ours --key ../our-key";
    lists(&format!("etcds://localhost:{port} {own}"), 1, &["cannot be verified", "not valid for name \"localhost\""]);
    lists(&format!("etcds://127.0.0.1:{port} {own}"), 0, &["No deploys in this cluster yet."]);
    place.runs(&format!("deploy push . --yes --target etcds://127.0.0.1:{port} {own}"), 0, &["Deploy 1 published"]);

    let Some(etcd) = Etcd::start() else { return };
    let post = |path: &str, body: &str| {
        let mut stream = std::net::TcpStream::connect(("127.0.0.1", etcd.port())).expect("it listens");
        let head = format!("POST /v3/auth/{path} HTTP/1.0\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        stream.write_all(head.as_bytes()).expect("it listens");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers in text");
        assert!(answer.contains(" 200 "), "{path}: {answer}");
    };
    for (user, password) in [("root", "r"), ("ann", "a"), ("bob", "b")] {
        post("user/add", &format!("{{\"name\":\"{user}\",\"password\":\"{password}\"}}"));
    }
    post("role/add", "{\"name\":\"deployer\"}");
    // From `/_mgmt/` up to `/_mgmt0`.
    let range = "\"key\":\"L19tZ210Lw==\",\"rangeEnd\":\"L19tZ210MA==\"";
    post("role/grant", &format!("{{\"name\":\"deployer\",\"perm\":{{\"permType\":\"READWRITE\",{range}}}}}"));
    post("user/grant", "{\"user\":\"root\",\"role\":\"root\"}");
    post("user/grant", "{\"user\":\"ann\",\"role\":\"deployer\"}");
    post("enable", "{}");
    [("a", "a\n"), ("b", "b\n")].iter().for_each(|(name, text)| place.write(name, text));
    runs(&place, &etcd, "deploy list", 1, &["it requires a user and a password", "--user"]);
    runs(&place, &etcd, "deploy list --user ann --password-file ../b", 1, &["wrong password for user `ann`"]);
    runs(&place, &etcd, "deploy list --user bob --password-file ../b", 1, &["user `bob` has no permission for this"]);
    runs(&place, &etcd, "deploy push . --yes --user ann --password-file ../a", 0, &["Deploy 1 published"]);
    let named = format!("deploy list --target etcd://ann@127.0.0.1:{} --password-file ../a", etcd.port());
    place.runs(&named, 0, &["runs"]);
}

#[test]
fn new_deploys_are_reported() {
    let Some(mut etcd) = Etcd::start() else { return };
    let (target, never) = (etcd.mgmt(), Cancel::default());
    let publish = |text: &str, over| target.publish(&offer(text), over, 0, &mut |_| (), &never).expect("nobody races");
    publish("print \"1\" {}\n", 0);
    let watching = etcd.mgmt();
    let (send, heard) = std::sync::mpsc::channel();
    let watch = std::thread::spawn(move || {
        let mut hear = |deploy: workbench::deploy::target::Published| {
            send.send(deploy.id).expect("the test listens");
            deploy.id < 3
        };
        watching.watch(0, &mut hear, &Cancel::default())
    });
    assert_eq!(heard.recv(), Ok(1), "what is there is told first");
    publish("print \"2\" {}\n", 1);
    assert_eq!(heard.recv(), Ok(2));
    publish("print \"3\" {}\n", 2);
    assert_eq!((heard.recv(), watch.join().expect("it does not panic")), (Ok(3), Ok(())));
    etcd.restart();
    assert_eq!(etcd.mgmt().deploys(&Cancel::default()).map(|all| all.len()), Ok(3), "what was published lasts");
}

#[test]
fn waiting_for_a_server_is_shown_and_cancelled_at_once() {
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = format!("etcd://{}", silent.local_addr().expect("it is bound"));
    let place = program();
    place.write("config.toml", &format!("[targets.lab]\naddress = \"{address}\"\n"));
    let (config, entry) = (place.root.join("config.toml"), place.root.join("work"));
    let (config, entry) = (config.display().to_string(), entry.display().to_string());
    for words in [vec!["deploy", "list"], vec!["deploy", "push", &entry, "--no-git"]] {
        let words = [&[PROGRAM, "--config", &config], &words[..], &["--target", "lab"]].concat();
        let mut terminal = Terminal::start(&words, 100, 24);
        terminal.until_shows(&format!("waiting for {address}, 1 s; Ctrl-C stops"));
        terminal.press("\u{3}");
        assert_eq!(terminal.ended(), 130, "{words:?}");
        terminal.until("a line that is gone", |terminal| !terminal.shows("waiting for"));
    }
}

#[test]
fn a_command_for_a_password_is_left_at_once() {
    let place = program();
    let note = place.root.join("pid");
    let command = format!("echo $$ > {}; sleep 600", note.display());
    let text =
        format!("[targets.lab]\naddress = \"etcd://127.0.0.1:1\"\nuser = \"ann\"\npassword-command = \"{command}\"\n");
    place.write("config.toml", &text);
    let config = place.root.join("config.toml").display().to_string();
    let mut terminal = Terminal::start(&[PROGRAM, "--config", &config, "deploy", "list", "--target", "lab"], 100, 24);
    terminal.until("the command", |_| !place.read("pid").is_empty());
    terminal.press("\u{3}");
    assert_eq!(terminal.ended(), 130);
    let group = place.read("pid").trim().to_owned();
    let is_there = || fs::read_to_string(format!("/proc/{group}/stat")).is_ok_and(|stat| !stat.contains(") Z "));
    terminal.until("its end", |_| !is_there());
}
