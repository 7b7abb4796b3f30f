//! No parser falls over, whatever it is given: texts that are right are cut, swapped, doubled and bent, by dice (G9).
//!
//! `WORKBENCH_PARSERS=mcl,lock` takes these parsers only.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use workbench::config::Config;
use workbench::deploy::bundle::{self, Manifest};
use workbench::deploy::{History, StateFolder};
use workbench::diag::{Diagnostics, Stage};
use workbench::fetch::{GitUrl, Lock};
use workbench::highlight::{Document, Grammar, load_theme};
use workbench::host::journal;
use workbench::lang::mcl::{format, migrate};
use workbench::lang::{self, Choices, CompileOptions, Limits, RunLimits};
use workbench::module::{EntryPoint, LanguageName, parse_import, parse_metadata};
use workbench::plan::{Query, SavedPlan};
use workbench::source::{Sources, printable};
use workbench::world::{Cancel, Memory, PathKind, Read, Sample};

use crate::generated::Dice;
use crate::hostile_bundles;
use crate::promises;

/// Ten times what the slowest takes in a debug build; a text that is read in more than linear time goes far beyond.
const PATIENCE: Duration = Duration::from_secs(10);

/// A parser by name, and what it does with any bytes.
type Parser = (&'static str, fn(&[u8]));

const PARSERS: &[Parser] = &[
    ("mcl", |bytes| compile(LanguageName::Mcl, &text(bytes))),
    ("Puppet", |bytes| compile(LanguageName::Puppet, &text(bytes))),
    ("Inmanta", |bytes| compile(LanguageName::Inmanta, &text(bytes))),
    ("EPP", |bytes| compile(LanguageName::Puppet, &format!("notice(inline_epp({}))", quoted(bytes)))),
    ("ERB", |bytes| compile(LanguageName::Puppet, &format!("notice(inline_template({}))", quoted(bytes)))),
    ("Hiera data", |bytes| {
        let hiera = "version: 5\nhierarchy:\n  - name: a\n    path: all.yaml\n";
        let file = |path: &str| Read::File(path.into());
        let world = Memory::default()
            .with(file("/hiera.yaml"), Sample::Bytes(hiera.as_bytes().into()))
            .with(Read::Kind("/hiera.yaml".into()), Sample::Kind(PathKind::File))
            .with(Read::Kind("/data".into()), Sample::Kind(PathKind::Folder))
            .with(Read::Kind("/data/all.yaml".into()), Sample::Kind(PathKind::File))
            .with(file("/data/all.yaml"), Sample::Bytes(bytes.into()));
        compile_in(&world, LanguageName::Puppet, "notice(lookup('a', undef, 'deep', 1))", Some("/"));
    }),
    ("data in texts", |bytes| {
        let text = quoted(bytes);
        compile(LanguageName::Puppet, &format!("$y = parseyaml({text}, 1)\n$j = parsejson({text}, 1)\nnotice($y, $j)"));
    }),
    ("descriptions of modules", |bytes| {
        let names = ["metadata.json", "module.yml", "project.yml", "setup.cfg", "pyproject.toml", "metadata.yaml"];
        let world = names.iter().fold(Memory::default(), |world, name| {
            world.with(Read::File(Path::new("/m").join(name)), Sample::Bytes(bytes.into()))
        });
        for language in lang::languages() {
            language.layout().manifest(&world, Path::new("/m"));
        }
    }),
    ("bundle", |bytes| drop(bundle::read_manifest(bytes))),
    ("list of a bundle", |bytes| drop(Manifest::parse(&text(bytes)))),
    ("history", |bytes| {
        let folder = promises::folder();
        let state = StateFolder::open(folder.path()).expect("can be made");
        std::fs::write(state.journal(1), bytes).expect("can be written");
        let history = History::new(&state);
        let _ = (history.summary(1), history.read(1), history.verify(), history.read_chain(1));
    }),
    ("mcl, formatted", |bytes| {
        let (mut sources, text) = (Sources::default(), text(bytes));
        let file = sources.add("main.mcl", None, text.as_str());
        format::format(file, &text, &mut Diagnostics::new(Stage::Parse));
    }),
    ("mcl, migrated", |bytes| {
        let (mut sources, text) = (Sources::default(), text(bytes));
        let file = sources.add("main.mcl", None, text.as_str());
        migrate::migrate(file, &text);
    }),
    ("mcl, for the eye", |bytes| look(bytes, Grammar::Mcl)),
    ("Puppet, for the eye", |bytes| look(bytes, Grammar::Puppet)),
    ("EPP, for the eye", |bytes| look(bytes, Grammar::Epp)),
    ("Inmanta, for the eye", |bytes| look(bytes, Grammar::Inmanta)),
    ("import", |bytes| drop(parse_import(&text(bytes)))),
    ("metadata", |bytes| {
        let mut sources = Sources::default();
        let file = sources.add("metadata.yaml", None, text(bytes));
        parse_metadata(&sources, file, &mut Diagnostics::new(Stage::Parse));
    }),
    ("lock", |bytes| drop(Lock::parse(&text(bytes)))),
    ("git URL", |bytes| drop(GitUrl::parse(&text(bytes)))),
    ("saved plan", |bytes| drop(SavedPlan::parse(bytes))),
    ("query", |bytes| drop(Query::parse(&text(bytes)))),
    ("settings", |bytes| {
        let path = Path::new("/config.toml");
        let world = Memory::default().with(Read::File(path.into()), Sample::Bytes(bytes.into()));
        Config::load(&world, Some(path));
    }),
    ("theme", |bytes| {
        let text = text(bytes);
        let find = |name: &str| (name == "x").then(|| ("x.toml".to_owned(), text.as_str().into()));
        load_theme("x", &find, &mut Sources::default(), &mut Diagnostics::new(Stage::Parse));
    }),
    ("journal", |bytes| drop(journal::records(bytes))),
    ("terminal", |bytes| {
        let shown = printable(&text(bytes)).to_string();
        assert!(!shown.chars().any(|c| c.is_control() && c != '\n' && c != '\t'), "{shown:?}");
    }),
];

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn look(bytes: &[u8], grammar: Grammar) {
    let mut document = Document::new(text(bytes), Some(grammar));
    let end = document.text().len();
    document.edit(end..end, "}");
}

/// A text as Puppet quotes it.
fn quoted(bytes: &[u8]) -> String {
    format!("'{}'", text(bytes).replace('\\', "\\\\").replace('\'', "\\'"))
}

fn compile(language: LanguageName, text: &str) {
    compile_in(&Memory::default(), language, text, None);
}

fn compile_in(world: &Memory, language: LanguageName, text: &str, environment: Option<&str>) {
    let entry = EntryPoint {
        language,
        environment: environment.map(PathBuf::from),
        file: None,
        code: Some(("<argument>".to_string(), text.into())),
        base: PathBuf::from("/"),
        shown: "mutated".to_string(),
        ..EntryPoint::default()
    };
    let (limits, cancel) = (Limits { steps: 200_000, ..Limits::default() }, Cancel::default());
    let run = RunLimits { cancel, limits, ..RunLimits::until(Stage::Eval) };
    let options = CompileOptions { module_path: Vec::new(), choices: Choices::default(), run };
    let compiled = lang::language(language).compile(world, &entry, &options);
    assert!(!compiled.diagnostics.has_errors() || compiled.graph.is_empty(), "a graph in part: {text}");
}

/// Texts to begin with: the programs and the cases of this repository, and a few of what has no file here.
fn seeds() -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut seeds = Vec::new();
    let mut open = vec![root.join("modules"), root.join("tests/cases")];
    while let Some(folder) = open.pop() {
        let mut entries: Vec<PathBuf> =
            std::fs::read_dir(folder).expect("is a folder").flatten().map(|entry| entry.path()).collect();
        entries.sort();
        for path in entries {
            if path.is_dir() {
                open.push(path);
            } else if std::fs::metadata(&path).is_ok_and(|meta| meta.len() < 8 << 10) {
                seeds.push(std::fs::read(path).expect("is a file"));
            }
        }
    }
    let more: [&[u8]; 4] = [
        b"https://user@example.org:8443/a/b.git",
        b"kind:file act:create !name:\"a b\"",
        b"[[module]]\npath = \"git://example.org/a/\"\ncommit = \"0123456789abcdef0123456789abcdef01234567\"\n",
        b"{\"format\":\"workbench-plan\",\"version\":1,\"plan\":\"00\",\"steps\":[]}",
    ];
    seeds.extend(more.iter().map(|text| text.to_vec()));
    seeds.push(journalled());
    seeds.push(hostile_bundles::pack(&hostile_bundles::plain()));
    seeds
}

fn journalled() -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let path = folder.path().join("journal");
    let journal = journal::Journal::create(&path).expect("can be made");
    journal.write(journal::Record::Begin(journal::Begin::default())).expect("is written");
    journal.write(journal::Record::End(journal::End::default())).expect("is written");
    std::fs::read(path).expect("is there")
}

/// Pieces that mean something to one parser or another.
const PIECES: [&[u8]; 24] = [
    b"{",
    b"}",
    b"(",
    b")",
    b"[",
    b"]",
    b"\"",
    b"'",
    b"${",
    b"=>",
    b"->",
    b"\\",
    b"\n",
    b"\0",
    b"\xff",
    b"\xe2\x80\xae",
    b"99999999999999999999",
    b"-1",
    b"import \"",
    b"func",
    b"&a *a",
    b"\x1b]0;x\x07",
    b"%00",
    b"::",
];

/// Bends a text a few times.
fn bend(seeds: &[Vec<u8>], dice: &mut Dice) -> Vec<u8> {
    let mut pick = |length: usize| dice.below(length as u64) as usize;
    let mut bytes = seeds[pick(seeds.len())].clone();
    for _ in 0..=pick(6) {
        let at = pick(bytes.len() + 1);
        let end = (at + pick(40)).min(bytes.len());
        match pick(7) {
            0 => drop(bytes.drain(at..end)),
            1 => bytes.truncate(at),
            2 => {
                let piece = PIECES[pick(PIECES.len())];
                bytes.splice(at..at, piece.iter().copied());
            }
            3 => {
                let piece = PIECES[pick(PIECES.len())].repeat(1 + pick(300));
                bytes.splice(at..end, piece);
            }
            4 => {
                let again = bytes[at..end].repeat(1 + pick(8));
                bytes.splice(at..at, again);
            }
            5 => {
                let other = &seeds[pick(seeds.len())];
                let from = pick(other.len() + 1);
                let piece = other[from..(from + pick(200)).min(other.len())].to_vec();
                bytes.splice(at..end, piece);
            }
            _ if at < bytes.len() => bytes[at] ^= 1 << pick(8),
            _ => {}
        }
    }
    bytes
}

#[test]
fn no_parser_falls_over() {
    // The session compiles on a thread with a deep stack too.
    let thread = std::thread::Builder::new().stack_size(512 << 20).spawn(every_parser_survives);
    thread.expect("a thread starts").join().expect("no parser fell over");
}

fn every_parser_survives() {
    let (seeds, count) = (seeds(), promises::count(60, 100_000));
    let mut slowest = (Duration::ZERO, "");
    let only = std::env::var("WORKBENCH_PARSERS").ok();
    let is_wanted = |name: &str| only.as_ref().is_none_or(|only| only.split(',').any(|wanted| wanted == name));
    let parsers: Vec<_> = PARSERS.iter().enumerate().filter(|(_, (name, _))| is_wanted(name)).collect();
    for &(number, (name, parse)) in &parsers {
        let mut dice = Dice::new(9 + number as u64);
        for round in 0..count {
            let bytes = bend(&seeds, &mut dice);
            let begun = Instant::now();
            let done = std::panic::catch_unwind(|| parse(&bytes));
            assert!(done.is_ok(), "{name}, round {round}: falls over: {:?}", String::from_utf8_lossy(&bytes));
            let took = begun.elapsed();
            assert!(took < PATIENCE, "{name}, round {round}: takes {took:?}: {:?}", String::from_utf8_lossy(&bytes));
            slowest = slowest.max((took, *name));
        }
    }
    let parsers = parsers.len();
    promises::figure("G9", format_args!("{parsers} parsers, {count} texts each, 0 fell, the slowest {slowest:.1?}"));
}
