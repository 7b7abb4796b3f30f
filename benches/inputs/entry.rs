//! Inputs as entry points, and the sizes they come in.

use std::path::PathBuf;

use workbench::module::{EntryPoint, LanguageName};

/// Each ten times the one before: cost that grows more than ten times is not linear.
pub const COUNTS: [usize; 3] = [1_000, 10_000, 100_000];

/// A program given as text.
pub fn entry(text: &str) -> EntryPoint {
    EntryPoint {
        language: LanguageName::Mcl,
        file: None,
        code: Some(("<argument>".to_string(), text.into())),
        base: PathBuf::from("/"),
        shown: "bench".to_string(),
        ..EntryPoint::default()
    }
}
