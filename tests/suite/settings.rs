//! Holds the README's tables of settings and of keys to those in the code; `UPDATE=1` writes them anew.

use std::fs;
use std::sync::Mutex;

use workbench::config::{Config, SETTINGS};
use workbench::tui::{KeyRow, key_rows};

/// Editors are told of every setting and every action.
#[test]
fn the_schema_knows_every_setting() {
    let printed = std::process::Command::new(env!("CARGO_BIN_EXE_workbench"))
        .args(["--config", "/dev/null", "config", "schema"])
        .output()
        .expect("it starts");
    let schema: serde_json::Value = serde_json::from_slice(&printed.stdout).expect("it is JSON");
    for setting in SETTINGS {
        let path = setting.name.replace('.', "/properties/");
        let there = schema.pointer(&format!("/properties/{path}"));
        let there = there.unwrap_or_else(|| panic!("{} is not in the schema", setting.name));
        assert_eq!(there["description"], setting.doc, "{}", setting.name);
    }
    let actions = schema["$defs"]["action"]["enum"].as_array().expect("a list");
    for row in key_rows(&mut Config::default()) {
        assert!(actions.iter().any(|action| action == row.id), "{}", row.id);
    }
}

/// Both tests may write the README.
static README: Mutex<()> = Mutex::new(());

#[test]
fn the_readme_lists_every_setting() {
    holds("<!-- settings, from src/config/setting.rs -->\n", "<!-- end of settings -->\n", &settings());
}

#[test]
fn the_readme_lists_every_key() {
    holds("<!-- keys, from src/tui/keymap.rs -->\n", "<!-- end of keys -->\n", &keys());
}

fn holds(begin: &str, end: &str, table: &str) {
    let _alone = README.lock().unwrap_or_else(|broken| broken.into_inner());
    let readme = fs::read_to_string("README.md").expect("the README is here");
    let (before, rest) = readme.split_once(begin).expect("the README has the table");
    let (written, after) = rest.split_once(end).expect("the table has an end");
    if std::env::var_os("UPDATE").is_some() {
        // In one go, as others may be reading it.
        fs::write("README.md.new", format!("{before}{begin}{table}{end}{after}")).expect("the folder can be written");
        fs::rename("README.md.new", "README.md").expect("the README can be written");
    } else {
        assert_eq!(written, table, "run once with UPDATE=1");
    }
}

fn settings() -> String {
    let mut table = String::from(
        "| setting | default | variable | flag | project | what |\n| --- | --- | --- | --- | --- | --- |\n",
    );
    for row in SETTINGS {
        let variables: Vec<_> = row.variables.iter().map(|name| format!("`{name}`")).collect();
        let flag = row.flag.map(|flag| format!("`{flag}`")).unwrap_or_default();
        let (name, default, doc, projects) = (row.name, row.default, row.doc, row.projects.words());
        table.push_str(&format!("| `{name}` | {default} | {} | {flag} | {projects} | {doc} |\n", variables.join(", ")));
    }
    table
}

/// What works on one screen or some of them first, then what works everywhere.
fn keys() -> String {
    let mut table = String::from("| keys | where | what |\n| --- | --- | --- |\n");
    let (everywhere, some): (Vec<_>, Vec<_>) =
        key_rows(&mut Config::default()).into_iter().partition(|row| row.screens.is_empty());
    for row in some.iter().chain(&everywhere) {
        table.push_str(&line(row));
    }
    table
}

fn line(row: &KeyRow) -> String {
    let keys: Vec<_> = row.keys.iter().map(|key| format!("`{}`", key.replace('|', "\\|"))).collect();
    let place = if row.screens.is_empty() { "everywhere".into() } else { row.screens.join(", ") };
    format!("| {} | {place} | {} |\n", keys.join(" "), row.title.replace('|', "\\|"))
}
