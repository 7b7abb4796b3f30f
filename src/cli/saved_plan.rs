//! Applying a saved plan: it is read, held against what is so now, and refused with what moved.

use std::io::{self, Write};
use std::path::Path;

use super::exit::Exit;
use super::face::Face;
use crate::graph::Value;
use crate::plan::{Moved, SavedPlan};
use crate::session::load_plan;
use crate::source::printable;

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
    let mut told: Vec<String> = moved.iter().take(limit).map(words).collect();
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

fn words(moved: &Moved) -> String {
    match moved {
        Moved::Source { file } => format!("{file} is not as it was"),
        Moved::Module { name, from, to } => {
            let commit = |commit: &Option<String>| commit.clone().unwrap_or_else(|| "no commit".into());
            format!("the module {name} went from {} to {}", commit(from), commit(to))
        }
        Moved::Gone { resource } => format!("{resource} is not asked for any more"),
        Moved::New { resource } => format!("{resource} is new"),
        Moved::Declared { resource } => format!("{resource} is declared otherwise"),
        Moved::Action { resource, expected, found } => {
            let (expected, found) = (format!("{expected:?}").to_lowercase(), format!("{found:?}").to_lowercase());
            format!("{resource} needs another action: {expected} was expected, {found} is found")
        }
        Moved::Sealed { resource } => {
            format!(
                "{resource}: what it writes over is not as it was, though as long; it is kept from others, and not shown"
            )
        }
        Moved::Property { resource, property, expected, found } => {
            format!("{resource}: {property}: {} was expected, {} is found", shown(expected), shown(found))
        }
    }
}

/// A value in few words.
fn shown(value: &Option<Value>) -> String {
    const LONGEST: usize = 60;
    let text = match value {
        None => return "nothing".into(),
        Some(Value::Sensitive(_)) => return "a secret".into(),
        Some(Value::Unknown) => return "what only an apply tells".into(),
        Some(value) => value.to_json().to_string(),
    };
    let short: String = text.chars().take(LONGEST).collect();
    let dots = if short.len() < text.len() { "..." } else { "" };
    format!("{}{dots}", printable(&short))
}
