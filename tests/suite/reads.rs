//! What a program may read: an unapproved fetched module limits it to its own trees and the facts, in every language.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

use crate::terminal::PROGRAM;

const SECRET: &str = "canary-7f3a9c";

/// A folder with a secret beside a site in one language, whose fetched module reads `path`.
struct Site {
    folder: TempDir,
    language: &'static str,
}

impl Site {
    fn new(language: &'static str, path: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let site = Self { folder, language };
        let outside = site.path("outside");
        site.write("outside/secret", SECRET);
        site.write("outside/data.yaml", &format!("bad::key: {SECRET}\n"));
        let path = path.replace("OUTSIDE", &outside);
        match language {
            "mcl" => {
                site.write("site/main.mcl", "import \"https://example.com/bad/\" as bad\ninclude bad.base\n");
                site.write("site/modules/example.com/bad/metadata.yaml", "main: main.mcl\n");
                let text =
                    format!("import \"os\"\nclass base {{\n\tprint \"x\" {{ msg => os.readfile(\"{path}\"), }}\n}}\n");
                site.write("site/modules/example.com/bad/main.mcl", &text);
            }
            "puppet" => {
                site.write("site/environment.conf", "modulepath = modules\n");
                site.write("site/manifests/site.pp", "include bad\n");
                site.write("site/modules/bad/metadata.json", "{\"name\":\"example-bad\",\"version\":\"1.0.0\"}\n");
                let hiera = format!(
                    "version: 5\ndefaults: {{datadir: '{outside}', data_hash: yaml_data}}\nhierarchy: [{{name: x, path: data.yaml}}]\n"
                );
                let value = match path.as_str() {
                    "datadir" => {
                        site.write("site/modules/bad/hiera.yaml", &hiera);
                        "lookup('bad::key')".to_owned()
                    }
                    path => format!("file('{path}')"),
                };
                site.write(
                    "site/modules/bad/manifests/init.pp",
                    &format!("class bad {{\n  notify {{ 'x': message => {value} }}\n}}\n"),
                );
            }
            _ => {
                site.write("site/project.yml", "name: site\nmodulepath: modules\ndownloadpath: modules\n");
                site.write("site/main.cf", "import bad\n");
                site.write("site/modules/bad/module.yml", "name: bad\nversion: 1.0.0\nlicense: none\n");
                site.write(
                    "site/modules/bad/model/_init.cf",
                    &format!("import std\nstd::print(std::source(\"{path}\"))\n"),
                );
            }
        }
        let files = site.module().join("files");
        fs::create_dir_all(&files).expect("a folder");
        symlink("../../../../outside/secret", files.join("link")).expect("a link");
        symlink(site.path("outside/secret"), files.join("far")).expect("a link");
        site
    }

    fn module(&self) -> std::path::PathBuf {
        let name = if self.language == "mcl" { "example.com/bad" } else { "bad" };
        self.folder.path().join("site/modules").join(name)
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a file has a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    /// Notes that the module was fetched.
    fn fetched(self) -> Self {
        let (import, path) = match self.language {
            "mcl" => ("https://example.com/bad/", "example.com/bad"),
            _ => ("https://example.com/bad", "bad"),
        };
        let note = format!("[[module]]\nimport = \"{import}\"\npath = \"{path}\"\n");
        self.write("site/modules/.workbench-modules/site.toml", &note);
        self
    }

    fn run(&self, words: &[&str]) -> Output {
        let mut command = Command::new(PROGRAM);
        command.args(["--error-format", "json", "--state-dir"]).arg(self.path("state")).args(words);
        command.arg(self.path("site")).env("CANARY", SECRET).output().expect("the program runs")
    }
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// The first diagnostic with a code.
fn first(output: &Output, code: &str) -> Option<Value> {
    let lines = String::from_utf8_lossy(&output.stderr);
    lines.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()).find(|one| one["code"] == code)
}

#[test]
fn an_unapproved_module_reads_no_file_outside() {
    let cases = [
        ("mcl", "OUTSIDE/secret", "secret"),
        ("mcl", "/proc/self/environ", "/proc/self/environ"),
        ("puppet", "OUTSIDE/secret", "secret"),
        ("puppet", "/proc/self/environ", "/proc/self/environ"),
        ("puppet", "datadir", "data.yaml"),
        ("puppet", "bad/link", "files/link"),
        ("puppet", "bad/far", "files/far"),
        ("inmanta", "bad/link", "files/link"),
        ("inmanta", "./far", "files/far"),
    ];
    for (language, path, named) in cases {
        let site = Site::new(language, path).fetched();
        let output = site.run(&["graph"]);
        let shown = text(&output);
        assert_eq!(output.status.code(), Some(1), "{language} {path}: {shown}");
        assert!(!shown.contains(SECRET), "{language} {path}: {shown}");
        let refused = first(&output, "read-refused").unwrap_or_else(|| panic!("{language} {path}: {shown}"));
        assert!(refused["label"].as_str().is_some_and(|label| label.contains(named)), "{language} {path}: {shown}");
        assert!(refused["help"].as_str().is_some_and(|help| help.contains("--approve")), "{language} {path}: {shown}");
        assert!(refused["line"].is_u64(), "{language} {path}: {shown}");
    }
    // A link that leads out, by its full path.
    let site = Site::new("mcl", "LINK").fetched();
    let main = site.module().join("main.mcl");
    let program = fs::read_to_string(&main).expect("a file");
    fs::write(&main, program.replace("LINK", &site.module().join("files/far").display().to_string())).expect("a file");
    let output = site.run(&["graph"]);
    assert!(first(&output, "read-refused").is_some() && !text(&output).contains(SECRET), "{}", text(&output));
}

#[test]
fn own_modules_read_user_files_and_the_plan_lists_them() {
    for (language, path) in [("mcl", "OUTSIDE/secret"), ("puppet", "OUTSIDE/secret"), ("puppet", "bad/far")] {
        let site = Site::new(language, path);
        if language == "mcl" {
            // What has a URL counts as fetched.
            let read = format!("os.readfile(\"{}\")", site.path("outside/secret"));
            site.write("site/main.mcl", &format!("import \"os\"\nprint \"x\" {{ msg => {read}, }}\n"));
        }
        let output = site.run(&["preview", "--format", "json"]);
        let plan: Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", text(&output)));
        let reads = plan["reads"].as_array().cloned().unwrap_or_default();
        assert_eq!(reads.len(), 1, "{language} {path}: {plan}");
        let shown = text(&site.run(&["preview"]));
        assert!(shown.contains("reads outside of the entry:"), "{language} {path}: {shown}");
        let saved = site.path("saved.plan");
        site.run(&["preview", "--out", &saved]);
        let saved: Value = serde_json::from_slice(&std::fs::read(&saved).expect("is written")).expect("is a plan");
        assert_eq!(saved["reads"], plan["reads"], "{language} {path}");
    }
}

#[test]
fn an_approved_module_reads_user_files() {
    let site = Site::new("puppet", "OUTSIDE/secret").fetched();
    assert_eq!(site.run(&["graph"]).status.code(), Some(1));
    let approved = site.run(&["modules", "--approve"]);
    assert_eq!(approved.status.code(), Some(0), "{}", text(&approved));
    let output = site.run(&["graph"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert!(text(&output).contains(SECRET));
}

#[test]
fn an_unapproved_module_sees_no_secrets_of_the_environment() {
    // Without a note of the fetch, too: what has a URL counts as fetched.
    let site = Site::new("mcl", "");
    let text_of = "import \"golang/os\" as os\nclass base {\n\tprint \"x\" { msg => os.getenv(\"CANARY\"), }\n}\n";
    fs::write(site.module().join("main.mcl"), text_of).expect("a file");
    assert!(!text(&site.run(&["graph"])).contains(SECRET));
}
