//! Compares the manual's pages of settings and keys with the program; `UPDATE=1` writes them.

use std::fs;

use workbench::config::{Config, SETTINGS};
use workbench::tui::{KeyRow, key_rows};

/// The schema for editors has every setting and every action.
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

#[test]
fn the_manual_lists_every_setting() {
    holds(
        "docs/settings.md",
        ("<!-- settings, from src/config/setting.rs -->\n", "<!-- end of settings -->\n"),
        &settings(),
    );
}

#[test]
fn the_manual_lists_every_key() {
    holds("docs/keys.md", ("<!-- keys, from src/tui/keymap.rs -->\n", "<!-- end of keys -->\n"), &keys());
}

/// Compares the generated part of a page with what it should be, or writes it.
fn holds(page: &str, (begin, end): (&str, &str), generated: &str) {
    let text = fs::read_to_string(page).expect("the page is here");
    let (before, rest) = text.split_once(begin).expect("the page has a generated part");
    let (written, after) = rest.split_once(end).expect("the generated part has an end");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(page, format!("{before}{begin}{generated}{end}{after}")).expect("the page can be written");
    } else {
        assert_eq!(written, generated, "{page}: run once with UPDATE=1");
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
