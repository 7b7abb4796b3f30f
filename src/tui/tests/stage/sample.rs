//! A small program, with its graph, plan, module tree and symbols.

use std::{path::PathBuf, sync::Arc};

use crate::diag::{Code, Diagnostic, Diagnostics, Stage};
use crate::graph::{Edge, Graph, Node, NodeIndex, Params, Reason, Resource, ResourceId, Value};
use crate::lang::Compiled;
use crate::module::{Import, Module, ModuleState, ModuleTree};
use crate::plan::{Action, Certainty, Change, CompiledFor, Plan, Reversible, Step, Summary};
use crate::session::{AsWritten, Here, LinkHere};
use crate::source::{Place, Sources, Span};
use crate::tui::{program::Program, screen::code::Spot};

pub const CODE: &str = "\
import \"fmt\"

# A web server below a folder of its own.
$root = \"/srv/web\"

class web($port) {
\tpkg \"nginx\" {
\t\tstate => \"installed\",
\t}

\tfile \"${root}/nginx.conf\" {
\t\tstate => \"exists\",
\t\tcontent => fmt.printf(\"listen %d;\\n\", $port),

\t\tNotify => Svc[\"nginx\"],
\t}

\tsvc \"nginx\" {
\t\tstate => \"running\",
\t}
}

include web(80)

exec \"warm the cache\" {
\tcmd => \"curl -s localhost\",
}
";

pub fn id(text: &str) -> ResourceId {
    ResourceId(text.into())
}

fn place(line: u32) -> Option<Place> {
    Some(Place { file: "web/main.mcl".into(), line, column: 2, end_line: line, end_column: 9 })
}

fn resource(kind: &str, name: &str, line: u32, params: &[(&str, &str)]) -> Node {
    let params: Params = params.iter().map(|(name, value)| (Arc::from(*name), Value::from(*value))).collect();
    let mut resource = Resource::new(kind, name, params);
    resource.container = vec!["class web".into()];
    resource.source = place(line);
    Node::Resource(resource)
}

/// Package before file before service, and a command after it; another file on its own.
pub fn graph() -> Graph {
    let mut graph = Graph::default();
    let nodes = [
        resource("pkg", "nginx", 7, &[("state", "installed")]),
        resource("file", "/srv/web/nginx.conf", 11, &[("state", "exists"), ("content", "listen 80;\nworkers 4;\n")]),
        resource("file", "/srv/web/index.html", 11, &[("state", "exists")]),
        resource("svc", "nginx", 18, &[("state", "running")]),
        resource("exec", "warm the cache", 25, &[("cmd", "curl -s localhost")]),
    ];
    for node in nodes {
        graph.add(node).expect("each id once");
    }
    for (from, to, notify) in [(0, 1, false), (0, 2, false), (1, 3, true), (2, 3, false), (3, 4, false)] {
        let edge = Edge {
            from: NodeIndex(from),
            to: NodeIndex(to),
            notify,
            reason: Reason::Declared,
            send: None,
            source: None,
        };
        graph.connect(edge);
    }
    graph
}

pub fn program() -> Arc<Program> {
    let mut sources = Sources::default();
    sources.add("web/main.mcl", Some("/m/web/main.mcl".into()), CODE);
    sources.add("web/layout.mcl", Some("/m/web/layout.mcl".into()), CODE);
    compiled(graph(), sources)
}

/// A program without problems.
pub fn compiled(graph: Graph, sources: Sources) -> Arc<Program> {
    Arc::new(Program::new(Compiled::new(graph, sources, Diagnostics::new(Stage::Eval))))
}

/// The same code with a misspelt name in it.
pub fn broken() -> Arc<Program> {
    let mut sources = Sources::default();
    let file = sources.add("web/main.mcl", Some("/m/web/main.mcl".into()), CODE);
    let mut diagnostics = Diagnostics::new(Stage::Scope);
    let at = CODE.find("$port)").expect("it is in there");
    let problem = Diagnostic::error(Code::UnknownVariable, Span::new(file, at, at + 5));
    diagnostics.push(problem.label("`$prot` is not defined here").help("did you mean `$port`?"));
    Arc::new(Program::new(Compiled::new(Graph::default(), sources, diagnostics)))
}

/// The symbol at a place of [`CODE`]: a variable, a function of the language, and a class of another file.
pub(super) fn here(spot: Spot) -> Option<Here> {
    let place = |file: &str, (line, column): Spot| Place {
        file: file.into(),
        line,
        column,
        end_line: line,
        end_column: column + 4,
    };
    let main = |spot| place("web/main.mcl", spot);
    let here = |what: &'static str, name: &str, ty: &str, doc: &str, defined, uses| Here {
        what: what.into(),
        name: name.into(),
        ty: Some(ty.into()),
        doc: doc.into(),
        place: main(spot),
        defined,
        uses,
        ..Here::default()
    };
    match spot {
        (4, 1) | (11, 8) => {
            let doc = "A web server below a folder of its own.";
            Some(here("variable", "root", "str", doc, Some(main((4, 1))), vec![main((11, 8))]))
        }
        (11, _) => {
            let name = "file[/srv/web/nginx.conf]";
            let found = here("resource", name, "", "Keeps a file.", Some(main((11, 2))), vec![main((14, 3))]);
            let other = |other: &str, written: &'static str, line| LinkHere {
                other: format!("{other}[nginx]"),
                other_kind: other.into(),
                leads_away: written == "Notify",
                notify: written == "Notify",
                written: written.into(),
                place: main((line, 3)),
            };
            let links = vec![other("svc", "Notify", 15), other("pkg", "Depend", 16)];
            let resource = Some(AsWritten { kind: "file".into(), names: vec!["/srv/web/nginx.conf".into()], links });
            Some(Here { ty: None, resource, ..found })
        }
        (13, _) => {
            let doc = "Formats values after a format string.\n\n".to_string() + &"Verbs are those of Go. ".repeat(60);
            Some(here("function", "fmt.printf", "func(str, ...) str", &doc, None, vec![main((13, 14))]))
        }
        (21, _) => {
            let found = here("variable", "prot", "", "", None, vec![main((21, 1)), main((23, 13))]);
            let undefined = Some("`$prot` is not defined here; did you mean `$port`?".into());
            Some(Here { ty: None, undefined, ..found })
        }
        (23, _) => {
            let defined = Some(place("web/layout.mcl", (6, 7)));
            Some(here("class", "web", "class web($port)", "", defined, vec![main((23, 9))]))
        }
        _ => None,
    }
}

pub fn plan() -> Arc<Plan> {
    let change = |property: &str, from: Option<&str>, to: &str| Change {
        property: property.into(),
        from: from.map(Value::from),
        to: Some(Value::from(to)),
        sensitive: false,
    };
    let step = |index: u32, resource: &str, action: Action, line: u32| Step {
        index,
        resource: id(resource),
        target: None,
        action,
        refresh: false,
        certainty: Certainty::Known,
        changes: vec![],
        because: vec![],
        notifies: vec![],
        reversible: Reversible::Yes,
        source: place(line),
        note: String::new(),
        is_noop: false,
        binds_what_is: false,
        seal: None,
        error: None,
        blocked_by: None,
    };
    let mut steps = vec![
        step(1, "pkg[nginx]", Action::None, 7),
        step(2, "file[/srv/web/nginx.conf]", Action::Change, 11),
        step(3, "file[/srv/web/index.html]", Action::Create, 11),
        step(4, "svc[nginx]", Action::None, 18),
        step(5, "exec[warm the cache]", Action::Run, 25),
    ];
    steps[1].changes = vec![
        change("mode", Some("0600"), "0644"),
        change("content", Some("listen 80;\nworkers 2;\n"), "listen 80;\nworkers 4;\n"),
    ];
    steps[1].because = vec![id("pkg[nginx]")];
    steps[1].notifies = vec![id("svc[nginx]")];
    steps[2].changes = vec![change("state", None, "exists")];
    steps[2].because = vec![id("pkg[nginx]")];
    steps[2].certainty = Certainty::Predicted;
    steps[3].because = vec![id("file[/srv/web/nginx.conf]"), id("file[/srv/web/index.html]")];
    steps[3].refresh = true;
    steps[4].because = vec![id("svc[nginx]")];
    steps[4].certainty = Certainty::Unknown;
    steps[4].reversible = Reversible::No;
    let summary = Summary { change: 1, create: 1, run: 1, none: 2, refresh: 1, ..Summary::default() };
    Arc::new(Plan {
        version: 1,
        plan: "7f3a9c21d0".into(),
        entry: "web".into(),
        compiled_for: CompiledFor::default(),
        steps,
        elsewhere: vec![],
        summary,
        reads: vec![],
        violations: vec![],
    })
}

pub fn modules() -> ModuleTree {
    let import = |name: &str, line: u32, module: Option<&str>| Import {
        name: name.into(),
        file: "main.mcl".into(),
        line,
        module: module.map(Into::into),
        ..Import::default()
    };
    let web = Module {
        name: "web".into(),
        path: "/m/web".into(),
        state: ModuleState::Present,
        revision: Some("8c1f02e4aa17".into()),
        version: None,
        license: Some("MIT".into()),
        files: vec![PathBuf::from("layout.mcl"), PathBuf::from("main.mcl")],
        imports: vec![
            import("fmt", 1, None),
            import("https://example.org/base/", 2, Some("https://example.org/base/")),
        ],
        main: Some("main.mcl".into()),
        used_by: vec![],
    };
    let base = Module {
        name: "https://example.org/base/".into(),
        path: "/m/modules/base".into(),
        state: ModuleState::Missing,
        revision: None,
        version: None,
        license: None,
        files: vec![],
        imports: vec![],
        main: Some("main.mcl".into()),
        used_by: vec!["web".into()],
    };
    ModuleTree { modules: vec![web, base], ..ModuleTree::default() }
}
