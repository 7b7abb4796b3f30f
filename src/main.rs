//! Hands the command line to the face, and its exit code to the system.

use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(minded) = workbench::host::mind() {
        return minded;
    }
    ExitCode::from(workbench::cli::run(std::env::args_os()))
}
