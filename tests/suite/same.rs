//! Runs a case of `tests/cases/same/`: one statement in each language, with one graph or the same refusals.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;
use workbench::resource::schema;

use crate::case::{Run, parse, print};
use crate::cases::{diagnostics, difference, execute, lay_out};

const PROGRAMS: [&str; 3] = ["main.mcl", "main.pp", "main.cf"];

/// GRAPH is the mapped side of every program, without what only one language expresses. DIAGNOSTICS are those of each
/// program, from `graph` and from `check`; their codes agree.
pub fn try_case(path: &Path, update: bool) -> Result<(), String> {
    let text = fs::read_to_string(path).map_err(|e| e.to_string())?;
    let mut case = parse(&text);
    assert!(!case.about.trim().is_empty(), "{} does not say what it shows", path.display());
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let work = folder.path().canonicalize().expect("the folder was just made").join("work");
    lay_out(&case, &work);
    let (mut graphs, mut codes, mut all) = (Vec::new(), Vec::new(), String::new());
    for program in PROGRAMS {
        assert!(work.join(program).exists(), "{} has no {program}", path.display());
        let run = |args: &[&str]| {
            let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
            let output = execute(&args, None, &work);
            (String::from_utf8_lossy(&output.stdout).into_owned(), String::from_utf8_lossy(&output.stderr).into_owned())
        };
        let (graph, errors) = run(&["--error-format", "json", "graph", "--format", "json", program]);
        let errors = diagnostics(&without_logs(&errors));
        let (_, checked) = run(&["--error-format", "json", "check", program]);
        let checked = diagnostics(&without_logs(&checked));
        if errors != checked {
            return Err(format!("{program}: `graph` and `check` differ:\n{errors}\n{checked}"));
        }
        graphs.push(mapped(&graph));
        codes.push(errors.lines().filter(|line| !line.starts_with(' ')).map(code).collect::<Vec<_>>());
        all.push_str(&errors);
    }
    for (program, (graph, code)) in PROGRAMS.iter().zip(graphs.iter().zip(&codes)).skip(1) {
        if *graph != graphs[0] || *code != codes[0] {
            let (one, other) = (format!("{}{:?}", graphs[0], codes[0]), format!("{graph}{code:?}"));
            let outputs = |text: String| vec![((*program).to_owned(), text)];
            return Err(format!("{all}\n{}", difference(&outputs(one), &outputs(other))));
        }
    }
    let mut outputs = Vec::new();
    for (name, text) in [("GRAPH", graphs.swap_remove(0)), ("DIAGNOSTICS", all)] {
        if !text.is_empty() {
            outputs.push((name.to_owned(), text));
        }
    }
    let run: &mut Run = case.runs.first_mut().expect("a case has a run");
    if outputs == run.outputs {
        return Ok(());
    }
    let differs = difference(&run.outputs, &outputs);
    run.outputs = outputs;
    if update { fs::write(path, print(&case)).map_err(|e| e.to_string()) } else { Err(differs) }
}

/// What a program prints is no diagnostic.
fn without_logs(stderr: &str) -> String {
    stderr.lines().filter(|line| !line.starts_with("{\"log\"")).map(|line| format!("{line}\n")).collect()
}

/// The severity and the code of a line of diagnostics.
fn code(line: &str) -> String {
    line.split_once(' ').map_or(line, |(_, rest)| rest).to_owned()
}

/// One line for a resource on the mapped side, then one for an edge between resources. What a mapping alone sets is left
/// out, and so are containers.
fn mapped(stdout: &str) -> String {
    let Ok(graph) = serde_json::from_str::<Value>(stdout) else { return String::new() };
    let list = |name: &str| graph[name].as_array().cloned().unwrap_or_default();
    let mut names = BTreeMap::new();
    let mut text = String::new();
    for resource in list("resources") {
        let side = if resource["mapped"].is_object() { &resource["mapped"] } else { &resource };
        let kind = side["kind"].as_str().unwrap_or_default();
        let name = format!("{kind}[{}]", side["name"].as_str().unwrap_or_default());
        text.push_str(&name);
        let own = schema(kind);
        let params: BTreeMap<_, _> = side["params"].as_object().into_iter().flatten().collect();
        for (param, value) in params {
            if own.is_some_and(|schema| schema.param(param).is_some()) {
                text.push_str(&format!(" {param}={value}"));
            }
        }
        if resource["meta"]["noop"] == true {
            text.push_str(" noop");
        }
        text.push('\n');
        names.insert(resource["id"].to_string(), name);
    }
    let mut edges: Vec<String> = Vec::new();
    for edge in list("edges") {
        if let (Some(from), Some(to)) = (names.get(&edge["from"].to_string()), names.get(&edge["to"].to_string())) {
            let arrow = if edge["notify"] == true { "~>" } else { "->" };
            edges.push(format!("{from} {arrow} {to}\n"));
        }
    }
    edges.sort();
    text.extend(edges);
    text
}
