//! The bundled modules: they compile, they are described, and what they write stays where they say.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use workbench::diag::{self, Stage};
use workbench::graph::Graph;
use workbench::plan::Plan;
use workbench::session::choices::PuppetChoices;
use workbench::session::{Cancel, Choices, Options, Session};

fn modules() -> PathBuf {
    modules_in("")
}

fn modules_in(language: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("modules").join(language)
}

fn session(entry: &Path) -> Session {
    let entry = entry.to_str().expect("our own names are UTF-8");
    Session::open(Some(entry), Options::default()).unwrap_or_else(|report| panic!("{entry}: {:?}", report.diagnostics))
}

fn graph(session: &Session) -> Arc<Graph> {
    let compiled = session.compile(Stage::Eval, &Cancel::default());
    let told: Vec<String> = compiled.diagnostics.iter().map(|d| diag::text(d, &compiled.sources, false)).collect();
    assert!(told.is_empty(), "{}", told.join("\n"));
    Arc::new(compiled.graph)
}

fn preview(entry: &Path) -> Plan {
    let session = session(entry);
    session.preview(&graph(&session), &Cancel::default(), &mut |_| {})
}

#[test]
fn every_module_compiles_and_has_a_readme() {
    for (language, least) in [("mcl", 4), ("puppet", 2), ("inmanta", 2)] {
        let mut count = 0;
        for entry in fs::read_dir(modules_in(language)).expect("the modules are there") {
            let folder = entry.expect("a folder can be listed").path();
            graph(&session(&folder));
            let readme = fs::read_to_string(folder.join("README.md")).unwrap_or_default();
            assert!(readme.starts_with("# "), "{} has no README.md", folder.display());
            count += 1;
        }
        assert!(count >= least, "only {count} modules were found for {language}");
    }
}

#[test]
fn demo_and_examples_write_only_below_their_folder() {
    for (entry, folder, resources) in [
        ("mcl/demo", "/tmp/workbench-demo/", 13),
        ("mcl/motd/example.mcl", "/tmp/workbench-motd/", 2),
        ("mcl/site/example.mcl", "/tmp/workbench-site/", 11),
        ("inmanta/demo", "/tmp/workbench-inmanta-demo/", 11),
    ] {
        let graph = graph(&session(&modules().join(entry)));
        assert_eq!(graph.resources().count(), resources, "{entry}");
        for (_, resource) in graph.resources() {
            let wanted = resource.wanted().unwrap_or_else(|| panic!("{entry}: {} has no kind here", resource.id));
            let is_file = &*wanted.kind == "file";
            assert!(!is_file || wanted.name.starts_with(folder), "{entry}: {}", wanted.name);
        }
    }
}

#[test]
fn the_account_module_orders_creation_and_removal() {
    let graph = graph(&session(&modules().join("inmanta/account/example")));
    let has = |from: &str, to: &str| {
        let id = |at| graph.node(at).id().to_string();
        graph.edges().iter().any(|edge| id(edge.from).contains(from) && id(edge.to).contains(to))
    };
    assert!(has("user::Group[localhost,name=deploy]", "user::User[localhost,name=deploy]"));
    assert!(has("user::User[localhost,name=deploy]", "cron::Cronjob[localhost,name=deploy-tidy]"));
    assert!(has("user::User[localhost,name=old]", "user::Group[localhost,name=old]"));
    assert!(graph.resources().all(|(_, resource)| resource.wanted().is_some()));
}

#[test]
fn the_demo_previews_whole() {
    let plan = preview(&modules().join("mcl/demo"));
    assert_eq!(plan.steps.len(), 13);
    assert!(plan.steps.iter().all(|step| step.source.is_some()), "each step says where it was declared");
    let plan = preview(&modules().join("inmanta/demo"));
    assert_eq!(plan.steps.len(), 11);
    assert!(plan.steps.iter().all(|step| step.source.is_some()), "each step says where it was declared");
}

/// The control repository, for one of its nodes.
fn node(name: &str) -> Arc<Graph> {
    let folder = modules_in("puppet").join("control-repo");
    let facts = Some(folder.join(format!("facts/{name}.yaml")));
    let puppet = PuppetChoices { node: Some(name.into()), facts, ..PuppetChoices::default() };
    let options = Options { choices: Choices { puppet, ..Choices::default() }, ..Options::default() };
    let entry = folder.to_str().expect("our own names are UTF-8");
    let session = Session::open(Some(entry), options).unwrap_or_else(|r| panic!("{entry}: {:?}", r.diagnostics));
    graph(&session)
}

#[test]
fn the_control_repository_compiles_for_its_nodes() {
    const ROOT: &str = "/tmp/workbench-puppet-site";
    for (name, resources, file, content) in [
        ("web1.example.com", 8, "admins", "ada:/bin/bash\ngrace:/bin/bash\nlinus:/bin/bash\n"),
        ("web1.example.com", 8, "server.conf", "service apache2\nlisten 8080\n"),
        ("web1.example.com", 8, "motd", "This is web1.example.com. Questions: ops@example.com\n"),
        ("db1.example.com", 5, "admins", "edgar:/bin/bash\ngrace:/bin/bash\n"),
    ] {
        let graph = node(name);
        assert_eq!(graph.resources().count(), resources, "{name}");
        let wanted = format!("{ROOT}/{file}");
        let found = graph.resources().find(|(_, resource)| *resource.shown().name == *wanted);
        let (_, found) = found.unwrap_or_else(|| panic!("{name}: no {wanted}"));
        assert_eq!(found.shown().params.get("content").and_then(|text| text.as_str()), Some(content), "{name} {file}");
        assert!(graph.resources().all(|(_, resource)| resource.shown().name.starts_with(ROOT)), "{name}");
    }
    let secret = node("db1.example.com");
    let mut shown = Vec::new();
    workbench::graph::export::write_json(&mut shown, &secret, "puppet", "x").expect("a list can be written");
    assert!(!String::from_utf8_lossy(&shown).contains("only-for-db1"));
}

#[test]
fn puppet_modules_write_only_below_their_folder() {
    let path = |entry: &str| modules_in("puppet").join(entry);
    for (entry, folder, resources) in [
        ("demo", "/tmp/workbench-puppet-demo", 14),
        ("logrotate/example.pp", "/tmp/workbench-puppet-logrotate", 4),
        ("types-demo", "/tmp/workbench-puppet-types-demo", 7),
    ] {
        let options = Options { module_path: vec![modules_in("puppet")], ..Options::default() };
        let entry = path(entry);
        let entry = entry.to_str().expect("our own names are UTF-8");
        let session = Session::open(Some(entry), options).unwrap_or_else(|r| panic!("{entry}: {:?}", r.diagnostics));
        let graph = graph(&session);
        assert_eq!(graph.resources().count(), resources, "{entry}");
        for (_, resource) in graph.resources() {
            let wanted = resource.wanted().unwrap_or_else(|| panic!("{} has no kind", resource.id));
            let place = match &*wanted.kind {
                "file" => &*wanted.name,
                "exec" => wanted.params.get("cwd").and_then(|cwd| cwd.as_str()).unwrap_or_default(),
                "entry" => wanted.params.get("file").and_then(|file| file.as_str()).unwrap_or_default(),
                _ => folder,
            };
            assert!(place.starts_with(folder), "{entry}: {place}");
        }
        let plan = session.preview(&graph, &Cancel::default(), &mut |_| {});
        assert_eq!(plan.steps.len(), resources, "{entry}");
        assert!(plan.steps.iter().all(|step| step.source.is_some() && step.error.is_none()), "{entry}");
    }
}
