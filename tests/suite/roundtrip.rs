//! Programs through and back: a graph written as mcl compiles to the same graph, a formatted file to the same tree.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use workbench::diag::{Diagnostics, Stage};
use workbench::graph::{Graph, export};
use workbench::lang::Compiled;
use workbench::lang::inmanta::{self, Edition};
use workbench::lang::mcl::ast::Ast;
use workbench::lang::mcl::format::format;
use workbench::lang::mcl::parser;
use workbench::lang::mcl::tree::tree;
use workbench::session::{Cancel, Options, Session, as_program};
use workbench::source::{FileId, Sources};

use crate::case;

/// What a graph says, without places, containers and the order in which it says so.
fn essence(graph: &Graph) -> (Vec<String>, Vec<String>) {
    let strip = |mut json: Json, keys: &[&str]| {
        for key in keys {
            json.as_object_mut().expect("a resource or an edge is an object").remove(*key);
        }
        json.to_string()
    };
    let resources = graph.resources().map(|(_, resource)| export::resource_json(resource));
    let edges = graph.edges().iter().map(|edge| export::edge_json(graph, edge));
    let mut resources: Vec<_> = resources.map(|json| strip(json, &["source", "container"])).collect();
    let mut edges: Vec<_> = edges.map(|json| strip(json, &["source"])).collect();
    resources.sort();
    edges.sort();
    (resources, edges)
}

fn compiled(entry: &str) -> Result<Compiled, String> {
    let session =
        Session::open(Some(entry), Options::default()).map_err(|report| format!("{:?}", report.diagnostics))?;
    let compiled = session.compile(Stage::Eval, &Cancel::default());
    match compiled.diagnostics.has_errors() {
        true => Err(format!("{:?}", compiled.diagnostics)),
        false => Ok(compiled),
    }
}

/// Entries whose graphs are worth writing: the bundled modules, and the programs of our cases.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<_> = ["demo", "motd/example.mcl", "site/example.mcl"]
        .iter()
        .map(|name| Path::new(env!("CARGO_MANIFEST_DIR")).join("modules/mcl").join(name))
        .collect();
    for (at, path) in case::find(Path::new("tests/cases/mcl")).into_iter().enumerate() {
        let case = case::parse(&fs::read_to_string(&path).expect("cases are text"));
        let home = folder.join(at.to_string());
        for (name, content) in &case.files {
            let file = home.join(name);
            fs::create_dir_all(file.parent().expect("a file has a folder")).expect("a temporary folder can be written");
            fs::write(file, content).expect("a temporary folder can be written");
        }
        found.push(if home.join("metadata.yaml").exists() { home } else { home.join("main.mcl") });
    }
    found
}

#[test]
fn a_graph_written_as_mcl_compiles_to_the_same_graph() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let mut count = 0;
    for entry in entries(folder.path()) {
        let Ok(first) = compiled(entry.to_str().expect("our own names are UTF-8")) else { continue };
        // A function and bytes have no literal, and a hidden resource may have the name of another one.
        let text = match as_program("mcl", &first) {
            Ok(written) => written.text,
            Err(refused) => {
                let known = ["is computed, and is not in the graph", "is not text", "another resource is"];
                let is_known = |label: &str| known.iter().any(|words| label.contains(words));
                let labels: Vec<&str> = refused.diagnostics.iter().map(|found| &*found.label).collect();
                assert!(labels.iter().all(|label| is_known(label)), "{}: {labels:?}", entry.display());
                continue;
            }
        };
        let flat = folder.path().join("flat.mcl");
        fs::write(&flat, &text).expect("a temporary folder can be written");
        let again = compiled(flat.to_str().expect("our own names are UTF-8"))
            .unwrap_or_else(|error| panic!("{}: {error}\n{text}", entry.display()));
        assert_eq!(essence(&again.graph), essence(&first.graph), "{}\n{text}", entry.display());
        count += 1;
    }
    assert!(count >= 30, "only {count} programs compiled");
}

/// A file's tree without places, and its comments in order; `None` where its syntax is not right.
fn tree_of(text: &str) -> Option<(Json, Vec<String>)> {
    let (mut sources, mut diags, mut ast) = (Sources::default(), Diagnostics::new(Stage::Parse), Ast::default());
    let file = sources.add("main.mcl", None, text);
    let parsed = parser::parse(&mut ast, file, text, &mut diags);
    let comments = parsed.comments.iter().map(|span| text[span.range()].to_string()).collect();
    (!diags.has_errors()).then(|| (without_places(tree(&ast, &parsed).to_json(&sources)), comments))
}

fn without_places(json: Json) -> Json {
    match json {
        Json::Object(fields) => {
            fields.into_iter().filter(|(key, _)| key != "at").map(|(key, value)| (key, without_places(value))).collect()
        }
        Json::Array(items) => items.into_iter().map(without_places).collect(),
        plain => plain,
    }
}

fn formatted(text: &str) -> Option<String> {
    format(FileId(0), text, &mut Diagnostics::new(Stage::Parse))
}

/// Formats a text whose syntax is right, and holds the result against it.
fn settles(text: &str, path: &Path) {
    let before = tree_of(text).expect("the syntax was right");
    let once = formatted(text).unwrap_or_else(|| panic!("{}: not formatted:\n{text}", path.display()));
    assert_eq!(tree_of(&once).as_ref(), Some(&before), "{}: another program:\n{text}\n{once}", path.display());
    assert_eq!(formatted(&once).as_ref(), Some(&once), "{}: does not settle:\n{text}\n{once}", path.display());
}

#[test]
fn formatting_preserves_the_tree_and_all_comments() {
    let (mut programs, mut places) = (0, 0);
    for path in case::find(Path::new("tests/cases/mcl")) {
        let case = case::parse(&fs::read_to_string(&path).expect("cases are text"));
        for (_, content) in case.files.iter().filter(|(name, _)| name.ends_with(".mcl")) {
            let Ok(text) = std::str::from_utf8(content) else { continue };
            if tree_of(text).is_none() {
                continue;
            }
            settles(text, &path);
            programs += 1;
            // Where a line may end, a comment may stand.
            for at in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
                let inside = |c: char| c.is_alphanumeric() || c == '_';
                let word = text[..at].ends_with(inside) && text[at..].starts_with(inside);
                let with = format!("{}# told\n{}", &text[..at], &text[at..]);
                if word
                    || text.len() > 400
                    || tree_of(&with).is_none_or(|(_, comments)| !comments.contains(&"# told".into()))
                {
                    continue;
                }
                settles(&with, &path);
                places += 1;
            }
        }
    }
    assert!(programs >= 50 && places >= 500, "only {programs} programs and {places} places");
}

/// A model's statements, and its comments in order; `None` where its syntax is not right.
fn model_of(text: &str, edition: Edition) -> Option<(Vec<String>, Vec<String>)> {
    let mut diagnostics = Diagnostics::new(Stage::Parse);
    let tree = inmanta::tree(&inmanta::ended(text), FileId(0), edition, &mut diagnostics)?;
    Some((
        tree,
        text.lines()
            .filter_map(|line| Some(line.split_once("# note").or_else(|| line.split_once("// note"))?.1.to_string()))
            .collect(),
    ))
}

fn formatted_model(text: &str, edition: Edition) -> Option<String> {
    inmanta::format(FileId(0), text, edition, &mut Diagnostics::new(Stage::Parse))
}

/// Formats a model whose syntax is right, and holds the result against it.
fn keeps_model(text: &str, edition: Edition, path: &Path) {
    let before = model_of(text, edition).expect("the syntax was right");
    let once = formatted_model(text, edition).unwrap_or_else(|| panic!("{}: not formatted:\n{text}", path.display()));
    assert_eq!(model_of(&once, edition).as_ref(), Some(&before), "{}: another model:\n{text}\n{once}", path.display());
    assert_eq!(
        formatted_model(&once, edition).as_ref(),
        Some(&once),
        "{}: changes when formatted again:\n{text}\n{once}",
        path.display()
    );
}

#[test]
fn formatting_keeps_a_model_and_its_comments() {
    let (mut models, mut old, mut places) = (0, 0, 0);
    for path in case::find(Path::new("tests/cases/inmanta")) {
        let case = case::parse(&fs::read_to_string(&path).expect("cases are text"));
        for (_, content) in case.files.iter().filter(|(name, _)| name.ends_with(".cf")) {
            let Ok(text) = std::str::from_utf8(content) else { continue };
            let both = [(Edition::Today, "#"), (Edition::V4, "//")];
            let Some((edition, mark)) = both.into_iter().find(|(edition, _)| model_of(text, *edition).is_some()) else {
                continue;
            };
            keeps_model(text, edition, &path);
            models += 1;
            old += usize::from(edition == Edition::V4);
            // A comment may be between any two words.
            for at in (0..text.len().min(600)).filter(|at| text.is_char_boundary(*at)) {
                let with = format!("{}{mark} note {at}\n{}", &text[..at], &text[at..]);
                let statements = |text: &str| model_of(text, edition).map(|model| model.0);
                if text[..at].ends_with(char::is_whitespace) && statements(&with) == statements(text) {
                    keeps_model(&with, edition, &path);
                    places += 1;
                }
            }
        }
    }
    assert!(old >= 1, "no model in the older syntax");
    assert!(models >= 40 && places >= 500, "only {models} models and {places} places");
}
