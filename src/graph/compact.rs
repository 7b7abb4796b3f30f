//! A graph as bytes between two processes of the same program: texts that repeat are numbers, numbers by their size.
//!
//! A graph of 10,000 resources repeats a few hundred texts a hundred thousand times, and has as many that do not repeat.
//! Therefore both sides hold the last short text of each slot, and a text that is in its slot is written as the slot's
//! number: that takes no table of all texts, which would not fit into the processor's cache. Long texts are in a table,
//! so that none is written twice. Not a format for files: it has no version.

use std::collections::BTreeMap;
use std::hash::Hasher;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHasher};
use serde::de::Visitor;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{
    Anchor, Declaration, Edge, Graph, Mapping, Meta, Node, NodeIndex, Numbers, Params, Parts, Reason, Resource,
    ResourceId, Value,
};
use crate::source::Place;

/// The nesting limit of values. More would need a deep stack to read.
const DEPTH: u32 = 2_000;

/// Serialises a graph as bytes.
pub fn serialize<S: Serializer>(graph: &Graph, serializer: S) -> Result<S::Ok, S::Error> {
    let bytes = to_bytes(graph).ok_or_else(|| serde::ser::Error::custom("a value is nested too deeply"))?;
    serializer.serialize_bytes(&bytes)
}

/// The counterpart of [`serialize`].
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Graph, D::Error> {
    deserializer.deserialize_bytes(GraphVisitor)
}

struct GraphVisitor;

impl Visitor<'_> for GraphVisitor {
    type Value = Graph;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a graph as bytes")
    }

    fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<Graph, E> {
        whole_from_bytes(bytes).ok_or_else(|| E::custom("a graph that ends early"))
    }
}

/// Bytes in a message.
#[derive(Debug)]
pub struct Bytes(pub(super) Vec<u8>);

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_bytes(BytesVisitor)
    }
}

struct BytesVisitor;

impl Visitor<'_> for BytesVisitor {
    type Value = Bytes;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("bytes")
    }

    fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<Bytes, E> {
        Ok(Bytes(bytes.into()))
    }
}

/// Returns the bytes of a graph; `None` if a value is nested too deeply.
pub(super) fn to_bytes(graph: &Graph) -> Option<Vec<u8>> {
    let (first, rest) = graph.nodes.split_at(cut(graph.nodes.len(), graph.edges.len()));
    let write_first = || {
        let mut writer = Writer::default();
        writer.nodes(first)?;
        Some(writer.body)
    };
    let write_rest = || {
        let mut writer = Writer::default();
        writer.part(rest, &graph.edges)?;
        writer.numbers(&graph.numbers);
        Some(writer.body)
    };
    let (first, rest) = both(!first.is_empty(), &write_first, write_rest);
    let (first, rest) = (first?, rest?);
    let mut bytes = Vec::with_capacity(8 + first.len() + rest.len());
    bytes.extend((first.len() as u64).to_le_bytes());
    bytes.extend(first);
    bytes.extend(rest);
    Some(bytes)
}

/// Reads such bytes; `None` if they are not of that form, or if an edge has no end.
pub(super) fn whole_from_bytes(bytes: &[u8]) -> Option<Graph> {
    from_bytes(bytes).filter(Graph::is_whole)
}

fn from_bytes(bytes: &[u8]) -> Option<Graph> {
    let (len, bytes) = bytes.split_at_checked(8)?;
    let len = u64::from_le_bytes(len.try_into().ok()?);
    let (first, rest) = bytes.split_at_checked(usize::try_from(len).ok()?)?;
    let read_rest = || {
        let mut reader = Reader::default().of(rest);
        Some((reader.part()?, reader.numbers()?))
    };
    let (first, rest) = both(first.len() > 1, &|| Reader::default().of(first).nodes(), read_rest);
    let (mut nodes, ((more, edges), numbers)) = (first?, rest?);
    nodes.extend(more);
    Some(Graph::from(Parts { nodes, edges, numbers }))
}

/// Graphs with fewer nodes are written and read by one thread: starting another takes as long.
const MANY: usize = 1_000;

/// How many nodes make half of the work.
fn cut(nodes: usize, edges: usize) -> usize {
    // A node has about three times the texts of an edge.
    if nodes < MANY { 0 } else { ((3 * nodes + edges) / 6).min(nodes) }
}

/// The stack of the other thread: for the deepest values.
pub(super) const STACK: usize = 64 << 20;

/// Does two things, at the same time if that is worth it.
fn both<A: Send, B>(at_once: bool, one: &(impl Fn() -> A + Sync), two: impl FnOnce() -> B) -> (A, B) {
    if !at_once {
        return (one(), two());
    }
    std::thread::scope(|scope| {
        let started = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, one);
        let two = two();
        // Without another thread, this one does both.
        (started.ok().and_then(|other| other.join().ok()).unwrap_or_else(one), two)
    })
}

/// How many short texts are held.
const SLOTS: usize = 1 << 12;

/// Texts up to this length are short.
const SHORT: usize = 64;

pub(super) struct Writer<'g> {
    body: Vec<u8>,
    /// The last short text of each slot.
    short: Vec<&'g str>,
    /// The numbers of long texts by where they are: shared ones are in one place.
    long: FxHashMap<(usize, usize), u32>,
}

impl Default for Writer<'_> {
    fn default() -> Self {
        Self { body: Vec::new(), short: vec![""; SLOTS], long: FxHashMap::default() }
    }
}

impl<'g> Writer<'g> {
    /// Returns the bytes so far. The next ones continue them.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.body)
    }

    pub fn part(&mut self, nodes: &'g [Arc<Node>], edges: &'g [Edge]) -> Option<()> {
        self.nodes(nodes)?;
        self.list(edges.len());
        edges.iter().for_each(|edge| self.edge(edge));
        Some(())
    }

    fn nodes(&mut self, nodes: &'g [Arc<Node>]) -> Option<()> {
        self.body.reserve(256 * nodes.len());
        self.list(nodes.len());
        nodes.iter().try_for_each(|node| self.node(node))
    }

    pub fn node(&mut self, node: &'g Node) -> Option<()> {
        match node {
            Node::Resource(resource) => self.resource(resource)?,
            Node::Anchor(anchor) => self.anchor(anchor),
        }
        Some(())
    }

    pub fn numbers(&mut self, pools: &'g Numbers) {
        self.list(pools.len());
        for (pool, numbers) in pools {
            self.text(pool);
            self.list(numbers.len());
            for (name, number) in numbers {
                self.text(name);
                self.body.extend(number.to_le_bytes());
            }
        }
    }

    pub fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.body.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.body.push(number as u8);
    }

    pub fn list(&mut self, len: usize) {
        self.number(len as u64);
    }

    pub fn flag(&mut self, flag: bool) {
        self.body.push(flag.into());
    }

    /// A text: a number, whose last two bits are its form, and its bytes if it is new.
    fn text(&mut self, text: &'g str) {
        if text.len() > SHORT {
            let next = self.long.len() as u32;
            let number = *self.long.entry((text.as_ptr() as usize, text.len())).or_insert(next);
            if number < next {
                return self.number(u64::from(number) << 2 | 3);
            }
            self.number((text.len() as u64) << 2 | 2);
        } else {
            let slot = slot_of(text);
            if std::mem::replace(&mut self.short[slot], text) == text {
                return self.number((slot as u64) << 2 | 1);
            }
            self.number((slot as u64) << 2);
            self.body.push(text.len() as u8);
        }
        self.body.extend(text.as_bytes());
    }

    fn texts(&mut self, texts: &'g [Arc<str>]) {
        self.list(texts.len());
        texts.iter().for_each(|text| self.text(text));
    }

    fn place(&mut self, place: Option<&'g Place>) {
        self.flag(place.is_some());
        if let Some(place) = place {
            self.text(&place.file);
            for number in [place.line, place.column, place.end_line, place.end_column] {
                self.number(number.into());
            }
        }
    }

    fn resource(&mut self, resource: &'g Resource) -> Option<()> {
        // All fields by name, so that none is forgotten.
        let Resource {
            id,
            declared,
            mapped,
            meta,
            tags,
            container,
            source,
            target,
            is_virtual,
            exported,
            is_elsewhere,
        } = resource;
        self.body.push(0);
        self.text(&id.0);
        self.declaration(declared)?;
        match mapped {
            Mapping::Same => self.body.push(0),
            Mapping::To(mapped) => {
                self.body.push(1);
                self.declaration(mapped)?;
            }
            Mapping::None => self.body.push(2),
        }
        self.params(meta)?;
        self.texts(tags);
        self.texts(container);
        self.place(source.as_ref());
        self.flag(target.is_some());
        target.iter().for_each(|target| self.text(target));
        self.flag(*is_virtual);
        self.flag(*exported);
        self.flag(*is_elsewhere);
        Some(())
    }

    fn anchor(&mut self, anchor: &'g Anchor) {
        let Anchor { id, kind, name, begin, rank, source } = anchor;
        self.body.push(1);
        self.text(&id.0);
        self.text(kind);
        self.text(name);
        self.flag(*begin);
        self.number((*rank).into());
        self.place(source.as_ref());
    }

    fn declaration(&mut self, declaration: &'g Declaration) -> Option<()> {
        self.text(&declaration.kind);
        self.text(&declaration.name);
        self.params(&declaration.params)
    }

    fn params(&mut self, params: &'g Params) -> Option<()> {
        self.list(params.len());
        params.iter().try_for_each(|(name, value)| {
            self.text(name);
            self.value(value, DEPTH)
        })
    }

    fn value(&mut self, value: &'g Value, depth: u32) -> Option<()> {
        let inner = depth.checked_sub(1)?;
        match value {
            Value::Null => self.body.push(0),
            Value::Bool(flag) => self.body.extend([1, (*flag).into()]),
            Value::Int(number) => {
                self.body.push(2);
                self.body.extend(number.to_le_bytes());
            }
            Value::Float(number) => {
                self.body.push(3);
                self.body.extend(number.to_bits().to_le_bytes());
            }
            Value::Str(text) => {
                self.body.push(4);
                self.text(text);
            }
            Value::Bytes(bytes) => {
                self.body.push(5);
                self.list(bytes.len());
                self.body.extend(bytes.iter());
            }
            Value::List(items) => {
                self.body.push(6);
                self.list(items.len());
                items.iter().try_for_each(|item| self.value(item, inner))?;
            }
            Value::Map(pairs) => {
                self.body.push(7);
                self.list(pairs.len());
                for (key, value) in pairs {
                    self.value(key, inner)?;
                    self.value(value, inner)?;
                }
            }
            Value::Struct(fields) => {
                self.body.push(8);
                self.list(fields.len());
                for (name, value) in fields {
                    self.text(name);
                    self.value(value, inner)?;
                }
            }
            Value::Unknown => self.body.push(9),
            Value::Sensitive(value) => {
                self.body.push(10);
                self.value(value, inner)?;
            }
            Value::Deferred(value) => {
                self.body.push(11);
                self.value(value, inner)?;
            }
            Value::Ref(id) => {
                self.body.push(12);
                self.text(&id.0);
            }
        }
        Some(())
    }

    fn edge(&mut self, edge: &'g Edge) {
        let Edge { from, to, notify, reason, send, source } = edge;
        self.number(from.0.into());
        self.number(to.0.into());
        self.flag(*notify);
        self.body.push(match reason {
            Reason::Declared => 0,
            Reason::Auto => 1,
            Reason::Containment => 2,
            Reason::Send => 3,
        });
        self.flag(send.is_some());
        if let Some((field, param)) = send {
            self.text(field);
            self.text(param);
        }
        self.place(source.as_ref());
    }
}

/// The slot of a short text, by its content.
fn slot_of(text: &str) -> usize {
    let mut hasher = FxHasher::default();
    hasher.write(text.as_bytes());
    hasher.finish() as usize % SLOTS
}

#[derive(Debug, Default)]
pub(super) struct Reader<'b> {
    rest: &'b [u8],
    /// `None` is the empty text.
    short: Vec<Option<Arc<str>>>,
    long: Vec<Arc<str>>,
}

impl<'b> Reader<'b> {
    /// Continues with other bytes: the texts move to the new reader.
    pub fn of<'c>(&mut self, bytes: &'c [u8]) -> Reader<'c> {
        let (mut short, long) = (std::mem::take(&mut self.short), std::mem::take(&mut self.long));
        short.resize(SLOTS, None);
        Reader { rest: bytes, short, long }
    }

    pub fn part(&mut self) -> Option<(Vec<Arc<Node>>, Vec<Edge>)> {
        Some((self.nodes()?, self.many(Self::edge)?))
    }

    pub fn numbers(&mut self) -> Option<Numbers> {
        let pools = self.many(|reader| {
            let pool = reader.text()?.to_string();
            let numbers = reader.many(|reader| Some((reader.text()?.to_string(), reader.integer()?)))?;
            Some((pool, numbers.into_iter().collect::<BTreeMap<_, _>>()))
        })?;
        Some(pools.into_iter().collect())
    }

    fn nodes(&mut self) -> Option<Vec<Arc<Node>>> {
        self.many(|reader| reader.node().map(Arc::new))
    }

    fn bytes(&mut self, len: usize) -> Option<&'b [u8]> {
        let (bytes, rest) = self.rest.split_at_checked(len)?;
        self.rest = rest;
        Some(bytes)
    }

    fn byte(&mut self) -> Option<u8> {
        Some(self.bytes(1)?[0])
    }

    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    pub fn small(&mut self) -> Option<u32> {
        self.number()?.try_into().ok()
    }

    fn integer(&mut self) -> Option<i64> {
        Some(i64::from_le_bytes(self.bytes(8)?.try_into().ok()?))
    }

    pub fn flag(&mut self) -> Option<bool> {
        Some(self.byte()? != 0)
    }

    fn text(&mut self) -> Option<Arc<str>> {
        let head = usize::try_from(self.number()?).ok()?;
        let number = head >> 2;
        match head & 3 {
            0 => {
                let len = self.byte()?.into();
                let text = self.new_text(len)?;
                *self.short.get_mut(number)? = Some(Arc::clone(&text));
                Some(text)
            }
            1 => Some(self.short.get(number)?.clone().unwrap_or_default()),
            2 => {
                let text = self.new_text(number)?;
                self.long.push(Arc::clone(&text));
                Some(text)
            }
            _ => self.long.get(number).cloned(),
        }
    }

    fn new_text(&mut self, len: usize) -> Option<Arc<str>> {
        Some(std::str::from_utf8(self.bytes(len)?).ok()?.into())
    }

    pub fn many<T>(&mut self, mut read: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let len = usize::try_from(self.number()?).ok()?;
        // The count may be wrong. Each item takes a byte at least, and much more memory.
        let mut items = Vec::with_capacity(len.min(self.rest.len()).min(1 << 16));
        for _ in 0..len {
            items.push(read(self)?);
        }
        Some(items)
    }

    fn place(&mut self) -> Option<Option<Place>> {
        Some(match self.flag()? {
            false => None,
            true => Some(Place {
                file: self.text()?,
                line: self.small()?,
                column: self.small()?,
                end_line: self.small()?,
                end_column: self.small()?,
            }),
        })
    }

    pub fn node(&mut self) -> Option<Node> {
        Some(match self.byte()? {
            0 => Node::Resource(self.resource()?),
            _ => Node::Anchor(Anchor {
                id: ResourceId(self.text()?),
                kind: self.text()?,
                name: self.text()?,
                begin: self.flag()?,
                rank: self.small()?,
                source: self.place()?,
            }),
        })
    }

    fn resource(&mut self) -> Option<Resource> {
        Some(Resource {
            id: ResourceId(self.text()?),
            declared: self.declaration()?,
            mapped: match self.byte()? {
                0 => Mapping::Same,
                1 => Mapping::To(self.declaration()?),
                _ => Mapping::None,
            },
            meta: {
                let mut meta = Meta::default();
                *meta = self.params()?;
                meta
            },
            tags: self.many(Self::text)?,
            container: self.many(Self::text)?,
            source: self.place()?,
            target: if self.flag()? { Some(self.text()?) } else { None },
            is_virtual: self.flag()?,
            exported: self.flag()?,
            is_elsewhere: self.flag()?,
        })
    }

    fn declaration(&mut self) -> Option<Declaration> {
        Some(Declaration { kind: self.text()?, name: self.text()?, params: self.params()? })
    }

    fn params(&mut self) -> Option<Params> {
        Some(self.many(|reader| Some((reader.text()?, reader.value(DEPTH)?)))?.into_iter().collect())
    }

    fn value(&mut self, depth: u32) -> Option<Value> {
        let inner = depth.checked_sub(1)?;
        Some(match self.byte()? {
            0 => Value::Null,
            1 => Value::Bool(self.flag()?),
            2 => Value::Int(self.integer()?),
            3 => Value::Float(f64::from_bits(self.integer()?.cast_unsigned())),
            4 => Value::Str(self.text()?),
            5 => {
                let len = usize::try_from(self.number()?).ok()?;
                Value::Bytes(self.bytes(len)?.into())
            }
            6 => Value::List(self.many(|reader| reader.value(inner))?),
            7 => Value::Map(self.many(|reader| Some((reader.value(inner)?, reader.value(inner)?)))?),
            8 => Value::Struct(self.many(|reader| Some((reader.text()?, reader.value(inner)?)))?),
            9 => Value::Unknown,
            10 => Value::Sensitive(Box::new(self.value(inner)?)),
            11 => Value::Deferred(Box::new(self.value(inner)?)),
            12 => Value::Ref(ResourceId(self.text()?)),
            _ => return None,
        })
    }

    fn edge(&mut self) -> Option<Edge> {
        Some(Edge {
            from: NodeIndex(self.small()?),
            to: NodeIndex(self.small()?),
            notify: self.flag()?,
            reason: match self.byte()? {
                0 => Reason::Declared,
                1 => Reason::Auto,
                2 => Reason::Containment,
                _ => Reason::Send,
            },
            send: if self.flag()? { Some((self.text()?, self.text()?)) } else { None },
            source: self.place()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Graph {
        let mut graph = Graph::default();
        let values = [
            Value::Null,
            Value::Bool(true),
            Value::Int(i64::MIN),
            Value::Float(-0.5),
            Value::from("text"),
            Value::from(&*"long".repeat(SHORT)),
            Value::Bytes([0, 255].as_slice().into()),
            Value::List(vec![Value::Unknown, Value::from("text")]),
            Value::Map(vec![(Value::Int(1), Value::Sensitive(Box::new(Value::from("secret"))))]),
            Value::Struct(vec![("field".into(), Value::Deferred(Box::new(Value::Null)))]),
            Value::Ref(ResourceId("file[/x]".into())),
        ];
        let params: Params = values.into_iter().zip(0..).map(|(value, at)| (format!("p{at}").into(), value)).collect();
        let place = Place { file: "main.pp".into(), line: 1, column: 2, end_line: 300, end_column: 70_000 };
        let mut resource = Resource::new("file", "/x", params.clone());
        resource.mapped = Mapping::To(Declaration { kind: "file".into(), name: "/x".into(), params });
        resource.meta.set("noop", Value::Bool(true));
        (resource.tags, resource.container) = (vec!["a".into()], vec!["class a".into()]);
        (resource.source, resource.target, resource.exported) = (Some(place.clone()), Some("web1".into()), true);
        let from = graph.add(Node::Resource(resource)).expect("is new");
        let id = ResourceId("end".into());
        let anchor = Anchor { id, kind: "class".into(), name: "a".into(), begin: false, rank: 7, source: None };
        let to = graph.add(Node::Anchor(anchor)).expect("is new");
        let send = Some(("out".into(), "in".into()));
        graph.connect(Edge { from, to, notify: true, reason: Reason::Send, send, source: Some(place) });
        graph.set_numbers([("pool".to_owned(), [("name".to_owned(), -3)].into())].into());
        graph
    }

    #[test]
    fn a_graph_comes_back_and_a_cut_one_is_refused() {
        let graph = sample();
        let bytes = to_bytes(&graph).expect("is not deep");
        assert_eq!(from_bytes(&bytes), Some(graph));
        for len in 0..bytes.len() {
            assert_eq!(from_bytes(&bytes[..len]), None, "{len}");
        }
    }

    #[test]
    fn a_large_graph_comes_back() {
        let mut graph = sample();
        for at in 0..2 * MANY {
            let name = format!("/x/{at}");
            let params =
                [("content".into(), Value::from(format!("line {} ", at % 7).repeat(at % 20).as_str()))].into_iter();
            let to = graph.add(Node::Resource(Resource::new("file", name.as_str(), params.collect()))).expect("is new");
            let edge = Edge { from: NodeIndex(0), to, notify: false, reason: Reason::Auto, send: None, source: None };
            graph.connect(edge);
        }
        let bytes = to_bytes(&graph).expect("is not deep");
        assert_eq!(from_bytes(&bytes), Some(graph));
        assert_eq!(from_bytes(&bytes[..bytes.len() - 1]), None);
    }

    #[test]
    fn too_deep_a_value_is_refused() {
        let mut value = Value::Null;
        for _ in 0..DEPTH {
            value = Value::List(vec![value]);
        }
        let params: Params = [("x".into(), value)].into_iter().collect();
        let mut graph = Graph::default();
        graph.add(Node::Resource(Resource::new("test", "x", params))).expect("is new");
        assert_eq!(to_bytes(&graph), None);
    }
}
