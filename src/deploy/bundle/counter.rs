//! The highest applied counter of each bundle name, so that an older bundle cannot replace a newer one.

use std::fs;
use std::io::{ErrorKind, Write};

use super::{BundleError, Manifest, Signer};
use crate::deploy::StateFolder;

/// Each line holds the counter, the signer and the name.
const FILE: &str = "bundle-counters";

/// Refuses a bundle that is older than an applied one.
pub fn check_counter(state: &StateFolder, manifest: &Manifest, signer: &Signer) -> Result<(), BundleError> {
    let Some(name) = &manifest.name else { return Ok(()) };
    let newest = lines(state)?.into_iter().filter(|line| line.is_of(signer, name)).map(|line| line.counter).max();
    match newest {
        Some(newest) if manifest.counter.is_none_or(|counter| counter < newest) => {
            Err(BundleError::Older { newest, this: manifest.counter })
        }
        _ => Ok(()),
    }
}

/// Stores the counter of a bundle before it is applied. Refuses the bundle if a later one was applied first.
pub fn remember_counter(state: &StateFolder, manifest: &Manifest, signer: &Signer) -> Result<(), BundleError> {
    check_counter(state, manifest, signer)?;
    let (Some(name), Some(counter)) = (&manifest.name, manifest.counter) else { return Ok(()) };
    let mut all = lines(state)?;
    all.retain(|line| !line.is_of(signer, name));
    all.push(Line { counter, signer: signer_word(signer).to_owned(), name: name.clone() });
    let path = state.path().join(FILE);
    let failed = |error: std::io::Error| BundleError::unkept(&path, error);
    let mut file = tempfile::NamedTempFile::new_in(state.path()).map_err(failed)?;
    for Line { counter, signer, name } in &all {
        writeln!(file, "{counter} {signer} {name}").map_err(failed)?;
    }
    file.as_file().sync_all().map_err(failed)?;
    file.persist(&path).map_err(|error| failed(error.error))?;
    Ok(())
}

struct Line {
    counter: u64,
    signer: String,
    name: String,
}

impl Line {
    fn is_of(&self, signer: &Signer, name: &str) -> bool {
        self.signer == signer_word(signer) && self.name == name
    }
}

/// Only the holder of a trusted key can raise the counter of that key.
fn signer_word(signer: &Signer) -> &str {
    match signer {
        Signer::Trusted(key) => key,
        Signer::Nobody | Signer::Stranger => "-",
    }
}

fn lines(state: &StateFolder) -> Result<Vec<Line>, BundleError> {
    let path = state.path().join(FILE);
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(BundleError::unkept(&path, error)),
    };
    let line = |line: &str| {
        let mut words = line.split(' ');
        let (counter, signer, name) = (words.next()?.parse().ok()?, words.next()?, words.next()?);
        Some(Line { counter, signer: signer.into(), name: name.into() })
    };
    // An unreadable line may have held the highest counter.
    text.lines().map(|text| line(text).ok_or_else(|| BundleError::unkept(&path, "invalid line"))).collect()
}
