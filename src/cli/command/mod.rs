//! The commands, one file each: its arguments, and a `run` that gives the exit code.

pub mod apply;
pub mod attach;
pub mod bundle;
pub mod check;
pub mod completions;
pub mod conflict;
pub mod config;
pub mod deploy;
pub mod doc;
pub mod eval;
pub mod download;
pub mod fmt;
pub mod graph;
pub mod highlight;
pub mod keys;
pub mod log;
pub mod man;
pub mod modules;
pub mod parse;
pub mod preview;
pub mod prune;
pub mod resume;
pub mod run;
pub mod step;
pub mod undo;
pub mod workbench;
