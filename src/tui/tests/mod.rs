//! Messages in, frames out: the face without a terminal, a session or a clock.

mod early_keys;
mod undo;
mod interrupted;
mod compared;
mod dangers;
mod deploys;
mod drawn;
mod events;
mod everywhere;
mod failing;
mod finding;
mod deleted_files;
mod hostile;
mod fetch;
mod handy;
mod hosts;
mod header;
mod hints;
mod keyed;
mod live;
mod matrix;
mod narrowed;
mod observe;
mod open_end;
mod operations;
mod order;
mod detached;
mod root;
mod output;
mod sizes;
pub(super) mod stage;
mod start;
mod step;
mod views;
mod tutor;
mod watch;

/// How many runs: a sample, or with `WORKBENCH_PROMISES=whole` all of them, as in `tests/suite/promises.rs`.
#[allow(clippy::disallowed_methods, reason = "it is about the tests, nothing that programs see")]
fn many(sample: usize, whole: usize) -> usize {
    match std::env::var("WORKBENCH_PROMISES") {
        Ok(wanted) if !wanted.is_empty() => wanted.parse().map_or(whole, |wanted: usize| wanted.min(whole)),
        _ => sample,
    }
}
