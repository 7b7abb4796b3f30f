//! Applying a saved plan: it is read, held against what is so now, and refused with what moved.

use std::io::{self, Write};
use std::path::Path;

use super::exit::Exit;
use super::face::Face;
use crate::plan::{Moved, SavedPlan};
use crate::session::{load_plan, moved_words};

/// How much of a stale plan is told without `-v`.
const SHOWN: usize = 20;

/// Reads a saved plan; an exit code where it is none.
pub fn read(face: &Face, path: &Path) -> Result<SavedPlan, Exit> {
    load_plan(path).map_err(|error| {
        let message = format!("{} cannot be applied: {error}", path.display());
        face.refuse(&message, "save a plan with `workbench preview --out FILE`")
    })
}

/// Refuses a plan that does not hold any more, and says what moved.
pub fn refuse_stale(face: &Face, moved: &[Moved]) -> io::Result<Exit> {
    let limit = if face.verbose { moved.len() } else { SHOWN.min(moved.len()) };
    let mut told: Vec<String> = moved.iter().take(limit).map(moved_words).collect();
    if moved.len() > limit {
        told.push(format!("and {} more", moved.len() - limit));
    }
    let exit = face.refuse(
        &format!("the saved plan is stale: {}", told.join("; ")),
        "nothing was applied; look again with `workbench preview --out FILE`",
    );
    io::stderr().flush()?;
    Ok(exit)
}
