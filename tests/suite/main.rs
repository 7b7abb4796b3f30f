//! The integration tests, in one binary: linking once is quicker than linking often.

mod case;
mod cases;
mod cli;
mod house;
