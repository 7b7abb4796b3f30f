//! Many writers on one cluster, some of them killed: numbers without a gap, and whole trees behind all of them (G23).

use std::collections::BTreeSet;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use workbench::deploy::target::Target;
use workbench::session::Cancel;

use crate::download::Place;
use crate::etcd::Etcd;
use crate::promises::{count, figure};

const WRITERS: usize = 4;
/// One push in so many is killed somewhere.
const KILLS: u64 = 4;

/// What the writers did until now.
#[derive(Default)]
struct Tally {
    published: AtomicUsize,
    raced: AtomicUsize,
    killed: AtomicUsize,
}

#[test]
fn racing_writers_leave_no_gap_and_no_torn_tree() {
    let Some(mut etcd) = Etcd::start() else { return };
    let wanted = count(50, 1000);
    let (tally, begun) = (Tally::default(), Instant::now());
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (etcd, tally) = (&etcd, &tally);
            scope.spawn(move || write(writer, etcd, tally, wanted));
        }
    });
    let took = begun.elapsed().as_secs();
    etcd.restart();
    let never = Cancel::default();
    let target = etcd.mgmt();
    let deploys = target.deploys(&never).expect("it answers");
    let ids: Vec<u64> = deploys.iter().map(|deploy| deploy.id).collect();
    assert_eq!(ids, (1..=ids.len() as u64).collect::<Vec<_>>(), "the numbers have no gap");
    let mut trees = BTreeSet::new();
    let mut stamps = BTreeSet::new();
    for deploy in &deploys {
        let record = deploy.record.as_ref().unwrap_or_else(|why| panic!("deploy {}: {why}", deploy.id));
        assert!(trees.insert(record.uri.clone()), "deploy {} has a tree of its own", deploy.id);
        assert!(deploy.writer.is_some(), "deploy {} says who made it", deploy.id);
        let (_, tree) =
            target.show(Some(deploy.id), &never).unwrap_or_else(|why| panic!("deploy {}: {why}", deploy.id));
        let names: Vec<&str> = tree.0.keys().map(String::as_str).collect();
        assert_eq!(names, ["files/greeting", "files/stamp", "main.mcl", "metadata.yaml"], "deploy {}", deploy.id);
        assert!(etcd.holds(&tree), "deploy {} is whole", deploy.id);
        assert!(stamps.insert(tree.0["files/stamp"].hash.clone()), "deploy {} is what one push was", deploy.id);
    }
    let left = etcd.keys("/_mgmt/fs/").len() - deploys.len();
    let [published, raced, killed] =
        [&tally.published, &tally.raced, &tally.killed].map(|tally| tally.load(Ordering::Relaxed));
    assert!(deploys.len() >= published.max(wanted), "whoever was told that it is published finds it there");
    assert!(left <= killed, "only who is killed leaves a tree that nobody names: {left} by {killed}");
    figure(
        "G23",
        format_args!(
            "{} deploys by {WRITERS} writers in {took} s, {published} of them told so; {raced} lost a race, {killed} were \
             killed: no gap, every tree whole, {left} trees left over",
            deploys.len()
        ),
    );
}

/// Pushes one version after the other, until there are as many deploys as are wanted.
fn write(writer: usize, etcd: &Etcd, tally: &Tally, wanted: usize) {
    let place = Place::new("import \"deploy\"\nprint \"a\" {\n\tmsg => deploy.readfile(\"/files/greeting\"),\n}\n");
    let mut dice = writer as u64 + 1;
    for version in 0.. {
        if tally.published.load(Ordering::Relaxed) >= wanted {
            return;
        }
        place.write("work/files/greeting", &format!("by {writer}\n"));
        place.write("work/files/stamp", &format!("{writer} {version}\n"));
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let dies = (dice >> 33).is_multiple_of(KILLS);
        let retries = ["0", "3"][version % 2];
        let mut push = Command::new(env!("CARGO_BIN_EXE_workbench"))
            .args(["deploy", "push", ".", "--yes", "--quiet", "--retries", retries, "--target", &etcd.address()])
            .current_dir(place.root.join("work"))
            .env_clear()
            .env("HOME", &place.root)
            .env("WORKBENCH_HOSTNAME", format!("writer{writer}"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        if dies {
            // Most of what matters happens within the first tenth of a second.
            std::thread::sleep(Duration::from_millis((dice >> 40) % 250));
            let _ = push.kill();
        }
        let ended = push.wait_with_output().expect("it ends");
        let told = String::from_utf8_lossy(&ended.stderr);
        match ended.status.code() {
            Some(0) => drop(tally.published.fetch_add(1, Ordering::Relaxed)),
            Some(1) if told.contains("published deploy") => drop(tally.raced.fetch_add(1, Ordering::Relaxed)),
            None => drop(tally.killed.fetch_add(1, Ordering::Relaxed)),
            code => panic!("a push ends with {code:?}: {told}"),
        }
    }
}
