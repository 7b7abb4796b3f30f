//! What a program is compiled for: every option is kept and shown by saved plans, resumed deploys, bundles, attached
//! applies, the history and all JSON, and no option is repeated.

use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::exported::Site;

/// Far more than anything here takes; only a failure waits for it.
const DEADLINE: Duration = Duration::from_secs(60);

/// An option: as typed, its place below `for`, its value there, and its place and value in a bundle, which brings its own
/// files. `DIR` is the folder of the test.
struct Kept {
    typed: &'static [&'static str],
    place: &'static str,
    value: fn(&str) -> Value,
    /// `None` if the files of the bundle stand for it.
    bundled: Option<fn(&str) -> Value>,
}

/// A program whose file `out` shows what it was compiled with.
struct Program {
    entry: &'static str,
    files: &'static [(&'static str, &'static str)],
    options: &'static [Kept],
    out: &'static str,
    /// What a person reads of it in `deploy show`.
    shown: &'static [&'static str],
    /// What a person reads of it in each line of `deploy list` and `log`.
    listed: &'static str,
}

const PUPPET: Program = Program {
    entry: "site.pp",
    files: &[
        (
            "site.pp",
            r#"
node 'web1' {
  include e
  include m
  file { 'DIR/first': content => 'first' }
  -> exec { 'slow':
    command => '/bin/sh -c "touch DIR/at-work; while [ ! -e DIR/go ]; do sleep 0.02; done; touch DIR/ended"',
    creates => 'DIR/ended',
  }
  -> file { 'DIR/out': content => "${facts['role']} ${lookup('port')} ${e::word} ${m::word}${nowhere}" }
}
"#,
        ),
        ("facts.yaml", "role: db\n"),
        ("env/modules/e/manifests/init.pp", "class e { $word = 'env' }\n"),
        ("mods/m/manifests/init.pp", "class m { $word = 'mod' }\n"),
    ],
    options: &[
        Kept { typed: &["--node", "web1"], place: "/node", value: |_| json!("web1"), bundled: Some(|_| json!("web1")) },
        Kept {
            typed: &["--facts", "facts.yaml"],
            place: "/facts",
            value: |dir| json!({"from": format!("{dir}/facts.yaml"), "sha256": sha256("role: db\n")}),
            bundled: Some(|_| json!({"from": "program/facts.yaml", "sha256": sha256("role: db\n")})),
        },
        Kept {
            typed: &["--environment", "env"],
            place: "/options/environment",
            value: |dir| json!(format!("{dir}/env")),
            bundled: Some(|_| json!("program/env")),
        },
        Kept {
            typed: &["--strict", "off"],
            place: "/options/strict",
            value: |_| json!("off"),
            bundled: Some(|_| json!("off")),
        },
        Kept {
            typed: &["--set", "port=8080"],
            place: "/options/set",
            value: |_| json!([["port", {"$sensitive": true}]]),
            bundled: Some(|_| json!([["port", {"$sensitive": true}]])),
        },
        Kept {
            typed: &["--limit", "steps=900000", "--limit", "time=50"],
            place: "/options/limits",
            value: |_| json!({"steps": 900_000, "time": 50}),
            bundled: Some(|_| json!({"steps": 900_000, "time": 50})),
        },
        Kept {
            typed: &["--module-path", "mods"],
            place: "/options/module_path",
            value: |dir| json!([format!("{dir}/mods")]),
            bundled: None,
        },
        Kept { typed: &["--lang", "puppet"], place: "/options/lang", value: |_| json!("puppet"), bundled: None },
        ON_ALLOW_UNKNOWN,
        ON_RUN_GUARDS,
    ],
    out: "db 8080 env mod",
    shown: &[
        "for node web1, with --facts",
        "--set port=(hidden)",
        "--strict off",
        "--limit steps=900000",
        "facts of DIR/facts.yaml",
    ],
    listed: "for node web1",
};

const INMANTA: Program = Program {
    entry: "main.cf",
    files: &[
        (
            "main.cf",
            r#"// In the syntax of an older edition.
import fs
import exec
import shop
here = std::Host(name="localhost", os=std::linux)
first = fs::File(host=here, path="DIR/first", content="first")
slow = exec::Run(host=here, command="/bin/sh -c 'touch DIR/at-work; while ! test -e DIR/go; do sleep 0.02; done; touch DIR/ended'", creates="DIR/ended", requires=first)
fs::File(host=here, path="DIR/out", content=shop::shout("plugin"), requires=slow)
"#,
        ),
        ("libs/shop/module.yml", "name: shop\nversion: 1.0.0\n"),
        ("libs/shop/model/_init.cf", ""),
        (
            "libs/shop/plugins/__init__.py",
            "from inmanta.plugins import plugin\n\n@plugin\ndef shout(text: \"string\") -> \"string\":\n    return text.upper()\n",
        ),
    ],
    options: &[
        Kept {
            typed: &["--edition", "4.0.0"],
            place: "/options/edition",
            value: |_| json!("4.0.0"),
            bundled: Some(|_| json!("4.0.0")),
        },
        Kept {
            typed: &["--run-plugins"],
            place: "/options/run_plugins",
            value: |_| json!(true),
            bundled: Some(|_| json!(true)),
        },
        ON_RUN_GUARDS,
    ],
    out: "PLUGIN",
    shown: &["with --edition 4.0.0 --run-plugins"],
    listed: "",
};

/// Without `std` there is nothing to apply; it is kept and shown all the same.
const BARE: Program = Program {
    entry: "main.cf",
    files: &[("main.cf", "entity A:\nend\n")],
    options: &[Kept {
        typed: &["--no-std"],
        place: "/options/no_std",
        value: |_| json!(true),
        bundled: Some(|_| json!(true)),
    }],
    out: "",
    shown: &["with --no-std"],
    listed: "",
};

const ON_ALLOW_UNKNOWN: Kept = Kept {
    typed: &["--allow-unknown"],
    place: "/options/allow_unknown",
    value: |_| json!(true),
    bundled: Some(|_| json!(true)),
};

const ON_RUN_GUARDS: Kept = Kept {
    typed: &["--run-guards"],
    place: "/options/run_guards",
    value: |_| json!(true),
    bundled: Some(|_| json!(true)),
};

fn sha256(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Program {
    fn site(&self) -> Site {
        let site = Site::new(&[]);
        for (name, text) in self.files {
            let folder = site.path().join(name);
            fs::create_dir_all(folder.parent().expect("a file has a folder")).expect("the folder is ours");
            site.write(name, text);
        }
        site
    }

    fn typed(&self) -> Vec<&str> {
        self.options.iter().flat_map(|option| option.typed).copied().collect()
    }

    /// A command on the entry, with every option.
    fn with_options<'w>(&'w self, words: &[&'w str]) -> Vec<&'w str> {
        [words, &self.typed(), &[self.entry]].concat()
    }

    /// Every option is in a JSON object that has `for`.
    fn is_in(&self, site: &Site, column: &str, object: &Value) {
        let dir = site.path().display().to_string();
        for option in self.options {
            let expected = (option.value)(&dir);
            let have = object["for"].pointer(option.place);
            assert_eq!(have, Some(&expected), "{:?} in {column}: {}", option.typed, object["for"]);
        }
        assert_eq!(object["for"]["target"], "h1", "the machine, in {column}");
    }

    fn is_in_bundle(&self, site: &Site, object: &Value) {
        let dir = site.path().display().to_string();
        for option in self.options {
            let Some(bundled) = option.bundled else { continue };
            let have = object["for"].pointer(option.place);
            assert_eq!(have, Some(&bundled(&dir)), "{:?} in a bundle: {object}", option.typed);
        }
        assert_eq!(object["for"]["target"], Value::Null, "a bundle is for any machine");
    }

    /// The result shows the options, and is removed for the next command.
    fn is_made(&self, site: &Site, column: &str) {
        let out = fs::read_to_string(site.path().join("out")).unwrap_or_default();
        assert_eq!(out, self.out, "what was applied by {column}");
        for name in ["first", "out", "ended", "at-work", "go"] {
            let _ = fs::remove_file(site.path().join(name));
        }
    }
}

/// Runs a command to its end; gives its standard output.
fn done(site: &Site, words: &[&str]) -> String {
    let output = site.command(words).output().expect("the program starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let problems = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{words:?}\n{text}{problems}");
    text
}

/// The last line of events: the summary.
fn summary(text: &str) -> Value {
    let last = serde_json::from_str(text.lines().last().unwrap_or_default());
    let last: Value = last.unwrap_or_else(|error| panic!("{error}: {text}"));
    assert_eq!(last["event"], "summary", "{last}");
    last
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn go(site: &Site) {
    fs::write(site.path().join("go"), "").expect("the folder is ours");
}

/// Starts an apply, and kills it while its command is at work.
fn killed(site: &Site, words: &[&str]) {
    let mut command = site.command(words);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program starts");
    let end = Instant::now() + DEADLINE;
    while !site.path().join("at-work").exists() {
        assert!(Instant::now() < end, "{words:?}: the command does not start");
        thread::sleep(Duration::from_millis(10));
    }
    child.kill().expect("it is ours");
    child.wait().expect("it is ours");
    go(site);
}

/// Every option against a saved plan, JSON, the history, a resumed deploy, an attached apply and a bundle.
fn holds(program: &Program) {
    let site = program.site();
    let preview = done(&site, &program.with_options(&["preview", "--format", "json", "--out", "saved.plan"]));
    program.is_in(&site, "the JSON of a preview", &parsed(&preview));
    let saved = fs::read_to_string(site.path().join("saved.plan")).expect("it was saved");
    program.is_in(&site, "a saved plan", &parsed(&saved));
    let operation = parsed(&done(&site, &["deploy", "list", "--all", "--format", "json"]));
    program.is_in(&site, "the record of a plan", &operation[0]["plan"]);

    go(&site);
    let applied = done(&site, &["apply", "--yes", "--as-this-host", "--plan", "saved.plan", "--format", "json"]);
    program.is_in(&site, "an applied plan", &summary(&applied));
    program.is_in(&site, "the first event", &parsed(applied.lines().next().unwrap_or_default()));
    program.is_made(&site, "a saved plan");

    let is_in_history = |deploy: &str| {
        let show = parsed(&done(&site, &["deploy", "show", deploy, "--format", "json"]));
        program.is_in(&site, "deploy show", &show["begin"]);
        let list = parsed(&done(&site, &["deploy", "list", "--format", "json"]));
        program.is_in(&site, "deploy list", &list[0]["begin"]);
        let text = done(&site, &["deploy", "show", deploy]);
        for part in program.shown {
            let part = part.replace("DIR", &site.path().display().to_string());
            assert!(text.contains(&part), "{part}: {text}");
        }
        let newest = done(&site, &["deploy", "list"]);
        assert!(newest.lines().next().unwrap_or_default().contains(program.listed), "{newest}");
    };
    is_in_history("1");
    if program.out.is_empty() {
        let bundle = program.with_options(&["deploy", "bundle", "-o", "all.bundle"]);
        done(&site, &bundle);
        program.is_in_bundle(&site, &parsed(&done(&site, &["deploy", "show", "all.bundle", "--format", "json"])));
        return;
    }
    let log = done(&site, &["log", "--format", "json"]);
    assert!(log.lines().count() >= 3, "{log}");
    log.lines().for_each(|line| program.is_in(&site, "the log", &parsed(line)));
    let text = done(&site, &["log"]);
    assert!(text.lines().all(|line| line.contains(program.listed)), "{text}");

    killed(&site, &program.with_options(&["apply", "--yes", "--as-this-host", "--apart", "never"]));
    let resumed = done(&site, &["deploy", "resume", "--yes", "--again", "--format", "json"]);
    program.is_in(&site, "a resumed deploy", &summary(&resumed));
    program.is_made(&site, "a resumed deploy");
    is_in_history("3");

    killed(&site, &program.with_options(&["apply", "--yes", "--as-this-host", "--apart", "always"]));
    let attached = done(&site, &["attach", "--yes", "--format", "json"]);
    program.is_in(&site, "an attached apply", &summary(&attached));
    program.is_made(&site, "an attached apply");

    done(&site, &program.with_options(&["deploy", "bundle", "-o", "all.bundle"]));
    program.is_in_bundle(&site, &parsed(&done(&site, &["deploy", "show", "all.bundle", "--format", "json"])));
    done(&site, &["modules", "--approve=all.bundle", "all.bundle"]);
    go(&site);
    let apply = ["apply", "--yes", "--as-this-host", "--format", "json", "all.bundle"];
    if let Some(set) = program.options.iter().find(|option| option.typed[0] == "--set") {
        let (exit, text) = site.run(&apply);
        assert!(exit == Some(1) && text.contains("made with `--set port`, whose value is not in it"), "{text}");
        let (exit, text) = site.run(&[&apply[..], set.typed, &["--node", "web2"]].concat());
        let words = "the bundle was made for node web1, and this is `--node web2`";
        assert!(exit == Some(1) && text.contains(words), "{text}");
    }
    let values = program.options.iter().filter(|option| option.typed[0] == "--set").flat_map(|option| option.typed);
    let applied = done(&site, &[&apply[..], &values.copied().collect::<Vec<_>>()].concat());
    program.is_in_bundle(&site, &without_target(summary(&applied)));
    program.is_made(&site, "a bundle");
}

/// The machine that applied a bundle is recorded, and the rest is that of the bundle.
fn without_target(mut summary: Value) -> Value {
    assert_eq!(summary["for"]["target"].take(), "h1");
    summary
}

#[test]
fn every_option_of_puppet_is_kept_and_shown() {
    holds(&PUPPET);
}

#[test]
fn every_option_of_inmanta_is_kept_and_shown() {
    holds(&INMANTA);
    holds(&BARE);
}

/// An option that is repeated may agree; one that does not is refused, and both are named.
#[test]
fn an_option_that_disagrees_is_refused() {
    let site = PUPPET.site();
    done(&site, &PUPPET.with_options(&["preview", "--out", "saved.plan"]));
    let apply = ["apply", "--yes", "--as-this-host", "--plan", "saved.plan"];
    for (typed, expected) in [
        (["--node", "web2"], "the plan was made for node web1, and this is `--node web2`"),
        (["--set", "port=1"], "the plan was made with another value of `--set port`"),
        (["--strict", "error"], "the plan was made with `--strict off`, and this is with `--strict error`"),
        (["--limit", "steps=5"], "the plan was made with `--limit steps=900000"),
        (["--facts", "other.yaml"], "facts.yaml`, and this is with `--facts"),
        (["--environment", "mods"], "env`, and this is with `--environment"),
        (["--module-path", "env"], "mods`, and this is with `--module-path"),
        (["--lang", "mcl"], "the plan was made with `--lang puppet`, and this is with `--lang mcl`"),
    ] {
        let (exit, text) = site.run(&[&apply[..], &typed].concat());
        assert!(exit == Some(1) && text.contains(expected) && !text.contains("stale"), "{typed:?}: {text}");
    }
    go(&site);
    done(&site, &[&apply[..], &PUPPET.typed()].concat());
    PUPPET.is_made(&site, "a plan whose options were repeated");
}

/// What differs is named for what it is.
#[test]
fn differences_are_named_precisely() {
    let site = PUPPET.site();
    done(&site, &PUPPET.with_options(&["preview", "--out", "saved.plan"]));
    let apply = ["apply", "--yes", "--as-this-host", "--plan", "saved.plan"];
    let (exit, text) = site.as_host("h2", &["apply", "--yes", "--plan", "saved.plan"]);
    assert!(exit == Some(1) && text.contains("compiled for host `web1`"), "{text}");

    site.write("facts.yaml", "role: web\n");
    let (exit, text) = site.run(&apply);
    let facts = format!("error: the facts file {}/facts.yaml has changed", site.path().display());
    assert!(exit == Some(1) && text.contains(&facts) && !text.contains("stale"), "{text}");
    site.write("facts.yaml", "role: db\n");

    killed(&site, &PUPPET.with_options(&["apply", "--yes", "--as-this-host", "--apart", "never"]));
    let (exit, text) = site.run(&["deploy", "resume", "--yes", "--again", "--node", "web2"]);
    assert!(exit == Some(1) && text.contains("deploy 1 was made for node web1, and this is `--node web2`"), "{text}");
    site.write("facts.yaml", "role: web\n");
    let (exit, text) = site.run(&["deploy", "resume", "--yes", "--again"]);
    assert!(exit == Some(1) && text.contains(&facts) && !text.contains("module has changed"), "{text}");
    site.write("facts.yaml", "role: db\n");
    done(&site, &["deploy", "resume", "--yes", "--again"]);
    PUPPET.is_made(&site, "a resumed deploy");

    go(&site);
    let other = ["apply", "--yes", "--as-this-host", "--node", "web1", "--facts", "facts.yaml", "--environment", "env"];
    done(&site, &[&other[..], &["--module-path", "mods", "--strict", "off", "--set", "port=1", "site.pp"]].concat());
    let diff = done(&site, &["deploy", "diff"]);
    assert!(diff.contains("deploy 2 was made with another value of `--set port`"), "{diff}");
}

/// Module folders of a variable belong to it: the plan has the module that it was made with.
#[test]
fn module_folders_of_variables_are_used_again() {
    let site = Site::new(&[("site.pp", "include m\n")]);
    for (folder, text) in [("one", "from one"), ("two", "from two")] {
        let manifests = site.path().join(folder).join("m/manifests");
        fs::create_dir_all(&manifests).expect("the folder is ours");
        let text = format!("class m {{ file {{ 'DIR/out': content => '{text}', mode => '0644' }} }}\n");
        site.write(&format!("{folder}/m/manifests/init.pp"), &text);
    }
    let with = |folder: &str, words: &[&str]| {
        let output = site.command(words).env("WORKBENCH_MODULE_PATH", site.path().join(folder)).output();
        let output = output.expect("the program starts");
        assert_eq!(output.status.code(), Some(0), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let preview = with("one", &["preview", "--format", "json", "--out", "saved.plan", "site.pp"]);
    let folders = parsed(&preview)["for"]["options"]["module_path_of_variables"].clone();
    assert_eq!(folders, json!([site.path().join("one").display().to_string()]));
    with("two", &["apply", "--yes", "--plan", "saved.plan"]);
    assert_eq!(fs::read_to_string(site.path().join("out")).expect("it was applied"), "from one");
    let shown = done(&site, &["deploy", "show"]);
    assert!(shown.contains("module folders of the environment: "), "{shown}");
}

/// A value of `--set` may be a secret: it is in no output and in nothing that is handed on, and a resume has it.
#[test]
fn option_values_are_not_shown() {
    const CANARY: &str = "Kan4rienVogel";
    let site = Site::new(&[]);
    let dir = site.path().display().to_string();
    let slow = r"/bin/sh -c 'touch DIR/at-work; while ! test -e DIR/go; do sleep 0.02; done; touch DIR/ended'";
    let program = format!(
        "$secret = Sensitive(lookup('secret'))\n\
        exec {{ \"{slow}\": creates => 'DIR/ended' }} -> file {{ 'DIR/out': content => $secret, mode => '0600' }}\n"
    );
    site.write("site.pp", &program.replace("DIR", &dir));
    let set = format!("secret='{CANARY}'");
    let set = ["--set", &set, "site.pp"];
    let shows_nothing = |words: &[&str]| {
        let output = site.command(words).output().expect("the program starts");
        for text in [&output.stdout, &output.stderr] {
            let text = String::from_utf8_lossy(text);
            assert!(!text.contains(CANARY), "{words:?}: {text}");
        }
        output.status.code()
    };
    let with = |words: &[&'static str]| shows_nothing(&[words, &set].concat());
    assert_eq!(with(&["preview", "--out", "saved.plan"]), Some(0));
    assert_eq!(with(&["preview", "--format", "json", "-v"]), Some(0));
    with(&["check", "-v"]);
    with(&["graph", "--format", "json"]);
    assert_eq!(with(&["deploy", "bundle", "-o", "all.bundle"]), Some(0));
    let packed = fs::File::open(site.path().join("all.bundle")).expect("it was made");
    let mut unpacked = Vec::new();
    flate2::read::MultiGzDecoder::new(packed).read_to_end(&mut unpacked).expect("it is whole");
    assert!(unpacked.len() > 1000 && !contains(&unpacked, CANARY), "in the bundle");

    killed(&site, &[&["apply", "--yes", "--apart", "never"], &set[..]].concat());
    assert_eq!(shows_nothing(&["deploy", "resume", "--yes", "--again", "--format", "json"]), Some(0));
    assert_eq!(fs::read_to_string(site.path().join("out")).expect("it was applied"), CANARY);
    fs::remove_file(site.path().join("out")).expect("it is ours");
    assert_eq!(shows_nothing(&["apply", "--yes", "--plan", "saved.plan"]), Some(1), "the command has run since");
    assert_eq!(with(&["preview", "--out", "saved.plan"]), Some(0));
    assert_eq!(shows_nothing(&["apply", "--yes", "--plan", "saved.plan", "-v"]), Some(0));
    assert_eq!(fs::read_to_string(site.path().join("out")).expect("it was applied"), CANARY);
    for words in [
        &["deploy", "list", "--all"][..],
        &["deploy", "list", "--all", "--format", "json"],
        &["deploy", "show", "1"],
        &["deploy", "show", "1", "--format", "json"],
        &["deploy", "show", "2", "--format", "json", "-v"],
        &["deploy", "show", "all.bundle", "--format", "json"],
        &["deploy", "diff", "--format", "json"],
        &["deploy", "diff"],
        &["log", "-v"],
        &["log", "--format", "json"],
        &["apply", "--yes", "--plan", "saved.plan", "--set", "secret=1"],
    ] {
        shows_nothing(words);
    }
    // Faulty, too.
    let faulty = format!("secret='{CANARY}");
    assert_eq!(shows_nothing(&["check", "--set", &faulty, "site.pp"]), Some(1));
    let mode = fs::metadata(site.path().join("saved.plan")).expect("it was saved").permissions().mode();
    assert_eq!(mode & 0o077, 0, "the saved plan has the value, for its apply");
}

fn contains(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}
