//! Evidence for comparisons: verdicts of programs in two languages, missing edges that are found and repaired, and pages
//! in which every name stays text.

use std::path::Path;
use std::process::Command;

use proptest::prelude::*;
use serde_json::Value;
use workbench::compare::report::{self, Detail, Document, Row, Section, Sort};

use crate::case;
use crate::generated::Dice;

fn run(folder: &Path, args: &[&str]) -> (String, Option<i32>) {
    let done = Command::new(crate::terminal::PROGRAM)
        .args(args)
        .current_dir(folder)
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", folder)
        .env("WORKBENCH_HOSTNAME", "host.example")
        .output()
        .expect("the program starts");
    (String::from_utf8_lossy(&done.stdout).into_owned(), done.status.code())
}

/// Programs that state one thing in three languages are equal in each pair, and not equal to another statement.
#[test]
fn one_statement_in_two_languages_is_equal_and_another_is_not() {
    let mut wrong = Vec::new();
    let (mut equal, mut different) = (0, 0);
    // Other statements would fail here, or fail on purpose.
    const EQUAL: [&str; 9] = [
        "file-absent",
        "file-after-folder",
        "folder",
        "group",
        "link",
        "link-in-folder",
        "order",
        "user",
        "user-after-group",
    ];
    for name in EQUAL {
        let text = std::fs::read_to_string(format!("tests/cases/same/{name}.case")).expect("the case is there");
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("it is there");
        let case = case::parse(&text);
        crate::cases::lay_out(&case, &root);
        let verdict = |one: &str, other: &str| {
            let (text, _) = run(&root, &["diff", one, other, "--format", "json"]);
            let json: Value = serde_json::from_str(&text).unwrap_or_default();
            json["verdict"].as_str().unwrap_or_default().to_owned()
        };
        for (one, other) in [("main.mcl", "main.pp"), ("main.pp", "main.cf"), ("main.cf", "main.mcl")] {
            equal += 1;
            let found = verdict(one, other);
            if found != "equal" {
                wrong.push(format!("{name}: {one} and {other}: {found}"));
            }
        }
        // The same with one more resource.
        let program = std::fs::read_to_string(root.join("main.pp")).expect("it is there");
        let more = format!("{program}\nfile {{ '/srv/more': ensure => file, content => 'x' }}\n");
        std::fs::write(root.join("more.pp"), more).expect("it can be written");
        different += 1;
        let found = verdict("main.mcl", "more.pp");
        if found != "different" {
            wrong.push(format!("{name}: main.mcl and more.pp: {found}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {} verdicts are wrong:\n{}", wrong.len(), equal + different, wrong.join("\n"));
}

/// An edge, as the earlier resource, the later one, and the place of the later one's declaration.
type Edge = (String, String);

/// A program in mcl with edges that no kind adds by itself: packages before settings and services.
fn program(edges: &[Edge], parts: usize) -> String {
    let mut text = String::new();
    let mut put = |kind: &str, name: &str, params: &str| {
        let id = format!("{kind}[{name}]");
        let mut block = format!("{kind} \"{name}\" {{\n{params}");
        for (_, to) in edges.iter().filter(|(from, _)| *from == id) {
            let (kind, name) = to.split_once('[').expect("an id has a name");
            let kind = format!("{}{}", kind[..1].to_uppercase(), &kind[1..]);
            block += &format!("\n\tBefore => {kind}[\"{}\"],\n", name.trim_end_matches(']'));
        }
        text += &format!("{block}}}\n");
    };
    for part in 0..parts {
        put("pkg", &format!("app{part}"), "\tstate => \"installed\",\n");
        put("file", &format!("/etc/app{part}/app.conf"), "\tstate => \"exists\",\n\tcontent => \"x\",\n");
        put("svc", &format!("app{part}"), "\tstate => \"running\",\n");
    }
    text
}

fn all_edges(parts: usize) -> Vec<Edge> {
    let of = |part: usize| {
        let (package, service) = (format!("pkg[app{part}]"), format!("svc[app{part}]"));
        let conf = format!("file[/etc/app{part}/app.conf]");
        [(package.clone(), conf), (package, service)]
    };
    (0..parts).flat_map(of).collect()
}

/// The missing edges that `check --order` proposes.
fn missing(folder: &Path, file: &str) -> Vec<Edge> {
    let (text, _) = run(folder, &["--error-format", "json", "check", file, "--order"]);
    text.lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|json| json["missing"].is_object())
        .map(|json| {
            let id = |name: &str| json["missing"][name].as_str().unwrap_or_default().to_owned();
            (id("from"), id("to"))
        })
        .collect()
}

#[test]
fn a_removed_edge_is_found_and_the_proposed_one_repairs_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().canonicalize().expect("it is there");
    for seed in 0..20 {
        let mut dice = Dice::new(seed);
        let parts = 1 + usize::try_from(dice.below(4)).expect("it is small");
        let mut edges = all_edges(parts);
        let write =
            |edges: &[Edge]| std::fs::write(root.join("main.mcl"), program(edges, parts)).expect("it can be written");
        write(&edges);
        assert_eq!(missing(&root, "main.mcl"), [], "seed {seed}: the right program");
        let at = usize::try_from(dice.below(edges.len() as u64)).expect("it is small");
        let removed = edges.remove(at);
        write(&edges);
        let found = missing(&root, "main.mcl");
        assert_eq!(found, [removed], "seed {seed}");
        edges.extend(found);
        write(&edges);
        assert_eq!(missing(&root, "main.mcl"), [], "seed {seed}: repaired");
    }
}

#[test]
fn the_demos_have_no_missing_edges() {
    let root = Path::new(".").canonicalize().expect("it is there");
    for demo in ["modules/mcl/demo", "modules/puppet/demo", "modules/inmanta/demo"] {
        assert_eq!(missing(&root, demo), [], "{demo}");
    }
}

fn hostile() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ -~]{0,12}",
        Just("<script>alert(1)</script>".to_owned()),
        Just("</title></style><script src=//x>".to_owned()),
        Just("\"><img src=x onerror=alert(1)>".to_owned()),
        "[<>&'\"`\n]{0,8}<script[ -~]{0,4}",
    ]
}

fn document() -> impl Strategy<Value = Document> {
    let row = (hostile(), hostile(), hostile(), hostile(), hostile(), hostile()).prop_map(|(a, b, c, d, e, f)| Row {
        sort: Sort::Remove,
        names: vec![a],
        what: b,
        place: c.clone(),
        details: vec![
            Detail { property: c, from: Some(d.clone()), to: Some(e.clone()), lines: Vec::new() },
            Detail { property: f, from: None, to: None, lines: vec![format!("+{d}")] },
        ],
        notes: vec![e],
    });
    (hostile(), hostile(), prop::collection::vec(row, 1..4)).prop_map(|(title, text, rows)| Document {
        title: title.clone(),
        summary: text.clone(),
        sections: vec![Section { title: text.clone(), about: title.clone(), rows }],
        graph: vec![(title.clone(), vec![]), (text.clone(), vec![0])],
        closing: vec![(title, text)],
    })
}

proptest! {
    /// Whatever names and contents are, the page has its own tags only.
    #[test]
    fn names_and_contents_stay_text(document in document()) {
        let page = report::html(&document);
        prop_assert_eq!(page.matches("<script").count(), 1, "{}", page);
        let own = ["html", "meta", "title", "style", "h1", "h2", "p", "input", "details", "summary", "span", "code", "ul",
            "li", "pre", "div", "svg", "path", "text", "script", "!doctype", "rect", "g", "line", "circle", "b"];
        for tag in page.split('<').skip(1) {
            let name: String =
                tag.trim_start_matches('/').chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '!').collect();
            prop_assert!(own.contains(&name.as_str()), "<{}", tag);
        }
    }
}

/// A page of 1,000 different steps is small, and names nothing outside of it.
#[test]
fn a_page_of_a_thousand_steps_is_small() {
    let row = |at: usize| Row {
        names: vec![format!("File[/etc/app/{at}/settings.conf]")],
        what: "change".into(),
        place: format!("modules/app/manifests/init.pp:{at}:3"),
        details: vec![Detail {
            property: "content".into(),
            lines: (0..8).map(|line| format!("{}line {line} of {at}", ["+", "-", " "][line % 3])).collect(),
            ..Detail::default()
        }],
        notes: vec![format!("after File[/etc/app/{at}]")],
        ..Row::default()
    };
    let rows: Vec<Row> = (0..1_000).map(row).collect();
    let sections = vec![Section { title: "Steps in order".into(), rows, ..Section::default() }];
    let document = Document { title: "Plan".into(), sections, ..Document::default() };
    let begin = std::time::Instant::now();
    let page = report::html(&document);
    let took = begin.elapsed();
    assert!(page.len() <= 1 << 20, "{} bytes", page.len());
    // A debug build on a busy machine; a release build takes a few milliseconds.
    assert!(took.as_millis() <= 1_000, "{took:?}");
    for outside in ["http:", "https:", "src=", "url(", "@import", "<link", "<iframe"] {
        assert!(!page.contains(outside), "{outside}");
    }
}
