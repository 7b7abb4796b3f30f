//! Programs are compiled in another process, so that no program can end a face or read around the session.
//!
//! A worker is this program again with the hidden command [`COMMAND`]. It takes one [`Job`](wire::Job), reads the
//! machine only by asking its parent's `World`, and ends after the answer. It has no files, network or processes of its
//! own where the kernel can enforce that ([`confine`]), and it has limits on memory and time. If it dies, that is a
//! diagnostic at the last known place, and the next job starts a new one. A face that compiles often has one worker
//! waiting.
//!
//! Accepted: `Compile` for an entry; the parent then answers each `Read`, and takes the parts of the graph while the worker
//! makes it. Rejected, by ending the worker: a message of
//! another form or beyond the size limit, and no answer within the program's time limit or 100 ms after a cancellation.
//! Deliberately absent: state between two jobs. A program cannot affect the next one. A job for many nodes compiles one
//! program for each of them, and shares only the files that it read.

mod client;
mod confine;
mod follow;
mod notes;
mod process;
mod serve;
mod wire;
mod workplace;

pub use confine::{Confinement, confinement};
pub use serve::{COMMAND, serve};
pub use workplace::{NodeCompiler, Workplace};
