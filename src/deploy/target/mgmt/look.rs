//! Reads a cluster's deploys, trees and contents. Damaged ones are reported and never treated as complete.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use sha2::{Digest, Sha256};

use super::super::etcd::{Gateway, Op, Pair, Span, Watched};
use super::super::{Published, TargetError, Tree, Writer, record};
use super::keys;
use crate::source::hex;
use crate::source::printable;
use crate::world::Cancel;

/// The number of keys in one answer, for small values.
const PAGE: u32 = 300;
const KEYS_PAGE: u32 = 3000;
/// A longer text is not a valid writer.
const WRITER_LIMIT: usize = 16 << 10;
/// The number of contents per request.
const BATCH: usize = 32;
const PAUSE: Duration = Duration::from_millis(50);

/// All deploys at one revision.
#[derive(Default)]
pub struct Shelf {
    pub deploys: BTreeMap<u64, Parts>,
    pub revision: u64,
}

/// The keys of one deploy.
#[derive(Default)]
pub struct Parts {
    pub payload: Option<Pair>,
    pub commit: Option<Vec<u8>>,
    pub writer: Option<Vec<u8>>,
}

/// The deploy that runs.
#[derive(Default)]
pub struct Newest {
    /// 0 if the cluster has no deploy.
    pub id: u64,
    pub parts: Parts,
}

impl Newest {
    /// Returns the deploy as a published one; `None` if the cluster has none.
    pub fn published(&self) -> Option<Published> {
        published(self.id, &self.parts)
    }
}

impl Shelf {
    /// Returns the published deploys, oldest first.
    pub fn published(&self) -> Vec<Published> {
        self.deploys.iter().filter_map(|(id, parts)| published(*id, parts)).collect()
    }
}

impl Parts {
    fn put(&mut self, part: &str, pair: Pair) {
        match part {
            keys::PAYLOAD => self.payload = Some(pair),
            keys::COMMIT => self.commit = Some(pair.value),
            keys::WRITER => self.writer = Some(pair.value),
            // Parts that other programs wrote.
            _ => {}
        }
    }
}

/// Returns a deploy from its parts; `None` while it has no record.
pub fn published(id: u64, parts: &Parts) -> Option<Published> {
    let payload = parts.payload.as_ref()?;
    let text = |bytes: &Vec<u8>| printable(&String::from_utf8_lossy(bytes)).to_string();
    let writer = parts.writer.as_ref().filter(|bytes| bytes.len() <= WRITER_LIMIT);
    Some(Published {
        id,
        revision: payload.mod_revision,
        record: record::decode(&payload.value).map_err(|error| error.to_string()),
        commit: parts.commit.as_ref().map(text),
        writer: writer.and_then(|bytes| serde_json::from_slice::<Writer>(bytes).ok()),
    })
}

/// Reads all deploys.
pub fn shelf(gateway: &Gateway, cancel: &Cancel) -> Result<Shelf, TargetError> {
    let mut deploys: BTreeMap<u64, Parts> = BTreeMap::new();
    let revision = walk(gateway, With::Values, cancel, &mut |id, part, pair| {
        deploys.entry(id).or_default().put(part, pair);
    })?;
    deploys.retain(|_, parts| parts.payload.is_some());
    Ok(Shelf { deploys, revision })
}

/// Reads only the deploy that runs.
pub fn newest(gateway: &Gateway, cancel: &Cancel) -> Result<Newest, TargetError> {
    let mut id = 0;
    walk(gateway, With::KeysAlone, cancel, &mut |at, part, _| {
        if part == keys::PAYLOAD {
            id = id.max(at);
        }
    })?;
    Ok(Newest { id, parts: if id == 0 { Parts::default() } else { parts(gateway, id, cancel)? } })
}

/// Reads the parts of one deploy.
pub fn parts(gateway: &Gateway, id: u64, cancel: &Cancel) -> Result<Parts, TargetError> {
    let all = [keys::PAYLOAD, keys::COMMIT, keys::WRITER];
    let found = gateway.txn(&[], &all.map(|part| Op::Get(keys::part(id, part))), cancel)?.gets();
    let mut parts = Parts::default();
    for (part, pair) in all.into_iter().zip(found) {
        pair.into_iter().for_each(|pair| parts.put(part, pair));
    }
    Ok(parts)
}

/// Reads one deploy. Fails if it does not exist.
pub fn deploy(gateway: &Gateway, id: u64, cancel: &Cancel) -> Result<(Parts, Published), TargetError> {
    let parts = parts(gateway, id, cancel)?;
    let published = published(id, &parts).ok_or(TargetError::NoSuchDeploy(id))?;
    Ok((parts, published))
}

#[derive(Clone, Copy, PartialEq)]
enum With {
    Values,
    KeysAlone,
}

/// Visits all keys of deploys at one revision. Returns that revision.
fn walk(
    gateway: &Gateway,
    with: With,
    cancel: &Cancel,
    each: &mut dyn FnMut(u64, &str, Pair),
) -> Result<u64, TargetError> {
    let keys_alone = with == With::KeysAlone;
    let mut limit = if keys_alone { KEYS_PAGE } else { PAGE };
    let (mut from, mut revision) = (keys::DEPLOYS.as_bytes().to_vec(), 0);
    loop {
        let page = match gateway.page(Span { prefix: keys::DEPLOYS, from: &from, limit, revision, keys_alone }, cancel)
        {
            Err(TargetError::AnswerTooLarge) if limit > 1 => {
                limit /= 2;
                continue;
            }
            page => page?,
        };
        // All pages have the revision of the first one.
        if revision == 0 {
            revision = page.header.revision;
        }
        let Some(last) = page.kvs.last() else { return Ok(revision) };
        // A server that returns keys before the requested one could cause an endless loop.
        if last.key < from {
            return Err(TargetError::BadAnswer("keys come twice".into()));
        }
        from = [last.key.as_slice(), &[0]].concat();
        for pair in page.kvs {
            let key = pair.key.clone();
            let (id, part) = keys::parse_part(&key).ok_or_else(|| stray(&key))?;
            each(id, part, pair);
        }
        if !page.more {
            return Ok(revision);
        }
    }
}

fn stray(key: &[u8]) -> TargetError {
    let key = printable(&String::from_utf8_lossy(key)).to_string();
    let why = "not a deploy key, and mgmt reads no deploy while it exists".into();
    TargetError::Damaged { what: format!("the key `{key}`"), why }
}

/// Reads the tree of a deploy, and returns its key too.
pub fn tree(gateway: &Gateway, deploy: &Published, cancel: &Cancel) -> Result<(String, Tree), TargetError> {
    let damaged = |why: String| TargetError::Damaged { what: format!("deploy {}", deploy.id), why };
    let record = deploy.record.as_ref().map_err(|why| damaged(why.clone()))?;
    let uri = record.uri.as_deref().ok_or(TargetError::NoTree(deploy.id))?;
    let key = keys::tree_of(uri).ok_or(TargetError::NoTree(deploy.id))?;
    let found = gateway.txn(&[], &[Op::Get(key.clone())], cancel)?.gets().into_iter().next().flatten();
    let found = found.ok_or_else(|| damaged(format!("its tree `{}` is missing", printable(&key))))?;
    let tree = Tree::decode(&found.value).map_err(|error| damaged(error.to_string()))?;
    Ok((key, tree))
}

/// Reads every content of a tree and checks its hash. `report` receives the number read so far.
pub fn verify(
    gateway: &Gateway,
    id: u64,
    tree: &Tree,
    report: &mut dyn FnMut(usize, usize),
    cancel: &Cancel,
) -> Result<(), TargetError> {
    let hashes: BTreeSet<&str> = tree.0.values().map(|leaf| leaf.hash.as_str()).collect();
    let hashes: Vec<&str> = hashes.into_iter().collect();
    let (mut done, mut batch) = (0, BATCH);
    while done < hashes.len() {
        let asked = &hashes[done..hashes.len().min(done + batch)];
        let ops: Vec<Op> = asked.iter().map(|hash| Op::Get(keys::content(hash))).collect();
        let found = match gateway.txn(&[], &ops, cancel) {
            Err(TargetError::AnswerTooLarge) if batch > 1 => {
                batch /= 2;
                continue;
            }
            found => found?.gets(),
        };
        for (hash, pair) in asked.iter().zip(found.iter().chain(std::iter::repeat(&None))) {
            let whole = pair.as_ref().is_some_and(|pair| hex(&Sha256::digest(&pair.value)) == **hash);
            if !whole {
                let path = tree.0.iter().find(|(_, leaf)| leaf.hash == *hash).map_or("", |(path, _)| path);
                let why = match pair {
                    None => format!("the content of `{}` is missing", printable(path)),
                    Some(_) => format!("the content of `{}` differs", printable(path)),
                };
                return Err(TargetError::Damaged { what: format!("deploy {id}"), why });
            }
        }
        done += asked.len();
        report(done, hashes.len());
    }
    Ok(())
}

/// Reports each new deploy until `report` returns false.
pub fn watch(
    gateway: &Gateway,
    after: u64,
    report: &mut dyn FnMut(Published) -> bool,
    cancel: &Cancel,
) -> Result<(), TargetError> {
    let mut last = after;
    loop {
        // First the present deploys, then the changes since that revision, so that none is missed.
        let now = shelf(gateway, cancel)?;
        for deploy in now.published() {
            if deploy.id <= last {
                continue;
            }
            last = deploy.id;
            if !report(deploy) {
                return Ok(());
            }
        }
        let (mut next, mut is_newer) = (now.revision + 1, false);
        while !is_newer {
            let mut report = |watched: &Watched| {
                let records = watched.events.iter().filter(|event| event.is_put());
                is_newer |= records.filter_map(|event| keys::parse_part(&event.kv.key)).any(|(id, _)| id > last);
                !is_newer
            };
            next = gateway.watch(keys::DEPLOYS, next, &mut report, cancel)?;
            // Wait before opening a connection again that ended at once.
            std::thread::sleep(PAUSE);
        }
    }
}
