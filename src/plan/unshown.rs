//! Placeholders for contents that a change does not show, with the reason and the length.
//!
//! All plans, JSON outputs and faces use the same text. It depends only on the content and the reason, so that a second
//! check of an unchanged file gives the same text.

use sha2::{Digest, Sha256};

use crate::graph::Value;
use crate::source::hex;

/// Longer contents are not shown: a plan is for reading.
const SHOWN: usize = 64 << 10;

const PRIVATE: &str = "not shown: only its owner may read it";
const LONG: &str = "too long to show";
const BINARY: &str = "not text";

/// Returns a content for a change, or its placeholder. `is_private`: only the owner may read it.
pub fn shown(bytes: &[u8], is_private: bool) -> Value {
    let hash = || hex(&Sha256::digest(bytes)[..6]);
    // ASCII only, for terminals without other characters.
    match std::str::from_utf8(bytes) {
        // A hash would reveal a short secret to a brute-force search.
        _ if is_private => placeholder(PRIVATE, &format!("{} bytes", bytes.len())),
        Ok(_) if bytes.len() > SHOWN => placeholder(LONG, &format!("{} bytes, sha256 {}...", bytes.len(), hash())),
        Ok(text) if !bytes.contains(&0) => text.into(),
        _ => placeholder(BINARY, &format!("{} bytes, sha256 {}...", bytes.len(), hash())),
    }
}

/// Returns the placeholder of a content that is too long to read. `of` names its source if that is another file.
pub fn unread(size: u64, of: Option<&str>) -> Value {
    placeholder(LONG, &of.map_or(format!("{size} bytes"), |of| format!("{size} bytes, those of {of}")))
}

fn placeholder(why: &str, what: &str) -> Value {
    format!("({why}; {what})").as_str().into()
}

/// Whether a side of a change is a placeholder. A placeholder has no lines and no quotes.
pub fn is_placeholder(side: &str) -> bool {
    let Some(inner) = side.strip_prefix('(').and_then(|side| side.strip_suffix(')')) else { return false };
    let after = |why: &&str| inner.strip_prefix(*why)?.strip_prefix("; ");
    // Records of older versions have no reason.
    let sized = [PRIVATE, LONG, BINARY].iter().find_map(after).unwrap_or(inner);
    let size = sized.split_once(" bytes").map(|(size, _)| size);
    size.is_some_and(|size| !size.is_empty() && size.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns the size of a private content from its placeholder.
pub fn private_size(side: &str) -> Option<u64> {
    let inner = side.strip_prefix('(')?.strip_prefix(PRIVATE)?.strip_prefix("; ")?;
    inner.strip_suffix(" bytes)")?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_parts_show_the_reason() {
        let long = "a".repeat(SHOWN + 1);
        for (value, begins) in [
            (shown(b"the key", true), "(not shown: only its owner may read it; 7 bytes)"),
            (shown(b"\xff\xfe", false), "(not text; 2 bytes, sha256 "),
            (shown(b"a\0b", false), "(not text; 3 bytes, sha256 "),
            (shown(long.as_bytes(), false), "(too long to show; 65537 bytes, sha256 "),
            (unread(5 << 20, None), "(too long to show; 5242880 bytes)"),
            (unread(9, Some("/big")), "(too long to show; 9 bytes, those of /big)"),
        ] {
            let Value::Str(text) = &value else { panic!("{value:?} is no text") };
            assert!(text.starts_with(begins) && is_placeholder(text), "{text}");
        }
        assert_eq!(shown(b"plain", false), Value::from("plain"));
        for (text, expected) in [
            ("(4 bytes, sha256 0a1b2c3d4e5f...)", true),
            ("(too long to show; x bytes)", false),
            ("(few bytes)", false),
        ] {
            assert_eq!(is_placeholder(text), expected, "{text}");
        }
    }
}
