//! Comparing programs: a changed property is never equal, an equal end state never different, and revisions are read.

use std::process::Command;
use std::sync::Arc;

use proptest::prelude::*;
use workbench::compare::{Runs, Verdict, differences, judge};
use workbench::engine::{Options, preview_both};
use workbench::graph::{Graph, Node, Params, Resource, Value};
use workbench::host::{Look, Memory, Presence, Service};

/// A resource as kind, name and parameters.
type Declared = (&'static str, String, Vec<(&'static str, String)>);

fn graph(declared: &[Declared]) -> Graph {
    let mut graph = Graph::default();
    for (kind, name, params) in declared {
        let params: Params = params.iter().map(|(name, value)| ((*name).into(), Value::from(&**value))).collect();
        let _ = graph.add(Node::Resource(Resource::new(kind, name, params)));
    }
    graph
}

fn machine() -> Memory {
    let mut machine = Memory::default().dir("/srv", 0o755);
    for at in 0..4 {
        machine = machine.package(&format!("p{at}"), None, &["1.0"], &[]);
        machine = machine.service(&format!("s{at}"), Service::not_there(Presence::There));
    }
    machine.file("/srv/f0", "there\n", 0o600)
}

fn verdict(one: &Graph, other: &Graph) -> Verdict {
    let graphs = [Arc::new(one.clone()), Arc::new(other.clone())];
    let starts: [Arc<dyn Look>; 2] = [Arc::new(machine()), Arc::new(Memory::default().dir("/srv", 0o755))];
    let runs = starts.map(|start| {
        let after = |first: usize, second: usize| {
            let both = [first, second].map(|side| (Arc::clone(&graphs[side]), "test"));
            preview_both(both, Arc::clone(&start), Options::default)
        };
        let ([a, b_after_a], [b, a_after_b]) = (after(0, 1), after(1, 0));
        Runs { first: [a, b], after: [b_after_a, a_after_b] }
    });
    judge([one, other], &runs).verdict
}

fn declared(at: usize) -> impl Strategy<Value = Declared> {
    let file = ("[a-c]{0,3}\n", "(0600|0644|0755)").prop_map(move |(content, mode)| {
        ("file", format!("/srv/f{at}"), vec![("state", "exists".into()), ("content", content), ("mode", mode)])
    });
    let absent = Just(("file", format!("/srv/f{at}"), vec![("state", "absent".to_owned())]));
    let service = "(running|stopped)".prop_map(move |state| ("svc", format!("s{at}"), vec![("state", state)]));
    prop_oneof![4 => file, 1 => absent, 2 => service]
}

/// `MUTATED=2000` runs that many.
fn cases() -> u32 {
    std::env::var("MUTATED").ok().and_then(|count| count.parse().ok()).unwrap_or(300)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), ..ProptestConfig::default() })]

    #[test]
    fn a_changed_property_is_never_equal(
        (a, b, c) in (declared(0), declared(1), declared(2)),
        which in 0..3_usize,
        content in "[x-z]{1,3}\n",
    ) {
        let before = vec![a, b, c];
        let mut after = before.clone();
        let (kind, name, params) = &mut after[which];
        match *kind {
            "file" if params.len() == 1 => *params = vec![("state", "exists".into()), ("content", content)],
            "file" => params[1].1 = content,
            _ => {
                let state = if params[0].1 == "running" { "stopped" } else { "running" };
                params[0].1 = state.into();
            }
        }
        let id = format!("{kind}[{name}]");
        let (one, other) = (graph(&before), graph(&after));
        let rows = differences(&one, &other);
        prop_assert!(!rows.is_empty());
        prop_assert!(rows.iter().all(|row| *row.resource.0 == *id), "{:?}", rows);
        let found = verdict(&one, &other);
        prop_assert!(!matches!(found, Verdict::Equal | Verdict::EqualButOrder), "{:?}: {:?} {:?}", found, before, after);
        prop_assert!(differences(&one, &one.clone()).is_empty());
    }

    #[test]
    fn the_order_of_declarations_is_no_difference((a, b) in (declared(0), declared(1))) {
        let (one, other) = (graph(&[a.clone(), b.clone()]), graph(&[b, a]));
        prop_assert!(differences(&one, &other).is_empty());
        prop_assert_ne!(verdict(&one, &other), Verdict::Different);
    }
}

/// A git repository with two commits is compared without a checkout, from the root and from a folder below it.
#[test]
fn revisions_are_compared_without_a_checkout() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().canonicalize().expect("it is there");
    let git = |words: &[&str]| {
        let done = Command::new("git")
            .args(["-c", "user.name=n", "-c", "user.email=e@x", "-c", "init.defaultBranch=main"])
            .args(words)
            .current_dir(&root)
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", &root)
            .output()
            .expect("git runs");
        assert!(done.status.success(), "{words:?}: {}", String::from_utf8_lossy(&done.stderr));
    };
    let write = |name: &str, text: &str| {
        let path = root.join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("it can be made");
        std::fs::write(path, text).expect("it can be written");
    };
    git(&["init", "-q"]);
    write("site/manifests/site.pp", "include web\n");
    write("site/modules/web/manifests/init.pp", "class web { file { '/a': content => 'one' } }\n");
    write("site/environment.conf", "\n");
    git(&["add", "-A"]);
    git(&["commit", "-qm", "one"]);
    write("site/modules/web/manifests/init.pp", "class web { file { '/a': content => 'two' } }\n");
    git(&["commit", "-qam", "two"]);
    // What is not committed is not part of a revision.
    write("site/modules/web/manifests/init.pp", "class web { file { '/a': content => 'three' } }\n");
    let diff = |below: &str, words: &[&str]| {
        let done = Command::new(crate::terminal::PROGRAM)
            .arg("diff")
            .args(words)
            .current_dir(root.join(below))
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", &root)
            .env("WORKBENCH_HOSTNAME", "host.example")
            .output()
            .expect("the program starts");
        let text = [done.stdout, done.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
        (done.status.code(), text)
    };
    let (code, text) = diff("", &["--rev", "HEAD~1..HEAD", "site", "--detailed-exitcode"]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("\"one\" → \"two\"") || text.contains("\"one\" -> \"two\""), "{text}");
    let (_, text) = diff("site", &["HEAD:./.", "."]);
    assert!(text.contains("\"two\"") && text.contains("\"three\""), "{text}");
    let (_, text) = diff("", &["site"]);
    assert!(text.contains("\"two\"") && text.contains("\"three\""), "{text}");
    let (code, text) = diff("", &["--rev", "none..HEAD", "site"]);
    assert!(code == Some(1) && text.contains("no revision `none`"), "{text}");
}
