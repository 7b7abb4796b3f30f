//! Trees that no deploy names, left by a publisher that was killed before it wrote the record.
//!
//! A tree's key holds the deploy number that it was written for. Once another deploy has that number, no record can
//! name the tree, because the transaction that writes a record demands a free number. A tree for a higher number stays,
//! because a record may still name it. The removal demands that nothing was published since the records were read, so
//! it removes only trees that no deploy names.

use std::collections::BTreeSet;

use super::super::etcd::{Gateway, If, Op, Span};
use super::super::{TargetError, record};
use super::{keys, look};
use crate::world::Cancel;

/// The number of keys in one answer.
const PAGE: u32 = 3000;
/// The number of keys per removal: etcd allows 128 operations in a transaction.
const BATCH: usize = 100;

/// Removes the trees that no record can name any more. Returns their number.
pub fn sweep(gateway: &Gateway, cancel: &Cancel) -> Result<usize, TargetError> {
    let shelf = look::shelf(gateway, cancel)?;
    let Some((newest, parts)) = shelf.deploys.last_key_value() else { return Ok(0) };
    let (Some(live), Some(next)) = (&parts.payload, newest.checked_add(1)) else { return Ok(0) };
    let mut named = BTreeSet::new();
    for payload in shelf.deploys.values().filter_map(|parts| parts.payload.as_ref()) {
        // An unreadable record may name any of them.
        let Ok(record) = record::decode(&payload.value) else { return Ok(0) };
        named.extend(record.uri.as_deref().and_then(keys::tree_of));
    }
    let is_orphan = |key: &String| keys::number_of(key).is_some_and(|id| id <= *newest) && !named.contains(key);
    let orphans: Vec<String> = trees(gateway, cancel)?.into_iter().filter(is_orphan).collect();
    let still = [
        If::Unmoved(keys::part(*newest, keys::PAYLOAD), live.mod_revision),
        If::Missing(keys::part(next, keys::PAYLOAD)),
    ];
    let mut gone = 0;
    for batch in orphans.chunks(BATCH) {
        let deletes: Vec<Op> = batch.iter().cloned().map(Op::Delete).collect();
        if !gateway.txn(&still, &deletes, cancel)?.succeeded {
            break;
        }
        gone += batch.len();
    }
    Ok(gone)
}

/// Reads the keys of all trees.
fn trees(gateway: &Gateway, cancel: &Cancel) -> Result<Vec<String>, TargetError> {
    let (mut found, mut from, mut revision) = (Vec::new(), keys::TREES.as_bytes().to_vec(), 0);
    loop {
        let span = Span { prefix: keys::TREES, from: &from, limit: PAGE, revision, keys_alone: true };
        let page = gateway.page(span, cancel)?;
        if revision == 0 {
            revision = page.header.revision;
        }
        let Some(last) = page.kvs.last() else { return Ok(found) };
        // A server that returns keys before the requested one could cause an endless loop.
        if last.key < from {
            return Err(TargetError::BadAnswer("keys come twice".into()));
        }
        from = [last.key.as_slice(), &[0]].concat();
        found.extend(page.kvs.into_iter().filter_map(|pair| String::from_utf8(pair.key).ok()));
        if !page.more {
            return Ok(found);
        }
    }
}
