//! Clocks that jump by years change no order and no history (G21): deploys go by number, and times are labels.

use std::time::Duration;

use workbench::deploy::{History, Holder, Holding, Lock, Recording, StateFolder, perform_undo, plan_undo};
use workbench::deploy::{OnConflict, Verdict};
use workbench::engine::{Options, Run};
use workbench::graph::Secrets;
use workbench::host::journal::Begin;
use workbench::world::Cancel;

use crate::engine::Sketch;
use crate::generated::Dice;
use crate::promises;

#[test]
fn deploys_keep_their_order_under_clock_changes() {
    let count = promises::count(5, 500);
    let mut dice = Dice::new(21);
    for round in 0..count {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let root = folder.path().join("root");
        std::fs::create_dir(&root).expect("can be made");
        let state = StateFolder::open(&folder.path().join("state")).expect("can be made");
        let begin = |time: String| {
            let (me, never) = (Holder::default(), Cancel::default());
            let lock = Lock::take(&state.lock(), &me, Duration::from_secs(20), &never, &mut |_| ()).expect("is free");
            Recording::begin(&state, lock, Begin { time, ..Begin::default() }, Secrets::default()).expect("is written")
        };
        const DEPLOYS: u64 = 6;
        for number in 1..=DEPLOYS {
            let (recording, host) = begin(format!("{}-01-01T00:00:00Z", 2016 + dice.below(20)));
            let mut sketch = Sketch::new(root.to_str().expect("its name is plain"));
            let text = format!("as of {number}");
            sketch.add("file", "@/f", &[("state", "exists".into()), ("content", text.as_str().into())]);
            let mut run = Run::new(sketch.done(), Box::new(host), Options::default());
            run.run_to_end(&mut |event| recording.record(&event));
        }
        let history = History::new(&state);
        assert_eq!(history.numbers(), Ok((1..=DEPLOYS).collect()), "round {round}");
        history.verify().expect("each names the one before it");
        for number in (1..=DEPLOYS).rev() {
            let deploy = history.read(number).expect("is whole");
            let steps =
                plan_undo(&[deploy], &state.blobs().expect("are there"), Holding::Stays).expect("can be planned");
            assert!(steps.iter().all(|step| matches!(step.verdict, Verdict::Ready(_))), "round {round}: {steps:?}");
            let (_recording, host) = begin(String::new());
            let undone = perform_undo(&steps, &host, OnConflict::Stop, &mut |_, _| ());
            assert_eq!((undone.back, undone.failed), (1, 0));
            let want = (number > 1).then(|| format!("as of {}", number - 1));
            assert_eq!(std::fs::read_to_string(root.join("f")).ok(), want, "round {round}: deploy {number} is back");
        }
    }
    promises::figure("G21", format_args!("{count} histories under clocks that jump by years, in order each"));
}
