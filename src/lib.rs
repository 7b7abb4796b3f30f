//! `workbench`: a terminal workbench for configuration modules and deploys.
//!
//! Data walks one way. Files on disk and git become a [`module`] tree with an entry point; a language in [`lang`] compiles
//! it, reading only through [`world`], to the one resource [`graph`]; [`engine`] runs the graph on the overlay [`host`],
//! which gives a [`plan`], or on the local host, which gives outcomes that [`deploy`] keeps. [`compare`] compares graphs and plans of two
//! programs. [`session`] is the one API over all of it; [`tui`] and [`cli`] are two thin faces over `session`.
//!
//! Rooms stand upstream first, and a room uses only rooms above it; `tests/suite/house.rs` holds that.

pub mod source;
pub mod diag;
pub mod world;
pub mod module;
#[allow(clippy::disallowed_methods, reason = "this is where modules are written, below the module path and the cache")]
pub mod fetch;
pub mod highlight;
pub mod graph;
pub mod plan;
pub mod host;
pub mod resource;
pub mod lang;
pub mod config;
pub mod engine;
#[allow(clippy::disallowed_methods, reason = "the history is written and read here, and tells when")]
pub mod deploy;
pub mod compare;
pub mod session;
pub mod tui;
pub mod cli;
