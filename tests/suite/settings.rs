//! Holds the README's table of settings to the one in the code; `UPDATE=1` writes it anew.

use std::fs;

use workbench::config::SETTINGS;

const BEGIN: &str = "<!-- settings, from src/config/setting.rs -->\n";
const END: &str = "<!-- end of settings -->\n";

#[test]
fn the_readme_lists_every_setting() {
    let readme = fs::read_to_string("README.md").expect("the README is here");
    let (before, rest) = readme.split_once(BEGIN).expect("the README has a table of settings");
    let (written, after) = rest.split_once(END).expect("the table has an end");
    let table = table();
    if std::env::var_os("UPDATE").is_some() {
        fs::write("README.md", format!("{before}{BEGIN}{table}{END}{after}")).expect("the README can be written");
    } else {
        assert_eq!(written, table, "run once with UPDATE=1");
    }
}

fn table() -> String {
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
