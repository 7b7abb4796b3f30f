//! Comparing control repositories: each of many seeded one-line changes gives exactly the expected rows on the expected
//! nodes. `SEEDED=500` runs that many changes; a few run by default.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::generated::Dice;

const NODES: [(&str, &str); 6] =
    [("web1", "web"), ("web2", "web"), ("web3", "web"), ("db1", "db"), ("db2", "db"), ("app1", "app")];
const MODULES: usize = 3;
const FILES: usize = 4;

/// A row as JSON has it: change, resource, parameter or other resource, and nodes.
type Row = (String, String, String, Vec<String>);

fn write(root: &Path, name: &str, text: &str) {
    let path = root.join(name);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("it can be made");
    std::fs::write(path, text).expect("it can be written");
}

/// The files of a control repository: modules with chains of files, a package, a service, templates, and four levels.
fn repository() -> Vec<(String, String)> {
    let mut files = vec![
        (
            "hiera.yaml".into(),
            "version: 5\ndefaults: {datadir: data, data_hash: yaml_data}\nhierarchy:\n\
             - {name: node, path: \"nodes/%{trusted.certname}.yaml\"}\n\
             - {name: role, path: \"role/%{facts.role}.yaml\"}\n\
             - {name: os, path: \"os/%{facts.os.family}.yaml\"}\n\
             - {name: common, path: common.yaml}\n"
                .to_owned(),
        ),
        ("manifests/site.pp".into(), (0..MODULES).map(|m| format!("include m{m}\n")).collect()),
    ];
    let mut common = String::from("unused: 1\n");
    for m in 0..MODULES {
        let mut class =
            format!("class m{m} (String $text, Integer $port) {{\n  package {{ 'p{m}': ensure => installed }}\n");
        for f in 0..FILES {
            let after = if f == 0 { format!("Package['p{m}']") } else { format!("File['/srv/m{m}/{}']", f - 1) };
            class += &format!(
                "  file {{ '/srv/m{m}/{f}':\n    ensure  => file,\n    mode    => '0644',\n    owner   => 'root',\n    \
                 content => \"f{f} ${{text}}\\n\",\n    require => {after},\n    notify  => Service['s{m}'],\n  }}\n"
            );
        }
        class += &format!(
            "  file {{ '/srv/m{m}/epp': content => epp('m{m}/t.epp', {{ 'port' => $port }}) }}\n  \
             file {{ '/srv/m{m}/erb': content => template('m{m}/t.erb') }}\n  \
             service {{ 's{m}': ensure => running }}\n}}\n"
        );
        files.push((format!("modules/m{m}/manifests/init.pp"), class));
        files.push((format!("modules/m{m}/templates/t.epp"), "top\nport <%= $port %>\nlast\n".into()));
        files.push((format!("modules/m{m}/templates/t.erb"), "top\nport <%= @port %>\nlast\n".into()));
        common += &format!("m{m}::text: common\nm{m}::port: {}\n", 8000 + m);
    }
    files.push(("data/common.yaml".into(), common));
    files.push(("data/os/Debian.yaml".into(), "m1::text: debian\n".into()));
    files.push(("data/role/web.yaml".into(), "m2::text: web\n".into()));
    files.push(("data/nodes/db1.yaml".into(), "m2::text: db1\n".into()));
    files
}

fn all() -> Vec<String> {
    NODES.iter().map(|(name, _)| (*name).to_owned()).collect()
}

fn of(fits: impl Fn(&str, &str) -> bool) -> Vec<String> {
    NODES.iter().filter(|(name, role)| fits(name, role)).map(|(name, _)| (*name).to_owned()).collect()
}

/// One change of a line: the file, the old text, the new one, and the rows that it must give.
fn change(dice: &mut Dice) -> (String, String, String, Vec<Row>) {
    let mut pick = |end: usize| usize::try_from(dice.below(end as u64)).expect("it is small");
    let (m, f, number) = (pick(MODULES), pick(FILES), pick(90_000) + 10_000);
    let class = format!("modules/m{m}/manifests/init.pp");
    let file = |f: usize| format!("File[/srv/m{m}/{f}]");
    let row = |change: &str, id: String, other: String, nodes| (change.to_owned(), id, other, nodes);
    let contents = |m: usize, nodes: Vec<String>| -> Vec<Row> {
        let one =
            |f: usize| ("parameter".to_owned(), format!("File[/srv/m{m}/{f}]"), "content".to_owned(), nodes.clone());
        (0..FILES).map(one).collect()
    };
    let head = format!("'/srv/m{m}/{f}':\n    ensure  => file,\n");
    let body = |mode: &str, owner: &str| format!("{head}    mode    => {mode},\n    owner   => '{owner}',\n");
    let (before, line) = (body("'0644'", "root"), format!("    content => \"f{f} ${{text}}\\n\",\n"));
    let service = format!("Service[s{m}]");
    let requires = if f == 0 { format!("Package['p{m}']") } else { format!("File['/srv/m{m}/{}']", f - 1) };
    let required = if f == 0 { format!("Package[p{m}]") } else { file(f - 1) };
    let links = |after: &str, notify: &str| format!("{line}{after}{notify}");
    let (after, notify) = (format!("    require => {requires},\n"), format!("    notify  => Service['s{m}'],\n"));
    match pick(17) {
        0 => (class, before, body("'0600'", "root"), vec![row("parameter", file(f), "mode".into(), all())]),
        1 => (class, before, body("'0644'", "daemon"), vec![row("parameter", file(f), "owner".into(), all())]),
        2 => {
            let new = line.replace("${text}", &format!("${{text}} {number}"));
            // A text of one line counts with its value, which differs between nodes.
            let groups = match m {
                2 => vec![
                    of(|_, role| role == "web"),
                    of(|name, _| name == "db1"),
                    of(|name, _| ["db2", "app1"].contains(&name)),
                ],
                _ => vec![all()],
            };
            let rows = groups.into_iter().map(|nodes| row("parameter", file(f), "content".into(), nodes));
            (class, line, new, rows.collect())
        }
        // The same mode in another form, another quote, a comment, a blank: no row.
        3 => (class, before, body("'644'", "root"), vec![]),
        4 => (class, before, body("\"0644\"", "root"), vec![]),
        5 => (class, before.clone(), format!("{before}    # {number}\n"), vec![]),
        6 => (class, head.clone(), head.replace("ensure  =>", "ensure =>"), vec![]),
        7 => ("data/common.yaml".into(), "unused: 1\n".into(), format!("unused: {number}\n"), vec![]),
        8 => {
            // The levels above hide the common value.
            let nodes = match m {
                1 => vec![],
                2 => of(|name, role| role != "web" && name != "db1"),
                _ => all(),
            };
            let rows = if nodes.is_empty() { vec![] } else { contents(m, nodes) };
            ("data/common.yaml".into(), format!("m{m}::text: common\n"), format!("m{m}::text: c{number}\n"), rows)
        }
        9 => (
            "data/role/web.yaml".into(),
            "m2::text: web\n".into(),
            format!("m2::text: w{number}\n"),
            contents(2, of(|_, role| role == "web")),
        ),
        10 => (
            "data/nodes/db1.yaml".into(),
            "m2::text: db1\n".into(),
            format!("m2::text: n{number}\n"),
            contents(2, of(|name, _| name == "db1")),
        ),
        11 => {
            let rows =
                ["epp", "erb"].map(|name| row("parameter", format!("File[/srv/m{m}/{name}]"), "content".into(), all()));
            (
                "data/common.yaml".into(),
                format!("m{m}::port: {}\n", 8000 + m),
                format!("m{m}::port: {number}\n"),
                rows.into(),
            )
        }
        12 => {
            let name = ["epp", "erb"][pick(2)];
            let rows = vec![row("parameter", format!("File[/srv/m{m}/{name}]"), "content".into(), all())];
            (format!("modules/m{m}/templates/t.{name}"), "last\n".into(), format!("last {number}\n"), rows)
        }
        13 => {
            let rows = vec![row("order", file(f), required, all())];
            (class, links(&after, &notify), links("", &notify), rows)
        }
        14 => {
            // The next file in the chain notifies the service too, so the order stays.
            let mut rows = vec![row("refresh", service.clone(), file(f), all())];
            if f + 1 == FILES {
                rows.push(row("order", service, file(f), all()));
            }
            (class, links(&after, &notify), links(&after, ""), rows)
        }
        15 => {
            let before = notify.replace("notify  =>", "before  =>");
            (class, links(&after, &notify), links(&after, &before), vec![row("refresh", service, file(f), all())])
        }
        _ => {
            let old = format!("  package {{ 'p{m}': ensure => installed }}\n");
            let new = format!("{old}  user {{ 'u{number}': ensure => present }}\n");
            (class, old, new, vec![row("added", format!("User[u{number}]"), String::new(), all())])
        }
    }
}

/// The rows of a comparison, with the name of the parameter or of the other resource.
fn rows(json: &Value) -> BTreeSet<Row> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let row = |change: &Value| {
        let other = if change["parameter"].is_string() { &change["parameter"] } else { &change["other"] };
        let mut nodes: Vec<String> = change["nodes"].as_array().into_iter().flatten().map(text).collect();
        nodes.sort();
        (text(&change["change"]), text(&change["resource"]), text(other), nodes)
    };
    json["changes"].as_array().expect("a list").iter().map(row).collect()
}

fn diff(root: &Path) -> (String, Option<i32>) {
    let done = Command::new(crate::terminal::PROGRAM)
        .args(["diff", "a", "b", "--nodes", "facts", "--format", "json", "--detailed-exitcode"])
        .current_dir(root)
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", root)
        .env("WORKBENCH_HOSTNAME", "host.example")
        .output()
        .expect("the program starts");
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(done.stderr.is_empty(), "{}", String::from_utf8_lossy(&done.stderr));
    (text, done.status.code())
}

fn lay_out(root: &Path) {
    for (name, text) in repository() {
        for side in ["a", "b"] {
            write(root, &format!("{side}/{name}"), &text);
        }
    }
    for (name, role) in NODES {
        let facts = format!(
            "{{\"role\":\"{role}\",\"os\":{{\"family\":\"Debian\"}},\"networking\":{{\"hostname\":\"{name}\"}}}}"
        );
        write(root, &format!("facts/{name}.json"), &facts);
    }
}

#[test]
fn each_change_of_a_line_gives_its_rows_and_no_others() {
    let count: u64 = std::env::var("SEEDED").ok().and_then(|count| count.parse().ok()).unwrap_or(17);
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().canonicalize().expect("it is there");
    lay_out(&root);
    let mut wrong = Vec::new();
    for seed in 0..count {
        let (file, old, new, expected) = change(&mut Dice::new(seed));
        let path = root.join("b").join(&file);
        let before = std::fs::read_to_string(&path).expect("it is there");
        assert_eq!(before.matches(&old).count(), 1, "{seed}: {file} has `{old}` once");
        std::fs::write(&path, before.replacen(&old, &new, 1)).expect("it can be written");
        let (text, code) = diff(&root);
        std::fs::write(&path, before).expect("it can be written");
        let json: Value = serde_json::from_str(&text).expect("it is JSON");
        let mut expected: BTreeSet<Row> = expected.into_iter().collect();
        expected = expected
            .into_iter()
            .map(|mut row| {
                row.3.sort();
                row
            })
            .collect();
        let found = rows(&json);
        if found != expected || code != Some(if expected.is_empty() { 0 } else { 2 }) {
            wrong.push(format!("seed {seed}, {file}: {old}=> {new}expected {expected:?}\nfound {found:?} ({code:?})"));
        }
    }
    assert!(wrong.is_empty(), "{} of {count} are wrong:\n{}", wrong.len(), wrong.join("\n\n"));
}

/// A cycle that a branch introduces is named with its edges, on all nodes, and a file that is no facts is named.
#[test]
fn a_new_cycle_and_bad_nodes_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().canonicalize().expect("it is there");
    lay_out(&root);
    let path = root.join("b/modules/m0/manifests/init.pp");
    let text = std::fs::read_to_string(&path).expect("it is there");
    std::fs::write(&path, text.replacen("require => Package['p0']", "require => File['/srv/m0/2']", 1))
        .expect("writes");
    let (text, code) = diff(&root);
    assert_eq!(code, Some(6), "{text}");
    let json: Value = serde_json::from_str(&text).expect("it is JSON");
    let cycle = &json["changes"][0];
    assert_eq!(
        (&cycle["code"], cycle["nodes"].as_array().map(Vec::len)),
        (&"dependency-cycle".into(), Some(6)),
        "{text}"
    );
    let words = cycle.to_string();
    for edge in ["`File[/srv/m0/2]` before `File[/srv/m0/0]`", "`File[/srv/m0/0]` before `File[/srv/m0/1]`"] {
        assert!(words.contains(edge), "{words}");
    }
    std::fs::write(&path, text_of(&root)).expect("writes");
    write(&root, "facts/broken.json", "{ \"role\": ");
    write(&root, "facts/list.yaml", "- 1\n- 2\n");
    let (text, code) = diff(&root);
    assert_eq!(code, Some(6), "{text}");
    let json: Value = serde_json::from_str(&text).expect("it is JSON");
    assert_eq!(json["nodes"], serde_json::json!({"total": 8, "equal": 6, "changed": 0, "failing": 2}), "{text}");
    assert!(text.contains("broken.json") && text.contains("list.yaml"), "{text}");
}

fn text_of(root: &Path) -> String {
    std::fs::read_to_string(root.join("a/modules/m0/manifests/init.pp")).expect("it is there")
}
