//! The content hash of a plan: the same steps give the same hash, on any machine.

use serde::Serialize;
use sha2::{Digest, Sha256};

use super::Step;

/// Hashes entry and steps as JSON, whose fields stand in the order of their types. A place in a file is no part of what a
/// plan does, so moving code about keeps the hash.
pub(super) fn of(entry: &str, steps: &[Step]) -> String {
    #[derive(Serialize)]
    struct Hashed<'a> {
        entry: &'a str,
        steps: Vec<Step>,
    }
    let steps = steps.iter().map(|step| Step { source: None, ..step.clone() }).collect();
    let text = serde_json::to_vec(&Hashed { entry, steps }).expect("steps are plain data with names for keys");
    Sha256::digest(&text).iter().map(|byte| format!("{byte:02x}")).collect()
}
