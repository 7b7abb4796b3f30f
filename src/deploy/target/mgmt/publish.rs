//! Publishes a deploy: contents, then the tree, all read back, then the record by compare-and-swap.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use sha2::{Digest, Sha256};

use super::super::etcd::{Gateway, If, Op};
use super::super::tree::Leaf;
use super::super::{Comparison, Offer, Origin, PublishEvent, Published, TargetError, Tree, Writer, record};
use super::look::{self, Newest, Parts};
use super::{VALUE_LIMIT, keys, orphans};
use crate::source::hex;
use crate::source::printable;
use crate::world::Cancel;

/// The number of contents per existence check: etcd allows 128 operations in a transaction.
const LOOKS: usize = 100;
/// The number of contents per write or read, and their total size.
const SENDS: usize = 60;
const SENT_BYTES: usize = 512 << 10;
/// The number of attempts to write the record after connection failures, and the time between them.
const COMMITS: u32 = 6;
const PAUSE: Duration = Duration::from_millis(400);

/// An offer with the keys that it will have.
struct Parcel<'a> {
    tree: Tree,
    encoded: Vec<u8>,
    /// By hash, so that duplicates are sent once.
    contents: BTreeMap<String, &'a [u8]>,
}

impl<'a> Parcel<'a> {
    /// Fails with the name of a file that etcd would not accept.
    fn new(offer: &'a Offer) -> Result<Self, TargetError> {
        let large = offer.files.iter().filter(|file| file.bytes.len() > VALUE_LIMIT);
        let large: Vec<String> =
            large.map(|file| format!("`{}` ({} bytes)", printable(&file.path), file.bytes.len())).collect();
        if !large.is_empty() {
            return Err(TargetError::LargeFiles { files: large, limit: VALUE_LIMIT });
        }
        let (mut tree, mut contents) = (Tree::default(), BTreeMap::new());
        for file in &offer.files {
            let hash = hex(&Sha256::digest(&file.bytes));
            tree.0.insert(file.path.clone(), Leaf { hash: hash.clone(), executable: file.executable });
            contents.insert(hash, file.bytes.as_slice());
        }
        let encoded = tree.encode();
        if encoded.len() > VALUE_LIMIT {
            let (files, size) = (tree.0.len(), encoded.len());
            return Err(TargetError::LargeTree { files, size, limit: VALUE_LIMIT });
        }
        Ok(Self { tree, encoded, contents })
    }

    /// Groups the contents by request.
    fn batches(&self) -> Vec<Vec<(&str, &'a [u8])>> {
        let mut batches = vec![Vec::new()];
        let mut size = 0;
        for (hash, bytes) in &self.contents {
            let last = batches.last_mut().expect("one is there from the start");
            if !last.is_empty() && (last.len() == SENDS || size + bytes.len() > SENT_BYTES) {
                size = 0;
                batches.push(Vec::new());
            }
            size += bytes.len();
            batches.last_mut().expect("one is there from the start").push((hash.as_str(), *bytes));
        }
        batches.retain(|batch| !batch.is_empty());
        batches
    }
}

/// Returns what publishing would change.
pub fn preview(gateway: &Gateway, offer: &Offer, cancel: &Cancel) -> Result<Comparison, TargetError> {
    let parcel = Parcel::new(offer)?;
    let newest = look::newest(gateway, cancel)?;
    let live = newest.published();
    let next = next_number(&newest)?;
    chain(live.as_ref(), offer)?;
    is_familiar(&newest, offer)?;
    let bytes = offer.files.iter().map(|file| file.bytes.len() as u64).sum();
    let mut comparison = Comparison { next, bytes, ..Comparison::default() };
    let there = match &live {
        None => Tree::default(),
        Some(deploy) => match look::tree(gateway, deploy, cancel) {
            Ok((_, tree)) => tree,
            Err(error @ (TargetError::Damaged { .. } | TargetError::NoTree(_))) => {
                comparison.unread = Some(error.to_string());
                Tree::default()
            }
            Err(error) => return Err(error),
        },
    };
    for (path, leaf) in &parcel.tree.0 {
        match there.0.get(path) {
            None => comparison.added.push(path.clone()),
            Some(old) if old == leaf => comparison.same += 1,
            Some(_) => comparison.changed.push(path.clone()),
        }
    }
    comparison.removed = there.0.keys().filter(|path| !parcel.tree.0.contains_key(*path)).cloned().collect();
    comparison.live = live;
    Ok(comparison)
}

/// Publishes the files as the deploy after `over`, and returns that deploy. If another deploy was published since, it
/// fails, or it retries up to `retries` times with the next number.
pub fn publish(
    gateway: &Gateway,
    offer: &Offer,
    over: u64,
    retries: u32,
    report: &mut dyn FnMut(PublishEvent),
    cancel: &Cancel,
) -> Result<Published, TargetError> {
    let parcel = Parcel::new(offer)?;
    let mut sent = false;
    for again in 0.. {
        let newest = look::newest(gateway, cancel)?;
        let lost = match newest.id == over || again > 0 {
            false => raced(&newest),
            true => {
                is_familiar(&newest, offer)?;
                let chain = chain(newest.published().as_ref(), offer)?;
                let id = next_number(&newest)?;
                if !sent {
                    send(gateway, &parcel, report, cancel)?;
                    sent = true;
                }
                let key = keys::tree(id, &unique());
                let step = Step { gateway, before: &newest, id, tree: &key, chain };
                match step.with_tree(&parcel, offer, cancel) {
                    Err(error @ TargetError::Raced { .. }) => error,
                    Ok(published) => {
                        // A failure does not matter: the next publisher removes the rest.
                        match orphans::sweep(gateway, cancel) {
                            Ok(gone) if gone > 0 => report(PublishEvent::Swept(gone)),
                            _ => {}
                        }
                        return Ok(published);
                    }
                    Err(error) => return Err(error),
                }
            }
        };
        let TargetError::Raced { id, .. } = &lost else { return Err(lost) };
        if again >= retries {
            return Err(lost);
        }
        report(PublishEvent::Raced(*id));
    }
    Err(TargetError::Cancelled)
}

/// The old record is written again unchanged. Its tree never changes.
pub fn rollback(
    gateway: &Gateway,
    to: u64,
    over: u64,
    writer: Writer,
    report: &mut dyn FnMut(PublishEvent),
    cancel: &Cancel,
) -> Result<Published, TargetError> {
    let newest = look::newest(gateway, cancel)?;
    if newest.id != over {
        return Err(raced(&newest));
    }
    let (parts, deploy) = look::deploy(gateway, to, cancel)?;
    let (tree, files) = look::tree(gateway, &deploy, cancel)?;
    look::verify(gateway, to, &files, &mut |done, all| report(PublishEvent::ReadBack(done, all)), cancel)?;
    let payload = parts.payload.map(|pair| pair.value).unwrap_or_default();
    let step = Step { gateway, before: &newest, id: next_number(&newest)?, tree: &tree, chain: Vec::new() };
    let writer = Writer { back_to: Some(to), ..writer };
    let parcel = Expected::new(payload, parts.commit, &writer);
    step.commit(&parcel)?;
    step.read_back(&parcel)
}

fn next_number(newest: &Newest) -> Result<u64, TargetError> {
    newest.id.checked_add(1).ok_or_else(|| TargetError::Damaged {
        what: format!("deploy {}", newest.id),
        why: "no number follows it".into(),
    })
}

fn raced(newest: &Newest) -> TargetError {
    let writer = newest.published().and_then(|deploy| deploy.writer);
    TargetError::Raced { id: newest.id, by: writer.map(|writer| printable(&writer.to_string()).to_string()) }
}

/// Returns the conditions on the previous deploy's commit, if deploys must follow a chain of commits.
fn chain(live: Option<&Published>, offer: &Offer) -> Result<Vec<If>, TargetError> {
    let Some((live, there)) = live.and_then(|live| Some((live, live.commit.clone()?))) else { return Ok(Vec::new()) };
    match &offer.origin {
        _ if offer.is_forced => Ok(Vec::new()),
        Origin::Unasked => Ok(Vec::new()),
        Origin::Untracked => Err(TargetError::NoCommit { id: live.id, there }),
        Origin::Commit { id, .. } if *id == there => Err(TargetError::SameCommit(there)),
        Origin::Commit { parent, .. } if parent.as_ref() != Some(&there) => {
            Err(TargetError::OtherCommit { id: live.id, there, parent: parent.clone() })
        }
        Origin::Commit { .. } => Ok(vec![If::Holds(keys::part(live.id, keys::COMMIT), there)]),
    }
}

/// Records name internal types of mgmt. If the present ones name other types, the cluster would not understand ours.
fn is_familiar(newest: &Newest, offer: &Offer) -> Result<(), TargetError> {
    let payload = newest.parts.payload.as_ref();
    let strange = payload.and_then(|payload| record::stranger_than(&payload.value, offer.frontend));
    match strange.filter(|_| !offer.is_forced) {
        Some(why) => Err(TargetError::OtherVersion(printable(&why).to_string())),
        None => Ok(()),
    }
}

/// Sends the missing contents, and reads all of them back.
fn send(
    gateway: &Gateway,
    parcel: &Parcel,
    report: &mut dyn FnMut(PublishEvent),
    cancel: &Cancel,
) -> Result<(), TargetError> {
    let all = parcel.contents.len();
    let missing = missing(gateway, parcel.contents.keys().map(String::as_str), cancel)?;
    let mut done = all - missing.len();
    report(PublishEvent::Sent(done, all));
    for batch in parcel.batches() {
        let mut batch: Vec<_> = batch.into_iter().filter(|(hash, _)| missing.contains(*hash)).collect();
        done += batch.len();
        while !batch.is_empty() {
            let ifs: Vec<If> = batch.iter().map(|(hash, _)| If::Missing(keys::content(hash))).collect();
            let puts: Vec<Op> =
                batch.iter().map(|(hash, bytes)| Op::Put(keys::content(hash), bytes.to_vec())).collect();
            if gateway.txn(&ifs, &puts, cancel)?.succeeded {
                break;
            }
            // Another publisher may have written some of them.
            let still = self::missing(gateway, batch.iter().map(|(hash, _)| *hash), cancel)?;
            batch.retain(|(hash, _)| still.contains(*hash));
        }
        report(PublishEvent::Sent(done, all));
    }
    let mut done = 0;
    for batch in parcel.batches() {
        let gets: Vec<Op> = batch.iter().map(|(hash, _)| Op::Get(keys::content(hash))).collect();
        let found = gateway.txn(&[], &gets, cancel)?.gets();
        for ((hash, bytes), pair) in batch.iter().zip(found.iter().chain(std::iter::repeat(&None))) {
            if pair.as_ref().is_none_or(|pair| pair.value != *bytes) {
                return Err(not_as_sent(&keys::content(hash)));
            }
        }
        done += batch.len();
        report(PublishEvent::ReadBack(done, all));
    }
    Ok(())
}

fn not_as_sent(key: &str) -> TargetError {
    TargetError::Damaged { what: format!("the key `{key}`"), why: "its content differs from what was sent".into() }
}

fn missing<'h>(
    gateway: &Gateway,
    hashes: impl Iterator<Item = &'h str>,
    cancel: &Cancel,
) -> Result<BTreeSet<String>, TargetError> {
    let hashes: Vec<&str> = hashes.collect();
    let mut missing = BTreeSet::new();
    for group in hashes.chunks(LOOKS) {
        let looks: Vec<Op> = group.iter().map(|hash| Op::Look(keys::content(hash))).collect();
        let found = gateway.txn(&[], &looks, cancel)?.gets();
        let found = found.iter().chain(std::iter::repeat(&None));
        missing.extend(group.iter().zip(found).filter(|(_, pair)| pair.is_none()).map(|(hash, _)| (*hash).to_owned()));
    }
    Ok(missing)
}

/// Returns 128 random bits in the form of a UUID.
fn unique() -> String {
    let mut bytes = [0_u8; 16];
    // The system always returns this small number of bytes at once.
    let _ = rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty());
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let digits = hex(&bytes);
    [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]].join("-")
}

/// One attempt to get a number.
struct Step<'a> {
    gateway: &'a Gateway,
    /// The newest deploy when the number was chosen.
    before: &'a Newest,
    id: u64,
    tree: &'a str,
    chain: Vec<If>,
}

/// The values of a deploy's keys.
struct Expected {
    payload: Vec<u8>,
    commit: Option<Vec<u8>>,
    writer: Vec<u8>,
}

impl Expected {
    fn new(payload: Vec<u8>, commit: Option<Vec<u8>>, writer: &Writer) -> Self {
        Self { payload, commit, writer: serde_json::to_vec(writer).expect("texts and numbers always make JSON") }
    }

    /// Whether these keys are ours: each of our records names its own tree, and no other publisher writes at the same
    /// time.
    fn is_in(&self, parts: &Parts) -> bool {
        parts.payload.as_ref().is_some_and(|pair| pair.value == self.payload)
            && parts.writer.as_ref() == Some(&self.writer)
            && parts.commit == self.commit
    }
}

impl Step<'_> {
    /// Writes the tree and then the record. If the record fails, removes the tree.
    fn with_tree(&self, parcel: &Parcel, offer: &Offer, cancel: &Cancel) -> Result<Published, TargetError> {
        let record = record::encode(offer.frontend, offer.choices, &keys::uri(self.tree));
        let commit = match &offer.origin {
            Origin::Commit { id, .. } => Some(id.clone().into_bytes()),
            Origin::Untracked | Origin::Unasked => None,
        };
        let expected = Expected::new(record.into_bytes(), commit, &offer.writer);
        let done = self.write_tree(&parcel.encoded, cancel).and_then(|()| match cancel.is_cancelled() {
            true => Err(TargetError::Cancelled),
            false => self.commit(&expected),
        });
        match done {
            Ok(()) => self.read_back(&expected),
            // The record may exist, and needs its tree.
            Err(error @ TargetError::Unsure(_)) => Err(error),
            Err(error) => {
                let _ = self.gateway.txn(&[], &[Op::Delete(self.tree.to_owned())], &Cancel::default());
                Err(error)
            }
        }
    }

    fn write_tree(&self, bytes: &[u8], cancel: &Cancel) -> Result<(), TargetError> {
        self.gateway.txn(&[], &[Op::Put(self.tree.to_owned(), bytes.to_vec())], cancel)?;
        let found = self.gateway.txn(&[], &[Op::Get(self.tree.to_owned())], cancel)?.gets().pop().flatten();
        match found {
            Some(pair) if pair.value == bytes => Ok(()),
            Some(_) => Err(not_as_sent(self.tree)),
            // Another publisher took our number and then removed this tree, because no record could name it.
            None => {
                let newest = look::newest(self.gateway, cancel)?;
                Err(if newest.id >= self.id { raced(&newest) } else { not_as_sent(self.tree) })
            }
        }
    }

    /// The one transaction that makes a deploy. It is done or not done, and can no longer be cancelled.
    fn commit(&self, expected: &Expected) -> Result<(), TargetError> {
        let never = Cancel::default();
        let part = |part| keys::part(self.id, part);
        let mut ifs = vec![If::Missing(part(keys::PAYLOAD)), If::There(self.tree.to_owned())];
        if let Some(before) = &self.before.parts.payload {
            ifs.push(If::Unmoved(keys::part(self.before.id, keys::PAYLOAD), before.mod_revision));
        }
        ifs.extend(self.chain.iter().cloned());
        let mut puts = vec![
            Op::Put(part(keys::PAYLOAD), expected.payload.clone()),
            Op::Put(part(keys::WRITER), expected.writer.clone()),
        ];
        puts.extend(expected.commit.clone().map(|commit| Op::Put(part(keys::COMMIT), commit)));
        for at in 0..COMMITS {
            if at > 0 {
                std::thread::sleep(PAUSE);
            }
            match self.gateway.txn(&ifs, &puts, &never) {
                Ok(done) if done.succeeded => return Ok(()),
                Ok(_) => return self.why_not(expected),
                // These errors mean that it was not done, unless an earlier attempt was.
                Err(
                    error @ (TargetError::Denied(_)
                    | TargetError::NeedsLogin
                    | TargetError::BadLogin(_)
                    | TargetError::Full
                    | TargetError::RequestTooLarge
                    | TargetError::Refused(_)),
                ) if at == 0 => return Err(error),
                Err(_) => {}
            }
        }
        Err(TargetError::Unsure(self.id))
    }

    /// Returns why the conditions failed. It is not an error if an earlier attempt succeeded and only its answer was
    /// lost.
    fn why_not(&self, expected: &Expected) -> Result<(), TargetError> {
        let never = Cancel::default();
        let unsure = |_| TargetError::Unsure(self.id);
        if expected.is_in(&look::parts(self.gateway, self.id, &never).map_err(unsure)?) {
            return Ok(());
        }
        let newest = look::newest(self.gateway, &never).map_err(unsure)?;
        if newest.id >= self.id {
            return Err(raced(&newest));
        }
        let what = format!("deploy {}", self.before.id);
        Err(TargetError::Damaged { what, why: "it was changed or removed while this one was made".into() })
    }

    fn read_back(&self, expected: &Expected) -> Result<Published, TargetError> {
        let never = Cancel::default();
        let parts = look::parts(self.gateway, self.id, &never).map_err(|_| TargetError::Unsure(self.id))?;
        let published = look::published(self.id, &parts).filter(|_| expected.is_in(&parts));
        published.ok_or_else(|| not_as_sent(&keys::part(self.id, keys::PAYLOAD)))
    }
}
