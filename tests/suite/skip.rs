//! Tests that this machine cannot run. Each is recorded with the missing thing, and CI fails on one that is not listed.

#![allow(clippy::disallowed_methods, reason = "the record is a file that the tests append to")]

use std::fmt::Display;
use std::io::Write;

/// Names the file that collects the skips of a run.
const RECORD: &str = "WORKBENCH_SKIPS";

/// Records that the calling test cannot run, or a part of it, because something is missing.
///
/// `missing` is a table of `tests/skips.toml`.
pub fn skip(missing: &str, why: impl Display) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or_default();
    println!("skipped: {test}: {missing}: {why}");
    let Some(path) = std::env::var_os(RECORD) else { return };
    let why = why.to_string().replace(['\n', '\t'], " ");
    let mut file = std::fs::File::options().append(true).create(true).open(path).expect("the record can be written");
    // One write for a line: tests of several processes append to the same file.
    file.write_all(format!("{test}\t{missing}\t{why}\n").as_bytes()).expect("the record can be written");
}

/// The recorded skips that the list does not allow, after each is printed.
#[cfg(test)]
pub fn unlisted(record: &str, list: &toml::Table) -> Vec<String> {
    let mut unlisted = Vec::new();
    for line in record.lines() {
        let mut fields = line.splitn(3, '\t');
        let [test, missing, why] = std::array::from_fn(|_| fields.next().unwrap_or_default());
        let tests = list.get(missing).and_then(|entry| entry.get("tests")?.as_array());
        let is_part =
            |whole: &str| test.strip_prefix(whole).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"));
        if !tests.into_iter().flatten().filter_map(toml::Value::as_str).any(is_part) {
            unlisted.push(format!("{test}: {missing}: {why}"));
        }
    }
    unlisted
}

/// `.ci/run` calls this after all other tests.
#[test]
#[ignore = "reads the record of a whole run"]
fn skips_are_on_the_list() {
    let path = std::env::var_os(RECORD).expect("WORKBENCH_SKIPS names the record of a run");
    let record = std::fs::read_to_string(path).unwrap_or_default();
    let list = std::fs::read_to_string("tests/skips.toml").expect("is in the repository");
    record.lines().for_each(|line| println!("skipped: {}", line.replace('\t', ": ")));
    let unlisted = unlisted(&record, &list.parse().expect("is TOML"));
    assert!(unlisted.is_empty(), "skips that tests/skips.toml does not list:\n{}", unlisted.join("\n"));
}

#[test]
fn a_skip_is_allowed_by_test_and_missing_thing() {
    let list = "[strace]\nreason = \"r\"\ntests = [\"crash\", \"honest::one\"]".parse().expect("is TOML");
    let record = "crash::a\tstrace\tw\nhonest::one\tstrace\tw\nhonest::two\tstrace\tw\ncrash::a\tetcd\tw\n";
    assert_eq!(unlisted(record, &list), ["honest::two: strace: w", "crash::a: etcd: w"]);
}
