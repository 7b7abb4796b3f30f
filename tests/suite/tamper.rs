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
