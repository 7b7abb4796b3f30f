//! Trees that no deploy names: left by whoever was killed between writing one and the record that was to name it.
//!
//! A tree's key says which number it was written for. Once another deploy has that number no record can ever come to name
//! it: the transaction that makes one demands that its number is free. A tree for a number that is still to come is left
//! alone, since somebody may be about to name it. The removal itself demands that nobody published since the records were
//! read, so that what is removed is what no deploy named.

use std::collections::BTreeSet;

use super::super::etcd::{Gateway, If, Op, Span};
use super::super::{TargetError, record};
use super::{keys, look};
use crate::world::Cancel;

/// Keys in one answer.
const PAGE: u32 = 3000;
/// Removed at once: etcd takes 128 parts in a transaction.
const BATCH: usize = 100;

/// Removes what nobody can name any more. Gives how many trees went.
pub fn sweep(gateway: &Gateway, cancel: &Cancel) -> Result<usize, TargetError> {
    let shelf = look::shelf(gateway, cancel)?;
    let Some((newest, parts)) = shelf.deploys.last_key_value() else { return Ok(0) };
    let (Some(live), Some(next)) = (&parts.payload, newest.checked_add(1)) else { return Ok(0) };
    let mut named = BTreeSet::new();
    for payload in shelf.deploys.values().filter_map(|parts| parts.payload.as_ref()) {
        // A record that does not read may name any of them.
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

/// The keys of all trees.
fn trees(gateway: &Gateway, cancel: &Cancel) -> Result<Vec<String>, TargetError> {
    let (mut found, mut from, mut revision) = (Vec::new(), keys::TREES.as_bytes().to_vec(), 0);
    loop {
        let span = Span { prefix: keys::TREES, from: &from, limit: PAGE, revision, keys_alone: true };
        let page = gateway.page(span, cancel)?;
        if revision == 0 {
            revision = page.header.revision;
        }
        let Some(last) = page.kvs.last() else { return Ok(found) };
        // Who answers with what was not asked for could go on for ever.
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
