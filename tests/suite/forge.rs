//! Modules of Puppet from a Puppetfile: git, a Forge of our own on loopback, dependencies by version, and hostile answers.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use md5::Md5;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::download::Place;

/// What a server answers for a path.
#[derive(Clone)]
pub enum Answer {
    Body(&'static str, Vec<u8>),
    /// Half of it, and then nothing.
    Stall(Vec<u8>),
    /// It never ends.
    Endless,
    Redirect(String),
    /// The list of a module's releases, as the API of a Forge gives it.
    Releases(Vec<Value>),
}

/// The JSON of a page of releases; an error for a request that the API does not document.
fn page_of(target: &str, has_agent: bool, all: &[Value]) -> Result<Value, &'static str> {
    let (path, query) = target.split_once('?').ok_or("no query")?;
    let (mut offset, mut limit, mut left_out) = (0, 20, Vec::new());
    for (name, value) in query.split('&').filter_map(|part| part.split_once('=')) {
        match (name, value) {
            ("module", _) | ("sort_by", "downloads" | "release_date" | "module") => {}
            ("offset", _) => offset = value.parse().map_err(|_| "offset")?,
            ("limit", _) => limit = value.parse().ok().filter(|limit| (1..=100).contains(limit)).ok_or("limit")?,
            ("exclude_fields", _) => left_out = value.split('+').collect(),
            _ => return Err("an unknown parameter"),
        }
    }
    if !has_agent {
        return Err("no User-Agent");
    }
    let shown: Vec<&Value> = all.iter().filter(|release| release["deleted_at"].is_null()).collect();
    let rows = shown.iter().skip(offset).take(limit).map(|release| {
        let fields = release.as_object().expect("it is an object").iter();
        Value::Object(
            fields
                .filter(|(name, _)| !left_out.contains(&name.as_str()))
                .map(|(k, v)| (k.clone(), v.clone()))
                .collect(),
        )
    });
    let rows: Vec<Value> = rows.collect();
    let rest: String =
        query.split('&').filter(|part| !part.starts_with("offset=")).map(|part| format!("{part}&")).collect();
    let at = |offset: usize| format!("{path}?{rest}offset={offset}");
    let next = Some(offset + limit).filter(|next| *next < shown.len()).map(at);
    Ok(json!({"pagination": {"limit": limit, "offset": offset, "next": next, "total": shown.len()}, "results": rows}))
}

/// A server on loopback that answers by paths, until the test's process ends.
#[derive(Clone, Default)]
pub struct Server {
    pub port: u16,
    answers: Arc<Mutex<BTreeMap<String, Answer>>>,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    pub fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("loopback has a free port");
        let port = listener.local_addr().expect("it is bound").port();
        let server = Self { port, ..Self::default() };
        let own = server.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let own = own.clone();
                thread::spawn(move || own.talk(stream));
            }
        });
        server
    }

    /// Answers a path, with or without a query.
    pub fn answer(&self, path: &str, answer: Answer) {
        self.answers.lock().expect("no thread panics here").insert(path.to_owned(), answer);
    }

    pub fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.asked.lock().expect("no thread panics here"))
    }

    fn talk(&self, mut stream: std::net::TcpStream) -> Option<()> {
        let mut reader = BufReader::new(stream.try_clone().ok()?);
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let (mut header, mut has_agent) = (String::new(), false);
        while reader.read_line(&mut header).ok()? > 2 {
            has_agent |= header.to_ascii_lowercase().starts_with("user-agent: workbench/");
            header.clear();
        }
        let target = line.split_whitespace().nth(1)?.to_owned();
        self.asked.lock().expect("no thread panics here").push(target.clone());
        let answers = self.answers.lock().expect("no thread panics here").clone();
        let plain = target.split('?').next()?;
        let module = target.split(['?', '&']).find(|part| part.starts_with("module="));
        let by_module = module.map(|module| format!("{plain}?{module}"));
        let answer = by_module.and_then(|path| answers.get(&path).cloned()).or_else(|| answers.get(plain).cloned());
        let head = |status: &str, kind: &str, length: usize| {
            format!(
                "HTTP/1.1 {status}\r\nConnection: close\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n"
            )
        };
        match answer {
            None => stream.write_all(head("404 Not Found", "text/plain", 0).as_bytes()).ok(),
            Some(Answer::Body(kind, body)) => {
                stream.write_all(head("200 OK", kind, body.len()).as_bytes()).ok()?;
                stream.write_all(&body).ok()
            }
            Some(Answer::Releases(all)) => {
                let (status, body) = match page_of(&target, has_agent, &all) {
                    Ok(page) => ("200 OK", page),
                    Err(why) => ("400 Bad Request", json!({"message": "400 Bad Request", "errors": [why]})),
                };
                let body = body.to_string();
                stream.write_all(head(status, "application/json", body.len()).as_bytes()).ok()?;
                stream.write_all(body.as_bytes()).ok()
            }
            Some(Answer::Stall(body)) => {
                stream.write_all(head("200 OK", "application/octet-stream", body.len()).as_bytes()).ok()?;
                stream.write_all(&body[..body.len() / 2]).ok()?;
                thread::sleep(Duration::from_secs(30));
                None
            }
            Some(Answer::Endless) => {
                stream.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n").ok()?;
                while stream.write_all(&[b'0'; 64 << 10]).is_ok() {}
                None
            }
            Some(Answer::Redirect(to)) => {
                let head =
                    format!("HTTP/1.1 302 Found\r\nConnection: close\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n");
                stream.write_all(head.as_bytes()).ok()
            }
        }
    }
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A compressed tar with names past all checks; what ends in `@` is a symbolic link to its content.
fn archive(files: &[(String, String)]) -> Vec<u8> {
    let mut gz = GzEncoder::new(Vec::new(), Compression::fast());
    for (name, content) in files {
        let mut header = tar::Header::new_ustar();
        let (name, is_link) = name.strip_suffix('@').map_or((name.as_str(), false), |name| (name, true));
        header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_mode(0o644);
        let content: &str = if is_link {
            header.set_entry_type(tar::EntryType::Symlink);
            header.set_link_name(content).expect("it is short");
            ""
        } else {
            content
        };
        header.set_size(content.len() as u64);
        header.set_cksum();
        gz.write_all(header.as_bytes()).expect("memory takes it");
        gz.write_all(content.as_bytes()).expect("memory takes it");
        gz.write_all(&vec![0; content.len().next_multiple_of(512) - content.len()]).expect("memory takes it");
    }
    gz.write_all(&[0; 1024]).expect("memory takes it");
    gz.finish().expect("memory takes it")
}

/// A Forge with modules of the author `acme`.
struct Forge {
    server: Server,
    releases: BTreeMap<String, Vec<Value>>,
}

impl Forge {
    fn start() -> Self {
        Self { server: Server::start(), releases: BTreeMap::new() }
    }

    /// Publishes a version of a module that has one class of its name.
    fn publish(&mut self, name: &str, version: &str, needs: &[(&str, &str)]) {
        let needs: Vec<Value> =
            needs.iter().map(|(name, range)| json!({"name": name, "version_requirement": range})).collect();
        let metadata = json!({"name": format!("acme-{name}"), "version": version, "author": "acme", "license": "MIT",
            "dependencies": needs});
        let folder = format!("acme-{name}-{version}");
        let class = format!("class {name} {{\n  notify {{ '{name} {version}': }}\n}}\n");
        let files = [
            (format!("{folder}/metadata.json"), serde_json::to_string_pretty(&metadata).expect("it is JSON")),
            (format!("{folder}/manifests/init.pp"), class),
        ];
        self.publish_files(name, version, &files);
    }

    fn publish_files(&mut self, name: &str, version: &str, files: &[(String, String)]) {
        let body = archive(files);
        let file = format!("/v3/files/acme-{name}-{version}.tar.gz");
        let release = json!({"slug": format!("acme-{name}-{version}"), "version": version, "file_uri": file,
            "file_size": body.len(), "file_md5": hex(&Md5::digest(&body)), "file_sha256": hex(&Sha256::digest(&body)),
            "metadata": {"name": format!("acme-{name}")}, "readme": "# Read me", "deleted_at": null});
        self.server.answer(&file, Answer::Body("application/gzip", body));
        self.releases.entry(name.to_owned()).or_default().push(release);
        self.list(name);
    }

    /// Changes the last release of a module in the list.
    fn change(&mut self, name: &str, field: &str, value: Value) {
        let last = self.releases.get_mut(name).and_then(|all| all.last_mut()).expect("it has one");
        last[field] = value;
        self.list(name);
    }

    fn list(&self, name: &str) {
        let path = format!("/v3/releases?module=acme-{name}");
        self.server.answer(&path, Answer::Releases(self.releases[name].clone()));
    }

    /// A control repository with a Puppetfile; `$FORGE` stands for the address.
    fn site(&self, puppetfile: &str) -> Place {
        let place = Place::empty();
        self.puppetfile(&place, puppetfile);
        place.write("work/manifests/site.pp", "notify { 'site': }\n");
        place.write("work/environment.conf", "modulepath = site-modules:modules\n");
        place
    }

    fn puppetfile(&self, place: &Place, text: &str) {
        place.write("work/Puppetfile", &text.replace("$FORGE", &format!("http://127.0.0.1:{}", self.server.port)));
    }
}

const DOWNLOAD: &str = "download --allow file,http";

#[test]
fn a_puppetfile_brings_git_and_forge_modules_with_their_dependencies() {
    let mut forge = Forge::start();
    forge.publish("ntp", "1.2.0", &[("acme/stdlib", ">= 4.13.1 < 10.0.0")]);
    for version in ["8.0.0", "9.7.0", "9.8.0-rc1", "10.0.0"] {
        forge.publish("stdlib", version, &[]);
    }
    let place = forge.site(
        "forge '$FORGE'\nmod 'acme/ntp', '1.2.0'\nmod 'profile',\n  :git => '$ROOT/repos/profile',\n  :tag => 'v1'\n",
    );
    place.release("profile", "v1", &[("manifests/init.pp", "class profile {\n  include ntp\n  include stdlib\n}\n")]);
    place.commit("profile", &[("manifests/init.pp", "class profile {}\n")]);
    place.write("work/manifests/site.pp", "include profile\n");
    place.runs("modules", 0, &["requires acme/ntp 1.2.0, missing  Puppetfile:2", "3 modules, 2 missing"]);
    place.runs("download", 1, &["url-refused", "Puppetfile:2:6", "--allow http"]);
    place.runs(DOWNLOAD, 0, &["+ fetched ntp  1.2.0", "+ fetched stdlib  9.7.0", "3 modules fetched"]);
    place.runs("graph", 0, &["ntp 1.2.0", "stdlib 9.7.0"]);
    place.runs(
        "modules",
        0,
        &[
            "stdlib",
            "version 9.7.0",
            "not approved",
            "requires acme/stdlib >= 4.13.1 < 10.0.0  metadata.json:8",
            "used by ntp",
        ],
    );
    let lock = place.read("work/workbench.lock");
    for part in ["version = 2", "import = \"stdlib\"", "version = \"9.7.0\"", "archive = \"sha256:", "ref = \"v1\""] {
        assert!(lock.contains(part), "{part}: {lock}");
    }
    assert!(lock.contains(&format!("from = \"file://{}/repos/profile\"", place.root.display())), "{lock}");
    place.runs("download --locked --allow file,http", 0, &["0 modules fetched, 0 updated, 3 unchanged"]);
    // What is in the lock comes back without the list, and out of the cache without the server.
    fs::remove_dir_all(place.root.join("work/modules")).expect("the modules are there");
    forge.server.asked();
    place.runs("download --locked --allow file,http", 0, &["3 modules fetched"]);
    assert_eq!(forge.server.asked(), Vec::<String>::new());
    assert_eq!(lock, place.read("work/workbench.lock"));
    forge.publish("stdlib", "9.9.0", &[]);
    place.runs(DOWNLOAD, 0, &["3 unchanged"]);
    place.runs("download --update=stdlib --allow file,http", 0, &["~ updated stdlib  9.7.0 -> 9.9.0", "2 unchanged"]);
    place.runs("graph", 0, &["stdlib 9.9.0"]);
    forge.puppetfile(&place, "forge '$FORGE'\nmod 'acme/ntp', '1.2.0'\n");
    place.runs("download --allow http", 0, &["no longer imported: modules/profile"]);
}

#[test]
fn a_long_list_is_read_to_its_end() {
    let mut forge = Forge::start();
    for patch in 0..=205 {
        forge.publish("long", &format!("1.0.{patch}"), &[]);
    }
    forge.publish("long", "1.1.0", &[]);
    forge.change("long", "deleted_at", json!("2020-01-02 03:04:05 -0700"));
    let place = forge.site("forge '$FORGE'\nmod 'acme/long', '1.x'\n");
    place.runs(DOWNLOAD, 0, &["+ fetched long  1.0.205"]);
    let asked = forge.server.asked();
    let pages: Vec<&String> = asked.iter().filter(|target| target.starts_with("/v3/releases?")).collect();
    assert_eq!(pages.len(), 3, "{asked:?}");
    assert!(
        pages.iter().all(|target| target.contains("module=acme-long") && target.contains("exclude_fields=readme+"))
    );
    // An absolute address of the same server is a file of it, too.
    forge.publish("whole", "1.0.0", &[]);
    let file = format!("http://127.0.0.1:{}/v3/files/acme-whole-1.0.0.tar.gz", forge.server.port);
    forge.change("whole", "file_uri", json!(file));
    forge.puppetfile(&place, "forge '$FORGE'\nmod 'acme/whole'\n");
    place.runs(DOWNLOAD, 0, &["+ fetched whole  1.0.0"]);
}

/// `modules --remote` compares the versions of archives with those of their Forge.
#[test]
fn newer_versions_are_shown_with_whether_they_fit() {
    const REMOTE: &str = "modules --remote --allow file,http";
    let mut forge = Forge::start();
    forge.publish("ntp", "1.2.0", &[("acme/stdlib", ">= 4.13.1 < 10.0.0")]);
    forge.publish("stdlib", "9.7.0", &[]);
    let place = forge.site("forge '$FORGE'\nmod 'acme/ntp', '1.2.0'\n");
    place.runs(DOWNLOAD, 0, &["2 modules fetched"]);
    place.runs(REMOTE, 0, &["0 of 2 fetched modules behind"]);
    forge.publish("ntp", "2.0.0", &[]);
    forge.publish("stdlib", "9.8.0", &[]);
    place.runs(
        REMOTE,
        0,
        &["the newest is 2.0.0, which does not fit", "behind at 9.7.0; the newest is 9.8.0", "1 of 2 fetched"],
    );
    for version in ["9.9.0", "10.0.0", "11.0.0-rc1"] {
        forge.publish("stdlib", version, &[]);
    }
    place.runs(REMOTE, 0, &["behind at 9.7.0; 9.9.0 fits, the newest is 10.0.0, which does not fit"]);
    let json = [
        r#""remote":{"state":"behind","version":"9.7.0","newest":"10.0.0","fits":false,"fitting":"9.9.0","#,
        r#""remote":{"state":"same","version":"1.2.0","newest":"2.0.0","fits":false,"fitting":null,"#,
    ];
    place.runs("modules --remote --allow file,http --format json", 0, &json);
    // The answer is remembered until the lock changes.
    place.runs("modules", 0, &["stdlib", "9.9.0 fits", "(checked just now)"]);
    place.runs(
        "modules --remote --allow file",
        0,
        &["could not be checked: `http` is not allowed", "could not check 2 of 2"],
    );
    place.runs("download --update --allow file,http", 0, &["~ updated stdlib  9.7.0 -> 9.9.0"]);
    place.runs(REMOTE, 0, &["0 of 2 fetched modules behind"]);
}

#[test]
fn modules_act_once_they_are_approved() {
    let mut forge = Forge::start();
    let files = [
        ("acme-motd-1.0.0/metadata.json".to_owned(), r#"{"name": "acme-motd", "version": "1.0.0"}"#.to_owned()),
        (
            "acme-motd-1.0.0/manifests/init.pp".to_owned(),
            "class motd($path) {\n  file { $path: content => 'hello' }\n}\n".to_owned(),
        ),
    ];
    forge.publish_files("motd", "1.0.0", &files);
    let place = forge.site("forge '$FORGE'\nmod 'acme-motd'\n");
    place.write("work/manifests/site.pp", "class { 'motd': path => '$ROOT/motd' }\n");
    place.runs(DOWNLOAD, 0, &["+ fetched motd  1.0.0"]);
    place.runs("apply --yes", 1, &["motd (file)"]);
    assert!(!place.root.join("motd").exists());
    place.runs("modules --approve=motd", 0, &["approved motd"]);
    place.runs("apply --yes", 0, &["File["]);
    assert_eq!(place.read("motd"), "hello");
    place.write("work/modules/motd/manifests/init.pp", "class motd($path) {}\n");
    place.runs("check", 1, &["module-edited"]);
}

/// The newest version is taken back where a module that came later wants an older one.
#[test]
fn ranges_of_all_modules_count() {
    let mut forge = Forge::start();
    forge.publish("a", "1.0.0", &[("acme-stdlib", ">= 1.0.0"), ("acme-b", "1.x")]);
    forge.publish("b", "1.5.0", &[("acme/stdlib", "< 9.5.0")]);
    for version in ["9.4.0", "9.7.0"] {
        forge.publish("stdlib", version, &[]);
    }
    let place = forge.site("forge '$FORGE'\nmod 'acme/a', :latest\n");
    place.runs(DOWNLOAD, 0, &["+ fetched stdlib  9.4.0", "3 modules fetched"]);
    // One that is there and ours moves, too.
    forge.publish("c", "1.0.0", &[("acme/stdlib", "<= 9.3.0")]);
    forge.publish("stdlib", "9.3.0", &[]);
    forge.puppetfile(&place, "forge '$FORGE'\nmod 'acme/a', :latest\nmod 'acme/c', '1.0.0'\n");
    place.runs(DOWNLOAD, 0, &["~ updated stdlib  9.4.0 -> 9.3.0", "1 module fetched, 1 updated, 2 unchanged"]);
    forge.publish("d", "1.0.0", &[("acme/stdlib", ">= 9.4.0")]);
    forge.puppetfile(&place, "forge '$FORGE'\nmod 'acme/c', '1.0.0'\nmod 'acme/d', '1.0.0'\n");
    let before = place.work();
    let conflict = [
        "refs-disagree",
        "no version fits `<= 9.3.0` (modules/c/metadata.json",
        "and `>= 9.4.0` (",
        "the newest is 9.7.0",
    ];
    place.runs(DOWNLOAD, 1, &conflict);
    assert!(before == place.work(), "a refusal changes nothing");
    // A Puppetfile decides, and what does not fit is reported.
    forge.puppetfile(&place, "forge '$FORGE'\nmod 'acme/c', '1.0.0'\nmod 'acme/stdlib', '9.7.0'\n");
    place.runs(
        DOWNLOAD,
        0,
        &["~ updated stdlib  9.3.0 -> 9.7.0", "unfit-version", "`<= 9.3.0` is required, 9.7.0 is there"],
    );
    place.runs("modules", 0, &["requires acme/stdlib <= 9.3.0, but 9.7.0 is there"]);
}

#[test]
fn a_puppetfile_with_ruby_code_is_refused_at_its_place() {
    let forge = Forge::start();
    let place = forge.site("forge '$FORGE'\nif ENV['X']\n  mod 'acme/ntp', ENV['VERSION']\nend\n");
    let before = place.work();
    place.runs(
        DOWNLOAD,
        1,
        &["invalid-metadata", "Puppetfile:2:1", "Puppetfile:3:19", "this is Ruby code, which is not run"],
    );
    place.runs("modules", 1, &["Puppetfile:2:1"]);
    assert!(before == place.work() && forge.server.asked().is_empty(), "nothing was fetched");
    // It is not part of the program.
    place.runs("check", 0, &[]);
}

#[test]
fn a_hostile_forge_changes_nothing() {
    let mut forge = Forge::start();
    let text = |name: &str| (name.to_owned(), "x".to_owned());
    let metadata = ("acme-bad-1.0.0/metadata.json".to_owned(), "{}".to_owned());
    for (name, entry) in [
        ("climb", text("acme-bad-1.0.0/../../../evil")),
        ("root", text("/tmp/evil")),
        ("link", ("acme-bad-1.0.0/files@".to_owned(), "/etc".to_owned())),
    ] {
        forge.publish_files(name, "1.0.0", &[metadata.clone(), entry]);
    }
    let other = ("other/manifests/init.pp".to_owned(), String::new());
    forge.publish_files("two_tops", "1.0.0", &[metadata.clone(), other]);
    forge.publish_files("twice", "1.0.0", &[metadata.clone(), metadata.clone()]);
    for name in ["lies", "only_md5", "stalls", "floods", "large", "moved", "elsewhere", "page", "unsummed"] {
        forge.publish_files(name, "1.0.0", std::slice::from_ref(&metadata));
    }
    let file = |name: &str| format!("/v3/files/acme-{name}-1.0.0.tar.gz");
    forge.change("lies", "file_sha256", json!("ab".repeat(32)));
    forge.change("only_md5", "file_sha256", Value::Null);
    forge.change("unsummed", "file_sha256", Value::Null);
    forge.change("unsummed", "file_md5", json!("?"));
    forge.change("large", "file_size", json!(u64::from(u32::MAX)));
    forge.change("elsewhere", "file_uri", json!("http://evil.example/x"));
    forge.server.answer(&file("stalls"), Answer::Stall(vec![0; 1000]));
    forge.server.answer(&file("floods"), Answer::Endless);
    forge.server.answer(&file("moved"), Answer::Redirect("file:///etc/passwd".into()));
    forge.server.answer("/v3/releases?module=acme-page", Answer::Body("text/html", b"<p>hello".to_vec()));
    forge.server.answer("/v3/releases?module=acme-silent", Answer::Stall(vec![b' '; 1000]));
    let place = forge.site("");
    let sha = format!("{} was promised", "ab".repeat(32));
    for (name, says) in [
        ("climb", "`acme-bad-1.0.0/../../../evil` has an invalid file name"),
        ("root", "`/tmp/evil` has an invalid file name"),
        ("link", "`acme-bad-1.0.0/files` is a link"),
        ("lies", &*sha),
        ("only_md5", "it lists only an MD5 checksum for this file, which proves nothing"),
        ("two_tops", "its archive is refused: it has two top folders, `acme-bad-1.0.0` and `other`"),
        ("twice", "`acme-bad-1.0.0/metadata.json` is in it twice"),
        ("unsummed", "it lists no checksum for this file"),
        ("stalls", "no data from `127.0.0.1` for 1 seconds"),
        ("silent", "no data from `127.0.0.1` for 1 seconds"),
        ("floods", "it is larger than 1 MiB"),
        ("large", "it is larger than 1 MiB"),
        ("moved", "redirects to `file:///etc/passwd`, which is not allowed"),
        ("elsewhere", "is not on this server"),
        ("page", "is not a module index"),
        ("none", "no module `acme-none` in `http://127.0.0.1:"),
    ] {
        forge.puppetfile(&place, &format!("forge '$FORGE'\nmod 'acme/{name}', '1.0.0'\n"));
        let before = place.work();
        place.runs(
            "download --allow http --timeout 1 --max-size 1",
            1,
            &["module-not-fetched", "Puppetfile:2:6", says],
        );
        assert!(before == place.work(), "{name}: a refusal changes nothing");
        assert!(!place.root.join("evil").exists() && !place.root.join("work/evil").exists(), "{name}");
    }
}
