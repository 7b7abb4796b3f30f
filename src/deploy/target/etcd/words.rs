//! What is asked of etcd and what it answers, to and from the JSON of its gateway.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::{Deserialize, Deserializer};
use serde_json::{Value as Json, json};

/// A key with its value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Pair {
    #[serde(deserialize_with = "bytes")]
    pub key: Vec<u8>,
    #[serde(deserialize_with = "bytes")]
    pub value: Vec<u8>,
    /// When it was last written.
    #[serde(alias = "modRevision", deserialize_with = "number")]
    pub mod_revision: u64,
}

/// Keys in their order, as far as one answer goes.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Page {
    pub header: Header,
    pub kvs: Vec<Pair>,
    pub more: bool,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Header {
    #[serde(alias = "clusterId", deserialize_with = "number")]
    pub cluster_id: u64,
    #[serde(deserialize_with = "number")]
    pub revision: u64,
}

/// What a transaction did.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Txn {
    pub header: Header,
    /// Whether all its conditions held.
    pub succeeded: bool,
    responses: Vec<Response>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Response {
    #[serde(alias = "responseRange")]
    response_range: Option<Page>,
}

impl Txn {
    /// What each key held that it asked for, in that order; nothing for one that is not there.
    pub fn gets(self) -> Vec<Option<Pair>> {
        let pages = self.responses.into_iter().filter_map(|response| response.response_range);
        pages.map(|page| page.kvs.into_iter().next()).collect()
    }
}

/// One part of a transaction.
#[derive(Clone, Debug)]
pub enum Op {
    Get(String),
    /// Without the value: whether it is there.
    Look(String),
    Put(String, Vec<u8>),
    Delete(String),
}

/// What must hold for a transaction to be done.
#[derive(Clone, Debug)]
pub enum If {
    Missing(String),
    There(String),
    /// Not written since.
    Unmoved(String, u64),
    Holds(String, String),
}

/// A transaction: all of it, or nothing where a condition does not hold.
pub fn txn(ifs: &[If], ops: &[Op]) -> Json {
    json!({
        "compare": ifs.iter().map(compare).collect::<Vec<_>>(),
        "success": ops.iter().map(request).collect::<Vec<_>>(),
    })
}

fn compare(condition: &If) -> Json {
    let key = |key: &str| BASE64.encode(key);
    match condition {
        If::Missing(at) => json!({"key": key(at), "target": "CREATE", "result": "EQUAL", "createRevision": "0"}),
        If::There(at) => json!({"key": key(at), "target": "CREATE", "result": "GREATER", "createRevision": "0"}),
        If::Unmoved(at, revision) => {
            json!({"key": key(at), "target": "MOD", "result": "EQUAL", "modRevision": revision.to_string()})
        }
        If::Holds(at, value) => {
            json!({"key": key(at), "target": "VALUE", "result": "EQUAL", "value": BASE64.encode(value)})
        }
    }
}

fn request(op: &Op) -> Json {
    match op {
        Op::Get(key) => json!({"requestRange": {"key": BASE64.encode(key)}}),
        Op::Look(key) => json!({"requestRange": {"key": BASE64.encode(key), "keysOnly": true}}),
        Op::Put(key, value) => json!({"requestPut": {"key": BASE64.encode(key), "value": BASE64.encode(value)}}),
        Op::Delete(key) => json!({"requestDeleteRange": {"key": BASE64.encode(key)}}),
    }
}

/// Some of the keys below a prefix.
#[derive(Clone, Copy, Debug)]
pub struct Span<'a> {
    pub prefix: &'a str,
    /// The first one, and how many from there.
    pub from: &'a [u8],
    pub limit: u32,
    /// As they were then; 0 for now.
    pub revision: u64,
    pub keys_alone: bool,
}

pub fn page(span: Span) -> Json {
    json!({
        "key": BASE64.encode(span.from), "rangeEnd": BASE64.encode(end(span.prefix)), "limit": span.limit.to_string(),
        "revision": span.revision.to_string(), "keysOnly": span.keys_alone,
    })
}

/// Everything that is written below a prefix, from a revision on.
pub fn watch(prefix: &str, revision: u64) -> Json {
    json!({"createRequest": {
        "key": BASE64.encode(prefix), "rangeEnd": BASE64.encode(end(prefix)), "startRevision": revision.to_string(),
    }})
}

/// The first key behind all that begin with a prefix.
fn end(prefix: &str) -> Vec<u8> {
    let mut end = prefix.as_bytes().to_vec();
    *end.last_mut().expect("a prefix ends with a slash") += 1;
    end
}

/// One line of what a watch tells.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Told {
    pub result: Option<Watched>,
    pub error: Option<Json>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Watched {
    pub header: Header,
    pub events: Vec<Happened>,
    /// The watch was ended by etcd.
    pub canceled: bool,
    #[serde(alias = "compactRevision", deserialize_with = "number")]
    pub compact_revision: u64,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Happened {
    /// Left out where a key was put.
    #[serde(rename = "type")]
    what: Option<String>,
    pub kv: Pair,
}

impl Happened {
    pub fn is_put(&self) -> bool {
        self.what.as_deref().is_none_or(|what| what == "PUT")
    }
}

fn bytes<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
    let text = std::borrow::Cow::<str>::deserialize(from)?;
    BASE64.decode(text.as_bytes()).map_err(serde::de::Error::custom)
}

/// Large numbers come as texts.
fn number<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Number {
        Text(String),
        Plain(u64),
    }
    match Number::deserialize(from)? {
        Number::Text(text) => text.parse().map_err(serde::de::Error::custom),
        Number::Plain(number) => Ok(number),
    }
}
