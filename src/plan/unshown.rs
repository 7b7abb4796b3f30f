//! What stands in a change for a content that is not shown: why, and how long it is.
//!
//! One wording for plans, their JSON and all faces. It depends on nothing but the content and the reason, so that a plan that is
//! looked at again finds the same words where nothing differs.

use sha2::{Digest, Sha256};

use crate::graph::Value;

/// Longer contents are not shown: a plan is for reading.
const SHOWN: usize = 64 << 10;

const PRIVATE: &str = "not shown: only its owner may read it";
const LONG: &str = "too long to show";
const BINARY: &str = "not text";

/// A content as a change shows it, or what stands for it. `is_private`: it is kept from everybody but its owner.
pub fn shown(bytes: &[u8], is_private: bool) -> Value {
    let hash = || -> String { Sha256::digest(bytes).iter().take(6).map(|byte| format!("{byte:02x}")).collect() };
    // ASCII alone: it is drawn where nothing else can be.
    match std::str::from_utf8(bytes) {
        // A hash would tell a short secret to whoever can try them all.
        _ if is_private => stand_in(PRIVATE, &format!("{} bytes", bytes.len())),
        Ok(_) if bytes.len() > SHOWN => stand_in(LONG, &format!("{} bytes, sha256 {}...", bytes.len(), hash())),
        Ok(text) if !bytes.contains(&0) => text.into(),
        _ => stand_in(BINARY, &format!("{} bytes, sha256 {}...", bytes.len(), hash())),
    }
}

/// What stands for a content that is too long even to be read; `of` tells whose it is, where that is another's.
pub fn unread(size: u64, of: Option<&str>) -> Value {
    stand_in(LONG, &of.map_or(format!("{size} bytes"), |of| format!("{size} bytes, those of {of}")))
}

fn stand_in(why: &str, what: &str) -> Value {
    format!("({why}; {what})").as_str().into()
}

/// Whether a side of a change is no text itself but stands for one that is not shown; so it has no line that could lack a line
/// break, and takes no quotes.
pub fn is_stand_in(side: &str) -> bool {
    let Some(inner) = side.strip_prefix('(').and_then(|side| side.strip_suffix(')')) else { return false };
    let after = |why: &&str| inner.strip_prefix(*why)?.strip_prefix("; ");
    // Without a reason, as records from before there were any have it.
    let sized = [PRIVATE, LONG, BINARY].iter().find_map(after).unwrap_or(inner);
    let size = sized.split_once(" bytes").map(|(size, _)| size);
    size.is_some_and(|size| !size.is_empty() && size.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_shown_says_why() {
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
            assert!(text.starts_with(begins) && is_stand_in(text), "{text}");
        }
        assert_eq!(shown(b"plain", false), Value::from("plain"));
        for (text, stands_in) in [
            ("(4 bytes, sha256 0a1b2c3d4e5f...)", true),
            ("(too long to show; x bytes)", false),
            ("(few bytes)", false),
        ] {
            assert_eq!(is_stand_in(text), stands_in, "{text}");
        }
    }
}
