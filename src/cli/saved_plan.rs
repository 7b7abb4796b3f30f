//! Applies a saved plan: reads it, compares it with the current state, and refuses an outdated one.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::Path;

use super::args::Global;
use super::exit::Exit;
use super::face::Face;
use crate::plan::{Moved, SavedPlan, Side};
use crate::session::{applied_as, load_plan, moved_words};

/// How many differences are shown without `-v`.
const SHOWN: usize = 20;

/// Reads a saved plan; returns an exit code if it is invalid.
pub fn read(face: &Face, path: &Path) -> Result<SavedPlan, Exit> {
    load_plan(path).map_err(|error| {
        let message = format!("{} cannot be applied: {error}", path.display());
        face.refuse(&message, "save a plan with `workbench preview --out FILE`")
    })
}

/// Refuses an outdated plan, and lists the differences; reports first if it was applied already.
pub fn refuse_stale(face: &Face, global: &Global, saved: &SavedPlan, moved: &[Moved]) -> io::Result<Exit> {
    let (causes, moved): (Vec<&Moved>, Vec<&Moved>) =
        moved.iter().partition(|moved| matches!(moved, Moved::CompiledFor { .. }));
    let mut causes: Vec<String> = causes.into_iter().map(moved_words).collect();
    // What it was made for is the cause of new declarations, but not of a file that someone changed.
    let drifted = moved.iter().filter_map(|moved| match moved {
        Moved::Property { resource, expected: Side::Read(_), found: Side::Read(_), .. }
        | Moved::Sealed { resource } => Some(resource.to_string()),
        _ => None,
    });
    let drifted: BTreeSet<String> = drifted.collect();
    if let (false, Some(first)) = (causes.is_empty(), drifted.first()) {
        let more = if drifted.len() == 1 { String::new() } else { format!(" and {} more", drifted.len() - 1) };
        causes.push(format!("this machine has changed too: {first}{more}"));
    }
    let limit = if face.verbose { moved.len() } else { SHOWN.min(moved.len()) };
    let mut lines: Vec<String> = moved.iter().take(limit).map(|moved| moved_words(moved)).collect();
    if moved.len() > limit {
        lines.push(format!("and {} more (-v shows all)", moved.len() - limit));
    }
    let message = if causes.is_empty() { stale_words(global, saved) } else { causes.join("; and ") };
    let exit = face.refuse_in_lines(
        &message,
        &lines,
        "nothing was applied; make a new plan with `workbench preview --out FILE`",
    );
    io::stderr().flush()?;
    Ok(exit)
}

fn stale_words(global: &Global, saved: &SavedPlan) -> String {
    match applied_as(global.state_dir.as_ref(), saved) {
        Some((deploy, true)) => format!("the saved plan is stale: it was applied as deploy {deploy}"),
        Some((deploy, false)) => format!("the saved plan is stale: it was applied as deploy {deploy} and undone"),
        None => "the saved plan is stale".into(),
    }
}
