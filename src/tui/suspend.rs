//! Suspends the TUI and hands the terminal to an editor or `sudo`.

use std::sync::atomic::{AtomicBool, Ordering};
use std::{io, path::Path, process::Command, sync::Arc};

use super::{event_loop::Signals, terminal::Guard};
use crate::session;

/// Hands the terminal over until `uses` is done, and takes it back; `Err` with the number of a signal that ends us
/// meanwhile. Signals from terminal keys are for the other program.
pub async fn suspended<T: Send + 'static>(
    guard: &Guard,
    signals: &mut Signals,
    uses: impl FnOnce(&dyn Fn() -> bool) -> T + Send + 'static,
) -> io::Result<Result<T, u8>> {
    guard.leave();
    let wanted = Arc::new(AtomicBool::new(true));
    let is_wanted = Arc::clone(&wanted);
    let mut used = tokio::task::spawn_blocking(move || uses(&|| is_wanted.load(Ordering::Relaxed)));
    let result = tokio::select! {
        biased;
        number = signals.ended_but_by_key() => Err(number),
        used = &mut used => Ok(used.map_err(io::Error::other)?),
    };
    if result.is_err() {
        wanted.store(false, Ordering::Relaxed);
        used.await.map_err(io::Error::other)?;
        return Ok(result);
    }
    guard.enter()?;
    signals.forget_keys().await;
    Ok(result)
}

/// Opens a file in the user's editor: the one from the settings, or from the environment.
pub fn edit(set: Option<&str>, path: &Path, line: u32, is_wanted: &dyn Fn() -> bool) -> Result<(), String> {
    session::edit(&session::editor(set).unwrap_or_else(|| "vi".into()), path, line, is_wanted)
}

/// Asks whether the user may become root, and lets `sudo` prompt.
#[expect(clippy::disallowed_methods, reason = "it is the user who answers, and nothing of the machine is changed")]
pub fn ask_sudo(is_wanted: &dyn Fn() -> bool) -> Result<(), String> {
    println!("workbench runs sudo to apply as root:");
    match session::lend(Command::new("sudo").arg("--validate"), is_wanted) {
        Ok(Some(status)) if status.success() => Ok(()),
        Ok(_) => Err("Nothing was applied as root: sudo refused.".into()),
        Err(error) => Err(format!("Nothing was applied as root: cannot start sudo: {error}.")),
    }
}
