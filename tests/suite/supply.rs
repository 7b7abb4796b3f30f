//! What the program is made of: where unsafe code may stand, and the licences and sources of what it depends on (G24).
//!
//! Advisories are for `cargo deny check`, which needs their list from the network; all else of `deny.toml` is held here.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::promises;
use crate::skip::skip;

/// The files that may hold unsafe code: calls that libgit2 and the grammars' C require, and the start of commands and
/// plugins.
const UNSAFE: &[&str] =
    &["src/fetch/transport/mod.rs", "src/highlight/mod.rs", "src/host/local/minder.rs", "src/world/contained.rs"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn unsafe_code_is_only_in_listed_files() {
    let mut found = Vec::new();
    let mut folders = vec![root().join("src")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("is a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if fs::read_to_string(&path).is_ok_and(|text| text.contains("(unsafe_code")) {
                found.push(path.strip_prefix(root()).expect("is below").display().to_string());
            }
        }
    }
    found.sort();
    assert_eq!(found, UNSAFE, "the lint forbids it everywhere else");
}

#[test]
fn dependencies_have_allowed_licences_and_sources() {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--offline"])
        .current_dir(root())
        .output()
        .expect("cargo runs the tests");
    let Ok(metadata) = serde_json::from_slice::<serde_json::Value>(&output.stdout) else {
        return skip("cargo metadata", String::from_utf8_lossy(&output.stderr));
    };
    let rules: toml::Table = fs::read_to_string(root().join("deny.toml")).expect("is there").parse().expect("is TOML");
    let listed = |table: &str, key: &str| rules[table][key].as_array().cloned().unwrap_or_default();
    let allowed: Vec<String> =
        listed("licenses", "allow").iter().filter_map(|licence| licence.as_str().map(str::to_owned)).collect();
    let denied: Vec<String> =
        listed("bans", "deny").iter().filter_map(|rule| rule.get("name")?.as_str().map(str::to_owned)).collect();
    let packages = metadata["packages"].as_array().expect("is a list");
    let mut wrong = Vec::new();
    for package in packages {
        let name = package["name"].as_str().unwrap_or_default();
        let licence = package["license"].as_str().unwrap_or("none");
        if !may_be_used(licence, &allowed) {
            wrong.push(format!("{name}: {licence}"));
        }
        let source = package["source"].as_str().unwrap_or("registry+https://github.com/rust-lang/crates.io-index");
        if source != "registry+https://github.com/rust-lang/crates.io-index"
            || denied.iter().any(|denied| denied == name)
        {
            wrong.push(format!("{name} from {source}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    promises::figure("G24", format_args!("{} packages, their licences and sources allowed", packages.len()));
}

/// Whether one way to choose of an expression's licences has allowed ones only.
fn may_be_used(expression: &str, allowed: &[String]) -> bool {
    let is_allowed = |licence: &str| allowed.iter().any(|allowed| allowed == licence.trim());
    let any = |part: &str| {
        let part = part.trim().trim_start_matches('(').trim_end_matches(')');
        part.split(" OR ").flat_map(|part| part.split('/')).any(is_allowed)
    };
    expression.split(" AND ").all(any)
}

#[test]
fn licences_are_read_as_they_are_written() {
    let allowed = ["MIT".to_owned(), "Unicode-3.0".to_owned()];
    for (expression, fits) in [
        ("MIT", true),
        ("MIT OR GPL-3.0", true),
        ("GPL-3.0/MIT", true),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", true),
        ("MIT AND GPL-3.0", false),
        ("GPL-3.0", false),
        ("none", false),
    ] {
        assert_eq!(may_be_used(expression, &allowed), fits, "{expression}");
    }
}
