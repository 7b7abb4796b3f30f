//! The numbers that names have in pools. An apply stores them, so that each name keeps its number.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::StateError;
use crate::graph::Numbers;
use crate::host::HostError;
use crate::world::pool_path;

/// Stores new numbers. Fails if another process took one of them since the compile.
pub fn store_numbers(state: &Path, numbers: &Numbers) -> Result<(), StateError> {
    for (pool, new) in numbers {
        let path = pool_path(state, pool);
        let failed = |error: std::io::Error| StateError::from(HostError::std("store numbers in", &path, &error));
        let mut stored: BTreeMap<String, i64> = match fs::read(&path) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| failed(error.into()))?,
            Err(error) if error.kind() == ErrorKind::NotFound => BTreeMap::new(),
            Err(error) => return Err(failed(error)),
        };
        let taken: BTreeSet<i64> = stored.values().copied().collect();
        let is_other = |(name, number): (&String, &i64)| match stored.get(name) {
            Some(have) => have != number,
            None => taken.contains(number),
        };
        if new.iter().any(is_other) {
            let why = format!("another program took numbers of the pool `{pool}` since this was compiled; try again");
            return Err(HostError::Refused(why).into());
        }
        let before = stored.len();
        stored.extend(new.iter().map(|(name, number)| (name.clone(), *number)));
        if stored.len() == before {
            continue;
        }
        let folder = path.parent().unwrap_or(state);
        fs::create_dir_all(folder).map_err(failed)?;
        let text = serde_json::to_vec_pretty(&stored).map_err(|error| failed(error.into()))?;
        let mut file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
        // Readable for all: a user compiles the program again with numbers that root stored.
        file.as_file().set_permissions(fs::Permissions::from_mode(0o644)).map_err(failed)?;
        file.write_all(&text).and_then(|()| file.as_file().sync_all()).map_err(failed)?;
        file.persist(&path).map_err(|error| failed(error.error))?;
        fs::File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed)?;
    }
    Ok(())
}
