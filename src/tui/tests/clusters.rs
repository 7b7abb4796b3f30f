//! Clusters on the Deploys screen: asked without holding up a key, pushed to by name, gone back on, and never believed.

use std::sync::Arc;

use super::stage::{Play, program};
use crate::session::target::{
    Choices, Comparison, Facts, Frontend, Leaf, Offer, Offered, Origin, Place, Published, Record, Tree, Writer,
};
use crate::tui::look::UNICODE;
use crate::tui::message::Message;
use crate::tui::screen::deploys::cluster::{Clusters, Flags, Previewed, Told, Trouble};

fn play(width: u16, height: u16) -> Play {
    let place = |address: &str| Place { address: address.into(), ..Place::default() };
    let places = vec![
        ("lab".to_string(), place("etcd://localhost:2379")),
        ("prod".to_string(), place("etcd://one.example:2379,two.example:2379")),
    ];
    let mut play = Play::prepared(width, height, &UNICODE, program(), |state| {
        state.deploys.clusters = Clusters::new(places);
    });
    play.deploys = super::deploys::history();
    play.press("5");
    play
}

fn writer(id: u64, back_to: Option<u64>) -> Writer {
    Writer {
        user: "ann".into(),
        host: "desk".into(),
        program: "workbench 0.1.0".into(),
        time: format!("2026-11-2{id}T12:03:11Z"),
        entry: "sites/web".into(),
        back_to,
    }
}

fn deploy(id: u64, writer: Option<Writer>) -> Published {
    let uri = Some(format!("etcdfs:///fs/deploy/{id}-1"));
    let record = Record { frontend: "lang".into(), choices: Choices::default(), uri };
    Published { id, revision: 10 + id, record: Ok(record), commit: Some("8c1f02e4aa17bb".into()), writer }
}

/// Three deploys, oldest first: mgmt's own, ours, and one that went back.
fn deploys() -> Vec<Published> {
    vec![deploy(1, None), deploy(2, Some(writer(2, None))), deploy(3, Some(writer(3, Some(1))))]
}

fn facts() -> Facts {
    Facts { endpoint: "http://localhost:2379".into(), version: "3.5.16".into() }
}

fn tell(play: &mut Play, told: Told) {
    play.tell(Message::Cluster(0, told));
}

fn tree() -> Tree {
    let leaf = |byte: char| Leaf { hash: byte.to_string().repeat(64), executable: false };
    Tree([("main.mcl".to_string(), leaf('a')), ("metadata.yaml".to_string(), leaf('b'))].into())
}

/// `lab`, which answered.
fn reached(width: u16, height: u16) -> Play {
    let mut play = play(width, height);
    play.press("]");
    tell(&mut play, Told::Reached(Ok((facts(), deploys()))));
    tell(&mut play, Told::Shown(3, Ok((deploy(3, Some(writer(3, Some(1)))), tree()))));
    play.asked.clear();
    play
}

fn previewed(changed: &[&str]) -> Box<Previewed> {
    let offer = Offer {
        frontend: Frontend::Lang,
        choices: Choices::default(),
        files: vec![],
        origin: Origin::Untracked,
        is_forced: false,
        writer: writer(4, None),
    };
    let comparison = Comparison {
        live: Some(deploy(3, Some(writer(3, Some(1))))),
        next: 4,
        changed: changed.iter().map(|path| (*path).to_string()).collect(),
        same: 1,
        bytes: 90,
        ..Comparison::default()
    };
    Box::new(Previewed {
        offered: Arc::new(Offered { offer, reads: vec!["facts of the machine".into()] }),
        comparison,
        flags: Flags::default(),
    })
}

fn trouble(line: &str, help: &str) -> Trouble {
    Trouble { lines: vec![line.into(), String::new(), help.into()], was_stopped: false, helps: Flags::named(help) }
}

fn logs(play: &mut Play, words: &str) {
    play.press("6");
    let drawn = play.draw();
    assert!(drawn.contains(words), "{drawn}");
    play.press("5");
}

#[test]
fn clusters_at_all_sizes() {
    for (width, height) in [(120, 40), (80, 24), (40, 12)] {
        insta::assert_snapshot!(format!("cluster-{width}x{height}"), reached(width, height).draw());
    }
}

#[test]
fn one_turns_through_this_machine_and_all_clusters() {
    let mut play = play(120, 40);
    assert!(play.draw().contains("Deploys [here]  lab   prod"), "{}", play.draw());
    play.press("]");
    assert!(play.draw().contains("asking etcd://localhost:2379; x stops"), "{}", play.draw());
    assert!(play.asked.last().is_some_and(|asked| asked.starts_with("Cluster(0, Reach(")), "{:?}", play.asked);
    // Nothing waits for it.
    play.press("j  ]");
    let drawn = play.draw();
    assert!(drawn.contains("[prod]") && drawn.contains("one.example:2379 has no TLS"), "{drawn}");
    play.press("]");
    assert!(play.draw().contains("[here]") && play.draw().contains("#4"), "{}", play.draw());
    play.press("[");
    assert!(play.draw().contains("[prod]"), "{}", play.draw());
    logs(&mut play, "workbench deploy list --target prod");
    play.press(":  c  l  u  s  t  e  r  space  l  a  b  enter");
    assert!(play.draw().contains("[lab]"), "{}", play.draw());
    play.press("1  :  c  l  u  s  t  e  r  space  l  o  b  enter");
    assert!(play.draw().contains("no cluster `lob` is set; there are lab, prod, here"), "{}", play.draw());
    let mut none = Play::new(120, 40);
    none.press("5  ]");
    assert!(none.draw().contains("no cluster is set: `targets.NAME` in your config.toml names one"), "{}", none.draw());
}

#[test]
fn one_that_does_not_answer_says_why_and_what_to_do() {
    let mut play = play(80, 24);
    play.press("]");
    let why = trouble("no endpoint responds: http://localhost:2379 (connection refused)", "check that it is running");
    tell(&mut play, Told::Reached(Err(why)));
    insta::assert_snapshot!("cluster-away-80x24", play.draw());
    play.press("P");
    assert!(play.draw().contains("it does not answer: f asks it again"), "{}", play.draw());
    play.press("f");
    assert_eq!(play.asked.iter().filter(|asked| asked.contains("Reach(")).count(), 2);
    play.press("x");
    assert_eq!(play.asked[play.asked.len() - 2..], ["Cluster(0, Stop)", "Cluster(0, Leave)"]);
    tell(&mut play, Told::Reached(Err(Trouble { was_stopped: true, ..Trouble::default() })));
    assert!(play.draw().contains("was not asked; f asks it") && play.state.jobs.is_empty(), "{}", play.draw());
}

#[test]
fn a_password_is_asked_for_and_never_shown() {
    let mut play = play(120, 40);
    play.press("]");
    tell(&mut play, Told::Asks { user: "ann".into() });
    play.press("s  3  c  r  e  t");
    let drawn = play.draw();
    assert!(drawn.contains("******") && drawn.contains("ann") && !drawn.contains("s3cret"), "{drawn}");
    assert!(!format!("{:?}", play.state).contains("s3cret"));
    play.press("enter");
    let asked = play.asked.last().cloned().unwrap_or_default();
    assert!(asked.starts_with("Cluster(0, Login(Some(") && !asked.contains("s3cret"), "{asked}");
    tell(&mut play, Told::Asks { user: "ann".into() });
    play.press("esc");
    assert_eq!(play.asked.last().map(String::as_str), Some("Cluster(0, Login(None))"));
}

#[test]
fn a_push_is_looked_at_and_agreed_to_by_the_clusters_name() {
    let mut play = reached(120, 40);
    play.press("V");
    assert_eq!(play.asked, ["Cluster(0, Preview { flags: Flags { no_git: false, force: false }, asks: false })"]);
    play.press("P");
    assert!(play.draw().contains("lab is being asked: x stops that"), "{}", play.draw());
    tell(&mut play, Told::Previewed { asks: false, result: Ok(previewed(&["main.mcl"])) });
    insta::assert_snapshot!("cluster-push-120x40", play.draw());
    play.press("P");
    tell(&mut play, Told::Previewed { asks: true, result: Ok(previewed(&["main.mcl"])) });
    insta::assert_snapshot!("cluster-push-asked-120x40", play.draw());
    play.asked.clear();
    play.press("l  a  enter");
    assert!(play.asked.is_empty(), "half a name is no yes: {:?}", play.asked);
    play.press("b  enter");
    assert!(
        play.asked[0].starts_with("Cluster(0, Push {") && play.asked[0].ends_with("over: 3 })"),
        "{:?}",
        play.asked
    );
    logs(&mut play, "workbench deploy push web --target lab --yes");
    tell(&mut play, Told::Pushed(Ok(deploy(4, Some(writer(4, None))))));
    let drawn = play.draw();
    assert!(drawn.contains("deploy 4 is published on lab, and read back"), "{drawn}");
    assert!(drawn.contains("lab #4") && drawn.contains("1 of 4"), "{drawn}");
    // The same comes as news too.
    tell(&mut play, Told::Came(Box::new(deploy(4, Some(writer(4, None))))));
    assert!(play.draw().contains("1 of 4"), "{}", play.draw());
}

#[test]
fn what_is_refused_offers_what_would_help() {
    let mut play = reached(120, 40);
    play.press("P");
    let dirty = trouble("the work tree of `.` has uncommitted changes", "commit or stash them, or use `--no-git`");
    tell(&mut play, Told::Previewed { asks: true, result: Err(dirty) });
    assert!(play.draw().contains("without a commit (--no-git)"), "{}", play.draw());
    play.press("n");
    let wanted = "Cluster(0, Preview { flags: Flags { no_git: true, force: false }, asks: true })";
    assert_eq!(play.asked.last().map(String::as_str), Some(wanted));
    tell(&mut play, Told::Previewed { asks: true, result: Ok(previewed(&[])) });
    assert!(play.draw().contains("Nothing differs from deploy 3, which runs on lab."), "{}", play.draw());
    play.press("f");
    let wanted = "Cluster(0, Preview { flags: Flags { no_git: true, force: true }, asks: true })";
    assert_eq!(play.asked.last().map(String::as_str), Some(wanted), "what was allowed before still is");
    logs(&mut play, "workbench deploy push web --target lab --preview --no-git --force");
}

#[test]
fn an_older_one_is_published_again_after_a_question() {
    let mut play = reached(120, 40);
    play.press("j  u");
    assert!(play.draw().contains("Publish deploy 2 again on lab, as a new one?"), "{}", play.draw());
    play.press("n");
    assert!(play.asked.iter().all(|asked| asked.contains("Show(")), "{:?}", play.asked);
    play.press("u");
    // Somebody publishes while one thinks: what was asked is what is done, over what ran then.
    tell(&mut play, Told::Came(Box::new(deploy(4, Some(writer(4, None))))));
    play.press("y");
    let wanted = "Cluster(0, GoBack { to: 2, over: 3, entry: \"sites/web\" })";
    assert_eq!(play.asked.last().map(String::as_str), Some(wanted));
    let raced = trouble("someone else published deploy 4 first", "check it with");
    tell(&mut play, Told::WentBack { to: 2, result: Err(raced) });
    assert!(play.draw().contains("published deploy"), "{}", play.draw());
    play.press("esc");
    logs(&mut play, "workbench deploy undo --to 2 --target lab --yes");
}

#[test]
fn what_is_of_this_machine_does_not_work_on_a_cluster() {
    let mut play = reached(120, 40);
    for key in ["r", "m", "="] {
        play.press(key);
        assert!(play.draw().contains("these are a cluster's deploys: [ goes back to this machine's"), "{key}");
    }
    play.press("/  m  g  m  t  enter");
    assert!(play.draw().contains("1 of 1"), "{}", play.draw());
}

#[test]
fn nothing_of_a_cluster_reaches_the_terminal_raw() {
    let evil = "\u{1b}[2J\u{1b}]0;x\u{7}\u{202e}";
    let mut play = play(120, 40);
    play.press("]");
    let hostile = Writer {
        user: evil.into(),
        host: evil.into(),
        program: evil.into(),
        time: evil.into(),
        entry: evil.into(),
        back_to: None,
    };
    let record = Record { frontend: evil.into(), choices: Choices::default(), uri: Some(evil.into()) };
    let one = Published { id: 1, revision: 1, record: Ok(record), commit: Some(evil.into()), writer: Some(hostile) };
    let two = Published { id: 2, record: Err(evil.into()), ..one.clone() };
    let facts = Facts { endpoint: evil.into(), version: evil.into() };
    let clean = |play: &Play| {
        let drawn = play.draw();
        assert!(!drawn.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{drawn:?}");
    };
    tell(&mut play, Told::Reached(Ok((facts, vec![one.clone(), two.clone()]))));
    clean(&play);
    play.press("j");
    let tree = Tree([(evil.to_string(), Leaf { hash: evil.into(), executable: true })].into());
    tell(&mut play, Told::Shown(1, Ok((one.clone(), tree))));
    clean(&play);
    play.press("u");
    clean(&play);
    play.press("esc");
    tell(&mut play, Told::Came(Box::new(Published { id: 3, ..two })));
    clean(&play);
    tell(&mut play, Told::Previewed { asks: true, result: Err(trouble(evil, evil)) });
    clean(&play);
    play.press("esc");
    let mut offered = previewed(&[evil]);
    offered.comparison.unread = Some(evil.into());
    offered.comparison.live = Some(one);
    tell(&mut play, Told::Previewed { asks: true, result: Ok(offered) });
    clean(&play);
    play.press("esc");
    tell(&mut play, Told::Lost(trouble(evil, evil)));
    clean(&play);
    play.press("6");
    clean(&play);
}
