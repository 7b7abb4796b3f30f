//! Programs through and back: a graph written as mcl compiles to the same graph, a formatted file to the same tree.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use workbench::diag::Stage;
use workbench::graph::{Graph, export};
use workbench::session::{Cancel, Options, Session, as_mcl};

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

fn graph_of(entry: &str) -> Result<Graph, String> {
    let session =
        Session::open(Some(entry), Options::default()).map_err(|report| format!("{:?}", report.diagnostics))?;
    let compiled = session.compile(Stage::Eval, &Cancel::default());
    match compiled.diagnostics.has_errors() {
        true => Err(format!("{:?}", compiled.diagnostics)),
        false => Ok(compiled.graph),
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
        let Ok(graph) = graph_of(entry.to_str().expect("our own names are UTF-8")) else { continue };
        let text = as_mcl(&graph);
        // A function has no text of its own, and what hides behind another of its name is not told apart.
        if text.contains("is not in the graph") {
            continue;
        }
        let flat = folder.path().join("flat.mcl");
        fs::write(&flat, &text).expect("a temporary folder can be written");
        let again = graph_of(flat.to_str().expect("our own names are UTF-8"))
            .unwrap_or_else(|error| panic!("{}: {error}\n{text}", entry.display()));
        assert_eq!(essence(&again), essence(&graph), "{}\n{text}", entry.display());
        count += 1;
    }
    assert!(count >= 30, "only {count} programs compiled");
}
