//! The paths of the shared store on a machine without a cluster: one file per key.

use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Returns the file of a key's value, optionally of one host.
pub fn stored_path(state: &Path, key: &str, host: Option<&str>) -> PathBuf {
    match host {
        None => store_folder(state).join("keys").join(file_name(key)),
        Some(host) => stored_by_host(state, key).join(file_name(host)),
    }
}

/// Returns the file of the numbers in a pool, as a JSON object.
pub fn pool_path(state: &Path, pool: &str) -> PathBuf {
    state.join("pools").join(file_name(pool) + ".json")
}

/// Returns the folder of the store.
pub fn store_folder(state: &Path) -> PathBuf {
    state.join("store")
}

/// The mode of a secret value. Nothing else in the store is read-only, and files are always replaced instead of
/// written.
pub const SECRET_MODE: u32 = 0o400;

/// Whether a file of the store holds a secret value.
pub fn is_secret_mode(mode: u32) -> bool {
    mode & 0o200 == 0
}

/// Returns the folder of a key's values by host.
pub fn stored_by_host(state: &Path, key: &str) -> PathBuf {
    store_folder(state).join("hosts").join(file_name(key))
}

/// Encodes a key as a file name: every character except letters, digits, `-` and `_` becomes `%` and two digits.
pub(super) fn file_name(key: &str) -> String {
    // An empty key, such as an empty host name, becomes `%`.
    let mut name = String::from(if key.is_empty() { "%" } else { "" });
    for byte in key.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' => name.push(char::from(byte)),
            _ => drop(write!(name, "%{byte:02X}")),
        }
    }
    name
}

/// Decodes a file name; `None` for a foreign file.
pub fn key_of(name: &str) -> Option<String> {
    if name == "%" {
        return Some(String::new());
    }
    let mut key = Vec::with_capacity(name.len());
    let mut bytes = name.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            key.push(byte);
            continue;
        }
        let digits = [bytes.next()?, bytes.next()?];
        key.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
    }
    String::from_utf8(key).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_has_a_file_name_of_its_own() {
        for key in ["", "a", "/etc/x", "..", "ä %2F", "%"] {
            assert_eq!(key_of(&file_name(key)).as_deref(), Some(key));
            assert!(!file_name(key).contains(['/', '.']));
        }
    }
}
