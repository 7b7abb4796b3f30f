//! The integration tests, in one binary: linking once is quicker than linking often.

#![allow(clippy::disallowed_methods, reason = "tests lay out folders, run the binary, and look at what it did")]

mod attach;
mod bounds;
mod bundles;
mod canary;
mod case;
mod cases;
mod cli;
mod clock;
mod download;
mod crash;
mod engine;
mod forgetting;
mod git_http;
mod git_servers;
mod generated;
mod grammar;
mod honest;
mod host;
mod hostile;
mod hostile_bundles;
mod hostile_git;
mod house;
mod integrity;
mod machine;
mod modules;
mod mutated;
mod orphans;
mod packages;
mod peak;
mod power;
mod promises;
mod reactive;
mod roundtrip;
mod running;
mod saved_plan;
mod settings;
mod side_by_side;
mod sudo;
mod supply;
mod system;
mod taken_back;
mod tamper;
mod terminal;
mod watching;
