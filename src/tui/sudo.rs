//! Asking `sudo` on the terminal itself, for a password is nothing for the screens.

use std::process::Command;

/// Asks whether the user may be root, and lets `sudo` ask for what it wants.
#[expect(clippy::disallowed_methods, reason = "it is the user who answers, and nothing of the machine is changed")]
pub fn ask() -> Result<(), String> {
    println!("workbench asks sudo, to act as root:");
    match Command::new("sudo").arg("--validate").status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err("Nothing was applied as root: sudo lets nobody in.".into()),
        Err(error) => Err(format!("Nothing was applied as root: cannot start sudo: {error}.")),
    }
}
