//! Seals: keyed hashes of contents that a plan may not hold, to detect later changes.
//!
//! Without the key a seal reveals nothing, not even that two files have the same content. The key stays in the user's
//! state folder. Only seals with the same key are compared. Source: HMAC of RFC 2104, with SHA-256.

use std::fmt;

use crate::source::hex;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// In bytes.
pub const SEAL_KEY: usize = 32;

/// In bytes. Shorter keys are padded with zeros.
const BLOCK: usize = 64;

/// The key of one user on one machine.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SealKey([u8; SEAL_KEY]);

impl fmt::Debug for SealKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SealKey(…)")
    }
}

impl From<[u8; SEAL_KEY]> for SealKey {
    fn from(bytes: [u8; SEAL_KEY]) -> Self {
        Self(bytes)
    }
}

impl SealKey {
    /// Returns the seal of several texts, as `<key name>:<hash>`.
    pub fn seal<'t>(&self, texts: impl Iterator<Item = &'t [u8]>) -> String {
        // The lengths are part of the hash, so that the borders of the texts matter.
        let parts = texts.flat_map(|text| [(text.len() as u64).to_be_bytes().to_vec(), text.to_vec()]);
        let hash = hmac(&self.0, parts);
        format!("{}:{}", self.name(), hex(&hash))
    }

    /// Returns a name of the key that reveals nothing about it.
    fn name(&self) -> String {
        hex(&hmac(&self.0, [b"the name of this key".to_vec()].into_iter())[..4])
    }
}

/// Whether two seals have the same key and differ. With different keys nothing is known.
pub fn is_broken(one: Option<&str>, other: Option<&str>) -> bool {
    let key = |seal: &str| seal.split_once(':').map(|(key, _)| key.to_owned());
    match (one, other) {
        (Some(one), Some(other)) => one != other && key(one) == key(other),
        _ => false,
    }
}

fn hmac(key: &[u8], texts: impl Iterator<Item = Vec<u8>>) -> [u8; 32] {
    let padded = |with: u8| -> Vec<u8> {
        let mut block = vec![with; BLOCK];
        block.iter_mut().zip(key).for_each(|(byte, key)| *byte ^= key);
        block
    };
    let mut inner = Sha256::new_with_prefix(padded(0x36));
    texts.for_each(|text| inner.update(&text));
    Sha256::new_with_prefix(padded(0x5c)).chain_update(inner.finalize()).finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 4231, cases 1 and 2.
    #[test]
    fn the_hash_matches_the_standard() {
        let of = |key: &[u8], text: &str| hex(&hmac(key, [text.as_bytes().to_vec()].into_iter()));
        let first = "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7";
        assert_eq!(of(&[0x0b; 20], "Hi There"), first);
        let second = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
        assert_eq!(of(b"Jefe", "what do ya want for nothing?"), second);
    }

    #[test]
    fn seals_of_one_key_are_held_against_each_other() {
        let (ours, other) = (SealKey::from([1; SEAL_KEY]), SealKey::from([2; SEAL_KEY]));
        let seal = |key: &SealKey, texts: &[&str]| key.seal(texts.iter().map(|text| text.as_bytes()));
        let one = seal(&ours, &["a", "bc"]);
        assert_eq!(one, seal(&ours, &["a", "bc"]));
        assert!(is_broken(Some(&one), Some(&seal(&ours, &["ab", "c"]))));
        assert!(!is_broken(Some(&one), Some(&seal(&other, &["x"]))) && !is_broken(Some(&one), None));
        assert!(!format!("{ours:?}").contains('1'));
    }
}
