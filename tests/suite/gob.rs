//! Records and trees of a mgmt cluster: to the byte what Go writes, and read whatever the bytes are (G23).

use std::collections::BTreeMap;

use workbench::deploy::target::record::{self, Choices, Frontend};
use workbench::deploy::target::tree::{Leaf, Tree};

use crate::promises::{count, figure};

/// What Go wrote, by name: for what, and the bytes.
pub fn golden() -> Vec<(String, String, Vec<u8>)> {
    let text = std::fs::read_to_string("tests/cases/target/gob.golden").expect("the vectors are in the repository");
    let mut lines = text.lines().filter(|line| !line.starts_with('#'));
    let mut all = Vec::new();
    while let (Some(head), Some(hex)) = (lines.next(), lines.next()) {
        let (name, what) = head.split_once(": ").expect("a vector begins with its name");
        let digits = |at| u8::from_str_radix(&hex[at..at + 2], 16).expect("bytes are two digits each");
        all.push((name.to_owned(), what.to_owned(), (0..hex.len()).step_by(2).map(digits).collect()));
    }
    all
}

fn choices(words: &[&str]) -> Choices {
    let number = words.iter().find_map(|word| word.strip_prefix("sema="));
    Choices {
        noop: words.contains(&"noop"),
        sema: number.map(|number| number.parse().expect("a number")),
        no_auto_edges: words.contains(&"no-auto-edges"),
        no_auto_group: words.contains(&"no-auto-group"),
    }
}

fn tree(words: &[&str]) -> Tree {
    let file = |word: &&str| {
        let (path, rest) = word.split_once('=').expect("a file has a hash");
        let (digits, executable) = rest.strip_suffix("+x").map_or((rest, false), |digits| (digits, true));
        (path.to_owned(), Leaf { hash: digits.repeat(32), executable })
    };
    Tree(words.iter().map(file).collect())
}

#[test]
fn output_matches_go() {
    let mut written = 0;
    for (name, what, bytes) in golden() {
        let words: Vec<&str> = what.split(' ').collect();
        let ours = match words.as_slice() {
            ["record", frontend, uri, rest @ ..] => {
                let frontend = if *frontend == "yaml" { Frontend::Yaml } else { Frontend::Lang };
                let read = record::decode_gob(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
                assert_eq!(read.frontend, frontend.as_str(), "{name}");
                assert_eq!((read.uri.as_deref(), read.choices), (Some(*uri), choices(rest)), "{name}");
                record::encode_gob(frontend, choices(rest), uri)
            }
            ["tree", files @ ..] => {
                assert_eq!(Tree::decode(&bytes), Ok(tree(files)), "{name}");
                tree(files).encode()
            }
            _ => continue,
        };
        assert_eq!(ours, bytes, "{name}");
        written += 1;
    }
    figure("G23", format_args!("{written} records and trees are byte for byte what Go writes"));
    assert!(written >= 7);
}

#[test]
fn what_others_write_is_read() {
    let all: BTreeMap<_, _> = golden().into_iter().map(|(name, _, bytes)| (name, bytes)).collect();
    let read = |name: &str| record::decode_gob(&all[name]).unwrap_or_else(|error| panic!("{name}: {error}"));
    let every = Choices { noop: true, sema: None, no_auto_edges: true, no_auto_group: true };
    assert_eq!(read("yaml-all").choices, every);
    assert_eq!(read("second").uri.as_deref(), Some("etcdfs:///fs/deploy/1-u"), "types may have any numbers");
    assert_eq!(read("lang-strategy").uri.as_deref(), Some("etcdfs:///fs/deploy/1-u"));
    assert_eq!((read("empty").frontend.as_str(), read("empty").uri), ("empty", None));
    assert_eq!((read("none").frontend.as_str(), read("none").uri), ("", None));
    let times = Tree::decode(&all["tree-times"]).expect("a tree with times is a tree");
    assert_eq!(times.0.keys().collect::<Vec<_>>(), ["main.mcl"]);
}

/// A generator of numbers that is the same each time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }
}

#[test]
fn no_bytes_make_the_reader_fall_over() {
    let vectors = golden();
    let mut dice = Dice(5);
    let (runs, mut taken) = (count(20_000, 2_000_000), 0);
    for _ in 0..runs {
        let mut bytes = vectors[dice.roll(vectors.len())].2.clone();
        for _ in 0..=dice.roll(4) {
            let at = dice.roll(bytes.len().max(1));
            match dice.roll(5) {
                0 => bytes.truncate(at),
                1 => bytes.insert(at, dice.roll(256) as u8),
                2 => drop(bytes.get(at).is_some().then(|| bytes.remove(at))),
                // The ends of what a number may be.
                3 => bytes.splice(at..at, [0xf8, 0x7f, 255, 255, 255, 255, 255, 255, 255]).for_each(drop),
                _ => bytes.get_mut(at).into_iter().for_each(|byte| *byte = dice.roll(256) as u8),
            }
        }
        taken += usize::from(record::decode_gob(&bytes).is_ok());
        taken += usize::from(Tree::decode(&bytes).is_ok());
    }
    figure("G23", format_args!("{runs} damaged records and trees: none made the reader fall over, {taken} still read"));
}
