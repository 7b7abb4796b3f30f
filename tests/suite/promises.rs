//! The promises that are shown by many runs: a sample each time, all of them on demand, with the figures printed.
//!
//! `WORKBENCH_PROMISES=whole cargo test --test suite -- --nocapture NAME` takes all runs; a number takes so many.
//!
//! | | what is promised | shown in |
//! | --- | --- | --- |
//! | G1, G2 | nothing is torn or left over, whatever kills an apply or an undo, or fails in it | `crash` |
//! | G3 | the same when power fails | `power` |
//! | G4, G5 | going on ends in the same tree, going back in the one before | `taken_back` |
//! | G6, G7 | an apply does what the preview said, a second one nothing | `honest`, `system`, `packages` |
//! | G8 | one applier at a time | `crash` |
//! | G9 | no parser falls over | `mutated` |
//! | G10, G11 | what wants too much, or is malformed, is refused with a place | `hostile`, `bounds`, `cases` |
//! | G12 | hostile bundles and trees: no byte outside, each refused by name | `bundles`, `hostile_git`, `fetch::generated` |
//! | G13 | hostile URLs and repositories: no process, no program of theirs | `hostile_git`, `fetch::url` |
//! | G14 | what was fetched is hashed before anything is made of it | `integrity` |
//! | G15 | a fetch comes whole or not at all | `git_servers`, `download` |
//! | G16 | no text reaches the terminal raw | `tui::tests::hostile`, `mutated` |
//! | G17 | the terminal is given back at every end | `exits`, `terminal` |
//! | G18 | any size; no colours, no terminal, no UTF-8 | `tui::tests::sizes`, `resized`, `plain` |
//! | G19 | no secret is anywhere but where it was asked for | `canary`, `saved_plan` |
//! | G20 | no process outlives its command | `orphans` |
//! | G21 | clocks that jump change no order | `clock` |
//! | G22 | an altered history is found out | `tamper` |
//! | G23 | what a cluster gets is what Go would write; racing writers leave no gap and no torn tree; needs etcd | `gob`, `handed_over`, `target` |
//! | G24 | unsafe code, licences and sources are held; advisories by `cargo deny check`, which needs a network | `supply`, the lints, `deny.toml` |

/// How many runs: `sample`, or what `WORKBENCH_PROMISES` says, at most `whole`.
pub fn count(sample: usize, whole: usize) -> usize {
    match std::env::var("WORKBENCH_PROMISES") {
        Ok(wanted) if !wanted.is_empty() => wanted.parse().map_or(whole, |wanted: usize| wanted.min(whole)),
        _ => sample,
    }
}

/// Prints what was measured; `cargo test -- --nocapture` shows it.
pub fn figure(promise: &str, text: std::fmt::Arguments) {
    println!("{promise}: {text}");
}

/// A temporary folder for runs that are many: in memory, where there is a place for that.
pub fn folder() -> tempfile::TempDir {
    let memory = std::path::Path::new("/dev/shm");
    let made = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    made.expect("a temporary folder can be made")
}
