//! Programs over real modules of Puppet compile to the catalogs that Puppet compiles.
//!
//! The programs are the examples of the modules and those in `tests/puppet_modules/`. The modules are not in this
//! repository: `WORKBENCH_PUPPET_MODULES` names a folder with stdlib (commit 75517cc6e0ab), ntp (6f79ed29e1cf), concat
//! (8cbb369535b3), apache (a014c47671d0), mysql (90c42ec7d8e0) and nginx (dc6e7c9e25c6), and perhaps with those that the
//! programs in `more/` are about; without its module such a program fails on both sides. Without the variable, or without
//! Puppet's own compiler for Ruby, nothing is compared.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::skip::skip;

const FACTS: &str = "tests/puppet_modules/facts.json";
const NODE: &str = "testnode.example.com";
/// Where Debian has modules of Puppet's own types, such as `cron`.
const CORE: &str = "/usr/share/puppet/modules";

/// The parameters of each resource and what it contains, or where the program fails.
type Compiled = Result<BTreeMap<String, BTreeMap<String, Value>>, String>;

#[test]
fn programs_over_real_modules_compile_to_the_catalogs_of_puppet() {
    let Some(modules) = std::env::var_os("WORKBENCH_PUPPET_MODULES").map(PathBuf::from) else {
        skip("puppet modules", "WORKBENCH_PUPPET_MODULES does not name a folder with modules");
        return;
    };
    let mut programs = Vec::new();
    for module in folder(&modules) {
        manifests(&module.join("examples"), &mut programs);
    }
    manifests(Path::new("tests/puppet_modules"), &mut programs);
    let Some(wanted) = catalogs_of_puppet(&modules, &programs) else {
        skip("puppet", "Puppet for Ruby is not installed");
        return;
    };
    let mut differences = Vec::new();
    for program in &programs {
        let wanted = wanted.get(program).expect("Puppet answers for each program");
        if let Some(difference) = difference(wanted, &catalog_of_ours(&modules, program)) {
            differences.push(format!("{}: {difference}", program.display()));
        }
    }
    let same = programs.len() - differences.len();
    println!("{same} of {} programs compile to the same catalog\n{}", programs.len(), differences.join("\n"));
    assert!(programs.len() >= 60, "{} programs were compared", programs.len());
    assert!(same * 4 >= programs.len() * 3, "only {same} of {} are equal", programs.len());
}

fn folder(path: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

fn manifests(path: &Path, out: &mut Vec<PathBuf>) {
    for entry in folder(path) {
        if entry.is_dir() {
            manifests(&entry, out);
        } else if entry.extension().is_some_and(|extension| extension == "pp") {
            out.push(entry);
        }
    }
}

/// What Puppet compiles each program to. `None` where there is no Puppet.
fn catalogs_of_puppet(modules: &Path, programs: &[PathBuf]) -> Option<HashMap<PathBuf, Compiled>> {
    let is_there = Command::new("ruby").args(["-e", "require 'puppet'"]).output().ok()?.status.success();
    if !is_there {
        return None;
    }
    let path = format!("{}:{CORE}", modules.display());
    let mut command = Command::new("ruby");
    command.args(["tests/puppet_modules/catalogs.rb", &path, FACTS, NODE]).args(programs);
    let output = command.output().expect("ruby is there");
    let mut out = HashMap::new();
    for line in String::from_utf8_lossy(&output.stdout).lines().filter(|line| line.starts_with('{')) {
        let answer: Value = serde_json::from_str(line).expect("is JSON");
        let file = PathBuf::from(answer["file"].as_str().expect("has a file"));
        let compiled = match answer["error"].as_str() {
            Some(error) => Err(error.to_owned()),
            None => Ok(resources(&answer["catalog"])),
        };
        out.insert(file, compiled);
    }
    Some(out)
}

/// What we compile a program to; an error is the file and line of each diagnostic.
fn catalog_of_ours(modules: &Path, program: &Path) -> Compiled {
    let state = tempfile::tempdir().expect("a temporary folder can be made");
    let mut command = Command::new(env!("CARGO_BIN_EXE_workbench"));
    command.args([
        "--error-format",
        "json",
        "graph",
        "--lang",
        "puppet",
        "--format",
        "puppet-catalog",
        "--allow-unknown",
    ]);
    command.args(["--node", NODE, "--facts", FACTS, "--module-path"]).arg(format!("{}/", modules.display()));
    let output = command.arg(program).env("WORKBENCH_STATE", state.path()).output().expect("the binary is there");
    if output.status.success() {
        let catalog: Value = serde_json::from_slice(&output.stdout).expect("is JSON");
        return Ok(resources(&catalog));
    }
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let places = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()).filter_map(|diagnostic| {
        let file = Path::new(diagnostic["file"].as_str()?).file_name()?.to_string_lossy().into_owned();
        Some(format!("{file}, line: {}", diagnostic["line"]))
    });
    Err(places.collect::<Vec<_>>().join("\n"))
}

/// The resources of a catalog with their parameters, in a form in which equal ones are equal.
fn resources(catalog: &Value) -> BTreeMap<String, BTreeMap<String, Value>> {
    let mut out = BTreeMap::new();
    for resource in catalog["resources"].as_array().into_iter().flatten() {
        let text = |key: &str| resource[key].as_str().unwrap_or_default().to_owned();
        let (ty, title) = (text("type"), text("title"));
        if ty == "Class" && title == "Settings" {
            continue;
        }
        let mut parameters = BTreeMap::new();
        for (name, value) in resource["parameters"].as_object().into_iter().flatten() {
            let is_title = name == "name" && value.as_str() == Some(&title);
            if !is_title {
                parameters.insert(name.clone(), ordered(name, value));
            }
        }
        out.insert(format!("{ty}[{title}]"), parameters);
    }
    for edge in catalog["edges"].as_array().into_iter().flatten() {
        let end = |key: &str| edge[key].as_str().unwrap_or_default().to_owned();
        let (source, target) = (end("source"), end("target"));
        if target != "Class[Settings]" {
            out.entry(source).or_default().insert(format!("contains {target}"), Value::Bool(true));
        }
    }
    out
}

/// References and tags are sets: one by itself is the same as an array of it.
fn ordered(name: &str, value: &Value) -> Value {
    let is_set = ["before", "require", "notify", "subscribe", "tag"].contains(&name);
    match value {
        Value::Array(list) if is_set && list.len() == 1 => list[0].clone(),
        Value::Array(list) if is_set => {
            let mut list = list.clone();
            list.sort_by_key(Value::to_string);
            Value::Array(list)
        }
        other => other.clone(),
    }
}

/// How many resources differ, and the first one. Two failures are equal where they name the same line, or Puppet names none.
fn difference(wanted: &Compiled, ours: &Compiled) -> Option<String> {
    match (wanted, ours) {
        (Err(wanted), Err(ours)) if !wanted.contains("line: ") || ours.lines().any(|place| wanted.contains(place)) => {
            None
        }
        (Err(wanted), Err(ours)) => Some(format!("both fail, Puppet with {wanted}, ours at {ours}")),
        (Err(wanted), Ok(_)) => Some(format!("only Puppet fails: {wanted}")),
        (Ok(_), Err(ours)) => Some(format!("only ours fails, at {ours}")),
        (Ok(wanted), Ok(ours)) => {
            let names = wanted.keys().chain(ours.keys().filter(|name| !wanted.contains_key(*name)));
            let different: Vec<&String> = names.filter(|name| wanted.get(*name) != ours.get(*name)).collect();
            let first = different.first()?;
            let (wanted, ours) = (wanted.get(*first), ours.get(*first));
            Some(format!("{} resources differ, such as {first}: {wanted:?} and {ours:?}", different.len()))
        }
    }
}
