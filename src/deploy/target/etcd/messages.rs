//! The requests to etcd and its answers, as the JSON of its gateway.

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
    /// The revision of the last write.
    #[serde(alias = "modRevision", deserialize_with = "number")]
    pub mod_revision: u64,
}

/// Keys in order, up to the limit of one answer.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Page {
    pub header: Header,
    pub kvs: Vec<Pair>,
    pub more: bool,
}

/// The header of an etcd response: the cluster and its revision.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Header {
    #[serde(alias = "clusterId", deserialize_with = "number")]
    pub cluster_id: u64,
    #[serde(deserialize_with = "number")]
    pub revision: u64,
}

/// The result of a transaction.
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
    /// Returns the value of each requested key, in order; `None` for a missing key.
    pub fn gets(self) -> Vec<Option<Pair>> {
        let pages = self.responses.into_iter().filter_map(|response| response.response_range);
        pages.map(|page| page.kvs.into_iter().next()).collect()
    }
}

/// One operation of a transaction.
#[derive(Clone, Debug)]
pub enum Op {
    Get(String),
    /// Reads a key without its value, to see whether it exists.
    Look(String),
    Put(String, Vec<u8>),
    Delete(String),
}

/// A condition of a transaction.
#[derive(Clone, Debug)]
pub enum If {
    Missing(String),
    There(String),
    /// Not written since this revision.
    Unmoved(String, u64),
    Holds(String, String),
}

/// A transaction. If a condition fails, no operation is done.
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

/// A range of keys below a prefix.
#[derive(Clone, Copy, Debug)]
pub struct Span<'a> {
    pub prefix: &'a str,
    /// The first key and the number of keys.
    pub from: &'a [u8],
    pub limit: u32,
    /// The revision to read; 0 is the present one.
    pub revision: u64,
    pub keys_alone: bool,
}

/// A request for the keys of a span, with or without their values.
pub fn page(span: Span) -> Json {
    json!({
        "key": BASE64.encode(span.from), "rangeEnd": BASE64.encode(end(span.prefix)), "limit": span.limit.to_string(),
        "revision": span.revision.to_string(), "keysOnly": span.keys_alone,
    })
}

/// A watch on all writes below a prefix since a revision.
pub fn watch(prefix: &str, revision: u64) -> Json {
    json!({"createRequest": {
        "key": BASE64.encode(prefix), "rangeEnd": BASE64.encode(end(prefix)), "startRevision": revision.to_string(),
    }})
}

/// Returns the first key after all keys with a prefix.
fn end(prefix: &str) -> Vec<u8> {
    let mut end = prefix.as_bytes().to_vec();
    *end.last_mut().expect("a prefix ends with a slash") += 1;
    end
}

/// One line of a watch.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct WatchLine {
    pub result: Option<Watched>,
    pub error: Option<Json>,
}

/// The events in one line of a watch.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Watched {
    pub header: Header,
    pub events: Vec<Happened>,
    /// etcd ended the watch.
    pub canceled: bool,
    #[serde(alias = "compactRevision", deserialize_with = "number")]
    pub compact_revision: u64,
}

/// One event of a watch: a key was written or deleted.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Happened {
    /// Omitted for a written key.
    #[serde(rename = "type")]
    what: Option<String>,
    pub kv: Pair,
}

impl Happened {
    /// Whether the key was written, not deleted.
    pub fn is_put(&self) -> bool {
        self.what.as_deref().is_none_or(|what| what == "PUT")
    }
}

fn bytes<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
    let text = std::borrow::Cow::<str>::deserialize(from)?;
    BASE64.decode(text.as_bytes()).map_err(serde::de::Error::custom)
}

/// etcd writes large numbers as strings.
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
