//! Modules of Inmanta: repositories with tags as versions, wheels from a folder and from an index, and what has no answer.

use std::io::{Cursor, Write};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

use crate::download::Place;
use crate::forge::{Answer, Server, hex};

const DOWNLOAD: &str = "download --allow file";

/// A project whose modules are repositories of the place.
fn project(more: &str, main: &str) -> Place {
    let place = Place::empty();
    let yaml = format!("name: p\nmodulepath: libs\ndownloadpath: libs\nrepo: $ROOT/repos/\n{more}");
    place.write("work/project.yml", &yaml);
    place.write("work/main.cf", main);
    place
}

/// Publishes a version of a module of the older form, with one value.
fn release(place: &Place, name: &str, version: &str, requires: &str) {
    let metadata = format!("name: {name}\nversion: {version}\nlicense: MIT\n{requires}");
    let model = format!("version = \"{name} {version}\"\n");
    place.release(name, version, &[("module.yml", &metadata), ("model/_init.cf", &model)]);
}

fn one_and_two(more: &str) -> Place {
    let place = project(more, "import one\nimport two\nx = one::version\ny = two::version\n");
    for version in ["1.9", "1.10", "2.0", "2.1.dev3"] {
        release(&place, "one", version, "requires:\n  - two >= 1, < 3\n");
    }
    for version in ["2.0", "3.0"] {
        release(&place, "two", version, "");
    }
    place
}

#[test]
fn tags_are_versions_and_requirements_pick_them() {
    let place = one_and_two("requires:\n  - one < 2\n");
    place.runs("modules", 0, &["requires one < 2, missing  project.yml:6", "3 modules, 2 missing"]);
    place.runs(DOWNLOAD, 0, &["+ fetched one  1.10", "+ fetched two  2.0", "2 modules fetched"]);
    place.runs("model", 0, &["one 1.10", "two 2.0"]);
    place.runs("modules", 0, &["version 1.10", "requires two >= 1, < 3  module.yml:5", "not approved"]);
    let lock = place.read("work/workbench.lock");
    assert!(
        lock.contains("version = \"1.10\"") && lock.contains("ref = \"1.10\"") && lock.contains("commit = "),
        "{lock}"
    );
    place.runs("download --locked --allow file", 0, &["2 unchanged"]);
    release(&place, "one", "1.11", "requires:\n  - two >= 1, < 3\n");
    place.runs(DOWNLOAD, 0, &["2 unchanged"]);
    place.runs("download --update --allow file", 0, &["~ updated one  1.10 -> 1.11", "1 unchanged"]);
    place.runs("model", 0, &["one 1.11"]);
    // A constraint that the lock does not meet moves the module.
    place.write("work/project.yml", &place.read("work/project.yml").replace("one < 2", "one >= 2"));
    place.runs("download --locked --allow file", 1, &["lock-drift", "`>= 2` is required, the lock file has `1.11`"]);
    place.runs(DOWNLOAD, 0, &["~ updated one  1.11 -> 2.0"]);
}

#[test]
fn install_modes_pick_prereleases_and_the_branch_master() {
    let place = one_and_two("install_mode: prerelease\n");
    place.runs(DOWNLOAD, 0, &["+ fetched one  2.1.dev3"]);
    let place = one_and_two("install_mode: master\n");
    place.runs(DOWNLOAD, 1, &["no branch, tag or commit `master`"]);
    for name in ["one", "two"] {
        let repository = place.repository(name);
        let head = repository.refname_to_id("HEAD").expect("there is a commit");
        repository.reference("refs/heads/master", head, true, "").expect("a branch can be made");
    }
    place.runs(DOWNLOAD, 0, &["2 modules fetched"]);
    place.runs("model", 0, &["one 2.1.dev3", "two 3.0"]);
}

#[test]
fn unsatisfiable_ranges_name_their_modules() {
    let place = one_and_two("requires:\n  - one < 2\n  - two >= 3\n");
    let before = place.work();
    let says = [
        "refs-disagree",
        "no version fits `>= 3` (project.yml:7) and `>= 1, < 3` (",
        "module.yml:5",
        "the newest is 3.0",
    ];
    place.runs(DOWNLOAD, 1, &says);
    assert!(before == place.work(), "a refusal changes nothing");
    let place = project("requires:\n  - one => 2\n", "\n");
    place.runs(DOWNLOAD, 1, &["invalid-metadata", "project.yml:6:5", "`=> 2` is not a version constraint"]);
    let place = project("", "import gone\n");
    place.runs(DOWNLOAD, 1, &["module-not-fetched", "main.cf:1:8", "repos/gone"]);
    let place = project("", "import bare\n");
    place.commit("bare", &[("module.yml", "name: bare\n"), ("model/_init.cf", "\n")]);
    place.runs(DOWNLOAD, 1, &["it has no released version"]);
}

/// A wheel with these files, and with their RECORD unless they have one.
fn wheel(files: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let hash = |text: &str| URL_SAFE_NO_PAD.encode(Sha256::digest(text));
    let record: String = files.iter().map(|(name, text)| format!("{name},sha256={},\n", hash(text))).collect();
    let has_record = files.iter().any(|(name, _)| name.ends_with("/RECORD"));
    let about = files.iter().find_map(|(name, _)| name.split_once(".dist-info/"));
    let own = format!("{}.dist-info/RECORD", about.map_or("x-1", |(about, _)| about));
    let rows = files.iter().copied().chain((!has_record).then_some((&*own, &*record)));
    for (name, text) in rows {
        zip.start_file(name, zip::write::SimpleFileOptions::default()).expect("memory takes it");
        zip.write_all(text.as_bytes()).expect("memory takes it");
    }
    zip.finish().expect("memory takes it").into_inner()
}

/// The wheel of a module with one value; `requires` is a line of its settings.
fn wheel_of(module: &str, version: &str, requires: &str) -> (String, Vec<u8>) {
    let package = format!("inmanta-module-{}", module.replace('_', "-"));
    let settings = format!(
        "[metadata]\nname = {package}\nversion = {version}\nlicense = MIT\n[options]\ninstall_requires =\n  {requires}\n"
    );
    let below = |path: &str| format!("inmanta_plugins/{module}/{path}");
    let plugin = "from inmanta.plugins import plugin\n\n\n@plugin\ndef loud(text: \"string\") -> \"string\":\n    return text.upper()\n";
    let bytes = wheel(&[
        (&below("model/_init.cf"), &format!("version = \"{module} {version}\"\n")),
        (&below("__init__.py"), plugin),
        (&below("setup.cfg"), &settings),
        (&format!("inmanta_module_{module}-{version}.dist-info/METADATA"), "Name: x\n"),
    ]);
    (format!("inmanta_module_{module}-{version}-py3-none-any.whl"), bytes)
}

const MAIN: &str = "import one_more\nimport two\nx = one_more::version\ny = two::version\n";

#[test]
fn wheels_come_from_a_folder() {
    let place = project("", MAIN);
    place.write("work/project.yml", "name: p\nmodulepath: libs\nrepo:\n  - url: wheels\n    type: package\n");
    let put = |(name, bytes): (String, Vec<u8>)| {
        std::fs::create_dir_all(place.root.join("work/wheels")).expect("it can be made");
        std::fs::write(place.root.join("work/wheels").join(name), bytes).expect("it can be written");
    };
    put(wheel_of("one_more", "1.0", "inmanta-module-two~=1.0"));
    put(wheel_of("one_more", "2.0.dev1", "inmanta-module-two~=1.0"));
    put(wheel_of("two", "1.4", "jinja2>=3"));
    put(wheel_of("two", "2.0", ""));
    place.runs("download", 1, &["url-refused", "--allow file"]);
    place.runs(DOWNLOAD, 0, &["+ fetched one_more  1.0", "+ fetched two  1.4", "2 modules fetched"]);
    place.runs("model", 0, &["one_more 1.0", "two 1.4"]);
    let says = ["one_more", "present", "version 1.0", "requires inmanta-module-two ~=1.0  setup.cfg", "3 modules"];
    place.runs("modules", 0, &says);
    assert!(place.root.join("work/libs/one_more/inmanta_plugins/one_more/__init__.py").is_file());
    place.runs("download --locked --allow file", 0, &["2 unchanged"]);
    // Its Python runs only where it may.
    place.write("work/main.cf", "import two\nx = two::loud(\"a\")\n");
    let (_, text) = place.run("model --run-plugins");
    let way = "its result is unknown; approve its module with `workbench modules ENTRY --approve`";
    assert!(text.contains("guards and plugins are not run: two not approved") && text.contains(way), "{text}");
    assert!(!text.contains("`--run-plugins` runs it"), "{text}");
    place.runs("modules --approve", 0, &["approved two"]);
    let (_, text) = place.run("model --run-plugins");
    assert!(text.contains("\"A\"") || text.contains("python3"), "{text}");
}

#[test]
fn wheels_come_from_an_index_with_their_checksums() {
    let server = Server::start();
    let place = project("", "import two\ny = two::version\n");
    let yaml = format!(
        "name: p\nmodulepath: libs\nrepo:\n  - {{url: 'http://127.0.0.1:{}/simple', type: package}}\n",
        server.port
    );
    place.write("work/project.yml", &yaml);
    let (name, bytes) = wheel_of("two", "1.4", "");
    let page = |sum: &str| {
        let link = format!("<html><a href=\"../../files/{name}#sha256={sum}\">{name}</a></html>");
        server.answer("/simple/inmanta-module-two/", Answer::Body("text/html", link.into_bytes()));
    };
    server.answer(&format!("/files/{name}"), Answer::Body("application/octet-stream", bytes.clone()));
    page(&"0".repeat(64));
    let before = place.work();
    place.runs("download --allow http", 1, &["has the checksum sha256:", "was promised", "main.cf:1:8"]);
    assert!(before == place.work(), "a refusal changes nothing");
    page(&hex(&Sha256::digest(&bytes)));
    place.runs("download --allow http", 0, &["+ fetched two  1.4"]);
    place.runs("model", 0, &["two 1.4"]);
    let source = b"<a href=\"inmanta_module_two-2.0.tar.gz\">".to_vec();
    server.answer("/simple/inmanta-module-two/", Answer::Body("text/html", source));
    place.runs("download --update --allow http", 1, &["has no wheel of it", "pip wheel"]);
    let listed = wheel(&[
        ("inmanta_plugins/two/model/_init.cf", "\n"),
        ("two-1.dist-info/RECORD", "inmanta_plugins/two/model/_init.cf,sha256=AAAA,1\n"),
    ]);
    server.answer(&format!("/files/{name}"), Answer::Body("application/octet-stream", listed.clone()));
    page(&hex(&Sha256::digest(&listed)));
    let says = "its RECORD has another hash for `inmanta_plugins/two/model/_init.cf`";
    place.runs("download --update --allow http", 1, &["module-not-fetched", says]);
    let evil = wheel(&[("inmanta_plugins/two/model/_init.cf", "\n"), ("inmanta_plugins/two/../../../evil", "x")]);
    server.answer(&format!("/files/{name}"), Answer::Body("application/octet-stream", evil.clone()));
    page(&hex(&Sha256::digest(&evil)));
    let before = place.work();
    place.runs("download --update --allow http", 1, &["`inmanta_plugins/two/../../../evil` has an invalid file name"]);
    assert!(before == place.work() && !place.root.join("work/evil").exists());
}

/// What lies as a checkout of a Python package, or as in a wheel, is there.
#[test]
fn packages_on_the_module_path_are_present() {
    let place =
        project("requires: [inmanta-module-two-parts >= 2, three, std]\n", "import two_parts\nimport three::more\n");
    let checkout = "libs/inmanta-module-two-parts";
    place.write(&format!("work/{checkout}/setup.cfg"), "[metadata]\nname = inmanta-module-two-parts\nversion = 2.5\n");
    place.write(&format!("work/{checkout}/model/_init.cf"), "\n");
    place.write("work/libs/inmanta_plugins/three/setup.cfg", "[metadata]\nversion = 1.0\n");
    place.write("work/libs/inmanta_plugins/three/model/_init.cf", "\n");
    place.write("work/libs/inmanta_plugins/three/model/more.cf", "\n");
    let says = [checkout, "version 2.5", "libs/inmanta_plugins/three", "requires std, built in", "3 modules\n"];
    place.runs("modules", 0, &says);
    place.runs(DOWNLOAD, 0, &["not fetched by workbench, not touched: two_parts", "0 modules fetched"]);
}
