//! Puppet's exported resources between two hosts, and a store that somebody spoilt.

use std::fs;

use crate::exported::Site;

const PROGRAM: &str = r#"
define pool($port) { file { "DIR/lb/${title}": content => "${title}:${port}\n" } }
node 'web1' {
  @@pool { 'web1': port => 80, tag => 'blue' }
  @@notify { 'hello': message => 'from web1' }
}
node 'lb' {
  Pool <<| tag == blue |>>
}
node 'ear' { Notify <<| |>> }
"#;

const ON: [&str; 2] = ["--config", "on.toml"];

fn site() -> Site {
    let site = Site::new(&[("site.pp", PROGRAM), ("on.toml", "puppet.exported = true\n")]);
    fs::create_dir(site.path().join("lb")).expect("the folder is ours");
    site
}

fn on<'w>(words: &[&'w str]) -> Vec<&'w str> {
    [&ON, words].concat()
}

fn done(site: &Site, host: &str, words: &[&str]) -> String {
    let (exit, text) = site.as_host(host, &on(words));
    assert_eq!(exit, Some(0), "{host} {words:?}\n{text}");
    text
}

#[test]
fn a_host_collects_exports_and_loses_withdrawn_ones() {
    let site = site();
    done(&site, "web1", &["preview", "site.pp"]);
    done(&site, "web1", &["apply", "--yes", "--noop", "site.pp"]);
    assert!(site.stored().is_empty(), "a preview stores nothing");
    site.as_host("web1", &["apply", "--yes", "site.pp"]);
    assert!(site.stored().is_empty(), "it is off by default");

    done(&site, "web1", &["apply", "--yes", "site.pp"]);
    assert_eq!(site.stored().len(), 2);
    done(&site, "lb", &["apply", "--yes", "site.pp"]);
    assert_eq!(site.stored().len(), 2, "a host leaves the exports of others alone");
    let file = site.path().join("lb/web1");
    assert_eq!(fs::read_to_string(file).expect("it was collected"), "web1:80\n");

    site.write("site.pp", &PROGRAM.replace("@@pool { 'web1': port => 80, tag => 'blue' }", ""));
    done(&site, "web1", &["apply", "--yes", "site.pp"]);
    assert_eq!(site.stored().len(), 1);
    assert!(!done(&site, "lb", &["graph", "site.pp"]).contains("web1"));
    done(&site, "web1", &["deploy", "undo", "--yes"]);
    assert!(done(&site, "lb", &["graph", "site.pp"]).contains("web1"), "an undo brings it back");

    // With the setting off, the next apply removes the rest.
    site.as_host("web1", &["apply", "--yes", "site.pp"]);
    assert!(site.stored().is_empty());
}

#[test]
fn a_secret_does_not_reach_the_store() {
    let site = site();
    site.write("site.pp", "@@file { 'DIR/x': content => Sensitive('hunter2'), tag => 'y' }");
    let (exit, text) = site.as_host("web1", &on(&["apply", "--yes", "site.pp"]));
    assert_eq!(exit, Some(1), "{text}");
    assert!(text.contains("secret not exported") && text.contains("`content`"), "{text}");
    assert!(site.stored().is_empty());
}

#[test]
fn a_spoilt_store_is_an_error_where_it_is_collected() {
    let site = site();
    done(&site, "web1", &["apply", "--yes", "site.pp"]);
    let is_notify = |path: &std::path::PathBuf| path.to_string_lossy().contains("notify");
    let file = site.stored().into_iter().find(is_notify).expect("it was stored");
    let right = fs::read_to_string(&file).expect("it was stored");
    let message = "{\"Str\":\"from web1\"}";
    assert!(right.contains(message), "{right}");
    let deep = format!("{}{message}{}", "{\"List\":[".repeat(60_000), "]}".repeat(60_000));
    let spoilt: &[(&str, String)] = &[
        ("empty", String::new()),
        ("no JSON", "{\"form\":1".into()),
        ("another form", right.replace("\"form\":1", "\"form\":2")),
        ("another title", right.replace("hello", "hullo")),
        ("a list", right.replace("\"resource\":{", "\"resource\":[{").replace("}\n", "]}\n")),
        ("no such parameter", right.replace("\"message\"", "\"massage\"")),
        ("a reserved parameter", right.replace("\"message\"", "\"title\"")),
        ("a stage", right.replace("\"message\"", "\"stage\"")),
        ("a reference", right.replace(message, "{\"Ref\":\"Notify[x]\"}")),
        ("a secret", right.replace(message, "{\"Sensitive\":{\"Str\":\"x\"}}")),
        ("an unknown value", right.replace(message, "\"Unknown\"")),
        ("a value of the future", right.replace(message, "{\"Complex\":[1,2]}")),
        ("a bad tag", right.replace("\"message\"", "\"tag\"").replace("from web1", "a b\\u001b[31m")),
        ("a missing resource", right.replace("\"message\"", "\"before\"")),
        ("deep", right.replace(message, &deep)),
        ("huge", right.replace("from web1", &"x".repeat(65 << 20))),
        ("more than a compilation may build", right.replace("from web1", &"x".repeat(40 << 20))),
    ];
    for (what, text) in spoilt {
        assert_ne!(*text, right, "{what}");
        fs::write(&file, text).expect("the folder is ours");
        let limits = ["--limit", "memory=16"];
        let (exit, text) = site.as_host("ear", &[&on(&["apply", "--yes", "site.pp"])[..], &limits].concat());
        assert_eq!(exit, Some(1), "{what}\n{text}");
        assert!(text.contains("site.pp:10:") && text.contains("= help: "), "{what}\n{text}");
        assert!(!text.contains("panic") && !text.contains('\u{1b}'), "{what}\n{text}");
        // What a program does not collect cannot break it.
        done(&site, "lb", &["preview", "site.pp"]);
    }
    let harmless = right.replace("from web1", "\\u001b[31mred\\u0007\\r");
    fs::write(&file, harmless).expect("the folder is ours");
    let text = done(&site, "ear", &["preview", "site.pp"]);
    assert!(!text.contains('\u{1b}') && !text.contains('\u{7}'), "{text}");
    // The way out.
    fs::remove_file(&file).expect("it is ours");
    done(&site, "web1", &["apply", "--yes", "site.pp"]);
    assert_eq!(fs::read_to_string(&file).expect("it was stored again"), right);
}
