//! Hands the command line to the face, and its exit code to the system.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(workbench::cli::run(std::env::args_os()))
}
