//! Compares the manual's pages of settings, keys and commands with the program; `UPDATE=1` writes them.

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

#[test]
fn the_manual_lists_every_command() {
    holds("docs/commands.md", ("<!-- commands, from src/cli/args.rs -->\n", "<!-- end of commands -->\n"), &commands());
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

/// The help of every command, the global options only once.
fn commands() -> String {
    let mut page = String::new();
    let mut open = vec![vec![]];
    while let Some(words) = open.pop() {
        let text = help(&words);
        let shown = if words.is_empty() { text.clone() } else { without_global_options(&text) };
        let title =
            [&["workbench"], words.iter().map(String::as_str).collect::<Vec<_>>().as_slice()].concat().join(" ");
        page.push_str(&format!("## {title}\n```text\n{}\n```\n\n", shown.trim_end()));
        let below = subcommands(&text).into_iter().rev().map(|name| [words.clone(), vec![name]].concat());
        open.extend(below);
    }
    page
}

fn help(words: &[String]) -> String {
    let printed = std::process::Command::new(env!("CARGO_BIN_EXE_workbench"))
        .args(words)
        .arg("--help")
        .env_remove("COLUMNS")
        .output()
        .expect("it starts");
    String::from_utf8(printed.stdout).expect("help is text")
}

/// The names in the section `Commands:`.
fn subcommands(help: &str) -> Vec<String> {
    let section =
        help.split_once("\nCommands:\n").map_or("", |(_, rest)| rest.split("\n\n").next().unwrap_or_default());
    let names = section.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names.filter_map(|line| line.split_whitespace().next()).map(String::from).collect()
}

fn without_global_options(help: &str) -> String {
    let Some((before, rest)) = help.split_once("Global options:\n") else { return help.into() };
    let after = rest.lines().skip_while(|line| line.is_empty() || line.starts_with(' ')).collect::<Vec<_>>().join("\n");
    format!("{before}{after}")
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

/// How a label of an action may start.
const VERBS: &[&str] = &[
    "Add", "Allow", "Apply", "Approve", "Attach", "Check", "Close", "Compare", "Compile", "Continue", "Copy",
    "Describe", "Edit", "End", "Fetch", "Filter", "Find", "Focus", "Fold", "Follow", "Go", "Group", "Inspect", "List",
    "Make", "Move", "Open", "Pause", "Quit", "Re-check", "Redraw", "Remove", "Resume", "Retry", "Run", "Save",
    "Search", "Select", "Set", "Show", "Skip", "Start", "Step", "Stop", "Suspend", "Switch", "Undo", "Unfold",
    "Update", "Wrap", "Zoom",
];

#[test]
fn labels_of_actions_are_short_and_start_with_a_verb() {
    for row in key_rows(&mut Config::default()) {
        let first = row.title.split([' ', ',']).next().unwrap_or_default();
        assert!(VERBS.contains(&first), "{}: {}", row.id, row.title);
        assert!(row.title.chars().count() <= 48 && !row.title.contains(';'), "{}: {}", row.id, row.title);
    }
}
