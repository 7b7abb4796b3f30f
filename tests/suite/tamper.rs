//! A history that was altered or cut is found out at its first bad entry, and all before it is kept (G22).

use workbench::graph::ResourceId;
use workbench::host::journal::{Begin, Journal, Outcome, Record, scan};

use crate::generated::Dice;
use crate::promises;

fn outcome(number: u64) -> Record {
    Record::Outcome(Outcome {
        resource: ResourceId(format!("file[/{number}]").into()),
        state: "done".into(),
        action: "create".into(),
        changes: Vec::new(),
        note: "x".repeat(number as usize * 7 % 90),
        error: None,
        elapsed_ms: number,
        time: String::new(),
        planned: None,
    })
}

#[test]
fn the_first_altered_entry_is_found_and_all_before_it_is_kept() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let path = folder.path().join("1.journal");
    let journal = Journal::create(&path).expect("can be made");
    journal.write(Record::Begin(Begin::default())).expect("is written");
    for number in 0..40 {
        journal.write(outcome(number)).expect("is written");
    }
    let good = std::fs::read(&path).expect("is there");
    let frames = scan(&good).frames;
    assert_eq!(frames.len(), 41);
    let mut starts: Vec<usize> = frames.iter().map(|frame| frame.payload.start - 12).collect();
    starts.push(good.len());
    let mut dice = Dice::new(22);
    let count = promises::count(1000, 10_000);
    for round in 0..count {
        let mut bytes = good.clone();
        let at = dice.below(good.len() as u64) as usize;
        let cuts = round % 2 == 0;
        if cuts {
            bytes.truncate(at);
        } else {
            bytes[at] ^= 1 << dice.below(8);
        }
        // The entry that holds the byte; those before it are whole.
        let bad = starts.partition_point(|start| *start <= at).saturating_sub(1);
        let is_clean_cut = cuts && starts.contains(&at);
        let found = scan(&bytes);
        if at < starts[0] {
            assert_eq!((found.frames.len(), found.good), (0, if is_clean_cut { at } else { 0 }), "byte {at}");
            continue;
        }
        assert_eq!(found.frames, frames[..bad], "byte {at}");
        assert_eq!(found.good, starts[bad], "byte {at}");
        assert_eq!(found.fault.as_ref().map(|fault| fault.number), (!is_clean_cut).then_some(bad as u64), "byte {at}");
        std::fs::write(&path, &bytes).expect("is ours");
        let (_, records, _) = Journal::reopen(&path).expect("can be repaired");
        assert_eq!(records.len(), bad);
        assert_eq!(std::fs::read(&path).expect("is there"), good[..starts[bad]], "the longest good prefix stays");
    }
    promises::figure("G22", format_args!("{count} flips and cuts, each found at its entry, the good prefix kept"));
}

/// A deploy that was cut off, and one bit of its journal is another: nothing of it is thrown away, and nobody is told that
/// all was taken back.
#[test]
fn a_damaged_journal_is_preserved_and_reported() {
    const FILES: usize = 5;
    for (what, part) in [("its first bytes", 0), ("its first entry", 1), ("its first intent", 2), ("its middle", 8)] {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let at = |name: &str| folder.path().join(name);
        let mut code = String::new();
        for file in 0..FILES {
            std::fs::write(at(&file.to_string()), "old").expect("can be written");
            let path = at(&file.to_string());
            code += &format!("file \"{}\" {{ state => \"exists\", content => \"new\", }}\n", path.display());
        }
        std::fs::write(at("main.mcl"), code).expect("can be written");
        let run = |words: &[&str]| {
            let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_workbench"));
            command.args(words).env("WORKBENCH_STATE", at("state")).current_dir(folder.path());
            let output = command.stdin(std::process::Stdio::null()).output().expect("the binary is there");
            let text = [output.stdout, output.stderr].concat();
            (output.status.code(), String::from_utf8_lossy(&text).into_owned())
        };
        assert_eq!(run(&["apply", "--yes", "main.mcl"]).0, Some(0));
        let path = at("state/deploys/00000001.journal");
        let mut bytes = std::fs::read(&path).expect("is there");
        let frames = scan(&bytes).frames;
        // Without its end it counts as cut off.
        bytes.truncate(frames[frames.len() - 1].payload.start - 12);
        let bit = if part == 0 { 3 } else { frames[part - 1].payload.start + 40 };
        bytes[bit] ^= 4;
        std::fs::write(&path, &bytes).expect("is ours");
        let (code, text) = run(&["apply", "--yes", "main.mcl"]);
        assert_eq!(code, Some(1), "{what}: {text}");
        assert_eq!(std::fs::read(&path).expect("is there"), bytes, "{what}: nothing is thrown away: {text}");
        let (code, text) = run(&["deploy", "undo", "1", "--yes", "--detailed-exitcode"]);
        let told = if part > 1 { "the journal of deploy 1 is damaged" } else { "00000001.journal.lost`" };
        assert!(code != Some(0) && text.contains(told), "{what}: {code:?} {text}");
        let kept = std::fs::read(&path).expect("is there");
        let aside = std::fs::read(path.with_extension("journal.damaged")).unwrap_or_default();
        assert!(kept == bytes || aside == bytes, "{what}: what was found is kept: {text}");
        if part > 1 {
            // Later it is told still.
            let (code, text) = run(&["deploy", "show", "1"]);
            assert!(code != Some(0) && text.contains("damaged"), "{what}: {code:?} {text}");
        } else {
            // The way out that is named is one.
            std::fs::rename(&path, path.with_extension("journal.lost")).expect("is ours");
            let (code, text) = run(&["apply", "--yes", "main.mcl"]);
            assert_eq!(code, Some(0), "{what}: {text}");
        }
    }
}
