//! The promises that are shown by many runs: a sample each time, all of them on demand, with the figures printed.

/// How many runs: `sample`, or `whole` with `WORKBENCH_PROMISES=whole`.
pub fn count(sample: usize, whole: usize) -> usize {
    if is_whole() { whole } else { sample }
}

pub fn is_whole() -> bool {
    std::env::var_os("WORKBENCH_PROMISES").is_some_and(|value| value == "whole")
}

/// Prints what was measured; `cargo test -- --nocapture` shows it.
pub fn figure(promise: &str, text: std::fmt::Arguments) {
    println!("{promise}: {text}");
}
