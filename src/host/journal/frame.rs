//! The frames of a journal: number, payload and a chained hash, so that the first altered or torn byte is detected.
//!
//! A frame is `length | number | payload | hash | length`. The hash covers the previous hash, so a removed, moved or
//! rewritten frame breaks the chain at its own place. The length is at both ends, so that the last frame can be found
//! without reading the rest.

use std::ops::Range;

use sha2::{Digest, Sha256};

/// The first bytes of every journal.
pub const MAGIC: &[u8] = b"workbench journal 1\n";

/// The hash of a frame.
pub type Hash = [u8; 32];

const HEAD: usize = 4 + 8;
const FOOT: usize = 32 + 4;

/// Longer payloads are never written. A larger length is damage and must not cause an allocation.
pub const PAYLOAD_CAP: usize = 16 << 20;

/// Returns the previous hash of the first frame.
pub fn first_hash() -> Hash {
    Sha256::digest(MAGIC).into()
}

fn link(before: &Hash, head: &[u8], payload: &[u8]) -> Hash {
    Sha256::new().chain_update(before).chain_update(head).chain_update(payload).finalize().into()
}

/// Appends a frame to a buffer, and returns its hash.
pub fn push(buffer: &mut Vec<u8>, before: &Hash, number: u64, payload: &[u8]) -> Hash {
    let length = u32::try_from(payload.len()).expect("payloads stay below their cap");
    let mut head = [0; HEAD];
    head[..4].copy_from_slice(&length.to_le_bytes());
    head[4..].copy_from_slice(&number.to_le_bytes());
    let hash = link(before, &head, payload);
    buffer.extend_from_slice(&head);
    buffer.extend_from_slice(payload);
    buffer.extend_from_slice(&hash);
    buffer.extend_from_slice(&length.to_le_bytes());
    hash
}

/// A valid frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    pub number: u64,
    pub payload: Range<usize>,
    pub hash: Hash,
}

/// The place where a journal stops being valid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("entry {number} (at byte {at}) {why}")]
pub struct Fault {
    /// The number of the first bad entry.
    pub number: u64,
    pub at: usize,
    pub why: &'static str,
}

/// The longest valid prefix of a journal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scan {
    pub frames: Vec<Frame>,
    /// The number of valid bytes.
    pub good: usize,
    pub fault: Option<Fault>,
}

impl Scan {
    /// Returns the hash that the next frame continues.
    pub fn head(&self) -> Hash {
        self.frames.last().map_or_else(first_hash, |frame| frame.hash)
    }
}

/// Reads frames up to the first invalid one.
pub fn scan(bytes: &[u8]) -> Scan {
    let mut scan = Scan::default();
    if !bytes.starts_with(MAGIC) {
        scan.fault = Some(Fault { number: 0, at: 0, why: "is not the start of a journal" });
        return scan;
    }
    scan.good = MAGIC.len();
    let mut before = first_hash();
    while scan.good < bytes.len() {
        let number = scan.frames.len() as u64;
        match frame(bytes, scan.good, number, &before) {
            Ok(frame) => {
                scan.good = frame.payload.end + FOOT;
                before = frame.hash;
                scan.frames.push(frame);
            }
            Err(why) => {
                scan.fault = Some(Fault { number, at: scan.good, why });
                break;
            }
        }
    }
    scan
}

fn frame(bytes: &[u8], at: usize, number: u64, before: &Hash) -> Result<Frame, &'static str> {
    const TORN: &str = "is truncated";
    let head = bytes.get(at..at + HEAD).ok_or(TORN)?;
    let length = length(&head[..4]);
    if length > PAYLOAD_CAP {
        return Err("has an impossible length");
    }
    let payload = at + HEAD..at + HEAD + length;
    let foot = bytes.get(payload.end..payload.end + FOOT).ok_or(TORN)?;
    let hash = link(before, head, &bytes[payload.clone()]);
    if hash != foot[..32] {
        return Err("does not match its hash");
    }
    if foot[32..] != head[..4] || head[4..] != number.to_le_bytes() {
        return Err("is out of order");
    }
    Ok(Frame { number, payload, hash })
}

/// Whether the payload at an offset belongs to a frame with the same length at both ends.
pub fn is_closed(bytes: &[u8], payload: usize) -> bool {
    let head = payload.checked_sub(HEAD).and_then(|head| bytes.get(head..head + 4));
    let Some(head) = head.filter(|head| length(head) <= PAYLOAD_CAP) else { return false };
    let end = payload + length(head) + FOOT;
    bytes.get(end - 4..end) == Some(head)
}

/// Returns the payload of the first frame.
pub fn first(bytes: &[u8]) -> Option<Range<usize>> {
    frame(bytes, MAGIC.len(), 0, &first_hash()).ok().map(|frame| frame.payload)
}

/// Returns the range of the last payload of a complete journal, from its size and its last bytes. The range is
/// unverified until [`scan`] reads the whole.
pub fn last(size: u64, tail: &[u8]) -> Option<Range<u64>> {
    let end = size.checked_sub(FOOT as u64)?;
    let begin = end.checked_sub(length(&tail[tail.len().checked_sub(4)?..]) as u64)?;
    (begin >= (MAGIC.len() + HEAD) as u64 && end - begin <= PAYLOAD_CAP as u64).then_some(begin..end)
}

/// Returns the length of a journal's header and first frame, from its first bytes.
pub fn first_end(bytes: &[u8]) -> Option<usize> {
    let length = length(bytes.get(MAGIC.len()..MAGIC.len() + 4)?);
    (length <= PAYLOAD_CAP).then_some(MAGIC.len() + HEAD + length + FOOT)
}

fn length(bytes: &[u8]) -> usize {
    bytes.try_into().map_or(usize::MAX, |bytes| u32::from_le_bytes(bytes) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn journal(count: u64) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        let mut hash = first_hash();
        for number in 0..count {
            hash = push(&mut bytes, &hash, number, format!("entry {number}").as_bytes());
        }
        bytes
    }

    #[test]
    fn written_records_are_readable() {
        let bytes = journal(5);
        let scan = scan(&bytes);
        assert_eq!((scan.frames.len(), scan.good, scan.fault), (5, bytes.len(), None));
        let last = last(bytes.len() as u64, &bytes).expect("the last frame is whole");
        assert_eq!(&bytes[last.start as usize..last.end as usize], b"entry 4");
        assert!(first(&bytes[..first_end(&bytes).expect("it has a first frame")]).is_some());
    }
}
